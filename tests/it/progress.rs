//! Progress while a run is under way.

use std::sync::Mutex;

use ktour::board::Leaper;
use ktour::control::Control;
use ktour::count::{CountError, Engine, Request, WorkPlan, count, run_units};
use ktour::tour::Kind;

use super::searches_against_oracle::{board, request};

#[test]
fn progress_uses_unit_estimates() {
    // Minutes of work, which is stopped as soon as the fraction is no longer that of units.
    let control = Control::new().with_progress_reader();
    let asked =
        Request { kind: Some(Kind::Closed), ..request(&board("7x8"), Leaper::KNIGHT, Engine::Multipath) };
    std::thread::scope(|scope| {
        let run = scope.spawn(|| count(&asked, &control));
        let weighted = loop {
            let reading = control.progress();
            let by_units = reading.units_done as f64 / reading.units.max(1) as f64;
            if (reading.fraction - by_units).abs() > 1e-9 {
                break true;
            }
            if run.is_finished() || reading.units_done > 2000 {
                break false;
            }
            std::thread::yield_now();
        };
        control.cancel();
        assert!(matches!(run.join().unwrap(), Err(CountError::Stopped(_))), "a stopped run has no result");
        assert!(weighted);
    });
}

#[test]
fn sweep_progress_is_monotonic_and_ends_at_1() {
    let control = Control::new().with_progress_reader();
    let asked = Request { kind: None, ..request(&board("6x7"), Leaper::KNIGHT, Engine::Frontier) };
    let work = WorkPlan::new(&asked).unwrap();
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
    // Until the units are set out there is nothing to be a part of.
    fractions.push(control.progress().fraction);
    assert!(fractions.is_sorted() && fractions.last() == Some(&1.0), "{fractions:?}");
}

#[test]
fn cancelled_estimates_stop() {
    let control = Control::new();
    control.cancel();
    // Row by row the last two are too wide for any sweep.
    for side in ["10x10", "8x8", "5x32", "6x40"] {
        let asked =
            Request { kind: Some(Kind::Closed), ..request(&board(side), Leaper::KNIGHT, Engine::Frontier) };
        let work = WorkPlan::new(&asked).unwrap();
        assert!(matches!(work.estimate(&work.schedule(), &control), Err(CountError::Stopped(_))));
        assert!(matches!(count(&asked, &control), Err(CountError::Stopped(_))));
    }
    for engine in [Engine::Multipath, Engine::Backtrack] {
        let asked = Request { kind: Some(Kind::Closed), ..request(&board("6x7"), Leaper::KNIGHT, engine) };
        assert!(matches!(WorkPlan::new_with_control(&asked, &control), Err(CountError::Stopped(_))));
        let work = WorkPlan::new(&asked).unwrap();
        assert!(work.unit_node_estimates(&control).is_empty());
        assert!(matches!(work.rough_estimate(&work.schedule(), &control), Err(CountError::Stopped(_))));
    }
}
