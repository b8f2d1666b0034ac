//! Theorems that every finished count must obey; the program never prints a number that violates one.
//!
//! 1. If every move changes the colour of the square in some two-colouring, and the numbers of squares of the
//!    two colours differ by more than one, there is no tour; if they differ at all, there is no closed tour.
//! 2. The directed paths from the single squares add up to all directed paths.
//! 3. From every square start twice as many re-entrant paths as there are closed tours: cut the tour at the
//!    square, on either side, unless the move is required. Paths whose ends a forbidden move joins are
//!    re-entrant too.
//! 4. A path is fixed by at most one symmetry apart from the identity, and that symmetry reverses it. So
//!    paths come in classes of |G| or |G|/2 and their number is divisible by |G|/2, or by |G| if no path can
//!    be symmetric. The middle move of a symmetric path of an even number of squares is mapped to itself,
//!    which no knight's move on an even x even board is. (With an odd number of squares left after removals,
//!    the middle square may lie on a diagonal.)
//! 5. Closed knight's tours of a full board with even sides can be fixed by a half turn only, or by a quarter
//!    turn if the sides are equal and 2 mod 4; so their number is divisible by 2, and by 4 on squares of side
//!    0 mod 4. A reflection in one axis needs half of one side and the other side odd, so at most one of the
//!    two reflections can fix a tour, and the number is even on every board of unequal sides.
//! 6. Tours with a symmetry come in whole classes. A symmetric path is fixed by no other symmetry, so the
//!    number of symmetric paths is a multiple of |G|/2. By 5, this also holds for closed knight's tours of a
//!    full board of unequal sides. On a square, tours fixed by a quarter turn come in pairs, other tours
//!    fixed by a half turn come in fours, and a half turn that is the square of such a quarter turn preserves
//!    the direction.
//!
//! Theorem 1 requires a two-colourable graph. Theorem 4 requires the group and, for its second part, a
//! knight's rectangle, as do 5 and 6. Theorems 2 and 3 hold on every graph.
//!
//! Sources: 1 and 2 are immediate; 3 to 6 after Jelliss and Knuth, TAOCP 7.2.2.4.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::Zero;

use crate::board::{Board, LeaperBoard, Vertex};
use crate::tour::Kind;

use super::request::{Counts, StartCount};
use super::symmetric::NamedSymmetry;

pub use super::error::TheoremViolation;

/// Checks counts of undirected tours, and the counts of directed tours by start square, against the
/// theorems. `per_start` may be empty.
///
/// # Errors
/// The first theorem that is violated.
pub fn check_counts(
    board: &Board,
    counts: &Counts,
    per_start: &[StartCount],
) -> Result<(), TheoremViolation> {
    let squares = board.len();
    if squares < 3 {
        return Ok(());
    }
    if let Some(colours) = board.colours() {
        check_colours(colours, counts)?;
    }
    let cuts = squares - board.required_moves().len();
    check_re_entrant(board, counts, cuts, "")?;
    check_starts(board, counts, per_start)?;
    let order = board.symmetries().order();
    // A symmetry that reverses a path has order two.
    let excludes_symmetric_paths =
        !order.is_multiple_of(2) || board.leaper_board().is_some_and(excludes_symmetric_path);
    let divisor = if excludes_symmetric_paths { order } else { order / 2 };
    for paths in [&counts.paths, &counts.open].into_iter().flatten() {
        require_divisible("paths", paths, divisor)?;
    }
    if let Some(closed) = &counts.closed {
        require_divisible("closed tours", closed, board.leaper_board().map_or(1, closed_divisor))?;
    }
    Ok(())
}

/// Returns `sum` divided by `by`, for a sum that counts every object `by` times. `what` names the
/// sum in the error.
///
/// # Errors
/// The sum is not divisible by `by`.
pub fn divide_exactly(sum: &BigUint, by: usize, what: &str) -> Result<BigUint, TheoremViolation> {
    let (quotient, remainder) = sum.div_rem(&BigUint::from(by));
    require(remainder.is_zero(), || format!("{what}: {sum} must be divisible by {by}"))?;
    Ok(quotient)
}

/// Checks the number of tours with the symmetry `named`, on a board with `order` symmetries,
/// against the theorems. `sides` are the sides of the board if it is a full knight's board.
/// `quarter` is the number of tours fixed by a quarter turn, if `tours` includes them.
///
/// # Errors
/// The theorem that is violated.
pub fn check_symmetric_count(
    sides: Option<(u16, u16)>,
    order: usize,
    kind: Kind,
    named: NamedSymmetry,
    tours: &BigUint,
    quarter: Option<&BigUint>,
) -> Result<(), TheoremViolation> {
    let description = format!("{} tours with symmetry {}", kind.name(), named.name());
    match (kind, sides) {
        (Kind::Closed, None) => Ok(()),
        (Kind::Closed, Some((rows, cols))) if rows == cols => match (named, quarter) {
            (NamedSymmetry::Rot90, _) => require_divisible(&description, tours, 2),
            (NamedSymmetry::Axial | NamedSymmetry::Diagonal, _) => {
                require(tours.is_zero(), || format!("{tours} {description} were counted on a square"))
            }
            (_, None) => require_divisible(&description, tours, 4),
            (_, Some(quarter)) => {
                require_divisible("tours with symmetry rot90", quarter, 2)?;
                require(quarter <= tours && ((tours - quarter) % 4u32).is_zero(), || {
                    format!(
                        "{tours} {description}, {quarter} of them with rot90: the difference must be divisible by 4"
                    )
                })
            }
        },
        _ => require_divisible(&description, tours, (order / 2).max(1)),
    }
}

/// Checks counts of directed tours with a fixed start or end: the paths that are not open are the
/// closed tours through `start`, each without a move at `start` that is not required.
///
/// # Errors
/// The counts contradict each other.
pub fn check_directed_counts(
    board: &Board,
    start: Option<Vertex>,
    counts: &Counts,
) -> Result<(), TheoremViolation> {
    let Some(start) = start else { return Ok(()) };
    let undirected = counts.closed.as_ref().map(|closed| closed / 2u32);
    check_re_entrant(board, &Counts { closed: undirected, ..counts.clone() }, cuts_at(board, start), "")
}

/// Returns the number of moves of a closed tour at `v` that are not required.
pub(super) fn cuts_at(board: &Board, v: Vertex) -> usize {
    2 - board.required_moves().iter().filter(|&&(a, b)| a == v || b == v).count()
}

/// Checks that the paths that are not open are the closed tours, each without one of `cuts` moves. With
/// forbidden moves there may be more such paths, because a forbidden move may join their ends. `from` names a
/// fixed start in the error.
fn check_re_entrant(board: &Board, counts: &Counts, cuts: usize, from: &str) -> Result<(), TheoremViolation> {
    let (Some(paths), Some(open), Some(closed)) = (&counts.paths, &counts.open, &counts.closed) else {
        return Ok(());
    };
    let expected = open + closed * cuts;
    let is_exact = board.forbidden_moves().is_empty();
    require(if is_exact { *paths == expected } else { *paths >= expected }, || {
        format!("{paths} paths{from} are not {open} open ones + {cuts} x {closed} closed tours")
    })
}

/// Returns true for a knight's board with two even sides and an even number of squares that are not
/// removed. No path on such a board is symmetric.
fn excludes_symmetric_path(rectangle: &LeaperBoard) -> bool {
    let board = rectangle.rectangle();
    rectangle.is_knight_board()
        && board.rows().is_multiple_of(2)
        && board.cols().is_multiple_of(2)
        && board.len().is_multiple_of(2)
}

fn closed_divisor(rectangle: &LeaperBoard) -> usize {
    match rectangle.full_knight_size() {
        None => 1,
        Some((rows, cols)) if rows == cols && rows.is_multiple_of(4) => 4,
        Some(_) => 2,
    }
}

/// Checks that no tours were counted that theorem 1 excludes. `colours` is a two-colouring in which
/// every move changes the colour.
fn check_colours(colours: &[bool], counts: &Counts) -> Result<(), TheoremViolation> {
    let light = colours.iter().filter(|&&light| light).count();
    let difference = light.abs_diff(colours.len() - light);
    let require_zero = |what: &str, count: &Option<BigUint>| {
        require(count.as_ref().is_none_or(Zero::is_zero), || {
            format!("{what} were counted where the colours differ by {difference}")
        })
    };
    if difference > 0 {
        require_zero("closed tours", &counts.closed)?;
    }
    if difference > 1 {
        require_zero("open tours", &counts.open)?;
        require_zero("paths", &counts.paths)?;
    }
    Ok(())
}

fn check_starts(board: &Board, counts: &Counts, per_start: &[StartCount]) -> Result<(), TheoremViolation> {
    if per_start.is_empty() {
        return Ok(());
    }
    for (name, all, pick) in [
        ("paths", &counts.paths, (|c: &Counts| c.paths.clone()) as fn(&Counts) -> Option<BigUint>),
        ("open tours", &counts.open, |c| c.open.clone()),
    ] {
        if let Some(all) = all {
            let sum: BigUint = per_start.iter().filter_map(|start| pick(&start.counts)).sum();
            require(sum == all * 2u32, || {
                format!("directed {name} by start add up to {sum}, not to twice {all}")
            })?;
        }
    }
    for StartCount { vertex, counts: from, .. } in per_start {
        let from_here = Counts { closed: counts.closed.clone(), ..from.clone() };
        let name = format!(" from {}", board.name(*vertex));
        check_re_entrant(board, &from_here, cuts_at(board, *vertex), &name)?;
    }
    Ok(())
}

fn require_divisible(what: &str, count: &BigUint, divisor: usize) -> Result<(), TheoremViolation> {
    require((count % divisor).is_zero(), || format!("{count} {what} must be divisible by {divisor}"))
}

fn require(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), TheoremViolation> {
    if holds { Ok(()) } else { Err(TheoremViolation::new(otherwise())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(closed: Option<u64>, open: Option<u64>, paths: Option<u64>) -> Counts {
        Counts {
            closed: closed.map(BigUint::from),
            open: open.map(BigUint::from),
            paths: paths.map(BigUint::from),
        }
    }

    fn holds(board: &str, counts: &Counts) -> bool {
        check_counts(&board.parse().unwrap(), counts, &[]).is_ok()
    }

    #[test]
    fn check_counts_rejects_wrong_count_of_1996() {
        assert!(!holds("8x8", &counts(Some(33_439_123_484_294), None, None)));
        assert!(holds("8x8", &counts(Some(13_267_364_410_532), None, None)));
    }

    #[test]
    fn check_counts_accepts_published_and_rejects_others() {
        assert!(holds("6x6", &counts(Some(9862), Some(2_963_928), Some(3_318_960))));
        assert!(!holds("6x6", &counts(Some(9862), Some(2_963_928), Some(3_318_968))));
        assert!(!holds("6x6", &counts(Some(9863), None, None)));
        assert!(!holds("6x6", &counts(None, None, Some(3_318_964))));
        assert!(holds("5x5", &counts(Some(0), Some(864), Some(864))));
        assert!(!holds("5x5", &counts(Some(2), None, None)));
        assert!(!holds("5x5", &counts(None, None, Some(866))));
    }

    #[test]
    fn check_symmetric_count_requires_whole_classes() {
        let holds = |sides, order, kind, named, tours: u32, quarter: Option<u32>| {
            let quarter = quarter.map(BigUint::from);
            check_symmetric_count(sides, order, kind, named, &tours.into(), quarter.as_ref()).is_ok()
        };
        let square = |named, tours, quarter| holds(Some((6, 6)), 8, Kind::Closed, named, tours, quarter);
        assert!(square(NamedSymmetry::Rot180, 78, Some(10)) && square(NamedSymmetry::Rot90, 10, None));
        assert!(!square(NamedSymmetry::Rot180, 79, Some(10)) && !square(NamedSymmetry::Rot180, 80, Some(10)));
        assert!(!square(NamedSymmetry::Rot180, 79, Some(11)) && !square(NamedSymmetry::Rot180, 6, Some(10)));
        assert!(!square(NamedSymmetry::Rot90, 11, None) && !square(NamedSymmetry::Axial, 4, None));
        let oblong = |tours| holds(Some((6, 8)), 4, Kind::Closed, NamedSymmetry::Rot180, tours, None);
        assert!(oblong(5634) && !oblong(5635));
        let paths = |tours| holds(None, 8, Kind::Paths, NamedSymmetry::Rot180, tours, None);
        assert!(paths(32) && !paths(34));
        assert!(holds(None, 8, Kind::Closed, NamedSymmetry::Rot180, 5, None));
    }

    #[test]
    fn check_counts_accepts_path_symmetric_in_diagonal() {
        let board = "board=4x4 piece=1,2 remove=a1,a2,a3,b1,b2,b3,b4,c1,c2,c4,d2,d3,d4".parse().unwrap();
        assert!(check_counts(&board, &counts(Some(0), Some(1), Some(1)), &[]).is_ok());
    }

    #[test]
    fn check_counts_requires_sum_over_starts() {
        let board: Board = "3x4".parse().unwrap();
        let total = counts(Some(0), Some(16), Some(16));
        let mut starts: Vec<StartCount> = (0..board.len() as u32)
            .map(|vertex| StartCount { vertex, orbit_size: 4, counts: counts(None, Some(0), Some(0)) })
            .collect();
        starts[0].counts = counts(None, Some(32), Some(32));
        assert!(check_counts(&board, &total, &starts).is_ok());
        starts[1].counts = counts(None, Some(2), Some(2));
        assert!(check_counts(&board, &total, &starts).is_err());
        starts[1].counts = counts(None, Some(0), Some(4));
        assert!(check_counts(&board, &total, &starts).is_err());
    }

    #[test]
    fn check_counts_rejects_tours_excluded_by_colours() {
        let holes = "board=4x4 piece=1,2 remove=a1,d4".parse().unwrap();
        assert!(check_counts(&holes, &counts(None, None, Some(8)), &[]).is_err());
        assert!(check_counts(&holes, &counts(None, None, Some(0)), &[]).is_ok());
    }
}
