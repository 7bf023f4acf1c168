//! Programs that are given settings by an option, of which some run programs: those that reach other machines over ssh (`ssh`, `scp`,
//! `rsync`), `w3m -o`, `ssh-keygen -O`.

use tenon_programs::{Effects, Given, Program, Traits, parse, parse_before};

use super::options::value_start;
use crate::span::Span;
use crate::word::Word;

/// What makes such a program run another one: a setting that can, an option that does.
pub(super) fn find(program: &Program, words: &[Word]) -> Option<Span> {
    let none = || program.options_that(Effects::SETTING).next().is_none();
    if words.is_empty() || none() {
        return None;
    }
    // An option behind `--` is one to ssh that stands behind the host.
    let is_end = |word: &&Word| word.literal() == Some("--");
    let without: Vec<Word>;
    let words = if words.iter().any(|word| is_end(&word)) {
        without = words.iter().filter(|word| !is_end(word)).cloned().collect();
        &without
    } else {
        words
    };
    if !program.names.contains(&"ssh") {
        let parsed = parse(program.options, words);
        return parsed.options.iter().find_map(|given| runs(program, given));
    }
    // Behind the host stand options again, behind the next operand a command.
    let before = parse_before(program.options, words);
    let host = words.len().saturating_sub(before.behind);
    let behind = words.get(host + 1..).unwrap_or_default();
    let behind = parse_before(program.options, behind);
    let mut options = before.options.iter().chain(&behind.options);
    options.find_map(|given| runs(program, given))
}

/// The place of an option that runs something.
fn runs(program: &Program, given: &Given<'_, Word>) -> Option<Span> {
    let value = value_start(given).unwrap_or_default();
    let is_harmless = || match program.settings {
        [] => is_plain_shell(&value),
        _ => is_harmless(program, &value),
    };
    // Those of OpenSSH have no long options; what runs the code of a project has those of plugins.
    let has_long = program.settings.is_empty() || program.is(Traits::RUNS_PROJECT);
    let is_odd = !given.is_known() && !has_long && given.name.len() > 1;
    let sets = || given.does(Effects::SETTING) && !is_harmless();
    let runs = given.does(Effects::EXEC) || is_odd || sets();
    runs.then_some(given.word.span)
}

fn is_harmless(program: &Program, setting: &str) -> bool {
    let name = setting
        .trim_start()
        .split(|letter: char| !letter.is_ascii_alphanumeric() && !matches!(letter, '_' | '-'))
        .next()
        .unwrap_or_default();
    program.is_harmless_setting(name, None) && !setting.contains('\n')
}

/// `ssh`, perhaps with options that run nothing.
fn is_plain_shell(shell: &str) -> bool {
    let words = shell.split_ascii_whitespace();
    let words: Vec<Word> = words
        .map(|word| Word::synthetic(word, Span::new(0, 0)))
        .collect();
    let [first, options @ ..] = words.as_slice() else {
        return false;
    };
    let ssh = tenon_programs::find("ssh");
    first.literal() == Some("ssh")
        && !shell.contains(['\'', '"', '\\'])
        && ssh.is_some_and(|ssh| find(ssh, options).is_none())
}
