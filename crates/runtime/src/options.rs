//! The data part of what a host hands to `new Toolkit(options)`; its functions are [`crate::HostCallbacks`].

mod bounds;
mod browser;
mod canvas;
mod commands;
mod cron;
mod edits;
mod memory;
mod record;
mod redact;
mod sandbox;
mod search;
mod session;
mod skills;
mod taint;
mod undo;
mod web;
mod within;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{ErrorCode, Operation, ToolError};
use tenon_dialects::{AgentKind, DialectId};
use tenon_policy::ProgramRow;
pub use tenon_policy::{ModeName, PermissionOptions, RuleObject, RuleOption};
use tenon_tools::EditRules;

use crate::hooks::HookOption;
use crate::lsp_options::LspOptions;
use crate::permission_mode::PermissionMode;
use crate::programs::KnownPrograms;
use crate::settings::SettingsOption;
pub use bounds::{
    AgentLimitOptions, BudgetOptions, CommandLimitOptions, ExecOptions, LimitOptions, OutputName,
};
pub use browser::{BrowserOption, BrowserOptions, BrowserWindow, BrowserWrites};
pub use canvas::{CanvasBrowserOptions, CanvasOption, CanvasOptions};
pub use cron::{CronOptions, Rights};
pub use edits::{EditOptions, PlaceholderStrictness, SyntaxStrictness};
pub use memory::MemoryOptions;
pub use record::{RecordOption, RecordOptions};
pub use redact::{RedactOption, RedactOptions, RedactPattern, VariablesShown};
pub use sandbox::{NetworkOption, SandboxMode, SandboxOption, SandboxOptions, SandboxRequirement};
pub use search::{IndexMode, SearchOptions};
pub use session::{SessionOptions, SessionsOptions, VisibilityName};
pub use skills::SkillOptions;
pub use taint::{TaintName, TaintOption};
pub use undo::{UndoOption, UndoOptions};
pub use web::{
    Hidden, ProxyOption, ProxyOptions, ProxyResolution, WebFetchOptions, WebOptions,
    WebSearchOptions, WebSearchProvider,
};
pub use within::{Amount, Within};

/// Options of a toolkit.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// The root directory that every path is relative to and stays inside. Must exist.
    pub workspace: PathBuf,
    /// More directories that may be read and written: by absolute path, or from the directory of the process.
    #[serde(default)]
    pub additional_directories: Vec<PathBuf>,
    /// The vocabulary of the tools. Default: `agent`.
    #[serde(default)]
    pub dialect: DialectId,
    /// Only for `canonical`: exposes the tools up to this level (1 to 3). Default: every tool.
    pub level: Option<Within<u8, 1, 3>>,
    /// Which tools exist for the agent.
    #[serde(default)]
    pub tools: ToolOptions,
    /// Who may do what.
    #[serde(default)]
    pub permissions: PermissionOptions,
    /// The permission mode to begin with. Default: `default`.
    pub mode: Option<PermissionMode>,
    /// Whether `setMode('bypass')` is allowed later. Default: only where `mode` is `bypass`.
    #[serde(default)]
    pub allow_bypass: bool,
    /// Rules for edits, writes and patches.
    #[serde(default)]
    pub edits: EditOptions,
    /// Settings files, named by the host, or settings themselves.
    pub settings: Option<SettingsOption>,
    /// What programs of yours do with files, options and other programs, in the form of tenon's own catalogue of programs
    /// (docs/programs.md). A row takes the place of the one that tenon has for its name; its examples are checked.
    #[serde(default)]
    pub programs: Vec<ProgramRow>,
    /// Those and the rows of settings, once they are checked.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) known_programs: KnownPrograms,
    /// Names of tools that the host registers later, so that rules may name them.
    #[serde(default)]
    pub custom_tools: Vec<String>,
    /// Limits of every call.
    #[serde(default)]
    pub limits: LimitOptions,
    /// The shell of commands. Default: that of the dialect: `/bin/sh -lc` in `coder`, else `bash -c`, or `sh -c`
    /// where there is no bash; PowerShell or cmd on Windows.
    pub shell: Option<ShellOptions>,
    /// What commands may do to the system: `off`, `read-only`, `workspace-write`, or `{ mode, network, require }`.
    /// Default: `off`.
    pub sandbox: Option<SandboxOption>,
    /// What is reported of commands.
    #[serde(default)]
    pub exec: ExecOptions,
    /// Whether secrets are taken out of results: `true`, `false`, or how. Each becomes a mark such as `[redacted: GitHub
    /// token, 40 characters]`; edits and writes put back what a mark stands for. Default: `true`.
    pub redact: Option<RedactOption>,
    /// Whether results carry where their text comes from (`network`, `mcp`, `untracked`). `record`: they do, and rules may
    /// depend on it (`Bash after network`). `true` or `ask`: commands, messages, network writes and writes outside of the
    /// workspace require approval, too, once such text was read. Default: `false`; rules with a condition record it themselves.
    pub taint: Option<TaintOption>,
    /// The environment of commands.
    #[serde(default)]
    pub env: EnvironmentOptions,
    /// What happens to processes that a command leaves running. Default: `adopt` where the agent has a tool to manage
    /// them (`process`, `BashOutput`), else `end`.
    pub leftovers: Option<LeftoversName>,
    /// What happens to a command that times out. Default: `end`.
    pub on_timeout: Option<OnTimeoutName>,
    /// Searches.
    #[serde(default)]
    pub search: SearchOptions,
    /// Language servers.
    #[serde(default)]
    pub lsp: LspOptions,
    /// Web pages and web search.
    #[serde(default)]
    pub web: WebOptions,
    /// The browser: `true`, or how it is used. Default: none.
    pub browser: Option<BrowserOption>,
    /// Whether the agent can show pages to the user (`canvas`). Default: `false`.
    pub canvas: Option<CanvasOption>,
    /// Notes that outlive a session (`memory`): the directory that is `/memories` for the model. Default: no such tool.
    pub memory: Option<MemoryOptions>,
    /// Where to find skills.
    #[serde(default)]
    pub skills: SkillOptions,
    /// The session that calls belong to.
    #[serde(default)]
    pub session: SessionOptions,
    /// Whether calls can be undone, and how much of old file contents is kept for that. Default: `true`.
    pub undo: Option<UndoOption>,
    /// Which ids make a call with the id of an earlier one return what that returned, and fail if its tool or parameters are
    /// others. Default: `unique_ids`.
    pub repeats: Option<RepeatsName>,
    /// Which sessions the tools for sessions see.
    #[serde(default)]
    pub sessions: SessionsOptions,
    /// The time zone of the user, which the facade knows.
    #[serde(default)]
    #[schemars(skip)]
    pub time_zone: Option<String>,
    /// Scheduled jobs.
    pub cron: Option<CronOptions>,
    /// What else has to permit a call, beside these options: the rights of those on whose behalf calls are made.
    #[serde(default)]
    #[schemars(skip)]
    pub narrowed_by: Vec<Rights>,
    /// A file to which every event of the toolkit is appended, a JSON object a line, for its user alone. Never inside
    /// of what tools may write, if its content is to be trusted.
    pub record: Option<RecordOption>,
    /// The hooks, which the facade takes out of `hooks`.
    #[serde(default)]
    #[schemars(skip)]
    pub hooks: Vec<HookOption>,
    /// The agents of the host, which the facade takes out of `host.agents`.
    #[serde(default)]
    #[schemars(skip)]
    pub agents: Vec<AgentOption>,
    /// The channels of the host, which the facade takes out of `host.channels` where that is a list.
    #[serde(default)]
    #[schemars(skip)]
    pub channels: Vec<AgentOption>,
}

/// Which tools exist for the agent: a profile, then `allow`, then `deny`, which always wins.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolOptions {
    /// The set to start from. Default: `full`.
    pub profile: Option<ProfileName>,
    /// Only these of the profile, by any of their names or as `group:name`. Empty: all of them.
    #[serde(default)]
    pub allow: Vec<String>,
    /// None of these.
    #[serde(default)]
    pub deny: Vec<String>,
    /// Built-in tools that the vocabulary does not have by itself, such as `run_tests`, `git_status` or `apply_patch`.
    /// They get a name in its style. Only `deny` keeps them out.
    #[serde(default)]
    pub add: Vec<String>,
    /// Groups of the host: name to members. Lists name them with `group:`, as `group:mine`; here `mine` and `group:mine` are the same.
    #[serde(default)]
    pub groups: BTreeMap<String, Vec<String>>,
    /// Whether tools are shown that cannot work, because a search provider or a part of the host is missing.
    /// Default: `usable`.
    pub show: Option<ShowName>,
}

/// Which tools are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShowName {
    /// Those that can work.
    Usable,
    /// All.
    All,
}

/// An agent to which work can be handed.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentOption {
    /// What the model calls it by.
    pub name: String,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// The tools that it may have, of those that the session has that starts it. Default: the same.
    pub tools: Option<Vec<String>>,
}

/// A named starting set.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProfileName {
    /// The state of the session only.
    Minimal,
    /// Files, search, language servers, commands, sessions.
    Coding,
    /// Messages and sessions.
    Messaging,
    /// Everything.
    Full,
}

/// What happens to processes that a command leaves running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LeftoversName {
    /// They keep running as a background session and are killed with the toolkit.
    Adopt,
    /// They are killed with the command.
    End,
}

/// What happens to a command whose time in the foreground is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnTimeoutName {
    /// It is killed, and the call fails with `timeout`.
    End,
    /// It keeps running as a background session.
    Background,
}

/// A shell: the command text is added as its last argument.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShellOptions {
    /// The program: its absolute path, or a name that is searched in `PATH`.
    pub path: PathBuf,
    /// Its arguments before the text, such as `["-c"]`.
    pub args: Vec<String>,
}

/// The environment of commands: an allow list of harmless names passes, secrets never do.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EnvironmentOptions {
    /// Set for every command.
    #[serde(default)]
    pub add: BTreeMap<String, String>,
    /// More names to pass; `AWS_*` and `*` are supported, an exact name passes even a secret.
    #[serde(default)]
    pub pass: Vec<String>,
    /// Names or patterns that never pass.
    #[serde(default)]
    pub drop: Vec<String>,
}

impl EnvironmentOptions {
    /// Refuses variables that no process can have: every command would fail.
    fn check(&self) -> Result<(), ToolError> {
        let wrong = |message: String| {
            let error = ToolError::new(ErrorCode::InvalidParams, message);
            Err(error.with("option", "options.env.add"))
        };
        for (name, value) in &self.add {
            if name.is_empty() || name.contains(['=', '\0']) {
                return wrong(format!(
                    "`env.add` has the name {name:?}. The name of a variable is not empty, and has neither `=` nor a NUL byte."
                ));
            }
            if value.contains('\0') {
                return wrong(format!(
                    "The variable `{name}` of `env.add` contains a NUL byte, which cannot be passed to a process."
                ));
            }
        }
        Ok(())
    }
}

impl Options {
    /// Reads options from JSON.
    ///
    /// # Errors
    /// Unknown or wrong options, by name: a mistyped option is never a silently open door.
    pub fn from_json(json: &str) -> Result<Self, ToolError> {
        let options: Self = crate::faults::read(json, "options")?;
        options.check()?;
        Ok(options)
    }

    fn check(&self) -> Result<(), ToolError> {
        let wrong = |option: &str, message: String| {
            Err(ToolError::new(ErrorCode::InvalidParams, message).with("option", option))
        };
        match self.level {
            Some(_) if self.dialect != DialectId::Canonical => wrong(
                "options.level",
                format!(
                    "`level` is only for the `canonical` dialect; this toolkit uses `{}`.",
                    self.dialect.name()
                ),
            ),
            _ if self
                .session
                .id
                .as_ref()
                .is_some_and(|id| id.trim().is_empty()) =>
            {
                wrong(
                    "options.session.id",
                    "`session.id` is empty. Name the session, or omit it.".to_owned(),
                )
            }
            _ => {
                self.check_paths()?;
                self.env.check()?;
                self.lsp.check()
            }
        }
    }

    /// Refuses paths that would mean something else than a directory of its own.
    fn check_paths(&self) -> Result<(), ToolError> {
        let wrong = |option: &str, message: String| {
            Err(ToolError::new(ErrorCode::InvalidParams, message).with("option", option))
        };
        let is_empty = |memory: &MemoryOptions| memory.directory.trim().is_empty();
        if self.memory.as_ref().is_some_and(is_empty) {
            let message = "`memory.directory` is empty, which would be the whole workspace. Name a directory, or omit `memory`.";
            return wrong("options.memory.directory", message.to_owned());
        }
        let is_file = |memory: &MemoryOptions| {
            let place = self.workspace.join(&memory.directory);
            place.metadata().is_ok_and(|metadata| !metadata.is_dir())
        };
        if let Some(memory) = self.memory.as_ref().filter(|memory| is_file(memory)) {
            let message = format!(
                "`memory.directory` must be a directory; `{}` is a file.",
                memory.directory
            );
            return wrong("options.memory.directory", message);
        }
        Ok(())
    }

    /// What a name means in rules and lists: an operation, as the dialect understands it, or a tool that the host said
    /// it would bring.
    pub(crate) fn meaning(&self) -> impl Fn(&str) -> Option<Operation> + use<> {
        let dialect = self.dialect.dialect();
        let own = self.custom_tools.clone();
        move |name| {
            let is_own = || own.iter().any(|own| own == name);
            let known = dialect.operation_named(name);
            known.or_else(|| is_own().then_some(Operation::Foreign))
        }
    }

    /// The agents of the host.
    pub(crate) fn agent_kinds(&self) -> Vec<AgentKind> {
        let kinds = [
            (Operation::Task, &self.agents),
            (Operation::Message, &self.channels),
        ];
        let kind = |operation, agent: &AgentOption| AgentKind {
            operation,
            name: agent.name.clone(),
            description: agent.description.clone(),
        };
        let all = kinds
            .into_iter()
            .flat_map(|(operation, named)| named.iter().map(move |agent| kind(operation, agent)));
        all.collect()
    }

    /// Whether the host has turned the browser on.
    pub(crate) fn has_browser(&self) -> bool {
        let browser = self.browser.as_ref();
        browser.is_some_and(|browser| browser.settings().is_some())
    }

    /// Longest time of a call, where the host has set one.
    pub(crate) fn time_limit(&self) -> Option<Duration> {
        self.limits.timeout_ms.map(Within::millis)
    }

    pub(crate) const fn edit_rules(&self) -> EditRules {
        self.edits.rules()
    }
}

/// Which ids mean the same call when they come again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RepeatsName {
    /// Those that look unique (`toolu_…`, `call_…`, a UUID). Ids such as `call_0`, which some frameworks use again in each run,
    /// mean nothing.
    #[default]
    UniqueIds,
    /// Every id.
    AllIds,
    /// None: every call runs.
    Off,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_option_is_named_with_its_place() {
        let message = |json: &str| Options::from_json(json).unwrap_err().message;
        assert_eq!(message("{}"), "`workspace` is required (string).");
        assert_eq!(
            message(r#"{"worksapce": "/"}"#),
            "Unknown option `worksapce`. Did you mean `workspace`?"
        );
        assert_eq!(
            message(r#"{"workspace": "/", "limits": {"timeoutMs": "5"}}"#),
            "`limits.timeoutMs` must be an integer, not a string."
        );
        assert_eq!(
            message(r#"{"workspace": "/", "env": {"add": {"A=B": "x"}}}"#),
            "`env.add` has the name \"A=B\". The name of a variable is not empty, and has neither `=` nor a NUL byte."
        );
        assert_eq!(
            message(r#"{"workspace": "/", "env": {"add": {"A": "x\u0000"}}}"#),
            "The variable `A` of `env.add` contains a NUL byte, which cannot be passed to a process."
        );
        assert_eq!(
            message(r#"{"workspace": "/", "lsp": {"servers": {"python": {"command": ""}}}}"#),
            "`lsp.servers.python.command` is empty; name the program of the server."
        );
        assert_eq!(
            message(r#"{"workspace": "/", "lsp": {"servers": {"klingon": {"command": "cat"}}}}"#),
            "`lsp.servers.klingon.extensions` is needed: no files of this language are known. Give their extensions, such as `[\".py\"]`."
        );
        // What the facade hands over is not named as unknown beside it.
        assert_eq!(
            message(
                r#"{"workspace": "/", "limits": {"timeoutMs": "5"}, "hooks": [], "agents": [], "channels": []}"#
            ),
            "`limits.timeoutMs` must be an integer, not a string."
        );
        assert_eq!(
            message(r#"{"workspace": "/", "level": 2}"#),
            "`level` is only for the `canonical` dialect; this toolkit uses `agent`."
        );
    }
}
