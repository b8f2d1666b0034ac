//! The multipath kernel: a search that grows all path fragments of a tour at once.
//!
//! A node is a set of chosen edges that form disjoint path fragments, with every forced edge
//! chosen. The kernel branches at the path end with the fewest choices: this is Warnsdorff's rule,
//! applied to all path fragments at once. The choices at one end exclude each other, so no tour is
//! found twice and children need no bookkeeping. A node costs two to three joins of about 15 ns
//! each.
//!
//! A Hamiltonian path from s to e is a Hamiltonian cycle through an extra edge s-e, which is chosen
//! first. So one kernel serves closed tours and paths.
//!
//! Sources: Selby 1970 and Martello 1983 (edge choice); Knuth, TAOCP 7.2.2.4 (2025), whose programs
//! keep the edges in sparse sets instead.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use crate::board::{Bitboard, Graph, Move};
use crate::cpu_features::with_bmi;
use crate::random::Random;

use super::bitboard_graph::{AdjacencyMasks, BitboardGraph, SLOT_MASK, SQUARE_SLOTS};
use super::path_fragments::{Join, Joins, NO_SQUARE, Node, PathFragments};
use super::transposition_table::{NoMemo, SubtreeMemo, TranspositionTable};
use super::visitor::{FoundTour, POLL_INTERVAL, StopOnFlag, Visitor};

/// A branching node of the search: its path fragments, the path end at which it branches, and the
/// choices that have not been tried yet.
#[derive(Clone, Copy, Debug)]
struct Frame<B: Bitboard> {
    partial_paths: PathFragments<B>,
    choices: B,
    end: usize,
}

/// A tour in the form in which the kernel finds it: a set of edges without an order.
struct ChosenEdges<'a> {
    joins: &'a [Join],
    last: (usize, usize),
    ends: Option<(usize, usize)>,
}

impl FoundTour for ChosenEdges<'_> {
    fn last_vertex(&self) -> usize {
        self.ends.map_or(0, |(_, end)| end)
    }

    fn write_sequence(&self, out: &mut Vec<u32>) {
        // Each square has two chosen edges; the extra edge of a path, joined first, gives its ends.
        let mut neighbours = [[NO_SQUARE; 2]; SQUARE_SLOTS];
        let mut len = 0;
        let mut edge = |v: u8, w: u8| {
            for (v, w) in [(v, w), (w, v)] {
                let slot = &mut neighbours[usize::from(v) & SLOT_MASK];
                len += usize::from(slot[0] == NO_SQUARE);
                slot[usize::from(slot[0] != NO_SQUARE)] = w;
            }
        };
        for join in &self.joins[usize::from(self.ends.is_some())..] {
            join.edges().for_each(|(v, w)| edge(v, w));
        }
        edge(self.last.0 as u8, self.last.1 as u8);
        let start = self.ends.map_or(0, |(start, _)| start as u8);
        out.clear();
        out.reserve(len);
        let (mut before, mut at) = (NO_SQUARE, start);
        for _ in 0..len {
            out.push(u32::from(at));
            let [a, b] = neighbours[usize::from(at) & SLOT_MASK];
            let next = if a == before { b } else { a };
            (before, at) = (at, next);
        }
    }
}

/// Numbers of nodes and tours of one search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchCounts {
    /// Number of nodes visited.
    pub nodes: u64,
    /// Number of tours: those visited, and those counted by entries of the transposition table.
    /// Each entry counts less than 2^64 tours and fewer than 2^64 nodes are visited, so the sum
    /// fits.
    pub tours: u128,
}

/// A set of chosen edges of a graph, and the search for all tours that contain these edges.
///
/// Memory: about 3 KB for 64 squares, 6 KB for 128, and 20 to 50 KB of stack while searching, for
/// any number of tours. For a long count, each thread also needs 3.5 or 7 MiB for transposition
/// tables.
#[derive(Clone, Debug)]
pub struct Multipath<B: Bitboard> {
    adjacency_masks: AdjacencyMasks<B>,
    partial_paths: PathFragments<B>,
    joins: Joins,
    ends: Option<(usize, usize)>,
}

impl<B: Bitboard> Multipath<B> {
    /// Creates the search for closed tours, with no edge chosen.
    ///
    /// # Panics
    /// If the graph has more vertices than `B` has bits, or a vertex has more than
    /// [`max_degree`](super::bitboard_graph::max_degree) neighbours.
    #[must_use]
    pub fn new_closed(graph: &Graph) -> Self {
        Self::from_bitboard_graph(&BitboardGraph::new(graph))
    }

    /// Creates the search for paths from `start` to `end`. The extra edge between the two ends is
    /// already chosen.
    ///
    /// # Panics
    /// As [`Multipath::new_closed`], or if `start` and `end` are equal.
    #[must_use]
    pub fn new_paths(graph: &Graph, start: usize, end: usize) -> Self {
        Self::from_bitboard_graph(&BitboardGraph::new(graph)).with_ends(start, end)
    }

    /// Creates the search for closed tours from the bitboard form of a graph, with no edge chosen.
    /// A plan computes the bitboard form once for all units.
    pub(super) fn from_bitboard_graph(tables: &BitboardGraph) -> Self {
        Self {
            adjacency_masks: tables.adjacency_masks(),
            partial_paths: PathFragments::new(tables.len(), tables.degrees()),
            joins: [Join::default(); SQUARE_SLOTS],
            ends: None,
        }
    }

    /// Chooses an extra edge between `start` and `end`, so that the search visits the paths between
    /// these squares instead of closed tours.
    pub(super) fn with_ends(mut self, start: usize, end: usize) -> Self {
        assert_ne!(start, end, "a path with an edge has two ends");
        self.partial_paths.join_any::<true>(&self.adjacency_masks, &mut self.joins, (start, end), None);
        self.ends = Some((start, end));
        self
    }

    /// Chooses the edges of `required`, which form disjoint paths, or are a whole tour. If they leave no other
    /// edge to choose, the last one stays open, as in every complete tour.
    pub(super) fn with_edges(mut self, required: &[Move]) -> Self {
        for &(v, w) in required {
            if self.partial_paths.mate(v as usize) != w as usize {
                self.choose(v as usize, w as usize);
            }
        }
        self
    }

    /// Chooses all forced edges. Returns the type of the node after that.
    pub(super) fn propagate(&mut self) -> Node<B> {
        self.partial_paths.propagate::<true>(&self.adjacency_masks, &mut self.joins)
    }

    /// Returns the neighbours of the square `v` to which an edge can still be chosen. The set is
    /// empty if `v` already has two chosen edges.
    pub(super) fn usable_neighbours(&self, v: usize) -> B {
        if self.partial_paths.unfinished_squares().contains(v) {
            self.partial_paths.usable_neighbours(&self.adjacency_masks, v)
        } else {
            B::EMPTY
        }
    }

    /// Returns the squares of `among` that have the fewest ways to choose their missing edges, with the number of
    /// ways. Returns `None` if no square of `among` has a missing edge. Cost: a few word operations.
    pub(super) fn squares_with_fewest_ways(&self, among: B) -> Option<(u32, B)> {
        let (bare, ends) = self.partial_paths.bare_and_ends();
        let fewest = |squares: B, ways: fn(u32) -> u32| {
            let fewest = self.partial_paths.with_fewest_usable(squares & among);
            let usable = || self.usable_neighbours(fewest.first()).count();
            (!fewest.is_empty()).then(|| (ways(usable()), fewest))
        };
        let end = fewest(ends, |usable| usable);
        let bare = fewest(bare, |usable| usable * usable.saturating_sub(1) / 2);
        match (end, bare) {
            (Some((ways, ends)), Some((same, bare))) if ways == same => Some((ways, ends | bare)),
            (Some(end), Some(bare)) => Some(if end.0 < bare.0 { end } else { bare }),
            (end, bare) => end.or(bare),
        }
    }

    /// Returns true if no edge at `v` has been chosen.
    pub(super) fn is_bare(&self, v: usize) -> bool {
        self.partial_paths.is_bare(v)
    }

    /// Chooses the edge between `v` and its usable neighbour `w`.
    pub(super) fn choose(&mut self, v: usize, w: usize) {
        debug_assert!(self.usable_neighbours(v).contains(w) && self.usable_neighbours(w).contains(v));
        self.partial_paths.join_any::<true>(&self.adjacency_masks, &mut self.joins, (v, w), None);
    }

    /// Returns the number of edges of the graph that are ruled out: neither chosen nor usable any
    /// more. `edges` is the number of all edges of the graph. Every closed tour on n vertices rules
    /// out `edges` - n edges. So the number of ruled-out edges measures the size of the subtree
    /// better than the number of chosen edges does.
    pub(super) fn ruled_out(&self, edges: usize) -> u32 {
        (edges - self.chosen_edges().count()) as u32 - self.partial_paths.count_usable_edges()
    }

    /// Returns the number of joins so far, except that of the extra edge of a path.
    pub(super) const fn join_count(&self) -> usize {
        self.partial_paths.join_count() - self.ends.is_some() as usize
    }

    /// Returns the joins after the first `skip`, except that of the extra edge of a path.
    pub(super) fn joins_from(&self, skip: usize) -> &[Join] {
        &self.joins[usize::from(self.ends.is_some()) + skip..self.partial_paths.join_count()]
    }

    /// Returns the edges chosen so far, except the extra edge of a path.
    pub(super) fn chosen_edges(&self) -> impl Iterator<Item = (u8, u8)> + '_ {
        self.joins_from(0).iter().flat_map(|join| join.edges())
    }

    /// Walks once from this node down the search tree, to a random child at each node. Returns
    /// estimates of the numbers of nodes and tours below this node, see
    /// [`tree_size_estimate`](super::tree_size_estimate).
    pub(super) fn sample_walk(&self, random: &mut Random) -> (f64, f64) {
        let mut joins = self.joins;
        let mut pieces = self.partial_paths;
        let (mut nodes, mut width) = (0.0, 1.0);
        loop {
            nodes += width;
            match pieces.propagate::<false>(&self.adjacency_masks, &mut joins) {
                Node::Branch(at, choices) => {
                    let count = choices.count();
                    width *= f64::from(count);
                    let skip = random.below(count as usize);
                    let choice = choices.iter().nth(skip).expect("fewer skipped than there are");
                    pieces.join_end::<false>(&self.adjacency_masks, &mut joins, at, choice);
                }
                Node::Tour(..) => return (nodes, width),
                Node::Dead | Node::Start => return (nodes, 0.0),
            }
        }
    }

    /// Passes every tour that contains the chosen edges to `visitor`, each tour once. Returns the
    /// number of visited nodes. Uses BMI instructions if the processor has them.
    ///
    /// # Panics
    /// If no edge is chosen and no edge is forced: the search needs a path end at which to branch.
    pub fn visit<V: Visitor>(&self, visitor: &mut V) -> u64 {
        self.search_with_memo(visitor, &mut NoMemo).nodes
    }

    /// Counts the tours that contain the chosen edges, with the help of the transposition table
    /// `endgames`. The result is meaningless if `stop` was set during the count.
    ///
    /// # Panics
    /// As for [`Multipath::visit`].
    pub(super) fn count(&self, endgames: &mut TranspositionTable<B>, stop: &AtomicBool) -> SearchCounts {
        endgames.begin_search();
        self.search_with_memo(&mut StopOnFlag::new(stop), endgames)
    }

    pub(super) fn search_with_memo<V: Visitor, M: SubtreeMemo<B>>(
        &self,
        visitor: &mut V,
        memory: &mut M,
    ) -> SearchCounts {
        with_bmi(
            #[inline(always)]
            || self.search(visitor, memory),
        )
    }

    #[inline(always)]
    fn search<V: Visitor, M: SubtreeMemo<B>>(&self, visitor: &mut V, memory: &mut M) -> SearchCounts {
        if V::NEEDS_SEQUENCE {
            self.search_loop::<V, M, true>(visitor, memory)
        } else {
            self.search_loop::<V, M, false>(visitor, memory)
        }
    }

    #[inline(always)]
    fn search_loop<V: Visitor, M: SubtreeMemo<B>, const RECORD: bool>(
        &self,
        visitor: &mut V,
        memory: &mut M,
    ) -> SearchCounts {
        let adjacency_masks = &self.adjacency_masks;
        let mut joins = self.joins;
        let mut pieces = self.partial_paths;
        let mut frames = [Frame { partial_paths: pieces, choices: B::EMPTY, end: 0 }; SQUARE_SLOTS];
        let mut depth = 0;
        let mut counted = SearchCounts::default();
        loop {
            counted.nodes += 1;
            if counted.nodes & (POLL_INTERVAL - 1) == 0 {
                if visitor.poll().is_break() {
                    return counted;
                }
                memory.add_nodes(POLL_INTERVAL);
            }
            match pieces.propagate::<RECORD>(adjacency_masks, &mut joins) {
                Node::Branch(at, choices) => {
                    if let Some(tours) = memory.stored_tours(&pieces, depth, counted.tours) {
                        counted.tours += u128::from(tours);
                    } else {
                        frames[depth & SLOT_MASK] =
                            Frame { partial_paths: pieces, choices: choices.without_first(), end: at };
                        depth += 1;
                        pieces.join_end::<RECORD>(adjacency_masks, &mut joins, at, choices.first());
                        continue;
                    }
                }
                Node::Tour(v, w) => {
                    counted.tours += 1;
                    let joined = if RECORD { pieces.join_count() } else { 0 };
                    let found =
                        ChosenEdges { joins: &joins[..joined & SLOT_MASK], last: (v, w), ends: self.ends };
                    if let ControlFlow::Break(()) = visitor.visit_tour(&found) {
                        return counted;
                    }
                }
                Node::Dead => {}
                Node::Start => panic!("no edge is chosen or forced; the search needs a path end"),
            }
            memory.finish_nodes(depth, counted.tours);
            if depth == 0 {
                memory.add_nodes(counted.nodes & (POLL_INTERVAL - 1));
                return counted;
            }
            let frame = &mut frames[(depth - 1) & SLOT_MASK];
            let choices = frame.choices;
            frame.choices = choices.without_first();
            depth -= usize::from(frame.choices.is_empty());
            let at = frame.end;
            pieces = frame.partial_paths;
            pieces.join_end::<RECORD>(adjacency_masks, &mut joins, at, choices.first());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_graphs;
    use super::*;
    use crate::search::visitor::SequenceVisitor;
    use std::collections::HashSet;

    fn count_tours<B: Bitboard>(root: &Multipath<B>) -> u64 {
        let counted = root.count(&mut TranspositionTable::new(), &AtomicBool::new(false));
        u64::try_from(counted.tours).unwrap()
    }

    #[test]
    fn count_finds_all_paths_between_two_vertices() {
        for (name, graph) in test_graphs::sample_graphs() {
            for start in [0, 1, graph.len() - 1] {
                let expected = test_graphs::count_paths_from(&graph, start);
                for end in (0..graph.len()).filter(|&end| end != start) {
                    let found = count_tours(&Multipath::<u64>::new_paths(&graph, start, end));
                    assert_eq!(found, expected[end], "{name} from {start} to {end}");
                    assert_eq!(found, count_tours(&Multipath::<u128>::new_paths(&graph, start, end)));
                }
            }
        }
    }

    #[test]
    fn visit_writes_each_tour_once() {
        let go = AtomicBool::new(false);
        let graph = test_graphs::king_graph(3, 4);
        let mut seen = HashSet::new();
        let mut lister = SequenceVisitor::new(&go, |sequence: &mut Vec<u32>| {
            assert_eq!((sequence[0], sequence[11], sequence.len()), (0, 5, 12));
            assert!(sequence.windows(2).all(|pair| graph.is_edge(pair[0] as usize, pair[1] as usize)));
            assert!(seen.insert(sequence.clone()), "{sequence:?} twice");
            ControlFlow::Continue(())
        });
        Multipath::<u64>::new_paths(&graph, 0, 5).visit(&mut lister);
        assert_eq!(seen.len() as u64, test_graphs::count_paths_from(&graph, 0)[5]);
    }

    #[test]
    fn choose_rules_out_edges() {
        let graph = test_graphs::king_graph(4, 4);
        let mut node = Multipath::<u64>::new_closed(&graph);
        assert_eq!((node.propagate(), node.ruled_out(graph.edge_count())), (Node::Start, 0));
        node.choose(0, 1);
        node.choose(0, 4);
        // The corner's third edge is ruled out, and the edge that would close a cycle of three.
        assert_eq!((node.chosen_edges().count(), node.ruled_out(graph.edge_count())), (2, 2));
        assert!(
            node.usable_neighbours(0).is_empty() && !node.usable_neighbours(1).contains(4) && node.is_bare(5)
        );
    }

    #[test]
    #[should_panic(expected = "no edge is chosen or forced")]
    fn count_panics_without_chosen_edge() {
        count_tours(&Multipath::<u64>::new_closed(&test_graphs::petersen_graph()));
    }
}
