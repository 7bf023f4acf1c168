//! Programs that go into directories.

use tenon_programs::{Effects, Program};
use tenon_shell::{FileAccess, Word};

use crate::commands::words::options::gives;
use crate::commands::words::unpacks;

/// Which directories a program goes into.
pub(crate) struct Recursion {
    reads: bool,
    writes: bool,
    deletes: bool,
    /// Whether it starts in the working directory when no operand names one.
    pub(crate) from_here: bool,
    /// Whether what it writes lies below a directory that need not be there yet.
    pub(crate) unpacks: bool,
    /// Whether it reads below directories only if a word that cannot be determined is an option.
    perhaps: bool,
}

impl Recursion {
    const NONE: Self = Self {
        reads: false,
        writes: false,
        deletes: false,
        from_here: false,
        unpacks: false,
        perhaps: false,
    };

    /// What the program with these arguments does.
    pub(crate) fn of((name, program): (&str, Option<&Program>), words: &[Word]) -> Self {
        if name == "git" {
            return Self::of_git(words);
        }
        let Some(program) = program else {
            return Self::NONE;
        };
        let Some(below) = program.below else {
            return Self::NONE;
        };
        let given = !below.by_option || gives(program, words, Effects::BELOW);
        if below.here && below.by_option {
            return searching_by_option(words, given || by_directories(words));
        }
        let deletes = || below.reads && gives(program, words, Effects::DELETES_SOURCES);
        Self {
            reads: below.reads && given,
            writes: below.writes && given,
            deletes: (below.deletes || deletes()) && given,
            from_here: below.here && given,
            unpacks: name == "unzip"
                || matches!(name, "tar" | "bsdtar" | "patch") && unpacks(words),
            perhaps: false,
        }
    }

    fn of_git(words: &[Word]) -> Self {
        match words.get(1).and_then(Word::literal) {
            Some("diff") => Self {
                reads: true,
                ..Self::NONE
            },
            _ => Self::NONE,
        }
    }

    const fn searching(into_directories: bool) -> Self {
        Self {
            reads: into_directories,
            from_here: into_directories,
            ..Self::NONE
        }
    }

    /// The same where the words that cannot be determined are no options.
    pub(crate) const fn without_options(self) -> Self {
        Self {
            reads: self.reads && !self.perhaps,
            ..self
        }
    }

    /// Whether a word that cannot be determined decides.
    pub(crate) const fn is_open(&self) -> bool {
        self.perhaps
    }

    /// Whether it goes below a directory in any way.
    pub(crate) const fn goes_below(&self) -> bool {
        self.reads || self.writes || self.deletes || self.from_here
    }

    /// Whether such a use of an operand goes below it.
    pub(crate) const fn reaches(&self, access: FileAccess) -> bool {
        match access {
            FileAccess::Write => self.writes,
            FileAccess::Delete => self.deletes,
            FileAccess::Read => self.reads,
        }
    }
}

/// A word that cannot be determined may be the option; one alone is more likely what is looked for.
fn searching_by_option(words: &[Word], given: bool) -> Recursion {
    let perhaps = words.iter().skip(1).any(|word| {
        word.is_opaque() && (word.prefix().starts_with('-') || word.prefix().is_empty())
    });
    Recursion {
        reads: given || perhaps,
        perhaps: perhaps && !given,
        ..Recursion::searching(given)
    }
}

/// `grep -d recurse` in any spelling: GNU takes the start of the value, too.
fn by_directories(words: &[Word]) -> bool {
    let recurses = |value: &str| !value.is_empty() && "recurse".starts_with(value);
    words.iter().zip(1..).any(|(word, next)| {
        let Some(text) = word.literal().filter(|text| text.starts_with('-')) else {
            return false;
        };
        let behind = || {
            let next = words.get(next).map(Word::literal);
            next.is_some_and(|text| text.is_none_or(recurses))
        };
        match text.strip_prefix("--") {
            Some(long) => {
                let (name, value) = long.split_once('=').unwrap_or((long, ""));
                let named = !name.is_empty() && "directories".starts_with(name);
                named && (recurses(value) || (value.is_empty() && behind()))
            }
            None => text
                .split_once('d')
                .is_some_and(|(_, value)| recurses(value) || (value.is_empty() && behind())),
        }
    })
}
