//! Stage two: where each command of a text runs, what its words can stand for, and what it is given.
//!
//! Nothing here knows a rule.

pub(crate) mod assignments;
pub(crate) mod claim_facts;
pub(crate) mod command_context;
pub(crate) mod command_places;
pub(crate) mod data_flow;
pub(crate) mod directories;
pub(crate) mod functions;
pub(crate) mod home;
pub(crate) mod known_directories;
pub(crate) mod known_outputs;
pub(crate) mod known_words;
pub(crate) mod links;
pub(crate) mod loops;
pub(crate) mod path_table;
pub(crate) mod piped_input;
pub(crate) mod possible_values;
pub(crate) mod repositories;
pub(crate) mod resolved_commands;
pub(crate) mod resolved_text;
pub(crate) mod text_facts;
pub(crate) mod text_words;

pub(crate) use self::assignments::LazyVariables;
pub(crate) use self::command_places::Place;
pub(crate) use self::data_flow::{DataFlow, Source};
pub(crate) use self::directories::Directories;
pub(crate) use self::functions::Functions;
pub(crate) use self::known_directories::KnownDirectories;
pub(crate) use self::links::Links;
pub(crate) use self::loops::Loops;
pub(crate) use self::path_table::{Candidates, DirId, Inside, PathTable, WorkingDirs};
pub(crate) use self::piped_input::PipedInput;
pub(crate) use self::resolved_commands::{ResolvedClaim, ResolvedCommands};
pub(crate) use self::resolved_text::{ResolvedText, Site};
