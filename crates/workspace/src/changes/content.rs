//! Writing and comparing the content of open files.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::durability::Durability;
use super::mode::ModeChange;
use crate::Metadata;
use crate::platform::{copy_attributes, file_metadata, set_mode};

/// Writes a temporary file.
pub(super) fn fill(
    mut file: &File,
    bytes: &[u8],
    like: Option<(&File, &Metadata)>,
    mode: Option<ModeChange>,
) -> io::Result<()> {
    file.write_all(bytes)?;
    if let Some((old, metadata)) = like {
        copy_attributes(old, file, metadata)?;
    }
    if let Some(mode) = mode {
        change_mode(file, mode)?;
    }
    Ok(())
}

/// Gives an open file other permission bits. Answers those that it had.
pub(super) fn change_mode(file: &File, mode: ModeChange) -> io::Result<u32> {
    let old = file_metadata(file)?.mode;
    let new = mode.apply(old);
    if new != old {
        set_mode(file, new)?;
    }
    Ok(old)
}

/// Writes over a file, piece by piece, with a look before each. It is never empty in between: what is
/// left of longer content goes last.
pub(super) fn write_whole(
    mut file: &File,
    bytes: &[u8],
    durability: Durability,
    look: &mut dyn FnMut() -> io::Result<()>,
) -> io::Result<()> {
    const PIECE_BYTES: usize = 64 * 1024;
    file.seek(SeekFrom::Start(0))?;
    for piece in bytes.chunks(PIECE_BYTES) {
        look()?;
        file.write_all(piece)?;
    }
    look()?;
    file.set_len(crate::truncate::wide(bytes.len()))?;
    sync(file, durability)
}

/// Lets the system begin to write a file to the disk, if it can be asked to: of many files the last is then waited for
/// about as long as one alone.
pub(super) fn begin_sync(file: &File) {
    #[cfg(target_os = "linux")]
    {
        // What is dropped from memory by this advice is only what is on the disk already. A refusal means nothing.
        let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = file;
}

/// Waits until a file is on the disk, if that is wanted.
pub(super) fn sync(file: &File, durability: Durability) -> io::Result<()> {
    match durability {
        Durability::Synced => file.sync_all(),
        Durability::Unsynced => Ok(()),
    }
}

/// Whether a file holds exactly `bytes`.
pub(super) fn has_content(mut file: &File, metadata: &Metadata, bytes: &[u8]) -> io::Result<bool> {
    const PIECE_BYTES: usize = 256 * 1024;
    // Files of /proc and /sys report no size.
    if metadata.size != 0 && metadata.size != crate::truncate::wide(bytes.len()) {
        return Ok(false);
    }
    file.seek(SeekFrom::Start(0))?;
    let mut piece = vec![0; PIECE_BYTES.min(bytes.len() + 1)];
    let mut rest = bytes;
    loop {
        let count = match file.read(&mut piece) {
            Ok(0) => return Ok(rest.is_empty()),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let read = piece.get(..count).unwrap_or_default();
        match rest.strip_prefix(read) {
            Some(after) => rest = after,
            None => return Ok(false),
        }
    }
}
