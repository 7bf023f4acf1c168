//! The engine of one tree: starts runs, and lets those wait for which there is no place.

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use futures_util::FutureExt;
use serde_json::{Value, json};
use tenon_contract::{CancellationToken, ErrorCode, FileChange, Operation, ToolError, limits};
use tenon_store::{Leaps, Store, StoreError, Watch};
use tokio::sync::{oneshot, watch};

use crate::control::{Control, ControlParts, OnUpdate};
use crate::model::{Budget, Event, Kind, Live, Message, Owner, RunRow, SessionRow, Status, Tree};
use crate::records::{Records, Transaction, fresh, millis};

/// The future of a host's answer.
pub type RunFuture = Pin<Box<dyn Future<Output = Result<Value, ToolError>> + Send>>;
/// Whether the process of a run is known to be gone.
pub type Liveness = Arc<dyn Fn(&Owner) -> bool + Send + Sync>;
/// What is wrong with a value by a JSON schema, if something is.
pub type OutputCheck = Arc<dyn Fn(&Value, &Value) -> Option<String> + Send + Sync>;
/// What is wrong with a JSON schema itself, if something is.
pub type SchemaCheck = Arc<dyn Fn(&Value) -> Option<String> + Send + Sync>;
/// The files that a run of another process has changed, as far as that is kept.
pub type ChangesOfRun =
    Arc<dyn Fn(&str) -> Pin<Box<dyn Future<Output = Vec<FileChange>> + Send>> + Send + Sync>;
/// Whether the result counts as shown, once the host has taken an event.
pub type Delivery = Pin<Box<dyn Future<Output = bool> + Send>>;
/// Called with every event.
pub type EventSink = Arc<dyn Fn(Event) -> Delivery + Send + Sync>;

/// Runs agents: the host.
pub trait Runner: Send + Sync + 'static {
    /// Runs one. `control.abort()` asks it to end; its answer is taken all the same. `on_update` takes how far it is.
    fn run(&self, request: Value, control: Arc<Control>, on_update: OnUpdate) -> RunFuture;

    /// Gives a message to a running one; whether it listens.
    fn steer(
        &self,
        run: &str,
        from: &str,
        text: &str,
    ) -> Pin<Box<dyn Future<Output = bool> + Send>>;
}

/// How many agents there may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AgentLimits {
    /// Of one tree at a time; further ones wait.
    pub max_concurrent: usize,
    /// How deep agents start further ones.
    pub max_depth: usize,
    /// Of one tree that run or wait.
    pub max_total: usize,
    /// Time limit of a run that names none.
    pub timeout: Option<Duration>,
    /// What each run may use.
    pub budget: Budget,
}

impl Default for AgentLimits {
    fn default() -> Self {
        Self {
            max_concurrent: limits::AGENTS_MAX_CONCURRENT,
            max_depth: limits::AGENTS_MAX_DEPTH,
            max_total: limits::AGENTS_MAX_TOTAL,
            timeout: None,
            budget: Budget::default(),
        }
    }
}

/// Which sessions the tools of a session see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Visibility {
    /// Its own and those below it.
    Own,
    /// All of its tree.
    #[default]
    Tree,
    /// All of its workspace.
    Workspace,
}

/// The times of leases, and how often is looked for changes by others.
#[derive(Debug, Clone, Copy)]
pub struct Lease {
    /// How often one is renewed.
    pub renewal: Duration,
    /// How long one holds.
    pub time: Duration,
    /// How long an agent whose time is over may take to end.
    pub grace: Duration,
    /// How often a tree is read again while something of it waits.
    pub poll: Duration,
    /// How often calls look for mail of other processes.
    pub mail: Duration,
}

impl Default for Lease {
    fn default() -> Self {
        Self {
            renewal: limits::AGENT_LEASE_RENEWAL,
            time: limits::AGENT_LEASE_TIME,
            grace: limits::AGENT_GRACE,
            poll: limits::AGENT_POLL_INTERVAL,
            mail: limits::AGENT_MAIL_INTERVAL,
        }
    }
}

/// What an engine works with.
pub struct EngineOptions {
    /// Where the rows are.
    pub store: Arc<dyn Store>,
    /// The workspace, by its path.
    pub workspace: String,
    /// The session at the root.
    pub root: String,
    /// Whether other processes may have rows of it.
    pub is_kept: bool,
    /// How many agents there may be.
    pub limits: AgentLimits,
    /// Which sessions are seen.
    pub visibility: Visibility,
    /// Who runs them.
    pub runner: Option<Arc<dyn Runner>>,
    /// This process; the engine adds its own name.
    pub owner: Owner,
    /// Which processes are gone.
    pub is_gone: Liveness,
    /// Checks structured output.
    pub check: OutputCheck,
    /// Checks the schemas of structured output.
    pub check_schema: SchemaCheck,
    /// Called with every event.
    pub events: Option<EventSink>,
    /// The times of leases.
    pub lease: Lease,
}

/// The engine of one tree. Cheap to clone.
#[derive(Clone)]
pub struct Engine(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) records: Records,
    pub(crate) limits: AgentLimits,
    pub(crate) visibility: Visibility,
    pub(crate) runner: Option<Arc<dyn Runner>>,
    pub(crate) owner: Owner,
    pub(crate) is_gone: Liveness,
    pub(crate) check: OutputCheck,
    pub(crate) check_schema: SchemaCheck,
    pub(crate) events: Option<EventSink>,
    pub(crate) lease: Lease,
    /// Of the clock that leases are measured by.
    pub(crate) leaps: Leaps,
    pub(crate) changes_of: OnceLock<ChangesOfRun>,
    pub(crate) is_kept: bool,
    /// The runs that this engine has started or will start.
    pub(crate) local: Mutex<HashMap<String, Arc<Control>>>,
    /// Counts what changed in the tree, as far as it is known here.
    pub(crate) changed: watch::Sender<u64>,
    /// One change at a time in this process; others are met by compare-and-swap.
    pub(crate) lock: tokio::sync::Mutex<()>,
    pub(crate) is_ticking: AtomicBool,
    /// Hears of changes by other processes while somebody here waits or runs.
    pub(crate) watch: Mutex<Weak<Watch>>,
    /// Calls of tools in the session at the root, which is no run, in this process.
    pub(crate) root_calls: AtomicU64,
    /// Questions to the host that were not taken back yet.
    pub(crate) asking: AtomicUsize,
    /// The toolkit is being closed: waiters for a run stop waiting.
    pub(crate) closing: CancellationToken,
    pub(crate) closed: CancellationToken,
}

/// What to run.
#[derive(Clone, Default)]
pub struct Spawn {
    /// The kind of agent.
    pub agent: String,
    /// What is to be done.
    pub objective: String,
    /// What it is called. Default: the agent.
    pub label: Option<String>,
    /// The name that it alone has.
    pub name: Option<String>,
    /// Its time limit; `Some(0)` for none.
    pub timeout: Option<Duration>,
    /// Whether it is given the history of its parent.
    pub fork: bool,
    /// What its `output` has to be.
    pub output_schema: Option<Value>,
    /// What the call does that asks for it.
    pub origin: Option<Operation>,
    /// The call that asks for it.
    pub call_id: Option<String>,
    /// The number of that call.
    pub ticket: u32,
    /// Hears how far it is.
    pub on_update: Option<OnUpdate>,
}

/// A run that was started or waits.
#[derive(Debug, Clone)]
pub struct Started {
    /// Its session.
    pub session: SessionRow,
    /// The run.
    pub run: String,
    /// Running or queued.
    pub status: Status,
    /// How many wait before it, from 1; nothing when it runs.
    pub position: Option<usize>,
    /// The run in this process.
    pub control: Arc<Control>,
}

impl Engine {
    /// An engine that does nothing yet, and wakes nothing.
    #[must_use]
    pub fn new(options: EngineOptions) -> Self {
        let records = Records::new(options.store, &options.workspace, &options.root);
        let owner = Owner {
            engine: fresh("e", 16),
            ..options.owner
        };
        Self(Arc::new(Inner {
            records,
            limits: options.limits,
            visibility: options.visibility,
            runner: options.runner,
            owner,
            is_gone: options.is_gone,
            check: options.check,
            check_schema: options.check_schema,
            events: options.events,
            lease: options.lease,
            leaps: Leaps::default(),
            changes_of: OnceLock::new(),
            is_kept: options.is_kept,
            root_calls: AtomicU64::new(0),
            local: Mutex::default(),
            changed: watch::Sender::new(0),
            lock: tokio::sync::Mutex::default(),
            is_ticking: AtomicBool::new(false),
            watch: Mutex::default(),
            asking: AtomicUsize::new(0),
            closing: CancellationToken::new(),
            closed: CancellationToken::new(),
        }))
    }

    /// Says where it is kept what runs have changed: of those that are lost nobody else reports it.
    pub fn know_changes(&self, changes_of: ChangesOfRun) {
        // Said once, by the toolkit at the root.
        let _ = self.0.changes_of.set(changes_of);
    }

    /// The limits that hold.
    #[must_use]
    pub fn limits(&self) -> AgentLimits {
        self.0.limits
    }

    /// Starts a session with a run, or another run of a session. `parent` is the session that asks. The caller may go
    /// away at any moment: what was started by then is stopped, since nobody knows of it.
    pub(crate) async fn start(
        &self,
        parent: &SessionRow,
        spawn: Spawn,
        session: Option<SessionRow>,
    ) -> Result<Started, ToolError> {
        let (send, started) = oneshot::channel();
        let (keep, kept) = oneshot::channel::<()>();
        let (engine, parent) = (self.clone(), parent.clone());
        tokio::spawn(async move {
            let started = engine.start_whole(&parent, spawn, session).await;
            let run = started.as_ref().ok().map(|started| started.run.clone());
            // Nobody may be there any more; the other channel says so.
            let _ = send.send(started);
            if let (Some(run), Err(_)) = (run, kept.await) {
                // What cannot be written ends with its lease.
                let _ = engine.stop_run(&run).await;
            }
        });
        let started = started
            .await
            .unwrap_or_else(|_| Err(ToolError::cancelled()));
        let _ = keep.send(());
        started
    }

    /// Starts it in a task of its own, which nobody drops half way.
    async fn start_whole(
        &self,
        parent: &SessionRow,
        spawn: Spawn,
        session: Option<SessionRow>,
    ) -> Result<Started, ToolError> {
        if self.0.closed.is_cancelled() {
            return Err(ToolError::new(
                ErrorCode::Cancelled,
                "The toolkit is closed. Create a new one.",
            ));
        }
        if session.is_none() && parent.depth >= self.0.limits.max_depth {
            return Err(self.too_deep());
        }
        self.check_schema(spawn.output_schema.as_ref())?;
        let guard = self.0.lock.lock().await;
        let mut attempt = 0;
        let (started, row) = loop {
            let prepared = self.prepare(parent, &spawn, session.clone()).await?;
            let (transaction, started, row) = prepared;
            // Known here before it is known anywhere else, so that nobody takes it for lost.
            self.local()
                .insert(started.run.clone(), Arc::clone(&started.control));
            match transaction.commit().await {
                Ok(true) => break (started, row),
                Ok(false) => {
                    self.local().remove(&started.run);
                    attempt += 1;
                    Records::pause(attempt).await.map_err(failed)?;
                }
                Err(error) => {
                    self.local().remove(&started.run);
                    return Err(failed(error));
                }
            }
        };
        let kind = if started.status == Status::Running {
            "started"
        } else {
            "queued"
        };
        // Before anybody else changes the run, and says so.
        self.emit(kind, &started.control, started.status, "");
        drop(guard);
        self.tick();
        self.bump();
        if started.status == Status::Running {
            self.drive(Arc::clone(&started.control), row, started.session.clone());
        }
        Ok(started)
    }

    /// A schema that nothing can be checked with is refused before anything runs.
    fn check_schema(&self, schema: Option<&Value>) -> Result<(), ToolError> {
        let Some(fault) = schema.and_then(|schema| (self.0.check_schema)(schema)) else {
            return Ok(());
        };
        let message = format!(
            "`outputSchema` is not a JSON Schema that a result can be checked with. {fault} Correct it, and start the agent again."
        );
        Err(ToolError::new(ErrorCode::InvalidParams, message).with("param", "outputSchema"))
    }

    /// The change that starts a run.
    async fn prepare(
        &self,
        parent: &SessionRow,
        spawn: &Spawn,
        session: Option<SessionRow>,
    ) -> Result<(Transaction<'_>, Started, RunRow), ToolError> {
        let mut transaction = self.0.records.begin().await.map_err(failed)?;
        self.reap(&mut transaction).await.map_err(failed)?;
        if transaction.tree.live.len() >= self.0.limits.max_total {
            return Err(self.too_many(&transaction.tree));
        }
        let is_new = session.is_none();
        let mut session = match session {
            Some(session) => session,
            None => self.new_session(parent, spawn, transaction.now).await?,
        };
        if is_new {
            self.enter_root(&mut transaction, parent)
                .await
                .map_err(failed)?;
        }
        let mut live = transaction.tree.live.iter();
        let is_busy = live.any(|live| live.session == session.id);
        let is_running = !is_busy
            && occupied(&transaction.tree) < self.0.limits.max_concurrent
            && transaction.tree.live.iter().all(|live| live.is_running);
        let now = transaction.now;
        let mut run = self.new_run(&session, spawn, now);
        let live = self.live(&run, &session, is_running, now);
        transaction.tree.live.push(Live {
            parent: parent.id.clone(),
            ..live
        });
        session.last_run = Some(run.id.clone());
        session.ended_at = None;
        if is_running {
            begin(
                &mut transaction.tree,
                &mut session,
                &mut run,
                &parent.id,
                now,
            );
        } else if !is_busy {
            session.status = Status::Queued;
        }
        let live = transaction.tree.live.iter();
        let waiting = live.filter(|live| !live.is_running).count();
        asked(&mut transaction, parent, &session, &run).map_err(failed)?;
        let control = Arc::new(self.control(parent, &session, &run, spawn));
        let started = Started {
            run: run.id.clone(),
            status: run.status,
            position: (!is_running).then_some(waiting),
            session,
            control,
        };
        Ok((transaction, started, run))
    }

    /// A run among those that have not ended.
    fn live(&self, run: &RunRow, session: &SessionRow, is_running: bool, now: i64) -> Live {
        Live {
            run: run.id.clone(),
            session: session.id.clone(),
            parent: String::new(),
            label: session.label.clone(),
            is_running,
            waiting: 0,
            lease_until: now + millis(self.0.lease.time),
            owner: self.0.owner.clone(),
        }
    }

    /// Writes the session at the root with the first one below it.
    async fn enter_root(
        &self,
        transaction: &mut Transaction<'_>,
        parent: &SessionRow,
    ) -> Result<(), StoreError> {
        if parent.parent.is_none() && self.0.records.session(&parent.id).await?.is_none() {
            transaction.session(parent.clone())?;
        }
        Ok(())
    }

    fn new_run(&self, session: &SessionRow, spawn: &Spawn, now: i64) -> RunRow {
        let timeout = spawn.timeout.or(self.0.limits.timeout).unwrap_or_default();
        RunRow {
            id: fresh("r", 16),
            session: session.id.clone(),
            objective: spawn.objective.clone(),
            status: Status::Queued,
            queued_at: now,
            timeout_ms: u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX),
            output_schema: spawn.output_schema.clone(),
            fork: spawn.fork,
            ..RunRow::default()
        }
    }

    fn control(
        &self,
        parent: &SessionRow,
        session: &SessionRow,
        run: &RunRow,
        spawn: &Spawn,
    ) -> Control {
        Control::new(ControlParts {
            session: session.id.clone(),
            run: run.id.clone(),
            label: session.label.clone(),
            depth: session.depth,
            agent: session.agent.clone(),
            parent: parent.id.clone(),
            origin: spawn.origin,
            call_id: spawn.call_id.clone(),
            ticket: spawn.ticket,
            budget: self.0.limits.budget,
            on_update: spawn.on_update.clone(),
        })
    }

    async fn new_session(
        &self,
        parent: &SessionRow,
        spawn: &Spawn,
        now: i64,
    ) -> Result<SessionRow, ToolError> {
        if let Some(name) = &spawn.name {
            let known = self.0.records.sessions(false).await.map_err(failed)?;
            if let Some(other) = known.iter().find(|other| other.name.as_ref() == Some(name)) {
                let message = format!(
                    "`{name}` is the name of another session, `{}` (\"{}\"). Choose another name, or send it a message.",
                    other.id, other.label
                );
                return Err(ToolError::new(ErrorCode::InvalidParams, message)
                    .with("sessionId", other.id.as_str()));
            }
        }
        let label = spawn.label.clone().or_else(|| spawn.name.clone());
        Ok(SessionRow {
            id: fresh("s", 12),
            kind: Kind::Agent,
            agent: spawn.agent.clone(),
            label: label.unwrap_or_else(|| spawn.agent.clone()),
            name: spawn.name.clone(),
            parent: Some(parent.id.clone()),
            root: self.0.records.root().to_owned(),
            depth: parent.depth + 1,
            created_at: now,
            ..SessionRow::default()
        })
    }

    /// Starts those that wait, as long as there is a place and the next one is of this engine.
    pub(crate) async fn promote(&self) -> Result<(), StoreError> {
        let mut attempt = 0;
        while !self.0.closed.is_cancelled() {
            let guard = self.0.lock.lock().await;
            let mut transaction = self.0.records.begin().await?;
            let lost = self.reap(&mut transaction).await?;
            let mut started = Vec::new();
            while let Some(index) = self.next(&transaction.tree) {
                let Some(control) = self.own(&transaction.tree, index) else {
                    break;
                };
                let Some(next) = self.promoted(&mut transaction, index, &control).await? else {
                    break;
                };
                started.push((control, next));
            }
            if lost.is_empty() && started.is_empty() {
                return Ok(());
            }
            if !transaction.commit().await? {
                drop(guard);
                attempt += 1;
                Records::pause(attempt).await?;
                continue;
            }
            for (control, _) in &started {
                self.emit("started", control, Status::Running, "");
            }
            drop(guard);
            self.report_lost(lost);
            for (control, (run, session)) in started {
                self.drive(control, run, session);
            }
            self.bump();
        }
        Ok(())
    }

    async fn promoted(
        &self,
        transaction: &mut Transaction<'_>,
        index: usize,
        control: &Control,
    ) -> Result<Option<(RunRow, SessionRow)>, StoreError> {
        let records = &self.0.records;
        let (run, session) = (
            records.run(&control.run).await?,
            records.session(&control.session).await?,
        );
        let (Some(mut run), Some(mut session)) = (run, session) else {
            // Somebody has emptied the store: there is nothing left to run.
            transaction.tree.live.remove(index);
            return Ok(None);
        };
        let now = transaction.now;
        if let Some(live) = transaction.tree.live.get_mut(index) {
            live.is_running = true;
        }
        begin(
            &mut transaction.tree,
            &mut session,
            &mut run,
            &control.parent,
            now,
        );
        transaction.run(&run)?;
        transaction.session(session.clone())?;
        note(
            transaction,
            &control.parent,
            &session,
            &run,
            Status::Running,
        )?;
        Ok(Some((run, session)))
    }

    /// The run that gets the next free place: of the parent that has the fewest, and among those was served longest ago.
    fn next(&self, tree: &Tree) -> Option<usize> {
        if occupied(tree) >= self.0.limits.max_concurrent {
            return None;
        }
        let mut running: BTreeMap<&str, usize> = BTreeMap::new();
        for live in tree
            .live
            .iter()
            .filter(|live| live.is_running && live.waiting == 0)
        {
            *running.entry(&live.parent).or_default() += 1;
        }
        let is_busy = |session: &str| {
            tree.live
                .iter()
                .any(|live| live.is_running && live.session == session)
        };
        let waiting = tree.live.iter().enumerate();
        let waiting = waiting.filter(|(_, live)| !live.is_running && !is_busy(&live.session));
        let turn = |live: &Live| {
            let has = running
                .get(live.parent.as_str())
                .copied()
                .unwrap_or_default();
            (
                has,
                tree.served.get(&live.parent).copied().unwrap_or_default(),
            )
        };
        waiting
            .min_by_key(|(index, live)| (turn(live), *index))
            .map(|(index, _)| index)
    }

    fn own(&self, tree: &Tree, index: usize) -> Option<Arc<Control>> {
        let live = tree.live.get(index)?;
        self.local().get(&live.run).cloned()
    }

    /// Sends an event to the host; what it counts as shown is taken out of the mailbox.
    pub(crate) fn emit(&self, kind: &'static str, control: &Control, status: Status, text: &str) {
        if kind == "ended" {
            // The one who hears of it finds the result unread; waiters continue only after it.
            self.0.changed.send_if_modified(|count| {
                *count = count.wrapping_add(1);
                false
            });
        }
        let Some(events) = &self.0.events else { return };
        let end = text.floor_char_boundary(limits::AGENT_NOTICE_MESSAGE_MAX_BYTES);
        let event = Event {
            kind,
            session_id: control.session.clone(),
            run_id: control.run.clone(),
            parent_id: control.parent.clone(),
            label: control.label.clone(),
            agent: control.agent.clone(),
            origin: control.origin,
            call_id: control.call_id.clone(),
            status,
            text: text.get(..end).unwrap_or_default().to_owned(),
            late: false,
        };
        let delivery = handed_over(events(event));
        let (engine, parent, run) = (self.clone(), control.parent.clone(), control.run.clone());
        tokio::spawn(async move {
            if delivery.await && kind == "ended" {
                engine.shown_elsewhere(&parent, &run).await;
            }
        });
    }

    /// Something changed: waiters check again.
    pub(crate) fn bump(&self) {
        self.0
            .changed
            .send_modify(|count| *count = count.wrapping_add(1));
    }

    pub(crate) fn local(&self) -> MutexGuard<'_, HashMap<String, Arc<Control>>> {
        self.0.local.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn too_deep(&self) -> ToolError {
        let most = self.0.limits.max_depth;
        let message = format!(
            "Agents of this depth ({most}) cannot start further ones. Do the work yourself."
        );
        ToolError::new(ErrorCode::AgentLimit, message)
            .with("limit", "maxDepth")
            .with("maxDepth", most)
    }

    fn too_many(&self, tree: &Tree) -> ToolError {
        let most = self.0.limits.max_total;
        let running: Vec<Value> = tree
            .live
            .iter()
            .map(|live| json!({ "sessionId": live.session, "label": live.label, "status": if live.is_running { "running" } else { "queued" } }))
            .collect();
        let message = format!(
            "{} sub-agents run or wait already; at most {most} may. Wait for some of them, or stop some.",
            running.len()
        );
        ToolError::new(ErrorCode::AgentLimit, message)
            .with("limit", "maxTotal")
            .with("running", running)
    }
}

/// Begins a delivery here: events come to the host in the order in which they happen, not in that of tasks.
pub(crate) fn handed_over(mut delivery: Delivery) -> Delivery {
    match (&mut delivery).now_or_never() {
        Some(was_shown) => Box::pin(std::future::ready(was_shown)),
        None => delivery,
    }
}

/// Places that are taken: a run that waits for its own children needs none.
fn occupied(tree: &Tree) -> usize {
    tree.live
        .iter()
        .filter(|live| live.is_running && live.waiting == 0)
        .count()
}

fn begin(tree: &mut Tree, session: &mut SessionRow, run: &mut RunRow, parent: &str, now: i64) {
    let turn = tree.served.values().max().copied().unwrap_or_default() + 1;
    tree.served.insert(parent.to_owned(), turn);
    let live = &tree.live;
    tree.served
        .retain(|parent, _| live.iter().any(|live| &live.parent == parent));
    run.status = Status::Running;
    run.started_at = Some(now);
    session.status = Status::Running;
    session.started_at = Some(now);
    session.last_run = Some(run.id.clone());
    session.ended_at = None;
}

/// Writes what a run is asked for.
fn asked(
    transaction: &mut Transaction<'_>,
    parent: &SessionRow,
    session: &SessionRow,
    run: &RunRow,
) -> Result<(), StoreError> {
    let message = Message {
        role: "user".to_owned(),
        text: run.objective.clone(),
        run: run.id.clone(),
        round: true,
        from: None,
    };
    transaction.say(&session.id, &format!("{}/objective", run.id), &message)?;
    transaction.run(run)?;
    transaction.session(session.clone())?;
    note(transaction, &parent.id, session, run, run.status)
}

/// Writes into the changes of the parent, and of the session itself, how the session is now.
pub(crate) fn note(
    transaction: &mut Transaction<'_>,
    parent: &str,
    session: &SessionRow,
    run: &RunRow,
    status: Status,
) -> Result<(), StoreError> {
    let what = json!({ "sessionId": session.id, "runId": run.id, "label": session.label, "status": status });
    let id = format!("{}/{}", run.id, status.as_str());
    transaction.note(parent, id.clone(), &what)?;
    if parent != session.id {
        transaction.note(&session.id, id, &what)?;
    }
    Ok(())
}

/// A store that fails refuses: nothing is known to be started.
pub(crate) fn failed(error: StoreError) -> ToolError {
    let message = format!("The sessions of this workspace cannot be read or written: {error}");
    ToolError::new(ErrorCode::Io, message).caused_by(error)
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Engine").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    #[tokio::test]
    async fn a_delivery_begins_where_it_is_handed_over_and_not_in_a_task_of_its_own() {
        let has_begun = Arc::new(AtomicBool::new(false));
        let begins = Arc::clone(&has_begun);
        let (answer, answered) = oneshot::channel();
        let delivery = handed_over(Box::pin(async move {
            begins.store(true, Ordering::Relaxed);
            answered.await.unwrap()
        }));
        assert!(has_begun.load(Ordering::Relaxed));
        answer.send(true).unwrap();
        assert!(delivery.await);
    }
}
