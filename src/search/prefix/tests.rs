//! Units cover every tour once, for every order of moves.

use super::*;
use crate::search::order::{Ascending, Warnsdorff};
use crate::search::samples;
use crate::search::visitor::CounterByLast;
use std::sync::atomic::AtomicBool;

/// Returns the tours that begin with the units' prefixes, by root and last vertex.
fn by_root(plan: &PrefixPlan) -> Vec<Vec<u64>> {
    let go = AtomicBool::new(false);
    let len = plan.problem().graph().len();
    let mut tours = vec![vec![0; len]; plan.roots().len()];
    for unit in plan.units() {
        let mut counter = CounterByLast::new(len, &go);
        plan.kernel::<u64>(unit).visit(&Warnsdorff, &mut counter);
        for (sum, more) in tours[unit.root as usize].iter_mut().zip(counter.tours) {
            *sum += more * unit.weight;
        }
    }
    tours
}

#[test]
fn units_cover_every_tour_once_whatever_the_group() {
    for (name, graph) in samples::all() {
        let expected = samples::closed(&graph);
        let from: Vec<Vec<u64>> = (0..graph.len()).map(|v| samples::paths_from(&graph, v)).collect();
        for depth in [None, Some(0), Some(2), Some(4)] {
            let closed = samples::problem(&graph, Kind::Closed);
            let plan = PrefixPlan::new::<u64>(closed, &Warnsdorff, depth).unwrap();
            let tours = by_root(&plan);
            let sum: u64 =
                plan.roots().iter().zip(&tours).map(|(root, t)| root.size * t.iter().sum::<u64>()).sum();
            assert_eq!(sum, expected, "{name} split to {depth:?}");

            let paths = samples::problem(&graph, Kind::Paths);
            let plan = PrefixPlan::new::<u64>(paths, &Warnsdorff, depth).unwrap();
            for (root, tours) in plan.roots().iter().zip(by_root(&plan)) {
                let all = &from[root.path[0] as usize];
                let kept: u64 = (0..graph.len()).filter(|&v| root.ends >> v & 1 == 1).map(|v| all[v]).sum();
                assert_eq!(tours.iter().sum::<u64>(), kept, "{name} from {:?}", root.path);
            }
        }
    }
}

#[test]
fn a_control_that_is_cancelled_ends_splitting() {
    let control = Control::new();
    let plan = || {
        let paths = samples::problem(&samples::cube(4), Kind::Paths);
        PrefixPlan::under::<u64>(paths, &Warnsdorff, None, &control).unwrap()
    };
    assert!(plan().is_some_and(|plan| plan.units().len() > 100));
    control.cancel();
    assert!(plan().is_none());
}

#[test]
fn a_plan_in_order_has_every_start_and_no_symmetry() {
    let graph = samples::cube(4);
    let paths = samples::problem(&graph, Kind::Paths);
    let plan = PrefixPlan::in_order::<u64>(paths, &Ascending, true, Some(2)).unwrap();
    assert_eq!(plan.roots().len(), 16);
    assert!(plan.units().iter().all(|unit| unit.weight == 1));
    assert!(plan.units().is_sorted_by(|a, b| a.prefix < b.prefix));
    assert_eq!(by_root(&plan).iter().flatten().sum::<u64>(), 2 * samples::paths(&graph));
}

#[test]
fn too_fine_a_split_is_refused() {
    let graph = samples::complete(11);
    let paths = samples::problem(&samples::king(4, 4), Kind::Paths);
    let refused = PrefixPlan::in_order::<u64>(paths, &Ascending, true, Some(15));
    assert!(refused.is_ok_and(|plan| plan.units().len() <= MAX_UNITS));
    let group = crate::board::SymmetryGroup::trivial(11);
    let paths = Problem::on_graph(graph, group, Kind::Paths, (None, None)).unwrap();
    let refused = PrefixPlan::in_order::<u64>(paths, &Ascending, true, Some(6));
    assert!(matches!(refused, Err(ProblemError::TooManyUnits(6))));
}
