//! Questions, task lists, skills and agents as the `agent` dialect renders them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{Content, Operation};
use tenon_state::{Todo, TodoPriority, TodoStatus};
use tenon_tools::{
    AskUserParams, Choice, ExitPlanParams, Question, TodoOutput, TodoReadParams, TodoWriteParams,
};

use crate::binding::{Category, ParamsCodec, ToolBinding, WireParams};
use crate::issue::Issue;
use crate::planning::{self, PlanAnswer, UserAnswer, several_in_progress};
use crate::render::{todos_text, written_todos_text};
use crate::result_view::ResultView;
use crate::schema_source::SchemaSource;
use crate::words::Words;
use crate::{Field, Renderer};

/// The row of `todo_read`.
pub(super) const TODO_READ: ToolBinding = ToolBinding {
    operation: Operation::TodoRead,
    name: "todo_read",
    label: "Read task list",
    description: include_str!("descriptions/todo_read.md"),
    category: Category::Session,
    level: 0,
    params: ParamsCodec::Fields(&[]),
    operation_params: SchemaSource::params::<TodoReadParams>(),
    renderer: Renderer::of::<AgentTodoReadDetails>(),
};

/// The row of `todo_write`.
pub(super) const TODO_WRITE: ToolBinding = ToolBinding {
    operation: Operation::TodoWrite,
    name: "todo_write",
    label: "Write task list",
    description: include_str!("descriptions/todo_write.md"),
    category: Category::Session,
    level: 0,
    params: ParamsCodec::typed::<AgentTodoWriteParams>(),
    operation_params: SchemaSource::params::<TodoWriteParams>(),
    renderer: Renderer::of::<AgentTodoWriteDetails>(),
};

/// The row of `skill`.
pub(super) const SKILL: ToolBinding = ToolBinding {
    description: include_str!("descriptions/skill.md"),
    ..planning::SKILL
};

/// The row of `task`.
pub(super) const TASK: ToolBinding = ToolBinding {
    description: include_str!("descriptions/task.md"),
    ..planning::TASK
};

/// The row of `ask_user`.
pub(super) const ASK_USER: ToolBinding = ToolBinding {
    operation: Operation::AskUser,
    name: "ask_user",
    label: "Ask user",
    description: include_str!("descriptions/ask_user.md"),
    category: Category::Session,
    level: 0,
    params: ParamsCodec::typed::<AgentAskUserParams>(),
    operation_params: SchemaSource::params::<AskUserParams>(),
    renderer: Renderer::of::<UserAnswer>(),
};

/// The row of `exit_plan`.
pub(super) const EXIT_PLAN: ToolBinding = ToolBinding {
    operation: Operation::ExitPlan,
    name: "exit_plan",
    label: "Exit plan mode",
    description: include_str!("descriptions/exit_plan.md"),
    category: Category::Session,
    level: 0,
    params: ParamsCodec::Fields(&[Field::same("plan").aliases(&["text", "content"])]),
    operation_params: SchemaSource::params::<ExitPlanParams>(),
    renderer: Renderer::of::<PlanAnswer>(),
};

/// One thing to do.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AgentTodo {
    /// Optional id.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// What to do.
    #[schemars(length(min = 1, max = 10_000))]
    content: String,
    /// Status of the task. At most one `in_progress`.
    status: TodoStatus,
    /// Shown while in progress, such as `Running tests`.
    #[serde(skip_serializing_if = "Option::is_none")]
    active_form: Option<String>,
    /// Priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<TodoPriority>,
}

impl From<Todo> for AgentTodo {
    fn from(todo: Todo) -> Self {
        Self {
            id: todo.id,
            content: todo.content,
            status: todo.status,
            active_form: todo.active_form,
            priority: todo.priority,
        }
    }
}

impl From<AgentTodo> for Todo {
    fn from(todo: AgentTodo) -> Self {
        Self {
            id: todo.id,
            content: todo.content,
            status: todo.status,
            priority: todo.priority,
            active_form: todo.active_form,
        }
    }
}

/// Parameters of `todo_write`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentTodoWriteParams {
    /// The complete list, in order.
    #[schemars(length(max = 500))]
    todos: Vec<AgentTodo>,
}

impl WireParams for AgentTodoWriteParams {
    type Params = TodoWriteParams;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("items", "todos"), ("tasks", "todos"), ("list", "todos")];

    const TEXTS: &'static [(&'static str, &'static str)] = &[
        ("todos[].status", "At most one `in_progress`."),
        ("todos[].priority", "Priority."),
    ];

    fn into_operation(self) -> Result<TodoWriteParams, Vec<Issue>> {
        several_in_progress(self.todos.iter().map(|todo| todo.status))?;
        Ok(TodoWriteParams {
            todos: self.todos.into_iter().map(Todo::from).collect(),
            several: None,
        })
    }
}

/// Details of `todo_read`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentTodoReadDetails {
    /// Always true: a failed call is an error.
    ok: bool,
    /// The session whose list it is.
    session_id: String,
    /// The list.
    items: Vec<AgentTodo>,
    /// Its entries.
    count: usize,
    /// The entry that is being worked on, or null.
    in_progress: Option<AgentTodo>,
}

impl From<TodoOutput> for AgentTodoReadDetails {
    fn from(output: TodoOutput) -> Self {
        Self {
            ok: true,
            in_progress: output.in_progress().cloned().map(AgentTodo::from),
            session_id: output.session,
            count: output.todos.len(),
            items: output.todos.into_iter().map(AgentTodo::from).collect(),
        }
    }
}

impl ResultView for AgentTodoReadDetails {
    type Output = TodoOutput;

    fn render(output: TodoOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        (vec![Content::Text(todos_text(&output))], output.into())
    }
}

/// Details of `todo_write`: the list as it is now.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct AgentTodoWriteDetails(AgentTodoReadDetails);

impl ResultView for AgentTodoWriteDetails {
    type Output = TodoOutput;

    fn render(output: TodoOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        let text = written_todos_text(&output);
        (vec![Content::Text(text)], Self(output.into()))
    }
}

// Without previews of the choices, which few models send and every definition would pay for.
/// What to ask.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentAskUserParams {
    /// Different questions.
    #[schemars(length(min = 1, max = 4))]
    questions: Vec<AgentQuestion>,
}

/// One question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AgentQuestion {
    /// The complete question.
    #[schemars(length(min = 1))]
    question: String,
    /// Short label, at most 12 characters.
    #[schemars(length(max = 12))]
    header: String,
    /// Choices.
    #[schemars(length(min = 2, max = 4))]
    options: Vec<AgentChoice>,
    /// Allow several choices.
    #[serde(default)]
    multi_select: bool,
}

/// One answer to choose.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AgentChoice {
    /// The choice, in a few words.
    #[schemars(length(min = 1))]
    label: String,
    /// What it means or leads to.
    description: String,
}

impl WireParams for AgentAskUserParams {
    type Params = AskUserParams;

    fn into_operation(self) -> Result<AskUserParams, Vec<Issue>> {
        let choice = |option: AgentChoice| Choice {
            label: option.label,
            description: option.description,
            preview: None,
        };
        let questions = self.questions.into_iter().map(|question| Question {
            question: question.question,
            header: question.header,
            options: question.options.into_iter().map(choice).collect(),
            multi_select: question.multi_select,
        });
        AskUserParams {
            questions: questions.collect(),
        }
        .into_operation()
    }
}
