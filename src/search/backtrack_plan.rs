//! Plans of the path-extension search: they split it into units, each of which begins with another
//! prefix.
//!
//! **Paths.** One start square of each orbit (the fundamental region) is searched. A path from s to
//! e, reversed, is a path from e to s. So only ends in the orbit of the start or in a later orbit
//! are searched, and each path that ends in a later orbit counts twice.
//!
//! **Closed tours.** The root is a square with the fewest neighbours. A tour leaves it to one
//! neighbour x and returns from another, y; going from x to y with x < y takes each tour in one
//! direction only. One pair {x, y} of each orbit under the stabiliser of the root is searched.
//!
//! **Prefixes.** Roots are extended by moves. As long as some symmetry fixes every square of the
//! prefix, one move of each orbit under these symmetries is enough.
//!
//! **Order.** Units are numbered in the order in which a depth-first walk meets them: starts
//! ascending, then moves in the given order. A plan [in plain
//! order](BacktrackPlan::new_in_plain_order) uses no symmetry: its units, one after another, visit
//! the same tours as plain backtracking.

#[cfg(test)]
mod tests;
use crate::board::Bitboard;
use crate::control::Control;
use crate::tour::Kind;

use super::backtrack::{Backtrack, MoveOrder};
use super::bitboard_graph::BitboardGraph;
use super::problem::{MAX_UNITS, Problem, ProblemError};

/// A start of the search: the first squares of a path, and the squares on which its tours may end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// The first squares of the path: the start, and for closed tours also a neighbour of the
    /// start.
    pub path: Vec<u32>,
    /// The squares on which a tour may end, as a bit set.
    pub ends: u128,
    /// Number of roots that are equivalent to this root under symmetry, itself included.
    pub size: u64,
    /// Indices of the group elements that fix every square of `path` and preserve the set `ends`.
    residual: Vec<u32>,
}

/// A unit of work: the search for all tours that begin with a given prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BacktrackUnit {
    /// Index of the unit's root in [`BacktrackPlan::roots`].
    pub root: u32,
    /// The squares of the prefix, the start included.
    pub prefix: Box<[u8]>,
    /// Number of prefixes of the same root that are equivalent to this prefix, itself included.
    pub weight: u64,
}

/// A path-extension search, split into numbered units.
#[derive(Clone, Debug)]
pub struct BacktrackPlan {
    problem: Problem,
    tables: BitboardGraph,
    roots: Vec<Root>,
    units: Vec<BacktrackUnit>,
    split_depth: u32,
}

impl BacktrackPlan {
    /// Splits the search for the tours of a problem into units for counting, with use of symmetry.
    /// `split_depth` is the number of moves in each prefix. Default: the least depth that gives
    /// 1024 units (8192 from 36 squares on, 131072 from 42 on, so that in a run of hours no unit
    /// takes more than seconds).
    ///
    /// # Errors
    /// The given depth makes more than [`MAX_UNITS`] units.
    pub fn new<B: Bitboard>(
        problem: Problem,
        order: &impl MoveOrder<B>,
        split_depth: Option<u32>,
    ) -> Result<Self, ProblemError> {
        let plan = Self::new_under(problem, order, split_depth, &Control::new())?;
        Ok(plan.expect("the control is never cancelled"))
    }

    /// Splits a problem as [`BacktrackPlan::new`] does. Returns `None` if the control is cancelled
    /// before the plan is complete.
    ///
    /// # Errors
    /// As for [`BacktrackPlan::new`].
    pub fn new_under<B: Bitboard>(
        problem: Problem,
        order: &impl MoveOrder<B>,
        split_depth: Option<u32>,
        control: &Control,
    ) -> Result<Option<Self>, ProblemError> {
        let roots = match problem.kind() {
            Kind::Closed => closed_roots(&problem),
            Kind::Open | Kind::Paths => path_roots(&problem),
        };
        let target = match problem.graph().len() {
            0..36 => 1 << 10,
            36..42 => 1 << 13,
            42.. => 1 << 17,
        };
        Self::split(problem, roots, order, (split_depth, target), control)
    }

    /// Splits the search for the tours of a problem into units for listing, in the order of plain
    /// backtracking. If `directed` is true, each tour is listed in both directions. Otherwise a
    /// path starts at its lower end, and a closed tour at its lowest square, towards the lower
    /// neighbour of this square in the tour. Default of `split_depth`: the least depth that gives
    /// 1024 units.
    ///
    /// # Errors
    /// The given depth makes more than [`MAX_UNITS`] units.
    pub fn new_in_plain_order<B: Bitboard>(
        problem: Problem,
        order: &impl MoveOrder<B>,
        directed: bool,
        split_depth: Option<u32>,
    ) -> Result<Self, ProblemError> {
        let roots = plain_roots(&problem, order, directed);
        let plan = Self::split(problem, roots, order, (split_depth, 1 << 10), &Control::new())?;
        Ok(plan.expect("the control is never cancelled"))
    }

    /// Extends all prefixes by one move at a time, until they have `split_depth` moves or, without
    /// a split depth, until there are `target` units. Returns `None` if the control is cancelled.
    fn split<B: Bitboard>(
        problem: Problem,
        roots: Vec<Root>,
        order: &impl MoveOrder<B>,
        (split_depth, target): (Option<u32>, usize),
        control: &Control,
    ) -> Result<Option<Self>, ProblemError> {
        let tables = BitboardGraph::new(problem.graph()).with_required(problem.required());
        let mut plan = Self { problem, tables, roots, units: Vec::new(), split_depth: 0 };
        let mut leaves = plan.root_leaves::<B>(order);
        let mut depth = 0;
        loop {
            if control.is_cancelled() {
                return Ok(None);
            }
            if leaves.len() > MAX_UNITS {
                return Err(ProblemError::TooManyUnits(split_depth.unwrap_or(depth)));
            }
            let enough = split_depth.map_or(leaves.len() >= target, |depth_limit| depth >= depth_limit);
            if enough || !leaves.iter().any(|leaf| leaf.has_moves) {
                break;
            }
            depth += 1;
            let deeper = |leaf: Leaf| {
                if control.is_cancelled() { Vec::new() } else { plan.expand_leaf::<B>(leaf, depth, order) }
            };
            leaves = leaves.into_iter().flat_map(deeper).collect();
        }
        plan.split_depth = split_depth.unwrap_or(depth);
        plan.units = leaves.into_iter().map(|leaf| leaf.unit).collect();
        Ok(Some(plan))
    }

    /// Returns one leaf of the planning tree for each root with which a tour may begin.
    fn root_leaves<B: Bitboard>(&self, order: &impl MoveOrder<B>) -> Vec<Leaf> {
        let leaf = |(number, root): (u32, &Root)| {
            let prefix = root.path.iter().map(|&v| v as u8).collect();
            let unit = BacktrackUnit { root: number, prefix, weight: 1 };
            let node = self.unit_kernel::<B>(&unit);
            Leaf::new(&node, unit, root.residual.clone(), order)
        };
        (0..).zip(&self.roots).filter_map(leaf).collect()
    }

    /// Returns the children of a leaf, each of which extends the prefix by one move. A leaf whose
    /// prefix has `depth` moves or is a tour is returned unchanged.
    fn expand_leaf<B: Bitboard>(&self, leaf: Leaf, depth: u32, order: &impl MoveOrder<B>) -> Vec<Leaf> {
        if !leaf.has_moves || leaf.unit.prefix.len() as u32 > depth {
            return vec![leaf];
        }
        let Leaf { unit: BacktrackUnit { root, weight, .. }, residual, .. } = &leaf;
        let elements = self.problem.search_group().elements();
        let node = self.unit_kernel::<B>(&leaf.unit);
        let child = |v: usize| {
            let image = |g: u32| elements[g as usize].image[v] as usize;
            if residual.iter().any(|&g| image(g) < v) {
                return None;
            }
            let fixing: Vec<u32> = residual.iter().copied().filter(|&g| image(g) == v).collect();
            let alike = (residual.len() / fixing.len()) as u64;
            let mut child = node.clone();
            child.extend(v);
            let unit = BacktrackUnit { root: *root, prefix: child.path().into(), weight: weight * alike };
            Leaf::new(&child, unit, fixing, order)
        };
        node.live_moves(order).into_iter().filter_map(child).collect()
    }

    /// Returns the problem whose search is split.
    #[must_use]
    pub const fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Returns the starts of the search, with the squares on which their tours may end.
    #[must_use]
    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// Returns the units in the order of their numbers.
    #[must_use]
    pub fn units(&self) -> &[BacktrackUnit] {
        &self.units
    }

    /// Returns the number of moves to which prefixes were extended. A unit whose prefix is a whole
    /// tour may have fewer moves.
    #[must_use]
    pub const fn split_depth(&self) -> u32 {
        self.split_depth
    }

    /// Returns the search for the tours that begin with the prefix of `unit`.
    #[must_use]
    pub fn unit_kernel<B: Bitboard>(&self, unit: &BacktrackUnit) -> Backtrack<B> {
        let root = &self.roots[unit.root as usize];
        let mut kernel = Backtrack::from_bitboard_graph(
            &self.tables,
            usize::from(unit.prefix[0]),
            B::from_wide(root.ends),
        );
        for &v in &unit.prefix[1..] {
            kernel.extend(usize::from(v));
        }
        kernel
    }
}

/// A leaf of the planning tree: a unit, and the symmetries that fix every square of its prefix.
struct Leaf {
    unit: BacktrackUnit,
    residual: Vec<u32>,
    /// True if the prefix can be extended, because it is not a whole tour.
    has_moves: bool,
}

impl Leaf {
    /// Creates a leaf. Returns `None` if no tour begins with the prefix of the unit.
    fn new<B: Bitboard>(
        node: &Backtrack<B>,
        unit: BacktrackUnit,
        residual: Vec<u32>,
        order: &impl MoveOrder<B>,
    ) -> Option<Self> {
        let open = !node.is_tour();
        (!open || !node.live_moves(order).is_empty()).then_some(Self { unit, residual, has_moves: open })
    }
}

fn vertex_set(vertices: impl IntoIterator<Item = u32>) -> u128 {
    vertices.into_iter().fold(0, |set, v| set | 1 << v)
}

/// Returns the roots of a search for paths. The start is the fixed start or end. If no end is
/// fixed, the starts are the squares of the fundamental region, and the ends lie in the orbit of
/// the start or in a later orbit.
fn path_roots(problem: &Problem) -> Vec<Root> {
    let elements = problem.search_group().elements();
    let fixing = |v: u32| {
        (0..elements.len() as u32).filter(|&g| elements[g as usize].image[v as usize] == v).collect()
    };
    let mut roots: Vec<Root> = Vec::new();
    if let Some(start) = problem.start().or(problem.end()) {
        let ends = match (problem.start(), problem.end()) {
            (Some(_), Some(end)) => vertex_set([end]),
            _ => vertex_set((0..problem.graph().len() as u32).filter(|&v| v != start)),
        };
        roots.push(Root { path: vec![start], ends, size: 1, residual: fixing(start) });
    } else {
        let orbits = problem.search_group().orbits();
        for (i, orbit) in orbits.iter().enumerate() {
            let ends = vertex_set(orbits[i..].iter().flatten().copied());
            let (start, size) = (orbit[0], orbit.len() as u64);
            roots.push(Root { path: vec![start], ends, size, residual: fixing(start) });
        }
    }
    restrict_to_possible_ends(problem, roots)
}

/// Returns the roots of a search for closed tours. All roots start at the same square, which has
/// the fewest neighbours. Each root stands for one pair of neighbours of the start: a tour leaves
/// to one of them and returns from the other. Each orbit of such pairs under the stabiliser of the
/// start has one root.
fn closed_roots(problem: &Problem) -> Vec<Root> {
    let graph = problem.graph();
    if problem.end_classes().is_empty() {
        return Vec::new();
    }
    let root = (0..graph.len()).min_by_key(|&v| graph.degree(v)).expect("classes need squares");
    let fixing = problem.search_group().stabiliser(|image| image[root] as usize == root);
    let neighbours = graph.neighbours(root);
    let required: Vec<u32> = problem.required_neighbours(root as u32).collect();
    let mut roots = Vec::new();
    for (i, &x) in neighbours.iter().enumerate() {
        for &y in &neighbours[i + 1..] {
            let pairs = fixing.orbit_of(|image| {
                let (x, y) = (image[x as usize], image[y as usize]);
                (x.min(y), x.max(y))
            });
            let has_required = required.iter().all(|v| [x, y].contains(v));
            if pairs[0] < (x, y) || !has_required {
                continue;
            }
            let residual = (0..problem.search_group().order() as u32)
                .filter(|&g| {
                    let image = &problem.search_group().elements()[g as usize].image;
                    [root as u32, x, y].iter().all(|&v| image[v as usize] == v)
                })
                .collect();
            let size = pairs.len() as u64;
            roots.push(Root { path: vec![root as u32, x], ends: vertex_set([y]), size, residual });
        }
    }
    roots
}

/// Returns one root for each possible start, without use of symmetry.
fn plain_roots<B: Bitboard>(problem: &Problem, order: &impl MoveOrder<B>, directed: bool) -> Vec<Root> {
    let len = problem.graph().len() as u32;
    let identity = vec![0];
    let root = |start: u32, ends: u128| Root { path: vec![start], ends, size: 1, residual: identity.clone() };
    let roots = match (problem.kind(), problem.start()) {
        (Kind::Closed, start) if len > 2 => {
            // Without a fixed start both directions come from the lowest square; the caller drops one of
            // them.
            let start = start.unwrap_or(0);
            let ends = vertex_set(problem.graph().neighbours(start as usize).iter().copied());
            let required = vertex_set(problem.required_neighbours(start));
            if required == 0 {
                vec![root(start, ends)]
            } else {
                // A required move is the first or the last move of a tour.
                let kernel = Backtrack::new(problem.graph(), start as usize, B::from_wide(ends));
                let root_of_move = |v: usize| {
                    let missing = required & !(1 << v);
                    let ends = if missing == 0 { ends & !(1 << v) } else { missing };
                    Root { path: vec![start, v as u32], ..root(start, ends) }
                };
                kernel.live_moves(order).into_iter().map(root_of_move).collect()
            }
        }
        (Kind::Closed, _) => Vec::new(),
        (_, start) => {
            let starts = start.map_or(0..len, |s| s..s + 1);
            starts
                .map(|s| {
                    let lower = if directed || problem.has_fixed_end() { 0 } else { s };
                    let ends = problem
                        .end()
                        .map_or_else(|| vertex_set((lower..len).filter(|&e| e != s)), |e| vertex_set([e]));
                    root(s, ends & !vertex_set([s]))
                })
                .collect()
        }
    };
    restrict_to_possible_ends(problem, roots)
}

/// Removes from each root the ends that no tour of the requested kind can have, then removes the
/// roots without any end.
fn restrict_to_possible_ends(problem: &Problem, mut roots: Vec<Root>) -> Vec<Root> {
    let pairs = match problem.kind() {
        Kind::Closed => return if problem.end_classes().is_empty() { Vec::new() } else { roots },
        Kind::Open | Kind::Paths => problem.end_pairs(),
    };
    for root in &mut roots {
        root.ends &= vertex_set(pairs.iter().filter_map(|&(v, w)| match root.path[0] {
            s if s == v => Some(w),
            s if s == w => Some(v),
            _ => None,
        }));
    }
    roots.retain(|root| root.ends != 0);
    roots
}
