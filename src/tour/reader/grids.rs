//! Reading of number grids, line by line.

use std::io::BufRead;

use super::TourReader;
use crate::tour::Tour;
use crate::tour::cells::numbers;
use crate::tour::fault::{Fault, ReadError};
use crate::tour::grid::Grid;
use crate::tour::sign::{Sign, sign};
use crate::tour::table;

impl<R: BufRead> TourReader<R> {
    /// Reads a grid from the current line on; for a box, also the layers below.
    pub(super) fn grid(&mut self) -> Result<Tour, ReadError> {
        let first = self.lines.number();
        let mut grid = Grid::new(self.known.arena().cloned()).map_err(|fault| self.here(fault))?;
        loop {
            let added = self.row(&mut grid);
            if added.is_err() && grid.is_first_alone() {
                break;
            }
            if !added.map_err(|fault| self.here(fault))? {
                self.lines.again();
                break;
            }
            if !self.next_row(&mut grid)? {
                break;
            }
        }
        let labels = std::mem::take(&mut self.labels);
        self.is_below_rule = false;
        if grid.has_numbers()
            && let Some(height) = labels.upside_down().map_err(|fault| ReadError { line: first, fault })?
        {
            grid.turn_over(height);
        }
        let (tour, line) = grid.finish(&self.known)?;
        self.known.of_kind(tour, None).map_err(|fault| ReadError { line, fault })
    }

    /// Adds the current row without its labels; returns false if the next grid begins with this row.
    fn row(&mut self, grid: &mut Grid) -> Result<bool, Fault> {
        let text = self.lines.text();
        if self.labels.len() == 1 && self.labels.is_empty() {
            let next = || match table::has_bar(text) {
                true => numbers(&table::cells(text).0.join(&b',')),
                false => numbers(text),
            };
            if let Some(columns) = grid.leave_out_numbers(next) {
                self.labels.numbers(columns);
            }
        }
        let (row, label) = self.labels.apart(text)?;
        if grid.is_whole_above(&row) {
            return Ok(false);
        }
        grid.row(&row, self.lines.number())?;
        self.labels.push(label);
        Ok(true)
    }

    /// Advances to the next row of a grid; returns false if there is none.
    fn next_row(&mut self, grid: &mut Grid) -> Result<bool, ReadError> {
        // True if any line separates this row from the previous one.
        let mut is_apart = false;
        while self.read_line()? {
            let sign = sign(self.lines.raw(), self.known.graph(), false);
            let is_end = matches!(
                sign,
                Sign::Blank
                    | Sign::Remark
                    | Sign::Files { .. }
                    | Sign::Header(_)
                    | Sign::Title
                    | Sign::Columns(_)
                    | Sign::Steps(_)
            );
            if is_end && !is_apart && !grid.lacks_layers() {
                if let Sign::Files { count, .. } = sign {
                    self.files_below(grid, count);
                }
                if matches!(sign, Sign::Header(_) | Sign::Title | Sign::Columns(_) | Sign::Steps(_)) {
                    self.lines.again();
                }
                return Ok(false);
            }
            is_apart |= is_end;
            match sign {
                // Rules of a table are skipped.
                Sign::Rule => {
                    // Markdown has a header above its rule, even if it names nothing; boxes begin with a
                    // rule.
                    if !self.is_below_rule {
                        grid.leave_out_empty_head();
                        self.is_below_rule = true;
                    }
                }
                Sign::Files { corner, count } => self.labels.files(corner, count),
                Sign::Title => self.titles += 1,
                Sign::Header(_) | Sign::Columns(_) | Sign::Steps(_) => {
                    self.lines.again();
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
    fn files_below(&mut self, grid: &mut Grid, columns: usize) {
        self.labels.files_below();
        if self.labels.is_empty()
            && let Some(ranks) = grid.take_ranks(columns)
        {
            self.labels.replace(ranks);
        }
    }
}
