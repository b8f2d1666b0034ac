//! Output files of commands: `--csv`, `--json` and standard output.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::{Deserialize, Serialize};

use super::error::CliError;
use crate::report::Output;

/// Files for the result; `-` is standard output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
pub struct OutputFileArgs {
    /// Write CSV to a file, - for standard output
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Write JSON to a file, - for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Output files, opened before the run, so that an unwritable name fails before hours of work.
#[derive(Debug)]
pub struct OutputFiles {
    csv: Option<Output>,
    json: Option<Output>,
    uses_stdout: bool,
}

fn is_stdout(path: Option<&Path>) -> bool {
    path == Some(Path::new("-"))
}

impl OutputFileArgs {
    /// Returns true if a file is given.
    pub const fn has_any(&self) -> bool {
        self.csv.is_some() || self.json.is_some()
    }

    /// Returns the options, each with its file.
    pub fn options(&self) -> [(&'static str, Option<&Path>); 2] {
        [("--csv", self.csv.as_deref()), ("--json", self.json.as_deref())]
    }

    /// Opens the files. The caller must check that they differ from each other and from files of other
    /// options.
    ///
    /// # Errors
    /// Both are standard output, or a file cannot be created.
    pub fn open(&self) -> Result<OutputFiles, CliError> {
        let (csv, json) = (self.csv.as_deref(), self.json.as_deref());
        if is_stdout(csv) && is_stdout(json) {
            return Err(CliError::usage(
                "--csv - and --json - both use standard output; give one of them a file",
            ));
        }
        let quiet = is_stdout(csv) || is_stdout(json);
        let open = |path: Option<&Path>| path.map(Output::create).transpose();
        Ok(OutputFiles { csv: open(csv)?, json: open(json)?, uses_stdout: quiet })
    }
}

impl OutputFiles {
    /// Returns true if one of the files is standard output, which must then hold nothing else.
    pub const fn has_stdout(&self) -> bool {
        self.uses_stdout
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
    ) -> Result<(), CliError> {
        let csv = self.csv.map_or(Ok(()), |mut out| {
            csv(&mut out).map_err(|error| CliError::write_error(&out.name(), &error))?;
            Ok(out.finish()?)
        });
        let json = self.json.map_or(Ok(()), |out| write_and_finish(out, json().as_bytes()));
        combine_results([csv, json])
    }

    /// Writes and completes the files, and prints the text, unless one of the files is standard output.
    pub fn report(
        self,
        csv: impl FnOnce(&mut Output) -> io::Result<()>,
        json: impl FnOnce() -> String,
        text: impl FnOnce() -> String,
    ) -> Result<(), CliError> {
        let is_quiet = self.uses_stdout;
        let written = self.write(csv, json);
        combine_results([written, if is_quiet { Ok(()) } else { print_to_stdout(text()) }])
    }
}

/// Returns the first failure of several results and prints the others. A closed pipe is returned only if
/// nothing else failed.
pub fn combine_results(results: impl IntoIterator<Item = Result<(), CliError>>) -> Result<(), CliError> {
    let (mut failures, mut closed_pipe) = (Vec::new(), Ok(()));
    for failure in results.into_iter().filter_map(Result::err) {
        if failure.status() == 0 {
            closed_pipe = Err(failure);
        } else {
            failures.push(failure);
        }
    }
    let mut failures = failures.into_iter();
    let Some(first) = failures.next() else { return closed_pipe };
    // A failure that repeats the cause of the first one is not printed.
    failures
        .filter(|failure| !first.to_string().contains(&failure.to_string()))
        .for_each(|f| f.print_as_notice());
    Err(first)
}

/// Prints a text to standard output.
pub fn print_to_stdout(text: impl AsRef<[u8]>) -> Result<(), CliError> {
    write_and_finish(Output::stdout(), text.as_ref())
}

/// Writes a text to a file and completes the file.
pub fn write_and_finish(mut out: Output, text: &[u8]) -> Result<(), CliError> {
    out.write_hiding_bars(text).map_err(|error| CliError::write_error(&out.name(), &error))?;
    Ok(out.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combine_results_prefers_errors_to_a_closed_pipe() {
        let failed = |done| combine_results(done).map_err(|failure| (failure.status(), failure.to_string()));
        assert_eq!(failed([Ok(()), Ok(())]), Ok(()));
        assert_eq!(failed([Ok(()), Err(CliError::closed_pipe())]), Err((0, String::new())));
        let bad = || Err(CliError::failed("bad"));
        assert_eq!(failed([Err(CliError::closed_pipe()), bad()]), Err((1, "bad".into())));
        assert_eq!(failed([bad(), Err(CliError::usage("worse"))]), Err((1, "bad".into())));
    }
}
