//! Mode, owner and extended attributes of a file for the one that takes its place.

use std::fs::File;
use std::io;

use rustix::fs::{self, Gid, Mode, Uid};

use crate::Metadata;

/// Set-user, set-group: they mean the owner, and are worth nothing under another.
const SET_ID: u32 = 0o6000;

/// Gives `new` the attributes of `old`. Owner and extended attributes as far as the system permits:
/// only root may give files away, and not every file system keeps all attributes.
pub(crate) fn copy_attributes(old: &File, new: &File, metadata: &Metadata) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    copy_extended(old, new);
    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    let _ = old;
    let mut mode = metadata.mode;
    if !keep_owner(new, metadata)? {
        mode &= !SET_ID;
    }
    fs::fchmod(new, Mode::from_bits_truncate(mode as _))?;
    Ok(())
}

/// Gives an open file these permission bits.
pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    Ok(fs::fchmod(file, Mode::from_bits_truncate(mode as _))?)
}

/// Answers whether owner and group are the old ones.
fn keep_owner(new: &File, metadata: &Metadata) -> io::Result<bool> {
    let own = super::unix::file_metadata(new)?;
    if (own.owner, own.group) == (metadata.owner, metadata.group) {
        return Ok(true);
    }
    let owner = Uid::from_raw(metadata.owner);
    let group = Gid::from_raw(metadata.group);
    if fs::fchown(new, Some(owner), Some(group)).is_ok() {
        return Ok(true);
    }
    // The group alone may be given by members of it.
    let group_kept = fs::fchown(new, None, Some(group)).is_ok();
    Ok(group_kept && own.owner == metadata.owner)
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn copy_extended(old: &File, new: &File) {
    use std::ffi::CStr;

    /// What the kernel takes away whenever content changes, because it vouches for the content.
    const OF_CONTENT: [&[u8]; 3] = [b"security.capability", b"security.ima", b"security.evm"];

    /// A new file takes the default list of its directory over, which may let users in whom the old file kept out.
    const ACCESS_LIST: &CStr = c"system.posix_acl_access";

    let Some(names) = read_all(|room| fs::flistxattr(old, room)) else {
        return;
    };
    let names: Vec<&CStr> = names
        .split_inclusive(|byte| *byte == 0)
        .filter_map(|name| CStr::from_bytes_with_nul(name).ok())
        .collect();
    if !names.contains(&ACCESS_LIST) {
        // Fails where there is none.
        let _ = fs::fremovexattr(new, ACCESS_LIST);
    }
    for name in names {
        if OF_CONTENT.contains(&name.to_bytes()) {
            continue;
        }
        if let Some(value) = read_all(|room| fs::fgetxattr(old, name, room)) {
            // Refused where the file system or the rights of the process do not allow it.
            let _ = fs::fsetxattr(new, name, &value, fs::XattrFlags::empty());
        }
    }
}

/// Attributes hold at most 64 KiB each, and so do their names together (xattr(7)).
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn read_all(read: impl Fn(&mut [u8]) -> rustix::io::Result<usize>) -> Option<Vec<u8>> {
    const MOST_BYTES: usize = 64 * 1024;
    let mut room = [0; 256];
    if let Ok(count) = read(&mut room) {
        return room.get(..count).map(<[u8]>::to_vec);
    }
    let mut room = vec![0; MOST_BYTES];
    let count = read(&mut room).ok()?;
    room.truncate(count);
    Some(room)
}
