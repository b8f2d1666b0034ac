//! Counts the walks of a quotient by sweeps.
//!
//! A cycle of the quotient is the projection of as many closed walks as there are choices of parallel edges.
//! With `m` edges between two orbits, and `x` the number of those with an even label minus the number of
//! those with an odd label,
//!
//! ```text
//! T = sum over cycles of the product of m       all choices
//! S = sum over cycles of the product of x       choices of even sum minus choices of odd sum
//! tours = (T - S) / 2                           choices of odd sum
//! ```
//!
//! Two sweeps with factors are therefore enough, and no state stores a label. Both are sums over the same
//! cycles and `|S| <= T`. Paths between two kinds of orbits are cycles through an additional vertex, joined
//! to the orbits where a path may begin:
//!
//! ```text
//! between two orbits of A      cycles of   Q + x,   x joined to A
//! from a to an orbit of B      paths a..x  of Q + x,   x joined to B
//! from an orbit of A           paths x..   of Q + x,   x joined to A
//! ```
//!
//! Cost: that of sweeps of a board half as large (a quarter, for a quarter turn).

use num_bigint::{BigInt, Sign};
use num_traits::{Signed, Zero};

use crate::board::{Graph, SymmetryGroup};
use crate::control::Control;
use crate::count::CountError;
use crate::count::run_observer::SweepProgress;
use crate::frontier;
use crate::frontier::{Cancel, Estimate, Factors, Modulus, Options, PreparedSweep, SweepGraph, Tours, Width};

use super::quotient::Quotient;
use super::quotient::{Walks, odd_walks};

/// Maximum number of orbits for a sweep: the search for an order then takes a second.
const MAX_SWEEP_ORBITS: usize = 1024;

/// Counts the tours that the walks represent. `memory` is the memory limit of each sweep in bytes. If
/// `residues` is set, the sweeps run modulo primes with this number of bits.
///
/// # Errors
/// A sweep failed or was stopped.
pub fn count_walks_by_sweep(
    quotient: &Quotient,
    walks: &Walks,
    group: &SymmetryGroup,
    memory: Option<u64>,
    residues: Option<u32>,
    control: &Control,
) -> Result<BigInt, CountError> {
    if *walks != Walks::None && quotient.graph().len() > MAX_SWEEP_ORBITS {
        return Err(CountError::TooManyOrbits {
            orbits: quotient.graph().len(),
            max_orbits: MAX_SWEEP_ORBITS,
        });
    }
    let sum = |sweep: &QuotientSweep, modulo: Option<Modulus>| {
        let field = sweep_graph(quotient, &sweep.apex_neighbours, &sweep.factors, group);
        let options = Options { modulo, ..sweep_options(memory, control) };
        let mut watch = SweepProgress::new(control, "quotient");
        let outcome = match residues {
            Some(bits) => {
                let options = Options { modulo: None, ..options };
                frontier::count_by_residues(&field, sweep.tours, &options, bits, &mut watch)?
            }
            None => frontier::count(&field, sweep.tours, &options, &mut watch)?,
        };
        let sign = if outcome.is_negative { Sign::Minus } else { Sign::Plus };
        Ok::<_, CountError>(BigInt::from_biguint(sign, outcome.count))
    };
    match &required_sweeps(quotient, walks)[..] {
        [] => Ok(BigInt::ZERO),
        [one] => sum(one, None),
        [total, difference, ..] => {
            let total = sum(total, None)?;
            if total.is_zero() {
                return Ok(total);
            }
            // The difference does not exceed the total, so its residue determines it.
            let width = Some(Modulus::PowerOfTwo(Width::fitting_bits(total.bits() as u32 + 1)));
            Ok(odd_walks(&total, &sum(difference, width)?)?)
        }
    }
}

/// Returns rough estimates of the sweeps for these walks, from the orders of the quotient's orbits. Cost: at
/// most a second each.
///
/// # Errors
/// As for [`count_walks`].
pub fn rough_estimates(
    quotient: &Quotient,
    walks: &Walks,
    group: &SymmetryGroup,
    memory: Option<u64>,
    control: &Control,
) -> Result<Vec<Estimate>, CountError> {
    if *walks != Walks::None && quotient.graph().len() > MAX_SWEEP_ORBITS {
        return Err(CountError::TooManyOrbits {
            orbits: quotient.graph().len(),
            max_orbits: MAX_SWEEP_ORBITS,
        });
    }
    let estimate = |sweep: &QuotientSweep| {
        let field = sweep_graph(quotient, &sweep.apex_neighbours, &sweep.factors, group);
        Ok(PreparedSweep::new(&field, sweep.tours, &sweep_options(memory, control))?.rough_estimate())
    };
    required_sweeps(quotient, walks).iter().map(estimate).collect()
}

/// One sweep of a quotient: the orbits joined to the additional vertex (if any), the factors of the edges,
/// and the kind of tours.
struct QuotientSweep {
    apex_neighbours: Vec<u32>,
    factors: Factors,
    tours: Tours,
}

/// Returns the sweeps for these walks: one sum; or all choices, and then choices of even sum minus choices of
/// odd sum.
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
        Walks::FromOneTo(start, ends) => one(ends, Tours::Between(*start as usize, apex)),
        Walks::FromAny(starts) => one(starts, Tours::From(apex)),
    }
}

fn sweep_options(memory: Option<u64>, control: &Control) -> Options {
    let memory = memory.or_else(crate::memory::default_limit_bytes);
    let (allocator, cancel) = (control.allocator_hook(), Cancel::from(control.cancel_flag()));
    Options { memory, allocator, cancel, ..Options::default() }
}

/// Returns the quotient with its factors, and an additional vertex joined to `specials` if there are any.
/// Edges of factor 0 are left out: every tour through one has weight 0.
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
    SweepGraph::with_factors(graph, factors, automorphisms)
}

/// Returns the permutations of the orbits induced by the board's symmetries that map orbits to orbits.
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
