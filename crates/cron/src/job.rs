//! Jobs and their runs as they are stored.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tenon_contract::limits;
use tenon_store::Millis;

use crate::{CronError, Schedule, Zone};

/// What happens to an occurrence while an earlier run of the job still runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// It is skipped.
    #[default]
    Skip,
    /// It runs afterwards; one waits at most.
    Queue,
    /// The earlier run is cancelled.
    Replace,
    /// Both run.
    Allow,
}

/// What happens to occurrences that were missed while no process ran jobs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CatchUp {
    /// One run for all of them.
    #[default]
    Last,
    /// A run for each, at most 20.
    All,
    /// None of them runs.
    None,
}

/// Why a run was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// Its time had come.
    Schedule,
    /// Its time was missed.
    Catchup,
    /// Somebody asked for it.
    Manual,
}

/// What became of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// It still runs.
    Running,
    /// It did what it was to do.
    Succeeded,
    /// It did not.
    Failed,
    /// Its time was up.
    Timeout,
    /// It was stopped.
    Cancelled,
    /// An earlier run still ran.
    Skipped,
    /// No process ran jobs at that time.
    Missed,
    /// Its owner died; nobody knows what it did.
    Lost,
}

/// An occurrence that has to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Occurrence {
    pub(crate) scheduled_for: Millis,
    pub(crate) trigger: Trigger,
    /// Occurrences before it that were missed and that this run stands for.
    pub(crate) missed: u64,
}

/// The last run of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LastRun {
    /// Its id.
    pub run_id: String,
    /// What became of it.
    pub status: RunStatus,
    /// When that was known.
    pub at: Millis,
}

/// A job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    /// Its id.
    pub id: String,
    /// The workspace, by its absolute path.
    pub workspace: String,
    /// What people call it.
    pub name: String,
    /// The text of its schedule.
    pub schedule: String,
    /// What the text counts from.
    pub anchor: Millis,
    /// The name of its time zone.
    pub tz: String,
    /// What the host or an agent gets.
    pub prompt: Option<String>,
    /// The agent that does it.
    pub agent: Option<String>,
    /// More of what the host gets.
    pub data: Option<Map<String, Value>>,
    /// What happens while an earlier run still runs.
    pub overlap: Overlap,
    /// What happens to missed occurrences.
    pub catch_up: CatchUp,
    /// How late a missed occurrence still counts, in seconds.
    pub window: Option<u64>,
    /// The most that its times are moved, in seconds.
    pub jitter: u64,
    /// Time limit of a run, in seconds.
    pub timeout: u64,
    /// Runs after which it ends.
    pub max_runs: Option<u64>,
    /// When it ends.
    pub until: Option<Millis>,
    /// Whether it occurs.
    pub enabled: bool,
    /// Whether a job that runs once is kept afterwards.
    pub keep: bool,
    /// Whether a lost run is repeated.
    pub retry_lost: bool,
    /// What its creator was allowed to do; opaque here.
    pub rights: Value,
    /// When it was made.
    pub created_at: Millis,
    /// Its next occurrence, without jitter.
    pub next: Option<Millis>,
    /// The latest occurrence that was claimed.
    pub last_scheduled: Option<Millis>,
    /// Its last run.
    pub last_run: Option<LastRun>,
    /// Runs that were started.
    pub runs: u64,
    /// Rows of runs that were written.
    pub rows: u64,
    /// Failures in a row.
    pub failures: u32,
    /// Why it does not occur any more.
    pub disabled_reason: Option<String>,
    /// Runs that still run.
    pub(crate) active: Vec<String>,
    /// An occurrence that waits.
    pub(crate) queued: Option<Occurrence>,
}

/// A run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    /// Its id: the job and the time that it was scheduled for.
    pub run_id: String,
    /// The job.
    pub job_id: String,
    /// The time that it was scheduled for.
    pub scheduled_for: Millis,
    /// When it began, or was passed over.
    pub started_at: Millis,
    /// When it ended.
    pub ended_at: Option<Millis>,
    /// Why it was started.
    pub trigger: Trigger,
    /// What became of it.
    pub status: RunStatus,
    /// Occurrences that were missed, and that this row stands for.
    pub missed: u64,
    /// What it did.
    pub summary: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// Who runs it.
    pub owner: String,
}

impl Job {
    /// Its time zone and its schedule.
    ///
    /// # Errors
    /// The zone is not known here.
    pub fn plan(&self) -> Result<(Zone, Schedule), CronError> {
        let zone = Zone::named(&self.tz)?;
        let schedule = Schedule::stored(&self.schedule, &zone, self.anchor)?;
        Ok((zone, schedule))
    }

    /// How far its times are moved: always the same for one job.
    #[must_use]
    pub fn offset(&self) -> Millis {
        let span = self.jitter.saturating_mul(1000);
        if span == 0 {
            return 0;
        }
        let hash = blake3::hash(self.id.as_bytes());
        let mut number = [0; 8];
        for (to, from) in number.iter_mut().zip(hash.as_bytes()) {
            *to = *from;
        }
        Millis::try_from(u64::from_le_bytes(number) % span).unwrap_or_default()
    }

    /// When it fires next.
    #[must_use]
    pub fn fires_at(&self) -> Option<Millis> {
        let next = self.next.filter(|_| self.enabled)?;
        Some(next.saturating_add(self.offset()))
    }

    /// The number that its row is ordered by: when somebody has to look at it.
    pub(crate) fn order(&self) -> Option<Millis> {
        match self.queued {
            Some(_) if self.active.is_empty() => Some(0),
            _ => self.fires_at(),
        }
    }

    /// The id of the run of an occurrence.
    pub(crate) fn run_id(&self, scheduled_for: Millis) -> String {
        format!(
            "{}@{}",
            self.id,
            Zone::utc().shown(scheduled_for).replace("+00:00", "Z")
        )
    }

    /// The latest of now and the last occurrence: nothing up to it occurs again.
    pub(crate) fn floor(&self, now: Millis) -> Millis {
        self.last_scheduled.map_or(now, |last| last.max(now))
    }

    /// Ends it with a reason.
    pub(crate) fn disable(&mut self, reason: impl Into<String>) {
        self.enabled = false;
        self.next = None;
        self.disabled_reason = Some(reason.into());
    }

    /// The occurrence after one that is being claimed, within the bounds of the job.
    pub(crate) fn following(
        &self,
        time: Millis,
        zone: &Zone,
        schedule: &Schedule,
    ) -> Result<Option<Millis>, CronError> {
        let next = schedule.after(time, zone)?;
        Ok(next.filter(|next| self.until.is_none_or(|until| *next <= until)))
    }

    /// How late a missed occurrence still counts.
    pub(crate) fn window_millis(&self, schedule: &Schedule) -> Millis {
        let default = if schedule.is_once() {
            None
        } else {
            Some(limits::CRON_WINDOW.as_secs())
        };
        self.window.or(default).map_or(Millis::MAX, |seconds| {
            Millis::try_from(seconds)
                .unwrap_or(Millis::MAX)
                .saturating_mul(1000)
        })
    }
}

#[cfg(test)]
pub(crate) fn example(schedule: &str, tz: &str, now: Millis) -> Job {
    let zone = Zone::named(tz).unwrap();
    let read = Schedule::read(schedule, &zone, now).unwrap();
    Job {
        id: "job_1".to_owned(),
        workspace: "/w".to_owned(),
        name: "example".to_owned(),
        schedule: read.text(&zone),
        anchor: now,
        tz: tz.to_owned(),
        prompt: Some("do".to_owned()),
        agent: None,
        data: None,
        overlap: Overlap::Skip,
        catch_up: CatchUp::Last,
        window: None,
        jitter: 0,
        timeout: 3600,
        max_runs: None,
        until: None,
        enabled: true,
        keep: false,
        retry_lost: false,
        rights: Value::Null,
        created_at: now,
        next: read.after(now, &zone).unwrap(),
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
