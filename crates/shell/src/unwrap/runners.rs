//! Programs that run what their arguments say, in ways that are not read.

use tenon_programs::{CommandTraits, Effects, Program, Traits};

use super::debugger;
use crate::word::Word;

/// Whether a program runs what these arguments say.
pub(super) fn runs_arguments(base: &str, program: Option<&Program>, arguments: &[Word]) -> bool {
    // The program loader runs its first operand.
    let loaders = ["ld-linux", "ld-musl", "ld.so", "ld64.so"];
    let loads = base.starts_with("ld") && loaders.iter().any(|loader| base.starts_with(loader));
    let runner = program.filter(|program| program.is(Traits::RUNS_ARGUMENTS));
    loads || runner.is_some_and(|program| !only_shows(base, program, arguments))
}

/// Whether the arguments only show something, or those of a command that is looked into.
fn only_shows(base: &str, program: &Program, arguments: &[Word]) -> bool {
    let Some(first) = arguments.first().and_then(Word::literal) else {
        return false;
    };
    // `sg -p PATTERN` is ast-grep.
    if base == "sg" {
        return matches!(first, "-p" | "--pattern");
    }
    let mut before = program.options_before(base).unwrap_or_default().iter();
    let name = first.trim_start_matches('-');
    let shows = name != first
        && before.any(|option| option.name == name && option.effects.has(Effects::NO_COMMAND));
    let command = program.command([Some(first)].into_iter());
    let is = |traits| command.is_some_and(|(command, _)| command.is(traits));
    let is_alone = arguments.len() == 1 && (shows || command.is_some());
    is_alone
        || is(CommandTraits::WRAPPER) && !is(CommandTraits::IN_SEQUENCE)
        || is(CommandTraits::IN_SEQUENCE) && arguments.iter().all(is_plain)
        || base == "gdb" && debugger::command(program, arguments).is_some()
}

/// Whether an argument of `tmux` begins no further command, runs none in a format, and writes no file.
fn is_plain(word: &Word) -> bool {
    word.literal()
        .is_some_and(|text| !text.contains("#(") && !text.ends_with(';'))
}
