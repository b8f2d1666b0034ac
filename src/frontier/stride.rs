//! One step: every block of the next layer is computed whole, by one thread.
//!
//! A target block is the sum of source blocks, one for each choice of the step
//! that leads to its signature, carried over by the choice's effect:
//!
//! ```text
//! target(s, m) = sum over choices c into s   sum over m' with effect_c(m') = m   source(s - c, m')
//! ```
//!
//! Threads take chunks of target words; they read the source layer and write
//! only blocks of their own, so there are no locks in the inner loop, and the
//! result does not depend on the number of threads. After a folding step the
//! block of a signature takes in that of the mirror image, mirrored.
//!
//! Chunks that share the digits which the step does not touch are handled one
//! after the other, since they and nobody else read the source chunks with the
//! same digits; these are then given back. So the two layers are never both
//! whole in memory, unless the step may have to be repeated with wider weights.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::feasibility::finished;
use super::fold::Fold;
use super::kernel;
use super::layer::{Account, Chunk, Entry, Layer, weights_of};
use super::matching::{add_contracted, add_created, add_moved, size};
use super::permutation::Permutations;
use super::plan::{Plan, Slot};
use super::signature::{BITS_WITH_ENDS, ENDS_IN, Effect, Move, Moves, Side, WORD_MASK, Words};
use super::tables::Tables;
use super::weight::{Weight, Widen};
use super::work::{EndBits, Halt, MOST_ENDS, Work};

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
}

/// A source word and its role for the target word at hand.
struct Active<'s, S> {
    /// Bits of the target word that have a source here.
    bits: u128,
    entry: Entry,
    outer: usize,
    weights: &'s [S],
    shift: i32,
    effect: Effect,
}

/// The source chunks that a target chunk reads, at their numbers.
pub type Sources<S> = [Option<Arc<Chunk<S>>>];

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
            occupied: step.occupied as u32,
            used: words.tables(|slot, digit| u32::from(digit > 0) << slot),
            finished: finished(plan, words, shorter, t),
        }
    }

    /// Whether no weight of the next layer can have more than `bits` bits, given the bits of the
    /// greatest weights of the source layer by number of ends: the widest sum over the moves into
    /// one signature is bounded by one source each, and one for every end where two are joined.
    #[must_use]
    pub fn keeps_within(&self, bits: u32, source: &EndBits) -> bool {
        let most = |n: usize| {
            source.get(n).map_or(0.0, |&bits| if bits == 0 { 0.0 } else { f64::from(bits).exp2() })
        };
        let images = if self.fold.is_some() { 2.0 } else { 1.0 };
        (0..=self.words.slots()).all(|n| {
            let sum = self.moves.most(|effect| match effect {
                Effect::Keep | Effect::Move { .. } => most(n),
                Effect::Contract { .. } => n.max(1) as f64 * most(n + 2),
                Effect::Create { .. } => {
                    if n >= 2 {
                        most(n - 2)
                    } else {
                        0.0
                    }
                }
            });
            images * sum < f64::from(bits).exp2()
        })
    }

    /// The next layer. With `consume`, source chunks are freed when nobody needs them any
    /// more; the caller then asks [`Self::keeps_within`] first. Runs on the current rayon pool.
    ///
    /// # Errors
    /// [`Halt`] if `T` is too narrow or the memory of `account` is used up.
    pub fn apply<S: Weight, T: Widen<S> + Widen<T>>(
        &self,
        source: &mut Layer<S>,
        consume: bool,
        account: &Account,
        limit: u64,
    ) -> Result<(Layer<T>, Work), Halt> {
        let chunks = self.words.chunks();
        let mut order: Vec<usize> =
            (0..chunks).filter(|&high| self.used.0[high] & !self.occupied == 0).collect();
        order.sort_by_key(|&high| {
            let image = self.fold.as_ref().map_or(high, |fold| fold.chunk(high));
            (self.moves.untouched(high).min(self.moves.untouched(image)), high)
        });
        let readers: Vec<AtomicU32> = (0..chunks).map(|_| AtomicU32::new(0)).collect();
        order.iter().flat_map(|&high| self.sources_of(high)).for_each(|s| {
            readers[s].fetch_add(1, Ordering::Relaxed);
        });
        let shelf: Vec<Mutex<Option<Arc<Chunk<S>>>>> = source.chunks.drain(..).map(Mutex::new).collect();
        let (next, narrow, full) = (AtomicUsize::new(0), AtomicBool::new(false), AtomicBool::new(false));
        let parts: Vec<Vec<(usize, Chunk<T>, Work)>> = rayon::broadcast(|_| {
            let mut mine = Vec::new();
            let mut at_hand: Vec<Option<Arc<Chunk<S>>>> = vec![None; chunks];
            while !narrow.load(Ordering::Relaxed) && !full.load(Ordering::Relaxed) {
                let Some(&high) = order.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                let sources = self.sources_of(high);
                let lock = |s: usize| shelf[s].lock().unwrap_or_else(PoisonError::into_inner);
                sources.iter().for_each(|&s| at_hand[s] = lock(s).clone());
                match self.chunk(&at_hand, high, account, limit) {
                    Some((chunk, work)) => {
                        narrow.fetch_or(T::EXACT && work.bits() >= T::BITS, Ordering::Relaxed);
                        if work.signatures > 0 {
                            mine.push((high, chunk, work));
                        } else {
                            account.give(chunk.weights);
                        }
                    }
                    None => full.store(true, Ordering::Relaxed),
                }
                for &s in &sources {
                    at_hand[s] = None;
                    let last = readers[s].fetch_sub(1, Ordering::AcqRel) == 1;
                    if let Some(chunk) =
                        (last && consume).then(|| lock(s).take().and_then(Arc::into_inner)).flatten()
                    {
                        account.give(chunk.weights);
                    }
                }
            }
            mine
        });
        source.chunks =
            shelf.into_iter().map(|m| m.into_inner().unwrap_or_else(PoisonError::into_inner)).collect();
        let mut layer = Layer { chunks: vec![None; chunks], bits: EndBits::default() };
        let mut work = Work::default();
        for (high, chunk, part) in parts.into_iter().flatten() {
            layer.chunks[high] = Some(Arc::new(chunk));
            work = work.plus(part);
        }
        layer.bits = work.bits;
        match (full.into_inner(), narrow.into_inner()) {
            (true, _) => Err(Halt::Memory),
            (_, true) => {
                layer
                    .chunks
                    .into_iter()
                    .flatten()
                    .filter_map(Arc::into_inner)
                    .for_each(|c| account.give(c.weights));
                Err(Halt::Narrow)
            }
            _ => Ok((layer, work)),
        }
    }

    /// A chunk of the next layer without its weights, if it is not empty, and how many it would have.
    pub fn trace_chunk(&self, sources: &Sources<()>, high: usize) -> (Option<Arc<Chunk<()>>>, u64) {
        if self.used.0[high] & !self.occupied != 0 {
            return (None, 0);
        }
        let mut entries = Vec::new();
        let weights = self.outline(sources, high, &mut entries, &mut Work::default());
        ((weights > 0).then(|| Arc::new(Chunk { entries, weights: Vec::new() })), weights)
    }

    /// Numbers of the source chunks that a target chunk reads.
    fn sources_of(&self, high: usize) -> Vec<usize> {
        let mut sources = self.moves.chunks(high);
        if let Some(fold) = &self.fold {
            sources.extend(self.moves.chunks(fold.chunk(high)));
            sources.sort_unstable();
            sources.dedup();
        }
        sources
    }

    fn chunk<S: Weight, T: Widen<S> + Widen<T>>(
        &self,
        sources: &Sources<S>,
        high: usize,
        account: &Account,
        limit: u64,
    ) -> Option<(Chunk<T>, Work)> {
        #[cfg(target_arch = "x86_64")]
        if kernel::has_avx2() {
            // SAFETY: the features were just found present.
            return unsafe { self.chunk_avx2(sources, high, account, limit) };
        }
        self.chunk_portable(sources, high, account, limit)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn chunk_avx2<S: Weight, T: Widen<S> + Widen<T>>(
        &self,
        sources: &Sources<S>,
        high: usize,
        account: &Account,
        limit: u64,
    ) -> Option<(Chunk<T>, Work)> {
        self.chunk_portable(sources, high, account, limit)
    }

    #[inline(always)]
    fn chunk_portable<S: Weight, T: Widen<S> + Widen<T>>(
        &self,
        sources: &Sources<S>,
        high: usize,
        account: &Account,
        limit: u64,
    ) -> Option<(Chunk<T>, Work)> {
        let mut work = Work::default();
        let mut entries = Vec::new();
        // First how much there will be, then the blocks themselves.
        let room = self.outline(sources, high, &mut entries, &mut work);
        if room == 0 {
            return Some((Chunk { entries: Vec::new(), weights: Vec::new() }, work));
        }
        let mut weights: Vec<T> = account.take(room as usize, limit)?;
        let mut seen = [T::default(); MOST_ENDS + 1];
        let (mut here, mut there): (Vec<Active<S>>, Vec<Active<S>>) = (Vec::new(), Vec::new());
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
                let mut sum = self.collect(&here, bit, ends, block, &mut work.transitions);
                if !there.is_empty() {
                    sum = sum.or(self.collect_mirrored(&there, bit, ends, block, &mut mirrored, &mut work));
                }
                if sum == T::default() {
                    weights.truncate(place);
                    continue;
                }
                seen[n] = seen[n].or(sum);
                present |= 1 << bit;
                work.signatures += 1;
                work.states += states_in(&weights[place..]);
            }
            *entry = Entry::new(present, start);
        }
        work.weights = weights.len() as u64;
        (0..=MOST_ENDS).for_each(|n| work.bits[n] = seen[n].bits());
        Some((Chunk { entries, weights }, work))
    }

    /// Fills in the signatures that get a block, one entry a word, if there are any;
    /// returns how many weights that makes at most.
    #[inline(always)]
    fn outline<S>(
        &self,
        sources: &Sources<S>,
        high: usize,
        entries: &mut Vec<Entry>,
        work: &mut Work,
    ) -> u64 {
        let mut room = 0;
        for low in 0..self.words.chunk_len() {
            if self.used.1[low] & !self.occupied != 0 {
                continue;
            }
            let present = self.present(sources, high, low, work);
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
    fn present<S>(&self, sources: &Sources<S>, high: usize, low: usize, work: &mut Work) -> u128 {
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
        work.pruned += u64::from((reached & !feasible).count_ones());
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
    fn source<'s, S>(
        &self,
        sources: &'s Sources<S>,
        high: usize,
        low: usize,
        m: &Move,
    ) -> Option<(&'s Chunk<S>, Entry)> {
        let chunk = sources[(high as i32 + m.high) as usize].as_deref()?;
        Some((chunk, chunk.entries[(low as i32 + m.low) as usize]))
    }

    #[inline(always)]
    fn reached<S>(&self, sources: &Sources<S>, high: usize, low: usize) -> u128 {
        let pull =
            |m: &Move| self.source(sources, high, low, m).map_or(0, |(_, entry)| m.pull(entry.present()));
        self.moves.of(high, low).iter().fold(0, |bits, m| bits | pull(m))
    }

    /// Lists the moves into a word that start from something present.
    #[inline(always)]
    fn activate<'s, S>(
        &self,
        sources: &'s Sources<S>,
        high: usize,
        low: usize,
        wanted: u128,
        active: &mut Vec<Active<'s, S>>,
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
            let source = |n: usize| &a.weights[place..place + size(n)];
            let (read, sum) = match a.effect {
                Effect::Keep => (n, kernel::add(block, source(n))),
                Effect::Move { from, to } => {
                    let others = ends & !(1 << to);
                    let i = (others & ((1 << from) - 1)).count_ones() as usize;
                    (n, add_moved(self.tables, block, source(n), (n, i, below(to))))
                }
                Effect::Contract { low, high } => {
                    let places = (n + 2, below(low), below(high) + 1);
                    (n + 2, add_contracted(self.tables, block, source(n + 2), places))
                }
                Effect::Create { low, high } => {
                    (n - 2, add_created(self.tables, block, source(n - 2), (n, below(low), below(high))))
                }
            };
            *transitions += size(read) as u64;
            seen = seen.or(sum);
        }
        seen
    }

    /// Adds up everything that leads to the mirror image of a signature, mirrored.
    #[inline(always)]
    fn collect_mirrored<S: Weight, T: Widen<S> + Widen<T>>(
        &self,
        active: &[Active<S>],
        bit: u32,
        ends: u32,
        block: &mut [T],
        mirrored: &mut Vec<T>,
        work: &mut Work,
    ) -> T {
        let fold = self.fold.as_ref().expect("images come from a fold");
        let image_ends = fold.ends(ends);
        mirrored.clear();
        mirrored.resize(block.len(), T::default());
        let seen = self.collect(active, fold.bit(bit), image_ends, mirrored, &mut work.transitions);
        if seen == T::default() {
            return seen;
        }
        work.folded += 1;
        let mut places = [0u8; 32];
        let places = &mut places[..ends.count_ones() as usize];
        fold.places(ends, image_ends, places);
        seen.or(PERMUTATIONS.with_borrow_mut(|p| p.add_permuted(self.tables, block, mirrored, places)))
    }
}

#[inline(always)]
fn states_in<W: Weight>(block: &[W]) -> u64 {
    block.iter().map(|w| u64::from(*w != W::default())).sum()
}
