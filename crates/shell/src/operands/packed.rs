//! `pax`, whose operands mean what their place says.

use super::arguments::split_of;
use super::file::{AccessScope, FileAccess, FileOperand, FileOperands, OperandWord};
use crate::word::Word;

fn add(files: &mut FileOperands<'_>, word: &Word, access: FileAccess, reach: AccessScope) {
    let word = OperandWord::Value(Box::new(word.clone()));
    files.push(FileOperand::new(word, access).reaching(reach));
}

/// The working directory with everything below it.
fn here(arguments: &[Word], access: FileAccess, reach: AccessScope, files: &mut FileOperands<'_>) {
    if let Some(word) = arguments.first() {
        add(files, &Word::synthetic(".", word.span), access, reach);
    }
}

/// `pax -r`, `pax -w FILES…`, `pax -rw FILES… DIRECTORY`
pub(super) fn pax<'w>(arguments: &'w [Word]) -> FileOperands<'w> {
    let split = split_of("pax", arguments);
    let mut files = FileOperands::new();
    let (reads, writes) = (split.has(&["r"]), split.has(&["w"]));
    let archive = if writes {
        FileAccess::Write
    } else {
        FileAccess::Read
    };
    for word in split.values(&["f"]) {
        add(&mut files, &word, archive, AccessScope::Named);
    }
    let (sources, target) = match split.operands.split_last() {
        Some((last, sources)) if reads && writes => (sources, Some(last)),
        _ => (&*split.operands, None),
    };
    if writes {
        for word in sources {
            add(&mut files, word, FileAccess::Read, AccessScope::Below);
        }
    }
    match target {
        Some(target) => add(&mut files, target, FileAccess::Write, AccessScope::Below),
        None if reads => here(arguments, FileAccess::Write, AccessScope::Below, &mut files),
        None => {}
    }
    files
}
