//! Reading of tables with a row for each square.

use std::io::BufRead;

use super::TourReader;
use crate::tour::fault::ReadError;
use crate::tour::header::Header;
use crate::tour::steps::{Added, Head};
use crate::tour::table;

impl<R: BufRead> TourReader<R> {
    /// Replaces the current row, and the rows that belong to it, by lines of their squares. The line that
    /// ends the table is pushed back.
    pub(super) fn rows_of_table(&mut self) -> Result<(), ReadError> {
        let Some(mut rows) = self.table.take() else { return Ok(()) };
        let mut more = true;
        let (mut is_table, mut is_next) = (true, false);
        while more {
            let (text, line) = (self.lines.raw(), self.lines.number());
            let bare = text.trim_ascii();
            let ends = bare.is_empty() || Head::read(text).is_some() || rows.is_below(text);
            let is_rule = table::is_rule(bare);
            if bare.starts_with(b"#") && Header::read(bare).is_none() {
                self.note_remark();
            } else if bare.starts_with(b"#") || ends && !is_rule {
                is_table = false;
                break;
            } else if !is_rule {
                match rows.add(text, line).map_err(|fault| self.here(fault))? {
                    Added::Here => {}
                    Added::Alone => {
                        self.lines.come(rows.take().map_err(|(line, fault)| ReadError { line, fault })?);
                        self.table = Some(rows);
                        return Ok(());
                    }
                    Added::Elsewhere => {
                        is_next = true;
                        break;
                    }
                }
            }
            more = self.next_line()?;
        }
        if more {
            self.lines.unread();
        }
        let mut found = rows.take().map_err(|(line, fault)| ReadError { line, fault })?;
        if is_next {
            // A tour ends before the row in which the numbers restart.
            found.push((self.lines.number(), Vec::new()));
        }
        self.lines.come(found);
        if is_table && more {
            self.table = Some(rows);
        }
        Ok(())
    }
}
