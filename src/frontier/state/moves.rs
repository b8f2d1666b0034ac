//! A choice changes the digits of a few slots only, so it moves a signature by a constant distance: a word by
//! a constant distance, and its bits by a constant shift. [`StepMoves`] lists, for every combination of
//! digits of the touched outer slots, the choices that lead away from such a word (or lead to it).

use crate::frontier::problem::slot::{SLOTS_PER_WORD, Slot};
use crate::frontier::problem::step::Step;
use crate::frontier::state::choice::{Choice, DigitChange, MatchingOp, choices};
use crate::frontier::state::fold::MirrorFold;
use crate::frontier::state::signature::{BITS_WITH_DIGIT, WORD_MASK};
use crate::frontier::state::words::{OuterDigitSums, WordAddress, WordNumbering};

/// A choice as seen from one word: the distance to the other word, and the bits that allow the choice.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// Distance to the chunk of the other word, in chunks.
    pub chunk_distance: i32,
    /// Distance to the position of the other word in its chunk, in words.
    pub word_distance: i32,
    /// Distance of bits: the other bit is this bit plus `shift`.
    pub shift: i32,
    /// Bits of this word whose inner digits allow the choice.
    pub allowed_bits: u128,
    /// Operation on the matching, from source to target.
    pub operation: MatchingOp,
    /// Factor of the weights.
    pub factor: i32,
}

impl Move {
    /// Returns the set of the other word, shifted to this word's bits and masked.
    #[inline(always)]
    #[must_use]
    pub fn shift_in(&self, other: u128) -> u128 {
        (if self.shift >= 0 { other >> self.shift } else { other << -self.shift }) & self.allowed_bits
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
pub struct StepMoves {
    /// By word, the number of its list of moves.
    list_number: OuterDigitSums,
    lists: Vec<Vec<Move>>,
    /// By chunk, the part of its number that the step does not touch.
    untouched_digits: Vec<u32>,
    /// Distances to other chunks, by `list_number.by_chunk`.
    chunk_distances: Vec<Vec<i32>>,
}

impl StepMoves {
    /// Lists the moves of a step as seen from `side`.
    #[must_use]
    pub fn new(words: &WordNumbering, step: &Step, side: Side) -> Self {
        let mut all = choices(step);
        all.retain(|choice| choice.factor != 0);
        let slots = all.iter().flat_map(|choice| choice.digit_changes.iter().map(|change| change.slot));
        let mut touched: Vec<Slot> = sorted_distinct(slots);
        touched.retain(|&slot| usize::from(slot) >= SLOTS_PER_WORD);
        let weight = |slot: usize| {
            touched.iter().position(|&s| usize::from(s) == slot).map_or(0, |p| 3u32.pow(p as u32))
        };
        let list = words.outer_sums(|slot, digit| weight(slot) * digit);
        let compiled: Vec<CompiledChoice> =
            all.iter().map(|choice| CompiledChoice::compile(words, choice, side)).collect();
        let lists: Vec<Vec<Move>> = (0..3u32.pow(touched.len() as u32))
            .map(|combination| {
                let is_digit = |&(slot, digit): &(Slot, u8)| {
                    let weight = weight(usize::from(slot));
                    combination / weight % 3 == u32::from(digit)
                };
                let is_open = |choice: &&CompiledChoice| choice.outer_digits.iter().all(is_digit);
                compiled.iter().filter(is_open).map(|choice| choice.word_move).collect()
            })
            .collect();
        let place = |slot: usize| words.digit_distance(slot).chunks as u32;
        let free = |slot: usize| touched.iter().all(|&s| usize::from(s) != slot);
        let untouched =
            words.outer_sums(|slot, digit| if free(slot) { place(slot) * digit } else { 0 }).by_chunk;
        let mut distances: Vec<Vec<i32>> = vec![Vec::new(); lists.len()];
        let lows = sorted_distinct(list.by_word.iter().copied());
        for h in sorted_distinct(list.by_chunk.iter().copied()) {
            let moves = lows.iter().flat_map(|l| &lists[(h + l) as usize]);
            distances[h as usize] = sorted_distinct(moves.map(|m| m.chunk_distance));
        }
        Self { list_number: list, lists, untouched_digits: untouched, chunk_distances: distances }
    }

    /// Returns the part of the chunk's number that the step does not touch.
    #[must_use]
    pub fn untouched_digits(&self, chunk: usize) -> u32 {
        self.untouched_digits[chunk]
    }

    /// Returns the numbers of the chunks at the other side of the moves of `chunk`, ascending. With a
    /// fold those of the mirror image are included: a target chunk reads all these chunks.
    #[must_use]
    pub fn reached_chunks(&self, chunk: usize, fold: Option<&MirrorFold>) -> Vec<usize> {
        let mut chunks = Vec::new();
        self.reached_chunks_into(chunk, fold, &mut chunks);
        chunks
    }

    /// Writes the result of [`Self::reached_chunks`] into `chunks`, whose contents are replaced.
    pub fn reached_chunks_into(&self, chunk: usize, fold: Option<&MirrorFold>, chunks: &mut Vec<usize>) {
        chunks.clear();
        let of = |high: usize| {
            let distances = &self.chunk_distances[self.list_number.by_chunk[high] as usize];
            distances.iter().map(move |d| (high as i32 + d) as usize)
        };
        chunks.extend(of(chunk));
        if let Some(fold) = fold {
            chunks.extend(of(fold.chunk_image(chunk)));
            chunks.sort_unstable();
            chunks.dedup();
        }
    }

    /// Returns a number that is equal for target chunks that may read the same sources: the lesser untouched
    /// part of the chunk's number and its image's.
    #[must_use]
    pub fn source_group(&self, chunk: usize, fold: Option<&MirrorFold>) -> u32 {
        let image = fold.map_or(chunk, |fold| fold.chunk_image(chunk));
        self.untouched_digits(chunk).min(self.untouched_digits(image))
    }

    /// Returns all lists of moves, by number.
    #[must_use]
    pub fn lists(&self) -> &[Vec<Move>] {
        &self.lists
    }

    /// Returns the number of the list for the words of one class in `chunk`.
    #[inline(always)]
    #[must_use]
    pub fn list_number(&self, chunk: usize, class: usize) -> usize {
        self.list_number.by_chunk[chunk] as usize + class
    }

    /// Returns the moves of the words of one class in `chunk`.
    #[inline(always)]
    #[must_use]
    pub fn moves_of_class(&self, chunk: usize, class: usize) -> &[Move] {
        &self.lists[self.list_number(chunk, class)]
    }

    /// Groups the words of a chunk by their list, which is equal in every chunk up to the chunk's own part of
    /// its number. Each class has the part that [`Self::list_number`] needs, and the positions of those words
    /// that `is_there` accepts.
    #[must_use]
    pub fn word_classes(&self, is_there: impl Fn(usize) -> bool) -> Vec<(usize, Vec<u32>)> {
        let class = |of: u32| {
            let lows =
                (0..).zip(&self.list_number.by_word).filter(|&(low, &l)| l == of && is_there(low as usize));
            (of as usize, lows.map(|(low, _)| low).collect())
        };
        sorted_distinct(self.list_number.by_word.iter().copied()).into_iter().map(class).collect()
    }

    /// Returns the moves of the word at position `word` of `chunk`.
    #[inline(always)]
    #[must_use]
    pub fn moves_at(&self, chunk: usize, word: usize) -> &[Move] {
        &self.lists[self.list_number.sum(WordAddress { chunk, word }) as usize]
    }
}

/// Returns the distinct items in ascending order.
fn sorted_distinct<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// A choice as a move, with the digits of outer slots that a word must have.
struct CompiledChoice {
    word_move: Move,
    outer_digits: Vec<(Slot, u8)>,
}

impl CompiledChoice {
    fn compile(words: &WordNumbering, choice: &Choice, side: Side) -> Self {
        let mut to = Move {
            chunk_distance: 0,
            word_distance: 0,
            shift: 0,
            allowed_bits: WORD_MASK,
            operation: choice.operation,
            factor: choice.factor,
        };
        let mut outer = Vec::new();
        for &DigitChange { slot, before, after } in &choice.digit_changes {
            let (here, there) = if side == Side::Source { (before, after) } else { (after, before) };
            let delta = i32::from(there) - i32::from(here);
            if usize::from(slot) >= SLOTS_PER_WORD {
                outer.push((slot, here));
                let stride = words.digit_distance(usize::from(slot));
                to.chunk_distance += delta * stride.chunks;
                to.word_distance += delta * stride.words;
            } else {
                to.shift += delta * 3i32.pow(u32::from(slot));
                to.allowed_bits &= BITS_WITH_DIGIT[usize::from(slot)][usize::from(here)];
            }
        }
        Self { word_move: to, outer_digits: outer }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::problem::step::LaterNeighbour;
    use crate::frontier::state::signature::WORD_BITS;

    /// Returns a step of a vertex in slot 1 with neighbours inside the word and outside.
    fn sample_step() -> Step {
        let later = [(0, false), (5, false), (7, true)].map(|(slot, fresh)| LaterNeighbour {
            slot,
            is_first_touch: fresh,
            factor: 1,
        });
        Step {
            vertex: 0,
            slot: Some(1),
            later_neighbours: later.to_vec(),
            stays_on_frontier: false,
            compulsory_slot: None,
            occupied_slots: 0,
            mirror_image: None,
        }
    }

    /// Returns all pairs of signatures, as numbers with all digits, that are joined by the moves as seen from
    /// `side`.
    fn signature_pairs(words: &WordNumbering, side: Side) -> Vec<(usize, usize)> {
        let moves = StepMoves::new(words, &sample_step(), side);
        let mut pairs = Vec::new();
        for word in 0..words.len() {
            let at = words.word_at(word);
            for m in moves.moves_at(at.chunk, at.word) {
                let other = WordAddress {
                    chunk: (at.chunk as i32 + m.chunk_distance) as usize,
                    word: (at.word as i32 + m.word_distance) as usize,
                };
                assert!(moves.reached_chunks(at.chunk, None).contains(&other.chunk));
                for bit in (0..WORD_BITS).filter(|bit| m.allowed_bits >> bit & 1 == 1) {
                    let there = words.number_of(other) * WORD_BITS + (bit as i32 + m.shift) as usize;
                    let here = word * WORD_BITS + bit;
                    pairs.push(if side == Side::Source { (here, there) } else { (there, here) });
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn source_and_target_moves_agree_with_choices() {
        let words = WordNumbering::new(8);
        let forwards = signature_pairs(&words, Side::Source);
        assert!(!forwards.is_empty());
        assert_eq!(forwards, signature_pairs(&words, Side::Target));
        // By brute force: the digits of every choice, one after the other.
        let digit = |number: usize, slot: Slot| (number / 3usize.pow(u32::from(slot)) % 3) as u8;
        let mut naive = Vec::new();
        for number in 0..3usize.pow(8) {
            for choice in choices(&sample_step()) {
                if choice.digit_changes.iter().all(|change| digit(number, change.slot) == change.before) {
                    let moved = choice.digit_changes.iter().fold(number as i64, |moved, change| {
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
