//! The `ktour` program: the command line on top of the library, and the start of its process.
//!
//! [`cli`] and [`report`] belong to this crate and not to the library: a user of the library gets no command
//! line, no progress display, no signal handlers and no process settings. This crate is compiled after the
//! library, so an edit here recompiles nothing else.
//!
//! # Lack of threads or memory
//!
//! If the system refuses threads or memory, or if the program has a bug, it ends with one line and
//! status 1.
//!
//! ```text
//! run_on_big_stack -> main thread with its own stack -> cli::main -> no thread available: one line
//!                                                                 -> panic: one line, the backtrace on request
//!                     OomReportingAllocator                       -> no memory available: one line
//! ```
//!
//! A checkpoint that was saved before remains valid, as after a kill.

#![warn(missing_docs, clippy::undocumented_unsafe_blocks)]

mod cli;
mod report;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{self, Write};
use std::panic::{self, Location};
use std::process::{ExitCode, exit};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::Duration;

use ktour::threads::ThreadStartPanic;
use report::write_stderr;

#[global_allocator]
static ALLOCATOR: OomReportingAllocator = OomReportingAllocator;

fn main() -> ExitCode {
    run_on_big_stack(cli::main)
}

/// Stack size of the main thread in bytes. It is the usual size, independent of the system's limit.
const STACK_BYTES: usize = 8 << 20;

/// Size in bytes that no machine has. A failed allocation of this size or more is left to its
/// caller.
const IMPOSSIBLE_BYTES: usize = 1 << 46;

/// Runs `main` in a thread with a stack of fixed size. If a thread cannot be started, now or later,
/// or if a thread panics, the program ends with one line and status 1.
fn run_on_big_stack(main: fn() -> ExitCode) -> ExitCode {
    cli::use_single_heap();
    let default_hook = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let message =
            text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or_default();
        if payload.is::<ThreadStartPanic>() {
            exit_without_thread();
        }
        print_internal_error(message, panic.location());
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
            default_hook(panic);
        }
    }));
    let thread = thread::Builder::new().name("main".to_owned()).stack_size(STACK_BYTES);
    match thread.spawn(main) {
        // The panic hook has printed the message.
        Ok(thread) => thread.join().unwrap_or(ExitCode::FAILURE),
        Err(_) => exit_without_thread(),
    }
}

/// Prints the message of a panic with its place in the source. Only the first panic is printed,
/// because other threads often panic as a consequence; they wait, so that the message is the first
/// line.
fn print_internal_error(message: &str, place: Option<&Location<'_>>) {
    static PRINTED: Once = Once::new();
    PRINTED.call_once(|| {
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        let place = place.map_or_else(String::new, |place| format!(" ({}:{})", place.file(), place.line()));
        write_stderr(&format!("ktour: error: internal error: {message}{place}; please report this\n"));
    });
}

fn exit_without_thread() -> ! {
    write_stderr(
        "ktour: error: no thread can be started; use fewer --threads, or raise the limits (ulimit -u, \
        ulimit -v)\n",
    );
    exit(1)
}

/// The system's allocator, which ends the program with one line if memory is exhausted.
struct OomReportingAllocator;

/// Returns `memory`, the result of an allocation of `bytes` bytes. If it is null, ends the program
/// with one line.
fn or_exit(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() && bytes < IMPOSSIBLE_BYTES { exit_out_of_memory(memory, bytes) } else { memory }
}

#[cold]
fn exit_out_of_memory(memory: *mut u8, bytes: usize) -> *mut u8 {
    /// True if a thread is already ending the program.
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
        io::stderr(),
        "ktour: error: out of memory, {size} {unit} more needed; use a smaller BOARD or graph, fewer --threads, a smaller \
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

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Environment variable that is set in the process that panics.
    const PANICS: &str = "KTOUR_TEST_PANICS";

    fn panic_on_all_threads() -> ExitCode {
        rayon::broadcast(|_| panic!("on\n purpose"));
        ExitCode::SUCCESS
    }

    /// Environment variable that is set in the process that can start no thread.
    const LACKS_THREADS: &str = "KTOUR_TEST_LACKS_THREADS";

    fn panic_without_thread() -> ExitCode {
        panic::panic_any(ThreadStartPanic(io::ErrorKind::WouldBlock.into()))
    }

    #[test]
    fn lack_of_threads_is_one_line_with_status_1() {
        if std::env::var_os(LACKS_THREADS).is_some() {
            run_on_big_stack(panic_without_thread);
            return;
        }
        let name = "tests::lack_of_threads_is_one_line_with_status_1";
        let mut child = Command::new(std::env::current_exe().unwrap());
        let ended = child.args(["--exact", "--nocapture", name]).env(LACKS_THREADS, "1").output().unwrap();
        assert_eq!(ended.status.code(), Some(1));
        let errors = String::from_utf8(ended.stderr).unwrap();
        assert!(
            errors.starts_with("ktour: error: no thread can be started; use fewer --threads"),
            "{errors}"
        );
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }

    #[test]
    fn panic_is_one_line_with_status_1() {
        if std::env::var_os(PANICS).is_some() {
            assert_eq!(run_on_big_stack(panic_on_all_threads), ExitCode::FAILURE);
            return;
        }
        let name = "tests::panic_is_one_line_with_status_1";
        for (backtrace, has_backtrace) in [("0", false), ("1", true)] {
            let mut child = Command::new(std::env::current_exe().unwrap());
            child.args(["--exact", "--nocapture", name]).env(PANICS, "1");
            let ended = child.env("RUST_BACKTRACE", backtrace).output().unwrap();
            let errors = String::from_utf8(ended.stderr).unwrap();
            assert!(ended.status.success(), "{errors}");
            let first = errors.lines().next().unwrap();
            assert!(first.starts_with("ktour: error: internal error: on purpose ("), "{errors}");
            assert!(first.ends_with("; please report this"), "{errors}");
            assert_eq!(errors.lines().count() > 1, has_backtrace, "{errors}");
        }
    }
}
