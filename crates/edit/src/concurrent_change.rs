//! What became of a text since somebody saw it, and whether that touches an edit.

use std::ops::Range;

use crate::diff::{Change, TextDiff, count_lines};
use crate::error::Lines;
use crate::fold::Level;
use crate::matcher::index::TextIndex;
use crate::plan::{Match, MatchLevel, Plan};

/// The difference between a text as its editor knows it and as it is now.
///
/// An edit is made for the text that the editor knows. Where the other changes do not touch its
/// place, it is right for the text as it is now as well; where they do, it may be wrong even if it
/// still matches, because the same words may stand somewhere else by now.
///
/// ```
/// use tenon_edit::{ConcurrentChange, Options, Replacement, plan};
///
/// let known = "one\ntwo\nthree\n";
/// let now = "zero\none\ntwo\nthree\n";
/// let edit = plan(now, &[Replacement { old: "three", new: "3" }], Options::default())?;
/// let change = ConcurrentChange::new(known, now);
/// assert_eq!(change.conflict(&edit), None);
/// assert_eq!(change.replayed(&edit).as_deref(), Some("one\ntwo\n3\n"));
/// # Ok::<(), tenon_edit::EditError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ConcurrentChange<'a> {
    known: &'a str,
    now: &'a str,
    changes: Vec<Change>,
    /// The places of those that matter, in lines of the text as it is now.
    touched: Vec<Range<usize>>,
}

impl<'a> ConcurrentChange<'a> {
    /// Compares the text as it is known and as it is.
    #[must_use]
    pub fn new(known: &'a str, now: &'a str) -> Self {
        let changes = TextDiff::new(known, now).changes().to_vec();
        let mattering = changes.iter().filter(|change| matters(known, now, change));
        let touched = mattering.map(|change| change.after_lines.clone()).collect();
        Self {
            known,
            now,
            changes,
            touched,
        }
    }

    /// The text as it is known.
    #[must_use]
    pub const fn known(&self) -> &'a str {
        self.known
    }

    /// Whether nothing changed.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.changes.is_empty()
    }

    /// The first place of a plan on the text as it is now that other changes touch.
    ///
    /// A place that matched to the letter and whose text is not in the known text is left out: only somebody
    /// who knows the text as it is now can have named it.
    #[must_use]
    pub fn conflict(&self, plan: &Plan) -> Option<Lines> {
        let known = TextIndex::new(self.known);
        let mut places = plan.matches.iter();
        let touched = places.find(|found| self.is_in_doubt(found, &known));
        touched.map(|found| Lines {
            first: found.first_line,
            last: found.last_line,
        })
    }

    fn is_in_doubt(&self, found: &Match, known: &TextIndex<'_>) -> bool {
        let lines = found.first_line.saturating_sub(1)..found.last_line;
        if !self.touches(&lines) {
            return false;
        }
        let text = self.now.get(found.range.clone()).unwrap_or_default();
        found.match_level > MatchLevel::LineEnds || contains_lines(known, text)
    }

    /// Whether changes that matter lie in these lines of the text as it is now, counted from 0.
    fn touches(&self, lines: &Range<usize>) -> bool {
        // They are in order, and none begins before the one above it ends.
        let first = self
            .touched
            .partition_point(|after| after.end < lines.start);
        let rest = self.touched.get(first..).unwrap_or_default().iter();
        rest.take_while(|after| after.start <= lines.end)
            .any(|after| is_within(after, lines))
    }

    /// Whether this line, counted from 1, and all before it are the same in both texts.
    #[must_use]
    pub fn keeps_numbers_to(&self, line: usize) -> bool {
        let changes = self.changes.iter();
        let mut changes = changes.filter(|change| matters(self.known, self.now, change));
        changes.all(|change| change.before_lines.start >= line)
    }

    /// Where lines of the known text stand now, counted from 1, with everything that was put
    /// between them.
    #[must_use]
    pub fn now_at(&self, known: Lines) -> Lines {
        let first = self.line_now(known.first.saturating_sub(1), |after| after.start);
        let last = self.line_now(known.last.saturating_sub(1), |after| {
            after.end.saturating_sub(1).max(after.start)
        });
        let total = count_lines(self.now.as_bytes()).max(1);
        let first = (first + 1).min(total);
        Lines {
            first,
            last: (last + 1).clamp(first, total),
        }
    }

    fn line_now(&self, line: usize, within: impl Fn(&Range<usize>) -> usize) -> usize {
        let mut shifted = line;
        for change in &self.changes {
            if change.before_lines.start > line {
                break;
            }
            if change.before_lines.contains(&line) {
                return within(&change.after_lines);
            }
            shifted = line - change.before_lines.end + change.after_lines.end;
        }
        shifted
    }

    /// The known text after these lines of the present one, counted from 1 and in ascending order, were
    /// shown to who knows it.
    #[must_use]
    pub fn shown(&self, lines: impl IntoIterator<Item = Lines>) -> String {
        let mut places = lines
            .into_iter()
            .map(|lines| lines.first.saturating_sub(1)..lines.last)
            .peekable();
        let mut text = String::with_capacity(self.known.len());
        let mut end = 0;
        for change in &self.changes {
            text.push_str(part(self.known, end..change.before_bytes.start));
            end = change.before_bytes.end;
            let after = &change.after_lines;
            while places.next_if(|shown| shown.end < after.start).is_some() {}
            let is_shown = places.peek().is_some_and(|shown| {
                after.start < shown.end && after.end > shown.start
                    || after.is_empty() && shown.start <= after.start && after.start <= shown.end
            });
            text.push_str(if is_shown {
                part(self.now, change.after_bytes.clone())
            } else {
                part(self.known, change.before_bytes.clone())
            });
        }
        text.push_str(part(self.known, end..self.known.len()));
        text
    }

    /// The same after the plan showed that its places are known as they are. `None` where that cannot be said.
    #[must_use]
    pub fn replayed_as_shown(&self, plan: &Plan) -> Option<String> {
        let mut places: Vec<Lines> = plan
            .matches
            .iter()
            .map(|found| Lines {
                first: found.first_line,
                last: found.last_line,
            })
            .collect();
        places.sort_unstable_by_key(|lines| lines.first);
        let known = self.shown(places);
        ConcurrentChange::new(&known, self.now).replayed(plan)
    }

    /// The known text after a plan on the present one was made in both. `None` where a place of the
    /// plan is not the same in both, byte by byte.
    #[must_use]
    pub fn replayed(&self, plan: &Plan) -> Option<String> {
        let mut splices = Vec::with_capacity(plan.splices.len());
        for splice in &plan.splices {
            let mut moved = splice.clone();
            moved.range = self.known_range(&splice.range)?;
            splices.push(moved);
        }
        let plan = Plan {
            splices,
            matches: Vec::new(),
        };
        Some(plan.apply(self.known))
    }

    /// Where a range of the present text stands in the known one.
    fn known_range(&self, now: &Range<usize>) -> Option<Range<usize>> {
        let at = self
            .changes
            .partition_point(|change| change.after_bytes.end <= now.start);
        let before = at
            .checked_sub(1)
            .and_then(|before| self.changes.get(before));
        let next = self.changes.get(at);
        if next.is_some_and(|change| change.after_bytes.start < now.end.max(now.start + 1)) {
            return None;
        }
        let (from, to) = before.map_or((0, 0), |change| {
            (change.after_bytes.end, change.before_bytes.end)
        });
        Some(now.start - from + to..now.end - from + to)
    }
}

/// Whether a change lies in these lines. One that only took lines away lies between two lines.
fn is_within(after: &Range<usize>, lines: &Range<usize>) -> bool {
    if after.is_empty() {
        lines.start < after.start && after.start < lines.end
    } else {
        after.start < lines.end && lines.start < after.end
    }
}

/// Line ends and whitespace before them make no other text of a line.
fn matters(known: &str, now: &str, change: &Change) -> bool {
    fn lines<'t>(text: &'t str, range: &Range<usize>) -> impl Iterator<Item = &'t str> {
        let part = text.get(range.clone()).unwrap_or_default();
        part.lines().map(str::trim_end)
    }
    change.before_lines.len() != change.after_lines.len()
        || !lines(known, &change.before_bytes).eq(lines(now, &change.after_bytes))
}

/// Whether a text stands in another one, whatever the line ends.
fn contains_lines(text: &TextIndex<'_>, part: &str) -> bool {
    if text.find(part).next().is_some() {
        return true;
    }
    text.is_worth(Level::LineEnds, part) && {
        let part = part.replace("\r\n", "\n");
        text.view(Level::LineEnds).find(&part).next().is_some()
    }
}

fn part(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

#[cfg(test)]
mod tests;
