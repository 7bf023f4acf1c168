//! Permission bits in patches.

use tenon_contract::{ErrorCode, ToolError};
use tenon_edit::{FileOperation, FilePatch, patch_path};
use tenon_workspace::{FileSnapshot, Located, ModeChange};

use super::Planned;

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
            "Nothing was changed: `{path}` already has the mode that the patch sets. Leave this file out of the patch."
        );
        return Err(ToolError::new(ErrorCode::NoChange, message).with("path", path));
    }
    Ok((before, after))
}

const fn is_executable(mode: u32) -> bool {
    mode & 0o100 != 0
}

/// The line that begins a change of mode.
pub(super) fn git_line((from, to): (&Located, &Located)) -> String {
    let from = header_path(&format!("a/{}", from.name()));
    let to = header_path(&format!("b/{}", to.name()));
    format!("diff --git {from} {to}\n")
}

/// A path as it stands in git's own header lines, where no tab follows a name with spaces.
fn header_path(path: &str) -> String {
    patch_path(path).trim_end_matches('\t').to_owned()
}

impl Planned {
    /// Reports new permission bits in git's words, and the new name of a file that takes the place of another one: there
    /// the changes alone do not show what comes from where.
    pub(super) fn report_header(
        &mut self,
        (from, to): (&Located, &Located),
        (before, after): (u32, u32),
        is_exchanged: bool,
    ) {
        let is_other_mode = is_executable(before) != is_executable(after);
        if !is_other_mode && !is_exchanged {
            return;
        }
        self.diff.push_str(&git_line((from, to)));
        let modes = [("old", before), ("new", after)];
        for (word, mode) in modes.into_iter().filter(|_| is_other_mode) {
            let bits = if is_executable(mode) { 755 } else { 644 };
            self.diff.push_str(&format!("{word} mode 100{bits}\n"));
        }
        if from.name() != to.name() {
            let (from, to) = (header_path(from.name()), header_path(to.name()));
            self.diff
                .push_str(&format!("rename from {from}\nrename to {to}\n"));
        }
    }
}
