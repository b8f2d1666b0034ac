//! Growth rate of a sequence: the greatest real root of its recurrence's characteristic polynomial.
//!
//! The growth rate of non-negative terms is a positive real root that no other root exceeds in absolute value
//! (Pringsheim). Newton's method converges to it from any greater starting point: there the polynomial and
//! all its derivatives are positive, because the roots of a derivative lie in the convex hull of the
//! polynomial's roots (Gauss and Lucas). Descartes' rule of signs, applied to the polynomial shifted by the
//! starting point, confirms that the point is greater than all real roots. All computation uses integers, as
//! fixed-point numbers with 128 fraction bits.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, Zero};

use super::polynomial::Polynomial;

/// Number of fraction bits of the fixed-point numbers.
const FRACTION_BITS: usize = 128;

/// Number of fraction bits that are certain to be correct: more than 15 digits of numbers below a million.
const RELIABLE_FRACTION_BITS: usize = 80;

/// Returns the value of `polynomial` at `x / 2^FRACTION_BITS`, multiplied by 2^(FRACTION_BITS x
/// degree).
fn evaluate_scaled(polynomial: &Polynomial, x: &BigInt) -> BigInt {
    let coefficients = polynomial.coefficients().iter().rev().enumerate();
    coefficients.fold(BigInt::zero(), |value, (position, a)| value * x + (a << (FRACTION_BITS * position)))
}

/// Returns true if no real root of `polynomial` is greater than `x / 2^16`, by Descartes' rule of
/// signs.
fn is_root_bound(polynomial: &Polynomial, x: &BigInt) -> bool {
    let degree = polynomial.degree();
    // q(y) = 2^(16 degree) p(y / 2^16), shifted by x.
    let mut shifted: Vec<BigInt> =
        polynomial.coefficients().iter().enumerate().map(|(i, a)| a << (16 * (degree - i))).collect();
    for first in 0..degree {
        for at in (first..degree).rev() {
            let up = &shifted[at + 1] * x;
            shifted[at] += up;
        }
    }
    shifted.iter().all(|a| !a.is_negative())
}

/// Returns the growth rate of a sequence whose generating function has this denominator in
/// x^`stride`, to 15 digits: the `stride`-th root of the greatest real root of the reversed
/// denominator. Returns `None` if the denominator is constant or has no such root. `estimate` is an
/// approximation of the greatest root times 2^16, such as the ratio of the last two terms times
/// 2^16.
#[must_use]
pub fn growth_rate(denominator: &Polynomial, stride: u32, estimate: &BigInt) -> Option<String> {
    let characteristic = denominator.reversed();
    if characteristic.degree() == 0 {
        return None;
    }
    let sign =
        if characteristic.coefficients().last()?.is_negative() { -BigInt::one() } else { BigInt::one() };
    // A multiple root is a simple root of the radical.
    let monic = Polynomial::new(characteristic.coefficients().iter().map(|a| a * &sign).collect()).radical();
    // The first candidate for an upper bound is slightly above the estimate; later ones are ever larger.
    let mut above = estimate + (estimate >> 10) + BigInt::one();
    let mut increment: BigInt = (estimate >> 8) + BigInt::one();
    while !is_root_bound(&monic, &above) {
        above += &increment;
        increment <<= 1;
        if increment.bits() > 4096 {
            return None;
        }
    }
    let slope = monic.derivative();
    let mut root = above << (FRACTION_BITS - 16);
    loop {
        let (value, slope) = (evaluate_scaled(&monic, &root), evaluate_scaled(&slope, &root));
        if !slope.is_positive() {
            return None;
        }
        let down = value / slope;
        if down.is_zero() {
            break;
        }
        root -= down;
    }
    let below = &root - (BigInt::one() << (FRACTION_BITS - RELIABLE_FRACTION_BITS));
    if !evaluate_scaled(&monic, &below).is_negative() {
        return None;
    }
    let root =
        if stride > 1 { (root << (FRACTION_BITS * (stride as usize - 1))).nth_root(stride) } else { root };
    Some(format_15_digits(&root))
}

/// Returns the growth rate as far as the last three terms determine it: the common leading digits
/// of the last two ratios of consecutive terms, at most fifteen. `terms` are the terms at multiples
/// of `stride`. Returns `None` if the ratios have no leading digit in common, or there are fewer
/// than three terms.
#[must_use]
pub fn growth_rate_from_terms(terms: &[&BigUint], stride: u32) -> Option<String> {
    let [.., a, b, c] = terms else { return None };
    if a.is_zero() || b.is_zero() {
        return None;
    }
    let ratio = |above: &BigUint, below: &BigUint| {
        let times = BigInt::from(above.clone()) << (FRACTION_BITS * stride as usize);
        format_15_digits(&(times / BigInt::from(below.clone())).nth_root(stride))
    };
    let (before, last) = (ratio(b, a), ratio(c, b));
    let same = before.chars().zip(last.chars()).take_while(|(a, b)| a == b).count();
    // The last common digit may differ after rounding.
    let sure = if same == last.len() { same } else { same.saturating_sub(1) };
    let text = last[..sure].trim_end_matches('.').to_owned();
    (!text.is_empty() && (text.contains('.') || last.starts_with(&format!("{text}.")))).then_some(text)
}

/// Returns `x / 2^FRACTION_BITS` rounded to fifteen significant digits.
fn format_15_digits(x: &BigInt) -> String {
    let whole = (x >> FRACTION_BITS).to_string();
    let after = if (x >> FRACTION_BITS).is_zero() { 15 } else { 15usize.saturating_sub(whole.len()) };
    let scaled =
        (x * BigInt::from(10).pow(after as u32) + (BigInt::one() << (FRACTION_BITS - 1))) >> FRACTION_BITS;
    let text = format!("{:0>width$}", scaled.to_string(), width = after + 1);
    let (whole, rest) = text.split_at(text.len() - after);
    if rest.is_empty() { whole.to_owned() } else { format!("{whole}.{rest}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_rate_of_known_roots_has_15_digits() {
        let about = |ratio: f64| BigInt::from((ratio * 65536.0) as i64);
        assert_eq!(growth_rate(&[1, -1, -1].into(), 1, &about(1.6)).unwrap(), "1.61803398874989");
        assert_eq!(growth_rate(&[1, -2].into(), 2, &about(1.0)).unwrap(), "1.41421356237310");
        // A poor estimate, and a second root of equal absolute value below zero.
        assert_eq!(growth_rate(&[1, 0, -12345].into(), 1, &about(1.0)).unwrap(), "111.108055513541");
        assert_eq!(growth_rate(&[1].into(), 1, &about(1.0)), None);
        // (1 - 3 x)^2 (1 - 2 x - x^2)^3: the greatest root is 3, with multiplicity 2; without that factor 1 +
        // sqrt 2, with multiplicity 3.
        let (three, silver) = (Polynomial::from([1, -3]), Polynomial::from([1, -2, -1]));
        let cube = silver.multiply(&silver).multiply(&silver);
        assert_eq!(
            growth_rate(&cube.multiply(&three).multiply(&three), 1, &about(3.0)).unwrap(),
            "3.00000000000000"
        );
        assert_eq!(growth_rate(&cube, 1, &about(2.5)).unwrap(), "2.41421356237310");
        let terms: Vec<BigUint> =
            (0..60).map(|n| BigUint::from(3u32).pow(n) * 5u32 + BigUint::from(2u32).pow(n)).collect();
        let terms: Vec<&BigUint> = terms.iter().collect();
        assert_eq!(growth_rate_from_terms(&terms, 1).unwrap(), "2.9999999999");
        assert_eq!(growth_rate_from_terms(&terms[..2], 1), None);
    }
}
