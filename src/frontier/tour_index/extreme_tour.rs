//! Extremal tours: a tour with the most edges, or the fewest, of a given class of edges.
//!
//! A backward pass computes for every state the greatest number of edges of the class in any of its
//! completions. A forward pass then follows a path through states that attains the greatest number.
//! The recursion is that of the completions with the maximum in place of the sum, so no tour is
//! visited. Cost: about the time of a sweep, and a byte of memory per weight of all layers.

use std::collections::BTreeSet;
use std::ops::Range;

use num_bigint::BigUint;

use super::backward_sweep::{BackwardOptions, BackwardSweep, BackwardValues, SourceChunk};
use super::block_arithmetic::MapCache;
use super::chunk_format::Damaged;
use super::error::IndexLayersError;
use super::forward_step::{ForwardStep, TargetBlock, TargetChunks, TermVisitor, entry_at};
use super::index_layers::IndexLayers;
use super::predecessors::{SingleState, joined_slots};
use crate::frontier::layer::memory_pool::MemoryPool;
use crate::frontier::signature::moves::Move;
use crate::frontier::signature::space::SignatureSpace;
use crate::lock::lock;

/// Value of a state that no tour passes.
const NO_TOUR: u8 = u8::MAX;

/// The edges of a tour, and the number of these edges that are in the class.
pub type ExtremeTour = (Vec<(u32, u32)>, u32);

/// A class of edges, and whether their number in a tour is to be maximised or minimised.
struct EdgeClass<'a> {
    edges: &'a BTreeSet<(u32, u32)>,
    maximises: bool,
}

/// The best value of each state before a step: the greatest, or smallest, number of edges of the
/// class in a completion.
struct BestValues<'a> {
    class: &'a EdgeClass<'a>,
    /// For each later neighbour of the step, 1 if the edge to it is in the class, else 0.
    gains: Vec<u8>,
}

impl BackwardValues for BestValues<'_> {
    type Values = Vec<u8>;
    type Tally = ();

    fn new_tally(&self, _: usize) {}

    fn bytes(values: &Vec<u8>) -> u64 {
        values.len() as u64
    }

    fn max_bytes(weights: usize) -> u64 {
        2 * weights as u64
    }

    fn compute(
        &self,
        source: &SourceChunk,
        after: &TargetChunks<Vec<u8>>,
        (): &mut (),
    ) -> Result<Vec<u8>, Damaged> {
        // A state of weight zero does not exist.
        let is_present = source.present_states()?;
        let best = vec![NO_TOUR; is_present.len()];
        let mut visitor = BestOfChunk { values: self, forward: source.forward, is_present, best };
        source.forward.visit_terms(source.number, source.entries, after, &mut visitor);
        Ok(visitor.best)
    }
}

/// The best values of a chunk under construction.
struct BestOfChunk<'a> {
    values: &'a BestValues<'a>,
    forward: &'a ForwardStep<'a>,
    is_present: Vec<bool>,
    best: Vec<u8>,
}

impl TermVisitor<Vec<u8>> for BestOfChunk<'_> {
    fn begin_block(&mut self, block: Range<usize>) -> bool {
        self.is_present[block].contains(&true)
    }

    fn visit(&mut self, m: &Move, landing: &TargetBlock, values: &Vec<u8>, block: Range<usize>) {
        let BestValues { class, gains } = self.values;
        let slots = joined_slots(self.forward.step, m.operation).into_iter().flatten();
        let gain: u8 = slots.map(|slot| gains[self.forward.later_index[usize::from(slot)]]).sum();
        let values = &values[landing.block.clone()];
        let (is_present, best) = (&self.is_present[block.clone()], &mut self.best[block]);
        let mirrored = self.forward.mirror_map(landing);
        self.forward.for_each_pair(landing, |y, x| {
            let value = values[mirrored.as_ref().map_or(x, |map| map[x] as usize)];
            if is_present[y] && value != NO_TOUR {
                best[y] = class.better(best[y], value + gain);
            }
        });
    }
}

impl EdgeClass<'_> {
    /// Returns the better of two values; the first may be [`NO_TOUR`].
    const fn better(&self, one: u8, other: u8) -> u8 {
        let is_better = if self.maximises { other > one } else { other < one };
        if one == NO_TOUR || is_better { other } else { one }
    }

    /// Returns, for each later neighbour of step `t`, 1 if the edge to it is in the class, else 0.
    fn edge_gains(&self, forward: &ForwardStep, t: usize) -> Vec<u8> {
        let v = forward.step.vertex;
        let is_in = |&w: &usize| self.edges.contains(&(v.min(w) as u32, v.max(w) as u32));
        forward.later_vertices(t).iter().map(|w| u8::from(is_in(w))).collect()
    }
}

impl IndexLayers {
    /// Returns the edges of a tour with the most edges of `class` (or the fewest, if `maximise` is
    /// false), and the number of edges of the class in this tour. Calls `on_step` after every step
    /// with the number of finished steps and the number of all steps.
    ///
    /// Returns `None` if there is no tour, if the layers are folded by a mirror that does not
    /// preserve the class (an edge is known only up to the mirror), or if a tour may have more than
    /// 254 edges of the class.
    ///
    /// # Errors
    /// If a layer is damaged or the search was cancelled; [`IndexLayersError::Memory`] if memory is
    /// insufficient.
    pub fn extreme_tour(
        &self,
        class: &BTreeSet<(u32, u32)>,
        maximise: bool,
        options: &BackwardOptions,
        on_step: &mut dyn FnMut(usize, usize),
    ) -> Result<Option<ExtremeTour>, IndexLayersError> {
        let image = |v: u32| self.mirror.get(v as usize).map_or(v, |&w| w as u32);
        let keeps = |&(v, w): &(u32, u32)| {
            let (a, b) = (image(v), image(w));
            class.contains(&(a.min(b), a.max(b)))
        };
        let is_small = class.len().min(self.cycles.len()) < usize::from(NO_TOUR);
        let space = self.space.as_ref().filter(|_| is_small && class.iter().all(keeps));
        let Some(space) = space.filter(|_| self.total != BigUint::ZERO) else { return Ok(None) };
        let needed = self.extreme_tour_bytes(space)?;
        if let Some(limit) = options.memory.filter(|&limit| needed > limit) {
            return Err(IndexLayersError::Memory { needed, limit });
        }
        let (class, maps, steps) =
            (EdgeClass { edges: class, maximises: maximise }, MapCache::default(), self.step_count());
        let pool = MemoryPool::new(u64::MAX / 2, None);
        let last = BestValues { class: &class, gains: Vec::new() };
        let sweep = BackwardSweep { index: self, values: &last, pool: &pool, options, keeps_layers: true };
        let mut layers = vec![sweep.last_layer(vec![0])?];
        // The layer before the first step is omitted: it has one state.
        for t in (1..steps).rev() {
            let forward = ForwardStep::new(space, &self.tables, &maps, t);
            let values = BestValues { class: &class, gains: class.edge_gains(&forward, t) };
            let after = layers.last().expect("the last layer exists");
            let sweep =
                BackwardSweep { values: &values, index: self, pool: &pool, options, keeps_layers: true };
            let (before, _) = sweep.step(&forward, Some(&self.layers[t - 1]), after, 0)?;
            layers.push(before);
            on_step(steps - t, steps);
        }
        let (mut state, mut edges, mut is_mirrored, mut count) = (SingleState::EMPTY, Vec::new(), false, 0);
        for t in 0..steps {
            let forward = ForwardStep::new(space, &self.tables, &maps, t);
            let (later, gains) = (forward.later_vertices(t), class.edge_gains(&forward, t));
            let after = layers.pop().expect("there is a layer for every step");
            let after: Vec<_> = after.iter().map(|chunk| lock(chunk).take()).collect();
            let onwards = self.best_step(&forward, state, &after, &gains, &class);
            let Some(BestStep { target: to, is_image, later_indices, gain }) = onwards else {
                return Ok(None);
            };
            count += u32::from(gain);
            for position in later_indices {
                let (v, w) = (forward.step.vertex as u32, later[position] as u32);
                edges.push(if is_mirrored { (image(v), image(w)) } else { (v, w) });
            }
            is_mirrored ^= is_image;
            state = to;
        }
        Ok(Some((edges, count)))
    }

    /// Returns the memory in bytes of a process that searches for an extremal tour.
    fn extreme_tour_bytes(&self, space: &SignatureSpace) -> Result<u64, IndexLayersError> {
        let mut bytes = self.fixed_memory_bytes(space);
        for layer in &self.layers {
            for chunk_number in layer.chunk_numbers() {
                bytes += layer.chunk(chunk_number)?.map_or(0, |chunk| chunk.len() as u64);
            }
        }
        Ok(bytes)
    }

    /// Returns a step from `state` along a best tour; `None` if no tour passes `state`.
    fn best_step(
        &self,
        forward: &ForwardStep,
        state: SingleState,
        after: &TargetChunks<Vec<u8>>,
        gains: &[u8],
        class: &EdgeClass,
    ) -> Option<BestStep> {
        let n = state.end_slots(self.space.as_ref()?.words()).count_ones() as usize;
        let mut found: Option<(u8, BestStep)> = None;
        for m in forward
            .moves
            .moves_at(state.word.chunk, state.word.word)
            .iter()
            .filter(|m| m.allowed_bits >> state.bit & 1 == 1)
        {
            let slots = joined_slots(forward.step, m.operation).into_iter().flatten();
            let later_indices: Vec<usize> =
                slots.map(|slot| forward.later_index[usize::from(slot)]).collect();
            let gain = later_indices.iter().map(|&position| gains[position]).sum::<u8>();
            let landing = forward.target_block(m, state.word, state.bit, n, |at| entry_at(after, at));
            let Some(landing) = landing else { continue };
            let mut index = None;
            forward.for_each_pair(&landing, |y, x| index = index.or((y == state.matching).then_some(x)));
            let Some(index) = index else { continue };
            let index = forward.mirror_map(&landing).map_or(index, |map| map[index] as usize);
            let value = after[landing.word.chunk].as_ref()?.values[landing.block.start + index];
            if value == NO_TOUR {
                continue;
            }
            let value = value + gain;
            if found.as_ref().is_none_or(|best| best.0 != class.better(best.0, value)) {
                let to = SingleState { word: landing.word, bit: landing.bit, matching: index };
                found =
                    Some((value, BestStep { target: to, is_image: landing.is_image(), later_indices, gain }));
            }
        }
        found.map(|(_, onwards)| onwards)
    }
}

/// A step of a best tour.
struct BestStep {
    target: SingleState,
    /// True if the layer after the step contains the mirror image of the target state instead of
    /// the state.
    is_image: bool,
    /// Indices of the later neighbours to which the step joins its vertex.
    later_indices: Vec<usize>,
    /// Number of edges of the class among the edges to `later_indices`.
    gain: u8,
}
