//! Numbers before squares, which must count squares, moves or lines.
//!
//! ```text
//! 1. a1 2. b3 3. c5        one more for each square, or for each move, or for each line;
//! 1. a1 b3 2. c5 d7        `1... b3` is the second half of a move
//! 1. a1 b3 c5 d7           or one more for each square between the numbers
//! 5. f8
//! ```

use crate::tour::read_error::ReadErrorKind;

/// A number of a tour by names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MoveNumber {
    pub(super) number: u64,
    /// Number of squares before the number.
    pub(super) squares_before: usize,
    /// True if the number may equal the one before it, because several points follow it.
    pub(super) may_repeat: bool,
}

/// Checks that the numbers of a tour count.
///
/// # Errors
/// [`ReadErrorKind::MoveNumber`] for the first number that does not.
pub(super) fn check_move_numbers(numbers: &[MoveNumber]) -> Result<(), ReadErrorKind> {
    let Some(first) = numbers.first() else { return Ok(()) };
    let by_one = |pair: &[MoveNumber]| {
        pair[1].number.checked_sub(pair[0].number) == Some(1)
            || pair[1].may_repeat && pair[1].number == pair[0].number
    };
    let by_squares = |pair: &[MoveNumber]| {
        pair[1].number.checked_sub(pair[0].number)
            == Some((pair[1].squares_before - pair[0].squares_before) as u64)
    };
    let first_wrong = |counts: &dyn Fn(&[MoveNumber]) -> bool| {
        let begins = first.squares_before == 0
            || first.number < 2
            || first.number.abs_diff(first.squares_before as u64) < 2;
        let place = numbers.windows(2).position(|pair| !counts(pair)).map(|at| at + 1);
        if begins { place } else { Some(0) }
    };
    match (first_wrong(&by_one), first_wrong(&by_squares)) {
        (Some(a), Some(b)) => {
            let MoveNumber { number, squares_before, .. } = numbers[a.max(b)];
            Err(ReadErrorKind::MoveNumber { number, square: squares_before + 1 })
        }
        _ => Ok(()),
    }
}

/// Returns true if squares are moves, two squares each, of which each begins where the one before it ended.
pub(super) fn is_chain_of_moves<T: PartialEq>(squares: &[T]) -> bool {
    let is_even = squares.len() > 3 && squares.len().is_multiple_of(2);
    is_even && squares[1..].chunks_exact(2).all(|pair| pair[0] == pair[1])
}

/// Splits off the last number if no square follows it and it counts none: each other number precedes a square.
pub(super) fn split_last_number(
    numbers: &[MoveNumber],
    squares: usize,
) -> (&[MoveNumber], Option<MoveNumber>) {
    match numbers {
        [rest @ .., last] if last.squares_before == squares && squares > 0 => {
            let follows =
                rest.len() + 1 == squares && rest.first().is_none_or(|first| first.squares_before == 1);
            if follows { (numbers, None) } else { (rest, Some(*last)) }
        }
        _ => (numbers, None),
    }
}
