//! Language servers: spoken with, kept fresh, waited for, and honest about what they do not know.
//!
//! - [`LanguageServers`]: the servers of one toolkit, started on demand and shared.
//! - [`ServerSpec`], [`presets`]: which servers there are, as data.
//! - [`Session`]: one running server.
//! - [`LineText`], [`Position`], [`Encoding`]: places in a text and how servers count them.
//! - [`FrameDecoder`]: the base protocol.

mod address;
mod ask;
mod canary;
mod capabilities;
mod connection;
mod declared;
mod delta;
mod diagnose;
mod disk;
mod documents;
mod error;
mod framing;
mod heard;
mod hints;
mod language_servers;
mod message;
mod moved;
mod options;
mod partial;
mod position;
mod progress;
mod propose;
mod published;
mod query;
mod refresh;
mod report;
mod roots;
mod servers;
mod session;
mod settle;
mod start;
mod stderr;
mod tsserver;
mod unavailable;
mod uri;
mod watching;
mod wire;
mod workspace_edit;

pub use address::{Address, AddressFault};
pub use canary::Canary;
pub use capabilities::Feature;
pub use delta::Delta;
pub use documents::Document;
pub use error::{CloseReason, RequestError, StartError};
pub use framing::{FrameDecoder, FrameFault};
pub use language_servers::LanguageServers;
pub use message::ResponseError;
pub use options::LspOptions;
pub use position::{Encoding, LineText, Position, Span};
pub use propose::{Action, Actions, Proposal};
pub use query::{Answer, AskError, Query, Question, Reply};
pub use refresh::RefreshError;
pub use report::{Finding, Report, Severity};
pub use servers::{
    Companion, CustomServer, Quirks, Readiness, Recheck, Role, RootRule, ServerSpec, language_id,
    language_named, language_title, presets,
};
pub use session::Session;
pub use unavailable::{ServerStatus, Unavailable};
pub use uri::{file_path, file_uri};
pub use wire::{RawItem, RawPlace, RawSymbol};
pub use workspace_edit::{ProposalFault, ProposedChange};
