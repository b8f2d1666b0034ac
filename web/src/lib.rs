//! ktour in the browser: the library as a WebAssembly module with two functions, [`push`] and [`call`].
//!
//! ```text
//! page (engine.js) -> Web Worker (worker.js) -> push, call: a request in JSON -> Session
//!                                           <- now, progress, put: an answer in JSON
//! ```
//!
//! The module has one thread. The page cancels a request by ending the worker.

mod counting;
mod session;
mod tours;

use std::cell::RefCell;

use ktour::Control;
use serde_json::json;
use session::Session;

// Builds for other targets only check the code.
#[cfg_attr(target_family = "wasm", link(wasm_import_module = "host"))]
#[cfg_attr(not(target_family = "wasm"), allow(dead_code))]
unsafe extern "C" {
    /// Returns the time since some moment in milliseconds.
    safe fn now() -> f64;
    /// Receives the finished fraction of a request. The first call ends the estimate of the work.
    safe fn progress(fraction: f64);
    /// Receives a byte of the answer or of the message of a panic.
    safe fn put(byte: u8);
}

thread_local! {
    static SESSION: RefCell<Session> = RefCell::default();
    static REQUEST: RefCell<Vec<u8>> = RefCell::default();
}

/// Appends a byte to the request of the next [`call`].
#[unsafe(no_mangle)]
pub extern "C" fn push(byte: u8) {
    REQUEST.with_borrow_mut(|request| request.push(byte));
}

/// Answers the request: `{"Ok": ..}` or `{"Err": fault}`.
#[unsafe(no_mangle)]
pub extern "C" fn call() {
    #[cfg(target_family = "wasm")]
    ktour::clock::set_clock(|| std::time::Duration::from_secs_f64(now() / 1000.0));
    std::panic::set_hook(Box::new(|panic| panic.to_string().bytes().for_each(|byte| put(byte))));
    let answer = SESSION.with_borrow_mut(|session| session.answer(&REQUEST.take()));
    json!(answer).to_string().bytes().for_each(|byte| put(byte));
}

/// A run that is one of several parts of a request, which take about equally long.
#[derive(Clone, Copy)]
struct Part {
    index: usize,
    parts: usize,
}

impl Part {
    const WHOLE: Self = Self { index: 0, parts: 1 };

    /// Reports the progress of the request to the page.
    fn report(self, control: &Control) {
        progress((self.index as f64 + control.progress().fraction) / self.parts as f64);
    }

    /// Returns the control of the run, which reports each step of a sweep to the page.
    fn new_control(self) -> Control {
        let control = Control::new();
        let reader = control.clone();
        control.with_log(move |_| self.report(&reader))
    }
}
