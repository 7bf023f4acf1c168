//! Archives whose operands mean what their place says: `pax`, `jar`.

use super::arguments::{Lenient, split_of};
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
        add(&mut files, word, archive, AccessScope::Named);
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

/// `jar cf ARCHIVE FILES…`, `jar --extract --file ARCHIVE`
pub(super) fn jar<'w>(arguments: &'w [Word]) -> FileOperands<'w> {
    let split = split_of("jar", arguments);
    let mut files: FileOperands<'w> = FileOperands::new();
    let creates = split.has(&["c", "u", "create", "update"]);
    let unpacks = split.has(&["x", "extract"]);
    let access = if creates {
        FileAccess::Write
    } else {
        FileAccess::Read
    };
    for word in split.values(&["f", "file"]) {
        add(&mut files, word, access, AccessScope::Named);
    }
    for word in split.values(&["m", "manifest"]) {
        add(&mut files, word, FileAccess::Read, AccessScope::Named);
    }
    let mut directory = false;
    for word in split.values(&["C", "dir"]) {
        directory = true;
        let access = if creates {
            FileAccess::Read
        } else {
            FileAccess::Write
        };
        add(&mut files, word, access, AccessScope::Below);
    }
    if creates {
        members(&split, directory, &mut files);
    }
    if unpacks && !directory {
        here(arguments, FileAccess::Write, AccessScope::Below, &mut files);
    }
    files
}

/// What goes into an archive; behind `-C DIRECTORY` a name is one of that directory.
fn members(split: &Lenient<'_>, directory: bool, files: &mut FileOperands<'_>) {
    for word in &split.operands {
        if !(directory && word.literal() == Some(".")) {
            add(files, word, FileAccess::Read, AccessScope::Below);
        }
    }
}
