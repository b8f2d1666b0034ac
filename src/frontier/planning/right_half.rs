//! The right half of a two-sided sweep: the part of the graph behind a frontier, swept towards the
//! frontier from the other side.
//!
//! A left half that ends after some step has decided every edge of its processed vertices. The
//! undecided edges of a tour join the remaining vertices: the *cut vertices*, which are the
//! frontier at that step, and the *rest* behind them. The right half is a separate sweep. It first
//! processes the rest. Then further steps, in which the cut vertices stay on the frontier, decide
//! the edges between cut vertices, some edges of one vertex at a time:
//!
//! ```text
//! left   # # # # o o o . . . .      # processed   o cut vertex
//! right          o o o x x x x      x processed, then the edges between two o
//! ```
//!
//! As far as possible the cut vertices have equal slots in both halves, so that a chunk of one
//! layer is joined with few chunks of the other.

use std::cmp::Reverse;

use super::cancel::{Cancel, Cancelled};
use super::order_cost::expected_states;
use super::plan::{Plan, StepBuilder, frontier_vertices, mirror_after};
use super::problem::{Cycles, symmetric_steps};
use super::slots::{FrontierIntervals, Slot, SlotAssignment};
use super::symmetric_half::SymmetricHalf;

/// Maximum number of edges between cut vertices that one step decides. A step lists all `3^slots`
/// combinations of the digits of its slots, and the apex is joined to every cut vertex. An even number keeps
/// mirror images together.
const MAX_CUT_EDGES_PER_STEP: usize = 6;

/// The edges between cut vertices that one step decides: the edges from `centre` to each of
/// `others`.
struct CutEdges {
    centre: usize,
    others: Vec<usize>,
}

impl Plan {
    /// Creates the plan of the right half for the left half `left` with the cut after step `t` of
    /// `left`. With `fold`, the plan is folded by the mirror that folds the layer at the cut, if
    /// there is such a mirror. With `symmetric_half`, its first steps are the common steps with
    /// renamed vertices. Returns `None` if the plan needs too many slots. Cost: the cost of
    /// [`Plan::new`], and of the choice among a few orders.
    ///
    /// # Errors
    /// [`Cancelled`] if `cancel` is cancelled.
    pub fn right_half(
        cycles: &Cycles,
        left: &Self,
        t: usize,
        fold: bool,
        symmetric_half: Option<&SymmetricHalf>,
        cancel: &Cancel,
    ) -> Result<Option<Self>, Cancelled> {
        let len = cycles.len();
        let is_ahead = |v: usize| left.step_of(v) > t;
        let cut_vertices = frontier_vertices(cycles, left, t);
        let mirror = if fold { mirror_after(cycles, left, t) } else { None };
        let order = match symmetric_half {
            Some(half) => {
                left.steps()[..half.common_steps()].iter().map(|step| half.image()[step.vertex]).collect()
            }
            None => {
                let mut order = best_right_order(cycles, left, t, mirror);
                // The compulsory edge of a fixed start is decided at the start, so the apex must come later.
                order.sort_by_key(|&v| cycles.apex() == Some(v));
                order
            }
        };
        let cut_edge_steps = group_cut_edges(cycles, &cut_vertices, mirror);
        let count = order.len() + cut_edge_steps.len();
        let mut place: Vec<usize> = (0..len).map(|v| if is_ahead(v) { count } else { 0 }).collect();
        order.iter().enumerate().for_each(|(step, &v)| place[v] = step);
        let mut touched = place.clone();
        for (step, &v) in order.iter().enumerate() {
            for &w in cycles.neighbours(v).iter().filter(|&&w| is_ahead(w)) {
                touched[w] = touched[w].min(step);
            }
        }
        for (step, star) in (order.len()..).zip(&cut_edge_steps) {
            for &v in star.others.iter().chain([&star.centre]) {
                touched[v] = touched[v].min(step);
            }
        }
        let intervals = FrontierIntervals { first_touch: touched, step_of: place };
        let folded = mirror.map(|mirror| folding_steps(&order, &cut_edge_steps, mirror)).unwrap_or_default();
        let slot_assignment = match symmetric_half {
            Some(half) => Some(slots_of_symmetric_half(left, half)),
            None => assign_slots(
                &intervals,
                left,
                t,
                &cut_vertices,
                count,
                mirror.map(|mirror| (mirror, &*folded)),
                cancel,
            )?,
        };
        let Some(slot_assignment) = slot_assignment else { return Ok(None) };
        let mut builder = StepBuilder::new(cycles, &intervals, &slot_assignment);
        let steps = (0..count)
            .map(|step| {
                let mirror = mirror.filter(|_| folded.binary_search(&step).is_ok());
                match order.get(step) {
                    Some(&v) => builder.build(step, v, None, mirror),
                    None => {
                        let CutEdges { centre, others } = &cut_edge_steps[step - order.len()];
                        builder.build(step, *centre, Some(others), mirror)
                    }
                }
            })
            .collect();
        Ok(Some(Self::from_right_half(intervals, slot_assignment, steps)))
    }
}

/// Returns the slots of a symmetric right half. A vertex beyond the cut has the slot of its image
/// in the left half; a cut vertex has the slot that `symmetric_half` gives it.
fn slots_of_symmetric_half(left: &Plan, symmetric_half: &SymmetricHalf) -> SlotAssignment {
    let slot =
        |(v, slot): (usize, &Option<Slot>)| slot.unwrap_or_else(|| left.slot_of(symmetric_half.image()[v]));
    let slot_of = symmetric_half.cut_slots().iter().enumerate().map(slot).collect();
    SlotAssignment { slot_of, slot_count: left.slot_count() }
}

/// Assigns slots to the vertices of the right half, so that as many cut vertices as possible have
/// their slot of the left half. `folds` gives the mirror and the steps after which it folds.
/// Returns `None` if too many slots would be necessary.
fn assign_slots(
    intervals: &FrontierIntervals,
    left: &Plan,
    t: usize,
    cut_vertices: &[usize],
    count: usize,
    folds: Option<(&[usize], &[usize])>,
    cancel: &Cancel,
) -> Result<Option<SlotAssignment>, Cancelled> {
    let mirror_partner: Vec<Option<usize>> = (0..intervals.step_of.len())
        .map(|v| {
            let (mirror, folded) = folds?;
            let first = folded.partition_point(|&step| step < intervals.first_touch[v]);
            let is_present = folded.get(first).is_some_and(|&step| intervals.is_on_frontier(v, step));
            Some(mirror[v]).filter(|&w| is_present && w != v)
        })
        .collect();
    let Some(mut slot_assignment) = SlotAssignment::new(intervals, &mirror_partner, cancel)? else {
        return Ok(None);
    };
    // If possible, signatures of both halves have equally many digits.
    slot_assignment.slot_count = slot_assignment.slot_count.max(left.slot_count());
    let front_slots: Vec<(Slot, Slot)> = cut_vertices
        .iter()
        .filter(|&&v| intervals.first_touch[v] < count)
        .map(|&v| (slot_assignment.slot_of[v], left.slot_after(t, v).expect("a cut vertex has a slot")))
        .collect();
    let new_slots = new_slot_numbers(&front_slots, slot_assignment.slot_count, folds.is_some());
    slot_assignment.slot_of.iter_mut().for_each(|slot| *slot = new_slots[usize::from(*slot)]);
    Ok(Some(slot_assignment))
}

/// Returns the new number of each slot. `pairs` gives, for each cut vertex, its present and its preferred
/// slot; as many vertices as possible get the preferred slot. With `by_tracks` the two slots of a track stay
/// together.
fn new_slot_numbers(pairs: &[(Slot, Slot)], slots: usize, by_tracks: bool) -> Vec<Slot> {
    let mut new_slots: Vec<Option<Slot>> = vec![None; slots];
    let mut taken = vec![false; slots];
    let mut assign = |from: usize, to: usize, names: &mut Vec<Option<Slot>>| {
        if names[from].is_none() && !std::mem::replace(&mut taken[to], true) {
            names[from] = Some(to as Slot);
        }
    };
    // With an odd number of slots the last one is alone on its track.
    let has_track_neighbour = |slot: usize| by_tracks && (slot ^ 1) < slots;
    // Tracks with two preferences first, then those with one.
    for preferences in [2, 1] {
        for &(from, to) in pairs {
            let (from, to) = (usize::from(from), usize::from(to));
            let neighbours = (from ^ 1, to ^ 1);
            let both = pairs.iter().any(|&(a, b)| (usize::from(a), usize::from(b)) == neighbours);
            if has_track_neighbour(from) != has_track_neighbour(to) || by_tracks && both != (preferences == 2)
            {
                continue;
            }
            assign(from, to, &mut new_slots);
            if has_track_neighbour(from) && new_slots[from] == Some(to as Slot) {
                assign(neighbours.0, neighbours.1, &mut new_slots);
            }
        }
    }
    let free: Vec<usize> = (0..slots).filter(|&slot| new_slots[slot].is_none()).collect();
    for from in free {
        let to = (0..slots).find(|&to| {
            let is_free = |slot: usize| !new_slots.contains(&Some(slot as Slot));
            new_slots[from].is_none()
                && is_free(to)
                && has_track_neighbour(from) == has_track_neighbour(to)
                && (!has_track_neighbour(from) || is_free(to ^ 1))
        });
        if let Some(to) = to {
            new_slots[from] = Some(to as Slot);
            if has_track_neighbour(from) {
                new_slots[from ^ 1] = Some((to ^ 1) as Slot);
            }
        }
    }
    new_slots.into_iter().map(|name| name.expect("every slot has a new number")).collect()
}

/// Returns the cheapest order of the vertices beyond the cut. Candidates are the images of the left
/// order under the mirrors, which are good if the halves look alike, and the reverse of the order
/// in which the left half would continue.
fn best_right_order(cycles: &Cycles, left: &Plan, t: usize, mirror: Option<&[usize]>) -> Vec<usize> {
    let is_rest = |&v: &usize| left.step_of(v) > t && left.slot_after(t, v).is_none();
    let order: Vec<usize> = left.steps().iter().map(|step| step.vertex).collect();
    let image = |image: &Vec<usize>| order.iter().map(|&v| image[v]).filter(is_rest).collect();
    let reversed: Vec<usize> = order.iter().rev().copied().filter(is_rest).collect();
    let orders = cycles.mirrors().iter().map(image).chain([reversed]);
    let price = |order: &Vec<usize>| right_order_cost(cycles, left, t, order, mirror);
    orders.min_by(|a, b| price(a).total_cmp(&price(b))).expect("the reversed order is a candidate")
}

/// Returns the expected cost of the right half in `order`, computed like
/// [`order_cost`](crate::frontier::planning::order_cost::order_cost) of a whole sweep.
fn right_order_cost(
    cycles: &Cycles,
    left: &Plan,
    t: usize,
    order: &[usize],
    mirror: Option<&[usize]>,
) -> f64 {
    let folded: Vec<usize> =
        mirror.map(|mirror| symmetric_steps(mirror, order).collect()).unwrap_or_default();
    let is_folded = |step: usize| folded.binary_search(&step).is_ok();
    expected_states(cycles, order, |v| left.step_of(v) > t, is_folded)
}

/// Returns the steps after which the set of decided edges is its own image under `mirror`.
fn folding_steps(order: &[usize], cut_edge_steps: &[CutEdges], mirror: &[usize]) -> Vec<usize> {
    let mut folded: Vec<usize> = symmetric_steps(mirror, order).collect();
    // Decided edges whose mirror images are not decided yet.
    let mut unpaired: Vec<(usize, usize)> = Vec::new();
    for (step, star) in (order.len()..).zip(cut_edge_steps) {
        for &w in &star.others {
            let edge = (star.centre.min(w), star.centre.max(w));
            let (a, b) = (mirror[edge.0], mirror[edge.1]);
            let image = (a.min(b), a.max(b));
            if let Some(at) = unpaired.iter().position(|&other| other == image) {
                unpaired.swap_remove(at);
            } else if image != edge {
                unpaired.push(edge);
            }
        }
        if unpaired.is_empty() {
            folded.push(step);
        }
    }
    folded
}

/// Groups the edges between cut vertices into steps of at most [`MAX_CUT_EDGES_PER_STEP`] edges
/// with a common vertex, greedily, beginning with the vertices with the most edges. Edges that a
/// mirror exchanges are in one step if the mirror fixes their common vertex, else in two
/// consecutive steps, so that the layer can be folded after every second step.
fn group_cut_edges(cycles: &Cycles, cut_vertices: &[usize], mirror: Option<&[usize]>) -> Vec<CutEdges> {
    let mut edges: Vec<(usize, usize)> = Vec::new();
    for (i, &v) in cut_vertices.iter().enumerate() {
        edges.extend(
            cut_vertices[i + 1..].iter().filter(|w| cycles.neighbours(v).contains(w)).map(|&w| (v, w)),
        );
    }
    let mut stars = Vec::new();
    while !edges.is_empty() {
        let degree = |v: usize| edges.iter().filter(|edge| edge.0 == v || edge.1 == v).count();
        let centre =
            cut_vertices.iter().copied().min_by_key(|&v| Reverse(degree(v))).expect("an edge has two ends");
        let mut others: Vec<usize> = take_edges_at(&mut edges, centre);
        let image = mirror.map(|mirror| (mirror, mirror[centre])).filter(|&(_, image)| image != centre);
        if let Some(mirror) = mirror {
            others.sort_by_key(|&w| (mirror[w] == w, w.min(mirror[w])));
        }
        let mut image_others = image.map(|(_, image)| take_edges_at(&mut edges, image)).unwrap_or_default();
        for others in others.chunks(MAX_CUT_EDGES_PER_STEP) {
            stars.push(CutEdges { centre, others: others.to_vec() });
            if let Some((mirror, image)) = image {
                let is_image = |w: &mut usize| others.contains(&mirror[*w]);
                let others: Vec<usize> = image_others.extract_if(.., is_image).collect();
                stars.extend((!others.is_empty()).then_some(CutEdges { centre: image, others }));
            }
        }
        debug_assert!(image_others.is_empty(), "images of edges are edges");
    }
    stars
}

/// Removes the edges at vertex `v` from `edges` and returns their other ends.
fn take_edges_at(edges: &mut Vec<(usize, usize)>, v: usize) -> Vec<usize> {
    edges.extract_if(.., |edge| edge.0 == v || edge.1 == v).map(|(a, b)| if a == v { b } else { a }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::plan::Step;
    use super::super::problem::{SweepGraph, Tours};
    use super::*;
    use crate::board::Rectangle;

    fn right_half(
        cycles: &Cycles,
        left: &Plan,
        t: usize,
        fold: bool,
        symmetric_half: Option<&SymmetricHalf>,
    ) -> Plan {
        Plan::right_half(cycles, left, t, fold, symmetric_half, &Cancel::default()).unwrap().unwrap()
    }

    fn left_plan(rows: u16, cols: u16, tours: Tours) -> (Cycles, Plan) {
        let cycles = Cycles::from_sweep_graph(
            &SweepGraph::from_board(&Rectangle::new(rows, cols).unwrap().into()),
            tours,
        );
        let order: Vec<usize> = (0..cycles.len()).collect();
        let plan = Plan::new(&cycles, &order, true);
        (cycles, plan)
    }

    #[test]
    fn both_halves_decide_each_edge_once() {
        for tours in [Tours::Closed, Tours::Paths, Tours::From(13), Tours::Between(0, 19)] {
            let (cycles, left) = left_plan(5, 4, tours);
            let edges: usize = (0..cycles.len()).map(|v| cycles.neighbours(v).len()).sum();
            for t in 0..cycles.len() - 1 {
                let right_plan = right_half(&cycles, &left, t, true, None);
                let decided =
                    |steps: &[Step]| steps.iter().map(|step| step.later_neighbours.len()).sum::<usize>();
                assert_eq!(
                    2 * (decided(&left.steps()[..=t]) + decided(right_plan.steps())),
                    edges,
                    "{tours:?} {t}"
                );
                assert!(
                    right_plan.steps().iter().all(|step| !step.stays_on_frontier
                        || step.later_neighbours.len() <= MAX_CUT_EDGES_PER_STEP)
                );
                let compulsory =
                    |steps: &[Step]| steps.iter().map(|step| step.compulsory_slots.len()).sum::<usize>();
                let compulsory = compulsory(&left.steps()[..=t]) + compulsory(right_plan.steps());
                assert_eq!(compulsory, usize::from(matches!(tours, Tours::From(_))));
                assert!(right_plan.finished_inner_slots(0).is_empty());
            }
        }
    }

    #[test]
    fn right_half_keeps_mirror_images_on_one_track() {
        let (cycles, left) = left_plan(6, 4, Tours::Paths);
        let folded = (0..cycles.len() - 1).filter(|&t| left.steps()[t].mirror_image.is_some());
        let right_plan: Vec<Plan> = folded.map(|t| right_half(&cycles, &left, t, true, None)).collect();
        assert!(
            right_plan.len() > 5
                && right_plan
                    .iter()
                    .all(|right_plan| right_plan.steps().last().is_none_or(|s| s.mirror_image.is_some()))
        );
        for step in right_plan.iter().flat_map(Plan::steps) {
            let Some(image) = &step.mirror_image else { continue };
            for (slot, &image_slot) in image.iter().enumerate() {
                assert!(
                    usize::from(image_slot) == slot || usize::from(image_slot) == slot ^ 1,
                    "on one track"
                );
            }
        }
    }

    #[test]
    fn cut_edge_steps_fold_at_least_every_second_layer() {
        let (cycles, left) = left_plan(8, 6, Tours::Closed);
        let t = (20..30).find(|&t| left.steps()[t].mirror_image.is_some()).unwrap();
        let right_plan = right_half(&cycles, &left, t, true, None);
        let folds: Vec<bool> = right_plan
            .steps()
            .iter()
            .filter(|step| step.stays_on_frontier)
            .map(|step| step.mirror_image.is_some())
            .collect();
        assert!(folds.len() > 3 && folds.windows(2).all(|pair| pair[0] || pair[1]), "{folds:?}");
    }

    #[test]
    fn new_slot_numbers_are_a_permutation_of_tracks() {
        let pairs = [(2, 6), (3, 7), (0, 1), (4, 4), (5, 2), (8, 8)];
        assert_eq!(new_slot_numbers(&pairs, 9, false)[..6], [1, 0, 6, 7, 4, 2]);
        let by_tracks = new_slot_numbers(&pairs, 9, true);
        assert_eq!((by_tracks[2], by_tracks[3], by_tracks[0], by_tracks[1], by_tracks[8]), (6, 7, 1, 0, 8));
        assert_eq!((by_tracks[4], by_tracks[5]), (4, 5), "the preferred slots are on different tracks");
        for by_tracks in [true, false] {
            for slots in [8, 9] {
                let mut names = new_slot_numbers(&[(7, 0), (1, 1), (6, 3)], slots, by_tracks);
                assert!(!by_tracks || (0..4).all(|k| names[2 * k] ^ 1 == names[2 * k + 1]));
                names.sort_unstable();
                assert!(names.into_iter().eq(0..slots as Slot));
            }
        }
    }
}
