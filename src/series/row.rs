//! A row of a series: one board and its counts.
//!
//! The numbers follow from those of closed tours and of paths: the number of open tours is the number of
//! paths without the re-entrant paths.

use num_bigint::BigUint;

use super::board_range::{BoardLine, SeriesRules};
use crate::board::Rectangle;
use crate::count::theorems::{self, TheoremViolation};
use crate::count::{Counts, Sums, ValidatedRequest};
use crate::frontier::ResidueRing;
use crate::tour::Kind;

/// A board of a series and its counts.
#[derive(Clone, Debug)]
pub struct SeriesRow {
    /// The board.
    pub board: Rectangle,
    /// Numbers of undirected tours of the requested kinds, or their residues.
    pub counts: Counts,
    /// The numbers that the sweeps computed: the number of closed tours, and the number of paths.
    sweep_counts: (BigUint, BigUint),
}

impl SeriesRow {
    /// Returns the sums of units that a count of this board alone, by sweeps, would have.
    #[must_use]
    pub fn to_sums(&self, validated: &ValidatedRequest) -> Sums {
        let mut sums = validated.zero_sums();
        (sums.closed, sums.unplaced) = self.sweep_counts.clone();
        sums
    }
}

/// Creates the row of the board of length `length` from its exact numbers of closed tours and
/// paths, and checks the counts against the theorems.
///
/// # Errors
/// The counts contradict a theorem.
pub fn exact_row(
    line: BoardLine,
    rules: &SeriesRules,
    kind: Option<Kind>,
    length: u16,
    (closed, paths): (BigUint, BigUint),
) -> Result<SeriesRow, TheoremViolation> {
    let board = line.board(length);
    let mut counts = Counts::default();
    for requested in Kind::ALL.into_iter().filter(|&one| kind.is_none_or(|kind| kind == one)) {
        *counts.get_mut(requested) = Some(count_of_kind(requested, &board, &closed, &paths)?);
    }
    theorems::check_counts(&rules.to_board(board.clone()), &counts, &[])?;
    Ok(SeriesRow { board, counts, sweep_counts: (closed, paths) })
}

/// Creates the row of the board of length `length` from residues of its numbers of closed tours and
/// paths. The theorems are about exact counts and are not checked.
pub fn residue_row(
    line: BoardLine,
    kind: Option<Kind>,
    length: u16,
    ring: ResidueRing,
    (closed, paths): (BigUint, BigUint),
) -> SeriesRow {
    let board = line.board(length);
    let (closed, paths) = (ring.residue_of(&closed), ring.residue_of(&paths));
    let mut counts = Counts::default();
    for requested in Kind::ALL.into_iter().filter(|&one| kind.is_none_or(|kind| kind == one)) {
        *counts.get_mut(requested) = Some(match requested {
            Kind::Closed => closed.clone(),
            Kind::Paths => paths.clone(),
            Kind::Open => ring.residue_of(&(&paths + ring.negated_residue(&(&closed * board.len())))),
        });
    }
    SeriesRow { board, counts, sweep_counts: (closed, paths) }
}

/// Returns the number of tours of one kind, computed from the numbers of closed tours and of paths.
/// Open tours are the paths that are not re-entrant.
///
/// # Errors
/// There are more re-entrant paths than paths.
fn count_of_kind(
    kind: Kind,
    board: &Rectangle,
    closed: &BigUint,
    paths: &BigUint,
) -> Result<BigUint, TheoremViolation> {
    match kind {
        Kind::Closed => Ok(closed.clone()),
        Kind::Paths => Ok(paths.clone()),
        Kind::Open => {
            let re_entrant = closed * board.len();
            if re_entrant > *paths {
                return Err(TheoremViolation::new(format!(
                    "{board}: {re_entrant} re-entrant paths exceed {paths} paths"
                )));
            }
            Ok(paths - re_entrant)
        }
    }
}
