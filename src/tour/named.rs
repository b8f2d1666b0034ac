//! Parser of tours by names, which stops as soon as the names cannot be a tour.

use crate::board::{Board, LeaperBoard, ParseSquareError, Square};

use super::fault::{ReadErrorKind, printable_excerpt};
use super::known::ReadContext;
use super::loose::{has_piece_letter, name_parts, parse_squares, split_at_separators, strip_move_number};
use super::words::{is_box_square, parse_square, parse_vertex, split_words};
use super::{Tour, TourErrorKind, TourKind};

impl ReadContext {
    /// Returns the tour by names on a line.
    pub(super) fn parse_line(&self, text: &[u8], kind: Option<TourKind>) -> Result<Tour, ReadErrorKind> {
        match self.non_rectangle() {
            Some(board) => self.check_vertices(board, vertices_on_line(board, text), kind),
            None => self.parse_squares(text, kind),
        }
    }

    /// Returns the names on a line in standard notation, or `None` if one of them is invalid.
    pub(super) fn standard_names(&self, text: &[u8]) -> Option<Vec<String>> {
        match self.non_rectangle() {
            Some(board) => vertices_on_line(board, text).map(|v| v.ok().map(|v| board.name(v))).collect(),
            None => {
                let (mut names, mut chain) = (Vec::new(), MoveChain::new());
                for word in split_words(strip_move_number(text)) {
                    let squares = squares_in_word(word).collect::<Result<Vec<Square>, _>>().ok()?;
                    names.extend(chain.new_part(&squares).iter().map(ToString::to_string));
                }
                Some(names)
            }
        }
    }

    /// Returns the tour of a board that is not a rectangle.
    pub(super) fn check_vertices(
        &self,
        board: &Board,
        found: impl Iterator<Item = Result<u32, ReadErrorKind>>,
        kind: Option<TourKind>,
    ) -> Result<Tour, ReadErrorKind> {
        let mut vertices: Vec<u32> = Vec::new();
        for v in found {
            let v = v?;
            let is_illegal = vertices.last().is_some_and(|&before| !board.is_move(before, v));
            vertices.push(v);
            if is_illegal || vertices.len() > board.len() {
                break;
            }
        }
        self.check_kind(Tour::new(board, vertices)?, kind)
    }

    fn parse_squares(&self, text: &[u8], kind: Option<TourKind>) -> Result<Tour, ReadErrorKind> {
        let mut squares: Vec<Square> = Vec::new();
        let board = self.board().and_then(Board::leaper_board).map(LeaperBoard::rectangle);
        let leaper = self.leaper();
        // The smallest rectangle so far.
        let (mut rows, mut cols) = (0u32, 0u32);
        // Adds a square; true if the sequence is already wrong, so that the rest need not be read.
        let mut is_wrong_after = |square: Square| {
            rows = rows.max(u32::from(square.rank()) + 1);
            cols = cols.max(u32::from(square.file()) + 1);
            let is_illegal = squares.last().is_some_and(|&before| !leaper.can_move(before, square));
            squares.push(square);
            is_illegal
                || squares.len() as u64 > board.map_or(u64::from(rows) * u64::from(cols), |b| b.len() as u64)
        };
        let mut chain = MoveChain::new();
        'all: for word in split_words(strip_move_number(text)) {
            match parse_square(word) {
                Ok(square) if !has_piece_letter(word) => {
                    chain = MoveChain::new();
                    if is_wrong_after(square) {
                        break;
                    }
                }
                _ => {
                    let found: Vec<_> = parse_squares(word).collect();
                    let is_back = chain.new_part(&found).len() < found.len();
                    for square in found.into_iter().skip(usize::from(is_back)) {
                        let is_strange = |error| {
                            if is_box_square(word) {
                                ReadErrorKind::BoxSquare(printable_excerpt(word))
                            } else {
                                ReadErrorKind::from(error)
                            }
                        };
                        if is_wrong_after(square.map_err(is_strange)?) {
                            break 'all;
                        }
                    }
                }
            }
        }
        self.check_squares(squares, kind)
    }

    /// Checks squares on the known board, or on the smallest rectangle.
    pub(super) fn check_squares(
        &self,
        squares: Vec<Square>,
        kind: Option<TourKind>,
    ) -> Result<Tour, ReadErrorKind> {
        let (board, is_guessed) = match self.board() {
            Some(board) => (board.clone(), false),
            None => (self.smallest_board(&squares)?, true),
        };
        match Tour::from_squares(&board, squares) {
            Ok(tour) => self.check_kind(tour, kind),
            Err(error) if is_guessed && matches!(error.kind(), TourErrorKind::Incomplete { .. }) => {
                Err(ReadErrorKind::MissingSquares(error))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Parses the squares of a word, on a rectangle.
fn squares_in_word(word: &[u8]) -> impl Iterator<Item = Result<Square, ParseSquareError>> + '_ {
    let plain = parse_square(word).ok().filter(|_| !has_piece_letter(word));
    let parts = if plain.is_none() { Some(parse_squares(word)) } else { None };
    plain.map(Ok).into_iter().chain(parts.into_iter().flatten())
}

/// A chain of moves, each a word of its own: `a1-b3 b3-c5`. Each move begins where the previous one ended.
struct MoveChain<S> {
    /// End of the move in the previous word.
    previous_end: Option<S>,
}

impl<S: Clone + PartialEq> MoveChain<S> {
    const fn new() -> Self {
        Self { previous_end: None }
    }

    /// Returns the part of a word that the previous words do not contain.
    fn new_part<'a>(&mut self, word: &'a [S]) -> &'a [S] {
        let before = if word.is_empty() { return word } else { self.previous_end.take() };
        let [from, to] = word else { return word };
        self.previous_end = Some(to.clone());
        if before.as_ref() == Some(from) { &word[1..] } else { word }
    }
}

/// Returns the vertices on a line: each word is a name, or holds names in the notations of people. If names
/// may be any words, even numbers, only separators are removed.
fn vertices_on_line<'a>(
    board: &'a Board,
    text: &'a [u8],
) -> impl Iterator<Item = Result<u32, ReadErrorKind>> {
    let has_squares = board.wrapped_board().is_some() || board.box_board().is_some();
    let is_counted = split_words(text).next().is_some_and(|word| parse_vertex(board, word).is_err());
    let mut chain = MoveChain::new();
    split_words(if is_counted { strip_move_number(text) } else { text }).flat_map(move |word| {
        let whole = parse_vertex(board, word);
        let are_names = || split_at_separators(word).all(|part| parse_vertex(board, part).is_ok());
        let (own, squares, names) = match whole {
            Err(_) if has_squares => (None, Some(name_parts(word)), None),
            Err(_) if are_names() => (None, None, Some(split_at_separators(word))),
            // The error shows a wrong name as it is written.
            whole => (Some(whole), None, None),
        };
        let parts = squares.into_iter().flatten().chain(names.into_iter().flatten());
        let parts: Vec<&[u8]> = parts.collect();
        let parts = if own.is_none() { chain.new_part(&parts).to_vec() } else { parts };
        own.into_iter().chain(parts.into_iter().map(|part| parse_vertex(board, part)))
    })
}
