//! What outlives a call, and what is written for agents: no files, no clock, no runtime.
//!
//! - [`Store`]: the port behind which sessions keep what they know. [`MemoryStore`] serves until the process ends.
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

mod memory;
mod skill;
mod store;
mod todo;

pub use memory::MemoryStore;
pub use skill::{SkillText, is_skill_name};
pub use store::{SessionKey, Store, StoreError, StoreFuture};
pub use todo::{Todo, TodoPriority, TodoStatus};
