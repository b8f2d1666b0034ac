//! `--mpi`: one sweep shared by all processes (ranks) that `mpirun` has started.
//!
//! All ranks run the same command. Rank 0 prints the results; the others print only their own warnings, and
//! save their part of a sweep in their own files:
//!
//! ```text
//! FILE FILE.sweep             of rank 0
//! FILE.rank3 FILE.rank3.sweep of rank 3
//! ```

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::CliError;
use crate::report::print_warning;
use ktour::batch::{Checkpoint, CheckpointFile, JobState, RunState, with_suffix};
use ktour::frontier::{Communicator, allgather_results};
use ktour::memory;

/// The connection to the other ranks.
#[derive(Debug)]
pub struct MpiRanks {
    #[cfg(feature = "mpi")]
    world: ktour::batch::MpiWorld,
}

static MPI_RANKS: OnceLock<MpiRanks> = OnceLock::new();

/// Returns the connection to the other ranks. `None` without `--mpi`.
pub fn mpi_ranks() -> Option<&'static MpiRanks> {
    MPI_RANKS.get()
}

/// Connects to the other ranks if the command line has `--mpi`. Must be called before the arguments
/// are parsed, so that only one rank prints an error of the command line.
///
/// # Errors
/// MPI cannot be started.
#[cfg(feature = "mpi")]
pub fn connect() -> Result<(), CliError> {
    if std::env::args_os().any(|argument| argument == "--mpi") {
        let world = ktour::batch::MpiWorld::join()
            .map_err(|error| CliError::failed(format!("--mpi: {error}; omit it, or start with mpirun")))?;
        crate::report::set_rank(world.rank());
        let _ = MPI_RANKS.set(MpiRanks { world });
    }
    Ok(())
}

/// Does nothing in a build without MPI.
#[cfg(not(feature = "mpi"))]
pub const fn connect() -> Result<(), CliError> {
    Ok(())
}

/// Disconnects from the other ranks, if all of them disconnect too, and returns true. Returns false
/// if another rank is still at work.
pub fn disconnect() -> bool {
    #[cfg(feature = "mpi")]
    if let Some(ranks) = mpi_ranks() {
        return ranks.world.leave();
    }
    true
}

/// Ends the processes of all ranks, after a failure of this rank alone.
pub fn abort() {
    #[cfg(feature = "mpi")]
    if let Some(ranks) = mpi_ranks() {
        ranks.world.abort();
    }
}

/// Returns the value of this rank if all ranks have succeeded. Without `--mpi`, returns `result`.
///
/// # Errors
/// The failure of the first rank that has failed, on all ranks.
pub fn require_all<T>(result: Result<T, CliError>) -> Result<T, CliError> {
    let Some(ranks) = mpi_ranks() else { return result };
    let (own_result, outcome) = match result {
        Ok(mine) => (Some(mine), Ok(())),
        Err(failure) => (None, Err(failure)),
    };
    ranks.exchange(outcome)?;
    Ok(own_result.expect("a rank that fails makes all fail"))
}

type CountCheckpoint = Checkpoint<RunState>;

/// Progress of a checkpoint: number of finished units, and number of steps of the suspended sweep.
type CheckpointProgress = (usize, usize);

fn checkpoint_progress(checkpoint: &CountCheckpoint) -> CheckpointProgress {
    let steps = checkpoint.state.snapshot().map_or(0, |snapshot| snapshot.step);
    (checkpoint.state.units_done(), steps)
}

/// Returns the checkpoint from which this rank resumes, such that all ranks resume at the same
/// point. The ranks save together, but a rank that was killed while the others saved has an older
/// generation.
///
/// # Errors
/// The checkpoints belong to different jobs, or have no generation in common.
pub fn align_checkpoints(
    file: Option<&CheckpointFile>,
    newest: Option<CountCheckpoint>,
) -> Result<Option<CountCheckpoint>, CliError> {
    let (Some(ranks), Some(file)) = (mpi_ranks(), file) else { return Ok(newest) };
    let progress_by_rank = ranks
        .exchange(Ok(newest.as_ref().map(|newest| (newest.job.to_string(), checkpoint_progress(newest)))))?;
    let jobs = progress_by_rank.iter().flatten().map(|(job, _)| job);
    if jobs.clone().any(|job| Some(job) != jobs.clone().next()) {
        return Err(CliError::failed(
            "the checkpoints of the ranks belong to different jobs; choose another \
            --checkpoint",
        ));
    }
    let units = |one: &Option<(String, CheckpointProgress)>| one.as_ref().map_or(0, |(_, reached)| reached.0);
    let most_units = progress_by_rank.iter().map(units).max().unwrap_or(0);
    if progress_by_rank.iter().any(|one| units(one) < most_units) {
        return adopt_most_units(ranks, file, newest, most_units);
    }
    let steps: Vec<Option<usize>> =
        progress_by_rank.iter().map(|one| one.as_ref().map(|(_, reached)| reached.1)).collect();
    let least_steps = *steps.iter().min().expect("there is a rank");
    if steps.iter().all(|&one| one == least_steps) {
        return Ok(newest);
    }
    let is_ahead = newest.as_ref().map(|newest| checkpoint_progress(newest).1) != least_steps;
    // All ranks check their files before any rank sets one aside.
    let fallen_back = require_all(match (is_ahead, least_steps) {
        (false, _) => Ok(newest),
        // The run was killed while the first generation was saved.
        (true, None) if !file.has_previous() => Ok(None),
        (true, None) => Err(unaligned_error(file)),
        (true, Some(least)) => match CountCheckpoint::load_previous(file.path()) {
            Ok(before) if checkpoint_progress(&before) == (most_units, least) => Ok(Some(before)),
            _ => Err(unaligned_error(file)),
        },
    })?;
    require_all(if is_ahead { file.rename_damaged().map_err(CliError::from) } else { Ok(()) })?;
    if is_ahead {
        print_warning("another rank has an older checkpoint; resuming from the previous one");
    }
    Ok(fallen_back)
}

fn unaligned_error(file: &CheckpointFile) -> CliError {
    CliError::failed(format!(
        "{} and the checkpoints of the other ranks are of different times; delete all of them and start \
        again",
        file.path().display()
    ))
}

/// Returns the checkpoint with the most finished units among all ranks, and saves it on this rank.
/// A unit that is finished on one rank is finished on all.
fn adopt_most_units(
    ranks: &MpiRanks,
    file: &CheckpointFile,
    newest: Option<CountCheckpoint>,
    most_units: usize,
) -> Result<Option<CountCheckpoint>, CliError> {
    let own = newest.filter(|newest| newest.state.units_done() == most_units);
    // A sweep that only some ranks have begun is restarted.
    let furthest = own.map(|mut furthest| {
        furthest.state.suspended = None;
        furthest.to_text()
    });
    let text = ranks.exchange(Ok(furthest))?.into_iter().flatten().next().expect("a rank has the maximum");
    let adopted = require_all(CountCheckpoint::parse(text.as_bytes(), file.path()).map_err(CliError::from))?;
    // The checkpoint is saved at once, so that no rank falls back to the sweep before.
    let failure = |error| CliError::write_error(&file.path().display().to_string(), error);
    require_all(file.write_new(&adopted).map_err(failure))?;
    require_all(file.commit_new().map_err(failure))?;
    Ok(Some(adopted))
}

/// Returns true if this process prints the results: on rank 0, or in a run without `--mpi`.
pub fn is_first_rank() -> bool {
    mpi_ranks().is_none_or(|ranks| ranks.peers().rank() == 0)
}

impl MpiRanks {
    /// Returns the connection to the other ranks in the form that sweeps use.
    pub fn peers(&self) -> &dyn Communicator {
        #[cfg(feature = "mpi")]
        return &self.world;
        #[cfg(not(feature = "mpi"))]
        unreachable!("no rank is connected without MPI")
    }

    /// Returns the number of ranks on this machine, including this rank.
    pub fn ranks_on_machine(&self) -> usize {
        #[cfg(feature = "mpi")]
        return self.world.ranks_on_machine();
        #[cfg(not(feature = "mpi"))]
        1
    }

    /// Returns the path at which this rank saves its own version of the file `path`, such as
    /// `FILE.rank3`.
    pub fn rank_file(&self, path: &Path) -> PathBuf {
        match self.peers().rank() {
            0 => path.to_owned(),
            rank => with_suffix(path, &format!(".rank{rank}")),
        }
    }

    /// Returns the default number of threads of this rank: the number of processors to which it is
    /// bound, or its share of the machine's processors.
    pub fn default_threads(&self) -> usize {
        let allowed = std::thread::available_parallelism().map_or(1, Into::into);
        if allowed < online_processors() { allowed } else { (allowed / self.ranks_on_machine()).max(1) }
    }

    /// Returns this rank's share of the available memory, in bytes.
    pub fn memory_share(&self) -> Option<u64> {
        memory::default_limit_bytes().map(|bytes| bytes / self.ranks_on_machine() as u64)
    }

    /// Sends the value of this rank to all ranks, and returns the values of all ranks, ordered by
    /// rank.
    ///
    /// # Errors
    /// The failure of the first rank that has failed, equal on all ranks; rank 0 prints it. Or the
    /// connection is lost.
    pub fn exchange<T: Serialize + DeserializeOwned>(
        &self,
        result: Result<T, CliError>,
    ) -> Result<Vec<T>, CliError> {
        let outcome: Result<Result<T, (String, u8)>, String> =
            Ok(result.map_err(|failure| (failure.to_string(), failure.status())));
        let lost = |what: String| {
            CliError::failed(format!(
                "--mpi: the connection between the ranks is lost ({what}); start again, \
                or resume from a checkpoint"
            ))
        };
        let all = allgather_results(self.peers(), &outcome).map_err(|error| lost(error.to_string()))?;
        let all = all.into_iter().enumerate().map(|(rank, result)| {
            result.map_err(lost)?.map_err(|(what, status)| {
                let text = if rank == 0 { what } else { format!("rank {rank}: {what}") };
                CliError::Message { text, status }
            })
        });
        all.collect()
    }
}

/// Returns the number of processors of the machine, including those that this process may not use.
fn online_processors() -> usize {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: sysconf reads a constant of the system.
        let online = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
        if let Ok(online) = usize::try_from(online) {
            return online.max(1);
        }
    }
    std::thread::available_parallelism().map_or(1, Into::into)
}
