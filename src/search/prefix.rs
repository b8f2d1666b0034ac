//! Cutting a path-extension search into units of work.
//!
//! **Paths.** One start square of each orbit (the fundamental region). A path from
//! s to e is the reverse of one from e to s, so only ends in the same or a later
//! orbit are searched, and those in a later one count for both.
//!
//! **Closed tours.** The root is a square with the fewest neighbours. A tour leaves
//! it by one neighbour x and comes back by another, y; going from x to y with
//! x < y takes each tour in one direction only. One pair {x, y} of each orbit under
//! the root's stabiliser is searched.
//!
//! Then prefixes of moves: as long as some symmetry fixes every square of the
//! prefix, one move of each orbit under those symmetries is enough.
//!
//! **Order.** Units are numbered as a depth-first walk meets them: starts
//! ascending, then moves in the order given. A plan made [in plain
//! order](PrefixPlan::in_order) uses no symmetry at all: its units, one after the
//! other, are plain backtracking.

use crate::board::Bitboard;
use crate::tour::Kind;

use super::backtrack::Backtrack;
use super::order::MoveOrder;
use super::problem::Problem;

/// Where a search begins and where it may end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// The first squares: the start, and for closed tours the neighbour after it.
    pub path: Vec<u32>,
    /// Allowed last squares, as a set.
    pub ends: u128,
    /// How many roots are alike.
    pub size: u64,
    /// Numbers of the group's elements that fix the path and keep the ends.
    residual: Vec<u8>,
}

/// All tours that begin with a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixUnit {
    /// Which root.
    pub root: u32,
    /// The moves made, the start included.
    pub prefix: Box<[u8]>,
    /// How many prefixes of the root are alike.
    pub weight: u64,
}

/// A path-extension search as a numbered list of units.
#[derive(Clone, Debug)]
pub struct PrefixPlan {
    problem: Problem,
    roots: Vec<Root>,
    units: Vec<PrefixUnit>,
    split_depth: u32,
}

impl PrefixPlan {
    /// Splits a problem for counting, with symmetry. The default depth is the least that gives 1024 units.
    #[must_use]
    pub fn new<B: Bitboard>(problem: Problem, order: &impl MoveOrder<B>, split_depth: Option<u32>) -> Self {
        let roots = match problem.kind() {
            Kind::Closed => closed_roots(&problem),
            Kind::Open | Kind::Paths => path_roots(&problem),
        };
        Self::split(problem, roots, order, split_depth)
    }

    /// Splits a problem for listing in the order of plain backtracking. `directed` keeps both directions;
    /// otherwise a path comes from its lower end, a closed tour from its lowest square towards the lower
    /// neighbour.
    #[must_use]
    pub fn in_order<B: Bitboard>(
        problem: Problem,
        order: &impl MoveOrder<B>,
        directed: bool,
        split_depth: Option<u32>,
    ) -> Self {
        let roots = plain_roots(&problem, directed);
        Self::split(problem, roots, order, split_depth)
    }

    fn split<B: Bitboard>(
        problem: Problem,
        roots: Vec<Root>,
        order: &impl MoveOrder<B>,
        split_depth: Option<u32>,
    ) -> Self {
        let count = |depth| {
            let (mut units, mut open) = (0, false);
            for root in &roots {
                let moves = root.path.len() as u32 - 1;
                walk(&problem, begin::<B>(&problem, root), order, (moves, depth), root, &mut |_, _, more| {
                    units += 1;
                    open |= more;
                });
            }
            (units, open)
        };
        let split_depth = split_depth.unwrap_or_else(|| {
            (0..)
                .find(|&depth| {
                    let (units, open) = count(depth);
                    units >= 1 << 10 || !open
                })
                .expect("a finite tree ends")
        });
        let mut units = Vec::new();
        for (i, root) in roots.iter().enumerate() {
            let moves = root.path.len() as u32 - 1;
            let start = begin::<B>(&problem, root);
            walk(&problem, start, order, (moves, split_depth), root, &mut |node, weight, _| {
                units.push(PrefixUnit { root: i as u32, prefix: node.path().into(), weight });
            });
        }
        Self { problem, roots, units, split_depth }
    }

    /// What is searched.
    #[must_use]
    pub const fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Starts and allowed ends.
    #[must_use]
    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// The units in order.
    #[must_use]
    pub fn units(&self) -> &[PrefixUnit] {
        &self.units
    }

    /// Moves in a prefix.
    #[must_use]
    pub const fn split_depth(&self) -> u32 {
        self.split_depth
    }

    /// The kernel at the unit's prefix.
    #[must_use]
    pub fn kernel<B: Bitboard>(&self, unit: &PrefixUnit) -> Backtrack<B> {
        let root = &self.roots[unit.root as usize];
        let mut kernel =
            Backtrack::new(self.problem.graph(), usize::from(unit.prefix[0]), B::from_wide(root.ends));
        for &v in &unit.prefix[1..] {
            kernel.extend(usize::from(v));
        }
        kernel
    }
}

fn begin<B: Bitboard>(problem: &Problem, root: &Root) -> Backtrack<B> {
    let mut kernel = Backtrack::new(problem.graph(), root.path[0] as usize, B::from_wide(root.ends));
    for &v in &root.path[1..] {
        kernel.extend(v as usize);
    }
    kernel
}

/// Follows the moves down to a prefix of `depth` moves; tells each prefix, its weight, and whether it goes on.
fn walk<B: Bitboard>(
    problem: &Problem,
    start: Backtrack<B>,
    order: &impl MoveOrder<B>,
    (moves, depth): (u32, u32),
    root: &Root,
    each: &mut impl FnMut(&Backtrack<B>, u64, bool),
) {
    fn go<B: Bitboard>(
        problem: &Problem,
        node: &Backtrack<B>,
        order: &impl MoveOrder<B>,
        (moves, depth): (u32, u32),
        (residual, weight): (&[u8], u64),
        each: &mut impl FnMut(&Backtrack<B>, u64, bool),
    ) {
        if node.is_tour() {
            return each(node, weight, false);
        }
        let next = node.moves(order);
        if next.is_empty() {
            return;
        }
        if moves >= depth {
            return each(node, weight, true);
        }
        let elements = problem.group().elements();
        for v in next {
            let image = |g: u8| elements[usize::from(g)].image[v] as usize;
            if residual.iter().any(|&g| image(g) < v) {
                continue;
            }
            let fixing: Vec<u8> = residual.iter().copied().filter(|&g| image(g) == v).collect();
            let alike = (residual.len() / fixing.len()) as u64;
            let mut child = node.clone();
            child.extend(v);
            go(problem, &child, order, (moves + 1, depth), (&fixing, weight * alike), each);
        }
    }
    go(problem, &start, order, (moves, depth), (&root.residual, 1), each);
}

fn set(vertices: impl IntoIterator<Item = u32>) -> u128 {
    vertices.into_iter().fold(0, |set, v| set | 1 << v)
}

/// The fundamental region with the ends in the same or a later orbit; or the fixed start or end.
fn path_roots(problem: &Problem) -> Vec<Root> {
    let elements = problem.group().elements();
    let fixing = |v: u32| {
        (0..elements.len() as u8).filter(|&g| elements[usize::from(g)].image[v as usize] == v).collect()
    };
    let mut roots: Vec<Root> = Vec::new();
    if let Some(start) = problem.start().or(problem.end()) {
        let ends = match (problem.start(), problem.end()) {
            (Some(_), Some(end)) => set([end]),
            _ => set((0..problem.graph().len() as u32).filter(|&v| v != start)),
        };
        roots.push(Root { path: vec![start], ends, size: 1, residual: fixing(start) });
    } else {
        let orbits = problem.group().orbits();
        for (i, orbit) in orbits.iter().enumerate() {
            let ends = set(orbits[i..].iter().flatten().copied());
            let (start, size) = (orbit[0], orbit.len() as u64);
            roots.push(Root { path: vec![start], ends, size, residual: fixing(start) });
        }
    }
    keep_possible(problem, roots)
}

/// Pairs of neighbours of a square with the fewest, one of each orbit under its stabiliser.
fn closed_roots(problem: &Problem) -> Vec<Root> {
    let graph = problem.graph();
    if problem.classes().is_empty() {
        return Vec::new();
    }
    let root = (0..graph.len()).min_by_key(|&v| graph.degree(v)).expect("classes need squares");
    let fixing = problem.group().stabiliser(|image| image[root] as usize == root);
    let near = graph.neighbours(root);
    let mut roots = Vec::new();
    for (i, &x) in near.iter().enumerate() {
        for &y in &near[i + 1..] {
            let mut pairs: Vec<(u32, u32)> = fixing
                .elements()
                .iter()
                .map(|e| (e.image[x as usize], e.image[y as usize]))
                .map(|(x, y)| (x.min(y), x.max(y)))
                .collect();
            if pairs.iter().any(|&pair| pair < (x, y)) {
                continue;
            }
            pairs.sort_unstable();
            pairs.dedup();
            let residual = (0..problem.group().order() as u8)
                .filter(|&g| {
                    let image = &problem.group().elements()[usize::from(g)].image;
                    [root as u32, x, y].iter().all(|&v| image[v as usize] == v)
                })
                .collect();
            let size = pairs.len() as u64;
            roots.push(Root { path: vec![root as u32, x], ends: set([y]), size, residual });
        }
    }
    roots
}

/// Every start by itself, no symmetry.
fn plain_roots(problem: &Problem, directed: bool) -> Vec<Root> {
    let len = problem.graph().len() as u32;
    let identity = vec![0];
    let root = |start: u32, ends: u128| Root { path: vec![start], ends, size: 1, residual: identity.clone() };
    let roots = match (problem.kind(), problem.start()) {
        (Kind::Closed, start) if len > 2 => {
            // Without a start both directions come from the lowest square; the caller drops one of them.
            let start = start.unwrap_or(0);
            vec![root(start, set(problem.graph().neighbours(start as usize).iter().copied()))]
        }
        (Kind::Closed, _) => Vec::new(),
        (_, start) => {
            let starts = start.map_or(0..len, |s| s..s + 1);
            starts
                .map(|s| {
                    let lower = if directed || problem.is_fixed() { 0 } else { s };
                    let ends =
                        problem.end().map_or_else(|| set((lower..len).filter(|&e| e != s)), |e| set([e]));
                    root(s, ends & !set([s]))
                })
                .collect()
        }
    };
    keep_possible(problem, roots)
}

/// Leaves out ends that no tour of the kind can have, and starts that have no end left.
fn keep_possible(problem: &Problem, mut roots: Vec<Root>) -> Vec<Root> {
    let pairs = match problem.kind() {
        Kind::Closed => return if problem.classes().is_empty() { Vec::new() } else { roots },
        Kind::Open | Kind::Paths => problem.pairs(),
    };
    for root in &mut roots {
        root.ends &= set(pairs.iter().filter_map(|&(v, w)| match root.path[0] {
            s if s == v => Some(w),
            s if s == w => Some(v),
            _ => None,
        }));
    }
    roots.retain(|root| root.ends != 0);
    roots
}
