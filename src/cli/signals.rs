//! Signals: the first asks a run to stop and tidy up, the second kills.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};

use super::failure::Failure;

/// The signals that stop a run, and the one that came.
#[derive(Debug)]
pub struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// From now on SIGINT, SIGTERM and SIGUSR1 raise `stop`; the next of them kills.
    pub fn catch(stop: &Arc<AtomicBool>) -> Result<Self, Failure> {
        let came = Arc::new(AtomicUsize::new(0));
        for signal in [SIGINT, SIGTERM, SIGUSR1] {
            signal_hook::flag::register_conditional_default(signal, Arc::clone(stop))
                .and_then(|_| signal_hook::flag::register_usize(signal, Arc::clone(&came), signal as usize))
                .and_then(|_| signal_hook::flag::register(signal, Arc::clone(stop)))
                .map_err(|error| Failure::failed(format!("cannot catch signal {signal}: {error}")))?;
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
