//! Tests that the units of a backtrack plan contain every tour exactly once, for every order of moves.

use super::*;
use crate::search::backtrack::{Ascending, Warnsdorff};
use crate::search::test_graphs;
use crate::search::visitor::LastVertexCounter;
use std::sync::atomic::AtomicBool;

/// Returns the number of tours in all units of a plan, by root and last vertex. A tour counts as
/// often as the weight of its unit.
fn count_by_root(plan: &BacktrackPlan) -> Vec<Vec<u64>> {
    let go = AtomicBool::new(false);
    let len = plan.problem().graph().len();
    let mut tours = vec![vec![0; len]; plan.roots().len()];
    for unit in plan.units() {
        let mut counter = LastVertexCounter::new(len, &go);
        plan.unit_kernel::<u64>(unit).visit(&Warnsdorff, &mut counter);
        for (sum, more) in tours[unit.root as usize].iter_mut().zip(counter.tours) {
            *sum += more * unit.weight;
        }
    }
    tours
}

#[test]
fn units_cover_every_tour_once_for_all_groups() {
    for (name, graph) in test_graphs::sample_graphs() {
        let expected = test_graphs::count_closed_tours(&graph);
        let from: Vec<Vec<u64>> =
            (0..graph.len()).map(|v| test_graphs::count_paths_from(&graph, v)).collect();
        for depth in [None, Some(0), Some(2), Some(4)] {
            let closed = test_graphs::unrestricted_problem(&graph, Kind::Closed);
            let plan = BacktrackPlan::new::<u64>(closed, &Warnsdorff, depth).unwrap();
            let tours = count_by_root(&plan);
            let sum: u64 =
                plan.roots().iter().zip(&tours).map(|(root, t)| root.size * t.iter().sum::<u64>()).sum();
            assert_eq!(sum, expected, "{name} split to {depth:?}");

            let paths = test_graphs::unrestricted_problem(&graph, Kind::Paths);
            let plan = BacktrackPlan::new::<u64>(paths, &Warnsdorff, depth).unwrap();
            for (root, tours) in plan.roots().iter().zip(count_by_root(&plan)) {
                let all = &from[root.path[0] as usize];
                let kept: u64 = (0..graph.len()).filter(|&v| root.ends >> v & 1 == 1).map(|v| all[v]).sum();
                assert_eq!(tours.iter().sum::<u64>(), kept, "{name} from {:?}", root.path);
            }
        }
    }
}

#[test]
fn new_under_stops_when_cancelled() {
    let control = Control::new();
    let plan = || {
        let paths = test_graphs::unrestricted_problem(&test_graphs::hypercube_graph(4), Kind::Paths);
        BacktrackPlan::new_under::<u64>(paths, &Warnsdorff, None, &control).unwrap()
    };
    assert!(plan().is_some_and(|plan| plan.units().len() > 100));
    control.cancel();
    assert!(plan().is_none());
}

#[test]
fn plain_order_plan_has_every_start_and_no_symmetry() {
    let graph = test_graphs::hypercube_graph(4);
    let paths = test_graphs::unrestricted_problem(&graph, Kind::Paths);
    let plan = BacktrackPlan::new_in_plain_order::<u64>(paths, &Ascending, true, Some(2)).unwrap();
    assert_eq!(plan.roots().len(), 16);
    assert!(plan.units().iter().all(|unit| unit.weight == 1));
    assert!(plan.units().is_sorted_by(|a, b| a.prefix < b.prefix));
    assert_eq!(count_by_root(&plan).iter().flatten().sum::<u64>(), 2 * test_graphs::count_paths(&graph));
}

#[test]
fn plain_order_plan_rejects_too_many_units() {
    let graph = test_graphs::complete_graph(11);
    let paths = test_graphs::unrestricted_problem(&test_graphs::king_graph(4, 4), Kind::Paths);
    let refused = BacktrackPlan::new_in_plain_order::<u64>(paths, &Ascending, true, Some(15));
    assert!(refused.is_ok_and(|plan| plan.units().len() <= MAX_UNITS));
    let group = crate::board::SymmetryGroup::trivial(11);
    let paths = Problem::from_graph(graph, group, Kind::Paths, (None, None)).unwrap();
    let refused = BacktrackPlan::new_in_plain_order::<u64>(paths, &Ascending, true, Some(6));
    assert!(matches!(refused, Err(ProblemError::TooManyUnits(6))));
}
