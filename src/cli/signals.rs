//! Signals: the first asks a run to stop and tidy up, a later one kills.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};

use super::failure::Failure;

/// Signals within this time of the first are one.
const AT_ONCE: Duration = Duration::from_millis(500);

/// No signal has come.
const NONE: u64 = u64::MAX;

/// When the first signal came, in milliseconds from the beginning.
static FIRST: AtomicU64 = AtomicU64::new(NONE);

/// When signals were first caught.
static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The signals that stop a run, and the one that came.
#[derive(Debug)]
pub struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// From now on SIGINT, SIGTERM, SIGUSR1 and SIGHUP raise `stop`; the next of them kills, unless it comes within
    /// [`AT_ONCE`]: `timeout` and some shells signal a process and its group. A SIGHUP that `nohup`
    /// has the program ignore is ignored. One that came before to another who catches them raises `stop` at once.
    pub fn catch(stop: &Arc<AtomicBool>) -> Result<Self, Failure> {
        /// The signal that came, whoever caught it first.
        static CAME: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);
        let came = Arc::clone(&CAME);
        for signal in [SIGINT, SIGTERM, SIGUSR1, SIGHUP] {
            if signal == SIGHUP && is_ignored(signal) {
                continue;
            }
            let (raised, began) = (Arc::clone(stop), *BEGAN);
            let die_or_stop = move || {
                let now = began.elapsed().as_millis() as u64;
                // Whoever catches it too at this moment sees the same first one.
                let first = FIRST
                    .compare_exchange(NONE, now, Ordering::SeqCst, Ordering::SeqCst)
                    .unwrap_or_else(|first| first);
                if raised.swap(true, Ordering::SeqCst)
                    && now.saturating_sub(first) > AT_ONCE.as_millis() as u64
                {
                    let _ = signal_hook::low_level::emulate_default_handler(signal);
                }
            };
            // SAFETY: it reads a clock, changes atomics and ends the process, all of which a handler may do.
            unsafe { signal_hook::low_level::register(signal, die_or_stop) }
                .and_then(|_| signal_hook::flag::register_usize(signal, Arc::clone(&came), signal as usize))
                .map_err(|error| Failure::failed(format!("cannot catch signal {signal}: {error}")))?;
        }
        // It may have come while another run of this command had ended and this one had not begun.
        if came.load(Ordering::SeqCst) != 0 {
            stop.store(true, Ordering::SeqCst);
        }
        Ok(Self(came))
    }

    /// Ends the process as the signal that came would have, now that all is tidy.
    pub fn die(&self) -> Failure {
        let signal = self.0.load(Ordering::Relaxed) as i32;
        if signal != 0 {
            // Does not return for these signals; if it should fail, the status tells.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
        Failure::failed("stopped before the end")
    }
}

/// A file that grows beyond what the system allows (`ulimit -f`) fails like one on a full disk, instead of ending the
/// program.
pub fn begin() {
    // SAFETY: a signal that is ignored runs nothing.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Whether whoever started the program has it ignore a signal.
fn is_ignored(signal: i32) -> bool {
    // SAFETY: the struct is plain numbers, for which zeros will do, and sigaction with no new action only fills it.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}
