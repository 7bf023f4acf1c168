//! Applies a patch over one or several files, all of it or nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{
    Access, ChangeKind, ErrorCode, FileChange, Operation, Output, Tool, ToolContext, ToolError,
    limits,
};
use tenon_edit::{FileOperation, FilePatch, PatchError, TextDiff, parse_patch, patch_path};
use tenon_workspace::{ChangeSet, Located, Workspace, read_text};

use crate::blocking::blocking;
use crate::edit::splices;

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
    type Plan = PatchPlan;
    type Output = PatchOutput;

    fn plan(&self, params: PatchParams) -> Result<(Access, PatchPlan), ToolError> {
        let mut access = Access::default();
        let mut files = Vec::new();
        for patch in parse_patch(&params.patch).map_err(refused)?.files {
            let source = patch
                .source()
                .map(|path| self.workspace.locate(path))
                .transpose()?;
            let target = self.workspace.locate(patch.path())?;
            let claim = target.claim().clone();
            access
                .reads
                .extend(source.iter().map(|source| source.claim().clone()));
            match &patch.operation {
                FileOperation::Delete { .. } => access.deletes.push(claim),
                FileOperation::Move { .. } => {
                    access
                        .deletes
                        .extend(source.iter().map(|source| source.claim().clone()));
                    access.writes.push(claim);
                }
                FileOperation::Create { .. }
                | FileOperation::Update { .. }
                | FileOperation::Copy { .. } => access.writes.push(claim),
            }
            files.push(FilePlan {
                patch,
                source,
                target,
            });
        }
        Ok((
            access,
            PatchPlan {
                files,
                dry_run: params.dry_run.unwrap_or(false),
            },
        ))
    }

    async fn run(&self, plan: PatchPlan, context: ToolContext) -> Result<PatchOutput, ToolError> {
        blocking(context, move |context| {
            let mut planned = Planned::default();
            for file in &plan.files {
                context.check()?;
                planned.add(file)?;
            }
            if !plan.dry_run {
                planned
                    .changes
                    .commit(&|| context.cancellation().is_cancelled())?;
            }
            Ok(PatchOutput {
                applied: !plan.dry_run,
                files: planned.files,
                diff: planned.diff,
            })
        })
        .await
    }
}

/// A parsed patch whose paths are located.
#[derive(Debug)]
pub struct PatchPlan {
    files: Vec<FilePlan>,
    dry_run: bool,
}

#[derive(Debug)]
struct FilePlan {
    patch: FilePatch,
    /// The file to read; nothing for a new one.
    source: Option<Located>,
    /// The file afterwards.
    target: Located,
}

/// The change set as it grows, and what will be told of it.
#[derive(Default)]
struct Planned {
    changes: ChangeSet,
    files: Vec<PatchedFile>,
    diff: String,
}

impl Planned {
    fn add(&mut self, file: &FilePlan) -> Result<(), ToolError> {
        let FilePlan {
            patch,
            source,
            target,
        } = file;
        let Some(source) = source else {
            return self.create(patch, target);
        };
        let old = read_text(source, limits::EDIT_MAX_BYTES)?;
        let plan = patch.place(old.text()).map_err(refused)?;
        let text = plan.apply(old.text());
        let bytes = old.splice(&splices(plan))?;
        let (kind, from) = match &patch.operation {
            // The lines of the patch were those of the file; without lines the file just goes.
            FileOperation::Delete { .. } => {
                self.changes.delete(old.snapshot())?;
                (ChangeKind::Delete, None)
            }
            FileOperation::Move { .. } => {
                self.changes.rename(old.snapshot(), target, Some(bytes))?;
                (ChangeKind::Move, Some(source))
            }
            FileOperation::Copy { .. } => {
                self.changes.create(target, bytes)?;
                (ChangeKind::Create, Some(source))
            }
            FileOperation::Create { .. } | FileOperation::Update { .. } => {
                self.changes.update(old.snapshot(), bytes)?;
                (ChangeKind::Update, None)
            }
        };
        let before = if kind == ChangeKind::Create {
            ""
        } else {
            old.text()
        };
        let after = if kind == ChangeKind::Delete {
            ""
        } else {
            &text
        };
        self.tell(patch, target, kind, from, (before, after));
        Ok(())
    }

    fn create(&mut self, patch: &FilePatch, target: &Located) -> Result<(), ToolError> {
        let text = patch.place("").map_err(refused)?.apply("");
        self.tell(patch, target, ChangeKind::Create, None, ("", &text));
        self.changes.create(target, text.into_bytes())?;
        Ok(())
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
