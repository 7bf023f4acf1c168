//! edit_file as the `acp` dialect tells it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::Content;
use tenon_tools::{EditOutput, EditPair, EditParams, LineInsertion};

use crate::binding::WireParams;
use crate::issue::{Issue, IssueCode};
use crate::render::with_warnings;
use crate::told::Told;

/// Parameters of `edit_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AcpEditParams {
    /// Path of the file, absolute or relative to the workspace.
    path: String,
    /// One or more edits, all of them made on the original file, together or not at all. They must not overlap.
    #[schemars(length(min = 1))]
    edits: Vec<AcpEdit>,
}

/// One edit.
// One object for both kinds: some providers take no union within a list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AcpEdit {
    /// `replace` puts `newText` in the place of `oldText`; `insert` puts `text` in as lines of its own.
    r#type: AcpEditKind,
    /// For `replace`: the text to replace. It must occur exactly once in the file.
    old_text: Option<String>,
    /// For `replace`: the text to put in its place.
    new_text: Option<String>,
    /// For `insert`: the line, counted from 1, that `text` becomes; what stands there now follows it. One more than the file has lines appends.
    line: Option<u64>,
    /// For `insert`: the lines to put in.
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
            let message = format!(
                "Required for an edit of the type {}, but missing.",
                self.kind()
            );
            self.issue(name, IssueCode::MissingRequired, message);
        }
        value
    }

    fn absent(&mut self, name: &str, is_given: bool) {
        if is_given {
            let message = format!("An edit of the type {} has no such parameter.", self.kind());
            self.issue(name, IssueCode::UnknownParam, message);
        }
    }

    fn issue(&mut self, name: &str, code: IssueCode, message: String) {
        let place = format!("edits[{}].{name}", self.index);
        self.issues.push(Issue::new(place, code, message));
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
    /// The change as a unified diff.
    diff: String,
}

/// What kind of result a diff is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum DiffKind {
    Diff,
}

impl Told for AcpEditDetails {
    type Output = EditOutput;

    fn tell(output: EditOutput) -> (Vec<Content>, Self) {
        let text = with_warnings(output.patch.clone(), &output.warnings);
        let details = Self {
            r#type: DiffKind::Diff,
            path: output.path,
            diff: output.patch,
        };
        (vec![Content::Text(text)], details)
    }
}
