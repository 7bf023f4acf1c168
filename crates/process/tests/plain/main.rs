//! What `tests/it` shows, without the helper: where the platform package has none, the host does what
//! it can.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

#[path = "../../../helper/tests/support/built.rs"]
mod built;
#[path = "../it/ending.rs"]
mod ending;
#[path = "../it/environment.rs"]
mod environment;
#[path = "../it/escaping.rs"]
mod escaping;
#[path = "../it/output.rs"]
mod output;
#[path = "../it/progress.rs"]
mod progress;
#[path = "../it/running.rs"]
mod running;
#[path = "../it/scripts.rs"]
mod scripts;
#[path = "../it/services.rs"]
mod services;
#[path = "../it/sessions.rs"]
mod sessions;
#[path = "../it/spilling.rs"]
mod spilling;
#[path = "../it/support.rs"]
mod support;
#[path = "../it/table.rs"]
mod table;
#[path = "../it/terminal.rs"]
mod terminal;

const WITH_HELPER: bool = false;
