//! What a sweep takes outside memory: layers for which there is no room there, and checkpoints.

use crate::frontier::run::estimate::{Estimate, ceiling_for, reserve};
use crate::frontier::run::tariff;

/// A checkpoint is held until the next is complete, the store's gaps included: measured on 8x8, 7x8 and 6x100.
const GENERATIONS: f64 = 2.5;

/// Part of the layers that a chunk and all its sources are, where no dry run tells: 0.2 to 0.25 on 6x8 to 8x9.
const AT_ONCE: f64 = 0.27;

/// Bytes that heaps and blocks in the making take beside a chunk and all its sources, however small they are: measured on
/// 6x9, which has chunks of a mebibyte.
const GRAIN: u64 = 2 << 20;

/// What a sweep that has no room in memory will take beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Outside {
    /// Bytes in the store at most.
    pub bytes: u64,
    /// Seconds more.
    pub seconds: f64,
}

/// Bytes of a chunk and all its sources, with what is beside them.
fn with_grain(chunk: u64) -> u64 {
    chunk.saturating_add(chunk.min(GRAIN))
}

impl Estimate {
    /// Bytes of checkpoints at most: the layers, packed, of two generations.
    #[must_use]
    pub fn saved(&self) -> u64 {
        let saved = |&(held, packed): &(u64, f64)| (held as f64 * packed * GENERATIONS) as u64;
        self.held.iter().map(saved).max().unwrap_or(0)
    }

    /// Bytes of memory that have to be allowed, whatever else is stored: for tables, and for a chunk with all its
    /// sources. Measured on 6x10, 7x8, 8x8 and 8x9: no more than a twentieth less will do. Under a higher ceiling there are
    /// more tables: this is the ceiling from which on there is room for as many as there are then.
    #[must_use]
    pub fn least(&self) -> u64 {
        let (room, tables) = &self.tables;
        let beside = self.fixed_bytes.saturating_sub(*tables).saturating_add(self.likely_chunk());
        room.least_ceiling(|tables| ceiling_for(beside.saturating_add(tables)))
    }

    /// Bytes of a chunk and all its sources, by the layers where no dry run told them and they are not small.
    fn likely_chunk(&self) -> u64 {
        if self.is_exact || self.chunk == 0 {
            return with_grain(self.chunk);
        }
        let held = self.held.iter().map(|held| held.0).max().unwrap_or(0);
        let chunk = self.chunk.max((held as f64 * AT_ONCE) as u64);
        // Whoever allows what is told has a dry run made, which may tell a bit more.
        with_grain(chunk.saturating_add(chunk / 16))
    }

    /// The same, if the process may use `ceiling` bytes, under which it was estimated: what is needed is less if that is
    /// there.
    #[must_use]
    pub fn least_under(&self, ceiling: u64) -> u64 {
        let needed = ceiling_for(self.fixed_bytes.saturating_add(with_grain(self.chunk)));
        if needed < ceiling { needed } else { self.least() }
    }

    /// The same if the layers should be so many times smaller than they are told to be.
    #[must_use]
    pub fn least_in_doubt(&self, doubt: u64) -> u64 {
        ceiling_for(self.fixed_bytes.saturating_add(with_grain(self.chunk / doubt.max(1))))
    }

    /// The least memory that will do where there is room for so many bytes outside, within a hundredth.
    #[must_use]
    pub fn memory_beside(&self, free: u64) -> u64 {
        let (mut few, mut enough) = (self.least(), ceiling_for(self.peak_bytes).max(self.least()));
        if self.outside(few).bytes <= free {
            return few;
        }
        while enough - few > enough / 100 {
            let between = few + (enough - few) / 2;
            if self.outside(between).bytes <= free { enough = between } else { few = between }
        }
        enough
    }

    /// Machines that hold it together, each of which may use so many bytes: all have the tables and make blocks.
    /// `None` if that leaves no room for layers.
    #[must_use]
    pub fn machines(&self, ceiling: u64) -> Option<u64> {
        let room = ceiling.saturating_sub(reserve(Some(ceiling))).saturating_sub(self.fixed_bytes);
        let of = |(&(held, _), &making): (&(u64, f64), &u64)| {
            room.checked_sub(making).filter(|&room| room > 0).map(|room| held.div_ceil(room))
        };
        self.held.iter().zip(&self.making).map(of).try_fold(1, |most, needed| Some(needed?.max(most)))
    }

    /// What there will be outside memory, if the process may use `ceiling` bytes of it. Seconds are those of what
    /// layers leave, in every step, as was measured; what makes room for blocks in the making is little beside it.
    #[must_use]
    pub fn outside(&self, ceiling: u64) -> Outside {
        let room = ceiling.saturating_sub(self.fixed_bytes).saturating_sub(reserve(Some(ceiling)));
        let mut outside = Outside::default();
        for (&(held, packed), &making) in self.held.iter().zip(&self.making) {
            let with_blocks = held.saturating_add(making).saturating_sub(room) as f64;
            outside.bytes = outside.bytes.max((with_blocks * packed) as u64);
            outside.seconds += tariff::seconds_outside(held.saturating_sub(room) as f64);
        }
        outside
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::problem::cycles::Tours;
    use crate::frontier::run::estimate::tests::{alike, prepared, prepared_with};
    use crate::frontier::run::options::{Ends, Options};

    #[test]
    fn what_has_no_room_in_memory_is_told_as_well() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        // The ceiling, bytes stored, seconds: results/estimates.md.
        for (board, tours, ceiling, stored, seconds) in
            [("8x8", Tours::Paths, 5 << 30, 0.0, 36.9), ("9x10", Tours::Closed, 16_428_249_907, 4.0e9, 148.0)]
        {
            let options = Options { memory: Some(ceiling), ..Options::default() };
            let mut prepared = prepared_with(board, tours, &options);
            let (estimate, outside) = pool.install(|| {
                let estimate = if board == "8x8" { prepared.estimate().unwrap() } else { prepared.outlook() };
                let outside = estimate.outside(ceiling);
                (estimate, outside)
            });
            let bytes = outside.bytes as f64;
            let is_stored = if stored > 0.0 { alike(bytes, stored) } else { bytes < ceiling as f64 / 32.0 };
            let total = estimate.seconds + outside.seconds;
            assert!(is_stored && alike(total, seconds), "{board}: {outside:?}, {total} s in all");
        }
        let small = prepared("5x6", Tours::Closed).outlook();
        assert!(small.saved() > 0 && small.saved() < small.peak_bytes);
        assert_eq!(small.outside(1 << 30), Outside::default());
    }

    #[test]
    fn the_least_memory_is_what_will_do() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        // MiB, the last that did not do and the first that did.
        for (board, tours, few, enough) in [
            ("7x8", Tours::Closed, 24.0, 25.0),
            ("7x8", Tours::Paths, 60.0, 63.0),
            ("8x8", Tours::Closed, 188.0, 192.0),
            ("8x9", Tours::Closed, 231.0, 238.0),
        ] {
            let memory = Some((enough * f64::from(1 << 20)) as u64);
            let mut prepared = prepared_with(board, tours, &Options { memory, ..Options::default() });
            let least = pool.install(|| prepared.estimate().unwrap()).least() as f64 / f64::from(1 << 20);
            assert!((0.95 * few..1.1 * enough).contains(&least), "{board} {tours:?}: {least} MiB");
        }
    }

    #[test]
    fn the_least_memory_is_told_by_the_order_as_well() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let boards =
            [("6x8", Tours::Paths), ("7x8", Tours::Closed), ("7x8", Tours::Paths), ("8x8", Tours::Closed)];
        for (board, tours) in boards {
            let mut prepared = prepared(board, tours);
            let (told, exact) = pool.install(|| (prepared.outlook(), prepared.estimate().unwrap()));
            let ratio = told.least() as f64 / exact.least() as f64;
            assert!((0.95..1.3).contains(&ratio), "{board} {tours:?}: {ratio}");
            // Who follows the advice gets through, whatever it was told under.
            let options = Options { ends: Ends::One, memory: Some(exact.least()), ..Options::default() };
            let followed = prepared_with(board, tours, &options).estimate().unwrap();
            assert!(followed.least_under(exact.least()) < exact.least(), "{board} {tours:?}");
            assert!(followed.least() <= exact.least(), "{board} {tours:?}");
        }
    }

    #[test]
    fn what_is_stored_is_as_much_as_was_measured() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        // A ceiling in MiB, and what lay in the folder of a count with two threads at most.
        let told = |board: &str, tours, ceiling: u64| {
            let memory = Some(ceiling << 20);
            let options = Options { ends: Ends::One, memory, ..Options::default() };
            let mut prepared = prepared_with(board, tours, &options);
            let estimate = pool.install(|| prepared.forecast(60.0).unwrap());
            assert!(estimate.is_exact, "{board} {ceiling}: there is room for a dry run");
            estimate.outside(ceiling << 20).bytes as f64 / f64::from(1 << 20)
        };
        for (ceiling, stored) in [(80, 49.0), (100, 36.0), (120, 27.0)] {
            let told = told("7x8", Tours::Paths, ceiling);
            assert!(alike(told, stored), "7x8 {ceiling}: {told}, {stored}");
        }
        assert!(told("7x8", Tours::Paths, 200) < 1.0);
        for (ceiling, stored) in [(250, 101.0), (300, 71.0), (400, 16.0)] {
            let told = told("8x8", Tours::Closed, ceiling);
            assert!(alike(told, stored), "8x8 {ceiling}: {told}, {stored}");
        }
        for (ceiling, stored) in [(400, 171.0), (450, 128.0), (500, 80.0), (550, 52.0)] {
            let told = told("8x9", Tours::Closed, ceiling);
            assert!(alike(told, stored), "8x9 {ceiling}: {told}, {stored}");
        }
    }

    #[test]
    fn what_helps_is_enough_and_no_more() {
        let sweep = prepared("9x10", Tours::Closed).outlook();
        for free in [0, 1 << 30, 6 << 30, u64::MAX] {
            let enough = sweep.memory_beside(free);
            assert!(enough >= sweep.least() && sweep.outside(enough).bytes <= free);
            assert!(enough == sweep.least() || sweep.outside(enough / 100 * 97).bytes > free, "{free}");
        }
        let machines = [1, 2, 3, 8].map(|gib| sweep.machines(gib << 30));
        assert!(machines.is_sorted_by(|a, b| a.unwrap_or(u64::MAX) >= b.unwrap_or(u64::MAX)), "{machines:?}");
        let several = machines[3].unwrap();
        let with_reserve = |ranks| ceiling_for(sweep.clone().shared(ranks).peak_bytes);
        assert!(several > 1 && with_reserve(several) <= (8 << 30) + 4096);
        assert!(with_reserve(several - 1) > 8 << 30);
        assert_eq!((sweep.machines(sweep.fixed_bytes), sweep.machines(1 << 50)), (None, Some(1)));
        assert!(sweep.least_in_doubt(4) < sweep.least() && sweep.least_in_doubt(4) > sweep.fixed_bytes);
    }
}
