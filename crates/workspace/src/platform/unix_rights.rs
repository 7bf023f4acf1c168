//! Which right is missing on the way to a place. Looked at after a refusal, for its words; nothing is decided by it.

use std::path::{Path, PathBuf};

use rustix::fs::{self, Access, AtFlags, CWD, StatVfsMountFlags};

use super::Need;
use super::unix::metadata_of;
use crate::closed::Right;
use crate::{FileKind, Metadata};

const STICKY: u32 = 0o1000;

/// The user as whom this process works with files.
pub(crate) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Whether the file system of what stands at this path takes no changes.
pub(crate) fn is_read_only_mount(path: &Path) -> bool {
    fs::statvfs(path).is_ok_and(|found| found.f_flag.contains(StatVfsMountFlags::RDONLY))
}

/// The letter of `chattr` for what keeps a file or the entries of a directory as they are: immutable or append-only.
#[cfg(target_os = "linux")]
pub(crate) fn keeping_attribute(path: &Path) -> Option<char> {
    use fs::{StatxAttributes, StatxFlags};
    let found = fs::statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::empty()).ok()?;
    let set = found.stx_attributes & found.stx_attributes_mask;
    let letters = [
        (StatxAttributes::IMMUTABLE, 'i'),
        (StatxAttributes::APPEND, 'a'),
    ];
    let held = letters
        .into_iter()
        .find(|(attribute, _)| set.contains(*attribute));
    held.map(|(_, letter)| letter)
}

/// Not looked at here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn keeping_attribute(_: &Path) -> Option<char> {
    None
}

/// Whether others than the owners of a directory and of a file in it may not replace that file.
pub(crate) fn keeps_files_of_others(directory: &Metadata, file: &Metadata) -> bool {
    let user = user();
    directory.mode & STICKY != 0 && user != 0 && user != file.owner && user != directory.owner
}

/// The first directory from `root` on, or the target, for which this process lacks what it needs.
pub(crate) fn missing_right(
    root: &Path,
    target: &Path,
    need: Need,
) -> Option<(PathBuf, Right, Metadata)> {
    let may = |path: &Path, access| fs::accessat(CWD, path, access, AtFlags::EACCESS).is_ok();
    let above = target.ancestors().skip(1);
    let mut above: Vec<&Path> = above.take_while(|path| path.starts_with(root)).collect();
    let mut last = None;
    while let Some(path) = above.pop() {
        let Some(found) = look(path) else { break };
        // A link leads to where its own rights hold.
        if found.kind != FileKind::Directory {
            return None;
        }
        if !may(path, Access::EXEC_OK) {
            return Some((path.to_owned(), Right::Enter, found));
        }
        last = Some((path, found));
    }
    let there = look(target);
    match need {
        Need::Reach => None,
        Need::Read => {
            let found = there?;
            let right = match found.kind {
                FileKind::Directory => Right::List,
                _ => Right::Read,
            };
            (!may(target, Access::READ_OK)).then(|| (target.to_owned(), right, found))
        }
        Need::Change => {
            let (path, found) = last?;
            if !may(path, Access::WRITE_OK) {
                return Some((path.to_owned(), Right::Change, found));
            }
            let is_kept = there.is_some_and(|file| keeps_files_of_others(&found, &file));
            is_kept.then(|| (path.to_owned(), Right::ChangeOfOthers, found))
        }
    }
}

/// What stands at a path, a link not followed.
fn look(path: &Path) -> Option<Metadata> {
    let found = fs::statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(metadata_of(&found))
}
