//! The engine as a program of its own: the same toolkits as behind the napi binding, behind a connection.
//!
//! - `frame.rs`: bytes as frames: a length, a kind, a payload.
//! - `link.rs`: what is not lost with a connection: numbered messages, acknowledged, sent again, in chunks with credit.
//! - `words.rs`: messages of a toolkit as JSON-RPC.
//! - `session.rs`: the toolkits of one host, which outlive its connections.
//! - `asked.rs`: what a host may ask of a toolkit beside calls.
//! - `engine.rs`: all sessions, and how a connection comes to one.
//! - `connection.rs`: one connection.
//! - `listen.rs`, `port.rs`, `web_socket.rs`, `attach.rs`, `text.rs`, `options.rs`, `program.rs`: sockets, standard input and output, the command line (Unix).
//!
//! The protocol is described in `docs/remote.md`.

mod asked;
mod connection;
mod engine;
mod frame;
mod link;
mod session;
mod words;

#[cfg(unix)]
mod attach;
#[cfg(unix)]
mod listen;
#[cfg(unix)]
mod options;
#[cfg(unix)]
mod port;
#[cfg(unix)]
mod program;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod text;
#[cfg(unix)]
mod web_socket;

pub use connection::serve;
pub use engine::{Admission, Engine, EngineOptions, PROTOCOL};
pub use frame::{Decoder, Frame, FrameFault, FrameKind, encode};
pub use link::{Link, LinkFault, Taken};

#[cfg(unix)]
pub use program::main;
