//! `ktour rank`: prints the numbers of given tours.

use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::args::heading;
use super::args::output_options::{OutputFileArgs, combine_results, is_stdout};
use super::args::tours::{EndsArgs, TourInput, check_text_ending};
use super::error::CliError;
use super::process::Signals;
use super::tour_index;
use super::tour_index::{IndexArgs, header_line, parse_header, start_rows};
use crate::report::{NamedCells, Output};
use ktour::control::Control;
use ktour::index::Index;
use ktour::tour::{Kind, LocatedTour, TourKind};

const EXAMPLES: &str = "\
Examples:
  ktour find 6x6 --closed | ktour rank -
  ktour rank tours.txt --index chess
  ktour rank tours.txt | ktour unrank 6x6 --kind closed -
  ktour rank tours.txt --csv -           with the line of each tour

Prints for each tour a line with its number among all tours of its board and kind, as unrank accepts it. The first \
line names the plan, which is the order of the numbers; a file that unrank wrote with another plan is rejected. \
Default for --start and --end: those in the header of the file, if unrank wrote it. All tours of the file must be of \
one board and one kind.";

/// Print the numbers of given tours
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct RankArgs {
    #[command(flatten)]
    input: TourInput,

    #[command(flatten)]
    ends: EndsArgs,

    #[command(flatten)]
    index: IndexArgs,

    /// Write only the numbers, without the header line
    #[arg(long, help_heading = heading::OUTPUT, hide_short_help = true)]
    bare: bool,

    /// Write to FILE instead of standard output
    #[arg(long, short, help_heading = heading::OUTPUT, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,

    #[command(flatten)]
    files: OutputFileArgs,
}

/// The columns of CSV for each tour.
const COLUMNS: [&str; 2] = ["line", "number"];

/// Number of tours that are ranked in one pass over the index.
const TOURS_PER_PASS: usize = 1 << 12;

impl RankArgs {
    /// Writes the number of each tour of the input.
    pub fn run(&self) -> Result<(), CliError> {
        check_text_ending(&self.output)?;
        let mut tours = self.input.open_reader(false)?;
        if let Some(board) = tours.board().cloned() {
            tours.set_restricted_board(self.ends.restrictions.restrict(board)?);
        }
        let files = self.files.open()?;
        // If CSV or JSON goes to standard output, the numbers are not printed.
        let is_printed = !(files.has_stdout() && is_stdout(Some(&self.output)));
        let mut out = is_printed.then(|| Output::create(&self.output)).transpose()?;
        let (mut files, mut rows) = (Some(files), None);
        let mut text = String::new();
        let mut index: Option<Index> = None;
        let progress = self.index.progress("rank".to_owned());
        let control = progress.control();
        let mut signals = None;
        loop {
            // Each batch has the header lines above its tours, as several files may be concatenated.
            let (mut batch, mut headers): (Vec<LocatedTour>, Vec<String>) = (Vec::new(), Vec::new());
            let mut plans: Vec<String> = Vec::new();
            while batch.len() < TOURS_PER_PASS
                && let Some(tour) = tours.next()
            {
                batch.push(tour.map_err(|error| self.input.read_error(&error, false))?);
                let line = tours.numbers_comment().and_then(parse_header);
                headers.extend(
                    line.filter(|line| headers.last().is_none_or(|last| last != line)).map(str::to_owned),
                );
                let plan = tours.stated_plan().filter(|plan| plans.last().is_none_or(|last| last != plan));
                plans.extend(plan.map(str::to_owned));
            }
            let Some(first) = batch.first() else { break };
            if index.is_none() {
                let (made, caught) = self.index(first, headers.first().map(String::as_str), control)?;
                if !self.bare {
                    text.push_str(&header_line(&made));
                }
                let start = |files| start_rows(files, Some(&made), COLUMNS, [], "tours");
                rows = files.take().map(start).transpose()?;
                (index, signals) = (Some(made), Some(caught));
            }
            let (index, signals) = index.as_ref().zip(signals.as_ref()).expect("it was just made");
            // Tours whose header names another plan are rejected instead of being renumbered silently.
            headers.iter().try_for_each(|said| tour_index::check_header(&self.input.name(), said, index))?;
            plans.iter().try_for_each(|plan| tour_index::check_plan(&self.input.name(), plan, index))?;
            let batch_tours: Vec<_> = batch.iter().map(|located| located.tour.clone()).collect();
            let numbers = index
                .numbers(&batch_tours, control)
                .map_err(|error| self.index.stop_or_error(error, signals))?;
            for (located, number) in batch.iter().zip(numbers) {
                let number = number.map_err(|error| {
                    let failure = self.index.error_for(error);
                    CliError::failed(format!("{}, line {}: {failure}", self.input.name(), located.line))
                })?;
                writeln!(text, "{number}").expect("writing to memory cannot fail");
                if let Some(rows) = &mut rows {
                    rows.push([located.line.into(), number.into()])?;
                }
            }
            if let Some(out) = &mut out {
                out.write_all(text.as_bytes()).map_err(|error| CliError::write_error(&out.name(), error))?;
            }
            text.clear();
        }
        if index.is_none() {
            // A list without tours has no numbers, so that it needs no index.
            if !tours.has_list_header() {
                return Err(self.input.no_tours_error());
            }
            let start = |files| start_rows(files, None, COLUMNS, [], "tours");
            rows = files.take().map(start).transpose()?;
        }
        self.input.print_notes(&tours.notes());
        combine_results([
            rows.map_or(Ok(()), |rows| Ok(rows.finish(&NamedCells::default())?)),
            out.map_or(Ok(()), |out| Ok(out.finish()?)),
        ])
    }

    /// Opens the index of the tours to which `first` belongs: those of its board and kind, with the
    /// ends that the options give, or else the header line `header`.
    fn index(
        &self,
        first: &LocatedTour,
        header: Option<&str>,
        control: &Control,
    ) -> Result<(Index, Signals), CliError> {
        let board = first.tour.board().clone();
        let kind = if first.tour.kind() == TourKind::Closed { Kind::Closed } else { Kind::Paths };
        let stated_set = header
            .filter(|_| !self.ends.is_any_fixed() && !self.ends.restrictions.is_any_given())
            .and_then(|header_line| tour_index::parse_tours(header_line, &board));
        let requested = self.ends.to_tours(board, kind)?;
        let numbered = stated_set.filter(|stated_set| stated_set.kind() == kind).unwrap_or(requested);
        self.index.open(&numbered, control)
    }
}
