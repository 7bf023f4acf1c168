//! Long lists of details by columns: JavaScript makes its objects of them in a fraction of the time that it takes to parse them.
//!
//! Details cross as JSON. Of ten thousand matches that is a megabyte, most of it the same names and the same files again and again. A
//! list of many objects with the same members, which are texts, numbers or the like, is taken out of the JSON, and crosses as the
//! texts of each member one behind the other, with their lengths. `js/columns.js` makes the same objects of them.

use std::fmt::Write;

/// Shorter details cross as they are: JavaScript parses them in a moment.
const LEAST_BYTES: usize = 64 * 1024;
/// A list of fewer objects stays in the JSON.
const LEAST_OBJECTS: usize = 256;
/// Objects of more members stay in the JSON.
const MOST_MEMBERS: usize = 16;
/// Texts cross in pieces of about this many bytes: who keeps one text keeps its piece, and a letter beyond Latin makes all letters of its
/// piece take two bytes.
const PIECE_BYTES: usize = 32 * 1024;

/// Lists that were taken out of details.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// For each list its plan, which is JSON, and then the texts of each member that has texts, in pieces.
    pub texts: Vec<String>,
}

impl Columns {
    /// Takes the long lists out of the JSON of details, which has an empty one in the place of each. Nothing where there is none.
    #[must_use]
    pub fn taken_from(details: &mut String) -> Option<Self> {
        if details.len() < LEAST_BYTES {
            return None;
        }
        let mut taken = Self::default();
        let rest = taken.rest_of(details)?;
        if taken.texts.is_empty() {
            return None;
        }
        *details = rest;
        Some(taken)
    }

    /// The JSON without the lists; nothing where it is not the object that is expected.
    fn rest_of(&mut self, details: &str) -> Option<String> {
        let mut at = Reader(details.strip_prefix('{')?);
        let (mut rest, mut kept_from) = (String::new(), details.len() - at.0.len() - 1);
        loop {
            let name = at.name()?;
            let before = at.0;
            let list = (name != PROTOTYPE).then(|| List::read(&mut at)).flatten();
            if let Some(mut list) = list.filter(|list| list.objects >= LEAST_OBJECTS) {
                let start = details.len() - before.len();
                rest.push_str(details.get(kept_from..start)?);
                rest.push_str("[]");
                kept_from = details.len() - at.0.len();
                self.texts.push(list.plan(name));
                let pieces = list.members.into_iter().flat_map(Member::pieces);
                self.texts.extend(pieces);
            } else {
                at = Reader(before);
                at.skip_value()?;
            }
            match at.next()? {
                b',' => {}
                b'}' if at.0.is_empty() => break,
                _ => return None,
            }
        }
        rest.push_str(details.get(kept_from..)?);
        Some(rest)
    }
}

/// A name that is no other one in JavaScript: to assign to it is to change what an object is.
const PROTOTYPE: &str = "__proto__";

/// A list of objects with the same members in the same order.
#[derive(Debug, Default)]
struct List<'j> {
    objects: usize,
    members: Vec<Member<'j>>,
}

/// One member of all objects.
#[derive(Debug)]
struct Member<'j> {
    name: &'j str,
    values: Values<'j>,
}

#[derive(Debug)]
enum Values<'j> {
    Texts(Texts<'j>),
    /// As they are written, with commas between them.
    Plain(String),
}

/// The texts of one member.
#[derive(Debug, Default)]
struct Texts<'j> {
    /// One behind the other, each that is not the one before.
    pieces: Vec<String>,
    /// In UTF-16, as JavaScript counts, with commas between them; `-3` where the one before comes three times again.
    lengths: String,
    /// The last one, as it is written.
    last: Option<&'j str>,
    /// How often it has come again.
    again: usize,
}

impl<'j> List<'j> {
    /// Reads it; nothing where it is another value.
    fn read(at: &mut Reader<'j>) -> Option<Self> {
        at.take(b'[')?;
        let mut list = Self::default();
        loop {
            list.read_object(at)?;
            match at.next()? {
                b',' => {}
                b']' => return Some(list),
                _ => return None,
            }
        }
    }

    fn read_object(&mut self, at: &mut Reader<'j>) -> Option<()> {
        at.take(b'{')?;
        let is_first = self.objects == 0;
        for index in 0..=MOST_MEMBERS {
            let name = at.name()?;
            if is_first {
                if index == MOST_MEMBERS || name == PROTOTYPE {
                    return None;
                }
                self.members.push(Member::of(name, at.is_at_text()));
            }
            let member = self.members.get_mut(index)?;
            if member.name != name {
                return None;
            }
            member.read(at)?;
            match at.next()? {
                b',' => {}
                b'}' if index + 1 == self.members.len() => break,
                _ => return None,
            }
        }
        self.objects += 1;
        Some(())
    }

    /// What its objects are made of, as JSON: `{"name":…,"members":[…]}`.
    fn plan(&mut self, name: &str) -> String {
        let members: Vec<String> = self.members.iter_mut().map(Member::plan).collect();
        format!(r#"{{"name":"{name}","members":[{}]}}"#, members.join(","))
    }
}

impl<'j> Member<'j> {
    fn of(name: &'j str, has_texts: bool) -> Self {
        let values = if has_texts {
            Values::Texts(Texts::default())
        } else {
            Values::Plain(String::new())
        };
        Self { name, values }
    }

    fn read(&mut self, at: &mut Reader<'j>) -> Option<()> {
        match &mut self.values {
            Values::Texts(texts) => texts.push(at.text()?),
            Values::Plain(values) => {
                let value = at.plain()?;
                separate(values);
                values.push_str(value);
                Some(())
            }
        }
    }

    /// With the lengths of its texts, which come behind the plan, or with its values. Names are as they are written, without escapes.
    fn plan(&mut self) -> String {
        let (kind, values) = match &mut self.values {
            Values::Texts(texts) => ("lengths", texts.all_lengths()),
            Values::Plain(values) => ("values", &**values),
        };
        format!(r#"{{"name":"{}","{kind}":[{values}]}}"#, self.name)
    }

    fn pieces(self) -> Vec<String> {
        match self.values {
            Values::Texts(texts) => texts.pieces,
            Values::Plain(_) => Vec::new(),
        }
    }
}

impl<'j> Texts<'j> {
    /// Adds one, as it is written.
    fn push(&mut self, text: &'j str) -> Option<()> {
        if self.last == Some(text) {
            self.again += 1;
            return Some(());
        }
        self.end_run();
        self.last = Some(text);
        if { self.pieces.last() }.is_none_or(|piece| piece.len() >= PIECE_BYTES) && !text.is_empty()
        {
            self.pieces.push(String::with_capacity(PIECE_BYTES * 2));
        }
        let mut length = 0;
        if let Some(piece) = self.pieces.last_mut() {
            let start = piece.len();
            unescape(text, piece)?;
            let added = piece.get(start..)?;
            length = added.len();
            if !added.is_ascii() {
                length = added.encode_utf16().count();
            }
        }
        separate(&mut self.lengths);
        write!(self.lengths, "{length}").ok()
    }

    /// Notes how often the last one has come again.
    fn end_run(&mut self) {
        if self.again > 0 {
            separate(&mut self.lengths);
            // Writing to a text does not fail.
            let _ = write!(self.lengths, "-{}", self.again);
            self.again = 0;
        }
    }

    fn all_lengths(&mut self) -> &str {
        self.end_run();
        &self.lengths
    }
}

/// Puts a comma behind what is there.
fn separate(values: &mut String) {
    if !values.is_empty() {
        values.push(',');
    }
}

/// Adds what a text of JSON stands for.
fn unescape(text: &str, to: &mut String) -> Option<()> {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        to.push_str(rest.get(..at)?);
        let behind = rest.get(at + 1..)?;
        let (letter, bytes) = match behind.as_bytes().first()? {
            b'n' => ('\n', 1),
            b't' => ('\t', 1),
            b'r' => ('\r', 1),
            b'b' => ('\u{8}', 1),
            b'f' => ('\u{c}', 1),
            b'u' => {
                let code = u32::from_str_radix(behind.get(1..5)?, 16).ok()?;
                // Half of a pair: such texts are parsed as JSON.
                (char::from_u32(code)?, 5)
            }
            other => (char::from(*other), 1),
        };
        to.push(letter);
        rest = behind.get(bytes..)?;
    }
    to.push_str(rest);
    Some(())
}

/// What is left of a JSON that is known to be one, without whitespace between its parts.
#[derive(Debug, Clone, Copy)]
struct Reader<'j>(&'j str);

impl<'j> Reader<'j> {
    fn next(&mut self) -> Option<u8> {
        let byte = *self.0.as_bytes().first()?;
        self.0 = self.0.get(1..)?;
        Some(byte)
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    fn is_at_text(&self) -> bool {
        self.0.starts_with('"')
    }

    /// The name of a member, which has no escapes.
    fn name(&mut self) -> Option<&'j str> {
        let name = self.text()?;
        self.take(b':')?;
        (!name.contains('\\')).then_some(name)
    }

    /// A text as it is written, without its quotes.
    fn text(&mut self) -> Option<&'j str> {
        self.take(b'"')?;
        let mut end = 0;
        loop {
            end += memchr::memchr2(b'"', b'\\', self.0.as_bytes().get(end..)?)?;
            if self.0.as_bytes().get(end) == Some(&b'"') {
                break;
            }
            end += 2;
        }
        let text = self.0.get(..end)?;
        self.0 = self.0.get(end + 1..)?;
        Some(text)
    }

    /// A number, `true`, `false` or `null`, as it is written.
    fn plain(&mut self) -> Option<&'j str> {
        let end = memchr::memchr3(b',', b'}', b']', self.0.as_bytes())?;
        let value = self.0.get(..end)?;
        if value.is_empty() || value.starts_with(['"', '{', '[']) {
            return None;
        }
        self.0 = self.0.get(end..)?;
        Some(value)
    }

    /// Goes behind a value of any kind.
    fn skip_value(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match *self.0.as_bytes().first()? {
                b'"' => _ = self.text()?,
                b'{' | b'[' => {
                    depth += 1;
                    self.next();
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.next();
                }
                // Between values.
                b',' | b':' => _ = self.next(),
                _ => _ = self.plain_or_end()?,
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// As [`plain`](Self::plain), where it may be the last thing there is.
    fn plain_or_end(&mut self) -> Option<&'j str> {
        let end = memchr::memchr3(b',', b'}', b']', self.0.as_bytes());
        let (value, rest) = self.0.split_at_checked(end.unwrap_or(self.0.len()))?;
        self.0 = rest;
        (!value.is_empty()).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// What JavaScript makes of them.
    fn joined(details: &str, columns: Option<Columns>) -> Value {
        let mut details: Value = serde_json::from_str(details).unwrap();
        let mut texts = columns.unwrap_or_default().texts.into_iter();
        while let Some(plan) = texts.next() {
            let plan: Value = serde_json::from_str(&plan).unwrap();
            let members = plan["members"].as_array().unwrap().iter().map(|member| {
                let name = member["name"].as_str().unwrap().to_owned();
                let values = match member["lengths"].as_array() {
                    Some(lengths) => cut(&mut texts, lengths),
                    None => member["values"].as_array().unwrap().clone(),
                };
                (name, values)
            });
            let members: Vec<_> = members.collect();
            let object = |at: usize| {
                let of = members
                    .iter()
                    .map(|(name, values)| (name.clone(), values[at].clone()));
                Value::Object(of.collect())
            };
            let objects = (0..members[0].1.len()).map(object).collect();
            let name = plan["name"].as_str().unwrap();
            assert_eq!(details[name], json!([]));
            details[name] = objects;
        }
        details
    }

    fn cut(pieces: &mut impl Iterator<Item = String>, lengths: &[Value]) -> Vec<Value> {
        let (mut piece, mut texts) = (Vec::new(), Vec::<Value>::new());
        for length in lengths {
            let length = length.as_i64().unwrap();
            let Ok(length) = usize::try_from(length) else {
                let last = texts.last().unwrap().clone();
                texts.extend((length..0).map(|_| last.clone()));
                continue;
            };
            if length > 0 && piece.is_empty() {
                piece = pieces.next().unwrap().encode_utf16().collect();
            }
            let text: Vec<u16> = piece.drain(..length).collect();
            texts.push(String::from_utf16(&text).unwrap().into());
        }
        assert!(piece.is_empty());
        texts
    }

    fn matches(many: usize) -> Value {
        let texts = [
            "a \"quoted\"\tword\\",
            "größe 漢字 😀",
            "",
            "a\u{1}b\u{7f}/</",
        ];
        let one = |at: usize| json!({ "file": format!("src/{}.ts", at / 3), "line": at, "text": texts[at % 4], "column": null });
        (0..many).map(one).collect()
    }

    #[test]
    fn a_long_list_crosses_by_columns_and_is_the_same() {
        let value = json!({ "before": { "a": ["}", [1]] }, "matches": matches(3_000), "total": 3_000, "after": [true, { "x": "\"" }] });
        let mut details = value.to_string();
        let columns = Columns::taken_from(&mut details);
        assert_eq!(
            details,
            r#"{"before":{"a":["}",[1]]},"matches":[],"total":3000,"after":[true,{"x":"\""}]}"#
        );
        assert_eq!(joined(&details, columns), value);
    }

    #[test]
    fn what_is_short_or_has_another_form_stays_as_it_is() {
        let long = "x".repeat(LEAST_BYTES);
        let mut mixed = matches(3_000);
        mixed[2_999] = json!({ "file": "a" });
        let mut nested = matches(3_000);
        nested[1]["text"] = json!(["x"]);
        let mut longer = matches(3_000);
        longer[2_000]["more"] = json!(1);
        for value in [
            json!({ "matches": matches(3) }),
            json!({ "matches": matches(255), "long": long }),
            json!({ "matches": mixed }),
            json!({ "matches": nested }),
            json!({ "matches": longer }),
            json!({ "matches": vec![json!({}); 40_000] }),
            json!({ "__proto__": matches(3_000) }),
            json!({ "a\"": matches(3_000) }),
            json!([matches(3_000)]),
            json!({ "files": vec![long.clone(); 300] }),
            json!({}),
            json!(long),
        ] {
            let (mut details, before) = (value.to_string(), value.to_string());
            assert_eq!(Columns::taken_from(&mut details), None);
            assert!(details == before);
        }
    }

    #[test]
    fn what_is_no_json_stays_as_it_is() {
        let whole = json!({ "matches": matches(3_000), "total": 1 }).to_string();
        for end in (whole.len() - 40..whole.len()).chain([70_000, 70_001, 70_002]) {
            let Some(cut) = whole.get(..end) else {
                continue;
            };
            let mut details = cut.to_owned();
            assert_eq!(Columns::taken_from(&mut details), None);
            assert!(details == cut);
        }
    }
}
