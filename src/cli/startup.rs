//! Startup: the stack of the main thread, and what happens if the system refuses threads or memory. Each ends
//! the program with one line and status 1.
//!
//! ```text
//! run_on_big_stack -> main thread with its own stack -> main -> no thread available: one line
//!                     OomReportingAllocator                  -> no memory available: one line
//! ```
//!
//! A checkpoint that was saved before remains valid, as after a kill.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;
use std::panic;
use std::process::{ExitCode, exit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use super::malloc_tuning;
use crate::report::write_stderr;

/// Bytes of stack, the usual size, independent of the system's limit.
const STACK_BYTES: usize = 8 << 20;

/// Bytes that no machine has: an allocation of this size may fail, and its caller handles the error.
const IMPOSSIBLE_BYTES: usize = 1 << 46;

/// Runs `main` on a stack of fixed size. If a thread cannot be started, now or later, the program ends with
/// one line.
pub fn run_on_big_stack(main: fn() -> ExitCode) -> ExitCode {
    malloc_tuning::use_single_heap();
    let default_hook = panic::take_hook();
    panic::set_hook(Box::new(move |what| {
        let payload = what.payload();
        let owned = payload.downcast_ref::<String>().map(String::as_str);
        let why = owned.or(payload.downcast_ref::<&str>().copied()).unwrap_or_default();
        if why.contains("failed to spawn thread") || why.contains("thread pool has not been initialized") {
            exit_without_thread();
        }
        default_hook(what);
    }));
    let thread = std::thread::Builder::new().name("main".to_owned()).stack_size(STACK_BYTES);
    match thread.spawn(main) {
        // The panic hook has printed the message.
        Ok(thread) => thread.join().unwrap_or(ExitCode::from(101)),
        Err(_) => exit_without_thread(),
    }
}

fn exit_without_thread() -> ! {
    write_stderr(
        "ktour: no thread can be started; use fewer --threads, or raise the limits (ulimit -u, \
        ulimit -v)\n",
    );
    exit(1)
}

/// The system's allocator, except that the program ends with one line if memory is exhausted.
pub struct OomReportingAllocator;

/// Returns `memory`, or ends the program if the allocation failed.
fn or_exit(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() && bytes < IMPOSSIBLE_BYTES { exit_out_of_memory(memory, bytes) } else { memory }
}

#[cold]
fn exit_out_of_memory(memory: *mut u8, bytes: usize) -> *mut u8 {
    /// Whether a thread is already ending the program.
    static IS_EXITING: AtomicBool = AtomicBool::new(false);
    thread_local! {
        static IS_EXITING_THREAD: Cell<bool> = const { Cell::new(false) };
    }
    if IS_EXITING_THREAD.get() {
        // Ending the program needs memory itself: no line can be printed.
        return memory;
    }
    if IS_EXITING.swap(true, Ordering::Relaxed) {
        loop {
            sleep(Duration::from_secs(1));
        }
    }
    IS_EXITING_THREAD.set(true);
    // Neither the line nor standard error, which is unbuffered, needs memory.
    let (size, unit) = if bytes >> 20 > 0 { (bytes >> 20, "MiB") } else { (bytes.div_ceil(1 << 10), "KiB") };
    let _ = writeln!(
        std::io::stderr(),
        "ktour: out of memory, {size} {unit} more needed; use a smaller BOARD, fewer --threads, a smaller \
         --memory, or a higher limit (ulimit -v)"
    );
    exit(1)
}

// SAFETY: every call is passed to the system's allocator, which meets the contract; its result is returned
// unchanged.
unsafe impl GlobalAlloc for OomReportingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        or_exit(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        or_exit(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        or_exit(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }
}
