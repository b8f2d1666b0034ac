//! The distribution of a step over ranks, and the report of a rank after a step.
//!
//! The distribution decides which rank computes which chunk of the next layer.
//!
//! A target chunk is computed by one rank, from source chunks that other ranks may hold. The target chunks
//! are sorted, and the sorted list is split into one range per rank, of about equal cost. Two rules reduce
//! the traffic:
//!
//! - The sort key consists of the digits of the chunk's number, those of the slots that are touched latest
//!   first. A step changes the digits of a few slots only, which come last. So a range reads from nearly the
//!   same range of the layer before. Until the leading slots are touched, only chunks near the range
//!   boundaries are sent.
//! - A range is assigned to the rank that holds most of its sources.
//!
//! A source chunk that several ranks read is sent to each of them.

use serde::{Deserialize, Serialize};

use super::command::Command;
use crate::encoder::Encoder;
use crate::frontier::layer::compiled_step::CompiledStep;
use crate::frontier::layer::sweep_totals::{ResourceUsage, StepTally};
use crate::frontier::signature::space::SignatureSpace;

/// A chunk of a layer, and the rank that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldChunk {
    /// Number of the chunk.
    pub number: usize,
    /// Number of the rank that holds the chunk.
    pub rank: usize,
    /// Size of the chunk in bytes.
    pub bytes: u64,
}

/// Version of the encoding that [`holdings_digest`] hashes.
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

/// The work of a rank in a step, and its resources after the step. The sum over all ranks describes
/// the sweep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RankReport {
    /// Counters of the rank's part of the step.
    pub tally: StepTally,
    /// Memory and disk that the rank uses.
    pub usage: ResourceUsage,
    /// Command of the rank's observer.
    pub command: Command,
    /// Chunks that the rank holds after the step: number of each chunk, and its size in bytes.
    pub chunks: Vec<(usize, u64)>,
}

impl RankReport {
    /// Adds up the reports of all ranks, given by rank. Returns the sum, whose list of chunks is
    /// empty, and the chunks that the ranks hold.
    #[must_use]
    pub fn combine(all: Vec<Self>) -> (Self, Vec<HeldChunk>) {
        let command = Command::combine(all.iter().map(|report| report.command));
        let mut sum = Self { command, ..Self::default() };
        let mut holdings = Vec::new();
        for (rank, one) in all.into_iter().enumerate() {
            holdings.extend(one.chunks.into_iter().map(|(number, bytes)| HeldChunk { number, rank, bytes }));
            sum.tally = sum.tally.plus(one.tally);
            sum.usage = sum.usage.combined_with(one.usage);
        }
        (sum, holdings)
    }
}

/// The transfer of a source chunk from the rank that holds it to a rank that reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transfer {
    /// Number of the chunk.
    pub chunk: usize,
    /// Number of the rank that holds the chunk.
    pub holder: usize,
    /// Number of the rank that reads the chunk.
    pub reader: usize,
}

/// The assignment of the target chunks of a step to ranks, and the transfers that it requires.
#[derive(Debug)]
pub struct Distribution {
    /// For each target chunk, the rank that computes it; `None` if the chunk is not computed.
    owners: Vec<Option<usize>>,
    transfers: Vec<Transfer>,
    /// For each source chunk, its size in bytes.
    source_bytes: Vec<u64>,
    /// Number of the step, from 0.
    step: usize,
}

impl Distribution {
    /// Distributes the target chunks of step `t` over `ranks` ranks. All ranks compute the same
    /// distribution from the same `held_chunks`. Cost: O(chunks x sources of a chunk).
    #[must_use]
    pub fn new(
        space: &SignatureSpace,
        compiled_step: &CompiledStep,
        t: usize,
        held_chunks: &[HeldChunk],
        ranks: usize,
    ) -> Self {
        let words = space.words();
        let mut holder: Vec<Option<&HeldChunk>> = vec![None; words.chunk_count()];
        held_chunks.iter().for_each(|one| holder[one.number] = Some(one));
        let mut readers = vec![0u32; words.chunk_count()];
        let mut sources_of: Vec<Vec<&HeldChunk>> = vec![Vec::new(); words.chunk_count()];
        let mut order = compiled_step.target_order();
        for &chunk_number in &order {
            sources_of[chunk_number] =
                compiled_step.source_chunks(chunk_number).into_iter().filter_map(|s| holder[s]).collect();
            sources_of[chunk_number].iter().for_each(|s| readers[s.number] += 1);
        }
        let share = |s: &HeldChunk| s.bytes as f64 / f64::from(readers[s.number]);
        let cost = |chunk_number: usize| sources_of[chunk_number].iter().map(|s| share(s)).sum::<f64>();

        let keys = chunk_sort_keys(space, t);
        order.sort_by_key(|&chunk_number| {
            (keys[chunk_number].min(keys[compiled_step.image_chunk(chunk_number)]), chunk_number)
        });
        let total: f64 = order.iter().map(|&chunk_number| cost(chunk_number)).sum();
        let (mut before, mut range_of) = (0.0, vec![0; words.chunk_count()]);
        let mut held_cost = vec![vec![0.0; ranks]; ranks];
        for &chunk_number in &order {
            // By the middle of its cost, so that boundaries are as even as possible.
            let middle = before + cost(chunk_number) / 2.0;
            let range = ((middle / total * ranks as f64) as usize).min(ranks - 1);
            before += cost(chunk_number);
            range_of[chunk_number] = range;
            sources_of[chunk_number].iter().for_each(|s| held_cost[range][s.rank] += share(s));
        }
        let rank_of = assign_ranges(&held_cost);

        let mut owners = vec![None; words.chunk_count()];
        let mut deliveries = Vec::new();
        for &chunk_number in &order {
            let owner = rank_of[range_of[chunk_number]];
            owners[chunk_number] = Some(owner);
            let foreign = sources_of[chunk_number].iter().filter(|s| s.rank != owner);
            let send = |s: &&HeldChunk| Transfer { chunk: s.number, holder: s.rank, reader: owner };
            deliveries.extend(foreign.map(send));
        }
        deliveries.sort_unstable();
        deliveries.dedup();
        let bytes = holder.iter().map(|one| one.map_or(0, |one| one.bytes)).collect();
        Self { owners, transfers: deliveries, source_bytes: bytes, step: t }
    }

    /// Returns the numbers of the target chunks that ranks other than `rank` compute.
    #[must_use]
    pub fn chunks_of_others(&self, rank: usize) -> Vec<usize> {
        (0..self.owners.len())
            .filter(|&chunk_number| self.owners[chunk_number].is_some_and(|owner| owner != rank))
            .collect()
    }

    /// Returns the number of the step, from 0.
    #[must_use]
    pub const fn step(&self) -> usize {
        self.step
    }

    /// Returns the transfers of source chunks that the distribution requires.
    #[must_use]
    pub fn transfers(&self) -> &[Transfer] {
        &self.transfers
    }

    /// Returns the size of a source chunk in bytes; 0 if the chunk is empty.
    #[must_use]
    pub fn source_bytes(&self, source: usize) -> u64 {
        self.source_bytes[source]
    }

    /// Returns, for each source chunk, true if the rank `rank` reads it.
    #[must_use]
    pub fn sources_read_by(&self, compiled_step: &CompiledStep, rank: usize) -> Vec<bool> {
        let mut read = vec![false; self.owners.len()];
        for chunk_number in
            (0..self.owners.len()).filter(|&chunk_number| self.owners[chunk_number] == Some(rank))
        {
            compiled_step.source_chunks(chunk_number).into_iter().for_each(|s| read[s] = true);
        }
        read
    }
}

/// Returns, for each chunk number, its sort key among the target chunks of step `t`.
fn chunk_sort_keys(space: &SignatureSpace, t: usize) -> Vec<u32> {
    let plan = space.plan();
    let touched_next = |slot: usize| {
        let touches = |step: usize| {
            let step = &plan.steps()[step];
            let slots = step
                .later_neighbours
                .iter()
                .map(|later| later.slot)
                .chain(step.slot)
                .chain(step.compulsory_slots.iter().copied());
            slots.into_iter().any(|s| usize::from(s) == slot)
        };
        (t..plan.steps().len()).find(|&step| touches(step)).unwrap_or(usize::MAX)
    };
    let mut slots: Vec<usize> = (0..plan.slot_count()).collect();
    slots.sort_by_key(|&slot| (touched_next(slot), slot));
    let place = |slot: usize| slots.iter().position(|&s| s == slot).expect("every slot is listed") as u32;
    space.words().outer_sums(|slot, digit| 3u32.pow(place(slot)) * digit).by_chunk
}

/// Returns the rank that is assigned to each range of target chunks. `held_cost[range][rank]` is
/// the cost of the sources of the range that the rank holds; the greatest costs are assigned first.
fn assign_ranges(held_cost: &[Vec<f64>]) -> Vec<usize> {
    let ranks = held_cost.len();
    let mut pairs: Vec<(usize, usize)> =
        (0..ranks).flat_map(|range| (0..ranks).map(move |rank| (range, rank))).collect();
    pairs.sort_by(|a, b| held_cost[b.0][b.1].total_cmp(&held_cost[a.0][a.1]));
    let (mut rank_of, mut taken) = (vec![None; ranks], vec![false; ranks]);
    for (range, rank) in pairs {
        if rank_of[range].is_none() && !taken[rank] {
            rank_of[range] = Some(rank);
            taken[rank] = true;
        }
    }
    rank_of.into_iter().map(|rank| rank.expect("as many ranks as ranges")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::planning::problem::Tours;
    use crate::frontier::weights::matching_tables::MapTables;

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

    #[test]
    fn every_chunk_has_one_rank_and_its_sources_are_held_or_transferred() {
        let space = SignatureSpace::for_lines(6, 6, Tours::Closed, true);
        let (tables, ranks) = (MapTables::new(0), 3);
        let mut sent = 0;
        for t in [8, 17, 18, 20, 30] {
            let compiled_step = CompiledStep::new(&space, &tables, None, t);
            // Every second chunk is held, by the ranks in turn.
            let holdings: Vec<HeldChunk> = (0..space.words().chunk_count())
                .step_by(2)
                .map(|number| HeldChunk { number, rank: number / 2 % ranks, bytes: 100 + number as u64 })
                .collect();
            let spread = Distribution::new(&space, &compiled_step, t, &holdings, ranks);
            let others: Vec<Vec<usize>> = (0..ranks).map(|rank| spread.chunks_of_others(rank)).collect();
            for chunk_number in compiled_step.target_order() {
                let foreign = others.iter().filter(|others| others.contains(&chunk_number)).count();
                assert_eq!(foreign, ranks - 1, "chunk {chunk_number} of step {t} belongs to one rank");
            }
            for rank in 0..ranks {
                let read = spread.sources_read_by(&compiled_step, rank);
                for one in &holdings {
                    let delivery = Transfer { chunk: one.number, holder: one.rank, reader: rank };
                    let is_sent = spread.transfers().contains(&delivery);
                    assert_eq!(is_sent, read[one.number] && one.rank != rank);
                    sent += usize::from(is_sent);
                }
            }
        }
        assert!(sent > 0);
    }

    #[test]
    fn assign_ranges_prefers_ranks_that_hold_most_sources() {
        let here = [vec![1.0, 9.0, 0.0], vec![8.0, 7.0, 0.0], vec![5.0, 6.0, 1.0]];
        assert_eq!(assign_ranges(&here), [1, 0, 2]);
    }
}
