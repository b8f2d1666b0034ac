//! The board and kind of the next tour: from options, from headers, and from earlier tours.
//!
//! ```text
//! options --+
//! header ---+-> board, kind -> the next tour     a contradiction is an error
//! field ----+       ^               |
//!                   +-- first tour -+            if no other source gives the board
//! ```

use crate::board::{Arena, Board, BoardError, Leaper, Rectangle, Square};

use super::fault::Fault;
use super::header::Header;
use super::{Kind, Tour, TourKind};

/// Options of a reader. The contents of the file must agree with them.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Complete board of the tours.
    pub arena: Option<Arena>,
    /// Rectangle of the tours; its removed squares, if any, must be those of the file.
    pub board: Option<Board>,
    /// Piece. Default: that of the file, else the knight.
    pub leaper: Option<Leaper>,
    /// Squares that are removed from a rectangle of unknown size.
    pub removed: Vec<Square>,
    /// Kind of the tours.
    pub kind: Option<Kind>,
    /// Whether each tour may have its own board.
    pub mixed: bool,
}

/// The reader's knowledge about the next tour.
#[derive(Debug)]
pub(super) struct Known {
    options: ReadOptions,
    /// Board of the next tour.
    arena: Option<Arena>,
    /// Text form of that board as the file writes it.
    text: String,
    /// Kind in the header.
    kind: Option<Kind>,
}

impl Known {
    pub(super) fn new(options: ReadOptions) -> Self {
        let leaper = options.leaper.unwrap_or_default();
        let of_board = || options.board.as_ref().map(|board| Arena::board(board.clone(), leaper));
        let arena = options.arena.clone().or_else(of_board);
        Self { options, arena, text: String::new(), kind: None }
    }

    /// Returns the board of the next tour, if known.
    pub(super) const fn arena(&self) -> Option<&Arena> {
        self.arena.as_ref()
    }

    /// Returns the board if it is known and not a rectangle.
    pub(super) fn graph(&self) -> Option<&Arena> {
        self.arena.as_ref().filter(|arena| arena.rectangle().is_none())
    }

    /// Returns the piece on a rectangle.
    pub(super) fn leaper(&self) -> Leaper {
        let known = self.arena.as_ref().and_then(Arena::rectangle).map(Rectangle::leaper);
        known.or(self.options.leaper).unwrap_or_default()
    }

    /// Applies a header to the tours that follow.
    pub(super) fn header(&mut self, header: &Header) -> Result<(), Fault> {
        if let Some(text) = &header.arena {
            self.enter(text)?;
        }
        if let (Some(said), Some(asked)) = (header.kind, self.options.kind) {
            let together = said == asked || (said != Kind::Closed && asked != Kind::Closed);
            if !together {
                return Err(contradiction("kind", said.name(), asked.name()));
            }
        }
        self.kind = header.kind;
        Ok(())
    }

    /// Sets the board of the tours that follow by its text form.
    pub(super) fn enter(&mut self, text: &str) -> Result<(), Fault> {
        if self.arena.is_some() && text == self.text {
            return Ok(());
        }
        let arena = Header::arena_of(text)?;
        self.agrees(&arena)?;
        match &self.arena {
            // The known board already has its graph.
            Some(known) if *known == arena => {}
            Some(known) if self.told() => {
                return Err(Fault::OtherArena { found: arena.to_string(), expected: known.to_string() });
            }
            _ => self.arena = Some(arena),
        }
        text.clone_into(&mut self.text);
        Ok(())
    }

    /// Returns true if the file has fixed the board of all tours.
    fn told(&self) -> bool {
        !self.text.is_empty() && !self.options.mixed
    }

    fn agrees(&self, arena: &Arena) -> Result<(), Fault> {
        let ReadOptions { arena: wanted, board, leaper, removed, .. } = &self.options;
        if let Some(wanted) = wanted.as_ref().filter(|wanted| *wanted != arena) {
            return Err(contradiction("board", arena, wanted));
        }
        let asks = board.is_some() || leaper.is_some() || !removed.is_empty();
        let Some(rectangle) = arena.rectangle() else {
            let of_boards = "a rectangle";
            return if asks { Err(contradiction("board", arena.title(), of_boards)) } else { Ok(()) };
        };
        let own = rectangle.board();
        if let Some(board) = board.as_ref().filter(|b| (b.rows(), b.cols()) != (own.rows(), own.cols())) {
            return Err(contradiction("board", own, board));
        }
        if let Some(leaper) = leaper.filter(|&leaper| leaper != rectangle.leaper()) {
            return Err(contradiction("piece", rectangle.leaper(), leaper));
        }
        let mut asked = board.as_ref().map_or(removed.as_slice(), Board::removed).to_vec();
        asked.sort_unstable();
        asked.dedup();
        if !asked.is_empty() && asked != own.removed() {
            return Err(contradiction("remove", names(own.removed()), names(&asked)));
        }
        Ok(())
    }

    /// Returns the smallest rectangle that holds the squares of a tour.
    pub(super) fn board_of(&self, squares: &[Square]) -> Result<Arena, Fault> {
        let all = || squares.iter().chain(&self.options.removed);
        let rows = all().map(|square| square.rank()).max().unwrap_or(0);
        let cols = all().map(|square| square.file()).max().unwrap_or(0);
        let side = |last: u16| last.checked_add(1).ok_or_else(|| BoardError::TooLarge("65536".to_owned()));
        let board = Board::new(side(rows)?, side(cols)?)?.without(self.options.removed.iter().copied())?;
        Ok(Arena::board(board, self.leaper()))
    }

    /// Returns the rectangle of a grid with the given holes.
    pub(super) fn board_of_grid(
        &self,
        whole: Board,
        holes: impl Iterator<Item = Square>,
    ) -> Result<Arena, Fault> {
        let holes = holes.chain(self.options.removed.iter().copied());
        Ok(Arena::board(whole.without(holes)?, self.leaper()))
    }

    /// Takes the board of a tour for the tours that follow, unless boards may be mixed.
    pub(super) fn remember(&mut self, tour: &Tour) {
        if self.arena.is_none() && !self.options.mixed {
            self.arena = Some(tour.arena().clone());
            self.text = tour.arena().to_string();
        }
    }

    /// Checks the kind of a tour against `said` (the kind written with the tour), the header and the options.
    /// If none of them gives a kind, a tour whose ends are a move apart becomes closed.
    pub(super) fn of_kind(&self, tour: Tour, said: Option<TourKind>) -> Result<Tour, Fault> {
        let wanted = self.kind.or(self.options.kind);
        let tour = match (said, wanted) {
            (Some(TourKind::Closed), _) | (None, Some(Kind::Closed)) => tour.into_closed()?,
            (None, None) if tour.kind() == TourKind::ReEntrant => tour.into_closed()?,
            (Some(said), _) if said != tour.kind() => {
                return Err(Fault::OtherKind { said: said.name(), is: tour.kind().name() });
            }
            _ => tour,
        };
        let is = tour.kind();
        match (self.kind, self.options.kind) {
            (Some(kind), _) if !kind.has(is) => Err(Fault::NotOfHeader { said: kind.name(), is: is.name() }),
            (_, Some(kind)) if !kind.has(is) => Err(Fault::NotAsked { asked: kind.name(), is: is.name() }),
            _ => Ok(tour),
        }
    }
}

fn names(squares: &[Square]) -> String {
    let names: Vec<String> = squares.iter().map(ToString::to_string).collect();
    if names.is_empty() { "-".to_owned() } else { names.join(",") }
}

fn contradiction(what: &'static str, said: impl ToString, asked: impl ToString) -> Fault {
    Fault::Contradiction { what, said: said.to_string(), asked: asked.to_string() }
}
