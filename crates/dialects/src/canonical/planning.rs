//! Questions and task lists as the `canonical` dialect renders them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{Content, Operation};
use tenon_state::{Todo, TodoStatus};
use tenon_tools::{AskUserParams, TodoOutput, TodoReadParams, TodoWriteParams};

use crate::Renderer;
use crate::binding::{Category, ParamsCodec, ToolBinding, WireParams};
use crate::issue::Issue;
use crate::planning::UserAnswer;
use crate::render::{todos_text, written_todos_text};
use crate::result_view::ResultView;
use crate::schema_source::SchemaSource;
use crate::words::Words;

/// The row of `AskUserQuestion`.
pub(super) const ASK_USER_QUESTION: ToolBinding = ToolBinding {
    operation: Operation::AskUser,
    name: "AskUserQuestion",
    label: "Ask user question",
    description: include_str!("descriptions/AskUserQuestion.md"),
    category: Category::Session,
    level: 1,
    params: ParamsCodec::typed::<AskUserParams>(),
    operation_params: SchemaSource::params::<AskUserParams>(),
    renderer: Renderer::of::<UserAnswer>(),
};

/// The row of `TodoWrite`.
pub(super) const TODO_WRITE: ToolBinding = ToolBinding {
    operation: Operation::TodoWrite,
    name: "TodoWrite",
    label: "Write task list",
    description: include_str!("descriptions/TodoWrite.md"),
    category: Category::Session,
    level: 2,
    params: ParamsCodec::typed::<CanonicalTodoWriteParams>(),
    operation_params: SchemaSource::params::<TodoWriteParams>(),
    renderer: Renderer::of::<CanonicalTodoWriteDetails>(),
};

/// The row of `TodoRead`.
pub(super) const TODO_READ: ToolBinding = ToolBinding {
    operation: Operation::TodoRead,
    name: "TodoRead",
    label: "Read task list",
    description: include_str!("descriptions/TodoRead.md"),
    category: Category::Session,
    level: 0,
    params: ParamsCodec::Fields(&[]),
    operation_params: SchemaSource::params::<TodoReadParams>(),
    renderer: Renderer::of::<CanonicalTodoReadDetails>(),
};

/// How a thing to do stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum CanonicalTodoStatus {
    Pending,
    InProgress,
    Completed,
}

impl From<CanonicalTodoStatus> for TodoStatus {
    fn from(status: CanonicalTodoStatus) -> Self {
        match status {
            CanonicalTodoStatus::Pending => Self::Pending,
            CanonicalTodoStatus::InProgress => Self::InProgress,
            CanonicalTodoStatus::Completed => Self::Completed,
        }
    }
}

/// One thing to do.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CanonicalTodo {
    /// What to do, such as `Run the tests`.
    #[schemars(length(min = 1, max = 10_000))]
    content: String,
    /// Status of the task.
    status: CanonicalTodoStatus,
    /// Shown while in progress, such as `Running the tests`.
    #[schemars(length(min = 1, max = 10_000))]
    active_form: String,
}

/// Parameters of `TodoWrite`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CanonicalTodoWriteParams {
    /// The complete list, in order.
    #[schemars(length(max = 500))]
    todos: Vec<CanonicalTodo>,
}

impl WireParams for CanonicalTodoWriteParams {
    type Params = TodoWriteParams;

    fn into_operation(self) -> Result<TodoWriteParams, Vec<Issue>> {
        let todos = self.todos.into_iter().map(|todo| Todo {
            id: None,
            content: todo.content,
            status: todo.status.into(),
            priority: None,
            active_form: Some(todo.active_form),
        });
        Ok(TodoWriteParams {
            todos: todos.collect(),
            several: Some(true),
        })
    }
}

/// Details of `TodoWrite`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CanonicalTodoWriteDetails {
    /// Always true: a failed call is an error.
    success: bool,
}

impl ResultView for CanonicalTodoWriteDetails {
    type Output = TodoOutput;

    fn render(output: TodoOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        let text = written_todos_text(&output);
        (vec![Content::Text(text)], Self { success: true })
    }
}

/// Details of `TodoRead`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CanonicalTodoReadDetails {
    /// The list.
    todos: Vec<CanonicalTodo>,
}

impl ResultView for CanonicalTodoReadDetails {
    type Output = TodoOutput;

    fn render(output: TodoOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        let text = todos_text(&output);
        // What was given up in another vocabulary is over here.
        let todos = output.todos.into_iter().map(|todo| CanonicalTodo {
            status: match todo.status {
                TodoStatus::Pending => CanonicalTodoStatus::Pending,
                TodoStatus::InProgress => CanonicalTodoStatus::InProgress,
                TodoStatus::Completed | TodoStatus::Cancelled => CanonicalTodoStatus::Completed,
            },
            active_form: todo.active_form.unwrap_or_else(|| todo.content.clone()),
            content: todo.content,
        });
        let details = Self {
            todos: todos.collect(),
        };
        (vec![Content::Text(text)], details)
    }
}
