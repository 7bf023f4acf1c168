//! Scheduled jobs of a toolkit: where they are kept, and who does what they are for.

use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Value, json};
use tenon_contract::{CancellationToken, ErrorCode, ToolError, limits};
use tenon_cron::{
    Engine, EngineOptions, Fire, Fired, FiredFuture, Jobs, JobsOptions, RunEnd, RunStatus, Runner,
    Zone,
};
use tenon_sessions::{Kind, OutsideRun, OutsideRuns, Status};
use tenon_tools::{CronService, HostCallback};
use tenon_workspace::Workspace;

use crate::host_callbacks::HostCallbacks;
use crate::options::{AgentOption, CronOptions, Options, Rights, ToolOptions};
use crate::session::{store_of_agents, store_of_jobs};
use crate::streams::Streams;

/// Whether a toolkit has jobs.
pub(crate) fn is_wanted(options: &Options, callbacks: &HostCallbacks) -> bool {
    options.cron.is_some() || callbacks.on_cron.is_some()
}

/// The jobs of a workspace, and what fires them where that was asked for.
pub(crate) fn service(
    options: &Options,
    narrower: &[ToolOptions],
    callbacks: &HostCallbacks,
    workspace: &Workspace,
    streams: &Streams,
    notices: &mut Vec<String>,
) -> Result<Option<CronService>, ToolError> {
    if !is_wanted(options, callbacks) {
        return Ok(None);
    }
    let own = options.cron.clone().unwrap_or_default();
    let zone = zone_of(&own)?;
    let (store, notice) = store_of_jobs(options, callbacks, workspace)?;
    notices.extend(notice);
    let mut of_jobs = JobsOptions {
        zone,
        ..JobsOptions::new(store, workspace.root().display().to_string())
    };
    if callbacks.store.is_some() {
        of_jobs.lease = limits::HOST_STORE_LEASE_TIME;
    }
    let jobs = Jobs::new(of_jobs);
    let engine = if own.run {
        let sessions = OutsideRuns::new(
            store_of_agents(options, callbacks, workspace)?,
            workspace.root().display().to_string(),
        );
        Some(engine(
            &jobs,
            sessions,
            &options.agents,
            callbacks,
            streams,
        )?)
    } else {
        None
    };
    // Only who has agents run here knows which there are.
    let runs_agents = own.run && callbacks.on_cron.is_none();
    let agents = options.agents.iter().filter(|_| runs_agents);
    Ok(Some(CronService {
        jobs,
        engine,
        agents: agents.map(|agent| agent.name.clone()).collect(),
        rights: options.rights(narrower, callbacks.approver.is_some()),
    }))
}

fn zone_of(options: &CronOptions) -> Result<Zone, ToolError> {
    match &options.time_zone {
        None => Ok(Zone::of_system()),
        Some(name) => Zone::named(name).map_err(|error| {
            let message = format!("The option `cron.timeZone`: {error}");
            ToolError::new(ErrorCode::InvalidParams, message)
                .with("option", "options.cron.timeZone")
        }),
    }
}

fn engine(
    jobs: &Jobs,
    sessions: OutsideRuns,
    agents: &[AgentOption],
    callbacks: &HostCallbacks,
    streams: &Streams,
) -> Result<Arc<Engine>, ToolError> {
    let runner: Arc<dyn Runner> = match (&callbacks.on_cron, &callbacks.run_agent) {
        (Some(host), _) => Arc::new(HostRunner(host.clone())),
        (None, Some(host)) => Arc::new(AgentRunner {
            host: host.clone(),
            sessions,
            agents: agents.into(),
        }),
        (None, None) => {
            let message = "The option `cron.run` needs `host.onCron` or `host.runAgent`: nothing else can run a job.";
            return Err(ToolError::new(ErrorCode::InvalidParams, message)
                .with("option", "options.cron.run"));
        }
    };
    let streams = streams.clone();
    let options = EngineOptions {
        jobs: jobs.clone(),
        runner,
        warn: callbacks.warn.clone(),
        on_end: Some(Arc::new(move |end| streams.job_ended(end))),
    };
    let engine = Engine::start(options).map_err(ToolError::internal)?;
    Ok(Arc::new(engine))
}

/// The session in which a run of a job works; `js/cron.js` and `js/agents/index.js` make it.
pub(crate) fn session_of(run: &str) -> String {
    format!("cron:{run}")
}

/// Has `host.onCron` do it.
struct HostRunner(Arc<dyn HostCallback>);

impl Runner for HostRunner {
    fn run(&self, fire: Fire, stop: CancellationToken) -> FiredFuture {
        Box::pin(asked(Arc::clone(&self.0), to_host(fire), stop))
    }
}

/// Has an agent do it, in a session of its own that the tools for sessions find.
struct AgentRunner {
    host: Arc<dyn HostCallback>,
    sessions: OutsideRuns,
    /// Those that the host lists.
    agents: Arc<[AgentOption]>,
}

impl Runner for AgentRunner {
    fn run(&self, fire: Fire, stop: CancellationToken) -> FiredFuture {
        let (host, sessions) = (Arc::clone(&self.host), self.sessions.clone());
        let agents = Arc::clone(&self.agents);
        Box::pin(async move {
            let run = OutsideRun {
                session: session_of(&fire.run_id),
                run: fire.run_id.clone(),
                kind: Kind::Cron,
                agent: agent_of(&fire),
                label: fire.name.clone(),
                objective: objective_of(&fire),
            };
            // The run itself is a row of its job already: what cannot be written here takes no work away.
            let _ = sessions.begin(&run).await;
            asked(host, to_agent(fire, &agents), stop).await
        })
    }

    fn ended(&self, end: &RunEnd) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let (sessions, end) = (self.sessions.clone(), end.clone());
        Box::pin(async move {
            let session = session_of(&end.run_id);
            let summary = end.summary.as_deref();
            // As above.
            let _ = sessions
                .end(&session, &end.run_id, status_of(end.status), summary)
                .await;
        })
    }
}

async fn asked(
    host: Arc<dyn HostCallback>,
    request: Value,
    stop: CancellationToken,
) -> Result<Fired, String> {
    tokio::select! {
        said = host.ask(request, None) => fired(said.map_err(|error| error.message)?),
        // The host is notified by the signal when the question is dropped.
        () = stop.cancelled() => Err("It was stopped.".to_owned()),
    }
}

/// The status of a run of a job in the words of sessions.
pub(crate) const fn status_of(status: RunStatus) -> Status {
    match status {
        RunStatus::Running => Status::Running,
        RunStatus::Succeeded => Status::Completed,
        RunStatus::Timeout => Status::Timeout,
        RunStatus::Cancelled => Status::Cancelled,
        RunStatus::Lost => Status::Lost,
        RunStatus::Failed | RunStatus::Skipped | RunStatus::Missed => Status::Failed,
    }
}

fn agent_of(fire: &Fire) -> String {
    fire.agent
        .clone()
        .unwrap_or_else(|| tenon_contract::DEFAULT_AGENT.to_owned())
}

/// What an agent is to do: its prompt, and what else the job has for it.
fn objective_of(fire: &Fire) -> String {
    let data = fire
        .data
        .as_ref()
        .map(|data| format!("\n\nData: {}", Value::Object(data.clone())));
    let prompt = fire.prompt.as_deref().unwrap_or(&fire.name);
    format!("{prompt}{}", data.unwrap_or_default())
}

/// What `host.onCron` gets.
fn to_host(fire: Fire) -> Value {
    json!({
        "ticket": 0,
        "jobId": fire.job_id,
        "runId": fire.run_id,
        "name": fire.name,
        "prompt": fire.prompt,
        "agent": fire.agent,
        "data": fire.data,
        "scheduledFor": fire.scheduled_for,
        "trigger": fire.trigger,
        "missed": fire.missed,
        "timeZone": fire.time_zone,
        "rights": fire.rights,
    })
}

/// What the creator of a job was allowed to do, with no more tools than the agent may have that does it.
fn rights_of(fire: &Fire, agents: &[AgentOption]) -> Value {
    let agent = agent_of(fire);
    let kind = agents.iter().find(|kind| kind.name == agent);
    let Some(tools) = kind.and_then(|kind| kind.tools.as_deref()) else {
        return fire.rights.clone();
    };
    let mut rights: Vec<Rights> = serde_json::from_value(fire.rights.clone()).unwrap_or_default();
    // A job without rights that can be read is refused when it runs.
    let Some(own) = rights.last_mut() else {
        return Value::Null;
    };
    own.tools.push(ToolOptions::only(tools));
    serde_json::to_value(rights).unwrap_or_default()
}

/// What `host.runAgent` gets where there is no `host.onCron`. All that jobs know of agents is here.
fn to_agent(fire: Fire, agents: &[AgentOption]) -> Value {
    json!({
        "ticket": 0,
        "agent": agent_of(&fire),
        "objective": objective_of(&fire),
        "toolCallId": fire.run_id,
        "cron": {
            "jobId": fire.job_id,
            "runId": fire.run_id,
            "name": fire.name,
            "scheduledFor": fire.scheduled_for,
            "trigger": fire.trigger,
            "missed": fire.missed,
            "timeZone": fire.time_zone,
        },
        "rights": rights_of(&fire, agents),
    })
}

/// A text, `{summary, ok?}`, or nothing.
fn fired(said: Value) -> Result<Fired, String> {
    match said {
        Value::Null => Ok(Fired { ok: true, summary: None }),
        Value::String(summary) => Ok(Fired { ok: true, summary: Some(summary) }),
        Value::Object(members) => {
            let ok = match members.get("ok") {
                None | Some(Value::Null) => true,
                Some(Value::Bool(ok)) => *ok,
                Some(_) => return Err("The application returned an `ok` that is not true or false.".to_owned()),
            };
            let summary = match members.get("summary") {
                None | Some(Value::Null) => None,
                Some(Value::String(summary)) => Some(summary.clone()),
                Some(_) => return Err("The application returned a `summary` that is not a string.".to_owned()),
            };
            Ok(Fired { ok, summary })
        }
        _ => Err("The application returned an invalid result: a string, `{ summary, ok? }` or nothing is expected.".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_an_object_and_nothing_are_results_and_nothing_else_is() {
        let ok = |summary: Option<&str>, ok| {
            Ok(Fired {
                ok,
                summary: summary.map(str::to_owned),
            })
        };
        assert_eq!(fired(json!(null)), ok(None, true));
        assert_eq!(fired(json!("done")), ok(Some("done"), true));
        assert_eq!(
            fired(json!({"ok": false, "summary": "no"})),
            ok(Some("no"), false)
        );
        assert_eq!(fired(json!({})), ok(None, true));
        for odd in [json!(1), json!([]), json!({"ok": 1}), json!({"summary": 1})] {
            assert!(fired(odd.clone()).is_err(), "{odd}");
        }
    }
}
