//! Reading of number grids, line by line.

use std::io::BufRead;

use super::TourReader;
use crate::tour::Tour;
use crate::tour::cells::parse_cells_or_holes;
use crate::tour::fault::{ReadError, ReadErrorKind};
use crate::tour::grid::NumberGrid;
use crate::tour::sign::{LineKind, classify_line};
use crate::tour::table;

impl<R: BufRead> TourReader<R> {
    /// Reads a grid from the current line on; for a box, also the layers below.
    pub(super) fn read_grid(&mut self) -> Result<Tour, ReadError> {
        let first = self.lines.number();
        let mut grid =
            NumberGrid::new(self.context.board().cloned()).map_err(|fault| self.error_here(fault))?;
        loop {
            let added = self.add_grid_row(&mut grid);
            if added.is_err() && grid.is_only_first_block() {
                break;
            }
            if !added.map_err(|fault| self.error_here(fault))? {
                self.lines.push_back();
                break;
            }
            if !self.advance_to_next_row(&mut grid)? {
                break;
            }
        }
        let labels = std::mem::take(&mut self.margin_labels);
        self.is_below_rule = false;
        if grid.has_numbers()
            && let Some(height) =
                labels.ascending_height().map_err(|fault| ReadError { line: first, kind: fault })?
        {
            grid.reverse_ranks(height);
        }
        let (tour, line) = grid.into_tour(&self.context)?;
        self.context.check_kind(tour, None).map_err(|fault| ReadError { line, kind: fault })
    }

    /// Adds the current row without its labels; returns false if the next grid begins with this row.
    fn add_grid_row(&mut self, grid: &mut NumberGrid) -> Result<bool, ReadErrorKind> {
        let text = self.lines.text();
        if self.margin_labels.len() == 1 && self.margin_labels.is_empty() {
            let next = || match table::has_bar(text) {
                true => parse_cells_or_holes(&table::split_cells(text).0.join(&b',')),
                false => parse_cells_or_holes(text),
            };
            if let Some(columns) = grid.remove_column_numbers(next) {
                self.margin_labels.set_column_numbers(columns);
            }
        }
        let (row, label) = self.margin_labels.split_row(text)?;
        if grid.is_complete_before(&row) {
            return Ok(false);
        }
        grid.add_row(&row, self.lines.number())?;
        self.margin_labels.push_row_label(label);
        Ok(true)
    }

    /// Advances to the next row of a grid; returns false if there is none.
    fn advance_to_next_row(&mut self, grid: &mut NumberGrid) -> Result<bool, ReadError> {
        // True if any line separates this row from the previous one.
        let mut is_apart = false;
        while self.read_line()? {
            let sign = classify_line(self.lines.raw(), self.context.non_rectangle(), false);
            let is_end = matches!(
                sign,
                LineKind::Blank
                    | LineKind::Comment
                    | LineKind::FileLetters { .. }
                    | LineKind::Header(_)
                    | LineKind::Title
                    | LineKind::CsvHeader(_)
                    | LineKind::TableHeader(_)
            );
            if is_end && !is_apart && !grid.lacks_layers() {
                if let LineKind::FileLetters { count, .. } = sign {
                    self.add_files_below(grid, count);
                }
                if matches!(
                    sign,
                    LineKind::Header(_) | LineKind::Title | LineKind::CsvHeader(_) | LineKind::TableHeader(_)
                ) {
                    self.lines.push_back();
                }
                return Ok(false);
            }
            is_apart |= is_end;
            match sign {
                // Rules of a table are skipped.
                LineKind::Rule => {
                    // Markdown has a header above its rule, even if it names nothing; boxes begin with a
                    // rule.
                    if !self.is_below_rule {
                        grid.remove_empty_head();
                        self.is_below_rule = true;
                    }
                }
                LineKind::FileLetters { has_corner_cell: corner, count } => {
                    self.margin_labels.set_files_above(corner, count)
                }
                LineKind::Title => self.title_lines += 1,
                LineKind::Header(_) | LineKind::CsvHeader(_) | LineKind::TableHeader(_) => {
                    self.lines.push_back();
                    return Ok(false);
                }
                _ if is_end => {}
                // The grid reports lines that are not rows.
                _ => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Records file letters below a grid.
    fn add_files_below(&mut self, grid: &mut NumberGrid, columns: usize) {
        self.margin_labels.set_files_below();
        if self.margin_labels.is_empty()
            && let Some(ranks) = grid.take_ranks(columns)
        {
            self.margin_labels.set_row_labels(ranks);
        }
    }
}
