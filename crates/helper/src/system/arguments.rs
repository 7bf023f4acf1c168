//! The arguments and the environment that this program was started with.
#![allow(unsafe_code, reason = "the kernel hands them over as pointers")]

use core::ffi::{CStr, c_char};
use core::ptr;

use super::call::Errno;
use super::memory::reserve;

/// What the kernel put on the stack when it started this program.
#[derive(Debug, Clone, Copy)]
pub struct Arguments {
    /// Pointers to texts that end in NUL, and a null pointer.
    arguments: *const *const c_char,
    count: usize,
    environment: *const *const c_char,
}

impl Arguments {
    /// From the initial stack pointer (System V ABI: count, arguments, null, environment, null).
    ///
    /// # Safety
    /// `stack` must be the stack pointer with which the kernel entered the program.
    #[must_use]
    pub unsafe fn from_stack(stack: *const usize) -> Self {
        // SAFETY: the ABI puts the count there, and that many pointers and a null behind it.
        unsafe {
            let count = *stack;
            let arguments = stack.add(1).cast::<*const c_char>();
            Self {
                arguments,
                count,
                environment: arguments.add(count + 1),
            }
        }
    }

    /// One of them.
    pub(crate) fn get(&self, index: usize) -> Option<&'static CStr> {
        if index >= self.count {
            return None;
        }
        // SAFETY: there are `count` pointers to texts that end in NUL and live as long as the program.
        Some(unsafe { CStr::from_ptr(*self.arguments.add(index)) })
    }

    /// As `execve` takes them, from this one on.
    pub(super) fn pointers_from(&self, first: usize) -> *const *const c_char {
        // SAFETY: at most the null pointer behind the last.
        unsafe { self.arguments.add(first.min(self.count)) }
    }

    /// As `execve` takes it.
    pub(super) const fn environment(&self) -> *const *const c_char {
        self.environment
    }

    /// Bytes of a page of memory (auxiliary vector, getauxval(3)).
    pub(crate) fn page_bytes(&self) -> u64 {
        const AT_NULL: usize = 0;
        const AT_PAGESZ: usize = 6;
        // SAFETY: behind the environment and its null pointer lie pairs of numbers, up to one of
        // type 0.
        unsafe {
            let mut place = self.environment;
            while !(*place).is_null() {
                place = place.add(1);
            }
            let mut pair = place.add(1).cast::<usize>();
            loop {
                match *pair {
                    AT_NULL => return 4096,
                    AT_PAGESZ => return *pair.add(1) as u64,
                    _ => pair = pair.add(2),
                }
            }
        }
    }

    /// The same arguments somewhere else, while those that everybody can read in `/proc` become the
    /// bare name of this program: a command that looks for itself by its text must not find its supervisor.
    pub(crate) fn hidden(self) -> Result<Self, Errno> {
        let (Some(first), Some(last)) = (self.get(0), self.get(self.count.saturating_sub(1)))
        else {
            return Ok(self);
        };
        // The kernel puts the texts one behind the other.
        let start = first.as_ptr().addr();
        let length = (last.as_ptr().addr() + last.to_bytes_with_nul().len()).saturating_sub(start);
        let texts = reserve::<u8>(length)?.as_mut_ptr();
        let pointers = reserve::<usize>(self.count + 1)?.as_mut_ptr();
        for index in 0..self.count {
            let Some(text) = self.get(index) else { break };
            let offset = text.as_ptr().addr().wrapping_sub(start);
            // SAFETY: `pointers` has room for `count` and a null, which it holds already.
            unsafe { *pointers.add(index) = texts.addr() + offset };
        }
        // SAFETY: `length` bytes lie behind `first`, as many in `texts`; the stack is writable. No
        // reference into the old place is used any more: all come from the new pointers.
        unsafe {
            ptr::copy_nonoverlapping(first.as_ptr().cast::<u8>(), texts, length);
            let visible = first.as_ptr().cast_mut().cast::<u8>();
            ptr::write_bytes(
                visible.add(first.count_bytes()),
                0,
                length - first.count_bytes(),
            );
        }
        Ok(Self {
            arguments: pointers.cast_const().cast(),
            ..self
        })
    }
}
