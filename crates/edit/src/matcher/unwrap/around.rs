//! Decorations around the whole text: fences, empty lines, conflict markers; and diff signs.

use crate::error::Unclear;
use crate::matcher::unwrap::Variant;
use crate::plan::{Decoration, MatchLevel, Replacement};

/// The ways to take such a decoration off an edit.
pub(crate) fn variants(edit: &Replacement<'_>) -> Vec<Variant> {
    [fence(edit), empty_lines(edit), markers(edit), signs(edit)]
        .into_iter()
        .flatten()
        .collect()
}

fn variant(decoration: Decoration, old: String, new: String) -> Variant {
    Variant {
        decoration,
        old,
        new: Ok(new),
        weakest: MatchLevel::BlankLines,
        line: None,
        whole_lines: true,
    }
}

/// If only the old text was wrapped, its last line end may belong to the wrapping: it is kept
/// only if the new text has one too.
fn with_equal_ends(old: &str, new: &str) -> String {
    if old.ends_with('\n') && !new.ends_with('\n') && !new.is_empty() {
        let body = old.strip_suffix('\n').unwrap_or(old);
        return body.strip_suffix('\r').unwrap_or(body).to_owned();
    }
    old.to_owned()
}

fn fence(edit: &Replacement<'_>) -> Option<Variant> {
    let old = inside_fence(edit.old)?;
    let new = inside_fence(edit.new).unwrap_or(edit.new);
    Some(variant(
        Decoration::Fence,
        with_equal_ends(old, new),
        new.to_owned(),
    ))
}

/// What stands between a line that opens a code fence and the line that closes it.
fn inside_fence(text: &str) -> Option<&str> {
    let text = text.trim_matches(['\r', '\n']);
    let mark = ["```", "~~~"]
        .into_iter()
        .find(|mark| text.starts_with(mark))?;
    let (_, inside) = text.split_once('\n')?;
    let closing = inside.rfind('\n').map_or(0, |newline| newline + 1);
    let (inside, last) = inside.split_at_checked(closing)?;
    let last = last.trim();
    let closes = last.starts_with(mark) && last.trim_start_matches(mark.get(..1)?).is_empty();
    closes.then_some(inside)
}

fn empty_lines(edit: &Replacement<'_>) -> Option<Variant> {
    let old = without_outer_lines(edit.old);
    if old == edit.old {
        return None;
    }
    let new = without_outer_lines(edit.new);
    let mut variant = variant(Decoration::Fence, with_equal_ends(old, new), new.to_owned());
    if outer_lines(edit.old) != outer_lines(edit.new) {
        // Other empty lines in the new text may be what the edit is about.
        variant.new = Err(Unclear::BlankLines);
    }
    Some(variant)
}

/// The number of empty lines before and behind a text.
fn outer_lines(text: &str) -> (usize, usize) {
    let is_empty = |line: &&str| line.trim().is_empty();
    let lines: Vec<&str> = text.lines().collect();
    let before = lines.iter().take_while(|line| is_empty(line)).count();
    (
        before,
        lines.iter().rev().take_while(|line| is_empty(line)).count(),
    )
}

/// The text without empty lines before and behind it. The last line keeps its end.
fn without_outer_lines(text: &str) -> &str {
    let is_empty = |line: &&str| line.trim().is_empty();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let before: usize = lines
        .iter()
        .take_while(|line| is_empty(line))
        .map(|line| line.len())
        .sum();
    let behind: usize = lines
        .iter()
        .rev()
        .take_while(|line| is_empty(line))
        .map(|line| line.len())
        .sum();
    text.get(before..text.len() - behind.min(text.len() - before))
        .unwrap_or_default()
}

fn markers(edit: &Replacement<'_>) -> Option<Variant> {
    let old = without_markers(edit.old);
    if old == edit.old {
        return None;
    }
    let new = without_markers(edit.new);
    Some(variant(
        Decoration::ConflictMarkers,
        with_equal_ends(&old, &new),
        new,
    ))
}

/// The text without lines of conflict markers at its two ends.
fn without_markers(text: &str) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    if lines.first().is_some_and(|line| is_marker(line)) {
        lines.remove(0);
    }
    if lines.last().is_some_and(|line| is_marker(line)) {
        lines.pop();
    }
    lines.concat()
}

fn is_marker(line: &str) -> bool {
    let line = line.trim_end();
    line == "======="
        || ["<<<<<<< ", ">>>>>>> "]
            .iter()
            .any(|mark| line.starts_with(mark))
        || line == "<<<<<<<"
        || line == ">>>>>>>"
}

/// Signs of a diff: a minus before removed lines in the old text, a plus before added ones in
/// the new text. Only one of the two may be mere text, so both have to be there.
fn signs(edit: &Replacement<'_>) -> Option<Variant> {
    let old = without_signs(edit.old, '-')?;
    let (new, is_clear) = match without_signs(edit.new, '+') {
        Some(new) => (Ok(new), true),
        None => (Err(Unclear::Decoration), false),
    };
    is_clear.then_some(Variant {
        decoration: Decoration::DiffSigns,
        old,
        new,
        weakest: MatchLevel::TrailingBlanks,
        line: None,
        whole_lines: true,
    })
}

fn without_signs(text: &str, sign: char) -> Option<String> {
    let mut output = String::with_capacity(text.len());
    let mut has_sign = false;
    for line in text.split_inclusive('\n') {
        if let Some(body) = line.strip_prefix(sign) {
            has_sign = true;
            output.push_str(body);
        } else if let Some(body) = line.strip_prefix(' ') {
            output.push_str(body);
        } else if line.trim().is_empty() {
            output.push_str(line);
        } else {
            return None;
        }
    }
    has_sign.then_some(output)
}

pub(crate) fn is_fenced(text: &str) -> bool {
    inside_fence(text).is_some()
}

/// What the new text has of such a decoration that the old text has not.
pub(crate) fn sign_in(edit: &Replacement<'_>, decoration: Decoration) -> Option<String> {
    let (sign, is_decorated): (&str, fn(&str) -> bool) = match decoration {
        Decoration::Fence => ("```", is_fenced),
        Decoration::ConflictMarkers => ("=======", |text| without_markers(text) != text),
        Decoration::DiffSigns => ("+", |text| without_signs(text, '+').is_some()),
        Decoration::LineNumbers | Decoration::Escapes | Decoration::Entities => return None,
    };
    (is_decorated(edit.new) && !is_decorated(edit.old)).then(|| sign.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_taken_off_with_its_language() {
        assert_eq!(
            inside_fence("```rust\nlet a = 1;\n```"),
            Some("let a = 1;\n")
        );
        assert_eq!(inside_fence("```rust\nlet a = 1;\n"), None);
    }

    #[test]
    fn outer_empty_lines_come_off_and_the_last_line_keeps_its_end() {
        assert_eq!(without_outer_lines("\n\na\n\nb\n\n"), "a\n\nb\n");
        assert_eq!(without_outer_lines("a"), "a");
    }

    #[test]
    fn signs_are_only_taken_off_when_every_line_has_one() {
        assert_eq!(without_signs(" a\n-b\n", '-').as_deref(), Some("a\nb\n"));
        assert_eq!(without_signs("a\n-b\n", '-'), None);
        assert_eq!(without_signs(" a\n b\n", '-'), None);
    }
}
