//! The conversation with a browser: the Chrome DevTools Protocol.

pub(crate) mod connection;
pub(crate) mod message;
mod outgoing;
pub(crate) mod remote;
