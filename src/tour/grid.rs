//! A number grid, read row by row, and the tour it gives.

mod beside;
mod pasted;

use std::collections::{HashMap, HashSet};

use crate::board::{Arena, Board, Square};

use super::cells::{EMPTY, cells, is_number};
use super::fault::{Fault, ReadError};
use super::known::Known;
use super::layers::Layers;
use super::places::Places;
use super::{Tour, Wrong};

/// Largest grid, in squares, without a known board: 8192 x 8192.
const MAX_CELLS: usize = 1 << 26;
/// Marks a move number without a cell.
const NOWHERE: u32 = u32::MAX;

/// Rows of numbers, from the top rank.
#[derive(Debug)]
pub(super) struct Grid {
    /// Board of the tour, if known.
    arena: Option<Arena>,
    /// Rows and columns of the known board.
    sides: Option<(u16, u16)>,
    /// Layers of the known or guessed box.
    layers: Option<Layers>,
    cells: Vec<u32>,
    cols: usize,
    /// Number of numbered cells, and the smallest and the largest number.
    count: u64,
    least: u32,
    most: u32,
    /// Line number of each row.
    lines: Vec<u64>,
    /// True if the layers were stacked in the input.
    is_pasted: bool,
    /// Rows of the first layer, if the board is not known and missing numbers may be in layers below.
    height: Option<usize>,
    /// True if blank lines separate the rows of a known board.
    is_spaced: bool,
    /// Numbers of all layers so far.
    seen: HashSet<u32>,
    /// Number of cells at which to check for repeats again; so an endless grid is rejected early.
    next_look: usize,
}

impl Grid {
    /// Returns an empty grid, of `arena` if the board is known.
    pub(super) fn new(arena: Option<Arena>) -> Result<Self, Fault> {
        let places = arena.as_ref().map(Places::of).transpose()?;
        let sides = places.as_ref().map(|places| (places.rows(), places.cols()));
        let layers = places.as_ref().and_then(Layers::of);
        Ok(Self {
            arena,
            sides,
            layers,
            cells: Vec::new(),
            cols: 0,
            count: 0,
            least: 1,
            most: 0,
            lines: Vec::new(),
            is_pasted: false,
            height: None,
            is_spaced: false,
            seen: HashSet::new(),
            next_look: 1 << 12,
        })
    }

    /// Adds a row. A row with an error leaves the grid unchanged.
    pub(super) fn row(&mut self, text: &[u8], line: u64) -> Result<(), Fault> {
        let before = self.cells.len();
        self.lines.push(line);
        let added = self.add(text);
        if added.is_err() {
            self.cells.truncate(before);
            self.lines.pop();
        }
        added
    }

    fn add(&mut self, text: &[u8]) -> Result<(), Fault> {
        // Room for an empty column on each side, which is removed later.
        let room = self.sides.map_or(MAX_CELLS, |(rows, cols)| usize::from(rows) * (usize::from(cols) + 2));
        let before = self.cells.len();
        for cell in cells(text) {
            self.cells.push(cell?);
            if self.cells.len() > room || self.cells.len() - before > usize::from(u16::MAX) {
                return Err(self.other_board(self.cells.len() - before));
            }
        }
        // Some rows may end with a comma, and others may not.
        if self.cells.len() - before == self.cols + 1 && before > 0 && self.cells.last() == Some(&EMPTY) {
            self.cells.pop();
        }
        let found = self.cells.len() - before;
        if found + 1 == self.cols
            && before > 0
            && (1..=before / self.cols).all(|row| self.cells[row * self.cols - 1] == EMPTY)
        {
            self.leave_out_column(self.cols - 1, before);
        }
        match self.cols {
            0 => self.cols = found,
            expected if expected != found => return Err(Fault::Ragged { found, expected }),
            _ => {}
        }
        if self.rows() > usize::from(u16::MAX) {
            return Err(self.other_board(found));
        }
        for &number in self.cells[self.cells.len() - found..].iter().filter(|&&cell| is_number(cell)) {
            (self.count, self.least, self.most) =
                (self.count + 1, self.least.min(number), self.most.max(number));
        }
        if self.cells.len() >= self.next_look {
            self.next_look = 4 * self.cells.len();
            self.no_repeats()?;
        }
        Ok(())
    }

    /// Removes the only row if it has no numbers: it is an empty table header.
    pub(super) fn leave_out_empty_head(&mut self) {
        if self.cells.len() == self.cols && self.cells.iter().all(|&cell| !is_number(cell)) {
            self.cells.clear();
            self.lines.clear();
            self.cols = 0;
        }
    }

    /// Removes a column from the rows among the first `end` cells.
    fn leave_out_column(&mut self, col: usize, end: usize) {
        let cols = self.cols;
        let mut cell = 0;
        self.cells.retain(|_| {
            cell += 1;
            cell > end || (cell - 1) % cols != col
        });
        self.cols -= 1;
    }

    /// Removes empty columns on both sides, unless the width is that of the known board.
    fn leave_out_empty_columns(&mut self) {
        let is_wanted = |cols| self.sides.is_some_and(|(_, wanted)| usize::from(wanted) == cols);
        if is_wanted(self.cols) {
            return;
        }
        let (mut first, mut last) = (self.cols, 0);
        for row in self.cells.chunks(self.cols.max(1)) {
            let is_there = |&cell: &u32| cell != EMPTY;
            first = first.min(row.iter().position(is_there).unwrap_or(first));
            last = last.max(row.iter().rposition(is_there).unwrap_or(last));
        }
        // If all cells are empty, one column stays.
        let first = first.min(last);
        if last + 1 - first < self.cols {
            let (cols, mut cell) = (self.cols, 0);
            self.cells.retain(|_| {
                cell += 1;
                (first..=last).contains(&((cell - 1) % cols))
            });
            self.cols = last + 1 - first;
        }
    }

    fn rows(&self) -> usize {
        self.cells.len() / self.cols.max(1)
    }

    fn other_board(&self, cols: usize) -> Fault {
        if self.is_of_pairs() && self.no_repeats().is_err() {
            return Fault::Coordinates;
        }
        let rows = self.cells.len().div_ceil(self.cols.max(cols).max(1));
        let found = format!("{rows} rows of {} or more", self.cols.max(cols));
        Fault::OtherBoard { found, expected: self.expected() }
    }

    /// Returns the expected size for a message.
    fn expected(&self) -> String {
        match (&self.arena, self.layers, self.sides) {
            (Some(arena), Some(_), _) => arena.title(),
            (_, _, Some((rows, cols))) => format!("{rows}x{cols}"),
            _ => "at most 8192x8192 squares".to_owned(),
        }
    }

    /// Returns true if rows have two numbers while the known board, if any, has not two columns.
    fn is_of_pairs(&self) -> bool {
        self.cols == 2 && self.sides.is_none_or(|(_, cols)| cols != 2) && !self.is_pasted
    }

    /// Returns the error for a number that occurs twice; in a list of pairs such numbers are coordinates.
    fn twice(&self, number: u32, first: usize, second: usize) -> Fault {
        if self.is_of_pairs() {
            return Fault::Coordinates;
        }
        let [first_name, second_name] = [first, second].map(|cell| self.name(self.square(cell)));
        Fault::Twice {
            number: u64::from(number),
            first: first_name,
            second: second_name,
            line: self.line_of(self.square(second)),
        }
    }

    /// Returns the square of a cell.
    fn square(&self, cell: usize) -> Square {
        let rows = self.cells.len().div_ceil(self.cols);
        Square::new((cell % self.cols) as u16, (rows - 1 - cell / self.cols) as u16)
    }

    /// Returns the name of a square.
    fn name(&self, square: Square) -> String {
        let cube = self.layers.and_then(|layers| layers.cube(square));
        cube.map_or_else(|| square.to_string(), |cube| cube.to_string())
    }

    /// Returns the line number of a square.
    fn line_of(&self, square: Square) -> u64 {
        let rows = self.rows();
        let row = (rows - 1).saturating_sub(usize::from(square.rank()));
        let above = self.layers.filter(|_| self.is_pasted).map_or(0, |layers| layers.layer(square) * rows);
        self.lines.get(above + row).or(self.lines.last()).copied().unwrap_or(0)
    }

    /// Returns an error if a number occurs twice: the first repeat in reading order.
    fn no_repeats(&self) -> Result<(), Fault> {
        let mut sorted: Vec<u32> = self.cells.iter().copied().filter(|&cell| is_number(cell)).collect();
        sorted.sort_unstable();
        if sorted.windows(2).all(|pair| pair[0] != pair[1]) {
            return Ok(());
        }
        let mut seen = HashMap::new();
        for (cell, &number) in self.cells.iter().enumerate().filter(|(_, cell)| is_number(**cell)) {
            if let Some(first) = seen.insert(number, cell) {
                return Err(self.twice(number, first, cell));
            }
        }
        Ok(())
    }

    /// Returns the tour as a path and its first line, or the first error.
    pub(super) fn finish(mut self, known: &Known) -> Result<(Tour, u64), ReadError> {
        let first_line = self.lines.first().copied().unwrap_or(0);
        let at_first = |fault| ReadError { line: first_line, fault };
        if self.count == 0 && self.arena.is_none() {
            return Err(at_first(Fault::NoNumbers));
        }
        self.leave_out_empty_columns();
        self.paste().map_err(at_first)?;
        let numbers = self.cells.len();
        let is_list = self.fold() || (self.arena.is_none() && numbers > 2 && self.is_line());
        let mut found =
            self.arena(known).map_err(|fault| self.at_empty(fault)).and_then(|arena| self.tour(&arena));
        if let Err(ReadError { fault: fault @ Fault::Tour(_), .. }) = &mut found
            && is_list
        {
            *fault = match &self.arena {
                Some(arena) => Fault::Rows { numbers, board: arena.title() },
                None => Fault::List { numbers },
            };
        }
        let error = match found {
            Err(error) if self.arena.is_none() && self.layers.is_none() => error,
            found => return found,
        };
        // Not a tour of a rectangle, but possibly one of a box.
        self.boxes(known).ok_or(error)
    }

    /// Returns the tour of a board as a path and its first line, or the first error.
    fn tour(&self, arena: &Arena) -> Result<(Tour, u64), ReadError> {
        let first_line = self.lines.first().copied().unwrap_or(0);
        let at_first = |fault| ReadError { line: first_line, fault };
        let places = Places::of(arena).map_err(|error| at_first(error.into()))?;
        let cells = self.order().map_err(|fault| {
            let line = match fault {
                Fault::Twice { line, .. } | Fault::TooLarge { line, .. } => line,
                _ => first_line,
            };
            ReadError { line, fault }
        })?;
        let find = places.finder();
        let vertex = |&cell: &u32| {
            let square = self.square(cell as usize);
            find(square).ok_or_else(|| self.name(square))
        };
        let tour = Tour::found(arena, cells.iter().map(vertex)).map_err(|error| {
            let line = match *error.wrong() {
                Wrong::IllegalMove { to: v, .. } | Wrong::Incomplete { missing: v, .. } => {
                    self.line_of(places.square(v))
                }
                Wrong::NotThere { number, .. } => self.line_of(self.square(cells[number - 1] as usize)),
                _ => first_line,
            };
            ReadError { line, fault: error.into() }
        })?;
        Ok((tour, first_line))
    }

    /// Returns the board of the grid.
    fn arena(&self, known: &Known) -> Result<Arena, Fault> {
        let rows = self.rows();
        let whole = Board::new(rows as u16, self.cols as u16)?;
        let holes = (0..self.cells.len()).filter(|&cell| !is_number(self.cells[cell]));
        let holes = holes.map(|cell| self.square(cell));
        match (&self.arena, self.sides, self.layers) {
            (Some(arena), Some(sides), _) if sides == (whole.rows(), whole.cols()) => Ok(arena.clone()),
            (Some(_), ..) if self.is_of_pairs() && self.no_repeats().is_err() => Err(Fault::Coordinates),
            (Some(_), ..) => Err(Fault::OtherBoard { found: whole.to_string(), expected: self.expected() }),
            (.., Some(layers)) => {
                self.no_empty_cells(|square| layers.cube(square).is_some())?;
                layers.arena(holes, known.leaper())
            }
            _ => {
                self.no_empty_cells(|_| true)?;
                known.board_of_grid(whole, holes)
            }
        }
    }

    /// Returns the cells in the order of their numbers. There are fewer than 2^32 cells.
    fn order(&self) -> Result<Vec<u32>, Fault> {
        let numbered = self.cells.iter().filter(|&&cell| is_number(cell));
        let (count, least) = numbered.fold((0, u32::MAX), |(count, least), &n| (count + 1, least.min(n)));
        if count > 0 && least > 1 {
            return Err(Fault::From(u64::from(least)));
        }
        let mut order = vec![NOWHERE; count];
        for (cell, &number) in self.cells.iter().enumerate().filter(|(_, cell)| is_number(**cell)) {
            let Some(place) = order.get_mut((number - least) as usize) else {
                let square = self.square(cell);
                return Err(Fault::TooLarge {
                    number: u64::from(number),
                    square: self.name(square),
                    line: self.line_of(square),
                    squares: count,
                    from: u64::from(least),
                });
            };
            let first = std::mem::replace(place, cell as u32);
            if first != NOWHERE {
                return Err(self.twice(number, first as usize, cell));
            }
        }
        // There are as many numbers as positions, and no number is repeated or too large, so all are present.
        Ok(order)
    }
}
