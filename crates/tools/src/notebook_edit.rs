//! Changes one cell of a notebook; everything else stays as it is, to the byte.

mod layout;

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tenon_contract::{
    Access, ChangeKind, ErrorCode, FileChange, Operation, Output, Preview, Tool, ToolContext,
    ToolError, limits,
};
use tenon_edit::{TextDiff, patch_path};
use tenon_workspace::{ChangeSet, Located, read_text};

use self::layout::Layout;
use crate::blocking::blocking;
use crate::commit::{commit, preview};
use crate::freshness::{FileFreshness, Note};
use crate::session::FileSession;
use tenon_document::{Cell, Notebook};

/// What to change.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotebookEditParams {
    /// Path of the notebook (`.ipynb`), absolute or relative to the workspace.
    pub path: String,
    /// Cell id, or `cell-N` counted from 0. For `insert`: the cell to insert after; at the start if omitted.
    pub cell_id: Option<String>,
    /// New source of the cell. Not needed for `delete`.
    pub new_source: Option<String>,
    /// Cell type. Default: unchanged, or `code` for a new cell.
    pub cell_type: Option<CellType>,
    /// What to do. Default: `replace`.
    pub edit_mode: Option<NotebookEditMode>,
}

/// The kind of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CellType {
    /// Code, with its outputs.
    Code,
    /// Text in Markdown.
    Markdown,
}

/// What to do with a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotebookEditMode {
    /// Set its source and clear its outputs.
    Replace,
    /// Add a new cell.
    Insert,
    /// Remove the cell.
    Delete,
}

/// What was changed.
#[derive(Debug)]
pub struct NotebookEditOutput {
    /// The notebook, as answers name it.
    pub path: String,
    /// What was done.
    pub mode: NotebookEditMode,
    /// The cell: its id, or `cell-N`.
    pub cell_id: String,
    /// Its place, counted from 0: where it is, or where it was.
    pub index: usize,
    /// `code`, `markdown` or `raw`.
    pub cell_type: String,
    /// Cells of the notebook now.
    pub cells: usize,
    /// The change as a unified diff.
    pub diff: String,
}

impl Output for NotebookEditOutput {
    fn changes(&self) -> Vec<FileChange> {
        vec![FileChange {
            path: self.path.clone(),
            kind: ChangeKind::Update,
        }]
    }
}

/// The operation.
#[derive(Debug)]
pub struct NotebookEdit {
    session: FileSession,
}

impl NotebookEdit {
    /// Edits the notebooks of a session.
    #[must_use]
    pub const fn new(session: FileSession) -> Self {
        Self { session }
    }
}

/// A located notebook and what to change in it.
#[derive(Debug)]
pub struct NotebookEditPlan {
    file: Located,
    params: NotebookEditParams,
}

impl Tool for NotebookEdit {
    const OPERATION: Operation = Operation::NotebookEdit;
    type Params = NotebookEditParams;
    type Plan = NotebookEditPlan;
    type Output = NotebookEditOutput;

    fn plan(&self, params: NotebookEditParams) -> Result<(Access, NotebookEditPlan), ToolError> {
        let file = self.session.workspace.locate_existing(&params.path)?;
        let access = Access::changing(file.claim().clone());
        Ok((access, NotebookEditPlan { file, params }))
    }

    fn preview(&self, plan: &NotebookEditPlan) -> Result<Option<Preview>, ToolError> {
        let (changes, _, output) = draft(plan, &self.session)?;
        Ok(Some(preview(&changes, output.diff)))
    }

    async fn run(
        &self,
        plan: NotebookEditPlan,
        context: ToolContext,
    ) -> Result<NotebookEditOutput, ToolError> {
        let session = self.session.clone();
        blocking(context, move |context| {
            let (changes, note, output) = draft(&plan, &session)?;
            commit(changes, vec![note], &session, context)?;
            Ok(output)
        })
        .await
    }
}

/// The change as it will be made, and what will be reported of it.
fn draft(
    plan: &NotebookEditPlan,
    session: &FileSession,
) -> Result<(ChangeSet, Note, NotebookEditOutput), ToolError> {
    let file = read_text(&plan.file, limits::READ_DOCUMENT_MAX_BYTES)?;
    let name = plan.file.name();
    FileFreshness::of(session, file.snapshot())?.check_whole(file.snapshot())?;
    let notebook = Notebook::parse(file.text()).map_err(|reason| {
        let message = format!("`{name}` was not changed: {reason}.");
        ToolError::new(ErrorCode::Syntax, message).with("path", name)
    })?;
    let change = Change::new(name, &notebook, &plan.params)?;
    let old = notebook.cells.get(change.index).map(|cell| &cell.value);
    if change.mode == NotebookEditMode::Replace && old == Some(&change.cell) {
        let message = format!("`{name}` was not changed: the cell already has this text.");
        return Err(ToolError::new(ErrorCode::NoChange, message).with("path", name));
    }
    let layout = Layout::of(file.text(), &notebook);
    let (range, text) = change.splice(&notebook, &layout);
    let mut after = file.text().to_owned();
    after.replace_range(range.clone(), &text);
    let diff = TextDiff::new(file.text(), &after).unified_within(
        &patch_path(&format!("a/{name}")),
        &patch_path(&format!("b/{name}")),
        limits::DIFF_CONTEXT_LINES,
        limits::DIFF_MAX_BYTES,
    );
    let output = NotebookEditOutput {
        path: name.to_owned(),
        mode: change.mode,
        cell_id: change.name(),
        index: change.index,
        cell_type: kind_of(&change.cell).to_owned(),
        cells: match change.mode {
            NotebookEditMode::Replace => notebook.cells.len(),
            NotebookEditMode::Insert => notebook.cells.len() + 1,
            NotebookEditMode::Delete => notebook.cells.len() - 1,
        },
        diff,
    };
    let mut changes = ChangeSet::new();
    let bytes = file.splice(&[(range, text)])?;
    let note = Note::whole(&plan.file, &bytes, Some(&after));
    changes.update(file.snapshot(), bytes)?;
    Ok((changes, note, output))
}

/// One cell as it will be, or as it was when it goes.
struct Change {
    mode: NotebookEditMode,
    index: usize,
    cell: Value,
}

impl Change {
    fn new(
        path: &str,
        notebook: &Notebook,
        params: &NotebookEditParams,
    ) -> Result<Self, ToolError> {
        let mode = params.edit_mode.unwrap_or(NotebookEditMode::Replace);
        let asked = params.cell_id.as_deref();
        let found = asked.map(|id| find(path, notebook, id)).transpose()?;
        let source = || {
            params.new_source.as_deref().ok_or_else(|| {
                let message = format!("`{path}` was not changed: `new_source` is required.");
                ToolError::new(ErrorCode::InvalidParams, message).with("path", path)
            })
        };
        if mode == NotebookEditMode::Insert {
            let index = found.map_or(0, |(index, _)| index + 1);
            let kind = params.cell_type.unwrap_or(CellType::Code);
            let cell = new_cell(notebook, kind, source()?, index);
            return Ok(Self { mode, index, cell });
        }
        let Some((index, old)) = found else {
            let message = format!(
                "`{path}` was not changed: `cell_id` is required: the id of the cell, or `cell-N`."
            );
            return Err(ToolError::new(ErrorCode::InvalidParams, message).with("path", path));
        };
        let mut cell = old.value.clone();
        if mode == NotebookEditMode::Replace {
            rewrite(&mut cell, source()?, params.cell_type);
        }
        Ok(Self { mode, index, cell })
    }

    /// What the cell is called.
    fn name(&self) -> String {
        let id = self.cell.get("id").and_then(Value::as_str);
        id.map_or_else(|| format!("cell-{}", self.index), str::to_owned)
    }

    /// The bytes of the file that go, and what comes in their place.
    fn splice(&self, notebook: &Notebook, layout: &Layout) -> (Range<usize>, String) {
        let cells = &notebook.cells;
        let list = &notebook.list;
        match self.mode {
            NotebookEditMode::Replace => {
                let cell = cells.get(self.index);
                let range = cell.map_or(list.clone(), |cell| cell.range.clone());
                (range, layout.cell(&self.cell))
            }
            NotebookEditMode::Insert => {
                let text = layout.cell(&self.cell);
                match (self.index.checked_sub(1), cells.first()) {
                    // After the one before it.
                    (Some(before), _) => {
                        let end = cells
                            .get(before)
                            .map_or(list.end - 1, |cell| cell.range.end);
                        (end..end, format!(",{}{text}", layout.gap))
                    }
                    (None, Some(first)) => (
                        first.range.start..first.range.start,
                        format!("{text},{}", layout.gap),
                    ),
                    (None, None) => (
                        list.clone(),
                        format!("[{}{text}{}]", layout.gap, layout.end),
                    ),
                }
            }
            NotebookEditMode::Delete => {
                let range = |index: usize| cells.get(index).map(|cell| cell.range.clone());
                let here = range(self.index).unwrap_or(list.clone());
                let before = self.index.checked_sub(1).and_then(range);
                // With the comma that parts it from its neighbour.
                let range = match (before, range(self.index + 1)) {
                    (Some(before), _) => before.end..here.end,
                    (None, Some(after)) => here.start..after.start,
                    (None, None) => list.start + 1..list.end - 1,
                };
                (range, String::new())
            }
        }
    }
}

fn find<'a>(path: &str, notebook: &'a Notebook, id: &str) -> Result<(usize, &'a Cell), ToolError> {
    let cells = notebook.cells.iter().enumerate();
    let by_id = cells.clone().find(|(_, cell)| cell.id() == Some(id));
    let number = id.strip_prefix("cell-").unwrap_or(id).parse::<usize>();
    let by_index = || {
        let index = number.ok()?;
        cells.clone().find(|(place, _)| *place == index)
    };
    by_id.or_else(by_index).ok_or_else(|| {
        let known: Vec<String> = cells
            .clone()
            .take(20)
            .map(|(index, cell)| cell.id().map_or_else(|| format!("cell-{index}"), str::to_owned))
            .collect();
        let total = notebook.cells.len();
        let named: Vec<String> = known.iter().map(|id| format!("`{id}`")).collect();
        let message = match total {
            0 => format!("`{path}` was not changed: it has no cells. Insert one without `cell_id`."),
            1.. => format!(
                "`{path}` was not changed: it has no cell `{id}` among its {total}. The first are {}; indexes count from 0, as in `cell-0`.",
                named.join(", ")
            ),
        };
        ToolError::new(ErrorCode::NotFound, message)
            .with("path", path)
            .with("cells", known)
    })
}

fn kind_of(cell: &Value) -> &str {
    cell.get("cell_type")
        .and_then(Value::as_str)
        .unwrap_or("raw")
}

/// A text as notebooks hold it: a list of lines with their ends.
fn lines(source: &str) -> Value {
    source.split_inclusive('\n').collect::<Vec<_>>().into()
}

/// Another text, and perhaps another kind, for a cell.
fn rewrite(cell: &mut Value, source: &str, kind: Option<CellType>) {
    let is_one_string = cell.get("source").is_some_and(Value::is_string);
    let old = tenon_document::joined(cell.get("source"));
    let was_code = kind_of(cell) == "code";
    let Some(members) = cell.as_object_mut() else {
        return;
    };
    let is_code = match kind {
        None => was_code,
        Some(kind) => {
            members.insert("cell_type".into(), json!(kind));
            kind == CellType::Code
        }
    };
    if old == source && was_code == is_code {
        return;
    }
    members.insert(
        "source".into(),
        if is_one_string {
            source.into()
        } else {
            lines(source)
        },
    );
    if is_code {
        members.insert("outputs".into(), json!([]));
        members.insert("execution_count".into(), Value::Null);
        // Only cells of text may have them.
        members.shift_remove("attachments");
    } else {
        members.shift_remove("outputs");
        members.shift_remove("execution_count");
    }
}

/// A new cell in the order of members that Jupyter writes.
fn new_cell(notebook: &Notebook, kind: CellType, source: &str, index: usize) -> Value {
    let mut cell = json!({ "cell_type": kind });
    if let Some(members) = cell.as_object_mut() {
        if kind == CellType::Code {
            members.insert("execution_count".into(), Value::Null);
        }
        if notebook.has_ids() {
            members.insert("id".into(), new_id(notebook, source, index).into());
        }
        members.insert("metadata".into(), json!({}));
        if kind == CellType::Code {
            members.insert("outputs".into(), json!([]));
        }
        members.insert("source".into(), lines(source));
    }
    cell
}

/// Eight hexadecimal digits that no other cell has, the same for the same call on the same notebook.
fn new_id(notebook: &Notebook, source: &str, index: usize) -> String {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut salt = 0_u32;
    loop {
        let mut hasher = DefaultHasher::new();
        (source, index, notebook.cells.len(), salt).hash(&mut hasher);
        let id = format!("{:08x}", hasher.finish() & 0xFFFF_FFFF);
        if notebook.cells.iter().all(|cell| cell.id() != Some(&id)) {
            return id;
        }
        salt += 1;
    }
}

#[cfg(test)]
#[path = "notebook_edit_tests.rs"]
mod tests;
