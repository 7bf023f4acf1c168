//! The program: found on this machine, started, and its files.

pub(crate) mod discover;
pub(crate) mod launch;
pub(crate) mod profile;
