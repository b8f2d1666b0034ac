//! Reading of tours from arrays.

use std::io::BufRead;

use super::array_literal::{ArrayParser, ArrayRow};
use super::grid::NumberGrid;
use super::json_object::{ForeignObject, JsonMetadata};
use super::lexer::{is_grid_row, split_words};
use super::line_kind::{LineKind, classify_line};
use super::{LocatedTour, TourReader};
use crate::board::LeaperBoard;
use crate::tour::read_error::{ReadError, ReadErrorKind};
use crate::tour::{Tour, TourFormat, TourKind};

impl<R: BufRead> TourReader<R> {
    /// Reads an array from the current line on.
    pub(super) fn read_array(&mut self) -> Result<(), ReadError> {
        let first = self.lines.number();
        if self.lines.text() == b"{" && self.is_object_below()? {
            return Ok(());
        }
        let mut brackets = ArrayParser::default();
        loop {
            let text = self.lines.text();
            let line = self.lines.number();
            let ended = if line == first {
                brackets.add_first_line(text, line)
            } else {
                brackets.add_line(text, line)
            };
            let ended = ended.map_err(|error_kind| self.error_here(error_kind))?;
            if ended && !brackets.may_continue() {
                break;
            }
            // A semicolon ends a row of the array.
            let more = self.read_raw_line()?;
            if ended && (!more || classify_line(self.lines.raw(), None, false) != LineKind::Array) {
                if more {
                    self.lines.push_back_fresh();
                }
                break;
            }
            if !more {
                return Err(ReadError {
                    line: first,
                    kind: ReadErrorKind::InvalidArray("a bracket is not closed"),
                });
            }
        }
        let tours =
            brackets.into_tours().map_err(|error_kind| ReadError { line: first, kind: error_kind })?;
        self.array_tours.extend(tours);
        self.metadata = JsonMetadata::default();
        Ok(())
    }

    /// Returns true if a brace on a line of its own begins an object; then the object is the next line.
    fn is_object_below(&mut self) -> Result<bool, ReadError> {
        let first = self.lines.number();
        if !self.read_line()? {
            return Ok(false);
        }
        let joined = [b"{", self.lines.text()].concat();
        if classify_line(&joined, None, false) == LineKind::Json {
            self.lines.insert_lines(vec![(first, joined)]);
            return Ok(true);
        }
        self.lines.push_back_two(first, b"{".to_vec());
        self.read_line()?;
        Ok(false)
    }

    /// Reads the array of an object of another program.
    pub(super) fn read_foreign_object(&mut self, text: &[u8], first: u64) -> Result<(), ReadError> {
        let at_first = |error_kind| ReadError { line: first, kind: error_kind };
        let ForeignObject { array, metadata } = ForeignObject::parse(text).map_err(at_first)?;
        let mut brackets = ArrayParser::default();
        brackets.add_first_line(array.as_bytes(), first).map_err(at_first)?;
        self.array_tours.extend(brackets.into_tours().map_err(at_first)?);
        self.metadata = metadata;
        Ok(())
    }

    /// Returns the tour of an array, checked against the metadata of the array.
    pub(super) fn checked_array_tour(&mut self, rows: &[ArrayRow]) -> Result<LocatedTour, ReadError> {
        let line = rows[0].0;
        let located = match self.metadata.kinds.clone().as_slice() {
            [] => self.parse_array_tour(rows, None),
            [kind] => self.parse_array_tour(rows, Some(*kind)),
            [kind, others @ ..] => {
                others.iter().fold(self.parse_array_tour(rows, Some(*kind)), |found, kind| match found {
                    Err(ReadError { kind: ReadErrorKind::KindMismatch { .. }, .. }) => {
                        self.parse_array_tour(rows, Some(*kind))
                    }
                    found => found,
                })
            }
        }?;
        if let Some(board) = located.tour.board().leaper_board().map(LeaperBoard::rectangle) {
            let is = [board.rows(), board.cols()].map(u64::from);
            let [rows, cols] = [0, 1].map(|side| self.metadata.board_size[side].unwrap_or(is[side]));
            if [rows, cols] != is {
                let (stated_size, found) = (format!("{rows} x {cols}"), format!("{} x {}", is[0], is[1]));
                return Err(ReadError {
                    line,
                    kind: ReadErrorKind::ArraySize { declared: stated_size, found },
                });
            }
        }
        self.has_read_tour = true;
        self.context.adopt_board(&located.tour);
        Ok(located)
    }

    /// Returns the tour of an array of rows of numbers or of one line of squares.
    fn parse_array_tour(
        &mut self,
        rows: &[ArrayRow],
        kind: Option<TourKind>,
    ) -> Result<LocatedTour, ReadError> {
        let line = rows[0].0;
        let at_first = |error_kind| ReadError { line, kind: error_kind };
        let is_named = |text: &[u8]| match self.context.non_rectangle() {
            Some(board) => !is_grid_row(board, text),
            None => text.iter().any(u8::is_ascii_alphabetic),
        };
        let located = match rows {
            [(_, text)] if is_named(text) => {
                let tour = self.parse_named_array(text, kind).map_err(at_first)?;
                LocatedTour { tour, line, format: TourFormat::Squares }
            }
            _ => {
                let mut grid = NumberGrid::new(self.context.board().cloned()).map_err(at_first)?;
                let mut rows = Some(self.split_rows(rows));
                // Each layer of a box is an array.
                while let Some(layer) = rows {
                    let added = layer.iter().try_for_each(|(line, text)| {
                        grid.add_row(text, *line).map_err(|error_kind| (*line, error_kind))
                    });
                    if added.is_err() && grid.is_only_first_block() {
                        break;
                    }
                    added.map_err(|(line, error_kind)| ReadError { line, kind: error_kind })?;
                    rows = if grid.lacks_layers() { self.next_layer()? } else { None };
                }
                let (tour, line) = grid.into_tour(&self.context)?;
                let tour = self
                    .context
                    .check_kind(tour, kind)
                    .map_err(|error_kind| ReadError { line, kind: error_kind })?;
                LocatedTour { tour, line, format: TourFormat::Grid }
            }
        };
        Ok(located)
    }

    /// Returns the tour of a line of names, which may repeat its first name at the end.
    fn parse_named_array(&self, text: &[u8], kind: Option<TourKind>) -> Result<Tour, ReadErrorKind> {
        let found = self.context.parse_line(text, kind);
        match found.as_ref().err().and_then(|error_kind| self.closed_by_repeat(text, error_kind)) {
            Some(closed) if kind.is_none_or(|kind| kind == TourKind::Closed) => Ok(closed),
            _ => found,
        }
    }

    /// Splits a list of numbers into rows if its lines have equal lengths and no board is known.
    fn split_rows(&self, rows: &[ArrayRow]) -> Vec<ArrayRow> {
        if let ([(line, text)], None) = (rows, self.context.board()) {
            let lines = || text.split(|&b| b == b'\n');
            let width = lines().next().map_or(0, |row| split_words(row).count());
            if width > 1 && lines().count() > 1 && lines().all(|row| split_words(row).count() == width) {
                return (*line..).zip(lines().map(<[u8]>::to_vec)).collect();
            }
        }
        rows.to_vec()
    }

    /// Returns the next layer, from this array or from one below.
    fn next_layer(&mut self) -> Result<Option<Vec<ArrayRow>>, ReadError> {
        while self.array_tours.is_empty() && self.read_line()? {
            match classify_line(self.lines.raw(), self.context.non_rectangle(), false) {
                LineKind::Array => self.read_array()?,
                LineKind::Blank | LineKind::Comment => {}
                LineKind::Title => self.title_lines += 1,
                _ => {
                    self.lines.push_back();
                    break;
                }
            }
        }
        Ok(self.array_tours.pop_front())
    }
}
