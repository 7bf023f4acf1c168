//! Task lists, skills and agents as the `coder` dialect renders them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{Content, Operation};
use tenon_state::{Todo, TodoPriority, TodoStatus};
use tenon_tools::{TodoOutput, TodoReadParams, TodoWriteParams};

use crate::Renderer;
use crate::binding::{Category, ParamsCodec, ToolBinding, WireParams};
use crate::issue::Issue;
use crate::planning::{self, several_in_progress};
use crate::render::{todos_text, written_todos_text};
use crate::result_view::ResultView;
use crate::schema_source::SchemaSource;
use crate::words::Words;

/// The row of `todoread`.
pub(super) const TODOREAD: ToolBinding = ToolBinding {
    operation: Operation::TodoRead,
    name: "todoread",
    label: "Read task list",
    description: include_str!("descriptions/todoread.md"),
    category: Category::Session,
    level: 0,
    params: ParamsCodec::Fields(&[]),
    operation_params: SchemaSource::params::<TodoReadParams>(),
    renderer: Renderer::of::<CoderTodoreadDetails>(),
};

/// The row of `todowrite`.
pub(super) const TODOWRITE: ToolBinding = ToolBinding {
    operation: Operation::TodoWrite,
    name: "todowrite",
    label: "Write task list",
    description: include_str!("descriptions/todowrite.md"),
    category: Category::Session,
    level: 0,
    params: ParamsCodec::typed::<CoderTodowriteParams>(),
    operation_params: SchemaSource::params::<TodoWriteParams>(),
    renderer: Renderer::of::<CoderTodowriteDetails>(),
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

/// One thing to do.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CoderTodo {
    /// Optional id.
    id: Option<String>,
    /// What to do.
    #[schemars(length(min = 1, max = 10_000))]
    content: String,
    /// Status of the task. At most one `in_progress`.
    status: CoderTodoStatus,
    /// Priority.
    priority: TodoPriority,
}

/// Status of a task in this vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum CoderTodoStatus {
    Pending,
    InProgress,
    Completed,
}

impl From<CoderTodoStatus> for TodoStatus {
    fn from(status: CoderTodoStatus) -> Self {
        match status {
            CoderTodoStatus::Pending => Self::Pending,
            CoderTodoStatus::InProgress => Self::InProgress,
            CoderTodoStatus::Completed => Self::Completed,
        }
    }
}

impl From<TodoStatus> for CoderTodoStatus {
    fn from(status: TodoStatus) -> Self {
        match status {
            TodoStatus::Pending => Self::Pending,
            TodoStatus::InProgress => Self::InProgress,
            // What another vocabulary has cancelled needs no more work either.
            TodoStatus::Completed | TodoStatus::Cancelled => Self::Completed,
        }
    }
}

/// One thing to do.
#[derive(Debug, Serialize, JsonSchema)]
struct CoderTodoFact {
    /// Id of the task: its place in the list where it has none.
    id: String,
    /// What to do.
    content: String,
    /// Status of the task.
    status: CoderTodoStatus,
    /// Priority.
    priority: TodoPriority,
}

/// The entry at this place, from 0; what another vocabulary has left open is filled in.
fn reported((index, todo): (usize, Todo)) -> CoderTodoFact {
    CoderTodoFact {
        id: todo.id.unwrap_or_else(|| (index + 1).to_string()),
        content: todo.content,
        status: todo.status.into(),
        priority: todo.priority.unwrap_or(TodoPriority::Medium),
    }
}

/// Parameters of `todowrite`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CoderTodowriteParams {
    /// The complete list, in order.
    #[schemars(length(max = 500))]
    todos: Vec<CoderTodo>,
}

impl WireParams for CoderTodowriteParams {
    type Params = TodoWriteParams;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("items", "todos"), ("tasks", "todos")];

    const TEXTS: &'static [(&'static str, &'static str)] = &[
        ("todos[].status", "At most one `in_progress`."),
        ("todos[].priority", "Priority."),
    ];

    fn into_operation(self) -> Result<TodoWriteParams, Vec<Issue>> {
        several_in_progress(self.todos.iter().map(|todo| todo.status.into()))?;
        let todos = self.todos.into_iter().map(|todo| Todo {
            id: todo.id,
            content: todo.content,
            status: todo.status.into(),
            priority: Some(todo.priority),
            active_form: None,
        });
        Ok(TodoWriteParams {
            todos: todos.collect(),
            several: None,
        })
    }
}

/// Details of `todoread`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoderTodoreadDetails {
    /// Always true: a failed call is an error.
    ok: bool,
    /// The session whose list it is.
    session_id: String,
    /// The list.
    items: Vec<CoderTodoFact>,
    /// Its entries.
    count: usize,
    /// The entry that is being worked on, or null.
    in_progress: Option<CoderTodoFact>,
}

impl From<TodoOutput> for CoderTodoreadDetails {
    fn from(output: TodoOutput) -> Self {
        let entries = || output.todos.iter().cloned().enumerate();
        Self {
            ok: true,
            session_id: output.session.clone(),
            items: entries().map(reported).collect(),
            count: output.todos.len(),
            in_progress: entries()
                .find(|(_, todo)| todo.status == TodoStatus::InProgress)
                .map(reported),
        }
    }
}

impl ResultView for CoderTodoreadDetails {
    type Output = TodoOutput;

    fn render(output: TodoOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        (vec![Content::Text(todos_text(&output))], output.into())
    }
}

/// Details of `todowrite`: the list as it is now.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct CoderTodowriteDetails(CoderTodoreadDetails);

impl ResultView for CoderTodowriteDetails {
    type Output = TodoOutput;

    fn render(output: TodoOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        let text = written_todos_text(&output);
        (vec![Content::Text(text)], Self(output.into()))
    }
}
