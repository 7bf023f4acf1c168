//! Files in what programs are given for others, or in settings: `gcc -Wl,-Map=out.map`, `rustc --emit=link=x -C link-arg=-Wl,…`.

use tenon_programs::words::compilers::WRITING;

use super::arguments::{part_of, split_of, unknown_file};
use super::file::{AccessScope, FileAccess, FileOperand, FileOperands, OperandWord};
use crate::span::Span;
use crate::unwrap::options::at_dashes;
use crate::word::Word;

/// Adds those of a compiler of this name.
pub(super) fn add(name: &str, arguments: &[Word], files: &mut FileOperands<'_>) {
    match name {
        "rustc" | "rustdoc" => of_rustc(arguments, files),
        _ => of_compiler(arguments, files),
    }
}

/// Adds those of a tool for projects.
pub(super) fn add_of_tool<'w>(name: &str, arguments: &'w [Word], files: &mut FileOperands<'w>) {
    match name {
        "cargo" => behind_cargo(arguments, files),
        "go" => of_go(arguments, files),
        "pytest" => of_pytest(arguments, files),
        _ => {}
    }
}

/// Adds what cargo passes on behind `--` to the compiler, and to the tests that it builds.
fn behind_cargo<'w>(arguments: &'w [Word], files: &mut FileOperands<'w>) {
    let mut operands = arguments.iter().filter_map(Word::literal);
    let command = operands.find(|text| !text.starts_with('-'));
    let behind = at_dashes(arguments).1.unwrap_or_default();
    // All packages are formatted from wherever in the workspace of cargo.
    let is_all = |word: &&Word| matches!(word.literal(), Some("--all" | "--workspace"));
    let writes = files.iter().any(|file| file.access == FileAccess::Write);
    if matches!(command, Some("fmt" | "fix" | "clippy"))
        && writes
        && let Some(word) = arguments.iter().find(is_all)
    {
        let top = FileOperand::written(OperandWord::value(".", word));
        files.push(top.reaching(AccessScope::All));
    }
    match command {
        Some(name @ ("rustc" | "rustdoc")) => {
            files.extend(super::table::of_row(name, behind));
            add(name, behind, files);
        }
        Some("clippy") => {
            files.extend(super::table::of_row("rustc", behind));
            add("rustc", behind, files);
        }
        Some("test" | "t" | "bench") => {
            for value in values_of("--logfile", behind) {
                files.push(FileOperand::written(value));
            }
        }
        _ => {}
    }
}

/// Adds what the compiler, the assembler and the linker of Go get by `-gcflags` and its like, which is for the packages of a pattern
/// where one stands in front: `-gcflags='all=-N -l'`.
fn of_go(arguments: &[Word], files: &mut FileOperands<'_>) {
    let split = split_of("go", arguments);
    for value in split.values(&["gcflags", "asmflags", "ldflags", "gccgoflags"]) {
        let text = value.prefix();
        let start = text.find('-').unwrap_or(text.len());
        let flags = text.get(start..).unwrap_or_default().split_whitespace();
        let plain = flags.map(|flag| flag.trim_matches(['\'', '"']));
        let passed: Vec<Word> = plain
            .map(|flag| Word::synthetic(flag, value.span))
            .collect();
        of_program("go", &passed, files);
    }
}

/// Adds what settings of pytest, reports and traces write.
fn of_pytest<'w>(arguments: &'w [Word], files: &mut FileOperands<'w>) {
    let split = split_of("pytest", arguments);
    for value in split.values(&["o", "override-ini"]) {
        let text = value.prefix();
        let is_file = |name: &str| ["log_file", "cache_dir"].contains(&name.trim());
        if let Some((_, path)) = text.split_once('=').filter(|(name, _)| is_file(name)) {
            write(path.trim_start(), &value, files);
        }
    }
    for value in split.values(&["cov-report"]) {
        let text = value.prefix();
        if let Some((_, path)) = text.split_once(':') {
            write(path, &value, files);
        }
    }
}

/// The values of an option, in the same word or in the next one.
fn values_of<'w>(option: &str, words: &'w [Word]) -> Vec<OperandWord<'w>> {
    let mut found = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let text = word.prefix();
        let Some(value) = text.strip_prefix(option) else {
            continue;
        };
        match value.strip_prefix('=') {
            Some(value) => found.push(part_of(value, word)),
            None if value.is_empty() => {
                found.extend(words.get(place + 1).map(OperandWord::Argument));
            }
            None => {}
        }
    }
    found
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
        paths.for_each(|(_, path)| write(path, &value, files));
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
            "incremental" | "profile-generate" => write(given, &value, files),
            "profile-use" => read(given, &value, files),
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
        files.push(unknown_file(span, FileAccess::Write));
    }
}

fn write(path: &str, word: &Word, files: &mut FileOperands<'_>) {
    add_file(path, word, FileAccess::Write, files);
}

fn read(path: &str, word: &Word, files: &mut FileOperands<'_>) {
    add_file(path, word, FileAccess::Read, files);
}

fn add_file(path: &str, word: &Word, access: FileAccess, files: &mut FileOperands<'_>) {
    files.push(FileOperand::new(part_of(path, word), access));
}
