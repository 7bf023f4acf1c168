//! Keeps scheduled jobs: adds, changes, removes and runs them, and shows what became of them.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tenon_contract::{
    Access, DEFAULT_AGENT, Effect, ErrorCode, Operation, Output, Tool, ToolContext, ToolError,
    limits,
};
use tenon_cron::{
    CatchUp, CronError, Engine, Job, JobChange, Jobs, Overlap, Run, RunStatus, Schedule, Trigger,
    Zone, clock_changes,
};

/// What to do with which job.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CronParams {
    /// What to do.
    pub action: CronAction,
    /// Id or name of the job. Required for `get`, `update`, `remove`, `run` and `runs`.
    #[schemars(length(min = 1, max = 200))]
    pub job_id: Option<String>,
    /// Name of the job.
    #[schemars(length(min = 1, max = 120))]
    pub name: Option<String>,
    /// What to do when the job runs, with all needed context. Required for `add`.
    #[schemars(length(min = 1))]
    pub prompt: Option<String>,
    /// Name of the agent that runs it.
    #[schemars(length(min = 1, max = 200))]
    pub agent: Option<String>,
    /// Values for the application: names and strings.
    #[schemars(with = "Option<std::collections::BTreeMap<String, String>>")]
    pub data: Option<Map<String, Value>>,
    /// When it runs: `0 9 * * 1-5`, `@daily`, `every 15m`, `in 20m` or `at 2026-12-01T09:00`. Required for `add`.
    #[schemars(length(min = 1))]
    pub schedule: Option<String>,
    /// IANA time zone of the schedule, such as `Europe/Berlin`.
    #[schemars(length(min = 1))]
    pub tz: Option<String>,
    /// What happens while an earlier run is still running. Default: `skip`.
    pub overlap: Option<Overlap>,
    /// Which missed occurrences run later. Default: `last`.
    pub catch_up: Option<CatchUp>,
    /// Seconds after which a missed occurrence is dropped. Default: 3600; never for a job that runs once.
    pub window: Option<u64>,
    /// Delay every run by a fixed number of seconds below this. Default: 0.
    #[schemars(range(max = 86_400))]
    pub jitter: Option<u64>,
    /// Time limit of a run in seconds. Default: 3600.
    #[schemars(range(min = 1, max = 86_400))]
    pub timeout: Option<u64>,
    /// Number of runs after which the job ends.
    #[schemars(range(min = 1))]
    pub max_runs: Option<u64>,
    /// Time after which the job ends, such as `2026-12-31T00:00`.
    #[schemars(length(min = 1))]
    pub until: Option<String>,
    /// Whether the job runs. Default: true.
    pub enabled: Option<bool>,
    /// Keep a job that runs once after it has succeeded. Default: false.
    pub keep: Option<bool>,
    /// Repeat a run if its process died. Default: false.
    pub retry_lost: Option<bool>,
    /// For `list` and `runs`: maximum number of entries. Default: 50.
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<u64>,
    /// For `list` and `runs`: `nextCursor` of the last page.
    pub cursor: Option<String>,
}

/// What can be done with jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CronAction {
    /// How the jobs stand.
    Status,
    /// Show all jobs.
    List,
    /// Show a job.
    Get,
    /// Add a job.
    Add,
    /// Change a job.
    Update,
    /// Remove a job.
    Remove,
    /// Run a job now.
    Run,
    /// Show the runs of a job.
    Runs,
}

impl CronAction {
    const fn name(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::List => "list",
            Self::Get => "get",
            Self::Add => "add",
            Self::Update => "update",
            Self::Remove => "remove",
            Self::Run => "run",
            Self::Runs => "runs",
        }
    }

    const fn needs_job(self) -> bool {
        !matches!(self, Self::Status | Self::List | Self::Add)
    }

    const fn changes(self) -> bool {
        matches!(self, Self::Add | Self::Update | Self::Remove | Self::Run)
    }
}

/// A job as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobView {
    /// Its id.
    pub job_id: String,
    /// Its name.
    pub name: String,
    /// Its schedule.
    pub schedule: String,
    /// The schedule in words.
    pub description: String,
    /// Its time zone.
    pub tz: String,
    /// Whether it runs.
    pub enabled: bool,
    /// When it runs next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_run_at: Option<String>,
    /// The next five times.
    pub next_runs: Vec<String>,
    /// What a change of the clocks does to it within a year.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Its last run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<LastRunView>,
    /// What happens while an earlier run still runs.
    pub overlap: Overlap,
    /// Which missed occurrences run later.
    pub catch_up: CatchUp,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The agent that does it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Values for the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Map<String, Value>>,
    /// Failures in a row.
    #[serde(skip_serializing_if = "is_zero")]
    pub failures: u32,
    /// Why it does not run any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled_reason: Option<String>,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the form that serde wants"
)]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The last run of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastRunView {
    /// Its id.
    pub run_id: String,
    /// What became of it.
    pub status: RunStatus,
    /// When that was known.
    pub at: String,
}

/// A run as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunView {
    /// Its id.
    pub run_id: String,
    /// The time that it was scheduled for.
    pub scheduled_for: String,
    /// When it began.
    pub started_at: String,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Why it was started.
    pub trigger: Trigger,
    /// What became of it.
    pub status: RunStatus,
    /// Missed occurrences that it stands for.
    pub missed: u64,
    /// What it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub enum CronOutput {
    /// How the jobs stand.
    Status {
        /// Whether this process runs jobs.
        running: bool,
        /// How many jobs there are.
        count: usize,
        /// How many of them run.
        enabled: usize,
        /// When the next one runs.
        next: Option<(String, String)>,
        /// The zone of schedules that name none.
        time_zone: String,
    },
    /// The jobs.
    List {
        /// One page.
        jobs: Vec<JobView>,
        /// What the next page is asked for with.
        next: Option<String>,
    },
    /// A job, as it is now.
    Job {
        /// What was done.
        action: CronAction,
        /// The job.
        job: Box<JobView>,
        /// Whether this process runs jobs.
        running: bool,
    },
    /// A job was removed.
    Removed(Box<JobView>),
    /// A run was asked for.
    Run {
        /// The job.
        job: Box<JobView>,
        /// The run.
        run_id: String,
        /// Whether this process runs jobs.
        running: bool,
    },
    /// The runs of a job.
    Runs {
        /// The job.
        job_id: String,
        /// One page, the latest first.
        runs: Vec<RunView>,
        /// What the next page is asked for with.
        next: Option<String>,
    },
}

impl Output for CronOutput {}

/// What the operation works with.
#[derive(Clone)]
pub struct CronService {
    /// The jobs of the workspace.
    pub jobs: Jobs,
    /// Fires them, where this toolkit does.
    pub engine: Option<Arc<Engine>>,
    /// What jobs that are added or changed here are allowed to do.
    pub rights: Value,
    /// The names of the agents that can do them; any where there is none.
    pub agents: Vec<String>,
}

/// The operation.
pub struct Cron {
    service: Option<CronService>,
}

impl Cron {
    /// Over these jobs; without them every call says what is missing.
    #[must_use]
    pub fn new(service: Option<CronService>) -> Self {
        Self { service }
    }

    fn nudge(service: &CronService) -> bool {
        if let Some(engine) = &service.engine {
            engine.nudge();
        }
        service.engine.is_some()
    }
}

impl Tool for Cron {
    const OPERATION: Operation = Operation::Cron;
    type Params = CronParams;
    type Plan = CronParams;
    type Output = CronOutput;

    fn plan(&self, params: CronParams) -> Result<(Access, CronParams), ToolError> {
        let action = params.action;
        if action.needs_job() && params.job_id.is_none() {
            let message = format!(
                "`jobId` is required for `{}`. Use `list` to see the jobs.",
                action.name()
            );
            return Err(ToolError::new(ErrorCode::InvalidParams, message));
        }
        Ok((Access::using(action.name()), params))
    }

    fn effect(plan: &CronParams) -> Effect {
        if plan.action.changes() {
            Effect::Converse
        } else {
            Effect::Observe
        }
    }

    async fn run(&self, params: CronParams, _: ToolContext) -> Result<CronOutput, ToolError> {
        let Some(service) = &self.service else {
            let message = "This application does not keep scheduled jobs. Continue without them.";
            return Err(ToolError::new(ErrorCode::Unavailable, message).with("host", "cron"));
        };
        done(service, params).await.map_err(reported)
    }
}

async fn done(service: &CronService, params: CronParams) -> Result<CronOutput, CronError> {
    let jobs = &service.jobs;
    let now = jobs.now();
    let view = |job: &Job| Box::new(view(job, now));
    let id = params.job_id.clone().unwrap_or_default();
    let limit = usize::try_from(params.limit.unwrap_or(50)).unwrap_or(50);
    let cursor = params.cursor.clone();
    check_agent(service, &params)?;
    match params.action {
        CronAction::Status => status(service).await,
        CronAction::List => {
            let page = jobs.list(cursor.as_deref(), limit).await?;
            let shown = page.jobs.iter().map(|job| *view(job)).collect();
            Ok(CronOutput::List {
                jobs: shown,
                next: page.next,
            })
        }
        CronAction::Get => {
            let job = view(&jobs.get(&id).await?);
            Ok(CronOutput::Job {
                action: CronAction::Get,
                job,
                running: service.engine.is_some(),
            })
        }
        CronAction::Add => {
            let job = jobs.add(change(params), service.rights.clone()).await?;
            let running = Cron::nudge(service);
            Ok(CronOutput::Job {
                action: CronAction::Add,
                job: view(&job),
                running,
            })
        }
        CronAction::Update => {
            let id = jobs.get(&id).await?.id;
            let job = jobs
                .update(&id, change(params), service.rights.clone())
                .await?;
            let running = Cron::nudge(service);
            Ok(CronOutput::Job {
                action: CronAction::Update,
                job: view(&job),
                running,
            })
        }
        CronAction::Remove => Ok(CronOutput::Removed(view(&jobs.remove(&id).await?))),
        CronAction::Run => {
            let (job, run_id) = jobs.run(&id).await?;
            let running = Cron::nudge(service);
            Ok(CronOutput::Run {
                job: view(&job),
                run_id,
                running,
            })
        }
        CronAction::Runs => runs(jobs, id, cursor.as_deref(), limit).await,
    }
}

/// Refuses a job that no agent could do.
fn check_agent(service: &CronService, params: &CronParams) -> Result<(), CronError> {
    let agent = match (params.action, params.agent.as_deref()) {
        (CronAction::Add, agent) => agent.unwrap_or(DEFAULT_AGENT),
        (CronAction::Update, Some(agent)) => agent,
        _ => return Ok(()),
    };
    if service.agents.is_empty() || service.agents.iter().any(|known| known == agent) {
        return Ok(());
    }
    Err(CronError::unknown_agent(agent, &service.agents))
}

async fn runs(
    jobs: &Jobs,
    id: String,
    cursor: Option<&str>,
    limit: usize,
) -> Result<CronOutput, CronError> {
    // A job that has gone has runs all the same.
    let job_id = match jobs.get(&id).await {
        Ok(job) => job.id,
        Err(CronError::NotFound(message)) => {
            if jobs.runs(&id, None, 1).await?.runs.is_empty() {
                return Err(CronError::NotFound(message));
            }
            id
        }
        Err(error) => return Err(error),
    };
    let page = jobs.runs(&job_id, cursor, limit).await?;
    let shown = page.runs.iter().map(|run| run_view(run, jobs.zone()));
    Ok(CronOutput::Runs {
        job_id,
        runs: shown.collect(),
        next: page.next,
    })
}

async fn status(service: &CronService) -> Result<CronOutput, CronError> {
    let jobs = service.jobs.list(None, limits::CRON_JOBS_MAX).await?.jobs;
    let due = jobs.iter().filter_map(|job| Some((job.fires_at()?, job)));
    let next = due.min_by_key(|(time, _)| *time);
    Ok(CronOutput::Status {
        running: service.engine.is_some(),
        count: jobs.len(),
        enabled: jobs.iter().filter(|job| job.enabled).count(),
        next: next.map(|(time, job)| (job.id.clone(), service.jobs.zone().shown(time))),
        time_zone: service.jobs.zone().name().to_owned(),
    })
}

fn change(params: CronParams) -> JobChange {
    JobChange {
        name: params.name,
        prompt: params.prompt,
        agent: params.agent,
        data: params.data,
        schedule: params.schedule,
        tz: params.tz,
        overlap: params.overlap,
        catch_up: params.catch_up,
        window: params.window,
        jitter: params.jitter,
        timeout: params.timeout,
        max_runs: params.max_runs,
        until: params.until,
        enabled: params.enabled,
        keep: params.keep,
        retry_lost: params.retry_lost,
    }
}

/// The failure in the words of tools.
fn reported(error: CronError) -> ToolError {
    let code = match &error {
        CronError::Invalid { .. } => ErrorCode::InvalidParams,
        CronError::NotFound(_) => ErrorCode::NotFound,
        CronError::Refused(_) | CronError::Store(_) => ErrorCode::Unavailable,
    };
    let parameter = match &error {
        CronError::Invalid { parameter, .. } => Some(*parameter),
        _ => None,
    };
    let reported = ToolError::new(code, error.to_string());
    match parameter {
        Some(parameter) => reported.with("param", parameter),
        None => reported,
    }
}

fn view(job: &Job, now: i64) -> JobView {
    let plan = job.plan();
    let (zone, schedule) = match &plan {
        Ok((zone, schedule)) => (zone.clone(), Some(schedule)),
        Err(_) => (Zone::utc(), None),
    };
    let next_runs = schedule.map_or_else(Vec::new, |schedule| next_runs(job, schedule, &zone));
    JobView {
        job_id: job.id.clone(),
        name: job.name.clone(),
        schedule: job.schedule.clone(),
        description: match (&plan, schedule) {
            (Ok(_), Some(schedule)) => schedule.describe(&zone),
            (Err(error), _) => error.to_string(),
            (Ok(_), None) => String::new(),
        },
        tz: job.tz.clone(),
        enabled: job.enabled,
        next_run_at: next_runs.first().cloned(),
        next_runs,
        notes: schedule.map_or_else(Vec::new, |schedule| clock_changes(schedule, &zone, now)),
        last_run: job.last_run.as_ref().map(|run| LastRunView {
            run_id: run.run_id.clone(),
            status: run.status,
            at: zone.shown(run.at),
        }),
        overlap: job.overlap,
        catch_up: job.catch_up,
        prompt: job.prompt.clone(),
        agent: job.agent.clone(),
        data: job.data.clone(),
        failures: job.failures,
        disabled_reason: job.disabled_reason.clone(),
    }
}

/// The next five times at which it fires.
fn next_runs(job: &Job, schedule: &Schedule, zone: &Zone) -> Vec<String> {
    const SHOWN: usize = 5;
    let Some(first) = job.next.filter(|_| job.enabled) else {
        return Vec::new();
    };
    let mut times = vec![first];
    times.extend(schedule.next(first, zone, SHOWN - 1).unwrap_or_default());
    let left = job.max_runs.map_or(SHOWN, |most| {
        usize::try_from(most.saturating_sub(job.runs)).unwrap_or(SHOWN)
    });
    let bounded = times
        .into_iter()
        .filter(|time| job.until.is_none_or(|until| *time <= until));
    bounded
        .take(left.min(SHOWN))
        .map(|time| zone.shown(time + job.offset()))
        .collect()
}

/// A time in milliseconds since 1970 as a text, in UTC.
#[must_use]
pub fn shown_time(millis: u64) -> String {
    Zone::utc().shown(i64::try_from(millis).unwrap_or(i64::MAX))
}

fn run_view(run: &Run, zone: &Zone) -> RunView {
    RunView {
        run_id: run.run_id.clone(),
        scheduled_for: zone.shown(run.scheduled_for),
        started_at: zone.shown(run.started_at),
        ended_at: run.ended_at.map(|time| zone.shown(time)),
        trigger: run.trigger,
        status: run.status,
        missed: run.missed,
        summary: run.summary.clone(),
        error: run.error.clone(),
    }
}
