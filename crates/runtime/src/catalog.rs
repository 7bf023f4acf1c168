//! One tool as hosts see it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tenon_contract::{Effect, Operation, Repetition};
use tenon_dialects::{Category, DialectId, ShownTool};

/// Everything about a tool that does not need a call.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CatalogEntry {
    /// What the model calls.
    pub name: Cow<'static, str>,
    /// What a user sees.
    pub label: Cow<'static, str>,
    /// What the model reads about it.
    pub description: Cow<'static, str>,
    /// JSON Schema of its parameters.
    pub parameters: Cow<'static, Value>,
    /// Where a registry files it.
    pub category: Category,
    /// The group that exposure lists know it by, without `group:`.
    pub group: Cow<'static, str>,
    /// Hints of the Model Context Protocol.
    pub annotations: Annotations,
    /// `{operation, dialect}`.
    pub metadata: Metadata,
    /// Whether calls of one batch may run side by side.
    pub execution_mode: ExecutionMode,
    /// Whether a call may be repeated when its outcome is unknown.
    pub replay: Replay,
    /// JSON Schema of `details`, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Cow<'static, Value>>,
    /// `network` where the text of results comes from other machines and is not to be trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_content_source: Option<&'static str>,
}

/// Hints of the Model Context Protocol; hints, never a grant.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    /// What a user sees.
    pub title: Cow<'static, str>,
    /// It changes nothing.
    pub read_only_hint: bool,
    /// It may destroy something.
    pub destructive_hint: bool,
    /// A second call with the same parameters changes nothing more.
    pub idempotent_hint: bool,
    /// It deals with the world outside the workspace.
    pub open_world_hint: bool,
}

/// Which operation in which dialect.
#[derive(Debug, Clone, Serialize)]
pub struct Metadata {
    /// The capability behind the tool.
    pub operation: Operation,
    /// The vocabulary it belongs to.
    pub dialect: &'static str,
    /// What it means to make the same call once more.
    pub repetition: Repetition,
    /// What the host wants to know of its own tools.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Whether calls of one batch may run side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExecutionMode {
    /// They may: writers of one file wait for each other by themselves.
    Parallel,
    /// One after the other.
    Sequential,
}

/// Whether a call may be repeated when its outcome is unknown after a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Replay {
    /// It may.
    Safe,
    /// It may not.
    Never,
}

impl CatalogEntry {
    pub(crate) fn new(shown: &ShownTool, dialect: DialectId) -> Self {
        let binding = shown.binding();
        let effect = binding.operation.effect();
        // A tool that answers questions about code may also change it where it is filed as one that does.
        let changes_code = binding.category == Category::Refactoring;
        // What is sent and pressed on the web is done there, though nothing of this machine changes.
        let changes_web =
            effect == Effect::Network && binding.operation.repetition() != Repetition::Pure;
        let reads_only = match effect {
            Effect::Observe => !changes_code,
            Effect::Network => !changes_web,
            _ => false,
        };
        // What another agent does is known as little as what a foreign tool does.
        let starts_agents = matches!(
            binding.operation,
            Operation::Task | Operation::SessionsSpawn | Operation::SessionsSend
        );
        let unknown = effect == Effect::Unknown || starts_agents;
        Self {
            name: binding.name.into(),
            label: binding.label.into(),
            description: shown.description().into(),
            parameters: shown.params_schema().clone(),
            category: binding.category,
            group: binding.operation.group().name().into(),
            annotations: Annotations {
                title: binding.label.into(),
                // A question changes nothing, though a user is bothered with it.
                read_only_hint: reads_only || binding.operation == Operation::AskUser,
                destructive_hint: unknown
                    || changes_code
                    || changes_web
                    || matches!(effect, Effect::Mutate | Effect::Execute)
                    || matches!(binding.operation, Operation::Cron | Operation::Subagents),
                idempotent_hint: reads_only
                    || matches!(binding.operation, Operation::Write | Operation::TodoWrite),
                open_world_hint: unknown
                    || matches!(effect, Effect::Network | Effect::Execute)
                    || binding.operation == Operation::Message,
            },
            metadata: Metadata {
                operation: binding.operation,
                dialect: dialect.name(),
                repetition: binding.operation.repetition(),
                more: examples_of(dialect, binding.name),
            },
            execution_mode: ExecutionMode::Parallel,
            replay: if reads_only {
                Replay::Safe
            } else {
                Replay::Never
            },
            output_schema: Some(Cow::Borrowed(binding.output_schema())),
            result_content_source: (effect == Effect::Network).then_some("network"),
        }
    }
}

/// `{examples}`, where the vocabulary has its tools bring such.
fn examples_of(dialect: DialectId, tool: &str) -> Map<String, Value> {
    let examples = dialect.examples(tool);
    let entry = (!examples.is_empty()).then(|| ("examples".to_owned(), Value::from(examples)));
    entry.into_iter().collect()
}
