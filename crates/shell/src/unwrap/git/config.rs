//! `git config`: whether it sets a key that makes git run something.

use crate::unwrap::clients::is_input;
use crate::word::Word;

/// Options that only look.
const LOOKING: &[&str] = &[
    "--get",
    "--get-all",
    "--get-regexp",
    "--get-urlmatch",
    "--get-color",
    "--get-colorbool",
    "--list",
    "-l",
];

/// Options without a value that neither say what is done nor where.
const NEUTRAL: &[&str] = &[
    "--global",
    "--system",
    "--local",
    "--worktree",
    "--replace-all",
    "--add",
    "--all",
    "--append",
    "-z",
    "--null",
    "--name-only",
    "--show-origin",
    "--show-scope",
    "--show-names",
    "--includes",
    "--no-includes",
    "--fixed-value",
    "--bool",
    "--int",
    "--bool-or-int",
    "--bool-or-str",
    "--path",
    "--expiry-date",
    "--no-type",
    "--regexp",
];

/// Options with a value that says nothing about what is done.
const WITH_VALUE: &[&str] = &["-t", "--type", "--default", "--url", "--value", "--comment"];

/// Whether this includes files that settings in the text name, or may write a key that matters: every key but a few, any
/// other file, whole sections, what an editor makes of it, and each spelling that is not known.
pub(super) fn writes(words: &[Word]) -> bool {
    let mut operands: Vec<&Word> = Vec::new();
    let (mut looks, mut unsets, mut elsewhere) = (false, false, false);
    // Settings that the text gives can include any file.
    let (mut includes, mut given) = (false, false);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.prefix();
        if !text.starts_with('-') || !operands.is_empty() && looks {
            operands.push(word);
            continue;
        }
        let Some(text) = word.literal() else {
            return true;
        };
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        match name {
            _ if LOOKING.contains(&text) => looks = true,
            _ if NEUTRAL.contains(&text) => includes |= text == "--includes",
            "--unset" | "--unset-all" => unsets = true,
            "-f" | "--file" | "--blob" => {
                elsewhere = true;
                let value = text.split_once('=').map(|(_, value)| value);
                let value = value.or_else(|| rest.next().and_then(Word::literal));
                given |= value.is_none_or(is_input);
            }
            _ if WITH_VALUE.contains(&name) => {
                if name == text {
                    rest.next();
                }
            }
            _ => return true,
        }
    }
    let mut operands = operands.as_slice();
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
    if includes && given {
        return true;
    }
    if looks {
        return false;
    }
    match operands {
        [] => false,
        [key] if !unsets => key.is_opaque() && key.expansion.any(),
        [key, ..] if elsewhere || key.is_opaque() => true,
        [key, behind @ ..] => !stays_harmless(key, if unsets { &[] } else { behind }),
    }
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
