//! The report of a rank after a step, and the chunks that ranks hold.

use serde::{Deserialize, Serialize};

use crate::encoder::Encoder;
use crate::frontier::layer::totals::Usage;
use crate::frontier::ranks::pulse::Pulse;
use crate::frontier::state::tally::Tally;

/// A chunk of the layer, and the rank that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holding {
    /// Number of the chunk.
    pub number: usize,
    /// Number of the rank that holds it.
    pub rank: usize,
    /// Size of the chunk in bytes.
    pub bytes: u64,
}

/// Version of the bytes that [`digest_of`] hashes.
const DIGEST_VERSION: u8 = 1;

/// Returns a digest of the assignment of chunks to ranks. It is equal on all ranks.
#[must_use]
pub fn digest_of(holdings: &[Holding]) -> u64 {
    let mut all: Vec<(usize, usize)> = holdings.iter().map(|one| (one.number, one.rank)).collect();
    all.sort_unstable();
    let mut bytes = Encoder::new(DIGEST_VERSION);
    bytes.list(&all, |to, &(number, rank)| {
        to.number(number as u64);
        to.number(rank as u64);
    });
    bytes.digest()
}

/// The work of a rank in a step and its resources after it. The sum over all ranks describes the sweep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// Counts of its part of the step.
    pub tally: Tally,
    /// Memory and disk that it uses.
    pub usage: Usage,
    /// Command of its observer.
    pub pulse: Pulse,
    /// Chunks that it holds now: number, and size in bytes.
    pub chunks: Vec<(usize, u64)>,
}

impl Share {
    /// Adds up the reports of all ranks, given by rank. Returns the sum, without chunks, and the chunks that
    /// the ranks hold.
    #[must_use]
    pub fn together(all: Vec<Self>) -> (Self, Vec<Holding>) {
        let pulse = Pulse::of_all(all.iter().map(|one| one.pulse));
        let mut sum = Self { pulse, ..Self::default() };
        let mut holdings = Vec::new();
        for (rank, one) in all.into_iter().enumerate() {
            holdings.extend(one.chunks.into_iter().map(|(number, bytes)| Holding { number, rank, bytes }));
            sum.tally = sum.tally.plus(one.tally);
            sum.usage = sum.usage.plus(one.usage);
        }
        (sum, holdings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_tell_who_holds_what() {
        let share = |states, peak_bytes, chunks: &[(usize, u64)]| Share {
            tally: Tally { states, bits: states as u32, ..Tally::default() },
            usage: Usage { bytes: 10, peak_bytes, ..Usage::default() },
            pulse: Pulse::Go,
            chunks: chunks.to_vec(),
        };
        let (sum, holdings) = Share::together(vec![share(5, 30, &[(1, 8)]), share(7, 20, &[(0, 2), (4, 2)])]);
        assert_eq!((sum.tally.states, sum.tally.bits), (12, 7));
        assert_eq!((sum.usage.bytes, sum.usage.peak_bytes), (20, 30));
        assert_eq!(holdings.len(), 3);
        let turned: Vec<Holding> = holdings.iter().rev().copied().collect();
        assert_eq!(digest_of(&turned), digest_of(&holdings));
        let moved: Vec<Holding> = holdings.iter().map(|one| Holding { rank: 1 - one.rank, ..*one }).collect();
        assert_ne!(digest_of(&moved), digest_of(&holdings));
    }
}
