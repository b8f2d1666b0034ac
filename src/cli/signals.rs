//! Signals: the first asks a run to stop and tidy up, the second kills.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};

use super::failure::Failure;

/// The signals that stop a run, and the one that came.
#[derive(Debug)]
pub struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// From now on SIGINT, SIGTERM, SIGUSR1 and SIGHUP raise `stop`; the next of them kills. A SIGHUP that `nohup`
    /// has the program ignore is ignored. One that came before to another who catches them raises `stop` at once.
    pub fn catch(stop: &Arc<AtomicBool>) -> Result<Self, Failure> {
        /// The signal that came, whoever caught it first.
        static CAME: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);
        let came = Arc::clone(&CAME);
        for signal in [SIGINT, SIGTERM, SIGUSR1, SIGHUP] {
            if signal == SIGHUP && is_ignored(signal) {
                continue;
            }
            signal_hook::flag::register_conditional_default(signal, Arc::clone(stop))
                .and_then(|_| signal_hook::flag::register_usize(signal, Arc::clone(&came), signal as usize))
                .and_then(|_| signal_hook::flag::register(signal, Arc::clone(stop)))
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

/// Whether whoever started the program has it ignore a signal.
fn is_ignored(signal: i32) -> bool {
    // SAFETY: the struct is plain numbers, for which zeros will do, and sigaction with no new action only fills it.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}
