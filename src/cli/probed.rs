//! Estimate of a search by random walks down its tree (Knuth 1975), for `ktour estimate`.

use std::time::{Duration, Instant};

use serde_json::json;

use super::estimated::Report;
use super::failure::Failure;
use super::human::{bytes, threads, time};
use ktour::control::Control;
use ktour::count::cost::search_seconds;
use ktour::count::{Engine, Forecast, Request, Work, count};
use ktour::search::probe;
use ktour::search::problem::Problem;
use ktour::search::split::Plan;
use ktour::search::width::MAX_SQUARES;
use ktour::tour::Kind;

/// Seconds to start and end the process.
pub const PROCESS: f64 = 0.005;

/// Core seconds, about a year on one core, above which a search is not estimated precisely.
const HOPELESS: f64 = 3e7;

/// Returns the estimated seconds of a search and adds its lines to the report. `None` if the board is too
/// large for a search.
pub fn search(
    request: &Request,
    kind: Kind,
    (probes, seed): (Option<u32>, u64),
    report: &mut Report,
) -> Result<Option<f64>, Failure> {
    let Request { arena, start, end, split_depth, .. } = request;
    if arena.len() > MAX_SQUARES {
        report.line("search", &format!("impossible: the board has more than {MAX_SQUARES} squares"));
        return Ok(None);
    }
    if arena.len() < 2 {
        // No search is needed.
        let answer = count(request, &Control::new())?;
        let tours = answer.counts.get(kind).map_or_else(String::new, ToString::to_string);
        let (board, square) = match (arena.layout().is_some(), arena.len()) {
            (true, _) => ("board", "one square"),
            (false, 0) => ("graph", "no vertex"),
            (false, _) => ("graph", "one vertex"),
        };
        report.line("search", &format!("not needed: a {board} with {square}"));
        report.line("  tours", &tours);
        report.note("search", json!({ "tours": tours.parse().unwrap_or(0.0), "seconds": 0.0 }));
        return Ok(Some(0.0));
    }
    let is_hopeless = search_seconds(request).is_some_and(|seconds| seconds > HOPELESS);
    let began = Instant::now();
    // A count prepares its work before the search. This does the same and measures the time, as for hundreds
    // of thousands of units it takes many seconds.
    if !is_hopeless {
        let work = Work::new(&Request { engine: Engine::Multipath, ..request.clone() })?;
        work.outlook(&work.schedule(), &Control::new())?;
        drop((work.estimates(&Control::new()), work));
    }
    let before = began.elapsed().as_secs_f64();
    let plan = Plan::new(Problem::new(arena, kind, *start, *end)?, *split_depth)?;
    let probes = probes.unwrap_or(if is_hopeless { 4 } else { 32 });
    let estimate = probe::estimate(&plan, probes, seed);
    let all = rayon::current_num_threads();
    report.line("search", &format!("{} units (split depth {})", plan.units().len(), plan.split_depth()));
    report.line("  probes", &estimate.probes.to_string());
    report.line(
        "  nodes",
        &format!("{} visited by a list; a count skips repeated ones", with_error(estimate.nodes)),
    );
    report.line("  tours", &with_error(estimate.tours));
    let mut seconds = 0.0;
    if let Some(speed) = probe::speed(&plan, &estimate, Duration::from_millis(300)) {
        // Units are dealt to shards in turn.
        seconds = PROCESS + before + estimate.nodes.0 / speed / all as f64 / f64::from(request.parts);
        report.line("  speed", &format!("{speed:.3e} nodes/s per core in a count, skipped nodes included"));
        let of = if request.parts > 1 { ", for one shard" } else { "" };
        report.line("  time", &format!("{} on {}{of}", time(seconds), threads(all)));
    }
    report.note(
        "search",
        json!({ "nodes": estimate.nodes.0, "nodes_error": estimate.nodes.1, "tours": estimate.tours.0,
            "tours_error": estimate.tours.1, "seconds": seconds }),
    );
    Ok(Some(seconds))
}

/// Adds the estimate of a search by path extension to the report.
pub fn extension(request: &Request, report: &mut Report) -> Result<(), Failure> {
    let work = Work::new(&Request { engine: Engine::Backtrack, ..request.clone() })?;
    let Forecast { seconds, memory, .. } = work.outlook(&work.schedule(), &Control::new())?;
    let seconds = seconds.map(|seconds| seconds / f64::from(request.parts));
    let (told, all) = (time(seconds.unwrap_or(f64::INFINITY)), threads(rayon::current_num_threads()));
    report.line("search", &format!("{} units, by path extension", work.units()));
    report.line("  memory", &bytes(memory));
    report.line("  time", &format!("{told} on {all}, within a factor of a few"));
    report.note("search", json!({ "units": work.units(), "memory_bytes": memory, "seconds": seconds }));
    Ok(())
}

fn with_error((value, error): (f64, f64)) -> String {
    if value < 1e6 { format!("{value:.0} +- {error:.0}") } else { format!("{value:.3e} +- {error:.1e}") }
}
