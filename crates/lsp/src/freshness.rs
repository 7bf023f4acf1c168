//! Nothing that a server returns is about files as they were: what changed is sent before it is asked.

pub(crate) mod disk;
pub(crate) mod documents;
pub(crate) mod moved;
pub(crate) mod refresh;
pub(crate) mod watching;
