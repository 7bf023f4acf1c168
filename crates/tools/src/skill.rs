//! Skills: lists those that there are, or loads one.

mod directories;
mod served;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{Access, ErrorCode, Operation, Output, Tool, ToolContext, ToolError, limits};
use tenon_state::is_skill_name;

pub use directories::{SkillDirectories, SkillDirectory};

use crate::blocking::blocking;
use crate::host::HostCallback;
use served::ServedSkills;

/// What to do, and with which skill.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkillParams {
    /// What to do.
    pub action: SkillAction,
    /// For `load`: the name of the skill, as `list` shows it.
    pub name: Option<String>,
}

/// What to do with skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillAction {
    /// Show the available skills.
    List,
    /// Return the instructions of one.
    Load,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillOutput {
    /// All of them.
    List(ListedSkills),
    /// One of them.
    Load(LoadedSkill),
}

impl Output for SkillOutput {}

/// The skills that there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSkills {
    /// By name.
    pub skills: Vec<SkillFact>,
    /// Skills that are hidden by one of the same name, and those that cannot be read; a sentence each.
    pub remarks: Vec<String>,
    /// Where was looked, for a list that is empty.
    pub directories: Vec<String>,
}

/// One skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFact {
    /// What it is loaded by.
    pub name: String,
    /// What it is for; empty when it does not say.
    pub description: String,
    /// Its `SKILL.md`: relative to the workspace, absolute outside of it, or its address on an MCP server.
    pub path: String,
}

/// The instructions of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedSkill {
    /// Its name.
    pub name: String,
    /// Its `SKILL.md`.
    pub path: String,
    /// The MCP server that it is from.
    pub server: Option<String>,
    /// Its whole text.
    pub content: String,
    /// Where its instructions begin, behind the front matter; a place in `content`, in bytes.
    pub body_at: usize,
}

/// The operation.
pub struct Skill {
    directories: SkillDirectories,
    served: ServedSkills,
}

impl Skill {
    /// Looks into these directories, and asks the part of the host that speaks with MCP servers: `{type: "skills"}` to
    /// `{skills: [{name, description, uri}], remarks}`, and with a `name` to `{name, uri, content}` or nothing.
    #[must_use]
    pub fn new(directories: SkillDirectories, servers: Option<Arc<dyn HostCallback>>) -> Self {
        Self {
            directories,
            served: ServedSkills::new(servers),
        }
    }
}

/// Which skill, if one is meant.
#[derive(Debug)]
pub struct SkillPlan(Option<String>);

impl Tool for Skill {
    const OPERATION: Operation = Operation::Skill;
    type Params = SkillParams;
    type Plan = SkillPlan;
    type Output = SkillOutput;

    fn plan(&self, params: SkillParams) -> Result<(Access, SkillPlan), ToolError> {
        if params.action == SkillAction::List {
            return Ok((Access::default(), SkillPlan(None)));
        }
        let wrong = |message: String| Err(ToolError::new(ErrorCode::InvalidParams, message));
        match params.name {
            None => wrong("`name` is required for `load`. Use `list` to see the names.".to_owned()),
            Some(name) if is_skill_name(&name) || served::is_served_name(&name) => {
                Ok((Access::using(name.clone()), SkillPlan(Some(name))))
            }
            Some(name) => {
                let shown: String = name.chars().take(80).collect();
                wrong(format!(
                    "`{}` cannot be the name of a skill: it is a name of at most {} characters, not a path. Use `list` to see the names.",
                    shown.escape_debug(),
                    limits::SKILL_NAME_MAX_CHARACTERS
                ))
            }
        }
    }

    async fn run(&self, plan: SkillPlan, context: ToolContext) -> Result<SkillOutput, ToolError> {
        let directories = self.directories.clone();
        let name = plan.0.clone();
        let found = blocking(context, move |context| {
            let found = directories.find(context)?;
            match name {
                None => Ok(SkillOutput::List(found.listed())),
                Some(name) => found.load(&name).map(SkillOutput::Load),
            }
        })
        .await;
        match (found, plan.0) {
            (Ok(SkillOutput::List(mut listed)), _) => {
                self.served.list(&mut listed).await;
                Ok(SkillOutput::List(listed))
            }
            (Err(error), Some(name)) if error.code == ErrorCode::NotFound => {
                let loaded = self.served.load(&name).await?;
                loaded.map(SkillOutput::Load).ok_or(error)
            }
            (found, _) => found,
        }
    }
}
