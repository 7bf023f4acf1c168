//! What outlives a call, and what is written for agents: no files, no clock, no runtime.
//!
//! - [`SessionRecords`]: what a session keeps in a store: its task list, its calls, what was approved,
//!   where text came from that it has read.
//! - [`Todo`]: one entry of the task list of a session.
//! - [`SkillText`]: what a `SKILL.md` says of itself.
//!
//! ```
//! use tenon_state::SkillText;
//!
//! let skill = SkillText::read("---\nname: pdf\ndescription: Fills forms.\n---\n# How\n");
//! assert_eq!(skill.name.as_deref(), Some("pdf"));
//! assert_eq!(skill.body, "# How\n");
//! ```

mod claims;
mod redact;
mod session;
mod skill;
mod sources;
mod todo;

pub use redact::{redacted, redacted_form, redacted_text};
pub use session::{PastCall, SessionKey, SessionRecords, Warn};
pub use skill::{SkillText, is_skill_name};
pub use sources::SourceEntry;
pub use todo::{Todo, TodoPriority, TodoStatus};
