//! Places that a command of another sandbox may be changing: no part of the way may be a link by now.
#![allow(unsafe_code, reason = "system calls are made here")]

use core::ffi::CStr;
use core::ptr;

use linux_raw_sys::general::{
    __NR_openat2, O_CLOEXEC, O_DIRECTORY, O_NOFOLLOW, O_PATH, RESOLVE_NO_SYMLINKS, open_how,
};

use super::call::{Errno, call};
use super::file::{Descriptor, close};

const PATH_MAX: usize = 4096;

/// A name in a directory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NamedEntry<'a> {
    pub(super) directory: Descriptor,
    pub(super) name: &'a CStr,
}

/// By its path alone, links followed.
impl<'a> From<&'a CStr> for NamedEntry<'a> {
    fn from(name: &'a CStr) -> Self {
        Self {
            directory: Descriptor::HERE,
            name,
        }
    }
}

/// Does something with the last name of an absolute path in its directory, to which no link leads.
pub(crate) fn at_place<T>(
    path: &CStr,
    act: impl FnOnce(NamedEntry<'_>) -> Result<T, Errno>,
) -> Result<T, Errno> {
    let bytes = path.to_bytes();
    let slash = bytes.iter().rposition(|byte| *byte == b'/');
    let slash = slash.ok_or(Errno::INVALID)?;
    let mut above = [0_u8; PATH_MAX];
    let length = slash.max(1);
    let from = bytes.get(..length).ok_or(Errno::INVALID)?;
    let to = above.get_mut(..length).ok_or(Errno::INVALID)?;
    to.copy_from_slice(from);
    let above = CStr::from_bytes_until_nul(&above).map_err(|_| Errno::INVALID)?;
    let name = path.to_bytes_with_nul().get(slash + 1..);
    let name = CStr::from_bytes_with_nul(name.ok_or(Errno::INVALID)?);
    let name = name.map_err(|_| Errno::INVALID)?;
    let directory = open_without_links(above, O_DIRECTORY)?;
    let done = act(NamedEntry { directory, name });
    close(directory);
    done
}

/// Opens a place without anything that could be done to it but naming it. Refused where a link leads to it, or where
/// it is one.
pub(crate) fn open_place(path: &CStr) -> Result<Descriptor, Errno> {
    open_without_links(path, 0)
}

/// The same, and what may be there is a link.
pub(crate) fn open_link(path: &CStr) -> Result<Descriptor, Errno> {
    open_without_links(path, O_NOFOLLOW)
}

fn open_without_links(path: &CStr, flags: u32) -> Result<Descriptor, Errno> {
    let how = open_how {
        flags: u64::from(O_PATH | O_CLOEXEC | flags),
        mode: 0,
        resolve: u64::from(RESOLVE_NO_SYMLINKS),
    };
    let arguments = [
        Descriptor::HERE.raw(),
        path.as_ptr().expose_provenance(),
        ptr::from_ref(&how).expose_provenance(),
        size_of::<open_how>(),
    ];
    // SAFETY: a text that ends in NUL, and a structure with its size.
    Descriptor::new(unsafe { call(__NR_openat2, arguments)? })
}
