//! Tours by names, on one line or on several.
//!
//! ```text
//! a3      1. a3      1. a3 c2     a3-c2     a3 c2 a1
//! c2      2. c2      2. a1 b3     c2-a1     b3 d2 b1
//! a1      3. a1      3. d2 b1     a1-b3     c3 d1 b2
//! ```
//!
//! If a line fails as a tour only because squares are missing, the lines below continue it: until all squares
//! are present, the next line repeats one, or another kind of line follows. A line that begins where the
//! previous one ended is a move. If the last move leads back to the first square, or that square is repeated
//! at the end, the tour is closed. A repeat before all squares are present is an error with its line.

use std::collections::HashSet;
use std::io::BufRead;

use super::line_buffer::LineBuffer;
use super::line_kind::{LineKind, classify_line};
use super::move_numbers::{MoveNumber, check_move_numbers, split_last_number};
use super::names::{NameLine, without_game_result};
use super::read_context::ReadContext;
use super::token::{decode_line, lex};
use crate::board::Board;
use crate::tour::read_error::{ReadError, ReadErrorKind};
use crate::tour::{Tour, TourErrorKind, TourKind};

/// Largest number of squares of a line whose error is that of the joined lines.
const MAX_SHORT_LINE_SQUARES: usize = 2;

/// Consecutive lines of names.
pub(super) trait NameSource {
    /// Returns the line `ahead` lines behind the first one, with its number; `None` if it is no line of names.
    fn peek(&mut self, ahead: usize) -> Result<Option<(u64, NameLine)>, ReadError>;
}

/// Lines of names that were read before, such as the rows of a table.
pub(super) struct RowNames<'a> {
    rows: &'a [(u64, NameLine)],
}

impl<'a> RowNames<'a> {
    pub(super) const fn new(rows: &'a [(u64, NameLine)]) -> Self {
        Self { rows }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Drops the first lines.
    pub(super) fn advance(&mut self, lines: usize) {
        self.rows = &self.rows[lines.clamp(1, self.rows.len())..];
    }
}

impl NameSource for RowNames<'_> {
    fn peek(&mut self, ahead: usize) -> Result<Option<(u64, NameLine)>, ReadError> {
        Ok(self.rows.get(ahead).cloned())
    }
}

/// Lines of names of the input.
pub(super) struct InputNames<'a, R> {
    pub(super) lines: &'a mut LineBuffer<R>,
    /// Board of the tours, if known.
    pub(super) board: Option<&'a Board>,
}

impl<R: BufRead> NameSource for InputNames<'_, R> {
    fn peek(&mut self, ahead: usize) -> Result<Option<(u64, NameLine)>, ReadError> {
        let number = self.lines.number(ahead);
        let line = self.lines.peek(ahead).map_err(|kind| ReadError { line: number, kind })?;
        let Some(line) = line.filter(|line| classify_line(line, self.board, false) == LineKind::Names) else {
            return Ok(None);
        };
        let decoded = decode_line(line);
        let names = match self.board.filter(|board| !board.has_squares()) {
            Some(board) => NameLine::of_graph(board, &decoded),
            None => NameLine::from_tokens(&lex(without_game_result(&decoded))),
        };
        Ok(Some((number, names)))
    }
}

/// A tour, its first line, and skipped words with their lines.
pub(super) type NameTour = (Tour, u64, Vec<(u64, String)>);

/// Names of one or more lines.
#[derive(Debug, Default)]
struct JoinedNames {
    /// Number of the first line, which may have no name: `1.` is only a number.
    first_line: u64,
    names: Vec<String>,
    /// Line number of each name.
    lines: Vec<u64>,
    numbers: Vec<MoveNumber>,
    skipped: Vec<(u64, String)>,
    /// The first word that may be a damaged name, the number of names before it, and its line.
    damaged: Option<(usize, String, u64)>,
    /// Kind of the tour, if the lines give it.
    kind: Option<TourKind>,
}

impl JoinedNames {
    /// Adds the names of a line.
    fn add(&mut self, line: u64, names: NameLine) {
        let before = self.names.len();
        self.numbers.extend(
            names
                .numbers
                .iter()
                .map(|number| MoveNumber { squares_before: number.squares_before + before, ..*number }),
        );
        if let (None, Some((at, word))) = (&self.damaged, names.damaged) {
            self.damaged = Some((at + before, word, line));
        }
        if !names.skipped.is_empty() {
            self.skipped.push((line, names.skipped.join(" ")));
        }
        self.lines.extend(names.names.iter().map(|_| line));
        self.names.extend(names.names);
    }

    /// Returns the tour, or its error and the line of the error.
    fn to_tour(&self, known: &ReadContext) -> Result<Tour, ReadError> {
        let found = self.check_names(known);
        let Some((at, word, line)) = &self.damaged else { return found };
        // A fault before the damaged name comes first.
        if let Err((error, Some(position))) = self.position_of_error(&found)
            && position < *at
        {
            return Err(error);
        }
        Err(ReadError { line: *line, kind: unknown_name(known, word) })
    }

    fn check_names(&self, known: &ReadContext) -> Result<Tour, ReadError> {
        let found = known.tour_by_names(&self.names, self.kind);
        let found = match &found {
            Err(kind) if self.repeats_first(kind) => {
                let closed = known.tour_by_names(&self.names[..self.names.len() - 1], Some(TourKind::Closed));
                closed.or(found)
            }
            _ => found,
        };
        found.map_err(|kind| {
            let position = error_position(&kind).unwrap_or(0);
            ReadError { line: self.lines.get(position).copied().unwrap_or(self.first_line), kind }
        })
    }

    /// Returns true if the only fault is that the last name repeats the first one.
    fn repeats_first(&self, kind: &ReadErrorKind) -> bool {
        let (ReadErrorKind::Tour(error) | ReadErrorKind::MissingSquares(error)) = kind else { return false };
        let TourErrorKind::Repeated { position, first_position: 1, .. } = *error.kind() else { return false };
        position == self.names.len() && position > MAX_SHORT_LINE_SQUARES + 1
    }

    /// Returns the error of a result with its position, if it is at a name.
    fn position_of_error(&self, found: &Result<Tour, ReadError>) -> Result<(), (ReadError, Option<usize>)> {
        match found {
            Ok(_) => Ok(()),
            Err(error) => {
                let kind = &error.kind;
                let position = error_position(kind);
                let copy = match kind {
                    ReadErrorKind::Tour(inner) => Some(ReadErrorKind::Tour(inner.clone())),
                    ReadErrorKind::MissingSquares(inner) => {
                        Some(ReadErrorKind::MissingSquares(inner.clone()))
                    }
                    _ => None,
                };
                match copy {
                    Some(kind) => Err((ReadError { line: error.line, kind }, position)),
                    None => Ok(()),
                }
            }
        }
    }
}

/// Returns the position of the name to which an error refers.
fn error_position(kind: &ReadErrorKind) -> Option<usize> {
    let (ReadErrorKind::Tour(error) | ReadErrorKind::MissingSquares(error)) = kind else { return None };
    match *error.kind() {
        TourErrorKind::UnknownVertex { position, .. } | TourErrorKind::Repeated { position, .. } => {
            Some(position - 1)
        }
        TourErrorKind::IllegalMove { move_number, .. } => Some(move_number),
        _ => None,
    }
}

/// Returns the error of a word that is no name.
fn unknown_name(known: &ReadContext, word: &str) -> ReadErrorKind {
    match known.tour_by_names(&[word.to_owned()], None) {
        Err(
            kind
            @ (ReadErrorKind::SquareName(_) | ReadErrorKind::VertexName(_) | ReadErrorKind::BoxSquare(_)),
        ) => kind,
        _ => ReadErrorKind::UnrecognisedLine(word.to_owned()),
    }
}

/// Returns true if the only fault is that squares are missing.
fn is_incomplete(kind: &ReadErrorKind) -> bool {
    matches!(kind, ReadErrorKind::Tour(error) | ReadErrorKind::MissingSquares(error) if matches!(error.kind(), TourErrorKind::Incomplete { .. }))
}

/// Reads a tour from the first line on. Returns the number of lines that belong to it, and the tour or its
/// fault.
///
/// # Errors
/// An error of the input.
pub(super) fn read_name_tour(
    source: &mut impl NameSource,
    known: &ReadContext,
) -> Result<(usize, Result<NameTour, ReadError>), ReadError> {
    let Some((first_line, first)) = source.peek(0)? else {
        let error = ReadError { line: 0, kind: ReadErrorKind::UnrecognisedLine(String::new()) };
        return Ok((1, Err(error)));
    };
    let mut first = first;
    first.join_moves();
    let count = first.names.len();
    let mut one = JoinedNames { first_line, ..JoinedNames::default() };
    one.add(first_line, first.clone());
    let found = one.to_tour(known);
    let is_graph = known.board().is_some_and(|board| !board.has_squares());
    let finish = |all: &JoinedNames, tour: Tour| {
        // Names of a graph may be numbers.
        let (numbers, last) = split_last_number(&all.numbers, all.names.len());
        let checked = if is_graph { Ok(()) } else { check_move_numbers(numbers) };
        let checked = checked.map_err(|kind| ReadError { line: first_line, kind });
        let mut skipped = all.skipped.clone();
        // The number of squares or moves behind the tour.
        if let Some(number) = last.filter(|_| !is_graph) {
            let line = all.lines.last().copied().unwrap_or(first_line);
            let length = all.names.len() as u64;
            if !(length - 1..=length).contains(&number.number) {
                let kind = ReadErrorKind::MoveNumber { number: number.number, square: all.names.len() + 1 };
                return Err(ReadError { line, kind });
            }
            skipped.push((line, number.number.to_string()));
        }
        checked.map(|()| (tour, first_line, skipped))
    };
    let continues = match &found {
        Ok(tour) => tour.vertices().len() == 1 && known.board().is_none(),
        Err(error) => one.damaged.is_none() && is_incomplete(&error.kind),
    };
    if !continues {
        let lines = if found.is_err() && count <= MAX_SHORT_LINE_SQUARES { run_length(source)? } else { 1 };
        return Ok((lines, found.and_then(|tour| finish(&one, tour))));
    }
    let (all, repeat, lines) = join_lines(source, known, first_line, first)?;
    if all.names.len() == count && (count > MAX_SHORT_LINE_SQUARES || repeat.is_none()) {
        // Lines of numbers without squares are one fault.
        if count == 0 {
            let text = one.numbers.first().map_or(String::new(), |number| number.number.to_string());
            let kind = ReadErrorKind::UnrecognisedLine(text);
            return Ok((lines, Err(ReadError { line: first_line, kind })));
        }
        return Ok((1, found.and_then(|tour| finish(&one, tour))));
    }
    match (all.to_tour(known), repeat) {
        // One square on each line, and a repeat of it.
        (Ok(_), Some((line, names))) if all.names.len() == 1 => {
            let mut all = all;
            all.add(line, names);
            Ok((run_length(source)?, all.to_tour(known).and_then(|tour| finish(&all, tour))))
        }
        (Ok(tour), _) => Ok((lines, finish(&all, tour))),
        // Lines without a common square are one tour, lines that repeat squares are several.
        (Err(error), None) if count > MAX_SHORT_LINE_SQUARES => Ok((lines, Err(error))),
        (Err(_), _) if count > MAX_SHORT_LINE_SQUARES => Ok((1, found.and_then(|tour| finish(&one, tour)))),
        (Err(_), Some((line, names))) => {
            // The repeat is not the start of another tour, because the lines above are not a tour.
            let mut all = all;
            all.add(line, names);
            let error = all.to_tour(known).and_then(|tour| finish(&all, tour));
            Ok((run_length(source)?, error))
        }
        (Err(error), None) => Ok((run_length(source)?.max(lines), Err(error))),
    }
}

/// Returns the number of consecutive lines of names, at most 2^16: the lines of one damaged tour.
fn run_length(source: &mut impl NameSource) -> Result<usize, ReadError> {
    let mut lines = 1;
    while lines < 1 << 16
        && source.peek(lines)?.is_some_and(|(_, line)| line.names.len() <= MAX_SHORT_LINE_SQUARES)
    {
        lines += 1;
    }
    Ok(lines)
}

/// Names of the first line that was not joined because it repeats an earlier name.
type Repeat = Option<(u64, NameLine)>;

/// Joins the names of the first line with those of the lines below. Returns also the first line that repeats
/// a name, and the number of joined lines.
fn join_lines(
    source: &mut impl NameSource,
    known: &ReadContext,
    first_line: u64,
    first: NameLine,
) -> Result<(JoinedNames, Repeat, usize), ReadError> {
    let mut seen: HashSet<String> = first.names.iter().cloned().collect();
    let mut all = JoinedNames { first_line, ..JoinedNames::default() };
    all.add(first_line, first);
    let (mut are_moves, mut lines) = (false, 1);
    while let Some((line, mut more)) = source.peek(lines)? {
        let is_full = known.board().map(Board::len).is_some_and(|len| all.names.len() >= len);
        if more.damaged.is_some() {
            if !is_full {
                all.add(line, more);
                lines += 1;
            }
            break;
        }
        more.join_moves();
        let is_move = more.names.len() == 2 && more.names.first() == all.names.last();
        if is_move {
            more.names.remove(0);
            more.numbers
                .iter_mut()
                .for_each(|number| number.squares_before = number.squares_before.saturating_sub(1));
        }
        let is_back = all.names.len() > MAX_SHORT_LINE_SQUARES && more.names.last() == all.names.first();
        let last = more.names.len().saturating_sub(1);
        if is_back
            && (is_move || more.names.len() > 1)
            && more.names[..last].iter().all(|name| !seen.contains(name))
        {
            more.names.pop();
            all.add(line, more);
            all.kind = Some(TourKind::Closed);
            return Ok((all, None, lines + 1));
        }
        if is_back && more.names.len() == 1 {
            // This is the end of the tour if nothing follows, else the start of the next tour.
            if source.peek(lines + 1)?.is_none() {
                all.kind = Some(TourKind::Closed);
                return Ok((all, None, lines + 1));
            }
            return Ok((all, (!is_full).then_some((line, more)), lines));
        }
        are_moves |= is_move;
        let is_repeat = more.names.iter().any(|name| !seen.insert(name.clone()));
        if is_full || is_repeat {
            let repeat = (!is_full || are_moves && is_move).then_some((line, more));
            return Ok((all, repeat, lines));
        }
        all.add(line, more);
        lines += 1;
    }
    Ok((all, None, lines))
}
