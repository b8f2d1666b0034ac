//! Counts: the numbers of tours of a board, and those that each next move leaves.

use std::sync::Mutex;

use ktour::board::Board;
use ktour::count::symmetric::{DistinctPlan, UpToSymmetry};
use ktour::count::{
    JobEstimate, NextMoves, RunObserver, Sums, UnitSums, WorkPlan, directed_count, run_units,
};
use ktour::{Control, Kind, Request};
use serde_json::{Value, json};

use crate::host;
use crate::session::{Answer, Fault, MEMORY_BYTES, check_budget};

/// Adds the sums of every finished unit, and reports the progress.
struct UnitObserver<'a> {
    sums: Mutex<Sums>,
    control: &'a Control,
}

impl RunObserver for UnitObserver<'_> {
    fn on_unit_done(&self, _: usize, sums: &UnitSums) {
        self.sums.lock().expect("there is one thread").add_unit(sums);
        host::report(self.control);
    }
}

/// Checks that a count fits into the browser: by its rough estimate, and by a dry run if that is not sure.
fn admit(subject: &str, work: &WorkPlan, control: &Control) -> Result<(), Fault> {
    let units = work.schedule();
    let check = |estimate: &JobEstimate| check_budget(subject, &estimate.requirements());
    let rough = work.rough_estimate(&units, control)?;
    let Err(refusal) = check(&rough) else { return Ok(()) };
    if check(&rough.lower_bound()).is_err() || !work.is_sequential() {
        return Err(refusal);
    }
    check(&work.estimate(&units, control)?)
}

/// Counts the tours of one kind or of all, in both directions and, if `is_distinct`, up to symmetry.
pub fn count(board: &Board, kind: Option<Kind>, is_distinct: bool) -> Answer {
    let control = host::new_control();
    let request = Request { kind, ..Request::new(board.clone()) };
    let work = WorkPlan::new_with_control(&request, &control)?;
    let work = work.with_memory(Some(MEMORY_BYTES));
    admit("This count", &work, &control)?;
    let observer = UnitObserver { sums: Mutex::new(work.validated_request().zero_sums()), control: &control };
    run_units(&work, &work.schedule(), &control, &observer)?;
    let sums = observer.sums.into_inner().expect("there is one thread");
    let counts = work.validated_request().answer(&sums)?.counts;
    let distinct = is_distinct.then(|| {
        let plan = DistinctPlan::new(UpToSymmetry::Distinct, &request, Some(MEMORY_BYTES), false)?;
        plan.count(&counts, &control)
    });
    let (distinct, why_not) = match distinct.transpose() {
        Ok(distinct) => (distinct, None),
        Err(error) => (None, Some(Fault::from(error).0)),
    };
    let row = |kind: Kind| -> Option<Value> {
        let number = counts.get(kind)?;
        Some(json!({
            "kind": kind.name(),
            "undirected": number.to_string(),
            "directed": directed_count(number, board.len()).to_string(),
            "distinct": distinct.as_ref().and_then(|all| all.distinct(kind)).map(ToString::to_string),
        }))
    };
    let rows: Vec<Value> = Kind::ALL.into_iter().filter_map(row).collect();
    Ok(json!({ "rows": rows, "note": why_not }))
}

/// Counts the directed tours that visit each next square after `beginning`.
pub fn count_next(board: &Board, kind: Kind, beginning: &[u32]) -> Answer {
    let control = host::new_control();
    let request = NextMoves::whole_request(board, kind, beginning)?;
    let work = WorkPlan::new_with_control(&request, &control)?;
    admit("Counting the tours with this beginning", &work.with_memory(Some(MEMORY_BYTES)), &control)?;
    let next = NextMoves::count(board, kind, beginning, Some(MEMORY_BYTES), &control)?;
    let squares: Vec<Value> = next.squares.iter().map(|(v, count)| json!([v, count.to_string()])).collect();
    Ok(json!({ "squares": squares, "total": next.total().to_string() }))
}
