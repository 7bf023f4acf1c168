//! `git config`: whether it sets a key that makes git run something.

use tenon_programs::{Effects, Subcommand, parse};

use crate::unwrap::clients::is_input;
use crate::word::Word;

/// Whether this includes files that settings in the text name, or may write a key that matters: every key but a few, any
/// other file, whole sections, what an editor makes of it, and each spelling that is not known.
pub(super) fn writes(command: &Subcommand, words: &[Word]) -> bool {
    let parsed = parse(command.options, words);
    let options = || parsed.options.iter();
    let is_unknown = options().any(|given| !given.exact || given.word.literal().is_none());
    let may_be_option = |word: &&Word| word.prefix().starts_with('-');
    if is_unknown || parsed.operands.iter().any(may_be_option) {
        return true;
    }
    let has = |names: &[&str]| options().any(|given| names.contains(&given.name));
    let mut looks = options().any(|given| given.does(Effects::SHOWS));
    let mut unsets = has(&["unset", "unset-all"]);
    let mut operands = parsed.operands.as_slice();
    if let Some((action, behind)) = operands.split_first() {
        match action.literal() {
            Some("list" | "get") => looks = true,
            Some("edit" | "rename-section" | "remove-section") => return true,
            Some("set") => operands = behind,
            Some("unset") => {
                unsets = true;
                operands = behind;
            }
            _ => {}
        }
    }
    // Another file than those of git, of which settings that the text gives can include any.
    let mut files = options().filter(|given| is_file(given.name));
    let elsewhere = files.clone().next().is_some();
    let is_given = files.any(|given| given.value_literal().is_none_or(is_input));
    if is_given && has(&["includes"]) {
        return true;
    }
    match operands {
        _ if looks => false,
        [] => false,
        [key] if !unsets => key.is_opaque() && key.expansion.any(),
        [key, ..] if elsewhere || key.is_opaque() => true,
        [key, behind @ ..] => !stays_harmless(key, if unsets { &[] } else { behind }),
    }
}

fn is_file(option: &str) -> bool {
    matches!(option, "f" | "file" | "blob")
}

/// Whether a setting makes git run nothing in any call that follows. What is harmless for one call need not be for all:
/// `http.sslVerify false`.
fn stays_harmless(key: &Word, behind: &[&Word]) -> bool {
    let value = behind.first().and_then(|value| value.literal());
    let is_kept = |key: &str| is_harmless(key, value.filter(|value| *value == "cat"));
    key.literal().is_some_and(is_kept)
}

/// Whether this key, or this key with the value that it is given, makes git run nothing.
fn is_harmless(key: &str, value: Option<&str>) -> bool {
    tenon_programs::find("git").is_some_and(|git| git.is_harmless_setting(key, value))
}
