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

use super::failure::Failure;
use crate::report::warn;
use ktour::batch::{Checkpoint, CheckpointFile, with_suffix};
use ktour::frontier::{Peers, consult};
use ktour::memory;

/// The connection to the other ranks.
#[derive(Debug)]
pub struct Ranks {
    #[cfg(feature = "mpi")]
    world: ktour::batch::World,
}

static RANKS: OnceLock<Ranks> = OnceLock::new();

/// Returns the connection to the other ranks, if the command has `--mpi`.
pub fn ranks() -> Option<&'static Ranks> {
    RANKS.get()
}

/// Connects to the other ranks if the command line has `--mpi`. This comes first, so that an error of the
/// command line is printed only once.
///
/// # Errors
/// MPI cannot be started.
#[cfg(feature = "mpi")]
pub fn connect() -> Result<(), Failure> {
    if std::env::args_os().any(|argument| argument == "--mpi") {
        let world = ktour::batch::World::join().map_err(|error| {
            Failure::failed(format!("--mpi: {error}; leave it out, or start with mpirun"))
        })?;
        crate::report::speak_as(world.rank());
        let _ = RANKS.set(Ranks { world });
    }
    Ok(())
}

/// Does nothing in a build without MPI.
#[cfg(not(feature = "mpi"))]
pub const fn connect() -> Result<(), Failure> {
    Ok(())
}

/// Disconnects from the other ranks, once all of them disconnect. Returns false if another rank is still at
/// work.
pub fn leave() -> bool {
    #[cfg(feature = "mpi")]
    if let Some(ranks) = ranks() {
        return ranks.world.leave();
    }
    true
}

/// Ends all ranks at once, after a failure of this rank alone.
pub fn abort() {
    #[cfg(feature = "mpi")]
    if let Some(ranks) = ranks() {
        ranks.world.abort();
    }
}

/// Returns the value of this rank if all ranks have succeeded. Without MPI returns `mine`.
///
/// # Errors
/// The first failure of any rank, by rank.
pub fn together<T>(mine: Result<T, Failure>) -> Result<T, Failure> {
    let Some(ranks) = ranks() else { return mine };
    let (mine, told) = match mine {
        Ok(mine) => (Some(mine), Ok(())),
        Err(failure) => (None, Err(failure)),
    };
    ranks.agree(told)?;
    Ok(mine.expect("a rank that fails makes all fail"))
}

/// Progress of a checkpoint: units done, and steps of a suspended sweep.
type Reached = (usize, usize);

fn reached(checkpoint: &Checkpoint) -> Reached {
    let steps = checkpoint.state.snapshot().map_or(0, |snapshot| snapshot.step);
    (checkpoint.units_done(), steps)
}

/// Makes all ranks resume from the same point. The ranks save together, but one that was killed while the
/// others saved has an older generation.
///
/// # Errors
/// The checkpoints belong to different jobs, or have no generation in common.
pub fn align(
    file: Option<&CheckpointFile>,
    newest: Option<Checkpoint>,
) -> Result<Option<Checkpoint>, Failure> {
    let (Some(ranks), Some(file)) = (ranks(), file) else { return Ok(newest) };
    let all = ranks.agree(Ok(newest.as_ref().map(|newest| (newest.job.to_string(), reached(newest)))))?;
    let jobs = all.iter().flatten().map(|(job, _)| job);
    if jobs.clone().any(|job| Some(job) != jobs.clone().next()) {
        return Err(Failure::failed(
            "the checkpoints of the ranks belong to different jobs; choose another \
            --checkpoint",
        ));
    }
    let units = |one: &Option<(String, Reached)>| one.as_ref().map_or(0, |(_, reached)| reached.0);
    let most = all.iter().map(units).max().unwrap_or(0);
    if all.iter().any(|one| units(one) < most) {
        return adopt(ranks, file, newest, most);
    }
    let steps: Vec<Option<usize>> =
        all.iter().map(|one| one.as_ref().map(|(_, reached)| reached.1)).collect();
    let least = *steps.iter().min().expect("there is a rank");
    if steps.iter().all(|&one| one == least) {
        return Ok(newest);
    }
    let is_ahead = newest.as_ref().map(|newest| reached(newest).1) != least;
    // All ranks check their files before any rank sets one aside.
    let fallen_back = together(match (is_ahead, least) {
        (false, _) => Ok(newest),
        // The run was killed while the first generation was saved.
        (true, None) if !file.has_before() => Ok(None),
        (true, None) => Err(apart(file)),
        (true, Some(least)) => match Checkpoint::load_before(file.path()) {
            Ok(before) if reached(&before) == (most, least) => Ok(Some(before)),
            _ => Err(apart(file)),
        },
    })?;
    together(if is_ahead { file.set_aside().map_err(Failure::from) } else { Ok(()) })?;
    if is_ahead {
        warn("another rank has an older checkpoint; resuming from the previous one");
    }
    Ok(fallen_back)
}

fn apart(file: &CheckpointFile) -> Failure {
    Failure::failed(format!(
        "{} and the checkpoints of the other ranks are of different times; delete all of them and start \
        again",
        file.path().display()
    ))
}

/// Copies the completed units of the rank with most of them to all ranks: a completed unit is complete on
/// every rank.
fn adopt(
    ranks: &Ranks,
    file: &CheckpointFile,
    newest: Option<Checkpoint>,
    most: usize,
) -> Result<Option<Checkpoint>, Failure> {
    let furthest = newest.filter(|newest| newest.units_done() == most);
    // A sweep that only some ranks have begun is restarted.
    let furthest = furthest.map(|mut furthest| {
        furthest.state.at_rest = None;
        furthest.to_text()
    });
    let told = ranks.agree(Ok(furthest))?.into_iter().flatten().next().expect("a rank has the maximum");
    let adopted = together(Checkpoint::parse(told.as_bytes(), file.path()).map_err(Failure::from))?;
    // The checkpoint is saved at once, so that no rank falls back to the sweep before.
    let failure = |error| Failure::write(&file.path().display().to_string(), &error);
    together(file.write(&adopted).map_err(failure))?;
    together(file.commit::<Checkpoint>().map_err(failure))?;
    Ok(Some(adopted))
}

/// Returns true if this process prints the results: rank 0, or a run without MPI.
pub fn is_first() -> bool {
    ranks().is_none_or(|ranks| ranks.peers().rank() == 0)
}

impl Ranks {
    /// Returns the connection as the sweep uses it.
    pub fn peers(&self) -> &dyn Peers {
        #[cfg(feature = "mpi")]
        return &self.world;
        #[cfg(not(feature = "mpi"))]
        unreachable!("no rank is connected without MPI")
    }

    /// Returns the number of ranks on this machine.
    pub fn beside(&self) -> usize {
        #[cfg(feature = "mpi")]
        return self.world.beside();
        #[cfg(not(feature = "mpi"))]
        1
    }

    /// Returns this rank's file for a path that the user has given.
    pub fn own(&self, path: &Path) -> PathBuf {
        match self.peers().rank() {
            0 => path.to_owned(),
            rank => with_suffix(path, &format!(".rank{rank}")),
        }
    }

    /// Returns the default number of threads of this rank: the processors that it is bound to, or its share
    /// of the machine.
    pub fn threads(&self) -> usize {
        let here = std::thread::available_parallelism().map_or(1, Into::into);
        if here < online() { here } else { (here / self.beside()).max(1) }
    }

    /// Returns this rank's share of the available memory, in bytes.
    pub fn memory(&self) -> Option<u64> {
        memory::ceiling().map(|bytes| bytes / self.beside() as u64)
    }

    /// Exchanges values and returns those of all ranks, by rank.
    ///
    /// # Errors
    /// The first failure of any rank, equal on all ranks; rank 0 prints it. Or the connection is lost.
    pub fn agree<T: Serialize + DeserializeOwned>(
        &self,
        mine: Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        let told: Result<Result<T, (String, u8)>, String> =
            Ok(mine.map_err(|failure| (failure.to_string(), failure.status())));
        let lost = |what: String| {
            Failure::failed(format!(
                "--mpi: the connection between the ranks is lost ({what}); start again, \
                or resume from a checkpoint"
            ))
        };
        let all = consult(self.peers(), &told).map_err(|error| lost(error.to_string()))?;
        let all = all.into_iter().enumerate().map(|(rank, told)| {
            told.map_err(lost)?.map_err(|(what, status)| {
                let what = if rank == 0 { what } else { format!("rank {rank}: {what}") };
                Failure::with_status(what, status)
            })
        });
        all.collect()
    }
}

/// Returns the number of online processors of the machine, including those that this process may not use.
fn online() -> usize {
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
