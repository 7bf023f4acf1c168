//! Answers that are complete: a server that is still reading the project is waited for, and where that takes too long
//! it is said.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::Value;
use tenon_contract::limits;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::error::RequestError;
use crate::servers::Readiness;
use crate::session::Session;
use crate::wire::hover_text;

/// How long nothing may have been under way before a server that reports what it does counts as idle. Work is often
/// begun a moment after what causes it.
const QUIET: Duration = Duration::from_millis(200);
/// Between two answers that are compared.
const PAUSE: Duration = Duration::from_millis(300);
/// How long a server is given to log that it is ready; after that its answers are compared.
const LOG_WAIT: Duration = Duration::from_millis(10_000);

/// When an answer may be given before the server knows the whole project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Early {
    /// Never: what is missing could be anywhere.
    Never,
    /// When there is something in it: a definition that was found is one.
    Something,
}

/// An answer and whether it is final.
#[derive(Debug)]
pub(crate) struct Settled {
    pub(crate) value: Value,
    pub(crate) is_complete: bool,
}

impl Session {
    /// Asks until the answer is complete, for [`LSP_READY_TIMEOUT`](limits::LSP_READY_TIMEOUT) at most.
    pub(crate) async fn settled(
        &self,
        method: &str,
        params: &Value,
        early: Early,
        cancellation: &CancellationToken,
    ) -> Result<Settled, RequestError> {
        let waiting = async {
            if self.is_settled() || early == Early::Something {
                let value = self.ask_value(method, params, cancellation).await?;
                if self.is_settled() || (early == Early::Something && says_something(&value)) {
                    return Ok(Settled {
                        value,
                        is_complete: true,
                    });
                }
            }
            self.compare(method, params, early, cancellation).await
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
        cancellation: &CancellationToken,
    ) -> Result<Settled, RequestError> {
        let deadline = Instant::now() + limits::LSP_READY_TIMEOUT;
        let generation = self.generation();
        let readiness = self.spec.quirks.readiness;
        self.wait_until_idle(deadline).await;
        let mut before: Option<Value> = None;
        loop {
            let value = self.ask_value(method, params, cancellation).await?;
            let is_ready = match readiness {
                Readiness::Status => self.heard.progress().is_quiescent(),
                Readiness::Log(_) if self.heard.has_logged_ready() => true,
                _ => {
                    !self.heard.progress().is_busy()
                        && before
                            .as_ref()
                            .is_some_and(|before| is_same(before, &value))
                }
            };
            if is_ready {
                self.settled.store(generation + 1, Ordering::Release);
            }
            if is_ready || (early == Early::Something && says_something(&value)) {
                return Ok(Settled {
                    value,
                    is_complete: true,
                });
            }
            if Instant::now() + PAUSE >= deadline {
                return Ok(Settled {
                    value,
                    is_complete: false,
                });
            }
            before = Some(value);
            sleep(PAUSE).await;
            self.wait_until_idle(deadline).await;
        }
    }

    /// Waits until the server says that it is ready, or has nothing under way.
    pub(crate) async fn wait_until_idle(&self, deadline: Instant) {
        // Whatever comes first: the caller looks at how things stand.
        let _ = match self.spec.quirks.readiness {
            Readiness::Immediate => Ok(()),
            Readiness::Status => {
                timeout_at(deadline, self.heard.progress().became_quiescent()).await
            }
            Readiness::Log(_) => {
                timeout_at(
                    deadline.min(self.started + LOG_WAIT),
                    self.heard.logged_ready(),
                )
                .await
            }
            Readiness::Observed => timeout_at(deadline, self.heard.progress().idle(QUIET)).await,
        };
    }

    /// Whether its answers about the whole project are known to be complete.
    fn is_settled(&self) -> bool {
        match self.spec.quirks.readiness {
            Readiness::Immediate => true,
            Readiness::Status => self.heard.progress().is_quiescent(),
            Readiness::Log(_) if self.heard.has_logged_ready() => true,
            Readiness::Log(_) | Readiness::Observed => {
                self.settled.load(Ordering::Acquire) == self.generation() + 1
                    && !self.heard.progress().is_busy()
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
            !text.is_empty() && !text.contains("(loading")
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
