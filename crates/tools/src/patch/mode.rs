//! Permission bits in patches.

use tenon_contract::{ErrorCode, ToolError};
use tenon_edit::{FileOperation, FilePatch, patch_path};
use tenon_workspace::{FileSnapshot, Located, ModeChange};

/// Permission bits without set-user, set-group and sticky: those mean the original, not its copy.
pub(super) const PERMISSIONS: u32 = 0o777;

/// The permission bits that the patch states.
pub(super) fn wanted_mode(patch: &FilePatch) -> Option<ModeChange> {
    patch
        .new_mode
        .map(|mode| ModeChange::Executable(is_executable(mode)))
}

/// Permission bits before and afterwards. A patch that states nothing but a mode must change it.
pub(super) fn modes(patch: &FilePatch, old: &FileSnapshot) -> Result<(u32, u32), ToolError> {
    let before = old.metadata().mode;
    let after = wanted_mode(patch).map_or(before, |mode| mode.apply(before));
    let is_mode_only =
        matches!(patch.operation, FileOperation::Update { .. }) && patch.hunks.is_empty();
    if is_mode_only && before == after {
        let path = old.located().name();
        let message = format!(
            "Nothing was changed: `{path}` has the mode that the patch asks for already. Leave this file out of the patch."
        );
        return Err(ToolError::new(ErrorCode::NoChange, message).with("path", path));
    }
    Ok((before, after))
}

pub(super) const fn is_executable(mode: u32) -> bool {
    mode & 0o100 != 0
}

/// The line that begins a change of mode.
pub(super) fn git_line((from, to): (&Located, &Located)) -> String {
    let from = header_path(&format!("a/{}", from.name()));
    let to = header_path(&format!("b/{}", to.name()));
    format!("diff --git {from} {to}\n")
}

/// A path as it stands in git's own header lines, where no tab follows a name with blanks.
pub(super) fn header_path(path: &str) -> String {
    patch_path(path).trim_end_matches('\t').to_owned()
}
