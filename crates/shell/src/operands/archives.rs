//! What programs for archives do beside what their rows say.

use super::arguments::{GivenValue as _, part_of, split_of, unknown_file};
use super::file::{FileAccess, FileOperand, FileOperands, OperandWord};
use crate::word::Word;

/// Formats that `-H` of GNU tar names; with another value it is the flag of bsdtar, which macOS calls `tar`.
const FORMATS: &[&str] = &["gnu", "oldgnu", "pax", "posix", "ustar", "v7"];

/// The names of the archives that the arguments of `tar` give.
pub(crate) fn tar_archives(arguments: &[Word]) -> Vec<Word> {
    let split = split_of("tar", arguments);
    let archives = split.values(&["f", "file"]);
    archives.map(|archive| Word::clone(&archive)).collect()
}

/// What `tar` does that its row cannot say.
pub(super) fn beside_tar<'w>(arguments: &'w [Word], files: &mut FileOperands<'w>) {
    let split = split_of("tar", arguments);
    let unpacks = split.has(&["x", "extract", "get"]);
    for given in &split.options {
        let value = given.value_word();
        let is_operand = |value: &OperandWord<'_>| is_operand_to_bsd(given.name, &value.prefix());
        let Some(value) = value.filter(is_operand) else {
            continue;
        };
        let access = if unpacks {
            FileAccess::Write
        } else {
            FileAccess::Read
        };
        files.push(FileOperand::new(value, access));
    }
    beside_bsdtar(files);
}

/// bsdtar takes what is in another archive.
pub(super) fn beside_bsdtar(files: &mut FileOperands<'_>) {
    let taken: Vec<FileOperand<'_>> = files.iter().filter_map(|file| listed(&file.word)).collect();
    files.extend(taken);
}

/// 7z and rar take names of files out of a list.
pub(super) fn beside_lists<'w>(files: &mut FileOperands<'w>) {
    let lists: Vec<FileOperand<'w>> = files.iter().filter_map(|file| listed(&file.word)).collect();
    for list in lists {
        files.push(unknown_file(list.word.span, FileAccess::Read));
        files.push(list);
    }
}

/// The file of `@file`.
fn listed<'w>(word: &Word) -> Option<FileOperand<'w>> {
    let text = word.prefix();
    let name = text.strip_prefix('@')?;
    Some(FileOperand::read(part_of(name, word)))
}

/// Whether what stands behind this option of GNU tar is an operand to the other one.
fn is_operand_to_bsd(name: &str, value: &str) -> bool {
    match name {
        "H" => !FORMATS.contains(&value),
        "L" => value.bytes().any(|byte| !byte.is_ascii_digit()),
        _ => false,
    }
}

/// The arguments of `zip` without the patterns of what it leaves out (`-x`), where these are the last.
pub(super) fn without_list(arguments: &[Word]) -> &[Word] {
    let begins = |word: &Word| matches!(word.literal(), Some("-x" | "--exclude"));
    let Some(place) = arguments.iter().position(begins) else {
        return arguments;
    };
    let (before, list) = arguments.split_at(place);
    let goes_on = |word: &Word| {
        let text = word.prefix();
        word.expansion.splits || text.starts_with('-') || text == "@"
    };
    if list.iter().skip(1).any(goes_on) {
        arguments
    } else {
        before
    }
}
