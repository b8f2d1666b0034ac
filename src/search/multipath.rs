//! The multi-path kernel: grow all pieces of a tour at once.
//!
//! A node is a set of chosen edges that forms disjoint partial paths. A square is
//! *bare* (no chosen edge), an *end* (one; its *mate* is the other end of its
//! partial path) or *inner* (two). An edge is usable if neither square is inner
//! and it does not join an end to its mate, which would close a short cycle. So
//! the usable edges follow from two bitboards and the mates, and nothing is ever
//! deleted one by one:
//!
//! ```text
//! usable(v) = near(v) & (bare | end) - mate(v)
//! ```
//!
//! A bare square needs two usable edges, an end one. With fewer it is dead, with
//! just as many they are forced. With no forced edge left, branch at the end with
//! the fewest choices: Warnsdorff's rule applied to every partial path at once.
//! The choices at one end exclude each other, so children need no bookkeeping.
//!
//! ```text
//!   x . .        o is bare and has two usable edges left, to the x's: both are
//!   . . x        forced. The x's become ends or, if they were ends already,
//!   o . .        inner squares, and their other edges go.
//! ```
//!
//! The usable degrees of all squares are kept *bit-sliced*: bit `v` of
//! `degree[k]` is bit `k` of the degree of `v`. Making a square inner subtracts
//! its neighbour mask in a few word operations, and the dead, the forced and the
//! best branching squares of the whole board fall out of a few more, with no loop
//! over squares. A node costs two to three joins of about 15 ns each.
//!
//! A Hamiltonian path from s to e is a Hamiltonian cycle through an extra edge
//! s-e: an apex vertex joined to every square, whose two edges are chosen first.
//! One kernel serves closed tours and paths.
//!
//! Sources: Selby 1970 and Martello 1983 (edge choice); Knuth, TAOCP 7.2.2.4
//! (2025), whose programs keep the edges in sparse sets instead.

use std::ops::ControlFlow;

use crate::board::{Bitboard, Graph};

use super::probe::Random;
use super::visitor::{Found, POLL_INTERVAL, Visitor};

/// Bit planes of a degree.
const PLANES: usize = 4;
/// Most neighbours that a vertex may have.
pub const MAX_DEGREE: usize = (1 << PLANES) - 1;
/// Room for the squares of the largest bitboard.
const SLOTS: usize = 128;
const SLOT: usize = SLOTS - 1;
/// In a [`Join`]: no square in between.
const NOTHING: u8 = u8::MAX;

/// A partial solution: the role of every square, the usable degrees of bare squares and ends (those of
/// inner squares mean nothing), and for each end the other end of its partial path. A bare square is its
/// own mate.
#[derive(Clone, Copy, Debug)]
struct State<B: Bitboard> {
    bare: B,
    end: B,
    degree: [B; PLANES],
    mate: B::Bytes,
    joined: usize,
}

/// Two squares joined, directly or through the bare square `via`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Join {
    v: u8,
    w: u8,
    via: u8,
}

/// An end to branch at, with the choices not yet tried.
#[derive(Clone, Copy, Debug)]
struct Frame<B: Bitboard> {
    state: State<B>,
    choices: B,
    at: usize,
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

type Near<B> = [B; SLOTS];
type Joins = [Join; SLOTS];

impl<B: Bitboard> State<B> {
    #[inline(always)]
    fn mate(&self, v: usize) -> usize {
        B::byte(&self.mate, v)
    }

    #[inline(always)]
    fn usable(&self, near: &Near<B>, v: usize) -> B {
        near[v & SLOT] & (self.bare | self.end) & !B::of(self.mate(v))
    }

    /// Takes one from the degree of every square in `set`.
    #[inline(always)]
    fn decrease(&mut self, set: B) {
        let mut borrow = set;
        for plane in &mut self.degree {
            *plane ^= borrow;
            borrow &= *plane;
        }
    }

    /// The same for three sets at once: a full adder, then one subtraction of a two-bit number.
    #[inline(always)]
    fn decrease3(&mut self, a: B, b: B, c: B) {
        let ab = a ^ b;
        let (ones, twos) = (ab ^ c, (a & b) | (ab & c));
        let [d0, d1, d2, d3] = &mut self.degree;
        let borrow = ones & !*d0;
        *d0 ^= ones;
        let change = twos ^ borrow;
        let borrow = (twos & borrow) | (change & !*d1);
        *d1 ^= change;
        *d2 ^= borrow;
        *d3 ^= borrow & *d2;
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
    fn join_end<const RECORD: bool>(&mut self, near: &Near<B>, joins: &mut Joins, v: usize, w: usize) {
        let (v_mate, w_mate) = (self.mate(v), self.mate(w));
        let from_v = near[v & SLOT] & !B::of(v_mate);
        let from_w = B::select(self.end.contains(w), near[w & SLOT] & !B::of(w_mate));
        self.decrease3(from_v, from_w, Self::mates_joined(near, v_mate, w_mate));
        self.end ^= B::of(v) | B::of(w);
        self.bare &= !B::of(w);
        self.link::<RECORD>(joins, Join { v: v as u8, w: w as u8, via: NOTHING }, v_mate, w_mate);
    }

    /// Joins `v` and `w`, each an end or a bare square, not each other's mates: directly, or through
    /// the bare square `via` if `lost` is its only two usable neighbours, `v` and `w`.
    #[inline(always)]
    fn join_any<const RECORD: bool>(
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
            self.decrease(both);
            self.bare = self.bare.without(via);
        }
        self.decrease3(from_v, from_w, Self::mates_joined(near, v_mate, w_mate));
        self.end ^= both;
        self.bare &= !both;
        let via = via.map_or(NOTHING, |via| via as u8);
        self.link::<RECORD>(joins, Join { v: v as u8, w: w as u8, via }, v_mate, w_mate);
    }

    /// Takes every forced edge, then tells what the node is.
    #[inline(always)]
    fn settle<const RECORD: bool>(&mut self, near: &Near<B>, joins: &mut Joins) -> Node<B> {
        loop {
            let (bare, end) = (self.bare, self.end);
            let [d0, d1, d2, d3] = self.degree;
            let many = d2 | d3;
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
                best = end & d2 & !(d3 | d1 | d0);
            }
            if best.is_empty() {
                best = end;
            }
            let v = best.last();
            return Node::Branch(v, self.usable(near, v));
        }
    }
}

/// A tour as the kernel leaves it: the edges chosen.
struct Edges<'a> {
    joins: &'a [Join],
    last: (usize, usize),
    ends: Option<(usize, usize)>,
}

impl Found for Edges<'_> {
    fn last(&self) -> usize {
        self.ends.map_or(0, |(_, end)| end)
    }

    fn sequence(&self, out: &mut Vec<u32>) {
        // Each square has two chosen edges; the extra edge of a path, joined first, comes out as its ends.
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
            if join.via == NOTHING {
                edge(join.v, join.w);
            } else {
                edge(join.v, join.via);
                edge(join.via, join.w);
            }
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

/// What a kernel needs to know of a graph, for bitboards of any width.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    /// Neighbour sets.
    near: Vec<u128>,
    /// Bit-sliced degrees.
    degree: [u128; PLANES],
}

impl Tables {
    pub(super) fn new(graph: &Graph) -> Self {
        let mut degree = [0; PLANES];
        for v in 0..graph.len() {
            assert!(graph.degree(v) <= MAX_DEGREE, "vertex {v} has more than {MAX_DEGREE} neighbours");
            for (k, plane) in degree.iter_mut().enumerate() {
                *plane |= ((graph.degree(v) >> k & 1) as u128) << v;
            }
        }
        Self { near: graph.masks(), degree }
    }
}

/// A partial solution of one graph, and the search below it.
///
/// Memory: about 3 KB for 64 squares, 6 KB for 128, and 20 to 50 KB of stack while searching, whatever
/// the number of tours.
#[derive(Clone, Debug)]
pub struct Multipath<B: Bitboard> {
    near: Near<B>,
    state: State<B>,
    joins: Joins,
    ends: Option<(usize, usize)>,
}

impl<B: Bitboard> Multipath<B> {
    /// Closed tours: nothing chosen yet.
    ///
    /// # Panics
    /// If the graph has more vertices than `B` has bits, or one with more than [`MAX_DEGREE`] neighbours.
    #[must_use]
    pub fn closed(graph: &Graph) -> Self {
        Self::of(&Tables::new(graph))
    }

    /// Paths from `start` to `end`: the extra edge between them is chosen.
    ///
    /// # Panics
    /// As [`Multipath::closed`], or if `start` and `end` are the same.
    #[must_use]
    pub fn paths(graph: &Graph, start: usize, end: usize) -> Self {
        Self::of(&Tables::new(graph)).between(start, end)
    }

    /// Closed tours, from tables made before: a unit's root costs no look at the graph.
    pub(super) fn of(tables: &Tables) -> Self {
        let len = tables.near.len();
        let mut near = [B::EMPTY; SLOTS];
        for (mask, wide) in near.iter_mut().zip(&tables.near) {
            *mask = B::from_wide(*wide);
        }
        let degree = tables.degree.map(B::from_wide);
        let state = State { bare: B::first_n(len), end: B::EMPTY, degree, mate: B::own_index(), joined: 0 };
        Self { near, state, joins: [Join::default(); SLOTS], ends: None }
    }

    /// The same with the extra edge between two squares chosen, so that tours are paths between them.
    pub(super) fn between(mut self, start: usize, end: usize) -> Self {
        assert_ne!(start, end, "a path with an edge has two ends");
        self.state.join_any::<true>(&self.near, &mut self.joins, (start, end), None);
        self.ends = Some((start, end));
        self
    }

    /// Takes all forced edges.
    pub(super) fn settle(&mut self) -> Node<B> {
        self.state.settle::<true>(&self.near, &mut self.joins)
    }

    /// The usable neighbours of a square that is not inner; empty for inner squares.
    pub(super) fn usable(&self, v: usize) -> B {
        if (self.state.bare | self.state.end).contains(v) {
            self.state.usable(&self.near, v)
        } else {
            B::EMPTY
        }
    }

    /// Whether no edge at `v` has been chosen.
    pub(super) fn is_bare(&self, v: usize) -> bool {
        self.state.bare.contains(v)
    }

    /// Chooses the edge between `v` and its usable neighbour `w`.
    pub(super) fn choose(&mut self, v: usize, w: usize) {
        debug_assert!(self.usable(v).contains(w) && self.usable(w).contains(v));
        self.state.join_any::<true>(&self.near, &mut self.joins, (v, w), None);
    }

    /// How many of the graph's `edges` have been ruled out: they are neither chosen nor usable. Every closed
    /// tour rules out edges - n of them, so this tells better than the chosen edges how small the subtree is.
    pub(super) fn ruled_out(&self, edges: usize) -> u32 {
        let alive = self.state.bare | self.state.end;
        let degrees: u32 = (0..PLANES).map(|k| (self.state.degree[k] & alive).count() << k).sum();
        (edges - self.edges().count()) as u32 - degrees / 2
    }

    /// The edges chosen so far, without the extra edge of a path.
    pub(super) fn edges(&self) -> impl Iterator<Item = (u8, u8)> + '_ {
        self.joins[usize::from(self.ends.is_some())..self.state.joined].iter().flat_map(|join| {
            if join.via == NOTHING {
                [Some((join.v, join.w)), None]
            } else {
                [Some((join.v, join.via)), Some((join.via, join.w))]
            }
            .into_iter()
            .flatten()
        })
    }

    /// One random walk down the tree: estimates of the numbers of nodes and of tours (see
    /// [`probe`](super::probe)).
    pub(super) fn probe(&self, random: &mut Random) -> (f64, f64) {
        let mut joins = self.joins;
        let mut state = self.state;
        let (mut nodes, mut width) = (0.0, 1.0);
        loop {
            nodes += width;
            match state.settle::<false>(&self.near, &mut joins) {
                Node::Branch(at, choices) => {
                    let count = choices.count();
                    width *= f64::from(count);
                    let skip = random.below(count);
                    let choice = choices.iter().nth(skip as usize).expect("fewer skipped than there are");
                    state.join_end::<false>(&self.near, &mut joins, at, choice);
                }
                Node::Tour(..) => return (nodes, width),
                Node::Dead | Node::Start => return (nodes, 0.0),
            }
        }
    }

    /// Visits every tour that contains the chosen edges, each once; returns the number of nodes.
    /// Uses BMI instructions where the processor has them.
    ///
    /// # Panics
    /// If nothing is chosen and nothing is forced: there must be an end to branch at.
    pub fn visit<V: Visitor>(&self, visitor: &mut V) -> u64 {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
            fn with_bmi<B: Bitboard, V: Visitor>(root: &Multipath<B>, visitor: &mut V) -> u64 {
                root.search(visitor)
            }
            if crate::cpu::has_bmi() {
                // SAFETY: the processor has the enabled features, as just checked.
                return unsafe { with_bmi(self, visitor) };
            }
        }
        self.search(visitor)
    }

    #[inline(always)]
    fn search<V: Visitor>(&self, visitor: &mut V) -> u64 {
        if V::RECORD { self.search_as::<V, true>(visitor) } else { self.search_as::<V, false>(visitor) }
    }

    #[inline(always)]
    fn search_as<V: Visitor, const RECORD: bool>(&self, visitor: &mut V) -> u64 {
        let near = &self.near;
        let mut joins = self.joins;
        let mut state = self.state;
        let mut frames = [Frame { state, choices: B::EMPTY, at: 0 }; SLOTS];
        let mut depth = 0;
        let mut nodes = 0u64;
        loop {
            nodes += 1;
            if nodes & (POLL_INTERVAL - 1) == 0 && visitor.poll().is_break() {
                return nodes;
            }
            match state.settle::<RECORD>(near, &mut joins) {
                Node::Branch(at, choices) => {
                    frames[depth & SLOT] = Frame { state, choices: choices.without_first(), at };
                    depth += 1;
                    state.join_end::<RECORD>(near, &mut joins, at, choices.first());
                    continue;
                }
                Node::Tour(v, w) => {
                    let joined = if RECORD { state.joined } else { 0 };
                    let found = Edges { joins: &joins[..joined & SLOT], last: (v, w), ends: self.ends };
                    if let ControlFlow::Break(()) = visitor.tour(&found) {
                        return nodes;
                    }
                }
                Node::Dead => {}
                Node::Start => panic!("the search begins with a chosen edge"),
            }
            if depth == 0 {
                return nodes;
            }
            let frame = &mut frames[(depth - 1) & SLOT];
            let choices = frame.choices;
            frame.choices = choices.without_first();
            depth -= usize::from(frame.choices.is_empty());
            let at = frame.at;
            state = frame.state;
            state.join_end::<RECORD>(near, &mut joins, at, choices.first());
        }
    }
}
