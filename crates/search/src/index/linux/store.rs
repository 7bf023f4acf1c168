//! The files in which indexes lie between processes.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};
use rustix::process::geteuid;

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

static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// The file for the tree at `root`, whose paths are answered from `base`.
fn path(directory: &Path, base: &Path, root: &Path) -> PathBuf {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&to_bytes(base));
    hasher.update(&[0]);
    hasher.update(&to_bytes(root));
    let name = hasher.finalize().to_hex();
    directory.join(format!("{}{ENDING}", name.get(..32).unwrap_or_default()))
}

/// What was kept of a tree: only a file of this user that nobody else can write or read.
pub(crate) fn load(directory: &Path, base: &Path, root: &Path) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let path = path(directory, base, root);
    let file = File::from(openat(CWD, &path, flags, Mode::empty()).ok()?);
    let status = fstat(&file).ok()?;
    let is_private = FileType::from_raw_mode(status.st_mode) == FileType::RegularFile
        && status.st_uid == geteuid().as_raw()
        && status.st_mode & 0o077 == 0;
    let bytes = u64::try_from(status.st_size).ok()?;
    if !is_private || bytes > MAX_FILE_BYTES {
        return None;
    }
    let mut content = Vec::with_capacity(usize::try_from(bytes).ok()?);
    (&file).take(bytes).read_to_end(&mut content).ok()?;
    Some(content)
}

/// Keeps this of a tree. A process that reads meanwhile reads what was there before; one that was not written to its end is none.
pub(crate) fn save(
    directory: &Path,
    base: &Path,
    root: &Path,
    content: &[u8],
) -> std::io::Result<()> {
    if content.len() as u64 > MAX_FILE_BYTES {
        return Ok(());
    }
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)?;
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let unfinished = directory.join(format!("{}-{number}{UNFINISHED}", std::process::id()));
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let written = openat(CWD, &unfinished, flags, Mode::RUSR | Mode::WUSR)
        .map_err(std::io::Error::from)
        .and_then(|file| File::from(file).write_all(content))
        .and_then(|()| fs::rename(&unfinished, path(directory, base, root)));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    prune(directory);
    written
}

/// Removes what is too much, and what was left unfinished.
fn prune(directory: &Path) {
    let now = SystemTime::now();
    let mut kept = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let (Some(name), Ok(metadata)) = (name.to_str(), entry.metadata()) else {
            continue;
        };
        let Ok(modified) = metadata.modified() else {
            continue;
        };
        if name.ends_with(UNFINISHED) {
            if now.duration_since(modified).is_ok_and(|age| age > LEFT) {
                let _ = fs::remove_file(entry.path());
            }
        } else if name.ends_with(ENDING) && metadata.is_file() {
            kept.push((modified, metadata.len(), entry.path()));
        }
    }
    kept.sort_by_key(|(modified, ..)| std::cmp::Reverse(*modified));
    let mut bytes = 0;
    for (number, (_, length, path)) in kept.into_iter().enumerate() {
        bytes += length;
        if number >= MAX_FILES || bytes > MAX_BYTES {
            let _ = fs::remove_file(path);
        }
    }
}
