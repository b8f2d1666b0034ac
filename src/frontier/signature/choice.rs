//! The choices of a step.
//!
//! A choice gives a vertex its final degree. An inner vertex needs no more edges, an end is joined
//! to one of its later neighbours, a bare vertex (of degree 0) to two of them. A vertex that stays
//! on the frontier may be joined to fewer. A choice changes the digits of the vertex's slot and of
//! the neighbours' slots, and the matching of the ends by one of four operations.

use crate::frontier::planning::plan::Step;
use crate::frontier::planning::slots::Slot;

/// The operation of a choice on the matching of the ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchingOp {
    /// The matching stays as it is.
    Identity,
    /// The end in slot `from` moves to slot `to`.
    Move {
        /// Slot of the end before the step.
        from: Slot,
        /// Slot of the end after the step.
        to: Slot,
    },
    /// The ends in two slots are joined; neither of them is an end afterwards.
    Contract {
        /// Lower slot of the two ends.
        low: Slot,
        /// Higher slot of the two ends.
        high: Slot,
    },
    /// Two vertices of degree 0 become ends and each other's mates.
    Create {
        /// Lower slot of the two new ends.
        low: Slot,
        /// Higher slot of the two new ends.
        high: Slot,
    },
}

/// The change of a slot's digit by a choice. The digit is the degree of the vertex in the slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DigitChange {
    /// Number of the slot.
    pub slot: Slot,
    /// Digit that the choice requires before the step.
    pub before: u8,
    /// Digit after the step.
    pub after: u8,
}

/// A choice of a step: one way of giving the step's vertex its final degree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Operation on the matching of the ends.
    pub operation: MatchingOp,
    /// Digits that the choice requires before the step, and the digits after the step.
    pub digit_changes: Vec<DigitChange>,
    /// Product of the factors of the chosen edges.
    pub factor: i32,
}

/// Returns all choices of a step. Their order determines the numbers of tours in an index.
#[must_use]
pub fn choices(step: &Step) -> Vec<Choice> {
    let mut all = Vec::new();
    let later = &step.later_neighbours;
    for degree in if step.slot.is_some() { 0..=2u8 } else { 0..=0 } {
        for chosen in neighbour_subsets(step, degree) {
            if step.compulsory_slots.iter().any(|&slot| chosen.iter().all(|&a| later[a].slot != slot)) {
                continue;
            }
            // Each chosen neighbour was bare before, or an end unless it was untouched.
            let mut digits_before: Vec<Vec<u8>> = vec![vec![]];
            for &a in &chosen {
                let options = if later[a].is_first_touch { 0..=0 } else { 0..=1 };
                digits_before = digits_before
                    .into_iter()
                    .flat_map(|list| options.clone().map(move |d| [list.clone(), vec![d]].concat()))
                    .collect();
            }
            for before in digits_before {
                all.push(build_choice(step, degree, &chosen, &before));
            }
        }
    }
    all
}

/// Returns the sets of later neighbours to which a vertex of degree `degree` can be joined, as
/// positions in the list of later neighbours. If the vertex stays on the frontier, the empty set,
/// which changes nothing, is listed for degree 0 only and stands for all degrees.
fn neighbour_subsets(step: &Step, degree: u8) -> Vec<Vec<usize>> {
    let len = step.later_neighbours.len();
    let subsets_of_size = |count: u8| -> Vec<Vec<usize>> {
        match count {
            0 => vec![vec![]],
            1 => (0..len).map(|a| vec![a]).collect(),
            _ => (0..len).flat_map(|a| (a + 1..len).map(move |b| vec![a, b])).collect(),
        }
    };
    if step.stays_on_frontier {
        let min_size = u8::from(degree > 0);
        (min_size..=2 - degree).flat_map(subsets_of_size).collect()
    } else {
        subsets_of_size(2 - degree)
    }
}

fn build_choice(step: &Step, degree: u8, chosen: &[usize], before: &[u8]) -> Choice {
    let slots: Vec<Slot> = chosen.iter().map(|&a| step.later_neighbours[a].slot).collect();
    let sorted = |a: Slot, b: Slot| (a.min(b), a.max(b));
    let own_slot = || step.slot.expect("a vertex with an edge to spare has a slot");
    let operation_joining = |a: (Slot, u8), b: (Slot, u8)| {
        let (low, high) = sorted(a.0, b.0);
        match (a.1, b.1) {
            (0, 0) => MatchingOp::Create { low, high },
            (0, _) => MatchingOp::Move { from: b.0, to: a.0 },
            (_, 0) => MatchingOp::Move { from: a.0, to: b.0 },
            _ => MatchingOp::Contract { low, high },
        }
    };
    let operation = match *before {
        [] => MatchingOp::Identity,
        [d] => operation_joining((own_slot(), degree), (slots[0], d)),
        [c, d] => operation_joining((slots[0], c), (slots[1], d)),
        _ => unreachable!("a vertex has two edges"),
    };
    let mut changes: Vec<DigitChange> = Vec::new();
    for (&slot, (&a, &d)) in slots.iter().zip(chosen.iter().zip(before)) {
        // A new neighbour may take over the slot of the vertex itself.
        let before =
            if step.later_neighbours[a].is_first_touch && step.slot == Some(slot) { degree } else { d };
        changes.push(DigitChange { slot, before, after: d + 1 });
    }
    let after = if step.stays_on_frontier { degree + chosen.len() as u8 } else { 0 };
    let is_empty = step.stays_on_frontier && chosen.is_empty();
    if let Some(slot) = step.slot.filter(|slot| !slots.contains(slot) && !is_empty) {
        changes.push(DigitChange { slot, before: degree, after });
    }
    let factor = chosen.iter().map(|&a| step.later_neighbours[a].factor).product();
    Choice { operation, digit_changes: changes, factor }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::planning::plan::LaterNeighbour;

    fn step(slot: Option<Slot>, later: &[(Slot, bool, i32)], compulsory: Option<Slot>) -> Step {
        let later = later
            .iter()
            .map(|&(slot, fresh, factor)| LaterNeighbour { slot, is_first_touch: fresh, factor })
            .collect();
        Step { compulsory_slots: compulsory.into_iter().collect(), ..Step::new(0, slot, later) }
    }

    #[test]
    fn choices_complete_every_degree_to_two() {
        // Each old neighbour is bare or an end, the new one is bare: 4 + 2 + 2 pairs, 2 + 2 + 1 single ones.
        let step = step(Some(0), &[(1, false, 1), (2, false, 1), (3, true, 1)], None);
        let all = choices(&step);
        let of = |degree: u8| {
            all.iter()
                .filter(|c| c.digit_changes.contains(&DigitChange { slot: 0, before: degree, after: 0 }))
                .count()
        };
        assert_eq!((of(0), of(1), of(2), all.len()), (8, 5, 1, 14));
        let created = all.iter().filter(|c| matches!(c.operation, MatchingOp::Create { .. })).count();
        assert_eq!(created, 3, "both bare");
    }

    #[test]
    fn choices_of_a_staying_vertex_may_leave_its_degree_incomplete() {
        let old = [(1, false, 1), (2, false, 1)];
        let all = choices(&Step { stays_on_frontier: true, ..step(Some(0), &old, None) });
        // No edge; one of two neighbours that are bare or ends, from a bare vertex or an end; both
        // neighbours, from a bare vertex.
        assert_eq!(all.len(), 1 + 2 * 2 * 2 + 4);
        assert!(all[0].digit_changes.is_empty() && all[0].operation == MatchingOp::Identity);
        let own = |before, after| {
            let change = DigitChange { slot: 0, before, after };
            all.iter().filter(|c| c.digit_changes.contains(&change)).count()
        };
        assert_eq!((own(0, 1), own(1, 2), own(0, 2)), (4, 4, 4));
        let taken_over = all.iter().find(|c| c.operation == MatchingOp::Move { from: 2, to: 0 }).unwrap();
        assert_eq!(
            taken_over.digit_changes,
            [DigitChange { slot: 2, before: 1, after: 2 }, DigitChange { slot: 0, before: 0, after: 1 }]
        );
        let compulsory = Step { stays_on_frontier: true, ..step(Some(0), &old, Some(2)) };
        assert!(choices(&compulsory).iter().all(|c| c.digit_changes.iter().any(|change| change.slot == 2)));
    }

    #[test]
    fn choices_contain_the_compulsory_edge_and_multiply_factors() {
        let step = step(None, &[(1, true, 3), (2, true, -2), (3, true, 5)], Some(2));
        let factors: Vec<i32> = choices(&step).iter().map(|choice| choice.factor).collect();
        assert_eq!(factors, [-6, -10]);
    }

    #[test]
    fn choices_allow_a_new_neighbour_in_the_slot_of_the_vertex() {
        let step = step(Some(4), &[(4, true, 1)], None);
        let all = choices(&step);
        assert_eq!(all.len(), 2, "an end moves, an inner vertex leaves");
        assert_eq!(all[0].operation, MatchingOp::Move { from: 4, to: 4 });
        assert_eq!(all[0].digit_changes, [DigitChange { slot: 4, before: 1, after: 1 }]);
    }
}
