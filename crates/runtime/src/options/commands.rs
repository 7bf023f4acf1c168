//! What the options say about commands.

use std::ffi::OsString;

use tenon_contract::limits;
use tenon_dialects::CommandShell;
use tenon_process::{EnvironmentRules, Leftovers, ProcessOptions, Shell};
use tenon_tools::{ExecuteDefaults, OnTimeout};

use super::{LeftoversName, OnTimeoutName, Options};

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
    pub(crate) fn commands(&self, adopts: bool) -> ExecuteDefaults {
        ExecuteDefaults {
            shell: self.shell(),
            timeout: self.time_limit().unwrap_or(limits::CALL_TIMEOUT),
            output_bytes: self
                .limits
                .output_limit_bytes
                .unwrap_or(limits::EXECUTE_OUTPUT_MAX_BYTES),
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
        }
    }

    /// What every process of the toolkit gets.
    pub(crate) fn processes(&self) -> ProcessOptions {
        let add = self
            .env
            .add
            .iter()
            .map(|(name, value)| (name.clone(), OsString::from(value)))
            .collect();
        ProcessOptions {
            environment: EnvironmentRules {
                add,
                pass: self.env.pass.clone(),
                drop: self.env.drop.clone(),
            },
            ..ProcessOptions::default()
        }
    }
}
