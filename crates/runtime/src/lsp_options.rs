//! What a host says about language servers.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::options::Within;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tenon_contract::{ErrorCode, ToolError, limits};
use tenon_lsp::{CustomServer, LanguageServers};

/// Language servers: the built-in ones, and the host's own.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LspOptions {
    /// Servers by language, instead of the built-in ones or beside them: `{python: {command: 'pylsp', args: []}}`.
    #[serde(default)]
    pub servers: BTreeMap<String, LspServerOptions>,
    /// Whether language servers of the workspace itself, and build scripts, macros and plug-ins of the code, may be
    /// run. Default: false.
    #[serde(default)]
    pub trust_workspace: bool,
    /// Whether the result of every call that changes a file reports which errors and warnings are new or fixed.
    /// Default: false.
    pub diagnostics_after_edit: Option<DiagnosticsAfterEdit>,
}

/// Whether the effect of a change on the diagnostics of a file is reported.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DiagnosticsAfterEdit {
    /// It is, within 2500 ms, or it is not.
    Switch(bool),
    /// It is, within a time of the host's own.
    Within(DiagnosticsBudget),
}

/// How long a call waits for diagnostics.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DiagnosticsBudget {
    /// Most milliseconds before the change, and again behind it. What is not known by then is not reported. 100 to 60000.
    pub budget_ms: Within<u64, 100, 60_000>,
}

/// One language server.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LspServerOptions {
    /// The program: a name that is looked up in `PATH`, or an absolute path.
    pub command: String,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Extensions of its files, such as `.py`. Default: those of the language.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// What `initialize` passes to it.
    pub initialization_options: Option<Value>,
    /// What it gets when it requests its configuration.
    pub settings: Option<Value>,
    /// Its environment variables.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The command that installs it, for the hint where it is missing.
    pub install: Option<String>,
}

impl LspOptions {
    /// Whom a call that changes files asks for diagnostics, and how long it waits for them, if it does.
    pub(crate) fn after_edits(
        &self,
        servers: &LanguageServers,
    ) -> Option<(LanguageServers, Duration)> {
        self.budget_after_edit()
            .map(|budget| (servers.clone(), budget))
    }

    fn budget_after_edit(&self) -> Option<Duration> {
        match self.diagnostics_after_edit.as_ref()? {
            DiagnosticsAfterEdit::Switch(is_on) => is_on.then_some(limits::LSP_AFTER_EDIT_TIMEOUT),
            DiagnosticsAfterEdit::Within(budget) => Some(budget.budget_ms.millis()),
        }
    }

    /// Refuses servers that could never be used.
    pub(crate) fn check(&self) -> Result<(), ToolError> {
        let wrong = |option: String, problem: &str| {
            let message = format!("`{option}` {problem}");
            let error = ToolError::new(ErrorCode::InvalidParams, message);
            Err(error.with("option", format!("options.{option}")))
        };
        for (language, server) in &self.servers {
            let place = format!("lsp.servers.{language}");
            if server.command.trim().is_empty() {
                return wrong(
                    format!("{place}.command"),
                    "is empty; name the program of the server.",
                );
            }
            if !server.to_custom().has_files(language) {
                let problem = "is needed: no files of this language are known. Give their extensions, such as `[\".py\"]`.";
                return wrong(format!("{place}.extensions"), problem);
            }
        }
        Ok(())
    }

    /// As the servers take them.
    pub(crate) fn to_options(&self) -> tenon_lsp::LspOptions {
        let servers = self.servers.iter();
        let servers = servers.map(|(language, server)| (language.clone(), server.to_custom()));
        tenon_lsp::LspOptions {
            servers: servers.collect(),
            trusted: self.trust_workspace,
            ..tenon_lsp::LspOptions::default()
        }
    }
}

impl LspServerOptions {
    fn to_custom(&self) -> CustomServer {
        let server = self.clone();
        CustomServer {
            command: server.command,
            arguments: server.args,
            extensions: server.extensions,
            initialization_options: server.initialization_options,
            settings: server.settings,
            environment: server.env,
            install: server.install,
        }
    }
}
