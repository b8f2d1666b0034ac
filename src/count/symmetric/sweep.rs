//! Walks of a quotient counted by the frontier engine.
//!
//! A cycle of the quotient is the trace of as many closed walks as there are choices
//! of parallel edges. With `m` edges between two orbits, `x` of them of even label
//! less those of odd label,
//!
//! ```text
//! T = sum over cycles of the product of m       all choices
//! S = sum over cycles of the product of x       those of even sum less those of odd sum
//! tours = (T - S) / 2                           those of odd sum
//! ```
//!
//! so two sweeps with factors do, and no state has to know any label. Both are sums
//! over the same cycles and `|S| <= T`. Paths between two kinds of orbits are cycles
//! through one more vertex, joined to the orbits where a path may begin:
//!
//! ```text
//! between two of A      cycles of   Q + x,   x joined to A
//! from a to one of B    paths a..x  of Q + x,   x joined to B
//! from one of A on      paths x..   of Q + x,   x joined to A
//! ```
//!
//! Cost: that of sweeps of a board half as large (a quarter, for a quarter turn).

use num_bigint::{BigInt, Sign};
use num_traits::{Signed, Zero};

use crate::board::{Graph, SymmetryGroup};
use crate::control::Control;
use crate::count::CountError;
use crate::count::watch::Watch;
use crate::frontier::{self, Cancel, Estimate, Factors, Field, Modulus, Options, Prepared, Tours, Width};

use super::quotient::Quotient;
use super::walks::{Walks, halved};

/// Most orbits of squares that are swept over: the search for an order takes a second then.
const MOST_ORBITS: usize = 1024;

/// The number of tours that walks stand for. `memory` is a ceiling in bytes for each sweep; with `residues` they
/// are made modulo primes of so many bits.
///
/// # Errors
/// A sweep that cannot be made, or was stopped.
pub fn count(
    quotient: &Quotient,
    walks: &Walks,
    group: &SymmetryGroup,
    memory: Option<u64>,
    residues: Option<u32>,
    control: &Control,
) -> Result<BigInt, CountError> {
    if *walks != Walks::None && quotient.graph().len() > MOST_ORBITS {
        return Err(CountError::TooManyOrbits { orbits: quotient.graph().len(), most: MOST_ORBITS });
    }
    let sum = |sweep: &Sweep, modulo: Option<Modulus>| {
        let field = field(quotient, &sweep.specials, &sweep.factors, group);
        let options = Options { modulo, ..options(memory, control) };
        let mut watch = Watch::new(control, "quotient");
        let outcome = match residues {
            Some(bits) => {
                let options = Options { modulo: None, ..options };
                frontier::count_by_residues(&field, sweep.tours, &options, bits, &mut watch)?
            }
            None => frontier::count(&field, sweep.tours, &options, &mut watch)?,
        };
        let sign = if outcome.negative { Sign::Minus } else { Sign::Plus };
        Ok::<_, CountError>(BigInt::from_biguint(sign, outcome.count))
    };
    match &sweeps(quotient, walks)[..] {
        [] => Ok(BigInt::ZERO),
        [one] => sum(one, None),
        [total, difference, ..] => {
            let total = sum(total, None)?;
            if total.is_zero() {
                return Ok(total);
            }
            // The difference is no greater than the total, so it is known by its residue.
            let width = Some(Modulus::Power(Width::holding(total.bits() as u32 + 1)));
            Ok(halved(&total, &sum(difference, width)?)?)
        }
    }
}

/// What the sweeps for these walks will take, from the orders of the quotient's squares; a second for each at most.
///
/// # Errors
/// As for [`count`].
pub fn outlook(
    quotient: &Quotient,
    walks: &Walks,
    group: &SymmetryGroup,
    memory: Option<u64>,
    control: &Control,
) -> Result<Vec<Estimate>, CountError> {
    if *walks != Walks::None && quotient.graph().len() > MOST_ORBITS {
        return Err(CountError::TooManyOrbits { orbits: quotient.graph().len(), most: MOST_ORBITS });
    }
    let estimate = |sweep: &Sweep| {
        let field = field(quotient, &sweep.specials, &sweep.factors, group);
        Ok(Prepared::new(&field, sweep.tours, &options(memory, control))?.outlook())
    };
    sweeps(quotient, walks).iter().map(estimate).collect()
}

/// One sweep of a quotient: more vertices than its orbits, factors, and what is swept for.
struct Sweep {
    specials: Vec<u32>,
    factors: Factors,
    tours: Tours,
}

/// The sweeps for walks: one sum, or all choices and then those of even sum less those of odd sum.
fn sweeps(quotient: &Quotient, walks: &Walks) -> Vec<Sweep> {
    let (many, apex) = (quotient.factors(|a, b| quotient.many(a, b)), quotient.graph().len());
    let one =
        |specials: &[u32], tours| vec![Sweep { specials: specials.to_vec(), factors: many.clone(), tours }];
    match walks {
        Walks::None => Vec::new(),
        Walks::Cycles => {
            let excess = quotient.factors(|a, b| quotient.excess(a, b));
            let mut both = one(&[], Tours::Closed);
            both.push(Sweep { specials: Vec::new(), factors: excess, tours: Tours::Closed });
            both
        }
        Walks::Between(ends) => one(ends, Tours::Closed),
        Walks::From(start, ends) => one(ends, Tours::Between(*start as usize, apex)),
        Walks::Free(starts) => one(starts, Tours::From(apex)),
    }
}

fn options(memory: Option<u64>, control: &Control) -> Options {
    let memory = memory.or_else(crate::memory::ceiling);
    let (allocator, cancel) = (control.allocator(), Cancel::from(control.flag()));
    Options { memory, allocator, cancel, ..Options::default() }
}

/// The quotient with its factors, and one more vertex joined to `specials` if there are any.
/// Edges of factor 0 are left out: no tour with one counts.
fn field(quotient: &Quotient, specials: &[u32], factors: &Factors, group: &SymmetryGroup) -> Field {
    let len = quotient.graph().len();
    let factors: Factors = factors.iter().filter(|(_, f)| !f.is_zero()).map(|(&e, &f)| (e, f)).collect();
    debug_assert!(factors.values().all(|factor| factor.abs() <= quotient.order() as i32));
    let edges = factors.keys().map(|&(a, b)| (a as usize, b as usize));
    let extra = specials.iter().map(|&a| (a as usize, len));
    let graph = Graph::from_edges(len + usize::from(!specials.is_empty()), edges.chain(extra));
    let images = induced(quotient, group).into_iter().map(|mut image| {
        image.extend((len..graph.len()).map(|x| x as u32));
        image
    });
    let automorphisms = images.filter(|image| graph.is_kept_by(image)).collect();
    Field::weighted(graph, factors, automorphisms)
}

/// What the board's symmetries do to the orbits, if they map orbits to orbits.
fn induced(quotient: &Quotient, group: &SymmetryGroup) -> Vec<Vec<u32>> {
    let len = quotient.graph().len() as u32;
    let mut orbit_of = vec![0; quotient.squares()];
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
