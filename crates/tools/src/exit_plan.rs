//! Presents a finished plan for approval, and ends the mode in which nothing is changed.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{Access, ErrorCode, Operation, Output, Tool, ToolContext, ToolError};

/// The plan.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExitPlanParams {
    /// The plan in Markdown: what to change, where, in which order, and how to verify it.
    #[schemars(length(min = 1, max = 50_000))]
    pub plan: String,
}

/// The plan was approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExitPlanOutput {
    /// The plan as it was approved.
    pub plan: String,
    /// The mode that holds from now on.
    pub mode: &'static str,
}

impl Output for ExitPlanOutput {}

/// The mode of a toolkit, as far as plans are concerned.
pub trait PlanGate: Send + Sync + 'static {
    /// Whether the toolkit is in the mode `plan`.
    fn is_planning(&self) -> bool;
    /// Ends the mode `plan`, if it still holds. Returns the name of the mode that holds then.
    fn leave(&self) -> &'static str;
}

/// The operation.
pub struct ExitPlan {
    gate: Option<Arc<dyn PlanGate>>,
}

impl ExitPlan {
    /// Ends the mode `plan` at this gate; without one the mode never holds.
    #[must_use]
    pub fn new(gate: Option<Arc<dyn PlanGate>>) -> Self {
        Self { gate }
    }
}

impl Tool for ExitPlan {
    const OPERATION: Operation = Operation::ExitPlan;
    type Params = ExitPlanParams;
    type Plan = String;
    type Output = ExitPlanOutput;

    fn plan(&self, params: ExitPlanParams) -> Result<(Access, String), ToolError> {
        if params.plan.trim().is_empty() {
            return Err(ToolError::new(
                ErrorCode::InvalidParams,
                "`plan` is empty. Describe what to change, where, and how to verify it.",
            ));
        }
        if !self.gate.as_ref().is_some_and(|gate| gate.is_planning()) {
            return Err(not_planning());
        }
        Ok((Access::default(), params.plan))
    }

    async fn run(&self, plan: String, _: ToolContext) -> Result<ExitPlanOutput, ToolError> {
        let mode = self.gate.as_ref().ok_or_else(not_planning)?.leave();
        Ok(ExitPlanOutput { plan, mode })
    }
}

fn not_planning() -> ToolError {
    let message = "The mode is not `plan`, so no plan requires approval. Carry out the work.";
    ToolError::new(ErrorCode::InvalidParams, message)
}
