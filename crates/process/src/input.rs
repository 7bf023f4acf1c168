//! What a command is given to read, terminals and their keys included.

pub(crate) mod keys;
pub(crate) mod terminal;
pub(crate) mod writer;
