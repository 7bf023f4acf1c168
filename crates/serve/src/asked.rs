//! What a host may ask of a toolkit beside calls: one row a method.

use std::sync::Arc;

use serde_json::Value;
use tenon_border::{Bound, WrittenParams, to_json};
use tenon_contract::{ErrorCode, ToolError};

/// Parameters of a question, by name.
struct Given<'g>(&'g Value);

impl<'g> Given<'g> {
    fn text(&self, name: &str) -> Result<&'g str, ToolError> {
        let text = self.0.get(name).and_then(Value::as_str);
        text.ok_or_else(|| missing(name, "a string"))
    }

    fn maybe_text(&self, name: &str) -> Option<&'g str> {
        self.0.get(name).and_then(Value::as_str)
    }

    fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    fn json(&self, name: &str) -> String {
        self.0.get(name).map(Value::to_string).unwrap_or_default()
    }

    /// The JSON of what may be absent.
    fn maybe_json(&self, name: &str) -> Option<String> {
        let given = self.0.get(name).filter(|given| !given.is_null());
        given.map(Value::to_string)
    }
}

fn missing(name: &str, what: &str) -> ToolError {
    let message = format!("The parameter `{name}` is missing; expected {what}.");
    ToolError::new(ErrorCode::InvalidParams, message)
}

/// Answers a question that is answered at once: its JSON. Nothing where there is no such question.
pub(crate) fn answer(
    bound: &Bound,
    method: &str,
    params: &Value,
) -> Option<Result<String, ToolError>> {
    let given = Given(params);
    let toolkit = &bound.toolkit;
    Some(match method {
        "catalog" => to_json(&toolkit.catalog()),
        "facts" => to_json(&facts(bound)),
        "notices" => to_json(&toolkit.notices()),
        "lint" => to_json(&toolkit.lint()),
        "history" => to_json(&toolkit.history()),
        "mcpStatus" => to_json(&toolkit.mcp_status()),
        "canvases" => to_json(&toolkit.canvases()),
        "canvas" => given
            .text("uri")
            .and_then(|uri| to_json(&toolkit.canvas(uri))),
        "checkpoint" => toolkit.checkpoint().and_then(|id| to_json(&id)),
        "background" => given
            .text("id")
            .and_then(|id| to_json(&toolkit.background(id))),
        "listen" => {
            bound.listen(given.flag("listens"));
            to_json(&())
        }
        "setMode" => bound
            .set_mode(&given.json("mode"))
            .and_then(|()| to_json(&facts(bound))),
        "register" => bound
            .register(&given.json("definition"))
            .and_then(|registered| to_json(&registered)),
        "unregister" => given
            .text("tool")
            .and_then(|tool| to_json(&toolkit.unregister(tool))),
        "holdDraft" => given.text("path").and_then(|path| {
            toolkit.hold_draft(path, given.text("text")?)?;
            to_json(&())
        }),
        "releaseDraft" => given
            .text("path")
            .and_then(|path| to_json(&toolkit.release_draft(path)?)),
        "simulate" => bound
            .simulate(&given.json("calls"), &given.json("permissions"))
            .and_then(|simulated| to_json(&simulated)),
        "repair" | "validate" | "decide" | "explain" => judged(bound, method, &given),
        _ => return None,
    })
}

fn judged(bound: &Bound, method: &str, given: &Given<'_>) -> Result<String, ToolError> {
    let tool = given.text("tool")?;
    let (json, faults) = (given.json("params"), given.maybe_json("faults"));
    let params = WrittenParams {
        json: &json,
        faults: faults.as_deref(),
    };
    // What a tool itself wants to have asked.
    let question = given.maybe_json("question");
    match method {
        "repair" => to_json(&bound.repair(tool, params)?),
        "validate" => to_json(&bound.validate(tool, params)?),
        "decide" => to_json(&bound.decide(tool, params, question.as_deref())?),
        _ => to_json(&bound.explain(tool, params, question.as_deref())?),
    }
}

/// What an approver would be asked about a call, of all that it touches.
async fn approval_request(bound: &Bound, given: &Given<'_>) -> Result<String, ToolError> {
    let tool = given.text("tool")?;
    let (json, faults) = (given.json("params"), given.maybe_json("faults"));
    let params = WrittenParams {
        json: &json,
        faults: faults.as_deref(),
    };
    let question = given.maybe_json("question");
    let asked = bound.found_approval_request(tool, params, question.as_deref());
    to_json(&asked.await?)
}

/// What a host knows of a toolkit without asking.
pub(crate) fn facts(bound: &Bound) -> Value {
    serde_json::json!({
        "catalog": bound.toolkit.catalog(),
        "mode": bound.toolkit.mode().name(),
        "notices": bound.toolkit.notices(),
        "os": std::env::consts::OS,
    })
}

/// Answers a question that takes its time: its JSON.
///
/// # Errors
/// As the toolkit has it, or where there is no such question.
pub(crate) async fn answer_later(
    bound: &Arc<Bound>,
    key: u32,
    method: &str,
    params: &Value,
) -> Result<String, ToolError> {
    let given = Given(params);
    let toolkit = &bound.toolkit;
    match method {
        "approvalRequest" => approval_request(bound, &given).await,
        "rollback" => {
            let lineage = given.maybe_text("lineage").unwrap_or_default();
            let changes = toolkit.rollback_within(lineage, given.text("id")?, given.flag("force"));
            to_json(&changes.await?)
        }
        "undo" => {
            let lineage = given.maybe_text("lineage").unwrap_or_default();
            to_json(&toolkit.undo_within(lineage, given.text("call")?).await?)
        }
        "diff" => to_json(&toolkit.diff(given.maybe_text("since")).await?),
        "sources" => to_json(&toolkit.sources().await),
        "addSource" => {
            let added = toolkit.add_source(given.text("source")?, given.text("from")?);
            to_json(&added.await?)
        }
        "storedCalls" => {
            let before = params.get("before").and_then(Value::as_u64);
            let limit = params.get("limit").and_then(Value::as_u64).unwrap_or(100);
            let limit = usize::try_from(limit).unwrap_or(usize::MAX);
            to_json(&toolkit.stored_calls(before, limit).await?)
        }
        "forget" => to_json(&toolkit.forget(given.maybe_text("session")).await?),
        "keepOutput" => to_json(&toolkit.keep_output(given.text("text")?).await),
        "mcp" => bound.mcp(key, &given.json("request")).await,
        _ => {
            let message = format!(
                "The engine does not know `{method}`. It may be older than the host: update it."
            );
            Err(ToolError::new(ErrorCode::InvalidParams, message))
        }
    }
}
