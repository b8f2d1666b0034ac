//! The gathering kernel for x86-64 with AVX2, eight or four weights at a time.

use std::arch::x86_64::*;

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

gather!(gather_u32, u32 => u32, 8, _mm256_add_epi32, |src, from| {
    _mm256_i32gather_epi32::<4>(src.cast(), _mm256_cvtepu16_epi32(_mm_loadu_si128(from.cast())))
});
gather!(gather_u32_to_u64, u32 => u64, 4, _mm256_add_epi64, |src, from| {
    let at = _mm_cvtepu16_epi32(_mm_loadl_epi64(from.cast()));
    _mm256_cvtepu32_epi64(_mm_i32gather_epi32::<4>(src.cast(), at))
});
gather!(gather_u64, u64 => u64, 4, _mm256_add_epi64, |src, from| {
    _mm256_i32gather_epi64::<8>(src.cast(), _mm_cvtepu16_epi32(_mm_loadl_epi64(from.cast())))
});
