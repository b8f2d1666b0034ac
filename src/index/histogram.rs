//! How many tours have exactly j moves of a class, for all j: exact, and no tour is visited.
//!
//! If every move of the class counts x times, all tours together count
//!
//! ```text
//! f(x) = a_0 + a_1 x + a_2 x^2 + ...        a_j tours with exactly j moves of the class
//! ```
//!
//! and sweeps at x = 0, 1, 2, ... tell all a_j. They are made modulo a power of two, which keeps weights narrow. By
//! Lagrange a_j times a number D is a sum of integers; D has few factors of two, so a_j is known modulo the power
//! that is left, and that is greater than the number of all tours. f(-1) tells whether all j are even or all odd, as
//! for steep moves on a board of even size; half of the sweeps do then.
//!
//! That the a_j add up to the number of tours, that none is greater, and that the bits which must be zero are zero is
//! checked.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use crate::control::Control;
use crate::frontier::{Ends, Factors, Method, Options, Width};
use crate::tour::Kind;

use super::error::IndexError;
use super::numbered::Numbered;
use super::sweeps::Sweeps;

/// How many tours have so many moves of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Histogram {
    /// What it is of: undirected tours.
    pub numbered: Numbered,
    /// The number of tours.
    pub total: BigUint,
    /// Tours by number of moves, where there are any.
    pub tours: BTreeMap<u32, BigUint>,
}

/// Bits that must be zero beyond those of the number of tours.
const SPARE: u64 = 8;

/// The sum over all tours of x to the power of their moves of a class: a residue, or without a width exact.
fn at(
    sweeps: &Sweeps,
    class: &BTreeSet<(u32, u32)>,
    x: i32,
    width: Option<Width>,
    control: &Control,
) -> Result<BigInt, IndexError> {
    let factors: Factors = class.iter().filter(|_| x != 1).map(|&edge| (edge, x)).collect();
    let options = Options {
        modulo: width.map(Into::into),
        ends: Ends::One,
        method: Method::Blocks,
        ..sweeps.options()
    };
    let found = sweeps.weighted(factors, &options)?;
    control.round_done();
    let sign = if found.negative { Sign::Minus } else { Sign::Plus };
    Ok(BigInt::from_biguint(sign, found.count))
}

impl Histogram {
    /// The tours of a kind by how many moves of a class they have. `told` hears of sweeps done and sweeps in all.
    /// Cost: as many sweeps from one end as a tour can have moves of the class, or half of them, with weights of some
    /// 128 bits on a chessboard.
    ///
    /// # Errors
    /// See [`IndexError`]; open tours are left out, as paths have a histogram and closed tours too.
    ///
    /// # Panics
    /// If the numbers do not add up.
    pub fn of(
        numbered: &Numbered,
        class: &BTreeSet<(u32, u32)>,
        memory: Option<u64>,
        control: &Control,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<Self, IndexError> {
        if numbered.kind == Kind::Open {
            return Err(IndexError::Open);
        }
        let mut sweeps = Sweeps::new(numbered, memory, control);
        // All tours, and their parity.
        control.begin_rounds(2);
        let total = sweeps.all(numbered.tours()?)?;
        control.round_done();
        let empty = |tours| Self { numbered: numbered.clone(), total: total.clone(), tours };
        if total.is_zero() {
            return Ok(empty(BTreeMap::new()));
        }
        let most = most(numbered, class);
        if most == 0 {
            return Ok(empty(BTreeMap::from([(0, total.clone())])));
        }
        sweeps.in_one_order()?;
        // Whether all numbers of moves are even, or all odd.
        let narrow = width(total.bits() + 2);
        let parity = match at(&sweeps, class, -1, Some(narrow), control)? {
            sum if sum == BigInt::from(total.clone()) => Some(0),
            sum if -&sum == BigInt::from(total.clone()) => Some(1),
            _ => None,
        };
        let (points, powers): (Vec<i32>, Vec<u32>) = match parity {
            None => ((0..=most as i32).collect(), (0..=most).collect()),
            Some(0) => ((0..=(most / 2) as i32).collect(), (0..=most / 2).map(|j| 2 * j).collect()),
            _ => {
                let count = most.div_ceil(2);
                ((0..count as i32).map(|i| 2 * i + 1).collect(), (0..count).map(|j| 2 * j + 1).collect())
            }
        };
        let arguments: Vec<BigInt> = points
            .iter()
            .map(|&x| if parity.is_some() { BigInt::from(x) * x } else { BigInt::from(x) })
            .collect();
        // With an odd number of moves each, x can be divided out: these points are odd.
        let lagrange = Lagrange::new(&arguments);
        let width = width(total.bits() + lagrange.twos + SPARE);
        let (modulus, len) = (BigInt::one() << width.bits(), points.len());
        let mut values = Vec::with_capacity(len);
        control.begin_rounds(len);
        for (done, &x) in points.iter().enumerate() {
            told(done, len);
            let value = at(&sweeps, class, x, Some(width), control)?.mod_floor(&modulus);
            let value =
                if parity == Some(1) { value * inverse(&BigInt::from(x), width.bits()) } else { value };
            values.push(value);
        }
        told(len, len);
        let tours = lagrange.coefficients(&values, u64::from(width.bits()));
        let tours: BTreeMap<u32, BigUint> =
            powers.into_iter().zip(tours).filter(|(_, number)| !number.is_zero()).collect();
        assert!(tours.values().all(|number| *number <= total), "no part is greater than the whole");
        assert_eq!(tours.values().sum::<BigUint>(), total, "the parts add up to the whole");
        Ok(empty(tours))
    }
}

/// The width that holds numbers of so many bits.
fn width(bits: u64) -> Width {
    // A width holds numbers with a bit to spare.
    Width::holding(u32::try_from(bits.saturating_sub(1)).unwrap_or(u32::MAX))
}

/// How many moves of a class a tour can have at most, by degrees: at every vertex two.
fn most(numbered: &Numbered, class: &BTreeSet<(u32, u32)>) -> u32 {
    let mut degrees = vec![0u32; numbered.arena.len()];
    for &(v, w) in class {
        degrees[v as usize] += 1;
        degrees[w as usize] += 1;
    }
    degrees.into_iter().map(|degree| degree.min(2)).sum::<u32>() / 2
}

/// The inverse of an odd number modulo a power of two: every round of Newton's doubles the bits that are right.
fn inverse(odd: &BigInt, bits: u32) -> BigInt {
    let modulus = BigInt::one() << bits;
    let mut inverse = odd.mod_floor(&modulus);
    for _ in 0..bits.ilog2() + 1 {
        inverse = (&inverse * (BigInt::from(2) - odd * &inverse)).mod_floor(&modulus);
    }
    inverse
}

/// The way from values of a polynomial to its coefficients, as integers over one denominator.
struct Lagrange {
    /// By point, what its value brings to each coefficient.
    shares: Vec<Vec<BigInt>>,
    denominator: BigInt,
    /// Factors of two of the denominator.
    twos: u64,
}

impl Lagrange {
    fn new(points: &[BigInt]) -> Self {
        // All factors together, the lowest power first; each basis polynomial is that without one of them.
        let mut all = vec![BigInt::one()];
        for point in points {
            let mut next = vec![BigInt::zero(); all.len() + 1];
            for (power, coefficient) in all.iter().enumerate() {
                next[power + 1] += coefficient;
                next[power] -= coefficient * point;
            }
            all = next;
        }
        let apart = |i: usize| -> BigInt {
            let others = points.iter().enumerate().filter(|&(j, _)| j != i);
            others.map(|(_, other)| &points[i] - other).product()
        };
        let denominators: Vec<BigInt> = (0..points.len()).map(apart).collect();
        let denominator = denominators.iter().fold(BigInt::one(), |lcm, one| lcm.lcm(one)).abs();
        let shares = points.iter().zip(&denominators).map(|(point, own)| {
            let times = &denominator / own;
            let mut quotient = vec![BigInt::zero(); points.len()];
            let mut carry = BigInt::zero();
            for power in (0..points.len()).rev() {
                carry = &all[power + 1] + &carry * point;
                quotient[power] = &carry * &times;
            }
            quotient
        });
        let shares = shares.collect();
        let twos = denominator.trailing_zeros().unwrap_or(0);
        Self { shares, denominator, twos }
    }

    /// The coefficients, of values modulo two to the power of `bits`.
    fn coefficients(&self, values: &[BigInt], bits: u64) -> Vec<BigUint> {
        let modulus = BigInt::one() << bits;
        let odd = &self.denominator >> self.twos;
        let left = bits - self.twos;
        let inverse = inverse(&odd, u32::try_from(left).expect("a width has few bits"));
        let coefficient = |power: usize| {
            let sum: BigInt =
                values.iter().zip(&self.shares).map(|(value, share)| value * &share[power]).sum();
            let sum = sum.mod_floor(&modulus);
            let twos = BigInt::one() << self.twos;
            assert!(sum.mod_floor(&twos).is_zero(), "coefficients are integers");
            let number = ((sum >> self.twos) * &inverse).mod_floor(&(BigInt::one() << left));
            number.to_biguint().expect("a residue is not negative")
        };
        (0..values.len()).map(coefficient).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::tests::listed;
    use crate::index::{Index, MoveClass, Place};

    #[test]
    fn histograms_are_those_of_the_full_list() {
        let numbered = |arena: &str, kind| Numbered::new(arena.parse().unwrap(), kind);
        let mut extremes = 0;
        for (numbered, class) in [
            (numbered("6x6", Kind::Closed), "steep"),
            (numbered("6x6", Kind::Closed), "rising"),
            (numbered("5x6", Kind::Closed), "border"),
            (numbered("5x5", Kind::Paths), "2/1"),
            (numbered("5x5", Kind::Paths), "steep"),
            (numbered("board=3x3 piece=0,1+1,1 remove=-", Kind::Closed), "rising"),
            (Numbered { start: Some(0), ..numbered("5x5", Kind::Paths) }, "files"),
        ] {
            let class = class.parse::<MoveClass>().unwrap().moves(&numbered.arena).unwrap();
            let found = Histogram::of(&numbered, &class, None, &Control::new(), &mut |_, _| ()).unwrap();
            let mut expected: BTreeMap<u32, BigUint> = BTreeMap::new();
            for mut tour in listed(&numbered, false) {
                if numbered.kind == Kind::Closed {
                    tour.push(tour[0]);
                }
                let is_in = |pair: &&[u32]| class.contains(&(pair[0].min(pair[1]), pair[0].max(pair[1])));
                *expected.entry(tour.windows(2).filter(is_in).count() as u32).or_default() += 1u32;
            }
            assert_eq!(found.tours, expected, "{numbered:?}");
            let index = Index::new(&numbered, &Place::Memory, &Control::new()).unwrap();
            for (most, count) in [(false, found.tours.keys().next()), (true, found.tours.keys().last())] {
                let example = index.extreme(&class, most, &Control::new()).unwrap();
                let Some((tour, moves)) = example else { continue };
                assert_eq!((count, class_moves(&tour, &class)), (Some(&moves), moves), "{numbered:?}");
                assert!(index.number(&tour).is_ok());
                extremes += 1;
            }
        }
        assert!(extremes >= 6, "{extremes}");
    }

    fn class_moves(tour: &crate::tour::Tour, class: &BTreeSet<(u32, u32)>) -> u32 {
        let mut way = tour.vertices().to_vec();
        if tour.kind() == crate::tour::TourKind::Closed {
            way.push(way[0]);
        }
        let is_in = |pair: &&[u32]| class.contains(&(pair[0].min(pair[1]), pair[0].max(pair[1])));
        way.windows(2).filter(is_in).count() as u32
    }

    #[test]
    fn polynomials_come_back_from_residues() {
        let coefficients: Vec<u64> = vec![7, 0, 123_456_789, 1 << 40, 3];
        for points in [vec![0, 1, 2, 3, 4], vec![0, 1, 4, 9, 16], vec![1, 9, 25, 49, 81]] {
            let points: Vec<BigInt> = points.into_iter().map(BigInt::from).collect();
            let lagrange = Lagrange::new(&points);
            let value = |x: &BigInt| coefficients.iter().rev().fold(BigInt::zero(), |sum, &c| sum * x + c);
            let values: Vec<BigInt> =
                points.iter().map(|x| value(x).mod_floor(&(BigInt::one() << 128))).collect();
            let expected: Vec<BigUint> = coefficients.iter().map(|&c| c.into()).collect();
            assert_eq!(lagrange.coefficients(&values, 128), expected);
        }
    }
}
