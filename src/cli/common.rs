//! Arguments that several commands share.

use clap::{Args, ValueEnum};

use super::failure::Failure;
use crate::report::ProgressMode;
use ktour::board::{Arena, Board, Leaper, Square};
use ktour::tour::Kind;

/// The board and the piece.
#[derive(Clone, Debug, Args)]
pub struct BoardArgs {
    /// ROWSxCOLS such as 6x8, or N for a square board
    #[arg(value_name = "BOARD")]
    board: Board,

    #[command(flatten)]
    piece: PieceArgs,
}

/// The piece, and the squares it may not use.
#[derive(Clone, Debug, Args)]
pub struct PieceArgs {
    /// The piece; 1,2 is the knight
    #[arg(long, value_name = "A,B", default_value = "1,2")]
    pub leaper: Leaper,

    /// Squares to take off the board
    #[arg(long, value_name = "SQUARES", value_delimiter = ',')]
    pub remove: Vec<Square>,
}

impl BoardArgs {
    /// The board without the removed squares, and the piece.
    pub fn resolve(&self) -> Result<(Board, Leaper), Failure> {
        Ok((self.piece.without_removed(self.board.clone())?, self.piece.leaper))
    }
}

/// The vertex of a fixed start or end.
pub fn vertex(arena: &Arena, square: Option<Square>) -> Result<Option<u32>, Failure> {
    let vertex = square.map(|square| arena.vertex(&square.to_string())).transpose();
    vertex.map_err(|error| {
        Failure::usage(format!("{error}: --start and --end take squares of BOARD that are not removed"))
    })
}

impl PieceArgs {
    /// The board without the removed squares.
    pub fn without_removed(&self, board: Board) -> Result<Board, Failure> {
        let board = board
            .without(self.remove.iter().copied())
            .map_err(|error| Failure::usage(format!("--remove: {error}")))?;
        if board.is_empty() {
            return Err(Failure::usage("--remove leaves no square on the board: remove fewer"));
        }
        Ok(board)
    }
}

/// Which tours, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KindArg {
    /// Tours that return to their first square
    Closed,
    /// Tours whose ends are not a move apart
    Open,
    /// All tours that need not return, re-entrant ones included
    Paths,
}

impl From<KindArg> for Kind {
    fn from(kind: KindArg) -> Self {
        match kind {
            KindArg::Closed => Self::Closed,
            KindArg::Open => Self::Open,
            KindArg::Paths => Self::Paths,
        }
    }
}

/// Which tours.
#[derive(Clone, Debug, Args)]
pub struct KindArgs {
    /// Which tours
    ///
    /// Without it all paths; count has a table of all three then.
    #[arg(long, value_enum, value_name = "KIND")]
    pub kind: Option<KindArg>,
}

/// Fixed ends.
#[derive(Clone, Debug, Args)]
pub struct EndsArgs {
    /// Only tours from this square
    ///
    /// Numbers are of directed tours then.
    #[arg(long, value_name = "SQUARE")]
    pub start: Option<Square>,

    /// Only tours to this square
    ///
    /// Numbers are of directed tours then.
    #[arg(long, value_name = "SQUARE")]
    pub end: Option<Square>,
}

/// The order of a search's own choosing.
#[derive(Clone, Debug, Args)]
pub struct MovesArgs {
    /// Order in which (down,right) steps are tried, such as "2,1 1,2 -1,2 -2,1 -2,-1 -1,-2 1,-2 2,-1"
    #[arg(long, value_name = "STEPS", allow_hyphen_values = true, hide_short_help = true)]
    pub moves: Option<String>,
}

/// How finely work is cut.
#[derive(Clone, Debug, Args)]
pub struct SplitArgs {
    /// Depth of the cut into units of work [default: by the board and kind]
    ///
    /// Edges ruled out (multipath), or moves made (backtrack, and lists with --moves).
    #[arg(long, value_name = "D", hide_short_help = true)]
    pub split_depth: Option<u32>,
}

impl EndsArgs {
    /// Whether an end is fixed.
    pub const fn are_fixed(&self) -> bool {
        self.start.is_some() || self.end.is_some()
    }
}

/// How to show progress.
#[derive(Clone, Debug, Args)]
pub struct ProgressArgs {
    /// How to show progress on standard error
    #[arg(long, value_enum, value_name = "HOW", default_value = "auto", hide_short_help = true)]
    progress: ProgressArg,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ProgressArg {
    /// A bar on a terminal, plain lines otherwise
    Auto,
    /// A bar
    Bar,
    /// A line every 30 seconds
    Plain,
    /// Nothing
    None,
}

impl ProgressArgs {
    pub const fn mode(&self) -> ProgressMode {
        match self.progress {
            ProgressArg::Auto => ProgressMode::Auto,
            ProgressArg::Bar => ProgressMode::Bar,
            ProgressArg::Plain => ProgressMode::Plain,
            ProgressArg::None => ProgressMode::None,
        }
    }
}
