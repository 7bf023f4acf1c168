//! A scanner of HTML that knows what is a tag, what is text and what is a script, as the tokenizer of browsers does.

use std::ops::Range;

/// One piece of a text of HTML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Text between tags.
    Text(Range<usize>),
    /// The start of an element.
    Start(Tag),
    /// The end of an element.
    End(String),
    /// What is inside an element whose content has no tags.
    Raw {
        /// The element.
        tag: Tag,
        /// Its content.
        content: Range<usize>,
        /// Whether its end tag is there.
        is_closed: bool,
    },
}

/// The start of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag {
    /// In lower case.
    pub(crate) name: String,
    /// In lower case, with values as they are written.
    pub(crate) attributes: Vec<(String, String)>,
    /// Where it begins.
    pub(crate) at: usize,
}

impl Tag {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let mut known = self.attributes.iter();
        known
            .find(|(own, _)| own == name)
            .map(|(_, value)| value.as_str())
    }
}

/// Elements whose content has no tags.
const RAW: &[&str] = &[
    "script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes",
];

/// The pieces of a text, in their order.
pub(crate) fn pieces(html: &str) -> Vec<Piece> {
    let mut scanner = Scanner { html, at: 0 };
    let mut found = Vec::new();
    while scanner.at < html.len() {
        scanner.next(&mut found);
    }
    found
}

struct Scanner<'t> {
    html: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t str {
        self.html.get(self.at..).unwrap_or_default()
    }

    /// Past the next occurrence of `end`, or to the end of the text.
    fn skip_past(&mut self, end: &str) {
        self.at = match self.rest().find(end) {
            Some(place) => self.at + place + end.len(),
            None => self.html.len(),
        };
    }

    fn next(&mut self, found: &mut Vec<Piece>) {
        let rest = self.rest();
        if rest.starts_with("<!--") {
            self.at += 4;
            // `<!-->` and `<!--->` are comments of nothing.
            match ["->", ">"]
                .iter()
                .find(|end| self.rest().starts_with(**end))
            {
                Some(end) => self.at += end.len(),
                None => self.skip_past("-->"),
            }
        } else if rest.starts_with("</") && is_letter(rest, 2) {
            self.at += 2;
            let name = self.name();
            self.attributes();
            found.push(Piece::End(name));
        } else if rest.starts_with("<!") || rest.starts_with("</") || rest.starts_with("<?") {
            self.skip_past(">");
        } else if rest.starts_with('<') && is_letter(rest, 1) {
            self.element(found);
        } else {
            let start = self.at;
            let skipped = rest
                .char_indices()
                .skip(1)
                .find(|(_, letter)| *letter == '<');
            self.at = skipped.map_or(self.html.len(), |(place, _)| start + place);
            found.push(Piece::Text(start..self.at));
        }
    }

    fn element(&mut self, found: &mut Vec<Piece>) {
        let at = self.at;
        self.at += 1;
        let name = self.name();
        let attributes = self.attributes();
        let tag = Tag {
            name,
            attributes,
            at,
        };
        if tag.name == "plaintext" {
            found.push(Piece::Text(self.at..self.html.len()));
            self.at = self.html.len();
        } else if RAW.contains(&tag.name.as_str()) {
            let start = self.at;
            let end = if tag.name == "script" {
                script_end(self.html, start)
            } else {
                end_tag(self.html, start, &tag.name)
            };
            self.at = end.unwrap_or(self.html.len());
            found.push(Piece::Raw {
                tag,
                content: start..self.at,
                is_closed: end.is_some(),
            });
            if end.is_some() {
                self.at += 2;
                self.name();
                self.attributes();
            }
        } else {
            found.push(Piece::Start(tag));
        }
    }

    fn name(&mut self) -> String {
        let ends = |letter: char| letter.is_ascii_whitespace() || matches!(letter, '/' | '>');
        self.word(ends)
    }

    fn word(&mut self, ends: impl Fn(char) -> bool) -> String {
        let rest = self.rest();
        let length = rest.find(ends).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default().to_ascii_lowercase();
        self.at += length;
        word
    }

    /// The attributes of a tag; stops behind it.
    fn attributes(&mut self) -> Vec<(String, String)> {
        let mut found: Vec<(String, String)> = Vec::new();
        loop {
            let rest = self.rest();
            let is_between = |letter: char| letter.is_ascii_whitespace() || letter == '/';
            self.at += rest.len() - rest.trim_start_matches(is_between).len();
            let rest = self.rest();
            if rest.is_empty() {
                return found;
            }
            if rest.starts_with('>') {
                self.at += 1;
                return found;
            }
            // A name may begin with `=`.
            let odd = if rest.starts_with('=') { 1 } else { 0 };
            self.at += odd;
            let ends =
                |letter: char| letter.is_ascii_whitespace() || matches!(letter, '/' | '>' | '=');
            let name = self.word(ends);
            let value = self.value();
            if !found.iter().any(|(known, _)| *known == name) {
                found.push((name, value));
            }
        }
    }

    fn value(&mut self) -> String {
        let rest = self.rest();
        let Some(behind) = rest.trim_ascii_start().strip_prefix('=') else {
            return String::new();
        };
        let behind = behind.trim_ascii_start();
        self.at += rest.len() - behind.len();
        if let Some(quote) = behind
            .chars()
            .next()
            .filter(|letter| matches!(letter, '"' | '\''))
        {
            self.at += 1;
            let rest = self.rest();
            let length = rest.find(quote).unwrap_or(rest.len());
            let value = rest.get(..length).unwrap_or_default().to_owned();
            self.at = (self.at + length + 1).min(self.html.len());
            return value;
        }
        let ends = |letter: char| letter.is_ascii_whitespace() || letter == '>';
        let length = behind.find(ends).unwrap_or(behind.len());
        let value = behind.get(..length).unwrap_or_default().to_owned();
        self.at += length;
        value
    }
}

fn is_letter(text: &str, at: usize) -> bool {
    text.as_bytes().get(at).is_some_and(u8::is_ascii_alphabetic)
}

/// Whether the bytes at this place are `word`, whatever their case, and a name ends there.
fn is_name(html: &str, at: usize, word: &str) -> bool {
    let bytes = html.as_bytes();
    let there = bytes.get(at..at + word.len());
    let ends = bytes.get(at + word.len());
    there.is_some_and(|there| there.eq_ignore_ascii_case(word.as_bytes()))
        && ends.is_some_and(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'))
}

/// Where the end tag of an element begins.
fn end_tag(html: &str, from: usize, name: &str) -> Option<usize> {
    let rest = html.get(from..)?;
    let mut places = rest.match_indices("</").map(|(place, _)| from + place);
    places.find(|place| is_name(html, place + 2, name))
}

/// Where the end tag of a script begins. Between `<!--` and `-->` a script may hold a whole script of its own, whose end
/// tag is not its end.
fn script_end(html: &str, from: usize) -> Option<usize> {
    let (mut is_escaped, mut is_inner) = (false, false);
    let bytes = html.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        let rest = bytes.get(at..).unwrap_or_default();
        if rest.starts_with(b"<!--") {
            is_escaped = true;
            // `<!-->` ends at once.
            at += 2;
            continue;
        }
        if rest.starts_with(b"-->") {
            (is_escaped, is_inner) = (false, false);
        } else if rest.starts_with(b"</") && is_name(html, at + 2, "script") {
            if !is_inner {
                return Some(at);
            }
            is_inner = false;
        } else if is_escaped && rest.starts_with(b"<") && is_name(html, at + 1, "script") {
            is_inner = true;
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scripts(html: &str) -> Vec<(&str, bool)> {
        let raw = |piece: Piece| match piece {
            Piece::Raw {
                tag,
                content,
                is_closed,
            } if tag.name == "script" => Some((content, is_closed)),
            _ => None,
        };
        let found = pieces(html).into_iter().filter_map(raw);
        found
            .map(|(content, is_closed)| (&html[content], is_closed))
            .collect()
    }

    #[test]
    fn scripts_are_found_where_browsers_find_them() {
        for (html, found) in [
            ("<script>a</script>", vec![("a", true)]),
            ("<SCRIPT type=x>a</ScRiPt >b", vec![("a", true)]),
            ("<p title='<script>x</script>'>", vec![]),
            (
                "<!-- <script>a</script> --><script>b</script>",
                vec![("b", true)],
            ),
            ("<!--><script>b</script>", vec![("b", true)]),
            ("<textarea><script>a</script></textarea>", vec![]),
            (
                "<script>'</scripted>'</script>",
                vec![("'</scripted>'", true)],
            ),
            ("<script>'</script>'", vec![("'", true)]),
            (
                "<script><!-- <script>a</script> --></script>",
                vec![("<!-- <script>a</script> -->", true)],
            ),
            ("<script><!-- a</script>", vec![("<!-- a", true)]),
            ("<script>a", vec![("a", false)]),
            ("<script/>a</script>", vec![("a", true)]),
            ("a < b <script>c</script>", vec![("c", true)]),
            ("<script", vec![("", false)]),
        ] {
            assert_eq!(scripts(html), found, "{html}");
        }
    }

    #[test]
    fn attributes_are_read_in_every_spelling() {
        let found = pieces("<A Href=x b = 'c d' e f=\"<g>\" b=h =i/>");
        let [Piece::Start(tag)] = found.as_slice() else {
            panic!("{found:?}");
        };
        let found: Vec<(&str, &str)> = tag
            .attributes
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("href", "x"),
                ("b", "c d"),
                ("e", ""),
                ("f", "<g>"),
                ("i", "")
            ]
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read_to_its_end(html in "(<|/|>|!|--|script|style| |=|'|\"|a|ü|\\n){0,60}") {
            let mut last = 0;
            for piece in pieces(&html) {
                if let Piece::Text(range) | Piece::Raw { content: range, .. } = piece {
                    prop_assert!(range.start >= last && html.get(range.clone()).is_some());
                    last = range.end;
                }
            }
        }
    }
}
