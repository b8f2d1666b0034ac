//! `ktour estimate`: how large a search and a sweep would be.

use std::time::Duration;

use clap::Args;
use indicatif::{HumanBytes, HumanDuration};

use super::common::{BoardArgs, KindArg, vertex};
use super::failure::Failure;
use super::files::print;
use ktour::board::{Arena, Square};
use ktour::count::{Engine, Question, Request, cost};
use ktour::frontier::{Field, Options, Prepared};
use ktour::memory;
use ktour::search::probe;
use ktour::search::problem::Problem;
use ktour::search::split::Plan;
use ktour::search::width::MAX_SQUARES;

const EXAMPLES: &str = "\
Examples:
  ktour estimate 7x7                 nodes, tours and time of counting all paths
  ktour estimate 8x8 --kind closed --probes 1000

The search visits tours one by one; the sweep (engine frontier) counts them all at once. Each probe is a random walk down a unit's search tree (Knuth 1975). The estimates are unbiased, but a rare
large subtree can be missed by all walks; more --probes help.";

/// How large the search and the sweep would be, before running them.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct EstimateArgs {
    #[command(flatten)]
    board: BoardArgs,

    /// Which tours
    #[arg(long, value_enum, value_name = "KIND", default_value = "paths")]
    kind: KindArg,

    /// Only tours from this square
    #[arg(long, value_name = "SQUARE")]
    start: Option<Square>,

    /// Only tours to this square
    #[arg(long, value_name = "SQUARE")]
    end: Option<Square>,

    /// Walks in each unit of work
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    probes: u32,

    /// Seed of the random walks
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Edges ruled out in a unit of work [default: by the board and kind]
    #[arg(long, value_name = "D")]
    split_depth: Option<u32>,

    /// Estimate wide sweeps closely, too, though that takes minutes
    #[arg(long)]
    wide: bool,
}

impl EstimateArgs {
    /// Estimates and reports.
    pub fn run(&self) -> Result<(), Failure> {
        let (board, leaper) = self.board.resolve()?;
        let arena = Arena::board(board, leaper);
        let request = Request {
            kind: Some(self.kind.into()),
            start: vertex(&arena, self.start)?,
            end: vertex(&arena, self.end)?,
            engine: Engine::Frontier,
            split_depth: self.split_depth,
            ..Request::new(arena)
        };
        // Ends that cannot be are refused.
        Question::new(&request)?;
        let mut lines = Lines(String::new());
        let search = self.search(&request, &mut lines)?;
        let sweep = sweep(&request, self.wide, &mut lines);
        if search.is_none() && sweep.is_none() {
            return Err(Failure::usage(format!(
                "BOARD {} has {} squares, a search takes at most {MAX_SQUARES}, and its frontier is too wide for a sweep",
                request.arena.title(),
                request.arena.len()
            )));
        }
        let engine = match (search, sweep) {
            (Some(search), Some(sweep)) if search <= sweep => Engine::Multipath,
            (Some(_), None) => Engine::Multipath,
            _ => Engine::Frontier,
        };
        lines.add("cheaper", engine.name().to_owned());
        print(lines.0)
    }

    /// Estimated seconds of a search, if the board is small enough for one.
    fn search(&self, request: &Request, lines: &mut Lines) -> Result<Option<f64>, Failure> {
        let Request { arena, start, end, split_depth, .. } = request;
        if arena.len() > MAX_SQUARES {
            lines.add("search", format!("none: the board has more than {MAX_SQUARES} squares"));
            return Ok(None);
        }
        let problem = Problem::new(arena, self.kind.into(), *start, *end)?;
        let plan = Plan::new(problem, *split_depth)?;
        let estimate = probe::estimate(&plan, self.probes, self.seed);
        let threads = rayon::current_num_threads();
        lines.add("search", format!("{} units (split depth {})", plan.units().len(), plan.split_depth()));
        lines.add("  probes", estimate.probes.to_string());
        lines.add("  nodes", with_error(estimate.nodes));
        lines.add("  tours", with_error(estimate.tours));
        let Some(speed) = probe::speed(&plan, Duration::from_millis(300)) else { return Ok(Some(0.0)) };
        let seconds = estimate.nodes.0 / speed / threads as f64;
        lines.add("  speed", format!("{speed:.3e} nodes/s a core"));
        lines.add("  time", format!("{} on {threads} threads", human(seconds)));
        Ok(Some(seconds))
    }
}

/// Estimated seconds of the sweeps, where that can be told.
fn sweep(request: &Request, wide: bool, lines: &mut Lines) -> Option<f64> {
    let field = Field::of(&request.arena);
    let threads = rayon::current_num_threads();
    let mut total = 0.0;
    match cost::sweep_seconds(request) {
        Some(rough) if wide || rough < 1000.0 => {}
        rough => {
            let time = rough.map_or_else(|| "no telling".to_owned(), |s| human(s / threads as f64));
            lines.add("sweep", "so wide that a close estimate takes minutes: --wide makes it".to_owned());
            lines.add("  time", format!("{time} roughly on {threads} threads"));
            return rough.map(|seconds| seconds / threads as f64);
        }
    }
    // The tables of an estimate have to fit as well.
    let options = Options { memory: memory::ceiling(), ..Options::default() };
    for tours in cost::sweeps(request) {
        match Prepared::new(&field, tours, &options).map(|mut prepared| prepared.estimate()) {
            Ok(Some(estimate)) => {
                let steps = format!("{} steps, frontier of {} slots", estimate.steps, estimate.slots);
                lines.add("sweep", steps);
                let peak = estimate.peak_weights as f64;
                lines.add(
                    "  states",
                    format!("at most {peak:.3e} at once, {:.3e} in all", estimate.weights as f64),
                );
                lines.add("  memory", HumanBytes(estimate.peak_bytes).to_string());
                lines.add("  time", format!("{} on {threads} threads", human(estimate.seconds)));
                total += estimate.seconds;
            }
            Ok(None) => {
                lines.add("sweep", "its frontier is too wide for an estimate".to_owned());
                return None;
            }
            Err(error) => {
                lines.add("sweep", format!("none: {error}"));
                return None;
            }
        }
    }
    Some(total)
}

/// Lines of a name and a value.
struct Lines(String);

impl Lines {
    fn add(&mut self, name: &str, value: String) {
        self.0.push_str(&format!("{name:<8} {value}\n"));
    }
}

fn with_error((value, error): (f64, f64)) -> String {
    if value < 1e6 { format!("{value:.0} +- {error:.0}") } else { format!("{value:.3e} +- {error:.1e}") }
}

fn human(seconds: f64) -> String {
    const YEAR: f64 = 365.25 * 86400.0;
    if seconds < 1.0 {
        format!("{:.0} ms", seconds * 1000.0)
    } else if seconds < 2.0 * YEAR {
        HumanDuration(Duration::from_secs_f64(seconds)).to_string()
    } else {
        format!("{:.1e} years", seconds / YEAR)
    }
}
