//! The choices of a step, and the moves of words that they are compiled into.
//!
//! A choice gives a vertex its final degree. An inner vertex needs no more edges, an end is joined to one of
//! its later neighbours, a bare vertex to two of them. A vertex that stays on the frontier may be joined to
//! fewer. A choice changes the digits of the vertex's slot and of the neighbours' slots, and the matching of
//! the ends by one of four operations.

use crate::frontier::problem::slot::Slot;
use crate::frontier::problem::step::Step;

/// What a choice does to the matching of the ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The matching stays as it is.
    Keep,
    /// The end in slot `from` moves to slot `to`.
    Move {
        /// Slot before.
        from: Slot,
        /// Slot after.
        to: Slot,
    },
    /// The ends in two slots are joined; neither of them is an end afterwards.
    Contract {
        /// The lower slot.
        low: Slot,
        /// The higher slot.
        high: Slot,
    },
    /// Two bare vertices become ends and each other's mates.
    Create {
        /// The lower slot.
        low: Slot,
        /// The higher slot.
        high: Slot,
    },
}

/// The digit of a slot that a choice requires before a step, and the digit after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Number of the slot.
    pub slot: Slot,
    /// Digit before the step.
    pub before: u8,
    /// Digit after the step.
    pub after: u8,
}

/// One way of giving a vertex its final degree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Operation on the matching of the ends.
    pub effect: Effect,
    /// Digits required before the step, and the digits after it.
    pub changes: Vec<Change>,
    /// Product of the factors of the chosen edges.
    pub factor: i32,
}

/// Returns all choices of a step. Their order determines the numbers of tours in an index.
#[must_use]
pub fn choices(step: &Step) -> Vec<Choice> {
    let mut all = Vec::new();
    let later = &step.later;
    for degree in if step.slot.is_some() { 0..=2u8 } else { 0..=0 } {
        for chosen in subsets(step, degree) {
            if step.compulsory.is_some_and(|slot| chosen.iter().all(|&a| later[a].slot != slot)) {
                continue;
            }
            // Each chosen neighbour was bare before, or an end unless it was untouched.
            let mut befores: Vec<Vec<u8>> = vec![vec![]];
            for &a in &chosen {
                let options = if later[a].fresh { 0..=0 } else { 0..=1 };
                befores = befores
                    .into_iter()
                    .flat_map(|list| options.clone().map(move |d| [list.clone(), vec![d]].concat()))
                    .collect();
            }
            for before in befores {
                all.push(choice(step, degree, &chosen, &before));
            }
        }
    }
    all
}

/// Returns the sets of later neighbours to which a vertex of degree `degree` can be joined, as positions in
/// the list. If the vertex stays on the frontier, the empty set, which changes nothing, is listed for degree
/// 0 only and stands for all degrees.
fn subsets(step: &Step, degree: u8) -> Vec<Vec<usize>> {
    let len = step.later.len();
    let of = |count: u8| -> Vec<Vec<usize>> {
        match count {
            0 => vec![vec![]],
            1 => (0..len).map(|a| vec![a]).collect(),
            _ => (0..len).flat_map(|a| (a + 1..len).map(move |b| vec![a, b])).collect(),
        }
    };
    if step.stays {
        let fewest = u8::from(degree > 0);
        (fewest..=2 - degree).flat_map(of).collect()
    } else {
        of(2 - degree)
    }
}

fn choice(step: &Step, degree: u8, chosen: &[usize], before: &[u8]) -> Choice {
    let slots: Vec<Slot> = chosen.iter().map(|&a| step.later[a].slot).collect();
    let sorted = |a: Slot, b: Slot| (a.min(b), a.max(b));
    let own = || step.slot.expect("a vertex with an edge to spare has a slot");
    let joined = |a: (Slot, u8), b: (Slot, u8)| {
        let (low, high) = sorted(a.0, b.0);
        match (a.1, b.1) {
            (0, 0) => Effect::Create { low, high },
            (0, _) => Effect::Move { from: b.0, to: a.0 },
            (_, 0) => Effect::Move { from: a.0, to: b.0 },
            _ => Effect::Contract { low, high },
        }
    };
    let effect = match *before {
        [] => Effect::Keep,
        [d] => joined((own(), degree), (slots[0], d)),
        [c, d] => joined((slots[0], c), (slots[1], d)),
        _ => unreachable!("a vertex has two edges"),
    };
    let mut changes: Vec<Change> = Vec::new();
    for (&slot, (&a, &d)) in slots.iter().zip(chosen.iter().zip(before)) {
        // A new neighbour may take over the slot of the vertex itself.
        let before = if step.later[a].fresh && step.slot == Some(slot) { degree } else { d };
        changes.push(Change { slot, before, after: d + 1 });
    }
    let after = if step.stays { degree + chosen.len() as u8 } else { 0 };
    let says_nothing = step.stays && chosen.is_empty();
    if let Some(slot) = step.slot.filter(|slot| !slots.contains(slot) && !says_nothing) {
        changes.push(Change { slot, before: degree, after });
    }
    let factor = chosen.iter().map(|&a| step.later[a].factor).product();
    Choice { effect, changes, factor }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::problem::step::Later;

    fn step(slot: Option<Slot>, later: &[(Slot, bool, i32)], compulsory: Option<Slot>) -> Step {
        let later = later.iter().map(|&(slot, fresh, factor)| Later { slot, fresh, factor }).collect();
        Step { vertex: 0, slot, later, stays: false, compulsory, occupied: 0, mirror: None }
    }

    #[test]
    fn bare_vertices_take_two_edges_ends_one_and_inner_ones_none() {
        // Each old neighbour is bare or an end, the new one is bare: 4 + 2 + 2 pairs, 2 + 2 + 1 single ones.
        let step = step(Some(0), &[(1, false, 1), (2, false, 1), (3, true, 1)], None);
        let all = choices(&step);
        let of = |degree: u8| {
            all.iter().filter(|c| c.changes.contains(&Change { slot: 0, before: degree, after: 0 })).count()
        };
        assert_eq!((of(0), of(1), of(2), all.len()), (8, 5, 1, 14));
        let created = all.iter().filter(|c| matches!(c.effect, Effect::Create { .. })).count();
        assert_eq!(created, 3, "both bare");
    }

    #[test]
    fn a_vertex_that_stays_may_be_joined_to_fewer() {
        let old = [(1, false, 1), (2, false, 1)];
        let all = choices(&Step { stays: true, ..step(Some(0), &old, None) });
        // No edge; one of two neighbours that are bare or ends, from a bare vertex or an end; both
        // neighbours, from a bare vertex.
        assert_eq!(all.len(), 1 + 2 * 2 * 2 + 4);
        assert!(all[0].changes.is_empty() && all[0].effect == Effect::Keep);
        let own = |before, after| {
            let change = Change { slot: 0, before, after };
            all.iter().filter(|c| c.changes.contains(&change)).count()
        };
        assert_eq!((own(0, 1), own(1, 2), own(0, 2)), (4, 4, 4));
        let taken_over = all.iter().find(|c| c.effect == Effect::Move { from: 2, to: 0 }).unwrap();
        assert_eq!(
            taken_over.changes,
            [Change { slot: 2, before: 1, after: 2 }, Change { slot: 0, before: 0, after: 1 }]
        );
        let compulsory = Step { stays: true, ..step(Some(0), &old, Some(2)) };
        assert!(choices(&compulsory).iter().all(|c| c.changes.iter().any(|change| change.slot == 2)));
    }

    #[test]
    fn a_compulsory_edge_is_always_chosen_and_factors_are_multiplied() {
        let step = step(None, &[(1, true, 3), (2, true, -2), (3, true, 5)], Some(2));
        let factors: Vec<i32> = choices(&step).iter().map(|choice| choice.factor).collect();
        assert_eq!(factors, [-6, -10]);
    }

    #[test]
    fn a_newcomer_takes_over_the_slot_of_the_vertex() {
        let step = step(Some(4), &[(4, true, 1)], None);
        let all = choices(&step);
        assert_eq!(all.len(), 2, "an end moves, an inner vertex leaves");
        assert_eq!(all[0].effect, Effect::Move { from: 4, to: 4 });
        assert_eq!(all[0].changes, [Change { slot: 4, before: 1, after: 1 }]);
    }
}
