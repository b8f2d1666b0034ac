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

use super::space::{OuterDigitSums, SignatureAddress, WORD_BITS, WordAddress, WordNumbering};
use crate::frontier::planning::plan::Plan;
use crate::frontier::planning::slots::{SLOTS_PER_WORD, Slot};

/// A map from each signature of the left half to the compatible signature of the right half.
#[derive(Debug)]
pub struct CutAlignment {
    /// For each left slot, the right slot of its vertex; `None` if the vertex has no right slot.
    right_slots: Vec<Option<Slot>>,
    /// For each left word, the part of the number of the right signature that the outer slots
    /// determine. The number is over all digits.
    outer_numbers: OuterDigitSums,
    /// For each bit of a left word, the part of the number of the right signature that the inner
    /// slots (0 to 3) determine.
    inner_numbers: [u32; WORD_BITS],
    /// Distinct numbers of chunks by which the words and bits of a left chunk can increase the
    /// number of the right chunk.
    chunk_offsets: Vec<u32>,
    chunk_len: usize,
}

impl CutAlignment {
    /// Creates the alignment of the layer after step `t` of the plan `left` with the layer after the last
    /// step of the plan `right`.
    #[must_use]
    pub fn new(
        left: &Plan,
        t: usize,
        left_words: &WordNumbering,
        right: &Plan,
        right_words: &WordNumbering,
    ) -> Self {
        let last = right.steps().len() - 1;
        let mut slots = vec![None; left.slot_count()];
        let mut is_used = vec![false; left.slot_count()];
        for (v, slot) in left.frontier_slots(t) {
            is_used[usize::from(slot)] = true;
            // A vertex that no edge of the right half touches is bare there, and inner in the left half.
            slots[usize::from(slot)] = right.slot_after(last, v);
        }
        let value = |slot: usize, digit: u32| match slots[slot] {
            Some(there) if is_used[slot] => 3u32.pow(u32::from(there)) * (2 - digit),
            _ => 0,
        };
        let outer = left_words.outer_sums(value);
        let digit = |bit: usize, slot: usize| bit as u32 / 3u32.pow(slot as u32) % 3;
        let inner =
            std::array::from_fn(|bit| (0..SLOTS_PER_WORD).map(|slot| value(slot, digit(bit, slot))).sum());
        let chunk = (WORD_BITS * right_words.chunk_len()) as u32;
        let high_part = |number: &u32| number / chunk;
        let mut spread: Vec<u32> =
            outer.by_word.iter().flat_map(|low| inner.iter().map(move |inner| low + inner)).collect();
        spread.iter_mut().for_each(|number| *number = high_part(number));
        spread.sort_unstable();
        spread.dedup();
        Self {
            right_slots: slots,
            outer_numbers: outer,
            inner_numbers: inner,
            chunk_offsets: spread,
            chunk_len: right_words.chunk_len(),
        }
    }

    /// Returns the address of the right signature that is compatible with signature `bit` of a left
    /// word.
    #[inline(always)]
    #[must_use]
    pub fn right_signature(&self, address: WordAddress, bit: u32) -> SignatureAddress {
        let number = (self.outer_numbers.sum(address) + self.inner_numbers[bit as usize]) as usize;
        SignatureAddress { word_number: number / WORD_BITS, bit: (number % WORD_BITS) as u32 }
    }

    /// Returns the address of the right word with the number `word`.
    #[inline(always)]
    #[must_use]
    pub const fn right_word(&self, word: usize) -> WordAddress {
        WordAddress { chunk: word / self.chunk_len, word: word % self.chunk_len }
    }

    /// Returns the numbers of the right chunks with signatures that are compatible with the
    /// signatures of a left chunk.
    #[must_use]
    pub fn right_chunks(&self, left_chunk: usize) -> Vec<usize> {
        let own = self.outer_numbers.by_chunk[left_chunk];
        let chunk = (WORD_BITS * self.chunk_len) as u32;
        self.chunk_offsets.iter().map(|more| (own / chunk + more) as usize).collect()
    }

    /// Writes to `right_slots` the right slot of each left end, in the order of the left slots.
    #[inline(always)]
    pub fn right_slots_of_ends(&self, mut ends: u32, right_slots: &mut [Slot]) {
        for slot in right_slots {
            *slot =
                self.right_slots[ends.trailing_zeros() as usize].expect("an end has an edge in either half");
            ends &= ends - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Rectangle;
    use crate::frontier::planning::cancel::Cancel;
    use crate::frontier::planning::problem::SweepGraph;
    use crate::frontier::planning::problem::{Cycles, Tours};

    #[test]
    fn digits_of_aligned_signatures_add_up_to_two() {
        let sweep_graph = SweepGraph::from_board(&Rectangle::new(6, 4).unwrap().into());
        for (tours, t) in [(Tours::Closed, 9), (Tours::Closed, 11), (Tours::Paths, 7)] {
            let cycles = Cycles::from_sweep_graph(&sweep_graph, tours);
            let order: Vec<usize> = (0..cycles.len()).collect();
            let left_plan = Plan::new(&cycles, &order, true);
            let right_plan =
                Plan::right_half(&cycles, &left_plan, t, true, None, &Cancel::default()).unwrap().unwrap();
            let words = WordNumbering::new(left_plan.slot_count());
            let right_words = WordNumbering::with_chunks_like(&words, right_plan.slot_count());
            let fit = CutAlignment::new(&left_plan, t, &words, &right_plan, &right_words);
            let last = right_plan.steps().len() - 1;
            let digit = |word: usize, bit: usize, slot: Slot| {
                let slot = usize::from(slot);
                let (number, position) =
                    if slot < SLOTS_PER_WORD { (bit, slot) } else { (word, slot - SLOTS_PER_WORD) };
                (number / 3usize.pow(position as u32) % 3) as u32
            };
            let mut looked_at = 0;
            for word in 0..words.len() {
                for bit in 0..WORD_BITS {
                    let is_free = |slot: Slot| left_plan.frontier_slots(t).all(|(_, taken)| taken != slot);
                    if (0..left_plan.slot_count() as Slot)
                        .any(|slot| is_free(slot) && digit(word, bit, slot) != 0)
                    {
                        continue;
                    }
                    looked_at += 1;
                    let at = words.word_at(word);
                    let SignatureAddress { word_number: right_word, bit: right_bit } =
                        fit.right_signature(at, bit as u32);
                    for (v, slot) in left_plan.frontier_slots(t) {
                        if let Some(right_slot) = right_plan.slot_after(last, v) {
                            let right_digit = digit(right_word, right_bit as usize, right_slot);
                            assert_eq!(right_digit + digit(word, bit, slot), 2);
                        }
                    }
                    assert_eq!(right_words.number_of(fit.right_word(right_word)), right_word);
                    assert!(fit.right_chunks(at.chunk).contains(&fit.right_word(right_word).chunk));
                }
            }
            assert!(looked_at > 500);
        }
    }
}
