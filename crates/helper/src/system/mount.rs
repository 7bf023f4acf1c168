//! Mounts, and the few files that a new view of the system needs.
#![allow(unsafe_code, reason = "system calls are made here")]

use core::ffi::CStr;
use core::ptr;

use linux_raw_sys::general::{
    __NR_chroot, __NR_fchdir, __NR_flock, __NR_mkdirat, __NR_mknodat, __NR_mount,
    __NR_mount_setattr, __NR_move_mount, __NR_open_tree, __NR_openat, __NR_pivot_root, __NR_statx,
    __NR_symlinkat, __NR_umount2, __NR_unlinkat, __NR_utimensat, __kernel_timespec, AT_EMPTY_PATH,
    AT_FDCWD, AT_RECURSIVE, AT_REMOVEDIR, AT_SYMLINK_NOFOLLOW, LOCK_EX, LOCK_NB, LOCK_SH,
    MNT_DETACH, MOUNT_ATTR_NODEV, MOUNT_ATTR_NOSUID, MOUNT_ATTR_RDONLY, MOVE_MOUNT_F_EMPTY_PATH,
    MS_NODEV, MS_NOEXEC, MS_NOSUID, MS_PRIVATE, MS_RDONLY, MS_REC, O_CLOEXEC, O_CREAT, O_WRONLY,
    OPEN_TREE_CLOEXEC, OPEN_TREE_CLONE, S_IFDIR, S_IFMT, S_IFREG, S_IFSOCK, STATX_MTIME,
    STATX_TYPE, mount_attr, statx,
};

use super::call::{Errno, call, signed};
use super::file::Descriptor;
use super::place::NamedEntry;

fn text(text: &CStr) -> usize {
    text.as_ptr().expose_provenance()
}

const HERE: usize = signed(AT_FDCWD);

/// Mounts and unmounts of other namespaces do not come here, nor ours there.
pub(crate) fn make_all_private() -> Result<(), Errno> {
    let flags = (MS_REC | MS_PRIVATE) as usize;
    // SAFETY: a text that ends in NUL; the other pointers may be null for these flags.
    unsafe { call(__NR_mount, [0, text(c"/"), 0, flags, 0])? };
    Ok(())
}

/// A copy of what is mounted at `path` and below, mounted nowhere yet.
pub(crate) fn copy_tree(path: &CStr) -> Result<Descriptor, Errno> {
    let flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE;
    // SAFETY: a text that ends in NUL.
    let tree = unsafe { call(__NR_open_tree, [HERE, text(path), flags as usize])? };
    Descriptor::new(tree)
}

/// The same of a place that was opened.
pub(crate) fn copy_opened(place: Descriptor) -> Result<Descriptor, Errno> {
    let flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_EMPTY_PATH;
    // SAFETY: a text that ends in NUL.
    let tree = unsafe { call(__NR_open_tree, [place.raw(), text(c""), flags as usize]) };
    super::file::close(place);
    Descriptor::new(tree?)
}

/// What may not be done in a tree of mounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Forbid {
    /// No devices, and no programs that run as another user.
    Privileges,
    /// The same, and no writing.
    Writing,
}

/// Forbids that in all of a tree.
pub(crate) fn forbid(tree: Descriptor, what: Forbid) -> Result<(), Errno> {
    let mut attributes = MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID;
    if what == Forbid::Writing {
        attributes |= MOUNT_ATTR_RDONLY;
    }
    set_attributes(tree, c"", AT_EMPTY_PATH | AT_RECURSIVE, attributes)
}

/// Forbids writing in the one mount at `path`, for good measure: what is below it stays as it is.
pub(crate) fn forbid_writing_at(path: &CStr) -> Result<(), Errno> {
    set_attributes(Descriptor::HERE, path, 0, MOUNT_ATTR_RDONLY)
}

fn set_attributes(
    directory: Descriptor,
    path: &CStr,
    flags: u32,
    attributes: u32,
) -> Result<(), Errno> {
    let change = mount_attr {
        attr_set: u64::from(attributes),
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    let arguments = [
        directory.raw(),
        text(path),
        flags as usize,
        ptr::from_ref(&change).expose_provenance(),
        size_of::<mount_attr>(),
    ];
    // SAFETY: a text that ends in NUL, and a structure with its size.
    unsafe { call(__NR_mount_setattr, arguments)? };
    Ok(())
}

/// Mounts a copied tree at `path`.
pub(crate) fn attach(tree: Descriptor, path: &CStr) -> Result<(), Errno> {
    let flags = MOVE_MOUNT_F_EMPTY_PATH as usize;
    // SAFETY: two texts that end in NUL.
    unsafe {
        call(
            __NR_move_mount,
            [tree.raw(), text(c""), HERE, text(path), flags],
        )?
    };
    Ok(())
}

/// Makes the tree mounted last at `/` the root, and lets go of the old one.
pub(crate) fn enter_root(tree: Descriptor) -> Result<(), Errno> {
    // SAFETY: no memory is touched, and texts end in NUL.
    unsafe {
        call(__NR_fchdir, [tree.raw()])?;
        match call(__NR_pivot_root, [text(c"."), text(c".")]) {
            Ok(_) => {
                call(__NR_umount2, [text(c"."), MNT_DETACH as usize])?;
            }
            // The root is the first one of the system, which cannot be moved away. It stays mounted
            // below, where nobody without privileges gets at it.
            Err(Errno::INVALID) => {
                call(__NR_chroot, [text(c".")])?;
            }
            Err(errno) => return Err(errno),
        }
    }
    super::process::change_directory(c"/")
}

/// A file system without a device, and what may be done in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileSystem {
    pub(crate) kind: &'static CStr,
    pub(crate) options: &'static CStr,
    pub(crate) is_read_only: bool,
    pub(crate) has_devices: bool,
    pub(crate) forbids_programs: bool,
}

/// Mounts a new file system at `path`.
pub(crate) fn mount_new(path: &CStr, new: FileSystem) -> Result<(), Errno> {
    let mut flags = MS_NOSUID;
    if !new.has_devices {
        flags |= MS_NODEV;
    }
    if new.is_read_only {
        flags |= MS_RDONLY;
    }
    if new.forbids_programs {
        flags |= MS_NOEXEC;
    }
    let arguments = [
        text(new.kind),
        text(path),
        text(new.kind),
        flags as usize,
        text(new.options),
    ];
    // SAFETY: texts that end in NUL.
    unsafe { call(__NR_mount, arguments)? };
    Ok(())
}

pub(crate) fn make_directory<'a>(place: impl Into<NamedEntry<'a>>, mode: u32) -> Result<(), Errno> {
    let place = place.into();
    // SAFETY: a text that ends in NUL.
    unsafe {
        call(
            __NR_mkdirat,
            [place.directory.raw(), text(place.name), mode as usize],
        )?
    };
    Ok(())
}

/// An empty file, if there is none yet.
pub(crate) fn make_file(path: &CStr) -> Result<(), Errno> {
    let flags = (O_CREAT | O_WRONLY | O_CLOEXEC) as usize;
    // SAFETY: a text that ends in NUL.
    let file = unsafe { call(__NR_openat, [HERE, text(path), flags, 0o644])? };
    super::file::close(Descriptor::new(file)?);
    Ok(())
}

/// The name of a socket that nobody listens on.
pub(crate) fn make_socket_name<'a>(place: impl Into<NamedEntry<'a>>) -> Result<(), Errno> {
    let place = place.into();
    let mode = (S_IFSOCK | 0o600) as usize;
    // SAFETY: a text that ends in NUL.
    unsafe {
        call(
            __NR_mknodat,
            [place.directory.raw(), text(place.name), mode, 0],
        )?
    };
    Ok(())
}

pub(crate) fn make_link(path: &CStr, target: &CStr) -> Result<(), Errno> {
    // SAFETY: two texts that end in NUL.
    unsafe { call(__NR_symlinkat, [text(target), HERE, text(path)])? };
    Ok(())
}

pub(crate) fn remove_file<'a>(place: impl Into<NamedEntry<'a>>) -> Result<(), Errno> {
    let place = place.into();
    // SAFETY: a text that ends in NUL.
    unsafe { call(__NR_unlinkat, [place.directory.raw(), text(place.name), 0])? };
    Ok(())
}

/// Removes a directory that is empty.
pub(crate) fn remove_directory<'a>(place: impl Into<NamedEntry<'a>>) -> Result<(), Errno> {
    let place = place.into();
    // SAFETY: a text that ends in NUL.
    unsafe {
        call(
            __NR_unlinkat,
            [
                place.directory.raw(),
                text(place.name),
                AT_REMOVEDIR as usize,
            ],
        )?
    };
    Ok(())
}

pub(crate) fn open_to_write(path: &CStr) -> Result<Descriptor, Errno> {
    let flags = (O_WRONLY | O_CLOEXEC) as usize;
    // SAFETY: a text that ends in NUL.
    Descriptor::new(unsafe { call(__NR_openat, [HERE, text(path), flags, 0])? })
}

/// What lies at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
    Socket,
    Other,
}

/// What lies there, a link for itself, and when it was changed last, in seconds and nanoseconds.
pub(crate) fn look_at<'a>(place: impl Into<NamedEntry<'a>>) -> Result<(Kind, (i64, u32)), Errno> {
    let place = place.into();
    // SAFETY: it consists of numbers, for which zero is a value.
    let mut found: statx = unsafe { core::mem::zeroed() };
    let arguments = [
        place.directory.raw(),
        text(place.name),
        AT_SYMLINK_NOFOLLOW as usize,
        (STATX_TYPE | STATX_MTIME) as usize,
        ptr::from_mut(&mut found).expose_provenance(),
    ];
    // SAFETY: a text that ends in NUL, and a structure that the kernel fills.
    unsafe { call(__NR_statx, arguments)? };
    let kind = match u32::from(found.stx_mode) & S_IFMT {
        S_IFREG => Kind::File,
        S_IFDIR => Kind::Directory,
        S_IFSOCK => Kind::Socket,
        _ => Kind::Other,
    };
    Ok((kind, (found.stx_mtime.tv_sec, found.stx_mtime.tv_nsec)))
}

/// Sets when the content was changed last.
pub(crate) fn set_changed<'a>(
    place: impl Into<NamedEntry<'a>>,
    (seconds, nanoseconds): (i64, u32),
) -> Result<(), Errno> {
    let place = place.into();
    let time = __kernel_timespec {
        tv_sec: seconds,
        tv_nsec: i64::from(nanoseconds),
    };
    let times = [time, time];
    let arguments = [
        place.directory.raw(),
        text(place.name),
        times.as_ptr().expose_provenance(),
        AT_SYMLINK_NOFOLLOW as usize,
    ];
    // SAFETY: a text that ends in NUL and two times.
    unsafe { call(__NR_utimensat, arguments)? };
    Ok(())
}

/// Holds a file or directory together with others who do, once nobody holds it alone.
pub(crate) fn lock_together(file: Descriptor) -> Result<(), Errno> {
    // SAFETY: touches no memory.
    unsafe { call(__NR_flock, [file.raw(), LOCK_SH as usize])? };
    Ok(())
}

/// Holds it alone, if nobody else holds it.
pub(crate) fn lock_alone(file: Descriptor) -> Result<(), Errno> {
    // SAFETY: touches no memory.
    unsafe { call(__NR_flock, [file.raw(), (LOCK_EX | LOCK_NB) as usize])? };
    Ok(())
}
