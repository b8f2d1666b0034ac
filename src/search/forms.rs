//! [`ListingFilter`] decides which tours are listed, and in which direction and from which start each is
//! written.

use std::ops::ControlFlow;

use crate::tour::{Kind, Shape, canonical, lowest};

use super::problem::Problem;
use super::source::Taker;
use super::split::Unit;

/// The filter of one listing.
#[derive(Clone, Debug)]
pub(super) struct Forms {
    shape: Shape,
    kind: Kind,
    /// Start of closed tours.
    from: Option<u32>,
    /// The problem, whose graph decides which paths are re-entrant.
    problem: Problem,
    both_directions: bool,
    distinct: bool,
}

impl Forms {
    pub(super) fn new(problem: &Problem, directed: bool, distinct: bool) -> Self {
        let shape = match problem.kind() {
            Kind::Closed => Shape::Closed,
            _ if problem.is_fixed() => Shape::Directed,
            _ => Shape::Path,
        };
        // A path with a fixed start or end has one direction; a closed tour from a fixed start has two.
        let both_directions = match shape {
            Shape::Closed => directed || problem.is_fixed(),
            Shape::Path => directed,
            Shape::Directed => false,
        };
        Self {
            shape,
            kind: problem.kind(),
            from: problem.start().filter(|_| shape == Shape::Closed),
            problem: problem.clone(),
            both_directions,
            distinct,
        }
    }

    /// Passes a tour to the sink unchanged.
    pub(super) fn hand(&self, sequence: &[u32], take: &mut Taker<'_>) -> ControlFlow<()> {
        let ends = (sequence[0], sequence[sequence.len() - 1]);
        let joined = self.kind != Kind::Closed && self.problem.is_re_entrant(ends.0, ends.1);
        take(self.kind.of_tour(joined), sequence)
    }

    /// Passes a tour to the sink in its lowest form, or from the fixed start, and in the other direction too
    /// if requested.
    pub(super) fn hand_directions(&self, sequence: &mut [u32], take: &mut Taker<'_>) -> ControlFlow<()> {
        lowest(sequence, self.shape);
        if let Some(at) = self.from.and_then(|from| sequence.iter().position(|&v| v == from)) {
            sequence.rotate_left(at);
        }
        self.hand(sequence, take)?;
        if self.both_directions {
            match self.shape {
                Shape::Closed => sequence[1..].reverse(),
                _ => sequence.reverse(),
            }
            self.hand(sequence, take)?;
        }
        ControlFlow::Continue(())
    }

    /// Returns the canonical form of a unit's tour if this tour represents its symmetry class.
    pub(super) fn of_class(&self, sequence: &[u32], unit: &Unit) -> Option<Vec<u32>> {
        let problem = &self.problem;
        if !self.is_least(sequence, unit) {
            return None;
        }
        let form = canonical(sequence, self.shape, problem.symmetries());
        // If the search uses only some symmetries, the others map the tour to further tours of its class.
        let whole = problem.group().order() == problem.symmetries().order();
        (whole || canonical(sequence, self.shape, problem.group()) == form).then_some(form)
    }

    /// Returns true if no symmetry of the unit maps the tour to a lower one.
    fn is_least(&self, sequence: &[u32], unit: &Unit) -> bool {
        if unit.residual.len() == 1 {
            return true;
        }
        let reading = |g: u32| {
            let element = &self.problem.group().elements()[g as usize];
            let mut image: Vec<u32> = sequence.iter().map(|&v| element.image[v as usize]).collect();
            lowest(&mut image, self.shape);
            image
        };
        // The identity comes first.
        let own = reading(unit.residual[0]);
        unit.residual[1..].iter().all(|&g| own <= reading(g))
    }

    /// Returns true if a tour found by backtracking is to be listed.
    pub(super) fn is_wanted_in_order(&self, sequence: &[u32]) -> bool {
        let second_direction = self.shape == Shape::Closed
            && !self.both_directions
            && sequence.len() > 2
            && sequence[1] > sequence[sequence.len() - 1];
        !second_direction
            && (!self.distinct || canonical(sequence, self.shape, self.problem.symmetries()) == sequence)
    }
}
