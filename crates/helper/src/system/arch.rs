//! The one instruction that enters the kernel.
#![allow(unsafe_code, reason = "system calls are made here")]

use core::arch::asm;

/// Makes the system call with this number.
///
/// # Safety
/// As the call requires: pointers among the arguments must be good for what the kernel does with them.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn enter(number: u32, arguments: [usize; 6]) -> isize {
    let [a, b, c, d, e, f] = arguments;
    let result;
    // SAFETY: the registers are those of the kernel's calling convention, and all that it changes
    // are named; the arguments are the caller's business.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as usize => result,
            in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e, in("r9") f,
            lateout("rcx") _, lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// Makes the system call with this number.
///
/// # Safety
/// As the call requires: pointers among the arguments must be good for what the kernel does with them.
#[cfg(target_arch = "aarch64")]
pub(super) unsafe fn enter(number: u32, arguments: [usize; 6]) -> isize {
    let [a, b, c, d, e, f] = arguments;
    let result;
    // SAFETY: as above.
    unsafe {
        asm!(
            "svc 0",
            in("x8") number as usize,
            inlateout("x0") a => result,
            in("x1") b, in("x2") c, in("x3") d, in("x4") e, in("x5") f,
            options(nostack),
        );
    }
    result
}
