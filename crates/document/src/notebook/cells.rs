//! Where the cells stand in the text of a notebook, so that a change touches nothing else.

use std::ops::Range;

/// The list of cells and each cell in it; `None` when the text, which must be valid JSON, has none.
pub(super) fn ranges(text: &str) -> Option<(Range<usize>, Vec<Range<usize>>)> {
    let bytes = text.as_bytes();
    let mut at = expect(bytes, blank(bytes, 0), b'{')?;
    let mut found = None;
    loop {
        at = blank(bytes, at);
        if bytes.get(at) == Some(&b'}') {
            return found;
        }
        let key = at..value(bytes, at)?;
        at = expect(bytes, blank(bytes, key.end), b':')?;
        at = blank(bytes, at);
        let end = value(bytes, at)?;
        // As for every reader of JSON, the last of two equal names counts.
        let name: Option<String> = serde_json::from_str(text.get(key)?).ok();
        if name.as_deref() == Some("cells") {
            found = Some((at..end, items(bytes, at)?));
        }
        at = blank(bytes, end);
        if bytes.get(at) == Some(&b',') {
            at += 1;
        }
    }
}

/// The entries of the list that begins at `at`.
fn items(bytes: &[u8], at: usize) -> Option<Vec<Range<usize>>> {
    let mut at = expect(bytes, at, b'[')?;
    let mut found = Vec::new();
    loop {
        at = blank(bytes, at);
        match bytes.get(at)? {
            b']' => return Some(found),
            b',' => at += 1,
            _ => {
                let end = value(bytes, at)?;
                found.push(at..end);
                at = end;
            }
        }
    }
}

/// The end of the value that begins at `at`.
fn value(bytes: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = at;
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = string(bytes, at)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                // A bare number or word ends before the bracket of what holds it.
                let Some(outer) = depth.checked_sub(1) else {
                    return Some(at);
                };
                depth = outer;
                at += 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            b',' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => return Some(at),
            _ => at += 1,
        }
    }
}

/// The end of the string that begins at `at`.
fn string(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

fn blank(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count()
}

fn expect(bytes: &[u8], at: usize, wanted: u8) -> Option<usize> {
    (bytes.get(at) == Some(&wanted)).then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn cells_are_found_whatever_stands_in_strings_and_around() {
        let text = r#" {"a": "\"cells\": [", "n": [1, {"cells": [0]}], "cells" : [ {"x": "]}"}, 5,"s"  ] , "z": 1}"#;
        let (list, cells) = ranges(text).unwrap();
        assert_eq!(&text[list], r#"[ {"x": "]}"}, 5,"s"  ]"#);
        let texts: Vec<&str> = cells.into_iter().map(|cell| &text[cell]).collect();
        assert_eq!(texts, [r#"{"x": "]}"}"#, "5", r#""s""#]);
        assert_eq!(ranges("{}"), None);
        assert_eq!(ranges("[1]"), None);
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::from),
            "[\\[\\]{}\",:\\\\ a]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::vec(("[a\"]{0,3}", inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_cell_is_exactly_where_it_is_said_to_be(
            cells in proptest::collection::vec(any_value(), 0..5), other in any_value(), is_pretty in any::<bool>(),
        ) {
            let whole = json!({"before": other, "cells": cells, "after": other});
            let text = if is_pretty { format!("{whole:#}") } else { whole.to_string() };
            let (list, found) = ranges(&text).unwrap();
            prop_assert_eq!(serde_json::from_str::<Value>(&text[list]).unwrap(), Value::from(cells.clone()));
            let read: Vec<Value> = found.into_iter().map(|cell| serde_json::from_str(&text[cell]).unwrap()).collect();
            prop_assert_eq!(read, cells);
        }

        #[test]
        fn any_text_is_looked_through_without_a_panic(text in "[\\[\\]{}\",:\\\\cels 0]{0,60}") {
            let _ = ranges(&text);
        }
    }
}
