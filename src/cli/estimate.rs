//! `ktour estimate`: how large a search would be.

use std::io::Write;
use std::time::Duration;

use clap::Args;
use indicatif::HumanDuration;

use super::common::{BoardArgs, KindArg};
use super::failure::Failure;
use crate::board::Square;
use crate::report::Output;
use crate::search::probe;
use crate::search::problem::{MAX_SQUARES, Problem, ProblemError};
use crate::search::split::Plan;

const EXAMPLES: &str = "\
Examples:
  ktour estimate 7x7                 nodes, tours and time of counting all paths
  ktour estimate 8x8 --kind closed --probes 1000

Each probe is a random walk down a unit's search tree (Knuth 1975). The estimates are unbiased, but a rare
large subtree can be missed by all walks; more --probes help.";

/// How large a search would be, before running it.
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
}

impl EstimateArgs {
    /// Estimates and reports.
    pub fn run(&self) -> Result<(), Failure> {
        let (board, leaper) = self.board.resolve()?;
        if board.len() > MAX_SQUARES {
            return Err(ProblemError::TooLarge(board.len()).into());
        }
        let problem = Problem::new(&board, leaper, self.kind.into(), self.start, self.end)?;
        let plan = Plan::new(problem, self.split_depth);
        let estimate = probe::estimate(&plan, self.probes, self.seed);
        let speed = probe::speed(&plan, Duration::from_millis(300));
        let threads = rayon::current_num_threads();
        let mut text = String::new();
        let mut line = |name: &str, value: String| text.push_str(&format!("{name:<8} {value}\n"));
        line("units", format!("{} (split depth {})", plan.units().len(), plan.split_depth()));
        line("probes", estimate.probes.to_string());
        line("nodes", with_error(estimate.nodes));
        line("tours", with_error(estimate.tours));
        if let Some(speed) = speed {
            let seconds = estimate.nodes.0 / speed / threads as f64;
            line("speed", format!("{speed:.3e} nodes/s a core"));
            line("time", format!("{} on {threads} threads", human(seconds)));
        }
        let mut out = Output::stdout();
        out.write_all(text.as_bytes()).map_err(|error| Failure::write("standard output", &error))?;
        Ok(out.finish()?)
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
