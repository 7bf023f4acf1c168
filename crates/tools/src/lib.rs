//! The operations: one file each, in the order parameters, output, tool, work.
//!
//! An operation takes its services in its constructor, states what it will touch, and answers a
//! typed output. How that is spelled and told is the business of `tenon-dialects`; whether it may
//! happen is decided before, elsewhere.

mod blocking;
mod edit;
mod execute;
mod find;
mod grep;
mod list;
mod patch;
mod read;
mod write;

pub use edit::{Edit, EditOutput, EditPair, EditParams, MatchFact};
pub use execute::{Execute, ExecuteOutput, ExecuteParams, ExecuteStatus, StreamOutput};
pub use find::{Find, FindOrder, FindOutput, FindParams, FoundFile};
pub use grep::{Grep, GrepMode, GrepOutput, GrepParams};
pub use list::{List, ListEntry, ListOutput, ListParams};
pub use patch::{Patch, PatchOutput, PatchParams, PatchedFile};
pub use read::{ImageOutput, PageOutput, Read, ReadOutput, ReadParams};
pub use write::{Write, WriteOutput, WriteParams};
