//! What to do about a job now. Pure: the job, the time, the answer.

use std::collections::VecDeque;

use tenon_contract::limits;
use tenon_store::Millis;

use crate::job::Occurrence;
use crate::{CatchUp, CronError, Job, Overlap, RunStatus, Schedule, Trigger, Zone};

/// One step of a job: what it is afterwards, and the row that is written with it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    pub(crate) job: Job,
    pub(crate) row: Option<(Occurrence, RunStatus)>,
    /// Runs that are cancelled for it.
    pub(crate) replaced: Vec<String>,
}

/// The occurrences that are due.
struct Due {
    /// Those that were missed, the last ones.
    late: VecDeque<Millis>,
    /// How many were missed.
    missed: u64,
    /// The first that is in time.
    on_time: Option<Millis>,
    /// The occurrence after all of them.
    next: Option<Millis>,
}

fn millis(duration: std::time::Duration) -> Millis {
    Millis::try_from(duration.as_millis()).unwrap_or(Millis::MAX)
}

/// The next step of a job; nothing where nothing is due.
///
/// # Errors
/// The schedule cannot be followed any more.
pub(crate) fn step(job: &Job, now: Millis) -> Result<Option<Step>, CronError> {
    let mut after = job.clone();
    if job.active.is_empty()
        && let Some(waiting) = after.queued.take()
    {
        return Ok(Some(start(after, waiting)));
    }
    if job.fires_at().is_none_or(|time| time > now) {
        return Ok(None);
    }
    let (zone, schedule) = job.plan()?;
    let due = due(job, &zone, &schedule, now)?;
    let Some(occurrence) = wanted(job, &due, now, job.window_millis(&schedule)) else {
        // They were missed, and do not count any more.
        let Some(last) = due.late.back().copied() else {
            return Ok(None);
        };
        after.last_scheduled = Some(last);
        after.next = due.on_time.or(due.next);
        ended(&mut after, &schedule);
        let occurrence = Occurrence {
            scheduled_for: last,
            trigger: Trigger::Catchup,
            missed: due.missed,
        };
        return Ok(Some(Step {
            job: after,
            row: Some((occurrence, RunStatus::Missed)),
            replaced: Vec::new(),
        }));
    };
    let Occurrence {
        scheduled_for,
        trigger,
        ..
    } = occurrence;
    if trigger == Trigger::Catchup && job.catch_up == CatchUp::All && !job.active.is_empty() {
        // One after the other.
        return Ok(None);
    }
    after.next = job.following(scheduled_for, &zone, &schedule)?;
    after.last_scheduled = Some(scheduled_for);
    ended(&mut after, &schedule);
    Ok(Some(overlapping(after, occurrence)))
}

/// Which of the occurrences that are due runs, if any does.
fn wanted(job: &Job, due: &Due, now: Millis, window: Millis) -> Option<Occurrence> {
    let counts = |time: &Millis| now - *time <= window;
    let occurrence = |scheduled_for, trigger, missed| Occurrence {
        scheduled_for,
        trigger,
        missed,
    };
    match (job.catch_up, due.on_time) {
        (_, Some(time)) if due.missed == 0 => Some(occurrence(time, Trigger::Schedule, 0)),
        (CatchUp::None, _) => None,
        (CatchUp::Last, Some(time)) => Some(occurrence(time, Trigger::Schedule, due.missed)),
        (CatchUp::Last, None) => {
            let last = due.late.back().copied().filter(counts);
            last.map(|time| occurrence(time, Trigger::Catchup, due.missed.saturating_sub(1)))
        }
        (CatchUp::All, _) => {
            let within = due.late.iter().copied().filter(counts).count() as u64;
            let first = due.late.iter().copied().find(counts);
            first.map(|time| occurrence(time, Trigger::Catchup, due.missed - within))
        }
    }
}

/// The occurrences up to now.
fn due(job: &Job, zone: &Zone, schedule: &Schedule, now: Millis) -> Result<Due, CronError> {
    let offset = job.offset();
    let mut due = Due {
        late: VecDeque::new(),
        missed: 0,
        on_time: None,
        next: job.next,
    };
    while let Some(time) = due.next.filter(|time| time.saturating_add(offset) <= now) {
        if now - time - offset < millis(limits::CRON_LATE_AFTER) {
            due.on_time = due.on_time.or(Some(time));
            return Ok(due);
        }
        due.late.push_back(time);
        if due.late.len() > limits::CRON_CATCH_UP_MAX {
            due.late.pop_front();
        }
        due.missed += 1;
        let mut from = time;
        if due.missed == limits::CRON_MISSED_COUNTED_MAX {
            // Nobody wants to wait for a number: the rest is looked at from shortly before now.
            let recent = job
                .window_millis(schedule)
                .max(millis(limits::CRON_LATE_AFTER));
            from = from.max(now.saturating_sub(recent).saturating_sub(offset));
        }
        due.next = job.following(from, zone, schedule)?;
    }
    Ok(due)
}

/// A job that has no occurrence left says so.
fn ended(job: &mut Job, schedule: &Schedule) {
    if job.next.is_some() || job.max_runs.is_some_and(|most| job.runs >= most) {
        return;
    }
    job.enabled = false;
    job.disabled_reason = Some(if schedule.is_once() {
        "It has occurred.".to_owned()
    } else {
        "It has no further occurrence.".to_owned()
    });
}

/// The occurrence, as things are while an earlier run may still run.
fn overlapping(mut job: Job, occurrence: Occurrence) -> Step {
    if job.active.is_empty() {
        return start(job, occurrence);
    }
    match job.overlap {
        Overlap::Allow => start(job, occurrence),
        Overlap::Replace => {
            let replaced = std::mem::take(&mut job.active);
            Step {
                replaced,
                ..start(job, occurrence)
            }
        }
        Overlap::Queue if job.queued.is_none() => {
            job.queued = Some(occurrence);
            Step {
                job,
                row: None,
                replaced: Vec::new(),
            }
        }
        Overlap::Queue | Overlap::Skip => {
            let row = Some((occurrence, RunStatus::Skipped));
            Step {
                job,
                row,
                replaced: Vec::new(),
            }
        }
    }
}

fn start(mut job: Job, occurrence: Occurrence) -> Step {
    let run_id = job.run_id(occurrence.scheduled_for);
    job.active.push(run_id);
    job.runs += 1;
    if let Some(most) = job.max_runs.filter(|most| job.runs >= *most) {
        job.disable(format!(
            "Its {} have been started.",
            tenon_contract::counted(most, "run", "runs")
        ));
    }
    Step {
        job,
        row: Some((occurrence, RunStatus::Running)),
        replaced: Vec::new(),
    }
}

/// What a job is after a run of it has ended. `None`: it is done and goes.
pub(crate) fn after_run(
    mut job: Job,
    run_id: &str,
    status: RunStatus,
    now: Millis,
) -> Result<Option<Job>, CronError> {
    job.active.retain(|active| active != run_id);
    job.last_run = Some(crate::LastRun {
        run_id: run_id.to_owned(),
        status,
        at: now,
    });
    // A zone that has disappeared is found again when the job is due.
    let Ok((zone, schedule)) = job.plan() else {
        return Ok(Some(job));
    };
    match status {
        RunStatus::Succeeded => {
            job.failures = 0;
            let is_over = schedule.is_once() && job.next.is_none() && job.queued.is_none();
            return Ok((!is_over || job.keep || !job.active.is_empty()).then_some(job));
        }
        RunStatus::Failed | RunStatus::Timeout | RunStatus::Lost => {}
        _ => return Ok(Some(job)),
    }
    job.failures += 1;
    if job.failures >= limits::CRON_FAILURES_MAX {
        let failures = job.failures;
        job.disable(format!(
            "It failed {failures} times in a row. Correct it and set `enabled` to true."
        ));
        job.queued = None;
        return Ok(Some(job));
    }
    let earliest = now.saturating_add(back_off(job.failures));
    if status == RunStatus::Lost {
        lost(&mut job, &schedule, now);
        return Ok(Some(job));
    }
    if schedule.is_once() && job.max_runs.is_none_or(|most| job.runs < most) {
        // What ran once and failed is tried again.
        job.next = Some(job.floor(earliest));
        job.enabled = true;
        job.disabled_reason = None;
    } else if job.enabled && job.next.is_some_and(|next| next < earliest) {
        job.next = job.following(job.floor(earliest) - 1, &zone, &schedule)?;
        ended(&mut job, &schedule);
    }
    Ok(Some(job))
}

/// How long a job waits after so many failures in a row.
fn back_off(failures: u32) -> Millis {
    let place = usize::try_from(failures)
        .unwrap_or(usize::MAX)
        .saturating_sub(1);
    let waits = limits::CRON_BACK_OFF;
    waits.get(place).or(waits.last()).copied().map_or(0, millis)
}

/// A lost run is repeated only where that is wanted: nobody knows what it did.
fn lost(job: &mut Job, schedule: &Schedule, now: Millis) {
    if job.retry_lost && job.queued.is_none() {
        // Another time than that of the lost run: every run has an id of its own.
        let last = job.last_scheduled.map_or(now, |last| now.max(last + 1));
        job.last_scheduled = Some(last);
        job.queued = Some(Occurrence {
            scheduled_for: last,
            trigger: Trigger::Catchup,
            missed: 0,
        });
    } else if schedule.is_once() {
        job.disable("Its run was lost: the process that ran it died. Set `enabled` to true and a new `schedule` to run it again.");
    }
}
