//! Arguments that cannot be determined and may be options of their program that run something, and options that are
//! new.

use tenon_programs::{Program, Traits};

use crate::unwrap::invocation::Invocation;
use crate::word::Word;

impl Invocation {
    /// The arguments that may be options of the program that run something, if they cannot be determined: none behind
    /// `--`, or behind an option whose value they are. Empty for programs without such options.
    pub fn possible_options(&self) -> impl Iterator<Item = &Word> {
        let words = self.normalized_words();
        let program = self.program().filter(|program| program.is(Traits::MAY_RUN));
        let command = words.get(1).and_then(Word::literal).unwrap_or_default();
        let program = program.filter(|program| {
            let commands = program.possible.commands;
            commands.is_empty() || commands.contains(&command)
        });
        let end = words.iter().position(|word| word.literal() == Some("--"));
        let end = end.filter(|_| !program.is_some_and(|program| program.is(Traits::OPERANDS_ACT)));
        let count = match program {
            Some(_) => end.unwrap_or(words.len()),
            None => 0,
        };
        let values = program.map_or("", |program| program.possible.values);
        let is_value = move |place: usize| {
            let before = words.get(place.wrapping_sub(1)).and_then(Word::literal);
            let letter = before.and_then(|text| text.strip_prefix('-'));
            letter.is_some_and(|letter| {
                letter.chars().count() == 1 && letter.chars().all(|letter| values.contains(letter))
            })
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
