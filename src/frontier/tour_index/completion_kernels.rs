//! The innermost loop of completions: numbers are gathered through an index map, added up, and
//! multiplied by weights.

/// Adds `block[targets[y]]` to every `to[y]` whose target is not
/// [`NO_TARGET`](crate::frontier::weights::sparse_slice::NO_TARGET), sixteen at a time, and returns the
/// sum of these numbers, each times `weights[y]`. Sums wrap. Returns `None`, and changes nothing, if the
/// processor has no AVX-512.
///
/// # Panics
/// If a target is neither below `block.len()` nor `NO_TARGET`, or the other lengths differ.
#[must_use]
pub fn accumulate_gathered(block: &[u32], targets: &[u16], weights: &[u64], to: &mut [u32]) -> Option<u64> {
    assert!(targets.len() == to.len() && weights.len() == to.len());
    #[cfg(target_arch = "x86_64")]
    if crate::cpu_features::has_avx512() {
        // SAFETY: AVX-512 was just found, and the lengths are equal.
        return Some(unsafe { avx512::accumulate_gathered(block, targets, weights, to) });
    }
    let _ = block;
    None
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use crate::frontier::weights::sparse_slice::NO_TARGET;

    /// Number of 32-bit numbers in a register.
    const LANES: usize = 16;

    /// Computes [`accumulate_gathered`](super::accumulate_gathered).
    ///
    /// # Safety
    /// AVX-512 F, BW and VL must be present, and all slices but `block` have equal lengths.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    pub unsafe fn accumulate_gathered(
        block: &[u32],
        targets: &[u16],
        weights: &[u64],
        to: &mut [u32],
    ) -> u64 {
        let (len, mut sums) = (to.len(), _mm512_setzero_si512());
        let last = _mm512_set1_epi32(block.len() as i32);
        let mut y = 0;
        while y < len {
            let lanes = if len - y < LANES { (1 << (len - y)) - 1 } else { u16::MAX };
            // SAFETY: the indices y.. of the mask are below the length of the three slices; the numbers are
            // gathered only where the index is below `block.len()`, which is asserted for all but NO_TARGET.
            unsafe {
                let short = _mm256_maskz_loadu_epi16(lanes, targets.as_ptr().add(y).cast());
                let index = _mm512_cvtepu16_epi32(short);
                let some = _mm256_mask_cmpneq_epi16_mask(lanes, short, _mm256_set1_epi16(NO_TARGET as i16));
                assert!(_mm512_mask_cmpge_epu32_mask(some, index, last) == 0, "a target is in its block");
                let zero = _mm512_setzero_si512();
                let numbers = _mm512_mask_i32gather_epi32::<4>(zero, some, index, block.as_ptr().cast());
                let place = to.as_mut_ptr().add(y).cast();
                let before = _mm512_maskz_loadu_epi32(lanes, place);
                _mm512_mask_storeu_epi32(place, lanes, _mm512_add_epi32(before, numbers));
                let halves = [_mm512_castsi512_si256(numbers), _mm512_extracti64x4_epi64::<1>(numbers)];
                let mut half = 0;
                while half < 2 {
                    let mask = (lanes >> (8 * half)) as u8;
                    let weights =
                        _mm512_maskz_loadu_epi64(mask, weights.as_ptr().wrapping_add(y + 8 * half).cast());
                    let numbers = _mm512_cvtepu32_epi64(halves[half]);
                    let high = _mm512_mul_epu32(_mm512_srli_epi64::<32>(weights), numbers);
                    let product =
                        _mm512_add_epi64(_mm512_mul_epu32(weights, numbers), _mm512_slli_epi64::<32>(high));
                    sums = _mm512_add_epi64(sums, product);
                    half += 1;
                }
            }
            y += LANES;
        }
        _mm512_reduce_add_epi64(sums) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::block_arithmetic::CompletionWeight;
    use crate::cpu_features::{KernelSet, with_kernels};
    use crate::frontier::weights::sparse_slice::NO_TARGET;

    #[test]
    fn accumulate_gathered_agrees_with_single_numbers() {
        let block: Vec<u32> = (0..50u32).map(|x| x.wrapping_mul(2_654_435_761)).collect();
        for len in [1, 3, 8, 15, 16, 17, 40, 105] {
            let targets: Vec<u16> =
                (0..len).map(|y| if y % 5 == 3 { NO_TARGET } else { (y * 7 % 50) as u16 }).collect();
            let weights: Vec<u64> =
                (0..len as u64).map(|y| (y + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
            let start: Vec<u32> = (0..len as u32).map(|y| u32::MAX - y).collect();
            let (mut expected, mut expected_sum) = (start.clone(), 0u64);
            for y in (0..len).filter(|&y| targets[y] != NO_TARGET) {
                let number = block[usize::from(targets[y])];
                expected[y] = expected[y].wrapping_add(number);
                expected_sum = expected_sum.wrapping_add(weights[y].wrapping_mul(number.into()));
            }
            for cpu in KernelSet::ALL {
                with_kernels(cpu, || {
                    let mut to = start.clone();
                    let sum = u64::accumulate_gathered(&block, &targets, &weights, &mut to);
                    assert_eq!(sum, expected_sum);
                    assert_eq!(to, expected, "{len} {cpu:?}");
                });
            }
        }
    }
}
