//! Arguments that choose tours and the method of a search, for several commands.

use clap::{Args, ValueEnum};

use crate::cli::error::CliError;
use crate::report::ProgressMode;
use ktour::board::Board;
use ktour::count::Engine;
use ktour::tour::Kind;

/// Returns the vertex named by `--start` or `--end`.
///
/// # Errors
/// The board has no vertex of this name.
pub fn resolve_end(board: &Board, name: Option<&str>) -> Result<Option<u32>, CliError> {
    let vertex = name.map(|name| board.vertex(name)).transpose();
    vertex.map_err(|error| {
        CliError::usage(match board.piece() {
            Some(_) => format!("{error}; give --start and --end squares of BOARD that are not removed"),
            None => format!("{error}; give --start and --end names of its vertices"),
        })
    })
}

/// A kind of tours, as typed.
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

/// An engine, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineArg {
    /// The engine with the smallest estimated time
    Auto,
    /// Backtracking: extends one path move by move
    Backtrack,
    /// Multipath search: chooses edges, extending all partial paths at once
    Multipath,
    /// Dynamic programming over a frontier: counts all tours at once
    Frontier,
}

impl From<EngineArg> for Engine {
    fn from(engine: EngineArg) -> Self {
        match engine {
            EngineArg::Auto => Self::Auto,
            EngineArg::Backtrack => Self::Backtrack,
            EngineArg::Multipath => Self::Multipath,
            EngineArg::Frontier => Self::Frontier,
        }
    }
}

/// The kind of tours.
#[derive(Clone, Debug, Args)]
pub struct KindArgs {
    /// Select which tours to count or read
    ///
    /// Default: paths; `count` prints all three kinds.
    #[arg(long, value_enum, value_name = "KIND")]
    pub kind: Option<KindArg>,
}

/// Fixed ends of the tours.
#[derive(Clone, Debug, Default, Args)]
pub struct EndsArgs {
    /// Use only tours that start on SQUARE
    ///
    /// Counts are then of directed tours.
    #[arg(long, value_name = "SQUARE")]
    pub start: Option<String>,

    /// Use only tours that end on SQUARE
    ///
    /// Counts are then of directed tours.
    #[arg(long, value_name = "SQUARE")]
    pub end: Option<String>,
}

/// The order in which a search tries moves.
#[derive(Clone, Debug, Args)]
pub struct MovesArgs {
    /// Try moves in this order of (down,right) steps, such as "2,1 1,2 -1,2 -2,1 -2,-1 -1,-2 1,-2 2,-1"
    #[arg(long, value_name = "STEPS", allow_hyphen_values = true, hide_short_help = true)]
    pub moves: Option<String>,
}

/// The split of a search into units of work.
#[derive(Clone, Debug, Default, Args)]
pub struct SplitArgs {
    /// Split a search into units of work at depth D. Default: by the board and kind
    ///
    /// D is the number of excluded edges (multipath) or of moves (backtrack, and lists with --moves).
    #[arg(long, value_name = "D", hide_short_help = true)]
    pub split_depth: Option<u32>,
}

impl EndsArgs {
    /// Returns true if an end is fixed.
    pub const fn is_any_fixed(&self) -> bool {
        self.start.is_some() || self.end.is_some()
    }
}

/// The progress display.
#[derive(Clone, Debug, Args)]
pub struct ProgressArgs {
    /// Choose how progress is shown on standard error
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
