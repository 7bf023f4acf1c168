//! Answers that are complete: a server that is still reading the project is waited for, and where that takes too long
//! it is said.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::error::RequestError;
use crate::protocol::wire::hover_text;
use crate::server::session::{Patience, ServerSession};
use crate::servers::Readiness;

/// How long nothing may have been under way before a server that reports what it does counts as idle. Work is often
/// begun a moment after what causes it.
const QUIET: Duration = Duration::from_millis(200);
/// What is kept of the time of a question for the response of a server that is busy until then.
const ANSWER_RESERVE: Duration = Duration::from_secs(2);
/// Between two answers that are compared.
const PAUSE: Duration = Duration::from_millis(300);
/// How long a server is given to log that it is ready; after that its answers are compared.
const LOG_WAIT: Duration = Duration::from_millis(10_000);

/// When an answer may be given before the server knows the whole project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Early {
    /// Never: what is missing could be anywhere.
    Never,
    /// When there is something in it and the server has loaded the project once: before that the definition of a name
    /// may be its import.
    Something,
}

/// An answer and whether it is final.
#[derive(Debug)]
pub(crate) struct Settled {
    pub(crate) value: Value,
    pub(crate) is_complete: bool,
}

impl Settled {
    const fn complete(value: Value) -> Self {
        Self {
            value,
            is_complete: true,
        }
    }

    const fn incomplete(value: Value) -> Self {
        Self {
            value,
            is_complete: false,
        }
    }
}

impl ServerSession {
    /// Asks until the answer is complete, for as long as there is patience.
    pub(crate) async fn settled(
        &self,
        method: &str,
        params: &Value,
        early: Early,
        patience: Patience,
        cancellation: &CancellationToken,
    ) -> Result<Settled, RequestError> {
        let waiting = async {
            let mut first = None;
            if self.is_settled() || (early == Early::Something && self.has_loaded()) {
                let value = self.ask(method, params, patience, cancellation).await?;
                if self.is_believed(&value, early) {
                    return Ok(Settled::complete(value));
                }
                first = Some(value);
            }
            self.compare(method, params, early, patience, cancellation)
                .await
                .or_else(|error| match (error, first) {
                    // What it said at first is better than nothing.
                    (RequestError::TimedOut { .. }, Some(first)) => Ok(Settled::incomplete(first)),
                    (error, _) => Err(error),
                })
        };
        tokio::select! {
            biased;
            () = cancellation.cancelled() => Err(RequestError::Cancelled),
            settled = waiting => settled,
        }
    }

    /// Waits until the server is ready, or has given the same answer twice while nothing was under way.
    async fn compare(
        &self,
        method: &str,
        params: &Value,
        early: Early,
        patience: Patience,
        cancellation: &CancellationToken,
    ) -> Result<Settled, RequestError> {
        let deadline = patience.until;
        // A server that is busy until then is asked all the same, and needs time to respond.
        let idle_by = deadline - ANSWER_RESERVE.min(patience.limit / 4);
        let generation = self.generation();
        self.wait_until_idle(idle_by).await;
        let mut before: Option<Value> = None;
        loop {
            let answer = self.ask(method, params, patience, cancellation).await;
            let value: Value = match (answer, before.take()) {
                // What it said last is better than nothing.
                (Err(RequestError::TimedOut { .. }), Some(before)) => {
                    return Ok(Settled::incomplete(before));
                }
                (answer, last) => {
                    before = last;
                    answer?
                }
            };
            let is_ready = self.is_ready(before.as_ref(), &value);
            if is_ready {
                self.settled.store(generation + 1, Ordering::Release);
            }
            let is_early = early == Early::Something && self.has_loaded();
            if is_ready || (is_early && says_something(&value)) {
                return Ok(Settled::complete(value));
            }
            if Instant::now() + PAUSE >= deadline {
                return Ok(Settled::incomplete(value));
            }
            if Instant::now() >= idle_by {
                return Ok(Settled::incomplete(value));
            }
            before = Some(value);
            sleep(PAUSE).await;
            self.wait_until_idle(idle_by).await;
        }
    }

    /// Whether an answer is the last word: nothing found counts only from a server that has nothing under way.
    fn is_believed(&self, value: &Value, early: Early) -> bool {
        if says_something(value) {
            early == Early::Something || self.is_settled()
        } else {
            self.is_settled() && !self.server_state.progress().is_busy()
        }
    }

    /// Whether the server knows the project, by what it says of itself, or by the answers that it gave.
    fn is_ready(&self, before: Option<&Value>, value: &Value) -> bool {
        let is_idle = !self.server_state.progress().is_busy();
        match self.spec.quirks.readiness {
            Readiness::Immediate => is_idle,
            Readiness::Status => self.server_state.progress().is_quiescent(),
            Readiness::Log(_) if self.server_state.has_logged_ready() => true,
            Readiness::Log(_) | Readiness::Observed => {
                is_idle && before.is_some_and(|before| is_same(before, value))
            }
        }
    }

    /// Waits until the server says that it is ready, or has nothing under way.
    pub(crate) async fn wait_until_idle(&self, deadline: Instant) {
        // Whatever comes first: the caller looks at how things stand.
        let _ = match self.spec.quirks.readiness {
            Readiness::Immediate => {
                timeout_at(deadline, self.server_state.progress().idle(Duration::ZERO)).await
            }
            Readiness::Status => {
                timeout_at(deadline, self.server_state.progress().became_quiescent()).await
            }
            Readiness::Log(_) => {
                timeout_at(
                    deadline.min(self.started + LOG_WAIT),
                    self.server_state.logged_ready(),
                )
                .await
            }
            Readiness::Observed => {
                timeout_at(deadline, self.server_state.progress().idle(QUIET)).await
            }
        };
    }

    /// Whether its answers about the whole project are known to be complete.
    fn is_settled(&self) -> bool {
        match self.spec.quirks.readiness {
            Readiness::Immediate => true,
            Readiness::Status => self.server_state.progress().is_quiescent(),
            Readiness::Log(_) if self.server_state.has_logged_ready() => true,
            Readiness::Log(_) | Readiness::Observed => {
                self.settled.load(Ordering::Acquire) == self.generation() + 1
                    && !self.server_state.progress().is_busy()
            }
        }
    }

    /// Whether it has read the project once: what it says of a single name holds from then on, unless it says that it
    /// reads the project again.
    fn has_loaded(&self) -> bool {
        match self.spec.quirks.readiness {
            Readiness::Immediate => true,
            Readiness::Status => self.server_state.progress().is_quiescent(),
            Readiness::Log(_) if self.server_state.has_logged_ready() => true,
            Readiness::Log(_) | Readiness::Observed => {
                self.settled.load(Ordering::Acquire) > 0 && !self.server_state.progress().is_busy()
            }
        }
    }
}

/// Whether there is something in an answer, and not only that something will be.
fn says_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(object) if object.contains_key("contents") => {
            let text = hover_text(value);
            // A fault is known at once.
            text.map_or(true, |text| !text.is_empty() && !text.contains("(loading"))
        }
        _ => true,
    }
}

/// Whether two answers are the same; their order may differ.
fn is_same(left: &Value, right: &Value) -> bool {
    let sorted = |value: &Value| {
        let mut items: Option<Vec<String>> = value
            .as_array()
            .map(|items| items.iter().map(Value::to_string).collect());
        if let Some(items) = &mut items {
            items.sort();
        }
        items
    };
    match (sorted(left), sorted(right)) {
        (Some(left), Some(right)) => left == right,
        _ => left == right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_only_promised_is_nothing() {
        for nothing in [
            json!(null),
            json!([]),
            json!({ "contents": "" }),
            json!({ "contents": [] }),
            json!({ "contents": { "value": "```ts\n(loading...) x\n```" } }),
        ] {
            assert!(!says_something(&nothing), "{nothing}");
        }
        for something in [
            json!([{}]),
            json!({ "uri": "a" }),
            json!({ "contents": { "kind": "markdown", "value": "x: number" } }),
        ] {
            assert!(says_something(&something), "{something}");
        }
    }

    #[test]
    fn the_order_of_an_answer_does_not_matter() {
        assert!(is_same(&json!([1, 2]), &json!([2, 1])));
        assert!(!is_same(&json!([1]), &json!([1, 1])));
        assert!(is_same(&json!({ "a": 1 }), &json!({ "a": 1 })));
    }
}
