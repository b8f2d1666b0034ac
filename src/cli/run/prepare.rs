//! Prepares a run: opens the output files, loads the checkpoint, and makes the spill folder.

use crate::cli::checkpoint_lock::lock_checkpoint;
use crate::cli::distinct_counts::symmetry_setting;
use crate::cli::error::CliError;
use crate::cli::format_units::format_sweep_progress;
use crate::cli::mpi::{align_checkpoints, is_first_rank, mpi_ranks, require_all};
use crate::cli::output_files::OutputFiles;
use crate::report::{print_notice, print_warning};
use ktour::batch::{Checkpoint, CheckpointError, CheckpointFile, Job, RunState};
use ktour::count::WorkPlan;
use ktour::frontier::Snapshot;

use super::context::RunRequest;
use super::context::{RunContext, request_title};

/// Longest word of a job line that is printed in full, in characters.
const MAX_JOB_WORD_CHARS: usize = 120;

/// The files that each rank opens by itself.
struct OpenedFiles {
    output_files: Option<OutputFiles>,
    checkpoint_file: Option<CheckpointFile>,
    checkpoint: Option<Checkpoint>,
}

/// Opens all files and loads the checkpoint. All ranks call it together and fail together.
pub fn prepare_run(mut start: RunRequest) -> Result<RunContext, CliError> {
    let choose = || WorkPlan::new(&start.request);
    let work = start.run_options.with_waiting_display(
        "which engine is fastest",
        request_title(&start.request),
        choose,
    );
    let work = work?.with_memory(start.run_options.memory_limit()).with_force(start.run_options.force);
    let work = if mpi_ranks().is_some() { work.one_sided() } else { work };
    let job = Job::new(&work, start.shard);
    let OpenedFiles { output_files: files, checkpoint_file: file, checkpoint: resumed } =
        require_all(open_files(&mut start, &work, &job))?;
    let resumed = align_checkpoints(file.as_ref(), resumed)?;
    let folder = require_all(start.run_options.open_spill_folder(&work, file.as_ref()))?;
    // The job line of a new run is printed after its admission check.
    let is_told = resumed.is_some();
    let state = match resumed {
        Some(checkpoint) => {
            print_notice(format_args!("job {}", shorten_job(&job.to_string())));
            resume_state(checkpoint, &job)?
        }
        None => RunState::new(&work),
    };
    let RunRequest { request, output: wanted, run_options: how, .. } = start;
    let setting = symmetry_setting(&request, how.memory, how.force);
    let is_one_of_many = false;
    Ok(RunContext {
        request,
        work,
        job,
        output: wanted,
        run_options: how,
        symmetric_setting: setting,
        output_files: files,
        checkpoint_file: file,
        spill_folder: folder,
        state,
        is_job_printed: is_told,
        is_in_series: is_one_of_many,
    })
}

/// Returns a job line for printing: a long word, such as a large graph, is cut to its first characters.
/// Records and checkpoints hold the full line.
pub fn shorten_job(job: &str) -> String {
    let word = |word: &str| match word.char_indices().nth(MAX_JOB_WORD_CHARS) {
        Some((end, _)) => format!("{}..({} characters)", &word[..end], word.chars().count()),
        None => word.to_owned(),
    };
    job.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn open_files(start: &mut RunRequest, work: &WorkPlan, job: &Job) -> Result<OpenedFiles, CliError> {
    start
        .run_options
        .check_options(work, start.checkpoint.is_some() || start.resumed_checkpoint.is_some())?;
    // A saved request of a sweep has split depth 0.
    if start.resumed_checkpoint.is_none() && start.request.split_depth.is_some() && work.is_sequential() {
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

/// Returns the state of a checkpoint, and prints how much of the job is done.
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

/// Loads an existing checkpoint of this job, or returns `None` if there is no file. A damaged newest
/// generation is set aside.
///
/// # Errors
/// The checkpoint is unreadable or belongs to another job: it is not overwritten.
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

/// Checks that a sweep that was distributed over MPI ranks is resumed by the number of ranks it began with.
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
    use ktour::batch::{Shard, with_suffix};
    use ktour::frontier::{StepTally, SweepTotals};

    /// Returns a checkpoint of the closed tours of a board, with the first `done` units done.
    fn checkpoint(board: &str, done: usize) -> Checkpoint {
        let work = WorkPlan::new(&closed_request(board).request).unwrap();
        let mut state = RunState::new(&work);
        state.done[..done].fill(true);
        Checkpoint { job: Job::new(&work, Shard::WHOLE), state, output: serde_json::Value::Null }
    }

    #[test]
    fn load_checkpoint_keeps_that_of_another_job() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let file = CheckpointFile::lock(&path).unwrap();
        let (mine, other) = (checkpoint("5x6", 2), checkpoint("6x6", 0));
        assert!(load_checkpoint(&file, &mine.job).unwrap().is_none(), "no checkpoint exists yet");
        file.save(&mine).unwrap();
        assert_eq!(load_checkpoint(&file, &mine.job).unwrap(), Some(mine));
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
