//! Why an edit by anchors was refused.

use thiserror::Error;

use crate::error::Lines;

/// Why an edit by anchors was refused. No refused call changes anything.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AnchorError {
    /// There is nothing to do.
    #[error("no edits were given.")]
    NoEdits,
    /// What was given for an anchor is not one.
    #[error("`{value}` is not an anchor. Use the letters before the `|` of a line.")]
    Malformed {
        /// Which edit, from 0.
        edit: usize,
        /// As it was given.
        value: String,
    },
    /// No line of the file was shown under these letters.
    #[error("no line was shown with the anchor `{anchor}`. Read the lines to get their anchors.")]
    Unknown {
        /// Which edit, from 0.
        edit: usize,
        /// The letters.
        anchor: String,
    },
    /// The line was shown, and is not there any more.
    #[error("the line with the anchor `{anchor}` has changed since it was shown.")]
    Changed {
        /// Which edit, from 0.
        edit: usize,
        /// The letters.
        anchor: String,
        /// Where it was, as far as that can be found.
        near: Lines,
    },
    /// By now several lines are like the one that was shown.
    #[error("{count} lines are now like the one with the anchor `{anchor}`.")]
    Several {
        /// Which edit, from 0.
        edit: usize,
        /// The letters.
        anchor: String,
        /// How many.
        count: usize,
        /// The first of them.
        near: Lines,
    },
    /// Both ends of the place are known, and what is between them is not.
    #[error(
        "the lines from `{from}` to `{to}` have changed since they were shown, or not all of them were shown."
    )]
    Between {
        /// Which edit, from 0.
        edit: usize,
        /// The first anchor.
        from: String,
        /// The last anchor.
        to: String,
        /// The lines of the place.
        lines: Lines,
    },
    /// The last line comes before the first.
    #[error("the line with the anchor `{to}` comes before the one with `{from}`.")]
    Reversed {
        /// Which edit, from 0.
        edit: usize,
        /// The first anchor.
        from: String,
        /// The last anchor.
        to: String,
        /// The lines of both and between.
        lines: Lines,
    },
    /// An anchor was given together with the text of another line.
    #[error("the line with the anchor `{anchor}` has another text than the one given with it.")]
    OtherText {
        /// Which edit, from 0.
        edit: usize,
        /// The letters.
        anchor: String,
        /// The line.
        near: Lines,
    },
    /// Some of the new lines begin with anchors and others do not.
    #[error("some lines of the new text begin with an anchor. Leave the anchors out of it.")]
    Decorated {
        /// Which edit, from 0.
        edit: usize,
    },
    /// Two edits are about the same lines.
    #[error("edits {} and {} are about the same lines. Make them one edit.", first + 1, second + 1)]
    Overlap {
        /// Which edit, from 0.
        first: usize,
        /// The other one.
        second: usize,
        /// The lines of both.
        lines: Lines,
    },
    /// The new text is what is there.
    #[error("the new text is the same as the lines that are there.")]
    NoChange {
        /// The lines of the first edit.
        lines: Lines,
    },
}

impl AnchorError {
    /// The lines to look at before the next try, counted from 1.
    #[must_use]
    pub const fn lines(&self) -> Option<Lines> {
        match self {
            Self::Changed { near, .. }
            | Self::Several { near, .. }
            | Self::OtherText { near, .. } => Some(*near),
            Self::Between { lines, .. }
            | Self::Reversed { lines, .. }
            | Self::Overlap { lines, .. }
            | Self::NoChange { lines } => Some(*lines),
            _ => None,
        }
    }

    /// Which edit was refused, from 0, where it is one.
    #[must_use]
    pub const fn edit(&self) -> Option<usize> {
        match self {
            Self::Malformed { edit, .. }
            | Self::Unknown { edit, .. }
            | Self::Changed { edit, .. }
            | Self::Several { edit, .. }
            | Self::Between { edit, .. }
            | Self::Reversed { edit, .. }
            | Self::OtherText { edit, .. }
            | Self::Decorated { edit } => Some(*edit),
            Self::Overlap { second, .. } => Some(*second),
            Self::NoEdits | Self::NoChange { .. } => None,
        }
    }
}
