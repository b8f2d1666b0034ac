//! The plan of a sweep: in which order, and who sits in which slot when.
//!
//! Vertices are processed one by one. After a step the *frontier* is the set of
//! unprocessed vertices that touch a processed one. Each of them sits in a
//! *slot* from its first touch until it is processed; a slot that falls free can
//! be taken again in the same step, so there are no more slots than the
//! frontier ever has squares:
//!
//! ```text
//! 6 columns, order 0 5 2 3 1 4, after two rows   # processed
//!     # # # # # #                                slots 0..11 hold the 12 squares
//!     # # # # # #                                of rows three and four, wherever
//!     o o o o o o   o frontier                   they found one free
//!     o o o o o o
//!     . . . . . .   . untouched
//! ```
//!
//! **Folding.** If an automorphism of order two maps the processed set to itself,
//! a state and its mirror image have equally many completions, and one of the
//! two is enough. Slots come in *tracks* of two, and mirror images share a
//! track, so that a mirror only ever exchanges the two slots of a track.

use xxhash_rust::xxh3::xxh3_64;

use crate::frontier::problem::cycles::Problem;
use crate::frontier::problem::order::{phase, share, states_of};
use crate::frontier::problem::slot::{INNER, MOST_SLOTS, Slot};

/// Version of the layout of layers: numbers of words, chunks and matchings, and classes of a cut.
const LAYOUT: u32 = 1;

/// A neighbour that is processed later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Later {
    /// Where it sits.
    pub slot: Slot,
    /// Whether this step touches it first.
    pub fresh: bool,
    /// The factor of the edge to it.
    pub factor: i32,
}

/// The processing of one vertex.
#[derive(Clone, Debug)]
pub struct Step {
    /// The vertex.
    pub vertex: usize,
    /// Its slot, unless nothing has touched it yet.
    pub slot: Option<Slot>,
    /// Its neighbours that are still ahead.
    pub later: Vec<Later>,
    /// Slot of the neighbour that it must be joined to.
    pub compulsory: Option<Slot>,
    /// Slots in use after the step.
    pub occupied: u64,
    /// Image of each slot under a mirror that may fold the layer after this step.
    pub mirror: Option<Vec<Slot>>,
}

/// Order, slots and folds of a sweep.
#[derive(Clone, Debug)]
pub struct Plan {
    /// By vertex: its step, the step that touches it first, its slot.
    place: Vec<usize>,
    touched: Vec<usize>,
    slot_of: Vec<Slot>,
    steps: Vec<Step>,
    slots: usize,
    apex_slot: Option<Slot>,
}

impl Plan {
    /// The plan that follows `order` (all vertices, the apex last). Cost O(vertices x slots^2).
    ///
    /// # Panics
    /// If `order` is not a permutation of the vertices with the apex last, or if more than
    /// [`MOST_SLOTS`] vertices are ever on the frontier.
    #[must_use]
    pub fn new(problem: &Problem, order: &[usize], fold: bool) -> Self {
        let len = problem.len();
        let mut place = vec![usize::MAX; len];
        for (t, &v) in order.iter().enumerate() {
            assert!(place[v] == usize::MAX, "vertex {v} comes twice in the order");
            place[v] = t;
        }
        assert_eq!(order.len(), len, "an order has every vertex");
        assert!(problem.apex().is_none_or(|apex| order.last() == Some(&apex)), "the apex comes last");
        let touched: Vec<usize> =
            (0..len).map(|v| problem.near(v).iter().map(|&w| place[w]).min().unwrap_or(len)).collect();
        let folds = best_folds(problem, &place, fold);
        // Mirror images share a track if they are on the frontier together when a layer is folded.
        let twin: Vec<Option<usize>> = (0..len)
            .map(|v| {
                let image = |&&(t, _): &&(usize, &[usize])| touched[v] <= t && t < place[v];
                folds.iter().find(image).map(|(_, mirror)| mirror[v]).filter(|&w| w != v)
            })
            .collect();
        let (slot_of, slots) = assign_slots(&place, &touched, &twin);
        let steps = (0..len)
            .map(|t| {
                let v = order[t];
                let later = problem
                    .near(v)
                    .iter()
                    .filter(|&&w| place[w] > t)
                    .map(|&w| Later {
                        slot: slot_of[w],
                        fresh: touched[w] == t,
                        factor: problem.factor(v, w),
                    })
                    .collect();
                let frontier = |w: &usize| place[*w] > t && touched[*w] <= t;
                Step {
                    vertex: v,
                    slot: (touched[v] < t).then(|| slot_of[v]),
                    later,
                    compulsory: problem.compulsory(v).map(|w| slot_of[w]),
                    occupied: (0..len).filter(frontier).fold(0, |mask, w| mask | 1 << slot_of[w]),
                    mirror: folds.iter().find(|(step, _)| *step == t).map(|(_, mirror)| {
                        let mut image: Vec<Slot> = (0..slots as Slot).collect();
                        (0..len)
                            .filter(frontier)
                            .for_each(|w| image[usize::from(slot_of[w])] = slot_of[mirror[w]]);
                        image
                    }),
                }
            })
            .collect();
        let apex_slot = problem.apex().map(|apex| slot_of[apex]);
        Self { place, touched, slot_of, steps, slots, apex_slot }
    }

    /// A digest of all that gives states, blocks and chunks their meaning: layers and parts of a count go
    /// together only if they have the same.
    #[must_use]
    pub fn digest(&self) -> u64 {
        xxh3_64(format!("{LAYOUT} {} {:?}", self.slots, self.steps).as_bytes())
    }

    /// The steps, one a vertex.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The step that processes a vertex.
    #[must_use]
    pub fn place(&self, v: usize) -> usize {
        self.place[v]
    }

    /// Where a vertex sits after step `t`, if it is on the frontier then.
    #[must_use]
    pub fn slot_after(&self, t: usize, v: usize) -> Option<Slot> {
        (self.place[v] > t && self.touched[v] <= t).then(|| self.slot_of[v])
    }

    /// Expected cost, roughly in nanoseconds: what the frontiers can carry, and the tables of signatures.
    #[must_use]
    pub fn price(&self) -> f64 {
        let folded = |t: usize| self.steps[t].mirror.is_some();
        let layer = |t: usize| {
            let states = states_of(self.steps[t].occupied.count_ones() as usize);
            share(folded(t), t > 0 && folded(t - 1)) * states * phase(t + 1, self.steps.len())
        };
        let layers: f64 = (0..self.steps.len()).map(layer).sum();
        let words = 3f64.powi(self.slots as i32 - INNER as i32);
        0.5 * layers + 18.0 * words * self.steps.len() as f64
    }

    /// Number of slots.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Slots that must be inner after step `t`, and all others bare, if the tour of the vertices up
    /// to step `end` (and the apex) is finished by then; `None` if one of them is yet untouched.
    #[must_use]
    pub fn finished(&self, t: usize, end: usize) -> Option<u64> {
        let mut inner = 0;
        for step in self.steps.get(t + 1..=end)? {
            inner |= 1 << self.slot_after(t, step.vertex)?;
        }
        Some(if t + 1 < self.steps.len() {
            inner | self.apex_slot.map_or(0, |slot| 1 << slot)
        } else {
            inner
        })
    }

    /// The finished tours after step `t` as sets of inner slots: of the whole, and of shorter boards
    /// that end with the steps in `shorter`.
    #[must_use]
    pub fn all_finished(&self, t: usize, shorter: &[usize]) -> Vec<u64> {
        let ends = shorter.iter().copied().filter(|&end| end >= t).chain([self.steps.len() - 1]);
        ends.filter_map(|end| self.finished(t, end)).collect()
    }
}

/// The mirror that folds most layers, with the steps after which it does.
fn best_folds<'a>(problem: &'a Problem, place: &[usize], fold: bool) -> Vec<(usize, &'a [usize])> {
    let len = place.len();
    let folds_of = |mirror: &'a Vec<usize>| -> Vec<(usize, &'a [usize])> {
        let compulsory: Vec<usize> = (0..len).filter(|&v| problem.compulsory(v).is_some()).collect();
        // Processed sets {place <= t} map to themselves when the greatest place of an image is t.
        let mut reach = 0;
        let mut by_place = vec![0; len];
        place.iter().enumerate().for_each(|(v, &t)| by_place[t] = v);
        (0..len)
            .filter_map(|t| {
                reach = reach.max(place[mirror[by_place[t]]]);
                let kept = compulsory.iter().all(|&v| place[v] <= t || mirror[v] == v);
                (reach == t && kept && t + 1 < len).then_some((t, mirror.as_slice()))
            })
            .collect()
    };
    let all = problem.mirrors().iter().filter(|_| fold).map(folds_of);
    all.max_by_key(Vec::len).unwrap_or_default()
}

/// A slot for every vertex, and how many slots that takes.
fn assign_slots(place: &[usize], touched: &[usize], twin: &[Option<usize>]) -> (Vec<Slot>, usize) {
    let len = place.len();
    let width =
        (0..len).map(|t| (0..len).filter(|&w| place[w] > t && touched[w] <= t).count()).max().unwrap_or(0);
    assert!(width <= MOST_SLOTS, "at most {MOST_SLOTS} vertices can be on the frontier, here {width} are");
    let mut slots = width.max(INNER);
    loop {
        let tries = if twin.iter().any(Option::is_some) { MOST_TRIES } else { 1 };
        for salt in 0..tries {
            if let Some(slot_of) = try_slots(place, touched, twin, slots, salt) {
                return (slot_of, slots);
            }
        }
        slots += 1;
    }
}

/// Attempts with one number of slots before another slot is added.
const MOST_TRIES: usize = 300;

/// Greedy assignment in order of first touch, to the slots that have been free for the shortest
/// time; twins share a track `{2i, 2i+1}`. A `salt` above 0 makes other choices now and then.
fn try_slots(
    place: &[usize],
    touched: &[usize],
    twin: &[Option<usize>],
    slots: usize,
    salt: usize,
) -> Option<Vec<Slot>> {
    let mut random = salt as u64;
    let mut whim = |amount: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if salt > 0 && (random >> 33).is_multiple_of(4) { amount } else { 0 }
    };
    let len = place.len();
    let mut taken: Vec<Vec<(usize, usize)>> = vec![vec![]; slots];
    let mut slot_of = vec![0; len];
    let mut done = vec![false; len];
    let mut by_touch: Vec<usize> = (0..len).filter(|&v| touched[v] < place[v]).collect();
    // Long stays first among equals, so that the apex finds a slot without a twin.
    by_touch.sort_by_key(|&v| (touched[v], usize::MAX - place[v]));
    for v in by_touch {
        if done[v] {
            continue;
        }
        // For how long a slot has been free when `v` needs it, if it is.
        let idle = |slot: usize, v: usize| -> Option<usize> {
            let stays = taken.get(slot)?;
            let free = stays.iter().all(|&(from, to)| to <= touched[v] || place[v] <= from);
            let last = stays.iter().map(|&(_, to)| to).filter(|&to| to <= touched[v]).max().unwrap_or(0);
            free.then(|| touched[v] - last)
        };
        let slot = match twin[v] {
            Some(w) => {
                (0..slots).filter_map(|s| Some((idle(s, v)? + idle(s ^ 1, w)? + whim(len), s))).min()?.1
            }
            // Rather beside a slot that is busy anyway.
            None => {
                let beside = |s: usize| usize::from(idle(s ^ 1, v).is_some());
                (0..slots).filter_map(|s| Some((beside(s) + whim(2), idle(s, v)?, s))).min()?.2
            }
        };
        for (u, s) in [(Some(v), slot), (twin[v], slot ^ 1)] {
            if let Some(u) = u {
                slot_of[u] = s as Slot;
                taken[s].push((touched[u], place[u]));
                done[u] = true;
            }
        }
    }
    Some(slot_of)
}
