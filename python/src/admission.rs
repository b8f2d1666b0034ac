//! Admission checks: a run that would take more than a year, or does not fit, is refused unless it
//! is forced. The library decides and names the remedies; this module puts them into words, with
//! keywords instead of options.

use ktour::batch::{CountJob, CountLimits, SpillDir};
use ktour::budget::{DiskBudget, Refusal, RefusedPart, Remedy, Shortage};
use ktour::control::Control;
use ktour::count::admission::Alternatives;
use ktour::count::{CountError, JobEstimate};
use ktour::memory::{format_bytes, format_size};

use super::errors::{ErrorClass, JobError};

/// Remedy at the end of every refusal.
const FORCE_REMEDY: &str = "force=True starts it anyway";

/// Returns a remedy in words. `disk_keyword` is the argument with which the function uses the disk.
fn phrase(remedy: &Remedy, disk_keyword: &str) -> String {
    match *remedy {
        Remedy::RaiseMemory(bytes) => format!("raise memory= to \"{}\"", format_size(bytes)),
        Remedy::LargerMachine(size) => format!("use a machine with {size}"),
        Remedy::UseDisk(bytes) => {
            format!("give {disk_keyword}, which takes about {} of disk", format_bytes(bytes))
        }
        Remedy::FreeDisk(bytes) => format!("free {} of disk", format_bytes(bytes)),
        Remedy::Sweep(_) => "use engine=\"frontier\"".to_owned(),
        Remedy::WithoutSymmetry => "omit distinct=".to_owned(),
        _ => "use a smaller board".to_owned(),
    }
}

/// The arguments with which `count` uses the disk.
pub const COUNT_DISK_KEYWORDS: &str = "memory= or checkpoint=";
/// Stands for the arguments of functions that cannot use the disk.
pub const NO_DISK_KEYWORD: &str = "";

/// Returns the exception of a refused job. `name` is its title. `disk_keyword` is the argument with which the function
/// uses the disk.
fn refuse(name: &str, refusal: &Refusal, disk_keyword: &str) -> JobError {
    let force = match refusal.part {
        RefusedPart::Sweep => "engine=\"frontier\" with force=True starts the sweep anyway",
        _ => FORCE_REMEDY,
    };
    let refusal = refusal.clone();
    let refusal = if disk_keyword == NO_DISK_KEYWORD { refusal.without_disk() } else { refusal };
    let line = format!("{}; {force}", refusal.describe(name, |remedy| phrase(remedy, disk_keyword)));
    let class = match refusal.shortage {
        Shortage::Time { .. } => ErrorClass::TooLong,
        _ => ErrorClass::OutOfMemory,
    };
    JobError::new(class, line)
}

/// Returns the exception of a failed count. `name` is its title, which the error of a sweep that does not fit lacks.
/// `disk_keyword` is the argument with which the function uses the disk.
pub fn job_error(name: &str, error: impl Into<CountError>, disk_keyword: &str) -> JobError {
    match error.into() {
        CountError::Refused(refusal) => refuse(name, &refusal, disk_keyword),
        error => error.into(),
    }
}

/// Returns an error if a count would take more than a year, or does not fit. `name` is its title, and `disk_keyword` the
/// argument with which the function uses the disk.
pub fn check_count(
    name: &str,
    count: &CountJob,
    disk_keyword: &str,
    control: &Control,
) -> Result<(), JobError> {
    let folder = count.spill_dir.as_ref();
    let free = folder.map_or_else(|| SpillDir::free_bytes_at(&std::env::temp_dir()), SpillDir::free_bytes);
    let limits = CountLimits {
        free_disk: free.ok(),
        alternatives: Alternatives { sweep: true, ..Alternatives::default() },
        ..CountLimits::default()
    };
    let admitted = count.admit(&limits, control, &|_, _| ());
    admitted.map(|_| ()).map_err(|error| job_error(name, error, disk_keyword))
}

/// Returns an error if sweeps without a checkpoint do not fit into memory, or would take more than
/// a year.
pub fn check_sweep_in_memory(name: &str, estimate: &JobEstimate) -> Result<(), JobError> {
    estimate.admit(DiskBudget::Absent, false).map_err(|refusal| refuse(name, &refusal, NO_DISK_KEYWORD))
}

/// Returns the exception of an index that does not fit or would take more than a year.
pub fn refuse_index(name: &str, refusal: &Refusal) -> JobError {
    refuse(name, refusal, "folder=")
}
