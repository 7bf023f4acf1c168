//! Commands with real shells under the helper: what is answered, what is kept, and that nothing
//! survives. `tests/plain` runs the same without it.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

#[path = "../../../helper/tests/support/built.rs"]
mod built;
mod ending;
mod environment;
mod escaping;
mod guarding;
mod limits;
mod nobody;
mod output;
mod progress;
mod running;
mod sandbox;
mod sandbox_escapes;
mod scenarios;
mod scripts;
mod services;
mod session_faults;
mod sessions;
mod spilling;
mod support;
mod table;
mod terminal;
mod unprivileged;

const WITH_HELPER: bool = true;
