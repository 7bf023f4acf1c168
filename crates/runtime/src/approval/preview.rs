//! What a call will touch and do, for people.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value, json};
use tenon_contract::{Access, CommandClaim, InputClaim, MessageClaim, PathClaim, native_path};
use tenon_policy::{Decision, PartKind, PathResolver, Resolved, TextEffect, escaped};
use tenon_workspace::real_path;

use super::shown::{escaped_members, escaped_value};
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
    let effects = CallEffects::of(call, decision, (paths, Moment::Later));
    let mut effects = match json!(effects) {
        Value::Object(effects) => effects,
        _ => Map::new(),
    };
    let access = call.prepared.access();
    if !access.commands.is_empty() || !access.inputs.is_empty() {
        effects.insert("parts".into(), json!(decision.parts));
    }
    effects
}

/// When it is asked where names lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// When they were judged, so that what was found then holds.
    OfDecision,
    /// Later.
    Later,
}

/// What a call will touch: what it states itself, and what its command texts do. Empty members are omitted.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CallEffects {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commands: Vec<CommandText>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inputs: Vec<TypedText>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reads: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    writes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    deletes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hosts: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    names: Vec<String>,
    #[serde(skip_serializing_if = "Value::is_null")]
    message: Value,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    urls: Vec<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    links: Map<String, Value>,
}

/// A command, and where it runs.
#[derive(Debug, Clone, Serialize)]
struct CommandText {
    text: String,
    directory: String,
}

/// What is typed into a command.
#[derive(Debug, Clone, Serialize)]
struct TypedText {
    text: String,
    into: String,
    directory: String,
}

impl CallEffects {
    pub(crate) fn of(
        call: &Call,
        decision: &Decision,
        (paths, moment): (&PathResolutions<'_>, Moment),
    ) -> Self {
        let access = call.prepared.access();
        let reported = decision.effects();
        let claims = |kind, claims: &[PathClaim]| {
            let claimed = claims.iter().map(|claim| claim.name.as_str());
            named(claimed, kind, &reported)
        };
        let hosts = access.hosts.iter().map(|host| host.host.as_str());
        Self {
            commands: access.commands.iter().map(CommandText::of).collect(),
            inputs: access.inputs.iter().map(TypedText::of).collect(),
            reads: claims(PartKind::Read, &access.reads),
            writes: claims(PartKind::Write, &access.writes),
            deletes: claims(PartKind::Delete, &access.deletes),
            hosts: named(hosts, PartKind::Host, &reported),
            names: access.names.clone(),
            message: access.message.as_ref().map_or(Value::Null, said),
            urls: access.hosts.iter().map(|host| host.url.clone()).collect(),
            links: links_of(access, &reported, (paths, moment)),
        }
    }

    /// The same for people: names of files are chosen by the one who made them, and these texts are shown.
    pub(crate) fn shown(mut self) -> Self {
        let show = |text: &mut String| *text = escaped(std::mem::take(text));
        for command in &mut self.commands {
            show(&mut command.text);
            show(&mut command.directory);
        }
        for input in &mut self.inputs {
            show(&mut input.text);
            show(&mut input.into);
            show(&mut input.directory);
        }
        let lists = [
            &mut self.reads,
            &mut self.writes,
            &mut self.deletes,
            &mut self.hosts,
            &mut self.names,
            &mut self.urls,
        ];
        lists.into_iter().flatten().for_each(show);
        self.message = escaped_value(self.message);
        self.links = escaped_members(self.links);
        self
    }
}

/// What is claimed, and what command texts do of this kind.
fn named<'n>(
    claimed: impl Iterator<Item = &'n str>,
    kind: PartKind,
    effects: &[&'n TextEffect],
) -> Vec<String> {
    let found = effects.iter().filter(|effect| effect.kind == kind);
    let found = found.map(|effect| effect.subject());
    claimed.chain(found).map(str::to_owned).collect()
}

impl CommandText {
    fn of(command: &CommandClaim) -> Self {
        Self {
            text: command.text.clone(),
            directory: command.directory.name.clone(),
        }
    }
}

impl TypedText {
    fn of(input: &InputClaim) -> Self {
        Self {
            text: input.text.clone(),
            into: input.command.text.clone(),
            directory: input.command.directory.name.clone(),
        }
    }
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
    links_of(access, &decision.effects(), (paths, Moment::Later))
}

fn links_of(
    access: &Access,
    effects: &[&TextEffect],
    (paths, moment): (&PathResolutions<'_>, Moment),
) -> Map<String, Value> {
    let root = paths.root();
    let is_link = |name: &str, target: &Path| name != "." && root.join(name) != target;
    let commands = access.commands.iter().map(|command| &command.directory);
    let typed = access.inputs.iter().map(|input| &input.command.directory);
    let claims = access.reads.iter().chain(access.changed());
    let claims = claims.chain(commands).chain(typed);
    let claimed = claims
        .filter(|claim| is_link(&claim.name, &claim.target))
        .map(|claim| (claim.name.clone(), claim.target.clone()));
    let is_open = |effect: &&&TextEffect| moment == Moment::Later || !effect.is_as_written();
    let named = effects.iter().filter(is_open).filter_map(|effect| {
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
        is_link(name, &target).then(|| (name.to_owned(), target))
    });
    // `cp a l` may write `l/a`, but only where `l` leads to a directory.
    let is_possible = |(_, target): &(String, PathBuf)| target.parent().is_some_and(Path::is_dir);
    let links = claimed.chain(named.filter(is_possible));
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
