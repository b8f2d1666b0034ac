//! Counting modulo several numbers: 4 bytes a weight, however many tours there are.
//!
//! Where a layer of 64- or 128-bit weights would not fit into memory, the sweep
//! can be run once for each of a few coprime moduli of 31 or 32 bits, and the
//! count put together by the Chinese remainder theorem:
//!
//! ```text
//! x = r1 (mod m1), x = r2 (mod m2), ...   and   0 <= x < m1 m2 ...   determine x
//! ```
//!
//! How many moduli are enough is known beforehand: Bregman's theorem (1973) bounds
//! the cycle covers of a graph, and so its Hamiltonian cycles, by the product of
//! `(d!)^(1/d)` over the degrees `d` of its vertices.

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::kernel;
use super::problem::Problem;
use super::weight::{Weight, Widen};

/// The moduli in order of use; 0 stands for `2^32`, the others are the greatest primes below `2^31`.
pub const MODULI: [u32; 6] = [0, 2_147_483_647, 2_147_483_629, 2_147_483_587, 2_147_483_579, 2_147_483_563];

/// A number modulo `P`, or modulo `2^32` if `P` is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Residue<const P: u32>(u32);

impl<const P: u32> Weight for Residue<P> {
    const BITS: u32 = u32::BITS;
    const ONE: Self = Self(1);
    const EXACT: bool = false;

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        let sum = self.0.wrapping_add(other.0);
        // Below P the difference wraps and is the greater one.
        Self(if P == 0 { sum } else { sum.min(sum.wrapping_sub(P)) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        u32::BITS - self.0.leading_zeros()
    }

    fn to_big(self) -> BigUint {
        BigUint::from(self.0)
    }
}

impl<const P: u32> Residue<P> {
    /// The residues as plain numbers.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn plain(residues: &[Self]) -> &[u32] {
        // SAFETY: the type is a transparent wrapper of u32, for which every value is valid.
        unsafe { std::slice::from_raw_parts(residues.as_ptr().cast(), residues.len()) }
    }

    /// The residues as plain numbers.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn plain_mut(residues: &mut [Self]) -> &mut [u32] {
        // SAFETY: the type is a transparent wrapper of u32, for which every value is valid.
        unsafe { std::slice::from_raw_parts_mut(residues.as_mut_ptr().cast(), residues.len()) }
    }
}

impl<const P: u32> Widen<Self> for Residue<P> {
    #[inline(always)]
    fn widen(narrow: Self) -> Self {
        narrow
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn gather(dst: &mut [Self], src: &[Self], from: &[u16]) -> Self {
        if kernel::has_avx2() {
            // SAFETY: AVX2 was just found; the caller keeps the other promise.
            return Self(unsafe {
                kernel::gather_u32_avx2::<P>(Self::plain_mut(dst), Self::plain(src), from)
            });
        }
        // SAFETY: the same promise.
        unsafe { kernel::gather_portable(dst, src, from) }
    }
}

/// How many of the moduli determine a count for certain, if they do.
#[must_use]
pub fn moduli_needed(problem: &Problem) -> Option<usize> {
    let bits: f64 = (0..problem.len())
        .map(|v| problem.near(v).len())
        .filter(|&degree| degree > 0)
        .map(|degree| (1..=degree).map(|k| (k as f64).log2()).sum::<f64>() / degree as f64)
        .sum();
    let mut held = 0.0;
    MODULI
        .iter()
        .position(|&p| {
            held += modulus(p).to_f64().expect("a modulus is small").log2();
            held > bits + 1.0
        })
        .map(|last| last + 1)
}

/// The number with these residues modulo the first moduli, below their product.
#[must_use]
pub fn combined(residues: &[BigUint]) -> BigUint {
    let (mut number, mut product) = (BigUint::ZERO, BigUint::from(1u8));
    for (residue, &p) in residues.iter().zip(&MODULI) {
        let modulus = modulus(p);
        let inverse = (&product % &modulus).modinv(&modulus).expect("the moduli are coprime");
        let missing = (residue + &modulus - &number % &modulus) * inverse % &modulus;
        number += &product * missing;
        product *= modulus;
    }
    number
}

fn modulus(p: u32) -> BigUint {
    if p == 0 { BigUint::from(1u8) << 32 } else { BigUint::from(p) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Graph, Leaper};
    use crate::frontier::problem::Tours;

    #[test]
    fn moduli_are_coprime_primes() {
        for &p in &MODULI[1..] {
            assert!((2u32..46_341).all(|d| !p.is_multiple_of(d)), "{p}");
        }
    }

    #[test]
    fn residues_add_and_combine() {
        let most = Residue::<2_147_483_647>(2_147_483_646);
        assert_eq!(most.plus(most).0, 2_147_483_645);
        assert_eq!(most.plus(Residue(1)).0, 0);
        assert_eq!(Residue::<0>(u32::MAX).plus(Residue(2)).0, 1);
        let number: BigUint = "19381952998732022416892".parse().unwrap();
        let residues: Vec<BigUint> = MODULI[..4].iter().map(|&p| &number % modulus(p)).collect();
        assert_eq!(combined(&residues), number);
    }

    #[test]
    fn enough_moduli_for_the_count() {
        // 8x8 has 44 bits of closed tours; the bound says fewer than 94 bits.
        let graph = Graph::new(&"8x8".parse().unwrap(), Leaper::KNIGHT);
        let needed = moduli_needed(&Problem::new(&graph, Tours::Closed, &[])).unwrap();
        assert!((2..=3).contains(&needed), "{needed}");
    }
}
