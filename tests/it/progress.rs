//! Progress reports of counts and estimates during a run, and cancellation of estimates.

use std::sync::Mutex;

use ktour::board::Leaper;
use ktour::control::Control;
use ktour::count::{CountError, Engine, WorkPlan, count, run_units};
use ktour::tour::Kind;

use super::searches_against_oracle::{board, request};

#[test]
fn progress_uses_unit_estimates() {
    // This count takes minutes. The test cancels it as soon as the fraction differs from the fraction of
    // units.
    let control = Control::new().with_progress_reader();
    let closed_request =
        request(&board("7x8"), Leaper::KNIGHT, Engine::Multipath).with_kind(Kind::Closed).unwrap();
    std::thread::scope(|scope| {
        let run = scope.spawn(|| count(&closed_request, &control));
        let is_weighted = loop {
            let reading = control.progress();
            let unit_fraction = reading.units_done as f64 / reading.units.max(1) as f64;
            if (reading.fraction - unit_fraction).abs() > 1e-9 {
                break true;
            }
            if run.is_finished() || reading.units_done > 2000 {
                break false;
            }
            std::thread::yield_now();
        };
        control.cancel();
        assert!(matches!(run.join().unwrap(), Err(CountError::Stopped(_))), "a stopped run has no result");
        assert!(is_weighted, "the fraction of progress equals the fraction of units");
    });
}

#[test]
fn sweep_progress_is_monotonic_and_ends_at_1() {
    let control = Control::new().with_progress_reader();
    let all_kinds_request = request(&board("6x7"), Leaper::KNIGHT, Engine::Frontier).with_kind(None).unwrap();
    let work = WorkPlan::new(&all_kinds_request).unwrap();
    work.estimate(&work.schedule(), &control).unwrap();
    let sums = Mutex::new(work.validated_request().zero_sums());
    let mut fractions = Vec::new();
    std::thread::scope(|scope| {
        let run = scope.spawn(|| run_units(&work, &work.schedule(), &control, &sums));
        while !run.is_finished() {
            fractions.push(control.progress().fraction);
            std::thread::yield_now();
        }
        run.join().unwrap().unwrap();
    });
    // The fraction is 0 until the sweep has planned its units.
    fractions.push(control.progress().fraction);
    assert!(fractions.is_sorted() && fractions.last() == Some(&1.0), "{fractions:?}");
}

#[test]
fn cancelled_estimates_stop() {
    let control = Control::new();
    control.cancel();
    // The frontier of the last two boards is too wide for a sweep along the rows.
    for size in ["10x10", "8x8", "5x32", "6x40"] {
        let closed_request =
            request(&board(size), Leaper::KNIGHT, Engine::Frontier).with_kind(Kind::Closed).unwrap();
        let work = WorkPlan::new(&closed_request).unwrap();
        assert!(matches!(work.estimate(&work.schedule(), &control), Err(CountError::Stopped(_))));
        assert!(matches!(count(&closed_request, &control), Err(CountError::Stopped(_))));
    }
    for engine in [Engine::Multipath, Engine::Backtrack] {
        let closed_request = request(&board("6x7"), Leaper::KNIGHT, engine).with_kind(Kind::Closed).unwrap();
        assert!(matches!(WorkPlan::new_under(&closed_request, &control), Err(CountError::Stopped(_))));
        let work = WorkPlan::new(&closed_request).unwrap();
        assert!(work.unit_node_estimates(&control).is_empty());
        assert!(matches!(work.rough_estimate(&work.schedule(), &control), Err(CountError::Stopped(_))));
    }
}
