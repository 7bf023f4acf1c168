//! What a call will touch and do, for people.

use serde_json::{Map, Value, json};
use std::path::Path;

use tenon_contract::{Access, InputClaim, MessageClaim, PathClaim, Preview, ToolError, limits};
use tenon_policy::{Decision, PartKind, escaped};

use tenon_workspace::Workspace;

use crate::service::Call;

/// What an operation says it would do; nothing where its access says it all.
pub(crate) type Drafted = Result<Option<Preview>, ToolError>;

/// The thing that a denial names: the command, the file, the address, the skill or agent, else the tool.
pub(crate) fn subject(access: &Access, tool: &str) -> String {
    let command = access.commands.first().map(|command| command.text.clone());
    let path = access
        .changed()
        .chain(&access.reads)
        .next()
        .map(|claim| claim.name.clone());
    let url = access.hosts.first().map(|host| host.url.clone());
    let typed = access.inputs.first().map(|input| input.text.clone());
    let name = access.names.first().cloned();
    let named = command.or(typed).or(path).or(url).or(name);
    named.unwrap_or_else(|| tool.to_owned())
}

/// What the call will touch, and each part of its command texts with its own verdict.
pub(crate) fn effects_and_parts(
    call: &Call,
    decision: &Decision,
    workspace: &Workspace,
) -> Map<String, Value> {
    let mut effects = effects(call, decision, workspace);
    let access = call.prepared.access();
    if !access.commands.is_empty() || !access.inputs.is_empty() {
        effects.insert("parts".into(), json!(decision.parts));
    }
    effects
}

/// What the call will touch: what it states itself, and what its command texts do.
pub(crate) fn effects(
    call: &Call,
    decision: &Decision,
    workspace: &Workspace,
) -> Map<String, Value> {
    let access = call.prepared.access();
    let mut effects = Map::new();
    if !access.commands.is_empty() {
        let commands: Vec<_> = access
            .commands
            .iter()
            .map(|command| json!({"text": command.text, "folder": command.directory.name}))
            .collect();
        effects.insert("commands".into(), commands.into());
    }
    if !access.inputs.is_empty() {
        let inputs = access.inputs.iter().map(typed);
        effects.insert("inputs".into(), inputs.collect());
    }
    let claimed = |claims: &[PathClaim]| claims.iter().map(|claim| claim.name.clone()).collect();
    let hosts = access.hosts.iter().map(|host| host.host.clone()).collect();
    let told = decision.effects();
    for (word, kind, names) in [
        ("reads", PartKind::Read, claimed(&access.reads)),
        ("writes", PartKind::Write, claimed(&access.writes)),
        ("deletes", PartKind::Delete, claimed(&access.deletes)),
        ("hosts", PartKind::Host, hosts),
    ] {
        let mut names: Vec<String> = names;
        let found = told.iter().filter(|effect| effect.kind == kind);
        names.extend(found.map(|effect| effect.subject().to_owned()));
        if !names.is_empty() {
            effects.insert(word.into(), names.into());
        }
    }
    if !access.names.is_empty() {
        effects.insert("names".into(), access.names.clone().into());
    }
    if let Some(message) = &access.message {
        effects.insert("message".into(), said(message));
    }
    if !access.hosts.is_empty() {
        let urls: Vec<_> = access.hosts.iter().map(|host| host.url.clone()).collect();
        effects.insert("urls".into(), urls.into());
    }
    let links = links(access, workspace.root());
    if !links.is_empty() {
        effects.insert("links".into(), links.into());
    }
    effects
}

fn typed(input: &InputClaim) -> Value {
    json!({
        "text": input.text,
        "into": input.command.text,
        "folder": input.command.directory.name,
    })
}

/// What people outside would read.
fn said(message: &MessageClaim) -> Value {
    let mut said = Map::new();
    said.insert("action".into(), message.action.clone().into());
    said.insert("channel".into(), message.channel.clone().into());
    for (name, value) in [
        ("target", &message.target),
        ("name", &message.name),
        ("text", &message.text),
    ] {
        if let Some(value) = value {
            said.insert(name.into(), value.clone().into());
        }
    }
    if message.parts > 1 {
        said.insert("parts".into(), message.parts.into());
    }
    if !message.media.is_empty() {
        said.insert("media".into(), message.media.clone().into());
    }
    said.into()
}

/// What would be done to files: the diff, bounded, and the hash that the approval is bound to.
pub(crate) fn told(drafted: &Drafted) -> Map<String, Value> {
    let mut told = Map::new();
    match drafted {
        Ok(None) => {}
        Ok(Some(preview)) => {
            let shown = preview
                .diff
                .floor_char_boundary(limits::PREVIEW_DIFF_MAX_BYTES);
            let cut = preview.diff.len() > shown;
            let diff = preview.diff.get(..shown).unwrap_or_default();
            let diff = match diff.rfind('\n') {
                Some(end) if cut => diff.get(..=end).unwrap_or_default(),
                _ => diff,
            };
            told.insert("changes".into(), json!(preview.changes));
            told.insert("diff".into(), diff.into());
            let omitted = preview.diff.len() - diff.len();
            if omitted > 0 {
                told.insert("diffOmittedBytes".into(), omitted.into());
            }
            told.insert("planHash".into(), preview.plan_hash.clone().into());
        }
        Err(error) => {
            told.insert("problem".into(), error.message.clone().into());
        }
    }
    told
}

/// The files and directories that are reached through links: where each name leads.
fn links(access: &Access, root: &Path) -> Map<String, Value> {
    let commands = access.commands.iter().map(|command| &command.directory);
    let typed = access.inputs.iter().map(|input| &input.command.directory);
    let claims = access.reads.iter().chain(access.changed());
    let is_link = |claim: &&PathClaim| root.join(&claim.name) != claim.target;
    claims
        .chain(commands)
        .chain(typed)
        .filter(|claim| claim.name != "." && is_link(claim))
        .map(|claim| {
            let target = claim.target.strip_prefix(root).unwrap_or(&claim.target);
            let target = match target.as_os_str().is_empty() {
                true => Path::new("."),
                false => target,
            };
            (claim.name.clone(), target.display().to_string().into())
        })
        .collect()
}

/// The same for people: names of files are chosen by whoever made them, so nothing in them may control a terminal or
/// show something else than it is.
pub(crate) fn seen(told: Map<String, Value>) -> Map<String, Value> {
    let seen = |(name, value): (String, Value)| match value {
        Value::String(diff) if name == "diff" => (name, plain(&diff).into()),
        value => (escaped(&name), seen_value(value)),
    };
    told.into_iter().map(seen).collect()
}

fn seen_value(value: Value) -> Value {
    match value {
        Value::String(text) => escaped(&text).into(),
        Value::Array(values) => values.into_iter().map(seen_value).collect(),
        Value::Object(members) => Value::Object(seen(members)),
        other => other,
    }
}

/// A diff with what cannot be seen escaped, but for the line ends of files that have CRLF.
fn plain(diff: &str) -> String {
    let mut shown = String::with_capacity(diff.len());
    for line in diff.split_inclusive('\n') {
        match line.strip_suffix("\r\n") {
            Some(line) => {
                shown.push_str(&escaped(line));
                shown.push_str("\r\n");
            }
            None => shown.push_str(&escaped(line)),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told_of(diff: &str) -> Map<String, Value> {
        seen(told(&Ok(Some(Preview {
            changes: Vec::new(),
            diff: diff.to_owned(),
            plan_hash: "00".to_owned(),
        }))))
    }

    #[test]
    fn what_cannot_be_seen_in_a_diff_is_escaped() {
        let told = told_of("+a\u{202e}b\r\n+c\rd\u{1b}[2K\n");
        assert_eq!(
            told.get("diff"),
            Some(&json!("+a\\u{202e}b\r\n+c\\u{d}d\\u{1b}[2K\n"))
        );
        assert_eq!(told.get("diffOmittedBytes"), None);
    }

    #[test]
    fn a_long_diff_ends_at_a_line_and_says_how_much_is_left_out() {
        let line = format!("+{}\n", "ä".repeat(500));
        let whole = line.repeat(100);
        let told = told_of(&whole);
        let shown = told.get("diff").and_then(Value::as_str).unwrap();
        assert_eq!(
            shown,
            line.repeat(limits::PREVIEW_DIFF_MAX_BYTES / line.len())
        );
        let omitted = told
            .get("diffOmittedBytes")
            .and_then(Value::as_u64)
            .unwrap();
        assert_eq!(omitted as usize, whole.len() - shown.len());
    }

    #[test]
    fn one_endless_line_is_cut_in_it() {
        let told = told_of(&"x".repeat(100_000));
        let shown = told.get("diff").and_then(Value::as_str).unwrap();
        assert_eq!(shown.len(), limits::PREVIEW_DIFF_MAX_BYTES);
    }
}
