//! The small program between a host and a command, and the words that both speak.
//!
//! A host with many threads may do next to nothing between fork and exec, and it must not adopt
//! orphans that its event loop would never reap. So the host starts this program, by `posix_spawn`,
//! and this program starts the shell:
//!
//! - It is the *sub-reaper* of the command: a process that loses its parent below it becomes its child. As
//!   long as it has a child, something of the command lives; once it has none (`ECHILD`), nothing
//!   does. The kernel says so; nobody has to search.
//! - It listens on a socket to the host. When that closes, because the host closed it or died by
//!   whatever means, everything is ended: TERM, a moment, then STOP all and KILL all until none is left.
//! - It adds nothing that the command could see: no terminal, no descriptor, no argument.
//!
//! Host and helper exchange [`Order`]s and [`Report`]s, one a packet. Nothing here allocates.
//!
//! The program is built without the standard library and without a C library: starting it costs a
//! tenth of what starting the smallest C program costs, and it runs on every Linux.
#![cfg_attr(not(test), no_std)]

mod protocol;

#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod options;
#[cfg(target_os = "linux")]
mod program;
#[cfg(target_os = "linux")]
mod sandbox;
#[cfg(target_os = "linux")]
mod shell;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(target_os = "linux")]
mod system;
#[cfg(target_os = "linux")]
mod table;

#[cfg(target_os = "linux")]
pub use program::run;
pub use protocol::{Limit, Numbers, Order, PACKET_MAX_BYTES, Packet, Report, StartStep};
#[cfg(target_os = "linux")]
pub use system::{Arguments, exit};
