//! The base protocol and JSON-RPC: bytes, messages, one conversation, places in a text.

pub(crate) mod connection;
pub(crate) mod framing;
pub(crate) mod message;
pub(crate) mod position;
pub(crate) mod uri;
pub(crate) mod wire;
