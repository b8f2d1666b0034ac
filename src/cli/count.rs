//! `ktour count`: counts tours exactly.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;

use super::arena::{BoardArg, GroundArgs};
use super::common::{EndsArgs, EngineArg, KindArg, KindArgs, SplitArgs, vertex};
use super::failure::Failure;
use super::how::RunArgs;
use super::range::{Boards, Obstacles, RangeFiles, RangeRun, of_board, refuse_for_range};
use super::residues::ResidueArgs;
use super::run::Start;
use super::symmetry::{SymmetryRun, check_kind, check_known, parser, refuse, symmetric_row};
use super::up_to_symmetry::UpToSymmetry;
use super::wanted::Wanted;
use crate::report::{BoardRow, SeriesReport, wrap_name};
use ktour::batch::Shard;
use ktour::board::{Arena, Board};
use ktour::control::Control;
use ktour::count::symmetric::{Named, Setting};
use ktour::count::{Engine, Request};
use ktour::frontier::Lane;
use ktour::series::{self, Play};
use ktour::tour::Kind;

const EXAMPLES: &str = "\
Examples:
  ktour count 6x6                          closed, open and all paths
  ktour count 6x6 --kind closed            9862
  ktour count 5x5 --kind paths --directed  1728
  ktour count 6x6 --per-start --csv -      a row for each start square
  ktour count 5x5 --start a1 --end e5      directed tours from a1 to e5
  ktour count 5x2..60 --kind closed        a series of boards, in one sweep
  ktour count 6x6 --kind closed --distinct 1245, up to symmetry
  ktour count 6x6 --kind closed --classes  a table by symmetry class
  ktour count 8x8 --symmetry rot180        tours with half-turn symmetry
  ktour count 5x8 --leaper 1,4             the giraffe
  ktour count 5x5 --remove c3              a board with a hole
  ktour count 6x6 --piece king             other pieces: wazir, camel, ..
  ktour count 6x8 --wrap torus             edges joined
  ktour count 2x4x4                        a box
  ktour count --graph petersen.txt         any graph

A re-entrant path (its ends are a move apart) is not an open tour; `paths` includes both. Most published \"open\" \
counts are counts of paths.";

/// Count tours exactly.
#[derive(Debug, Args)]
#[command(
    after_long_help = EXAMPLES,
    mut_arg("modulus", |modulus| modulus.conflicts_with_all(["double_check", "directed"])),
    mut_arg("residues", |residues| residues.conflicts_with_all(["double_check", "shard"]))
)]
pub struct CountArgs {
    /// ROWSxCOLS such as 6x8, N for a square, LAYERSxROWSxCOLS for a box, or a range such as 5x2..60
    #[arg(value_name = "BOARD", required_unless_present_any = ["shape", "graph"], conflicts_with_all = ["shape", "graph"])]
    pub(super) board: Option<Boards>,

    #[command(flatten)]
    pub(super) ground: GroundArgs,

    #[command(flatten)]
    pub(super) kind: KindArgs,

    /// Keep one tour of each class under the board's symmetries
    ///
    /// With --start or --end, only the symmetries that fix these squares are used.
    #[arg(long, conflicts_with_all = ["directed", "per_start", "classes"])]
    pub(super) distinct: bool,

    /// Use only tours with this symmetry (they may have others)
    ///
    /// A symmetry of the plain board. On a wrapped board its centre and axes are those of the plain board.
    #[arg(long, value_parser = parser(), value_name = "WHICH", hide_short_help = true, conflicts_with_all = ["per_start", "classes"])]
    pub(super) symmetry: Option<Named>,

    /// Print a table of all symmetry classes
    ///
    /// Where symmetries have no names, as on a torus or in a graph, C3 are tours with exactly 3 symmetries
    /// that keep the direction, and D3 tours with 3 more that reverse it.
    #[arg(long, conflicts_with_all = ["directed", "per_start"])]
    pub(super) classes: bool,

    #[command(flatten)]
    pub(super) ends: EndsArgs,

    #[command(flatten)]
    pub(super) wanted: Wanted,

    /// Choose the engine
    #[arg(long, value_enum, value_name = "ENGINE", default_value = "auto")]
    pub(super) engine: EngineArg,

    #[command(flatten)]
    pub(super) split: SplitArgs,

    /// Process only part R of M, 0 <= R < M
    ///
    /// Parts are independent: each follows from the job alone. `ktour merge` adds them up.
    #[arg(
        long,
        value_name = "R/M",
        default_value = "0/1",
        hide_default_value = true,
        conflicts_with = "per_start"
    )]
    pub(super) shard: Shard,

    /// Count a second time by another method, and compare
    ///
    /// Uses another engine if it takes at most a few times the time of the first count. Otherwise counts on
    /// the transposed board with another split depth, or sweeps in another order. Counts that differ are not
    /// reported.
    #[arg(long, hide_short_help = true, conflicts_with = "shard")]
    pub(super) double_check: bool,

    /// Save progress to FILE; `ktour resume FILE` continues
    ///
    /// Saves finished units of work and an unfinished sweep, whose layers are in the folder FILE.sweep. A
    /// series of boards is saved in one file.
    #[arg(long, value_name = "FILE", value_parser = parse_checkpoint)]
    pub(super) checkpoint: Option<PathBuf>,

    #[command(flatten)]
    pub(super) residues: ResidueArgs,

    #[command(flatten)]
    pub(super) how: RunArgs,

    /// The saved command line, if a checkpoint is resumed.
    #[arg(skip)]
    pub(super) asked: Option<Vec<String>>,
}

/// Parses the name of a checkpoint. Standard output is refused because a checkpoint must be readable.
pub fn parse_checkpoint(name: &str) -> Result<PathBuf, String> {
    match name {
        "-" => Err("a checkpoint cannot be standard output; give a file name".to_owned()),
        "" => Err("the file name is empty; give a file name".to_owned()),
        name => Ok(name.into()),
    }
}

impl CountArgs {
    /// Returns the saved command with the checkpoint it came from and new run options.
    pub fn again(self, file: PathBuf, how: RunArgs, asked: Vec<String>) -> Self {
        Self { checkpoint: Some(file), how, asked: Some(asked), ..self }
    }

    /// Counts and reports.
    pub fn run(mut self) -> Result<(), Failure> {
        self.wanted.reads =
            self.ground.inputs().map(|(option, path)| (option, path.map(Path::to_owned))).to_vec();
        let board = match self.board.clone() {
            Some(Boards::Range(boards)) => return self.range(boards, RangeFiles::default()),
            Some(Boards::One(board)) => Some(board),
            None => None,
        };
        self.check()?;
        let arena = self.ground.on(board.as_ref())?;
        match self.symmetry {
            Some(symmetry) => self.symmetric(arena, symmetry),
            None if self.residues.option().is_some() => self.residues.run(self.start(arena)?),
            None => self.start(arena)?.run(),
        }
    }

    /// Rejects options that exclude each other on any board.
    fn check(&self) -> Result<(), Failure> {
        let ends = self.ends.are_fixed();
        if self.wanted.per_start {
            refuse("--per-start", &[(ends, "--start or --end")])?;
        }
        if self.distinct && ends && !matches!(self.kind.kind, Some(KindArg::Paths | KindArg::Open)) {
            return Err(Failure::usage(
                "--distinct with --start or --end is for paths only; add --kind paths or --kind open",
            ));
        }
        if self.classes {
            refuse("--classes", &[(ends, "--start or --end")])?;
        }
        if self.distinct || self.classes {
            refuse(
                if self.distinct { "--distinct" } else { "--classes" },
                &[(!self.shard.is_whole(), "--shard, which counts only a part of the tours")],
            )?;
        }
        Ok(())
    }

    /// Returns the request to run the job of one board.
    fn start(&self, arena: Arena) -> Result<Start, Failure> {
        let symmetry = if self.classes {
            Some(UpToSymmetry::Classes)
        } else {
            self.distinct.then_some(UpToSymmetry::Distinct)
        };
        if let Some(what) = symmetry {
            check_known(&arena, what.option())?;
        }
        let request = Request {
            kind: self.kind.kind.map(Into::into),
            start: vertex(&arena, self.ends.start.as_deref())?,
            end: vertex(&arena, self.ends.end.as_deref())?,
            per_start: self.wanted.per_start,
            engine: self.engine.into(),
            split_depth: self.split.split_depth,
            parts: self.shard.count(),
            ..Request::new(arena)
        };
        Ok(Start {
            request,
            shard: self.shard,
            wanted: Wanted { symmetry, double_check: self.double_check, ..self.wanted.clone() },
            how: self.how.clone(),
            checkpoint: self.checkpoint.clone(),
            resumed: None,
        })
    }

    /// Counts tours with a symmetry, in one run without checkpoint, on the quotient of the board.
    fn symmetric(self, arena: Arena, named: Named) -> Result<(), Failure> {
        self.check_symmetric(false)?;
        SymmetryRun {
            arena,
            kind: self.kind.kind.map(Into::into),
            named,
            distinct: self.distinct,
            engine: self.symmetric_engine(),
            residues: self.residues.bits(),
            wanted: self.wanted,
            how: self.how,
        }
        .run()
    }

    /// Returns the engine that counts symmetric tours.
    fn symmetric_engine(&self) -> Engine {
        match self.engine {
            // Only sweeps can count modulo a number.
            EngineArg::Auto if self.residues.bits().is_some() => Engine::Frontier,
            EngineArg::Auto => Engine::Auto,
            EngineArg::Frontier => Engine::Frontier,
            EngineArg::Backtrack | EngineArg::Multipath => Engine::Multipath,
        }
    }

    /// Rejects options that a count of symmetric tours does not support. A series of such counts may have a
    /// checkpoint for its rows.
    fn check_symmetric(&self, is_range: bool) -> Result<(), Failure> {
        refuse(
            "--symmetry",
            &[
                (self.ends.are_fixed(), "--start or --end"),
                (!self.shard.is_whole(), "--shard, as sweeps of half a board are short (see ktour estimate)"),
                (
                    self.checkpoint.is_some() && !is_range,
                    "--checkpoint, as sweeps of half a board are short and in memory (see ktour estimate)",
                ),
                (self.how.checkpoint_every.is_some() && !is_range, "--checkpoint-every"),
                (self.how.spill.is_some(), "--spill, as sweeps of half a board are in memory"),
                (self.split.split_depth.is_some(), "--split-depth"),
                (self.how.mpi, "--mpi"),
                (matches!(self.engine, EngineArg::Backtrack), "--engine backtrack"),
            ],
        )?;
        if self.double_check {
            return Err(Failure::usage(
                "--symmetry excludes --double-check; compare counts with --engine multipath and --engine frontier",
            ));
        }
        Ok(())
    }

    /// Counts a series of boards: in one sweep if the options allow it, otherwise board by board.
    pub fn range(self, boards: series::Boards, files: RangeFiles) -> Result<(), Failure> {
        self.residues.check_range()?;
        refuse_for_range(&[
            (self.wanted.per_start, "--per-start"),
            (self.classes, "--classes"),
            (!self.shard.is_whole(), "--shard"),
            (self.how.mpi, "--mpi"),
            (self.residues.modulus().is_some() && self.double_check, "--modulus and --double-check"),
            (self.symmetry.is_some() && self.wanted.record.is_some(), "--symmetry and --record"),
            (self.symmetry.is_some() && self.residues.bits().is_some(), "--symmetry and --residues"),
        ])?;
        self.check()?;
        if let Some(symmetry) = self.symmetry {
            self.check_symmetric(true)?;
            self.kind.kind.map_or(Ok(()), |kind| check_kind(symmetry, kind.into()))?;
        }
        // Squares that are on the smallest board are on all boards.
        let arena = |board: Board| self.ground.on(Some(&BoardArg::Flat(board)));
        let first = arena(boards.boards().next().expect("a range has boards"))?;
        let ends = [self.ends.start.as_deref(), self.ends.end.as_deref()];
        for end in ends {
            vertex(&first, end)?;
        }
        let play = Play { wrap: self.ground.wrap.unwrap_or_default(), piece: self.ground.piece() };
        let numbers = self.residues.numbers();
        let modulus = numbers.modulus();
        let kind: Option<Kind> = self.kind.kind.map(Into::into);
        let run = RangeRun {
            boards,
            kind,
            wanted: self.wanted.clone(),
            how: self.how.clone(),
            may_sweep: self.may_sweep_range(),
            numbers,
            distinct: self.distinct,
            is_checked: self.double_check,
            checkpoint: self.checkpoint.clone(),
            asked: self.asked.clone(),
            files,
            report: self.range_report(&boards, &play, modulus)?,
            play,
        };
        // A series that may spill or is saved is not refused in advance: each board is checked when its turn
        // comes.
        let looks_ahead = !(self.how.force || self.how.spill.is_some() || self.checkpoint.is_some());
        let looks_ahead = looks_ahead && self.symmetry.is_none();
        let start = |arena: Arena, modulus: Option<Lane>| {
            let start = self.start(arena)?;
            Ok::<_, Failure>(Start { request: Request { modulus, ..start.request }, ..start })
        };
        let obstacles =
            |board: Board, control: &Control| start(arena(board)?, numbers.of_sweep())?.obstacle(control);
        let obstacles = looks_ahead.then_some(&obstacles as &Obstacles);
        let mut count = |board: Board, stop: &Arc<AtomicBool>| {
            let own = self.checkpoint.as_ref().map(|file| of_board(file, &board));
            let arena = arena(board)?;
            if let Some(named) = self.symmetry {
                let kinds = Kind::ALL.into_iter().filter(|&one| kind.is_none_or(|kind| kind == one));
                let setting = Setting::new(&arena, self.symmetric_engine(), self.how.memory);
                let row = symmetric_row(&setting, &arena, named, kinds, self.distinct, &self.how, stop)?;
                return Ok((row, None));
            }
            let mut start = start(arena, modulus)?;
            // The caller deletes this checkpoint once the board has its row.
            start.checkpoint = own.filter(|_| self.residues.bits().is_none());
            let result = self.residues.count(start)?;
            Ok((BoardRow::of(&result), Some(result.record)))
        };
        run.run(&mut count, obstacles)
    }

    /// Returns true if one sweep can count the whole series.
    fn may_sweep_range(&self) -> bool {
        !(self.symmetry.is_some() || self.double_check || self.ends.are_fixed())
            && self.ground.remove.is_empty()
            && self.how.spill.is_none()
            && self.split.split_depth.is_none()
            && matches!(self.engine, EngineArg::Auto | EngineArg::Frontier)
    }

    /// Returns the report of the series without rows.
    fn range_report(
        &self,
        boards: &series::Boards,
        play: &Play,
        modulus: Option<Lane>,
    ) -> Result<SeriesReport, Failure> {
        let kind: Option<Kind> = self.kind.kind.map(Into::into);
        let is_told = |one: &Kind| {
            kind.is_none_or(|kind| kind == *one) && self.symmetry.is_none_or(|named| named.is_of(*one))
        };
        Ok(SeriesReport {
            boards: boards.to_string(),
            index: boards.index(),
            leaper: play.piece.to_string(),
            wrap: wrap_name(play.wrap),
            ends: [&self.ends.start, &self.ends.end].map(|end| end.clone().unwrap_or_default()),
            removed: self.ground.removed_squares()?.iter().map(ToString::to_string).collect(),
            symmetry: self.symmetry.map_or("", Named::name),
            modulus: modulus.map(Lane::modulus),
            kinds: Kind::ALL.into_iter().filter(is_told).collect(),
            distinct: self.distinct,
            recurrence: None,
            rows: Vec::new(),
            complete: false,
        })
    }
}
