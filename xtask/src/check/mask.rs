//! Rust text without its comments and literals, so that braces and names can be looked for.

use std::ops::Range;

/// The text with the content of comments and literals turned to spaces; every byte keeps its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Masked {
    pub(crate) code: String,
    /// The string literals, with their content as it is written.
    pub(crate) literals: Vec<Literal>,
}

/// One string literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Literal {
    /// Where its content begins.
    pub(crate) start: usize,
    pub(crate) content: String,
}

/// What begins at some place.
enum Token {
    /// A comment, or a character: blank it.
    Blank(usize),
    /// A string: where its content lies and where it ends.
    Text(Range<usize>, usize),
    /// Code up to there.
    Code(usize),
}

/// Masks Rust text.
pub(crate) fn mask(text: &str) -> Masked {
    let bytes = text.as_bytes();
    let mut code = Vec::with_capacity(bytes.len());
    let mut literals = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let (blank, end) = match token(bytes, at) {
            Token::Blank(end) => (at..end, end),
            Token::Code(end) => (end..end, end),
            Token::Text(content, end) => {
                literals.push(Literal {
                    start: content.start,
                    content: text.get(content.clone()).unwrap_or_default().to_owned(),
                });
                (content, end)
            }
        };
        for (index, byte) in bytes.iter().enumerate().take(end).skip(at) {
            let is_blank = blank.contains(&index) && *byte != b'\n';
            code.push(if is_blank { b' ' } else { *byte });
        }
        at = end.max(at + 1);
    }
    Masked {
        // Only whole characters are blanked, each byte by a space.
        code: String::from_utf8_lossy(&code).into_owned(),
        literals,
    }
}

fn token(bytes: &[u8], at: usize) -> Token {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest {
        [b'/', b'/', ..] => Token::Blank(at + find(rest, b"\n").unwrap_or(rest.len())),
        [b'/', b'*', ..] => Token::Blank(at + block_comment(rest)),
        [b'"', ..] => {
            let length = string(rest);
            Token::Text(at + 1..at + length, (at + length + 1).min(bytes.len()))
        }
        [b'\'', ..] => match character(rest) {
            Some(length) => Token::Blank(at + length),
            None => Token::Code(at + 1),
        },
        [b'r', ..] if !continues_a_name(bytes, at) => raw_string(rest)
            .map_or(Token::Code(at + 1), |(start, length, end)| {
                Token::Text(at + start..at + start + length, at + end)
            }),
        [first, ..] if is_name(*first) => {
            // `br` and `cr` begin raw strings as well: their `r` is looked at next.
            Token::Code(at + 1)
        }
        _ => Token::Code(at + 1),
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Whether the byte belongs to a name that began before it, other than the prefixes `b` and `c`.
fn continues_a_name(bytes: &[u8], at: usize) -> bool {
    let before = |steps: usize| {
        at.checked_sub(steps)
            .and_then(|index| bytes.get(index))
            .copied()
    };
    match before(1) {
        Some(b'b' | b'c') => before(2).is_some_and(is_name),
        Some(byte) => is_name(byte),
        None => false,
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// Length of a comment that may hold others.
fn block_comment(rest: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    loop {
        match rest.get(at..).unwrap_or_default() {
            [] => return rest.len(),
            [b'/', b'*', ..] => {
                depth += 1;
                at += 2;
            }
            [b'*', b'/', ..] => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
}

/// Where the closing quote stands.
fn string(rest: &[u8]) -> usize {
    let mut at = 1;
    loop {
        match rest.get(at) {
            None => return rest.len(),
            Some(b'"') => return at,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}

/// Length of a character literal; nothing for a lifetime.
fn character(rest: &[u8]) -> Option<usize> {
    let after = rest.get(1..)?;
    if after.first() == Some(&b'\\') {
        // The character behind the backslash may be a quote itself.
        return find(after.get(2..)?, b"'").map(|length| length + 4);
    }
    let length = after
        .iter()
        .skip(1)
        .take_while(|byte| **byte & 0xC0 == 0x80)
        .count()
        + 1;
    (after.get(length) == Some(&b'\'')).then_some(length + 2)
}

/// Start and length of the content of a raw string, and its end; nothing when it is none.
fn raw_string(rest: &[u8]) -> Option<(usize, usize, usize)> {
    let hashes = rest
        .iter()
        .skip(1)
        .take_while(|byte| **byte == b'#')
        .count();
    let start = hashes + 2;
    if rest.get(hashes + 1) != Some(&b'"') {
        return None;
    }
    let closing: Vec<u8> = std::iter::once(b'"')
        .chain(std::iter::repeat_n(b'#', hashes))
        .collect();
    let body = rest.get(start..)?;
    let length = find(body, &closing).unwrap_or(body.len());
    Some((
        start,
        length,
        (start + length + closing.len()).min(rest.len()),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_become_blanks_and_the_rest_stays_in_place() {
        let cases = [
            ("a // b {\nc", "a       \nc"),
            ("a /* { /* } */ \n */ b", "a              \n    b"),
            (r#"f("{ \" }", 'x')"#, r#"f("      ",    )"#),
            (r##"f(r#"a"{"#) r"b""##, r##"f(r#"   "#) r" ""##),
            (r#"b"{" br"{" c"{""#, r#"b" " br" " c" ""#),
            (
                r"'{' '\'' '\u{7d}' 'ä' b'{' &'a str",
                "                       b    &'a str",
            ),
            ("r#fn for_r\"x\"", "r#fn for_r\" \""),
            ("\"ä{\" }", "\"   \" }"),
        ];
        for (text, expected) in cases {
            let code = mask(text).code;
            assert_eq!(code.len(), text.len(), "{text}");
            assert_eq!(code.trim_end(), expected.trim_end(), "{text}");
        }
    }

    #[test]
    fn what_does_not_end_is_masked_to_the_end() {
        for text in ["\"abc", "/* abc", "r#\"abc\"", "'\\", "\"\\"] {
            assert_eq!(mask(text).code.len(), text.len());
        }
    }

    #[test]
    fn literals_are_kept_with_their_place() {
        let literal = |start: usize, content: &str| Literal {
            start,
            content: content.into(),
        };
        assert_eq!(
            mask("f(\"a\\\"b\", r#\"c\"#)").literals,
            [literal(3, "a\\\"b"), literal(13, "c")]
        );
    }
}
