//! Ranking and unranking: single tours and batches of tours, from their numbers and back.
//!
//! A single tour is unranked without unpacking whole chunks.

use std::ops::ControlFlow;

use num_bigint::BigUint;
use rayon::prelude::*;

use crate::frontier::layer::entry::WordEntry;
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::ranks::error::Error;
use crate::frontier::state::words::WordAddress;
use crate::frontier::trail::error::IndexLayersError;
use crate::frontier::trail::layer::IndexLayer;
use crate::frontier::trail::number::TourNumber;
use crate::frontier::trail::origins::{BackwardStep, PreviousLayer};
use crate::frontier::trail::state::SingleState;
use crate::frontier::trail::trails::IndexLayers;

/// Bits up to which numbers fit a `u64` and a `u128`, with one bit to spare.
pub const MAX_U64_BITS: u32 = 63;
pub const MAX_U128_BITS: u32 = 127;

/// The layer before a step, read by random access; `None` before the first step.
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

    fn weight(&self, high: usize, place: usize) -> Result<N, IndexLayersError> {
        match self.0 {
            None => Ok(N::from_le_slice(&[1])),
            Some(layer) => {
                let chunk = layer.chunk(high)?.ok_or_else(|| layer.damaged_error())?;
                chunk.weight(place).map_err(|_| layer.damaged_error())
            }
        }
    }
}

/// A tour being unranked: its current state, the remaining number, and the edges found.
#[derive(Clone, Debug)]
pub struct Unranker<N> {
    /// Index of the tour in its batch.
    pub id: usize,
    /// Its current state.
    pub state: SingleState,
    /// The class of its chunk and the word of its state: sorting by this brings tours together that read the
    /// same chunks.
    pub sort_key: u64,
    /// The remaining part of its number.
    pub remaining: N,
    /// True if the edges were mirrored an odd number of times.
    pub is_mirrored: bool,
    /// The edges found, each with the value of `is_mirrored` at that time.
    pub edges: Vec<(u16, u16, bool)>,
}

impl<N: TourNumber> Unranker<N> {
    /// Starts at the last state, with the number of the tour; `edges` is the expected number of edges.
    #[must_use]
    pub fn new(id: usize, number: N, edges: usize) -> Self {
        let edges = Vec::with_capacity(edges);
        Self { id, state: SingleState::EMPTY, sort_key: 0, remaining: number, is_mirrored: false, edges }
    }

    /// Goes back one step.
    ///
    /// # Errors
    /// The layer is damaged.
    pub fn step_back(
        &mut self,
        back: &BackwardStep,
        sources: &impl PreviousLayer<N>,
    ) -> Result<(), IndexLayersError> {
        let mut found = None;
        let _ = back.for_each_predecessor(self.state, sources, &mut |origin, weight: N| {
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
        for joined in back.joined_vertices(origin.operation) {
            self.edges.push((back.vertex() as u16, joined as u16, self.is_mirrored));
        }
        self.state = origin.state;
        Ok(())
    }
}

impl IndexLayers {
    /// Returns the edges of the tour with this number.
    ///
    /// # Errors
    /// A layer is damaged.
    ///
    /// # Panics
    /// If the number is not below the total.
    pub fn unrank(&self, number: &BigUint) -> Result<Vec<(u32, u32)>, IndexLayersError> {
        assert!(*number < self.total, "a number is below the total");
        match self.max_weight_bits {
            bits if bits <= MAX_U64_BITS => self.unrank_one(u64::from_big_uint(number)),
            bits if bits <= MAX_U128_BITS => self.unrank_one(u128::from_big_uint(number)),
            _ => self.unrank_one(number.clone()),
        }
    }

    fn unrank_one<N: TourNumber>(&self, number: N) -> Result<Vec<(u32, u32)>, IndexLayersError> {
        let Some(space) = &self.space else { return Ok(Vec::new()) };
        let mut walker = Unranker::new(0, number, self.cycles.len());
        for t in (0..self.step_count()).rev() {
            let sources = RandomAccess(t.checked_sub(1).map(|before| &self.layers[before]));
            walker
                .step_back(&BackwardStep::new(space, &self.tables, t), &sources)
                .map_err(|error| self.to_damaged(error, t))?;
        }
        Ok(self.found_edges(&walker))
    }

    /// Returns the edges found, with all mirrorings applied.
    pub(super) fn found_edges<N>(&self, walker: &Unranker<N>) -> Vec<(u32, u32)> {
        let end = |v: u16, is_mirrored: bool| {
            if is_mirrored { self.mirror[usize::from(v)] as u32 } else { u32::from(v) }
        };
        let edge = |&(v, w, before): &(u16, u16, bool)| {
            (end(v, before != walker.is_mirrored), end(w, before != walker.is_mirrored))
        };
        walker.edges.iter().map(edge).collect()
    }

    /// Returns the number of the tour with these edges.
    ///
    /// # Errors
    /// A layer is damaged; [`IndexLayersError::NotATour`] if the edges are not one of the numbered tours.
    pub fn rank(&self, edges: &[(u32, u32)]) -> Result<BigUint, IndexLayersError> {
        let mut all = self.rank_all(&[edges.to_vec()], &Cancel::default())?;
        all.pop().expect("one result per tour")
    }

    /// Returns the numbers of several tours, each with its own result. Cost: some hundred microseconds each.
    ///
    /// # Errors
    /// It was cancelled.
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

    /// Prepares all steps for going backwards.
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
        for (t, back) in backs.iter().enumerate() {
            let from = t.checked_sub(1).map_or(SingleState::EMPTY, |before| passed[before].state);
            let sources = RandomAccess(t.checked_sub(1).map(|before| &self.layers[before]));
            let seen = back.for_each_predecessor(passed[t].state, &sources, &mut |origin, weight: N| {
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
        Ok(number.to_big_uint())
    }

    /// Converts the failure to find a predecessor to the error of a damaged layer: its weights do not add up.
    pub(super) fn to_damaged(&self, error: IndexLayersError, t: usize) -> IndexLayersError {
        match error {
            IndexLayersError::NotATour => self.layers[t].damaged_error(),
            error => error,
        }
    }
}
