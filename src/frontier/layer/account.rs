//! A [`MemoryBudget`] counts the bytes that are reserved, and enforces a limit.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counter of the bytes reserved for chunks.
#[derive(Debug, Default)]
pub struct MemoryBudget {
    reserved_bytes: AtomicU64,
    peak_bytes: AtomicU64,
}

impl MemoryBudget {
    /// Reserves `bytes` and returns true, or returns false if that would exceed `limit`.
    #[must_use]
    pub fn reserve(&self, bytes: u64, limit: u64) -> bool {
        let more = |held: u64| held.checked_add(bytes).filter(|&sum| sum <= limit);
        let before = self.reserved_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        if let Ok(before) = before {
            self.peak_bytes.fetch_max(before + bytes, Ordering::Relaxed);
        }
        before.is_ok()
    }

    /// Releases bytes that were reserved.
    pub fn release(&self, bytes: u64) {
        let held = self.reserved_bytes.fetch_sub(bytes, Ordering::Relaxed);
        debug_assert!(held >= bytes, "more bytes are released than were reserved");
    }

    /// Returns the bytes reserved now.
    #[must_use]
    pub fn reserved_bytes(&self) -> u64 {
        self.reserved_bytes.load(Ordering::Relaxed)
    }

    /// Returns the greatest number of bytes that were reserved at once.
    #[must_use]
    pub fn peak_bytes(&self) -> u64 {
        self.peak_bytes.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserve_rejects_bytes_beyond_limit() {
        let account = MemoryBudget::default();
        assert!(account.reserve(60, 100) && !account.reserve(41, 100) && account.reserve(40, 100));
        account.release(70);
        assert_eq!((account.reserved_bytes(), account.peak_bytes()), (30, 100));
        assert!(!account.reserve(u64::MAX, u64::MAX), "the sum overflows");
    }
}
