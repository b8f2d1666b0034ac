//! The admission of a counting job: its estimate against its [budget](crate::budget::Budget), and the
//! remedies of a refusal.
//!
//! ```text
//! rough estimate -> fits | refused | unsure -> dry run -> fits | refused -> longer dry run -> fits | remedies
//! ```
//!
//! A rough estimate costs only the planning of the sweeps. It refuses a job if even the lower bound of
//! what it needs is too much. Otherwise a dry run decides. A refusal names only memory limits that follow from a dry
//! run, as far as one of half a minute is possible; if the job fits by this dry run, it is admitted.

use super::second_count::SecondShortage;
use super::{CountError, Engine, JobEstimate, Request, WorkPlan, second_count};
use crate::budget::{DiskBudget, MAX_DRY_RUN_SECONDS, Refusal, RefusedPart, Remedy, Shortage};
use crate::control::Control;
use crate::memory;
use crate::search::unit_runner::Stopped;

/// Longest estimated time, in seconds, of the dry runs for a job that certainly does not fit, and whose rough estimate is
/// not good enough for a remedy.
const MAX_CERTAIN_REFUSAL_DRY_RUN_SECONDS: f64 = 2.0;

/// A job before its start: what is to be counted, and what it may use.
#[derive(Clone, Copy, Debug)]
pub struct Admission<'a> {
    /// The job as requested, before an engine was chosen.
    pub request: &'a Request,
    /// Its plan.
    pub work: &'a WorkPlan,
    /// The units to count.
    pub units: &'a [u32],
    /// Disk space for layers that exceed the memory.
    pub disk: DiskBudget,
    /// Free bytes of a folder that the job could use, if known. For remedies.
    pub free_disk: Option<u64>,
    /// True if a suspended sweep saves its layers, on the same disk.
    pub saves_layers: bool,
    /// Other ways to count that are possible. For remedies.
    pub alternatives: Alternatives,
    /// Core seconds of earlier sessions of the job if it is counted a second time; `None` if it is counted once.
    pub double_check: Option<f64>,
}

impl SecondShortage {
    /// Returns the shortage of the whole job under the memory limit `available`, in bytes.
    const fn of_job(self, available: u64) -> Shortage {
        Shortage::SecondCount { needed: self.needed, available }
    }
}

/// Other ways to count the tours of a job. An option that excludes one of them makes it impossible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alternatives {
    /// True if a sweep can replace a search of an engine that was chosen automatically.
    pub sweep: bool,
    /// True if the job can be counted modulo several numbers.
    pub residues: bool,
    /// True if the job can be counted in shards.
    pub shards: bool,
}

/// The decision about a job by its rough estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RoughVerdict {
    /// The job fits.
    Fits,
    /// A dry run must decide.
    Unsure,
    /// No dry run can admit the job.
    Refused(Shortage),
}

impl<'a> Admission<'a> {
    /// Creates the admission of a job that is counted once, in memory and without a checkpoint. Its refusal advises no
    /// other way to count.
    #[must_use]
    pub fn new(request: &'a Request, work: &'a WorkPlan, units: &'a [u32]) -> Self {
        Self {
            request,
            work,
            units,
            disk: DiskBudget::Absent,
            free_disk: None,
            saves_layers: false,
            alternatives: Alternatives::default(),
            double_check: None,
        }
    }
}

impl Admission<'_> {
    /// Returns the rough estimate and the decision that follows from it.
    ///
    /// # Errors
    /// The frontier of a sweep is too wide, or the control was cancelled.
    pub fn rough(&self, control: &Control) -> Result<(JobEstimate, RoughVerdict), CountError> {
        let rough = self.with_saved_layers(self.work.rough_estimate(self.units, control)?);
        let verdict = self.rough_verdict(&rough);
        Ok((rough, verdict))
    }

    /// Returns the estimate on which the final decision is based: that of a dry run for a sweep, if the dry
    /// run is short compared to the sweep. A search has no better estimate than `rough`.
    ///
    /// # Errors
    /// As for [`Admission::rough`].
    pub fn estimate(&self, rough: JobEstimate, control: &Control) -> Result<JobEstimate, CountError> {
        if self.work.is_sequential() {
            Ok(self.with_saved_layers(self.work.estimate(self.units, control)?))
        } else {
            Ok(rough)
        }
    }

    /// Returns the rough estimate of a job, and if the job is not admitted, its shortage with the estimate that shows it.
    /// If `is_quick`, makes a dry run only if the rough estimate does not decide, or if memory is tight: a job that slightly
    /// exceeds a limit may then be admitted.
    ///
    /// # Errors
    /// As for [`Admission::rough`].
    pub fn find_shortage(
        &self,
        is_quick: bool,
        control: &Control,
    ) -> Result<(JobEstimate, Option<(JobEstimate, Shortage)>), CountError> {
        let (rough, verdict) = self.rough(control)?;
        let shortage = match verdict {
            RoughVerdict::Refused(shortage) => Some((rough.clone(), shortage)),
            RoughVerdict::Fits if is_quick && !rough.is_memory_tight() => None,
            _ => {
                let estimate = self.estimate(rough.clone(), control)?;
                self.shortage(&estimate, control)?.map(|shortage| (estimate, shortage))
            }
        };
        Ok((rough, shortage))
    }

    /// Returns the resource that is too small for the job or for its second count, by the estimate of the job. `None`
    /// if both fit.
    ///
    /// # Errors
    /// The control was cancelled.
    pub fn shortage(
        &self,
        estimate: &JobEstimate,
        control: &Control,
    ) -> Result<Option<Shortage>, CountError> {
        if let Err(shortage) = estimate.check(self.disk) {
            return Ok(Some(shortage));
        }
        let short = self.second_shortage(estimate, control)?.zip(estimate.memory_limit);
        Ok(short.map(|(second, available)| second.of_job(available)))
    }

    /// Returns what the second count needs if it does not fit.
    fn second_shortage(
        &self,
        estimate: &JobEstimate,
        control: &Control,
    ) -> Result<Option<SecondShortage>, CountError> {
        let Some(earlier_seconds) = self.double_check else { return Ok(None) };
        let seconds = earlier_seconds + estimate.core_seconds();
        let folder = DiskBudget::from_free(self.free_disk);
        let disks = (self.disk, folder);
        second_count::memory_shortage(self.work, seconds, estimate.memory_limit, disks, control)
    }

    fn with_saved_layers(&self, mut estimate: JobEstimate) -> JobEstimate {
        if self.saves_layers && estimate.disk_bytes > 0 {
            estimate.disk_bytes = estimate.disk_bytes.max(estimate.checkpoint_bytes);
        }
        estimate
    }

    /// A sweep of a rectangle that lacks only its minimum memory needs a dry run, which estimates this value much better.
    /// The possible error of the estimate of any other board is so great that its lower bound refuses for certain.
    fn rough_verdict(&self, rough: &JobEstimate) -> RoughVerdict {
        let Err(shortage) = rough.check(self.disk) else { return RoughVerdict::Fits };
        let is_dry_run_useful = self.work.is_sequential() && !rough.cannot_spill() && !rough.is_unreliable();
        match rough.lower_bound(self.request.board()).check(self.disk) {
            Ok(()) => RoughVerdict::Unsure,
            Err(Shortage::MinMemory { .. }) if is_dry_run_useful => RoughVerdict::Unsure,
            Err(_) => RoughVerdict::Refused(shortage),
        }
    }

    /// Admits or refuses a job that does not fit by its estimate, because of `shortage`. Returns a better estimate if
    /// the job fits by it. Plans a sweep for a search of an automatically chosen engine; makes a dry run if a remedy names a
    /// limit that follows from a rough estimate.
    ///
    /// # Errors
    /// [`CountError::Refused`] with remedies, or the control was cancelled.
    pub fn admit_or_refuse(
        &self,
        estimate: &JobEstimate,
        shortage: Shortage,
        control: &Control,
    ) -> Result<JobEstimate, CountError> {
        match self.refuse_with_sweep(estimate, shortage, control) {
            Some(refusal) if !control.is_cancelled() => Err(CountError::Refused(Box::new(refusal))),
            _ => self.admit_or_refuse_as_planned(estimate, shortage, control),
        }
    }

    /// Decides about a job like [`Admission::admit_or_refuse`], but never advises another engine.
    ///
    /// # Errors
    /// As for [`Admission::admit_or_refuse`].
    pub fn admit_or_refuse_as_planned(
        &self,
        estimate: &JobEstimate,
        mut shortage: Shortage,
        control: &Control,
    ) -> Result<JobEstimate, CountError> {
        let second = match shortage {
            Shortage::Time { .. } => None,
            // A cancelled control makes the remedies unknown.
            _ => self.second_shortage(estimate, control).unwrap_or(None),
        };
        // A memory limit that follows from a rough estimate may be too low for the dry run of the next attempt, and a
        // folder may be unnecessary. The limit for a second count does not depend on the estimate of the first.
        let is_certain =
            estimate.is_unreliable() && estimate.lower_bound(self.request.board()).check(self.disk).is_err();
        let is_limit = |remedy: &Remedy| matches!(remedy, Remedy::RaiseMemory(_) | Remedy::UseDisk(_));
        // The remedies that divide the job, whose parts must be planned, follow from the last estimate alone.
        let undivided = Self { alternatives: Alternatives::default(), ..*self };
        let measured;
        let mut estimate = estimate;
        if estimate.is_rough
            && self.work.is_sequential()
            && !matches!(shortage, Shortage::SecondCount { .. })
            && undivided.remedies(estimate, shortage, second, control).iter().any(is_limit)
            && let Ok(found) = self.measure(is_certain, control)
        {
            shortage = match (found.check(self.disk), second.zip(found.memory_limit)) {
                (Ok(()), None) => return Ok(found),
                (Ok(()), Some((second, available))) => second.of_job(available),
                (Err(shortage), _) => shortage,
            };
            measured = found;
            estimate = &measured;
        }
        let mut refusal = Refusal::new(shortage, self.remedies(estimate, shortage, second, control));
        if estimate.is_unreliable() {
            refusal.remedies.retain(|remedy| !remedy.is_size());
            refusal = Refusal::new(refusal.shortage, refusal.remedies);
        }
        // The remedies are unknown if their estimates were stopped.
        Err(if control.is_cancelled() { Stopped.into() } else { CountError::Refused(Box::new(refusal)) })
    }

    /// Returns the estimate by dry runs, as far as they are short, under the memory limit of the machine: under a limit
    /// that is less than the tables need, no dry run is possible. If the job `certainly` does not fit, only very short
    /// dry runs are made.
    fn measure(&self, certainly: bool, control: &Control) -> Result<JobEstimate, CountError> {
        let seconds = if certainly { MAX_CERTAIN_REFUSAL_DRY_RUN_SECONDS } else { MAX_DRY_RUN_SECONDS };
        let seconds = seconds / self.units.len().max(1) as f64;
        let work = self.work.clone().with_memory(None).with_dry_run_seconds(seconds);
        let limit = self.work.memory_limit().or_else(memory::default_limit_bytes);
        Ok(self.with_saved_layers(work.estimate(self.units, control)?.under_limit(limit)))
    }

    /// Returns the refusal of a search by what a sweep needs, if the sweep is faster. `None` for a sweep,
    /// or an engine that was requested.
    fn refuse_with_sweep(
        &self,
        search: &JobEstimate,
        shortage: Shortage,
        control: &Control,
    ) -> Option<Refusal> {
        // A split depth is for searches.
        let is_requested = self.request.engine != Engine::Auto || self.request.split_depth.is_some();
        if is_requested || !self.alternatives.sweep || self.work.is_sequential() {
            return None;
        }
        let request = Request { engine: Engine::Frontier, ..self.request.clone() };
        let work = WorkPlan::new_under(&request, control).ok()?.with_memory(self.work.memory_limit());
        let units = work.schedule();
        let sweep = Admission { request: &request, work: &work, units: &units, ..*self };
        let estimate = work.rough_estimate(&units, control).ok()?;
        let seconds = estimate.seconds.filter(|&seconds| search.seconds.is_some_and(|all| seconds < all))?;
        let admitted = match sweep.shortage(&estimate, control).ok()? {
            None => Ok(estimate),
            Some(shortage) => sweep.admit_or_refuse_as_planned(&estimate, shortage, control),
        };
        match admitted {
            Ok(sweep) => {
                let seconds = sweep.seconds.unwrap_or(seconds);
                Some(Refusal::new(shortage, vec![Remedy::Sweep(seconds)]))
            }
            Err(CountError::Refused(refusal)) => Some(Refusal { part: RefusedPart::Sweep, ..*refusal }),
            Err(_) => None,
        }
    }

    /// Returns the changes with which the job would fit.
    fn remedies(
        &self,
        estimate: &JobEstimate,
        shortage: Shortage,
        second: Option<SecondShortage>,
        control: &Control,
    ) -> Vec<Remedy> {
        self.remedies_on(memory::default_limit_bytes(), estimate, shortage, second, control)
    }

    /// Returns the remedies on a machine whose processes may use `max_memory` bytes. `second` is what the second count
    /// needs if it does not fit.
    fn remedies_on(
        &self,
        max_memory: Option<u64>,
        estimate: &JobEstimate,
        shortage: Shortage,
        second: Option<SecondShortage>,
        control: &Control,
    ) -> Vec<Remedy> {
        if matches!(shortage, Shortage::Time { .. }) {
            return Vec::new();
        }
        let (needed, limit) = shortage.memory().unwrap_or((0, estimate.memory_limit.unwrap_or(u64::MAX)));
        let second_needed = second.map_or(0, |second| second.needed.unwrap_or(u64::MAX));
        let needed = needed.max(second_needed);
        if estimate.sweeps.is_empty() || estimate.cannot_spill() {
            let mut remedies = Vec::from_iter(Remedy::more_memory(needed, max_memory));
            remedies.push(Remedy::SmallerBoard);
            return remedies;
        }
        let fits = |least: u64, disk: u64| least < limit && self.free_disk.is_none_or(|free| disk <= free);
        let mut remedies = Vec::new();
        let second_fits = second.is_none();
        // The disk space of a second count that does not fit without a folder, if it fits with one.
        let second_disk = second.map_or(Some(0), |second| second.folder_bytes);
        let is_folder_missing = self.disk == DiskBudget::Absent
            && matches!(shortage, Shortage::Memory { .. } | Shortage::SecondCount { .. });
        let disk_bytes =
            second_disk.map(|second| second.max(estimate.disk_bytes)).filter(|_| is_folder_missing);
        if let Some(bytes) = disk_bytes
            && fits(estimate.min_memory_bytes, bytes)
        {
            remedies.push(Remedy::UseDisk(bytes));
        }
        let enough = match shortage {
            // The first count fits.
            Shortage::SecondCount { .. } => second_needed,
            _ => estimate.enough_memory_with_disk(self.free_disk.unwrap_or(u64::MAX)).max(second_needed),
        };
        if enough > limit {
            remedies.extend(
                Remedy::more_memory(enough, max_memory)
                    .filter(|remedy| matches!(remedy, Remedy::RaiseMemory(_))),
            );
        }
        remedies.extend(self.division_remedies(estimate, &fits, control));
        if !remedies.is_empty() {
            return remedies;
        }
        if let Some(free) = self.free_disk
            && estimate.disk_bytes > free
            && estimate.min_memory_bytes < limit
            && second_fits
        {
            remedies.push(Remedy::FreeDisk(estimate.disk_bytes - free));
        }
        if enough < u64::MAX {
            // The margin of the limit `enough` would only give the need that the shortage names a second number.
            let is_named = matches!(shortage, Shortage::Memory { .. } | Shortage::MinMemory { .. });
            let needed = if is_named { needed } else { enough.max(needed) };
            remedies.push(Remedy::LargerMachine(estimate.machine(shortage, needed)));
        }
        remedies
    }
}

#[cfg(test)]
mod tests;
