//! Conversations with real language servers.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says why it is skipped"
)]

mod bash;
mod c;
mod go;
mod projects;
mod proposals;
mod python;
mod rust;
mod scripted;
mod support;
mod typescript;
