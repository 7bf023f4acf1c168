//! Language servers for an agent: definitions, references, hover, symbols, diagnostics and renames, of the files as they
//! are on disk now.
//!
//! [`LanguageServers`] belongs to one toolkit. Which servers there are is data ([`ServerSpec`], [`presets`]); a server starts when
//! it is first needed, is shared by every file of its project, and ends when nobody has needed it for a while.
//!
//! ```
//! use tenon_lsp::{LanguageServers, LspOptions};
//! use tenon_process::{ProcessOptions, Processes};
//! use tenon_workspace::Workspace;
//!
//! # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(async {
//! let directory = tempfile::tempdir()?;
//! let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();
//! let servers = LanguageServers::new(workspace, Processes::new(ProcessOptions::default()), LspOptions::default());
//! let names: Vec<_> = servers.servers_for("main.rs").iter().map(|spec| spec.name.clone()).collect();
//! assert_eq!(names, ["rust-analyzer"]);
//! servers.close().await;
//! # std::io::Result::Ok(())
//! # }).unwrap();
//! ```
//!
//! A question runs through the modules in this order, and each is there because servers answer wrongly without it:
//!
//! 1. `server` starts the program and settles what both sides can ([`ServerSession`]).
//! 2. `freshness` sends what changed on disk since the last question, no matter who changed it: a server that was not notified
//!    answers about the old text.
//! 3. `server::readiness` waits while the server still reads the project: its first answers are empty or half.
//! 4. `queries` asks, and `diagnostics` collects findings of this very version of the text.
//! 5. What the server proposes ([`ProposedChange`]) is returned as data: files are changed by the caller, as one change set.
//!
//! Every wait is bounded. A server that crashes, never answers or answers nonsense becomes an [`Unavailable`] that says
//! why, with the end of its standard error, and never an empty answer.

mod diagnostics;
mod error;
mod freshness;
mod hints;
mod language_servers;
mod options;
mod protocol;
mod queries;
mod server;
mod servers;

pub use diagnostics::delta::Delta;
pub use diagnostics::report::{Finding, Report, Severity};
pub use error::{CloseReason, RequestError, StartError};
pub use freshness::documents::Document;
pub use freshness::refresh::RefreshError;
pub use language_servers::LanguageServers;
pub use options::LspOptions;
pub use protocol::framing::{FrameDecoder, FrameFault};
pub use protocol::message::ResponseError;
pub use protocol::position::{Encoding, LineText, Position, Span};
pub use protocol::uri::{file_path, file_uri};
pub use protocol::wire::{RawItem, RawPlace, RawSymbol};
pub use queries::address::{Address, AddressFault};
pub use queries::code_actions::{Action, Actions, Proposal};
pub use queries::query::{AskError, Query, QueryAnswer, Question, Reply};
pub use queries::workspace_edit::{ProposalFault, ProposedChange};
pub use server::capabilities::Feature;
pub use server::session::ServerSession;
pub use server::unavailable::{ServerStatus, Unavailable};
pub use servers::{
    Canary, Companion, CustomServer, Quirks, Readiness, Recheck, Reload, Role, RootRule,
    ServerSpec, language_id, language_named, language_title, presets,
};
