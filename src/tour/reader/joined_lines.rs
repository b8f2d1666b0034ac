//! Reading of tours by names over several lines.
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

use super::TourReader;
use super::line_kind::{LineKind, classify_line};
use super::read_context::ReadContext;
use super::square_notation::MoveNumbers;
use crate::tour::read_error::{ReadError, ReadErrorKind};
use crate::tour::{Tour, TourError, TourErrorKind, TourKind};

/// Largest number of squares of a line whose error is that of the joined lines.
const MAX_SHORT_LINE_SQUARES: usize = 2;

/// Names of several lines.
struct JoinedLines {
    /// Number of the first line, which may have no name: `1.` is only a number.
    first_line: u64,
    names: Vec<String>,
    /// Line number of each name.
    lines: Vec<u64>,
    /// Kind of the tour, if the lines give it.
    kind: Option<TourKind>,
    /// The line below and its names, if it repeats an earlier name.
    repeat: Option<(u64, Vec<String>)>,
}

impl JoinedLines {
    /// Adds the names of a line.
    fn add(&mut self, line: u64, names: Vec<String>) {
        self.lines.extend(names.iter().map(|_| line));
        self.names.extend(names);
    }

    /// Returns the tour, or its error and the line of the error.
    fn to_tour(&self, known: &ReadContext) -> Result<Tour, ReadError> {
        known.parse_line(self.names.join(" ").as_bytes(), self.kind).map_err(|error_kind| {
            let at = match &error_kind {
                ReadErrorKind::Tour(error) | ReadErrorKind::MissingSquares(error) => match *error.kind() {
                    TourErrorKind::UnknownVertex { position: number, .. }
                    | TourErrorKind::Repeated { position: number, .. } => number - 1,
                    TourErrorKind::IllegalMove { move_number: number, .. } => number,
                    _ => 0,
                },
                _ => 0,
            };
            ReadError { line: self.lines.get(at).copied().unwrap_or(self.first_line), kind: error_kind }
        })
    }
}

impl<R: BufRead> TourReader<R> {
    /// Reads a tour by names from the current line on, and checks the numbers before them.
    pub(super) fn read_names(&mut self) -> Result<Tour, ReadError> {
        let (line, mut counts) = (self.lines.number(), MoveNumbers::default());
        let tour = self.read_unchecked_names(&mut counts)?;
        // Names of a graph may be numbers.
        if self
            .context
            .non_rectangle()
            .is_none_or(|board| board.wrapped_board().is_some() || board.box_board().is_some())
        {
            counts.check().map_err(|error_kind| ReadError { line, kind: error_kind })?;
        }
        Ok(tour)
    }

    /// Reads a tour by names from the current line on, and collects the numbers before them without a check.
    fn read_unchecked_names(&mut self, counts: &mut MoveNumbers) -> Result<Tour, ReadError> {
        let line = self.lines.number();
        *counts = MoveNumbers::from_line(self.lines.text());
        let found = self
            .context
            .parse_line(self.lines.text(), None)
            .map_err(|error_kind| ReadError { line, kind: error_kind });
        if let Some(tour) =
            found.as_ref().err().and_then(|error| self.closed_by_repeat(self.lines.text(), &error.kind))
        {
            return Ok(tour);
        }
        let continues = match &found {
            Ok(tour) => tour.vertices().len() == 1 && self.context.board().is_none(),
            Err(ReadError {
                kind: ReadErrorKind::Tour(error) | ReadErrorKind::MissingSquares(error),
                ..
            }) => is_only_incomplete(error),
            Err(_) => false,
        };
        let names = if continues { self.context.standard_names(self.lines.text()) } else { None };
        let Some(names) = names else { return found };
        let one = names.len();
        let one_line = counts.clone();
        let mut all = self.join_following_lines(names, counts)?;
        if all.names.len() == one && (one > MAX_SHORT_LINE_SQUARES || all.repeat.is_none()) {
            *counts = one_line;
            return found;
        }
        match (all.to_tour(&self.context), all.repeat.take()) {
            (Err(_), _) if one > MAX_SHORT_LINE_SQUARES => found,
            // The repeat is not the start of another tour, because the lines above are not a tour.
            (Err(_), Some((line, names))) => {
                all.add(line, names);
                all.to_tour(&self.context)
            }
            (joined, _) => joined,
        }
    }

    /// Returns the closed tour of a line that repeats its first square at the end, if nothing else is wrong.
    pub(super) fn closed_by_repeat(&self, text: &[u8], error_kind: &ReadErrorKind) -> Option<Tour> {
        let (ReadErrorKind::Tour(error) | ReadErrorKind::MissingSquares(error)) = error_kind else {
            return None;
        };
        let TourErrorKind::Repeated { position: number, first_position: 1, .. } = *error.kind() else {
            return None;
        };
        let names = self
            .context
            .standard_names(text)
            .filter(|names| names.len() == number && number > MAX_SHORT_LINE_SQUARES + 1)?;
        self.context.parse_line(names[..number - 1].join(" ").as_bytes(), Some(TourKind::Closed)).ok()
    }

    /// Joins these names with those of the lines below.
    fn join_following_lines(
        &mut self,
        first: Vec<String>,
        counts: &mut MoveNumbers,
    ) -> Result<JoinedLines, ReadError> {
        let mut seen: HashSet<String> = first.iter().cloned().collect();
        let first_line = self.lines.number();
        let mut all =
            JoinedLines { first_line, names: Vec::new(), lines: Vec::new(), kind: None, repeat: None };
        all.add(first_line, first);
        let mut are_moves = false;
        while self.read_line()? {
            let line = self.lines.number();
            let is_full = self.context.board().is_some_and(|board| all.names.len() >= board.len());
            let Some(mut more) = self.names_of_current_line() else {
                self.lines.push_back();
                break;
            };
            let is_move = more.len() == 2 && more.first() == all.names.last();
            if is_move {
                more.remove(0);
            }
            let is_back = all.names.len() > MAX_SHORT_LINE_SQUARES && more.last() == all.names.first();
            if is_back
                && (is_move || more.len() > 1)
                && more[..more.len() - 1].iter().all(|name| !seen.contains(name))
            {
                more.pop();
                counts.add_line(self.lines.text(), all.names.len());
                all.add(line, more);
                all.kind = Some(TourKind::Closed);
                break;
            }
            if is_back && more.len() == 1 {
                // This is the end of the tour if nothing follows, else the start of the next tour.
                let text = self.lines.text().to_vec();
                let follows = self.read_line()?;
                if !follows || self.names_of_current_line().is_none() {
                    if follows {
                        self.lines.push_back();
                    }
                    all.kind = Some(TourKind::Closed);
                    break;
                }
                self.lines.push_back_two(line, text);
                all.repeat = (!is_full).then_some((line, more));
                break;
            }
            are_moves |= is_move;
            let is_repeat = more.iter().any(|name| !seen.insert(name.clone()));
            if is_full || is_repeat {
                self.lines.push_back();
                all.repeat = (!is_full || are_moves && is_move).then_some((line, more));
                break;
            }
            counts.add_line(self.lines.text(), all.names.len());
            all.add(line, more);
        }
        Ok(all)
    }

    /// Returns the names on the current line, or `None` if it is not a line of names.
    fn names_of_current_line(&self) -> Option<Vec<String>> {
        let text = self.lines.text();
        let is_names =
            classify_line(self.lines.raw(), self.context.non_rectangle(), false) == LineKind::Names;
        if is_names { self.context.standard_names(text) } else { None }
    }
}

/// Returns true if the only fault is that squares are missing.
fn is_only_incomplete(error: &TourError) -> bool {
    matches!(error.kind(), TourErrorKind::Incomplete { .. })
}
