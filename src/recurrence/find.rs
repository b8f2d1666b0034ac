//! Search for the recurrence of least order that a sequence obeys: computed modulo primes, lifted to
//! integers, and verified exactly on all given terms.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Zero};

use super::growth::growth;
use super::lift::{balanced, join};
use super::massey::shortest;
use super::modular::primes;
use super::polynomial::Polynomial;

/// Maximum number of primes before the search ends without a result; coefficients may have up to this many
/// times 61 bits.
const MOST_PRIMES: usize = 2000;

/// The result of a search for a recurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// A recurrence, verified on at least as many further terms as its order.
    Found(Recurrence),
    /// No recurrence of at most this order that begins after at most as many terms. A recurrence that begins
    /// later would not be detected. Both numbers count only every [`Recurrence::stride`]-th term, like the
    /// order of a recurrence that is found.
    NoneUpTo(usize),
    /// All terms are 0.
    Nothing,
}

/// A linear recurrence with constant coefficients that a sequence obeys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recurrence {
    /// Distance of the terms that the recurrence relates. All terms whose index is not a multiple of the
    /// stride are 0, and orders and indices count only the multiples.
    pub stride: usize,
    /// The generating function, the sum of a(n) x^n, times the denominator; x stands for x^stride.
    pub numerator: Polynomial,
    /// 1 - c1 x - c2 x^2 - .., where a(n) = c1 a(n-1) + c2 a(n-2) + ..
    pub denominator: Polynomial,
    /// Number of terms after which the recurrence holds, counted by strides.
    pub from: usize,
    /// Number of terms after the first `start` that the recurrence was verified on, counted by strides.
    pub verified: usize,
    /// Ratio of the last two terms, times 2^16: an estimate of the growth rate.
    about: BigInt,
}

impl Recurrence {
    /// Returns the recurrence a(n) = 0 of terms that are all 0 after the first `from`; its stride is 1.
    fn ended(terms: &[BigUint], from: usize) -> Self {
        let own: Vec<&BigUint> = terms.iter().collect();
        let denominator = Polynomial::from([1]);
        Self {
            stride: 1,
            numerator: numerator(&own, &denominator, from),
            denominator,
            from,
            verified: own.len() - from,
            about: BigInt::one() << 16u32,
        }
    }

    /// Returns the order of the recurrence.
    #[must_use]
    pub fn order(&self) -> usize {
        self.denominator.degree()
    }

    /// Returns the number of consecutive indices that the recurrence was verified on, all multiples and
    /// non-multiples of the stride included.
    #[must_use]
    pub fn window(&self) -> usize {
        self.verified * self.stride
    }

    /// Returns the number of terms beyond the `2 * start` terms that determine the recurrence, counted by
    /// strides. These terms confirm it.
    #[must_use]
    pub const fn beyond(&self) -> usize {
        self.verified.saturating_sub(self.from)
    }

    /// Returns the growth rate of the terms per unit of the index, to 15 digits.
    #[must_use]
    pub fn growth(&self) -> Option<String> {
        growth(&self.denominator, self.stride as u32, &self.about)
    }

    /// Returns the coefficients c1, c2, ..
    pub fn coefficients(&self) -> impl Iterator<Item = BigInt> {
        self.denominator.coefficients().iter().skip(1).map(|a| -a)
    }
}

/// Returns the greatest common divisor of the indices of all non-zero terms among a(offset + 1), a(offset +
/// 2), ..; `None` if all terms are 0. `are_zero` is true for each term that is 0. See
/// [`Recurrence::stride`].
#[must_use]
pub fn stride(offset: usize, are_zero: impl IntoIterator<Item = bool>) -> Option<usize> {
    let places = (offset + 1..).zip(are_zero).filter(|(_, is_zero)| !is_zero).map(|(place, _)| place);
    places.reduce(|stride, place| stride.gcd(&place))
}

/// Finds the recurrence of least order of a(1), a(2), .. for which at least as many terms as its order remain
/// for verification. Cost O(terms x order) for each prime, and one prime for each 61 bits of the greatest
/// coefficient.
#[must_use]
pub fn find(terms: &[BigUint]) -> Finding {
    find_after(0, terms)
}

/// Finds the recurrence of least order of a(offset + 1), a(offset + 2), .., as [`find_recurrence`] does for
/// offset 0. The offset must be a multiple of the common divisor of the indices of all non-zero terms.
#[must_use]
pub fn find_after(offset: usize, terms: &[BigUint]) -> Finding {
    let Some(stride) = stride(offset, terms.iter().map(Zero::is_zero)) else { return Finding::Nothing };
    let own: Vec<&BigUint> = terms.iter().skip(stride - 1).step_by(stride).collect();
    let (mut connection, mut product) = (Vec::<BigInt>::new(), BigInt::one());
    let (mut length, mut degree) = (0, 0);
    for modulus in primes().take(MOST_PRIMES) {
        let prime = modulus.prime();
        let residues: Vec<u64> =
            own.iter().map(|&term| u64::try_from(term % prime).expect("below the prime")).collect();
        let (found, needed) = shortest(&residues, modulus);
        // Modulo a prime the shortest recurrence may be shorter than over the integers, never longer.
        if 3 * needed > own.len() {
            return Finding::NoneUpTo(own.len() / 3);
        }
        if (needed, found.len()) < (length, degree) {
            continue;
        }
        if (needed, found.len()) > (length, degree) {
            (length, degree) = (needed, found.len());
            (connection, product) = (vec![BigInt::zero(); degree], BigInt::one());
        }
        let before = balanced(&connection, &product);
        join(&mut connection, &product, &found, modulus);
        product *= prime;
        let lifted = balanced(&connection, &product);
        if lifted == before && holds(&own, &lifted, length) {
            if stride > 1 && lifted.len() == 1 {
                return Finding::Found(Recurrence::ended(terms, length * stride));
            }
            let denominator = Polynomial::new(lifted);
            let numerator = numerator(&own, &denominator, length);
            let about = match own.as_slice() {
                [.., before, last] if !before.is_zero() => {
                    (BigInt::from((*last).clone()) << 16u32) / BigInt::from((*before).clone())
                }
                _ => BigInt::one() << 16u32,
            };
            let verified = own.len() - length;
            return Finding::Found(Recurrence {
                stride,
                numerator,
                denominator,
                from: length,
                verified,
                about,
            });
        }
    }
    Finding::NoneUpTo(0)
}

/// Returns true if all terms after the first `from` satisfy the recurrence given by a connection polynomial,
/// checked over the integers.
#[must_use]
pub fn holds(terms: &[&BigUint], connection: &[BigInt], from: usize) -> bool {
    let terms: Vec<BigInt> = terms.iter().map(|&term| BigInt::from(term.clone())).collect();
    (from..terms.len()).all(|n| {
        let reached = connection.iter().enumerate().filter(|&(i, c)| i <= n && !c.is_zero());
        reached.map(|(i, c)| c * &terms[n - i]).sum::<BigInt>().is_zero()
    })
}

fn numerator(terms: &[&BigUint], denominator: &Polynomial, length: usize) -> Polynomial {
    let coefficient = |n: usize| -> BigInt {
        let pairs = denominator.coefficients().iter().enumerate().filter(|&(i, _)| i <= n);
        pairs.map(|(i, c)| c * BigInt::from(terms[n - i].clone())).sum()
    };
    // The first term has index 1.
    let mut all = vec![BigInt::zero()];
    all.extend((0..length).map(coefficient));
    Polynomial::new(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(terms: &[u64]) -> Vec<BigUint> {
        terms.iter().map(|&term| term.into()).collect()
    }

    #[test]
    fn a_recurrence_is_found_and_a_wrong_term_finds_itself_out() {
        let mut terms = numbers(&[0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55]);
        let Finding::Found(found) = find(&terms) else { panic!("the Fibonacci numbers have a recurrence") };
        assert_eq!((found.order(), found.stride, found.from, found.verified), (2, 1, 2, 9));
        assert_eq!(found.beyond(), 7);
        assert_eq!((found.numerator, found.denominator), ([0, 0, 1].into(), [1, -1, -1].into()));
        terms[7] += 1u32;
        assert_eq!(find(&terms), Finding::NoneUpTo(3));
        // Terms before the start of the recurrence count like its order.
        let late = numbers(&[9, 9, 9, 9, 1, 2, 4, 8, 16, 32, 64]);
        assert_eq!(find(&late), Finding::NoneUpTo(3));
        let late = numbers(&[9, 9, 9, 1, 2, 4, 8, 16, 32, 64, 128, 256]);
        assert!(matches!(find(&late), Finding::Found(found) if (found.order(), found.from) == (1, 4)));
        assert_eq!(find(&numbers(&[0, 0])), Finding::Nothing);
    }

    #[test]
    fn a_stride_is_what_places_have_in_common() {
        let of = |offset: usize, terms: &[u32]| stride(offset, terms.iter().map(|&term| term == 0));
        assert_eq!(of(0, &[0, 0, 0, 5, 0, 7, 0, 0]), Some(2));
        assert_eq!(
            (of(0, &[0, 0, 4]), of(2, &[4, 0, 0, 4]), of(0, &[1, 0, 0, 1])),
            (Some(3), Some(3), Some(1))
        );
        assert_eq!((of(0, &[0, 0]), of(5, &[])), (None, None));
    }

    #[test]
    fn terms_that_are_always_0_are_left_out() {
        let terms = numbers(&[0, 3, 0, 6, 0, 12, 0, 24, 0, 48, 0, 96]);
        let Finding::Found(found) = find(&terms) else { panic!("every second term doubles") };
        // The non-zero terms are at 6, 10, 14, ..: the indices differ by 4, but their common divisor is 2.
        let later: Vec<BigUint> =
            (3..40u32).map(|n| if n % 4 == 2 { n.into() } else { BigUint::ZERO }).collect();
        let Finding::Found(odd) = find_after(2, &later) else { panic!("the terms grow linearly") };
        assert_eq!(odd.stride, 2);
        assert_eq!((found.order(), found.stride, found.numerator.clone()), (1, 2, [0, 3].into()));
        assert_eq!(found.growth().unwrap(), "1.41421356237310");
        // The stride is 2, so 24 terms count as 12, which can show orders up to 4.
        let uneven = numbers(&[0, 3, 0, 1, 0, 4, 0, 1, 0, 5, 0, 9, 0, 2, 0, 6, 0, 5, 0, 3, 0, 5, 0, 8]);
        assert_eq!(find(&uneven), Finding::NoneUpTo(4));
        // A single non-zero term: order 0 after four terms.
        let Finding::Found(one) = find(&numbers(&[0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0])) else {
            panic!("all later terms are 0")
        };
        assert_eq!((one.order(), one.stride, one.from, one.verified), (0, 1, 4, 8));
        assert_eq!((one.numerator, one.denominator), ([0, 0, 0, 0, 7].into(), [1].into()));
    }

    #[test]
    fn coefficients_of_any_size_are_lifted() {
        let factor = BigInt::from(10).pow(50u32);
        let mut terms: Vec<BigInt> = vec![BigInt::from(1), BigInt::from(7)];
        for n in 2..12 {
            let next: BigInt = &terms[n - 1] * &factor + &terms[n - 2] * 3;
            terms.push(next);
        }
        let terms: Vec<BigUint> = terms.into_iter().map(|term| term.try_into().unwrap()).collect();
        let Finding::Found(found) = find(&terms) else { panic!("the terms are made by a recurrence") };
        assert_eq!(found.coefficients().collect::<Vec<_>>(), [factor, 3.into()]);
    }
}
