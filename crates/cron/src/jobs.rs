//! The jobs of one workspace, as rows of a store.
//!
//! A job is a row whose number is the time at which somebody has to look at it; a run is a row whose number is the end of
//! its lease, for as long as it runs. Every change of a job expects the version that was read.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tenon_contract::limits;
use tenon_store::{
    Commit, Expect, Json, Key, Millis, Operation, Query, Row, Store, SystemClock, Version, Watch,
};

use crate::due::{self, Step};
use crate::error::quoted;
use crate::job::Occurrence;
use crate::{CatchUp, CronError, Job, JobChange, Overlap, Run, RunStatus, Trigger, Zone};

/// The space of the jobs.
pub(crate) const JOBS: &str = "cron_jobs";
/// The space of their runs.
pub(crate) const RUNS: &str = "cron_runs";

/// What the jobs of a workspace are kept with.
#[derive(Clone)]
pub struct JobsOptions {
    /// Where.
    pub store: Arc<dyn Store>,
    /// Of which workspace, by its absolute path.
    pub workspace: String,
    /// The zone of schedules that name none.
    pub zone: Zone,
    /// The wall clock. Default: that of the system.
    pub clock: Option<SystemClock>,
    /// The shortest time between two runs.
    pub least_interval: Duration,
    /// How long a run counts as running that nobody says so of.
    pub lease: Duration,
}

impl JobsOptions {
    /// The jobs of this workspace in this store, with the zone and the clock of the system.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, workspace: impl Into<String>) -> Self {
        Self {
            store,
            workspace: workspace.into(),
            zone: Zone::of_system(),
            clock: None,
            least_interval: limits::CRON_INTERVAL_MIN,
            lease: limits::CRON_LEASE,
        }
    }
}

/// The jobs of one workspace. Cheap to clone.
#[derive(Clone)]
pub struct Jobs(Arc<Inner>);

struct Inner {
    options: JobsOptions,
    /// The workspace in the names of rows, which may be shorter than it is.
    scope: String,
    /// Who claims: other for every process and toolkit.
    owner: String,
}

/// One page of jobs.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// The jobs, by their ids.
    pub jobs: Vec<Job>,
    /// What the next page is asked for with.
    pub next: Option<String>,
}

/// A row that was read as what it is.
pub(crate) struct Versioned<T> {
    pub(crate) value: T,
    pub(crate) version: Version,
}

impl Jobs {
    /// The jobs of a workspace.
    #[must_use]
    pub fn new(options: JobsOptions) -> Self {
        let scope: String = blake3::hash(options.workspace.as_bytes())
            .to_hex()
            .chars()
            .take(32)
            .collect();
        let owner = random_name("owner");
        Self(Arc::new(Inner {
            options,
            scope,
            owner,
        }))
    }

    /// The zone of schedules that name none.
    #[must_use]
    pub fn zone(&self) -> &Zone {
        &self.0.options.zone
    }

    /// The wall clock.
    #[must_use]
    pub fn now(&self) -> Millis {
        match &self.0.options.clock {
            Some(clock) => clock(),
            None => jiff::Timestamp::now().as_millisecond(),
        }
    }

    pub(crate) fn store(&self) -> &dyn Store {
        self.0.options.store.as_ref()
    }

    /// What the jobs are kept with.
    #[must_use]
    pub fn options(&self) -> &JobsOptions {
        &self.0.options
    }

    pub(crate) fn owner(&self) -> &str {
        &self.0.owner
    }

    /// Calls `changed` when jobs may have changed, where the store can say so.
    pub(crate) fn watch(&self, changed: tenon_store::Changed) -> Option<Watch> {
        self.store().watch(vec![JOBS.to_owned()], changed)
    }

    /// The beginning of the keys of all rows of this workspace.
    pub(crate) fn prefix(&self) -> String {
        format!("{}/", self.0.scope)
    }

    pub(crate) fn job_key(&self, id: &str) -> Key {
        Key::new(JOBS, format!("{}{id}", self.prefix()))
    }

    /// Adds a job.
    ///
    /// # Errors
    /// A parameter that is wrong, too many jobs, a store that fails.
    pub async fn add(&self, change: JobChange, rights: Value) -> Result<Job, CronError> {
        let now = self.now();
        let mut job = self.blank(rights, now);
        if change
            .prompt
            .as_deref()
            .is_none_or(|prompt| prompt.trim().is_empty())
            && change.data.is_none()
        {
            return Err(CronError::invalid(
                "prompt",
                "`prompt` is required for `add`: what to do when the job runs.",
            ));
        }
        change.apply(&mut job, now, self.0.options.least_interval)?;
        if job.name.is_empty() {
            job.name = name_of(&job);
        }
        if self.count().await? >= limits::CRON_JOBS_MAX {
            let message = format!(
                "There are {} jobs already. Remove one before adding another.",
                limits::CRON_JOBS_MAX
            );
            return Err(CronError::Refused(message));
        }
        let put = self.put(&job)?.expecting(Expect::Absent);
        match self.store().commit(vec![put]).await? {
            Commit::Done { .. } => Ok(job),
            Commit::Conflict { .. } => Err(CronError::Refused(
                "Another job got the same id. Add it again.".to_owned(),
            )),
        }
    }

    fn blank(&self, rights: Value, now: Millis) -> Job {
        Job {
            id: random_name("job"),
            workspace: self.0.options.workspace.clone(),
            name: String::new(),
            schedule: String::new(),
            anchor: now,
            tz: self.zone().name().to_owned(),
            prompt: None,
            agent: None,
            data: None,
            overlap: Overlap::default(),
            catch_up: CatchUp::default(),
            window: None,
            jitter: 0,
            timeout: limits::CRON_RUN_TIMEOUT.as_secs(),
            max_runs: None,
            until: None,
            enabled: true,
            keep: false,
            retry_lost: false,
            rights,
            created_at: now,
            next: None,
            last_scheduled: None,
            last_run: None,
            runs: 0,
            rows: 0,
            failures: 0,
            disabled_reason: None,
            active: Vec::new(),
            queued: None,
        }
    }

    /// Changes a job. What runs keeps running as it was.
    ///
    /// # Errors
    /// As [`add`](Self::add); a job that does not exist.
    pub async fn update(
        &self,
        id: &str,
        change: JobChange,
        rights: Value,
    ) -> Result<Job, CronError> {
        if change.is_empty() {
            return Err(CronError::invalid(
                "name",
                "`update` changes nothing: give what to change.",
            ));
        }
        let least = self.0.options.least_interval;
        self.changed(id, |job| {
            add_rights(&mut job.rights, &rights);
            change.clone().apply(job, self.now(), least)
        })
        .await
    }

    /// Has a job run now, beside its schedule. It starts as soon as no run of it runs.
    ///
    /// # Errors
    /// A job that does not exist, or that waits already.
    pub async fn run(&self, id: &str) -> Result<(Job, String), CronError> {
        let job = self
            .changed(id, |job| {
                if job.queued.is_some() {
                    return Err(CronError::Refused(format!(
                        "A run of `{}` waits already.",
                        job.id
                    )));
                }
                let scheduled_for = self
                    .now()
                    .max(job.last_scheduled.map_or(0, |last| last + 1));
                job.queued = Some(Occurrence {
                    scheduled_for,
                    trigger: Trigger::Manual,
                    missed: 0,
                });
                job.last_scheduled = Some(scheduled_for);
                Ok(())
            })
            .await?;
        let run_id = job
            .queued
            .map_or_else(String::new, |queued| job.run_id(queued.scheduled_for));
        Ok((job, run_id))
    }

    /// Reads, changes and writes a job, again where somebody else was quicker.
    async fn changed(
        &self,
        id: &str,
        change: impl Fn(&mut Job) -> Result<(), CronError>,
    ) -> Result<Job, CronError> {
        for attempt in 0..limits::STORE_SWAP_ATTEMPTS {
            pause(attempt).await;
            let Versioned { mut value, version } = self.versioned(id).await?;
            change(&mut value)?;
            let put = self.put(&value)?.expecting(Expect::Version(version));
            if let Commit::Done { .. } = self.store().commit(vec![put]).await? {
                return Ok(value);
            }
        }
        Err(busy(id))
    }

    /// Removes a job. What runs keeps running.
    ///
    /// # Errors
    /// A job that does not exist.
    pub async fn remove(&self, id: &str) -> Result<Job, CronError> {
        let job = self.get(id).await?;
        self.store()
            .commit(vec![Operation::delete(self.job_key(&job.id))])
            .await?;
        self.expire_runs(&job.id).await?;
        Ok(job)
    }

    /// The job of this id, or of this name where only one has it.
    ///
    /// # Errors
    /// There is none, or several.
    pub async fn get(&self, id: &str) -> Result<Job, CronError> {
        Ok(self.versioned(id).await?.value)
    }

    async fn versioned(&self, id: &str) -> Result<Versioned<Job>, CronError> {
        let is_id = !id.is_empty()
            && id.len() <= 100
            && id
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        if is_id && let Some(job) = self.read(id).await? {
            return Ok(job);
        }
        let jobs = self.all().await?;
        let mut named = jobs.iter().filter(|job| job.name == id);
        match (named.next(), named.next()) {
            (Some(job), None) => self.read(&job.id).await?.ok_or_else(|| missing(id, &jobs)),
            (Some(_), Some(_)) => Err(CronError::NotFound(format!(
                "Several jobs are called {}. Use the `jobId` that `list` shows.",
                quoted(id)
            ))),
            _ => Err(missing(id, &jobs)),
        }
    }

    /// The row of a job; nothing where there is none.
    pub(crate) async fn read(&self, id: &str) -> Result<Option<Versioned<Job>>, CronError> {
        let rows = self.store().get(vec![self.job_key(id)]).await?;
        let row = rows.into_iter().next().flatten();
        row.map(|row| {
            Ok(Versioned {
                version: row.version,
                value: row.value.read()?,
            })
        })
        .transpose()
    }

    async fn all(&self) -> Result<Vec<Job>, CronError> {
        Ok(self.list(None, limits::CRON_JOBS_MAX).await?.jobs)
    }

    /// How many jobs there are.
    ///
    /// # Errors
    /// A store that fails.
    pub async fn count(&self) -> Result<usize, CronError> {
        Ok(self.all().await?.len())
    }

    /// One page of the jobs.
    ///
    /// # Errors
    /// A store that fails.
    pub async fn list(&self, after: Option<&str>, limit: usize) -> Result<Listed, CronError> {
        let (rows, more) = self
            .page(
                JOBS,
                &self.prefix(),
                after.map(|id| format!("{}{id}", self.prefix())),
                limit,
            )
            .await?;
        let jobs: Vec<Job> = rows
            .iter()
            .map(|row| row.value.read())
            .collect::<Result<_, _>>()?;
        let next = jobs.last().filter(|_| more).map(|job| job.id.clone());
        Ok(Listed { jobs, next })
    }

    /// The rows of a space behind a key, and whether there are more.
    pub(crate) async fn page(
        &self,
        space: &str,
        prefix: &str,
        after: Option<String>,
        limit: usize,
    ) -> Result<(Vec<Row>, bool), CronError> {
        let query = Query::Space {
            space: space.to_owned(),
            prefix: Some(prefix.to_owned()),
            order: None,
            after,
            limit,
        };
        let (rows, next) = self.store().scan(query).await?.into_rows()?;
        Ok((rows, next.is_some()))
    }

    /// The row of a job to write.
    pub(crate) fn put(&self, job: &Job) -> Result<Operation, CronError> {
        let put = Operation::put(self.job_key(&job.id), Json::of(job)?);
        Ok(match job.order() {
            Some(order) => put.ordered(order),
            None => put,
        })
    }

    /// Takes the next step of a job, if one is due and nobody else has taken it: the run to start, or that a step
    /// was taken.
    pub(crate) async fn claim(&self, id: &str) -> Result<Claimed, CronError> {
        let Some(Versioned {
            value: job,
            version,
        }) = self.read(id).await?
        else {
            return Ok(Claimed::Nothing);
        };
        let now = self.now();
        let step = match due::step(&job, now) {
            Ok(Some(step)) => step,
            Ok(None) => return Ok(Claimed::Nothing),
            Err(error) => {
                let mut broken = job.clone();
                broken.queued = None;
                broken.disable(format!("It cannot be scheduled: {error}"));
                Step {
                    job: broken,
                    row: None,
                    replaced: Vec::new(),
                }
            }
        };
        let Step {
            mut job,
            row,
            replaced,
        } = step;
        let run = row.map(|(occurrence, status)| self.row_of(&job, occurrence, status, now));
        job.rows += u64::from(run.is_some());
        let mut operations = vec![self.put(&job)?.expecting(Expect::Version(version))];
        if let Some(run) = &run {
            operations.push(self.put_run(run, None).await?.expecting(Expect::Absent));
        }
        for id in &replaced {
            operations.extend(self.cancelled(&job.id, id, now).await?);
        }
        match self.store().commit(operations).await? {
            Commit::Conflict { index: 1 } => self.pass_over(version, job).await,
            Commit::Conflict { .. } => Ok(Claimed::Lost),
            Commit::Done { .. } => {
                // The run is ours by now: rows that cannot be removed go another time.
                let _ = self.prune(&job).await;
                Ok(match run.filter(|run| run.status == RunStatus::Running) {
                    Some(run) => Claimed::Run {
                        job: Box::new(job),
                        run,
                        replaced,
                    },
                    None => Claimed::Step,
                })
            }
        }
    }

    /// An occurrence whose run exists already, as after a restored job, is passed over.
    async fn pass_over(&self, version: Version, mut job: Job) -> Result<Claimed, CronError> {
        let stored: Vec<String> = self
            .read(&job.id)
            .await?
            .map(|read| read.value.active)
            .unwrap_or_default();
        job.active = stored;
        let put = self.put(&job)?.expecting(Expect::Version(version));
        let commit = self.store().commit(vec![put]).await?;
        Ok(if matches!(commit, Commit::Done { .. }) {
            Claimed::Step
        } else {
            Claimed::Lost
        })
    }

    fn row_of(&self, job: &Job, occurrence: Occurrence, status: RunStatus, now: Millis) -> Run {
        Run {
            run_id: job.run_id(occurrence.scheduled_for),
            job_id: job.id.clone(),
            scheduled_for: occurrence.scheduled_for,
            started_at: now,
            ended_at: (status != RunStatus::Running).then_some(now),
            trigger: occurrence.trigger,
            status,
            missed: occurrence.missed,
            summary: None,
            error: None,
            owner: self.owner().to_owned(),
        }
    }
}

/// What came of a look at a job.
pub(crate) enum Claimed {
    /// Nothing is due.
    Nothing,
    /// Somebody else was quicker.
    Lost,
    /// A step was taken that needs nobody; there may be another.
    Step,
    /// A run is ours.
    Run {
        job: Box<Job>,
        run: Run,
        replaced: Vec<String>,
    },
}

/// Lets others go first, a little longer each time: those who try at once again only meet again.
pub(crate) async fn pause(attempt: usize) {
    if attempt > 0 {
        let most = u64::try_from(attempt).unwrap_or(u64::MAX).saturating_mul(4);
        let spread = RandomState::new().hash_one(attempt) % most;
        tokio::time::sleep(Duration::from_millis(spread)).await;
    }
}

pub(crate) fn busy(id: &str) -> CronError {
    CronError::Refused(format!(
        "The job {} is being changed by others. Try again.",
        quoted(id)
    ))
}

fn missing(id: &str, jobs: &[Job]) -> CronError {
    let known: Vec<String> = jobs
        .iter()
        .take(10)
        .map(|job| format!("`{}` ({})", job.id, job.name.escape_debug()))
        .collect();
    let next = if known.is_empty() {
        "There are no jobs.".to_owned()
    } else {
        format!("Jobs: {}.", known.join(", "))
    };
    CronError::NotFound(format!("There is no job {}. {next}", quoted(id)))
}

/// A name for a job that got none: the beginning of what it does.
fn name_of(job: &Job) -> String {
    let words = job.prompt.as_deref().unwrap_or("Job");
    let line = words
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("Job");
    line.trim().chars().take(60).collect()
}

/// Who changes what a job does answers for it as well: it may do what all of them may.
fn add_rights(known: &mut Value, more: &Value) {
    let (Value::Array(known), Value::Array(more)) = (known, more) else {
        return;
    };
    for right in more {
        if !known.contains(right) {
            known.push(right.clone());
        }
    }
}

fn random_name(kind: &str) -> String {
    let state = RandomState::new();
    let number = state.hash_one((kind, jiff::Timestamp::now().as_nanosecond()));
    format!("{kind}_{number:016x}")
}
