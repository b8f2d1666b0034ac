//! The board and kind of the next tour: from options, from headers, and from earlier tours.
//!
//! ```text
//! options --+
//! header ---+-> board, kind -> the next tour     a contradiction is an error
//! field ----+       ^               |
//!                   +-- first tour -+            if no other source gives the board
//! ```
//!
//! Parser of tours by names, which stops as soon as the names cannot be a tour.

use super::lexer::{is_box_square, parse_square, parse_vertex, split_words};
use super::square_notation::{
    has_piece_letter, name_parts, parse_squares, split_at_separators, strip_move_number,
};
use crate::board::{Board, Leaper, LeaperBoard, ParseSquareError, Rectangle, RectangleError, Square};
use crate::tour::file_format::FileHeader;
use crate::tour::read_error::{ReadErrorKind, printable_excerpt};
use crate::tour::{Kind, Tour, TourErrorKind, TourKind};

/// Options of a reader. The contents of the file must agree with them.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Complete board of the tours.
    pub board: Option<Board>,
    /// Rectangle of the tours; its removed squares, if any, must be those of the file.
    pub rectangle: Option<Rectangle>,
    /// Piece. Default: that of the file, else the knight.
    pub leaper: Option<Leaper>,
    /// Squares that are removed from a rectangle of unknown size.
    pub removed: Vec<Square>,
    /// Kind of the tours.
    pub kind: Option<Kind>,
    /// Whether each tour may have its own board.
    pub is_mixed: bool,
}

/// The reader's knowledge about the next tour.
#[derive(Debug)]
pub(in crate::tour) struct ReadContext {
    options: ReadOptions,
    /// Board of the next tour.
    board: Option<Board>,
    /// Text form of that board as the file writes it.
    board_text: String,
    /// Kind in the header.
    header_kind: Option<Kind>,
}

impl ReadContext {
    pub(in crate::tour) fn new(options: ReadOptions) -> Self {
        let leaper = options.leaper.unwrap_or_default();
        let of_board =
            || options.rectangle.as_ref().map(|rectangle| Board::from_leaper(rectangle.clone(), leaper));
        let board = options.board.clone().or_else(of_board);
        Self { options, board, board_text: String::new(), header_kind: None }
    }

    /// Returns the board of the next tour, if known.
    pub(in crate::tour) const fn board(&self) -> Option<&Board> {
        self.board.as_ref()
    }

    /// Returns the board if it is known and not a rectangle.
    pub(in crate::tour) fn non_rectangle(&self) -> Option<&Board> {
        self.board.as_ref().filter(|board| board.leaper_board().is_none())
    }

    /// Returns the piece on a rectangle.
    pub(in crate::tour) fn leaper(&self) -> Leaper {
        let known = self.board.as_ref().and_then(Board::leaper_board).map(LeaperBoard::leaper);
        known.or(self.options.leaper).unwrap_or_default()
    }

    /// Applies a header to the tours that follow.
    pub(in crate::tour) fn apply_header(&mut self, header: &FileHeader) -> Result<(), ReadErrorKind> {
        if let Some(text) = &header.board {
            self.set_board(text)?;
        }
        if let (Some(stated_kind), Some(requested)) = (header.kind, self.options.kind) {
            let together =
                stated_kind == requested || (stated_kind != Kind::Closed && requested != Kind::Closed);
            if !together {
                return Err(option_conflict("kind", stated_kind.name(), requested.name()));
            }
        }
        self.header_kind = header.kind;
        Ok(())
    }

    /// Sets the board of the tours that follow by its text form.
    pub(in crate::tour) fn set_board(&mut self, text: &str) -> Result<(), ReadErrorKind> {
        if self.board.is_some() && text == self.board_text {
            return Ok(());
        }
        let board = FileHeader::parse_board(text)?;
        self.check_options(&board)?;
        match &self.board {
            // The known board already has its graph.
            Some(known) if *known == board => {}
            Some(known) if self.is_board_fixed() => {
                return Err(ReadErrorKind::DifferentBoard {
                    found: board.to_string(),
                    expected: known.to_string(),
                });
            }
            _ => self.board = Some(board),
        }
        text.clone_into(&mut self.board_text);
        Ok(())
    }

    /// Returns true if the file has fixed the board of all tours.
    fn is_board_fixed(&self) -> bool {
        !self.board_text.is_empty() && !self.options.is_mixed
    }

    fn check_options(&self, board: &Board) -> Result<(), ReadErrorKind> {
        let ReadOptions { board: requested_board, rectangle, leaper, removed, .. } = &self.options;
        if let Some(requested_board) =
            requested_board.as_ref().filter(|requested_board| *requested_board != board)
        {
            return Err(option_conflict("board", board, requested_board));
        }
        let asks = rectangle.is_some() || leaper.is_some() || !removed.is_empty();
        let Some(leaper_board) = board.leaper_board() else {
            let of_boards = "a rectangle";
            return if asks { Err(option_conflict("board", board.title(), of_boards)) } else { Ok(()) };
        };
        let own = leaper_board.rectangle();
        if let Some(rectangle) =
            rectangle.as_ref().filter(|b| (b.rows(), b.cols()) != (own.rows(), own.cols()))
        {
            return Err(option_conflict("board", own, rectangle));
        }
        if let Some(leaper) = leaper.filter(|&leaper| leaper != leaper_board.leaper()) {
            return Err(option_conflict("piece", leaper_board.leaper(), leaper));
        }
        let mut requested_removed =
            rectangle.as_ref().map_or(removed.as_slice(), Rectangle::removed).to_vec();
        requested_removed.sort_unstable();
        requested_removed.dedup();
        if !requested_removed.is_empty() && requested_removed != own.removed() {
            return Err(option_conflict("remove", join_names(own.removed()), join_names(&requested_removed)));
        }
        Ok(())
    }

    /// Returns the smallest rectangle that holds the squares of a tour.
    pub(in crate::tour) fn smallest_board(&self, squares: &[Square]) -> Result<Board, ReadErrorKind> {
        let all = || squares.iter().chain(&self.options.removed);
        let rows = all().map(|square| square.rank()).max().unwrap_or(0);
        let cols = all().map(|square| square.file()).max().unwrap_or(0);
        let side =
            |last: u16| last.checked_add(1).ok_or_else(|| RectangleError::TooLarge("65536".to_owned()));
        let board =
            Rectangle::new(side(rows)?, side(cols)?)?.without(self.options.removed.iter().copied())?;
        Ok(Board::from_leaper(board, self.leaper()))
    }

    /// Returns the rectangle of a grid with the given holes.
    pub(in crate::tour) fn grid_board(
        &self,
        whole: Rectangle,
        holes: impl Iterator<Item = Square>,
    ) -> Result<Board, ReadErrorKind> {
        let holes = holes.chain(self.options.removed.iter().copied());
        Ok(Board::from_leaper(whole.without(holes)?, self.leaper()))
    }

    /// Takes the board of a tour for the tours that follow, unless boards may be mixed.
    pub(in crate::tour) fn adopt_board(&mut self, tour: &Tour) {
        if self.board.is_none() && !self.options.is_mixed {
            self.board = Some(tour.board().clone());
            self.board_text = tour.board().to_string();
        }
    }

    /// Checks the kind of a tour against `stated_kind` (the kind written with the tour), the header and the options.
    /// If none of them gives a kind, a tour whose ends are a move apart becomes closed.
    pub(in crate::tour) fn check_kind(
        &self,
        tour: Tour,
        stated_kind: Option<TourKind>,
    ) -> Result<Tour, ReadErrorKind> {
        let requested_kind = self.header_kind.or(self.options.kind);
        let tour = match (stated_kind, requested_kind) {
            (Some(TourKind::Closed), _) | (None, Some(Kind::Closed)) => tour.into_closed()?,
            (None, None) if tour.kind() == TourKind::ReEntrant => tour.into_closed()?,
            (Some(said), _) if said != tour.kind() => {
                return Err(ReadErrorKind::KindMismatch { marked: said.name(), actual: tour.kind().name() });
            }
            _ => tour,
        };
        let is = tour.kind();
        match (self.header_kind, self.options.kind) {
            (Some(kind), _) if !kind.includes(is) => {
                Err(ReadErrorKind::HeaderKindMismatch { header: kind.name(), actual: is.name() })
            }
            (_, Some(kind)) if !kind.includes(is) => {
                Err(ReadErrorKind::OptionKindMismatch { option: kind.name(), actual: is.name() })
            }
            _ => Ok(tour),
        }
    }
}

fn join_names(squares: &[Square]) -> String {
    let names: Vec<String> = squares.iter().map(ToString::to_string).collect();
    if names.is_empty() { "-".to_owned() } else { names.join(",") }
}

fn option_conflict(what: &'static str, in_file: impl ToString, requested: impl ToString) -> ReadErrorKind {
    ReadErrorKind::OptionConflict {
        property: what,
        file_value: in_file.to_string(),
        option_value: requested.to_string(),
    }
}

impl ReadContext {
    /// Returns the tour by names on a line.
    pub(in crate::tour) fn parse_line(
        &self,
        text: &[u8],
        kind: Option<TourKind>,
    ) -> Result<Tour, ReadErrorKind> {
        match self.non_rectangle() {
            Some(board) => self.check_vertices(board, vertices_on_line(board, text), kind),
            None => self.parse_squares(text, kind),
        }
    }

    /// Returns the names on a line in standard notation, or `None` if one of them is invalid.
    pub(in crate::tour) fn standard_names(&self, text: &[u8]) -> Option<Vec<String>> {
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
    pub(in crate::tour) fn check_vertices(
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
    pub(in crate::tour) fn check_squares(
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
