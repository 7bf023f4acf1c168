//! A call that is made again under its id does nothing twice: it returns what the first one returned.

use std::sync::Arc;

use tenon_contract::{Outcome, ToolError};

use crate::registry::Registry;
use crate::repeats::{Print, Repeats, Turn};
use crate::service::{Request, Service};

pub(crate) struct Once<S> {
    registry: Arc<Registry>,
    repeats: Repeats,
    inner: S,
}

impl<S> Once<S> {
    pub(crate) fn new(registry: Arc<Registry>, repeats: Repeats, inner: S) -> Self {
        Self {
            registry,
            repeats,
            inner,
        }
    }
}

impl<S: Service<Request, Answer = Outcome>> Service<Request> for Once<S> {
    type Answer = Outcome;

    async fn call(&self, mut request: Request) -> Result<Outcome, ToolError> {
        // What the host does by itself is no call of a model, and what has faults is not run at all.
        if request.sent.automatic || !request.sent.params.faults.is_empty() {
            return self.inner.call(request).await;
        }
        let tool = self.registry.tool_of(&mut request)?;
        let print = Print::of(tool.name(), &request.sent.params.value);
        loop {
            let turn = self.repeats.turn(
                &request.sent.id,
                tool.name(),
                print,
                tool.repetition(),
                &request.record,
            )?;
            match turn {
                Turn::Unknown => return self.inner.call(request).await,
                Turn::Again(recorded) => return recorded.answer(),
                Turn::Wait(mut ended) => {
                    let cancelled = request.sent.cancellation.clone();
                    tokio::select! {
                        biased;
                        () = cancelled.cancelled() => return Err(ToolError::cancelled()),
                        // An error: the first one was not made after all.
                        _ = ended.changed() => {}
                    }
                }
                Turn::First(mut running) => {
                    let cancelled = request.sent.cancellation.clone();
                    if let Some(recorded) = running.claim(&cancelled).await? {
                        return recorded.answer();
                    }
                    let answer = {
                        let call = std::pin::pin!(self.inner.call(request));
                        running.alive(call).await
                    };
                    running.end(&answer).await;
                    return answer;
                }
            }
        }
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("once");
        self.inner.describe(names);
    }
}
