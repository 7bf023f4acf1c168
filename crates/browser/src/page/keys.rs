//! Keys by their names, as the browser wants them.

use crate::BrowserError;

/// Modifiers, as a sum.
pub(crate) const ALT: u8 = 1;
pub(crate) const CONTROL: u8 = 2;
pub(crate) const META: u8 = 4;
pub(crate) const SHIFT: u8 = 8;

/// A key that is pressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    /// What it is called (DOM `key`).
    pub(crate) key: String,
    /// Where it is (DOM `code`).
    pub(crate) code: String,
    /// Its number on Windows, which pages still read.
    pub(crate) number: u32,
    /// What it writes.
    pub(crate) text: Option<String>,
    /// What is held meanwhile.
    pub(crate) modifiers: u8,
}

/// Names, places and numbers of keys that write nothing, or something else than their name.
const NAMED: &[(&str, &str, u32, Option<&str>)] = &[
    ("Enter", "Enter", 13, Some("\r")),
    ("Tab", "Tab", 9, None),
    ("Escape", "Escape", 27, None),
    ("Backspace", "Backspace", 8, None),
    ("Delete", "Delete", 46, None),
    ("Insert", "Insert", 45, None),
    ("Home", "Home", 36, None),
    ("End", "End", 35, None),
    ("PageUp", "PageUp", 33, None),
    ("PageDown", "PageDown", 34, None),
    ("ArrowLeft", "ArrowLeft", 37, None),
    ("ArrowUp", "ArrowUp", 38, None),
    ("ArrowRight", "ArrowRight", 39, None),
    ("ArrowDown", "ArrowDown", 40, None),
    ("Space", "Space", 32, Some(" ")),
    ("ContextMenu", "ContextMenu", 93, None),
];

/// Other names of the same.
const ALSO: &[(&str, &str)] = &[
    ("return", "Enter"),
    ("esc", "Escape"),
    ("del", "Delete"),
    ("left", "ArrowLeft"),
    ("up", "ArrowUp"),
    ("right", "ArrowRight"),
    ("down", "ArrowDown"),
    ("pgup", "PageUp"),
    ("pgdn", "PageDown"),
    ("page_up", "PageUp"),
    ("page_down", "PageDown"),
];

/// Places and numbers of signs on a keyboard of the United States: sign, with shift, place, number.
const SIGNS: &[(char, char, &str, u32)] = &[
    ('1', '!', "Digit1", 49),
    ('2', '@', "Digit2", 50),
    ('3', '#', "Digit3", 51),
    ('4', '$', "Digit4", 52),
    ('5', '%', "Digit5", 53),
    ('6', '^', "Digit6", 54),
    ('7', '&', "Digit7", 55),
    ('8', '*', "Digit8", 56),
    ('9', '(', "Digit9", 57),
    ('0', ')', "Digit0", 48),
    ('-', '_', "Minus", 189),
    ('=', '+', "Equal", 187),
    ('[', '{', "BracketLeft", 219),
    (']', '}', "BracketRight", 221),
    ('\\', '|', "Backslash", 220),
    (';', ':', "Semicolon", 186),
    ('\'', '"', "Quote", 222),
    (',', '<', "Comma", 188),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
    ('`', '~', "Backquote", 192),
    (' ', ' ', "Space", 32),
];

/// The name of a modifier.
pub(crate) fn modifier(name: &str) -> Option<u8> {
    Some(match name.to_ascii_lowercase().as_str() {
        "alt" | "option" => ALT,
        "control" | "ctrl" => CONTROL,
        "meta" | "cmd" | "command" | "super" | "win" => META,
        "shift" => SHIFT,
        "controlormeta" | "mod" if cfg!(target_os = "macos") => META,
        "controlormeta" | "mod" => CONTROL,
        _ => return None,
    })
}

/// All of these modifiers.
pub(crate) fn modifiers(names: &[String]) -> Result<u8, BrowserError> {
    names.iter().try_fold(0, |sum, name| {
        let one = modifier(name).ok_or_else(|| {
            BrowserError::Invalid(format!(
                "`{name}` is no modifier. Use `Alt`, `Control`, `Meta` or `Shift`."
            ))
        })?;
        Ok(sum | one)
    })
}

/// The key that writes this letter, where a keyboard has it.
pub(crate) fn letter(letter: char) -> Option<Key> {
    if letter == '\n' || letter == '\r' {
        return named("Enter");
    }
    if letter == '\t' {
        return named("Tab");
    }
    let (code, number, is_shifted) = if letter.is_ascii_alphabetic() {
        let upper = letter.to_ascii_uppercase();
        (
            format!("Key{upper}"),
            u32::from(upper),
            letter.is_ascii_uppercase(),
        )
    } else {
        let sign = SIGNS
            .iter()
            .find(|(plain, shifted, ..)| *plain == letter || *shifted == letter)?;
        (sign.2.to_owned(), sign.3, sign.0 != letter)
    };
    Some(Key {
        key: letter.to_string(),
        code,
        number,
        text: Some(letter.to_string()),
        modifiers: if is_shifted { SHIFT } else { 0 },
    })
}

fn named(name: &str) -> Option<Key> {
    let (key, code, number, text) = NAMED
        .iter()
        .find(|known| known.0.eq_ignore_ascii_case(name))?;
    Some(Key {
        key: if *key == "Space" {
            " ".to_owned()
        } else {
            (*key).to_owned()
        },
        code: (*code).to_owned(),
        number: *number,
        text: text.map(str::to_owned),
        modifiers: 0,
    })
}

/// The key of this name, such as `Enter`, `a`, `Control+Shift+K` or `F5`.
pub(crate) fn key(name: &str) -> Result<Key, BrowserError> {
    let unknown = || {
        BrowserError::Invalid(format!(
            "`{}` is no key. Use a letter or a name such as `Enter`, `Tab`, `Escape`, `ArrowDown`, `Control+A` or `F5`.",
            name.chars().take(40).collect::<String>()
        ))
    };
    // The last one may be the sign `+` itself.
    let (held, last) = match name.strip_suffix("++") {
        Some(held) => (held, "+"),
        None if name == "+" => ("", "+"),
        None => name.rsplit_once('+').unwrap_or(("", name)),
    };
    let mut sum = 0;
    for one in held.split('+').filter(|one| !one.is_empty()) {
        sum |= modifier(one.trim()).ok_or_else(unknown)?;
    }
    let also = ALSO
        .iter()
        .find(|(other, _)| other.eq_ignore_ascii_case(last))
        .map_or(last, |(_, name)| *name);
    let mut letters = also.chars();
    let found = match (letters.next(), letters.next()) {
        // `Control+A` means the key; with the letter the key would be held with shift.
        (Some(one), None) if sum & (ALT | CONTROL | META) != 0 && sum & SHIFT == 0 => {
            letter(one.to_ascii_lowercase())
        }
        (Some(one), None) => letter(one),
        _ => named(also).or_else(|| function_key(also)),
    };
    let mut key = found.ok_or_else(unknown)?;
    if key.modifiers | sum & SHIFT != 0 && key.key.len() == 1 && sum & SHIFT != 0 {
        key.key = key.key.to_uppercase();
        key.text = key.text.map(|text| text.to_uppercase());
    }
    key.modifiers |= sum;
    if sum & (ALT | CONTROL | META) != 0 {
        // A shortcut writes nothing.
        key.text = None;
    }
    Ok(key)
}

fn function_key(name: &str) -> Option<Key> {
    let number: u32 = name.strip_prefix(['F', 'f'])?.parse().ok()?;
    (1..=24).contains(&number).then(|| Key {
        key: format!("F{number}"),
        code: format!("F{number}"),
        number: 111 + number,
        text: None,
        modifiers: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(name: &str) -> String {
        match key(name) {
            Ok(key) => format!(
                "{} {} {} {:?} {}",
                key.key, key.code, key.number, key.text, key.modifiers
            ),
            Err(error) => error.kind().to_owned(),
        }
    }

    #[test]
    fn keys_are_found_by_the_names_that_people_give_them() {
        assert_eq!(described("Enter"), "Enter Enter 13 Some(\"\\r\") 0");
        assert_eq!(described("return"), "Enter Enter 13 Some(\"\\r\") 0");
        assert_eq!(described("a"), "a KeyA 65 Some(\"a\") 0");
        assert_eq!(described("A"), "A KeyA 65 Some(\"A\") 8");
        assert_eq!(described("Control+A"), "a KeyA 65 None 2");
        assert_eq!(described("ctrl+a"), "a KeyA 65 None 2");
        assert_eq!(described("Shift+Tab"), "Tab Tab 9 None 8");
        assert_eq!(described("Control++"), "+ Equal 187 None 10");
        assert_eq!(described("F5"), "F5 F5 116 None 0");
        assert_eq!(described("Space"), "  Space 32 Some(\" \") 0");
        for name in ["", "Foo", "Hyper+a", "F99", "ab", "é"] {
            assert_eq!(described(name), "invalid", "{name}");
        }
    }
}
