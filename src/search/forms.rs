//! [`ListingFilter`] decides which tours are listed, and in which direction and from which start each is
//! written.

use std::ops::ControlFlow;

use crate::tour::{Kind, TourShape, canonical_form, normalise};

use super::problem::Problem;
use super::source::TourSink;
use super::split::MultipathUnit;

/// The filter of one listing.
#[derive(Clone, Debug)]
pub(super) struct ListingFilter {
    shape: TourShape,
    kind: Kind,
    /// Start of closed tours.
    closed_start: Option<u32>,
    /// The problem, whose graph decides which paths are re-entrant.
    problem: Problem,
    both_directions: bool,
    distinct: bool,
}

impl ListingFilter {
    pub(super) fn new(problem: &Problem, directed: bool, distinct: bool) -> Self {
        let shape = match problem.kind() {
            Kind::Closed => TourShape::Closed,
            _ if problem.has_fixed_end() => TourShape::Directed,
            _ => TourShape::Path,
        };
        // A path with a fixed start or end has one direction; a closed tour from a fixed start has two.
        let both_directions = match shape {
            TourShape::Closed => directed || problem.has_fixed_end(),
            TourShape::Path => directed,
            TourShape::Directed => false,
        };
        Self {
            shape,
            kind: problem.kind(),
            closed_start: problem.start().filter(|_| shape == TourShape::Closed),
            problem: problem.clone(),
            both_directions,
            distinct,
        }
    }

    /// Passes a tour to the sink unchanged.
    pub(super) fn emit(&self, sequence: &[u32], take: &mut TourSink<'_>) -> ControlFlow<()> {
        let ends = (sequence[0], sequence[sequence.len() - 1]);
        let joined = self.kind != Kind::Closed && self.problem.is_re_entrant(ends.0, ends.1);
        take(self.kind.tour_kind(joined), sequence)
    }

    /// Passes a tour to the sink in its lowest form, or from the fixed start, and in the other direction too
    /// if requested.
    pub(super) fn emit_directions(&self, sequence: &mut [u32], take: &mut TourSink<'_>) -> ControlFlow<()> {
        normalise(sequence, self.shape);
        if let Some(at) = self.closed_start.and_then(|from| sequence.iter().position(|&v| v == from)) {
            sequence.rotate_left(at);
        }
        self.emit(sequence, take)?;
        if self.both_directions {
            match self.shape {
                TourShape::Closed => sequence[1..].reverse(),
                _ => sequence.reverse(),
            }
            self.emit(sequence, take)?;
        }
        ControlFlow::Continue(())
    }

    /// Returns the canonical form of a unit's tour if this tour represents its symmetry class.
    pub(super) fn class_representative(&self, sequence: &[u32], unit: &MultipathUnit) -> Option<Vec<u32>> {
        let problem = &self.problem;
        if !self.is_unit_minimum(sequence, unit) {
            return None;
        }
        let form = canonical_form(sequence, self.shape, problem.symmetries());
        // If the search uses only some symmetries, the others map the tour to further tours of its class.
        let whole = problem.search_group().order() == problem.symmetries().order();
        (whole || canonical_form(sequence, self.shape, problem.search_group()) == form).then_some(form)
    }

    /// Returns true if no symmetry of the unit maps the tour to a lower one.
    fn is_unit_minimum(&self, sequence: &[u32], unit: &MultipathUnit) -> bool {
        if unit.residual.len() == 1 {
            return true;
        }
        let reading = |g: u32| {
            let element = &self.problem.search_group().elements()[g as usize];
            let mut image: Vec<u32> = sequence.iter().map(|&v| element.image[v as usize]).collect();
            normalise(&mut image, self.shape);
            image
        };
        // The identity comes first.
        let own = reading(unit.residual[0]);
        unit.residual[1..].iter().all(|&g| own <= reading(g))
    }

    /// Returns true if a tour found by backtracking is to be listed.
    pub(super) fn is_listed_in_plain_order(&self, sequence: &[u32]) -> bool {
        let second_direction = self.shape == TourShape::Closed
            && !self.both_directions
            && sequence.len() > 2
            && sequence[1] > sequence[sequence.len() - 1];
        !second_direction
            && (!self.distinct || canonical_form(sequence, self.shape, self.problem.symmetries()) == sequence)
    }
}
