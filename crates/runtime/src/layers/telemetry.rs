//! Outermost: writes every call, refusals too, into the history and the stream.

use std::time::Instant;

use tenon_contract::{Outcome, ToolError, limits};

use crate::events::{Events, Subject};
use crate::history::{Finished, History};
use crate::registry::plain;
use crate::service::{Request, Service};

pub(crate) struct Telemetry<S> {
    events: Events,
    inner: S,
}

impl<S> Telemetry<S> {
    pub(crate) fn new(events: Events, inner: S) -> Self {
        Self { events, inner }
    }
}

impl<S: Service<Request, Answer = Outcome>> Service<Request> for Telemetry<S> {
    type Answer = Outcome;

    async fn call(&self, request: Request) -> Result<Outcome, ToolError> {
        let started = Instant::now();
        let params = History::summary(&request.sent.params.value);
        let (tool, id, record) = (
            plain(&request.sent.tool).to_owned(),
            request.sent.id.clone(),
            request.record.clone(),
        );
        self.events.emit(|| {
            self.events
                .called(Subject::new(&id, &tool), &request.sent.params.value)
        });
        let answer = self.inner.call(request).await;
        // The last line of defence: a sentence may name what the model sent, whatever its size.
        let answer = answer.map_err(|error| error.bounded(limits::ERROR_MAX_BYTES));
        self.events.finish(Finished {
            tool,
            id,
            params,
            verdict: record.verdict(),
            duration: started.elapsed(),
            origins: record.origins(),
            answer: &answer,
        });
        answer
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("telemetry");
        self.inner.describe(names);
    }
}
