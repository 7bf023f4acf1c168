//! One toolkit in a tree: what its session starts, sees and receives.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tenon_contract::{ErrorCode, Operation, ToolError};

use crate::control::Control;
use crate::engine::{Engine, Spawn, Started, Visibility, failed, handed_over};
use crate::mailbox::Finished;
use crate::model::{Event, Kind, Mail, Message, RunRow, SessionRow, Status};
use crate::records::{Records, fresh};
use crate::stop::{Stopped, lineage};

/// One toolkit in a tree. Clones are the same one.
#[derive(Clone)]
pub struct Member(Arc<Inner>);

struct Inner {
    engine: Engine,
    row: SessionRow,
    control: Option<Arc<Control>>,
    /// Keys of mail that was shown, taken out with the next call.
    shown: Mutex<HashSet<String>>,
    /// Keys of results that a notice has named.
    noticed: Mutex<HashSet<String>>,
    /// The count of changes at the last look into the mailbox.
    seen: AtomicU64,
    /// When that was.
    looked: Mutex<Option<Instant>>,
    /// Whether the agent has a tool that waits.
    can_wait: AtomicBool,
}

/// How a message is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SendMode {
    /// To a run that listens, else as a further run, else into the mailbox.
    #[default]
    Auto,
    /// To a run that listens.
    Steer,
    /// As a further run.
    FollowUp,
    /// Into the mailbox.
    Notify,
}

/// What became of a message.
#[derive(Debug, Clone)]
pub struct Sent {
    /// To whom.
    pub session: SessionRow,
    /// The run that takes it.
    pub run: Option<String>,
    /// `steered`, `started`, `queued` or `stored`.
    pub disposition: &'static str,
    /// The end of that run, where it was waited for.
    pub finished: Option<Finished>,
}

impl Member {
    /// The session at the root of a tree.
    #[must_use]
    pub fn root(engine: Engine) -> Self {
        let id = engine.0.records.root().to_owned();
        let row = SessionRow {
            label: id.clone(),
            root: id.clone(),
            id,
            kind: Kind::Main,
            agent: "main".to_owned(),
            ..SessionRow::default()
        };
        Self::new(engine, row, None)
    }

    /// The session of a run of this process.
    ///
    /// # Errors
    /// When there is no such run here, or it has ended.
    pub fn child(&self, run: &str) -> Result<Self, ToolError> {
        let engine = self.0.engine.clone();
        let control = engine.local().get(run).cloned();
        let Some(control) = control else {
            return Err(ToolError::new(
                ErrorCode::NotFound,
                "This run has ended, or is not one of this toolkit.",
            ));
        };
        let row = SessionRow {
            id: control.session.clone(),
            kind: Kind::Agent,
            agent: control.agent.clone(),
            label: control.label.clone(),
            parent: Some(control.parent.clone()),
            root: engine.0.records.root().to_owned(),
            depth: control.depth,
            ..SessionRow::default()
        };
        Ok(Self::new(engine, row, Some(control)))
    }

    fn new(engine: Engine, row: SessionRow, control: Option<Arc<Control>>) -> Self {
        // Another process may have left mail; without one there is none before the first change.
        let seen = if engine.0.is_kept || control.is_some() {
            u64::MAX
        } else {
            0
        };
        Self(Arc::new(Inner {
            engine,
            row,
            control,
            shown: Mutex::default(),
            noticed: Mutex::default(),
            seen: AtomicU64::new(seen),
            looked: Mutex::default(),
            can_wait: AtomicBool::new(true),
        }))
    }

    /// The engine of the tree.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// The id of the session.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.row.id
    }

    /// The row of a run of this workspace.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn run(&self, id: &str) -> Result<Option<RunRow>, ToolError> {
        self.0.engine.0.records.run(id).await.map_err(failed)
    }

    /// Whether this run of the tree still runs or waits in this process.
    #[must_use]
    pub fn is_running(&self, run: &str) -> bool {
        self.0.engine.local().contains_key(run)
    }

    /// The session, as far as it is known without reading it.
    #[must_use]
    pub fn row(&self) -> &SessionRow {
        &self.0.row
    }

    /// The run, where the session is that of an agent.
    #[must_use]
    pub fn control(&self) -> Option<&Arc<Control>> {
        self.0.control.as_ref()
    }

    /// Counts a call before it is made.
    ///
    /// # Errors
    /// When the run may make no further one, or has ended.
    pub fn begin_call(&self) -> Result<(), ToolError> {
        match self.control() {
            Some(control) => control.begin_call(),
            None => {
                self.0.engine.0.root_calls.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
        }
    }

    /// Whether the session may start no further ones.
    #[must_use]
    pub fn is_deepest(&self) -> bool {
        self.0.row.depth >= self.0.engine.limits().max_depth
    }

    /// Says whether the agent has a tool that waits, which notices then name.
    pub fn set_can_wait(&self, can_wait: bool) {
        self.0.can_wait.store(can_wait, Ordering::Relaxed);
    }

    pub(crate) fn can_wait(&self) -> bool {
        self.0.can_wait.load(Ordering::Relaxed)
    }

    /// Starts a session with a run.
    ///
    /// # Errors
    /// `agent_limit`; a name that is taken; a store that fails.
    pub async fn spawn(&self, spawn: Spawn) -> Result<Started, ToolError> {
        self.0.engine.start(&self.0.row, spawn, None).await
    }

    /// Stops these sessions and all below them; only what is below this session.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn stop(&self, sessions: &[String]) -> Result<Stopped, ToolError> {
        let (engine, sessions) = (self.0.engine.clone(), sessions.to_vec());
        // In a task of its own: a stop that is dropped half way still completes.
        let stopping = tokio::spawn(async move { engine.stop(&sessions, false).await });
        stopping
            .await
            .unwrap_or_else(|error| Err(ToolError::internal(error)))
    }

    /// Stops what this session has started.
    pub async fn stop_own(&self) {
        // What cannot be written ends with its lease.
        let _ = self.0.engine.stop_below(self.id()).await;
    }

    /// Gives a message to a session that was found before.
    ///
    /// # Errors
    /// When the store fails, or a run cannot be started.
    pub async fn send(
        &self,
        to: SessionRow,
        text: &str,
        mode: SendMode,
        wait: Duration,
        call: (Option<String>, u32),
    ) -> Result<Sent, ToolError> {
        let engine = &self.0.engine;
        let tree = engine.0.records.tree().await.map_err(failed)?;
        let mut live = tree.live.iter();
        let live = live.find(|live| live.session == to.id && live.is_running);
        let is_ours =
            to.root == self.0.row.root && to.kind == Kind::Agent && engine.0.runner.is_some();
        let is_above = self.is_below(&to).await?;
        if let Some(live) = live.filter(|_| matches!(mode, SendMode::Auto | SendMode::Steer))
            && self.steer(&live.run, text).await
        {
            self.said(&to, &live.run, text).await;
            return Ok(Sent {
                run: Some(live.run.clone()),
                session: to,
                disposition: "steered",
                finished: None,
            });
        }
        // A run above waits for this one, so a further run of it would never start: it reads its mail.
        let is_stored = match mode {
            SendMode::Notify => true,
            SendMode::Steer => live.is_some() || !is_ours || is_above,
            SendMode::Auto | SendMode::FollowUp => !is_ours || is_above,
        };
        if is_stored {
            self.store_message(&to, text).await?;
            return Ok(Sent {
                run: None,
                session: to,
                disposition: "stored",
                finished: None,
            });
        }
        let spawn = self.further(&to, text, call);
        let started = engine.start(&self.0.row, spawn, Some(to)).await?;
        let finished = if wait.is_zero() {
            None
        } else {
            self.wait_for(&started.run, Some(wait)).await?
        };
        Ok(Sent {
            disposition: if started.status == Status::Running {
                "started"
            } else {
                "queued"
            },
            run: Some(started.run),
            session: started.session,
            finished,
        })
    }

    /// Puts what was sent to a run meanwhile into the transcript of its session.
    async fn said(&self, to: &SessionRow, run: &str, text: &str) {
        let message = Message {
            role: "user".to_owned(),
            text: text.to_owned(),
            run: run.to_owned(),
            round: false,
            from: Some(self.id().to_owned()),
        };
        let records = &self.0.engine.0.records;
        // The run has it already; the transcript is only for reading.
        let _ = records.say(&to.id, &fresh("m", 16), &message).await;
    }

    /// A message as what a further run is to do.
    fn further(&self, to: &SessionRow, text: &str, call: (Option<String>, u32)) -> Spawn {
        let is_own = to.parent.as_deref() == Some(self.id());
        let (label, id) = (&self.0.row.label, self.id());
        let marked = || format!("[From session \"{label}\" ({id}), not from the user]\n{text}");
        Spawn {
            agent: to.agent.clone(),
            objective: if is_own { text.to_owned() } else { marked() },
            origin: Some(Operation::SessionsSend),
            call_id: call.0,
            ticket: call.1,
            ..Spawn::default()
        }
    }

    async fn steer(&self, run: &str, text: &str) -> bool {
        let engine = &self.0.engine;
        let is_here = engine.local().contains_key(run);
        match &engine.0.runner {
            Some(runner) if is_here => {
                let steered = runner.steer(run, self.id(), text);
                // Who has the message and does not come back has it.
                let steered = tokio::time::timeout(engine.0.lease.grace, steered).await;
                steered.unwrap_or(true)
            }
            _ => false,
        }
    }

    /// Whether the other session is above this one, or is it.
    async fn is_below(&self, other: &SessionRow) -> Result<bool, ToolError> {
        if other.id == self.id() {
            return Ok(true);
        }
        let known = self
            .0
            .engine
            .0
            .records
            .sessions(false)
            .await
            .map_err(failed)?;
        Ok(lineage(&known, std::slice::from_ref(&other.id), false).contains(self.id()))
    }

    async fn store_message(&self, to: &SessionRow, text: &str) -> Result<(), ToolError> {
        let engine = &self.0.engine;
        let id = fresh("m", 16);
        let mail = Mail {
            to: to.id.clone(),
            from: self.id().to_owned(),
            label: self.0.row.label.clone(),
            run: None,
            text: Some(text.to_owned()),
            late: false,
        };
        let mut attempt = 0;
        loop {
            let guard = engine.0.lock.lock().await;
            let mut transaction = engine.0.records.begin().await.map_err(failed)?;
            transaction.mail(&id, &mail).map_err(failed)?;
            if transaction.commit().await.map_err(failed)? {
                break;
            }
            drop(guard);
            attempt += 1;
            Records::pause(attempt).await.map_err(failed)?;
        }
        engine.bump();
        if let Some(events) = &engine.0.events {
            let delivery = events(Event {
                kind: "message",
                session_id: self.id().to_owned(),
                run_id: self
                    .0
                    .control
                    .as_ref()
                    .map(|control| control.run.clone())
                    .unwrap_or_default(),
                parent_id: to.id.clone(),
                label: self.0.row.label.clone(),
                agent: self.0.row.agent.clone(),
                origin: None,
                call_id: None,
                status: Status::Running,
                text: text.to_owned(),
                late: false,
            });
            tokio::spawn(handed_over(delivery));
        }
        Ok(())
    }

    /// The session that a text means: `parent`, an id, a name, or a label that only one has.
    ///
    /// # Errors
    /// `not_found`, with the labels that there are, or with all that have this one.
    pub async fn resolve(&self, text: &str) -> Result<SessionRow, ToolError> {
        let seen = self.visible().await?;
        let wanted = if text == "parent" {
            self.0.row.parent.as_deref().unwrap_or(text)
        } else {
            text
        };
        if wanted == self.id() {
            return Ok(self.own_row(&seen));
        }
        let is_parent = |row: &&SessionRow| text == "parent" && row.id == wanted;
        let exact = seen.iter().find(|row| row.id == wanted || is_parent(row));
        if let Some(row) =
            exact.or_else(|| seen.iter().find(|row| row.name.as_deref() == Some(text)))
        {
            return Ok(row.clone());
        }
        let labelled: Vec<&SessionRow> = seen.iter().filter(|row| row.label == text).collect();
        match labelled.as_slice() {
            [only] => Ok((*only).clone()),
            [] => Err(not_found(text, &seen)),
            several => {
                let ids: Vec<String> = several.iter().map(|row| format!("`{}`", row.id)).collect();
                let message = format!(
                    "{} sessions have the label `{text}`: {}. Use one of these ids.",
                    ids.len(),
                    ids.join(", ")
                );
                Err(ToolError::new(ErrorCode::NotFound, message))
            }
        }
    }

    /// The sessions that this one sees, without itself.
    pub(crate) async fn visible(&self) -> Result<Vec<SessionRow>, ToolError> {
        let records = &self.0.engine.0.records;
        let visibility = self.0.engine.0.visibility;
        let known = records
            .sessions(visibility == Visibility::Workspace)
            .await
            .map_err(failed)?;
        let below = lineage(&known, &[self.id().to_owned()], true);
        let parent = self.0.row.parent.as_deref();
        let mut seen: Vec<SessionRow> = known
            .into_iter()
            .filter(|row| {
                visibility != Visibility::Own
                    || below.contains(&row.id)
                    || parent == Some(row.id.as_str())
            })
            .collect();
        seen.sort_by_key(|row| (row.created_at, row.id.clone()));
        Ok(seen)
    }

    /// Which of these this session may stop: those below it.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn below(&self) -> Result<Vec<SessionRow>, ToolError> {
        let known = self
            .0
            .engine
            .0
            .records
            .sessions(false)
            .await
            .map_err(failed)?;
        let below = lineage(&known, &[self.id().to_owned()], false);
        Ok(known
            .into_iter()
            .filter(|row| below.contains(&row.id))
            .collect())
    }

    pub(crate) fn own_row(&self, seen: &[SessionRow]) -> SessionRow {
        let stored = seen.iter().find(|row| row.id == self.id());
        stored.cloned().unwrap_or_else(|| self.0.row.clone())
    }

    /// Takes what was shown out of the mailbox: the model has it, since it makes another call.
    pub async fn acknowledge(&self, shown: Vec<String>) {
        if shown.is_empty() || self.0.engine.0.records.take(&shown).await.is_err() {
            return;
        }
        let mut kept = self.0.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.iter().for_each(|key| _ = kept.remove(key));
    }

    /// What was shown and is not taken out yet.
    #[must_use]
    pub fn shown_keys(&self) -> Vec<String> {
        self.0
            .shown
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .cloned()
            .collect()
    }

    pub(crate) fn shown(&self) -> HashSet<String> {
        self.0
            .shown
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn add_shown(&self, keys: Vec<String>) {
        self.0
            .shown
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(keys);
    }

    /// Whether no notice has named this result; one does now.
    pub(crate) fn is_news(&self, key: &str) -> bool {
        self.0
            .noticed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(key.to_owned())
    }

    /// Whether something may have changed since the last look: here, or by another process that works in the same session.
    #[must_use]
    pub fn may_have_mail(&self) -> bool {
        let engine = &self.0.engine.0;
        let changed = *engine.changed.borrow();
        let has_changed = self.0.seen.swap(changed, Ordering::AcqRel) != changed;
        let mut looked = self.0.looked.lock().unwrap_or_else(PoisonError::into_inner);
        let is_long_ago = || looked.is_none_or(|looked| looked.elapsed() >= engine.lease.mail);
        let may = has_changed || (engine.is_kept && is_long_ago());
        if may {
            *looked = Some(Instant::now());
        }
        may
    }
}

fn not_found(text: &str, seen: &[SessionRow]) -> ToolError {
    let shown: String = text.chars().take(120).collect();
    let near = |row: &&SessionRow| {
        let (label, text) = (row.label.to_lowercase(), text.to_lowercase());
        label.contains(&text) || text.contains(&label)
    };
    let mut rows: Vec<&SessionRow> = seen.iter().filter(near).collect();
    rows.extend(seen.iter().rev().filter(|row| !near(row)));
    let names: Vec<String> = rows
        .iter()
        .take(5)
        .map(|row| format!("`{}` (\"{}\")", row.id, row.label))
        .collect();
    let message = if names.is_empty() {
        format!("There is no session `{shown}`, and no other session is visible here.")
    } else {
        format!(
            "There is no session `{shown}`. Visible sessions: {}.",
            names.join(", ")
        )
    };
    ToolError::new(ErrorCode::NotFound, message)
}

impl std::fmt::Debug for Member {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Member")
            .field("id", &self.id())
            .finish_non_exhaustive()
    }
}
