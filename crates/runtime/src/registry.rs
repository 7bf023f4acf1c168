//! Names and what they stand for.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use indexmap::IndexMap;
use serde_json::Value;
use tenon_contract::{
    AnyTool, ErrorCode, Names, Operation, Outcome, Output, PreparedCall, ToolError,
};
use tenon_dialects::{Decoded, Dialect, Issue, ToolBinding, nearest};
use tenon_lsp::LanguageServers;
use tenon_policy::{Exposure, Refusal};
use tenon_process::{Processes, Sessions};
use tenon_tools::{
    AskUser, Delete, Diagnostics, Edit, Execute, ExecuteDefaults, FileSession, Find, GitStatus,
    Grep, List, Lsp, NotebookEdit, Outputs, Patch, Process, Read, RunTests, SearchSettings, Skill,
    Task, TodoRead, TodoWrite, WebFetch, WebRequest, WebSearch, Write,
};

use crate::approval::OwnQuestion;
use crate::catalog::CatalogEntry;
use crate::foreign::{self, ForeignTool};
use crate::session::Session;
use crate::web::Web;

/// The operations, each once.
pub type Tools = HashMap<Operation, Arc<dyn AnyTool>>;

/// What holds for calls that do not say otherwise.
#[derive(Debug, Clone)]
pub struct Defaults {
    /// Of commands.
    pub commands: ExecuteDefaults,
    /// Of searches.
    pub searches: SearchSettings,
}

impl Defaults {
    /// These of commands and those of searches.
    #[must_use]
    pub fn new(commands: ExecuteDefaults, searches: &SearchSettings) -> Self {
        Self {
            commands,
            searches: searches.clone(),
        }
    }
}

/// THE list: every operation over its services.
#[must_use]
pub fn operations(
    session: &FileSession,
    processes: &Processes,
    servers: &LanguageServers,
    defaults: Defaults,
    web: Web,
    may_edit: bool,
    own: Session,
) -> Tools {
    let workspace = &session.workspace;
    let sessions = Sessions::default();
    let outputs = Outputs::new(processes.clone());
    let all: [Arc<dyn AnyTool>; 23] = [
        Arc::new(Read::new(session, outputs.clone())),
        Arc::new(Write::new(session.clone())),
        Arc::new(Edit::new(session.clone())),
        Arc::new(Patch::new(session.clone())),
        Arc::new(NotebookEdit::new(session.clone())),
        Arc::new(Delete::new(session.clone())),
        Arc::new(List::new(workspace.clone())),
        Arc::new(Find::new(workspace.clone(), defaults.searches.clone())),
        Arc::new(Grep::new(
            workspace.clone(),
            defaults.searches.clone(),
            outputs,
        )),
        Arc::new(GitStatus::new(workspace.clone(), processes.clone())),
        Arc::new(RunTests::new(
            session,
            processes.clone(),
            defaults.commands.clone(),
        )),
        Arc::new(Execute::new(
            session,
            processes.clone(),
            sessions.clone(),
            defaults.commands,
        )),
        Arc::new(Diagnostics::new(servers.clone(), processes.clone())),
        Arc::new(Lsp::new(servers.clone(), session.clone(), may_edit)),
        Arc::new(Process::new(workspace.clone(), sessions)),
        Arc::new(WebFetch::new(web.fetcher.clone(), web.summariser)),
        Arc::new(WebRequest::new(web.fetcher)),
        Arc::new(WebSearch::new(web.searcher)),
        Arc::new(TodoRead::new(own.records.clone())),
        Arc::new(TodoWrite::new(own.records)),
        Arc::new(Skill::new(own.skills)),
        Arc::new(Task::new(own.run_agent)),
        Arc::new(AskUser::new(own.ask_user)),
    ];
    all.into_iter()
        .map(|tool| (tool.operation(), tool))
        .collect()
}

/// One tool under the name that the model uses.
pub(crate) enum RegisteredTool {
    /// An operation as a dialect shows it.
    Bound {
        binding: &'static ToolBinding,
        tool: Arc<dyn AnyTool>,
    },
    /// A tool of the host.
    Foreign(Arc<ForeignTool>),
}

impl RegisteredTool {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Bound { binding, .. } => binding.name,
            Self::Foreign(tool) => tool.name(),
        }
    }

    /// The capability that rules take it for.
    pub(crate) fn operation(&self) -> Operation {
        match self {
            Self::Bound { binding, .. } => binding.operation,
            Self::Foreign(tool) => tool.meant().unwrap_or(Operation::Foreign),
        }
    }

    /// Repairs and validates by the schema.
    pub(crate) fn decode(&self, params: Value) -> Result<Decoded, Vec<Issue>> {
        match self {
            Self::Bound { binding, .. } => binding.decode(params),
            Self::Foreign(tool) => tool.decode(params),
        }
    }

    /// Repairs and validates, as far as that is done here.
    pub(crate) fn repaired(&self, params: Value) -> Result<Decoded, ToolError> {
        let decoded = match self {
            Self::Bound { binding, .. } => binding.decode(params),
            Self::Foreign(tool) => tool.repair(params),
        };
        decoded.map_err(|issues| invalid(self.name(), &issues))
    }

    /// Repairs and validates, wherever that is done.
    pub(crate) async fn checked(
        &self,
        params: Value,
        id: &str,
        ticket: u32,
    ) -> Result<Decoded, ToolError> {
        match self {
            Self::Bound { .. } => self.repaired(params),
            Self::Foreign(tool) => {
                let checked = tool.checked(params, id, ticket).await?;
                checked.map_err(|issues| invalid(self.name(), &issues))
            }
        }
    }

    /// Prepares what was decoded.
    pub(crate) fn ready(&self, decoded: &mut Decoded) -> Result<Box<dyn PreparedCall>, ToolError> {
        let params = std::mem::take(&mut decoded.params);
        match self {
            Self::Bound { tool, .. } => tool.clone().prepare(params),
            Self::Foreign(tool) => tool.prepare(params),
        }
        .map_err(|error| self.explain(error))
    }

    /// Repairs, validates and prepares; runs nothing.
    pub(crate) fn prepare(
        &self,
        params: Value,
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
            Self::Bound { .. } => Ok(None),
            Self::Foreign(tool) => tool.question(params, id, ticket).await,
        }
    }

    /// Whether calls hold the files that they say they change for themselves.
    pub(crate) fn is_exclusive(&self) -> bool {
        match self {
            Self::Bound { .. } => true,
            Self::Foreign(tool) => tool.is_exclusive(),
        }
    }

    pub(crate) fn tell(&self, output: Box<dyn Output>) -> Result<Outcome, ToolError> {
        match self {
            Self::Bound { binding, .. } => binding.tell(output),
            Self::Foreign(_) => foreign::tell(output),
        }
    }

    /// The error with its advice in the words of the dialect.
    pub(crate) fn explain(&self, error: ToolError) -> ToolError {
        error.told(self)
    }

    pub(crate) fn entry(&self, dialect: &'static str) -> CatalogEntry {
        match self {
            Self::Bound { binding, .. } => CatalogEntry::new(binding, dialect),
            Self::Foreign(tool) => tool.entry().clone(),
        }
    }
}

impl Names for RegisteredTool {
    fn tool(&self, _: Operation) -> Option<&str> {
        None
    }

    fn parameter<'n>(&'n self, field: &'n str) -> Option<&'n str> {
        match self {
            Self::Bound { binding, .. } => binding.name_of(field),
            Self::Foreign(_) => None,
        }
    }
}

/// All faults in one sentence each, and as data.
fn invalid(tool: &str, issues: &[Issue]) -> ToolError {
    let faults: Vec<String> = issues
        .iter()
        .map(|issue| {
            // A message that names its parameter is a sentence by itself.
            let name = format!("`{}`", issue.param);
            if issue.param.is_empty() || issue.message.contains(&name) {
                issue.message.clone()
            } else {
                format!("{name}: {}", issue.message)
            }
        })
        .collect();
    let message = format!("Invalid parameters for `{tool}`: {}", faults.join(" "));
    let errors = serde_json::to_value(issues).unwrap_or_default();
    ToolError::new(ErrorCode::InvalidParams, message).with("errors", errors)
}

/// The tools of one dialect and of the host, and which of them this agent may see.
pub(crate) struct Registry {
    dialect: &'static Dialect,
    /// In the order in which they are shown.
    tools: RwLock<IndexMap<String, Arc<RegisteredTool>>>,
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
        let bound = dialect
            .tools
            .iter()
            .filter(|binding| within(binding, level))
            .filter_map(|binding| {
                let tool = tools.get(&binding.operation)?.clone();
                let tool = RegisteredTool::Bound { binding, tool };
                Some((binding.name.to_owned(), Arc::new(tool)))
            })
            .collect();
        Self {
            dialect,
            tools: RwLock::new(bound),
            exposure,
        }
    }

    pub(crate) fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    pub(crate) const fn exposure(&self) -> &Exposure {
        &self.exposure
    }

    /// Enters a tool of the host, in the place of one of the same name. Whether there was one.
    pub(crate) fn enter(&self, tool: ForeignTool) -> (Arc<RegisteredTool>, bool) {
        let name = tool.name().to_owned();
        let tool = Arc::new(RegisteredTool::Foreign(Arc::new(tool)));
        let before = self.write().insert(name, tool.clone());
        (tool, before.is_some())
    }

    /// Takes a tool out. Whether there was one.
    pub(crate) fn remove(&self, name: &str) -> bool {
        self.write().shift_remove(name).is_some()
    }

    /// The tool of this name, exposed or not.
    pub(crate) fn find(&self, name: &str) -> Result<Arc<RegisteredTool>, ToolError> {
        let known = self.read().get(name).cloned();
        known.ok_or_else(|| self.unknown(name))
    }

    pub(crate) fn refusal(&self, tool: &RegisteredTool) -> Option<Refusal> {
        match tool {
            RegisteredTool::Bound { binding, .. } => {
                self.exposure.refusal(binding.name, binding.operation)
            }
            RegisteredTool::Foreign(tool) => {
                self.exposure.refusal_of_foreign(tool.name(), tool.meant())
            }
        }
    }

    /// The tool as hosts see it, if this agent may.
    pub(crate) fn shown(&self, tool: &RegisteredTool) -> Option<CatalogEntry> {
        let is_exposed = self.refusal(tool).is_none();
        is_exposed.then(|| tool.entry(self.dialect.id.name()))
    }

    pub(crate) fn catalog(&self) -> Vec<CatalogEntry> {
        let tools = self.read();
        tools.values().filter_map(|tool| self.shown(tool)).collect()
    }

    fn unknown(&self, name: &str) -> ToolError {
        let tools = self.read();
        let exposed = tools.values().filter(|tool| self.refusal(tool).is_none());
        let shown: Vec<&str> = exposed.map(|tool| tool.name()).collect();
        let same = self
            .dialect
            .operation_named(name)
            .and_then(|operation| tools.values().find(|tool| tool.operation() == operation));
        let available = || {
            let names: Vec<String> = shown.iter().map(|name| format!("`{name}`")).collect();
            match names.as_slice() {
                [] => "No tool is available.".to_owned(),
                names => format!("Available: {}.", names.join(", ")),
            }
        };
        let advice = match (same, nearest(name, &shown)) {
            (Some(tool), _) => format!("Here it is called `{}`.", tool.name()),
            (None, Some(near)) => format!("Did you mean `{near}`? {}", available()),
            (None, None) => available(),
        };
        let shown_name: String = name.chars().take(80).collect();
        let message = format!("unknown tool `{shown_name}`. {advice}");
        ToolError::new(ErrorCode::UnknownTool, message).with("tools", shown)
    }

    fn read(&self) -> RwLockReadGuard<'_, IndexMap<String, Arc<RegisteredTool>>> {
        self.tools.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, IndexMap<String, Arc<RegisteredTool>>> {
        self.tools.write().unwrap_or_else(PoisonError::into_inner)
    }
}
