//! `ktour sample`: draws tours uniformly at random.

use std::ops::ControlFlow;

use clap::Args;
use ktour::control::Control;
use ktour::count::job_spec::{Choice, JobSpec, Task};
use ktour::index::Index;
use ktour::tour::{Kind, Tour, TourKind};
use num_bigint::BigUint;

use super::args::board::BoardArgs;
use super::args::number;
use super::args::output_options::{OutputFileArgs, OutputFiles, combine_results};
use super::args::seed::SeedArgs;
use super::args::tours::{EndsArgs, KindArgs, TourOutputArgs};
use super::error::CliError;
use super::process::Signals;
use super::symmetric_counts::check_symmetries_known;
use super::tour_index::{IndexArgs, NumberedTourWriter, start_rows};
use crate::report::{Cell, NamedCells, StreamedTable, squares_cell};

const EXAMPLES: &str = "\
Examples:
  ktour sample 6x6 --kind closed --number 3 --format grid
  ktour sample 8x8 --kind closed --index chess --number 100000 --output t.txt
  ktour sample 6 --kind closed --distinct --number 9 | ktour draw -
  ktour sample 5x9 --piece zebra+wazir --start a1
  ktour sample 6x6 --number 9 --csv -        with their numbers

All tours are equally likely, and drawn independently, so a tour may be drawn twice. The command first builds the \
index of all tours, which takes about 1.5 times as long as counting them; with --index DIR it is built once. Every run \
draws other tours; the same --seed gives the same tours, for any number of threads. With --distinct, all classes of \
tours under the board's symmetries are equally likely.";

/// Draw tours uniformly at random
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct SampleArgs {
    #[command(flatten)]
    board: BoardArgs,

    #[command(flatten)]
    kind: KindArgs,

    /// Keep one tour of each class up to symmetry
    ///
    /// Every class is equally likely, whatever its size.
    #[arg(long, aliases = ["unique", "up-to-symmetry"])]
    distinct: bool,

    #[command(flatten)]
    ends: EndsArgs,

    /// Draw N tours
    #[arg(
        long,
        short = 'n',
        aliases = ["count", "limit"],
        value_name = "N",
        default_value_t = 1,
        value_parser = number::<u64>(0..)
    )]
    number: u64,

    #[command(flatten)]
    seed: SeedArgs,

    #[command(flatten)]
    tour_output: TourOutputArgs,

    #[command(flatten)]
    files: OutputFileArgs,

    #[command(flatten)]
    index: IndexArgs,
}

impl SampleArgs {
    /// Draws the tours and writes them.
    pub fn run(&self) -> Result<(), CliError> {
        let board = self.board.to_board()?;
        let kind = self.kind.kind().unwrap_or(Kind::Paths);
        let numbered = self.ends.to_tours(board, kind)?;
        if self.distinct {
            check_symmetries_known(numbered.board(), "--distinct")?;
            JobSpec::new(Task::Sample).with_tours(&numbered).with(Choice::Distinct, true).validate()?;
        }
        let progress = self.index.progress(format!("{} {}", numbered.board().title(), kind.name()));
        let control = progress.control();
        let files = self.files.open()?;
        // If CSV or JSON goes to standard output, the tours are not printed.
        let is_printed = !(files.has_stdout() && self.tour_output.is_stdout());
        self.tour_output.check_printed(is_printed)?;
        let open = || NumberedTourWriter::open(&self.tour_output, &numbered);
        let mut writer = is_printed.then(open).transpose()?;
        if self.number == 0 && !self.files.has_any() {
            let signals = Signals::catch(control.cancel_flag())?;
            return writer.map_or(Ok(()), |writer| writer.finish(Ok(()), &self.index, &signals));
        }
        let (index, signals) = self.index.open(&numbered, control)?;
        let seed = self.seed.seed();
        // Without tours there is an error, and no rows.
        let has_rows = self.files.has_any() && (self.number == 0 || *index.total() != BigUint::ZERO);
        let mut rows = has_rows.then(|| self.start_rows(files, seed, &index, &signals)).transpose()?;
        let (mut rows_result, mut is_printing) = (Ok(()), writer.is_some());
        let mut write = |kind: TourKind, vertices: &[u32]| {
            if let Some(open) = &mut rows
                && let Err(error) = open.add(kind, vertices, control)
            {
                (rows, rows_result) = (None, Err(error));
            }
            if let Some(writer) = writer.as_mut().filter(|_| is_printing) {
                is_printing = writer.write_tour(kind, vertices).is_continue();
            }
            // If one output cannot be written, the other gets all tours.
            if rows.is_some() || is_printing { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let drawn = index.sample_many(self.number, self.distinct, seed, control, &mut write);
        // Incomplete files are removed, also before a signal ends the process.
        let rows = rows.filter(|_| drawn.is_ok());
        let written = rows_result.and_then(|()| rows.map_or(Ok(()), |rows| rows.finish(control)));
        drop(progress);
        let printed = match writer {
            Some(writer) => writer.finish(drawn, &self.index, &signals),
            None => drawn.map_err(|error| self.index.stop_or_error(error, &signals)),
        };
        if printed.is_ok() {
            self.seed.print_fresh(seed, self.number);
        }
        combine_results([written, printed])
    }

    /// Starts the rows of CSV and JSON, one for each tour.
    fn start_rows<'a>(
        &'a self,
        files: OutputFiles,
        seed: u64,
        index: &'a Index,
        signals: &'a Signals,
    ) -> Result<SampleRows<'a>, CliError> {
        let options =
            [("distinct", self.distinct.into()), ("samples", self.number.into()), ("seed", seed.into())];
        let table = start_rows(files, Some(index), ["number", "squares"], options, "tours")?;
        Ok(SampleRows { args: &self.index, index, signals, batch: Vec::new(), table })
    }
}

/// Number of tours whose numbers are computed in one pass over the index.
const TOURS_PER_PASS: usize = 1 << 12;

/// The rows of drawn tours, each with its number among all tours.
struct SampleRows<'a> {
    args: &'a IndexArgs,
    index: &'a Index,
    signals: &'a Signals,
    /// The tours that have no row yet.
    batch: Vec<Tour>,
    table: StreamedTable,
}

impl SampleRows<'_> {
    fn add(&mut self, kind: TourKind, vertices: &[u32], control: &Control) -> Result<(), CliError> {
        let board = self.index.numbered_tours().board();
        let make = if kind == TourKind::Closed { Tour::new_closed } else { Tour::new };
        self.batch.push(make(board, vertices.to_vec()).expect("an index has only tours"));
        if self.batch.len() < TOURS_PER_PASS { Ok(()) } else { self.write_batch(control) }
    }

    fn write_batch(&mut self, control: &Control) -> Result<(), CliError> {
        // Open tours have no numbers.
        let numbers = match self.index.numbered_tours().kind() {
            Kind::Open => Ok(vec![Cell::Empty; self.batch.len()]),
            _ => self
                .index
                .numbers(&self.batch, control)
                .and_then(|numbers| numbers.into_iter().map(|number| number.map(Cell::from)).collect()),
        };
        let numbers = numbers.map_err(|error| self.args.stop_or_error(error, self.signals))?;
        for (tour, number) in self.batch.drain(..).zip(numbers) {
            self.table.push([number, squares_cell(&tour)])?;
        }
        Ok(())
    }

    fn finish(mut self, control: &Control) -> Result<(), CliError> {
        self.write_batch(control)?;
        Ok(self.table.finish(&NamedCells::default())?)
    }
}
