//! What the vocabularies share of questions, skills and agents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tenon_contract::{Content, FileChange, Operation};
use tenon_sessions::Status;
use tenon_state::{TodoStatus, is_skill_name};
use tenon_tools::{
    AskUserOutput, AskUserParams, ExitPlanOutput, ONE_IN_PROGRESS, REPEATS, SkillAction, SkillFact,
    SkillOutput, SkillParams, TaskOutput, TaskParams, further_in_progress, repeated,
};

use crate::binding::{Category, ParamsCodec, ToolBinding, WireParams};
use crate::issue::{Issue, IssueCode};
use crate::render::{answers_text, skill_text, task_text};
use crate::result_view::ResultView;
use crate::schema_source::SchemaSource;
use crate::words::Words;
use crate::{Field, Renderer};

/// The row of `skill`, without the description, which each vocabulary has.
pub(crate) const SKILL: ToolBinding = ToolBinding {
    operation: Operation::Skill,
    name: "skill",
    label: "Skill",
    description: "",
    category: Category::Session,
    level: 0,
    params: ParamsCodec::typed::<SkillCall>(),
    operation_params: SchemaSource::params::<SkillParams>(),
    renderer: Renderer::of::<SkillAnswer>(),
};

/// The row of `task`, without the description, which each vocabulary has.
pub(crate) const TASK: ToolBinding = ToolBinding {
    operation: Operation::Task,
    name: "task",
    label: "Task",
    description: "",
    category: Category::Session,
    level: 0,
    params: ParamsCodec::Fields(&[
        Field::same("agent").aliases(&["agent_name", "subagent_type", "agent_type"]),
        Field::same("objective").aliases(&["task", "prompt", "goal", "instructions"]),
        Field::same("timeout").aliases(TIMEOUT),
    ]),
    operation_params: SchemaSource::params::<TaskParams>(),
    renderer: Renderer::of::<TaskAnswer>(),
};

impl WireParams for AskUserParams {
    type Params = Self;

    fn into_operation(self) -> Result<Self, Vec<Issue>> {
        let places = repeated(&self.questions);
        if places.is_empty() {
            return Ok(self);
        }
        let issue = |place| Issue::new(place, IssueCode::TypeMismatch, REPEATS);
        Err(places.into_iter().map(issue).collect())
    }
}

/// Parameters of a tool for skills.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SkillCall {
    /// What to do. Default: `load` with a `name`, else `list`.
    action: Option<SkillAction>,
    /// For `load`: the name of the skill.
    name: Option<String>,
}

impl WireParams for SkillCall {
    type Params = SkillParams;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("skill", "name"), ("skill_name", "name")];
    const TEXTS: &'static [(&'static str, &'static str)] =
        &[("action", "Default: `load` with a `name`, else `list`.")];

    fn into_operation(self) -> Result<SkillParams, Vec<Issue>> {
        let Self { action, name } = self;
        let action = action.unwrap_or(match name {
            Some(_) => SkillAction::Load,
            None => SkillAction::List,
        });
        let issue = |code, message: &str| Err(vec![Issue::new("name", code, message)]);
        match &name {
            _ if action == SkillAction::List => {}
            None => {
                return issue(
                    IssueCode::MissingRequired,
                    "`name` is required for `load`. Use `list` to see the names.",
                );
            }
            Some(name) if !is_skill_name(name) => {
                return issue(
                    IssueCode::PatternMismatch,
                    "Expected the name of a skill as `list` shows it, not a path.",
                );
            }
            Some(_) => {}
        }
        Ok(SkillParams { action, name })
    }
}

/// The faults of a task list with several entries in progress.
pub(crate) fn several_in_progress(
    statuses: impl Iterator<Item = TodoStatus>,
) -> Result<(), Vec<Issue>> {
    let further = further_in_progress(statuses);
    if further.is_empty() {
        return Ok(());
    }
    let issue = |index| {
        let place = format!("todos[{index}].status");
        Issue::new(place, IssueCode::InvalidEnum, ONE_IN_PROGRESS)
    };
    Err(further.into_iter().map(issue).collect())
}

/// Details of a tool that asks the user.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UserAnswer {
    /// The answer to each question, by the text of the question. Several choices are one text, with a comma and a space
    /// between them.
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    answers: Map<String, Value>,
}

impl ResultView for UserAnswer {
    type Output = AskUserOutput;

    fn render(output: AskUserOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        let text = answers_text(&output);
        let answers = output.answers.into_iter();
        let details = Self {
            answers: answers
                .map(|(question, answer)| (question, answer.into()))
                .collect(),
        };
        (vec![Content::Text(text)], details)
    }
}

/// Details of a tool for skills. Which are there depends on the action.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SkillAnswer {
    /// Always true: a failed call is an error.
    ok: bool,
    /// list: the skills that there are, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    skills: Option<Vec<SkillEntry>>,
    /// load: the name of the skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// load: its whole `SKILL.md`.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
}

/// One skill.
#[derive(Debug, Serialize, JsonSchema)]
struct SkillEntry {
    /// What it is loaded by.
    name: String,
    /// What it is for; empty when it does not say.
    description: String,
    /// Its `SKILL.md`: relative to the workspace, or absolute for a skill of the user.
    path: String,
}

impl From<SkillFact> for SkillEntry {
    fn from(skill: SkillFact) -> Self {
        Self {
            name: skill.name,
            description: skill.description,
            path: skill.path,
        }
    }
}

impl ResultView for SkillAnswer {
    type Output = SkillOutput;

    fn render(output: SkillOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        let text = skill_text(&output);
        let (skills, loaded) = match output {
            SkillOutput::List(listed) => (Some(listed.skills), None),
            SkillOutput::Load(loaded) => (None, Some((loaded.name, loaded.content))),
        };
        let (name, content) = loaded.unzip();
        let details = Self {
            ok: true,
            skills: skills.map(|skills| skills.into_iter().map(SkillEntry::from).collect()),
            name,
            content,
        };
        (vec![Content::Text(text)], details)
    }
}

/// What models call a time limit of an agent.
pub(crate) const TIMEOUT: &[&str] = &["timeout_seconds", "run_timeout_seconds", "time_limit"];

/// Details of a tool that runs an agent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskAnswer {
    /// Whether the agent says that it did what it was to do.
    ok: bool,
    /// The kind of agent.
    agent: String,
    /// What it says.
    summary: String,
    /// Its session.
    #[serde(rename = "sessionId", skip_serializing_if = "String::is_empty")]
    session_id: String,
    /// Its run.
    #[serde(rename = "runId", skip_serializing_if = "String::is_empty")]
    run_id: String,
    /// How it is.
    status: Status,
    /// What it used, as the application counts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Value>,
    /// The files that it changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<FileChange>,
}

impl ResultView for TaskAnswer {
    type Output = TaskOutput;

    fn render(output: TaskOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        let text = task_text(&output);
        let details = Self {
            ok: output.ok,
            agent: output.agent,
            summary: output.summary,
            session_id: output.session,
            run_id: output.run,
            status: output.status,
            usage: output.usage,
            changes: output.changes,
        };
        (vec![Content::Text(text)], details)
    }
}

/// Details of a tool that presents a plan.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlanAnswer {
    /// Always true: a plan that is declined is an error.
    approved: bool,
    /// The permission mode from now on.
    mode: String,
    /// The plan.
    plan: String,
}

impl ResultView for PlanAnswer {
    type Output = ExitPlanOutput;

    fn render(output: ExitPlanOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        let ExitPlanOutput { plan, mode } = output;
        let text =
            format!("The user approved the plan. The mode is now `{mode}`. Carry out the plan.");
        let mode = mode.to_owned();
        let details = Self {
            approved: true,
            mode,
            plan,
        };
        (vec![Content::Text(text)], details)
    }
}
