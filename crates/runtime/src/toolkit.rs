//! The tools of one dialect over one workspace, with policy, history and running processes.

mod agents;
mod judging;
mod living;
mod mcp;
mod opening;
mod simulating;
mod sources;
mod stream;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;
use tenon_browser::Browsers;
use tenon_canvas::{Canvases, Document};
use tenon_contract::{CancellationToken, ErrorCode, Operation, Outcome, ToolError, limits};
use tenon_cron::Engine;
use tenon_dialects::{Issue, SentParams};
use tenon_lsp::LanguageServers;
use tenon_policy::{Exposure, Lint};
use tenon_process::{CommandSessions, Openers, ProcessOptions, Processes};
use tenon_sessions::Member;
use tenon_state::SessionRecords;
use tenon_tools::{FileSession, SearchSettings, in_any_case};
use tenon_workspace::{Journal, JournalOptions, Recovered, Workspace, recover};

pub use self::judging::Explanation;
pub(crate) use self::living::Living;
use self::opening::{exposure, only, open};
use crate::agents::{Child, changes_of_runs};
use crate::budget::Budget;
use crate::call_request::CallRequest;
use crate::catalog::CatalogEntry;
use crate::exposure::unknown_names;
use crate::history::{History, HistoryEntry};
use crate::host_callbacks::HostCallbacks;
use crate::judge::{Judge, engine, lints, narrowing_engines};
use crate::kept_changes::{ChangesPlace, keeper};
use crate::mcp::Mcp;
use crate::options::Within;
use crate::options::{BrowserOption, Options, TaintOption, ToolOptions, UndoOption};
use crate::pipeline::{Parts, Pipeline};
use crate::redaction::Redaction;
use crate::registry::{Defaults, Registry, operations};
use crate::selection::Selection;
use crate::service::Request;
use crate::session::Session;
use crate::store_files::FileUse;
use crate::streams::Streams;
use crate::taint::Taint;
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
    sessions: CommandSessions,
    processes: Processes,
    browsers: Browsers,
    servers: LanguageServers,
    searches: SearchSettings,
    journal: Journal,
    /// What the toolkits of sub-agents have from this one.
    own: OwnSession,
    /// Fires scheduled jobs.
    jobs: Option<Arc<Engine>>,
    canvases: Option<Canvases>,
    mcp: Mcp,
    closed: CancellationToken,
}

/// What is known of a toolkit before its parts are made.
struct Opening {
    exposure: Exposure,
    /// The lists of settings that narrow those of the options.
    narrower: Vec<ToolOptions>,
    notices: Vec<String>,
}

/// What tools work with.
struct ToolServices {
    files: FileSession,
    processes: Processes,
    servers: LanguageServers,
    web: Web,
    own: Session,
    selection: Selection,
    living: Living,
    edits: bool,
    defaults: Defaults,
}

impl ToolServices {
    fn new(
        options: &Options,
        callbacks: &HostCallbacks,
        workspace: &Workspace,
        opening: &mut Opening,
        child: Option<&Child>,
    ) -> Result<Self, ToolError> {
        let Opening {
            exposure,
            narrower,
            notices,
        } = opening;
        let exposure = &*exposure;
        let dialect = options.dialect.dialect();
        let all = Child::selection(child, options)?;
        let asks = |operation| all.exposes(operation, exposure);
        let processes = processes_of(options, callbacks, asks);
        let redaction = redaction_of(options, workspace, child)?;
        if let Some(redaction) = &redaction {
            processes.guard_outputs(Arc::new(redaction.clone()));
        }
        let servers = language_servers(options, workspace, &processes);
        notices.extend(hints(&servers, dialect.reports_languages, asks));
        let web = Web::new(options, callbacks)?;
        let own = Session::new(
            options, narrower, callbacks, workspace, &processes, child, notices,
        )?;
        let journal = journal_of(options, workspace, &own, child);
        let files = FileSession::new(workspace.clone(), journal, options.edit_rules());
        let shows_pages = own.canvas.is_some();
        let selection = all.clone().hiding(options, &web, callbacks, shows_pages);
        own.report_waiting(selection.exposes(Operation::Subagents, exposure));
        let tree = (child, redaction);
        let living = Living::new(options, callbacks, &own, &processes, workspace, tree);
        own.streams.enter(&living.events, &selection);
        let adopts = asks(Operation::Process);
        let mut commands = options.commands(adopts, workspace, &web)?;
        commands.redactor = living
            .redaction
            .as_ref()
            .map(|found| found.redactor().clone());
        let mut defaults = Defaults::new(commands, &options.searches(workspace)?);
        defaults.plan = Some(living.plan_exit(&selection, asks(Operation::ExitPlan)));
        Ok(Self {
            defaults,
            edits: asks(Operation::Edit),
            files,
            processes,
            servers,
            web,
            own,
            selection,
            living,
        })
    }
}

/// What takes secrets out of results: one for a tree of agents.
fn redaction_of(
    options: &Options,
    workspace: &Workspace,
    child: Option<&Child>,
) -> Result<Option<Redaction>, ToolError> {
    let session = options.session.id.as_deref();
    match child {
        Some(child) => Ok(child.redaction.clone()),
        None => Redaction::new(options.redact.as_ref(), workspace.root(), session),
    }
}

/// What of the session is needed after the tools were made.
struct OwnSession {
    member: Option<Member>,
    records: SessionRecords,
    streams: Streams,
    is_kept: bool,
    /// Where old contents of files are kept beyond the toolkit, if they are.
    place: Option<ChangesPlace>,
    /// Whether the journal is that of another toolkit, which closes it.
    is_child: bool,
    /// The file of the store, closed with the last toolkit that uses it.
    file: Option<FileUse>,
}

impl Inner {
    fn lock_notices(&self) -> MutexGuard<'_, Vec<String>> {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner)
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
    /// A workspace that is no directory, lists that do not compile.
    pub fn new(options: Options, callbacks: HostCallbacks) -> Result<Self, ToolError> {
        let workspace = open(&options)?;
        let recovered = recover(&workspace);
        Self::over(workspace, options, callbacks, &recovered)
    }

    /// The toolkit of a workspace that is on another machine: it judges calls and checks parameters by their texts alone, see
    /// [`refuses`](Self::refuses). Nothing of this machine is looked at.
    ///
    /// # Errors
    /// Lists that do not compile.
    pub fn elsewhere(options: Options, callbacks: HostCallbacks) -> Result<Self, ToolError> {
        let workspace = Workspace::elsewhere(&options.workspace, &options.additional_directories);
        Self::over(workspace, options, callbacks, &[])
    }

    fn over(
        workspace: Workspace,
        mut options: Options,
        callbacks: HostCallbacks,
        recovered: &[Recovered],
    ) -> Result<Self, ToolError> {
        let merged = crate::settings::apply(&mut options, &workspace)?;
        let mut notices = merged.notices;
        notices.extend(recovered.iter().map(Recovered::sentence));
        let exposure = exposure(&options, &merged.narrower)?;
        notices.extend(unknown_names(
            &exposure,
            &options.custom_tools,
            options.dialect.dialect(),
        ));
        let opening = Opening {
            exposure,
            narrower: merged.narrower,
            notices,
        };
        Self::opened(options, callbacks, workspace, opening, None)
    }

    /// A toolkit over an open workspace; `child` where it is that of a sub-agent.
    fn opened(
        options: Options,
        callbacks: HostCallbacks,
        workspace: Workspace,
        mut opening: Opening,
        child: Option<&Child>,
    ) -> Result<Self, ToolError> {
        let (dialect, host_browser) = (options.dialect.dialect(), callbacks.browser.clone());
        let is_hosted = host_browser.is_some();
        let services = ToolServices::new(&options, &callbacks, &workspace, &mut opening, child)?;
        let (exposure, mut notices) = (opening.exposure, opening.notices);
        let (living, mut own) = (services.living, services.own);
        let (mut web, defaults, edits) = (services.web, services.defaults, services.edits);
        let (files, processes, servers) = (services.files, services.processes, services.servers);
        let (has_approver, events) = (living.approvals.has_approver(), &living.events);
        let mcp = Mcp::new(&callbacks, &processes, &workspace, &web.reach, events);
        let (kept, jobs) = (OwnSession::new(&own, child.is_some()), own.engine());
        let canvases = own.canvas.as_ref().map(|canvas| canvas.canvases.clone());
        let (searches, sessions) = (defaults.searches.clone(), living.observed(&defaults));
        let engine = engine(&options, &exposure, has_approver, &workspace, &mut notices)?;
        let browsers = web.with_browser(&options, &engine, &processes, &workspace, host_browser)?;
        own.share_browser(is_hosted.then_some(&browsers));
        let tools = operations(&files, &processes, &servers, defaults, web, edits, own);
        let others = narrowing_engines(&options, &exposure, &workspace)?;
        let (selection, agents) = (services.selection, options.agent_kinds());
        let modes = || living.modes.clone();
        let registry = Registry::new(dialect, selection, &tools, exposure, agents, modes());
        notices.extend(registry.emptiness(&options.custom_tools));
        let judge = Judge::new(engine, workspace, modes()).narrowed_by(others);
        let parts = Parts {
            registry: Arc::new(registry),
            judge: Arc::new(remembering(judge, &options, &kept, child)),
            living: living.clone(),
            diagnostics: options.lsp.after_edits(&servers),
            time_limit: options.time_limit(),
            budget: Budget::new(options.limits.max_tokens.map(Within::get), &processes),
        };
        Ok(Self {
            inner: Arc::new(Inner {
                pipeline: Pipeline::new(&parts),
                registry: parts.registry,
                judge: parts.judge,
                living,
                options,
                has_approver,
                notices: Mutex::new(notices),
                sessions,
                processes,
                browsers,
                servers,
                searches,
                journal: files.journal,
                own: kept,
                jobs,
                canvases,
                mcp,
                closed: CancellationToken::new(),
            }),
        })
    }

    /// The tools that this agent may see, in the dialect's order.
    #[must_use]
    pub fn catalog(&self) -> Vec<CatalogEntry> {
        self.inner.registry.catalog()
    }

    /// What is no use once it is closed.
    pub(crate) fn require_open(&self) -> Result<(), ToolError> {
        if self.inner.closed.is_cancelled() {
            return Err(ToolError::new(
                ErrorCode::Cancelled,
                "The toolkit is closed. Create a new one.",
            ));
        }
        Ok(())
    }

    /// Sends one call through the pipeline.
    ///
    /// # Errors
    /// Every way in which a call can fail, reported for the model.
    pub async fn call(&self, call: CallRequest) -> Result<Outcome, ToolError> {
        self.require_open()?;
        let cancellation = call.cancellation.clone();
        let member = self.inner.own.member.as_ref();
        crate::agents::before(member)?;
        // In a box: the layers are types within types, deeper than the compiler follows for those who hold a call in theirs.
        let mut work = Box::pin(self.inner.pipeline.call(Request::new(call)));
        let answer = tokio::select! {
            biased;
            answer = &mut work => answer,
            () = self.inner.closed.cancelled() => {
                cancellation.cancel();
                work.await
            }
        };
        crate::agents::after(member, answer).await
    }

    /// Whether parameters would be taken; runs nothing.
    #[must_use]
    pub fn validate(&self, tool: &str, params: impl Into<SentParams>) -> Validation {
        let issues = match self.inner.registry.find(tool) {
            Ok(tool) => tool.decode(params.into()).err(),
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

    /// The calls behind the first so many, newest last, and how many there were by now: for a host that keeps a copy of the history.
    #[must_use]
    pub fn history_after(&self, seen: u64) -> (Vec<HistoryEntry>, u64) {
        self.inner.living.history.entries_after(seen)
    }

    /// Aborts what runs, ends every process, removes the files that hold command output, and waits
    /// for it. Later calls are refused.
    ///
    /// # Errors
    /// When those files could not be removed. Everything is ended all the same.
    pub async fn close(&self) -> Result<(), ToolError> {
        // Calls end first, so that none of them reports a stop that is only the end of the toolkit.
        self.inner.closed.cancel();
        if let Some(jobs) = self.inner.jobs.clone() {
            // Anyone who ends it waits for a thread.
            let ended = in_any_case(move || jobs.close()).await;
            ended.map_err(ToolError::internal)?;
        }
        self.close_agents().await;
        self.end_canvases();
        let forgotten = self.close_journal().await;
        self.inner.searches.index.close();
        self.inner.browsers.close().await;
        self.inner.servers.close().await;
        self.inner.mcp.close().await;
        self.inner.living.history.stored().await;
        let ended = self.inner.processes.close().await;
        self.end_of_stream().await;
        if let Some(file) = &self.inner.own.file {
            file.end().await;
        }
        self.workspace().release();
        ended?;
        forgotten.map_err(|error| {
            let message =
                format!("The content kept for checkpoints could not be removed: {error}.");
            ToolError::new(ErrorCode::Io, message).caused_by(error)
        })
    }

    /// What is to outlive the toolkit is kept before.
    async fn close_journal(&self) -> std::io::Result<()> {
        if self.inner.own.is_child {
            return Ok(());
        }
        let journal = self.inner.journal.clone();
        let work = in_any_case(move || {
            // The keeper has said what it could not keep.
            let _ = journal.flush();
            journal.close()
        });
        work.await.map_err(std::io::Error::other)?
    }

    /// Ends every process at once without waiting, for the moment in which the host exits.
    pub fn end_now(&self) {
        self.inner.closed.cancel();
        if let Some(jobs) = &self.inner.jobs {
            jobs.end_now();
        }
        self.end_agents();
        self.end_canvases();
        self.inner.searches.index.close();
        self.inner.processes.end_now();
        self.inner.living.events.close();
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

    /// Holds the text of a file as an editor has it: until it is released, the file is edited in this text.
    ///
    /// # Errors
    /// A path that leads nowhere or outside.
    pub fn hold_draft(&self, path: &str, text: &str) -> Result<(), ToolError> {
        Ok(self.workspace().hold_draft(path, text)?)
    }

    /// Lets go of such a text, and returns it where it was changed.
    ///
    /// # Errors
    /// A path that leads nowhere or outside.
    pub fn release_draft(&self, path: &str) -> Result<Option<String>, ToolError> {
        let draft = self.workspace().release_draft(path)?;
        Ok(draft.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    pub(crate) fn mcp_servers(&self) -> &Mcp {
        &self.inner.mcp
    }

    /// What the session keeps.
    pub(crate) fn records(&self) -> &SessionRecords {
        &self.inner.own.records
    }

    /// Where old contents of files are kept beyond the toolkit, if they are.
    pub(crate) fn place_of_changes(&self) -> Option<&ChangesPlace> {
        self.inner.own.place.as_ref()
    }

    /// Its place in a tree of agents.
    pub(crate) fn member(&self) -> Option<&Member> {
        self.inner.own.member.as_ref()
    }

    /// What the toolkit of a sub-agent has from this one.
    pub(crate) fn child_of(&self, member: Member) -> Result<Child, ToolError> {
        let mut exposure = self.inner.registry.exposure().clone();
        let agents = &self.inner.options.agents;
        let kind = agents.iter().find(|kind| kind.name == member.row().agent);
        if let Some(tools) = kind.and_then(|kind| kind.tools.as_ref()) {
            exposure = exposure.narrowed_by(only(&self.inner.options, tools)?);
        }
        let journal = match member.control() {
            Some(control) => self.inner.journal.of_run(&control.run),
            None => self.inner.journal.clone(),
        };
        Ok(Child {
            member,
            store: self.inner.own.records.store(),
            is_kept: self.inner.own.is_kept,
            journal,
            approvals: self.inner.living.approvals.clone(),
            modes: self.modes().clone(),
            events: self.inner.living.events.clone(),
            redaction: self.inner.living.redaction.clone(),
            streams: self.inner.own.streams.clone(),
            taint: self.inner.judge.taint().cloned(),
            exposure,
        })
    }

    /// The options of a sub-agent: those of this toolkit, its settings merged in, for another session. It has no jobs,
    /// no record (the file is that of this toolkit), and a browser profile of its own: a named one is for one browser.
    pub(crate) fn options_of(&self, member: &Member) -> Options {
        let mut options = self.inner.options.clone();
        options.settings = None;
        options.session.id = Some(member.id().to_owned());
        options.cron = None;
        options.record = None;
        if let Some(BrowserOption::Object(browser)) = &mut options.browser {
            browser.profile = None;
        }
        options
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

    /// Whether the first step of a call, in which paths are followed, may wait for another machine.
    #[must_use]
    pub fn may_hang(&self) -> bool {
        self.workspace().may_hang()
    }

    /// The layers that every call passes, outermost first.
    #[must_use]
    pub fn layers(&self) -> Vec<&'static str> {
        self.inner.pipeline.layers()
    }
}

impl OwnSession {
    fn new(session: &Session, is_child: bool) -> Self {
        Self {
            member: session.member.clone(),
            records: session.records.clone(),
            streams: session.streams.clone(),
            is_kept: session.kept().is_some(),
            place: session.place.clone(),
            is_child,
            file: session.file.clone(),
        }
    }
}

/// The judge with one memory of what was read for a tree, where the options or a rule ask for it.
fn remembering(judge: Judge, options: &Options, own: &OwnSession, child: Option<&Child>) -> Judge {
    let of_tree = child.and_then(|child| child.taint.clone());
    let records = TaintOption::records(options.taint) || judge.depends_on_sources();
    let new = || Taint::new(own.records.clone(), own.is_kept, judge.workspace());
    let taint = of_tree.or_else(|| records.then(new));
    judge.remembering(taint)
}

/// One journal for a tree.
fn journal_of(
    options: &Options,
    workspace: &Workspace,
    own: &Session,
    child: Option<&Child>,
) -> Journal {
    if let Some(child) = child {
        return child.journal.clone();
    }
    let journal = root_journal(options, workspace, own);
    if let Some(member) = &own.member {
        member.engine().know_changes(changes_of_runs(&journal));
    }
    journal
}

/// That of the first session of a tree.
fn root_journal(options: &Options, workspace: &Workspace, own: &Session) -> Journal {
    let place = own.place.clone();
    let max_bytes = place
        .as_ref()
        .map_or(limits::JOURNAL_MAX_BYTES, ChangesPlace::max_bytes);
    let Some(settings) = UndoOption::journal(options.undo, max_bytes) else {
        return Journal::new(JournalOptions::default());
    };
    match place {
        Some(place) => {
            let keeper = keeper(own.records.clone(), place, settings.max_age);
            Journal::kept_by(keeper, workspace.clone(), settings)
        }
        None => Journal::new(settings),
    }
}

impl Child {
    /// The toolkit of the sub-agent.
    pub(crate) fn opened(
        &self,
        options: Options,
        mut callbacks: HostCallbacks,
    ) -> Result<Toolkit, ToolError> {
        let workspace = open(&options)?;
        // A switch of the mode holds for the whole tree; jobs are those of its first session.
        callbacks.modes = Some(self.modes.clone());
        callbacks.on_cron = None;
        let opening = Opening {
            exposure: self.exposure.clone(),
            narrower: Vec::new(),
            notices: Vec::new(),
        };
        Toolkit::opened(options, callbacks, workspace, opening, Some(self))
    }
}

/// The processes of a toolkit in which `asks` says which operations are exposed.
fn processes_of(
    options: &Options,
    callbacks: &HostCallbacks,
    asks: impl Fn(Operation) -> bool,
) -> Processes {
    Processes::new(ProcessOptions {
        helper: callbacks.helper.clone(),
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
    reports_languages: bool,
    asks: impl Fn(Operation) -> bool,
) -> Vec<String> {
    let wanted = asks(Operation::Lsp) || asks(Operation::Diagnostics);
    let hints = wanted.then(|| servers.hints(reports_languages));
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
