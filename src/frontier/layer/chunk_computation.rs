//! The computation of a target chunk: each block is the sum of the terms that lead to its
//! signature.
//!
//! A term is a source block with the matching map and the factor of a choice.
//!
//! ```text
//! word -> moves into it from present signatures -> by signature, terms -> block with their sum
//! ```

use super::chunk::WordEntry;
use super::compiled_step::{CompiledStep, SourceChunks};
use super::sweep_totals::StepTally;
use crate::cpu_features::with_avx2;
use crate::frontier::planning::slots::Slot;
use crate::frontier::signature::choice::MatchingOp;
use crate::frontier::signature::matching_rank::matching_count;
use crate::frontier::signature::space::{ENDS_OF_BIT, WordAddress};
use crate::frontier::weights::block_map::MIN_DIVIDED_WEIGHTS;
use crate::frontier::weights::block_term::{BlockBuilder, BlockTerms, MirroredTerms, Term};
use crate::frontier::weights::matching_map::MatchingMap;
use crate::frontier::weights::matching_map::PointPair;
use crate::frontier::weights::vector::Weights;

/// The inputs for the blocks of one target chunk.
#[derive(Clone, Copy)]
pub struct ChunkComputation<'a> {
    /// Step that leads from the source chunks to the target chunk.
    pub step: &'a CompiledStep<'a>,
    /// Source chunks that the target chunk reads.
    pub sources: &'a SourceChunks,
    /// Index of the target chunk.
    pub target: usize,
    /// Number of the first of the words to compute.
    pub first_word: usize,
    /// Largest number of bits of a sum in a block.
    pub max_sum_bits: u32,
}

/// A move into the current target word, with the entry and the weights of its source word.
struct ActiveMove<'a> {
    /// Set of the signatures of the target word that have a source by this move, one bit each.
    targets: u128,
    entry: WordEntry,
    outer_ends: usize,
    weights: &'a Weights,
    shift: i32,
    effect: MatchingOp,
    factor: i32,
}

impl<'a> ChunkComputation<'a> {
    /// Computes the blocks of the signatures that [`CompiledStep::plan_chunk`] entered in
    /// `entries`, the entries of consecutive words; appends them to `blocks`, and enters their
    /// offsets there. Adds the counters of the words to `tally`; [`StepTally::largest_part`] gets the weights read for
    /// undivided blocks only, those of fewer than [`MIN_DIVIDED_WEIGHTS`] weights, because no thread computes a
    /// divided block alone. Stops and returns false when a sum has more than [`Self::max_sum_bits`] bits; the
    /// entries are then incomplete.
    pub fn compute_chunk(
        &self,
        entries: &mut [WordEntry],
        blocks: &mut dyn BlockBuilder,
        tally: &mut StepTally,
    ) -> bool {
        with_avx2(
            #[inline(always)]
            || self.compute_words(entries, blocks, tally),
        )
    }

    #[inline(always)]
    fn compute_words(
        &self,
        entries: &mut [WordEntry],
        blocks: &mut dyn BlockBuilder,
        tally: &mut StepTally,
    ) -> bool {
        let Self { step: compiled_step, target: chunk_number, max_sum_bits: most_bits, .. } = *self;
        let (mut here, mut there): (Vec<ActiveMove>, Vec<ActiveMove>) = (Vec::new(), Vec::new());
        let (mut terms, mut image_terms) = (Vec::new(), Vec::new());
        let mut image_points = [0u8; 32];
        let mut bits = 0;
        for (word, entry) in (self.first_word..).zip(entries) {
            let present_bits = entry.present_signatures();
            if present_bits == 0 {
                continue;
            }
            self.collect_moves(WordAddress { chunk: chunk_number, word }, present_bits, &mut here);
            there.clear();
            if let Some(fold) = &compiled_step.fold
                && let Some(image) = fold.word_image(WordAddress { chunk: chunk_number, word })
            {
                self.collect_moves(image, fold.mirror_bits(present_bits), &mut there);
            }
            let outer_ends = compiled_step.words.outer_ends(chunk_number, word);
            let start = blocks.len();
            let mut present = 0;
            let mut remaining_bits = present_bits;
            while remaining_bits != 0 {
                let bit = remaining_bits.trailing_zeros();
                remaining_bits &= remaining_bits - 1;
                let ends = outer_ends | u32::from(ENDS_OF_BIT[bit as usize]);
                let n = ends.count_ones() as usize;
                let read_before = tally.transitions;
                self.collect_terms(&here, bit, ends, &mut terms, tally);
                let mut mirrored = MirroredTerms::default();
                if let Some(fold) = compiled_step.fold.as_ref().filter(|_| !there.is_empty()) {
                    let image_ends = fold.mirror_slots(ends);
                    self.collect_terms(&there, fold.bit_image(bit), image_ends, &mut image_terms, tally);
                    fold.image_positions(ends, image_ends, &mut image_points[..n]);
                    mirrored = MirroredTerms { terms: &image_terms, image_positions: &image_points[..n] };
                }
                if matching_count(n) < MIN_DIVIDED_WEIGHTS {
                    tally.largest_part += tally.transitions - read_before;
                }
                let block = BlockTerms { len: matching_count(n), terms: &terms, mirrored };
                let sum = blocks.push_sum(compiled_step.tables, block);
                tally.folded += u64::from(sum.is_folded);
                if sum.bits > 0 {
                    bits = bits.max(sum.bits);
                    present |= 1 << bit;
                    tally.signatures += 1;
                    tally.states += sum.nonzero;
                }
            }
            if bits > most_bits {
                return false;
            }
            *entry = if present == 0 { WordEntry::default() } else { WordEntry::new(present, start) };
        }
        tally.weights += blocks.len() as u64;
        tally.bits = tally.bits.max(bits);
        true
    }

    /// Collects the moves into a word that start from a present signature and lead to one of the
    /// signatures `present`.
    #[inline(always)]
    fn collect_moves(
        &self,
        WordAddress { chunk: high, word: low }: WordAddress,
        present: u128,
        active: &mut Vec<ActiveMove<'a>>,
    ) {
        let Self { step: compiled_step, sources, .. } = *self;
        active.clear();
        for m in compiled_step.moves.moves_at(high, low).iter() {
            let Some((chunk, entry)) = compiled_step.source_entry(sources, high, low, m) else { continue };
            let bits = m.shift_in(entry.present_signatures()) & present;
            if bits != 0 {
                let (h, l) =
                    ((high as i32 + m.chunk_distance) as usize, (low as i32 + m.word_distance) as usize);
                let outer = compiled_step.words.outer_ends(h, l).count_ones() as usize;
                active.push(ActiveMove {
                    targets: bits,
                    entry,
                    outer_ends: outer,
                    weights: &chunk.weights,
                    shift: m.shift,
                    effect: m.operation,
                    factor: m.factor,
                });
            }
        }
    }

    /// Collects the terms that lead to one target signature, those with a negative factor first.
    #[inline(always)]
    fn collect_terms(
        &self,
        active: &[ActiveMove<'a>],
        bit: u32,
        ends: u32,
        terms: &mut Vec<Term<'a>>,
        tally: &mut StepTally,
    ) {
        terms.clear();
        let leads_here = |a: &&ActiveMove| a.targets >> bit & 1 == 1;
        if self.step.has_negative_factors {
            for a in active.iter().filter(leads_here).filter(|a| a.factor < 0) {
                terms.push(a.term(bit, ends, tally));
            }
        }
        for a in active.iter().filter(leads_here).filter(|a| a.factor > 0) {
            terms.push(a.term(bit, ends, tally));
        }
    }
}

impl<'a> ActiveMove<'a> {
    /// Returns the term of this move for the signature `bit` of the target word, whose ends are in
    /// the slots `ends`.
    #[inline(always)]
    fn term(&self, bit: u32, ends: u32, tally: &mut StepTally) -> Term<'a> {
        let (change, source_ends) = matching_map_of_effect(self.effect, ends);
        let position = self.entry.block_offset((bit as i32 + self.shift) as u32, self.outer_ends);
        let len = matching_count(source_ends);
        tally.transitions += len as u64 * u64::from(self.factor.unsigned_abs());
        Term { source: self.weights, offset: position, len, map: change, factor: self.factor }
    }
}

/// Returns the matching map of the operation `effect` for a target block whose ends are in the
/// slots `ends`, and the number of ends of the source block.
#[inline(always)]
#[must_use]
pub fn matching_map_of_effect(effect: MatchingOp, ends: u32) -> (MatchingMap, usize) {
    let n = ends.count_ones() as usize;
    let place = |ends: u32, slot: Slot| (ends & ((1 << slot) - 1)).count_ones() as usize;
    match effect {
        MatchingOp::Identity => (MatchingMap::Identity, n),
        MatchingOp::Move { from, to } => {
            let others = ends & !(1 << to);
            (MatchingMap::Move(PointPair::new(n, place(others, from), place(ends, to))), n)
        }
        MatchingOp::Contract { low, high } => {
            (MatchingMap::Contract(PointPair::new(n + 2, place(ends, low), place(ends, high) + 1)), n + 2)
        }
        MatchingOp::Create { low, high } => {
            (MatchingMap::Create(PointPair::new(n, place(ends, low), place(ends, high))), n - 2)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::super::chunk::Chunk;
    use super::super::compiled_step::PlannedChunk;
    use super::*;
    use crate::frontier::planning::problem::Tours;
    use crate::frontier::signature::matching_rank::matching_from_index;
    use crate::frontier::signature::space::SignatureSpace;
    use crate::frontier::sweep::mate_array::{BARE, INNER, Mates, canonical, successors};
    use crate::frontier::weights::block_sum::new_block_builder;
    use crate::frontier::weights::matching_tables::MapTables;
    use crate::frontier::weights::slab_vec::BlockCapacity;
    use crate::frontier::weights::weight::Width;

    type States = BTreeMap<Mates<24>, u64>;

    /// Returns the states of a layer one by one, with their weights.
    fn states(space: &SignatureSpace, layer: &SourceChunks) -> States {
        let (words, slots) = (space.words(), space.plan().slot_count());
        let mut states = States::new();
        for number in 0..words.len() {
            let at = words.word_at(number);
            let Some(chunk) = &layer[at.chunk] else { continue };
            let outer = words.outer_ends(at.chunk, at.word);
            for bit in (0..81).filter(|bit| chunk.entries[at.word].present_signatures() >> bit & 1 == 1) {
                let digit = |slot: usize| match slot {
                    0..4 => bit as usize / 3usize.pow(slot as u32) % 3,
                    _ => number / 3usize.pow(slot as u32 - 4) % 3,
                };
                let ends: Vec<usize> = (0..slots).filter(|&slot| digit(slot) == 1).collect();
                let position = chunk.find_block(at.word, bit, outer.count_ones() as usize).unwrap();
                for index in 0..matching_count(ends.len()) {
                    let mut state = [BARE; 24];
                    (0..slots).filter(|&slot| digit(slot) == 2).for_each(|slot| state[slot] = INNER);
                    for (end, mate) in ends.iter().zip(matching_from_index(ends.len(), index)) {
                        state[*end] = ends[usize::from(mate)] as u8;
                    }
                    let Weights::W32(weights) = &chunk.weights else {
                        unreachable!("weights of small boards have 32 bits")
                    };
                    let weight = u64::from(weights[position + index]);
                    if weight > 0 {
                        states.insert(state, weight);
                    }
                }
            }
        }
        states
    }

    /// Computes a chunk of the layer after the step, with 32-bit weights. Returns `None` if a sum has more than
    /// `max_sum_bits` bits.
    fn compute_chunk(
        step: &CompiledStep,
        sources: &SourceChunks,
        target: usize,
        max_sum_bits: u32,
        tally: &mut StepTally,
    ) -> Option<(Vec<WordEntry>, Weights)> {
        let PlannedChunk { mut entries, max_weights } = step.plan_chunk(sources, target, tally);
        let capacity =
            BlockCapacity { max_weights: max_weights as usize, longest_block: 0, expected_nonzero: None };
        let mut blocks = new_block_builder(Width::W32, None, capacity);
        let computation = ChunkComputation { step, sources, target, first_word: 0, max_sum_bits };
        let fits = computation.compute_chunk(&mut entries, blocks.as_mut(), tally);
        assert!(blocks.len() as u64 <= max_weights, "more weights than planned");
        fits.then(|| (entries, blocks.finish()))
    }

    /// Computes the chunks of the layer after the step, with 32-bit weights.
    fn compute_layer(
        compiled_step: &CompiledStep,
        sources: &SourceChunks,
        tally: &mut StepTally,
    ) -> Vec<Option<Arc<Chunk>>> {
        let mut chunk = |chunk_number| {
            let (entries, weights) = compute_chunk(compiled_step, sources, chunk_number, 31, tally).unwrap();
            (weights.len() > 0).then(|| Arc::new(Chunk { entries, weights, bits: 31 }))
        };
        (0..sources.len()).map(&mut chunk).collect()
    }

    /// Compares, after each step, the blocks with single states, without feasibility tables.
    #[test]
    fn compute_chunk_agrees_with_single_states() {
        for tours in [Tours::Closed, Tours::Paths] {
            let space = SignatureSpace::for_lines(5, 4, tours, true);
            let (words, tables) = (space.words(), MapTables::new(space.plan().slot_count()));
            let mut layer: Vec<Option<Arc<Chunk>>> = vec![None; words.chunk_count()];
            layer[0] = Some(Arc::new(Chunk::initial(words, Weights::W32(vec![1].into()))));
            for (t, step) in space.plan().steps().iter().enumerate() {
                let before = states(&space, &layer);
                layer = compute_layer(
                    &CompiledStep::new(&space, &tables, None, t),
                    &layer,
                    &mut StepTally::default(),
                );
                // A word that is its own image has both of two states that represent each other.
                let mut after = States::new();
                for (state, weight) in states(&space, &layer) {
                    *after.entry(canonical(step, state)).or_default() += weight;
                }
                let mut naive = States::new();
                for (state, weight) in &before {
                    successors(&space.plan().finished_inner_slots(t), step, state, &mut |next, factor| {
                        *naive.entry(canonical(step, next)).or_default() += weight * factor as u64;
                    });
                }
                assert_eq!(after, naive, "step {t} of {tours:?}");
            }
        }
    }

    #[test]
    fn compute_chunk_stops_at_sum_beyond_max_bits() {
        let space = SignatureSpace::for_lines(5, 4, Tours::Closed, true);
        let (words, tables) = (space.words(), MapTables::new(space.plan().slot_count()));
        let mut layer: Vec<Option<Arc<Chunk>>> = vec![None; words.chunk_count()];
        layer[0] = Some(Arc::new(Chunk::initial(words, Weights::W32(vec![1 << 20].into()))));
        let compiled_step = CompiledStep::new(&space, &tables, None, 0);
        let chunk_number = (0..layer.len())
            .find(|&chunk_number| compiled_step.dry_run_chunk(&layer, chunk_number).chunk.is_some())
            .unwrap();
        for (most_bits, fits) in [(21, true), (20, false)] {
            let tally = &mut StepTally::default();
            let computed = compute_chunk(&compiled_step, &layer, chunk_number, most_bits, tally);
            assert_eq!(computed.is_some(), fits);
        }
    }
}
