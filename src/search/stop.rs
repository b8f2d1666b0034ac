//! [`StopFlags`] stop a search early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::control::Control;

/// Two flags that end a search: the cancellation of the control, and a flag of the run itself, set when no
/// more results are needed.
#[derive(Clone, Copy, Debug)]
pub struct Stop<'a> {
    asked: &'a AtomicBool,
    over: &'a AtomicBool,
}

impl<'a> Stop<'a> {
    /// Combines the cancellation of the control with the flag of the run.
    #[must_use]
    pub fn new(control: &'a Control, over: &'a AtomicBool) -> Self {
        Self { asked: control.flag(), over }
    }

    /// Returns true if either flag is set.
    #[must_use]
    pub fn is_raised(self) -> bool {
        self.asked.load(Ordering::Relaxed) || self.over.load(Ordering::Relaxed)
    }

    /// Ends the run without cancelling the control.
    pub fn raise(self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

impl<'a> From<&'a AtomicBool> for Stop<'a> {
    fn from(flag: &'a AtomicBool) -> Self {
        Self { asked: flag, over: flag }
    }
}

impl<'a> From<&'a Arc<AtomicBool>> for Stop<'a> {
    fn from(flag: &'a Arc<AtomicBool>) -> Self {
        Self::from(&**flag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_flag_ends_a_run_and_only_one_is_its_own() {
        let (control, over) = (Control::new(), AtomicBool::new(false));
        let stop = Stop::new(&control, &over);
        assert!(!stop.is_raised());
        stop.raise();
        assert!(stop.is_raised() && !control.is_cancelled());
        over.store(false, Ordering::Relaxed);
        control.cancel();
        assert!(stop.is_raised() && Stop::from(control.flag()).is_raised());
    }
}
