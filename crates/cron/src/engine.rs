//! Fires jobs, on a thread of its own: nothing of the host has to be idle, or awake, for a job to start.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value};
use tenon_contract::{CancellationToken, limits};
use tenon_store::{Leaps, Millis, Query, Range};
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};

use crate::jobs::{Claimed, JOBS, Jobs};
use crate::runs::Ended;
use crate::{CronError, Job, Run, RunStatus, Trigger};

/// A run that has begun.
#[derive(Debug, Clone, PartialEq)]
pub struct Fire {
    /// The job.
    pub job_id: String,
    /// The run.
    pub run_id: String,
    /// What people call the job.
    pub name: String,
    /// What to do.
    pub prompt: Option<String>,
    /// Which agent does it.
    pub agent: Option<String>,
    /// More of it.
    pub data: Option<Map<String, Value>>,
    /// The time that it was scheduled for, in the zone of the job.
    pub scheduled_for: String,
    /// Why it was started.
    pub trigger: Trigger,
    /// Occurrences that it stands for as well.
    pub missed: u64,
    /// The zone of the job.
    pub time_zone: String,
    /// What the creator of the job was allowed to do.
    pub rights: Value,
}

/// What a run says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fired {
    /// Whether it did what it was to do.
    pub ok: bool,
    /// What it did.
    pub summary: Option<String>,
}

/// The future of a run: what it says, or why it failed.
pub type FiredFuture = Pin<Box<dyn Future<Output = Result<Fired, String>> + Send>>;

/// Does what jobs are for.
pub trait Runner: Send + Sync + 'static {
    /// Does it. Dropping the future stops the work; the token says so before.
    fn run(&self, fire: Fire, stop: CancellationToken) -> FiredFuture;

    /// Hears of the end of a run when it is written, also of one that another process has lost.
    fn ended(&self, end: &RunEnd) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let _ = end;
        Box::pin(std::future::ready(()))
    }
}

/// The end of a run, as this process knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEnd {
    /// The job.
    pub job_id: String,
    /// The run.
    pub run_id: String,
    /// What people call the job; missing where the run was one of another process.
    pub name: Option<String>,
    /// Which agent did it, where the job names one.
    pub agent: Option<String>,
    /// How it has ended.
    pub status: RunStatus,
    /// What it said, or why it failed.
    pub summary: Option<String>,
}

/// Hears of ends of runs, once each, when they are written.
type OnEnd = Arc<dyn Fn(RunEnd) + Send + Sync>;
/// Hears what goes wrong, a sentence each.
type Warn = Arc<dyn Fn(String) + Send + Sync>;

/// What jobs are fired with.
pub struct EngineOptions {
    /// The jobs.
    pub jobs: Jobs,
    /// Who does what they are for.
    pub runner: Arc<dyn Runner>,
    /// Hears what goes wrong.
    pub warn: Option<Warn>,
    /// Hears of ends of runs.
    pub on_end: Option<OnEnd>,
}

/// Fires the jobs of one workspace for as long as it exists.
pub struct Engine {
    stop: CancellationToken,
    wake: Arc<Notify>,
    thread: Mutex<Option<std::thread::JoinHandle<()>>>,
}

impl Engine {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn start(options: EngineOptions) -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()?;
        let (stop, wake) = (CancellationToken::new(), Arc::new(Notify::new()));
        let worker = Worker::new(options, stop.clone(), wake.clone());
        let thread = std::thread::Builder::new()
            .name("tenon-cron".to_owned())
            .spawn(move || runtime.block_on(worker.work()))?;
        Ok(Self {
            stop,
            wake,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Looks at the jobs at once, after one was changed here.
    pub fn nudge(&self) {
        self.wake.notify_one();
    }

    /// Stops what runs, without waiting for it.
    pub fn end_now(&self) {
        self.stop.cancel();
    }

    /// Stops what runs and waits until that is written.
    pub fn close(&self) {
        self.stop.cancel();
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread {
            // A panic of the thread was reported by itself; there is nothing left to wait for.
            let _ = thread.join();
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Engine")
    }
}

/// The work of the thread.
pub(crate) struct Worker {
    jobs: Jobs,
    runner: Arc<dyn Runner>,
    warn: Option<Warn>,
    on_end: Option<OnEnd>,
    stop: CancellationToken,
    wake: Arc<Notify>,
    running: Arc<Mutex<HashMap<String, Own>>>,
    /// Of the clock that leases are measured by.
    leaps: Leaps,
    tasks: tokio::sync::Mutex<JoinSet<()>>,
    /// Whether the store has failed last time: one warning is enough.
    has_failed: Mutex<bool>,
}

/// A run of this process.
struct Own {
    run: Run,
    stop: CancellationToken,
}

impl Worker {
    pub(crate) fn new(
        options: EngineOptions,
        stop: CancellationToken,
        wake: Arc<Notify>,
    ) -> Arc<Self> {
        let EngineOptions {
            jobs,
            runner,
            warn,
            on_end,
        } = options;
        Arc::new(Self {
            jobs,
            runner,
            warn,
            on_end,
            stop,
            wake,
            running: Arc::default(),
            leaps: Leaps::default(),
            tasks: tokio::sync::Mutex::default(),
            has_failed: Mutex::new(false),
        })
    }

    async fn work(self: Arc<Self>) {
        let wake = Arc::clone(&self.wake);
        let _watch = self.jobs.watch(Arc::new(move || wake.notify_one()));
        while !self.stop.is_cancelled() {
            let sleep = match self.tick().await {
                Ok(sleep) => {
                    *self
                        .has_failed
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner) = false;
                    sleep
                }
                Err(error) => {
                    self.warn_once(&error);
                    limits::CRON_LEASE_RENEWAL
                }
            };
            tokio::select! {
                () = self.stop.cancelled() => break,
                () = self.wake.notified() => {}
                () = tokio::time::sleep(sleep) => {}
            }
        }
        let ended = async { while self.tasks.lock().await.join_next().await.is_some() {} };
        // A run that has not ended by then is lost, and is reported as lost.
        let _ = tokio::time::timeout(limits::CRON_STOP_PATIENCE * 2, ended).await;
    }

    fn warn_once(&self, error: &CronError) {
        let mut has_failed = self
            .has_failed
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut *has_failed, true) {
            self.say(format!("Scheduled jobs are not run for now: {error}"));
        }
    }

    fn say(&self, sentence: String) {
        if let Some(warn) = &self.warn {
            warn(sentence);
        }
    }

    fn running(&self) -> MutexGuard<'_, HashMap<String, Own>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One look at the clock: how long to sleep then.
    pub(crate) async fn tick(self: &Arc<Self>) -> Result<Duration, CronError> {
        self.renew().await?;
        self.reap().await?;
        // One time for both: what falls due in between is the next thing to do, and not overlooked until the next look.
        let now = self.jobs.now();
        self.fire(now).await?;
        while self.tasks.lock().await.try_join_next().is_some() {}
        let next = self.next(now).await?;
        let busy = !self.running().is_empty();
        let most = if busy {
            limits::CRON_LEASE_RENEWAL
        } else {
            limits::CRON_LOOK_INTERVAL
        };
        let wait = next.map(|next| next.saturating_sub(self.jobs.now()).max(1));
        let wait = wait.map(|wait| Duration::from_millis(wait.unsigned_abs()));
        Ok(wait.map_or(most, |wait| wait.min(most)))
    }

    /// Says that our runs still run; those that are not ours any more are stopped.
    async fn renew(&self) -> Result<(), CronError> {
        let own: Vec<Run> = self.running().values().map(|own| own.run.clone()).collect();
        for run in own {
            if !self.jobs.renew(&run).await?
                && let Some(own) = self.running().get(&run.run_id)
            {
                own.stop.cancel();
            }
        }
        Ok(())
    }

    /// Reports the runs whose owner does not say any more that they run.
    async fn reap(&self) -> Result<(), CronError> {
        // After a suspend the others have to come to their next renewal first.
        let renewal = limits::CRON_LEASE_RENEWAL;
        if !self.leaps.none_for(renewal + renewal / 2) {
            return Ok(());
        }
        for run in self.jobs.abandoned().await? {
            if self.running().contains_key(&run.run_id) {
                continue;
            }
            let error = "The process that ran it has died.".to_owned();
            let ended = self
                .jobs
                .finish(&run, RunStatus::Lost, None, Some(error))
                .await?;
            if let Some(ended) = ended {
                self.say(format!(
                    "The run `{}` of a scheduled job was lost: the process that ran it has died.",
                    run.run_id
                ));
                self.report(&ended);
                self.ended(None, &run, RunStatus::Lost, None).await;
            }
        }
        Ok(())
    }

    /// Starts what is due at this time.
    async fn fire(self: &Arc<Self>, now: Millis) -> Result<(), CronError> {
        let mut after = None;
        loop {
            let query = Query::Space {
                space: JOBS.to_owned(),
                prefix: Some(self.jobs.prefix()),
                order: Some(Range {
                    from: None,
                    to: Some(now),
                }),
                after: after.take(),
                limit: limits::STORE_PAGE_MAX_ROWS,
            };
            let (rows, next) = self.jobs.store().scan(query).await?.into_rows()?;
            for row in rows {
                let id = row.key.rsplit('/').next().unwrap_or_default().to_owned();
                if !self.start_all(&id).await? {
                    return Ok(());
                }
            }
            match next {
                Some(next) => after = Some(next),
                None => return Ok(()),
            }
        }
    }

    /// Takes every step of a job that is due. False where no more can run now.
    async fn start_all(self: &Arc<Self>, id: &str) -> Result<bool, CronError> {
        loop {
            if self.stop.is_cancelled() || self.running().len() >= limits::CRON_RUNS_AT_ONCE {
                return Ok(false);
            }
            match self.jobs.claim(id).await? {
                Claimed::Nothing => return Ok(true),
                Claimed::Lost | Claimed::Step => {}
                Claimed::Run { job, run, replaced } => {
                    for old in replaced {
                        if let Some(own) = self.running().get(&old) {
                            own.stop.cancel();
                        }
                    }
                    self.begin(*job, run).await;
                }
            }
        }
    }

    async fn begin(self: &Arc<Self>, job: Job, run: Run) {
        let stop = self.stop.child_token();
        let own = Own {
            run: run.clone(),
            stop: stop.clone(),
        };
        self.running().insert(run.run_id.clone(), own);
        let worker = Arc::clone(self);
        let work = async move {
            let (status, summary, error) = worker.run(&job, &run, stop).await;
            let said = summary.clone().or_else(|| error.clone());
            let ended = worker.finish(&run, status, summary, error).await;
            worker.running().remove(&run.run_id);
            if let Some(ended) = ended {
                worker.report(&ended);
                worker.ended(Some(&job), &run, status, said).await;
            }
            worker.wake.notify_one();
        };
        self.tasks.lock().await.spawn(work);
    }

    /// Writes the end of a run, however long the store cannot be used meanwhile: its lease is renewed until then.
    async fn finish(
        &self,
        run: &Run,
        status: RunStatus,
        summary: Option<String>,
        error: Option<String>,
    ) -> Option<Ended> {
        let mut failures = 0;
        loop {
            let written = self
                .jobs
                .finish(run, status, summary.clone(), error.clone());
            let error = match written.await {
                Ok(ended) => return ended,
                Err(error) => error,
            };
            if failures == 0 {
                self.say(format!(
                    "The end of the run `{}` could not be written: {error}",
                    run.run_id
                ));
            }
            failures += 1;
            let pause = Duration::from_millis(200).saturating_mul(failures);
            tokio::select! {
                // Others will take it for lost.
                () = self.stop.cancelled() => return None,
                () = tokio::time::sleep(pause.min(limits::CRON_LEASE_RENEWAL)) => {}
            }
        }
    }

    async fn ended(
        &self,
        job: Option<&Job>,
        run: &Run,
        status: RunStatus,
        summary: Option<String>,
    ) {
        let end = RunEnd {
            job_id: run.job_id.clone(),
            run_id: run.run_id.clone(),
            name: job.map(|job| job.name.clone()),
            agent: job.and_then(|job| job.agent.clone()),
            status,
            summary,
        };
        self.runner.ended(&end).await;
        if let Some(on_end) = &self.on_end {
            on_end(end);
        }
    }

    /// Says that a job was disabled by its failures.
    fn report(&self, ended: &Ended) {
        if let Ended::Kept(job) = ended
            && job.failures >= limits::CRON_FAILURES_MAX
            && let Some(reason) = &job.disabled_reason
        {
            self.say(format!(
                "The scheduled job `{}` ({}) was disabled. {reason}",
                job.id,
                job.name.escape_debug()
            ));
        }
    }

    async fn run(
        &self,
        job: &Job,
        run: &Run,
        stop: CancellationToken,
    ) -> (RunStatus, Option<String>, Option<String>) {
        let work = self.runner.run(fire_of(job, run), stop.clone());
        let mut work = AbortOnDrop(tokio::spawn(work));
        let limit = Duration::from_secs(job.timeout);
        tokio::select! {
            said = &mut work.0 => return outcome(said),
            () = stop.cancelled() => {}
            () = tokio::time::sleep(limit) => {
                stop.cancel();
                let _ = tokio::time::timeout(limits::CRON_STOP_PATIENCE, &mut work.0).await;
                let error = format!("It took longer than {} s and was stopped.", job.timeout);
                return (RunStatus::Timeout, None, Some(error));
            }
        }
        let _ = tokio::time::timeout(limits::CRON_STOP_PATIENCE, &mut work.0).await;
        (
            RunStatus::Cancelled,
            None,
            Some("It was stopped.".to_owned()),
        )
    }

    /// When the next job fires that was not due at this time.
    async fn next(&self, now: Millis) -> Result<Option<Millis>, CronError> {
        let query = Query::Space {
            space: JOBS.to_owned(),
            prefix: Some(self.jobs.prefix()),
            order: Some(Range {
                from: Some(now + 1),
                to: None,
            }),
            after: None,
            limit: 1,
        };
        let (rows, _) = self.jobs.store().scan(query).await?.into_rows()?;
        Ok(rows.first().and_then(|row| row.order))
    }
}

/// A task that ends when its waiter is dropped.
struct AbortOnDrop(JoinHandle<Result<Fired, String>>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn outcome(
    said: Result<Result<Fired, String>, tokio::task::JoinError>,
) -> (RunStatus, Option<String>, Option<String>) {
    match said {
        Ok(Ok(Fired { ok: true, summary })) => (RunStatus::Succeeded, summary, None),
        Ok(Ok(Fired { ok: false, summary })) => (
            RunStatus::Failed,
            summary,
            Some("It reported that it failed.".to_owned()),
        ),
        Ok(Err(error)) => (RunStatus::Failed, None, Some(error)),
        Err(_) => (
            RunStatus::Failed,
            None,
            Some("It failed inside of tenon.".to_owned()),
        ),
    }
}

fn fire_of(job: &Job, run: &Run) -> Fire {
    let shown = match job.plan() {
        Ok((zone, _)) => zone.shown(run.scheduled_for),
        Err(_) => crate::Zone::utc().shown(run.scheduled_for),
    };
    Fire {
        job_id: job.id.clone(),
        run_id: run.run_id.clone(),
        name: job.name.clone(),
        prompt: job.prompt.clone(),
        agent: job.agent.clone(),
        data: job.data.clone(),
        scheduled_for: shown,
        trigger: run.trigger,
        missed: run.missed,
        time_zone: job.tz.clone(),
        rights: job.rights.clone(),
    }
}

#[cfg(test)]
mod tests;
