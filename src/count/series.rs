//! All boards of one width, from one sweep.
//!
//! A sweep along the length passes the end of every shorter board on its way, so
//! the whole series costs little more than its longest board, and each number is known
//! when the sweep passes. Written `5x2..60` (columns vary) or `2..60x5` (rows vary).

use std::fmt;
use std::str::FromStr;

use num_bigint::BigUint;

use super::forecast::Forecast;
use super::question::Question;
use super::sums::Sums;
use super::theorems::{self, Broken};
use super::watch::Watch;
use super::{CountError, Counts};
use crate::board::{Arena, Board, BoardError, Leaper};
use crate::control::Control;
use crate::frontier::{self, Cancel, Family, Options, Tours};
use crate::tour::Kind;

/// Boards `width` squares one way and `first` to `last` the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Series {
    width: u16,
    first: u16,
    last: u16,
    /// Whether the rows vary, not the columns.
    rows: bool,
}

/// Text that is no range of boards.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SeriesError {
    /// Not two numbers with `..` between them on one side, and a number on the other.
    #[error("`{0}` is not a range of boards: write one side as FIRST..LAST, as in 5x2..60 or 2..60x5")]
    Parse(String),
    /// From long to short.
    #[error("`{range}` goes down: write {last}..{first}")]
    Down {
        /// As it was written.
        range: String,
        /// The greater number.
        first: u16,
        /// The lesser one.
        last: u16,
    },
    /// One of the boards cannot be.
    #[error(transparent)]
    Board(#[from] BoardError),
}

impl FromStr for Series {
    type Err = SeriesError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || SeriesError::Parse(text.to_owned());
        let (rows, cols) = text.split_once(['x', 'X']).ok_or_else(bad)?;
        let (range, width, by_rows) =
            if rows.contains("..") { (rows, cols, true) } else { (cols, rows, false) };
        let (first, last) = range.split_once("..").ok_or_else(bad)?;
        if [width, first, last]
            .iter()
            .any(|side| side.is_empty() || !side.bytes().all(|b| b.is_ascii_digit()))
        {
            return Err(bad());
        }
        // Both corners are boards, which checks every number.
        let corner = |length: &str| format!("{width}x{length}").parse::<Board>();
        let (short, long) = (corner(first)?, corner(last)?);
        if short.cols() > long.cols() {
            return Err(SeriesError::Down {
                range: range.to_owned(),
                first: short.cols(),
                last: long.cols(),
            });
        }
        Ok(Self { width: long.rows(), first: short.cols(), last: long.cols(), rows: by_rows })
    }
}

impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, first, last, rows } = self;
        if *rows { write!(f, "{first}..{last}x{width}") } else { write!(f, "{width}x{first}..{last}") }
    }
}

/// A board of a series and its numbers.
#[derive(Clone, Debug)]
pub struct SeriesRow {
    /// The board.
    pub board: Board,
    /// Undirected tours of the kinds that were asked for.
    pub counts: Counts,
    /// What was swept for them: closed tours, paths.
    swept: (BigUint, BigUint),
}

impl SeriesRow {
    /// What sweeps of this board alone would add up to.
    #[must_use]
    pub fn sums(&self, question: &Question) -> Sums {
        let mut sums = question.no_sums();
        (sums.closed, sums.unplaced) = self.swept.clone();
        sums
    }
}

impl Series {
    fn board(&self, length: u16) -> Board {
        let (rows, cols) = if self.rows { (length, self.width) } else { (self.width, length) };
        Board::new(rows, cols).expect("shorter than a board is a board")
    }

    /// The boards, shortest first.
    pub fn boards(&self) -> impl Iterator<Item = Board> + use<> {
        let series = *self;
        (self.first..=self.last).map(move |length| series.board(length))
    }

    /// The same from a board on; itself, if the board is not one of them.
    #[must_use]
    pub fn from_board(self, board: &Board) -> Self {
        let first = (self.first..=self.last).find(|&length| self.board(length) == *board);
        Self { first: first.unwrap_or(self.first), ..self }
    }

    /// Whether one sweep along the length does for all boards: along the short side of every board it would be wider
    /// than theirs.
    #[must_use]
    pub const fn is_long(&self) -> bool {
        self.width <= self.last
    }

    /// Sweeps along the length; of one kind, or of all without it. Each board is handed to `row` as soon as its
    /// numbers are known and agree with the theorems. A sweep may use `memory` bytes, or nine tenths of what is
    /// available.
    ///
    /// # Errors
    /// A sweep that is too wide or does not fit or is cancelled, or numbers that break a theorem. The rows before
    /// stand.
    pub fn sweep(
        &self,
        leaper: Leaper,
        kind: Option<Kind>,
        memory: Option<u64>,
        control: &Control,
        row: &mut (dyn FnMut(SeriesRow) + Send),
    ) -> Result<(), CountError> {
        self.plan(leaper, kind, memory, control)?.sweep(control, row)
    }

    /// Plans the sweeps, which can then tell what they will take. A second at most for each.
    ///
    /// # Errors
    /// A sweep that is too wide, or the control was cancelled.
    pub fn plan(
        &self,
        leaper: Leaper,
        kind: Option<Kind>,
        memory: Option<u64>,
        control: &Control,
    ) -> Result<PlannedSeries, CountError> {
        let ceiling = memory.or_else(crate::memory::ceiling);
        let options = Options {
            memory: ceiling,
            allocator: control.allocator(),
            cancel: Cancel::from(control.flag()),
            ..Options::default()
        };
        let swept: &[Tours] = match kind {
            Some(Kind::Closed) => &[Tours::Closed],
            Some(Kind::Paths) => &[Tours::Paths],
            Some(Kind::Open) | None => &[Tours::Closed, Tours::Paths],
        };
        control.planning();
        let plan = |&tours: &Tours| Family::new((self.width, self.last), leaper, tours, &options);
        let families = swept.iter().map(plan).collect::<Result<_, _>>()?;
        Ok(PlannedSeries { series: *self, leaper, kind, ceiling, families })
    }

    fn row(
        &self,
        leaper: Leaper,
        kind: Option<Kind>,
        length: u16,
        (closed, paths): (BigUint, BigUint),
    ) -> Result<SeriesRow, Broken> {
        let board = self.board(length);
        let mut counts = Counts::default();
        for wanted in Kind::ALL.into_iter().filter(|&one| kind.is_none_or(|kind| kind == one)) {
            *counts.get_mut(wanted) = Some(of_kind(wanted, &board, &closed, &paths)?);
        }
        theorems::check(&Arena::board(board.clone(), leaper), &counts, &[])?;
        Ok(SeriesRow { board, counts, swept: (closed, paths) })
    }
}

/// A series whose sweeps are planned.
#[derive(Clone, Debug)]
pub struct PlannedSeries {
    series: Series,
    leaper: Leaper,
    kind: Option<Kind>,
    ceiling: Option<u64>,
    families: Vec<Family>,
}

impl PlannedSeries {
    /// What the sweeps will take, one after the other, by the order of their squares.
    #[must_use]
    pub fn forecast(&self) -> Forecast {
        Forecast::roughly(self.families.iter().map(Family::outlook).collect(), self.ceiling)
    }

    /// Sweeps, as [`Series::sweep`] does.
    ///
    /// # Errors
    /// As for [`Series::sweep`].
    pub fn sweep(self, control: &Control, row: &mut (dyn FnMut(SeriesRow) + Send)) -> Result<(), CountError> {
        let Self { series, leaper, kind, families, .. } = self;
        let steps: Vec<Vec<f64>> = families.iter().map(|family| family.outlook().step_seconds).collect();
        control.begin(steps.len(), &(0..steps.len() as u32).collect::<Vec<_>>());
        control.set_estimates(steps.iter().map(|steps| steps.iter().sum()).collect());
        let mut families = families.into_iter().zip(&steps).enumerate();
        let mut sweep = |each: &mut (dyn FnMut(u16, BigUint) + Send)| {
            let (number, (family, steps)) = families.next().expect("a family for each sweep");
            control.sweep_begins(steps, 0);
            family.sweep(&mut Watch::new(control, "series"), each)?;
            control.unit_done(number, 0, 0);
            Ok::<_, frontier::Error>(())
        };
        let (mut broken, mut closed) = (None, Vec::new());
        let mut tell = |length, closed, paths| {
            if length < series.first || broken.is_some() {
                return;
            }
            match series.row(leaper, kind, length, (closed, paths)) {
                Ok(made) => row(made),
                Err(error) => {
                    broken = Some(error);
                    control.cancel();
                }
            }
        };
        let swept = match kind {
            Some(Kind::Closed) => sweep(&mut |length, closed| tell(length, closed, BigUint::ZERO)),
            Some(Kind::Paths) => sweep(&mut |length, paths| tell(length, BigUint::ZERO, paths)),
            Some(Kind::Open) | None => sweep(&mut |_, count| closed.push(count)).and_then(|()| {
                sweep(&mut |length, paths| {
                    tell(length, closed[usize::from(length) - 1].clone(), paths);
                })
            }),
        };
        match broken {
            Some(broken) => Err(broken.into()),
            None => Ok(swept?),
        }
    }
}

/// Open tours are the paths less the re-entrant ones.
fn of_kind(kind: Kind, board: &Board, closed: &BigUint, paths: &BigUint) -> Result<BigUint, Broken> {
    match kind {
        Kind::Closed => Ok(closed.clone()),
        Kind::Paths => Ok(paths.clone()),
        Kind::Open => {
            let re_entrant = closed * board.len();
            if re_entrant > *paths {
                return Err(Broken::new(format!(
                    "{board}: {re_entrant} re-entrant paths among {paths} paths"
                )));
            }
            Ok(paths - re_entrant)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_of_columns_or_rows() {
        for (text, back) in [("5x2..60", "5x2..60"), ("3..10x4", "3..10x4"), ("1x1..1", "1x1..1")] {
            assert_eq!(text.parse::<Series>().unwrap().to_string(), back);
        }
        for bad in ["5x6..2", "5..", "2..3x4..5", "5x..3", "5x2..", "x2..3", "5x0..3", "5x2...3", "6x8"] {
            assert!(bad.parse::<Series>().is_err(), "{bad}");
        }
        let down = "5x9..3".parse::<Series>().unwrap_err().to_string();
        assert_eq!(down, "`9..3` goes down: write 3..9");
    }

    #[test]
    fn the_rest_of_a_series_is_one() {
        let series: Series = "5x2..60".parse().unwrap();
        assert_eq!(series.boards().count(), 59);
        assert_eq!(series.from_board(&"5x17".parse().unwrap()).to_string(), "5x17..60");
        assert_eq!(series.from_board(&"17x5".parse().unwrap()), series);
        assert!(series.is_long() && !"8x2..7".parse::<Series>().unwrap().is_long());
    }

    #[test]
    fn every_kind_is_told_board_by_board() {
        let rows = |series: &str, kind| {
            let (series, mut rows): (Series, _) = (series.parse().unwrap(), Vec::new());
            let mut row = |row: SeriesRow| {
                let counts =
                    Kind::ALL.map(|kind| row.counts.get(kind).map_or("-".into(), ToString::to_string));
                rows.push(format!("{} {}", row.board, counts.join(" ")));
            };
            series.sweep(Leaper::KNIGHT, kind, None, &Control::new(), &mut row).unwrap();
            rows
        };
        assert_eq!(rows("5x5..6", Some(Kind::Open)), ["5x5 - 864 -", "5x6 - 18544 -"]);
        assert_eq!(rows("5..6x6", Some(Kind::Closed)), ["5x6 8 - -", "6x6 9862 - -"]);
        assert_eq!(rows("5x6..6", None), ["5x6 8 18544 18784"]);
    }
}
