//! The option `--checkpoint`: how a run opens its checkpoint, whether it starts, is repeated or is resumed by
//! `ktour resume`.
//!
//! ```text
//! FILE          the checkpoint of a count or a series, with the command line of the run
//! FILE.sweep    layers of a suspended sweep
//! FILE.5x17     if boards of a series are counted one by one: checkpoint of the current board, removed later
//! FILE.65521    checkpoint of the count modulo 65521, of a command that counts modulo several numbers
//! ```

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::heading;
use crate::cli::error::CliError;
use crate::cli::mpi::{is_first_rank, mpi_ranks};
use crate::cli::quantities::format_sweep_progress;
use crate::report::{print_notice, print_warning};
use ktour::batch::{
    Checkpoint, CheckpointError, CheckpointFile, JobState, SavedCommand, load_command, parent_folder,
    with_suffix,
};
use ktour::board::Board;

/// Maximum time to wait for the lock of a checkpoint file. A killed run with many gigabytes of
/// memory holds its lock for seconds, until the system has freed this memory.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// The checkpoint of a run.
#[derive(Clone, Debug, Default, Args)]
pub struct CheckpointOptions {
    /// Save progress to FILE; `ktour resume FILE` continues
    ///
    /// Saves finished units of work, and an unfinished sweep with its layers in the folder FILE.sweep. A series
    /// of boards is saved in one file, with all rows. If its boards are counted one by one, the current board
    /// is in FILE.5x17 until it is finished.
    #[arg(long, value_name = "FILE", value_parser = parse_checkpoint, help_heading = heading::LONG_RUNS)]
    checkpoint: Option<PathBuf>,

    /// The checkpoint that this run resumes, if `ktour resume` started it.
    #[arg(skip)]
    resumed: Option<ResumedCheckpoint>,

    /// The suffix of the file, if it is the checkpoint of one job of several.
    #[arg(skip)]
    part: String,
}

/// What a checkpoint says about its run, without the state.
#[derive(Clone, Debug)]
struct ResumedCheckpoint {
    arguments: Vec<String>,
    /// The board of a count.
    board: Option<Board>,
}

/// A checkpoint file that is locked for this process, if the run has one, and the checkpoint of an earlier session, if the
/// file exists already.
pub type OpenedCheckpoint<S> = (Option<CheckpointFile>, Option<Checkpoint<S>>);

/// Parses the path of a checkpoint. Rejects standard output, because a checkpoint must be readable.
fn parse_checkpoint(name: &str) -> Result<PathBuf, String> {
    match name {
        "-" => Err("a checkpoint cannot be standard output; give a file name".to_owned()),
        "" => Err("the file name is empty; give a file name".to_owned()),
        name => Ok(name.into()),
    }
}

impl CheckpointOptions {
    /// Returns the options of a new run with the checkpoint `file`.
    #[cfg(test)]
    pub fn in_file(file: PathBuf) -> Self {
        Self { checkpoint: Some(file), ..Self::default() }
    }

    /// Returns the options of a run that resumes the checkpoint `file`, and the command line of that run. If
    /// the run has several jobs, `file` is the checkpoint of any of them, or the `--checkpoint` of the run.
    ///
    /// # Errors
    /// The file is not a checkpoint, is damaged, or is in use.
    pub fn from_saved(file: &Path) -> Result<(Self, Vec<String>), CliError> {
        let own_path = |file: &Path| mpi_ranks().map_or(file.to_owned(), |ranks| ranks.rank_file(file));
        let is_missing = !CheckpointFile::exists(&own_path(file));
        let part_file = if is_missing { find_residue_file(file) } else { None };
        let file = part_file.as_deref().unwrap_or(file);
        let path = own_path(file);
        if !CheckpointFile::exists(&path) && mpi_ranks().is_some() && !is_first_rank() {
            let why = format!("{} does not exist; resume with the same number of ranks", path.display());
            return Err(CliError::failed(why));
        }
        // A run that has not saved yet is waited for, as any other run that uses the file.
        let is_used = CheckpointFile::exists(&path) || CheckpointFile::is_lock_present(&path);
        let lock = if is_used { Some(lock_checkpoint(&path)?) } else { None };
        let (SavedCommand { arguments, part }, job) = load_command(&path)?;
        drop(lock);
        let without_part = |file: &Path| file.to_str()?.strip_suffix(&part).map(PathBuf::from);
        let whole = if part.is_empty() { Some(file.to_owned()) } else { without_part(file) };
        let whole = whole.ok_or_else(|| {
            CliError::failed(format!(
                "{} is the checkpoint of one of several jobs, and its name must end in {part}; rename it",
                file.display()
            ))
        })?;
        // The job lines of counts begin with their board, those of series with a range of boards.
        let board = job.split_once(" kind=").and_then(|(board, _)| board.parse().ok());
        let resumed = Some(ResumedCheckpoint { arguments: arguments.clone(), board });
        Ok((Self { checkpoint: Some(whole), resumed, part: String::new() }, arguments))
    }

    /// Returns the options for one of several jobs of a command. Its checkpoint file has `name` as a suffix.
    pub fn for_part(&self, name: impl std::fmt::Display) -> Self {
        let part = format!("{}.{name}", self.part);
        let checkpoint = self.checkpoint.as_ref().map(|file| with_suffix(file, &format!(".{name}")));
        Self { checkpoint, resumed: self.resumed.clone(), part }
    }

    /// Returns the checkpoint file of this process, if there is one.
    pub fn file(&self) -> Option<PathBuf> {
        let file = self.checkpoint.as_ref()?;
        Some(mpi_ranks().map_or_else(|| file.clone(), |ranks| ranks.rank_file(file)))
    }

    /// Returns the board of the resumed count. The file from which it was read may have changed since, or may
    /// have been standard input.
    pub fn resumed_board(&self) -> Option<Board> {
        self.resumed.as_ref()?.board.clone()
    }

    /// Returns the command line to store in the checkpoint.
    ///
    /// # Errors
    /// An argument is not valid Unicode.
    pub fn saved_command(&self) -> Result<SavedCommand, CliError> {
        let word = |word: std::ffi::OsString| {
            let unreadable = |word| {
                CliError::usage(format!(
                    "--checkpoint: the argument {} cannot be saved because it is not valid Unicode; rename it",
                    PathBuf::from(word).display()
                ))
            };
            word.into_string().map_err(unreadable)
        };
        let arguments = match (&self.resumed, &self.checkpoint) {
            (Some(resumed), _) => resumed.arguments.clone(),
            (None, Some(_)) => std::env::args_os().skip(1).map(word).collect::<Result<_, _>>()?,
            (None, None) => Vec::new(),
        };
        Ok(SavedCommand { arguments, part: self.part.clone() })
    }

    /// Locks the checkpoint file for this process, and loads the checkpoint of `job`, if the file exists.
    ///
    /// # Errors
    /// The file is in use, unreadable, or belongs to another job. It is not overwritten then.
    pub fn open<S: JobState>(&self, job: &S::Job) -> Result<OpenedCheckpoint<S>, CliError> {
        let Some(path) = self.file() else { return Ok((None, None)) };
        let file = lock_checkpoint(&path)?;
        let loaded = file.load::<S>(job).map_err(|error| match (&error, &self.resumed) {
            (CheckpointError::OtherJob { path, job }, Some(_)) => CliError::failed(format!(
                "{} is from a version of ktour that splits its job differently ({job}); resume it with that \
                 version",
                path.display()
            )),
            (_, Some(_)) => error.into(),
            (_, None) => CliError::failed(format!("--checkpoint: {}", error.with_remedy())),
        })?;
        let checkpoint = loaded.map(|loaded| {
            if let Some(error) = loaded.fallback {
                print_warning(format_args!("{error}; resuming from the previous checkpoint"));
            }
            loaded.checkpoint
        });
        Ok((Some(file), checkpoint))
    }
}

/// Returns the checkpoint of one modulus, such as `FILE.65521`, of a command whose `--checkpoint` is `file`.
fn find_residue_file(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?;
    let entries = parent_folder(file).read_dir().ok()?.flatten();
    let suffixes = entries.filter_map(|entry| {
        let suffix = entry.file_name().to_str()?.strip_prefix(name)?.to_owned();
        suffix.strip_prefix('.')?.parse::<u32>().ok().map(|_| suffix)
    });
    let is_saved_part = |(path, suffix): &(PathBuf, String)| {
        load_command(path).is_ok_and(|(command, _)| command.part == *suffix)
    };
    let mut parts = suffixes.map(|suffix| (with_suffix(file, &suffix), suffix)).filter(is_saved_part);
    parts.next().map(|(path, _)| path)
}

/// Locks a checkpoint file for this process. If another run holds the lock, prints a notice and
/// waits.
pub fn lock_checkpoint(path: &Path) -> Result<CheckpointFile, CheckpointError> {
    CheckpointFile::lock_within(path, LOCK_TIMEOUT, || {
        let (path, seconds) = (path.display(), LOCK_TIMEOUT.as_secs());
        print_notice(format_args!("{path} is in use by another run; waiting up to {seconds} s"));
    })
}

/// Prints the progress from which a run resumes.
pub fn print_resumption<S: JobState>(job: &S::Job, state: &S) {
    print_notice(format_args!("resuming after {}, {:.1} s", state.describe_progress(job), state.seconds()));
    if let Some(snapshot) = state.snapshot() {
        print_notice(format_args!("resuming the sweep after {}", format_sweep_progress(snapshot)));
    }
}

/// Prints a warning that a checkpoint could not be saved in `file`.
pub fn print_save_failure(file: &CheckpointFile, error: &str) {
    let path = file.path();
    let earlier = if CheckpointFile::exists(path) {
        "the previous one is intact"
    } else if CheckpointFile::is_lock_present(path) {
        "no earlier one exists"
    } else {
        // The folder has vanished: it was removed, or its disk is not mounted any more.
        "its folder is missing, and earlier ones with it"
    };
    print_warning(format_args!("cannot save the checkpoint: {error}; {earlier}, the run continues"));
}
