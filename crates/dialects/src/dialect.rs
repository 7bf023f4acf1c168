//! A vocabulary: a set of tools under published names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ToolBinding, agent, canonical};

/// Which vocabulary a toolkit speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DialectId {
    /// The AgentTool vocabulary, as users of pi and OpenClaw know it.
    #[default]
    Agent,
    /// The cross-platform vocabulary in three levels.
    Canonical,
}

/// One vocabulary.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// Which.
    pub id: DialectId,
    /// Its tools, in the order in which they are shown.
    pub tools: &'static [ToolBinding],
}

impl DialectId {
    /// Every vocabulary.
    pub const ALL: &'static [Self] = &[Self::Agent, Self::Canonical];

    /// As options name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Canonical => "canonical",
        }
    }

    /// Its table.
    #[must_use]
    pub const fn dialect(self) -> &'static Dialect {
        match self {
            Self::Agent => &agent::DIALECT,
            Self::Canonical => &canonical::DIALECT,
        }
    }
}

impl Dialect {
    /// The tool of exactly this name.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&'static ToolBinding> {
        self.tools.iter().find(|binding| binding.name == name)
    }
}
