//! How a count is to be reported: shared by `count` and `merge`, and kept in checkpoints for `resume`.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::{Deserialize, Serialize};

use super::failure::Failure;
use super::files::{FileArgs, Files, all};
use super::places::refuse_same;
use super::up_to_symmetry::UpToSymmetry;
use crate::report::{CountResult, Output, classes_tables, per_start_table, table, warn, write_csv};
use ktour::batch::{append_line, read_bounded};

/// How the user wants the result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
pub struct Wanted {
    /// Both directions of every tour
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

    /// Files that are read, by option: none of them is written over.
    #[arg(skip)]
    #[serde(skip)]
    pub reads: Vec<(&'static str, Option<PathBuf>)>,

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
    /// The same without files and records.
    pub fn without_files(self) -> Self {
        Self { files: FileArgs::default(), record: None, reads: Vec::new(), ..self }
    }

    /// Opens the files, no two of which may be the same; none may be the `checkpoint`, or a file that is read.
    pub fn open(&self, checkpoint: Option<&Path>) -> Result<Files, Failure> {
        let [csv, json] = self.files.named();
        let record = self.record.as_deref();
        if record == Some(Path::new("-")) {
            return Err(Failure::usage("--record - is no file: --json - writes to standard output"));
        }
        let mut named: Vec<_> = self.reads.iter().map(|(option, path)| (*option, path.as_deref())).collect();
        named.extend([csv, json, ("--record", record), ("--checkpoint", checkpoint)]);
        refuse_same(&named)?;
        // What is not written to files is printed.
        Output::check_stdout()?;
        let files = self.files.open()?;
        if let Some(path) = &self.record {
            appendable(path).map_err(|error| Failure::write(&path.display().to_string(), &error))?;
            if !may_hold_records(path) {
                return Err(Failure::usage(format!(
                    "--record {}: it begins with no record of ktour: name a file of records, or a new one",
                    path.display()
                )));
            }
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

    /// Writes a result everywhere it is wanted: what cannot be written somewhere must not cost it elsewhere.
    pub fn report(&self, files: Files, result: &CountResult) -> Result<(), Failure> {
        let recorded = self.record.as_ref().map_or(Ok(()), |path| append(path, &result.record.line()));
        let told =
            files.report(|out| write_csv(result, out), || result.record.pretty(), || self.text(result));
        all([told, recorded])
    }

    fn text(&self, result: &CountResult) -> String {
        if !result.starts().is_empty() {
            return per_start_table(result);
        }
        if !result.up_to.classes.is_empty() {
            return classes_tables(result);
        }
        // A single residue needs no table, but its modulus.
        if let (Some(modulus), true) = (result.numbers.modulus(), result.record.shards == ["0/1"]) {
            let mut numbers = result.numbers.kinds();
            if let (Some((_, residue)), None) = (numbers.next(), numbers.next()) {
                return format!("{residue} modulo {}\n", modulus.modulus());
            }
        }
        // What is no answer does not stand alone as if it were one.
        if result.numbers.answer().is_none() {
            return table(result, true);
        }
        let mut numbers = result.kinds();
        match (numbers.next(), numbers.next()) {
            // A single number stands alone, ready for a script.
            (Some((kind, undirected, directed)), None) => {
                let undirected = undirected.filter(|_| !self.directed);
                let number = result.up_to.distinct(kind).or(undirected).unwrap_or(&directed);
                format!("{number}\n")
            }
            _ => table(result, self.directed),
        }
    }
}

/// Adds a record to a file.
pub fn append(path: &Path, line: &str) -> Result<(), Failure> {
    let is_torn =
        append_line(path, line).map_err(|error| Failure::write(&path.display().to_string(), &error))?;
    if is_torn {
        warn(format_args!(
            "{} ended in the middle of a line, as after a full disk: the record begins a new one",
            path.display()
        ));
    }
    Ok(())
}

fn appendable(path: &Path) -> io::Result<File> {
    File::options().append(true).create(true).open(path)
}

/// Whether a file is empty or begins with a record, which a full disk may have torn. Devices and pipes hold anything.
fn may_hold_records(path: &Path) -> bool {
    const MARK: &[u8] = br#"{"schema":"#;
    // One that may be written to and not read is taken as it is.
    !path.is_file()
        || read_bounded(path, |_| false)
            .map_or(true, |head| MARK.starts_with(&head[..head.len().min(MARK.len())]))
}
