//! Scheduled jobs, and the rights that they keep.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Options, PermissionOptions, ToolOptions};

/// Scheduled jobs.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CronOptions {
    /// Whether this toolkit runs the jobs of its workspace. One that lives for a moment should not. Default: false.
    #[serde(default)]
    pub run: bool,
    /// Whether Node stays alive for jobs to come, until the toolkit is closed. Only with `run`. Default: false.
    #[serde(default)]
    pub keep_alive: bool,
    /// The time zone of schedules that name none. Default: that of the system.
    pub time_zone: Option<String>,
}

/// What somebody is allowed to do, as it is kept for later.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rights {
    /// The rules.
    pub permissions: PermissionOptions,
    /// The lists of tools, all of which hold.
    pub tools: Vec<ToolOptions>,
    /// Whether there was an approver, which decides what holds where no rule matches.
    pub has_approver: bool,
}

impl Options {
    /// What a call by these options may do, as it is kept for later: with the rights that narrow them already.
    pub(crate) fn rights(&self, narrower: &[ToolOptions], has_approver: bool) -> Value {
        let mut tools = vec![self.tools.clone()];
        tools.extend_from_slice(narrower);
        let own = Rights {
            permissions: self.permissions.clone(),
            tools,
            has_approver,
        };
        let all: Vec<&Rights> = self.narrowed_by.iter().chain([&own]).collect();
        // What cannot be written cannot be kept: a job without rights is refused when it runs.
        serde_json::to_value(all).unwrap_or_else(|_| json!(null))
    }
}
