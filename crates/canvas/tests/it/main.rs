//! The server from outside, and pages in a real browser. Where no browser is found those tests say so and do nothing.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

#[path = "../../../helper/tests/support/built.rs"]
mod built;
mod looking;
mod serving;
mod showing;
mod stage;
