//! A vocabulary: a set of tools under published names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::binding::ToolBinding;

/// Which vocabulary a toolkit speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DialectId {
    /// The AgentTool vocabulary, as users of pi and OpenClaw know it.
    #[default]
    Agent,
    /// The cross-platform vocabulary in three levels.
    Canonical,
    /// The terminal-coder vocabulary, in which every details object says `ok`.
    Coder,
    /// The tool-manager vocabulary, in camelCase and in categories.
    Manager,
    /// The editor-client vocabulary, which answers texts and diffs.
    Acp,
}

/// One vocabulary.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// Which.
    pub id: DialectId,
    /// Its tools, in the order in which they are shown.
    pub tools: &'static [ToolBinding],
    /// The shell of its commands, unless the host names one.
    pub shell: CommandShell,
    /// Whether a language counts as configured for which a file lies in the root directory of the workspace, so that it is
    /// reported once that its server is missing; else only those that the host names.
    pub reports_languages: bool,
}

/// A shell, by what it promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandShell {
    /// The system's usual one: `bash -c`, else `sh -c`; PowerShell or cmd on Windows.
    Usual,
    /// `/bin/sh -lc`, which runs the user's profile first; the usual one where there is none.
    PosixLogin,
}

impl DialectId {
    /// Every vocabulary.
    pub const ALL: &'static [Self] = &[
        Self::Agent,
        Self::Canonical,
        Self::Coder,
        Self::Manager,
        Self::Acp,
    ];

    /// As options name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Canonical => "canonical",
            Self::Coder => "coder",
            Self::Manager => "manager",
            Self::Acp => "acp",
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
