//! Search for the recurrence of least order that a sequence obeys, over the integers and modulo one
//! prime.
//!
//! # Integer coefficients
//!
//! The recurrence is computed modulo primes, lifted to integers, and verified exactly on all given
//! terms. The Berlekamp-Massey algorithm finds the shortest linear recurrence of terms modulo a
//! prime.
//!
//! # Order from terms modulo one prime
//!
//! Terms modulo one prime give the order of the recurrence behind them, without a search for its
//! integer coefficients; with enough terms the order is proved.
//!
//! The terms are the series of a fraction P / Q modulo the prime. The shortest linear recurrence
//! for the first N terms equals that fraction as soon as N is at least twice its length L. L is the
//! number of roots of Q or the number of coefficients of P, whichever is greater; the order is the
//! degree of Q. Two recurrences whose lengths sum to at most N and which agree on N terms are the
//! same sequence. So any other recurrence of a lower order would begin after more than N - L terms.
//! If the number of states excludes such a late start, no other recurrence exists.
//! [`crate::recurrence`] explains what this implies for the integers.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Zero};

use super::StripTerms;
use super::growth_rate::growth_rate;
use super::modular_arithmetic::{PrimeModulus, balanced_residues, extend_residues, primes_descending};
use super::polynomial::Polynomial;
use crate::control::Control;

/// Maximum number of primes before the search ends without a result. Coefficients may have up to
/// this number times 61 bits.
const MAX_PRIMES: usize = 2000;

/// The result of a search for a recurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchOutcome {
    /// A recurrence, verified on at least as many further terms as its order.
    Found(Recurrence),
    /// The sequence obeys no recurrence of at most this order that begins after at most this number
    /// of terms. A recurrence that begins later would not be detected. Both numbers count only
    /// every [`Recurrence::stride`]-th term, like the order of a recurrence that is found.
    NoneUpTo(usize),
    /// All terms of the sequence are 0.
    AllZero,
}

/// A linear recurrence with constant coefficients that a sequence obeys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recurrence {
    /// Distance between the terms that the recurrence relates. All terms whose index is not a
    /// multiple of the stride are 0, and orders and indices count only the multiples.
    pub stride: usize,
    /// Numerator of the generating function: the sum of a(n) x^n, times the denominator; x stands
    /// for x^stride.
    pub numerator: Polynomial,
    /// Denominator of the generating function: 1 - c1 x - c2 x^2 - .., where a(n) = c1 a(n-1) + c2
    /// a(n-2) + ..
    pub denominator: Polynomial,
    /// Number of terms after which the recurrence holds, counted by strides.
    pub start: usize,
    /// Number of terms after the first `start` that the recurrence was verified on, counted by strides.
    pub verified_terms: usize,
    /// Ratio of the last two terms, times 2^16: an estimate of the growth rate.
    ratio_estimate: BigInt,
}

impl Recurrence {
    /// Returns the recurrence a(n) = 0 for `terms` that are all 0 after the first `from` terms. Its
    /// stride is 1.
    fn from_finite_terms(terms: &[BigUint], from: usize) -> Self {
        let all_terms: Vec<&BigUint> = terms.iter().collect();
        let denominator = Polynomial::from([1]);
        Self {
            stride: 1,
            numerator: compute_numerator(&all_terms, &denominator, from),
            denominator,
            start: from,
            verified_terms: all_terms.len() - from,
            ratio_estimate: BigInt::one() << 16u32,
        }
    }

    /// Returns the order of the recurrence.
    #[must_use]
    pub fn order(&self) -> usize {
        self.denominator.degree()
    }

    /// Returns true if the recurrence is proved for all terms of a strip with `states` states, because it was
    /// verified on as many lengths. The terms must begin with length 1.
    #[must_use]
    pub const fn is_proved_by(&self, states: usize) -> bool {
        self.verified_terms * self.stride >= states
    }

    /// Returns the number of terms beyond the `2 * start` terms that determine the recurrence, counted by
    /// strides. These terms confirm it.
    #[must_use]
    pub const fn confirming_terms(&self) -> usize {
        self.verified_terms.saturating_sub(self.start)
    }

    /// Returns the growth rate of the terms per unit of the index, to 15 digits.
    #[must_use]
    pub fn growth_rate(&self) -> Option<String> {
        growth_rate(&self.denominator, self.stride as u32, &self.ratio_estimate)
    }

    /// Returns the coefficients c1, c2, .. of the recurrence a(n) = c1 a(n-1) + c2 a(n-2) + ..
    pub fn coefficients(&self) -> impl Iterator<Item = BigInt> {
        self.denominator.coefficients().iter().skip(1).map(|a| -a)
    }
}

/// Returns the greatest common divisor of the indices of all non-zero terms among a(offset + 1), a(offset +
/// 2), ..; `None` if all terms are 0. `are_zero` is true for each term that is 0. See
/// [`Recurrence::stride`].
#[must_use]
pub fn common_stride(offset: usize, are_zero: impl IntoIterator<Item = bool>) -> Option<usize> {
    let indices = (offset + 1..).zip(are_zero).filter(|(_, is_zero)| !is_zero).map(|(position, _)| position);
    indices.reduce(|stride, position| stride.gcd(&position))
}

/// Finds the recurrence of least order that the terms a(1), a(2), .. obey. At least as many terms
/// as its order must remain to verify it. Cost O(terms x order) for each prime, and one prime for
/// each 61 bits of the greatest coefficient.
#[must_use]
pub fn find_recurrence(terms: &[BigUint]) -> SearchOutcome {
    find_recurrence_after(0, terms)
}

/// Finds the recurrence of least order that the terms a(offset + 1), a(offset + 2), .. obey, as
/// [`find_recurrence`] does for offset 0. The offset must be a multiple of the common divisor of
/// the indices of all non-zero terms.
#[must_use]
pub fn find_recurrence_after(offset: usize, terms: &[BigUint]) -> SearchOutcome {
    let Some(stride) = common_stride(offset, terms.iter().map(Zero::is_zero)) else {
        return SearchOutcome::AllZero;
    };
    let stride_terms: Vec<&BigUint> = terms.iter().skip(stride - 1).step_by(stride).collect();
    let (mut connection, mut product) = (Vec::<BigInt>::new(), BigInt::one());
    let (mut length, mut degree) = (0, 0);
    for modulus in primes_descending().take(MAX_PRIMES) {
        let prime = modulus.prime();
        let residues: Vec<u64> =
            stride_terms.iter().map(|&term| u64::try_from(term % prime).expect("below the prime")).collect();
        let (found, needed) = berlekamp_massey(&residues, modulus);
        // Modulo a prime the shortest recurrence may be shorter than over the integers, never longer.
        if 3 * needed > stride_terms.len() {
            return SearchOutcome::NoneUpTo(stride_terms.len() / 3);
        }
        if (needed, found.len()) < (length, degree) {
            continue;
        }
        if (needed, found.len()) > (length, degree) {
            (length, degree) = (needed, found.len());
            (connection, product) = (vec![BigInt::zero(); degree], BigInt::one());
        }
        let before = balanced_residues(&connection, &product);
        extend_residues(&mut connection, &product, &found, modulus);
        product *= prime;
        let lifted = balanced_residues(&connection, &product);
        if lifted == before && is_satisfied_by(&stride_terms, &lifted, length) {
            if stride > 1 && lifted.len() == 1 {
                return SearchOutcome::Found(Recurrence::from_finite_terms(terms, length * stride));
            }
            let denominator = Polynomial::new(lifted);
            let numerator = compute_numerator(&stride_terms, &denominator, length);
            let about = match stride_terms.as_slice() {
                [.., before, last] if !before.is_zero() => {
                    (BigInt::from((*last).clone()) << 16u32) / BigInt::from((*before).clone())
                }
                _ => BigInt::one() << 16u32,
            };
            let verified = stride_terms.len() - length;
            return SearchOutcome::Found(Recurrence {
                stride,
                numerator,
                denominator,
                start: length,
                verified_terms: verified,
                ratio_estimate: about,
            });
        }
    }
    SearchOutcome::NoneUpTo(0)
}

/// Returns true if all terms after the first `from` terms satisfy a recurrence over the integers.
/// `connection` holds the coefficients of its connection polynomial, lowest power first.
#[must_use]
pub fn is_satisfied_by(terms: &[&BigUint], connection: &[BigInt], from: usize) -> bool {
    let terms: Vec<BigInt> = terms.iter().map(|&term| BigInt::from(term.clone())).collect();
    (from..terms.len()).all(|n| {
        let reached = connection.iter().enumerate().filter(|&(i, c)| i <= n && !c.is_zero());
        reached.map(|(i, c)| c * &terms[n - i]).sum::<BigInt>().is_zero()
    })
}

fn compute_numerator(terms: &[&BigUint], denominator: &Polynomial, length: usize) -> Polynomial {
    let coefficient = |n: usize| -> BigInt {
        let pairs = denominator.coefficients().iter().enumerate().filter(|&(i, _)| i <= n);
        pairs.map(|(i, c)| c * BigInt::from(terms[n - i].clone())).sum()
    };
    // The first term has index 1.
    let mut all = vec![BigInt::zero()];
    all.extend((0..length).map(coefficient));
    Polynomial::new(all)
}

/// Returns the shortest recurrence of `terms` modulo a prime: its connection polynomial 1 + c1 x +
/// c2 x^2 + .. and its length L. L is the least number for which a(n) + c1 a(n-1) + .. = 0 for all
/// n from L on (n counts from 0). Cost O(terms x length).
#[must_use]
pub fn berlekamp_massey(terms: &[u64], modulus: PrimeModulus) -> (Vec<u64>, usize) {
    let (mut found, mut before) = (vec![1u64], vec![1u64]);
    let (mut length, mut since, mut last) = (0, 1, 1u64);
    for n in 0..terms.len() {
        // The constant coefficient is 1, and the degree is at most the length.
        let discrepancy = modulus.dot(found.iter().copied().zip(terms[..=n].iter().rev().copied()));
        if discrepancy == 0 {
            since += 1;
            continue;
        }
        let factor = modulus.mul(discrepancy, modulus.inverse(last));
        let times = modulus.multiplier(factor);
        let previous = (2 * length <= n).then(|| found.clone());
        found.resize(found.len().max(before.len() + since), 0);
        for (i, &b) in before.iter().enumerate() {
            found[i + since] = modulus.sub(found[i + since], times.multiply(b));
        }
        match previous {
            Some(kept) => {
                (length, before, last, since) = (n + 1 - length, kept, discrepancy, 1);
            }
            None => since += 1,
        }
    }
    while found.last() == Some(&0) {
        found.pop();
    }
    (found, length)
}

/// Minimum number of terms modulo a prime that are computed before a recurrence is reported.
const MIN_TERMS: usize = 96;

/// Number of terms, in addition to the order, after which a recurrence may begin and still be
/// found.
const START_MARGIN_TERMS: usize = 16;

/// The result of a search for a recurrence modulo a prime. All numbers of terms except
/// `length_count` count only every `stride`-th term; the other terms are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModularRecurrence {
    /// The prime modulo which the terms were computed.
    pub prime: u64,
    /// Greatest common divisor of the indices of all non-zero terms.
    pub stride: usize,
    /// Number of terms computed, for consecutive lengths from 1.
    pub length_count: usize,
    /// Number of terms computed at multiples of the stride.
    pub term_count: usize,
    /// True if all computed terms are 0.
    pub is_zero: bool,
    /// The shortest recurrence; `None` if its order is above the maximum, or if too few terms
    /// confirm it. At least half as many terms as determine it must confirm it.
    pub fitted: Option<FittedRecurrence>,
}

/// The shortest recurrence modulo a prime that the computed terms obey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FittedRecurrence {
    /// Order of the recurrence: the degree of the denominator.
    pub order: usize,
    /// Number of terms after which the recurrence holds.
    pub start: usize,
    /// True if the recurrence is proved for all lengths, because it holds for as many lengths as
    /// there are states.
    pub is_proved: bool,
}

impl ModularRecurrence {
    /// Computes terms modulo a prime until a recurrence fits them, or until there are enough terms
    /// to exclude a recurrence of order at most `max_order`. Reports each term to `control` as one
    /// round. Cost: at most about `3 * max_order` terms for each unit of stride, and time quadratic
    /// in the number of terms.
    #[must_use]
    pub fn fit(terms: &StripTerms, max_order: usize, control: &Control) -> Self {
        let modulus = primes_descending().next().expect("there are primes");
        let (mut residues, mut all) = (Vec::new(), terms.terms_modulo(modulus));
        let mut target_terms = MIN_TERMS;
        control.begin_rounds(MIN_TERMS.max(3 * (max_order + START_MARGIN_TERMS)));
        loop {
            while residues.len() < target_terms && !control.is_cancelled() {
                residues.extend(all.next());
                control.finish_round();
            }
            let stride = common_stride(0, residues.iter().map(|&residue| residue == 0)).unwrap_or(1);
            let stride_residues: Vec<u64> =
                residues.iter().skip(stride - 1).step_by(stride).copied().collect();
            let (polynomial, from) = berlekamp_massey(&stride_residues, modulus);
            let is_proved = residues.len() >= from * stride + terms.order_bound();
            // Terms that are all 0 give no information about later terms.
            let fits = 3 * from <= stride_residues.len() && (from > 0 || is_proved);
            let longest = MIN_TERMS.max(3 * (max_order + START_MARGIN_TERMS) * stride);
            if fits || residues.len() >= longest || control.is_cancelled() {
                let order = polynomial.len() - 1;
                return Self {
                    prime: modulus.prime(),
                    stride,
                    length_count: residues.len(),
                    term_count: stride_residues.len(),
                    is_zero: residues.iter().all(|&residue| residue == 0),
                    fitted: (fits && order <= max_order).then_some(FittedRecurrence {
                        order,
                        start: from,
                        is_proved,
                    }),
                };
            }
            target_terms = longest.min(2 * target_terms);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::primes_descending;
    use super::*;

    fn big_numbers(terms: &[u64]) -> Vec<BigUint> {
        terms.iter().map(|&term| term.into()).collect()
    }

    #[test]
    fn find_recurrence_accepts_fibonacci_and_rejects_a_wrong_term() {
        let mut terms = big_numbers(&[0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55]);
        let SearchOutcome::Found(found) = find_recurrence(&terms) else {
            panic!("the Fibonacci numbers have a recurrence")
        };
        assert_eq!((found.order(), found.stride, found.start, found.verified_terms), (2, 1, 2, 9));
        assert_eq!(found.confirming_terms(), 7);
        assert_eq!((found.numerator, found.denominator), ([0, 0, 1].into(), [1, -1, -1].into()));
        terms[7] += 1u32;
        assert_eq!(find_recurrence(&terms), SearchOutcome::NoneUpTo(3));
        // Terms before the start of the recurrence count like its order.
        let late = big_numbers(&[9, 9, 9, 9, 1, 2, 4, 8, 16, 32, 64]);
        assert_eq!(find_recurrence(&late), SearchOutcome::NoneUpTo(3));
        let late = big_numbers(&[9, 9, 9, 1, 2, 4, 8, 16, 32, 64, 128, 256]);
        assert!(
            matches!(find_recurrence(&late), SearchOutcome::Found(found) if (found.order(), found.start) == (1, 4))
        );
        assert_eq!(find_recurrence(&big_numbers(&[0, 0])), SearchOutcome::AllZero);
    }

    #[test]
    fn common_stride_is_gcd_of_nonzero_indices() {
        let of = |offset: usize, terms: &[u32]| common_stride(offset, terms.iter().map(|&term| term == 0));
        assert_eq!(of(0, &[0, 0, 0, 5, 0, 7, 0, 0]), Some(2));
        assert_eq!(
            (of(0, &[0, 0, 4]), of(2, &[4, 0, 0, 4]), of(0, &[1, 0, 0, 1])),
            (Some(3), Some(3), Some(1))
        );
        assert_eq!((of(0, &[0, 0]), of(5, &[])), (None, None));
    }

    #[test]
    fn find_recurrence_skips_zero_terms_between_strides() {
        let terms = big_numbers(&[0, 3, 0, 6, 0, 12, 0, 24, 0, 48, 0, 96]);
        let SearchOutcome::Found(found) = find_recurrence(&terms) else {
            panic!("every second term doubles")
        };
        // The non-zero terms are at 6, 10, 14, ..: the indices differ by 4, but their common divisor is 2.
        let later: Vec<BigUint> =
            (3..40u32).map(|n| if n % 4 == 2 { n.into() } else { BigUint::ZERO }).collect();
        let SearchOutcome::Found(odd) = find_recurrence_after(2, &later) else {
            panic!("the terms grow linearly")
        };
        assert_eq!(odd.stride, 2);
        assert_eq!((found.order(), found.stride, found.numerator.clone()), (1, 2, [0, 3].into()));
        assert_eq!(found.growth_rate().unwrap(), "1.41421356237310");
        // The stride is 2, so 24 terms count as 12, which can show orders up to 4.
        let uneven = big_numbers(&[0, 3, 0, 1, 0, 4, 0, 1, 0, 5, 0, 9, 0, 2, 0, 6, 0, 5, 0, 3, 0, 5, 0, 8]);
        assert_eq!(find_recurrence(&uneven), SearchOutcome::NoneUpTo(4));
        // A single non-zero term: order 0 after four terms.
        let SearchOutcome::Found(one) = find_recurrence(&big_numbers(&[0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0]))
        else {
            panic!("all later terms are 0")
        };
        assert_eq!((one.order(), one.stride, one.start, one.verified_terms), (0, 1, 4, 8));
        assert_eq!((one.numerator, one.denominator), ([0, 0, 0, 0, 7].into(), [1].into()));
    }

    #[test]
    fn find_recurrence_lifts_large_coefficients() {
        let factor = BigInt::from(10).pow(50u32);
        let mut terms: Vec<BigInt> = vec![BigInt::from(1), BigInt::from(7)];
        for n in 2..12 {
            let next: BigInt = &terms[n - 1] * &factor + &terms[n - 2] * 3;
            terms.push(next);
        }
        let terms: Vec<BigUint> = terms.into_iter().map(|term| term.try_into().unwrap()).collect();
        let SearchOutcome::Found(found) = find_recurrence(&terms) else {
            panic!("the terms are made by a recurrence")
        };
        assert_eq!(found.coefficients().collect::<Vec<_>>(), [factor, 3.into()]);
    }

    #[test]
    fn berlekamp_massey_finds_known_recurrences() {
        let modulus = primes_descending().next().unwrap();
        let p = modulus.prime();
        let fibonacci = [0, 1, 1, 2, 3, 5, 8, 13, 21];
        assert_eq!(berlekamp_massey(&fibonacci, modulus), (vec![1, p - 1, p - 1], 2));
        // Two further terms before the powers of 2.
        assert_eq!(berlekamp_massey(&[5, 7, 1, 2, 4, 8, 16, 32], modulus), (vec![1, p - 2], 3));
        assert_eq!(berlekamp_massey(&[0, 0, 0], modulus), (vec![1], 0));
        assert_eq!(berlekamp_massey(&[0, 0, 9], modulus).1, 3);
    }
}
