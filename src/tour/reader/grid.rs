//! A number grid, added row by row, and the tour that its numbers give.

mod layout;
use std::collections::{HashMap, HashSet};

use super::box_layers::BoxLayers;
use super::cells::{EMPTY_CELL, is_number};
use super::read_context::ReadContext;
use crate::board::{Board, Rectangle, Square};
use crate::tour::read_error::{ReadError, ReadErrorKind};
use crate::tour::vertex_positions::VertexPositions;
use crate::tour::{Tour, TourErrorKind};

/// Largest grid, in squares, without a known board: 8192 x 8192.
const MAX_CELLS: usize = 1 << 26;
/// Marks a move number without a cell.
const NO_CELL: u32 = u32::MAX;

/// Rows of numbers, from the top rank.
#[derive(Debug)]
pub(super) struct NumberGrid {
    /// Board of the tour, if known.
    known_board: Option<Board>,
    /// Rows and columns of the known board.
    board_size: Option<(u16, u16)>,
    /// Layers of the known or guessed box.
    layers: Option<BoxLayers>,
    cells: Vec<u32>,
    cols: usize,
    /// Number of numbered cells, and the smallest and the largest number.
    number_count: u64,
    least: u32,
    greatest: u32,
    /// Line number of each row.
    lines: Vec<u64>,
    /// True if the layers were stacked in the input.
    has_stacked_layers: bool,
    /// Rows of the first layer, if the board is not known and missing numbers may be in layers below.
    layer_height: Option<usize>,
    /// True if blank lines separate the rows of a known board.
    has_spaced_rows: bool,
    /// Numbers of all layers so far.
    seen_numbers: HashSet<u32>,
    /// Number of cells at which to check for repeats again; so an endless grid is rejected early.
    next_repeat_check: usize,
}

impl NumberGrid {
    /// Returns an empty grid, of `board` if the board is known.
    pub(super) fn new(board: Option<Board>) -> Result<Self, ReadErrorKind> {
        let positions = board.as_ref().map(VertexPositions::of_board).transpose()?;
        let sides = positions.as_ref().map(|positions| (positions.rows(), positions.cols()));
        let layers = positions.as_ref().and_then(BoxLayers::from_positions);
        Ok(Self {
            known_board: board,
            board_size: sides,
            layers,
            cells: Vec::new(),
            cols: 0,
            number_count: 0,
            least: 1,
            greatest: 0,
            lines: Vec::new(),
            has_stacked_layers: false,
            layer_height: None,
            has_spaced_rows: false,
            seen_numbers: HashSet::new(),
            next_repeat_check: 1 << 12,
        })
    }

    /// Adds a row. A row with an error leaves the grid unchanged.
    pub(super) fn add_row(&mut self, cells: &[u32], line: u64) -> Result<(), ReadErrorKind> {
        let before = self.cells.len();
        self.lines.push(line);
        let added = self.add_cells(cells);
        if added.is_err() {
            self.cells.truncate(before);
            self.lines.pop();
        }
        added
    }

    fn add_cells(&mut self, cells: &[u32]) -> Result<(), ReadErrorKind> {
        // Room for an empty column on each side, which is removed later.
        let room =
            self.board_size.map_or(MAX_CELLS, |(rows, cols)| usize::from(rows) * (usize::from(cols) + 2));
        let before = self.cells.len();
        if before + cells.len() > room || cells.len() > usize::from(u16::MAX) {
            return Err(self.size_error(cells.len()));
        }
        self.cells.extend_from_slice(cells);
        let found = self.cells.len() - before;
        match self.cols {
            0 => self.cols = found,
            expected if expected != found => return Err(ReadErrorKind::RowLength { found, expected }),
            _ => {}
        }
        if self.row_count() > usize::from(u16::MAX) {
            return Err(self.size_error(found));
        }
        for &number in self.cells[before..].iter().filter(|&&cell| is_number(cell)) {
            (self.number_count, self.least, self.greatest) =
                (self.number_count + 1, self.least.min(number), self.greatest.max(number));
        }
        if self.cells.len() >= self.next_repeat_check {
            self.next_repeat_check = 4 * self.cells.len();
            self.check_repeats().map_err(|error| error.kind)?;
        }
        Ok(())
    }

    /// Removes empty columns on both sides, unless the width is that of the known board.
    fn remove_empty_columns(&mut self) {
        let is_wanted =
            |cols| self.board_size.is_some_and(|(_, expected_cols)| usize::from(expected_cols) == cols);
        if is_wanted(self.cols) {
            return;
        }
        let (mut first, mut last) = (self.cols, 0);
        for row in self.cells.chunks(self.cols.max(1)) {
            let is_present = |&cell: &u32| cell != EMPTY_CELL;
            first = first.min(row.iter().position(is_present).unwrap_or(first));
            last = last.max(row.iter().rposition(is_present).unwrap_or(last));
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

    fn row_count(&self) -> usize {
        self.cells.len() / self.cols.max(1)
    }

    fn size_error(&self, cols: usize) -> ReadErrorKind {
        let rows = self.cells.len().div_ceil(self.cols.max(cols).max(1));
        let found = format!("{rows} rows of {} or more", self.cols.max(cols));
        ReadErrorKind::GridSize { found, expected: self.expected_size() }
    }

    /// Returns the expected size for a message.
    fn expected_size(&self) -> String {
        match (&self.known_board, self.layers, self.board_size) {
            (Some(board), Some(_), _) => board.title(),
            (_, _, Some((rows, cols))) => format!("{rows}x{cols}"),
            _ => "at most 8192x8192 squares".to_owned(),
        }
    }

    /// Returns true if rows have two numbers while the known board, if any, has not two columns.
    fn is_list_of_pairs(&self) -> bool {
        self.cols == 2 && self.board_size.is_none_or(|(_, cols)| cols != 2) && !self.has_stacked_layers
    }

    /// Returns the error for a number that occurs twice.
    fn repeat_error(&self, number: u32, first: usize, second: usize) -> ReadError {
        let line = self.line_of(self.square(second));
        let [first, second] = [first, second].map(|cell| self.square_name(self.square(cell)));
        ReadError { line, kind: ReadErrorKind::RepeatedNumber { number: u64::from(number), first, second } }
    }

    fn first_line(&self) -> u64 {
        self.lines.first().copied().unwrap_or(0)
    }

    /// Returns an error of the whole grid, at its first line.
    fn error(&self, kind: ReadErrorKind) -> ReadError {
        ReadError { line: self.first_line(), kind }
    }

    /// Returns the square of a cell.
    fn square(&self, cell: usize) -> Square {
        let rows = self.cells.len().div_ceil(self.cols);
        Square::new((cell % self.cols) as u16, (rows - 1 - cell / self.cols) as u16)
    }

    /// Returns the name of a square.
    fn square_name(&self, square: Square) -> String {
        let cube = self.layers.and_then(|layers| layers.box_square(square));
        cube.map_or_else(|| square.to_string(), |cube| cube.to_string())
    }

    /// Returns the line number of a square.
    fn line_of(&self, square: Square) -> u64 {
        let rows = self.row_count();
        let row = (rows - 1).saturating_sub(usize::from(square.rank()));
        let above = self
            .layers
            .filter(|_| self.has_stacked_layers)
            .map_or(0, |layers| layers.layer_of(square) * rows);
        self.lines.get(above + row).or(self.lines.last()).copied().unwrap_or(0)
    }

    /// Returns an error if a number occurs twice: the first repeat in reading order.
    fn check_repeats(&self) -> Result<(), ReadError> {
        let mut sorted: Vec<u32> = self.cells.iter().copied().filter(|&cell| is_number(cell)).collect();
        sorted.sort_unstable();
        if sorted.windows(2).all(|pair| pair[0] != pair[1]) {
            return Ok(());
        }
        let mut seen = HashMap::new();
        for (cell, &number) in self.cells.iter().enumerate().filter(|(_, cell)| is_number(**cell)) {
            if let Some(first) = seen.insert(number, cell) {
                return Err(self.repeat_error(number, first, cell));
            }
        }
        Ok(())
    }

    /// Returns the tour as a path and its first line, or the first error.
    pub(super) fn into_tour(mut self, known: &ReadContext) -> Result<(Tour, u64), ReadError> {
        if self.number_count == 0 && self.known_board.is_none() {
            return Err(self.error(ReadErrorKind::EmptyGrid));
        }
        self.remove_empty_columns();
        self.arrange_layers().map_err(|kind| self.error(kind))?;
        let numbers = self.cells.len();
        let is_list = self.fold_list() || (self.known_board.is_none() && numbers > 2 && self.is_line());
        self.drop_zeros_of_holes();
        let mut found = self.find_board(known).and_then(|board| self.tour_on(&board));
        if let Err(ReadError { kind: error_kind @ ReadErrorKind::Tour(_), .. }) = &mut found
            && is_list
        {
            *error_kind = match &self.known_board {
                Some(board) => ReadErrorKind::NumberList { numbers, board: board.title() },
                None => ReadErrorKind::NumberListWithoutBoard { numbers },
            };
        }
        let error = match found {
            Err(error) if self.known_board.is_none() && self.layers.is_none() => error,
            found => return found,
        };
        // Not a tour of a rectangle, but possibly one of a box.
        self.guess_box(known).ok_or(error)
    }

    /// Returns the tour of a board as a path and its first line, or the first error.
    fn tour_on(&self, board: &Board) -> Result<(Tour, u64), ReadError> {
        let positions = VertexPositions::of_board(board).map_err(|error| self.error(error.into()))?;
        let cells = self.cells_in_order()?;
        let find = positions.vertex_lookup();
        let vertex = |&cell: &u32| {
            let square = self.square(cell as usize);
            find(square).ok_or_else(|| self.square_name(square))
        };
        let tour = Tour::from_lookups(board, cells.iter().map(vertex)).map_err(|error| {
            let line = match *error.kind() {
                TourErrorKind::IllegalMove { to: v, .. } | TourErrorKind::Incomplete { missing: v, .. } => {
                    self.line_of(positions.position(v))
                }
                TourErrorKind::UnknownVertex { position: number, .. } => {
                    self.line_of(self.square(cells[number - 1] as usize))
                }
                _ => self.first_line(),
            };
            ReadError { line, kind: error.into() }
        })?;
        Ok((tour, self.first_line()))
    }

    /// Returns the board of the grid.
    fn find_board(&self, known: &ReadContext) -> Result<Board, ReadError> {
        let rows = self.row_count();
        let whole =
            Rectangle::new(rows as u16, self.cols as u16).map_err(|error| self.error(error.into()))?;
        let holes = (0..self.cells.len()).filter(|&cell| !is_number(self.cells[cell]));
        let holes = holes.map(|cell| self.square(cell));
        match (&self.known_board, self.board_size, self.layers) {
            (Some(board), Some(sides), _) if sides == (whole.rows(), whole.cols()) => Ok(board.clone()),
            (Some(_), ..) => {
                let (found, expected) = (whole.to_string(), self.expected_size());
                Err(self.error(ReadErrorKind::GridSize { found, expected }))
            }
            (.., Some(layers)) => {
                self.check_empty_cells(|square| layers.box_square(square).is_some())?;
                layers.to_board(holes, known.leaper()).map_err(|kind| self.error(kind))
            }
            _ => {
                self.check_empty_cells(|_| true)?;
                known.grid_board(whole, holes).map_err(|kind| self.error(kind))
            }
        }
    }

    /// Returns the cells in the order of their numbers. There are fewer than 2^32 cells.
    fn cells_in_order(&self) -> Result<Vec<u32>, ReadError> {
        let numbered = self.cells.iter().filter(|&&cell| is_number(cell));
        let (count, least) = numbered.fold((0, u32::MAX), |(count, least), &n| (count + 1, least.min(n)));
        if count > 0 && least > 1 {
            return Err(self.error(ReadErrorKind::FirstNumber(u64::from(least))));
        }
        let mut order = vec![NO_CELL; count];
        for (cell, &number) in self.cells.iter().enumerate().filter(|(_, cell)| is_number(**cell)) {
            let Some(place) = order.get_mut((number - least) as usize) else {
                let square = self.square(cell);
                let kind = ReadErrorKind::NumberTooLarge {
                    number: u64::from(number),
                    square: self.square_name(square),
                    squares: count,
                    first_number: u64::from(least),
                };
                return Err(ReadError { line: self.line_of(square), kind });
            };
            let first = std::mem::replace(place, cell as u32);
            if first != NO_CELL {
                return Err(self.repeat_error(number, first as usize, cell));
            }
        }
        // There are as many numbers as positions, and no number is repeated or too large, so all are present.
        Ok(order)
    }
}
