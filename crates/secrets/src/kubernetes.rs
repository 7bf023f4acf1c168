//! The values of a Secret of Kubernetes, as YAML and as JSON: their names say nothing, their place says it.

use std::ops::Range;

/// How such an object says what it is, in all of its spellings. The last is that of an object within a string of another.
pub(crate) const KINDS: &[&str] = &[
    "kind: Secret",
    "\"kind\": \"Secret\"",
    "\"kind\":\"Secret\"",
    "\\\"kind\\\":\\\"Secret\\\"",
];

/// Where an object keeps its values.
const MEMBERS: &[&str] = &["data", "stringData"];
/// The farthest that these are from what says the kind.
const DISTANCE_MAX_BYTES: usize = 64 * 1024;

/// The values of the Secrets whose kinds are said at these places, which are in order.
pub(crate) fn values(text: &str, kinds: &[usize]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // Objects of one list are near each other: what is around several of them is read once.
    let mut yaml: Vec<Range<usize>> = Vec::new();
    let ends: Vec<usize> = match kinds {
        [] => Vec::new(),
        _ => text.match_indices("\n---").map(|(at, _)| at).collect(),
    };
    for at in kinds {
        match object_around(text, *at, &ends) {
            Some(Object::Yaml(range)) => match yaml.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => yaml.push(range),
            },
            Some(Object::Json(range, quote)) => found.extend(in_json(text, range, quote)),
            None => {}
        }
    }
    found.extend(yaml.into_iter().flat_map(|range| in_yaml(text, range)));
    found
}

/// Where an object may be.
enum Object {
    Yaml(Range<usize>),
    /// With how strings are quoted.
    Json(Range<usize>, &'static str),
}

/// The object whose kind is said here, in a text of which documents of YAML end at these places.
fn object_around(text: &str, at: usize, ends: &[usize]) -> Option<Object> {
    // `kind: SecretStore` is another kind.
    let said = KINDS
        .iter()
        .find(|kind| text.get(at..).is_some_and(|rest| rest.starts_with(**kind)));
    let next = said.and_then(|kind| text.as_bytes().get(at + kind.len()));
    if next.is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    let start = text.floor_char_boundary(at.saturating_sub(DISTANCE_MAX_BYTES));
    let end = text.floor_char_boundary((at + DISTANCE_MAX_BYTES).min(text.len()));
    let (before, behind) = (text.get(start..at)?, text.get(at..end)?);
    if behind.starts_with('k') {
        let next = ends.partition_point(|line| *line < at);
        let last = next.checked_sub(1).and_then(|last| ends.get(last));
        let from = last.map_or(start, |line| start.max(line + 1));
        let to = ends.get(next).map_or(end, |line| end.min(*line));
        return Some(Object::Yaml(from..to));
    }
    let quote = if behind.starts_with('\\') {
        "\\\""
    } else {
        "\""
    };
    // Members that belong to another object are behind its kind, or before it.
    let kind = format!("{quote}kind{quote}");
    let from = before
        .rfind(&kind)
        .map_or(start, |other| start + other + kind.len());
    let own = behind.get(kind.len()..).unwrap_or_default();
    let to = own.find(&kind).map_or(end, |other| at + kind.len() + other);
    Some(Object::Json(from..to, quote))
}

/// Lines that are deeper than `data:`, up to the first that is not.
fn in_yaml(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = range.start;
    let mut depth: Option<usize> = None;
    for line in text.get(range).unwrap_or_default().split_inclusive('\n') {
        let body = line.trim_end();
        // The column of the name, whatever a listing or a diff has put in front of all lines.
        let column = body.find(|letter: char| letter.is_ascii_alphabetic() || letter == '"');
        if let Some(column) = column {
            let rest = body.get(column..).unwrap_or_default();
            let opens = MEMBERS
                .iter()
                .any(|member| rest.strip_prefix(member) == Some(":"));
            match depth {
                _ if opens => depth = Some(column),
                Some(of_member) if column > of_member => {
                    found.extend(
                        value_of(rest)
                            .map(|value| at + column + value.start..at + column + value.end),
                    );
                }
                _ => depth = None,
            }
        }
        at += line.len();
    }
    found
}

/// `name: value`, with or without quotes.
fn value_of(line: &str) -> Option<Range<usize>> {
    let colon = line.find(": ")?;
    let value = line.get(colon + 2..)?.trim();
    let value = value.trim_matches(['"', '\'']);
    // A block begins on the next line: `|`, `>-`.
    if value.len() < 4 {
        return None;
    }
    let start = colon + 2 + line.get(colon + 2..)?.find(value)?;
    Some(start..start + value.len())
}

/// The strings of the object behind `"data":`.
fn in_json(text: &str, range: Range<usize>, quote: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let part = text.get(range.clone()).unwrap_or_default();
    for member in MEMBERS {
        let name = format!("{quote}{member}{quote}");
        let Some(place) = part.find(&name) else {
            continue;
        };
        let opened = part.get(place + name.len()..).unwrap_or_default();
        let (Some(open), Some(close)) = (opened.find('{'), opened.find('}')) else {
            continue;
        };
        let start = range.start + place + name.len() + open + 1;
        let end = range.start + place + name.len() + close;
        // Every second string is a value.
        let mut at = start;
        let members = text.get(start..end.max(start)).unwrap_or_default();
        for (count, piece) in members.split(quote).enumerate() {
            if count % 4 == 3 && piece.len() >= 4 {
                found.push(at..at + piece.len());
            }
            at += piece.len() + quote.len();
        }
    }
    found
}
