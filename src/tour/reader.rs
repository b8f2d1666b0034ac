//! Reader of tours, in every format that ktour writes and in formats that people paste.
//!
//! The reader returns one tour at a time, so a file may be of any length. The start of a line decides its
//! format (see `LineKind`), and the format may change from tour to tour:
//!
//! ```text
//! # ktour board=... kind=...     header for the tours that follow (see `FileHeader`)
//! a1 b3 d2 ...                   squares, one tour a line; also a1-b3-d2, Na1 Nb3, 1. a1 2. b3,
//!                                from a1 to b3, then c5, or over several lines (see `JoinedLines`); numbers before squares
//!                                must count them (see `MoveNumbers`)
//! kind,squares,arena             a CSV header; CSV rows follow
//! step,square,note               the header of a table with a row for each square (see `StepTable`)
//! {"squares":["a1",...           JSON, one tour a line; objects of other programs (see `ForeignObject`)
//! 3 8 5 10                       a number grid down to the next blank line; numbers
//! . 7 2 11                       begin at 0 or 1; `.` or `-` is a removed square
//! | 3 | 8 | 5 |                  a number grid as a table
//! [[3, 8, 5], ...                a number grid as an array, also in braces (see `ArrayParser`)
//!                                layers of a box side by side or one below the other (see `BoxLayers`);
//!                                ranks and files in the margins must fit (see `MarginLabels`)
//! 3 & 8 & 5 \\                   LaTeX, R and the like are converted first (see `convert_line`)
//! A tour:                        a title, if a tour follows
//! Found in 0.3 seconds           closing text below a tour: with a number and without squares
//! # ...                          a comment
//! ```
//!
//! Headers, fields and options give the board and the kind. Without them, the first tour decides: a grid by
//! its shape, squares by the smallest rectangle that holds them. Later tours must be of the same board,
//! unless mixed boards are allowed; a tour whose ends are a move apart is closed. Tours of a custom graph are
//! read by the names of its vertices, and as grids only if it has a layout. Memory: the longest line or
//! array, at most [`super::MAX_LINE_BYTES`] bytes, and the vertices of one tour. Input that cannot be a tour
//! is rejected as early as possible.

pub(crate) mod array_literal;
mod array_tours;
pub(crate) mod box_layers;
pub(crate) mod csv_row;
pub(crate) mod foreign_rows;
pub(crate) mod grid;
pub(crate) mod grid_table;
mod joined_lines;
pub(crate) mod json_object;
mod json_tours;
pub(crate) mod lexer;
pub(crate) mod line_kind;
pub(crate) mod read_context;
pub(crate) mod square_notation;
pub(crate) mod step_table;
mod table_tours;
use std::collections::VecDeque;
use std::io::BufRead;

use super::read_error::{ReadError, ReadErrorKind};
use super::{Tour, TourFormat};
use crate::board::Board;
use array_literal::ArrayRow;
use csv_row::CsvColumns;
use foreign_rows::convert_line;
use grid_table::MarginLabels;
use json_object::JsonMetadata;
use lexer::{LineSource, unrecognised_line};
use line_kind::{LineKind, classify_line, may_begin_tour, may_close_file};
use read_context::{ReadContext, ReadOptions};
use step_table::{StepTable, TableHeader};

/// Largest number of lines of a title.
const MAX_TITLE_LINES: u64 = 4;

/// A tour and its location in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedTour {
    /// The tour.
    pub tour: Tour,
    /// Line on which the tour begins, from 1.
    pub line: u64,
    /// Format in which the tour was written.
    pub format: TourFormat,
}

/// Reads tours one by one.
#[derive(Debug)]
pub struct TourReader<R> {
    lines: LineSource<R>,
    context: ReadContext,
    /// Columns of the CSV header, if the file has one.
    csv_columns: Option<CsvColumns>,
    /// Unfinished table with a row for each square.
    step_table: Option<StepTable>,
    /// Tours of an array that are not yet returned.
    array_tours: VecDeque<Vec<ArrayRow>>,
    /// Metadata of these tours.
    metadata: JsonMetadata,
    /// Line and error of the first pending line that may be a title.
    pending_title: Option<(u64, ReadErrorKind)>,
    /// Number of title lines so far, above tours and below the last one.
    title_lines: u64,
    /// True if all pending lines may be closing text.
    may_be_closing_text: bool,
    /// True if a tour has been read.
    has_read_tour: bool,
    /// Labels in the margins of the current grid.
    margin_labels: MarginLabels,
    /// True if the previous line is a rule.
    is_below_rule: bool,
    is_finished: bool,
    /// The last comment with the index numbers of tours.
    numbers_comment: Option<String>,
}

/// Start of a comment with the index numbers of the tours that follow.
const NUMBERS_COMMENT_PREFIX: &[u8] = b"# numbers of ";

impl<R: BufRead> TourReader<R> {
    /// Returns a reader of the tours in `input`.
    pub fn new(input: R, options: ReadOptions) -> Self {
        Self {
            lines: LineSource::new(input),
            context: ReadContext::new(options),
            csv_columns: None,
            step_table: None,
            array_tours: VecDeque::new(),
            metadata: JsonMetadata::default(),
            pending_title: None,
            title_lines: 0,
            may_be_closing_text: false,
            has_read_tour: false,
            margin_labels: MarginLabels::default(),
            is_below_rule: false,
            is_finished: false,
            numbers_comment: None,
        }
    }

    /// Returns the last comment so far with the index numbers of tours, as `ktour unrank` writes it.
    #[must_use]
    pub fn numbers_comment(&self) -> Option<&str> {
        self.numbers_comment.as_deref()
    }

    /// Returns the number of lines read so far.
    #[must_use]
    pub const fn lines(&self) -> u64 {
        self.lines.lines_taken()
    }

    /// Returns the number of lines taken for titles so far.
    #[must_use]
    pub const fn title_lines(&self) -> u64 {
        self.title_lines
    }

    fn read_tour(&mut self) -> Result<Option<LocatedTour>, ReadError> {
        loop {
            if let Some(rows) = self.array_tours.pop_front() {
                return self.checked_array_tour(&rows).map(Some);
            }
            if !self.read_line()? {
                return match self.pending_title.take() {
                    // Closing text that programs print below the tours they find.
                    Some(_) if self.may_be_closing_text => Ok(None),
                    Some((line, fault)) => Err(ReadError { line, kind: fault }),
                    None => Ok(None),
                };
            }
            let text = self.lines.text();
            let line = self.lines.number();
            let sign =
                classify_line(self.lines.raw(), self.context.non_rectangle(), self.csv_columns.is_some());
            self.is_below_rule &= matches!(sign, LineKind::GridRow);
            let found = match sign {
                LineKind::Comment => {
                    self.record_comment();
                    continue;
                }
                LineKind::Rule => {
                    self.is_below_rule = true;
                    continue;
                }
                LineKind::Blank => continue,
                LineKind::Header(header) => {
                    let header = header.map_err(|error| self.error_here(error.into()))?;
                    self.csv_columns = None;
                    self.context.apply_header(&header).map_err(|error_kind| self.error_here(error_kind))?;
                    continue;
                }
                LineKind::CsvHeader(columns) => {
                    self.csv_columns = Some(columns);
                    continue;
                }
                LineKind::TableHeader(TableHeader::Squares(steps)) => {
                    self.step_table = Some(StepTable::new(steps));
                    continue;
                }
                LineKind::TableHeader(TableHeader::Coordinates) => Err(ReadErrorKind::Coordinates),
                LineKind::FileLetters { has_corner_cell: corner, count } => {
                    self.margin_labels.set_files_above(corner, count);
                    continue;
                }
                LineKind::Title => {
                    self.record_title()?;
                    continue;
                }
                LineKind::Array => {
                    self.pending_title = None;
                    self.read_array()?;
                    continue;
                }
                LineKind::Unknown => Err(unrecognised_line(text)),
                LineKind::Json => match self.read_json()? {
                    Some(tour) => Ok((tour, TourFormat::Ndjson)),
                    None => continue,
                },
                LineKind::CsvRow => self.read_csv_row().map(|tour| (tour, TourFormat::Csv)),
                LineKind::Names => {
                    let tour = self.read_names()?;
                    Ok((tour, TourFormat::Squares))
                }
                LineKind::GridRow => {
                    let tour = self.read_grid()?;
                    Ok((tour, TourFormat::Grid))
                }
            };
            let (tour, format) = found.map_err(|error_kind| match self.pending_title.take() {
                // The line above was not a title.
                Some((line, title)) if matches!(error_kind, ReadErrorKind::UnrecognisedLine(_)) => {
                    ReadError { line, kind: title }
                }
                _ => self.error_here(error_kind),
            })?;
            (self.pending_title, self.has_read_tour) = (None, true);
            self.context.adopt_board(&tour);
            return Ok(Some(LocatedTour { tour, line, format }));
        }
    }

    fn error_here(&self, error_kind: ReadErrorKind) -> ReadError {
        ReadError { line: self.lines.number(), kind: error_kind }
    }

    /// Stores a comment with index numbers.
    fn record_comment(&mut self) {
        let text = self.lines.text();
        if text.starts_with(NUMBERS_COMMENT_PREFIX) {
            self.numbers_comment = Some(String::from_utf8_lossy(text).into_owned());
        }
    }

    /// Takes the current line for a title, which a tour must follow.
    fn record_title(&mut self) -> Result<(), ReadError> {
        let text = self.lines.text();
        // Names of a graph may be words of any language.
        let may_end = self.has_read_tour && self.context.non_rectangle().is_none() && may_close_file(text);
        self.may_be_closing_text = may_end && (self.pending_title.is_none() || self.may_be_closing_text);
        let (line, error_kind) =
            self.pending_title.take().unwrap_or_else(|| (self.lines.number(), unrecognised_line(text)));
        if self.lines.number() - line >= MAX_TITLE_LINES {
            return Err(ReadError { line, kind: error_kind });
        }
        self.title_lines += 1;
        self.pending_title = Some((line, error_kind));
        Ok(())
    }

    /// Advances to the next line, or to the squares of a table; returns false at the end of the file.
    fn read_line(&mut self) -> Result<bool, ReadError> {
        while self.read_raw_line()? {
            if !self.lines.is_fresh() {
                return Ok(true);
            }
            if self.step_table.is_none() {
                self.convert_current_line();
                return Ok(true);
            }
            // The squares of the table are the next lines.
            self.read_step_rows()?;
        }
        Ok(false)
    }

    /// Advances to the next line without conversion.
    fn read_raw_line(&mut self) -> Result<bool, ReadError> {
        let (csv, graph) = (self.csv_columns.is_some(), self.context.non_rectangle().is_some());
        let begins = |text: &[u8]| match (csv, graph) {
            (true, _) => CsvColumns::split_kind(text).map(|_| ()),
            (false, false) if !may_begin_tour(text) => Err(unrecognised_line(text.trim_ascii())),
            _ => Ok(()),
        };
        self.lines.next(begins).map_err(|error_kind| self.error_here(error_kind))
    }

    /// Converts the current line if it has the format of another program.
    fn convert_current_line(&mut self) {
        let has_squares = |board: &Board| board.wrapped_board().is_some() || board.box_board().is_some();
        if self.csv_columns.is_some() || !self.context.non_rectangle().is_none_or(has_squares) {
            return;
        }
        if let Some(lines) = convert_line(self.lines.text()) {
            let number = self.lines.number();
            self.lines.insert_lines(lines.into_iter().map(|line| (number, line)).collect());
            self.lines.next_pending();
        }
    }

    fn read_csv_row(&mut self) -> Result<Tour, ReadErrorKind> {
        let row = self.csv_columns.unwrap_or_default().parse_row(self.lines.text())?;
        if let Some(board) = row.board {
            self.context.set_board(board)?;
        }
        self.context.parse_line(row.squares, Some(row.kind))
    }
}

impl<R: BufRead> Iterator for TourReader<R> {
    type Item = Result<LocatedTour, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_finished {
            return None;
        }
        let found = self.read_tour().transpose();
        self.is_finished = !matches!(found, Some(Ok(_)));
        found
    }
}

#[cfg(test)]
mod tests;
