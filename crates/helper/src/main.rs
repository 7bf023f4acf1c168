//! The entry of the program. See the library for what it does.
#![no_std]
#![no_main]
#![allow(
    unsafe_code,
    reason = "the kernel enters a program without a C library with nothing but a stack pointer"
)]

#[cfg(not(target_os = "linux"))]
compile_error!("the helper is a program for Linux");

mod memory_functions;

use core::panic::PanicInfo;

use tenon_helper::{Arguments, exit, run};

// Where the kernel enters: the stack pointer is all there is.
#[cfg(target_arch = "x86_64")]
core::arch::global_asm!(
    ".globl _start",
    "_start:",
    "xor ebp, ebp",
    "mov rdi, rsp",
    "and rsp, -16",
    "call {entry}",
    "ud2",
    entry = sym entry,
);
#[cfg(target_arch = "aarch64")]
core::arch::global_asm!(
    ".globl _start",
    "_start:",
    "mov x29, #0",
    "mov x30, #0",
    "mov x0, sp",
    "bl {entry}",
    "brk #1",
    entry = sym entry,
);

extern "C" fn entry(stack: *const usize) -> ! {
    // SAFETY: it is the stack pointer with which the kernel entered the program.
    let arguments = unsafe { Arguments::from_stack(stack) };
    exit(run(arguments))
}

/// There is nobody to inform; the host sees the socket close and the code.
#[panic_handler]
fn panicked(_: &PanicInfo<'_>) -> ! {
    exit(101)
}
