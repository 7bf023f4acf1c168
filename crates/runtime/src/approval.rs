//! Questions to a person: what is asked, and what an answer is bound to.

mod own;
mod preview;
mod session;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use tenon_contract::{Access, ErrorCode, HostClaim, ToolError};
use tenon_policy::{Danger, Decision, PartDecision, PartKind, Source, SourceSet, Verdict, escaped};
use tenon_workspace::{ContentHash, Workspace};

pub use own::OwnQuestion;
pub(crate) use preview::{Drafted, effects, effects_and_parts, seen, subject};
pub(crate) use session::Approvals;

use crate::judge::Judge;
use crate::service::Call;
use crate::taint::{SourceRead, Taint};

/// The most that is read of a file that a command runs, in bytes.
const MOST_OF_SCRIPT: u64 = 64 << 20;

/// What a person is asked.
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
    /// What a person needs to decide: `{commands, parts, reads, writes, deletes, hosts, urls}` and, where files would
    /// change, `{changes, diff, diffOmittedBytes, planHash, problem}`, empty ones left out. Texts of commands are
    /// whole, a diff is bounded; what cannot be seen is escaped in both.
    pub preview: Map<String, Value>,
    /// Stands for exactly this call and what was shown of it, for `execute(…, { approved: 'once', digest })`: when its
    /// parameters or a file that it changes are different by then, it is asked about again.
    pub digest: String,
    /// What *always* remembers for the session: rules for exactly this command, this file, this host; for a tool
    /// that rules only know as a whole, and for commands to which the text gives another directory, variables or input, the
    /// call with these very parameters. Empty when nothing is remembered, as
    /// for commands that cannot be told from their text.
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
    key: String,
    /// What is kept of an answer: one for each of `remembers`.
    #[serde(skip)]
    grants: Vec<String>,
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

/// The question that a judged call raises. What it would do to files is added by [`ApprovalRequest::showing`].
pub(crate) fn request(call: &Call, decision: &Decision, judge: &Judge) -> ApprovalRequest {
    let workspace = judge.workspace();
    let effects = effects_and_parts(call, decision, workspace);
    let scripts = scripts(decision);
    let remembered = remembered(call, decision, workspace, (&effects, &scripts));
    let (remembers, mut grants): (Vec<_>, Vec<String>) = remembered.into_iter().unzip();
    let mut key = exact_call(call, &effects, &scripts);
    // What was approved before text from elsewhere was read is not approved after it.
    let after = decision.after();
    if !after.is_empty() {
        let after: Vec<&str> = after.iter().map(Source::name).collect();
        let after = format!("after {}\u{0}", after.join(","));
        key.insert_str(0, &after);
        grants
            .iter_mut()
            .for_each(|grant| grant.insert_str(0, &after));
    }
    let sources = judge.taint().map(Taint::read).unwrap_or_default();
    let mut preview = preview::seen(effects);
    let mut danger = judge.danger(call);
    if let Some(own) = &call.question {
        key.push_str(&own.key());
        preview.extend(preview::seen(own.preview.clone()));
        danger = own.danger.unwrap_or(danger);
    }
    ApprovalRequest {
        tool: call.tool.name().to_owned(),
        params: call.wire.clone(),
        tool_call_id: call.id.to_string(),
        reason: escaped(&decision.reason),
        explanation: explained(decision, &sources),
        sources,
        rule: decision.rule.as_deref().map(escaped),
        list: decision.list,
        danger,
        digest: digest_of(&key),
        key,
        remembers: remembers
            .iter()
            .map(|rule: &String| escaped(rule))
            .collect(),
        grants,
        preview,
        session: None,
    }
}

/// What a user reads who is asked; where that depends on what was read before, with the places.
fn explained(decision: &Decision, sources: &[SourceRead]) -> String {
    const MOST: usize = 3;
    let mut text = decision.explanation();
    let after = decision.after();
    let meant = sources.iter().filter(|read| {
        let own: SourceSet = [read.source].into_iter().collect();
        after.meets(own)
    });
    let places: Vec<String> = meant
        .clone()
        .take(MOST)
        .map(|read| format!("`{}` ({})", read.from, read.source.name()))
        .collect();
    if !places.is_empty() {
        let more = meant.count().saturating_sub(MOST);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        text.push_str(&format!(" Read before: {}{more}.", places.join(", ")));
    }
    escaped(&text)
}

/// What decided, for programs: the rule, its list, and what it is about by its kind.
pub(crate) fn rule_details(decision: &Decision, details: &mut Map<String, Value>) {
    if let Some((kind, subject)) = &decision.about {
        let word = match kind {
            PartKind::Read | PartKind::Write | PartKind::Delete => Some("file"),
            PartKind::Command | PartKind::Variable | PartKind::Directory | PartKind::Unclear => {
                Some("command")
            }
            PartKind::Host => Some("host"),
            PartKind::Name => Some("name"),
            PartKind::Tool => None,
        };
        if let Some(word) = word {
            details.insert(word.to_owned(), subject.as_str().into());
        }
    }
    details.insert("matched_rule".to_owned(), decision.rule.clone().into());
    if let Some(list) = decision.list {
        details.insert("list".to_owned(), list.name().into());
    }
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
        let preview = preview::seen(preview);
        let key = format!("{tool}\u{0}{}\u{0}{}", from.url, to.url);
        Self {
            session: None,
            sources: Vec::new(),
            tool: tool.to_owned(),
            params: wire.clone(),
            tool_call_id: id.to_owned(),
            reason: escaped(&decision.reason),
            explanation: escaped(&decision.explanation()),
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
        let told = preview::told(drafted);
        self.key.push('\u{0}');
        self.key.push_str(&Value::Object(told.clone()).to_string());
        self.digest = digest_of(&self.key);
        self.preview.extend(preview::seen(told));
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

    /// The error of a call that may not go on. What only the person was shown, the content of files above all, is
    /// not in it.
    fn refused(&self, code: ErrorCode, why: &str) -> ToolError {
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
fn digest_of(key: &str) -> String {
    ContentHash::of(key.as_bytes()).to_string()
}

/// Tool, parameters, what it touches and what it runs.
fn exact_call(call: &Call, effects: &Map<String, Value>, scripts: &str) -> String {
    let effects = Value::Object(effects.clone());
    let (tool, params) = (call.tool.name(), &call.wire);
    format!("{tool}\u{0}{params}\u{0}{effects}\u{0}{scripts}")
}

/// What the files hold now that a command runs: an answer is for this content, as it is for that of a file to be written.
pub(crate) fn scripts(decision: &Decision) -> String {
    let mut contents = String::new();
    for script in decision.scripts() {
        let content = ContentHash::of_file(script, MOST_OF_SCRIPT);
        let content = content.map_or_else(|error| error.to_string(), |hash| hash.to_string());
        contents.push_str(&format!("{}\u{0}{content}\u{0}", script.display()));
    }
    contents
}

/// What *always* means, in words and as the key of the session's memory. Nothing when a part that asks can only be
/// asked about again (docs/policy.md, "Approvals").
fn remembered(
    call: &Call,
    decision: &Decision,
    workspace: &Workspace,
    (effects, scripts): (&Map<String, Value>, &str),
) -> Vec<(String, String)> {
    let asking: Vec<&PartDecision> = decision
        .parts
        .iter()
        .filter(|part| part.verdict == Verdict::Ask)
        .collect();
    let very_call = || {
        let words = format!("`{}` with these parameters", call.tool.name());
        (words, exact_call(call, effects, scripts))
    };
    if let [only] = asking.as_slice()
        && only.kind == PartKind::Tool
    {
        return vec![very_call()];
    }
    if asking.iter().any(|part| part.is_bound) {
        let is_exact = |part: &&PartDecision| part.may_remember && part.exact_rule().is_some();
        return asking
            .iter()
            .all(is_exact)
            .then(very_call)
            .into_iter()
            .collect();
    }
    let access = call.prepared.access();
    let typed_into = access.inputs.iter().map(|input| &input.command);
    let directory = access.commands.iter().chain(typed_into).next();
    let directory = directory.map_or_else(String::new, |command| {
        command.directory.target.display().to_string()
    });
    let mut rules = Vec::new();
    for part in asking {
        let Some(rule) = part.exact_rule().filter(|_| part.may_remember) else {
            return Vec::new();
        };
        let key = match part.kind {
            // A command means something else in another directory, and a script with another content.
            PartKind::Command => format!("{directory}\u{0}{rule}\u{0}{scripts}"),
            // A name can become a link to another file.
            PartKind::Read | PartKind::Write | PartKind::Delete => {
                let Some(target) = target(part.subject(), access, workspace) else {
                    return Vec::new();
                };
                format!("{rule}\u{0}{}", target.display())
            }
            _ => rule.clone(),
        };
        if !rules.iter().any(|(known, _)| *known == rule) {
            rules.push((rule, key));
        }
    }
    rules
}

/// Where the name of a file leads: as the call has found it, else as things are now.
fn target(name: &str, access: &Access, workspace: &Workspace) -> Option<PathBuf> {
    let mut claims = access.reads.iter().chain(access.changed());
    let known = claims.find(|claim| claim.name == name);
    known.map(|claim| claim.target.clone()).or_else(|| {
        let located = workspace.locate(name).ok()?;
        Some(located.claim().target.clone())
    })
}
