//! Whole process trees: which processes belong to a command, and how all of them end.

#[cfg(target_os = "linux")]
pub(crate) mod helper_keeper;
#[cfg(target_os = "linux")]
pub(crate) mod helper_link;
pub(crate) mod host_keeper;
pub(crate) mod identity;
pub(crate) mod keeper;
pub(crate) mod process_snapshot;
#[cfg_attr(not(target_os = "linux"), path = "ending/process_table_portable.rs")]
pub(crate) mod process_table;
pub(crate) mod root;
#[cfg_attr(windows, path = "ending/shell_process_windows.rs")]
pub(crate) mod shell_process;
pub(crate) mod signal;
pub(crate) mod supervisor;
#[cfg_attr(not(target_os = "linux"), path = "ending/tree_portable.rs")]
pub(crate) mod tree;
