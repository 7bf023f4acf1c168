//! Hands a piece of work to a sub-agent, and waits for its result: a session that is started, waited for and read.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tenon_contract::{
    Access, FileChange, Operation, Output, TimeLimit, Tool, ToolContext, ToolError, limits,
};
use tenon_sessions::{Finished, Member, OnUpdate, Report, Spawn, Started, Status};

use crate::host::missing;
use crate::sessions::Sessions;

/// What to have done, and by whom.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskParams {
    /// Name of the agent.
    #[schemars(length(min = 1, max = 200))]
    pub agent: String,
    /// What to do and what to return, with all needed context.
    #[schemars(length(min = 1))]
    pub objective: String,
    /// Time limit in s.
    #[schemars(range(min = 0, max = 604_800))]
    pub timeout: Option<f64>,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskOutput {
    /// Whether the agent says that it did what it was to do. True in a partial answer.
    pub ok: bool,
    /// The kind of agent.
    pub agent: String,
    /// What it says; in a partial answer, how far it is.
    pub summary: String,
    /// Bytes of the summary that are not shown.
    pub omitted_bytes: usize,
    /// Whether it still runs.
    pub is_partial: bool,
    /// Its session.
    pub session: String,
    /// Its run.
    pub run: String,
    /// How it is.
    pub status: Status,
    /// What it used, as the host counts it.
    pub usage: Option<Value>,
    /// The files that it changed.
    pub changes: Vec<FileChange>,
}

impl Output for TaskOutput {
    fn changes(&self) -> Vec<FileChange> {
        self.changes.clone()
    }
}

/// The operation.
pub struct Task(Sessions);

impl Task {
    /// Starts agents below this session; without one every call says what is missing.
    #[must_use]
    pub fn new(sessions: Sessions) -> Self {
        Self(sessions)
    }
}

impl Tool for Task {
    const OPERATION: Operation = Operation::Task;
    // An agent takes as long as its own calls do, which have their limits.
    const TIME_LIMIT: TimeLimit = TimeLimit::OfHost;
    type Params = TaskParams;
    type Plan = TaskParams;
    type Output = TaskOutput;

    fn plan(&self, params: TaskParams) -> Result<(Access, TaskParams), ToolError> {
        Ok((Access::using(params.agent.clone()), params))
    }

    async fn run(&self, params: TaskParams, context: ToolContext) -> Result<TaskOutput, ToolError> {
        let Some(member) = &self.0 else {
            return Err(missing("runAgent", "run another agent"));
        };
        let (call_id, ticket) = (context.call_id().to_owned(), context.ticket());
        let longest = Duration::from_secs(604_800);
        let timeout = params.timeout.map(|timeout| {
            Duration::try_from_secs_f64(timeout)
                .unwrap_or(longest)
                .min(longest)
        });
        let started = member
            .spawn(Spawn {
                agent: params.agent.clone(),
                objective: params.objective,
                timeout,
                origin: Some(Operation::Task),
                call_id: Some(call_id),
                ticket,
                on_update: Some(listener(params.agent, context)),
                ..Spawn::default()
            })
            .await?;
        let stops = StopsWith::new(member.clone(), &started);
        let finished = member.wait_for(&started.run, None).await?;
        stops.forget();
        if let Some(failure) = started.control.take_failure() {
            let changes = finished.map_or_else(Vec::new, |finished| finished.run.changes);
            return Err(with_changes(failure, &changes)
                .with("sessionId", started.session.id.as_str())
                .with("runId", started.run.as_str()));
        }
        finished
            .map(|finished| ended(&started, finished))
            .ok_or_else(|| ToolError::internal("an agent has no end"))
    }
}

/// The failure of an agent with the files that it has changed, which stay as they are.
fn with_changes(mut failure: ToolError, changes: &[FileChange]) -> ToolError {
    let Some(listed) = FileChange::listed(changes) else {
        return failure;
    };
    failure.message = format!("{}\n\n[{listed}]", failure.message);
    failure.with("changes", json!(changes))
}

/// Publishes how far the agent is.
fn listener(agent: String, context: ToolContext) -> OnUpdate {
    Arc::new(move |partial| {
        // A partial answer that cannot be read is passed over: the final one will say why.
        if let Ok(report) = Report::read(partial.clone()) {
            let summary = report.summary;
            context.publish(|| output(&agent, true, summary, true));
        }
    })
}

fn ended(started: &Started, finished: Finished) -> TaskOutput {
    let Finished {
        run, mut summary, ..
    } = finished;
    if summary.is_empty() {
        match run.status {
            Status::Timeout => "Its time limit was reached.".clone_into(&mut summary),
            Status::Cancelled => "It was stopped.".clone_into(&mut summary),
            _ => {}
        }
    }
    let output = output(
        &started.session.agent,
        run.status == Status::Completed,
        summary,
        false,
    );
    TaskOutput {
        session: run.session,
        run: run.id,
        status: run.status,
        usage: run.usage,
        changes: run.changes,
        ..output
    }
}

fn output(agent: &str, ok: bool, mut summary: String, is_partial: bool) -> TaskOutput {
    let whole = summary.len();
    summary.truncate(summary.floor_char_boundary(limits::AGENT_SUMMARY_MAX_BYTES));
    TaskOutput {
        ok,
        agent: agent.to_owned(),
        omitted_bytes: whole - summary.len(),
        summary,
        is_partial,
        session: String::new(),
        run: String::new(),
        status: Status::Running,
        usage: None,
        changes: Vec::new(),
    }
}

/// Stops a session whose call is dropped: it was aborted, or its time is over.
struct StopsWith {
    member: Option<Member>,
    /// The call may be dropped by a thread that is none of the executor's.
    executor: tokio::runtime::Handle,
    session: String,
}

impl StopsWith {
    fn new(member: Member, started: &Started) -> Self {
        Self {
            member: Some(member),
            executor: tokio::runtime::Handle::current(),
            session: started.session.id.clone(),
        }
    }

    fn forget(mut self) {
        self.member = None;
    }
}

impl Drop for StopsWith {
    fn drop(&mut self) {
        let (Some(member), session) = (self.member.take(), std::mem::take(&mut self.session))
        else {
            return;
        };
        member.engine().abort_session(&session);
        self.executor.spawn(async move {
            // What cannot be written ends with its lease.
            let _ = member.stop(&[session]).await;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_cut_at_a_character_and_what_is_missing_is_counted() {
        let output = output("a", true, "ä".repeat(30_000), false);
        assert_eq!(
            (output.summary.len(), output.omitted_bytes),
            (51_200, 8_800)
        );
    }
}
