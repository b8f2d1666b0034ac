//! Arithmetic modulo primes below 2^62, and reconstruction of integers from their residues.
//!
//! Integers are reconstructed from their residues by the Chinese remainder theorem, one prime after another,
//! until a further prime changes nothing.

use num_bigint::BigInt;
use num_integer::Integer;

/// A prime below 2^62 with the arithmetic modulo this prime. All arguments and results called
/// residues are below the prime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrimeModulus(u64);

impl PrimeModulus {
    /// Returns the prime.
    #[must_use]
    pub const fn prime(self) -> u64 {
        self.0
    }

    /// Returns the sum of two residues.
    #[must_use]
    pub const fn add(self, a: u64, b: u64) -> u64 {
        let sum = a + b;
        if sum >= self.0 { sum - self.0 } else { sum }
    }

    /// Returns the difference of two residues.
    #[must_use]
    pub const fn sub(self, a: u64, b: u64) -> u64 {
        if a >= b { a - b } else { a + self.0 - b }
    }

    /// Returns the product of two residues.
    #[must_use]
    pub const fn mul(self, a: u64, b: u64) -> u64 {
        ((a as u128 * b as u128) % self.0 as u128) as u64
    }

    /// Returns the sum of the products of pairs of residues. It computes one reduction for every 16
    /// products.
    #[must_use]
    pub fn dot(self, pairs: impl Iterator<Item = (u64, u64)>) -> u64 {
        let (mut sum, mut additions_left) = (0u128, 16);
        for (a, b) in pairs {
            if additions_left == 0 {
                (sum, additions_left) = (sum % u128::from(self.0), 15);
            }
            sum += u128::from(a) * u128::from(b);
            additions_left -= 1;
        }
        (sum % u128::from(self.0)) as u64
    }

    /// Returns `factor`, a residue, prepared for repeated multiplication (Shoup): each product then
    /// needs no division.
    #[must_use]
    pub const fn multiplier(self, factor: u64) -> FixedMultiplier {
        FixedMultiplier {
            factor,
            quotient: (((factor as u128) << 64) / self.0 as u128) as u64,
            modulus: self,
        }
    }

    /// Returns the residue `base` to the power of `exponent`.
    #[must_use]
    pub const fn pow(self, mut base: u64, mut exponent: u64) -> u64 {
        let mut power = 1 % self.0;
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = self.mul(power, base);
            }
            base = self.mul(base, base);
            exponent >>= 1;
        }
        power
    }

    /// Returns the inverse of a non-zero residue.
    #[must_use]
    pub const fn inverse(self, a: u64) -> u64 {
        self.pow(a, self.0 - 2)
    }
}

/// A fixed residue, prepared for multiplication without division.
#[derive(Clone, Copy, Debug)]
pub struct FixedMultiplier {
    factor: u64,
    quotient: u64,
    modulus: PrimeModulus,
}

impl FixedMultiplier {
    /// Returns the product of this residue and another residue.
    #[must_use]
    pub const fn multiply(self, other: u64) -> u64 {
        let quotient = ((self.quotient as u128 * other as u128) >> 64) as u64;
        let remainder = self.factor.wrapping_mul(other).wrapping_sub(quotient.wrapping_mul(self.modulus.0));
        if remainder >= self.modulus.0 { remainder - self.modulus.0 } else { remainder }
    }
}

/// Returns the monic greatest common divisor of two polynomials modulo a prime. Polynomials are
/// lists of coefficients, lowest power first. The last coefficient of either argument must not be
/// 0. Euclid's algorithm; cost O(degree^2).
pub fn modular_gcd(mut a: Vec<u64>, mut b: Vec<u64>, modulus: PrimeModulus) -> Vec<u64> {
    while let Some(&lead) = b.last() {
        let inverse = modulus.inverse(lead);
        while a.len() >= b.len() {
            let factor = modulus.multiplier(modulus.mul(*a.last().expect("longer than the other"), inverse));
            let shift = a.len() - b.len();
            for (i, &c) in b.iter().enumerate() {
                a[shift + i] = modulus.sub(a[shift + i], factor.multiply(c));
            }
            while a.last() == Some(&0) {
                a.pop();
            }
        }
        std::mem::swap(&mut a, &mut b);
    }
    let inverse = a.last().map_or(1, |&lead| modulus.inverse(lead));
    a.iter_mut().for_each(|c| *c = modulus.mul(*c, inverse));
    a
}

/// Returns true if `n` is prime, by the Miller-Rabin test with bases that make it exact for 64-bit numbers.
const fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    let (modulus, twos) = (PrimeModulus(n), (n - 1).trailing_zeros());
    let odd = (n - 1) >> twos;
    let mut position = 0;
    'bases: while position < BASES.len() {
        let mut power = modulus.pow(BASES[position], odd);
        position += 1;
        if power == 1 || power == n - 1 {
            continue;
        }
        let mut step = 1;
        while step < twos {
            power = modulus.mul(power, power);
            if power == n - 1 {
                continue 'bases;
            }
            step += 1;
        }
        return false;
    }
    true
}

/// Returns the primes below 2^62 in descending order.
pub fn primes_descending() -> impl Iterator<Item = PrimeModulus> {
    (1..).map(|below| (1u64 << 62) - below).filter(|&n| n % 2 == 1 && is_prime(n)).map(PrimeModulus)
}

/// Returns the residue of an integer modulo a prime, from 0 to the prime less 1.
pub fn residue(number: &BigInt, modulus: PrimeModulus) -> u64 {
    u64::try_from(number.mod_floor(&modulus.prime().into())).expect("below the prime")
}

/// Changes `numbers`, which are known modulo `product`, to numbers modulo `product` times a further
/// prime. `residues` are the residues of the numbers modulo this prime.
pub fn extend_residues(numbers: &mut [BigInt], product: &BigInt, residues: &[u64], modulus: PrimeModulus) {
    let inverse = modulus.inverse(residue(product, modulus));
    for (number, &target) in numbers.iter_mut().zip(residues) {
        let difference = modulus.sub(target, residue(number, modulus));
        *number += product * modulus.mul(difference, inverse);
    }
}

/// Returns, for each of `numbers`, the integer of least absolute value that is equal to it modulo
/// `product`.
pub fn balanced_residues(numbers: &[BigInt], product: &BigInt) -> Vec<BigInt> {
    let least = |number: &BigInt| {
        if (number << 1u32) > *product { number - product } else { number.clone() }
    };
    numbers.iter().map(least).collect()
}

#[cfg(test)]
mod tests {
    use super::super::primes_descending;
    use super::*;

    #[test]
    fn primes_and_residue_arithmetic_are_correct() {
        let first: Vec<u64> = primes_descending().take(2).map(PrimeModulus::prime).collect();
        assert_eq!(first, [(1 << 62) - 57, (1 << 62) - 87]);
        let small: Vec<u64> = (41..60).filter(|&n| n % 2 == 1 && is_prime(n)).collect();
        assert_eq!(small, [41, 43, 47, 53, 59]);
        let modulus = primes_descending().next().unwrap();
        assert_eq!(modulus.mul(modulus.inverse(12345), 12345), 1);
        assert_eq!(modulus.add(modulus.sub(3, 5), 5), 3);
        let large = |k: u64| modulus.sub(0, k * k + 1);
        let by_one = (1..100).fold(0, |sum, k| modulus.add(sum, modulus.mul(large(k), large(k + 1))));
        assert_eq!(modulus.dot((1..100).map(|k| (large(k), large(k + 1)))), by_one);
        let product = modular_gcd(vec![6, 11, 6, 1], vec![6, 5, 1], modulus);
        assert_eq!(product, [6, 5, 1], "(x + 1)(x + 2)(x + 3) and (x + 2)(x + 3)");
        assert!(
            (1..100)
                .all(|k| modulus.multiplier(large(7)).multiply(large(k)) == modulus.mul(large(7), large(k)))
        );
    }

    #[test]
    fn extend_residues_recovers_integers() {
        let numbers: Vec<BigInt> = ["-12345678901234567890123456789", "0", "98765432109876543210"]
            .map(|text| text.parse().unwrap())
            .to_vec();
        let (mut joined, mut product) = (vec![BigInt::from(0); 3], BigInt::from(1));
        for modulus in primes_descending().take(2) {
            let residues: Vec<u64> = numbers.iter().map(|number| residue(number, modulus)).collect();
            extend_residues(&mut joined, &product, &residues, modulus);
            product *= modulus.prime();
        }
        assert_eq!(balanced_residues(&joined, &product), numbers);
    }
}
