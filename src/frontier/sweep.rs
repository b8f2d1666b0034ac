//! The sweep: layer after layer, every target block computed whole by one thread.
//!
//! A target block is the sum of source blocks, one for each choice of the step
//! that leads to its signature, carried over by the choice's effect:
//!
//! ```text
//! target(s, m) = sum over choices c into s   sum over matchings m' with effect_c(m') = m   source(s - c, m')
//! ```
//!
//! Threads take chunks of target words; they read the source layer and write
//! only blocks of their own, so there are no locks, and the result does not
//! depend on the number of threads. After a folding step the block of a
//! signature takes in that of the mirror image, mirrored, and the image is left out.

use std::cell::RefCell;

use rayon::prelude::*;

use super::feasibility::finished;
use super::kernel;
use super::layer::{Entry, Layer, weights_of};
use super::matching::{Permutations, Tables, add_contracted, add_created, add_moved, size};
use super::plan::{Plan, Slot};
use super::signature::{
    BITS_WITH_ENDS, ENDS_IN, Effect, INNER, Move, Moves, Side, WORD_BITS, WORD_MASK, Words,
};
use super::weight::{Weight, Widen};

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Signatures present after the step.
    pub signatures: u64,
    /// States (weights that are not zero) after the step.
    pub states: u64,
    /// Weights held after the step, zeros included.
    pub weights: u64,
    /// Weights read and added.
    pub transitions: u64,
    /// Signatures that were reached but cannot be completed.
    pub pruned: u64,
    /// Signatures replaced by their mirror image.
    pub folded: u64,
    /// Bits of the greatest weight.
    pub bits: u32,
}

impl Work {
    fn plus(self, other: Self) -> Self {
        Self {
            signatures: self.signatures + other.signatures,
            states: self.states + other.states,
            weights: self.weights + other.weights,
            transitions: self.transitions + other.transitions,
            pruned: self.pruned + other.pruned,
            folded: self.folded + other.folded,
            bits: self.bits.max(other.bits),
        }
    }
}

/// A mirror as it acts on words.
struct Fold {
    /// Image of each slot.
    image: Vec<Slot>,
    /// Image of a word: sum of both tables.
    high: Vec<u32>,
    low: Vec<u32>,
    /// Digit of the slot that is processed next, if it is outside the word, by both parts.
    next: Option<(Vec<u32>, Vec<u32>)>,
    /// Image of each bit of a word.
    bit: [u8; WORD_BITS],
}

impl Fold {
    fn new(words: &Words, image: &[Slot], next: Option<Slot>) -> Self {
        let place = |slot: usize| 3u32.pow((usize::from(image[slot]) - INNER) as u32);
        let (high, low) = words.tables(|slot, digit| place(slot) * digit);
        let next = next.map(usize::from).filter(|&slot| slot >= INNER);
        let next = next.map(|next| words.tables(|slot, digit| if slot == next { digit } else { 0 }));
        let mut fold = Self { image: image.to_vec(), high, low, next, bit: [0; WORD_BITS] };
        for bit in 0..WORD_BITS {
            fold.bit[bit] = fold.bits(1 << bit).trailing_zeros() as u8;
        }
        fold
    }

    /// The mirror image of a word's set.
    fn bits(&self, set: u128) -> u128 {
        let mut set = set;
        if self.image[0] == 1 {
            // Digits of slots 0 and 1: bits 1 and 3, 2 and 6, 5 and 7 of every nine.
            set = exchanged(set, 1, NINES, 2);
            set = exchanged(set, 2, NINES, 4);
            set = exchanged(set, 5, NINES, 2);
        }
        if self.image[2] == 3 {
            set = exchanged(set, 9, FIRST_NINE, 18);
            set = exchanged(set, 18, FIRST_NINE, 36);
            set = exchanged(set, 45, FIRST_NINE, 18);
        }
        set
    }
}

/// Bit 0 of each nine.
const NINES: u128 = {
    let (mut mask, mut i) = (0, 0);
    while i < 9 {
        mask |= 1 << (9 * i);
        i += 1;
    }
    mask
};
const FIRST_NINE: u128 = 0x1ff;

/// Exchanges the bits `mask << at` with those `by` above them.
#[inline(always)]
fn exchanged(set: u128, at: u32, mask: u128, by: u32) -> u128 {
    let differ = (set >> by ^ set) & (mask << at);
    set ^ differ ^ differ << by
}

/// One step of a sweep, ready to be applied to a layer.
pub struct Stride<'a> {
    words: &'a Words,
    tables: &'a Tables,
    feasible: Option<&'a [u128]>,
    moves: Moves,
    fold: Option<Fold>,
    occupied: u32,
    used: (Vec<u32>, Vec<u32>),
    finished: Vec<(usize, u32)>,
}

/// A source block vector and its role for the target word at hand.
struct Active<'s, S> {
    /// Bits of the target word that have a source here.
    bits: u128,
    entry: Entry,
    outer: usize,
    segment: &'s [S],
    shift: i32,
    effect: Effect,
}

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
            moves: Moves::new(words, step, Side::Target),
            fold: step.mirror.as_ref().map(|image| Fold::new(words, image, next)),
            occupied: step.occupied,
            used: words.tables(|slot, digit| u32::from(digit > 0) << slot),
            finished: finished(plan, words, shorter, t),
        }
    }

    /// The next layer, or `None` if a sum reached the upper half of `T`.
    pub fn apply<S: Weight, T: Widen<S> + Widen<T>>(&self, source: &Layer<S>) -> Option<(Layer<T>, Work)> {
        let mut entries = vec![Entry::default(); self.words.len()];
        let done: Vec<(Vec<T>, Work)> = entries
            .par_chunks_mut(self.words.chunk_len())
            .enumerate()
            .with_max_len(1)
            .map(|(high, chunk)| self.chunk(source, high, chunk))
            .collect();
        let mut work = Work::default();
        let mut segments = Vec::with_capacity(done.len());
        for (segment, part) in done {
            segments.push(segment);
            work = work.plus(part);
        }
        (work.bits < T::BITS).then_some((Layer { entries, segments }, work))
    }

    fn chunk<S: Weight, T: Widen<S> + Widen<T>>(
        &self,
        source: &Layer<S>,
        high: usize,
        entries: &mut [Entry],
    ) -> (Vec<T>, Work) {
        #[cfg(target_arch = "x86_64")]
        if kernel::has_avx2() {
            // SAFETY: the features were just found present.
            return unsafe { self.chunk_avx2(source, high, entries) };
        }
        self.chunk_portable(source, high, entries)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn chunk_avx2<S: Weight, T: Widen<S> + Widen<T>>(
        &self,
        source: &Layer<S>,
        high: usize,
        entries: &mut [Entry],
    ) -> (Vec<T>, Work) {
        self.chunk_portable(source, high, entries)
    }

    #[inline(always)]
    fn chunk_portable<S: Weight, T: Widen<S> + Widen<T>>(
        &self,
        source: &Layer<S>,
        high: usize,
        entries: &mut [Entry],
    ) -> (Vec<T>, Work) {
        let mut work = Work::default();
        if self.used.0[high] & !self.occupied != 0 {
            return (Vec::new(), work);
        }
        let chunk_len = self.words.chunk_len();
        // First how much there will be, then the blocks themselves.
        let mut room = 0;
        for (low, entry) in entries.iter_mut().enumerate() {
            if self.used.1[low] & !self.occupied != 0 {
                continue;
            }
            let word = high * chunk_len + low;
            let present = self.present(source, high, low, word, &mut work);
            room += weights_of(present, self.words.outer_ends(high, low).count_ones() as usize);
            *entry = Entry::new(present, 0);
        }
        let mut segment: Vec<T> = Vec::with_capacity(room as usize);
        let mut seen = T::default();
        let (mut here, mut there): (Vec<Active<S>>, Vec<Active<S>>) = (Vec::new(), Vec::new());
        let mut mirrored: Vec<T> = Vec::new();
        for (low, entry) in entries.iter_mut().enumerate() {
            let wanted = entry.present();
            if wanted == 0 {
                continue;
            }
            self.activate(source, high, low, wanted, &mut here);
            there.clear();
            let word = high * chunk_len + low;
            let image = self.image(high, low);
            if let (Some(fold), Some(image)) = (&self.fold, image.filter(|&image| image != word)) {
                self.activate(source, image / chunk_len, image % chunk_len, fold.bits(wanted), &mut there);
            }
            let outer_ends = self.words.outer_ends(high, low);
            let start = segment.len();
            let mut present = 0;
            let mut rest = wanted;
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                let ends = outer_ends | u32::from(ENDS_IN[bit as usize]);
                let n = ends.count_ones() as usize;
                let place = segment.len();
                segment.resize(place + size(n), T::default());
                let block = &mut segment[place..];
                let mut sum = self.collect(&here, bit, ends, block, &mut work.transitions);
                if !there.is_empty() {
                    let fold = self.fold.as_ref().expect("images come from a fold");
                    let image_bit = u32::from(fold.bit[bit as usize]);
                    let image_ends = mirrored_ends(ends, &fold.image);
                    mirrored.clear();
                    mirrored.resize(block.len(), T::default());
                    let image_sum =
                        self.collect(&there, image_bit, image_ends, &mut mirrored, &mut work.transitions);
                    if image_sum != T::default() {
                        let mut from = [0u8; 32];
                        let mut p = 0;
                        let mut left = ends;
                        while left != 0 {
                            let twin = 1u32 << fold.image[left.trailing_zeros() as usize];
                            from[p] = (image_ends & (twin - 1)).count_ones() as u8;
                            p += 1;
                            left &= left - 1;
                        }
                        work.folded += 1;
                        sum = sum.or(image_sum).or(PERMUTATIONS.with_borrow_mut(|permutations| {
                            permutations.add_permuted(self.tables, block, &mirrored, &from[..n])
                        }));
                    }
                }
                if sum == T::default() {
                    segment.truncate(place);
                    continue;
                }
                seen = seen.or(sum);
                present |= 1 << bit;
                work.signatures += 1;
                work.states += block_states(&segment[place..]);
            }
            *entry = Entry::new(present, start);
        }
        work.weights = segment.len() as u64;
        work.bits = seen.bits();
        if segment.capacity() > segment.len() + segment.len() / 8 {
            segment.shrink_to_fit();
        }
        (segment, work)
    }

    /// The mirror image of a word, if the step folds.
    #[inline(always)]
    fn image(&self, high: usize, low: usize) -> Option<usize> {
        self.fold.as_ref().map(|fold| (fold.high[high] + fold.low[low]) as usize)
    }

    /// Signatures of a word that get a block: reached, feasible and not represented by their image.
    #[inline(always)]
    fn present<S: Weight>(
        &self,
        source: &Layer<S>,
        high: usize,
        low: usize,
        word: usize,
        work: &mut Work,
    ) -> u128 {
        let feasible = match self.feasible {
            Some(table) => table[word],
            None => self.allowed(high, low, word),
        };
        if feasible == 0 {
            return 0;
        }
        let Some(fold) = &self.fold else {
            return self.reached(source, high, low) & feasible;
        };
        let image = (fold.high[high] + fold.low[low]) as usize;
        if image == word {
            return self.reached(source, high, low) & feasible;
        }
        let chunk_len = self.words.chunk_len();
        let (image_high, image_low) = (image / chunk_len, image % chunk_len);
        if !fold.prefers((high, low, word), (image_high, image_low, image)) {
            return 0;
        }
        let all = self.reached(source, high, low) | fold.bits(self.reached(source, image_high, image_low));
        work.pruned += u64::from((all & !feasible).count_ones());
        all & feasible
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
    fn source<S: Weight>(
        &self,
        source: &Layer<S>,
        high: usize,
        low: usize,
        m: &Move,
    ) -> (usize, usize, Entry) {
        let (h, l) = ((high as i32 + m.high) as usize, (low as i32 + m.low) as usize);
        (h, l, source.entries[h * self.words.chunk_len() + l])
    }

    #[inline(always)]
    fn reached<S: Weight>(&self, source: &Layer<S>, high: usize, low: usize) -> u128 {
        let pull = |m: &Move| m.pull(self.source(source, high, low, m).2.present());
        self.moves.of(high, low).iter().fold(0, |bits, m| bits | pull(m))
    }

    /// Lists the moves into a word that start from something present.
    #[inline(always)]
    fn activate<'s, S: Weight>(
        &self,
        source: &'s Layer<S>,
        high: usize,
        low: usize,
        wanted: u128,
        active: &mut Vec<Active<'s, S>>,
    ) {
        active.clear();
        for m in self.moves.of(high, low) {
            let (h, l, entry) = self.source(source, high, low, m);
            let bits = m.pull(entry.present()) & wanted;
            if bits != 0 {
                let outer = self.words.outer_ends(h, l).count_ones() as usize;
                active.push(Active {
                    bits,
                    entry,
                    outer,
                    segment: &source.segments[h],
                    shift: m.shift,
                    effect: m.effect,
                });
            }
        }
    }

    /// Adds up everything that leads to one signature. Returns the OR of the sums.
    #[inline(always)]
    fn collect<S: Weight, T: Widen<S> + Widen<T>>(
        &self,
        active: &[Active<S>],
        bit: u32,
        ends: u32,
        block: &mut [T],
        transitions: &mut u64,
    ) -> T {
        let n = ends.count_ones() as usize;
        let below = |slot: Slot| (ends & ((1 << slot) - 1)).count_ones() as usize;
        let mut seen = T::default();
        for a in active.iter().filter(|a| a.bits >> bit & 1 == 1) {
            let place = a.entry.place((bit as i32 + a.shift) as u32, a.outer);
            let sum = match a.effect {
                Effect::Keep => {
                    *transitions += size(n) as u64;
                    kernel::add(block, &a.segment[place..place + size(n)])
                }
                Effect::Move { from, to } => {
                    *transitions += size(n) as u64;
                    let others = ends & !(1 << to);
                    let i = (others & ((1 << from) - 1)).count_ones() as usize;
                    add_moved(self.tables, block, &a.segment[place..place + size(n)], (n, i, below(to)))
                }
                Effect::Contract { low, high } => {
                    *transitions += size(n + 2) as u64;
                    let places = (n + 2, below(low), below(high) + 1);
                    add_contracted(self.tables, block, &a.segment[place..place + size(n + 2)], places)
                }
                Effect::Create { low, high } => {
                    *transitions += size(n - 2) as u64;
                    add_created(
                        self.tables,
                        block,
                        &a.segment[place..place + size(n - 2)],
                        (n, below(low), below(high)),
                    )
                }
            };
            seen = seen.or(sum);
        }
        seen
    }
}

impl Fold {
    /// Whether the first of two mirror words is the one to keep: the one whose next square
    /// has the greater degree (fewer successors), then the lower.
    #[inline(always)]
    fn prefers(
        &self,
        (high, low, word): (usize, usize, usize),
        (ih, il, image): (usize, usize, usize),
    ) -> bool {
        if let Some((next_high, next_low)) = &self.next {
            let (mine, other) = (next_high[high] + next_low[low], next_high[ih] + next_low[il]);
            if mine != other {
                return mine > other;
            }
        }
        word < image
    }
}

/// The image of a set of slots.
#[inline(always)]
fn mirrored_ends(ends: u32, image: &[Slot]) -> u32 {
    let mut mirrored = 0;
    let mut left = ends;
    while left != 0 {
        mirrored |= 1 << image[left.trailing_zeros() as usize];
        left &= left - 1;
    }
    mirrored
}

#[inline(always)]
fn block_states<W: Weight>(block: &[W]) -> u64 {
    block.iter().map(|w| u64::from(*w != W::default())).sum()
}
