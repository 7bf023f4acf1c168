//! The tables of `fixtures/decisions`: prose, settings and cases with the verdict that must come out.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "helpers of tests are tests"
)]

// These run commands in shells.
#[cfg(unix)]
mod attempted;
mod bounded;
mod differential;
#[cfg(unix)]
mod ends;
#[cfg(unix)]
mod evaluated;
mod explained;
mod given;
mod outputs;
mod own_programs;
#[cfg(unix)]
mod shells;
mod table;
mod tables;
mod trajectories;
mod twins;
#[cfg(windows)]
mod windows;
