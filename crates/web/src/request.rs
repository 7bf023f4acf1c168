//! One request to one address: resolved once, checked, and sent to the very address that was checked.

mod answer;
mod coding;
mod outgoing;
mod response;
mod through;
mod transport;
mod zstd;

pub(crate) use outgoing::Outgoing;
pub use response::{Missing, Response};
pub use transport::{Received, Transport};
