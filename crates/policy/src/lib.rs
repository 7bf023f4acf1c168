//! Who may do what. Pure: the same input, and the same answers of the port to the disk, give the same answer; nothing
//! else is read, nothing panics.
//!
//! - [`Exposure`] decides which tools exist at all for an agent: a profile, then lists.
//! - [`RuleSet`] holds compiled rules; a rule that could not do what it says does not compile.
//! - [`Engine`] judges what a call says it will touch, and answers a [`Decision`] with every part, every rule that
//!   matched and the smallest rules that would allow it. Commands are judged by what they do, not by their text.
//!
//! It knows operations and what they touch, never a tool or a dialect: how names are spelled comes
//! in as a function, and where paths lead through a port, [`PathResolver`].
//!
//! ```
//! use tenon_contract::{Access, CommandClaim, Effect, Operation, PathClaim};
//! use tenon_policy::{Engine, LexicalPaths, Permissions, Question, RuleSet, Verdict};
//!
//! let permissions = Permissions {
//!     allow: vec!["Bash(git status:*)".into(), "Bash(ls:*)".into()],
//!     deny: vec!["Bash(rm:*)".into()],
//!     ..Permissions::default()
//! };
//! let resolve = |name: &str| (name == "Bash").then_some(Operation::Execute);
//! let rules = RuleSet::new(&permissions, &resolve).unwrap();
//! let engine = Engine::new(rules, permissions.mode(false), "/work");
//! let verdict = |text: &str| {
//!     let directory = PathClaim { name: ".".into(), target: "/work".into() };
//!     let command = CommandClaim { text: text.into(), directory, environment: Vec::new() };
//!     let access = Access { commands: vec![command], ..Access::default() };
//!     let question = Question { operation: Operation::Execute, effect: Effect::Execute, tool: "Bash", access: &access };
//!     engine.decide(&question, &LexicalPaths::new("/work")).verdict
//! };
//! assert_eq!(verdict("cd src && ls -la | make"), Verdict::Ask);
//! assert_eq!(verdict("cd src && ls -la | git status -s"), Verdict::Allow);
//! assert_eq!(verdict("ls $(timeout 5 /bin/rm -rf x)"), Verdict::Deny);
//! ```

mod after;
mod argument_pattern;
mod command_index;
mod command_pattern;
mod commands;
mod compile;
mod danger;
mod decide;
mod decision;
mod display;
mod engine;
mod examples;
mod exposure;
mod file_index;
mod glob;
mod host;
mod import;
mod lint;
mod memo;
mod name_pattern;
mod options;
mod other_case;
mod parsed;
mod paths;
mod program_names;
mod protected;
mod rule;
mod rule_text;
mod rules;
mod shared;
mod shell_pattern;
mod small_letters;
mod sources;
mod verdict;

pub use after::rules_after_sources;
pub use commands::explain::{CommandEffects, FileEffect};
pub use commands::origins::{NamePattern, Origins};
pub use commands::resolve::resolved_commands::ResolvedCommands;
pub use danger::{Danger, Grade, Grades};
pub use decision::{Decision, MatchedRule, PartDecision, PartKind, TextEffect};
pub use display::escaped;
pub use engine::{Engine, Question};
pub use exposure::{
    Exposure, ExposureError, ExposureLists, Profile, Refusal, Resolver, UnknownName, group_names,
};
pub use import::{ImportError, ImportFormat, Imported, LeftOut, import_rules};
pub use lint::{Lint, LintKind};
pub use options::{ModeName, PermissionOptions, RuleObject, RuleOption};
pub use parsed::{LastParsed, ParsedCommands};
pub use paths::{FileIdentity, LexicalPaths, Listed, ListedKind, PathResolver, Resolved, There};
pub use protected::{PROTECTED, ProtectedTable, is_protected};
pub use rule::{RuleError, RuleText};
pub use rules::{Permissions, RuleSet};
pub use sources::{Source, SourceSet};
pub use tenon_programs::{Catalogue, PlacedRow, Row as ProgramRow};
pub use tenon_programs::{ProgramDescription, describe as describe_program};
pub use tenon_shell::{ShellKind, check_examples};
pub use verdict::{DefaultMode, Verdict};
