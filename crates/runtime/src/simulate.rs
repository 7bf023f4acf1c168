//! What other rules would have decided.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tenon_policy::{Decision, Verdict};

use crate::judge::Judge;
use crate::registry::Registry;
use crate::service::Call;

/// A call that was made, as in the history.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct PastCall {
    /// The tool, as the dialect names it.
    pub tool: String,
    /// Its parameters.
    pub params: Value,
}

/// What present and other rules say to one call.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Simulated {
    /// The tool.
    pub tool: String,
    /// What the rules of the toolkit say now. Missing where the call cannot be prepared any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Verdict>,
    /// What the other rules say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Verdict>,
    /// Whether that is another verdict.
    pub changed: bool,
    /// Why the other rules say it, or why the call cannot be prepared.
    pub reason: String,
}

/// Judges each call twice; nothing is run.
pub(crate) fn simulate(
    registry: &Registry,
    before: &Judge,
    after: &Judge,
    calls: Vec<PastCall>,
) -> Vec<Simulated> {
    calls
        .into_iter()
        .map(|past| {
            let PastCall { tool, params } = past;
            let prepared = registry
                .find(&tool)
                .and_then(|found| Ok((found.prepare(params.into())?, found)));
            match prepared {
                Ok(((prepared, decoded), found)) => {
                    let call = Call::without_run(found, prepared, decoded);
                    reported(tool, &before.decide(&call), &after.decide(&call))
                }
                Err(error) => Simulated {
                    tool,
                    before: None,
                    after: None,
                    changed: false,
                    reason: error.message,
                },
            }
        })
        .collect()
}

fn reported(tool: String, before: &Decision, after: &Decision) -> Simulated {
    Simulated {
        tool,
        before: Some(before.verdict),
        after: Some(after.verdict),
        changed: before.verdict != after.verdict,
        reason: after.reason.clone(),
    }
}
