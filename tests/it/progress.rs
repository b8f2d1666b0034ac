//! Progress while a run is under way.

use ktour::board::Leaper;
use ktour::control::Control;
use ktour::count::{CountError, Engine, Request, count};
use ktour::tour::Kind;

use crate::kernels::{board, request};

#[test]
fn progress_is_weighted_by_estimates_soon_after_the_start() {
    // Minutes of work, which is stopped as soon as the fraction is no longer that of units.
    let control = Control::new().watched();
    let asked =
        Request { kind: Some(Kind::Closed), ..request(&board("7x8"), Leaper::KNIGHT, Engine::Multipath) };
    std::thread::scope(|scope| {
        let run = scope.spawn(|| count(&asked, &control));
        let weighted = loop {
            let reading = control.reading();
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
