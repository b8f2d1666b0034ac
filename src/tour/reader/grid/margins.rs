//! The margins of a grid: column numbers, ranks, and empty cells.

use super::NumberGrid;
use crate::board::Square;
use crate::tour::read_error::{ReadError, ReadErrorKind};
use crate::tour::reader::tokens::{EMPTY_CELL, is_number, parse_cells_or_holes};

impl NumberGrid {
    /// Returns true if any cell has a number.
    pub(in crate::tour) const fn has_numbers(&self) -> bool {
        self.number_count > 0
    }

    /// Returns true if the grid holds all numbers of a tour and this row repeats one of them: then the next
    /// grid begins with this row.
    pub(in crate::tour) fn is_complete_before(&self, row: &[u8]) -> bool {
        let (least, most) = (self.least, self.greatest);
        let is_whole =
            self.number_count > 0 && least < 2 && self.number_count == u64::from(most) + 1 - u64::from(least);
        if !is_whole || self.lines.len() < 2 || self.is_list_of_pairs() {
            return false;
        }
        let row = parse_cells_or_holes(row);
        let is_next = row.len() == self.cols && row.iter().any(|cell| (least..=most).contains(cell));
        is_next && self.check_repeats().is_ok()
    }

    /// Removes the only row if it numbers the columns, and returns the number of columns. Such a row counts
    /// from 0 or 1, optionally after an empty cell, and the next row has one more cell and begins with 0 or
    /// 1.
    pub(in crate::tour) fn remove_column_numbers(
        &mut self,
        next: impl FnOnce() -> Vec<u32>,
    ) -> Option<usize> {
        let is_first = self.lines.len() == 1 && self.cells.len() > 1;
        let numbers = self.cells.strip_prefix(&[EMPTY_CELL]).unwrap_or(&self.cells);
        let count = numbers.len();
        let counts = numbers.windows(2).all(|two| two[0].checked_add(1) == Some(two[1]));
        let is_head = is_first && count > 1 && numbers[0] < 2 && counts && is_number(numbers[count - 1]);
        let begins = |next: Vec<u32>| next.len() == count + 1 && next[0] < 2;
        if !is_head || !begins(next()) {
            return None;
        }
        self.cells.clear();
        self.lines.clear();
        (self.cols, self.number_count, self.least, self.greatest) = (0, 0, 1, 0);
        Some(count)
    }

    /// Removes the rank labels of a grid of `columns` columns and returns them. They are in the first column,
    /// or in the first and last if the grid has two more columns than that. Returns `None` if there are no
    /// such columns.
    pub(in crate::tour) fn take_ranks(&mut self, columns: usize) -> Option<Vec<Option<u32>>> {
        let (rows, cols) = (self.row_count(), self.cols);
        let has_both = columns > 0 && cols == columns + 2;
        if !has_both && cols != columns + 1 {
            return None;
        }
        let column = |col: usize| self.cells.iter().skip(col).step_by(cols).copied().collect::<Vec<u32>>();
        let ranks = column(0);
        if has_both && ranks != column(cols - 1) {
            return None;
        }
        self.remove_column(0, rows * cols);
        if has_both {
            self.remove_column(columns, rows * (columns + 1));
        }
        Some(ranks.into_iter().map(|rank| is_number(rank).then_some(rank)).collect())
    }

    /// Reverses the rows of each layer of `height` rows.
    pub(in crate::tour) fn reverse_ranks(&mut self, height: usize) {
        let cols = self.cols.max(1);
        for layer in self.cells.chunks_mut(height * cols) {
            let rows: Vec<u32> = layer.rchunks(cols).flatten().copied().collect();
            layer.copy_from_slice(&rows);
        }
        for layer in self.lines.chunks_mut(height) {
            layer.reverse();
        }
    }

    /// Returns an error if the cell of a square is empty.
    pub(super) fn check_empty_cells(&self, is_square: impl Fn(Square) -> bool) -> Result<(), ReadErrorKind> {
        let empty = (0..self.cells.len())
            .filter(|&cell| self.cells[cell] == EMPTY_CELL)
            .map(|cell| self.square(cell));
        match empty.into_iter().find(|&square| is_square(square)) {
            Some(square) => Err(ReadErrorKind::EmptyCell(self.square_name(square))),
            None => Ok(()),
        }
    }

    /// Returns an error with its line: that of the empty cell if the error is about one, else the first line.
    pub(super) fn locate_error(&self, fault: ReadErrorKind) -> ReadError {
        let cell = self
            .cells
            .iter()
            .position(|&cell| cell == EMPTY_CELL)
            .filter(|_| matches!(fault, ReadErrorKind::EmptyCell(_)));
        let line = cell.map(|cell| self.line_of(self.square(cell))).or(self.lines.first().copied());
        ReadError { line: line.unwrap_or(0), kind: fault }
    }
}
