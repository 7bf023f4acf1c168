//! One tool of a toolkit: an operation under the name of its dialect, or a tool of the host.

use std::sync::Arc;

use serde_json::{Map, Value};
use tenon_contract::{
    AnyTool, Operation, Outcome, Output, PreparedCall, Repetition, ToolError, Unnamed,
};
use tenon_dialects::{
    Decoded, DialectId, HostFaults, Issue, SentParams, ShownTool, with_json_faults,
};
use tenon_policy::Danger;

use super::texts::invalid;
use crate::approval::OwnQuestion;
use crate::catalog::CatalogEntry;
use crate::foreign;
use crate::foreign::{ContentSource, ForeignTool};

/// One tool under the name that the model uses.
pub(crate) enum RegisteredTool {
    /// An operation as a dialect shows it.
    Bound {
        shown: ShownTool,
        is_added: bool,
        tool: Arc<dyn AnyTool>,
    },
    /// A tool of the host.
    Foreign(Arc<ForeignTool>),
}

impl RegisteredTool {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Bound { shown, .. } => shown.binding().name,
            Self::Foreign(tool) => tool.name(),
        }
    }

    /// The name by which rules know it.
    pub(crate) fn rule_name(&self) -> &str {
        match self {
            Self::Bound { shown, .. } => shown.binding().name,
            Self::Foreign(tool) => tool.rule_name(),
        }
    }

    /// The parameter for the time limit of its commands, and whether that is in seconds.
    pub(crate) fn time_limit_name(&self) -> Option<(&'static str, bool)> {
        match self {
            Self::Bound { shown, .. } => shown.binding().time_limit_name(),
            Self::Foreign(_) => None,
        }
    }

    /// The capability that rules take it for.
    pub(crate) fn operation(&self) -> Operation {
        match self {
            Self::Bound { shown, .. } => shown.binding().operation,
            Self::Foreign(tool) => tool.meant().unwrap_or(Operation::Foreign),
        }
    }

    /// Where its results come from, as far as the host has said of a tool that it brings.
    pub(crate) fn content_source(&self) -> Option<ContentSource> {
        match self {
            Self::Bound { .. } => None,
            Self::Foreign(tool) => tool.content_source(),
        }
    }

    /// What it means to make the same call once more.
    pub(crate) fn repetition(&self) -> Repetition {
        match self {
            Self::Bound { shown, .. } => shown.binding().operation.repetition(),
            Self::Foreign(tool) => tool.entry().metadata.repetition,
        }
    }

    /// Repairs and validates by the schema, or by the check of the host where it has made one. With what the host has found before:
    /// the one place where all faults of a call come together.
    pub(crate) fn decode(&self, params: SentParams) -> Result<Decoded, Vec<Issue>> {
        let SentParams { value, faults } = params;
        let HostFaults { json, check } = faults;
        let decoded = match (self, check) {
            (Self::Bound { shown, .. }, _) => shown.decode(value),
            (Self::Foreign(tool), None) => tool.decode(value),
            (Self::Foreign(tool), Some(issues)) => tool.taken(value, issues),
        };
        with_json_faults(json, decoded)
    }

    /// Repairs and validates, as far as that is done here.
    pub(crate) fn repaired(&self, params: SentParams) -> Result<Decoded, ToolError> {
        let decoded = match self {
            Self::Foreign(tool) if params.faults.is_empty() => tool.repair(params.value),
            // The check of the host never sees what JSON cannot represent: the schema has to do.
            _ => self.decode(params),
        };
        decoded.map_err(|issues| invalid(self.name(), &issues))
    }

    /// Repairs and validates, wherever that is done.
    pub(crate) async fn checked(
        &self,
        params: SentParams,
        id: &str,
        ticket: u32,
    ) -> Result<Decoded, ToolError> {
        match self {
            Self::Foreign(tool) if params.faults.is_empty() => {
                let checked = tool.checked(params.value, id, ticket).await?;
                checked.map_err(|issues| invalid(self.name(), &issues))
            }
            _ => self.repaired(params),
        }
    }

    /// Prepares what was decoded.
    pub(crate) fn ready(&self, decoded: &mut Decoded) -> Result<Box<dyn PreparedCall>, ToolError> {
        let params = std::mem::take(&mut decoded.params);
        match self {
            Self::Bound { tool, .. } => tool.clone().prepare(params),
            Self::Foreign(tool) => tool.prepare(params.into_json()),
        }
        .map_err(|error| self.explain(error))
    }

    /// Repairs, validates and prepares; runs nothing.
    pub(crate) fn prepare(
        &self,
        params: SentParams,
    ) -> Result<(Box<dyn PreparedCall>, Decoded), ToolError> {
        let mut decoded = self.repaired(params)?;
        Ok((self.ready(&mut decoded)?, decoded))
    }

    /// What a tool of the host wants to have asked before this call of it runs.
    pub(crate) async fn question(
        &self,
        params: &Value,
        id: &str,
        ticket: u32,
    ) -> Result<Option<OwnQuestion>, ToolError> {
        match self {
            Self::Bound { .. } => Ok(self.built_in_question(params)),
            Self::Foreign(tool) => tool.question(params, id, ticket).await,
        }
    }

    /// What an operation itself wants to have asked.
    pub(crate) fn built_in_question(&self, params: &Value) -> Option<OwnQuestion> {
        if self.operation() != Operation::ExitPlan {
            return None;
        }
        let plan = params.get("plan")?.clone();
        Some(OwnQuestion {
            reason: Some(
                "The agent has finished its plan and requests approval to carry it out.".to_owned(),
            ),
            danger: Some(Danger::Medium),
            preview: Map::from_iter([("plan".to_owned(), plan)]),
        })
    }

    /// Whether calls hold the files that they say they change for themselves.
    pub(crate) fn is_exclusive(&self) -> bool {
        match self {
            Self::Bound { .. } => true,
            Self::Foreign(tool) => tool.is_exclusive(),
        }
    }

    pub(crate) fn render(&self, output: Box<dyn Output>) -> Result<Outcome, ToolError> {
        match self {
            Self::Bound { shown, .. } => shown.render(output),
            Self::Foreign(_) => foreign::render(output),
        }
    }

    /// The error in the words of the dialect: parameters by their names, and only steps that lead to tools that are
    /// exposed.
    pub(crate) fn explain(&self, error: ToolError) -> ToolError {
        match self {
            Self::Bound { shown, .. } => error.reported(&shown.words()),
            Self::Foreign(_) => error.reported(&Unnamed),
        }
    }

    pub(crate) fn entry(&self, dialect: DialectId) -> CatalogEntry {
        match self {
            Self::Bound { shown, .. } => CatalogEntry::new(shown, dialect),
            Self::Foreign(tool) => tool.entry().clone(),
        }
    }
}
