//! Scheduled jobs: when they run, which process runs an occurrence, and what became of it.
//!
//! - [`Schedule`]: `0 9 * * 1-5`, `@daily`, `every 15m`, `in 20m`, `at 2026-12-01T09:00`, in a [`Zone`].
//! - [`Jobs`]: the jobs of one workspace as rows of a store.
//! - [`Engine`]: fires them, on a thread of its own.
//!
//! # Who runs an occurrence
//!
//! The id of a run is its job and the time that it was scheduled for. It is claimed by one commit: the job moves on to its
//! next time and the row of the run appears, or neither happens. So of all processes and machines that share a store, one
//! gets it. Until then it is at-least-once (an occurrence that nobody claimed is caught up); from then on it is
//! at-most-once: a run whose owner has died is `lost` and not repeated, unless the job asks for that.
//!
//! ```
//! use tenon_cron::{Schedule, Zone};
//!
//! let zone = Zone::named("Europe/Berlin")?;
//! let now = zone.time_of("2026-11-23T12:00")?;
//! let schedule = Schedule::read("0 9 * * 1-5", &zone, now)?;
//! assert_eq!(zone.shown(schedule.after(now, &zone)?.unwrap()), "2026-11-24T09:00:00+01:00");
//! # Ok::<(), tenon_cron::CronError>(())
//! ```

mod change;
mod due;
mod engine;
mod error;
mod expression;
mod job;
mod jobs;
mod notes;
mod runs;
mod schedule;
mod zone;

pub use change::JobChange;
pub use engine::{Engine, EngineOptions, Fire, Fired, FiredFuture, RunEnd, Runner};
pub use error::CronError;
pub use job::{CatchUp, Job, LastRun, Overlap, Run, RunStatus, Trigger};
pub use jobs::{Jobs, JobsOptions, Listed};
pub use notes::clock_changes;
pub use runs::ListedRuns;
pub use schedule::Schedule;
pub use zone::Zone;
