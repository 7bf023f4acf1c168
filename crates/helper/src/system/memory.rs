//! Memory: what is asked of the kernel directly, since nothing here allocates.
#![allow(unsafe_code, reason = "memory is mapped here")]

use core::slice;

use linux_raw_sys::general::{
    __NR_mmap, MAP_ANONYMOUS, MAP_NORESERVE, MAP_PRIVATE, MAP_SHARED, PROT_READ, PROT_WRITE,
};

use super::call::{Errno, call};

/// What may consist of zero bytes alone.
///
/// # Safety
/// All zeros must be a value of the type, and it must have no destructor.
pub(crate) unsafe trait Plain: Copy + 'static {}

// SAFETY: zero is a number.
unsafe impl Plain for u8 {}
// SAFETY: zero is a number.
unsafe impl Plain for u32 {}
// SAFETY: zero is a number.
unsafe impl Plain for usize {}
// SAFETY: it is made of numbers.
unsafe impl Plain for crate::table::Row {}

/// Room for `count` values, all zero; only what is touched takes memory.
pub(crate) fn reserve<T: Plain>(count: usize) -> Result<&'static mut [T], Errno> {
    map(count, MAP_PRIVATE)
}

/// The same, shared with processes that are forked from now on.
pub(crate) fn reserve_shared<T: Plain>(count: usize) -> Result<&'static mut [T], Errno> {
    map(count, MAP_SHARED)
}

fn map<T: Plain>(count: usize, sharing: u32) -> Result<&'static mut [T], Errno> {
    let bytes = count.checked_mul(size_of::<T>()).ok_or(Errno::INVALID)?;
    let protection = (PROT_READ | PROT_WRITE) as usize;
    let flags = (sharing | MAP_ANONYMOUS | MAP_NORESERVE) as usize;
    // SAFETY: a new mapping touches nothing that exists.
    let address = unsafe {
        call(
            __NR_mmap,
            [0, bytes.max(1), protection, flags, usize::MAX, 0],
        )?
    };
    // SAFETY: the mapping is new, of that length, aligned to a page, never given back, and full of
    // zeros, which are values of a plain type.
    Ok(
        unsafe {
            slice::from_raw_parts_mut(core::ptr::with_exposed_provenance_mut(address), count)
        },
    )
}
