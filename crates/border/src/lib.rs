//! What every border of the engine has: the napi binding, where the host is in the same process, and `tenon-serve`, where it is at the
//! other end of a connection.
//!
//! A border gives a toolkit a [`Wire`], the one way to its host; everything that the host hears is a [`Message`] on it, and everything
//! that the host says comes in through a [`Bound`].
//!
//! - `bound.rs`: a toolkit together with its host.
//! - `call.rs`: one call as it runs.
//! - `message.rs`: what the host receives, and the way to it.
//! - `updates.rs`: thins the partial results of one call.
//! - `host_requests.rs`: questions to the host that wait for an answer.
//! - `host_callbacks/asked.rs`: approvals, tools of the host and telemetry, as such requests.
//! - `host_callbacks.rs`: all parts that the host supplies, by name; those that answer in JSON.
//! - `envelope.rs`: how answers and failures are written.
//! - `columns.rs`: long lists of details by columns.
//!
//! No failure of a tool is an error of a border: it crosses as the JSON of an error ([`envelope()`]).

mod bound;
mod call;
mod calls;
mod columns;
mod envelope;
mod host_callbacks;
mod host_requests;
mod message;
mod store;
mod updates;

pub use bound::{Bound, Host};
pub use call::{Call, End, Input};
pub use calls::RunningCalls;
pub use columns::Columns;
pub use envelope::{Parts, WrittenParams, envelope, explained, failure, to_json};
pub use host_requests::Reply;
pub use message::{Acknowledged, Kind, Message, Wire};
pub use updates::Listener;
