//! The sandbox of commands, as a host asks for it.

use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use tenon_contract::{ErrorCode, ToolError};
use tenon_policy::PROTECTED;
use tenon_process::{ProtectedNames, Sandbox, SandboxNetwork};
use tenon_web::ReachableHosts;

use crate::web::HostRoute;

/// What commands may do to the system: a mode, or a mode with more.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged)]
pub enum SandboxOption {
    /// The mode, without network, and required.
    Mode(SandboxMode),
    /// The mode with more.
    Object(SandboxOptions),
}

// By hand, so that a fault names what is wrong instead of that nothing matched.
impl<'de> Deserialize<'de> for SandboxOption {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let read = if value.is_string() {
            serde_json::from_value(value).map(Self::Mode)
        } else {
            serde_json::from_value(value).map(Self::Object)
        };
        read.map_err(D::Error::custom)
    }
}

/// What commands may write, which hosts they reach, and whether the sandbox is required.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SandboxOptions {
    /// What they may write.
    pub mode: SandboxMode,
    /// The network: none (`false`), that of the host (`true`), or these hosts through a proxy: `example.com`,
    /// `*.example.com` for its subdomains. Default: `false`.
    #[serde(default)]
    pub network: NetworkOption,
    /// What happens where the full sandbox is not available. Default: `required`.
    #[serde(default)]
    pub require: SandboxRequirement,
}

/// What commands may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxMode {
    /// Whatever their user may: there is no sandbox.
    Off,
    /// A private directory for temporary files.
    ReadOnly,
    /// The workspace and the additional directories too, except for protected names in them (`.git/hooks`,
    /// `.git/config`, settings of editors, package managers and agents).
    WorkspaceWrite,
}

/// Which hosts commands reach.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum NetworkOption {
    /// All that the host reaches, or none.
    All(bool),
    /// These hosts.
    Hosts(Vec<String>),
}

impl Default for NetworkOption {
    fn default() -> Self {
        Self::All(false)
    }
}

/// What happens where the full sandbox is not available.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxRequirement {
    /// Nothing is started.
    #[default]
    Required,
    /// The available part of it is used, and the result says what is missing.
    BestEffort,
}

impl SandboxOption {
    /// The sandbox over these directories; none when it is off.
    pub(crate) fn sandbox(
        &self,
        roots: Vec<PathBuf>,
        reach: &HostRoute,
    ) -> Result<Option<Arc<Sandbox>>, ToolError> {
        let (mode, network, require) = match self {
            Self::Mode(mode) => (
                *mode,
                &NetworkOption::All(false),
                SandboxRequirement::Required,
            ),
            Self::Object(options) => (options.mode, &options.network, options.require),
        };
        if mode == SandboxMode::Off {
            return Ok(None);
        }
        let network = match network {
            NetworkOption::All(false) => SandboxNetwork::None,
            NetworkOption::All(true) => SandboxNetwork::Host,
            // An empty list means nobody, never everybody.
            NetworkOption::Hosts(hosts) if hosts.is_empty() => SandboxNetwork::None,
            NetworkOption::Hosts(hosts) => {
                let hosts = ReachableHosts::new(hosts).map_err(|name| {
                    let message = format!(
                        "`sandbox.network` contains `{name}`, which is not a host. Write `example.com`, or `*.example.com` for its subdomains."
                    );
                    ToolError::new(ErrorCode::InvalidParams, message)
                        .with("option", "options.sandbox.network")
                })?;
                SandboxNetwork::Proxy(Arc::new(reach.proxy(hosts)))
            }
        };
        Ok(Some(Arc::new(Sandbox {
            roots,
            writable: mode == SandboxMode::WorkspaceWrite,
            network,
            required: require == SandboxRequirement::Required,
            protected: ProtectedNames {
                directories: PROTECTED.directories,
                files: PROTECTED.files,
                in_directory: PROTECTED.in_directory,
            },
        })))
    }
}

#[cfg(test)]
mod tests {
    use crate::Options;

    fn fault(sandbox: &str) -> String {
        let json = format!(r#"{{"workspace": "/", "sandbox": {sandbox}}}"#);
        Options::from_json(&json).map_or_else(|error| error.message, |_| "none".to_owned())
    }

    #[test]
    fn a_mode_alone_or_with_more_is_taken() {
        for good in [
            r#""off""#,
            r#""read-only""#,
            r#"{"mode": "workspace-write", "network": ["a.org"], "require": "best-effort"}"#,
            r#"{"mode": "workspace-write", "network": true}"#,
        ] {
            assert_eq!(fault(good), "none");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(
            fault(r#""workspace""#),
            "`sandbox` must be `off`, `read-only`, `workspace-write` or an object `{mode, network, require}`, not `workspace`."
        );
        assert_eq!(
            fault(r#"{"network": false}"#),
            "`sandbox.mode` is required (`off`, `read-only` or `workspace-write`)."
        );
        assert_eq!(
            fault(r#"{"mode": "off", "require": "maybe"}"#),
            "`sandbox.require` must be `required` or `best-effort`, not `maybe`."
        );
        assert_eq!(
            fault(r#"{"mode": "off", "networks": 1}"#),
            "Unknown option `sandbox.networks`. Did you mean `network`?"
        );
    }
}
