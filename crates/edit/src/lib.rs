//! Edits and patches on text: the matcher, the patch formats, diffs. Pure: no file is read or
//! written here.
//!
//! - [`plan()`] finds where the old texts of an edit stand and gives a [`Plan`] of splices. It
//!   either knows the one right place or refuses with an [`EditError`] that teaches.
//! - [`parse_patch`] reads an envelope or a unified diff; [`FilePatch::place`] plans it on a text
//!   with the same matcher.
//! - [`ShownLines`] plans edits by anchors: a few letters that stand for a line as it was shown.
//! - [`ConcurrentChange`] shows whether changes of somebody else touch the place of an edit.
//! - [`TextDiff`] compares two texts line by line and prints the result as a unified or as a
//!   numbered diff.
//!
//! ```
//! use tenon_edit::{Options, Replacement, TextDiff, plan};
//!
//! let before = "one\ntwo\n";
//! let edit = Replacement { old: "two", new: "2" };
//! let after = plan(before, &[edit], Options::default())?.apply(before);
//! assert_eq!(TextDiff::new(before, &after).numbered(4), " 1 one\n-2 two\n+2 2");
//! # Ok::<(), tenon_edit::EditError>(())
//! ```

mod anchors;
mod concurrent_change;
mod diff;
mod error;
mod fold;
mod haystack;
mod line_table;
mod lines;
mod matcher;
mod patch;
mod plan;

pub use anchors::{Anchor, AnchorError, AnchoredEdit, AnchoredText, Placement, ShownLines};
pub use concurrent_change::ConcurrentChange;
pub use diff::{
    Change, InlineDifference, TextDiff, inline_difference, name_of_bytes, patch_path, path_of_name,
    shown_name,
};
pub use error::{
    Candidate, Cause, Difference, EditError, Lines, MAX_PLACES, MatchPlace, Unclear, Which,
};
pub use matcher::{plan, plan_while};
pub use patch::{
    FileOperation, FilePatch, Hunk, HunkAt, HunkLine, Patch, PatchError, PatchFormat, Position,
    Side, parse_patch, parse_patch_beside, unquoted_bytes, unquoted_name,
};
pub use plan::{Decoration, Match, MatchLevel, Options, Plan, Replacement, Splice};
