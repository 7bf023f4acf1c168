//! The store in memory.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[path = "support/conformance.rs"]
mod conformance;

use tenon_store::MemoryStore;

#[test]
fn it_conforms() {
    conformance::check(MemoryStore::with_clock);
}
