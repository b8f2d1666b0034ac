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
use super::signature_table::{Row, SignatureTable};
use super::space::{ROW_WORDS, WordNumbering};
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
    /// Distance from the position of the word in its row to the other word in the [`Window`].
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
    /// Range of the `distance` fields of all entries, widened to include 0, so that the position of a word is in the
    /// window, too.
    distance_range: (isize, isize),
}

/// The other rows of the moves into a row, one after the other in the order of their distances.
pub type Window = Vec<u128>;

/// A class of words: the positions in a row of words that have equal lists of moves, in every row.
#[derive(Debug)]
struct WordClass {
    /// Part of the number of the class's list that depends on the position in the row.
    list_part: usize,
    /// Positions in a row of the first words of pairs of adjacent words.
    pairs: Vec<u32>,
    /// Positions in a row of the words that are in no pair.
    singles: Vec<u32>,
    /// The words of the class lie, in each row, between these two positions (inclusive).
    #[cfg(target_arch = "x86_64")]
    position_range: (usize, usize),
}

/// The moves of a step, compiled for the rows of signature tables.
#[derive(Debug)]
pub struct BitsetStep<'a> {
    moves: &'a StepMoves,
    /// Compiled lists, by list number. Empty if they would take more than [`MAX_COMPILED_BYTES`]:
    /// then hardly any two words share a list.
    lists: Vec<ShiftLists>,
    classes: Vec<WordClass>,
}

impl<'a> BitsetStep<'a> {
    /// Compiles `moves`, those of the numbering of rows `rows`, for the words at the positions in a row that
    /// `is_present` accepts.
    ///
    /// # Errors
    /// [`Cancelled`] if `cancel` is cancelled.
    pub fn new_under(
        rows: &WordNumbering,
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
                lists.push(ShiftLists::new(moves.list(number).iter(), moves.chunk_distances_of_list(number)));
            }
        }
        let classes = moves.word_classes(is_present);
        let classes = classes.iter().filter(|(_, lows)| !lows.is_empty());
        let classes = classes.map(|(number, lows)| WordClass::new(*number, lows)).collect();
        debug_assert!(rows.chunk_len() <= ROW_WORDS);
        Ok(Self { moves, lists, classes })
    }

    /// Fills each word of row `number` with the union of the sets that its moves bring from `others`. Words without
    /// moves keep their value.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn fill_row(&self, number: usize, others: &SignatureTable, window: &mut Window, row: &mut Row) {
        if self.lists.is_empty() {
            return self.fill_row_by_moves(number, others, row);
        }
        window.clear();
        for distance in self.moves.chunk_distances(number) {
            window.extend(others.row((number as i32 + distance) as usize));
        }
        #[cfg(target_arch = "x86_64")]
        if crate::cpu_features::has_avx2() {
            // SAFETY: AVX2 was just detected.
            return unsafe { self.fill_row_avx2(number, window, row) };
        }
        self.fill_row_portable(number, window, row);
    }

    /// Fills a row as [`Self::fill_row`] does, move by move and without compiled lists.
    fn fill_row_by_moves(&self, number: usize, others: &SignatureTable, row: &mut Row) {
        for class in &self.classes {
            let list = self.moves.moves_of_class(number, class.list_part);
            if list.iter().len() == 0 {
                continue;
            }
            for low in class.positions() {
                let other = |m: &Move| {
                    let other_row = others.row((number as i32 + m.chunk_distance) as usize);
                    other_row[(low as i32 + m.word_distance) as usize]
                };
                row[low] = list.iter().fold(0, |all, m| all | m.shift_in(other(m)));
            }
        }
    }

    fn fill_row_portable(&self, number: usize, window: &[u128], row: &mut Row) {
        for class in &self.classes {
            let list = &self.lists[self.moves.list_number(number, class.list_part)];
            if list.is_empty() {
                continue;
            }
            for low in class.positions() {
                let other = |pull: &ShiftedSource| window[(low as isize + pull.distance) as usize];
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
                row[low] = all;
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

    /// Yields the positions in a row of all words of the class.
    fn positions(&self) -> impl Iterator<Item = usize> {
        let pairs = self.pairs.iter().flat_map(|&low| [low, low + 1]);
        pairs.chain(self.singles.iter().copied()).map(|low| low as usize)
    }
}

impl ShiftLists {
    /// Compiles a list of moves. `row_distances` has the distances to the rows of the window.
    fn new<'m>(moves: impl Iterator<Item = &'m Move>, row_distances: &[i32]) -> Self {
        let mut list = Self::default();
        for m in moves {
            let row = row_distances.binary_search(&m.chunk_distance).expect("the window has every other row");
            let distance = (row * ROW_WORDS) as isize + m.word_distance as isize;
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
    fn fill_row_agrees_with_single_moves() {
        let rows = WordNumbering::with_rows(10);
        // The last digit inside a word is involved, so that shifts are short and long, up and down.
        for (slot, later) in [(3, [0, 5, 7]), (1, [3, 2, 9]), (6, [3, 4, 8])] {
            let later = later.map(|slot| LaterNeighbour { slot, is_first_touch: slot == 7, factor: 1 });
            let stays_on_frontier = slot == 6;
            let step = Step { stays_on_frontier, ..Step::new(0, Some(slot), later.to_vec()) };
            for side in [Side::Source, Side::Target] {
                let moves = StepMoves::new(&rows, &step, side);
                let step = BitsetStep::new_under(&rows, &moves, |low| low != 5, &Cancel::default()).unwrap();
                let word =
                    |n: usize| (n as u128 + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) >> 47;
                let others = SignatureTable::from_words(&rows, word);
                for number in 0..rows.chunk_count() {
                    let [mut row, mut portable, mut by_moves] = [[0; ROW_WORDS]; 3];
                    let mut window = Window::new();
                    step.fill_row(number, &others, &mut window, &mut row);
                    step.fill_row_portable(number, &window, &mut portable);
                    assert_eq!(row, portable);
                    step.fill_row_by_moves(number, &others, &mut by_moves);
                    assert_eq!(row, by_moves);
                    for (low, &word) in row.iter().enumerate() {
                        let shifted = moves.moves_at(number, low).iter().filter(|_| low != 5).map(|m| {
                            let other = others.row((number as i32 + m.chunk_distance) as usize);
                            m.shift_in(other[(low as i32 + m.word_distance) as usize])
                        });
                        assert_eq!(word, shifted.fold(0, |all, bits| all | bits));
                    }
                }
            }
        }
    }
}
