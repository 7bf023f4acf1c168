//! What the vocabularies share of scheduled jobs.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use tenon_contract::{Content, Operation, counted};
use tenon_tools::{CronAction, CronOutput, JobView, RunView};

use crate::issue::Repair;
use crate::result_view::ResultView;
use crate::words::Words;

/// Details of a tool for scheduled jobs. Which are there depends on the action.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CronAnswer {
    /// Always true: a failed call is an error.
    ok: bool,
    /// add, get, update, remove, run: the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<JobView>,
    /// remove: whether it was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    removed: Option<bool>,
    /// run: the run that was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<String>,
    /// status, list: how many jobs there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    /// status: how many of them run.
    #[serde(skip_serializing_if = "Option::is_none")]
    enabled: Option<usize>,
    /// status, add, get, update, run: whether this process runs jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    running: Option<bool>,
    /// status: the job that runs next.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_job_id: Option<String>,
    /// status: when it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_run_at: Option<String>,
    /// status: the time zone of schedules that name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_zone: Option<String>,
    /// list: the jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    jobs: Option<Vec<JobView>>,
    /// runs: the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    job_id: Option<String>,
    /// runs: the runs, the latest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<Vec<RunView>>,
    /// list, runs: whether there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    has_more: Option<bool>,
    /// list, runs: the `cursor` of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl ResultView for CronAnswer {
    type Output = CronOutput;

    fn render(output: CronOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        let text = text_of(&output);
        let mut details = Self {
            ok: true,
            ..Self::default()
        };
        match output {
            CronOutput::Status {
                running,
                count,
                enabled,
                next,
                time_zone,
            } => {
                let (id, at) = next.unzip();
                details.running = Some(running);
                details.count = Some(count);
                details.enabled = Some(enabled);
                details.next_job_id = id;
                details.next_run_at = at;
                details.time_zone = Some(time_zone);
            }
            CronOutput::List { jobs, next } => {
                details.count = Some(jobs.len());
                details.jobs = Some(jobs);
                details.has_more = Some(next.is_some());
                details.next_cursor = next;
            }
            CronOutput::Job { job, running, .. } => {
                details.job = Some(*job);
                details.running = Some(running);
            }
            CronOutput::Removed(job) => {
                details.job = Some(*job);
                details.removed = Some(true);
            }
            CronOutput::Run {
                job,
                run_id,
                running,
            } => {
                details.job = Some(*job);
                details.run_id = Some(run_id);
                details.running = Some(running);
            }
            CronOutput::Runs { job_id, runs, next } => {
                details.job_id = Some(job_id);
                details.runs = Some(runs);
                details.has_more = Some(next.is_some());
                details.next_cursor = next;
            }
        }
        (vec![Content::Text(text)], details)
    }
}

/// What a model reads where no process fires.
const NOT_RUNNING: &str = "This process does not run jobs: the job waits for one that does.";

fn text_of(output: &CronOutput) -> String {
    match output {
        CronOutput::Status { .. } => status_text(output),
        CronOutput::List { jobs, .. } if jobs.is_empty() => "There are no jobs.".to_owned(),
        CronOutput::List { jobs, next } => {
            page_text(jobs.iter().map(job_line).collect(), "jobs", next.as_deref())
        }
        CronOutput::Job {
            action,
            job,
            running,
        } => {
            let done = match action {
                CronAction::Add => "Added.\n",
                CronAction::Update => "Updated.\n",
                _ => "",
            };
            let waits = if *running || !job.enabled {
                String::new()
            } else {
                format!("\n{NOT_RUNNING}")
            };
            format!("{done}{}{waits}", job_text(job))
        }
        CronOutput::Removed(job) => format!(
            "Removed `{}` ({}). A run that is in progress continues.",
            job.job_id, job.name
        ),
        CronOutput::Run {
            job,
            run_id,
            running,
        } => {
            let when = if *running {
                "It starts now, or when the run in progress ends."
            } else {
                NOT_RUNNING
            };
            format!("Requested the run `{run_id}` of `{}`. {when}", job.job_id)
        }
        CronOutput::Runs { job_id, runs, .. } if runs.is_empty() => {
            format!("`{job_id}` has no runs yet.")
        }
        CronOutput::Runs { runs, next, .. } => {
            page_text(runs.iter().map(run_line).collect(), "runs", next.as_deref())
        }
    }
}

fn status_text(output: &CronOutput) -> String {
    let CronOutput::Status {
        running,
        count,
        enabled,
        next,
        time_zone,
    } = output
    else {
        return String::new();
    };
    let jobs = counted(*count as u64, "job", "jobs");
    let next = match next {
        Some((id, at)) => format!(" Next: `{id}` at {at}."),
        None => String::new(),
    };
    let runs = if *running {
        "This process runs jobs."
    } else {
        "This process does not run jobs."
    };
    format!("{jobs}, {enabled} enabled. Time zone: {time_zone}.{next} {runs}")
}

fn page_text(mut lines: Vec<String>, what: &str, next: Option<&str>) -> String {
    lines.extend(next.map(|next| format!("[More {what}: call again with `cursor` \"{next}\".]")));
    lines.join("\n")
}

fn job_line(job: &JobView) -> String {
    let state = match (&job.next_run_at, &job.disabled_reason) {
        (Some(next), _) => format!("next {next}"),
        (None, Some(reason)) => format!("disabled: {reason}"),
        (None, None) => "disabled".to_owned(),
    };
    format!(
        "{} {}: {} ({}), {state}",
        job.job_id, job.name, job.schedule, job.tz
    )
}

fn job_text(job: &JobView) -> String {
    let mut lines = vec![
        format!("{} {}", job.job_id, job.name),
        format!(
            "Schedule: {} ({}). {}",
            job.schedule, job.tz, job.description
        ),
    ];
    if !job.next_runs.is_empty() {
        lines.push(format!("Next runs: {}", job.next_runs.join(", ")));
    }
    lines.extend(job.notes.iter().cloned());
    lines.extend(
        job.disabled_reason
            .as_ref()
            .map(|reason| format!("Disabled: {reason}")),
    );
    if let Some(run) = &job.last_run {
        lines.push(format!("Last run: {} at {}", word(run.status), run.at));
    }
    lines.join("\n")
}

fn run_line(run: &RunView) -> String {
    let missed = match run.missed {
        0 => String::new(),
        missed => format!(
            ", {}",
            counted(missed, "occurrence missed", "occurrences missed")
        ),
    };
    let said = run.error.as_ref().or(run.summary.as_ref());
    let said = said.map_or_else(String::new, |said| {
        let short: String = said.chars().take(200).collect();
        format!(": {short}")
    });
    format!(
        "{} {} ({}{missed}){said}",
        run.scheduled_for,
        word(run.status),
        word(run.trigger)
    )
}

fn word(value: impl Serialize) -> String {
    let word = serde_json::to_value(value).ok();
    word.and_then(|word| word.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// Turns the calls of OpenClaw's `automations` into ours: the job in an object, its schedule and its payload in others.
pub(crate) fn from_openclaw(operation: Operation, wire: &mut Value) -> Vec<Repair> {
    let Value::Object(call) = wire else {
        return Vec::new();
    };
    if operation != Operation::Cron {
        return Vec::new();
    }
    let mut repairs = Vec::new();
    for outer in ["job", "patch"] {
        if let Some(Value::Object(_)) = call.get(outer)
            && let Some(Value::Object(job)) = call.shift_remove(outer)
        {
            for (name, value) in job {
                call.entry(name).or_insert(value);
            }
            repairs.push(repair(
                outer,
                format!("took the members of `{outer}` as parameters"),
            ));
        }
    }
    repairs.extend(without_payload(call));
    if let Some(once) = call.get("deleteAfterRun").and_then(Value::as_bool) {
        call.shift_remove("deleteAfterRun");
        call.entry("keep").or_insert((!once).into());
        repairs.push(repair(
            "keep",
            "took `deleteAfterRun` for the opposite of `keep`".to_owned(),
        ));
    }
    if let Some(Value::Object(schedule)) = call.get("schedule").cloned()
        && let Some(text) = schedule_text(&schedule)
    {
        if let Some(tz) = schedule.get("tz").filter(|tz| tz.is_string()).cloned() {
            call.entry("tz").or_insert(tz);
        }
        repairs.push(repair("schedule", format!("took the object as `{text}`")));
        call.insert("schedule".to_owned(), text.into());
    }
    repairs
}

/// The text of a payload becomes the prompt.
fn without_payload(call: &mut Map<String, Value>) -> Vec<Repair> {
    let mut repairs = Vec::new();
    if let Some(Value::Object(payload)) = call.get("payload").cloned() {
        let text = ["message", "text"]
            .into_iter()
            .find_map(|name| payload.get(name))
            .filter(|text| text.is_string())
            .cloned();
        if let Some(text) = text {
            call.shift_remove("payload");
            call.entry("prompt").or_insert(text);
            if let Some(seconds) = payload
                .get("timeoutSeconds")
                .filter(|seconds| seconds.is_u64())
                .cloned()
            {
                call.entry("timeout").or_insert(seconds);
            }
            repairs.push(repair(
                "prompt",
                "took the text of `payload` for `prompt`".to_owned(),
            ));
        }
    }
    repairs
}

fn repair(param: &str, message: String) -> Repair {
    Repair {
        param: param.to_owned(),
        message,
    }
}

fn schedule_text(schedule: &Map<String, Value>) -> Option<String> {
    let text = |name: &str| schedule.get(name).and_then(Value::as_str);
    let number = |name: &str| schedule.get(name).and_then(Value::as_u64);
    match text("kind").unwrap_or_default() {
        "cron" => text("expr").or(text("cron")).map(str::to_owned),
        "every" => match (number("everyMs"), text("every")) {
            (Some(millis), _) => Some(format!("every {millis}ms")),
            (None, text) => text.map(|text| format!("every {text}")),
        },
        "at" => match (text("at"), number("atMs")) {
            (Some(at), _) => Some(format!("at {at}")),
            (None, Some(millis)) => Some(format!("at {}", tenon_tools::shown_time(millis))),
            (None, None) => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_of_openclaw_is_taken_and_said() {
        let mut wire = json!({
            "action": "add",
            "job": {
                "name": "report",
                "schedule": {"kind": "cron", "expr": "0 9 * * 1-5", "tz": "Europe/Berlin"},
                "payload": {"kind": "agentTurn", "message": "Write the report.", "timeoutSeconds": 60},
            },
        });
        let repairs = from_openclaw(Operation::Cron, &mut wire);
        assert_eq!(
            wire,
            json!({"action": "add", "name": "report", "schedule": "0 9 * * 1-5", "prompt": "Write the report.", "timeout": 60, "tz": "Europe/Berlin"})
        );
        let reported: Vec<String> = repairs.into_iter().map(|repair| repair.message).collect();
        assert_eq!(
            reported,
            [
                "took the members of `job` as parameters",
                "took the text of `payload` for `prompt`",
                "took the object as `0 9 * * 1-5`"
            ]
        );
    }

    #[test]
    fn every_kind_of_schedule_object_becomes_a_text() {
        let text = |object: Value| schedule_text(object.as_object().unwrap());
        assert_eq!(
            text(json!({"kind": "every", "everyMs": 900_000})).as_deref(),
            Some("every 900000ms")
        );
        assert_eq!(
            text(json!({"kind": "at", "at": "2026-12-01T09:00:00Z"})).as_deref(),
            Some("at 2026-12-01T09:00:00Z")
        );
        assert_eq!(
            text(json!({"kind": "at", "atMs": 1_795_000_000_000_u64})).as_deref(),
            Some("at 2026-11-18T11:06:40+00:00")
        );
        assert_eq!(text(json!({"kind": "stream"})), None);
    }
}
