//! Signatures: the degrees on the frontier, without who is whose mate.
//!
//! A signature gives every slot a digit: 0 *bare* (or empty slot), 1 *end*,
//! 2 *inner*. Signatures are numbered in base 3; sets of them are bit tables,
//! 81 signatures (slots 0 to 3) to a *word*, words numbered by the outer slots:
//!
//! ```text
//! slot      5 4 | 3 2 1 0
//! digit     2 1 | 0 0 1 2        word 2*3 + 1 = 7, bit 1*3 + 2 = 5
//! ```
//!
//! Processing a vertex changes only the digits of its own slot and of its later
//! neighbours' slots. Each way of doing it, a [`Choice`], therefore moves a
//! signature by a constant distance, and a whole word by a constant distance and
//! a shift. [`Moves`] lists, for every combination of the touched outer digits,
//! the choices that lead there (or lead on from there).

use crate::frontier::problem::plan::Step;
use crate::frontier::problem::slot::{INNER, Slot};

/// Bits of a word in use: `3^INNER`.
pub const WORD_BITS: usize = 81;

/// The bits of a word in use.
pub const WORD_MASK: u128 = (1 << WORD_BITS) - 1;

/// `ENDS_IN[bit]`: which of the slots 0..4 have digit 1.
pub const ENDS_IN: [u8; WORD_BITS] = {
    let mut ends = [0; WORD_BITS];
    let mut bit = 0;
    while bit < WORD_BITS {
        let mut rest = bit;
        let mut slot = 0;
        while slot < INNER {
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
pub const BITS_WITH_ENDS: [u128; INNER + 1] = {
    let mut masks = [0; INNER + 1];
    let mut bit = 0;
    while bit < WORD_BITS {
        masks[ENDS_IN[bit].count_ones() as usize] |= 1 << bit;
        bit += 1;
    }
    masks
};

/// What a choice does to the matching of the ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Keep,
    /// The end in slot `from` goes to slot `to`.
    Move {
        /// Slot before.
        from: Slot,
        /// Slot after.
        to: Slot,
    },
    /// The ends in two slots are joined and both stop being ends.
    Contract {
        /// The lower slot.
        low: Slot,
        /// The higher slot.
        high: Slot,
    },
    /// Two bare squares become ends and mates.
    Create {
        /// The lower slot.
        low: Slot,
        /// The higher slot.
        high: Slot,
    },
}

/// One way of giving a vertex its final degree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What happens to the matching.
    pub effect: Effect,
    /// Slots that must have a certain digit before, and the digit after.
    pub digits: Vec<(Slot, u8, u8)>,
    /// Product of the factors of the edges chosen.
    pub factor: i32,
}

/// All choices of a step.
#[must_use]
pub fn choices(step: &Step) -> Vec<Choice> {
    let mut all = Vec::new();
    let later = &step.later;
    for degree in if step.slot.is_some() { 0..=2u8 } else { 0..=0 } {
        let subsets: Vec<Vec<usize>> = match degree {
            2 => vec![vec![]],
            1 => (0..later.len()).map(|a| vec![a]).collect(),
            _ => (0..later.len()).flat_map(|a| (a + 1..later.len()).map(move |b| vec![a, b])).collect(),
        };
        for chosen in subsets {
            if step.compulsory.is_some_and(|slot| chosen.iter().all(|&a| later[a].slot != slot)) {
                continue;
            }
            // Each chosen neighbour was bare or, unless just touched, an end.
            let mut befores: Vec<Vec<u8>> = vec![vec![]];
            for &a in &chosen {
                let options = if later[a].fresh { 0..=0 } else { 0..=1 };
                befores = befores
                    .into_iter()
                    .flat_map(|list| options.clone().map(move |d| [list.clone(), vec![d]].concat()))
                    .collect();
            }
            for before in befores {
                all.push(choice(step, degree, &chosen, &before));
            }
        }
    }
    all
}

fn choice(step: &Step, degree: u8, chosen: &[usize], before: &[u8]) -> Choice {
    let slots: Vec<Slot> = chosen.iter().map(|&a| step.later[a].slot).collect();
    let sorted = |a: Slot, b: Slot| (a.min(b), a.max(b));
    let effect = match (degree, before) {
        (1, [0]) => Effect::Move { from: step.slot.expect("an end has a slot"), to: slots[0] },
        (0, [1, 0]) => Effect::Move { from: slots[0], to: slots[1] },
        (0, [0, 1]) => Effect::Move { from: slots[1], to: slots[0] },
        (1, _) => {
            let (low, high) = sorted(step.slot.expect("an end has a slot"), slots[0]);
            Effect::Contract { low, high }
        }
        (0, [1, 1]) => {
            let (low, high) = sorted(slots[0], slots[1]);
            Effect::Contract { low, high }
        }
        (0, _) => {
            let (low, high) = sorted(slots[0], slots[1]);
            Effect::Create { low, high }
        }
        _ => Effect::Keep,
    };
    let mut digits: Vec<(Slot, u8, u8)> = Vec::new();
    for (&slot, (&a, &d)) in slots.iter().zip(chosen.iter().zip(before)) {
        // A newcomer in the vertex's own slot takes over from it.
        let d_before = if step.later[a].fresh && step.slot == Some(slot) { degree } else { d };
        digits.push((slot, d_before, d + 1));
    }
    if let Some(slot) = step.slot.filter(|slot| !slots.contains(slot)) {
        digits.push((slot, degree, 0));
    }
    let factor = chosen.iter().map(|&a| step.later[a].factor).product();
    Choice { effect, digits, factor }
}

/// How words are numbered: outer slots, split into a high part (the *chunk*) and a low part.
#[derive(Clone, Debug)]
pub struct Words {
    slots: usize,
    low_digits: usize,
    low_len: usize,
    high_len: usize,
    /// Ends in the outer slots, by low and by high part.
    low_ends: Vec<u32>,
    high_ends: Vec<u32>,
}

impl Words {
    /// The numbering for `slots >= INNER` slots.
    #[must_use]
    pub fn new(slots: usize) -> Self {
        let outer = slots - INNER;
        // Even, so that a track (two slots) is not cut by the edge of a chunk.
        let low_digits = (outer.saturating_sub(6) & !1).clamp(outer.min(2) & !1, 8);
        let high_digits = outer - low_digits;
        let ends = |digits: usize, first: usize| -> Vec<u32> {
            by_digits(digits, |place, digit| if digit == 1 { 1u32 << (first + place) } else { 0 })
        };
        Self {
            slots,
            low_digits,
            low_len: 3usize.pow(low_digits as u32),
            high_len: 3usize.pow(high_digits as u32),
            low_ends: ends(low_digits, INNER),
            high_ends: ends(high_digits, INNER + low_digits),
        }
    }

    /// Number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.low_len * self.high_len
    }

    /// Words in a chunk.
    #[must_use]
    pub fn chunk_len(&self) -> usize {
        self.low_len
    }

    /// Number of chunks.
    #[must_use]
    pub fn chunks(&self) -> usize {
        self.high_len
    }

    /// Outer slots that are ends, for the word of the given chunk and place in it.
    #[inline(always)]
    #[must_use]
    pub fn outer_ends(&self, high: usize, low: usize) -> u32 {
        self.high_ends[high] | self.low_ends[low]
    }

    /// Tables `(by high part, by low part)` of a quantity that is a sum over the outer digits.
    #[must_use]
    pub fn tables(&self, value: impl Fn(usize, u32) -> u32) -> (Vec<u32>, Vec<u32>) {
        let high_digits = self.slots - INNER - self.low_digits;
        let low = by_digits(self.low_digits, |place, digit| value(INNER + place, digit));
        let high = by_digits(high_digits, |place, digit| value(INNER + self.low_digits + place, digit));
        (high, low)
    }

    /// Change of (chunk, place in the chunk) when the digit of an outer slot grows by one.
    #[must_use]
    pub fn stride(&self, slot: usize) -> (i32, i32) {
        let place = slot - INNER;
        if place < self.low_digits {
            (0, 3i32.pow(place as u32))
        } else {
            (3i32.pow((place - self.low_digits) as u32), 0)
        }
    }

    /// Word number and bit of the signature with these digits.
    #[must_use]
    pub fn locate(&self, digits: impl Fn(usize) -> u32) -> (usize, u32) {
        let mut word = 0;
        for slot in (INNER..self.slots).rev() {
            word = word * 3 + digits(slot) as usize;
        }
        (word, (0..INNER).rev().fold(0, |bit, slot| bit * 3 + digits(slot)))
    }
}

/// For every number of `digits` ternary digits the sum of `value(place, digit)`.
fn by_digits(digits: usize, value: impl Fn(usize, u32) -> u32) -> Vec<u32> {
    let mut sums = vec![0];
    for place in 0..digits {
        sums = (0..3)
            .flat_map(|digit| {
                let more = value(place, digit);
                sums.iter().map(move |&sum| sum + more).collect::<Vec<_>>()
            })
            .collect();
    }
    sums
}

/// A choice seen from one word: where the other word is, and which bits can take it.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// Distance to the other word's chunk.
    pub high: i32,
    /// Distance to the other word's place in its chunk.
    pub low: i32,
    /// The other bit is this bit plus `shift`.
    pub shift: i32,
    /// Bits of this word whose inner digits permit the choice.
    pub bits: u128,
    /// What happens to the matching, source to target.
    pub effect: Effect,
    /// What the weights are multiplied by.
    pub factor: i32,
}

impl Move {
    /// The other word's set, brought to this word's bits.
    #[inline(always)]
    #[must_use]
    pub fn pull(&self, other: u128) -> u128 {
        (if self.shift >= 0 { other >> self.shift } else { other << -self.shift }) & self.bits
    }
}

/// Which end of a step a list of moves is seen from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// From the state before the step, to its successors.
    Source,
    /// From the state after the step, back to its predecessors.
    Target,
}

/// The moves of a step from every combination of the touched outer digits.
#[derive(Debug)]
pub struct Moves {
    high: Vec<u32>,
    low: Vec<u32>,
    lists: Vec<Vec<Move>>,
    /// The part of a chunk's number that the step does not touch.
    untouched: Vec<u32>,
    /// Distances to other chunks, by entry of `high`.
    distances: Vec<Vec<i32>>,
}

impl Moves {
    /// Lists the moves of a step seen from `side`.
    #[must_use]
    pub fn new(words: &Words, step: &Step, side: Side) -> Self {
        let mut all = choices(step);
        all.retain(|choice| choice.factor != 0);
        let mut touched: Vec<Slot> = all.iter().flat_map(|c| c.digits.iter().map(|d| d.0)).collect();
        touched.sort_unstable();
        touched.dedup();
        touched.retain(|&slot| usize::from(slot) >= INNER);
        let weight = |slot: usize| {
            touched.iter().position(|&s| usize::from(s) == slot).map_or(0, |p| 3u32.pow(p as u32))
        };
        let (high, low) = words.tables(|slot, digit| weight(slot) * digit);
        let lists: Vec<Vec<Move>> = (0..3usize.pow(touched.len() as u32))
            .map(|combination| {
                let digit = |slot: Slot| {
                    let p = touched.iter().position(|&s| s == slot).expect("a touched slot");
                    (combination / 3usize.pow(p as u32) % 3) as u8
                };
                all.iter().filter_map(|choice| compile(words, choice, side, &digit)).collect()
            })
            .collect();
        let place = |slot: usize| words.stride(slot).0 as u32;
        let free = |slot: usize| touched.iter().all(|&s| usize::from(s) != slot);
        let untouched = words.tables(|slot, digit| if free(slot) { place(slot) * digit } else { 0 }).0;
        let mut distances: Vec<Vec<i32>> = vec![Vec::new(); lists.len()];
        let mut lows = low.clone();
        lows.sort_unstable();
        lows.dedup();
        let mut highs = high.clone();
        highs.sort_unstable();
        highs.dedup();
        for &h in &highs {
            let mut all: Vec<i32> =
                lows.iter().flat_map(|l| lists[(h + l) as usize].iter().map(|m| m.high)).collect();
            all.sort_unstable();
            all.dedup();
            distances[h as usize] = all;
        }
        Self { high, low, lists, untouched, distances }
    }

    /// The part of a chunk's number that the step does not touch.
    #[must_use]
    pub fn untouched(&self, high: usize) -> u32 {
        self.untouched[high]
    }

    /// Numbers of the chunks at the other end of a chunk's moves, ascending.
    #[must_use]
    pub fn chunks(&self, high: usize) -> Vec<usize> {
        self.distances[self.high[high] as usize].iter().map(|d| (high as i32 + d) as usize).collect()
    }

    /// The moves open to the word of the given chunk and place in it.
    #[inline(always)]
    #[must_use]
    pub fn of(&self, high: usize, low: usize) -> &[Move] {
        &self.lists[(self.high[high] + self.low[low]) as usize]
    }
}

fn compile(words: &Words, choice: &Choice, side: Side, digit: &impl Fn(Slot) -> u8) -> Option<Move> {
    let mut result =
        Move { high: 0, low: 0, shift: 0, bits: WORD_MASK, effect: choice.effect, factor: choice.factor };
    for &(slot, before, after) in &choice.digits {
        let (here, there) = if side == Side::Source { (before, after) } else { (after, before) };
        let delta = i32::from(there) - i32::from(here);
        if usize::from(slot) >= INNER {
            if digit(slot) != here {
                return None;
            }
            let (high, low) = words.stride(usize::from(slot));
            result.high += delta * high;
            result.low += delta * low;
        } else {
            let place = 3usize.pow(u32::from(slot));
            result.shift += delta * place as i32;
            for bit in (0..WORD_BITS).filter(|bit| bit / place % 3 != usize::from(here)) {
                result.bits &= !(1 << bit);
            }
        }
    }
    Some(result)
}
