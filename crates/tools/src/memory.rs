//! Notes that outlive a session: the files of one directory, which is `/memories` for the model. Commands, parameters and texts
//! are those of Anthropic's memory tool, which models were trained on.

mod change;
mod look;
mod place;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{
    Access, Effect, ErrorCode, FileChange, Operation, Output, Tool, ToolContext, ToolError,
};
use tenon_workspace::{Located, Workspace};

use crate::blocking::blocking;
use crate::session::FileSession;
use change::Change;
use place::{MemoryTree, tree_of};

/// What the model calls the directory.
pub(crate) const ROOT: &str = "/memories";

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryCommand {
    /// Show a directory or a file.
    View,
    /// Create a file.
    Create,
    /// Replace a text that occurs once.
    StrReplace,
    /// Insert lines into a file.
    Insert,
    /// Delete a file or a directory.
    Delete,
    /// Move a file or a directory.
    Rename,
}

/// What to do with the notes.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryParams {
    /// What to do.
    pub command: MemoryCommand,
    /// File or directory, starting with `/memories`. Required except for `rename`.
    #[serde(default)]
    pub path: Option<String>,
    /// For `view` of a file: first and last line, 1-based; -1 is the end.
    #[serde(default)]
    pub view_range: Option<Vec<i64>>,
    /// For `create`: the content.
    #[serde(default)]
    pub file_text: Option<String>,
    /// For `str_replace`: the text to replace. It must occur exactly once.
    #[serde(default)]
    pub old_str: Option<String>,
    /// For `str_replace`: the replacement. Default: empty, which deletes the text.
    #[serde(default)]
    pub new_str: Option<String>,
    /// For `insert`: the line to insert after; 0 is the start of the file.
    #[serde(default)]
    pub insert_line: Option<u64>,
    /// For `insert`: the text.
    #[serde(default)]
    pub insert_text: Option<String>,
    /// For `rename`: the current path.
    #[serde(default)]
    pub old_path: Option<String>,
    /// For `rename`: the new path.
    #[serde(default)]
    pub new_path: Option<String>,
}

/// What came of it.
#[derive(Debug)]
pub struct MemoryOutput {
    /// What was found or done.
    pub fact: MemoryFact,
    /// The files that are others now.
    pub changes: Vec<FileChange>,
}

/// What was found or done.
#[derive(Debug, PartialEq, Eq)]
pub enum MemoryFact {
    /// A directory, down to two levels.
    Listed {
        /// Its path.
        path: String,
        /// What the system says of its size.
        bytes: u64,
        /// What is in it.
        entries: Vec<MemoryEntry>,
    },
    /// Lines of a file.
    Shown {
        /// Its path.
        path: String,
        /// The lines.
        lines: Vec<String>,
        /// The number of the first.
        first: usize,
    },
    /// A new file.
    Created(String),
    /// A text was replaced.
    Replaced {
        /// The file.
        path: String,
        /// The lines around it, as they are now.
        lines: Vec<String>,
        /// The number of the first.
        first: usize,
    },
    /// Lines were put in.
    Inserted(String),
    /// A file or a directory is gone.
    Deleted(String),
    /// A file or a directory has another path.
    Renamed {
        /// The path before.
        from: String,
        /// The path now.
        to: String,
    },
}

/// A file or a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryEntry {
    /// Its path.
    pub path: String,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// Its size.
    pub bytes: u64,
}

impl Output for MemoryOutput {
    fn changes(&self) -> Vec<FileChange> {
        self.changes.clone()
    }
}

/// The directory of the notes. It is made when it is needed, for its owner only.
#[derive(Debug, Clone)]
pub struct MemoryDirectory {
    path: PathBuf,
    opened: Arc<OnceLock<Workspace>>,
}

impl MemoryDirectory {
    /// The directory at this absolute path.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            opened: Arc::default(),
        }
    }

    fn workspace(&self) -> Result<&Workspace, ToolError> {
        if let Some(workspace) = self.opened.get() {
            return Ok(workspace);
        }
        let workspace = Workspace::open_private(&self.path)?;
        Ok(self.opened.get_or_init(|| workspace))
    }
}

/// The memory operation.
#[derive(Debug)]
pub struct Memory {
    session: FileSession,
    directory: Option<MemoryDirectory>,
}

impl Memory {
    /// Keeps notes in a directory; what changes can be undone in the session.
    #[must_use]
    pub const fn new(session: FileSession, directory: Option<MemoryDirectory>) -> Self {
        Self { session, directory }
    }
}

/// What a call does, located.
#[derive(Debug)]
pub struct MemoryPlan(Step);

#[derive(Debug)]
enum Step {
    View {
        place: Located,
        range: Option<(i64, i64)>,
    },
    Change(Change),
    Delete(MemoryTree),
    Rename {
        tree: MemoryTree,
        to: Located,
        /// The new places of the files, in the order of the tree.
        places: Vec<Located>,
    },
}

impl Tool for Memory {
    const OPERATION: Operation = Operation::Memory;
    type Params = MemoryParams;
    type Plan = MemoryPlan;
    type Output = MemoryOutput;

    fn plan(&self, params: MemoryParams) -> Result<(Access, MemoryPlan), ToolError> {
        let Some(directory) = &self.directory else {
            return Err(ToolError::new(
                ErrorCode::Unavailable,
                "There is no memory: the option `memory` names no directory.",
            ));
        };
        let step = step_of(directory.workspace()?, params)?;
        Ok((step.access(), MemoryPlan(step)))
    }

    fn effect(plan: &MemoryPlan) -> Effect {
        match plan.0 {
            Step::View { .. } => Effect::Observe,
            _ => Effect::Mutate,
        }
    }

    async fn run(&self, plan: MemoryPlan, context: ToolContext) -> Result<MemoryOutput, ToolError> {
        let session = self.session.clone();
        blocking(context, move |context| match plan.0 {
            Step::View { place, range } => look::view(&place, range, context),
            Step::Change(change) => change.make(&session, context),
            Step::Delete(tree) => change::delete(&tree, &session, context),
            Step::Rename { tree, to, places } => {
                change::rename(&tree, &to, &places, &session, context)
            }
        })
        .await
    }
}

impl Step {
    fn access(&self) -> Access {
        match self {
            Self::View { place, .. } => Access::reading(place.claim().clone()),
            Self::Change(change) => change.access(),
            Self::Delete(tree) => Access {
                deletes: tree.claims(),
                ..Access::default()
            },
            Self::Rename { tree, places, .. } => Access {
                reads: tree.claims(),
                deletes: tree.claims(),
                writes: places.iter().map(|place| place.claim().clone()).collect(),
                ..Access::default()
            },
        }
    }
}

fn step_of(workspace: &Workspace, params: MemoryParams) -> Result<Step, ToolError> {
    let command = params.command;
    let at = |name: &Option<String>, parameter: &str| {
        let name = needed(name.as_deref(), parameter, command)?;
        place::located(workspace, name)
    };
    match command {
        MemoryCommand::View => {
            let range = match params.view_range.as_deref() {
                None => None,
                Some([first, last]) => Some((*first, *last)),
                Some(_) => return Err(refusal("Parameter `view_range` must be two line numbers")),
            };
            let place = at(&params.path, "path")?;
            Ok(Step::View { place, range })
        }
        MemoryCommand::Create => {
            let text = needed(params.file_text.as_deref(), "file_text", command)?.to_owned();
            let file = at(&params.path, "path")?;
            Ok(Step::Change(Change::create(file, text)))
        }
        MemoryCommand::StrReplace => {
            let old = needed(params.old_str.as_deref(), "old_str", command)?.to_owned();
            let file = at(&params.path, "path")?;
            let new = params.new_str.unwrap_or_default();
            Ok(Step::Change(Change::replace(file, old, new)))
        }
        MemoryCommand::Insert => {
            let text = needed(params.insert_text.as_deref(), "insert_text", command)?.to_owned();
            let line = params
                .insert_line
                .ok_or_else(|| missing("insert_line", command))?;
            let file = at(&params.path, "path")?;
            let line = usize::try_from(line).unwrap_or(usize::MAX);
            Ok(Step::Change(Change::insert(file, line, text)))
        }
        MemoryCommand::Delete => {
            let place = at(&params.path, "path")?;
            Ok(Step::Delete(tree_of(&place, "delete")?))
        }
        MemoryCommand::Rename => rename_step(
            workspace,
            &at(&params.old_path, "old_path")?,
            at(&params.new_path, "new_path")?,
        ),
    }
}

fn rename_step(workspace: &Workspace, from: &Located, to: Located) -> Result<Step, ToolError> {
    let (old, new) = (from.name(), to.name());
    if to.exists()? {
        return Err(refusal(&format!("The destination {new} already exists")));
    }
    let tree = tree_of(from, "rename")?;
    if new
        .strip_prefix(old)
        .is_some_and(|rest| rest.starts_with('/'))
    {
        return Err(refusal(&format!(
            "The path {old} cannot be moved into itself"
        )));
    }
    let places = tree.files.iter().map(|file| {
        let below = file.name().strip_prefix(old).unwrap_or_default();
        place::located(workspace, &format!("{new}{below}"))
    });
    let places = places.collect::<Result<_, _>>()?;
    Ok(Step::Rename { tree, to, places })
}

fn needed<'p>(
    value: Option<&'p str>,
    parameter: &str,
    command: MemoryCommand,
) -> Result<&'p str, ToolError> {
    value.ok_or_else(|| missing(parameter, command))
}

fn missing(parameter: &str, command: MemoryCommand) -> ToolError {
    let command = serde_json::to_value(command).unwrap_or_default();
    let command = command.as_str().unwrap_or_default();
    refusal(&format!(
        "Parameter `{parameter}` is required for command: {command}"
    ))
}

/// A refusal in the words that models know.
fn refusal(message: &str) -> ToolError {
    ToolError::new(ErrorCode::InvalidParams, message)
}
