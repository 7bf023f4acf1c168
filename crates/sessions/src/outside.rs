//! Sessions that no agent has started, as those of scheduled jobs: who runs them, and for how long, is known elsewhere.
//! They are written down so that the tools for sessions find them like all others.

use std::sync::Arc;

use tenon_store::{Store, StoreError};

use crate::model::{Kind, Message, ResultRow, RunRow, SessionRow, Status};
use crate::records::{Records, Transaction};
use crate::run::close_run;

/// A run that begins outside of a tree.
#[derive(Debug, Clone)]
pub struct OutsideRun {
    /// Its session, the root of a tree of its own.
    pub session: String,
    /// The run.
    pub run: String,
    /// Who started it.
    pub kind: Kind,
    /// The kind of agent.
    pub agent: String,
    /// What the session is called.
    pub label: String,
    /// What is to be done.
    pub objective: String,
}

/// The runs of a workspace that begin outside of a tree.
#[derive(Clone)]
pub struct OutsideRuns {
    store: Arc<dyn Store>,
    workspace: String,
}

impl OutsideRuns {
    /// Those of this workspace, by its path, in this store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, workspace: impl Into<String>) -> Self {
        Self {
            store,
            workspace: workspace.into(),
        }
    }

    /// Writes that a run has begun.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn begin(&self, run: &OutsideRun) -> Result<(), StoreError> {
        let records = self.records(&run.session);
        let mut attempt = 0;
        loop {
            let mut transaction = records.begin().await?;
            enter_begin(&mut transaction, run)?;
            if transaction.commit().await? {
                return Ok(());
            }
            attempt += 1;
            Records::pause(attempt).await?;
        }
    }

    /// Writes how a run has ended, where its beginning was written.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn end(
        &self,
        session: &str,
        run: &str,
        status: Status,
        summary: Option<&str>,
    ) -> Result<(), StoreError> {
        let records = self.records(session);
        let mut attempt = 0;
        loop {
            let mut transaction = records.begin().await?;
            let rows = (records.run(run).await?, records.session(session).await?);
            let (Some(mut row), Some(mut session)) = rows else {
                return Ok(());
            };
            close_run(&mut row, &mut session, status, transaction.now);
            enter_end(&mut transaction, &row, session, summary)?;
            if transaction.commit().await? {
                return Ok(());
            }
            attempt += 1;
            Records::pause(attempt).await?;
        }
    }

    fn records(&self, session: &str) -> Records {
        Records::new(Arc::clone(&self.store), &self.workspace, session)
    }
}

fn enter_begin(transaction: &mut Transaction<'_>, run: &OutsideRun) -> Result<(), StoreError> {
    let now = transaction.now;
    let session = SessionRow {
        id: run.session.clone(),
        kind: run.kind,
        agent: run.agent.clone(),
        label: run.label.clone(),
        root: run.session.clone(),
        status: Status::Running,
        last_run: Some(run.run.clone()),
        created_at: now,
        started_at: Some(now),
        ..SessionRow::default()
    };
    let row = RunRow {
        id: run.run.clone(),
        session: run.session.clone(),
        objective: run.objective.clone(),
        status: Status::Running,
        queued_at: now,
        started_at: Some(now),
        ..RunRow::default()
    };
    let said = said(&run.run, "user", &run.objective);
    transaction.say(&run.session, &format!("{}/objective", run.run), &said)?;
    transaction.run(&row)?;
    transaction.session(session)
}

fn enter_end(
    transaction: &mut Transaction<'_>,
    run: &RunRow,
    session: SessionRow,
    summary: Option<&str>,
) -> Result<(), StoreError> {
    if let Some(summary) = summary {
        let result = ResultRow {
            summary: summary.to_owned(),
            output: None,
        };
        transaction.result(&run.id, &result)?;
        let said = said(&run.id, "assistant", summary);
        transaction.say(&session.id, &format!("{}/result", run.id), &said)?;
    }
    transaction.run(run)?;
    transaction.session(session)
}

fn said(run: &str, role: &str, text: &str) -> Message {
    Message {
        role: role.to_owned(),
        text: text.to_owned(),
        run: run.to_owned(),
        round: true,
        from: None,
    }
}

impl std::fmt::Debug for OutsideRuns {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("OutsideRuns")
            .field("workspace", &self.workspace)
            .finish_non_exhaustive()
    }
}
