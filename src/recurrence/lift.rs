//! Integers are reconstructed from their residues by the Chinese remainder theorem, one prime after another,
//! until a further prime changes nothing.

use num_bigint::BigInt;
use num_integer::Integer;

use super::modular::PrimeModulus;

/// Returns the residue of an integer modulo a prime, from 0 to the prime less 1.
pub fn residue(number: &BigInt, modulus: PrimeModulus) -> u64 {
    u64::try_from(number.mod_floor(&modulus.prime().into())).expect("below the prime")
}

/// Extends `numbers`, known modulo `product`, to numbers modulo `product` times a further prime, given their
/// residues modulo that prime.
pub fn extend_residues(numbers: &mut [BigInt], product: &BigInt, residues: &[u64], modulus: PrimeModulus) {
    let inverse = modulus.inverse(residue(product, modulus));
    for (number, &target) in numbers.iter_mut().zip(residues) {
        let difference = modulus.sub(target, residue(number, modulus));
        *number += product * modulus.mul(difference, inverse);
    }
}

/// Returns the representatives of least absolute value modulo `product`.
pub fn balanced_residues(numbers: &[BigInt], product: &BigInt) -> Vec<BigInt> {
    let least = |number: &BigInt| {
        if (number << 1u32) > *product { number - product } else { number.clone() }
    };
    numbers.iter().map(least).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recurrence::primes_descending;

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
