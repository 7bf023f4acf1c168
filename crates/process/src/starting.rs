//! Starting a command: which program, with which shell, environment and isolation.

pub(crate) mod environment;
pub(crate) mod environment_table;
pub(crate) mod isolation;
pub(crate) mod program;
pub(crate) mod script;
pub(crate) mod shell;
pub(crate) mod spawn;
