//! `ktour rank`: prints the numbers of given tours.

use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::common::{EndsArgs, vertex};
use super::failure::Failure;
use super::index::IndexArgs;
use super::named::{self, named, remark};
use super::places::refuse_same;
use super::signals::Signals;
use super::source::Source;
use crate::report::Output;
use ktour::control::Control;
use ktour::index::{Index, Numbered};
use ktour::tour::{Kind, Located, ReadError, TourKind};

const EXAMPLES: &str = "\
Examples:
  ktour find 6x6 --closed | ktour rank -
  ktour rank tours.txt --index chess
  ktour rank tours.txt | ktour unrank 6x6 --kind closed -

Prints for each tour a line with its number among all tours of its board and kind, as unrank accepts it. The first \
line names the plan, which is the order of the numbers; a file that unrank wrote with another plan is rejected. \
Default for --start and --end: those in the header of the file, if unrank wrote it. All tours of the file must be of \
one board and one kind.";

/// Print the numbers of given tours
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct RankArgs {
    #[command(flatten)]
    source: Source,

    #[command(flatten)]
    ends: EndsArgs,

    /// Rejected: classes have no numbers
    #[arg(long, hide = true)]
    distinct: bool,

    /// Write only the numbers, without the header line
    #[arg(long, hide_short_help = true)]
    bare: bool,

    /// Write to FILE instead of standard output
    #[arg(long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,

    #[command(flatten)]
    index: IndexArgs,
}

/// Tours that are ranked in one pass over the index.
const AT_ONCE: usize = 1 << 12;

impl RankArgs {
    /// Ranks the tours of the input.
    pub fn run(&self) -> Result<(), Failure> {
        if self.distinct {
            return Err(Failure::usage(
                "--distinct: classes of tours have no numbers, because a sweep does not distinguish them; leave it out \
                 (check --canonical prints a representative of each class)",
            ));
        }
        if self.source.is_mixed() {
            return Err(Failure::usage(
                "--mixed does not apply to rank, as an index is of one board; rank the tours of each board \
                separately",
            ));
        }
        let mut options = self.source.inputs().to_vec();
        options.push(("--output", Some(self.output.as_path())));
        refuse_same(&options)?;
        let mut tours = self.source.tours()?;
        let mut out = Output::create(&self.output)?;
        let name = out.name();
        let mut text = String::new();
        let mut index: Option<Index> = None;
        let progress = self.index.progress("rank".to_owned());
        let control = progress.control();
        let mut signals = None;
        loop {
            // Each batch has the header lines above its tours, as several files may be concatenated.
            let (mut some, mut said): (Vec<Located>, Vec<String>) = (Vec::new(), Vec::new());
            while some.len() < AT_ONCE
                && let Some(tour) = tours.next()
            {
                some.push(tour.map_err(|error| self.fault(&error))?);
                let line = tours.numbers().and_then(named);
                said.extend(
                    line.filter(|line| said.last().is_none_or(|last| last != line)).map(str::to_owned),
                );
            }
            let Some(first) = some.first() else { break };
            if index.is_none() {
                let (made, caught) = self.index(first, said.first().map(String::as_str), control)?;
                if !self.bare {
                    text.push_str(&remark(&made));
                }
                (index, signals) = (Some(made), Some(caught));
            }
            let (index, signals) = index.as_ref().zip(signals.as_ref()).expect("it was just made");
            // Tours whose header names another plan are rejected instead of being renumbered silently.
            said.iter().try_for_each(|said| named::check(&self.source.name(), said, index))?;
            let all: Vec<_> = some.iter().map(|located| located.tour.clone()).collect();
            let numbers = index.numbers(&all, control).map_err(|error| self.index.ended(error, signals))?;
            for (located, number) in some.iter().zip(numbers) {
                let number = number.map_err(|error| {
                    let failure = self.index.refused(error);
                    Failure::failed(format!("{}, line {}: {failure}", self.source.name(), located.line))
                })?;
                writeln!(text, "{number}").expect("writing to memory cannot fail");
            }
            out.write_all(text.as_bytes()).map_err(|error| Failure::write(&name, &error))?;
            text.clear();
        }
        if index.is_none() {
            return Err(self.source.empty());
        }
        Ok(out.finish()?)
    }

    /// Converts a read error into a failure, with advice that fits a command without `--mixed`.
    fn fault(&self, error: &ReadError) -> Failure {
        let line = self.source.fault(error).to_string();
        let line = line
            .replace("; add --mixed to allow several boards", "; rank the tours of each board separately");
        Failure::failed(line.replace(", or add --mixed for several boards", ""))
    }

    /// Opens the index for tours of the kind and board of `first`. The ends are those of the options, or else
    /// of the header `header`.
    fn index(
        &self,
        first: &Located,
        said: Option<&str>,
        control: &Control,
    ) -> Result<(Index, Signals), Failure> {
        let arena = first.tour.arena().clone();
        let kind = if first.tour.kind() == TourKind::Closed { Kind::Closed } else { Kind::Paths };
        let start = vertex(&arena, self.ends.start.as_deref())?;
        let end = vertex(&arena, self.ends.end.as_deref())?;
        let said = said.filter(|_| !self.ends.are_fixed()).and_then(|said| named::tours(said, &arena));
        let own = Numbered { arena, kind, start, end };
        let numbered = said.filter(|said| said.kind == kind).unwrap_or(own);
        self.index.open(&numbered, control)
    }
}
