//! A series of boards: its parts, their sweeps, and the numbers of each board.
//!
//! ```text
//! SeriesJob -> parts -> SeriesPart::Sweep -> plan -> admission by the caller -> sweep -> rows, with numbers up to symmetry
//!                   -> SeriesPart::Board, counted by the caller like a board alone
//! ```

use super::count_job::CountRunError;
use crate::board::Rectangle;
use crate::control::Control;
use crate::count::symmetric::{DistinctCounts, DistinctPlan, UpToSymmetry};
use crate::count::{CountError, Counts, Request};
use crate::frontier::ResidueRing;
use crate::search::unit_runner::Stopped;
use crate::series::{BoardLine, BoardRange, PlannedSeries, SeriesPart, SeriesRow, SeriesRules};
use crate::tour::Kind;

/// A series of boards, and the tours to count on each.
#[derive(Clone, Debug)]
pub struct SeriesJob {
    /// The boards.
    pub boards: BoardRange,
    /// The wrap and the piece of all boards.
    pub rules: SeriesRules,
    /// The kind of the tours; `None` for all kinds.
    pub kind: Option<Kind>,
    /// The modulus of the counts; `None` for exact counts.
    pub modulus: Option<ResidueRing>,
    /// True if tours are also counted up to the symmetries of each board.
    pub distinct: bool,
    /// The memory limit of sweeps in bytes.
    pub memory: Option<u64>,
    /// True if one sweep may count several boards.
    pub can_sweep: bool,
}

impl SeriesJob {
    /// Returns the parts of the series, in the order of the boards.
    #[must_use]
    pub fn parts(&self) -> Vec<SeriesPart> {
        self.boards.parts(&self.rules, self.can_sweep)
    }

    /// Returns the lines whose boards are counted one by one.
    fn unswept_lines(&self) -> impl Iterator<Item = BoardLine> {
        let parts = self.parts();
        self.boards.lines().into_iter().filter(move |&line| !parts.contains(&SeriesPart::Sweep(line)))
    }

    /// Returns the boards that are counted one by one and that `may_have_tours`, in the order of the series. Only these can
    /// be too expensive: the count of a board that has no tours needs nothing, whatever those of smaller boards need.
    #[must_use]
    pub fn boards_to_admit(&self, may_have_tours: impl Fn(&Rectangle) -> bool) -> Vec<Rectangle> {
        self.unswept_lines().flat_map(|line| line.boards()).filter(may_have_tours).collect()
    }

    /// Returns the most expensive of the [`SeriesJob::boards_to_admit`] of every line, its largest board.
    #[must_use]
    pub fn most_expensive_boards(&self, may_have_tours: impl Fn(&Rectangle) -> bool) -> Vec<Rectangle> {
        let most_expensive = |line: BoardLine| {
            let boards: Vec<Rectangle> = line.boards().collect();
            boards.into_iter().rev().find(&may_have_tours)
        };
        self.unswept_lines().filter_map(most_expensive).collect()
    }

    /// Returns the request to count the tours of a board.
    #[must_use]
    pub fn request(&self, board: &Rectangle) -> Request {
        Request { modulus: self.modulus, ..Request::of_kind(self.rules.to_board(board.clone()), self.kind) }
    }

    /// Plans the sweeps of a line.
    ///
    /// # Errors
    /// As for [`BoardLine::plan`].
    pub fn plan(&self, line: &BoardLine, control: &Control) -> Result<PlannedSeries, CountError> {
        line.plan(&self.rules, self.kind, self.modulus, self.memory, control)
    }

    /// Plans the numbers up to symmetry of a board. `None` if they are not requested.
    ///
    /// # Errors
    /// As for [`DistinctPlan::new`].
    pub fn distinct_plan(&self, board: &Rectangle) -> Result<Option<DistinctPlan>, CountError> {
        let plan = || DistinctPlan::new(UpToSymmetry::Distinct, &self.request(board), self.memory, false);
        self.distinct.then(plan).transpose()
    }

    /// Returns the numbers up to symmetry of a board whose tours are counted. Empty if they are not requested. Counts the
    /// board's symmetric tours on quotients, which are small compared to the board.
    ///
    /// # Errors
    /// A count of symmetric tours failed, or the control was cancelled.
    pub fn distinct_counts(
        &self,
        board: &Rectangle,
        counts: &Counts,
        control: &Control,
    ) -> Result<DistinctCounts, CountError> {
        self.distinct_plan(board)?
            .map_or_else(|| Ok(DistinctCounts::default()), |plan| plan.count(counts, control))
    }

    /// Runs the sweeps of a line by `run`, such as [`PlannedSeries::run`] with the same control. Passes each row with its
    /// numbers up to symmetry to `each`, except the first `skipped` rows, which a resumed sweep repeats. The first failure
    /// of a row cancels the control. The symmetric tours of a row are counted in the callback of the sweep, which waits
    /// for them and still holds its layers.
    ///
    /// # Errors
    /// The first failure of a row, otherwise that of the sweeps.
    pub fn sweep<E: From<CountRunError> + Send>(
        &self,
        mut skipped: usize,
        control: &Control,
        run: impl FnOnce(&mut (dyn FnMut(SeriesRow) + Send)) -> Result<(), CountError>,
        each: &mut (dyn FnMut(SeriesRow, DistinctCounts) -> Result<(), E> + Send),
    ) -> Result<(), E> {
        let mut failed = None;
        let mut add_row = |row: SeriesRow| {
            // Rows have no gaps, and only the first failure is reported.
            if failed.is_some() {
                return;
            }
            if skipped > 0 {
                skipped -= 1;
                return;
            }
            let distinct = self.distinct_counts(&row.board, &row.counts, &control.for_side_task());
            // A cancelled control also stops the symmetric counts of this row.
            let distinct =
                distinct.map_err(|error| if control.is_cancelled() { Stopped.into() } else { error });
            let distinct = distinct.map_err(|error| CountRunError::SymmetricPart(error).into());
            if let Err(error) = distinct.and_then(|distinct| each(row, distinct)) {
                failed = Some(error);
                control.cancel();
            }
        };
        let swept = run(&mut add_row);
        failed.map_or(swept.map_err(|error| CountRunError::Units(error).into()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::symmetric::{NamedSymmetry, SymmetryPlan};
    use crate::series;

    fn job(boards: &str, can_sweep: bool) -> SeriesJob {
        SeriesJob {
            boards: boards.parse().unwrap(),
            rules: SeriesRules::default(),
            kind: Some(Kind::Closed),
            modulus: None,
            distinct: false,
            memory: None,
            can_sweep,
        }
    }

    #[test]
    fn boards_without_tours_do_not_decide_about_a_series() {
        let names =
            |boards: Vec<Rectangle>| boards.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let squares = job("6..7x6..8", false);
        let has_quarter_turn = |board: &Rectangle| {
            let plan = SymmetryPlan::new(&squares.request(board), NamedSymmetry::Rot90, None);
            plan.map_or(true, |plan| plan.is_possible())
        };
        assert_eq!(names(squares.boards_to_admit(has_quarter_turn)), "6x6");
        assert_eq!(names(squares.most_expensive_boards(has_quarter_turn)), "6x6");
        let closed = |board: &Rectangle| series::may_have_tours(&board.clone().into(), Kind::Closed);
        assert_eq!(names(job("5..6x6..7", false).boards_to_admit(closed)), "5x6 6x6 6x7");
        assert_eq!(names(job("5..6x6..7", false).most_expensive_boards(closed)), "5x6 6x7");
        assert!(job("5..6x6..7", true).boards_to_admit(closed).is_empty(), "sweeps are admitted apart");
    }
}
