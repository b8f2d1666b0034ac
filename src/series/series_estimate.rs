//! The estimate of a whole series: the time of all its runs, and whether each of them fits.

use super::board_range::{BoardLine, BoardRange, SeriesPart, SeriesRules};
use crate::board::Rectangle;
use crate::budget::{DiskBudget, Shortage};
use crate::control::Control;
use crate::count::admission::Admission;
use crate::count::{CountError, JobEstimate, Request, WorkPlan};
use crate::text_format::YEAR_SECONDS;

/// The estimated time of a whole series, and whether it can run on this machine.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SeriesEstimate {
    /// Number of boards in the estimate: all of the series, or those until the time exceeds a year.
    pub boards: usize,
    /// Number of runs: one for every sweep that counts a line of boards, or for every board that is
    /// counted alone.
    pub runs: usize,
    /// Time of all runs, one after the other, in seconds.
    pub seconds: f64,
    /// Greatest memory of a run in bytes.
    pub memory_bytes: u64,
    /// The first run that is refused; `None` if all runs fit.
    pub refusal: Option<SeriesRefusal>,
}

/// A run of a series that does not fit.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesRefusal {
    /// Title of the run, such as `5x2..60 in one sweep`.
    pub run: String,
    /// The resource that is too small.
    pub shortage: Shortage,
    /// True if the run fits with a checkpoint, next to which its layers are stored.
    pub can_save: bool,
}

/// What a run of a series needs, and the refusal if it does not fit.
type RunEstimate = (JobEstimate, Option<SeriesRefusal>);

impl SeriesEstimate {
    /// Estimates the time of a series. A run is a sweep that counts several boards, if `can_sweep`
    /// allows it, or the count of one board by the request that `request_on` returns. The rough estimate of a sweep
    /// is multiplied by `correction`, which a dry run of the largest board gives. `memory` is the memory limit in bytes,
    /// `disk` the disk space of a board that is counted alone. Cost: one plan for each run, at most a second, and a dry
    /// run of a run whose memory is short.
    ///
    /// # Errors
    /// A board is too large for any engine, or the error of `request_on`.
    pub fn new<E: From<CountError>>(
        boards: &BoardRange,
        (rules, can_sweep): (&SeriesRules, bool),
        correction: f64,
        (memory, disk): (Option<u64>, DiskBudget),
        request_on: &dyn Fn(Rectangle) -> Result<Request, E>,
    ) -> Result<Self, E> {
        let (mut total, control) = (Self::default(), Control::new());
        for part in boards.parts(rules, can_sweep) {
            let (factor, (needs, refusal)) = match &part {
                SeriesPart::Sweep(line) => {
                    let request = request_on(line.board(line.last()))?;
                    (correction, estimate_sweep(*line, rules, &request, memory, &control)?)
                }
                SeriesPart::Board(board) => {
                    (1.0, estimate_board(&request_on(board.clone())?, memory, disk, &control)?)
                }
            };
            total.memory_bytes = total.memory_bytes.max(needs.unspilled_bytes);
            total.refusal = total.refusal.or(refusal);
            total.boards += part.board_count();
            total.runs += 1;
            total.seconds += factor * needs.seconds.unwrap_or(f64::INFINITY);
            // Beyond a year the exact time does not matter.
            if total.seconds > YEAR_SECONDS {
                return Ok(total);
            }
        }
        Ok(total)
    }
}

/// Estimates one sweep for all boards of a line. It is held in memory, unless it has a checkpoint.
fn estimate_sweep(
    line: BoardLine,
    rules: &SeriesRules,
    request: &Request,
    memory: Option<u64>,
    control: &Control,
) -> Result<RunEstimate, CountError> {
    let mut plan = line.plan(rules, request.kind(), request.modulus, memory, control)?;
    let rough = plan.rough_estimate();
    let needs = if rough.is_memory_tight() { plan.admission_estimate(DiskBudget::Absent) } else { rough };
    let refusal = needs.check(DiskBudget::Absent).err().map(|shortage| SeriesRefusal {
        run: format!("{line} in one sweep"),
        shortage,
        can_save: needs.check(DiskBudget::Unknown).is_ok(),
    });
    Ok((needs, refusal))
}

/// Estimates the count of a board that is counted alone.
fn estimate_board(
    request: &Request,
    memory: Option<u64>,
    disk: DiskBudget,
    control: &Control,
) -> Result<RunEstimate, CountError> {
    let work_plan = WorkPlan::new(request)?.with_memory(memory);
    let units = work_plan.schedule();
    let admission = Admission { disk, ..Admission::new(request, &work_plan, &units) };
    let (rough, found) = admission.find_shortage(true, control)?;
    let refusal = |(_, shortage)| SeriesRefusal { run: request.title(), shortage, can_save: false };
    Ok((rough, found.map(refusal)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tour::Kind;

    fn estimate(range: &str, can_sweep: bool, memory: Option<u64>) -> SeriesEstimate {
        let request_on = |board: Rectangle| Ok::<_, CountError>(Request::of_kind(board, Kind::Closed));
        let (boards, rules) = (range.parse().unwrap(), SeriesRules::default());
        let limits = (memory, DiskBudget::Absent);
        SeriesEstimate::new(&boards, (&rules, can_sweep), 1.0, limits, &request_on).unwrap()
    }

    #[test]
    fn one_sweep_counts_a_line_and_single_boards_take_one_run_each() {
        let (one, several) = (estimate("5x4..9", true, None), estimate("5x4..9", false, None));
        assert_eq!((one.boards, one.runs, several.boards, several.runs), (6, 1, 6, 6));
        assert!(one.refusal.is_none() && several.refusal.is_none() && one.seconds > 0.0);
    }

    #[test]
    fn refusal_names_the_run() {
        let sweep = estimate("8x6..9", true, Some(8 << 20)).refusal.unwrap();
        assert!(sweep.run.ends_with(" in one sweep"), "{sweep:?}");
        assert!(matches!(sweep.shortage, Shortage::Memory { .. } | Shortage::MinMemory { .. }), "{sweep:?}");
        let single = estimate("8x6..9", false, Some(8 << 20)).refusal.unwrap();
        assert!(single.run.starts_with("8x") && !single.can_save, "{single:?}");
    }
}
