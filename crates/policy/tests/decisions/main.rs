//! The tables of `fixtures/decisions`: prose, settings and cases with the verdict that must come out.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "helpers of tests are tests"
)]

mod attempted;
mod bounded;
mod differential;
mod ends;
mod evaluated;
mod explained;
mod given;
mod own_programs;
mod shells;
mod table;
mod tables;
mod trajectories;
mod twins;
