//! What a set of changes would do, and the doing of it: exactly what was approved, or nothing.

use tenon_contract::{ErrorCode, FileChange, Preview, ToolContext, ToolError};
use tenon_workspace::{ChangeSet, CommittedChange};

use crate::freshness::Note;
use crate::session::FileSession;

/// What a user is shown of the changes before they are made.
pub(crate) fn preview(changes: &ChangeSet, diff: String) -> Preview {
    let files = changes.preview().map(|change| FileChange {
        path: change.claim.name.clone(),
        kind: change.kind,
    });
    Preview {
        changes: files.collect(),
        diff,
        plan_hash: changes.plan_hash().to_string(),
    }
}

/// Makes the changes, and lets the session know. The files were read under the lock of the call, and
/// the commit compares them once more. Answers what is worth a warning.
///
/// # Errors
/// [`ErrorCode::PlanChanged`] when somebody approved other changes; what the workspace refuses.
pub(crate) fn commit(
    changes: ChangeSet,
    notes: Vec<Note>,
    session: &FileSession,
    context: &ToolContext,
) -> Result<Vec<String>, ToolError> {
    if changes.is_empty() {
        notes.into_iter().for_each(|note| note.enter(session));
        return Ok(Vec::new());
    }
    if let Some(approved) = context.approved_plan()
        && approved != changes.plan_hash().to_string()
    {
        let paths: Vec<&str> = changes
            .preview()
            .map(|change| change.claim.name.as_str())
            .collect();
        let message = format!(
            "Nothing was changed: {} changed after approval was requested, so the call would do something else than what was shown. Call it again to request approval.",
            paths
                .iter()
                .map(|path| format!("`{path}`"))
                .collect::<Vec<_>>()
                .join(", ")
        );
        return Err(ToolError::new(ErrorCode::PlanChanged, message).with("paths", paths));
    }
    let done = session
        .journal
        .of_call(context.call_id(), context.ticket())
        .commit(changes, &|| context.cancellation().is_cancelled())?;
    notes.into_iter().for_each(|note| note.enter(session));
    Ok(done.iter().filter_map(cut_links).collect())
}

/// Other names of a file keep the old content; the one who counts on them has to know.
fn cut_links(change: &CommittedChange) -> Option<String> {
    let names = match change.other_names {
        0 => return None,
        1 => "another name (hard link), which keeps".to_owned(),
        others => format!("{others} other names (hard links), which keep"),
    };
    let path = &change.path;
    Some(format!(
        "`{path}` had {names} the old content: it may lie outside the workspace."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::EditRules;
    use tenon_contract::{CancellationToken, ChangeKind};
    use tenon_workspace::{Journal, JournalOptions, Workspace};

    #[test]
    fn only_the_changes_that_were_approved_are_made() {
        let directory = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();
        let session = FileSession::new(
            workspace.clone(),
            Journal::new(JournalOptions::default()),
            EditRules::default(),
        );
        let creating = |content: &str| {
            let mut changes = ChangeSet::new();
            let place = workspace.locate("a.txt").unwrap();
            changes.create(&place, content.into()).unwrap();
            changes
        };
        let shown = preview(&creating("one"), "+one\n".to_owned());
        let expected = [FileChange {
            path: "a.txt".to_owned(),
            kind: ChangeKind::Create,
        }];
        assert_eq!(shown.changes, expected);
        let context = ToolContext::new("", CancellationToken::new())
            .with_approved_plan(shown.plan_hash.into());
        let error = commit(creating("two"), Vec::new(), &session, &context).unwrap_err();
        assert_eq!(
            (error.code, error.details.get("paths")),
            (ErrorCode::PlanChanged, Some(&serde_json::json!(["a.txt"])))
        );
        assert!(!directory.path().join("a.txt").exists());
        commit(creating("one"), Vec::new(), &session, &context).unwrap();
        let written = std::fs::read(directory.path().join("a.txt")).unwrap();
        assert_eq!(written, b"one");
        commit(ChangeSet::new(), Vec::new(), &session, &context).unwrap();
    }
}
