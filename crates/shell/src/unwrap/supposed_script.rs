//! Unknown programs, with the name of a shell or a language and a script among their arguments: `frobnicate sh a.sh`.
//!
//! Wrappers are made every year, and nobody writes a shell with a script behind the name of a program that does not run it.

use tenon_programs::words::scripts::ENDINGS;
use tenon_programs::{Catalogue, Traits};

use super::invocation::{Context, Invocation};
use super::program_name::base_name;
use crate::word::Word;

/// Adds the command that such a program may run.
pub(super) fn look_inside(invocation: &mut Invocation, context: Context<'_>) {
    let arguments = invocation.arguments();
    let begins = |place: &usize| {
        let words = arguments.get(*place..).unwrap_or_default();
        runs_script(context.catalogue, words)
    };
    if let Some(place) = (0..arguments.len()).find(begins) {
        context.run(arguments.behind(place), invocation);
    }
}

/// Whether these words are a shell or a language with code or a script.
fn runs_script(catalogue: &Catalogue, words: &[Word]) -> bool {
    const RUNNING: Traits = Traits::SHELL.with(Traits::LANGUAGE);
    let Some((name, behind)) = words.split_first() else {
        return false;
    };
    let base = name.literal().map(base_name).unwrap_or_default();
    let program = catalogue.find(catalogue.facts_name(base));
    let Some(program) = program.filter(|program| program.is(RUNNING)) else {
        return false;
    };
    let is_shell = program.is(Traits::SHELL);
    let texts = behind.iter().map(Word::literal);
    let options = texts.take_while(|text| text.is_some_and(|text| text.starts_with('-')));
    let options: Vec<&str> = options.flatten().collect();
    let gives_code = |option: &&str| match is_shell {
        true => !option.starts_with("--") && option.contains('c'),
        false => matches!(*option, "-c" | "-e" | "-m" | "-r" | "--eval"),
    };
    let operand = behind.get(options.len());
    operand.is_some_and(|word| options.iter().any(gives_code) || is_script(word, is_shell))
}

/// Whether a word names a script by its ending, or a path that a shell is given.
fn is_script(word: &Word, is_shell: bool) -> bool {
    let Some(text) = word.literal() else {
        return false;
    };
    let name = base_name(text);
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && ENDINGS
                .iter()
                .any(|known| ending.eq_ignore_ascii_case(known))
    });
    has_ending || is_shell && text.starts_with("./")
}
