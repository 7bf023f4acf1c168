//! Archives: what goes into them is read, what comes out of them is written.

use super::arguments::{Lenient, unknown_file};
use super::table::{PLAIN, Spec};
use super::{FileAccess, FileOperand, FileOperands, OperandWord};
use crate::Word;

/// `tar` is read by a function of its own.
const TAR: Spec = Spec {
    values: "fCTXbgHIKLNVF",
    long_values: &[
        "file",
        "directory",
        "files-from",
        "exclude-from",
        "exclude",
        "transform",
        "strip-components",
        "add-file",
        "index-file",
        "listed-incremental",
        "volno-file",
        "owner-map",
        "group-map",
        "owner",
        "group",
        "mode",
        "mtime",
        "label",
        "starting-file",
        "use-compress-program",
        "to-command",
        "info-script",
        "new-volume-script",
        "checkpoint-action",
        "rsh-command",
        "rmt-command",
        "format",
        "level",
        "sort",
        "suffix",
        "blocking-factor",
        "record-size",
        "tape-length",
        "newer",
        "xform",
        "warning",
    ],
    long_flags: &[
        "list",
        "checkpoint",
        "one-top-level",
        "extract",
        "get",
        "create",
        "append",
        "update",
        "concatenate",
        "catenate",
        "delete",
        "to-stdout",
        "remove-files",
        "wildcards",
    ],
    ..PLAIN
};

/// `unzip`, too. Everything behind `-x` is left out.
const UNZIP: Spec = Spec {
    values: "P",
    write_options: &["d"],
    ..PLAIN
};

/// Letters in front without a dash (`tar cfC a.tar folder`) take their values from the next words, one after the
/// other.
fn with_dashes(arguments: &[Word]) -> Vec<Word> {
    let Some((first, rest)) = arguments.split_first() else {
        return Vec::new();
    };
    let letters = first.literal().filter(|text| !text.starts_with('-'));
    let Some(letters) = letters else {
        return arguments.to_vec();
    };
    let mut rest = rest.iter();
    let mut words = Vec::with_capacity(arguments.len() + letters.len());
    for letter in letters.chars() {
        words.push(Word::synthetic(&format!("-{letter}"), first.span));
        if TAR.values.contains(letter) {
            words.extend(rest.next().cloned());
        }
    }
    words.extend(rest.cloned());
    words
}

/// Options of `tar` with which it makes or changes an archive.
const CREATES: &[&str] = &[
    "c",
    "r",
    "u",
    "A",
    "create",
    "append",
    "update",
    "concatenate",
    "catenate",
    "delete",
];

/// What goes into the archive, or comes out of it.
fn members(
    split: &Lenient<'_>,
    creates: bool,
    unpacks: bool,
    add: &mut impl FnMut(&Word, FileAccess),
) {
    for member in &split.operands {
        if creates {
            add(member, FileAccess::Read);
        } else if unpacks {
            add(member, FileAccess::Write);
        }
        if creates && split.has(&["remove-files"]) {
            add(member, FileAccess::Delete);
        }
    }
}

/// `tar`
pub(super) fn tar<'w>(arguments: &'w [Word]) -> FileOperands<'w> {
    let words = with_dashes(arguments);
    let split = TAR.split(&words);
    let creates = split.has(CREATES);
    let unpacks = split.has(&["x", "extract", "get"]) && !split.has(&["O", "to-stdout"]);
    let mut files: FileOperands<'w> = FileOperands::new();
    let mut add = |word: &Word, access| {
        files.push(FileOperand {
            word: OperandWord::Value(Box::new(word.clone())),
            access,
        });
    };
    let mut folder = false;
    for (name, value) in &split.options {
        let Some(value) = value else { continue };
        match *name {
            "f" | "file" if creates => add(value, FileAccess::Write),
            "f" | "file" | "X" | "exclude-from" | "add-file" | "owner-map" | "group-map" => {
                add(value, FileAccess::Read);
            }
            "T" | "files-from" => {
                add(value, FileAccess::Read);
                if creates {
                    add(
                        &unknown_file(value.span, FileAccess::Read).word,
                        FileAccess::Read,
                    );
                }
            }
            "index-file" | "g" | "listed-incremental" | "volno-file" => {
                add(value, FileAccess::Write);
            }
            "C" | "directory" | "one-top-level" => {
                folder = true;
                let access = if creates {
                    FileAccess::Read
                } else {
                    FileAccess::Write
                };
                add(value, access);
            }
            _ => {}
        }
    }
    members(&split, creates, unpacks, &mut add);
    let all = split.operands.is_empty() || split.has(&["wildcards"]);
    if unpacks && !folder && all {
        here(arguments, &mut add);
    }
    files
}

/// The working folder is written.
fn here(arguments: &[Word], add: &mut impl FnMut(&Word, FileAccess)) {
    if let Some(word) = arguments.first() {
        add(&Word::synthetic(".", word.span), FileAccess::Write);
    }
}

/// `unzip`, whose members are written into the folder of `-d`.
pub(super) fn unzip<'w>(arguments: &'w [Word]) -> FileOperands<'w> {
    let split = UNZIP.split(arguments);
    let looks = split.has(&["l", "t", "p", "c", "z", "Z", "v"]);
    let mut files: FileOperands<'w> = FileOperands::new();
    let mut add = |word: &Word, access| {
        files.push(FileOperand {
            word: OperandWord::Value(Box::new(word.clone())),
            access,
        });
    };
    let mut folder = false;
    for value in split.values(&["d"]) {
        folder = true;
        add(value, FileAccess::Write);
    }
    let mut operands = split.operands.iter();
    if let Some(archive) = operands.next() {
        add(archive, FileAccess::Read);
    }
    // What stands behind `-x` is left out, and patterns are the own ones of `unzip`.
    let mut all = split.has(&["x"]) || operands.len() == 0;
    for member in operands {
        all |= member.prefix().contains(['*', '?', '[']);
        if !looks {
            add(member, FileAccess::Write);
        }
    }
    if !looks && !folder && all {
        here(arguments, &mut add);
    }
    files
}
