//! One step: every block of the next layer is computed whole, by one thread.
//!
//! A target block is the sum of source blocks, one for each choice of the step
//! that leads to its signature, carried over by the choice's effect:
//!
//! ```text
//! target(s, m) = sum over choices c into s   sum over m' with effect_c(m') = m   source(s - c, m')
//! ```
//!
//! A chunk of the target reads whole chunks of the source layer and is written by
//! one thread, so there are no locks in the inner loop, and the result does not
//! depend on the number of threads. After a folding step the block of a signature
//! takes in that of the mirror image, mirrored.

use std::cell::RefCell;
use std::sync::Arc;

use crate::frontier::block::effects::{add_contracted, add_created, add_moved};
use crate::frontier::block::kernel::{self, Sum};
use crate::frontier::block::permutation::Permutations;
#[cfg(target_arch = "x86_64")]
use crate::frontier::block::processor;
use crate::frontier::block::tables::Tables;
use crate::frontier::block::weight::Weight;
use crate::frontier::block::weights::{Carry, Target, Weights};
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::entry::{Entry, weights_of};
use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::slot::Slot;
use crate::frontier::state::feasibility::finished;
use crate::frontier::state::fold::Fold;
use crate::frontier::state::matching::size;
use crate::frontier::state::signature::{
    BITS_WITH_ENDS, ENDS_IN, Effect, Move, Moves, Side, WORD_MASK, Words,
};
use crate::frontier::state::tally::Tally;

/// One step of a sweep, ready to be applied to a layer.
#[derive(Debug)]
pub struct Stride<'a> {
    words: &'a Words,
    tables: &'a Tables,
    feasible: Option<&'a [u128]>,
    moves: Moves,
    fold: Option<Fold>,
    occupied: u32,
    used: (Vec<u32>, Vec<u32>),
    finished: Vec<(usize, u32)>,
    /// Whether a move has a factor below zero.
    has_negatives: bool,
}

/// A source word and its role for the target word at hand.
struct Active<'s> {
    /// Bits of the target word that have a source here.
    bits: u128,
    entry: Entry,
    outer: usize,
    weights: &'s Weights,
    shift: i32,
    effect: Effect,
    factor: i32,
}

/// The source chunks that a target chunk reads, at their numbers.
pub type Sources = [Option<Arc<Chunk>>];

thread_local! {
    static PERMUTATIONS: RefCell<Permutations> = RefCell::default();
}

impl<'a> Stride<'a> {
    /// Prepares step `t`; `feasible` is the table after it, if pruning is wanted.
    #[must_use]
    pub fn new(
        plan: &Plan,
        words: &'a Words,
        tables: &'a Tables,
        feasible: Option<&'a [u128]>,
        shorter: &[usize],
        t: usize,
    ) -> Self {
        let step = &plan.steps()[t];
        let next = plan.steps().get(t + 1).and_then(|step| step.slot);
        Self {
            words,
            tables,
            feasible,
            has_negatives: step.later.iter().any(|later| later.factor < 0),
            moves: Moves::new(words, step, Side::Target),
            fold: step.mirror.as_ref().map(|image| Fold::new(words, image, next)),
            occupied: step.occupied as u32,
            used: words.tables(|slot, digit| u32::from(digit > 0) << slot),
            finished: finished(plan, words, shorter, t),
        }
    }

    /// Numbers of the target chunks, in an order that reads the same sources one after the other.
    #[must_use]
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> =
            (0..self.words.chunks()).filter(|&high| self.used.0[high] & !self.occupied == 0).collect();
        order.sort_by_key(|&high| (self.family(high), high));
        order
    }

    /// The least common name of the target chunks that may read the same sources as this one.
    #[must_use]
    pub fn family(&self, high: usize) -> u32 {
        self.moves.untouched(high).min(self.moves.untouched(self.image(high)))
    }

    /// The target chunk with the mirror images of this one; itself if nothing is folded.
    #[must_use]
    pub fn image(&self, high: usize) -> usize {
        self.fold.as_ref().map_or(high, |fold| fold.chunk(high))
    }

    /// A chunk of the next layer without its weights, if it is not empty, and how many it would have.
    #[must_use]
    pub fn trace_chunk(&self, sources: &Sources, high: usize) -> (Option<Arc<Chunk>>, u64) {
        if self.used.0[high] & !self.occupied != 0 {
            return (None, 0);
        }
        let mut entries = Vec::new();
        let weights = self.outline(sources, high, &mut entries, &mut Tally::default());
        ((weights > 0).then(|| Arc::new(Chunk { entries, ..Chunk::default() })), weights)
    }

    /// Numbers of the source chunks that a target chunk reads.
    #[must_use]
    pub fn sources_of(&self, high: usize) -> Vec<usize> {
        let mut sources = self.moves.chunks(high);
        if let Some(fold) = &self.fold {
            sources.extend(self.moves.chunks(fold.chunk(high)));
            sources.sort_unstable();
            sources.dedup();
        }
        sources
    }

    /// The blocks of a chunk that [`Self::outline`] has outlined, into `weights`, which is empty and has the
    /// room for them. With `exact`, `false` if a sum outgrows `T`; otherwise sums are made modulo `2^BITS`.
    pub fn fill<T: Target>(
        &self,
        sources: &Sources,
        high: usize,
        exact: bool,
        entries: &mut [Entry],
        weights: &mut Vec<T>,
        tally: &mut Tally,
    ) -> bool {
        #[cfg(target_arch = "x86_64")]
        if processor::has_avx2() {
            // SAFETY: the features were just found present.
            return unsafe { self.fill_avx2(sources, high, exact, entries, weights, tally) };
        }
        self.fill_portable(sources, high, exact, entries, weights, tally)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn fill_avx2<T: Target>(
        &self,
        sources: &Sources,
        high: usize,
        exact: bool,
        entries: &mut [Entry],
        weights: &mut Vec<T>,
        tally: &mut Tally,
    ) -> bool {
        self.fill_portable(sources, high, exact, entries, weights, tally)
    }

    #[inline(always)]
    fn fill_portable<T: Target>(
        &self,
        sources: &Sources,
        high: usize,
        exact: bool,
        entries: &mut [Entry],
        weights: &mut Vec<T>,
        tally: &mut Tally,
    ) -> bool {
        let mut seen = T::default();
        let (mut here, mut there): (Vec<Active>, Vec<Active>) = (Vec::new(), Vec::new());
        let mut mirrored: Vec<T> = Vec::new();
        for (low, entry) in entries.iter_mut().enumerate() {
            let wanted = entry.present();
            if wanted == 0 {
                continue;
            }
            self.activate(sources, high, low, wanted, &mut here);
            there.clear();
            if let Some(fold) = &self.fold {
                let (image_high, image_low, _) = fold.word(high, low);
                if (image_high, image_low) != (high, low) {
                    self.activate(sources, image_high, image_low, fold.bits(wanted), &mut there);
                }
            }
            let outer_ends = self.words.outer_ends(high, low);
            let start = weights.len();
            let mut present = 0;
            let mut rest = wanted;
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                let ends = outer_ends | u32::from(ENDS_IN[bit as usize]);
                let n = ends.count_ones() as usize;
                let place = weights.len();
                weights.resize(place + size(n), T::default());
                let block = &mut weights[place..];
                let mut sum = self.collect(&here, bit, ends, block, &mut tally.transitions);
                if !there.is_empty() {
                    sum = sum.or(self.collect_mirrored(&there, bit, ends, block, &mut mirrored, tally));
                }
                if sum == T::default() {
                    weights.truncate(place);
                    continue;
                }
                seen = seen.or(sum);
                present |= 1 << bit;
                tally.signatures += 1;
                tally.states += states_in(&weights[place..]);
            }
            if exact && seen.bits() == T::BITS {
                return false;
            }
            *entry = Entry::new(present, start);
        }
        tally.weights += weights.len() as u64;
        tally.bits = tally.bits.max(seen.bits());
        true
    }

    /// Fills in the signatures that get a block, one entry a word, if there are any;
    /// returns how many weights that makes at most.
    pub fn outline(
        &self,
        sources: &Sources,
        high: usize,
        entries: &mut Vec<Entry>,
        tally: &mut Tally,
    ) -> u64 {
        let mut room = 0;
        for low in 0..self.words.chunk_len() {
            if self.used.1[low] & !self.occupied != 0 {
                continue;
            }
            let present = self.present(sources, high, low, tally);
            if present == 0 {
                continue;
            }
            if entries.is_empty() {
                entries.resize(self.words.chunk_len(), Entry::default());
            }
            entries[low] = Entry::new(present, 0);
            room += weights_of(present, self.words.outer_ends(high, low).count_ones() as usize);
        }
        room
    }

    /// Signatures of a word that get a block: reached, feasible and not represented by their image.
    #[inline(always)]
    fn present(&self, sources: &Sources, high: usize, low: usize, tally: &mut Tally) -> u128 {
        let word = high * self.words.chunk_len() + low;
        let feasible = match self.feasible {
            Some(table) => table[word],
            None => self.allowed(high, low, word),
        };
        if feasible == 0 {
            return 0;
        }
        let mut reached = 0;
        match &self.fold {
            Some(fold) if fold.word(high, low).2 != word => {
                let image = fold.word(high, low);
                if !fold.prefers((high, low, word), image) {
                    return 0;
                }
                reached |= fold.bits(self.reached(sources, image.0, image.1));
            }
            _ => {}
        }
        reached |= self.reached(sources, high, low);
        tally.pruned += u64::from((reached & !feasible).count_ones());
        reached & feasible
    }

    /// Without feasibility tables: everything but cycles that close too early.
    fn allowed(&self, high: usize, low: usize, word: usize) -> u128 {
        let mut bits = WORD_MASK;
        if self.words.outer_ends(high, low) == 0 {
            bits &= !BITS_WITH_ENDS[0];
            for &(_, bit) in self.finished.iter().filter(|f| f.0 == word) {
                bits |= 1 << bit;
            }
        }
        bits
    }

    #[inline(always)]
    fn source<'s>(
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

    /// Lists the moves into a word that start from something present.
    #[inline(always)]
    fn activate<'s>(
        &self,
        sources: &'s Sources,
        high: usize,
        low: usize,
        wanted: u128,
        active: &mut Vec<Active<'s>>,
    ) {
        active.clear();
        for m in self.moves.of(high, low) {
            let Some((chunk, entry)) = self.source(sources, high, low, m) else { continue };
            let bits = m.pull(entry.present()) & wanted;
            if bits != 0 {
                let (h, l) = ((high as i32 + m.high) as usize, (low as i32 + m.low) as usize);
                let outer = self.words.outer_ends(h, l).count_ones() as usize;
                active.push(Active {
                    bits,
                    entry,
                    outer,
                    weights: &chunk.weights,
                    shift: m.shift,
                    effect: m.effect,
                    factor: m.factor,
                });
            }
        }
    }

    /// Adds up everything that leads to one signature. Returns the OR of the sums.
    #[inline(always)]
    fn collect<T: Target>(
        &self,
        active: &[Active],
        bit: u32,
        ends: u32,
        block: &mut [T],
        transitions: &mut u64,
    ) -> T {
        let mut seen = T::default();
        if self.has_negatives {
            // What is to be taken away is added up first, and then made negative as a whole.
            for a in active.iter().filter(|a| a.factor < 0) {
                seen = seen.or(self.add(a, bit, ends, block, transitions));
            }
            block.iter_mut().for_each(|w| *w = w.negated());
        }
        for a in active.iter().filter(|a| a.factor > 0) {
            seen = seen.or(self.add(a, bit, ends, block, transitions));
        }
        seen
    }

    /// Adds what one move brings to a signature, as often as its factor says. Returns the OR of the sums.
    #[inline(always)]
    fn add<T: Target>(&self, a: &Active, bit: u32, ends: u32, block: &mut [T], transitions: &mut u64) -> T {
        let mut seen = T::default();
        if a.bits >> bit & 1 == 0 {
            return seen;
        }
        for _ in 0..a.factor.unsigned_abs() {
            let place = a.entry.place((bit as i32 + a.shift) as u32, a.outer);
            let tables = self.tables;
            let block = &mut *block;
            seen = seen.or(T::visit(
                a.weights,
                AddBlock { tables, effect: a.effect, place, ends, block, transitions },
            ));
        }
        seen
    }

    /// Adds up everything that leads to the mirror image of a signature, mirrored.
    #[inline(always)]
    fn collect_mirrored<T: Target>(
        &self,
        active: &[Active],
        bit: u32,
        ends: u32,
        block: &mut [T],
        mirrored: &mut Vec<T>,
        tally: &mut Tally,
    ) -> T {
        let fold = self.fold.as_ref().expect("images come from a fold");
        let image_ends = fold.ends(ends);
        mirrored.clear();
        mirrored.resize(block.len(), T::default());
        let seen = self.collect(active, fold.bit(bit), image_ends, mirrored, &mut tally.transitions);
        if seen == T::default() {
            return seen;
        }
        tally.folded += 1;
        let mut places = [0u8; 32];
        let places = &mut places[..ends.count_ones() as usize];
        fold.places(ends, image_ends, places);
        seen.or(PERMUTATIONS.with_borrow_mut(|p| p.add_permuted(self.tables, block, mirrored, places)))
    }
}

/// Adds the block at `place` of a source, carried over by the effect, to a target block with these ends.
struct AddBlock<'a, T> {
    tables: &'a Tables,
    effect: Effect,
    place: usize,
    ends: u32,
    block: &'a mut [T],
    transitions: &'a mut u64,
}

impl<T: Target> Carry<T> for AddBlock<'_, T> {
    #[inline(always)]
    fn run<S: Weight>(self, weights: &[S]) -> T
    where
        T: Sum<S>,
    {
        let Self { tables, effect, place, ends, block, transitions } = self;
        let n = ends.count_ones() as usize;
        let below = |slot: Slot| (ends & ((1 << slot) - 1)).count_ones() as usize;
        let source = |n: usize| &weights[place..place + size(n)];
        let (read, sum) = match effect {
            Effect::Keep => (n, kernel::add(block, source(n))),
            Effect::Move { from, to } => {
                let others = ends & !(1 << to);
                let i = (others & ((1 << from) - 1)).count_ones() as usize;
                (n, add_moved(tables, block, source(n), (n, i, below(to))))
            }
            Effect::Contract { low, high } => {
                let places = (n + 2, below(low), below(high) + 1);
                (n + 2, add_contracted(tables, block, source(n + 2), places))
            }
            Effect::Create { low, high } => {
                (n - 2, add_created(tables, block, source(n - 2), (n, below(low), below(high))))
            }
        };
        *transitions += size(read) as u64;
        sum
    }
}

#[inline(always)]
fn states_in<W: Weight>(block: &[W]) -> u64 {
    block.iter().map(|w| u64::from(*w != W::default())).sum()
}
