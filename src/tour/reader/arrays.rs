//! Tours of arrays.

use std::io::BufRead;

use super::{Located, TourReader};
use crate::tour::TourFormat;
use crate::tour::brackets::{Brackets, Row};
use crate::tour::fault::{Fault, ReadError};
use crate::tour::grid::Grid;
use crate::tour::sign::{Sign, sign};
use crate::tour::words::is_row_of;

impl<R: BufRead> TourReader<R> {
    /// Reads an array from the line in the buffer on.
    pub(super) fn array(&mut self) -> Result<(), ReadError> {
        let first = self.lines.number();
        let mut brackets = Brackets::default();
        loop {
            let text = self.lines.text();
            let line = self.lines.number();
            let ended =
                if line == first { brackets.first_line(text, line) } else { brackets.line(text, line) };
            let ended = ended.map_err(|fault| self.here(fault))?;
            if ended && !brackets.goes_on() {
                break;
            }
            let more = self.read_line()?;
            if ended && (!more || sign(self.lines.text(), None, false) != Sign::Array) {
                if more {
                    self.lines.again();
                }
                break;
            }
            if !more {
                return Err(ReadError { line: first, fault: Fault::Array("its brackets are not closed") });
            }
        }
        self.array.extend(brackets.tours());
        Ok(())
    }

    /// A tour of an array: rows of numbers, or one line of squares.
    pub(super) fn of_array(&mut self, rows: &[Row]) -> Result<Located, ReadError> {
        let line = rows[0].0;
        let at_first = |fault| ReadError { line, fault };
        let is_named = |text: &[u8]| match self.known.graph() {
            Some(arena) => !is_row_of(arena, text),
            None => text.iter().any(u8::is_ascii_alphabetic),
        };
        let located = match rows {
            [(_, text)] if is_named(text) => {
                let tour = self.known.line(text, None).map_err(at_first)?;
                Located { tour, line, format: TourFormat::Squares }
            }
            _ => {
                let mut grid = Grid::new(self.known.arena().cloned()).map_err(at_first)?;
                let mut rows = Some(rows.to_vec());
                // Of a box every layer is an array.
                while let Some(layer) = rows {
                    let added = layer
                        .iter()
                        .try_for_each(|(line, text)| grid.row(text, *line).map_err(|fault| (*line, fault)));
                    if added.is_err() && grid.is_first_alone() {
                        break;
                    }
                    added.map_err(|(line, fault)| ReadError { line, fault })?;
                    rows = if grid.lacks_layers() { self.next_array()? } else { None };
                }
                let (tour, line) = grid.finish(&self.known)?;
                let tour = self.known.of_kind(tour, None).map_err(|fault| ReadError { line, fault })?;
                Located { tour, line, format: TourFormat::Grid }
            }
        };
        self.known.remember(&located.tour);
        Ok(located)
    }

    /// The next layer, of this array or of one below.
    fn next_array(&mut self) -> Result<Option<Vec<Row>>, ReadError> {
        while self.array.is_empty() && self.read_line()? {
            match sign(self.lines.text(), self.known.graph(), false) {
                Sign::Array => self.array()?,
                Sign::Blank | Sign::Remark => {}
                Sign::Title => self.titles += 1,
                _ => {
                    self.lines.again();
                    break;
                }
            }
        }
        Ok(self.array.pop_front())
    }
}
