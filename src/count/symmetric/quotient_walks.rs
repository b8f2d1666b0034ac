//! Two counts of the walks of a quotient, and thereby of the tours that they represent: by a search
//! that visits them one by one, and by sweeps.
//!
//! # Search
//!
//! Cycles of the quotient are visited as closed tours, paths as paths between each two orbits (or
//! from each orbit) where they may begin. The visitor decides how to use a walk:
//! [`count_walks_by_search`] multiplies the numbers of parallel edges, and a list of symmetric
//! tours expands every choice of them.
//!
//! # Sweeps
//!
//! A cycle of the quotient is the projection of as many closed walks as there are choices of
//! parallel edges. With `m` edges between two orbits, and `x` the number of those with an even
//! label minus the number of those with an odd label,
//!
//! ```text
//! T = sum over cycles of the product of m       all choices
//! S = sum over cycles of the product of x       choices of even sum minus choices of odd sum
//! tours = (T - S) / 2                           choices of odd sum
//! ```
//!
//! Two sweeps with factors are therefore enough, and no state stores a label. Both are sums over
//! the same cycles and `|S| <= T`. Paths between two kinds of orbits are cycles through an
//! additional vertex, joined to the orbits where a path may begin:
//!
//! ```text
//! between two orbits of A      cycles of   Q + x,   x joined to A
//! from a to an orbit of B      paths a..x  of Q + x,   x joined to B
//! from an orbit of A           paths x..   of Q + x,   x joined to A
//! ```
//!
//! Cost: that of sweeps of a board half as large (a quarter, for a quarter turn).

use std::sync::Mutex;

use num_bigint::{BigInt, Sign};
use num_traits::{Signed, Zero};

use super::quotient::{Quotient, Walks, odd_walks};
use super::saved_parts::CountPart;
use crate::board::{Bitboard, Graph, SymmetryGroup, Vertex};
use crate::control::Control;
use crate::count::CountError;
use crate::count::run_observer::SweepProgress;
use crate::frontier;
use crate::frontier::{Cancel, Estimate, Factors, Modulus, Options, PreparedSweep, SweepGraph, Tours, Width};
use crate::lock::lock;
use crate::search::bitboard_graph::{MAX_SQUARES, with_bitboard};
use crate::search::multipath_plan::MultipathPlan;
use crate::search::problem::{Problem, ProblemError};
use crate::search::unit_runner;
use crate::search::unit_runner::Stopped;
use crate::search::visitor::SequenceVisitor;
use crate::tour::Kind;

/// Returns the searches that together visit each of the walks once.
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

/// Counts the tours that the walks represent by a search for the walks.
///
/// # Errors
/// The board is too large for a search, or the run was stopped.
pub fn count_walks_by_search(
    quotient: &Quotient,
    walks: &Walks,
    control: &Control,
) -> Result<BigInt, CountError> {
    let (mut total, mut difference) = (BigInt::ZERO, BigInt::ZERO);
    let is_closed = *walks == Walks::Cycles;
    let factors = EdgeTable::new(quotient);
    for problem in search_problems(quotient, walks)? {
        let plan = MultipathPlan::new_under(problem, None, control)?.ok_or(Stopped)?;
        let sums = Mutex::new((BigInt::ZERO, BigInt::ZERO));
        let schedule = plan.schedule();
        control.begin_run(schedule.len(), &schedule);
        unit_runner::run_units(&schedule, control, |number| {
            let (nodes, many, excess) = with_bitboard!(
                plan.problem().bitboard_width(),
                B => sum_walk_products::<B>(&plan, number, &factors, is_closed, control)
            );
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

/// Numbers of parallel edges between each two orbits of a quotient.
struct EdgeTable {
    len: usize,
    /// For each two orbits, the number of edges between them; and the number of edges with an even
    /// label minus the number of edges with an odd label.
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

    /// Returns two products over the edges of a walk: of the numbers of parallel edges, and of the
    /// differences between even and odd labels. A search takes at most 128 squares, so there are at
    /// most 64 orbits with up to 2 parallel edges, or 32 with up to 4: no product exceeds 2^64.
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

/// Searches a unit. Returns the number of nodes, and the sums of the two products of
/// [`EdgeTable::walk_products`] over all walks.
fn sum_walk_products<B: Bitboard>(
    plan: &MultipathPlan,
    number: usize,
    factors: &EdgeTable,
    is_closed: bool,
    control: &Control,
) -> (u64, i128, i128) {
    // Fewer than 2^63 walks of less than 2^64 each: no sum can overflow.
    let (mut many, mut excess) = (0i128, 0i128);
    let mut visitor = SequenceVisitor::new(control.cancel_flag(), |walk: &mut Vec<u32>| {
        let (m, x) = factors.walk_products(walk, is_closed);
        many += m;
        excess += x;
        std::ops::ControlFlow::Continue(())
    });
    let nodes = plan.unit_root::<B>(&plan.units()[number]).visit(&mut visitor);
    (nodes, many, excess)
}

/// Maximum number of orbits of a quotient that is swept. The search for an order of so many orbits
/// takes a second.
const MAX_SWEEP_ORBITS: usize = 1024;

/// Counts the tours that the walks represent by sweeps, which are saved and resumed as subparts of `part`.
/// `memory` is the memory limit of each sweep in bytes. If `residues` is set, the sweeps run modulo primes with
/// this number of bits, and only their final numbers are saved.
///
/// # Errors
/// A sweep failed or was stopped.
pub fn count_walks_by_sweep(
    quotient: &Quotient,
    walks: &Walks,
    group: &SymmetryGroup,
    memory: Option<u64>,
    residues: Option<u32>,
    part: &CountPart<'_>,
) -> Result<BigInt, CountError> {
    if *walks != Walks::None && quotient.graph().len() > MAX_SWEEP_ORBITS {
        return Err(CountError::TooManyOrbits {
            orbits: quotient.graph().len(),
            max_orbits: MAX_SWEEP_ORBITS,
        });
    }
    let run = |part: &CountPart<'_>, sweep: &QuotientSweep, modulo: Option<Modulus>| {
        let field = sweep_graph(quotient, &sweep.apex_neighbours, &sweep.factors, group);
        let options = Options { modulo, ..sweep_options(memory, part.control) };
        let outcome = match residues {
            Some(bits) => {
                let options = Options { modulo: None, ..options };
                let mut progress = SweepProgress::new(part.control, "quotient");
                frontier::count_by_residues(&field, sweep.tours, &options, bits, &mut progress)?
            }
            None => part.sweep(&field, sweep.tours, &options)?,
        };
        let sign = if outcome.is_negative { Sign::Minus } else { Sign::Plus };
        Ok(BigInt::from_biguint(sign, outcome.count))
    };
    let sum = |number: usize, sweep: &QuotientSweep, modulo: Option<Modulus>| {
        let part = part.subpart(format_args!("sweep {number}"));
        part.compute(|| run(&part, sweep, modulo))
    };
    match &required_sweeps(quotient, walks)[..] {
        [] => Ok(BigInt::ZERO),
        [one] => sum(1, one, None),
        [total, difference, ..] => {
            let total = sum(1, total, None)?;
            if total.is_zero() {
                return Ok(total);
            }
            // The difference does not exceed the total, so its residue determines it.
            let width = Some(Modulus::PowerOfTwo(Width::fitting_bits(total.bits() as u32 + 1)));
            Ok(odd_walks(&total, &sum(2, difference, width)?)?)
        }
    }
}

/// A function that estimates a planned sweep under a memory limit in bytes.
pub type SweepEstimator = fn(&PreparedSweep, Option<u64>) -> Result<Estimate, CountError>;

/// Returns the estimates by `estimate` of the sweeps that count these walks. Cost: at most a second for each sweep, and that
/// of `estimate`.
///
/// # Errors
/// The quotient has too many orbits, a sweep cannot be planned, or the control was cancelled.
pub fn estimate_sweeps(
    quotient: &Quotient,
    walks: &Walks,
    group: &SymmetryGroup,
    memory: Option<u64>,
    estimate: SweepEstimator,
    control: &Control,
) -> Result<Vec<Estimate>, CountError> {
    if *walks != Walks::None && quotient.graph().len() > MAX_SWEEP_ORBITS {
        return Err(CountError::TooManyOrbits {
            orbits: quotient.graph().len(),
            max_orbits: MAX_SWEEP_ORBITS,
        });
    }
    let mut modulo = None;
    let estimate_sweep = |sweep: &QuotientSweep| {
        let field = sweep_graph(quotient, &sweep.apex_neighbours, &sweep.factors, group);
        let options = Options { modulo, ..sweep_options(memory, control) };
        let prepared = PreparedSweep::new(&field, sweep.tours, &options)?;
        // The second sweep is one modulo a power of two above the total.
        modulo = Some(Modulus::PowerOfTwo(Width::fitting_bits(prepared.rough_count_bits() + 1)));
        estimate(&prepared, options.memory)
    };
    required_sweeps(quotient, walks).iter().map(estimate_sweep).collect()
}

/// One sweep of a quotient: the orbits joined to the additional vertex (if any), the factors of the
/// edges, and the set of tours to count.
struct QuotientSweep {
    apex_neighbours: Vec<u32>,
    factors: Factors,
    tours: Tours,
}

/// Returns the sweeps that count these walks. Cycles need two sweeps: the first counts all choices
/// of labels, the second the choices of even sum minus the choices of odd sum. Other walks need one
/// sweep.
fn required_sweeps(quotient: &Quotient, walks: &Walks) -> Vec<QuotientSweep> {
    let (many, apex) = (quotient.edge_factors(|a, b| quotient.multiplicity(a, b)), quotient.graph().len());
    let one = |specials: &[u32], tours| {
        vec![QuotientSweep { apex_neighbours: specials.to_vec(), factors: many.clone(), tours }]
    };
    match walks {
        Walks::None => Vec::new(),
        Walks::Cycles => {
            let excess = quotient.edge_factors(|a, b| quotient.parity_excess(a, b));
            let mut both = one(&[], Tours::Closed);
            both.push(QuotientSweep { apex_neighbours: Vec::new(), factors: excess, tours: Tours::Closed });
            both
        }
        Walks::Between(ends) => one(ends, Tours::Closed),
        Walks::FromOneTo(start, ends) => one(ends, Tours::Between(*start, apex as Vertex)),
        Walks::FromAny(starts) => one(starts, Tours::From(apex as Vertex)),
    }
}

fn sweep_options(memory: Option<u64>, control: &Control) -> Options {
    let memory = memory.or_else(crate::memory::default_limit_bytes);
    let (allocator, cancel) = (control.allocator_hook(), Cancel::from(control.cancel_flag()));
    Options { memory, allocator, cancel, ..Options::default() }
}

/// Returns the quotient as a graph for a sweep, with the factors of its edges. If `specials` is not
/// empty, the graph has an additional vertex joined to each of these orbits. Edges of factor 0 are
/// omitted, because every tour through one has weight 0.
fn sweep_graph(
    quotient: &Quotient,
    specials: &[u32],
    factors: &Factors,
    group: &SymmetryGroup,
) -> SweepGraph {
    let len = quotient.graph().len();
    let factors: Factors = factors.iter().filter(|(_, f)| !f.is_zero()).map(|(&e, &f)| (e, f)).collect();
    debug_assert!(factors.values().all(|factor| factor.abs() <= quotient.order() as i32));
    let edges = factors.keys().map(|&(a, b)| (a as usize, b as usize));
    let extra = specials.iter().map(|&a| (a as usize, len));
    let graph = Graph::from_edges(len + usize::from(!specials.is_empty()), edges.chain(extra));
    let images = induced_automorphisms(quotient, group).into_iter().map(|mut image| {
        image.extend((len..graph.len()).map(|x| x as u32));
        image
    });
    let automorphisms = images.filter(|image| graph.has_automorphism(image)).collect();
    SweepGraph::with_factors(graph, factors, automorphisms).of_quotient()
}

/// Returns the permutations of the orbits that the board's symmetries induce. A symmetry that does
/// not map every orbit to an orbit induces none.
fn induced_automorphisms(quotient: &Quotient, group: &SymmetryGroup) -> Vec<Vec<u32>> {
    let len = quotient.graph().len() as u32;
    let mut orbit_of = vec![0; quotient.square_count()];
    for a in 0..len {
        quotient.orbit(a).iter().for_each(|&v| orbit_of[v as usize] = a);
    }
    let mut images: Vec<Vec<u32>> = Vec::new();
    for element in group.elements() {
        let to = |v: u32| orbit_of[element.image[v as usize] as usize];
        let image: Vec<u32> = (0..len).map(|a| to(quotient.orbit(a)[0])).collect();
        if (0..len).all(|a| quotient.orbit(a).iter().all(|&v| to(v) == image[a as usize]))
            && !images.contains(&image)
        {
            images.push(image);
        }
    }
    images
}
