//! What a foreign tool declares that it does, in terms that policy can judge.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tenon_contract::{
    Access, CommandClaim, Effect, ErrorCode, GivenVariable, HostClaim, Operation, PathClaim,
    ToolError,
};
use tenon_workspace::Workspace;

use super::{supposed, unusable};

/// What a tool does, and which of its parameters name what it touches.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(from = "Declared")]
pub struct DeclaredEffects {
    kind: Option<EffectName>,
    reads: Vec<String>,
    writes: Vec<String>,
    deletes: Vec<String>,
    commands: Vec<String>,
    hosts: Vec<String>,
    /// The host said nothing; it was derived from the name of the tool.
    is_supposed: bool,
}

/// One word, or what is known in detail.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Declared {
    Kind(EffectName),
    Details(Details),
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Details {
    kind: Option<EffectName>,
    reads: Vec<String>,
    writes: Vec<String>,
    deletes: Vec<String>,
    commands: Vec<String>,
    hosts: Vec<String>,
}

/// The kind of trace that a tool leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EffectName {
    /// It looks only.
    Observe,
    /// It changes files.
    Mutate,
    /// It runs programs.
    Execute,
    /// It reaches other machines.
    Network,
    /// It speaks with a user, another agent or the session.
    Converse,
    /// Nobody knows.
    Unknown,
}

impl From<Declared> for DeclaredEffects {
    fn from(declared: Declared) -> Self {
        let details = match declared {
            Declared::Details(details) => details,
            Declared::Kind(kind) => Details {
                kind: Some(kind),
                ..Details::default()
            },
        };
        let Details {
            kind,
            reads,
            writes,
            deletes,
            commands,
            hosts,
        } = details;
        Self {
            kind,
            reads,
            writes,
            deletes,
            commands,
            hosts,
            is_supposed: false,
        }
    }
}

impl DeclaredEffects {
    /// What a tool does whose name means an operation, though the host says nothing of it.
    pub(super) fn supposed(meant: Option<Operation>, schema: &Value) -> Self {
        let named = |names: &[&str]| supposed::parameters(names, schema);
        let mut effects = Self {
            is_supposed: true,
            ..Self::default()
        };
        match meant {
            Some(Operation::Execute) => effects.commands = named(supposed::COMMANDS),
            Some(Operation::Read | Operation::List | Operation::Find | Operation::Grep) => {
                effects.reads = named(supposed::PATHS);
            }
            Some(Operation::Write | Operation::Edit | Operation::NotebookEdit) => {
                effects.writes = named(supposed::PATHS);
            }
            Some(Operation::Delete) => effects.deletes = named(supposed::PATHS),
            Some(Operation::WebFetch | Operation::WebRequest) => {
                effects.hosts = named(supposed::ADDRESSES);
            }
            _ => {}
        }
        effects
    }

    /// Whether the host said itself what the tool does.
    pub(super) const fn are_declared(&self) -> bool {
        !self.is_supposed
    }

    /// The strongest of what is declared; nothing when nothing is.
    pub(super) fn effect(&self) -> Option<Effect> {
        let declared = self.kind.map(|kind| match kind {
            EffectName::Observe => Effect::Observe,
            EffectName::Mutate => Effect::Mutate,
            EffectName::Execute => Effect::Execute,
            EffectName::Network => Effect::Network,
            EffectName::Converse => Effect::Converse,
            EffectName::Unknown => Effect::Unknown,
        });
        declared.or_else(|| {
            let lists = [
                (&self.commands, Effect::Execute),
                (&self.writes, Effect::Mutate),
                (&self.deletes, Effect::Mutate),
                (&self.hosts, Effect::Network),
                (&self.reads, Effect::Observe),
            ];
            lists
                .into_iter()
                .find(|(params, _)| !params.is_empty())
                .map(|(_, effect)| effect)
        })
    }

    /// Whether every parameter that is named exists: a mistyped name would declare nothing.
    pub(super) fn check(&self, tool: &str, schema: &Value) -> Result<(), ToolError> {
        let mut named = [
            &self.reads,
            &self.writes,
            &self.deletes,
            &self.commands,
            &self.hosts,
        ]
        .into_iter()
        .flatten();
        let known = schema.get("properties");
        match named.find(|param| known.and_then(|known| known.get(*param)).is_none()) {
            None => Ok(()),
            Some(param) => {
                let message = format!(
                    "`effects` of the tool `{tool}` names the parameter `{param}`, which the tool does not have."
                );
                Err(unusable(tool, message))
            }
        }
    }

    /// What a call with these parameters will touch. Paths are located as those of every other tool, so that what
    /// leads out of the workspace is refused here.
    pub(super) fn access(
        &self,
        params: &Value,
        workspace: &Workspace,
    ) -> Result<Access, ToolError> {
        let paths = |names: &[String]| -> Result<Vec<PathClaim>, ToolError> {
            let texts = texts(params, names)?;
            texts
                .into_iter()
                .map(|(_, path)| Ok(workspace.locate(path)?.claim().clone()))
                // Whether its paths are those of the workspace is not known.
                .filter(|claim: &Result<PathClaim, ToolError>| claim.is_ok() || !self.is_supposed)
                .collect()
        };
        let hosts = texts(params, &self.hosts)?;
        let commands = texts(params, &self.commands)?;
        let directory = (!commands.is_empty())
            .then(|| workspace.locate("."))
            .transpose()?;
        let command = |(_, text): (&str, &str)| {
            let directory = directory.as_ref()?.claim().clone();
            Some(CommandClaim {
                text: text.to_owned(),
                directory,
                environment: variables(params),
            })
        };
        Ok(Access {
            reads: paths(&self.reads)?,
            writes: paths(&self.writes)?,
            deletes: paths(&self.deletes)?,
            commands: commands.into_iter().filter_map(command).collect(),
            hosts: hosts
                .into_iter()
                .map(|(param, url)| host(param, url))
                .collect::<Result<_, _>>()?,
            ..Access::default()
        })
    }
}

/// The variables that a call gives its commands by the names that parameters for them have.
fn variables(params: &Value) -> Vec<GivenVariable> {
    let named = ["env", "environment"].map(|name| params.get(name).and_then(Value::as_object));
    let pairs = named.into_iter().flatten().flatten();
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    pairs
        .map(|(name, value)| GivenVariable::new(name, &text(value)))
        .collect()
}

/// The texts that these parameters hold, alone or in lists, each with its parameter.
fn texts<'v>(params: &'v Value, names: &'v [String]) -> Result<Vec<(&'v str, &'v str)>, ToolError> {
    let mut found = Vec::new();
    for name in names {
        match params.get(name) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => found.push((name.as_str(), text.as_str())),
            Some(Value::Array(items)) if items.iter().all(Value::is_string) => {
                found.extend(
                    items
                        .iter()
                        .filter_map(Value::as_str)
                        .map(|text| (name.as_str(), text)),
                );
            }
            // What cannot be read cannot be judged.
            Some(_) => return Err(unclear(name, "is not a string or a list of strings")),
        }
    }
    Ok(found)
}

/// The host of an address (`https://example.com/x`, `example.com:8080`).
fn host(param: &str, url: &str) -> Result<HostClaim, ToolError> {
    let (scheme, rest) = url
        .trim()
        .split_once("://")
        .unwrap_or(("https", url.trim()));
    let default_port = match scheme.to_ascii_lowercase().as_str() {
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        _ => return Err(unclear(param, "is not a web URL")),
    };
    // Browsers read a backslash as a slash.
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let place = authority.rsplit('@').next().unwrap_or_default();
    let (name, port) = match place.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, port.parse::<u16>().ok()),
        _ => (place, Some(default_port)),
    };
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let literal = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    let is_name =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    let is_literal = literal.is_some_and(|inner| inner.parse::<core::net::Ipv6Addr>().is_ok());
    let is_plain = is_literal || (!name.is_empty() && name.chars().all(is_name));
    match port {
        Some(port) if is_plain => Ok(HostClaim {
            host: literal.unwrap_or(&name).to_owned(),
            port,
            url: url.to_owned(),
        }),
        _ => Err(unclear(param, "is not a URL with a readable host")),
    }
}

fn unclear(param: &str, fault: &str) -> ToolError {
    let message = format!("`{param}` {fault}, so policy cannot check what the call touches.");
    ToolError::new(ErrorCode::InvalidParams, message).with("param", param)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn declared(value: Value) -> DeclaredEffects {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn the_strongest_of_what_is_declared_is_the_effect() {
        assert_eq!(declared(json!("observe")).effect(), Some(Effect::Observe));
        assert_eq!(
            declared(json!({"reads": ["a"], "writes": ["b"]})).effect(),
            Some(Effect::Mutate)
        );
        assert_eq!(
            declared(json!({"hosts": ["u"], "commands": ["c"]})).effect(),
            Some(Effect::Execute)
        );
        assert_eq!(
            declared(json!({"kind": "network", "writes": ["b"]})).effect(),
            Some(Effect::Network)
        );
        assert_eq!(DeclaredEffects::default().effect(), None);
        assert!(serde_json::from_value::<DeclaredEffects>(json!({"raeds": ["a"]})).is_err());
        assert!(serde_json::from_value::<DeclaredEffects>(json!("harmless")).is_err());
    }

    #[test]
    fn paths_commands_and_hosts_are_read_from_the_parameters_that_name_them() {
        let directory = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();
        let effects = declared(
            json!({"reads": ["from", "more"], "writes": ["to"], "commands": ["run"], "hosts": ["url"]}),
        );
        let params = json!({"from": "a/../b", "more": ["c"], "run": "make", "url": ["https://u@Example.com./x", "ws://[::1]:9"]});
        let access = effects.access(&params, &workspace).unwrap();
        let names = |claims: &[PathClaim]| {
            claims
                .iter()
                .map(|claim| claim.name.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            (names(&access.reads), names(&access.writes)),
            (vec!["b".to_owned(), "c".to_owned()], vec![])
        );
        assert_eq!(
            (
                access.commands[0].text.as_str(),
                access.commands[0].directory.name.as_str()
            ),
            ("make", ".")
        );
        let hosts: Vec<_> = access
            .hosts
            .iter()
            .map(|host| (host.host.as_str(), host.port))
            .collect();
        assert_eq!(hosts, [("example.com", 443), ("::1", 9)]);
    }

    #[test]
    fn what_cannot_be_judged_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();
        let refused = |effects: Value, params: Value| {
            declared(effects)
                .access(&params, &workspace)
                .unwrap_err()
                .code
        };
        assert_eq!(
            refused(json!({"reads": ["p"]}), json!({"p": "../x"})),
            ErrorCode::OutsideWorkspace
        );
        assert_eq!(
            refused(json!({"reads": ["p"]}), json!({"p": {"x": 1}})),
            ErrorCode::InvalidParams
        );
        for url in [
            "",
            "file:///etc/passwd",
            "https://",
            "https://a b/",
            "https://x:99999/",
            "https://münchen.de",
            "https://[::g]/",
        ] {
            assert_eq!(
                refused(json!({"hosts": ["p"]}), json!({"p": url})),
                ErrorCode::InvalidParams,
                "{url}"
            );
        }
        let schema = json!({"properties": {"path": {}}});
        assert!(
            declared(json!({"reads": ["paht"]}))
                .check("t", &schema)
                .is_err()
        );
        assert!(
            declared(json!({"reads": ["path"]}))
                .check("t", &schema)
                .is_ok()
        );
    }
}
