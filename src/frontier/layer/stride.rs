//! A step compiled for chunks: which source chunks a target chunk reads, and which signatures get a block.
//!
//! A target block is the sum of source blocks, one for each choice of the step that leads to its signature,
//! mapped by the choice's effect:
//!
//! ```text
//! target(s, m) = sum over choices c into s   sum over m' with effect_c(m') = m   source(s - c, m')
//! ```
//!
//! A target chunk reads whole chunks of the source layer and is computed by one thread. So there are no locks
//! in the inner loop, and the result does not depend on the number of threads. A
//! [`ChunkComputation`](crate::frontier::layer::chunk_computation::ChunkComputation) adds up the blocks.
//! After a step with a mirror symmetry, the block of a signature includes the block of the mirror image,
//! mirrored.

use std::sync::Arc;

use crate::frontier::block::tables::Tables;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::entry::{Entry, longest_of, weights_of};
use crate::frontier::state::choice::Effect;
use crate::frontier::state::course::Course;
use crate::frontier::state::fold::Fold;
use crate::frontier::state::matching::SIZE;
use crate::frontier::state::moves::{Move, Moves, Side};
use crate::frontier::state::signature::{BITS_WITH_ENDS, WORD_MASK};
use crate::frontier::state::tally::Tally;
use crate::frontier::state::words::{Address, At, OuterSums, Words};

/// One step of a sweep, compiled for its chunks.
#[derive(Debug)]
pub struct Stride<'a> {
    /// The numbering of signatures.
    pub(in crate::frontier::layer) words: &'a Words,
    /// Index maps of blocks.
    pub(in crate::frontier::layer) tables: &'a Tables,
    /// The signatures that can be completed after the step, by word.
    feasible: Option<&'a [u128]>,
    /// The choices of the step, by target word.
    pub(in crate::frontier::layer) moves: Moves,
    /// The mirror symmetry by which the next layer is reduced.
    pub(in crate::frontier::layer) fold: Option<Fold>,
    occupied: u32,
    used: OuterSums,
    /// Words of a chunk that may have signatures, by the list of their moves.
    classes: Vec<(usize, Vec<u32>)>,
    finished: Vec<Address>,
    /// True if a move has a negative factor.
    pub(in crate::frontier::layer) has_negatives: bool,
}

/// The source chunks that a target chunk reads, each at its index in the layer.
pub type Sources = [Option<Arc<Chunk>>];

/// A target chunk of a dry run: its signatures if there are any, an upper bound of its weights, and the
/// weights and the blocks that would be read for them.
#[derive(Clone, Debug, Default)]
pub struct Traced {
    pub chunk: Option<Arc<Chunk>>,
    pub weights: u64,
    pub reads: u64,
    pub blocks: u64,
}

impl<'a> Stride<'a> {
    /// Compiles step `t`. With `feasible`, the feasibility table after the step, signatures that cannot be
    /// completed are pruned.
    #[must_use]
    pub fn new(course: &'a Course, tables: &'a Tables, feasible: Option<&'a [u128]>, t: usize) -> Self {
        let (plan, words) = (course.plan(), course.words());
        let step = &plan.steps()[t];
        let next = plan.steps().get(t + 1).and_then(|step| step.slot);
        let occupied = step.occupied as u32;
        let used = words.sums(|slot, digit| u32::from(digit > 0) << slot);
        let moves = Moves::new(words, step, Side::Target);
        Self {
            words,
            tables,
            feasible,
            has_negatives: step.later.iter().any(|later| later.factor < 0),
            classes: moves.classes(|low| used.low[low] & !occupied == 0),
            moves,
            fold: step.mirror.as_ref().map(|image| Fold::new(words, image, next)),
            occupied,
            used,
            finished: course.finished(t),
        }
    }

    /// Returns the indices of the target chunks, in an order in which chunks that read the same sources are
    /// adjacent.
    #[must_use]
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> =
            (0..self.words.chunks()).filter(|&high| self.used.high[high] & !self.occupied == 0).collect();
        order.sort_by_key(|&high| (self.family(high), high));
        order
    }

    /// Returns a number that is equal for target chunks that may read the same sources: the least index among
    /// these chunks.
    #[must_use]
    pub fn family(&self, high: usize) -> u32 {
        self.moves.family(high, self.fold.as_ref())
    }

    /// Returns the target chunk with the mirror images of this chunk's signatures; the chunk itself without a
    /// mirror symmetry.
    #[must_use]
    pub fn image(&self, high: usize) -> usize {
        self.fold.as_ref().map_or(high, |fold| fold.chunk(high))
    }

    /// Plans a target chunk without computing its weights; the result has no chunk if it is empty.
    #[must_use]
    pub fn trace_chunk(&self, sources: &Sources, high: usize) -> Traced {
        if self.used.high[high] & !self.occupied != 0 {
            return Traced::default();
        }
        let mut entries = Vec::new();
        let weights = self.outline(sources, high, &mut entries, &mut Tally::default());
        let mut traced = Traced { weights, ..Traced::default() };
        self.add_reads(sources, high, &entries, &mut traced);
        traced.chunk = (weights > 0).then(|| Arc::new(Chunk { entries, ..Chunk::default() }));
        traced
    }

    /// Adds the reads for the blocks of a chunk, mirror images included.
    fn add_reads(&self, sources: &Sources, high: usize, entries: &[Entry], traced: &mut Traced) {
        for (low, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.present() != 0) {
            let at = At { high, low };
            self.add_reads_into(sources, at, entry.present(), traced);
            if let Some(fold) = &self.fold
                && let Some(image) = fold.other(at)
            {
                self.add_reads_into(sources, image, fold.bits(entry.present()), traced);
            }
        }
    }

    fn add_reads_into(&self, sources: &Sources, at: At, wanted: u128, traced: &mut Traced) {
        let outer = self.words.outer_ends(at.high, at.low).count_ones() as usize;
        for m in self.moves.of(at.high, at.low) {
            let Some((_, entry)) = self.source(sources, at.high, at.low, m) else { continue };
            let bits = m.pull(entry.present()) & wanted;
            if bits != 0 {
                traced.blocks += u64::from(bits.count_ones());
                traced.reads += u64::from(m.factor.unsigned_abs()) * read_for(bits, outer, m.effect);
            }
        }
    }

    /// Returns the indices of the source chunks that a target chunk reads.
    #[must_use]
    pub fn sources_of(&self, high: usize) -> Vec<usize> {
        self.moves.chunks(high, self.fold.as_ref())
    }

    /// Writes the result of [`Self::source_chunks`] to an existing list.
    pub fn read_sources(&self, high: usize, sources: &mut Vec<usize>) {
        self.moves.read(high, self.fold.as_ref(), sources);
    }

    /// Enters the signatures that get a block: one entry for each word, or no entries if the chunk is empty.
    /// Returns an upper bound of the number of weights.
    pub fn outline(
        &self,
        sources: &Sources,
        high: usize,
        entries: &mut Vec<Entry>,
        tally: &mut Tally,
    ) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if crate::cpu::has_bmi() {
            // SAFETY: these instructions were just detected.
            return unsafe { self.outline_fast(sources, high, entries, tally) };
        }
        self.outline_portable(sources, high, entries, tally)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
    fn outline_fast(
        &self,
        sources: &Sources,
        high: usize,
        entries: &mut Vec<Entry>,
        tally: &mut Tally,
    ) -> u64 {
        self.outline_portable(sources, high, entries, tally)
    }

    #[inline(always)]
    fn outline_portable(
        &self,
        sources: &Sources,
        high: usize,
        entries: &mut Vec<Entry>,
        tally: &mut Tally,
    ) -> u64 {
        let (mut room, mut pulls) = (0, Vec::new());
        for (class, lows) in &self.classes {
            let list = self.moves.list(high, *class);
            pulls.clear();
            pulls.extend(list.iter().filter_map(|m| {
                let chunk = sources[(high as i32 + m.high) as usize].as_deref()?;
                Some((chunk.entries.as_slice(), m))
            }));
            for low in lows.iter().map(|&low| low as usize) {
                let reached = || {
                    let pull = |(entries, m): &(&[Entry], &Move)| {
                        m.pull(entries[(low as i32 + m.low) as usize].present())
                    };
                    pulls.iter().fold(0, |bits, one| bits | pull(one))
                };
                let present = self.present(sources, At { high, low }, reached, tally);
                if present == 0 {
                    continue;
                }
                if entries.is_empty() {
                    *entries = vec![Entry::default(); self.words.chunk_len()];
                }
                entries[low] = Entry::new(present, 0);
                room += weights_of(present, self.words.outer_ends(high, low).count_ones() as usize);
            }
        }
        room
    }

    /// Returns the number of weights of the longest block of a planned chunk.
    #[must_use]
    pub fn longest(&self, high: usize, entries: &[Entry]) -> usize {
        longest_of(self.words, high, entries)
    }

    /// Returns the number of weights that are summed at once for the longest block: the block, and its mirror
    /// image if there is a symmetry.
    #[must_use]
    pub const fn at_once(&self, longest: usize) -> u64 {
        longest as u64 * if self.fold.is_some() { 2 } else { 1 }
    }

    /// Returns the signatures of a word that get a block: reached, feasible and not represented by their
    /// mirror image.
    #[inline(always)]
    fn present(&self, sources: &Sources, at: At, directly: impl Fn() -> u128, tally: &mut Tally) -> u128 {
        let feasible = match self.feasible {
            Some(table) => table[self.words.number(at)],
            None => self.allowed(at),
        };
        if feasible == 0 {
            return 0;
        }
        let mut reached = 0;
        if let Some(fold) = &self.fold
            && let Some(image) = fold.other(at)
        {
            if !fold.prefers(at, image) {
                return 0;
            }
            reached |= fold.bits(self.reached(sources, image.high, image.low));
        }
        reached |= directly();
        tally.pruned += u64::from((reached & !feasible).count_ones());
        reached & feasible
    }

    /// Returns the signatures of a word without those whose cycle closes too early; used without feasibility
    /// tables.
    fn allowed(&self, at: At) -> u128 {
        let mut bits = WORD_MASK;
        if self.words.outer_ends(at.high, at.low) == 0 {
            bits &= !BITS_WITH_ENDS[0];
            for one in self.finished.iter().filter(|one| one.word == self.words.number(at)) {
                bits |= 1 << one.bit;
            }
        }
        bits
    }

    /// Returns the source chunk from which a move into a word starts, and the entry of the source word.
    #[inline(always)]
    pub(in crate::frontier::layer) fn source<'s>(
        &self,
        sources: &'s Sources,
        high: usize,
        low: usize,
        m: &Move,
    ) -> Option<(&'s Chunk, Entry)> {
        let chunk = sources[(high as i32 + m.high) as usize].as_deref()?;
        Some((chunk, chunk.entries[(low as i32 + m.low) as usize]))
    }

    #[inline(always)]
    fn reached(&self, sources: &Sources, high: usize, low: usize) -> u128 {
        let pull =
            |m: &Move| self.source(sources, high, low, m).map_or(0, |(_, entry)| m.pull(entry.present()));
        self.moves.of(high, low).iter().fold(0, |bits, m| bits | pull(m))
    }
}

/// Returns the number of weights of the source blocks from which an effect leads to the signatures `bits` of
/// a word with `outer` outer ends.
fn read_for(bits: u128, outer: usize, effect: Effect) -> u64 {
    let blocks = |inner: usize| u64::from((bits & BITS_WITH_ENDS[inner]).count_ones());
    let ends = (0..BITS_WITH_ENDS.len()).map(|inner| (inner, outer + inner));
    ends.filter(|(_, ends)| ends.is_multiple_of(2))
        .map(|(inner, ends)| {
            let source = match effect {
                Effect::Keep | Effect::Move { .. } => Some(ends),
                Effect::Contract { .. } => Some(ends + 2),
                Effect::Create { .. } => ends.checked_sub(2),
            };
            source.and_then(|ends| SIZE.get(ends)).map_or(0, |size| size * blocks(inner))
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::frontier::problem::cycles::{Cycles, Tours};
    use crate::frontier::problem::field::Field;
    use crate::frontier::problem::plan::Plan;

    /// Calls `visit` with every step of a small board with mirror symmetry, and the signatures of the layer
    /// before it.
    fn each_step(mut look: impl FnMut(&Stride, &Sources)) {
        let cycles = Cycles::of(&Field::of(&Board::new(6, 4).unwrap().into()), Tours::Closed);
        let order: Vec<usize> = (0..cycles.len()).collect();
        let course = Course::new(&Arc::new(Plan::new(&cycles, &order, true))).unwrap();
        let (words, tables) = (course.words(), Tables::new(0));
        let mut layer: Vec<Option<Arc<Chunk>>> = vec![None; words.chunks()];
        layer[0] = Some(Arc::new(Chunk::first(words, Default::default())));
        for t in 0..course.len() {
            let stride = Stride::new(&course, &tables, None, t);
            look(&stride, &layer);
            layer = (0..words.chunks()).map(|high| stride.trace_chunk(&layer, high).chunk).collect();
        }
    }

    #[test]
    fn a_chunk_needs_no_other_sources_than_it_names_and_is_in_the_order() {
        let (mut chunks, mut foreign) = (0, 0);
        each_step(|stride, layer| {
            let order = stride.order();
            for high in 0..layer.len() {
                let mut named: Vec<Option<Arc<Chunk>>> = vec![None; layer.len()];
                stride.sources_of(high).into_iter().for_each(|s| named[s] = layer[s].clone());
                let whole = stride.trace_chunk(layer, high);
                let by_name = stride.trace_chunk(&named, high);
                let weights = whole.weights;
                let entries = |chunk: Option<Arc<Chunk>>| chunk.map(|chunk| chunk.entries.clone());
                assert_eq!((whole.reads, whole.blocks), (by_name.reads, by_name.blocks));
                assert_eq!((entries(whole.chunk), weights), (entries(by_name.chunk), by_name.weights));
                assert!(whole.blocks <= whole.reads && (weights > 0) == (whole.blocks > 0));
                assert!(weights == 0 || order.contains(&high));
                chunks += usize::from(weights > 0);
                foreign += layer.iter().flatten().count() - named.iter().flatten().count();
            }
        });
        assert!(chunks > 100 && foreign > 0, "{chunks} {foreign}");
    }

    #[test]
    fn of_a_word_and_its_mirror_image_one_is_kept() {
        let mut folds = 0;
        each_step(|stride, layer| {
            let Some(fold) = &stride.fold else { return };
            let made: Vec<_> = (0..layer.len()).map(|high| stride.trace_chunk(layer, high).chunk).collect();
            let has =
                |at: At| made[at.high].as_ref().is_some_and(|chunk| chunk.entries[at.low].present() != 0);
            for number in 0..stride.words.len() {
                let at = stride.words.at(number);
                assert_eq!(stride.image(at.high), fold.chunk(at.high));
                if let Some(image) = fold.other(at) {
                    assert!(!has(at) || !has(image));
                    folds += usize::from(has(at));
                }
            }
        });
        assert!(folds > 0);
    }
}
