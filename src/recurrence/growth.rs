//! How fast the numbers grow: the greatest root of a recurrence's characteristic polynomial.
//!
//! Numbers that are not negative grow by a positive real root that no other root exceeds in size (Pringsheim). From
//! above it Newton's method comes down to it without fail: there the polynomial and all its derivatives are positive,
//! for the roots of these lie among those (Gauss and Lucas). Where that begins is told by Descartes' rule, applied
//! to the polynomial moved there. All is done with integers, at 2^-128.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, Zero};

use super::polynomial::Polynomial;

/// Bits after the point.
const BITS: usize = 128;

/// Bits after the point that a number is certain of: more than 15 digits of numbers below a million.
const SURE: usize = 80;

/// The value at `x / 2^BITS`, times 2^(BITS x degree).
fn scaled(polynomial: &Polynomial, x: &BigInt) -> BigInt {
    let coefficients = polynomial.coefficients().iter().rev().enumerate();
    coefficients.fold(BigInt::zero(), |value, (place, a)| value * x + (a << (BITS * place)))
}

/// Whether no root is greater than `x / 2^16`, by Descartes' rule.
fn is_above(polynomial: &Polynomial, x: &BigInt) -> bool {
    let degree = polynomial.degree();
    // q(y) = 2^(16 degree) p(y / 2^16), moved by x.
    let mut moved: Vec<BigInt> =
        polynomial.coefficients().iter().enumerate().map(|(i, a)| a << (16 * (degree - i))).collect();
    for first in 0..degree {
        for at in (first..degree).rev() {
            let up = &moved[at + 1] * x;
            moved[at] += up;
        }
    }
    moved.iter().all(|a| !a.is_negative())
}

/// The greatest root of the polynomial whose coefficients are in opposite order, or its root of the order `stride`,
/// to 15 digits. `None` if there is none. `about` is near it, such as the ratio of the last terms, times 2^16.
#[must_use]
pub fn growth(denominator: &Polynomial, stride: u32, about: &BigInt) -> Option<String> {
    let characteristic = denominator.reversed();
    if characteristic.degree() == 0 {
        return None;
    }
    let sign =
        if characteristic.coefficients().last()?.is_negative() { -BigInt::one() } else { BigInt::one() };
    // A root that occurs several times is a simple one of the radical.
    let monic = Polynomial::new(characteristic.coefficients().iter().map(|a| a * &sign).collect()).radical();
    // A little above what it is about, or more.
    let mut above = about + (about >> 10) + BigInt::one();
    let mut by: BigInt = (about >> 8) + BigInt::one();
    while !is_above(&monic, &above) {
        above += &by;
        by <<= 1;
        if by.bits() > 4096 {
            return None;
        }
    }
    let slope = monic.derivative();
    let mut root = above << (BITS - 16);
    loop {
        let (value, slope) = (scaled(&monic, &root), scaled(&slope, &root));
        if !slope.is_positive() {
            return None;
        }
        let down = value / slope;
        if down.is_zero() {
            break;
        }
        root -= down;
    }
    let below = &root - (BigInt::one() << (BITS - SURE));
    if !scaled(&monic, &below).is_negative() {
        return None;
    }
    let root = if stride > 1 { (root << (BITS * (stride as usize - 1))).nth_root(stride) } else { root };
    Some(digits(&root))
}

/// How fast numbers grow by their last terms alone: the digits that two ratios of neighbours agree on, fifteen at most.
/// `terms` are those that are not 0, every so-manieth. `None` if they agree on none.
#[must_use]
pub fn growth_by_terms(terms: &[&BigUint], stride: u32) -> Option<String> {
    let [.., a, b, c] = terms else { return None };
    if a.is_zero() || b.is_zero() {
        return None;
    }
    let ratio = |above: &BigUint, below: &BigUint| {
        let times = BigInt::from(above.clone()) << (BITS * stride as usize);
        digits(&(times / BigInt::from(below.clone())).nth_root(stride))
    };
    let (before, last) = (ratio(b, a), ratio(c, b));
    let same = before.chars().zip(last.chars()).take_while(|(a, b)| a == b).count();
    // The last digit that both have may be rounded otherwise.
    let sure = if same == last.len() { same } else { same.saturating_sub(1) };
    let text = last[..sure].trim_end_matches('.').to_owned();
    (!text.is_empty() && (text.contains('.') || last.starts_with(&format!("{text}.")))).then_some(text)
}

/// Fifteen significant digits of `x / 2^BITS`, rounded.
fn digits(x: &BigInt) -> String {
    let whole = (x >> BITS).to_string();
    let after = if (x >> BITS).is_zero() { 15 } else { 15usize.saturating_sub(whole.len()) };
    let scaled = (x * BigInt::from(10).pow(after as u32) + (BigInt::one() << (BITS - 1))) >> BITS;
    let text = format!("{:0>width$}", scaled.to_string(), width = after + 1);
    let (whole, rest) = text.split_at(text.len() - after);
    if rest.is_empty() { whole.to_owned() } else { format!("{whole}.{rest}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_roots_are_found_to_fifteen_digits() {
        let about = |ratio: f64| BigInt::from((ratio * 65536.0) as i64);
        assert_eq!(growth(&[1, -1, -1].into(), 1, &about(1.6)).unwrap(), "1.61803398874989");
        assert_eq!(growth(&[1, -2].into(), 2, &about(1.0)).unwrap(), "1.41421356237310");
        // Far off, and with a root of the same size below zero.
        assert_eq!(growth(&[1, 0, -12345].into(), 1, &about(1.0)).unwrap(), "111.108055513541");
        assert_eq!(growth(&[1].into(), 1, &about(1.0)), None);
        // (1 - 3 x)^2 (1 - 2 x - x^2)^3: the greatest root is 3, twice; without it 1 + sqrt 2, three times.
        let (three, silver) = (Polynomial::from([1, -3]), Polynomial::from([1, -2, -1]));
        let cube = silver.times(&silver).times(&silver);
        assert_eq!(growth(&cube.times(&three).times(&three), 1, &about(3.0)).unwrap(), "3.00000000000000");
        assert_eq!(growth(&cube, 1, &about(2.5)).unwrap(), "2.41421356237310");
        let terms: Vec<BigUint> =
            (0..60).map(|n| BigUint::from(3u32).pow(n) * 5u32 + BigUint::from(2u32).pow(n)).collect();
        let terms: Vec<&BigUint> = terms.iter().collect();
        assert_eq!(growth_by_terms(&terms, 1).unwrap(), "2.9999999999");
        assert_eq!(growth_by_terms(&terms[..2], 1), None);
    }
}
