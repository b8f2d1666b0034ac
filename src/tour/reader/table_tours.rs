//! Reading of tables with a row for each square.

use std::io::BufRead;

use super::step_table::{AddedRow, TableHeader};
use super::{TourReader, grid_table};
use crate::tour::file_format::FileHeader;
use crate::tour::read_error::ReadError;

impl<R: BufRead> TourReader<R> {
    /// Replaces the current row, and the rows that belong to it, by lines of their squares. The line that
    /// ends the table is pushed back.
    pub(super) fn read_step_rows(&mut self) -> Result<(), ReadError> {
        let Some(mut rows) = self.step_table.take() else { return Ok(()) };
        let mut more = true;
        let (mut is_table, mut is_next) = (true, false);
        while more {
            let (text, line) = (self.lines.raw(), self.lines.number());
            let bare = text.trim_ascii();
            let ends = bare.is_empty() || TableHeader::parse(text).is_some() || rows.is_text_below(text);
            let is_rule = grid_table::is_rule(bare);
            if bare.starts_with(b"#") && FileHeader::parse_line(bare).is_none() {
                self.record_comment();
            } else if bare.starts_with(b"#") || ends && !is_rule {
                is_table = false;
                break;
            } else if !is_rule {
                match rows.add_row(text, line).map_err(|error_kind| self.error_here(error_kind))? {
                    AddedRow::Added => {}
                    AddedRow::EndsGroup => {
                        self.lines.insert_lines(
                            rows.take_ordered()
                                .map_err(|(line, error_kind)| ReadError { line, kind: error_kind })?,
                        );
                        self.step_table = Some(rows);
                        return Ok(());
                    }
                    AddedRow::BeginsNext => {
                        is_next = true;
                        break;
                    }
                }
            }
            more = self.read_raw_line()?;
        }
        if more {
            self.lines.push_back_fresh();
        }
        let mut found =
            rows.take_ordered().map_err(|(line, error_kind)| ReadError { line, kind: error_kind })?;
        if is_next {
            // A tour ends before the row in which the numbers restart.
            found.push((self.lines.number(), Vec::new()));
        }
        self.lines.insert_lines(found);
        if is_table && more {
            self.step_table = Some(rows);
        }
        Ok(())
    }
}
