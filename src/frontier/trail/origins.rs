//! The predecessors of a state: the states before a step that lead to it, in a fixed order.
//!
//! ```text
//! state, moves into its word -> source words, in the order of the choices -> matchings that the operation maps to it
//! mirror image of the state, if the step folds                            -> equally for the image
//! ```
//!
//! This order defines the numbers of tours: a change of it would change the meaning of every number.

use std::ops::ControlFlow;

use crate::frontier::block::effects::Change;
use crate::frontier::block::tables::{Places, TABLED, Tables};
use crate::frontier::layer::entry::Entry;
use crate::frontier::layer::fill::changed;
use crate::frontier::problem::slot::Slot;
use crate::frontier::problem::step::Step;
use crate::frontier::state::choice::Effect;
use crate::frontier::state::course::Course;
use crate::frontier::state::fold::Fold;
use crate::frontier::state::matching::{index_of, matching_at, size};
use crate::frontier::state::moves::{Moves, Side};
use crate::frontier::state::words::{At, Words};
use crate::frontier::trail::error::TrailError;
use crate::frontier::trail::number::Number;
use crate::frontier::trail::state::State;

/// A step, followed backwards from its targets.
pub struct Back<'a> {
    words: &'a Words,
    tables: &'a Tables,
    step: &'a Step,
    moves: Moves,
    /// The mirror, if the step folds.
    pub fold: Option<Fold>,
    /// By slot, the vertex in it after the step.
    seats: Vec<u32>,
}

/// A state that leads to another, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The state before the step.
    pub state: State,
    /// The operation of the step on its matching.
    pub effect: Effect,
    /// True if it leads to the mirror image.
    pub is_image: bool,
}

/// Access to the layer before a step.
pub trait Sources<N> {
    /// Returns the entry of a word; empty if the word has no signatures.
    ///
    /// # Errors
    /// The layer is damaged.
    fn entry(&self, at: At) -> Result<Entry, TrailError>;

    /// Returns the weight at an index of a chunk.
    ///
    /// # Errors
    /// The layer is damaged.
    fn weight(&self, high: usize, place: usize) -> Result<N, TrailError>;
}

impl<'a> Back<'a> {
    /// Prepares step `t` of a signature space.
    #[must_use]
    pub fn new(course: &'a Course, tables: &'a Tables, t: usize) -> Self {
        let (plan, words) = (course.plan(), course.words());
        let step = &plan.steps()[t];
        let next = plan.steps().get(t + 1).and_then(|step| step.slot);
        let mut seats = vec![u32::MAX; plan.slots()];
        plan.seats(t).for_each(|(v, slot)| seats[usize::from(slot)] = v as u32);
        Self {
            words,
            tables,
            step,
            moves: Moves::new(words, step, Side::Target),
            fold: step.mirror.as_ref().map(|image| Fold::new(words, image, next)),
            seats,
        }
    }

    /// Returns an identifier that chunks share if their states have predecessors in the same chunks.
    #[must_use]
    pub fn family(&self, high: usize) -> u32 {
        self.moves.family(high, self.fold.as_ref())
    }

    /// Returns the chunks before the step that contain the predecessors of a chunk's states.
    #[must_use]
    pub fn sources_of(&self, high: usize) -> Vec<usize> {
        self.moves.chunks(high, self.fold.as_ref())
    }

    /// Returns the vertices that the step joins to its own vertex by a choice with this operation.
    pub fn joined(&self, effect: Effect) -> impl Iterator<Item = u32> {
        joined(self.step, effect).into_iter().flatten().map(|slot| self.seats[usize::from(slot)])
    }

    /// Returns the vertex that the step processes.
    #[must_use]
    pub fn vertex(&self) -> u32 {
        self.step.vertex as u32
    }

    /// Calls `visit` with the predecessors of a state that have a nonzero weight, in order, until it returns
    /// `Break`.
    ///
    /// # Errors
    /// The layer before is damaged.
    pub fn each<N: Number>(
        &self,
        state: State,
        sources: &impl Sources<N>,
        look: &mut impl FnMut(Origin, N) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, TrailError> {
        if self.side(state, false, sources, look)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let image = self.fold.as_ref().and_then(|fold| state.image(self.words, fold));
        match image {
            Some(image) => self.side(image, true, sources, look),
            None => Ok(ControlFlow::Continue(())),
        }
    }

    fn side<N: Number>(
        &self,
        state: State,
        is_image: bool,
        sources: &impl Sources<N>,
        look: &mut impl FnMut(Origin, N) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, TrailError> {
        let State { at, bit, index } = state;
        let ends = state.ends(self.words);
        for m in self.moves.of(at.high, at.low) {
            if m.bits >> bit & 1 == 0 {
                continue;
            }
            let from = At { high: (at.high as i32 + m.high) as usize, low: (at.low as i32 + m.low) as usize };
            let (entry, from_bit) = (sources.entry(from)?, (bit as i32 + m.shift) as u32);
            if entry.present() >> from_bit & 1 == 0 {
                continue;
            }
            let place =
                entry.place(from_bit, self.words.outer_ends(from.high, from.low).count_ones() as usize);
            let (change, _) = changed(m.effect, ends);
            let mut read = Ok(());
            let seen =
                matchings(
                    self.tables,
                    change,
                    ends.count_ones() as usize,
                    index,
                    &mut |before| match sources.weight(from.high, place + before) {
                        Err(error) => {
                            read = Err(error);
                            ControlFlow::Break(())
                        }
                        Ok(weight) if weight.is_zero() => ControlFlow::Continue(()),
                        Ok(weight) => {
                            let state = State { at: from, bit: from_bit, index: before };
                            look(Origin { state, effect: m.effect, is_image }, weight)
                        }
                    },
                );
            read?;
            if seen.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Returns the slots that a choice with this operation joins the step's vertex to. If that vertex is an end,
/// it is one of the two ends of the operation itself, unless a vertex that enters the frontier takes its
/// slot.
#[must_use]
pub fn joined(step: &Step, effect: Effect) -> [Option<Slot>; 2] {
    let own = step.slot;
    let others = |a: Slot, b: Slot| {
        if Some(a) == own {
            [Some(b), None]
        } else if Some(b) == own {
            [Some(a), None]
        } else {
            [Some(a), Some(b)]
        }
    };
    match effect {
        Effect::Keep => [None, None],
        Effect::Move { from, to } if Some(from) == own => [Some(to), None],
        Effect::Move { from, to } => [Some(from), Some(to)],
        Effect::Contract { low, high } => others(low, high),
        Effect::Create { low, high } => [Some(low), Some(high)],
    }
}

/// Calls `visit` with the index of every matching that a change maps to matching `index` of `n` ends, in a
/// fixed order.
fn matchings(
    tables: &Tables,
    change: Change,
    n: usize,
    index: usize,
    look: &mut impl FnMut(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match change {
        Change::Move(places) if n <= TABLED => look(tables.moving(places)[index].into()),
        Change::Contract(places) if n > 0 && n + 2 <= TABLED => {
            let table = tables.contracting(places);
            (0..n).try_for_each(|plane| look(table[plane * size(n) + index].into()))
        }
        Change::Create(places) if n <= TABLED => {
            let found = tables.creating(places).binary_search(&(index as u16));
            found.map_or(ControlFlow::Continue(()), look)
        }
        change => matchings_one_by_one(change, n, index, look),
    }
}

/// Computes the same matchings as [`source_matchings`], without tables.
fn matchings_one_by_one(
    change: Change,
    n: usize,
    index: usize,
    look: &mut impl FnMut(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match change {
        Change::Keep => look(index),
        Change::Move(places) => {
            let (_, i, j) = places.numbers();
            let place = |p: usize| {
                let common = p - usize::from(p > j);
                if p == j { i } else { common + usize::from(common >= i) }
            };
            let mut before = [0; 32];
            for (p, &mate) in matching_at(n, index).iter().enumerate() {
                before[place(p)] = place(usize::from(mate)) as u8;
            }
            look(index_of(&before[..n]))
        }
        Change::Contract(places) if n == 0 => {
            debug_assert_eq!(places, Places::new(2, 0, 1));
            look(0)
        }
        Change::Contract(places) => {
            let (_, i, j) = places.numbers();
            let place = |p: usize| {
                let above = p + usize::from(p >= i);
                above + usize::from(above >= j)
            };
            let after = matching_at(n, index);
            (0..n).try_for_each(|plane| {
                let mut before = [0; 32];
                for (p, &mate) in after.iter().enumerate() {
                    before[place(p)] = place(usize::from(mate)) as u8;
                }
                let (a, b) = (place(plane), place(usize::from(after[plane])));
                (before[i], before[a]) = (a as u8, i as u8);
                (before[j], before[b]) = (b as u8, j as u8);
                look(index_of(&before[..n + 2]))
            })
        }
        Change::Create(places) => {
            let (_, i, j) = places.numbers();
            let mut mates = matching_at(n, index);
            if usize::from(mates[i]) != j {
                return ControlFlow::Continue(());
            }
            mates.remove(j);
            mates.remove(i);
            let lower = |p: u8| p - u8::from(usize::from(p) > i) - u8::from(usize::from(p) > j);
            mates.iter_mut().for_each(|mate| *mate = lower(*mate));
            look(index_of(&mates))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Look<'a> = &'a mut dyn FnMut(usize) -> ControlFlow<()>;

    fn all(go: impl FnOnce(Look) -> ControlFlow<()>) -> Vec<usize> {
        let mut all = Vec::new();
        let _ = go(&mut |before| {
            all.push(before);
            ControlFlow::Continue(())
        });
        all
    }

    /// With and without tables the predecessors are equal, in equal order, which the numbers of tours depend
    /// on.
    #[test]
    fn small_blocks_and_great_ones_have_the_same_origins() {
        let tables = Tables::new(TABLED);
        let check = |change, n: usize| {
            for index in 0..size(n) {
                let tabled = all(|mut look| matchings(&tables, change, n, index, &mut look));
                let plain = all(|mut look| matchings_one_by_one(change, n, index, &mut look));
                assert_eq!(tabled, plain, "{change:?} {n} {index}");
            }
        };
        for n in [2, 4, 6, 8] {
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                check(Change::Move(Places::new(n, i, j)), n);
                if i < j {
                    check(Change::Create(Places::new(n, i, j)), n);
                    check(Change::Contract(Places::new(n, i, j)), n - 2);
                }
            }
            check(Change::Keep, n);
        }
        let (move_, create) = (Places::new(10, 3, 7), Places::new(10, 0, 9));
        check(Change::Move(move_), 10);
        check(Change::Create(create), 10);
        check(Change::Contract(create), 8);
    }

    /// Every matching whose two ends are not mates is mapped to one matching by a contraction.
    #[test]
    fn origins_are_all_there_and_none_twice() {
        for n in [2, 4, 6, 8] {
            for (i, j) in [(0, 1), (0, n - 1), (n / 2 - 1, n - 1)] {
                let mut seen = vec![0; size(n)];
                for index in 0..size(n - 2) {
                    let change = Change::Contract(Places::new(n, i, j));
                    for before in all(|mut look| matchings_one_by_one(change, n - 2, index, &mut look)) {
                        seen[before] += 1;
                    }
                }
                let is_open = |x: usize| n == 2 || usize::from(matching_at(n, x)[i]) != j;
                assert!((0..size(n)).all(|x| seen[x] == u32::from(is_open(x))), "{n} {i} {j}");
            }
        }
    }
}
