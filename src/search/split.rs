//! Cutting a multi-path search into units of work.
//!
//! The search tree is cut in three stages, each exact and each deterministic:
//!
//! 1. **Ends.** One representative of each [`Class`] of pairs of ends.
//! 2. **Symmetry.** Let H be the symmetries that keep what has been chosen so far.
//!    Take an orbit of squares under H with the fewest choices and choose the edges
//!    at all its squares at once, in every way. H permutes these choices; keep the
//!    least of each orbit, and go on with its stabiliser as the new H, until H is
//!    trivial (or after `ROUNDS` rounds, for the few choices that stay symmetric).
//! 3. **Depth.** Follow the kernel's own branching until at least `split_depth` edges
//!    of the graph are ruled out. A closed tour rules out edges - n of them, whatever
//!    it is, so this cuts the tree where the subtrees are alike in size, much better
//!    than a number of moves does.
//!
//! ```text
//! 6x6, H of order 8:   . o . . o .    the o's form an orbit; each has 3 neighbours,
//!                      o . . . . o    so 3 ways to choose its two edges: 3^8 joint
//!                      . . . . . .    choices before symmetry, about an eighth after
//!                      . . . . . .
//!                      o . . . . o
//!                      . o . . o .
//! ```
//!
//! **Order.** Units are numbered as a depth-first walk meets them: classes by
//! ascending ends, joint choices in lexicographic order of the neighbours taken,
//! then the kernel's branches by ascending neighbour. It depends on the board, the
//! kind, fixed ends and the split depth, and on nothing else. A unit stands for
//! |G|/|H| images of its tours, G being the group of the problem.
//!
//! Cost: about a microsecond and 100 bytes a unit.

use rayon::prelude::*;

use crate::board::Bitboard;

use super::multipath::{Multipath, Node, Tables};
use super::problem::{Class, ForBitboard, Problem, with_bitboard};

/// How often choices that are still symmetric are refined.
const ROUNDS: u32 = 4;

/// A part of the search: all tours that contain the given edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Which class of ends.
    pub class: u32,
    /// The chosen edges, in the order in which they were chosen.
    pub edges: Box<[(u8, u8)]>,
    /// Numbers of the group's elements that keep the choices (H). Its order divides the group's.
    pub residual: Box<[u8]>,
    /// Edges ruled out: the fewer, the larger the unit.
    pub ruled_out: u32,
}

/// The whole search as a numbered list of units.
#[derive(Clone, Debug)]
pub struct Plan {
    problem: Problem,
    tables: Tables,
    classes: Vec<Class>,
    units: Vec<Unit>,
    split_depth: u32,
}

impl Plan {
    /// Splits a problem to the given depth, or to the default one: the least depth that gives 1024
    /// units (16384 from 40 squares on, 32768 from 48), or the depth at which nothing is left to split.
    #[must_use]
    pub fn new(problem: Problem, split_depth: Option<u32>) -> Self {
        let len = problem.graph().len();
        with_bitboard(len, Make { problem, split_depth })
    }

    /// What is searched.
    #[must_use]
    pub const fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The classes of ends.
    #[must_use]
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// The units in order.
    #[must_use]
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// Edges ruled out in every unit that is not a single tour.
    #[must_use]
    pub const fn split_depth(&self) -> u32 {
        self.split_depth
    }

    /// How many images under the problem's group each tour of the unit stands for.
    #[must_use]
    pub fn weight(&self, unit: &Unit) -> u64 {
        (self.problem.group().order() / unit.residual.len()) as u64
    }

    /// The order in which units are best begun: those that look largest first.
    #[must_use]
    pub fn schedule(&self) -> Vec<u32> {
        let mut schedule: Vec<u32> = (0..self.units.len() as u32).collect();
        schedule.sort_by_key(|&unit| self.units[unit as usize].ruled_out);
        schedule
    }

    /// The kernel at the unit's root.
    ///
    /// # Panics
    /// If `B` is too narrow for the board.
    #[must_use]
    pub fn root<B: Bitboard>(&self, unit: &Unit) -> Multipath<B> {
        let mut root = class_root(&self.tables, &self.classes[unit.class as usize]);
        for &(v, w) in &unit.edges {
            root.choose(usize::from(v), usize::from(w));
        }
        root
    }

    /// Numbers of group elements whose images of the unit's tours are all different and together make
    /// up every image: representatives of the cosets of the residual group.
    #[must_use]
    pub fn images(&self, unit: &Unit) -> Vec<u8> {
        let elements = self.problem.group().elements();
        let mut covered = vec![false; elements.len()];
        let mut representatives = Vec::new();
        for g in 0..elements.len() {
            if covered[g] {
                continue;
            }
            representatives.push(g as u8);
            for &h in &unit.residual {
                let h = &elements[usize::from(h)].image;
                let product = |v: usize| elements[g].image[h[v] as usize];
                let found = elements
                    .iter()
                    .position(|e| (0..e.image.len()).all(|v| e.image[v] == product(v)))
                    .expect("a group is closed under composition");
                covered[found] = true;
            }
        }
        representatives
    }
}

fn class_root<B: Bitboard>(tables: &Tables, class: &Class) -> Multipath<B> {
    let root = Multipath::of(tables);
    match class.ends {
        None => root,
        Some((start, end)) => root.between(start as usize, end as usize),
    }
}

/// A choice without symmetry, or with what is left of it.
struct Seed<B: Bitboard> {
    class: u32,
    node: Multipath<B>,
    residual: Box<[u8]>,
}

struct Make {
    problem: Problem,
    split_depth: Option<u32>,
}

impl ForBitboard for Make {
    type Output = Plan;

    fn run<B: Bitboard>(self) -> Plan {
        let Self { problem, split_depth } = self;
        let classes = problem.classes();
        let tables = Tables::new(problem.graph());
        let edges = problem.graph().edges();
        let seeds: Vec<Seed<B>> = classes
            .par_iter()
            .enumerate()
            .flat_map_iter(|(class, Class { stabiliser, .. })| {
                let mut seeds = Vec::new();
                let root = class_root(&tables, &classes[class]);
                refine(&problem, root, stabiliser, ROUNDS, &mut |node, residual| {
                    seeds.push(Seed { class: class as u32, node: node.clone(), residual: residual.into() });
                });
                seeds
            })
            .collect();
        let split_depth = split_depth.unwrap_or_else(|| {
            let target = match problem.graph().len() {
                0..40 => 1 << 10,
                40..48 => 1 << 14,
                48.. => 1 << 15,
            };
            let enough = |depth| {
                let counts = seeds.par_iter().map(|seed| {
                    let (mut units, mut open) = (0, false);
                    expand(seed.node.clone(), edges, depth, &mut |_, more| {
                        units += 1;
                        open |= more;
                    });
                    (units, open)
                });
                let (units, open) = counts.reduce(|| (0, false), |a, b| (a.0 + b.0, a.1 | b.1));
                units >= target || !open
            };
            // From `edges` on nothing is left to rule out.
            (0..=edges as u32).find(|&depth| enough(depth)).unwrap_or(edges as u32)
        });
        let units = seeds
            .par_iter()
            .flat_map_iter(|seed| {
                let mut units = Vec::new();
                expand(seed.node.clone(), edges, split_depth, &mut |node, _| {
                    units.push(Unit {
                        class: seed.class,
                        edges: node.edges().collect(),
                        residual: seed.residual.clone(),
                        ruled_out: node.ruled_out(edges),
                    });
                });
                units
            })
            .collect();
        Plan { problem, tables, classes, units, split_depth }
    }
}

/// Follows the kernel's branching until `depth` of the graph's `edges` are ruled out; tells each node
/// reached, and whether it branches on.
fn expand<B: Bitboard>(
    mut node: Multipath<B>,
    edges: usize,
    depth: u32,
    each: &mut impl FnMut(&Multipath<B>, bool),
) {
    match node.settle() {
        Node::Dead => {}
        Node::Branch(at, choices) if node.ruled_out(edges) < depth => {
            for choice in choices.iter() {
                let mut child = node.clone();
                child.choose(at, choice);
                expand(child, edges, depth, each);
            }
        }
        Node::Branch(..) => each(&node, true),
        Node::Tour(..) => each(&node, false),
        Node::Start => unreachable!("refinement chooses a first edge"),
    }
}

/// Chooses edges orbit by orbit until no symmetry is left; tells each canonical choice and its stabiliser.
fn refine<B: Bitboard>(
    problem: &Problem,
    mut node: Multipath<B>,
    residual: &[u8],
    rounds: u32,
    each: &mut impl FnMut(&Multipath<B>, &[u8]),
) {
    let settled = node.settle();
    match settled {
        Node::Dead => return,
        Node::Branch(..) if residual.len() == 1 || rounds == 0 => return each(&node, residual),
        Node::Tour(..) => return each(&node, residual),
        Node::Branch(..) | Node::Start => {}
    }
    let orbit = cheapest_orbit(problem, &node, residual);
    let mut choices = Vec::new();
    choose_all(node, &orbit, &mut |node, last| {
        choices.push((edges_at(node, last, &orbit), node.clone()));
    });
    for (edges, node) in choices {
        let mut stabiliser = Vec::with_capacity(residual.len());
        let mut least = true;
        for &g in residual {
            let image = &problem.group().elements()[usize::from(g)].image;
            let mut moved: Vec<(u32, u32)> = edges
                .iter()
                .map(|&(v, w)| {
                    let (gv, gw) = (image[v as usize], image[w as usize]);
                    (gv.min(gw), gv.max(gw))
                })
                .collect();
            moved.sort_unstable();
            match moved.cmp(&edges) {
                std::cmp::Ordering::Less => least = false,
                std::cmp::Ordering::Equal => stabiliser.push(g),
                std::cmp::Ordering::Greater => {}
            }
        }
        if least {
            refine(problem, node, &stabiliser, rounds.saturating_sub(1), each);
        }
    }
}

/// The orbit under `residual` whose squares have the fewest ways to get their missing edges (more than none).
fn cheapest_orbit<B: Bitboard>(problem: &Problem, node: &Multipath<B>, residual: &[u8]) -> Vec<usize> {
    let elements = problem.group().elements();
    let ways = |v: usize| {
        let usable = node.usable(v).count();
        if node.is_bare(v) { usable * usable.saturating_sub(1) / 2 } else { usable }
    };
    let best = (0..problem.graph().len())
        .filter(|&v| ways(v) > 0)
        .min_by_key(|&v| ways(v))
        .expect("an unfinished tour has an unfinished square");
    let mut orbit: Vec<usize> =
        residual.iter().map(|&g| elements[usize::from(g)].image[best] as usize).collect();
    orbit.sort_unstable();
    orbit.dedup();
    orbit
}

/// Gives every square of `orbit` its missing edges in every way that is not dead at once. If that makes
/// a tour, tells its last edge too, which the kernel leaves out.
fn choose_all<B: Bitboard>(
    mut node: Multipath<B>,
    orbit: &[usize],
    each: &mut impl FnMut(&Multipath<B>, Option<(usize, usize)>),
) {
    match node.settle() {
        Node::Dead => return,
        Node::Tour(v, w) => return each(&node, Some((v, w))),
        Node::Branch(..) | Node::Start => {}
    }
    let Some(&v) = orbit.iter().find(|&&v| !node.usable(v).is_empty()) else {
        return each(&node, None);
    };
    let usable = node.usable(v);
    for a in usable.iter() {
        let mut child = node.clone();
        child.choose(v, a);
        if !node.is_bare(v) {
            choose_all(child, orbit, each);
            continue;
        }
        for b in (usable & child.usable(v)).iter().filter(|&b| b > a) {
            let mut grandchild = child.clone();
            grandchild.choose(v, b);
            choose_all(grandchild, orbit, each);
        }
    }
}

/// The chosen edges with a square of `orbit`, and the last one of a tour, sorted.
fn edges_at<B: Bitboard>(
    node: &Multipath<B>,
    last: Option<(usize, usize)>,
    orbit: &[usize],
) -> Vec<(u32, u32)> {
    let mut edges: Vec<(u32, u32)> = node
        .edges()
        .map(|(v, w)| (usize::from(v), usize::from(w)))
        .chain(last)
        .filter(|(v, w)| orbit.contains(v) || orbit.contains(w))
        .map(|(v, w)| (v.min(w) as u32, v.max(w) as u32))
        .collect();
    edges.sort_unstable();
    edges
}
