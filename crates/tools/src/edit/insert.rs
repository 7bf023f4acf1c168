//! Lines that are put in by number, beside replacements that are found by text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{ErrorCode, ToolError};
use tenon_edit::{Plan, Splice};

/// Lines to put in.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LineInsertion {
    /// The line of the original file, counted from 1, before which they go; 0 means 1. One more than the file has lines appends.
    pub line: u64,
    /// The lines. A line end at their end makes no line more.
    pub text: String,
}

/// Adds the insertions to a plan for `text`; several at one line keep their order.
///
/// # Errors
/// Lines that the file does not have, and places inside a text that is replaced.
pub(super) fn insert(
    path: &str,
    text: &str,
    plan: &mut Plan,
    insertions: &[LineInsertion],
) -> Result<(), ToolError> {
    if insertions.is_empty() {
        return Ok(());
    }
    let starts = line_starts(text);
    for insertion in insertions {
        let at = usize::try_from(insertion.line.max(1)).unwrap_or(usize::MAX) - 1;
        let Some(offset) = starts.get(at).copied() else {
            return Err(no_such_line(path, insertion.line, starts.len()));
        };
        let is_inside = |splice: &Splice| splice.range.start < offset && offset < splice.range.end;
        if plan.splices.iter().any(is_inside) {
            return Err(overlap(path, insertion.line));
        }
        plan.splices.push(Splice {
            range: offset..offset,
            replacement: lines_at(text, offset, &insertion.text),
        });
    }
    // Stable: insertions at one place keep their order and come before what is replaced from there on.
    plan.splices
        .sort_by_key(|splice| (splice.range.start, splice.range.end));
    Ok(())
}

/// Where each line begins, and the end of the text, where one more can be put in.
fn line_starts(text: &str) -> Vec<usize> {
    let mut starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(offset, _)| offset + 1))
        .collect();
    if starts.last() != Some(&text.len()) {
        starts.push(text.len());
    }
    starts
}

/// The new lines with the line ends in use at the place, so that they stand by themselves.
fn lines_at(text: &str, offset: usize, new: &str) -> String {
    let (before, after) = text.split_at_checked(offset).unwrap_or((text, ""));
    let end = line_end(before, after);
    let body = new.replace("\r\n", "\n");
    let body = body.strip_suffix('\n').unwrap_or(&body).replace('\n', end);
    if before.is_empty() || before.ends_with('\n') {
        format!("{body}{end}")
    } else {
        // After a last line that has no end; the new last line has none either.
        format!("{end}{body}")
    }
}

/// The end of the line before, or else of the first line after.
fn line_end(before: &str, after: &str) -> &'static str {
    let last = before.rfind('\n').map(|end| before.get(..=end));
    let first = after.find('\n').map(|end| after.get(..=end));
    match last.or(first).flatten() {
        Some(line) if line.ends_with("\r\n") => "\r\n",
        _ => "\n",
    }
}

fn no_such_line(path: &str, line: u64, places: usize) -> ToolError {
    let message = format!(
        "`{path}` was not changed: there is no line {line} to insert at. Use a line from 1 to {places} ({places} appends)."
    );
    ToolError::new(ErrorCode::InvalidParams, message)
        .with("path", path)
        .with("line", line)
        .with("lines", places.saturating_sub(1))
}

fn overlap(path: &str, line: u64) -> ToolError {
    let message = format!(
        "`{path}` was not changed: line {line} is inside text that another edit replaces. Put the new lines into that edit."
    );
    ToolError::new(ErrorCode::InvalidParams, message)
        .with("path", path)
        .with("line", line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_edit::{Options, Replacement, plan};

    fn inserted(text: &str, insertions: &[(u64, &str)]) -> Result<String, String> {
        let mut plan = Plan::default();
        let insertions: Vec<LineInsertion> = insertions
            .iter()
            .map(|(line, text)| LineInsertion {
                line: *line,
                text: (*text).to_owned(),
            })
            .collect();
        insert("a.txt", text, &mut plan, &insertions).map_err(|error| error.message)?;
        Ok(plan.apply(text))
    }

    #[test]
    fn the_text_becomes_the_line_that_was_named() {
        assert_eq!(inserted("a\nb\n", &[(2, "x")]).unwrap(), "a\nx\nb\n");
        assert_eq!(inserted("a\nb\n", &[(1, "x\n")]).unwrap(), "x\na\nb\n");
        assert_eq!(inserted("a\nb\n", &[(0, "x")]).unwrap(), "x\na\nb\n");
        assert_eq!(inserted("a\nb\n", &[(3, "x\ny")]).unwrap(), "a\nb\nx\ny\n");
        assert_eq!(inserted("", &[(1, "x")]).unwrap(), "x\n");
        assert_eq!(inserted("a\n", &[(1, "")]).unwrap(), "\na\n");
    }

    #[test]
    fn a_last_line_without_an_end_stays_one() {
        assert_eq!(inserted("a\nb", &[(3, "x")]).unwrap(), "a\nb\nx");
        assert_eq!(inserted("a\nb", &[(2, "x")]).unwrap(), "a\nx\nb");
    }

    #[test]
    fn line_ends_are_those_in_use_at_the_place() {
        assert_eq!(
            inserted("a\r\nb\r\n", &[(2, "x\ny")]).unwrap(),
            "a\r\nx\r\ny\r\nb\r\n"
        );
        assert_eq!(inserted("a\r\nb\n", &[(1, "x")]).unwrap(), "x\r\na\r\nb\n");
        assert_eq!(inserted("a\r\nb\nc", &[(3, "x")]).unwrap(), "a\r\nb\nx\nc");
    }

    #[test]
    fn lines_count_in_the_original_and_several_keep_their_order() {
        assert_eq!(
            inserted("a\nb\n", &[(2, "x"), (2, "y"), (1, "z")]).unwrap(),
            "z\na\nx\ny\nb\n"
        );
    }

    #[test]
    fn a_line_that_the_file_does_not_have_is_refused() {
        assert_eq!(
            inserted("a\nb\n", &[(4, "x")]).unwrap_err(),
            "`a.txt` was not changed: there is no line 4 to insert at. Use a line from 1 to 3 (3 appends)."
        );
    }

    #[test]
    fn a_place_inside_a_replaced_text_is_refused_and_its_borders_are_not() {
        let text = "a\nb\nc\nd\n";
        let at = |line: u64| {
            let replacement = Replacement {
                old: "b\nc\n",
                new: "B\n",
            };
            let mut plan = plan(text, &[replacement], Options::default()).unwrap();
            let insertion = LineInsertion {
                line,
                text: "x".to_owned(),
            };
            insert("a.txt", text, &mut plan, &[insertion])
                .map(|()| plan.apply(text))
                .map_err(|error| error.code.as_str())
        };
        assert_eq!(at(2).unwrap(), "a\nx\nB\nd\n");
        assert_eq!(at(3).unwrap_err(), "invalid_params");
        assert_eq!(at(4).unwrap(), "a\nB\nx\nd\n");
    }
}
