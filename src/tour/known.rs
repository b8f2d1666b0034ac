//! The board and kind of the next tour: from options, from headers, and from earlier tours.
//!
//! ```text
//! options --+
//! header ---+-> board, kind -> the next tour     a contradiction is an error
//! field ----+       ^               |
//!                   +-- first tour -+            if no other source gives the board
//! ```

use crate::board::{Board, Leaper, LeaperBoard, Rectangle, RectangleError, Square};

use super::fault::ReadErrorKind;
use super::header::FileHeader;
use super::{Kind, Tour, TourKind};

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
pub(super) struct ReadContext {
    options: ReadOptions,
    /// Board of the next tour.
    board: Option<Board>,
    /// Text form of that board as the file writes it.
    board_text: String,
    /// Kind in the header.
    header_kind: Option<Kind>,
}

impl ReadContext {
    pub(super) fn new(options: ReadOptions) -> Self {
        let leaper = options.leaper.unwrap_or_default();
        let of_board =
            || options.rectangle.as_ref().map(|rectangle| Board::from_leaper(rectangle.clone(), leaper));
        let board = options.board.clone().or_else(of_board);
        Self { options, board, board_text: String::new(), header_kind: None }
    }

    /// Returns the board of the next tour, if known.
    pub(super) const fn board(&self) -> Option<&Board> {
        self.board.as_ref()
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
        if let (Some(said), Some(asked)) = (header.kind, self.options.kind) {
            let together = said == asked || (said != Kind::Closed && asked != Kind::Closed);
            if !together {
                return Err(option_conflict("kind", said.name(), asked.name()));
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
        let ReadOptions { board: wanted, rectangle, leaper, removed, .. } = &self.options;
        if let Some(wanted) = wanted.as_ref().filter(|wanted| *wanted != board) {
            return Err(option_conflict("board", board, wanted));
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
        let mut asked = rectangle.as_ref().map_or(removed.as_slice(), Rectangle::removed).to_vec();
        asked.sort_unstable();
        asked.dedup();
        if !asked.is_empty() && asked != own.removed() {
            return Err(option_conflict("remove", join_names(own.removed()), join_names(&asked)));
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

    /// Checks the kind of a tour against `said` (the kind written with the tour), the header and the options.
    /// If none of them gives a kind, a tour whose ends are a move apart becomes closed.
    pub(super) fn check_kind(&self, tour: Tour, said: Option<TourKind>) -> Result<Tour, ReadErrorKind> {
        let wanted = self.header_kind.or(self.options.kind);
        let tour = match (said, wanted) {
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

fn option_conflict(what: &'static str, said: impl ToString, asked: impl ToString) -> ReadErrorKind {
    ReadErrorKind::OptionConflict {
        property: what,
        file_value: said.to_string(),
        option_value: asked.to_string(),
    }
}
