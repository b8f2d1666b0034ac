//! Ranking and unranking: single tours and batches of tours, from their numbers and back.
//!
//! A single tour is unranked without unpacking whole chunks.

use std::ops::ControlFlow;

use num_bigint::BigUint;
use rayon::prelude::*;

use crate::frontier::layer::entry::Entry;
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::ranks::error::Error;
use crate::frontier::state::words::At;
use crate::frontier::trail::error::TrailError;
use crate::frontier::trail::layer::Layer;
use crate::frontier::trail::number::Number;
use crate::frontier::trail::origins::{Back, Sources};
use crate::frontier::trail::state::State;
use crate::frontier::trail::trails::Trails;

/// Bits up to which numbers fit a `u64` and a `u128`, with one bit to spare.
pub const NARROW: u32 = 63;
pub const MIDDLE: u32 = 127;

/// The layer before a step, read by random access; `None` before the first step.
pub struct Scattered<'a>(pub Option<&'a Layer>);

impl<N: Number> Sources<N> for Scattered<'_> {
    fn entry(&self, at: At) -> Result<Entry, TrailError> {
        match self.0 {
            // Before the first step there is one state, of weight 1.
            None => Ok(if at == State::EMPTY.at { Entry::new(1, 0) } else { Entry::default() }),
            Some(layer) => Ok(layer.chunk(at.high)?.map_or(Entry::default(), |chunk| chunk.entry(at.low))),
        }
    }

    fn weight(&self, high: usize, place: usize) -> Result<N, TrailError> {
        match self.0 {
            None => Ok(N::of_bytes(&[1])),
            Some(layer) => {
                let chunk = layer.chunk(high)?.ok_or_else(|| layer.damaged())?;
                chunk.weight(place).map_err(|_| layer.damaged())
            }
        }
    }
}

/// A tour being unranked: its current state, the remaining number, and the edges found.
#[derive(Clone, Debug)]
pub struct Walker<N> {
    /// Index of the tour in its batch.
    pub id: usize,
    /// Its current state.
    pub state: State,
    /// The class of its chunk and the word of its state: sorting by this brings tours together that read the
    /// same chunks.
    pub family: u64,
    /// The remaining part of its number.
    pub left: N,
    /// True if the edges were mirrored an odd number of times.
    pub mirrored: bool,
    /// The edges found, each with the value of `is_mirrored` at that time.
    pub edges: Vec<(u16, u16, bool)>,
}

impl<N: Number> Walker<N> {
    /// Starts at the last state, with the number of the tour; `edges` is the expected number of edges.
    #[must_use]
    pub fn new(id: usize, number: N, edges: usize) -> Self {
        let edges = Vec::with_capacity(edges);
        Self { id, state: State::EMPTY, family: 0, left: number, mirrored: false, edges }
    }

    /// Goes back one step.
    ///
    /// # Errors
    /// The layer is damaged.
    pub fn go(&mut self, back: &Back, sources: &impl Sources<N>) -> Result<(), TrailError> {
        let mut found = None;
        let _ = back.each(self.state, sources, &mut |origin, weight: N| {
            if self.left < weight {
                found = Some(origin);
                return ControlFlow::Break(());
            }
            self.left.take(&weight);
            ControlFlow::Continue(())
        })?;
        // The weights of the predecessors add up to the weight of the state.
        let origin = found.ok_or(TrailError::NoTour)?;
        self.mirrored ^= origin.is_image;
        for joined in back.joined(origin.effect) {
            self.edges.push((back.vertex() as u16, joined as u16, self.mirrored));
        }
        self.state = origin.state;
        Ok(())
    }
}

impl Trails {
    /// Returns the edges of the tour with this number.
    ///
    /// # Errors
    /// A layer is damaged.
    ///
    /// # Panics
    /// If the number is not below the total.
    pub fn tour(&self, number: &BigUint) -> Result<Vec<(u32, u32)>, TrailError> {
        assert!(*number < self.total, "a number is below the total");
        match self.bits {
            bits if bits <= NARROW => self.single(u64::of(number)),
            bits if bits <= MIDDLE => self.single(u128::of(number)),
            _ => self.single(number.clone()),
        }
    }

    fn single<N: Number>(&self, number: N) -> Result<Vec<(u32, u32)>, TrailError> {
        let Some(course) = &self.course else { return Ok(Vec::new()) };
        let mut walker = Walker::new(0, number, self.cycles.len());
        for t in (0..self.steps()).rev() {
            let sources = Scattered(t.checked_sub(1).map(|before| &self.layers[before]));
            walker.go(&Back::new(course, &self.tables, t), &sources).map_err(|error| self.lost(error, t))?;
        }
        Ok(self.edges(&walker))
    }

    /// Returns the edges found, with all mirrorings applied.
    pub(super) fn edges<N>(&self, walker: &Walker<N>) -> Vec<(u32, u32)> {
        let end = |v: u16, is_mirrored: bool| {
            if is_mirrored { self.mirror[usize::from(v)] as u32 } else { u32::from(v) }
        };
        let edge = |&(v, w, before): &(u16, u16, bool)| {
            (end(v, before != walker.mirrored), end(w, before != walker.mirrored))
        };
        walker.edges.iter().map(edge).collect()
    }

    /// Returns the number of the tour with these edges.
    ///
    /// # Errors
    /// A layer is damaged; [`IndexLayersError::NotATour`] if the edges are not one of the numbered tours.
    pub fn number(&self, edges: &[(u32, u32)]) -> Result<BigUint, TrailError> {
        let mut all = self.numbers(&[edges.to_vec()], &Cancel::default())?;
        all.pop().expect("one result per tour")
    }

    /// Returns the numbers of several tours, each with its own result. Cost: some hundred microseconds each.
    ///
    /// # Errors
    /// It was cancelled.
    pub fn numbers(
        &self,
        tours: &[Vec<(u32, u32)>],
        cancel: &Cancel,
    ) -> Result<Vec<Result<BigUint, TrailError>>, TrailError> {
        let backs = self.backs();
        let of = |edges: &Vec<(u32, u32)>| {
            if cancel.is_cancelled() {
                return Err(Error::Stopped { step: 0, steps: self.steps() }.into());
            }
            Ok(match self.bits {
                bits if bits <= NARROW => self.ranked::<u64>(edges, &backs),
                bits if bits <= MIDDLE => self.ranked::<u128>(edges, &backs),
                _ => self.ranked::<BigUint>(edges, &backs),
            })
        };
        tours.par_iter().map(of).collect()
    }

    /// Prepares all steps for going backwards.
    fn backs(&self) -> Vec<Back<'_>> {
        let Some(course) = &self.course else { return Vec::new() };
        (0..self.steps()).into_par_iter().map(|t| Back::new(course, &self.tables, t)).collect()
    }

    fn ranked<N: Number>(&self, edges: &[(u32, u32)], backs: &[Back]) -> Result<BigUint, TrailError> {
        let passed = self.states(edges, backs)?;
        let mut number = N::default();
        for (t, back) in backs.iter().enumerate() {
            let from = t.checked_sub(1).map_or(State::EMPTY, |before| passed[before].state);
            let sources = Scattered(t.checked_sub(1).map(|before| &self.layers[before]));
            let seen = back.each(passed[t].state, &sources, &mut |origin, weight: N| {
                if origin.state == from && origin.is_image == passed[t].is_image {
                    return ControlFlow::Break(());
                }
                number.add(&weight);
                ControlFlow::Continue(())
            })?;
            if seen.is_continue() {
                return Err(TrailError::NoTour);
            }
        }
        Ok(number.widest())
    }

    /// Converts the failure to find a predecessor to the error of a damaged layer: its weights do not add up.
    pub(super) fn lost(&self, error: TrailError, t: usize) -> TrailError {
        match error {
            TrailError::NoTour => self.layers[t].damaged(),
            error => error,
        }
    }
}
