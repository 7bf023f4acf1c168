//! Walking, globbing and searching with ripgrep's own crates, in process.
//!
//! What is seen is exactly what `rg --hidden --glob '!.git'` sees, and outside of repositories what it sees with
//! `--no-require-git`; what matches is what `rg` matches. On top of that: typed results, one deterministic order (as `rg --sort path`)
//! although the work is parallel, and an early stop that does not read the rest of a large tree.
//! All calls block; run them on a thread that may block.
//!
//! The principal types:
//!
//! - [`Scope`]: where to search and what is seen there.
//! - [`grep()`] with [`Pattern`], [`GrepRequest`] and [`GrepOutput`]: search in contents.
//! - [`find()`] with [`FindRequest`] and [`FindOutput`]: search for names.
//! - [`Control`]: cancellation, deadline and listener of one call.
//! - [`Index`]: the same two, quicker from the second time on.
//! - [`Facts`]: counters by which an answer explains itself, an empty one above all.
//!
//! ```
//! use tenon_search::{Control, GrepRequest, Pattern, Scope, grep};
//!
//! let directory = tempfile::tempdir().unwrap();
//! let root = directory.path().canonicalize().unwrap();
//! std::fs::write(root.join("a.txt"), "one\ntwo\n").unwrap();
//!
//! let request = GrepRequest::new(Scope::new(&root, &root), Pattern::new("^t.o$"));
//! let output = grep(&request, &Control::default()).unwrap();
//!
//! assert_eq!(output.files[0].path, "a.txt");
//! let line = output.files[0].lines().next().unwrap();
//! assert_eq!((line.number, line.text), (2, "two"));
//! ```

mod any_case;
mod case_note;
mod collect;
mod compiled;
mod control;
mod directory;
mod entries;
mod error;
mod extglob;
mod facts;
mod file_search;
mod file_types;
mod filter;
mod find;
mod fuzzy;
mod git_config;
mod glob;
mod grep;
mod hiding;
mod ignore_files;
mod ignore_line;
mod index;
mod inner_literals;
mod line_text;
mod listing;
mod matcher;
mod matches;
mod overrides;
mod pattern;
mod pattern_error;
mod required;
mod rules;
mod schedule;
mod scope;
mod sink;
mod states;
mod task;

pub use compiled::Compiled;
pub use control::{Control, Progress};
pub use error::{Remedy, SearchError};
pub use facts::{Facts, Stopped, Totals};
pub use file_types::{FileType, file_types};
pub use find::{EntryKind, FindOutput, FindRequest, FindSort, FoundEntry, Kinds, find};
pub use grep::{GrepMode, GrepOutput, GrepRequest, RuledOut, grep};
pub use hiding::{HidingRule, hiding_rule};
#[cfg(feature = "fuzz")]
pub use index::try_to_read;
pub use index::{Index, IndexOptions, IndexStatus, IndexStore};
pub use line_text::LongLines;
pub use matches::{FileMatches, Line, LineKind};
pub use pattern::{Case, Pattern};
pub use scope::{PathFilter, Scope};
pub use states::{FileState, FileStates, StateKind, file_state, file_states, unseen};
