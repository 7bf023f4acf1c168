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
use tenon_programs::{Effects, Operands, Opt, Program, Role, Traits, Value};

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
/// none.
#[must_use]
pub fn knows_operands(program: &Program) -> bool {
    program.is(Traits::OWN_OPERANDS) || program.operands.is_some_and(|operands| !operands.partly)
}

/// The files that the arguments of a command name. Takes [`Invocation::program`](crate::Invocation::program) and
/// [`Invocation::normalized_words`](crate::Invocation::normalized_words).
///
/// ```
/// use tenon_shell::{ShellGrammar, FileAccess, file_operands, invocation, read};
/// let script = read("sed -i s/a/b/ notes.txt", ShellGrammar::Bash)?;
/// let command = script.commands().next().and_then(invocation).expect("one command");
/// let files = file_operands(command.program(), command.normalized_words());
/// assert!(files.iter().any(|file| file.word.literal() == Some("notes.txt") && file.access == FileAccess::Write));
/// # Ok::<(), tenon_shell::ReadError>(())
/// ```
#[must_use]
pub fn file_operands<'w>(program: Option<&Program>, words: &'w [Word]) -> FileOperands<'w> {
    let Some((name, arguments)) = words.split_first() else {
        return FileOperands::new();
    };
    let Some(name) = name.literal().map(crate::unwrap::name_of_program) else {
        return FileOperands::new();
    };
    let (name, program) = match crate::unwrap::plain_compiler(name) {
        Some(plain) => (plain, tenon_programs::find(plain)),
        None => (name, program),
    };
    let by_table = || program.map_or_else(FileOperands::new, |row| files_of(row, arguments));
    let mut files = match name {
        "dd" => special::key_values(arguments),
        "find" => special::find(arguments),
        "tar" | "bsdtar" | "unzip" | "7z" | "cpio" | "pax" | "ar" | "gcc-ar" | "llvm-ar"
        | "jar" | "rar" | "unrar" => of_archive(name, arguments),
        "curl" => fetching::curl(arguments),
        "git" => git::files(arguments),
        "awk" => {
            let mut files = by_table();
            awk::reads(arguments, &mut files);
            files
        }
        "jq" | "gojq" => {
            let mut files = by_table();
            special::modules(arguments, &mut files);
            files
        }
        "zip" => of_row(name, archives::without_list(arguments)),
        "npm" | "pnpm" | "yarn" | "bundle" | "bundler" | "pip" => {
            let mut files = special::configuration(name, arguments);
            files.extend(by_table());
            files
        }
        "wget" | "wget2" => fetching::wget(by_table(), arguments),
        "deno" => {
            let mut files = by_table();
            packed::deno(arguments, &mut files);
            files
        }
        "python" => {
            let mut files = by_table();
            special::python_modules(arguments, &mut files);
            files
        }
        "rustc" | "rustdoc" | "gcc" | "g++" | "cc" | "c++" | "cpp" | "gfortran" | "clang"
        | "clang++" => {
            let mut files = by_table();
            passed_on::add(name, arguments, &mut files);
            files
        }
        _ => {
            let mut files = by_table();
            files.extend(special::made(name, arguments));
            files
        }
    };
    transfers::add(program, words, &mut files);
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

fn of_row<'w>(name: &str, arguments: &'w [Word]) -> FileOperands<'w> {
    tenon_programs::find(name)
        .map_or_else(FileOperands::new, |program| files_of(program, arguments))
}

fn file(word: &Word, access: FileAccess) -> FileOperand<'_> {
    FileOperand::new(OperandWord::Argument(word), access)
}

/// The files of a program whose operands the catalogue has.
fn files_of<'w>(program: &Program, arguments: &'w [Word]) -> FileOperands<'w> {
    let mut files = FileOperands::new();
    let Some(call) = Call::new(program, arguments) else {
        return files;
    };
    for (name, value) in &call.split.options {
        let Some(word) = value else { continue };
        let option = call.option(name);
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
    if let Some(operands) = call.operands {
        let leading = match call.gives(Effects::TEXT) {
            true => 0,
            false => operands.texts,
        };
        let leading = call.words.saturating_add(leading);
        let own = call.split.operands.get(leading..).unwrap_or_default();
        use_operands(&call, operands.role, own, &mut files);
    }
    files
}

/// What a program, or a subcommand of it, was given.
struct Call<'w> {
    /// How many operands in front are the name of the subcommand.
    words: usize,
    options: &'static [Opt],
    operands: Option<Operands>,
    split: Lenient<'w>,
}

impl<'w> Call<'w> {
    /// `None` where nothing is known of what the program does with files.
    fn new(program: &Program, arguments: &'w [Word]) -> Option<Self> {
        // What goes into containers and comes from elsewhere is found by `transfers`.
        let command = match program.is(Traits::TRANSFERS) {
            true => None,
            false => program.command_of(arguments),
        };
        let (words, options, operands) = match (command, program.operands) {
            (Some((command, words)), None) => (words, command.options, command.operands),
            (Some((command, words)), _) if command.operands.is_some() => {
                (words, command.options, command.operands)
            }
            (_, None) => return None,
            (_, operands) => (0, program.options, operands),
        };
        let split = arguments::split(options, arguments);
        Some(Self {
            words,
            options,
            operands,
            split,
        })
    }

    fn option(&self, name: &str) -> Option<&'static Opt> {
        self.options.iter().find(|option| option.name == name)
    }

    /// Whether an option was given that has one of these effects.
    fn gives(&self, effects: Effects) -> bool {
        let mut options = self.split.options.iter();
        options.any(|(name, _)| {
            let option = self.option(name);
            option.is_some_and(|option| option.effects.has(effects))
        })
    }
}

fn use_operands<'w>(
    call: &Call<'w>,
    role: Role,
    operands: &[&'w Word],
    files: &mut FileOperands<'w>,
) {
    let all = |files: &mut FileOperands<'w>, accesses: &[FileAccess]| {
        for access in accesses {
            files.extend(operands.iter().map(|word| file(word, *access)));
        }
    };
    let gives = |effects| call.gives(effects);
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
            let mut options = call.options.iter();
            let by_option = options.any(|option| option.effects.has(Effects::IN_PLACE));
            let checks = call.split.has(&["check", "diff", "check-only"]);
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
        Role::Copy | Role::Move => copy(call, role, operands, files),
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
    call: &Call<'w>,
    role: Role,
    operands: &[&'w Word],
    files: &mut FileOperands<'w>,
) {
    let gives = |effects| call.gives(effects);
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
