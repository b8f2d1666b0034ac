//! [`SweepProgress`] forwards the steps of a sweep to a [`Control`], and the control's cancellation to the
//! sweep.

use std::ops::ControlFlow;

use crate::control::Control;
use crate::frontier::{Command, Observer, StepReport, StepTally};

/// An observer that reports a sweep's steps to a control.
#[derive(Clone, Debug)]
pub struct SweepProgress<'a> {
    control: &'a Control,
    sweep_name: Option<&'static str>,
    is_shared: bool,
}

impl<'a> SweepProgress<'a> {
    /// Creates an observer of a sweep with this name, which logs a line for each step.
    #[must_use]
    pub const fn new(control: &'a Control, name: &'static str) -> Self {
        Self { control, sweep_name: Some(name), is_shared: false }
    }

    /// Creates an observer that logs nothing.
    #[must_use]
    pub const fn without_log(control: &'a Control) -> Self {
        Self { control, sweep_name: None, is_shared: false }
    }

    /// Sets whether several ranks share the sweep; if so, the log shows the bytes sent.
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
                "{name} step {step} of {steps}: frontier {}, {states} states in {weights} weights of up to {} bits, {transitions} transitions, {} signatures ({} pruned, {} folded), {:.1} MB and {:.1} MB stored, {:.3} s{}",
                report.frontier,
                tally.bits,
                tally.signatures,
                tally.pruned,
                tally.folded,
                usage.bytes as f64 / 1e6,
                usage.stored as f64 / 1e6,
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

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

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
