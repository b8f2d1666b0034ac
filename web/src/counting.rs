//! Counts: the numbers of tours of a board, and those that each next move leaves.

use std::sync::Mutex;

use ktour::board::Board;
use ktour::count::symmetric::{DistinctPlan, UpToSymmetry};
use ktour::count::{
    CountError, JobEstimate, NextMoves, RunObserver, Sums, UnitSums, WorkPlan, directed_count, run_units,
};
use ktour::{Control, Kind, Request};
use serde_json::{Map, Value, json};

use crate::session::{Answer, Fault, MEMORY_BYTES, NATIVE_BUDGET, refuse};
use crate::{new_control, report};

/// Adds the sums of every finished unit, and reports the progress.
struct UnitObserver<'a>(Mutex<Sums>, &'a Control);

impl RunObserver for UnitObserver<'_> {
    fn on_unit_done(&self, unit: usize, sums: &UnitSums) {
        self.0.on_unit_done(unit, sums);
        report(self.1);
    }
}

/// Plans a count, and checks that it fits into the browser, by a dry run if a rough estimate leaves doubt.
fn admit(subject: &str, request: &Request, control: &Control) -> Result<WorkPlan, Fault> {
    let work = WorkPlan::new_with_control(request, control)?.with_memory(Some(MEMORY_BYTES));
    let units = work.schedule();
    let check = |estimate: &JobEstimate| NATIVE_BUDGET.check(&estimate.requirements());
    let mut estimate = work.rough_estimate(&units, control)?;
    if check(&estimate).is_err() && check(&estimate.lower_bound()).is_ok() && work.is_sequential() {
        estimate = work.estimate(&units, control)?;
    }
    check(&estimate).map_err(|shortage| refuse(subject, &shortage))?;
    Ok(work)
}

/// Counts the tours of one kind or of all, in both directions and, if `is_distinct`, up to symmetry.
pub fn count(board: &Board, kind: Option<Kind>, is_distinct: bool) -> Answer {
    let control = new_control();
    let request = Request { kind, ..Request::new(board.clone()) };
    let work = admit("This count", &request, &control)?;
    let observer = UnitObserver(Mutex::new(work.validated_request().zero_sums()), &control);
    run_units(&work, &work.schedule(), &control, &observer)?;
    let sums = observer.0.into_inner().expect("there is one thread");
    let counts = work.validated_request().answer(&sums)?.counts;
    let count_distinct = || -> Result<_, CountError> {
        let plan = DistinctPlan::new(UpToSymmetry::Distinct, &request, Some(MEMORY_BYTES), false)?;
        plan.count(&counts, &control)
    };
    let (distinct, note) = match is_distinct.then(count_distinct).transpose() {
        Ok(distinct) => (distinct.unwrap_or_default(), None),
        Err(error) => (Default::default(), Some(Fault::from(error).0)),
    };
    let mut csv = "board,kind,undirected,directed,distinct\n".to_owned();
    let mut rows = Vec::new();
    for kind in Kind::ALL {
        let Some(number) = counts.get(kind) else { continue };
        let directed = directed_count(number, board.len());
        let distinct = distinct.distinct(kind).map(ToString::to_string).unwrap_or_default();
        let row = [kind.name().to_owned(), number.to_string(), directed.to_string(), distinct];
        csv += &format!("\"{board}\",{}\n", row.join(","));
        rows.push(row);
    }
    Ok(json!({ "rows": rows, "note": note, "csv": csv }))
}

/// Counts the directed tours that visit each next square after `beginning`.
pub fn count_next(board: &Board, kind: Kind, beginning: &[String]) -> Answer {
    let control = new_control();
    let beginning = beginning.iter().map(|name| board.vertex(name)).collect::<Result<Vec<u32>, _>>()?;
    let request = NextMoves::whole_request(board, kind, &beginning)?;
    admit("Counting the tours with this beginning", &request, &control)?;
    let next = NextMoves::count(board, kind, &beginning, Some(MEMORY_BYTES), &control)?;
    let squares: Map<String, Value> =
        next.squares.iter().map(|(v, count)| (board.name(*v), json!(count.to_string()))).collect();
    Ok(json!({ "squares": squares, "total": next.total().to_string() }))
}
