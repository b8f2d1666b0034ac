//! Arguments that several commands share.

use clap::{Args, ValueEnum};

use super::failure::Failure;
use crate::report::ProgressMode;
use ktour::board::Arena;
use ktour::count::Engine;
use ktour::tour::Kind;

/// The vertex of a fixed start or end, by its name.
pub fn vertex(arena: &Arena, name: Option<&str>) -> Result<Option<u32>, Failure> {
    let vertex = name.map(|name| arena.vertex(name)).transpose();
    vertex.map_err(|error| {
        Failure::usage(match arena.piece() {
            Some(_) => format!("{error}: --start and --end take squares of BOARD that are not removed"),
            None => format!("{error}: --start and --end take names of its vertices"),
        })
    })
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

/// How to count, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineArg {
    /// The fastest, by estimate; of estimates all
    Auto,
    /// Path extension: one path, move by move
    Backtrack,
    /// Edge choice: all partial paths at once
    Multipath,
    /// Dynamic programming: no tour by itself, but all at once
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
#[derive(Clone, Debug, Default, Args)]
pub struct EndsArgs {
    /// Only tours from this square
    ///
    /// Numbers are of directed tours then.
    #[arg(long, value_name = "SQUARE")]
    pub start: Option<String>,

    /// Only tours to this square
    ///
    /// Numbers are of directed tours then.
    #[arg(long, value_name = "SQUARE")]
    pub end: Option<String>,
}

/// The order of a search's own choosing.
#[derive(Clone, Debug, Args)]
pub struct MovesArgs {
    /// Order in which (down,right) steps are tried, such as "2,1 1,2 -1,2 -2,1 -2,-1 -1,-2 1,-2 2,-1"
    #[arg(long, value_name = "STEPS", allow_hyphen_values = true, hide_short_help = true)]
    pub moves: Option<String>,
}

/// How finely work is cut.
#[derive(Clone, Debug, Default, Args)]
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
