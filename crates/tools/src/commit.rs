//! What a set of changes would do, and the doing of it: exactly what was approved, or nothing.

use tenon_contract::{ErrorCode, FileChange, Preview, ToolContext, ToolError};
use tenon_workspace::{ChangeSet, Journal};

/// What a person is shown of the changes before they are made.
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

/// Makes the changes. The files were read under the lock of the call, and the commit compares them once more.
///
/// # Errors
/// [`ErrorCode::PlanChanged`] when somebody approved other changes; what the workspace refuses.
pub(crate) fn commit(
    changes: ChangeSet,
    journal: &Journal,
    context: &ToolContext,
) -> Result<(), ToolError> {
    if changes.is_empty() {
        return Ok(());
    }
    if let Some(approved) = context.approved_plan()
        && approved != changes.plan_hash().to_string()
    {
        let paths: Vec<&str> = changes
            .preview()
            .map(|change| change.claim.name.as_str())
            .collect();
        let message = format!(
            "Nothing was changed: {} changed after the approval of this call was asked for, so it would do something else than what was shown. Call it again to have it approved anew.",
            paths
                .iter()
                .map(|path| format!("`{path}`"))
                .collect::<Vec<_>>()
                .join(", ")
        );
        return Err(ToolError::new(ErrorCode::PlanChanged, message).with("paths", paths));
    }
    journal.commit(changes, &|| context.cancellation().is_cancelled())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_contract::{CancellationToken, ChangeKind};
    use tenon_workspace::{JournalOptions, Workspace};

    #[test]
    fn only_the_changes_that_were_approved_are_made() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path(), &[] as &[&str]).unwrap();
        let journal = Journal::new(JournalOptions::default());
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
        let error = commit(creating("two"), &journal, &context).unwrap_err();
        assert_eq!(
            (error.code, error.details.get("paths")),
            (ErrorCode::PlanChanged, Some(&serde_json::json!(["a.txt"])))
        );
        assert!(!folder.path().join("a.txt").exists());
        commit(creating("one"), &journal, &context).unwrap();
        let written = std::fs::read(folder.path().join("a.txt")).unwrap();
        assert_eq!(written, b"one");
        commit(ChangeSet::new(), &journal, &context).unwrap();
    }
}
