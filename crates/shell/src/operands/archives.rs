//! Archives: what goes into them is read, what comes out of them is written.

use tenon_programs::{Effects, OptionTable, Value};

use super::arguments::{Lenient, does, split_of, unknown_file};
use super::file::{AccessScope, FileAccess, FileOperand, FileOperands, OperandWord};
use crate::word::Word;

/// Formats that `-H` of GNU tar names; with another value it is the flag of bsdtar, which macOS calls `tar`.
const FORMATS: &[&str] = &["gnu", "oldgnu", "pax", "posix", "ustar", "v7"];

/// Letters in front without a dash (`tar cfC a.tar directory`) take their values from the next words, one after the
/// other.
pub(super) fn with_dashes(name: &str, arguments: &[Word]) -> Vec<Word> {
    let Some((first, rest)) = arguments.split_first() else {
        return Vec::new();
    };
    let letters = first.literal().filter(|text| !text.starts_with('-'));
    let Some(letters) = letters else {
        return arguments.to_vec();
    };
    let options = tenon_programs::find(name).map_or(&[][..], |program| program.options);
    let has_value = |letter| {
        let option = options.letter(letter);
        option.is_some_and(|(_, value)| value == Value::Next)
    };
    let mut rest = rest.iter();
    let mut words = Vec::with_capacity(arguments.len() + letters.len());
    for letter in letters.chars() {
        words.push(Word::synthetic(&format!("-{letter}"), first.span));
        if has_value(letter) {
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

/// Adds a word that need not be one of the arguments.
pub(super) fn add(files: &mut FileOperands<'_>, word: &Word, access: FileAccess) {
    files.push(FileOperand::new(
        OperandWord::Value(Box::new(word.clone())),
        access,
    ));
}

/// What goes into the archive, or comes out of it.
fn members(split: &Lenient<'_>, creates: bool, unpacks: bool, files: &mut FileOperands<'_>) {
    let removes = creates && split.has(&["remove-files"]);
    let values = split.options.iter().filter_map(|(name, value)| {
        let value = value.as_deref()?;
        is_operand_to_bsd(name, &value.prefix()).then_some(value)
    });
    for member in split.operands.iter().copied().chain(values) {
        if creates {
            add(files, member, FileAccess::Read);
            // bsdtar takes what is in another archive.
            if let Some(archive) = member.prefix().strip_prefix('@') {
                add(
                    files,
                    &Word::synthetic(archive, member.span),
                    FileAccess::Read,
                );
            }
        } else if unpacks {
            add(files, member, FileAccess::Write);
        }
        if removes {
            add(files, member, FileAccess::Delete);
        }
    }
}

/// The names of the archives that the arguments of `tar` give.
pub(crate) fn tar_archives(arguments: &[Word]) -> Vec<Word> {
    let words = with_dashes("tar", arguments);
    let split = split_of("tar", &words);
    let archives = split.values(&["f", "file"]);
    archives.map(|archive| Word::clone(archive)).collect()
}

/// `tar`, which is that of BSD on some systems.
pub(super) fn tar<'w>(arguments: &'w [Word]) -> FileOperands<'w> {
    archive("tar", arguments)
}

/// `bsdtar`
pub(super) fn bsdtar<'w>(arguments: &'w [Word]) -> FileOperands<'w> {
    archive("bsdtar", arguments)
}

/// Whether what stands behind this option of GNU tar is an operand to the other one.
fn is_operand_to_bsd(name: &str, value: &str) -> bool {
    match name {
        "H" => !FORMATS.contains(&value),
        "L" => value.bytes().any(|byte| !byte.is_ascii_digit()),
        _ => false,
    }
}

fn archive<'w>(name: &str, arguments: &'w [Word]) -> FileOperands<'w> {
    let words = with_dashes(name, arguments);
    let split = split_of(name, &words);
    let is_bsd = name == "bsdtar";
    let creates = split.has(CREATES);
    let unpacks = split.has(&["x", "extract", "get"]) && !split.has(&["O", "to-stdout"]);
    let mut files: FileOperands<'w> = FileOperands::new();
    let mut directory = false;
    for (name, value) in &split.options {
        let Some(value) = value else { continue };
        match *name {
            "f" | "file" if creates => add(&mut files, value, FileAccess::Write),
            "f" | "file" | "X" | "exclude-from" | "add-file" | "owner-map" | "group-map" => {
                add(&mut files, value, FileAccess::Read);
            }
            "I" if !is_bsd => {}
            "T" | "I" | "files-from" => {
                add(&mut files, value, FileAccess::Read);
                if creates {
                    add(
                        &mut files,
                        &unknown_file(value.span, FileAccess::Read).word,
                        FileAccess::Read,
                    );
                }
            }
            "index-file" | "g" | "listed-incremental" | "volno-file" => {
                add(&mut files, value, FileAccess::Write);
            }
            "C" | "directory" | "one-top-level" => {
                directory = true;
                let access = if creates {
                    FileAccess::Read
                } else {
                    FileAccess::Write
                };
                add(&mut files, value, access);
            }
            _ => {}
        }
    }
    members(&split, creates, unpacks, &mut files);
    let other_names = ["wildcards", "transform", "xform", "s", "strip-components"];
    let all = split.operands.is_empty() || split.has(&other_names);
    if unpacks && !directory && all {
        written_below(".", arguments, &mut files);
    }
    if unpacks && split.has(&["P", "absolute-names", "absolute-paths"]) {
        written_below("/", arguments, &mut files);
    }
    files
}

/// This directory is written: the working directory, or with absolute names in an archive any.
fn written_below(directory: &str, arguments: &[Word], files: &mut FileOperands<'_>) {
    if let Some(word) = arguments.first() {
        add(
            files,
            &Word::synthetic(directory, word.span),
            FileAccess::Write,
        );
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

/// `unzip`, whose members are written into the directory of `-d`.
pub(super) fn unzip<'w>(arguments: &'w [Word]) -> FileOperands<'w> {
    let split = split_of("unzip", arguments);
    let looks = split.has(&["l", "t", "p", "c", "z", "Z", "v"]);
    let mut files: FileOperands<'w> = FileOperands::new();
    let mut directory = false;
    for value in split.values(&["d"]) {
        directory = true;
        add(&mut files, value, FileAccess::Write);
    }
    let mut operands = split.operands.iter();
    if let Some(archive) = operands.next() {
        add(&mut files, archive, FileAccess::Read);
    }
    // What stands behind `-x` is left out, and patterns are the own ones of `unzip`.
    let mut all = split.has(&["x"]) || operands.len() == 0;
    for member in operands {
        all |= member.prefix().contains(['*', '?', '[']);
        if !looks {
            add(&mut files, member, FileAccess::Write);
        }
    }
    if !looks && !directory && all {
        written_below(".", arguments, &mut files);
    }
    // Names in the archive may lead upwards.
    if !looks && split.has(&[":"]) {
        written_below("/", arguments, &mut files);
    }
    files
}

/// What a switch of 7z takes in, or the list that it reads: `-i!name`, `-ir@list`, `-x@list`.
fn included(word: &Word) -> Option<FileOperand<'_>> {
    let text = word.prefix();
    let behind = text
        .strip_prefix("-i")
        .or_else(|| text.strip_prefix("-x"))?;
    let (mark, path) = behind.char_indices().find_map(|(at, sign)| {
        let is_mark = matches!(sign, '!' | '@');
        is_mark.then_some((sign, behind.get(at + 1..)?))
    })?;
    let is_open = word.is_opaque() || mark == '!' && path.contains(['*', '?']);
    if is_open {
        return (!text.starts_with("-x")).then(|| unknown_file(word.span, FileAccess::Read));
    }
    let named = FileOperand::new(OperandWord::value(path, word), FileAccess::Read);
    match (mark, text.starts_with("-x")) {
        ('@', _) => Some(named),
        (_, true) => None,
        _ => Some(named.reaching(AccessScope::Below)),
    }
}

/// `7z COMMAND ARCHIVE FILES…`; `-oDIRECTORY` says where to unpack.
pub(super) fn seven_zip<'w>(arguments: &'w [Word]) -> FileOperands<'w> {
    let mut files: FileOperands<'w> = FileOperands::new();
    let is_option = |word: &&Word| word.prefix().starts_with('-');
    let mut operands = arguments.iter().filter(|word| !is_option(word));
    let command = operands.next().and_then(Word::literal).unwrap_or_default();
    let unpacks = matches!(command, "x" | "e");
    let changes = matches!(command, "a" | "u" | "d" | "rn");
    let archive = if changes {
        FileAccess::Write
    } else {
        FileAccess::Read
    };
    files.extend(
        operands
            .next()
            .map(|word| super::table::file(word, archive)),
    );
    files.extend(arguments.iter().filter_map(included));
    if matches!(command, "a" | "u") {
        let deletes = arguments.iter().any(|word| word.literal() == Some("-sdel"));
        for word in operands.by_ref() {
            // Names of files stand in that one.
            if word.prefix().starts_with('@') {
                files.push(unknown_file(word.span, FileAccess::Read));
            }
            files.push(super::table::file(word, FileAccess::Read).reaching(AccessScope::Below));
            if deletes {
                files.push(
                    super::table::file(word, FileAccess::Delete).reaching(AccessScope::Below),
                );
            }
        }
    }
    if !unpacks {
        return files;
    }
    let members = operands.map(|word| super::table::file(word, FileAccess::Write));
    files.extend(members);
    let target = arguments
        .iter()
        .find(|word| word.prefix().starts_with("-o"));
    let target = match (target, target.and_then(|word| word.literal())) {
        (Some(word), Some(text)) => OperandWord::value(text.get(2..).unwrap_or_default(), word),
        (Some(word), None) => unknown_file(word.span, FileAccess::Write).word,
        (None, _) => {
            let Some(first) = arguments.first() else {
                return files;
            };
            OperandWord::value(".", first)
        }
    };
    files.push(FileOperand::new(target, FileAccess::Write).reaching(AccessScope::Below));
    files
}

/// `cpio`, whose names of files come from its input.
pub(super) fn cpio<'w>(arguments: &'w [Word]) -> FileOperands<'w> {
    let split = split_of("cpio", arguments);
    let mut files: FileOperands<'w> = FileOperands::new();
    for (name, value) in &split.options {
        let Some(word) = value else { continue };
        if does("cpio", name, Effects::READ) {
            files.push(FileOperand::new(word.clone(), FileAccess::Read));
        }
        if does("cpio", name, Effects::WRITE) || matches!(*name, "F" | "file") {
            files.push(FileOperand::new(word.clone(), FileAccess::Write));
        }
    }
    let Some(first) = arguments.first() else {
        return files;
    };
    if split.has(&["o", "create", "p", "pass-through"]) {
        files.push(unknown_file(first.span, FileAccess::Read));
    }
    if split.has(&["p", "pass-through"]) {
        let target = split.operands.iter();
        let target = target.map(|word| super::table::file(word, FileAccess::Write));
        files.extend(target.map(|file| file.reaching(AccessScope::Below)));
    }
    if split.has(&["i", "extract"]) && !split.has(&["t", "list", "to-stdout"]) {
        let here = OperandWord::value(".", first);
        files.push(FileOperand::new(here, FileAccess::Write).reaching(AccessScope::Below));
    }
    files
}
