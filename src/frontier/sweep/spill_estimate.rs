//! Estimates of a sweep with limited memory: disk space, additional time, and least memory.
//!
//! The disk space is for layers that do not fit into memory, and for checkpoints. The additional
//! time is for writing and reading these layers. The least memory is the memory under which the
//! sweep can still run.

use super::sweep_estimate::{Estimate, ceiling_for, reserve_bytes};
use super::{cost_model, rough_estimate};

/// Disk space of checkpoints in units of the stored size of a layer, gaps of the store included. A
/// checkpoint is kept until the next checkpoint is complete. Measured on 8x8, 7x8 and 6x100.
const CHECKPOINT_GENERATIONS: f64 = 2.5;

/// Disk space and additional time of a sweep whose layers do not fit into memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SpillEstimate {
    /// Maximum number of bytes of layers in the store.
    pub bytes: u64,
    /// Number of bytes of all steps together that are written to the store, and read back.
    pub written_bytes: u64,
    /// Additional seconds for writing layers to the store and reading them back.
    pub seconds: f64,
}

impl Estimate {
    /// Returns the maximum number of bytes that checkpoints take on disk.
    #[must_use]
    pub fn checkpoint_bytes(&self) -> u64 {
        let saved = |&(held, packed): &(u64, f64)| (held as f64 * packed * CHECKPOINT_GENERATIONS) as u64;
        self.layer_bytes.iter().map(saved).max().unwrap_or(0)
    }

    /// Returns the least memory limit in bytes under which the sweep can run with a store: memory for the
    /// tables and for one chunk with all its source chunks. Measured on 6x10, 7x8, 8x8 and 8x9: the sweep
    /// needs at most a twentieth less. A higher limit allows more tables; the result is the least limit
    /// that is sufficient for as many tables as it allows.
    #[must_use]
    pub fn min_memory(&self) -> u64 {
        let (sizes, tables) = &self.feasibility_tables;
        let other_bytes =
            self.fixed_bytes.saturating_sub(*tables).saturating_add(self.likely_working_set_bytes());
        sizes.min_ceiling(|tables| ceiling_for(other_bytes.saturating_add(tables)))
    }

    /// Returns the number of bytes of a chunk and all its source chunks, of the sums and blocks under construction,
    /// and of the lists of a group of steps. If there is no dry run and the layers are not small, this is a lower
    /// bound from the size of the layers.
    fn likely_working_set_bytes(&self) -> u64 {
        if self.is_exact || self.working_set_bytes == 0 {
            return self.working_set_bytes.saturating_add(self.group_bytes);
        }
        let held = self.single_steps.layers.iter().map(|held| held.0).max().unwrap_or(0);
        let chunk = rough_estimate::likely_working_set_bytes(self.slots, self.working_set_bytes, held);
        // A run under the recommended limit makes a dry run, which may require a little more.
        chunk.saturating_add(chunk / 16).saturating_add(self.group_bytes)
    }

    /// Returns the least memory limit in bytes under which the sweep can run. The estimate must
    /// have been made for a process that may use `ceiling` bytes. If the sweep fits this number of
    /// bytes, the result may be less than [`Estimate::min_memory`].
    #[must_use]
    pub fn min_memory_under(&self, ceiling: u64) -> u64 {
        let least = self.working_set_bytes.saturating_add(self.group_bytes);
        let needed = ceiling_for(self.fixed_bytes.saturating_add(least));
        if needed < ceiling { needed } else { self.min_memory() }
    }

    /// Returns the least memory limit in bytes under which the sweep can run if its layers are
    /// `doubt` times smaller than estimated.
    #[must_use]
    pub fn min_memory_if_smaller(&self, doubt: u64) -> u64 {
        let least = (self.working_set_bytes / doubt.max(1)).saturating_add(self.group_bytes);
        ceiling_for(self.fixed_bytes.saturating_add(least))
    }

    /// Returns the least memory limit in bytes under which the sweep runs without a store. It is the least
    /// limit that is sufficient for as many tables as it allows.
    #[must_use]
    pub fn min_memory_without_store(&self) -> u64 {
        let (sizes, tables) = &self.feasibility_tables;
        let other_bytes = self.peak_bytes.saturating_sub(*tables);
        sizes.min_ceiling(|tables| ceiling_for(other_bytes.saturating_add(tables)))
    }

    /// Returns the least memory limit in bytes, within one percent, under which the sweep needs at most
    /// `free` bytes of disk space.
    #[must_use]
    pub fn min_memory_with_disk(&self, free: u64) -> u64 {
        let (mut few, mut enough) = (self.min_memory(), ceiling_for(self.peak_bytes).max(self.min_memory()));
        if self.spill(few).bytes <= free {
            return few;
        }
        while enough - few > enough / 100 {
            let between = few + (enough - few) / 2;
            if self.spill(between).bytes <= free { enough = between } else { few = between }
        }
        enough
    }

    /// Estimates the disk space and the additional time if the process may use `ceiling` bytes of
    /// memory. The additional time is the time to write and read the part of the layers that
    /// exceeds memory, summed over the steps; measurements agree with this. Evictions for blocks
    /// under construction are negligible.
    #[must_use]
    pub fn spill(&self, ceiling: u64) -> SpillEstimate {
        let available = ceiling.saturating_sub(self.fixed_bytes).saturating_sub(reserve_bytes(Some(ceiling)));
        let mut outside = SpillEstimate::default();
        for (&(held, packed), &work_bytes) in self.layer_bytes.iter().zip(&self.work_bytes) {
            let with_blocks = held.saturating_add(work_bytes).saturating_sub(available) as f64;
            outside.bytes = outside.bytes.max((with_blocks * packed) as u64);
            let stored = held.saturating_sub(available) as f64;
            outside.written_bytes = outside.written_bytes.saturating_add((stored * packed) as u64);
            outside.seconds += cost_model::spill_seconds(stored);
        }
        outside
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::{Options, SweepSides};
    use super::super::sweep_estimate::tests::{is_within_factor_two, prepare_one_sided, prepare_with};
    use super::*;
    use crate::frontier::planning::problem::Tours;

    #[test]
    fn spill_is_within_a_factor_of_two_of_records() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        // Memory limit in bytes, bytes on disk, seconds, measured on two idle cores.
        for (board, tours, ceiling, stored, seconds) in
            [("8x8", Tours::Paths, 5 << 30, 0.0, 36.9), ("9x10", Tours::Closed, 4 << 30, 4.7e9, 117.0)]
        {
            let options = Options { memory: Some(ceiling), ..Options::default() };
            let mut prepared = prepare_with(board, tours, &options);
            let (estimate, outside) = pool.install(|| {
                let estimate =
                    if board == "8x8" { prepared.estimate().unwrap() } else { prepared.rough_estimate() };
                let outside = estimate.spill(ceiling);
                (estimate, outside)
            });
            let bytes = outside.bytes as f64;
            let is_stored = if stored > 0.0 {
                is_within_factor_two(bytes, stored)
            } else {
                bytes < ceiling as f64 / 32.0
            };
            let total = estimate.seconds + outside.seconds;
            assert!(
                is_stored && is_within_factor_two(total, seconds),
                "{board}: {outside:?}, {total} s in total"
            );
        }
        let small = prepare_one_sided("5x6", Tours::Closed).rough_estimate();
        assert!(small.checkpoint_bytes() > 0 && small.checkpoint_bytes() < small.peak_bytes);
        assert_eq!(small.spill(1 << 30), SpillEstimate::default());
    }

    #[test]
    fn min_memory_agrees_with_measured_minimum() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        // MiB: the greatest limit that failed and the least that succeeded.
        for (board, tours, few, enough) in [
            ("7x8", Tours::Closed, 20.2, 20.7),
            ("7x8", Tours::Paths, 45.7, 46.9),
            ("8x8", Tours::Closed, 143.0, 147.0),
            ("8x9", Tours::Closed, 186.0, 192.0),
            ("board=6x8 piece=1,2 remove=a1", Tours::Paths, 18.4, 18.6),
        ] {
            let memory = Some((enough * f64::from(1 << 20)) as u64);
            let mut prepared = prepare_with(board, tours, &Options { memory, ..Options::default() });
            let least =
                pool.install(|| prepared.estimate().unwrap()).min_memory() as f64 / f64::from(1 << 20);
            assert!((0.95 * few..1.1 * enough).contains(&least), "{board} {tours:?}: {least} MiB");
        }
    }

    #[test]
    fn rough_min_memory_is_close_to_exact_one() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let boards =
            [("6x8", Tours::Paths), ("7x8", Tours::Closed), ("7x8", Tours::Paths), ("8x8", Tours::Closed)];
        for (board, tours) in boards {
            let mut prepared = prepare_one_sided(board, tours);
            let (rough, exact) = pool.install(|| (prepared.rough_estimate(), prepared.estimate().unwrap()));
            let ratio = rough.min_memory() as f64 / exact.min_memory() as f64;
            assert!((0.95..1.3).contains(&ratio), "{board} {tours:?}: {ratio}");
            // A run under the recommended limit must succeed, whichever estimate recommended it.
            let options =
                Options { sides: SweepSides::One, memory: Some(exact.min_memory()), ..Options::default() };
            let followed = prepare_with(board, tours, &options).estimate().unwrap();
            assert!(followed.min_memory_under(exact.min_memory()) < exact.min_memory(), "{board} {tours:?}");
            assert!(followed.min_memory() <= exact.min_memory(), "{board} {tours:?}");
        }
    }

    #[test]
    fn spill_bytes_agree_with_measurements() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        // Memory limit in MiB, and the peak MiB in the store folder of a count with two threads.
        let estimated = |board: &str, tours, ceiling: u64| {
            let memory = Some(ceiling << 20);
            let options = Options { sides: SweepSides::One, memory, ..Options::default() };
            let mut prepared = prepare_with(board, tours, &options);
            let estimate = pool.install(|| prepared.estimate_within(60.0).unwrap());
            assert!(estimate.is_exact, "{board} {ceiling}: memory suffices for a dry run");
            estimate.spill(ceiling << 20).bytes as f64 / f64::from(1 << 20)
        };
        for (ceiling, stored) in [(80, 49.0), (100, 36.0), (120, 27.0)] {
            let estimated = estimated("7x8", Tours::Paths, ceiling);
            assert!(is_within_factor_two(estimated, stored), "7x8 {ceiling}: {estimated}, {stored}");
        }
        assert!(estimated("7x8", Tours::Paths, 200) < 1.0);
        for (ceiling, stored) in [(250, 101.0), (300, 71.0), (400, 16.0)] {
            let estimated = estimated("8x8", Tours::Closed, ceiling);
            assert!(is_within_factor_two(estimated, stored), "8x8 {ceiling}: {estimated}, {stored}");
        }
        for (ceiling, stored) in [(400, 171.0), (450, 128.0), (500, 80.0), (550, 52.0)] {
            let estimated = estimated("8x9", Tours::Closed, ceiling);
            assert!(is_within_factor_two(estimated, stored), "8x9 {ceiling}: {estimated}, {stored}");
        }
    }

    #[test]
    fn recommended_memory_is_sufficient_and_minimal() {
        let sweep = prepare_one_sided("9x10", Tours::Closed).rough_estimate();
        for free in [0, 1 << 30, 6 << 30, u64::MAX] {
            let enough = sweep.min_memory_with_disk(free);
            assert!(enough >= sweep.min_memory() && sweep.spill(enough).bytes <= free);
            assert!(enough == sweep.min_memory() || sweep.spill(enough / 100 * 97).bytes > free, "{free}");
        }
        assert!(
            sweep.min_memory_if_smaller(4) < sweep.min_memory()
                && sweep.min_memory_if_smaller(4) > sweep.fixed_bytes
        );
    }
}
