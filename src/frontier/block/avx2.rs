//! Loops for x86-64 with AVX2: weights gathered eight or four at a time, and found among zeros.

use std::arch::x86_64::*;

use crate::frontier::block::weight::Weight;

/// Finds nonzero weights, `$lanes` of them at a time.
macro_rules! nonzero {
    ($name:ident, $type:ty, $lanes:literal, $equal:ident, |$zeros:ident| $mask:expr) => {
        /// The weights that are not zero, a bit for each.
        ///
        /// # Safety
        /// AVX2 must be present.
        #[target_feature(enable = "avx2")]
        #[inline]
        pub unsafe fn $name(weights: &[$type; 64]) -> u64 {
            let (blocks, _) = weights.as_chunks::<$lanes>();
            (0..).step_by($lanes).zip(blocks).fold(0, |map, (x, block)| {
                // SAFETY: a block has 32 bytes.
                let block = unsafe { _mm256_loadu_si256(block.as_ptr().cast()) };
                let $zeros = $equal(block, _mm256_setzero_si256());
                map | (!u64::from($mask as u8) & ((1 << $lanes) - 1)) << x
            })
        }
    };
}

nonzero!(nonzero, u32, 8, _mm256_cmpeq_epi32, |zeros| _mm256_movemask_ps(_mm256_castsi256_ps(zeros)));
nonzero!(nonzero_u64, u64, 4, _mm256_cmpeq_epi64, |zeros| _mm256_movemask_pd(_mm256_castsi256_pd(zeros)));

/// Adds `$lanes` gathered weights of `src` at a time to `dst`, what is left one at a time.
macro_rules! gather {
    ($name:ident, $source:ty => $target:ty, $lanes:literal, $add:ident, |$src:ident, $from:ident| $load:expr) => {
        /// `dst[x] += src[from[x]]`; returns the OR of the sums.
        ///
        /// # Safety
        /// AVX2 must be present, and every entry of `from` below `src.len()`.
        #[target_feature(enable = "avx2")]
        #[inline]
        pub unsafe fn $name(dst: &mut [$target], src: &[$source], from: &[u16]) -> $target {
            assert!(dst.len() <= from.len());
            let whole = dst.len() / $lanes * $lanes;
            let $src = src.as_ptr();
            let mut lanes: [$target; $lanes] = [0; $lanes];
            // SAFETY: all places x..x + lanes are below `whole <= dst.len() <= from.len()`, and the
            // caller promises that the gathered indices are below `src.len()`.
            unsafe {
                let mut seen = _mm256_setzero_si256();
                let mut x = 0;
                while x < whole {
                    let $from = from.as_ptr().add(x);
                    let s = $load;
                    let place = dst.as_mut_ptr().add(x).cast();
                    let sum = $add(_mm256_loadu_si256(place), s);
                    _mm256_storeu_si256(place, sum);
                    seen = _mm256_or_si256(seen, sum);
                    x += $lanes;
                }
                _mm256_storeu_si256(lanes.as_mut_ptr().cast(), seen);
            }
            let mut seen = lanes.iter().fold(0, |a, b| a | b);
            for (d, &x) in dst[whole..].iter_mut().zip(&from[whole..]) {
                // SAFETY: the caller promises entries below `src.len()`.
                *d = d.wrapping_add(<$target>::from(unsafe { *src.get_unchecked(usize::from(x)) }));
                seen |= *d;
            }
            seen
        }
    };
}

/// Four weights fetched one by one, which is faster than the instruction that gathers them.
///
/// # Safety
/// AVX2 must be present, four entries at `from`, and `src` have the entries that they name.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn four<S: Weight>(src: *const S, from: *const u16) -> __m128i {
    // SAFETY: the caller promises both.
    let at = |x: usize| unsafe { (*src.add(usize::from(*from.add(x)))).widest() as i32 };
    let low = _mm_insert_epi32::<1>(_mm_cvtsi32_si128(at(0)), at(1));
    let high = _mm_insert_epi32::<1>(_mm_cvtsi32_si128(at(2)), at(3));
    _mm_unpacklo_epi64(low, high)
}

/// Two weights fetched one by one.
///
/// # Safety
/// AVX2 must be present, two entries at `from`, and `src` have the entries that they name.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn two(src: *const u64, from: *const u16) -> __m128i {
    // SAFETY: the caller promises both.
    let at = |x: usize| unsafe { *src.add(usize::from(*from.add(x))) as i64 };
    _mm_insert_epi64::<1>(_mm_cvtsi64_si128(at(0)), at(1))
}

gather!(gather_u16_to_u32, u16 => u32, 8, _mm256_add_epi32, |src, from| {
    _mm256_set_m128i(four(src, from.add(4)), four(src, from))
});
gather!(gather_u32, u32 => u32, 8, _mm256_add_epi32, |src, from| {
    _mm256_set_m128i(four(src, from.add(4)), four(src, from))
});
gather!(gather_u32_to_u64, u32 => u64, 4, _mm256_add_epi64, |src, from| {
    _mm256_cvtepu32_epi64(four(src, from))
});
gather!(gather_u64, u64 => u64, 4, _mm256_add_epi64, |src, from| {
    _mm256_set_m128i(two(src, from.add(2)), two(src, from))
});
