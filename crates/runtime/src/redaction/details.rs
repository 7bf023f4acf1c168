//! Details as they are searched for secrets: their JSON, not their values.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

/// The texts of JSON without their escapes, each with what stands before it.
pub(super) struct Texts<'j> {
    json: &'j str,
    rest: &'j str,
}

impl<'j> Texts<'j> {
    pub(super) const fn of(json: &'j str) -> Self {
        Self { json, rest: json }
    }
}

impl<'j> Iterator for Texts<'j> {
    type Item = (&'j str, Cow<'j, str>);

    fn next(&mut self) -> Option<Self::Item> {
        let quote = memchr(b'"', self.rest.as_bytes())?;
        let (before, text) = self.rest.split_at(quote + 1);
        let length = end_of_text(text);
        let (inside, behind) = text.split_at(length);
        self.rest = behind.strip_prefix('"').unwrap_or_default();
        let unescaped = if memchr(b'\\', inside.as_bytes()).is_some() {
            let from = self.json.len() - behind.len() - length - 1;
            let quoted = self.json.get(from..from + length + 2);
            quoted.and_then(|quoted| serde_json::from_str::<String>(quoted).ok())
        } else {
            None
        };
        Some((before, unescaped.map_or(Cow::Borrowed(inside), Cow::Owned)))
    }
}

/// Details as they are searched: texts without their escapes, since a key counts at the start of a line, and long texts that are
/// lines of an answer in which nothing was found left out, since they were searched there.
pub(super) fn searched(json: &str, plain: &[&str]) -> String {
    /// From so many bytes on it takes less time to find a text than to search it.
    const LONG_BYTES: usize = 512;
    let mut out = String::with_capacity(json.len());
    let mut texts = Texts::of(json);
    for (before, inside) in texts.by_ref() {
        out.push_str(before);
        if inside.len() < LONG_BYTES || !plain.iter().any(|text| has_lines(text, &inside)) {
            out.push_str(&inside);
        }
        out.push('"');
    }
    out.push_str(texts.rest);
    out
}

/// The bytes before the quote that ends a text of JSON.
fn end_of_text(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += found;
        if bytes.get(at) == Some(&b'"') {
            return at;
        }
        at += 2;
    }
    text.len()
}

/// Whether these are lines of a text, all of each.
fn has_lines(text: &str, lines: &str) -> bool {
    // The first line is enough to find the place: the search for a long text takes its time to begin.
    let first = lines.split_inclusive('\n').next().unwrap_or_default();
    text.match_indices(first).take(8).any(|(at, _)| {
        let (before, rest) = text.split_at(at);
        (before.is_empty() || before.ends_with('\n'))
            && rest
                .strip_prefix(lines)
                .is_some_and(|behind| behind.is_empty() || behind.starts_with('\n'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_json_is_searched_all_the_same() {
        for json in ["", "\"", "\"a\\", "{\"a\":\"b\\\"", "é\\\"", "\"\\é\""] {
            let letters = |text: &str| text.replace(['"', '\\'], "");
            assert_eq!(letters(&searched(json, &[])), letters(json), "{json}");
        }
    }
}
