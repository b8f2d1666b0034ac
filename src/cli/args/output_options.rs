//! How a count is reported: options of `count` and `merge`, saved in checkpoints for `resume`.
//!
//! Checks that no two options of a command name the same file, even through links.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::{fs, io};

use clap::Args;
use ktour::batch::{append_line, parent_folder, read_bounded, resolve_links, with_suffix};
use serde::{Deserialize, Serialize};

use crate::cli::distinct_counts::UpToSymmetry;
use crate::cli::error::CliError;
use crate::cli::output_files::{OutputFileArgs, OutputFiles, combine_results};
use crate::report::{
    CountResult, Output, class_tables, count_table, per_start_table, print_warning, write_count_csv,
};

/// Options for the output of a count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
pub struct OutputOptions {
    /// Count or list both directions of every tour
    #[arg(long)]
    pub directed: bool,

    /// Print a row for each start square (counts are directed)
    #[arg(long)]
    pub per_start: bool,

    #[command(flatten)]
    #[serde(flatten)]
    pub files: OutputFileArgs,

    /// Append the result as a line to a file of records
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub record: Option<PathBuf>,

    /// Files that the command reads, with their options; none may be overwritten.
    #[arg(skip)]
    #[serde(skip)]
    pub input_files: Vec<(&'static str, Option<PathBuf>)>,

    /// Numbers up to symmetry; a shard cannot have them.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symmetry: Option<UpToSymmetry>,

    /// Whether to count a second time with another method and compare; an option of `count` only.
    #[arg(skip)]
    #[serde(default)]
    pub double_check: bool,
}

impl OutputOptions {
    /// Returns the options without output files and records.
    pub fn without_files(self) -> Self {
        Self { files: OutputFileArgs::default(), record: None, input_files: Vec::new(), ..self }
    }

    /// Opens the output files. All must differ, also from the checkpoint and from the files that are read.
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
        let mut named: Vec<_> =
            self.input_files.iter().map(|(option, path)| (*option, path.as_deref())).collect();
        named.extend([csv, json, ("--record", record), ("--checkpoint", checkpoint)]);
        check_distinct_files(&named)?;
        // Results without a file are printed.
        Output::check_stdout()?;
        let files = self.files.open()?;
        if let Some(path) = &self.record {
            open_for_append(path)
                .map_err(|error| CliError::write_error(&path.display().to_string(), &error))?;
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

    /// Rejects options that need more than the sweeps shared by `--mpi`.
    pub fn check_mpi(&self) -> Result<(), CliError> {
        let why = match self {
            Self { double_check: true, .. } => {
                "--double-check; leave it out, and compare with a count of \
                the transposed board"
            }
            Self { symmetry: Some(_), .. } => "--distinct or --classes; leave out --mpi",
            _ => return Ok(()),
        };
        Err(CliError::usage(format!("--mpi cannot be used with {why}")))
    }

    /// Prints a result and writes its files. If one output cannot be written, the result still goes to the
    /// others.
    pub fn report(&self, files: OutputFiles, result: &CountResult) -> Result<(), CliError> {
        let recorded =
            self.record.as_ref().map_or(Ok(()), |path| append_record(path, &result.record.to_line()));
        let reported = files.report(
            |out| write_count_csv(result, out),
            || result.record.to_pretty(),
            || self.text(result),
        );
        combine_results([reported, recorded])
    }

    fn text(&self, result: &CountResult) -> String {
        if !result.start_counts().is_empty() {
            return per_start_table(result);
        }
        if !result.distinct_counts.classes.is_empty() {
            return class_tables(result);
        }
        // A single residue is printed with its modulus instead of a table.
        if let (Some(modulus), true) = (result.outcome.modulus(), result.record.shards == ["0/1"]) {
            let mut numbers = result.outcome.counts_by_kind();
            if let (Some((_, residue)), None) = (numbers.next(), numbers.next()) {
                return format!("{residue} modulo {}\n", modulus.modulus());
            }
        }
        // A partial count must not look like an answer, so it is printed as a table.
        if result.outcome.answer().is_none() {
            return count_table(result, true);
        }
        let mut numbers = result.counts_by_kind();
        match (numbers.next(), numbers.next()) {
            // A single number is printed alone, for scripts.
            (Some((kind, undirected, directed)), None) => {
                let undirected = undirected.filter(|_| !self.directed);
                let number = result.distinct_counts.distinct(kind).or(undirected).unwrap_or(&directed);
                format!("{number}\n")
            }
            _ => count_table(result, self.directed),
        }
    }
}

/// Appends a record to a file, on a new line even if the last one is incomplete.
pub fn append_record(path: &Path, line: &str) -> Result<(), CliError> {
    let is_torn = append_line(path, line)
        .map_err(|error| CliError::write_error(&path.display().to_string(), &error))?;
    if is_torn {
        print_warning(format_args!(
            "{} ends with an incomplete line, as after a full disk; the record is written on a new line",
            path.display()
        ));
    }
    Ok(())
}

fn open_for_append(path: &Path) -> io::Result<File> {
    File::options().append(true).create(true).open(path)
}

/// Returns true if a file is empty or begins with a record, maybe an incomplete one. Devices and pipes are
/// accepted.
fn may_hold_records(path: &Path) -> bool {
    const MARK: &[u8] = br#"{"schema":"#;
    // A file that can be written but not read is accepted.
    !path.is_file()
        || read_bounded(path, |_| false)
            .map_or(true, |head| MARK.starts_with(&head[..head.len().min(MARK.len())]))
}

/// The identity of a file, equal for all of its names.
#[derive(Debug, PartialEq, Eq)]
enum FileIdentity {
    /// Device and inode of an existing file, shared by its hard links.
    #[cfg(unix)]
    Inode(u64, u64),
    /// Absolute path of a file without such numbers, or of a file yet to be created.
    Path(PathBuf),
}

/// Rejects two options that name the same file. Standard output, devices and pipes are not files.
pub fn check_distinct_files(options: &[(&str, Option<&Path>)]) -> Result<(), CliError> {
    let mut seen: Vec<(&str, FileIdentity)> = Vec::new();
    for &(option, path) in options {
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
}
