//! `ktour count`: counts tours exactly.

use std::sync::atomic::AtomicBool;

use super::args::board::{BoardsArg, print_graph_notes, read_graphs, refuse_for_series};
use super::args::checkpoint_options::CheckpointOptions;
use super::args::count_options::CountArgs;
use super::args::output_options::OutputOptions;
use super::args::run_options::{RunOptions, SpillArgs};
use super::distinct_counts::option_name;
use super::error::CliError;
use super::numbered;
use super::per_ends::count_per_ends;
use super::run::{RefusedRun, RunRequest};
use super::series::{SeriesFiles, SeriesRun};
use super::symmetric_counts::{check_symmetric, check_symmetries_known, count_symmetric, symmetric_row};
use crate::report::{BoardRow, Cell, SeriesReport, Table, wrap_name};
use ktour::batch::{Record, SeriesJob};
use ktour::board::{Board, BoardSides, Rectangle};
use ktour::control::Control;
use ktour::count::admission::Alternatives;
use ktour::count::job_spec::{Choice, JobSpec, Task};
use ktour::count::symmetric::{NamedSymmetry, SymmetryPlan, UpToSymmetry};
use ktour::count::{Engine, Request};
use ktour::frontier::ResidueRing;
use ktour::series::{self, SeriesRules};
use ktour::tour::Kind;

impl CountArgs {
    /// Returns the command with another checkpoint and other run options.
    pub fn with_checkpoint(self, checkpoint: CheckpointOptions, run_options: RunOptions) -> Self {
        Self { checkpoint, run_options, spill_folder: SpillArgs::default(), ..self }
    }

    /// Counts the tours that the arguments select, and reports the counts.
    pub fn run(mut self) -> Result<(), CliError> {
        self.run_options = self.run_options.with_spill(std::mem::take(&mut self.spill_folder));
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
            return count_per_ends(&board, self.kind.kind(), self.engine, &self.output, &self.run_options);
        }
        match self.symmetry {
            Some(symmetry) => {
                let plan = self.symmetry_plan(board, symmetry)?;
                count_symmetric(plan, &self.output, &self.run_options, &self.checkpoint)
            }
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
            shards: self.shard_args.shard.count(),
            ..Request::of_kind(board, self.kind.kind()).with_ends(start, end)?
        };
        Ok(RunRequest {
            request,
            shard: self.shard_args.shard,
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
        self.residues.alternatives(self.shard_args.shard.is_whole() && !is_several && !is_up_to_symmetry)
    }

    /// Counts the tours of every graph of a file, and prints a table.
    ///
    /// ```text
    /// line  vertices  edges  closed  open  paths
    /// 1           10     15       0   120    120
    /// ```
    fn count_all_graphs(&self) -> Result<(), CliError> {
        let path = self.board_options.graph.as_deref().expect("--all-graphs requires --graph");
        let graphs = read_graphs(path)?;
        let files = self.output.open(None)?;
        // A list of graphs in graph6 has no notes but those on its graphs, which may be many.
        if let [(_, file)] = graphs.as_slice() {
            print_graph_notes(path, file);
        }
        let keys = ["line", "vertices", "edges"];
        let kinds = Kind::ALL.into_iter().filter(|kind| self.kind.kind().is_none_or(|one| one == *kind));
        let mut printed = Table::new(keys.into_iter().chain(kinds.map(Kind::name)));
        let mut rows = Table::new(keys.into_iter().chain(["kind", "undirected", "directed"]));
        for (line, file) in graphs {
            let start = self.to_run_request(Board::from(file.graph))?;
            let result = start
                .count()
                .map_err(|error| error.with_prefix(format!("--graph {}: line {line}: ", path.display())))?;
            let sizes = || [line, result.board().len(), result.board().graph().edge_count()].map(Cell::from);
            let counts = result.counts_by_kind();
            let numbers = counts.iter().map(|counts| counts.printed(self.output.directed).into());
            printed.push(sizes().into_iter().chain(numbers));
            for counts in counts {
                let [kind, undirected, directed, _] = counts.cells().map(|(_, cell)| cell);
                rows.push(sizes().into_iter().chain([kind, undirected, directed]));
            }
        }
        files.report(|| &rows, || rows.to_json([], "graphs"), || printed.to_text())
    }

    /// Plans the count of the tours of a board that have a symmetry.
    fn symmetry_plan(&self, board: Board, symmetry: NamedSymmetry) -> Result<SymmetryPlan, CliError> {
        let engine = match self.engine {
            // Only sweeps can count modulo a number.
            Engine::Auto if self.residues.residue_bits().is_some() => Engine::Frontier,
            engine => engine,
        };
        let request = Request { engine, ..Request::of_kind(board, self.kind.kind()) };
        Ok(SymmetryPlan::new(&request, symmetry, self.run_options.memory)?
            .with_prime_bits(self.residues.residue_bits())
            .with_classes(self.distinct))
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
            (!self.shard_args.shard.is_whole(), "--shard"),
            (self.run_options.mpi, "--mpi"),
            (self.residues.modulus().is_some() && self.double_check, "--modulus and --double-check"),
            (self.symmetry.is_some() && self.output.record.is_some(), "--symmetry and --record"),
            (self.symmetry.is_some() && self.residues.residue_bits().is_some(), "--symmetry and --residues"),
        ])?;
        self.job_spec().validate()?;
        // Squares that are on the smallest board are on all boards.
        let smallest = boards.boards().next().expect("a range has boards");
        self.ends.resolve(&self.series_board(&smallest)?)?;
        let rules = SeriesRules {
            wrap: self.board_options.square_options.wrap.unwrap_or_default(),
            piece: self.board_options.piece(),
        };
        let count_mode = self.residues.count_mode();
        if self.run_options.spill.is_some() || self.split.split_depth.is_some() {
            // Each board is counted by an engine of its own. Errors of arguments precede the job line.
            for rectangle in boards.boards() {
                self.board_request(&rectangle, count_mode.modulus())?.check_engine_options()?;
            }
        }
        let report = self.new_series_report(&boards, &rules, count_mode.modulus())?;
        let job = SeriesJob {
            boards,
            rules,
            kind: self.kind.kind(),
            modulus: count_mode.sweep_modulus(),
            distinct: self.distinct,
            memory: self.run_options.memory,
            can_sweep: self.can_sweep_series(),
        };
        SeriesRun { args: self, job, count_mode, files, report }.run()
    }

    /// Returns the board of a series with these sides.
    fn series_board(&self, rectangle: &Rectangle) -> Result<Board, CliError> {
        self.board_options.to_board(Some(&BoardSides::Rectangle(rectangle.clone())))
    }

    /// Returns the request to count one board of a series modulo a number, or exactly.
    fn board_request(
        &self,
        rectangle: &Rectangle,
        modulus: Option<ResidueRing>,
    ) -> Result<RunRequest, CliError> {
        let start = self.to_run_request(self.series_board(rectangle)?)?;
        // A series has no shards, and only the boards of `ktour count` may have residues.
        let residues = start.alternatives.residues && self.board.is_some();
        let alternatives = Alternatives { residues, shards: false, ..start.alternatives };
        Ok(RunRequest { request: Request { modulus, ..start.request }, alternatives, ..start })
    }

    /// Returns true if the boards of a series that are counted one by one are checked before the first count. A series
    /// that may spill or is saved is not refused in advance: each board is checked when its turn comes.
    pub fn checks_series_in_advance(&self) -> bool {
        let RunOptions { force, spill, .. } = &self.run_options;
        !force && spill.is_none() && self.checkpoint.file().is_none()
    }

    /// Returns true if a board of a series may have tours that are counted, or cannot be prepared.
    pub fn may_have_tours(&self, rectangle: &Rectangle) -> bool {
        let may_have = |board: Board| match self.symmetry {
            Some(named) => self.symmetry_plan(board, named).map_or(true, |plan| plan.is_possible()),
            None => self.kind.kind().is_none_or(|kind| series::may_have_tours(&board, kind)),
        };
        self.series_board(rectangle).map_or(true, may_have)
    }

    /// Returns the reason for the refusal of one board of a series, if there is one.
    pub fn find_board_refusal(
        &self,
        rectangle: &Rectangle,
        control: &Control,
    ) -> Result<Option<RefusedRun>, CliError> {
        if let Some(named) = self.symmetry {
            let plan = self.symmetry_plan(self.series_board(rectangle)?, named)?;
            return check_symmetric(plan, &self.run_options, control).map(|()| None);
        }
        let modulus = self.residues.count_mode().sweep_modulus();
        self.board_request(rectangle, modulus)?.find_refusal(control)
    }

    /// Counts one board of a series, and returns its row and record. Stops early when the flag is set.
    pub fn count_board(
        &self,
        rectangle: &Rectangle,
        stop: &AtomicBool,
    ) -> Result<(BoardRow, Option<Record>), CliError> {
        if let Some(named) = self.symmetry {
            let plan = self.symmetry_plan(self.series_board(rectangle)?, named)?;
            let row = symmetric_row(plan, &self.run_options, stop)?;
            return Ok((row, None));
        }
        let mut start = self.board_request(rectangle, self.residues.count_mode().modulus())?;
        // The caller deletes this checkpoint once the board has its row.
        let is_saved = self.residues.residue_bits().is_none();
        start.checkpoint =
            if is_saved { self.checkpoint.for_part(rectangle) } else { CheckpointOptions::default() };
        let result = self.residues.count_board(start)?;
        let record = self.output.record.is_some().then(|| result.to_record());
        Ok((BoardRow::from_result(&result), record))
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
