//! The distribution of a step: which rank computes which chunk of the next layer.
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

use super::rank_report::HeldChunk;
use crate::frontier::layer::compiled_step::CompiledStep;
use crate::frontier::signature::space::SignatureSpace;

/// The transfer of a source chunk from the rank that holds it to a rank that reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transfer {
    /// Number of the chunk.
    pub chunk: usize,
    /// Number of the rank that holds it.
    pub holder: usize,
    /// Number of the rank that reads it.
    pub reader: usize,
}

/// The assignment of the target chunks of a step to ranks, and the transfers that it requires.
#[derive(Debug)]
pub struct Distribution {
    /// By target chunk, the rank that computes it; `None` if it is not computed.
    owners: Vec<Option<usize>>,
    transfers: Vec<Transfer>,
    /// By source chunk, its size in bytes.
    source_bytes: Vec<u64>,
    /// Number of the step, from 0.
    step: usize,
}

impl Distribution {
    /// Distributes the target chunks of step `t` over `ranks` ranks. All ranks compute the same result from
    /// the same `held_chunks`. Cost: O(chunks x sources of a chunk).
    #[must_use]
    pub fn new(
        space: &SignatureSpace,
        stride: &CompiledStep,
        t: usize,
        held_chunks: &[HeldChunk],
        ranks: usize,
    ) -> Self {
        let words = space.words();
        let mut holder: Vec<Option<&HeldChunk>> = vec![None; words.chunk_count()];
        held_chunks.iter().for_each(|one| holder[one.number] = Some(one));
        let mut readers = vec![0u32; words.chunk_count()];
        let mut sources_of: Vec<Vec<&HeldChunk>> = vec![Vec::new(); words.chunk_count()];
        let mut order = stride.target_order();
        for &high in &order {
            sources_of[high] = stride.source_chunks(high).into_iter().filter_map(|s| holder[s]).collect();
            sources_of[high].iter().for_each(|s| readers[s.number] += 1);
        }
        let share = |s: &HeldChunk| s.bytes as f64 / f64::from(readers[s.number]);
        let cost = |high: usize| sources_of[high].iter().map(|s| share(s)).sum::<f64>();

        let keys = chunk_sort_keys(space, t);
        order.sort_by_key(|&high| (keys[high].min(keys[stride.image_chunk(high)]), high));
        let total: f64 = order.iter().map(|&high| cost(high)).sum();
        let (mut before, mut range_of) = (0.0, vec![0; words.chunk_count()]);
        let mut held_cost = vec![vec![0.0; ranks]; ranks];
        for &high in &order {
            // By the middle of its cost, so that boundaries are as even as possible.
            let middle = before + cost(high) / 2.0;
            let range = ((middle / total * ranks as f64) as usize).min(ranks - 1);
            before += cost(high);
            range_of[high] = range;
            sources_of[high].iter().for_each(|s| held_cost[range][s.rank] += share(s));
        }
        let rank_of = assign_ranges(&held_cost);

        let mut owners = vec![None; words.chunk_count()];
        let mut deliveries = Vec::new();
        for &high in &order {
            let owner = rank_of[range_of[high]];
            owners[high] = Some(owner);
            let foreign = sources_of[high].iter().filter(|s| s.rank != owner);
            let send = |s: &&HeldChunk| Transfer { chunk: s.number, holder: s.rank, reader: owner };
            deliveries.extend(foreign.map(send));
        }
        deliveries.sort_unstable();
        deliveries.dedup();
        let bytes = holder.iter().map(|one| one.map_or(0, |one| one.bytes)).collect();
        Self { owners, transfers: deliveries, source_bytes: bytes, step: t }
    }

    /// Returns the numbers of the target chunks that other ranks compute.
    #[must_use]
    pub fn chunks_of_others(&self, rank: usize) -> Vec<usize> {
        (0..self.owners.len()).filter(|&high| self.owners[high].is_some_and(|owner| owner != rank)).collect()
    }

    /// Returns the number of the step, from 0.
    #[must_use]
    pub const fn step(&self) -> usize {
        self.step
    }

    /// Returns the required transfers.
    #[must_use]
    pub fn transfers(&self) -> &[Transfer] {
        &self.transfers
    }

    /// Returns the size of a source chunk in bytes; 0 if there is none.
    #[must_use]
    pub fn source_bytes(&self, source: usize) -> u64 {
        self.source_bytes[source]
    }

    /// Returns by source chunk whether rank `rank` reads it.
    #[must_use]
    pub fn sources_read_by(&self, stride: &CompiledStep, rank: usize) -> Vec<bool> {
        let mut read = vec![false; self.owners.len()];
        for high in (0..self.owners.len()).filter(|&high| self.owners[high] == Some(rank)) {
            stride.source_chunks(high).into_iter().for_each(|s| read[s] = true);
        }
        read
    }
}

/// Returns by chunk number its sort key among the target chunks of step `t`.
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
                .chain(step.compulsory_slot);
            slots.into_iter().any(|s| usize::from(s) == slot)
        };
        (t..plan.steps().len()).find(|&step| touches(step)).unwrap_or(usize::MAX)
    };
    let mut slots: Vec<usize> = (0..plan.slot_count()).collect();
    slots.sort_by_key(|&slot| (touched_next(slot), slot));
    let place = |slot: usize| slots.iter().position(|&s| s == slot).expect("every slot is listed") as u32;
    space.words().outer_sums(|slot, digit| 3u32.pow(place(slot)) * digit).by_chunk
}

/// Assigns a rank to every range, greedily by the cost of sources that the rank already holds.
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
    use std::sync::Arc;

    use super::*;
    use crate::board::Rectangle;
    use crate::frontier::planning::cycles::{Cycles, Tours};
    use crate::frontier::planning::plan::Plan;
    use crate::frontier::planning::sweep_graph::SweepGraph;
    use crate::frontier::weights::matching_tables::MapTables;

    #[test]
    fn every_chunk_has_one_rank_and_its_sources_are_held_or_transferred() {
        let cycles = Cycles::from_sweep_graph(
            &SweepGraph::from_board(&Rectangle::new(6, 6).unwrap().into()),
            Tours::Closed,
        );
        let order: Vec<usize> = (0..cycles.len()).collect();
        let course = SignatureSpace::new(&Arc::new(Plan::new(&cycles, &order, true))).unwrap();
        let (tables, ranks) = (MapTables::new(0), 3);
        let mut sent = 0;
        for t in [8, 17, 18, 20, 30] {
            let stride = CompiledStep::new(&course, &tables, None, t);
            // Every second chunk is held, by the ranks in turn.
            let holdings: Vec<HeldChunk> = (0..course.words().chunk_count())
                .step_by(2)
                .map(|number| HeldChunk { number, rank: number / 2 % ranks, bytes: 100 + number as u64 })
                .collect();
            let spread = Distribution::new(&course, &stride, t, &holdings, ranks);
            let others: Vec<Vec<usize>> = (0..ranks).map(|rank| spread.chunks_of_others(rank)).collect();
            for high in stride.target_order() {
                let foreign = others.iter().filter(|others| others.contains(&high)).count();
                assert_eq!(foreign, ranks - 1, "chunk {high} of step {t} belongs to one rank");
            }
            for rank in 0..ranks {
                let read = spread.sources_read_by(&stride, rank);
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
