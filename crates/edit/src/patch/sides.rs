//! A hunk as the lines before and after it.

use std::ops::Range;

use crate::lines::CallLine;
use crate::matcher::script::ScriptStep;
use crate::patch::{Hunk, HunkLine, Side};

/// The two sides of a hunk as lines, and the way from the one to the other.
pub(crate) struct Sides<'a> {
    pub(crate) old: Vec<CallLine<'a>>,
    pub(crate) new: Vec<CallLine<'a>>,
    pub(crate) added: Vec<&'a HunkLine>,
    pub(crate) steps: Vec<ScriptStep>,
    /// Whether the patch distinguishes CRLF from LF.
    pub(crate) has_carriage: bool,
}

impl<'a> Sides<'a> {
    pub(crate) fn of(hunk: &'a Hunk, has_carriage: bool) -> Self {
        let (last_old, last_new) = (last_of(hunk, Side::Added), last_of(hunk, Side::Removed));
        let mut steps: Vec<ScriptStep> = Vec::new();
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for (at, line) in hunk.lines.iter().enumerate() {
            let (old_at, new_at) = (old.len(), new.len());
            let is_kept = line.side == Side::Context;
            if line.side != Side::Added {
                old.push(call(line, Some(at) == last_old));
            }
            if line.side != Side::Removed {
                new.push(call(line, Some(at) == last_new));
            }
            match steps.last_mut() {
                Some(ScriptStep::Keep {
                    old: kept,
                    new: copied,
                }) if is_kept => {
                    (kept.end, copied.end) = (old.len(), new.len());
                }
                Some(ScriptStep::Change {
                    old: removed,
                    new: added,
                }) if !is_kept => {
                    (removed.end, added.end) = (old.len(), new.len());
                }
                _ if is_kept => {
                    steps.push(ScriptStep::Keep {
                        old: old_at..old.len(),
                        new: new_at..new.len(),
                    });
                }
                _ => steps.push(ScriptStep::Change {
                    old: old_at..old.len(),
                    new: new_at..new.len(),
                }),
            }
        }
        let added = hunk
            .lines
            .iter()
            .filter(|line| line.side == Side::Added)
            .collect();
        Self {
            old,
            new,
            added,
            steps,
            has_carriage,
        }
    }

    /// Whether the old lines, if they are equal byte by byte, show which line ends the patch means.
    pub(crate) fn reports_ends(&self) -> bool {
        self.has_carriage || self.old.iter().any(|line| line.ended)
    }

    pub(crate) fn is_unchanged(&self) -> bool {
        self.steps
            .iter()
            .all(|step| matches!(step, ScriptStep::Keep { .. }))
    }

    /// The steps without the context before the first and behind the last change.
    pub(crate) fn inner_steps(&self) -> &[ScriptStep] {
        let is_change = |step: &ScriptStep| matches!(step, ScriptStep::Change { .. });
        let first = self.steps.iter().position(is_change).unwrap_or(0);
        let last = self
            .steps
            .iter()
            .rposition(is_change)
            .map_or(0, |last| last + 1);
        self.steps.get(first..last).unwrap_or_default()
    }

    /// The lines that the inner steps replace.
    pub(crate) fn inner_old(&self) -> Range<usize> {
        let range = |step: &ScriptStep| match step {
            ScriptStep::Keep { old, .. } | ScriptStep::Change { old, .. } => old.clone(),
        };
        let steps = self.inner_steps();
        let start = steps.first().map_or(0, |step| range(step).start);
        start..steps.last().map_or(start, |step| range(step).end)
    }
}

/// The index of the last line that is not on one side alone.
fn last_of(hunk: &Hunk, without: Side) -> Option<usize> {
    hunk.lines.iter().rposition(|line| line.side != without)
}

fn call(line: &HunkLine, is_last: bool) -> CallLine<'_> {
    let call = CallLine {
        body: &line.text,
        ended: line.ended,
        carriage: line.carriage,
    };
    if is_last { call } else { with_end(&call) }
}

/// A line with its end. `\ No newline at end of file` behind any but the last line of a file is a slip, which must not
/// join two lines; the carriage return that the marker made a part of the text is a part of the end again.
pub(crate) fn with_end<'a>(line: &CallLine<'a>) -> CallLine<'a> {
    match line.body.strip_suffix('\r').filter(|_| !line.ended) {
        Some(body) => CallLine {
            body,
            ended: true,
            carriage: true,
        },
        None => CallLine {
            ended: true,
            ..*line
        },
    }
}
