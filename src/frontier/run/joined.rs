//! The last step of a two-sided sweep joins the final layers of both halves; it is step `t` of the sweep.

use std::sync::atomic::AtomicU8;
use std::time::Instant;

use num_bigint::BigUint;

use crate::frontier::block::modulus::Modulus;
use crate::frontier::layer::joining::LayerJoiner;
use crate::frontier::layer::shelf::LayerStore;
use crate::frontier::ranks::error::Error;
use crate::frontier::ranks::pulse::Command;
use crate::frontier::run::advance::{StepProgress, StepView};
use crate::frontier::run::junction::JoinExecution;
use crate::frontier::run::observer::StepReport;
use crate::frontier::run::sweep::BlockSweep;
use crate::frontier::state::tally::StepTally;

impl BlockSweep<'_> {
    /// Joins the layers of both halves, resuming from `progress`, and returns the count.
    pub(super) fn join_sides(&mut self, progress: &StepProgress, t: usize) -> Result<BigUint, Error> {
        let began = Instant::now();
        let meeting = self.two_sided.as_ref().expect("the sweep is two-sided");
        let right = meeting.right_layer.as_ref().expect("the right phase precedes the join");
        let joining =
            LayerJoiner::new(&self.space, meeting.plan.cut_step, &meeting.right_space, &self.tables);
        let StepProgress { source: left, done, sum, .. } = progress;
        let junction = JoinExecution::new(&joining, &self.pool, left, right, done, sum.clone());
        loop {
            let strongest_command = AtomicU8::new(Command::Continue as u8);
            let finished =
                junction.run(&|| self.poll_observer(&strongest_command, t, junction.fraction_done(), false));
            let finished = finished.map_err(|halt| self.to_error(halt, t))?;
            if finished {
                break;
            }
            let (done, sum) = junction.view();
            let nothing = LayerStore::new(0, 0);
            let view = StepView { source: left, target: &nothing, done, tally: StepTally::default() };
            self.save_snapshot(t, &view, &sum)?;
            if strongest_command.into_inner() == Command::Stop as u8 {
                return Err(Error::Stopped { step: t, steps: t + 1 });
            }
        }
        let (sum, tally) = junction.into_sum();
        let times = joining.multiplicity();
        let count = match self.options.modulo {
            Some(Modulus::Residues(lane)) => lane.quotient_residue(&sum, times),
            _ => {
                assert_eq!(
                    &sum % times,
                    BigUint::ZERO,
                    "a tour and its mirror image are counted equally often"
                );
                sum / times
            }
        };
        let frontier = self.space.plan().steps()[meeting.plan.cut_step].occupied_slots;
        let usage = self.stats.usage(&self.pool, 0);
        self.stats.add_step(&tally, &usage, &self.pool);
        let report = StepReport {
            step: t + 1,
            steps: t + 1,
            vertex: self.space.step_count(),
            frontier: frontier.count_ones(),
            tally,
            usage,
            seconds: began.elapsed().as_secs_f64(),
            elapsed: self.stats.totals(&self.pool).seconds,
        };
        let _ = self.observer().on_step(&report);
        Ok(count)
    }
}
