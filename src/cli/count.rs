//! `ktour count`: counts tours exactly.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;

use super::all_graphs::GraphCounts;
use super::args::board::{BoardOptions, DRAWING_OPTIONS, print_graph_notes, read_graphs};
use super::args::checkpoint_options::CheckpointOptions;
use super::args::heading;
use super::args::output_options::OutputOptions;
use super::args::run_options::{RunOptions, SpillArgs};
use super::args::tours::{EndsArgs, KindArgs, SplitArgs};
use super::distinct_counts::option_name;
use super::error::CliError;
use super::modular_counts::ModularArgs;
use super::numbered::{self, NumberedArgs};
use super::per_ends::{self, EndPairRun};
use super::run::RunRequest;
use super::series::{BoardsArg, RefusalCheck, SeriesFiles, SeriesRun, refuse_for_series};
use super::symmetric_counts::{SymmetricCount, check_symmetries_known, symmetric_row, symmetry_parser};
use crate::report::{BoardRow, SeriesReport, wrap_name};
use ktour::batch::Shard;
use ktour::board::{Board, BoardSides, Rectangle};
use ktour::control::Control;
use ktour::count::admission::Alternatives;
use ktour::count::job_spec::{Choice, JobSpec, Task};
use ktour::count::symmetric::{NamedSymmetry, SymmetryPlan, UpToSymmetry};
use ktour::count::{Engine, Request};
use ktour::frontier::ResidueRing;
use ktour::series::{self, SeriesRules};
use ktour::tour::Kind;

const EXAMPLES: &str = "\
Examples:
  ktour count 6x6                          closed, open and all paths
  ktour count 6x6 --kind closed            9862
  ktour count 5x5 --kind paths --directed  1728
  ktour count 6x6 --per-start --csv -      a row for each start square
  ktour count 5x5 --start a1 --end e5      directed tours from a1 to e5
  ktour count 5x5 --per-ends               a row for each pair of ends
  ktour count 5x2..60 --kind closed        a series of boards, in one sweep
  ktour count 6x6 --kind closed --distinct 1245, up to symmetry
  ktour count 6x6 --kind closed --classes  a table by symmetry class
  ktour count 8x8 --symmetry rot180        tours with half-turn symmetry
  ktour count 5x8 --leaper 1,4             the giraffe
  ktour count 5x5 --remove c3              a board with a hole
  ktour count 6x6 --piece king             other pieces: wazir, camel, ..
  ktour count 6x6 --wrap torus             edges joined
  ktour count 2x4x4                        a box
  ktour count --graph petersen.txt         any graph
  ktour count --graph c.g6 --all-graphs    a row for each graph of a file

A re-entrant path (its ends are a move apart) is not an open tour; `paths` includes both. Most published \"open\" \
counts are counts of paths.";

/// Options that do not apply to tours with numbered squares.
const NUMBERED_EXCLUDES: [&str; 17] = [
    "all_graphs",
    "distinct",
    "symmetry",
    "classes",
    "directed",
    "per_start",
    "engine",
    "split_depth",
    "double_check",
    "modulus",
    "residues",
    "record",
    "shard",
    "checkpoint",
    "memory",
    "spill",
    "mpi",
];

/// Count tours exactly.
#[derive(Debug, Args)]
#[command(
    after_long_help = EXAMPLES,
    mut_args(|option| numbered::excluding(option, &NUMBERED_EXCLUDES)),
)]
pub struct CountArgs {
    /// ROWSxCOLS such as 6x8, N for a square, LAYERSxROWSxCOLS for a box, or a range such as 5x2..60
    #[arg(value_name = "BOARD", required_unless_present_any = ["shape", "graph"], conflicts_with_all = DRAWING_OPTIONS)]
    pub(super) board: Option<BoardsArg>,

    #[command(flatten)]
    pub(super) board_options: BoardOptions,

    /// Count every graph of a graph6 or sparse6 file, and print a row for each
    #[arg(long, requires = "graph", hide_short_help = true, conflicts_with_all = ["board", "distinct", "symmetry", "classes", "start", "end", "per_start", "shard", "double_check", "checkpoint", "record", "modulus", "residues"])]
    pub(super) all_graphs: bool,

    #[command(flatten)]
    pub(super) kind: KindArgs,

    /// Keep one tour of each class up to symmetry
    ///
    /// With --start or --end, only the symmetries that fix these squares are used.
    #[arg(long, aliases = ["unique", "up-to-symmetry"])]
    pub(super) distinct: bool,

    /// Use only tours with this symmetry (they may have others)
    ///
    /// A symmetry of the plain board. On a wrapped board its centre and axes are those of the plain board.
    #[arg(
        long,
        value_parser = symmetry_parser(),
        value_name = "WHICH",
        hide_short_help = true,
        conflicts_with_all = ["double_check", "spill", "mpi"]
    )]
    pub(super) symmetry: Option<NamedSymmetry>,

    /// Print a row for each pair of ends, up to symmetry; for paths and open tours
    ///
    /// A row has the pair with the lowest squares, the number of pairs that the symmetries of the board map to
    /// it, the number of tours with these ends, and the product. Takes one count for each row.
    #[arg(long, help_heading = heading::TOURS, hide_short_help = true, conflicts_with_all = per_ends::EXCLUDED_OPTIONS)]
    pub(super) per_ends: bool,

    /// Print a table of all symmetry classes
    ///
    /// Where symmetries have no names, as on a torus or in a graph, C3 are tours with exactly 3 symmetries
    /// that keep the direction, and D3 tours with 3 more that reverse it.
    #[arg(long, hide_short_help = true)]
    pub(super) classes: bool,

    #[command(flatten)]
    pub(super) ends: EndsArgs,

    #[command(flatten)]
    pub(super) numbered: NumberedArgs,

    /// Choose the engine
    #[arg(long, value_enum, value_name = "ENGINE", default_value = "auto", help_heading = heading::METHOD, hide_short_help = true)]
    pub(super) engine: Engine,

    #[command(flatten)]
    pub(super) split: SplitArgs,

    /// Count a second time by another method, and compare
    ///
    /// Uses another engine if by estimate it takes at most 5 seconds and 4 times the time of the first count.
    /// Otherwise counts on the transposed board with another split depth, or sweeps in another order. Counts
    /// that differ are not reported.
    #[arg(long, hide_short_help = true, conflicts_with_all = ["shard", "modulus", "residues"])]
    pub(super) double_check: bool,

    #[command(flatten)]
    pub(super) residues: ModularArgs,

    #[command(flatten)]
    pub(super) output: OutputOptions,

    /// Process only part R of M, 0 <= R < M
    ///
    /// Parts are independent: each follows from the job alone. `ktour merge` adds them up.
    #[arg(
        long,
        value_name = "R/M",
        default_value = "0/1",
        hide_default_value = true,
        hide_short_help = true,
        help_heading = heading::LONG_RUNS,
        conflicts_with = "residues"
    )]
    pub(super) shard: Shard,

    #[command(flatten)]
    pub(super) checkpoint: CheckpointOptions,

    #[command(flatten)]
    pub(super) run_options: RunOptions,

    #[command(flatten)]
    pub(super) spill_folder: SpillArgs,
}

impl CountArgs {
    /// Returns the command with another checkpoint and other run options.
    pub fn with_checkpoint(self, checkpoint: CheckpointOptions, run_options: RunOptions) -> Self {
        Self { checkpoint, run_options, spill_folder: SpillArgs::default(), ..self }
    }

    /// Counts the tours that the arguments select, and reports the counts.
    pub fn run(mut self) -> Result<(), CliError> {
        self.run_options = self.run_options.with_spill(std::mem::take(&mut self.spill_folder));
        self.output.input_files =
            self.board_options.inputs().map(|(option, path)| (option, path.map(Path::to_owned))).to_vec();
        let rectangle = match self.board.clone() {
            Some(BoardsArg::Series(boards)) => return self.count_series(boards, SeriesFiles::default()),
            Some(BoardsArg::Single(rectangle)) => Some(rectangle),
            None => None,
        };
        self.job_spec().validate()?;
        if self.all_graphs {
            return self.count_all_graphs();
        }
        let board = match self.checkpoint.resumed_board() {
            Some(board) => board,
            None => self.board_options.to_board(rectangle.as_ref())?,
        };
        if self.numbered.is_any_given() {
            let files = self.output.open(None)?;
            let board = self.ends.restrictions.restrict(board)?;
            let to_tours = |kind| self.ends.to_tours(board.clone(), kind);
            return numbered::count(&self.numbered, self.kind.kind(), to_tours, files);
        }
        if self.per_ends {
            let board = self.ends.restrictions.restrict(board)?;
            let (kind, engine) = (self.kind.kind(), self.engine);
            return EndPairRun { board, kind, engine, output: self.output, run_options: self.run_options }
                .run();
        }
        match self.symmetry {
            Some(symmetry) => self.count_symmetric(board, symmetry),
            None if self.residues.option_name().is_some() => self.residues.run(self.to_run_request(board)?),
            None => self.to_run_request(board)?.run(),
        }
    }

    /// Returns the choices that the options make.
    fn job_spec(&self) -> JobSpec {
        self.ends
            .add_choices(JobSpec::new(Task::Count))
            .with_kind(self.kind.kind())
            .with_symmetry(self.symmetry)
            .with(Choice::Engine(self.engine), true)
            .with(Choice::Modulus, self.residues.modulus().is_some())
            .with(Choice::Distinct, self.distinct)
    }

    /// Checks the options for one board, and returns the request to count its tours.
    fn to_run_request(&self, board: Board) -> Result<RunRequest, CliError> {
        let board = self.ends.restrictions.restrict(board)?;
        let symmetry = if self.classes {
            Some(UpToSymmetry::Classes)
        } else {
            self.distinct.then_some(UpToSymmetry::Distinct)
        };
        if let Some(what) = symmetry {
            check_symmetries_known(&board, option_name(what))?;
        }
        let (start, end) = self.ends.resolve(&board)?;
        let request = Request {
            per_start: self.output.per_start,
            engine: self.engine,
            split_depth: self.split.split_depth,
            shards: self.shard.count(),
            ..Request::of_kind(board, self.kind.kind()).with_ends(start, end)?
        };
        Ok(RunRequest {
            request,
            shard: self.shard,
            output: OutputOptions { symmetry, double_check: self.double_check, ..self.output.clone() },
            run_options: self.run_options.clone(),
            checkpoint: self.checkpoint.clone(),
            alternatives: self.alternatives(),
        })
    }

    /// Returns the other ways to count the tours of one board that the options do not exclude.
    fn alternatives(&self) -> Alternatives {
        let is_several = self.all_graphs || self.double_check || self.output.per_start;
        let is_up_to_symmetry = self.distinct || self.classes;
        let is_divisible = self.shard.is_whole() && !is_several && !is_up_to_symmetry;
        Alternatives {
            sweep: true,
            residues: is_divisible && self.residues.option_name().is_none(),
            shards: is_divisible && self.residues.residue_bits().is_none(),
        }
    }

    /// Counts the tours of every graph of a file, and prints a table.
    fn count_all_graphs(&self) -> Result<(), CliError> {
        let path = self.board_options.graph.as_deref().expect("--all-graphs requires --graph");
        let graphs = read_graphs(path)?;
        let files = self.output.open(None)?;
        let mut counts = GraphCounts::new(self.output.directed);
        // A list of graphs in graph6 has no notes but those on its graphs, which may be many.
        if let [(_, file)] = graphs.as_slice() {
            print_graph_notes(path, file);
        }
        for (line, file) in graphs {
            let board = Board::from(file.graph);
            let result = self
                .to_run_request(board)?
                .count()
                .map_err(|error| error.with_prefix(format!("--graph {}: line {line}: ", path.display())))?;
            counts.push(line, &result);
        }
        files.report(|| counts.csv_rows(), || counts.to_json(), || counts.to_text())
    }

    /// Counts the tours of a board with a symmetry, on the quotient of the board.
    fn count_symmetric(self, board: Board, named: NamedSymmetry) -> Result<(), CliError> {
        SymmetricCount {
            request: Request { engine: self.symmetric_engine(), ..Request::of_kind(board, self.kind.kind()) },
            symmetry: named,
            distinct: self.distinct,
            residue_bits: self.residues.residue_bits(),
            output: self.output,
            run_options: self.run_options,
            checkpoint: self.checkpoint,
        }
        .run()
    }

    /// Returns the engine that counts symmetric tours.
    fn symmetric_engine(&self) -> Engine {
        match self.engine {
            // Only sweeps can count modulo a number.
            Engine::Auto if self.residues.residue_bits().is_some() => Engine::Frontier,
            engine => engine,
        }
    }

    /// Counts a series of boards: several boards in one sweep if the options allow it, otherwise
    /// each board alone.
    pub fn count_series(self, boards: series::BoardRange, files: SeriesFiles) -> Result<(), CliError> {
        self.residues.check_series()?;
        refuse_for_series(&[
            (self.output.per_start, "--per-start"),
            (self.per_ends, "--per-ends"),
            (self.classes, "--classes"),
            (!self.ends.restrictions.require.is_empty(), "--require"),
            (!self.ends.restrictions.forbid.is_empty(), "--forbid"),
            (!self.numbered.place.is_empty(), "--place"),
            (self.numbered.clues.is_some(), "--clues"),
            (!self.shard.is_whole(), "--shard"),
            (self.run_options.mpi, "--mpi"),
            (self.residues.modulus().is_some() && self.double_check, "--modulus and --double-check"),
            (self.symmetry.is_some() && self.output.record.is_some(), "--symmetry and --record"),
            (self.symmetry.is_some() && self.residues.residue_bits().is_some(), "--symmetry and --residues"),
        ])?;
        self.job_spec().validate()?;
        // Squares that are on the smallest board are on all boards.
        let board =
            |rectangle: Rectangle| self.board_options.to_board(Some(&BoardSides::Rectangle(rectangle)));
        self.ends.resolve(&board(boards.boards().next().expect("a range has boards"))?)?;
        let rules = SeriesRules {
            wrap: self.board_options.square_options.wrap.unwrap_or_default(),
            piece: self.board_options.piece(),
        };
        let count_mode = self.residues.count_mode();
        let modulus = count_mode.modulus();
        let kind: Option<Kind> = self.kind.kind();
        let run = SeriesRun {
            boards,
            kind,
            output: self.output.clone(),
            run_options: self.run_options.clone(),
            can_sweep: self.can_sweep_series(),
            count_mode,
            distinct: self.distinct,
            is_double_checked: self.double_check,
            checkpoint: self.checkpoint.clone(),
            files,
            report: self.new_series_report(&boards, &rules, modulus)?,
            rules,
        };
        // A series that may spill or is saved is not refused in advance: each board is checked when its turn
        // comes.
        let checks_in_advance =
            !(self.run_options.force || self.run_options.spill.is_some() || self.checkpoint.file().is_some());
        let looks_ahead = checks_in_advance && self.symmetry.is_none();
        let start = |board: Board, modulus: Option<ResidueRing>| {
            let start = self.to_run_request(board)?;
            // A series has no shards, and only the boards of `ktour count` may have residues.
            let residues = start.alternatives.residues && self.board.is_some();
            let alternatives = Alternatives { residues, shards: false, ..start.alternatives };
            Ok::<_, CliError>(RunRequest {
                request: Request { modulus, ..start.request },
                alternatives,
                ..start
            })
        };
        if self.run_options.spill.is_some() || self.split.split_depth.is_some() {
            // Each board is counted by an engine of its own. Errors of arguments precede the job line.
            for rectangle in boards.boards() {
                start(board(rectangle)?, modulus)?.check_engine_options()?;
            }
        }
        let obstacles = |rectangle: Rectangle, control: &Control| {
            start(board(rectangle)?, count_mode.sweep_modulus())?.find_refusal(control)
        };
        let obstacles = looks_ahead.then_some(&obstacles as &RefusalCheck);
        let mut count = |rectangle: Rectangle, stop: &Arc<AtomicBool>| {
            let board_checkpoint = self.checkpoint.for_part(&rectangle);
            let board = board(rectangle)?;
            if let Some(named) = self.symmetry {
                let (engine, memory) = (self.symmetric_engine(), self.run_options.memory);
                let request = Request { engine, ..Request::of_kind(board, kind) };
                let plan = SymmetryPlan::new(&request, named, memory)?;
                let row = symmetric_row(&plan.with_classes(self.distinct), &self.run_options, stop)?;
                return Ok((row, None));
            }
            let mut start = start(board, modulus)?;
            // The caller deletes this checkpoint once the board has its row.
            let is_saved = self.residues.residue_bits().is_none();
            start.checkpoint = if is_saved { board_checkpoint } else { CheckpointOptions::default() };
            let result = self.residues.count_board(start)?;
            Ok((BoardRow::from_result(&result), Some(result.record)))
        };
        run.run(&mut count, obstacles)
    }

    /// Returns true if the options allow one sweep to count several boards.
    fn can_sweep_series(&self) -> bool {
        !(self.symmetry.is_some() || self.double_check || self.ends.is_any_fixed())
            && self.board_options.square_options.remove.is_empty()
            && self.run_options.spill.is_none()
            && self.split.split_depth.is_none()
            && matches!(self.engine, Engine::Auto | Engine::Frontier)
    }

    /// Creates the report of the series, without rows.
    fn new_series_report(
        &self,
        boards: &series::BoardRange,
        rules: &SeriesRules,
        modulus: Option<ResidueRing>,
    ) -> Result<SeriesReport, CliError> {
        let kind: Option<Kind> = self.kind.kind();
        let is_reported = |one: &Kind| {
            kind.is_none_or(|kind| kind == *one) && self.symmetry.is_none_or(|named| named.applies_to(*one))
        };
        Ok(SeriesReport {
            boards: boards.to_string(),
            index: boards.index_function(),
            leaper: rules.piece.to_string(),
            wrap: wrap_name(rules.wrap),
            ends: [&self.ends.start, &self.ends.end].map(|end| end.clone().unwrap_or_default()),
            removed: self.board_options.removed_squares()?.iter().map(ToString::to_string).collect(),
            symmetry: self.symmetry.map_or("", NamedSymmetry::name),
            modulus: modulus.map(ResidueRing::modulus),
            kinds: Kind::ALL.into_iter().filter(is_reported).collect(),
            distinct: self.distinct,
            recurrence: None,
            rows: Vec::new(),
            next_board: None,
            complete: false,
        })
    }
}
