//! The points of a commit at which it may fail or end, for tests of exactly that.

use std::io;

/// A point between two actions that the system does as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommitStep {
    /// Before the new content of this step is written to a temporary file.
    Stage(usize),
    /// The record knows the name of the temporary file, which is not made yet.
    Announced(usize),
    /// The temporary file is made, and empty.
    Created(usize),
    /// Everything is written; before the record says so.
    Ready,
    /// Before this step touches its file.
    Apply(usize),
    /// After the second name of the old file was made, before it is replaced.
    Kept(usize),
    /// Between two pieces of content that are written over a file in place.
    Piece(usize),
    /// Every step is done; before the record says so.
    Done,
    /// Before what is no longer needed of this step is removed.
    Discard(usize),
    /// Before this step is taken back after a failure.
    Undo(usize),
    /// Before the record is removed.
    Forget,
}

/// Called at each point; its error makes the commit fail there (nothing, in production).
pub(crate) type FailPoint<'a> = &'a mut dyn FnMut(CommitStep) -> io::Result<()>;
