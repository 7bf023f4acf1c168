//! Superscripts in a line of text: `10` with a raised `6` is not 106.

/// What stands before and behind a superscript, so that it is not read as a part of what it is above. `None` for signs
/// that stand beside a word, which stay as they are.
#[must_use]
pub fn marks(text: &str) -> Option<(&'static str, &'static str)> {
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
    if text.chars().all(is_sign) || text.starts_with('[') && text.ends_with(']') {
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
