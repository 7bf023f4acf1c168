//! A reader of POSIX sh and bash text: every command, word and redirection with its span. Pure.
//!
//! [`read`] goes over a command text once and gives a [`Script`]: a list of [findings](Finding) in order of
//! evaluation. Every simple command is in it, wherever it stands: lists, pipelines, subshells, branches, functions,
//! substitutions, here-documents, arithmetic, operands of parameter expansions, subscripts, redirection targets.
//! What the reader does not understand is a [`ReadError`] with a [`Span`]; nothing is skipped.
//!
//! [`examine()`] continues from there: it opens wrappers such as `env`, `sudo` and `xargs`, reads the texts that are
//! given to `sh -c`, `eval` or a shell with a here-document, and so on inside of those. [`file_operands`],
//! [`directory_change`], [`assigned_names`] and [`redefined_names`] say what common commands do.
//!
//! A text means different things to different shells, so who decides from the findings reads it in every
//! [`ShellGrammar`] and takes the union.
//!
//! ```
//! use tenon_shell::{ShellGrammar, read};
//!
//! let script = read("cd build && make $(cat flags) > log", ShellGrammar::Bash)?;
//! let names: Vec<_> = script.commands().filter_map(|command| command.name()?.literal()).collect();
//! assert_eq!(names, ["cd", "cat", "make"]);
//! # Ok::<(), tenon_shell::ReadError>(())
//! ```

mod builtins;
mod by_name;
mod command;
mod effects;
mod error;
mod evaluated;
mod examine;
mod examples;
mod grammar;
mod home;
mod interpreters;
pub mod limits;
mod operands;
mod piped;
mod printed;
mod reader;
mod scope;
mod script;
mod span;
mod statements;
mod unwrap;
mod word;
mod words;

pub use builtins::{DirectoryChange, Names, assigned_names, directory_change, redefined_names};
pub use by_name::NameFilter;
pub use command::{
    Assignment, AssignmentKind, Command, Descriptor, FileUse, HereDocument, Redirection,
    RedirectionOperator,
};
pub use effects::{CommandEffect, command_effects};
pub use error::ReadError;
pub use evaluated::Evaluated;
pub use examine::{Examination, ExaminedText, Origin, examine, examine_by, examine_with};
pub use examples::{check_examples, effects_of_example};
pub use grammar::ShellGrammar;
pub use home::{HOME, below_home, is_one_word};
pub use interpreters::{Evaluations, evaluations};
pub use operands::{
    AccessScope, FileAccess, FileOperand, FileOperands, OperandWord, Projects, file_operands,
    find_option, git_keeps_files, knows_operands, named_files, path_of_file_url, project_operands,
    projects, written_by_code,
};
pub use piped::fed_texts;
pub use printed::{formatted, unescaped};
pub use reader::{read, read_until_error};
pub use scope::{Scope, ScopeId, ScopeKind};
pub use script::{Case, Conditional, Finding, FindingKind, Function, Mark, MarkKind, Script};
pub use span::Span;
pub use tenon_programs::{facts_name, known_aliases, program_name};
pub use unwrap::{
    Chain, EmbeddedText, Inner, Invocation, ShellKind, Spelling, acts_as_input, aliases,
    has_other_language, invocation, invocation_by, is_shell, is_wrapper, manual_command,
    project_code, reads_commands, sed_only_edits, shell_kind,
};
pub use word::{Ending, Expansion, ParameterOperation, Part, Removed, Word};
pub use words::Words;
