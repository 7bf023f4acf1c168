//! The files that a command names, found out once: most questions about a command begin with them.

use std::sync::OnceLock;

use super::file::{AccessScope, FileAccess, FileOperand, FileOperands, OperandWord};
use crate::word::Word;

/// What follows from the words of a command, once it was asked for: commands are equal whether that was done or not.
#[derive(Debug, Clone)]
pub(crate) struct Kept<T>(OnceLock<T>);

impl<T> Kept<T> {
    pub(crate) fn get(&self, find: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(find)
    }
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> PartialEq for Kept<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Kept<T> {}

/// The files of one command.
pub(crate) type KeptFiles = Kept<Box<[KeptOperand]>>;

/// The words of the command that keeps its files.
#[derive(Clone, Copy)]
pub(super) struct OwnWords<'c> {
    pub(super) normalized: &'c [Word],
    pub(super) written: &'c [Word],
}

impl KeptFiles {
    /// The files of the command of these words, which `find` finds.
    pub(super) fn of<'c>(
        &'c self,
        words: OwnWords<'c>,
        find: impl Fn() -> FileOperands<'c>,
    ) -> FileOperands<'c> {
        let keep = || find().into_iter().map(|file| KeptOperand::new(words, file));
        let kept = self.get(|| keep().collect());
        let files: Option<FileOperands<'c>> = kept.iter().map(|file| file.of(words)).collect();
        files.unwrap_or_else(find)
    }
}

/// A [`FileOperand`] that borrows nothing.
#[derive(Debug, Clone)]
pub(crate) struct KeptOperand {
    word: KeptWord,
    access: FileAccess,
    reach: AccessScope,
    if_several: bool,
}

/// A word of the command by its place, or one that was made of a part of one.
#[derive(Debug, Clone)]
enum KeptWord {
    Normalized(usize),
    Written(usize),
    Made(Box<Word>),
}

impl KeptOperand {
    fn new(words: OwnWords<'_>, file: FileOperand<'_>) -> Self {
        let word = match file.word {
            OperandWord::Value(word) => KeptWord::Made(word),
            OperandWord::Argument(word) => KeptWord::of(words, word),
        };
        Self {
            word,
            access: file.access,
            reach: file.reach,
            if_several: file.if_several,
        }
    }

    fn of<'c>(&'c self, words: OwnWords<'c>) -> Option<FileOperand<'c>> {
        let word = match &self.word {
            KeptWord::Normalized(place) => words.normalized.get(*place)?,
            KeptWord::Written(place) => words.written.get(*place)?,
            KeptWord::Made(word) => word,
        };
        Some(FileOperand {
            word: OperandWord::Argument(word),
            access: self.access,
            reach: self.reach,
            if_several: self.if_several,
        })
    }
}

impl KeptWord {
    fn of(words: OwnWords<'_>, word: &Word) -> Self {
        place_in(words.normalized, word)
            .map(Self::Normalized)
            .or_else(|| place_in(words.written, word).map(Self::Written))
            .unwrap_or_else(|| Self::Made(Box::new(word.clone())))
    }
}

/// The place of a word that is one of these.
fn place_in(words: &[Word], word: &Word) -> Option<usize> {
    let start = words.as_ptr().addr();
    let behind = std::ptr::from_ref(word).addr().checked_sub(start)?;
    let place = behind / size_of::<Word>();
    let known = words.get(place)?;
    std::ptr::eq(known, word).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::super::{find_named, named_files};
    use crate::{ShellGrammar, examine};

    #[test]
    fn files_that_are_kept_are_those_that_are_found() {
        for text in [
            "ls -la src",
            "git -C x diff --output=out HEAD -- a b",
            "tar czf out.tgz -C x a",
            "uniq $x y",
            "cargo --manifest-path=a/Cargo.toml --config b test",
            "sort -oout a < b",
        ] {
            let examination = examine(text, ShellGrammar::Bash);
            for command in examination.commands() {
                let found = find_named(command);
                for time in ["first", "again"] {
                    let kept = named_files(command);
                    let plain = |file: &crate::FileOperand<'_>| {
                        let word = (*file.word).clone();
                        (word, file.access, file.reach, file.if_several)
                    };
                    let kept: Vec<_> = kept.iter().map(plain).collect();
                    let found: Vec<_> = found.iter().map(plain).collect();
                    assert_eq!(kept, found, "{text}, {time}");
                }
            }
        }
    }
}
