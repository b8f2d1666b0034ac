//! The plan of a sweep: its steps in order, and the slot of every vertex.
//!
//! Vertices are processed one by one. After a step the *frontier* is the set of unprocessed
//! vertices with a processed neighbour. A vertex has a *slot* from the step that first touches it
//! until the step that processes it. A slot that becomes free can be reused in the same step, so
//! without mirrors there are no more slots than the maximum number of frontier vertices:
//!
//! ```text
//! 6 columns, order 0 5 2 3 1 4, after two rows   # processed
//!     # # # # # #                                slots 0..11 hold the 12 squares
//!     # # # # # #                                of rows three and four, each in the
//!     o o o o o o   o frontier                   slot that was free for it
//!     o o o o o o
//!     . . . . . .   . untouched
//! ```
//!
//! **Folding.** If an automorphism of order two maps the set of processed vertices to itself, a
//! state and its mirror image have equally many completions, and one of the two is enough. Slots
//! form *tracks* of two, and mirror images share a track, so a mirror only exchanges the two slots
//! of a track.
//!
//! A [`Step`] decides all edges between its vertex and the later vertices; it names neighbours by
//! their slots, so it is independent of the graph.
//!
//! Two functions recover from a plan the vertices on the frontier after a step
//! ([`frontier_vertices`]) and the mirror that folds the layer ([`mirror_after`]). At the step
//! where the halves of a two-sided sweep are joined, these describe the cut.

use std::iter::Peekable;

use super::cancel::{Cancel, Cancelled};
use super::order_cost::{fill_curve, fold_factor, frontier_states};
use super::problem::{Cycles, symmetric_steps};
use super::slots::{FrontierIntervals, MAX_SLOTS, SLOTS_PER_WORD, Slot, SlotAssignment, slot_bit};
use crate::encoder::Encoder;

/// Default of the minimum number of slots of a plan whose steps are executed in groups.
pub const MIN_GROUPED_SLOTS: usize = 18;

/// Version of the encoding that [`Plan::digest`] hashes.
const DIGEST_VERSION: u8 = 1;

/// Returns the version of the layout of layers with `slots` slots: the numbering of words, chunks
/// and matchings, and the classes of shards. In version 1, chunks of layers with 12 or 13 slots were
/// shorter, and those of layers with 18 slots or more were longer.
const fn layout_version(slots: usize) -> u32 {
    if matches!(slots, 12 | 13 | 18..) { 2 } else { 1 }
}

/// The order, slots and folds of a sweep.
#[derive(Clone, Debug)]
pub struct Plan {
    intervals: FrontierIntervals,
    slot_assignment: SlotAssignment,
    steps: Vec<Step>,
    apex_slot: Option<Slot>,
    /// Numbers of the steps after which a shorter board of the series is finished.
    shorter_ends: Vec<usize>,
    /// True for the right half of a two-sided sweep, in which no tour is finished.
    is_right_half: bool,
    /// Minimum number of slots of a plan whose steps are executed in groups.
    min_grouped_slots: usize,
}

impl Plan {
    /// Creates the plan that follows `order` (all vertices, the apex last). With `fold`, the layers
    /// are folded by the mirror that folds the most layers, unless the pairs of mirror images need
    /// more than [`MAX_SLOTS`] slots. Cost: O(vertices x slots²).
    ///
    /// # Panics
    /// If `order` is not a permutation of the vertices with the apex last, or if more than
    /// [`MAX_SLOTS`] vertices are ever on the frontier.
    #[must_use]
    pub fn new(cycles: &Cycles, order: &[usize], fold: bool) -> Self {
        Self::new_under(cycles, order, fold, &Cancel::default()).expect("the default is never cancelled")
    }

    /// Creates a plan as [`Plan::new`] does; `cancel` can cancel it.
    ///
    /// # Errors
    /// [`Cancelled`] if `cancel` is cancelled.
    ///
    /// # Panics
    /// As for [`Plan::new`].
    pub fn new_under(
        cycles: &Cycles,
        order: &[usize],
        fold: bool,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let len = cycles.len();
        let mut place = vec![usize::MAX; len];
        for (t, &v) in order.iter().enumerate() {
            assert!(place[v] == usize::MAX, "vertex {v} must come only once in the order");
            place[v] = t;
        }
        assert_eq!(order.len(), len, "an order must have every vertex");
        assert!(cycles.apex().is_none_or(|apex| order.last() == Some(&apex)), "the apex must come last");
        let touched: Vec<usize> =
            (0..len).map(|v| cycles.neighbours(v).iter().map(|&w| place[w]).min().unwrap_or(len)).collect();
        let intervals = FrontierIntervals { first_touch: touched, step_of: place };
        let folds = best_mirror_steps(cycles, order, &intervals.step_of, fold);
        // Mirror images share a track if both are on the frontier when a layer is folded.
        let mirror_partner: Vec<Option<usize>> = (0..len)
            .map(|v| {
                // The first fold since it was touched, because steps ascend.
                let first = folds.partition_point(|&(t, _)| t < intervals.first_touch[v]);
                let fold = folds.get(first).filter(|&&(t, _)| intervals.is_on_frontier(v, t));
                fold.map(|(_, mirror)| mirror[v]).filter(|&w| w != v)
            })
            .collect();
        let Some(slot_assignment) = SlotAssignment::new(&intervals, &mirror_partner, cancel)? else {
            assert!(fold, "more than {MAX_SLOTS} vertices are on the frontier");
            return Self::new_under(cycles, order, false, cancel);
        };
        let mut next_fold = folds.iter().peekable();
        let mut builder = StepBuilder::new(cycles, &intervals, &slot_assignment);
        let steps = (0..len)
            .map(|t| {
                let mirror = next_fold.next_if(|(step, _)| *step == t).map(|&(_, mirror)| mirror);
                builder.build(t, order[t], None, mirror)
            })
            .collect();
        let apex_slot = cycles.apex().map(|apex| slot_assignment.slot_of[apex]);
        Ok(Self {
            intervals,
            slot_assignment,
            steps,
            apex_slot,
            shorter_ends: Vec::new(),
            is_right_half: false,
            min_grouped_slots: MIN_GROUPED_SLOTS,
        })
    }

    /// Creates the plan of the right half of a two-sided sweep from its parts, for
    /// [`Plan::right_half`].
    pub(super) fn from_right_half(
        intervals: FrontierIntervals,
        slot_assignment: SlotAssignment,
        steps: Vec<Step>,
    ) -> Self {
        Self {
            intervals,
            slot_assignment,
            steps,
            apex_slot: None,
            shorter_ends: Vec::new(),
            is_right_half: true,
            min_grouped_slots: MIN_GROUPED_SLOTS,
        }
    }

    /// Returns the plan with new slot numbers: `new_slots[s]` is the new number of slot `s`.
    ///
    /// # Panics
    /// If `new_slots` is not a permutation of the slots.
    #[must_use]
    pub fn with_renamed_slots(&self, new_slots: &[Slot]) -> Self {
        let mut sorted = new_slots.to_vec();
        sorted.sort_unstable();
        assert!(
            sorted.into_iter().eq(0..self.slot_count() as Slot),
            "new slots must be a permutation of the slots"
        );
        let rename = |slot: &mut Slot| *slot = new_slots[usize::from(*slot)];
        let mut plan = self.clone();
        plan.slot_assignment.slot_of.iter_mut().for_each(rename);
        plan.apex_slot.iter_mut().for_each(rename);
        for step in &mut plan.steps {
            step.slot.iter_mut().chain(&mut step.compulsory_slots).for_each(rename);
            step.later_neighbours.iter_mut().for_each(|later| rename(&mut later.slot));
            let is_taken = |slot: &usize| step.occupied_slots >> slot & 1 == 1;
            step.occupied_slots =
                (0..new_slots.len()).filter(is_taken).fold(0, |mask, slot| mask | slot_bit(new_slots[slot]));
            if let Some(image) = &mut step.mirror_image {
                let before = image.clone();
                for (slot, image_of) in before.into_iter().enumerate() {
                    image[usize::from(new_slots[slot])] = new_slots[usize::from(image_of)];
                }
            }
        }
        plan
    }

    /// Returns the plan for a series of boards, whose shorter boards are finished after the steps
    /// `shorter`.
    #[must_use]
    pub fn with_shorter_ends(self, shorter: Vec<usize>) -> Self {
        Self { shorter_ends: shorter, ..self }
    }

    /// Sets the minimum number of slots of a plan whose steps are executed in groups.
    pub const fn set_min_grouped_slots(&mut self, slots: usize) {
        self.min_grouped_slots = slots;
    }

    /// Returns true if the steps are executed in groups. The layers of a plan with few slots are computed faster
    /// step by step, and a series needs the layer after every board.
    #[must_use]
    pub fn has_groups(&self) -> bool {
        self.slot_count() >= self.min_grouped_slots && self.shorter_ends.is_empty()
    }

    /// Returns the numbers of the steps after which a shorter board of the series is finished,
    /// without the last step of the plan.
    #[must_use]
    pub fn shorter_ends(&self) -> &[usize] {
        &self.shorter_ends
    }

    /// Returns a digest of everything that determines the meaning of states, blocks and chunks.
    /// Layers and shards of a count can be combined only if their digests are equal. Files of tour
    /// numbers name their order by this digest.
    ///
    /// It is the XXH3 digest of bytes made by [`Encoder`]: [`DIGEST_VERSION`], [`layout_version`],
    /// the number of slots, and the list of steps (see [`Step::encode`]). The bytes contain no name
    /// of a type or field.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let slots = self.slot_assignment.slot_count;
        let mut bytes = Encoder::new(DIGEST_VERSION);
        bytes.number(layout_version(slots).into());
        bytes.number(slots as u64);
        bytes.list(&self.steps, |to, step| step.encode(to));
        bytes.digest()
    }

    /// Returns the steps of the plan, one for each vertex. The right half of a two-sided sweep also
    /// has steps for edges between cut vertices.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the number of the step that processes vertex `v`.
    #[must_use]
    pub fn step_of(&self, v: usize) -> usize {
        self.intervals.step_of[v]
    }

    /// Returns the slot of vertex `v` while it is on the frontier.
    #[must_use]
    pub fn slot_of(&self, v: usize) -> Slot {
        self.slot_assignment.slot_of[v]
    }

    /// Returns the slot of vertex `v` after step `t`; `None` if the vertex is not on the frontier
    /// after that step.
    #[must_use]
    pub fn slot_after(&self, t: usize, v: usize) -> Option<Slot> {
        self.intervals.is_on_frontier(v, t).then(|| self.slot_assignment.slot_of[v])
    }

    /// Yields the vertices on the frontier after step `t`, with their slots.
    pub fn frontier_slots(&self, t: usize) -> impl Iterator<Item = (usize, Slot)> {
        (0..self.intervals.step_of.len()).filter_map(move |v| Some((v, self.slot_after(t, v)?)))
    }

    /// Returns the number of possible states after step `t`, of which folding leaves a part.
    #[must_use]
    pub fn possible_states(&self, t: usize) -> f64 {
        let folded = |t: usize| self.steps[t].mirror_image.is_some();
        let states = frontier_states(self.steps[t].occupied_slots.count_ones() as usize);
        fold_factor(folded(t), t > 0 && folded(t - 1)) * states
    }

    /// Returns the expected cost of the sweep, roughly in nanoseconds: the cost of the expected
    /// states of its frontiers, and of the tables of signatures.
    #[must_use]
    pub fn expected_cost(&self) -> f64 {
        let layer = |t: usize| self.possible_states(t) * fill_curve(t + 1, self.steps.len());
        let layers: f64 = (0..self.steps.len()).map(layer).sum();
        let words = 3f64.powi(self.slot_assignment.slot_count as i32 - SLOTS_PER_WORD as i32);
        0.5 * layers + 18.0 * words * self.steps.len() as f64
    }

    /// Returns the number of slots.
    #[must_use]
    pub fn slot_count(&self) -> usize {
        self.slot_assignment.slot_count
    }

    /// Returns the set of slots that are inner (degree 2) after step `t`, while all others are bare
    /// (degree 0), if the tour of the vertices up to step `end` (and the apex) is then finished.
    /// Returns `None` if one of these vertices is still untouched.
    #[must_use]
    pub fn inner_slots_if_finished(&self, t: usize, end: usize) -> Option<u64> {
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

    /// Returns the tours that are finished after step `t`, each as a set of inner slots: tours of
    /// shorter boards, and last the tour of the whole graph. A right half has no finished tours.
    #[must_use]
    pub fn finished_inner_slots(&self, t: usize) -> Vec<u64> {
        if self.is_right_half {
            return Vec::new();
        }
        let ends = self.shorter_ends.iter().copied().filter(|&end| end >= t).chain([self.steps.len() - 1]);
        ends.filter_map(|end| self.inner_slots_if_finished(t, end)).collect()
    }
}

/// Returns the mirror that folds a plan of `order`, as images of the vertices; `None` if no mirror
/// folds it.
#[must_use]
pub fn folding_mirror<'a>(cycles: &'a Cycles, order: &[usize]) -> Option<&'a [usize]> {
    let mut step_of = vec![0; order.len()];
    order.iter().enumerate().for_each(|(t, &v)| step_of[v] = t);
    best_mirror_steps(cycles, order, &step_of, true).first().map(|&(_, mirror)| mirror)
}

/// Returns the steps after which layers are folded, each with the mirror that folds it. The mirror
/// is the one that folds the most layers.
fn best_mirror_steps<'a>(
    cycles: &'a Cycles,
    order: &[usize],
    step_of: &[usize],
    fold: bool,
) -> Vec<(usize, &'a [usize])> {
    let len = step_of.len();
    let folds_of = |mirror: &'a Vec<usize>| -> Vec<(usize, &'a [usize])> {
        let keeps_start = |t: usize| cycles.start().is_none_or(|v| step_of[v] <= t || mirror[v] == v);
        let steps = symmetric_steps(mirror, order).filter(|&t| keeps_start(t) && t + 1 < len);
        steps.map(|t| (t, mirror.as_slice())).collect()
    };
    let all = cycles.mirrors().iter().filter(|_| fold).map(folds_of);
    all.max_by_key(Vec::len).unwrap_or_default()
}

/// A neighbour of a step's vertex that is processed later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaterNeighbour {
    /// Slot of the neighbour.
    pub slot: Slot,
    /// True if no earlier step has touched the neighbour.
    pub is_first_touch: bool,
    /// Factor of the edge to the neighbour.
    pub factor: i32,
}

/// A step of a sweep. It decides all undecided edges of one vertex and removes the vertex from the
/// frontier, unless `stays_on_frontier` is set.
#[derive(Clone, Debug)]
pub struct Step {
    /// Vertex that the step processes.
    pub vertex: usize,
    /// Slot of the vertex; `None` if no earlier step has touched it.
    pub slot: Option<Slot>,
    /// Neighbours of the vertex that are processed later. The step decides the edges to them.
    pub later_neighbours: Vec<LaterNeighbour>,
    /// True if the vertex stays on the frontier: the step decides only its edges to
    /// `later_neighbours`, and other edges may follow.
    pub stays_on_frontier: bool,
    /// Slots of the later neighbours to which the vertex must be joined.
    pub compulsory_slots: Vec<Slot>,
    /// Set of the slots in use after the step.
    pub occupied_slots: u64,
    /// Image of each slot under the mirror that folds the layer after this step; `None` if no
    /// mirror folds it.
    pub mirror_image: Option<Vec<Slot>>,
}

impl LaterNeighbour {
    /// Writes `slot`, `is_first_touch` and `factor` to an encoder.
    fn encode(&self, to: &mut Encoder) {
        let &Self { slot, is_first_touch: fresh, factor } = self;
        to.number(slot.into());
        to.flag(fresh);
        to.signed(factor.into());
    }
}

impl Step {
    /// Returns a step whose vertex leaves the frontier, without compulsory edges and without a mirror. No slot is
    /// in use after it.
    #[must_use]
    pub const fn new(vertex: usize, slot: Option<Slot>, later_neighbours: Vec<LaterNeighbour>) -> Self {
        Self {
            vertex,
            slot,
            later_neighbours,
            stays_on_frontier: false,
            compulsory_slots: Vec::new(),
            occupied_slots: 0,
            mirror_image: None,
        }
    }

    /// Yields the slots whose digits the step reads or changes.
    pub fn touched_slots(&self) -> impl Iterator<Item = Slot> {
        self.slot.into_iter().chain(self.later_neighbours.iter().map(|later| later.slot))
    }

    /// Writes all fields to an encoder, in the order of their declaration.
    pub fn encode(&self, to: &mut Encoder) {
        let Self {
            vertex,
            slot,
            later_neighbours: later,
            stays_on_frontier,
            compulsory_slots,
            occupied_slots: occupied,
            mirror_image: mirror,
        } = self;
        to.number(*vertex as u64);
        to.option(*slot, |to, slot| to.number(slot.into()));
        to.list(later, |to, later| later.encode(to));
        to.flag(*stays_on_frontier);
        // The number of slots and the slots, as an option encodes at most one.
        to.tag(compulsory_slots.len() as u8);
        compulsory_slots.iter().for_each(|&slot| to.number(slot.into()));
        to.number(*occupied);
        to.option(mirror.as_ref(), |to, image| to.list(image, |to, &slot| to.number(slot.into())));
    }
}

/// Builds the steps of a plan, in order.
pub(super) struct StepBuilder<'a> {
    cycles: &'a Cycles,
    intervals: &'a FrontierIntervals,
    slots: &'a SlotAssignment,
    frontier: Vec<usize>,
    /// The vertices that no step has touched so far, by the step that touches them.
    untouched: Peekable<std::vec::IntoIter<usize>>,
}

impl<'a> StepBuilder<'a> {
    pub(super) fn new(
        cycles: &'a Cycles,
        intervals: &'a FrontierIntervals,
        slots: &'a SlotAssignment,
    ) -> Self {
        let mut by_touch: Vec<usize> = (0..cycles.len()).collect();
        by_touch.sort_unstable_by_key(|&v| intervals.first_touch[v]);
        Self { cycles, intervals, slots, frontier: Vec::new(), untouched: by_touch.into_iter().peekable() }
    }

    /// Returns step `t`, the step after the last one that was built. It decides the edges of `vertex` to all
    /// later neighbours, or only to `cut_neighbours`; then `vertex` stays on the frontier. `mirror` folds the
    /// layer after the step.
    pub(super) fn build(
        &mut self,
        t: usize,
        vertex: usize,
        cut_neighbours: Option<&[usize]>,
        mirror: Option<&[usize]>,
    ) -> Step {
        let Self { cycles, intervals, slots: SlotAssignment { slot_of, slot_count }, frontier, untouched } =
            self;
        while let Some(w) = untouched.next_if(|&w| intervals.first_touch[w] <= t) {
            frontier.push(w);
        }
        frontier.retain(|&w| intervals.is_on_frontier(w, t));
        let later: Vec<usize> = match cut_neighbours {
            Some(neighbours) => neighbours.to_vec(),
            None => cycles.neighbours(vertex).iter().copied().filter(|&w| intervals.step_of[w] > t).collect(),
        };
        let has_slot = cut_neighbours.is_some() || intervals.first_touch[vertex] < t;
        let compulsory = cycles.compulsory_neighbours(vertex).iter().filter(|w| later.contains(w));
        Step {
            vertex,
            slot: has_slot.then(|| slot_of[vertex]),
            compulsory_slots: compulsory.map(|&w| slot_of[w]).collect(),
            later_neighbours: later
                .iter()
                .map(|&w| LaterNeighbour {
                    slot: slot_of[w],
                    is_first_touch: intervals.first_touch[w] == t,
                    factor: cycles.factor(vertex, w),
                })
                .collect(),
            stays_on_frontier: cut_neighbours.is_some(),
            occupied_slots: frontier.iter().fold(0, |mask, &w| mask | slot_bit(slot_of[w])),
            mirror_image: mirror.map(|mirror| {
                let mut image: Vec<Slot> = (0..*slot_count as Slot).collect();
                frontier.iter().for_each(|&w| image[usize::from(slot_of[w])] = slot_of[mirror[w]]);
                image
            }),
        }
    }
}

/// Returns the vertices on the frontier of `plan` after step `t`.
pub fn frontier_vertices(cycles: &Cycles, plan: &Plan, t: usize) -> Vec<usize> {
    (0..cycles.len()).filter(|&v| plan.slot_after(t, v).is_some()).collect()
}

/// Returns the mirror that folds the layer of `plan` after step `t`; `None` if no mirror folds it.
/// The mirror preserves the fixed start if its compulsory edge is not decided yet.
pub fn mirror_after<'a>(cycles: &'a Cycles, plan: &Plan, t: usize) -> Option<&'a [usize]> {
    let image = plan.steps()[t].mirror_image.as_ref()?;
    let acts_as_mirror = |mirror: &&Vec<usize>| {
        let keeps_start = cycles.start().is_none_or(|v| plan.step_of(v) <= t || mirror[v] == v);
        keeps_start
            && (0..cycles.len()).all(|v| {
                // Frontier vertices must move as the slots do, and processed vertices to processed ones.
                match plan.slot_after(t, v) {
                    Some(slot) => plan.slot_after(t, mirror[v]) == Some(image[usize::from(slot)]),
                    None => (plan.step_of(v) <= t) == (plan.step_of(mirror[v]) <= t),
                }
            })
    };
    cycles.mirrors().iter().find(acts_as_mirror).map(Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::super::problem::SweepGraph;
    use super::super::problem::Tours;
    use super::*;
    use crate::board::Rectangle;

    fn plan(rows: u16, cols: u16, tours: Tours, fold: bool) -> (Cycles, Plan) {
        let cycles = Cycles::from_sweep_graph(
            &SweepGraph::from_board(&Rectangle::new(rows, cols).unwrap().into()),
            tours,
        );
        let order: Vec<usize> = (0..cycles.len()).collect();
        let plan = Plan::new(&cycles, &order, fold);
        (cycles, plan)
    }

    #[test]
    fn every_edge_is_decided_once() {
        for tours in [Tours::Closed, Tours::Paths] {
            let (cycles, plan) = plan(5, 4, tours, true);
            let later: usize = plan.steps().iter().map(|step| step.later_neighbours.len()).sum();
            let ends: usize = (0..cycles.len()).map(|v| cycles.neighbours(v).len()).sum();
            assert_eq!(2 * later, ends);
            let fresh: usize = plan
                .steps()
                .iter()
                .flat_map(|step| &step.later_neighbours)
                .filter(|l| l.is_first_touch)
                .count();
            let untouched = plan.steps().iter().filter(|step| step.slot.is_none()).count();
            assert_eq!(fresh + untouched, cycles.len(), "every vertex is first touched once");
        }
    }

    #[test]
    fn mirror_image_stays_on_its_track() {
        let (_, plan) = plan(6, 4, Tours::Paths, true);
        let folded: Vec<&Step> = plan.steps().iter().filter(|step| step.mirror_image.is_some()).collect();
        assert!(folded.len() >= 5, "line after line");
        for step in folded {
            let image = step.mirror_image.as_ref().unwrap();
            for slot in 0..plan.slot_count() {
                let image_slot = usize::from(image[slot]);
                assert_eq!(usize::from(image[image_slot]), slot);
                assert!(image_slot == slot || image_slot == slot ^ 1, "mirrors stay on the track");
                assert_eq!(step.occupied_slots >> slot & 1, step.occupied_slots >> image_slot & 1);
            }
        }
    }

    #[test]
    fn digest_depends_on_folds_but_not_on_shorter_ends() {
        let digests = [true, false].map(|fold| plan(6, 4, Tours::Closed, fold).1.digest());
        assert_ne!(digests[0], digests[1]);
        assert_eq!(digests[0], plan(6, 4, Tours::Closed, true).1.with_shorter_ends(vec![11]).digest());
    }

    #[test]
    fn finished_inner_slots_include_shorter_boards() {
        let (_, plan) = plan(6, 4, Tours::Closed, false);
        let plan = plan.with_shorter_ends(vec![19]);
        assert_eq!(plan.finished_inner_slots(19).first(), Some(&0), "no vertex of five lines remains");
        assert_eq!(plan.inner_slots_if_finished(18, 19).map(u64::count_ones), Some(1));
        assert_eq!(plan.finished_inner_slots(23), [0]);
    }
}
