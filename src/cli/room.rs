//! What the system may refuse: a stack, threads, memory. Each ends the program with one line and status 1.
//!
//! ```text
//! with_room -> a stack of our own -> main -> no thread to be had: one line
//!                                    OneLine -> no memory to be had: one line
//! ```
//!
//! A checkpoint that was saved before stands, as after a kill.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;
use std::panic;
use std::process::{ExitCode, exit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use crate::cli::heap;
use crate::report::say;

/// Bytes of stack: what systems commonly give, whatever this one does.
const STACK: usize = 8 << 20;

/// Bytes that no machine has: who asks for so many can do with a refusal.
const BEYOND: usize = 1 << 46;

/// Runs `main` with a stack of its own size, and sees to it that a thread that cannot be started ends in one line.
pub fn with_room(main: fn() -> ExitCode) -> ExitCode {
    heap::begin();
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |what| {
        let payload = what.payload();
        let owned = payload.downcast_ref::<String>().map(String::as_str);
        let why = owned.or(payload.downcast_ref::<&str>().copied()).unwrap_or_default();
        if why.contains("failed to spawn thread") || why.contains("thread pool has not been initialized") {
            no_thread();
        }
        usual(what);
    }));
    let thread = std::thread::Builder::new().name("main".to_owned()).stack_size(STACK);
    match thread.spawn(main) {
        // A panic has said what it was.
        Ok(thread) => thread.join().unwrap_or(ExitCode::from(101)),
        Err(_) => no_thread(),
    }
}

fn no_thread() -> ! {
    say(
        "ktour: error: no thread can be started: fewer --threads, or higher limits (ulimit -u, ulimit -v) help\n",
    );
    exit(1)
}

/// The system's allocator; where that has no more memory, the program ends with one line.
pub struct OneLine;

/// What the system gives; if it gives nothing, the end.
fn or_end(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() && bytes < BEYOND { end(memory, bytes) } else { memory }
}

#[cold]
fn end(memory: *mut u8, bytes: usize) -> *mut u8 {
    /// Whether a thread, or this one, is ending the program.
    static ENDS: AtomicBool = AtomicBool::new(false);
    thread_local! {
        static IS_MINE: Cell<bool> = const { Cell::new(false) };
    }
    if IS_MINE.get() {
        // The end itself wants memory: nothing more can be said.
        return memory;
    }
    if ENDS.swap(true, Ordering::Relaxed) {
        loop {
            sleep(Duration::from_secs(1));
        }
    }
    IS_MINE.set(true);
    // Neither the line nor standard error, which has no buffer, needs memory.
    let (size, unit) = if bytes >> 20 > 0 { (bytes >> 20, "MiB") } else { (bytes.div_ceil(1 << 10), "KiB") };
    let _ = writeln!(
        std::io::stderr(),
        "ktour: error: no memory for {size} {unit} more: a smaller BOARD, fewer --threads, a smaller --memory, or a \
         higher limit (ulimit -v) helps"
    );
    exit(1)
}

// SAFETY: all is done by the system's allocator, whose promises these are; what it returns is passed on.
unsafe impl GlobalAlloc for OneLine {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        or_end(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        or_end(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        or_end(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }
}
