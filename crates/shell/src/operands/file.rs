//! An operand that names a file.

use std::ops::Deref;

use smallvec::SmallVec;

use crate::span::Span;
use crate::word::Word;

/// What a program does to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileAccess {
    /// It reads the file or what is below the directory.
    Read,
    /// It creates, changes or overwrites the file, or something in the directory.
    Write,
    /// It removes the file or directory.
    Delete,
}

/// How far a use of a file goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AccessScope {
    /// To what is named; into a directory as far as the options of the program say.
    #[default]
    Named,
    /// To the name itself: of a link the link, and not what it leads to, unless a slash is behind it.
    Entry,
    /// To the file itself, which holds what is looked for or left out: what is searched are the other operands, or the directory.
    Patterns,
    /// To every file at or below the name.
    Below,
    /// The same of a directory that a program empties for what it puts there: what was there need not be its own.
    Emptied,
    /// The same, as a container is given it: what runs there, which is not known, reads or writes any of it.
    Mounted,
    /// To every file at or below a name that continues from the top of the work tree.
    BelowFromTop,
    /// To files below the directory whose names the program takes from elsewhere: from an archive, a patch, a server.
    Unpacked,
    /// To a name that the program makes of this word, in which a star stands for what it chooses itself: letters and
    /// digits.
    Made,
    /// To the file, or to what git tracks below the directory. The name can be a pattern of git.
    Tracked,
    /// The same where it becomes what another revision holds, which can hold files that are not tracked now.
    Brought,
    /// As [`Tracked`](Self::Tracked) for a name that continues from the top of the work tree.
    TrackedFromTop,
    /// The same for a name of something that is there; else the name is a revision, and it goes to everything that git
    /// tracks.
    TrackedOrAll,
    /// To everything that git tracks in the work tree.
    All,
    /// The same, as far as it is known: a revision shows it.
    Shown,
    /// To the file of this name; where nothing has it, the name is a revision, which shows everything that git tracks.
    NamedOrShown,
    /// To everything that is tracked in the repository at this name, and, where one is there, in the one that git works in: one gives
    /// it to the other.
    Repository,
    /// To files at or below the name that git neither tracks nor ignores: it takes them in, or removes them. The name can be a
    /// pattern of git.
    Untracked,
    /// The same for a name that continues from the top of the work tree.
    UntrackedFromTop,
    /// To files at or below the name that git does not track, whether it ignores them or not.
    UntrackedOrIgnored,
    /// The same for a name that continues from the top of the work tree.
    UntrackedOrIgnoredFromTop,
}

impl AccessScope {
    /// Whether it goes to what is below the name.
    #[must_use]
    pub const fn goes_below(self) -> bool {
        matches!(
            self,
            Self::Below | Self::Emptied | Self::Mounted | Self::BelowFromTop | Self::Unpacked
        )
    }

    /// Whether it is about what git tracks, or does not, and not about a path.
    #[must_use]
    pub const fn is_of_work_tree(self) -> bool {
        !self.goes_below()
            && !matches!(
                self,
                Self::Named | Self::Entry | Self::Patterns | Self::Made
            )
    }
}

/// An operand, or the value of an option, that names a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOperand<'w> {
    /// The word, which can be opaque.
    pub word: OperandWord<'w>,
    /// What is done to the file.
    pub access: FileAccess,
    /// How far that goes.
    pub reach: AccessScope,
    /// Whether that is only done where the word becomes several: `uniq $x` writes what the second word of `$x` names.
    pub if_several: bool,
}

impl<'w> FileOperand<'w> {
    /// A use of what is named.
    pub(super) fn new(word: OperandWord<'w>, access: FileAccess) -> Self {
        Self {
            word,
            access,
            reach: AccessScope::Named,
            if_several: false,
        }
    }

    /// A file that is read.
    pub(super) fn read(word: OperandWord<'w>) -> Self {
        Self::new(word, FileAccess::Read)
    }

    /// A file that is written.
    pub(super) fn written(word: OperandWord<'w>) -> Self {
        Self::new(word, FileAccess::Write)
    }

    /// A file that is removed.
    pub(super) fn deleted(word: OperandWord<'w>) -> Self {
        Self::new(word, FileAccess::Delete)
    }

    /// Whether the name may be that of a remote of git, where no such directory is there.
    #[must_use]
    pub fn may_be_remote(&self) -> bool {
        let name = self.word.prefix();
        self.reach == AccessScope::Repository && !name.starts_with('.') && !name.contains('/')
    }

    /// The same use, which goes that far.
    pub(super) fn reaching(self, reach: AccessScope) -> Self {
        Self { reach, ..self }
    }
}

/// The files of one command.
pub type FileOperands<'w> = SmallVec<[FileOperand<'w>; 4]>;

/// A word among the arguments, or one that was made of a part of one. Small, as lists of files are long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperandWord<'w> {
    /// An argument as it is.
    Argument(&'w Word),
    /// The part of an argument that is the value of an option.
    Value(Box<Word>),
}

impl OperandWord<'_> {
    /// This text, which stands at that place.
    pub(super) fn synthetic(text: &str, span: Span) -> Self {
        Self::Value(Box::new(Word::synthetic(text, span)))
    }

    /// The value of an option that stands in the same word.
    pub(super) fn value(text: &str, word: &Word) -> Self {
        Self::synthetic(text, word.span)
    }
}

impl Deref for OperandWord<'_> {
    type Target = Word;

    fn deref(&self) -> &Word {
        match self {
            Self::Argument(word) => word,
            Self::Value(word) => word,
        }
    }
}
