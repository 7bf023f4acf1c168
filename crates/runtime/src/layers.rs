//! One file a layer; the order is in `pipeline.rs`.

mod aftermath;
mod approval;
mod catch_panic;
mod deadline;
mod dependents;
mod exclusive;
mod exposed;
mod hooked;
mod invoke;
mod policy;
mod resolve;
mod shape;
mod survey;
mod telemetry;

pub(crate) use aftermath::Aftermath;
pub(crate) use approval::Approval;
pub(crate) use catch_panic::CatchPanic;
pub(crate) use deadline::Deadline;
pub(crate) use exclusive::Exclusive;
pub(crate) use exposed::Exposed;
pub(crate) use hooked::Hooked;
pub(crate) use invoke::Invoke;
pub(crate) use policy::{Policy, refusal};
pub(crate) use resolve::Resolve;
pub(crate) use shape::Shape;
pub(crate) use survey::Survey;
pub(crate) use telemetry::Telemetry;
