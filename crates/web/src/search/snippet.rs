//! Snippets in one line of bare text.

use crate::visible;

/// Most characters of a snippet.
const MOST: usize = 1_000;

/// Text without tags, references and line breaks, hidden characters written out.
pub(super) fn tidy(text: &str) -> String {
    let text = without_tags(text);
    let text = unescaped(&text);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    visible::line(&line, MOST)
}

/// Takes out the tags that providers mark words with; other angle brackets are text.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let name: String = after
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        let is_mark = matches!(
            name.to_ascii_lowercase().as_str(),
            "strong" | "b" | "em" | "i" | "mark" | "span" | "br" | "p" | "u" | "a" | "code" | "wbr"
        );
        match after
            .split_once('>')
            .filter(|(tag, _)| is_mark && tag.len() < 200)
        {
            Some((_, after)) => {
                if matches!(name.as_str(), "br" | "p") {
                    out.push(' ');
                }
                rest = after;
            }
            None => {
                out.push('<');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let name = after.split_once(';').filter(|(name, _)| name.len() <= 8);
        match name.and_then(|(name, after)| Some((letter(name)?, after))) {
            Some((letter, after)) => {
                out.push(letter);
                rest = after;
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn letter(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code);
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "hellip" => '…',
        "ndash" => '–',
        "mdash" => '—',
        "middot" => '·',
        "rsquo" => '’',
        "lsquo" => '‘',
        "ldquo" => '“',
        "rdquo" => '”',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_references_are_undone_and_text_stays_text() {
        assert_eq!(
            tidy(
                "The <strong>borrow</strong> checker&#x27;s &lt;T&gt; &amp; Vec<u8> a < b<br/>next\nline &copy;"
            ),
            "The borrow checker's <T> & Vec<u8> a < b next line &copy;"
        );
        assert_eq!(tidy("a\u{202e}b"), "a\\u{202e}b");
    }
}
