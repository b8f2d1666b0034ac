//! The multi-path kernel: grows all partial paths of a tour at once.
//!
//! A node is a set of chosen edges that form disjoint partial paths, with every forced edge chosen. The
//! kernel branches at the path end with the fewest choices: Warnsdorff's rule applied to every partial path
//! at once. The choices at one end exclude each other, so children need no bookkeeping. A node costs two to
//! three joins of about 15 ns each.
//!
//! A Hamiltonian path from s to e is a Hamiltonian cycle through an extra edge s-e, which is chosen first. So
//! one kernel serves closed tours and paths.
//!
//! Sources: Selby 1970 and Martello 1983 (edge choice); Knuth, TAOCP 7.2.2.4 (2025), whose programs keep the
//! edges in sparse sets instead.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use crate::board::{Bitboard, Graph};
use crate::random::Random;

use super::endgames::{Endgames, Forgetful, Memory};
use super::pieces::{Join, Joins, NOTHING, Node, Pieces};
use super::tables::{Near, SLOT, SLOTS, Tables};
use super::visitor::{Complete, POLL_INTERVAL, Until, Visitor};

/// An end to branch at, with the choices not yet tried.
#[derive(Clone, Copy, Debug)]
struct Frame<B: Bitboard> {
    pieces: Pieces<B>,
    choices: B,
    at: usize,
}

/// A tour as the kernel finds it: the chosen edges.
struct Edges<'a> {
    joins: &'a [Join],
    last: (usize, usize),
    ends: Option<(usize, usize)>,
}

impl Complete for Edges<'_> {
    fn last(&self) -> usize {
        self.ends.map_or(0, |(_, end)| end)
    }

    fn sequence(&self, out: &mut Vec<u32>) {
        // Each square has two chosen edges; the extra edge of a path, joined first, gives its ends.
        let mut near = [[NOTHING; 2]; SLOTS];
        let mut len = 0;
        let mut edge = |v: u8, w: u8| {
            for (v, w) in [(v, w), (w, v)] {
                let slot = &mut near[usize::from(v) & SLOT];
                len += usize::from(slot[0] == NOTHING);
                slot[usize::from(slot[0] != NOTHING)] = w;
            }
        };
        for join in &self.joins[usize::from(self.ends.is_some())..] {
            join.edges().for_each(|(v, w)| edge(v, w));
        }
        edge(self.last.0 as u8, self.last.1 as u8);
        let start = self.ends.map_or(0, |(start, _)| start as u8);
        out.clear();
        let (mut before, mut at) = (NOTHING, start);
        for _ in 0..len {
            out.push(u32::from(at));
            let [a, b] = near[usize::from(at) & SLOT];
            let next = if a == before { b } else { a };
            (before, at) = (at, next);
        }
    }
}

/// Node and tour counts of one search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Nodes visited.
    pub nodes: u64,
    /// Tours visited, or stored below a node. Fewer than 2^64 tours are stored for a node and fewer than 2^64
    /// nodes are visited, so the sum fits.
    pub tours: u128,
}

/// A partial solution of one graph, and the search below it.
///
/// Memory: about 3 KB for 64 squares, 6 KB for 128, and 20 to 50 KB of stack while searching, for any number
/// of tours. A long count stores 3.5 or 7 MiB of transposition tables a thread.
#[derive(Clone, Debug)]
pub struct Multipath<B: Bitboard> {
    near: Near<B>,
    pieces: Pieces<B>,
    joins: Joins,
    ends: Option<(usize, usize)>,
}

impl<B: Bitboard> Multipath<B> {
    /// Creates the search for closed tours, with no edge chosen.
    ///
    /// # Panics
    /// If the graph has more vertices than `B` has bits, or a vertex has more neighbours than its degrees can
    /// hold.
    #[must_use]
    pub fn closed(graph: &Graph) -> Self {
        Self::of(&Tables::new(graph))
    }

    /// Creates the search for paths from `start` to `end`: the extra edge between them is chosen.
    ///
    /// # Panics
    /// As [`Multipath::new_closed`], or if `start` and `end` are equal.
    #[must_use]
    pub fn paths(graph: &Graph, start: usize, end: usize) -> Self {
        Self::of(&Tables::new(graph)).between(start, end)
    }

    /// Creates the search for closed tours from the bitboard form of a graph, which a plan computes once for
    /// all units.
    pub(super) fn of(tables: &Tables) -> Self {
        Self {
            near: tables.near(),
            pieces: Pieces::none(tables.len(), tables.degrees()),
            joins: [Join::default(); SLOTS],
            ends: None,
        }
    }

    /// Chooses the extra edge between two squares, so that tours are paths between them.
    pub(super) fn between(mut self, start: usize, end: usize) -> Self {
        assert_ne!(start, end, "a path with an edge has two ends");
        self.pieces.join_any::<true>(&self.near, &mut self.joins, (start, end), None);
        self.ends = Some((start, end));
        self
    }

    /// Chooses all forced edges.
    pub(super) fn settle(&mut self) -> Node<B> {
        self.pieces.settle::<true>(&self.near, &mut self.joins)
    }

    /// Returns the usable neighbours of a square; empty for inner squares.
    pub(super) fn usable(&self, v: usize) -> B {
        if self.pieces.unfinished().contains(v) { self.pieces.usable(&self.near, v) } else { B::EMPTY }
    }

    /// Returns true if no edge at `v` has been chosen.
    pub(super) fn is_bare(&self, v: usize) -> bool {
        self.pieces.is_bare(v)
    }

    /// Chooses the edge between `v` and its usable neighbour `w`.
    pub(super) fn choose(&mut self, v: usize, w: usize) {
        debug_assert!(self.usable(v).contains(w) && self.usable(w).contains(v));
        self.pieces.join_any::<true>(&self.near, &mut self.joins, (v, w), None);
    }

    /// Returns the number of the graph's `edges` that have been ruled out: they are neither chosen nor
    /// usable. Every closed tour rules out edges - n of them, so this measures the size of the subtree better
    /// than the chosen edges do.
    pub(super) fn ruled_out(&self, edges: usize) -> u32 {
        (edges - self.edges().count()) as u32 - self.pieces.usable_edges()
    }

    /// Returns the edges chosen so far, without the extra edge of a path.
    pub(super) fn edges(&self) -> impl Iterator<Item = (u8, u8)> + '_ {
        let joins = &self.joins[usize::from(self.ends.is_some())..self.pieces.joined()];
        joins.iter().flat_map(|join| join.edges())
    }

    /// Walks once at random down the tree. Returns estimates of the numbers of nodes and of tours, see
    /// [`tree_size_estimate`](super::tree_size_estimate).
    pub(super) fn probe(&self, random: &mut Random) -> (f64, f64) {
        let mut joins = self.joins;
        let mut pieces = self.pieces;
        let (mut nodes, mut width) = (0.0, 1.0);
        loop {
            nodes += width;
            match pieces.settle::<false>(&self.near, &mut joins) {
                Node::Branch(at, choices) => {
                    let count = choices.count();
                    width *= f64::from(count);
                    let skip = random.below(count as usize);
                    let choice = choices.iter().nth(skip).expect("fewer skipped than there are");
                    pieces.join_end::<false>(&self.near, &mut joins, at, choice);
                }
                Node::Tour(..) => return (nodes, width),
                Node::Dead | Node::Start => return (nodes, 0.0),
            }
        }
    }

    /// Visits every tour that contains the chosen edges, each once. Returns the number of nodes. Uses BMI
    /// instructions if the processor has them.
    ///
    /// # Panics
    /// If no edge is chosen and none is forced: there must be an end to branch at.
    pub fn visit<V: Visitor>(&self, visitor: &mut V) -> u64 {
        self.searched(visitor, &mut Forgetful).nodes
    }

    /// Counts the tours that contain the chosen edges, using the transposition table. The result is
    /// meaningless if `stop` was set.
    ///
    /// # Panics
    /// As [`Multipath::visit`].
    pub(super) fn count(&self, endgames: &mut Endgames<B>, stop: &AtomicBool) -> Counted {
        endgames.begin();
        self.searched(&mut Until::new(stop), endgames)
    }

    pub(super) fn searched<V: Visitor, M: Memory<B>>(&self, visitor: &mut V, memory: &mut M) -> Counted {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
            fn with_bmi<B: Bitboard, V: Visitor, M: Memory<B>>(
                root: &Multipath<B>,
                visitor: &mut V,
                memory: &mut M,
            ) -> Counted {
                root.search(visitor, memory)
            }
            if crate::cpu::has_bmi() {
                // SAFETY: the processor has the enabled features, as just checked.
                return unsafe { with_bmi(self, visitor, memory) };
            }
        }
        self.search(visitor, memory)
    }

    #[inline(always)]
    fn search<V: Visitor, M: Memory<B>>(&self, visitor: &mut V, memory: &mut M) -> Counted {
        if V::RECORD {
            self.search_as::<V, M, true>(visitor, memory)
        } else {
            self.search_as::<V, M, false>(visitor, memory)
        }
    }

    #[inline(always)]
    fn search_as<V: Visitor, M: Memory<B>, const RECORD: bool>(
        &self,
        visitor: &mut V,
        memory: &mut M,
    ) -> Counted {
        let near = &self.near;
        let mut joins = self.joins;
        let mut pieces = self.pieces;
        let mut frames = [Frame { pieces, choices: B::EMPTY, at: 0 }; SLOTS];
        let mut depth = 0;
        let mut counted = Counted::default();
        loop {
            counted.nodes += 1;
            if counted.nodes & (POLL_INTERVAL - 1) == 0 {
                if visitor.poll().is_break() {
                    return counted;
                }
                memory.visited(POLL_INTERVAL);
            }
            match pieces.settle::<RECORD>(near, &mut joins) {
                Node::Branch(at, choices) => {
                    if let Some(tours) = memory.below(&pieces, depth, counted.tours) {
                        counted.tours += u128::from(tours);
                    } else {
                        frames[depth & SLOT] = Frame { pieces, choices: choices.without_first(), at };
                        depth += 1;
                        pieces.join_end::<RECORD>(near, &mut joins, at, choices.first());
                        continue;
                    }
                }
                Node::Tour(v, w) => {
                    counted.tours += 1;
                    let joined = if RECORD { pieces.joined() } else { 0 };
                    let found = Edges { joins: &joins[..joined & SLOT], last: (v, w), ends: self.ends };
                    if let ControlFlow::Break(()) = visitor.tour(&found) {
                        return counted;
                    }
                }
                Node::Dead => {}
                Node::Start => panic!("the search begins with a chosen edge"),
            }
            memory.done(depth, counted.tours);
            if depth == 0 {
                memory.visited(counted.nodes & (POLL_INTERVAL - 1));
                return counted;
            }
            let frame = &mut frames[(depth - 1) & SLOT];
            let choices = frame.choices;
            frame.choices = choices.without_first();
            depth -= usize::from(frame.choices.is_empty());
            let at = frame.at;
            pieces = frame.pieces;
            pieces.join_end::<RECORD>(near, &mut joins, at, choices.first());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::samples;
    use crate::search::visitor::Lister;
    use std::collections::HashSet;

    fn count<B: Bitboard>(root: &Multipath<B>) -> u64 {
        let counted = root.count(&mut Endgames::new(), &AtomicBool::new(false));
        u64::try_from(counted.tours).unwrap()
    }

    #[test]
    fn paths_between_any_two_vertices_are_all_found() {
        for (name, graph) in samples::all() {
            for start in [0, 1, graph.len() - 1] {
                let expected = samples::paths_from(&graph, start);
                for end in (0..graph.len()).filter(|&end| end != start) {
                    let found = count(&Multipath::<u64>::paths(&graph, start, end));
                    assert_eq!(found, expected[end], "{name} from {start} to {end}");
                    assert_eq!(found, count(&Multipath::<u128>::paths(&graph, start, end)));
                }
            }
        }
    }

    #[test]
    fn what_is_found_is_written_as_a_tour() {
        let go = AtomicBool::new(false);
        let graph = samples::king(3, 4);
        let mut seen = HashSet::new();
        let mut lister = Lister::new(&go, |sequence: &mut Vec<u32>| {
            assert_eq!((sequence[0], sequence[11], sequence.len()), (0, 5, 12));
            assert!(sequence.windows(2).all(|pair| graph.is_edge(pair[0] as usize, pair[1] as usize)));
            assert!(seen.insert(sequence.clone()), "{sequence:?} twice");
            ControlFlow::Continue(())
        });
        Multipath::<u64>::paths(&graph, 0, 5).visit(&mut lister);
        assert_eq!(seen.len() as u64, samples::paths_from(&graph, 0)[5]);
    }

    #[test]
    fn edges_are_chosen_usable_or_ruled_out() {
        let graph = samples::king(4, 4);
        let mut node = Multipath::<u64>::closed(&graph);
        assert_eq!((node.settle(), node.ruled_out(graph.edges())), (Node::Start, 0));
        node.choose(0, 1);
        node.choose(0, 4);
        // The corner's third edge is ruled out, and the edge that would close a cycle of three.
        assert_eq!((node.edges().count(), node.ruled_out(graph.edges())), (2, 2));
        assert!(node.usable(0).is_empty() && !node.usable(1).contains(4) && node.is_bare(5));
    }

    #[test]
    #[should_panic(expected = "begins with a chosen edge")]
    fn a_search_with_nothing_chosen_is_refused() {
        count(&Multipath::<u64>::closed(&samples::petersen()));
    }
}
