//! Edits by anchors: a few letters that stand for a line as it was shown.
//!
//! - [`AnchoredText`] knows for each line of a text by what it can be recognised: the line alone where no other is equal,
//!   else the lines around it as far as it takes.
//! - [`ShownLines`] remembers what was shown and under which letters. Only what was shown can be named, so that letters
//!   that were copied wrongly, or that are of an earlier version, name nothing instead of another line.
//! - [`ShownLines::plan`] turns edits by anchors into a [`Plan`](crate::Plan), or refuses them with the lines to look at.

mod anchor;
mod error;
mod place;
mod shown;
mod text;

pub use anchor::Anchor;
pub use error::AnchorError;
pub use place::{AnchoredEdit, Placement};
pub use shown::ShownLines;
pub use text::AnchoredText;

#[cfg(test)]
mod tests;
