//! The socket to the host.
#![allow(unsafe_code, reason = "system calls are made here")]

use core::ptr;

use linux_raw_sys::general::{__NR_recvmsg, __NR_sendmsg, __NR_sendto};

use super::call::{Errno, call};
use super::file::Descriptor;

// socket(7), recv(2), unix(7); the same numbers on every architecture that is built for.
const MSG_DONTWAIT: usize = 0x40;
const MSG_NOSIGNAL: usize = 0x4000;
const MSG_CMSG_CLOEXEC: usize = 0x4000_0000;
const SOL_SOCKET: i32 = 1;
const SCM_RIGHTS: i32 = 1;

#[repr(C)]
struct Piece {
    base: *mut u8,
    length: usize,
}

/// `struct msghdr` of the kernel.
#[repr(C)]
struct MessageHeader {
    name: *mut u8,
    name_length: i32,
    pieces: *mut Piece,
    piece_count: usize,
    control: *mut Rights,
    control_length: usize,
    flags: u32,
}

/// `struct cmsghdr` with room for descriptors, of which one is expected.
#[repr(C)]
struct Rights {
    length: usize,
    level: i32,
    kind: i32,
    descriptors: [i32; 2],
}

/// Sends one packet. Never waits and never raises a signal.
pub(crate) fn send(socket: Descriptor, packet: &[u8]) -> Result<(), Errno> {
    let arguments = [
        socket.raw(),
        packet.as_ptr().expose_provenance(),
        packet.len(),
        MSG_DONTWAIT | MSG_NOSIGNAL,
        0,
        0,
    ];
    // SAFETY: the kernel reads that many bytes from there.
    unsafe { call(__NR_sendto, arguments)? };
    Ok(())
}

/// Sends one packet and a descriptor. Never waits and never raises a signal.
pub(crate) fn send_with(socket: Descriptor, packet: &[u8], sent: Descriptor) -> Result<(), Errno> {
    let mut piece = Piece {
        base: packet.as_ptr().cast_mut(),
        length: packet.len(),
    };
    let mut rights = Rights {
        length: size_of::<Rights>() - size_of::<i32>(),
        level: SOL_SOCKET,
        kind: SCM_RIGHTS,
        descriptors: [sent.0, -1],
    };
    let header = MessageHeader {
        name: ptr::null_mut(),
        name_length: 0,
        pieces: &raw mut piece,
        piece_count: 1,
        control: &raw mut rights,
        control_length: size_of::<Rights>(),
        flags: 0,
    };
    piece.base.expose_provenance();
    header.pieces.expose_provenance();
    header.control.expose_provenance();
    let arguments = [
        socket.raw(),
        (&raw const header).expose_provenance(),
        MSG_DONTWAIT | MSG_NOSIGNAL,
    ];
    // SAFETY: the header names the buffers to fill, with lengths.
    unsafe { call(__NR_sendmsg, arguments)? };
    Ok(())
}

/// Receives one packet and the descriptor that came along, if any. An empty packet is the end.
pub(crate) fn receive(
    socket: Descriptor,
    buffer: &mut [u8],
    wait: bool,
) -> Result<(&[u8], Option<Descriptor>), Errno> {
    let mut piece = Piece {
        base: buffer.as_mut_ptr(),
        length: buffer.len(),
    };
    let mut rights = Rights {
        length: 0,
        level: 0,
        kind: 0,
        descriptors: [-1; 2],
    };
    let mut header = MessageHeader {
        name: ptr::null_mut(),
        name_length: 0,
        pieces: &raw mut piece,
        piece_count: 1,
        control: &raw mut rights,
        control_length: size_of::<Rights>(),
        flags: 0,
    };
    piece.base.expose_provenance();
    header.pieces.expose_provenance();
    header.control.expose_provenance();
    let flags = MSG_CMSG_CLOEXEC | if wait { 0 } else { MSG_DONTWAIT };
    let arguments = [socket.raw(), (&raw mut header).expose_provenance(), flags];
    // SAFETY: the header names a buffer and a place for control data, each with its length.
    let count = unsafe { call(__NR_recvmsg, arguments)? };
    let has_rights = header.control_length >= size_of::<Rights>() - size_of::<i32>()
        && (rights.level, rights.kind) == (SOL_SOCKET, SCM_RIGHTS);
    let [first, _] = rights.descriptors;
    let descriptor = (has_rights && first >= 0).then_some(Descriptor(first));
    Ok((buffer.get(..count).unwrap_or_default(), descriptor))
}
