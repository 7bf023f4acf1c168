//! Which operands of common programs are files, and what is done to them.
//!
//! Best effort: the table knows the everyday programs and takes an option that it does not know for a flag. It can
//! only add to what a rule sees, never take away. A directory stands for everything below it.

mod archives;
pub(crate) mod arguments;
mod awk;
mod fetching;
mod file;
mod git;
mod gnuplot;
mod implied;
mod kept;
mod made;
mod packed;
mod passed_on;
mod projects;
mod queries;
mod several;
mod special;
mod supposed;
mod table;
mod transfers;

pub(crate) use archives::tar_archives;
pub use arguments::knows_operands;
pub use fetching::path_of_file_url;
pub use file::{AccessScope, FileAccess, FileOperand, FileOperands, OperandWord};
pub use git::git_keeps_files;
pub(crate) use gnuplot::outputs as outputs_of_gnuplot;
pub(crate) use kept::{Kept, KeptFiles};
pub use projects::{Projects, project_operands, projects};
pub(crate) use queries::outputs as outputs_of_queries;
pub use special::find_option;

use self::kept::OwnWords;
use self::table::{files_of, of_row};
use crate::span::Span;
use crate::unwrap::{Invocation, module_of_catalogue, program_name::base_name};
use crate::word::Word;
use tenon_programs::{Program, program_name};

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
    let Some((first, arguments)) = words.split_first() else {
        return FileOperands::new();
    };
    let Some(name) = first
        .literal()
        .map(crate::unwrap::program_name::name_of_program)
    else {
        return FileOperands::new();
    };
    let (name, program) = match crate::unwrap::build_tools::plain_compiler(name) {
        Some(plain) => (plain, tenon_programs::find(plain)),
        None => (name, program),
    };
    let of_row = |row| files_of(row, Some(first), arguments);
    let by_table = || program.map_or_else(FileOperands::new, of_row);
    let mut files = of_program(name, arguments, by_table);
    if let Some(row) = program {
        implied::add(row, words, &mut files);
    }
    transfers::add(program, words, &mut files);
    supposed::add(program, words, &mut files);
    files.retain(|file: &mut FileOperand<'_>| !matches!(file.word.literal(), Some("-" | "")));
    files
}

/// The files that code writes which a program of this name is given as its input, from this place of the text.
#[must_use]
pub fn written_by_code(name: &str, code: &str, span: Span) -> Vec<Word> {
    match name {
        "gnuplot" => gnuplot::written(code, span),
        _ => Vec::new(),
    }
}

/// The files that a command names: those of its arguments, and those of options between its name and a subcommand, which
/// rules do not see. They are found out once.
#[must_use]
pub fn named_files(command: &Invocation) -> FileOperands<'_> {
    let words = OwnWords {
        normalized: command.normalized_words(),
        written: &command.words,
    };
    command.files.of(words, || find_named(command))
}

fn find_named(command: &Invocation) -> FileOperands<'_> {
    let words = command.normalized_words();
    let mut files = file_operands(command.program(), words);
    let taken = command.words.len().saturating_sub(words.len());
    let wraps = |program: &Program| program.wrapper.is_some() && taken == 0;
    let end = match command.program().is_some_and(wraps) {
        true => command.words.len(),
        false => taken + 1,
    };
    let name = command.words.first().and_then(Word::literal);
    if end > 1
        && let (Some(program), Some(name)) = (command.program(), name)
        && let Some(before) = command.words.get(1..end)
        && let Some(options) = program.options_before(program_name(base_name(name)))
    {
        table::of_options(options, before, &mut files);
    }
    files
}

/// Those of programs that are read by code, or by code beside their row; of all others those of the row.
fn of_program<'w>(
    name: &str,
    arguments: &'w [Word],
    by_table: impl Fn() -> FileOperands<'w>,
) -> FileOperands<'w> {
    match name {
        "dd" => special::key_values(arguments),
        "find" => special::find(arguments),
        "pax" => packed::pax(arguments),
        "curl" => fetching::curl(arguments),
        "git" => git::files(arguments),
        "sqlite3" | "sqlite" | "litecli" => special::database(arguments),
        "duckdb" => {
            let mut files = special::database(arguments);
            special::of_queries(arguments, &mut files);
            files
        }
        // What the arguments of the module are, its own row says.
        "python" if module_of_catalogue(arguments) => FileOperands::new(),
        "zip" => of_row(name, archives::without_list(arguments)),
        "npm" | "pnpm" | "yarn" | "bundle" | "bundler" | "pip" => {
            let mut files = special::configuration(name, arguments);
            files.extend(by_table());
            files
        }
        "wget" | "wget2" => fetching::wget(by_table(), arguments),
        "aria2c" => fetching::aria(by_table(), arguments),
        _ => {
            let mut files = by_table();
            beside_row(name, arguments, &mut files);
            files
        }
    }
}

/// Adds the files that stand within arguments, or that a row cannot say.
fn beside_row<'w>(name: &str, arguments: &'w [Word], files: &mut FileOperands<'w>) {
    match name {
        "awk" => awk::reads(arguments, files),
        "tar" => archives::beside_tar(arguments, files),
        "bsdtar" => archives::beside_bsdtar(files),
        "7z" | "rar" => archives::beside_lists(files),
        "jq" | "gojq" => special::modules(arguments, files),
        "yq" => special::split_names(arguments, files),
        "convert" | "magick" | "mogrify" | "composite" | "montage" | "import" => {
            special::images(files);
        }
        "ffmpeg" => special::streams(arguments, files),
        "gnuplot" => gnuplot::add(arguments, files),
        "python" => special::python_modules(arguments, files),
        "sass" => special::pairs(files),
        "clickhouse" | "clickhouse-client" | "clickhouse-local" => {
            special::of_queries(arguments, files);
        }
        "rustc" | "rustdoc" | "gcc" | "g++" | "cc" | "c++" | "cpp" | "gfortran" | "clang"
        | "clang++" => passed_on::add(name, arguments, files),
        _ => passed_on::add_of_tool(name, arguments, files),
    }
}
