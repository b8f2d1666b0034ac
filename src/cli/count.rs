//! `ktour count`: exact numbers.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::common::{KindArg, PieceArgs, vertex};
use super::failure::Failure;
use super::how::RunArgs;
use super::run::Start;
use super::series::{self, Boards};
use super::symmetry::{SymmetryRun, parser, refuse};
use super::up_to_symmetry::UpToSymmetry;
use super::wanted::Wanted;
use ktour::batch::Shard;
use ktour::board::{Arena, Square};
use ktour::count::symmetric::Named;
use ktour::count::{Engine, Request, Series};
use ktour::tour::Kind;

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
  ktour count 8x8 --symmetry rot180        tours that a half turn keeps
  ktour count 5x8 --leaper 1,4             the giraffe
  ktour count 5x5 --remove c3              a board with a hole

A re-entrant path (its ends are a move apart) is no open tour; `paths` has both. Most published \"open\" counts \
are of paths.";

/// Exact numbers of tours.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct CountArgs {
    /// ROWSxCOLS such as 6x8, N for a square, or a range such as 5x2..60
    #[arg(value_name = "BOARD")]
    board: Boards,

    #[command(flatten)]
    piece: PieceArgs,

    /// Which tours
    ///
    /// Without it a table of all three.
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Option<KindArg>,

    /// Count tours up to the board's symmetries
    ///
    /// With --start or --end up to those symmetries that leave these squares where they are.
    #[arg(long, conflicts_with_all = ["directed", "per_start", "classes"])]
    distinct: bool,

    /// Only tours that this leaves unchanged, whatever else does
    #[arg(long, value_parser = parser(), value_name = "WHICH", hide_short_help = true, conflicts_with_all = ["per_start", "classes"])]
    symmetry: Option<Named>,

    /// A table of all classes of symmetry
    #[arg(long, conflicts_with_all = ["directed", "per_start"])]
    classes: bool,

    /// Only tours from this square, directed
    #[arg(long, value_name = "SQUARE", conflicts_with = "per_start")]
    start: Option<Square>,

    /// Only tours to this square, directed
    #[arg(long, value_name = "SQUARE", conflicts_with = "per_start")]
    end: Option<Square>,

    #[command(flatten)]
    wanted: Wanted,

    /// How to count
    #[arg(long, value_enum, value_name = "ENGINE", default_value = "auto")]
    engine: EngineArg,

    /// Edges ruled out (multipath) or moves made (backtrack) in a unit of work [default: by the board and kind]
    #[arg(long, value_name = "D", hide_short_help = true)]
    split_depth: Option<u32>,

    /// Count one part of M; `ktour merge` adds them up
    ///
    /// Part R of M, 0 <= R < M. Parts need not know of each other: they are given by the job alone.
    #[arg(
        long,
        value_name = "R/M",
        default_value = "0/1",
        hide_default_value = true,
        conflicts_with = "per_start"
    )]
    shard: Shard,

    /// Count a second time, by other means, and compare
    ///
    /// By another engine where one can do it in a few times the first one's time; otherwise the transposed
    /// board cut at another depth, or a sweep in another order. Numbers that differ are not reported.
    #[arg(long, hide_short_help = true, conflicts_with = "shard")]
    double_check: bool,

    /// Save progress there; `ktour resume FILE` goes on
    ///
    /// Saved are units of work that are done, and a sweep in its middle: its layers are in the folder FILE.sweep,
    /// which belongs to the file.
    #[arg(long, value_name = "FILE", value_parser = parse_checkpoint)]
    checkpoint: Option<PathBuf>,

    #[command(flatten)]
    how: RunArgs,
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

/// A checkpoint is read again, so it cannot be standard output.
fn parse_checkpoint(name: &str) -> Result<PathBuf, String> {
    match name {
        "-" => Err("standard output cannot be read again: name a file".to_owned()),
        name => Ok(name.into()),
    }
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
            return self.symmetric(Arena::board(board, leaper), symmetry);
        }
        let symmetry = if self.classes {
            Some(UpToSymmetry::Classes)
        } else {
            self.distinct.then_some(UpToSymmetry::Distinct)
        };
        let arena = Arena::board(board, leaper);
        let request = Request {
            kind: self.kind.map(Into::into),
            start: vertex(&arena, self.start)?,
            end: vertex(&arena, self.end)?,
            per_start: self.wanted.per_start,
            engine: match self.engine {
                EngineArg::Auto => Engine::Auto,
                EngineArg::Backtrack => Engine::Backtrack,
                EngineArg::Multipath => Engine::Multipath,
                EngineArg::Frontier => Engine::Frontier,
            },
            split_depth: self.split_depth,
            parts: self.shard.count(),
            ..Request::new(arena)
        };
        Start {
            request,
            shard: self.shard,
            wanted: Wanted { symmetry, double_check: self.double_check, ..self.wanted },
            how: self.how,
            checkpoint: self.checkpoint,
            resumed: None,
        }
        .run()
    }

    /// Tours with a symmetry: they are counted at once, by the quotient of the board.
    fn symmetric(self, arena: Arena, named: Named) -> Result<(), Failure> {
        refuse(
            "--symmetry",
            &[
                (self.start.is_some() || self.end.is_some(), "--start or --end"),
                (!self.shard.is_whole(), "--shard"),
                (self.checkpoint.is_some(), "--checkpoint"),
                (self.how.checkpoint_every.is_some(), "--checkpoint-every"),
                (self.how.spill.is_some(), "--spill, as sweeps of half a board are kept in memory"),
                (self.split_depth.is_some(), "--split-depth"),
                (self.how.mpi, "--mpi"),
                (matches!(self.engine, EngineArg::Backtrack), "--engine backtrack"),
            ],
        )?;
        if self.double_check {
            return Err(Failure::usage(
                "--symmetry does not go with --double-check: count with --engine multipath and with frontier",
            ));
        }
        SymmetryRun {
            arena,
            kind: self.kind.map(Into::into),
            named,
            distinct: self.distinct,
            engine: match self.engine {
                EngineArg::Auto => Engine::Auto,
                EngineArg::Frontier => Engine::Frontier,
                EngineArg::Backtrack | EngineArg::Multipath => Engine::Multipath,
            },
            wanted: self.wanted,
            how: self.how,
        }
        .run()
    }

    /// A range of boards: one sweep, so only what a sweep along the boards can do.
    fn series(&self, series: Series) -> Result<(), Failure> {
        let cannot = [
            (self.kind.is_none(), "needs --kind closed, open or paths"),
            (self.start.is_some() || self.end.is_some(), "has no --start or --end"),
            (self.wanted.per_start, "has no --per-start"),
            (self.distinct || self.classes, "has no --distinct or --classes"),
            (self.symmetry.is_some(), "has no --symmetry"),
            (!self.piece.remove.is_empty(), "has no --remove"),
            (!self.shard.is_whole(), "has no --shard"),
            (self.checkpoint.is_some(), "has no --checkpoint"),
            (self.double_check, "has no --double-check"),
            (self.how.mpi, "has no --mpi"),
            (self.wanted.record.is_some(), "has no --record"),
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
        series::run(series, self.piece.leaper, kind, self.how.memory, &self.wanted)
    }
}
