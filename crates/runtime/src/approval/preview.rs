//! What a call will touch and do, for people.

use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

use tenon_contract::{Access, InputClaim, MessageClaim, PathClaim, native_path};
use tenon_policy::{Decision, PartKind, PathResolver, Resolved};
use tenon_workspace::real_path;

use crate::path_resolutions::PathResolutions;
use crate::service::Call;

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
    paths: &PathResolutions<'_>,
) -> Map<String, Value> {
    let mut effects = effects(call, decision, paths);
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
    paths: &PathResolutions<'_>,
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
    let reported = decision.effects();
    for (word, kind, names) in [
        ("reads", PartKind::Read, claimed(&access.reads)),
        ("writes", PartKind::Write, claimed(&access.writes)),
        ("deletes", PartKind::Delete, claimed(&access.deletes)),
        ("hosts", PartKind::Host, hosts),
    ] {
        let mut names: Vec<String> = names;
        let found = reported.iter().filter(|effect| effect.kind == kind);
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
    let links = links(access, decision, paths);
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
        ("messageId", &message.message_id),
        ("emoji", &message.emoji),
        ("replyTo", &message.reply_to),
        ("threadId", &message.thread_id),
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

/// The files and directories that are reached through links: where each name leads, now. Those that the call states, and
/// those that its commands name.
pub(crate) fn links(
    access: &Access,
    decision: &Decision,
    paths: &PathResolutions<'_>,
) -> Map<String, Value> {
    let root = paths.root();
    let commands = access.commands.iter().map(|command| &command.directory);
    let typed = access.inputs.iter().map(|input| &input.command.directory);
    let claims = access.reads.iter().chain(access.changed());
    let claimed = claims
        .chain(commands)
        .chain(typed)
        .map(|claim| (claim.name.clone(), claim.target.clone()));
    let effects = decision.effects();
    let named = effects.iter().filter_map(|effect| {
        let name = effect.subject();
        let target = match effect.kind {
            PartKind::Read | PartKind::Write => leads_to(name, paths)?,
            // Of a link it is the link that goes.
            PartKind::Delete => {
                let path = Path::new(name);
                let parent = path.parent()?.to_str()?;
                let parent = if parent.is_empty() { "." } else { parent };
                leads_to(parent, paths)?.join(path.file_name()?)
            }
            _ => return None,
        };
        Some((name.to_owned(), target))
    });
    let is_link = |(name, target): &(String, PathBuf)| name != "." && root.join(name) != *target;
    // `cp a l` may write `l/a`, but only where `l` leads to a directory.
    let is_possible = |(_, target): &(String, PathBuf)| target.parent().is_some_and(Path::is_dir);
    let named = named.filter(is_link).filter(is_possible);
    let links = claimed.filter(is_link).chain(named);
    links
        .map(|(name, target)| {
            let target = target.strip_prefix(root).unwrap_or(&target);
            let target = match target.as_os_str().is_empty() {
                true => Path::new("."),
                false => target,
            };
            (name, target.display().to_string().into())
        })
        .collect()
}

/// Where a name leads now, inside of the workspace or out of it. Nothing where that cannot be found.
fn leads_to(name: &str, paths: &PathResolutions<'_>) -> Option<PathBuf> {
    let root = paths.root();
    match paths.resolve(root, name) {
        Resolved::Inside { claim, .. } => Some(native_path(&claim.target).into_owned()),
        Resolved::Outside => real_path(&root.join(name)).ok(),
    }
}
