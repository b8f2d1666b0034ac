//! How a count is to be reported: shared by `count` and `merge`, and kept in checkpoints for `resume`.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::{Deserialize, Serialize};

use super::failure::Failure;
use super::files::{FileArgs, Files, print};
use super::up_to_symmetry::UpToSymmetry;
use crate::report::{classes_tables, per_start_table, table, write_csv};
use ktour::batch::Record;

/// How the user wants the result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
pub struct Wanted {
    /// Count both directions of every tour
    #[arg(long)]
    pub directed: bool,

    /// A row for each start square, directed
    #[arg(long)]
    pub per_start: bool,

    #[command(flatten)]
    #[serde(flatten)]
    pub files: FileArgs,

    /// Add the result as a line to a file of records
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub record: Option<PathBuf>,

    /// Numbers up to symmetry, which only a whole count has.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symmetry: Option<UpToSymmetry>,

    /// Count a second time, otherwise, and compare; an option of `count` alone.
    #[arg(skip)]
    #[serde(default)]
    pub double_check: bool,
}

impl Wanted {
    /// Opens the files.
    pub fn open(&self) -> Result<Files, Failure> {
        let files = self.files.open()?;
        if let Some(path) = &self.record {
            appendable(path).map_err(|error| Failure::write(&path.display().to_string(), &error))?;
        }
        Ok(files)
    }

    /// Refuses what takes more than the sweeps that ranks share.
    pub fn refuse_ranks(&self) -> Result<(), Failure> {
        let why = match self {
            Self { double_check: true, .. } => "--double-check: count the transposed board, and compare",
            Self { symmetry: Some(_), .. } => "--distinct or --classes: leave out --mpi",
            _ => return Ok(()),
        };
        Err(Failure::usage(format!("--mpi does not go with {why}")))
    }

    /// Writes a record everywhere it is wanted.
    pub fn report(&self, files: Files, record: &Record) -> Result<(), Failure> {
        let quiet = files.is_quiet();
        files.write(|out| write_csv(record, out), || record.pretty())?;
        if let Some(path) = &self.record {
            append(path, &record.line())?;
        }
        if quiet { Ok(()) } else { print(self.text(record)) }
    }

    fn text(&self, record: &Record) -> String {
        if self.per_start && !record.per_start.is_empty() {
            return per_start_table(record);
        }
        if !record.classes.is_empty() {
            return classes_tables(record);
        }
        let mut numbers = record.counts.values();
        match (numbers.next(), numbers.next()) {
            // A single number stands alone, ready for a script.
            (Some(number), None) => {
                if let Some(distinct) = record.distinct.values().next() {
                    return format!("{distinct}\n");
                }
                let undirected = number.undirected.as_ref().filter(|_| !self.directed);
                format!("{}\n", undirected.unwrap_or(&number.directed))
            }
            _ => table(record, self.directed),
        }
    }
}

/// Adds a line to a file, in one write, so that runs that end together do not mix their lines.
pub fn append(path: &Path, line: &str) -> Result<(), Failure> {
    let line = format!("{line}\n");
    appendable(path)
        .and_then(|mut file| file.write_all(line.as_bytes()).and_then(|()| file.sync_all()))
        .map_err(|error| Failure::write(&path.display().to_string(), &error))
}

fn appendable(path: &Path) -> io::Result<File> {
    File::options().append(true).create(true).open(path)
}

/// Counts and time on one line.
pub fn proof(record: &Record) -> String {
    let counts: Vec<String> = record
        .counts
        .iter()
        .map(|(kind, number)| match &number.undirected {
            Some(undirected) => format!("{kind}={undirected}"),
            None => format!("directed-{kind}={}", number.directed),
        })
        .collect();
    format!("shards={} {} seconds={:.3}", record.shards.join(","), counts.join(" "), record.seconds)
}
