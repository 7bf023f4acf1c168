//! Five published vocabularies over the operations, as tables.
//!
//! An operation is written once, in `tenon-tools`; a [`Dialect`] says what it is called, how its
//! parameters are spelled and how its output is rendered. Shared code never asks which dialect it
//! serves: every difference is a property of a [`ToolBinding`].
//!
//! The way of a call through this crate:
//!
//! 1. [`ToolBinding::decode`] repairs what models get wrong and nothing is ambiguous about, reports
//!    every remaining fault at once, and turns wire parameters into operation parameters by the
//!    binding's [`Field`] table.
//! 2. The operation runs, elsewhere.
//! 3. The renderer of the binding turns its output into content for the model and details for programs.
//!
//! ```
//! use tenon_dialects::DialectId;
//!
//! let read = DialectId::Agent.dialect().tool("read").unwrap();
//! let decoded = read.decode(serde_json::json!({"file_path": "a.txt", "limit": "5"})).unwrap();
//! let params = decoded.params.into_json();
//! assert_eq!(params, serde_json::json!({"path": "a.txt", "limit": 5, "notebook": true}));
//! assert_eq!(decoded.repairs.len(), 1);
//! ```

mod acp;
mod agent;
mod anchored;
mod automation;
mod binding;
mod budget;
mod canonical;
mod coder;
#[cfg(test)]
mod conformance_tests;
#[cfg(test)]
mod definitions_tests;
mod dialect;
mod empty_params;
mod examples;
mod extras;
mod field;
mod foreign;
mod ignored_params;
mod issue;
mod manager;
mod messaging;
mod names;
mod normal_form;
mod plain_params;
mod planning;
mod platforms;
mod render;
mod repair;
mod reshape;
mod result_view;
mod schema_source;
mod schemas;
mod sent;
mod sessions;
mod shown;
mod spellings;
mod template;
mod time_units;
mod validate;
mod vocabularies;
mod words;

pub use binding::{Category, Decoded, ParamsCodec, ToolBinding, WireParams};
pub use dialect::{CommandShell, Dialect, DialectId};
pub use extras::companion_of;
pub use field::{Convert, Field};
pub use foreign::{ForeignParams, mismatch, schema_fault};
pub use issue::{Issue, IssueCode, Repair};
pub use names::{also_called, called_otherwise, known_names, operation_named};
pub use normal_form::nearest;
pub use platforms::{PLATFORMS, Platform, canonical_name, platform_named};
pub use result_view::{Renderer, ResultView};
pub use schema_source::SchemaSource;
pub use schemas::{RowSchemas, all_rows};
pub use sent::{HostFaults, SentParams, with_json_faults};
pub use shown::{ShownTool, shown_together};
pub use words::{AgentKind, Exposed, Words};
