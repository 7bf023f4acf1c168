//! Commands with real shells: what is answered, what is kept, and that nothing survives.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod ending;
mod environment;
mod escaping;
mod output;
mod progress;
mod running;
mod scripts;
mod services;
mod session_faults;
mod sessions;
mod spilling;
mod support;
mod table;
mod terminal;
