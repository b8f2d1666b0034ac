//! Output options of counts (`--csv`, `--json`, `--record`, `--directed`, ..), and the files that they name.
//!
//! Two options of a command must not name the same file, even through links. Those that the command line names are
//! compared before a command starts: see [`super::named_files`].

use std::borrow::Borrow;
use std::cell::LazyCell;
use std::fmt::Display;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::{fs, io};

use clap::Args;
use ktour::batch::{append_line, parent_folder, read_bounded, resolve_links, with_suffix};
use ktour::count::symmetric::UpToSymmetry;

use super::heading;
use crate::cli::error::CliError;
use crate::report::{CountResult, Output, Table, count_rows, print_job_line, print_notice, print_warning};

/// Options for the output of a count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct OutputOptions {
    /// Use both directions of every tour
    #[arg(long, help_heading = heading::TOURS)]
    pub directed: bool,

    /// Count the directed tours from each start square
    #[arg(long, help_heading = heading::TOURS, hide_short_help = true)]
    pub per_start: bool,

    #[command(flatten)]
    pub files: OutputFileArgs,

    /// Append the result as a line to a file of records
    #[arg(long, help_heading = heading::OUTPUT, value_name = "FILE", hide_short_help = true)]
    pub record: Option<PathBuf>,

    /// The numbers up to symmetry that are requested. A shard cannot have them.
    #[arg(skip)]
    pub symmetry: Option<UpToSymmetry>,

    /// True if a second count by another method is requested, as by `count --double-check`.
    #[arg(skip)]
    pub double_check: bool,
}

impl OutputOptions {
    /// Returns the options without output files and without a record file.
    pub fn without_files(self) -> Self {
        Self { files: OutputFileArgs::default(), record: None, ..self }
    }

    /// Opens the output files. Each must differ from the checkpoint, whose name may have the suffix of a part.
    ///
    /// # Errors
    /// Two options name the same file, or a file cannot be written.
    pub fn open(&self, checkpoint: Option<&Path>) -> Result<OutputFiles, CliError> {
        let [csv, json] = self.files.options();
        let record = self.record.as_deref();
        if record == Some(Path::new("-")) {
            return Err(CliError::usage(
                "--record -: records require a file; use --json - for standard \
                output",
            ));
        }
        check_distinct_files(&[csv, json, ("--record", record), ("--checkpoint", checkpoint)])?;
        // Results without a file are printed.
        Output::check_stdout()?;
        let files = self.files.open()?;
        if let Some(path) = &self.record {
            let cannot_write = |error: io::Error| {
                let is_missing = error.kind() == io::ErrorKind::NotFound;
                match path.parent().filter(|folder| is_missing && !folder.exists()) {
                    Some(folder) => CliError::failed(format!(
                        "--record {}: there is no folder {}; create it first",
                        path.display(),
                        folder.display()
                    )),
                    None => CliError::write_error(&path.display().to_string(), error),
                }
            };
            check_appendable(path).map_err(cannot_write)?;
            if !may_hold_records(path) {
                return Err(CliError::usage(format!(
                    "--record {}: the file does not begin with a record of ktour; name a file of records, \
                    or a new file",
                    path.display()
                )));
            }
        }
        Ok(files)
    }

    /// Returns an error if an option is set that does not work with a sweep shared by `--mpi`.
    pub fn check_mpi(&self) -> Result<(), CliError> {
        let why = match self {
            Self { double_check: true, .. } => {
                "--double-check; omit it, and compare with a count of \
                the transposed board"
            }
            Self { symmetry: Some(_), .. } => "--distinct or --classes; omit --mpi",
            _ => return Ok(()),
        };
        Err(CliError::usage(format!("--mpi cannot be used with {why}")))
    }

    /// Prints a result and writes it to its files. If one output cannot be written, the result
    /// still goes to the others.
    pub fn report(&self, files: OutputFiles, result: &CountResult) -> Result<(), CliError> {
        let record = LazyCell::new(|| result.to_record());
        let recorded = self.record.as_ref().map_or(Ok(()), |path| append_record(path, &record.to_line()));
        let reported = files.report(
            || count_rows(result, &record),
            || record.to_pretty(),
            || result.to_text(self.directed),
        );
        combine_results([reported, recorded])
    }
}

/// Appends a record as a line to a file. If the last line of the file is incomplete, prints a
/// warning and begins a new line first.
pub fn append_record(path: &Path, line: &str) -> Result<(), CliError> {
    let is_torn =
        append_line(path, line).map_err(|error| CliError::write_error(&path.display().to_string(), error))?;
    if is_torn {
        print_warning(format_args!(
            "{} ends with an incomplete line, as after a full disk; the record is written on a new line",
            path.display()
        ));
    }
    Ok(())
}

/// Returns an error if nothing can be appended to a file. Leaves no new file: the run may be refused.
fn check_appendable(path: &Path) -> io::Result<()> {
    let path = resolve_links(path);
    match File::options().append(true).open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            File::create_new(&path)?;
            fs::remove_file(&path)
        }
        opened => opened.map(drop),
    }
}

/// Returns true if records may be appended to a file: it is empty, begins with a record or a part
/// of one, or is a device or a pipe.
fn may_hold_records(path: &Path) -> bool {
    const MARK: &[u8] = br#"{"schema":"#;
    // A file that can be written but not read is accepted.
    !path.is_file()
        || read_bounded(path, |_| false)
            .map_or(true, |head| MARK.starts_with(&head[..head.len().min(MARK.len())]))
}

/// The identity of a file, the same for all paths that lead to it.
#[derive(Debug, PartialEq, Eq)]
enum FileIdentity {
    /// Device number and inode of an existing file, which its hard links share.
    #[cfg(unix)]
    Inode(u64, u64),
    /// Absolute path of a file that does not exist yet, or on systems without inodes.
    Path(PathBuf),
}

/// Returns an error if two options name the same file. Ignores standard output, devices and pipes.
pub fn check_distinct_files(options: &[(&str, Option<&Path>)]) -> Result<(), CliError> {
    check_outputs(&[], options)
}

/// Returns an error if the file of an output is also that of an input or of another output. Several inputs may name
/// one file. Ignores standard input and output, devices and pipes.
pub fn check_outputs(
    inputs: &[(&str, Option<&Path>)],
    outputs: &[(&str, Option<&Path>)],
) -> Result<(), CliError> {
    let mut seen: Vec<(&str, FileIdentity)> = inputs
        .iter()
        .filter_map(|&(option, path)| Some((option, path.filter(|path| !is_stdout(Some(path)))?)))
        .filter_map(|(option, path)| Some((option, file_identity(path)?)))
        .collect();
    for &(option, path) in outputs {
        let Some(path) = path else { continue };
        if path == Path::new("-") {
            continue;
        }
        // A checkpoint also has `.previous` and `.lock` files.
        let suffixes = if option == "--checkpoint" { &["", ".previous", ".lock"][..] } else { &[""] };
        for suffix in suffixes {
            let Some(identity) = file_identity(&with_suffix(path, suffix)) else { continue };
            if let Some((other, _)) =
                seen.iter().find(|(other, found)| *other != option && *found == identity)
            {
                return Err(CliError::usage(format!(
                    "{other} and {option} name the same file, {}; use different files",
                    path.display()
                )));
            }
            seen.push((option, identity));
        }
    }
    Ok(())
}

fn file_identity(path: &Path) -> Option<FileIdentity> {
    let path = resolve_links(path);
    match fs::metadata(&path) {
        Ok(found) if !found.is_file() => None,
        #[cfg(unix)]
        Ok(found) => {
            use std::os::unix::fs::MetadataExt;
            Some(FileIdentity::Inode(found.dev(), found.ino()))
        }
        #[cfg(not(unix))]
        Ok(_) => fs::canonicalize(&path).ok().map(FileIdentity::Path),
        Err(_) => {
            // A missing folder is reported when the file is opened.
            let folder = fs::canonicalize(parent_folder(&path)).ok()?;
            Some(FileIdentity::Path(folder.join(path.file_name()?)))
        }
    }
}

/// Files for the result; `-` is standard output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = heading::OUTPUT)]
pub struct OutputFileArgs {
    /// Write CSV to a file, - for standard output
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Write JSON to a file, - for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Output files of a result. They are opened before the run, so that an unwritable name fails
/// before hours of work.
#[derive(Debug)]
pub struct OutputFiles {
    csv: Option<Output>,
    json: Option<Output>,
}

/// Returns true if a file is given as `-`, which is standard output.
pub fn is_stdout(path: Option<&Path>) -> bool {
    path == Some(Path::new("-"))
}

impl OutputFileArgs {
    /// Returns true if a file is given.
    pub const fn has_any(&self) -> bool {
        self.csv.is_some() || self.json.is_some()
    }

    /// Returns the name and the file of `--csv` and of `--json`.
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
        let open = |path: Option<&Path>| path.map(Output::create).transpose();
        Ok(OutputFiles { csv: open(csv)?, json: open(json)? })
    }
}

impl OutputFiles {
    /// Returns true if one of the files is standard output. Then nothing else may be printed there.
    pub fn has_stdout(&self) -> bool {
        self.csv.iter().chain(&self.json).any(Output::is_stdout)
    }

    /// Returns the CSV file and the JSON file.
    pub fn into_parts(self) -> (Option<Output>, Option<Output>) {
        (self.csv, self.json)
    }

    /// Writes both files and gives them their names. If one of them fails, the other is written all
    /// the same.
    pub fn write<T: Borrow<Table>>(
        self,
        csv: impl FnOnce() -> T,
        json: impl FnOnce() -> String,
    ) -> Result<(), CliError> {
        let csv = self.csv.map_or(Ok(()), |mut out| {
            csv().borrow().write_csv(&mut out).map_err(|error| CliError::write_error(&out.name(), error))?;
            Ok(out.finish()?)
        });
        let json = self.json.map_or(Ok(()), |out| write_and_finish(out, json().as_bytes()));
        combine_results([csv, json])
    }

    /// Writes both files and gives them their names. Prints the text, unless one of the files is
    /// standard output.
    pub fn report<T: Borrow<Table>>(
        self,
        csv: impl FnOnce() -> T,
        json: impl FnOnce() -> String,
        text: impl FnOnce() -> String,
    ) -> Result<(), CliError> {
        let is_quiet = self.has_stdout();
        let written = self.write(csv, json);
        combine_results([written, if is_quiet { Ok(()) } else { print_to_stdout(text()) }])
    }
}

/// Returns the first failure of several results, and prints the other failures unless they have the same cause.
/// The failure of a closed pipe is returned only if nothing else failed.
pub fn combine_results(results: impl IntoIterator<Item = Result<(), CliError>>) -> Result<(), CliError> {
    let (mut failures, mut closed_pipe) = (Vec::new(), Ok(()));
    for failure in results.into_iter().filter_map(Result::err) {
        if failure.is_closed_pipe() {
            closed_pipe = Err(failure);
        } else {
            failures.push(failure);
        }
    }
    let mut failures = failures.into_iter();
    let Some(first) = failures.next() else { return closed_pipe };
    failures.filter(|failure| !first.has_same_cause(failure)).for_each(|failure| failure.print_as_notice());
    Err(first)
}

/// Prints the `done` line of a run, after its outputs were written. If one of them failed, the line does not say
/// `done`, and a terminal shows it too, as it may be the only place with the numbers.
pub fn print_end(written: &Result<(), CliError>, summary: impl Display) {
    match written {
        Err(failure) if !failure.is_closed_pipe() => print_notice(format_args!("counted {summary}")),
        _ => print_job_line(format_args!("done {summary}")),
    }
}

/// Prints a text to standard output.
pub fn print_to_stdout(text: impl AsRef<[u8]>) -> Result<(), CliError> {
    write_and_finish(Output::stdout(), text.as_ref())
}

/// Writes a text to an output and completes it.
pub fn write_and_finish(mut out: Output, text: &[u8]) -> Result<(), CliError> {
    out.write_hiding_bars(text).map_err(|error| CliError::write_error(&out.name(), error))?;
    Ok(out.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_distinct_files_follows_links() {
        let dir = tempfile::tempdir().unwrap();
        let path_of = |name: &str| dir.path().join(name);
        fs::create_dir(path_of("sub")).unwrap();
        fs::write(path_of("there"), "").unwrap();
        fs::write(path_of("else"), "").unwrap();
        let same = |a: &str, b: &str| {
            check_distinct_files(&[
                ("--json", Some(&path_of(a))),
                ("--csv", None),
                ("--record", Some(&path_of(b))),
            ])
            .is_err()
        };
        assert!(same("new", "new") && same("new", "./new") && same("sub/../new", "new"));
        assert!(same("there", "sub/../there"));
        assert!(!same("there", "new") && !same("there", "else") && !same("new", "sub/new"));
        let out = Some(Path::new("-"));
        assert!(
            check_distinct_files(&[("--json", out), ("--csv", out)]).is_ok(),
            "standard output is not a file"
        );
        #[cfg(unix)]
        {
            fs::hard_link(path_of("there"), path_of("hard")).unwrap();
            std::os::unix::fs::symlink("new", path_of("soft")).unwrap();
            assert!(same("there", "hard") && same("soft", "new") && !same("soft", "there"));
            let null = Some(Path::new("/dev/null"));
            assert!(check_distinct_files(&[("--json", null), ("--csv", null)]).is_ok());
        }
    }

    #[test]
    fn check_distinct_files_includes_checkpoint_lock() {
        let dir = tempfile::tempdir().unwrap();
        let (run, lock) = (dir.path().join("run"), dir.path().join("run.lock"));
        let refused =
            check_distinct_files(&[("--json", Some(&lock)), ("--checkpoint", Some(&run))]).unwrap_err();
        let refused = refused.to_string();
        assert!(refused.contains("--json") && refused.contains("--checkpoint"), "{refused}");
        assert!(check_distinct_files(&[("--checkpoint", Some(&run))]).is_ok());
    }

    #[test]
    fn combine_results_prefers_errors_to_a_closed_pipe() {
        let failed = |done| combine_results(done).map_err(|failure| (failure.status(), failure.to_string()));
        assert_eq!(failed([Ok(()), Ok(())]), Ok(()));
        assert_eq!(failed([Ok(()), Err(CliError::ClosedPipe)]), Err((0, String::new())));
        let bad = || Err(CliError::failed("bad"));
        assert_eq!(failed([Err(CliError::ClosedPipe), bad()]), Err((1, "bad".into())));
        assert_eq!(failed([bad(), Err(CliError::usage("worse"))]), Err((1, "bad".into())));
        let full = |path: &str| CliError::write_error(path, io::ErrorKind::StorageFull.into());
        assert!(full("a").has_same_cause(&full("a").with_suffix("; stopped after 2 boards")));
        assert!(!full("a").has_same_cause(&full("b")) && !CliError::failed("").has_same_cause(&full("a")));
    }
}
