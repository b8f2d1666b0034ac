//! The phases of a sweep: which steps of which plan it executes, in which order.
//!
//! ```text
//! one-sided                      whole
//! two-sided                      right, left, join
//! two-sided, symmetric halves    common, right, left, join
//! ```
//!
//! The run, its snapshots, its feasibility tables and its estimate all follow this list.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The kind of a phase. A sweep has at most one phase of each kind, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PhaseKind {
    /// All steps of a one-sided sweep.
    Whole,
    /// The first steps of both halves of a two-sided sweep, which are executed once. They lead to the common layer.
    Common,
    /// The other steps of the right half, from the common layer or from the initial layer to the right layer.
    Right,
    /// The other steps of the left half, from the common layer or from the initial layer to the left layer.
    Left,
    /// The join of the left layer and the right layer. It counts as one step.
    Join,
}

impl PhaseKind {
    /// Returns true if the phase executes steps of the left plan, or of the only plan.
    #[must_use]
    pub const fn is_of_left_plan(self) -> bool {
        matches!(self, Self::Whole | Self::Common | Self::Left)
    }
}

/// A phase of a sweep: consecutive steps of one plan, or the join.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// The kind of the phase. It determines the plan.
    pub kind: PhaseKind,
    /// Numbers of the steps of the phase among the steps of the sweep; not empty.
    pub steps: Range<usize>,
    /// Numbers of the same steps in the plan of the phase. The join is no step of a plan: its number is 0.
    pub plan_steps: Range<usize>,
}

impl Phase {
    /// Returns the phases of a sweep, given each kind with the numbers of its steps in its plan. Phases without steps
    /// are left out.
    #[must_use]
    pub fn consecutive(kinds: &[(PhaseKind, Range<usize>)]) -> Vec<Self> {
        let mut end = 0;
        let mut number = |(kind, plan_steps): &(PhaseKind, Range<usize>)| {
            let start = end;
            end += plan_steps.len();
            Self { kind: *kind, steps: start..end, plan_steps: plan_steps.clone() }
        };
        kinds.iter().map(&mut number).filter(|phase| !phase.steps.is_empty()).collect()
    }

    /// Returns the only phase of a one-sided sweep of `steps` steps.
    #[must_use]
    pub fn whole(steps: usize) -> Vec<Self> {
        Self::consecutive(&[(PhaseKind::Whole, 0..steps)])
    }

    /// Returns the number in the plan of step `t` of the sweep.
    #[must_use]
    pub const fn plan_step(&self, t: usize) -> usize {
        t - self.steps.start + self.plan_steps.start
    }

    /// Returns the number in the sweep of a step of the plan.
    #[must_use]
    pub const fn sweep_step(&self, plan_step: usize) -> usize {
        plan_step - self.plan_steps.start + self.steps.start
    }

    /// Returns true if the phase is the first of the right half after common steps. Its first layer, the common layer,
    /// is kept for the left half.
    #[must_use]
    pub fn keeps_common_layer(&self) -> bool {
        self.kind == PhaseKind::Right && self.plan_steps.start > 0
    }

    /// Returns true if, after `finished` steps of the sweep, this phase has a layer that waits for a later phase: the
    /// common layer, or the right layer.
    #[must_use]
    pub fn has_waiting_layer(&self, finished: usize) -> bool {
        match self.kind {
            PhaseKind::Whole | PhaseKind::Common => false,
            PhaseKind::Right => self.keeps_common_layer() && finished > self.steps.start,
            PhaseKind::Left | PhaseKind::Join => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_are_consecutive_and_not_empty() {
        let kinds = [
            (PhaseKind::Common, 0..3),
            (PhaseKind::Right, 3..7),
            (PhaseKind::Left, 3..3),
            (PhaseKind::Join, 0..1),
        ];
        let phases = Phase::consecutive(&kinds);
        let numbers: Vec<_> = phases.iter().map(|phase| (phase.kind, phase.steps.clone())).collect();
        let expected = [(PhaseKind::Common, 0..3), (PhaseKind::Right, 3..7), (PhaseKind::Join, 7..8)];
        assert_eq!(numbers, expected);
        assert_eq!((phases[1].plan_step(5), phases[1].sweep_step(5), phases[2].plan_step(7)), (5, 5, 0));
        let waits =
            |phase: &Phase| phase.steps.clone().map(|t| phase.has_waiting_layer(t)).collect::<Vec<_>>();
        assert_eq!(waits(&phases[0]), [false; 3]);
        assert_eq!(waits(&phases[1]), [false, true, true, true]);
        assert_eq!(waits(&phases[2]), [true]);
        assert!(phases[1].keeps_common_layer() && !phases[0].keeps_common_layer());
    }

    #[test]
    fn steps_of_the_left_half_have_other_numbers_in_its_plan() {
        let kinds = [(PhaseKind::Right, 0..4), (PhaseKind::Left, 0..6), (PhaseKind::Join, 0..1)];
        let phases = Phase::consecutive(&kinds);
        assert!(!phases[0].keeps_common_layer() && !phases[0].has_waiting_layer(4));
        assert_eq!((phases[1].steps.clone(), phases[1].plan_step(4), phases[1].sweep_step(2)), (4..10, 0, 6));
        assert_eq!(Phase::whole(5)[0], Phase { kind: PhaseKind::Whole, steps: 0..5, plan_steps: 0..5 });
    }
}
