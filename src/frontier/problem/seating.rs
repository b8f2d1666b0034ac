//! Slots of the frontier, and their assignment to vertices.
//!
//! A vertex has its slot from the step that first touches it until the step that processes it. Slots form
//! *tracks* of two, `{2i, 2i+1}`; mirror images share a track. The assignment uses as few slots as it finds
//! possible, and at least [`SLOTS_PER_WORD`].

use crate::frontier::problem::slot::{INNER, MOST_SLOTS, Slot};

/// The time that each vertex spends on the frontier, in steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stays {
    /// By vertex, the step that first touches it.
    pub touched: Vec<usize>,
    /// By vertex, the step that processes it.
    pub place: Vec<usize>,
}

impl Stays {
    /// Returns true if vertex `v` is on the frontier after step `t`.
    #[must_use]
    pub fn is_there(&self, v: usize, t: usize) -> bool {
        self.place[v] > t && self.touched[v] <= t
    }

    fn len(&self) -> usize {
        self.place.len()
    }

    /// Returns the maximum number of vertices on the frontier.
    fn width(&self) -> usize {
        // Counts arrivals minus departures at every step.
        let mut more = vec![0isize; self.len() + 1];
        for v in (0..self.len()).filter(|&v| self.touched[v] < self.place[v]) {
            more[self.touched[v]] += 1;
            more[self.place[v]] -= 1;
        }
        let widths = more.iter().scan(0, |width, more| {
            *width += more;
            Some(*width)
        });
        widths.max().unwrap_or(0) as usize
    }
}

/// The slots of all vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seating {
    /// By vertex, its slot.
    pub slot_of: Vec<Slot>,
    /// Number of slots.
    pub slots: usize,
}

impl Seating {
    /// Assigns a slot to every vertex for its time on the frontier. `mirror_partner` is by vertex its mirror
    /// image, which shares its track. Cost: O(vertices x slots²), times the attempts that mirror images need.
    ///
    /// # Panics
    /// If more than [`MAX_SLOTS`] vertices are ever on the frontier.
    #[must_use]
    pub fn new(stays: &Stays, twin: &[Option<usize>]) -> Self {
        let width = stays.width();
        assert!(width <= MOST_SLOTS, "a frontier has at most {MOST_SLOTS} vertices, this one has {width}");
        let tries = if twin.iter().any(Option::is_some) { MOST_TRIES } else { 1 };
        for slots in width.max(INNER).. {
            for salt in 0..tries {
                if let Some(slot_of) = seat(stays, twin, slots, salt) {
                    return Self { slot_of, slots };
                }
            }
        }
        unreachable!("with a track for every vertex the assignment succeeds")
    }
}

/// Number of attempts with one number of slots before another slot is added.
const MOST_TRIES: usize = 300;

/// Number of intervals of one slot above which past intervals are removed.
const MANY_STAYS: usize = 16;

/// Assigns slots greedily in the order of first touch, each vertex to the slot that has been free for the
/// shortest time; mirror images share a track `{2i, 2i+1}`. With `salt` above 0 it makes other choices at
/// random. Returns `None` if the slots do not suffice.
fn seat(stays: &Stays, twin: &[Option<usize>], slots: usize, salt: usize) -> Option<Vec<Slot>> {
    let Stays { touched, place } = stays;
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
    // Among equals long intervals first, so that the apex gets a slot without a mirror image.
    by_touch.sort_by_key(|&v| (touched[v], usize::MAX - place[v]));
    for v in by_touch {
        if done[v] {
            continue;
        }
        // Of the intervals that are over, only the last affects this vertex and later ones.
        for stays in taken.iter_mut().filter(|stays| stays.len() > MANY_STAYS) {
            let last = stays.iter().copied().filter(|&(_, to)| to <= touched[v]).max_by_key(|&(_, to)| to);
            stays.retain(|&(_, to)| to > touched[v]);
            stays.extend(last);
        }
        // For how many steps a slot has been free when `v` needs it; `None` if it is occupied.
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
            // Prefer a slot whose neighbour on the track is occupied anyway.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn seated(stays: &Stays, twin: &[Option<usize>]) -> Seating {
        let seating = Seating::new(stays, twin);
        for (v, twin) in twin.iter().enumerate() {
            for w in 0..v {
                let meet = (0..stays.len()).any(|t| stays.is_there(v, t) && stays.is_there(w, t));
                assert!(!meet || seating.slot_of[v] != seating.slot_of[w], "{v} and {w} share a slot");
            }
            if let Some(w) = *twin {
                assert_eq!(seating.slot_of[v] ^ 1, seating.slot_of[w], "{v} and {w} share a track");
            }
        }
        seating
    }

    #[test]
    fn a_slot_is_taken_again_in_the_step_that_frees_it() {
        // Each vertex is touched by the vertex before it.
        let stays =
            Stays { touched: (0..9).map(|v: usize| v.saturating_sub(1)).collect(), place: (0..9).collect() };
        assert_eq!(seated(&stays, &[None; 9]).slots, INNER);
        let long = Stays { touched: vec![0; 9], place: (0..9).collect() };
        assert_eq!(seated(&long, &[None; 9]).slots, 8);
    }

    #[test]
    fn twins_share_a_track() {
        let stays = Stays { touched: vec![0, 0, 0, 1, 1, 2, 2], place: (0..7).collect() };
        let twin = [None, Some(2), Some(1), Some(4), Some(3), Some(6), Some(5)];
        seated(&stays, &twin);
    }
}
