//! The index answers what a plain search answers at that moment, whatever happens to the tree.
//!
//! Writers are processes of their own (this program, started again): they end before answers are
//! compared. `TENON_TEST_CHAOS_SECONDS` sets how long the chaos lasts (default: 3 seconds),
//! `TENON_TEST_CHAOS_SEED` where it begins.
#![cfg(all(target_os = "linux", not(feature = "portable")))]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test ends where something is not as it must be"
)]

mod chaos;
mod compare;
mod disk;
mod fresh;
mod mounts;
mod numbers;
mod serving;
