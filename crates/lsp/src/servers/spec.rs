//! What is known of a server: how it is started, for which files, and what is odd about it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::protocol::position::Encoding;

/// One server that can be started.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerSpec {
    /// The language it is for, as options and hints name it.
    pub language: String,
    /// How the host spells that language.
    pub spelling: String,
    /// What it is called in answers.
    pub name: String,
    /// The program: a name that is looked up in `PATH`, or an absolute path.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Endings of file names such as `.py`, or whole names such as `Dockerfile`.
    pub files: Vec<String>,
    /// Which directory it is started for.
    pub root: RootRule,
    /// Names of files that mean something to it beyond its own; a change of them is announced.
    pub watched: Vec<String>,
    /// `initializationOptions`.
    pub initialization_options: Value,
    /// What `workspace/configuration` is answered from, by section.
    pub settings: Value,
    /// Variables that are set for it.
    pub environment: BTreeMap<String, String>,
    /// The command that installs it.
    pub install: Option<String>,
    /// A file that it needs and would else take from the workspace.
    pub companion: Option<Companion>,
    /// What it is used for.
    pub role: Role,
    /// What is odd about it.
    pub quirks: Quirks,
    /// Whether the host named it itself.
    pub is_configured: bool,
}

/// A file of code that a server loads, from beside itself unless the workspace is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Companion {
    /// Where it lies, below one of the directories that the program lies in.
    pub file: &'static str,
    /// The member of the initialization options that names it, as a JSON pointer whose parent exists.
    pub option: &'static str,
    /// How to install it.
    pub install: &'static str,
}

/// What a server is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Everything that it can.
    Full,
    /// Diagnostics and code actions, beside another server or alone.
    Linter,
}

/// Which directory a server is started for. All servers of one kind and one directory are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootRule {
    /// The workspace root (or additional directory) that holds the file.
    Workspace,
    /// The nearest directory above the file with one of these, inside of the workspace; the names of a later group count
    /// only where none of an earlier one is found. Else the workspace root.
    Nearest(&'static [&'static [&'static str]]),
    /// The Cargo workspace that the file belongs to.
    Cargo,
}

/// How a server shows that it knows the whole project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Readiness {
    /// It does not show it, or by progress tokens: the first answers about the whole project are asked for again until
    /// they stay the same.
    #[default]
    Observed,
    /// Its first answer is complete: it waits by itself.
    Immediate,
    /// It logs this when it is.
    Log(&'static str),
    /// By the `experimental/serverStatus` of rust-analyzer.
    Status,
}

/// How a server that pushes diagnostics is made to look at an open file again after another file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Recheck {
    /// The same text is sent once more.
    #[default]
    Resend,
    /// The same with clangd's `forceRebuild`: it does nothing for the same text else.
    Force,
}

/// How a server that takes no notice of announced files is made to read its projects again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reload {
    /// By this command.
    Command(&'static str),
    /// By a request to its tsserver: it does not find packages that are installed where ignore files hide them, nor new modules where
    /// the project is at the top of the file system, as in `/app`.
    Tsserver,
}

/// What is odd about a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quirks {
    /// The encoding in which it really counts, whatever it says.
    pub encoding: Option<Encoding>,
    /// The encodings of diagnostics that it hands on from other programs, by their source.
    pub sources: &'static [(&'static str, Encoding)],
    /// How it shows that it knows the project.
    pub readiness: Readiness,
    /// How it looks at a file again.
    pub recheck: Recheck,
    /// It checks only the file that was opened or changed last: the next one waits until this one was answered.
    pub checks_one_file: bool,
    /// How it is made to read its projects again, if it takes no notice of announced files.
    pub reload: Option<Reload>,
    /// It reads announced files when it comes to it, and answers of the old ones until then: what changed is opened, which
    /// takes effect at once.
    pub opens_changed: bool,
    /// It passes requests on to a tsserver, which knows its diagnostics exactly.
    pub tsserver: bool,
    /// How many symbols of the project it returns at most, if that is known.
    pub symbols_max: Option<usize>,
    /// The file without which it knows only the files that are open.
    pub index_file: Option<&'static str>,
    /// What it finds if it finds anything.
    pub canary: Option<Canary>,
    /// What another program of its name says, which runs it where it is installed.
    pub absent_marks: &'static [&'static str],
}

impl ServerSpec {
    /// A server of the table, with nothing odd about it.
    pub(super) fn preset(
        language: &str,
        name: &str,
        command: &str,
        arguments: &[&str],
        files: &[&str],
    ) -> Self {
        let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
        Self {
            language: language.to_owned(),
            spelling: language.to_owned(),
            name: name.to_owned(),
            command: command.to_owned(),
            arguments: texts(arguments),
            files: texts(files),
            root: RootRule::Workspace,
            watched: Vec::new(),
            initialization_options: Value::Null,
            settings: Value::Null,
            environment: BTreeMap::new(),
            install: None,
            companion: None,
            role: Role::Full,
            quirks: Quirks::default(),
            is_configured: false,
        }
    }

    pub(super) fn install(mut self, command: &str) -> Self {
        self.install = Some(command.to_owned());
        self
    }

    pub(super) fn watched(mut self, names: &[&str]) -> Self {
        self.watched = names.iter().map(ToString::to_string).collect();
        self
    }

    pub(super) fn quirks(mut self, quirks: Quirks) -> Self {
        self.quirks = quirks;
        self
    }

    pub(super) fn root(mut self, root: RootRule) -> Self {
        self.root = root;
        self
    }

    pub(super) fn settings(mut self, settings: Value) -> Self {
        self.settings = settings;
        self
    }

    pub(super) fn options(mut self, options: Value) -> Self {
        self.initialization_options = options;
        self
    }

    pub(super) fn linter(mut self) -> Self {
        self.role = Role::Linter;
        self
    }

    /// Whether a file of this name is one of its own.
    #[must_use]
    pub fn handles(&self, file_name: &str) -> bool {
        self.files
            .iter()
            .any(|pattern| is_named(pattern, file_name))
    }

    /// Whether a change of this file may concern it.
    pub(crate) fn watches(&self, file_name: &str) -> bool {
        self.handles(file_name)
            || self
                .watched
                .iter()
                .any(|pattern| is_named(pattern, file_name))
    }
}

/// A text in which a server that checks finds something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Canary {
    /// The name of a file that never exists.
    pub file: &'static str,
    /// Its text.
    pub text: &'static str,
    /// What the server needs to find the fault.
    pub needs: &'static str,
    /// How to install that.
    pub install: &'static str,
}

/// Whether a file name has this ending (`.ts`), or is this name.
pub(crate) fn is_named(pattern: &str, file_name: &str) -> bool {
    if pattern.starts_with('.') {
        let ends = file_name
            .len()
            .checked_sub(pattern.len())
            .and_then(|at| file_name.get(at..));
        return ends.is_some_and(|end| end.eq_ignore_ascii_case(pattern));
    }
    file_name == pattern
}
