//! What `echo` and `printf` make of their arguments.

/// What `printf` prints of these words: the format with its arguments put in, from the first on again where there are more of them.
/// Numbers are put in as they are written.
#[must_use]
pub fn formatted(words: &[&str]) -> String {
    let rest = match words.split_first() {
        Some((&"--", rest)) => rest,
        _ => words,
    };
    let Some((format, values)) = rest.split_first() else {
        return String::new();
    };
    let format = unescaped(format);
    let mut values = values.iter();
    let mut text = String::new();
    loop {
        let left = values.len();
        let mut pieces = format.split('%');
        text.push_str(pieces.next().unwrap_or_default());
        while let Some(piece) = pieces.next() {
            match piece.chars().next() {
                Some('s' | 'd' | 'i') => text.push_str(values.next().copied().unwrap_or_default()),
                Some('b') => text.push_str(&unescaped(values.next().copied().unwrap_or_default())),
                None => {
                    text.push('%');
                    text.push_str(pieces.next().unwrap_or_default());
                    continue;
                }
                Some(_) => {}
            }
            text.extend(piece.chars().skip(1));
        }
        if values.len() == 0 || values.len() == left {
            return text;
        }
    }
}

/// The text with line ends, tabs and backslashes in place of the marks for them.
#[must_use]
pub fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('\\') | None => plain.push('\\'),
            Some(other) => plain.extend(['\\', other]),
        }
    }
    plain
}
