//! Superscripts: `10<sup>6</sup>` is not 106.

use dom_query::NodeRef;

/// What stands before and behind a superscript, so that it is not read as a part of what it is above. `None` for signs
/// beside a word and for references to notes, which stay as they are.
pub(super) fn marks(node: &NodeRef<'_>) -> Option<(&'static str, &'static str)> {
    let text = node.text();
    let text = text.trim();
    let is_sign = |letter: char| {
        matches!(
            letter,
            '*' | '†'
                | '‡'
                | '§'
                | '¶'
                | '®'
                | '™'
                | '©'
                | '℠'
                | '°'
                | '′'
                | '″'
                | 'º'
                | 'ª'
        )
    };
    let is_reference = text.starts_with('[') && text.ends_with(']')
        || node.descendants_it().any(|node| node.has_name("a"));
    if text.chars().all(is_sign) || is_reference {
        return None;
    }
    Some(if is_one_term(text) {
        ("^", "")
    } else {
        ("^(", ")")
    })
}

/// Whether it is clear without brackets where it ends: a number, a word, something in brackets already.
fn is_one_term(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+', '−', '–']).unwrap_or(text);
    let all = |is_part: fn(char) -> bool| unsigned.chars().all(is_part);
    let in_brackets = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'))
        .is_some_and(|text| !text.contains(['(', ')']));
    in_brackets || all(char::is_alphabetic) || all(|letter| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_end_where_they_are_seen_to_end() {
        for text in ["2", "-3", "−9", "n", "−x", "th", "(n)", "T"] {
            assert!(is_one_term(text), "{text}");
        }
        for text in ["2n", "2n+1", "−x²", "1/2", "0.5", "(a)(b)", "n 1"] {
            assert!(!is_one_term(text), "{text}");
        }
    }
}
