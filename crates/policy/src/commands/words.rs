//! Stage three: what a command does by its words alone. Nothing here knows a path or a rule.

pub(crate) mod addresses;
pub(crate) mod control_builtins;
pub(crate) mod effects;
pub(crate) mod git;
pub(crate) mod listing;
pub(crate) mod name_set;
pub(crate) mod options;
pub(crate) mod outputs;
pub(crate) mod process_paths;
pub(crate) mod recursion;
pub(crate) mod sed;
pub(crate) mod selection;
#[cfg(test)]
mod table;
pub(crate) mod texts;
pub(crate) mod tracked_files;
