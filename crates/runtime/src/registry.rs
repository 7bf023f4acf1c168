//! Names and what they stand for.

mod native;
mod registered_tool;
mod texts;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use indexmap::IndexMap;

use tenon_contract::{AnyTool, Operation, ToolError};
use tenon_dialects::{AgentKind, Dialect, ShownTool, also_called, canonical_name};
use tenon_lsp::LanguageServers;
use tenon_policy::{Exposure, Refusal};
use tenon_process::{CommandSessions, Processes};
use tenon_tools::{
    AskUser, Browser, Canvas, Cron, Delete, Diagnostics, Edit, Execute, ExecuteDefaults, ExitPlan,
    FileSession, Find, GitStatus, Grep, List, Lsp, Memory, Message, NotebookEdit, Outputs, Patch,
    PlanGate, Process, Read, RunTests, SearchSettings, SessionStatus, SessionsHistory,
    SessionsList, SessionsSend, SessionsSpawn, Skill, Subagents, Task, TodoRead, TodoWrite,
    WebFetch, WebRequest, WebSearch, Write,
};

use crate::catalog::CatalogEntry;
use crate::foreign::ForeignTool;
use crate::mode::Modes;
use crate::selection::{Row, Selection, refusal};
use crate::service::Request;
use crate::session::Session;
use crate::web::Web;
pub(crate) use native::plain;
use native::{NATIVE, Native};
pub(crate) use registered_tool::RegisteredTool;
use texts::{nothing_exposed, unknown_tool};

/// The operations, each once.
pub type Tools = HashMap<Operation, Arc<dyn AnyTool>>;

/// What holds for calls that do not say otherwise.
#[derive(Clone)]
pub struct Defaults {
    /// Of commands.
    pub commands: ExecuteDefaults,
    /// Of searches.
    pub searches: SearchSettings,
    /// Where commands are kept that run in the background.
    pub sessions: CommandSessions,
    /// The way out of the mode `plan`.
    pub plan: Option<Arc<dyn PlanGate>>,
}

impl Defaults {
    /// These of commands and those of searches.
    #[must_use]
    pub fn new(commands: ExecuteDefaults, searches: &SearchSettings) -> Self {
        Self {
            commands,
            searches: searches.clone(),
            sessions: CommandSessions::default(),
            plan: None,
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
    let (workspace, searches) = (&session.workspace, &defaults.searches);
    let (sessions, style) = (defaults.sessions.clone(), defaults.commands.output);
    let outputs = Outputs::new(processes.clone());
    let of_agents = of_agents(&own);
    let all: [Arc<dyn AnyTool>; 28] = [
        Arc::new(Read::new(session, outputs.clone())),
        Arc::new(Write::new(session.clone())),
        Arc::new(Edit::new(session.clone())),
        Arc::new(Patch::new(session.clone())),
        Arc::new(NotebookEdit::new(session.clone())),
        Arc::new(Delete::new(session.clone())),
        Arc::new(List::new(workspace.clone())),
        Arc::new(Find::new(workspace.clone(), searches.clone())),
        Arc::new(Grep::new(workspace.clone(), searches.clone(), outputs)),
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
        Arc::new(Process::new(workspace, &sessions, style, processes)),
        Arc::new(WebFetch::new(web.fetcher.clone(), web.summariser)),
        Arc::new(WebRequest::new(web.fetcher)),
        Arc::new(WebSearch::new(web.searcher)),
        Arc::new(Browser::new(web.browser, session.clone())),
        Arc::new(TodoRead::new(own.records.clone())),
        Arc::new(TodoWrite::new(own.records.clone())),
        Arc::new(Memory::new(session.clone(), own.memory)),
        Arc::new(Skill::new(own.skills, own.skill_servers)),
        Arc::new(AskUser::new(own.ask_user)),
        Arc::new(Cron::new(own.cron)),
        Arc::new(Message::new(own.messages)),
        Arc::new(Canvas::new(workspace.clone(), own.canvas)),
        Arc::new(ExitPlan::new(defaults.plan)),
    ];
    all.into_iter()
        .chain(of_agents)
        .map(|tool| (tool.operation(), tool))
        .collect()
}

/// Those that start other agents, and those about sessions.
fn of_agents(own: &Session) -> [Arc<dyn AnyTool>; 7] {
    let member = || own.member.clone();
    let (records, zone) = (own.records.clone(), own.time_zone.clone());
    [
        Arc::new(Task::new(member())),
        Arc::new(SessionsSpawn::new(member())),
        Arc::new(SessionsSend::new(member())),
        Arc::new(Subagents::new(member())),
        Arc::new(SessionsList::new(member())),
        Arc::new(SessionsHistory::new(member())),
        Arc::new(SessionStatus::new(member(), records, zone)),
    ]
}

/// The tools of one dialect and of the host, and which of them this agent may see.
pub(crate) struct Registry {
    dialect: &'static Dialect,
    /// In the order in which they are shown.
    tools: RwLock<IndexMap<String, Arc<RegisteredTool>>>,
    exposure: Exposure,
    selection: Selection,
    agents: Vec<AgentKind>,
    modes: Modes,
    /// The operations under the names that adapters know them by.
    native: Native,
}

impl Registry {
    /// The tools of a selection whose operation exists.
    pub(crate) fn new(
        dialect: &'static Dialect,
        selection: Selection,
        tools: &Tools,
        exposure: Exposure,
        agents: Vec<AgentKind>,
        modes: Modes,
    ) -> Self {
        let is_there = |row: &Row| tools.contains_key(&row.binding.operation);
        let exposed = Arc::new(selection.exposed(&exposure, agents.clone(), is_there));
        let bound = selection
            .rows()
            .iter()
            .filter_map(|row| {
                let tool = tools.get(&row.binding.operation)?.clone();
                let tool = RegisteredTool::Bound {
                    shown: ShownTool::new(row.binding, exposed.clone()),
                    is_added: row.is_added,
                    tool,
                };
                Some((row.binding.name.to_owned(), Arc::new(tool)))
            })
            .collect();
        Self {
            dialect,
            tools: RwLock::new(bound),
            exposure,
            selection,
            agents,
            modes,
            native: Native::new(tools),
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
        let mut tools = self.write();
        let is_gone = tools.shift_remove(name).is_some();
        if is_gone {
            self.show_again(&mut tools);
        }
        is_gone
    }

    /// Makes the texts of the tools that are left, which must not name one that is gone.
    fn show_again(&self, tools: &mut IndexMap<String, Arc<RegisteredTool>>) {
        let is_left = |row: &Row| match tools.get(row.binding.name).map(Arc::as_ref) {
            Some(RegisteredTool::Bound { .. }) => true,
            Some(RegisteredTool::Foreign(_)) | None => false,
        };
        let agents = self.agents.clone();
        let exposed = Arc::new(self.selection.exposed(&self.exposure, agents, is_left));
        for entry in tools.values_mut() {
            if let RegisteredTool::Bound {
                shown,
                is_added,
                tool,
            } = entry.as_ref()
            {
                let shown_again = RegisteredTool::Bound {
                    shown: ShownTool::new(shown.binding(), exposed.clone()),
                    is_added: *is_added,
                    tool: tool.clone(),
                };
                *entry = Arc::new(shown_again);
            }
        }
    }

    /// The tool that a request names, looked for once.
    pub(crate) fn tool_of(&self, request: &mut Request) -> Result<Arc<RegisteredTool>, ToolError> {
        if let Some(found) = &request.found {
            return Ok(found.clone());
        }
        let found = self.find(&request.sent.tool)?;
        request.found = Some(found.clone());
        Ok(found)
    }

    /// The tool of this name, exposed or not.
    pub(crate) fn find(&self, name: &str) -> Result<Arc<RegisteredTool>, ToolError> {
        if let Some(operation) = name.strip_prefix(NATIVE) {
            let native = self.native(operation);
            return native.ok_or_else(|| self.unknown(operation));
        }
        let tools = self.read();
        let known = tools.get(name).cloned().or_else(|| {
            let meant = also_called(name)?;
            tools
                .values()
                .find(|tool| tool.operation() == meant)
                .cloned()
        });
        drop(tools);
        known.ok_or_else(|| self.unknown(name))
    }

    pub(crate) fn refusal(&self, tool: &RegisteredTool) -> Option<Refusal> {
        match tool {
            RegisteredTool::Bound {
                shown, is_added, ..
            } => {
                let row = Row {
                    binding: shown.binding(),
                    is_added: *is_added,
                };
                refusal(row, &self.exposure)
            }
            RegisteredTool::Foreign(tool) => {
                self.exposure.refusal_of_foreign(tool.name(), tool.meant())
            }
        }
    }

    /// The tool as hosts see it, if this agent may.
    pub(crate) fn shown(&self, tool: &RegisteredTool) -> Option<CatalogEntry> {
        self.is_shown(tool).then(|| tool.entry(self.dialect.id))
    }

    /// Whether the agent may use the tool, and can.
    fn is_shown(&self, tool: &RegisteredTool) -> bool {
        let is_hidden = match tool {
            RegisteredTool::Bound { shown, .. } => {
                let operation = shown.binding().operation;
                let is_planned = operation == Operation::ExitPlan && self.modes.are_planning();
                self.selection.hides(operation) && !is_planned
            }
            RegisteredTool::Foreign(_) => false,
        };
        !is_hidden && self.refusal(tool).is_none()
    }

    pub(crate) fn catalog(&self) -> Vec<CatalogEntry> {
        let tools = self.read();
        tools.values().filter_map(|tool| self.shown(tool)).collect()
    }

    /// That nothing is exposed, if that is so, with what was asked for. `announced` are the names of tools of the host,
    /// which are registered afterwards.
    pub(crate) fn emptiness(&self, announced: &[String]) -> Option<String> {
        let tools = self.read();
        let is_empty = announced.is_empty() && !tools.values().any(|tool| self.is_shown(tool));
        is_empty.then(|| {
            let refusals = tools.values().filter_map(|tool| self.refusal(tool));
            nothing_exposed(refusals.map(|refusal| refusal.rule))
        })
    }

    fn unknown(&self, name: &str) -> ToolError {
        let tools = self.read();
        let exposed = || tools.values().filter(|tool| self.is_shown(tool));
        let shown: Vec<&str> = exposed().map(|tool| tool.name()).collect();
        let same = self.dialect.operation_named(name).and_then(|operation| {
            let meant = canonical_name(name);
            exposed()
                .filter(|tool| tool.operation() == operation)
                .min_by_key(|tool| meant != Some(tool.name()))
        });
        unknown_tool(name, same.map(|tool| tool.name()), &shown)
    }

    fn read(&self) -> RwLockReadGuard<'_, IndexMap<String, Arc<RegisteredTool>>> {
        self.tools.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, IndexMap<String, Arc<RegisteredTool>>> {
        self.tools.write().unwrap_or_else(PoisonError::into_inner)
    }
}
