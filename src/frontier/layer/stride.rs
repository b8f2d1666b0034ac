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

use std::sync::Arc;

use crate::frontier::block::effects::Change;
use crate::frontier::block::sum::{Blocks, Mirrored, Term};
use crate::frontier::block::tables::{Places, Tables};
use crate::frontier::block::weights::Weights;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::entry::{Entry, weights_of};
use crate::frontier::problem::slot::Slot;
use crate::frontier::state::choice::Effect;
use crate::frontier::state::course::Course;
use crate::frontier::state::fold::Fold;
use crate::frontier::state::matching::size;
use crate::frontier::state::moves::{Move, Moves, Side};
use crate::frontier::state::signature::{BITS_WITH_ENDS, ENDS_IN, WORD_MASK};
use crate::frontier::state::tally::Tally;
use crate::frontier::state::words::{Address, At, OuterSums, Words};

/// One step of a sweep, ready to be applied to a layer.
#[derive(Debug)]
pub struct Stride<'a> {
    words: &'a Words,
    tables: &'a Tables,
    feasible: Option<&'a [u128]>,
    moves: Moves,
    fold: Option<Fold>,
    occupied: u32,
    used: OuterSums,
    finished: Vec<Address>,
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

impl<'a> Stride<'a> {
    /// Prepares step `t`; `feasible` is the table after it, if pruning is wanted.
    #[must_use]
    pub fn new(course: &'a Course, tables: &'a Tables, feasible: Option<&'a [u128]>, t: usize) -> Self {
        let (plan, words) = (course.plan(), course.words());
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
            used: words.sums(|slot, digit| u32::from(digit > 0) << slot),
            finished: course.finished(t),
        }
    }

    /// Numbers of the target chunks, in an order that reads the same sources one after the other.
    #[must_use]
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> =
            (0..self.words.chunks()).filter(|&high| self.used.high[high] & !self.occupied == 0).collect();
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
        if self.used.high[high] & !self.occupied != 0 {
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

    /// The blocks of a chunk that [`Self::outline`] has outlined, appended to `blocks`. Stops and returns `false`
    /// when a sum has more than `most_bits` bits.
    pub fn fill(
        &self,
        sources: &Sources,
        high: usize,
        entries: &mut [Entry],
        blocks: &mut dyn Blocks,
        most_bits: u32,
        tally: &mut Tally,
    ) -> bool {
        #[cfg(target_arch = "x86_64")]
        if crate::cpu::has_avx2() {
            // SAFETY: the features were just found present.
            return unsafe { self.fill_counting(sources, high, entries, blocks, most_bits, tally) };
        }
        self.fill_portable(sources, high, entries, blocks, most_bits, tally)
    }

    /// [`Self::fill`] with the instructions that count bits.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn fill_counting(
        &self,
        sources: &Sources,
        high: usize,
        entries: &mut [Entry],
        blocks: &mut dyn Blocks,
        most_bits: u32,
        tally: &mut Tally,
    ) -> bool {
        self.fill_portable(sources, high, entries, blocks, most_bits, tally)
    }

    #[inline(always)]
    fn fill_portable(
        &self,
        sources: &Sources,
        high: usize,
        entries: &mut [Entry],
        blocks: &mut dyn Blocks,
        most_bits: u32,
        tally: &mut Tally,
    ) -> bool {
        let (mut here, mut there): (Vec<Active>, Vec<Active>) = (Vec::new(), Vec::new());
        let (mut terms, mut image_terms) = (Vec::new(), Vec::new());
        let mut places = [0u8; 32];
        let mut bits = 0;
        for (low, entry) in entries.iter_mut().enumerate() {
            let wanted = entry.present();
            if wanted == 0 {
                continue;
            }
            self.activate(sources, high, low, wanted, &mut here);
            there.clear();
            if let Some(fold) = &self.fold
                && let Some(image) = fold.other(At { high, low })
            {
                self.activate(sources, image.high, image.low, fold.bits(wanted), &mut there);
            }
            let outer_ends = self.words.outer_ends(high, low);
            let start = blocks.len();
            let mut present = 0;
            let mut rest = wanted;
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                let ends = outer_ends | u32::from(ENDS_IN[bit as usize]);
                let n = ends.count_ones() as usize;
                self.list(&here, bit, ends, &mut terms, tally);
                let mut mirrored = Mirrored::default();
                if let Some(fold) = self.fold.as_ref().filter(|_| !there.is_empty()) {
                    let image_ends = fold.ends(ends);
                    self.list(&there, fold.bit(bit), image_ends, &mut image_terms, tally);
                    fold.places(ends, image_ends, &mut places[..n]);
                    mirrored = Mirrored { terms: &image_terms, places: &places[..n] };
                }
                let sum = blocks.push(self.tables, size(n), &terms, mirrored);
                tally.folded += u64::from(sum.is_folded);
                if sum.bits > 0 {
                    bits = bits.max(sum.bits);
                    present |= 1 << bit;
                    tally.signatures += 1;
                    tally.states += sum.states;
                }
            }
            if bits > most_bits {
                return false;
            }
            *entry = Entry::new(present, start);
        }
        tally.weights += blocks.len() as u64;
        tally.bits = tally.bits.max(bits);
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
            if self.used.low[low] & !self.occupied != 0 {
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
        let at = At { high, low };
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
        reached |= self.reached(sources, high, low);
        tally.pruned += u64::from((reached & !feasible).count_ones());
        reached & feasible
    }

    /// Without feasibility tables: everything but cycles that close too early.
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

    /// Lists everything that leads to one signature, what is to be taken away first.
    #[inline(always)]
    fn list<'s>(
        &self,
        active: &[Active<'s>],
        bit: u32,
        ends: u32,
        terms: &mut Vec<Term<'s>>,
        tally: &mut Tally,
    ) {
        terms.clear();
        let leads_here = |a: &&Active| a.bits >> bit & 1 == 1;
        if self.has_negatives {
            for a in active.iter().filter(leads_here).filter(|a| a.factor < 0) {
                terms.push(a.term(bit, ends, tally));
            }
        }
        for a in active.iter().filter(leads_here).filter(|a| a.factor > 0) {
            terms.push(a.term(bit, ends, tally));
        }
    }
}

impl<'s> Active<'s> {
    /// What it brings to one signature of the target word.
    #[inline(always)]
    fn term(&self, bit: u32, ends: u32, tally: &mut Tally) -> Term<'s> {
        let (change, source_ends) = changed(self.effect, ends);
        let place = self.entry.place((bit as i32 + self.shift) as u32, self.outer);
        let len = size(source_ends);
        tally.transitions += len as u64 * u64::from(self.factor.unsigned_abs());
        Term { source: self.weights, place, len, change, factor: self.factor }
    }
}

/// An effect on a target block with these ends, by places; and the ends of the source.
#[inline(always)]
fn changed(effect: Effect, ends: u32) -> (Change, usize) {
    let n = ends.count_ones() as usize;
    let place = |ends: u32, slot: Slot| (ends & ((1 << slot) - 1)).count_ones() as usize;
    match effect {
        Effect::Keep => (Change::Keep, n),
        Effect::Move { from, to } => {
            let others = ends & !(1 << to);
            (Change::Move(Places::new(n, place(others, from), place(ends, to))), n)
        }
        Effect::Contract { low, high } => {
            (Change::Contract(Places::new(n + 2, place(ends, low), place(ends, high) + 1)), n + 2)
        }
        Effect::Create { low, high } => {
            (Change::Create(Places::new(n, place(ends, low), place(ends, high))), n - 2)
        }
    }
}
