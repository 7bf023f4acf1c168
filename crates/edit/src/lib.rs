//! Edits and patches on text: the matcher, the patch formats, diffs. Pure: no file is read or
//! written here.
//!
//! - [`TextDiff`] compares two texts line by line and prints the result as a unified or as a
//!   numbered diff.
//!
//! ```
//! use tenon_edit::TextDiff;
//!
//! let diff = TextDiff::new("one\ntwo\n", "one\n2\n");
//! assert_eq!(diff.numbered(4), " 1 one\n-2 two\n+2 2");
//! ```

mod diff;

pub use diff::{Change, InlineDifference, TextDiff, inline_difference, patch_path};
