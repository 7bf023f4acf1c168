//! Where the text comes from that commands show, as far as their words show.

use std::path::{Path, PathBuf};

use tenon_contract::Access;
use tenon_shell::{FileAccess, FileUse, Invocation, Part, Redirection, Word, named_files};

use crate::commands::explain::{Visited, command_effects, each, redirected};
use crate::commands::resolve::ResolvedCommands;
use crate::commands::words::addresses::Client;
use crate::decision::PartKind;
use crate::engine::Engine;
use crate::paths::within;

/// Programs that show what is on other machines, whatever their subcommand.
const SHOWING: &[&str] = &["gh", "glab", "hub", "tea"];

/// Subcommands that do, by their programs. What is installed is not text yet: reading it is reading a file.
const SHOWING_BY: &[(&str, &[&str])] = &[
    (
        "git",
        &["clone", "fetch", "fetch-pack", "ls-remote", "pull"],
    ),
    ("npm", &["info", "search", "show", "view"]),
    ("pnpm", &["info", "search", "show", "view"]),
    ("yarn", &["info", "npm"]),
    ("cargo", &["info", "search"]),
    ("pip", &["index", "search"]),
    ("docker", &["search"]),
    ("brew", &["info", "search"]),
    ("kubectl", &["logs", "exec"]),
];

/// Programs of the table of clients that only talk to a host where they are given one.
const TALKING_IF_ADDRESSED: &[&str] = &["openssl", "host", "links", "rsync", "scp", "socat"];

/// Programs that show names of files and what they are, not what is in them.
const NAMING: &[&str] = &[
    "[", "basename", "chmod", "chown", "dirname", "du", "find", "ls", "mkdir", "mv", "readlink",
    "realpath", "rm", "stat", "test", "touch", "tree",
];

/// How many files are reported.
const MOST: usize = 256;

/// Where the text comes from that the commands of a call show.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins {
    /// The hosts that they ask; the name of the program where its words name none.
    pub hosts: Vec<String>,
    /// The files that they read, by absolute paths, links not followed.
    pub files: Vec<PathBuf>,
    /// What they read with everything below it, where it is a directory.
    pub trees: Vec<PathBuf>,
    /// What they read by words that are no plain names.
    pub patterns: Vec<NamePattern>,
}

/// The name of files as a word of a command has it that is no plain name: `.env*`, `{.env,a}`, `$DIR/x`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePattern {
    /// The directory from which it leads.
    pub directory: PathBuf,
    /// The text of the word, with [`NamePattern::UNKNOWN`] for what is not known of it.
    pub text: String,
}

impl NamePattern {
    /// Stands for any letters.
    pub const UNKNOWN: char = '\0';

    /// The text of a word.
    fn text_of(word: &Word) -> String {
        let mut text = String::new();
        for part in &word.parts {
            match part {
                // In the place of this `find` puts names.
                Part::Text { value, .. } if value != "{}" => text.push_str(value),
                _ if text.ends_with(Self::UNKNOWN) => {}
                _ => text.push(Self::UNKNOWN),
            }
        }
        if text.is_empty() {
            text.push(Self::UNKNOWN);
        }
        text
    }
}

impl Engine {
    /// Where the text comes from that the commands of a call show, as far as their words show: what a program asks or
    /// reads by itself is not known. Rules do not matter here.
    #[must_use]
    pub fn origins(&self, access: &Access, commands: &ResolvedCommands<'_>) -> Origins {
        let typed_into = access.inputs.iter().map(|input| &input.command);
        let mut origins = Origins::default();
        for claim in access.commands.iter().chain(typed_into) {
            let resolved = commands.of(claim, &self.directories, &self.catalogue);
            let table = &resolved.table;
            each(&resolved, &mut |visited, dirs| {
                let (files, redirections, mut patterns) = match visited {
                    Visited::Command(inner, written) => {
                        let effects = command_effects(inner);
                        origins.hosts_of(inner, effects.hosts);
                        let redirections = written.map(|command| &*command.redirections);
                        (
                            effects.files,
                            redirections.unwrap_or_default(),
                            named_by_patterns(inner),
                        )
                    }
                    Visited::Redirections(redirections, _) => {
                        (Vec::new(), redirections, Vec::new())
                    }
                };
                patterns.extend(opened_by_patterns(redirections));
                let files = files.into_iter().chain(redirected(redirections));
                let read = files.filter(|file| file.kind == PartKind::Read && is_known(&file.name));
                let read: Vec<_> = read.collect();
                let places = table.candidates(dirs).unwrap_or_default();
                for place in places {
                    let directory = table.path(place);
                    for file in &read {
                        origins.file(within(&directory, &file.name), file.below);
                    }
                    for text in &patterns {
                        origins.pattern(&directory, text);
                    }
                }
            });
        }
        origins
    }
}

impl Origins {
    /// The hosts that a command asks; the program where its words name none.
    fn hosts_of(&mut self, command: &Invocation, hosts: Vec<String>) {
        if !asks_others(command, !hosts.is_empty()) {
            return;
        }
        if hosts.is_empty() {
            self.host(command.base_name().unwrap_or_default().to_owned());
        }
        hosts.into_iter().for_each(|host| self.host(host));
    }

    fn host(&mut self, host: String) {
        if self.hosts.len() < MOST && !self.hosts.contains(&host) {
            self.hosts.push(host);
        }
    }

    fn file(&mut self, file: PathBuf, below: bool) {
        let files = if below {
            &mut self.trees
        } else {
            &mut self.files
        };
        if files.len() < MOST && !files.contains(&file) {
            files.push(file);
        }
    }

    fn pattern(&mut self, directory: &Path, text: &str) {
        let pattern = NamePattern {
            directory: directory.to_owned(),
            text: text.to_owned(),
        };
        if self.patterns.len() < MOST && !self.patterns.contains(&pattern) {
            self.patterns.push(pattern);
        }
    }
}

/// What a command shows the content of by words that are no plain names.
fn named_by_patterns(command: &Invocation) -> Vec<String> {
    let program = command.base_name().unwrap_or_default();
    let files = named_files(command);
    let read = files.iter().filter(|file| file.access == FileAccess::Read);
    let words = read.map(|file| &*file.word);
    let unknown = words.filter(|word| word.literal().is_none() && !NAMING.contains(&program));
    unknown.map(NamePattern::text_of).collect()
}

/// What redirections read by words that are no plain names.
fn opened_by_patterns(redirections: &[Redirection]) -> impl Iterator<Item = String> {
    let read = redirections
        .iter()
        .filter(|redirection| matches!(redirection.file_use(), FileUse::Read | FileUse::ReadWrite));
    let words = read.map(|redirection| &redirection.target);
    let unknown = words.filter(|word| word.literal().is_none());
    unknown.map(NamePattern::text_of)
}

/// Whether a command shows what other machines have. A program that gets an address and is not a client, such as
/// `echo`, does not.
fn asks_others(invocation: &Invocation, names_host: bool) -> bool {
    let Some(program) = invocation.base_name() else {
        return false;
    };
    let words = invocation.normalized_words();
    let subcommand = words.get(1).and_then(Word::literal).unwrap_or_default();
    let by = SHOWING_BY.iter().find(|(name, _)| *name == program);
    match by {
        Some((_, subcommands)) => subcommands.contains(&subcommand),
        None if SHOWING.contains(&program) => true,
        None if TALKING_IF_ADDRESSED.contains(&program) => names_host,
        None => matches!(Client::of(invocation), Client::Any | Client::Copier),
    }
}

/// Whether the words show which file it is.
fn is_known(name: &str) -> bool {
    name != "?" && !name.starts_with('~') && !name.contains(['*', '?', '['])
}
