//! How a started command is seen through, until it ends or runs on in the background.

use std::sync::Arc;
use std::time::Duration;

use crate::blocking::off_thread;
use tenon_contract::{CancellationToken, CommandClaim, ToolContext, ToolError, limits};
use tenon_process::{CommandSession, RunningCommand, SessionState, SessionStatus, Unread};
use tokio::time::{Instant, sleep_until};

use super::changed::{Before, ChangedFiles};
use super::output::{BackgroundReason, InBackground, StreamOutput};
use super::{Execute, ExecuteOutput, ExecutePlan, ExecuteStatus, OnTimeout};

/// Who the command is, for answers.
struct CommandName {
    command: String,
    directory: String,
}

/// Ends a session unless it was [kept](Self::kept): for calls that are aborted while they wait.
struct EndUnlessKept(Option<Arc<CommandSession>>);

impl EndUnlessKept {
    fn kept(mut self) {
        self.0 = None;
    }
}

impl Drop for EndUnlessKept {
    fn drop(&mut self) {
        if let Some(session) = &self.0 {
            session.end();
        }
    }
}

/// A command that somebody waits for. If nobody does any more, what it did until it was ended is recorded all the same.
struct Attended {
    command: Option<RunningCommand>,
    before: Option<Before>,
}

impl Attended {
    fn new(command: RunningCommand, before: Option<Before>) -> Self {
        Self {
            command: Some(command),
            before,
        }
    }

    fn is_missing() -> ToolError {
        ToolError::internal("the command was handed over already")
    }

    fn command(&mut self) -> Result<&mut RunningCommand, ToolError> {
        self.command.as_mut().ok_or_else(Self::is_missing)
    }

    /// Hands it over, with what is known from before.
    fn taken(mut self) -> Result<(RunningCommand, Option<Before>), ToolError> {
        let command = self.command.take().ok_or_else(Self::is_missing)?;
        Ok((command, self.before.take()))
    }
}

impl Drop for Attended {
    fn drop(&mut self) {
        let (Some(command), Some(before)) = (self.command.take(), self.before.take()) else {
            return;
        };
        let runtime = tokio::runtime::Handle::try_current();
        if let (true, Ok(runtime)) = (before.records(), runtime) {
            let pending = before.journal().pending();
            runtime.spawn(async move {
                command.abandon().await;
                let _ = before.changed().await;
                drop(pending);
            });
        }
    }
}

impl Execute {
    /// Starts the command as a session, and waits until it is ready if the call asks for that.
    pub(super) async fn in_background(
        &self,
        plan: ExecutePlan,
        context: &ToolContext,
    ) -> Result<ExecuteOutput, ToolError> {
        let room = self.sessions.room()?;
        let mut command = self.started(&plan).await?;
        command.started().await?;
        let sandbox = self.in_sandbox(command.sandbox());
        let session = self.sessions.keep(command, plan.claim.clone(), None);
        drop(room);
        let named = CommandName::of(&plan);
        if plan.params.wait_for.is_none() {
            until_started(&session).await;
            return Ok(ExecuteOutput {
                sandbox,
                ..running_on(&named, &session, BackgroundReason::Asked)
            });
        }
        let guard = EndUnlessKept(Some(Arc::clone(&session)));
        let patience = plan.yield_after().unwrap_or(limits::SESSION_READY_PATIENCE);
        let waited = tokio::select! {
            biased;
            () = context.cancellation().cancelled() => return Err(ToolError::cancelled()),
            waited = session.ready(&plan.awaited.readiness, patience) => waited,
        };
        guard.kept();
        Ok(ExecuteOutput {
            sandbox,
            ..running_on(&named, &session, BackgroundReason::Awaited(waited))
        })
    }

    /// Starts the command. That takes milliseconds, and the one who asks for it may be an event loop.
    async fn started(&self, plan: &ExecutePlan) -> Result<RunningCommand, ToolError> {
        // More at a time would take the processor from those that wait for them.
        let _turn = self.starting.acquire().await.map_err(ToolError::internal)?;
        let (processes, spec) = (self.processes.clone(), self.spec(plan));
        let work = off_thread(move || {
            // Anyone who does not want it any more drops it, which ends it.
            processes.start(spec, &CancellationToken::new())
        });
        Ok(work.await??)
    }

    /// Waits for the command, as long as the call says.
    pub(super) async fn in_foreground(
        &self,
        plan: ExecutePlan,
        context: &ToolContext,
    ) -> Result<ExecuteOutput, ToolError> {
        let named = CommandName::of(&plan);
        let given = plan.params.timeout.map(Duration::from_millis);
        let (timeout, begun) = (given.unwrap_or(self.defaults.timeout), Instant::now());
        let leaving = self.leaving(&plan, timeout);
        let leave_at = leaving.as_ref().map(|(after, _)| begun + *after);
        let before = self.before(&named.command, context).await;
        let command = self.started(&plan).await?;
        let mut changes = command.changes();
        let mut attended = Attended::new(command, before);
        let mut next_update = begun;
        let result = loop {
            let updates = Instant::now() >= next_update;
            let command = attended.command()?;
            tokio::select! {
                biased;
                result = command.finished() => break result?,
                () = context.cancellation().cancelled() => return Err(self.so_far(&named, command).aborted()),
                is_reported = left(leave_at, context) => {
                    let (command, before) = attended.taken()?;
                    if is_reported {
                        command.run_on();
                    }
                    let planned = leaving.filter(|_| !is_reported);
                    let now = || BackgroundReason::Yielded(begun.elapsed());
                    let reason = planned.map_or_else(now, |(_, reason)| reason);
                    return Ok(self.leave(command, before, plan.claim, &named, reason).await);
                }
                () = changes.next(), if updates => {
                    context.publish(|| self.so_far(&named, command));
                    next_update = Instant::now() + limits::UPDATE_INTERVAL;
                }
                () = sleep_until(next_update), if !updates => {}
            }
        };
        if result.cancelled && !result.timed_out {
            let over = ExecuteOutput::over(named.command, named.directory, result, None);
            return Err(self.shown(over, context).await.aborted());
        }
        let (command, before) = attended.taken()?;
        let screen = command.output().screen();
        let mut output =
            ExecuteOutput::over(named.command, named.directory, result.clone(), screen);
        output.sandbox = self.in_sandbox(result.sandbox.clone());
        output.note_refusal();
        output.note_file_limit(&self.defaults.limits);
        output.changed = changed(before, result.adopted > 0).await;
        if result.adopted > 0 {
            self.adopt(command, plan.claim, result, &mut output).await;
        }
        let output = self.shown(output, context).await;
        if output.status == ExecuteStatus::Timeout && !plan.params.report_timeout.unwrap_or(false) {
            return Err(output.timed_out(timeout));
        }
        Ok(output)
    }

    /// Makes of an output that is over what the model is to see of it.
    async fn shown(&self, mut output: ExecuteOutput, context: &ToolContext) -> ExecuteOutput {
        self.clean(&mut output, true);
        if let Some(redactor) = &self.defaults.redactor {
            let bytes = self.defaults.output_bytes / 2;
            output
                .output
                .fill_ends(&self.processes, redactor, bytes)
                .await;
        }
        let of_call = context.max_tokens();
        output
            .condense(&self.processes, &self.defaults, of_call)
            .await;
        output
    }

    /// What is known of a command that runs.
    fn so_far(&self, named: &CommandName, command: &RunningCommand) -> ExecuteOutput {
        let mut output = partial(named, command);
        self.clean(&mut output, false);
        output
    }

    /// Takes the secrets out.
    fn clean(&self, output: &mut ExecuteOutput, is_over: bool) {
        if let Some(redactor) = &self.defaults.redactor {
            output.output.redact(redactor, is_over);
        }
    }

    /// Lets the command run on in the background. What it changed so far is reported.
    async fn leave(
        &self,
        command: RunningCommand,
        before: Option<Before>,
        claim: CommandClaim,
        named: &CommandName,
        reason: BackgroundReason,
    ) -> ExecuteOutput {
        let sandbox = self.in_sandbox(command.sandbox());
        let session = self.sessions.keep(command, claim, None);
        until_started(&session).await;
        session.flush().await;
        ExecuteOutput {
            sandbox,
            changed: changed(before, /*runs_on*/ true).await,
            ..running_on(named, &session, reason)
        }
    }

    /// When the command leaves for the background, and why.
    fn leaving(
        &self,
        plan: &ExecutePlan,
        timeout: Duration,
    ) -> Option<(Duration, BackgroundReason)> {
        match (plan.yield_after(), self.defaults.on_timeout) {
            (Some(after), _) => Some((after, BackgroundReason::Yielded(after))),
            (None, OnTimeout::Background) => Some((timeout, BackgroundReason::TimedOut(timeout))),
            (None, OnTimeout::End) => None,
        }
    }

    /// How the files stand, if it is to be reported what becomes of them.
    async fn before(&self, command: &str, context: &ToolContext) -> Option<Before> {
        if self.defaults.report_changes {
            let journal = self.journal.of_call(context.call_id(), context.ticket());
            Before::of(&self.workspace, &journal, command).await
        } else {
            None
        }
    }

    /// Keeps what the command left running as a session; ends it when there are too many already.
    async fn adopt(
        &self,
        command: RunningCommand,
        claim: CommandClaim,
        result: tenon_process::CommandResult,
        output: &mut ExecuteOutput,
    ) {
        let left = result.adopted;
        let Ok(room) = self.sessions.room() else {
            command.end();
            command.gone().await;
            output.ended += left;
            return;
        };
        let session = self.sessions.keep(command, claim, Some(result));
        drop(room);
        output.background = Some(InBackground {
            session: session.id().to_owned(),
            process_id: session.process_id(),
            reason: BackgroundReason::Leftovers(left),
        });
    }
}

impl CommandName {
    fn of(plan: &ExecutePlan) -> Self {
        Self {
            command: plan.params.command.clone(),
            directory: plan.directory.name().to_owned(),
        }
    }
}

/// What became of the files. Whatever runs on may change more of them.
async fn changed(before: Option<Before>, runs_on: bool) -> Option<ChangedFiles> {
    let mut changed = before?.changed().await;
    changed.runs_on = runs_on;
    Some(changed)
}

/// Longest time that the number of a shell is waited for; it is there as soon as the shell is.
const STARTING: Duration = Duration::from_millis(1_000);

/// Until the number of a session's shell is known, so that it can be reported.
async fn until_started(session: &CommandSession) {
    let until = Instant::now() + STARTING;
    while session.process_id() == 0
        && session.state().status == SessionStatus::Running
        && Instant::now() < until
    {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Waits until the command is to run on in the background: at this moment, or because the host says so. Whether it is
/// the host.
async fn left(moment: Option<Instant>, context: &ToolContext) -> bool {
    let at = async {
        match moment {
            Some(moment) => sleep_until(moment).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        () = at => false,
        () = context.reported_to_leave() => true,
    }
}

/// A session that was just made. Whatever has come of it meanwhile is for those who look at it; what
/// it wrote while it was waited for counts as read.
fn running_on(
    named: &CommandName,
    session: &CommandSession,
    reason: BackgroundReason,
) -> ExecuteOutput {
    let state = match reason {
        BackgroundReason::Awaited(_) => session.state(),
        _ => SessionState::running(),
    };
    let unread = match reason {
        BackgroundReason::Asked => Unread::default(),
        _ => session.read(),
    };
    ExecuteOutput {
        command: named.command.clone(),
        directory: named.directory.clone(),
        status: status_of(state.status),
        exit_code: state.exit_code,
        signal: state.signal,
        duration: session.duration(),
        output: StreamOutput::of(unread.merged, unread.stdout, unread.stderr),
        screen: session.screen(),
        ended: 0,
        limit: state.limit,
        sandbox: None,
        changed: None,
        background: Some(InBackground {
            session: session.id().to_owned(),
            process_id: session.process_id(),
            reason,
        }),
        shown: None,
    }
}

/// The state of a session in the words of commands.
pub(crate) const fn status_of(status: SessionStatus) -> ExecuteStatus {
    match status {
        SessionStatus::Running => ExecuteStatus::Running,
        SessionStatus::Completed => ExecuteStatus::Completed,
        SessionStatus::Failed => ExecuteStatus::Failed,
        SessionStatus::TimedOut => ExecuteStatus::Timeout,
        SessionStatus::Killed => ExecuteStatus::Killed,
    }
}

fn partial(named: &CommandName, command: &RunningCommand) -> ExecuteOutput {
    let live = command.output();
    let output = live.snapshot();
    ExecuteOutput {
        command: named.command.clone(),
        directory: named.directory.clone(),
        status: ExecuteStatus::Running,
        exit_code: None,
        signal: None,
        duration: live.elapsed(),
        output: StreamOutput::of(output.merged, output.stdout, output.stderr),
        screen: live.screen(),
        ended: 0,
        limit: None,
        sandbox: None,
        changed: None,
        background: None,
        shown: None,
    }
}
