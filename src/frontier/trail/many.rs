//! Many tours are unranked together, from the last layer to the first:
//!
//! ```text
//! numbers -> unrankers, sorted by class of chunks -> the chunks of each class opened once, in parallel -> a step back
//! ```
//!
//! A class with few tours is read by random access instead, which takes less time than opening its chunks.

use std::sync::OnceLock;

use num_bigint::BigUint;
use rayon::prelude::*;

use crate::frontier::layer::entry::Entry;
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::ranks::error::Error;
use crate::frontier::state::words::At;
use crate::frontier::trail::back::{MIDDLE, NARROW, Scattered, Walker};
use crate::frontier::trail::error::TrailError;
use crate::frontier::trail::layer::Layer;
use crate::frontier::trail::number::Number;
use crate::frontier::trail::origins::{Back, Sources};
use crate::frontier::trail::packed::Opened;
use crate::frontier::trail::state::State;
use crate::frontier::trail::trails::Trails;

/// Weights that are verified in the time of one step of random access.
const WORTH: usize = 20_000;

/// An opened chunk.
struct AtHand<'a> {
    entries: Vec<Entry>,
    weights: Opened<'a>,
}

/// The chunks that a class reads, each opened on first use.
struct Gathered<'a> {
    layer: &'a Layer,
    numbers: Vec<usize>,
    chunks: Vec<OnceLock<Option<AtHand<'a>>>>,
    chunk_len: usize,
}

impl<'a> Gathered<'a> {
    #[inline]
    fn chunk(&self, high: usize) -> Result<Option<&AtHand<'a>>, TrailError> {
        let Ok(place) = self.numbers.binary_search(&high) else { return Ok(None) };
        if self.chunks[place].get().is_none() {
            let layer: &'a Layer = self.layer;
            let opened = match layer.chunk(high)? {
                None => None,
                Some(packed) => {
                    let mut entries = vec![Entry::default(); self.chunk_len];
                    packed.entries().for_each(|(low, entry)| entries[low] = entry);
                    let weights = packed.opened().map_err(|_| layer.damaged())?;
                    Some(AtHand { entries, weights })
                }
            };
            let _ = self.chunks[place].set(opened);
        }
        Ok(self.chunks[place].get().and_then(Option::as_ref))
    }
}

impl<N: Number> Sources<N> for Gathered<'_> {
    fn entry(&self, at: At) -> Result<Entry, TrailError> {
        Ok(self.chunk(at.high)?.map_or(Entry::default(), |chunk| chunk.entries[at.low]))
    }

    fn weight(&self, high: usize, place: usize) -> Result<N, TrailError> {
        let weight = self.chunk(high)?.and_then(|chunk| chunk.weights.weight(place));
        weight.ok_or_else(|| self.layer.damaged())
    }
}

impl Trails {
    /// Returns the edges of the tours with these numbers, in the order of the numbers. Calls `on_step` after
    /// every step with the steps done and the steps in all. Cost: one pass through the layers, or the time of
    /// single tours if they are few; some hundred bytes of memory a tour.
    ///
    /// # Errors
    /// A layer is damaged, or it was cancelled.
    ///
    /// # Panics
    /// If a number is not below the total.
    pub fn tours(
        &self,
        numbers: &[BigUint],
        cancel: &Cancel,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<Vec<Vec<(u32, u32)>>, TrailError> {
        assert!(numbers.iter().all(|number| *number < self.total), "a number is below the total");
        match self.bits {
            bits if bits <= NARROW => self.together::<u64>(numbers, cancel, told),
            bits if bits <= MIDDLE => self.together::<u128>(numbers, cancel, told),
            _ => self.together::<BigUint>(numbers, cancel, told),
        }
    }

    fn together<N: Number>(
        &self,
        numbers: &[BigUint],
        cancel: &Cancel,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<Vec<Vec<(u32, u32)>>, TrailError> {
        let Some(course) = &self.course else { return Ok(vec![Vec::new(); numbers.len()]) };
        let walker = |(id, number)| Walker::new(id, N::of(number), self.cycles.len());
        let mut walkers: Vec<Walker<N>> = numbers.iter().enumerate().map(walker).collect();
        let words = course.words();
        for t in (0..self.steps()).rev() {
            if cancel.is_cancelled() {
                return Err(Error::Stopped { step: self.steps() - t - 1, steps: self.steps() }.into());
            }
            let back = Back::new(course, &self.tables, t);
            let layer = t.checked_sub(1).map(|before| &self.layers[before]);
            walkers.par_iter_mut().for_each(|walker| {
                let State { at, .. } = walker.state;
                walker.family = u64::from(back.family(at.high)) << 32 | words.number(at) as u64;
            });
            walkers.par_sort_unstable_by_key(|walker| walker.family);
            let step = walkers
                .par_chunk_by_mut(|one, other| one.family >> 32 == other.family >> 32)
                .try_for_each(|family| self.family(&back, layer, family));
            step.map_err(|error| self.lost(error, t))?;
            if let Some(layer) = layer {
                layer.release();
            }
            told(self.steps() - t, self.steps());
        }
        walkers.par_sort_unstable_by_key(|walker| walker.id);
        Ok(walkers.par_iter().map(|walker| self.edges(walker)).collect())
    }

    /// Takes the tours of one class back one step.
    fn family<N: Number>(
        &self,
        back: &Back,
        layer: Option<&Layer>,
        family: &mut [Walker<N>],
    ) -> Result<(), TrailError> {
        let scattered = Scattered(layer);
        let Some(layer) = layer else {
            return family.iter_mut().try_for_each(|walker| walker.go(back, &scattered));
        };
        let mut highs: Vec<usize> = family.iter().map(|walker| walker.state.at.high).collect();
        highs.dedup();
        let mut numbers: Vec<usize> = highs.iter().flat_map(|&high| back.sources_of(high)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut weights = 0;
        for &number in &numbers {
            weights += layer.chunk(number)?.map_or(0, |chunk| chunk.len());
        }
        if weights > family.len() * WORTH {
            return family.iter_mut().try_for_each(|walker| walker.go(back, &scattered));
        }
        let chunks = numbers.iter().map(|_| OnceLock::new()).collect();
        let chunk_len =
            self.course.as_ref().expect("an index with layers has a signature space").words().chunk_len();
        let gathered = Gathered { layer, numbers, chunks, chunk_len };
        family
            .par_chunks_mut(1 << 12)
            .try_for_each(|some| some.iter_mut().try_for_each(|walker| walker.go(back, &gathered)))
    }
}
