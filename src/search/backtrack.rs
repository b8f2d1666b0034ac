//! The path-extension kernel, which grows one path move by move, and the orders in which it tries
//! the moves.
//!
//! # The kernel
//!
//! A node is a path from a fixed start. Its children extend the path to a free square next to its
//! last square, the *head*. The kernel is plain backtracking that skips the branches without a
//! tour. So tours appear exactly in the order of plain backtracking with the same order of moves.
//! [`BitSlicedDegrees`] hold the number of free neighbours (`exits`) of every free square. With
//! them, each of the following tests takes a few word operations. While more than one square is
//! free:
//!
//! ```text
//! exits 0                           no tour: the square cannot be entered and left
//! exits 1, not next to the head     must be the last square; with two such squares there is no tour
//! exits 1, next to the head         must be visited next, or be the last square
//! ```
//!
//! So if one square must be the last, a square of the third kind is forced to be the next. Two
//! squares of the third kind leave only the moves to these two squares. With three squares of the
//! third kind there is no tour. The last square must be one of the allowed ends.
//!
//! Memory: a few KB of stack. Cost: about 15 ns a node, 25 to 45 nodes a tour on 5x5 to 6x6.
//!
//! # Orders of moves
//!
//! In a complete search the order of moves changes neither the set of tours nor, by itself, the
//! number of nodes. It determines which tours come first. *Warnsdorff's rule* moves to the square
//! with the fewest free neighbours. *Ascending* takes squares by number, so that tours appear in
//! lexicographic order. *StepOrder* tries the leaper's steps in a given order, as textbook programs
//! do.

use std::ops::ControlFlow;

use super::bitboard_graph::{AdjacencyMasks, BitSlicedDegrees, BitboardGraph, SLOT_MASK, SQUARE_SLOTS};
use super::visitor::{FoundTour, POLL_INTERVAL, Visitor};
use crate::board::{Bitboard, Graph, Leaper, Rectangle};
use crate::cpu_features::with_bmi;

#[derive(Clone, Copy, Debug)]
struct State<B: Bitboard> {
    free: B,
    /// Number of free neighbours of each free square.
    degrees: BitSlicedDegrees<B>,
    head: usize,
}

/// A path, and the free squares next to its last square that the search has not tried yet.
#[derive(Clone, Copy, Debug)]
struct Frame<B: Bitboard> {
    state: State<B>,
    options: B,
}

/// Result of a search for the tours that begin with a given path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisitOutcome {
    /// Number of search nodes visited; each node is a path.
    pub nodes: u64,
    /// The path at which a later visit can resume. `None` if the visitor did not stop the visit.
    pub resume_path: Option<Box<[u8]>>,
}

/// A path from a fixed start, and the search for the tours that begin with this path.
#[derive(Clone, Debug)]
pub struct Backtrack<B: Bitboard> {
    adjacency_masks: AdjacencyMasks<B>,
    /// For each square, the squares to which required moves lead; `None` without required moves.
    required_masks: Option<Box<AdjacencyMasks<B>>>,
    state: State<B>,
    ends: B,
    path: [u8; SQUARE_SLOTS],
    len: usize,
}

impl<B: Bitboard> State<B> {
    #[inline(always)]
    fn visit(&mut self, adjacency_masks: &AdjacencyMasks<B>, v: usize) {
        self.free = self.free.without(v);
        self.head = v;
        self.degrees.decrease(adjacency_masks[v & SLOT_MASK]);
    }

    /// Returns the next squares that may lead to a tour whose last square is in `ends`. The set is
    /// empty if no such tour begins with the path.
    #[inline(always)]
    fn options(&self, adjacency_masks: &AdjacencyMasks<B>, ends: B) -> B {
        let free = self.free;
        let options = adjacency_masks[self.head & SLOT_MASK] & free;
        let (d0, d1, d2, high) = self.degrees.low_planes();
        let at_most_one = free & !(d1 | d2 | high);
        if at_most_one.is_empty() {
            // Keep the only remaining end for later.
            let left = ends & free;
            return if left.at_most_one() { options & !left } else { options };
        }
        if free.at_most_one() {
            return options & ends;
        }
        let last = at_most_one & !options;
        let either = at_most_one & options;
        let impossible = (at_most_one & !d0) | (last & !ends);
        if !impossible.is_empty() || !last.at_most_one() {
            return B::EMPTY;
        }
        let left = ends & free;
        let allowed = if left.at_most_one() { options & !left } else { options };
        if last.is_empty() {
            let rest = either.without_first();
            if rest.is_empty() {
                // One square that is next or last.
                return if either.is_empty() || !(either & ends).is_empty() { allowed } else { either };
            }
            // Two such squares: one is next, the other is last.
            if !rest.at_most_one() {
                return B::EMPTY;
            }
            let first = either & !rest;
            let mut moves = B::EMPTY;
            if !(rest & ends).is_empty() {
                moves |= first;
            }
            if !(first & ends).is_empty() {
                moves |= rest;
            }
            return moves & allowed;
        }
        if either.is_empty() {
            return allowed;
        }
        if either.at_most_one() { either & allowed } else { B::EMPTY }
    }
}

struct CompletePath<'a>(&'a [u8]);

impl FoundTour for CompletePath<'_> {
    #[inline(always)]
    fn last_vertex(&self) -> usize {
        usize::from(self.0[self.0.len() - 1])
    }

    fn write_sequence(&self, out: &mut Vec<u32>) {
        out.clear();
        out.extend(self.0.iter().map(|&v| u32::from(v)));
    }
}

impl<B: Bitboard> Backtrack<B> {
    /// Creates the search for tours that begin at `start` and end on a square of `ends`. At first
    /// the path is `start` alone.
    #[must_use]
    pub fn new(graph: &Graph, start: usize, ends: B) -> Self {
        Self::from_bitboard_graph(&BitboardGraph::new(graph), start, ends)
    }

    /// Creates the search for tours that begin at `start` and end on a square of `ends`, from the
    /// bitboard form of a graph.
    pub(super) fn from_bitboard_graph(tables: &BitboardGraph, start: usize, ends: B) -> Self {
        let adjacency_masks = tables.adjacency_masks();
        let mut state = State { free: B::first_n(tables.len()), degrees: tables.degrees(), head: start };
        state.visit(&adjacency_masks, start);
        let mut path = [0; SQUARE_SLOTS];
        path[0] = start as u8;
        Self { adjacency_masks, required_masks: tables.required_masks(), state, ends, path, len: 1 }
    }

    /// Appends the square `v` to the path.
    pub(super) fn extend(&mut self, v: usize) {
        debug_assert!((self.adjacency_masks[self.state.head] & self.state.free).contains(v));
        self.state.visit(&self.adjacency_masks, v);
        self.path[self.len] = v as u8;
        self.len += 1;
    }

    /// Returns the squares of the path so far, in order of visit.
    pub(super) fn path(&self) -> &[u8] {
        &self.path[..self.len]
    }

    /// Returns true if the path is a tour: it visits every square.
    pub(super) fn is_tour(&self) -> bool {
        self.state.free.is_empty()
    }

    /// Returns the next squares that may lead to a tour, in the given order of moves.
    pub(super) fn live_moves(&self, order: &impl MoveOrder<B>) -> Vec<usize> {
        let mut options = self.options::<true>(&self.state);
        let mut moves = Vec::new();
        while !options.is_empty() {
            let v = order.next(self.state.head, options, &self.state.degrees);
            options = options.without(v);
            moves.push(v);
        }
        moves
    }

    /// Returns the next squares that may lead to a tour. If a required move leads to a free square, it is the
    /// next move, because the path does not come back. `REQUIRED` may be false if no moves are required.
    #[inline(always)]
    fn options<const REQUIRED: bool>(&self, state: &State<B>) -> B {
        let options = state.options(&self.adjacency_masks, self.ends);
        match &self.required_masks {
            Some(masks) if REQUIRED => {
                let required = masks[state.head & SLOT_MASK] & state.free;
                B::select(required.is_empty(), options) | (options & required)
            }
            _ => options,
        }
    }

    /// Passes every tour that begins with the path to `visitor`, in the order of plain
    /// backtracking. Returns the number of visited nodes.
    pub fn visit<V: Visitor>(&self, order: &impl MoveOrder<B>, visitor: &mut V) -> u64 {
        self.visit_from(order, None, visitor).nodes
    }

    /// Passes every tour that begins with the path to `visitor`. If `from` is given, skips the
    /// tours before it: `from` is the path at which an earlier visit stopped. Uses BMI instructions
    /// if the processor has them.
    ///
    /// # Panics
    /// If a visit in this order does not reach `from`.
    pub fn visit_from<V: Visitor>(
        &self,
        order: &impl MoveOrder<B>,
        from: Option<&[u8]>,
        visitor: &mut V,
    ) -> VisitOutcome {
        with_bmi(
            #[inline(always)]
            || self.search_with_required(order, from, visitor),
        )
    }

    #[inline(always)]
    fn search_with_required<V: Visitor>(
        &self,
        order: &impl MoveOrder<B>,
        from: Option<&[u8]>,
        visitor: &mut V,
    ) -> VisitOutcome {
        match self.required_masks {
            None => self.search::<V, false>(order, from, visitor),
            Some(_) => self.search::<V, true>(order, from, visitor),
        }
    }

    #[inline(always)]
    fn search<V: Visitor, const REQUIRED: bool>(
        &self,
        order: &impl MoveOrder<B>,
        from: Option<&[u8]>,
        visitor: &mut V,
    ) -> VisitOutcome {
        let completed = |nodes| VisitOutcome { nodes, resume_path: None };
        let adjacency_masks = &self.adjacency_masks;
        let mut path = self.path;
        let mut state = self.state;
        let mut frames = [Frame { state, options: B::EMPTY }; SQUARE_SLOTS];
        // The frame of a path of length k is frames[k - 1].
        let mut len = self.len;
        let mut nodes = 0u64;
        if state.free.is_empty() {
            let _ = visitor.visit_tour(&CompletePath(&path[..len]));
            return completed(1);
        }
        let mut options = self.options::<REQUIRED>(&state);
        for &v in from.map_or(&[][..], |from| &from[len..]) {
            let v = usize::from(v);
            assert!(options.contains(v), "a visit in this order does not reach the resume path");
            // The moves before it have been tried.
            while options.contains(v) {
                options = options.without(order.next(state.head, options, &state.degrees));
            }
            frames[(len - 1) & SLOT_MASK] = Frame { state, options };
            state.visit(adjacency_masks, v);
            path[len & SLOT_MASK] = v as u8;
            len += 1;
            options = if state.free.is_empty() { B::EMPTY } else { self.options::<REQUIRED>(&state) };
        }
        loop {
            nodes += 1;
            if nodes & (POLL_INTERVAL - 1) == 0 && visitor.poll().is_break() {
                // The resumed visit counts this node.
                return VisitOutcome { nodes: nodes - 1, resume_path: Some(path[..len].into()) };
            }
            while options.is_empty() {
                if len == self.len {
                    return completed(nodes);
                }
                len -= 1;
                let frame = &frames[(len - 1) & SLOT_MASK];
                state = frame.state;
                options = frame.options;
            }
            let v = order.next(state.head, options, &state.degrees);
            options = options.without(v);
            frames[(len - 1) & SLOT_MASK] = Frame { state, options };
            state.visit(adjacency_masks, v);
            path[len & SLOT_MASK] = v as u8;
            len += 1;
            if state.free.is_empty() {
                if let ControlFlow::Break(()) =
                    visitor.visit_tour(&CompletePath(&path[..len & (SQUARE_SLOTS * 2 - 1)]))
                {
                    return VisitOutcome { nodes, resume_path: Some(path[..len].into()) };
                }
                options = B::EMPTY;
            } else {
                options = self.options::<REQUIRED>(&state);
            }
        }
    }
}

/// A rule that chooses the move to try next.
pub trait MoveOrder<B: Bitboard>: Sync {
    /// Returns the square of `options` to try next. `options` holds at least one square, and only
    /// neighbours of `head`. `degrees` holds the number of free neighbours of every free square.
    fn next(&self, head: usize, options: B, degrees: &BitSlicedDegrees<B>) -> usize;
}

/// The order of moves that tries the square with the fewest free neighbours first. Among equals,
/// the square with the lowest number comes first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Warnsdorff;

impl<B: Bitboard> MoveOrder<B> for Warnsdorff {
    #[inline(always)]
    fn next(&self, _: usize, options: B, degrees: &BitSlicedDegrees<B>) -> usize {
        degrees.with_min_degree(options).first()
    }
}

/// The order of moves that tries the square with the lowest number first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ascending;

impl<B: Bitboard> MoveOrder<B> for Ascending {
    #[inline(always)]
    fn next(&self, _: usize, options: B, _: &BitSlicedDegrees<B>) -> usize {
        options.first()
    }
}

/// The order of moves that tries the leaper's steps in a sequence given by the user.
#[derive(Clone, Debug)]
pub struct StepOrder {
    /// For each vertex, its neighbours in the order in which the search tries them.
    targets: Vec<Vec<u8>>,
}

/// The reason why a text is not an order of the leaper's steps.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StepOrderError {
    /// A part of the text that is not a `down,right` pair.
    #[error("`{0}` is not a step; write down,right pairs such as \"2,1 1,2 -1,2\"")]
    Parse(String),
    /// A step that the leaper does not have.
    #[error("the {1} leaper has no step {0}")]
    NotAStep(String, Leaper),
    /// A step that is given twice.
    #[error("step {0} is given twice; give each step once")]
    Repeated(String),
    /// An order that does not contain all steps.
    #[error("{found} of the leaper's {expected} steps are given; give all, each once")]
    Incomplete {
        /// Number of steps in the text.
        found: usize,
        /// Number of steps that the leaper has.
        expected: usize,
    },
}

impl StepOrder {
    /// Parses an order of the leaper's steps such as `"2,1 1,2 -1,2 -2,1 -2,-1 -1,-2 1,-2 2,-1"`,
    /// in which each step is a pair (down, right).
    ///
    /// # Errors
    /// The text does not contain every step of the leaper exactly once.
    pub fn parse(text: &str, board: &Rectangle, leaper: Leaper) -> Result<Self, StepOrderError> {
        let order = parse_steps(text, leaper)?;
        let squares: Vec<_> = board.squares().collect();
        let targets = squares
            .iter()
            .map(|square| {
                order
                    .iter()
                    .filter_map(|&(right, up)| squares.binary_search(&square.offset(right, up)?).ok())
                    .map(|v| v as u8)
                    .collect()
            })
            .collect();
        Ok(Self { targets })
    }

    /// Creates the order of moves that tries the neighbours of each vertex as the graph lists them.
    #[must_use]
    pub fn from_graph(graph: &Graph) -> Self {
        let targets = (0..graph.len()).map(|v| graph.neighbours(v).iter().map(|&w| w as u8).collect());
        Self { targets: targets.collect() }
    }
}

/// Parses the leaper's steps in an order, as [`StepOrder::parse`] does, and returns them as (right, up).
///
/// # Errors
/// The text does not contain every step of the leaper exactly once.
pub fn parse_steps(text: &str, leaper: Leaper) -> Result<Vec<(i32, i32)>, StepOrderError> {
    let all = leaper.steps();
    let mut order: Vec<(i32, i32)> = Vec::with_capacity(all.len());
    for word in text.split_whitespace() {
        let step = word
            .split_once(',')
            .and_then(|(down, right)| Some((right.parse().ok()?, down.parse::<i32>().ok()?)))
            .and_then(|(right, down): (i32, i32)| Some((right, down.checked_neg()?)))
            .ok_or_else(|| StepOrderError::Parse(word.to_owned()))?;
        if !all.contains(&step) {
            return Err(StepOrderError::NotAStep(word.to_owned(), leaper));
        }
        if order.contains(&step) {
            return Err(StepOrderError::Repeated(word.to_owned()));
        }
        order.push(step);
    }
    if order.len() != all.len() {
        return Err(StepOrderError::Incomplete { found: order.len(), expected: all.len() });
    }
    Ok(order)
}

impl<B: Bitboard> MoveOrder<B> for StepOrder {
    #[inline(always)]
    fn next(&self, head: usize, options: B, _: &BitSlicedDegrees<B>) -> usize {
        let next = self.targets[head].iter().find(|&&w| options.contains(usize::from(w)));
        usize::from(*next.expect("options are neighbours of the head"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_graphs;
    use super::*;
    use super::{Ascending, Warnsdorff};
    use crate::search::visitor::{LastVertexCounter, SequenceVisitor};
    use std::sync::atomic::AtomicBool;

    #[test]
    fn visit_finds_all_paths_from_any_vertex() {
        let go = AtomicBool::new(false);
        for (name, graph) in test_graphs::sample_graphs() {
            for start in [0, 1, graph.len() - 1] {
                let mut counter = LastVertexCounter::new(graph.len(), &go);
                let ends = u64::first_n(graph.len()).without(start);
                Backtrack::new(&graph, start, ends).visit(&Warnsdorff, &mut counter);
                assert_eq!(
                    counter.tours,
                    test_graphs::count_paths_from(&graph, start),
                    "{name} from {start}"
                );
            }
        }
    }

    #[test]
    fn visit_reaches_only_allowed_ends() {
        let go = AtomicBool::new(false);
        let graph = test_graphs::king_graph(3, 4);
        let mut counter = LastVertexCounter::new(graph.len(), &go);
        let ends = u128::from_square(3).with(7);
        Backtrack::new(&graph, 0, ends).visit(&Ascending, &mut counter);
        let all = test_graphs::count_paths_from(&graph, 0);
        let kept: Vec<u64> = (0..12).map(|v| if ends.contains(v) { all[v] } else { 0 }).collect();
        assert_eq!(counter.tours, kept);
    }

    #[test]
    fn visit_from_resumes_in_lexicographic_order() {
        let go = AtomicBool::new(false);
        let graph = test_graphs::king_graph(3, 4);
        let root = Backtrack::new(&graph, 0, u64::first_n(12).without(0));
        let mut listed = Vec::new();
        root.visit(
            &Ascending,
            &mut SequenceVisitor::new(&go, |sequence: &mut Vec<u32>| {
                listed.push(sequence.clone());
                ControlFlow::Continue(())
            }),
        );
        assert!(listed.is_sorted_by(|a, b| a < b));
        // Each visit finds one tour and resumes where the previous visit stopped.
        let mut second_run = Vec::new();
        let mut from = None;
        loop {
            let mut one = SequenceVisitor::new(&go, |sequence: &mut Vec<u32>| {
                second_run.push(sequence.clone());
                ControlFlow::Break(())
            });
            let visited = root.visit_from(&Ascending, from.as_deref(), &mut one);
            from = visited.resume_path;
            if from.is_none() {
                break;
            }
        }
        assert_eq!(second_run, listed);
    }
}

#[cfg(test)]
mod move_order_tests {
    use super::*;

    #[test]
    fn warnsdorff_takes_square_with_fewest_exits() {
        // Degrees of squares 0..4: 3, 2, 8, 2.
        let degree = BitSlicedDegrees::<u64>([0b0001, 0b1011, 0, 0b0100]);
        assert_eq!(Warnsdorff.next(9, 0b1111, &degree), 1);
        assert_eq!(Warnsdorff.next(9, 0b1101, &degree), 3);
        assert_eq!(Warnsdorff.next(9, 0b0101, &degree), 0);
        assert_eq!(Ascending.next(9, 0b1100u64, &degree), 2);
    }

    #[test]
    fn parse_reads_steps_as_down_and_right() {
        let board: Rectangle = "3x3".parse().unwrap();
        let text = "2,1 1,2 -1,2 -2,1 -2,-1 -1,-2 1,-2 2,-1";
        let steps = StepOrder::parse(text, &board, Leaper::KNIGHT).unwrap();
        // From a3, top left: 2 down 1 right is b1, 1 down 2 right is c2.
        assert_eq!(steps.targets[6], [1, 5]);
        let error = |text: &str| StepOrder::parse(text, &board, Leaper::KNIGHT).unwrap_err();
        assert!(matches!(error("2,1"), StepOrderError::Incomplete { found: 1, expected: 8 }));
        assert!(matches!(error("2,2"), StepOrderError::NotAStep(..)));
        assert!(matches!(error("2,1 2,1"), StepOrderError::Repeated(_)));
        assert!(matches!(error("2"), StepOrderError::Parse(_)));
        assert!(matches!(error("1,-2147483648"), StepOrderError::NotAStep(..) | StepOrderError::Parse(_)));
        assert!(matches!(error("-2147483648,1"), StepOrderError::Parse(_)));
    }
}
