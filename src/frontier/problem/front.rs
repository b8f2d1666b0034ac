//! Two functions recover vertices and mirror of one layer from a plan: [`frontier_vertices`] and
//! [`mirror_after`]. At the step where a two-sided sweep is joined they give the cut.

use crate::frontier::problem::cycles::Cycles;
use crate::frontier::problem::plan::Plan;

/// Returns the vertices on the frontier of `plan` after step `t`.
pub fn front_of(cycles: &Cycles, near: &Plan, t: usize) -> Vec<usize> {
    (0..cycles.len()).filter(|&v| near.slot_after(t, v).is_some()).collect()
}

/// Returns the mirror that folds the layer of `plan` after step `t`, if there is one. It preserves compulsory
/// edges that are not decided yet.
pub fn mirror_of<'a>(cycles: &'a Cycles, near: &Plan, t: usize) -> Option<&'a [usize]> {
    let image = near.steps()[t].mirror.as_ref()?;
    let is_same = |mirror: &&Vec<usize>| {
        (0..cycles.len()).all(|v| {
            // Frontier vertices must move as the slots do, and processed vertices to processed ones.
            let goes_right = match near.slot_after(t, v) {
                Some(slot) => near.slot_after(t, mirror[v]) == Some(image[usize::from(slot)]),
                None => (near.place(v) <= t) == (near.place(mirror[v]) <= t),
            };
            goes_right && (near.place(v) <= t || cycles.compulsory(v).is_none() || mirror[v] == v)
        })
    };
    cycles.mirrors().iter().find(is_same).map(Vec::as_slice)
}
