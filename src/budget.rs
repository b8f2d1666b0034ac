//! The admission check: what a job needs by its estimate, against what it may use.
//!
//! ```text
//! estimate -> Requirements --+
//!                            +-> Budget::check -> Shortage -> Refusal { shortage, remedies }
//! options, machine -> Budget +
//! ```
//!
//! Counts, symmetric counts, series and indexes of tours all use this check, before they start. A
//! [`Refusal`] holds numbers; the program and the Python module put them into words.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::memory::{format_bytes, round_up_size};
use crate::text_format::{YEAR_SECONDS, format_years};

/// Factors by which an estimate may exceed the actual need: the first after a dry run, the second for a
/// rough estimate. The part of a sweep that exceeds its memory may be overestimated by the second factor even
/// after a dry run.
const OVERESTIMATES: (f64, f64) = (1.25, 2.0);

/// Longest estimated time, in seconds, of a dry run that decides about a job or names a limit under which it fits.
pub(crate) const MAX_DRY_RUN_SECONDS: f64 = 30.0;

/// The estimated time, memory and disk space of a job.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Requirements {
    /// Seconds; `None` if there is no estimate.
    pub seconds: Option<f64>,
    /// Bytes of memory if nothing is on disk.
    pub memory: u64,
    /// Bytes that must be in memory even if everything else is on disk.
    pub min_memory: u64,
    /// Bytes on disk: what exceeds the memory limit, or what is stored there in any case.
    pub disk: u64,
    /// Factor by which `memory` may exceed the actual need.
    pub memory_overestimate: f64,
    /// Factor by which `disk` may exceed the actual need.
    pub disk_overestimate: f64,
}

/// Disk space for the part of a job that exceeds its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DiskBudget {
    /// The job has no folder on disk.
    Absent,
    /// The free space of the folder is unknown.
    Unknown,
    /// Number of free bytes of the folder.
    Free(u64),
}

/// The time, memory and disk space that a job may use.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Most seconds.
    pub seconds: f64,
    /// Most bytes of memory; `None` for no limit.
    pub memory: Option<u64>,
    /// Disk space.
    pub disk: DiskBudget,
}

/// The resource of which a job needs more than it may use.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shortage {
    /// The job would take too long.
    Time {
        /// Estimated seconds.
        seconds: f64,
        /// Estimated bytes of memory; 0 if the job needs hardly any.
        memory: u64,
    },
    /// Too little memory for what must be in memory even if everything else is on disk.
    MinMemory {
        /// Estimated bytes.
        needed: u64,
        /// Memory limit in bytes.
        available: u64,
    },
    /// Too little memory for a job that has no folder on disk.
    Memory {
        /// Estimated bytes.
        needed: u64,
        /// Memory limit in bytes.
        available: u64,
    },
    /// Too little memory for a sweep whose frontier is too wide for the disk.
    TooWide {
        /// Estimated bytes.
        needed: u64,
        /// Memory limit in bytes.
        available: u64,
    },
    /// Too little memory for the second count of a double check.
    SecondCount {
        /// Estimated bytes; `None` if no machine has enough.
        needed: Option<u64>,
        /// Memory limit in bytes.
        available: u64,
    },
    /// Too little free disk space for the part of the job that exceeds its memory.
    Disk {
        /// Estimated bytes.
        needed: u64,
        /// Free bytes of the folder.
        available: u64,
    },
}

/// The size of a machine on which a job fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineSize {
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes of memory and of disk of another machine on which the job fits, with less memory. `None` if a disk
    /// does not help.
    pub with_disk: Option<(u64, u64)>,
}

/// A change with which a refused job would fit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Remedy {
    /// A memory limit of this many bytes, which the machine has.
    RaiseMemory(u64),
    /// A machine of this size.
    LargerMachine(MachineSize),
    /// A folder for what exceeds the memory; the field is the number of bytes that it takes.
    UseDisk(u64),
    /// This many more free bytes in the folder.
    FreeDisk(u64),
    /// Smaller sweeps, whose counts determine the count of the job.
    Divide(Division),
    /// A sweep instead of a search; the field is its estimated number of seconds.
    Sweep(f64),
    /// Statistics by several counts, which take longer and need no index.
    WithoutIndex {
        /// The memory limit in bytes that these counts need, if it is higher than the present limit.
        memory: Option<u64>,
    },
    /// A list of fewer tours.
    FewerTours,
    /// A list into a pipe, whose reader may end it at any time.
    Pipe,
    /// Random tours instead of a list.
    Sample,
    /// The number of all tours instead of the number up to symmetry.
    WithoutSymmetry,
    /// A smaller board.
    SmallerBoard,
}

/// The division of a job into sweeps for several residues, into shards, or into shards for each residue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Division {
    /// Number of bits of the residues; `None` if the shards count exactly.
    pub residue_bits: Option<u32>,
    /// About how many residues determine the count, with one that checks the others; 1 without residues.
    pub residues: u32,
    /// Number of shards of each sweep; 1 for whole sweeps.
    pub shards: u32,
    /// Bytes of memory of the largest part, at most.
    pub memory: u64,
    /// Bytes of disk of the largest part, at most.
    pub disk: u64,
    /// Seconds of all parts one after the other, at most.
    pub seconds: f64,
}

/// The part of a job that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusedPart {
    /// The job itself.
    Job,
    /// A sweep in place of the search that was chosen. The search would take even longer.
    Sweep,
    /// The enumeration of all tours for numbers up to symmetry.
    Enumeration,
    /// An index of tours.
    Index,
    /// Exact statistics from an index.
    Statistics,
}

/// A job that is not admitted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Refusal {
    /// The resource that is too small.
    pub shortage: Shortage,
    /// Changes with which the job would fit; the best comes first. Never empty.
    pub remedies: Vec<Remedy>,
    /// The part of the job that does not fit.
    pub part: RefusedPart,
}

/// No needs, estimated roughly.
impl Default for Requirements {
    fn default() -> Self {
        Self {
            seconds: None,
            memory: 0,
            min_memory: 0,
            disk: 0,
            memory_overestimate: OVERESTIMATES.1,
            disk_overestimate: OVERESTIMATES.1,
        }
    }
}

impl Requirements {
    /// Returns the factor by which an estimate may exceed the actual need: by a dry run, or a rough one.
    #[must_use]
    pub const fn overestimate(is_exact: bool) -> f64 {
        if is_exact { OVERESTIMATES.0 } else { OVERESTIMATES.1 }
    }

    /// Returns the greater of both needs, resource by resource.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            seconds: self.seconds.into_iter().chain(other.seconds).reduce(f64::max),
            memory: self.memory.max(other.memory),
            min_memory: self.min_memory.max(other.min_memory),
            disk: self.disk.max(other.disk),
            memory_overestimate: self.memory_overestimate.max(other.memory_overestimate),
            disk_overestimate: self.disk_overestimate.max(other.disk_overestimate),
        }
    }
}

impl DiskBudget {
    /// Returns the budget of a folder with `free` free bytes, if the number is known.
    #[must_use]
    pub fn from_free(free: Option<u64>) -> Self {
        free.map_or(Self::Unknown, Self::Free)
    }

    /// Returns the smaller of both.
    fn min(self, other: Self) -> Self {
        match (self, other) {
            (Self::Absent, _) | (_, Self::Absent) => Self::Absent,
            (Self::Free(a), Self::Free(b)) => Self::Free(a.min(b)),
            (Self::Free(free), Self::Unknown) | (Self::Unknown, Self::Free(free)) => Self::Free(free),
            (Self::Unknown, Self::Unknown) => Self::Unknown,
        }
    }
}

impl Budget {
    /// Returns the budget of a job: a year, the given memory, no disk.
    #[must_use]
    pub const fn new(memory: Option<u64>) -> Self {
        Self { seconds: YEAR_SECONDS, memory, disk: DiskBudget::Absent }
    }

    /// Returns the smaller of both budgets, resource by resource.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self {
            seconds: self.seconds.min(other.seconds),
            memory: self.memory.into_iter().chain(other.memory).min(),
            disk: self.disk.min(other.disk),
        }
    }

    /// Checks that a job fits. A job that fits within the error of its estimate is admitted.
    ///
    /// # Errors
    /// The first resource that is too small: time, the memory that is always needed, memory, disk.
    pub fn check(&self, needs: &Requirements) -> Result<(), Shortage> {
        if let Some(seconds) = needs.seconds.filter(|&seconds| seconds > self.seconds) {
            return Err(Shortage::Time { seconds, memory: needs.memory });
        }
        let Some(available) = self.memory else { return Ok(()) };
        if needs.min_memory > available {
            return Err(Shortage::MinMemory { needed: needs.min_memory, available });
        }
        let fits_in_memory = needs.memory as f64 / needs.memory_overestimate <= available as f64;
        if fits_in_memory {
            return Ok(());
        }
        match self.disk {
            DiskBudget::Absent => Err(Shortage::Memory { needed: needs.memory, available }),
            _ => self.check_disk(needs),
        }
    }

    /// Checks that what the job stores on disk fits there, within the error of its estimate. A job without a
    /// folder stores nothing.
    ///
    /// # Errors
    /// [`Shortage::Disk`].
    pub fn check_disk(&self, needs: &Requirements) -> Result<(), Shortage> {
        match self.disk {
            DiskBudget::Free(available) if needs.disk as f64 / needs.disk_overestimate > available as f64 => {
                Err(Shortage::Disk { needed: needs.disk, available })
            }
            _ => Ok(()),
        }
    }
}

impl Shortage {
    /// Returns the needed and the available bytes of memory, if memory is too small. The needed bytes saturate.
    #[must_use]
    pub fn memory(self) -> Option<(u64, u64)> {
        match self {
            Self::MinMemory { needed, available }
            | Self::Memory { needed, available }
            | Self::TooWide { needed, available } => Some((needed, available)),
            Self::SecondCount { needed, available } => Some((needed.unwrap_or(u64::MAX), available)),
            Self::Time { .. } | Self::Disk { .. } => None,
        }
    }
}

/// Formats sizes in bytes: rounded, or whole bytes if the rounded sizes are equal.
fn distinct_sizes(sizes: [u64; 2]) -> [String; 2] {
    let [one, other] = sizes.map(format_bytes);
    if one == other && sizes[0] != sizes[1] {
        sizes.map(|bytes| format!("{bytes} bytes"))
    } else {
        [one, other]
    }
}

impl fmt::Display for Shortage {
    /// Writes what the job needs and what it may use, as the predicate of a sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Time { seconds, memory } => {
                write!(f, "would take about {}", format_years(seconds))?;
                match memory {
                    0 => Ok(()),
                    u64::MAX => write!(f, " and more memory than any machine has"),
                    memory => write!(f, " and {} of memory", format_bytes(memory)),
                }
            }
            Self::SecondCount { needed: None, .. } => {
                write!(f, "needs more memory for its second count than any machine has")
            }
            Self::Disk { needed: u64::MAX, available } => write!(
                f,
                "needs more disk than any machine has, and only {} are free",
                format_bytes(available)
            ),
            Self::MinMemory { needed, available }
            | Self::Memory { needed, available }
            | Self::TooWide { needed, available }
            | Self::SecondCount { needed: Some(needed), available }
            | Self::Disk { needed, available } => {
                let [needed, available] = distinct_sizes([needed, available]);
                let (what, may_use, more) = match self {
                    Self::MinMemory { .. } => ("memory even with everything else on disk", "may be used", ""),
                    Self::TooWide { .. } => {
                        ("memory", "may be used", ", and its frontier is too wide for the disk")
                    }
                    Self::SecondCount { .. } => ("memory for its second count", "may be used", ""),
                    Self::Disk { .. } => ("disk", "are free", ""),
                    _ => ("memory", "may be used", ""),
                };
                write!(f, "needs about {needed} of {what}, but only {available} {may_use}{more}")
            }
        }
    }
}

impl MachineSize {
    /// Returns the size of a machine with `memory` bytes of memory, without an alternative.
    #[must_use]
    pub const fn with_memory(memory: u64) -> Self {
        Self { memory, with_disk: None }
    }
}

impl fmt::Display for MachineSize {
    /// Writes the memory and the alternative, such as `90 GiB of memory, or with 12 GiB and 30 GiB of disk`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of memory", format_bytes(self.memory))?;
        match self.with_disk {
            None => Ok(()),
            Some((memory, disk)) => {
                write!(f, ", or with {} and {} of disk", format_bytes(memory), format_bytes(disk))
            }
        }
    }
}

impl Remedy {
    /// Returns true if the remedy names a size of memory or disk, or parts of the job by the size that they need.
    #[must_use]
    pub const fn is_size(&self) -> bool {
        matches!(
            self,
            Self::RaiseMemory(_)
                | Self::LargerMachine(_)
                | Self::UseDisk(_)
                | Self::FreeDisk(_)
                | Self::Divide(_)
        )
    }

    /// Returns the remedy for a lack of memory: a higher limit if a process of this machine may use `needed`
    /// bytes, otherwise a larger machine. `None` if no machine has this much.
    #[must_use]
    pub fn more_memory(needed: u64, max_memory: Option<u64>) -> Option<Self> {
        let rounded = round_up_size(needed);
        match max_memory {
            _ if needed == u64::MAX => None,
            Some(most) if rounded > most => Some(Self::LargerMachine(MachineSize::with_memory(needed))),
            _ => Some(Self::RaiseMemory(rounded)),
        }
    }
}

impl Refusal {
    /// Returns a refusal with its remedies. A smaller board is the remedy if no other is known.
    #[must_use]
    pub fn new(shortage: Shortage, mut remedies: Vec<Remedy>) -> Self {
        if remedies.is_empty() {
            remedies.push(Remedy::SmallerBoard);
        }
        Self { shortage, remedies, part: RefusedPart::Job }
    }

    /// Returns the refusal of a job that cannot use the disk: without the remedies that need a folder.
    #[must_use]
    pub fn without_disk(mut self) -> Self {
        self.remedies.retain(|remedy| !matches!(remedy, Remedy::UseDisk(_)));
        Self { part: self.part, ..Self::new(self.shortage, self.remedies) }
    }

    /// Returns the higher memory limit in bytes that a remedy recommends, if one does.
    #[must_use]
    pub fn recommended_memory(&self) -> Option<u64> {
        self.remedies.iter().find_map(|remedy| match *remedy {
            Remedy::RaiseMemory(bytes) => Some(bytes),
            _ => None,
        })
    }

    /// Returns the refusal in words, with the remedies as `phrase` puts them.
    #[must_use]
    pub fn describe(&self, name: &str, phrase: impl Fn(&Remedy) -> String) -> String {
        let subject = match self.part {
            RefusedPart::Job => name.to_owned(),
            RefusedPart::Sweep => format!("{name} by a sweep"),
            RefusedPart::Enumeration => format!("the enumeration of {name} for numbers up to symmetry"),
            RefusedPart::Index => format!("an index of {name}"),
            RefusedPart::Statistics => format!("a table of exact statistics of {name}"),
        };
        let remedies: Vec<String> = self.remedies.iter().map(phrase).collect();
        format!("{subject} {}; {}", self.shortage, remedies.join(", or "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEEDS: Requirements = Requirements {
        seconds: Some(60.0),
        memory: 100,
        min_memory: 10,
        disk: 0,
        memory_overestimate: OVERESTIMATES.0,
        disk_overestimate: OVERESTIMATES.1,
    };

    fn budget(memory: u64, disk: DiskBudget) -> Budget {
        Budget { disk, ..Budget::new(Some(memory)) }
    }

    #[test]
    fn check_admits_within_estimate_error() {
        let check = |needs, memory, disk| budget(memory, disk).check(&needs);
        assert_eq!(check(NEEDS, 90, DiskBudget::Absent), Ok(()));
        assert_eq!(
            check(NEEDS, 79, DiskBudget::Absent),
            Err(Shortage::Memory { needed: 100, available: 79 })
        );
        let rough = Requirements { memory_overestimate: OVERESTIMATES.1, ..NEEDS };
        assert_eq!(check(rough, 79, DiskBudget::Absent), Ok(()));
        let spilling = |disk| Requirements { disk, ..NEEDS };
        assert_eq!(check(spilling(160), 79, DiskBudget::Free(80)), Ok(()));
        assert_eq!(check(spilling(300), 79, DiskBudget::Unknown), Ok(()));
        let full = Err(Shortage::Disk { needed: 161, available: 80 });
        assert_eq!(check(spilling(161), 79, DiskBudget::Free(80)), full);
        assert_eq!(check(NEEDS, 10, DiskBudget::Unknown), Ok(()));
        let least = Err(Shortage::MinMemory { needed: 10, available: 9 });
        assert_eq!(check(NEEDS, 9, DiskBudget::Unknown), least);
        let long = Requirements { seconds: Some(2.0 * YEAR_SECONDS), ..NEEDS };
        assert!(matches!(check(long, 1000, DiskBudget::Absent), Err(Shortage::Time { memory: 100, .. })));
        assert_eq!(Budget::new(None).check(&Requirements { memory: u64::MAX, ..NEEDS }), Ok(()));
    }

    #[test]
    fn min_and_max_take_each_resource_alone() {
        let all = [
            budget(90, DiskBudget::Free(80)),
            budget(70, DiskBudget::Unknown),
            budget(80, DiskBudget::Free(150)),
        ];
        assert_eq!(all.into_iter().reduce(Budget::min), Some(budget(70, DiskBudget::Free(80))));
        assert_eq!(Budget::new(None).min(all[0]).disk, DiskBudget::Absent);
        let other = Requirements { seconds: None, memory: 50, disk: 400, memory_overestimate: 2.0, ..NEEDS };
        let both = NEEDS.max(other);
        assert_eq!(
            (both.seconds, both.memory, both.disk, both.memory_overestimate),
            (Some(60.0), 100, 400, 2.0)
        );
    }

    #[test]
    fn refusal_names_numbers_and_remedies() {
        let shortage = Shortage::Memory { needed: 14 << 30, available: 8 << 30 };
        let refusal = Refusal::new(shortage, vec![Remedy::UseDisk(5 << 30), Remedy::SmallerBoard]);
        let text = refusal.describe("9x10 closed", |remedy| match remedy {
            Remedy::UseDisk(bytes) => format!("add {}", format_bytes(*bytes)),
            _ => "use a smaller board".to_owned(),
        });
        assert_eq!(
            text,
            "9x10 closed needs about 14.0 GiB of memory, but only 8.00 GiB may be used; add 5.00 GiB, or use a \
             smaller board"
        );
        assert_eq!(Refusal::new(shortage, Vec::new()).remedies, [Remedy::SmallerBoard]);
    }

    #[test]
    fn sizes_that_round_to_the_same_text_are_printed_in_bytes() {
        let shortage = Shortage::Memory { needed: (166 << 20) + 1000, available: 166 << 20 };
        let text = "needs about 174064616 bytes of memory, but only 174063616 bytes may be used";
        assert_eq!(shortage.to_string(), text);
    }

    #[test]
    fn machine_size_names_memory_with_and_without_disk() {
        let size = MachineSize { memory: 90 << 30, with_disk: Some((12 << 30, 30 << 30)) };
        assert_eq!(size.to_string(), "90.0 GiB of memory, or with 12.0 GiB and 30.0 GiB of disk");
        assert_eq!(MachineSize::with_memory(90 << 30).to_string(), "90.0 GiB of memory");
    }

    #[test]
    fn refusal_without_disk_has_a_remedy() {
        let shortage = Shortage::Memory { needed: 14 << 30, available: 8 << 30 };
        let refusal = Refusal::new(shortage, vec![Remedy::UseDisk(5 << 30)]);
        let refusal = Refusal { part: RefusedPart::Sweep, ..refusal }.without_disk();
        assert_eq!((refusal.remedies, refusal.part), (vec![Remedy::SmallerBoard], RefusedPart::Sweep));
    }

    #[test]
    fn disk_beyond_any_number_has_no_size() {
        let text = |needed| Shortage::Disk { needed, available: 8 << 30 }.to_string();
        assert_eq!(text(u64::MAX), "needs more disk than any machine has, and only 8.00 GiB are free");
        assert_eq!(text(9 << 30), "needs about 9.00 GiB of disk, but only 8.00 GiB are free");
    }

    #[test]
    fn more_memory_never_names_more_than_the_machine_has() {
        let gib = |number: f64| (number * f64::from(1 << 30)) as u64;
        assert_eq!(Remedy::more_memory(gib(20.3), Some(gib(21.5))), Some(Remedy::RaiseMemory(gib(21.0))));
        let larger = Remedy::more_memory(gib(20.3), Some(gib(20.6)));
        assert_eq!(larger, Some(Remedy::LargerMachine(MachineSize::with_memory(gib(20.3)))));
        assert_eq!(Remedy::more_memory(5, None), Some(Remedy::RaiseMemory(1 << 20)));
        assert_eq!(Remedy::more_memory(u64::MAX, None), None);
    }
}
