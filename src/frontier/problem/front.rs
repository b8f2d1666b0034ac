//! Two functions recover vertices and mirror of one layer from a plan: [`frontier_vertices`] and
//! [`mirror_after`]. At the step where a two-sided sweep is joined they give the cut.

use crate::frontier::problem::cycles::Cycles;
use crate::frontier::problem::plan::Plan;

/// Returns the vertices on the frontier of `plan` after step `t`.
pub fn frontier_vertices(cycles: &Cycles, plan: &Plan, t: usize) -> Vec<usize> {
    (0..cycles.len()).filter(|&v| plan.slot_after(t, v).is_some()).collect()
}

/// Returns the mirror that folds the layer of `plan` after step `t`, if there is one. It preserves compulsory
/// edges that are not decided yet.
pub fn mirror_after<'a>(cycles: &'a Cycles, plan: &Plan, t: usize) -> Option<&'a [usize]> {
    let image = plan.steps()[t].mirror_image.as_ref()?;
    let acts_as_mirror = |mirror: &&Vec<usize>| {
        (0..cycles.len()).all(|v| {
            // Frontier vertices must move as the slots do, and processed vertices to processed ones.
            let moves_correctly = match plan.slot_after(t, v) {
                Some(slot) => plan.slot_after(t, mirror[v]) == Some(image[usize::from(slot)]),
                None => (plan.step_of(v) <= t) == (plan.step_of(mirror[v]) <= t),
            };
            moves_correctly
                && (plan.step_of(v) <= t || cycles.compulsory_neighbour(v).is_none() || mirror[v] == v)
        })
    };
    cycles.mirrors().iter().find(acts_as_mirror).map(Vec::as_slice)
}
