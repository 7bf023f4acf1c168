//! Words as a rule writes them.

/// The word as it must stand in a rule to be read as this word.
pub(crate) fn quote(word: &str) -> String {
    let mut quoted = String::with_capacity(word.len() + 2);
    push_quoted(&mut quoted, word);
    quoted
}

/// Adds the word as it must stand in a rule to be read as this word.
pub(super) fn push_quoted(rule: &mut String, word: &str) {
    let plain = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'-' | b'_' | b'.' | b'/' | b',' | b'+' | b'@' | b'%' | b':'
            )
    };
    // A word with `=` could be read as an assignment.
    if !word.is_empty() && word.bytes().all(plain) {
        rule.push_str(word);
        return;
    }
    rule.push('\'');
    for (place, piece) in word.split('\'').enumerate() {
        if place > 0 {
            rule.push_str("'\\''");
        }
        rule.push_str(piece);
    }
    rule.push('\'');
}
