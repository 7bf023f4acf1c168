//! Stopping: a walk over stored lineage, children first.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tenon_contract::ToolError;
use tenon_store::StoreError;

use crate::control::Control;
use crate::engine::{Engine, failed, note};
use crate::lease::control_of;
use crate::model::{Live, SessionRow, Status};
use crate::records::{Records, Transaction};
use crate::run::{close_run, mail_of};

/// What stopping did.
#[derive(Debug, Clone, Default)]
pub struct Stopped {
    /// Sessions whose run was stopped, those furthest below first.
    pub stopped: Vec<SessionRow>,
    /// Sessions that had ended before.
    pub already_ended: Vec<SessionRow>,
}

impl Engine {
    /// Stops these sessions and all below them.
    pub(crate) async fn stop(
        &self,
        sessions: &[String],
        with_mail: bool,
    ) -> Result<Stopped, ToolError> {
        self.try_stop(sessions, with_mail, true)
            .await
            .map_err(failed)
    }

    /// Stops what a session has started.
    pub(crate) async fn stop_below(&self, session: &str) -> Result<Stopped, StoreError> {
        self.try_stop(&[session.to_owned()], true, false).await
    }

    /// Asks the host at once to end the run of a session; the caller that stops it writes its outcome.
    pub fn abort_session(&self, session: &str) {
        for control in self
            .local()
            .values()
            .filter(|control| control.session == session)
        {
            control.abort.cancel();
        }
    }

    /// Ends what this engine has started: `close()`.
    pub async fn close(&self) {
        self.0.closing.cancel();
        let own: Vec<String> = self
            .local()
            .values()
            .map(|control| control.session.clone())
            .collect();
        if !own.is_empty() {
            // What cannot be written is lost for others when its lease ends.
            let _ = self.try_stop(&own, true, true).await;
        }
        self.end_now();
        // The host is notified that its answers are no longer wanted, while it can still be notified.
        let mut changed = self.0.changed.subscribe();
        let taken_back = async {
            while self.0.asking.load(Ordering::Acquire) > 0 && changed.changed().await.is_ok() {}
        };
        let _ = tokio::time::timeout(self.0.lease.grace, taken_back).await;
    }

    /// Ends everything here without writing: the process exits.
    pub fn end_now(&self) {
        self.0.closing.cancel();
        self.0.closed.cancel();
        let own: Vec<Arc<Control>> = self.local().values().cloned().collect();
        own.iter().for_each(|control| self.let_go(control));
    }

    async fn try_stop(
        &self,
        sessions: &[String],
        with_mail: bool,
        with_them: bool,
    ) -> Result<Stopped, StoreError> {
        let mut attempt = 0;
        loop {
            let guard = self.0.lock.lock().await;
            let records = &self.0.records;
            let mut transaction = records.begin().await?;
            if !with_them && transaction.tree.live.is_empty() {
                return Ok(Stopped::default());
            }
            let known = records.sessions(false).await?;
            let chosen = lineage(&known, sessions, with_them);
            let live = std::mem::take(&mut transaction.tree.live).into_iter();
            let (gone, left) = live.partition(|live| chosen.contains(&live.session));
            transaction.tree.live = left;
            let mut stopped: Vec<SessionRow> = Vec::new();
            let mut controls = Vec::new();
            for live in &gone {
                // Of two runs of a session the second has to see what the first has become.
                let before = stopped.iter().position(|row| row.id == live.session);
                let session = match before {
                    Some(place) => Some(stopped.remove(place)),
                    None => known.iter().find(|row| row.id == live.session).cloned(),
                };
                let Some(session) = session else { continue };
                let ended = self.cancel(&mut transaction, live, session, with_mail);
                if let Some((session, control)) = ended.await? {
                    stopped.push(session);
                    controls.push(control);
                }
            }
            for session in &stopped {
                transaction.session(session.clone())?;
            }
            if controls.is_empty() || transaction.commit().await? {
                for control in &controls {
                    self.emit("ended", control, Status::Cancelled, "");
                }
                drop(guard);
                controls.iter().for_each(|control| self.let_go(control));
                stopped.sort_by_key(|session| std::cmp::Reverse(session.depth));
                let has_ended = |row: &&SessionRow| {
                    sessions.contains(&row.id) && !stopped.iter().any(|other| other.id == row.id)
                };
                let already_ended = known.iter().filter(has_ended).cloned().collect();
                self.after_stop();
                return Ok(Stopped {
                    stopped,
                    already_ended,
                });
            }
            drop(guard);
            attempt += 1;
            Records::pause(attempt).await?;
        }
    }

    /// Stops one run, which nobody knows of yet, and nothing else of its session.
    pub(crate) async fn stop_run(&self, run: &str) -> Result<(), StoreError> {
        let mut attempt = 0;
        loop {
            let guard = self.0.lock.lock().await;
            let records = &self.0.records;
            let mut transaction = records.begin().await?;
            let live = &mut transaction.tree.live;
            let Some(place) = live.iter().position(|live| live.run == run) else {
                return Ok(());
            };
            let live = live.remove(place);
            let Some(session) = records.session(&live.session).await? else {
                return Ok(());
            };
            let ended = self.cancel(&mut transaction, &live, session, false).await?;
            let Some((mut session, control)) = ended else {
                return Ok(());
            };
            let mut others = transaction.tree.live.iter();
            if let Some(other) = others.find(|other| other.session == session.id) {
                session.last_run = Some(other.run.clone());
                session.ended_at = None;
                session.status = if other.is_running {
                    Status::Running
                } else {
                    Status::Queued
                };
            }
            transaction.session(session)?;
            if transaction.commit().await? {
                self.emit("ended", &control, Status::Cancelled, "");
                drop(guard);
                self.let_go(&control);
                self.after_stop();
                return Ok(());
            }
            drop(guard);
            attempt += 1;
            Records::pause(attempt).await?;
        }
    }

    /// Writes that a run was stopped.
    async fn cancel(
        &self,
        transaction: &mut Transaction<'_>,
        live: &Live,
        mut session: SessionRow,
        with_mail: bool,
    ) -> Result<Option<(SessionRow, Arc<Control>)>, StoreError> {
        let Some(mut run) = self.0.records.run(&live.run).await? else {
            return Ok(None);
        };
        close_run(&mut run, &mut session, Status::Cancelled, transaction.now);
        session.status = Status::Cancelled;
        session.ended_at = Some(transaction.now);
        run.code = Some("cancelled".to_owned());
        let local = self.local().get(&live.run).cloned();
        if let Some(control) = &local {
            let used = control.used();
            session.tool_calls += used.tool_calls;
            (run.tool_calls, run.usage, run.changes) = (used.tool_calls, used.usage, used.changes);
        }
        let of_others = || Arc::new(control_of(live, &session.agent, session.depth));
        let control = local.unwrap_or_else(of_others);
        transaction.run(&run)?;
        if with_mail {
            transaction.mail(&run.id, &mail_of(&control, false))?;
        }
        note(transaction, &live.parent, &session, &run, Status::Cancelled)?;
        Ok(Some((session, control)))
    }

    /// Places are free now.
    fn after_stop(&self) {
        let engine = self.clone();
        tokio::spawn(async move {
            let _ = engine.promote().await;
        });
    }
}

/// The sessions below these, with or without them.
pub(crate) fn lineage(known: &[SessionRow], from: &[String], with_them: bool) -> HashSet<String> {
    let mut found: HashSet<String> = from.iter().cloned().collect();
    loop {
        let before = found.len();
        for session in known {
            if session
                .parent
                .as_ref()
                .is_some_and(|parent| found.contains(parent))
            {
                found.insert(session.id.clone());
            }
        }
        if found.len() == before {
            break;
        }
    }
    if !with_them {
        from.iter().for_each(|session| _ = found.remove(session));
    }
    found
}
