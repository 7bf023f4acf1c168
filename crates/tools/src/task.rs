//! Hands a piece of work to a sub-agent of the host.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tenon_contract::{Access, Operation, Output, TimeLimit, Tool, ToolContext, ToolError, limits};

use crate::host::{HostListener, HostPart, kind_of, missing, odd, request};

/// What to have done, and by whom.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskParams {
    /// Name of the agent.
    #[schemars(length(min = 1, max = 200))]
    pub agent: String,
    /// What to do and what to return, with all needed context.
    #[schemars(length(min = 1))]
    pub objective: String,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskOutput {
    /// Whether the agent says that it did what it was to do. True in a partial answer.
    pub ok: bool,
    /// The kind of agent.
    pub agent: String,
    /// What it says; in a partial answer, how far it is.
    pub summary: String,
    /// Bytes of the summary that are not shown.
    pub omitted_bytes: usize,
    /// Whether it still runs.
    pub is_partial: bool,
}

impl Output for TaskOutput {}

/// The name of the part of the host.
const MEMBER: &str = "runAgent";

/// The operation.
pub struct Task {
    host: Option<Arc<dyn HostPart>>,
}

impl Task {
    /// Runs agents by way of the host; without one every call says what is missing.
    #[must_use]
    pub fn new(host: Option<Arc<dyn HostPart>>) -> Self {
        Self { host }
    }
}

impl Tool for Task {
    const OPERATION: Operation = Operation::Task;
    // An agent takes as long as its own calls do, which have their limits.
    const TIME_LIMIT: TimeLimit = TimeLimit::OfHost;
    type Params = TaskParams;
    type Plan = TaskParams;
    type Output = TaskOutput;

    fn plan(&self, params: TaskParams) -> Result<(Access, TaskParams), ToolError> {
        Ok((Access::using(params.agent.clone()), params))
    }

    async fn run(&self, params: TaskParams, context: ToolContext) -> Result<TaskOutput, ToolError> {
        let Some(host) = &self.host else {
            return Err(missing(MEMBER, "run another agent"));
        };
        let asked = serde_json::to_value(&params).map_err(ToolError::internal)?;
        let asked = request(&context, asked);
        let agent = params.agent;
        let name = agent.clone();
        let listener: HostListener = Arc::new(move |partial| {
            // A partial answer that cannot be read is passed over: the final one will say why.
            if let Ok(partial) = output(&name, partial, true) {
                context.publish(|| partial);
            }
        });
        output(&agent, host.ask(asked, Some(listener)).await?, false)
    }
}

/// A text, or `{summary, ok?}`.
fn output(agent: &str, said: Value, is_partial: bool) -> Result<TaskOutput, ToolError> {
    let wrong = |problem: String| Err(odd(MEMBER, &problem));
    let (mut summary, ok) = match said {
        Value::String(summary) => (summary, true),
        Value::Object(mut members) => {
            let ok = match members.remove("ok") {
                None | Some(Value::Null) => true,
                Some(Value::Bool(ok)) => ok,
                Some(other) => {
                    return wrong(format!(
                        "`ok` is {} and must be true or false",
                        kind_of(&other)
                    ));
                }
            };
            match members.remove("summary") {
                Some(Value::String(summary)) => (summary, ok),
                other => {
                    let found = other.unwrap_or_default();
                    return wrong(format!(
                        "`summary` is {} and must be a string",
                        kind_of(&found)
                    ));
                }
            }
        }
        other => {
            return wrong(format!(
                "it returned {} instead of a string or `{{summary}}`",
                kind_of(&other)
            ));
        }
    };
    let whole = summary.len();
    summary.truncate(summary.floor_char_boundary(limits::AGENT_SUMMARY_MAX_BYTES));
    Ok(TaskOutput {
        ok,
        agent: agent.to_owned(),
        omitted_bytes: whole - summary.len(),
        summary,
        is_partial,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn summary(said: Value) -> Result<(bool, String), String> {
        output("a", said, false)
            .map(|output| (output.ok, output.summary))
            .map_err(|error| error.message)
    }

    #[test]
    fn a_text_and_an_object_are_answers_and_nothing_else_is() {
        assert_eq!(summary(json!("done")), Ok((true, "done".to_owned())));
        let failed = json!({"ok": false, "summary": "no", "usage": 1});
        assert_eq!(summary(failed), Ok((false, "no".to_owned())));
        for (said, problem) in [
            (
                json!(null),
                "it returned nothing instead of a string or `{summary}`",
            ),
            (json!({}), "`summary` is nothing and must be a string"),
            (
                json!({"summary": 1}),
                "`summary` is a number and must be a string",
            ),
            (
                json!({"summary": "", "ok": "yes"}),
                "`ok` is a text and must be true or false",
            ),
        ] {
            let told = summary(said).unwrap_err();
            assert!(told.contains(problem), "{told}");
        }
    }

    #[test]
    fn a_summary_is_cut_at_a_character_and_what_is_missing_is_counted() {
        let output = output("a", json!("ä".repeat(30_000)), false).unwrap();
        assert_eq!(
            (output.summary.len(), output.omitted_bytes),
            (51_200, 8_800)
        );
    }
}
