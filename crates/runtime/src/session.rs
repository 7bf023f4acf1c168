//! What the tools of the session work with: its state, its skills, and the host's own parts.

use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use tenon_browser::Browsers;
use tenon_canvas::Canvases;
use tenon_contract::{ErrorCode, ToolError, limits};
use tenon_cron::Engine;
use tenon_process::Processes;
use tenon_sessions::Member;
use tenon_state::{SessionKey, SessionRecords};
use tenon_store::{MemoryStore, Store};
use tenon_tools::{
    CanvasServices, CronService, HostCallback, MemoryDirectory, MessageService, SentMessages,
    SkillDirectories,
};
use tenon_web::SystemResolver;
use tenon_workspace::{Workspace, state_directory};

use crate::agents::{self, Child};
use crate::host_callbacks::HostCallbacks;
use crate::kept_changes::ChangesPlace;
use crate::options::{Options, SessionOptions, ToolOptions};
use crate::store_files::{FILE, FileUse, file};
use crate::streams::Streams;

/// What named sessions keep in memory, for as long as the process lives: a host may make a toolkit for each turn.
static NAMED: LazyLock<Arc<MemoryStore>> = LazyLock::new(|| {
    let (most, max_bytes) = (limits::STORE_MAX_SESSIONS, limits::STORE_MEMORY_MAX_BYTES);
    Arc::new(MemoryStore::of_sessions(most, max_bytes))
});

/// The agents of named sessions in memory: their rows are found by the workspace, and go with no session.
static AGENTS: LazyLock<Arc<MemoryStore>> =
    LazyLock::new(|| Arc::new(MemoryStore::bounded(limits::STORE_MEMORY_AGENT_ROWS)));

/// Jobs that are kept in memory: none of them may be forgotten for the sake of another session.
static JOBS: LazyLock<Arc<MemoryStore>> = LazyLock::new(Arc::default);

/// What named sessions in memory have sent.
static SENT: LazyLock<Arc<MemoryStore>> =
    LazyLock::new(|| Arc::new(MemoryStore::bounded(limits::MESSAGE_ROWS_MAX)));

/// What the tools of the session work with.
pub struct Session {
    pub(crate) records: SessionRecords,
    /// Whether the session outlives its toolkit.
    is_kept: bool,
    /// Where old contents of files are kept beyond the toolkit, if they are.
    pub(crate) place: Option<ChangesPlace>,
    pub(crate) skills: SkillDirectories,
    /// The one who speaks with MCP servers, which may have skills too.
    pub(crate) skill_servers: Option<Arc<dyn HostCallback>>,
    pub(crate) ask_user: Option<Arc<dyn HostCallback>>,
    /// Its place in a tree of agents, where the host runs some.
    pub(crate) member: Option<Member>,
    /// The streams of that tree.
    pub(crate) streams: Streams,
    pub(crate) time_zone: Option<String>,
    pub(crate) messages: Option<MessageService>,
    pub(crate) cron: Option<CronService>,
    pub(crate) canvas: Option<CanvasServices>,
    /// Where notes are kept that outlive the session.
    pub(crate) memory: Option<MemoryDirectory>,
    /// The file in which sessions, jobs and agents are kept, as far as this toolkit keeps some in one.
    pub(crate) file: Option<FileUse>,
}

impl Session {
    pub(crate) fn new(
        options: &Options,
        narrower: &[ToolOptions],
        callbacks: &HostCallbacks,
        workspace: &Workspace,
        processes: &Processes,
        child: Option<&Child>,
        notices: &mut Vec<String>,
    ) -> Result<Self, ToolError> {
        let KeptSession {
            store,
            is_kept,
            notice,
            place,
        } = kept(options, callbacks, workspace, child)?;
        let is_shared_memory = is_kept
            && callbacks.store.is_none()
            && (notice.is_some() || options.session.store.as_deref() == Some("memory"));
        notices.extend(notice);
        let own_name = || format!("session_{:016x}", RandomState::new().hash_one("session"));
        let session = SessionKey {
            workspace: workspace.root().display().to_string(),
            id: options.session.id.clone().unwrap_or_else(own_name),
        };
        let member = child.map(|child| child.member.clone());
        let streams = child.map_or_else(Streams::default, |child| child.streams.clone());
        let of_agents = if is_shared_memory && child.is_none() {
            AGENTS.clone()
        } else {
            Arc::clone(&store)
        };
        let root = || agents::root(options, callbacks, &of_agents, &session, is_kept, &streams);
        let member = member.or_else(root);
        let records = SessionRecords::new(store, session, callbacks.warn.clone());
        let messages = messages(callbacks, workspace, &records, is_shared_memory);
        Ok(Self {
            records,
            messages,
            cron: crate::cron::service(options, narrower, callbacks, workspace, &streams, notices)?,
            file: child
                .is_none()
                .then(|| used_file(options, callbacks, workspace))
                .flatten(),
            is_kept,
            // Nobody can come back to a session without a name.
            place: place.filter(|_| options.session.id.is_some()),
            member,
            streams,
            time_zone: options.time_zone.clone(),
            skills: options.skills.directories(workspace)?,
            skill_servers: callbacks.mcp.clone(),
            ask_user: callbacks.ask_user.clone(),
            canvas: canvas(options, callbacks, processes)?,
            memory: options
                .memory
                .as_ref()
                .map(|memory| memory.directory(workspace)),
        })
    }
}

/// Where the session is kept: where its parent is, in the store of the host, or as the options say.
fn kept(
    options: &Options,
    callbacks: &HostCallbacks,
    workspace: &Workspace,
    child: Option<&Child>,
) -> Result<KeptSession, ToolError> {
    Ok(match (child, &callbacks.store) {
        (Some(child), _) => KeptSession {
            is_kept: child.is_kept,
            ..KeptSession::new(Arc::clone(&child.store))
        },
        (None, Some(store)) => KeptSession {
            place: Some(ChangesPlace::Store),
            ..KeptSession::new(Arc::clone(store))
        },
        (None, None) => store_of(&options.session, workspace)?,
    })
}

impl Session {
    /// Says whether the agent has a tool that waits for others.
    pub(crate) fn report_waiting(&self, can_wait: bool) {
        if let Some(member) = &self.member {
            member.set_can_wait(can_wait);
        }
    }

    /// Has pictures of canvases taken by the browser that the host brings, unless the options name a program.
    pub(crate) fn share_browser(&mut self, of_host: Option<&Browsers>) {
        if let Some(canvas) = &mut self.canvas
            && canvas.browser.executable.is_none()
        {
            canvas.browser.of_host = of_host.cloned();
        }
    }

    /// What fires scheduled jobs, where this toolkit does.
    pub(crate) fn engine(&self) -> Option<Arc<Engine>> {
        self.cron.as_ref()?.engine.clone()
    }

    /// The name of the session.
    pub(crate) fn id(&self) -> &str {
        &self.records.session().id
    }

    /// What is stored of a session that outlives its toolkit.
    pub(crate) fn kept(&self) -> Option<SessionRecords> {
        self.is_kept.then(|| self.records.clone())
    }
}

/// What sends messages, where the host does. What is sent from memory that others share is kept apart.
fn messages(
    callbacks: &HostCallbacks,
    workspace: &Workspace,
    records: &SessionRecords,
    is_shared_memory: bool,
) -> Option<MessageService> {
    callbacks.send_message.clone().map(|host| {
        let (own, name) = records.shared();
        let store = if is_shared_memory { SENT.clone() } else { own };
        MessageService {
            host,
            channels: callbacks.channels.clone(),
            workspace: workspace.clone(),
            sent: SentMessages::new(store, name),
        }
    })
}

/// What shows pages, where the options say so.
fn canvas(
    options: &Options,
    callbacks: &HostCallbacks,
    processes: &Processes,
) -> Result<Option<CanvasServices>, ToolError> {
    let Some(option) = &options.canvas else {
        return Ok(None);
    };
    let resolver = callbacks.resolver.clone();
    Ok(option.services()?.map(|(granted, browser)| CanvasServices {
        canvases: Canvases::new(granted),
        browser,
        processes: processes.clone(),
        resolver: resolver.unwrap_or_else(|| Arc::new(SystemResolver)),
        show: callbacks.show_canvas.clone(),
    }))
}

/// Where a session is kept.
struct KeptSession {
    store: Arc<dyn Store>,
    is_kept: bool,
    notice: Option<String>,
    place: Option<ChangesPlace>,
}

impl KeptSession {
    fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            is_kept: true,
            notice: None,
            place: None,
        }
    }

    /// With all named sessions of this process.
    fn in_memory() -> Self {
        Self {
            place: Some(ChangesPlace::Memory),
            ..Self::new(NAMED.clone())
        }
    }
}

/// The use of the file of the state directory, where something is kept in it.
fn used_file(
    options: &Options,
    callbacks: &HostCallbacks,
    workspace: &Workspace,
) -> Option<FileUse> {
    let SessionOptions { id, store } = &options.session;
    let named = store.as_deref();
    let keeps = id.is_some() || named.is_some() || crate::cron::is_wanted(options, callbacks);
    if !keeps || named == Some("memory") || callbacks.store.is_some() {
        return None;
    }
    let directory = state_directory(named.map(AsRef::as_ref), workspace.roots()).ok()?;
    FileUse::of(&directory.join(FILE))
}

/// The store that the options ask for. A session without a name, which nobody else can mean, goes with its toolkit
/// unless a store is named.
fn store_of(session: &SessionOptions, workspace: &Workspace) -> Result<KeptSession, ToolError> {
    let file = |directory: PathBuf| KeptSession {
        place: Some(ChangesPlace::Directory(directory.clone())),
        ..KeptSession::new(file(directory.join(FILE)))
    };
    match (session.store.as_deref(), &session.id) {
        (Some("memory"), Some(_)) => Ok(KeptSession::in_memory()),
        (Some("memory"), None) | (None, None) => Ok(KeptSession {
            is_kept: false,
            ..KeptSession::new(Arc::new(MemoryStore::default()))
        }),
        (Some(directory), _) => {
            let found = state_directory(Some(directory.as_ref()), workspace.roots());
            found.map(file).map_err(|fault| {
                let option = "options.session.store";
                ToolError::new(ErrorCode::InvalidParams, fault).with("option", option)
            })
        }
        (None, Some(_)) => Ok(match state_directory(None, workspace.roots()) {
            Ok(directory) => file(directory),
            Err(fault) => KeptSession {
                notice: Some(format!("{fault} The session is kept in memory until then.")),
                ..KeptSession::in_memory()
            },
        }),
    }
}

/// Where jobs are kept, which outlive every session: where the host says, else in the file of the state directory.
pub(crate) fn store_of_jobs(
    options: &Options,
    callbacks: &HostCallbacks,
    workspace: &Workspace,
) -> Result<(Arc<dyn Store>, Option<String>), ToolError> {
    if let Some(store) = &callbacks.store {
        return Ok((Arc::clone(store), None));
    }
    let named = SessionOptions {
        id: Some("cron".to_owned()),
        store: options.session.store.clone(),
    };
    if named.store.as_deref() == Some("memory") {
        return Ok((JOBS.clone(), None));
    }
    let kept = store_of(&named, workspace)?;
    let is_missing = kept.notice.is_some();
    let notice = kept
        .notice
        .map(|notice| notice.replace("The session is", "Scheduled jobs are"));
    let store = if is_missing { JOBS.clone() } else { kept.store };
    Ok((store, notice))
}

/// Where the agents of sessions with a name are kept: also those of the sessions in which jobs run.
pub(crate) fn store_of_agents(
    options: &Options,
    callbacks: &HostCallbacks,
    workspace: &Workspace,
) -> Result<Arc<dyn Store>, ToolError> {
    if let Some(store) = &callbacks.store {
        return Ok(Arc::clone(store));
    }
    let named = SessionOptions {
        id: Some("cron".to_owned()),
        store: options.session.store.clone(),
    };
    let kept = store_of(&named, workspace)?;
    Ok(match kept.place {
        Some(ChangesPlace::Memory) => AGENTS.clone(),
        _ => kept.store,
    })
}
