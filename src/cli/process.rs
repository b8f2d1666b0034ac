//! The process: stack and allocator at startup, panics, and signals.
//!
//! # Lack of threads or memory
//!
//! If the system refuses threads or memory, or if the program has a bug, it ends with one line and
//! status 1.
//!
//! ```text
//! run_on_big_stack -> main thread with its own stack -> main -> no thread available: one line
//!                                                            -> panic: one line, the backtrace on request
//!                     OomReportingAllocator                  -> no memory available: one line
//! ```
//!
//! A checkpoint that was saved before remains valid, as after a kill.
//!
//! # Signals
//!
//! The first signal stops the run cleanly, a later one kills the process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Display;
use std::io::{self, Write};
use std::panic::{self, Location};
use std::process::{ExitCode, exit};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Once, OnceLock};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

use signal_hook::SigId;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};

use super::error::CliError;
use super::malloc_tuning;
use crate::report::{print_notice, remove_bars, write_stderr};
use ktour::threads::ThreadStartPanic;

/// Stack size of the main thread in bytes. It is the usual size, independent of the system's limit.
const STACK_BYTES: usize = 8 << 20;

/// Size in bytes that no machine has. A failed allocation of this size or more is left to its
/// caller.
const IMPOSSIBLE_BYTES: usize = 1 << 46;

/// Runs `main` in a thread with a stack of fixed size. If a thread cannot be started, now or later,
/// or if a thread panics, the program ends with one line and status 1.
pub fn run_on_big_stack(main: fn() -> ExitCode) -> ExitCode {
    malloc_tuning::use_single_heap();
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
    let thread = std::thread::Builder::new().name("main".to_owned()).stack_size(STACK_BYTES);
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
        "ktour: no thread can be started; use fewer --threads, or raise the limits (ulimit -u, \
        ulimit -v)\n",
    );
    exit(1)
}

/// The system's allocator, which ends the program with one line if memory is exhausted.
pub struct OomReportingAllocator;

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

/// Time after the first signal during which further signals do not count as a second one.
const REPEAT_WINDOW: Duration = Duration::from_millis(500);

/// Value of [`FIRST_SIGNAL_MS`] before the first signal.
const NO_SIGNAL: u64 = u64::MAX;

/// Time of the first signal, in milliseconds since [`CATCHING_SINCE`].
static FIRST_SIGNAL_MS: AtomicU64 = AtomicU64::new(NO_SIGNAL);

/// Time when the program began to catch signals.
static CATCHING_SINCE: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Number of the last signal, or 0 before the first one.
static LAST_SIGNAL: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);

/// The signal handlers of a run. They are removed when this value is dropped.
#[derive(Debug)]
pub struct Signals(Vec<SigId>);

impl Signals {
    /// Makes SIGINT, SIGTERM, SIGUSR1 and SIGHUP set `stop`. A second signal kills the process,
    /// unless it comes within [`REPEAT_WINDOW`] of the first: `timeout` and some shells signal both
    /// a process and its group. SIGHUP stays ignored under `nohup`. If an earlier run of this
    /// process received a signal, sets `stop` now.
    ///
    /// # Errors
    /// A handler cannot be registered.
    pub fn catch(stop: &Arc<AtomicBool>) -> Result<Self, CliError> {
        let caught = catch_for_process()?;
        let register = |&signal: &i32| {
            signal_hook::flag::register(signal, Arc::clone(stop))
                .map_err(|error| CliError::failed(catch_failure(signal, &error)))
        };
        let mut signals = Self(Vec::new());
        for signal in caught {
            signals.0.push(register(signal)?);
        }
        // The signal may have come between two runs of this command.
        if LAST_SIGNAL.load(Ordering::SeqCst) != 0 {
            stop.store(true, Ordering::SeqCst);
        }
        Ok(signals)
    }

    /// Prints a notice on the state in which the run was stopped, and ends the process as [`Signals::die`] does.
    pub fn stop(&self, notice: impl Display) -> CliError {
        print_notice(format_args!("{notice}"));
        self.die()
    }

    /// Ends the process by the signal that was received, as its default handler would. The caller
    /// must have removed incomplete files. Returns an error if no signal was received.
    pub fn die(&self) -> CliError {
        // The last line of a terminal is the notice, not a bar.
        remove_bars();
        let signal = LAST_SIGNAL.load(Ordering::Relaxed) as i32;
        if signal != 0 {
            // Does not return for these signals; if it fails, the exit status reports the stop.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
        CliError::failed("stopped before the end")
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for id in self.0.drain(..) {
            signal_hook::low_level::unregister(id);
        }
    }
}

/// A thread that ends the process at the first signal, for a command that has nothing to save. The default handler
/// would leave the progress bar on the terminal. Dropping this value ends the thread; later signals are stored for
/// [`Signals::catch`].
#[derive(Debug)]
pub struct EndAtSignal {
    handle: signal_hook::iterator::Handle,
    thread: Option<JoinHandle<()>>,
}

impl EndAtSignal {
    /// Starts the thread. At the first signal it removes the bars, prints `notice`, and ends the process as the
    /// default handler of the signal would, even while the command waits for a reader of its output.
    ///
    /// # Errors
    /// A handler cannot be registered, or no thread can be started.
    pub fn start(notice: impl Fn() -> String + Send + 'static) -> Result<Self, CliError> {
        let failed = |error: io::Error| CliError::failed(format!("cannot catch signals: {error}"));
        let mut arriving = signal_hook::iterator::Signals::new(catch_for_process()?).map_err(failed)?;
        let handle = arriving.handle();
        let thread = std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            let first = arriving.forever().next();
            // The reader of a pipe may end the command by the same Ctrl-C.
            if let Some(signal) = first.or_else(|| arriving.pending().next()) {
                remove_bars();
                print_notice(notice());
                // Does not return for these signals.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
        Ok(Self { handle, thread: Some(thread.map_err(failed)?) })
    }
}

impl Drop for EndAtSignal {
    fn drop(&mut self) {
        self.handle.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Registers the handlers that stay for the whole process, and returns their signals: SIGINT, SIGTERM, SIGUSR1 and
/// SIGHUP. SIGHUP stays ignored under `nohup`.
fn catch_for_process() -> Result<&'static [i32], CliError> {
    static CAUGHT: OnceLock<Result<Vec<i32>, String>> = OnceLock::new();
    let register_all = || {
        let signals = [SIGINT, SIGTERM, SIGUSR1, SIGHUP].into_iter();
        let caught = signals.filter(|&signal| !(signal == SIGHUP && is_ignored(signal)));
        let register = |signal| match register_for_process(signal) {
            Ok(()) => Ok(signal),
            Err(error) => Err(catch_failure(signal, &error)),
        };
        caught.map(register).collect()
    };
    let caught = CAUGHT.get_or_init(register_all).as_ref();
    caught.map(Vec::as_slice).map_err(|error| CliError::failed(error.as_str()))
}

fn catch_failure(signal: i32, error: &dyn Display) -> String {
    format!("cannot catch signal {signal}: {error}")
}

/// Registers the handler that stays for the whole process: it stores the signal and its time, and a second
/// signal ends the process.
fn register_for_process(signal: i32) -> io::Result<()> {
    record_typed_signal(signal);
    let began = *CATCHING_SINCE;
    let end_at_second = move || {
        let now = began.elapsed().as_millis() as u64;
        // The first signal stores its time.
        let first = FIRST_SIGNAL_MS.compare_exchange(NO_SIGNAL, now, Ordering::SeqCst, Ordering::SeqCst);
        if first.is_err_and(|first| now.saturating_sub(first) > REPEAT_WINDOW.as_millis() as u64) {
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    };
    // SAFETY: it reads a clock, changes an atomic and ends the process, all of which a handler may do.
    unsafe { signal_hook::low_level::register(signal, end_at_second) }?;
    signal_hook::flag::register_usize(signal, Arc::clone(&LAST_SIGNAL), signal as usize)?;
    Ok(())
}

/// Makes a Ctrl-C that was typed on the terminal known to the display. The handlers that are registered later call
/// this one too.
#[cfg(target_os = "linux")]
fn record_typed_signal(signal: i32) {
    /// Value of `si_code` for a signal of the kernel.
    const SI_KERNEL: libc::c_int = 0x80;
    extern "C" fn record(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
        // SAFETY: the system passes a valid pointer, because of SA_SIGINFO.
        if unsafe { (*info).si_code } == SI_KERNEL {
            crate::report::record_echo();
        }
    }
    if signal != SIGINT {
        return;
    }
    // SAFETY: the struct has only numbers, so zeros are valid; the handler only reads its argument and stores to an
    // atomic.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = record as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        libc::sigaction(signal, &raw const action, std::ptr::null_mut());
    }
}

/// Does nothing: on other systems the sender of a signal is not examined.
#[cfg(not(target_os = "linux"))]
const fn record_typed_signal(_: i32) {}

/// Ignores the signal SIGXFSZ, which by default ends the program if a file grows beyond the limit
/// of the system (`ulimit -f`). Then writing fails with an error instead, as on a full disk.
pub fn ignore_file_size_signal() {
    // SAFETY: an ignored signal runs no code.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Returns true if this process ignores a signal because its parent process did so.
fn is_ignored(signal: i32) -> bool {
    // SAFETY: the struct has only numbers, so zeros are valid, and sigaction with no new action only fills
    // it.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
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
        std::panic::panic_any(ThreadStartPanic(io::ErrorKind::WouldBlock.into()))
    }

    #[test]
    fn lack_of_threads_is_one_line_with_status_1() {
        if std::env::var_os(LACKS_THREADS).is_some() {
            run_on_big_stack(panic_without_thread);
            return;
        }
        let name = "cli::process::tests::lack_of_threads_is_one_line_with_status_1";
        let mut child = Command::new(std::env::current_exe().unwrap());
        let ended = child.args(["--exact", "--nocapture", name]).env(LACKS_THREADS, "1").output().unwrap();
        assert_eq!(ended.status.code(), Some(1));
        let errors = String::from_utf8(ended.stderr).unwrap();
        assert!(errors.starts_with("ktour: no thread can be started; use fewer --threads"), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }

    #[test]
    fn panic_is_one_line_with_status_1() {
        if std::env::var_os(PANICS).is_some() {
            assert_eq!(run_on_big_stack(panic_on_all_threads), ExitCode::FAILURE);
            return;
        }
        let name = "cli::process::tests::panic_is_one_line_with_status_1";
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
