//! The numbers of ways to complete states, a chunk of them from the chunks after it.
//!
//! ```text
//! completions(s') = sum over the choices c of a step   completions(c(s'))
//! ```
//!
//! A step is followed from its sources: a block of a source chunk, choice by choice, to the block that it becomes, or
//! to the one that stands for its mirror image. On the way weights are multiplied by completions: so many tours take
//! the choice. What a state of weight zero comes to is never asked for, and may be anything.

use std::sync::Arc;

use crate::frontier::block::effects::Change;
use crate::frontier::block::tables::{TABLED, Tables};
use crate::frontier::layer::entry::Entry;
use crate::frontier::layer::fill::changed;
use crate::frontier::problem::step::Step;
use crate::frontier::state::course::Course;
use crate::frontier::state::fold::Fold;
use crate::frontier::state::matching::size;
use crate::frontier::state::moves::{Move, Moves, Side};
use crate::frontier::state::signature::{ENDS_IN, each_bit};
use crate::frontier::state::words::At;
use crate::frontier::trail::maps::{Maps, NONE};
use crate::frontier::trail::number::Number;
use crate::frontier::trail::origins::joined;

/// A chunk with a number for every weight.
#[derive(Debug)]
pub struct Completed<N> {
    /// As in the chunk of weights.
    pub entries: Vec<Entry>,
    /// Completions, by place.
    pub numbers: Vec<N>,
}

impl<N> Completed<N> {
    /// Bytes held; of numbers of any size at least.
    #[must_use]
    pub fn bytes(entries: usize, numbers: usize) -> u64 {
        (entries * size_of::<Entry>() + numbers * size_of::<N>()) as u64
    }
}

/// Chunks of the layer after a step, at their numbers.
pub type AtHand<N> = [Option<Arc<Completed<N>>>];

/// A step as it is followed from its sources.
pub struct Forth<'a> {
    course: &'a Course,
    tables: &'a Tables,
    maps: &'a Maps,
    /// The step.
    pub step: &'a Step,
    moves: Moves,
    fold: Option<Fold>,
    /// By slot, the place of who sits there among those whom the step may join.
    places: Vec<usize>,
}

impl<'a> Forth<'a> {
    /// Step `t` of a course.
    #[must_use]
    pub fn new(course: &'a Course, tables: &'a Tables, maps: &'a Maps, t: usize) -> Self {
        let (plan, words) = (course.plan(), course.words());
        let step = &plan.steps()[t];
        let next = plan.steps().get(t + 1).and_then(|step| step.slot);
        let mut places = vec![usize::MAX; plan.slots()];
        step.later.iter().enumerate().for_each(|(place, later)| places[usize::from(later.slot)] = place);
        Self {
            course,
            tables,
            maps,
            step,
            moves: Moves::new(words, step, Side::Source),
            fold: step.mirror.as_ref().map(|image| Fold::new(words, image, next)),
            places,
        }
    }

    /// The vertices that step `t`, which this is, may join to its own, by place.
    ///
    /// # Panics
    /// If it is another step.
    #[must_use]
    pub fn later(&self, t: usize) -> Vec<usize> {
        let plan = self.course.plan();
        let seated = |slot| plan.seats(t).find(|&(_, seat)| seat == slot).map(|(v, _)| v);
        self.step.later.iter().map(|later| seated(later.slot).expect("who is ahead is seated")).collect()
    }

    /// The chunks after the step that states of a chunk may lead to, ascending.
    #[must_use]
    pub fn targets_of(&self, high: usize) -> Vec<usize> {
        let chunks = self.moves.chunks(high);
        self.fold.as_ref().map_or(chunks.clone(), |fold| fold.with_images(chunks))
    }

    /// The completions of a chunk, from those of its targets. Adds to `used`, by the place of whom the step joins, how
    /// many tours it joins to each.
    pub fn back_to<N: Number>(
        &self,
        high: usize,
        entries: &[Entry],
        weights: &[N],
        after: &AtHand<N>,
        used: &mut [N],
    ) -> Vec<N> {
        let words = self.course.words();
        let mut numbers: Vec<N> = vec![N::default(); weights.len()];
        let mut image = Vec::new();
        for (low, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.present() != 0) {
            let outer = words.outer_ends(high, low);
            for m in self.moves.of(high, low) {
                for bit in each_bit(m.bits & entry.present()) {
                    let n = (outer | u32::from(ENDS_IN[bit as usize])).count_ones() as usize;
                    let place = entry.place(bit, outer.count_ones() as usize);
                    let block = place..place + size(n);
                    let there =
                        At { high: (high as i32 + m.high) as usize, low: (low as i32 + m.low) as usize };
                    let target = (there, (bit as i32 + m.shift) as u32);
                    let (weights, numbers) = (&weights[block.clone()], &mut numbers[block]);
                    let sum = self.block(m, target, n, after, (weights, numbers), &mut image);
                    if !sum.is_zero() {
                        for slot in joined(self.step, m.effect).into_iter().flatten() {
                            used[self.places[usize::from(slot)]].add(&sum);
                        }
                    }
                }
            }
        }
        numbers
    }

    /// Adds the completions of a target block to its source block, and returns what the weights of that make of them.
    fn block<N: Number>(
        &self,
        m: &Move,
        (at, bit): (At, u32),
        n: usize,
        after: &AtHand<N>,
        (weights, numbers): (&[N], &mut [N]),
        image: &mut Vec<N>,
    ) -> N {
        let words = self.course.words();
        let ends = words.outer_ends(at.high, at.low) | u32::from(ENDS_IN[bit as usize]);
        let targets = ends.count_ones() as usize;
        let kept = self.fold.as_ref().and_then(|fold| Some((fold.other(at)?, fold)));
        let kept = kept.filter(|(image, fold)| !fold.prefers(at, *image));
        let (to, to_bit) = kept.as_ref().map_or((at, bit), |(image, fold)| (*image, fold.bit(bit)));
        let Some(chunk) = &after[to.high] else { return N::default() };
        let entry = chunk.entries[to.low];
        if entry.present() >> to_bit & 1 == 0 {
            return N::default();
        }
        let place = entry.place(to_bit, words.outer_ends(to.high, to.low).count_ones() as usize);
        let mut block = &chunk.numbers[place..place + size(targets)];
        if let Some((_, fold)) = kept {
            let mut places = [0; 32];
            fold.places(ends, fold.ends(ends), &mut places[..targets]);
            let map = self.maps.mirrored(&places[..targets]);
            image.clear();
            image.extend(map.iter().map(|&x| block[x as usize].clone()));
            block = image;
        }
        let (change, _) = changed(m.effect, ends);
        self.flow(change, n, block, weights, numbers)
    }

    /// Adds a block to the one of `n` ends that a change takes to it; the sum of its weights times what is added.
    fn flow<N: Number>(&self, change: Change, n: usize, block: &[N], weights: &[N], numbers: &mut [N]) -> N {
        let mut sum = N::default();
        let mut add = |y: usize, other: &N| numbers[y].flow(other, &weights[y], &mut sum);
        match change {
            Change::Keep => block.iter().enumerate().for_each(|(y, other)| add(y, other)),
            Change::Move(places) if n <= TABLED => {
                let sources = self.tables.moving(places);
                sources.iter().zip(block).for_each(|(&y, other)| add(y.into(), other));
            }
            Change::Contract(_) if n == 2 => add(0, &block[0]),
            Change::Contract(places) if n <= TABLED => {
                for plane in self.tables.contracting(places).chunks_exact(block.len()) {
                    plane.iter().zip(block).for_each(|(&y, other)| add(y.into(), other));
                }
            }
            Change::Create(places) if n + 2 <= TABLED => {
                let targets = self.tables.creating(places);
                targets.iter().enumerate().for_each(|(y, &x)| add(y, &block[usize::from(x)]));
            }
            change => {
                let map = self.maps.of(change, n).expect("something changes");
                let there = map.iter().enumerate().filter(|(_, x)| **x != NONE);
                there.for_each(|(y, &x)| add(y, &block[x as usize]));
            }
        }
        sum
    }
}
