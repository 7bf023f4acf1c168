//! Scheduled jobs as the `agent` dialect renders them.

use tenon_contract::Operation;
use tenon_tools::CronParams;

use crate::automation::CronAnswer;
use crate::binding::{Category, ParamsCodec, ToolBinding};
use crate::schema_source::SchemaSource;
use crate::{Field, Renderer};

/// The row of `cron`.
pub(super) const CRON: ToolBinding = ToolBinding {
    operation: Operation::Cron,
    name: "cron",
    label: "Scheduled jobs",
    description: include_str!("descriptions/cron.md"),
    category: Category::Session,
    level: 0,
    params: ParamsCodec::Fields(&[
        Field::same("action").describe("What to do."),
        Field::renamed("jobId", "job_id").aliases(&["id", "job"]),
        Field::same("name").aliases(&["title", "label"]),
        Field::same("prompt").aliases(&["message", "task", "instructions", "text"]),
        Field::same("agent").aliases(&["agentId", "subagent_type"]),
        Field::same("data"),
        Field::same("schedule").aliases(&["cron", "expr", "expression", "when"]),
        Field::same("tz").aliases(&["timezone"]),
        Field::same("overlap").aliases(&["concurrencyPolicy"]).describe(
            "When an earlier run is still running: skip this one, queue it (at most one waits), replace the earlier one, or allow both. Default: `skip`.",
        ),
        Field::renamed("catchUp", "catch_up").describe(
            "Which missed occurrences run later: `last` is one run for all of them, `all` one for each (at most 20). Default: `last`.",
        ),
        Field::same("window"),
        Field::same("jitter").aliases(&["jitterSeconds"]),
        Field::same("timeout").aliases(&["timeoutSeconds"]),
        Field::renamed("maxRuns", "max_runs"),
        Field::same("until"),
        Field::same("enabled"),
        Field::same("keep"),
        Field::renamed("retryLost", "retry_lost"),
        Field::same("limit"),
        Field::same("cursor"),
    ]),
    operation_params: SchemaSource::params::<CronParams>(),
    renderer: Renderer::of::<CronAnswer>(),
};
