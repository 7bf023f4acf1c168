//! What the hooks of the host want of a call before it is judged, and of its result.

use std::sync::Arc;

use tenon_contract::{Outcome, ToolError, limits};
use tenon_policy::Verdict;

use crate::events::HookOutcome;
use crate::hooks::{Before, HookEvent, HookedCall, Hooks, add};
use crate::layers::shape::{ResultFilters, bound};
use crate::service::{Call, Service};

pub(crate) struct Hooked<S> {
    hooks: Arc<Hooks>,
    before: Vec<usize>,
    after: Vec<usize>,
    filters: ResultFilters,
    inner: S,
}

impl<S> Hooked<S> {
    pub(crate) fn new(hooks: Arc<Hooks>, filters: ResultFilters, inner: S) -> Self {
        Self {
            filters,
            before: hooks.at(HookEvent::Before),
            after: hooks.at(HookEvent::After),
            hooks,
            inner,
        }
    }
}

impl<S: Service<Call, Answer = Outcome>> Service<Call> for Hooked<S> {
    type Answer = Outcome;

    async fn call(&self, mut call: Call) -> Result<Outcome, ToolError> {
        if self.before.is_empty() && self.after.is_empty() {
            return self.inner.call(call).await;
        }
        let mut context = Vec::new();
        for index in &self.before {
            let seen = HookedCall::of(&call);
            let wanted = self.hooks.before(*index, &seen).await;
            if wanted.is_err() {
                call.record.decide(Verdict::Deny);
            }
            let wanted = wanted?;
            call = obeyed(&self.hooks, *index, call, wanted, &mut context).await?;
        }
        let seen = (!self.after.is_empty()).then(|| HookedCall::of(&call));
        let most = self.filters.budget.of(call.sent.max_tokens);
        let mut outcome = self.inner.call(call).await?;
        let own = outcome.content.len();
        add(&context, &mut outcome);
        let has_more = seen.is_some() || !context.is_empty();
        if let Some(seen) = seen {
            for index in &self.after {
                self.hooks.after(*index, &seen, &mut outcome).await?;
            }
        }
        // What hooks add is text of the host or of a command.
        if has_more {
            self.filters.finish(&mut outcome, own, most).await;
        }
        bound(&mut outcome.content, limits::ANSWER_MAX_BYTES);
        Ok(outcome)
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("hooks");
        self.inner.describe(names);
    }
}

/// A call as the hooks of the host want it, of which more is known than when they were asked.
///
/// # Errors
/// The refusal of a hook.
pub(crate) async fn obeyed_when_found(hooks: &Hooks, mut call: Call) -> Result<Call, ToolError> {
    let mut context = Vec::new();
    for index in hooks.at(HookEvent::Before) {
        let wanted = hooks.before_found(index, &HookedCall::of(&call)).await;
        if wanted.is_err() {
            call.record.decide(Verdict::Deny);
        }
        call = obeyed(hooks, index, call, wanted?, &mut context).await?;
    }
    Ok(call)
}

/// The call as a hook wants it.
async fn obeyed(
    hooks: &Hooks,
    index: usize,
    mut call: Call,
    wanted: Before,
    context: &mut Vec<String>,
) -> Result<Call, ToolError> {
    if let Some(why) = wanted.deny {
        call.record.decide(Verdict::Deny);
        let refusal = Hooks::denied(index, &call, &why);
        hooks.did(index, &call, HookOutcome::Denied, Some(why));
        return Err(refusal);
    }
    if let Some(params) = wanted.params.filter(|params| *params != call.wire) {
        hooks.did(index, &call, HookOutcome::Changed, None);
        let name = call.tool.name().to_owned();
        let record = Arc::clone(&call.record);
        call = call.with_params(params).await.map_err(|error| {
            record.decide(Verdict::Deny);
            Hooks::unusable(index, &name, error)
        })?;
    }
    if let Some(asked) = wanted.ask {
        hooks.did(index, &call, HookOutcome::Asked, asked.reason.clone());
        call.question = Some(match call.question.take() {
            Some(earlier) => earlier.and(asked),
            None => asked,
        });
    }
    context.extend(wanted.context);
    Ok(call)
}
