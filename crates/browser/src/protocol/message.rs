//! Reading messages of the browser.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// A text in a message, by its pointer; empty where there is none.
pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Reads JSON in which texts of a page may have half a character (a surrogate alone): scripts may write that, our texts cannot hold it,
/// and no page must get rid of its events by it. A replacement character is put in its place.
pub(crate) fn parse<T: DeserializeOwned>(json: &str) -> serde_json::Result<T> {
    serde_json::from_str(json).or_else(|error| match without_halves(json) {
        Some(json) => serde_json::from_str(&json),
        None => Err(error),
    })
}

/// The same without halves of characters; nothing where there are none.
fn without_halves(json: &str) -> Option<String> {
    let unit = |at: usize| {
        let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut whole = String::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(found) = json.get(at..).and_then(|rest| rest.find('\\')) {
        at += found;
        at += match unit(at) {
            Some(0xD800..=0xDBFF) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => 12,
            Some(0xD800..=0xDFFF) => {
                whole.push_str(json.get(copied..at)?);
                whole.push_str("\\ufffd");
                copied = at + 6;
                6
            }
            Some(_) => 6,
            None => 2,
        };
    }
    whole.push_str(json.get(copied..)?);
    (copied > 0).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_character_is_replaced_and_a_whole_one_is_not() {
        let read = |json: &str| parse::<String>(json).ok();
        for (json, text) in [
            (r#""a\ud800b""#, "a\u{fffd}b"),
            (
                r#""\udc00\ud800\ud83d\ude00\uD83D\u0041""#,
                "\u{fffd}\u{fffd}😀\u{fffd}A",
            ),
            (r#""\\ud800\"\ud83d""#, "\\ud800\"\u{fffd}"),
            (r#""é\ud800""#, "é\u{fffd}"),
        ] {
            assert_eq!(read(json).as_deref(), Some(text), "{json}");
        }
        for json in [r#""\ud80""#, r#""\ud800"#, r#""\"#, "\"\\é\"", ""] {
            assert_eq!(read(json), None, "{json}");
        }
    }
}
