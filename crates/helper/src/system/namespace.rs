//! Namespaces: making processes in new ones, and who they are there.
#![allow(unsafe_code, reason = "system calls are made here")]

use core::ffi::CStr;
use core::ptr;

use linux_raw_sys::general::{
    __NR_clone, __NR_getegid, __NR_geteuid, __NR_pipe2, __NR_readlinkat, __NR_wait4, __NR_write,
    __WALL, CLONE_NEWIPC, CLONE_NEWNET, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWUSER, O_CLOEXEC,
    SIGCHLD,
};

use super::call::{Errno, call, signed};
use super::file::Descriptor;
use super::process::Pid;

/// Which namespaces a process gets of its own. Mounts, processes and System V IPC always.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Namespaces {
    pub(crate) users: bool,
    pub(crate) network: bool,
}

/// Makes a child in new namespaces, which returns here too, with `None`. Unlike after
/// [`fork`](super::fork), this process continues at once.
pub(crate) fn fork_into(namespaces: Namespaces) -> Result<Option<Pid>, Errno> {
    let mut flags = SIGCHLD | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC;
    if namespaces.users {
        flags |= CLONE_NEWUSER;
    }
    if namespaces.network {
        flags |= CLONE_NEWNET;
    }
    // SAFETY: without `CLONE_VM` the child has a copy of all memory, this stack included.
    let child = unsafe { call(__NR_clone, [flags as usize, 0, 0, 0, 0])? };
    Ok((child != 0).then(|| Pid::try_from(child).unwrap_or(0)))
}

/// Waits for this child to end. Its status, as `wait` reports it.
pub(crate) fn wait_for(child: Pid) -> Result<u32, Errno> {
    let mut status = 0_u32;
    let arguments = [
        signed(child),
        ptr::from_mut(&mut status).expose_provenance(),
        __WALL as usize,
        0,
    ];
    // SAFETY: the kernel writes the status there.
    unsafe { call(__NR_wait4, arguments)? };
    Ok(status)
}

/// A pipe: where to read, where to write.
pub(crate) fn pipe() -> Result<(Descriptor, Descriptor), Errno> {
    let mut ends = [-1_i32; 2];
    let arguments = [ends.as_mut_ptr().expose_provenance(), O_CLOEXEC as usize];
    // SAFETY: the kernel writes two numbers there.
    unsafe { call(__NR_pipe2, arguments)? };
    let [reader, writer] = ends;
    Ok((Descriptor(reader), Descriptor(writer)))
}

/// Writes all of it in one call.
pub(crate) fn write(descriptor: Descriptor, bytes: &[u8]) -> Result<(), Errno> {
    let arguments = [
        descriptor.raw(),
        bytes.as_ptr().expose_provenance(),
        bytes.len(),
    ];
    // SAFETY: the kernel reads that many bytes from there.
    let written = unsafe { call(__NR_write, arguments)? };
    if written == bytes.len() {
        Ok(())
    } else {
        Err(Errno::AGAIN)
    }
}

/// Where a link leads, as far as there is room.
pub(crate) fn read_link<'a>(
    directory: Descriptor,
    name: &CStr,
    buffer: &'a mut [u8],
) -> Result<&'a [u8], Errno> {
    let arguments = [
        directory.raw(),
        name.as_ptr().expose_provenance(),
        buffer.as_mut_ptr().expose_provenance(),
        buffer.len(),
    ];
    // SAFETY: a text that ends in NUL, and room that the kernel writes into.
    let length = unsafe { call(__NR_readlinkat, arguments)? };
    Ok(buffer.get(..length).unwrap_or_default())
}

/// The effective user and group of this process.
pub(crate) fn user_and_group() -> (u32, u32) {
    let number = |result: Result<usize, Errno>| {
        result.map_or(u32::MAX, |id| u32::try_from(id).unwrap_or(u32::MAX))
    };
    // SAFETY: neither touches memory; neither can fail.
    unsafe {
        (
            number(call(__NR_geteuid, [])),
            number(call(__NR_getegid, [])),
        )
    }
}
