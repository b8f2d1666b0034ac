//! `ktour count --per-ends`: numbers of open tours or paths by the pair of their ends.

use ktour::board::Board;
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
use crate::report::{Cell, Table, to_pretty_json};

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
        let counted = self.admit(&name, kind, progress.control()).and_then(|()| {
            EndPairCounts::count(board, kind, self.engine, memory, progress.control()).map_err(|error| {
                match error {
                    CountError::Stopped(_) => signals.stop("stopped before the end; nothing is saved"),
                    error => error.into(),
                }
            })
        });
        drop(progress);
        let counted = counted?;
        let counted = if self.output.directed { counted.to_directed(board.len()) } else { counted };
        let rows = end_table(board, kind, &counted);
        let total = counted.total();
        let to_json = || {
            to_pretty_json(&EndPairFields {
                schema: 1,
                board: board.to_string(),
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
    fn admit(&self, name: &str, kind: Kind, control: &Control) -> Result<(), CliError> {
        let orbits = EndPairCounts::end_orbits(&self.board, kind);
        let has_tours = |v: u32, w: u32| match self.board.colours() {
            Some(colours) if self.board.len().is_multiple_of(2) => colours[v as usize] != colours[w as usize],
            Some(_) | None => true,
        };
        let Some(&(ends, _)) = orbits.iter().find(|((v, w), _)| v != w && has_tours(*v, *w)) else {
            return Ok(());
        };
        let request = EndPairCounts::request(&self.board, kind, self.engine, ends);
        let work = WorkPlan::new_with_control(&request, control)?.with_memory(self.run_options.memory);
        let mut estimate = work.estimate(&work.schedule(), control)?;
        let counts = orbits.iter().filter(|((v, w), _)| has_tours(*v, *w)).count() as f64;
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
    let mut table = Table::new(["from", "to", "pairs", "tours", "product"])
        .with_common([("board", board.to_string().into()), ("kind", kind.name().into())]);
    for orbit in &counted.orbits {
        let [from, to] = [orbit.ends.0, orbit.ends.1].map(|v| board.name(v));
        let product = &orbit.tours * orbit.pairs;
        table.push([from.into(), to.into(), orbit.pairs.into(), (&orbit.tours).into(), product.into()]);
    }
    table
}
