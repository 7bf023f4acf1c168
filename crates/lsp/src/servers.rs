//! Which servers there are, as data: what starts them, for which files, with which settings, and what is odd about them.

mod c;
mod custom;
mod go;
mod python;
mod rust;
mod shell;
mod typescript;
mod web;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::protocol::position::Encoding;
use crate::server::canary::Canary;

pub use custom::CustomServer;

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

/// How a server tells that it knows the whole project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Readiness {
    /// It does not tell, or by progress tokens: the first answers about the whole project are asked for again until
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

/// What is odd about a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quirks {
    /// The encoding in which it really counts, whatever it says.
    pub encoding: Option<Encoding>,
    /// The encodings of diagnostics that it hands on from other programs, by their source.
    pub sources: &'static [(&'static str, Encoding)],
    /// How it tells that it knows the project.
    pub readiness: Readiness,
    /// How it looks at a file again.
    pub recheck: Recheck,
    /// It checks only the file that was opened or changed last: the next one waits until this one was answered.
    pub checks_one_file: bool,
    /// The command that makes it read its projects anew: it takes no notice of announced files.
    pub reload: Option<&'static str>,
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
}

impl ServerSpec {
    /// A server of the table, with nothing odd about it.
    fn preset(
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

    fn install(mut self, command: &str) -> Self {
        self.install = Some(command.to_owned());
        self
    }

    fn watched(mut self, names: &[&str]) -> Self {
        self.watched = names.iter().map(ToString::to_string).collect();
        self
    }

    fn quirks(mut self, quirks: Quirks) -> Self {
        self.quirks = quirks;
        self
    }

    fn root(mut self, root: RootRule) -> Self {
        self.root = root;
        self
    }

    fn settings(mut self, settings: Value) -> Self {
        self.settings = settings;
        self
    }

    fn options(mut self, options: Value) -> Self {
        self.initialization_options = options;
        self
    }

    fn linter(mut self) -> Self {
        self.role = Role::Linter;
        self
    }

    /// Whether a file of this name is one of its own.
    #[must_use]
    pub fn handles(&self, file_name: &str) -> bool {
        self.files.iter().any(|pattern| names(pattern, file_name))
    }

    /// Whether a change of this file may concern it.
    pub(crate) fn watches(&self, file_name: &str) -> bool {
        self.handles(file_name) || self.watched.iter().any(|pattern| names(pattern, file_name))
    }
}

fn names(pattern: &str, file_name: &str) -> bool {
    if pattern.starts_with('.') {
        let ends = file_name
            .len()
            .checked_sub(pattern.len())
            .and_then(|at| file_name.get(at..));
        return ends.is_some_and(|end| end.eq_ignore_ascii_case(pattern));
    }
    file_name == pattern
}

/// Every server of the table, of one language in the order in which they are tried.
///
/// `trusted`: whether programs and settings of the workspace may be run. Without trust nothing is started from it, and
/// servers are told not to run its build scripts, macros and plug-ins, as far as they have a setting for it.
#[must_use]
pub fn presets(trusted: bool) -> Vec<ServerSpec> {
    [
        shell::presets(),
        python::presets(),
        typescript::presets(trusted),
        rust::presets(trusted),
        go::presets(),
        c::presets(),
        web::presets(),
    ]
    .concat()
}

/// The name of a language by the names that people use for it: `py` is `python`, `sh` is `bash`.
#[must_use]
pub fn language_named(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let known = match name.as_str() {
        "py" => "python",
        "sh" | "shell" | "shellscript" => "bash",
        "ts" | "js" | "tsx" | "jsx" | "javascript" | "typescriptreact" | "javascriptreact" => {
            "typescript"
        }
        "rs" => "rust",
        "golang" => "go",
        "cpp" | "c++" | "cc" | "objective-c" => "c",
        "yml" => "yaml",
        "jsonc" => "json",
        "scss" | "less" => "css",
        _ => return name,
    };
    known.to_owned()
}

/// What a language is called in a sentence: `typescript` is `TypeScript`.
#[must_use]
pub fn language_title(language: &str) -> &str {
    match language {
        "bash" => "Bash",
        "python" => "Python",
        "typescript" => "TypeScript",
        "rust" => "Rust",
        "go" => "Go",
        "c" => "C/C++",
        "json" => "JSON",
        "yaml" => "YAML",
        "html" => "HTML",
        "css" => "CSS",
        other => other,
    }
}

/// The language id of LSP 3.17 for a file name.
#[must_use]
pub fn language_id(file_name: &str) -> Option<&'static str> {
    let extension = file_name
        .rsplit_once('.')
        .map_or("", |(_, extension)| extension)
        .to_ascii_lowercase();
    Some(match extension.as_str() {
        "sh" | "bash" | "zsh" | "ksh" => "shellscript",
        "py" | "pyi" | "pyw" => "python",
        "ts" | "mts" | "cts" => "typescript",
        "tsx" => "typescriptreact",
        "js" | "mjs" | "cjs" => "javascript",
        "jsx" => "javascriptreact",
        "rs" => "rust",
        "go" => "go",
        "c" | "h" => "c",
        "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "ipp" | "c++" => "cpp",
        "m" => "objective-c",
        "mm" => "objective-cpp",
        "json" => "json",
        "jsonc" => "jsonc",
        "yaml" | "yml" => "yaml",
        "html" | "htm" => "html",
        "css" => "css",
        "scss" => "scss",
        "less" => "less",
        "java" => "java",
        "rb" => "ruby",
        "php" => "php",
        "cs" => "csharp",
        "lua" => "lua",
        "swift" => "swift",
        "kt" => "kotlin",
        "vue" => "vue",
        "svelte" => "svelte",
        "md" => "markdown",
        "toml" => "toml",
        _ => return (file_name == "go.mod").then_some("go.mod"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_their_ending_or_whole_name() {
        let all = presets(false);
        let of = |name: &str| -> Vec<&str> {
            all.iter()
                .filter(|spec| spec.handles(name))
                .map(|spec| spec.name.as_str())
                .collect()
        };
        assert_eq!(of("a.py"), ["pylsp", "basedpyright", "pyright", "ruff"]);
        assert_eq!(
            of("A.TSX"),
            ["typescript-language-server", "vtsls", "tsgo", "biome"]
        );
        assert_eq!(of("x.h"), ["clangd"]);
        assert_eq!(of("py"), Vec::<&str>::new());
        assert_eq!(of("notes.txt"), Vec::<&str>::new());
    }

    #[test]
    fn every_server_has_an_installing_command_and_files_with_a_language_id() {
        for spec in presets(true) {
            assert!(spec.install.is_some(), "{}", spec.name);
            for file in &spec.files {
                let name = if file.starts_with('.') {
                    format!("a{file}")
                } else {
                    file.clone()
                };
                assert!(language_id(&name).is_some(), "{} {file}", spec.name);
            }
        }
    }

    #[test]
    fn a_server_of_the_workspace_comes_first_only_under_trust() {
        let first = |trusted| {
            presets(trusted)
                .into_iter()
                .find(|spec| spec.handles("a.ts"))
                .unwrap()
        };
        assert_eq!(first(false).name, "typescript-language-server");
        assert_eq!(first(true).name, "tsgo");
    }

    #[test]
    fn names_of_languages_are_understood() {
        assert_eq!(
            ["py", "SH", "ts", "zig"].map(language_named),
            ["python", "bash", "typescript", "zig"]
        );
    }
}
