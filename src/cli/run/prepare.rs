//! Prepares a run: opens the output files, loads the checkpoint, and makes the spill folder.

use crate::cli::failure::Failure;
use crate::cli::files::Files;
use crate::cli::human::rest_of;
use crate::cli::lock::lock;
use crate::cli::ranks::{align, is_first, ranks, together};
use crate::cli::up_to_symmetry::setting;
use crate::report::{tell, warn};
use ktour::batch::{Checkpoint, CheckpointError, CheckpointFile, Job, State};
use ktour::count::Work;
use ktour::frontier::Snapshot;

use super::ready::{Ready, name_of};
use super::start::Start;

/// Longest word of a job line that is printed in full, in characters.
const LONGEST: usize = 120;

/// The files that each rank opens by itself.
struct Opened {
    files: Option<Files>,
    file: Option<CheckpointFile>,
    resumed: Option<Checkpoint>,
}

/// Opens all files and loads the checkpoint. All ranks call it together and fail together.
pub fn prepare(mut start: Start) -> Result<Ready, Failure> {
    let choose = || Work::new(&start.request);
    let work = start.how.looking_at("which engine is fastest", name_of(&start.request), choose);
    let work = work?.with_memory(start.how.ceiling()).forced(start.how.force);
    let work = if ranks().is_some() { work.one_ended() } else { work };
    let job = Job::new(&work, start.shard);
    let Opened { files, file, resumed } = together(open(&mut start, &work, &job))?;
    let resumed = align(file.as_ref(), resumed)?;
    let folder = together(start.how.folder(&work, file.as_ref()))?;
    // The job line of a new run is printed after its admission check.
    let is_told = resumed.is_some();
    let state = match resumed {
        Some(checkpoint) => {
            tell(format_args!("job {}", brief(&job.to_string())));
            go_on(checkpoint, &job)?
        }
        None => State::new(&work),
    };
    let Start { request, wanted, how, .. } = start;
    let setting = setting(&request, how.memory, how.force);
    let is_one_of_many = false;
    Ok(Ready {
        request,
        work,
        job,
        wanted,
        how,
        setting,
        files,
        file,
        folder,
        state,
        is_told,
        is_one_of_many,
    })
}

/// Returns a job line for printing: a long word, such as a large graph, is cut to its first characters.
/// Records and checkpoints hold the full line.
pub fn brief(job: &str) -> String {
    let word = |word: &str| match word.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}..({} characters)", &word[..end], word.chars().count()),
        None => word.to_owned(),
    };
    job.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn open(start: &mut Start, work: &Work, job: &Job) -> Result<Opened, Failure> {
    start.how.check(work, start.checkpoint.is_some() || start.resumed.is_some())?;
    // A saved request of a sweep has split depth 0.
    if start.resumed.is_none() && start.request.split_depth.is_some() && work.is_sequential() {
        return Err(Failure::usage(
            "--split-depth is for searches, and this count is a sweep; add --engine multipath, or omit --split-depth",
        ));
    }
    if start.how.mpi {
        start.wanted.refuse_ranks()?;
    }
    let own = start.checkpoint.as_ref().map(|path| ranks().map_or(path.clone(), |ranks| ranks.own(path)));
    let checkpoint = own.as_deref().or_else(|| Some(start.resumed.as_ref()?.1.path()));
    let files = if is_first() { Some(start.wanted.open(checkpoint)?) } else { None };
    let (file, resumed) = match (start.resumed.take(), own) {
        (Some((checkpoint, file)), _) => (Some(file), Some(checkpoint)),
        (None, Some(path)) => {
            let file = lock(&path)?;
            let resumed = load_same(&file, job)?;
            (Some(file), resumed)
        }
        (None, None) => (None, None),
    };
    if let Some(snapshot) = resumed.as_ref().and_then(|checkpoint| checkpoint.state.snapshot()) {
        check_ranks(snapshot)?;
    }
    Ok(Opened { files, file, resumed })
}

/// Returns the state of a checkpoint, and prints how much of the job is done.
fn go_on(checkpoint: Checkpoint, job: &Job) -> Result<State, Failure> {
    if checkpoint.job != *job {
        return Err(Failure::failed(format!(
            "the checkpoint is from a version of ktour that splits this job differently ({}); resume it with that \
             version",
            checkpoint.job
        )));
    }
    let (done, units, state) = (checkpoint.units_done(), checkpoint.units(), checkpoint.state);
    tell(format_args!("resuming after {done} of {units} units, {:.1} s", state.seconds));
    if let Some(snapshot) = state.snapshot() {
        tell(format_args!("resuming the sweep after {}", rest_of(snapshot)));
    }
    Ok(state)
}

/// Loads an existing checkpoint of this job, or returns `None` if there is no file. A damaged newest
/// generation is set aside.
///
/// # Errors
/// The checkpoint is unreadable or belongs to another job: it is not overwritten.
fn load_same(file: &CheckpointFile, job: &Job) -> Result<Option<Checkpoint>, Failure> {
    let path = file.path();
    if !CheckpointFile::exists(path) {
        return Ok(None);
    }
    let loaded = Checkpoint::load(path).map_err(|error| {
        let how = match error {
            CheckpointError::Format { .. } => ", or name another file",
            _ => "; delete the file or name another",
        };
        Failure::failed(format!("--checkpoint: {error}{how}"))
    })?;
    if loaded.checkpoint.job != *job {
        return Err(Failure::failed(format!(
            "--checkpoint: {} belongs to another job ({}); name another file",
            path.display(),
            loaded.checkpoint.job
        )));
    }
    if let Some(error) = loaded.fallback {
        file.set_aside()?;
        warn(format_args!("{error}; resuming from the previous generation"));
    }
    Ok(Some(loaded.checkpoint))
}

/// Checks that a sweep that was distributed over MPI ranks is resumed by the number of ranks it began with.
fn check_ranks(snapshot: &Snapshot) -> Result<(), Failure> {
    let (_, size) = snapshot.rank;
    if size == ranks().map_or(1, |ranks| ranks.peers().size()) {
        return Ok(());
    }
    let how = match size {
        1 => "one process; resume it with ktour resume FILE, without --mpi".to_owned(),
        size => format!("{size} ranks; resume it with mpirun -n {size} ktour resume FILE --mpi"),
    };
    Err(Failure::failed(format!("the saved sweep is distributed over {how}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::run::samples::closed;
    use ktour::batch::{Shard, with_suffix};
    use ktour::frontier::{Tally, Totals};

    /// Returns a checkpoint of the closed tours of a board, with the first `done` units done.
    fn checkpoint(board: &str, done: usize) -> Checkpoint {
        let work = Work::new(&closed(board).request).unwrap();
        let mut state = State::new(&work);
        state.done[..done].fill(true);
        Checkpoint { job: Job::new(&work, Shard::WHOLE), state, output: serde_json::Value::Null }
    }

    #[test]
    fn the_checkpoint_of_another_job_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let file = CheckpointFile::lock(&path).unwrap();
        let (mine, other) = (checkpoint("5x6", 2), checkpoint("6x6", 0));
        assert!(load_same(&file, &mine.job).unwrap().is_none(), "no checkpoint exists yet");
        file.save(&mine).unwrap();
        assert_eq!(load_same(&file, &mine.job).unwrap(), Some(mine));
        let before = std::fs::read(&path).unwrap();
        let failure = load_same(&file, &other.job).unwrap_err().to_string();
        assert!(failure.contains("--checkpoint") && failure.contains("(board=5x6 "), "{failure}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_damaged_generation_is_set_aside() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let file = CheckpointFile::lock(&path).unwrap();
        file.save(&checkpoint("5x6", 2)).unwrap();
        file.save(&checkpoint("5x6", 3)).unwrap();
        std::fs::write(&path, "damaged").unwrap();
        let found = load_same(&file, &checkpoint("5x6", 0).job).unwrap().unwrap();
        assert_eq!(found.units_done(), 2);
        assert_eq!(std::fs::read(with_suffix(&path, ".damaged")).unwrap(), b"damaged");
    }

    #[test]
    fn a_sweep_of_several_ranks_is_not_gone_on_with_by_one() {
        let of = |size: usize| -> Snapshot {
            serde_json::from_value(serde_json::json!({
                "order": [0, 1], "fold": false, "plan": 1, "cut": null, "rank": [0, size], "spread": 0, "step": 1,
                "layer": [], "done": [], "next": [], "tally": Tally::default(), "totals": Totals::default(),
            }))
            .unwrap()
        };
        assert!(check_ranks(&of(1)).is_ok());
        let failure = check_ranks(&of(3)).unwrap_err().to_string();
        assert!(failure.contains("mpirun -n 3 ktour resume FILE --mpi"), "{failure}");
    }
}
