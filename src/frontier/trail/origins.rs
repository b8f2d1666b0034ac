//! The origins of a state: the states before a step that lead to it, in a fixed order.
//!
//! ```text
//! state, moves into its word -> source words, by the order of the choices -> matchings that the effect brings there
//! mirror image of the state, if the step folds                            -> the same once more
//! ```
//!
//! That order is what numbers of tours are made of: to change it is to change the meaning of every number.

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

/// A step as it is gone back.
pub struct Back<'a> {
    words: &'a Words,
    tables: &'a Tables,
    step: &'a Step,
    moves: Moves,
    /// The mirror, if the step folds.
    pub fold: Option<Fold>,
    /// By slot, who sits there after the step.
    seats: Vec<u32>,
}

/// A state that leads to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The state before the step.
    pub state: State,
    /// What the step does to it.
    pub effect: Effect,
    /// Whether it leads to the mirror image.
    pub is_image: bool,
}

/// The layer before a step.
pub trait Sources<N> {
    /// The entry of a word, empty if it has none.
    ///
    /// # Errors
    /// It is damaged.
    fn entry(&self, at: At) -> Result<Entry, TrailError>;

    /// The weight at a place of a chunk.
    ///
    /// # Errors
    /// It is damaged.
    fn weight(&self, high: usize, place: usize) -> Result<N, TrailError>;
}

impl<'a> Back<'a> {
    /// Step `t` of a course.
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

    /// The least common name of the chunks whose states have the same chunks before the step.
    #[must_use]
    pub fn family(&self, high: usize) -> u32 {
        let image = self.fold.as_ref().map_or(high, |fold| fold.chunk(high));
        self.moves.untouched(high).min(self.moves.untouched(image))
    }

    /// The chunks before the step that states of a chunk may come from.
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

    /// The vertices that the step joins to its own by a choice of this effect.
    pub fn joined(&self, effect: Effect) -> impl Iterator<Item = u32> {
        joined(self.step, effect).into_iter().flatten().map(|slot| self.seats[usize::from(slot)])
    }

    /// The vertex that the step processes.
    #[must_use]
    pub fn vertex(&self) -> u32 {
        self.step.vertex as u32
    }

    /// Shows the origins of a state that have a weight, until somebody has seen enough.
    ///
    /// # Errors
    /// A part of the layer before is damaged.
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

/// The slots that a choice of this effect joins the vertex of a step to. A vertex that is an end is one of the two
/// that the effect speaks of itself, unless a newcomer has its slot.
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

/// The indices of the matchings before a change that make the matching `index` of `n` ends, in a fixed order.
fn matchings(
    tables: &Tables,
    change: Change,
    n: usize,
    index: usize,
    look: &mut impl FnMut(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match change {
        Change::Keep => look(index),
        Change::Move(places) if n <= TABLED => look(tables.moving(places)[index].into()),
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
        Change::Contract(places) if n + 2 <= TABLED => {
            let table = tables.contracting(places);
            (0..n).try_for_each(|plane| look(table[plane * size(n) + index].into()))
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
        Change::Create(places) if n <= TABLED => {
            let found = tables.creating(places).binary_search(&(index as u16));
            found.map_or(ControlFlow::Continue(()), look)
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

    fn all(tables: &Tables, change: Change, n: usize, index: usize) -> Vec<usize> {
        let mut all = Vec::new();
        let _ = matchings(tables, change, n, index, &mut |before| {
            all.push(before);
            ControlFlow::Continue(())
        });
        all
    }

    /// By tables and one by one the origins are the same, in the same order.
    #[test]
    fn small_blocks_and_great_ones_have_the_same_origins() {
        let tables = Tables::new(TABLED);
        // The maps of ten ends by table against those that hold for any number, restricted to what ten ends have.
        for n in [2, 4, 6, 8] {
            for (i, j) in [(0, 1), (0, n - 1), (n / 2, n - 1)] {
                if i == j {
                    continue;
                }
                let mut seen = vec![0; size(n)];
                for index in 0..size(n - 2) {
                    for before in all(&tables, Change::Contract(Places::new(n, i, j)), n - 2, index) {
                        let mates = matching_at(n, before);
                        assert!(n == 2 || usize::from(mates[i]) != j);
                        seen[before] += 1;
                    }
                }
                let open = (0..size(n)).filter(|&x| n == 2 || usize::from(matching_at(n, x)[i]) != j);
                assert!(open.into_iter().all(|x| seen[x] == 1), "{n} {i} {j}");
                for index in 0..size(n) {
                    let from = all(&tables, Change::Create(Places::new(n, i, j)), n, index);
                    assert_eq!(from.len(), usize::from(usize::from(matching_at(n, index)[i]) == j));
                    assert_eq!(all(&tables, Change::Move(Places::new(n, i, j)), n, index).len(), 1);
                }
            }
        }
    }
}
