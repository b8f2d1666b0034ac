//! Plans of the multipath search: they split it into units, each of which contains other given
//! edges.
//!
//! The search tree is cut in three stages, each exact and deterministic:
//!
//! 1. **Ends.** One representative of each [`EndClass`] of pairs of ends.
//! 2. **Symmetry.** First edges are chosen (`symmetry_breaking`) so that the group H of symmetries
//!    that preserve them is small, mostly trivial.
//! 3. **Depth.** The kernel's own branching is followed until at least `split_depth` edges of the
//!    graph are ruled out. A closed tour on n vertices rules out all edges but n. So this criterion
//!    cuts the tree into subtrees of similar size, much better than a number of moves does.
//!
//! **Order.** Units are numbered in the order in which a depth-first walk meets them: classes by
//! ascending ends, joint choices in lexicographic order of the neighbours taken, then the kernel's
//! branches by ascending neighbour. The order depends only on the board, the kind, fixed ends and
//! the split depth. Each tour of a unit stands for |G|/|H| images of this tour, where G is the
//! group of the problem.
//!
//! The tree is walked once: to go deeper, leaves that are not deep enough are replaced by their
//! children. Cost: some microseconds and 100 bytes a unit.

#[cfg(test)]
mod tests;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::board::Bitboard;
use crate::control::Control;

use super::bitboard_graph::{BitboardGraph, SQUARE_SLOTS, with_bitboard};
use super::multipath::{Multipath, SearchCounts};
use super::path_fragments::Node;
use super::problem::{EndClass, MAX_UNITS, Problem, ProblemError};
use super::symmetry_breaking::{Effort, break_symmetry};
use super::transposition_table::TranspositionPool;

/// Greatest number of rounds of symmetry breaking.
const MAX_SYMMETRY_ROUNDS: u32 = 4;

/// Maximum effort of symmetry breaking, in comparisons of a joint choice with an image, plus nodes.
/// It takes about one core second. Dense graphs with many symmetries exceed it; their searches
/// leave some symmetry.
const MAX_SYMMETRY_EFFORT: usize = 1 << 22;

/// A unit of work: the search for all tours that contain given edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MultipathUnit {
    /// Index, in [`MultipathPlan::classes`], of the class to which the ends of the tours belong.
    pub class: u32,
    /// The given edges as pairs of vertices, in the order in which they were chosen, required moves
    /// first.
    pub edges: Box<[(u8, u8)]>,
    /// Indices of the group elements that preserve the set of given edges. They form the group H,
    /// whose order divides the order of the whole group.
    pub residual: GroupIndices,
    /// Number of edges of the graph that the given edges rule out. The smaller this number, the
    /// larger the unit.
    pub ruled_out: u32,
}

/// The indices of the elements of a group, the identity first. The trivial group, which most units have, takes no
/// memory of its own: threads that plan at once would wait for each other in the allocator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupIndices(Option<Box<[u32]>>);

impl From<&[u32]> for GroupIndices {
    fn from(indices: &[u32]) -> Self {
        Self((indices != TRIVIAL_GROUP).then(|| indices.into()))
    }
}

impl Deref for GroupIndices {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        self.0.as_deref().unwrap_or(TRIVIAL_GROUP)
    }
}

/// Least number of leaves that are expanded on all threads. One thread expands fewer in the time that the others take
/// to start.
const MIN_PARALLEL_LEAVES: usize = 1 << 10;

/// The indices of the group of the identity, which is the first element of every group.
const TRIVIAL_GROUP: &[u32] = &[0];

/// Number of consecutive units in a group of the schedule. The units of a group start one after
/// another, without units of other groups between them.
const SCHEDULE_GROUP_UNITS: usize = 64;

/// A multipath search, split into numbered units.
#[derive(Clone, Debug)]
pub struct MultipathPlan {
    problem: Problem,
    /// Indices of all elements of the problem's search group.
    elements: Vec<u32>,
    tables: BitboardGraph,
    classes: Vec<EndClass>,
    units: Vec<MultipathUnit>,
    split_depth: u32,
    transposition_pool: TranspositionPool,
}

impl MultipathPlan {
    /// Splits the search for the tours of a problem into units. In each unit, at least
    /// `split_depth` edges are ruled out. Default: the least depth that gives 1024 units (4096 from
    /// 36 squares on, 16384 from 40, 32768 from 48), or the depth at which no unit can be split
    /// further.
    ///
    /// # Errors
    /// The given depth makes more than [`MAX_UNITS`] units.
    pub fn new(problem: Problem, split_depth: Option<u32>) -> Result<Self, ProblemError> {
        let plan = Self::new_under(problem, split_depth, &Control::new())?;
        Ok(plan.expect("the control is never cancelled"))
    }

    /// Splits a problem as [`MultipathPlan::new`] does. Returns `None` if the control is cancelled
    /// before the plan is complete.
    ///
    /// # Errors
    /// As for [`MultipathPlan::new`].
    pub fn new_under(
        problem: Problem,
        split_depth: Option<u32>,
        control: &Control,
    ) -> Result<Option<Self>, ProblemError> {
        let width = problem.bitboard_width();
        with_bitboard!(width, B => Self::split::<B>(problem, MAX_SYMMETRY_ROUNDS, split_depth, control))
    }

    /// Creates the coarsest plan, which serves only for estimates: it has one round of symmetry
    /// breaking and no further split. Some symmetry may remain. Then the units may contain a tour
    /// several times, at most as often as the order of the group. Returns `None` if the control is
    /// cancelled.
    ///
    /// # Errors
    /// Even the coarsest plan has more than [`MAX_UNITS`] units.
    pub fn new_coarse(problem: Problem, control: &Control) -> Result<Option<Self>, ProblemError> {
        let width = problem.bitboard_width();
        with_bitboard!(width, B => Self::split::<B>(problem, 1, Some(0), control))
    }

    /// Returns the problem whose search is split.
    #[must_use]
    pub const fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Returns the classes of pairs of ends that tours may have.
    #[must_use]
    pub fn classes(&self) -> &[EndClass] {
        &self.classes
    }

    /// Returns the units in the order of their numbers.
    #[must_use]
    pub fn units(&self) -> &[MultipathUnit] {
        &self.units
    }

    /// Returns the split depth: the least number of edges ruled out in a unit, except in units that
    /// are a single tour.
    #[must_use]
    pub const fn split_depth(&self) -> u32 {
        self.split_depth
    }

    /// Returns the number of tours that each tour of the unit stands for: the number of its images
    /// under the problem's group.
    #[must_use]
    pub fn weight(&self, unit: &MultipathUnit) -> u64 {
        (self.problem.search_group().order() / unit.residual.len()) as u64
    }

    /// Returns the unit numbers in the best order for starting the units. Groups of consecutive
    /// units are sorted by their largest unit, largest first. Consecutive units stay together,
    /// because nodes stored for one unit occur again in the next.
    #[must_use]
    pub fn schedule(&self) -> Vec<u32> {
        let all: Vec<u32> = (0..self.units.len() as u32).collect();
        let mut groups: Vec<&[u32]> = all.chunks(SCHEDULE_GROUP_UNITS).collect();
        let largest = |group: &&[u32]| group.iter().map(|&unit| self.units[unit as usize].ruled_out).min();
        groups.sort_by_key(largest);
        groups.concat()
    }

    /// Returns the search in which the edges of `unit` are already chosen.
    ///
    /// # Panics
    /// If `B` is too narrow for the board.
    #[must_use]
    pub fn unit_root<B: Bitboard>(&self, unit: &MultipathUnit) -> Multipath<B> {
        let mut root = class_root(&self.tables, &self.classes[unit.class as usize]);
        for &(v, w) in &unit.edges {
            root.choose(usize::from(v), usize::from(w));
        }
        root
    }

    /// Counts the tours of a unit, with a transposition table from the plan's pool. The result is
    /// meaningless if `stop` was set during the count.
    ///
    /// # Panics
    /// As for [`MultipathPlan::unit_root`].
    #[must_use]
    pub fn count<B: Bitboard>(&self, unit: &MultipathUnit, stop: &AtomicBool) -> SearchCounts {
        self.transposition_pool.with_table(|endgames| self.unit_root::<B>(unit).count(endgames, stop))
    }

    /// Returns one representative of each coset of the group that preserves the unit's edges.
    /// Representatives are given as indices of group elements. They map the tours of the unit to
    /// all images of these tours, each image exactly once. Cost O(order x squares).
    #[must_use]
    pub fn coset_representatives(&self, unit: &MultipathUnit) -> Cow<'_, [u32]> {
        let elements = self.problem.search_group().elements();
        if unit.residual.len() == 1 {
            return Cow::Borrowed(&self.elements);
        }
        let numbers: HashMap<&[u32], u32> =
            (0..).zip(elements).map(|(g, element)| (element.image.as_slice(), g)).collect();
        let mut covered = vec![false; elements.len()];
        let mut representatives = Vec::new();
        for (g, element) in (0..).zip(elements) {
            if covered[g as usize] {
                continue;
            }
            representatives.push(g);
            for &h in &*unit.residual {
                let inner = &elements[h as usize].image;
                let product: Vec<u32> = inner.iter().map(|&v| element.image[v as usize]).collect();
                let number = numbers.get(product.as_slice()).expect("a group is closed under composition");
                covered[*number as usize] = true;
            }
        }
        representatives.into()
    }
}

fn class_root<B: Bitboard>(tables: &BitboardGraph, class: &EndClass) -> Multipath<B> {
    let root = Multipath::from_bitboard_graph(tables);
    match class.ends {
        None => root,
        Some((start, end)) => root.with_ends(start as usize, end as usize),
    }
}

/// A node of the planning tree after the first round of symmetry breaking.
enum Seed<B: Bitboard> {
    Leaf(Leaf),
    /// A node that symmetries preserve, with its class and the indices of the symmetries.
    Symmetric(Box<Multipath<B>>, u32, Vec<u32>),
}

/// A leaf of the planning tree: a unit that may still be split.
struct Leaf {
    unit: MultipathUnit,
    /// True if the search node with the unit's edges has children.
    has_branches: bool,
}

impl MultipathPlan {
    /// Splits a problem, after at most `rounds` rounds of symmetry breaking.
    fn split<B: Bitboard>(
        problem: Problem,
        rounds: u32,
        split_depth: Option<u32>,
        control: &Control,
    ) -> Result<Option<Self>, ProblemError> {
        let classes = problem.end_classes();
        let mut plan = MultipathPlan {
            tables: BitboardGraph::new(problem.graph()).with_required(problem.required()),
            elements: (0..problem.search_group().order() as u32).collect(),
            problem,
            classes,
            units: Vec::new(),
            split_depth: 0,
            transposition_pool: TranspositionPool::default(),
        };
        // Fewer rounds, which leave some symmetry, if many joint choices meet many pairs of ends.
        let seeds = (0..=rounds).rev().find_map(|rounds| plan.root_leaves::<B>(rounds, control));
        let mut leaves = seeds.expect("without any choice there is one unit for each class");
        let target = match plan.problem.graph().len() {
            0..36 => 1 << 10,
            36..40 => 1 << 12,
            40..48 => 1 << 14,
            48.. => 1 << 15,
        };
        let mut depth = 0;
        loop {
            if control.is_cancelled() {
                return Ok(None);
            }
            if leaves.len() > MAX_UNITS {
                return Err(ProblemError::TooManyUnits(split_depth.unwrap_or(depth)));
            }
            // Only a depth beyond that of the shallowest open leaf changes anything.
            let shallowest =
                leaves.iter().filter(|leaf| leaf.has_branches).map(|leaf| leaf.unit.ruled_out).min();
            let next = shallowest.map(|ruled_out| ruled_out + 1);
            match (next, split_depth) {
                (None, _) => break,
                (Some(next), Some(depth_limit)) if next > depth_limit => break,
                (_, None) if leaves.len() >= target => break,
                (Some(next), _) => depth = next,
            }
            let expand = |mut deeper: Vec<Leaf>, leaf: Leaf| {
                if !control.is_cancelled() {
                    plan.expand_leaf::<B>(leaf, depth, &mut deeper);
                }
                deeper
            };
            leaves = if leaves.len() < MIN_PARALLEL_LEAVES {
                leaves.into_iter().fold(Vec::new(), expand)
            } else {
                let parts: Vec<Vec<Leaf>> = leaves.into_par_iter().fold(Vec::new, expand).collect();
                parts.into_iter().flatten().collect()
            };
        }
        plan.split_depth = split_depth.unwrap_or(depth);
        plan.units = leaves.into_iter().map(|leaf| leaf.unit).collect();
        Ok(Some(plan))
    }
}

impl MultipathPlan {
    /// Returns the leaves of the planning tree after at most `rounds` rounds of symmetry breaking.
    /// Returns `None` if there are more than [`MAX_UNITS`] leaves, or if symmetry breaking exceeds
    /// [`MAX_SYMMETRY_EFFORT`]. The list is incomplete if the control is cancelled.
    ///
    /// The first round is done class by class. Closed tours have one class, so the other rounds are done on all
    /// threads, each for the nodes that still have symmetries.
    fn root_leaves<B: Bitboard>(&self, rounds: u32, control: &Control) -> Option<Vec<Leaf>> {
        let edges = self.problem.graph().edge_count();
        let leaf_count = AtomicUsize::new(0);
        let effort = Effort::new(control, if rounds == 0 { usize::MAX } else { MAX_SYMMETRY_EFFORT });
        let is_over = || leaf_count.load(Ordering::Relaxed) > MAX_UNITS || effort.is_over();
        let leaf = |node: &Multipath<B>, class: u32, residual: &[u32]| {
            leaf_count.fetch_add(1, Ordering::Relaxed);
            let open = matches!(node.clone().propagate(), Node::Branch(..));
            Leaf { unit: new_unit(node, class, residual, edges), has_branches: open }
        };
        let first_round = |(class, EndClass { stabiliser, .. }): (usize, &EndClass)| {
            let (mut seeds, class_number) = (Vec::new(), class as u32);
            if is_over() {
                return seeds;
            }
            let root =
                class_root::<B>(&self.tables, &self.classes[class]).with_edges(self.problem.required());
            break_symmetry(&self.problem, root, stabiliser, rounds.min(1), &effort, &mut |node, residual| {
                seeds.push(if rounds <= 1 || residual.len() == 1 {
                    Seed::Leaf(leaf(node, class_number, residual))
                } else {
                    Seed::Symmetric(Box::new(node.clone()), class_number, residual.to_vec())
                });
            });
            seeds
        };
        let other_rounds = |mut leaves: Vec<Leaf>, seed: Seed<B>| {
            match seed {
                Seed::Leaf(leaf) => leaves.push(leaf),
                Seed::Symmetric(..) if is_over() => {}
                Seed::Symmetric(node, class, residual) => {
                    let mut add =
                        |node: &Multipath<B>, residual: &[u32]| leaves.push(leaf(node, class, residual));
                    break_symmetry(&self.problem, *node, &residual, rounds - 1, &effort, &mut add);
                }
            }
            leaves
        };
        let seeds: Vec<Seed<B>> = self.classes.par_iter().enumerate().flat_map_iter(first_round).collect();
        let leaves: Vec<Vec<Leaf>> = seeds.into_par_iter().fold(Vec::new, other_rounds).collect();
        let leaves: Vec<Leaf> = leaves.into_iter().flatten().collect();
        (leaves.len() <= MAX_UNITS && !effort.is_exceeded()).then_some(leaves)
    }

    /// Adds to `leaves` the nodes below a leaf at which at least `depth` edges are ruled out. A leaf that is
    /// already deep enough is added unchanged.
    fn expand_leaf<B: Bitboard>(&self, leaf: Leaf, depth: u32, leaves: &mut Vec<Leaf>) {
        if !leaf.has_branches || leaf.unit.ruled_out >= depth {
            return leaves.push(leaf);
        }
        let edges = self.problem.graph().edge_count();
        let MultipathUnit { class, residual, .. } = &leaf.unit;
        expand_node(self.unit_root::<B>(&leaf.unit), edges, depth, &mut |node, open| {
            leaves.push(Leaf { unit: new_unit(node, *class, residual, edges), has_branches: open });
        });
    }
}

fn new_unit<B: Bitboard>(node: &Multipath<B>, class: u32, residual: &[u32], edges: usize) -> MultipathUnit {
    let ruled_out = node.ruled_out(edges);
    // One allocation: the number of edges is not known before.
    let (mut chosen, mut len) = ([(0, 0); SQUARE_SLOTS], 0);
    for edge in node.chosen_edges() {
        chosen[len] = edge;
        len += 1;
    }
    MultipathUnit { class, edges: chosen[..len].into(), residual: residual.into(), ruled_out }
}

/// Branches from `node` as the kernel does, until at least `depth` edges are ruled out; `edges` is
/// the number of edges of the graph. Calls `each` with every resulting node, and with true if the
/// node has children.
fn expand_node<B: Bitboard>(
    mut node: Multipath<B>,
    edges: usize,
    depth: u32,
    each: &mut impl FnMut(&Multipath<B>, bool),
) {
    match node.propagate() {
        Node::Dead => {}
        Node::Branch(at, choices) if node.ruled_out(edges) < depth => {
            for choice in choices.iter() {
                let mut child = node.clone();
                child.choose(at, choice);
                expand_node(child, edges, depth, each);
            }
        }
        Node::Branch(..) => each(&node, true),
        Node::Tour(..) => each(&node, false),
        Node::Start => unreachable!("refinement chooses a first edge"),
    }
}
