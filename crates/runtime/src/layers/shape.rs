//! Renders the operation's output in the words of the dialect, and bounds what is reported.

use std::any::Any;
use std::sync::Arc;

use tenon_contract::{
    CancellationToken, Content, Operation, Outcome, Output, Progress, ToolContext, ToolError,
    limits,
};

use crate::budget::Budget;
use crate::call_request::Updates;
use crate::events::{EventKind, Events, Subject, end};
use crate::layers::invoke::Invocation;
use crate::leaving::LeavingCalls;
use crate::redaction::{Hiding, Redaction};
use crate::registry::RegisteredTool;
use crate::service::{Call, Service};

pub(crate) struct Shape<S> {
    events: Events,
    leaving: LeavingCalls,
    filters: ResultFilters,
    inner: S,
}

/// What results pass once they are rendered.
#[derive(Clone)]
pub(crate) struct ResultFilters {
    pub(crate) redaction: Option<Redaction>,
    pub(crate) budget: Budget,
}

impl<S> Shape<S> {
    pub(crate) fn new(
        events: Events,
        leaving: LeavingCalls,
        filters: ResultFilters,
        inner: S,
    ) -> Self {
        Self {
            events,
            leaving,
            filters,
            inner,
        }
    }
}

impl<S: Service<Invocation, Answer = Box<dyn Output>>> Service<Call> for Shape<S> {
    type Answer = Outcome;

    async fn call(&self, call: Call) -> Result<Outcome, ToolError> {
        let mut secrets = Secrets {
            redaction: self.filters.redaction.clone(),
            hiding: call.hiding.clone(),
        };
        let budget = self.filters.budget.of(call.sent.max_tokens);
        let progress = ProgressSink::start(&call, &self.events, secrets.clone());
        call.record.begin();
        let is_command = call.tool.operation() == Operation::Execute;
        let leaving = is_command.then(|| self.leaving.enter(&call.sent.id));
        let leave = leaving.as_ref().map(|leaving| leaving.token());
        let context = context(&call, progress, leave, budget);
        let Call {
            tool,
            prepared,
            repairs,
            record,
            ..
        } = call;
        let mut output = self.inner.call(Invocation { prepared, context }).await;
        let shown = output.as_ref().map(|output| output.shown_files());
        let shown = shown.unwrap_or_default();
        secrets.look_again(&shown);
        if let Ok(output) = &mut output {
            secrets.hide_in_pages(&mut **output);
        }
        let output = output.map_err(|error| secrets.error(tool.explain(error)));
        let output = match output {
            Ok(output) => output,
            Err(error) => return Err(self.filters.budget.hold_error(error, budget).await),
        };
        record.show(shown);
        secrets.follow(&*output);
        let mut outcome = tool.render(output)?;
        secrets.hide(&mut outcome);
        if tool.operation() == Operation::Skill {
            self.filters.budget.page(&mut outcome.content).await;
        }
        if let Some(most) = budget {
            self.filters.budget.hold(&mut outcome, most).await;
        }
        bound(&mut outcome.content, limits::ANSWER_MAX_BYTES);
        if !repairs.is_empty() {
            let repairs = serde_json::to_value(&repairs).map_err(|error| {
                ToolError::internal("repairs do not serialise").caused_by(error)
            })?;
            outcome.details.insert("repairs", &repairs);
        }
        Ok(outcome)
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("shape");
        self.inner.describe(names);
    }
}

/// What the operation may use.
fn context(
    call: &Call,
    progress: Option<Arc<dyn Progress>>,
    leave: Option<CancellationToken>,
    budget: Option<usize>,
) -> ToolContext {
    let sent = &call.sent;
    let mut context = ToolContext::new(sent.id.clone(), sent.cancellation.clone())
        .with_ticket(sent.ticket)
        .with_max_tokens(budget);
    if let Some(visibility) = &call.visibility {
        context = context.with_visibility(visibility.clone());
    }
    if let Some(redirects) = &call.redirects {
        context = context.with_redirect_policy(redirects.clone());
    }
    if let Some(plan) = &call.approved_plan {
        context = context.with_approved_plan(plan.clone());
    }
    if let Some(progress) = progress {
        context = context.with_progress(progress);
    }
    match leave {
        Some(leave) => context.with_leave(leave),
        None => context,
    }
}

/// What of the result of one call must not be shown.
#[derive(Clone)]
struct Secrets {
    redaction: Option<Redaction>,
    hiding: Hiding,
}

impl ResultFilters {
    /// What is added to a result behind its `own` parts has no secrets either and is at most a page a part, and all of it
    /// together is within the budget.
    pub(super) async fn finish(&self, outcome: &mut Outcome, own: usize, most: Option<usize>) {
        if let Some(redaction) = &self.redaction {
            redaction.outcome(outcome, &Hiding::default());
        }
        if let Some(added) = outcome.content.get_mut(own..) {
            self.budget.page(added).await;
        }
        if let Some(most) = most {
            self.budget.hold(outcome, most).await;
        }
    }
}

impl Secrets {
    /// Keeps in mind a command that continues in the background and reads a file of variables.
    fn follow(&self, output: &dyn Output) {
        if let (Some(redaction), Some(session)) = (&self.redaction, output.background()) {
            redaction.remember_reader(session, &self.hiding);
        }
    }

    /// Looks at the files of variables as they are now, and at those that the result shows.
    fn look_again(&mut self, shown: &[String]) {
        if let Some(redaction) = &self.redaction {
            redaction.look_again(&mut self.hiding, shown);
        }
    }

    /// Hides values in the text of files that is about to be shown, of which it is still known where it stands. Nothing is left to
    /// do in the result then.
    fn hide_in_pages(&mut self, output: &mut dyn Output) {
        let output: &mut dyn Any = output;
        if let (Some(redaction), Some(read)) = (&self.redaction, output.downcast_mut()) {
            redaction.pages(read, &self.hiding);
            self.hiding = Hiding::default();
        }
    }

    fn hide(&self, outcome: &mut Outcome) {
        if let Some(redaction) = &self.redaction {
            redaction.outcome(outcome, &self.hiding);
        }
    }

    fn error(&self, error: ToolError) -> ToolError {
        match &self.redaction {
            Some(redaction) => redaction.error(error, &self.hiding),
            None => error,
        }
    }
}

/// Partial outputs on their way out: rendered as the final one will be.
struct ProgressSink {
    tool: Arc<RegisteredTool>,
    id: Arc<str>,
    updates: Option<Arc<dyn Updates>>,
    events: Events,
    secrets: Secrets,
}

impl Progress for ProgressSink {
    fn is_due(&self) -> bool {
        let is_due = self
            .updates
            .as_ref()
            .is_some_and(|updates| updates.is_due());
        is_due || self.events.have_listener()
    }

    fn publish(&self, output: Box<dyn Output>) {
        // A partial output that cannot be rendered is skipped: the final one will say why.
        if let Ok(mut partial) = self.tool.render(output) {
            self.secrets.hide(&mut partial);
            bound(&mut partial.content, limits::ANSWER_MAX_BYTES);
            self.events.emit(|| self.event(&partial));
            if let Some(updates) = &self.updates {
                updates.publish(partial);
            }
        }
    }
}

impl ProgressSink {
    /// For the listener of the call and of the stream, if there is one.
    fn start(call: &Call, events: &Events, secrets: Secrets) -> Option<Arc<dyn Progress>> {
        let updates = call.sent.updates.clone();
        let has_listener = updates.is_some() || events.have_listener();
        let sink = || Self {
            tool: call.tool.clone(),
            id: call.sent.id.clone(),
            updates,
            events: events.clone(),
            secrets,
        };
        has_listener.then(|| Arc::new(sink()) as Arc<dyn Progress>)
    }

    fn event(&self, partial: &Outcome) -> EventKind {
        let texts = partial.content.iter().rev();
        let last = texts.filter_map(|part| match part {
            Content::Text(text) => Some(text.as_str()),
            Content::Image { .. } => None,
        });
        EventKind::Update {
            call: Subject::new(&self.id, self.tool.name()),
            bytes: partial.content.iter().map(Content::bytes).sum(),
            text: end(last.take(1).next().unwrap_or_default()).0,
        }
    }
}

/// The last line of defence, custom tools included: cuts text parts to `most` bytes together.
pub(super) fn bound(content: &mut [Content], most: usize) {
    let mut left = most;
    for part in content {
        let Content::Text(text) = part else { continue };
        if text.len() > left {
            let total = text.len();
            text.truncate(text.floor_char_boundary(left));
            text.push_str(&format!(
                "\n\n[Output truncated: {left} of {total} bytes shown. Request less at once.]"
            ));
            left = 0;
        } else {
            left -= text.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_oversized_answer_is_cut_at_a_character_and_says_so() {
        let mut content = vec![Content::text("abc"), Content::text("ääää")];
        bound(&mut content, 6);
        let expected = [
            Content::text("abc"),
            Content::text("ä\n\n[Output truncated: 3 of 8 bytes shown. Request less at once.]"),
        ];
        assert_eq!(content, expected);
    }
}
