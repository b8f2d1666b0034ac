//! `ktour rank`: the numbers of these tours.

use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::common::{EndsArgs, vertex};
use super::failure::Failure;
use super::index::{IndexArgs, remark};
use super::places::refuse_same;
use super::source::Source;
use crate::report::Output;
use ktour::index::{Index, Numbered};
use ktour::tour::{Kind, Located, TourKind};

const EXAMPLES: &str = "\
Examples:
  ktour find 6x6 --closed | ktour rank -
  ktour rank tours.txt --index chess
  ktour rank tours.txt | ktour unrank 6x6 --kind closed -

Of every tour its number among all of its board and kind, a line each: the one that unrank takes. The first line names \
the order of the numbers. All tours of the file are of one board and one kind.";

/// The numbers of these tours.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct RankArgs {
    #[command(flatten)]
    source: Source,

    #[command(flatten)]
    ends: EndsArgs,

    /// Write the tours alone, without the line or field that says what they are tours of
    #[arg(long, hide_short_help = true)]
    bare: bool,

    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,

    #[command(flatten)]
    index: IndexArgs,
}

/// Tours that are numbered at a time.
const AT_ONCE: usize = 1 << 12;

impl RankArgs {
    /// Numbers them.
    pub fn run(&self) -> Result<(), Failure> {
        let mut options = self.source.inputs().to_vec();
        options.push(("--output", Some(self.output.as_path())));
        refuse_same(&options)?;
        let mut tours = self.source.tours()?;
        let mut out = Output::create(&self.output)?;
        let name = out.name();
        let mut text = String::new();
        let mut index: Option<Index> = None;
        loop {
            let some: Result<Vec<Located>, _> = tours.by_ref().take(AT_ONCE).collect();
            let some = some.map_err(|error| self.source.fault(&error))?;
            let Some(first) = some.first() else { break };
            if index.is_none() {
                let made = self.index(first)?;
                if !self.bare {
                    text.push_str(&remark(&made));
                }
                index = Some(made);
            }
            let index = index.as_ref().expect("it was just made");
            let progress = self.index.progress("rank".to_owned());
            let all: Vec<_> = some.iter().map(|located| located.tour.clone()).collect();
            let numbers =
                index.numbers(&all, progress.control()).map_err(|error| self.index.refused(error))?;
            drop(progress);
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

    /// The index of tours such as the first.
    fn index(&self, first: &Located) -> Result<Index, Failure> {
        let arena = first.tour.arena().clone();
        let kind = if first.tour.kind() == TourKind::Closed { Kind::Closed } else { Kind::Paths };
        let start = vertex(&arena, self.ends.start.as_deref())?;
        let end = vertex(&arena, self.ends.end.as_deref())?;
        let numbered = Numbered { arena, kind, start, end };
        let progress = self.index.progress(format!("{} {}", numbered.arena.title(), kind.name()));
        self.index.open(&numbered, progress.control())
    }
}
