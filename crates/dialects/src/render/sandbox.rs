//! The sandbox of a command, for programs and for models.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_process::SandboxLevel;
use tenon_tools::InSandbox;

/// The sandbox that a command ran in.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SandboxDetails {
    /// How much of it there was: `full`, `landlock` (Landlock and a filter of system calls, no namespaces) or `none`.
    level: SandboxLevelName,
    /// What the command may write.
    mode: SandboxModeName,
    /// Whom it reaches.
    network: SandboxNetworkName,
    /// Why the level is not `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// What a command can do at this level that `full` refuses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    open: Vec<String>,
    /// The words of the output that look like a refusal by the sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}

/// How much of the sandbox there is.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SandboxLevelName {
    /// Everything.
    Full,
    /// Landlock and a filter of system calls.
    Landlock,
    /// Nothing that would contain a command.
    None,
}

/// What a command in a sandbox may write.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SandboxModeName {
    /// Temporary files only.
    ReadOnly,
    /// The workspace too.
    WorkspaceWrite,
}

/// Whom a command in a sandbox reaches.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SandboxNetworkName {
    /// Nobody.
    None,
    /// Some hosts.
    Domains,
    /// Whom the host reaches.
    Host,
}

impl SandboxDetails {
    pub(crate) fn of(sandbox: &InSandbox) -> Self {
        let report = &sandbox.report;
        // Without a network of its own there is nowhere for the proxy to listen.
        let has_proxy = sandbox.has_proxy && report.level == SandboxLevel::Full;
        Self {
            level: match report.level {
                SandboxLevel::Full => SandboxLevelName::Full,
                SandboxLevel::Landlock => SandboxLevelName::Landlock,
                SandboxLevel::None => SandboxLevelName::None,
            },
            mode: if sandbox.writable {
                SandboxModeName::WorkspaceWrite
            } else {
                SandboxModeName::ReadOnly
            },
            network: match (sandbox.has_network, has_proxy) {
                (true, _) => SandboxNetworkName::Host,
                (false, true) => SandboxNetworkName::Domains,
                (false, false) => SandboxNetworkName::None,
            },
            reason: report.failure.as_ref().map(ToString::to_string),
            open: report.open().into_iter().map(str::to_owned).collect(),
            refused: sandbox.refused.map(|refusal| refusal.sign.to_owned()),
        }
    }
}

/// What a model has to know of the sandbox: that it refused something, or that it is not all there.
pub(crate) fn sandbox_line(sandbox: &InSandbox) -> Option<String> {
    let report = &sandbox.report;
    let mut sentences = Vec::new();
    if let Some(refusal) = sandbox.refused {
        let sign = refusal.sign;
        let has_proxy = sandbox.has_proxy && report.level == SandboxLevel::Full;
        let why = match (refusal.of_network, has_proxy, sandbox.writable) {
            (true, true, _) => {
                "commands reach only the hosts that the application lists, through the proxy in `HTTPS_PROXY`"
            }
            (true, false, _) => "commands have no network access",
            (false, _, true) => {
                "commands can write only in the workspace and the temporary directory, and not to protected names such as `.git/hooks`, `.git/config` or settings of editors and agents"
            }
            (false, _, false) => "commands can write only in the temporary directory",
        };
        sentences.push(format!(
            "`{sign}` looks like a denial by the sandbox: {why}. Do not retry in another way; ask the user if it is needed."
        ));
    }
    if let Some(failure) = &report.failure {
        let level = match report.level {
            SandboxLevel::Full => "full",
            SandboxLevel::Landlock => "landlock",
            SandboxLevel::None => "none",
        };
        sentences.push(format!(
            "The sandbox is incomplete here (level `{level}`): {failure}. Not contained: {}.",
            report.open().join("; ")
        ));
    }
    (!sentences.is_empty()).then(|| format!("[{}]", sentences.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_process::SandboxReport;

    #[test]
    fn a_model_hears_of_a_sandbox_only_when_it_matters() {
        let quiet = InSandbox {
            report: SandboxReport {
                level: SandboxLevel::Full,
                failure: None,
                landlock: 7,
            },
            writable: true,
            has_network: false,
            has_proxy: false,
            refused: None,
        };
        assert_eq!(sandbox_line(&quiet), None);
        let missing = InSandbox {
            report: SandboxReport::none("this system has no sandbox"),
            ..quiet
        };
        assert_eq!(
            sandbox_line(&missing).as_deref(),
            Some(
                "[The sandbox is incomplete here (level `none`): this system has no sandbox. Not contained: writing and deleting all files of this user.]"
            )
        );
    }
}
