//! Visits the walks of a quotient one by one with the multi-path search.
//!
//! Cycles of the quotient are visited as closed tours, paths as paths between each two orbits (or from each
//! orbit) where they may begin. The visitor decides how to use a walk: [`count_walks`] multiplies the numbers
//! of parallel edges, and a list of symmetric tours expands every choice of them.

use std::sync::Mutex;

use num_bigint::BigInt;

use crate::board::{Bitboard, SymmetryGroup};
use crate::control::Control;
use crate::count::CountError;
use crate::lock::lock;
use crate::search::bitboard_graph::{BitboardJob, MAX_SQUARES, run_with_bitboard};
use crate::search::multipath_plan::MultipathPlan;
use crate::search::parallel_units;
use crate::search::parallel_units::Stopped;
use crate::search::problem::{Problem, ProblemError};
use crate::search::visitor::SequenceVisitor;
use crate::tour::Kind;

use super::quotient::Quotient;
use super::quotient::{Walks, odd_walks};

/// Returns the searches that together visit every walk once.
///
/// # Errors
/// The board is too large for a search.
pub fn search_problems(quotient: &Quotient, walks: &Walks) -> Result<Vec<Problem>, ProblemError> {
    if quotient.square_count() > MAX_SQUARES {
        return Err(ProblemError::TooLarge(format!("the board has {} squares", quotient.square_count())));
    }
    let graph = quotient.graph();
    let problem = |kind, ends| {
        let group = SymmetryGroup::trivial(graph.len());
        Problem::from_graph(graph.clone(), group, kind, ends)
    };
    let between = |&(a, b): &(u32, u32)| problem(Kind::Paths, (Some(a), Some(b)));
    match walks {
        Walks::None => Ok(Vec::new()),
        Walks::Cycles => Ok(vec![problem(Kind::Closed, (None, None))?]),
        Walks::Between(ends) => {
            let pairs =
                ends.iter().enumerate().flat_map(|(i, &a)| ends[i + 1..].iter().map(move |&b| (a, b)));
            pairs.collect::<Vec<_>>().iter().map(between).collect()
        }
        Walks::FromOneTo(start, ends) => ends.iter().map(|&end| between(&(*start, end))).collect(),
        Walks::FromAny(starts) => starts.iter().map(|&a| problem(Kind::Paths, (Some(a), None))).collect(),
    }
}

/// Counts the tours that the walks represent.
///
/// # Errors
/// The board is too large for a search, or the run was stopped.
pub fn count_walks_by_search(quotient: &Quotient, walks: &Walks, control: &Control) -> Result<BigInt, CountError> {
    let (mut total, mut difference) = (BigInt::ZERO, BigInt::ZERO);
    let is_closed = *walks == Walks::Cycles;
    let factors = EdgeTable::new(quotient);
    for problem in search_problems(quotient, walks)? {
        let plan = MultipathPlan::new_under(problem, None, control)?.ok_or(Stopped)?;
        let sums = Mutex::new((BigInt::ZERO, BigInt::ZERO));
        let schedule = plan.schedule();
        control.begin_run(schedule.len(), &schedule);
        parallel_units::run_units(&schedule, control, |number| {
            let unit = WalkUnit { plan: &plan, number, factors: &factors, is_closed, control };
            let (nodes, many, excess) = run_with_bitboard(plan.problem().bitboard_width(), unit);
            control.finish_unit(number, nodes, many.unsigned_abs());
            let mut sums = lock(&sums);
            sums.0 += many;
            sums.1 += excess;
        })?;
        let (many, excess) = std::mem::take(&mut *lock(&sums));
        total += many;
        difference += excess;
    }
    Ok(if is_closed { odd_walks(&total, &difference)? } else { total })
}

/// Numbers of parallel edges by pair of orbits.
struct EdgeTable {
    len: usize,
    /// Number of edges, and number of those with an even label minus the number of those with an odd label.
    table: Vec<(i8, i8)>,
}

impl EdgeTable {
    fn new(quotient: &Quotient) -> Self {
        let len = quotient.graph().len();
        let mut table = vec![(0, 0); len * len];
        for a in 0..len {
            for &b in quotient.graph().neighbours(a) {
                let (v, w) = (a as u32, b);
                // At most the order of the symmetry.
                table[a * len + b as usize] =
                    (quotient.multiplicity(v, w) as i8, quotient.parity_excess(v, w) as i8);
            }
        }
        Self { len, table }
    }

    /// Returns the products along a walk. A search takes at most 128 squares, so there are at most 64 orbits
    /// with up to 2 parallel edges, or 32 with up to 4: no product exceeds 2^64.
    fn walk_products(&self, walk: &[u32], is_closed: bool) -> (i128, i128) {
        let last = if is_closed { self.edge(walk[walk.len() - 1], walk[0]) } else { (1, 1) };
        let start = (i128::from(last.0), i128::from(last.1));
        walk.windows(2).fold(start, |(many, excess), edge| {
            let (m, x) = self.edge(edge[0], edge[1]);
            (many * i128::from(m), excess * i128::from(x))
        })
    }

    fn edge(&self, a: u32, b: u32) -> (i8, i8) {
        self.table[a as usize * self.len + b as usize]
    }
}

/// Arguments for searching a unit; the result is its nodes and the sums of both products.
struct WalkUnit<'a> {
    plan: &'a MultipathPlan,
    number: usize,
    factors: &'a EdgeTable,
    is_closed: bool,
    control: &'a Control,
}

impl BitboardJob for WalkUnit<'_> {
    type Output = (u64, i128, i128);

    fn run<B: Bitboard>(self) -> Self::Output {
        let unit = &self.plan.units()[self.number];
        // Fewer than 2^63 walks of less than 2^64 each: no sum can overflow.
        let (mut many, mut excess) = (0i128, 0i128);
        let mut visitor = SequenceVisitor::new(self.control.cancel_flag(), |walk: &mut Vec<u32>| {
            let (m, x) = self.factors.walk_products(walk, self.is_closed);
            many += m;
            excess += x;
            std::ops::ControlFlow::Continue(())
        });
        let nodes = self.plan.unit_root::<B>(unit).visit(&mut visitor);
        (nodes, many, excess)
    }
}
