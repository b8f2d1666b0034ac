//! The bitset step for x86-64 with AVX2. A vector has one word or two; one instruction shifts both
//! halves of a word.
//!
//! A shift by less than 64 bits also moves bits from one half of a word to the other. These bits
//! come from the other half, moved by eight bytes and shifted in the opposite direction. A shift by
//! 64 bits or more has only these bits.

use std::arch::x86_64::*;

use super::{BitsetStep, Row, ShiftLists, ShiftedSource};

/// Defines a function that returns a vector of consecutive words. Each word is the union of the
/// sets that a list of moves brings to it. `others` points into the
/// window, to the position of the first of these words in its row.
macro_rules! union_of_moves {
    ($name:ident, $vector:ty, $zero:ident, $load:ident, $or:ident, $and:ident, $left:ident, $right:ident,
     $half_up:ident, $half_down:ident, |$bits:ident| $mask:expr) => {
        /// # Safety
        /// AVX2 must be present, and the window must have words at all distances of the list.
        #[target_feature(enable = "avx2")]
        #[inline]
        unsafe fn $name(list: &ShiftLists, others: *const u128) -> $vector {
            let masked = |vector: $vector, pull: &ShiftedSource| {
                // SAFETY: the mask has 16 bytes.
                let $bits = unsafe { _mm_loadu_si128((&raw const pull.mask).cast()) };
                $and(vector, $mask)
            };
            // SAFETY: the caller guarantees the word at this distance.
            let other = |pull: &ShiftedSource| unsafe { $load(others.offset(pull.distance).cast()) };
            let count = |shift: u32| _mm_cvtsi32_si128(shift as i32);
            let mut all = $zero();
            for pull in &list.down_shifts {
                let (word, rest) = (other(pull), count(64 - pull.shift));
                let shifted = $or($right(word, count(pull.shift)), $left($half_down::<8>(word), rest));
                all = $or(all, masked(shifted, pull));
            }
            for pull in &list.up_shifts {
                let (word, rest) = (other(pull), count(64 - pull.shift));
                let shifted = $or($left(word, count(pull.shift)), $right($half_up::<8>(word), rest));
                all = $or(all, masked(shifted, pull));
            }
            for (pull, is_up) in &list.long_shifts {
                let (word, more) = (other(pull), count(pull.shift - 64));
                let shifted = if *is_up {
                    $left($half_up::<8>(word), more)
                } else {
                    $right($half_down::<8>(word), more)
                };
                all = $or(all, masked(shifted, pull));
            }
            all
        }
    };
}

union_of_moves!(
    gather_one_word,
    __m128i,
    _mm_setzero_si128,
    _mm_loadu_si128,
    _mm_or_si128,
    _mm_and_si128,
    _mm_sll_epi64,
    _mm_srl_epi64,
    _mm_bslli_si128,
    _mm_bsrli_si128,
    |bits| bits
);
union_of_moves!(
    gather_two_words,
    __m256i,
    _mm256_setzero_si256,
    _mm256_loadu_si256,
    _mm256_or_si256,
    _mm256_and_si256,
    _mm256_sll_epi64,
    _mm256_srl_epi64,
    _mm256_bslli_epi128,
    _mm256_bsrli_epi128,
    |bits| _mm256_broadcastsi128_si256(bits)
);

impl BitsetStep<'_> {
    #[target_feature(enable = "avx2")]
    pub(super) fn fill_row_avx2(&self, number: usize, window: &[u128], row: &mut Row) {
        for class in &self.classes {
            let list = &self.lists[self.moves.list_number(number, class.list_part)];
            if list.is_empty() {
                continue;
            }
            let (least, last) = class.position_range;
            assert!(last < row.len() && least.checked_add_signed(list.distance_range.0).is_some());
            assert!(last.checked_add_signed(list.distance_range.1).is_some_and(|end| end < window.len()));
            // SAFETY: positions ascend between the first and the last of the class, and distances are between
            // the least and the greatest of the list; for these extremes row and window have words, as just
            // asserted.
            unsafe {
                let (from, to) = (window.as_ptr(), row.as_mut_ptr());
                for low in class.pairs.iter().map(|&low| low as usize) {
                    _mm256_storeu_si256(to.add(low).cast(), gather_two_words(list, from.add(low)));
                }
                for low in class.singles.iter().map(|&low| low as usize) {
                    _mm_storeu_si128(to.add(low).cast(), gather_one_word(list, from.add(low)));
                }
            }
        }
    }
}
