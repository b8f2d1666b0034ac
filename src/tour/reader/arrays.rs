//! Reading of tours from arrays.

use std::io::BufRead;

use super::{Located, TourReader};
use crate::board::Rectangle;
use crate::tour::brackets::{Brackets, Row};
use crate::tour::fault::{Fault, ReadError};
use crate::tour::grid::Grid;
use crate::tour::json::{Foreign, Said};
use crate::tour::sign::{Sign, sign};
use crate::tour::words::{is_row_of, words};
use crate::tour::{Tour, TourFormat, TourKind};

impl<R: BufRead> TourReader<R> {
    /// Reads an array from the current line on.
    pub(super) fn array(&mut self) -> Result<(), ReadError> {
        let first = self.lines.number();
        if self.lines.text() == b"{" && self.is_object_below()? {
            return Ok(());
        }
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
            // A semicolon ends a row of the array.
            let more = self.next_line()?;
            if ended && (!more || sign(self.lines.raw(), None, false) != Sign::Array) {
                if more {
                    self.lines.unread();
                }
                break;
            }
            if !more {
                return Err(ReadError { line: first, fault: Fault::Array("a bracket is not closed") });
            }
        }
        let tours = brackets.tours().map_err(|fault| ReadError { line: first, fault })?;
        self.array.extend(tours);
        self.said = Said::default();
        Ok(())
    }

    /// Returns true if a brace on a line of its own begins an object; then the object is the next line.
    fn is_object_below(&mut self) -> Result<bool, ReadError> {
        let first = self.lines.number();
        if !self.read_line()? {
            return Ok(false);
        }
        let joined = [b"{", self.lines.text()].concat();
        if sign(&joined, None, false) == Sign::Json {
            self.lines.come(vec![(first, joined)]);
            return Ok(true);
        }
        self.lines.again_from(first, b"{".to_vec());
        self.read_line()?;
        Ok(false)
    }

    /// Reads the array of an object of another program.
    pub(super) fn object(&mut self, text: &[u8], first: u64) -> Result<(), ReadError> {
        let at_first = |fault| ReadError { line: first, fault };
        let Foreign { array, said } = Foreign::read(text).map_err(at_first)?;
        let mut brackets = Brackets::default();
        brackets.first_line(array.as_bytes(), first).map_err(at_first)?;
        self.array.extend(brackets.tours().map_err(at_first)?);
        self.said = said;
        Ok(())
    }

    /// Returns the tour of an array, checked against the metadata of the array.
    pub(super) fn of_array(&mut self, rows: &[Row]) -> Result<Located, ReadError> {
        let line = rows[0].0;
        let located = match self.said.kinds.clone().as_slice() {
            [] => self.tour_of_array(rows, None),
            [kind] => self.tour_of_array(rows, Some(*kind)),
            [kind, others @ ..] => {
                others.iter().fold(self.tour_of_array(rows, Some(*kind)), |found, kind| match found {
                    Err(ReadError { fault: Fault::OtherKind { .. }, .. }) => {
                        self.tour_of_array(rows, Some(*kind))
                    }
                    found => found,
                })
            }
        }?;
        if let Some(board) = located.tour.arena().rectangle().map(Rectangle::board) {
            let is = [board.rows(), board.cols()].map(u64::from);
            let [rows, cols] = [0, 1].map(|side| self.said.sides[side].unwrap_or(is[side]));
            if [rows, cols] != is {
                let (said, found) = (format!("{rows} x {cols}"), format!("{} x {}", is[0], is[1]));
                return Err(ReadError { line, fault: Fault::Declared { said, found } });
            }
        }
        self.has_read = true;
        self.known.remember(&located.tour);
        Ok(located)
    }

    /// Returns the tour of an array of rows of numbers or of one line of squares.
    fn tour_of_array(&mut self, rows: &[Row], kind: Option<TourKind>) -> Result<Located, ReadError> {
        let line = rows[0].0;
        let at_first = |fault| ReadError { line, fault };
        let is_named = |text: &[u8]| match self.known.graph() {
            Some(arena) => !is_row_of(arena, text),
            None => text.iter().any(u8::is_ascii_alphabetic),
        };
        let located = match rows {
            [(_, text)] if is_named(text) => {
                let tour = self.named_array(text, kind).map_err(at_first)?;
                Located { tour, line, format: TourFormat::Squares }
            }
            _ => {
                let mut grid = Grid::new(self.known.arena().cloned()).map_err(at_first)?;
                let mut rows = Some(self.rows_of_lines(rows));
                // Each layer of a box is an array.
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
                let tour = self.known.of_kind(tour, kind).map_err(|fault| ReadError { line, fault })?;
                Located { tour, line, format: TourFormat::Grid }
            }
        };
        Ok(located)
    }

    /// Returns the tour of a line of names, which may repeat its first name at the end.
    fn named_array(&self, text: &[u8], kind: Option<TourKind>) -> Result<Tour, Fault> {
        let found = self.known.line(text, kind);
        match found.as_ref().err().and_then(|fault| self.led_back(text, fault)) {
            Some(closed) if kind.is_none_or(|kind| kind == TourKind::Closed) => Ok(closed),
            _ => found,
        }
    }

    /// Splits a list of numbers into rows if its lines have equal lengths and no board is known.
    fn rows_of_lines(&self, rows: &[Row]) -> Vec<Row> {
        if let ([(line, text)], None) = (rows, self.known.arena()) {
            let lines = || text.split(|&b| b == b'\n');
            let width = lines().next().map_or(0, |row| words(row).count());
            if width > 1 && lines().count() > 1 && lines().all(|row| words(row).count() == width) {
                return (*line..).zip(lines().map(<[u8]>::to_vec)).collect();
            }
        }
        rows.to_vec()
    }

    /// Returns the next layer, from this array or from one below.
    fn next_array(&mut self) -> Result<Option<Vec<Row>>, ReadError> {
        while self.array.is_empty() && self.read_line()? {
            match sign(self.lines.raw(), self.known.graph(), false) {
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
