//! The front: the frontier of the near end where both ends of a sweep meet.

use crate::frontier::problem::cycles::Cycles;
use crate::frontier::problem::plan::Plan;

/// The vertices on the frontier of `near` after step `t`.
pub fn front_of(cycles: &Cycles, near: &Plan, t: usize) -> Vec<usize> {
    (0..cycles.len()).filter(|&v| near.slot_after(t, v).is_some()).collect()
}

/// The mirror that folds the layer of `near` after step `t`, if one does. It keeps compulsory edges that are still ahead.
pub fn mirror_of<'a>(cycles: &'a Cycles, near: &Plan, t: usize) -> Option<&'a [usize]> {
    let image = near.steps()[t].mirror.as_ref()?;
    let is_same = |mirror: &&Vec<usize>| {
        (0..cycles.len()).all(|v| {
            // Vertices of the front go where the slots say, processed ones to processed ones.
            let goes_right = match near.slot_after(t, v) {
                Some(slot) => near.slot_after(t, mirror[v]) == Some(image[usize::from(slot)]),
                None => (near.place(v) <= t) == (near.place(mirror[v]) <= t),
            };
            goes_right && (near.place(v) <= t || cycles.compulsory(v).is_none() || mirror[v] == v)
        })
    };
    cycles.mirrors().iter().find(is_same).map(Vec::as_slice)
}
