//! Limits of calls and commands, and what is reported of commands.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tenon_contract::limits;
use tenon_process::CommandLimits;
use tenon_sessions::{AgentLimits, Budget};

use super::within::{Amount, Within};

/// Smallest limit of memory: with less than this, no shell starts.
const MEMORY_MIN_BYTES: u64 = 1 << 20;

/// What is reported of commands.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExecOptions {
    /// Whether a result reports which files of the workspace were created, changed or deleted while the command ran, by
    /// comparing them before and after (at most 100000 that searches see, at most 2 seconds each time). From the first
    /// checkpoint on they are copied beforehand too, so that `rollback` takes back what commands did: at most 50000 files
    /// and 256 MiB, 16 MiB each, 2 seconds for what is new. What is not restorable is named. Default: false.
    #[serde(default)]
    pub changes: bool,
    /// How the output of a command is shown to the model. `details` are exact in both. Default: `condensed`.
    pub output: Option<OutputName>,
}

/// How the output of a command is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputName {
    /// Progress and repeated lines are folded, and of long output the lines are chosen by their value, errors first.
    Condensed,
    /// As it was written, without the middle of long output.
    Exact,
}

/// Limits of every call.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LimitOptions {
    /// Longest time of one call in milliseconds; commands may name their own. Default: 120000.
    pub timeout_ms: Option<Within<u64, 1>>,
    /// Bytes of the output of a command that a result keeps, half from its start and half from its end; of
    /// standard output and standard error each where they are separate. Default: 51200.
    #[serde(alias = "output_limit_bytes")]
    pub output_limit_bytes: Option<Within<usize, 1, { limits::ANSWER_MAX_BYTES as u64 }>>,
    /// Most tokens of the text of a result, as `estimateTokens` counts them. What does not fit is chosen by its value
    /// (errors, matches and changed lines first) and kept under an address that `read` and `grep` open. Default: no limit;
    /// 10000 for commands.
    #[serde(alias = "max_tokens")]
    pub max_tokens: Option<Within<usize, { limits::BUDGET_MIN_TOKENS as u64 }>>,
    /// Whether tools whose results can be long take a parameter by which the model asks for a shorter one (`maxTokens`,
    /// `max_tokens` in `canonical` and `coder`). `maxTokens` of the options holds in any case. It costs 30 tokens for each of
    /// these tools in every request. Default: `false`.
    #[serde(default, alias = "max_tokens_by_model")]
    pub max_tokens_by_model: bool,
    /// What the processes of one command together may use. Kept by the helper program (Linux); where there is none,
    /// commands are refused as long as a limit is set. Default: no limits.
    #[serde(default)]
    pub command: CommandLimitOptions,
    /// How many sub-agents there may be, and what each run of one may use.
    #[serde(default)]
    pub agents: AgentLimitOptions,
}

/// How many sub-agents there may be, and what each run of one may use.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentLimitOptions {
    /// Sub-agents of one tree that run at a time; further ones wait. Default: 4.
    pub max_concurrent: Option<Within<usize, 1, 1000>>,
    /// How deep sub-agents may start further ones; 0: none at all. Default: 2.
    pub max_depth: Option<Within<usize, 0, 10>>,
    /// Sub-agents of one tree that run or wait. Default: 100.
    pub max_total: Option<Within<usize, 1, 1000>>,
    /// Time limit of a run that names none, in milliseconds; 0: none. Default: 0.
    pub timeout_ms: Option<u64>,
    /// What each run may use: `toolCalls`, `bytes` of results and `wallMs` are counted here, `tokens`, `turns` and `usd` as
    /// the host reports them.
    pub budget: Option<BudgetOptions>,
}

/// What one run of a sub-agent may use.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BudgetOptions {
    /// Calls of tools.
    pub tool_calls: Option<u64>,
    /// Bytes of results of tools.
    pub bytes: Option<u64>,
    /// Wall time in milliseconds.
    pub wall_ms: Option<u64>,
    /// Tokens, as `usage.tokens` of the host counts them.
    pub tokens: Option<u64>,
    /// Turns of the model, as the host reports them.
    pub turns: Option<u64>,
    /// Cost, as `usage.usd` of the host counts it.
    pub usd: Option<Amount>,
}

impl AgentLimitOptions {
    /// The limits that hold.
    pub(crate) fn to_limits(self) -> AgentLimits {
        let usual = AgentLimits::default();
        let budget = self.budget.unwrap_or_default();
        AgentLimits {
            max_concurrent: self
                .max_concurrent
                .map_or(usual.max_concurrent, Within::get),
            max_depth: self.max_depth.map_or(usual.max_depth, Within::get),
            max_total: self.max_total.map_or(usual.max_total, Within::get),
            timeout: self
                .timeout_ms
                .filter(|limit| *limit > 0)
                .map(Duration::from_millis),
            budget: Budget {
                tool_calls: budget.tool_calls,
                bytes: budget.bytes,
                wall_ms: budget.wall_ms,
                tokens: budget.tokens,
                turns: budget.turns,
                usd: budget.usd.map(Amount::get),
            },
        }
    }
}

/// What the processes of one command together may use, measured 40 times a second. A command that exceeds a limit is
/// killed with all its processes, and its result says which limit that was.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CommandLimitOptions {
    /// Memory in bytes; what processes share counts once. Default: no limit.
    pub memory_bytes: Option<Within<u64, MEMORY_MIN_BYTES>>,
    /// Processor time in seconds, that of processes included that have ended. Default: no limit.
    pub cpu_seconds: Option<Within<u64, 1>>,
    /// How many processes may live at a time, the shell included. Default: no limit.
    pub processes: Option<Within<u64, 1>>,
    /// Size in bytes of the largest file that may be written; the system refuses more. Default: no limit.
    pub file_bytes: Option<Within<u64, 1>>,
}

impl CommandLimitOptions {
    pub(super) fn limits(self) -> CommandLimits {
        CommandLimits {
            memory_bytes: self.memory_bytes.map(Within::get),
            cpu_seconds: self.cpu_seconds.map(Within::get),
            processes: self.processes.map(Within::get),
            file_bytes: self.file_bytes.map(Within::get),
        }
    }
}
