//! The only way in which files are changed: planned in memory, shown, checked, done as a whole.

mod apply;
pub(crate) mod change;
pub(crate) mod committed;
mod content;
mod drafts;
pub(crate) mod durability;
pub(crate) mod fail_point;
pub(crate) mod mode;
pub(crate) mod plan;
mod record;
pub(crate) mod recovery;
mod staged;
pub(crate) mod temporary;
mod together;
mod transaction;
