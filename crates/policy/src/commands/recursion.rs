//! Programs that go into folders.

use tenon_shell::Word;

use super::strict::base_name;
use crate::rule::Kind;

/// Which folders a program goes into.
pub(crate) struct Recursion {
    reads: bool,
    writes: bool,
    deletes: bool,
    /// Whether it starts in the working folder when no operand names one.
    pub(crate) from_here: bool,
}

impl Recursion {
    pub(crate) fn of(words: &[Word]) -> Self {
        let name = words
            .first()
            .and_then(Word::literal)
            .map(base_name)
            .unwrap_or_default();
        let given = |letters: &[char], long: &[&str]| {
            words.iter().skip(1).filter_map(Word::literal).any(|text| {
                match text.strip_prefix("--") {
                    Some(option) => {
                        !option.is_empty() && long.iter().any(|known| known.starts_with(option))
                    }
                    None => text
                        .strip_prefix('-')
                        .is_some_and(|option| option.contains(letters)),
                }
            })
        };
        let recursive = given(&['r', 'R'], &["recursive", "dereference-recursive"]);
        let none = Self {
            reads: false,
            writes: false,
            deletes: false,
            from_here: false,
        };
        match name {
            "rm" | "chmod" | "chown" | "chgrp" => Self {
                writes: recursive,
                deletes: recursive,
                ..none
            },
            "cp" => {
                let archive = recursive || given(&['a'], &["archive"]);
                Self {
                    reads: archive,
                    writes: archive,
                    ..none
                }
            }
            "mv" => Self {
                reads: true,
                writes: false,
                deletes: true,
                ..none
            },
            "scp" | "zip" => Self {
                reads: recursive,
                writes: recursive,
                ..none
            },
            "rsync" | "tar" | "gtar" | "bsdtar" | "unzip" => Self {
                reads: true,
                writes: true,
                deletes: true,
                ..none
            },
            "find" | "gfind" => Self {
                deletes: true,
                ..none
            },
            "grep" | "egrep" | "fgrep" | "zgrep" => Self {
                reads: recursive,
                from_here: recursive,
                ..none
            },
            "rg" | "ag" | "ack" => Self {
                reads: true,
                from_here: true,
                ..none
            },
            _ => none,
        }
    }

    pub(crate) const fn reaches(&self, kind: Kind) -> bool {
        match kind {
            Kind::Write => self.writes,
            Kind::Delete => self.deletes,
            _ => self.reads,
        }
    }
}
