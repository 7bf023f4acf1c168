//! edit_file as the `acp` dialect renders it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::Content;
use tenon_tools::{EditOutput, EditPair, EditParams, LineInsertion};

use crate::binding::WireParams;
use crate::issue::{Issue, IssueCode};
use crate::render::{with_new_anchors, with_warnings};
use crate::result_view::ResultView;
use crate::words::Words;

/// Parameters of `edit_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AcpEditParams {
    /// File path, absolute or relative to the workspace.
    path: String,
    /// One or more edits.
    #[schemars(length(min = 1))]
    edits: Vec<AcpEdit>,
}

/// One edit.
// One object for both kinds: some providers take no union within a list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AcpEdit {
    /// What the edit does.
    r#type: AcpEditKind,
    /// For `replace`: exact text to replace.
    old_text: Option<String>,
    /// For `replace`: replacement text.
    new_text: Option<String>,
    /// For `insert`: the line to insert before, 1-based. The line count plus one appends.
    line: Option<u64>,
    /// For `insert`: the lines to insert.
    text: Option<String>,
}

/// What an edit does.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AcpEditKind {
    Replace,
    Insert,
}

impl WireParams for AcpEditParams {
    type Params = EditParams;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("file_path", "path"),
        ("file", "path"),
        ("filename", "path"),
        ("edits[].old_string", "edits[].oldText"),
        ("edits[].old_str", "edits[].oldText"),
        ("edits[].new_string", "edits[].newText"),
        ("edits[].new_str", "edits[].newText"),
        ("edits[].line_number", "edits[].line"),
        ("edits[].content", "edits[].text"),
    ];

    const NAMES: &'static [(&'static str, &'static str)] = &[
        ("path", "path"),
        ("old_text", "oldText"),
        ("new_text", "newText"),
    ];

    fn into_operation(self) -> Result<EditParams, Vec<Issue>> {
        let mut issues = Vec::new();
        let mut edits = Vec::new();
        let mut insertions = Vec::new();
        for (index, edit) in self.edits.into_iter().enumerate() {
            let mut fields = Fields {
                index,
                kind: edit.r#type,
                issues: &mut issues,
            };
            match edit.r#type {
                AcpEditKind::Replace => {
                    let old_text = fields.required("oldText", edit.old_text);
                    let new_text = fields.required("newText", edit.new_text);
                    fields.absent("line", edit.line.is_some());
                    fields.absent("text", edit.text.is_some());
                    if let (Some(old_text), Some(new_text)) = (old_text, new_text) {
                        edits.push(EditPair { old_text, new_text });
                    }
                }
                AcpEditKind::Insert => {
                    let line = fields.required("line", edit.line);
                    let text = fields.required("text", edit.text);
                    fields.absent("oldText", edit.old_text.is_some());
                    fields.absent("newText", edit.new_text.is_some());
                    if let (Some(line), Some(text)) = (line, text) {
                        insertions.push(LineInsertion { line, text });
                    }
                }
            }
        }
        if !issues.is_empty() {
            return Err(issues);
        }
        Ok(EditParams {
            path: self.path,
            edits,
            anchored: None,
            insertions: Some(insertions).filter(|insertions| !insertions.is_empty()),
            replace_all: None,
        })
    }
}

/// The members of one edit, judged by its kind.
struct Fields<'a> {
    index: usize,
    kind: AcpEditKind,
    issues: &'a mut Vec<Issue>,
}

impl Fields<'_> {
    fn required<T>(&mut self, name: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            let place = self.place(name);
            let message = format!("`{place}` is required for an edit of type {}.", self.kind());
            self.issue(name, IssueCode::MissingRequired, message);
        }
        value
    }

    fn absent(&mut self, name: &str, is_given: bool) {
        if is_given {
            let message = format!("An edit of type {} has no `{name}`.", self.kind());
            self.issue(name, IssueCode::UnknownParam, message);
        }
    }

    fn issue(&mut self, name: &str, code: IssueCode, message: String) {
        let place = self.place(name);
        self.issues.push(Issue::new(place, code, message));
    }

    fn place(&self, name: &str) -> String {
        format!("edits[{}].{name}", self.index)
    }

    const fn kind(&self) -> &'static str {
        match self.kind {
            AcpEditKind::Replace => "`replace`",
            AcpEditKind::Insert => "`insert`",
        }
    }
}

/// Details of `edit_file`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AcpEditDetails {
    /// What kind of result this is.
    r#type: DiffKind,
    /// The file, relative to the workspace.
    path: String,
    /// The hunks of the change as a unified diff, beginning with `@@`.
    diff: String,
}

/// A unified diff from its first hunk on: editors know the file already.
fn hunks(patch: &str) -> &str {
    let start = if patch.starts_with("@@") {
        Some(0)
    } else {
        patch.find("\n@@").map(|at| at + 1)
    };
    start.and_then(|start| patch.get(start..)).unwrap_or(patch)
}

/// What kind of result a diff is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum DiffKind {
    Diff,
}

impl ResultView for AcpEditDetails {
    type Output = EditOutput;

    fn render(output: EditOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let diff = hunks(&output.patch);
        let text = with_new_anchors(diff.to_owned(), &output.anchored);
        let text = with_warnings(text, &output.warnings, words);
        let diff = diff.to_owned();
        let details = Self {
            r#type: DiffKind::Diff,
            path: output.path,
            diff,
        };
        (vec![Content::Text(text)], details)
    }
}
