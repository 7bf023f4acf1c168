//! What a host says of a tool that it brings.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use tenon_contract::{Effect, Repetition, ToolError};
use tenon_dialects::{Category, ForeignParams};

use super::effects::DeclaredEffects;
use super::unusable;
use crate::catalog::{Annotations, CatalogEntry, ExecutionMode, Metadata, Replay};

/// Longest name that every model provider takes, in characters.
const NAME_MAX_CHARACTERS: usize = 64;

/// A tool of the host: everything but the function.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForeignDefinition {
    /// What the model calls.
    pub name: String,
    /// What a user sees. Default: the name.
    pub label: Option<String>,
    /// What the model reads about it.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of its parameters.
    pub parameters: Value,
    /// Where a registry files it. Default: `utility`.
    pub category: Option<Category>,
    /// Its group, for people. Default: `foreign`.
    pub group: Option<String>,
    /// Hints of the Model Context Protocol.
    #[serde(default)]
    pub annotations: ForeignAnnotations,
    /// Whatever the host wants to know of it later.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// Whether calls of one batch may run side by side. Default: `parallel`.
    pub execution_mode: Option<ExecutionMode>,
    /// Whether a call may be repeated. Default: `safe` for what only looks.
    pub replay: Option<Replay>,
    /// What it does, and which of its parameters name what it touches. Default: not known.
    pub effects: Option<DeclaredEffects>,
    /// Where its results come from, for hosts that mark what is not to be trusted. Default: `network` for what it reaches.
    pub result_content_source: Option<ContentSource>,
    /// By which name rules know it. Default: its name. For a tool of an MCP server whose own name models cannot be given.
    pub rule_name: Option<String>,
    /// Longest time of one call. Default: that of every call.
    pub timeout_ms: Option<u64>,
    /// The host checks parameters itself; the schema is for the model.
    #[serde(default)]
    pub has_own_check: bool,
    /// The host words the question before a call itself, and may demand one.
    #[serde(default)]
    pub has_own_question: bool,
}

/// Where the results of a tool come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContentSource {
    /// From somewhere else: the one who wrote it is not the user.
    Network,
    /// From an MCP server.
    Mcp,
}

/// Hints of the Model Context Protocol, as far as they were given.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForeignAnnotations {
    /// What a user sees.
    pub title: Option<String>,
    /// It changes nothing.
    pub read_only_hint: Option<bool>,
    /// It may destroy something.
    pub destructive_hint: Option<bool>,
    /// A second call with the same parameters changes nothing more.
    pub idempotent_hint: Option<bool>,
    /// It deals with the world outside the workspace.
    pub open_world_hint: Option<bool>,
}

impl ForeignAnnotations {
    /// What the hints say of the effect. Only that it changes nothing says enough.
    pub(super) fn effect(&self) -> Option<Effect> {
        let is_open = self.open_world_hint == Some(true);
        (self.read_only_hint == Some(true)).then_some(if is_open {
            Effect::Network
        } else {
            Effect::Observe
        })
    }
}

impl ForeignDefinition {
    pub(super) fn check(&self) -> Result<(), ToolError> {
        let name = self.name.as_str();
        let is_letter =
            |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
        let starts_well =
            name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        if !starts_well || !name.chars().all(is_letter) || name.len() > NAME_MAX_CHARACTERS {
            let shown: String = name.chars().take(80).collect();
            let message = format!(
                "`{shown}` is not a valid tool name: model providers accept 1 to {NAME_MAX_CHARACTERS} letters, digits, `_` and `-`, beginning with a letter or `_`."
            );
            return Err(unusable(name, message));
        }
        if self.timeout_ms == Some(0) {
            return Err(unusable(
                name,
                format!("`timeoutMs` of the tool `{name}` must be at least 1."),
            ));
        }
        Ok(())
    }

    pub(super) fn params(&self) -> Result<ForeignParams, ToolError> {
        ForeignParams::new(self.parameters.clone()).map_err(|faults| {
            let message = format!(
                "Invalid parameter schema of the tool `{}`: {}",
                self.name,
                faults.join(" ")
            );
            unusable(&self.name, message).with("faults", faults)
        })
    }

    fn replay_of(&self, reads_only: bool) -> Replay {
        self.replay.unwrap_or(if reads_only {
            Replay::Safe
        } else {
            Replay::Never
        })
    }

    fn repetition(&self, reads_only: bool) -> Repetition {
        match self.replay_of(reads_only) {
            Replay::Safe => Repetition::Pure,
            Replay::Never => Repetition::Once,
        }
    }

    pub(super) fn entry(
        &self,
        params: &ForeignParams,
        effect: Effect,
        dialect: &'static str,
    ) -> CatalogEntry {
        let reads_only = matches!(effect, Effect::Observe | Effect::Network);
        let label = self.label.clone().unwrap_or_else(|| self.name.clone());
        let hints = &self.annotations;
        CatalogEntry {
            name: self.name.clone().into(),
            description: self.description.trim_end().to_owned().into(),
            parameters: std::borrow::Cow::Owned(params.schema().clone()),
            category: self.category.unwrap_or(Category::Utility),
            group: self.group.clone().map_or("foreign".into(), Into::into),
            annotations: Annotations {
                title: hints.title.clone().unwrap_or_else(|| label.clone()).into(),
                read_only_hint: hints.read_only_hint.unwrap_or(reads_only),
                destructive_hint: hints.destructive_hint.unwrap_or(matches!(
                    effect,
                    Effect::Mutate | Effect::Execute | Effect::Unknown
                )),
                idempotent_hint: hints.idempotent_hint.unwrap_or(reads_only),
                open_world_hint: hints.open_world_hint.unwrap_or(matches!(
                    effect,
                    Effect::Network | Effect::Execute | Effect::Unknown
                )),
            },
            metadata: Metadata {
                operation: tenon_contract::Operation::Foreign,
                dialect,
                repetition: self.repetition(reads_only),
                more: self.metadata.clone(),
            },
            // What the host knows of it, it hands on itself.
            output_schema: None,
            execution_mode: self.execution_mode.unwrap_or(ExecutionMode::Parallel),
            replay: self.replay_of(reads_only),
            result_content_source: (effect == Effect::Network
                || self.result_content_source.is_some())
            .then_some("network"),
            label: label.into(),
        }
    }
}
