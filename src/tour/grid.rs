//! A number grid, row by row, and the tour it means.

use std::collections::HashMap;

use crate::board::{Board, Leaper, Square};

use super::fault::{Fault, ReadError, shown};
use super::{Tour, TourError};

/// The most squares of a grid whose board is not known: a board of 8192 x 8192.
const MAX_CELLS: usize = 1 << 26;
/// A removed square.
const HOLE: u32 = u32::MAX;

/// Rows of numbers, from the top rank.
#[derive(Debug)]
pub(super) struct Grid {
    board: Option<Board>,
    cells: Vec<u32>,
    cols: usize,
    /// Line of the first row.
    first_line: u64,
    /// When to look for repeats again; keeps a grid that never ends from being read to the end.
    next_look: usize,
}

impl Grid {
    /// An empty grid, of a board if it is known.
    pub(super) fn new(board: Option<Board>) -> Self {
        Self { board, cells: Vec::new(), cols: 0, first_line: 0, next_look: 1 << 12 }
    }

    /// Adds a row.
    pub(super) fn row(&mut self, text: &[u8], line: u64) -> Result<(), Fault> {
        if self.cols == 0 {
            self.first_line = line;
        }
        let room = self
            .board
            .as_ref()
            .map_or(MAX_CELLS, |board| usize::from(board.rows()) * usize::from(board.cols()));
        let before = self.cells.len();
        for token in text.split(|b| b.is_ascii_whitespace() || *b == b',').filter(|token| !token.is_empty()) {
            self.cells.push(match token {
                b"." | b"-" => HOLE,
                _ => number(token).ok_or_else(|| Fault::Number(shown(token)))?,
            });
            if self.cells.len() > room || self.cells.len() - before > usize::from(u16::MAX) {
                return Err(self.other_board(self.cells.len() - before));
            }
        }
        let found = self.cells.len() - before;
        match self.cols {
            0 => self.cols = found,
            expected if expected != found => return Err(Fault::Ragged { found, expected }),
            _ => {}
        }
        if self.rows() > usize::from(u16::MAX) {
            return Err(self.other_board(found));
        }
        if self.cells.len() >= self.next_look {
            self.next_look = 4 * self.cells.len();
            self.no_repeats()?;
        }
        Ok(())
    }

    fn rows(&self) -> usize {
        self.cells.len() / self.cols.max(1)
    }

    fn other_board(&self, cols: usize) -> Fault {
        let rows = self.cells.len().div_ceil(self.cols.max(cols).max(1));
        let expected =
            self.board.as_ref().map_or_else(|| "at most 8192x8192 squares".to_owned(), ToString::to_string);
        Fault::OtherBoard { found: format!("{rows} rows of {} or more", self.cols.max(cols)), expected }
    }

    /// The square of a cell.
    fn square(&self, cell: usize, rows: usize) -> Square {
        Square::new((cell % self.cols) as u16, (rows - 1 - cell / self.cols) as u16)
    }

    /// Whether a number comes twice, told in the order of reading.
    fn no_repeats(&self) -> Result<(), Fault> {
        let mut sorted: Vec<u32> = self.cells.iter().copied().filter(|&number| number != HOLE).collect();
        sorted.sort_unstable();
        if sorted.windows(2).all(|pair| pair[0] != pair[1]) {
            return Ok(());
        }
        let mut seen = HashMap::new();
        for (cell, &number) in self.cells.iter().enumerate().filter(|(_, number)| **number != HOLE) {
            if let Some(first) = seen.insert(number, cell) {
                let square = |cell| self.square(cell, self.rows().max(cell / self.cols + 1));
                return Err(Fault::Twice {
                    number: u64::from(number),
                    first: square(first),
                    second: square(cell),
                });
            }
        }
        Ok(())
    }

    /// The tour, or its first fault.
    pub(super) fn finish(self, leaper: Leaper) -> Result<Tour, ReadError> {
        let rows = self.rows();
        let line_of = |square: Square| self.first_line + (rows - 1 - usize::from(square.rank())) as u64;
        let board = self.shape(rows).map_err(|fault| ReadError { line: self.first_line, fault })?;
        let squares = self.order(rows).map_err(|fault| {
            let line = match fault {
                Fault::Twice { second, .. } => line_of(second),
                Fault::TooLarge { square, .. } => line_of(square),
                _ => self.first_line,
            };
            ReadError { line, fault }
        })?;
        Tour::new(board, leaper, squares).map_err(|error| {
            let line = match error {
                TourError::IllegalMove { to, .. } => line_of(to),
                TourError::NotOnBoard { square, .. } | TourError::Incomplete { missing: square, .. } => {
                    line_of(square)
                }
                _ => self.first_line,
            };
            ReadError { line, fault: error.into() }
        })
    }

    /// The board of the grid.
    fn shape(&self, rows: usize) -> Result<Board, Fault> {
        let whole = Board::new(rows as u16, self.cols as u16)?;
        match &self.board {
            Some(board) if (board.rows(), board.cols()) == (whole.rows(), whole.cols()) => Ok(board.clone()),
            Some(board) => Err(Fault::OtherBoard { found: whole.to_string(), expected: board.to_string() }),
            None => {
                let holes = (0..self.cells.len()).filter(|&cell| self.cells[cell] == HOLE);
                Ok(whole.without(holes.map(|cell| self.square(cell, rows)))?)
            }
        }
    }

    /// The squares in the order of their numbers.
    fn order(&self, rows: usize) -> Result<Vec<Square>, Fault> {
        let numbered = self.cells.iter().filter(|&&number| number != HOLE);
        let (count, least) = numbered.fold((0, u32::MAX), |(count, least), &n| (count + 1, least.min(n)));
        if count > 0 && least > 1 {
            return Err(Fault::From(u64::from(least)));
        }
        let mut order: Vec<Option<Square>> = vec![None; count];
        for (cell, &number) in self.cells.iter().enumerate().filter(|(_, number)| **number != HOLE) {
            let square = self.square(cell, rows);
            let Some(place) = order.get_mut((number - least) as usize) else {
                return Err(Fault::TooLarge {
                    number: u64::from(number),
                    square,
                    squares: count,
                    from: u64::from(least),
                });
            };
            if let Some(first) = place.replace(square) {
                return Err(Fault::Twice { number: u64::from(number), first, second: square });
            }
        }
        // As many numbers as places, none twice and none too large: all are there.
        Ok(order.into_iter().flatten().collect())
    }
}

fn number(token: &[u8]) -> Option<u32> {
    if token.len() > 10 || !token.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = token.iter().fold(0u64, |value, &b| value * 10 + u64::from(b - b'0'));
    u32::try_from(value).ok().filter(|&value| value != HOLE)
}
