//! Path texts: the form in which those that look the same are equal, and what an error says of one that leads nowhere.

use unicode_normalization::UnicodeNormalization;

pub(crate) fn quoted(names: &[String]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [start @ .., last] => format!("{} or {last}", start.join(", ")),
    }
}

/// What follows in an error that a path does not exist: the names that resemble it.
#[must_use]
pub fn near_advice(near: &[String]) -> String {
    if near.is_empty() {
        String::new()
    } else {
        let mut forms: Vec<String> = near.iter().map(|name| plain_form(name)).collect();
        forms.sort_unstable();
        let look_same = forms
            .windows(2)
            .any(|pair| matches!(pair, [one, other] if one == other));
        let hint = if look_same {
            " Some of these differ only in how letters, spaces or quotes are encoded: copy the name from a listing."
        } else {
            ""
        };
        format!(" Did you mean {}?{hint}", quoted(near))
    }
}

/// What to do where nothing has this name: the mistake in it, if it shows one.
pub(crate) fn missing_advice(path: &str, near: &[String]) -> String {
    match foreign_form(path) {
        Some(reason) if near.is_empty() => format!(" {reason}"),
        _ => near_advice(near),
    }
}

/// What is wrong with a path that is written as something else takes it: paths are taken as they are, so that `~/a` would
/// be a file in a directory `~`.
pub(crate) fn foreign_form(path: &str) -> Option<&'static str> {
    let has_drive = |path: &str| {
        let mut bytes = path.bytes();
        bytes
            .next()
            .is_some_and(|letter| letter.is_ascii_alphabetic())
            && bytes.next() == Some(b':')
            && matches!(bytes.next(), Some(b'\\' | b'/'))
    };
    if path == "~" || path.starts_with("~/") {
        Some("`~` is not expanded. Use a path relative to the workspace.")
    } else if path.starts_with("file:/") {
        Some("`file:` URLs are not supported. Use a path relative to the workspace.")
    } else if cfg!(unix) && has_drive(path) {
        Some(
            "Drive letters are not supported here. Use a path relative to the workspace, with `/`.",
        )
    } else if has_scheme(path) {
        Some("URLs are not supported. Use a path relative to the workspace.")
    } else if has_variable(path) {
        Some("Variables are not expanded. Use a path relative to the workspace.")
    } else if path.starts_with("@/") {
        Some("`@` stands for nothing here. Use a path relative to the workspace.")
    } else if is_enclosed(path) {
        Some("Quotes are part of a name. Use the path without them.")
    } else {
        None
    }
}

/// Whether a path begins as a URL does: `https:/a`, after `//` became `/`. One letter is a drive.
fn has_scheme(path: &str) -> bool {
    let scheme = path.split_once(":/").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_lowercase())
    })
}

/// Whether a path begins with a variable of a shell: `$HOME/a`. Routes of some frameworks are called `$id`.
fn has_variable(path: &str) -> bool {
    let (first, _) = path.split_once('/').unwrap_or_default();
    let name = first.strip_prefix('$').unwrap_or_default();
    let name = name
        .strip_prefix('{')
        .and_then(|name| name.strip_suffix('}'))
        .unwrap_or(name);
    let is_letter = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
    !name.is_empty() && name.bytes().all(is_letter)
}

/// Whether all of a path is in quotes that are not those of a name which is no text (`"bad\377"`).
fn is_enclosed(path: &str) -> bool {
    let is_in = |sign| path.len() > 2 && path.starts_with(sign) && path.ends_with(sign);
    is_in('`') || (is_in('"') && !path.contains('\\'))
}

/// What stands behind the `@` with which hosts name files in a prompt: `@src/a.ts`, or an absolute path.
pub(crate) fn behind_mention(path: &str) -> Option<&str> {
    path.strip_prefix('@').filter(|path| !path.is_empty())
}

/// The name in the form in which those that look the same are equal.
pub(crate) fn plain_form(name: &str) -> String {
    name.nfc()
        .map(|character| match character {
            '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200a}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{3000}' => ' ',
            '\u{2018}'..='\u{201b}' => '\'',
            '\u{201c}'..='\u{201f}' => '"',
            other => other,
        })
        .collect()
}
