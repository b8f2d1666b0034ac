//! Disjoint path fragments of a tour: the state of the multipath kernel, and the joins that change
//! it.
//!
//! A square is *bare* (no chosen edge), an *end* (one chosen edge; its *mate* is the other end of
//! its fragment) or *inner* (two chosen edges). An edge is usable if neither of its squares is
//! inner and it does not join an end to its mate, which would close a short cycle. So the usable
//! edges follow from two bitboards and the mates, and no edge is ever deleted individually:
//!
//! ```text
//! usable(v) = near(v) & (bare | end) - mate(v)
//! ```
//!
//! A bare square needs two usable edges, an end needs one. A square with fewer usable edges is
//! *dead*: no tour contains the chosen edges. If a square has exactly as many usable edges as it
//! needs, these edges are forced.
//!
//! ```text
//!   x . .        o is bare and has two usable edges left, to the x's: both are
//!   . . x        forced. The x's become ends or, if they were ends already,
//!   o . .        inner squares, and their other edges become unusable.
//! ```
//!
//! To make a square inner, its neighbour mask is subtracted from the [`BitSlicedDegrees`] in a few
//! word operations. A few more operations find the dead squares, the forced edges and the best
//! squares at which to branch, on the whole board. A join takes about 15 ns.

use crate::board::Bitboard;

use super::bitboard_graph::{AdjacencyMasks, BitSlicedDegrees, SLOT_MASK, SQUARE_SLOTS};

/// Value of `via` for a [`Join`] of two squares by a single edge.
pub(super) const NO_SQUARE: u8 = u8::MAX;

/// A set of chosen edges that form path fragments, with the data that the search needs: whether a
/// square is bare (no chosen edge), an end (one) or inner (two); the number of usable edges at
/// every bare square and end (meaningless for inner squares); and the mate of each end, which is
/// the other end of its fragment. A bare square is its own mate.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathFragments<B: Bitboard> {
    bare: B,
    end: B,
    degrees: BitSlicedDegrees<B>,
    mate: B::Bytes,
    join_count: usize,
}

/// A join of two squares: by the edge between them, or by two edges through the square `via`, which
/// had no chosen edge before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Join {
    v: u8,
    w: u8,
    via: u8,
}

impl Join {
    /// Returns the edges of the join: one edge, or two if the join goes through `via`.
    pub(super) fn edges(self) -> impl Iterator<Item = (u8, u8)> {
        let (first, second) = match self.via {
            NO_SQUARE => ((self.v, self.w), None),
            via => ((self.v, via), Some((via, self.w))),
        };
        std::iter::once(first).chain(second)
    }
}

/// The type of a search node after every forced edge has been chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node<B> {
    /// A node below which there is no tour.
    Dead,
    /// A tour of which all edges are chosen except the edge between these two squares.
    Tour(usize, usize),
    /// A node that branches at a path end. Holds this end and the squares to which it can be
    /// joined.
    Branch(usize, B),
    /// A node at which no edge is chosen or forced.
    Start,
}

pub(super) type Joins = [Join; SQUARE_SLOTS];

impl<B: Bitboard> PathFragments<B> {
    /// Creates the state in which no edge is chosen, for `len` squares with the given degrees.
    pub(super) fn new(len: usize, degrees: BitSlicedDegrees<B>) -> Self {
        Self { bare: B::first_n(len), end: B::EMPTY, degrees, mate: B::identity_bytes(), join_count: 0 }
    }

    /// Returns the squares with fewer than two chosen edges, which need at least one more edge.
    #[inline(always)]
    pub(super) fn unfinished_squares(&self) -> B {
        self.bare | self.end
    }

    /// Returns two sets of squares: those without a chosen edge, and the path ends, which have one.
    #[inline(always)]
    pub(super) fn bare_and_ends(&self) -> (B, B) {
        (self.bare, self.end)
    }

    /// Returns true if no edge at `v` has been chosen.
    pub(super) fn is_bare(&self, v: usize) -> bool {
        self.bare.contains(v)
    }

    /// Returns the number of joins recorded so far.
    pub(super) const fn join_count(&self) -> usize {
        self.join_count
    }

    /// Returns the number of edges that can still be chosen.
    pub(super) fn count_usable_edges(&self) -> u32 {
        self.degrees.sum_over(self.unfinished_squares()) / 2
    }

    /// Returns the squares of a set of bare squares and ends that have the fewest usable edges.
    pub(super) fn with_fewest_usable(&self, squares: B) -> B {
        self.degrees.with_min_degree(squares)
    }

    #[inline(always)]
    pub(super) fn mate(&self, v: usize) -> usize {
        B::byte(&self.mate, v)
    }

    #[inline(always)]
    pub(super) fn usable_neighbours(&self, adjacency_masks: &AdjacencyMasks<B>, v: usize) -> B {
        adjacency_masks[v & SLOT_MASK] & (self.bare | self.end) & !B::from_square(self.mate(v))
    }

    /// Returns the set of both squares if the board has an edge between them, otherwise the empty
    /// set. The squares are the far ends of two fragments that are being joined: they become each
    /// other's mates and can no longer use this edge.
    #[inline(always)]
    fn adjacent_mates(adjacency_masks: &AdjacencyMasks<B>, v_mate: usize, w_mate: usize) -> B {
        B::select(
            adjacency_masks[v_mate & SLOT_MASK].contains(w_mate),
            B::from_square(v_mate) | B::from_square(w_mate),
        )
    }

    #[inline(always)]
    fn record_join<const RECORD: bool>(
        &mut self,
        joins: &mut Joins,
        join: Join,
        v_mate: usize,
        w_mate: usize,
    ) {
        B::set_byte(&mut self.mate, v_mate, w_mate);
        B::set_byte(&mut self.mate, w_mate, v_mate);
        if RECORD {
            joins[self.join_count & SLOT_MASK] = join;
            self.join_count += 1;
        }
    }

    /// Joins the path end `v` to `w` by the edge between them. `w` is an end or a square without a
    /// chosen edge, and not the other end of the fragment of `v`.
    #[inline(always)]
    pub(super) fn join_end<const RECORD: bool>(
        &mut self,
        adjacency_masks: &AdjacencyMasks<B>,
        joins: &mut Joins,
        v: usize,
        w: usize,
    ) {
        let (v_mate, w_mate) = (self.mate(v), self.mate(w));
        let from_v = adjacency_masks[v & SLOT_MASK] & !B::from_square(v_mate);
        let from_w =
            B::select(self.end.contains(w), adjacency_masks[w & SLOT_MASK] & !B::from_square(w_mate));
        self.degrees.decrease3(from_v, from_w, Self::adjacent_mates(adjacency_masks, v_mate, w_mate));
        self.end ^= B::from_square(v) | B::from_square(w);
        self.bare &= !B::from_square(w);
        self.record_join::<RECORD>(joins, Join { v: v as u8, w: w as u8, via: NO_SQUARE }, v_mate, w_mate);
    }

    /// Joins `v` and `w`, which are path ends or squares without a chosen edge, and not the two
    /// ends of one fragment. Joins them by the edge between them, or through the square `via`,
    /// which has no chosen edge and whose only usable neighbours are `v` and `w`.
    #[inline(always)]
    pub(super) fn join_any<const RECORD: bool>(
        &mut self,
        adjacency_masks: &AdjacencyMasks<B>,
        joins: &mut Joins,
        (v, w): (usize, usize),
        via: Option<usize>,
    ) {
        let both = B::from_square(v) | B::from_square(w);
        let (v_mate, w_mate) = (self.mate(v), self.mate(w));
        let from_v =
            B::select(self.end.contains(v), adjacency_masks[v & SLOT_MASK] & !B::from_square(v_mate));
        let from_w =
            B::select(self.end.contains(w), adjacency_masks[w & SLOT_MASK] & !B::from_square(w_mate));
        if let Some(via) = via {
            self.degrees.decrease(both);
            self.bare = self.bare.without(via);
        }
        self.degrees.decrease3(from_v, from_w, Self::adjacent_mates(adjacency_masks, v_mate, w_mate));
        self.end ^= both;
        self.bare &= !both;
        let via = via.map_or(NO_SQUARE, |via| via as u8);
        self.record_join::<RECORD>(joins, Join { v: v as u8, w: w as u8, via }, v_mate, w_mate);
    }

    /// Chooses every forced edge, and returns the type of the node after that. Writes the joins to
    /// `joins` if `RECORD` is true.
    #[inline(always)]
    pub(super) fn propagate<const RECORD: bool>(
        &mut self,
        adjacency_masks: &AdjacencyMasks<B>,
        joins: &mut Joins,
    ) -> Node<B> {
        loop {
            let (bare, end) = (self.bare, self.end);
            let (d0, d1, d2, high) = self.degrees.low_planes();
            let many = d2 | high;
            let below_two = !(d1 | many);
            let dead = below_two & (bare | (end & !d0));
            if !dead.is_empty() {
                // The ends of the last partial path are mates, so a complete tour always gets here.
                let (v, w) = (end.first(), end.without_first());
                let last = bare.is_empty()
                    && !w.is_empty()
                    && w.at_most_one()
                    && adjacency_masks[v & SLOT_MASK] & w == w;
                return if last { Node::Tour(v, w.first()) } else { Node::Dead };
            }
            let forced_ends = end & below_two;
            if !forced_ends.is_empty() {
                let v = forced_ends.first();
                let w = self.usable_neighbours(adjacency_masks, v).first();
                self.join_end::<RECORD>(adjacency_masks, joins, v, w);
                continue;
            }
            let two = d1 & !d0 & !many;
            let forced_bare = bare & two;
            if !forced_bare.is_empty() {
                let via = forced_bare.first();
                let ends = adjacency_masks[via & SLOT_MASK] & (bare | end);
                let (v, w) = (ends.first(), ends.without_first().first());
                if self.mate(v) == w {
                    // A short cycle. If it were the whole tour, v would have been a forced end before.
                    return Node::Dead;
                }
                self.join_any::<RECORD>(adjacency_masks, joins, (v, w), Some(via));
                continue;
            }
            if end.is_empty() {
                return if bare.is_empty() { Node::Dead } else { Node::Start };
            }
            let mut best = end & two;
            if best.is_empty() {
                best = end & d1 & !many;
            }
            if best.is_empty() {
                best = end & d2 & !(high | d1 | d0);
            }
            if best.is_empty() {
                best = end;
            }
            let v = best.last();
            return Node::Branch(v, self.usable_neighbours(adjacency_masks, v));
        }
    }
}
