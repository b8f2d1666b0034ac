//! Step numbers of squares, rows, records and pairs, which must count, and give the order of the squares of one or more
//! tours.
//!
//! ```text
//! 1 2 3    7 8 9    start 1 2    consecutive numbers: the order is that of the file
//! 3 1 2                          0 to n-1 or 1 to n in another order: the squares are sorted
//! 1 2 3 1 2 3                    numbers that begin again: two tours, unless all are one array
//! 1. a1 b3 2. c5 d7              numbers of names on one line: one more for each number, `1... b3` is the second half
//! 1. a1 b3 c5 d7 5. f8           of a move; or one more for each square between the numbers
//! ```
//!
//! Other numbers are errors. In a table or a list of records, all squares of a tour may share a number: that of the tour.

use crate::tour::read_error::ReadErrorKind;

/// The position of a number that is wrong, and the reason.
pub(super) type StepFault = (usize, String);

/// The positions of the squares of a tour, in order of visits, or the fault of its numbers.
pub(super) type StepOrder = Result<Vec<usize>, StepFault>;

/// Returns the positions of the squares of each tour, in order of visits. Without numbers, there is one tour. The
/// first square of a tour may lack a number; then the others count from 0 or 1. `may_restart` is true if a tour may
/// follow another one. Cost O(n log n) for n numbers.
pub(super) fn order_by_steps(steps: &[Option<u64>], may_restart: bool) -> Vec<StepOrder> {
    if steps.iter().all(Option::is_none) {
        return vec![Ok((0..steps.len()).collect())];
    }
    // The numbers of a tour begin again, or a start without a number follows.
    let begins_again =
        |first: usize, at: usize| steps[first] == steps[at] && steps[at].is_none_or(|step| step < 2);
    let mut begins = vec![0];
    for at in 1..steps.len() {
        let first = begins[begins.len() - 1];
        if may_restart && at > first + 1 && begins_again(first, at) {
            begins.push(at);
        }
    }
    let ends = begins.iter().skip(1).copied().chain([steps.len()]);
    begins.iter().zip(ends).map(|(&first, end)| order_tour(steps, first, end)).collect()
}

/// Returns the order of each tour of [`order_by_steps`], or the first fault.
///
/// # Errors
/// A number is missing, or occurs twice.
pub(super) fn order_all_by_steps(
    steps: &[Option<u64>],
    may_restart: bool,
) -> Result<Vec<Vec<usize>>, StepFault> {
    order_by_steps(steps, may_restart).into_iter().collect()
}

/// Returns the positions of the squares of the tour from `first` to before `end`, in order of visits.
fn order_tour(steps: &[Option<u64>], first: usize, end: usize) -> StepOrder {
    let mut tour: Vec<usize> = (first..end).collect();
    let numbered = &steps[first..end];
    if let Some(at) = numbered.iter().skip(1).position(Option::is_none) {
        return Err((first + at + 1, "a square has no number".to_owned()));
    }
    if numbered[0].is_none() {
        let is_start = matches!(numbered, [_, Some(0 | 1), ..]) && is_consecutive(&numbered[1..]);
        return if is_start { Ok(tour) } else { Err((first, "the first square has no number".to_owned())) };
    }
    if is_consecutive(numbered) {
        return Ok(tour);
    }
    tour.sort_by_key(|&at| steps[at]);
    let least = steps[tour[0]].unwrap_or(0);
    if least > 1 {
        return Err((tour[0], format!("the smallest is {least}")));
    }
    for (expected, &at) in (least..).zip(&tour) {
        let number = steps[at].unwrap_or(0);
        if number < expected {
            return Err((at, format!("{number} occurs twice")));
        }
        if number != expected {
            return Err((at, format!("{expected} is missing")));
        }
    }
    Ok(tour)
}

/// Returns true if each number is one more than the number before it.
fn is_consecutive(steps: &[Option<u64>]) -> bool {
    steps.windows(2).all(|pair| pair[0].is_some_and(|number| number.checked_add(1) == pair[1]))
}

/// Returns the positions of the rows or records of each tour, in order of visits, and true if the numbers are those of
/// the tours: then the first two squares share a number.
pub(super) fn order_records_by_steps(steps: &[Option<u64>], may_restart: bool) -> (Vec<StepOrder>, bool) {
    if !may_restart || !matches!(steps, [Some(a), Some(b), ..] if a == b) {
        return (order_by_steps(steps, may_restart), false);
    }
    let groups = split_by_tour_number(steps);
    (groups.map_or_else(|fault| vec![Err(fault)], |groups| groups.into_iter().map(Ok).collect()), true)
}

/// Returns the positions of the squares of each tour, whose squares share a number: that of the tour.
///
/// # Errors
/// A number is missing, or does not count the tours.
fn split_by_tour_number(steps: &[Option<u64>]) -> Result<Vec<Vec<usize>>, StepFault> {
    let mut groups = vec![vec![0]];
    for (at, pair) in (1..).zip(steps.windows(2)) {
        match (pair[0], pair[1]) {
            (Some(before), Some(number)) if number == before => groups.last_mut().expect("a group").push(at),
            (Some(before), Some(number)) if before.checked_add(1) == Some(number) => groups.push(vec![at]),
            (before, _) => return Err((at, format!("{} occurs more than once", before.unwrap_or(0)))),
        }
    }
    Ok(groups)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_by_steps_sorts_and_splits() {
        let order = |steps: &[u64], may_restart| {
            // 99 stands for no number.
            let steps: Vec<Option<u64>> = steps.iter().map(|&n| Some(n).filter(|&n| n != 99)).collect();
            order_all_by_steps(&steps, may_restart)
        };
        for (steps, expected) in [
            (&[99, 99][..], vec![vec![0, 1]]),
            (&[7, 8, 9], vec![vec![0, 1, 2]]),
            (&[3, 1, 2], vec![vec![1, 2, 0]]),
            (&[99, 1, 2], vec![vec![0, 1, 2]]),
            (&[99, 1, 2, 99, 1, 2], vec![vec![0, 1, 2], vec![3, 4, 5]]),
            (&[1, 2, 3, 1, 3, 2], vec![vec![0, 1, 2], vec![3, 5, 4]]),
            (&[1, 3, 2, 1, 2, 3], vec![vec![0, 2, 1], vec![3, 4, 5]]),
        ] {
            assert_eq!(order(steps, true), Ok(expected), "{steps:?}");
        }
        for (steps, at, reason) in [
            (&[1, 2, 2][..], 2, "2 occurs twice"),
            (&[1, 4, 2], 1, "3 is missing"),
            (&[3, 2, 4], 1, "the smallest is 2"),
            (&[1, 99, 2], 1, "a square has no number"),
            (&[99, 2, 3], 0, "the first square has no number"),
            (&[99, 3, 2], 0, "the first square has no number"),
            (&[99, 99, 1], 1, "a square has no number"),
        ] {
            assert_eq!(order(steps, true), Err((at, reason.to_owned())), "{steps:?}");
        }
        let steps = [1, 2, 3, 1, 2, 4, 1, 2, 3].map(Some);
        let orders = order_by_steps(&steps, true);
        assert!(orders[0].is_ok() && orders[1] == Err((5, "3 is missing".to_owned())) && orders[2].is_ok());
        assert_eq!(split_by_tour_number(&[u64::MAX, 1].map(Some)).unwrap_err().0, 1);
        assert_eq!(order(&[1, 2, 1, 2], false), Err((2, "1 occurs twice".to_owned())));
    }
}
