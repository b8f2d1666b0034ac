//! Exact statistics of all tours, without visiting any tour.
//!
//! The layers of an index determine, for all moves together, how many tours use a move, and how many begin or
//! end on a square. Open tours are the paths that are not re-entrant. A closed tour without one of its n
//! moves is a re-entrant path, so that re-entrant paths use a move n - 1 times as often as closed tours do,
//! and each vertex is an end of two of them for every closed tour:
//!
//! ```text
//! open(move) = paths(move) - (n - 1) closed(move)      open(end) = paths(end) - 2 closed
//! ```

use std::collections::BTreeSet;

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use crate::control::Control;
use crate::frontier::{Cancel, Flowing, Uses};
use crate::tour::{Kind, Tour};

use super::error::IndexError;
use super::numbered::Numbered;
use super::sequence::{kind_of, sequence};
use super::tours::{Index, Room};
use crate::frontier::Place;

/// Exact statistics of all tours of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Tours counted: undirected, or directed if an end is fixed.
    pub numbered: Numbered,
    /// Number of tours.
    pub total: BigUint,
    /// Number of tours that use each move, from the lower vertex to the higher, in ascending order.
    pub moves: Vec<((u32, u32), BigUint)>,
    /// Number of tours that begin or end at each vertex; empty for closed tours.
    pub ends: Vec<BigUint>,
}

impl Index {
    /// Returns the statistics of all numbered tours, which are paths if the kind is open tours. Cost: about
    /// that of two sweeps, and [`Index::statistics_bytes`] of memory.
    ///
    /// # Errors
    /// The memory limit of the index is too low, a layer is damaged, or the control was cancelled.
    pub fn statistics(&self, control: &Control) -> Result<Statistics, IndexError> {
        let numbered = self.numbered();
        let squares = numbered.arena.len();
        control.begin_rounds(1);
        control.sweep_begins(&self.paces(), 0);
        let uses = self.trails().uses(&self.flowing(control), &mut |step, steps| {
            control.sweep_step(step, steps, 0, self.bytes());
        })?;
        control.round_done();
        let is_closed = numbered.kind == Kind::Closed;
        let (ends, moves): (Uses, Uses) = uses.into_iter().partition(|&((_, w), _)| w as usize == squares);
        let mut by_vertex = vec![BigUint::ZERO; if is_closed { 0 } else { squares }];
        ends.into_iter().for_each(|((v, _), number)| by_vertex[v as usize] = number);
        let total = self.trails().total().clone();
        if squares == 1 && !is_closed {
            by_vertex[0].clone_from(&total);
        }
        Ok(Statistics {
            numbered: numbered.clone(),
            total,
            moves: moves.into_iter().collect(),
            ends: by_vertex,
        })
    }
}

impl Index {
    fn flowing(&self, control: &Control) -> Flowing {
        let cancel = Cancel::from(control.flag());
        Flowing { memory: self.memory(), allocator: control.allocator(), cancel }
    }

    /// Returns a numbered tour with the most moves of a class, or with the fewest, and their number. Returns
    /// `None` if there is no tour, if the plan merges mirror images under a reflection that does not preserve
    /// the class, or if a tour may have more than 254 of the moves. Cost: about that of a sweep, and a byte
    /// for every weight of all layers.
    ///
    /// # Errors
    /// The memory limit of the index is too low, a layer is damaged, or the control was cancelled.
    pub fn extreme(
        &self,
        class: &BTreeSet<(u32, u32)>,
        most: bool,
        control: &Control,
    ) -> Result<Option<(Tour, u32)>, IndexError> {
        control.begin_rounds(1);
        control.sweep_begins(&self.paces(), 0);
        let found = self.trails().extreme(class, most, &self.flowing(control), &mut |step, steps| {
            control.sweep_step(step, steps, 0, self.bytes());
        })?;
        control.round_done();
        Ok(found.map(|(edges, count)| {
            let sequence = sequence(self.numbered(), &edges);
            let kind = kind_of(self.numbered(), &sequence);
            (Tour::of_search(&self.numbered().arena, sequence, kind), count)
        }))
    }
}

impl Statistics {
    /// Returns the statistics of all tours of a kind, including open tours.
    ///
    /// # Errors
    /// See [`IndexError`]; there are no statistics of open tours with a fixed start or end.
    pub fn of(numbered: &Numbered, place: &Place, room: Room, control: &Control) -> Result<Self, IndexError> {
        Self::of_index(&Index::within(numbered, place, room, control)?, room, control)
    }

    /// Returns the statistics from an index, which numbers all paths if the kind is open tours.
    ///
    /// # Errors
    /// As for [`Statistics::compute`].
    pub fn of_index(index: &Index, room: Room, control: &Control) -> Result<Self, IndexError> {
        let (numbered, found) = (index.numbered(), index.statistics(control)?);
        if numbered.kind != Kind::Open {
            return Ok(found);
        }
        if numbered.is_directed() {
            return Err(IndexError::OpenEnds);
        }
        let squares = numbered.arena.len();
        if squares < 3 {
            return Ok(found);
        }
        let closed = Numbered { kind: Kind::Closed, ..numbered.clone() };
        let closed = Index::within(&closed, &Place::Memory, room, control)?.statistics(control)?;
        Ok(found.without_closed(&closed))
    }

    /// Returns the statistics of open tours: `self` are those of paths, from which those of closed tours are
    /// subtracted.
    pub(super) fn without_closed(self, closed: &Self) -> Self {
        let squares = self.numbered.arena.len();
        let times = BigUint::from(squares - 1);
        let moves = self.moves.into_iter().zip(&closed.moves);
        let twice = &closed.total * 2u32;
        Self {
            total: self.total - &closed.total * squares,
            moves: moves.map(|((edge, paths), (_, closed))| (edge, paths - &times * closed)).collect(),
            ends: self.ends.into_iter().map(|paths| paths - &twice).collect(),
            ..self
        }
    }

    /// Returns the share of a number in all tours, 0 to 1.
    #[must_use]
    pub fn share(&self, number: &BigUint) -> f64 {
        share(number, &self.total)
    }
}

/// Returns the share of a number in a total, 0 to 1 if the number is at most the total.
#[must_use]
pub fn share(number: &BigUint, total: &BigUint) -> f64 {
    // The bits lost from numbers beyond the range of `f64` are far below any digits shown.
    let shift = total.bits().saturating_sub(1000);
    let as_float = |number: &BigUint| (number >> shift).to_f64().unwrap_or(f64::MAX);
    if *total == BigUint::ZERO { 0.0 } else { as_float(number) / as_float(total) }
}
