//! The client side of the Model Context Protocol: servers started, spoken with in both eras, restarted and ended.
//!
//! - [`Servers`]: the servers of one toolkit. Nothing is started before the first [request](Request) to a server.
//! - [`ServerSpec`]: what the host says about one: a program that is spoken with over its standard streams, or an
//!   address.
//! - [`McpHost`]: whom servers reach: what changed, what they ask users, where credentials are kept.
//!
//! What holds for every server:
//!
//! - A program is a [service](tenon_process::Service) of the toolkit: it ends with the toolkit and with the host,
//!   with everything that it started, even when the host is killed.
//! - An address is asked through the [guarded client](tenon_web::Transport): the server that the host named is
//!   opened, everything that it names is not.
//! - A call that waits when the server dies fails at once, with how it ended and its last words. The next call starts
//!   it again, later and later while that fails.
//! - What a server sends is bounded: lines and bodies to 16 MiB, lists in pages and in entries.
//!
//! The protocol itself is spoken by `rmcp`. Which tools there are, what they are called and who may call them is not
//! known here.

mod call;
mod era;
mod error;
mod events;
mod forms;
mod handler;
mod host;
mod http;
mod lines;
mod lists;
mod oauth;
mod post;
mod progress;
mod server;
mod servers;
mod skills;
mod spec;
mod stderr;
mod stdio;
mod task;

pub use host::{AnswerFuture, MakeSandbox, McpHost, ServerContext};
pub use servers::{Request, Servers};
pub use spec::{Oauth, Protocol, ServerSpec, Way};
