//! The rows of runs: leases, ends, and how many are kept.

use tenon_contract::limits;
use tenon_store::{Commit, Expect, Json, Key, Millis, Operation, Query, Range};

use crate::jobs::{Jobs, RUNS, Versioned, busy, pause};
use crate::{CronError, Job, Run, RunStatus, due};

/// One page of runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedRuns {
    /// The runs, the latest first.
    pub runs: Vec<Run>,
    /// What the next page is asked for with.
    pub next: Option<String>,
}

impl Jobs {
    /// Runs sort by the time that they were scheduled for.
    fn run_key(&self, job_id: &str, scheduled_for: Millis) -> Key {
        Key::new(
            RUNS,
            format!("{}{scheduled_for:015}", self.run_prefix(job_id)),
        )
    }

    fn run_prefix(&self, job_id: &str) -> String {
        format!("{}{job_id}/", self.prefix())
    }

    fn key_of(&self, run: &Run) -> Key {
        self.run_key(&run.job_id, run.scheduled_for)
    }

    /// The row of a run. One that runs has the end of its lease as its number.
    pub(crate) async fn put_run(
        &self,
        run: &Run,
        expires_at: Option<Millis>,
    ) -> Result<Operation, CronError> {
        let mut put = Operation::put(self.key_of(run), Json::of(run)?);
        if run.status == RunStatus::Running {
            let lease = self.options().lease;
            let lease = Millis::try_from(lease.as_millis()).unwrap_or(Millis::MAX);
            put = put.ordered(self.store().now().await?.saturating_add(lease));
        }
        Ok(match expires_at {
            Some(time) => put.expiring(time),
            None => put,
        })
    }

    async fn read_run(&self, key: Key) -> Result<Option<Versioned<Run>>, CronError> {
        let row = self
            .store()
            .get(vec![key])
            .await?
            .into_iter()
            .next()
            .flatten();
        row.map(|row| {
            Ok(Versioned {
                version: row.version,
                value: row.value.read()?,
            })
        })
        .transpose()
    }

    /// The commit of the end of a run that was replaced; nothing where it has ended already.
    pub(crate) async fn cancelled(
        &self,
        job_id: &str,
        run_id: &str,
        now: Millis,
    ) -> Result<Option<Operation>, CronError> {
        let running = self.running_of(job_id).await?;
        let Some(Versioned { mut value, version }) =
            running.into_iter().find(|run| run.value.run_id == run_id)
        else {
            return Ok(None);
        };
        value.status = RunStatus::Cancelled;
        value.ended_at = Some(now);
        value.error = Some("A later run has replaced it.".to_owned());
        Ok(Some(
            self.put_run(&value, None)
                .await?
                .expecting(Expect::Version(version)),
        ))
    }

    async fn running_of(&self, job_id: &str) -> Result<Vec<Versioned<Run>>, CronError> {
        self.leased(&self.run_prefix(job_id), Range::default())
            .await
    }

    /// The runs of this workspace whose lease has ended.
    pub(crate) async fn abandoned(&self) -> Result<Vec<Run>, CronError> {
        let now = self.store().now().await?;
        let range = Range {
            from: None,
            to: Some(now),
        };
        let rows = self.leased(&self.prefix(), range).await?;
        Ok(rows.into_iter().map(|row| row.value).collect())
    }

    async fn leased(&self, prefix: &str, range: Range) -> Result<Vec<Versioned<Run>>, CronError> {
        let query = Query::Space {
            space: RUNS.to_owned(),
            prefix: Some(prefix.to_owned()),
            order: Some(range),
            after: None,
            limit: limits::STORE_PAGE_MAX_ROWS,
        };
        let (rows, _) = self.store().scan(query).await?.into_rows()?;
        let read = |row: &tenon_store::Row| {
            Ok(Versioned {
                version: row.version,
                value: row.value.read()?,
            })
        };
        rows.iter().map(read).collect()
    }

    /// Says that a run still runs. False where it is not ours any more.
    pub(crate) async fn renew(&self, run: &Run) -> Result<bool, CronError> {
        let Some(Versioned { value, version }) = self.read_run(self.key_of(run)).await? else {
            return Ok(false);
        };
        if value.status != RunStatus::Running || value.owner != self.owner() {
            return Ok(false);
        }
        let put = self
            .put_run(&value, None)
            .await?
            .expecting(Expect::Version(version));
        Ok(matches!(
            self.store().commit(vec![put]).await?,
            Commit::Done { .. }
        ))
    }

    /// Ends a run and updates its job, in one commit. The job as it is afterwards; nothing where somebody else has
    /// ended the run.
    pub(crate) async fn finish(
        &self,
        run: &Run,
        status: RunStatus,
        summary: Option<String>,
        error: Option<String>,
    ) -> Result<Option<Ended>, CronError> {
        for attempt in 0..limits::STORE_SWAP_ATTEMPTS {
            pause(attempt).await;
            let Some(Versioned {
                value: mut row,
                version,
            }) = self.read_run(self.key_of(run)).await?
            else {
                return Ok(None);
            };
            if row.status != RunStatus::Running || row.owner != run.owner {
                return Ok(None);
            }
            let now = self.now();
            row.status = status;
            row.ended_at = Some(now.max(row.started_at));
            row.summary = summary.clone().map(short);
            row.error = error.clone().map(short);
            let mut operations = Vec::new();
            let job = self.read(&run.job_id).await?;
            let ended = match job {
                None => Ended::Removed,
                Some(Versioned {
                    value: job,
                    version,
                }) => match due::after_run(job, &run.run_id, status, now)? {
                    Some(job) => {
                        operations.push(self.put(&job)?.expecting(Expect::Version(version)));
                        Ended::Kept(Box::new(job))
                    }
                    None => {
                        operations.push(
                            Operation::delete(self.job_key(&run.job_id))
                                .expecting(Expect::Version(version)),
                        );
                        Ended::Removed
                    }
                },
            };
            let expires_at = match ended {
                Ended::Removed => Some(self.later(limits::CRON_REMOVED_RUNS_MAX_AGE).await?),
                Ended::Kept(_) => None,
            };
            operations.push(
                self.put_run(&row, expires_at)
                    .await?
                    .expecting(Expect::Version(version)),
            );
            if let Commit::Done { .. } = self.store().commit(operations).await? {
                return Ok(Some(ended));
            }
        }
        Err(busy(&run.job_id))
    }

    async fn later(&self, age: std::time::Duration) -> Result<Millis, CronError> {
        let age = Millis::try_from(age.as_millis()).unwrap_or(Millis::MAX);
        Ok(self.store().now().await?.saturating_add(age))
    }

    /// The runs of a job, the latest first.
    ///
    /// # Errors
    /// A store that fails.
    pub async fn runs(
        &self,
        job_id: &str,
        before: Option<&str>,
        limit: usize,
    ) -> Result<ListedRuns, CronError> {
        let mut all = self.run_rows(job_id).await?;
        all.reverse();
        let before = before.and_then(|mark| mark.parse::<Millis>().ok());
        let mut runs: Vec<Run> = Vec::new();
        let mut next = None;
        for Versioned { value, .. } in all {
            if before.is_some_and(|before| value.scheduled_for >= before) {
                continue;
            }
            if runs.len() == limit {
                next = runs.last().map(|run| run.scheduled_for.to_string());
                break;
            }
            runs.push(value);
        }
        Ok(ListedRuns { runs, next })
    }

    async fn run_rows(&self, job_id: &str) -> Result<Vec<Versioned<Run>>, CronError> {
        let prefix = self.run_prefix(job_id);
        let (rows, _) = self
            .page(RUNS, &prefix, None, limits::STORE_PAGE_MAX_ROWS)
            .await?;
        rows.iter()
            .map(|row| {
                Ok(Versioned {
                    version: row.version,
                    value: row.value.read()?,
                })
            })
            .collect()
    }

    /// Removes the oldest runs of a job where there are too many.
    pub(crate) async fn prune(&self, job: &Job) -> Result<(), CronError> {
        /// Not at every run.
        const EVERY: u64 = 20;
        if job.rows <= limits::CRON_RUNS_KEPT || !job.rows.is_multiple_of(EVERY) {
            return Ok(());
        }
        let rows = self.run_rows(&job.id).await?;
        let kept = usize::try_from(limits::CRON_RUNS_KEPT).unwrap_or(usize::MAX);
        let surplus = rows.len().saturating_sub(kept);
        let ended = rows
            .iter()
            .take(surplus)
            .filter(|row| row.value.status != RunStatus::Running);
        let deletes: Vec<Operation> = ended
            .map(|row| Operation::delete(self.key_of(&row.value)))
            .collect();
        if !deletes.is_empty() {
            self.store().commit(deletes).await?;
        }
        Ok(())
    }

    /// Lets the runs of a removed job end with time.
    pub(crate) async fn expire_runs(&self, job_id: &str) -> Result<(), CronError> {
        let at = self.later(limits::CRON_REMOVED_RUNS_MAX_AGE).await?;
        let mut operations = Vec::new();
        for Versioned { value, version } in self.run_rows(job_id).await? {
            if value.status != RunStatus::Running {
                operations.push(
                    self.put_run(&value, Some(at))
                        .await?
                        .expecting(Expect::Version(version)),
                );
            }
        }
        for operations in operations.chunks(limits::STORE_OPERATIONS_MAX) {
            // A conflict means that a row was changed meanwhile: it keeps what it has.
            self.store().commit(operations.to_vec()).await?;
        }
        Ok(())
    }
}

/// A job after one of its runs.
pub(crate) enum Ended {
    Kept(Box<Job>),
    Removed,
}

/// A text that fits into a row.
fn short(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(limits::CRON_SUMMARY_MAX_BYTES));
    text
}
