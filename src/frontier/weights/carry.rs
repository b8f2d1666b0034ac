//! Propagation of carries, which turns sums of limbs into the limbs of weights.
//!
//! The part of a sum beyond its low 32 bits is added to the next limb. Almost always that part and
//! the low part of the next sum together fit one limb. Then limbs do not depend on one another, and
//! four are computed at a time:
//!
//! ```text
//! limb[k] = low(sum[k]) + high(sum[k - 1])
//! ```
//!
//! Only if such a result exceeds 32 bits or is negative, carries are propagated from the lowest
//! limb of the weight to the highest.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use super::weight::Element;
#[cfg(target_arch = "x86_64")]
use super::weight::LIMBS_PER_GROUP;

/// Number of limbs that AVX2 computes at a time.
#[cfg(target_arch = "x86_64")]
const GROUP_LIMBS: usize = LIMBS_PER_GROUP as usize;

/// A sum of fewer than 2^20 limbs, in two's complement: the sum is negative if its top bit is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct LimbSum(pub u64);

impl Element for LimbSum {
    fn bit_or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl From<LimbSum> for u64 {
    #[inline(always)]
    fn from(sum: LimbSum) -> Self {
        sum.0
    }
}

/// Summary of the weights of a block, after their carries are propagated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CarrySummary {
    /// Bit length of the greatest weight of the block.
    pub bits: u32,
    /// Number of nonzero weights of the block.
    pub nonzero: u64,
    /// True if every weight of the block was non-negative and fit its limbs.
    pub is_exact: bool,
}

/// Propagator of carries, with a buffer that is reused for every block. Many blocks have only one
/// weight.
#[derive(Clone, Debug, Default)]
pub struct CarryPropagator {
    /// Buffer for the bitwise OR of all weights of a block. Each entry has one limb.
    #[cfg(target_arch = "x86_64")]
    or_of_weights: Vec<u64>,
}

impl CarryPropagator {
    /// Propagates the carries of `sums` and appends the resulting weights to `limbs`. Each weight
    /// has `each` limbs; a greater sum is reduced modulo two to the power of the number of their
    /// bits. Cost: two to four cycles for each limb, with AVX2 one or two.
    pub fn propagate(&mut self, sums: &[LimbSum], each: usize, limbs: &mut Vec<u32>) -> CarrySummary {
        #[cfg(target_arch = "x86_64")]
        if crate::cpu_features::has_avx2() {
            let together = &mut self.or_of_weights;
            // SAFETY: AVX2 was just detected.
            return unsafe {
                match each / GROUP_LIMBS {
                    2 => propagate_avx2::<2>(sums, each, limbs, together),
                    3 => propagate_avx2::<3>(sums, each, limbs, together),
                    4 => propagate_avx2::<4>(sums, each, limbs, together),
                    _ => propagate_avx2::<0>(sums, each, limbs, together),
                }
            };
        }
        propagate_portable(sums, each, limbs)
    }
}

/// Implements [`CarryPropagator::propagate`] for any processor.
fn propagate_portable(sums: &[LimbSum], each: usize, limbs: &mut Vec<u32>) -> CarrySummary {
    let start = limbs.len();
    limbs.resize(start + sums.len(), 0);
    let mut settled = CarrySummary { bits: 0, nonzero: 0, is_exact: true };
    for (weight, to) in sums.chunks_exact(each).zip(limbs[start..].chunks_exact_mut(each)) {
        settled.is_exact &= propagate_weight(weight, to) == 0;
        let bits = bit_length(to);
        settled.bits = settled.bits.max(bits);
        settled.nonzero += u64::from(bits > 0);
    }
    settled
}

/// Propagates the carries of one weight from the lowest limb to the highest, and writes its limbs to `to`.
/// Returns the carry out of the highest limb.
#[inline(always)]
fn propagate_weight(sums: &[LimbSum], to: &mut [u32]) -> i64 {
    sums.iter().zip(to).fold(0, |below, (sum, to)| {
        let sum = (sum.0 as i64).wrapping_add(below);
        *to = sum as u32;
        sum >> u32::BITS
    })
}

/// Returns the bit length of the weight with these limbs.
#[inline(always)]
fn bit_length(limbs: &[u32]) -> u32 {
    let top = limbs.iter().rposition(|&limb| limb != 0);
    top.map_or(0, |top| u32::BITS * (top as u32 + 1) - limbs[top].leading_zeros())
}

/// Implements [`CarryPropagator::propagate`] with AVX2 for weights of `N` groups of limbs. If `N` is 0,
/// weights may have any number of groups.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn propagate_avx2<const N: usize>(
    sums: &[LimbSum],
    each: usize,
    limbs: &mut Vec<u32>,
    together: &mut Vec<u64>,
) -> CarrySummary {
    let each = if N == 0 { each } else { N * GROUP_LIMBS };
    assert!(each > 0 && each.is_multiple_of(GROUP_LIMBS), "a weight is a whole number of groups of limbs");
    let start = limbs.len();
    limbs.reserve(sums.len());
    // The greatest weight has as many bits as the OR of all weights.
    together.clear();
    together.resize(each, 0);
    let all = together.as_chunks_mut::<GROUP_LIMBS>().0;
    let (mut states, mut left, mut is_odd) = (0, 0, false);
    let low = _mm256_set1_epi64x(i64::from(u32::MAX));
    let evens = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    for (position, weight) in (start..).step_by(each).zip(sums.chunks_exact(each)) {
        // SAFETY: there is capacity for all limbs of all weights.
        let to = unsafe { limbs.as_mut_ptr().add(position) };
        // Carries to the next group, the one out of its fourth limb first.
        let mut below = _mm256_setzero_si256();
        let mut any = _mm256_setzero_si256();
        for ((number, sums), all) in weight.as_chunks::<GROUP_LIMBS>().0.iter().enumerate().zip(&mut *all) {
            // SAFETY: a group has as many sums, and as many limbs are written for it.
            unsafe {
                let sums = _mm256_loadu_si256(sums.as_ptr().cast());
                let signs = _mm256_srai_epi32::<31>(sums);
                let high = _mm256_blend_epi32::<0b1010_1010>(_mm256_srli_epi64::<32>(sums), signs);
                let above = _mm256_permute4x64_epi64::<0b10_01_00_11>(high);
                let carries = _mm256_blend_epi32::<0b11>(above, below);
                below = above;
                let made = _mm256_add_epi64(_mm256_and_si256(sums, low), carries);
                any = _mm256_or_si256(any, made);
                let all = all.as_mut_ptr().cast();
                _mm256_storeu_si256(all, _mm256_or_si256(_mm256_loadu_si256(all), made));
                let made = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(made, evens));
                _mm_storeu_si128(to.add(number * GROUP_LIMBS).cast(), made);
            }
        }
        let mut rest = _mm256_extract_epi64::<0>(below);
        let mut is_present = _mm256_testz_si256(any, any) == 0;
        if _mm256_testc_si256(low, any) == 0 {
            is_odd = true;
            // SAFETY: all limbs of the weight were written.
            let to = unsafe { std::slice::from_raw_parts_mut(to, each) };
            rest = propagate_weight(weight, to);
            is_present = bit_length(to) > 0;
        }
        left |= rest;
        states += u64::from(is_present);
    }
    // SAFETY: all limbs of all weights were written.
    unsafe { limbs.set_len(start + sums.len() / each * each) };
    if is_odd {
        together.fill(0);
        for weight in limbs[start..].chunks_exact(each) {
            together.iter_mut().zip(weight).for_each(|(all, &limb)| *all |= u64::from(limb));
        }
    }
    let top = together.iter().rposition(|&limb| limb != 0);
    let bits = top.map_or(0, |top| u32::BITS * (top as u32 + 1) - (together[top] as u32).leading_zeros());
    CarrySummary { bits, nonzero: states, is_exact: left == 0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cpu_features::{KernelSet, with_kernels};

    /// Generates a sum: zero, a limb, a sum of a few terms, a negative sum, or a sum whose carry
    /// passes through every higher limb.
    fn sum() -> impl Strategy<Value = u64> {
        let limb = u64::from(u32::MAX);
        prop_oneof![
            4 => Just(0),
            2 => any::<u32>().prop_map(u64::from),
            2 => 0..1u64 << 52,
            1 => (0..1u64 << 52).prop_map(u64::wrapping_neg),
            2 => prop_oneof![Just(limb), Just(limb + 1), Just(limb << 20), Just(u64::MAX)],
        ]
    }

    proptest! {
        /// `CarryPropagator::propagate` gives the same limbs as the portable loop, and the low
        /// limbs agree with 128-bit sums.
        #[test]
        fn propagate_agrees_with_portable_loop(
            groups in 1..7usize,
            sums in prop::collection::vec(sum(), 0..200),
        ) {
            let each = groups * 4;
            let sums: Vec<LimbSum> = sums.iter().map(|&sum| LimbSum(sum)).collect();
            let sums = &sums[..sums.len() / each * each];
            let (mut plain, mut own) = (vec![7], vec![7]);
            let expected = with_kernels(KernelSet::Portable, || CarryPropagator::default().propagate(sums, each, &mut plain));
            prop_assert_eq!(with_kernels(KernelSet::Native, || CarryPropagator::default().propagate(sums, each, &mut own)), expected);
            prop_assert_eq!(&own, &plain);
            for (weight, limbs) in sums.chunks_exact(each).zip(own[1..].chunks_exact(each)) {
                let number = (0..4).fold(0u128, |n, k| {
                    n.wrapping_add((i128::from(weight[k].0 as i64) << (32 * k)) as u128)
                });
                let made = (0..4).fold(0, |n, k| n | u128::from(limbs[k]) << (32 * k));
                prop_assert_eq!(made, number);
            }
        }
    }

    #[test]
    fn propagate_reports_zero_and_negative_weights() {
        for cpu in KernelSet::ALL {
            let settled = |sums: [u64; 8]| {
                let mut limbs = Vec::new();
                let settled = with_kernels(cpu, || {
                    CarryPropagator::default().propagate(&sums.map(LimbSum), 8, &mut limbs)
                });
                (settled.bits, settled.nonzero, settled.is_exact, limbs)
            };
            assert_eq!(settled([0; 8]), (0, 0, true, vec![0; 8]));
            // 2^32 - 1, and 1 four limbs above: the lowest limb has no carry.
            let limb = u64::from(u32::MAX);
            assert_eq!(
                settled([limb, 0, 0, 0, 1, 0, 0, 0]),
                (129, 1, true, vec![u32::MAX, 0, 0, 0, 1, 0, 0, 0])
            );
            let all = [limb + 1, limb, limb, limb, limb, limb, limb, 0];
            assert_eq!(settled(all), (225, 1, true, vec![0, 0, 0, 0, 0, 0, 0, 1]));
            let minus = [u64::MAX, 0, 0, 0, 0, 0, 0, 0];
            assert_eq!(settled(minus), (256, 1, false, vec![u32::MAX; 8]));
            // One less than 2^32: taken from the limb above.
            let one = [u64::MAX, 1, 0, 0, 0, 0, 0, 0];
            assert_eq!(settled(one), (32, 1, true, vec![u32::MAX, 0, 0, 0, 0, 0, 0, 0]));
        }
    }
}
