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
    let ends_in_added = hunk
        .lines
        .last()
        .is_some_and(|line| line.side == Side::Added);
    is_open && ends_in_added && hunk.position.is_some() && !is_full(hunk)
}
