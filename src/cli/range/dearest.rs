//! The board by which a range is estimated, and what all of its boards take.

use crate::cli::arena::{BoardArg, GroundArgs};
use crate::cli::failure::Failure;
use ktour::board::Board;
use ktour::control::Control;
use ktour::count::{Request, Work};
use ktour::series::{Boards, Line, Play};
use ktour::tour::Kind;
use ktour::words::YEAR;

/// What a count of all boards of a range takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InAll {
    /// The boards that were looked at: all, or those until it was a year.
    pub boards: usize,
    /// Runs: a sweep for a line, or a count for a board.
    pub runs: usize,
    /// Their seconds, one after the other.
    pub seconds: f64,
}

impl InAll {
    /// Adds up lines that one sweep does for, where boards `may` be swept so, and boards by themselves as they are
    /// asked for. Cost: a plan for each, a second at most.
    ///
    /// # Errors
    /// A board that is out of reach.
    pub fn of(
        boards: &Boards,
        (play, may_sweep): (&Play, bool),
        memory: Option<u64>,
        on: &dyn Fn(Board) -> Result<Request, Failure>,
    ) -> Result<Self, Failure> {
        let (mut all, control) = (Self::default(), Control::new());
        for line in boards.lines() {
            let is_one = may_sweep && line.is_one_sweep(play);
            let runs = if is_one { vec![line] } else { line.boards().map(alone).collect() };
            for run in runs {
                let forecast = if is_one {
                    let request = on(run.board(run.last()))?;
                    run.plan_modulo(play, request.kind, request.modulus, memory, &control)?.forecast()
                } else {
                    let work = Work::new(&on(run.board(run.first()))?)?.with_memory(memory);
                    work.outlook(&work.schedule(), &control)?
                };
                all.boards += run.boards().count();
                all.runs += 1;
                all.seconds += forecast.seconds.unwrap_or(f64::INFINITY);
                // More is none of anybody's business.
                if all.seconds > YEAR {
                    return Ok(all);
                }
            }
        }
        Ok(all)
    }
}

/// A board as a line.
fn alone(board: Board) -> Line {
    Line::of_cols(board.rows(), board.cols(), board.cols())
}

/// The board of a range that takes the most: the largest of those that can have a tour.
pub fn dearest(boards: &Boards, ground: &GroundArgs, kind: Kind) -> Result<BoardArg, Failure> {
    let mut all: Vec<BoardArg> = Vec::new();
    let mut by_size: Vec<_> = boards.boards().collect();
    by_size.sort_by_key(|board| (board.rows().min(board.cols()), board.len()));
    all.extend(by_size.into_iter().rev().take(2).map(BoardArg::Flat));
    let largest = ground.on(all.first())?;
    // A closed tour changes colours with every move.
    let has_none = kind == Kind::Closed && largest.len() % 2 == 1 && largest.colours().is_some();
    Ok(all.swap_remove(usize::from(has_none && all.len() > 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_range_the_dearest_board_is_estimated() {
        for (range, board) in [
            ("5x2..60", "5x60"),
            ("2..60x5", "60x5"),
            ("5x2..61", "5x60"),
            ("1..8", "8x8"),
            ("5..7x5..6", "7x6"),
        ] {
            let dearest = dearest(&range.parse().unwrap(), &GroundArgs::default(), Kind::Closed).unwrap();
            assert_eq!(Ok(dearest), board.parse());
        }
    }
}
