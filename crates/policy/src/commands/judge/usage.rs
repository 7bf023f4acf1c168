//! How a command uses a file.

use tenon_shell::FileAccess;

use crate::commands::words::Selection;
use crate::decision::PartKind;
use crate::rule::Kind;

/// How strictly a file in a command is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequiredCheck {
    /// Like a use by a file tool: it must be allowed.
    Full,
    /// Only rules that deny or ask count in the workspace; outside it must be allowed.
    Within,
    /// The same for a name that is known, but for the directories for temporary files and where the mode allows everything: who
    /// allows `cp` has not said that it may write to the home directory.
    Known,
    /// Only rules that deny or ask count.
    Strict,
}

impl RequiredCheck {
    /// Whether a use outside of the workspace must be allowed, given whether it is one of those that a rule on a program covers.
    pub(crate) fn is_due_outside(self, is_covered: impl FnOnce() -> bool) -> bool {
        match self {
            Self::Full | Self::Within => true,
            Self::Known => !is_covered(),
            Self::Strict => false,
        }
    }

    /// Whether only rules that deny or ask count for a name that is not known.
    pub(crate) const fn is_strict(self) -> bool {
        matches!(self, Self::Strict | Self::Known)
    }
}

/// How far a use of a name goes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Extent<'s> {
    /// To what is named.
    Itself,
    /// To what is chosen below it, too, where it is a directory.
    Below(&'s Selection),
}

/// Descriptors and what takes or gives nothing.
pub(crate) fn is_free(path: &str) -> bool {
    matches!(
        path,
        "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr"
    ) || path.strip_prefix("/dev/fd/").is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// What an operand is used for.
pub(crate) const fn file_kind(access: FileAccess) -> Kind {
    match access {
        FileAccess::Read => Kind::Read,
        FileAccess::Write => Kind::Write,
        FileAccess::Delete => Kind::Delete,
    }
}

pub(crate) const fn part_kind(kind: Kind) -> PartKind {
    match kind {
        Kind::Write => PartKind::Write,
        Kind::Delete => PartKind::Delete,
        _ => PartKind::Read,
    }
}

/// How a command uses a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usage<'s> {
    pub(crate) kind: Kind,
    pub(crate) duty: RequiredCheck,
    pub(crate) extent: Extent<'s>,
    /// Whether a link itself is used, and not what it leads to.
    pub(crate) is_of_entry: bool,
}

impl<'s> Usage<'s> {
    /// A use of what is named.
    pub(crate) const fn new(kind: Kind, duty: RequiredCheck) -> Self {
        Self {
            kind,
            duty,
            extent: Extent::Itself,
            is_of_entry: false,
        }
    }

    /// A use of which only rules that deny or ask count.
    pub(crate) const fn strict(kind: Kind) -> Self {
        Self::new(kind, RequiredCheck::Strict)
    }

    /// The same, as far as this.
    pub(crate) const fn to(self, extent: Extent<'s>) -> Self {
        Self { extent, ..self }
    }

    /// The same, of a link itself if this is so.
    pub(crate) const fn of_entry(self, is_of_entry: bool) -> Self {
        Self {
            is_of_entry,
            ..self
        }
    }

    /// Another one for each way of judging a use of a name.
    pub(crate) fn number(self) -> Option<u16> {
        let kind = match part_kind(self.kind) {
            PartKind::Write => 0,
            PartKind::Delete => 1,
            _ => 2,
        };
        let recursive = match self.extent {
            _ if self.is_of_entry => return None,
            Extent::Itself => 0,
            Extent::Below(selection) if selection.is_whole() => 1,
            // What is chosen differs.
            Extent::Below(_) => return None,
        };
        Some(kind * 8 + self.duty as u16 * 2 + recursive)
    }
}
