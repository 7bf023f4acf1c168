//! Files in what compilers are given for others: `gcc -Wl,-Map=out.map`, `rustc --emit=link=x -C link-arg=-Wl,…`.

use super::arguments::split_of;
use super::file::{FileAccess, FileOperand, FileOperands, OperandWord};
use crate::span::Span;
use crate::word::Word;

/// Options of compilers, behind `-f`, whose value is what they write.
const WRITING: &[&str] = &[
    "callgraph-info",
    "crash-diagnostics-dir",
    "diagnostics-add-output",
    "dump-",
    "modules-cache-path",
    "opt-info",
    "optimization-record-file",
    "profile-dir",
    "profile-generate",
    "profile-instr-generate",
    "save-optimization-record",
    "time-trace",
];

/// Adds those of a compiler of this name.
pub(super) fn add(name: &str, arguments: &[Word], files: &mut FileOperands<'_>) {
    match name {
        "rustc" | "rustdoc" => of_rustc(arguments, files),
        _ => of_compiler(arguments, files),
    }
}

/// Adds the files that a C compiler gets behind a comma, and by options that write what it finds out.
fn of_compiler(arguments: &[Word], files: &mut FileOperands<'_>) {
    let mut linker = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.prefix();
        if text == "-Xlinker" {
            linker.extend(words.next().cloned());
        } else if let Some(list) = text.strip_prefix("-Wl,") {
            let Some(_) = word.literal() else {
                unknown(list, &["Map", "-o"], word.span, files);
                continue;
            };
            linker.extend(
                list.split(',')
                    .map(|piece| Word::synthetic(piece, word.span)),
            );
        } else if let Some(list) = text.strip_prefix("-Wp,") {
            preprocessor(list, word, files);
        } else if let Some(list) = text.strip_prefix("-Wa,") {
            assembler(list, word, files);
        } else if let Some((_, value)) = text
            .strip_prefix("-f")
            .filter(|option| WRITING.iter().any(|name| option.starts_with(name)))
            .and_then(|option| option.split_once('='))
        {
            write(value, word, files);
        }
    }
    of_program("ld", &linker, files);
}

/// Adds what `rustc` has to write, and what it passes to the linker.
fn of_rustc(arguments: &[Word], files: &mut FileOperands<'_>) {
    let split = split_of("rustc", arguments);
    for value in split.values(&["emit"]) {
        let text = value.prefix();
        let paths = text.split(',').filter_map(|kind| kind.split_once('='));
        paths.for_each(|(_, path)| write(path, value, files));
    }
    let mut passed = Vec::new();
    for value in split.values(&["C", "codegen"]) {
        let text = value.prefix();
        let Some((name, given)) = text.split_once('=') else {
            continue;
        };
        match name {
            "link-arg" | "link-args" | "pre-link-args" => {
                let given = given.split([' ', '\t']);
                passed.extend(given.map(|piece| Word::synthetic(piece, value.span)));
            }
            "incremental" | "profile-generate" => write(given, value, files),
            "profile-use" => read(given, value, files),
            _ => {}
        }
    }
    of_program("gcc", &passed, files);
    of_compiler(&passed, files);
}

/// What another program would do with these arguments.
fn of_program(name: &str, words: &[Word], files: &mut FileOperands<'_>) {
    if words.is_empty() {
        return;
    }
    for file in super::table::of_row(name, words) {
        let word = OperandWord::Value(Box::new(Word::clone(&file.word)));
        files.push(FileOperand { word, ..file });
    }
}

fn preprocessor(list: &str, word: &Word, files: &mut FileOperands<'_>) {
    let mut pieces = list.split(',');
    while let Some(piece) = pieces.next() {
        match piece {
            "-MD" | "-MMD" | "-MF" => {
                pieces
                    .by_ref()
                    .take(1)
                    .for_each(|path| write(path, word, files));
            }
            "-include" | "-imacros" => {
                pieces
                    .by_ref()
                    .take(1)
                    .for_each(|path| read(path, word, files));
            }
            _ => {}
        }
    }
}

fn assembler(list: &str, word: &Word, files: &mut FileOperands<'_>) {
    let mut pieces = list.split(',');
    while let Some(piece) = pieces.next() {
        match piece.split_once('=') {
            Some((option, path)) if option.starts_with("-a") || option == "--MD" => {
                write(path, word, files);
            }
            None if matches!(piece, "-o" | "--MD") => {
                pieces
                    .by_ref()
                    .take(1)
                    .for_each(|path| write(path, word, files));
            }
            _ => {}
        }
    }
}

/// A word of which the end is not known, if one of these options is in it.
fn unknown(known: &str, marks: &[&str], span: Span, files: &mut FileOperands<'_>) {
    if marks.iter().any(|mark| known.contains(mark)) {
        files.push(super::arguments::unknown_file(span, FileAccess::Write));
    }
}

fn write(path: &str, word: &Word, files: &mut FileOperands<'_>) {
    add_file(path, word, FileAccess::Write, files);
}

fn read(path: &str, word: &Word, files: &mut FileOperands<'_>) {
    add_file(path, word, FileAccess::Read, files);
}

fn add_file(path: &str, word: &Word, access: FileAccess, files: &mut FileOperands<'_>) {
    let path = match word.literal() {
        Some(_) => OperandWord::value(path, word),
        None => super::arguments::opaque(path, word.span),
    };
    files.push(FileOperand::new(path, access));
}
