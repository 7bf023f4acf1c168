//! Results and messages that are unread until they were shown, and waiting for them.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::Value;
use tenon_contract::{ErrorCode, FileChange, ToolError};
use tokio::time::Instant;

use crate::engine::{Engine, failed};
use crate::member::Member;
use crate::model::{Mail, RunRow, SessionRow, Status};

/// Why a wait is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitReason {
    /// There are results.
    Completed,
    /// A message has come.
    Attention,
    /// The time is over.
    Timeout,
    /// There is nothing to wait for.
    Nothing,
}

/// A run that has ended, with all that it has returned.
#[derive(Debug, Clone)]
pub struct Finished {
    /// Its session.
    pub session: SessionRow,
    /// The run.
    pub run: RunRow,
    /// Its text, whole.
    pub summary: String,
    /// Its value.
    pub output: Option<Value>,
}

impl Finished {
    /// The files that it changed.
    #[must_use]
    pub fn changes(&self) -> &[FileChange] {
        &self.run.changes
    }
}

/// What is known of a run whose process has ended, in its place.
fn lost(run: &RunRow) -> String {
    let rest = match (run.started_at, run.changes.is_empty()) {
        (None, _) => "before it could start. Start it again.",
        (Some(_), true) => {
            "before it did. Which files it changed is not known: look at those that it was to change."
        }
        (Some(_), false) => "before it did, and it may have done more than change these files.",
    };
    format!("Its process ended {rest}")
}

/// What came of a wait.
#[derive(Debug, Clone)]
pub struct Waited {
    /// Why it is over.
    pub reason: WaitReason,
    /// What has ended.
    pub results: Vec<Finished>,
    /// What runs or waits.
    pub pending: Vec<SessionRow>,
}

/// A run whose session waits for others needs no place meanwhile.
struct Resting {
    /// The wait may be dropped by a thread that is none of the executor's.
    executor: tokio::runtime::Handle,
    engine: Engine,
    run: String,
    /// What notes that the wait begins, until it has.
    begins: Option<tokio::task::JoinHandle<()>>,
}

impl Resting {
    /// A wait that is dropped meanwhile ends what it has begun.
    async fn begin(member: &Member) -> Option<Self> {
        let run = member.control()?.run.clone();
        let engine = member.engine().clone();
        let begins = {
            let (engine, run) = (engine.clone(), run.clone());
            tokio::spawn(async move { engine.rest(&run, true).await })
        };
        let mut resting = Self {
            executor: tokio::runtime::Handle::current(),
            engine,
            run,
            begins: Some(begins),
        };
        if let Some(begins) = &mut resting.begins {
            // It fails only when the executor goes away, and all of this with it.
            let _ = begins.await;
        }
        resting.begins = None;
        Some(resting)
    }
}

impl Drop for Resting {
    fn drop(&mut self) {
        let (engine, run) = (self.engine.clone(), std::mem::take(&mut self.run));
        let begins = self.begins.take();
        self.executor.spawn(async move {
            if let Some(begins) = begins {
                let _ = begins.await;
            }
            engine.rest(&run, false).await;
        });
    }
}

impl Engine {
    /// Notes that a run waits for others, or does so no more.
    async fn rest(&self, run: &str, begins: bool) {
        for attempt in 1.. {
            let guard = self.0.lock.lock().await;
            let Ok(mut transaction) = self.0.records.begin().await else {
                return;
            };
            let live = transaction
                .tree
                .live
                .iter_mut()
                .find(|live| live.run == run);
            let Some(live) = live else { return };
            live.waiting = if begins {
                live.waiting + 1
            } else {
                live.waiting.saturating_sub(1)
            };
            match transaction.commit().await {
                Ok(false) => {
                    drop(guard);
                    if crate::records::Records::pause(attempt).await.is_err() {
                        return;
                    }
                }
                Ok(true) => break,
                Err(_) => return,
            }
        }
        if begins {
            let _ = self.promote().await;
        }
        self.bump();
    }

    /// The end of a run, if it has ended.
    ///
    /// # Errors
    /// The store fails, or has lost the run: a caller that waits for it would wait for ever.
    pub(crate) async fn finished(&self, run: &str) -> Result<Option<Finished>, ToolError> {
        let records = &self.0.records;
        let Some(run) = records.run(run).await.map_err(failed)? else {
            let message = format!(
                "The run `{run}` is not in the store any more, so what became of it is not known. Look at what it was to do."
            );
            return Err(ToolError::new(ErrorCode::Unavailable, message).with("run", run));
        };
        if !run.status.is_final() {
            return Ok(None);
        }
        // Its end is written before it is reported here; waiters continue after both.
        let control = self.local().get(&run.id).cloned();
        if let Some(control) = control {
            let ended = control.over.cancelled();
            let _ = tokio::time::timeout(self.0.lease.grace, ended).await;
        }
        let result = records
            .result(&run.id)
            .await
            .map_err(failed)?
            .unwrap_or_default();
        let session = records.session(&run.session).await.map_err(failed)?;
        let summary = if run.status == Status::Lost && result.summary.is_empty() {
            lost(&run)
        } else {
            result.summary
        };
        Ok(Some(Finished {
            session: session.unwrap_or_default(),
            run,
            summary,
            output: result.output,
        }))
    }

    /// The host has shown a result itself.
    pub(crate) async fn shown_elsewhere(&self, parent: &str, run: &str) {
        let Ok(mail) = self.0.records.mail(parent).await else {
            return;
        };
        let keys: Vec<String> = mail
            .into_iter()
            .filter(|(_, mail)| mail.run.as_deref() == Some(run))
            .map(|(key, _)| key)
            .collect();
        // What is not taken out is shown once more.
        let _ = self.0.records.take(&keys).await;
    }
}

impl Member {
    /// What is unread and was not shown by this toolkit, each with its key.
    pub(crate) async fn unread(&self) -> Result<Vec<(String, Mail)>, ToolError> {
        // What was shown is taken out of the mailbox beside other calls, and forgotten then. Mail that was read before
        // that is known as shown only from before.
        let before = self.shown();
        let mail = self
            .engine()
            .0
            .records
            .mail(self.id())
            .await
            .map_err(failed)?;
        let after = self.shown();
        Ok(mail
            .into_iter()
            .filter(|(key, _)| !before.contains(key) && !after.contains(key))
            .collect())
    }

    /// Waits for the end of a run, and counts it as shown.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn wait_for(
        &self,
        run: &str,
        timeout: Option<Duration>,
    ) -> Result<Option<Finished>, ToolError> {
        let until = timeout.map(|timeout| Instant::now() + timeout);
        let mut changed = self.engine().0.changed.subscribe();
        let (mut resting, mut watch) = (None, None);
        loop {
            if let Some(finished) = self.engine().finished(run).await? {
                let is_stop = finished.run.status == Status::Cancelled;
                if is_stop && self.engine().0.closing.is_cancelled() {
                    // It is only the end of the toolkit.
                    return Err(ToolError::cancelled());
                }
                self.show_run(run).await?;
                return Ok(Some(finished));
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                return Ok(None);
            }
            if watch.is_none() {
                // Others may end it. What has changed by now is looked at once more.
                watch = Some(self.engine().watch());
                continue;
            }
            if resting.is_none() {
                resting = Resting::begin(self).await;
            }
            self.pause(&mut changed, until).await?;
        }
    }

    /// Waits for some of these sessions, or all; without any for the own children that run and for unread results.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn wait(
        &self,
        sessions: Option<&[SessionRow]>,
        all: bool,
        timeout: Duration,
    ) -> Result<Waited, ToolError> {
        let until = Instant::now() + timeout;
        let mut changed = self.engine().0.changed.subscribe();
        let (mut resting, mut watch, mut own) = (None, None, HashSet::new());
        loop {
            if self.engine().0.closing.is_cancelled() {
                return Err(ToolError::cancelled());
            }
            let (done, pending) = match sessions {
                Some(sessions) => self.state_of(sessions).await?,
                None => self.state_of_own(&mut own).await?,
            };
            let has_message = self
                .unread()
                .await?
                .iter()
                .any(|(_, mail)| mail.text.is_some());
            let is_over = Instant::now() >= until;
            let reason = match (done.is_empty(), pending.is_empty()) {
                (true, true) => WaitReason::Nothing,
                (_, true) => WaitReason::Completed,
                (false, false) if !all => WaitReason::Completed,
                _ if has_message => WaitReason::Attention,
                _ if is_over => WaitReason::Timeout,
                _ => {
                    if watch.is_none() {
                        watch = Some(self.engine().watch());
                        continue;
                    }
                    if resting.is_none() {
                        resting = Resting::begin(self).await;
                    }
                    self.pause(&mut changed, Some(until)).await?;
                    continue;
                }
            };
            let mut results = Vec::new();
            for run in done {
                if let Some(finished) = self.engine().finished(&run).await? {
                    self.show_run(&run).await?;
                    results.push(finished);
                }
            }
            return Ok(Waited {
                reason,
                results,
                pending,
            });
        }
    }

    /// Runs that have ended and sessions that have not, of these.
    async fn state_of(
        &self,
        sessions: &[SessionRow],
    ) -> Result<(Vec<String>, Vec<SessionRow>), ToolError> {
        let (mut done, mut pending) = (Vec::new(), Vec::new());
        let tree = self.engine().0.records.tree().await.map_err(failed)?;
        for session in sessions {
            let now = self
                .engine()
                .0
                .records
                .session(&session.id)
                .await
                .map_err(failed)?;
            let now = now.unwrap_or_else(|| session.clone());
            if tree.live.iter().any(|live| live.session == now.id) {
                pending.push(now);
            } else if let Some(run) = now.last_run {
                done.push(run);
            }
        }
        Ok((done, pending))
    }

    /// The same of the own children. `own` remembers which runs were seen alive, for results that somebody else was shown.
    async fn state_of_own(
        &self,
        own: &mut HashSet<String>,
    ) -> Result<(Vec<String>, Vec<SessionRow>), ToolError> {
        let records = &self.engine().0.records;
        let tree = records.tree().await.map_err(failed)?;
        let mut pending = Vec::new();
        for live in tree.live.iter().filter(|live| live.parent == self.id()) {
            own.insert(live.run.clone());
            pending.extend(records.session(&live.session).await.map_err(failed)?);
        }
        let unread = self.unread().await?;
        let mut done: Vec<String> = unread
            .into_iter()
            .filter_map(|(_, mail)| mail.run)
            .collect();
        for run in own
            .iter()
            .filter(|run| !tree.live.iter().any(|live| live.run == **run))
        {
            if !done.contains(run) {
                done.push(run.clone());
            }
        }
        Ok((done, pending))
    }

    async fn pause(
        &self,
        changed: &mut tokio::sync::watch::Receiver<u64>,
        until: Option<Instant>,
    ) -> Result<(), ToolError> {
        let poll = Instant::now() + self.engine().0.lease.poll;
        let until = until.map_or(poll, |until| until.min(poll));
        tokio::select! {
            _ = changed.changed() => {}
            () = tokio::time::sleep_until(until) => {
                self.engine().sweep().await.map_err(failed)?;
            }
            () = self.engine().0.closing.cancelled() => return Err(ToolError::cancelled()),
        }
        Ok(())
    }

    /// Counts the result of a run as shown; it is taken out of the mailbox with the next call, when the model has it.
    async fn show_run(&self, run: &str) -> Result<(), ToolError> {
        let mail = self.unread().await?;
        let keys = mail
            .into_iter()
            .filter(|(_, mail)| mail.run.as_deref() == Some(run));
        self.add_shown(keys.map(|(key, _)| key).collect());
        Ok(())
    }

    /// What the next result of any tool ends with: how many results wait, once for each, and messages.
    pub async fn notice(&self) -> Option<Vec<String>> {
        if !self.may_have_mail() {
            return None;
        }
        // A notice that cannot be read now comes with the next result.
        let unread = self.unread().await.ok()?;
        let mut lines = Vec::new();
        let results: Vec<&(String, Mail)> = unread
            .iter()
            .filter(|(key, mail)| mail.run.is_some() && self.is_news(key))
            .collect();
        if let Some(line) = self.results_line(&results) {
            lines.push(line);
        }
        let messages = unread.iter().filter(|(_, mail)| mail.text.is_some());
        for (key, mail) in messages {
            let text = mail.text.as_deref().unwrap_or_default();
            let end =
                text.floor_char_boundary(tenon_contract::limits::AGENT_NOTICE_MESSAGE_MAX_BYTES);
            let text = text.get(..end).unwrap_or_default();
            lines.push(format!(
                "[Message from session \"{}\" ({}), not from the user: {text}]",
                mail.label, mail.from
            ));
            self.add_shown(vec![key.clone()]);
        }
        (!lines.is_empty()).then_some(lines)
    }

    fn results_line(&self, results: &[&(String, Mail)]) -> Option<String> {
        const NAMED: usize = 5;
        let names: Vec<String> = results
            .iter()
            .take(NAMED)
            .map(|(_, mail)| {
                format!(
                    "\"{}\" ({}){}",
                    mail.label,
                    mail.from,
                    if mail.late { ", late" } else { "" }
                )
            })
            .collect();
        let more = match results.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let how = if self.can_wait() {
            " `subagents` with `wait` shows them."
        } else {
            ""
        };
        match results.len() {
            0 => None,
            1 => Some(format!(
                "[1 sub-agent has ended: {}.{}]",
                names.concat(),
                how.replace("them", "it")
            )),
            count => Some(format!(
                "[{count} sub-agents have ended: {}{more}.{how}]",
                names.join(", ")
            )),
        }
    }
}
