//! Creates a file or replaces its whole content.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{
    Access, ChangeKind, ErrorCode, FileChange, NextStep, Operation, Output, Preview, Tool,
    ToolContext, ToolError, grouped, limits,
};
use tenon_edit::{TextDiff, patch_path};
use tenon_workspace::{
    ChangeSet, Error, FileKind, FileSnapshot, LineEnding, Located, TextFile, read_bytes,
};

use crate::blocking::blocking;
use crate::commit::{commit, preview};
use crate::freshness::{FileFreshness, Note, without_content};
use crate::review::Review;
use crate::session::FileSession;
use crate::visible::is_kept_back;

/// What to write.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteParams {
    /// File path, absolute or relative to the workspace.
    pub path: String,
    /// The complete new content.
    pub content: String,
    /// Create missing directories. Default: true.
    pub create_directories: Option<bool>,
}

/// What was written.
#[derive(Debug)]
pub struct WriteOutput {
    /// The file, as answers name it.
    pub path: String,
    /// Its absolute path.
    pub absolute: String,
    /// Created or updated.
    pub kind: ChangeKind,
    /// Bytes of the file now.
    pub bytes: u64,
    /// Whether the file keeps its line ends, all CRLF, though the content that was given has LF.
    pub keeps_crlf: bool,
    /// Lines that are new.
    pub additions: usize,
    /// Lines that are gone.
    pub deletions: usize,
    /// What may be wrong with it, in sentences: a line that stands for text that is gone now.
    pub warnings: Vec<String>,
    /// The change as a unified diff; empty when nothing changed, the file was not text or may not be read.
    pub diff: String,
}

impl Output for WriteOutput {
    fn changes(&self) -> Vec<FileChange> {
        vec![FileChange {
            path: self.path.clone(),
            kind: self.kind,
        }]
    }
}

/// The write operation.
#[derive(Debug)]
pub struct Write {
    session: FileSession,
}

impl Write {
    /// Writes the files of a session.
    #[must_use]
    pub const fn new(session: FileSession) -> Self {
        Self { session }
    }
}

/// A located file and its new content.
#[derive(Debug)]
pub struct WritePlan {
    file: Located,
    /// The directory that must exist already, when none is to be made.
    directory: Option<Located>,
    content: String,
}

impl Tool for Write {
    const OPERATION: Operation = Operation::Write;
    type Params = WriteParams;
    type Plan = WritePlan;
    type Output = WriteOutput;

    fn plan(&self, params: WriteParams) -> Result<(Access, WritePlan), ToolError> {
        let file = self.session.workspace.locate(&params.path)?;
        let directory = match (params.create_directories, file.target().parent()) {
            (Some(false), Some(above)) if !file.is_root() => {
                Some(self.session.workspace.locate(&above.to_string_lossy())?)
            }
            _ => None,
        };
        Ok((
            Access::writing(file.claim().clone()),
            WritePlan {
                file,
                directory,
                content: params.content,
            },
        ))
    }

    fn preview(&self, plan: &WritePlan) -> Result<Option<Preview>, ToolError> {
        let Draft {
            changes, output, ..
        } = draft(plan, &self.session)?;
        let what = match output.kind {
            _ if !output.diff.is_empty() || changes.is_empty() => output.diff,
            ChangeKind::Create => format!("`{}` is created, empty.\n", output.path),
            _ => format!(
                "`{}`, which is not text, is replaced by {} bytes.\n",
                output.path, output.bytes
            ),
        };
        Ok(Some(preview(&changes, what)))
    }

    async fn run(&self, plan: WritePlan, context: ToolContext) -> Result<WriteOutput, ToolError> {
        let session = self.session.clone();
        blocking(context, move |context| {
            let kept_back = is_kept_back(context, plan.file.claim());
            let drafted = draft(&plan, &session);
            let Draft {
                changes,
                note,
                mut output,
                review,
            } = drafted.map_err(|error| {
                if kept_back {
                    without_content(error)
                } else {
                    error
                }
            })?;
            if kept_back {
                output.diff.clear();
            }
            let warnings = commit(changes, vec![note], &session, context)?;
            output.warnings.extend(review.warnings());
            output.warnings.extend(warnings);
            Ok(output)
        })
        .await
    }
}

/// The change as it will be made, and what will be reported of it.
struct Draft {
    changes: ChangeSet,
    note: Note,
    output: WriteOutput,
    /// What is not known yet of the change.
    review: Review,
}

fn draft(plan: &WritePlan, session: &FileSession) -> Result<Draft, ToolError> {
    match read_bytes(&plan.file, limits::EDIT_MAX_BYTES) {
        Ok(old) => update(&old, &plan.content, session),
        Err(Error::NotFound { .. }) => {
            if let Some(directory) = &plan.directory {
                directory.metadata()?;
            }
            create(&plan.file, &plan.content)
        }
        Err(Error::NotAFile {
            path,
            kind: FileKind::Directory,
        }) => Err(is_directory(path)),
        Err(Error::NotADirectory { path }) => Err(below_file(path, session)),
        Err(Error::TooLarge { path, size, limit }) => Err(too_large(path, size, limit)),
        Err(error) => Err(error.into()),
    }
}

fn is_directory(path: String) -> ToolError {
    let example = format!("{}/name.ts", path.trim_end_matches('/'));
    let message = format!("`{path}` is a directory. Write to a file path, such as `{example}`.");
    ToolError::new(ErrorCode::NotAFile, message)
        .with("path", path)
        .with("kind", FileKind::Directory.as_str())
}

/// Of a path that leads through a file, which is named.
fn below_file(path: String, session: &FileSession) -> ToolError {
    let is_file = |place: &&str| {
        let located = session.workspace.locate(place);
        located.is_ok_and(|located| {
            let found = located.peek();
            found.is_ok_and(|found| found.kind == FileKind::File)
        })
    };
    let parts = path.match_indices('/').map(|(at, _)| at);
    let mut above = parts.filter_map(|at| path.get(..at).filter(|part| !part.is_empty()));
    let message = match above.find(is_file) {
        Some(file) => format!("Cannot create `{path}`: `{file}` is a file."),
        None => format!("Cannot create `{path}`: a part of this path is a file."),
    };
    ToolError::new(ErrorCode::NotADirectory, message).with("path", path)
}

/// Of a file that cannot be read as a whole, nothing could be had back.
fn too_large(path: String, size: u64, limit: u64) -> ToolError {
    let message = format!(
        "`{path}` was not written: it has {} bytes, and files of more than {} are not replaced.",
        grouped(size),
        grouped(limit)
    );
    ToolError::new(ErrorCode::TooLarge, message)
        .then(NextStep::with_tool(
            &[Operation::Delete, Operation::Execute],
            "remove it first",
        ))
        .with("path", path)
        .with("size", size)
        .with("limit", limit)
}

fn create(located: &Located, content: &str) -> Result<Draft, ToolError> {
    let mut review = Review::default();
    let diff = diff(located.name(), None, content, &mut review)?;
    let bytes = content.as_bytes();
    let mut changes = ChangeSet::new();
    changes.create(located, bytes.to_vec())?;
    Ok(Draft {
        changes,
        note: Note::whole(located, bytes, Some(content)),
        output: reported(located, ChangeKind::Create, bytes.len() as u64, diff),
        review,
    })
}

fn update(old: &FileSnapshot, content: &str, session: &FileSession) -> Result<Draft, ToolError> {
    let located = old.located();
    let knowledge = FileFreshness::of(session, old)?;
    let decoded = old.decode();
    let content = match &decoded {
        Ok(text) => with_line_ends(text, content),
        Err(_) => Cow::Borrowed(content),
    };
    let keeps_crlf = matches!(content, Cow::Owned(_));
    let content = match &decoded {
        // It keeps its own.
        Ok(text) if text.encoding().has_bom() => {
            content.strip_prefix('\u{feff}').unwrap_or(&content)
        }
        _ => content.as_ref(),
    };
    let mut review = Review::new(session.rules);
    let (bytes, diff) = match decoded {
        Ok(text) => (
            text.replace(content)?,
            diff(located.name(), Some(&text), content, &mut review)?,
        ),
        // What was no text is simply replaced.
        Err(Error::Binary { .. } | Error::Encoding { .. }) => (
            content.as_bytes().to_vec(),
            Diff {
                text: String::new(),
                additions: content.lines().count(),
                deletions: 0,
                warnings: Vec::new(),
            },
        ),
        Err(error) => return Err(error.into()),
    };
    review.permits()?;
    let size = bytes.len() as u64;
    let note = Note::whole(located, &bytes, Some(content));
    let mut changes = ChangeSet::new();
    if bytes != old.bytes() {
        knowledge.check_whole(old)?;
        changes.update(old, bytes)?;
    }
    Ok(Draft {
        changes,
        note,
        output: WriteOutput {
            keeps_crlf,
            ..reported(located, ChangeKind::Update, size, diff)
        },
        review,
    })
}

/// The content as it goes into a file. What is read shows no CR, so a content with LF only says nothing against the
/// CRLF that all lines of the file have; in a file with both nothing shows which are meant.
fn with_line_ends<'a>(file: &TextFile, content: &'a str) -> Cow<'a, str> {
    let ends = (file.line_ending(), LineEnding::of(content));
    if ends == (LineEnding::CrLf, LineEnding::Lf) {
        Cow::Owned(LineEnding::CrLf.applied_to(content))
    } else {
        Cow::Borrowed(content)
    }
}

struct Diff {
    text: String,
    additions: usize,
    deletions: usize,
    warnings: Vec<String>,
}

/// `before` is what stood there, behind a byte order mark if it has one.
fn diff(
    path: &str,
    before: Option<&TextFile>,
    after: &str,
    review: &mut Review,
) -> Result<Diff, ToolError> {
    let is_marked = before.is_some_and(|before| before.encoding().has_bom());
    let before = before.map(TextFile::text);
    let change = TextDiff::new(before.unwrap_or_default(), after).marked(is_marked);
    let warnings = review.of(path, before.unwrap_or_default(), after, &change)?;
    let before_name = before.map_or_else(
        || "/dev/null".to_owned(),
        |_| patch_path(&format!("a/{path}")),
    );
    let text = change.unified_within(
        &before_name,
        &patch_path(&format!("b/{path}")),
        limits::DIFF_CONTEXT_LINES,
        limits::DIFF_MAX_BYTES,
    );
    Ok(Diff {
        text,
        additions: change.additions(),
        deletions: change.deletions(),
        warnings,
    })
}

fn reported(located: &Located, kind: ChangeKind, bytes: u64, diff: Diff) -> WriteOutput {
    WriteOutput {
        path: located.name().to_owned(),
        absolute: located.target().to_string_lossy().into_owned(),
        kind,
        bytes,
        keeps_crlf: false,
        additions: diff.additions,
        deletions: diff.deletions,
        warnings: diff.warnings,
        diff: diff.text,
    }
}
