//! From bytes to text: byte order mark, header, declaration, detection.

use chardetng::EncodingDetector;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How far a declaration is looked for, in bytes.
const DECLARATION_BYTES: usize = 4 * 1024;

/// Which kind of declaration a text may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Declares {
    /// `<meta charset>`.
    Html,
    /// `<?xml encoding?>`.
    Xml,
    /// None.
    Nothing,
}

/// Decodes a body. `cut` says that its last letter may be incomplete. What cannot be decoded becomes U+FFFD.
pub(crate) fn decode(
    body: &[u8],
    header: Option<&str>,
    declares: Declares,
    host: &str,
    cut: bool,
) -> String {
    let encoding = encoding_of(body, header, declares, host);
    // Byte order marks win over everything, and are no part of the text.
    let (text, _, _) = encoding.decode(body);
    let mut text = text.into_owned();
    if cut {
        text.truncate(text.trim_end_matches('\u{fffd}').len());
    }
    if text.contains('\r') {
        text = text.replace("\r\n", "\n").replace('\r', "\n");
    }
    text
}

fn encoding_of(
    body: &[u8],
    header: Option<&str>,
    declares: Declares,
    host: &str,
) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(body) {
        return encoding;
    }
    match stated(body, header, declares) {
        // Servers state it by default for pages in UTF-8. No text in it is UTF-8: each such letter would be two or three odd ones.
        Some(encoding) if encoding == WINDOWS_1252 && has_utf8_letters(body) => UTF_8,
        Some(encoding) => encoding,
        None => detected(body, host),
    }
}

/// The encoding by the header, or else by a declaration or zero bytes in the body.
fn stated(body: &[u8], header: Option<&str>, declares: Declares) -> Option<&'static Encoding> {
    let by_header = header.and_then(|label| Encoding::for_label(label.as_bytes()));
    let head = body.get(..DECLARATION_BYTES).unwrap_or(body);
    let declared = || match declares {
        Declares::Html => declared_by_meta(head).or_else(|| declared_by_xml(head)),
        Declares::Xml => declared_by_xml(head),
        Declares::Nothing => None,
    };
    by_header.or_else(declared).or_else(|| wide(head))
}

/// The encoding by the bytes alone.
fn detected(body: &[u8], host: &str) -> &'static Encoding {
    if is_utf8(body) {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new();
    detector.feed(body, true);
    let top = host
        .rsplit('.')
        .next()
        .filter(|label| label.bytes().all(|byte| byte.is_ascii_lowercase()));
    detector.guess(top.map(str::as_bytes), false)
}

/// Whether the bytes are UTF-8, an incomplete last letter aside.
fn is_utf8(body: &[u8]) -> bool {
    match std::str::from_utf8(body) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    }
}

/// Whether the bytes are UTF-8 and have a letter that shows it.
fn has_utf8_letters(body: &[u8]) -> bool {
    let whole = match std::str::from_utf8(body) {
        Ok(text) => text.len(),
        Err(error) => error.error_len().map_or(error.valid_up_to(), |_| 0),
    };
    body.get(..whole).is_some_and(|letters| !letters.is_ascii())
}

/// UTF-16 without a mark, by the zero bytes that markup in it has.
fn wide(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [b'<' | b'{' | b'[', 0, second, 0, ..] if *second != 0 => Some(UTF_16LE),
        [0, b'<' | b'{' | b'[', 0, second, ..] if *second != 0 => Some(UTF_16BE),
        _ => None,
    }
}

/// The prescan of the HTML standard, for what occurs in practice.
fn declared_by_meta(head: &[u8]) -> Option<&'static Encoding> {
    let text = String::from_utf8_lossy(head).to_ascii_lowercase();
    let text = without_comments(&text);
    for (at, _) in text.match_indices("<meta") {
        let tag = text.get(at + 5..)?;
        if !tag.starts_with(|letter: char| letter.is_whitespace() || letter == '/') {
            continue;
        }
        let tag = tag.split('>').next().unwrap_or_default();
        let Some((_, value)) = tag.split_once("charset") else {
            continue;
        };
        let Some(value) = value.trim_start().strip_prefix('=') else {
            continue;
        };
        let label: String = value
            .trim_start()
            .trim_start_matches(['"', '\''])
            .chars()
            .take_while(|letter| {
                !matches!(letter, '"' | '\'' | ';' | '/') && !letter.is_whitespace()
            })
            .collect();
        if let Some(encoding) = Encoding::for_label(label.as_bytes()) {
            return Some(readable_as_ascii(encoding));
        }
    }
    None
}

/// A declaration that could be read as ASCII is not in an encoding that is none of it.
fn readable_as_ascii(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else if encoding == encoding_rs::X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

fn declared_by_xml(head: &[u8]) -> Option<&'static Encoding> {
    let declaration = head.strip_prefix(b"<?xml")?;
    let end = declaration.windows(2).position(|pair| pair == b"?>")?;
    let text = String::from_utf8_lossy(declaration.get(..end)?);
    let (_, value) = text.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let label = value
        .trim_start_matches(['"', '\''])
        .split(['"', '\''])
        .next()?;
    Encoding::for_label(label.as_bytes()).map(readable_as_ascii)
}

fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(body: &[u8], header: Option<&str>) -> String {
        decode(body, header, Declares::Html, "example.com", false)
    }

    #[test]
    fn a_mark_wins_over_the_header_which_wins_over_the_page() {
        let latin = b"<meta charset=utf-8>caf\xe9";
        assert_eq!(html(latin, Some("iso-8859-1")), "<meta charset=utf-8>café");
        assert_eq!(html(b"\xef\xbb\xbfcaf\xc3\xa9", Some("iso-8859-1")), "café");
        assert_eq!(html(b"\xff\xfec\0a\0f\0\xe9\0", Some("utf-8")), "café");
        assert_eq!(html(b"\xfe\xff\0c\0a\0f\0\xe9", None), "café");
    }

    #[test]
    fn declarations_are_found_in_all_their_forms() {
        let table: [(&[u8], &str); 9] = [
            (b"<META CHARSET='windows-1251'>\xcf\xf0\xe8", "При"),
            (
                b"<meta http-equiv=Content-Type content=\"text/html; charset=Shift_JIS\">\x93\xfa",
                "日",
            ),
            (b"<meta charset = euc-kr >\xc7\xd1", "한"),
            (b"<meta charset=gb2312>\xd6\xd0", "中"),
            (
                b"<!-- <meta charset=utf-16> --><meta charset=big5>\xa4\xa4",
                "中",
            ),
            (b"<meta charset=utf-16>caf\xc3\xa9", "café"),
            (b"<metal charset=big5><meta charset=latin1>\x80", "€"),
            (b"<?xml version='1.0' encoding='iso-8859-2'?>\xb1", "ą"),
            (
                b"<meta charset=nonsense><meta charset=iso-8859-15>\xa4",
                "€",
            ),
        ];
        for (body, expected) in table {
            let text = html(body, None);
            assert!(text.ends_with(expected), "{text}");
        }
    }

    #[test]
    fn without_any_declaration_the_bytes_decide() {
        assert_eq!(html("日本語".as_bytes(), None), "日本語");
        assert_eq!(html(b"na\xefve caf\xe9", None), "naïve café");
        assert_eq!(html(b"<\0p\0>\0x\0", None), "<p>x");
        let russian = "Это обычный русский текст, в котором достаточно букв.";
        let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode(russian);
        assert_eq!(html(&bytes, None), russian);
        let japanese = "これは日本語の文章です。文字コードを推定します。";
        for encoding in [encoding_rs::SHIFT_JIS, encoding_rs::EUC_JP] {
            let (bytes, _, _) = encoding.encode(japanese);
            assert_eq!(
                decode(&bytes, None, Declares::Html, "example.jp", false),
                japanese
            );
        }
    }

    /// `AddDefaultCharset` of Apache states the encoding of other times for all pages.
    #[test]
    fn utf8_that_is_stated_to_be_latin_is_read_as_utf8() {
        let body = "<meta charset=latin1>“café” – naïve".as_bytes();
        let text = "<meta charset=latin1>“café” – naïve";
        assert_eq!(html(body, Some("iso-8859-1")), text);
        assert_eq!(html(body, Some("windows-1252")), text);
        assert_eq!(html(body, None), text);
        let cut = body.get(..body.len() - 2).unwrap_or_default();
        let text = text.trim_end_matches("ve");
        assert_eq!(html(cut, Some("iso-8859-1")), text);
        // What is not UTF-8 throughout is what it is stated to be.
        let mixed = [body, b" \xe9t\xe9"].concat();
        assert!(html(&mixed, Some("iso-8859-1")).ends_with(" été"));
        assert_eq!(html(b"VOIL\xc3", Some("iso-8859-1")), "VOILÃ");
        assert_eq!(html(&[0xc4, 0xe3, 0xc2, 0xa3], Some("gbk")), "你拢");
    }

    #[test]
    fn a_cut_letter_at_the_end_is_dropped_and_damage_inside_is_marked() {
        let body = "naïve é".as_bytes();
        let cut = body.get(..body.len() - 1).unwrap();
        assert_eq!(decode(cut, None, Declares::Nothing, "", true), "naïve ");
        assert_eq!(
            decode(b"a\xffb", Some("utf-8"), Declares::Nothing, "", false),
            "a\u{fffd}b"
        );
        assert_eq!(
            decode(b"a\r\nb\rc", None, Declares::Nothing, "", false),
            "a\nb\nc"
        );
    }
}
