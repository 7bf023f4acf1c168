//! What a command does, as plain data: for examples, explanations and `cargo xtask decide`.

use std::fmt;

use crate::operands::{AccessScope, FileAccess, named_files};
use crate::unwrap::invocation::{Inner, Invocation};
use crate::word::Word;

/// One thing that a command does.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CommandEffect {
    /// It works in another directory.
    In(String),
    /// It uses a file.
    File {
        /// What is done to it: read, write or delete.
        access: FileAccess,
        /// Its name; `?` where it is not known.
        name: String,
        /// Whether everything below it is used as well, whatever the options say.
        below: bool,
    },
    /// It runs another command; `?` where its name is not known.
    Run(String),
    /// It runs a text.
    Text(String),
    /// It runs something that cannot be determined, and why.
    NotUnderstood(&'static str),
    /// It is given an option that is not known, though all of the program are.
    UnknownOption(String),
}

/// What a command does by itself, in the order of its arguments, each once.
#[must_use]
pub fn command_effects(invocation: &Invocation) -> Vec<CommandEffect> {
    let mut effects: Vec<CommandEffect> = Vec::new();
    let mut add = |effect| {
        if !effects.contains(&effect) {
            effects.push(effect);
        }
    };
    for directory in &invocation.directories {
        add(CommandEffect::In(name(directory)));
    }
    let files = named_files(invocation).into_iter();
    for file in files.filter(|file| !file.may_be_remote()) {
        add(CommandEffect::File {
            access: file.access,
            name: name(&file.word),
            below: !matches!(
                file.reach,
                AccessScope::Named | AccessScope::Entry | AccessScope::Patterns | AccessScope::Made
            ),
        });
    }
    for inner in &invocation.inner {
        add(match inner {
            Inner::Command(command) => {
                CommandEffect::Run(command.base_name().unwrap_or("?").to_owned())
            }
            Inner::Text(text) => CommandEffect::Text(text.text.clone()),
            Inner::NotUnderstood { what, .. } => CommandEffect::NotUnderstood(what),
        });
    }
    if let Some(option) = invocation.unknown_option() {
        add(CommandEffect::UnknownOption(option.to_owned()));
    }
    effects
}

fn name(word: &Word) -> String {
    word.literal().unwrap_or("?").to_owned()
}

impl fmt::Display for CommandEffect {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::In(directory) => write!(to, "in {directory}"),
            Self::File {
                access,
                name,
                below,
            } => {
                let access = match access {
                    FileAccess::Read => "read",
                    FileAccess::Write => "write",
                    FileAccess::Delete => "delete",
                };
                let below = if *below { " below" } else { "" };
                write!(to, "{access}{below} {name}")
            }
            Self::Run(program) => write!(to, "run {program}"),
            Self::Text(text) => write!(to, "run `{text}`"),
            Self::NotUnderstood(_) => to.write_str("run ?"),
            Self::UnknownOption(option) => write!(to, "unknown {option}"),
        }
    }
}
