//! [`StopFlags`] stop a search early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::control::Control;

/// Two flags that end a search: the cancellation of the control, and a flag of the run itself, set when no
/// more results are needed.
#[derive(Clone, Copy, Debug)]
pub struct StopFlags<'a> {
    cancelled: &'a AtomicBool,
    done: &'a AtomicBool,
}

impl<'a> StopFlags<'a> {
    /// Combines the cancellation of the control with the flag of the run.
    #[must_use]
    pub fn new(control: &'a Control, over: &'a AtomicBool) -> Self {
        Self { cancelled: control.cancel_flag(), done: over }
    }

    /// Returns true if either flag is set.
    #[must_use]
    pub fn is_set(self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.done.load(Ordering::Relaxed)
    }

    /// Ends the run without cancelling the control.
    pub fn end_run(self) {
        self.done.store(true, Ordering::Relaxed);
    }
}

impl<'a> From<&'a AtomicBool> for StopFlags<'a> {
    fn from(flag: &'a AtomicBool) -> Self {
        Self { cancelled: flag, done: flag }
    }
}

impl<'a> From<&'a Arc<AtomicBool>> for StopFlags<'a> {
    fn from(flag: &'a Arc<AtomicBool>) -> Self {
        Self::from(&**flag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_flag_stops_and_end_run_keeps_control() {
        let (control, over) = (Control::new(), AtomicBool::new(false));
        let stop = StopFlags::new(&control, &over);
        assert!(!stop.is_set());
        stop.end_run();
        assert!(stop.is_set() && !control.is_cancelled());
        over.store(false, Ordering::Relaxed);
        control.cancel();
        assert!(stop.is_set() && StopFlags::from(control.cancel_flag()).is_set());
    }
}
