//! All boards of one width, from one sweep.
//!
//! A sweep along the length passes the end of every shorter board on its way, so
//! the whole series costs little more than its longest board. Written `5x2..60`
//! (columns vary) or `2..60x5` (rows vary).

use std::fmt;
use std::str::FromStr;

use num_bigint::BigUint;

use super::theorems::{self, Broken};
use super::watch::Watch;
use super::{CountError, Counts};
use crate::board::{Arena, Board, BoardError, Leaper};
use crate::control::Control;
use crate::frontier::{self, Field, Options, Tours};
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

impl FromStr for Series {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || BoardError::Parse(text.to_owned());
        let (rows, cols) = text.split_once(['x', 'X']).ok_or_else(bad)?;
        let (range, width, by_rows) =
            if rows.contains("..") { (rows, cols, true) } else { (cols, rows, false) };
        let (first, last) = range.split_once("..").ok_or_else(bad)?;
        // Both corners are boards, which checks every number.
        let corner = |length: &str| format!("{width}x{length}").parse::<Board>().map_err(|_| bad());
        let (short, long) = (corner(first)?, corner(last)?);
        if short.cols() > long.cols() {
            return Err(bad());
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

impl Series {
    fn board(&self, length: u16) -> Board {
        let (rows, cols) = if self.rows { (length, self.width) } else { (self.width, length) };
        Board::new(rows, cols).expect("shorter than a board is a board")
    }

    /// The boards with their numbers of undirected tours of a kind. A sweep may use `memory` bytes, or nine
    /// tenths of what is available.
    ///
    /// # Errors
    /// A sweep that is too wide or does not fit or is cancelled, or numbers that break a theorem.
    pub fn count(
        &self,
        leaper: Leaper,
        kind: Kind,
        memory: Option<u64>,
        control: &Control,
    ) -> Result<Vec<(Board, BigUint)>, CountError> {
        let options = Options {
            memory: memory.or_else(crate::memory::ceiling),
            allocator: control.allocator(),
            ..Options::default()
        };
        let none = vec![BigUint::ZERO; usize::from(self.last)];
        let sweep = |wanted: bool, tours: Tours| {
            if wanted { self.sweep(leaper, tours, &options, control) } else { Ok(none.clone()) }
        };
        let closed = sweep(kind != Kind::Paths, Tours::Closed)?;
        let paths = sweep(kind != Kind::Closed, Tours::Paths)?;
        let numbers = (1..=self.last).zip(closed.into_iter().zip(paths));
        numbers
            .filter(|&(length, _)| length >= self.first)
            .map(|(length, (closed, paths))| {
                let board = self.board(length);
                let count = of_kind(kind, &board, closed, paths)?;
                let mut counts = Counts::default();
                *counts.get_mut(kind) = Some(count.clone());
                theorems::check(&Arena::board(board.clone(), leaper), &counts, &[])?;
                Ok((board, count))
            })
            .collect()
    }

    /// Counts of all lengths from 1 on.
    fn sweep(
        &self,
        leaper: Leaper,
        tours: Tours,
        options: &Options,
        control: &Control,
    ) -> Result<Vec<BigUint>, CountError> {
        if self.width <= self.last {
            return Ok(frontier::series(
                (self.width, self.last),
                leaper,
                tours,
                options,
                &mut Watch::new(control, "series"),
            )?);
        }
        // A sweep along the short side of every board would be wider than its boards' own.
        let count = |length| {
            let field = Field::of(&Arena::board(self.board(length), leaper));
            Ok(frontier::count(&field, tours, options, &mut Watch::new(control, "series"))?.count)
        };
        (1..=self.last).map(count).collect()
    }
}

/// Open tours are the paths less the re-entrant ones.
fn of_kind(kind: Kind, board: &Board, closed: BigUint, paths: BigUint) -> Result<BigUint, Broken> {
    match kind {
        Kind::Closed => Ok(closed),
        Kind::Paths => Ok(paths),
        Kind::Open => {
            let re_entrant = closed * board.len();
            if re_entrant > paths {
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
    }

    #[test]
    fn open_tours_are_paths_less_re_entrant_ones() {
        let count = |series: &str, kind| {
            let series: Series = series.parse().unwrap();
            let counts = series.count(Leaper::KNIGHT, kind, None, &Control::new()).unwrap();
            counts.into_iter().map(|(board, count)| format!("{board} {count}")).collect::<Vec<_>>()
        };
        // Along the boards, and across them.
        assert_eq!(count("5x5..6", Kind::Open), ["5x5 864", "5x6 18544"]);
        assert_eq!(count("6x5..5", Kind::Open), ["6x5 18544"]);
        assert_eq!(count("5..6x6", Kind::Closed), ["5x6 8", "6x6 9862"]);
    }
}
