//! The far end of a sweep: what is left of the graph behind a frontier, swept from there towards it.
//!
//! A sweep that rests after some step has decided every edge of the vertices processed so far. What is left
//! of a tour are edges among the others: the *front*, which is the frontier then, and the *rest* behind it. A sweep of
//! its own begins at the far end. It processes the rest, and at last, the vertices of the front *staying*, decides the
//! edges inside the front, vertex by vertex until none is left:
//!
//! ```text
//! near  # # # # o o o . . . .      # processed   o the front
//! far           o o o x x x x      x processed, then the edges between two o
//! ```
//!
//! The vertices of the front sit where they sit in the near sweep, as far as that can be, so that a part of the one
//! layer meets few parts of the other.

use std::cmp::Reverse;

use crate::frontier::problem::cycles::{Cycles, folds};
use crate::frontier::problem::front::{front_of, mirror_of};
use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::price::{phase, share, states_of};
use crate::frontier::problem::seating::{Seating, Stays};
use crate::frontier::problem::slot::{Slot, seat};
use crate::frontier::problem::step::{Later, Step};
use crate::frontier::problem::twin::Twin;

/// Most edges inside the front that are decided together. How the digits of a step's slots may be combined is listed,
/// `3^slots` lists, and the apex has an edge to every vertex of the front; an even number leaves images together.
const MOST_EDGES: usize = 6;

/// Edges inside the front that are decided together: those from one vertex to some others.
struct Star {
    centre: usize,
    others: Vec<usize>,
}

impl Plan {
    /// The plan of the far end of `near`, which rests after its step `t`. It is folded by the mirror that folds the
    /// front, if one does. With a `twin` its first steps are those of the near end, with other names for the vertices.
    /// Cost as for [`Plan::new`], and that of the search for an order.
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
                // A compulsory edge is decided at its own vertex, so the apex has to be ahead then.
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

/// Everybody sits where the image does at the near end, those of the front as the twin says.
fn seated_alike(near: &Plan, twin: &Twin) -> Seating {
    let slot = |(v, slot): (usize, &Option<Slot>)| slot.unwrap_or_else(|| near.slot(twin.image()[v]));
    let slot_of = twin.slots().iter().enumerate().map(slot).collect();
    Seating { slot_of, slots: near.slots() }
}

/// A seating of its own, in which the front sits where it does at the near end as far as can be. `folds` are the mirror
/// and the steps after which it folds.
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
    // Signatures of both ends have equally many digits, and in the same places, if that can be.
    seating.slots = seating.slots.max(near.slots());
    let front_slots: Vec<(Slot, Slot)> = front
        .iter()
        .filter(|&&v| stays.touched[v] < count)
        .map(|&v| (seating.slot_of[v], near.slot_after(t, v).expect("it is in the front")))
        .collect();
    let names = names(&front_slots, seating.slots, folds.is_some());
    seating.slot_of.iter_mut().for_each(|slot| *slot = names[usize::from(*slot)]);
    seating
}

/// New names for slots, so that as many vertices as can be sit where they are wanted: `pairs` of the slots they have
/// and want. Tracks stay together if `by_tracks`.
fn names(pairs: &[(Slot, Slot)], slots: usize, by_tracks: bool) -> Vec<Slot> {
    let mut names: Vec<Option<Slot>> = vec![None; slots];
    let mut taken = vec![false; slots];
    let mut name = |from: usize, to: usize, names: &mut Vec<Option<Slot>>| {
        if names[from].is_none() && !std::mem::replace(&mut taken[to], true) {
            names[from] = Some(to as Slot);
        }
    };
    // The last slot of an odd number has no other beside it.
    let has_twin = |slot: usize| by_tracks && (slot ^ 1) < slots;
    // Both of a track first, then one.
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
    names.into_iter().map(|name| name.expect("there are as many names as slots")).collect()
}

/// The best order found for the rest. Where the far end looks like the near one, by some symmetry, the order of the
/// near end is good for it; else that in which the near end would go on, reversed.
fn best_order(cycles: &Cycles, near: &Plan, t: usize, mirror: Option<&[usize]>) -> Vec<usize> {
    let is_rest = |&v: &usize| near.place(v) > t && near.slot_after(t, v).is_none();
    let order: Vec<usize> = near.steps().iter().map(|step| step.vertex).collect();
    let image = |image: &Vec<usize>| order.iter().map(|&v| image[v]).filter(is_rest).collect();
    let reversed: Vec<usize> = order.iter().rev().copied().filter(is_rest).collect();
    let orders = cycles.mirrors().iter().map(image).chain([reversed]);
    let price = |order: &Vec<usize>| price(cycles, near, t, order, mirror);
    orders.min_by(|a, b| price(a).total_cmp(&price(b))).expect("there is the reversed one")
}

/// What the far end is expected to cost in this order, as [`price`](crate::frontier::problem::price) says for a
/// whole sweep.
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

/// The steps after which what is decided is its own mirror image.
fn folded_steps(order: &[usize], stars: &[Star], mirror: &[usize]) -> Vec<usize> {
    let mut folded: Vec<usize> = folds(mirror, order).collect();
    // Edges that are decided while their images are not.
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

/// The edges inside the front, in as few stars of [`MOST_EDGES`] as are easily found; the greatest first. Edges that a
/// mirror exchanges are in one star, if they have the centre in common, and otherwise in two, one after the other, so that
/// the layer can be folded after every other star.
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

/// Takes the edges at a vertex; their other ends.
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
        assert_eq!((by_tracks[4], by_tracks[5]), (4, 5), "both cannot be where they want");
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
