//! The servers of one toolkit: found, started on demand, shared, watched, ended.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, join_all};
use tenon_contract::limits;
use tenon_process::Processes;
use tenon_workspace::{Located, Workspace};
use tokio::task::AbortHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::error::StartError;
use crate::freshness::disk::Disk;
use crate::options::LspOptions;
use crate::server::capabilities::Feature;
use crate::server::roots::root_of;
use crate::server::session::ServerSession;
use crate::server::start::Launch;
use crate::server::stderr::StandardError;
use crate::server::unavailable::Unavailable;
use crate::servers::{Role, ServerSpec, presets};

/// How a server that has just been started registers what it can only later.
const REGISTRATION_WAIT: Duration = Duration::from_millis(1_000);

/// The language servers of one toolkit. Cheap to clone; clones are the same.
///
/// A server is started when it is first needed, once for all files of its kind in one project directory, and ended when
/// it was not needed for a while, with [`close`](Self::close), or with the last clone.
#[derive(Clone)]
pub struct LanguageServers(Arc<Inner>);

struct Inner {
    workspace: Workspace,
    processes: Processes,
    specs: Vec<Arc<ServerSpec>>,
    options: LspOptions,
    disk: Arc<Disk>,
    slots: Mutex<HashMap<(String, PathBuf), Slot>>,
    closed: CancellationToken,
}

/// A failed start, and what the server complained about.
type Failure = (StartError, Option<String>);
type Starting = Shared<BoxFuture<'static, Result<Arc<ServerSession>, Failure>>>;

/// The place of one server in one directory.
#[derive(Default)]
struct Slot {
    /// When it was started, within the time that counts.
    starts: VecDeque<Instant>,
    current: Option<(Starting, AbortHandle)>,
    /// What it wrote on its standard error, in its present life or in its last one.
    stderr: StandardError,
}

/// The servers of the table, made once per process.
fn shared_presets(trusted: bool) -> &'static [Arc<ServerSpec>] {
    static PRESETS: [OnceLock<Vec<Arc<ServerSpec>>>; 2] = [const { OnceLock::new() }; 2];
    let [untrusted, with_trust] = &PRESETS;
    let presets_of = if trusted { with_trust } else { untrusted };
    presets_of.get_or_init(|| presets(trusted).into_iter().map(Arc::new).collect())
}

impl LanguageServers {
    /// Knows the servers of the table and those of the host. Starts nothing and looks at nothing.
    #[must_use]
    pub fn new(workspace: Workspace, processes: Processes, options: LspOptions) -> Self {
        let custom: Vec<ServerSpec> = options
            .servers
            .iter()
            .map(|(language, server)| server.clone().into_spec(language, options.trusted))
            .collect();
        let named: Vec<String> = options
            .servers
            .iter()
            .map(|(language, _)| crate::language_named(language))
            .collect();
        let table = shared_presets(options.trusted)
            .iter()
            .filter(|spec| !named.contains(&spec.language))
            .cloned();
        let specs = custom.into_iter().map(Arc::new).chain(table).collect();
        Self(Arc::new(Inner {
            disk: Arc::new(Disk::new(workspace.clone())),
            workspace,
            processes,
            specs,
            options,
            slots: Mutex::default(),
            closed: CancellationToken::new(),
        }))
    }

    /// The workspace that they work in.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.0.workspace
    }

    /// The servers for a file of this name, in the order in which they are tried.
    #[must_use]
    pub fn servers_for(&self, file_name: &str) -> Vec<Arc<ServerSpec>> {
        self.0
            .specs
            .iter()
            .filter(|spec| spec.handles(file_name))
            .cloned()
            .collect()
    }

    /// Whether programs and settings of the workspace may be run.
    #[must_use]
    pub fn trusts_workspace(&self) -> bool {
        self.0.options.trusted
    }

    /// Every server that is known.
    #[must_use]
    pub fn servers(&self) -> &[Arc<ServerSpec>] {
        &self.0.specs
    }

    /// Where the program of a server lies, if it is installed. A program that lies in the workspace counts only if the
    /// workspace is trusted.
    #[must_use]
    pub fn program(&self, spec: &ServerSpec) -> Option<PathBuf> {
        let inner = &self.0;
        let find = |name: &Path| {
            let roots: Vec<&Path> = inner.workspace.roots().collect();
            inner.processes.find_program(name, |real| {
                !inner.options.trusted && roots.iter().any(|root| real.starts_with(root))
            })
        };
        let command = Path::new(&spec.command);
        let own = |directory: &str| find(&inner.workspace.root().join(directory).join(command));
        if inner.options.trusted && command.components().count() == 1 {
            let directories = ["node_modules/.bin", ".venv/bin", "venv/bin"];
            if let Some(found) = directories.into_iter().find_map(own) {
                return Some(found);
            }
        }
        find(command)
    }

    /// The server that answers this for a file: the first that is installed, starts, and can. Starts it if need be.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn session(
        &self,
        file: &Located,
        feature: Option<Feature>,
        cancellation: &CancellationToken,
    ) -> Result<Arc<ServerSession>, Unavailable> {
        let name = file
            .target()
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let specs = self.servers_for(&name);
        let only_lints = matches!(
            feature,
            None | Some(Feature::CodeAction | Feature::PullDiagnostics)
        );
        let mut reason = Unavailable::no_language(&name);
        for spec in specs
            .iter()
            .filter(|spec| spec.role == Role::Full || only_lints)
        {
            let Some(program) = self.program(spec) else {
                reason = reason.or(Unavailable::missing(spec));
                continue;
            };
            match self.start(spec, program, file, cancellation).await {
                Ok(session) if can(&session, feature, cancellation).await => return Ok(session),
                Ok(session) => reason = reason.or(Unavailable::unsupported(&session, feature)),
                Err(Unavailable::Cancelled) => return Err(Unavailable::Cancelled),
                Err(failed) => reason = reason.or(failed),
            }
        }
        Err(reason)
    }

    /// The linters that the host named for a file beside the server that answers everything else, as far as they are
    /// installed and start.
    pub(crate) async fn linters(
        &self,
        file: &Located,
        cancellation: &CancellationToken,
    ) -> Vec<Arc<ServerSession>> {
        let name = file
            .target()
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let mut sessions = Vec::new();
        for spec in self
            .servers_for(&name)
            .iter()
            .filter(|spec| spec.role == Role::Linter && spec.is_configured)
        {
            if let Some(program) = self.program(spec)
                && let Ok(session) = self.start(spec, program, file, cancellation).await
            {
                sessions.push(session);
            }
        }
        sessions
    }

    /// The running server of this kind for this file; started when there is none. Calls at the same time share a start,
    /// which goes on when one of them is aborted.
    async fn start(
        &self,
        spec: &Arc<ServerSpec>,
        program: PathBuf,
        file: &Located,
        cancellation: &CancellationToken,
    ) -> Result<Arc<ServerSession>, Unavailable> {
        let (rule, place) = (spec.root, file.clone());
        let root = tokio::task::spawn_blocking(move || root_of(rule, &place)).await;
        let root = root.map_err(|_| Unavailable::Cancelled)?;
        let failed = |(error, complaint)| Unavailable::failed(spec, error, complaint);
        let (starting, stderr) = self.0.starting(spec, program, root).map_err(failed)?;
        let limit = limits::LSP_ANSWER_TIMEOUT;
        tokio::select! {
            biased;
            () = cancellation.cancelled() => Err(Unavailable::Cancelled),
            started = starting => started.map_err(failed),
            // It goes on starting: the next call may find it ready.
            () = tokio::time::sleep(limit) => {
                let seconds = limit.as_secs();
                Err(failed((StartError::Slow { seconds }, stderr.last_words())))
            }
        }
    }

    /// The servers that run now, by name and directory.
    #[must_use]
    pub fn running(&self) -> Vec<Arc<ServerSession>> {
        self.0.sessions()
    }

    /// Ends all servers and waits for it. None is started afterwards.
    pub async fn close(&self) {
        self.0.closed.cancel();
        let slots: Vec<Slot> = self.0.lock().drain().map(|(_, slot)| slot).collect();
        let ending = slots.into_iter().filter_map(|slot| slot.current).map(end);
        join_all(ending).await;
    }
}

/// Ends a server, or its start, which hears of the closing itself and leaves no process behind.
async fn end((starting, task): (Starting, AbortHandle)) {
    match tokio::time::timeout(limits::LSP_SHUTDOWN_TIMEOUT, starting).await {
        Ok(Ok(session)) => session.shut_down().await,
        Ok(Err(_)) => {}
        Err(_) => task.abort(),
    }
}

/// Whether a server can be asked for this; one that was just started may say so a moment later.
async fn can(
    session: &ServerSession,
    feature: Option<Feature>,
    cancellation: &CancellationToken,
) -> bool {
    // Findings come unasked from most.
    let Some(feature) = feature.filter(|feature| *feature != Feature::PullDiagnostics) else {
        return true;
    };
    if session.has(feature) {
        return true;
    }
    let mut registrations = session.server_state.registrations();
    let registered =
        async { while !session.has(feature) && registrations.changed().await.is_ok() {} };
    let left = REGISTRATION_WAIT.saturating_sub(session.started.elapsed());
    tokio::select! {
        () = cancellation.cancelled() => {}
        _ = tokio::time::timeout(left, registered) => {}
    }
    session.has(feature)
}

impl Inner {
    fn starting(
        self: &Arc<Self>,
        spec: &Arc<ServerSpec>,
        program: PathBuf,
        root: PathBuf,
    ) -> Result<(Starting, StandardError), Failure> {
        if self.closed.is_cancelled() {
            return Err((StartError::Closed, None));
        }
        let mut slots = self.lock();
        let slot = slots.entry((spec.name.clone(), root.clone())).or_default();
        if let Some((starting, _)) = &slot.current {
            match starting.peek() {
                None => return Ok((starting.clone(), slot.stderr.clone())),
                Some(Ok(session)) if session.is_alive() => {
                    return Ok((starting.clone(), slot.stderr.clone()));
                }
                Some(_) => slot.current = None,
            }
        }
        let now = Instant::now();
        slot.starts
            .retain(|start| now.duration_since(*start) < limits::LSP_START_WINDOW);
        if slot.starts.len() >= limits::LSP_STARTS_MAX {
            let error = StartError::TooOften {
                starts: slot.starts.len(),
                minutes: limits::LSP_START_WINDOW.as_secs() / 60,
            };
            return Err((error, slot.stderr.last_words()));
        }
        slot.starts.push_back(now);
        slot.stderr = StandardError::default();
        let launch = Launch {
            spec: Arc::clone(spec),
            program,
            root,
            processes: self.processes.clone(),
            disk: Arc::clone(&self.disk),
            stderr: slot.stderr.clone(),
            closed: self.closed.clone(),
        };
        let task = tokio::spawn(started(launch, self.options.idle, self.closed.clone()));
        let abort = task.abort_handle();
        let starting = task
            .map(|joined| match joined {
                Ok(started) => started,
                // It was aborted because everything is closed, or the runtime goes.
                Err(_) => Err((StartError::Closed, None)),
            })
            .boxed()
            .shared();
        slot.current = Some((starting.clone(), abort));
        Ok((starting, slot.stderr.clone()))
    }

    /// Those that can be spoken with.
    fn sessions(&self) -> Vec<Arc<ServerSession>> {
        let mut sessions = self.known();
        sessions.retain(|session| session.is_alive());
        sessions
    }

    /// Those whose process may still be there as well.
    fn known(&self) -> Vec<Arc<ServerSession>> {
        let slots = self.lock();
        let current = slots.values().filter_map(|slot| slot.current.as_ref());
        current
            .filter_map(|(starting, _)| starting.peek()?.as_ref().ok().cloned())
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(String, PathBuf), Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks at the files that a server registers for while it runs.
async fn watch_registered(
    session: Weak<ServerSession>,
    mut registrations: tokio::sync::watch::Receiver<u64>,
) {
    // Some register before anyone listens.
    registrations.mark_changed();
    while registrations.changed().await.is_ok() {
        let Some(session) = session.upgrade() else {
            return;
        };
        session.begin_to_watch().await;
    }
}

/// A server that runs, is watched, and ends when it is idle.
async fn started(
    launch: Launch,
    idle: Duration,
    closed: CancellationToken,
) -> Result<Arc<ServerSession>, Failure> {
    let session = Arc::new(launch.start().await?);
    tokio::spawn(end_when_idle(Arc::downgrade(&session), idle, closed));
    let registrations = session.server_state.registrations();
    tokio::spawn(watch_registered(Arc::downgrade(&session), registrations));
    Ok(session)
}

/// Ends a server that nobody asks any more. The next question starts it again.
async fn end_when_idle(session: Weak<ServerSession>, idle: Duration, closed: CancellationToken) {
    loop {
        let Some(rest) = session
            .upgrade()
            .map(|session| idle.saturating_sub(session.idle_for()))
        else {
            return;
        };
        if rest.is_zero() {
            if let Some(session) = session.upgrade() {
                session.shut_down().await;
            }
            return;
        }
        tokio::select! {
            () = closed.cancelled() => return,
            () = tokio::time::sleep(rest) => {}
        }
    }
}

impl std::fmt::Debug for LanguageServers {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("LanguageServers")
            .field("servers", &self.0.specs.len())
            .finish_non_exhaustive()
    }
}
