//! What goes into an image: all of a directory but for what files in it name.

use tenon_programs::words::containers::IGNORE_FILES;
use tenon_programs::{Effects, Program, Role, Traits, parse};
use tenon_shell::Word;

/// Options with which other files, or other directories, count as well.
const OTHERS: &[&str] = &["build-context", "ignorefile"];

/// Whether a program builds an image from a directory with these arguments.
pub(crate) fn builds(program: &Program, arguments: &[Word]) -> bool {
    if !program.is(Traits::TRANSFERS) {
        return false;
    }
    let command = program.command_of(arguments);
    let operands = command.and_then(|(command, _)| command.operands);
    operands.is_some_and(|operands| operands.role == Role::ImageContext)
}

/// The files that say what stays out, by their names from the directory; `None` where that cannot be determined.
pub(super) fn ignore_files(program: &Program, arguments: &[Word]) -> Option<Vec<String>> {
    if !builds(program, arguments) {
        return None;
    }
    let (command, words) = program.command_of(arguments)?;
    let parsed = parse(command.options, arguments);
    let is_other = |name: &str| OTHERS.iter().any(|other| other.starts_with(name));
    if !parsed.opaque.is_empty() || parsed.options.iter().any(|given| is_other(given.name)) {
        return None;
    }
    let mut names: Vec<String> = IGNORE_FILES.iter().map(|name| (*name).to_owned()).collect();
    let files = parsed.options.iter();
    let files = files.filter(|given| command.does(given.name, Effects::PROJECT));
    for given in files {
        let text = given.value_literal()?;
        // It is named from where the command runs, which is the directory itself.
        let context = parsed.operands.get(words).and_then(|word| word.literal());
        if context != Some(".") || text.starts_with(['/', '~', '-']) || text.contains("..") {
            return None;
        }
        names.push(format!("{}.dockerignore", text.trim_start_matches("./")));
    }
    Some(names)
}
