//! The observer of a run, which receives the results of finished units and the progress of running
//! units; and the observer that reports the steps of a sweep.
//!
//! A unit can take longer than the time until the run is stopped. So the path-extension search,
//! which can resume inside a unit, reports its position from time to time, and receives it back
//! when the unit starts again.
//!
//! [`SweepProgress`] forwards the steps of a sweep to a [`Control`], and the control's cancellation
//! to the sweep. [`SavingObserver`] does the same, and passes the states of the sweep to a
//! [`SnapshotSaver`] for a checkpoint.

use std::ops::ControlFlow;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::partial_sums::{Sums, UnitSums};
use crate::control::{Control, EarlierWork};
use crate::frontier::{Command, Observer, Snapshot, StepReport, StepTally, Storage};
use crate::lock::lock;

/// Progress of a unit of the path-extension search, from which the unit can be resumed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitProgress {
    /// Resume position: the search has visited every path before this one in search order.
    pub path: Vec<u8>,
    /// For each vertex, the number of tours found so far that end there.
    pub tours: Vec<u64>,
    /// Number of nodes visited so far.
    pub nodes: u64,
}

/// Receives the progress and the results of work units; called from any worker thread.
pub trait RunObserver: Sync {
    /// Returns the saved progress of a unit that starts now; `None` if the unit starts from its
    /// beginning.
    fn load_progress(&self, _unit: usize) -> Option<UnitProgress> {
        None
    }

    /// Saves the progress of a running unit.
    fn save_progress(&self, _unit: usize, _part: UnitProgress) {}

    /// Returns the units that earlier sessions of the run have finished.
    fn earlier_work(&self) -> EarlierWork {
        EarlierWork::default()
    }

    /// Receives the sums of a finished unit.
    fn on_unit_done(&self, unit: usize, sums: &UnitSums);

    /// Returns the resources for a unit that is a sweep. The observer in the result is `progress`,
    /// or another observer that forwards every call to `progress`.
    fn open_sweep_session<'a>(&'a self, _unit: usize, progress: SweepProgress<'a>) -> SweepSession<'a> {
        SweepSession { storage: Storage::default(), free_disk_bytes: None, observer: Box::new(progress) }
    }
}

/// The resources that a sweep uses while it runs.
pub struct SweepSession<'a> {
    /// The store for spilled layers, the snapshot to resume from, and the other ranks.
    pub storage: Storage<'a>,
    /// Number of free bytes in the spill store, if known.
    pub free_disk_bytes: Option<u64>,
    /// Observer that receives the steps of the sweep and stores its snapshots.
    pub observer: Box<dyn Observer + 'a>,
}

/// Adds the sums of every finished unit. Ignores the progress of running units.
impl RunObserver for Mutex<Sums> {
    fn on_unit_done(&self, _: usize, sums: &UnitSums) {
        lock(self).add_unit(sums);
    }
}

/// An observer that reports a sweep's steps to a control.
#[derive(Clone, Debug)]
pub struct SweepProgress<'a> {
    control: &'a Control,
    sweep_name: Option<&'static str>,
    is_shared: bool,
}

impl<'a> SweepProgress<'a> {
    /// Creates an observer of the sweep named `name` that logs one line for each step.
    #[must_use]
    pub const fn new(control: &'a Control, name: &'static str) -> Self {
        Self { control, sweep_name: Some(name), is_shared: false }
    }

    /// Creates an observer that reports steps to the control but logs nothing.
    #[must_use]
    pub const fn without_log(control: &'a Control) -> Self {
        Self { control, sweep_name: None, is_shared: false }
    }

    /// Sets whether several ranks share the sweep. If so, the log also shows the bytes sent to
    /// other ranks.
    #[must_use]
    pub const fn with_shared(self, is_shared: bool) -> Self {
        Self { is_shared, ..self }
    }

    fn control_flow(&self) -> ControlFlow<()> {
        if self.control.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Observer for SweepProgress<'_> {
    fn on_step(&mut self, report: &StepReport) -> ControlFlow<()> {
        let StepReport { step, steps, tally, usage, .. } = report;
        let StepTally { states, weights, transitions, .. } = tally;
        self.control.finish_sweep_step(*step, *steps, *states, usage.bytes);
        let Some(name) = self.sweep_name else { return self.control_flow() };
        self.control.log_line(|| {
            format!(
                "{name} step {step} of {steps}: frontier {}, {states} states in {weights} weights of up to {} bits, {transitions} transitions ({} in the largest part), {} signatures ({} pruned, {} folded), {:.1} MB and {:.1} MB stored, {:.1} MB written, {:.3} s{}",
                report.frontier,
                tally.bits,
                tally.largest_part,
                tally.signatures,
                tally.pruned,
                tally.folded,
                usage.bytes as f64 / 1e6,
                usage.stored as f64 / 1e6,
                usage.written as f64 / 1e6,
                report.seconds,
                match self.is_shared {
                    true => format!(", {:.1} MB sent", usage.sent as f64 / 1e6),
                    false => String::new(),
                }
            )
        });
        self.control_flow()
    }

    fn on_step_fraction(&mut self, steps: usize, part: f64) {
        self.control.set_step_fraction(steps, part);
    }

    fn poll(&mut self) -> Command {
        if self.control.is_cancelled() { Command::Stop } else { Command::Continue }
    }
}

/// Saves the states of a running sweep.
pub trait SnapshotSaver: Sync {
    /// Returns true if it is time to save the state of the sweep.
    fn is_due(&self) -> bool;

    /// Starts the measurement of the time that saving takes.
    fn begin_save(&self);

    /// Saves the state of the sweep.
    fn save_snapshot(&self, snapshot: &Snapshot);

    /// Receives the reason why the state of the sweep could not be written to the store.
    fn report_failure(&self, why: &str);
}

/// The observer of a sweep that reports its steps, and passes its state to a saver when that is due.
pub struct SavingObserver<'a> {
    /// Reports the steps.
    pub progress: SweepProgress<'a>,
    /// Saves the states.
    pub saver: &'a dyn SnapshotSaver,
}

impl Observer for SavingObserver<'_> {
    fn on_step(&mut self, report: &StepReport) -> ControlFlow<()> {
        self.progress.on_step(report)
    }

    fn poll(&mut self) -> Command {
        match self.progress.poll() {
            Command::Continue if self.saver.is_due() => Command::Save,
            command => command,
        }
    }

    fn on_step_fraction(&mut self, steps: usize, part: f64) {
        self.progress.on_step_fraction(steps, part);
    }

    fn on_saving(&mut self) {
        self.saver.begin_save();
    }

    fn on_snapshot(&mut self, snapshot: &Snapshot) {
        self.saver.save_snapshot(snapshot);
    }

    fn on_save_error(&mut self, why: &str) {
        self.saver.report_failure(why);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn mutex_of_sums_ignores_progress() {
        let sums = Mutex::new(Sums::new(0));
        sums.save_progress(0, UnitProgress::default());
        assert_eq!(sums.load_progress(0), None);
        sums.on_unit_done(0, &UnitSums { closed: 5u32.into(), ..UnitSums::default() });
        sums.on_unit_done(1, &UnitSums { closed: 4u32.into(), ..UnitSums::default() });
        assert_eq!(sums.into_inner().unwrap().closed, 9u32.into());
    }

    #[test]
    fn steps_are_reported_until_cancelled() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&lines);
        let control = Control::new().with_log(move |line| sink.lock().unwrap().push(line.to_owned()));
        let tally = StepTally { states: 7, ..StepTally::default() };
        let report = StepReport { step: 2, steps: 9, tally, ..StepReport::default() };
        assert!(SweepProgress::new(&control, "closed").on_step(&report).is_continue());
        assert!(SweepProgress::without_log(&control).on_step(&report).is_continue());
        let mut shared = SweepProgress::new(&control, "closed").with_shared(true);
        assert_eq!(shared.poll(), Command::Continue);
        control.cancel();
        assert_eq!(shared.poll(), Command::Stop);
        assert!(shared.on_step(&report).is_break());
        let lines = lines.lock().unwrap();
        let [alone, shared] = &lines[..] else { panic!("{lines:?}") };
        assert!(alone.starts_with("closed step 2 of 9: frontier 0, 7 states"), "{alone}");
        assert_eq!(*shared, format!("{alone}, 0.0 MB sent"));
        assert_eq!(control.progress().sweep.map(|sweep| sweep.steps_done), Some(2));
    }
}
