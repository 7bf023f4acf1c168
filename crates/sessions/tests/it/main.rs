//! The engine over real stores: what it promises, also while processes are killed.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::exit,
    reason = "a test fails by panicking"
)]

mod aborts;
mod ends;
mod faults;
mod mail;
mod places;
mod support;
mod transcripts;
mod words;
