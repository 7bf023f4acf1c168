//! Questions to a user: what is asked, and what an answer is bound to.

mod own;
mod preview;
mod request;
mod session;
mod shown;

use std::path::PathBuf;

use serde_json::{Map, Value};
use tenon_contract::Access;
use tenon_policy::{
    Decision, PartDecision, PartKind, ResolvedCommands, Source, SourceSet, Verdict, escaped,
};
use tenon_workspace::{ContentHash, Workspace};

pub use own::OwnQuestion;
pub use preview::CallEffects;
pub(crate) use preview::{Moment, effects_and_parts, links, subject};
pub(crate) use request::Drafted;
use request::digest_of;
pub use request::{ApprovalAnswer, ApprovalRequest, RequestingSession};
pub(crate) use session::{Approvals, Turn};
use shown::escaped_members;
pub(crate) use shown::escaped_value;

use crate::judge::Judge;
use crate::service::Call;
use crate::taint::{SourceRead, Taint};

/// The most that is read of a file that a command runs, in bytes.
const MOST_OF_SCRIPT: u64 = 64 << 20;

/// The question that a judged call raises. What it would do to files is added by [`ApprovalRequest::showing`].
pub(crate) fn request(call: &Call, decision: &Decision, judge: &Judge) -> ApprovalRequest {
    let workspace = judge.workspace();
    let paths = judge.paths();
    let effects = effects_and_parts(call, decision, &paths);
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
    let mut preview = escaped_members(effects);
    let mut danger = judge.danger(call, &ResolvedCommands::new(&paths, &call.parsed));
    if let Some(own) = &call.question {
        key.push_str(&own.key());
        preview.extend(escaped_members(own.preview.clone()));
        danger = own.danger.unwrap_or(danger);
    }
    ApprovalRequest {
        tool: call.tool.name().to_owned(),
        params: call.wire.clone(),
        tool_call_id: call.sent.id.to_string(),
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
    escaped(text)
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
    let directory = directory_of(access);
    // A name in a command can become a link to another file, too.
    let links = effects
        .get("links")
        .map_or_else(String::new, |links| format!("\u{0}{links}"));
    let mut rules = Vec::new();
    for part in asking {
        let Some(rule) = part.exact_rule().filter(|_| part.may_remember) else {
            return Vec::new();
        };
        let key = match part.kind {
            // A command means something else in another directory, and a script with another content.
            PartKind::Command => format!("{directory}\u{0}{rule}\u{0}{scripts}{links}"),
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

/// The directory of the first command, as a part of a key.
fn directory_of(access: &Access) -> String {
    let typed_into = access.inputs.iter().map(|input| &input.command);
    let command = access.commands.iter().chain(typed_into).next();
    command.map_or_else(String::new, |command| {
        command.directory.target.display().to_string()
    })
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
