//! The report of a rank after a step, and the chunks that ranks hold.

use serde::{Deserialize, Serialize};

use super::command::Command;
use crate::encoder::Encoder;
use crate::frontier::layer::sweep_totals::ResourceUsage;
use crate::frontier::signature::step_tally::StepTally;

/// A chunk of the layer, and the rank that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldChunk {
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
pub fn holdings_digest(holdings: &[HeldChunk]) -> u64 {
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
pub struct RankReport {
    /// Counts of its part of the step.
    pub tally: StepTally,
    /// Memory and disk that it uses.
    pub usage: ResourceUsage,
    /// Command of its observer.
    pub command: Command,
    /// Chunks that it holds now: number, and size in bytes.
    pub chunks: Vec<(usize, u64)>,
}

impl RankReport {
    /// Adds up the reports of all ranks, given by rank. Returns the sum, without chunks, and the chunks that
    /// the ranks hold.
    #[must_use]
    pub fn combine(all: Vec<Self>) -> (Self, Vec<HeldChunk>) {
        let pulse = Command::combine(all.iter().map(|report| report.command));
        let mut sum = Self { command: pulse, ..Self::default() };
        let mut holdings = Vec::new();
        for (rank, one) in all.into_iter().enumerate() {
            holdings.extend(one.chunks.into_iter().map(|(number, bytes)| HeldChunk { number, rank, bytes }));
            sum.tally = sum.tally.plus(one.tally);
            sum.usage = sum.usage.combined_with(one.usage);
        }
        (sum, holdings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combine_adds_up_reports_and_lists_held_chunks() {
        let share = |states, peak_bytes, chunks: &[(usize, u64)]| RankReport {
            tally: StepTally { states, bits: states as u32, ..StepTally::default() },
            usage: ResourceUsage { bytes: 10, peak_bytes, ..ResourceUsage::default() },
            command: Command::Continue,
            chunks: chunks.to_vec(),
        };
        let (sum, holdings) =
            RankReport::combine(vec![share(5, 30, &[(1, 8)]), share(7, 20, &[(0, 2), (4, 2)])]);
        assert_eq!((sum.tally.states, sum.tally.bits), (12, 7));
        assert_eq!((sum.usage.bytes, sum.usage.peak_bytes), (20, 30));
        assert_eq!(holdings.len(), 3);
        let turned: Vec<HeldChunk> = holdings.iter().rev().copied().collect();
        assert_eq!(holdings_digest(&turned), holdings_digest(&holdings));
        let moved: Vec<HeldChunk> =
            holdings.iter().map(|one| HeldChunk { rank: 1 - one.rank, ..*one }).collect();
        assert_ne!(holdings_digest(&moved), holdings_digest(&holdings));
    }
}
