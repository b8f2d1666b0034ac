//! Ranking and unranking of tours: numbers from tours and tours from numbers, singly or in batches.
//!
//! A single tour is unranked without unpacking whole chunks.
//!
//! Many tours are unranked together, from the last layer to the first:
//!
//! ```text
//! numbers -> unrankers, sorted by class of chunks -> the chunks of each class opened once, in parallel -> a step back
//! ```
//!
//! A class is a set of chunks whose states have predecessors in the same chunks. If few tours are
//! in a class, its chunks are read by random access instead, which takes less time than opening
//! them.
//!
//! To rank a tour, the states that it passes are computed from the first layer to the last. When a
//! layer contains the mirror image of the tour's state instead of the state, the mirror image of
//! the tour is followed from there on.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use num_bigint::BigUint;
use rayon::prelude::*;

use super::block_arithmetic::TourNumber;
use super::chunk_format::OpenChunk;
use super::error::IndexLayersError;
use super::index_layers::{IndexLayer, IndexLayers};
use super::predecessors::{BackwardStep, PreviousLayer, SingleState};
use crate::frontier::layer::chunk::WordEntry;
use crate::frontier::planning::cancel::Cancel;
use crate::frontier::ranks::error::Error;
use crate::frontier::signature::matching_rank::matching_index;
use crate::frontier::signature::space::WordAddress;

/// Largest number of bits of the numbers of tours that are computed as `u64`; one bit is spare.
pub const MAX_U64_BITS: u32 = 63;
/// Largest number of bits of the numbers of tours that are computed as `u128`; one bit is spare.
pub const MAX_U128_BITS: u32 = 127;

/// The layer before a step, read weight by weight; `None` before the first step.
pub struct RandomAccess<'a>(pub Option<&'a IndexLayer>);

impl<N: TourNumber> PreviousLayer<N> for RandomAccess<'_> {
    fn entry(&self, at: WordAddress) -> Result<WordEntry, IndexLayersError> {
        match self.0 {
            // Before the first step there is one state, of weight 1.
            None => {
                Ok(if at == SingleState::EMPTY.word { WordEntry::new(1, 0) } else { WordEntry::default() })
            }
            Some(layer) => {
                Ok(layer.chunk(at.chunk)?.map_or(WordEntry::default(), |chunk| chunk.entry(at.word)))
            }
        }
    }

    fn weight(&self, chunk_number: usize, position: usize) -> Result<N, IndexLayersError> {
        match self.0 {
            None => Ok(N::from_u128(1)),
            Some(layer) => {
                let chunk = layer.chunk(chunk_number)?.ok_or_else(|| layer.damaged_error())?;
                chunk.weight(position).map_err(|_| layer.damaged_error())
            }
        }
    }
}

/// A tour that is being unranked: its current state, the remaining part of its number, and the edges found so
/// far.
#[derive(Clone, Debug)]
pub struct Unranker<N> {
    /// Index of the tour in its batch.
    pub id: usize,
    /// Current state of the tour.
    pub state: SingleState,
    /// Key by which the tours of a batch are sorted: the class of the state's chunk, and the
    /// state's word. Tours that read the same chunks become neighbours.
    pub sort_key: u64,
    /// Remaining part of the tour's number.
    pub remaining: N,
    /// True if the edges were mirrored an odd number of times.
    pub is_mirrored: bool,
    /// Edges found, each with the value of `is_mirrored` at the time when it was found.
    pub edges: Vec<(u16, u16, bool)>,
}

impl<N: TourNumber> Unranker<N> {
    /// Starts to unrank the tour `number` at the last state. `edges` is the expected number of
    /// edges.
    #[must_use]
    pub fn new(id: usize, number: N, edges: usize) -> Self {
        let edges = Vec::with_capacity(edges);
        Self { id, state: SingleState::EMPTY, sort_key: 0, remaining: number, is_mirrored: false, edges }
    }

    /// Goes back one step: finds the previous state of the tour, and the edges of the step's
    /// vertex.
    ///
    /// # Errors
    /// If the layer is damaged.
    pub fn step_back(
        &mut self,
        backward: &BackwardStep,
        sources: &impl PreviousLayer<N>,
    ) -> Result<(), IndexLayersError> {
        let mut found = None;
        let _ = backward.for_each_predecessor(self.state, sources, &mut |origin, weight: N| {
            if self.remaining < weight {
                found = Some(origin);
                return ControlFlow::Break(());
            }
            self.remaining.subtract(&weight);
            ControlFlow::Continue(())
        })?;
        // The weights of the predecessors add up to the weight of the state.
        let origin = found.ok_or(IndexLayersError::NotATour)?;
        self.is_mirrored ^= origin.is_image;
        for joined in backward.joined_vertices(origin.operation) {
            self.edges.push((backward.vertex() as u16, joined as u16, self.is_mirrored));
        }
        self.state = origin.state;
        Ok(())
    }
}

impl IndexLayers {
    /// Returns the edges of the tour with the number `number`.
    ///
    /// # Errors
    /// If a layer is damaged.
    ///
    /// # Panics
    /// If the number is not below the total.
    pub fn unrank(&self, number: &BigUint) -> Result<Vec<(u32, u32)>, IndexLayersError> {
        assert!(*number < self.total, "the tour number must be below the total");
        match self.max_weight_bits {
            bits if bits <= MAX_U64_BITS => self.unrank_one(u64::from_big_uint(number)),
            bits if bits <= MAX_U128_BITS => self.unrank_one(u128::from_big_uint(number)),
            _ => self.unrank_one(number.clone()),
        }
    }

    fn unrank_one<N: TourNumber>(&self, number: N) -> Result<Vec<(u32, u32)>, IndexLayersError> {
        let Some(space) = &self.space else { return Ok(Vec::new()) };
        let mut unranker = Unranker::new(0, number, self.cycles.len());
        for t in (0..self.step_count()).rev() {
            let sources = RandomAccess(t.checked_sub(1).map(|before| &self.layers[before]));
            unranker
                .step_back(&BackwardStep::new(space, &self.tables, t), &sources)
                .map_err(|error| self.to_damaged(error, t))?;
        }
        Ok(self.found_edges(&unranker))
    }

    /// Returns the edges that an unranker has found so far, with all mirrorings applied.
    pub(super) fn found_edges<N>(&self, unranker: &Unranker<N>) -> Vec<(u32, u32)> {
        let end = |v: u16, is_mirrored: bool| {
            if is_mirrored { self.mirror[usize::from(v)] as u32 } else { u32::from(v) }
        };
        let edge = |&(v, w, before): &(u16, u16, bool)| {
            (end(v, before != unranker.is_mirrored), end(w, before != unranker.is_mirrored))
        };
        unranker.edges.iter().map(edge).collect()
    }

    /// Returns the number, or an error, of each of several tours. Cost: some hundred microseconds
    /// per tour.
    ///
    /// # Errors
    /// If the ranking was cancelled.
    pub fn rank_all(
        &self,
        tours: &[Vec<(u32, u32)>],
        cancel: &Cancel,
    ) -> Result<Vec<Result<BigUint, IndexLayersError>>, IndexLayersError> {
        let backs = self.backward_steps();
        let of = |edges: &Vec<(u32, u32)>| {
            if cancel.is_cancelled() {
                return Err(Error::Stopped { step: 0, steps: self.step_count() }.into());
            }
            Ok(match self.max_weight_bits {
                bits if bits <= MAX_U64_BITS => self.rank_one::<u64>(edges, &backs),
                bits if bits <= MAX_U128_BITS => self.rank_one::<u128>(edges, &backs),
                _ => self.rank_one::<BigUint>(edges, &backs),
            })
        };
        tours.par_iter().map(of).collect()
    }

    /// Prepares all steps of the sweep for following them backwards.
    fn backward_steps(&self) -> Vec<BackwardStep<'_>> {
        let Some(space) = &self.space else { return Vec::new() };
        (0..self.step_count()).into_par_iter().map(|t| BackwardStep::new(space, &self.tables, t)).collect()
    }

    fn rank_one<N: TourNumber>(
        &self,
        edges: &[(u32, u32)],
        backs: &[BackwardStep],
    ) -> Result<BigUint, IndexLayersError> {
        let passed = self.states_of_tour(edges, backs)?;
        let mut number = N::default();
        for (t, backward) in backs.iter().enumerate() {
            let from = t.checked_sub(1).map_or(SingleState::EMPTY, |before| passed[before].state);
            let sources = RandomAccess(t.checked_sub(1).map(|before| &self.layers[before]));
            let seen =
                backward.for_each_predecessor(passed[t].state, &sources, &mut |origin, weight: N| {
                    if origin.state == from && origin.is_image == passed[t].is_image {
                        return ControlFlow::Break(());
                    }
                    number.add(&weight);
                    ControlFlow::Continue(())
                })?;
            if seen.is_continue() {
                return Err(IndexLayersError::NotATour);
            }
        }
        Ok(number.into())
    }

    /// Converts [`IndexLayersError::NotATour`], the failure to find a predecessor, to the error
    /// that layer `t` is damaged, since the weights of the layer do not add up. Returns other
    /// errors unchanged.
    pub(super) fn to_damaged(&self, error: IndexLayersError, t: usize) -> IndexLayersError {
        match error {
            IndexLayersError::NotATour => self.layers[t].damaged_error(),
            error => error,
        }
    }
}

/// Number of weights that can be verified in the time of one backward step by random access.
const WEIGHTS_PER_RANDOM_ACCESS: usize = 20_000;

/// A chunk whose segments are verified, with an entry for every word.
struct OpenedChunk<'a> {
    entries: Vec<WordEntry>,
    weights: OpenChunk<'a>,
}

/// The chunks that the tours of a class read, each opened on first use.
struct OpenedChunks<'a> {
    layer: &'a IndexLayer,
    numbers: Vec<usize>,
    chunks: Vec<OnceLock<Option<OpenedChunk<'a>>>>,
    chunk_len: usize,
}

impl<'a> OpenedChunks<'a> {
    #[inline]
    fn chunk(&self, chunk_number: usize) -> Result<Option<&OpenedChunk<'a>>, IndexLayersError> {
        let Ok(position) = self.numbers.binary_search(&chunk_number) else { return Ok(None) };
        if self.chunks[position].get().is_none() {
            let layer: &'a IndexLayer = self.layer;
            let opened = match layer.chunk(chunk_number)? {
                None => None,
                Some(packed) => {
                    let mut entries = vec![WordEntry::default(); self.chunk_len];
                    packed.entries().for_each(|(word, entry)| entries[word] = entry);
                    let weights = packed.open().map_err(|_| layer.damaged_error())?;
                    Some(OpenedChunk { entries, weights })
                }
            };
            let _ = self.chunks[position].set(opened);
        }
        Ok(self.chunks[position].get().and_then(Option::as_ref))
    }
}

impl<N: TourNumber> PreviousLayer<N> for OpenedChunks<'_> {
    fn entry(&self, at: WordAddress) -> Result<WordEntry, IndexLayersError> {
        Ok(self.chunk(at.chunk)?.map_or(WordEntry::default(), |chunk| chunk.entries[at.word]))
    }

    fn weight(&self, chunk_number: usize, position: usize) -> Result<N, IndexLayersError> {
        let weight = self.chunk(chunk_number)?.and_then(|chunk| chunk.weights.weight(position));
        weight.ok_or_else(|| self.layer.damaged_error())
    }
}

impl IndexLayers {
    /// Returns the edges of the tours with the given numbers, in the order of the numbers. Calls
    /// `on_step` after every step with the number of finished steps and the number of all steps.
    /// Cost: one pass through the layers or, for few tours, the time to unrank each of them singly.
    /// Memory: some hundred bytes per tour.
    ///
    /// # Errors
    /// If a layer is damaged, or the unranking was cancelled.
    ///
    /// # Panics
    /// If a number is not below the total.
    pub fn unrank_all(
        &self,
        numbers: &[BigUint],
        cancel: &Cancel,
        on_step: &mut dyn FnMut(usize, usize),
    ) -> Result<Vec<Vec<(u32, u32)>>, IndexLayersError> {
        assert!(numbers.iter().all(|number| *number < self.total), "the tour number must be below the total");
        match self.max_weight_bits {
            bits if bits <= MAX_U64_BITS => self.unrank_together::<u64>(numbers, cancel, on_step),
            bits if bits <= MAX_U128_BITS => self.unrank_together::<u128>(numbers, cancel, on_step),
            _ => self.unrank_together::<BigUint>(numbers, cancel, on_step),
        }
    }

    fn unrank_together<N: TourNumber>(
        &self,
        numbers: &[BigUint],
        cancel: &Cancel,
        on_step: &mut dyn FnMut(usize, usize),
    ) -> Result<Vec<Vec<(u32, u32)>>, IndexLayersError> {
        let Some(space) = &self.space else { return Ok(vec![Vec::new(); numbers.len()]) };
        let unranker = |(id, number)| Unranker::new(id, N::from_big_uint(number), self.cycles.len());
        let mut walkers: Vec<Unranker<N>> = numbers.iter().enumerate().map(unranker).collect();
        let words = space.words();
        for t in (0..self.step_count()).rev() {
            if cancel.is_cancelled() {
                return Err(
                    Error::Stopped { step: self.step_count() - t - 1, steps: self.step_count() }.into()
                );
            }
            let backward = BackwardStep::new(space, &self.tables, t);
            let layer = t.checked_sub(1).map(|before| &self.layers[before]);
            walkers.par_iter_mut().for_each(|unranker| {
                let SingleState { word: at, .. } = unranker.state;
                unranker.sort_key =
                    u64::from(backward.source_class(at.chunk)) << 32 | words.number_of(at) as u64;
            });
            walkers.par_sort_unstable_by_key(|unranker| unranker.sort_key);
            let step = walkers
                .par_chunk_by_mut(|one, other| one.sort_key >> 32 == other.sort_key >> 32)
                .try_for_each(|walkers| self.step_class_back(&backward, layer, walkers));
            step.map_err(|error| self.to_damaged(error, t))?;
            if let Some(layer) = layer {
                layer.release_pages();
            }
            on_step(self.step_count() - t, self.step_count());
        }
        walkers.par_sort_unstable_by_key(|unranker| unranker.id);
        Ok(walkers.par_iter().map(|unranker| self.found_edges(unranker)).collect())
    }

    /// Moves the tours of one class back one step.
    fn step_class_back<N: TourNumber>(
        &self,
        backward: &BackwardStep,
        layer: Option<&IndexLayer>,
        class: &mut [Unranker<N>],
    ) -> Result<(), IndexLayersError> {
        let random_access = RandomAccess(layer);
        let Some(layer) = layer else {
            return class.iter_mut().try_for_each(|unranker| unranker.step_back(backward, &random_access));
        };
        let mut highs: Vec<usize> = class.iter().map(|unranker| unranker.state.word.chunk).collect();
        highs.dedup();
        let mut numbers: Vec<usize> =
            highs.iter().flat_map(|&chunk_number| backward.source_chunks(chunk_number)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut weights = 0;
        for &number in &numbers {
            weights += layer.chunk(number)?.map_or(0, |chunk| chunk.len());
        }
        if weights > class.len() * WEIGHTS_PER_RANDOM_ACCESS {
            return class.iter_mut().try_for_each(|unranker| unranker.step_back(backward, &random_access));
        }
        let chunks = numbers.iter().map(|_| OnceLock::new()).collect();
        let chunk_len =
            self.space.as_ref().expect("an index with layers has a signature space").words().chunk_len();
        let opened = OpenedChunks { layer, numbers, chunks, chunk_len };
        class.par_chunks_mut(1 << 12).try_for_each(|some| {
            some.iter_mut().try_for_each(|unranker| unranker.step_back(backward, &opened))
        })
    }
}

/// A state that a tour passes, or its mirror image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateOnTour {
    /// State that the layer contains.
    pub state: SingleState,
    /// True if `state` is the mirror image of the tour's state.
    pub is_image: bool,
}

impl IndexLayers {
    /// Returns the state after every step of the tour with these edges.
    ///
    /// # Errors
    /// [`IndexLayersError::NotATour`] if a vertex does not have exactly two of the edges, or an
    /// edge is not in the graph.
    pub(super) fn states_of_tour(
        &self,
        edges: &[(u32, u32)],
        backs: &[BackwardStep],
    ) -> Result<Vec<StateOnTour>, IndexLayersError> {
        let space = self.space.as_ref().ok_or(IndexLayersError::NotATour)?;
        let (plan, words, len) = (space.plan(), space.words(), self.cycles.len());
        let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); len];
        for &(a, b) in edges {
            let (a, b) = (a as usize, b as usize);
            if a.max(b) >= len || !self.cycles.neighbours(a).contains(&b) {
                return Err(IndexLayersError::NotATour);
            }
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
        if neighbours.iter().any(|neighbours| neighbours.len() != 2) {
            return Err(IndexLayersError::NotATour);
        }
        let mirrored = |neighbours: &[Vec<usize>]| -> Vec<Vec<usize>> {
            let image = |v: usize| neighbours[self.mirror[v]].iter().map(|&w| self.mirror[w]).collect();
            (0..len).map(image).collect()
        };
        // By vertex: its degree so far, and the other end of the partial path that it is an end of.
        let (mut degree, mut other) = (vec![0u32; len], (0..len).collect::<Vec<_>>());
        let mut passed = Vec::with_capacity(len);
        for (t, backward) in backs.iter().enumerate() {
            let v = plan.steps()[t].vertex;
            for &w in neighbours[v].iter().filter(|&&w| plan.step_of(w) > t) {
                let (a, b) = (other[v], other[w]);
                degree[v] += 1;
                degree[w] += 1;
                (other[a], other[b]) = (b, a);
            }
            let mut digits = [0u32; 64];
            let mut ends: Vec<(usize, usize)> = Vec::new();
            for (w, slot) in plan.frontier_slots(t) {
                digits[usize::from(slot)] = degree[w];
                if degree[w] == 1 {
                    ends.push((slot.into(), w));
                }
            }
            ends.sort_unstable();
            let mate =
                |&(_, w): &(usize, usize)| ends.iter().position(|&(_, end)| end == other[w]).map(|p| p as u8);
            let mates: Vec<u8> =
                ends.iter().map(mate).collect::<Option<_>>().ok_or(IndexLayersError::NotATour)?;
            let address = words.locate_signature(|slot| digits[slot]);
            let mut state = SingleState {
                word: words.word_at(address.word_number),
                bit: address.bit,
                matching: matching_index(&mates),
            };
            let image =
                backward.fold.as_ref().and_then(|fold| Some((state.mirror_image(words, fold)?, fold)));
            let image = image.filter(|(image, fold)| !fold.is_representative(state.word, image.word));
            if let Some((image, _)) = image {
                state = image;
                neighbours = mirrored(&neighbours);
                degree = (0..len).map(|v| degree[self.mirror[v]]).collect();
                other = (0..len).map(|v| self.mirror[other[self.mirror[v]]]).collect();
            }
            passed.push(StateOnTour { state, is_image: image.is_some() });
        }
        Ok(passed)
    }
}
