//! Cancellation of long computations.
//!
//! Planning a sweep can take seconds, its tables of signatures minutes. Long loops check
//! [`Cancel::is_cancelled`] at intervals and return early with an unusable result. Their callers
//! make the same check and discard that result.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that cancels computations. Default: never cancelled.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Option<Arc<AtomicBool>>);

impl Cancel {
    /// Returns true if computations with this flag are cancelled.
    #[inline]
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

impl From<&Arc<AtomicBool>> for Cancel {
    fn from(flag: &Arc<AtomicBool>) -> Self {
        Self(Some(Arc::clone(flag)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_cancelled_follows_the_flag() {
        let flag = Arc::new(AtomicBool::new(false));
        let cancel = Cancel::from(&flag);
        assert!(!cancel.is_cancelled() && !Cancel::default().is_cancelled());
        flag.store(true, Ordering::Relaxed);
        assert!(cancel.is_cancelled());
    }
}
