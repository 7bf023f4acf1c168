//! What a call says it will touch, as a preview or an explanation of a toolkit writes it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use tenon_contract::{
    Access, ArgumentClaim, CommandClaim, Effect, HostClaim, Operation, PathClaim,
};
use tenon_policy::{LexicalPaths, PathResolver, Resolved};

use crate::opened::{is_below, stronger};

/// Rules do not look at ports.
const PORT: u16 = 443;

/// What a call touches.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct Effects {
    /// One command, run in the workspace.
    command: Option<String>,
    commands: Vec<Command>,
    reads: Vec<String>,
    writes: Vec<String>,
    deletes: Vec<String>,
    hosts: Vec<Host>,
    names: Vec<String>,
    /// Where names lead that are links, or below one.
    links: BTreeMap<String, String>,
    /// Arguments of a tool of an MCP server, for rules on them.
    arguments: Value,
    /// The rest of a preview, which decisions do not depend on.
    #[serde(rename = "parts")]
    _parts: IgnoredAny,
    #[serde(rename = "changes")]
    _changes: IgnoredAny,
    #[serde(rename = "diff")]
    _diff: IgnoredAny,
    #[serde(rename = "diffOmittedBytes")]
    _diff_omitted_bytes: IgnoredAny,
    #[serde(rename = "planHash")]
    _plan_hash: IgnoredAny,
    #[serde(rename = "problem")]
    _problem: IgnoredAny,
}

/// A command, in the workspace or in a directory of it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Command {
    Text(String),
    In {
        text: String,
        #[serde(default)]
        directory: Option<String>,
    },
}

/// A call as policy judges it.
pub(crate) struct Stated {
    pub(crate) access: Access,
    pub(crate) effect: Effect,
}

impl Effects {
    /// The access of a call of this tool, or why there can be none.
    pub(crate) fn stated(
        &self,
        tool: &str,
        operation: Operation,
        workspace: &Path,
        others: &[PathBuf],
    ) -> Result<Stated, String> {
        let places = Places {
            workspace,
            others,
            links: &self.links,
        };
        let commands = self.commands(&places)?;
        // What the files and hosts of a command's preview were found in is its text, which is judged itself.
        let is_command = operation == Operation::Execute;
        let claims = |names: &[String]| {
            let names = if is_command { &[] } else { names };
            let claims = names.iter().map(|name| places.claim(name));
            claims.collect::<Result<Vec<_>, _>>()
        };
        let access = Access {
            reads: claims(&self.reads)?,
            writes: claims(&self.writes)?,
            deletes: claims(&self.deletes)?,
            commands,
            hosts: if is_command { Vec::new() } else { self.hosts() },
            names: self.names.clone(),
            arguments: ArgumentClaim::all_of(&self.arguments),
            ..Access::default()
        };
        if let Some(missing) = missing(operation, &access) {
            return Err(format!(
                "`{tool}` needs {missing}, and the call names none: it cannot be judged."
            ));
        }
        let effect = effect(operation, &access);
        Ok(Stated { access, effect })
    }

    fn commands(&self, places: &Places<'_>) -> Result<Vec<CommandClaim>, String> {
        let one = self.command.iter().map(|text| (text.as_str(), "."));
        let more = self.commands.iter().map(|command| match command {
            Command::Text(text) => (text.as_str(), "."),
            Command::In { text, directory } => (text.as_str(), directory.as_deref().unwrap_or(".")),
        });
        let claims = one.chain(more).map(|(text, directory)| {
            Ok(CommandClaim {
                text: text.to_owned(),
                directory: places.claim(directory)?,
                environment: Vec::new(),
            })
        });
        claims.collect()
    }

    fn hosts(&self) -> Vec<HostClaim> {
        let hosts = self.hosts.iter();
        let claims = hosts.map(|Host { host, url }| HostClaim {
            host: host.trim_end_matches('.').to_lowercase(),
            port: PORT,
            url: url.clone(),
        });
        claims.collect()
    }
}

/// A host with its address, which JavaScript has parsed.
#[derive(Deserialize)]
struct Host {
    host: String,
    url: String,
}

/// Where names of a call lead.
struct Places<'p> {
    workspace: &'p Path,
    others: &'p [PathBuf],
    links: &'p BTreeMap<String, String>,
}

impl Places<'_> {
    fn claim(&self, name: &str) -> Result<PathClaim, String> {
        let mut claim = self.plain(name)?;
        if let Some(target) = self.links.get(name) {
            claim.target = self.plain(target)?.target;
        }
        Ok(claim)
    }

    fn plain(&self, name: &str) -> Result<PathClaim, String> {
        let root = LexicalPaths::new(self.workspace);
        if let Resolved::Inside { claim, .. } = root.resolve(self.workspace, name) {
            return Ok(claim);
        }
        // Below another directory its name is the whole path.
        let everywhere = LexicalPaths::new("/");
        match everywhere.resolve(self.workspace, name) {
            Resolved::Inside { claim, .. } if is_below(&claim.target, self.others) => {
                Ok(PathClaim {
                    name: claim.target.to_string_lossy().into_owned(),
                    target: claim.target,
                })
            }
            _ => Err(format!("`{name}` is outside of the workspace.")),
        }
    }
}

/// What a call of this operation has to name.
fn missing(operation: Operation, access: &Access) -> Option<&'static str> {
    match operation {
        Operation::Execute if access.commands.is_empty() => Some("a command (`command`)"),
        Operation::Read | Operation::List | Operation::Find | Operation::Grep
            if access.reads.is_empty() =>
        {
            Some("a path (`reads`)")
        }
        Operation::Write | Operation::Edit | Operation::NotebookEdit
            if access.writes.is_empty() =>
        {
            Some("a file (`writes`)")
        }
        Operation::Patch if access.writes.is_empty() && access.deletes.is_empty() => {
            Some("the files that it changes (`writes`, `deletes`)")
        }
        Operation::Delete if access.deletes.is_empty() => Some("a file (`deletes`)"),
        Operation::WebFetch | Operation::WebRequest if access.hosts.is_empty() => {
            Some("an address (`urls`)")
        }
        _ => None,
    }
}

/// What kind of trace a call leaves. Of a tool that is not known that is what it says it touches, else nobody knows.
fn effect(operation: Operation, access: &Access) -> Effect {
    let touched = [
        (!access.commands.is_empty(), Effect::Execute),
        (
            !access.writes.is_empty() || !access.deletes.is_empty(),
            Effect::Mutate,
        ),
        (!access.hosts.is_empty(), Effect::Network),
        (!access.reads.is_empty(), Effect::Observe),
    ];
    let touched = touched
        .into_iter()
        .find_map(|(is_touched, effect)| is_touched.then_some(effect));
    match (operation, touched) {
        (Operation::Foreign, touched) => touched.unwrap_or(Effect::Unknown),
        (operation, Some(touched)) => stronger(operation.effect(), touched),
        (operation, None) => operation.effect(),
    }
}
