//! [`Histogram`]: for each j, the exact number of tours with j moves of a class, computed without
//! visiting any tour.
//!
//! If every move of the class has weight x and every other move has weight 1, the sum over all
//! tours of the product of their weights is
//!
//! ```text
//! f(x) = a_0 + a_1 x + a_2 x^2 + ...        a_j tours with exactly j moves of the class
//! ```
//!
//! and the sums at as many points x as there are unknown a_j determine all a_j. The sweeps compute
//! the sums modulo primes of 32 bits, so that weights take four bytes and never grow; the sweeps
//! are two-sided where that is faster. Three facts save sweeps:
//!
//! ```text
//! f(1)     is the number of tours, which is counted anyway
//! f(-1)    shows whether all j are even or all odd, as for steep moves on a board of even size
//! n - j    if a symmetry exchanges the class and all other moves, as many tours have j moves of the class
//!          as n - j, where n is the number of moves of a tour: steep and flat moves of a square board,
//!          rising and falling moves of any board
//! ```
//!
//! The product of the primes exceeds the number of tours by some spare bits, so an error anywhere
//! makes some a_j greater than the number of tours. In addition, all a_j must add up to the number
//! of tours.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};

use crate::budget::Requirements;
use crate::control::Control;
use crate::frontier::{Factors, Method, Options, ResidueRing, chinese_remainder, prime_moduli};
use crate::tour::{Kind, TourSpec};

use super::counting_sweeps::CountingSweeps;
use super::error::IndexError;
use super::numbered_tours::sweep_tours;

/// Numbers of tours, grouped by how many moves of a class a tour has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Histogram {
    /// Set of the counted tours.
    pub numbered_tours: TourSpec,
    /// Number of tours in the set.
    pub total: BigUint,
    /// Number of tours for each number of moves of the class, without entries that are 0.
    pub tours: BTreeMap<u32, BigUint>,
}

/// Number of spare bits by which the product of the primes exceeds the number of tours.
const CHECK_BITS: u32 = 16;

/// Returns the weighted sum at the point `x`, modulo each of `primes`: the sum over all tours of
/// x^j, where j is the number of moves of `class` in the tour.
fn weighted_sums_at(
    sweeps: &CountingSweeps,
    class: &BTreeSet<(u32, u32)>,
    x: i32,
    primes: &[ResidueRing],
    control: &Control,
) -> Result<Vec<u64>, IndexError> {
    let factors: Factors = class.iter().map(|&edge| (edge, x)).collect();
    let residue = |&prime: &ResidueRing| {
        let options = residue_options(sweeps.options(), prime);
        let outcome = sweeps.weighted_sum(factors.clone(), &options)?;
        control.finish_round();
        Ok(to_residue(&outcome.count, prime))
    };
    primes.iter().map(residue).collect()
}

/// Returns the options of a sweep that computes a weighted sum modulo a prime.
fn residue_options(options: Options, prime: ResidueRing) -> Options {
    Options { modulo: Some(prime.into()), method: Method::Blocks, ..options }
}

fn to_residue(number: &BigUint, prime: ResidueRing) -> u64 {
    prime.residue_of(number).to_u64().expect("a residue has 32 bits")
}

impl Histogram {
    /// Counts the tours of the set `numbered` for each number of moves of `class`. `on_progress`
    /// receives the number of finished sweeps and the number of all sweeps. Cost: about two sweeps
    /// for each possible number of moves of the class, or for half or a quarter of these numbers if
    /// the parity or a symmetry saves sweeps; weights have 32 bits.
    ///
    /// # Errors
    /// See [`IndexError`]. Open tours have no histogram; paths and closed tours have one.
    ///
    /// # Panics
    /// If the numbers do not add up to the number of tours.
    pub fn compute(
        numbered: &TourSpec,
        class: &BTreeSet<(u32, u32)>,
        memory: Option<u64>,
        control: &Control,
        on_progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Self, IndexError> {
        if numbered.kind() == Kind::Open {
            return Err(IndexError::OpenTours);
        }
        let mut sweeps = CountingSweeps::new(numbered, memory, control);
        control.begin_rounds(1);
        let total = sweeps.count(sweep_tours(numbered))?;
        control.finish_round();
        let to_histogram = |tours| Self { numbered_tours: numbered.clone(), total: total.clone(), tours };
        if total.is_zero() {
            return Ok(to_histogram(BTreeMap::new()));
        }
        let max_moves = max_class_moves(numbered, class);
        if max_moves == 0 {
            return Ok(to_histogram(BTreeMap::from([(0, total.clone())])));
        }
        sweeps.fix_order()?;
        let primes = prime_moduli(&(&total << CHECK_BITS), 32).expect("there are enough primes of 32 bits");
        // The last prime is only a check, and the spare bits already check the result.
        let primes = &primes[..primes.len() - 1];
        // With these spare bits, equal residues imply equal numbers.
        control.begin_rounds(primes.len());
        let ones: Vec<u64> = primes.iter().map(|&prime| to_residue(&total, prime)).collect();
        let signs = weighted_sums_at(&sweeps, class, -1, primes, control)?;
        let negative = |(&one, &prime): (&u64, &ResidueRing)| {
            (u64::from(prime.modulus()) - one) % u64::from(prime.modulus())
        };
        let parity = if signs == ones {
            Some(0)
        } else if ones.iter().zip(primes).map(negative).eq(signs.iter().copied()) {
            Some(1)
        } else {
            None
        };
        let unknown = unknown_counts(max_moves, parity, complement_total(numbered, class));
        let points = evaluation_points(&unknown, primes);
        let swept = points.iter().filter(|x| x.abs() != 1).count() * primes.len();
        let mut systems: Vec<LinearSystem> =
            primes.iter().map(|&prime| LinearSystem::new(prime, unknown.len())).collect();
        control.begin_rounds(swept);
        let mut done = 0;
        for &x in &points {
            on_progress(done, swept);
            let values = match x {
                1 => ones.clone(),
                -1 => signs.clone(),
                _ => weighted_sums_at(&sweeps, class, x, primes, control)?,
            };
            done += if x.abs() == 1 { 0 } else { primes.len() };
            for (system, value) in systems.iter_mut().zip(values) {
                let row = system.coefficients(&unknown, x);
                assert!(system.add_equation(row, value), "the points must determine all unknowns");
            }
        }
        on_progress(done, swept);
        let solutions: Vec<Vec<BigUint>> = systems.into_iter().map(LinearSystem::solve).collect();
        let mut tours = BTreeMap::new();
        for (position, &(j, complement)) in unknown.iter().enumerate() {
            let residues = primes.iter().copied().zip(solutions.iter().map(|solution| &solution[position]));
            let number = chinese_remainder(residues);
            assert!(number <= total, "no number may exceed the total");
            if !number.is_zero() {
                tours.insert(complement, number.clone());
                tours.insert(j, number);
            }
        }
        assert_eq!(tours.values().sum::<BigUint>(), total, "the numbers must add up to the total");
        Ok(to_histogram(tours))
    }

    /// Returns the memory that [`Histogram::compute`] needs. The time is unknown, because the number of sweeps
    /// depends on the number of tours. Cost: up to two dry runs.
    ///
    /// # Errors
    /// As for [`Histogram::compute`].
    pub fn requirements(numbered: &TourSpec, control: &Control) -> Result<Requirements, IndexError> {
        if numbered.kind() == Kind::Open {
            return Err(IndexError::OpenTours);
        }
        let prime = prime_moduli(&BigUint::ZERO, 32).expect("there is a prime of 32 bits")[0];
        let mut sweeps = CountingSweeps::new(numbered, None, control);
        let needs = sweeps.requirements(1, |options| residue_options(options, prime))?;
        Ok(Requirements { seconds: None, ..needs })
    }
}

/// Returns an upper bound of the number of moves of `class` in one tour: each vertex has at most
/// two moves in a tour.
fn max_class_moves(numbered: &TourSpec, class: &BTreeSet<(u32, u32)>) -> u32 {
    let mut degrees = vec![0u32; numbered.board().len()];
    for &(v, w) in class {
        degrees[v as usize] += 1;
        degrees[w as usize] += 1;
    }
    degrees.into_iter().map(|degree| degree.min(2)).sum::<u32>() / 2
}

/// Returns the number n of moves of a tour if a symmetry exchanges the moves of `class` with all
/// other moves; otherwise `None`. With such a symmetry, as many tours have j moves of the class as
/// have n - j.
fn complement_total(numbered: &TourSpec, class: &BTreeSet<(u32, u32)>) -> Option<u32> {
    let exchanges = |image: &[u32]| {
        numbered.board().graph().edges().all(|(v, w)| {
            let (a, b) = (image[v as usize], image[w as usize]);
            class.contains(&(v, w)) != class.contains(&(a.min(b), a.max(b)))
        })
    };
    let moves = numbered.board().len() as u32 - u32::from(numbered.kind() != Kind::Closed);
    numbered.symmetries().elements().iter().any(|element| exchanges(&element.image)).then_some(moves)
}

/// Returns the pairs (j, k) of possible numbers of moves of the class such that equally many tours
/// have j moves as have k. Without a symmetry, or for j in the middle, k is j itself.
fn unknown_counts(max_moves: u32, parity: Option<u32>, moves_in_pair: Option<u32>) -> Vec<(u32, u32)> {
    let pair = |j: u32| (j, moves_in_pair.map_or(Some(j), |moves| moves.checked_sub(j)));
    let all = (0..=max_moves).filter(|j| parity.is_none_or(|parity| j % 2 == parity)).map(pair);
    all.filter_map(|(j, complement)| Some((j, complement?)))
        .filter(|&(j, complement)| j <= complement && complement <= max_moves)
        .collect()
}

/// Returns the points x at which the weighted sum is evaluated, the cheapest first: as many points
/// as there are unknown numbers, such that the sums determine these numbers.
fn evaluation_points(unknown: &[(u32, u32)], primes: &[ResidueRing]) -> Vec<i32> {
    let mut systems: Vec<LinearSystem> =
        primes.iter().map(|&prime| LinearSystem::new(prime, unknown.len())).collect();
    let all = [1, -1, 0].into_iter().chain((2..).flat_map(|x| [x, -x]));
    let mut points = Vec::with_capacity(unknown.len());
    for x in all {
        if points.len() == unknown.len() {
            break;
        }
        let rows: Vec<Vec<u64>> = systems.iter().map(|system| system.coefficients(unknown, x)).collect();
        if systems.iter().zip(&rows).all(|(system, row)| system.reduce(row.clone(), 0).is_some()) {
            systems.iter_mut().zip(rows).for_each(|(system, row)| _ = system.add_equation(row, 0));
            points.push(x);
        }
    }
    points
}

/// Linear equations modulo a prime in reduced form: each equation is solved for one unknown, which
/// no other equation contains.
struct LinearSystem {
    prime: u64,
    unknown_count: usize,
    /// The equations. Each has the index of the unknown that it is solved for, and the coefficients
    /// of all unknowns followed by the value.
    rows: Vec<(usize, Vec<u64>)>,
}

impl LinearSystem {
    fn new(prime: ResidueRing, unknown: usize) -> Self {
        Self { prime: prime.modulus().into(), unknown_count: unknown, rows: Vec::new() }
    }

    /// Returns the coefficients of the unknown numbers in the equation for the weighted sum at the
    /// point `x`.
    fn coefficients(&self, unknown: &[(u32, u32)], x: i32) -> Vec<u64> {
        let x = i64::from(x).rem_euclid(self.prime as i64) as u64;
        let power = |j: u32| {
            let (mut power, mut base, mut left) = (1, x, j);
            while left > 0 {
                power = if left & 1 == 1 { power * base % self.prime } else { power };
                base = base * base % self.prime;
                left >>= 1;
            }
            power
        };
        let both =
            |&(j, complement): &(u32, u32)| power(j) + if j == complement { 0 } else { power(complement) };
        unknown.iter().map(|pair| both(pair) % self.prime).collect()
    }

    /// Eliminates from an equation the unknowns that other equations are solved for. Returns an
    /// unknown that the equation determines, and the normalised equation; `None` if the equation is
    /// redundant.
    fn reduce(&self, mut row: Vec<u64>, value: u64) -> Option<(usize, Vec<u64>)> {
        row.push(value);
        for (own, other) in &self.rows {
            self.eliminate(&mut row, *own, other);
        }
        let own = row[..self.unknown_count].iter().position(|&factor| factor != 0)?;
        let inverse =
            BigUint::from(row[own]).modinv(&self.prime.into()).and_then(|inverse| inverse.to_u64())?;
        row.iter_mut().for_each(|factor| *factor = *factor * inverse % self.prime);
        Some((own, row))
    }

    /// Subtracts a multiple of the equation `other` from the equation `row`, such that the unknown
    /// `own` vanishes from `row`.
    fn eliminate(&self, row: &mut [u64], own: usize, other: &[u64]) {
        let times = self.prime - row[own];
        for (factor, other) in row.iter_mut().zip(other) {
            *factor = (*factor + times * other) % self.prime;
        }
    }

    /// Adds the equation with the coefficients `row` and the value `value`. Returns false if the
    /// equation is redundant.
    fn add_equation(&mut self, row: Vec<u64>, value: u64) -> bool {
        let Some((own, row)) = self.reduce(row, value) else { return false };
        let mut rows = std::mem::take(&mut self.rows);
        rows.iter_mut().for_each(|(_, other)| self.eliminate(other, own, &row));
        rows.push((own, row));
        self.rows = rows;
        true
    }

    /// Returns the values of all unknowns. The system must have as many equations as unknowns.
    fn solve(mut self) -> Vec<BigUint> {
        self.rows.sort_unstable();
        self.rows.into_iter().map(|(_, row)| row[self.unknown_count].into()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::tests::listed_tours;
    use crate::index::{Index, IndexLocation, MoveClass};

    #[test]
    fn histograms_agree_with_full_list() {
        let numbered = |board: &str, kind| TourSpec::all(board.parse().unwrap(), kind);
        let mut extremes = 0;
        for (numbered, class) in [
            (numbered("6x6", Kind::Closed), "steep"),
            (numbered("6x6", Kind::Closed), "rising"),
            (numbered("5x6", Kind::Closed), "border"),
            (numbered("5x5", Kind::Paths), "2/1"),
            (numbered("5x5", Kind::Paths), "steep"),
            (numbered("board=3x3 piece=0,1+1,1 remove=-", Kind::Closed), "rising"),
            (numbered("5x5", Kind::Paths).with_ends(Some(0), None).unwrap(), "files"),
        ] {
            let class = class.parse::<MoveClass>().unwrap().moves(numbered.board()).unwrap();
            let histogram =
                Histogram::compute(&numbered, &class, None, &Control::new(), &mut |_, _| ()).unwrap();
            let mut expected: BTreeMap<u32, BigUint> = BTreeMap::new();
            for mut tour in listed_tours(&numbered, false) {
                if numbered.kind() == Kind::Closed {
                    tour.push(tour[0]);
                }
                let is_in = |pair: &&[u32]| class.contains(&(pair[0].min(pair[1]), pair[0].max(pair[1])));
                *expected.entry(tour.windows(2).filter(is_in).count() as u32).or_default() += 1u32;
            }
            assert_eq!(histogram.tours, expected, "{numbered:?}");
            let index = Index::new(&numbered, &IndexLocation::Memory, &Control::new()).unwrap();
            for (most, count) in
                [(false, histogram.tours.keys().next()), (true, histogram.tours.keys().last())]
            {
                let example = index.extreme_tour(&class, most, &Control::new()).unwrap();
                let Some((tour, moves)) = example else { continue };
                assert_eq!((count, count_class_moves(&tour, &class)), (Some(&moves), moves), "{numbered:?}");
                assert!(index.number(&tour).is_ok());
                extremes += 1;
            }
        }
        assert!(extremes >= 6, "{extremes}");
    }

    fn count_class_moves(tour: &crate::tour::Tour, class: &BTreeSet<(u32, u32)>) -> u32 {
        let mut cycle = tour.vertices().to_vec();
        if tour.kind() == crate::tour::TourKind::Closed {
            cycle.push(cycle[0]);
        }
        let is_in = |pair: &&[u32]| class.contains(&(pair[0].min(pair[1]), pair[0].max(pair[1])));
        cycle.windows(2).filter(is_in).count() as u32
    }

    /// Sums at as many points as there are unknowns determine the numbers of tours.
    #[test]
    fn linear_system_recovers_numbers() {
        let primes = prime_moduli(&BigUint::from(u64::MAX), 32).unwrap();
        for (max_moves, parity, moves_in_pair) in [
            (7, None, None),
            (9, Some(0), None),
            (9, Some(1), None),
            (12, None, Some(12)),
            (13, None, Some(13)),
            (64, Some(0), Some(64)),
            (30, None, Some(35)),
        ] {
            let unknown = unknown_counts(max_moves, parity, moves_in_pair);
            let points = evaluation_points(&unknown, &primes);
            assert_eq!(points.len(), unknown.len());
            let numbers: Vec<u64> = (1..).map(|x: u64| x.pow(9) % 1_000_003).take(unknown.len()).collect();
            for &prime in &primes {
                let mut system = LinearSystem::new(prime, unknown.len());
                for &x in &points {
                    let row = system.coefficients(&unknown, x);
                    let value = row.iter().zip(&numbers).map(|(a, b)| a * b % system.prime).sum::<u64>();
                    let value = value % system.prime;
                    assert!(system.add_equation(row.clone(), value) && !system.add_equation(row, value));
                }
                assert_eq!(system.solve(), numbers.iter().map(|&n| n.into()).collect::<Vec<BigUint>>());
            }
        }
    }

    #[test]
    fn complement_total_requires_exchanging_symmetry() {
        let of = |board: &str, class: &str, kind| {
            let numbered = TourSpec::all(board.parse().unwrap(), kind);
            complement_total(&numbered, &class.parse::<MoveClass>().unwrap().moves(numbered.board()).unwrap())
        };
        assert_eq!(of("8x8", "steep", Kind::Closed), Some(64));
        assert_eq!(of("5x6", "rising", Kind::Paths), Some(29));
        assert_eq!(of("5x6", "steep", Kind::Paths), None);
        assert_eq!(of("8x8", "border", Kind::Closed), None);
    }
}
