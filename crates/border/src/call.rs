//! One call as it runs, and how its end crosses.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;

use futures_util::FutureExt;
use serde_json::Value;
use tenon_contract::{CancellationToken, ErrorCode, Outcome, ToolError, limits};
use tenon_runtime::{CallRequest, HostFaults, SentParams, Updates};

use crate::bound::Bound;
use crate::envelope::{Parts, WrittenParams, failure, split};
use crate::message::Message;
use crate::updates::Listener;

/// How a call ended: details and content, or the JSON of an error.
pub struct End {
    /// The number of the call.
    pub key: u32,
    /// What the host receives.
    pub result: Result<(String, Parts), String>,
}

impl From<End> for Message {
    fn from(end: End) -> Self {
        match end.result {
            Ok(answer) => Self::answer(end.key, answer),
            Err(error) => Self::failure(end.key, error),
        }
    }
}

/// An answer that the host could not hold. What the call did is done.
fn too_large(tool: &str, bytes: usize) -> ToolError {
    let message = format!(
        "`{tool}` finished, but its result details are {bytes} bytes, more than the maximum of {}. Check what it did, and request less at once.",
        limits::DETAILS_MAX_BYTES
    );
    ToolError::new(ErrorCode::TooLarge, message).with("bytes", bytes)
}

/// The parameters of a call, as the border has them. Read when the call runs.
pub enum Input {
    /// As the host wrote them.
    Written {
        /// See [`WrittenParams::json`].
        json: String,
        /// See [`WrittenParams::faults`].
        faults: Option<String>,
    },
    /// Read already, both of them.
    Read {
        /// The parameters.
        value: Value,
        /// What the host has found wrong with them, null where that is nothing.
        faults: Value,
    },
}

impl Default for Input {
    fn default() -> Self {
        Self::Read {
            value: Value::Null,
            faults: Value::Null,
        }
    }
}

impl Input {
    fn read(self) -> Result<SentParams, ToolError> {
        match self {
            Self::Written { json, faults } => {
                let (json, faults) = (json.as_str(), faults.as_deref());
                WrittenParams { json, faults }.read()
            }
            Self::Read { value, faults } => {
                let faults = serde_json::from_value::<Option<HostFaults>>(faults);
                let faults = faults.map_err(ToolError::internal)?.unwrap_or_default();
                Ok(SentParams { value, faults })
            }
        }
    }
}

/// One call, as it runs.
pub struct Call {
    /// The number that the host has given it.
    pub key: u32,
    /// The tool, as the dialect names it.
    pub tool: String,
    /// The id that the model knows it by.
    pub id: String,
    /// Its parameters.
    pub params: Input,
    /// The host makes it by itself, see [`CallRequest::automatic`].
    pub automatic: bool,
    /// The digest of an approval, see [`CallRequest::approved`].
    pub approved: Option<String>,
    /// The budget of its result, see [`CallRequest::max_tokens`].
    pub max_tokens: Option<u32>,
    /// The calls that it is made within, see [`CallRequest::lineage`].
    pub lineage: Option<String>,
    /// Whom its partial results go to.
    pub listener: Option<Listener>,
    /// The toolkit that it is for.
    pub bound: Arc<Bound>,
}

impl Call {
    /// Runs it to its end, which never is a panic.
    pub async fn run(mut self, cancellation: CancellationToken) -> End {
        let result = {
            // In its place, since it is some kilobytes that would be moved into each of its wrappers.
            let outcome = pin!(self.outcome(cancellation));
            let result = AssertUnwindSafe(outcome).catch_unwind().await;
            result.unwrap_or_else(|payload| Err(ToolError::panicked(payload.as_ref())))
        };
        self.bound.calls.end(self.key);
        if let Some(listener) = &self.listener {
            listener.finish();
        }
        let result = result.map(split).and_then(|answer| {
            let bytes = answer.0.len();
            let fits = bytes <= limits::DETAILS_MAX_BYTES;
            fits.then_some(answer)
                .ok_or_else(|| too_large(self.shown(), bytes))
        });
        let result = result.map_err(|error| failure(self.shown(), &error).to_string());
        End {
            key: self.key,
            result,
        }
    }

    /// The tool, as people read it.
    fn shown(&self) -> &str {
        self.tool.strip_prefix('@').unwrap_or(&self.tool)
    }

    async fn outcome(&mut self, cancellation: CancellationToken) -> Result<Outcome, ToolError> {
        let updates = self
            .listener
            .clone()
            .map(|listener| Arc::new(listener) as Arc<dyn Updates>);
        let params = std::mem::take(&mut self.params).read()?;
        let request = CallRequest {
            tool: self.tool.clone(),
            id: self.id.as_str().into(),
            ticket: self.key,
            params,
            cancellation,
            automatic: self.automatic,
            approved: self.approved.as_deref().map(Arc::from),
            max_tokens: self.max_tokens.map(|most| most as usize),
            lineage: self.lineage.as_deref().map(Arc::from),
            updates,
        };
        self.bound.toolkit.call(request).await
    }
}
