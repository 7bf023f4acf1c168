//! What a patch did, one file a line.

use tenon_contract::ChangeKind;
use tenon_tools::{PatchOutput, PatchedFile, shown_name};

use super::with_warnings;
use crate::words::Words;

/// The files of a patch in the short form of version control, and what may be wrong with them.
pub(crate) fn patch_text(output: &PatchOutput, words: &Words<'_>) -> String {
    let lead = if output.applied {
        "Success. Updated the following files:"
    } else {
        "Dry run, nothing was changed. The patch would update:"
    };
    let text = output.files.iter().fold(lead.to_owned(), |text, file| {
        format!("{text}\n{}", line(file))
    });
    with_warnings(text, &output.warnings, words)
}

fn line(file: &PatchedFile) -> String {
    let counts = (file.additions, file.deletions);
    changed_line(&file.path, file.kind, file.from.as_deref(), counts)
}

/// What happens to one file, as version control says it, with the number of new lines and of those that are gone.
pub(super) fn changed_line(
    path: &str,
    kind: ChangeKind,
    from: Option<&str>,
    (additions, deletions): (usize, usize),
) -> String {
    let counts = format!("(+{additions} -{deletions})");
    let path = shown_name(path);
    match (kind, from) {
        (ChangeKind::Move, Some(from)) => format!("R {} -> {path} {counts}", shown_name(from)),
        (ChangeKind::Create, _) => format!("A {path} {counts}"),
        (ChangeKind::Delete, _) => format!("D {path} {counts}"),
        (ChangeKind::Update | ChangeKind::Move, _) => format!("M {path} {counts}"),
    }
}
