//! The last step of a two-sided sweep joins the final layers of both halves; it is step `t` of the sweep.

use std::sync::atomic::AtomicU8;
use std::time::Instant;

use num_bigint::BigUint;

use crate::frontier::block::modulus::Modulus;
use crate::frontier::layer::joining::Joining;
use crate::frontier::layer::shelf::Shelf;
use crate::frontier::ranks::error::Error;
use crate::frontier::ranks::pulse::Pulse;
use crate::frontier::run::advance::{Progress, View};
use crate::frontier::run::junction::Junction;
use crate::frontier::run::observer::StepReport;
use crate::frontier::run::sweep::Sweep;
use crate::frontier::state::tally::Tally;

impl Sweep<'_> {
    /// Joins the layers of both halves, resuming from `progress`, and returns the count.
    pub(super) fn join(&mut self, progress: &Progress, t: usize) -> Result<BigUint, Error> {
        let began = Instant::now();
        let meeting = self.meeting.as_ref().expect("the sweep is two-sided");
        let far = meeting.layer.as_ref().expect("the right phase precedes the join");
        let joining = Joining::new(&self.course, meeting.ends.step, &meeting.far, &self.tables);
        let Progress { source: near, done, sum, .. } = progress;
        let junction = Junction::new(&joining, &self.keeper, near, far, done, sum.clone());
        loop {
            let asked = AtomicU8::new(Pulse::Go as u8);
            let finished = junction.run(&|| self.asks(&asked, t, junction.part(), false));
            let finished = finished.map_err(|halt| self.error(halt, t))?;
            if finished {
                break;
            }
            let (done, sum) = junction.view();
            let nothing = Shelf::new(0, 0);
            let view = View { source: near, target: &nothing, done, tally: Tally::default() };
            self.save(t, &view, &sum)?;
            if asked.into_inner() == Pulse::Stop as u8 {
                return Err(Error::Stopped { step: t, steps: t + 1 });
            }
        }
        let (sum, tally) = junction.into_sum();
        let times = joining.times();
        let count = match self.options.modulo {
            Some(Modulus::Lane(lane)) => lane.part(&sum, times),
            _ => {
                assert_eq!(
                    &sum % times,
                    BigUint::ZERO,
                    "a tour and its mirror image are counted equally often"
                );
                sum / times
            }
        };
        let frontier = self.course.plan().steps()[meeting.ends.step].occupied;
        let usage = self.meter.usage(&self.keeper, 0);
        self.meter.add(&tally, &usage, &self.keeper);
        let report = StepReport {
            step: t + 1,
            steps: t + 1,
            vertex: self.course.len(),
            frontier: frontier.count_ones(),
            tally,
            usage,
            seconds: began.elapsed().as_secs_f64(),
            elapsed: self.meter.totals(&self.keeper).seconds,
        };
        let _ = self.observer().step(&report);
        Ok(count)
    }
}
