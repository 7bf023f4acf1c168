//! What the crate promises, one promise a test. Needs nothing but a temporary directory.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test ends where something is not as it must be"
)]

mod control;
mod errors;
mod finding;
mod limits;
mod matching;
mod seen;
mod tree;
