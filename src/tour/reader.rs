//! Reader of tours, in every format that ktour writes and in formats that people paste.
//!
//! The reader returns one tour at a time, so a file may be of any length. It goes on after a fault: every tour of
//! a file is checked. It works in three steps:
//!
//! 1. *Lex*: `token` splits a line into squares, numbers, words and signs.
//! 2. *Detect*: `line_kind` decides by the tokens what a line belongs to.
//! 3. *Resolve*: one of a few readings takes the line and those below it, as many as it needs. The numbers or
//!    squares themselves decide: a reading is taken if its result is a tour.
//!
//! ```text
//! # ktour board=... kind=...     header for the tours that follow (see `FileHeader`)
//! kind,squares,board             a CSV header of ktour; CSV rows follow
//! {"squares":["a1",...           an object of ktour
//! a1 b3 d2 ...                   squares, on one line or several, in many notations (see `names`)
//! step,square,note               the header of a table with a row for each square (see `table`)
//! 3 8 5 10                       rows of move numbers from 0 or 1, with or without labels (see `cells`,
//! . 7 2 11                       `margins`, `grid`); layers of a box side by side or one below the other
//! [[3, 8, 5], ...                arrays and maps of any language (see `tree_tours`)
//! 0 0                            coordinates, if the rows are no grid (see `coordinates`)
//! x=0 y=0                        coordinates with their names (see `labelled_pairs`)
//! A tour:                        prose, which is skipped with a report
//! # ...                          a comment
//! ```
//!
//! Headers, fields and options give the board and the kind. Without them, the first tour decides: a grid by
//! its shape, squares by the smallest rectangle that holds them. Later tours must be of the same board,
//! unless mixed boards are allowed; a tour whose ends are a move apart is closed. Tours of a custom graph are
//! read by the names of its vertices, and as grids only if it has a layout. Nothing that holds a square or a
//! number is skipped without a report. Memory: the lines of one tour, at most
//! [`super::MAX_LINE_BYTES`] bytes.

pub(crate) mod box_layers;
mod captions;
mod cells;
pub(crate) mod coordinates;
mod grid;
mod grid_tours;
mod labelled_pairs;
mod line_buffer;
mod line_kind;
mod margins;
mod move_numbers;
mod name_tours;
mod names;
pub(crate) mod own_rows;
pub(crate) mod read_context;
mod read_notes;
mod readings;
mod table;
mod text_lines;
mod token;
mod tree;
mod tree_tours;
mod tree_values;

use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::Arc;

use super::read_error::{ReadError, ReadErrorKind};
use super::{Tour, TourFormat, TourKind};
use crate::board::LeaperBoard;
use crate::text_format::printable_excerpt;
use coordinates::Coordinates;
use labelled_pairs::enclose_pairs;
use line_buffer::LineBuffer;
use line_kind::{LineKind, classify_line, unrecognised_line};
use name_tours::{InputNames, RowNames, read_name_tour};
use own_rows::{CsvColumns, JsonHead, JsonNames, JsonSquares, has_other_keys, is_result};
use read_context::{ReadContext, ReadOptions};
use read_notes::ReadNotes;
use table::{TableHeader, TableRows};
use text_lines::count_title_tokens;
use token::{decode_line, lex};
use tree::TreeParser;
use tree_tours::read_elements;
use tree_values::{Metadata, Reading};

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

/// Something that was read and not yet returned.
#[derive(Debug)]
enum Pending {
    /// A tour as it is written, and the metadata of its array.
    Reading(Reading, Arc<Metadata>),
    /// A tour or a fault.
    Done(Result<LocatedTour, ReadError>),
}

/// Reads tours one by one. The iterator goes on after an error, except after those of the input itself.
#[derive(Debug)]
pub struct TourReader<R> {
    lines: LineBuffer<R>,
    context: ReadContext,
    /// Columns of the CSV header, if the file has one.
    csv_columns: Option<CsvColumns>,
    pending: VecDeque<Pending>,
    notes: ReadNotes,
    /// Line and text of the first skipped line.
    first_skipped: Option<(u64, ReadErrorKind)>,
    /// True if a tour or a fault has been returned.
    has_result: bool,
    /// True if a tour of more than one square has been read.
    has_tour: bool,
    /// True if the line before the first one that is not consumed is blank.
    follows_blank: bool,
    /// Line with the size of the board of the next tour, and the size.
    stated_size: Option<(u64, (u64, u64))>,
    is_finished: bool,
    /// The last comment with the index numbers of tours.
    numbers_comment: Option<String>,
    /// The last plan in a column or key.
    stated_plan: Option<String>,
}

/// Longest line of plain squares, in bytes, that is read again in other notations if it is not a tour.
const MAX_REREAD_BYTES: usize = 1 << 16;

impl<R: BufRead> TourReader<R> {
    /// Returns a reader of the tours in `input`.
    pub fn new(input: R, options: ReadOptions) -> Self {
        Self {
            lines: LineBuffer::new(input),
            context: ReadContext::new(options),
            csv_columns: None,
            pending: VecDeque::new(),
            notes: ReadNotes::default(),
            first_skipped: None,
            has_result: false,
            has_tour: false,
            follows_blank: false,
            stated_size: None,
            is_finished: false,
            numbers_comment: None,
            stated_plan: None,
        }
    }

    /// Returns the last comment so far with the index numbers of tours, as `ktour unrank` writes it.
    #[must_use]
    pub fn numbers_comment(&self) -> Option<&str> {
        self.numbers_comment.as_deref()
    }

    /// Returns the plan by which the file numbers its tours, as the last column or key `plan` states it.
    #[must_use]
    pub fn stated_plan(&self) -> Option<&str> {
        self.stated_plan.as_deref()
    }

    /// Returns the number of lines of text skipped so far.
    #[must_use]
    pub const fn skipped_lines(&self) -> u64 {
        self.notes.skipped_lines()
    }

    /// Returns what a reader of the result must know, one sentence each: skipped text with its lines, and
    /// the meaning of coordinates.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.notes.sentences()
    }

    /// Returns the kind of a line ahead, or `None` behind the last line.
    fn kind_at(&mut self, ahead: usize) -> Result<Option<LineKind>, ReadError> {
        if self.peek(ahead)?.is_none() {
            return Ok(None);
        }
        let line = self.lines.line(ahead);
        Ok(Some(classify_line(line, self.context.board(), self.csv_columns.is_some())))
    }

    /// Returns the line `ahead` lines behind the first one that is not consumed.
    fn peek(&mut self, ahead: usize) -> Result<Option<&[u8]>, ReadError> {
        let line = self.lines.number(ahead);
        self.lines.peek(ahead).map_err(|kind| ReadError { line, kind })
    }

    fn error_here(&self, kind: ReadErrorKind) -> ReadError {
        ReadError { line: self.lines.number(0), kind }
    }

    /// Returns the next tour or fault, `None` at the end of the file. An error of the outer result ends the
    /// reading.
    fn read_next(&mut self) -> Result<Option<Result<LocatedTour, ReadError>>, ReadError> {
        loop {
            match self.pending.pop_front() {
                Some(Pending::Done(result)) => return Ok(Some(result)),
                Some(Pending::Reading(reading, metadata)) => {
                    return self.tour_of_reading(reading, &metadata).map(Some);
                }
                None => {}
            }
            if let Some(result) = self.read_plain_squares()? {
                return Ok(Some(result));
            }
            let Some(kind) = self.kind_at(0)? else { return Ok(None) };
            let line = self.lines.number(0);
            if self.is_caption(&kind)? {
                self.skip_line();
                continue;
            }
            self.follows_blank = kind == LineKind::Blank;
            match kind {
                LineKind::Comment => {
                    self.record_comment();
                    self.lines.advance(1);
                }
                LineKind::Blank | LineKind::Rule => self.lines.advance(1),
                LineKind::Header(header) => {
                    let applied =
                        header.map_err(Into::into).and_then(|header| self.context.apply_header(&header));
                    // The tours below a wrong header cannot be checked.
                    applied.map_err(|kind| self.error_here(kind))?;
                    self.csv_columns = None;
                    self.lines.advance(1);
                }
                LineKind::CsvHeader(columns) => {
                    self.csv_columns = Some(columns);
                    self.lines.advance(1);
                }
                LineKind::CsvRow => {
                    let tour = self.read_csv_row();
                    self.lines.advance(1);
                    return Ok(Some(self.located(tour, line, TourFormat::Csv)));
                }
                LineKind::Object => {
                    let found = self.read_object();
                    // Other keys may contradict the tour or hold another one.
                    let has_other_keys = || has_other_keys(self.lines.line(0).trim_ascii());
                    match found.filter(|tour| tour.is_err() || !has_other_keys()) {
                        Some(tour) => {
                            self.lines.advance(1);
                            return Ok(Some(self.located(tour, line, TourFormat::Ndjson)));
                        }
                        None => self.read_brackets()?,
                    }
                }
                LineKind::Brackets => self.read_brackets()?,
                LineKind::TableHeader(header) => self.read_table(&header)?,
                LineKind::Names => return self.read_names().map(Some),
                LineKind::Numbers | LineKind::FileLetters(_) | LineKind::ColumnNumbers(_) => {
                    if let Some(block) = self.take_block()? {
                        self.pending.push_front(block);
                    }
                }
                LineKind::Prose | LineKind::Signs => self.skip_line(),
                LineKind::Unknown => {
                    let error = ReadError { line, kind: unrecognised_line(self.lines.line(0)) };
                    if !error.is_of_tour() {
                        return Err(error);
                    }
                    self.lines.advance(1);
                    return Ok(Some(Err(error)));
                }
            }
        }
    }

    /// Returns a tour with its location, and takes its board for the tours that follow.
    fn located(
        &mut self,
        tour: Result<Tour, ReadErrorKind>,
        line: u64,
        format: TourFormat,
    ) -> Result<LocatedTour, ReadError> {
        let tour = tour.map_err(|kind| ReadError { line, kind })?;
        self.has_tour |= tour.vertices().len() > 1;
        if let Some((stated_line, (rows, cols))) = self.stated_size.take()
            && let Some(board) = tour.board().leaper_board().map(LeaperBoard::rectangle)
        {
            let is = (u64::from(board.rows()), u64::from(board.cols()));
            if is != (rows, cols) && is != (cols, rows) {
                let (stated, found) = (format!("{rows}x{cols}"), format!("{}x{}", is.0, is.1));
                return Err(ReadError {
                    line,
                    kind: ReadErrorKind::StatedSize { line: stated_line, stated, found },
                });
            }
        }
        self.context.adopt_board(&tour);
        Ok(LocatedTour { tour, line, format })
    }

    /// Reads a tour of plain squares on one line, the format of most large files. Returns `None` for any other
    /// line, and for one that must be read in another way.
    fn read_plain_squares(&mut self) -> Result<Option<Result<LocatedTour, ReadError>>, ReadError> {
        if self.csv_columns.is_some() || self.context.non_rectangle().is_some() {
            return Ok(None);
        }
        let line = self.lines.number(0);
        let peeked = self.lines.peek(0).map_err(|kind| ReadError { line, kind })?;
        let Some(text) = peeked.filter(|text| text.first().is_some_and(u8::is_ascii_lowercase)) else {
            return Ok(None);
        };
        let is_long = text.len() > MAX_REREAD_BYTES;
        match self.context.tour_of_plain_squares(text) {
            None => Ok(None),
            Some(tour) if is_long || tour.as_ref().is_ok_and(|tour| tour.vertices().len() > 1) => {
                self.lines.advance(1);
                Ok(Some(self.located(tour, line, TourFormat::Squares)))
            }
            Some(_) => Ok(None),
        }
    }

    fn read_csv_row(&mut self) -> Result<Tour, ReadErrorKind> {
        let row = self.csv_columns.unwrap_or_default().parse_row(self.lines.line(0).trim_ascii())?;
        if let Some(board) = &row.board {
            self.context.set_board(board)?;
        }
        self.stated_plan.clone_from(&row.plan);
        let words =
            row.squares.split(|b| b.is_ascii_whitespace() || *b == b',').filter(|word| !word.is_empty());
        let names: Vec<String> = words.map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        match self.context.tour_by_names(&names, row.kind.or(Some(TourKind::Open))) {
            // A path stays a path, even if a move joins its ends.
            Err(ReadErrorKind::KindMismatch { .. }) if row.kind.is_none() => {
                self.context.tour_by_names(&names, Some(TourKind::ReEntrant))
            }
            tour => tour,
        }
    }

    /// Reads an object of ktour; returns `None` for the object of another program.
    fn read_object(&mut self) -> Option<Result<Tour, ReadErrorKind>> {
        let text = self.lines.line(0).trim_ascii();
        let head = match JsonHead::parse(text) {
            Ok(head) => head,
            Err(kind) => return (!is_result(text)).then_some(Err(kind)),
        };
        let is_own = head.board.as_ref().is_none_or(|board| board.contains('='));
        if !is_own || head.squares.is_none() {
            return None;
        }
        Some(self.tour_of_object(&head))
    }

    fn tour_of_object(&mut self, head: &JsonHead) -> Result<Tour, ReadErrorKind> {
        if let Some(board) = &head.board {
            self.context.set_board(board)?;
        }
        let text = self.lines.line(0).trim_ascii();
        match self.context.non_rectangle() {
            Some(board) => {
                let names = JsonNames::<Vec<String>>::parse(text)?.squares;
                let vertices = names.iter().map(|name| Ok(board.vertex(name)?));
                self.context.check_vertices(board, vertices, head.kind)
            }
            None => self.context.check_squares(JsonNames::<JsonSquares>::parse(text)?.squares.0, head.kind),
        }
    }

    /// Reads a tour by names from the first line on.
    fn read_names(&mut self) -> Result<Result<LocatedTour, ReadError>, ReadError> {
        let mut source = InputNames { lines: &mut self.lines, board: self.context.board() };
        let (consumed, result) = read_name_tour(&mut source, &self.context)?;
        let first_line = self.lines.number(0);
        self.lines.advance(consumed);
        let (tour, line, skipped) = match result {
            Ok(found) => found,
            Err(error) => return Ok(Err(error)),
        };
        for (line, words) in skipped {
            self.notes.add_skipped_words(line, &words);
        }
        Ok(self.located(Ok(tour), line.max(first_line), TourFormat::Squares))
    }

    /// Reads a table with a row for each square.
    fn read_table(&mut self, header: &TableHeader) -> Result<(), ReadError> {
        let first = self.lines.number(0);
        let mut rows = Vec::new();
        let mut at = 1;
        loop {
            let kind = self.kind_at(at)?;
            let line = decode_line(self.lines.line(at)).into_owned();
            match kind {
                Some(LineKind::Comment | LineKind::Rule) => {}
                None
                | Some(
                    LineKind::Blank | LineKind::Header(_) | LineKind::CsvHeader(_) | LineKind::TableHeader(_),
                ) => break,
                Some(_) if header.is_text_below(&line) => break,
                Some(_) => rows.push((self.lines.number(at), line)),
            }
            at += 1;
        }
        self.lines.advance(at);
        if rows.is_empty() {
            self.notes.add_skipped_line(first, &header.names_line());
            self.first_skipped
                .get_or_insert_with(|| (first, ReadErrorKind::UnrecognisedLine(header.names_line())));
            return Ok(());
        }
        let unread = header.unread_columns();
        let groups = match header.is_result_without_tours() {
            true => Err((first, ReadErrorKind::ResultWithoutTours)),
            false => header.order_rows(&rows),
        };
        let groups = match groups {
            Ok(groups) => groups,
            Err((line, kind)) => {
                self.pending.push_back(Pending::Done(Err(ReadError { line, kind })));
                return Ok(());
            }
        };
        if !unread.is_empty() {
            self.notes.add(first, format!("the columns {} are not read", unread.join(", ")));
        }
        for group in groups {
            match group {
                TableRows::Pairs(pairs, order) => {
                    let (lines, pairs) = pairs.into_iter().unzip();
                    let coordinates = Coordinates { pairs, lines, order: Some(order) };
                    self.pending
                        .push_back(Pending::Reading(Reading::Coordinates(coordinates), Arc::default()));
                }
                TableRows::Names(rows) => {
                    let mut source = RowNames::new(&rows);
                    while !source.is_empty() {
                        let (consumed, result) = read_name_tour(&mut source, &self.context)?;
                        source.advance(consumed);
                        let result = match result {
                            Ok((tour, line, _)) => self.located(Ok(tour), line, TourFormat::Squares),
                            Err(error) => Err(error),
                        };
                        self.pending.push_back(Pending::Done(result));
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads brackets from the first line on: their tours become pending.
    fn read_brackets(&mut self) -> Result<(), ReadError> {
        let first = self.lines.number(0);
        let takes_words = self.context.board().is_some_and(|board| !board.has_squares());
        let mut parser = TreeParser::new();
        let mut at = 0;
        let fault = loop {
            let kind = self.kind_at(at)?;
            let continues = match &kind {
                None => false,
                Some(LineKind::Header(_) | LineKind::CsvHeader(_)) => false,
                Some(LineKind::Brackets | LineKind::Object) => {
                    at == 0 || !parser.is_balanced() || parser.may_continue()
                }
                Some(LineKind::Blank) => !parser.is_balanced(),
                Some(_) => at == 0 || !parser.is_balanced(),
            };
            if !continues {
                break None;
            }
            let number = self.lines.number(at);
            if matches!(kind, Some(LineKind::Comment)) {
                at += 1;
                continue;
            }
            let decoded = decode_line(self.lines.line(at));
            let mut tokens = lex(&decoded);
            if parser.is_balanced() {
                let title = count_title_tokens(&tokens);
                if title > 0 {
                    let words: Vec<&str> = tokens.drain(..title).map(|token| token.text).collect();
                    self.notes.add_skipped_words(number, &words[..title - 1].join(" "));
                }
                if !takes_words {
                    tokens = enclose_pairs(&tokens).unwrap_or(tokens);
                }
            }
            if let Err(reason) = parser.add_line(&tokens, number) {
                // The rest of the array is no tour either.
                while !matches!(self.kind_at(at)?, None | Some(LineKind::Blank | LineKind::Header(_))) {
                    at += 1;
                }
                break Some(ReadError { line: number, kind: ReadErrorKind::InvalidArray(reason) });
            }
            at += 1;
        };
        // `print(1)` is a call, not a tour of one square, and `[[1]]` is one.
        let opening = self.lines.line(0).trim_ascii();
        let is_bare = matches!(opening.first(), Some(b'[' | b'(' | b'{'));
        let unrecognised = (!is_bare && self.context.board().is_none()).then(|| unrecognised_line(opening));
        self.lines.advance(at);
        let parsed = match fault {
            Some(error) => Err(error),
            None => parser
                .finish()
                .map_err(ReadErrorKind::InvalidArray)
                .and_then(|(list, declared)| Ok((read_elements(list, takes_words)?, declared)))
                .map_err(|kind| ReadError { line: first, kind }),
        };
        match parsed {
            Err(error) => self.pending.push_back(Pending::Done(Err(error))),
            Ok(((readings, mut metadata), declared)) => {
                if let [rows, cols] = declared[..] {
                    metadata.board_size = [Some(rows), Some(cols)];
                }
                if !metadata.unread_keys.is_empty() {
                    let keys = metadata.unread_keys.join(", ");
                    self.notes.add(first, format!("the values of {keys} are not read"));
                }
                self.stated_plan.clone_from(&metadata.plan);
                if let Some(key) = &metadata.unusual_key {
                    self.notes
                        .add(first, format!("the list `{}` is read", printable_excerpt(key.as_bytes())));
                }
                if let Some(board) = &metadata.board
                    && let Err(kind) = self.context.set_board(board)
                {
                    self.pending.push_back(Pending::Done(Err(ReadError { line: first, kind })));
                    return Ok(());
                }
                if let (Some(kind), [reading]) = (unrecognised, readings.as_slice())
                    && reading.is_one_square()
                    && !metadata.has_board()
                {
                    self.pending.push_back(Pending::Done(Err(ReadError { line: first, kind })));
                    return Ok(());
                }
                let metadata = Arc::new(metadata);
                self.pending.extend(
                    readings.into_iter().map(|reading| Pending::Reading(reading, Arc::clone(&metadata))),
                );
            }
        }
        Ok(())
    }
}

impl<R: BufRead> Iterator for TourReader<R> {
    type Item = Result<LocatedTour, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_finished {
            return None;
        }
        let result = match self.read_next() {
            Ok(Some(result)) => Some(result),
            Ok(None) => {
                self.is_finished = true;
                // Text without a tour is not a file of tours.
                let skipped = self.first_skipped.take().filter(|_| !self.has_result);
                skipped.map(|(line, kind)| Err(ReadError { line, kind }))
            }
            Err(error) => {
                self.is_finished = true;
                Some(Err(error))
            }
        };
        self.has_result |= result.is_some();
        result
    }
}

#[cfg(test)]
mod tests;
