//! A [`MemoryBudget`] counts the bytes that are reserved, and enforces a limit.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counter of the bytes reserved for chunks.
#[derive(Debug, Default)]
pub struct Account {
    held: AtomicU64,
    peak: AtomicU64,
}

impl Account {
    /// Reserves `bytes` and returns true, or returns false if that would exceed `limit`.
    #[must_use]
    pub fn take(&self, bytes: u64, limit: u64) -> bool {
        let more = |held: u64| held.checked_add(bytes).filter(|&sum| sum <= limit);
        let before = self.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        if let Ok(before) = before {
            self.peak.fetch_max(before + bytes, Ordering::Relaxed);
        }
        before.is_ok()
    }

    /// Releases bytes that were reserved.
    pub fn give(&self, bytes: u64) {
        let held = self.held.fetch_sub(bytes, Ordering::Relaxed);
        debug_assert!(held >= bytes, "more bytes are released than were reserved");
    }

    /// Returns the bytes reserved now.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// Returns the greatest number of bytes that were reserved at once.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_taken_beyond_the_limit() {
        let account = Account::default();
        assert!(account.take(60, 100) && !account.take(41, 100) && account.take(40, 100));
        account.give(70);
        assert_eq!((account.held(), account.peak()), (30, 100));
        assert!(!account.take(u64::MAX, u64::MAX), "the sum overflows");
    }
}
