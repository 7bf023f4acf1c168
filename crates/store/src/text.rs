//! The text of a value, for searches.

use serde_json::Value;
use tenon_contract::limits;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::Json;

/// All strings in a value, a line each. Of a value that Rust cannot read, its JSON.
pub(crate) fn text_of(value: &Json) -> String {
    let Ok(read) = value.read::<Value>() else {
        return value.as_str().to_owned();
    };
    let mut text = String::new();
    collect(&read, &mut text);
    text
}

/// The depth is that of what `serde_json` reads: 128.
fn collect(value: &Value, text: &mut String) {
    match value {
        Value::String(string) => {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(string);
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, text)),
        Value::Object(members) => members.values().for_each(|member| collect(member, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The words of a search, as they are compared.
pub(crate) fn words(text: &str) -> Vec<String> {
    let words = text.split_whitespace().map(|word| word.replace('\0', ""));
    let words = words.filter(|word| !word.is_empty());
    words.take(limits::STORE_SEARCH_MAX_WORDS).collect()
}

/// A text without case and diacritics.
pub(crate) fn folded(text: &str) -> String {
    let letters = text.nfd().filter(|letter| !is_combining_mark(*letter));
    letters.flat_map(char::to_lowercase).collect()
}

/// Whether a text holds all words, which are folded.
pub(crate) fn holds(text: &str, words: &[String]) -> bool {
    let text = folded(text);
    words.iter().all(|word| text.contains(word.as_str()))
}

/// The text around the first of the words, on one line.
pub(crate) fn snippet(text: &str, words: &[String]) -> String {
    let most = limits::STORE_SNIPPET_MAX_CHARACTERS;
    let letters: Vec<char> = text.chars().collect();
    // Folding changes lengths, so the place is looked for letter by letter.
    let lengths: Vec<usize> = letters
        .iter()
        .map(|letter| folded(letter.encode_utf8(&mut [0; 4])).len())
        .collect();
    let whole: String = letters
        .iter()
        .map(|letter| folded(letter.encode_utf8(&mut [0; 4])))
        .collect();
    let at = words
        .iter()
        .filter_map(|word| whole.find(word.as_str()))
        .min()
        .unwrap_or_default();
    let mut passed = 0;
    let first = lengths
        .iter()
        .take_while(|length| {
            passed += **length;
            passed <= at
        })
        .count();
    let start = first.saturating_sub(most / 4);
    let shown: String = letters.iter().skip(start).take(most).collect();
    let line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let before = if start > 0 { "…" } else { "" };
    let after = if start + most < letters.len() {
        "…"
    } else {
        ""
    };
    format!("{before}{line}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_value_is_its_strings() {
        let json = |text: &str| Json::from_text(text).unwrap();
        assert_eq!(
            text_of(&json(r#"{"a": "one", "b": [2, "three", {"c": "four"}]}"#)),
            "one\nthree\nfour"
        );
        assert_eq!(text_of(&json("\"\\ud800x\"")), "\"\\ud800x\"");
    }

    #[test]
    fn a_snippet_shows_what_is_around_the_first_word() {
        let text = format!("{}Das Café\nschließt {}", "x ".repeat(200), "y".repeat(300));
        let shown = snippet(&text, &[folded("CAFE")]);
        assert!(
            shown.starts_with("…x x") && shown.contains("Das Café schließt y"),
            "{shown}"
        );
        assert!(
            shown.chars().count() <= limits::STORE_SNIPPET_MAX_CHARACTERS + 2,
            "{shown}"
        );
        assert_eq!(snippet("short", &[folded("none")]), "short");
    }

    #[test]
    fn case_and_diacritics_do_not_count() {
        assert!(holds("Über das CAFÉ", &[folded("uber"), folded("café")]));
        assert!(!holds("Über das CAFÉ", &[folded("uber"), folded("tee")]));
    }
}
