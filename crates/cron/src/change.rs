//! What is changed of a job, or given for a new one.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tenon_contract::limits;
use tenon_store::Millis;

use crate::{CatchUp, CronError, Job, Overlap, Schedule, Zone};

/// What is given for a job; what is not given stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct JobChange {
    /// What people call it.
    pub name: Option<String>,
    /// What the host or an agent gets.
    pub prompt: Option<String>,
    /// The agent that does it.
    pub agent: Option<String>,
    /// More of what the host gets.
    pub data: Option<Map<String, Value>>,
    /// When it runs.
    pub schedule: Option<String>,
    /// The time zone of the schedule.
    pub tz: Option<String>,
    /// What happens while an earlier run still runs.
    pub overlap: Option<Overlap>,
    /// What happens to missed occurrences.
    pub catch_up: Option<CatchUp>,
    /// How late a missed occurrence still counts, in seconds.
    pub window: Option<u64>,
    /// The most that its times are moved, in seconds.
    pub jitter: Option<u64>,
    /// Time limit of a run, in seconds.
    pub timeout: Option<u64>,
    /// Runs after which it ends.
    pub max_runs: Option<u64>,
    /// When it ends.
    pub until: Option<String>,
    /// Whether it occurs.
    pub enabled: Option<bool>,
    /// Whether a job that runs once is kept afterwards.
    pub keep: Option<bool>,
    /// Whether a lost run is repeated.
    pub retry_lost: Option<bool>,
}

impl JobChange {
    /// Whether nothing is given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Makes the change.
    pub(crate) fn apply(
        self,
        job: &mut Job,
        now: Millis,
        least: Duration,
    ) -> Result<(), CronError> {
        self.check()?;
        let is_new = job.schedule.is_empty();
        let zone = Zone::named(self.tz.as_deref().unwrap_or(&job.tz))?;
        let moves = self.schedule.is_some() || self.tz.is_some();
        if let Some(text) = &self.schedule {
            let schedule = Schedule::read(text, &zone, now)?;
            schedule.check(&zone, now, least)?;
            job.schedule = schedule.text(&zone);
            job.anchor = now;
            // Another schedule begins without the failures of the last one.
            job.failures = 0;
        } else if is_new {
            let message = "`schedule` is required for `add`. Write `0 9 * * 1-5`, `@daily`, `every 15m`, `in 20m` or `at 2026-12-01T09:00`.";
            return Err(CronError::invalid("schedule", message));
        }
        job.tz = zone.name().to_owned();
        if let Some(until) = &self.until {
            let until = zone.time_of(until).map_err(|error| {
                CronError::invalid("until", error.to_string().replace("schedule", "until"))
            })?;
            if until <= now {
                return Err(CronError::invalid(
                    "until",
                    "`until` is in the past. Give a later time.",
                ));
            }
            job.until = Some(until);
        }
        job.jitter = self.jitter.unwrap_or(job.jitter);
        job.max_runs = self.max_runs.or(job.max_runs);
        let wakes = self.enabled == Some(true) && !job.enabled;
        self.copy(job);
        if wakes {
            job.failures = 0;
        }
        if job.enabled && (moves || wakes || is_new) {
            restart(job, &zone, now)?;
        } else if !job.enabled {
            job.next = None;
        } else if job
            .until
            .is_some_and(|until| job.next.is_some_and(|next| next > until))
        {
            job.disable("It has no further occurrence.");
        }
        Ok(())
    }

    /// What needs no reading.
    fn copy(self, job: &mut Job) {
        job.name = self.name.unwrap_or_else(|| std::mem::take(&mut job.name));
        job.prompt = self.prompt.or(job.prompt.take());
        job.agent = self.agent.or(job.agent.take());
        job.data = self.data.or(job.data.take());
        job.overlap = self.overlap.unwrap_or(job.overlap);
        job.catch_up = self.catch_up.unwrap_or(job.catch_up);
        job.window = self.window.or(job.window);
        job.timeout = self.timeout.unwrap_or(job.timeout);
        job.keep = self.keep.unwrap_or(job.keep);
        job.retry_lost = self.retry_lost.unwrap_or(job.retry_lost);
        job.enabled = self.enabled.unwrap_or(job.enabled);
    }

    fn check(&self) -> Result<(), CronError> {
        let too_long = |name: &'static str, most: usize| {
            Err(CronError::invalid(
                name,
                format!(
                    "`{name}` is too long: at most {} are allowed.",
                    tenon_contract::counted(most as u64, "byte", "bytes")
                ),
            ))
        };
        if self
            .prompt
            .as_ref()
            .is_some_and(|prompt| prompt.len() > limits::CRON_PROMPT_MAX_BYTES)
        {
            return too_long("prompt", limits::CRON_PROMPT_MAX_BYTES);
        }
        let data = self.data.as_ref().map_or(0, |data| {
            serde_json::to_string(data).map_or(usize::MAX, |json| json.len())
        });
        if data > limits::CRON_DATA_MAX_BYTES {
            return too_long("data", limits::CRON_DATA_MAX_BYTES);
        }
        let most = limits::CRON_RUN_TIMEOUT_MAX.as_secs();
        if self
            .timeout
            .is_some_and(|timeout| timeout == 0 || timeout > most)
        {
            return Err(CronError::invalid(
                "timeout",
                format!("`timeout` must be between 1 and {most} s."),
            ));
        }
        if self.max_runs == Some(0) {
            return Err(CronError::invalid(
                "maxRuns",
                "`maxRuns` must be at least 1.",
            ));
        }
        Ok(())
    }
}

/// Sets the next occurrence of a job that begins, or begins again.
fn restart(job: &mut Job, zone: &Zone, now: Millis) -> Result<(), CronError> {
    let schedule = Schedule::stored(&job.schedule, zone, job.anchor)?;
    job.next = job.following(job.floor(now), zone, &schedule)?;
    if job.max_runs.is_some_and(|most| job.runs >= most) {
        job.runs = 0;
    }
    if job.next.is_none() {
        let message = format!(
            "The schedule `{}` has no further occurrence. Give another `schedule` or a later `until`.",
            job.schedule
        );
        return Err(CronError::invalid("schedule", message));
    }
    job.disabled_reason = None;
    Ok(())
}
