//! A prepared run: the count with its checkpoint and spill folder, the options and the open output files.
//!
//! A [`RunRequest`] is a counting job as the command line or a checkpoint gives it. Preparing the
//! run opens the output files, loads the checkpoint, locks its file so that only one process writes
//! it, and makes the spill folder.

use std::path::Path;

use ktour::batch::{CheckpointFile, CountJob, JobState, RunState, SavedCommand, Shard};
use ktour::control::Control;
use ktour::count::admission::Alternatives;
use ktour::count::symmetric::DistinctPlan;
use ktour::count::{CountError, Engine, Request, ValidatedRequest, WorkPlan};
use ktour::frontier::{self, Snapshot};
use ktour::search::unit_runner::Stopped;

use crate::cli::args::checkpoint_options::{CheckpointOptions, OpenedCheckpoint, print_resumption};
use crate::cli::args::output_options::{OutputFiles, OutputOptions};
use crate::cli::args::run_options::RunOptions;
use crate::cli::error::CliError;
use crate::cli::mpi::{align_checkpoints, disconnect, is_first_rank, mpi_ranks, require_all};
use crate::cli::process::Signals;
use crate::report::print_job_line;

/// A counting job that is ready to run.
pub struct RunContext {
    /// The count, with its checkpoint and its spill folder.
    pub count: CountJob,
    pub output: OutputOptions,
    pub run_options: RunOptions,
    /// Output files. `None` on MPI ranks that do not report the result.
    pub output_files: Option<OutputFiles>,
    /// The command line that the checkpoint stores.
    pub command: SavedCommand,
    /// True if the job line has been printed.
    pub is_job_printed: bool,
    /// True if the job is one board of a series. The results of earlier boards are saved by the
    /// caller.
    pub is_in_series: bool,
    /// True if the caller prints the command that resumes the run.
    pub is_resumed_by_caller: bool,
    /// Other ways to count that a refusal may recommend.
    pub alternatives: Alternatives,
    /// Estimated seconds on one core, by which a second count was admitted; 0 before the admission check.
    pub estimated_core_seconds: f64,
}

impl RunContext {
    /// Returns the title of the run for the progress display.
    pub fn title(&self) -> String {
        self.count.request.title()
    }

    /// Returns true if a checkpoint of this run exists, from this session or an earlier one.
    pub fn is_saved(&self) -> bool {
        self.count.file.as_ref().is_some_and(|file| CheckpointFile::exists(file.path()))
    }

    /// Converts the error of a failed run. If a checkpoint exists, adds the command that resumes
    /// the run, unless the caller prints it. Advises a spill folder to a sweep that has none.
    pub fn run_error(&self, error: CountError) -> CliError {
        let can_spill = matches!(error, CountError::Frontier(frontier::Error::Memory { .. }));
        let failure = match can_spill && self.count.spill_dir.is_none() {
            true => CliError::from(error).with_suffix(", or add --spill DIR"),
            false => error.into(),
        };
        self.with_resume_hint(failure)
    }

    /// Returns the error of a run like [`RunContext::run_error`].
    pub fn with_resume_hint(&self, failure: CliError) -> CliError {
        match &self.count.file {
            Some(file) if self.is_saved() && !self.is_resumed_by_caller => {
                failure.with_suffix(format!("; the checkpoint is intact, {}", self.resume_hint(file)))
            }
            _ => failure,
        }
    }

    /// Returns the advice to the user how to resume the whole command from `file`. The checkpoint of one job of several,
    /// such as `FILE.65521`, is found by the name `FILE` if no other checkpoint has this name.
    fn resume_hint(&self, file: &CheckpointFile) -> String {
        let whole =
            file.path().to_str().and_then(|path| path.strip_suffix(&self.command.part)).map(Path::new);
        resume_hint(whole.filter(|whole| !CheckpointFile::exists(whole)).unwrap_or(file.path()))
    }

    /// Returns the error of a stopped run. `when` describes its progress. If a single job has no
    /// checkpoint, removes incomplete output files, and ends the process by the signal that stopped
    /// it.
    pub fn stopped_error(&mut self, signals: &Signals, when: &str) -> CliError {
        match &self.count.file {
            Some(file) => CliError::stopped(format!("stopped {when}; {}", self.resume_hint(file))),
            None if self.is_in_series => CountError::Stopped(Stopped).into(),
            None => {
                drop(self.output_files.take());
                disconnect();
                signals.stop(format_args!(
                    "stopped {when}; nothing is saved; add --checkpoint FILE to save progress"
                ))
            }
        }
    }
}

/// Returns a path as a word of a shell command: in quotes if it has signs that a shell may read.
fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "_-./+=:,@%".contains(c);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// Returns the advice to the user how to resume a run from the checkpoint at `path`.
pub fn resume_hint(path: &Path) -> String {
    let path = shell_word(path);
    match mpi_ranks().map(|ranks| ranks.peers().size()) {
        None => format!("resume with: ktour resume {path}"),
        Some(size) => format!("resume with: mpirun -n {size} ktour resume {path} --mpi"),
    }
}

/// A request to run a counting job.
#[derive(Debug)]
pub struct RunRequest {
    /// The tours to count.
    pub request: Request,
    /// The shard of the job to run.
    pub shard: Shard,
    /// Output options.
    pub output: OutputOptions,
    /// Options that do not change the result.
    pub run_options: RunOptions,
    /// The checkpoint of the run.
    pub checkpoint: CheckpointOptions,
    /// Other ways to count that the options do not exclude.
    pub alternatives: Alternatives,
}

impl RunRequest {
    /// Returns an error for options that exclude each other, or that do not apply to the engine that the request
    /// chooses. Cost: the choice of the engine, some milliseconds.
    pub fn check_engine_options(&self) -> Result<(), CliError> {
        match ValidatedRequest::new(&self.request, &Control::new()) {
            Ok(validated) => self.check_options(validated.request().engine == Engine::Frontier),
            // The run reports this error.
            Err(_) => Ok(()),
        }
    }

    fn check_options(&self, is_sweep: bool) -> Result<(), CliError> {
        self.run_options.check_options(is_sweep, self.checkpoint.file().is_some())?;
        if self.request.split_depth.is_some() && is_sweep {
            return Err(CliError::usage(
                "--split-depth is for searches, and this count is a sweep; add --engine multipath, or omit --split-depth",
            ));
        }
        Ok(())
    }
}

/// Maximum length, in characters, of a word of a job line that is printed in full.
const MAX_JOB_WORD_CHARS: usize = 120;

/// Prepares a run: plans it, opens all files, and loads the checkpoint. All MPI ranks must call
/// this function together; if it fails on one rank, it fails on all.
pub fn prepare_run(start: RunRequest) -> Result<RunContext, CliError> {
    let choose = || WorkPlan::new(&start.request);
    let work_plan =
        start.run_options.with_waiting_display("choosing the engine", start.request.title(), choose)?;
    let work_plan =
        work_plan?.with_memory(start.run_options.memory_limit()).with_force(start.run_options.force);
    let work_plan = if mpi_ranks().is_some() { work_plan.one_sided() } else { work_plan };
    let mut count = CountJob::new(start.request.clone(), work_plan, start.shard);
    let command = require_all(start.checkpoint.saved_command())?;
    let (output_files, (checkpoint_file, checkpoint)) = require_all(open_files(&start, &count))?;
    let resumed = align_checkpoints(checkpoint_file.as_ref(), checkpoint)?;
    count.file = checkpoint_file;
    require_all(start.run_options.open_spill_folder(&mut count))?;
    // The job line of a new run is printed after its admission check.
    let is_job_printed = resumed.is_some();
    // The options of a resumed run cannot change.
    let alternatives = if resumed.is_some() { Alternatives::default() } else { start.alternatives };
    if let Some(checkpoint) = resumed {
        print_job_line(format_args!("job {}", shorten_job(&count.identity.to_string())));
        print_resumption(&count.identity, &checkpoint.state);
        count.state = checkpoint.state;
    }
    let RunRequest { request, output: output_options, run_options, .. } = start;
    let plan_distinct = |what| DistinctPlan::new(what, &request, run_options.memory, run_options.force);
    count.distinct_plan = output_options.symmetry.map(plan_distinct).transpose()?;
    Ok(RunContext {
        count,
        output: output_options,
        run_options,
        output_files,
        command,
        is_job_printed,
        is_in_series: false,
        is_resumed_by_caller: false,
        alternatives,
        estimated_core_seconds: 0.0,
    })
}

/// Returns a job line for printing, in which every long word, such as a large graph, is shortened
/// to its first characters. Records and checkpoints hold the full line.
pub fn shorten_job(job: &str) -> String {
    let word = |word: &str| match word.char_indices().nth(MAX_JOB_WORD_CHARS) {
        Some((end, _)) => format!("{}..({} characters)", &word[..end], word.chars().count()),
        None => word.to_owned(),
    };
    job.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Opens the files that every MPI rank opens by itself: outputs and checkpoint.
fn open_files(
    start: &RunRequest,
    count: &CountJob,
) -> Result<(Option<OutputFiles>, OpenedCheckpoint<RunState>), CliError> {
    let checkpoint_path = start.checkpoint.file();
    start.check_options(count.work.is_sequential())?;
    if start.run_options.mpi {
        start.output.check_mpi()?;
    }
    let output_files =
        if is_first_rank() { Some(start.output.open(checkpoint_path.as_deref())?) } else { None };
    let opened = start.checkpoint.open::<RunState>(&count.identity)?;
    if let Some(snapshot) = opened.1.as_ref().and_then(|checkpoint| checkpoint.state.snapshot()) {
        check_rank_count(snapshot)?;
    }
    Ok((output_files, opened))
}

/// Returns an error if a sweep that was distributed over MPI ranks is resumed with another number
/// of ranks.
fn check_rank_count(snapshot: &Snapshot) -> Result<(), CliError> {
    let (_, size) = snapshot.rank;
    if size == mpi_ranks().map_or(1, |ranks| ranks.peers().size()) {
        return Ok(());
    }
    let how = match size {
        1 => "one process; resume it with ktour resume FILE, without --mpi".to_owned(),
        size => format!("{size} ranks; resume it with mpirun -n {size} ktour resume FILE --mpi"),
    };
    Err(CliError::failed(format!("the saved sweep is distributed over {how}")))
}

#[cfg(test)]
mod tests {
    use super::super::test_support::closed_request;
    use super::*;
    use super::{CheckpointOptions, prepare_run};
    use ktour::control::Control;
    use ktour::frontier::{StepTally, SweepTotals};

    #[test]
    fn stopped_run_names_the_resume_command() {
        let dir = tempfile::tempdir().unwrap();
        let mut start = closed_request("5x6");
        start.checkpoint = CheckpointOptions::in_file(dir.path().join("run"));
        let mut saved = prepare_run(start).unwrap();
        let signals = Signals::catch(Control::new().cancel_flag()).unwrap();
        assert_eq!(saved.title(), "5x6 closed");
        let failure = saved.stopped_error(&signals, "after 3 of 9 units");
        assert_eq!(failure.status(), 75);
        let path = dir.path().join("run");
        let line = failure.to_string();
        assert!(line.contains("after 3 of 9 units"), "{line}");
        assert!(line.ends_with(&format!("ktour resume {}", path.display())), "{line}");
        // A failed run names the command if a checkpoint exists, unless a series has a checkpoint of its own.
        std::fs::write(&path, "").unwrap();
        let failure = |run: &RunContext| run.run_error(CountError::NoUpperBound).to_string();
        assert!(failure(&saved).ends_with(&format!("ktour resume {}", path.display())));
        saved.is_resumed_by_caller = true;
        assert!(!failure(&saved).contains("ktour resume"));
        let failure = prepare_run(closed_request("5x6")).unwrap().stopped_error(&signals, "early");
        assert_eq!(failure.status(), 1);
    }

    #[test]
    fn part_of_a_command_names_the_whole_command() {
        let dir = tempfile::tempdir().unwrap();
        let mut start = closed_request("5x6");
        start.checkpoint = CheckpointOptions::in_file(dir.path().join("run")).for_part(65521);
        let run = prepare_run(start).unwrap();
        let file = run.count.file.as_ref().unwrap();
        assert!(file.path().ends_with("run.65521") && run.resume_hint(file).ends_with("/run"));
        // The name belongs to another run.
        std::fs::write(dir.path().join("run"), "").unwrap();
        assert!(run.resume_hint(file).ends_with("/run.65521"));
    }

    #[test]
    fn spill_folder_is_advised_only_if_there_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let is_advised = |run: &RunContext| {
            let error = frontier::Error::Memory { step: 1, steps: 2, limit: 3 };
            run.run_error(CountError::Frontier(error)).to_string().contains("--spill")
        };
        let sweep = || RunRequest {
            request: Request { engine: Engine::Frontier, ..closed_request("6x6").request },
            ..closed_request("6x6")
        };
        assert!(is_advised(&prepare_run(sweep()).unwrap()));
        let mut spilling = sweep();
        spilling.run_options.spill = Some(dir.path().to_owned());
        assert!(!is_advised(&prepare_run(spilling).unwrap()));
    }

    #[test]
    fn check_rank_count_rejects_another_number_of_ranks() {
        let of = |size: usize| -> Snapshot {
            serde_json::from_value(serde_json::json!({
                "order": [0, 1], "fold": false, "plan": 1, "cut": null, "rank": [0, size], "spread": 0,
                "phase": "whole", "step": 1, "layer": [], "done": [], "next": [], "tally": StepTally::default(), "totals": SweepTotals::default(),
            }))
            .unwrap()
        };
        assert!(check_rank_count(&of(1)).is_ok());
        let failure = check_rank_count(&of(3)).unwrap_err().to_string();
        assert!(failure.contains("mpirun -n 3 ktour resume FILE --mpi"), "{failure}");
    }
}
