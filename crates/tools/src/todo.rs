//! The task list of the session: read, and replaced as a whole.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tenon_contract::{Access, ErrorCode, Operation, Output, Tool, ToolContext, ToolError, limits};
use tenon_state::{SessionRecords, Todo, TodoStatus};

/// Nothing is needed to read the list.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TodoReadParams {}

/// The list that takes the place of the present one.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TodoWriteParams {
    /// The whole list, in its order. At most one entry is in progress.
    #[schemars(length(max = 500))]
    pub todos: Vec<Todo>,
    /// Accept several entries in progress. Default: false.
    #[serde(default)]
    pub several: Option<bool>,
}

/// The list as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TodoOutput {
    /// The name of the session.
    pub session: String,
    /// Its list.
    pub todos: Vec<Todo>,
}

impl Output for TodoOutput {}

impl TodoOutput {
    /// The entry that is being worked on.
    #[must_use]
    pub fn in_progress(&self) -> Option<&Todo> {
        let mut todos = self.todos.iter();
        todos.find(|todo| todo.status == TodoStatus::InProgress)
    }

    /// How many entries stand like this.
    #[must_use]
    pub fn count(&self, status: TodoStatus) -> usize {
        let todos = self.todos.iter();
        todos.filter(|todo| todo.status == status).count()
    }
}

/// The operation that reads.
pub struct TodoRead(SessionRecords);

impl TodoRead {
    /// Reads the list of this session.
    #[must_use]
    pub fn new(state: SessionRecords) -> Self {
        Self(state)
    }
}

impl Tool for TodoRead {
    const OPERATION: Operation = Operation::TodoRead;
    type Params = TodoReadParams;
    type Plan = ();
    type Output = TodoOutput;

    fn plan(&self, _: TodoReadParams) -> Result<(Access, ()), ToolError> {
        Ok((Access::default(), ()))
    }

    async fn run(&self, (): (), _: ToolContext) -> Result<TodoOutput, ToolError> {
        Ok(TodoOutput {
            session: self.0.session().id.clone(),
            todos: self.0.todos().await,
        })
    }
}

/// The operation that replaces.
pub struct TodoWrite(SessionRecords);

impl TodoWrite {
    /// Replaces the list of this session.
    #[must_use]
    pub fn new(state: SessionRecords) -> Self {
        Self(state)
    }
}

impl Tool for TodoWrite {
    const OPERATION: Operation = Operation::TodoWrite;
    type Params = TodoWriteParams;
    type Plan = Vec<Todo>;
    type Output = TodoOutput;

    fn plan(&self, params: TodoWriteParams) -> Result<(Access, Vec<Todo>), ToolError> {
        let TodoWriteParams { todos, several } = params;
        if todos.len() > limits::TODOS_MAX {
            let message = format!(
                "The list has {} entries; at most {} are kept. Merge some of them.",
                todos.len(),
                limits::TODOS_MAX
            );
            return Err(ToolError::new(ErrorCode::InvalidParams, message));
        }
        let further = further_in_progress(todos.iter().map(|todo| todo.status));
        if !further.is_empty() && !several.unwrap_or(false) {
            return Err(several_in_progress(&further));
        }
        Ok((Access::default(), todos))
    }

    async fn run(&self, todos: Vec<Todo>, _: ToolContext) -> Result<TodoOutput, ToolError> {
        self.0.replace_todos(&todos).await;
        Ok(TodoOutput {
            session: self.0.session().id.clone(),
            todos,
        })
    }
}

/// The places of the entries that are in progress beside the first one.
#[must_use]
pub fn further_in_progress(statuses: impl Iterator<Item = TodoStatus>) -> Vec<usize> {
    let all = statuses.enumerate();
    let in_progress = all.filter(|(_, status)| *status == TodoStatus::InProgress);
    in_progress.map(|(index, _)| index).skip(1).collect()
}

/// The fault of an entry that is in progress beside another one.
pub const ONE_IN_PROGRESS: &str = "Only one entry can be `in_progress`, and an earlier one is.";

fn several_in_progress(further: &[usize]) -> ToolError {
    let errors: Vec<Value> = further
        .iter()
        .map(|index| {
            json!({ "param": format!("todos[{index}].status"), "message": ONE_IN_PROGRESS, "code": "INVALID_ENUM" })
        })
        .collect();
    ToolError::new(ErrorCode::InvalidParams, ONE_IN_PROGRESS).with("errors", errors)
}
