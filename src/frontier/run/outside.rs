//! What a sweep takes outside memory: layers for which there is no room there, and checkpoints.

use crate::frontier::run::estimate::{Estimate, reserve};
use crate::frontier::run::tariff;

/// A checkpoint is held until the next is complete, the store's gaps included: measured on 8x8, 7x8 and 6x100.
const GENERATIONS: f64 = 2.5;

/// What a sweep that has no room in memory will take beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Outside {
    /// Bytes in the store at most.
    pub bytes: u64,
    /// Seconds more.
    pub seconds: f64,
}

impl Estimate {
    /// Bytes of checkpoints at most: the layers, packed, of two generations.
    #[must_use]
    pub fn saved(&self) -> u64 {
        let saved = |&(held, packed): &(u64, f64)| (held as f64 * packed * GENERATIONS) as u64;
        self.held.iter().map(saved).max().unwrap_or(0)
    }

    /// What there will be outside memory, if the process may use `ceiling` bytes of it.
    #[must_use]
    pub fn outside(&self, ceiling: u64) -> Outside {
        let room = ceiling.saturating_sub(self.fixed_bytes).saturating_sub(reserve(Some(ceiling)));
        let mut outside = Outside::default();
        for &(held, packed) in &self.held {
            let bytes = held.saturating_sub(room) as f64;
            outside.bytes = outside.bytes.max((bytes * packed) as u64);
            outside.seconds += tariff::seconds_outside(bytes);
        }
        outside
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::problem::cycles::Tours;
    use crate::frontier::run::estimate::tests::{alike, prepared};

    #[test]
    fn what_has_no_room_in_memory_is_told_as_well() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        // The ceiling, bytes stored, seconds: of 9x10 results/large-boards.md, before zeros were left out.
        for (board, tours, ceiling, stored, seconds) in [
            ("8x8", Tours::Paths, 5 << 30, 0.0, 44.3),
            ("9x10", Tours::Closed, 16_400_000_000, 5.08e9, 1017.8),
        ] {
            let mut prepared = prepared(board, tours);
            let (estimate, outside) = pool.install(|| {
                let estimate = if board == "8x8" { prepared.estimate().unwrap() } else { prepared.outlook() };
                let outside = estimate.outside(ceiling);
                (estimate, outside)
            });
            let bytes = outside.bytes as f64;
            let is_stored = if stored > 0.0 { alike(bytes, stored) } else { bytes < ceiling as f64 / 32.0 };
            let total = estimate.seconds + outside.seconds;
            assert!(is_stored && alike(total, seconds), "{board}: {outside:?}, {total} s in all");
        }
        let small = prepared("5x6", Tours::Closed).outlook();
        assert!(small.saved() > 0 && small.saved() < small.peak_bytes);
        assert_eq!(small.outside(1 << 30), Outside::default());
    }
}
