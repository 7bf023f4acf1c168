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
    const NONE: Self = Self {
        reads: false,
        writes: false,
        deletes: false,
        from_here: false,
    };

    /// What the program with these arguments does.
    pub(crate) fn of(words: &[Word]) -> Self {
        let name = words.first().and_then(Word::literal).map(base_name);
        let recursive = || is_given(words, &['r', 'R'], &["recursive", "dereference-recursive"]);
        match name.unwrap_or_default() {
            "rm" | "chmod" | "chown" | "chgrp" => {
                let recursive = recursive();
                Self {
                    writes: recursive,
                    deletes: recursive,
                    ..Self::NONE
                }
            }
            "cp" => Self::copying(recursive() || is_given(words, &['a'], &["archive"])),
            "scp" | "zip" => Self::copying(recursive()),
            "mv" => Self {
                reads: true,
                deletes: true,
                ..Self::NONE
            },
            "rsync" | "tar" | "gtar" | "bsdtar" | "unzip" => Self {
                deletes: true,
                ..Self::copying(true)
            },
            "find" | "gfind" => Self {
                deletes: true,
                ..Self::NONE
            },
            "grep" | "egrep" | "fgrep" | "zgrep" => Self::searching(recursive()),
            "rg" | "ag" | "ack" => Self::searching(true),
            _ => Self::NONE,
        }
    }

    const fn copying(into_folders: bool) -> Self {
        Self {
            reads: into_folders,
            writes: into_folders,
            ..Self::NONE
        }
    }

    const fn searching(into_folders: bool) -> Self {
        Self {
            reads: into_folders,
            from_here: into_folders,
            ..Self::NONE
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

/// Whether one of these options stands among the arguments: a letter in any cluster, a long one perhaps abbreviated.
fn is_given(words: &[Word], letters: &[char], long: &[&str]) -> bool {
    let arguments = words.iter().skip(1).filter_map(Word::literal);
    arguments
        .into_iter()
        .any(|text| match text.strip_prefix("--") {
            Some(option) => {
                !option.is_empty() && long.iter().any(|known| known.starts_with(option))
            }
            None => text
                .strip_prefix('-')
                .is_some_and(|option| option.contains(letters)),
        })
}
