//! The vocabulary of tenon: what a tool is, what it will touch, what it answers.
//!
//! Nothing here reads a file, starts a process or knows a runtime. The principal types, in the
//! order in which a call meets them:
//!
//! - [`Operation`]: one capability (read a file, run a command), whatever a dialect calls it.
//! - [`Tool`]: an operation that can be run. It plans a call and states what that will touch
//!   ([`Access`]) before it runs.
//! - [`AnyTool`] and [`PreparedCall`]: the same with the types erased, for a registry.
//! - [`ToolContext`]: what a running call may use: its id, its cancellation, its listener.
//! - [`Outcome`]: what a call answers: content for the model, details for programs.
//! - [`ToolError`]: why it failed, in a sentence a model can act on.
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use tenon_contract::{Access, Operation, Output, Tool, ToolContext, ToolError};
//!
//! struct Shout;
//! #[derive(Deserialize, JsonSchema)]
//! struct Params { text: String }
//! struct Said { text: String }
//! impl Output for Said {}
//!
//! impl Tool for Shout {
//!     const OPERATION: Operation = Operation::Message;
//!     type Params = Params;
//!     type Plan = Params;
//!     type Output = Said;
//!     fn plan(&self, params: Params) -> Result<(Access, Params), ToolError> {
//!         Ok((Access::default(), params))
//!     }
//!     async fn run(&self, params: Params, _: ToolContext) -> Result<Said, ToolError> {
//!         Ok(Said { text: params.text.to_uppercase() })
//!     }
//! }
//! ```

mod access;
mod arguments;
mod below;
mod condensed;
mod content;
mod context;
mod details;
mod error;
mod escapes;
pub mod limits;
mod next_step;
mod operation;
mod params;
mod posix_path;
mod preview;
mod schema;
mod shortage;
mod tool;
mod usual_path;
pub mod variables;
mod visible;
mod words;

pub use access::{
    Access, ArgumentClaim, CommandClaim, GivenVariable, HopFuture, HostClaim, InputClaim,
    MessageClaim, PathClaim, RedirectPolicy, RulesIdentity, Visibility, Visit, VisitFuture,
};
pub use below::{is_below, way_from};
pub use condensed::Condensation;
pub use content::{ChangeKind, Content, FileChange, Outcome, Output};
pub use context::{Progress, ToolContext};
pub use details::Details;
pub use error::{ErrorCode, ErrorType, ToolError};
pub use escapes::{after_escape, plain_parts, strip_escapes, strip_escapes_counted};
pub use next_step::{Advice, Names, NextStep, ParameterName, Unnamed, parameter, with_parameters};
pub use operation::{
    DEFAULT_AGENT, Effect, Group, Operation, Repetition, has_normal_form, normalise,
};
pub use params::{AnyParams, OperationParams};
pub use posix_path::{native_path, posix_path, posix_path_text};
pub use preview::Preview;
pub use schema::{SchemaFault, check_for_models, schema_for, schema_for_input, schema_for_models};
pub use shortage::{is_shortage_of_threads, reason, shortage};
pub use tokio_util::sync::CancellationToken;
pub use tool::{AnyTool, PreparedCall, RunFuture, SurveyFuture, TimeLimit, Tool};
pub use usual_path::usual_path;
pub use visible::{is_hidden, is_joining};
pub use words::{counted, grouped};
