//! Sessions and sub-agents as the `agent` dialect renders them.

use tenon_contract::Operation;
use tenon_tools::{
    SessionStatusParams, SessionsHistoryParams, SessionsListParams, SessionsSendParams,
    SessionsSpawnParams, SubagentsParams,
};

use crate::binding::{Category, ParamsCodec, ToolBinding};
use crate::planning::TIMEOUT;
use crate::schema_source::SchemaSource;
use crate::sessions::{
    HistoryAnswer, ListAnswer, SendAnswer, SpawnAnswer, StatusAnswer, SubagentsAnswer,
};
use crate::{Field, Renderer};

const SESSION: &[&str] = &[
    "session",
    "session_key",
    "session_name",
    "target",
    "label",
    "agent_id",
];

/// The row of `sessions_spawn`.
pub(super) const SPAWN: ToolBinding = ToolBinding {
    operation: Operation::SessionsSpawn,
    name: "sessions_spawn",
    label: "Start sub-agent",
    description: include_str!("descriptions/sessions_spawn.md"),
    category: Category::Session,
    level: 0,
    params: ParamsCodec::Fields(&[
        Field::same("task").aliases(&["objective", "prompt", "message", "instructions"]),
        Field::same("agent").aliases(&["agent_id", "agent_name", "agent_type", "subagent_type"]),
        Field::same("label"),
        Field::same("name").aliases(&["task_name"]),
        Field::same("timeout").aliases(TIMEOUT),
        Field::same("context").describe(
            "What it knows besides its task: nothing, or with `fork` the history of this session. Default: `isolated`.",
        ),
        Field::same("outputSchema").aliases(&["schema"]),
        Field::same("wait").aliases(&["wait_seconds"]),
    ]),
    operation_params: SchemaSource::params::<SessionsSpawnParams>(),
    renderer: Renderer::of::<SpawnAnswer>(),
};

/// The row of `sessions_send`.
pub(super) const SEND: ToolBinding = ToolBinding {
    operation: Operation::SessionsSend,
    name: "sessions_send",
    label: "Send to session",
    description: include_str!("descriptions/sessions_send.md"),
    category: Category::Session,
    level: 0,
    params: ParamsCodec::Fields(&[
        Field::same("sessionId").aliases(SESSION),
        Field::same("message").aliases(&["content", "text"]),
        Field::same("timeout").aliases(TIMEOUT),
        Field::same("mode").describe(
            "`steer`: into its current run; `followup`: as another run; `notify`: only store it. Default: `auto`, whichever fits.",
        ),
    ]),
    operation_params: SchemaSource::params::<SessionsSendParams>(),
    renderer: Renderer::of::<SendAnswer>(),
};

/// The row of `subagents`.
pub(super) const SUBAGENTS: ToolBinding = ToolBinding {
    operation: Operation::Subagents,
    name: "subagents",
    label: "Sub-agents",
    description: include_str!("descriptions/subagents.md"),
    category: Category::Session,
    level: 0,
    params: ParamsCodec::Fields(&[
        Field::same("action").describe("What to do."),
        Field::same("sessionIds").aliases(&[
            "session_id",
            "sessions",
            "ids",
            "task_ids",
            "task_id",
        ]),
        Field::same("mode")
            .describe("For `wait`: for the first of them, or for all. Default: `any`."),
        Field::same("timeout").aliases(TIMEOUT),
        Field::same("limit"),
    ]),
    operation_params: SchemaSource::params::<SubagentsParams>(),
    renderer: Renderer::of::<SubagentsAnswer>(),
};

/// The row of `sessions_list`.
pub(super) const LIST: ToolBinding = ToolBinding {
    operation: Operation::SessionsList,
    name: "sessions_list",
    label: "List sessions",
    description: include_str!("descriptions/sessions_list.md"),
    category: Category::Session,
    level: 0,
    params: ParamsCodec::Fields(&[
        Field::same("kinds"),
        Field::same("status").describe("Only sessions with this status. `lost`: its process died."),
        Field::same("activeMinutes"),
        Field::same("search"),
        Field::same("limit"),
        Field::same("cursor"),
    ]),
    operation_params: SchemaSource::params::<SessionsListParams>(),
    renderer: Renderer::of::<ListAnswer>(),
};

/// The row of `session_status`.
pub(super) const STATUS: ToolBinding = ToolBinding {
    operation: Operation::SessionStatus,
    name: "session_status",
    label: "Session status",
    description: include_str!("descriptions/session_status.md"),
    category: Category::Session,
    level: 0,
    params: ParamsCodec::Fields(&[
        Field::same("sessionId").aliases(SESSION),
        Field::same("changesSince").aliases(&["since"]),
    ]),
    operation_params: SchemaSource::params::<SessionStatusParams>(),
    renderer: Renderer::of::<StatusAnswer>(),
};

/// The row of `sessions_history`.
pub(super) const HISTORY: ToolBinding = ToolBinding {
    operation: Operation::SessionsHistory,
    name: "sessions_history",
    label: "Session history",
    description: include_str!("descriptions/sessions_history.md"),
    category: Category::Session,
    level: 0,
    params: ParamsCodec::Fields(&[
        Field::same("sessionId").aliases(SESSION),
        Field::same("limit"),
        Field::same("before"),
        Field::same("includeTools"),
        Field::same("query").aliases(&["search"]),
    ]),
    operation_params: SchemaSource::params::<SessionsHistoryParams>(),
    renderer: Renderer::of::<HistoryAnswer>(),
};
