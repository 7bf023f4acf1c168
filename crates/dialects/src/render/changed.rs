//! Files that a command changed.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::{ChangeKind, FileChange, limits};
use tenon_tools::{ChangedFiles, shown_name};

/// The files of the workspace that were changed while a command ran.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangedDetails {
    /// The files, by path.
    files: Vec<FileChange>,
    /// Whether everything was looked at, and nothing runs on. Otherwise there may be more.
    complete: bool,
    /// Those that a roll-back to a checkpoint does not take back, and why. Absent where it takes back all, and where
    /// there is no checkpoint.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_restorable: Vec<NotRestorable>,
}

/// A change that a roll-back does not take back.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NotRestorable {
    /// Relative to the workspace, with `/`.
    path: String,
    /// Why, as the end of a sentence.
    reason: String,
}

impl ChangedDetails {
    pub(crate) fn of(changed: &ChangedFiles) -> Self {
        Self {
            files: changed.changes.clone(),
            complete: changed.complete && !changed.runs_on,
            not_restorable: changed
                .not_restorable
                .iter()
                .map(|change| NotRestorable {
                    path: change.path.clone(),
                    reason: change.reason.reason(),
                })
                .collect(),
        }
    }
}

/// The same in a line for a model; nothing when there is nothing to report.
pub(crate) fn changed_line(changed: &ChangedFiles) -> Option<String> {
    if changed.changes.is_empty() {
        return (!changed.complete)
            .then(|| "[Too many files to determine which of them were changed]".to_owned());
    }
    let mut parts = Vec::new();
    let mut left = limits::EXECUTE_CHANGES_NAMED_MAX;
    for (kind, verb) in [
        (ChangeKind::Create, "Created"),
        (ChangeKind::Update, "modified"),
        (ChangeKind::Delete, "deleted"),
    ] {
        let of_kind = changed.changes.iter().filter(|change| change.kind == kind);
        let names: Vec<_> = of_kind.map(|change| shown_name(&change.path)).collect();
        if names.is_empty() {
            continue;
        }
        let shown = names.len().min(left);
        left -= shown;
        let rest = match names.len() - shown {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let listed = names.get(..shown).unwrap_or_default().join(", ");
        parts.push(format!("{verb} {listed}{rest}"));
    }
    let mut line = parts.join("; ");
    if let Some(first) = line.get(..1).map(str::to_ascii_uppercase) {
        line.replace_range(..1, &first);
    }
    let more = match (changed.complete, changed.runs_on) {
        (true, false) => "",
        (true, true) => "; so far",
        (false, _) => "; perhaps more",
    };
    Some(format!("[{line}{more}]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_what_became_of_them() {
        let change = |path: &str, kind| FileChange {
            path: path.to_owned(),
            kind,
        };
        let mut changed = ChangedFiles {
            changes: vec![
                change("a", ChangeKind::Update),
                change("b", ChangeKind::Delete),
                change("c", ChangeKind::Update),
            ],
            complete: true,
            ..ChangedFiles::default()
        };
        assert_eq!(
            changed_line(&changed).as_deref(),
            Some("[Modified a, c; deleted b]")
        );
        changed.runs_on = true;
        assert_eq!(
            changed_line(&changed).as_deref(),
            Some("[Modified a, c; deleted b; so far]")
        );
        changed.complete = false;
        assert_eq!(
            changed_line(&changed).as_deref(),
            Some("[Modified a, c; deleted b; perhaps more]")
        );
        let many = (0..60).map(|index| change(&format!("{index:02}"), ChangeKind::Create));
        changed.changes = many.collect();
        let line = changed_line(&changed).unwrap();
        assert!(
            line.starts_with("[Created 00, 01, ")
                && line.ends_with("49 and 10 more; perhaps more]")
        );
        assert_eq!(
            changed_line(&ChangedFiles {
                changes: vec![],
                complete: true,
                ..ChangedFiles::default()
            }),
            None
        );
    }
}
