//! Replaces passages of one file and puts lines in, all of them or none.

mod insert;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tenon_contract::{
    Access, ChangeKind, ErrorCode, FileChange, Operation, Output, Preview, Tool, ToolContext,
    ToolError, limits,
};
use tenon_edit::{EditError, Options, Plan, Replacement, TextDiff, patch_path, plan};
use tenon_workspace::{ChangeSet, Journal, Located, Splice, TextFile, Workspace, read_text};

pub use self::insert::LineInsertion;
use crate::blocking::blocking;
use crate::commit::{commit, preview};

/// Lines of context that the numbered diff shows, as pi's does.
const NUMBERED_CONTEXT_LINES: usize = 4;

/// What to replace.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditParams {
    /// Path of the file, absolute or relative to the workspace.
    pub path: String,
    /// Replacements. Each is matched against the original file, not against the result of the ones before it.
    pub edits: Vec<EditPair>,
    /// Lines to put in, by their numbers in the original file.
    #[serde(default)]
    pub insertions: Option<Vec<LineInsertion>>,
    /// Replace every occurrence instead of requiring exactly one. Default: false.
    #[serde(default)]
    pub replace_all: Option<bool>,
}

/// One replacement.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditPair {
    /// The text to replace. It must occur exactly once in the file unless all occurrences are replaced.
    pub old_text: String,
    /// The text to put in its place.
    pub new_text: String,
}

/// What was replaced.
#[derive(Debug)]
pub struct EditOutput {
    /// The file, as answers name it.
    pub path: String,
    /// Its absolute path.
    pub absolute: String,
    /// Places that were replaced.
    pub replacements: usize,
    /// Edits that were asked for.
    pub edits: usize,
    /// The change with line numbers, as pi shows it.
    pub numbered: String,
    /// The change as a unified diff.
    pub patch: String,
    /// In the new file, counted from 1.
    pub first_changed_line: Option<usize>,
    /// How each place was found.
    pub matches: Vec<MatchFact>,
    /// Lines that are new.
    pub additions: usize,
    /// Lines that are gone.
    pub deletions: usize,
}

/// How one place was found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatchFact {
    /// Which edit, counted from 0.
    pub edit: usize,
    /// How it matched: `exact`, or the name of the tolerance that was needed.
    pub strategy: String,
    /// Whether the text matched to the letter.
    pub exact: bool,
    /// First line of the place in the original file, counted from 1.
    pub line: usize,
    /// Last line of the place in the original file.
    pub end_line: usize,
}

impl Output for EditOutput {
    fn changes(&self) -> Vec<FileChange> {
        vec![FileChange {
            path: self.path.clone(),
            kind: ChangeKind::Update,
        }]
    }
}

/// The edit operation.
#[derive(Debug)]
pub struct Edit {
    workspace: Workspace,
    journal: Journal,
}

impl Edit {
    /// Edits within `workspace`; what is replaced is kept in `journal`.
    #[must_use]
    pub fn new(workspace: Workspace, journal: Journal) -> Self {
        Self { workspace, journal }
    }
}

/// A located file and the replacements to make in it.
#[derive(Debug)]
pub struct EditPlan {
    file: Located,
    params: EditParams,
}

impl Tool for Edit {
    const OPERATION: Operation = Operation::Edit;
    type Params = EditParams;
    type Plan = EditPlan;
    type Output = EditOutput;

    fn plan(&self, params: EditParams) -> Result<(Access, EditPlan), ToolError> {
        let file = self.workspace.locate(&params.path)?;
        let claim = file.claim().clone();
        Ok((
            Access {
                reads: vec![claim.clone()],
                ..Access::writing(claim)
            },
            EditPlan { file, params },
        ))
    }

    fn preview(&self, edit: &EditPlan) -> Result<Option<Preview>, ToolError> {
        let (changes, output) = draft(edit)?;
        Ok(Some(preview(&changes, output.patch)))
    }

    async fn run(&self, edit: EditPlan, context: ToolContext) -> Result<EditOutput, ToolError> {
        let journal = self.journal.clone();
        blocking(context, move |context| {
            let (changes, output) = draft(&edit)?;
            context.check()?;
            commit(changes, &journal, context)?;
            Ok(output)
        })
        .await
    }
}

/// The change as it will be made, and what will be told of it.
fn draft(edit: &EditPlan) -> Result<(ChangeSet, EditOutput), ToolError> {
    let file = read_text(&edit.file, limits::EDIT_MAX_BYTES)?;
    let pairs: Vec<Replacement<'_>> = edit
        .params
        .edits
        .iter()
        .map(|pair| Replacement {
            old: &pair.old_text,
            new: &pair.new_text,
        })
        .collect();
    let options = Options {
        replace_all: edit.params.replace_all.unwrap_or(false),
    };
    let insertions = edit.params.insertions.as_deref().unwrap_or_default();
    let name = edit.file.name();
    let mut plan = match pairs.as_slice() {
        [] if !insertions.is_empty() => Plan::default(),
        pairs => plan(file.text(), pairs, options).map_err(|error| refused(name, &error))?,
    };
    insert::insert(name, file.text(), &mut plan, insertions)?;
    let output = output(&file, &plan, pairs.len() + insertions.len());
    let mut changes = ChangeSet::new();
    changes.update(file.snapshot(), file.splice(&splices(plan))?)?;
    Ok((changes, output))
}

/// The matcher's splices as the file takes them.
pub(crate) fn splices(plan: Plan) -> Vec<Splice> {
    plan.splices
        .into_iter()
        .map(|splice| Splice {
            range: splice.range,
            text: splice.replacement,
        })
        .collect()
}

fn output(file: &TextFile, plan: &Plan, edits: usize) -> EditOutput {
    let located = file.snapshot().located();
    let path = located.name();
    let after = plan.apply(file.text());
    let change = TextDiff::new(file.text(), &after);
    let names = (
        patch_path(&format!("a/{path}")),
        patch_path(&format!("b/{path}")),
    );
    EditOutput {
        path: path.to_owned(),
        absolute: located.target().to_string_lossy().into_owned(),
        replacements: plan.splices.len(),
        edits,
        numbered: change.numbered(NUMBERED_CONTEXT_LINES),
        patch: change.unified(&names.0, &names.1, limits::DIFF_CONTEXT_LINES),
        first_changed_line: change.first_changed_line(),
        matches: plan
            .matches
            .iter()
            .map(|found| MatchFact {
                edit: found.edit,
                strategy: found.rung.name().to_owned(),
                exact: found.rung.number() == 1,
                line: found.first_line,
                end_line: found.last_line,
            })
            .collect(),
        additions: change.additions(),
        deletions: change.deletions(),
    }
}

/// The matcher's reason with its facts, so that a program can act on them as well as a model.
fn refused(path: &str, error: &EditError) -> ToolError {
    let sentence = format!("`{path}` was not changed: {error}");
    let refusal = |code| ToolError::new(code, sentence.clone()).with("path", path);
    match error {
        EditError::NotFound {
            which, candidates, ..
        } => {
            let near: Vec<Value> = candidates
                .iter()
                .map(|near| json!({"line": near.lines.first, "endLine": near.lines.last, "similarity": near.similarity, "text": near.text}))
                .collect();
            refusal(ErrorCode::NoMatch)
                .with("edit", which.index)
                .with("candidates", near)
        }
        EditError::Ambiguous {
            which,
            places,
            total,
        } => {
            let lines: Vec<usize> = places.iter().map(|place| place.lines.first).collect();
            refusal(ErrorCode::NotUnique)
                .with("edit", which.index)
                .with("lines", lines)
                .with("occurrences", *total)
        }
        EditError::AlreadyApplied { which, lines } => refusal(ErrorCode::NoChange)
            .with("edit", which.index)
            .with("line", lines.first)
            .with("alreadyApplied", true),
        EditError::SameText { .. } | EditError::NoChange { .. } => refusal(ErrorCode::NoChange),
        _ => refusal(ErrorCode::InvalidParams),
    }
}
