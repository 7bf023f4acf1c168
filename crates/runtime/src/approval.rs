//! Questions to a person, and what was answered before.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use futures_util::future::Shared;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use tenon_contract::{Access, Effect, ErrorCode, ToolError};
use tenon_policy::{Decision, PartDecision, PartKind, Verdict, escaped};

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
    /// What a person needs to decide: `{commands, parts, reads, writes, deletes, hosts}`, empty ones left out. Texts
    /// of commands are whole, with what cannot be seen escaped.
    pub preview: Value,
    /// The rules that *always* remembers for the session: exactly this command, this file, this host. Empty when
    /// nothing is remembered, as for commands that cannot be told from their text.
    pub remembers: Vec<String>,
    /// Bound to what was shown: another text, file or folder is another question.
    #[serde(skip)]
    key: String,
    /// One for each part that asks, when all of them can be remembered.
    #[serde(skip)]
    grants: Option<Vec<String>>,
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
    /// This, and for the session every call that asks for no more than [`ApprovalRequest::remembers`].
    Always,
    /// Not this and none that asks the very same, for the session.
    Never,
}

/// The question that a judged call raises.
pub(crate) fn request(call: &Call, decision: &Decision) -> ApprovalRequest {
    let preview = preview(call, decision);
    let asking: Vec<&PartDecision> = decision
        .parts
        .iter()
        .filter(|part| part.verdict == Verdict::Ask)
        .collect();
    let remembers = remembered_rules(&asking);
    let folder = call.prepared.access().commands.first();
    let folder = folder.map_or_else(String::new, |command| {
        command.folder.target.display().to_string()
    });
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
        key: format!(
            "{}\u{0}{}\u{0}{}",
            call.tool.operation().name(),
            call.wire,
            preview
        ),
        grants: (!remembers.is_empty()).then(|| {
            remembers
                .iter()
                .map(|rule| format!("{}\u{0}{folder}\u{0}{rule}", call.tool.operation().name()))
                .collect()
        }),
        remembers,
        preview,
    }
}

/// The exact rules of all parts that ask; none when one of them has none (POLICY.md D2).
fn remembered_rules(asking: &[&PartDecision]) -> Vec<String> {
    let mut rules = Vec::new();
    for part in asking {
        match &part.exact_rule {
            Some(rule) if part.may_remember => {
                if !rules.contains(rule) {
                    rules.push(rule.clone());
                }
            }
            _ => return Vec::new(),
        }
    }
    rules
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

/// What the call will touch, for people: what it states itself, and what its command texts do.
pub(crate) fn preview(call: &Call, decision: &Decision) -> Value {
    let access = call.prepared.access();
    let mut parts = serde_json::Map::new();
    if !access.commands.is_empty() {
        let commands: Vec<_> = access
            .commands
            .iter()
            .map(|command| json!({"text": escaped(&command.text), "folder": command.folder.name}))
            .collect();
        parts.insert("commands".into(), commands.into());
        parts.insert("parts".into(), json!(decision.parts));
    }
    let claimed = |claims: &[tenon_contract::PathClaim]| -> Vec<String> {
        claims.iter().map(|claim| claim.name.clone()).collect()
    };
    let hosts = access.hosts.iter().map(|host| host.url.clone()).collect();
    for (word, kind, mut names) in [
        ("reads", PartKind::Read, claimed(&access.reads)),
        ("writes", PartKind::Write, claimed(&access.writes)),
        ("deletes", PartKind::Delete, claimed(&access.deletes)),
        ("hosts", PartKind::Host, hosts),
    ] {
        let found = decision.effects.iter().filter(|effect| effect.kind == kind);
        names.extend(found.map(|effect| effect.subject.clone()));
        if !names.is_empty() {
            parts.insert(word.into(), names.into());
        }
    }
    parts.into()
}

/// What the session remembers, and what is being asked right now.
pub(crate) struct Approvals {
    approver: Option<Arc<dyn Approver>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Grants and refusals of the session, by key.
    remembered: HashMap<String, bool>,
    /// The same question is put once, however many calls wait for its answer.
    open: HashMap<String, OpenQuestion>,
}

struct OpenQuestion {
    answer: Shared<AnswerFuture>,
    waiting: usize,
}

/// Counts a waiting call; when the last one goes, the question is forgotten with it.
struct Waiting<'a> {
    approvals: &'a Approvals,
    key: &'a str,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut state = self.approvals.state();
        if let Some(open) = state.open.get_mut(self.key) {
            open.waiting = open.waiting.saturating_sub(1);
            if open.waiting == 0 {
                state.open.remove(self.key);
            }
        }
    }
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

    /// Succeeds when the call may go on. Dropping the future takes the question back.
    pub(crate) async fn ask(&self, request: ApprovalRequest) -> Result<(), ToolError> {
        let Some(approver) = &self.approver else {
            return Err(refused(
                &request,
                ErrorCode::PolicyDenied,
                "it needs a person's approval and no approver is set (`onApproval`)",
            ));
        };
        if let Some(granted) = self.remembered(&request) {
            return if granted {
                Ok(())
            } else {
                let why = "it was refused for this session";
                Err(refused(&request, ErrorCode::ApprovalDenied, why))
            };
        }
        let answer = {
            let mut state = self.state();
            let put = || OpenQuestion {
                // An approver that panics has failed; it must not take others down with it.
                answer: approver.decide(request.clone()).shared(),
                waiting: 0,
            };
            let open = state.open.entry(request.key.clone()).or_insert_with(put);
            open.waiting += 1;
            open.answer.clone()
        };
        let waiting = Waiting {
            approvals: self,
            key: &request.key,
        };
        let answer = answer.await;
        drop(waiting);
        self.settle(&request, &answer);
        match answer {
            Ok(ApprovalAnswer::Once | ApprovalAnswer::Always) => Ok(()),
            Ok(ApprovalAnswer::Never) => {
                let why = "the person refused it";
                Err(refused(&request, ErrorCode::ApprovalDenied, why))
            }
            Err(failure) => {
                let why = format!("the approver failed ({failure})");
                Err(refused(&request, ErrorCode::ApprovalDenied, &why))
            }
        }
    }

    /// What an earlier answer says: a refusal of any part, or a grant of all of them.
    fn remembered(&self, request: &ApprovalRequest) -> Option<bool> {
        let state = self.state();
        let whole = state.remembered.get(&request.key).copied();
        let parts: Vec<Option<bool>> = request
            .grants
            .iter()
            .flatten()
            .map(|grant| state.remembered.get(grant).copied())
            .collect();
        if whole == Some(false) || parts.contains(&Some(false)) {
            return Some(false);
        }
        let granted = !parts.is_empty() && parts.iter().all(|part| *part == Some(true));
        granted.then_some(true)
    }

    fn settle(&self, request: &ApprovalRequest, answer: &Result<ApprovalAnswer, String>) {
        let grant = match answer {
            Ok(ApprovalAnswer::Always) => true,
            Ok(ApprovalAnswer::Never) => false,
            Ok(ApprovalAnswer::Once) | Err(_) => return,
        };
        let mut state = self.state();
        match &request.grants {
            // With several parts it is not known which of them was not wanted.
            Some(grants) if grant || grants.len() == 1 => {
                for key in grants {
                    state.remembered.insert(key.clone(), grant);
                }
            }
            _ if !grant => drop(state.remembered.insert(request.key.clone(), false)),
            _ => {}
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
