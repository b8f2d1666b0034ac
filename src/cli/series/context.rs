//! The configuration of a series of boards, and its checkpoint: one file for all boards.

use std::path::PathBuf;

use ktour::batch::{CheckpointFile, Checkpointer, SaveOptions, SeriesJob, SeriesState, SpillDir};
use ktour::board::Rectangle;
use ktour::board::Wrap;
use ktour::series::SeriesRules;
use ktour::tour::Kind;

use crate::cli::args::checkpoint_options::{CheckpointOptions, lock_checkpoint};
use crate::cli::args::count_options::CountArgs;
use crate::cli::error::CliError;
use crate::cli::modular_counts::CountMode;
use crate::cli::run::context::resume_hint;
use crate::cli::run::shorten_job;
use crate::report::{BoardRow, SeriesReport};

/// Number of columns of a usual terminal, to which the table is fitted.
const TERMINAL_COLUMNS: usize = 80;

/// Output files and recurrence options of a series.
#[derive(Clone, Debug, Default)]
pub struct SeriesFiles {
    /// Path of the b-file: an index and a number on each line, in the format of the OEIS.
    pub bfile: Option<PathBuf>,
    /// Step of the b-file: it includes only boards whose varying side is a multiple of this number.
    pub bfile_step: u16,
    /// True if the CSV file has one row for each board, with a column for each kind.
    pub has_wide_rows: bool,
    /// Path of the picture that shows the growth of the counts.
    pub plot: Option<PathBuf>,
    /// True if the recurrence of the counts is searched for.
    pub recurrence: bool,
    /// Highest order of a recurrence to search for.
    pub max_order: usize,
}

/// A series of boards to count, with all its options.
pub struct SeriesRun {
    /// The options of the counts.
    pub args: CountArgs,
    /// The boards, and the tours that sweeps count.
    pub job: SeriesJob,
    /// The arithmetic of the counts: exact, modulo a number, or by residues.
    pub count_mode: CountMode,
    pub files: SeriesFiles,
    /// The report: facts about all boards, and the finished rows. At first it has no rows.
    pub report: SeriesReport,
}

impl SeriesRun {
    /// Returns the job line of the series: its text form, by which a checkpoint is recognised.
    pub fn job_line(&self) -> String {
        let SeriesRules { wrap, piece } = &self.job.rules;
        let wrap = if *wrap == Wrap::None { String::new() } else { format!(" wrap={wrap}") };
        let removed = &self.report.removed;
        let removed = if removed.is_empty() { "-".to_owned() } else { removed.join(",") };
        let piece = shorten_job(&format!("piece={piece}"));
        let mut what = format!("boards={}{wrap} {piece} remove={removed}", self.job.boards);
        for (name, value) in [("start", &self.report.ends[0]), ("end", &self.report.ends[1])] {
            if !value.is_empty() {
                what += &format!(" {name}={value}");
            }
        }
        what += &format!(" kind={}", kind_name(self.job.kind));
        if !self.report.symmetry.is_empty() {
            what += &format!(" symmetry={}", self.report.symmetry);
        }
        match self.count_mode {
            CountMode::Exact => {}
            CountMode::Modulo(lane) => what += &format!(" modulus={}", lane.modulus()),
            CountMode::FromResidues(bits) => what += &format!(" residues={bits}"),
        }
        for (is_set, word) in [(self.args.distinct, " distinct"), (self.args.double_check, " double-check")] {
            if is_set {
                what += word;
            }
        }
        what
    }

    /// Returns the column widths of the printed table: the widths of the board names and of the
    /// numbers of the last board, limited to the screen. The number of digits is estimated by a
    /// factor of d/e for each vertex of degree d.
    pub fn column_widths(&self) -> Vec<usize> {
        let last = self.job.boards.boards().last().expect("a range has boards");
        let name = last.to_string().len().max("board".len());
        let graph = self.job.rules.to_board(last);
        let log10_ways =
            |v| (graph.graph().neighbours(v).len() as f64 / std::f64::consts::E).max(1.0).log10();
        let max_digits =
            self.count_mode.modulus().map_or(usize::MAX, |ring| ring.modulus().to_string().len());
        let digits = (0..graph.len()).map(log10_ways).sum::<f64>().ceil() as usize;
        let digits = digits.min(max_digits);
        let kinds = self.report.kinds.len().max(1);
        let columns_per_kind = (TERMINAL_COLUMNS - name) / kinds;
        let names = self.report.header(self.args.output.directed);
        let numbers =
            names.iter().skip(1).map(|name| digits.min(columns_per_kind.saturating_sub(2)).max(name.len()));
        std::iter::once(name).chain(numbers).collect()
    }

    /// Returns true if the table has a header, because its numbers alone would be ambiguous.
    pub fn has_header(&self) -> bool {
        self.job.kind.is_none() || self.count_mode.modulus().is_some() || !self.report.symmetry.is_empty()
    }
}

/// Returns the name of a kind, or `all` for `None`.
pub const fn kind_name(kind: Option<Kind>) -> &'static str {
    match kind {
        Some(kind) => kind.name(),
        None => "all",
    }
}

/// The checkpoint file of a series, its spill folder, and the state of earlier sessions.
pub struct SeriesCheckpoint {
    pub file: CheckpointFile,
    pub spill_dir: SpillDir,
    pub state: SeriesState,
}

impl SeriesRun {
    /// Locks the checkpoint for this process and loads it, if it exists. Returns `None` for a series without
    /// a checkpoint.
    ///
    /// # Errors
    /// The file is in use, damaged, or belongs to another job.
    pub fn open_checkpoint(&self) -> Result<Option<SeriesCheckpoint>, CliError> {
        let (file, checkpoint) = self.args.checkpoint.open::<SeriesState>(&self.job_line())?;
        Ok(file.map(|file| {
            let new_state = || SeriesState::new(self.job.boards.boards().count());
            let state = checkpoint.map_or_else(new_state, |checkpoint| checkpoint.state);
            SeriesCheckpoint { spill_dir: file.spill_dir::<SeriesState>(), file, state }
        }))
    }
}

/// A session of a series with a checkpoint, and the rows of earlier sessions.
pub struct SeriesSession<'a> {
    pub checkpointer: Checkpointer<'a, SeriesState>,
    file: &'a CheckpointFile,
    /// The checkpoints of boards that are counted alone.
    options: &'a CheckpointOptions,
    /// The rows that earlier sessions have finished.
    pub earlier_rows: Vec<BoardRow>,
}

impl<'a> SeriesSession<'a> {
    /// Starts or resumes a series, and saves its checkpoint. `on_failure` is called with the reason if a later
    /// checkpoint cannot be saved.
    ///
    /// # Errors
    /// The rows of the checkpoint have another format, or nothing can be saved.
    pub fn new(
        run: &'a SeriesRun,
        checkpoint: &'a SeriesCheckpoint,
        on_failure: &'a (dyn Fn(&str) + Sync),
    ) -> Result<Self, CliError> {
        let SeriesCheckpoint { file, spill_dir, state } = checkpoint;
        let rows = state.rows.iter().map(|row| serde_json::from_value(row.clone()));
        let earlier_rows = rows.collect::<Result<_, _>>().map_err(|error| {
            CliError::failed(format!(
                "{} has rows of another version of ktour: {error}; name another file",
                file.path().display()
            ))
        })?;
        let command = run.args.checkpoint.saved_command()?;
        let saving = run.args.run_options.save_options(command, on_failure);
        let saving = SaveOptions { file: Some(file), spill_dir: Some(spill_dir), ..saving };
        let checkpointer = Checkpointer::new(run.job_line(), state.clone(), saving);
        let session = Self { checkpointer, file, options: &run.args.checkpoint, earlier_rows };
        // A run that cannot be saved must not begin.
        session.save()?;
        Ok(session)
    }

    /// Returns true if the checkpoint has numbers or layers of sweeps of the current line.
    pub fn has_sweeps(&self) -> bool {
        self.checkpointer.current_state().swept.is_some()
    }

    /// Returns the number of bytes that layers of sweeps may still take on the disk, if it is known.
    pub fn free_disk_bytes(&self) -> Option<u64> {
        self.checkpointer.spill_dir()?.free_bytes().ok()
    }

    /// Adds the finished row of a board to the checkpoint. It is saved with the next
    /// [`SeriesSession::save`].
    pub fn add_row(&self, row: &BoardRow) {
        self.checkpointer.add_row(serde_json::to_value(row).expect("a row can be written"));
    }

    /// Saves the present state of the series in its checkpoint.
    pub fn save(&self) -> Result<(), CliError> {
        self.checkpointer
            .save()
            .map_err(|error| CliError::failed(format!("cannot save {}: {error}", self.file.path().display())))
    }

    /// Saves the checkpoint of the series, and removes the checkpoint of `board`, which was counted
    /// alone and has its row now.
    pub fn finish_board(&self, board: &Rectangle) -> Result<(), CliError> {
        self.save()?;
        if let Some(file) = self.options.for_part(board).file().filter(|file| CheckpointFile::exists(file)) {
            lock_checkpoint(&file)?.remove();
        }
        Ok(())
    }

    /// Returns the advice to the user how to resume the series.
    pub fn resume_hint(&self) -> String {
        resume_hint(self.file.path())
    }

    /// Saves the state at the end of the run. Removes the layers of sweeps if no sweep is unfinished.
    pub fn finish(self) -> Result<(), CliError> {
        self.save()?;
        if !self.has_sweeps() {
            self.checkpointer.spill_dir().into_iter().for_each(SpillDir::remove_all);
        }
        Ok(())
    }

    /// Removes the checkpoint, because no count has begun.
    pub fn discard(self) {
        self.file.remove();
    }
}
