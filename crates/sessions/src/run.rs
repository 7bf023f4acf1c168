//! One run, from its start to the row of its result.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::FutureExt;
use serde_json::{Value, json};
use tenon_contract::{ErrorCode, Operation, ToolError, limits};
use tenon_store::StoreError;
use tokio::sync::oneshot;

use crate::control::{Control, Report};
use crate::engine::{Engine, note};
use crate::model::{Mail, Message, ResultRow, RunRow, SessionRow, Status};
use crate::records::{Records, Transaction};

type Answer = oneshot::Receiver<Result<Value, ToolError>>;

/// How a run has ended.
struct End {
    status: Status,
    code: Option<String>,
    report: Report,
}

impl End {
    fn failed(code: &str, report: Report) -> Self {
        Self {
            status: Status::Failed,
            code: Some(code.to_owned()),
            report,
        }
    }
}

impl Engine {
    /// Runs a run in the background.
    pub(crate) fn drive(&self, control: Arc<Control>, run: RunRow, session: SessionRow) {
        let engine = self.clone();
        tokio::spawn(async move {
            let work = engine.end_of(&control, &run, &session);
            tokio::select! {
                // Somebody else has ended it: its row says how.
                () = control.over.cancelled() => {}
                end = work => engine.finish(&control, end).await,
            }
        });
    }

    async fn end_of(&self, control: &Arc<Control>, run: &RunRow, session: &SessionRow) -> End {
        let Some(runner) = self.0.runner.clone() else {
            let report = Report {
                summary: "This application cannot run agents.".to_owned(),
                ..Report::default()
            };
            return End::failed("unavailable", report);
        };
        let deadline = self.deadline_of(control, run);
        tokio::pin!(deadline);
        let mut fault: Option<(String, Report)> = None;
        loop {
            let request = match self.request(control, run, session, fault.as_ref()).await {
                Ok(request) => request,
                Err(error) => return Self::store_failed(error),
            };
            let updates = Arc::clone(control);
            let engine = self.clone();
            // The host reports from threads of its own.
            let executor = tokio::runtime::Handle::current();
            let on_partial =
                Arc::new(move |partial: &Value| engine.hear(&updates, partial, &executor));
            let asked = runner.run(request, Arc::clone(control), on_partial);
            let mut answer = self.ask(asked, control);
            let said = tokio::select! {
                said = &mut answer => said.unwrap_or_else(|_| Err(ToolError::cancelled())),
                () = &mut deadline => return self.out_of_time(control, answer).await,
                () = control.exceeded.cancelled() => return self.used_up(control, answer).await,
            };
            let mut report = match report_of(said, control) {
                Ok(report) => report,
                Err(end) => return *end,
            };
            report.output = self.output_of(run, &mut report);
            let Some(problem) = self.mismatch(run, &report) else {
                return Self::reported(report);
            };
            if fault.is_some() {
                let report = Report {
                    summary: report.summary,
                    ok: false,
                    ..Report::default()
                };
                let mut end = End::failed("output_mismatch", report);
                end.report.output = None;
                control.fail(mismatched(&problem));
                return end;
            }
            fault = Some((problem, report));
        }
    }

    /// Asks in a task of its own: what is answered when nobody waits any more is kept all the same.
    fn ask(&self, asked: crate::engine::RunFuture, control: &Arc<Control>) -> Answer {
        let (send, answer) = oneshot::channel();
        let (engine, control) = (self.clone(), Arc::clone(control));
        let asking = Asking::new(self);
        tokio::spawn(async move {
            let _asking = asking;
            let said = std::panic::AssertUnwindSafe(asked).catch_unwind();
            let said = tokio::select! {
                said = said => said,
                // Nobody can keep what comes later.
                () = engine.0.closed.cancelled() => return,
            };
            let said =
                said.unwrap_or_else(|_| Err(ToolError::internal("an agent of the host panicked")));
            if let Err(Ok(late)) = send.send(said)
                && let Ok(report) = Report::read(late)
            {
                engine.keep_late(&control, report).await;
            }
        });
        answer
    }

    async fn deadline_of(&self, control: &Control, run: &RunRow) {
        let wall = control.wall_ms().unwrap_or(u64::MAX);
        let limit = if run.timeout_ms == 0 {
            u64::MAX
        } else {
            run.timeout_ms
        };
        match wall.min(limit) {
            u64::MAX => std::future::pending().await,
            most => {
                tokio::time::sleep(Duration::from_millis(most)).await;
                if wall < limit {
                    control.use_up("wallMs");
                }
            }
        }
    }

    /// Asks the host to end, and gives it a moment to say how far it came.
    async fn last_words(&self, control: &Control, answer: Answer) -> Report {
        control.abort.cancel();
        let said = tokio::time::timeout(self.0.lease.grace, answer).await;
        let report = said.ok().and_then(Result::ok).and_then(Result::ok);
        let report = report
            .and_then(|said| Report::read(said).ok())
            .unwrap_or_default();
        if let Some(usage) = &report.usage {
            control.add_usage(usage);
        }
        report
    }

    async fn out_of_time(&self, control: &Control, answer: Answer) -> End {
        if control.used_up().is_some() {
            return self.used_up(control, answer).await;
        }
        End {
            status: Status::Timeout,
            code: Some("timeout".to_owned()),
            report: self.last_words(control, answer).await,
        }
    }

    async fn used_up(&self, control: &Control, answer: Answer) -> End {
        let what = control.used_up().unwrap_or("toolCalls");
        let mut report = self.last_words(control, answer).await;
        if report.summary.is_empty() {
            report.summary = format!("Stopped: its budget was used up (`{what}`).");
        }
        control.fail(
            ToolError::new(
                ErrorCode::AgentLimit,
                format!(
                    "The budget of the agent was used up (`{what}`). Give the next one less to do."
                ),
            )
            .with("budget", what),
        );
        End::failed("budget", report)
    }

    fn store_failed(error: StoreError) -> End {
        let report = Report {
            summary: format!("The session cannot be read: {error}"),
            ..Report::default()
        };
        End::failed("io", report)
    }

    fn reported(report: Report) -> End {
        End {
            status: if report.ok {
                Status::Completed
            } else {
                Status::Failed
            },
            code: (!report.ok).then(|| "agent_failed".to_owned()),
            report,
        }
    }

    /// The output: that of the host, or the JSON of its text where a schema is given. A null is an output where the
    /// schema permits it, and none otherwise.
    fn output_of(&self, run: &RunRow, report: &mut Report) -> Option<Value> {
        let output = report.output.take();
        let Some(schema) = &run.output_schema else {
            return output.filter(|output| !output.is_null());
        };
        let counts = |output: &Value| !output.is_null() || (self.0.check)(schema, output).is_none();
        output.filter(counts).or_else(|| json_in(&report.summary))
    }

    /// What is wrong with the output, where a schema is given.
    fn mismatch(&self, run: &RunRow, report: &Report) -> Option<String> {
        let schema = run.output_schema.as_ref()?;
        if !report.ok {
            return None;
        }
        match &report.output {
            Some(output) => (self.0.check)(schema, output),
            None => Some("It is not JSON.".to_owned()),
        }
    }

    /// What the host is asked.
    async fn request(
        &self,
        control: &Control,
        run: &RunRow,
        session: &SessionRow,
        fault: Option<&(String, Report)>,
    ) -> Result<Value, StoreError> {
        let records = &self.0.records;
        let rounds = records.rounds(&session.id).await?;
        let earlier = rounds.iter().filter(|message| message.run != run.id);
        let mut history: Vec<Value> = earlier.map(round).collect();
        let mut objective = run.objective.clone();
        if let Some((problem, report)) = fault {
            history.push(json!({ "role": "user", "text": run.objective }));
            history.push(json!({ "role": "assistant", "text": report.summary }));
            objective = format!(
                "The output does not match its schema: {problem} Return the whole result again, with `output` as the schema wants it."
            );
        }
        let mut request = json!({
            "agent": session.agent,
            "objective": objective,
            "ticket": control.ticket,
            // Whether the call that has asked for it has ended by now, or ends at a time of its own.
            "background": control.origin != Some(Operation::Task),
            "sessionId": session.id,
            "runId": run.id,
            "parentId": control.parent,
            "depth": session.depth,
            "label": session.label,
            "history": history,
        });
        let optional = [
            ("toolCallId", control.call_id.clone().map(Value::from)),
            ("state", records.state(&session.id).await?),
            ("outputSchema", run.output_schema.clone()),
            (
                "budget",
                (!control.budget().is_empty()).then(|| json!(control.budget())),
            ),
            (
                "timeoutMs",
                (run.timeout_ms > 0).then(|| json!(run.timeout_ms)),
            ),
        ];
        let Some(members) = request.as_object_mut() else {
            return Ok(request);
        };
        if run.fork {
            let parent = records.rounds(&control.parent).await?;
            let parent = parent.iter().map(round).collect();
            members.insert("parentHistory".to_owned(), parent);
        }
        for (name, value) in optional {
            if let Some(value) = value {
                members.insert(name.to_owned(), value);
            }
        }
        Ok(request)
    }

    /// Takes what the host reports in between; messages go into the transcript.
    fn hear(&self, control: &Arc<Control>, partial: &Value, executor: &tokio::runtime::Handle) {
        control.update(partial);
        let Some(message) = partial.get("message") else {
            return;
        };
        let text_of = |name: &str| message.get(name).and_then(Value::as_str).map(str::to_owned);
        let Some(text) = text_of("text").or_else(|| message.as_str().map(str::to_owned)) else {
            return;
        };
        let message = Message {
            role: text_of("role").unwrap_or_else(|| "assistant".to_owned()),
            text,
            run: control.run.clone(),
            ..Message::default()
        };
        let (records, session) = (self.0.records.clone(), control.session.clone());
        let id = crate::records::fresh("m", 16);
        control.in_order(executor, async move {
            // A transcript that cannot be stored takes no work away.
            let _ = records.say(&session, &id, &message).await;
        });
    }

    /// Writes the end of a run: the run, its result and the mail of its parent in one commit. Only then is anybody
    /// notified.
    async fn finish(&self, control: &Control, end: End) {
        if let Some(said) = control.last() {
            // What was said comes before the result; a store that does not take it is waited for no longer.
            let _ = tokio::time::timeout(self.0.lease.grace, said).await;
        }
        let written = self.write_end(control, &end).await;
        if written {
            // Before waiters for the run continue.
            self.emit("ended", control, end.status, &end.report.summary);
        }
        self.local().remove(&control.run);
        control.end();
        self.bump();
        if written {
            // Nobody could read what is found out below a session that has ended.
            let _ = self.stop_below(&control.session).await;
        }
        let _ = self.promote().await;
    }

    /// Tries until the end is written or the toolkit is closed: the run has ended, whatever the store does meanwhile.
    /// Whether this was its end.
    async fn write_end(&self, control: &Control, end: &End) -> bool {
        let (mut attempt, mut failures) = (0, 0);
        loop {
            match self.try_finish(control, end, failures > 0).await {
                Ok(Some(was_live)) => return was_live,
                // Others change the tree at the same time, but not for ever.
                Ok(None) if !self.0.closed.is_cancelled() => {
                    attempt = (attempt + 1).min(limits::AGENT_SWAP_ATTEMPTS - 1);
                    let _ = Records::pause(attempt).await;
                }
                // The lease ends by itself where the store stays away for good.
                Err(_) if !self.0.closed.is_cancelled() => {
                    failures += 1;
                    let pause = Duration::from_millis(200).saturating_mul(failures);
                    tokio::time::sleep(pause.min(limits::AGENT_LEASE_RENEWAL)).await;
                }
                Ok(None) | Err(_) => return false,
            }
        }
    }

    /// Nothing where another change came first; else whether the run had not ended before. `again` after a failure:
    /// what was reported as failed may have been written.
    async fn try_finish(
        &self,
        control: &Control,
        end: &End,
        again: bool,
    ) -> Result<Option<bool>, StoreError> {
        let _guard = self.0.lock.lock().await;
        let records = &self.0.records;
        let mut transaction = records.begin().await?;
        let place = transaction
            .tree
            .live
            .iter()
            .position(|live| live.run == control.run);
        let (Some(mut run), Some(mut session)) = (
            records.run(&control.run).await?,
            records.session(&control.session).await?,
        ) else {
            return Ok(Some(false));
        };
        let is_late = place.is_none();
        let is_own = run.status == end.status && end.status != Status::Cancelled;
        if again && is_late && is_own && !run.late {
            // Nobody else ends a run in this way: it was this one.
            return Ok(Some(true));
        }
        if let Some(place) = place {
            transaction.tree.live.remove(place);
            close_run(&mut run, &mut session, end.status, transaction.now);
            run.code.clone_from(&end.code);
        } else {
            run.late = true;
        }
        let used = control.used();
        run.tool_calls = used.tool_calls;
        run.usage = used.usage;
        run.changes = used.changes;
        if !is_late {
            session.tool_calls += used.tool_calls;
        }
        enter_report(&mut transaction, &run, &end.report)?;
        // What comes late may be older than what a further run of the session has returned.
        if !is_late || session.last_run.as_ref() == Some(&run.id) {
            enter_state(&mut transaction, &session.id, &end.report)?;
        }
        if !is_late || run.status != Status::Cancelled {
            transaction.mail(&run.id, &mail_of(control, is_late))?;
        }
        if !is_late {
            note(
                &mut transaction,
                &control.parent,
                &session,
                &run,
                run.status,
            )?;
            transaction.session(session)?;
        }
        Ok(transaction.commit().await?.then_some(!is_late))
    }

    /// Keeps what came after the end of the run.
    async fn keep_late(&self, control: &Control, report: Report) {
        // Who waits for the end itself writes it first.
        control.over.cancelled().await;
        let end = End {
            status: Status::Completed,
            code: None,
            report,
        };
        for attempt in 1..limits::AGENT_SWAP_ATTEMPTS {
            match self.try_finish(control, &end, false).await {
                Ok(None) => _ = Records::pause(attempt).await,
                // There is nobody left to report the failed store to.
                Ok(Some(_)) | Err(_) => break,
            }
        }
        self.bump();
    }
}

/// Writes a run with what came of it.
fn enter_report(
    transaction: &mut Transaction<'_>,
    run: &RunRow,
    report: &Report,
) -> Result<(), StoreError> {
    let result = result_of(report);
    transaction.result(&run.id, &result)?;
    transaction.run(run)?;
    let said = Message {
        role: "assistant".to_owned(),
        text: result.summary,
        run: run.id.clone(),
        round: true,
        from: None,
    };
    transaction.say(&run.session, &format!("{}/result", run.id), &said)
}

/// Writes what the next run of a session is given, where its host has said so. A state that is too large takes the earlier
/// one away as well: with that the agent would not know its last round.
fn enter_state(
    transaction: &mut Transaction<'_>,
    session: &str,
    report: &Report,
) -> Result<(), StoreError> {
    match &report.state {
        Some(state) => transaction.state(session, Some(state).filter(|state| fits(state))),
        None => Ok(()),
    }
}

/// A question to the host that is on its way.
struct Asking(Engine);

impl Asking {
    fn new(engine: &Engine) -> Self {
        engine.0.asking.fetch_add(1, Ordering::AcqRel);
        Self(engine.clone())
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.0.asking.fetch_sub(1, Ordering::AcqRel);
        self.0.bump();
    }
}

/// The mail of an end.
pub(crate) fn mail_of(control: &Control, late: bool) -> Mail {
    Mail {
        to: control.parent.clone(),
        from: control.session.clone(),
        label: control.label.clone(),
        run: Some(control.run.clone()),
        text: None,
        late,
    }
}

/// Marks a run and its session as ended.
pub(crate) fn close_run(run: &mut RunRow, session: &mut SessionRow, status: Status, now: i64) {
    run.status = status;
    run.ended_at = Some(now);
    if session.last_run.as_ref() == Some(&run.id) {
        session.status = status;
        session.ended_at = Some(now);
    }
}

fn report_of(said: Result<Value, ToolError>, control: &Control) -> Result<Report, Box<End>> {
    let failed = |error: ToolError| {
        let report = Report {
            summary: error.message.clone(),
            ..Report::default()
        };
        let end = End::failed(error.code.as_str(), report);
        control.fail(error);
        Box::new(end)
    };
    let report = said.and_then(|said| {
        Report::read(said).map_err(|problem| {
            let message = format!(
                "`host.runAgent` of this application returned an invalid result: {problem}. You cannot fix that; continue without it."
            );
            ToolError::new(ErrorCode::HandlerFailed, message).with("host", "runAgent")
        })
    });
    let report = report.map_err(failed)?;
    if let Some(usage) = &report.usage {
        control.add_usage(usage);
    }
    Ok(report)
}

fn mismatched(problem: &str) -> ToolError {
    let message = format!(
        "The output of the agent does not match `outputSchema`: {problem} Its text is kept; use it as it is, or ask for less."
    );
    ToolError::new(ErrorCode::HandlerFailed, message).with("reason", "output_mismatch")
}

/// The value in a text that is JSON, or in its only block of code.
fn json_in(text: &str) -> Option<Value> {
    let text = text.trim();
    let inner = text
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"));
    let inner = inner.map_or(text, |inner| inner.strip_prefix("json").unwrap_or(inner));
    serde_json::from_str(inner.trim()).ok()
}

/// What is stored of a report: the store has a largest value.
fn result_of(report: &Report) -> ResultRow {
    let mut summary = report.summary.clone();
    summary.truncate(summary.floor_char_boundary(limits::AGENT_RESULT_MAX_BYTES / 2));
    let output = report.output.clone();
    let is_small = |output: &Value| output.to_string().len() <= limits::AGENT_RESULT_MAX_BYTES / 2;
    ResultRow {
        output: output.filter(is_small),
        summary,
    }
}

fn fits(state: &Value) -> bool {
    state.to_string().len() <= limits::AGENT_STATE_MAX_BYTES
}

/// A message as the host reads it.
fn round(message: &Message) -> Value {
    json!({ "role": message.role, "text": message.text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_found_in_a_text_and_in_a_block_of_code() {
        assert_eq!(json_in(" {\"a\": 1} "), Some(json!({ "a": 1 })));
        assert_eq!(json_in("```json\n[1]\n```"), Some(json!([1])));
        assert_eq!(json_in("done"), None);
    }
}
