//! Operands whose use follows from their place, where a word can become several of them, or none: a pattern, a
//! substitution or variable without quotes, `"$@"`, the names that `xargs` adds. Such a word is used in every way that is
//! possible from its place on.

use super::file::{AccessScope, FileAccess, FileOperand, FileOperands, OperandWord};
use super::table::file;
use crate::word::{Part, Word};

/// Whether a word can become several operands.
pub(super) fn becomes_several(word: &Word) -> bool {
    word.expansion.splits || word.expansion.globs || word.expansion.braces
}

/// Whether a word can become no operand, so that those beside it take its place.
fn may_vanish(word: &Word) -> bool {
    let mut parts = word.parts.iter();
    word.expansion.splits && !parts.any(|part| matches!(part, Part::Text { .. }))
}

/// A use of a word that is only possible where the word becomes several.
pub(super) fn if_several(word: &Word, access: FileAccess) -> FileOperand<'_> {
    FileOperand {
        if_several: true,
        ..FileOperand::new(OperandWord::Argument(word), access)
    }
}

/// The first operand is used in one way, the others in another.
pub(super) fn first<'w>(
    operands: &[&'w Word],
    one: FileAccess,
    others: FileAccess,
    files: &mut FileOperands<'w>,
) {
    let mut is_first = true;
    for (place, word) in operands.iter().enumerate() {
        if is_first {
            files.push(file(word, one));
        }
        if place > 0 {
            files.push(file(word, others));
        } else if becomes_several(word) {
            files.push(if_several(word, others));
        }
        is_first &= may_vanish(word);
    }
}

/// The second of these operands, which is written: a word in the place of the first one can become both.
fn second_written<'w>(operands: &[&'w Word]) -> Option<FileOperand<'w>> {
    let second = operands.get(1).map(|word| file(word, FileAccess::Write));
    let both = || {
        let word = operands.first().filter(|word| becomes_several(word))?;
        Some(if_several(word, FileAccess::Write))
    };
    second.or_else(both)
}

/// The directory that a copy of a repository makes: what stands behind the address, else one with the last name of that.
pub(super) fn cloned<'w>(operands: &[&'w Word], files: &mut FileOperands<'w>) {
    files.extend(second_written(operands).or_else(|| named_by_address(operands)));
    // Behind `--` stand options of another program.
    let others = { operands.iter().skip(2) }.filter(|word| !word.prefix().starts_with('-'));
    files.extend(others.map(|word| file(word, FileAccess::Write)));
}

fn named_by_address<'w>(words: &[&'w Word]) -> Option<FileOperand<'w>> {
    let word = words.first()?;
    let text = word.literal()?.trim_end_matches('/');
    let text = text.strip_suffix("/.git").unwrap_or(text);
    let name = text.rsplit(['/', ':']).next()?;
    let name = name
        .strip_suffix(".git")
        .filter(|name| !name.is_empty())
        .unwrap_or(name);
    Some(FileOperand::written(OperandWord::value(name, word)))
}

/// What a program that copies does to its operands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Copying {
    /// Whether an option names the target, so that all operands are sources.
    pub(super) has_target: bool,
    /// Whether an option stands for a source, so that one operand is the target.
    pub(super) has_source: bool,
    /// Whether what is copied is removed.
    pub(super) deletes_sources: bool,
    /// Whether files of the target are removed.
    pub(super) deletes_target: bool,
    /// Whether a source that is a link is renamed itself.
    pub(super) renames: bool,
}

/// All operands but the last are read, and the last is written.
pub(super) fn copied<'w>(operands: &[&'w Word], copying: Copying, files: &mut FileOperands<'w>) {
    let is_last = |place: usize| {
        let behind = operands.get(place + 1..).unwrap_or_default();
        !copying.has_target && behind.iter().all(|word| may_vanish(word))
    };
    let of_source: &[FileAccess] = match copying.deletes_sources {
        true => &[FileAccess::Read, FileAccess::Delete],
        false => &[FileAccess::Read],
    };
    let of_target: &[FileAccess] = match copying.deletes_target {
        true => &[FileAccess::Write, FileAccess::Delete],
        false => &[FileAccess::Write],
    };
    for (place, word) in operands.iter().enumerate() {
        let several = becomes_several(word);
        let is_behind = place > 0 || copying.has_source;
        let is_target = is_behind && place + 1 == operands.len() && !copying.has_target;
        let as_source = (of_source, !is_target, !is_target || several);
        let as_target = (
            of_target,
            is_behind,
            is_last(place) && (is_behind || several),
        );
        let uses = match is_target {
            true => [as_target, as_source],
            false => [as_source, as_target],
        };
        for (accesses, is_sure, _) in uses.into_iter().filter(|(_, _, possible)| *possible) {
            let renames = copying.renames && std::ptr::eq(accesses, of_source);
            files.extend(accesses.iter().map(|access| {
                let used = match is_sure {
                    true => file(word, *access),
                    false => if_several(word, *access),
                };
                match renames {
                    true => used.reaching(AccessScope::Entry),
                    false => used,
                }
            }));
        }
    }
}
