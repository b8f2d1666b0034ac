//! Symmetry breaking: chooses the first edges of a multipath search so that no symmetry remains.
//!
//! Let H be the group of the symmetries that preserve the edges chosen so far. Take an orbit of
//! squares under H whose squares have the fewest ways to choose their edges, and choose the edges
//! at all its squares jointly, in every way. H permutes these joint choices. Keep the least choice
//! of each orbit of choices, and continue with the stabiliser of this choice as the new H, until H
//! is trivial or the choices become too many.
//!
//! ```text
//! 6x6, H of order 8:   . o . . o .    the o's form an orbit; each has 3 neighbours,
//!                      o . . . . o    so 3 ways to choose its two edges: 3^8 joint
//!                      . . . . . .    choices before symmetry, about an eighth after
//!                      . . . . . .
//!                      o . . . . o
//!                      . o . . o .
//! ```

use std::cmp::Ordering;
use std::sync::atomic;
use std::sync::atomic::AtomicUsize;

use crate::board::Bitboard;
use crate::control::Control;

use super::bitboard_graph::{MAX_SQUARES, SLOT_MASK, SQUARE_SLOTS};
use super::multipath::Multipath;
use super::path_fragments::Node;
use super::problem::{Problem, can_choose_jointly};

/// The effort of symmetry breaking. The work stops when the control is cancelled or the limit is
/// exceeded. All threads share one effort. Whether the limit is exceeded does not depend on the
/// number of threads, because work is skipped only after the limit is exceeded.
pub(super) struct Effort<'a> {
    control: &'a Control,
    /// Maximum number of comparisons of a joint choice with an image, plus nodes.
    limit: usize,
    /// Number of comparisons and nodes so far.
    spent: AtomicUsize,
}

impl<'a> Effort<'a> {
    /// Creates an unspent effort with the given limit.
    pub(super) const fn new(control: &'a Control, limit: usize) -> Self {
        Self { control, limit, spent: AtomicUsize::new(0) }
    }

    /// Returns true if the limit is exceeded.
    pub(super) fn is_exceeded(&self) -> bool {
        self.spent.load(atomic::Ordering::Relaxed) > self.limit
    }

    /// Returns true if the work must stop.
    pub(super) fn is_over(&self) -> bool {
        self.is_exceeded() || self.control.is_cancelled()
    }
}

/// The effort of one thread, which adds its work to the common effort from time to time: threads that add
/// millions of small pieces of work at once take twice the time of one.
struct EffortShare<'a> {
    effort: &'a Effort<'a>,
    /// Work that is not yet in the common effort.
    work: usize,
}

impl EffortShare<'_> {
    const MAX_WORK: usize = 1 << 10;

    /// Adds `work` comparisons or nodes. Returns true if the work must stop.
    fn spend(&mut self, work: usize) -> bool {
        self.work += work;
        if self.work >= Self::MAX_WORK {
            self.share();
        }
        self.effort.is_over()
    }

    fn share(&mut self) {
        self.effort.spent.fetch_add(std::mem::take(&mut self.work), atomic::Ordering::Relaxed);
    }
}

impl Drop for EffortShare<'_> {
    fn drop(&mut self) {
        self.share();
    }
}

/// Chooses edges at one orbit of squares after another, from `node` on, until no symmetry of the
/// group `residual` remains or `rounds` rounds are done. Of equivalent choices, only the least is
/// used. Calls `each` with every resulting node and the symmetries that preserve its edges. Stops
/// early, and leaves out some nodes, when the effort is over.
pub(super) fn break_symmetry<B: Bitboard>(
    problem: &Problem,
    node: Multipath<B>,
    residual: &[u32],
    rounds: u32,
    effort: &Effort<'_>,
    each: &mut impl FnMut(&Multipath<B>, &[u32]),
) {
    let mut share = EffortShare { effort, work: 0 };
    break_rounds(problem, node, residual, rounds, &mut share, each);
}

fn break_rounds<B: Bitboard>(
    problem: &Problem,
    mut node: Multipath<B>,
    residual: &[u32],
    rounds: u32,
    effort: &mut EffortShare<'_>,
    each: &mut impl FnMut(&Multipath<B>, &[u32]),
) {
    if effort.spend(0) {
        return;
    }
    let settled = node.propagate();
    let orbit = match settled {
        Node::Dead => return,
        Node::Branch(..) if residual.len() == 1 || rounds == 0 => None,
        Node::Tour(..) => None,
        // At the start an orbit always exists: the problem's search group ensures it.
        Node::Branch(..) | Node::Start => cheapest_orbit(problem, &node, residual),
    };
    let Some(orbit) = orbit else { return each(&node, residual) };
    let mut choices = OrbitChoices::new(&node, &orbit);
    // A choice is used at once: to keep millions of choices would take gigabytes.
    choose_at_orbit(node, &orbit, effort, &mut |node, last, effort| {
        if effort.spend(residual.len()) {
            return;
        }
        if let Some(stabiliser) = choices.stabiliser_of_least(problem, residual, node, last) {
            break_rounds(problem, node.clone(), &stabiliser, rounds.saturating_sub(1), effort, each);
        }
    });
}

/// An edge as one number: keys have the order of the pairs (lower vertex, higher vertex).
type EdgeKey = u16;

// A vertex fits a byte.
const _: () = assert!(MAX_SQUARES <= 256);

const fn edge_key(v: usize, w: usize) -> EdgeKey {
    let (low, high) = if v < w { (v, w) } else { (w, v) };
    (low << 8 | high) as EdgeKey
}

const fn edge_of_key(key: EdgeKey) -> (usize, usize) {
    ((key >> 8) as usize, (key & 0xff) as usize)
}

/// The edges at the squares of an orbit, for one joint choice after another.
struct OrbitChoices {
    is_at_orbit: [bool; SQUARE_SLOTS],
    /// Number of joins before the choices, and the edges at the orbit among them.
    joins_before: usize,
    edges_before: Vec<EdgeKey>,
    /// The edges at the orbit, and their images under a symmetry. Working memory.
    edges: Vec<EdgeKey>,
    images: Vec<EdgeKey>,
}

impl OrbitChoices {
    /// Prepares the choices at `orbit` that are made from `node` on.
    fn new<B: Bitboard>(node: &Multipath<B>, orbit: &[usize]) -> Self {
        let mut is_at_orbit = [false; SQUARE_SLOTS];
        orbit.iter().for_each(|&v| is_at_orbit[v] = true);
        let joins_before = node.join_count();
        let mut edges_before = Vec::new();
        add_edges_at_orbit(&mut edges_before, &is_at_orbit, node, 0);
        Self { is_at_orbit, joins_before, edges_before, edges: Vec::new(), images: Vec::new() }
    }

    /// Returns the elements of the group `residual` that preserve the edges of the joint choice `node`, or `None`
    /// if an element maps them to a lower choice. `last` is the closing edge of a complete tour; it counts as
    /// chosen.
    fn stabiliser_of_least<B: Bitboard>(
        &mut self,
        problem: &Problem,
        residual: &[u32],
        node: &Multipath<B>,
        last: Option<(usize, usize)>,
    ) -> Option<Vec<u32>> {
        let Self { is_at_orbit, edges, images, .. } = self;
        edges.clone_from(&self.edges_before);
        add_edges_at_orbit(edges, is_at_orbit, node, self.joins_before);
        edges.extend(last.filter(|&(v, w)| is_at_orbit[v] || is_at_orbit[w]).map(|(v, w)| edge_key(v, w)));
        edges.sort_unstable();
        let mut stabiliser = Vec::with_capacity(residual.len());
        for &g in residual {
            let element = &problem.search_group().elements()[g as usize].image;
            images.clear();
            images.extend(edges.iter().map(|&edge| {
                let (v, w) = edge_of_key(edge);
                edge_key(element[v] as usize, element[w] as usize)
            }));
            images.sort_unstable();
            match images.as_slice().cmp(edges.as_slice()) {
                Ordering::Less => return None,
                Ordering::Equal => stabiliser.push(g),
                Ordering::Greater => {}
            }
        }
        Some(stabiliser)
    }
}

/// Adds the edges of a node with at least one square in an orbit, those of the first `skip` joins excepted.
fn add_edges_at_orbit<B: Bitboard>(
    edges: &mut Vec<EdgeKey>,
    is_at_orbit: &[bool; SQUARE_SLOTS],
    node: &Multipath<B>,
    skip: usize,
) {
    for join in node.joins_from(skip) {
        for (v, w) in join.edges() {
            let (v, w) = (usize::from(v), usize::from(w));
            if is_at_orbit[v & SLOT_MASK] || is_at_orbit[w & SLOT_MASK] {
                edges.push(edge_key(v, w));
            }
        }
    }
}

/// Returns the orbit of squares under the group `residual` whose squares have the fewest ways to
/// choose their missing edges. Considers only squares with a missing edge, and orbits that allow a
/// joint choice of edges. Returns `None` if there is no such orbit.
fn cheapest_orbit<B: Bitboard>(
    problem: &Problem,
    node: &Multipath<B>,
    residual: &[u32],
) -> Option<Vec<usize>> {
    let elements = problem.search_group().elements();
    let mut untried = B::first_n(problem.graph().len());
    loop {
        let (ways, squares) = node.squares_with_fewest_ways(untried)?;
        let v = squares.first();
        let mut orbit: Vec<usize> =
            residual.iter().map(|&g| elements[g as usize].image[v] as usize).collect();
        orbit.sort_unstable();
        orbit.dedup();
        if ways > 0 && can_choose_jointly(orbit.len(), ways) {
            return Some(orbit);
        }
        untried = orbit.iter().fold(untried, |squares, &v| squares.without(v));
    }
}

/// Chooses the missing edges of every square of `orbit`, in every way after which the kernel does
/// not rule out a tour immediately. Calls `each` with every resulting node. If a choice completes a
/// tour, also passes the closing edge, which the kernel leaves out.
fn choose_at_orbit<B: Bitboard>(
    mut node: Multipath<B>,
    orbit: &[usize],
    effort: &mut EffortShare<'_>,
    each: &mut impl FnMut(&Multipath<B>, Option<(usize, usize)>, &mut EffortShare<'_>),
) {
    if effort.spend(1) {
        return;
    }
    match node.propagate() {
        Node::Dead => return,
        Node::Tour(v, w) => return each(&node, Some((v, w)), effort),
        Node::Branch(..) | Node::Start => {}
    }
    let Some(&v) = orbit.iter().find(|&&v| !node.usable_neighbours(v).is_empty()) else {
        return each(&node, None, effort);
    };
    let usable = node.usable_neighbours(v);
    for a in usable.iter() {
        let mut child = node.clone();
        child.choose(v, a);
        if !node.is_bare(v) {
            choose_at_orbit(child, orbit, effort, each);
            continue;
        }
        for b in (usable & child.usable_neighbours(v)).iter().filter(|&b| b > a) {
            let mut grandchild = child.clone();
            grandchild.choose(v, b);
            choose_at_orbit(grandchild, orbit, effort, each);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_graphs;
    use super::*;
    use crate::tour::Kind;

    /// A set of chosen edges, and the symmetries that preserve it.
    type ChosenEdgesAndStabiliser = (Vec<(u8, u8)>, Vec<u32>);

    fn collect_choices(problem: &Problem, rounds: u32) -> Vec<ChosenEdgesAndStabiliser> {
        let mut choices = Vec::new();
        let all: Vec<u32> = (0..problem.search_group().order() as u32).collect();
        let (root, control) = (Multipath::<u64>::new_closed(problem.graph()), Control::new());
        let effort = Effort::new(&control, usize::MAX);
        break_symmetry(problem, root, &all, rounds, &effort, &mut |node, residual| {
            choices.push((node.chosen_edges().collect(), residual.to_vec()));
        });
        choices
    }

    #[test]
    fn break_symmetry_leaves_little_symmetry() {
        let problem = test_graphs::unrestricted_problem(&test_graphs::knight_graph(6, 6), Kind::Closed);
        let choices = collect_choices(&problem, 4);
        let trivial = choices.iter().filter(|(_, residual)| residual.len() == 1).count();
        assert!(trivial * 10 > choices.len() * 9, "{trivial} of {}", choices.len());
        assert!(choices.iter().all(|(_, residual)| residual[0] == 0 && 8 % residual.len() == 0));
    }

    #[test]
    fn residual_group_preserves_choice() {
        let problem = test_graphs::unrestricted_problem(&test_graphs::hypercube_graph(4), Kind::Closed);
        for (edges, residual) in collect_choices(&problem, 1) {
            let sorted = |image: &dyn Fn(u8) -> u32| {
                let mut edges: Vec<(u32, u32)> = edges
                    .iter()
                    .map(|&(v, w)| (image(v), image(w)))
                    .map(|(v, w)| (v.min(w), v.max(w)))
                    .collect();
                edges.sort_unstable();
                edges
            };
            for g in residual {
                let image = &problem.search_group().elements()[g as usize].image;
                assert_eq!(sorted(&|v| image[usize::from(v)]), sorted(&u32::from));
            }
        }
    }
}
