//! Reading what the system has in memory, and nothing else: for threads that must not wait for a disk.
//!
//! The way is taken with `RESOLVE_CACHED` (openat2(2), Linux 5.12) and the content with `RWF_NOWAIT` (preadv2(2),
//! Linux 4.14): both fail at once where the system would have to ask the file system.

use std::fs::File;
use std::io::IoSliceMut;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{self, Mode, OFlags, ResolveFlags};
use rustix::io::{self, ReadWriteFlags};

use super::unix::{FILE, metadata_of};
use crate::{FileKind, Metadata};

/// `EXT4_SUPER_MAGIC` (that of ext2 and ext3 as well), `XFS_SUPER_MAGIC`, `BTRFS_SUPER_MAGIC`, `F2FS_SUPER_MAGIC`,
/// `TMPFS_MAGIC`: file systems of which opening what is in memory asks nobody. Others, of networks and in user space,
/// are asked at every opening.
const LOCAL: [u64; 5] = [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x0102_1994];

/// `NFS_SUPER_MAGIC`, `CIFS_SUPER_MAGIC`, `SMB2_SUPER_MAGIC`, `V9FS_MAGIC`, `CEPH_SUPER_MAGIC`, `AFS_SUPER_MAGIC`, that of Lustre,
/// and `FUSE_SUPER_MAGIC`: file systems that ask another machine, or a program.
const OF_OTHERS: [u64; 8] = [
    0x6969,
    0xFF53_4D42,
    0xFE53_4D42,
    0x0102_1997,
    0x00C3_6400,
    0x5346_414F,
    0x0BD0_0BD0,
    0x6573_5546,
];

/// Whether the directory lies on a file system that says what it has in memory.
pub(super) fn is_kept(directory: &OwnedFd) -> bool {
    is_one_of(&LOCAL, directory)
}

/// Whether others have to answer before anything is known of what is in the directory, and may never do so.
pub(super) fn may_hang(directory: &OwnedFd) -> bool {
    is_one_of(&OF_OTHERS, directory)
}

#[allow(
    clippy::unnecessary_cast,
    clippy::cast_sign_loss,
    reason = "the field has other types on other processors"
)]
fn is_one_of(kinds: &[u64], directory: &OwnedFd) -> bool {
    fs::fstatfs(directory).is_ok_and(|facts| kinds.contains(&(facts.f_type as u64 & 0xFFFF_FFFF)))
}

/// All of a regular file. It is looked at before it is opened, since opening a device can do things.
pub(super) fn read(
    directory: &OwnedFd,
    beneath: &Path,
    max_bytes: u64,
) -> Option<(File, Metadata, Vec<u8>)> {
    // What is mounted beneath may be of another kind.
    let rules = ResolveFlags::BENEATH
        | ResolveFlags::NO_MAGICLINKS
        | ResolveFlags::NO_SYMLINKS
        | ResolveFlags::NO_XDEV
        | ResolveFlags::CACHED;
    let open = |flags| fs::openat2(directory, beneath, flags, Mode::empty(), rules).ok();
    let fits = |found: &Metadata| found.kind == FileKind::File && found.size <= max_bytes;
    let facts = |file: &OwnedFd| Some(metadata_of(&fs::fstat(file).ok()?)).filter(fits);
    facts(&open(OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC)?)?;
    let file = open(OFlags::RDONLY | FILE)?;
    let metadata = facts(&file)?;
    let size = usize::try_from(metadata.size).ok()?;
    // One more, to see the end.
    let mut bytes = vec![0; size + 1];
    let room = &mut [IoSliceMut::new(&mut bytes)];
    let count = io::preadv2(&file, room, 0, ReadWriteFlags::NOWAIT).ok()?;
    bytes.truncate(count);
    (count == size && size > 0).then(|| (file.into(), metadata, bytes))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use crate::{Located, Workspace};

    #[test]
    fn what_is_in_memory_is_read_at_once_and_nothing_but_small_regular_files() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let workspace = Workspace::open(&root, &[] as &[&str]).unwrap();
        std::fs::create_dir(root.join("dir")).unwrap();
        for (name, content) in [("dir/a", "one"), ("empty", ""), ("b", "two")] {
            std::fs::write(root.join(name), content).unwrap();
        }
        symlink("dir/a", root.join("link")).unwrap();
        symlink("/etc/passwd", root.join("out")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            root.join("fifo"),
            rustix::fs::FileType::Fifo,
            0o600.into(),
            0,
        )
        .unwrap();
        let locate = |path: &str| workspace.locate(path).unwrap();
        let bytes = |located: &Located| {
            let file = located.open_if_cached(3)?;
            Some(file.read_bytes(3).unwrap().bytes().to_vec())
        };
        // By the link as by the name: the way was followed when it was judged.
        if let Some(held) = bytes(&locate("dir/a")) {
            assert_eq!(held, b"one");
            assert_eq!(bytes(&locate("link")), Some(b"one".to_vec()));
        }
        for path in ["dir", ".", "empty", "fifo", "missing", "b/", "b/c"] {
            assert_eq!(bytes(&locate(path)), None, "{path}");
        }
        assert!(locate("b").open_if_cached(2).is_none());
        let swapped = locate("b");
        std::fs::remove_file(root.join("b")).unwrap();
        symlink("dir/a", root.join("b")).unwrap();
        assert_eq!(bytes(&swapped), None);
        assert!(workspace.locate("out").is_err());
    }
}
