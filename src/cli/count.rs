//! `ktour count`: exact numbers.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::common::{KindArg, PieceArgs, ProgressArgs};
use super::failure::Failure;
use super::run::{Start, Wanted};
use super::series::{Boards, Series};
use super::symmetry::{SymmetryArg, SymmetryRun, UpToSymmetry, refuse};
use super::{size, time};
use crate::batch::Shard;
use crate::board::{Board, Square};
use crate::count::symmetric::Named;
use crate::count::{Engine, Request};
use crate::tour::Kind;

const EXAMPLES: &str = "\
Examples:
  ktour count 6x6                          closed, open and all paths
  ktour count 6x6 --kind closed            9862
  ktour count 5x5 --kind paths --directed  1728
  ktour count 6x6 --per-start --csv -      a row for each start square
  ktour count 5x5 --start a1 --end e5      directed tours from a1 to e5
  ktour count 5x2..60 --kind closed        a series of boards from one sweep
  ktour count 6x6 --kind closed --distinct 1245 up to rotation and reflection
  ktour count 6x6 --kind closed --classes  the same by class of symmetry
  ktour count 8x8 --symmetry rot180        tours that a half turn leaves unchanged
  ktour count 4x10 --leaper 1,4 --remove a1,j4

A re-entrant path (its ends are a move apart) is no open tour; `paths` has both. Most published
\"open\" counts are of paths.";

/// Exact numbers of tours.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct CountArgs {
    /// ROWSxCOLS, such as 6x8, N for a square board, or a range such as 5x2..60
    #[arg(value_name = "BOARD")]
    board: Boards,

    #[command(flatten)]
    piece: PieceArgs,

    /// Which tours [default: a table of all three]
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Option<KindArg>,

    /// Count both directions of every tour
    #[arg(long)]
    directed: bool,

    /// Count tours up to the board's symmetries
    #[arg(long, conflicts_with_all = ["directed", "per_start", "classes"])]
    distinct: bool,

    /// Only tours that this leaves unchanged, whatever else does
    #[arg(long, value_enum, value_name = "WHICH", conflicts_with_all = ["per_start", "classes"])]
    symmetry: Option<SymmetryArg>,

    /// A table of all classes of symmetry
    #[arg(long, conflicts_with_all = ["directed", "per_start"])]
    classes: bool,

    /// Only tours from this square, directed
    #[arg(long, value_name = "SQUARE")]
    start: Option<Square>,

    /// Only tours to this square, directed
    #[arg(long, value_name = "SQUARE")]
    end: Option<Square>,

    /// A row for each start square, directed
    #[arg(long, conflicts_with_all = ["start", "end"])]
    per_start: bool,

    /// How to count
    #[arg(long, value_enum, value_name = "ENGINE", default_value = "auto")]
    engine: EngineArg,

    /// Edges ruled out (multipath) or moves made (backtrack) in a unit of work [default: by the board and kind]
    #[arg(long, value_name = "D")]
    split_depth: Option<u32>,

    /// Write CSV to a file, - for standard output
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Write JSON to a file, - for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Add the result as a line to a file of records
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Do this part of the job only, 0 <= R < M; `ktour merge` adds parts up
    #[arg(
        long,
        value_name = "R/M",
        default_value = "0/1",
        hide_default_value = true,
        conflicts_with = "per_start"
    )]
    shard: Shard,

    /// Save progress to a file, unit by unit (a sweep is one); `ktour resume FILE` goes on
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,

    /// Time between checkpoints: seconds, or with s, m, h, d
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = time::interval)]
    checkpoint_every: Duration,

    /// Ceiling for the memory of a sweep, such as 8G [default: 9/10 of what is available]
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    memory: Option<u64>,

    /// Tell every step of a sweep on standard error
    #[arg(long, short)]
    verbose: bool,

    #[command(flatten)]
    progress: ProgressArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum EngineArg {
    /// The fastest, by estimate
    Auto,
    /// Path extension: one path, move by move
    Backtrack,
    /// Edge choice: all partial paths at once
    Multipath,
    /// Dynamic programming: no tour by itself, but all at once
    Frontier,
}

impl CountArgs {
    /// Counts and reports.
    pub fn run(self) -> Result<(), Failure> {
        let leaper = self.piece.leaper;
        let board = match &self.board {
            Boards::One(board) => self.piece.without_removed(board.clone())?,
            Boards::Series(series) => return self.series(*series),
        };
        let ends = self.start.is_some() || self.end.is_some();
        if self.distinct && ends && !matches!(self.kind, Some(KindArg::Paths | KindArg::Open)) {
            return Err(Failure::usage(
                "--distinct tours from --start or to --end are paths: ask for --kind paths or open",
            ));
        }
        if self.classes {
            refuse("--classes", &[(ends, "--start or --end")])?;
        }
        if self.distinct || self.classes {
            refuse(
                if self.distinct { "--distinct" } else { "--classes" },
                &[(!self.shard.is_whole(), "--shard, which knows a part of the tours only")],
            )?;
        }
        if let Some(symmetry) = self.symmetry {
            return self.symmetric(board, symmetry.into());
        }
        let request = Request {
            board,
            leaper,
            kind: self.kind.map(Into::into),
            start: self.start,
            end: self.end,
            per_start: self.per_start,
            engine: match self.engine {
                // A sweep is one unit of work: it cannot be cut into shards.
                EngineArg::Auto if !self.shard.is_whole() => Engine::Multipath,
                EngineArg::Frontier if !self.shard.is_whole() => {
                    return Err(Failure::usage(
                        "a sweep is not cut into shards: drop --shard, or choose --engine multipath",
                    ));
                }
                EngineArg::Auto => Engine::Auto,
                EngineArg::Backtrack => Engine::Backtrack,
                EngineArg::Multipath => Engine::Multipath,
                EngineArg::Frontier => Engine::Frontier,
            },
            split_depth: self.split_depth,
        };
        let wanted = self.wanted();
        Start {
            request,
            shard: self.shard,
            wanted,
            progress: self.progress.mode(),
            checkpoint: self.checkpoint.map(|file| (file, self.checkpoint_every)),
            resumed: None,
            memory: self.memory,
            verbose: self.verbose,
        }
        .run()
    }

    /// Tours with a symmetry: they are counted at once, by the quotient of the board.
    fn symmetric(&self, board: Board, named: Named) -> Result<(), Failure> {
        refuse(
            "--symmetry",
            &[
                (self.start.is_some() || self.end.is_some(), "--start or --end"),
                (!self.shard.is_whole(), "--shard"),
                (self.checkpoint.is_some(), "--checkpoint"),
                (self.split_depth.is_some(), "--split-depth"),
                (matches!(self.engine, EngineArg::Backtrack), "--engine backtrack"),
            ],
        )?;
        SymmetryRun {
            board,
            leaper: self.piece.leaper,
            kind: self.kind.map(Into::into),
            named,
            distinct: self.distinct,
            engine: match self.engine {
                EngineArg::Auto => Engine::Auto,
                EngineArg::Frontier => Engine::Frontier,
                EngineArg::Backtrack | EngineArg::Multipath => Engine::Multipath,
            },
            memory: self.memory,
            wanted: self.wanted(),
            progress: self.progress.mode(),
            verbose: self.verbose,
        }
        .run()
    }

    fn wanted(&self) -> Wanted {
        Wanted {
            symmetry: if self.classes {
                Some(UpToSymmetry::Classes)
            } else {
                self.distinct.then_some(UpToSymmetry::Distinct)
            },
            directed: self.directed,
            per_start: self.per_start,
            csv: self.csv.clone(),
            json: self.json.clone(),
            record: self.record.clone(),
        }
    }

    /// A range of boards: one sweep, so only what a sweep along the boards can do.
    fn series(&self, series: Series) -> Result<(), Failure> {
        let cannot = [
            (self.kind.is_none(), "needs --kind closed, open or paths"),
            (self.start.is_some() || self.end.is_some(), "has no --start or --end"),
            (self.per_start, "has no --per-start"),
            (self.distinct || self.classes, "has no --distinct or --classes"),
            (self.symmetry.is_some(), "has no --symmetry"),
            (!self.piece.remove.is_empty(), "has no --remove"),
            (!self.shard.is_whole(), "has no --shard"),
            (self.checkpoint.is_some(), "has no --checkpoint"),
            (self.record.is_some(), "has no --record"),
            (self.split_depth.is_some(), "has no --split-depth"),
            (
                matches!(self.engine, EngineArg::Backtrack | EngineArg::Multipath),
                "is counted by --engine frontier only",
            ),
        ];
        if let Some((_, why)) = cannot.iter().find(|(there, _)| *there) {
            return Err(Failure::usage(format!(
                "a range of boards {why}: change that, or count board by board"
            )));
        }
        let kind = self.kind.map_or(Kind::Closed, Into::into);
        series.run(self.piece.leaper, kind, self.memory, &self.wanted())
    }
}
