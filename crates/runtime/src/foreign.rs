//! Tools that the host brings: what it says of them, and how their calls become calls like all others.

mod definition;
mod effects;
mod runner;
mod supposed;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tenon_contract::{
    Access, ArgumentClaim, Effect, ErrorCode, Operation, Outcome, Output, PreparedCall, RunFuture,
    TimeLimit, ToolContext, ToolError,
};
use tenon_dialects::{Decoded, Dialect, ForeignParams, Issue};
use tenon_workspace::Workspace;

pub use definition::{ContentSource, ForeignAnnotations, ForeignDefinition};
pub use effects::{DeclaredEffects, EffectName};
pub use runner::{
    CheckFuture, ForeignCall, ForeignFuture, ForeignOutput, ForeignRunner, QuestionFuture,
};

use crate::approval::OwnQuestion;
use crate::catalog::CatalogEntry;

/// One tool of the host, ready to be called.
pub(crate) struct ForeignTool {
    name: Arc<str>,
    /// By which rules know it.
    rule_name: Arc<str>,
    params: ForeignParams,
    /// The host checks parameters itself; the schema is for the model.
    has_own_check: bool,
    /// The host words the question before a call itself.
    has_own_question: bool,
    /// What its name means in the dialects: it stands where lists and rules expect that.
    meant: Option<Operation>,
    effects: DeclaredEffects,
    effect: Effect,
    content_source: Option<ContentSource>,
    time_limit: TimeLimit,
    entry: CatalogEntry,
    workspace: Workspace,
    runner: Arc<dyn ForeignRunner>,
}

impl ForeignTool {
    pub(crate) fn new(
        definition: ForeignDefinition,
        dialect: &'static Dialect,
        workspace: &Workspace,
        runner: Arc<dyn ForeignRunner>,
    ) -> Result<Self, ToolError> {
        definition.check()?;
        let params = definition.params()?;
        let meant = dialect.operation_named(&definition.name);
        let declared = definition.effects.clone();
        if let Some(declared) = &declared {
            declared.check(&definition.name, params.schema())?;
        }
        let effect = declared
            .as_ref()
            .and_then(DeclaredEffects::effect)
            .or_else(|| definition.annotations.effect())
            .unwrap_or(Effect::Unknown);
        let effects = declared.unwrap_or_else(|| DeclaredEffects::supposed(meant, params.schema()));
        Ok(Self {
            name: definition.name.as_str().into(),
            rule_name: definition
                .rule_name
                .as_ref()
                .unwrap_or(&definition.name)
                .as_str()
                .into(),
            has_own_check: definition.has_own_check,
            has_own_question: definition.has_own_question,
            meant,
            content_source: definition.result_content_source,
            time_limit: definition.timeout_ms.map_or(TimeLimit::Pipeline, |millis| {
                TimeLimit::After(Duration::from_millis(millis))
            }),
            entry: definition.entry(&params, effect, dialect.id.name()),
            params,
            effects,
            effect,
            workspace: workspace.clone(),
            runner,
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The name by which rules know it.
    pub(crate) fn rule_name(&self) -> &str {
        &self.rule_name
    }

    pub(crate) fn meant(&self) -> Option<Operation> {
        self.meant
    }

    /// Where its results come from, as far as the host has said.
    pub(crate) fn content_source(&self) -> Option<ContentSource> {
        self.content_source
    }

    /// Whether nobody else may change its files while it runs. What the host did not say it changes, it may have
    /// another tool change.
    pub(crate) fn is_exclusive(&self) -> bool {
        self.effects.are_declared()
    }

    pub(crate) fn entry(&self) -> &CatalogEntry {
        &self.entry
    }

    pub(crate) fn notices(&self) -> &[String] {
        self.params.notices()
    }

    /// Repairs parameters and checks them against the schema.
    pub(crate) fn decode(&self, params: Value) -> Result<Decoded, Vec<Issue>> {
        self.params.decode(params)
    }

    /// Parameters that the host has checked itself: repaired, or with what it has found.
    pub(crate) fn taken(&self, params: Value, issues: Vec<Issue>) -> Result<Decoded, Vec<Issue>> {
        if self.has_own_check && !issues.is_empty() {
            return Err(issues);
        }
        self.repair(params)
    }

    /// Repairs parameters; those that the host checks itself are not checked here.
    pub(crate) fn repair(&self, params: Value) -> Result<Decoded, Vec<Issue>> {
        if self.has_own_check {
            Ok(self.params.repair(params))
        } else {
            self.params.decode(params)
        }
    }

    /// The same, and has the host check what it checks itself.
    pub(crate) async fn checked(
        &self,
        params: Value,
        id: &str,
        ticket: u32,
    ) -> Result<Result<Decoded, Vec<Issue>>, ToolError> {
        let mut decoded = match self.repair(params) {
            Ok(decoded) if self.has_own_check => decoded,
            settled => return Ok(settled),
        };
        let call = self.call(std::mem::take(&mut decoded.wire), id, ticket);
        Ok(self.runner.check(call).await?.map(|checked| {
            decoded.params = checked.clone().into();
            decoded.wire = checked;
            decoded
        }))
    }

    /// What the host wants to have asked before this call.
    pub(crate) async fn question(
        &self,
        params: &Value,
        id: &str,
        ticket: u32,
    ) -> Result<Option<OwnQuestion>, ToolError> {
        if !self.has_own_question {
            return Ok(None);
        }
        let call = self.call(params.clone(), id, ticket);
        let answer = self.runner.question(call).await?;
        Ok(OwnQuestion::read(&answer))
    }

    /// Makes a call ready. What it will touch is what the host declared that its parameters name.
    pub(crate) fn prepare(
        self: &Arc<Self>,
        params: Value,
    ) -> Result<Box<dyn PreparedCall>, ToolError> {
        let mut access = self.effects.access(&params, &self.workspace)?;
        if self.rule_name.starts_with("mcp__") {
            access.arguments = ArgumentClaim::all_of(&params);
        }
        Ok(Box::new(Prepared {
            tool: self.clone(),
            params,
            access,
        }))
    }

    fn call(&self, params: Value, id: &str, ticket: u32) -> ForeignCall {
        ForeignCall {
            tool: self.name.to_string(),
            id: id.to_owned(),
            ticket,
            params,
        }
    }
}

/// A call of a foreign tool that was not run yet.
struct Prepared {
    tool: Arc<ForeignTool>,
    params: Value,
    access: Access,
}

impl PreparedCall for Prepared {
    fn access(&self) -> &Access {
        &self.access
    }

    fn effect(&self) -> Effect {
        self.tool.effect
    }

    fn time_limit(&self) -> TimeLimit {
        self.tool.time_limit
    }

    /// Nobody knows whether it would ever come to an end.
    fn settles(&self) -> bool {
        false
    }

    fn run(self: Box<Self>, context: ToolContext) -> RunFuture {
        let Self { tool, params, .. } = *self;
        Box::pin(async move {
            let call = tool.call(params, context.call_id(), context.ticket());
            let answer = tool.runner.run(call, context).await?;
            Ok(Box::new(answer) as Box<dyn Output>)
        })
    }
}

pub(crate) fn render(output: Box<dyn Output>) -> Result<Outcome, ToolError> {
    let output: Box<dyn std::any::Any> = output;
    let output = output.downcast::<ForeignOutput>().map_err(|_| {
        ToolError::internal("a foreign tool answered with the output of an operation")
    })?;
    let ForeignOutput { content, details } = *output;
    Ok(Outcome {
        content,
        details: details.into(),
        changes: Vec::new(),
    })
}

/// A registration that cannot be taken.
pub(crate) fn unusable(tool: &str, message: impl Into<String>) -> ToolError {
    ToolError::new(ErrorCode::InvalidParams, message).with("tool", tool)
}

#[cfg(test)]
mod tests;
