//! Counts: the numbers of tours of a board, and those that each next move leaves.

use std::sync::Mutex;

use ktour::board::Board;
use ktour::budget::{Requirements, Shortage};
use ktour::count::symmetric::{DistinctCounts, DistinctPlan, UpToSymmetry};
use ktour::count::{
    CountError, Counts, JobEstimate, RunObserver, Sums, TourTree, UnitSums, WorkPlan, directed_count,
    run_units,
};
use ktour::{BigUint, Control, Kind, Request, TourSpec};
use serde_json::{Map, json};

use crate::session::{Answer, Fault, MEMORY_BYTES, NATIVE_BUDGET, refuse};
use crate::tours::reason_for_zero;
use crate::{Part, progress};

/// Estimated seconds from which on the count up to symmetry is estimated with its sweeps.
const LONG_COUNT_SECONDS: f64 = 1.0;

/// Adds the sums of every finished unit, and reports the progress.
struct UnitObserver<'a>(Mutex<Sums>, Part, &'a Control);

impl RunObserver for UnitObserver<'_> {
    fn on_unit_done(&self, unit: usize, sums: &UnitSums) {
        self.0.on_unit_done(unit, sums);
        self.1.report(self.2);
    }
}

/// A planned count, and its estimate: after a dry run if a rough estimate leaves doubt.
struct Plan {
    work: WorkPlan,
    estimate: JobEstimate,
}

fn check(estimate: &JobEstimate) -> Result<(), Shortage> {
    NATIVE_BUDGET.check(&estimate.requirements())
}

impl Plan {
    fn new(request: &Request, control: &Control) -> Result<Self, CountError> {
        let work = WorkPlan::new_under(request, control)?.with_memory(Some(MEMORY_BYTES));
        let units = work.schedule();
        let mut estimate = work.rough_estimate(&units, control)?;
        if check(&estimate).is_err()
            && check(&estimate.lower_bound(request.board())).is_ok()
            && work.is_sequential()
        {
            estimate = work.estimate(&units, control)?;
        }
        Ok(Self { work, estimate })
    }

    /// Plans a count, and refuses it if it does not fit into the browser.
    fn admit(subject: &str, request: &Request, control: &Control) -> Result<Self, Fault> {
        let plan = Self::new(request, control)?;
        check(&plan.estimate).map_err(|shortage| {
            let closed = request.clone().with_kind(Kind::Closed).ok();
            let closed = closed.filter(|closed| closed.kind() != request.kind());
            let closed_fits = closed
                .and_then(|closed| Self::new(&closed, control).ok())
                .is_some_and(|plan| plan.has_units() && check(&plan.estimate).is_ok());
            refuse(subject, &shortage, closed_fits)
        })?;
        Ok(plan)
    }

    /// Returns false if the number is known without a count: often it is 0.
    fn has_units(&self) -> bool {
        !self.work.schedule().is_empty()
    }

    /// Plans the count up to symmetry, and refuses it if the time of both counts is too long.
    fn admit_distinct(&self, request: &Request, control: &Control) -> Result<DistinctPlan, Fault> {
        let distinct = DistinctPlan::new(UpToSymmetry::Distinct, request, Some(MEMORY_BYTES), false)?;
        let seconds = self.estimate.seconds.map_or(Ok(None), |seconds| {
            // The sweeps of a short count are short.
            let estimate = distinct.estimate(seconds >= LONG_COUNT_SECONDS, control)?;
            Ok::<_, CountError>(Some(seconds + estimate.seconds))
        })?;
        let needs = Requirements { seconds, ..Requirements::default() };
        NATIVE_BUDGET
            .check(&needs)
            .map_err(|shortage| refuse("Counting up to symmetry", &shortage, false))?;
        Ok(distinct)
    }
}

/// Runs a count as a part of a request.
fn run(work: &WorkPlan, part: Part) -> Result<Counts, Fault> {
    let control = part.new_control();
    let observer = UnitObserver(Mutex::new(work.validated_request().zero_sums()), part, &control);
    run_units(work, &work.schedule(), &control, &observer)?;
    let sums = observer.0.into_inner().expect("there is one thread");
    Ok(work.validated_request().answer(&sums)?.counts)
}

/// Counts the tours of one kind or of all, in both directions and, if `is_distinct`, up to symmetry.
pub fn count(board: &Board, kind: Option<Kind>, is_distinct: bool) -> Answer {
    let control = Control::new();
    let request = Request::of_kind(board.clone(), kind);
    let plan = Plan::admit("This count", &request, &control)?;
    let distinct_plan = is_distinct.then(|| plan.admit_distinct(&request, &control)).transpose();
    progress(0.0);
    let counts = run(&plan.work, Part::WHOLE)?;
    let distinct_counts = distinct_plan.and_then(|plan| match plan {
        Some(plan) => Ok(plan.count(&counts, &Part::WHOLE.new_control())?),
        None => Ok(DistinctCounts::default()),
    });
    let (distinct_counts, note) = match distinct_counts {
        Ok(distinct_counts) => (distinct_counts, None),
        Err(fault) => (DistinctCounts::default(), Some(fault.text)),
    };
    let mut csv = "board,kind,undirected,directed,distinct\n".to_owned();
    let (mut rows, mut reason) = (Vec::new(), None);
    for kind in Kind::ALL {
        let Some(number) = counts.get(kind) else { continue };
        let directed = directed_count(number, board.len());
        let distinct = distinct_counts.distinct(kind).map(ToString::to_string).unwrap_or_default();
        let row = [kind.name().to_owned(), number.to_string(), directed.to_string(), distinct];
        csv += &format!("\"{board}\",{}\n", row.join(","));
        rows.push(row);
        reason = reason_for_zero(&TourSpec::all(board.clone(), kind), number).or(reason);
    }
    Ok(json!({ "rows": rows, "notes": Vec::from_iter(reason.into_iter().chain(note)), "csv": csv }))
}

/// Counts the directed tours that visit each next square after `beginning`.
pub fn count_next(board: &Board, kind: Kind, beginning: &[String]) -> Answer {
    let beginning = beginning.iter().map(|name| board.vertex(name)).collect::<Result<Vec<u32>, _>>()?;
    let request = TourTree::whole_request(board, kind, &beginning)?;
    Plan::admit("Counting the tours with this beginning", &request, &Control::new())?;
    progress(0.0);
    let requests = TourTree::next_requests(board, kind, &beginning)?;
    let neighbours = board.graph().neighbours(beginning[beginning.len() - 1] as usize);
    let next = neighbours.iter().filter(|v| !beginning.contains(v));
    let (mut squares, mut total) = (Map::new(), BigUint::ZERO);
    for (index, (&v, request)) in next.zip(&requests).enumerate() {
        let work = WorkPlan::new_under(request, &Control::new())?.with_memory(Some(MEMORY_BYTES));
        let counts = run(&work, Part { index, parts: requests.len() })?;
        let number = counts.get(kind).expect("this kind was requested");
        squares.insert(board.name(v), json!(number.to_string()));
        total += number;
    }
    let reason = reason_for_zero(&TourSpec::all(board.clone(), kind), &total);
    Ok(json!({ "squares": squares, "total": total.to_string(), "reason": reason }))
}
