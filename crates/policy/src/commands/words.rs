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

pub(crate) use self::control_builtins::{is_control, is_directory_change};
pub(crate) use self::effects::Effects;
pub(crate) use self::git::{git_is, tokens};
pub(crate) use self::name_set::NameSet;
pub(crate) use self::options::{RUNNING_CODE, RUNNING_FILES, files_by_name, is_given, unpacks};
pub(crate) use self::selection::{Form, Selection, lists_of_braces};
pub(crate) use self::texts::{in_braces, takes_code};
