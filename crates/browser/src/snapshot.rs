//! A page as text: its lines, which of them are shown, and the references in them.

pub(crate) mod lines;
pub(crate) mod look;
pub(crate) mod raw;
pub(crate) mod refs;
