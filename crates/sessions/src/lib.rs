//! Sessions and sub-agents over a store.
//!
//! | rule | |
//! | --- | --- |
//! | a result is a row first | the end of a run is one commit: the run, its result, the unread mail of its parent. Only then is anybody notified |
//! | running means a lease | it is renewed by the threads of the core; a run whose lease ended or whose process is gone is `lost` and frees its place |
//! | one row for each tree | what runs and what waits stands in one row that is replaced by compare-and-swap: several processes see one truth |
//! | queue, do not refuse | beyond the places runs wait in order, each parent in turn; only depth and total refuse |
//! | stopping is a walk | over stored lineage, children first |
//! | time limits are native | at the deadline the host is asked to end, and after a grace the place is free, whatever the host does |
//!
//! [`Engine`] belongs to the toolkit at the root of a tree, [`Member`] to each toolkit in it.

mod control;
mod engine;
mod lease;
mod mailbox;
mod member;
mod model;
mod outside;
mod records;
mod run;
mod stop;
mod view;

pub use control::{Control, OnUpdate, Report};
pub use engine::{
    AgentLimits, ChangesOfRun, Delivery, Engine, EngineOptions, EventSink, Lease, Liveness,
    OutputCheck, RunFuture, Runner, SchemaCheck, Spawn, Started, Visibility,
};
pub use mailbox::{Finished, WaitReason, Waited};
pub use member::{Member, SendMode, Sent};
pub use model::{Budget, Event, Kind, Message, Owner, ResultRow, RunRow, SessionRow, Status};
pub use outside::{OutsideRun, OutsideRuns};
pub use stop::Stopped;
pub use view::{History, Listed, Overview};
