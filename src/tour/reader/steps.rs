//! Step numbers of rows, records and pairs, which give the order of the squares of one or more tours.
//!
//! ```text
//! 1 2 3    7 8 9    start 1 2    consecutive numbers: the order is that of the file
//! 3 1 2                          0 to n-1 or 1 to n in another order: the squares are sorted
//! 1 2 3 1 2 3                    numbers that begin again: two tours, unless all are one array
//! ```
//!
//! All other numbers are rejected.

/// The position of a number that is wrong, and the reason.
pub(super) type StepFault = (usize, String);

/// Returns the positions of the squares of each tour, in order of visits. Without numbers, there is one tour. The
/// first square of a tour may lack a number; then the others count from 0 or 1. `may_restart` is true if a tour may
/// follow another one.
///
/// # Errors
/// A number is missing, repeated or too large.
pub(super) fn order_by_steps(steps: &[Option<u64>], may_restart: bool) -> Result<Vec<Vec<usize>>, StepFault> {
    if steps.iter().all(Option::is_none) {
        return Ok(vec![(0..steps.len()).collect()]);
    }
    let begins_without = steps[0].is_none();
    let mut tours: Vec<Vec<usize>> = Vec::new();
    for (at, &step) in steps.iter().enumerate() {
        let begins = tours.last().is_none_or(|tour| {
            let first = steps[tour[0]];
            let is_restart = match step {
                None => begins_without,
                Some(step) => step < 2 && first == Some(step) && is_consecutive(&steps[tour[0]..at]),
            };
            may_restart && is_restart && tour.len() > 1
        });
        match tours.last_mut() {
            Some(tour) if !begins && step.is_some() => tour.push(at),
            Some(_) if !begins => return Err((at, "a square has no number".to_owned())),
            _ => tours.push(vec![at]),
        }
    }
    tours.into_iter().map(|tour| order_tour(steps, tour)).collect()
}

/// Returns the positions of the squares of one tour, in order of visits.
fn order_tour(steps: &[Option<u64>], mut tour: Vec<usize>) -> Result<Vec<usize>, StepFault> {
    let first = tour[0];
    let numbered = &steps[first..first + tour.len()];
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
        if number + 1 == expected {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_by_steps_sorts_and_splits() {
        let order = |steps: &[u64], may_restart| {
            // 99 stands for no number.
            let steps: Vec<Option<u64>> = steps.iter().map(|&n| Some(n).filter(|&n| n != 99)).collect();
            order_by_steps(&steps, may_restart)
        };
        for (steps, expected) in [
            (&[99, 99][..], vec![vec![0, 1]]),
            (&[7, 8, 9], vec![vec![0, 1, 2]]),
            (&[3, 1, 2], vec![vec![1, 2, 0]]),
            (&[99, 1, 2], vec![vec![0, 1, 2]]),
            (&[99, 1, 2, 99, 1, 2], vec![vec![0, 1, 2], vec![3, 4, 5]]),
            (&[1, 2, 3, 1, 3, 2], vec![vec![0, 1, 2], vec![3, 5, 4]]),
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
        assert_eq!(order(&[1, 2, 1, 2], false), Err((2, "1 occurs twice".to_owned())));
    }
}
