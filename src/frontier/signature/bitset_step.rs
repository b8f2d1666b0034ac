//! A step on sets of signatures, 81 signatures at a time: each word receives the shifted sets of
//! other words.
//!
//! The digits of a word that the step can change determine the moves of the word. Words that agree
//! on these digits have one list of moves and are processed together, so that consecutive
//! iterations of the loop over moves are equally long. With AVX2, two adjacent words are processed
//! at a time; their lists are equal unless the lowest digit is among the digits that the step can
//! change.

#[cfg(target_arch = "x86_64")]
mod avx2;
use super::moves::{Move, StepMoves};
use super::space::{WordAddress, WordNumbering};
use crate::frontier::planning::cancel::{Cancel, Cancelled};

/// Maximum number of bytes of all compiled lists of moves. Steps of knights' graphs need a few megabytes, those of
/// dense graphs gigabytes.
const MAX_COMPILED_BYTES: usize = 32 << 20;

/// Number of lists to compile between two checks for cancellation.
const LISTS_PER_POLL: usize = 1024;

/// A move into a word: the distance to the other word, and the shift and mask that bring its set of
/// signatures to this word.
#[derive(Clone, Copy, Debug)]
struct ShiftedSource {
    /// Distance to the other word, in words.
    distance: isize,
    shift: u32,
    mask: u128,
}

/// The moves of a list, grouped by the shift that brings the set of the other word to this word.
#[derive(Clone, Debug, Default)]
struct ShiftLists {
    /// Moves with shifts down by up to 63 bits.
    down_shifts: Vec<ShiftedSource>,
    /// Moves with shifts up by up to 63 bits.
    up_shifts: Vec<ShiftedSource>,
    /// Moves with shifts by 64 bits or more, each with true for a shift up.
    long_shifts: Vec<(ShiftedSource, bool)>,
    /// Range of the `distance` fields of all entries, widened to include 0, the distance from a word
    /// to itself.
    distance_range: (isize, isize),
}

/// A class of words: the positions in a chunk of words that have equal lists of moves, in every
/// chunk.
#[derive(Debug)]
struct WordClass {
    /// Part of the number of the class's list that depends on the position in the chunk.
    list_part: usize,
    /// Positions in a chunk of the first words of pairs of adjacent words.
    pairs: Vec<u32>,
    /// Positions in a chunk of the words that are in no pair.
    singles: Vec<u32>,
    /// The words of the class lie, in each chunk, between these two positions (inclusive).
    #[cfg(target_arch = "x86_64")]
    position_range: (usize, usize),
}

/// The moves of a step, compiled for tables of the signature sets of all words.
#[derive(Debug)]
pub struct BitsetStep<'a> {
    words: &'a WordNumbering,
    moves: &'a StepMoves,
    /// Compiled lists, by list number. Empty if they would take more than [`MAX_COMPILED_BYTES`]:
    /// then hardly any two words share a list.
    lists: Vec<ShiftLists>,
    classes: Vec<WordClass>,
    chunk_len: usize,
}

impl<'a> BitsetStep<'a> {
    /// Compiles `moves` for the words at the positions in a chunk that `is_present` accepts.
    ///
    /// # Errors
    /// [`Cancelled`] if `cancel` is cancelled.
    pub fn new_under(
        words: &'a WordNumbering,
        moves: &'a StepMoves,
        is_present: impl Fn(usize) -> bool,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let mut lists = Vec::new();
        let compiled_bytes =
            moves.list_count() * size_of::<ShiftLists>() + moves.member_count() * size_of::<ShiftedSource>();
        if compiled_bytes <= MAX_COMPILED_BYTES {
            for number in 0..moves.list_count() {
                if number % LISTS_PER_POLL == 0 {
                    cancel.check()?;
                }
                lists.push(ShiftLists::new(moves.list(number).iter(), words.chunk_len()));
            }
        }
        let classes = moves.word_classes(is_present);
        let classes = classes.iter().filter(|(_, lows)| !lows.is_empty());
        let classes = classes.map(|(number, lows)| WordClass::new(*number, lows)).collect();
        Ok(Self { words, moves, lists, classes, chunk_len: words.chunk_len() })
    }

    /// Fills each word of chunk `chunk_number` with the union of the sets that its moves bring from `others`,
    /// a table of all words. Words without moves keep their value.
    ///
    /// # Panics
    /// If there is no such chunk, or `chunk` is too short.
    pub fn fill_chunk(&self, chunk_number: usize, others: &[u128], chunk: &mut [u128]) {
        if self.lists.is_empty() {
            return self.fill_chunk_by_moves(chunk_number, others, chunk);
        }
        #[cfg(target_arch = "x86_64")]
        if crate::cpu_features::has_avx2() {
            // SAFETY: AVX2 was just detected.
            return unsafe { self.fill_chunk_avx2(chunk_number, others, chunk) };
        }
        self.fill_chunk_portable(chunk_number, others, chunk);
    }

    /// Fills a chunk as [`Self::fill_chunk`] does, move by move and without compiled lists.
    fn fill_chunk_by_moves(&self, chunk_number: usize, others: &[u128], chunk: &mut [u128]) {
        for class in &self.classes {
            let list = self.moves.moves_of_class(chunk_number, class.list_part);
            if list.iter().len() == 0 {
                continue;
            }
            for low in class.positions() {
                let other = |m: &Move| {
                    let chunk = (chunk_number as i32 + m.chunk_distance) as usize;
                    let word = (low as i32 + m.word_distance) as usize;
                    others[self.words.number_of(WordAddress { chunk, word })]
                };
                chunk[low] = list.iter().fold(0, |all, m| all | m.shift_in(other(m)));
            }
        }
    }

    fn fill_chunk_portable(&self, chunk_number: usize, others: &[u128], chunk: &mut [u128]) {
        let first = (chunk_number * self.chunk_len) as isize;
        for class in &self.classes {
            let list = &self.lists[self.moves.list_number(chunk_number, class.list_part)];
            if list.is_empty() {
                continue;
            }
            for low in class.positions() {
                let here = first + low as isize;
                let other = |pull: &ShiftedSource| others[(here + pull.distance) as usize];
                let mut all = 0;
                for pull in &list.down_shifts {
                    all |= shift_down(other(pull), pull.shift) & pull.mask;
                }
                for pull in &list.up_shifts {
                    all |= shift_up(other(pull), pull.shift) & pull.mask;
                }
                for (pull, is_up) in &list.long_shifts {
                    let other = other(pull);
                    all |= (if *is_up { other << pull.shift } else { other >> pull.shift }) & pull.mask;
                }
                chunk[low] = all;
            }
        }
    }
}

impl WordClass {
    /// Creates a class of list part `number` from the positions `lows`, at least one, in ascending
    /// order.
    fn new(number: usize, lows: &[u32]) -> Self {
        let (mut pairs, mut singles) = (Vec::new(), Vec::new());
        let mut left = lows;
        while let [first, rest @ ..] = left {
            if let [second, more @ ..] = rest
                && *second == first + 1
            {
                pairs.push(*first);
                left = more;
            } else {
                singles.push(*first);
                left = rest;
            }
        }
        Self {
            list_part: number,
            pairs,
            singles,
            #[cfg(target_arch = "x86_64")]
            position_range: (lows[0] as usize, lows[lows.len() - 1] as usize),
        }
    }

    /// Yields the positions in a chunk of all words of the class.
    fn positions(&self) -> impl Iterator<Item = usize> {
        let pairs = self.pairs.iter().flat_map(|&low| [low, low + 1]);
        pairs.chain(self.singles.iter().copied()).map(|low| low as usize)
    }
}

impl ShiftLists {
    fn new<'m>(moves: impl Iterator<Item = &'m Move>, chunk_len: usize) -> Self {
        let mut list = Self::default();
        for m in moves {
            let distance = m.chunk_distance as isize * chunk_len as isize + m.word_distance as isize;
            list.distance_range = (list.distance_range.0.min(distance), list.distance_range.1.max(distance));
            let pull = ShiftedSource { distance, shift: m.shift.unsigned_abs(), mask: m.allowed_bits };
            if pull.shift >= u64::BITS {
                list.long_shifts.push((pull, m.shift < 0));
            } else if m.shift < 0 {
                list.up_shifts.push(pull);
            } else {
                list.down_shifts.push(pull);
            }
        }
        list
    }

    const fn is_empty(&self) -> bool {
        self.down_shifts.is_empty() && self.up_shifts.is_empty() && self.long_shifts.is_empty()
    }
}

/// Splits a set of bits into its lower and its upper half.
#[inline(always)]
const fn halves(set: u128) -> (u64, u64) {
    (set as u64, (set >> 64) as u64)
}

#[inline(always)]
const fn join_halves(low: u64, high: u64) -> u128 {
    low as u128 | (high as u128) << 64
}

/// Returns `set >> shift` for a shift below 64, by shifts of halves.
#[inline(always)]
const fn shift_down(set: u128, shift: u32) -> u128 {
    let (low, high) = halves(set);
    join_halves(low >> shift | high << 1 << (63 - shift), high >> shift)
}

/// Returns `set << shift` for a shift below 64, by shifts of halves.
#[inline(always)]
const fn shift_up(set: u128, shift: u32) -> u128 {
    let (low, high) = halves(set);
    join_halves(low << shift, high << shift | low >> 1 >> (63 - shift))
}

#[cfg(test)]
mod tests {
    use super::super::moves::Side;
    use super::*;
    use crate::frontier::planning::plan::{LaterNeighbour, Step};

    #[test]
    fn shifts_by_halves_equal_shifts_of_the_set() {
        let set = 0x8234_5678_9abc_def1_8234_5678_9abc_def1u128;
        for shift in 0..64 {
            assert_eq!((shift_down(set, shift), shift_up(set, shift)), (set >> shift, set << shift));
        }
    }

    #[test]
    fn fill_chunk_agrees_with_single_moves() {
        let words = WordNumbering::new(10);
        // The last digit inside a word is involved, so that shifts are short and long, up and down.
        for (slot, later) in [(3, [0, 5, 7]), (1, [3, 2, 9]), (6, [3, 4, 8])] {
            let later = later.map(|slot| LaterNeighbour { slot, is_first_touch: slot == 7, factor: 1 });
            let step = Step {
                vertex: 0,
                slot: Some(slot),
                later_neighbours: later.to_vec(),
                stays_on_frontier: slot == 6,
                compulsory_slots: Vec::new(),
                occupied_slots: 0,
                mirror_image: None,
            };
            for side in [Side::Source, Side::Target] {
                let moves = StepMoves::new(&words, &step, side);
                let step = BitsetStep::new_under(&words, &moves, |low| low != 5, &Cancel::default()).unwrap();
                let number =
                    |n: usize| (n as u128 + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) >> 47;
                let others: Vec<u128> = (0..words.len()).map(number).collect();
                for chunk_number in 0..words.chunk_count() {
                    let (mut chunk, mut portable) = (vec![0; words.chunk_len()], vec![0; words.chunk_len()]);
                    step.fill_chunk(chunk_number, &others, &mut chunk);
                    step.fill_chunk_portable(chunk_number, &others, &mut portable);
                    assert_eq!(chunk, portable);
                    let mut by_moves = vec![0; words.chunk_len()];
                    step.fill_chunk_by_moves(chunk_number, &others, &mut by_moves);
                    assert_eq!(chunk, by_moves);
                    for (low, &word) in chunk.iter().enumerate() {
                        let shifted =
                            moves.moves_at(chunk_number, low).iter().filter(|_| low != 5).map(|m| {
                                let at = WordAddress {
                                    chunk: (chunk_number as i32 + m.chunk_distance) as usize,
                                    word: (low as i32 + m.word_distance) as usize,
                                };
                                m.shift_in(others[words.number_of(at)])
                            });
                        assert_eq!(word, shifted.fold(0, |all, bits| all | bits));
                    }
                }
            }
        }
    }
}
