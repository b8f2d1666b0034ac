//! Right halves of two-sided sweeps that are the image of the left half under a symmetry.
//!
//! The right half sweeps the *rest*: the vertices that are neither processed nor on the frontier at
//! the cut. If a symmetry maps the vertices of the first steps of the left order onto the rest, the
//! layer after those steps serves both halves; only the vertices are renamed:
//!
//! ```text
//! left half    # # # o o . . . .      # processed   o on the frontier
//! its image    . . . . o o # # #
//! cut          # # # # o o x x x      x the rest, swept by the first three steps
//! ```
//!
//! After these common steps, the right half has only the steps for edges between cut vertices. The
//! board must be its own image. No special order is needed: line-by-line orders are equally good
//! from either end.
//!
//! A cut vertex has one slot in the left half and another in the right half. Signatures are grouped
//! into chunks by their highest slots; the slots are renumbered so that each chunk of one half is
//! compatible with as few chunks of the other half as possible.

use super::plan::{Plan, frontier_vertices, mirror_after};
use super::problem::Cycles;
use super::slots::Slot;

/// A graph symmetry that maps the first steps of the left half of a two-sided sweep to its right half. The
/// layer after these steps then serves both halves.
#[derive(Clone, Debug)]
pub struct SymmetricHalf {
    /// Image of each vertex under the symmetry.
    image: Vec<usize>,
    /// Number of common steps: the first steps of the left half that also sweep the vertices beyond
    /// the cut.
    common_steps: usize,
    /// For each vertex, its slot in the right half; `None` for vertices that are not at the cut,
    /// and for cut vertices without edges in the right half.
    cut_slots: Vec<Option<Slot>>,
}

impl SymmetricHalf {
    /// Finds a symmetric right half for the plan `left` with the cut after step `t`; returns `None`
    /// if there is none. Cost: O(mirrors x vertices).
    #[must_use]
    pub fn find(cycles: &Cycles, left: &Plan, t: usize) -> Option<Self> {
        let len = cycles.len();
        let is_rest = |v: usize| left.step_of(v) > t && left.slot_after(t, v).is_none();
        // Each step processes one vertex.
        let steps = len - (t + 1) - left.steps()[t].occupied_slots.count_ones() as usize;
        debug_assert_eq!(steps, (0..len).filter(|&v| is_rest(v)).count());
        if steps == 0 || steps > t + 1 {
            return None;
        }
        // A compulsory edge is decided in one of the halves only.
        if cycles.has_compulsory_edges() {
            return None;
        }
        let first = &left.steps()[..steps];
        let mirror = mirror_after(cycles, left, t);
        // The join reverses the folding of the common layer by a mirror that preserves the cut.
        if mirror.is_none() && first.iter().any(|step| step.mirror_image.is_some()) {
            return None;
        }
        let fits = |image: &&Vec<usize>| first.iter().all(|step| is_rest(image[step.vertex]));
        cycles.mirrors().iter().filter(fits).find_map(|image| {
            let slots = assign_cut_slots(cycles, left, t, steps, image, mirror)?;
            Some(Self { image: image.clone(), common_steps: steps, cut_slots: slots })
        })
    }

    /// Returns the image of each vertex under the symmetry.
    #[must_use]
    pub fn image(&self) -> &[usize] {
        &self.image
    }

    /// Returns the number of first steps of the left half that also serve the right half.
    #[must_use]
    pub const fn common_steps(&self) -> usize {
        self.common_steps
    }

    /// Returns, for each vertex, its slot in the right half; `None` for vertices without a slot.
    #[must_use]
    pub fn cut_slots(&self) -> &[Option<Slot>] {
        &self.cut_slots
    }

    /// Returns the new number of each slot of `left`, with the cut after step `t`. As many as
    /// possible of the cut vertices with the `highest_slots` highest slots in one half also have
    /// these slots in the other half.
    #[must_use]
    pub fn new_slots(&self, left: &Plan, t: usize, highest_slots: usize) -> Vec<Slot> {
        let slots = left.slot_count();
        // Mirror images stay on one track.
        let slots_per_unit = if left.steps().iter().any(|step| step.mirror_image.is_some()) { 2 } else { 1 };
        let units = slots / slots_per_unit;
        // For each unit of slots, the unit of the same vertices in the right half.
        let mut next: Vec<Option<usize>> = vec![None; units];
        for (v, slot) in left.frontier_slots(t) {
            let (here, there) = (usize::from(slot) / slots_per_unit, self.cut_slots[v]);
            let there = there.map(|slot| usize::from(slot) / slots_per_unit).filter(|&there| there < units);
            if here < units && there.is_some() {
                next[here] = there;
            }
        }
        let mut units_from_highest: Vec<usize> = Vec::new();
        let mut free_units =
            units.saturating_sub((slots - highest_slots.min(slots)).div_ceil(slots_per_unit));
        let mut chains = chains(&next);
        // Whole cycles as long as they fit, and then a part of one that does not.
        while let Some(at) = chains.iter().rposition(|chain| chain.len() <= free_units && free_units > 0) {
            let chain = chains.remove(at);
            free_units -= chain.len();
            units_from_highest.extend(chain);
        }
        units_from_highest.extend(chains.into_iter().flatten());
        // The first units get the highest slots.
        let mut names: Vec<Slot> = (0..slots as Slot).collect();
        for (unit, position) in units_from_highest.into_iter().zip((0..units).rev()) {
            for k in 0..slots_per_unit {
                names[unit * slots_per_unit + k] = (position * slots_per_unit + k) as Slot;
            }
        }
        names
    }

    /// Returns the symmetric half with new slot numbers: `new_slots[s]` is the new number of slot `s`.
    #[must_use]
    pub fn with_renamed_slots(mut self, new_slots: &[Slot]) -> Self {
        self.cut_slots.iter_mut().flatten().for_each(|slot| *slot = new_slots[usize::from(*slot)]);
        self
    }
}

/// Splits a partial map, which gives the image of each element, into cycles and paths, the shortest
/// first. If several elements have the same image, all but one of their paths end before that
/// image.
fn chains(next: &[Option<usize>]) -> Vec<Vec<usize>> {
    let mut is_reached = vec![false; next.len()];
    next.iter().flatten().for_each(|&there| is_reached[there] = true);
    let mut seen = vec![false; next.len()];
    // Paths from their starts, and then cycles from anywhere.
    let mut firsts: Vec<usize> = (0..next.len()).collect();
    firsts.sort_by_key(|&unit| is_reached[unit]);
    let mut chains: Vec<Vec<usize>> = Vec::new();
    for first in firsts {
        let (mut chain, mut at) = (Vec::new(), Some(first));
        while let Some(unit) = at.filter(|&unit| !seen[unit]) {
            seen[unit] = true;
            chain.push(unit);
            at = next[unit];
        }
        if !chain.is_empty() {
            chains.push(chain);
        }
    }
    chains.sort_by_key(Vec::len);
    chains
}

/// Assigns slots of the right half to the cut vertices. A vertex that the common steps touch has
/// the slot of its image; other vertices with an edge to a cut vertex get free slots. Returns
/// `None` if no slot is free, or if mirror images do not share a track.
fn assign_cut_slots(
    cycles: &Cycles,
    left: &Plan,
    t: usize,
    steps: usize,
    image: &[usize],
    mirror: Option<&[usize]>,
) -> Option<Vec<Option<Slot>>> {
    let cut_vertices = frontier_vertices(cycles, left, t);
    let mut slots: Vec<Option<Slot>> = vec![None; cycles.len()];
    let mut is_free = vec![true; left.slot_count()];
    for &v in &cut_vertices {
        slots[v] = left.slot_after(steps - 1, image[v]);
        slots[v].into_iter().for_each(|slot| is_free[usize::from(slot)] = false);
    }
    let has_edge = |v: usize| cut_vertices.iter().any(|w| cycles.neighbours(v).contains(w));
    for &v in &cut_vertices {
        if slots[v].is_some() || !has_edge(v) {
            continue;
        }
        let mirror_partner = mirror.map(|mirror| mirror[v]).filter(|&w| w != v && slots[w].is_none());
        let slot = (0..left.slot_count()).find(|&slot| {
            is_free[slot]
                && mirror_partner.is_none_or(|_| is_free.get(slot ^ 1).is_some_and(|is_free| *is_free))
        })?;
        for (v, slot) in [(Some(v), slot), (mirror_partner, slot ^ 1)] {
            if let Some(v) = v {
                slots[v] = Some(slot as Slot);
                is_free[slot] = false;
            }
        }
    }
    let shares_track = |v: usize, w: usize| match (slots[v], slots[w]) {
        (Some(here), Some(there)) => v == w || here ^ 1 == there,
        (here, there) => here == there,
    };
    let has_image_on_track = |mirror: &[usize]| cut_vertices.iter().all(|&v| shares_track(v, mirror[v]));
    mirror.is_none_or(has_image_on_track).then_some(slots)
}

#[cfg(test)]
mod tests {
    use super::super::problem::SweepGraph;
    use super::super::problem::Tours;
    use super::*;
    use crate::board::Rectangle;

    fn left_plan(rows: u16, cols: u16, tours: Tours, fold: bool) -> (Cycles, Plan) {
        let cycles = Cycles::from_sweep_graph(
            &SweepGraph::from_board(&Rectangle::new(rows, cols).unwrap().into()),
            tours,
        );
        // Line by line, mirror images next to each other.
        let line = |row: usize| (0..usize::from(cols)).map(move |k| (row, k));
        let order = (0..usize::from(rows)).flat_map(line).map(|(row, k)| {
            let cols = usize::from(cols);
            row * cols + if k % 2 == 0 { k / 2 } else { cols - 1 - k / 2 }
        });
        let order: Vec<usize> = order.chain(cycles.apex()).collect();
        let plan = Plan::new(&cycles, &order, fold);
        (cycles, plan)
    }

    /// Returns the cuts of a board of eight rows at which the right half is an image of the left half. Each
    /// cut is given by the number of steps before it and its number of common steps.
    fn symmetric_cuts(tours: Tours, fold: bool) -> Vec<(usize, usize)> {
        let (cycles, left) = left_plan(8, 4, tours, fold);
        let steps = 0..cycles.len() - 1;
        steps.filter_map(|t| Some((t + 1, SymmetricHalf::find(&cycles, &left, t)?.common_steps))).collect()
    }

    #[test]
    fn find_detects_that_first_rows_are_an_image_of_the_last() {
        // Three rows, two rows at the cut, three rows; or four rows and two.
        for tours in [Tours::Closed, Tours::Paths] {
            let found = symmetric_cuts(tours, true);
            assert!(found.contains(&(12, 12)) && found.contains(&(16, 8)), "{found:?}");
            assert!(found.iter().all(|&(step, earlier)| earlier <= step), "{found:?}");
            assert!(symmetric_cuts(tours, false).len() >= found.len());
        }
        assert_eq!(symmetric_cuts(Tours::From(9), true), [], "the edge to the start is decided once");
    }

    #[test]
    fn cut_slots_are_distinct_and_renamed_by_tracks() {
        let (cycles, left) = left_plan(9, 4, Tours::Paths, true);
        let mut found = 0;
        for t in 0..cycles.len() - 1 {
            let Some(half) = SymmetricHalf::find(&cycles, &left, t) else { continue };
            let names = half.new_slots(&left, t, 6);
            let mut sorted = names.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..left.slot_count() as Slot), "{names:?}");
            let is_track = |k: usize| names[2 * k] ^ 1 == names[2 * k + 1];
            assert!((0..left.slot_count() / 2).all(is_track), "{names:?}");
            let (left, half) = (left.with_renamed_slots(&names), half.with_renamed_slots(&names));
            let mut taken: Vec<Slot> = half.cut_slots().iter().flatten().copied().collect();
            taken.sort_unstable();
            let all = taken.len();
            taken.dedup();
            assert_eq!(taken.len(), all, "two vertices share a slot after {t}");
            assert!(left.frontier_slots(t).count() >= all);
            found += 1;
        }
        assert!(found > 4, "{found}");
    }

    #[test]
    fn chains_are_cycles_and_paths() {
        let next = [Some(1), Some(0), Some(2), None, Some(3), Some(6), Some(7), Some(5)];
        assert_eq!(chains(&next), [vec![2], vec![4, 3], vec![0, 1], vec![5, 6, 7]]);
        assert_eq!(chains(&[]), Vec::<Vec<usize>>::new());
    }
}
