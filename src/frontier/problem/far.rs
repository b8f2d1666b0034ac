//! The right half of a two-sided sweep: the part of the graph behind a frontier, swept towards it from the
//! other side.
//!
//! A left half that ends after some step has decided every edge of its processed vertices. The undecided
//! edges of a tour join the remaining vertices: the *cut vertices*, which are the frontier at that step, and
//! the *rest* behind them. The right half is a sweep of its own. It processes the rest. Then further steps,
//! in which the cut vertices stay on the frontier, decide the edges between cut vertices, some edges of one
//! vertex at a time:
//!
//! ```text
//! left   # # # # o o o . . . .      # processed   o cut vertex
//! right          o o o x x x x      x processed, then the edges between two o
//! ```
//!
//! As far as possible the cut vertices have equal slots in both halves, so that a chunk of one layer is
//! joined with few chunks of the other.

use std::cmp::Reverse;

use crate::frontier::problem::cycles::{Cycles, folds};
use crate::frontier::problem::front::{front_of, mirror_of};
use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::price::{phase, share, states_of};
use crate::frontier::problem::seating::{Seating, Stays};
use crate::frontier::problem::slot::{Slot, seat};
use crate::frontier::problem::step::{Later, Step};
use crate::frontier::problem::twin::Twin;

/// Maximum number of edges between cut vertices that one step decides. A step lists all `3^slots`
/// combinations of the digits of its slots, and the apex is joined to every cut vertex. An even number keeps
/// mirror images together.
const MOST_EDGES: usize = 6;

/// Edges between cut vertices that one step decides: those from `centre` to `others`.
struct Star {
    centre: usize,
    others: Vec<usize>,
}

impl Plan {
    /// Creates the plan of the right half for the left half `left` with the cut after its step `t`. It is
    /// folded by the mirror that folds the layer at the cut, if there is one. With a symmetric half
    /// `symmetric_half` its first steps are the common steps with renamed vertices. Cost: as for
    /// [`Plan::new`], and the choice among a few orders.
    #[must_use]
    pub fn far(cycles: &Cycles, near: &Self, t: usize, fold: bool, twin: Option<&Twin>) -> Self {
        let len = cycles.len();
        let is_ahead = |v: usize| near.place(v) > t;
        let front = front_of(cycles, near, t);
        let mirror = if fold { mirror_of(cycles, near, t) } else { None };
        let order = match twin {
            Some(twin) => near.steps()[..twin.steps()].iter().map(|step| twin.image()[step.vertex]).collect(),
            None => {
                let mut order = best_order(cycles, near, t, mirror);
                // A compulsory edge is decided at the fixed start, so the apex must come later.
                order.sort_by_key(|&v| cycles.apex() == Some(v));
                order
            }
        };
        let stars = stars(cycles, &front, mirror);
        let count = order.len() + stars.len();
        let mut place: Vec<usize> = (0..len).map(|v| if is_ahead(v) { count } else { 0 }).collect();
        order.iter().enumerate().for_each(|(step, &v)| place[v] = step);
        let mut touched = place.clone();
        for (step, &v) in order.iter().enumerate() {
            for &w in cycles.near(v).iter().filter(|&&w| is_ahead(w)) {
                touched[w] = touched[w].min(step);
            }
        }
        for (step, star) in (order.len()..).zip(&stars) {
            for &v in star.others.iter().chain([&star.centre]) {
                touched[v] = touched[v].min(step);
            }
        }
        let stays = Stays { touched, place };
        let folded = mirror.map(|mirror| folded_steps(&order, &stars, mirror)).unwrap_or_default();
        let seating = match twin {
            Some(twin) => seated_alike(near, twin),
            None => seated(&stays, near, t, &front, count, mirror.map(|mirror| (mirror, &*folded))),
        };
        let slot_of = &seating.slot_of;
        let make = |step: usize| {
            let later = |v: usize, w: usize| Later {
                slot: slot_of[w],
                fresh: stays.touched[w] == step,
                factor: cycles.factor(v, w),
            };
            let frontier = |w: &usize| is_ahead(*w) && stays.is_there(*w, step);
            let occupied = (0..len).filter(frontier).fold(0, |mask, w| mask | seat(slot_of[w]));
            let mirror = mirror.filter(|_| folded.binary_search(&step).is_ok()).map(|mirror| {
                let mut image: Vec<Slot> = (0..seating.slots as Slot).collect();
                (0..len).filter(frontier).for_each(|w| image[usize::from(slot_of[w])] = slot_of[mirror[w]]);
                image
            });
            match order.get(step) {
                Some(&v) => Step {
                    vertex: v,
                    slot: (stays.touched[v] < step).then(|| slot_of[v]),
                    later: cycles
                        .near(v)
                        .iter()
                        .filter(|&&w| is_ahead(w) && stays.place[w] > step)
                        .map(|&w| later(v, w))
                        .collect(),
                    stays: false,
                    compulsory: cycles.compulsory(v).map(|w| slot_of[w]),
                    occupied,
                    mirror,
                },
                None => {
                    let Star { centre: v, others } = &stars[step - order.len()];
                    let is_compulsory =
                        |w: usize| cycles.compulsory(*v) == Some(w) || cycles.compulsory(w) == Some(*v);
                    Step {
                        vertex: *v,
                        slot: Some(slot_of[*v]),
                        later: others.iter().map(|&w| later(*v, w)).collect(),
                        stays: true,
                        compulsory: others.iter().find(|&&w| is_compulsory(w)).map(|&w| slot_of[w]),
                        occupied,
                        mirror,
                    }
                }
            }
        };
        let steps = (0..count).map(make).collect();
        Self::of_far_end(stays, seating, steps)
    }
}

/// Returns the slots of a symmetric right half: vertices of the rest have the slot of their image in the left
/// half, cut vertices those of `symmetric_half`.
fn seated_alike(near: &Plan, twin: &Twin) -> Seating {
    let slot = |(v, slot): (usize, &Option<Slot>)| slot.unwrap_or_else(|| near.slot(twin.image()[v]));
    let slot_of = twin.slots().iter().enumerate().map(slot).collect();
    Seating { slot_of, slots: near.slots() }
}

/// Returns a new assignment of slots, in which as many cut vertices as possible have the slot that they have
/// in the left half. `folds` are the mirror and the steps after which it folds.
fn seated(
    stays: &Stays,
    near: &Plan,
    t: usize,
    front: &[usize],
    count: usize,
    folds: Option<(&[usize], &[usize])>,
) -> Seating {
    let twin: Vec<Option<usize>> = (0..stays.place.len())
        .map(|v| {
            let (mirror, folded) = folds?;
            let first = folded.partition_point(|&step| step < stays.touched[v]);
            let is_there = folded.get(first).is_some_and(|&step| stays.is_there(v, step));
            Some(mirror[v]).filter(|&w| is_there && w != v)
        })
        .collect();
    let mut seating = Seating::new(stays, &twin);
    // If possible, signatures of both halves have equally many digits.
    seating.slots = seating.slots.max(near.slots());
    let front_slots: Vec<(Slot, Slot)> = front
        .iter()
        .filter(|&&v| stays.touched[v] < count)
        .map(|&v| (seating.slot_of[v], near.slot_after(t, v).expect("a cut vertex has a slot")))
        .collect();
    let names = names(&front_slots, seating.slots, folds.is_some());
    seating.slot_of.iter_mut().for_each(|slot| *slot = names[usize::from(*slot)]);
    seating
}

/// Returns new numbers for slots, by old slot. `pairs` are the present and the preferred slot of vertices; as
/// many as possible get the preferred one. With `by_tracks` tracks stay together.
fn names(pairs: &[(Slot, Slot)], slots: usize, by_tracks: bool) -> Vec<Slot> {
    let mut names: Vec<Option<Slot>> = vec![None; slots];
    let mut taken = vec![false; slots];
    let mut name = |from: usize, to: usize, names: &mut Vec<Option<Slot>>| {
        if names[from].is_none() && !std::mem::replace(&mut taken[to], true) {
            names[from] = Some(to as Slot);
        }
    };
    // With an odd number of slots the last one is alone on its track.
    let has_twin = |slot: usize| by_tracks && (slot ^ 1) < slots;
    // Tracks with two preferences first, then those with one.
    for wanted in [2, 1] {
        for &(from, to) in pairs {
            let (from, to) = (usize::from(from), usize::from(to));
            let beside = (from ^ 1, to ^ 1);
            let both = pairs.iter().any(|&(a, b)| (usize::from(a), usize::from(b)) == beside);
            if has_twin(from) != has_twin(to) || by_tracks && both != (wanted == 2) {
                continue;
            }
            name(from, to, &mut names);
            if has_twin(from) && names[from] == Some(to as Slot) {
                name(beside.0, beside.1, &mut names);
            }
        }
    }
    let free: Vec<usize> = (0..slots).filter(|&slot| names[slot].is_none()).collect();
    for from in free {
        let to = (0..slots).find(|&to| {
            let is_free = |slot: usize| !names.contains(&Some(slot as Slot));
            names[from].is_none()
                && is_free(to)
                && has_twin(from) == has_twin(to)
                && (!has_twin(from) || is_free(to ^ 1))
        });
        if let Some(to) = to {
            names[from] = Some(to as Slot);
            if has_twin(from) {
                names[from ^ 1] = Some((to ^ 1) as Slot);
            }
        }
    }
    names.into_iter().map(|name| name.expect("every slot has a new number")).collect()
}

/// Returns the cheapest order of the rest, from these: the images of the left order under the mirrors, which
/// are good if the halves look alike, and the reverse of the order in which the left half would continue.
fn best_order(cycles: &Cycles, near: &Plan, t: usize, mirror: Option<&[usize]>) -> Vec<usize> {
    let is_rest = |&v: &usize| near.place(v) > t && near.slot_after(t, v).is_none();
    let order: Vec<usize> = near.steps().iter().map(|step| step.vertex).collect();
    let image = |image: &Vec<usize>| order.iter().map(|&v| image[v]).filter(is_rest).collect();
    let reversed: Vec<usize> = order.iter().rev().copied().filter(is_rest).collect();
    let orders = cycles.mirrors().iter().map(image).chain([reversed]);
    let price = |order: &Vec<usize>| price(cycles, near, t, order, mirror);
    orders.min_by(|a, b| price(a).total_cmp(&price(b))).expect("the reversed order is a candidate")
}

/// Returns the expected cost of the right half in `order`, computed like
/// [`order_cost`](crate::frontier::planning::order_cost::order_cost) of a whole sweep.
fn price(cycles: &Cycles, near: &Plan, t: usize, order: &[usize], mirror: Option<&[usize]>) -> f64 {
    let mut is_open = vec![true; cycles.len()];
    let mut touched = vec![false; cycles.len()];
    let folded: Vec<usize> = mirror.map(|mirror| folds(mirror, order).collect()).unwrap_or_default();
    let is_folded = |step: usize| folded.binary_search(&step).is_ok();
    let (mut frontier, mut sum) = (0usize, 0.0);
    for (step, &v) in order.iter().enumerate() {
        is_open[v] = false;
        frontier -= usize::from(touched[v]);
        for &w in cycles.near(v).iter().filter(|&&w| near.place(w) > t) {
            frontier += usize::from(is_open[w] && !touched[w]);
            touched[w] = true;
        }
        let share = share(is_folded(step), step > 0 && is_folded(step - 1));
        sum += states_of(frontier) * phase(step + 1, cycles.squares()) * share;
    }
    sum
}

/// Returns the steps after which the set of decided edges is its own mirror image.
fn folded_steps(order: &[usize], stars: &[Star], mirror: &[usize]) -> Vec<usize> {
    let mut folded: Vec<usize> = folds(mirror, order).collect();
    // Decided edges whose mirror images are not decided yet.
    let mut odd: Vec<(usize, usize)> = Vec::new();
    for (step, star) in (order.len()..).zip(stars) {
        for &w in &star.others {
            let edge = (star.centre.min(w), star.centre.max(w));
            let (a, b) = (mirror[edge.0], mirror[edge.1]);
            let image = (a.min(b), a.max(b));
            if let Some(at) = odd.iter().position(|&other| other == image) {
                odd.swap_remove(at);
            } else if image != edge {
                odd.push(edge);
            }
        }
        if odd.is_empty() {
            folded.push(step);
        }
    }
    folded
}

/// Groups the edges between cut vertices into steps of at most [`MAX_CUT_EDGES_PER_STEP`] edges with a common
/// vertex, greedily, the vertices with the most edges first. Edges that a mirror exchanges are in one step if
/// their common vertex is a fixed point, else in two consecutive steps, so that the layer can be folded after
/// every second step.
fn stars(cycles: &Cycles, front: &[usize], mirror: Option<&[usize]>) -> Vec<Star> {
    let mut edges: Vec<(usize, usize)> = Vec::new();
    for (i, &v) in front.iter().enumerate() {
        edges.extend(front[i + 1..].iter().filter(|w| cycles.near(v).contains(w)).map(|&w| (v, w)));
    }
    let mut stars = Vec::new();
    while !edges.is_empty() {
        let degree = |v: usize| edges.iter().filter(|edge| edge.0 == v || edge.1 == v).count();
        let centre = front.iter().copied().min_by_key(|&v| Reverse(degree(v))).expect("an edge has two ends");
        let mut others: Vec<usize> = take_at(&mut edges, centre);
        let image = mirror.map(|mirror| (mirror, mirror[centre])).filter(|&(_, image)| image != centre);
        if let Some(mirror) = mirror {
            others.sort_by_key(|&w| (mirror[w] == w, w.min(mirror[w])));
        }
        let mut beside = image.map(|(_, image)| take_at(&mut edges, image)).unwrap_or_default();
        for others in others.chunks(MOST_EDGES) {
            stars.push(Star { centre, others: others.to_vec() });
            if let Some((mirror, image)) = image {
                let is_image = |w: &mut usize| others.contains(&mirror[*w]);
                let others: Vec<usize> = beside.extract_if(.., is_image).collect();
                stars.extend((!others.is_empty()).then_some(Star { centre: image, others }));
            }
        }
        debug_assert!(beside.is_empty(), "images of edges are edges");
    }
    stars
}

/// Removes the edges at vertex `v` from `edges` and returns their other ends.
fn take_at(edges: &mut Vec<(usize, usize)>, v: usize) -> Vec<usize> {
    edges.extract_if(.., |edge| edge.0 == v || edge.1 == v).map(|(a, b)| if a == v { b } else { a }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::frontier::problem::cycles::Tours;
    use crate::frontier::problem::field::Field;

    fn near(rows: u16, cols: u16, tours: Tours) -> (Cycles, Plan) {
        let cycles = Cycles::of(&Field::of(&Board::new(rows, cols).unwrap().into()), tours);
        let order: Vec<usize> = (0..cycles.len()).collect();
        let plan = Plan::new(&cycles, &order, true);
        (cycles, plan)
    }

    #[test]
    fn each_edge_is_decided_once_at_one_of_the_ends() {
        for tours in [Tours::Closed, Tours::Paths, Tours::From(13), Tours::Between(0, 19)] {
            let (cycles, near) = near(5, 4, tours);
            let edges: usize = (0..cycles.len()).map(|v| cycles.near(v).len()).sum();
            for t in 0..cycles.len() - 1 {
                let far = Plan::far(&cycles, &near, t, true, None);
                let decided = |steps: &[Step]| steps.iter().map(|step| step.later.len()).sum::<usize>();
                assert_eq!(2 * (decided(&near.steps()[..=t]) + decided(far.steps())), edges, "{tours:?} {t}");
                assert!(far.steps().iter().all(|step| !step.stays || step.later.len() <= MOST_EDGES));
                let compulsory =
                    |steps: &[Step]| steps.iter().filter(|step| step.compulsory.is_some()).count();
                let compulsory = compulsory(&near.steps()[..=t]) + compulsory(far.steps());
                assert_eq!(compulsory, usize::from(matches!(tours, Tours::From(_))));
                assert!(far.finished(0).is_empty());
            }
        }
    }

    #[test]
    fn mirror_images_sit_side_by_side() {
        let (cycles, near) = near(6, 4, Tours::Paths);
        let folded = (0..cycles.len() - 1).filter(|&t| near.steps()[t].mirror.is_some());
        let far: Vec<Plan> = folded.map(|t| Plan::far(&cycles, &near, t, true, None)).collect();
        assert!(far.len() > 5 && far.iter().all(|far| far.steps().last().is_none_or(|s| s.mirror.is_some())));
        for step in far.iter().flat_map(Plan::steps) {
            let Some(image) = &step.mirror else { continue };
            for (slot, &twin) in image.iter().enumerate() {
                assert!(usize::from(twin) == slot || usize::from(twin) == slot ^ 1, "on one track");
            }
        }
    }

    #[test]
    fn stars_and_their_images_follow_each_other() {
        let (cycles, near) = near(8, 6, Tours::Closed);
        let t = (20..30).find(|&t| near.steps()[t].mirror.is_some()).unwrap();
        let far = Plan::far(&cycles, &near, t, true, None);
        let folds: Vec<bool> =
            far.steps().iter().filter(|step| step.stays).map(|step| step.mirror.is_some()).collect();
        assert!(folds.len() > 3 && folds.windows(2).all(|two| two[0] || two[1]), "{folds:?}");
    }

    #[test]
    fn new_names_are_a_permutation_that_keeps_tracks() {
        let pairs = [(2, 6), (3, 7), (0, 1), (4, 4), (5, 2), (8, 8)];
        assert_eq!(names(&pairs, 9, false)[..6], [1, 0, 6, 7, 4, 2]);
        let by_tracks = names(&pairs, 9, true);
        assert_eq!((by_tracks[2], by_tracks[3], by_tracks[0], by_tracks[1], by_tracks[8]), (6, 7, 1, 0, 8));
        assert_eq!((by_tracks[4], by_tracks[5]), (4, 5), "the preferred slots are on different tracks");
        for by_tracks in [true, false] {
            for slots in [8, 9] {
                let mut names = names(&[(7, 0), (1, 1), (6, 3)], slots, by_tracks);
                assert!(!by_tracks || (0..4).all(|k| names[2 * k] ^ 1 == names[2 * k + 1]));
                names.sort_unstable();
                assert!(names.into_iter().eq(0..slots as Slot));
            }
        }
    }
}
