//! `ktour count --per-ends`: numbers of open tours or paths by the pair of their ends.

use ktour::board::Board;
use ktour::count::{EndPairCounts, Engine};
use ktour::tour::{Kind, TourSpec};

use super::args::output_options::OutputOptions;
use super::args::run_options::RunOptions;
use super::error::CliError;
use super::process::Signals;
use super::run::execution::print_reason_for_zero;
use super::run::run_in_memory;
use super::symmetric_counts::check_symmetries_known;
use crate::report::{Cell, Table, board_name};

/// Counts the tours of a board by the pair of their ends, and prints the numbers.
pub fn count_per_ends(
    board: &Board,
    kind: Option<Kind>,
    engine: Engine,
    output: &OutputOptions,
    run_options: &RunOptions,
) -> Result<(), CliError> {
    let kind = kind.unwrap_or(Kind::Paths);
    if kind == Kind::Closed {
        return Err(CliError::usage(
            "--per-ends: a closed tour has no ends; use --kind paths or --kind open",
        ));
    }
    check_symmetries_known(board, "--per-ends")?;
    let files = output.open(None)?;
    let progress = run_options.progress(format!("{} {}, ends", board.title(), kind.name()));
    let signals = Signals::catch(progress.control().cancel_flag())?;
    let (memory, control) = (run_options.memory, progress.control());
    let subject = format!("a count of {} {} by their ends", board.title(), kind.name());
    let estimate = EndPairCounts::estimate(board, kind, engine, memory, control);
    let counted = run_in_memory(&subject, run_options.force, &signals, estimate, || {
        EndPairCounts::count(board, kind, engine, memory, control)
    });
    drop(progress);
    let counted = counted?;
    let counted = if output.directed { counted.to_directed(board.len()) } else { counted };
    let rows = end_table(board, kind, &counted);
    let total = counted.total();
    print_reason_for_zero(&TourSpec::all(board.clone(), kind), &total);
    let to_json = || {
        let fields = [
            ("board", board_name(board).into()),
            ("board_text", board.to_string().into()),
            ("kind", kind.name().into()),
            ("directed", output.directed.into()),
            ("total", (&total).into()),
        ];
        rows.to_json(fields, "ends")
    };
    let to_text = || {
        let mut printed = rows.clone().with_heading("count", "tours");
        let pairs: usize = counted.orbits.iter().map(|orbit| orbit.pairs).sum();
        printed.push(["total".into(), Cell::Empty, pairs.into(), Cell::Empty, (&total).into()]);
        printed.to_text()
    };
    files.report(|| &rows, to_json, to_text)
}

/// Returns the table of the orbits, with the board and the kind in common.
///
/// ```text
/// from  to  orbit  tours  product
/// a1    b1      8      4       32
/// ```
fn end_table(board: &Board, kind: Kind, counted: &EndPairCounts) -> Table {
    let mut table = Table::new(["from", "to", "orbit", "count", "product"]).with_common([
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
