//! A choice changes the digits of a few slots only, so it moves a signature by a constant distance: a word by
//! a constant distance, and its bits by a constant shift. [`StepMoves`] lists, for every combination of
//! digits of the touched outer slots, the choices that lead away from such a word (or lead to it).

use crate::frontier::problem::slot::{INNER, Slot};
use crate::frontier::problem::step::Step;
use crate::frontier::state::choice::{Change, Choice, Effect, choices};
use crate::frontier::state::fold::Fold;
use crate::frontier::state::signature::{BITS_WITH_DIGIT, WORD_MASK};
use crate::frontier::state::words::{At, OuterSums, Words};

/// A choice as seen from one word: the distance to the other word, and the bits that allow the choice.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// Distance to the chunk of the other word, in chunks.
    pub high: i32,
    /// Distance to the position of the other word in its chunk, in words.
    pub low: i32,
    /// Distance of bits: the other bit is this bit plus `shift`.
    pub shift: i32,
    /// Bits of this word whose inner digits allow the choice.
    pub bits: u128,
    /// Operation on the matching, from source to target.
    pub effect: Effect,
    /// Factor of the weights.
    pub factor: i32,
}

impl Move {
    /// Returns the set of the other word, shifted to this word's bits and masked.
    #[inline(always)]
    #[must_use]
    pub fn pull(&self, other: u128) -> u128 {
        (if self.shift >= 0 { other >> self.shift } else { other << -self.shift }) & self.bits
    }
}

/// The side of a step from which moves are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// From the state before the step to its successors.
    Source,
    /// From the state after the step to its predecessors.
    Target,
}

/// The moves of a step, for every combination of digits of the touched outer slots.
#[derive(Debug)]
pub struct Moves {
    /// By word, the number of its list of moves.
    list: OuterSums,
    lists: Vec<Vec<Move>>,
    /// By chunk, the part of its number that the step does not touch.
    untouched: Vec<u32>,
    /// Distances to other chunks, by `list_number.by_chunk`.
    distances: Vec<Vec<i32>>,
}

impl Moves {
    /// Lists the moves of a step as seen from `side`.
    #[must_use]
    pub fn new(words: &Words, step: &Step, side: Side) -> Self {
        let mut all = choices(step);
        all.retain(|choice| choice.factor != 0);
        let slots = all.iter().flat_map(|choice| choice.changes.iter().map(|change| change.slot));
        let mut touched: Vec<Slot> = distinct(slots);
        touched.retain(|&slot| usize::from(slot) >= INNER);
        let weight = |slot: usize| {
            touched.iter().position(|&s| usize::from(s) == slot).map_or(0, |p| 3u32.pow(p as u32))
        };
        let list = words.sums(|slot, digit| weight(slot) * digit);
        let compiled: Vec<Compiled> = all.iter().map(|choice| Compiled::of(words, choice, side)).collect();
        let lists: Vec<Vec<Move>> = (0..3u32.pow(touched.len() as u32))
            .map(|combination| {
                let is_digit = |&(slot, digit): &(Slot, u8)| {
                    let weight = weight(usize::from(slot));
                    combination / weight % 3 == u32::from(digit)
                };
                let is_open = |choice: &&Compiled| choice.outer.iter().all(is_digit);
                compiled.iter().filter(is_open).map(|choice| choice.to).collect()
            })
            .collect();
        let place = |slot: usize| words.stride(slot).high as u32;
        let free = |slot: usize| touched.iter().all(|&s| usize::from(s) != slot);
        let untouched = words.sums(|slot, digit| if free(slot) { place(slot) * digit } else { 0 }).high;
        let mut distances: Vec<Vec<i32>> = vec![Vec::new(); lists.len()];
        let lows = distinct(list.low.iter().copied());
        for h in distinct(list.high.iter().copied()) {
            let moves = lows.iter().flat_map(|l| &lists[(h + l) as usize]);
            distances[h as usize] = distinct(moves.map(|m| m.high));
        }
        Self { list, lists, untouched, distances }
    }

    /// Returns the part of the chunk's number that the step does not touch.
    #[must_use]
    pub fn untouched(&self, high: usize) -> u32 {
        self.untouched[high]
    }

    /// Returns the numbers of the chunks at the other side of the moves of `chunk`, ascending. With a
    /// fold those of the mirror image are included: a target chunk reads all these chunks.
    #[must_use]
    pub fn chunks(&self, high: usize, fold: Option<&Fold>) -> Vec<usize> {
        let mut chunks = Vec::new();
        self.read(high, fold, &mut chunks);
        chunks
    }

    /// Writes the result of [`Self::reached_chunks`] into `chunks`, whose contents are replaced.
    pub fn read(&self, high: usize, fold: Option<&Fold>, chunks: &mut Vec<usize>) {
        chunks.clear();
        let of = |high: usize| {
            let distances = &self.distances[self.list.high[high] as usize];
            distances.iter().map(move |d| (high as i32 + d) as usize)
        };
        chunks.extend(of(high));
        if let Some(fold) = fold {
            chunks.extend(of(fold.chunk(high)));
            chunks.sort_unstable();
            chunks.dedup();
        }
    }

    /// Returns a number that is equal for target chunks that may read the same sources: the lesser untouched
    /// part of the chunk's number and its image's.
    #[must_use]
    pub fn family(&self, high: usize, fold: Option<&Fold>) -> u32 {
        let image = fold.map_or(high, |fold| fold.chunk(high));
        self.untouched(high).min(self.untouched(image))
    }

    /// Returns all lists of moves, by number.
    #[must_use]
    pub fn lists(&self) -> &[Vec<Move>] {
        &self.lists
    }

    /// Returns the number of the list for the words of one class in `chunk`.
    #[inline(always)]
    #[must_use]
    pub fn number(&self, high: usize, class: usize) -> usize {
        self.list.high[high] as usize + class
    }

    /// Returns the moves of the words of one class in `chunk`.
    #[inline(always)]
    #[must_use]
    pub fn list(&self, high: usize, class: usize) -> &[Move] {
        &self.lists[self.number(high, class)]
    }

    /// Groups the words of a chunk by their list, which is equal in every chunk up to the chunk's own part of
    /// its number. Each class has the part that [`Self::list_number`] needs, and the positions of those words
    /// that `is_there` accepts.
    #[must_use]
    pub fn classes(&self, is_there: impl Fn(usize) -> bool) -> Vec<(usize, Vec<u32>)> {
        let class = |of: u32| {
            let lows = (0..).zip(&self.list.low).filter(|&(low, &l)| l == of && is_there(low as usize));
            (of as usize, lows.map(|(low, _)| low).collect())
        };
        distinct(self.list.low.iter().copied()).into_iter().map(class).collect()
    }

    /// Returns the moves of the word at position `word` of `chunk`.
    #[inline(always)]
    #[must_use]
    pub fn of(&self, high: usize, low: usize) -> &[Move] {
        &self.lists[self.list.of(At { high, low }) as usize]
    }
}

/// Returns the distinct items in ascending order.
fn distinct<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// A choice as a move, with the digits of outer slots that a word must have.
struct Compiled {
    to: Move,
    outer: Vec<(Slot, u8)>,
}

impl Compiled {
    fn of(words: &Words, choice: &Choice, side: Side) -> Self {
        let mut to =
            Move { high: 0, low: 0, shift: 0, bits: WORD_MASK, effect: choice.effect, factor: choice.factor };
        let mut outer = Vec::new();
        for &Change { slot, before, after } in &choice.changes {
            let (here, there) = if side == Side::Source { (before, after) } else { (after, before) };
            let delta = i32::from(there) - i32::from(here);
            if usize::from(slot) >= INNER {
                outer.push((slot, here));
                let stride = words.stride(usize::from(slot));
                to.high += delta * stride.high;
                to.low += delta * stride.low;
            } else {
                to.shift += delta * 3i32.pow(u32::from(slot));
                to.bits &= BITS_WITH_DIGIT[usize::from(slot)][usize::from(here)];
            }
        }
        Self { to, outer }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::problem::step::Later;
    use crate::frontier::state::signature::WORD_BITS;

    /// Returns a step of a vertex in slot 1 with neighbours inside the word and outside.
    fn step() -> Step {
        let later = [(0, false), (5, false), (7, true)].map(|(slot, fresh)| Later { slot, fresh, factor: 1 });
        Step {
            vertex: 0,
            slot: Some(1),
            later: later.to_vec(),
            stays: false,
            compulsory: None,
            occupied: 0,
            mirror: None,
        }
    }

    /// Returns all pairs of signatures, as numbers with all digits, that are joined by the moves as seen from
    /// `side`.
    fn pairs(words: &Words, side: Side) -> Vec<(usize, usize)> {
        let moves = Moves::new(words, &step(), side);
        let mut pairs = Vec::new();
        for word in 0..words.len() {
            let at = words.at(word);
            for m in moves.of(at.high, at.low) {
                let other =
                    At { high: (at.high as i32 + m.high) as usize, low: (at.low as i32 + m.low) as usize };
                assert!(moves.chunks(at.high, None).contains(&other.high));
                for bit in (0..WORD_BITS).filter(|bit| m.bits >> bit & 1 == 1) {
                    let there = words.number(other) * WORD_BITS + (bit as i32 + m.shift) as usize;
                    let here = word * WORD_BITS + bit;
                    pairs.push(if side == Side::Source { (here, there) } else { (there, here) });
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn both_sides_of_a_step_see_the_same_moves() {
        let words = Words::new(8);
        let forwards = pairs(&words, Side::Source);
        assert!(!forwards.is_empty());
        assert_eq!(forwards, pairs(&words, Side::Target));
        // By brute force: the digits of every choice, one after the other.
        let digit = |number: usize, slot: Slot| (number / 3usize.pow(u32::from(slot)) % 3) as u8;
        let mut naive = Vec::new();
        for number in 0..3usize.pow(8) {
            for choice in choices(&step()) {
                if choice.changes.iter().all(|change| digit(number, change.slot) == change.before) {
                    let moved = choice.changes.iter().fold(number as i64, |moved, change| {
                        let by = i64::from(change.after) - i64::from(change.before);
                        moved + by * 3i64.pow(u32::from(change.slot))
                    });
                    naive.push((number, moved as usize));
                }
            }
        }
        naive.sort_unstable();
        assert_eq!(forwards, naive);
    }
}
