//! Grids whose layout differs from their board: stacked layers of a box, all rows of a board in one list, and
//! empty cells.

use std::collections::HashSet;

use super::NumberGrid;
use crate::board::Square;
use crate::tour::Tour;
use crate::tour::read_error::{ReadError, ReadErrorKind};
use crate::tour::reader::box_layers::BoxLayers;
use crate::tour::reader::cells::{EMPTY_CELL, HOLE, LAYER_GAP, is_number};
use crate::tour::reader::read_context::ReadContext;
use crate::tour::vertex_positions::VertexPositions;

impl NumberGrid {
    /// Returns true if the grid holds all numbers of a tour and this row repeats one of them: then the next
    /// grid begins with this row.
    pub(in crate::tour::reader) fn is_complete_before(&self, row: &[u32]) -> bool {
        let (least, most) = (self.least, self.greatest);
        let is_whole =
            self.number_count > 0 && least < 2 && self.number_count == u64::from(most) + 1 - u64::from(least);
        if !is_whole || self.lines.len() < 2 || self.is_list_of_pairs() {
            return false;
        }
        let is_next = row.len() == self.cols && row.iter().any(|cell| (least..=most).contains(cell));
        is_next && self.check_repeats().is_ok()
    }

    /// Returns an error if the cell of a square is empty.
    pub(super) fn check_empty_cells(&self, is_square: impl Fn(Square) -> bool) -> Result<(), ReadError> {
        let empty = (0..self.cells.len()).filter(|&cell| self.cells[cell] == EMPTY_CELL);
        let Some(square) = empty.map(|cell| self.square(cell)).find(|&square| is_square(square)) else {
            return Ok(());
        };
        let kind = ReadErrorKind::EmptyCell(self.square_name(square));
        Err(ReadError { line: self.line_of(square), kind })
    }
}

impl NumberGrid {
    /// Turns zeros into removed squares if they are on all or some of those of the known board, and on no square: then the
    /// tour counts from 1.
    pub(super) fn drop_zeros_of_holes(&mut self) {
        let Some(board) = self.known_board.as_ref().filter(|board| board.len() == self.greatest as usize)
        else {
            return;
        };
        let zeros: Vec<usize> = (0..self.cells.len()).filter(|&cell| self.cells[cell] == 0).collect();
        let Ok(positions) = VertexPositions::of_board(board) else { return };
        let find = positions.vertex_lookup();
        if self.layers.is_none() && zeros.iter().all(|&cell| find(self.square(cell)).is_none()) {
            zeros.into_iter().for_each(|cell| self.cells[cell] = HOLE);
        }
    }
}

/// Largest grid, in cells, for which the layers of an unknown box are guessed.
const MAX_GUESSED_BOX_CELLS: usize = 1 << 12;

impl NumberGrid {
    /// Returns true if the grid lacks layers of a box, so that the next layer must follow.
    pub(in crate::tour::reader) fn lacks_layers(&mut self) -> bool {
        let rows = self.row_count();
        if let Some(BoxLayers { count: number, rows: height, cols }) = self.layers {
            return self.cols == cols && rows.is_multiple_of(height) && rows < number * height;
        }
        if let Some((height, cols)) = self.board_size.filter(|_| self.known_board.is_some()) {
            // Blank lines may separate the rows.
            self.has_spaced_rows |= rows == 1 && self.cols == usize::from(cols);
            return self.has_spaced_rows && rows < usize::from(height);
        }
        if self.known_board.is_some() || !self.lacks_numbers() {
            return false;
        }
        let height = *self.layer_height.get_or_insert(rows);
        let new = self.cells[self.cells.len().saturating_sub(height * self.cols)..].iter();
        let fresh = new.filter(|&&cell| is_number(cell)).all(|&cell| self.seen_numbers.insert(cell));
        fresh && rows.is_multiple_of(height)
    }

    /// Returns true if the grid has fewer numbers than its largest number requires.
    fn lacks_numbers(&self) -> bool {
        self.number_count < u64::from(self.greatest) + 1 - u64::from(self.least)
    }

    /// Returns true if the blocks below the first are not layers of a box; then the first block alone is the
    /// grid, and errors below it are ignored.
    pub(in crate::tour::reader) fn is_only_first_block(&self) -> bool {
        self.layer_height.is_some_and(|height| self.lacks_numbers() || self.repeats_first_block(height))
    }

    /// Returns true if more than half of the numbers of the second block also occur in the first: then it is
    /// the next tour and not a layer.
    fn repeats_first_block(&self, height: usize) -> bool {
        let size = height * self.cols;
        let (first, below) = self.cells.split_at(size.min(self.cells.len()));
        let first: HashSet<u32> = first.iter().copied().collect();
        let second = || below.iter().take(size).filter(|&&cell| is_number(cell));
        2 * second().filter(|cell| first.contains(cell)).count() > second().count()
    }

    /// Returns true if the grid is only the first of the blocks of rows that were added.
    pub(in crate::tour::reader) fn uses_only_first_block(&self) -> bool {
        let rows = self.row_count();
        self.layer_height.is_some_and(|height| {
            rows > height && (self.is_only_first_block() || !rows.is_multiple_of(height))
        })
    }

    /// Rearranges the layers of a box side by side, with a column between them.
    pub(super) fn arrange_layers(&mut self) -> Result<(), ReadErrorKind> {
        let rows = self.row_count();
        if let Some(height) = self.layer_height {
            if self.is_only_first_block() || !rows.is_multiple_of(height) || rows == height {
                self.cells.truncate(height * self.cols);
                self.lines.truncate(height);
            } else if height > 1 {
                self.unstack_layers(BoxLayers { count: rows / height, rows: height, cols: self.cols });
            }
            // Separated lines of numbers are the rows of a rectangle.
            return Ok(());
        }
        let (Some(layers), Some(board)) = (self.layers, &self.known_board) else { return Ok(()) };
        if self.cols == layers.cols && rows == layers.count * layers.rows {
            self.unstack_layers(layers);
        } else if self.cols == layers.cols && rows.is_multiple_of(layers.rows) && rows > 0 {
            let (found, board) = (rows / layers.rows, board.title());
            if found < layers.count {
                return Err(ReadErrorKind::MissingLayers { found, layers: layers.count, board });
            }
        } else if self.cols == layers.count * layers.cols && rows == layers.rows {
            let rows = self.cells.chunks(self.cols);
            let apart = rows.map(|row| row.chunks(layers.cols).collect::<Vec<_>>().join(&LAYER_GAP));
            self.cells = apart.flatten().collect();
            self.cols = layers.width();
        }
        Ok(())
    }

    /// Returns true if the grid is a single row or column.
    pub(super) fn is_line(&self) -> bool {
        self.row_count() == 1 || self.cols == 1
    }

    /// Splits a list with one number for each square of the board into rows. Returns true if the grid was
    /// such a list.
    pub(super) fn fold_list(&mut self) -> bool {
        let (Some((rows, cols)), true, None) = (self.board_size, self.is_line(), self.layers) else {
            return false;
        };
        let (rows, cols) = (usize::from(rows), usize::from(cols));
        if self.cells.len() != rows * cols || self.row_count() == rows {
            return false;
        }
        self.lines = self.lines.iter().copied().step_by(if self.cols == 1 { cols } else { 1 }).collect();
        self.cols = cols;
        true
    }

    fn unstack_layers(&mut self, layers: BoxLayers) {
        self.cells = layers.side_by_side(&self.cells, LAYER_GAP);
        (self.cols, self.layers, self.has_stacked_layers) = (layers.width(), Some(layers), true);
    }

    /// Returns the tour of an unknown box: its layers are separated by gap columns, or stacked in the only
    /// way that gives a tour.
    pub(super) fn guess_box(&mut self, known: &ReadContext) -> Option<(Tour, u64)> {
        let (rows, cols) = (self.row_count(), self.cols);
        let is_apart = |cell: &u32| matches!(*cell, EMPTY_CELL | LAYER_GAP);
        let is_between = |col: usize| self.cells.iter().skip(col).step_by(cols).all(is_apart);
        if let Some(layers) = BoxLayers::from_gap_columns(rows, cols, is_between) {
            // Doubled commas between single columns may be squares that were not visited.
            if layers.cols == 1 && self.cells.contains(&EMPTY_CELL) {
                return None;
            }
            self.layers = Some(layers);
            return self.tour_on(&self.find_board(known).ok()?).ok();
        }
        // Layers of single rows or columns are not tried.
        if self.cells.len() > MAX_GUESSED_BOX_CELLS || cols < 2 {
            return None;
        }
        let cells = self.cells.clone();
        let heights = (2..=rows / 2).filter(|&height| rows.is_multiple_of(height));
        let mut found = heights.filter_map(|height| {
            (self.cells, self.cols) = (cells.clone(), cols);
            self.unstack_layers(BoxLayers { count: rows / height, rows: height, cols });
            self.tour_on(&self.find_board(known).ok()?).ok()
        });
        let tour = found.next()?;
        found.next().is_none().then_some(tour)
    }
}
