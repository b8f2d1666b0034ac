//! The estimate of a series: the time of all boards, and the most expensive board, whose details `ktour estimate`
//! prints.

use crate::cli::args::board::{BoardOptions, BoardSides};
use crate::cli::error::CliError;
use ktour::board::Rectangle;
use ktour::control::Control;
use ktour::count::{Request, WorkPlan};
use ktour::series::{BoardLine, BoardRange, SeriesRules};
use ktour::text_format::YEAR_SECONDS;
use ktour::tour::Kind;

/// The estimated time of a whole series.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeriesEstimate {
    /// Boards included: all of them, or those until the time exceeds a year.
    pub boards: usize,
    /// Runs: one sweep for a line, or one count for a board.
    pub runs: usize,
    /// Seconds of all runs, one after the other.
    pub seconds: f64,
}

impl SeriesEstimate {
    /// Estimates a series. If `can_sweep`, lines that one sweep can count are one run; other boards are
    /// counted one by one, by the request that `request_on` returns. Cost: one plan for each run, a second at
    /// most.
    ///
    /// # Errors
    /// A board is too large for any engine.
    pub fn new(
        boards: &BoardRange,
        (rules, can_sweep): (&SeriesRules, bool),
        memory: Option<u64>,
        request_on: &dyn Fn(Rectangle) -> Result<Request, CliError>,
    ) -> Result<Self, CliError> {
        let (mut total, control) = (Self::default(), Control::new());
        for line in boards.lines() {
            let is_one = can_sweep && line.is_single_sweep(rules);
            let runs = if is_one { vec![line] } else { line.boards().map(single_board_line).collect() };
            for run in runs {
                let forecast = if is_one {
                    let request = request_on(run.board(run.last()))?;
                    run.plan_modulo(rules, request.kind, request.modulus, memory, &control)?.estimate()
                } else {
                    let work = WorkPlan::new(&request_on(run.board(run.first()))?)?.with_memory(memory);
                    work.rough_estimate(&work.schedule(), &control)?
                };
                total.boards += run.boards().count();
                total.runs += 1;
                total.seconds += forecast.seconds.unwrap_or(f64::INFINITY);
                // Beyond a year the exact time does not matter.
                if total.seconds > YEAR_SECONDS {
                    return Ok(total);
                }
            }
        }
        Ok(total)
    }
}

/// Returns the line of a single board.
fn single_board_line(board: Rectangle) -> BoardLine {
    BoardLine::with_varying_cols(board.rows(), board.cols(), board.cols())
}

/// Returns the most expensive board of a series: the largest that can have a tour of the kind.
pub fn most_expensive_board(
    boards: &BoardRange,
    ground: &BoardOptions,
    kind: Kind,
) -> Result<BoardSides, CliError> {
    let mut candidates: Vec<BoardSides> = Vec::new();
    let mut by_size: Vec<_> = boards.boards().collect();
    by_size.sort_by_key(|board| (board.rows().min(board.cols()), board.len()));
    candidates.extend(by_size.into_iter().rev().take(2).map(BoardSides::Rectangle));
    let largest = ground.to_board(candidates.first())?;
    // Every move changes the colour of the square, so an odd number of squares has no closed tour.
    let has_none = kind == Kind::Closed && largest.len() % 2 == 1 && largest.colours().is_some();
    Ok(candidates.swap_remove(usize::from(has_none && candidates.len() > 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_expensive_board_can_have_a_tour() {
        for (range, board) in [
            ("5x2..60", "5x60"),
            ("2..60x5", "60x5"),
            ("5x2..61", "5x60"),
            ("1..8", "8x8"),
            ("5..7x5..6", "7x6"),
        ] {
            let dearest =
                most_expensive_board(&range.parse().unwrap(), &BoardOptions::default(), Kind::Closed)
                    .unwrap();
            assert_eq!(Ok(dearest), board.parse());
        }
    }
}
