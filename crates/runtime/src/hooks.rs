//! Hooks: what the host wants to see and change of every call, before it is judged and after its result is made.

mod claude_code;
mod command;
mod option;
mod words;

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};
use tenon_contract::{
    Access, CancellationToken, ChangeKind, Content, ErrorCode, FileChange, Outcome, PathClaim,
    ToolError, limits,
};
use tenon_state::Warn;
use tenon_tools::HostCallback;

pub use claude_code::{HookFormat, ImportedHooks, import_hooks};
pub(crate) use command::HookRunner;
pub use option::{HookCommand, HookEvent, HookOption};

use self::claude_code::TimeLimitName;
use crate::approval::OwnQuestion;
use crate::events::{EventKind, Events, HookOutcome, Subject};
use crate::mode::Modes;
use crate::options::Within;
use crate::service::Call;

/// What a hook wants of a call that was not judged yet.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Before {
    /// Other parameters.
    pub(crate) params: Option<Value>,
    /// Why it must not run.
    pub(crate) deny: Option<String>,
    /// What is to be asked.
    pub(crate) ask: Option<OwnQuestion>,
    /// What the model receives with the result.
    pub(crate) context: Vec<String>,
}

/// What a hook wants of a result.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct After {
    /// Other content.
    pub(crate) content: Option<Vec<Content>>,
    /// Other details.
    pub(crate) details: Option<Value>,
    /// What the model receives besides.
    pub(crate) context: Vec<String>,
}

impl After {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The result as it wants it.
    fn put(self, outcome: &mut Outcome) {
        if let Some(content) = self.content {
            outcome.content = content;
        }
        if let Some(details) = self.details {
            outcome.details = details.into();
        }
        add(&self.context, outcome);
    }
}

/// Adds what hooks say to the model.
pub(crate) fn add(context: &[String], outcome: &mut Outcome) {
    let texts = context.iter().map(|text| Content::text(text.as_str()));
    outcome.content.extend(texts);
}

/// The hooks of one toolkit.
pub(crate) struct Hooks {
    hooks: Vec<HookOption>,
    /// Calls the functions of the host: `{hook, stage, call, result?, toolCallId, ticket}`.
    host: Option<Arc<dyn HostCallback>>,
    runner: HookRunner,
    modes: Modes,
    pub(crate) events: Events,
    warn: Option<Warn>,
    /// The hooks that have failed before; one warning is enough.
    failed: Mutex<HashSet<usize>>,
}

/// The name by which errors and events call a part of a hook.
fn name(index: usize, stage: HookEvent) -> String {
    format!("hooks[{index}].{}", stage.name())
}

impl Hooks {
    pub(crate) fn new(
        hooks: Vec<HookOption>,
        host: Option<Arc<dyn HostCallback>>,
        runner: HookRunner,
        modes: Modes,
        events: Events,
        warn: Option<Warn>,
    ) -> Self {
        Self {
            hooks,
            host,
            runner,
            modes,
            events,
            warn,
            failed: Mutex::default(),
        }
    }

    /// The hooks that have something to do at this stage.
    pub(crate) fn at(&self, stage: HookEvent) -> Vec<usize> {
        let has = |hook: &HookOption| {
            let function = match stage {
                HookEvent::Before => hook.before,
                HookEvent::After => hook.after,
            };
            function || hook.commands.iter().any(|command| command.event == stage)
        };
        let hooks = self.hooks.iter().enumerate();
        hooks
            .filter(|(_, hook)| has(hook))
            .map(|(index, _)| index)
            .collect()
    }

    /// What one hook wants of a call.
    ///
    /// # Errors
    /// The refusal of the call: the hook failed, took too long or returned something else.
    pub(crate) async fn before(
        &self,
        index: usize,
        call: &HookedCall,
    ) -> Result<Before, ToolError> {
        let stage = HookEvent::Before;
        let wanted = self.within(index, &call.cancellation, async {
            let hook = self.hook(index)?;
            let mut wanted = self.runner.before(hook, call, self.modes.get()).await?;
            if hook.before {
                let said = self.ask(index, stage, call, None).await?;
                wanted = merged(wanted, words::before(said)?);
            }
            Ok(wanted)
        });
        let wanted = wanted.await;
        self.or_refused(index, call, wanted)
    }

    /// What the commands of one hook want of a call, of what it was only found to touch after the hook was asked.
    ///
    /// # Errors
    /// The refusal of the call, as before.
    pub(crate) async fn before_found(
        &self,
        index: usize,
        call: &HookedCall,
    ) -> Result<Before, ToolError> {
        let wanted = self.within(index, &call.cancellation, async {
            let hook = self.hook(index)?;
            let wanted = self.runner.before_found(hook, call, self.modes.get());
            let wanted = wanted.await?;
            if wanted.params.is_some() {
                let message = "`updatedInput` in its output comes too late: what the call changes was found out by its parameters";
                return Err(ToolError::new(ErrorCode::HandlerFailed, message));
            }
            Ok(wanted)
        });
        let wanted = wanted.await;
        self.or_refused(index, call, wanted)
    }

    /// A hook that fails has refused the call.
    fn or_refused(
        &self,
        index: usize,
        call: &HookedCall,
        wanted: Result<Before, ToolError>,
    ) -> Result<Before, ToolError> {
        match wanted {
            Ok(wanted) => Ok(wanted),
            Err(error) if error.code == ErrorCode::Cancelled => Err(error),
            Err(error) => {
                let name = name(index, HookEvent::Before);
                self.reported(
                    &name,
                    &call.subject,
                    HookOutcome::Failed,
                    Some(error.message.clone()),
                );
                Err(failed_before(&name, &call.subject.tool, error))
            }
        }
    }

    /// Changes a result as one hook wants it. Whatever goes wrong leaves it as it is, with a notice.
    ///
    /// # Errors
    /// The call was cancelled.
    pub(crate) async fn after(
        &self,
        index: usize,
        call: &HookedCall,
        outcome: &mut Outcome,
    ) -> Result<(), ToolError> {
        let stage = HookEvent::After;
        let wanted = self.within(index, &call.cancellation, async {
            let hook = self.hook(index)?;
            let mut wanted = self
                .runner
                .after(hook, call, outcome, self.modes.get())
                .await?;
            if hook.after {
                let content: Vec<Value> = outcome.content.iter().map(words::part).collect();
                let details = outcome.details.clone().into_value();
                let result = json!({ "content": content, "details": details });
                let said = self.ask(index, stage, call, Some(result)).await?;
                let own = words::after(said)?;
                wanted.content = own.content.or(wanted.content);
                wanted.details = own.details.or(wanted.details);
            }
            Ok(wanted)
        });
        let name = name(index, stage);
        match wanted.await {
            Ok(wanted) if wanted.is_empty() => {}
            Ok(wanted) => {
                wanted.put(outcome);
                self.reported(&name, &call.subject, HookOutcome::Changed, None);
            }
            Err(error) if error.code == ErrorCode::Cancelled => return Err(error),
            Err(error) => {
                let message = error.message.trim_end_matches('.');
                self.reported(
                    &name,
                    &call.subject,
                    HookOutcome::Failed,
                    Some(message.to_owned()),
                );
                let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(warn) = self.warn.as_ref().filter(|_| failed.insert(index)) {
                    warn(format!(
                        "`{name}` failed: {message}. The results are not affected."
                    ));
                }
                let notice = format!("[`{name}` failed: {message}. The result is unchanged.]");
                add(&[notice], outcome);
            }
        }
        Ok(())
    }

    fn hook(&self, index: usize) -> Result<&HookOption, ToolError> {
        let hook = self.hooks.get(index);
        hook.ok_or_else(|| ToolError::internal("a hook that is not there was asked"))
    }

    /// Does the work of a hook within its time.
    async fn within<T>(
        &self,
        index: usize,
        cancellation: &CancellationToken,
        work: impl Future<Output = Result<T, ToolError>>,
    ) -> Result<T, ToolError> {
        let hook = self.hook(index)?;
        // Commands have limits of their own.
        let given = hook.timeout_ms.map(Within::millis);
        let longest = hook.commands.iter().map(HookCommand::time_limit).max();
        let limit = given.unwrap_or_else(|| longest.unwrap_or_default().max(limits::HOOK_TIMEOUT));
        tokio::select! {
            biased;
            () = cancellation.cancelled() => Err(ToolError::cancelled()),
            done = work => done,
            () = tokio::time::sleep(limit) => {
                let message = format!("it did not return within {} ms", limit.as_millis());
                Err(ToolError::new(ErrorCode::Timeout, message))
            }
        }
    }

    async fn ask(
        &self,
        index: usize,
        stage: HookEvent,
        call: &HookedCall,
        result: Option<Value>,
    ) -> Result<Value, ToolError> {
        let Some(host) = &self.host else {
            return Err(ToolError::internal("nobody runs the hooks of the host"));
        };
        let mut request = Map::new();
        request.insert("hook".into(), index.into());
        request.insert("stage".into(), stage.name().into());
        request.insert("call".into(), self.about(call));
        request.insert("ticket".into(), call.ticket.into());
        if let Some(result) = result {
            request.insert("result".into(), result);
        }
        host.ask(request.into(), None).await
    }

    /// A call, as hooks see it.
    fn about(&self, call: &HookedCall) -> Value {
        json!({
            "tool": call.subject.tool,
            "operation": call.operation.name(),
            "params": call.wire,
            "toolCallId": &*call.subject.tool_call_id,
            "sessionId": self.runner.session(),
            "workspace": self.runner.directory().display().to_string(),
            "mode": self.modes.get().name(),
        })
    }

    /// Reports to the stream what a hook did to a call.
    pub(crate) fn did(
        &self,
        index: usize,
        call: &Call,
        outcome: HookOutcome,
        reason: Option<String>,
    ) {
        self.reported(
            &name(index, HookEvent::Before),
            &call.subject(),
            outcome,
            reason,
        );
    }

    fn reported(&self, hook: &str, call: &Subject, outcome: HookOutcome, reason: Option<String>) {
        self.events.emit(|| EventKind::Hooked {
            call: call.clone(),
            hook: hook.to_owned(),
            outcome,
            reason: reason.as_deref().map(crate::events::beginning),
        });
    }

    /// The error of a call that a hook denies.
    pub(crate) fn denied(index: usize, call: &Call, why: &str) -> ToolError {
        let name = name(index, HookEvent::Before);
        let tool = call.tool.name();
        let why = why.trim();
        let stop = if why.is_empty() || why.ends_with(['.', '!', '?']) {
            ""
        } else {
            "."
        };
        let why = if why.is_empty() {
            ".".to_owned()
        } else {
            format!(": {why}{stop}")
        };
        let message =
            format!("`{tool}` was denied by a hook of the host{why} Do not retry the same call.");
        let subject = crate::approval::subject(call.prepared.access(), tool);
        ToolError::new(ErrorCode::PolicyDenied, message)
            .with("subject", subject)
            .with("matched_rule", name)
    }

    /// The error of a call for which a hook returned parameters that its tool does not take.
    pub(crate) fn unusable(index: usize, tool: &str, error: ToolError) -> ToolError {
        let errors = error.details.get("errors").cloned();
        let failure = failed_before(&name(index, HookEvent::Before), tool, error);
        match errors {
            Some(errors) => failure.with("errors", errors),
            None => failure,
        }
    }
}

/// A call, as far as hooks see it.
pub(crate) struct HookedCall {
    pub(crate) subject: Subject,
    pub(crate) operation: tenon_contract::Operation,
    pub(crate) wire: Value,
    pub(crate) ticket: u32,
    pub(crate) cancellation: CancellationToken,
    pub(crate) access: Access,
    rule_name: String,
    time_limit: Option<TimeLimitName>,
    /// What the call touches was not known yet.
    is_provisional: bool,
}

impl HookedCall {
    pub(crate) fn of(call: &Call) -> Self {
        let time_limit = call.tool.time_limit_name();
        Self {
            subject: Subject::new(&call.sent.id, call.tool.name()),
            rule_name: call.tool.rule_name().to_owned(),
            time_limit: time_limit.map(|(name, is_in_seconds)| TimeLimitName {
                name,
                is_in_seconds,
            }),
            is_provisional: call.prepared.is_provisional(),
            operation: call.tool.operation(),
            wire: call.wire.clone(),
            ticket: call.sent.ticket,
            cancellation: call.sent.cancellation.clone(),
            access: call.prepared.access().clone(),
        }
    }
}

impl HookedCall {
    /// The call once it was done: what it has changed is known by now in any case.
    fn done(&self, outcome: &Outcome, directory: &Path) -> Access {
        let mut access = self.access.clone();
        if self.is_provisional {
            let claim = |change: &FileChange| PathClaim {
                name: change.path.clone(),
                target: directory.join(&change.path),
            };
            for change in &outcome.changes {
                match change.kind {
                    ChangeKind::Delete => access.deletes.push(claim(change)),
                    ChangeKind::Create | ChangeKind::Update | ChangeKind::Move => {
                        access.writes.push(claim(change));
                    }
                }
            }
        }
        access
    }
}

/// What two hooks want, the second of which wins where both change something.
fn merged(first: Before, second: Before) -> Before {
    let mut context = first.context;
    context.extend(second.context);
    Before {
        params: second.params.or(first.params),
        deny: first.deny.or(second.deny),
        ask: match (first.ask, second.ask) {
            (Some(first), Some(second)) => Some(first.and(second)),
            (first, second) => first.or(second),
        },
        context,
    }
}

/// A hook that fails has not consented.
fn failed_before(name: &str, tool: &str, error: ToolError) -> ToolError {
    let why = error.message.trim_end_matches('.');
    let message = format!(
        "`{tool}` was not run, because `{name}` failed: {why}. Do not retry it; tell the user."
    );
    ToolError::new(ErrorCode::ApprovalDenied, message)
        .with("matched_rule", name)
        .caused_by(error)
}
