//! Groups of steps that are executed together, one class of chunks after the other.
//!
//! If no step of a group touches some slots, the digits of these *key slots* divide the chunks into classes
//! that do not depend on each other:
//!
//! ```text
//! layer before the group -> class by class { step, step, .. step } -> layer after the group
//! ```
//!
//! The layers between the steps of a group exist for one class only, so they take little memory. The frontier of
//! a board is smallest between two of its rows or columns; then a group has the steps of a row.

use std::ops::Range;

use super::order_cost::share_of_states_with_ends;
use super::plan::Plan;
use super::slots::slot_bit;

/// Maximum number of steps of a group. Each step has its lists of moves in memory, and a table of feasible signatures.
pub const MAX_GROUP_STEPS: usize = 12;

/// Minimum number of key slots with a vertex: three make 27 classes without a mirror.
const MIN_KEY_SLOTS: u32 = 3;

/// Consecutive steps that are executed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepGroup {
    /// Numbers of the steps in the plan.
    pub steps: Range<usize>,
    /// Set of the chunk slots that no step touches; empty for a single step. With a slot it contains its mirror
    /// images.
    pub key_slots: u64,
}

impl StepGroup {
    /// Returns the group of `steps`. The chunk slots are those from `first_chunk_slot` on.
    #[must_use]
    pub fn new(plan: &Plan, steps: Range<usize>, first_chunk_slot: usize) -> Self {
        if steps.len() < 2 {
            return Self { steps, key_slots: 0 };
        }
        let of_group = &plan.steps()[steps.clone()];
        let mut key_slots = (first_chunk_slot..plan.slot_count()).fold(0, |set, slot| set | 1 << slot);
        for step in of_group {
            step.touched_slots().for_each(|slot| key_slots &= !slot_bit(slot));
        }
        for image in of_group.iter().filter_map(|step| step.mirror_image.as_ref()) {
            let has_image = |slot: &usize| key_slots & slot_bit(image[*slot]) != 0;
            key_slots &= (0..image.len()).filter(has_image).fold(0, |set, slot| set | 1 << slot);
        }
        Self { steps, key_slots }
    }

    /// Returns the share of the weights after step `t` of the plan that belong to the largest class, if every state
    /// occurs: the class in which all key slots are ends.
    #[must_use]
    pub fn largest_class_share(&self, plan: &Plan, t: usize) -> f64 {
        let occupied = plan.steps()[t].occupied_slots;
        let ends = (occupied & self.key_slots).count_ones();
        share_of_states_with_ends(occupied.count_ones() as usize, ends as usize)
    }

    /// Returns true if the group has enough classes after every step to be executed class by class.
    fn has_classes(&self, plan: &Plan) -> bool {
        let inner = &plan.steps()[self.steps.start..self.steps.end - 1];
        inner.iter().all(|step| (step.occupied_slots & self.key_slots).count_ones() >= MIN_KEY_SLOTS)
    }
}

/// Divides the steps `phase` of a plan into groups, so that the sum of the layers after the groups and of the
/// largest classes between their steps is least. A plan without groups ([`Plan::has_groups`]) has groups of one step.
/// The chunk slots are those from `first_chunk_slot` on. Cost: O(steps x steps of a group² x
/// slots).
#[must_use]
pub fn step_groups(plan: &Plan, phase: Range<usize>, first_chunk_slot: usize) -> Vec<StepGroup> {
    let most_steps = if plan.has_groups() { MAX_GROUP_STEPS } else { 1 };
    // For each step of the phase, the least cost of the steps up to it, and the last group of this division.
    let mut best: Vec<(f64, StepGroup)> = Vec::new();
    for end in phase.start + 1..=phase.end {
        let groups = (phase.start..end).rev().take(most_steps).filter_map(|start| {
            let group = StepGroup::new(plan, start..end, first_chunk_slot);
            let inner: f64 =
                (start..end - 1).map(|t| plan.possible_states(t) * group.largest_class_share(plan, t)).sum();
            let before = if start == phase.start { 0.0 } else { best[start - 1 - phase.start].0 };
            let is_possible = group.steps.len() == 1 || group.has_classes(plan);
            is_possible.then(|| (before + inner + plan.possible_states(end - 1), group))
        });
        best.push(groups.min_by(|one, other| one.0.total_cmp(&other.0)).expect("a single step is a group"));
    }
    let mut groups: Vec<StepGroup> = Vec::new();
    while let Some((_, group)) = best.pop() {
        best.truncate(group.steps.start - phase.start);
        groups.push(group);
    }
    groups.reverse();
    groups
}

#[cfg(test)]
mod tests {
    use super::super::problem::{Cycles, SweepGraph, Tours};
    use super::*;

    #[test]
    fn groups_cover_the_phase_and_leave_their_keys_untouched() {
        for (board, tours) in [("5x6", Tours::Closed), ("6x6", Tours::Paths), ("6x8", Tours::Closed)] {
            let cycles = Cycles::from_sweep_graph(&SweepGraph::from_board(&board.parse().unwrap()), tours);
            let order: Vec<usize> = (0..cycles.len()).collect();
            let mut plan = Plan::new(&cycles, &order, true);
            plan.set_min_grouped_slots(0);
            let mut longest = 0;
            for phase in [0..plan.steps().len(), 3..plan.steps().len() - 1] {
                let groups = step_groups(&plan, phase.clone(), 6);
                let steps: Vec<usize> = groups.iter().flat_map(|group| group.steps.clone()).collect();
                assert!(steps.into_iter().eq(phase));
                for group in groups {
                    longest = longest.max(group.steps.len());
                    for step in &plan.steps()[group.steps.clone()] {
                        assert!(step.touched_slots().all(|slot| group.key_slots & slot_bit(slot) == 0));
                        for (slot, &image) in step.mirror_image.iter().flatten().enumerate() {
                            assert_eq!(group.key_slots >> slot & 1, group.key_slots >> image & 1);
                        }
                    }
                }
            }
            assert!(longest > 2, "{board}: {longest}");
        }
    }
}
