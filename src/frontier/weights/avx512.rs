//! Kernels for x86-64 with AVX-512, which permute short blocks in registers, drop the zeros of
//! vectors, and insert them again.
//!
//! A block of 15 weights takes one register, a block of 105 weights (eight ends) seven. Looking up
//! sixteen indices in seven registers takes four permutations, three of them of two registers each,
//! and three blends of their results. That takes about as long as loading five weights one by one.

use std::arch::x86_64::*;

use super::avx2::CompressBuffer;

/// Number of 32-bit weights in a register.
const LANES: usize = 16;

/// Greatest number of ends of a block whose weights fit the registers.
pub const MAX_REGISTER_POINTS: usize = 8;

/// Greatest number of weights of a source block that fits the registers.
pub const MAX_REGISTER_WEIGHTS: usize = 7 * LANES;

/// Returns the mask of the first `left` lanes, or of all lanes if `left` is greater than their
/// number.
#[inline(always)]
const fn lane_mask(left: usize) -> __mmask16 {
    if left < LANES { (1 << left) - 1 } else { u16::MAX }
}

/// Adds to every weight of `$dst` the source weights that all index tables in `$from` select for it, 16
/// target weights per instruction. Evaluates to the OR of the sums.
macro_rules! accumulate_lanes {
    ($dst:ident, $from:ident, |$at:ident| $pick:expr) => {{
        let (len, mut seen) = ($dst.len(), _mm512_setzero_si512());
        let mut x = 0;
        while x < len {
            let mask = lane_mask(len - x);
            // SAFETY: the indices x.. of the mask are below `len`, and every table has as many entries.
            unsafe {
                let place = $dst.as_mut_ptr().add(x).cast();
                let mut sum = _mm512_maskz_loadu_epi32(mask, place);
                let mut table = x;
                while table < $from.len() {
                    let $at = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(
                        mask,
                        $from.as_ptr().add(table).cast(),
                    ));
                    sum = _mm512_add_epi32(sum, _mm512_maskz_mov_epi32(mask, $pick));
                    seen = _mm512_or_si512(seen, sum);
                    table += len;
                }
                _mm512_mask_storeu_epi32(place, mask, sum);
            }
            x += LANES;
        }
        _mm512_reduce_or_epi32(seen) as u32
    }};
}

/// Adds `src[table[x]]` to every `dst[x]`, for every table in `from`; a table has `dst.len()`
/// indices. Returns the bitwise OR of the sums.
///
/// # Safety
/// AVX-512 F, BW and VL must be present, `src` have at most [`MAX_REGISTER_WEIGHTS`] entries, every
/// entry of `from` be below `src.len()`, and `from` consist of whole tables.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub unsafe fn permute_u32(dst: &mut [u32], src: &[u32], from: &[u16]) -> u32 {
    assert!(src.len() <= MAX_REGISTER_WEIGHTS && from.len().is_multiple_of(dst.len()));
    let register = |number: usize| {
        let start = (number * LANES).min(src.len());
        // SAFETY: the lanes of the mask are below `src.len()`.
        unsafe { _mm512_maskz_loadu_epi32(lane_mask(src.len() - start), src.as_ptr().add(start).cast()) }
    };
    let first = register(0);
    if src.len() <= LANES {
        return accumulate_lanes!(dst, from, |at| _mm512_permutexvar_epi32(at, first));
    }
    let [b, c, d, e, f, g] = [1, 2, 3, 4, 5, 6].map(register);
    let (thirty_two, sixty_four) = (_mm512_set1_epi32(32), _mm512_set1_epi32(64));
    accumulate_lanes!(dst, from, |at| {
        let to_32 = _mm512_permutex2var_epi32(first, at, b);
        let to_64 = _mm512_permutex2var_epi32(c, at, d);
        let to_96 = _mm512_permutex2var_epi32(e, at, f);
        let to_112 = _mm512_permutexvar_epi32(at, g);
        let odd = _mm512_test_epi32_mask(at, thirty_two);
        let high = _mm512_test_epi32_mask(at, sixty_four);
        let low_half = _mm512_mask_blend_epi32(odd, to_32, to_64);
        _mm512_mask_blend_epi32(high, low_half, _mm512_mask_blend_epi32(odd, to_96, to_112))
    })
}

/// Returns the mask of the first `left` of 32 lanes, or of all lanes if `left` is greater than their
/// number.
#[inline(always)]
const fn word_mask(left: usize) -> __mmask32 {
    if left < 2 * LANES { (1 << left) - 1 } else { u32::MAX }
}

/// Computes [`permute_u32`] for source weights of 16 bits. A register holds 32 of these weights, so
/// 32 weights are looked up per instruction.
///
/// # Safety
/// As for [`permute_u32`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub unsafe fn permute_u16_to_u32(dst: &mut [u32], src: &[u16], from: &[u16]) -> u32 {
    assert!(src.len() <= MAX_REGISTER_WEIGHTS);
    let source = [0, 1, 2, 3].map(|number| {
        let start = (number * 2 * LANES).min(src.len());
        // SAFETY: the lanes of the mask are below `src.len()`.
        unsafe { _mm512_maskz_loadu_epi16(word_mask(src.len() - start), src.as_ptr().add(start).cast()) }
    });
    // SAFETY: the registers hold all weights of the source; the caller promises the rest.
    unsafe { permute_words(dst, source, src.len(), from) }
}

/// Computes [`permute_u32`] for source weights of 8 bits, which are widened to 16 bits as they are loaded.
///
/// VBMI, which looks up 64 bytes per instruction, is not used: narrowing the indices to bytes and widening the weights to
/// sums of 32 bits takes as many shuffles as it saves. On 10x10 modulo 251 this function takes 4 to 10 % of the time.
///
/// # Safety
/// As for [`permute_u32`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub unsafe fn permute_u8_to_u32(dst: &mut [u32], src: &[u8], from: &[u16]) -> u32 {
    assert!(src.len() <= MAX_REGISTER_WEIGHTS);
    let source = [0, 1, 2, 3].map(|number| {
        let start = (number * 2 * LANES).min(src.len());
        // SAFETY: the lanes of the mask are below `src.len()`.
        let bytes =
            unsafe { _mm256_maskz_loadu_epi8(word_mask(src.len() - start), src.as_ptr().add(start).cast()) };
        _mm512_cvtepu8_epi16(bytes)
    });
    // SAFETY: the registers hold all weights of the source; the caller promises the rest.
    unsafe { permute_words(dst, source, src.len(), from) }
}

/// Adds to every `dst[x]` the weights at `table[x]` among the first `src_len` weights of 16 bits in `source`, for
/// every table in `from`. Returns the bitwise OR of the sums.
///
/// # Safety
/// As for [`permute_u32`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
unsafe fn permute_words(dst: &mut [u32], source: [__m512i; 4], src_len: usize, from: &[u16]) -> u32 {
    assert!(from.len().is_multiple_of(dst.len()));
    let [a, b, c, d] = source;
    let (len, sixty_four) = (dst.len(), _mm512_set1_epi16(64));
    let (is_small, mut seen) = (src_len <= 4 * LANES, _mm512_setzero_si512());
    let mut x = 0;
    while x < len {
        let mask = word_mask(len - x);
        let (low, high) = (mask as u16, (mask >> LANES) as u16);
        // SAFETY: the indices x.. of the masks are below `len`, and every table has as many entries.
        unsafe {
            let place: *mut i32 = dst.as_mut_ptr().add(x).cast();
            let mut sums = [
                _mm512_maskz_loadu_epi32(low, place),
                _mm512_maskz_loadu_epi32(high, place.wrapping_add(LANES)),
            ];
            let mut table = x;
            while table < from.len() {
                let at = _mm512_maskz_loadu_epi16(mask, from.as_ptr().add(table).cast());
                let mut found = _mm512_permutex2var_epi16(a, at, b);
                if !is_small {
                    let beyond = _mm512_permutex2var_epi16(c, at, d);
                    found = _mm512_mask_blend_epi16(_mm512_test_epi16_mask(at, sixty_four), found, beyond);
                }
                let found = _mm512_maskz_mov_epi16(mask, found);
                let halves = [_mm512_castsi512_si256(found), _mm512_extracti64x4_epi64::<1>(found)];
                for (sum, half) in sums.iter_mut().zip(halves) {
                    *sum = _mm512_add_epi32(*sum, _mm512_cvtepu16_epi32(half));
                    seen = _mm512_or_si512(seen, *sum);
                }
                table += len;
            }
            _mm512_mask_storeu_epi32(place, low, sums[0]);
            _mm512_mask_storeu_epi32(place.wrapping_add(LANES), high, sums[1]);
        }
        x += 2 * LANES;
    }
    _mm512_reduce_or_epi32(seen) as u32
}

/// Returns the bitmap of the nonzero weights among at most 64 weights of 32 bits.
///
/// # Safety
/// AVX-512 F must be present.
#[target_feature(enable = "avx512f")]
pub unsafe fn nonzero(weights: &[u32]) -> u64 {
    debug_assert!(weights.len() <= 4 * LANES);
    let mut map = 0;
    let mut x = 0;
    while x < weights.len() {
        let mask = lane_mask(weights.len() - x);
        // SAFETY: the lanes of the mask are below the length.
        let some = unsafe { _mm512_maskz_loadu_epi32(mask, weights.as_ptr().add(x).cast()) };
        map |= u64::from(_mm512_test_epi32_mask(some, some)) << x;
        x += LANES;
    }
    map
}

/// Returns the bitmap of the nonzero weights among at most 64 weights of 64 bits.
///
/// # Safety
/// AVX-512 F must be present.
#[target_feature(enable = "avx512f")]
pub unsafe fn nonzero_u64(weights: &[u64]) -> u64 {
    debug_assert!(weights.len() <= 4 * LANES);
    (0..).step_by(8).zip(weights.chunks(8)).fold(0, |map, (x, some)| {
        let mask = u8::MAX >> (8 - some.len());
        // SAFETY: the lanes of the mask are below the length.
        let some = unsafe { _mm512_maskz_loadu_epi64(mask, some.as_ptr().cast()) };
        map | u64::from(_mm512_test_epi64_mask(some, some)) << x
    })
}

/// Expands `len` positions of the bitmap `$map`, from bit `start` on: the next value of `values` for each bit
/// set, zero for each bit clear. For every sixteen positions the macro evaluates `$each` with the index of
/// the first of them, the mask of the positions below `len`, and the sixteen weights.
///
/// # Safety
/// AVX-512 F must be present, the bits be within the bitmap, and no more of them be set than there are
/// values.
macro_rules! expand {
    (
        ($map:ident, $start:ident, $len:ident, $values:ident),
        |$x:ident, $mask:ident, $some:ident| $each:expr
        $(, $zero:expr)?
    ) => {
        let mut values: *const u32 = $values;
        let mut $x = 0;
        while $x < $len {
            let (bit, $mask) = ($start + $x, lane_mask($len - $x));
            let (word, shift) = (bit / 64, bit % 64);
            // SAFETY: the first bit is within the map.
            let mut bits = unsafe { *$map.get_unchecked(word) } >> shift;
            $(
                // Whole registers of zeros up to the end of the word are passed over.
                if bits == 0 && shift <= 48 {
                    $x += (64 - shift) / LANES * LANES;
                    $zero;
                }
            )?
            if shift > 48 && word + 1 < $map.len() {
                // SAFETY: `word + 1` was just compared with the length of the map.
                bits |= unsafe { *$map.get_unchecked(word + 1) } << (64 - shift);
            }
            let there = bits as u16 & $mask;
            let count = there.count_ones() as usize;
            // SAFETY: there are as many values as bits.
            let $some = unsafe {
                let some = _mm512_maskz_loadu_epi32(lane_mask(count), values.cast());
                values = values.add(count);
                _mm512_maskz_expand_epi32(there, some)
            };
            $each;
            $x += LANES;
        }
    };
}

/// Writes the weights at `len` positions of the bitmap `map`, from bit `start` on, to `to`: the
/// next number at `values` for each bit set, zero for each bit clear.
///
/// # Safety
/// AVX-512 F must be present, the bits be within the bitmap, `values` point to at least as many
/// values as bits are set, and `to` have capacity for `len` weights.
#[target_feature(enable = "avx512f,bmi2,popcnt")]
pub unsafe fn expand(map: &[u64], start: usize, len: usize, values: *const u32, to: *mut u32) {
    expand!((map, start, len, values), |x, mask, some| {
        // SAFETY: the lanes of the mask are below `len`.
        unsafe { _mm512_mask_storeu_epi32(to.add(x).cast(), mask, some) }
    });
}

/// Adds the weights at `dst.len()` positions of the bitmap `map`, from bit `start` on, to the
/// weights of `dst`: the next number at `values` for each bit set, zero for each bit clear. Returns
/// the bitwise OR of all sums.
///
/// # Safety
/// As for [`expand()`], with the length of `dst`.
#[target_feature(enable = "avx512f,bmi2,popcnt")]
pub unsafe fn add_expanded(dst: &mut [u32], map: &[u64], start: usize, values: *const u32) -> u32 {
    let len = dst.len();
    let mut seen = _mm512_setzero_si512();
    expand!(
        (map, start, len, values),
        |x, mask, some| {
            // SAFETY: the lanes of the mask are below `len`.
            unsafe {
                let place = dst.as_mut_ptr().add(x).cast();
                let sum = _mm512_add_epi32(_mm512_maskz_loadu_epi32(mask, place), some);
                _mm512_mask_storeu_epi32(place, mask, sum);
                seen = _mm512_or_si512(seen, sum);
            }
        },
        continue
    );
    _mm512_reduce_or_epi32(seen) as u32
}

/// Writes the nonzero weights to `to`, without gaps. Returns the bitmap of their positions in
/// `weights`.
#[target_feature(enable = "avx512f,popcnt")]
#[inline]
pub fn compress(weights: &[u32; 4 * LANES], to: &mut CompressBuffer) -> u64 {
    let (mut map, mut end) = (0, to.as_mut_ptr());
    let registers = weights.as_chunks::<LANES>().0;
    // SAFETY: sixteen weights are 64 bytes.
    let loaded = [0, 1, 2, 3].map(|number| unsafe { _mm512_loadu_si512(registers[number].as_ptr().cast()) });
    let any = _mm512_or_si512(_mm512_or_si512(loaded[0], loaded[1]), _mm512_or_si512(loaded[2], loaded[3]));
    if _mm512_test_epi32_mask(any, any) == 0 {
        return 0;
    }
    for (number, some) in loaded.into_iter().enumerate() {
        // SAFETY: whole registers are written, the last of which begins at index 48 at most.
        unsafe {
            let nonzero = _mm512_test_epi32_mask(some, some);
            _mm512_storeu_si512(end.cast(), _mm512_maskz_compress_epi32(nonzero, some));
            end = end.add(nonzero.count_ones() as usize);
            map |= u64::from(nonzero) << (LANES * number);
        }
    }
    map
}
