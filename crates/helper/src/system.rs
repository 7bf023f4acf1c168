//! The operating system: the few calls that are needed, each as a safe function.
//!
//! There is no C library under this program, so the calls are made here, by number. What is unsafe
//! about that stays in this module and those below it.

mod arch;
mod arguments;
mod call;
mod file;
mod memory;
mod mount;
mod namespace;
mod network;
mod place;
mod process;
mod security;
mod socket;

pub use arguments::Arguments;
pub(crate) use call::Errno;
pub(crate) use file::{
    Descriptor, OpenFor, PollFor, close, directory_entries, duplicate, open, poll, read, rewind,
};
pub(crate) use memory::{reserve, reserve_shared};
pub(crate) use mount::{
    FileSystem, Forbid, Kind, attach, copy_opened, copy_tree, enter_root, forbid,
    forbid_writing_at, lock_alone, lock_together, look_at, make_all_private, make_directory,
    make_file, make_link, make_socket_name, mount_new, open_to_write, remove_directory,
    remove_file, set_changed,
};
pub(crate) use namespace::{
    Namespaces, fork_into, pipe, read_link, user_and_group, wait_for, write,
};
pub(crate) use network::{listen_on_loopback, raise_loopback};
pub(crate) use place::{at_place, open_link, open_place};
pub use process::exit;
pub(crate) use process::{
    Pid, Resource, SignalMask, become_session_leader, become_sub_reaper, block_all_signals,
    change_directory, die_with_parent, execute, fork, milliseconds, open_process, own_pid,
    parent_pid, processor_milliseconds_of_children, reset_signals, restore_signals, send_signal,
    send_signal_by_number, send_signal_to_group, set_limit, take_terminal, wait_any,
    watch_children,
};
pub(crate) use security::{
    Handled, Instruction, become_user, drop_capabilities, filter_calls, forbid_looking_in,
    forbid_new_privileges, landlock_allow, landlock_bind, landlock_rules, landlock_version,
};
pub(crate) use socket::{receive, send, send_with};
