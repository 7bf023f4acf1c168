//! The tools of one dialect over one workspace, with policy, history and running processes.

mod judging;
mod living;
mod opening;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tenon_browser::Browsers;
use tenon_canvas::{Canvases, Document};
use tenon_contract::{CancellationToken, ErrorCode, Operation, Outcome, ToolError};
use tenon_cron::Engine;
use tenon_dialects::Issue;
use tenon_lsp::LanguageServers;
use tenon_policy::Lint;
use tenon_process::{Openers, ProcessOptions, Processes, Sessions};
use tenon_tools::{FileSession, SearchSettings};
use tenon_workspace::{Journal, JournalOptions, Recovered, Workspace, recover};

pub use self::judging::Explanation;
pub(crate) use self::living::Living;
use self::opening::{exposure, open};
use crate::catalog::CatalogEntry;
use crate::exposure::unknown_names;
use crate::history::{History, HistoryEntry};
use crate::judge::{Judge, engine, lints, narrowing_engines};
use crate::options::Options;
use crate::pipeline::{Parts, Pipeline};
use crate::ports::Ports;
use crate::registry::{Defaults, Registry, operations};
use crate::selection::Selection;
use crate::service::{Record, Request, Updates};
use crate::session::Session;
use crate::web::Web;

/// The tools of one dialect over one workspace. Cheap to clone; the last clone ends what still runs.
#[derive(Clone)]
pub struct Toolkit {
    inner: Arc<Inner>,
}

struct Inner {
    registry: Arc<Registry>,
    pipeline: Pipeline,
    judge: Arc<Judge>,
    living: Living,
    /// As given, with the settings merged in.
    options: Options,
    has_approver: bool,
    notices: Mutex<Vec<String>>,
    sessions: Sessions,
    processes: Processes,
    browsers: Browsers,
    servers: LanguageServers,
    searches: SearchSettings,
    journal: Journal,
    /// Fires scheduled jobs.
    jobs: Option<Arc<Engine>>,
    canvases: Option<Canvases>,
    closed: CancellationToken,
}

impl Inner {
    fn lock_notices(&self) -> MutexGuard<'_, Vec<String>> {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One call.
pub struct CallRequest {
    /// The tool, as the dialect names it.
    pub tool: String,
    /// The caller's id of the call; opaque.
    pub id: Arc<str>,
    /// The number by which the host knows the call that it makes; told to what the host runs for it.
    pub ticket: u32,
    /// Its parameters, as the model sent them.
    pub params: Value,
    /// Aborts the call.
    pub cancellation: CancellationToken,
    /// Whether the host makes it by itself, not for a model: an *ask* is then skipped, a denial never. Only for skills.
    pub automatic: bool,
    /// The digest of an approval that somebody gave before, see [`ApprovalRequest`](crate::ApprovalRequest): an *ask* about exactly that
    /// is answered by it. A denial stays one.
    pub approved: Option<Arc<str>>,
    /// Hears partial answers.
    pub updates: Option<Arc<dyn Updates>>,
}

impl CallRequest {
    /// A call without listener that nobody aborts.
    #[must_use]
    pub fn new(tool: impl Into<String>, params: Value) -> Self {
        Self {
            tool: tool.into(),
            id: Arc::from(""),
            ticket: 0,
            params,
            cancellation: CancellationToken::new(),
            automatic: false,
            approved: None,
            updates: None,
        }
    }
}

/// Whether parameters would be taken.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Validation {
    /// Whether they would.
    pub valid: bool,
    /// Every fault, when they would not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<Issue>>,
}

impl Toolkit {
    /// Opens the workspace, finishes or undoes what a process that died left half done in it, and compiles the lists.
    /// Starts nothing.
    ///
    /// # Errors
    /// A workspace that is no folder, lists that do not compile.
    pub fn new(mut options: Options, ports: Ports) -> Result<Self, ToolError> {
        let workspace = open(&options)?;
        let merged = crate::settings::apply(&mut options, &workspace)?;
        let mut notices = merged.notices;
        notices.extend(recover(&workspace).iter().map(Recovered::sentence));
        let dialect = options.dialect.dialect();
        let exposure = exposure(&options, &merged.narrower)?;
        notices.extend(unknown_names(&exposure, &options.custom_tools, dialect));
        let selection = Selection::new(dialect, options.level, &options.tools)?;
        let shown = selection.clone();
        let asks = |operation| shown.exposes(operation, &exposure);
        let processes = processes_of(&options, &ports, asks);
        let servers = language_servers(&options, &workspace, &processes);
        notices.extend(hints(&servers, dialect.tells_languages, asks));
        let journal = Journal::new(JournalOptions::default());
        let session = FileSession::new(workspace.clone(), journal.clone(), options.edit_rules());
        let mut web = Web::new(&options, &ports)?;
        let (adopts, edits) = (asks(Operation::Process), asks(Operation::Edit));
        let own = Session::new(
            &options,
            &merged.narrower,
            &ports,
            &workspace,
            &processes,
            &mut notices,
        )?;
        let canvases = own.canvas.as_ref().map(|canvas| canvas.canvases.clone());
        let selection = selection.hiding(&options, &web, &ports, canvases.is_some());
        let jobs = own.engine();
        let living = Living::new(&options, &ports, &own, &processes, &workspace);
        let searches = options.searches();
        let mut defaults = Defaults::new(options.commands(adopts, &workspace, &web)?, &searches);
        defaults.plan = Some(living.plan_exit(&selection, asks(Operation::ExitPlan)));
        let sessions = living.observed(&defaults);
        let has_approver = living.approvals.has_approver();
        let engine = engine(&options, &exposure, has_approver, &workspace, &mut notices)?;
        let browsers = web.with_browser(&options, &engine, &processes, &workspace)?;
        let tools = operations(&session, &processes, &servers, defaults, web, edits, own);
        let others = narrowing_engines(&options, &exposure, &workspace)?;
        let (agents, modes) = (options.agent_kinds(), || living.modes.clone());
        let registry = Registry::new(dialect, selection, &tools, exposure, agents, modes());
        let registry = Arc::new(registry);
        notices.extend(registry.emptiness(&options.custom_tools));
        let judge = Judge::new(engine, workspace, modes()).narrowed_by(others);
        let judge = Arc::new(judge);
        let pipeline = Pipeline::new(&Parts {
            registry: registry.clone(),
            judge: judge.clone(),
            living: living.clone(),
            aftermath: options.lsp.aftermath(&servers),
            time_limit: options.time_limit(),
        });
        Ok(Self {
            inner: Arc::new(Inner {
                registry,
                pipeline,
                judge,
                living,
                options,
                has_approver,
                notices: Mutex::new(notices),
                sessions,
                processes,
                browsers,
                servers,
                searches,
                journal,
                jobs,
                canvases,
                closed: CancellationToken::new(),
            }),
        })
    }

    /// The tools that this agent may see, in the dialect's order.
    #[must_use]
    pub fn catalog(&self) -> Vec<CatalogEntry> {
        self.inner.registry.catalog()
    }

    /// Sends one call through the pipeline.
    ///
    /// # Errors
    /// Every way in which a call can fail, told for the model.
    pub async fn call(&self, call: CallRequest) -> Result<Outcome, ToolError> {
        let CallRequest {
            tool,
            id,
            ticket,
            params,
            cancellation,
            automatic,
            approved,
            updates,
        } = call;
        if self.inner.closed.is_cancelled() {
            return Err(ToolError::new(
                ErrorCode::Cancelled,
                "The toolkit is closed. Create a new one.",
            ));
        }
        let request = Request {
            tool,
            id,
            ticket,
            params,
            cancellation: cancellation.clone(),
            automatic,
            granted: approved,
            updates,
            record: Arc::new(Record::default()),
        };
        let work = self.inner.pipeline.call(request);
        tokio::pin!(work);
        tokio::select! {
            biased;
            answer = &mut work => return answer,
            () = self.inner.closed.cancelled() => cancellation.cancel(),
        }
        work.await
    }

    /// Whether parameters would be taken; runs nothing.
    #[must_use]
    pub fn validate(&self, tool: &str, params: Value) -> Validation {
        let issues = match self.inner.registry.find(tool) {
            Ok(tool) => tool.decode(params).err(),
            Err(unknown) => Some(vec![Issue {
                param: String::new(),
                message: unknown.message,
                code: tenon_dialects::IssueCode::ToolNotFound,
            }]),
        };
        Validation {
            valid: issues.is_none(),
            errors: issues,
        }
    }

    /// What was odd when the toolkit was made and when tools were registered, a sentence each: rules that can never
    /// decide anything or open too much, parts of settings files that were left out, changes that an earlier process
    /// left half done.
    #[must_use]
    pub fn notices(&self) -> Vec<String> {
        self.inner.lock_notices().clone()
    }

    /// Adds to what [`notices`](Self::notices) returns, each sentence once.
    pub(crate) fn notice(&self, notices: &[String]) {
        let mut known = self.inner.lock_notices();
        for notice in notices {
            if !known.contains(notice) {
                known.push(notice.clone());
            }
        }
    }

    /// Remarks on the rules: those that have no effect, are redundant, open too much, or allow a program that runs any
    /// code. All but the last are notices as well.
    #[must_use]
    pub fn lint(&self) -> Vec<Lint> {
        lints(&self.inner.options)
    }

    /// The last calls, newest last.
    #[must_use]
    pub fn history(&self) -> Vec<HistoryEntry> {
        self.inner.living.history.entries()
    }

    /// Aborts what runs, ends every process, removes the files that hold command output, and waits
    /// for it. Later calls are refused.
    ///
    /// # Errors
    /// When those files could not be removed. Everything is ended all the same.
    pub async fn close(&self) -> Result<(), ToolError> {
        self.inner.closed.cancel();
        if let Some(jobs) = self.inner.jobs.clone() {
            // Whoever ends it waits for a thread.
            let ended = tokio::task::spawn_blocking(move || jobs.close()).await;
            ended.map_err(ToolError::internal)?;
        }
        self.end_canvases();
        let forgotten = self.inner.journal.close();
        self.inner.searches.index.close();
        self.inner.browsers.close().await;
        self.inner.servers.close().await;
        self.inner.living.history.stored().await;
        let ended = self.inner.processes.close().await;
        self.end_of_stream().await;
        ended?;
        forgotten.map_err(|error| {
            let message =
                format!("The content kept for checkpoints could not be removed: {error}.");
            ToolError::new(ErrorCode::Io, message).caused_by(error)
        })
    }

    /// Ends every process at once without waiting, for the moment in which the host exits.
    pub fn end_now(&self) {
        self.inner.closed.cancel();
        if let Some(jobs) = &self.inner.jobs {
            jobs.end_now();
        }
        self.end_canvases();
        self.inner.searches.index.close();
        self.inner.processes.end_now();
        self.inner.living.events.flush();
    }

    fn end_canvases(&self) {
        if let Some(canvases) = &self.inner.canvases {
            canvases.close();
        }
    }

    /// The document of a canvas (`ui://tenon/canvas/<id>`), or the one that takes its content from the result of a call
    /// (`ui://tenon/canvas`), for a host of MCP Apps. Nothing where the agent shows no pages.
    #[must_use]
    pub fn canvas(&self, uri: &str) -> Option<Document> {
        self.inner.canvases.as_ref()?.document(uri)
    }

    /// Address and title of what is shown, the oldest first; nothing where the agent shows no pages.
    #[must_use]
    pub fn canvases(&self) -> Option<Vec<(String, String)>> {
        self.inner.canvases.as_ref().map(Canvases::documents)
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.inner.registry
    }

    pub(crate) fn workspace(&self) -> &Workspace {
        self.inner.judge.workspace()
    }

    /// The calls, in memory and in the store.
    pub(crate) fn past(&self) -> &History {
        &self.inner.living.history
    }

    pub(crate) fn journal(&self) -> &Journal {
        &self.inner.journal
    }

    /// The layers that every call passes, outermost first.
    #[must_use]
    pub fn layers(&self) -> Vec<&'static str> {
        self.inner.pipeline.layers()
    }
}

/// The processes of a toolkit in which `asks` says which operations are exposed.
fn processes_of(options: &Options, ports: &Ports, asks: impl Fn(Operation) -> bool) -> Processes {
    Processes::new(ProcessOptions {
        helper: ports.helper.clone(),
        openers: Openers {
            read: asks(Operation::Read),
            search: asks(Operation::Grep),
        },
        ..options.processes()
    })
}

/// Which language servers are missing, where the agent has tools that ask them.
fn hints(
    servers: &LanguageServers,
    tells_languages: bool,
    asks: impl Fn(Operation) -> bool,
) -> Vec<String> {
    let wanted = asks(Operation::Lsp) || asks(Operation::Diagnostics);
    let hints = wanted.then(|| servers.hints(tells_languages));
    hints.into_iter().flatten().collect()
}

fn language_servers(
    options: &Options,
    workspace: &Workspace,
    processes: &Processes,
) -> LanguageServers {
    LanguageServers::new(
        workspace.clone(),
        processes.clone(),
        options.lsp.to_options(),
    )
}

impl std::fmt::Debug for Toolkit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Toolkit").finish_non_exhaustive()
    }
}
