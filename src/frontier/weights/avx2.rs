//! Kernels for x86-64 with AVX2, which gather weights, drop the zeros of vectors, and insert them
//! again.
//!
//! Weights are gathered eight or four at a time. To drop or insert zeros among eight weights at a
//! time, tables give the permutation of the eight lanes for each set of lanes.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// Number of 32-bit weights that fit a [`CompressBuffer`].
pub const COMPRESS_BUFFER_LEN: usize = 64;

/// Buffer for the nonzero weights among 64 weights of 32 bits.
pub type CompressBuffer = [MaybeUninit<u32>; COMPRESS_BUFFER_LEN];

/// Defines a function that finds the nonzero weights among 64, `$lanes` at a time.
macro_rules! nonzero {
    ($name:ident, $type:ty, $lanes:literal, $equal:ident, |$zeros:ident| $mask:expr) => {
        /// Returns a bitmap of the nonzero weights: bit `p` is set if weight `p` is not zero.
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

/// Defines a function that gathers `$lanes` weights of `src` at a time and adds them to `dst`. The last
/// weights, fewer than `$lanes`, are added one by one.
macro_rules! gather {
    ($name:ident $([$narrow:ident])?, $source:ty => $target:ty, $lanes:literal, $add:ident, |$src:ident, $from:ident| $load:expr) => {
        /// Adds `src[from[x]]` to every `dst[x]`. Returns the bitwise OR of the sums.
        ///
        /// # Safety
        /// AVX2 must be present, and every entry of `from` below `src.len()`.
        #[target_feature(enable = "avx2")]
        #[inline]
        pub unsafe fn $name$(<$narrow: Copy + Into<$target>>)?(
            dst: &mut [$target],
            src: &[$source],
            from: &[u16],
        ) -> $target {
            assert!(dst.len() <= from.len());
            let whole = dst.len() / $lanes * $lanes;
            let $src = src.as_ptr();
            let mut lanes: [$target; $lanes] = [0; $lanes];
            // SAFETY: all indices x..x + lanes are below `whole <= dst.len() <= from.len()`, and the caller
            // promises that the gathered indices are below `src.len()`.
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
                *d = d.wrapping_add(unsafe { *src.get_unchecked(usize::from(x)) }.into());
                seen |= *d;
            }
            seen
        }
    };
}

/// Returns the weights of `src` at the four indices to which `from` points. They are loaded one by
/// one, which is faster than the gather instruction.
///
/// # Safety
/// AVX2 must be present, `from` point to four indices, and `src` have weights at these indices.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn load_four<S: Copy + Into<u32>>(src: *const S, from: *const u16) -> __m128i {
    // SAFETY: the caller promises four entries, and that `src` has the entries with these indices.
    let at = |x: usize| unsafe { Into::<u32>::into(*src.add(usize::from(*from.add(x)))) as i32 };
    let low = _mm_insert_epi32::<1>(_mm_cvtsi32_si128(at(0)), at(1));
    let high = _mm_insert_epi32::<1>(_mm_cvtsi32_si128(at(2)), at(3));
    _mm_unpacklo_epi64(low, high)
}

/// Returns the weights of `src` at the two indices to which `from` points. They are loaded one by
/// one.
///
/// # Safety
/// AVX2 must be present, `from` point to two indices, and `src` have weights at these indices.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn load_two(src: *const u64, from: *const u16) -> __m128i {
    // SAFETY: the caller promises two entries, and that `src` has the entries with these indices.
    let at = |x: usize| unsafe { *src.add(usize::from(*from.add(x))) as i64 };
    _mm_insert_epi64::<1>(_mm_cvtsi64_si128(at(0)), at(1))
}

gather!(gather_to_u32 [S], S => u32, 8, _mm256_add_epi32, |src, from| {
    _mm256_set_m128i(load_four(src, from.add(4)), load_four(src, from))
});
gather!(gather_u32_to_u64, u32 => u64, 4, _mm256_add_epi64, |src, from| {
    _mm256_cvtepu32_epi64(load_four(src, from))
});
gather!(gather_u64, u64 => u64, 4, _mm256_add_epi64, |src, from| {
    _mm256_set_m128i(load_two(src, from.add(2)), load_two(src, from))
});

/// `COMPRESS_LANES[set]` lists the lanes in the bitmap `set`, in ascending order, one byte for each
/// lane.
const COMPRESS_LANES: [u64; 256] = {
    let mut table = [0; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if set >> lane & 1 == 1 {
                table[set] |= lane << (8 * count);
                count += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    table
};

/// Entry of [`EXPAND_LANES`] for a lane that is not in the set. Its sign bit is set.
const NO_LANE: u64 = 0x80;

/// `EXPAND_LANES[set]` has one byte for each of the eight lanes: the number of lower lanes in the
/// bitmap `set` if the lane is in it, else [`NO_LANE`].
const EXPAND_LANES: [u64; 256] = {
    let mut table = [0; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            let is_in_set = set >> lane & 1 == 1;
            table[set] |= (if is_in_set { count } else { NO_LANE }) << (8 * lane);
            count += is_in_set as u64;
            lane += 1;
        }
        set += 1;
    }
    table
};

/// Returns the lanes in the bitmap `set`, without gaps, as the first lanes.
#[target_feature(enable = "avx2")]
#[inline]
pub fn compress_lanes(lanes: __m256i, set: u8) -> __m256i {
    let order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(COMPRESS_LANES[usize::from(set)] as i64));
    _mm256_permutevar8x32_epi32(lanes, order)
}

/// Returns the first of `lanes`, one for each bit of `set`, at the places of these bits, and zeros
/// elsewhere.
#[target_feature(enable = "avx2")]
#[inline]
pub fn expand_lanes(lanes: __m256i, set: u8) -> __m256i {
    let order = _mm256_cvtepi8_epi32(_mm_cvtsi64_si128(EXPAND_LANES[usize::from(set)] as i64));
    let lanes = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(lanes, order));
    // The sign bit of `order` selects zero.
    _mm256_castps_si256(_mm256_blendv_ps(lanes, _mm256_setzero_ps(), _mm256_castsi256_ps(order)))
}

/// Returns a vector mask of the first `count` lanes.
#[target_feature(enable = "avx2")]
#[inline]
pub fn first_lanes_mask(count: usize) -> __m256i {
    _mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
}

/// Writes the nonzero weights to `to`, without gaps. Returns the bitmap of their positions in
/// `weights`.
#[target_feature(enable = "avx2,popcnt")]
#[inline]
pub fn compress(weights: &[u32; 64], to: &mut CompressBuffer) -> u64 {
    // SAFETY: AVX2 is enabled here.
    let map = unsafe { nonzero(weights) };
    for (number, block) in weights.as_chunks::<8>().0.iter().enumerate() {
        let set = (map >> (8 * number)) as u8;
        // Offsets are counted in the whole bitmap, so that no block waits for the one before.
        let offset = (map & ((1 << (8 * number)) - 1)).count_ones() as usize;
        // SAFETY: a block has 32 bytes; whole registers are written, the last of which begins at index 56 at
        // most.
        unsafe {
            let block = _mm256_loadu_si256(block.as_ptr().cast());
            _mm256_storeu_si256(to.as_mut_ptr().add(offset).cast(), compress_lanes(block, set));
        }
    }
    map
}

/// Expands `len` positions of the bitmap `$map`, from bit `start` on: the next value of `values` for each bit
/// set, zero for each bit clear. For every eight positions the macro evaluates `$each` with the index of the
/// first of them, the number of positions left, and the eight weights. For 64 positions of which at most `$few`
/// have values it evaluates `$one_by_one` instead, with the index of the first position, the bits and the values.
macro_rules! expand {
    (
        ($map:ident, $start:ident, $len:ident, $values:ident),
        |$x:ident, $left:ident, $some:ident| $each:expr,
        $few:expr, |$bits:ident, $bit_count:ident, $own:ident| $one_by_one:expr $(,)?
    ) => {
        let (mut $x, mut at) = (0, 0);
        while $x < $len {
            let (word, shift) = (($start + $x) / 64, ($start + $x) % 64);
            let bit_count = usize::min(64, $len - $x);
            let mut bits = $map[word] >> shift;
            if shift + bit_count > 64 {
                bits |= $map[word + 1] << (64 - shift);
            }
            bits &= u64::MAX >> (64 - bit_count);
            let values = &$values[at..];
            let value_count = bits.count_ones() as usize;
            at += value_count;
            if value_count <= $few {
                let ($bits, $bit_count, $own) = (bits, bit_count, &values[..value_count]);
                $one_by_one;
                $x += bit_count;
                continue;
            }
            // Whole registers can be read if eight values follow the last of these positions.
            let has_more = values.len() >= value_count + 8;
            let mut next = 0;
            let end = $x + bit_count;
            while $x < end {
                let there = bits as u8;
                bits >>= 8;
                // SAFETY: eight values are there, or only as many as are there are read.
                let some = unsafe {
                    if has_more {
                        _mm256_loadu_si256(values.as_ptr().add(next).cast())
                    } else {
                        let values = &values[next..];
                        _mm256_maskload_epi32(values.as_ptr().cast(), first_lanes_mask(values.len()))
                    }
                };
                next += there.count_ones() as usize;
                let $some = expand_lanes(some, there);
                let $left = end - $x;
                $each;
                $x += 8;
            }
        }
    };
}

/// Writes the weights at `len` positions of the bitmap `map`, from bit `start` on, to `to`: the
/// next entry of `values` for each bit set, zero for each bit clear.
///
/// # Safety
/// AVX2 must be present, and `to` have capacity for `len` weights.
///
/// # Panics
/// If the bitmap has fewer positions. If there are fewer values than bits set, the result is
/// unspecified, or the function panics.
#[target_feature(enable = "avx2,bmi2,popcnt")]
pub unsafe fn expand(map: &[u64], start: usize, len: usize, values: &[u32], to: *mut u32) {
    expand!(
        (map, start, len, values),
        |x, left, some| {
            // SAFETY: there is capacity for eight weights, or only as many as remain are written.
            unsafe {
                if left >= 8 {
                    _mm256_storeu_si256(to.add(x).cast(), some);
                } else {
                    _mm256_maskstore_epi32(to.add(x).cast(), first_lanes_mask(left), some);
                }
            }
        },
        0,
        |_bits, bit_count, _none| {
            // SAFETY: there is capacity for these weights.
            unsafe { to.add(x).write_bytes(0, bit_count) };
        }
    );
}

/// Greatest number of weights among 64 positions that are added one by one.
const MAX_WEIGHTS_ADDED_ONE_BY_ONE: usize = 6;

/// Adds the weights at `dst.len()` positions of the bitmap `map`, from bit `start` on, to the
/// weights of `dst`: the next entry of `values` for each bit set, zero for each bit clear. Returns
/// the bitwise OR of all sums with such an entry; it may include unchanged weights.
///
/// # Safety
/// AVX2 must be present.
///
/// # Panics
/// If the bitmap has fewer positions. If there are fewer values than bits set, the result is
/// unspecified, or the function panics.
#[target_feature(enable = "avx2,bmi2,popcnt")]
pub unsafe fn add_expanded(dst: &mut [u32], map: &[u64], start: usize, values: &[u32]) -> u32 {
    let len = dst.len();
    let (mut seen, mut seen_one_by_one) = (_mm256_setzero_si256(), 0);
    expand!(
        (map, start, len, values),
        |x, left, some| {
            // SAFETY: eight weights are there, or only as many as remain are read and written.
            unsafe {
                let place = dst.as_mut_ptr().add(x);
                if left >= 8 {
                    let sum = _mm256_add_epi32(_mm256_loadu_si256(place.cast()), some);
                    _mm256_storeu_si256(place.cast(), sum);
                    seen = _mm256_or_si256(seen, sum);
                } else {
                    let mask = first_lanes_mask(left);
                    let sum = _mm256_add_epi32(_mm256_maskload_epi32(place.cast(), mask), some);
                    _mm256_maskstore_epi32(place.cast(), mask, sum);
                    seen = _mm256_or_si256(seen, sum);
                }
            }
        },
        MAX_WEIGHTS_ADDED_ONE_BY_ONE,
        |bits, _bit_count, own| {
            let mut rest = bits;
            for &value in own {
                let sum = &mut dst[x + rest.trailing_zeros() as usize];
                *sum = sum.wrapping_add(value);
                seen_one_by_one |= *sum;
                rest &= rest - 1;
            }
        }
    );
    let mut lanes = [0; 8];
    // SAFETY: the array has the size of a register.
    unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), seen) };
    lanes.iter().fold(seen_one_by_one, |all, lane| all | lane)
}
