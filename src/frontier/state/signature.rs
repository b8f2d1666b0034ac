//! Signatures: the degrees on the frontier, and their numbers.
//!
//! A signature gives every slot a digit: 0 *bare* (or empty slot), 1 *end*, 2 *inner*. Signatures are
//! numbered in base 3. Sets of them are bit tables, 81 signatures (slots 0 to 3) per *word*; words are
//! numbered by the outer slots:
//!
//! ```text
//! slot      5 4 | 3 2 1 0
//! digit     2 1 | 0 0 1 2        word 2*3 + 1 = 7, bit 1*3 + 2 = 5
//! ```
//!
//! Constant tables list the digits of the bits of a word.

use crate::frontier::problem::slot::SLOTS_PER_WORD;

/// Number of bits of a word in use: `3^SLOTS_PER_WORD`.
pub const WORD_BITS: usize = 81;

/// The bits of a word in use.
pub const WORD_MASK: u128 = (1 << WORD_BITS) - 1;

/// `ENDS_OF_BIT[bit]`: set of the slots 0..4 with digit 1.
pub const ENDS_OF_BIT: [u8; WORD_BITS] = {
    let mut ends = [0; WORD_BITS];
    let mut bit = 0;
    while bit < WORD_BITS {
        let mut rest = bit;
        let mut slot = 0;
        while slot < SLOTS_PER_WORD {
            if rest % 3 == 1 {
                ends[bit] |= 1 << slot;
            }
            rest /= 3;
            slot += 1;
        }
        bit += 1;
    }
    ends
};

/// `BITS_WITH_ENDS[e]`: the bits whose signature has `e` ends in slots 0..4.
pub const BITS_WITH_ENDS: [u128; SLOTS_PER_WORD + 1] = {
    let mut masks = [0; SLOTS_PER_WORD + 1];
    let mut bit = 0;
    while bit < WORD_BITS {
        masks[ENDS_OF_BIT[bit].count_ones() as usize] |= 1 << bit;
        bit += 1;
    }
    masks
};

/// `BITS_WITH_DIGIT[s][d]`: the bits whose signature has digit `d` in slot `s` of the slots 0..4.
pub const BITS_WITH_DIGIT: [[u128; 3]; SLOTS_PER_WORD] = {
    let mut masks = [[0; 3]; SLOTS_PER_WORD];
    let mut bit = 0;
    while bit < WORD_BITS {
        let mut rest = bit;
        let mut slot = 0;
        while slot < SLOTS_PER_WORD {
            masks[slot][rest % 3] |= 1 << bit;
            rest /= 3;
            slot += 1;
        }
        bit += 1;
    }
    masks
};

/// Yields the numbers of the bits of `set`, the lowest first.
#[inline(always)]
pub fn bits_of(mut set: u128) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = set.trailing_zeros();
        (set != 0).then(|| {
            set &= set - 1;
            bit
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_agree_with_digits_of_bits() {
        assert_eq!(BITS_WITH_ENDS.iter().fold(0, |all, bits| all | bits), WORD_MASK);
        // A set of ends; every other slot is bare or inner.
        assert_eq!(BITS_WITH_ENDS.map(u128::count_ones), [16, 32, 24, 8, 1]);
        assert_eq!((ENDS_OF_BIT[40], ENDS_OF_BIT[5], ENDS_OF_BIT[0]), (0b1111, 0b0010, 0));
        assert_eq!(BITS_WITH_DIGIT[0][1], (0..27).fold(0, |bits, n| bits | 1 << (3 * n + 1)));
        assert_eq!(BITS_WITH_DIGIT[3], [0, 27, 54].map(|low| ((1 << 27) - 1) << low));
        assert!(bits_of(1 << 80 | 5).eq([0, 2, 80]) && bits_of(0).next().is_none());
    }
}
