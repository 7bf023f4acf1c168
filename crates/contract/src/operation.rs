//! The closed list of capabilities, and the words policy uses for sets of them.

use serde::{Deserialize, Serialize};

/// Defines [`Operation`] with its wire name, effect, group and repetition in one table, so that none can be forgotten.
macro_rules! operations {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $effect:ident, $group:ident, $repetition:ident;)*) => {
        /// One capability of the core. A dialect shows it under a name of its own; rules, history
        /// and exposure lists mean the operation, so that denying it binds every spelling.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Operation { $($(#[$doc])* $variant,)* }

        impl Operation {
            /// Every operation, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name that rules, telemetry and documentation use, in `snake_case`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What kind of trace the operation leaves on the world.
            #[must_use]
            pub const fn effect(self) -> Effect {
                match self { $(Self::$variant => Effect::$effect,)* }
            }

            /// The set of operations that exposure lists know it by (`group:fs`).
            #[must_use]
            pub const fn group(self) -> Group {
                match self { $(Self::$variant => Group::$group,)* }
            }

            /// What it means to make the same call once more.
            #[must_use]
            pub const fn repetition(self) -> Repetition {
                match self { $(Self::$variant => Repetition::$repetition,)* }
            }
        }
    };
}

operations! {
    /// Reads a file, or a page of it.
    Read = "read", Observe, Fs, Pure;
    /// Creates a file or replaces its whole content.
    Write = "write", Mutate, Fs, Repeatable;
    /// Replaces passages of a file.
    Edit = "edit", Mutate, Fs, Repeatable;
    /// Applies a patch over one or several files.
    Patch = "patch", Mutate, Fs, Repeatable;
    /// Deletes a file.
    Delete = "delete", Mutate, Fs, Repeatable;
    /// Changes a cell of a notebook.
    NotebookEdit = "notebook_edit", Mutate, Fs, Repeatable;
    /// Lists a directory.
    List = "list", Observe, Search, Pure;
    /// Finds files by the form of their path.
    Find = "find", Observe, Search, Pure;
    /// Searches the content of files.
    Grep = "grep", Observe, Search, Pure;
    /// Runs a command.
    Execute = "execute", Execute, Runtime, Once;
    /// Looks after commands that run in the background.
    Process = "process", Execute, Runtime, Once;
    /// Runs the project's tests.
    RunTests = "run_tests", Execute, Runtime, Once;
    /// Asks a language server.
    Lsp = "lsp", Observe, Lsp, Repeatable;
    /// Collects compiler and linter findings.
    Diagnostics = "diagnostics", Observe, Lsp, Pure;
    /// Reports the state of the git repository.
    GitStatus = "git_status", Observe, Git, Pure;
    /// Reads the task list.
    TodoRead = "todo_read", Observe, Planning, Pure;
    /// Replaces the task list.
    TodoWrite = "todo_write", Converse, Planning, Repeatable;
    /// Keeps notes that outlive the session.
    Memory = "memory", Mutate, Planning, Repeatable;
    /// Lists skills, or loads one.
    Skill = "skill", Observe, Planning, Pure;
    /// Hands a piece of work to a sub-agent.
    Task = "task", Converse, Planning, Once;
    /// Asks the user a question.
    AskUser = "ask_user", Converse, Planning, Once;
    /// Presents a finished plan for approval and ends the mode `plan`.
    ExitPlan = "exit_plan", Converse, Planning, Once;
    /// Fetches a page and reads it.
    WebFetch = "web_fetch", Network, Web, Pure;
    /// Asks a search provider.
    WebSearch = "web_search", Network, Web, Pure;
    /// Sends an HTTP request of any method.
    WebRequest = "web_request", Network, Web, Once;
    /// Lists sessions.
    SessionsList = "sessions_list", Observe, Sessions, Pure;
    /// Sends a message into a session.
    SessionsSend = "sessions_send", Converse, Sessions, Once;
    /// Starts a session.
    SessionsSpawn = "sessions_spawn", Converse, Sessions, Once;
    /// Lists, waits for and stops the sessions that this one has started.
    Subagents = "subagents", Converse, Sessions, Once;
    /// Reads what was said in a session.
    SessionsHistory = "sessions_history", Observe, Sessions, Pure;
    /// Reports how a session stands.
    SessionStatus = "session_status", Observe, Status, Pure;
    /// Sends a message over a channel.
    Message = "message", Converse, Messaging, Once;
    /// Keeps scheduled jobs.
    Cron = "cron", Converse, Automation, Once;
    /// Drives a browser.
    Browser = "browser", Network, Ui, Once;
    /// Shows an HTML surface.
    Canvas = "canvas", Converse, Ui, Once;
    /// A tool that the host or an MCP server brought; what it does is not known to the core.
    Foreign = "foreign", Unknown, Foreign, Once;
}

impl Operation {
    /// The operation of this exact [`name`](Self::name). Spellings of dialects are resolved by `tenon-dialects`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|operation| operation.name() == name)
    }
}

/// A name of a tool without case, `_`, `-` and whitespace: `ApplyPatch`, `apply-patch` and `apply_patch` are one.
#[must_use]
pub fn normalise(name: &str) -> String {
    normal_letters(name).collect()
}

/// Whether a name has this normal form ([`normalise`]): names are compared with each known one.
///
/// ```
/// assert!(tenon_contract::has_normal_form("apply-Patch", "applypatch"));
/// assert!(!tenon_contract::has_normal_form("apply", "applypatch"));
/// ```
#[must_use]
pub fn has_normal_form(name: &str, normal: &str) -> bool {
    normal_letters(name).eq(normal.chars())
}

fn normal_letters(name: &str) -> impl Iterator<Item = char> {
    name.chars()
        .filter(|letter| !matches!(letter, '_' | '-' | ' '))
        .flat_map(char::to_lowercase)
}

/// The agent that does what names none.
pub const DEFAULT_AGENT: &str = "default";

/// What kind of trace an operation leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Looks only; may be repeated freely.
    Observe,
    /// Changes files of the workspace.
    Mutate,
    /// Runs programs.
    Execute,
    /// Reaches other machines.
    Network,
    /// Speaks with a user, another agent or the session itself.
    Converse,
    /// Not known: a foreign tool that declared nothing.
    Unknown,
}

/// What it means to make the same call once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repetition {
    /// It changes nothing, as often as it is made.
    Pure,
    /// It changes only the workspace and the session: from the same beginning, to the same end.
    Repeatable,
    /// What it does in the world is done again.
    Once,
}

/// A named set of operations, written `group:fs` in exposure lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// read, write, edit, patch and their kin.
    Fs,
    /// ls, find, grep.
    Search,
    /// exec, process, test runs.
    Runtime,
    /// web_search, web_fetch, web_request.
    Web,
    /// Sessions and sub-agents.
    Sessions,
    /// The state of the current session, which even the smallest profile shows.
    Status,
    /// Messages over channels.
    Messaging,
    /// Language servers and diagnostics.
    Lsp,
    /// Version control.
    Git,
    /// Task lists, skills, questions.
    Planning,
    /// Scheduled jobs.
    Automation,
    /// Browser and canvas.
    Ui,
    /// What hosts and MCP servers bring.
    Foreign,
}

impl Group {
    /// The name after `group:`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fs => "fs",
            Self::Search => "search",
            Self::Runtime => "runtime",
            Self::Web => "web",
            Self::Sessions => "sessions",
            Self::Status => "status",
            Self::Messaging => "messaging",
            Self::Lsp => "lsp",
            Self::Git => "git",
            Self::Planning => "planning",
            Self::Automation => "automation",
            Self::Ui => "ui",
            Self::Foreign => "foreign",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_lead_back_to_their_operation() {
        let found: Vec<_> = Operation::ALL
            .iter()
            .map(|operation| Operation::from_name(operation.name()))
            .collect();
        let expected: Vec<_> = Operation::ALL.iter().copied().map(Some).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_serialised_form_is_the_name() {
        for operation in Operation::ALL {
            assert_eq!(serde_json::to_value(operation).unwrap(), operation.name());
        }
    }
}
