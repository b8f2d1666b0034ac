//! A row of a series: a board of a line and its counts.
//!
//! The counts come from those of closed tours and of paths: open tours are the paths minus the re-entrant
//! ones.

use num_bigint::BigUint;

use super::line::Line;
use super::play::Play;
use crate::board::Board;
use crate::count::theorems::{self, Broken};
use crate::count::{Counts, Question, Sums};
use crate::frontier::Lane;
use crate::tour::Kind;

/// A board of a line and its counts.
#[derive(Clone, Debug)]
pub struct Row {
    /// The board.
    pub board: Board,
    /// Numbers of undirected tours of the requested kinds, or their residues.
    pub counts: Counts,
    /// The numbers that the sweeps returned: closed tours, paths.
    swept: (BigUint, BigUint),
}

impl Row {
    /// Returns the sums that sweeps of this board alone would give.
    #[must_use]
    pub fn sums(&self, question: &Question) -> Sums {
        let mut sums = question.no_sums();
        (sums.closed, sums.unplaced) = self.swept.clone();
        sums
    }
}

/// Creates the row of a board from exact numbers of closed tours and paths, and checks the counts against the
/// theorems.
///
/// # Errors
/// The counts contradict a theorem.
pub fn exact(
    line: Line,
    play: &Play,
    kind: Option<Kind>,
    length: u16,
    (closed, paths): (BigUint, BigUint),
) -> Result<Row, Broken> {
    let board = line.board(length);
    let mut counts = Counts::default();
    for wanted in Kind::ALL.into_iter().filter(|&one| kind.is_none_or(|kind| kind == one)) {
        *counts.get_mut(wanted) = Some(of_kind(wanted, &board, &closed, &paths)?);
    }
    theorems::check(&play.on(board.clone()), &counts, &[])?;
    Ok(Row { board, counts, swept: (closed, paths) })
}

/// Creates the row of a board from residues. No theorem is checked, because the theorems are about exact
/// counts.
pub fn residues(
    line: Line,
    kind: Option<Kind>,
    length: u16,
    lane: Lane,
    (closed, paths): (BigUint, BigUint),
) -> Row {
    let board = line.board(length);
    let (closed, paths) = (lane.of(&closed), lane.of(&paths));
    let mut counts = Counts::default();
    for wanted in Kind::ALL.into_iter().filter(|&one| kind.is_none_or(|kind| kind == one)) {
        *counts.get_mut(wanted) = Some(match wanted {
            Kind::Closed => closed.clone(),
            Kind::Paths => paths.clone(),
            Kind::Open => lane.of(&(&paths + lane.negative(&(&closed * board.len())))),
        });
    }
    Row { board, counts, swept: (closed, paths) }
}

/// Returns the number of tours of one kind; open tours are the paths minus the re-entrant ones.
///
/// # Errors
/// There are more re-entrant paths than paths.
fn of_kind(kind: Kind, board: &Board, closed: &BigUint, paths: &BigUint) -> Result<BigUint, Broken> {
    match kind {
        Kind::Closed => Ok(closed.clone()),
        Kind::Paths => Ok(paths.clone()),
        Kind::Open => {
            let re_entrant = closed * board.len();
            if re_entrant > *paths {
                return Err(Broken::new(format!(
                    "{board}: {re_entrant} re-entrant paths exceed {paths} paths"
                )));
            }
            Ok(paths - re_entrant)
        }
    }
}
