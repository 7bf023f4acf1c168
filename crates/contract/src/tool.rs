//! The trait every operation implements, and its object-safe twin.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::{
    Access, Effect, ErrorCode, Operation, OperationParams, Output, Preview, ToolContext, ToolError,
};

/// One capability that can be run.
///
/// The doc comments of `Params` and its fields are what a model reads by default. Services (the
/// workspace, the process table) come in by the constructor of the implementing type, so that the
/// contract knows none.
pub trait Tool: Send + Sync + 'static {
    /// Which capability this is.
    const OPERATION: Operation;
    /// Who ends a call that takes too long. By default the pipeline, after
    /// [`CALL_TIMEOUT`](crate::limits::CALL_TIMEOUT) or what the host set instead.
    const TIME_LIMIT: TimeLimit = TimeLimit::Pipeline;
    /// What the call is given.
    type Params: DeserializeOwned + JsonSchema + Send + Sync + 'static;
    /// The call made ready: parameters with their paths already located.
    type Plan: Send + 'static;
    /// What the call found or did. Dialects render it in their own words.
    type Output: Output;

    /// What the call will touch, and the plan to do just that. Cheap and without side effects;
    /// policy judges the access. `run` works on what was located here, so that a link that is
    /// swapped between judgement and use leads nowhere else.
    ///
    /// # Errors
    /// When a path leads out of the workspace or cannot be resolved.
    fn plan(&self, params: Self::Params) -> Result<(Access, Self::Plan), ToolError>;

    /// What kind of trace this very call leaves. Default: that of the operation.
    fn effect(plan: &Self::Plan) -> Effect {
        let _ = plan;
        Self::OPERATION.effect()
    }

    /// Whether it is awaited when it is interrupted, since what is under way must not be left untold. It has to end soon then. Default: what
    /// changes files is.
    fn settles(plan: &Self::Plan) -> bool {
        Self::effect(plan) == Effect::Mutate
    }

    /// Whether the access states only what it takes to find out what the call will touch, because
    /// somebody has to be asked for the rest, such as a language server for the places of a name.
    /// The call is judged for that first, [surveyed](Self::survey), and judged again before it runs.
    /// Its [`effect`](Self::effect) until then is that of the survey. Default: no.
    fn is_provisional(plan: &Self::Plan) -> bool {
        let _ = plan;
        false
    }

    /// Finds out all that a provisional plan will touch, and changes nothing. What it answers is
    /// final: not [provisional](Self::is_provisional) any more.
    ///
    /// # Errors
    /// What `run` would fail with.
    fn survey(
        &self,
        plan: Self::Plan,
        context: ToolContext,
    ) -> impl Future<Output = Result<(Access, Self::Plan), ToolError>> + Send {
        let _ = (plan, context);
        std::future::ready(Err(ToolError::new(
            ErrorCode::Internal,
            "What this operation touches is already known.",
        )))
    }

    /// What the call would do to files, worked out as `run` would and not done. May read the files;
    /// called only when somebody has to approve the call. `run` must then do exactly this or fail
    /// with [`ErrorCode::PlanChanged`] (see [`ToolContext::approved_plan`]).
    ///
    /// `None`, the default: what the access states says it all.
    ///
    /// # Errors
    /// What `run` would fail with.
    fn preview(&self, plan: &Self::Plan) -> Result<Option<Preview>, ToolError> {
        let _ = plan;
        Ok(None)
    }

    /// Does the work. Dropping the future must stop it; blocking work watches `context`.
    ///
    /// # Errors
    /// Whatever went wrong, reported for the model.
    fn run(
        &self,
        plan: Self::Plan,
        context: ToolContext,
    ) -> impl Future<Output = Result<Self::Output, ToolError>> + Send;
}

/// Who watches the clock of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeLimit {
    /// The pipeline: the call is dropped and fails with `timeout`.
    Pipeline,
    /// The operation: it has to end something orderly first, and knows what to say then.
    Operation,
    /// The pipeline, after a time of the tool's own.
    After(Duration),
    /// The pipeline, but only after a time that the host has set: a user or another agent answers,
    /// and takes as long as it takes.
    OfHost,
}

/// The future of a prepared call.
pub type RunFuture = Pin<Box<dyn Future<Output = Result<Box<dyn Output>, ToolError>> + Send>>;

/// The future of a call that finds out what it will touch.
pub type SurveyFuture =
    Pin<Box<dyn Future<Output = Result<Box<dyn PreparedCall>, ToolError>> + Send>>;

/// [`Tool`] with its types erased, for a registry. One blanket implementation; nobody writes it by hand.
pub trait AnyTool: Send + Sync {
    /// Which capability this is.
    fn operation(&self) -> Operation;
    /// Parses the parameters, where no dialect has, and plans the call once. The only way to a [`PreparedCall`],
    /// so that nothing runs unjudged and nothing is parsed twice.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidParams`], or what [`Tool::plan`] refuses.
    fn prepare(
        self: Arc<Self>,
        params: OperationParams,
    ) -> Result<Box<dyn PreparedCall>, ToolError>;
}

/// A call that was parsed and whose access is known; it has not touched anything yet.
pub trait PreparedCall: Send {
    /// What it will touch.
    fn access(&self) -> &Access;
    /// What kind of trace it leaves.
    fn effect(&self) -> Effect;
    /// Who watches its clock.
    fn time_limit(&self) -> TimeLimit;
    /// Whether it has to be surveyed before it is known what it touches; such a call must not be run.
    fn is_provisional(&self) -> bool {
        false
    }
    /// The same call with all that it will touch. Only for one that is provisional.
    fn survey(self: Box<Self>, context: ToolContext) -> SurveyFuture {
        let _ = context;
        Box::pin(std::future::ready(Err(ToolError::new(
            ErrorCode::Internal,
            "What this call touches is already known.",
        ))))
    }
    /// What it would do to files, where the operation knows. May read them: blocking work.
    ///
    /// # Errors
    /// What running it would fail with.
    fn preview(&self) -> Result<Option<Preview>, ToolError> {
        Ok(None)
    }
    /// Whether it is awaited when it is interrupted.
    fn settles(&self) -> bool;
    /// Runs it.
    fn run(self: Box<Self>, context: ToolContext) -> RunFuture;
}

struct Prepared<T: Tool> {
    tool: Arc<T>,
    plan: T::Plan,
    access: Access,
}

impl<T: Tool> AnyTool for T {
    fn operation(&self) -> Operation {
        T::OPERATION
    }

    fn prepare(
        self: Arc<Self>,
        params: OperationParams,
    ) -> Result<Box<dyn PreparedCall>, ToolError> {
        let (access, plan) = self.plan(params.into_typed()?)?;
        Ok(Box::new(Prepared {
            tool: self,
            plan,
            access,
        }))
    }
}

impl<T: Tool> PreparedCall for Prepared<T> {
    fn access(&self) -> &Access {
        &self.access
    }

    fn effect(&self) -> Effect {
        T::effect(&self.plan)
    }

    fn time_limit(&self) -> TimeLimit {
        T::TIME_LIMIT
    }

    fn settles(&self) -> bool {
        T::settles(&self.plan)
    }

    fn is_provisional(&self) -> bool {
        T::is_provisional(&self.plan)
    }

    fn survey(self: Box<Self>, context: ToolContext) -> SurveyFuture {
        let Self { tool, plan, .. } = *self;
        Box::pin(async move {
            let (access, plan) = tool.survey(plan, context).await?;
            Ok(Box::new(Self { tool, plan, access }) as Box<dyn PreparedCall>)
        })
    }

    fn preview(&self) -> Result<Option<Preview>, ToolError> {
        self.tool.preview(&self.plan)
    }

    fn run(self: Box<Self>, context: ToolContext) -> RunFuture {
        let Self { tool, plan, .. } = *self;
        if T::is_provisional(&plan) {
            // Nothing runs whose access nobody has judged.
            return Box::pin(std::future::ready(Err(ToolError::new(
                ErrorCode::Internal,
                "The call was not run: what it touches is not known.",
            ))));
        }
        Box::pin(async move {
            let output = tool.run(plan, context).await?;
            Ok(Box::new(output) as Box<dyn Output>)
        })
    }
}
