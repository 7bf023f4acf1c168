//! System calls and how they fail.

use super::arch;

/// Why a system call failed (errno(3)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Errno(pub(crate) u32);

impl Errno {
    pub(crate) const NO_CHILD: Self = Self(linux_raw_sys::errno::ECHILD);
    pub(crate) const INTERRUPTED: Self = Self(linux_raw_sys::errno::EINTR);
    pub(crate) const INVALID: Self = Self(linux_raw_sys::errno::EINVAL);
    pub(crate) const UNSUPPORTED: Self = Self(linux_raw_sys::errno::ENOSYS);
    pub(crate) const NOT_PERMITTED: Self = Self(linux_raw_sys::errno::EPERM);
    pub(crate) const EXISTS: Self = Self(linux_raw_sys::errno::EEXIST);
    pub(crate) const NO_ENTRY: Self = Self(linux_raw_sys::errno::ENOENT);
    pub(crate) const READ_ONLY: Self = Self(linux_raw_sys::errno::EROFS);
    pub(crate) const AGAIN: Self = Self(linux_raw_sys::errno::EAGAIN);
}

/// Numbers above this are error numbers, negated (`MAX_ERRNO`).
const LARGEST_ERROR: isize = 4095;

/// Makes a system call, again when a signal interrupts it.
///
/// # Safety
/// As the call requires: pointers among the arguments must be good for what the kernel does with them.
#[allow(unsafe_code, reason = "hands the duty on to the caller")]
pub(super) unsafe fn call<const COUNT: usize>(
    number: u32,
    arguments: [usize; COUNT],
) -> Result<usize, Errno> {
    let mut all = [0; 6];
    for (place, argument) in all.iter_mut().zip(arguments) {
        *place = argument;
    }
    loop {
        // SAFETY: the duty is the caller's.
        let result = unsafe { arch::enter(number, all) };
        match result {
            0.. => return Ok(result.unsigned_abs()),
            error if error < -LARGEST_ERROR => return Ok(result.cast_unsigned()),
            error => {
                let errno = Errno(u32::try_from(error.unsigned_abs()).unwrap_or(0));
                if errno != Errno::INTERRUPTED {
                    return Err(errno);
                }
            }
        }
    }
}

/// A signed number as the kernel takes it.
pub(super) const fn signed(number: i32) -> usize {
    (number as isize).cast_unsigned()
}
