//! Signals: the first one stops the run cleanly, a later one kills it.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};

use super::error::CliError;

/// Signals within this time after the first count as one.
const REPEAT_WINDOW: Duration = Duration::from_millis(500);

/// Value of [`FIRST_SIGNAL_MS`] while no signal has come.
const NO_SIGNAL: u64 = u64::MAX;

/// Time of the first signal, in milliseconds since [`CATCHING_SINCE`].
static FIRST_SIGNAL_MS: AtomicU64 = AtomicU64::new(NO_SIGNAL);

/// Time when signals were first caught.
static CATCHING_SINCE: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The signal handlers of a run, and the signal that came.
#[derive(Debug)]
pub struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// Makes SIGINT, SIGTERM, SIGUSR1 and SIGHUP set `stop`. Another signal kills the process, unless it
    /// comes within [`REPEAT_WINDOW`]: `timeout` and some shells signal both a process and its group. SIGHUP
    /// stays ignored under `nohup`. If a signal came while another run of the process caught them, `stop` is
    /// set at once.
    ///
    /// # Errors
    /// A handler cannot be registered.
    pub fn catch(stop: &Arc<AtomicBool>) -> Result<Self, CliError> {
        /// Number of the signal that came, shared by all runs of the process.
        static LAST_SIGNAL: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);
        let came = Arc::clone(&LAST_SIGNAL);
        for signal in [SIGINT, SIGTERM, SIGUSR1, SIGHUP] {
            if signal == SIGHUP && is_ignored(signal) {
                continue;
            }
            let (raised, began) = (Arc::clone(stop), *CATCHING_SINCE);
            let die_or_stop = move || {
                let now = began.elapsed().as_millis() as u64;
                // Other handlers of this signal see the same first time.
                let first = FIRST_SIGNAL_MS
                    .compare_exchange(NO_SIGNAL, now, Ordering::SeqCst, Ordering::SeqCst)
                    .unwrap_or_else(|first| first);
                if raised.swap(true, Ordering::SeqCst)
                    && now.saturating_sub(first) > REPEAT_WINDOW.as_millis() as u64
                {
                    let _ = signal_hook::low_level::emulate_default_handler(signal);
                }
            };
            // SAFETY: it reads a clock, changes atomics and ends the process, all of which a handler may do.
            unsafe { signal_hook::low_level::register(signal, die_or_stop) }
                .and_then(|_| signal_hook::flag::register_usize(signal, Arc::clone(&came), signal as usize))
                .map_err(|error| CliError::failed(format!("cannot catch signal {signal}: {error}")))?;
        }
        // The signal may have come between two runs of this command.
        if came.load(Ordering::SeqCst) != 0 {
            stop.store(true, Ordering::SeqCst);
        }
        Ok(Self(came))
    }

    /// Ends the process by the signal that came, as its default handler would, after all files are tidy.
    pub fn die(&self) -> CliError {
        let signal = self.0.load(Ordering::Relaxed) as i32;
        if signal != 0 {
            // Does not return for these signals; if it fails, the exit status reports the stop.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
        CliError::failed("stopped before the end")
    }
}

/// Makes writing fail with an error, as on a full disk, if a file grows beyond the limit of the system
/// (`ulimit -f`). By default the signal SIGXFSZ would end the program.
pub fn ignore_file_size_signal() {
    // SAFETY: an ignored signal runs no code.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Returns true if the parent process made this one ignore a signal.
fn is_ignored(signal: i32) -> bool {
    // SAFETY: the struct has only numbers, so zeros are valid, and sigaction with no new action only fills
    // it.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}
