//! A page: its tab, its frames with the script in each, its input.

pub(crate) mod dialogs;
pub(crate) mod frames;
pub(crate) mod input;
pub(crate) mod keys;
pub(crate) mod log;
pub(crate) mod script;
pub(crate) mod tab;
