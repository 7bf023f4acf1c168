//! Applies a patch over one or several files, all of it or nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{
    Access, ChangeKind, ErrorCode, FileChange, Operation, Output, Tool, ToolContext, ToolError,
    limits,
};
use tenon_edit::{
    FileOperation, FilePatch, Patch as ParsedPatch, PatchError, TextDiff, parse_patch, patch_path,
};
use tenon_workspace::{ChangeSet, Located, Splice, TextFile, Workspace, read_text};

use crate::blocking::blocking;

/// What to apply.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PatchParams {
    /// The patch: an envelope (`*** Begin Patch` … `*** End Patch`) or a unified diff.
    #[schemars(length(min = 1))]
    pub patch: String,
    /// Plan everything and tell what would happen, but change nothing. Default: false.
    pub dry_run: Option<bool>,
}

/// What was applied.
#[derive(Debug)]
pub struct PatchOutput {
    /// Whether files were changed; false for a dry run.
    pub applied: bool,
    /// Every file of the patch, in its order.
    pub files: Vec<PatchedFile>,
    /// All changes as one unified diff.
    pub diff: String,
}

/// One file of a patch.
#[derive(Debug)]
pub struct PatchedFile {
    /// The file afterwards (before, for a deletion), as answers name it.
    pub path: String,
    /// What happens to it.
    pub kind: ChangeKind,
    /// Where it was before, for a move or copy.
    pub from: Option<String>,
    /// Hunks of the patch for this file.
    pub hunks: usize,
    /// Lines that are new.
    pub additions: usize,
    /// Lines that are gone.
    pub deletions: usize,
}

impl Output for PatchOutput {
    fn changes(&self) -> Vec<FileChange> {
        let files = self.files.iter().filter(|_| self.applied);
        files
            .map(|file| FileChange {
                path: file.path.clone(),
                kind: file.kind,
            })
            .collect()
    }
}

/// The patch operation.
#[derive(Debug)]
pub struct Patch {
    workspace: Workspace,
}

impl Patch {
    /// Patches within `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }
}

impl Tool for Patch {
    const OPERATION: Operation = Operation::Patch;
    type Params = PatchParams;
    type Output = PatchOutput;

    fn access(&self, params: &PatchParams) -> Result<Access, ToolError> {
        let mut access = Access::default();
        for file in &parsed(&params.patch)?.files {
            let claim =
                |path: &str| Ok::<_, ToolError>(self.workspace.locate(path)?.claim().clone());
            if let Some(source) = file.source() {
                access.reads.push(claim(source)?);
            }
            match &file.operation {
                FileOperation::Delete { path } => access.deletes.push(claim(path)?),
                FileOperation::Move { from, to } => {
                    access.deletes.push(claim(from)?);
                    access.writes.push(claim(to)?);
                }
                FileOperation::Create { path }
                | FileOperation::Update { path }
                | FileOperation::Copy { to: path, .. } => {
                    access.writes.push(claim(path)?);
                }
            }
        }
        Ok(access)
    }

    async fn run(
        &self,
        params: PatchParams,
        context: ToolContext,
    ) -> Result<PatchOutput, ToolError> {
        let workspace = self.workspace.clone();
        blocking(context, move |context| {
            let patch = parsed(&params.patch)?;
            let mut planned = Planned {
                workspace: &workspace,
                changes: ChangeSet::new(),
                files: Vec::new(),
                diff: String::new(),
            };
            for file in &patch.files {
                context.check()?;
                planned.add(file)?;
            }
            let applied = !params.dry_run.unwrap_or(false);
            if applied {
                planned
                    .changes
                    .commit(&|| context.cancellation().is_cancelled())?;
            }
            Ok(PatchOutput {
                applied,
                files: planned.files,
                diff: planned.diff,
            })
        })
        .await
    }
}

/// The change set as it grows, and what will be told of it.
struct Planned<'a> {
    workspace: &'a Workspace,
    changes: ChangeSet,
    files: Vec<PatchedFile>,
    diff: String,
}

impl Planned<'_> {
    fn add(&mut self, file: &FilePatch) -> Result<(), ToolError> {
        match &file.operation {
            FileOperation::Create { path } => self.create(file, path),
            FileOperation::Delete { path } => self.delete(file, path),
            FileOperation::Update { path } => self.update(file, path),
            FileOperation::Move { from, to } => self.rename(file, from, to),
            FileOperation::Copy { from, to } => self.copy(file, from, to),
        }
    }

    fn create(&mut self, file: &FilePatch, path: &str) -> Result<(), ToolError> {
        let to = self.workspace.locate(path)?;
        let text = file.place("").map_err(refused)?.apply("");
        self.tell(file, &to, ChangeKind::Create, None, ("", &text));
        self.changes.create(&to, text.into_bytes())?;
        Ok(())
    }

    fn delete(&mut self, file: &FilePatch, path: &str) -> Result<(), ToolError> {
        let old = self.read(path)?;
        // The lines of the patch must be those of the file; without lines the file just goes.
        file.place(old.text()).map_err(refused)?;
        self.tell(
            file,
            old.snapshot().located(),
            ChangeKind::Delete,
            None,
            (old.text(), ""),
        );
        self.changes.delete(old.snapshot())?;
        Ok(())
    }

    fn update(&mut self, file: &FilePatch, path: &str) -> Result<(), ToolError> {
        let old = self.read(path)?;
        let (text, bytes) = patched(file, &old)?;
        self.tell(
            file,
            old.snapshot().located(),
            ChangeKind::Update,
            None,
            (old.text(), &text),
        );
        self.changes.update(old.snapshot(), bytes)?;
        Ok(())
    }

    fn rename(&mut self, file: &FilePatch, from: &str, to: &str) -> Result<(), ToolError> {
        let old = self.read(from)?;
        let to = self.workspace.locate(to)?;
        let (text, bytes) = patched(file, &old)?;
        let from = old.snapshot().located().clone();
        self.tell(
            file,
            &to,
            ChangeKind::Move,
            Some(&from),
            (old.text(), &text),
        );
        self.changes.rename(old.snapshot(), &to, Some(bytes))?;
        Ok(())
    }

    fn copy(&mut self, file: &FilePatch, from: &str, to: &str) -> Result<(), ToolError> {
        let old = self.read(from)?;
        let to = self.workspace.locate(to)?;
        let (text, bytes) = patched(file, &old)?;
        let from = old.snapshot().located().clone();
        self.tell(file, &to, ChangeKind::Create, Some(&from), ("", &text));
        self.changes.create(&to, bytes)?;
        Ok(())
    }

    fn read(&self, path: &str) -> Result<TextFile, ToolError> {
        Ok(read_text(
            &self.workspace.locate(path)?,
            limits::EDIT_MAX_BYTES,
        )?)
    }

    fn tell(
        &mut self,
        file: &FilePatch,
        to: &Located,
        kind: ChangeKind,
        from: Option<&Located>,
        (before, after): (&str, &str),
    ) {
        let change = TextDiff::new(before, after);
        let path = to.name();
        let source = from.map_or(path, Located::name);
        let before_name = if kind == ChangeKind::Create {
            "/dev/null".to_owned()
        } else {
            patch_path(&format!("a/{source}"))
        };
        let after_name = if kind == ChangeKind::Delete {
            "/dev/null".to_owned()
        } else {
            patch_path(&format!("b/{path}"))
        };
        self.diff
            .push_str(&change.unified(&before_name, &after_name, limits::DIFF_CONTEXT_LINES));
        self.files.push(PatchedFile {
            path: path.to_owned(),
            kind,
            from: from.map(|from| from.name().to_owned()),
            hunks: file.hunks.len(),
            additions: change.additions(),
            deletions: change.deletions(),
        });
    }
}

/// The new text of a file and its bytes in the file's own encoding.
fn patched(file: &FilePatch, old: &TextFile) -> Result<(String, Vec<u8>), ToolError> {
    let plan = file.place(old.text()).map_err(refused)?;
    let text = plan.apply(old.text());
    let splices: Vec<Splice> = plan
        .splices
        .into_iter()
        .map(|splice| Splice {
            range: splice.range,
            text: splice.replacement,
        })
        .collect();
    Ok((text, old.splice(&splices)?))
}

fn parsed(text: &str) -> Result<ParsedPatch, ToolError> {
    parse_patch(text).map_err(refused)
}

/// Nothing of a patch is applied when a part of it cannot be.
fn refused(error: PatchError) -> ToolError {
    let code = match &error {
        PatchError::NotFound { .. } | PatchError::OtherContent { .. } => ErrorCode::NoMatch,
        PatchError::Ambiguous { .. } => ErrorCode::NotUnique,
        PatchError::AlreadyApplied { .. } | PatchError::NoChange { .. } => ErrorCode::NoChange,
        PatchError::Exists { .. } => ErrorCode::AlreadyExists,
        PatchError::Binary { .. } => ErrorCode::BinaryFile,
        _ => ErrorCode::Syntax,
    };
    ToolError::new(code, format!("Nothing was changed: {error}"))
}
