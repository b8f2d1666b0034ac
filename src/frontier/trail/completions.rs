//! The numbers of completions of states, computed chunk by chunk from the layer after a step.
//!
//! ```text
//! completions(s') = sum over the choices c of a step   completions(c(s'))
//! ```
//!
//! A step is followed from its sources: each block of a source chunk, choice by choice, to its target block,
//! or to the block that represents the target's mirror image. The products of weights and completions give
//! the number of tours that take the choice. The completions of a state with weight zero are undefined, as
//! they are never used.

use std::ops::Range;
use std::sync::Arc;

use crate::frontier::block::effects::Change;
use crate::frontier::block::part::NOWHERE;
use crate::frontier::block::permutation::permuted;
use crate::frontier::block::tables::{Places, TABLED, Tables};
use crate::frontier::layer::entry::Entry;
use crate::frontier::layer::fill::changed;
use crate::frontier::problem::step::Step;
use crate::frontier::state::course::Course;
use crate::frontier::state::fold::Fold;
use crate::frontier::state::matching::{MOST, size};
use crate::frontier::state::moves::{Move, Moves, Side};
use crate::frontier::state::signature::{ENDS_IN, each_bit};
use crate::frontier::state::words::At;
use crate::frontier::trail::completed::{Completed, Numbers};
use crate::frontier::trail::flows::{Carried, Changes, Flows};
use crate::frontier::trail::maps::{Map, Maps, NONE};
use crate::frontier::trail::number::Number;
use crate::frontier::trail::origins::joined;

/// Chunks of the layer after a step, indexed by chunk number.
pub type AtHand<N> = [Option<Arc<Completed<N>>>];

/// A step, followed forwards from its sources.
pub struct Forth<'a> {
    course: &'a Course,
    tables: &'a Tables,
    maps: &'a Maps,
    /// The step.
    pub step: &'a Step,
    /// Its moves.
    pub moves: Moves,
    fold: Option<Fold>,
    /// By slot, the index of its vertex among the later neighbours of the step.
    pub places: Vec<usize>,
}

impl<'a> Forth<'a> {
    /// Prepares step `t` of a signature space.
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

    /// Returns the later neighbours of the step's vertex; `t` is the number of this step.
    ///
    /// # Panics
    /// If `t` is another step.
    #[must_use]
    pub fn later(&self, t: usize) -> Vec<usize> {
        let plan = self.course.plan();
        let seated = |slot| plan.seats(t).find(|&(_, seat)| seat == slot).map(|(v, _)| v);
        self.step
            .later
            .iter()
            .map(|later| seated(later.slot).expect("a later neighbour has a slot"))
            .collect()
    }

    /// Returns the chunks after the step that the states of a chunk may lead to, ascending.
    #[must_use]
    pub fn targets_of(&self, high: usize) -> Vec<usize> {
        let chunks = self.moves.chunks(high, None);
        self.fold.as_ref().map_or(chunks.clone(), |fold| fold.with_images(chunks))
    }

    /// Returns the completions of a chunk, computed from its target chunks in `after`. Adds to `used`, by the
    /// index of the later neighbour, the number of tours with the edge to it.
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
        let mut there = There::default();
        let (mut narrow, mut wide) = (Rooms::default(), Rooms::default());
        let entry_of =
            |at: At| after[at.high].as_ref().map_or(Entry::default(), |chunk| chunk.entries[at.low]);
        for (low, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.present() != 0) {
            let (outer, at) = (words.outer_ends(high, low), At { high, low });
            for bit in each_bit(entry.present()) {
                let n = (outer | u32::from(ENDS_IN[bit as usize])).count_ones() as usize;
                let place = entry.place(bit, outer.count_ones() as usize);
                let block = place..place + size(n);
                let (weights, numbers) = (&weights[block.clone()], &mut numbers[block]);
                if !there.look(weights) {
                    continue;
                }
                for m in self.moves.of(high, low).iter().filter(|m| m.bits >> bit & 1 == 1) {
                    let Some(landing) = self.landing(m, at, bit, n, entry_of) else { continue };
                    let chunk = after[landing.at.high].as_ref().expect("the chunk has a present signature");
                    let block = landing.block.clone();
                    let sum = match &chunk.numbers {
                        Numbers::Narrow(all) => {
                            self.bring(&landing, &all[block], weights, &there, numbers, &mut narrow)
                        }
                        Numbers::Wide(all) => {
                            self.bring(&landing, &all[block], weights, &there, numbers, &mut wide)
                        }
                    };
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

    /// Adds the completions of a target block to the block `to` that a choice leads from, and returns the sum
    /// of their products with the weights.
    fn bring<'b, N: Number, E: Flows<N>>(
        &self,
        landing: &Landing,
        mut others: &'b [E],
        weights: &[N],
        there: &There,
        to: &mut [N],
        rooms: &'b mut Rooms<E>,
    ) -> N {
        if let Some(few) = there.few(landing) {
            let mut sum = N::default();
            let mut each = |image: Option<&[u16]>| {
                for &y in few {
                    let Some(x) = self.after(landing.change, y) else { continue };
                    let x = image.map_or(x, |image| usize::from(image[x]));
                    let y = usize::from(y);
                    others[x].flow(&weights[y], &mut to[y], &mut sum);
                }
            };
            match landing.places() {
                None => each(None),
                Some(places) => permuted(places, |image| each(Some(image))),
            }
            return sum;
        }
        let changes = Changes { tables: self.tables, maps: self.maps };
        if let Some(places) = landing.places() {
            let image = zeros(&mut rooms.image, others.len());
            E::add_image(changes, image, others, places);
            others = image;
        }
        if landing.change == Change::Keep {
            return E::flow_all(others, weights, to);
        }
        let part = zeros(&mut rooms.part, to.len());
        E::add_back(changes, part, others, landing.change, landing.sources);
        E::flow_all(part, weights, to)
    }

    /// Returns the matching that a change maps matching `y` to, for blocks with few ends; `None` if it
    /// excludes it.
    #[inline(always)]
    fn after(&self, change: Change, y: u16) -> Option<usize> {
        let y = usize::from(y);
        let x = match change {
            Change::Keep => return Some(y),
            Change::Move(Places { n, i, j }) => self.tables.moving(Places { n, i: j, j: i })[y],
            Change::Contract(Places { n: 2, .. }) => 0,
            Change::Contract(places) => self.tables.contracted(places)[y],
            Change::Create(places) => self.tables.creating(places)[y],
        };
        (x != NOWHERE).then_some(usize::from(x))
    }

    /// Returns the block that a choice leads to from a signature with `n` ends; `entry` returns the entries
    /// after the step. Returns `None` if the target signature is not present.
    #[inline(always)]
    pub fn landing(
        &self,
        m: &Move,
        from: At,
        bit: u32,
        n: usize,
        entry: impl Fn(At) -> Entry,
    ) -> Option<Landing> {
        let words = self.course.words();
        let at = At { high: (from.high as i32 + m.high) as usize, low: (from.low as i32 + m.low) as usize };
        let bit = (bit as i32 + m.shift) as u32;
        let ends = words.outer_ends(at.high, at.low) | u32::from(ENDS_IN[bit as usize]);
        let targets = ends.count_ones() as usize;
        let image = self.fold.as_ref().and_then(|fold| Some((fold.other(at)?, fold)));
        let image = image.filter(|(image, fold)| !fold.prefers(at, *image));
        let (at, bit) = image.as_ref().map_or((at, bit), |(image, fold)| (*image, fold.bit(bit)));
        let entry = entry(at);
        if entry.present() >> bit & 1 == 0 {
            return None;
        }
        let place = entry.place(bit, words.outer_ends(at.high, at.low).count_ones() as usize);
        let image = image.map(|(_, fold)| {
            let mut places = [0; MOST];
            fold.places(ends, fold.ends(ends), &mut places[..targets]);
            places
        });
        let (change, _) = changed(m.effect, ends);
        Some(Landing { at, bit, block: place..place + size(targets), change, sources: n, targets, image })
    }

    /// Returns the index map to the mirror image, if the layer has the mirror image of the target block.
    #[must_use]
    pub fn mirrored(&self, landing: &Landing) -> Option<Map> {
        landing.places().map(|places| self.maps.mirrored(places))
    }

    /// Calls `each` with every matching of the source block that the choice maps to a target, and with that
    /// target, before any mirror.
    #[inline(always)]
    pub fn each_pair(&self, landing: &Landing, mut each: impl FnMut(usize, usize)) {
        let (n, len) = (landing.sources, landing.block.len());
        match landing.change {
            Change::Keep => (0..len).for_each(|y| each(y, y)),
            Change::Move(places) if n <= TABLED => {
                self.tables.moving(places).iter().enumerate().for_each(|(x, &y)| each(y.into(), x));
            }
            Change::Contract(_) if n == 2 => each(0, 0),
            Change::Contract(places) if n <= TABLED => {
                for plane in self.tables.contracting(places).chunks_exact(len) {
                    plane.iter().enumerate().for_each(|(x, &y)| each(y.into(), x));
                }
            }
            Change::Create(places) if n + 2 <= TABLED => {
                self.tables.creating(places).iter().enumerate().for_each(|(y, &x)| each(y, x.into()));
            }
            change => {
                let map = self.maps.of(change, n).expect("the identity is handled above");
                let there = map.iter().enumerate().filter(|(_, x)| **x != NONE);
                there.for_each(|(y, &x)| each(y, x as usize));
            }
        }
    }
}

/// The target block of a choice.
pub struct Landing {
    /// The word of the target block.
    pub at: At,
    /// Its bit in the word.
    pub bit: u32,
    /// Its index range in its chunk.
    pub block: Range<usize>,
    change: Change,
    /// Ends of the source block.
    sources: usize,
    /// Ends of the target block.
    targets: usize,
    /// By end, the point of its image, if the layer has the mirror image of the target block.
    image: Option<[u8; MOST]>,
}

impl Landing {
    /// Returns true if the layer has the mirror image of the target block.
    #[must_use]
    pub const fn is_image(&self) -> bool {
        self.image.is_some()
    }

    fn places(&self) -> Option<&[u8]> {
        self.image.as_ref().map(|places| &places[..self.targets])
    }
}

/// A block of which at most one in this many weights is not zero is processed weight by weight.
const FEW: usize = 6;

/// Buffers for a mirrored block and for a transposed block.
#[derive(Default)]
struct Rooms<E> {
    image: Vec<E>,
    part: Vec<E>,
}

/// The nonzero weights of a block, if they are few.
#[derive(Default)]
struct There {
    all: Vec<u16>,
    is_few: bool,
}

impl There {
    /// Scans the weights of a block; returns true if one is not zero.
    fn look<N: Number>(&mut self, weights: &[N]) -> bool {
        let count = weights.iter().filter(|weight| !weight.is_zero()).count();
        self.is_few = count * FEW <= weights.len() && weights.len() <= size(TABLED);
        if self.is_few {
            let there = (0..).zip(weights).filter(|(_, weight)| !weight.is_zero());
            self.all.clear();
            self.all.extend(there.map(|(y, _)| y));
        }
        count > 0
    }

    /// Returns the indices of the nonzero weights, if processing only these is sufficient and possible.
    fn few(&self, landing: &Landing) -> Option<&[u16]> {
        (self.is_few && landing.targets <= TABLED).then_some(&self.all)
    }
}

/// Returns the first `len` elements of a vector, all zero.
fn zeros<E: Carried>(vector: &mut Vec<E>, len: usize) -> &mut [E] {
    vector.clear();
    vector.resize(len, E::default());
    vector
}
