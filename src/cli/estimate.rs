//! `ktour estimate`: estimates a search, a sweep and an index before any of them is run.

use std::path::PathBuf;

use clap::Args;

use super::args::board::{BoardOptions, BoardsArg, DRAWING_OPTIONS, refuse_for_series};
use super::args::output_options::OutputFileArgs;
use super::args::tours::{EndsArgs, KindArgs, ProgressArgs, ShardArgs};
use super::args::{heading, number, with_explanation};
use super::error::CliError;
use super::estimate_fields::EstimateFields;
use super::estimate_report::{
    EngineForecast, EstimateReport, PROCESS_SECONDS, SweepLimits, estimate_path_extension, estimate_search,
    estimate_sweep,
};
use super::modular_counts::{ModularArgs, report_bound};
use super::process::{EndAtSignal, STOPPED};
use super::quantities;
use super::quantities::{all_threads, format_bytes, format_seconds};
use super::symmetric_counts::symmetry_parser;
use crate::report::{Cell, NamedCells, Spinner};
use ktour::batch::SpillDir;
use ktour::board::BoardSides;
use ktour::budget::DiskBudget;
use ktour::control::Control;
use ktour::count::engine_cost::choose_engine;
use ktour::count::job_spec::{JobSpec, Task};
use ktour::count::symmetric::{ClassCounter, NamedSymmetry, SymmetricContext};
use ktour::count::{CountError, Engine, Request, ValidatedRequest};
use ktour::frontier::IndexLayersError;
use ktour::index::{Index, IndexError};
use ktour::search::bitboard_graph::MAX_SQUARES;
use ktour::series::{self, SeriesEstimate, SeriesRules};
use ktour::tour::Kind;
use ktour::tour::TourSpec;

/// Time limit of the dry run for the estimate of an index, in seconds. It is short because an index
/// is seldom needed.
const INDEX_DRY_RUN_SECONDS: f64 = 2.0;

/// Name of the activity while a sweep is estimated.
const SWEEP_STEP_TEXT: &str = "estimating a sweep, from its order or by a dry run";

const EXAMPLES: &str = "\
Examples:
  ktour estimate 7x7                 nodes, tours, memory and time for all paths
  ktour estimate 8x8 --kind closed --probes 1000
  ktour estimate 9x10 --kind closed --engine frontier --memory 16G
  ktour estimate 5x2..60 --kind closed --json -
  ktour estimate 8x8 --csv -         a row for each estimate
  ktour estimate 8x8 --kind closed --bound   how many residues suffice

A search visits tours one by one; a sweep (engine frontier) counts all tours at once. The size of a search is \
estimated by random walks down its tree (Knuth 1975). `nodes` is the whole tree, which a list visits; a count visits \
fewer, thanks to its transposition table. A sweep is estimated by a dry run over its signatures, which gives an upper \
bound of its states. A dry run takes up to half a minute, as before a count; if it would take longer, the sweep is \
estimated from the order of its squares, within a factor of two for boards. The sweeps of a range are estimated from that \
of its largest board. For tours and nodes, `probably` gives an interval that holds in 9 of 10 cases. The last line, `here`, \
says whether a count can run on this machine, and how.

For a sweep, `memory` is the peak resident memory of the process if nothing is spilled: program, tables and the two \
largest layers. `disk` is the compressed data that is spilled if --memory or the machine has less. `saved` is the \
largest size of the --checkpoint files: two compressed layers, as one is stored until the next is complete. Compressed \
weights take about half of their size in memory.

`index` is what sample, unrank, rank and stats build first: all layers of a sweep from one end, compressed, in memory or \
in the folder of --index.";

const SHARD_HELP: &str = "The estimate of a search is the mean of all shards. Shard R of a sweep is estimated itself by a dry run; \
without one, the estimate is that of the largest shard.";

const MODULUS_HELP: &str = "M is 2 to 4294967295; up to 256 a weight takes one byte, up to 65536 two, and on disk as many \
bits as M - 1 has. Several moduli are counted one after the other. A series accepts one modulus.";

const RESIDUES_HELP: &str = "Uses primes of 8, 16 or 32 bits: as many as a proved bound requires, and one more that checks \
the others.";

/// Estimate time and memory of a count before running it.
#[derive(Debug, Args)]
#[command(
    after_long_help = EXAMPLES,
    mut_arg("modulus", |modulus| with_explanation(modulus, MODULUS_HELP)),
    mut_arg("residues", |residues| with_explanation(residues, RESIDUES_HELP).conflicts_with("symmetry")),
    mut_arg("shard", |shard| with_explanation(shard, SHARD_HELP).conflicts_with("bound"))
)]
pub struct EstimateArgs {
    /// ROWSxCOLS such as 6x8, N for a square, LAYERSxROWSxCOLS for a box, or a range such as 5x2..60
    #[arg(value_name = "BOARD", required_unless_present_any = ["shape", "graph"], conflicts_with_all = DRAWING_OPTIONS)]
    board: Option<BoardsArg>,

    #[command(flatten)]
    board_options: BoardOptions,

    #[command(flatten)]
    kind: KindArgs,

    #[command(flatten)]
    ends: EndsArgs,

    /// Count the directed tours from each start square
    ///
    /// Includes all sweeps that such a table takes.
    #[arg(long, hide_short_help = true)]
    per_start: bool,

    /// Keep one tour of each class up to symmetry
    ///
    /// Adds the estimate of the symmetric tours.
    #[arg(long)]
    distinct: bool,

    /// Print a table of all symmetry classes
    ///
    /// Adds the estimate of the symmetric tours, or of the examination of every tour where symmetries have no
    /// names.
    #[arg(long, hide_short_help = true)]
    classes: bool,

    /// Use only tours with this symmetry (they may have others)
    #[arg(long, value_parser = symmetry_parser(), value_name = "WHICH", hide_short_help = true)]
    symmetry: Option<NamedSymmetry>,

    /// Choose the engine
    ///
    /// auto estimates both engines that it chooses from, and names the one that count would take.
    #[arg(long, help_heading = heading::METHOD, value_enum, value_name = "ENGINE", default_value = "auto")]
    engine: Engine,

    /// Make N random walks in each unit of work
    ///
    /// Default: 32, or 4 for a search of more than a year.
    #[arg(long, help_heading = heading::METHOD, value_name = "N", value_parser = number::<u32>(2..=1_000_000), hide_default_value = true)]
    probes: Option<u32>,

    /// Set the seed of all random choices
    #[arg(long, help_heading = heading::METHOD, value_name = "N", default_value_t = 0, value_parser = number::<u64>(0..))]
    seed: u64,

    /// Split a search into units of work at depth D. Default: by the board and kind
    #[arg(long, help_heading = heading::METHOD, value_name = "D", value_parser = number::<u32>(0..), hide_short_help = true)]
    split_depth: Option<u32>,

    /// Make a dry run of any length; takes minutes
    #[arg(long, help_heading = heading::METHOD)]
    wide: bool,

    /// Print an upper bound for the number of tours, and how many residues determine it
    ///
    /// Uses a sweep over the degrees of squares alone, which takes some hundredths of the time of the count, or, beyond half
    /// of the memory, a formula with the degrees.
    #[arg(long, help_heading = heading::METHOD, conflicts_with_all = ["per_start", "symmetry"], hide_short_help = true)]
    bound: bool,

    #[command(flatten)]
    residues: ModularArgs,

    #[command(flatten)]
    files: OutputFileArgs,

    #[command(flatten)]
    progress: ProgressArgs,

    #[command(flatten)]
    shard_args: ShardArgs,

    /// Limit memory to SIZE, such as 8G. Default: 9/10 of available memory
    #[arg(long, help_heading = heading::LONG_RUNS, value_name = "SIZE", value_parser = quantities::parse_memory_size, hide_short_help = true)]
    memory: Option<u64>,

    /// Spill what exceeds --memory to DIR. Default: the system's folder for temporary files
    #[arg(long, help_heading = heading::LONG_RUNS, value_name = "DIR", hide_short_help = true)]
    spill: Option<PathBuf>,
}

impl EstimateArgs {
    /// Returns the kind of the tours to estimate.
    fn kind(&self) -> Kind {
        self.kind.kind().unwrap_or(Kind::Paths)
    }

    /// Makes the estimates and prints them.
    pub fn run(&self) -> Result<(), CliError> {
        if self.engine == Engine::Backtrack
            && (self.symmetry.is_some() || self.residues.option_name().is_some())
        {
            return Err(CliError::usage(
                "--engine backtrack visits all tours and excludes --symmetry, --modulus and --residues; omit one of them",
            ));
        }
        let (rectangle, range) = match &self.board {
            Some(BoardsArg::Series(boards)) => {
                self.residues.check_series()?;
                refuse_for_series(&[
                    (self.per_start, "--per-start"),
                    (self.classes, "--classes"),
                    (!self.ends.restrictions.require.is_empty(), "--require"),
                    (!self.ends.restrictions.forbid.is_empty(), "--forbid"),
                    (!self.shard_args.shard.is_whole(), "--shard"),
                ])?;
                let to_board = |board| self.board_options.to_board(Some(&BoardSides::Rectangle(board)));
                let board = boards.most_expensive_board(self.kind(), to_board)?;
                (Some(BoardSides::Rectangle(board)), Some(boards))
            }
            Some(BoardsArg::Single(rectangle)) => (Some(rectangle.clone()), None),
            None => (None, None),
        };
        let board = self.ends.restrictions.restrict(self.board_options.to_board(rectangle.as_ref())?)?;
        let (start, end) = self.ends.resolve(&board)?;
        let request = Request {
            per_start: self.per_start,
            engine: Engine::Frontier,
            split_depth: self.split_depth,
            shards: self.shard_args.shard.count(),
            ..Request::of_kind(board, self.kind()).with_ends(start, end)?
        };
        let files = self.files.open()?;
        // Random walks and dry runs take seconds.
        let name = format!("estimate {} {}", request.board().title(), self.kind().name());
        let _ending = EndAtSignal::start(|| STOPPED.to_owned())?;
        let waiting = Spinner::start(self.progress.mode(), name, 1);
        let report = self.estimate_request(&request, range, &waiting)?;
        drop(waiting);
        report.write(files)
    }

    /// Returns the estimates for a request. For a range of boards, it is the request for the most
    /// expensive board.
    fn estimate_request(
        &self,
        request: &Request,
        range: Option<&series::BoardRange>,
        waiting: &Spinner,
    ) -> Result<EstimateReport, CliError> {
        // Impossible ends are refused. A board that is too large for one engine is left to the estimates of
        // both.
        match ValidatedRequest::new(request, &Control::new()) {
            Err(error) if !error.is_resource_limit() => return Err(error.into()),
            _ => {}
        }
        let kind = self.kind();
        let fields = EstimateFields {
            schema: 1,
            board: request.board().title(),
            board_text: request.board().to_string(),
            kind: kind.name(),
            threads: rayon::current_num_threads(),
            range: range.map(ToString::to_string),
            ..EstimateFields::default()
        };
        let mut report = EstimateReport { fields, ..EstimateReport::default() };
        if let Some(range) = range {
            report.add_line(
                "range",
                &format!("{range}, estimated from its largest board, {}", request.board().title()),
            );
        }
        if !self.shard_args.shard.is_whole() {
            report.add_shard(self.shard_args.shard);
        }
        if let Some(named) = self.symmetry {
            waiting.set_activity("estimating the count of symmetric tours");
            self.add_symmetric(request, Some(named), &mut report)?;
            return Ok(report);
        }
        waiting.set_activity("computing the number of residues");
        let moduli = self.residues.required_moduli(request, self.memory, &mut report)?;
        if let Some(&widest) = moduli.iter().max_by_key(|ring| ring.modulus()) {
            let request = Request { modulus: Some(widest), ..request.clone() };
            waiting.set_activity(SWEEP_STEP_TEXT);
            let limits = SweepLimits { sweeps: moduli.len(), ..self.sweep_limits() };
            let sweep = estimate_sweep(&request, limits, &mut report)?;
            report.add_residues(moduli.len(), sweep.as_ref().map(|sweep| sweep.seconds));
            if let (Some(sweep), None) = (sweep, range) {
                report.add_line("here", &sweep.verdict);
            }
            return Ok(report);
        }
        if self.engine == Engine::Backtrack {
            estimate_path_extension(request, &mut report)?;
            return Ok(report);
        }
        let searches = matches!(self.engine, Engine::Auto | Engine::Multipath);
        if self.probes.is_some() && self.engine == Engine::Frontier {
            return Err(CliError::usage(
                "--probes is for searches, and this is a sweep; omit --probes, or add --engine multipath",
            ));
        }
        waiting.set_activity("estimating a search, by random walks down its tree");
        let search = if searches {
            estimate_search(request, kind, (self.probes, self.seed), &mut report)?
        } else {
            None
        };
        let sweeps = matches!(self.engine, Engine::Auto | Engine::Frontier);
        waiting.set_activity(SWEEP_STEP_TEXT);
        let sweep = if sweeps { estimate_sweep(request, self.sweep_limits(), &mut report)? } else { None };
        if sweeps && sweep.is_some() && !self.per_start && range.is_none() && self.shard_args.shard.is_whole()
        {
            waiting.set_activity("estimating an index of all tours, from its order or by a dry run");
            self.add_index(request, &mut report)?;
        }
        if search.is_none() && sweep.is_none() {
            return Err(CliError::usage(format!(
                "BOARD {} has {} squares, a search takes at most {MAX_SQUARES}, and the frontier is too wide for a sweep; \
                 use a smaller BOARD or graph",
                request.board().title(),
                request.board().len()
            )));
        }
        if (self.distinct || self.classes) && !self.ends.is_any_fixed() {
            waiting.set_activity("estimating the count of symmetric tours");
            self.add_symmetric(request, None, &mut report)?;
        }
        if self.bound {
            waiting.set_activity("computing an upper bound, by a sweep over degrees");
            let _bounds = report_bound(request, self.memory, &mut report)?;
        }
        let correction = sweep.as_ref().map_or(1.0, |sweep| sweep.correction);
        // A count that is known without work has no cheaper engine.
        let seconds_of =
            |forecast: &Option<EngineForecast>| forecast.as_ref().map(|forecast| forecast.seconds);
        let seconds = [seconds_of(&search), seconds_of(&sweep)];
        let is_chosen = self.engine == Engine::Auto && !seconds.contains(&Some(0.0));
        let engine = if is_chosen {
            choose_engine(request, &Control::new()).map_err(CountError::from)?
        } else {
            self.engine
        };
        if is_chosen {
            report.add_cheaper_engine(engine, seconds[0], seconds[1]);
        }
        let forecast = match engine {
            Engine::Frontier => sweep,
            Engine::Multipath => search,
            _ => search.or(sweep),
        };
        if let (Some(forecast), None) = (forecast, range) {
            report.add_line("here", &forecast.verdict);
        }
        if let Some(range) = range {
            waiting.set_activity("adding up all boards of the range");
            let largest_seconds = seconds.into_iter().flatten().reduce(f64::min).unwrap_or(0.0);
            self.add_series_total(range, request, correction, largest_seconds, &mut report);
        }
        Ok(report)
    }

    /// Returns the memory and disk that a sweep may use.
    fn sweep_limits(&self) -> SweepLimits<'_> {
        let is_plain = !(self.per_start || self.distinct || self.classes);
        SweepLimits {
            memory: self.memory,
            spill: self.spill.as_deref(),
            allows_long_dry_run: self.wide,
            shard: self.shard_args.shard,
            sweeps: 1,
            alternatives: self.residues.alternatives(is_plain && self.shard_args.shard.is_whole()),
        }
    }

    /// Adds the estimated time of all boards of a range to the report. `correction` is the ratio of the time of the
    /// largest board to its rough estimate, `largest_seconds` the estimated time of this board. A series takes at least
    /// as long; its rough estimate has only the planning of one direction, which is most of the time of a small board.
    fn add_series_total(
        &self,
        range: &series::BoardRange,
        request: &Request,
        correction: f64,
        largest_seconds: f64,
        report: &mut EstimateReport,
    ) {
        let Self { board_options, ends, .. } = self;
        let rules = SeriesRules {
            wrap: board_options.square_options.wrap.unwrap_or_default(),
            piece: board_options.piece(),
        };
        let can_sweep = matches!(self.engine, Engine::Auto | Engine::Frontier);
        let is_plain = !ends.is_any_fixed() && board_options.square_options.remove.is_empty();
        let may_sweep = can_sweep && is_plain && self.split_depth.is_none() && !self.per_start;
        let request_on = |rectangle| -> Result<Request, CliError> {
            let board = board_options.to_board(Some(&BoardSides::Rectangle(rectangle)))?;
            let (start, end) = ends.resolve(&board)?;
            let spec = TourSpec::new(board, request.spec.kind(), start, end)?;
            Ok(Request { spec, engine: self.engine, ..request.clone() })
        };
        let folder = self.spill.clone().or_else(|| self.memory.map(|_| std::env::temp_dir()));
        let disk = folder.map_or(DiskBudget::Absent, |folder| {
            DiskBudget::from_free(SpillDir::free_bytes_at(&folder).ok())
        });
        let limits = (self.memory, disk);
        match SeriesEstimate::new(range, (&rules, may_sweep), correction, limits, &request_on) {
            Ok(mut total) => {
                total.seconds = total.seconds.max(largest_seconds);
                report.add_series_total(&total);
            }
            Err(failure) => report.add_line("in all", &format!("unknown: {failure}")),
        }
    }

    /// Adds the estimate of counting symmetric tours, for one symmetry or for all, to the report.
    fn add_symmetric(
        &self,
        request: &Request,
        named: Option<NamedSymmetry>,
        report: &mut EstimateReport,
    ) -> Result<(), CliError> {
        let kind = self.kind();
        JobSpec::new(Task::Count).with_kind(Some(kind)).with_symmetry(named).validate()?;
        let tours = TourSpec::all(request.board().clone(), kind);
        let (setting, control) = (SymmetricContext::new(tours, self.engine, self.memory)?, Control::new());
        let name = named.map_or("symmetric", NamedSymmetry::name);
        if named.is_none() && self.add_examination(&setting, report)? {
            return Ok(());
        }
        let counter = ClassCounter::new(&setting, &control);
        let forecast = match named {
            Some(named) => counter.estimate(named),
            None => counter.rough_estimate(None),
        };
        let forecast = forecast.map_err(CliError::SymmetricCount)?;
        let threads = all_threads();
        let seconds = format_seconds(forecast.seconds.unwrap_or(f64::INFINITY));
        if forecast.sweeps.is_empty() && forecast.seconds.is_some_and(|seconds| seconds > PROCESS_SECONDS) {
            report.add_line(name, "a search of the board divided by its symmetries");
            report.add_line("  time", &format!("{seconds} on {threads}"));
        } else if forecast.sweeps.is_empty() {
            report.add_line(
                name,
                "counted at once, by a short search at most, on the board divided by its symmetry",
            );
        } else {
            let sweeps = match forecast.sweeps.len() {
                1 => "a sweep".to_owned(),
                several => format!("{several} sweeps"),
            };
            report.add_line(name, &format!("{sweeps} of the board divided by its symmetry"));
            report.add_line("  memory", &format_bytes(forecast.unspilled_bytes));
            report.add_line("  time", &format!("{seconds} on {threads}"));
        }
        report.fields.symmetric = Some(NamedCells(vec![
            ("sweeps", forecast.sweeps.len().into()),
            ("memory_bytes", forecast.unspilled_bytes.into()),
            ("seconds", forecast.seconds.map(Cell::Seconds).into()),
        ]));
        Ok(())
    }

    /// Adds the estimate of examining every tour to the report. Returns true if a count would
    /// examine every tour, as it must to find classes where symmetries have no names.
    fn add_examination(
        &self,
        setting: &SymmetricContext,
        report: &mut EstimateReport,
    ) -> Result<bool, CliError> {
        let control = Control::new();
        match ClassCounter::new(setting, &control).enumeration_estimate(self.classes) {
            Ok(None) => return Ok(false),
            Ok(Some(look)) => {
                let all = rayon::current_num_threads();
                let seconds = look.seconds / all as f64;
                report.add_line("symmetric", &format!("examines every tour, about {:.0e}", look.tours));
                report.add_line("  time", &format!("{} on {}", format_seconds(seconds), all_threads()));
                let cells = vec![("tours_mean", look.tours.into()), ("seconds", Cell::Seconds(seconds))];
                report.fields.symmetric = Some(NamedCells(cells));
            }
            Err(
                error @ (CountError::TooManyByEstimate { .. }
                | CountError::TooManyTours(_)
                | CountError::TooLargeToEnumerate(_)),
            ) => {
                report.add_line("symmetric", &format!("not possible: {error}"));
                report.fields.symmetric = Some(NamedCells(vec![("refused", error.to_string().into())]));
            }
            Err(error) => return Err(CliError::SymmetricCount(error)),
        }
        Ok(true)
    }

    /// Adds the estimate of an index of all tours to the report.
    fn add_index(&self, request: &Request, report: &mut EstimateReport) -> Result<(), CliError> {
        let numbered = request.tours(self.kind())?;
        let dry_run_seconds = if self.wide { f64::INFINITY } else { INDEX_DRY_RUN_SECONDS };
        match Index::estimate(&numbered, self.memory, dry_run_seconds, &Control::new()) {
            Ok(None) => report.add_line("index", "not needed: the count is known at once"),
            Ok(Some(demand)) => report.add_index(&demand),
            Err(IndexError::Layers(
                error @ (IndexLayersError::Width { .. } | IndexLayersError::TooManySquares { .. }),
            )) => {
                report.add_line("index", &format!("not possible: {error}"));
            }
            Err(error) => return Err(CliError::failed(error.to_string())),
        }
        Ok(())
    }
}
