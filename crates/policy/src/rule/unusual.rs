//! Rules that compile and could never match what their author means: a deny rule that is dead is worse than none.

use tenon_contract::{is_hidden, is_joining};

use super::Fault;

/// Full-width forms of the characters of ASCII, which look like them.
fn is_full_width(letter: char) -> bool {
    matches!(letter, '\u{ff01}'..='\u{ff5e}' | '\u{3000}')
}

/// Blanks that are none to a shell.
fn is_other_blank(letter: char) -> bool {
    letter.is_whitespace()
        && !matches!(
            letter,
            ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{3000}'
        )
        || letter == '\u{a0}'
}

/// Characters that nobody sees. Those that join letters and emoji are left alone between such.
pub(super) fn hidden(rule: &str) -> Result<(), Fault> {
    let mut before = 'a';
    for (at, letter) in rule.char_indices() {
        // A NUL is reported by the caller, which knows where it is.
        let unseen = is_hidden(letter) && letter != '\0';
        if unseen || is_other_blank(letter) || (is_joining(letter) && before.is_ascii()) {
            let code = u32::from(letter);
            return Err((
                at,
                format!(
                    "contains the character U+{code:04X}, which is invisible or looks like a space. Remove it"
                ),
            ));
        }
        before = letter;
    }
    Ok(())
}

/// A command in letters that only look like those of a command.
pub(super) fn command(specifier: &str) -> Result<(), Fault> {
    let name = specifier.find([' ', '\t']).unwrap_or(specifier.len());
    let letters = specifier.char_indices();
    let in_name = letters
        .clone()
        .find(|(at, letter)| *at < name && is_full_width(*letter));
    let star = letters.last().filter(|(_, letter)| *letter == '＊');
    match in_name.or(star) {
        Some((at, letter)) => Err((
            at,
            format!(
                "contains the full-width character `{letter}`. Write `{}`",
                narrow(letter)
            ),
        )),
        None => Ok(()),
    }
}

/// A path in the language of another tool.
pub(super) fn path(specifier: &str) -> Result<(), Fault> {
    let fault = |at: usize, problem: &str| Err((at, problem.to_owned()));
    if specifier.starts_with([' ', '\t']) {
        return fault(
            0,
            "begins with a space, which is part of the path. Remove it, or write `[ ]` if the name has it",
        );
    }
    if specifier.ends_with([' ', '\t']) && !specifier.ends_with("\\ ") {
        return fault(
            specifier.len() - 1,
            "ends with a space, which is part of the path. Remove it, or write `[ ]` if the name has it",
        );
    }
    if specifier.starts_with('!') && !specifier.starts_with("!(") {
        return fault(
            0,
            "begins with `!`, which does not negate here. Put the path into another list, or write `\\!` if the name has it",
        );
    }
    let variable = |start: &str| {
        let rest = specifier.strip_prefix(start);
        rest.is_some_and(|rest| {
            rest.starts_with(|first: char| first.is_ascii_uppercase() || first == '{')
        })
    };
    if variable("$") || variable("%") && specifier.matches('%').count() > 1 {
        return fault(
            0,
            "begins with a variable, which is not expanded. Write the path relative to the workspace, or absolute",
        );
    }
    let scheme = specifier.split_once("://").map(|(scheme, _)| scheme);
    if scheme.is_some_and(|scheme| {
        !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
    }) {
        return fault(0, "is a URL. Write only the path");
    }
    if let Some((at, letter)) = specifier
        .char_indices()
        .find(|(_, letter)| matches!(letter, '＊' | '／' | '？'))
    {
        return Err((
            at,
            format!(
                "contains the full-width character `{letter}`, which is not a pattern. Write `{}`, or `[{letter}]` if the name has it",
                narrow(letter)
            ),
        ));
    }
    Ok(())
}

/// The character of ASCII that a full-width one looks like.
fn narrow(letter: char) -> char {
    if letter == '\u{3000}' {
        return ' ';
    }
    u32::from(letter)
        .checked_sub(0xfee0)
        .and_then(char::from_u32)
        .unwrap_or(letter)
}
