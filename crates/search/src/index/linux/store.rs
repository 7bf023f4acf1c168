//! The files in which indexes lie between processes.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, openat, renameat, statat, unlinkat,
};
use rustix::process::geteuid;

use super::place::now;
use crate::directory::to_bytes;

/// Files in the directory, and bytes in all of them, at most: those that were written first go first.
const MAX_FILES: usize = 8;
const MAX_BYTES: u64 = 512 * 1024 * 1024;

/// Bytes of one file at most.
const MAX_FILE_BYTES: u64 = 192 * 1024 * 1024;

/// How the name of every file ends.
const ENDING: &str = ".index";

/// How the name of one ends that is being written.
const UNFINISHED: &str = ".index-part";

/// One that is being written for longer than this is what a process left that was killed.
const LEFT: Duration = Duration::from_secs(3600);

/// One that was written longer ago than this goes: names of a tree do not outlive it for ever.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// The name of the file for the tree at `root`, whose paths are answered from `base`.
fn name(base: &Path, root: &Path) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&to_bytes(base));
    hasher.update(&[0]);
    hasher.update(&to_bytes(root));
    let name = hasher.finalize().to_hex();
    format!("{}{ENDING}", name.get(..32).unwrap_or_default())
}

/// Whether it is of this user, and nobody else can read, write or enter it.
fn is_private(status: &Stat, kind: FileType) -> bool {
    FileType::from_raw_mode(status.st_mode) == kind
        && status.st_uid == geteuid().as_raw()
        && status.st_mode & 0o077 == 0
}

/// The directory, if it is no link and only this user can enter it. Everything in it is reached from here, so that another in its
/// place changes nothing.
fn open(directory: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat(CWD, directory, flags, Mode::empty())?;
    match is_private(&fstat(&opened)?, FileType::Directory) {
        true => Ok(opened),
        false => Err(io::ErrorKind::PermissionDenied.into()),
    }
}

/// What was kept of a tree: only a file of this user that nobody else can write or read. It is read and not mapped: what is cut off
/// meanwhile is a shorter file, not a signal.
pub(crate) fn load(directory: &Path, base: &Path, root: &Path) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let directory = open(directory).ok()?;
    let file = openat(&directory, name(base, root), flags, Mode::empty()).ok()?;
    let status = fstat(&file).ok()?;
    let bytes = u64::try_from(status.st_size).ok()?;
    if !is_private(&status, FileType::RegularFile) || bytes > MAX_FILE_BYTES {
        return None;
    }
    let mut content = Vec::with_capacity(usize::try_from(bytes).ok()?);
    File::from(file)
        .take(bytes)
        .read_to_end(&mut content)
        .ok()?;
    Some(content)
}

/// Keeps this of a tree. A process that reads meanwhile reads what was there before; a file that was not written to its end is not used.
///
/// Not synced: after a crash of the system nothing is believed of what was written before it.
pub(crate) fn save(directory: &Path, base: &Path, root: &Path, content: &[u8]) -> io::Result<()> {
    if content.len() as u64 > MAX_FILE_BYTES {
        return Ok(());
    }
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)?;
    let directory = open(directory)?;
    prune(&directory);
    // Processes with one number may share the directory, each in a container of its own.
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let (process, time) = (std::process::id(), now().as_nanos());
    let unfinished = format!("{process}-{time}-{number}{UNFINISHED}");
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat(&directory, &unfinished, flags, Mode::RUSR | Mode::WUSR)?;
    let written = File::from(file).write_all(content).and_then(|()| {
        let name = name(base, root);
        Ok(renameat(&directory, &unfinished, &directory, name)?)
    });
    if written.is_err() {
        let _ = unlinkat(&directory, &unfinished, AtFlags::empty());
    }
    prune(&directory);
    written
}

/// Removes what is too much or too old, and what was left unfinished.
fn prune(directory: &OwnedFd) {
    let now = now();
    let mut kept = Vec::new();
    for entry in Dir::read_from(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Ok(text) = name.to_str() else { continue };
        let Ok(status) = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) else {
            continue;
        };
        if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile {
            continue;
        }
        let modified = Duration::from_secs(u64::try_from(status.st_mtime).unwrap_or_default());
        let age = now.saturating_sub(modified);
        let is_left = text.ends_with(UNFINISHED) && age > LEFT;
        if is_left || (text.ends_with(ENDING) && age > KEPT) {
            let _ = unlinkat(directory, name, AtFlags::empty());
        } else if text.ends_with(ENDING) {
            let bytes = u64::try_from(status.st_size).unwrap_or(u64::MAX);
            kept.push((
                (status.st_mtime, status.st_mtime_nsec),
                bytes,
                name.to_owned(),
            ));
        }
    }
    kept.sort_by_key(|(modified, ..)| std::cmp::Reverse(*modified));
    let mut bytes = 0_u64;
    for (number, (_, length, name)) in kept.into_iter().enumerate() {
        bytes = bytes.saturating_add(length);
        if number >= MAX_FILES || bytes > MAX_BYTES {
            let _ = unlinkat(directory, name, AtFlags::empty());
        }
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
