//! The operating system: the few calls that are needed, each as a safe function.
//!
//! There is no C library under this program, so the calls are made here, by number. What is unsafe
//! about that stays in this module and those below it.

mod arch;
mod arguments;
mod call;
mod file;
mod memory;
mod process;
mod socket;

pub use arguments::Arguments;
pub(crate) use call::Errno;
pub(crate) use file::{
    Descriptor, OpenFor, PollFor, close, duplicate, folder_entries, open, poll, read, rewind,
};
pub(crate) use memory::{reserve, reserve_shared};
pub use process::exit;
pub(crate) use process::{
    Pid, SignalMask, become_session_leader, become_sub_reaper, block_all_signals, change_folder,
    die_with_parent, execute, fork, milliseconds, open_process, own_pid, parent_pid,
    restore_signals, send_signal, send_signal_by_number, send_signal_to_group, take_terminal,
    wait_any, watch_children,
};
pub(crate) use socket::{receive, send};
