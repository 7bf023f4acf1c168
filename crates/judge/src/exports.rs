//! What the module for WebAssembly exports. Texts are UTF-8 in the memory of the module.
#![allow(
    unsafe_code,
    reason = "memory is shared with JavaScript by addresses and lengths"
)]

use std::cell::RefCell;

use crate::answers::Policies;

thread_local! {
    static POLICIES: RefCell<Policies> = RefCell::default();
}

/// Room for a request of so many bytes.
#[unsafe(no_mangle)]
extern "C" fn reserve(length: usize) -> *mut u8 {
    let room = vec![0_u8; length].into_boxed_slice();
    Box::into_raw(room).cast()
}

/// Answers the request at an address from [`reserve`], and gives its room back. The answer is an address in the upper and a
/// length in the lower half, for [`release`].
#[unsafe(no_mangle)]
extern "C" fn answer(address: *mut u8, length: usize) -> u64 {
    // SAFETY: JavaScript hands in what `reserve` returned, with the same length, once.
    let request = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(address, length)) };
    let request = String::from_utf8_lossy(&request);
    let answer = POLICIES.with_borrow_mut(|policies| policies.answer(&request));
    let answer = answer.into_bytes().into_boxed_slice();
    let length = answer.len() as u64;
    let address = Box::into_raw(answer).cast::<u8>() as usize as u64;
    (address << 32) | length
}

/// Gives the room of an answer back.
#[unsafe(no_mangle)]
extern "C" fn release(address: *mut u8, length: usize) {
    // SAFETY: JavaScript hands in what `answer` returned, once.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(address, length)) });
}
