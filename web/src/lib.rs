//! ktour in the browser: the library as a WebAssembly module with two functions, [`allocate`] and [`call`].
//!
//! ```text
//! page (app.js) -> Web Worker (worker.js) -> allocate, call: a request in JSON -> Session -> an answer in JSON
//!                                        <- clock, progress
//! ```
//!
//! The module has one thread. The page cancels a request by ending the worker.

mod counting;
mod host;
mod session;
mod tours;

use std::cell::RefCell;

use session::Session;

thread_local! {
    static SESSION: RefCell<Session> = RefCell::new(Session::default());
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Returns the address of `bytes` bytes of memory, for the request of the next [`call`].
#[unsafe(no_mangle)]
pub extern "C" fn allocate(bytes: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; bytes].into_boxed_slice()).cast()
}

/// Answers the request of `bytes` bytes at `address`, and frees it. Returns the address of the answer in the upper
/// 32 bits, and its length in bytes in the lower 32 bits. The answer is valid until the next call.
///
/// # Safety
/// `address` must come from [`allocate`] with the same number of bytes, and may be used only once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn call(address: *mut u8, bytes: usize) -> u64 {
    // SAFETY: the caller guarantees that the bytes were allocated as such a slice.
    let request = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(address, bytes)) };
    #[cfg(target_family = "wasm")]
    host::start();
    let answer = SESSION.with_borrow_mut(|session| session.answer(&request));
    ANSWER.with_borrow_mut(|kept| {
        *kept = answer.to_string().into_bytes();
        (kept.as_ptr() as u64) << 32 | kept.len() as u64
    })
}
