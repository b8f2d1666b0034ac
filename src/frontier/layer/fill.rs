//! The computation of a target chunk: each of its blocks is the sum of the terms that lead to its signature.
//!
//! ```text
//! word -> moves into it from present signatures -> by signature, terms -> block with their sum
//! ```

use crate::frontier::block::effects::Change;
use crate::frontier::block::tables::Places;
use crate::frontier::block::term::{Blocks, Mirrored, Term};
use crate::frontier::block::weights::Weights;
use crate::frontier::layer::entry::Entry;
use crate::frontier::layer::stride::{Sources, Stride};
use crate::frontier::problem::slot::Slot;
use crate::frontier::state::choice::Effect;
use crate::frontier::state::matching::size;
use crate::frontier::state::signature::ENDS_IN;
use crate::frontier::state::tally::Tally;
use crate::frontier::state::words::At;

/// The inputs for the blocks of one target chunk.
#[derive(Clone, Copy)]
pub struct Fill<'a> {
    /// The step.
    pub stride: &'a Stride<'a>,
    /// The chunks of the layer before that the target chunk reads.
    pub sources: &'a Sources,
    /// Index of the target chunk.
    pub high: usize,
    /// Greatest number of bits of a sum.
    pub most_bits: u32,
}

/// A move into the current target word, with its source word.
struct Active<'a> {
    /// The signatures of the target word that have a source by this move, a bit for each.
    bits: u128,
    entry: Entry,
    outer: usize,
    weights: &'a Weights,
    shift: i32,
    effect: Effect,
    factor: i32,
}

impl<'a> Fill<'a> {
    /// Appends the blocks of the signatures that [`CompiledStep::plan_chunk`] entered to `blocks`, and enters
    /// their offsets. Stops and returns false when a sum has more than [`Self::max_sum_bits`] bits; the
    /// entries are then incomplete.
    pub fn run(&self, entries: &mut [Entry], blocks: &mut dyn Blocks, tally: &mut Tally) -> bool {
        #[cfg(target_arch = "x86_64")]
        if crate::cpu::has_avx2() {
            // SAFETY: AVX2 was just detected, and with it the instructions that count bits.
            return unsafe { self.run_counting(entries, blocks, tally) };
        }
        self.run_portable(entries, blocks, tally)
    }

    /// Computes the chunk with the instructions that count bits.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn run_counting(&self, entries: &mut [Entry], blocks: &mut dyn Blocks, tally: &mut Tally) -> bool {
        self.run_portable(entries, blocks, tally)
    }

    #[inline(always)]
    fn run_portable(&self, entries: &mut [Entry], blocks: &mut dyn Blocks, tally: &mut Tally) -> bool {
        let Self { stride, high, most_bits, .. } = *self;
        let (mut here, mut there): (Vec<Active>, Vec<Active>) = (Vec::new(), Vec::new());
        let (mut terms, mut image_terms) = (Vec::new(), Vec::new());
        let mut places = [0u8; 32];
        let mut bits = 0;
        for (low, entry) in entries.iter_mut().enumerate() {
            let wanted = entry.present();
            if wanted == 0 {
                continue;
            }
            self.activate(At { high, low }, wanted, &mut here);
            there.clear();
            if let Some(fold) = &stride.fold
                && let Some(image) = fold.other(At { high, low })
            {
                self.activate(image, fold.bits(wanted), &mut there);
            }
            let outer_ends = stride.words.outer_ends(high, low);
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
                if let Some(fold) = stride.fold.as_ref().filter(|_| !there.is_empty()) {
                    let image_ends = fold.ends(ends);
                    self.list(&there, fold.bit(bit), image_ends, &mut image_terms, tally);
                    fold.places(ends, image_ends, &mut places[..n]);
                    mirrored = Mirrored { terms: &image_terms, places: &places[..n] };
                }
                let sum = blocks.push(stride.tables, size(n), &terms, mirrored);
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

    /// Collects the moves into a word that start from a present signature.
    #[inline(always)]
    fn activate(&self, At { high, low }: At, wanted: u128, active: &mut Vec<Active<'a>>) {
        let Self { stride, sources, .. } = *self;
        active.clear();
        for m in stride.moves.of(high, low) {
            let Some((chunk, entry)) = stride.source(sources, high, low, m) else { continue };
            let bits = m.pull(entry.present()) & wanted;
            if bits != 0 {
                let (h, l) = ((high as i32 + m.high) as usize, (low as i32 + m.low) as usize);
                let outer = stride.words.outer_ends(h, l).count_ones() as usize;
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

    /// Collects the terms of one signature, those with a negative factor first.
    #[inline(always)]
    fn list(&self, active: &[Active<'a>], bit: u32, ends: u32, terms: &mut Vec<Term<'a>>, tally: &mut Tally) {
        terms.clear();
        let leads_here = |a: &&Active| a.bits >> bit & 1 == 1;
        if self.stride.has_negatives {
            for a in active.iter().filter(leads_here).filter(|a| a.factor < 0) {
                terms.push(a.term(bit, ends, tally));
            }
        }
        for a in active.iter().filter(leads_here).filter(|a| a.factor > 0) {
            terms.push(a.term(bit, ends, tally));
        }
    }
}

impl<'a> Active<'a> {
    /// Returns the term of this move for one signature of the target word.
    #[inline(always)]
    fn term(&self, bit: u32, ends: u32, tally: &mut Tally) -> Term<'a> {
        let (change, source_ends) = changed(self.effect, ends);
        let place = self.entry.place((bit as i32 + self.shift) as u32, self.outer);
        let len = size(source_ends);
        tally.transitions += len as u64 * u64::from(self.factor.unsigned_abs());
        Term { source: self.weights, place, len, change, factor: self.factor }
    }
}

/// Returns the matching map of an effect for a target block whose ends are in the slots `ends`, and the
/// number of ends of the source.
#[inline(always)]
#[must_use]
pub fn changed(effect: Effect, ends: u32) -> (Change, usize) {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::board::Board;
    use crate::frontier::block::slabs::Sizes;
    use crate::frontier::block::sum::blocks;
    use crate::frontier::block::tables::Tables;
    use crate::frontier::block::width::Width;
    use crate::frontier::layer::chunk::Chunk;
    use crate::frontier::problem::cycles::{Cycles, Tours};
    use crate::frontier::problem::field::Field;
    use crate::frontier::problem::plan::Plan;
    use crate::frontier::run::mates::{BARE, INNER, State, canonical, successors};
    use crate::frontier::state::course::Course;
    use crate::frontier::state::matching::matching_at;

    type States = BTreeMap<State<24>, u64>;

    fn course(tours: Tours) -> Course {
        let cycles = Cycles::of(&Field::of(&Board::new(5, 4).unwrap().into()), tours);
        let order: Vec<usize> = (0..cycles.len()).collect();
        Course::new(&Arc::new(Plan::new(&cycles, &order, true))).unwrap()
    }

    /// Returns the states of a layer one by one, with their weights.
    fn states(course: &Course, layer: &Sources) -> States {
        let (words, slots) = (course.words(), course.plan().slots());
        let mut states = States::new();
        for number in 0..words.len() {
            let at = words.at(number);
            let Some(chunk) = &layer[at.high] else { continue };
            let outer = words.outer_ends(at.high, at.low);
            for bit in (0..81).filter(|bit| chunk.entries[at.low].present() >> bit & 1 == 1) {
                let digit = |slot: usize| match slot {
                    0..4 => bit as usize / 3usize.pow(slot as u32) % 3,
                    _ => number / 3usize.pow(slot as u32 - 4) % 3,
                };
                let ends: Vec<usize> = (0..slots).filter(|&slot| digit(slot) == 1).collect();
                let place = chunk.find(at.low, bit, outer.count_ones() as usize).unwrap();
                for index in 0..size(ends.len()) {
                    let mut state = [BARE; 24];
                    (0..slots).filter(|&slot| digit(slot) == 2).for_each(|slot| state[slot] = INNER);
                    for (end, mate) in ends.iter().zip(matching_at(ends.len(), index)) {
                        state[*end] = ends[usize::from(mate)] as u8;
                    }
                    let Weights::W32(weights) = &chunk.weights else {
                        unreachable!("weights of small boards have 32 bits")
                    };
                    let weight = u64::from(weights[place + index]);
                    if weight > 0 {
                        states.insert(state, weight);
                    }
                }
            }
        }
        states
    }

    /// Computes the chunks after the step, in 32 bits.
    fn next(stride: &Stride, sources: &Sources, tally: &mut Tally) -> Vec<Option<Arc<Chunk>>> {
        let mut chunk = |high| {
            let mut entries = Vec::new();
            let room = stride.outline(sources, high, &mut entries, tally);
            let mut blocks =
                blocks(Width::W32, None, Sizes { places: room as usize, longest: 0, states: None });
            let fill = Fill { stride, sources, high, most_bits: 31 };
            assert!(fill.run(&mut entries, blocks.as_mut(), tally));
            assert!(blocks.len() as u64 <= room, "outlined");
            (blocks.len() > 0).then(|| Arc::new(Chunk { entries, weights: blocks.finish(), bits: 31 }))
        };
        (0..sources.len()).map(&mut chunk).collect()
    }

    /// Compares blocks to states one by one, step by step, without feasibility tables.
    #[test]
    fn blocks_hold_what_states_have_one_by_one() {
        for tours in [Tours::Closed, Tours::Paths] {
            let course = course(tours);
            let (words, tables) = (course.words(), Tables::new(course.plan().slots()));
            let mut layer: Vec<Option<Arc<Chunk>>> = vec![None; words.chunks()];
            layer[0] = Some(Arc::new(Chunk::first(words, Weights::W32(vec![1].into()))));
            for (t, step) in course.plan().steps().iter().enumerate() {
                let before = states(&course, &layer);
                layer = next(&Stride::new(&course, &tables, None, t), &layer, &mut Tally::default());
                // A word that is its own image has both of two states that represent each other.
                let mut after = States::new();
                for (state, weight) in states(&course, &layer) {
                    *after.entry(canonical(step, state)).or_default() += weight;
                }
                let mut naive = States::new();
                for (state, weight) in &before {
                    successors(&course.plan().finished(t), step, state, &mut |next, factor| {
                        *naive.entry(canonical(step, next)).or_default() += weight * factor as u64;
                    });
                }
                assert_eq!(after, naive, "step {t} of {tours:?}");
            }
        }
    }

    #[test]
    fn it_stops_when_a_sum_is_too_great() {
        let course = course(Tours::Closed);
        let (words, tables) = (course.words(), Tables::new(course.plan().slots()));
        let mut layer: Vec<Option<Arc<Chunk>>> = vec![None; words.chunks()];
        layer[0] = Some(Arc::new(Chunk::first(words, Weights::W32(vec![1 << 20].into()))));
        let stride = Stride::new(&course, &tables, None, 0);
        let high = (0..layer.len()).find(|&high| stride.trace_chunk(&layer, high).chunk.is_some()).unwrap();
        for (most_bits, fits) in [(21, true), (20, false)] {
            let (mut entries, mut tally) = (Vec::new(), Tally::default());
            let room = stride.outline(&layer, high, &mut entries, &mut tally);
            let mut blocks =
                blocks(Width::W32, None, Sizes { places: room as usize, longest: 0, states: None });
            let fill = Fill { stride: &stride, sources: &layer, high, most_bits };
            assert_eq!(fill.run(&mut entries, blocks.as_mut(), &mut tally), fits);
        }
    }
}
