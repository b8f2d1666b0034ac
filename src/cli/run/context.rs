//! A prepared run: its work plan, options, open files, spill folder, saved state and checkpoint
//! lock.
//!
//! A [`RunRequest`] is a counting job as the command line or a checkpoint gives it. Preparing the
//! run opens the output files, loads the checkpoint, locks its file so that only one process writes
//! it, and makes the spill folder.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ktour::batch::{Checkpoint, CheckpointError, CheckpointFile, Job, RunState, Shard, SpillDir};
use ktour::control::Control;
use ktour::count::symmetric::SymmetricContext;
use ktour::count::{CountError, Request, WorkPlan};
use ktour::frontier::Snapshot;
use ktour::search::unit_runner::Stopped;

use crate::cli::args::output_options::{OutputFiles, OutputOptions};
use crate::cli::args::run_options::RunOptions;
use crate::cli::distinct_counts::symmetry_setting;
use crate::cli::error::CliError;
use crate::cli::mpi::{align_checkpoints, disconnect, is_first_rank, mpi_ranks, require_all};
use crate::cli::process::Signals;
use crate::cli::quantities::format_sweep_progress;
use crate::report::{print_notice, print_warning};

/// A counting job that is ready to run.
pub struct RunContext {
    pub request: Request,
    pub work: WorkPlan,
    pub job: Job,
    pub output: OutputOptions,
    pub run_options: RunOptions,
    /// Settings for counting symmetric tours.
    pub symmetric_setting: SymmetricContext,
    /// Output files. `None` on MPI ranks that do not report the result.
    pub output_files: Option<OutputFiles>,
    /// The checkpoint file, locked for this process.
    pub checkpoint_file: Option<CheckpointFile>,
    /// Folder for layers of sweeps that do not fit into memory.
    pub spill_folder: Option<SpillDir>,
    /// The finished units of work and their sums.
    pub state: RunState,
    /// True if the job line has been printed.
    pub is_job_printed: bool,
    /// True if the job is one board of a series. The results of earlier boards are saved by the
    /// caller.
    pub is_in_series: bool,
}

/// Returns the title of a request for the progress display, such as `6x6 closed`.
pub fn request_title(request: &Request) -> String {
    let what = request.kind.map_or("tours", |kind| kind.name());
    format!("{} {what}", request.board.title())
}

impl RunContext {
    /// Returns the title of the run for the progress display.
    pub fn title(&self) -> String {
        request_title(&self.request)
    }

    /// Catches signals for the run, so that it can save its checkpoint, remove incomplete output files, and
    /// print that nothing is saved if it has no checkpoint.
    pub fn catch_signals(&self, control: &Control) -> Result<Option<Signals>, CliError> {
        Signals::catch(control.cancel_flag()).map(Some)
    }

    /// Returns true if a checkpoint of this run exists, from this session or an earlier one.
    pub fn is_saved(&self) -> bool {
        self.checkpoint_file.as_ref().is_some_and(|file| CheckpointFile::exists(file.path()))
    }

    /// Converts the error of a failed run. If a checkpoint exists, adds the command that resumes
    /// the run.
    pub fn run_error(&self, error: CountError) -> CliError {
        let failure = CliError::from(error);
        match &self.checkpoint_file {
            Some(file) if self.is_saved() => {
                let message =
                    format!("{failure}; the checkpoint is intact, {}", self.resume_hint(file.path()));
                CliError::with_status(message, failure.status())
            }
            _ => failure,
        }
    }

    /// Returns the hint how to resume the run. A job of a series is resumed by the command of the
    /// series.
    fn resume_hint(&self, path: &Path) -> String {
        if self.is_in_series {
            "repeat the command to resume".to_owned()
        } else {
            format!("resume with: {}", resume_command(path))
        }
    }

    /// Returns the error of a stopped run. `when` describes its progress. If a single job has no
    /// checkpoint, removes incomplete output files, and ends the process by the signal that stopped
    /// it.
    pub fn stopped_error(&mut self, signals: Option<&Signals>, when: &str) -> CliError {
        match (&self.checkpoint_file, signals) {
            (Some(file), _) => {
                CliError::stopped(format!("stopped {when}; {}", self.resume_hint(file.path())))
            }
            (None, Some(_)) if self.is_in_series => CountError::Stopped(Stopped).into(),
            (None, Some(signals)) => {
                drop(self.output_files.take());
                disconnect();
                print_notice(format_args!(
                    "stopped {when}; nothing is saved; add --checkpoint FILE to save progress"
                ));
                signals.die()
            }
            (None, None) => CountError::Stopped(Stopped).into(),
        }
    }
}

/// Returns the command line that resumes a run from the checkpoint at `path`.
fn resume_command(path: &Path) -> String {
    let path = path.display();
    match mpi_ranks().map(|ranks| ranks.peers().size()) {
        None => format!("ktour resume {path}"),
        Some(size) => format!("mpirun -n {size} ktour resume {path} --mpi"),
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
    /// Checkpoint file of a new run.
    pub checkpoint: Option<PathBuf>,
    /// The loaded checkpoint of a resumed run, and its file, which was locked before it was read.
    pub resumed_checkpoint: Option<(Checkpoint, CheckpointFile)>,
}

/// Maximum length, in characters, of a word of a job line that is printed in full.
const MAX_JOB_WORD_CHARS: usize = 120;

/// The files that every MPI rank opens by itself.
struct OpenedFiles {
    output_files: Option<OutputFiles>,
    checkpoint_file: Option<CheckpointFile>,
    checkpoint: Option<Checkpoint>,
}

/// Prepares a run: plans it, opens all files, and loads the checkpoint. All MPI ranks must call
/// this function together; if it fails on one rank, it fails on all.
pub fn prepare_run(mut start: RunRequest) -> Result<RunContext, CliError> {
    let choose = || WorkPlan::new(&start.request);
    let work_plan =
        start.run_options.with_waiting_display("choosing the engine", request_title(&start.request), choose);
    let work_plan =
        work_plan?.with_memory(start.run_options.memory_limit()).with_force(start.run_options.force);
    let work_plan = if mpi_ranks().is_some() { work_plan.one_sided() } else { work_plan };
    let job = Job::new(&work_plan, start.shard);
    let OpenedFiles { output_files: files, checkpoint_file: file, checkpoint: resumed } =
        require_all(open_files(&mut start, &work_plan, &job))?;
    let resumed = align_checkpoints(file.as_ref(), resumed)?;
    let folder = require_all(start.run_options.open_spill_folder(&work_plan, file.as_ref()))?;
    // The job line of a new run is printed after its admission check.
    let is_told = resumed.is_some();
    let state = match resumed {
        Some(checkpoint) => {
            print_notice(format_args!("job {}", shorten_job(&job.to_string())));
            resume_state(checkpoint, &job)?
        }
        None => RunState::new(&work_plan),
    };
    let RunRequest { request, output: output_options, run_options, .. } = start;
    let setting = symmetry_setting(&request, run_options.memory, run_options.force);
    let is_one_of_many = false;
    Ok(RunContext {
        request,
        work: work_plan,
        job,
        output: output_options,
        run_options,
        symmetric_setting: setting,
        output_files: files,
        checkpoint_file: file,
        spill_folder: folder,
        state,
        is_job_printed: is_told,
        is_in_series: is_one_of_many,
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

fn open_files(start: &mut RunRequest, work_plan: &WorkPlan, job: &Job) -> Result<OpenedFiles, CliError> {
    start
        .run_options
        .check_options(work_plan, start.checkpoint.is_some() || start.resumed_checkpoint.is_some())?;
    // A saved request of a sweep has split depth 0.
    if start.resumed_checkpoint.is_none() && start.request.split_depth.is_some() && work_plan.is_sequential()
    {
        return Err(CliError::usage(
            "--split-depth is for searches, and this count is a sweep; add --engine multipath, or omit --split-depth",
        ));
    }
    if start.run_options.mpi {
        start.output.check_mpi()?;
    }
    let checkpoint_path =
        start.checkpoint.as_ref().map(|path| mpi_ranks().map_or(path.clone(), |ranks| ranks.rank_file(path)));
    let checkpoint = checkpoint_path.as_deref().or_else(|| Some(start.resumed_checkpoint.as_ref()?.1.path()));
    let files = if is_first_rank() { Some(start.output.open(checkpoint)?) } else { None };
    let (file, resumed) = match (start.resumed_checkpoint.take(), checkpoint_path) {
        (Some((checkpoint, file)), _) => (Some(file), Some(checkpoint)),
        (None, Some(path)) => {
            let file = lock_checkpoint(&path)?;
            let resumed = load_checkpoint(&file, job)?;
            (Some(file), resumed)
        }
        (None, None) => (None, None),
    };
    if let Some(snapshot) = resumed.as_ref().and_then(|checkpoint| checkpoint.state.snapshot()) {
        check_rank_count(snapshot)?;
    }
    Ok(OpenedFiles { output_files: files, checkpoint_file: file, checkpoint: resumed })
}

/// Returns the state of a checkpoint, and prints the progress from which the run resumes.
fn resume_state(checkpoint: Checkpoint, job: &Job) -> Result<RunState, CliError> {
    if checkpoint.job != *job {
        return Err(CliError::failed(format!(
            "the checkpoint is from a version of ktour that splits this job differently ({}); resume it with that \
             version",
            checkpoint.job
        )));
    }
    let (done, units, state) = (checkpoint.units_done(), checkpoint.units(), checkpoint.state);
    print_notice(format_args!("resuming after {done} of {units} units, {:.1} s", state.seconds));
    if let Some(snapshot) = state.snapshot() {
        print_notice(format_args!("resuming the sweep after {}", format_sweep_progress(snapshot)));
    }
    Ok(state)
}

/// Loads the checkpoint of this job, or returns `None` if there is none. A damaged newest
/// generation is renamed.
///
/// # Errors
/// The checkpoint is unreadable or belongs to another job. The file is not overwritten then.
fn load_checkpoint(file: &CheckpointFile, job: &Job) -> Result<Option<Checkpoint>, CliError> {
    let path = file.path();
    if !CheckpointFile::exists(path) {
        return Ok(None);
    }
    let loaded = Checkpoint::load(path).map_err(|error| {
        let how = match error {
            CheckpointError::Format { .. } => ", or name another file",
            _ => "; delete the file or name another",
        };
        CliError::failed(format!("--checkpoint: {error}{how}"))
    })?;
    if loaded.checkpoint.job != *job {
        return Err(CliError::failed(format!(
            "--checkpoint: {} belongs to another job ({}); name another file",
            path.display(),
            loaded.checkpoint.job
        )));
    }
    if let Some(error) = loaded.fallback {
        file.rename_damaged()?;
        print_warning(format_args!("{error}; resuming from the previous generation"));
    }
    Ok(Some(loaded.checkpoint))
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

/// Maximum time to wait for the lock of a checkpoint file. A killed run with many gigabytes of
/// memory holds its lock for seconds, until the system has freed this memory.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Locks a checkpoint file for this process. If another run holds the lock, prints a notice and
/// waits.
pub fn lock_checkpoint(path: &Path) -> Result<CheckpointFile, CheckpointError> {
    CheckpointFile::lock_within(path, LOCK_TIMEOUT, || {
        let (path, seconds) = (path.display(), LOCK_TIMEOUT.as_secs());
        print_notice(format_args!("{path} is in use by another run; waiting up to {seconds} s"));
    })
}

#[cfg(test)]
mod tests {
    use super::super::test_support::closed_request;
    use super::prepare_run;

    #[test]
    fn stopped_run_names_the_resume_command() {
        let dir = tempfile::tempdir().unwrap();
        let mut start = closed_request("5x6");
        start.checkpoint = Some(dir.path().join("run"));
        let mut saved = prepare_run(start).unwrap();
        assert_eq!(saved.title(), "5x6 closed");
        let failure = saved.stopped_error(None, "after 3 of 9 units");
        assert_eq!(failure.status(), 75);
        let path = dir.path().join("run");
        let line = failure.to_string();
        assert!(line.contains("after 3 of 9 units"), "{line}");
        assert!(line.ends_with(&format!("ktour resume {}", path.display())), "{line}");
        saved.is_in_series = true;
        let failure = saved.stopped_error(None, "early");
        let line = failure.to_string();
        assert!(line.contains("early") && !line.contains("ktour resume"), "{line}");
        assert_eq!(failure.status(), 75);
        let failure = prepare_run(closed_request("5x6")).unwrap().stopped_error(None, "early");
        assert_eq!(failure.status(), 1);
    }
}

#[cfg(test)]
mod prepare_tests {
    use super::super::test_support::closed_request;
    use super::*;
    use ktour::batch::{Shard, with_suffix};
    use ktour::frontier::{StepTally, SweepTotals};

    /// Returns a checkpoint of the closed tours of a board, with the first `done` units done.
    fn checkpoint(board: &str, done: usize) -> Checkpoint {
        let work_plan = WorkPlan::new(&closed_request(board).request).unwrap();
        let mut state = RunState::new(&work_plan);
        state.done[..done].fill(true);
        Checkpoint { job: Job::new(&work_plan, Shard::WHOLE), state, output: serde_json::Value::Null }
    }

    #[test]
    fn load_checkpoint_keeps_that_of_another_job() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let file = CheckpointFile::lock(&path).unwrap();
        let (expected, other) = (checkpoint("5x6", 2), checkpoint("6x6", 0));
        assert!(load_checkpoint(&file, &expected.job).unwrap().is_none(), "no checkpoint exists yet");
        file.save(&expected).unwrap();
        assert_eq!(load_checkpoint(&file, &expected.job).unwrap(), Some(expected));
        let before = std::fs::read(&path).unwrap();
        let failure = load_checkpoint(&file, &other.job).unwrap_err().to_string();
        assert!(failure.contains("--checkpoint") && failure.contains("(board=5x6 "), "{failure}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn load_checkpoint_falls_back_to_the_previous_generation() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let file = CheckpointFile::lock(&path).unwrap();
        file.save(&checkpoint("5x6", 2)).unwrap();
        file.save(&checkpoint("5x6", 3)).unwrap();
        std::fs::write(&path, "damaged").unwrap();
        let found = load_checkpoint(&file, &checkpoint("5x6", 0).job).unwrap().unwrap();
        assert_eq!(found.units_done(), 2);
        assert_eq!(std::fs::read(with_suffix(&path, ".damaged")).unwrap(), b"damaged");
    }

    #[test]
    fn check_rank_count_rejects_another_number_of_ranks() {
        let of = |size: usize| -> Snapshot {
            serde_json::from_value(serde_json::json!({
                "order": [0, 1], "fold": false, "plan": 1, "cut": null, "rank": [0, size], "spread": 0, "step": 1,
                "layer": [], "done": [], "next": [], "tally": StepTally::default(), "totals": SweepTotals::default(),
            }))
            .unwrap()
        };
        assert!(check_rank_count(&of(1)).is_ok());
        let failure = check_rank_count(&of(3)).unwrap_err().to_string();
        assert!(failure.contains("mpirun -n 3 ktour resume FILE --mpi"), "{failure}");
    }
}
