//! The usage of edges: the number of tours that use each edge, for all edges at once, without
//! visiting tours.
//!
//! A backward pass, from the last layer to the first, computes the number of completions of every
//! state. A choice that leads from a state of weight W to a state with C completions is taken by W
//! x C tours. These tours use the edges that the choice adds:
//!
//! ```text
//! use(edge) = sum over the states s' and the choices c with the edge   W(s') completions(c(s'))
//! ```
//!
//! If a layer is folded, an edge may be counted as its mirror image. The mean of the counts of an
//! edge and its mirror image is correct for both. As a check, the usage at every vertex must add up
//! to two edges per tour.
//!
//! Cost: about the time of two sweeps. Memory: 4 bytes, or 8 where completions are many, for every
//! weight of the larger of two consecutive layers, and of those chunks of the other layer that are
//! in use. A chunk of the later layer is freed after its last reader. A lower bound of the memory
//! is computed from the directories before the work begins.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use num_bigint::BigUint;

use super::backward_sweep::{BackwardOptions, BackwardSweep, BackwardValues, chunk_order, chunk_readers};
use super::block_arithmetic::{MapCache, TourNumber};
use super::completions::{CompletionNumbers, Completions};
use super::error::IndexLayersError;
use super::forward_step::ForwardStep;
use super::index_layers::{IndexLayer, IndexLayers};
use crate::control::AllocatorRequest;
use crate::frontier::layer::chunk::WordEntry;
use crate::frontier::layer::memory_pool::MemoryPool;
use crate::frontier::signature::space::SignatureSpace;
use crate::frontier::sweep::sweep_estimate::{fixed_bytes, reserve_bytes};

/// Largest number of bits of the greatest weight for which the sums of a step fit a `u64`.
pub const MAX_U64_WEIGHT_BITS: u32 = 56;
/// Largest number of bits of the greatest weight for which the sums of a step fit a `u128`.
pub const MAX_U128_WEIGHT_BITS: u32 = 120;

/// Number of tours that use each edge. An edge is a pair of vertices, the lower first; the number
/// of squares stands for the apex.
pub type EdgeUsage = BTreeMap<(u32, u32), BigUint>;

impl IndexLayers {
    /// Returns the number of tours that use each edge of the graph. For an edge to the apex, this
    /// is the number of paths that end at the other vertex of the edge. Calls `on_step` after every
    /// step with the number of finished steps and the number of all steps.
    ///
    /// # Errors
    /// If a layer is damaged or the pass was cancelled; [`IndexLayersError::Memory`] if memory is
    /// insufficient.
    ///
    /// # Panics
    /// If the usage of layers in memory does not add up to two edges per tour at a vertex.
    pub fn edge_usage(
        &self,
        options: &BackwardOptions,
        on_step: &mut dyn FnMut(usize, usize),
    ) -> Result<EdgeUsage, IndexLayersError> {
        let uses = match self.max_weight_bits {
            bits if bits <= MAX_U64_WEIGHT_BITS => self.sum_edge_usage::<u64>(options, on_step)?,
            bits if bits <= MAX_U128_WEIGHT_BITS => self.sum_edge_usage::<u128>(options, on_step)?,
            _ => self.sum_edge_usage::<BigUint>(options, on_step)?,
        };
        if self.space.is_some() {
            let mut sums = vec![BigUint::ZERO; self.cycles.len()];
            for (&(v, w), number) in &uses {
                sums[v as usize] += number;
                sums[w as usize] += number;
            }
            let twice = &self.total * 2u32;
            if sums.iter().any(|sum| *sum != twice) {
                return Err(self.inconsistent_layers_error("every tour must have two edges at every vertex"));
            }
        }
        Ok(uses)
    }

    /// Returns a lower bound, in bytes, of the memory of a process that computes the usage of
    /// edges: its memory if all numbers of completions fit 32 bits.
    ///
    /// # Errors
    /// If a layer is damaged.
    fn edge_usage_bytes(&self) -> Result<u64, IndexLayersError> {
        match self.max_weight_bits {
            bits if bits <= MAX_U64_WEIGHT_BITS => self.min_edge_usage_bytes::<u64>(),
            bits if bits <= MAX_U128_WEIGHT_BITS => self.min_edge_usage_bytes::<u128>(),
            _ => self.min_edge_usage_bytes::<BigUint>(),
        }
    }

    /// Returns the memory in bytes of a backward pass without its completions: the memory of the
    /// process, plus all layers if they are in memory, or the largest layer if they are in files.
    pub(super) fn fixed_memory_bytes(&self, space: &SignatureSpace) -> u64 {
        let layers = self.layers.iter().map(IndexLayer::bytes);
        let layers = if self.is_in_memory() { layers.sum() } else { layers.max().unwrap_or(0) };
        fixed_bytes(space) + layers
    }

    fn min_edge_usage_bytes<N: TourNumber>(&self) -> Result<u64, IndexLayersError> {
        let Some(space) = &self.space else { return Ok(0) };
        let (maps, words) = (MapCache::default(), space.words().chunk_len());
        let threads = rayon::current_num_threads() as u64;
        let (mut peak, mut after) = (0, vec![0; space.words().chunk_count()]);
        for t in (1..self.step_count()).rev() {
            let (forward, layer) = (ForwardStep::new(space, &self.tables, &maps, t), &self.layers[t - 1]);
            let order = chunk_order(&forward, layer.chunk_numbers());
            let readers = chunk_readers(&order, after.len());
            (0..after.len()).filter(|&target| !readers.is_read(target)).for_each(|target| after[target] = 0);
            let (mut held, mut before) = (after.iter().sum::<u64>(), vec![0; after.len()]);
            let mut largest = 0;
            for (chunk_number, targets) in order {
                let len = layer.chunk(chunk_number)?.map_or(0, |chunk| chunk.len());
                let entries = (words * size_of::<WordEntry>()) as u64;
                before[chunk_number] = entries + (len * size_of::<u32>()) as u64;
                held += before[chunk_number];
                largest = largest.max(entries + Completions::<N>::max_bytes(len));
                peak = peak.max(held + largest * threads);
                for target in targets {
                    if readers.finish_reader(target) {
                        held -= std::mem::take(&mut after[target]);
                    }
                }
            }
            after = before;
            // The directories of all layers would take memory before anything is admitted.
            layer.release_pages();
        }
        Ok(self.fixed_memory_bytes(space) + peak)
    }

    fn sum_edge_usage<N: TourNumber>(
        &self,
        options: &BackwardOptions,
        on_step: &mut dyn FnMut(usize, usize),
    ) -> Result<EdgeUsage, IndexLayersError> {
        let len = self.cycles.len();
        let mut uses: EdgeUsage = (0..len)
            .flat_map(|v| {
                self.cycles.neighbours(v).iter().filter(move |&&w| v < w).map(move |&w| (v as u32, w as u32))
            })
            .map(|edge| (edge, BigUint::ZERO))
            .collect();
        let Some(space) = &self.space else { return Ok(uses) };
        if self.total == BigUint::ZERO {
            return Ok(uses);
        }
        let pool = self.memory_pool::<N>(space, options)?;
        let (steps, maps) = (self.step_count(), MapCache::default());
        let completions = Completions::<N>(PhantomData);
        let sweep =
            BackwardSweep { index: self, values: &completions, pool: &pool, options, keeps_layers: false };
        let one = vec![N::from_u128(1)];
        let mut after = sweep.last_layer(CompletionNumbers::from_wide(one.clone(), &one))?;
        let mut framed: BTreeMap<(usize, usize), BigUint> = BTreeMap::new();
        for t in (0..steps).rev() {
            let forward = ForwardStep::new(space, &self.tables, &maps, t);
            let (vertex, later) = (forward.step.vertex, forward.later_vertices(t));
            let layer = t.checked_sub(1).map(|before| &self.layers[before]);
            let (before, used) = sweep.step(&forward, layer, &after, later.len())?;
            for (&w, number) in used.iter().flat_map(|used| later.iter().zip(used)) {
                if !number.is_zero() {
                    *framed.entry((vertex.min(w), vertex.max(w))).or_default() +=
                        Into::<BigUint>::into(number.clone());
                }
            }
            pool.trim_allocator(0);
            after = before;
            on_step(steps - t, steps);
        }
        for (&(v, w), number) in &framed {
            let (a, b) = (self.mirror[v], self.mirror[w]);
            for (v, w) in [(v, w), (a.min(b), a.max(b))] {
                *uses.get_mut(&(v as u32, w as u32)).expect("a mirror maps edges to edges") += number;
            }
        }
        for number in uses.values_mut() {
            if number.bit(0) {
                let expected = "the uses of an edge and its mirror image must be equal";
                return Err(self.inconsistent_layers_error(expected));
            }
            *number >>= 1;
        }
        Ok(uses)
    }

    /// Returns the error that the stored layers contradict each other.
    ///
    /// # Panics
    /// If the layers are in memory: nobody else has written them. `expected` is the violated condition.
    fn inconsistent_layers_error(&self, expected: &str) -> IndexLayersError {
        assert!(!self.is_in_memory(), "{expected}");
        self.layers.last().expect("an index with uses has layers").damaged_error()
    }

    /// Returns the memory pool of a backward pass under the memory limit of `options`.
    ///
    /// # Errors
    /// [`IndexLayersError::Memory`] if even the lower bound of the memory exceeds the limit.
    fn memory_pool<N: TourNumber>(
        &self,
        space: &SignatureSpace,
        options: &BackwardOptions,
    ) -> Result<MemoryPool<'static>, IndexLayersError> {
        if let Some(grant) = options.allocator {
            grant(AllocatorRequest::KeepFreed);
        }
        let Some(memory) = options.memory else {
            return Ok(MemoryPool::new(u64::MAX / 2, None));
        };
        let available = memory.checked_sub(self.fixed_memory_bytes(space) + reserve_bytes(Some(memory)));
        if self.min_edge_usage_bytes::<N>()? > memory || available.is_none() {
            return Err(self.memory_error(options, 0));
        }
        Ok(MemoryPool::new(available.unwrap_or(0), None)
            .with_process_ceiling(Some(memory), options.allocator))
    }

    /// Returns the error that the memory limit is at least `missing_bytes` bytes too low.
    pub(super) fn memory_error(&self, options: &BackwardOptions, missing_bytes: u64) -> IndexLayersError {
        let limit = options.memory.unwrap_or(u64::MAX);
        let needed = self.edge_usage_bytes().unwrap_or(u64::MAX).max(limit.saturating_add(missing_bytes));
        IndexLayersError::Memory { needed, limit }
    }
}

#[cfg(test)]
mod tests {
    use super::super::build::BuildOptions;
    use super::super::index_layers::IndexLocation;
    use super::*;
    use crate::cpu_features::{KernelSet, with_kernels};
    use crate::frontier::planning::problem::SweepGraph;
    use crate::frontier::planning::problem::Tours;

    /// The 3x32 board has completions of more than 32 bits, and the complete graph has blocks with many ends.
    #[test]
    fn edge_usage_is_independent_of_the_number_type() {
        let complete = (0..9).flat_map(|v| (0..v).map(move |w| (w, v)));
        let complete = SweepGraph::from_graph(crate::board::Graph::from_edges(9, complete));
        for (sweep_graph, tours) in [
            (SweepGraph::from_board(&"6x6".parse().unwrap()), Tours::Closed),
            (SweepGraph::from_board(&"3x32".parse().unwrap()), Tours::Closed),
            (SweepGraph::from_board(&"4x12".parse().unwrap()), Tours::Paths),
            (complete, Tours::Paths),
        ] {
            let build_options = BuildOptions::new("tours");
            let index_layers = IndexLayers::build(
                &sweep_graph,
                tours,
                &IndexLocation::Memory,
                &build_options,
                &mut |_, _, _, _| (),
            )
            .unwrap();
            assert!(index_layers.max_weight_bits <= MAX_U64_WEIGHT_BITS);
            let uses = index_layers.edge_usage(&BackwardOptions::default(), &mut |_, _| ()).unwrap();
            let (flowing, ignore_progress) = (BackwardOptions::default(), &mut |_: usize, _: usize| ());
            assert_eq!(index_layers.sum_edge_usage::<u128>(&flowing, ignore_progress).unwrap(), uses);
            assert_eq!(index_layers.sum_edge_usage::<BigUint>(&flowing, ignore_progress).unwrap(), uses);
            for cpu in [KernelSet::WithoutAvx512, KernelSet::Portable] {
                let found = with_kernels(cpu, || {
                    index_layers.sum_edge_usage::<u64>(&flowing, &mut |_, _| ()).unwrap()
                });
                assert_eq!(found, uses);
            }
        }
    }
}
