//! Files and text: containment, pages, encodings, atomic change sets.
//!
//! Everything here blocks; asynchronous callers use a blocking thread. The principal types, in the
//! order in which a call meets them:
//!
//! - [`Workspace`]: the directories that may be touched, held open.
//! - [`Located`]: where a path text leads, with the claim that policy judges; the only way to open.
//! - [`OpenFile`], [`Page`]: reading text page by page with constant memory.
//! - [`FileSnapshot`], [`TextFile`]: a whole file at one time, and new bytes for it in its own encoding.
//! - [`ChangeSet`]: the only way in which files are changed: planned, verified, done as a whole.
//! - [`Journal`]: what was changed since a checkpoint, and the way back.
//! - [`Ledger`]: which version of which file a session knows.
//! - [`lock_paths_within`]: one writer for each real path; [`lock_for_question`]: one question about it.
//!
//! ```
//! use tenon_workspace::{PageRequest, Workspace, read_page};
//!
//! let directory = tempfile::tempdir()?;
//! std::fs::write(directory.path().join("notes.txt"), "one\ntwo\nthree\n")?;
//! let workspace = Workspace::open(directory.path(), &[] as &[&str])?;
//!
//! let request = PageRequest { first_line: 2, first_character: 1, max_lines: 1, max_bytes: 1024, max_line_bytes: 256 };
//! let page = read_page(&workspace.locate("notes.txt")?, &request, &|| false)?;
//! assert_eq!((page.text.as_str(), page.total_lines), ("two", 3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod changes;
mod closed;
mod dimensions;
mod drafts;
mod error;
mod image_end;
mod journal;
mod ledger;
mod listing;
mod located;
mod locks;
mod media;
mod metadata;
mod near_names;
mod open_dir;
mod open_file;
mod path_text;
mod platform;
mod process_locks;
mod real_place;
mod repository;
mod rights;
mod roots;
mod shared_files;
mod spelling;
mod state_directory;
mod text;
mod truncate;
mod version_control;
mod workspace;

pub use changes::committed::CommittedChange;
pub use changes::durability::Durability;
pub use changes::mode::ModeChange;
pub use changes::plan::{ChangeSet, PlannedChange};
pub use changes::recovery::{Recovered, RecoveredWay, recover};
pub use closed::{Closed, Right};
pub use error::{DanglingLink, Error};
pub use image_end::is_cut_off;
pub use journal::{
    ChangedFile, CheckpointId, Copies, CopyBudget, Journal, JournalKeeper, JournalOptions, KeptRow,
    LeftOut, Outcome, Pending, Recorded, RowChange, RunningCommand, SeenFile, Since, Unrestorable,
};
pub use ledger::{Freshness, Ledger, Written};
pub use listing::{DirectoryEntry, DirectoryListing, entry_kinds, ignore_files_make_exceptions};
pub use located::Located;
pub use locks::{
    PathGuard, QuestionGuard, lock_for_question, lock_paths_blocking, lock_paths_blocking_within,
    lock_paths_within,
};
pub use media::{BinaryKind, ContentKind, ImageFacts, ImageFormat, content_kind, image_facts};
pub use metadata::{FileKind, Metadata};
pub use open_dir::OpenDir;
pub use open_file::{OpenFile, read_bytes, read_page, read_text};
pub use path_text::near_advice;
pub use real_place::{
    as_listed, ignores_case, place_led_to, real_path, real_place, temporary_directories,
};
pub use repository::{IndexStamp, WorkTree};
pub use shared_files::shared_files;
pub use state_directory::{home_directory, seen_state_directory, state_directory};
pub use text::encoding::{Certainty, TextEncoding};
pub use text::line_ending::LineEnding;
pub use text::line_marks::LineMarks;
pub use text::page::{CutLine, Page, PageRequest};
pub use text::snapshot::{ContentHash, FileSnapshot, TextFile};
pub use truncate::{TruncatedBy, TruncationResult, floor_character, truncate_head, truncate_tail};
pub use version_control::VersionControl;
pub use workspace::{Containment, Workspace};
