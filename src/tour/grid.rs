//! A number grid, row by row, and the tour it means.

use std::collections::HashMap;

use crate::board::{Arena, Board, Square};

use super::fault::{Fault, ReadError, shown};
use super::known::Known;
use super::places::Places;
use super::{Tour, Wrong};

/// The most squares of a grid whose board is not known: a board of 8192 x 8192.
const MAX_CELLS: usize = 1 << 26;
/// A removed square.
const HOLE: u32 = u32::MAX;
/// No cell.
const NOWHERE: u32 = u32::MAX;

/// Rows of numbers, from the top rank.
#[derive(Debug)]
pub(super) struct Grid {
    /// What the tour is of, if that is known.
    arena: Option<Arena>,
    /// Rows and columns that it must have then.
    sides: Option<(u16, u16)>,
    cells: Vec<u32>,
    cols: usize,
    /// Lines of the rows.
    lines: Vec<u64>,
    /// When to look for repeats again; keeps a grid that never ends from being read to the end.
    next_look: usize,
}

impl Grid {
    /// An empty grid, of an arena if it is known.
    pub(super) fn new(arena: Option<Arena>) -> Result<Self, Fault> {
        let sides = match &arena {
            Some(arena) => Some(Places::of(arena).map(|places| (places.rows(), places.cols()))?),
            None => None,
        };
        Ok(Self { arena, sides, cells: Vec::new(), cols: 0, lines: Vec::new(), next_look: 1 << 12 })
    }

    /// Adds a row.
    pub(super) fn row(&mut self, text: &[u8], line: u64) -> Result<(), Fault> {
        self.lines.push(line);
        let room = self.sides.map_or(MAX_CELLS, |(rows, cols)| usize::from(rows) * usize::from(cols));
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

    /// Takes an only row without numbers for a head that names nothing, and leaves it out.
    pub(super) fn leave_out_empty_head(&mut self) {
        if self.cells.len() == self.cols && self.cells.iter().all(|&cell| cell == HOLE) {
            self.cells.clear();
            self.lines.clear();
            self.cols = 0;
        }
    }

    fn rows(&self) -> usize {
        self.cells.len() / self.cols.max(1)
    }

    fn other_board(&self, cols: usize) -> Fault {
        let rows = self.cells.len().div_ceil(self.cols.max(cols).max(1));
        let expected =
            self.sides.map_or_else(|| "at most 8192x8192 squares".to_owned(), |(r, c)| format!("{r}x{c}"));
        Fault::OtherBoard { found: format!("{rows} rows of {} or more", self.cols.max(cols)), expected }
    }

    /// A number that comes twice; of pairs of numbers on no known board it is a coordinate.
    fn twice(&self, number: u32, first: Square, second: Square) -> Fault {
        match (self.cols, self.sides) {
            (2, None) => Fault::Coordinates,
            _ => Fault::Twice { number: u64::from(number), first, second },
        }
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
                return Err(self.twice(number, square(first), square(cell)));
            }
        }
        Ok(())
    }

    /// The tour as a path, and its first line; or its first fault.
    pub(super) fn finish(self, known: &Known) -> Result<(Tour, u64), ReadError> {
        let rows = self.rows();
        let first_line = self.lines.first().copied().unwrap_or(0);
        let line_of = |square: Square| self.lines[rows - 1 - usize::from(square.rank())];
        let at_first = |fault| ReadError { line: first_line, fault };
        let arena = self.arena(rows, known).map_err(at_first)?;
        let places = Places::of(&arena).map_err(|error| at_first(error.into()))?;
        let cells = self.order(rows).map_err(|fault| {
            let line = match fault {
                Fault::Twice { second, .. } => line_of(second),
                Fault::TooLarge { square, .. } => line_of(square),
                _ => first_line,
            };
            ReadError { line, fault }
        })?;
        let find = places.finder();
        let vertex = |&cell: &u32| {
            let square = self.square(cell as usize, rows);
            find(square).ok_or_else(|| square.to_string())
        };
        let tour = Tour::found(&arena, cells.iter().map(vertex)).map_err(|error| {
            let line = match *error.wrong() {
                Wrong::IllegalMove { to: v, .. } | Wrong::Incomplete { missing: v, .. } => {
                    line_of(places.square(v))
                }
                Wrong::NotThere { number, .. } => line_of(self.square(cells[number - 1] as usize, rows)),
                _ => first_line,
            };
            ReadError { line, fault: error.into() }
        })?;
        Ok((tour, first_line))
    }

    /// What the grid is of.
    fn arena(&self, rows: usize, known: &Known) -> Result<Arena, Fault> {
        let whole = Board::new(rows as u16, self.cols as u16)?;
        match (&self.arena, self.sides) {
            (Some(arena), Some(sides)) if sides == (whole.rows(), whole.cols()) => Ok(arena.clone()),
            (Some(_), Some((rows, cols))) => {
                Err(Fault::OtherBoard { found: whole.to_string(), expected: format!("{rows}x{cols}") })
            }
            _ => {
                let holes = (0..self.cells.len()).filter(|&cell| self.cells[cell] == HOLE);
                known.board_of_grid(whole, holes.map(|cell| self.square(cell, rows)))
            }
        }
    }

    /// The cells in the order of their numbers. There are fewer than 2^32.
    fn order(&self, rows: usize) -> Result<Vec<u32>, Fault> {
        let numbered = self.cells.iter().filter(|&&number| number != HOLE);
        let (count, least) = numbered.fold((0, u32::MAX), |(count, least), &n| (count + 1, least.min(n)));
        if count > 0 && least > 1 {
            return Err(Fault::From(u64::from(least)));
        }
        let mut order = vec![NOWHERE; count];
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
            let first = std::mem::replace(place, cell as u32);
            if first != NOWHERE {
                let first = self.square(first as usize, rows);
                return Err(self.twice(number, first, square));
            }
        }
        // As many numbers as places, none twice and none too large: all are there.
        Ok(order)
    }
}

fn number(token: &[u8]) -> Option<u32> {
    if token.len() > 10 || !token.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = token.iter().fold(0u64, |value, &b| value * 10 + u64::from(b - b'0'));
    u32::try_from(value).ok().filter(|&value| value != HOLE)
}
