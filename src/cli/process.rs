//! The signals of the process. The first signal stops the run cleanly, a later one kills the process.

use std::fmt::Display;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use signal_hook::SigId;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};

use super::error::CliError;
use crate::report::{print_notice, remove_bars};

/// Time after the first signal during which further signals do not count as a second one.
const REPEAT_WINDOW: Duration = Duration::from_millis(500);

/// Notice of a command that was stopped and has nothing to save.
pub const STOPPED: &str = "stopped before the end";

/// Value of [`FIRST_SIGNAL_MS`] before the first signal.
const NO_SIGNAL: u64 = u64::MAX;

/// Time of the first signal, in milliseconds since [`CATCHING_SINCE`].
static FIRST_SIGNAL_MS: AtomicU64 = AtomicU64::new(NO_SIGNAL);

/// Time when the program began to catch signals.
static CATCHING_SINCE: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Number of the last signal, or 0 before the first one.
static LAST_SIGNAL: AtomicI32 = AtomicI32::new(0);

/// The signals whose handlers stay for the whole process, once they are registered.
static CAUGHT: OnceLock<Result<Vec<i32>, String>> = OnceLock::new();

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
        let signal = LAST_SIGNAL.load(Ordering::Relaxed);
        if signal != 0 {
            // Does not return for these signals; if it fails, the exit status reports the stop.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
        CliError::failed(STOPPED)
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
    /// Starts the thread for a part of a command that computes nothing that a user would miss. Returns `None` if the
    /// signals are caught already: then the command itself ends.
    ///
    /// # Errors
    /// As of [`EndAtSignal::start`].
    pub fn start_unless_caught() -> Result<Option<Self>, CliError> {
        if CAUGHT.get().is_some() { Ok(None) } else { Self::start(|| STOPPED.to_owned()).map(Some) }
    }

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
            // The signal may have come after its handler and before this thread.
            let first = match LAST_SIGNAL.load(Ordering::SeqCst) {
                0 => arriving.forever().next(),
                earlier => Some(earlier),
            };
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
/// signal ends the process. No signal is lost in between: the first handler that catches it stores it.
fn register_for_process(signal: i32) -> io::Result<()> {
    let began = *CATCHING_SINCE;
    record_typed_signal(signal);
    let end_at_second = move || {
        LAST_SIGNAL.store(signal, Ordering::SeqCst);
        let now = began.elapsed().as_millis() as u64;
        // The first signal stores its time.
        let first = FIRST_SIGNAL_MS.compare_exchange(NO_SIGNAL, now, Ordering::SeqCst, Ordering::SeqCst);
        if first.is_err_and(|first| now.saturating_sub(first) > REPEAT_WINDOW.as_millis() as u64) {
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    };
    // SAFETY: it reads a clock, changes an atomic and ends the process, all of which a handler may do.
    unsafe { signal_hook::low_level::register(signal, end_at_second) }?;
    Ok(())
}

/// Makes a Ctrl-C that was typed on the terminal known to the display. The handlers that are registered later call
/// this one too; until then it also stores the signal.
#[cfg(target_os = "linux")]
fn record_typed_signal(signal: i32) {
    /// Value of `si_code` for a signal of the kernel.
    const SI_KERNEL: libc::c_int = 0x80;
    extern "C" fn record(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
        LAST_SIGNAL.store(signal, Ordering::SeqCst);
        // SAFETY: the system passes a valid pointer, because of SA_SIGINFO.
        if unsafe { (*info).si_code } == SI_KERNEL {
            crate::report::record_echo();
        }
    }
    if signal != SIGINT {
        return;
    }
    // SAFETY: the struct has only numbers, so zeros are valid; the handler only reads its arguments and stores to
    // atomics.
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
