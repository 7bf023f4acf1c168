//! An operand that names a file.

use std::ops::Deref;

use smallvec::SmallVec;

use crate::Word;

/// What a program does to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAccess {
    /// It reads the file or what is below the folder.
    Read,
    /// It creates, changes or overwrites the file, or something in the folder.
    Write,
    /// It removes the file or folder.
    Delete,
}

/// An operand, or the value of an option, that names a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOperand<'w> {
    /// The word, which can be opaque.
    pub word: OperandWord<'w>,
    /// What is done to the file.
    pub access: FileAccess,
}

/// The files of one command.
pub type FileOperands<'w> = SmallVec<[FileOperand<'w>; 4]>;

/// A word among the arguments, or one that was made of a part of one. Small, as lists of files are long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperandWord<'w> {
    /// An argument as it stands.
    Argument(&'w Word),
    /// The part of an argument that is the value of an option.
    Value(Box<Word>),
}

impl OperandWord<'_> {
    /// The value of an option that stands in the same word.
    pub(super) fn value(text: &str, word: &Word) -> Self {
        Self::Value(Box::new(Word::synthetic(text, word.span)))
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
