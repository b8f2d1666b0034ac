//! The opening of an index of tours: what it may use, and its admission check.

use std::path::Path;

use super::spill_dir::SpillDir;
use crate::budget::{Budget, DiskBudget, MAX_DRY_RUN_SECONDS, Refusal, RefusedPart, Remedy, Requirements};
use crate::control::Control;
use crate::frontier::{IndexLayersError, Store};
use crate::index::{
    Index, IndexError, IndexEstimate, IndexLocation, IndexResources, Statistics, is_complete_index,
};
use crate::memory;
use crate::search::unit_runner::Stopped;
use crate::tour::TourSpec;

/// An index of tours that is opened, or built if it does not exist.
#[derive(Clone, Copy, Debug)]
pub struct IndexJob<'a> {
    /// The tours that the index numbers.
    pub tours: &'a TourSpec,
    /// Folder of the index; `None` for an index in memory.
    pub folder: Option<&'a Path>,
    /// Memory limit in bytes; default: nine tenths of the available memory.
    pub memory: Option<u64>,
    /// True if exact statistics will be computed from the index.
    pub needs_statistics: bool,
    /// True if the index is built even if it does not fit, or takes more than a year.
    pub is_forced: bool,
}

impl IndexJob<'_> {
    /// Returns a title of the tours, such as `6x6 closed`.
    #[must_use]
    pub fn title(&self) -> String {
        format!("{} {}", self.tours.board().title(), self.tours.kind().name())
    }

    /// Opens the index, or builds it if its estimate is admitted. Passes the estimate of an index that is built to
    /// `on_admitted`.
    ///
    /// # Errors
    /// See [`IndexError`]. The error of an index that is not admitted is
    /// [`IndexLayersError::Refused`](crate::frontier::IndexLayersError::Refused).
    pub fn open(
        &self,
        control: &Control,
        on_admitted: &(dyn Fn(&IndexEstimate) + Sync),
    ) -> Result<Index, IndexError> {
        let location = self.folder.map_or(IndexLocation::Memory, |dir| IndexLocation::Folder(dir.to_owned()));
        // A folder that cannot be written to may still hold a complete index that can be read.
        let spill = self.folder.filter(|dir| !is_complete_index(dir));
        let spill = spill.and_then(|dir| SpillDir::create_temporary(dir).ok());
        let disk = self.folder.map_or(DiskBudget::Absent, |_| {
            DiskBudget::from_free(spill.as_ref().and_then(|spill| spill.free_bytes().ok()))
        });
        let store = spill.as_ref().map(|spill| spill as &dyn Store);
        let resources = IndexResources { memory: self.memory, store };
        let index = Index::with_admission_check(self.tours, &location, resources, control, &|estimate| {
            self.admit(estimate, disk).or_else(|refusal| self.admit_by_dry_run(refusal, disk, control))?;
            on_admitted(estimate);
            Ok(())
        });
        index.map_err(|error| match error {
            IndexError::Layers(IndexLayersError::Refused(refusal)) => self.refused(refusal, control),
            error => error,
        })
    }

    /// Returns the limits of time and memory, without disk.
    fn budget(&self) -> Budget {
        Budget::new(self.memory.or_else(memory::default_limit_bytes))
    }

    /// Checks that exact statistics by counting, without an index, fit, and take at most a year. Returns what
    /// they need. A forced job is always admitted.
    ///
    /// # Errors
    /// [`IndexLayersError::Refused`](crate::frontier::IndexLayersError::Refused), or the error of an estimate.
    pub fn admit_counting(&self, control: &Control) -> Result<Requirements, IndexError> {
        self.admit_sweeps(Statistics::counting_requirements(self.tours, control)?)
    }

    /// Checks that exact statistics by sweeps, without an index, fit, and take at most a year. Returns `needs`, which
    /// is what they need. A forced job is always admitted.
    ///
    /// # Errors
    /// [`IndexLayersError::Refused`](crate::frontier::IndexLayersError::Refused).
    pub fn admit_sweeps(&self, needs: Requirements) -> Result<Requirements, IndexError> {
        match self.budget().check(&needs) {
            Err(shortage) if !self.is_forced => {
                let more = |(needed, _)| Remedy::more_memory(needed, memory::default_limit_bytes());
                let mut remedies = Vec::from_iter(shortage.memory().and_then(more));
                remedies.push(Remedy::SmallerBoard);
                let refusal = Refusal { part: RefusedPart::Statistics, ..Refusal::new(shortage, remedies) };
                Err(IndexLayersError::Refused(Box::new(refusal)).into())
            }
            _ => Ok(needs),
        }
    }

    /// Checks again, by the estimate of a dry run, an index that is refused because memory is short. Under a limit
    /// that is less than the tables need, the first estimate has no dry run.
    ///
    /// # Errors
    /// The refusal by the dry run, or `refusal` if a dry run takes too long.
    fn admit_by_dry_run(&self, refusal: Refusal, disk: DiskBudget, control: &Control) -> Result<(), Refusal> {
        if refusal.shortage.memory().is_none() {
            return Err(refusal);
        }
        match Index::estimate(self.tours, None, MAX_DRY_RUN_SECONDS, control) {
            Ok(Some(estimate)) => self.admit(&estimate, disk),
            _ => Err(refusal),
        }
    }

    /// Returns the error of an index that is refused, with checked remedies. If the control was cancelled during the
    /// estimates, the refusal is unknown, and the error is that of an interruption.
    fn refused(&self, mut refusal: Box<Refusal>, control: &Control) -> IndexError {
        self.check_counting_remedy(&mut refusal, control);
        if control.is_cancelled() { Stopped.into() } else { IndexLayersError::Refused(refusal).into() }
    }

    /// Keeps the remedy to count without an index only if these counts fit, under the present memory limit or
    /// under a limit below the one that the index needs.
    fn check_counting_remedy(&self, refusal: &mut Refusal, control: &Control) {
        let is_counting = |remedy: &Remedy| matches!(remedy, Remedy::WithoutIndex { .. });
        let Some(at) = refusal.remedies.iter().position(is_counting) else { return };
        let recommended = refusal.recommended_memory().unwrap_or(u64::MAX);
        match self.admit_counting(control) {
            Ok(_) => {}
            Err(IndexError::Layers(IndexLayersError::Refused(counting)))
                if counting.recommended_memory().is_some_and(|memory| memory < recommended) =>
            {
                refusal.remedies[at] = Remedy::WithoutIndex { memory: counting.recommended_memory() };
            }
            Err(_) => drop(refusal.remedies.remove(at)),
        }
    }

    /// Checks that an index with this estimate fits, and takes at most a year. A forced index is always admitted.
    ///
    /// # Errors
    /// The refusal with its remedies.
    pub fn admit(&self, estimate: &IndexEstimate, disk: DiskBudget) -> Result<(), Refusal> {
        if self.is_forced {
            return Ok(());
        }
        let budget = Budget { disk, ..self.budget() };
        let free_disk = SpillDir::free_bytes_at(Path::new(".")).ok();
        estimate.admit(&budget, free_disk, self.needs_statistics)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::BigUint;
    use crate::budget::Shortage;
    use crate::tour::Kind;

    #[test]
    fn interruption_during_estimates_ends_the_run() {
        let tours = TourSpec::all("5x6".parse().unwrap(), Kind::Closed);
        let folder = Some(Path::new("index"));
        let job =
            IndexJob { tours: &tours, folder, memory: Some(1), needs_statistics: false, is_forced: false };
        // A folder has no remedy to count, so no estimate of a remedy finds the interruption.
        let refusal = || Box::new(Refusal::new(Shortage::Memory { needed: 2, available: 1 }, Vec::new()));
        let control = Control::new();
        let refused = job.refused(refusal(), &control);
        assert!(matches!(refused, IndexError::Layers(IndexLayersError::Refused(_))), "{refused}");
        control.cancel();
        let stopped = job.refused(refusal(), &control);
        assert!(matches!(stopped, IndexError::Stopped(_)), "{stopped}");
    }

    #[test]
    fn open_admits_builds_and_reuses_an_index() {
        let tours = TourSpec::all("5x6".parse().unwrap(), Kind::Closed);
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("index");
        let job = IndexJob {
            tours: &tours,
            folder: Some(&folder),
            memory: Some(1),
            needs_statistics: false,
            is_forced: false,
        };
        assert_eq!(job.title(), "5x6 closed");
        let open = |job: IndexJob| -> Result<(BigUint, bool), IndexError> {
            let built = AtomicBool::new(false);
            let index = job.open(&Control::new(), &|_| built.store(true, Ordering::Relaxed))?;
            Ok((index.total().clone(), built.into_inner()))
        };
        let Err(IndexError::Layers(IndexLayersError::Refused(refusal))) = open(job) else {
            panic!("an index does not fit into one byte")
        };
        assert!(matches!(refusal.shortage, Shortage::MinMemory { available: 1, .. }), "{refusal:?}");
        let job = IndexJob { memory: None, ..job };
        assert_eq!(open(job).unwrap(), (8u32.into(), true));
        assert_eq!(open(job).unwrap(), (8u32.into(), false));
    }
}
