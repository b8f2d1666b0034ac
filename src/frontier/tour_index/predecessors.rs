//! Single states, and backward steps, which visit the predecessors of a state in a fixed order.
//!
//! A state is a signature with a matching of its ends. The predecessors of a state are the states
//! before a step that lead to it.
//!
//! ```text
//! state, moves into its word -> source words, in the order of the choices -> matchings that the operation maps to it
//! mirror image of the state, if the step folds                            -> equally for the image
//! ```
//!
//! The order of the predecessors defines the numbers of tours: another order would change the
//! meaning of every number.

use std::ops::ControlFlow;

use super::block_arithmetic::TourNumber;
use super::error::IndexLayersError;
use crate::frontier::layer::chunk::WordEntry;
use crate::frontier::layer::chunk_computation::matching_map_of_effect;
use crate::frontier::planning::plan::Step;
use crate::frontier::planning::slots::Slot;
use crate::frontier::signature::choice::MatchingOp;
use crate::frontier::signature::matching_rank::{matching_count, matching_from_index, matching_index};
use crate::frontier::signature::mirror_fold::MirrorFold;
use crate::frontier::signature::moves::{Side, StepMoves};
use crate::frontier::signature::space::{ENDS_OF_BIT, SignatureSpace, WordAddress, WordNumbering};
use crate::frontier::weights::matching_map::MatchingMap;
use crate::frontier::weights::matching_tables::{MAX_TABLE_POINTS, MapTables};

/// A step of a sweep, followed backwards: from the states after the step to the states before it.
pub struct BackwardStep<'a> {
    words: &'a WordNumbering,
    tables: &'a MapTables,
    step: &'a Step,
    moves: StepMoves,
    /// Mirror fold of the layer after the step; `None` if the step does not fold.
    pub fold: Option<MirrorFold>,
    /// For each slot, the vertex in it after the step.
    vertex_of_slot: Vec<u32>,
}

/// A state before a step that leads to a given state, with the operation of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predecessor {
    /// The state before the step.
    pub state: SingleState,
    /// Operation of the step on the matching of `state`.
    pub operation: MatchingOp,
    /// True if `state` leads to the mirror image of the given state instead of that state.
    pub is_image: bool,
}

/// Access to the entries and weights of the layer before a step.
pub trait PreviousLayer<N> {
    /// Returns the entry of the word at `at`; an empty entry if the word has no signatures.
    ///
    /// # Errors
    /// If the layer is damaged.
    fn entry(&self, at: WordAddress) -> Result<WordEntry, IndexLayersError>;

    /// Returns the weight at the index `position` of a chunk.
    ///
    /// # Errors
    /// If the layer is damaged.
    fn weight(&self, chunk_number: usize, position: usize) -> Result<N, IndexLayersError>;
}

impl<'a> BackwardStep<'a> {
    /// Prepares step `t` of the sweep with the signature space `space`.
    #[must_use]
    pub fn new(space: &'a SignatureSpace, tables: &'a MapTables, t: usize) -> Self {
        let (plan, words) = (space.plan(), space.words());
        let step = &plan.steps()[t];
        let mut seats = vec![u32::MAX; plan.slot_count()];
        plan.frontier_slots(t).for_each(|(v, slot)| seats[usize::from(slot)] = v as u32);
        Self {
            words,
            tables,
            step,
            moves: StepMoves::new(words, step, Side::Target),
            fold: MirrorFold::after_step(space, t),
            vertex_of_slot: seats,
        }
    }

    /// Returns the number of the class of a chunk. Chunks are in the same class if their states
    /// have predecessors in the same chunks.
    #[must_use]
    pub fn source_class(&self, chunk_number: usize) -> u32 {
        self.moves.source_group(chunk_number, self.fold.as_ref())
    }

    /// Returns the numbers of the chunks before the step that contain the predecessors of a chunk's
    /// states.
    #[must_use]
    pub fn source_chunks(&self, chunk_number: usize) -> Vec<usize> {
        self.moves.reached_chunks(chunk_number, self.fold.as_ref())
    }

    /// Returns the vertices to which a choice with the operation `effect` joins the step's vertex.
    pub fn joined_vertices(&self, effect: MatchingOp) -> impl Iterator<Item = u32> {
        joined_slots(self.step, effect)
            .into_iter()
            .flatten()
            .map(|slot| self.vertex_of_slot[usize::from(slot)])
    }

    /// Returns the vertex that the step processes.
    #[must_use]
    pub fn vertex(&self) -> u32 {
        self.step.vertex as u32
    }

    /// Calls `visit` with every predecessor of `state` that has a nonzero weight, and with its
    /// weight, in the fixed order. Stops when `visit` returns `Break`.
    ///
    /// # Errors
    /// If the layer before the step is damaged.
    pub fn for_each_predecessor<N: TourNumber>(
        &self,
        state: SingleState,
        sources: &impl PreviousLayer<N>,
        visit: &mut impl FnMut(Predecessor, N) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, IndexLayersError> {
        if self.for_each_predecessor_of(state, false, sources, visit)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let image = self.fold.as_ref().and_then(|fold| state.mirror_image(self.words, fold));
        match image {
            Some(image) => self.for_each_predecessor_of(image, true, sources, visit),
            None => Ok(ControlFlow::Continue(())),
        }
    }

    fn for_each_predecessor_of<N: TourNumber>(
        &self,
        state: SingleState,
        is_image: bool,
        sources: &impl PreviousLayer<N>,
        visit: &mut impl FnMut(Predecessor, N) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, IndexLayersError> {
        let SingleState { word: at, bit, matching: index } = state;
        let ends = state.end_slots(self.words);
        for m in self.moves.moves_at(at.chunk, at.word).iter() {
            if m.allowed_bits >> bit & 1 == 0 {
                continue;
            }
            let from = WordAddress {
                chunk: (at.chunk as i32 + m.chunk_distance) as usize,
                word: (at.word as i32 + m.word_distance) as usize,
            };
            let (entry, from_bit) = (sources.entry(from)?, (bit as i32 + m.shift) as u32);
            if entry.present_signatures() >> from_bit & 1 == 0 {
                continue;
            }
            let position = entry
                .block_offset(from_bit, self.words.outer_ends(from.chunk, from.word).count_ones() as usize);
            let (change, _) = matching_map_of_effect(m.operation, ends);
            let mut read = Ok(());
            let seen =
                source_matchings(self.tables, change, ends.count_ones() as usize, index, &mut |before| {
                    match sources.weight(from.chunk, position + before) {
                        Err(error) => {
                            read = Err(error);
                            ControlFlow::Break(())
                        }
                        Ok(weight) if weight.is_zero() => ControlFlow::Continue(()),
                        Ok(weight) => {
                            let state = SingleState { word: from, bit: from_bit, matching: before };
                            visit(Predecessor { state, operation: m.operation, is_image }, weight)
                        }
                    }
                });
            read?;
            if seen.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Returns the slots of the vertices to which a choice with the operation `effect` joins the step's
/// vertex. If the step's vertex is an end, its own slot is one of the two slots of the operation,
/// unless a vertex that enters the frontier takes that slot.
#[must_use]
pub fn joined_slots(step: &Step, effect: MatchingOp) -> [Option<Slot>; 2] {
    let own = step.slot;
    let others = |a: Slot, b: Slot| {
        if Some(a) == own {
            [Some(b), None]
        } else if Some(b) == own {
            [Some(a), None]
        } else {
            [Some(a), Some(b)]
        }
    };
    match effect {
        MatchingOp::Identity => [None, None],
        MatchingOp::Move { from, to } if Some(from) == own => [Some(to), None],
        MatchingOp::Move { from, to } => [Some(from), Some(to)],
        MatchingOp::Contract { low, high } => others(low, high),
        MatchingOp::Create { low, high } => [Some(low), Some(high)],
    }
}

/// Calls `visit` with the index of every source matching that `change` maps to the matching `index`
/// of `n` ends, in a fixed order. Stops when `visit` returns `Break`.
fn source_matchings(
    tables: &MapTables,
    change: MatchingMap,
    n: usize,
    index: usize,
    visit: &mut impl FnMut(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match change {
        MatchingMap::Move(points) if n <= MAX_TABLE_POINTS => {
            visit(tables.move_sources(points)[index].into())
        }
        MatchingMap::Contract(points) if n > 0 && n + 2 <= MAX_TABLE_POINTS => {
            let table = tables.contract_sources(points);
            (0..n).try_for_each(|plane| visit(table[plane * matching_count(n) + index].into()))
        }
        MatchingMap::Create(points) if n <= MAX_TABLE_POINTS => {
            let found = tables.create_targets(points).binary_search(&(index as u16));
            found.map_or(ControlFlow::Continue(()), visit)
        }
        change => change.try_for_each_source(&matching_from_index(n, index), visit),
    }
}

/// A single state of a layer: a signature with a matching of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingleState {
    /// Word of the state's signature.
    pub word: WordAddress,
    /// Bit of the state's signature in the word.
    pub bit: u32,
    /// Index of the state's matching.
    pub matching: usize,
}

impl SingleState {
    /// The only state before the first step and after the last step.
    pub const EMPTY: Self = Self { word: WordAddress { chunk: 0, word: 0 }, bit: 0, matching: 0 };

    /// Returns the set of the slots of the state's ends, as a bitmap.
    #[inline(always)]
    #[must_use]
    pub fn end_slots(&self, words: &WordNumbering) -> u32 {
        words.outer_ends(self.word.chunk, self.word.word) | u32::from(ENDS_OF_BIT[self.bit as usize])
    }

    /// Returns the mirror image of the state; `None` if the signature of the image is in the same
    /// word.
    #[must_use]
    pub fn mirror_image(&self, words: &WordNumbering, fold: &MirrorFold) -> Option<Self> {
        let at = fold.word_image(self.word)?;
        let ends = self.end_slots(words);
        let n = ends.count_ones() as usize;
        let mut image_points = [0; 32];
        fold.image_positions(ends, fold.mirror_slots(ends), &mut image_points[..n]);
        let mut mates = [0; 32];
        for (p, &mate) in matching_from_index(n, self.matching).iter().enumerate() {
            mates[usize::from(image_points[p])] = image_points[usize::from(mate)];
        }
        Some(Self { word: at, bit: fold.bit_image(self.bit), matching: matching_index(&mates[..n]) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::weights::matching_map::PointPair;

    type Visit<'a> = &'a mut dyn FnMut(usize) -> ControlFlow<()>;

    fn collect_matchings(go: impl FnOnce(Visit) -> ControlFlow<()>) -> Vec<usize> {
        let mut all = Vec::new();
        let _ = go(&mut |before| {
            all.push(before);
            ControlFlow::Continue(())
        });
        all
    }

    /// The predecessors and their order are the same with and without tables. The numbers of tours depend on
    /// this order.
    #[test]
    fn source_matchings_agree_with_and_without_tables() {
        let tables = MapTables::new(MAX_TABLE_POINTS);
        let check = |change, n: usize| {
            for index in 0..matching_count(n) {
                let tabled =
                    collect_matchings(|mut visit| source_matchings(&tables, change, n, index, &mut visit));
                let plain = collect_matchings(|mut visit| {
                    change.try_for_each_source(&matching_from_index(n, index), &mut visit)
                });
                assert_eq!(tabled, plain, "{change:?} {n} {index}");
            }
        };
        for n in [2, 4, 6, 8] {
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                check(MatchingMap::Move(PointPair::new(n, i, j)), n);
                if i < j {
                    check(MatchingMap::Create(PointPair::new(n, i, j)), n);
                    check(MatchingMap::Contract(PointPair::new(n, i, j)), n - 2);
                }
            }
            check(MatchingMap::Identity, n);
        }
        let (move_, create) = (PointPair::new(10, 3, 7), PointPair::new(10, 0, 9));
        check(MatchingMap::Move(move_), 10);
        check(MatchingMap::Create(create), 10);
        check(MatchingMap::Contract(create), 8);
    }

    /// A contraction maps every matching in which the two contracted ends are not mates to one
    /// matching.
    #[test]
    fn contraction_sources_are_complete_and_distinct() {
        for n in [2, 4, 6, 8] {
            for (i, j) in [(0, 1), (0, n - 1), (n / 2 - 1, n - 1)] {
                let mut seen = vec![0; matching_count(n)];
                for index in 0..matching_count(n - 2) {
                    let change = MatchingMap::Contract(PointPair::new(n, i, j));
                    for before in collect_matchings(|mut visit| {
                        change.try_for_each_source(&matching_from_index(n - 2, index), &mut visit)
                    }) {
                        seen[before] += 1;
                    }
                }
                let is_open = |x: usize| n == 2 || usize::from(matching_from_index(n, x)[i]) != j;
                assert!((0..matching_count(n)).all(|x| seen[x] == u32::from(is_open(x))), "{n} {i} {j}");
            }
        }
    }
}
