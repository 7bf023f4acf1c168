//! A reader of POSIX sh and bash text: every command, word and redirection with its span. Pure.
//!
//! [`read`] goes over a command text once and gives a [`Script`]: a list of [findings](Finding) in order of
//! evaluation. Every simple command is in it, wherever it stands: lists, pipelines, subshells, branches, functions,
//! substitutions, here-documents, arithmetic, operands of parameter expansions, subscripts, redirection targets.
//! What the reader does not understand is a [`ReadError`] with a [`Span`]; nothing is skipped.
//!
//! A text means different things to different shells, so who decides from the findings reads it in every
//! [`Dialect`] and takes the union.
//!
//! ```
//! use tenon_shell::{Dialect, read};
//!
//! let script = read("cd build && make $(cat flags) > log", Dialect::Bash)?;
//! let names: Vec<_> = script.commands().filter_map(|command| command.name()?.literal()).collect();
//! assert_eq!(names, ["cd", "cat", "make"]);
//! # Ok::<(), tenon_shell::ReadError>(())
//! ```

mod command;
mod dialect;
mod error;
pub mod limits;
mod reader;
mod script;
mod span;
mod word;

pub use command::{
    Assignment, AssignmentKind, Command, Descriptor, FileUse, HereDocument, Redirection,
    RedirectionOperator,
};
pub use dialect::Dialect;
pub use error::ReadError;
pub use reader::{read, read_until_error};
pub use script::{
    Case, Conditional, Finding, FindingKind, Function, Mark, MarkKind, Scope, ScopeId, ScopeKind,
    Script,
};
pub use span::Span;
pub use word::{Expansion, ParameterOperation, Part, Word};
