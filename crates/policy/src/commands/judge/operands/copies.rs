//! Where what is copied goes: whether to another machine, and whether into a directory.

use std::path::Path;

use tenon_programs::Traits;
use tenon_shell::{FileAccess, FileOperand, Word};

use crate::commands::judge::{CommandJudge, Extent, Usage, file_kind};
use crate::commands::resolve::Site;
use crate::commands::words::Effects;
use crate::paths::{ListedKind, go_on};
use crate::protected::protected_among;

/// How many entries of a directory outside are looked at.
const MOST_ENTRIES: usize = 4096;

/// On which machine a name lies that a program is given.
pub(crate) enum Machine {
    /// Here: it is a path.
    This,
    /// On the one that it names, which may be this one: there the path leads into the workspace.
    Perhaps(String),
    Another,
}

impl<'e> CommandJudge<'e, '_> {
    /// Whether a command changes this file on another machine: `scp a host:b`. Where the path leads into the workspace, it is judged as
    /// the file here as well, as the host may be this machine.
    pub(crate) fn is_elsewhere(
        &mut self,
        file: &FileOperand<'_>,
        effects: &Effects<'_>,
        at: Site<'_>,
    ) -> bool {
        let Some(name) = file.word.literal() else {
            return false;
        };
        if file.access == FileAccess::Read {
            return false;
        }
        match self.on_machine(name, effects) {
            Machine::This => false,
            Machine::Another => true,
            Machine::Perhaps(path) => {
                let extent = match effects.reaches_below(file) {
                    true => Extent::Below(&effects.selection),
                    false => Extent::Itself,
                };
                let usage = Usage::strict(file_kind(file.access)).to(extent);
                self.path(usage, &path, at);
                true
            }
        }
    }

    /// Where a name lies that this program is given: `host:path` of one that reaches other machines. On Windows a host of one letter is a
    /// drive, and protected names count everywhere.
    pub(crate) fn on_machine(&self, name: &str, effects: &Effects<'_>) -> Machine {
        let behind = match name.strip_prefix('[') {
            Some(address) => address.split_once("]:"),
            None => name.split_once(':'),
        };
        let Some((host, path)) = behind.filter(|_| effects.is(Traits::REMOTE_NAMES)) else {
            return Machine::This;
        };
        let is_drive = cfg!(windows) && host.len() == 1;
        let is_host = !host.is_empty() && !host.contains('/') && !path.starts_with("//");
        if !is_host || is_drive || protected_among(path).is_some() {
            return Machine::This;
        }
        let path = path.trim_start_matches("~/");
        let root = self.path_table.directory(&self.engine.root);
        let path = match (
            path.starts_with(['/', '~', ':']),
            self.engine.directories.home(),
        ) {
            (true, _) => path.to_owned(),
            (false, Some(home)) => format!("{home}/{path}"),
            (false, None) => return Machine::This,
        };
        let is_here =
            path.starts_with('/') && self.path_table.follow(root, &path).inside().is_some();
        match is_here {
            true => Machine::Perhaps(path),
            false => Machine::Another,
        }
    }

    /// Whether a word names a file of another machine.
    pub(crate) fn is_on_another_machine(&self, word: &Word, effects: &Effects<'_>) -> bool {
        let name = word.literal();
        name.is_some_and(|name| matches!(self.on_machine(name, effects), Machine::Another))
    }

    /// Whether no directory stands at a name when the text comes to it.
    pub(crate) fn is_no_directory(&self, target: &str, at: Site<'_>) -> bool {
        if target.ends_with(['/', '.']) || !at.facts.makes_once {
            return false;
        }
        let directories = self.path_table.candidates(at.dirs);
        directories.is_some_and(|directories| {
            directories.into_iter().all(|directory| {
                let name = self.path_table.follow(directory, target);
                match name.inside() {
                    Some(inside) => !inside.is_directory,
                    None => self
                        .is_no_directory_outside(&go_on(&self.path_table.path(directory), target)),
                }
            })
        })
    }

    fn is_no_directory_outside(&self, path: &Path) -> bool {
        let resolver = self.path_table.resolver();
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            return false;
        };
        let above = resolver.real(above);
        let entries = above.and_then(|above| resolver.list(&above, MOST_ENTRIES));
        entries.is_some_and(|entries| {
            let mut named = entries.iter().filter(|entry| name == &*entry.name);
            named.all(|entry| entry.kind == ListedKind::Other)
        })
    }
}
