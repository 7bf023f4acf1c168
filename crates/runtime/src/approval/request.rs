//! What a user is asked about a call, and what is answered.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use tenon_contract::{ErrorCode, HostClaim, Preview, ToolError};
use tenon_policy::{Danger, Decision, Verdict, escaped};
use tenon_workspace::ContentHash;

use super::shown::{draft_members, escaped_members};
use crate::taint::SourceRead;

/// What a user is asked.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRequest {
    /// The tool, as the dialect names it.
    pub tool: String,
    /// Its parameters, as the dialect spells them.
    pub params: Value,
    /// The id of the call.
    pub tool_call_id: String,
    /// Why it requires approval.
    pub reason: String,
    /// For a dialog: what would happen, why it requires approval, and the smallest rule that would allow it, or that none is
    /// safe.
    pub explanation: String,
    /// The rule that asks, as it was written, else the setting that does.
    #[serde(rename = "matched_rule", skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The list in which that rule stands. Missing where no rule asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<Verdict>,
    /// How much could go wrong.
    pub danger: Danger,
    /// What a user needs to decide: `{commands, parts, reads, writes, deletes, hosts, urls}` and, where files would
    /// change, `{changes, diff, diffOmittedBytes, planHash, problem}`, empty ones left out. Texts of commands are
    /// whole, a diff is bounded; what cannot be seen is escaped in both.
    pub preview: Map<String, Value>,
    /// Stands for exactly this call and what was shown of it, for `execute(…, { approved: 'once', digest })`: when its
    /// parameters or a file that it changes are different by then, it is asked about again.
    pub digest: String,
    /// What *always* remembers for the session: rules for exactly this command, this file, this host; for a tool
    /// that rules only know as a whole, and for commands to which the text gives another directory, variables or input, the
    /// call with these very parameters. Empty when nothing is remembered, as
    /// for commands that cannot be determined from their text.
    pub remembers: Vec<String>,
    /// Where text came from that the agents have read before, and that the user did not write: it may have asked for this
    /// call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceRead>,
    /// The session of a sub-agent that makes the call: `{id, label, depth}`. Missing for the first session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<RequestingSession>,
    /// Bound to what was shown: another text, file, content or directory is another question.
    #[serde(skip)]
    pub(super) key: String,
    /// What is kept of an answer: one for each of `remembers`.
    #[serde(skip)]
    pub(super) grants: Vec<String>,
}

/// The session of a sub-agent that makes a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RequestingSession {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub label: String,
    /// How many sessions are above it.
    pub depth: usize,
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

impl ApprovalRequest {
    /// The question about a host that a running call is led on to. Nothing of its answer is remembered but a refusal.
    pub(crate) fn of_hop(
        tool: &str,
        wire: &Value,
        id: &str,
        decision: &Decision,
        (from, to): (&HostClaim, &HostClaim),
    ) -> Self {
        let mut preview = Map::new();
        preview.insert("hosts".into(), vec![to.host.clone()].into());
        preview.insert("urls".into(), vec![to.url.clone()].into());
        preview.insert("from".into(), from.url.clone().into());
        let preview = escaped_members(preview);
        let key = format!("{tool}\u{0}{}\u{0}{}", from.url, to.url);
        Self {
            session: None,
            sources: Vec::new(),
            tool: tool.to_owned(),
            params: wire.clone(),
            tool_call_id: id.to_owned(),
            reason: escaped(&decision.reason),
            explanation: escaped(decision.explanation()),
            rule: decision.rule.as_deref().map(escaped),
            list: decision.list,
            danger: Danger::High,
            digest: digest_of(&key),
            key,
            remembers: Vec::new(),
            grants: Vec::new(),
            preview,
        }
    }

    /// The same with what the call would do to files. The answer is bound to it.
    pub(crate) fn showing(mut self, drafted: &Drafted) -> Self {
        let members = draft_members(drafted);
        self.key.push('\u{0}');
        self.key
            .push_str(&Value::Object(members.clone()).to_string());
        self.digest = digest_of(&self.key);
        self.preview.extend(escaped_members(members));
        self
    }

    /// Whether this is what somebody approved by its digest, or by the hash of the changes where it shows any.
    pub(crate) fn is_granted_by(&self, granted: &str) -> bool {
        let plan = self.preview.get("planHash").and_then(Value::as_str);
        self.digest == granted || plan == Some(granted)
    }

    /// The error of a call for which an approval was given that is for something else by now.
    pub(crate) fn outdated(&self) -> ToolError {
        let why = format!(
            "The approval of `{}` is for something else: its parameters or files have changed since. Ask for approval again.",
            self.tool
        );
        self.refused(ErrorCode::ApprovalDenied, &why)
            .with("digest", self.digest.as_str())
    }

    /// The error of a call that may not go on. What only the user was shown, the content of files above all, is
    /// not in it.
    pub(super) fn refused(&self, code: ErrorCode, why: &str) -> ToolError {
        let mut preview = self.preview.clone();
        preview.retain(|name, _| !matches!(name.as_str(), "diff" | "problem"));
        let error = ToolError::new(code, why)
            .with("matched_rule", self.rule.clone())
            .with("preview", preview);
        match self.list {
            Some(list) => error.with("list", list.name()),
            None => error,
        }
    }
}

/// Short for what an answer is bound to.
pub(super) fn digest_of(key: &str) -> String {
    ContentHash::of(key.as_bytes()).to_string()
}

/// What an operation says it would do; nothing where its access says it all.
pub(crate) type Drafted = Result<Option<Preview>, ToolError>;
