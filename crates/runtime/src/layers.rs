//! One file a layer; the order is in `pipeline.rs`.

mod approval;
mod catch_panic;
mod deadline;
mod dependents;
mod exclusive;
mod exposed;
mod hooked;
mod invoke;
mod loops;
mod once;
mod policy;
mod post_edit_diagnostics;
mod resolve;
mod resolve_access;
mod shape;
mod sourced;
mod telemetry;

pub(crate) use approval::{Approval, draft, is_asked_later};
pub(crate) use catch_panic::CatchPanic;
pub(crate) use deadline::Deadline;
pub(crate) use exclusive::Exclusive;
pub(crate) use exposed::Exposed;
pub(crate) use hooked::Hooked;
pub(crate) use invoke::Invoke;
pub(crate) use loops::Loops;
pub(crate) use once::Once;
pub(crate) use policy::{Policy, refusal};
pub(crate) use post_edit_diagnostics::PostEditDiagnostics;
pub(crate) use resolve::Resolve;
pub(crate) use resolve_access::{ResolveAccess, surveyed};
pub(crate) use shape::{ResultFilters, Shape};
pub(crate) use sourced::Sourced;
pub(crate) use telemetry::Telemetry;
