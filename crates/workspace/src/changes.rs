//! The only way in which files are changed: planned in memory, shown, checked, done as a whole.

pub(crate) mod committed;
mod content;
pub(crate) mod mode;
pub(crate) mod plan;
mod staged;
mod temporary;
mod transaction;
