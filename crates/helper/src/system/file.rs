//! Descriptors.
#![allow(unsafe_code, reason = "system calls are made here")]

use core::ffi::CStr;

use linux_raw_sys::general::{
    __NR_close, __NR_dup3, __NR_getdents64, __NR_lseek, __NR_openat, __NR_ppoll, __NR_read,
    __kernel_timespec, AT_FDCWD, O_CLOEXEC, O_DIRECTORY, O_RDONLY, POLLERR, POLLHUP, POLLIN,
    SEEK_SET, pollfd,
};

use super::call::{Errno, call, signed};

/// An open descriptor. Closed by hand: the program lives too briefly to keep books.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Descriptor(pub(crate) i32);

impl Descriptor {
    /// Standard input: the socket to the host.
    pub(crate) const CONTROL: Self = Self(0);
    pub(crate) const OUTPUT: Self = Self(1);
    pub(crate) const ERROR: Self = Self(2);
    /// The current directory, where a directory is asked for.
    pub(crate) const HERE: Self = Self(AT_FDCWD);

    pub(super) const fn raw(self) -> usize {
        signed(self.0)
    }

    pub(super) fn new(number: usize) -> Result<Self, Errno> {
        i32::try_from(number).map(Self).map_err(|_| Errno::INVALID)
    }
}

/// How a file is opened. Always close-on-exec.
#[derive(Debug, Clone, Copy)]
pub(crate) enum OpenFor {
    Reading,
    Directory,
}

pub(crate) fn open(directory: Descriptor, path: &CStr, how: OpenFor) -> Result<Descriptor, Errno> {
    let flags = match how {
        OpenFor::Reading => O_RDONLY,
        OpenFor::Directory => O_RDONLY | O_DIRECTORY,
    };
    let arguments = [
        directory.raw(),
        path.as_ptr().expose_provenance(),
        (flags | O_CLOEXEC) as usize,
        0,
    ];
    // SAFETY: the path is a text that ends in NUL.
    Descriptor::new(unsafe { call(__NR_openat, arguments)? })
}

pub(crate) fn close(descriptor: Descriptor) {
    // SAFETY: closing touches no memory. That it fails means that there is nothing to close.
    let _ = unsafe { call(__NR_close, [descriptor.raw()]) };
}

/// Makes `to` another name of `from`, which must be a different one.
pub(crate) fn duplicate(from: Descriptor, to: Descriptor, keep_open: bool) -> Result<(), Errno> {
    let flags = if keep_open { 0 } else { O_CLOEXEC };
    // SAFETY: touches no memory.
    unsafe { call(__NR_dup3, [from.raw(), to.raw(), flags as usize])? };
    Ok(())
}

/// What was read, which may be less than there is room for.
pub(crate) fn read(descriptor: Descriptor, buffer: &mut [u8]) -> Result<&[u8], Errno> {
    let arguments = [
        descriptor.raw(),
        buffer.as_mut_ptr().expose_provenance(),
        buffer.len(),
    ];
    // SAFETY: the kernel writes at most that many bytes there.
    let count = unsafe { call(__NR_read, arguments)? };
    Ok(buffer.get(..count).unwrap_or_default())
}

/// Back to the start of a file or directory.
pub(crate) fn rewind(descriptor: Descriptor) -> Result<(), Errno> {
    // SAFETY: touches no memory.
    unsafe { call(__NR_lseek, [descriptor.raw(), 0, SEEK_SET as usize])? };
    Ok(())
}

/// The next names of a directory; none at its end. Calls `name` with each.
pub(crate) fn directory_entries(
    directory: Descriptor,
    buffer: &mut [u8],
    mut name: impl FnMut(&[u8]),
) -> Result<bool, Errno> {
    /// Inode and offset of 8 bytes each, the length of the record, its type, the name (getdents(2)).
    const LENGTH_AT: usize = 16;
    const NAME_AT: usize = 19;
    let arguments = [
        directory.raw(),
        buffer.as_mut_ptr().expose_provenance(),
        buffer.len(),
    ];
    // SAFETY: the kernel writes at most that many bytes there.
    let count = unsafe { call(__NR_getdents64, arguments)? };
    let mut rest = buffer.get(..count).unwrap_or_default();
    while let Some([low, high]) = rest.get(LENGTH_AT..LENGTH_AT + 2) {
        let length = usize::from(u16::from_ne_bytes([*low, *high]));
        let entry = rest.get(NAME_AT..length).unwrap_or_default();
        if let Some(text) = entry.split(|byte| *byte == 0).next() {
            name(text);
        }
        rest = rest.get(length.max(1)..).unwrap_or_default();
    }
    Ok(count > 0)
}

/// A descriptor that something is awaited of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PollFor(pub(crate) Descriptor);

/// Waits until one of them can be read or has ended, at most so long. Says which.
pub(crate) fn poll<const COUNT: usize>(
    wanted: [PollFor; COUNT],
    timeout_ms: Option<u64>,
) -> Result<[bool; COUNT], Errno> {
    let mut polled = wanted.map(|PollFor(descriptor)| pollfd {
        fd: descriptor.0,
        events: POLLIN as i16,
        revents: 0,
    });
    let mut time = timeout_ms.map(|milliseconds| __kernel_timespec {
        tv_sec: (milliseconds / 1000).cast_signed(),
        tv_nsec: (milliseconds % 1000 * 1_000_000).cast_signed(),
    });
    let time = time
        .as_mut()
        .map_or(0, |time| core::ptr::from_mut(time).expose_provenance());
    let arguments = [polled.as_mut_ptr().expose_provenance(), COUNT, time, 0, 0];
    // SAFETY: the kernel writes the answers into `polled`, which has that many entries, and the rest
    // of the time into `time`, where nobody reads it.
    unsafe { call(__NR_ppoll, arguments)? };
    let mask = (POLLIN | POLLHUP | POLLERR) as i16;
    Ok(polled.map(|polled| polled.revents & mask != 0))
}
