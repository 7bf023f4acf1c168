//! Questions to a person, and what was answered before.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use futures_util::future::Shared;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use tenon_contract::{Access, Effect, ErrorCode, ToolError};
use tenon_policy::Decision;

use crate::ports::{AnswerFuture, Approver};
use crate::service::Call;

/// What a person is asked (SPEC section 5).
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRequest {
    /// The tool, as the dialect names it.
    pub tool: String,
    /// Its parameters, as the dialect spells them.
    pub params: Value,
    /// The id of the call.
    pub tool_call_id: String,
    /// Why it is asked.
    pub reason: String,
    /// The rule or mode that asks.
    #[serde(rename = "matched_rule", skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// How much could go wrong.
    pub danger: Danger,
    /// What the call will touch: `{commands, reads, writes, deletes, hosts}`, empty ones left out.
    pub preview: Value,
    #[serde(skip)]
    key: String,
}

/// How much could go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Danger {
    /// It looks only.
    Low,
    /// It speaks with others or reaches the network.
    Medium,
    /// It changes files, runs programs, or nobody knows.
    High,
}

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalAnswer {
    /// This call only.
    Once,
    /// This and every call that asks the very same, for the session.
    Always,
    /// Not this and none that asks the very same, for the session.
    Never,
}

/// The question that a judged call raises.
pub(crate) fn request(call: &Call, decision: &Decision) -> ApprovalRequest {
    let access = call.prepared.access();
    let preview = preview(access);
    ApprovalRequest {
        tool: call.tool.name().to_owned(),
        params: call.wire.clone(),
        tool_call_id: call.id.to_string(),
        reason: decision.reason.clone(),
        rule: decision.rule.clone(),
        danger: match call.prepared.effect() {
            Effect::Observe => Danger::Low,
            Effect::Network | Effect::Converse => Danger::Medium,
            Effect::Mutate | Effect::Execute | Effect::Unknown => Danger::High,
        },
        // Bound to what was shown: another text or file is another question.
        key: format!(
            "{}\u{0}{}\u{0}{}",
            call.tool.operation().name(),
            call.wire,
            preview
        ),
        preview,
    }
}

/// The thing that a denial names: the command, the file, the address, else the tool.
pub(crate) fn subject(access: &Access, tool: &str) -> String {
    let command = access.commands.first().map(|command| command.text.clone());
    let path = access
        .changed()
        .chain(&access.reads)
        .next()
        .map(|claim| claim.name.clone());
    let url = access.hosts.first().map(|host| host.url.clone());
    command.or(path).or(url).unwrap_or_else(|| tool.to_owned())
}

pub(crate) fn preview(access: &Access) -> Value {
    let names = |claims: &[tenon_contract::PathClaim]| {
        claims
            .iter()
            .map(|claim| claim.name.clone())
            .collect::<Vec<_>>()
    };
    let mut preview = json!({});
    let Value::Object(parts) = &mut preview else {
        return preview;
    };
    if !access.commands.is_empty() {
        let commands: Vec<_> = access
            .commands
            .iter()
            .map(|command| json!({"text": command.text, "folder": command.folder.name}))
            .collect();
        parts.insert("commands".into(), commands.into());
    }
    for (word, claims) in [
        ("reads", &access.reads),
        ("writes", &access.writes),
        ("deletes", &access.deletes),
    ] {
        if !claims.is_empty() {
            parts.insert(word.into(), names(claims).into());
        }
    }
    if !access.hosts.is_empty() {
        parts.insert(
            "hosts".into(),
            access
                .hosts
                .iter()
                .map(|host| host.url.clone())
                .collect::<Vec<_>>()
                .into(),
        );
    }
    preview
}

/// What the session remembers, and what is being asked right now.
pub(crate) struct Approvals {
    approver: Option<Arc<dyn Approver>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    remembered: HashMap<String, bool>,
    /// The same question is put once, however many calls wait for its answer.
    open: HashMap<String, Shared<AnswerFuture>>,
}

impl Approvals {
    pub(crate) fn new(approver: Option<Arc<dyn Approver>>) -> Self {
        Self {
            approver,
            state: Mutex::default(),
        }
    }

    /// Whether a host answers questions.
    pub(crate) fn has_approver(&self) -> bool {
        self.approver.is_some()
    }

    /// Succeeds when the call may go on.
    pub(crate) async fn ask(&self, request: ApprovalRequest) -> Result<(), ToolError> {
        let Some(approver) = &self.approver else {
            return Err(refused(
                &request,
                ErrorCode::PolicyDenied,
                "it needs a person's approval and no approver is set (`onApproval`)",
            ));
        };
        let question = {
            let mut state = self.state();
            match state.remembered.get(&request.key) {
                Some(true) => return Ok(()),
                Some(false) => {
                    return Err(refused(
                        &request,
                        ErrorCode::ApprovalDenied,
                        "it was refused for this session",
                    ));
                }
                None => {}
            }
            let put = || approver.decide(request.clone()).shared();
            state
                .open
                .entry(request.key.clone())
                .or_insert_with(put)
                .clone()
        };
        let answer = question.await;
        self.settle(&request, &answer);
        match answer {
            Ok(ApprovalAnswer::Once | ApprovalAnswer::Always) => Ok(()),
            Ok(ApprovalAnswer::Never) => Err(refused(
                &request,
                ErrorCode::ApprovalDenied,
                "the person refused it",
            )),
            Err(failure) => Err(refused(
                &request,
                ErrorCode::ApprovalDenied,
                &format!("the approver failed ({failure})"),
            )),
        }
    }

    fn settle(&self, request: &ApprovalRequest, answer: &Result<ApprovalAnswer, String>) {
        let mut state = self.state();
        state.open.remove(&request.key);
        match answer {
            Ok(ApprovalAnswer::Always) => drop(state.remembered.insert(request.key.clone(), true)),
            Ok(ApprovalAnswer::Never) => drop(state.remembered.insert(request.key.clone(), false)),
            Ok(ApprovalAnswer::Once) | Err(_) => {}
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refused(request: &ApprovalRequest, code: ErrorCode, why: &str) -> ToolError {
    let message = format!(
        "`{}` was not run: {why}. Do not retry the same call; ask the person or choose another way.",
        request.tool
    );
    ToolError::new(code, message)
        .with("matched_rule", request.rule.clone())
        .with("preview", request.preview.clone())
}
