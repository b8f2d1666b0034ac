//! [`SweepProgress`] forwards the steps of a sweep to a [`Control`], and the control's cancellation to the
//! sweep.

use std::ops::ControlFlow;

use crate::control::Control;
use crate::frontier::{Observer, Pulse, StepReport, Tally};

/// An observer that reports a sweep's steps to a control.
#[derive(Clone, Debug)]
pub struct Watch<'a> {
    control: &'a Control,
    name: Option<&'static str>,
    is_shared: bool,
}

impl<'a> Watch<'a> {
    /// Creates an observer of a sweep with this name, which logs a line for each step.
    #[must_use]
    pub const fn new(control: &'a Control, name: &'static str) -> Self {
        Self { control, name: Some(name), is_shared: false }
    }

    /// Creates an observer that logs nothing.
    #[must_use]
    pub const fn silent(control: &'a Control) -> Self {
        Self { control, name: None, is_shared: false }
    }

    /// Sets whether several ranks share the sweep; if so, the log shows the bytes sent.
    #[must_use]
    pub const fn shared(self, is_shared: bool) -> Self {
        Self { is_shared, ..self }
    }

    fn flow(&self) -> ControlFlow<()> {
        if self.control.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Observer for Watch<'_> {
    fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
        let StepReport { step, steps, tally, usage, .. } = report;
        let Tally { states, weights, transitions, .. } = tally;
        self.control.sweep_step(*step, *steps, *states, usage.bytes);
        let Some(name) = self.name else { return self.flow() };
        self.control.log(|| {
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
        self.flow()
    }

    fn part(&mut self, steps: usize, part: f64) {
        self.control.sweep_part(steps, part);
    }

    fn pulse(&mut self) -> Pulse {
        if self.control.is_cancelled() { Pulse::Stop } else { Pulse::Go }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn steps_are_told_until_the_run_is_cancelled() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&lines);
        let control = Control::new().with_log(move |line| sink.lock().unwrap().push(line.to_owned()));
        let tally = Tally { states: 7, ..Tally::default() };
        let report = StepReport { step: 2, steps: 9, tally, ..StepReport::default() };
        assert!(Watch::new(&control, "closed").step(&report).is_continue());
        assert!(Watch::silent(&control).step(&report).is_continue());
        let mut shared = Watch::new(&control, "closed").shared(true);
        assert_eq!(shared.pulse(), Pulse::Go);
        control.cancel();
        assert_eq!(shared.pulse(), Pulse::Stop);
        assert!(shared.step(&report).is_break());
        let lines = lines.lock().unwrap();
        let [alone, shared] = &lines[..] else { panic!("{lines:?}") };
        assert!(alone.starts_with("closed step 2 of 9: frontier 0, 7 states"), "{alone}");
        assert_eq!(*shared, format!("{alone}, 0.0 MB sent"));
        assert_eq!(control.reading().sweep.map(|sweep| sweep.step), Some(2));
    }
}
