//! What layers that are kept will take, before they are made.
//!
//! ```text
//! plan -> Estimate of the sweep from one end, by its order or a dry run
//!      -> kept:       a bit a place, as many bytes a state as most weights have, and a line a word
//!      -> memory:     kept so far + what the sweep holds and makes, or that alone if they go to a folder
//!      -> statistics: 8 bytes for every weight of two layers
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

/// Part of the places of a layer that is kept that have a weight, where it is no rectangle's: tells 0.75 to 1.5 times
/// what was kept of tori, a cylinder and 3x3x4.
const STRANGE: f64 = 0.8;

/// Bits that the greatest weight of a group lacks to that of the layer.
const LESS: f64 = 6.5;

/// Nanoseconds of a core for packing a place, and for going back over it.
const PACKING: f64 = 2.0;
const FLOWING: f64 = 9.0;

/// Bits of a greatest number of completions up to which they are likely to be kept in 32.
const NARROW_BITS: f64 = 30.0;

/// What there is of the smaller of two layers of numbers while the greater is complete.
const IN_FLIGHT: f64 = 0.35;

/// Bytes of a word in a directory, and the part of the words of a frontier that are there. Measured on 6x7 to 7x8.
const LINE: f64 = 20.0;
const PRESENT: f64 = 0.5;

/// What is held in memory may be so many times as much as is told. Measured on 6x8, 7x7 and 7x8: with it, what is told is
/// enough, and a tenth to a quarter too much.
const IN_DOUBT: f64 = 1.05;

/// What is told may be so many times too high: by a dry run, or by the order alone.
const DOUBT: (f64, f64) = (1.25, 2.0);

/// A ceiling this many times what is needed by the order is no reason for a dry run.
const AMPLE: u64 = 2;

/// Seconds that a dry run may take where it decides.
const PATIENCE: f64 = 30.0;

/// What an index takes.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Demand {
    /// The sweep from one end that makes the layers.
    pub sweep: Estimate,
    /// Bytes of the layers that are kept.
    pub bytes: u64,
    /// Bytes of memory of the process, if they are kept there.
    pub memory: u64,
    /// The same, if they are kept in a folder: those of the sweep, and what waits to be written.
    pub with_folder: u64,
    /// Bytes of memory of the process that has exact statistics from layers in a folder.
    pub statistics: u64,
    /// Seconds to make it on the threads of the current rayon pool, what has no room under the ceiling brought away and
    /// back included.
    pub seconds: f64,
    /// Seconds for exact statistics of all moves.
    pub statistics_seconds: f64,
}

/// What there is not enough of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lack {
    /// Memory: bytes that it needs, and those that it may use.
    Memory(u64, u64),
    /// Memory for the tables alone, whatever goes elsewhere.
    Tables(u64, u64),
    /// Room in the folder: bytes that it needs, and those that are free.
    Disk(u64, u64),
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (needed, room, what) = match *self {
            Self::Memory(needed, room) => (needed, room, "of memory, and {} may be used"),
            Self::Tables(needed, room) => {
                (needed, room, "of memory for its tables alone, and {} may be used")
            }
            Self::Disk(needed, room) => (needed, room, "on the disk, and {} are free"),
        };
        write!(f, "an index needs about {} {}", in_words(needed), what.replace("{}", &in_words(room)))
    }
}

impl Demand {
    /// What the layers of a field's tours will take under a ceiling; nothing if their number is known without. A dry run
    /// is made if it takes no more than `patience` seconds.
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

    /// The same of a plan, as well as is needed to know whether it fits.
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
        // Where there is no room for tables, there is none for a dry run.
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
        // There are about as many ways on from a layer as lead to the one that is as far from the end.
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

    /// What it lacks to be made under a ceiling, in doubt nothing: in memory, or with so many bytes free in a folder,
    /// where that is known.
    #[must_use]
    pub fn lacks(&self, memory: Option<u64>, folder: Option<Option<u64>>) -> Option<Lack> {
        let memory = memory?;
        let doubt = if self.sweep.is_exact { DOUBT.0 } else { DOUBT.1 };
        let tables = self.sweep.least_under(memory);
        if tables >= memory {
            return Some(Lack::Tables(tables, memory));
        }
        // A dry run tells what is held in memory.
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

    /// What its statistics lack: memory, if anything.
    #[must_use]
    pub fn statistics_lack(&self, memory: Option<u64>) -> Option<Lack> {
        let doubt = if self.sweep.is_exact { DOUBT.0 } else { DOUBT.1 };
        let memory = memory.filter(|&memory| self.statistics as f64 / doubt > memory as f64)?;
        Some(Lack::Memory(self.statistics, memory))
    }
}

/// Bytes of a layer of so many places, the greatest of whose weights has so many bits, and of which this part is there.
fn kept(places: f64, bits: f64, density: f64) -> f64 {
    let states = places * density;
    // Tags, maps of groups that are not empty, and weights.
    places / 64.0 + (places / 8.0).min(8.0 * states) + states * ((bits - LESS) / 8.0).max(1.0)
}

/// Bytes of the directories of a layer of so many places after a step with such a frontier: a line for each word with a
/// place, of as many as the frontier can have.
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
        // Of small boards directories take as much again as weights, and more.
        for (board, tours) in [("6x8", Tours::Closed), ("6x7", Tours::Paths)] {
            let making = Making::new("tours");
            let made =
                Trails::make(&field(board), tours, &Place::Memory, &making, &mut |_, _, _, _| ()).unwrap();
            let told = demand(board, tours, 10.0);
            assert!(told.sweep.is_exact && told.seconds > told.sweep.seconds);
            let ratio = told.bytes as f64 / made.bytes() as f64;
            assert!(
                (0.3..3.0).contains(&ratio),
                "{board} {tours:?}: {} told, {} made",
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
        assert!(outside.seconds > free.sweep.seconds, "most of the time goes to the disk");
        assert!(free.seconds > free.sweep.seconds && tight.seconds > tight.sweep.seconds + outside.seconds);
    }

    #[test]
    fn the_index_of_the_chessboard_is_as_large_as_it_was() {
        // By the order alone; made, it has 1.44 GB.
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
