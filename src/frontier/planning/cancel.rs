//! Cancellation of long computations.
//!
//! Planning a sweep can take seconds, and a dry run minutes. Long loops call
//! [`Cancel::check`] at least ten times a second and return the error [`Cancelled`], so that no
//! caller uses an unfinished result.

use std::sync::Arc;
#[cfg(test)]
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that cancels computations. Default: never cancelled.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Option<Arc<AtomicBool>>, #[cfg(test)] Option<Arc<PollCounter>>);

/// The error of a cancelled computation, which has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

/// A counter of the checks of a flag, which tests use to cancel at a given check.
#[cfg(test)]
#[derive(Debug)]
pub struct PollCounter {
    /// Number of the check that is the first to find the flag set, counted from 0.
    limit: usize,
    /// Number of checks so far.
    count: AtomicUsize,
}

#[cfg(test)]
impl PollCounter {
    /// Counts a check. Returns true if the flag is set for it.
    fn is_last(&self) -> bool {
        self.count.fetch_add(1, Ordering::Relaxed) >= self.limit
    }

    /// Returns the number of checks so far.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }
}

impl Cancel {
    /// Returns true if computations with this flag are cancelled.
    #[inline]
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        #[cfg(test)]
        if let Some(polls) = &self.1 {
            return polls.is_last();
        }
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Returns an error if computations with this flag are cancelled.
    ///
    /// # Errors
    /// `Cancelled` if they are cancelled.
    #[inline]
    pub(crate) fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// Returns a flag that is set from its check number `limit` on, counted from 0, and the counter
    /// of its checks.
    #[cfg(test)]
    pub fn after_polls(limit: usize) -> (Self, Arc<PollCounter>) {
        let polls = Arc::new(PollCounter { limit, count: AtomicUsize::new(0) });
        (Self(None, Some(Arc::clone(&polls))), polls)
    }
}

impl From<&Arc<AtomicBool>> for Cancel {
    fn from(flag: &Arc<AtomicBool>) -> Self {
        Self(
            Some(Arc::clone(flag)),
            #[cfg(test)]
            None,
        )
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
        assert_eq!(cancel.check(), Err(Cancelled));
        let (cancel, polls) = Cancel::after_polls(2);
        assert_eq!([(); 3].map(|()| cancel.is_cancelled()), [false, false, true]);
        assert_eq!(polls.count(), 3);
    }
}
