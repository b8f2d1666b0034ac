//! `ktour count --per-ends`: numbers of open tours or paths by the pair of their ends.

use ktour::board::{Board, PossibleEnds};
use ktour::control::Control;
use ktour::count::{CountError, EndPairCounts, Engine, WorkPlan};
use ktour::tour::Kind;
use serde::Serialize;

use super::args::output_options::OutputOptions;
use super::args::run_options::RunOptions;
use super::error::CliError;
use super::process::Signals;
use super::run::admit_symmetric;
use super::symmetric_counts::check_symmetries_known;
use crate::report::{Cell, Table, board_name, to_pretty_json};

/// Options that `--per-ends` excludes.
pub const EXCLUDED_OPTIONS: [&str; 18] = [
    "all_graphs",
    "distinct",
    "symmetry",
    "classes",
    "per_start",
    "start",
    "end",
    "place",
    "clues",
    "split_depth",
    "double_check",
    "modulus",
    "residues",
    "record",
    "shard",
    "checkpoint",
    "spill",
    "mpi",
];

/// A count of the tours of a board by the pair of their ends, with its options.
#[derive(Debug)]
pub struct EndPairRun {
    pub board: Board,
    pub kind: Option<Kind>,
    pub engine: Engine,
    pub output: OutputOptions,
    pub run_options: RunOptions,
}

/// The JSON object of the numbers.
#[derive(Serialize)]
struct EndPairFields<'a> {
    schema: u32,
    board: String,
    board_text: String,
    kind: &'static str,
    directed: bool,
    total: String,
    ends: &'a Table,
}

impl EndPairRun {
    /// Counts the tours and prints the numbers.
    pub fn run(&self) -> Result<(), CliError> {
        let kind = self.kind.unwrap_or(Kind::Paths);
        if kind == Kind::Closed {
            return Err(CliError::usage(
                "--per-ends: a closed tour has no ends; use --kind paths or --kind open",
            ));
        }
        let board = &self.board;
        check_symmetries_known(board, "--per-ends")?;
        let files = self.output.open(None)?;
        let name = format!("{} {}, ends", board.title(), kind.name());
        let progress = self.run_options.progress(name.clone());
        let signals = Signals::catch(progress.control().cancel_flag())?;
        let memory = self.run_options.memory;
        let stopped = |error| match error {
            CountError::Stopped(_) => signals.stop("stopped before the end; nothing is saved"),
            error => CliError::from(error),
        };
        let counted = self.admit(&name, kind, progress.control(), &stopped).and_then(|()| {
            EndPairCounts::count(board, kind, self.engine, memory, progress.control()).map_err(stopped)
        });
        drop(progress);
        let counted = counted?;
        let counted = if self.output.directed { counted.to_directed(board.len()) } else { counted };
        let rows = end_table(board, kind, &counted);
        let total = counted.total();
        let to_json = || {
            to_pretty_json(&EndPairFields {
                schema: 1,
                board: board_name(board),
                board_text: board.to_string(),
                kind: kind.name(),
                directed: self.output.directed,
                total: total.to_string(),
                ends: &rows,
            })
        };
        let to_text = || {
            let mut printed = rows.clone();
            let pairs: usize = counted.orbits.iter().map(|orbit| orbit.pairs).sum();
            printed.push(["all".into(), Cell::Empty, pairs.into(), Cell::Empty, (&total).into()]);
            printed.to_text()
        };
        files.report(|| &rows, to_json, to_text)
    }

    /// Checks that the counts fit into memory and take at most a year, by the estimate of one pair with tours.
    fn admit(
        &self,
        name: &str,
        kind: Kind,
        control: &Control,
        stopped: &impl Fn(CountError) -> CliError,
    ) -> Result<(), CliError> {
        let board = &self.board;
        let possible = PossibleEnds::from_graph(board.graph(), false).unwrap_or(PossibleEnds::Any);
        let can_be_ends = |v: u32, w: u32| possible.allows_pair(v as usize, w as usize);
        let squares = 0..board.len() as u32;
        let mut pairs =
            squares.clone().flat_map(|v| squares.clone().skip(v as usize + 1).map(move |w| (v, w)));
        let Some(ends) = pairs.find(|&(v, w)| can_be_ends(v, w)) else { return Ok(()) };
        let request = EndPairCounts::request(board, kind, self.engine, ends);
        let plan = || {
            let work = WorkPlan::new_with_control(&request, control)?.with_memory(self.run_options.memory);
            work.estimate(&work.schedule(), control)
        };
        let mut estimate = plan().map_err(stopped)?;
        // A board of which one pair is too much may have too many pairs to find their orbits.
        admit_symmetric(name, &estimate, self.run_options.force)?;
        let orbits = EndPairCounts::end_orbits(board, kind);
        let counts = orbits.iter().filter(|&&((v, w), _)| can_be_ends(v, w)).count() as f64;
        estimate.seconds = estimate.seconds.map(|seconds| seconds * counts);
        admit_symmetric(name, &estimate, self.run_options.force)
    }
}

/// Returns the table of the orbits, with the board and the kind in common.
///
/// ```text
/// from  to  pairs  tours  product
/// a1    b1      8      4       32
/// ```
fn end_table(board: &Board, kind: Kind, counted: &EndPairCounts) -> Table {
    let mut table = Table::new(["from", "to", "pairs", "tours", "product"]).with_common([
        ("board", board_name(board).into()),
        ("board_text", board.to_string().into()),
        ("kind", kind.name().into()),
    ]);
    for orbit in &counted.orbits {
        let [from, to] = [orbit.ends.0, orbit.ends.1].map(|v| board.name(v));
        let product = &orbit.tours * orbit.pairs;
        table.push([from.into(), to.into(), orbit.pairs.into(), (&orbit.tours).into(), product.into()]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pairs_that_can_be_ends_have_tours() {
        for text in ["3x4", "5x5", "3x3 remove=b2", "3x7"] {
            let board: Board = match text.split_once(' ') {
                None => text.parse().unwrap(),
                Some((sides, removed)) => format!("board={sides} piece=1,2 {removed}").parse().unwrap(),
            };
            let counted =
                EndPairCounts::count(&board, Kind::Paths, Engine::Auto, None, &Control::new()).unwrap();
            let possible = PossibleEnds::from_graph(board.graph(), false).unwrap();
            let mut has_tours = false;
            for orbit in &counted.orbits {
                let (v, w) = orbit.ends;
                has_tours |= orbit.tours > num_bigint::BigUint::ZERO;
                assert!(
                    orbit.tours == num_bigint::BigUint::ZERO || possible.allows_pair(v as usize, w as usize),
                    "{text} {v} {w}"
                );
            }
            assert!(has_tours, "{text}");
        }
    }
}
