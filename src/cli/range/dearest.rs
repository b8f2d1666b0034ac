//! The estimate of a series: the time of all boards, and the most expensive board, whose details `ktour estimate`
//! prints.

use crate::cli::arena::{BoardArg, GroundArgs};
use crate::cli::failure::Failure;
use ktour::board::Board;
use ktour::control::Control;
use ktour::count::{Request, Work};
use ktour::series::{Boards, Line, Play};
use ktour::tour::Kind;
use ktour::words::YEAR;

/// The estimated time of a whole series.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InAll {
    /// Boards included: all of them, or those until the time exceeds a year.
    pub boards: usize,
    /// Runs: one sweep for a line, or one count for a board.
    pub runs: usize,
    /// Seconds of all runs, one after the other.
    pub seconds: f64,
}

impl InAll {
    /// Estimates a series. If `can_sweep`, lines that one sweep can count are one run; other boards are
    /// counted one by one, by the request that `request_on` returns. Cost: one plan for each run, a second at
    /// most.
    ///
    /// # Errors
    /// A board is too large for any engine.
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
                // Beyond a year the exact time does not matter.
                if all.seconds > YEAR {
                    return Ok(all);
                }
            }
        }
        Ok(all)
    }
}

/// Returns the line of a single board.
fn alone(board: Board) -> Line {
    Line::of_cols(board.rows(), board.cols(), board.cols())
}

/// Returns the most expensive board of a series: the largest that can have a tour of the kind.
pub fn dearest(boards: &Boards, ground: &GroundArgs, kind: Kind) -> Result<BoardArg, Failure> {
    let mut all: Vec<BoardArg> = Vec::new();
    let mut by_size: Vec<_> = boards.boards().collect();
    by_size.sort_by_key(|board| (board.rows().min(board.cols()), board.len()));
    all.extend(by_size.into_iter().rev().take(2).map(BoardArg::Flat));
    let largest = ground.on(all.first())?;
    // Every move changes the colour of the square, so an odd number of squares has no closed tour.
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
