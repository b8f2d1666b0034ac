//! Which signature of the far end fits one of the near end.
//!
//! The vertices of the front get two edges in all, and the ends of one side are joined to those of the other:
//!
//! ```text
//! near   bare 0    end 1    inner 2
//! far    inner 2   end 1    bare 0
//! ```
//!
//! So each near signature is met by one of the far end. A vertex may sit in other slots there: a signature's number
//! is a sum over its digits whatever the slots are.

use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::slot::{INNER, Slot};
use crate::frontier::state::signature::WORD_BITS;
use crate::frontier::state::words::{Address, At, OuterSums, Words};

/// Where the far signatures that fit near ones are.
#[derive(Debug)]
pub struct Fit {
    /// By near slot, the far slot of the vertex that sits there.
    slots: Vec<Option<Slot>>,
    /// Number of the far signature, all digits, for the outer slots of a near one.
    outer: OuterSums,
    /// The same for the inner slots, by bit.
    inner: [u32; WORD_BITS],
    /// What the low and inner slots of a near chunk add to the number of a far chunk.
    spread: Vec<u32>,
    chunk_len: usize,
}

impl Fit {
    /// For the words of a near layer, that after step `t` of `near`, and of the last far one.
    #[must_use]
    pub fn new(near: &Plan, t: usize, near_words: &Words, far: &Plan, far_words: &Words) -> Self {
        let last = far.steps().len() - 1;
        let mut slots = vec![None; near.slots()];
        let mut is_used = vec![false; near.slots()];
        for (v, slot) in near.seats(t) {
            is_used[usize::from(slot)] = true;
            // One that no far edge touches is bare there, and inner here.
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

    /// The word and bit of the far signature for a bit of a near word.
    #[inline(always)]
    #[must_use]
    pub fn address(&self, at: At, bit: u32) -> Address {
        let number = (self.outer.of(at) + self.inner[bit as usize]) as usize;
        Address { word: number / WORD_BITS, bit: (number % WORD_BITS) as u32 }
    }

    /// Where a far word is.
    #[inline(always)]
    #[must_use]
    pub const fn at(&self, word: usize) -> At {
        At { high: word / self.chunk_len, low: word % self.chunk_len }
    }

    /// The far chunks with signatures for those of a near chunk.
    #[must_use]
    pub fn chunks(&self, high: usize) -> Vec<usize> {
        let own = self.outer.high[high];
        let chunk = (WORD_BITS * self.chunk_len) as u32;
        self.spread.iter().map(|more| (own / chunk + more) as usize).collect()
    }

    /// The far slots of near ends, in the order of the near slots.
    #[inline(always)]
    pub fn ends(&self, mut ends: u32, there: &mut [Slot]) {
        for slot in there {
            *slot = self.slots[ends.trailing_zeros() as usize].expect("an end has an edge at either side");
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
