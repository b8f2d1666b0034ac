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

use crate::frontier::layer::entry::WordEntry;
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::ranks::error::Error;
use crate::frontier::state::words::WordAddress;
use crate::frontier::trail::back::{MAX_U64_BITS, MAX_U128_BITS, RandomAccess, Unranker};
use crate::frontier::trail::error::IndexLayersError;
use crate::frontier::trail::layer::IndexLayer;
use crate::frontier::trail::number::TourNumber;
use crate::frontier::trail::origins::{BackwardStep, PreviousLayer};
use crate::frontier::trail::packed::OpenChunk;
use crate::frontier::trail::state::SingleState;
use crate::frontier::trail::trails::IndexLayers;

/// Weights that are verified in the time of one step of random access.
const WEIGHTS_PER_RANDOM_ACCESS: usize = 20_000;

/// An opened chunk.
struct OpenedChunk<'a> {
    entries: Vec<WordEntry>,
    weights: OpenChunk<'a>,
}

/// The chunks that a class reads, each opened on first use.
struct OpenedChunks<'a> {
    layer: &'a IndexLayer,
    numbers: Vec<usize>,
    chunks: Vec<OnceLock<Option<OpenedChunk<'a>>>>,
    chunk_len: usize,
}

impl<'a> OpenedChunks<'a> {
    #[inline]
    fn chunk(&self, high: usize) -> Result<Option<&OpenedChunk<'a>>, IndexLayersError> {
        let Ok(place) = self.numbers.binary_search(&high) else { return Ok(None) };
        if self.chunks[place].get().is_none() {
            let layer: &'a IndexLayer = self.layer;
            let opened = match layer.chunk(high)? {
                None => None,
                Some(packed) => {
                    let mut entries = vec![WordEntry::default(); self.chunk_len];
                    packed.entries().for_each(|(low, entry)| entries[low] = entry);
                    let weights = packed.open().map_err(|_| layer.damaged_error())?;
                    Some(OpenedChunk { entries, weights })
                }
            };
            let _ = self.chunks[place].set(opened);
        }
        Ok(self.chunks[place].get().and_then(Option::as_ref))
    }
}

impl<N: TourNumber> PreviousLayer<N> for OpenedChunks<'_> {
    fn entry(&self, at: WordAddress) -> Result<WordEntry, IndexLayersError> {
        Ok(self.chunk(at.chunk)?.map_or(WordEntry::default(), |chunk| chunk.entries[at.word]))
    }

    fn weight(&self, high: usize, place: usize) -> Result<N, IndexLayersError> {
        let weight = self.chunk(high)?.and_then(|chunk| chunk.weights.weight(place));
        weight.ok_or_else(|| self.layer.damaged_error())
    }
}

impl IndexLayers {
    /// Returns the edges of the tours with these numbers, in the order of the numbers. Calls `on_step` after
    /// every step with the steps done and the steps in all. Cost: one pass through the layers, or the time of
    /// single tours if they are few; some hundred bytes of memory a tour.
    ///
    /// # Errors
    /// A layer is damaged, or it was cancelled.
    ///
    /// # Panics
    /// If a number is not below the total.
    pub fn unrank_all(
        &self,
        numbers: &[BigUint],
        cancel: &Cancel,
        on_step: &mut dyn FnMut(usize, usize),
    ) -> Result<Vec<Vec<(u32, u32)>>, IndexLayersError> {
        assert!(numbers.iter().all(|number| *number < self.total), "a number is below the total");
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
        let walker = |(id, number)| Unranker::new(id, N::from_big_uint(number), self.cycles.len());
        let mut walkers: Vec<Unranker<N>> = numbers.iter().enumerate().map(walker).collect();
        let words = space.words();
        for t in (0..self.step_count()).rev() {
            if cancel.is_cancelled() {
                return Err(
                    Error::Stopped { step: self.step_count() - t - 1, steps: self.step_count() }.into()
                );
            }
            let back = BackwardStep::new(space, &self.tables, t);
            let layer = t.checked_sub(1).map(|before| &self.layers[before]);
            walkers.par_iter_mut().for_each(|walker| {
                let SingleState { word: at, .. } = walker.state;
                walker.sort_key = u64::from(back.source_class(at.chunk)) << 32 | words.number_of(at) as u64;
            });
            walkers.par_sort_unstable_by_key(|walker| walker.sort_key);
            let step = walkers
                .par_chunk_by_mut(|one, other| one.sort_key >> 32 == other.sort_key >> 32)
                .try_for_each(|family| self.step_class_back(&back, layer, family));
            step.map_err(|error| self.to_damaged(error, t))?;
            if let Some(layer) = layer {
                layer.release_pages();
            }
            on_step(self.step_count() - t, self.step_count());
        }
        walkers.par_sort_unstable_by_key(|walker| walker.id);
        Ok(walkers.par_iter().map(|walker| self.found_edges(walker)).collect())
    }

    /// Takes the tours of one class back one step.
    fn step_class_back<N: TourNumber>(
        &self,
        back: &BackwardStep,
        layer: Option<&IndexLayer>,
        class: &mut [Unranker<N>],
    ) -> Result<(), IndexLayersError> {
        let random_access = RandomAccess(layer);
        let Some(layer) = layer else {
            return class.iter_mut().try_for_each(|walker| walker.step_back(back, &random_access));
        };
        let mut highs: Vec<usize> = class.iter().map(|walker| walker.state.word.chunk).collect();
        highs.dedup();
        let mut numbers: Vec<usize> = highs.iter().flat_map(|&high| back.source_chunks(high)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut weights = 0;
        for &number in &numbers {
            weights += layer.chunk(number)?.map_or(0, |chunk| chunk.len());
        }
        if weights > class.len() * WEIGHTS_PER_RANDOM_ACCESS {
            return class.iter_mut().try_for_each(|walker| walker.step_back(back, &random_access));
        }
        let chunks = numbers.iter().map(|_| OnceLock::new()).collect();
        let chunk_len =
            self.space.as_ref().expect("an index with layers has a signature space").words().chunk_len();
        let opened = OpenedChunks { layer, numbers, chunks, chunk_len };
        class
            .par_chunks_mut(1 << 12)
            .try_for_each(|some| some.iter_mut().try_for_each(|walker| walker.step_back(back, &opened)))
    }
}
