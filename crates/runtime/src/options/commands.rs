//! What the options say about commands.

use std::ffi::OsString;
use std::path::Path;

use tenon_contract::{ToolError, limits};
use tenon_dialects::CommandShell;
use tenon_process::{EnvironmentRules, Leftovers, ProcessOptions, Shell};
use tenon_tools::{ExecuteDefaults, OnTimeout, OutputStyle};
use tenon_workspace::Workspace;

use super::within::Within;
use super::{LeftoversName, OnTimeoutName, Options, OutputName};
use crate::web::Web;

impl Options {
    /// The shell of commands: the host's, else that of the dialect.
    pub(crate) fn shell(&self) -> Shell {
        match (&self.shell, self.dialect.dialect().shell) {
            (Some(shell), _) => Shell::new(shell.path.clone(), shell.args.clone()),
            (None, CommandShell::PosixLogin) if cfg!(unix) => Shell::posix_login(),
            (None, CommandShell::PosixLogin | CommandShell::Usual) => Shell::default_shell(),
        }
    }

    /// What holds for every command that does not say otherwise. `adopts` is whether the agent has a tool for what
    /// runs in the background.
    ///
    /// # Errors
    /// A sandbox that names no hosts.
    pub(crate) fn commands(
        &self,
        adopts: bool,
        workspace: &Workspace,
        web: &Web,
    ) -> Result<ExecuteDefaults, ToolError> {
        let roots = || workspace.roots().map(Path::to_owned).collect();
        let sandbox = match &self.sandbox {
            Some(sandbox) => sandbox.sandbox(roots(), &web.reach)?,
            None => None,
        };
        Ok(ExecuteDefaults {
            shell: self.shell(),
            timeout: self.time_limit().unwrap_or(limits::CALL_TIMEOUT),
            output_bytes: self
                .limits
                .output_limit_bytes
                .map_or(limits::EXECUTE_OUTPUT_MAX_BYTES, Within::get),
            leftovers: match self.leftovers {
                Some(LeftoversName::Adopt) => Leftovers::Adopt,
                Some(LeftoversName::End) => Leftovers::End,
                None if adopts => Leftovers::Adopt,
                None => Leftovers::End,
            },
            on_timeout: match self.on_timeout {
                Some(OnTimeoutName::Background) => OnTimeout::Background,
                Some(OnTimeoutName::End) | None => OnTimeout::End,
            },
            limits: self.limits.command.limits(),
            sandbox,
            report_changes: self.exec.changes,
            output: OutputStyle {
                max_tokens: (self.exec.output != Some(OutputName::Exact)).then(|| {
                    let usual = limits::EXECUTE_OUTPUT_MAX_TOKENS;
                    self.limits
                        .max_tokens
                        .map_or(usual, |most| most.get().min(usual))
                }),
            },
            redactor: None,
        })
    }

    /// What every process of the toolkit gets.
    pub(crate) fn processes(&self) -> ProcessOptions {
        ProcessOptions {
            environment: self.environment(),
            ..ProcessOptions::default()
        }
    }

    /// The variables of every process.
    pub(crate) fn environment(&self) -> EnvironmentRules {
        let add = self.env.add.iter();
        EnvironmentRules {
            add: add
                .map(|(name, value)| (name.clone(), OsString::from(value)))
                .collect(),
            pass: self.env.pass.clone(),
            drop: self.env.drop.clone(),
        }
    }
}
