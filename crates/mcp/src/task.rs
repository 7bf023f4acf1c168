//! Tasks (the extension of revision 2026-07-28): a server answers a call with a task, which is asked about until it ends.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rmcp::model::{
    CancelTaskParams, ErrorData, GetTaskParams, InputRequests, JsonObject, Task, TaskPayload,
    UpdateTaskParams,
};
use rmcp::service::ServiceError;
use rmcp::{Peer, RoleClient};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use crate::handler::Handler;

/// How often a task is asked about whose server says nothing about it.
const POLL: Duration = Duration::from_secs(1);
/// The shortest and the longest time between two questions, whatever the server wishes.
const POLL_MIN: Duration = Duration::from_millis(50);
const POLL_MAX: Duration = Duration::from_secs(30);

/// Waits for a task to end, and returns the result of its call. Dropping the future cancels the task.
pub(crate) async fn followed(
    peer: &Peer<RoleClient>,
    handler: &Handler,
    key: &Value,
    task: Task,
) -> Result<Value, ServiceError> {
    let mut open = OpenTask {
        peer: peer.clone(),
        id: task.task_id.clone(),
        is_open: true,
    };
    let (quiet, most) = (handler.spec.call_limit(), handler.spec.max_call_limit());
    let mut until = Instant::now() + most;
    let mut answered = HashSet::new();
    let (mut wait, mut words) = (interval(&task), None);
    report(handler, key, &task, &mut words);
    loop {
        sleep(wait).await;
        let asked = peer.get_task(GetTaskParams::new(task.task_id.clone()));
        let state = timeout(quiet, asked).await;
        let state = state
            .map_err(|_| ServiceError::Timeout { timeout: quiet })??
            .task;
        wait = interval(&state.task);
        report(handler, key, &state.task, &mut words);
        match state.payload {
            TaskPayload::Completed { result } => {
                open.is_open = false;
                return Ok(Value::Object(result));
            }
            TaskPayload::Failed { error } => {
                open.is_open = false;
                return Err(ServiceError::McpError(failure(error)));
            }
            TaskPayload::Cancelled => {
                open.is_open = false;
                let error = ErrorData::internal_error("its task was cancelled", None);
                return Err(ServiceError::McpError(error));
            }
            TaskPayload::InputRequired { input_requests } => {
                let began = Instant::now();
                answer(peer, handler, &task.task_id, input_requests, &mut answered).await?;
                // The time that a user takes is not the server's.
                until += began.elapsed();
            }
            _ => {}
        }
        if Instant::now() >= until && handler.asking.load(Ordering::Relaxed) == 0 {
            return Err(ServiceError::Timeout { timeout: most });
        }
    }
}

/// Answers the questions of a task that were not answered before: the server may still show those that were.
async fn answer(
    peer: &Peer<RoleClient>,
    handler: &Handler,
    task: &str,
    mut requests: InputRequests,
    answered: &mut HashSet<String>,
) -> Result<(), ServiceError> {
    requests.retain(|key, _| !answered.contains(key));
    if requests.is_empty() {
        return Ok(());
    }
    let responses = handler.inputs(&requests).await;
    let responses = responses.map_err(ServiceError::McpError)?;
    answered.extend(requests.into_keys());
    peer.update_task(UpdateTaskParams::new(task, responses))
        .await
}

fn interval(task: &Task) -> Duration {
    let wished = task.poll_interval_ms.map_or(POLL, Duration::from_millis);
    wished.clamp(POLL_MIN, POLL_MAX)
}

/// What a task says about itself is progress of its call, once.
fn report(handler: &Handler, key: &Value, task: &Task, last: &mut Option<String>) {
    if task.status_message.is_none() || task.status_message == *last {
        return;
    }
    last.clone_from(&task.status_message);
    handler.host.report(json!({
        "type": "progress",
        "server": handler.spec.id,
        "call": key,
        "message": task.status_message,
    }));
}

/// The error that ended a task. One without the form of an error is passed on as it is.
fn failure(error: JsonObject) -> ErrorData {
    let error = Value::Object(error);
    serde_json::from_value(error.clone())
        .unwrap_or_else(|_| ErrorData::internal_error(format!("its task failed: {error}"), None))
}

/// A task whose end somebody waits for. Dropped while it is open, it is cancelled at the server.
struct OpenTask {
    peer: Peer<RoleClient>,
    id: String,
    is_open: bool,
}

impl Drop for OpenTask {
    fn drop(&mut self) {
        if !self.is_open {
            return;
        }
        let (peer, id) = (self.peer.clone(), self.id.clone());
        // Dropped outside of the runtime, nothing can be sent.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                // A closed connection needs no notification.
                let _ = peer.cancel_task(CancelTaskParams::new(id)).await;
            });
        }
    }
}
