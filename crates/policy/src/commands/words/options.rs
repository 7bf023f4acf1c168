//! What programs are, by the catalogue.

use tenon_programs::{Effects, Program, Traits};
use tenon_shell::{FileOperands, Invocation, Word, file_operands};

use crate::program_names::name_of;

/// Shells and programs of languages: they run files of code.
pub(crate) const RUNNING_FILES: Traits = Traits::SHELL.with(Traits::LANGUAGE);

/// Programs that run code from their arguments or input.
pub(crate) const RUNNING_CODE: Traits = RUNNING_FILES.with(Traits::INTERPRETER);

/// The files of a program that tenon knows, where only the words are available.
pub(crate) fn files_by_name(words: &[Word]) -> FileOperands<'_> {
    file_operands(name_of(words).and_then(tenon_programs::find), words)
}

/// Whether one of the options of the program that have this effect is among the arguments: a letter in any cluster, a long
/// one perhaps abbreviated.
pub(crate) fn gives(program: &Program, words: &[Word], effects: Effects) -> bool {
    let arguments = words.iter().skip(1).filter_map(Word::literal);
    let mut arguments = arguments.filter(|text| text.starts_with('-'));
    arguments.any(|text| {
        let mut options = program.options_that(effects);
        options.any(|option| is_option(text, option.name))
    })
}

/// Whether `tar` takes files out of an archive: its first word may be letters without a dash.
pub(crate) fn unpacks(words: &[Word]) -> bool {
    let first = words.get(1).and_then(Word::literal).unwrap_or_default();
    is_given(words, &['x'], &["extract", "get"]) || (!first.starts_with('-') && first.contains('x'))
}

/// Whether one of these options stands among the arguments: a letter in any cluster, a long one perhaps abbreviated.
pub(crate) fn is_given(words: &[Word], letters: &[char], long: &[&str]) -> bool {
    let arguments = words.iter().skip(1).filter_map(Word::literal);
    arguments
        .into_iter()
        .any(|text| match text.strip_prefix("--") {
            Some(_) => long.iter().any(|known| is_option(text, known)),
            None => text
                .strip_prefix('-')
                .is_some_and(|option| option.contains(letters)),
        })
}

/// Whether a word is the option of this name without dashes: a letter in any cluster, a long one perhaps abbreviated.
pub(crate) fn is_option(text: &str, name: &str) -> bool {
    if name.chars().nth(1).is_none() {
        let letters = text.strip_prefix('-');
        return letters.is_some_and(|letters| !letters.starts_with('-') && letters.contains(name));
    }
    let long = text
        .strip_prefix("--")
        .and_then(|long| long.split('=').next());
    long.is_some_and(|long| !long.is_empty() && name.starts_with(long))
}

/// Whether a word is an option of `find` that runs, removes or writes something.
pub(crate) fn is_action(word: &Word) -> bool {
    let text = word.prefix();
    ["-exec", "-ok", "-delete", "-rm", "-fprint", "-fls"]
        .iter()
        .any(|action| text.starts_with(action))
}

/// Whether this is `find` that runs something in the directories of what it finds.
pub(crate) fn runs_elsewhere(invocation: &Invocation) -> bool {
    let mut literals = invocation.words.iter().filter_map(Word::literal);
    literals.any(|text| matches!(text, "-execdir" | "-okdir"))
}

/// Commands that do more than their name says with certain arguments (docs/policy.md, "Commands").
pub(crate) fn needs_exact_rule(invocation: &Invocation) -> bool {
    let Some(base) = invocation.base_name() else {
        return true;
    };
    match base {
        "find" => invocation.words.iter().any(is_action),
        "sed" => crate::commands::words::sed::may_run_or_write(&invocation.words),
        _ => false,
    }
}
