//! The alignment of both halves of a two-sided sweep at the cut: for each signature of the left half, the
//! compatible signature of the right half.
//!
//! Every cut vertex gets two edges in total, and the ends of one half are joined to those of the other:
//!
//! ```text
//! left    bare 0    end 1    inner 2
//! right   inner 2   end 1    bare 0
//! ```
//!
//! So each left signature is compatible with exactly one right signature. A vertex may have different slots
//! in both halves: the number of a signature is a sum over its digits, whatever their slots.

use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::slot::{INNER, Slot};
use crate::frontier::state::signature::WORD_BITS;
use crate::frontier::state::words::{Address, At, OuterSums, Words};

/// The addresses of the right signatures that are compatible with left ones.
#[derive(Debug)]
pub struct Fit {
    /// By left slot, the right slot of the vertex.
    slots: Vec<Option<Slot>>,
    /// By left word, the outer slots' part of the number (with all digits) of the right signature.
    outer: OuterSums,
    /// By bit of a left word, the inner slots' part of that number.
    inner: [u32; WORD_BITS],
    /// Distinct numbers that the word digits and bits of a left chunk add to the number of the right chunk.
    spread: Vec<u32>,
    chunk_len: usize,
}

impl Fit {
    /// Creates the alignment of the layer after step `t` of the plan `left` with the layer after the last
    /// step of the plan `right`.
    #[must_use]
    pub fn new(near: &Plan, t: usize, near_words: &Words, far: &Plan, far_words: &Words) -> Self {
        let last = far.steps().len() - 1;
        let mut slots = vec![None; near.slots()];
        let mut is_used = vec![false; near.slots()];
        for (v, slot) in near.seats(t) {
            is_used[usize::from(slot)] = true;
            // A vertex that no edge of the right half touches is bare there, and inner in the left half.
            slots[usize::from(slot)] = far.slot_after(last, v);
        }
        let value = |slot: usize, digit: u32| match slots[slot] {
            Some(there) if is_used[slot] => 3u32.pow(u32::from(there)) * (2 - digit),
            _ => 0,
        };
        let outer = near_words.sums(value);
        let digit = |bit: usize, slot: usize| bit as u32 / 3u32.pow(slot as u32) % 3;
        let inner = std::array::from_fn(|bit| (0..INNER).map(|slot| value(slot, digit(bit, slot))).sum());
        let chunk = (WORD_BITS * far_words.chunk_len()) as u32;
        let high_part = |number: &u32| number / chunk;
        let mut spread: Vec<u32> =
            outer.low.iter().flat_map(|low| inner.iter().map(move |inner| low + inner)).collect();
        spread.iter_mut().for_each(|number| *number = high_part(number));
        spread.sort_unstable();
        spread.dedup();
        Self { slots, outer, inner, spread, chunk_len: far_words.chunk_len() }
    }

    /// Returns the address of the right signature for a bit of a left word.
    #[inline(always)]
    #[must_use]
    pub fn address(&self, at: At, bit: u32) -> Address {
        let number = (self.outer.of(at) + self.inner[bit as usize]) as usize;
        Address { word: number / WORD_BITS, bit: (number % WORD_BITS) as u32 }
    }

    /// Returns the address of the right word with this number.
    #[inline(always)]
    #[must_use]
    pub const fn at(&self, word: usize) -> At {
        At { high: word / self.chunk_len, low: word % self.chunk_len }
    }

    /// Returns the right chunks that have signatures for those of a left chunk.
    #[must_use]
    pub fn chunks(&self, high: usize) -> Vec<usize> {
        let own = self.outer.high[high];
        let chunk = (WORD_BITS * self.chunk_len) as u32;
        self.spread.iter().map(|more| (own / chunk + more) as usize).collect()
    }

    /// Writes the right slots of the left ends, in the order of the left slots.
    #[inline(always)]
    pub fn ends(&self, mut ends: u32, there: &mut [Slot]) {
        for slot in there {
            *slot = self.slots[ends.trailing_zeros() as usize].expect("an end has an edge in either half");
            ends &= ends - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::frontier::problem::cycles::{Cycles, Tours};
    use crate::frontier::problem::field::Field;

    #[test]
    fn digits_add_up_to_two() {
        let field = Field::of(&Board::new(6, 4).unwrap().into());
        for (tours, t) in [(Tours::Closed, 9), (Tours::Closed, 11), (Tours::Paths, 7)] {
            let cycles = Cycles::of(&field, tours);
            let order: Vec<usize> = (0..cycles.len()).collect();
            let near = Plan::new(&cycles, &order, true);
            let far = Plan::far(&cycles, &near, t, true, None);
            let words = Words::new(near.slots());
            let far_words = Words::like(&words, far.slots());
            let fit = Fit::new(&near, t, &words, &far, &far_words);
            let last = far.steps().len() - 1;
            let digit = |word: usize, bit: usize, slot: Slot| {
                let slot = usize::from(slot);
                let (number, place) = if slot < INNER { (bit, slot) } else { (word, slot - INNER) };
                (number / 3usize.pow(place as u32) % 3) as u32
            };
            let mut looked_at = 0;
            for word in 0..words.len() {
                for bit in 0..WORD_BITS {
                    let is_free = |slot: Slot| near.seats(t).all(|(_, taken)| taken != slot);
                    if (0..near.slots() as Slot).any(|slot| is_free(slot) && digit(word, bit, slot) != 0) {
                        continue;
                    }
                    looked_at += 1;
                    let at = words.at(word);
                    let Address { word: there, bit: far_bit } = fit.address(at, bit as u32);
                    for (v, slot) in near.seats(t) {
                        if let Some(far_slot) = far.slot_after(last, v) {
                            let far_digit = digit(there, far_bit as usize, far_slot);
                            assert_eq!(far_digit + digit(word, bit, slot), 2);
                        }
                    }
                    assert_eq!(far_words.number(fit.at(there)), there);
                    assert!(fit.chunks(at.high).contains(&fit.at(there).high));
                }
            }
            assert!(looked_at > 500);
        }
    }
}
