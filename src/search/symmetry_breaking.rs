//! Symmetry breaking: chooses the first edges of a multi-path search so that no symmetry remains.
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

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::board::Bitboard;
use crate::control::Control;

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

    /// Adds `work` comparisons or nodes.
    fn spend(&self, work: usize) {
        self.spent.fetch_add(work, Ordering::Relaxed);
    }

    /// Returns true if the limit is exceeded.
    pub(super) fn is_exceeded(&self) -> bool {
        self.spent.load(Ordering::Relaxed) > self.limit
    }

    /// Returns true if the work must stop.
    pub(super) fn is_over(&self) -> bool {
        self.is_exceeded() || self.control.is_cancelled()
    }
}

/// Chooses edges at one orbit of squares after another, from `node` on, until no symmetry of the
/// group `residual` remains or `rounds` rounds are done. Of equivalent choices, only the least is
/// used. Calls `each` with every resulting node and the symmetries that preserve its edges. Stops
/// early, and leaves out some nodes, when the effort is over.
pub(super) fn break_symmetry<B: Bitboard>(
    problem: &Problem,
    mut node: Multipath<B>,
    residual: &[u32],
    rounds: u32,
    effort: &Effort,
    each: &mut impl FnMut(&Multipath<B>, &[u32]),
) {
    if effort.is_over() {
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
    let mut choices = Vec::new();
    choose_at_orbit(node, &orbit, effort, &mut |node, last| {
        choices.push((edges_at_orbit(node, last, &orbit), node.clone()));
    });
    for (edges, node) in choices {
        // There may be millions of choices.
        effort.spend(residual.len());
        if effort.is_over() {
            return;
        }
        let mut stabiliser = Vec::with_capacity(residual.len());
        let mut least = true;
        for &g in residual {
            let image = &problem.search_group().elements()[g as usize].image;
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
            break_symmetry(problem, node, &stabiliser, rounds.saturating_sub(1), effort, each);
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
    let ways = |v: usize| {
        let usable = node.usable_neighbours(v).count();
        if node.is_bare(v) { usable * usable.saturating_sub(1) / 2 } else { usable }
    };
    // The next square is sought only if the previous one does not qualify: sorting all squares took longer
    // than the rest.
    let mut tried = (0, usize::MAX);
    loop {
        let untried = (0..problem.graph().len()).map(|v| (ways(v), v)).filter(|&square| square > tried);
        let best @ (ways, v) = untried.min()?;
        let mut orbit: Vec<usize> =
            residual.iter().map(|&g| elements[g as usize].image[v] as usize).collect();
        orbit.sort_unstable();
        orbit.dedup();
        if can_choose_jointly(orbit.len(), ways) {
            return Some(orbit);
        }
        tried = best;
    }
}

/// Chooses the missing edges of every square of `orbit`, in every way after which the kernel does
/// not rule out a tour immediately. Calls `each` with every resulting node. If a choice completes a
/// tour, also passes the closing edge, which the kernel leaves out.
fn choose_at_orbit<B: Bitboard>(
    mut node: Multipath<B>,
    orbit: &[usize],
    effort: &Effort,
    each: &mut impl FnMut(&Multipath<B>, Option<(usize, usize)>),
) {
    if effort.is_over() {
        return;
    }
    effort.spend(1);
    match node.propagate() {
        Node::Dead => return,
        Node::Tour(v, w) => return each(&node, Some((v, w))),
        Node::Branch(..) | Node::Start => {}
    }
    let Some(&v) = orbit.iter().find(|&&v| !node.usable_neighbours(v).is_empty()) else {
        return each(&node, None);
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

/// Returns the chosen edges with at least one square in `orbit`, in sorted order. `last` is the
/// closing edge of a complete tour; it counts as chosen.
fn edges_at_orbit<B: Bitboard>(
    node: &Multipath<B>,
    last: Option<(usize, usize)>,
    orbit: &[usize],
) -> Vec<(u32, u32)> {
    let mut edges: Vec<(u32, u32)> = node
        .chosen_edges()
        .map(|(v, w)| (usize::from(v), usize::from(w)))
        .chain(last)
        .filter(|(v, w)| orbit.contains(v) || orbit.contains(w))
        .map(|(v, w)| (v.min(w) as u32, v.max(w) as u32))
        .collect();
    edges.sort_unstable();
    edges
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
