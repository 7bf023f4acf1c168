//! Names of keys, as tmux has them, and what a terminal of the xterm family sends for them.

use crate::input::terminal::Modes;

/// A key that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{key}` is not a key. `C-`, `M-` and `S-` are followed by one character or one of Up, Down, Left, Right, Home, End, PageUp, PageDown, Insert, Delete, BSpace, Tab, BTab, Enter, Escape, Space, F1 to F12."
)]
pub struct UnknownKey {
    /// As it was given.
    pub key: String,
}

/// Keys held down with another.
#[derive(Debug, Clone, Copy, Default)]
struct HeldKeys {
    control: bool,
    alt: bool,
    shift: bool,
}

/// How a key is sent.
#[derive(Debug, Clone, Copy)]
enum Sent {
    /// A character.
    Character(char),
    /// `ESC [ letter`, or `ESC O letter` in application mode.
    Cursor(char),
    /// `ESC O letter`.
    Function(char),
    /// `ESC [ number ~`.
    Numbered(u8),
}

/// Names in lower case.
const KEYS: &[(&str, Sent)] = &[
    ("enter", Sent::Character('\r')),
    ("return", Sent::Character('\r')),
    ("kpenter", Sent::Character('\r')),
    ("tab", Sent::Character('\t')),
    ("escape", Sent::Character('\u{1B}')),
    ("esc", Sent::Character('\u{1B}')),
    ("space", Sent::Character(' ')),
    ("bspace", Sent::Character('\u{7F}')),
    ("backspace", Sent::Character('\u{7F}')),
    ("up", Sent::Cursor('A')),
    ("down", Sent::Cursor('B')),
    ("right", Sent::Cursor('C')),
    ("left", Sent::Cursor('D')),
    ("home", Sent::Cursor('H')),
    ("end", Sent::Cursor('F')),
    ("insert", Sent::Numbered(2)),
    ("ic", Sent::Numbered(2)),
    ("delete", Sent::Numbered(3)),
    ("del", Sent::Numbered(3)),
    ("dc", Sent::Numbered(3)),
    ("pageup", Sent::Numbered(5)),
    ("pgup", Sent::Numbered(5)),
    ("ppage", Sent::Numbered(5)),
    ("pagedown", Sent::Numbered(6)),
    ("pgdn", Sent::Numbered(6)),
    ("npage", Sent::Numbered(6)),
    ("f1", Sent::Function('P')),
    ("f2", Sent::Function('Q')),
    ("f3", Sent::Function('R')),
    ("f4", Sent::Function('S')),
    ("f5", Sent::Numbered(15)),
    ("f6", Sent::Numbered(17)),
    ("f7", Sent::Numbered(18)),
    ("f8", Sent::Numbered(19)),
    ("f9", Sent::Numbered(20)),
    ("f10", Sent::Numbered(21)),
    ("f11", Sent::Numbered(23)),
    ("f12", Sent::Numbered(24)),
];

/// What is held down, and how it may be written. `^c` is known besides.
const MODIFIERS: &[(&str, HeldKeys)] = &[
    ("c-", CONTROL),
    ("ctrl-", CONTROL),
    ("ctrl+", CONTROL),
    ("control-", CONTROL),
    ("control+", CONTROL),
    ("m-", ALT),
    ("a-", ALT),
    ("alt-", ALT),
    ("alt+", ALT),
    ("meta-", ALT),
    ("meta+", ALT),
    ("s-", SHIFT),
    ("shift-", SHIFT),
    ("shift+", SHIFT),
];
const CONTROL: HeldKeys = HeldKeys {
    control: true,
    alt: false,
    shift: false,
};
const ALT: HeldKeys = HeldKeys {
    control: false,
    alt: true,
    shift: false,
};
const SHIFT: HeldKeys = HeldKeys {
    control: false,
    alt: false,
    shift: true,
};

/// What the keys send, one after the other. What names no key is typed as it is, as tmux does.
pub(crate) fn sent_by(keys: &[String], modes: Modes) -> Result<String, UnknownKey> {
    let mut sent = String::new();
    for key in keys {
        sent.push_str(&one(key, modes)?);
    }
    Ok(sent)
}

/// A paste: between marks when `bracketed`, and then without an end mark in the text itself, which
/// could type commands after it. No other escape is left either, as in terminals: where a mark is taken out of a
/// mark, one would remain.
pub(crate) fn pasted(text: &str, bracketed: bool) -> String {
    if bracketed {
        let text = text
            .replace("\u{1B}[201~", "")
            .replace(['\u{1B}', '\u{9B}'], "");
        format!("\u{1B}[200~{text}\u{1B}[201~")
    } else {
        text.to_owned()
    }
}

fn one(key: &str, modes: Modes) -> Result<String, UnknownKey> {
    let unknown = || UnknownKey { key: key.into() };
    let (held, name) = taken_apart(key);
    let has_modifier = held.control || held.alt || held.shift;
    let lower = name.to_ascii_lowercase();
    if lower == "btab" || (held.shift && lower == "tab") {
        return Ok("\u{1B}[Z".to_owned());
    }
    if let Some((_, sent)) = KEYS.iter().find(|(known, _)| *known == lower) {
        return encoded(*sent, held, modes).ok_or_else(unknown);
    }
    let mut letters = name.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => encoded(Sent::Character(letter), held, modes).ok_or_else(unknown),
        _ if has_modifier => Err(unknown()),
        _ => Ok(key.to_owned()),
    }
}

/// `C-M-Up` is Control and Alt with `Up`. A modifier needs something after it: `c-` is text.
fn taken_apart(key: &str) -> (HeldKeys, &str) {
    let mut held = HeldKeys::default();
    let mut rest = key;
    if let Some(name) = key
        .strip_prefix('^')
        .filter(|name| name.chars().count() == 1)
    {
        return (CONTROL, name);
    }
    'modifiers: loop {
        for (written, more) in MODIFIERS {
            let (Some(start), Some(after)) = (rest.get(..written.len()), rest.get(written.len()..))
            else {
                continue;
            };
            if start.eq_ignore_ascii_case(written) && !after.is_empty() {
                held.control |= more.control;
                held.alt |= more.alt;
                held.shift |= more.shift;
                rest = after;
                continue 'modifiers;
            }
        }
        return (held, rest);
    }
}

fn encoded(sent: Sent, held: HeldKeys, modes: Modes) -> Option<String> {
    // As xterm numbers the modifiers.
    let modifier = 1 + u8::from(held.shift) + 2 * u8::from(held.alt) + 4 * u8::from(held.control);
    let text = match sent {
        Sent::Character(letter) => {
            let letter = if held.shift {
                letter.to_uppercase().next().unwrap_or(letter)
            } else {
                letter
            };
            let letter = if held.control {
                control(letter)?
            } else {
                letter
            };
            let escape = if held.alt { "\u{1B}" } else { "" };
            format!("{escape}{letter}")
        }
        Sent::Cursor(letter) | Sent::Function(letter) if modifier > 1 => {
            format!("\u{1B}[1;{modifier}{letter}")
        }
        Sent::Cursor(letter) if !modes.application_cursor => format!("\u{1B}[{letter}"),
        Sent::Cursor(letter) | Sent::Function(letter) => format!("\u{1B}O{letter}"),
        Sent::Numbered(number) if modifier > 1 => format!("\u{1B}[{number};{modifier}~"),
        Sent::Numbered(number) => format!("\u{1B}[{number}~"),
    };
    Some(text)
}

/// The control character of a key, where it has one.
fn control(letter: char) -> Option<char> {
    match letter {
        ' ' => Some('\0'),
        '?' => Some('\u{7F}'),
        // Enter, Tab, Escape and the like are control characters already.
        '\0'..='\u{1F}' | '\u{7F}' => Some(letter),
        _ => {
            let code = u8::try_from(letter.to_ascii_uppercase()).ok()?;
            (64..96).contains(&code).then(|| char::from(code & 0x1F))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(key: &str) -> String {
        sent_by(&[key.to_owned()], Modes::default()).unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn keys_have_the_names_that_tmux_gives_them() {
        let table = [
            ("Enter", "\r"),
            ("C-c", "\u{3}"),
            ("^C", "\u{3}"),
            ("ctrl+c", "\u{3}"),
            ("C-d", "\u{4}"),
            ("C-Space", "\0"),
            ("C-[", "\u{1B}"),
            ("Escape", "\u{1B}"),
            ("Tab", "\t"),
            ("BTab", "\u{1B}[Z"),
            ("S-Tab", "\u{1B}[Z"),
            ("Space", " "),
            ("BSpace", "\u{7F}"),
            ("Up", "\u{1B}[A"),
            ("S-Up", "\u{1B}[1;2A"),
            ("C-M-Left", "\u{1B}[1;7D"),
            ("Home", "\u{1B}[H"),
            ("PPage", "\u{1B}[5~"),
            ("PageDown", "\u{1B}[6~"),
            ("C-DC", "\u{1B}[3;5~"),
            ("F1", "\u{1B}OP"),
            ("S-F1", "\u{1B}[1;2P"),
            ("F12", "\u{1B}[24~"),
            ("M-x", "\u{1B}x"),
            ("S-a", "A"),
            ("M-S-a", "\u{1B}A"),
        ];
        for (key, expected) in table {
            assert_eq!(sent(key), expected, "{key}");
        }
    }

    #[test]
    fn what_names_no_key_is_typed() {
        for text in ["hello", "a", "é", "q!", "^", "C-", "c", "-", "漢字", ""] {
            assert_eq!(sent(text), text);
        }
    }

    #[test]
    fn a_modifier_with_something_that_is_no_key_is_refused() {
        assert!(sent("C-hello").starts_with("`C-hello` is not a key."));
        assert!(sent("C-é").starts_with("`C-é` is not a key."));
    }

    #[test]
    fn arrows_follow_the_mode_of_the_program() {
        let application = Modes {
            application_cursor: true,
            ..Modes::default()
        };
        let keys = ["Up", "End", "C-Up", "F1"].map(String::from);
        assert_eq!(
            sent_by(&keys, application),
            Ok("\u{1B}OA\u{1B}OF\u{1B}[1;5A\u{1B}OP".into())
        );
    }

    #[test]
    fn a_paste_cannot_end_itself() {
        assert_eq!(
            pasted("a\u{1B}[201~\nrm x\n", true),
            "\u{1B}[200~a\nrm x\n\u{1B}[201~"
        );
        for nested in ["a\u{1B}[2\u{1B}[201~01~b", "a\u{1B}\u{9B}[201~b"] {
            let sent = pasted(nested, true);
            let ends = sent.matches("\u{1B}[201~").count();
            assert_eq!(
                (ends, sent.ends_with("b\u{1B}[201~")),
                (1, true),
                "{sent:?}"
            );
        }
        assert_eq!(pasted("a\nb", false), "a\nb");
    }
}
