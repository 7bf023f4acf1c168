//! A debugger that is given its commands by options, and the program that it runs: `gdb -batch -ex run -ex bt ./a.out`.

use tenon_programs::{Given, Program, parse, parse_before};

use crate::word::Word;

/// The command that gdb runs with these arguments; nothing where they may make it do more than run that and look at it.
pub(super) fn command<'w>(program: &Program, arguments: &'w [Word]) -> Option<Vec<&'w Word>> {
    let before = parse_before(program.options, arguments);
    let takes_arguments = before.options.iter().any(|given| given.name == "args");
    let parsed = match takes_arguments {
        true => before,
        false => parse(program.options, arguments),
    };
    let is_known =
        |given: &Given<'_, Word>| given.is_known() && given.exact && is_plain(program, given);
    let is_batch = parsed.options.iter().any(|given| given.name == "batch");
    if !is_batch || !parsed.opaque.is_empty() || !parsed.options.iter().all(is_known) {
        return None;
    }
    let (first, behind) = match parsed.operands.split_first() {
        Some((first, behind)) => (Some(*first), behind),
        None => (None, &[][..]),
    };
    // Else a file follows, or the number of a process.
    let is_file = |word: &&Word| {
        let text = word.literal();
        text.is_some_and(|text| !text.bytes().all(|byte| byte.is_ascii_digit()))
    };
    match (takes_arguments, behind) {
        (true, _) => Some(parsed.operands.to_vec()),
        (false, []) => Some(first.into_iter().collect()),
        (false, [core]) if is_file(core) => Some(first.into_iter().collect()),
        (false, _) => None,
    }
}

/// Whether an option gives a command that the row has, or none.
fn is_plain(program: &Program, given: &Given<'_, Word>) -> bool {
    let is_harmless = |text: &str| {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        program.is_harmless_setting(&words.join("-"), None)
    };
    given.value.is_none() || given.value_literal().is_some_and(is_harmless)
}
