//! The moves between words of signatures that the choices of a step are compiled into.
//!
//! A [choice](Choice) changes the digits of a few slots only, so it moves a signature by a constant distance:
//! a word by a constant distance, and its bits by a constant shift. [`StepMoves`] lists, for every
//! combination of digits of the touched outer slots, the choices that lead away from such a word
//! (or lead to it).

use super::choice::{Choice, DigitChange, MatchingOp, choices};
use super::member_lists::MemberLists;
use super::mirror_fold::MirrorFold;
use super::space::{BITS_WITH_DIGIT, OuterDigitSums, WORD_MASK, WordAddress, WordNumbering};
use crate::frontier::planning::cancel::{Cancel, Cancelled};
use crate::frontier::planning::plan::Step;
use crate::frontier::planning::slots::{SLOTS_PER_WORD, Slot};

/// A choice as seen from one word of signatures: the distance to the other word, and the bits that
/// allow the choice.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// Distance to the chunk of the other word, in chunks.
    pub chunk_distance: i32,
    /// Distance to the position of the other word in its chunk, in words.
    pub word_distance: i32,
    /// Distance to the bit of the other signature: the other bit is this bit plus `shift`.
    pub shift: i32,
    /// Bits of this word whose digits in the inner slots (0 to 3) allow the choice.
    pub allowed_bits: u128,
    /// Operation on the matching, from the state before the step to the state after it.
    pub operation: MatchingOp,
    /// Factor by which the move multiplies weights.
    pub factor: i32,
}

impl Move {
    /// Returns the set `other` of the other word, shifted to the bits of this word and restricted
    /// to the allowed bits.
    #[inline(always)]
    #[must_use]
    pub fn shift_in(&self, other: u128) -> u128 {
        (if self.shift >= 0 { other >> self.shift } else { other << -self.shift }) & self.allowed_bits
    }
}

/// The side of a step from which its moves are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The side before the step: moves lead from a state to its successors.
    Source,
    /// The side after the step: moves lead from a state to its predecessors.
    Target,
}

/// The moves of a step: one list for every combination of digits of the outer slots that the step
/// touches.
#[derive(Debug)]
pub struct StepMoves {
    /// For each word, the number of its list of moves.
    list_number: OuterDigitSums,
    /// The moves of all choices, in the order of the choices.
    moves: Vec<Move>,
    /// The lists of indices into `moves`, by list number.
    lists: MemberLists,
    /// For each chunk, the part of its number that the step does not touch.
    untouched_digits: Vec<u32>,
    /// Distances to the other chunks of the moves of a chunk, by the chunk's part of the list
    /// number divided by `chunk_list_distance`.
    chunk_distances: Vec<Vec<i32>>,
    /// Common divisor of all numbers in `list_number.by_chunk`.
    chunk_list_distance: u32,
}

/// A list of moves, stored as indices into the moves of all choices.
#[derive(Clone, Copy, Debug)]
pub struct MoveList<'a> {
    moves: &'a [Move],
    members: &'a [u16],
}

impl<'a> MoveList<'a> {
    /// Yields the moves, in the order of the choices.
    #[inline(always)]
    pub fn iter(self) -> impl ExactSizeIterator<Item = &'a Move> + Clone {
        let Self { moves, members } = self;
        members.iter().map(move |&number| &moves[usize::from(number)])
    }
}

impl StepMoves {
    /// Lists the moves of a step as seen from `side`, in 3^k lists for k touched outer slots. Cost:
    /// O(members of all lists).
    ///
    /// # Panics
    /// If the step has more than 2^16 choices.
    #[must_use]
    pub fn new(words: &WordNumbering, step: &Step, side: Side) -> Self {
        Self::new_under(words, step, side, &Cancel::default()).expect("the default is never cancelled")
    }

    /// Lists the moves of a step as [`StepMoves::new`] does; `cancel` can cancel it.
    ///
    /// # Errors
    /// [`Cancelled`] if `cancel` is cancelled.
    ///
    /// # Panics
    /// As for [`StepMoves::new`].
    pub fn new_under(
        words: &WordNumbering,
        step: &Step,
        side: Side,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
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
        let admitted_digits = |&slot: &Slot| -> Vec<u8> {
            let required = |choice: &CompiledChoice| {
                choice.outer_digits.iter().find(|&&(other, _)| other == slot).map(|&(_, digit)| digit)
            };
            compiled.iter().map(|choice| required(choice).map_or(0b111, |digit| 1 << digit)).collect()
        };
        cancel.check()?;
        let admitted: Vec<Vec<u8>> = touched.iter().map(admitted_digits).collect();
        let lists = MemberLists::new(&admitted, compiled.len(), cancel)?;
        let place = |slot: usize| words.digit_distance(slot).chunks as u32;
        let free = |slot: usize| touched.iter().all(|&s| usize::from(s) != slot);
        let untouched =
            words.outer_sums(|slot, digit| if free(slot) { place(slot) * digit } else { 0 }).by_chunk;
        let is_of_chunk = |slot: Slot| usize::from(slot) >= words.first_chunk_slot();
        let chunk_list_distance = 3u32.pow(touched.iter().filter(|&&slot| !is_of_chunk(slot)).count() as u32);
        let of_chunk = |choice: &CompiledChoice| -> Vec<(u32, u32)> {
            let digits = choice.outer_digits.iter().filter(|&&(slot, _)| is_of_chunk(slot));
            digits.map(|&(slot, digit)| (weight(slot.into()), u32::from(digit))).collect()
        };
        let chunk_digits: Vec<Vec<(u32, u32)>> = compiled.iter().map(of_chunk).collect();
        let mut distances = Vec::new();
        for number in (0..lists.len() as u32).step_by(chunk_list_distance as usize) {
            cancel.check()?;
            // Every combination of digits of word positions occurs in every chunk.
            let is_open =
                |digits: &[(u32, u32)]| digits.iter().all(|&(weight, digit)| number / weight % 3 == digit);
            let moves = compiled.iter().zip(&chunk_digits).filter(|(_, digits)| is_open(digits));
            distances.push(sorted_distinct(moves.map(|(choice, _)| choice.word_move.chunk_distance)));
        }
        Ok(Self {
            list_number: list,
            moves: compiled.into_iter().map(|choice| choice.word_move).collect(),
            lists,
            untouched_digits: untouched,
            chunk_distances: distances,
            chunk_list_distance,
        })
    }

    /// Returns the part of a chunk's number that the step does not touch.
    #[must_use]
    pub fn untouched_digits(&self, chunk: usize) -> u32 {
        self.untouched_digits[chunk]
    }

    /// Returns a number that is equal for chunks with equal lists of moves, below 2^31.
    #[inline(always)]
    #[must_use]
    pub fn chunk_code(&self, chunk: usize) -> u32 {
        self.list_number.by_chunk[chunk] / self.chunk_list_distance
    }

    /// Returns the distances to the chunks at the other side of the moves of `chunk`, ascending.
    #[inline(always)]
    #[must_use]
    pub fn chunk_distances(&self, chunk: usize) -> &[i32] {
        &self.chunk_distances[self.chunk_code(chunk) as usize]
    }

    /// Returns the distances as [`Self::chunk_distances`] does, of the chunks that have the list with number `list`.
    #[must_use]
    pub fn chunk_distances_of_list(&self, list: usize) -> &[i32] {
        &self.chunk_distances[list / self.chunk_list_distance as usize]
    }

    /// Returns the numbers of the chunks at the other side of the moves of `chunk`, ascending. With
    /// a fold, includes the chunks at the other side of the moves of the mirror image: a target
    /// chunk reads all these chunks.
    #[must_use]
    pub fn reached_chunks(&self, chunk: usize, fold: Option<&MirrorFold>) -> Vec<usize> {
        let mut chunks = Vec::new();
        self.reached_chunks_into(chunk, fold, &mut chunks);
        chunks
    }

    /// Replaces the contents of `chunks` by the result of [`Self::reached_chunks`].
    pub fn reached_chunks_into(&self, chunk: usize, fold: Option<&MirrorFold>, chunks: &mut Vec<usize>) {
        chunks.clear();
        let of = |chunk_number: usize| {
            self.chunk_distances(chunk_number).iter().map(move |d| (chunk_number as i32 + d) as usize)
        };
        chunks.extend(of(chunk));
        if let Some(fold) = fold {
            chunks.extend(of(fold.chunk_image(chunk)));
            chunks.sort_unstable();
            chunks.dedup();
        }
    }

    /// Returns the group of a target chunk: a number that is equal for target chunks that may read
    /// the same source chunks. It is the lesser of the untouched parts of the numbers of the chunk
    /// and of its mirror image.
    #[must_use]
    pub fn source_group(&self, chunk: usize, fold: Option<&MirrorFold>) -> u32 {
        let image = fold.map_or(chunk, |fold| fold.chunk_image(chunk));
        self.untouched_digits(chunk).min(self.untouched_digits(image))
    }

    /// Returns the number of lists of moves of the step.
    #[must_use]
    pub fn list_count(&self) -> usize {
        self.lists.len()
    }

    /// Returns the list of moves with list number `number`.
    #[inline(always)]
    #[must_use]
    pub fn list(&self, number: usize) -> MoveList<'_> {
        MoveList { moves: &self.moves, members: self.lists.list(number) }
    }

    /// Returns the number of the list of moves of the words of `class` in `chunk`.
    #[inline(always)]
    #[must_use]
    pub fn list_number(&self, chunk: usize, class: usize) -> usize {
        self.list_number.by_chunk[chunk] as usize + class
    }

    /// Returns the moves of the words of `class` in `chunk`.
    #[inline(always)]
    #[must_use]
    pub fn moves_of_class(&self, chunk: usize, class: usize) -> MoveList<'_> {
        self.list(self.list_number(chunk, class))
    }

    /// Groups the words of a chunk into classes with equal lists of moves. The classes are the same
    /// in every chunk; the list number of a class is the sum of a part for the chunk and a part for
    /// the class. Returns, for each class, its part and the positions of those of its words that
    /// `is_present` accepts.
    #[must_use]
    pub fn word_classes(&self, is_present: impl Fn(usize) -> bool) -> Vec<(usize, Vec<u32>)> {
        let mut words: Vec<(u32, u32)> = self.list_number.by_word.iter().copied().zip(0..).collect();
        words.sort_unstable();
        let class = |words: &[(u32, u32)]| {
            let lows = words.iter().map(|&(_, low)| low).filter(|&low| is_present(low as usize));
            (words[0].0 as usize, lows.collect())
        };
        words.chunk_by(|a, b| a.0 == b.0).map(class).collect()
    }

    /// Returns the number of members of all lists.
    #[must_use]
    pub fn member_count(&self) -> usize {
        self.lists.member_count()
    }

    /// Returns the moves of the word at the position `word` in `chunk`.
    #[inline(always)]
    #[must_use]
    pub fn moves_at(&self, chunk: usize, word: usize) -> MoveList<'_> {
        self.list(self.list_number.sum(WordAddress { chunk, word }) as usize)
    }
}

/// Returns the distinct items in ascending order.
fn sorted_distinct<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// A choice as a move, with the digits of outer slots that a word must have for the move.
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
                let word_distance = words.digit_distance(usize::from(slot));
                to.chunk_distance += delta * word_distance.chunks;
                to.word_distance += delta * word_distance.words;
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
    use super::super::space::WORD_BITS;
    use super::*;
    use crate::frontier::planning::plan::LaterNeighbour;

    /// Returns a step of a vertex in slot 1. Some neighbours are in inner slots (0 to 3), others in
    /// outer slots.
    fn sample_step() -> Step {
        let later = [(0, false), (5, false), (7, true)].map(|(slot, fresh)| LaterNeighbour {
            slot,
            is_first_touch: fresh,
            factor: 1,
        });
        Step::new(0, Some(1), later.to_vec())
    }

    /// Returns all pairs of signatures that the moves, as seen from `side`, join. A signature is a
    /// number over all digits.
    fn signature_pairs(words: &WordNumbering, side: Side) -> Vec<(usize, usize)> {
        let moves = StepMoves::new(words, &sample_step(), side);
        let mut pairs = Vec::new();
        for word in 0..words.len() {
            let at = words.word_at(word);
            for m in moves.moves_at(at.chunk, at.word).iter() {
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
    fn new_under_returns_cancelled_after_any_poll() {
        let words = WordNumbering::new(8);
        let (never, polls) = Cancel::after_polls(usize::MAX);
        StepMoves::new_under(&words, &sample_step(), Side::Source, &never).unwrap();
        for limit in 0..polls.count() {
            let (cancel, polls) = Cancel::after_polls(limit);
            let made = StepMoves::new_under(&words, &sample_step(), Side::Source, &cancel);
            assert!(made.is_err() && polls.count() == limit + 1);
        }
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
