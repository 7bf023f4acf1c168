//! What the commands of a call do, without any rule: the stages up to the judging, as plain data.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::Access;
use tenon_shell::{Command, FileAccess, FileUse, Inner, Invocation, Redirection, Word};

use crate::commands::judge::{file_kind, is_free, part_kind};
use crate::commands::resolve::{
    PathTable, ResolvedClaim, ResolvedCommands, WorkingDirs, directories,
};
use crate::commands::words::{Effects, addresses};
use crate::decision::PartKind;
use crate::display::shown;
use crate::engine::Engine;
use crate::paths::path_text;

/// What is visited of a text.
pub(crate) enum Visited<'t> {
    /// A command, and how it is written, where that is all of it.
    Command(&'t Invocation, Option<&'t Command>),
    /// Redirections of a compound command, or of no command, and the text that they stand in.
    Redirections(&'t [Redirection], &'t str),
}

/// Hears of what a text does, and where that may be.
type Visit<'t> = dyn FnMut(Visited<'_>, WorkingDirs) + 't;

/// How many commands are explained.
const MOST: usize = 256;

/// What one command of a text does, as far as its words show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommandEffects {
    /// Its words on one line; `?` for one that is not known from the text.
    pub command: String,
    /// The name by which the catalogue knows the program. Missing where the program is not in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The directories in which it may run, below the workspace where they lie there. Missing where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directories: Option<Vec<String>>,
    /// The files that it uses, in the order of its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileEffect>,
    /// The hosts that it reaches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// What it runs: programs, texts in backticks, `?` for what is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<String>,
    /// The variables that it sets; `?` for one whose name is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<String>,
    /// An option that the program's manual does not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_option: Option<String>,
}

/// The use of one file or directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileEffect {
    /// `read`, `write` or `delete`.
    pub kind: PartKind,
    /// As the command names it; `?` where the name is not known from the text.
    pub name: String,
    /// Whether what lies below it is used as well, where it is a directory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub below: bool,
}

impl Engine {
    /// What the commands of a call do by their words, wrappers and what they run one after the other. Rules do not
    /// matter here. At most 256 commands.
    #[must_use]
    pub fn effects(&self, access: &Access, commands: &ResolvedCommands<'_>) -> Vec<CommandEffects> {
        let typed_into = access.inputs.iter().map(|input| &input.command);
        let claims = access.commands.iter().chain(typed_into);
        let mut found = Vec::new();
        for claim in claims {
            let resolved = commands.of(claim, &self.directories, self.all_programs());
            self.effects_of(&resolved, &mut found);
        }
        found
    }

    fn effects_of(&self, resolved: &ResolvedClaim<'_>, found: &mut Vec<CommandEffects>) {
        each(resolved, &mut |visited, dirs| {
            let mut effects = match visited {
                Visited::Command(inner, written) => {
                    let mut effects = command_effects(inner);
                    let redirections = written.map(|command| &*command.redirections);
                    effects
                        .files
                        .extend(redirected(redirections.unwrap_or_default()));
                    effects
                }
                Visited::Redirections(redirections, text) => opened(redirections, text),
            };
            effects.directories = self.names_of(dirs, &resolved.table);
            if found.len() < MOST && !found.contains(&effects) {
                found.push(effects);
            }
        });
    }

    fn names_of(&self, dirs: WorkingDirs, table: &PathTable<'_>) -> Option<Vec<String>> {
        let directories = table.candidates(dirs)?;
        let name = |directory| {
            let path = table.path(directory);
            match path.strip_prefix(&self.root) {
                Ok(below) if below.as_os_str().is_empty() => ".".to_owned(),
                Ok(below) => path_text(below).into_owned(),
                Err(_) => path_text(&path).into_owned(),
            }
        };
        let names = directories.into_iter().map(name);
        Some(names.collect())
    }
}

/// Visits every command of a text, wrappers and what they run one after the other, with where it may run and how it is written,
/// so that its redirections count once; and the redirections that belong to no simple command.
pub(crate) fn each(resolved: &ResolvedClaim<'_>, visit: &mut Visit<'_>) {
    let readings = (0..resolved.readings.len()).filter_map(|number| resolved.text(number));
    for reading in readings {
        for (index, text) in reading.examination.texts.iter().enumerate() {
            for (finding, invocation) in &text.invocations {
                let mut dirs = reading.directories.at(index, *finding);
                let written = text.script.command_at(*finding);
                for (place, inner) in invocation.chain().into_iter().enumerate() {
                    dirs = directories::own(dirs, inner, &resolved.table);
                    visit(
                        Visited::Command(inner, written.filter(|_| place == 0)),
                        dirs,
                    );
                }
            }
            for (finding, found) in text.script.findings.iter().enumerate() {
                let command = found.kind.command();
                let redirections = match command.filter(|command| !command.words.is_empty()) {
                    Some(_) => &[],
                    None => found.kind.redirections(),
                };
                if !redirections.is_empty() {
                    let dirs = reading.directories.at(index, finding);
                    visit(Visited::Redirections(redirections, &text.text), dirs);
                }
            }
        }
    }
}

/// What a command does by its words.
pub(crate) fn command_effects(invocation: &Invocation) -> CommandEffects {
    let effects = Effects::of(invocation, || false);
    let words: Vec<&str> = invocation.words.iter().map(text_of).collect();
    let program = invocation.program().and_then(|_| invocation.base_name());
    let mut files: Vec<FileEffect> = Vec::new();
    for file in effects.files.iter().filter(|file| !file.may_be_remote()) {
        files.push(FileEffect {
            kind: part_kind(file_kind(file.access)),
            name: text_of(&file.word).to_owned(),
            below: effects.reaches_below(file)
                || file.reach.is_of_work_tree() && file.access == FileAccess::Delete,
        });
    }
    let here = [
        (effects.reads_here, PartKind::Read),
        (effects.writes_here, PartKind::Write),
    ];
    let here = here.into_iter().filter(|(is_used, _)| *is_used);
    files.extend(here.map(|(_, kind)| FileEffect {
        kind,
        name: ".".to_owned(),
        below: true,
    }));
    let mut hosts = Vec::new();
    addresses::each_host(invocation, |host| hosts.push(host));
    // A change of the directory is said by the directories of what follows.
    let is_said = |name: &Option<Cow<'_, str>>| matches!(name.as_deref(), Some("PWD" | "OLDPWD"));
    let sets = invocation.assigned_names().into_iter();
    let sets = sets.filter(|name| !is_said(name));
    CommandEffects {
        command: shown(&words.join(" ")).into(),
        program: program.map(str::to_owned),
        directories: None,
        files,
        hosts,
        runs: invocation.inner.iter().map(run).collect(),
        sets: sets
            .map(|name| name.map_or_else(|| "?".to_owned(), |name| name.into_owned()))
            .collect(),
        unknown_option: invocation.unknown_option().map(str::to_owned),
    }
}

/// What redirections do that belong to no simple command: `while …; done < file`.
fn opened(redirections: &[Redirection], text: &str) -> CommandEffects {
    let written = redirections.iter().filter_map(|redirection| {
        let span = redirection.span;
        text.get(span.start..span.end)
    });
    CommandEffects {
        command: shown(&written.collect::<Vec<_>>().join(" ")).into(),
        program: None,
        directories: None,
        files: redirected(redirections),
        hosts: Vec::new(),
        runs: Vec::new(),
        sets: Vec::new(),
        unknown_option: None,
    }
}

/// The files of redirections.
pub(crate) fn redirected(redirections: &[Redirection]) -> Vec<FileEffect> {
    let mut files = Vec::new();
    for redirection in redirections {
        let kinds: &[PartKind] = match redirection.file_use() {
            FileUse::Read => &[PartKind::Read],
            FileUse::Write => &[PartKind::Write],
            FileUse::ReadWrite => &[PartKind::Read, PartKind::Write],
            FileUse::None => &[],
        };
        let name = text_of(&redirection.target);
        let used = kinds.iter().filter(|_| !is_free(name));
        files.extend(used.map(|kind| FileEffect {
            kind: *kind,
            name: name.to_owned(),
            below: false,
        }));
    }
    files
}

fn run(inner: &Inner) -> String {
    match inner {
        Inner::Command(command) => command.base_name().unwrap_or("?").to_owned(),
        Inner::Text(text) => format!("`{}`", shown(&text.text)),
        Inner::NotUnderstood { .. } => "?".to_owned(),
    }
}

fn text_of(word: &Word) -> &str {
    word.literal().unwrap_or("?")
}
