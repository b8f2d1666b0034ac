//! The number of closed tours fixed by a rotation of any order, for example by a translation of a
//! cylinder by a third of its circumference.
//!
//! A symmetry of order `k` whose cycles all have length `k` acts on a closed tour that it fixes as
//! a rotation of the cycle. The tour is the lift of a cycle of the quotient whose labels add up to
//! a generator of `Z_k`, as [`Walks`](super::quotient::Walks) explains. For `k` = 2, 4 and 8 the
//! generators are the odd numbers, which sweeps can distinguish. For other `k`, a search visits
//! every cycle of the quotient and counts its choices of labels by their sum:
//!
//! ```text
//! choices along a cycle:   the product, in the group ring of Z_k, of the labels of its edges
//! tours:                   its coefficients at the numbers prime to k, over all cycles
//! ```
//!
//! Quotients of one or two orbits have no cycles in the usual sense. The tours of one orbit step
//! from `v` to `s^u v`; those of two orbits alternate along two edges. Cost: a search among `n/k`
//! orbits, a millionth of one among `n` squares.

use std::ops::ControlFlow;
use std::sync::Mutex;

use num_bigint::BigUint;
use num_integer::Integer;

use crate::board::{Bitboard, Graph, PermutationCycles, SymmetryGroup};
use crate::control::Control;
use crate::count::{CountError, engine_cost};
use crate::lock::lock;
use crate::search::bitboard_graph::with_bitboard;
use crate::search::multipath_plan::MultipathPlan;
use crate::search::problem::{Problem, ProblemError};
use crate::search::unit_runner::Stopped;
use crate::search::visitor::SequenceVisitor;
use crate::search::{tree_size_estimate, unit_runner};
use crate::tour::Kind;

/// Maximum number of orbits of a quotient whose cycles are searched.
pub const MAX_ORBITS: usize = 32;

/// Number of random walks for an estimate of the nodes of a search.
const PROBE_WALKS: usize = 300;

/// The quotient of a graph by a symmetry whose cycles all have the same length.
#[derive(Debug)]
pub struct CyclicLift {
    order: usize,
    orbit_count: usize,
    /// For each pair of orbits, at index `a * orbit_count + b`, the labels `l` with `r_a ~ s^l
    /// r_b`.
    labels: Vec<Vec<usize>>,
    graph: Graph,
}

impl CyclicLift {
    /// Creates the quotient of `graph` by the automorphism that maps vertex `v` to `image[v]`.
    /// Returns `None` if the cycles of the automorphism have different lengths.
    pub fn new(graph: &Graph, image: &[u32]) -> Option<Self> {
        let cycles = PermutationCycles::new(image);
        let order = cycles.lengths().next().unwrap_or(0);
        if cycles.lengths().any(|length| length != order) {
            return None;
        }
        let orbits = cycles.cycles.len();
        let mut labels = vec![Vec::new(); orbits * orbits];
        for (a, orbit) in cycles.cycles.iter().enumerate() {
            for &w in graph.neighbours(orbit[0] as usize) {
                let (b, label) = cycles.positions[w as usize];
                labels[a * orbits + b as usize].push(label);
            }
        }
        let pairs = (0..orbits).flat_map(|b| (0..b).map(move |a| (a, b)));
        let edges = pairs.filter(|&(a, b)| !labels[a * orbits + b].is_empty());
        let graph = Graph::from_edges(orbits, edges);
        Some(Self { order, orbit_count: orbits, labels, graph })
    }

    /// Returns true if the quotient is small enough to search its cycles.
    pub const fn is_searchable(&self) -> bool {
        self.orbit_count <= MAX_ORBITS
    }

    /// Returns the estimated core seconds of [`CyclicLift::count`], correct within a factor of a
    /// few. Cost: some milliseconds.
    ///
    /// # Errors
    /// As for [`CyclicLift::count`].
    pub fn search_seconds(&self) -> Result<f64, CountError> {
        if self.orbit_count < 3 {
            return Ok(0.0);
        }
        let plan = MultipathPlan::new(self.new_problem()?, Some(0))?;
        Ok(engine_cost::visit_seconds(
            plan.problem().graph(),
            tree_size_estimate::estimate_nodes_roughly(&plan, PROBE_WALKS, 0),
        ))
    }

    /// Counts the closed tours of more than two vertices that the symmetry rotates.
    ///
    /// # Errors
    /// The quotient has too many orbits for a search, or the run was stopped.
    pub fn count(&self, control: &Control) -> Result<BigUint, CountError> {
        match self.orbit_count {
            1 => Ok((self.labels[0].iter().filter(|&&label| self.is_generator(label)).count() / 2).into()),
            2 => {
                let labels = &self.labels[1];
                let pairs = labels
                    .iter()
                    .enumerate()
                    .flat_map(|(i, a)| labels[..i].iter().map(move |b| a.abs_diff(*b)));
                Ok(pairs.filter(|&difference| self.is_generator(difference)).count().into())
            }
            _ => self.count_by_search(control),
        }
    }

    fn count_by_search(&self, control: &Control) -> Result<BigUint, CountError> {
        let plan = MultipathPlan::new_under(self.new_problem()?, None, control)?.ok_or(Stopped)?;
        let sum = Mutex::new(BigUint::ZERO);
        let schedule = plan.schedule();
        control.begin_run(schedule.len(), &schedule);
        unit_runner::run_units(&schedule, control, |number| {
            let (nodes, tours) = with_bitboard!(
                plan.problem().bitboard_width(),
                B => self.count_unit::<B>(&plan, number, control)
            );
            control.finish_unit(number, nodes, u128::try_from(&tours).unwrap_or(u128::MAX));
            *lock(&sum) += tours;
        })?;
        Ok(std::mem::take(&mut *lock(&sum)))
    }

    /// Searches a unit. Returns the number of nodes and the number of tours.
    fn count_unit<B: Bitboard>(
        &self,
        plan: &MultipathPlan,
        number: usize,
        control: &Control,
    ) -> (u64, BigUint) {
        let (mut all, mut sum) = (BigUint::ZERO, 0u128);
        let mut visitor = SequenceVisitor::new(control.cancel_flag(), |cycle: &mut Vec<u32>| {
            let choices = self.generating_choices(cycle).expect("fewer choices than 2^128");
            match sum.checked_add(choices) {
                Some(more) => sum = more,
                None => all += std::mem::replace(&mut sum, choices),
            }
            ControlFlow::Continue(())
        });
        let nodes = plan.unit_root::<B>(&plan.units()[number]).visit(&mut visitor);
        (nodes, all + sum)
    }

    fn new_problem(&self) -> Result<Problem, ProblemError> {
        let group = SymmetryGroup::trivial(self.orbit_count);
        Problem::from_graph(self.graph.clone(), group, Kind::Closed, (None, None))
    }

    fn is_generator(&self, label: usize) -> bool {
        label.gcd(&self.order) == 1
    }

    /// Returns the number of choices of labels along `cycle` whose sum is a generator of `Z_k`, or
    /// `None` if the number exceeds [`u128`]. There are at most `k^(n/k)` choices, which is below
    /// 2^68 for the 128 vertices that a search takes; [`u128`] also suffices for [`MAX_ORBITS`]
    /// orbits of 16 labels.
    fn generating_choices(&self, cycle: &[u32]) -> Option<u128> {
        let mut sums = vec![0u128; self.order];
        sums[0] = 1;
        for (i, &a) in cycle.iter().enumerate() {
            let b = cycle[(i + 1) % cycle.len()];
            let mut next = vec![0u128; self.order];
            for &label in &self.labels[a as usize * self.orbit_count + b as usize] {
                for (sum, &many) in sums.iter().enumerate() {
                    let next_sum = &mut next[(sum + label) % self.order];
                    *next_sum = next_sum.checked_add(many)?;
                }
            }
            sums = next;
        }
        let generators = sums.iter().enumerate().filter(|&(sum, _)| self.is_generator(sum));
        generators.map(|(_, &many)| many).try_fold(0u128, u128::checked_add)
    }
}

#[cfg(test)]
mod tests {
    use super::super::brute_force;
    use super::*;
    use crate::board::Board;
    use crate::tour::{Action, SymmetryForm, TourShape};

    #[test]
    fn cyclic_lift_agrees_with_brute_force() {
        let graphs: Vec<Graph> = ["3x3", "3x4", "2x5", "2x6"]
            .into_iter()
            .flat_map(|rectangle| {
                [("0,1", "torus"), ("1,2", "torus"), ("0,1+1,1", "cols")].map(|rest| (rectangle, rest))
            })
            .map(|(rectangle, (piece, wrap))| {
                let board: Board =
                    format!("board={rectangle} wrap={wrap} piece={piece} remove=-").parse().unwrap();
                board.graph().clone()
            })
            .chain([Graph::from_edges(7, (0..7).flat_map(|w| (0..w).map(move |v| (v, w))))])
            .collect();
        let (mut rotations, mut fixed_tours) = (0, 0);
        for graph in graphs {
            let board = Board::from_graph(graph.clone());
            let tours = brute_force::all_tours(&graph, Kind::Closed);
            for element in &board.symmetries().elements()[1..] {
                let Some(rotation) = CyclicLift::new(&graph, &element.image) else { continue };
                let action = |tour: &Vec<u32>| SymmetryForm::new(tour, TourShape::Closed).action(element);
                let seen = tours.iter().filter(|tour| action(tour) == Some(Action::Preserves)).count();
                assert_eq!(
                    rotation.count(&Control::new()).unwrap(),
                    seen.into(),
                    "{board} {:?}",
                    element.image
                );
                (rotations, fixed_tours) = (rotations + 1, fixed_tours + seen);
            }
        }
        assert!(rotations > 100 && fixed_tours > 100, "{rotations} {fixed_tours}");
    }
}
