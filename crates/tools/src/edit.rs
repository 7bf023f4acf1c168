//! Replaces passages of one file and puts lines in, all of them or none.

mod insert;

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tenon_contract::{
    Access, Advice, ChangeKind, ErrorCode, FileChange, NextStep, Operation, Output, Preview, Tool,
    ToolContext, ToolError, limits, parameter,
};
use tenon_edit::{
    EditError, Lines, Options, Plan, Replacement, TextDiff, patch_path, plan, plan_while,
};
use tenon_workspace::{ChangeSet, Error, Located, TextFile, read_text};

pub use self::insert::LineInsertion;
use crate::anchors::{AnchoredLines, AnchoredPair};
use crate::blocking::blocking;
use crate::commit::{commit, preview};
use crate::freshness::{FileFreshness, Note};
use crate::review::Review;
use crate::session::FileSession;

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
    /// Edits by the anchors of lines, where a file was read with them.
    #[serde(default)]
    pub anchored: Option<Vec<AnchoredPair>>,
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
    /// What may be wrong with it, in sentences.
    pub warnings: Vec<String>,
    /// The new lines with their anchors, where the edit was one by anchors.
    pub anchored: Vec<AnchoredLines>,
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
    session: FileSession,
}

impl Edit {
    /// Edits the files of a session.
    #[must_use]
    pub const fn new(session: FileSession) -> Self {
        Self { session }
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
        let file = self.session.workspace.locate_existing(&params.path)?;
        let access = Access::changing(file.claim().clone());
        Ok((access, EditPlan { file, params }))
    }

    fn preview(&self, edit: &EditPlan) -> Result<Option<Preview>, ToolError> {
        let draft = draft(edit, &self.session, &|| true)?;
        Ok(Some(preview(&draft.changes, draft.output.patch)))
    }

    async fn run(&self, edit: EditPlan, context: ToolContext) -> Result<EditOutput, ToolError> {
        let session = self.session.clone();
        blocking(context, move |context| {
            let Draft {
                changes,
                note,
                mut output,
                by_anchors,
                review,
            } = draft(&edit, &session, &|| context.check().is_ok())?;
            context.check()?;
            let warnings = commit(changes, vec![note], &session, context)?;
            output.warnings.extend(review.warnings());
            output.warnings.extend(warnings);
            if let Some(made) = by_anchors {
                let file = &edit.file;
                output.anchored =
                    session
                        .anchors
                        .edited(file, &made.before, &made.plan, &made.after);
            }
            Ok(output)
        })
        .await
    }
}

/// The change as it will be made, and what will be reported of it.
struct Draft {
    changes: ChangeSet,
    note: Note,
    output: EditOutput,
    by_anchors: Option<MadeByAnchors>,
    /// What is not known yet of the change.
    review: Review,
}

/// An edit by anchors, and the texts before and after it.
struct MadeByAnchors {
    before: String,
    plan: Plan,
    after: String,
}

fn draft(
    edit: &EditPlan,
    session: &FileSession,
    go_on: &dyn Fn() -> bool,
) -> Result<Draft, ToolError> {
    let file = read_text(&edit.file, limits::EDIT_MAX_BYTES)
        .map_err(|error| without_file(error, &edit.params))?;
    let knowledge = FileFreshness::of(session, file.snapshot())?;
    let mut plan = planned(edit, session, &file, &knowledge, go_on)?;
    let insertions = edit.params.insertions.as_deref().unwrap_or_default();
    let lines = insertions
        .iter()
        .map(|insertion| usize::try_from(insertion.line.max(1)).unwrap_or(usize::MAX));
    let (first, last) = (lines.clone().min(), lines.max());
    if let (Some(first), Some(last)) = (first, last) {
        knowledge.check_numbers(&file, Lines { first, last })?;
    }
    insert::insert(edit.file.name(), file.text(), &mut plan, insertions)?;
    plan.keep_mark(file.encoding().has_bom());
    let after = plan.apply(file.text());
    let anchored = edit.params.anchored.as_deref().unwrap_or_default();
    let count = edit.params.edits.len() + anchored.len() + insertions.len();
    let mut review = Review::new(session.rules);
    let mut output = output(&file, &plan, &after, count, &mut review)?;
    review.permits()?;
    if !anchored.is_empty() {
        for place in &mut output.matches {
            "anchors".clone_into(&mut place.strategy);
        }
    }
    let bytes = file.splice(&splices(&plan))?;
    let note = knowledge.after(&file, &plan, &bytes, &after);
    let mut changes = ChangeSet::new();
    changes.update(file.snapshot(), bytes)?;
    let by_anchors = (!anchored.is_empty()).then(|| MadeByAnchors {
        before: file.text().to_owned(),
        plan,
        after,
    });
    Ok(Draft {
        changes,
        note,
        output,
        by_anchors,
        review,
    })
}

/// Why the file cannot be read. An empty old text for a file that is not there is how others make one.
fn without_file(error: Error, params: &EditParams) -> ToolError {
    let is_meant_to_be_made = params.edits.iter().any(|pair| pair.old_text.is_empty());
    match &error {
        Error::NotFound {
            path, link: None, ..
        } if is_meant_to_be_made => {
            let old = parameter("old_text");
            let sentence = format!("`{path}` does not exist, and {old} is empty.");
            ToolError::new(ErrorCode::NotFound, sentence)
                .with("path", path.as_str())
                .then(writing("create it"))
        }
        _ => error.into(),
    }
}

/// Write the file as a whole for this aim.
fn writing(aim: &'static str) -> NextStep {
    NextStep::with_tool(&[Operation::Write, Operation::Patch], aim)
}

/// The plan of what is found by its text or by anchors.
fn planned(
    edit: &EditPlan,
    session: &FileSession,
    file: &TextFile,
    knowledge: &FileFreshness<'_>,
    go_on: &dyn Fn() -> bool,
) -> Result<Plan, ToolError> {
    let params = &edit.params;
    if let Some(anchored) = params.anchored.as_deref().filter(|edits| !edits.is_empty()) {
        return session.anchors.plan(file, anchored);
    }
    let pairs: Vec<Replacement<'_>> = params
        .edits
        .iter()
        .map(|pair| Replacement {
            old: &pair.old_text,
            new: &pair.new_text,
        })
        .collect();
    let options = Options {
        replace_all: params.replace_all.unwrap_or(false),
    };
    match pairs.as_slice() {
        [] if params
            .insertions
            .as_ref()
            .is_some_and(|all| !all.is_empty()) =>
        {
            Ok(Plan::default())
        }
        pairs => place(file, knowledge, pairs, options, go_on),
    }
}

/// Where the old texts stand, if nothing that the session does not know stands in their way.
fn place(
    file: &TextFile,
    knowledge: &FileFreshness<'_>,
    pairs: &[Replacement<'_>],
    options: Options,
    go_on: &dyn Fn() -> bool,
) -> Result<Plan, ToolError> {
    match plan_while(file.text(), pairs, options, go_on) {
        Err(EditError::Stopped) => Err(ToolError::cancelled()),
        // Every place is meant where all are replaced, no matter who put it there.
        Ok(plan) if options.replace_all => Ok(plan),
        Ok(plan) => {
            knowledge.check(file, &plan)?;
            Ok(plan)
        }
        Err(error) => {
            let refused = refused(file.snapshot().located().name(), &error);
            // Only where the old text is missing can it have been there before.
            let is_missing = matches!(
                error,
                EditError::NotFound { .. } | EditError::Unclear { .. }
            );
            Err(knowledge.explain(file, refused, |known| {
                is_missing.then(|| plan(known, pairs, options).ok())?
            }))
        }
    }
}

/// The matcher's splices as the file takes them.
pub(crate) fn splices(plan: &Plan) -> Vec<(Range<usize>, &str)> {
    plan.splices
        .iter()
        .map(|splice| (splice.range.clone(), splice.replacement.as_str()))
        .collect()
}

fn output(
    file: &TextFile,
    plan: &Plan,
    after: &str,
    edits: usize,
    review: &mut Review,
) -> Result<EditOutput, ToolError> {
    let located = file.snapshot().located();
    let path = located.name();
    let change = TextDiff::new(file.text(), after).marked(file.encoding().has_bom());
    let warnings = review.of(path, file.text(), after, &change)?;
    let names = (
        patch_path(&format!("a/{path}")),
        patch_path(&format!("b/{path}")),
    );
    Ok(EditOutput {
        path: path.to_owned(),
        absolute: located.target().to_string_lossy().into_owned(),
        replacements: plan.splices.len(),
        edits,
        numbered: change.numbered_within(NUMBERED_CONTEXT_LINES, limits::DIFF_MAX_BYTES),
        patch: change.unified_within(
            &names.0,
            &names.1,
            limits::DIFF_CONTEXT_LINES,
            limits::DIFF_MAX_BYTES,
        ),
        first_changed_line: change.first_changed_line(),
        matches: plan
            .matches
            .iter()
            .map(|found| MatchFact {
                edit: found.edit,
                strategy: found.match_level.name().to_owned(),
                exact: found.match_level.number() == 1,
                line: found.first_line,
                end_line: found.last_line,
            })
            .collect(),
        additions: change.additions(),
        deletions: change.deletions(),
        warnings,
        anchored: Vec::new(),
    })
}

/// The matcher's reason, with the texts that it speaks of by the names of their parameters.
fn in_parameters(error: &EditError) -> String {
    let sentence = error.to_string();
    // What follows is of the file.
    let (first, rest) = match sentence.split_once('\n') {
        Some((first, rest)) => (first, Some(rest)),
        None => (sentence.as_str(), None),
    };
    let (old, new) = (parameter("old_text"), parameter("new_text"));
    let first = first
        .replace("The old text", &old.to_string())
        .replace("the old text", &old.to_string())
        .replace("the new text", &new.to_string());
    match rest {
        Some(rest) => format!("{first}\n{rest}"),
        None => first,
    }
}

/// The matcher's reason with its facts, so that a program can act on them as well as a model.
fn refused(path: &str, error: &EditError) -> ToolError {
    let sentence = format!("`{path}` was not changed: {}", in_parameters(error));
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
            has_more,
        } => {
            let lines: Vec<usize> = places.iter().map(|place| place.lines.first).collect();
            let reported = refusal(ErrorCode::NotUnique)
                .with("edit", which.index)
                .with("lines", lines)
                .with("occurrences", *total)
                .advising(Advice {
                    aim: "replace all of them".to_owned(),
                    field: "replace_all",
                    value: true.into(),
                    otherwise: None,
                });
            if *has_more {
                return reported.with("moreOccurrences", true);
            }
            reported
        }
        EditError::AlreadyApplied { which, lines } => refusal(ErrorCode::NoChange)
            .with("edit", which.index)
            .with("line", lines.first)
            .with("alreadyApplied", true),
        EditError::EmptyOld { .. } => {
            refusal(ErrorCode::InvalidParams).then(writing("write the file as a whole"))
        }
        EditError::SameText { .. } | EditError::OnlyMark { .. } | EditError::NoChange { .. } => {
            refusal(ErrorCode::NoChange)
        }
        _ => refusal(ErrorCode::InvalidParams),
    }
}
