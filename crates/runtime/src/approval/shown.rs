//! What people are shown of a call: bounded, and with what cannot be seen escaped.

use serde_json::{Map, Value, json};
use tenon_contract::limits;
use tenon_policy::escaped;

use super::request::Drafted;

/// What would be done to files: the diff, bounded, and the hash that the approval is bound to.
pub(crate) fn draft_members(drafted: &Drafted) -> Map<String, Value> {
    let mut members = Map::new();
    match drafted {
        Ok(None) => {}
        Ok(Some(preview)) => {
            let shown = preview
                .diff
                .floor_char_boundary(limits::PREVIEW_DIFF_MAX_BYTES);
            let cut = preview.diff.len() > shown;
            let diff = preview.diff.get(..shown).unwrap_or_default();
            let diff = match diff.rfind('\n') {
                Some(end) if cut => diff.get(..=end).unwrap_or_default(),
                _ => diff,
            };
            members.insert("changes".into(), json!(preview.changes));
            members.insert("diff".into(), diff.into());
            let omitted = preview.diff.len() - diff.len();
            if omitted > 0 {
                members.insert("diffOmittedBytes".into(), omitted.into());
            }
            members.insert("planHash".into(), preview.plan_hash.clone().into());
        }
        Err(error) => {
            members.insert("problem".into(), error.message.clone().into());
        }
    }
    members
}

/// The same for people: names of files are chosen by the one who made them, so nothing in them may control a terminal or
/// show something else than it is.
pub(crate) fn escaped_members(members: Map<String, Value>) -> Map<String, Value> {
    let escape = |(name, value): (String, Value)| match value {
        Value::String(diff) if name == "diff" => (name, plain(&diff).into()),
        value => (escaped(name), escaped_value(value)),
    };
    members.into_iter().map(escape).collect()
}

pub(crate) fn escaped_value(value: Value) -> Value {
    match value {
        Value::String(text) => escaped(text).into(),
        Value::Array(values) => values.into_iter().map(escaped_value).collect(),
        Value::Object(members) => Value::Object(escaped_members(members)),
        other => other,
    }
}

/// A diff with what cannot be seen escaped, but for the line ends of files that have CRLF.
fn plain(diff: &str) -> String {
    let mut shown = String::with_capacity(diff.len());
    for line in diff.split_inclusive('\n') {
        match line.strip_suffix("\r\n") {
            Some(line) => {
                shown.push_str(&escaped(line));
                shown.push_str("\r\n");
            }
            None => shown.push_str(&escaped(line)),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_contract::Preview;

    fn members_of(diff: &str) -> Map<String, Value> {
        escaped_members(draft_members(&Ok(Some(Preview {
            changes: Vec::new(),
            diff: diff.to_owned(),
            plan_hash: "00".to_owned(),
        }))))
    }

    #[test]
    fn what_cannot_be_seen_in_a_diff_is_escaped() {
        let members = members_of("+a\u{202e}b\r\n+c\rd\u{1b}[2K\n");
        assert_eq!(
            members.get("diff"),
            Some(&json!("+a\\u{202e}b\r\n+c\\u{d}d\\u{1b}[2K\n"))
        );
        assert_eq!(members.get("diffOmittedBytes"), None);
    }

    #[test]
    fn a_long_diff_ends_at_a_line_and_says_how_much_is_left_out() {
        let line = format!("+{}\n", "ä".repeat(500));
        let whole = line.repeat(100);
        let members = members_of(&whole);
        let shown = members.get("diff").and_then(Value::as_str).unwrap();
        assert_eq!(
            shown,
            line.repeat(limits::PREVIEW_DIFF_MAX_BYTES / line.len())
        );
        let omitted = members
            .get("diffOmittedBytes")
            .and_then(Value::as_u64)
            .unwrap();
        assert_eq!(omitted as usize, whole.len() - shown.len());
    }

    #[test]
    fn one_endless_line_is_cut_in_it() {
        let members = members_of(&"x".repeat(100_000));
        let shown = members.get("diff").and_then(Value::as_str).unwrap();
        assert_eq!(shown.len(), limits::PREVIEW_DIFF_MAX_BYTES);
    }
}
