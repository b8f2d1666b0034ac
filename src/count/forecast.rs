//! Estimates of a whole job before it starts: time, memory and disk space, and the admission check.
//!
//! ```text
//! WorkPlan -> searches: nodes by random walks x seconds per node
//!          -> sweeps:   an Estimate for each, with the part that exceeds memory -> JobEstimate
//! ```

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::room::Room;
use super::sweep::Sweeps;
use super::{CountError, Engine, Work, cost};
use crate::control::Control;
use crate::frontier::Estimate;
use crate::search::workers::Stopped;

/// Numerator of the share of a sweep's layers, time and memory that its largest shard takes: at most this
/// number divided by the cube root of the number of shards, so that one of 64 shards takes a half. Measured
/// on 8x8 closed: 1.06 for 2 shards, 0.98 for 6, 0.75 for 18, 0.45 for 45.
const PART: f64 = 2.0;

/// Factor by which a sweep of a board other than a rectangle can stay below its rough estimate.
const VAGUE: u64 = 16;

/// Core seconds of a search for which each unit is probed: shorter searches need no accurate estimate, and
/// longer ones are hopeless.
const LONG: RangeInclusive<f64> = 10.0..=1e9;

/// A method of [`SweepUnits`] that estimates the sweeps of some units under a memory limit in bytes.
type Estimates = fn(&Sweeps, &[u32], Option<u64>, &Control) -> Result<BTreeMap<usize, Estimate>, CountError>;

/// The time, memory and disk space that a job needs, by estimate.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Forecast {
    /// Wall-clock seconds on this machine; `None` if there is no estimate.
    pub seconds: Option<f64>,
    /// Bytes of memory of the process, at most the memory limit if layers can be spilled.
    pub memory: u64,
    /// Bytes of memory if nothing is spilled.
    pub whole_memory: u64,
    /// Bytes on disk if layers are spilled.
    pub disk: u64,
    /// Bytes of the largest checkpoint: all layers of a suspended sweep.
    pub saved: u64,
    /// Memory limit in bytes, if known.
    pub ceiling: Option<u64>,
    /// Bytes of memory that the process needs even if it spills everything it can.
    pub least: u64,
    /// True if the estimate was made without a dry run.
    pub is_rough: bool,
    /// True if the job is a shard of its sweeps. A shard can be much smaller than its estimate.
    pub is_part: bool,
    /// Estimates of the job's sweeps, each as if it were whole and held in memory; empty for a search.
    pub sweeps: Vec<Estimate>,
}

impl Forecast {
    /// Returns the rough estimate of sweeps that run one after the other in memory.
    #[must_use]
    pub(crate) fn roughly(sweeps: Vec<Estimate>, ceiling: Option<u64>) -> Self {
        let most = |of: fn(&Estimate) -> u64| sweeps.iter().map(of).max().unwrap_or(0);
        let whole_memory = most(|sweep| sweep.peak_bytes);
        Self {
            seconds: Some(sweeps.iter().map(|sweep| sweep.seconds).sum()),
            memory: whole_memory.min(ceiling.unwrap_or(u64::MAX)),
            whole_memory,
            disk: 0,
            saved: 0,
            ceiling,
            least: sweeps.iter().map(|sweep| least_of(sweep, ceiling)).max().unwrap_or(0),
            is_rough: true,
            is_part: false,
            sweeps,
        }
    }

    /// Returns a lower bound of what the job needs: this estimate divided by its possible error if it is
    /// rough.
    #[must_use]
    pub fn at_least(&self) -> Self {
        let doubt = match self.sweeps.iter().any(|sweep| sweep.is_vague) {
            _ if !self.is_rough => 1,
            true => VAGUE,
            false => 2,
        };
        let at_least = |bytes: u64| bytes / doubt;
        Self {
            seconds: self.seconds.map(|seconds| seconds / doubt as f64),
            memory: at_least(self.memory),
            whole_memory: at_least(self.whole_memory),
            disk: at_least(self.disk),
            saved: at_least(self.saved),
            least: self.sweeps.iter().map(|sweep| sweep.least_in_doubt(doubt)).max().unwrap_or(self.least),
            ..self.clone()
        }
    }

    /// Returns true if a sweep cannot spill anything because its frontier is too wide for layers.
    #[must_use]
    pub fn is_all_inside(&self) -> bool {
        self.sweeps.iter().any(|sweep| sweep.is_all_inside)
    }

    /// Returns the minimum memory in bytes that suffices for every sweep if `free` bytes of disk space are
    /// available.
    #[must_use]
    pub fn memory_beside(&self, free: u64) -> u64 {
        self.sweeps.iter().map(|sweep| sweep.memory_beside(free)).max().unwrap_or(0)
    }

    /// Returns the minimum number of machines that together hold each sweep if each may use `ceiling` bytes,
    /// or `None` if no number suffices.
    #[must_use]
    pub fn machines(&self, ceiling: u64) -> Option<u64> {
        self.sweeps.iter().try_fold(1, |most, sweep| Some(sweep.machines(ceiling)?.max(most)))
    }

    /// Checks that the job fits into memory and disk. `store` is `None` without a spill folder; otherwise it
    /// holds the free bytes there, if known.
    ///
    /// # Errors
    /// [`CountError::TooMuchMemory`] or [`CountError::TooMuchDisk`].
    pub fn check(&self, store: Option<Option<u64>>) -> Result<(), CountError> {
        match self.ceiling {
            Some(ceiling) if self.least >= ceiling => {
                Err(CountError::TooMuchMemory { needed: self.least, ceiling })
            }
            Some(ceiling) => Room {
                peak: self.whole_memory,
                is_exact: !self.is_rough,
                ceiling,
                outside: self.disk,
                has_store: store.is_some(),
                free: store.flatten(),
            }
            .check(),
            None => Ok(()),
        }
    }
}

/// Returns the minimum memory in bytes for a sweep that was estimated under a memory limit.
fn least_of(sweep: &Estimate, ceiling: Option<u64>) -> u64 {
    ceiling.map_or_else(|| sweep.least(), |ceiling| sweep.least_under(ceiling))
}

impl Work {
    /// Estimates the given units on the current rayon pool. Sweeps are planned, and measured by a dry run if
    /// it takes a small part of their time; the sweeps themselves use these plans later.
    ///
    /// # Errors
    /// The frontier of a sweep is too wide, or the control was cancelled.
    pub fn forecast(&self, units: &[u32], control: &Control) -> Result<Forecast, CountError> {
        self.foresee(units, control, Sweeps::estimates)
    }

    /// Returns a rough estimate of the given units, without a dry run. Cost: the planning of the sweeps.
    ///
    /// # Errors
    /// As for [`WorkPlan::estimate`].
    pub fn outlook(&self, units: &[u32], control: &Control) -> Result<Forecast, CountError> {
        self.foresee(units, control, Sweeps::outlooks)
    }

    /// Returns the estimated core seconds of units of a multi-path search, with a probe for each unit: a few
    /// walks from the root seldom reach the large units. Returns `None` if the job has no such search. Cost:
    /// some microseconds per unit.
    fn probed(&self, units: &[u32], control: &Control) -> Option<f64> {
        let nodes = self.estimates(control);
        let all: f64 = nodes.iter().sum();
        let some = units.iter().map(|&unit| nodes.get(unit as usize).copied()).sum::<Option<f64>>()?;
        // The share of time that the transposition table saves depends on the size of the whole job.
        let seconds = cost::counting_seconds(self.question().request().arena.graph(), all);
        Some(if all > 0.0 { seconds * some / all } else { 0.0 })
    }

    fn foresee(
        &self,
        units: &[u32],
        control: &Control,
        estimates: Estimates,
    ) -> Result<Forecast, CountError> {
        let threads = rayon::current_num_threads().max(1) as f64;
        let request = self.question().request();
        let Some(sweeps) = self.sweeps() else {
            let share = units.len() as f64 / self.units().max(1) as f64;
            let whole = match request.engine {
                Engine::Backtrack => cost::extension_seconds(request),
                _ => cost::search_seconds(request),
            };
            let is_long = whole.is_some_and(|whole| LONG.contains(&whole));
            let probed = if is_long && request.engine != Engine::Backtrack {
                self.probed(units, control)
            } else {
                None
            };
            let all = probed.or(whole.map(|whole| whole * share));
            if control.is_cancelled() {
                return Err(CountError::Stopped(Stopped));
            }
            let seconds = all.map(|all| all / threads);
            let memory = cost::search_bytes(request, self.units(), whole.unwrap_or(f64::INFINITY));
            return Ok(Forecast {
                seconds,
                memory,
                whole_memory: memory,
                disk: 0,
                saved: 0,
                ceiling: self.memory(),
                least: memory,
                is_rough: true,
                is_part: false,
                sweeps: Vec::new(),
            });
        };
        let ceiling = self.memory().or_else(crate::memory::ceiling);
        let all = estimates(sweeps, units, ceiling, control)?;
        let share = (PART / f64::from(request.parts).cbrt()).min(1.0);
        let (mut seconds, mut memory, mut least, mut is_rough) = (0.0, 0, 0, false);
        let (mut disk, mut saved) = (0, 0);
        for &unit in units {
            let estimate = &all[&sweeps.sweep_of(unit as usize)];
            let outside = ceiling.map(|ceiling| estimate.outside(ceiling)).unwrap_or_default();
            seconds += (estimate.seconds + outside.seconds) * share;
            memory = memory.max((estimate.peak_bytes as f64 * share) as u64);
            disk = disk.max((outside.bytes as f64 * share) as u64);
            saved = saved.max((estimate.saved() as f64 * share) as u64);
            least = least.max(least_of(estimate, ceiling));
            is_rough |= !estimate.is_exact && estimate.steps > 0 || request.parts > 1;
        }
        Ok(Forecast {
            seconds: Some(seconds),
            memory: memory.min(ceiling.unwrap_or(u64::MAX)),
            whole_memory: memory,
            disk,
            saved,
            ceiling,
            least,
            is_rough,
            is_part: request.parts > 1,
            sweeps: all.into_values().map(|estimate| estimate.part(share)).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Arena;
    use crate::count::Request;
    use crate::tour::Kind;

    fn forecast(board: &str, engine: Engine, memory: Option<u64>) -> Forecast {
        let kind = Some(Kind::Closed);
        let request = Request { kind, engine, ..Request::new(board.parse::<Arena>().unwrap()) };
        let work = Work::new(&request).unwrap().with_memory(memory);
        work.forecast(&work.schedule(), &Control::new()).unwrap()
    }

    #[test]
    fn a_small_sweep_takes_little_of_everything() {
        let small = forecast("6x6", Engine::Frontier, Some(1 << 30));
        // Planning is timed, and takes as long as the machine is busy; the steps are predicted.
        let steps: f64 = small.sweeps.iter().flat_map(|sweep| &sweep.step_seconds).sum();
        assert!(small.memory < 20 << 20 && small.disk == 0 && steps < 5.0, "{small:?}");
        assert!(small.check(None).is_ok());
    }

    #[test]
    fn what_is_hopeless_is_told_at_once() {
        let closed = Some(Kind::Closed);
        let arena: Arena = "9x10".parse().unwrap();
        let request = Request { kind: closed, engine: Engine::Frontier, ..Request::new(arena) };
        let work = Work::new(&request).unwrap().with_memory(Some(1 << 30));
        let outlook = work.outlook(&work.schedule(), &Control::new()).unwrap();
        let least = outlook.at_least();
        assert!(outlook.is_rough && least.whole_memory == outlook.whole_memory / 2);
        assert!(matches!(least.check(None), Err(CountError::TooMuchMemory { .. })), "{least:?}");
        assert!(least.seconds.unwrap() < outlook.seconds.unwrap());
    }

    #[test]
    fn what_does_not_fit_says_so() {
        let large = forecast("12x12", Engine::Frontier, Some(8 << 30));
        let years = large.seconds.unwrap() / 3e7;
        assert!(large.is_rough && years > 1.0, "{years}");
        assert!(matches!(large.check(None), Err(CountError::TooMuchMemory { .. })));
        // Its frontier is too wide for layers: no disk helps.
        let with_a_disk = large.check(Some(Some(1 << 60)));
        assert!(large.is_all_inside() && matches!(with_a_disk, Err(CountError::TooMuchMemory { .. })));
        let planned = forecast("10x10", Engine::Frontier, Some(20 << 30));
        assert!(planned.disk > 100 << 30 && planned.memory == 20 << 30, "{planned:?}");
        assert!(matches!(planned.check(Some(Some(1 << 30))), Err(CountError::TooMuchDisk { .. })));
        assert!(!planned.is_all_inside() && planned.memory_beside(planned.disk) < 21 << 30);
        assert!(planned.check(None).is_err() && planned.check(Some(Some(2 << 40))).is_ok());
        // If the free disk space is unknown, the job may start.
        assert!(planned.check(Some(None)).is_ok());
        // The estimate of a shard is that of the largest shard: half of it must fit.
        let part =
            Forecast { is_part: true, is_rough: true, whole_memory: 39 << 30, disk: 19 << 30, ..planned };
        assert!(part.check(None).is_ok());
        assert!(Forecast { least: 20 << 30, ..part.clone() }.check(None).is_err());
        let great = Forecast { whole_memory: 41 << 30, disk: 21 << 30, ..part };
        assert!(matches!(great.check(None), Err(CountError::TooMuchMemory { .. })));
        assert!(matches!(great.check(Some(Some(10 << 30))), Err(CountError::TooMuchDisk { .. })));
        assert!(great.check(Some(Some(11 << 30))).is_ok());
    }

    #[test]
    fn parts_take_less_the_more_there_are() {
        let shares = [1, 2, 8, 64].map(|parts| {
            let request = Request {
                kind: Some(Kind::Closed),
                engine: Engine::Frontier,
                parts,
                ..Request::new("8x9".parse::<Arena>().unwrap())
            };
            let work = Work::new(&request).unwrap().one_ended();
            work.outlook(&[0], &Control::new()).unwrap().whole_memory as f64
        });
        assert!(shares[0] == shares[1] && shares[1] == shares[2], "{shares:?}");
        assert!((shares[3] / shares[0] - 0.5).abs() < 1e-6, "{shares:?}");
    }

    #[test]
    fn searches_take_time_and_little_memory() {
        let search = forecast("5x6", Engine::Multipath, None);
        assert!(search.seconds.unwrap() < 1.0 && search.check(None).is_ok());
        assert!((5 << 20..40 << 20).contains(&search.memory) && search.memory == search.whole_memory);
        assert!(forecast("10x10", Engine::Multipath, None).seconds.unwrap() > 1e9);
    }

    #[test]
    fn shards_of_a_search_add_up_to_the_whole() {
        let request = Request { engine: Engine::Multipath, ..Request::new("7x7".parse::<Arena>().unwrap()) };
        let work = Work::new(&Request { kind: Some(Kind::Paths), ..request }).unwrap();
        let schedule = work.schedule();
        let seconds = |units: &[u32]| work.forecast(units, &Control::new()).unwrap().seconds.unwrap();
        let whole = seconds(&schedule);
        let parts: f64 = schedule.chunks(schedule.len() / 8 + 1).map(seconds).sum();
        assert!((parts / whole - 1.0).abs() < 1e-6, "{parts} {whole}");
    }
}
