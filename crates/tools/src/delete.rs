//! Deletes one file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{
    Access, ChangeKind, ErrorCode, FileChange, Operation, Output, Preview, Tool, ToolContext,
    ToolError, limits,
};
use tenon_workspace::{ChangeSet, Located, read_bytes};

use crate::blocking::blocking;
use crate::commit::{commit, preview};
use crate::freshness::{FileFreshness, Note, without_content};
use crate::session::FileSession;
use crate::visible::is_kept_back;

/// What to delete.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteParams {
    /// File path, absolute or relative to the workspace.
    pub path: String,
}

/// What was deleted.
#[derive(Debug)]
pub struct DeleteOutput {
    /// The file, as answers name it.
    pub path: String,
    /// Bytes that it had.
    pub bytes: u64,
}

impl Output for DeleteOutput {
    fn changes(&self) -> Vec<FileChange> {
        vec![FileChange {
            path: self.path.clone(),
            kind: ChangeKind::Delete,
        }]
    }
}

/// The delete operation.
#[derive(Debug)]
pub struct Delete {
    session: FileSession,
}

impl Delete {
    /// Deletes the files of a session.
    #[must_use]
    pub const fn new(session: FileSession) -> Self {
        Self { session }
    }
}

/// A located file.
#[derive(Debug)]
pub struct DeletePlan {
    file: Located,
}

impl Tool for Delete {
    const OPERATION: Operation = Operation::Delete;
    type Params = DeleteParams;
    type Plan = DeletePlan;
    type Output = DeleteOutput;

    fn plan(&self, params: DeleteParams) -> Result<(Access, DeletePlan), ToolError> {
        let file = self.session.workspace.locate_existing(&params.path)?;
        let access = Access::deleting(file.claim().clone());
        Ok((access, DeletePlan { file }))
    }

    fn preview(&self, plan: &DeletePlan) -> Result<Option<Preview>, ToolError> {
        let (changes, output) = draft(&plan.file, &self.session)?;
        let what = format!("`{}`, {} bytes, is deleted.\n", output.path, output.bytes);
        Ok(Some(preview(&changes, what)))
    }

    async fn run(&self, plan: DeletePlan, context: ToolContext) -> Result<DeleteOutput, ToolError> {
        let session = self.session.clone();
        blocking(context, move |context| {
            let drafted = draft(&plan.file, &session);
            let kept_back = is_kept_back(context, plan.file.claim());
            let (changes, output) = drafted.map_err(|error| {
                if kept_back {
                    without_content(error)
                } else {
                    error
                }
            })?;
            commit(changes, vec![Note::Gone(plan.file)], &session, context)?;
            Ok(output)
        })
        .await
    }
}

/// The change as it will be made, and what will be reported of it.
fn draft(file: &Located, session: &FileSession) -> Result<(ChangeSet, DeleteOutput), ToolError> {
    let old = read_bytes(file, limits::EDIT_MAX_BYTES)?;
    refuse_link(file, "delete")?;
    FileFreshness::of(session, &old)?.check_whole(&old)?;
    let mut changes = ChangeSet::new();
    changes.delete(&old)?;
    let output = DeleteOutput {
        path: file.name().to_owned(),
        bytes: old.bytes().len() as u64,
    };
    Ok((changes, output))
}

/// Anyone who deletes or moves a link means the link; what it leads to must not go in its place.
///
/// # Errors
/// A file that is named by a link.
pub(crate) fn refuse_link(file: &Located, verb: &str) -> Result<(), ToolError> {
    if !file.is_named_by_link()? {
        return Ok(());
    }
    let name = file.name();
    let target = file.target().to_string_lossy();
    let target = file
        .workspace()
        .locate(&target)
        .map_or_else(|_| target.into_owned(), |target| target.name().to_owned());
    let message = format!(
        "`{name}` was not {verb}d: it is a link to `{target}`. To {verb} that file, pass its path."
    );
    let error = ToolError::new(ErrorCode::NotAFile, message);
    Err(error.with("path", name).with("target", target))
}
