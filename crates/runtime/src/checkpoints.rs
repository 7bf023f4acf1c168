//! States of the workspace to come back to, calls to undo, and what was changed since.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::{ChangeKind, ErrorCode, FileChange, ToolError, limits};
use tenon_edit::{TextDiff, patch_path};
use tenon_tools::{off_thread, soon};
use tenon_workspace::{ChangedFile, CheckpointId, Since};

use crate::Toolkit;

impl Toolkit {
    /// Marks the present state of the files as one to come back to. Answers its name.
    ///
    /// # Errors
    /// Once the toolkit is closed.
    pub fn checkpoint(&self) -> Result<String, ToolError> {
        self.require_open()?;
        let id = self.journal().checkpoint()?;
        let journal = self.journal().clone();
        // The keeper says what it could not keep; the next change keeps it as well.
        soon(move || drop(journal.flush()));
        Ok(id.to_string())
    }

    /// Restores every file that a call changed: content, permission bits, existence. All or nothing. Of calls with the same
    /// id the last one that was not undone. With the id of a checkpoint: what the last roll-back to it has restored. What commands did is only known with the option `exec.changes`.
    ///
    /// # Errors
    /// `not_found` for a call that changed nothing, of which nothing is kept, or that was undone; `stale_file`, with the
    /// files in `details.paths` and later calls in `details.laterCalls`, where somebody changed them since.
    pub async fn undo(&self, call: &str) -> Result<Vec<FileChange>, ToolError> {
        self.undo_within("", call).await
    }

    /// The same in the handlers of the calls of this lineage ([`CallRequest::lineage`](crate::CallRequest::lineage)): the files
    /// that these hold are free for it.
    ///
    /// # Errors
    /// As [`undo`](Self::undo), and `deadlock` where it would wait for ever.
    pub async fn undo_within(
        &self,
        lineage: &str,
        call: &str,
    ) -> Result<Vec<FileChange>, ToolError> {
        self.require_open()?;
        let (journal, call) = (self.journal().within(lineage), call.to_owned());
        let work = off_thread(move || journal.undo(&call, &|| false));
        let done = work.await??;
        Ok(done.iter().map(FileChange::from).collect())
    }

    /// The files that tools changed since a checkpoint, since a call and with it, or since the oldest change that is kept.
    /// What something else changed in these files counts as well.
    ///
    /// # Errors
    /// `not_found` for a checkpoint or a call of which nothing is kept.
    pub async fn diff(&self, since: Option<&str>) -> Result<Differences, ToolError> {
        self.require_open()?;
        let (journal, since) = (self.journal().clone(), since.map(str::to_owned));
        let work = off_thread(move || {
            let since = match since.as_deref() {
                None => Since::Start,
                Some(id) => id
                    .parse()
                    .map_or(Since::Call(id), |id: CheckpointId| Since::Checkpoint(id)),
            };
            let max_bytes = limits::JOURNAL_DIFF_FILE_MAX_BYTES;
            let files = journal.changed_since(since, max_bytes)?;
            Ok::<_, tenon_workspace::Error>(Differences {
                files: files.into_iter().map(FileDifference::of).collect(),
                commands_not_ended: journal.commands_not_ended(since)?,
            })
        });
        Ok(work.await??)
    }

    /// Restores every file that tools changed since the checkpoint: content, permission bits,
    /// existence. All or nothing. What commands did is only known with the option `exec.changes`.
    /// With the id of a run of a sub-agent: what that run changed, and those that it has started, and nothing else.
    ///
    /// # Errors
    /// `not_found` for a checkpoint or a run that does not exist or of which nothing is kept; `stale_file`, with the
    /// files in `details.paths`, where something else changed them, unless `force` is set.
    pub async fn rollback(&self, id: &str, force: bool) -> Result<Vec<FileChange>, ToolError> {
        self.rollback_within("", id, force).await
    }

    /// The same in the handlers of the calls of this lineage, see [`undo_within`](Self::undo_within).
    ///
    /// # Errors
    /// As [`rollback`](Self::rollback), and `deadlock` where it would wait for ever.
    pub async fn rollback_within(
        &self,
        lineage: &str,
        id: &str,
        force: bool,
    ) -> Result<Vec<FileChange>, ToolError> {
        self.require_open()?;
        let journal = self.journal().within(lineage);
        let what = match id.parse::<CheckpointId>() {
            Ok(checkpoint) => Ok(checkpoint),
            Err(fault) => {
                if !self.ended_run(id, fault).await? {
                    return Ok(Vec::new());
                }
                Err(id.to_owned())
            }
        };
        let work = off_thread(move || match what {
            Ok(checkpoint) => journal.rollback(checkpoint, force, &|| false),
            Err(run) => journal.rollback_run(&run, force, &|| false),
        });
        let done = work.await??;
        Ok(done.iter().map(FileChange::from).collect())
    }

    /// Whether a run that has ended changed anything.
    async fn ended_run(&self, run: &str, fault: tenon_workspace::Error) -> Result<bool, ToolError> {
        let Some(member) = self.member() else {
            return Err(fault.into());
        };
        if member.is_running(run) {
            let message = format!(
                "The run `{run}` has not ended. Stop it first, or wait for it; then its changes can be taken back."
            );
            return Err(ToolError::new(ErrorCode::InvalidParams, message).with("runId", run));
        }
        let journal = self.journal().clone();
        let refreshed = off_thread(move || journal.refresh());
        refreshed.await??;
        if self.journal().holds_run(run) {
            return Ok(true);
        }
        match member.run(run).await? {
            // Some of it may be kept no more, or was made by another process: the journal says so.
            Some(row) => Ok(!row.changes.is_empty()),
            None => Err(ToolError::from(fault)),
        }
    }
}

/// What tools changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Differences {
    /// The files, sorted by their names.
    pub files: Vec<FileDifference>,
    /// Commands of other processes of the session that still run, or whose process ended before they did: what they changed
    /// is not known.
    pub commands_not_ended: Vec<String>,
}

/// One file that tools changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileDifference {
    /// The file, relative to the workspace with `/`.
    pub path: String,
    /// What happened to it, from then to now.
    pub kind: ChangeKind,
    /// The difference as a unified diff with three lines of context; missing where `omitted` says why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Lines that were added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additions: Option<usize>,
    /// Lines that were removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletions: Option<usize>,
    /// Why there is no diff, or not all of it: `binary`, or `too_large`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<&'static str>,
    /// The ids of the calls that changed it and were not undone, the oldest first.
    pub calls: Vec<String>,
}

impl FileDifference {
    fn of(file: ChangedFile) -> Self {
        let kind = match (&file.before, &file.after) {
            (Ok(None), _) => ChangeKind::Create,
            (_, Ok(None)) => ChangeKind::Delete,
            _ => ChangeKind::Update,
        };
        let mut found = Self {
            path: file.path,
            kind,
            diff: None,
            additions: None,
            deletions: None,
            omitted: Some("too_large"),
            calls: file.calls,
        };
        let (Ok(before), Ok(after)) = (file.before, file.after) else {
            return found;
        };
        let text = |bytes: &Option<Vec<u8>>| {
            let text = bytes.as_deref().unwrap_or_default();
            std::str::from_utf8(text)
                .ok()
                .filter(|text| !text.contains('\0'))
                .map(str::to_owned)
        };
        let (Some(old), Some(new)) = (text(&before), text(&after)) else {
            found.omitted = Some("binary");
            return found;
        };
        let name = |side: &Option<Vec<u8>>, begin: &str| match side {
            Some(_) => patch_path(&format!("{begin}/{}", found.path)),
            None => "/dev/null".to_owned(),
        };
        let difference = TextDiff::new(&old, &new);
        let (from, to) = (name(&before, "a"), name(&after, "b"));
        let whole = difference.unified(&from, &to, 3);
        found.additions = Some(difference.additions());
        found.deletions = Some(difference.deletions());
        if whole.len() <= limits::JOURNAL_DIFF_MAX_BYTES {
            found.omitted = None;
            found.diff = Some(whole);
        }
        found
    }
}
