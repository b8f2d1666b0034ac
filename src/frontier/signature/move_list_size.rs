//! Estimates of the number and the size of the lists of moves of a step.
//!
//! Only steps of dense graphs have large lists, because such steps touch nearly all slots.

use crate::frontier::planning::plan::{LaterNeighbour, Step};
use crate::frontier::planning::slots::{SLOTS_PER_WORD, Slot, slot_bit};

/// Maximum number of touched slots of a step whose lists of moves take little time and memory. A
/// step of a knight's graph touches at most ten slots.
const MAX_CHEAP_TOUCHED_SLOTS: usize = 12;

/// Bytes of memory for each list of moves, and for each member of a list.
const LIST_AND_MEMBER_BYTES: (f64, f64) = (8.0, 2.0);

/// Returns upper bounds on the number of lists of moves of a step and on the number of all their
/// members, if the step touches more than [`MAX_CHEAP_TOUCHED_SLOTS`] slots. Returns zeros for other
/// steps. The bounds count a neighbour that takes over the slot of the vertex like any other
/// neighbour. Cost: O(neighbours).
#[must_use]
pub fn large_move_lists(step: &Step) -> (f64, f64) {
    let later = &step.later_neighbours;
    if later.len() + usize::from(step.slot.is_some()) <= MAX_CHEAP_TOUCHED_SLOTS {
        return (0.0, 0.0);
    }
    // The share of lists in which a slot has a given digit.
    let share = |slot: Slot| if usize::from(slot) < SLOTS_PER_WORD { 1.0 } else { 1.0 / 3.0 };
    let ways = |later: &LaterNeighbour| share(later.slot) * if later.is_first_touch { 1.0 } else { 2.0 };
    let singles: f64 = later.iter().map(ways).sum();
    let pairs = (singles * singles - later.iter().map(|later| ways(later).powi(2)).sum::<f64>()) / 2.0;
    let per_list = step.slot.map_or(pairs, |slot| share(slot) * (pairs + singles + 1.0));
    let is_outer = |slot: &Slot| usize::from(*slot) >= SLOTS_PER_WORD;
    let touched = step.touched_slots().filter(is_outer);
    let lists = 3f64.powi(touched.fold(0, |set, slot| set | slot_bit(slot)).count_ones() as i32);
    (lists, lists * per_list)
}

/// Returns the bytes of the lists of moves of the step with the largest lists; 0 if all lists are
/// small.
#[must_use]
pub fn move_list_bytes(steps: &[Step]) -> u64 {
    let bytes = steps.iter().map(|step| {
        let (lists, members) = large_move_lists(step);
        (lists * LIST_AND_MEMBER_BYTES.0 + members * LIST_AND_MEMBER_BYTES.1) as u64
    });
    bytes.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::moves::{Side, StepMoves};
    use super::super::space::WordNumbering;
    use super::*;

    fn step(slot: Option<Slot>, later: &[(Slot, bool, i32)]) -> Step {
        let later = later.iter().map(|&(slot, is_first_touch, factor)| LaterNeighbour {
            slot,
            is_first_touch,
            factor,
        });
        Step::new(0, slot, later.collect())
    }

    #[test]
    fn large_move_lists_bounds_their_size() {
        // A vertex in slot `own` with thirteen neighbours, two of them new.
        let words = WordNumbering::new(14);
        for own in [None, Some(0), Some(13)] {
            let slots = (0..14).filter(|&slot| Some(slot) != own).take(13);
            let later: Vec<_> = slots.map(|slot| (slot, slot > 10, 1)).collect();
            let step = step(own, &later);
            let moves = StepMoves::new(&words, &step, Side::Target);
            let (lists, members) = large_move_lists(&step);
            assert_eq!(moves.list_count() as f64, lists);
            let exact = moves.member_count() as f64;
            assert!((exact / members - 1.0).abs() < 1e-9, "{exact} {members}");
        }
        assert_eq!(large_move_lists(&step(Some(0), &[(1, false, 1)])), (0.0, 0.0));
    }
}
