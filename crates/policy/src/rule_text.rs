//! Rules as they are written for exactly one command, word or path.

/// The word as it must stand in a rule to be read as this word.
pub(crate) fn quote(word: &str) -> String {
    let mut quoted = String::with_capacity(word.len() + 2);
    push_quoted(&mut quoted, word);
    quoted
}

/// Adds the word as it must stand in a rule to be read as this word.
pub(crate) fn push_quoted(rule: &mut String, word: &str) {
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

/// The rule on a command of exactly these words.
pub(crate) fn exact_command<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let mut rule = String::with_capacity(64);
    rule.push_str("Bash(");
    for (place, word) in words.enumerate() {
        if place > 0 {
            rule.push(' ');
        }
        push_quoted(&mut rule, word);
    }
    rule.push(')');
    rule
}

/// A rule for exactly this path.
pub(crate) fn exact_path(tool: &str, name: &str) -> String {
    if name == "." {
        return format!("{tool}(**)");
    }
    let mut rule = String::with_capacity(tool.len() + name.len() + 2);
    rule.push_str(tool);
    rule.push('(');
    for letter in name.chars() {
        if matches!(letter, '*' | '?' | '[' | '{' | '\\') {
            rule.push('\\');
        }
        rule.push(letter);
    }
    rule.push(')');
    rule
}
