//! Output files of commands: `--csv`, `--json` and standard output.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::{Deserialize, Serialize};

use super::failure::Failure;
use crate::report::Output;

/// Files for the result; `-` is standard output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
pub struct FileArgs {
    /// Write CSV to a file, - for standard output
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Write JSON to a file, - for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Output files, opened before the run, so that an unwritable name fails before hours of work.
#[derive(Debug)]
pub struct Files {
    csv: Option<Output>,
    json: Option<Output>,
    quiet: bool,
}

fn is_stdout(path: Option<&Path>) -> bool {
    path == Some(Path::new("-"))
}

impl FileArgs {
    /// Returns true if a file is given.
    pub const fn are_wanted(&self) -> bool {
        self.csv.is_some() || self.json.is_some()
    }

    /// Returns the options, each with its file.
    pub fn named(&self) -> [(&'static str, Option<&Path>); 2] {
        [("--csv", self.csv.as_deref()), ("--json", self.json.as_deref())]
    }

    /// Opens the files. The caller must check that they differ from each other and from files of other
    /// options.
    ///
    /// # Errors
    /// Both are standard output, or a file cannot be created.
    pub fn open(&self) -> Result<Files, Failure> {
        let (csv, json) = (self.csv.as_deref(), self.json.as_deref());
        if is_stdout(csv) && is_stdout(json) {
            return Err(Failure::usage(
                "--csv - and --json - both use standard output; give one of them a file",
            ));
        }
        let quiet = is_stdout(csv) || is_stdout(json);
        let open = |path: Option<&Path>| path.map(Output::create).transpose();
        Ok(Files { csv: open(csv)?, json: open(json)?, quiet })
    }
}

impl Files {
    /// Returns true if one of the files is standard output, which must then hold nothing else.
    pub const fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Returns the CSV file and the JSON file.
    pub fn into_parts(self) -> (Option<Output>, Option<Output>) {
        (self.csv, self.json)
    }

    /// Writes and completes the files. If one of them fails, the other is written all the same.
    pub fn write(
        self,
        csv: impl FnOnce(&mut Output) -> io::Result<()>,
        json: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        let csv = self.csv.map_or(Ok(()), |mut out| {
            csv(&mut out).map_err(|error| Failure::write(&out.name(), &error))?;
            Ok(out.finish()?)
        });
        let json = self.json.map_or(Ok(()), |out| put(out, json().as_bytes()));
        all([csv, json])
    }

    /// Writes and completes the files, and prints the text, unless one of the files is standard output.
    pub fn report(
        self,
        csv: impl FnOnce(&mut Output) -> io::Result<()>,
        json: impl FnOnce() -> String,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        let is_quiet = self.quiet;
        let written = self.write(csv, json);
        all([written, if is_quiet { Ok(()) } else { print(text()) }])
    }
}

/// Returns the first failure of several results and prints the others. A closed pipe is returned only if
/// nothing else failed.
pub fn all(done: impl IntoIterator<Item = Result<(), Failure>>) -> Result<(), Failure> {
    let (mut failures, mut closed) = (Vec::new(), Ok(()));
    for failure in done.into_iter().filter_map(Result::err) {
        if failure.status() == 0 {
            closed = Err(failure);
        } else {
            failures.push(failure);
        }
    }
    let mut failures = failures.into_iter();
    let Some(first) = failures.next() else { return closed };
    // A failure that repeats the cause of the first one is not printed.
    failures.filter(|failure| !first.to_string().contains(&failure.to_string())).for_each(|f| f.tell());
    Err(first)
}

/// Prints a text to standard output.
pub fn print(text: impl AsRef<[u8]>) -> Result<(), Failure> {
    put(Output::stdout(), text.as_ref())
}

/// Writes a text to a file and completes the file.
pub fn put(mut out: Output, text: &[u8]) -> Result<(), Failure> {
    out.put(text).map_err(|error| Failure::write(&out.name(), &error))?;
    Ok(out.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_outdoes_a_reader_who_has_gone() {
        let failed = |done| all(done).map_err(|failure| (failure.status(), failure.to_string()));
        assert_eq!(failed([Ok(()), Ok(())]), Ok(()));
        assert_eq!(failed([Ok(()), Err(Failure::closed_pipe())]), Err((0, String::new())));
        let bad = || Err(Failure::failed("bad"));
        assert_eq!(failed([Err(Failure::closed_pipe()), bad()]), Err((1, "bad".into())));
        assert_eq!(failed([bad(), Err(Failure::usage("worse"))]), Err((1, "bad".into())));
    }
}
