//! A network namespace of one's own.
#![allow(unsafe_code, reason = "system calls are made here")]

use core::ptr;

use linux_raw_sys::general::{__NR_bind, __NR_ioctl, __NR_listen, __NR_socket};

use super::call::{Errno, call};
use super::file::{Descriptor, close};

// socket(7), netdevice(7), ip(7); the same numbers on every architecture that is built for.
const AF_INET: usize = 2;
const SOCK_STREAM: usize = 1;
const SOCK_DGRAM: usize = 2;
const SOCK_CLOEXEC: usize = 0o2_000_000;
const SIOCSIFFLAGS: usize = 0x8914;
const IFF_UP: i16 = 1;
/// Connections that may wait to be accepted.
const WAITING: usize = 128;

/// `struct ifreq` with flags.
#[repr(C)]
struct InterfaceFlags {
    name: [u8; 16],
    flags: i16,
    rest: [u8; 22],
}

/// `struct sockaddr_in`
#[repr(C)]
struct Address {
    family: u16,
    port: [u8; 2],
    address: [u8; 4],
    zero: [u8; 8],
}

fn socket(kind: usize) -> Result<Descriptor, Errno> {
    // SAFETY: touches no memory.
    Descriptor::new(unsafe { call(__NR_socket, [AF_INET, kind | SOCK_CLOEXEC, 0])? })
}

/// Takes the loopback interface of a new namespace into use.
pub(crate) fn raise_loopback() -> Result<(), Errno> {
    let socket = socket(SOCK_DGRAM)?;
    let mut request = InterfaceFlags {
        name: [0; 16],
        flags: IFF_UP,
        rest: [0; 22],
    };
    for (place, letter) in request.name.iter_mut().zip(*b"lo") {
        *place = letter;
    }
    let request = ptr::from_mut(&mut request).expose_provenance();
    // SAFETY: the request takes such a structure.
    let raised = unsafe { call(__NR_ioctl, [socket.raw(), SIOCSIFFLAGS, request]) };
    close(socket);
    raised.map(|_| ())
}

/// Listens on this port of 127.0.0.1.
pub(crate) fn listen_on_loopback(port: u16) -> Result<Descriptor, Errno> {
    let socket = socket(SOCK_STREAM)?;
    let address = Address {
        family: AF_INET as u16,
        port: port.to_be_bytes(),
        address: [127, 0, 0, 1],
        zero: [0; 8],
    };
    let arguments = [
        socket.raw(),
        ptr::from_ref(&address).expose_provenance(),
        size_of::<Address>(),
    ];
    // SAFETY: an address with its size.
    unsafe { call(__NR_bind, arguments)? };
    // SAFETY: touches no memory.
    unsafe { call(__NR_listen, [socket.raw(), WAITING])? };
    Ok(socket)
}
