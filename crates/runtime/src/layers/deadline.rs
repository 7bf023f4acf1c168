//! Time limit and cancellation, around the work alone.
//!
//! Work that changes files is told to stop and then awaited: it stops before its commit or finishes
//! it, and the answer says which, so that no lock is let go while a rename is under way. All other
//! work is dropped at once.

use std::time::Duration;

use tenon_contract::{Effect, ErrorCode, TimeLimit, ToolError};

use crate::service::{Call, Service};

pub(crate) struct Deadline<S> {
    limit: Duration,
    inner: S,
}

impl<S> Deadline<S> {
    pub(crate) fn new(limit: Duration, inner: S) -> Self {
        Self { limit, inner }
    }
}

impl<S: Service<Call>> Service<Call> for Deadline<S> {
    type Answer = S::Answer;

    async fn call(&self, mut call: Call) -> Result<S::Answer, ToolError> {
        let aborted = call.cancellation.clone();
        let stop = aborted.child_token();
        // Blocking work that outlives the future sees the token and ends.
        let _stopped_when_dropped = stop.clone().drop_guard();
        call.cancellation = stop.clone();
        let settles = call.prepared.effect() == Effect::Mutate;
        let own_clock = call.prepared.time_limit() == TimeLimit::Operation;
        let name = call.tool.name().to_owned();
        let work = self.inner.call(call);
        tokio::pin!(work);
        let interrupted = tokio::select! {
            biased;
            answer = &mut work => return answer,
            () = aborted.cancelled() => ToolError::cancelled(),
            () = tokio::time::sleep(self.limit), if !own_clock => self.timed_out(&name),
        };
        if settles {
            stop.cancel();
            return match work.await {
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

impl<S> Deadline<S> {
    fn timed_out(&self, name: &str) -> ToolError {
        let limit = self.limit.as_millis();
        let message = format!(
            "`{name}` did not finish within {limit} ms and was stopped. Ask for less at once (a narrower path, a smaller limit)."
        );
        ToolError::new(ErrorCode::Timeout, message)
            .with("timeout_ms", u64::try_from(limit).unwrap_or(u64::MAX))
    }
}
