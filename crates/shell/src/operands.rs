//! Which operands of common programs are files, and what is done to them.
//!
//! Best effort: the table knows the everyday programs and takes an option that it does not know for a flag. It can
//! only add to what a rule sees, never take away. A directory stands for everything below it.

mod archives;
mod arguments;
mod awk;
mod fetching;
mod file;
mod git;
mod packed;
mod passed_on;
mod projects;
mod special;
mod transfers;

pub(crate) use archives::tar_archives;
pub use file::{AccessScope, FileAccess, FileOperand, FileOperands, OperandWord};
pub use projects::{Projects, projects};

use crate::Word;
use arguments::Lenient;
use tenon_programs::{Effects, Program, Role, Traits, Value};

/// Options whose file names other files.
const LISTS: &[&str] = &[
    "files0-from",
    "files-from",
    "files",
    "files0",
    "filelist",
    "config",
];

/// Whether all operands of the command that name files are known, so that another argument with the name of a file is
/// none. Takes [`Invocation::normalized_words`](crate::Invocation::normalized_words).
#[must_use]
pub fn knows_operands(words: &[Word]) -> bool {
    let name = words.first().and_then(Word::literal);
    let name = name.map(crate::unwrap::name_of_program).unwrap_or_default();
    tenon_programs::find(name).is_some_and(|program| {
        program.is(Traits::OWN_OPERANDS)
            || program.operands.is_some_and(|operands| !operands.partly)
    })
}

/// The files that the arguments of a command name. Takes [`Invocation::normalized_words`](crate::Invocation::normalized_words).
///
/// ```
/// use tenon_shell::{ShellGrammar, FileAccess, file_operands, invocation, read};
/// let script = read("sed -i s/a/b/ notes.txt", ShellGrammar::Bash)?;
/// let command = script.commands().next().and_then(invocation).expect("one command");
/// let files = file_operands(command.normalized_words());
/// assert!(files.iter().any(|file| file.word.literal() == Some("notes.txt") && file.access == FileAccess::Write));
/// # Ok::<(), tenon_shell::ReadError>(())
/// ```
#[must_use]
pub fn file_operands(words: &[Word]) -> FileOperands<'_> {
    let Some((name, arguments)) = words.split_first() else {
        return FileOperands::new();
    };
    let Some(name) = name.literal().map(crate::unwrap::name_of_program) else {
        return FileOperands::new();
    };
    let name = crate::unwrap::plain_compiler(name).unwrap_or(name);
    let mut files = match name {
        "dd" => special::key_values(arguments),
        "find" => special::find(arguments),
        "tar" | "bsdtar" | "unzip" | "7z" | "cpio" | "pax" | "ar" | "gcc-ar" | "llvm-ar"
        | "jar" | "rar" | "unrar" => of_archive(name, arguments),
        "curl" => fetching::curl(arguments),
        "git" => git::files(arguments),
        "awk" => {
            let mut files = by_table(name, arguments);
            awk::reads(arguments, &mut files);
            files
        }
        "jq" | "gojq" => {
            let mut files = by_table(name, arguments);
            special::modules(arguments, &mut files);
            files
        }
        "zip" => by_table(name, archives::without_list(arguments)),
        "npm" | "pnpm" | "yarn" | "bundle" | "bundler" | "pip" => {
            let mut files = special::configuration(name, arguments);
            files.extend(by_table(name, arguments));
            files
        }
        "wget" | "wget2" => fetching::wget(by_table(name, arguments), arguments),
        "deno" => {
            let mut files = by_table(name, arguments);
            packed::deno(arguments, &mut files);
            files
        }
        "python" => {
            let mut files = by_table(name, arguments);
            special::python_modules(arguments, &mut files);
            files
        }
        "rustc" | "rustdoc" | "gcc" | "g++" | "cc" | "c++" | "cpp" | "gfortran" | "clang"
        | "clang++" => {
            let mut files = by_table(name, arguments);
            passed_on::add(name, arguments, &mut files);
            files
        }
        _ => {
            let mut files = by_table(name, arguments);
            files.extend(special::made(name, arguments));
            files
        }
    };
    transfers::add(name, words, &mut files);
    files.retain(|file: &mut FileOperand<'_>| !matches!(file.word.literal(), Some("-" | "")));
    files
}

fn of_archive<'w>(name: &str, arguments: &'w [Word]) -> FileOperands<'w> {
    match name {
        "unzip" => archives::unzip(arguments),
        "7z" => archives::seven_zip(arguments),
        "cpio" => archives::cpio(arguments),
        "pax" => packed::pax(arguments),
        "ar" | "gcc-ar" | "llvm-ar" => packed::ar(arguments),
        "jar" => packed::jar(arguments),
        "rar" | "unrar" => packed::rar(arguments),
        "bsdtar" => archives::bsdtar(arguments),
        _ => archives::tar(arguments),
    }
}

fn by_table<'w>(name: &str, arguments: &'w [Word]) -> FileOperands<'w> {
    tenon_programs::find(name)
        .map_or_else(FileOperands::new, |program| files_of(program, arguments))
}

fn file(word: &Word, access: FileAccess) -> FileOperand<'_> {
    FileOperand::new(OperandWord::Argument(word), access)
}

/// The files of a program whose operands the catalogue has.
fn files_of<'w>(program: &Program, arguments: &'w [Word]) -> FileOperands<'w> {
    let mut files = FileOperands::new();
    let Some(operands) = program.operands else {
        return files;
    };
    let split = arguments::split(program.options, arguments);
    for (name, value) in &split.options {
        let Some(word) = value else { continue };
        let option = program.option(name);
        let effects = option.map_or(Effects::NONE, |option| option.effects);
        let uses = effects.has(Effects::READ.with(Effects::WRITE));
        let is_plain = option.is_some_and(|option| option.value != Value::Unknown) && !uses;
        // The names of more files stand in that one, or come from the input.
        if LISTS.contains(name) && !is_plain {
            files.push(arguments::unknown_file(word.span, FileAccess::Read));
        }
        let mut add = |access| {
            let used = FileOperand::new(word.clone(), access);
            files.push(if program.is(Traits::SEARCHES) {
                used.reaching(AccessScope::Patterns)
            } else {
                used
            });
        };
        if effects.has(Effects::READ) {
            add(FileAccess::Read);
        }
        if effects.has(Effects::WRITE) {
            add(FileAccess::Write);
        }
    }
    let leading = match split.gives(program, Effects::TEXT) {
        true => 0,
        false => operands.texts,
    };
    let own = split.operands.get(leading..).unwrap_or_default();
    use_operands(program, operands.role, own, &split, &mut files);
    files
}

fn use_operands<'w>(
    program: &Program,
    role: Role,
    operands: &[&'w Word],
    split: &Lenient<'w>,
    files: &mut FileOperands<'w>,
) {
    let all = |files: &mut FileOperands<'w>, accesses: &[FileAccess]| {
        for access in accesses {
            files.extend(operands.iter().map(|word| file(word, *access)));
        }
    };
    let gives = |effects| split.gives(program, effects);
    match role {
        Role::Read => all(files, &[FileAccess::Read]),
        Role::Write => all(files, &[FileAccess::Write]),
        Role::Delete => all(files, &[FileAccess::Delete]),
        Role::ReadWrite => all(files, &[FileAccess::Read, FileAccess::Write]),
        Role::Replace => all(
            files,
            &[FileAccess::Read, FileAccess::Write, FileAccess::Delete],
        ),
        Role::InPlace => {
            all(files, &[FileAccess::Read]);
            if gives(Effects::IN_PLACE) {
                all(files, &[FileAccess::Write]);
            }
        }
        Role::Format => {
            let by_option = program.options_that(Effects::IN_PLACE).next().is_some();
            let checks = split.has(&["check", "diff", "check-only"]);
            if gives(Effects::IN_PLACE) || (!by_option && !checks) {
                let written = operands.iter().map(|word| file(word, FileAccess::Write));
                files.extend(written.map(|file| file.reaching(AccessScope::Tracked)));
            }
        }
        Role::ReadThenWrite => first(operands, FileAccess::Read, FileAccess::Write, files),
        Role::WriteThenRead => {
            // `zip -@` is given the names in its input.
            if let Some(word) = operands.first().filter(|_| gives(Effects::NAMES)) {
                files.push(arguments::unknown_file(word.span, FileAccess::Read));
            }
            first(operands, FileAccess::Write, FileAccess::Read, files);
        }
        Role::Copy | Role::Move if gives(Effects::DIRECTORIES) => all(files, &[FileAccess::Write]),
        Role::Copy | Role::Move => copy(program, role, operands, split, files),
        // What goes elsewhere or comes from there is found by `transfers`.
        Role::ReadBelow
        | Role::ReadBelowOrHere
        | Role::CopyAddress
        | Role::CopyName
        | Role::MoveAddress
        | Role::MoveName
        | Role::WriteHere
        | Role::ImageContext => {}
    }
}

/// The first operand is used in one way, the others in another.
fn first<'w>(
    operands: &[&'w Word],
    one: FileAccess,
    others: FileAccess,
    files: &mut FileOperands<'w>,
) {
    for (index, word) in operands.iter().enumerate() {
        files.push(file(word, if index == 0 { one } else { others }));
    }
}

/// `cp`, `mv`, `ln`, `install`, `rsync`: the last operand is the target unless an option names it.
fn copy<'w>(
    program: &Program,
    role: Role,
    operands: &[&'w Word],
    split: &Lenient<'w>,
    files: &mut FileOperands<'w>,
) {
    let gives = |effects| split.gives(program, effects);
    let (sources, target) = match operands.split_last() {
        Some((last, sources)) if !gives(Effects::TARGET) && !sources.is_empty() => {
            (sources, Some(last))
        }
        _ => (operands, None),
    };
    let deletes = role == Role::Move || gives(Effects::DELETES_SOURCES);
    for source in sources {
        files.push(file(source, FileAccess::Read));
        if deletes {
            files.push(file(source, FileAccess::Delete));
        }
    }
    files.extend(target.map(|target| file(target, FileAccess::Write)));
    if gives(Effects::DELETES_TARGET) {
        files.extend(target.map(|target| file(target, FileAccess::Delete)));
    }
}
