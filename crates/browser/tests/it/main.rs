//! A real browser, started by the crate, with a web of our own behind its proxy. Where no browser is found the tests
//! say so and do nothing.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod acting;
#[path = "../../../helper/tests/support/built.rs"]
mod built;
mod containment;
mod dialogs;
mod everyday;
mod failing;
mod forms;
mod frames;
mod hostile;
mod labels;
mod launching;
mod long_pages;
mod looking;
mod marks;
mod measures;
mod mutations;
mod navigating;
mod pool;
mod sending;
mod sight;
mod transfers;
mod web;
