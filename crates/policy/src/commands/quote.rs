//! Words as a rule writes them.

/// The word as it must stand in a rule to be read as this word.
pub(crate) fn quote(word: &str) -> String {
    let plain = |letter: char| {
        letter.is_ascii_alphanumeric()
            || matches!(letter, '-' | '_' | '.' | '/' | ',' | '+' | '@' | '%' | ':')
    };
    // A word with `=` could be read as an assignment.
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
