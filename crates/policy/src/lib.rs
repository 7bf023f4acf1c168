//! Who may do what. Pure: the same input gives the same answer, nothing is read, nothing panics.
//!
//! - [`Exposure`] decides which tools exist at all for an agent: a profile, then lists.
//! - [`Engine`] judges what a call says it will touch, and answers a [`Decision`].
//!
//! It knows operations and what they touch, never a tool or a dialect: how names are spelled comes
//! in as a function.
//!
//! ```
//! use tenon_contract::Operation;
//! use tenon_policy::{Exposure, ExposureLists};
//!
//! let lists = ExposureLists { deny: vec!["exec".into()], ..ExposureLists::default() };
//! let exposure = Exposure::new(&lists, &|name| (name == "exec").then_some(Operation::Execute)).unwrap();
//! assert!(exposure.refusal("Bash", Operation::Execute).is_some());
//! assert!(exposure.refusal("Read", Operation::Read).is_none());
//! ```

mod engine;
mod exposure;

pub use engine::{Decision, DefaultMode, Engine, Verdict};
pub use exposure::{Exposure, ExposureError, ExposureLists, Profile, Refusal, Resolver};
