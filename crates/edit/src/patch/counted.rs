//! Whether a hunk of a unified diff has the lines that the numbers of its header ask for.

use crate::patch::{Hunk, Position, Side};

/// The lines of a hunk so far.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    lines: usize,
    pub(crate) old: usize,
    pub(crate) new: usize,
}

impl Counted {
    /// Counts the lines that came since.
    pub(crate) fn go_on(&mut self, hunk: &Hunk) {
        for line in hunk.lines.get(self.lines..).unwrap_or_default() {
            self.old += usize::from(line.side != Side::Added);
            self.new += usize::from(line.side != Side::Removed);
        }
        self.lines = hunk.lines.len();
    }

    /// Whether there are as many lines as the header says, or more.
    pub(crate) fn is_full(&self, hunk: &Hunk) -> bool {
        let position = hunk.position;
        position.is_some_and(|at| self.old >= at.old_count && self.new >= at.new_count)
    }
}

/// Whether the hunk has as many lines as its header says, or more.
fn is_full(hunk: &Hunk) -> bool {
    hunk.position.is_some_and(
        |Position {
             old_count,
             new_count,
             ..
         }| {
            hunk.side(Side::Added).count() >= old_count
                && hunk.side(Side::Removed).count() >= new_count
        },
    )
}

/// Whether the hunk has exactly as many lines as its header says.
pub(crate) fn fits(hunk: &Hunk) -> bool {
    hunk.position.is_some_and(
        |Position {
             old_count,
             new_count,
             ..
         }| {
            hunk.side(Side::Added).count() == old_count
                && hunk.side(Side::Removed).count() == new_count
        },
    )
}

/// Whether the patch ends in the middle of an added line: its numbers ask for more lines, and
/// the last one has no end. A line of the other kinds has to stand in the file as a whole anyway.
pub(crate) fn is_cut_off(hunk: &Hunk, is_open: bool) -> bool {
    is_open && last_side(hunk) == Some(Side::Added) && hunk.position.is_some() && !is_full(hunk)
}

/// What a hunk that ends the text has and should have, if the text ends behind a removed line where the header asks
/// for more new lines: what was to come in its place would be lost without a trace. Without that line nothing of
/// the file goes, and a hunk that has more old lines than its header says has a wrong header anyway.
pub(crate) fn lost_replacement(hunk: &Hunk) -> Option<Shortfall> {
    let wanted = hunk.position?;
    let has = (
        hunk.side(Side::Added).count(),
        hunk.side(Side::Removed).count(),
    );
    let is_short = has.0 <= wanted.old_count && has.1 < wanted.new_count;
    (is_short && last_side(hunk) == Some(Side::Removed)).then_some(Shortfall {
        wanted: (wanted.old_count, wanted.new_count),
        has,
    })
}

/// How many old and new lines a hunk should have, and has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shortfall {
    pub(crate) wanted: (usize, usize),
    pub(crate) has: (usize, usize),
}

fn last_side(hunk: &Hunk) -> Option<Side> {
    hunk.lines.last().map(|line| line.side)
}
