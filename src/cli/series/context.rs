//! The configuration of a series of boards, and its checkpoint: one file for all boards.
//!
//! ```text
//! FILE          completed rows, state of the unfinished sweeps, and the command line
//! FILE.sweep    layers of a suspended sweep
//! FILE.5x17     if boards are counted one by one: checkpoint of the current board, removed when it is done
//! ```

use std::path::{Path, PathBuf};

use ktour::BigUint;
use ktour::batch::{CheckpointFile, SeriesCheckpoint, SeriesCheckpointer, now_utc, with_suffix};
use ktour::board::Rectangle;
use ktour::frontier::{ResidueRing, prime_moduli};
use ktour::series::{BoardLine, BoardRange, SeriesRules};
use ktour::tour::Kind;

use crate::cli::args::output_options::OutputOptions;
use crate::cli::args::run_options::RunOptions;
use crate::cli::error::CliError;
use crate::cli::quantities::format_sweep_progress;
use crate::cli::run::context::lock_checkpoint;
use crate::cli::run::{DEFAULT_CHECKPOINT_INTERVAL, shorten_job};
use crate::report::{BoardRow, SeriesReport, print_notice, print_warning};

/// Number of columns of a usual terminal, to which the table is fitted.
const TERMINAL_COLUMNS: usize = 80;

/// Output files and recurrence options of a series.
#[derive(Clone, Debug, Default)]
pub struct SeriesFiles {
    /// Path of the b-file: an index and a number on each line, in the format of the OEIS.
    pub bfile: Option<PathBuf>,
    /// Step of the b-file: it includes only boards whose varying side is a multiple of this number.
    pub bfile_step: u16,
    /// Path of the picture that shows the growth of the counts.
    pub plot: Option<PathBuf>,
    /// True if the recurrence of the counts is searched for.
    pub recurrence: bool,
    /// Highest order of a recurrence to search for.
    pub max_order: usize,
}

/// The arithmetic of a count: exact, modulo a number, or exact by way of residues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountMode {
    /// Exact counts.
    Exact,
    /// Counts modulo a number.
    Modulo(ResidueRing),
    /// Exact counts, recovered from residues modulo several primes. Holds the number of bits of the
    /// primes.
    FromResidues(u32),
}

impl CountMode {
    /// Returns the modulus of the reported numbers, if they are residues.
    pub const fn modulus(self) -> Option<ResidueRing> {
        if let Self::Modulo(lane) = self { Some(lane) } else { None }
    }

    /// Returns the modulus of the first sweep. `None` if sweeps count exactly.
    pub fn sweep_modulus(self) -> Option<ResidueRing> {
        match self {
            Self::Exact => None,
            Self::Modulo(lane) => Some(lane),
            Self::FromResidues(bits) => prime_moduli(&BigUint::ZERO, bits).first().copied(),
        }
    }
}

/// A series of boards to count, with all its options.
pub struct SeriesRun {
    pub boards: BoardRange,
    pub rules: SeriesRules,
    pub kind: Option<Kind>,
    pub output: OutputOptions,
    pub run_options: RunOptions,
    /// True if one sweep may count several boards: no option requires that each board is counted
    /// alone.
    pub can_sweep: bool,
    /// The arithmetic of the counts: exact, modulo a number, or by residues.
    pub count_mode: CountMode,
    /// True if tours are also counted up to symmetry.
    pub distinct: bool,
    /// True if every board is counted a second time by another method.
    pub is_double_checked: bool,
    /// Path of the checkpoint file.
    pub checkpoint: Option<PathBuf>,
    /// The command line saved in the checkpoint, if this run resumes one.
    pub saved_command: Option<Vec<String>>,
    pub files: SeriesFiles,
    /// The report: facts about all boards, and the finished rows. At first it has no rows.
    pub report: SeriesReport,
}

impl SeriesRun {
    /// Returns the job line of the series: its text form, by which a checkpoint is recognised.
    pub fn job_line(&self) -> String {
        let first = self.boards.boards().next().expect("a range has boards");
        let board = self.rules.to_board(first).to_string();
        let rest: Vec<&str> = board.split(' ').skip(1).collect();
        let mut what = format!("boards={} {}", self.boards, shorten_job(&rest.join(" ")));
        if !self.report.removed.is_empty() {
            what = what.replace("remove=-", &format!("remove={}", self.report.removed.join(",")));
        }
        for (name, value) in [("start", &self.report.ends[0]), ("end", &self.report.ends[1])] {
            if !value.is_empty() {
                what += &format!(" {name}={value}");
            }
        }
        what += &format!(" kind={}", kind_name(self.kind));
        if !self.report.symmetry.is_empty() {
            what += &format!(" symmetry={}", self.report.symmetry);
        }
        match self.count_mode {
            CountMode::Exact => {}
            CountMode::Modulo(lane) => what += &format!(" modulus={}", lane.modulus()),
            CountMode::FromResidues(bits) => what += &format!(" residues={bits}"),
        }
        for (is_set, word) in [(self.distinct, " distinct"), (self.is_double_checked, " double-check")] {
            if is_set {
                what += word;
            }
        }
        what
    }

    /// Returns true if one sweep counts all boards of `line`, which differ only in the length of
    /// one side.
    pub fn uses_one_sweep(&self, line: &BoardLine) -> bool {
        self.can_sweep && line.is_single_sweep(&self.rules)
    }

    /// Returns the column widths of the printed table: the widths of the board names and of the
    /// numbers of the last board, limited to the screen. The number of digits is estimated by a
    /// factor of d/e for each vertex of degree d.
    pub fn column_widths(&self) -> Vec<usize> {
        let last = self.boards.boards().last().expect("a range has boards");
        let name = last.to_string().len().max("board".len());
        let graph = self.rules.to_board(last);
        let log10_ways =
            |v| (graph.graph().neighbours(v).len() as f64 / std::f64::consts::E).max(1.0).log10();
        let max_digits =
            self.count_mode.modulus().map_or(usize::MAX, |ring| ring.modulus().to_string().len());
        let digits = (0..graph.len()).map(log10_ways).sum::<f64>().ceil() as usize;
        let digits = digits.min(max_digits);
        let kinds = self.report.kinds.len().max(1);
        let columns_per_kind = (TERMINAL_COLUMNS - name) / kinds;
        let names = self.report.header(self.output.directed);
        let numbers =
            names.iter().skip(1).map(|name| digits.min(columns_per_kind.saturating_sub(2)).max(name.len()));
        std::iter::once(name).chain(numbers).collect()
    }

    /// Returns true if the table has a header, because its numbers alone would be ambiguous.
    pub fn has_header(&self) -> bool {
        self.kind.is_none()
            || self.distinct
            || self.count_mode.modulus().is_some()
            || !self.report.symmetry.is_empty()
    }
}

/// Returns a usage error if an option is given that a series does not support. Each option is a
/// flag (true if given) and its name.
pub fn refuse_for_series(options: &[(bool, &str)]) -> Result<(), CliError> {
    match options.iter().find(|(given, _)| *given) {
        Some((_, what)) => Err(CliError::usage(format!(
            "a series of boards does not support {what}; leave it out, or count the boards separately"
        ))),
        None => Ok(()),
    }
}

/// Returns the name of a kind, or `all` for `None`.
pub const fn kind_name(kind: Option<Kind>) -> &'static str {
    match kind {
        Some(kind) => kind.name(),
        None => "all",
    }
}

/// The open checkpoint of a series, and the rows of earlier sessions.
pub struct SeriesSession {
    pub checkpointer: SeriesCheckpointer,
    /// The rows that earlier sessions have finished.
    pub earlier_rows: Vec<BoardRow>,
}

/// Returns the path of the checkpoint of one board, which exists while this board is counted.
/// `file` is the checkpoint of the series.
pub fn board_checkpoint_path(file: &Path, board: &Rectangle) -> PathBuf {
    with_suffix(file, &format!(".{board}"))
}

/// Returns the arguments of the command line, so that a later run can parse them again.
///
/// # Errors
/// An argument is not valid Unicode.
fn command_line() -> Result<Vec<String>, CliError> {
    let word = |word: std::ffi::OsString| {
        let unreadable = |word| {
            CliError::usage(format!(
                "--checkpoint: the argument {} cannot be saved because it is not valid Unicode; rename it",
                PathBuf::from(word).display()
            ))
        };
        word.into_string().map_err(unreadable)
    };
    std::env::args_os().skip(1).map(word).collect()
}

impl SeriesSession {
    /// Locks the checkpoint for this process and loads it, if it exists.
    ///
    /// # Errors
    /// The file is in use, damaged, or belongs to another job.
    pub fn open(path: &Path, run: &SeriesRun) -> Result<Self, CliError> {
        let file = lock_checkpoint(path)?;
        let path = file.path();
        let other = |what: String| {
            CliError::failed(format!("--checkpoint: {} {what}; name another file", path.display()))
        };
        let job = run.job_line();
        let boards = run.boards.boards().count();
        let mut state = if !CheckpointFile::exists(path) {
            SeriesCheckpoint { job, boards, started: now_utc(), ..SeriesCheckpoint::default() }
        } else if SeriesCheckpoint::exists_at(path) {
            let loaded = SeriesCheckpoint::load(path)?;
            if loaded.checkpoint.job != job {
                return Err(other(format!("belongs to another job ({})", loaded.checkpoint.job)));
            }
            if let Some(error) = loaded.fallback {
                file.rename_damaged()?;
                print_warning(format_args!("{error}; resuming from the previous checkpoint"));
            }
            loaded.checkpoint
        } else {
            return Err(other("is not the checkpoint of a series".to_owned()));
        };
        state.command = run.saved_command.clone().map_or_else(command_line, Ok)?;
        let rows = state.rows.iter().map(|row| serde_json::from_value(row.clone()));
        let before: Vec<BoardRow> = rows
            .collect::<Result<_, _>>()
            .map_err(|error| other(format!("has rows of another version of ktour: {error}")))?;
        let every = run.run_options.checkpoint_every;
        let pace = (every.unwrap_or(DEFAULT_CHECKPOINT_INTERVAL), every.is_none());
        let checkpointer = SeriesCheckpointer::new(file, state, pace, |error| {
            print_warning(format_args!(
                "cannot save the checkpoint: {error}; the run continues, the previous \
                checkpoint stays valid"
            ));
        });
        Ok(Self { checkpointer, earlier_rows: before })
    }

    /// Prints, for a resumed run, the job line by `print_job`, and the progress from which the run
    /// resumes. Prints nothing for a new run.
    pub fn print_resumption(&self, print_job: impl FnOnce()) {
        let state = self.checkpointer.resumed_state();
        if state.seconds == 0.0 {
            return;
        }
        print_job();
        let (done, boards, seconds) = (self.earlier_rows.len(), state.boards, state.seconds);
        print_notice(format_args!("resuming after {done} of {boards} boards, {seconds:.1} s"));
        if let Some(snapshot) = state.swept.as_ref().and_then(|swept| swept.suspended.as_ref()) {
            print_notice(format_args!(
                "resuming the current sweep after {}",
                format_sweep_progress(snapshot)
            ));
        }
    }

    /// Adds the finished row of a board to the checkpoint. It is saved with the next
    /// [`SeriesSession::save`].
    pub fn add_row(&self, row: &BoardRow) {
        self.checkpointer.add_row(serde_json::to_value(row).expect("a row can be written"));
    }

    /// Saves the present state of the series in its checkpoint.
    pub fn save(&self) -> Result<(), CliError> {
        self.checkpointer.save().map_err(|error| self.save_error(&error))
    }

    /// Saves the checkpoint of the series, and removes the checkpoint of `board`, which was counted
    /// alone and has its row now.
    pub fn finish_board(&self, board: &Rectangle) -> Result<(), CliError> {
        self.save()?;
        let board_file = board_checkpoint_path(self.checkpointer.file().path(), board);
        if CheckpointFile::exists(&board_file) {
            lock_checkpoint(&board_file)?.remove();
        }
        Ok(())
    }

    /// Returns the advice to the user how to resume the series.
    pub fn resume_hint(&self) -> String {
        format!("resume with: ktour resume {}", self.checkpointer.file().path().display())
    }

    /// Saves the state at the end of the run, and closes the checkpoint.
    pub fn finish(self) -> Result<(), CliError> {
        let path = self.checkpointer.file().path().to_owned();
        let unsaved = |error| CliError::failed(format!("cannot save {}: {error}", path.display()));
        self.checkpointer.finish().map_err(unsaved)
    }

    fn save_error(&self, error: &str) -> CliError {
        CliError::failed(format!("cannot save {}: {error}", self.checkpointer.file().path().display()))
    }
}
