//! What sessions are and what was said in them, for readers.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use serde_json::Value;
use tenon_contract::{ErrorCode, ToolError};
use tenon_store::{Query, SearchQuery, StoreError};

use crate::engine::failed;
use crate::member::Member;
use crate::model::{Message, RunRow, SessionRow, Status, Tree};
use crate::records::millis;

/// A session with what is counted of it.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The session.
    pub session: SessionRow,
    /// Its calls of tools, those of the present run included where it runs here.
    pub tool_calls: u64,
    /// When its present run called a tool or reported something, where it runs in this process.
    pub last_activity: Option<i64>,
    /// Results and messages that it was not shown.
    pub unread: usize,
}

/// A session, its children, and what changed.
#[derive(Debug, Clone)]
pub struct Overview {
    /// The session.
    pub listed: Listed,
    /// Its last run.
    pub run: Option<RunRow>,
    /// Children that run, wait, and have ended.
    pub children: (usize, usize, usize),
    /// Which state this is; ask for changes since it.
    pub version: u64,
    /// What changed since the version that was asked for.
    pub changes: Option<Vec<Value>>,
    /// Whether some of these changes are not known any more.
    pub gap: bool,
    /// The time of the store.
    pub now: i64,
}

/// A page of what was said in a session, oldest first.
#[derive(Debug, Clone)]
pub struct History {
    /// The session.
    pub session: SessionRow,
    /// What was said.
    pub messages: Vec<(u64, Message)>,
    /// Whether there is more before.
    pub has_more: bool,
}

impl Member {
    /// The sessions that are seen, itself included, newest first.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn list(&self) -> Result<Vec<Listed>, ToolError> {
        self.engine().sweep().await.map_err(failed)?;
        let mut seen = self.visible().await?;
        if !seen.iter().any(|row| row.id == self.id()) {
            seen.push(self.row().clone());
        }
        seen.sort_by_key(|row| std::cmp::Reverse((row.updated_at, row.created_at)));
        let mut all = Vec::new();
        let now = self.engine().0.records.store.now().await.map_err(failed)?;
        for session in seen {
            all.push(self.listed(session, now).await?);
        }
        Ok(all)
    }

    async fn listed(&self, session: SessionRow, now: i64) -> Result<Listed, ToolError> {
        let records = &self.engine().0.records;
        let unread = if session.id == self.id() {
            self.unread().await?.len()
        } else {
            records.mail(&session.id).await.map_err(failed)?.len()
        };
        let running = self
            .engine()
            .local()
            .values()
            .find(|control| control.session == session.id)
            .cloned();
        let calls = running
            .as_ref()
            .map_or(0, |control| control.used().tool_calls);
        let calls = if session.id == records.root() {
            calls + self.engine().0.root_calls.load(Ordering::Relaxed)
        } else {
            calls
        };
        Ok(Listed {
            tool_calls: session.tool_calls + calls,
            last_activity: running.map(|control| now.saturating_sub(millis(control.idle()))),
            session,
            unread,
        })
    }

    /// How a session is; with `since`, what changed since that version.
    ///
    /// # Errors
    /// When there is no such session, or the store fails.
    pub async fn overview(
        &self,
        session: Option<&str>,
        since: Option<u64>,
    ) -> Result<Overview, ToolError> {
        self.engine().sweep().await.map_err(failed)?;
        let records = &self.engine().0.records;
        let session = match session {
            Some(text) => self.resolve(text).await?,
            None => records
                .session(self.id())
                .await
                .map_err(failed)?
                .unwrap_or_else(|| self.row().clone()),
        };
        let tree = records.tree().await.map_err(failed)?;
        let known = records.sessions(false).await.map_err(failed)?;
        let children: Vec<&SessionRow> = known
            .iter()
            .filter(|row| row.parent.as_deref() == Some(session.id.as_str()))
            .collect();
        let count = |wanted: Status| {
            children
                .iter()
                .filter(|row| state(&tree, row) == wanted)
                .count()
        };
        let (running, queued) = (count(Status::Running), count(Status::Queued));
        let counts = (running, queued, children.len() - running - queued);
        let run = match &session.last_run {
            Some(run) => records.run(run).await.map_err(failed)?,
            None => None,
        };
        let (version, changes, gap) = self.changes(&session.id, since).await.map_err(failed)?;
        let now = records.store.now().await.map_err(failed)?;
        Ok(Overview {
            listed: self.listed(session, now).await?,
            run,
            children: counts,
            version,
            changes,
            gap,
            now,
        })
    }

    async fn changes(
        &self,
        session: &str,
        since: Option<u64>,
    ) -> Result<(u64, Option<Vec<Value>>, bool), StoreError> {
        let records = &self.engine().0.records;
        let log = records.changes(session);
        let (last, _) = records
            .store
            .scan(Query::last(log.clone(), 1))
            .await?
            .into_entries()?;
        let version = last.last().map_or(0, |entry| entry.seq);
        let Some(since) = since else {
            return Ok((version, None, false));
        };
        let (entries, next) = records
            .store
            .scan(Query::Log {
                log: log.clone(),
                after: Some(since),
                before: None,
                limit: 200,
            })
            .await?
            .into_entries()?;
        let (first, _) = records
            .store
            .scan(Query::log(log, 1))
            .await?
            .into_entries()?;
        // The log keeps its newest entries: an older version than the first one may have been followed by others.
        let was_trimmed = since > 0 && first.first().is_some_and(|first| first.seq > since);
        let is_of_elsewhere = since > version;
        let changes: Result<Vec<Value>, StoreError> =
            entries.iter().map(|entry| entry.value.read()).collect();
        // What did not fit on the page is asked for with the version that is returned.
        let version = if next.is_some() {
            entries.last().map_or(version, |entry| entry.seq)
        } else {
            version
        };
        Ok((version, Some(changes?), was_trimmed || is_of_elsewhere))
    }

    /// What was said in a session: the last messages, or those before a number; with `query` those that hold its words.
    ///
    /// # Errors
    /// When there is no such session, or the store fails.
    pub async fn history(
        &self,
        session: &str,
        limit: usize,
        before: Option<u64>,
        query: Option<&str>,
    ) -> Result<History, ToolError> {
        let session = self.resolve(session).await?;
        let records = &self.engine().0.records;
        let log = records.transcript(&session.id);
        let page = match Query::last(log.clone(), limit) {
            Query::Log {
                log,
                after,
                before: last,
                limit,
            } => Query::Log {
                log,
                after,
                before: before.or(last),
                limit,
            },
            other => other,
        };
        let read = async {
            let Some(text) = query else {
                let (entries, next) = records.store.scan(page).await?.into_entries()?;
                return Ok((entries, next.is_some()));
            };
            let hits = records
                .store
                .search(SearchQuery {
                    logs: log,
                    text: text.to_owned(),
                    limit,
                })
                .await?;
            let found: BTreeSet<u64> = hits.iter().map(|hit| hit.seq).collect();
            let mut entries = Vec::new();
            for seq in found {
                entries.extend(records.said(&session.id, seq).await?);
            }
            Ok((entries, false))
        };
        let (entries, has_more) = read.await.map_err(unsearchable)?;
        let messages: Result<Vec<_>, StoreError> = entries
            .iter()
            .map(|entry| Ok((entry.seq, entry.value.read()?)))
            .collect();
        Ok(History {
            session,
            messages: messages.map_err(failed)?,
            has_more,
        })
    }
}

fn unsearchable(error: StoreError) -> ToolError {
    match error {
        StoreError::Unsupported(_) => ToolError::new(
            ErrorCode::Unavailable,
            "The store of this application cannot search. Read the history without `query`.",
        ),
        error => failed(error),
    }
}

/// How a session is now: a run that waits or runs says more than the row.
fn state(tree: &Tree, row: &SessionRow) -> Status {
    let mut live = tree.live.iter().filter(|live| live.session == row.id);
    match live
        .clone()
        .find(|live| live.is_running)
        .or_else(|| live.next())
    {
        Some(live) if live.is_running => Status::Running,
        Some(_) => Status::Queued,
        None => row.status,
    }
}
