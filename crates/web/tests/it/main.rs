//! The web crate against servers on this machine.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod fetching;
mod hostile;
mod index;
mod proxied;
mod reading;
mod requests;
mod searching;
mod secure;
mod server;
