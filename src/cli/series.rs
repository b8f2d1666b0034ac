//! `ktour count 5x2..60`: a range of boards.

use std::str::FromStr;
use std::time::Instant;

use super::failure::Failure;
use super::files::print;
use super::heap;
use super::wanted::Wanted;
use crate::report::{SeriesReport, tell};
use ktour::board::{Board, BoardError, Leaper};
use ktour::control::Control;
use ktour::count::Series;
use ktour::tour::Kind;

/// One board, or a range of columns or rows.
#[derive(Clone, Debug)]
pub enum Boards {
    /// A board.
    One(Board),
    /// Boards of one width.
    Series(Series),
}

impl FromStr for Boards {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.contains("..") { text.parse().map(Self::Series) } else { text.parse().map(Self::One) }
    }
}

/// Counts all boards and reports a row for each.
pub fn run(
    series: Series,
    leaper: Leaper,
    kind: Kind,
    memory: Option<u64>,
    wanted: &Wanted,
) -> Result<(), Failure> {
    let name = kind.name();
    tell(format_args!("job boards={series} leaper={leaper} kind={name} engine=frontier"));
    let files = wanted.open(None)?;
    let quiet = files.is_quiet();
    let began = Instant::now();
    let counts = series.count(leaper, kind, memory, &Control::new().with_allocator(heap::grant))?;
    let seconds = began.elapsed().as_secs_f64();
    let report = SeriesReport { series, leaper, kind, counts: &counts, seconds };
    files.write(|out| report.write_csv(out), || report.json())?;
    if !quiet {
        print(report.text(wanted.directed))?;
    }
    tell(format_args!("done boards={series} kind={name} seconds={seconds:.3}"));
    Ok(())
}
