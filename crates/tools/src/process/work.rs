//! The actions on one background command.

use std::io;
use std::time::Duration;

use tenon_contract::{ErrorCode, ToolContext, ToolError, limits};
use tenon_process::{
    Capture, CommandSession, LogRequest, Unread, Waited, WriteOutcome, fold_progress,
};

use super::output::{
    LoggedSession, PolledSession, ProcessOutput, SentInput, SentKind, SessionView,
};
use super::{ProcessAction, ProcessPlan};
use crate::execute::{StreamOutput, condensed_news, kept_news};

/// Waits as the call asks, and answers what is new.
pub(crate) async fn poll(
    session: &CommandSession,
    plan: &ProcessPlan,
    context: &ToolContext,
) -> Result<ProcessOutput, ToolError> {
    let waited = tokio::select! {
        biased;
        () = context.cancellation().cancelled() => return Err(ToolError::cancelled()),
        waited = wait(session, plan) => waited,
    };
    session.flush().await;
    let polled = polled(session, plan, waited, context).await;
    Ok(ProcessOutput::Poll(Box::new(polled)))
}

async fn wait(session: &CommandSession, plan: &ProcessPlan) -> Option<Waited> {
    if plan.awaited.readiness.is_empty() {
        session.news_or_end(plan.patience()).await;
        return None;
    }
    let patience = plan
        .params
        .timeout
        .map_or(limits::SESSION_READY_PATIENCE, Duration::from_millis);
    Some(session.ready(&plan.awaited.readiness, patience).await)
}

async fn polled(
    session: &CommandSession,
    plan: &ProcessPlan,
    waited: Option<Waited>,
    context: &ToolContext,
) -> PolledSession {
    // First how it stands: what it wrote before its end is read then in any case.
    let view = SessionView::of(session);
    let mut unread = session.read();
    if let Some(filter) = &plan.filter {
        filtered(&mut unread, filter);
    }
    let output = StreamOutput::of(unread.merged, unread.stdout, unread.stderr);
    let screen = session.screen();
    // What a terminal shows is short, and drawn over itself.
    let style = plan.style.filter(|_| screen.is_none());
    let aggregated = aggregated(session);
    let all_lines = fold_progress(&aggregated).lines().count();
    let of_call = context.max_tokens();
    let shown = match (style, &plan.keeper) {
        (None, _) => None,
        (Some(style), None) => condensed_news(&output, all_lines, style, of_call),
        (Some(style), Some(keeper)) => kept_news(&output, keeper, style, of_call).await,
    };
    PolledSession {
        view,
        output,
        aggregated,
        screen,
        waited,
        filter: plan.params.filter.clone(),
        shown,
    }
}

/// All output that is kept, whether it was read or not.
fn aggregated(session: &CommandSession) -> String {
    let all = session.kept();
    StreamOutput::of(all.merged, all.stdout, all.stderr).text()
}

/// Leaves only the lines that match. What was cut out of the middle stays noted.
fn filtered(unread: &mut Unread, filter: &regex::Regex) {
    let keep = |text: &mut String| {
        let lines = text.split_inclusive('\n');
        *text = lines
            .filter(|line| filter.is_match(line.trim_end_matches(['\n', '\r'])))
            .collect();
    };
    let captures: [&mut Option<Capture>; 3] =
        [&mut unread.merged, &mut unread.stdout, &mut unread.stderr];
    for capture in captures.into_iter().flatten() {
        keep(&mut capture.head);
        keep(&mut capture.tail);
    }
}

/// Lines of the whole output.
pub(crate) async fn log(
    session: &CommandSession,
    plan: &ProcessPlan,
) -> Result<ProcessOutput, ToolError> {
    let (offset, limit) = (plan.params.offset, plan.params.limit);
    let by_default = offset.is_none() && limit.is_none();
    let limit = limit.or(by_default.then_some(limits::SESSION_LOG_DEFAULT_LINES));
    let page = session
        .log(LogRequest { offset, limit })
        .await
        .map_err(|error| {
            let message = format!(
                "The output of `{}` could not be read: {error}.",
                session.id()
            );
            ToolError::new(ErrorCode::Io, message).caused_by(error)
        })?;
    Ok(ProcessOutput::Log(Box::new(LoggedSession {
        view: SessionView::of(session),
        page,
        by_default,
    })))
}

/// Types something, and waits for output if the call asks for that.
pub(crate) async fn send(
    session: &CommandSession,
    plan: &ProcessPlan,
    context: &ToolContext,
) -> Result<ProcessOutput, ToolError> {
    let Some(typed) = &plan.typed else {
        return Err(ToolError::internal("nothing to type"));
    };
    let (Some(writer), false) = (session.writer(), session.state().is_over()) else {
        return Err(not_writable(session));
    };
    let bytes = typed.text.as_bytes();
    let writing = async {
        let written = writer.write(bytes, limits::SESSION_WRITE_PATIENCE).await?;
        match (typed.closes, written) {
            (true, WriteOutcome::All) => writer.close(limits::SESSION_WRITE_PATIENCE).await,
            (_, written) => Ok(written),
        }
    };
    let written = tokio::select! {
        biased;
        () = context.cancellation().cancelled() => return Err(ToolError::cancelled()),
        written = writing => written,
    };
    let taken = match written {
        Ok(WriteOutcome::All) => None,
        Ok(WriteOutcome::Part { bytes }) => Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            return Err(not_writable(session));
        }
        Err(error) => {
            let message = format!("Writing to `{}` failed: {error}.", session.id());
            return Err(ToolError::new(ErrorCode::Io, message).caused_by(error));
        }
    };
    let news = if plan.patience().is_zero() {
        None
    } else {
        tokio::select! {
            biased;
            () = context.cancellation().cancelled() => return Err(ToolError::cancelled()),
            () = session.news_or_end(plan.patience()) => {}
        }
        Some(Box::new(polled(session, plan, None, context).await))
    };
    Ok(ProcessOutput::Sent(Box::new(SentInput {
        view: SessionView::of(session),
        kind: kind_of(plan),
        bytes: bytes.len(),
        taken,
        news,
    })))
}

fn kind_of(plan: &ProcessPlan) -> SentKind {
    match plan.params.action {
        ProcessAction::SendKeys => SentKind::Keys,
        ProcessAction::Submit => SentKind::Submitted,
        ProcessAction::Paste => SentKind::Pasted {
            characters: plan.params.data.as_deref().unwrap_or("").chars().count(),
        },
        _ => SentKind::Written {
            closed: plan.typed.as_ref().is_some_and(|typed| typed.closes),
        },
    }
}

fn not_writable(session: &CommandSession) -> ToolError {
    let id = session.id();
    let why = if session.state().is_over() {
        "is over"
    } else if session.writer().is_some() {
        "has closed its input"
    } else {
        "was started in the foreground, where input is closed"
    };
    let message = format!(
        "Cannot write to `{id}`: it {why}. Commands accept input when they are started in the background or with a terminal."
    );
    ToolError::new(ErrorCode::Unavailable, message).with("session", id)
}

/// Ends it, and waits until it is over. For one that is over already nothing is done.
pub(crate) async fn kill(
    session: &CommandSession,
    context: &ToolContext,
) -> Result<SessionView, ToolError> {
    if !session.state().is_over() {
        session.end();
        tokio::select! {
            biased;
            () = context.cancellation().cancelled() => return Err(ToolError::cancelled()),
            _ = tokio::time::timeout(limits::SESSION_END_PATIENCE, session.over()) => {}
        }
    }
    Ok(SessionView::of(session))
}
