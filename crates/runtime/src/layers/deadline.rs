//! Time limit and cancellation, around the work alone.
//!
//! Work that changes files is asked to stop and then awaited: it stops before its commit or finishes
//! it, and the answer says which, so that no lock is let go while a rename is under way. All other
//! work is dropped at once. What waits for a user has no limit but the one that the host sets.

use std::time::Duration;

use tenon_contract::{ErrorCode, TimeLimit, ToolError, limits};

use crate::events::{EventKind, Events};
use crate::service::{Call, Service};

pub(crate) struct Deadline<S> {
    /// As the host has set it.
    limit: Option<Duration>,
    events: Events,
    inner: S,
}

impl<S> Deadline<S> {
    pub(crate) fn new(limit: Option<Duration>, events: Events, inner: S) -> Self {
        Self {
            limit,
            events,
            inner,
        }
    }

    /// How long a call may take; for ever when somebody else watches its clock.
    fn limit_of(&self, call: &Call) -> Option<Duration> {
        match call.prepared.time_limit() {
            TimeLimit::Pipeline => Some(self.limit.unwrap_or(limits::CALL_TIMEOUT)),
            TimeLimit::Operation => None,
            TimeLimit::After(own) => Some(own),
            TimeLimit::OfHost => self.limit,
        }
    }
}

impl<S: Service<Call>> Service<Call> for Deadline<S> {
    type Answer = S::Answer;

    async fn call(&self, mut call: Call) -> Result<S::Answer, ToolError> {
        let aborted = call.sent.cancellation.clone();
        let stop = aborted.child_token();
        // Blocking work that outlives the future sees the token and ends.
        let _stopped_when_dropped = stop.clone().drop_guard();
        call.sent.cancellation = stop.clone();
        let settles = call.prepared.settles();
        let limit = self.limit_of(&call);
        let name = call.tool.name().to_owned();
        self.events.emit(|| EventKind::Started {
            call: call.subject(),
        });
        let work = self.inner.call(call);
        tokio::pin!(work);
        let interrupted = tokio::select! {
            biased;
            answer = &mut work => return answer,
            () = aborted.cancelled() => ToolError::cancelled(),
            () = tokio::time::sleep(limit.unwrap_or_default()), if limit.is_some() => {
                timed_out(&name, limit.unwrap_or_default())
            }
        };
        if settles {
            stop.cancel();
            return match work.await {
                // What it says of itself is said in place of what is said of every call.
                Err(own) if own.code == ErrorCode::Cancelled && !own.details.is_empty() => {
                    Err(ToolError {
                        code: interrupted.code,
                        ..own
                    })
                }
                Err(error) if error.code == ErrorCode::Cancelled => Err(interrupted),
                settled => settled,
            };
        }
        Err(interrupted)
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("deadline");
        self.inner.describe(names);
    }
}

pub(super) fn timed_out(name: &str, limit: Duration) -> ToolError {
    let limit = limit.as_millis();
    let message = format!(
        "`{name}` did not finish within {limit} ms and was stopped. Request less at once (a narrower path, a smaller limit)."
    );
    ToolError::new(ErrorCode::Timeout, message)
        .with("timeout_ms", u64::try_from(limit).unwrap_or(u64::MAX))
}
