//! The board and kind of the next tour: from options, from headers, and from earlier tours.
//!
//! ```text
//! options --+
//! header ---+-> board, kind -> the next tour     a contradiction is an error
//! field ----+       ^               |
//!                   +-- first tour -+            if no other source gives the board
//! ```

use super::token::is_box_square;
use crate::board::{Board, Leaper, LeaperBoard, Rectangle, RectangleError, Square};
use crate::text_format::printable_excerpt;
use crate::tour::file_format::FileHeader;
use crate::tour::read_error::ReadErrorKind;
use crate::tour::{Kind, Tour, TourErrorKind, TourKind};

/// Meaning of the two numbers of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "program", derive(clap::ValueEnum))]
pub enum CoordinateOrder {
    /// Row from the top, then column
    #[cfg_attr(feature = "program", value(name = "row,column"))]
    RowColumn,
    /// Column, then row from the bottom
    #[cfg_attr(feature = "program", value(name = "x,y"))]
    Xy,
}

impl CoordinateOrder {
    /// Returns the column and the row of a pair.
    pub(super) const fn column_and_row(self, a: u64, b: u64) -> (u64, u64) {
        match self {
            Self::RowColumn => (b, a),
            Self::Xy => (a, b),
        }
    }

    /// Returns the order in words, for messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RowColumn => "row,column",
            Self::Xy => "x,y",
        }
    }
}

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
    /// Meaning of pairs of coordinates. Default: each meaning is tried.
    pub coordinate_order: Option<CoordinateOrder>,
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
    /// The board with required and forbidden moves.
    restricted_board: Option<Board>,
}

impl ReadContext {
    pub(super) fn new(options: ReadOptions) -> Self {
        let leaper = options.leaper.unwrap_or_default();
        let of_board =
            || options.rectangle.as_ref().map(|rectangle| Board::from_leaper(rectangle.clone(), leaper));
        let board = options.board.clone().or_else(of_board);
        Self { options, board, board_text: String::new(), header_kind: None, restricted_board: None }
    }

    /// Returns true if a header of the file has stated the kind of the tours.
    pub(super) const fn has_header(&self) -> bool {
        self.header_kind.is_some()
    }

    /// Returns the board of the next tour, if known.
    pub(super) const fn board(&self) -> Option<&Board> {
        self.board.as_ref()
    }

    /// Sets the board with the required and forbidden moves of the tours.
    pub(super) fn set_restricted_board(&mut self, board: Board) {
        self.restricted_board = Some(board);
    }

    /// Returns the board with required and forbidden moves, if there are any.
    pub(super) fn restricted_board(&self) -> Option<&Board> {
        self.restricted_board.as_ref().or(self.board()).filter(|board| board.is_restricted())
    }

    /// Returns the meaning of pairs of coordinates in the options.
    pub(super) const fn coordinate_order(&self) -> Option<CoordinateOrder> {
        self.options.coordinate_order
    }

    /// Returns true if a known board, or removed squares, may distinguish mirror images of a tour.
    pub(super) fn has_marked_squares(&self) -> bool {
        self.board.is_some() || !self.options.removed.is_empty()
    }

    /// Returns true if each tour may have its own board.
    pub(super) const fn is_mixed(&self) -> bool {
        self.options.is_mixed
    }

    /// Returns the board if it is known and not a rectangle.
    pub(super) fn non_rectangle(&self) -> Option<&Board> {
        self.board.as_ref().filter(|board| board.leaper_board().is_none())
    }

    /// Returns the piece on a rectangle.
    pub(super) fn leaper(&self) -> Leaper {
        let known = self.board.as_ref().and_then(Board::leaper_board).map(LeaperBoard::leaper);
        known.or(self.options.leaper).unwrap_or_default()
    }

    /// Applies a header to the tours that follow.
    pub(super) fn apply_header(&mut self, header: &FileHeader) -> Result<(), ReadErrorKind> {
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
    pub(super) fn set_board(&mut self, text: &str) -> Result<(), ReadErrorKind> {
        if self.board.is_some() && text == self.board_text {
            return Ok(());
        }
        let board: Board = text.parse()?;
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
    pub(super) fn smallest_board(&self, squares: &[Square]) -> Result<Board, ReadErrorKind> {
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
    pub(super) fn grid_board(
        &self,
        whole: Rectangle,
        holes: impl Iterator<Item = Square>,
    ) -> Result<Board, ReadErrorKind> {
        let holes = holes.chain(self.options.removed.iter().copied());
        Ok(Board::from_leaper(whole.without(holes)?, self.leaper()))
    }

    /// Takes the board of a tour for the tours that follow, unless boards may be mixed.
    pub(super) fn adopt_board(&mut self, tour: &Tour) {
        if self.board.is_none() && !self.options.is_mixed {
            self.board = Some(tour.board().clone());
            self.board_text = tour.board().to_string();
        }
    }

    /// Checks the kind of a tour against `stated_kind` (the kind written with the tour), the header and the options.
    /// If none of them gives a kind, a tour whose ends are a move apart becomes closed.
    pub(super) fn check_kind(
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
    /// Returns the tour of a sequence of names.
    pub(super) fn tour_by_names(
        &self,
        names: &[String],
        kind: Option<TourKind>,
    ) -> Result<Tour, ReadErrorKind> {
        match self.non_rectangle() {
            Some(board) => {
                let vertex = |name: &String| {
                    let bare = board.vertex(name);
                    Ok(bare.or_else(|error| board.vertex(&name.to_ascii_lowercase()).map_err(|_| error))?)
                };
                self.check_vertices(board, names.iter().map(vertex), kind)
            }
            None => {
                let square = |name: &String| match name.parse::<Square>() {
                    Err(_) if is_box_square(name) => {
                        Err(ReadErrorKind::BoxSquare(printable_excerpt(name.as_bytes())))
                    }
                    square => Ok(square?),
                };
                // An illegal move before a wrong name is the first fault.
                let mut squares = Vec::with_capacity(names.len());
                for name in names {
                    match square(name) {
                        Ok(square) => squares.push(square),
                        Err(error) => {
                            let fault = self.check_squares(squares, None).err();
                            return Err(fault.filter(|fault| !fault.is_incomplete()).unwrap_or(error));
                        }
                    }
                }
                self.check_squares(squares, kind)
            }
        }
    }

    /// Parses a line of plain squares of a rectangle, without separators other than blanks. Returns `None` if
    /// the line is written in any other way.
    pub(super) fn tour_of_plain_squares(&self, text: &[u8]) -> Option<Result<Tour, ReadErrorKind>> {
        let board = self.board().and_then(Board::leaper_board).map(LeaperBoard::rectangle);
        let leaper = self.leaper();
        let mut squares: Vec<Square> = Vec::new();
        // The smallest rectangle so far.
        let (mut rows, mut cols) = (0u32, 0u32);
        for word in text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
            let square = plain_square(word)?;
            rows = rows.max(u32::from(square.rank()) + 1);
            cols = cols.max(u32::from(square.file()) + 1);
            let is_illegal = squares.last().is_some_and(|&before| !leaper.can_move(before, square));
            squares.push(square);
            let most = board.map_or(u64::from(rows) * u64::from(cols), |board| board.len() as u64);
            if is_illegal || squares.len() as u64 > most {
                break;
            }
        }
        Some(self.check_squares(squares, None))
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

/// Parses a square in lower case, as ktour writes it.
fn plain_square(word: &[u8]) -> Option<Square> {
    if !word.first().is_some_and(u8::is_ascii_lowercase) || word.len() > 9 {
        return None;
    }
    std::str::from_utf8(word).ok()?.parse().ok()
}
