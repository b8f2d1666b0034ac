//! A step compiled for chunks: the source chunks that a target chunk reads, and the signatures that
//! get a block.
//!
//! A target block is the sum of source blocks, one for each choice of the step that leads to its
//! signature, mapped by the effect of the choice:
//!
//! ```text
//! target(s, m) = sum over choices c into s   sum over m' with effect_c(m') = m   source(s - c, m')
//! ```
//!
//! A target chunk reads whole chunks of the source layer, and every block is summed by one thread. So
//! there are no locks in the inner loop, and the result does not depend on the number of threads. A
//! [`ChunkComputation`](crate::frontier::layer::chunk_computation::ChunkComputation) adds up the
//! blocks. After a step with a mirror symmetry, the block of a signature includes the mirrored
//! block of its mirror image.

use std::sync::Arc;

use super::chunk::{Chunk, WordEntry, count_weights, longest_block};
use super::sweep_totals::StepTally;
use crate::frontier::planning::cancel::{Cancel, Cancelled};
use crate::frontier::signature::choice::MatchingOp;
use crate::frontier::signature::matching_rank::MATCHING_COUNTS;
use crate::frontier::signature::mirror_fold::MirrorFold;
use crate::frontier::signature::moves::{Move, Side, StepMoves};
use crate::frontier::signature::signature_table::SignatureTable;
use crate::frontier::signature::space::{
    BITS_WITH_ENDS, OuterDigitSums, SignatureAddress, SignatureSpace, WORD_MASK, WordAddress, WordNumbering,
};
use crate::frontier::weights::matching_tables::MapTables;
use crate::frontier::weights::part_sum::weights_in_progress;

/// One step of a sweep, compiled for its chunks.
#[derive(Debug)]
pub struct CompiledStep<'a> {
    /// The numbering of signatures.
    pub(in crate::frontier::layer) words: &'a WordNumbering,
    /// Tables of index maps between blocks.
    pub(in crate::frontier::layer) tables: &'a MapTables,
    /// Signatures that can be completed after the step; `None` if they are not known.
    feasible: Option<&'a SignatureTable>,
    /// Moves of the step into every target word.
    pub(in crate::frontier::layer) moves: StepMoves,
    /// Mirror symmetry by which the next layer is reduced; `None` if the step does not fold.
    pub(in crate::frontier::layer) fold: Option<MirrorFold>,
    occupied_slots: u32,
    used_slots: OuterDigitSums,
    /// Classes of words that have equal moves: the class's part of the number of its list of moves,
    /// and the positions in a chunk of its words that may have signatures.
    word_classes: Vec<(usize, Vec<u32>)>,
    finished: Vec<SignatureAddress>,
    /// True if a move has a negative factor.
    pub(in crate::frontier::layer) has_negative_factors: bool,
}

/// The source chunks that a target chunk reads, each at its chunk number.
pub type SourceChunks = [Option<Arc<Chunk>>];

/// The plan of a target chunk: the signatures that get a block.
#[derive(Clone, Debug, Default)]
pub struct PlannedChunk {
    /// One entry for each word, without the offsets of the blocks; no entries if the chunk is empty.
    pub entries: Vec<WordEntry>,
    /// Upper bound of the number of weights of the chunk.
    pub max_weights: u64,
}

/// The plan of a target chunk in a dry run, and the number of reads that its computation would
/// need.
#[derive(Clone, Debug, Default)]
pub struct DryChunk {
    /// Chunk with planned entries and no weights; `None` if it is empty.
    pub chunk: Option<Arc<Chunk>>,
    /// Upper bound of the number of weights of the chunk.
    pub weights: u64,
    /// Number of weights that would be read for the chunk.
    pub reads: u64,
    /// Number of blocks that would be read for the chunk.
    pub blocks: u64,
    /// Number of weights of the longest block.
    pub longest_block: usize,
}

impl<'a> CompiledStep<'a> {
    /// Compiles step `t` as [`Self::new_under`] does, without a way to cancel.
    #[cfg(test)]
    pub fn new(
        space: &'a SignatureSpace,
        tables: &'a MapTables,
        feasible: Option<&'a SignatureTable>,
        t: usize,
    ) -> Self {
        let compiled = Self::new_under(space, tables, feasible, t, &Cancel::default());
        compiled.expect("the default is never cancelled")
    }

    /// Compiles step `t`. `feasible` has the feasible signatures after the step; with it, signatures
    /// that cannot be completed are pruned.
    ///
    /// # Errors
    /// [`Cancelled`] if `cancel` is cancelled.
    pub fn new_under(
        space: &'a SignatureSpace,
        tables: &'a MapTables,
        feasible: Option<&'a SignatureTable>,
        t: usize,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let (plan, words) = (space.plan(), space.words());
        let step = &plan.steps()[t];
        let occupied = step.occupied_slots as u32;
        let used = words.outer_sums(|slot, digit| u32::from(digit > 0) << slot);
        let moves = StepMoves::new_under(words, step, Side::Target, cancel)?;
        Ok(Self {
            words,
            tables,
            feasible,
            has_negative_factors: step.later_neighbours.iter().any(|later| later.factor < 0),
            word_classes: moves.word_classes(|word| used.by_word[word] & !occupied == 0),
            moves,
            fold: MirrorFold::after_step(space, t),
            occupied_slots: occupied,
            used_slots: used,
            finished: space.finished_signatures(t),
        })
    }

    /// Returns the numbers of the target chunks, in an order in which chunks that read the same
    /// source chunks are adjacent.
    #[must_use]
    pub fn target_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.words.chunk_count())
            .filter(|&chunk_number| self.used_slots.by_chunk[chunk_number] & !self.occupied_slots == 0)
            .collect();
        order.sort_by_key(|&chunk_number| (self.source_group(chunk_number), chunk_number));
        order
    }

    /// Returns the group of a target chunk: a number that is equal for target chunks that may read
    /// the same source chunks. It is the least number of these target chunks.
    #[must_use]
    pub fn source_group(&self, target: usize) -> u32 {
        self.moves.source_group(target, self.fold.as_ref())
    }

    /// Returns the number of the target chunk with the mirror images of the signatures of chunk
    /// `target`; `target` itself without a mirror symmetry.
    #[must_use]
    pub fn image_chunk(&self, target: usize) -> usize {
        self.fold.as_ref().map_or(target, |fold| fold.chunk_image(target))
    }

    /// Plans a target chunk and counts the reads for it, without computing weights. The result has
    /// no chunk if the target chunk is empty.
    #[must_use]
    pub fn dry_run_chunk(&self, sources: &SourceChunks, target: usize) -> DryChunk {
        if self.used_slots.by_chunk[target] & !self.occupied_slots != 0 {
            return DryChunk::default();
        }
        let PlannedChunk { entries, max_weights: weights } =
            self.plan_chunk(sources, target, &mut StepTally::default());
        let mut traced = DryChunk { weights, ..DryChunk::default() };
        for (word, entry) in entries.iter().enumerate() {
            let at = WordAddress { chunk: target, word };
            let (reads, blocks) = self.count_word_reads(sources, at, entry.present_signatures());
            traced.reads += reads;
            traced.blocks += blocks;
        }
        traced.longest_block = self.longest_block_weights(target, &entries);
        traced.chunk = (weights > 0).then(|| Arc::new(Chunk { entries, ..Chunk::default() }));
        traced
    }

    /// Returns the numbers of weights and of blocks that are read for the blocks `present` of a target word, and for
    /// their mirror images.
    #[must_use]
    pub fn count_word_reads(&self, sources: &SourceChunks, at: WordAddress, present: u128) -> (u64, u64) {
        let mut reads = (0, 0);
        if present != 0 {
            self.add_reads_into(sources, at, present, &mut reads);
            if let Some(fold) = &self.fold
                && let Some(image) = fold.word_image(at)
            {
                self.add_reads_into(sources, image, fold.mirror_bits(present), &mut reads);
            }
        }
        reads
    }

    /// Adds the numbers of weights and of blocks that are read for the blocks `signatures` of a word.
    fn add_reads_into(
        &self,
        sources: &SourceChunks,
        at: WordAddress,
        signatures: u128,
        (weights, blocks): &mut (u64, u64),
    ) {
        let outer = self.words.outer_ends(at.chunk, at.word).count_ones() as usize;
        for m in self.moves.moves_at(at.chunk, at.word).iter() {
            let Some((_, entry)) = self.source_entry(sources, at.chunk, at.word, m) else { continue };
            let bits = m.shift_in(entry.present_signatures()) & signatures;
            if bits != 0 {
                *blocks += u64::from(bits.count_ones());
                *weights +=
                    u64::from(m.factor.unsigned_abs()) * count_source_weights(bits, outer, m.operation);
            }
        }
    }

    /// Returns the numbers of the source chunks that a target chunk reads.
    #[must_use]
    pub fn source_chunks(&self, target: usize) -> Vec<usize> {
        self.moves.reached_chunks(target, self.fold.as_ref())
    }

    /// Replaces the contents of `sources` by the result of [`Self::source_chunks`].
    pub fn source_chunks_into(&self, target: usize, sources: &mut Vec<usize>) {
        self.moves.reached_chunks_into(target, self.fold.as_ref(), sources);
    }

    /// Returns the signatures of a target chunk that get a block. Adds to `tally` those that cannot be completed.
    pub fn plan_chunk(&self, sources: &SourceChunks, target: usize, tally: &mut StepTally) -> PlannedChunk {
        #[cfg(target_arch = "x86_64")]
        if crate::cpu_features::has_bmi() {
            // SAFETY: these instructions were just detected.
            return unsafe { self.plan_chunk_bmi(sources, target, tally) };
        }
        self.plan_chunk_portable(sources, target, tally)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
    fn plan_chunk_bmi(&self, sources: &SourceChunks, target: usize, tally: &mut StepTally) -> PlannedChunk {
        self.plan_chunk_portable(sources, target, tally)
    }

    #[inline(always)]
    fn plan_chunk_portable(
        &self,
        sources: &SourceChunks,
        target: usize,
        tally: &mut StepTally,
    ) -> PlannedChunk {
        let (mut planned, mut source_moves) = (PlannedChunk::default(), Vec::new());
        for (class, lows) in &self.word_classes {
            let list = self.moves.moves_of_class(target, *class);
            source_moves.clear();
            source_moves.extend(list.iter().filter_map(|m| {
                let chunk = sources[(target as i32 + m.chunk_distance) as usize].as_deref()?;
                Some((chunk.entries.as_slice(), m))
            }));
            for word in lows.iter().map(|&low| low as usize) {
                let reached = || {
                    let pull = |(entries, m): &(&[WordEntry], &Move)| {
                        m.shift_in(entries[(word as i32 + m.word_distance) as usize].present_signatures())
                    };
                    source_moves.iter().fold(0, |bits, one| bits | pull(one))
                };
                let present =
                    self.planned_signatures(sources, WordAddress { chunk: target, word }, reached, tally);
                if present == 0 {
                    continue;
                }
                if planned.entries.is_empty() {
                    planned.entries = vec![WordEntry::default(); self.words.chunk_len()];
                }
                planned.entries[word] = WordEntry::new(present, 0);
                planned.max_weights += self.count_word_weights(target, word, present);
            }
        }
        planned
    }

    /// Returns the number of weights of the signatures `present` of a word of a target chunk.
    #[inline(always)]
    #[must_use]
    pub fn count_word_weights(&self, target: usize, word: usize, present: u128) -> u64 {
        count_weights(present, self.words.outer_ends(target, word).count_ones() as usize)
    }

    /// Returns the number of weights of the longest block of a target chunk with the planned
    /// entries `entries`.
    #[must_use]
    pub fn longest_block_weights(&self, target: usize, entries: &[WordEntry]) -> usize {
        longest_block(self.words, target, entries)
    }

    /// Returns the number of weights in progress while a block of `longest` weights is summed.
    #[must_use]
    pub const fn weights_in_progress(&self, longest: usize) -> u64 {
        weights_in_progress(longest, self.fold.is_some())
    }

    /// Returns the set of the signatures of a word that get a block: they are reached, feasible and
    /// not represented by their mirror image. `directly` returns the signatures that are reached
    /// without the mirror.
    #[inline(always)]
    fn planned_signatures(
        &self,
        sources: &SourceChunks,
        at: WordAddress,
        directly: impl Fn() -> u128,
        tally: &mut StepTally,
    ) -> u128 {
        let feasible = match self.feasible {
            Some(feasible) => feasible.word(self.words.number_of(at)),
            None => self.signatures_without_early_cycle(at),
        };
        if feasible == 0 {
            return 0;
        }
        let mut reached = 0;
        if let Some(fold) = &self.fold
            && let Some(image) = fold.word_image(at)
        {
            if !fold.is_representative(at, image) {
                return 0;
            }
            reached |= fold.mirror_bits(self.reached_signatures(sources, image.chunk, image.word));
        }
        reached |= directly();
        tally.pruned += u64::from((reached & !feasible).count_ones());
        reached & feasible
    }

    /// Returns the set of the signatures of a word, except those whose cycle is closed before the
    /// tour is finished. Used if there are no feasibility tables.
    fn signatures_without_early_cycle(&self, at: WordAddress) -> u128 {
        let mut bits = WORD_MASK;
        if self.words.outer_ends(at.chunk, at.word) == 0 {
            bits &= !BITS_WITH_ENDS[0];
            for one in self.finished.iter().filter(|one| one.word_number == self.words.number_of(at)) {
                bits |= 1 << one.bit;
            }
        }
        bits
    }

    /// Returns the source chunk of the move `m` into a word, and the entry of the source word;
    /// `None` if the chunk is empty.
    #[inline(always)]
    pub(in crate::frontier::layer) fn source_entry<'s>(
        &self,
        sources: &'s SourceChunks,
        target: usize,
        word: usize,
        m: &Move,
    ) -> Option<(&'s Chunk, WordEntry)> {
        let chunk = sources[(target as i32 + m.chunk_distance) as usize].as_deref()?;
        Some((chunk, chunk.entries[(word as i32 + m.word_distance) as usize]))
    }

    #[inline(always)]
    fn reached_signatures(&self, sources: &SourceChunks, target: usize, word: usize) -> u128 {
        let pull = |m: &Move| {
            self.source_entry(sources, target, word, m)
                .map_or(0, |(_, entry)| m.shift_in(entry.present_signatures()))
        };
        self.moves.moves_at(target, word).iter().fold(0, |bits, m| bits | pull(m))
    }
}

/// Returns the number of weights of the source blocks from which the operation `effect` leads to
/// the signatures `bits` of a word with `outer` ends in the outer slots.
fn count_source_weights(bits: u128, outer: usize, effect: MatchingOp) -> u64 {
    let blocks = |inner: usize| u64::from((bits & BITS_WITH_ENDS[inner]).count_ones());
    let ends = (0..BITS_WITH_ENDS.len()).map(|inner| (inner, outer + inner));
    ends.filter(|(_, ends)| ends.is_multiple_of(2))
        .map(|(inner, ends)| {
            let source = match effect {
                MatchingOp::Identity | MatchingOp::Move { .. } => Some(ends),
                MatchingOp::Contract { .. } => Some(ends + 2),
                MatchingOp::Create { .. } => ends.checked_sub(2),
            };
            source.and_then(|ends| MATCHING_COUNTS.get(ends)).map_or(0, |size| size * blocks(inner))
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::planning::problem::Tours;

    /// Calls `visit` with every step of a small board with mirror symmetry, and with the signatures
    /// of the layer before the step.
    fn for_each_step(mut visit: impl FnMut(&CompiledStep, &SourceChunks)) {
        let space = SignatureSpace::for_lines(6, 4, Tours::Closed, true);
        let (words, tables) = (space.words(), MapTables::new(0));
        let mut layer: Vec<Option<Arc<Chunk>>> = vec![None; words.chunk_count()];
        layer[0] = Some(Arc::new(Chunk::initial(words, Default::default())));
        for t in 0..space.step_count() {
            let compiled_step = CompiledStep::new(&space, &tables, None, t);
            visit(&compiled_step, &layer);
            layer = (0..words.chunk_count())
                .map(|chunk_number| compiled_step.dry_run_chunk(&layer, chunk_number).chunk)
                .collect();
        }
    }

    #[test]
    fn target_chunk_reads_only_source_chunks_and_is_in_target_order() {
        let (mut chunks, mut foreign) = (0, 0);
        for_each_step(|compiled_step, layer| {
            let order = compiled_step.target_order();
            for chunk_number in 0..layer.len() {
                let mut named: Vec<Option<Arc<Chunk>>> = vec![None; layer.len()];
                compiled_step
                    .source_chunks(chunk_number)
                    .into_iter()
                    .for_each(|s| named[s] = layer[s].clone());
                let whole = compiled_step.dry_run_chunk(layer, chunk_number);
                let by_name = compiled_step.dry_run_chunk(&named, chunk_number);
                let weights = whole.weights;
                let entries = |chunk: Option<Arc<Chunk>>| chunk.map(|chunk| chunk.entries.clone());
                assert_eq!((whole.reads, whole.blocks), (by_name.reads, by_name.blocks));
                assert_eq!((entries(whole.chunk), weights), (entries(by_name.chunk), by_name.weights));
                assert!(whole.blocks <= whole.reads && (weights > 0) == (whole.blocks > 0));
                assert!(weights == 0 || order.contains(&chunk_number));
                chunks += usize::from(weights > 0);
                foreign += layer.iter().flatten().count() - named.iter().flatten().count();
            }
        });
        assert!(chunks > 100 && foreign > 0, "{chunks} {foreign}");
    }

    #[test]
    fn one_of_word_and_mirror_image_is_planned() {
        let mut folds = 0;
        for_each_step(|compiled_step, layer| {
            let Some(fold) = &compiled_step.fold else { return };
            let made: Vec<_> = (0..layer.len())
                .map(|chunk_number| compiled_step.dry_run_chunk(layer, chunk_number).chunk)
                .collect();
            let has = |at: WordAddress| {
                made[at.chunk].as_ref().is_some_and(|chunk| chunk.entries[at.word].present_signatures() != 0)
            };
            for number in 0..compiled_step.words.len() {
                let at = compiled_step.words.word_at(number);
                assert_eq!(compiled_step.image_chunk(at.chunk), fold.chunk_image(at.chunk));
                if let Some(image) = fold.word_image(at) {
                    assert!(!has(at) || !has(image));
                    folds += usize::from(has(at));
                }
            }
        });
        assert!(folds > 0);
    }
}
