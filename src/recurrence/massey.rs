//! The Berlekamp-Massey algorithm finds the shortest linear recurrence of terms modulo a prime.

use super::modular::PrimeModulus;

/// Returns the connection polynomial 1 + c1 x + c2 x^2 + .. and the length L: the least L for which a(n) + c1
/// a(n-1) + .. = 0 for all n from L on (n counts from 0). Cost O(terms x length).
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recurrence::primes_descending;

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
