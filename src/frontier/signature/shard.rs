//! Shards: the split of one sweep into several independent sweeps with smaller layers.
//!
//! After a step in the middle of a sweep, the configurations are classified by the degrees of a few
//! frontier vertices. A shard is a separate sweep in which only the signatures of its *classes* are
//! feasible after that step. It has fewer signatures before the step, because they must lead to
//! these classes, and fewer after it, because they must come from these classes. The counts of all
//! shards add up to the total. In a two-sided sweep the step is the one before the cut, and both
//! halves have fewer signatures before it.
//!
//! ```text
//! slots a b c    digits 0 1 2    class 0 1 2, and with it 1 0 2 if a fold exchanges a and b
//! ```
//!
//! The sorted classes are split into `count` ranges with about equal numbers of weights; shard r
//! has the r-th range.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::matching_rank::MATCHING_COUNTS;
use super::signature_table::SignatureTable;
use super::space::{BITS_WITH_ENDS, OuterDigitSums, SignatureSpace, WORD_BITS, WordAddress, WordNumbering};
use crate::encoder::Encoder;
use crate::frontier::planning::plan::Plan;
use crate::frontier::planning::slots::{SLOTS_PER_WORD, Slot};

/// One of several shards of a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepShard {
    /// Index of the shard, from 0.
    pub index: u32,
    /// Number of shards of the count.
    pub count: u32,
}

impl SweepShard {
    /// Writes the index of the shard and the number of shards to an encoder.
    pub fn encode(self, to: &mut Encoder) {
        let Self { index, count } = self;
        to.number(index.into());
        to.number(count.into());
    }
}

/// Minimum number of classes per shard, so that shards can be of about equal size.
const CLASSES_PER_SHARD: usize = 8;

/// The codes of all signatures, as sums of two parts. The code of a signature is the digits of its
/// class slots, in base 3.
struct CodeSums {
    /// For each word, the part of the code from the outer slots.
    outer: OuterDigitSums,
    /// Parts of the code from the inner slots (0 to 3), each with the bits of a word that have this
    /// part.
    inner: Vec<(usize, u128)>,
}

/// A filter for the signatures that belong to one shard.
#[derive(Clone, Debug)]
pub struct ShardFilter {
    /// Step after which signatures are classified.
    step: usize,
    /// Slots whose digits form the code of a signature, a number in base 3.
    class_slots: Vec<Slot>,
    /// For each code, true if signatures with this code belong to the shard.
    contains: Vec<bool>,
}

impl ShardFilter {
    /// Creates the filter of a shard. All codes count as equally large.
    ///
    /// # Panics
    /// If `shard.index` is not below `shard.count`.
    #[must_use]
    pub fn with_equal_weights(shard: SweepShard, plan: &Plan) -> Self {
        let step = shard_step(plan);
        let untouched = |slot| untouched_steps_around(plan, step, slot);
        Self::new(shard, plan, step, untouched, |filter| vec![1; filter.contains.len()])
    }

    /// Creates the filter of a shard of a one-sided sweep, which classifies signatures after [`shard_step`].
    /// Classes are weighted by the block sizes of their signatures in `feasible`, the feasibility table after
    /// this step.
    ///
    /// # Panics
    /// If `shard.index` is not below `shard.count`.
    #[must_use]
    pub fn after_middle_step(shard: SweepShard, space: &SignatureSpace, feasible: &SignatureTable) -> Self {
        let (plan, step) = (space.plan(), shard_step(space.plan()));
        let untouched = |slot| untouched_steps_around(plan, step, slot);
        Self::with_block_weights(shard, space, step, untouched, feasible)
    }

    /// Creates the filter of a shard, which classifies signatures after `step`. Classes are weighted by the
    /// block sizes of their signatures in `signatures`, a table of those that are possible after this step.
    /// `untouched_steps` gives the number of steps before and after `step` in which the digit of a slot does
    /// not change.
    ///
    /// # Panics
    /// If `shard.index` is not below `shard.count`.
    #[must_use]
    pub fn with_block_weights(
        shard: SweepShard,
        space: &SignatureSpace,
        step: usize,
        untouched_steps: impl Fn(Slot) -> usize,
        signatures: &SignatureTable,
    ) -> Self {
        Self::new(shard, space.plan(), step, untouched_steps, |filter| {
            filter.code_weights(space.words(), signatures)
        })
    }

    fn new(
        shard: SweepShard,
        plan: &Plan,
        step: usize,
        untouched_steps: impl Fn(Slot) -> usize,
        sizes: impl FnOnce(&Self) -> Vec<u128>,
    ) -> Self {
        assert!(shard.index < shard.count, "the index of a shard must be below the number of shards");
        let slots = shard_slots(plan, step, untouched_steps, shard.count as usize * CLASSES_PER_SHARD);
        let mirror = plan.steps()[step].mirror_image.as_deref();
        let classes: Vec<Vec<u8>> =
            (0..3usize.pow(slots.len() as u32)).map(|code| class_digits(&slots, mirror, code)).collect();
        let mut filter = Self { step, contains: vec![true; classes.len()], class_slots: slots };
        let sizes = sizes(&filter);
        let mut sorted: Vec<usize> = (0..classes.len()).collect();
        sorted.sort_by(|&a, &b| classes[a].cmp(&classes[b]));
        let total = sizes.iter().sum::<u128>().max(1);
        let mut before = 0;
        for group in sorted.chunk_by(|&a, &b| classes[a] == classes[b]) {
            let size: u128 = group.iter().map(|&code| sizes[code]).sum();
            // By the middle of the class, so that a large class does not leave its first shard nearly empty.
            let shard_index = (2 * before + size) * u128::from(shard.count) / (2 * total);
            let part = shard_index.min(u128::from(shard.count) - 1);
            group.iter().for_each(|&code| filter.contains[code] = part == u128::from(shard.index));
            before += size;
        }
        filter
    }

    /// Returns the step after which signatures are classified.
    #[must_use]
    pub const fn step(&self) -> usize {
        self.step
    }

    /// Returns a table without the signatures of other shards.
    #[must_use]
    pub fn restrict_to_shard(&self, rows: &WordNumbering, table: &SignatureTable) -> SignatureTable {
        let CodeSums { outer, inner } = self.code_sums(rows);
        let key = |number: usize, key: &mut Vec<u32>| {
            if table.row_id(number) != 0 {
                key.extend([table.row_id(number), outer.by_chunk[number]]);
            }
        };
        SignatureTable::from_keys(rows, key, |number, (): &mut (), row| {
            for (position, &word) in table.row(number).iter().enumerate().filter(|(_, word)| **word != 0) {
                let code = outer.sum(WordAddress { chunk: number, word: position }) as usize;
                let accepted = inner.iter().filter(|(inner, _)| self.contains[code + inner]);
                row[position] = word & accepted.fold(0, |bits_so_far, (_, bits)| bits_so_far | bits);
            }
        })
    }

    /// Returns true if a state belongs to the shard. `digit` returns the state's digit in a slot.
    #[must_use]
    pub fn contains(&self, digit: impl Fn(Slot) -> u8) -> bool {
        self.contains
            [self.class_slots.iter().rev().fold(0, |code, &slot| 3 * code + usize::from(digit(slot)))]
    }

    /// Computes the codes of all signatures, as sums of two parts.
    fn code_sums(&self, words: &WordNumbering) -> CodeSums {
        let place = |slot: usize| self.class_slots.iter().position(|&s| usize::from(s) == slot);
        let value = |slot: usize, digit: u32| place(slot).map_or(0, |p| 3u32.pow(p as u32) * digit);
        let mut inner: Vec<(usize, u128)> = Vec::new();
        for bit in 0..WORD_BITS {
            let digit = |slot: usize| (bit / 3usize.pow(slot as u32) % 3) as u32;
            let code = (0..SLOTS_PER_WORD).map(|slot| value(slot, digit(slot))).sum::<u32>() as usize;
            match inner.iter_mut().find(|(c, _)| *c == code) {
                Some((_, bits)) => *bits |= 1 << bit,
                None => inner.push((code, 1 << bit)),
            }
        }
        CodeSums { outer: words.outer_sums(value), inner }
    }

    /// Returns, for each code, the number of weights of the feasible signatures with this code.
    fn code_weights(&self, words: &WordNumbering, table: &SignatureTable) -> Vec<u128> {
        let CodeSums { outer, inner } = self.code_sums(words);
        let mut sizes = vec![0; self.contains.len()];
        for (word, set) in table.occupied_words() {
            let at = words.word_at(word);
            let ends = words.outer_ends(at.chunk, at.word).count_ones() as usize;
            for (code, bits) in &inner {
                let size: u64 = (ends % 2..=SLOTS_PER_WORD)
                    .step_by(2)
                    .map(|more| {
                        u64::from((set & bits & BITS_WITH_ENDS[more]).count_ones())
                            * MATCHING_COUNTS[ends + more]
                    })
                    .sum();
                sizes[outer.sum(at) as usize + code] += u128::from(size);
            }
        }
        sizes
    }
}

/// Returns the step after which shards are separated: the step with the widest frontier, and among
/// equally wide steps the step nearest to the middle of the sweep. If some steps are folded, only
/// these are considered.
#[must_use]
pub fn shard_step(plan: &Plan) -> usize {
    let steps = plan.steps();
    let key = |t: usize| {
        let step = &steps[t];
        (
            step.mirror_image.is_some(),
            step.occupied_slots.count_ones(),
            usize::MAX - t.abs_diff(steps.len() / 2),
        )
    };
    (0..steps.len()).max_by_key(|&t| key(t)).unwrap_or(0)
}

/// Returns the number of consecutive steps before and after step `step`, itself included, that do not touch a
/// slot. A shard has only its own classes in these steps.
fn untouched_steps_around(plan: &Plan, step: usize, slot: Slot) -> usize {
    untouched_steps(plan, (0..=step).rev(), slot) + untouched_steps(plan, step + 1..plan.steps().len(), slot)
}

/// Returns the number of the first of `steps` that do not touch a slot.
#[must_use]
pub fn untouched_steps(plan: &Plan, steps: impl Iterator<Item = usize>, slot: Slot) -> usize {
    let is_touched = |t: usize| plan.steps()[t].touched_slots().any(|touched| touched == slot);
    steps.take_while(|&t| !is_touched(t)).count()
}

/// Returns slots whose digits distinguish at least `classes` classes, if possible: first those that
/// the most steps around step `step` do not touch. If a fold exchanges two slots, both are
/// included.
fn shard_slots(
    plan: &Plan,
    step: usize,
    untouched_steps: impl Fn(Slot) -> usize,
    classes: usize,
) -> Vec<Slot> {
    let step = &plan.steps()[step];
    let mut slots: Vec<Slot> = Vec::new();
    let mut class_count = 1;
    let is_occupied = |slot: &Slot| step.occupied_slots >> slot & 1 == 1;
    let mut candidates: Vec<Slot> = (0..plan.slot_count() as Slot).filter(is_occupied).collect();
    candidates.sort_by_key(|&slot| Reverse(untouched_steps(slot)));
    for slot in candidates {
        if class_count >= classes || slots.len() > 6 {
            break;
        }
        if slots.contains(&slot) {
            continue;
        }
        slots.push(slot);
        let mirror_slot = step.mirror_image.as_ref().map_or(slot, |image| image[usize::from(slot)]);
        if mirror_slot == slot {
            class_count *= 3;
        } else {
            slots.push(mirror_slot);
            class_count *= 6;
        }
    }
    slots
}

/// Returns the class of a code: the digits of the code or of its mirror image, whichever are less.
fn class_digits(slots: &[Slot], mirror: Option<&[Slot]>, code: usize) -> Vec<u8> {
    let mut digits: Vec<u8> = (0..slots.len()).map(|p| (code / 3usize.pow(p as u32) % 3) as u8).collect();
    // The mirror exchanges all tracks at once, so a signature and its image have equal classes if the lesser
    // digits represent both.
    if let Some(image) = mirror {
        let image_position = |p: usize| {
            let image_slot = image[usize::from(slots[p])];
            slots.iter().position(|&s| s == image_slot).expect("mirror slots are listed together")
        };
        let mirrored: Vec<u8> = (0..slots.len()).map(|p| digits[image_position(p)]).collect();
        digits = digits.min(mirrored);
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirror_images_have_equal_class_digits() {
        let slots = [4, 5, 8];
        let mirror: Vec<Slot> = vec![1, 0, 3, 2, 5, 4, 7, 6, 8];
        let classes: Vec<Vec<u8>> = (0..27).map(|code| class_digits(&slots, Some(&mirror), code)).collect();
        for code in 0..27 {
            let exchanged = code / 9 * 9 + code % 3 * 3 + code / 3 % 3;
            assert_eq!(classes[code], classes[exchanged]);
        }
        let mut distinct = classes;
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), 18);
    }
}
