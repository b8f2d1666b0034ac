//! ktour in the browser: the library as a WebAssembly module with two functions, [`push`] and [`call`].
//!
//! ```text
//! page (task.js) -> Web Worker (worker.js) -> push, call: a request in JSON -> Session -> an answer in JSON
//!                                         <- clock, progress
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
    static SESSION: RefCell<Session> = RefCell::default();
    static REQUEST: RefCell<Vec<u8>> = RefCell::default();
}

/// Appends a byte to the request of the next [`call`].
#[unsafe(no_mangle)]
pub extern "C" fn push(byte: u8) {
    REQUEST.with_borrow_mut(|request| request.push(byte));
}

/// Writes the answer to the request.
#[unsafe(no_mangle)]
pub extern "C" fn call() {
    host::start();
    let request = REQUEST.take();
    host::write(&SESSION.with_borrow_mut(|session| session.answer(&request)));
}
