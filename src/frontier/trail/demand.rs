//! The size of an index of tours, estimated before it is built.
//!
//! ```text
//! plan -> Estimate of the one-sided sweep, by its order or a dry run
//!      -> layers:     a bit per weight, the bytes of a typical weight per state, and a line per word
//!      -> memory:     layers so far + memory of the sweep, or the latter alone if the layers go to a folder
//!      -> statistics: 8 bytes per weight of two layers
//! ```
//!
//! The bytes of states and the times were measured on 8x8: `results/steps-8x8-closed.csv` has the layers.

use std::fmt;
use std::sync::Arc;

use crate::frontier::problem::cancel::Cancel;
use crate::frontier::problem::cycles::{Cycles, Tours};
use crate::frontier::problem::field::Field;
use crate::frontier::problem::plan::Plan;
use crate::frontier::run::choice::known;
use crate::frontier::run::estimate::{Estimate, ceiling_for, dry_run_seconds, fixed_bytes};
use crate::frontier::run::nature::Nature;
use crate::frontier::run::{outlook, tariff};
use crate::frontier::state::course::Course;
use crate::frontier::state::feasibility::Feasibility;
use crate::frontier::state::signature::WORD_BITS;
use crate::frontier::trail::error::TrailError;
use crate::frontier::trail::flow::{MIDDLE, NARROW};
use crate::frontier::trail::planned::planned;
use crate::frontier::trail::writer::WAITING;
use crate::memory::in_words;

/// Share of nonzero weights in a stored layer, for boards that are not rectangles. The estimate is then 0.75
/// to 1.5 times the measured size for tori, a cylinder and 3x3x4.
const STRANGE: f64 = 0.8;

/// Bits by which the greatest weight of a group is below that of the layer.
const LESS: f64 = 6.5;

/// Nanoseconds of one core per weight, for packing it and for the backward pass of the statistics.
const PACKING: f64 = 2.0;
const FLOWING: f64 = 9.0;

/// Bits of the greatest number of completions up to which chunks are likely to have 32-bit numbers.
const NARROW_BITS: f64 = 30.0;

/// Share of the smaller of two layers of numbers that is in memory while the greater is complete.
const IN_FLIGHT: f64 = 0.35;

/// Bytes per word in a directory, and the share of the words of a frontier that are present. Measured on 6x7
/// to 7x8.
const LINE: f64 = 20.0;
const PRESENT: f64 = 0.5;

/// Factor by which the memory may exceed the estimate. Measured on 6x8, 7x7 and 7x8: with it the estimate is
/// sufficient, and a tenth to a quarter too high.
const IN_DOUBT: f64 = 1.05;

/// Factors by which an estimate may be too high: by a dry run, and by the order alone.
const DOUBT: (f64, f64) = (1.25, 2.0);

/// If the ceiling is this many times the rough estimate, a dry run is unnecessary.
const AMPLE: u64 = 2;

/// Longest dry run in seconds, where it decides whether the index is admitted.
const PATIENCE: f64 = 30.0;

/// The estimated size of an index.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Demand {
    /// The one-sided sweep that makes the layers.
    pub sweep: Estimate,
    /// Bytes of the stored layers.
    pub bytes: u64,
    /// Peak bytes of memory of the process, if the layers are stored in memory.
    pub memory: u64,
    /// Peak bytes of memory of the process, if the layers are stored in a folder: those of the sweep and of
    /// chunks queued for writing.
    pub with_folder: u64,
    /// Peak bytes of memory for exact statistics from layers in a folder.
    pub statistics: u64,
    /// Seconds to build the index on the threads of the current rayon pool, including evictions under the
    /// memory ceiling.
    pub seconds: f64,
    /// Seconds for exact statistics of all moves.
    pub statistics_seconds: f64,
}

/// A resource of which an index needs more than is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lack {
    /// Memory: bytes needed and bytes allowed.
    Memory(u64, u64),
    /// Memory for the tables alone, which cannot be evicted: bytes needed and bytes allowed.
    Tables(u64, u64),
    /// Disk space of the folder: bytes needed and bytes free.
    Disk(u64, u64),
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (needed, room, what) = match *self {
            Self::Memory(needed, room) => (needed, room, "of memory, {} may be used"),
            Self::Tables(needed, room) => (needed, room, "of memory for its tables alone, {} may be used"),
            Self::Disk(needed, room) => (needed, room, "of disk, {} are free"),
        };
        write!(f, "an index needs about {} {}", in_words(needed), what.replace("{}", &in_words(room)))
    }
}

impl Demand {
    /// Estimates an index of a graph's tours under the memory ceiling `memory`; `None` if the count is known
    /// without a sweep. Makes a dry run if that takes at most `max_seconds` seconds.
    ///
    /// # Errors
    /// The frontier is too wide, or it was cancelled.
    pub fn of(
        field: &Field,
        tours: Tours,
        memory: Option<u64>,
        patience: f64,
        cancel: &Cancel,
    ) -> Result<Option<Self>, TrailError> {
        if known(field, tours).is_some() {
            return Ok(None);
        }
        let cycles = Cycles::of(field, tours);
        let plan = Arc::new(planned(field, &cycles, cancel)?);
        let course = Course::new(&plan).ok_or(TrailError::Width { width: plan.slots() })?;
        let familiar = field.is_familiar();
        let rough = Self::roughly(&cycles, &plan, memory, familiar);
        Ok(Some(if dry_run_seconds(&course) <= patience {
            Self::exactly(&cycles, &Arc::new(course), memory, familiar, cancel).unwrap_or(rough)
        } else {
            rough
        }))
    }

    /// Estimates an index by its signature space, as accurately as the admission check requires.
    pub(super) fn of_course(
        cycles: &Cycles,
        course: &Arc<Course>,
        memory: Option<u64>,
        in_memory: bool,
        familiar: bool,
        cancel: &Cancel,
    ) -> Self {
        let rough = Self::roughly(cycles, course.plan(), memory, familiar);
        let needed = if in_memory { rough.memory } else { rough.sweep.fixed_bytes };
        let is_ample = memory.is_none_or(|memory| needed.saturating_mul(AMPLE) <= memory);
        let is_hopeless = memory.is_some_and(|memory| needed / AMPLE > memory);
        if is_ample || is_hopeless || dry_run_seconds(course) > PATIENCE {
            return rough;
        }
        Self::exactly(cycles, course, memory, familiar, cancel).unwrap_or(rough)
    }

    fn roughly(cycles: &Cycles, plan: &Plan, memory: Option<u64>, familiar: bool) -> Self {
        Self::of_sweep(
            Estimate::roughly(cycles, &Arc::new(plan.clone()), None, memory, Nature::exact(familiar)),
            cycles,
            plan,
            familiar,
            memory,
        )
    }

    fn exactly(
        cycles: &Cycles,
        course: &Arc<Course>,
        memory: Option<u64>,
        familiar: bool,
        cancel: &Cancel,
    ) -> Option<Self> {
        // Without memory for the tables no dry run is possible.
        if memory.is_some_and(|memory| fixed_bytes(course, true, Some(memory)) > memory) {
            return None;
        }
        let tables = Feasibility::new(course, None, memory, cancel);
        let sweep =
            Estimate::of(cycles, course, None, Some(tables), memory, Nature::exact(familiar), cancel)?;
        Some(Self::of_sweep(sweep, cycles, course.plan(), familiar, memory))
    }

    fn of_sweep(sweep: Estimate, cycles: &Cycles, plan: &Plan, familiar: bool, ceiling: Option<u64>) -> Self {
        let threads = rayon::current_num_threads().max(1) as f64;
        let (bits, density) = (tariff::bits(cycles, plan), outlook::density(plan, familiar));
        let greatest = bits.iter().copied().fold(0.0, f64::max);
        let wide = match greatest {
            bits if bits <= f64::from(NARROW) => 8.0,
            bits if bits <= f64::from(MIDDLE) => 16.0,
            bits => 32.0 + bits / 8.0,
        };
        let (mut bytes, mut memory, mut statistics) = (0.0, 0.0f64, 0.0f64);
        let (mut before, mut largest) = (0.0, 0.0f64);
        // A layer has about as many completions as the layer at the same distance from the end has weights.
        let onwards = bits.iter().rev().map(|&bits| if bits <= NARROW_BITS { 4.0 } else { wide });
        let frontiers = plan.steps().iter().map(|step| step.occupied.count_ones());
        let layers =
            sweep.layers.iter().zip(bits.iter().zip(&density)).zip(sweep.held.iter().zip(&sweep.making));
        for (((&places, (&bits, &density)), (&(held, _), &making)), (number, frontier)) in
            layers.zip(onwards.zip(frontiers))
        {
            let places = places as f64;
            memory = memory.max(bytes + held as f64 + making as f64);
            let kept =
                kept(places, bits, if familiar { density } else { STRANGE }) + directory(places, frontier);
            bytes += kept;
            largest = largest.max(kept);
            statistics = statistics.max(number * (places.max(before) + places.min(before) * IN_FLIGHT));
            before = places;
        }
        let places: f64 = sweep.layers.iter().map(|&places| places as f64).sum();
        let own = sweep.fixed_bytes as f64;
        let outside = ceiling.map(|ceiling| sweep.outside(ceiling)).unwrap_or_default();
        Self {
            bytes: bytes as u64,
            memory: ceiling_for(((own + memory.max(bytes)) * IN_DOUBT) as u64),
            with_folder: sweep.peak_bytes.saturating_add(WAITING.min(bytes as u64 / 2)),
            statistics: (own + largest + statistics) as u64,
            seconds: sweep.seconds + outside.seconds + places * PACKING / threads / 1e9,
            statistics_seconds: places * FLOWING / threads / 1e9,
            sweep,
        }
    }

    /// Returns the resource that is insufficient to build the index under the ceiling `memory`; `None` if all
    /// suffice or in doubt. `folder` is `None` for an index in memory, else the free bytes of the folder, if
    /// known.
    #[must_use]
    pub fn lacks(&self, memory: Option<u64>, folder: Option<Option<u64>>) -> Option<Lack> {
        let memory = memory?;
        let doubt = if self.sweep.is_exact { DOUBT.0 } else { DOUBT.1 };
        let tables = self.sweep.least_under(memory);
        if tables >= memory {
            return Some(Lack::Tables(tables, memory));
        }
        // A dry run gives the memory accurately.
        let needed = if self.sweep.is_exact { self.memory as f64 } else { self.memory as f64 / doubt };
        match folder {
            None if needed > memory as f64 => Some(Lack::Memory(self.memory, memory)),
            None | Some(None) => None,
            Some(Some(free)) => {
                let needed = self.bytes.saturating_add(self.sweep.outside(memory).bytes);
                (needed as f64 / doubt > free as f64).then_some(Lack::Disk(needed, free))
            }
        }
    }

    /// Returns the memory that is insufficient for statistics under the ceiling `memory`; `None` if it
    /// suffices or in doubt.
    #[must_use]
    pub fn statistics_lack(&self, memory: Option<u64>) -> Option<Lack> {
        let doubt = if self.sweep.is_exact { DOUBT.0 } else { DOUBT.1 };
        let memory = memory.filter(|&memory| self.statistics as f64 / doubt > memory as f64)?;
        Some(Lack::Memory(self.statistics, memory))
    }
}

/// Returns the bytes of a stored layer of `places` weights, of which the greatest has `bits` bits and the
/// share `density` is not zero.
fn kept(places: f64, bits: f64, density: f64) -> f64 {
    let states = places * density;
    // Group tags, bitmaps of nonempty groups, and weights.
    places / 64.0 + (places / 8.0).min(8.0 * states) + states * ((bits - LESS) / 8.0).max(1.0)
}

/// Returns the bytes of the directories of a layer of `places` weights on a frontier of `frontier` vertices:
/// a line per nonempty word, of those that the frontier can have.
fn directory(places: f64, frontier: u32) -> f64 {
    let words = 3f64.powi(frontier as i32) / WORD_BITS as f64;
    LINE * (words * PRESENT).min(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::trail::make::Making;
    use crate::frontier::trail::trails::{Place, Trails};

    fn field(board: &str) -> Field {
        Field::of(&board.parse().unwrap())
    }

    fn demand(board: &str, tours: Tours, patience: f64) -> Demand {
        Demand::of(&field(board), tours, None, patience, &Cancel::default()).unwrap().unwrap()
    }

    #[test]
    fn what_is_kept_is_told_roughly() {
        // On small boards directories take as much as weights, or more.
        for (board, tours) in [("6x8", Tours::Closed), ("6x7", Tours::Paths)] {
            let making = Making::new("tours");
            let made =
                Trails::make(&field(board), tours, &Place::Memory, &making, &mut |_, _, _, _| ()).unwrap();
            let told = demand(board, tours, 10.0);
            assert!(told.sweep.is_exact && told.seconds > told.sweep.seconds);
            let ratio = told.bytes as f64 / made.bytes() as f64;
            assert!(
                (0.3..3.0).contains(&ratio),
                "{board} {tours:?}: {} estimated, {} built",
                told.bytes,
                made.bytes()
            );
        }
    }

    #[test]
    fn an_index_takes_as_long_as_its_sweep_at_least() {
        let under = |memory| Demand::of(&field("10x10"), Tours::Closed, memory, 0.0, &Cancel::default());
        let [free, tight] = [None, Some(16 << 30)].map(|memory| under(memory).unwrap().unwrap());
        let outside = tight.sweep.outside(16 << 30);
        assert!(outside.seconds > free.sweep.seconds, "most of the time is disk access");
        assert!(free.seconds > free.sweep.seconds && tight.seconds > tight.sweep.seconds + outside.seconds);
    }

    #[test]
    fn the_index_of_the_chessboard_is_as_large_as_it_was() {
        // By the order alone; the index built has 1.44 GB.
        let told = demand("8x8", Tours::Closed, 0.0);
        assert!((0.8e9..2.4e9).contains(&(told.bytes as f64)), "{}", told.bytes);
        assert!(told.memory > told.bytes && told.lacks(Some(8 << 30), None).is_none());
        assert!(matches!(told.lacks(Some(500 << 20), None), Some(Lack::Memory(..))));
        assert!(matches!(told.lacks(Some(8 << 20), Some(None)), Some(Lack::Tables(..))));
        assert!(matches!(told.lacks(Some(500 << 20), Some(Some(1 << 20))), Some(Lack::Disk(..))));
        assert!(told.lacks(Some(500 << 20), Some(Some(9 << 30))).is_none());
        assert!(told.statistics_lack(Some(100 << 20)).is_some() && told.statistics_lack(None).is_none());
    }
}
