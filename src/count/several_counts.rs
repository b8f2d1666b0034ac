//! The estimate of several counts that are made one after the other: their time, and the memory of the count that needs
//! the most.
//!
//! ```text
//! rough estimates of all counts -> those that may need the most -> dry runs -> JobEstimate
//! ```

use std::cmp::Reverse;

use super::sweep_units::SweepUnits;
use super::{CountError, JobEstimate, Request, WorkPlan};
use crate::budget::MAX_DRY_RUN_SECONDS;
use crate::clock::Instant;
use crate::control::Control;

/// Safety factor on the measured memory of the greatest of several counts. By this ratio to the greatest result of the
/// dry runs, the counts fit at the second number and not at the first:
///
/// ```text
/// 6x6 paths by ends             1.0   1.1        7x7 paths from a1, by next square       1.0   1.1
/// 7x7 paths by ends             1.0   1.36       7x7 open tours from d4                  1.0   1.1
/// 5x8 open tours by ends        0.9   1.0        6x8 closed tours from a1-b3             0.8   0.9
/// 5x6 torus, paths by ends      0.8   0.9        4-regular graph of 34, closed tours     0.9   1.0
/// 6x7 without d4, by ends       0.9   1.0        4-regular graph of 34, paths            0.9   1.0
/// ```
const SEVERAL_COUNTS_MARGIN_FACTOR: f64 = 1.4;

/// Several counts have a dry run each if this number times the rough need exceeds the memory limit.
const TIGHT_MEMORY_FACTOR: u64 = 3;

/// Returns the estimate of several counts, one after the other, whose sweeps are held in memory: the sum of the
/// times, and the memory of the count that needs the most. A count that this machine cannot make ends the
/// estimate; the result is then that of this count. `memory` is the memory limit in bytes. Cost: the planning of
/// all counts, and a few dry runs.
///
/// # Errors
/// The frontier of a sweep is too wide, or the control was cancelled.
pub fn estimate_counts(
    requests: impl IntoIterator<Item = Request>,
    memory: Option<u64>,
    control: &Control,
) -> Result<JobEstimate, CountError> {
    let mut seconds = 0.0;
    let (mut counts, mut greatest_search) = (Vec::new(), None::<PlannedCount>);
    for request in requests {
        let work = WorkPlan::new_under(&request, control)?.with_memory(memory);
        let mut rough = work.rough_estimate(&work.schedule(), control)?;
        if rough.is_beyond_machine() {
            // Required moves make a sweep much smaller than the order of the squares shows.
            rough = work.estimate(&work.schedule(), control)?;
            if rough.is_beyond_machine() {
                return Ok(rough);
            }
            // The tables of all counts would take too much memory.
            work.sweep_units().into_iter().for_each(SweepUnits::drop_tables);
        }
        seconds += rough.seconds.unwrap_or(0.0);
        let count = PlannedCount { needed: rough.memory_without_disk(), seconds: rough.seconds, work };
        if count.work.is_sequential() {
            counts.push(count);
        } else if greatest_search.as_ref().is_none_or(|greatest| count.needed > greatest.needed) {
            // The units of all searches would take gigabytes.
            greatest_search = Some(count);
        }
    }
    counts.extend(greatest_search);
    counts.sort_by_key(|count| Reverse(count.needed));
    let Some(first) = counts.first() else {
        return Ok(JobEstimate::from_sweeps(Vec::new(), memory));
    };
    let mut estimate = first.work.estimate(&first.work.schedule(), control)?;
    if let (Some(rough), Some(better)) = (first.seconds, estimate.seconds)
        && rough > 0.0
    {
        seconds *= better / rough;
    }
    let limit = estimate.memory_limit.unwrap_or(u64::MAX);
    if first.work.is_sequential() && first.needed > limit / TIGHT_MEMORY_FACTOR {
        estimate = JobEstimate { memory_limit: estimate.memory_limit, ..measure_greatest(counts, control)? };
    }
    // The sweeps are held in memory, whatever a sweep could spill.
    let memory_bytes = estimate.unspilled_bytes;
    Ok(JobEstimate { seconds: Some(seconds), memory_bytes, disk_bytes: 0, checkpoint_bytes: 0, ..estimate })
}

/// One of several counts, with its plan and its rough estimate.
struct PlannedCount {
    work: WorkPlan,
    /// Bytes of memory without a disk.
    needed: u64,
    seconds: Option<f64>,
}

/// Returns the estimate of the sweep that needs the most memory, by dry runs under the memory limit of the machine:
/// under a limit that is less than the tables need, no dry run is possible. `counts` are sorted by their rough needs,
/// the greatest first. The result has a margin.
fn measure_greatest(counts: Vec<PlannedCount>, control: &Control) -> Result<JobEstimate, CountError> {
    let start = Instant::now();
    let mut greatest: Option<JobEstimate> = None;
    for PlannedCount { work, needed: rough, .. } in counts {
        let best = greatest.as_ref().map_or(0, |estimate| estimate.unspilled_bytes);
        if rough < best / TIGHT_MEMORY_FACTOR {
            break;
        }
        let seconds = MAX_DRY_RUN_SECONDS - start.elapsed().as_secs_f64();
        if greatest.is_some() && seconds <= 0.0 {
            break;
        }
        let work = work.with_memory(None).with_dry_run_seconds(seconds);
        let measured = work.estimate(&work.schedule(), control)?;
        let needed = measured.memory_without_disk();
        if needed > best {
            greatest = Some(JobEstimate { unspilled_bytes: needed, ..measured });
        }
    }
    let greatest = greatest.expect("there is a count");
    let needed = (greatest.unspilled_bytes as f64 * SEVERAL_COUNTS_MARGIN_FACTOR) as u64;
    Ok(JobEstimate { unspilled_bytes: needed, min_memory_bytes: needed, ..greatest })
}
