//! Pages over as many hops as it takes: each one checked, judged, and kept for the next call.

mod cache;
mod clock;
mod fetcher;
mod in_flight;
mod spec;
mod validators;

pub(crate) use clock::Clock;
pub use fetcher::{Accept, FetchSettings, Fetched, Fetcher};
pub use spec::RequestSpec;
