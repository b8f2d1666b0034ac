//! Construction of a target chunk in the narrowest width of weights that holds its sums.
//!
//! ```text
//! sources -> signatures reached -> memory for their blocks -> sums -> narrowest width
//!                                    ^ repeated with wider weights, if a sum overflows
//! ```

use std::sync::Arc;

use crate::frontier::block::modulus::Modulus;
use crate::frontier::block::packed::{self, Packed};
use crate::frontier::block::slabs::Sizes;
use crate::frontier::block::sum::blocks;
use crate::frontier::block::weights::Weights;
use crate::frontier::block::width::Width;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::entry::Entry;
use crate::frontier::layer::fill::Fill;
use crate::frontier::layer::keeper::Keeper;
use crate::frontier::layer::step::Halt;
use crate::frontier::layer::stride::{Sources, Stride};
use crate::frontier::state::tally::Tally;

/// Computes the chunks of a step.
#[derive(Clone, Copy)]
pub struct Maker<'a> {
    /// The step.
    pub stride: &'a Stride<'a>,
    /// The pool that the memory is reserved from.
    pub keeper: &'a Keeper<'a>,
    /// The modulus of the weights; `None` for exact weights.
    pub modulo: Option<Modulus>,
}

impl Maker<'_> {
    /// Returns target chunk `high`, or `None` if it is empty, and its counters. The `inputs` are
    /// indexed by chunk number, and `sources` are the numbers that the chunk reads. The bytes of the chunk
    /// stay reserved in the pool. `evict` evicts a chunk and returns false if there is none.
    ///
    /// # Errors
    /// Memory is exhausted, or the store fails.
    pub fn make(
        &self,
        at_hand: &Sources,
        sources: &[usize],
        high: usize,
        put_aside: &impl Fn() -> Result<bool, Halt>,
    ) -> Result<(Option<Chunk>, Tally), Halt> {
        let bits_of = |s: &usize| at_hand[*s].as_ref().map_or(0, |chunk: &Arc<Chunk>| chunk.bits);
        let bits = sources.iter().map(bits_of).max().unwrap_or(0);
        let thin = Thin::of(sources.iter().filter_map(|&s| at_hand[s].as_deref()));
        // The first attempt has one bit more than the sources.
        let (mut width, kept, lane) = match self.modulo {
            None => (Width::holding(bits + 1), None, None),
            Some(Modulus::Power(width)) => (width, Some(width), None),
            Some(Modulus::Lane(lane)) => (lane.sums(), Some(lane.width()), Some(lane)),
        };
        loop {
            let (mut tally, mut entries) = (Tally::default(), Vec::new());
            let room = self.stride.outline(at_hand, high, &mut entries, &mut tally);
            if room == 0 {
                return Ok((None, tally));
            }
            let lying = kept.unwrap_or(width);
            let is_sparse = thin.is_most() && lying <= Width::W32 && width <= Width::W64;
            let states = is_sparse.then(|| thin.expected(room as usize));
            let weights = states.map_or(room * lying.bytes(), |states| Packed::size(room as usize, states));
            let mut accounted = (entries.capacity() * size_of::<Entry>()) as u64 + weights;
            self.keeper.room(accounted, put_aside)?;
            // Sums are computed outside the chunk. A lack of memory for them alone is no reason to fail.
            let longest = self.stride.longest(high, &entries);
            let beside = self.stride.at_once(longest) * width.bytes();
            let beside = match self.keeper.room(beside, put_aside) {
                Ok(()) => beside,
                Err(Halt::Memory) => 0,
                Err(halt) => {
                    self.keeper.account().give(accounted);
                    return Err(halt);
                }
            };
            let wraps = kept == Some(width);
            let most_bits = if wraps { width.bits() } else { width.bits() - 1 };
            let mut blocks = blocks(width, lane, Sizes { places: room as usize, longest, states });
            let fill = Fill { stride: self.stride, sources: at_hand, high, most_bits };
            let fits = fill.run(&mut entries, blocks.as_mut(), &mut tally);
            let weights = fits.then(|| blocks.finish());
            self.keeper.account().give(beside);
            let Some(weights) = weights else {
                self.keeper.account().give(accounted);
                width = width.wider();
                continue;
            };
            let bits = kept.map_or(tally.bits, Width::bits);
            tally.bits = bits;
            let mut chunk = Chunk { entries, weights, bits };
            if tally.signatures == 0 {
                self.keeper.account().give(accounted);
                return Ok((None, tally));
            }
            // More states than expected.
            let more = chunk.bytes().saturating_sub(accounted);
            self.keeper.room(more, put_aside).inspect_err(|_| self.keeper.account().give(accounted))?;
            accounted += more;
            let narrowest = kept.unwrap_or(Width::holding(bits));
            // The bits of a source are exact, so no target is narrower than its sources.
            let len = chunk.weights.len();
            let packs = narrowest <= Width::W32 && packed::is_sparse(narrowest, len, tally.states);
            let tight =
                if packs { Packed::size(len, tally.states as usize) } else { len as u64 * narrowest.bytes() };
            let is_packed = matches!(chunk.weights, Weights::Packed(_));
            let is_right = is_packed == packs && (packs || chunk.weights.width() == narrowest);
            if !is_right || chunk.weights.bytes() > tight + tight / 4 {
                // During conversion both forms exist.
                self.keeper.room(tight, put_aside).inspect_err(|_| self.keeper.account().give(accounted))?;
                let weights = &chunk.weights;
                chunk.weights = if packs { weights.packed() } else { weights.converted(narrowest) };
                let given = (accounted + tight).checked_sub(chunk.bytes());
                self.keeper
                    .account()
                    .give(given.expect("the converted weights do not exceed their reservation"));
            } else {
                self.keeper.account().give(accounted - chunk.bytes());
            }
            return Ok((Some(chunk), tally));
        }
    }
}

/// Sparsity of the source chunks. A target is built sparse if most of its sources are, and converted to its
/// own best form afterwards.
#[derive(Default)]
struct Thin {
    chunks: usize,
    /// Source chunks in sparse form.
    packed: usize,
    /// Weights of these, and how many of them are not zero.
    places: usize,
    states: usize,
}

impl Thin {
    fn of<'a>(chunks: impl Iterator<Item = &'a Chunk>) -> Self {
        let mut thin = Self::default();
        for chunk in chunks {
            thin.chunks += 1;
            if let Weights::Packed(weights) = &chunk.weights {
                thin.packed += 1;
                thin.places += weights.len();
                thin.states += weights.states();
            }
        }
        thin
    }

    const fn is_most(&self) -> bool {
        2 * self.packed > self.chunks
    }

    /// Returns the expected number of nonzero weights among `room` weights: a quarter more than their share
    /// in the sources.
    fn expected(&self, room: usize) -> usize {
        let share = self.states as f64 / self.places.max(1) as f64;
        room.min((1.25 * share * room as f64) as usize)
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use super::*;
    use crate::board::Graph;
    use crate::frontier::block::tables::Tables;
    use crate::frontier::problem::cycles::{Cycles, Tours};
    use crate::frontier::problem::field::Field;
    use crate::frontier::problem::plan::Plan;
    use crate::frontier::state::course::Course;

    /// Returns the chunks after the first step on a complete graph of 7 vertices whose edges have factor 7,
    /// from one state with this weight. Checks that the pool holds exactly their bytes.
    fn made(weights: Weights, bits: u32, modulo: Option<Modulus>, limit: u64) -> Result<Vec<Chunk>, Halt> {
        let edges = || (0..7u32).flat_map(|v| (0..v).map(move |w| (w, v)));
        let graph = Graph::from_edges(7, edges().map(|(v, w)| (v as usize, w as usize)));
        let field = Field::weighted(graph, edges().map(|edge| (edge, 7)).collect(), Vec::new());
        let cycles = Cycles::of(&field, Tours::Closed);
        let course = Course::new(&Arc::new(Plan::new(&cycles, &[0, 1, 2, 3, 4, 5, 6], false))).unwrap();
        let (tables, keeper) = (Tables::new(8), Keeper::new(limit, None));
        let stride = Stride::new(&course, &tables, None, 0);
        let mut layer = vec![None; course.words().chunks()];
        layer[0] = Some(Arc::new(Chunk { bits, ..Chunk::first(course.words(), weights) }));
        let maker = Maker { stride: &stride, keeper: &keeper, modulo };
        let make = |high| maker.make(&layer, &stride.sources_of(high), high, &|| Ok(false));
        let chunks: Result<Vec<_>, Halt> = (0..layer.len()).map(make).collect();
        let chunks: Result<Vec<Chunk>, Halt> =
            chunks.map(|all| all.into_iter().filter_map(|(chunk, _)| chunk).collect());
        if let Ok(chunks) = &chunks {
            assert_eq!(keeper.account().held(), chunks.iter().map(Chunk::bytes).sum::<u64>());
        }
        chunks
    }

    #[test]
    fn a_sum_that_does_not_fit_is_made_again_wider() {
        let chunks = made(Weights::W32(vec![1 << 28].into()), 29, None, 1 << 20).unwrap();
        assert!(!chunks.is_empty());
        for chunk in chunks {
            assert!(matches!(&chunk.weights, Weights::W64(v) if v.iter().all(|&w| w == 49 << 28)));
            assert_eq!(chunk.bits, 34);
        }
        // A sum that fits a narrower type than the attempted one is converted to it.
        let narrow = made(Weights::W64(vec![1].into()), 40, None, 1 << 20).unwrap();
        assert!(narrow.iter().all(|chunk| chunk.weights.width() == Width::W32 && chunk.bits == 6));
    }

    #[test]
    fn modulo_a_power_of_two_it_wraps() {
        let chunks =
            made(Weights::W32(vec![1 << 28].into()), 32, Some(Modulus::Power(Width::W32)), 1 << 20).unwrap();
        let wrapped = (49u64 << 28) as u32;
        assert!(
            chunks.iter().all(|c| matches!(&c.weights, Weights::W32(v) if v.iter().all(|&w| w == wrapped)))
        );
    }

    #[test]
    fn what_no_memory_holds_is_an_error() {
        assert!(matches!(made(Weights::W32(vec![1].into()), 1, None, 20), Err(Halt::Memory)));
    }

    #[test]
    fn there_is_a_width_for_every_sum() {
        // 49 times a power of two has five more bits than it.
        for bit in (0..127).chain(250..260).chain(500..515).chain([1000, 4089, 4090, 4091, 4092]) {
            let mut limbs: BigUint = BigUint::from(1u8) << bit;
            let width = Width::holding(bit as u32 + 1);
            let mut digits = limbs.to_u32_digits();
            digits.resize((width.bits() / 32).max(8).next_multiple_of(4) as usize, 0);
            let weight = Weights::Limbs(digits.len(), digits).converted(width);
            limbs *= 49u8;
            for mut chunk in made(weight, bit as u32 + 1, None, 1 << 20).unwrap() {
                assert_eq!(
                    (chunk.bits, chunk.weights.width()),
                    (bit as u32 + 6, Width::holding(bit as u32 + 6))
                );
                assert!((0..chunk.weights.len()).all(|place| chunk.weights.take(place) == limbs));
            }
        }
    }
}
