//! A single state as an array with the mate of every slot, and the successors of a state by a step.
//!
//! ```text
//! v inner            no further edge
//! v an end           joined to one later neighbour
//! v bare             joined to two (v has no edge yet)
//! joined neighbour   bare: becomes an end; an end: becomes inner, and the two outer ends become mates
//! ```

use crate::frontier::planning::plan::Step;
use crate::frontier::planning::slots::Slot;

/// Entry of a slot that is empty, or whose vertex has no edge yet.
pub const BARE: u8 = 255;

/// Entry of a slot whose vertex has both its edges.
pub const INNER: u8 = 254;

/// A state: for every slot, the slot of its mate, or [`BARE`] or [`INNER`].
pub type Mates<const N: usize> = [u8; N];

/// Calls `emit` with every successor of `state` and the product of the factors of the added edges.
/// `finished` lists the sets of inner slots of finished tours. A cycle may close only if the
/// successor has such a set.
pub fn successors<const N: usize>(
    finished: &[u64],
    step: &Step,
    state: &Mates<N>,
    emit: &mut impl FnMut(Mates<N>, i32),
) {
    let mut base = *state;
    let mut mate = BARE;
    if let Some(slot) = step.slot {
        mate = base[usize::from(slot)];
        base[usize::from(slot)] = BARE;
    }
    // A vertex entering the frontier may take the slot of `v`: until the edges are chosen, the mate of an end
    // `v` points to this value.
    const PROCESSED: u8 = 253;
    if mate < PROCESSED {
        base[usize::from(mate)] = PROCESSED;
    }
    let open = |slot: Slot| base[usize::from(slot)] != INNER;
    let required = |chosen: &[Slot]| step.compulsory_slots.iter().all(|slot| chosen.contains(slot));
    let later = step.later_neighbours.iter().map(|l| (l.slot, l.factor));
    match mate {
        INNER if required(&[]) => emit(base, 1),
        INNER => {}
        BARE => {
            for (i, (a, factor)) in later.clone().enumerate().filter(|&(_, (a, _))| open(a)) {
                for (b, other) in later.clone().skip(i + 1).filter(|&(b, _)| open(b) && required(&[a, b])) {
                    let factor = factor * other;
                    let mut next = base;
                    let (mate_a, mate_b) = (next[usize::from(a)], next[usize::from(b)]);
                    if mate_a == b {
                        (next[usize::from(a)], next[usize::from(b)]) = (INNER, INNER);
                        if is_finished_tour(finished, &next) {
                            emit(next, factor);
                        }
                        continue;
                    }
                    let end_a = if mate_a == BARE { a } else { mate_a };
                    let end_b = if mate_b == BARE { b } else { mate_b };
                    (next[usize::from(a)], next[usize::from(b)]) = (INNER, INNER);
                    (next[usize::from(end_a)], next[usize::from(end_b)]) = (end_b, end_a);
                    emit(next, factor);
                }
            }
        }
        other => {
            for (a, factor) in later.filter(|&(a, _)| open(a) && required(&[a])) {
                let mut next = base;
                match next[usize::from(a)] {
                    BARE => (next[usize::from(a)], next[usize::from(other)]) = (other, a),
                    PROCESSED => {
                        next[usize::from(a)] = INNER;
                        if !is_finished_tour(finished, &next) {
                            continue;
                        }
                    }
                    far => {
                        next[usize::from(a)] = INNER;
                        (next[usize::from(far)], next[usize::from(other)]) = (other, far);
                    }
                }
                emit(next, factor);
            }
        }
    }
}

/// Returns true if `state`, in which a cycle has just closed, is a finished tour. `finished` lists
/// the sets of inner slots of finished tours.
fn is_finished_tour<const N: usize>(finished: &[u64], state: &Mates<N>) -> bool {
    let inner = state.iter().enumerate().fold(0, |set, (slot, &mate)| set | u64::from(mate == INNER) << slot);
    finished.contains(&inner) && state.iter().all(|&mate| mate >= INNER)
}

/// Returns the digit of `slot` in the signature of the state: 0 for bare, 1 for an end, 2 for
/// inner.
#[must_use]
pub fn digit<const N: usize>(state: &Mates<N>, slot: Slot) -> u8 {
    match state[usize::from(slot)] {
        BARE => 0,
        INNER => 2,
        _ => 1,
    }
}

/// Returns true if the vertex in `slot` can still get its missing edges. `neighbour_slots` lists the slots of
/// its unprocessed neighbours; `None` is a neighbour that is not on the frontier yet.
#[must_use]
pub fn has_enough_neighbours<const N: usize>(
    state: &Mates<N>,
    slot: Slot,
    neighbour_slots: &[Option<Slot>],
) -> bool {
    let missing = match state[usize::from(slot)] {
        INNER => return true,
        BARE => 2,
        _ => 1,
    };
    neighbour_slots.iter().filter(|s| s.is_none_or(|s| state[usize::from(s)] != INNER)).take(missing).count()
        == missing
}

/// Returns the lesser of `state` and its mirror image if the step merges mirror images, else
/// `state`.
#[must_use]
pub fn canonical<const N: usize>(step: &Step, state: Mates<N>) -> Mates<N> {
    let Some(image) = &step.mirror_image else { return state };
    let mut mirrored = state;
    for (slot, &image_slot) in image.iter().enumerate() {
        let mate = state[slot];
        mirrored[usize::from(image_slot)] = if mate < INNER { image[usize::from(mate)] } else { mate };
    }
    state.min(mirrored)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::planning::plan::LaterNeighbour;

    fn step(slot: Option<Slot>, later: &[(Slot, i32)]) -> Step {
        let later = later
            .iter()
            .map(|&(slot, factor)| LaterNeighbour { slot, is_first_touch: false, factor })
            .collect();
        Step { mirror_image: Some(vec![1, 0, 3, 2]), ..Step::new(0, slot, later) }
    }

    fn after(step: &Step, state: Mates<4>, finished: &[u64]) -> Vec<(Mates<4>, i32)> {
        let mut all = Vec::new();
        successors(finished, step, &state, &mut |next, factor| all.push((next, factor)));
        all
    }

    #[test]
    fn joining_two_ends_makes_their_mates_mates() {
        // The ends 1-2 and 0-3; the vertex in slot 0 is joined to 1, 2 or 3.
        let step = step(Some(0), &[(1, 5), (2, 7), (3, 11)]);
        let all = after(&step, [3, 2, 1, 0], &[]);
        assert_eq!(
            all,
            [([BARE, INNER, 3, 2], 5), ([BARE, 3, INNER, 1], 7)],
            "an end is not joined to its own mate"
        );
        // A cycle may close in the finished tour only.
        let closing = after(&step, [3, INNER, INNER, 0], &[0b1110]);
        assert_eq!(closing, [([BARE, INNER, INNER, INNER], 11)]);
    }

    #[test]
    fn joining_a_bare_vertex_makes_its_neighbours_mates() {
        let all = after(&step(None, &[(1, 2), (2, 3)]), [BARE; 4], &[]);
        assert_eq!(all, [([BARE, 2, 1, BARE], 6)]);
    }

    #[test]
    fn canonical_merges_a_state_and_its_mirror_image() {
        let step = step(None, &[]);
        let (state, image) = ([BARE, 2, 1, INNER], [3, BARE, INNER, 0]);
        assert_eq!(canonical(&step, state), canonical(&step, image));
        assert_eq!((digit(&state, 0), digit(&state, 1), digit(&state, 3)), (0, 1, 2));
        assert!(
            has_enough_neighbours(&state, 0, &[Some(1), None])
                && !has_enough_neighbours(&state, 0, &[Some(3), None])
        );
    }
}
