//! Arguments that cannot be determined and may be options of their program that run something, and options that are
//! new.

use tenon_programs::{Effects, Opt, Program, Role, Traits, Value};

use crate::unwrap::invocation::Invocation;
use crate::word::Word;

impl Invocation {
    /// The arguments that may be options of the program that run something, if they cannot be determined: none behind
    /// `--`, or behind an option whose value they are. Empty for programs without such options.
    pub fn possible_options(&self) -> impl Iterator<Item = &Word> {
        let words = self.normalized_words();
        let program = self.program().filter(|program| may_run(program, words));
        let end = words.iter().position(|word| word.literal() == Some("--"));
        let end = end.filter(|_| !program.is_some_and(|program| program.is(Traits::OPERANDS_ACT)));
        let count = match program {
            Some(_) => end.unwrap_or(words.len()),
            None => 0,
        };
        let is_value = move |place: usize| {
            let before = words.get(place.wrapping_sub(1)).and_then(Word::literal);
            let takes_next = |text| program.is_some_and(|program| takes_next(program, text));
            place > 1 && before.is_some_and(takes_next)
        };
        let words = words.iter().enumerate().take(count).skip(1);
        words.filter_map(move |(place, word)| {
            let value = is_value(place) && !word.expansion.splits;
            (word.is_opaque() && !value).then_some(word)
        })
    }

    /// The first long option that is not known of a program of which all are. One of a version to come, or of another program
    /// of this name, can do what nobody thought of who wrote a rule on the program.
    #[must_use]
    pub fn unknown_option(&self) -> Option<&str> {
        let program = self.program()?;
        if !program.is(Traits::COMPLETE) {
            return None;
        }
        let words = self.normalized_words().iter().skip(1);
        let mut own = words
            .map_while(|word| Some(word).filter(|word| word.literal() != Some("--")))
            .filter_map(Word::literal);
        own.find(|text| is_unknown(text, program))
    }
}

/// Whether an option of the program, or of the subcommand that these words name, runs something, or writes where the
/// program by itself does not.
fn may_run(program: &Program, words: &[Word]) -> bool {
    let command = words.get(1).and_then(Word::literal).unwrap_or_default();
    let commands = program.possible.commands;
    if program.is(Traits::MAY_RUN) {
        return commands.is_empty() || commands.contains(&command);
    }
    // Who allows a program that runs the code of a project, or writes its operands, means that it writes.
    // Of one with subcommands the row does not say which of them writes.
    let writes_anyway = !program.commands.is_empty()
        || program.is(Traits::RUNS_PROJECT.with(Traits::PROJECT_TOOL))
        || program
            .operands
            .is_some_and(|operands| !matches!(operands.role, Role::Read | Role::ReadThenWrite));
    let acting = match writes_anyway {
        true => Effects::EXEC,
        false => Effects::EXEC.with(Effects::WRITE),
    };
    let acts = |options: &[Opt]| {
        let mut options = options.iter();
        options.any(|option| option.effects.has(acting))
    };
    let of_command = || {
        let (command, _) = program.command_of(words.get(1..)?)?;
        Some(acts(command.options))
    };
    !program.exec_words.is_empty() || acts(program.options) || of_command() == Some(true)
}

/// Whether the word behind this one is the value of an option.
fn takes_next(program: &Program, text: &str) -> bool {
    let Some(name) = text.strip_prefix('-') else {
        return false;
    };
    let name = name.strip_prefix('-').unwrap_or(name);
    let is_letter = name.chars().count() == 1 && !text.starts_with("--");
    let mut options = program.options.iter();
    is_letter
        && name
            .chars()
            .all(|letter| program.possible.values.contains(letter))
        || options.any(|option| option.name == name && option.value == Value::Next)
}

fn is_unknown(text: &str, program: &Program) -> bool {
    let Some(long) = text.strip_prefix("--").filter(|long| !long.is_empty()) else {
        return false;
    };
    let name = long.split('=').next().unwrap_or_default();
    let positive = name.strip_prefix("no-").unwrap_or(name);
    // Abbreviations count as what they can stand for.
    let mut all = program.options.iter().map(|option| option.name);
    !all.any(|option| option.starts_with(name) || option.starts_with(positive))
}
