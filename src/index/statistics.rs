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
use crate::frontier::{BackwardOptions, Cancel, EdgeUsage};
use crate::tour::{Kind, Tour};

use super::error::IndexError;
use super::tour_index::{Index, IndexResources};
use super::tour_set::TourSet;
use super::tour_set::{sequence_kind, vertex_sequence};
use crate::frontier::IndexLocation;

/// Exact statistics of all tours of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Tours counted: undirected, or directed if an end is fixed.
    pub tour_set: TourSet,
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
        let numbered = self.tour_set();
        let squares = numbered.board.len();
        control.begin_rounds(1);
        control.begin_sweep(&self.step_costs(), 0);
        let uses = self.layers().edge_usage(&self.backward_options(control), &mut |step, steps| {
            control.finish_sweep_step(step, steps, 0, self.layer_bytes());
        })?;
        control.finish_round();
        let is_closed = numbered.kind == Kind::Closed;
        let (ends, moves): (EdgeUsage, EdgeUsage) =
            uses.into_iter().partition(|&((_, w), _)| w as usize == squares);
        let mut by_vertex = vec![BigUint::ZERO; if is_closed { 0 } else { squares }];
        ends.into_iter().for_each(|((v, _), number)| by_vertex[v as usize] = number);
        let total = self.layers().total().clone();
        if squares == 1 && !is_closed {
            by_vertex[0].clone_from(&total);
        }
        Ok(Statistics {
            tour_set: numbered.clone(),
            total,
            moves: moves.into_iter().collect(),
            ends: by_vertex,
        })
    }
}

impl Index {
    fn backward_options(&self, control: &Control) -> BackwardOptions {
        let cancel = Cancel::from(control.cancel_flag());
        BackwardOptions { memory: self.memory_limit(), allocator: control.allocator_hook(), cancel }
    }

    /// Returns a numbered tour with the most moves of a class, or with the fewest, and their number. Returns
    /// `None` if there is no tour, if the plan merges mirror images under a reflection that does not preserve
    /// the class, or if a tour may have more than 254 of the moves. Cost: about that of a sweep, and a byte
    /// for every weight of all layers.
    ///
    /// # Errors
    /// The memory limit of the index is too low, a layer is damaged, or the control was cancelled.
    pub fn extreme_tour(
        &self,
        class: &BTreeSet<(u32, u32)>,
        maximise: bool,
        control: &Control,
    ) -> Result<Option<(Tour, u32)>, IndexError> {
        control.begin_rounds(1);
        control.begin_sweep(&self.step_costs(), 0);
        let found = self.layers().extreme_tour(
            class,
            maximise,
            &self.backward_options(control),
            &mut |step, steps| {
                control.finish_sweep_step(step, steps, 0, self.layer_bytes());
            },
        )?;
        control.finish_round();
        Ok(found.map(|(edges, count)| {
            let sequence = vertex_sequence(self.tour_set(), &edges);
            let kind = sequence_kind(self.tour_set(), &sequence);
            (Tour::from_search(&self.tour_set().board, sequence, kind), count)
        }))
    }
}

impl Statistics {
    /// Returns the statistics of all tours of a kind, including open tours.
    ///
    /// # Errors
    /// See [`IndexError`]; there are no statistics of open tours with a fixed start or end.
    pub fn compute(
        numbered: &TourSet,
        place: &IndexLocation,
        room: IndexResources,
        control: &Control,
    ) -> Result<Self, IndexError> {
        Self::from_index(&Index::with_resources(numbered, place, room, control)?, room, control)
    }

    /// Returns the statistics from an index, which numbers all paths if the kind is open tours.
    ///
    /// # Errors
    /// As for [`Statistics::compute`].
    pub fn from_index(index: &Index, room: IndexResources, control: &Control) -> Result<Self, IndexError> {
        let (numbered, found) = (index.tour_set(), index.statistics(control)?);
        if numbered.kind != Kind::Open {
            return Ok(found);
        }
        if numbered.is_directed() {
            return Err(IndexError::OpenWithFixedEnds);
        }
        let squares = numbered.board.len();
        if squares < 3 {
            return Ok(found);
        }
        let closed = TourSet { kind: Kind::Closed, ..numbered.clone() };
        let closed =
            Index::with_resources(&closed, &IndexLocation::Memory, room, control)?.statistics(control)?;
        Ok(found.minus_closed(&closed))
    }

    /// Returns the statistics of open tours: `self` are those of paths, from which those of closed tours are
    /// subtracted.
    pub(super) fn minus_closed(self, closed: &Self) -> Self {
        let squares = self.tour_set.board.len();
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
