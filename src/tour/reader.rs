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
mod field_names;
mod given_squares;
mod grid;
mod grid_tours;
mod labelled_pairs;
mod line_buffer;
mod line_kind;
mod margins;
mod name_tours;
mod names;
pub(crate) mod own_rows;
pub(crate) mod read_context;
mod read_notes;
mod readings;
mod resume_points;
mod steps;
mod table;
mod text_lines;
mod token;
mod tree;
mod tree_records;
mod tree_tours;
mod tree_values;

use std::collections::{HashMap, VecDeque};
use std::io::BufRead;
use std::sync::Arc;

use super::read_error::{ReadError, ReadErrorKind};
use super::{Tour, TourFormat, TourKind};
use crate::board::{Board, LeaperBoard};
use crate::text_format::printable_excerpt;
use labelled_pairs::enclose_all_pairs;
use line_buffer::LineBuffer;
use line_kind::{LineKind, classify_line, unrecognised_line};
use name_tours::{NameTour, read_name_tour};
use names::NameLine;
use own_rows::{CsvColumns, JsonHead, JsonNames, JsonSquare, has_other_keys, is_result, parse_json};
use read_context::{ReadContext, ReadOptions};
use read_notes::ReadNotes;
use table::{TableHeader, TableTours};
use text_lines::count_title_tokens;
use token::{decode_line, lex, words};
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

/// A tour as it is written with the metadata of its array, or a fault.
type Pending = Result<(Reading, Arc<Metadata>), ReadError>;

/// Reads tours one by one. The iterator goes on after an error, except after those of the input itself.
#[derive(Debug)]
pub struct TourReader<R> {
    lines: LineBuffer<R>,
    context: ReadContext,
    /// Columns of the CSV header, if the file has one.
    csv_columns: Option<CsvColumns>,
    /// The header of the last table, whose rows may continue below a blank line or a title.
    table: Option<TableHeader>,
    /// Tours and faults that are not yet returned.
    pending: VecDeque<Pending>,
    notes: ReadNotes,
    /// Error of the first skipped line, if the file has no tour.
    first_skipped: Option<ReadError>,
    /// True if a tour or a fault has been returned.
    has_result: bool,
    /// True if a tour of more than one square has been read.
    has_tour: bool,
    /// True if the line before the first one that is not consumed is blank.
    follows_blank: bool,
    /// Line with the size of the board of the next tour, and the size.
    stated_size: Option<(u64, (u64, u64))>,
    /// Number of skipped lines of each shape with a square or a pair, since the last tour.
    skipped_shapes: HashMap<String, u32>,
    /// True if the last skipped line names the columns of the numbers below it in words that are not known.
    has_unread_header: bool,
    is_finished: bool,
    /// True if the last result is a fault.
    follows_fault: bool,
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
            table: None,
            pending: VecDeque::new(),
            notes: ReadNotes::default(),
            first_skipped: None,
            has_result: false,
            has_tour: false,
            follows_blank: false,
            stated_size: None,
            skipped_shapes: HashMap::new(),
            has_unread_header: false,
            is_finished: false,
            follows_fault: false,
            numbers_comment: None,
            stated_plan: None,
        }
    }

    /// Returns the board of the next tour, if known.
    #[must_use]
    pub const fn board(&self) -> Option<&Board> {
        self.context.board()
    }

    /// Sets the board with the required and forbidden moves of the tours: if coordinates have several meanings, one
    /// that keeps these moves is preferred.
    pub fn set_restricted_board(&mut self, board: Board) {
        self.context.set_restricted_board(board);
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
    fn kind_at(&mut self, ahead: usize) -> Option<LineKind> {
        let line = self.lines.peek(ahead)?;
        Some(classify_line(line, self.context.board(), self.csv_columns.is_some()))
    }

    /// Returns the next tour or fault, `None` at the end of the file.
    fn read_next(&mut self) -> Option<Result<LocatedTour, ReadError>> {
        loop {
            if let Some(pending) = self.pending.pop_front() {
                return Some(
                    pending.and_then(|(reading, metadata)| self.tour_of_reading(reading, &metadata)),
                );
            }
            if let Some(result) = self.read_plain_squares() {
                return Some(result);
            }
            let kind = self.kind_at(0)?;
            let line = self.lines.number(0);
            if let Some(header) = self.take_table(&kind) {
                let read = self.read_table(&header, 0);
                self.pending.extend(read.err().map(Err));
                continue;
            }
            if self.is_caption(&kind) {
                self.skip_line();
                continue;
            }
            self.follows_blank = kind == LineKind::Blank;
            self.forget_shapes(&kind);
            match kind {
                LineKind::Comment => {
                    self.record_comment();
                    self.lines.advance(1);
                }
                LineKind::Blank | LineKind::Rule => self.lines.advance(1),
                LineKind::Header(header) => {
                    let applied =
                        header.map_err(Into::into).and_then(|header| self.context.apply_header(&header));
                    if let Err(kind) = applied {
                        // The tours below a wrong header cannot be checked.
                        self.is_finished = true;
                        return Some(Err(ReadError { line, kind }));
                    }
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
                    return Some(self.located(tour, line, TourFormat::Csv));
                }
                LineKind::Object => {
                    let found = self.read_object();
                    // Other keys may contradict the tour or hold another one.
                    let has_other_keys = || has_other_keys(self.lines.line(0).trim_ascii());
                    match found.filter(|tour| tour.is_err() || !has_other_keys()) {
                        Some(tour) => {
                            self.lines.advance(1);
                            return Some(self.located(tour, line, TourFormat::Ndjson));
                        }
                        None => self.read_block(&kind),
                    }
                }
                LineKind::Names => return Some(self.read_names()),
                LineKind::Brackets
                | LineKind::TableHeader(_)
                | LineKind::Numbers
                | LineKind::FileLetters(_)
                | LineKind::ColumnNumbers(_) => self.read_block(&kind),
                LineKind::Prose | LineKind::Signs => self.skip_line(),
                LineKind::Unknown => {
                    let error = ReadError { line, kind: unrecognised_line(self.lines.line(0)) };
                    self.is_finished = !error.is_of_tour();
                    self.lines.advance(1);
                    return Some(Err(error));
                }
            }
        }
    }

    /// Reads brackets, a table or a grid from the first line on: its tours, or its fault, become pending.
    fn read_block(&mut self, kind: &LineKind) {
        let read = match kind {
            LineKind::TableHeader(header) => self.read_table(header, 1),
            LineKind::Object | LineKind::Brackets => self.read_brackets(),
            _ => self.read_rows(),
        };
        self.pending.extend(read.err().map(Err));
    }

    /// Returns a tour with its location, and takes its board for the tours that follow.
    fn located(
        &mut self,
        tour: Result<Tour, ReadErrorKind>,
        line: u64,
        format: TourFormat,
    ) -> Result<LocatedTour, ReadError> {
        let tour = tour.map_err(|kind| ReadError { line, kind })?;
        // The rest of a damaged tour does not fix the board, nor does a square above other lines.
        let may_be_rest =
            tour.vertices().len() == 1 && self.context.board().is_none() && !self.context.is_mixed();
        if may_be_rest && (self.follows_fault || self.has_more_lines()) {
            return Err(ReadError { line, kind: ReadErrorKind::UnrecognisedLine("a1".to_owned()) });
        }
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
        self.skipped_shapes.clear();
        Ok(LocatedTour { tour, line, format })
    }

    /// Reads a tour of plain squares on one line, the format of most large files. Returns `None` for any other
    /// line, and for one that must be read in another way.
    fn read_plain_squares(&mut self) -> Option<Result<LocatedTour, ReadError>> {
        if self.csv_columns.is_some() || self.context.non_rectangle().is_some() {
            return None;
        }
        let line = self.lines.number(0);
        let text = self.lines.peek(0).filter(|text| text.first().is_some_and(u8::is_ascii_lowercase))?;
        let is_long = text.len() > MAX_REREAD_BYTES;
        let tour = self.context.tour_of_plain_squares(text)?;
        if !is_long && !tour.as_ref().is_ok_and(|tour| tour.vertices().len() > 1) {
            return None;
        }
        self.lines.advance(1);
        Some(self.located(tour, line, TourFormat::Squares))
    }

    fn read_csv_row(&mut self) -> Result<Tour, ReadErrorKind> {
        let columns = self.csv_columns.expect("a CSV row follows a header");
        let row = columns.parse_row(self.lines.line(0).trim_ascii())?;
        if let Some(board) = &row.board {
            self.context.set_board(board)?;
        }
        self.stated_plan.clone_from(&row.plan);
        let names: Vec<String> = words(&row.squares).map(str::to_owned).collect();
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
        let head: JsonHead = match parse_json(text) {
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
                let names = parse_json::<JsonNames<String>>(text)?.squares;
                let vertices = names.iter().map(|name| Ok(board.vertex(name)?));
                self.context.check_vertices(board, vertices, head.kind)
            }
            None => {
                let names = parse_json::<JsonNames<JsonSquare>>(text)?.squares;
                self.context.check_squares(names.into_iter().map(|name| name.0).collect(), head.kind)
            }
        }
    }

    /// Returns the number of lines of the tour by names `ahead` lines behind the first one, and the tour or its fault.
    fn find_name_tour(&mut self, ahead: usize) -> (usize, Result<NameTour, ReadError>) {
        let board = self.context.board();
        let mut name_line = |at| {
            let at = ahead + at;
            let line =
                self.lines.peek(at).filter(|line| classify_line(line, board, false) == LineKind::Names)?;
            let names = NameLine::parse(&decode_line(line), board);
            Some((self.lines.number(at), names))
        };
        read_name_tour(&mut name_line, &self.context)
    }

    /// Reads a tour by names from the first line on.
    fn read_names(&mut self) -> Result<LocatedTour, ReadError> {
        let (consumed, result) = self.find_name_tour(0);
        let line = self.lines.number(0);
        self.lines.advance(consumed);
        let NameTour { tour, skipped, has_later_numbers } = result?;
        if has_later_numbers && self.has_tour {
            self.note_shared_steps(line);
        }
        for (line, words) in skipped {
            self.notes.add_skipped_words(line, &words);
        }
        self.located(Ok(tour), line, TourFormat::Squares)
    }

    /// Takes the header of the table above, if the first line is one of its rows. Blank lines, comments and text keep the
    /// header, any other line drops it.
    fn take_table(&mut self, kind: &LineKind) -> Option<TableHeader> {
        let may_be_row = match kind {
            LineKind::Blank | LineKind::Comment | LineKind::Rule => return None,
            LineKind::Prose | LineKind::Names | LineKind::Numbers | LineKind::Unknown => true,
            _ => false,
        };
        let header = self.table.as_ref()?;
        let line = decode_line(self.lines.line(0));
        if header.is_row(&line) || may_be_row && header.may_be_row(&line) {
            return self.table.take();
        }
        if *kind != LineKind::Prose {
            self.table = None;
        }
        None
    }

    /// Reads a table with a row for each square, whose first row is `at` lines ahead: its tours become pending.
    fn read_table(&mut self, header: &TableHeader, mut at: usize) -> Result<(), ReadError> {
        let first = self.lines.number(0);
        let below = self.lines.peek(at).map(decode_line).unwrap_or_default();
        if header.may_be_text() && !header.is_row(&below) {
            self.skip_line();
            return Ok(());
        }
        let mut rows = Vec::new();
        loop {
            let kind = self.kind_at(at);
            let line = decode_line(self.lines.line(at)).into_owned();
            match kind {
                Some(LineKind::Comment | LineKind::Rule) => {}
                None
                | Some(
                    LineKind::Blank | LineKind::Header(_) | LineKind::CsvHeader(_) | LineKind::TableHeader(_),
                ) => break,
                Some(_) if header.is_text_below(&line) => break,
                Some(_) if !rows.is_empty() && header.is_blank_row(&line) => {
                    at += 1;
                    break;
                }
                Some(_) => rows.push((self.lines.number(at), line)),
            }
            at += 1;
        }
        self.lines.advance(at);
        if rows.is_empty() {
            let line = header.names_line();
            // The rows may be below a blank line or a title.
            if header.may_be_text() || !matches!(self.kind_at(0), Some(LineKind::Blank | LineKind::Prose)) {
                self.notes.add_skipped_line(first, &line);
            } else {
                self.table = Some(header.clone());
            }
            let kind = ReadErrorKind::UnrecognisedLine(line);
            self.first_skipped.get_or_insert(ReadError { line: first, kind });
            return Ok(());
        }
        if header.is_result_without_tours() {
            return Err(ReadError { line: first, kind: ReadErrorKind::ResultWithoutTours });
        }
        self.table = Some(header.clone());
        let TableTours { readings, unread, has_steps } = header.read_rows(&rows)?;
        if !unread.is_empty() {
            self.notes.add(first, format!("the columns {} are not read", unread.join(", ")));
        }
        self.queue_readings(readings, Metadata { has_steps, ..Metadata::default() });
        Ok(())
    }

    /// Reads brackets from the first line on: their tours become pending.
    fn read_brackets(&mut self) -> Result<(), ReadError> {
        let first = self.lines.number(0);
        let takes_words = self.context.board().is_some_and(|board| !board.has_squares());
        let mut parser = TreeParser::new();
        let mut at = 0;
        let fault = loop {
            let kind = self.kind_at(at);
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
            }
            if !takes_words {
                tokens = enclose_all_pairs(tokens, parser.is_balanced());
            }
            if let Err(reason) = parser.add_line(&tokens, number) {
                // The rest of the array is no tour either.
                while !matches!(self.kind_at(at), None | Some(LineKind::Blank | LineKind::Header(_))) {
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
        if let Some(error) = fault {
            return Err(error);
        }
        let at_first = |kind| ReadError { line: first, kind };
        let (list, declared) =
            parser.finish().map_err(|reason| at_first(ReadErrorKind::InvalidArray(reason)))?;
        let knows_board = self.context.board().is_some();
        let (readings, mut metadata) = read_elements(list, takes_words, knows_board).map_err(at_first)?;
        if let [rows, cols] = declared[..] {
            metadata.board_size = [Some(rows), Some(cols)];
        }
        if !metadata.unread_keys.is_empty() {
            let keys = metadata.unread_keys.join(", ");
            self.notes.add(first, format!("the values of {keys} are not read"));
        }
        if metadata.has_tour_numbers {
            self.notes.add(first, "the numbers before several squares are read as those of tours".to_owned());
        }
        self.stated_plan.clone_from(&metadata.plan);
        if let Some(key) = &metadata.unusual_key {
            self.notes.add(first, format!("the list `{}` is read", printable_excerpt(key.as_bytes())));
        }
        if let Some(board) = &metadata.board {
            self.context.set_board(board).map_err(at_first)?;
        }
        if let (Some(kind), [Ok(reading)]) = (unrecognised, readings.as_slice())
            && reading.is_one_square()
            && !metadata.has_board()
        {
            return Err(at_first(kind));
        }
        self.queue_readings(readings, metadata);
        Ok(())
    }
}

impl<R: BufRead> Iterator for TourReader<R> {
    type Item = Result<LocatedTour, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_finished {
            return None;
        }
        let mut result = self.read_next();
        if let Some(error) = self.lines.take_error() {
            // The input failed, so the last tour may be incomplete.
            self.is_finished = true;
            result = Some(Err(error));
        } else if result.is_none() {
            self.is_finished = true;
            // Text without a tour is not a file of tours.
            result = self.first_skipped.take().filter(|_| !self.has_result).map(Err);
        }
        self.has_result |= result.is_some();
        self.follows_fault = matches!(result, Some(Err(_)));
        result
    }
}

#[cfg(test)]
mod tests;
