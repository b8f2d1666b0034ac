//! Slots of the frontier, and their assignment to vertices.
//!
//! A [`Slot`] is a position in the signatures of a sweep: the digit of slot `s` is the degree of
//! the vertex that has it.
//!
//! A vertex has its slot from the step that first touches it until the step that processes it.
//! Slots form *tracks* of two, `{2i, 2i+1}`; mirror images share a track. The assignment uses as
//! few slots as its search finds possible, and at least [`SLOTS_PER_WORD`].

use super::cancel::{Cancel, Cancelled};

/// The interval of steps that each vertex spends on the frontier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontierIntervals {
    /// For each vertex, the number of the step that first touches it.
    pub first_touch: Vec<usize>,
    /// For each vertex, the number of the step that processes it.
    pub step_of: Vec<usize>,
}

impl FrontierIntervals {
    /// Returns true if vertex `v` is on the frontier after step `t`.
    #[must_use]
    pub fn is_on_frontier(&self, v: usize, t: usize) -> bool {
        self.step_of[v] > t && self.first_touch[v] <= t
    }

    fn vertex_count(&self) -> usize {
        self.step_of.len()
    }

    /// Returns the maximum number of vertices on the frontier after any step.
    fn max_frontier(&self) -> usize {
        // Counts arrivals minus departures at every step. A right half has a step for every few cut edges, so
        // a dense graph has more steps than vertices.
        let steps = self.step_of.iter().map(|step| step + 1).max().unwrap_or(0);
        let mut change = vec![0isize; steps];
        for v in (0..self.vertex_count()).filter(|&v| self.first_touch[v] < self.step_of[v]) {
            change[self.first_touch[v]] += 1;
            change[self.step_of[v]] -= 1;
        }
        let widths = change.iter().scan(0, |width, more| {
            *width += more;
            Some(*width)
        });
        widths.max().unwrap_or(0) as usize
    }
}

/// The slots of all vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotAssignment {
    /// For each vertex, its slot.
    pub slot_of: Vec<Slot>,
    /// Number of slots.
    pub slot_count: usize,
}

impl SlotAssignment {
    /// Assigns a slot to every vertex for its time on the frontier. `mirror_partner[v]` is the
    /// mirror image of vertex `v`, which shares the track of `v`; `None` if it has none. Returns
    /// `None` if more than [`MAX_SLOTS`] slots would be necessary; pairs of mirror images may need
    /// more slots than there are vertices on the frontier. Cost: O(vertices x slots²), times the
    /// attempts that mirror images need.
    ///
    /// # Errors
    /// [`Cancelled`] if `cancel` is cancelled.
    pub fn new(
        intervals: &FrontierIntervals,
        mirror_partner: &[Option<usize>],
        cancel: &Cancel,
    ) -> Result<Option<Self>, Cancelled> {
        let width = intervals.max_frontier();
        let tries = if mirror_partner.iter().any(Option::is_some) { MAX_ATTEMPTS_PER_SLOT_COUNT } else { 1 };
        for slots in width.max(SLOTS_PER_WORD)..=MAX_SLOTS {
            for salt in 0..tries {
                cancel.check()?;
                if let Some(slot_of) = try_assign(intervals, mirror_partner, slots, salt) {
                    return Ok(Some(Self { slot_of, slot_count: slots }));
                }
            }
        }
        Ok(None)
    }
}

/// Number of attempts to assign a number of slots before another slot is added.
const MAX_ATTEMPTS_PER_SLOT_COUNT: usize = 300;

/// Number of vertices' intervals in one slot above which intervals that have ended are removed.
const MAX_UNPRUNED_INTERVALS: usize = 16;

/// Assigns slots greedily in the order of first touch, each vertex to the slot that has been free
/// for the shortest time. Mirror images share a track `{2i, 2i+1}`. A `salt` above 0 makes some
/// choices random. Returns `None` if `slots` slots do not suffice.
fn try_assign(
    intervals: &FrontierIntervals,
    mirror_partner: &[Option<usize>],
    slots: usize,
    salt: usize,
) -> Option<Vec<Slot>> {
    let FrontierIntervals { first_touch: touched, step_of: place } = intervals;
    let mut random = salt as u64;
    let mut random_extra = |amount: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if salt > 0 && (random >> 33).is_multiple_of(4) { amount } else { 0 }
    };
    let len = place.len();
    let mut intervals_of_slot: Vec<Vec<(usize, usize)>> = vec![vec![]; slots];
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
        for occupied_intervals in intervals_of_slot
            .iter_mut()
            .filter(|occupied_intervals| occupied_intervals.len() > MAX_UNPRUNED_INTERVALS)
        {
            let last = occupied_intervals
                .iter()
                .copied()
                .filter(|&(_, to)| to <= touched[v])
                .max_by_key(|&(_, to)| to);
            occupied_intervals.retain(|&(_, to)| to > touched[v]);
            occupied_intervals.extend(last);
        }
        // For how many steps a slot has been free when `v` needs it; `None` if it is occupied.
        let idle = |slot: usize, v: usize| -> Option<usize> {
            let occupied_intervals = intervals_of_slot.get(slot)?;
            let free = occupied_intervals.iter().all(|&(from, to)| to <= touched[v] || place[v] <= from);
            let last = occupied_intervals
                .iter()
                .map(|&(_, to)| to)
                .filter(|&to| to <= touched[v])
                .max()
                .unwrap_or(0);
            free.then(|| touched[v] - last)
        };
        let slot = match mirror_partner[v] {
            Some(w) => {
                (0..slots)
                    .filter_map(|s| Some((idle(s, v)? + idle(s ^ 1, w)? + random_extra(len), s)))
                    .min()?
                    .1
            }
            // Prefer a slot whose neighbour on the track is occupied anyway.
            None => {
                let idle_neighbours = |s: usize| usize::from(idle(s ^ 1, v).is_some());
                (0..slots)
                    .filter_map(|s| Some((idle_neighbours(s) + random_extra(2), idle(s, v)?, s)))
                    .min()?
                    .2
            }
        };
        for (u, s) in [(Some(v), slot), (mirror_partner[v], slot ^ 1)] {
            if let Some(u) = u {
                slot_of[u] = s as Slot;
                intervals_of_slot[s].push((touched[u], place[u]));
                done[u] = true;
            }
        }
    }
    Some(slot_of)
}

/// Number of a slot of the frontier.
pub type Slot = u8;

/// Maximum number of vertices on the frontier of any sweep.
pub const MAX_SLOTS: usize = 60;

/// Returns the bit of a slot in a set of slots; all bits for slots from 64 on, which no sweep has.
#[must_use]
pub const fn slot_bit(slot: Slot) -> u64 {
    if slot < 64 { 1 << slot } else { u64::MAX }
}

/// Number of slots whose digits are inside a word of 81 signatures; also the minimum number of
/// slots.
pub const SLOTS_PER_WORD: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn assign_and_check(intervals: &FrontierIntervals, mirror_partners: &[Option<usize>]) -> SlotAssignment {
        let assignment =
            SlotAssignment::new(intervals, mirror_partners, &Cancel::default()).unwrap().unwrap();
        for (v, mirror_partner) in mirror_partners.iter().enumerate() {
            for w in 0..v {
                let meet = (0..intervals.vertex_count())
                    .any(|t| intervals.is_on_frontier(v, t) && intervals.is_on_frontier(w, t));
                assert!(!meet || assignment.slot_of[v] != assignment.slot_of[w], "{v} and {w} share a slot");
            }
            if let Some(w) = *mirror_partner {
                assert_eq!(assignment.slot_of[v] ^ 1, assignment.slot_of[w], "{v} and {w} share a track");
            }
        }
        assignment
    }

    #[test]
    fn new_reuses_a_slot_in_the_step_that_frees_it() {
        // Each vertex is touched by the vertex before it.
        let intervals = FrontierIntervals {
            first_touch: (0..9).map(|v: usize| v.saturating_sub(1)).collect(),
            step_of: (0..9).collect(),
        };
        assert_eq!(assign_and_check(&intervals, &[None; 9]).slot_count, SLOTS_PER_WORD);
        let long = FrontierIntervals { first_touch: vec![0; 9], step_of: (0..9).collect() };
        assert_eq!(assign_and_check(&long, &[None; 9]).slot_count, 8);
    }

    #[test]
    fn new_accepts_more_steps_than_vertices() {
        // Three vertices that stay until the end of nine steps.
        let intervals = FrontierIntervals { first_touch: vec![2, 6, 8, 0], step_of: vec![9, 9, 9, 0] };
        assert_eq!(intervals.max_frontier(), 3);
        assert_eq!(assign_and_check(&intervals, &[None; 4]).slot_count, SLOTS_PER_WORD);
    }

    #[test]
    fn new_returns_none_beyond_the_maximum_of_slots() {
        let intervals = |width: usize| FrontierIntervals {
            first_touch: vec![0; width + 1],
            step_of: (0..=width).collect(),
        };
        let new = |width: usize, mirror_partners: &[Option<usize>]| {
            SlotAssignment::new(&intervals(width), mirror_partners, &Cancel::default()).unwrap()
        };
        assert_eq!(new(MAX_SLOTS, &[None; MAX_SLOTS + 1]).unwrap().slot_count, MAX_SLOTS);
        assert_eq!(new(MAX_SLOTS + 1, &[None; MAX_SLOTS + 2]), None);
        // A vertex whose mirror image has no time on the frontier needs a track of its own.
        let len = MAX_SLOTS / 2 + 1;
        let first_touch = [vec![0; len], (0..len).map(|v| 2 * len + v).collect()].concat();
        let step_of = [vec![len; len], (0..len).map(|v| 2 * len + v + 1).collect()].concat();
        let mirror_partners: Vec<Option<usize>> = (0..2 * len).map(|v| Some((v + len) % (2 * len))).collect();
        let intervals = FrontierIntervals { first_touch, step_of };
        assert_eq!(intervals.max_frontier(), len);
        let slots = SlotAssignment::new(&intervals, &mirror_partners, &Cancel::default()).unwrap().unwrap();
        assert!(slots.slot_count <= MAX_SLOTS);
    }

    #[test]
    fn new_polls_for_every_attempt() {
        let intervals = FrontierIntervals { first_touch: vec![0; 9], step_of: (0..9).collect() };
        let (cancel, polls) = Cancel::after_polls(0);
        assert_eq!(SlotAssignment::new(&intervals, &[None; 9], &cancel), Err(Cancelled));
        assert_eq!(polls.count(), 1);
    }

    #[test]
    fn mirror_partners_share_a_track() {
        let intervals =
            FrontierIntervals { first_touch: vec![0, 0, 0, 1, 1, 2, 2], step_of: (0..7).collect() };
        let mirror_partners = [None, Some(2), Some(1), Some(4), Some(3), Some(6), Some(5)];
        assign_and_check(&intervals, &mirror_partners);
    }
}
