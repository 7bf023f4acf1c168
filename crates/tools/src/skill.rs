//! Skills: lists those that there are, or loads one.

mod folders;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{Access, ErrorCode, Operation, Output, Tool, ToolContext, ToolError, limits};
use tenon_state::is_skill_name;

pub use folders::{SkillFolder, SkillFolders};

use crate::blocking::blocking;

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
    pub folders: Vec<String>,
}

/// One skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFact {
    /// What it is loaded by.
    pub name: String,
    /// What it is for; empty when it does not say.
    pub description: String,
    /// Its `SKILL.md`: relative to the workspace, or absolute outside of it.
    pub path: String,
}

/// The instructions of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedSkill {
    /// Its name.
    pub name: String,
    /// Its `SKILL.md`.
    pub path: String,
    /// Its whole text.
    pub content: String,
    /// Where its instructions begin, behind the front matter; a place in `content`, in bytes.
    pub body_at: usize,
}

/// The operation.
pub struct Skill {
    folders: SkillFolders,
}

impl Skill {
    /// Looks into these folders.
    #[must_use]
    pub fn new(folders: SkillFolders) -> Self {
        Self { folders }
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
            Some(name) if is_skill_name(&name) => {
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
        let folders = self.folders.clone();
        blocking(context, move |context| {
            let found = folders.find(context)?;
            match plan.0 {
                None => Ok(SkillOutput::List(found.listed())),
                Some(name) => found.load(&name).map(SkillOutput::Load),
            }
        })
        .await
    }
}
