//! Findings: of this very text, of all servers of a file, and what a change did to them.

pub(crate) mod delta;
pub(crate) mod diagnose;
pub(crate) mod published;
pub(crate) mod report;
