//! The way of every call, built once and used by all tools.
//!
//! Outermost first, each with the reason for its place:
//!
//! | layer | does | why here |
//! | --- | --- | --- |
//! | telemetry | history and the stream of events | must see every outcome, refusals too |
//! | loops | says what leads nowhere | must see every outcome as the model does |
//! | catch_panic | a panic becomes `internal` | nothing inside may take the host down |
//! | exposure | is the tool shown to this agent | what is not shown is not even parsed |
//! | once | a call made again under its id returns what it returned | before anything is judged, asked or done |
//! | resolve | repair, validate, prepare; what marks stand for | its errors are the model's to put right |
//! | hooks | what the host's functions and commands change or refuse, and what they make of the result | what they change is judged like what was sent; they see what the model will read |
//! | policy | allow, ask or deny by what the call will touch | nothing runs unjudged |
//! | approval | asks the host, remembers | a user's time is not the tool's: outside the deadline |
//! | resolve_access | what the call touches, where that takes asking | what was found is judged and asked about as well |
//! | exclusive | one writer per file | no lock is held while a user thinks |
//! | sources | notes where the text of the result comes from | a result that comes too late has said something all the same |
//! | deadline | time limit and cancellation | covers only the work |
//! | diagnostics | what a change did to diagnostics, if the host asks for it | while nobody else changes the file, within the deadline |
//! | shape | the dialect's rendering, without secrets, within its budget | partial answers are rendered the same way |
//! | invoke | runs the operation | |

use std::sync::Arc;
use std::time::Duration;

use tenon_contract::{Outcome, ToolError};
use tenon_lsp::LanguageServers;

use crate::budget::Budget;
use crate::judge::Judge;
use crate::layers::{
    Approval, CatchPanic, Deadline, Exclusive, Exposed, Hooked, Invoke, Loops, Once, Policy,
    PostEditDiagnostics, Resolve, ResolveAccess, ResultFilters, Shape, Sourced, Telemetry,
};
use crate::registry::Registry;
use crate::service::{Request, Service};
use crate::toolkit::Living;

type Inner = Policy<
    Approval<ResolveAccess<Exclusive<Sourced<Deadline<PostEditDiagnostics<Shape<Invoke>>>>>>>,
>;

type Outer = Once<Resolve<Hooked<Inner>>>;

/// All layers.
pub(crate) struct Pipeline(Telemetry<Loops<CatchPanic<Exposed<Outer>>>>);

/// What the layers need to know.
pub(crate) struct Parts {
    pub(crate) registry: Arc<Registry>,
    pub(crate) judge: Arc<Judge>,
    pub(crate) living: Living,
    /// Who is asked for diagnostics around every change, and how long that may take.
    pub(crate) diagnostics: Option<(LanguageServers, Duration)>,
    /// As the host has set it.
    pub(crate) time_limit: Option<Duration>,
    /// Of results.
    pub(crate) budget: Budget,
}

impl Pipeline {
    pub(crate) fn new(parts: &Parts) -> Self {
        let events = || parts.living.events.clone();
        let filters = ResultFilters {
            redaction: parts.living.redaction.clone(),
            budget: parts.budget.clone(),
        };
        let leaving = parts.living.leaving.clone();
        let shape = Shape::new(events(), leaving, filters.clone(), Invoke);
        let diagnostics =
            PostEditDiagnostics::new(parts.diagnostics.clone(), filters.clone(), shape);
        let deadline = Deadline::new(parts.time_limit, events(), diagnostics);
        let sourced = Sourced::new(parts.judge.clone(), events(), deadline);
        let exclusive = Exclusive::new(sourced);
        let resolve_access = ResolveAccess::new(
            parts.time_limit,
            parts.living.hooks.clone(),
            parts.judge.clone(),
            parts.living.approvals.clone(),
            parts.living.redaction.clone(),
            exclusive,
        );
        let approval = Approval::new(
            parts.living.approvals.clone(),
            parts.judge.clone(),
            resolve_access,
        );
        let redaction = parts.living.redaction.clone();
        let policy = Policy::new(parts.judge.clone(), events(), redaction.clone(), approval);
        let hooked = Hooked::new(parts.living.hooks.clone(), filters, policy);
        let resolve = Resolve::new(parts.registry.clone(), events(), redaction, hooked);
        let once = Once::new(
            parts.registry.clone(),
            parts.living.repeats.clone(),
            resolve,
        );
        let exposed = Exposed::new(parts.registry.clone(), once);
        let loops = Loops::new(parts.registry.clone(), events(), CatchPanic::new(exposed));
        Self(Telemetry::new(events(), loops))
    }

    pub(crate) async fn call(&self, request: Request) -> Result<Outcome, ToolError> {
        self.0.call(request).await
    }

    /// The names of the layers, outermost first.
    pub(crate) fn layers(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        self.0.describe(&mut names);
        names
    }
}

#[cfg(test)]
mod tests {
    use crate::{HostCallbacks, Options, Toolkit};

    #[test]
    fn the_order_of_the_layers_is_the_design() {
        let directory = tempfile::tempdir().unwrap();
        let options =
            Options::from_json(&serde_json::json!({ "workspace": directory.path() }).to_string())
                .unwrap();
        let toolkit = Toolkit::new(options, HostCallbacks::default()).unwrap();
        assert_eq!(
            toolkit.layers(),
            [
                "telemetry",
                "loops",
                "catch_panic",
                "exposure",
                "once",
                "resolve",
                "hooks",
                "policy",
                "approval",
                "resolve_access",
                "exclusive",
                "sources",
                "deadline",
                "diagnostics",
                "shape",
                "invoke"
            ]
        );
    }
}
