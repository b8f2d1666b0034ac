//! Closed tours fixed by a rotation of any order, for example a translation of a cylinder by a third of its
//! circumference.
//!
//! A symmetry of order `k` whose cycles all have length `k` acts on a closed tour that it fixes as a rotation
//! of the cycle. The tour is the lift of a cycle of the quotient whose labels add up to a generator of `Z_k`,
//! as [`Walks`](super::quotient::Walks) explains. For `k` = 2, 4 and 8 the generators are the odd numbers,
//! which sweeps can distinguish. For other `k`, a search visits every cycle of the quotient and counts its
//! choices of labels by their sum:
//!
//! ```text
//! choices along a cycle:   the product, in the group ring of Z_k, of the labels of its edges
//! tours:                   its coefficients at the numbers prime to k, over all cycles
//! ```
//!
//! Quotients of one or two orbits have no cycles in the usual sense. The tours of one orbit step from `v` to
//! `s^u v`; those of two orbits alternate along two edges. Cost: a search among `n/k` orbits, a millionth of
//! one among `n` squares.

use std::ops::ControlFlow;
use std::sync::Mutex;

use num_bigint::BigUint;
use num_integer::Integer;

use crate::board::{Bitboard, Graph, SymmetryGroup};
use crate::control::Control;
use crate::count::{CountError, cost};
use crate::lock::lock;
use crate::search::probe;
use crate::search::problem::{Problem, ProblemError};
use crate::search::split::Plan;
use crate::search::visitor::Lister;
use crate::search::width::{ForBitboard, with_bitboard};
use crate::search::workers::{self, Stopped};
use crate::tour::Kind;

/// Maximum number of orbits for a search of their cycles.
pub const MOST_ORBITS: usize = 32;

/// Random walks for an estimate of the nodes of a search.
const WALKS: usize = 300;

/// A graph divided by a symmetry whose cycles all have one length.
#[derive(Debug)]
pub struct Rotation {
    order: usize,
    orbits: usize,
    /// Labels `l` with `r_a ~ s^l r_b`, at index `a * orbits + b`.
    labels: Vec<Vec<usize>>,
    graph: Graph,
}

impl Rotation {
    /// Creates the quotient by the automorphism that maps vertex `v` to `image[v]`, or returns `None` if its
    /// cycles have different lengths.
    pub fn new(graph: &Graph, image: &[u32]) -> Option<Self> {
        let mut place = vec![None; graph.len()];
        let (mut firsts, mut order) = (Vec::new(), 0);
        for v in 0..graph.len() {
            if place[v].is_some() {
                continue;
            }
            let (mut w, mut length) = (v, 0);
            while place[w].is_none() {
                place[w] = Some((firsts.len(), length));
                length += 1;
                w = image[w] as usize;
            }
            if order != 0 && length != order {
                return None;
            }
            order = length;
            firsts.push(v);
        }
        let orbits = firsts.len();
        let mut labels = vec![Vec::new(); orbits * orbits];
        for (a, &first) in firsts.iter().enumerate() {
            for &w in graph.neighbours(first) {
                let (b, label) = place[w as usize]?;
                labels[a * orbits + b].push(label);
            }
        }
        let pairs = (0..orbits).flat_map(|b| (0..b).map(move |a| (a, b)));
        let edges = pairs.filter(|&(a, b)| !labels[a * orbits + b].is_empty());
        let graph = Graph::from_edges(orbits, edges);
        Some(Self { order, orbits, labels, graph })
    }

    /// Returns true if the quotient is small enough to search its cycles.
    pub const fn is_small(&self) -> bool {
        self.orbits <= MOST_ORBITS
    }

    /// Returns the estimated core seconds of [`CyclicLift::count`], within a factor of a few. Cost: some
    /// milliseconds.
    ///
    /// # Errors
    /// As for [`CyclicLift::count`].
    pub fn seconds(&self) -> Result<f64, CountError> {
        if self.orbits < 3 {
            return Ok(0.0);
        }
        let plan = Plan::new(self.problem()?, Some(0))?;
        Ok(cost::visiting_seconds(plan.problem().graph(), probe::rough_nodes(&plan, WALKS, 0)))
    }

    /// Counts the closed tours of more than two vertices that the symmetry fixes as a rotation of the cycle.
    ///
    /// # Errors
    /// The quotient has too many orbits for a search, or the run was stopped.
    pub fn count(&self, control: &Control) -> Result<BigUint, CountError> {
        match self.orbits {
            1 => Ok((self.labels[0].iter().filter(|&&label| self.is_generator(label)).count() / 2).into()),
            2 => {
                let labels = &self.labels[1];
                let pairs = labels
                    .iter()
                    .enumerate()
                    .flat_map(|(i, a)| labels[..i].iter().map(move |b| a.abs_diff(*b)));
                Ok(pairs.filter(|&apart| self.is_generator(apart)).count().into())
            }
            _ => self.visit(control),
        }
    }

    fn visit(&self, control: &Control) -> Result<BigUint, CountError> {
        let plan = Plan::under(self.problem()?, None, control)?.ok_or(Stopped)?;
        let sum = Mutex::new(BigUint::ZERO);
        let schedule = plan.schedule();
        control.begin(schedule.len(), &schedule);
        workers::run(&schedule, control, |number| {
            let unit = Unit { rotation: self, plan: &plan, number, control };
            let (nodes, tours) = with_bitboard(plan.problem().width(), unit);
            control.unit_done(number, nodes, u128::try_from(&tours).unwrap_or(u128::MAX));
            *lock(&sum) += tours;
        })?;
        Ok(std::mem::take(&mut *lock(&sum)))
    }

    fn problem(&self) -> Result<Problem, ProblemError> {
        let group = SymmetryGroup::trivial(self.orbits);
        Problem::on_graph(self.graph.clone(), group, Kind::Closed, (None, None))
    }

    fn is_generator(&self, label: usize) -> bool {
        label.gcd(&self.order) == 1
    }

    /// Returns the number of choices of labels along a cycle whose sum is a generator, or `None` if it
    /// exceeds [`u128`]. There are at most `k^(n/k)` choices, which is below 2^68 for the 128 vertices that a
    /// search takes; [`u128`] also suffices for [`MAX_ORBITS`] orbits of 16 labels.
    fn choices(&self, cycle: &[u32]) -> Option<u128> {
        let mut sums = vec![0u128; self.order];
        sums[0] = 1;
        for (i, &a) in cycle.iter().enumerate() {
            let b = cycle[(i + 1) % cycle.len()];
            let mut next = vec![0u128; self.order];
            for &label in &self.labels[a as usize * self.orbits + b as usize] {
                for (sum, &many) in sums.iter().enumerate() {
                    let place = &mut next[(sum + label) % self.order];
                    *place = place.checked_add(many)?;
                }
            }
            sums = next;
        }
        let generators = sums.iter().enumerate().filter(|&(sum, _)| self.is_generator(sum));
        generators.map(|(_, &many)| many).try_fold(0u128, u128::checked_add)
    }
}

/// Arguments for searching a unit; the result is its nodes and tours.
struct Unit<'a> {
    rotation: &'a Rotation,
    plan: &'a Plan,
    number: usize,
    control: &'a Control,
}

impl ForBitboard for Unit<'_> {
    type Output = (u64, BigUint);

    fn run<B: Bitboard>(self) -> Self::Output {
        let (mut all, mut sum) = (BigUint::ZERO, 0u128);
        let mut visitor = Lister::new(self.control.flag(), |cycle: &mut Vec<u32>| {
            let choices = self.rotation.choices(cycle).expect("fewer choices than 2^128");
            match sum.checked_add(choices) {
                Some(more) => sum = more,
                None => all += std::mem::replace(&mut sum, choices),
            }
            ControlFlow::Continue(())
        });
        let nodes = self.plan.root::<B>(&self.plan.units()[self.number]).visit(&mut visitor);
        (nodes, all + sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Arena;
    use crate::count::symmetric::tiny;
    use crate::count::symmetric::walks::Action;

    #[test]
    fn every_rotation_keeps_as_many_tours_as_are_seen() {
        let graphs: Vec<Graph> = ["3x3", "3x4", "2x5", "2x6"]
            .into_iter()
            .flat_map(|board| {
                [("0,1", "torus"), ("1,2", "torus"), ("0,1+1,1", "cols")].map(|rest| (board, rest))
            })
            .map(|(board, (piece, wrap))| {
                let arena: Arena =
                    format!("board={board} wrap={wrap} piece={piece} remove=-").parse().unwrap();
                arena.graph().clone()
            })
            .chain([Graph::from_edges(7, (0..7).flat_map(|w| (0..w).map(move |v| (v, w))))])
            .collect();
        let (mut rotations, mut kept) = (0, 0);
        for graph in graphs {
            let arena = Arena::from_graph(graph.clone());
            let tours = tiny::tours(&graph, true);
            for element in &arena.symmetries().elements()[1..] {
                let Some(rotation) = Rotation::new(&graph, &element.image) else { continue };
                let seen =
                    tours.iter().filter(|t| tiny::action(t, true, &element.image) == Some(Action::Keeps));
                let seen = seen.count();
                assert_eq!(
                    rotation.count(&Control::new()).unwrap(),
                    seen.into(),
                    "{arena} {:?}",
                    element.image
                );
                (rotations, kept) = (rotations + 1, kept + seen);
            }
        }
        assert!(rotations > 100 && kept > 100, "{rotations} {kept}");
    }
}
