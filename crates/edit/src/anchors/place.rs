//! From edits by anchors to a plan.

use std::ops::Range;

use super::anchor::Anchor;
use super::error::AnchorError;
use super::shown::ShownLines;
use super::text::AnchoredText;
use crate::error::Lines;
use crate::lines::LineEnd;
use crate::plan::{Match, MatchLevel, Plan, Splice};

/// One edit by anchors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnchoredEdit<'a> {
    /// The anchor of the line, or of the first one of several.
    pub from: &'a str,
    /// The anchor of the last line, where there are several.
    pub to: Option<&'a str>,
    /// Whole lines; a line end at their end makes no line more. Nothing takes the lines away.
    pub new: &'a str,
    /// What the new lines are to the ones that are named.
    pub place: Placement,
}

/// Where new lines go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// In the place of the lines.
    Replace,
    /// Before the first line.
    Before,
    /// Behind the last line.
    After,
}

/// An edit whose lines are found, counted from 0.
struct PlacedEdit<'a> {
    edit: usize,
    lines: Range<usize>,
    place: Placement,
    new: Vec<&'a str>,
}

impl PlacedEdit<'_> {
    /// Puts edits in the order of the file: what goes between two lines comes between the edits of both.
    fn order(&self) -> (usize, usize) {
        let place = match self.place {
            Placement::Replace => 2 * self.lines.start + 1,
            Placement::Before => 2 * self.lines.start,
            Placement::After => 2 * self.lines.end,
        };
        (place, self.edit)
    }

    /// The line before which new lines go.
    const fn border(&self) -> Option<usize> {
        match self.place {
            Placement::Replace => None,
            Placement::Before => Some(self.lines.start),
            Placement::After => Some(self.lines.end),
        }
    }
}

impl ShownLines {
    /// Plans edits on a text. Either all can be made or none is.
    ///
    /// # Errors
    /// [`AnchorError`] names the edit and the lines to look at.
    pub fn plan(
        &self,
        text: &AnchoredText<'_>,
        edits: &[AnchoredEdit<'_>],
    ) -> Result<Plan, AnchorError> {
        let mut found = Vec::with_capacity(edits.len());
        for (at, edit) in edits.iter().enumerate() {
            found.push(self.found(text, at, edit)?);
        }
        let Some(first) = found.first() else {
            return Err(AnchorError::NoEdits);
        };
        let first = numbered(&first.lines);
        let matches = found.iter().map(|edit| matched(text, edit)).collect();
        found.sort_by_key(PlacedEdit::order);
        check_overlap(&found)?;
        let mut is_open = !text.is_ended();
        let made = found
            .iter()
            .filter_map(|edit| splice(text, edit, &mut is_open));
        let splices = made.collect();
        let plan = Plan { splices, matches };
        if plan.splices.is_empty() || plan.apply(text.text()) == text.text() {
            return Err(AnchorError::NoChange { lines: first });
        }
        Ok(plan)
    }

    fn found<'e>(
        &self,
        text: &AnchoredText<'_>,
        at: usize,
        edit: &AnchoredEdit<'e>,
    ) -> Result<PlacedEdit<'e>, AnchorError> {
        let first = self.line(text, at, edit.from)?;
        let last = match edit.to {
            Some(to) => self.line(text, at, to)?,
            None => first,
        };
        let named = |value: &str| anchor_in(value).map_or_else(String::new, |it| it.0.to_string());
        let ends = || (named(edit.from), named(edit.to.unwrap_or_default()));
        if last < first {
            let (from, to) = ends();
            let lines = numbered(&(last..first + 1));
            return Err(AnchorError::Reversed {
                edit: at,
                from,
                to,
                lines,
            });
        }
        let lines = first..last + 1;
        let is_whole = edit
            .to
            .is_none_or(|to| self.were_apart(edit.from, to, lines.len()));
        if !is_whole || (lines.len() > 1 && !self.knows(text, &lines)) {
            let (from, to) = ends();
            let lines = numbered(&lines);
            return Err(AnchorError::Between {
                edit: at,
                from,
                to,
                lines,
            });
        }
        Ok(PlacedEdit {
            edit: at,
            lines,
            place: edit.place,
            new: self.undecorated(at, edit.new)?,
        })
    }

    /// Whether two anchors may be the ends of so many lines: those that there were from one to the other where both were last
    /// shown in one state of the text. Two anchors were never one line.
    fn were_apart(&self, from: &str, to: &str, count: usize) -> bool {
        let named = |value| anchor_in(value).map(|(anchor, _)| anchor);
        let (from, to) = (named(from), named(to));
        if from == to {
            return count == 1;
        }
        let shown = |anchor: Option<Anchor>| anchor.and_then(|anchor| self.mark(anchor));
        match (shown(from), shown(to)) {
            (Some(from), Some(to)) if from.shown.text == to.shown.text => {
                from.shown.line + count == to.shown.line + 1
            }
            _ => count > 1,
        }
    }

    /// The line that an anchor names.
    fn line(
        &self,
        text: &AnchoredText<'_>,
        edit: usize,
        value: &str,
    ) -> Result<usize, AnchorError> {
        let Some((anchor, copied)) = anchor_in(value) else {
            let value = value.chars().take(40).collect();
            return Err(AnchorError::Malformed { edit, value });
        };
        let name = anchor.to_string();
        let Some(mark) = self.mark(anchor) else {
            return Err(AnchorError::Unknown { edit, anchor: name });
        };
        let line = match text.find(mark.print) {
            Some((line, 1)) => line,
            Some((line, count)) => {
                let near = numbered(&(line..line + 1));
                return Err(AnchorError::Several {
                    edit,
                    anchor: name,
                    count,
                    near,
                });
            }
            None => {
                let near = self.near(text, mark);
                return Err(AnchorError::Changed {
                    edit,
                    anchor: name,
                    near,
                });
            }
        };
        if !copied.trim().is_empty() && copied.trim() != text.line(line).trim() {
            let near = numbered(&(line..line + 1));
            return Err(AnchorError::OtherText {
                edit,
                anchor: name,
                near,
            });
        }
        Ok(line)
    }

    /// The new lines, without the anchors that were copied in front of all of them.
    fn undecorated<'e>(&self, edit: usize, new: &'e str) -> Result<Vec<&'e str>, AnchorError> {
        let lines = lines_of(new);
        let decorated = |line: &'e str| {
            let (letters, rest) = line.split_once('|')?;
            let is_bare = letters.bytes().all(|letter| letter.is_ascii_lowercase());
            let anchor = is_bare.then(|| Anchor::parse(letters)).flatten()?;
            Some((self.mark(anchor).is_some(), rest))
        };
        if !lines
            .iter()
            .any(|line| decorated(line).is_some_and(|it| it.0))
        {
            return Ok(lines);
        }
        let bare = lines.iter().map(|line| match decorated(line) {
            Some((_, rest)) => Some(rest),
            None => line.trim().is_empty().then_some(*line),
        });
        let bare: Option<Vec<&str>> = bare.collect();
        bare.ok_or(AnchorError::Decorated { edit })
    }
}

/// An anchor, and the text of a line that was copied with it.
fn anchor_in(value: &str) -> Option<(Anchor, &str)> {
    let (letters, copied) = value.split_once('|').unwrap_or((value, ""));
    Some((Anchor::parse(letters)?, copied))
}

/// Whole lines without their ends.
fn lines_of(new: &str) -> Vec<&str> {
    if new.is_empty() {
        return Vec::new();
    }
    let body = new.strip_suffix('\n').unwrap_or(new);
    let lines = body.split('\n');
    lines
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .collect()
}

fn numbered(lines: &Range<usize>) -> Lines {
    Lines {
        first: lines.start + 1,
        last: lines.end.max(lines.start + 1),
    }
}

fn matched(text: &AnchoredText<'_>, found: &PlacedEdit<'_>) -> Match {
    let lines = numbered(&found.lines);
    Match {
        edit: found.edit,
        match_level: MatchLevel::Exact,
        decoration: None,
        range: text.bytes(&found.lines),
        first_line: lines.first,
        last_line: lines.last,
    }
}

/// No line is in two edits, and nothing is put into lines that another edit takes away. `found` is in order.
fn check_overlap(found: &[PlacedEdit<'_>]) -> Result<(), AnchorError> {
    let replaced = || found.iter().filter(|edit| edit.place == Placement::Replace);
    for (left, right) in replaced().zip(replaced().skip(1)) {
        if right.lines.start < left.lines.end {
            return Err(overlap(left, right));
        }
    }
    for put in found {
        let Some(border) = put.border() else { continue };
        let is_inside =
            |other: &&PlacedEdit<'_>| other.lines.start < border && border < other.lines.end;
        if let Some(other) = replaced().find(is_inside) {
            return Err(overlap(other, put));
        }
    }
    Ok(())
}

fn overlap(left: &PlacedEdit<'_>, right: &PlacedEdit<'_>) -> AnchorError {
    let first = left.lines.start.min(right.lines.start);
    let last = left.lines.end.max(right.lines.end);
    AnchorError::Overlap {
        first: left.edit.min(right.edit),
        second: left.edit.max(right.edit),
        lines: numbered(&(first..last)),
    }
}

/// What has to be done for an edit: lines at either end that stay as they are keep their bytes. `is_open` is whether the text has
/// no line end where it ends, once the edits before this one are made.
fn splice(text: &AnchoredText<'_>, found: &PlacedEdit<'_>, is_open: &mut bool) -> Option<Splice> {
    let lines = match found.border() {
        Some(border) => border..border,
        None => found.lines.clone(),
    };
    let mut new = found.new.as_slice();
    let (mut first, mut last) = (lines.start, lines.end);
    while let Some((head, rest)) = new.split_first()
        && first < last
        && text.line(first) == *head
    {
        (first, new) = (first + 1, rest);
    }
    while let Some((tail, rest)) = new.split_last()
        && first < last
        && text.line(last - 1) == *tail
    {
        (last, new) = (last - 1, rest);
    }
    if first == last && new.is_empty() {
        return None;
    }
    let range = text.bytes(&(first..last));
    let end =
        LineEnd::in_use_at(text.text(), text.bytes(&lines).start).map_or("\n", LineEnd::as_str);
    let mut replacement = joined(text, first..last, new, end);
    let at_open_end = last == text.len() && !text.is_ended();
    if at_open_end && !new.is_empty() {
        // The file ends without a line end, and still does, unless a blank line ends it: that would be none.
        if new.last().is_some_and(|line| !line.is_empty()) {
            let length = replacement.trim_end_matches(['\r', '\n']).len();
            replacement.truncate(length);
        }
        if first == last && *is_open {
            replacement.insert_str(0, end);
        }
    }
    if at_open_end {
        *is_open = !replacement.is_empty() && !replacement.ends_with('\n');
    }
    Some(Splice { range, replacement })
}

/// New lines with their ends: those that were there before, in the same order, keep their own; the others have that
/// of the line they replace, of the last of them for one line more, or `end`.
fn joined(text: &AnchoredText<'_>, old: Range<usize>, new: &[&str], end: &str) -> String {
    let mut joined = String::new();
    let mut next = old.start;
    for (count, line) in new.iter().enumerate() {
        joined.push_str(line);
        match (next..old.end).find(|at| text.line(*at) == *line) {
            Some(at) if !text.end(at).is_empty() => {
                joined.push_str(text.end(at));
                next = at + 1;
            }
            _ => {
                let replaced = old.end.checked_sub(1).filter(|_| !old.is_empty());
                let own = replaced.map(|last| text.end(last.min(old.start + count)));
                joined.push_str(own.filter(|own| !own.is_empty()).unwrap_or(end));
            }
        }
    }
    joined
}
