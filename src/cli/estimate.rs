//! `ktour estimate`: estimates the size of a search and of a sweep before either is run.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::arena::{BoardArg, GroundArgs};
use super::common::{EngineArg, KindArg, ProgressArgs, vertex};
use super::estimated::Report;
use super::failure::Failure;
use super::human::{bytes, threads, time};
use super::probed::{PROCESS, extension, search};
use super::range::{Boards, InAll, dearest, refuse_for_range};
use super::residues::{ResidueArgs, report_bound};
use super::size;
use super::swept::{Allowed, sweep};
use super::symmetry::{check_kind, parser};
use super::up_to_symmetry::failure;
use crate::report::Waiting;
use ktour::batch::Shard;
use ktour::control::Control;
use ktour::count::cost::choose;
use ktour::count::symmetric::{Census, Named, Setting};
use ktour::count::{CountError, Engine, Question, Request};
use ktour::frontier::TrailError;
use ktour::index::{Index, IndexError, Numbered};
use ktour::search::width::MAX_SQUARES;
use ktour::series::{self, Play};
use ktour::tour::Kind;

/// Longest dry run for the estimate of an index, in seconds. It is short because an index is seldom needed.
const LITTLE_PATIENCE: f64 = 2.0;

/// Progress text of the estimate of a sweep.
const SWEEP: &str = "a sweep, from its order or by a dry run";

const EXAMPLES: &str = "\
Examples:
  ktour estimate 7x7                 nodes, tours, memory and time for all paths
  ktour estimate 8x8 --kind closed --probes 1000
  ktour estimate 9x10 --kind closed --engine frontier --memory 16G
  ktour estimate 5x2..60 --kind closed --json -
  ktour estimate 8x8 --kind closed --bound   how many residues suffice

A search visits tours one by one; a sweep (engine frontier) counts all tours at once. The size of a search is \
estimated by random walks down its tree (Knuth 1975). `nodes` is the whole tree, which a list visits; a count visits \
fewer, thanks to its transposition table. A sweep is measured by a dry run over its signatures, which gives its \
states exactly. If a dry run would take long, the sweep is estimated from the order of its squares, within a factor \
of two for boards.

For a sweep, `memory` is the peak resident memory of the process if nothing is spilled: program, tables and the two \
largest layers. `disk` is the compressed data that is spilled if --memory or the machine has less. `saved` is the \
largest size of the --checkpoint files: two compressed layers, as one is stored until the next is complete. Compressed \
weights take about half of their size in memory.

`index` is what sample, unrank, rank and stats build first: all layers of a sweep from one end, compressed, in memory or \
in the folder of --index.";

/// Estimate time and memory of a count before running it.
#[derive(Debug, Args)]
#[command(
    after_long_help = EXAMPLES,
    mut_arg("residues", |residues| residues.conflicts_with("symmetry"))
)]
pub struct EstimateArgs {
    /// ROWSxCOLS such as 6x8, N for a square, LAYERSxROWSxCOLS for a box, or a range such as 5x2..60
    #[arg(value_name = "BOARD")]
    #[arg(required_unless_present_any = ["shape", "graph"], conflicts_with_all = ["shape", "graph"])]
    board: Option<Boards>,

    #[command(flatten)]
    ground: GroundArgs,

    /// Select which tours to count or read
    #[arg(long, value_enum, value_name = "KIND", default_value = "paths")]
    kind: KindArg,

    /// Use only tours that start on SQUARE
    #[arg(long, value_name = "SQUARE")]
    start: Option<String>,

    /// Use only tours that end on SQUARE
    #[arg(long, value_name = "SQUARE")]
    end: Option<String>,

    /// Print a row for each start square (counts are directed)
    ///
    /// Includes all sweeps that such a table takes.
    #[arg(long, conflicts_with_all = ["start", "end"])]
    per_start: bool,

    /// Keep one tour of each class under the board's symmetries
    ///
    /// Adds the estimate of the symmetric tours.
    #[arg(long, conflicts_with = "per_start")]
    distinct: bool,

    /// Print a table of all symmetry classes
    ///
    /// Adds the estimate of the symmetric tours, or of the examination of every tour where symmetries have no
    /// names.
    #[arg(long, conflicts_with_all = ["start", "end", "per_start", "distinct"], hide_short_help = true)]
    classes: bool,

    /// Use only tours with this symmetry (they may have others)
    #[arg(long, value_parser = parser(), value_name = "WHICH", conflicts_with_all = ["start", "end", "per_start", "classes"])]
    #[arg(hide_short_help = true)]
    symmetry: Option<Named>,

    /// Choose the engine
    ///
    /// auto estimates both engines that it chooses from, and names the one that count would take.
    #[arg(long, value_enum, value_name = "ENGINE", default_value = "auto")]
    engine: EngineArg,

    /// Limit memory to SIZE, such as 8G. Default: 9/10 of available memory
    #[arg(long, value_name = "SIZE", value_parser = size::parse, hide_short_help = true)]
    memory: Option<u64>,

    /// Make N random walks in each unit of work
    ///
    /// Default: 32, or 4 for a search of more than a year.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000), hide_default_value = true)]
    probes: Option<u32>,

    /// Set the seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Split a search into units of work at depth D. Default: by the board and kind
    #[arg(long, value_name = "D", hide_short_help = true)]
    split_depth: Option<u32>,

    /// Process only part R of M, 0 <= R < M
    ///
    /// The estimate is the same for every R: the mean part of a search, an upper bound for the largest part
    /// of a sweep.
    #[arg(
        long,
        value_name = "R/M",
        default_value = "0/1",
        hide_default_value = true,
        conflicts_with_all = ["per_start", "distinct", "classes", "symmetry", "bound"]
    )]
    shard: Shard,

    /// Make a dry run of wide sweeps too, although it takes minutes
    #[arg(long)]
    wide: bool,

    /// Print an upper bound for the number of tours, and how many residues determine it
    ///
    /// Uses a sweep over the degrees of squares alone, which takes some hundredths of the time of the count.
    #[arg(long, conflicts_with_all = ["per_start", "symmetry"], hide_short_help = true)]
    bound: bool,

    #[command(flatten)]
    residues: ResidueArgs,

    /// Spill what exceeds --memory to DIR. Default: the system's folder for temporary files
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    spill: Option<PathBuf>,

    /// Write JSON to a file, - for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    #[command(flatten)]
    progress: ProgressArgs,
}

impl EstimateArgs {
    /// Makes the estimates and prints them.
    pub fn run(&self) -> Result<(), Failure> {
        if self.engine == EngineArg::Backtrack
            && (self.symmetry.is_some() || self.residues.option().is_some())
        {
            return Err(Failure::usage(
                "--engine backtrack visits all tours and excludes --symmetry, --modulus and --residues; omit one of them",
            ));
        }
        let (board, range) = match &self.board {
            Some(Boards::Range(boards)) => {
                self.residues.check_range()?;
                refuse_for_range(&[
                    (self.per_start, "--per-start"),
                    (self.classes, "--classes"),
                    (!self.shard.is_whole(), "--shard"),
                ])?;
                (Some(dearest(boards, &self.ground, self.kind.into())?), Some(boards))
            }
            Some(Boards::One(board)) => (Some(board.clone()), None),
            None => (None, None),
        };
        let arena = self.ground.on(board.as_ref())?;
        let request = Request {
            kind: Some(self.kind.into()),
            start: vertex(&arena, self.start.as_deref())?,
            end: vertex(&arena, self.end.as_deref())?,
            per_start: self.per_start,
            engine: Engine::Frontier,
            split_depth: self.split_depth,
            parts: self.shard.count(),
            ..Request::new(arena)
        };
        // Random walks and dry runs take seconds.
        let name = format!("estimate {} {}", request.arena.title(), Kind::from(self.kind).name());
        let waiting = Waiting::start(self.progress.mode(), name, 1);
        let report = self.estimate(&request, range, &waiting)?;
        drop(waiting);
        report.write(self.json.as_deref())
    }

    /// Returns the estimates of a request; for a range of boards, the request is that of its largest board.
    fn estimate(
        &self,
        request: &Request,
        range: Option<&series::Boards>,
        waiting: &Waiting,
    ) -> Result<Report, Failure> {
        // Impossible ends are refused. A board that is too large for one engine is left to the estimates of
        // both.
        match Question::new(request) {
            Err(error) if !error.is_out_of_reach() => return Err(error.into()),
            _ => {}
        }
        let kind = Kind::from(self.kind);
        let mut report = Report::default();
        report.note("schema", json!(1));
        report.note("board", json!(request.arena.title()));
        report.note("kind", json!(kind.name()));
        report.note("threads", json!(rayon::current_num_threads()));
        if let Some(range) = range {
            report.line(
                "range",
                &format!("{range}, estimated from its largest board, {}", request.arena.title()),
            );
            report.note("range", json!(range.to_string()));
        }
        if !self.shard.is_whole() {
            report.part(self.shard.count());
        }
        if let Some(named) = self.symmetry {
            waiting.looks_at("symmetric tours");
            self.symmetric(request, Some(named), &mut report)?;
            return Ok(report);
        }
        waiting.looks_at("how many residues suffice");
        let moduli = self.residues.foretold(request, self.memory, &mut report)?;
        if let Some(&widest) = moduli.iter().max_by_key(|lane| lane.modulus()) {
            let request = Request { modulus: Some(widest), ..request.clone() };
            waiting.looks_at(SWEEP);
            let seconds = sweep(&request, self.room(), &mut report)?;
            report.residues(moduli.len(), seconds);
            return Ok(report);
        }
        if self.engine == EngineArg::Backtrack {
            extension(request, &mut report)?;
            return Ok(report);
        }
        let searches = matches!(self.engine, EngineArg::Auto | EngineArg::Multipath);
        waiting.looks_at("a search, by random walks down its tree");
        let search =
            if searches { search(request, kind, (self.probes, self.seed), &mut report)? } else { None };
        let sweeps = matches!(self.engine, EngineArg::Auto | EngineArg::Frontier);
        waiting.looks_at(SWEEP);
        let sweep = if sweeps { sweep(request, self.room(), &mut report)? } else { None };
        if sweeps && sweep.is_some() && !self.per_start && range.is_none() && self.shard.is_whole() {
            waiting.looks_at("an index of all tours, from its order or by a dry run");
            self.index(request, &mut report)?;
        }
        if search.is_none() && sweep.is_none() {
            return Err(Failure::usage(format!(
                "BOARD {} has {} squares, a search takes at most {MAX_SQUARES}, and the frontier is too wide for a sweep; \
                 use a smaller BOARD",
                request.arena.title(),
                request.arena.len()
            )));
        }
        if (self.distinct || self.classes) && self.start.is_none() && self.end.is_none() {
            waiting.looks_at("symmetric tours");
            self.symmetric(request, None, &mut report)?;
        }
        if self.bound {
            waiting.looks_at("an upper bound, by a sweep over degrees");
            let _bounds = report_bound(request, self.memory, &mut report)?;
        }
        // A count that is known without work has no cheaper engine.
        if self.engine == EngineArg::Auto && search != Some(0.0) && sweep != Some(0.0) {
            report.cheaper(choose(request), search, sweep);
        }
        if let Some(range) = range {
            waiting.looks_at("all boards of the range");
            self.in_all(range, request, &mut report);
        }
        Ok(report)
    }

    /// Returns the memory and disk that a sweep may use.
    fn room(&self) -> Allowed<'_> {
        Allowed { memory: self.memory, spill: self.spill.as_deref(), is_patient: self.wide }
    }

    /// Adds the estimate of all boards of a range.
    fn in_all(&self, range: &series::Boards, request: &Request, report: &mut Report) {
        let Self { ground, start, end, .. } = self;
        let play = Play { wrap: ground.wrap.unwrap_or_default(), piece: ground.piece() };
        let can_sweep = matches!(self.engine, EngineArg::Auto | EngineArg::Frontier);
        let is_plain = start.is_none() && end.is_none() && ground.remove.is_empty();
        let may_sweep = can_sweep && is_plain && self.split_depth.is_none() && !self.per_start;
        let on = |board| {
            let arena = ground.on(Some(&BoardArg::Flat(board)))?;
            let (start, end) = (vertex(&arena, start.as_deref())?, vertex(&arena, end.as_deref())?);
            Ok(Request { arena, start, end, engine: self.engine.into(), ..request.clone() })
        };
        match InAll::of(range, (&play, may_sweep), self.memory, &on) {
            Ok(all) => report.in_all(&all),
            Err(failure) => report.line("in all", &format!("unknown: {failure}")),
        }
    }

    /// Adds the estimate of symmetric tours, for one symmetry or for all.
    fn symmetric(&self, request: &Request, named: Option<Named>, report: &mut Report) -> Result<(), Failure> {
        let kind = Kind::from(self.kind);
        named.map_or(Ok(()), |named| check_kind(named, kind))?;
        let (setting, control) =
            (Setting::new(&request.arena, self.engine.into(), self.memory), Control::new());
        let name = named.map_or("symmetric", Named::name);
        if named.is_none() && self.look(&setting, report)? {
            return Ok(());
        }
        let forecast = Census::new(&setting, kind, &control).outlook(named).map_err(failure)?;
        let threads = threads(rayon::current_num_threads());
        let seconds = time(forecast.seconds.unwrap_or(f64::INFINITY));
        if forecast.sweeps.is_empty() && forecast.seconds.is_some_and(|seconds| seconds > PROCESS) {
            report.line(name, "a search of the board divided by its symmetries");
            report.line("  time", &format!("{seconds} on {threads}"));
        } else if forecast.sweeps.is_empty() {
            report.line(
                name,
                "counted at once, by a short search at most, on the board divided by its symmetry",
            );
        } else {
            let sweeps = match forecast.sweeps.len() {
                1 => "a sweep".to_owned(),
                several => format!("{several} sweeps"),
            };
            report.line(name, &format!("{sweeps} of the board divided by its symmetry"));
            report.line("  memory", &bytes(forecast.whole_memory));
            report.line("  time", &format!("{seconds} on {threads}"));
        }
        let noted = json!({ "sweeps": forecast.sweeps.len(), "memory_bytes": forecast.whole_memory,
            "seconds": forecast.seconds });
        report.note("symmetric", noted);
        Ok(())
    }

    /// Adds the estimate of examining every tour, which finds classes where symmetries have no names. Returns
    /// true if a count would do so.
    fn look(&self, setting: &Setting, report: &mut Report) -> Result<bool, Failure> {
        let control = Control::new();
        match Census::new(setting, Kind::from(self.kind), &control).look(self.classes) {
            Ok(None) => return Ok(false),
            Ok(Some(look)) => {
                let all = rayon::current_num_threads();
                let seconds = look.seconds / all as f64;
                report.line("symmetric", &format!("examines every tour, about {:.0e}", look.tours));
                report.line("  time", &format!("{} on {}", time(seconds), threads(all)));
                report.note("symmetric", json!({ "tours": look.tours, "seconds": seconds }));
            }
            Err(
                error @ (CountError::TooManyByEstimate { .. }
                | CountError::TooManyToSee(_)
                | CountError::TooLargeToSee(_)),
            ) => {
                report.line("symmetric", &format!("not possible: {error}"));
                report.note("symmetric", json!({ "refused": error.to_string() }));
            }
            Err(error) => return Err(failure(error)),
        }
        Ok(true)
    }

    /// Adds the estimate of an index of all tours.
    fn index(&self, request: &Request, report: &mut Report) -> Result<(), Failure> {
        let Request { arena, start, end, .. } = request;
        let kind = Kind::from(self.kind);
        let numbered = Numbered { arena: arena.clone(), kind, start: *start, end: *end };
        let patience = if self.wide { f64::INFINITY } else { LITTLE_PATIENCE };
        match Index::demand(&numbered, self.memory, patience, &Control::new()) {
            Ok(None) => report.line("index", "not needed: the count is known at once"),
            Ok(Some(demand)) => report.index(&demand),
            Err(IndexError::Trail(error @ (TrailError::Width { .. } | TrailError::Large { .. }))) => {
                report.line("index", &format!("not possible: {error}"));
            }
            Err(error) => return Err(Failure::failed(error.to_string())),
        }
        Ok(())
    }
}
