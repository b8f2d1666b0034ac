//! Disjoint pieces of a tour: the state of the multi-path kernel.
//!
//! A square is *bare* (no chosen edge), an *end* (one; its *mate* is the other end of
//! its piece) or *inner* (two). An edge is usable if neither square is inner and it
//! does not join an end to its mate, which would close a short cycle. So the usable
//! edges follow from two bitboards and the mates, and nothing is ever deleted one by
//! one:
//!
//! ```text
//! usable(v) = near(v) & (bare | end) - mate(v)
//! ```
//!
//! A bare square needs two usable edges, an end one. With fewer it is dead, with
//! just as many they are forced.
//!
//! ```text
//!   x . .        o is bare and has two usable edges left, to the x's: both are
//!   . . x        forced. The x's become ends or, if they were ends already,
//!   o . .        inner squares, and their other edges go.
//! ```
//!
//! Making a square inner subtracts its neighbour mask from the [`Degrees`] in a few
//! word operations, and the dead, the forced and the best branching squares of the
//! whole board fall out of a few more. A join takes about 15 ns.

use crate::board::Bitboard;

use super::degrees::Degrees;
use super::tables::{Near, SLOT, SLOTS};

/// In a [`Join`]: no square in between.
pub(super) const NOTHING: u8 = u8::MAX;

/// A partial solution: the role of every square, the usable degrees of bare squares and ends (those of
/// inner squares mean nothing), and for each end the other end of its partial path. A bare square is its
/// own mate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pieces<B: Bitboard> {
    bare: B,
    end: B,
    degrees: Degrees<B>,
    mate: B::Bytes,
    joined: usize,
}

/// Two squares joined, directly or through the bare square `via`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Join {
    v: u8,
    w: u8,
    via: u8,
}

impl Join {
    /// The one or two edges.
    pub(super) fn edges(self) -> impl Iterator<Item = (u8, u8)> {
        let (first, second) = match self.via {
            NOTHING => ((self.v, self.w), None),
            via => ((self.v, via), Some((via, self.w))),
        };
        std::iter::once(first).chain(second)
    }
}

/// What a node is once every forced edge has been taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node<B> {
    /// No tour below.
    Dead,
    /// A tour: all that is missing is the edge between these two.
    Tour(usize, usize),
    /// Branch at this end; its usable neighbours.
    Branch(usize, B),
    /// Nothing is chosen or forced yet.
    Start,
}

pub(super) type Joins = [Join; SLOTS];

impl<B: Bitboard> Pieces<B> {
    /// Every square bare.
    pub(super) fn none(len: usize, degrees: Degrees<B>) -> Self {
        Self { bare: B::first_n(len), end: B::EMPTY, degrees, mate: B::own_index(), joined: 0 }
    }

    /// Squares with a usable edge or more to get: all but the inner ones.
    #[inline(always)]
    pub(super) fn unfinished(&self) -> B {
        self.bare | self.end
    }

    /// The bare squares and the ends.
    #[inline(always)]
    pub(super) fn roles(&self) -> (B, B) {
        (self.bare, self.end)
    }

    /// Whether no edge at `v` has been chosen.
    pub(super) fn is_bare(&self, v: usize) -> bool {
        self.bare.contains(v)
    }

    /// How many joins have been made and recorded.
    pub(super) const fn joined(&self) -> usize {
        self.joined
    }

    /// How many edges are usable.
    pub(super) fn usable_edges(&self) -> u32 {
        self.degrees.sum(self.unfinished()) / 2
    }

    #[inline(always)]
    pub(super) fn mate(&self, v: usize) -> usize {
        B::byte(&self.mate, v)
    }

    #[inline(always)]
    pub(super) fn usable(&self, near: &Near<B>, v: usize) -> B {
        near[v & SLOT] & (self.bare | self.end) & !B::of(self.mate(v))
    }

    /// The far ends become mates: an edge between them is no longer usable.
    #[inline(always)]
    fn mates_joined(near: &Near<B>, v_mate: usize, w_mate: usize) -> B {
        B::select(near[v_mate & SLOT].contains(w_mate), B::of(v_mate) | B::of(w_mate))
    }

    #[inline(always)]
    fn link<const RECORD: bool>(&mut self, joins: &mut Joins, join: Join, v_mate: usize, w_mate: usize) {
        B::set_byte(&mut self.mate, v_mate, w_mate);
        B::set_byte(&mut self.mate, w_mate, v_mate);
        if RECORD {
            joins[self.joined & SLOT] = join;
            self.joined += 1;
        }
    }

    /// Joins `v`, an end, and `w`, an end or a bare square, not its mate.
    #[inline(always)]
    pub(super) fn join_end<const RECORD: bool>(
        &mut self,
        near: &Near<B>,
        joins: &mut Joins,
        v: usize,
        w: usize,
    ) {
        let (v_mate, w_mate) = (self.mate(v), self.mate(w));
        let from_v = near[v & SLOT] & !B::of(v_mate);
        let from_w = B::select(self.end.contains(w), near[w & SLOT] & !B::of(w_mate));
        self.degrees.decrease3(from_v, from_w, Self::mates_joined(near, v_mate, w_mate));
        self.end ^= B::of(v) | B::of(w);
        self.bare &= !B::of(w);
        self.link::<RECORD>(joins, Join { v: v as u8, w: w as u8, via: NOTHING }, v_mate, w_mate);
    }

    /// Joins `v` and `w`, each an end or a bare square, not each other's mates: directly, or through
    /// the bare square `via` if `lost` is its only two usable neighbours, `v` and `w`.
    #[inline(always)]
    pub(super) fn join_any<const RECORD: bool>(
        &mut self,
        near: &Near<B>,
        joins: &mut Joins,
        (v, w): (usize, usize),
        via: Option<usize>,
    ) {
        let both = B::of(v) | B::of(w);
        let (v_mate, w_mate) = (self.mate(v), self.mate(w));
        let from_v = B::select(self.end.contains(v), near[v & SLOT] & !B::of(v_mate));
        let from_w = B::select(self.end.contains(w), near[w & SLOT] & !B::of(w_mate));
        if let Some(via) = via {
            self.degrees.decrease(both);
            self.bare = self.bare.without(via);
        }
        self.degrees.decrease3(from_v, from_w, Self::mates_joined(near, v_mate, w_mate));
        self.end ^= both;
        self.bare &= !both;
        let via = via.map_or(NOTHING, |via| via as u8);
        self.link::<RECORD>(joins, Join { v: v as u8, w: w as u8, via }, v_mate, w_mate);
    }

    /// Takes every forced edge, then tells what the node is.
    #[inline(always)]
    pub(super) fn settle<const RECORD: bool>(&mut self, near: &Near<B>, joins: &mut Joins) -> Node<B> {
        loop {
            let (bare, end) = (self.bare, self.end);
            let (d0, d1, d2, high) = self.degrees.digits();
            let many = d2 | high;
            let below_two = !(d1 | many);
            let dead = below_two & (bare | (end & !d0));
            if !dead.is_empty() {
                // The last partial path has ends that are mates, so it always comes here.
                let (v, w) = (end.first(), end.without_first());
                let last = bare.is_empty() && !w.is_empty() && w.at_most_one() && near[v & SLOT] & w == w;
                return if last { Node::Tour(v, w.first()) } else { Node::Dead };
            }
            let forced_ends = end & below_two;
            if !forced_ends.is_empty() {
                let v = forced_ends.first();
                let w = self.usable(near, v).first();
                self.join_end::<RECORD>(near, joins, v, w);
                continue;
            }
            let two = d1 & !d0 & !many;
            let forced_bare = bare & two;
            if !forced_bare.is_empty() {
                let via = forced_bare.first();
                let ends = near[via & SLOT] & (bare | end);
                let (v, w) = (ends.first(), ends.without_first().first());
                if self.mate(v) == w {
                    // A short cycle. Were it the whole tour, v would have been a forced end before.
                    return Node::Dead;
                }
                self.join_any::<RECORD>(near, joins, (v, w), Some(via));
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
            return Node::Branch(v, self.usable(near, v));
        }
    }
}
