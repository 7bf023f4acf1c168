//! Names and what they stand for.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use tenon_contract::{AnyTool, ErrorCode, Operation, Outcome, Output, PreparedCall, ToolError};
use tenon_dialects::{Decoded, Dialect, Issue, ToolBinding, operation_named};
use tenon_policy::{Exposure, Refusal};
use tenon_process::{Processes, Sessions};
use tenon_tools::{
    Delete, Edit, Execute, ExecuteDefaults, Find, GitStatus, Grep, List, NotebookEdit, Patch,
    Process, Read, Write,
};
use tenon_workspace::{Journal, Workspace};

use crate::catalog::CatalogEntry;

/// The operations, each once.
pub type Tools = HashMap<Operation, Arc<dyn AnyTool>>;

/// THE list: every operation over its services.
#[must_use]
pub fn operations(
    workspace: &Workspace,
    journal: &Journal,
    processes: &Processes,
    commands: ExecuteDefaults,
) -> Tools {
    let sessions = Sessions::default();
    let all: [Arc<dyn AnyTool>; 12] = [
        Arc::new(Read::new(workspace.clone())),
        Arc::new(Write::new(workspace.clone(), journal.clone())),
        Arc::new(Edit::new(workspace.clone(), journal.clone())),
        Arc::new(Patch::new(workspace.clone(), journal.clone())),
        Arc::new(NotebookEdit::new(workspace.clone(), journal.clone())),
        Arc::new(Delete::new(workspace.clone(), journal.clone())),
        Arc::new(List::new(workspace.clone())),
        Arc::new(Find::new(workspace.clone())),
        Arc::new(Grep::new(workspace.clone())),
        Arc::new(GitStatus::new(workspace.clone(), processes.clone())),
        Arc::new(Execute::new(
            workspace.clone(),
            processes.clone(),
            sessions.clone(),
            commands,
        )),
        Arc::new(Process::new(workspace.clone(), sessions)),
    ];
    all.into_iter()
        .map(|tool| (tool.operation(), tool))
        .collect()
}

/// One tool under the name that the model uses.
pub(crate) struct RegisteredTool {
    binding: &'static ToolBinding,
    tool: Arc<dyn AnyTool>,
}

impl RegisteredTool {
    pub(crate) fn name(&self) -> &'static str {
        self.binding.name
    }

    pub(crate) fn operation(&self) -> Operation {
        self.binding.operation
    }

    pub(crate) fn decode(&self, params: Value) -> Result<Decoded, Vec<Issue>> {
        self.binding.decode(params)
    }

    /// Repairs, validates and prepares; runs nothing.
    pub(crate) fn prepare(
        &self,
        params: Value,
    ) -> Result<(Box<dyn PreparedCall>, Decoded), ToolError> {
        let mut decoded = self
            .decode(params)
            .map_err(|issues| invalid(self.name(), &issues))?;
        let params = std::mem::take(&mut decoded.params);
        Ok((self.tool.clone().prepare(params)?, decoded))
    }

    pub(crate) fn tell(&self, output: Box<dyn Output>) -> Result<Outcome, ToolError> {
        self.binding.tell(output)
    }

    pub(crate) fn entry(&self, dialect: &'static str) -> CatalogEntry {
        CatalogEntry::new(self.binding, dialect)
    }
}

/// All faults in one sentence each, and as data.
fn invalid(tool: &str, issues: &[Issue]) -> ToolError {
    let faults: Vec<String> = issues
        .iter()
        .map(|issue| {
            if issue.param.is_empty() {
                issue.message.clone()
            } else {
                format!("`{}`: {}", issue.param, issue.message)
            }
        })
        .collect();
    let message = format!(
        "The parameters of `{tool}` are not valid. {} Correct them and call again.",
        faults.join(" ")
    );
    let errors = serde_json::to_value(issues).unwrap_or_default();
    ToolError::new(ErrorCode::InvalidParams, message).with("errors", errors)
}

/// The tools of one dialect, and which of them this agent may see.
pub(crate) struct Registry {
    dialect: &'static str,
    order: Vec<Arc<RegisteredTool>>,
    by_name: HashMap<&'static str, Arc<RegisteredTool>>,
    exposure: Exposure,
}

/// Whether the agent gets a tool for this operation.
pub(crate) fn exposes(
    dialect: &Dialect,
    level: Option<u8>,
    exposure: &Exposure,
    operation: Operation,
) -> bool {
    dialect.tools.iter().any(|binding| {
        binding.operation == operation
            && within(binding, level)
            && exposure.refusal(binding.name, operation).is_none()
    })
}

/// Whether the tool belongs to the levels up to this one; companions belong to none.
fn within(binding: &ToolBinding, level: Option<u8>) -> bool {
    level.is_none_or(|level| (1..=level).contains(&binding.level))
}

impl Registry {
    /// The tools of `dialect` up to `level` whose operation exists.
    pub(crate) fn new(
        dialect: &'static Dialect,
        level: Option<u8>,
        tools: &Tools,
        exposure: Exposure,
    ) -> Self {
        let order: Vec<Arc<RegisteredTool>> = dialect
            .tools
            .iter()
            .filter(|binding| within(binding, level))
            .filter_map(|binding| {
                let tool = tools.get(&binding.operation)?.clone();
                Some(Arc::new(RegisteredTool { binding, tool }))
            })
            .collect();
        let by_name = order
            .iter()
            .map(|tool| (tool.name(), tool.clone()))
            .collect();
        Self {
            dialect: dialect.id.name(),
            order,
            by_name,
            exposure,
        }
    }

    /// The tool of this name, exposed or not.
    pub(crate) fn find(&self, name: &str) -> Result<Arc<RegisteredTool>, ToolError> {
        self.by_name
            .get(name)
            .cloned()
            .ok_or_else(|| self.unknown(name))
    }

    pub(crate) fn refusal(&self, tool: &RegisteredTool) -> Option<Refusal> {
        self.exposure.refusal(tool.name(), tool.operation())
    }

    pub(crate) fn catalog(&self) -> Vec<CatalogEntry> {
        let exposed = self
            .order
            .iter()
            .filter(|tool| self.refusal(tool).is_none());
        exposed.map(|tool| tool.entry(self.dialect)).collect()
    }

    fn unknown(&self, name: &str) -> ToolError {
        let shown: Vec<&str> = self
            .order
            .iter()
            .filter(|tool| self.refusal(tool).is_none())
            .map(|tool| tool.name())
            .collect();
        let same = operation_named(name)
            .and_then(|operation| self.order.iter().find(|tool| tool.operation() == operation));
        let advice = match same {
            Some(tool) => format!("Here it is called `{}`.", tool.name()),
            None => format!(
                "Known are {}.",
                shown
                    .iter()
                    .map(|name| format!("`{name}`"))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        };
        let shown_name: String = name.chars().take(80).collect();
        ToolError::new(
            ErrorCode::UnknownTool,
            format!("unknown tool `{shown_name}`. {advice}"),
        )
        .with("tools", shown)
    }
}
