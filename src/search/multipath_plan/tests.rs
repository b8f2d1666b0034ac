//! Tests that the units of a multipath plan contain every tour exactly once.

use super::*;
use crate::board::{Graph, SymmetryGroup};
use crate::search::test_graphs;
use crate::search::visitor::SequenceVisitor;
use crate::tour::{Kind, SymmetryForm};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

fn count_tours(plan: &MultipathPlan) -> u64 {
    let go = AtomicBool::new(false);
    let of_unit = |unit: &MultipathUnit| {
        let counted = plan.count::<u64>(unit, &go);
        let size = plan.classes()[unit.class as usize].size;
        assert_eq!(plan.weight(unit) % u64::from(size), 0, "a class is covered by whole units");
        u64::try_from(counted.tours).unwrap() * plan.weight(unit)
    };
    plan.units().iter().map(of_unit).sum()
}

#[test]
fn units_cover_every_tour_once_for_all_groups() {
    for (name, graph) in test_graphs::sample_graphs() {
        let (closed, paths) = (test_graphs::count_closed_tours(&graph), test_graphs::count_paths(&graph));
        for depth in [None, Some(0), Some(3), Some(9)] {
            for (kind, expected) in [(Kind::Closed, closed), (Kind::Paths, paths)] {
                let plan =
                    MultipathPlan::new(test_graphs::unrestricted_problem(&graph, kind), depth).unwrap();
                assert_eq!(count_tours(&plan), expected, "{name}, {kind:?}, split to {depth:?}");
            }
        }
    }
}

#[test]
fn counts_agree_with_published_numbers() {
    // Cube of four dimensions: OEIS A066037 and half of A091299. Complete graphs: (n - 1)!/2 and n!/2.
    for (graph, order, closed, paths) in [
        (test_graphs::hypercube_graph(4), 384, 1344, 45_696),
        (test_graphs::complete_graph(7), 5040, 360, 2520),
    ] {
        assert_eq!(test_graphs::automorphism_group(&graph).order(), order);
        assert_eq!(
            count_tours(
                &MultipathPlan::new(test_graphs::unrestricted_problem(&graph, Kind::Closed), None).unwrap()
            ),
            closed
        );
        assert_eq!(
            count_tours(
                &MultipathPlan::new(test_graphs::unrestricted_problem(&graph, Kind::Paths), None).unwrap()
            ),
            paths
        );
    }
}

#[test]
fn new_under_stops_when_cancelled() {
    let control = Control::new();
    let problem = || test_graphs::unrestricted_problem(&test_graphs::knight_graph(6, 6), Kind::Closed);
    let (all, under) =
        (MultipathPlan::new(problem(), None).unwrap(), MultipathPlan::new_under(problem(), None, &control));
    assert_eq!(under.unwrap().unwrap().units(), all.units());
    control.cancel();
    assert!(MultipathPlan::new_under(problem(), None, &control).unwrap().is_none());
}

#[test]
fn coset_representatives_give_all_tours_once() {
    let go = AtomicBool::new(false);
    for (graph, kind) in [
        (test_graphs::king_graph(3, 4), Kind::Closed),
        (test_graphs::hypercube_graph(4), Kind::Closed),
        (test_graphs::petersen_graph(), Kind::Paths),
    ] {
        let plan = MultipathPlan::new(test_graphs::unrestricted_problem(&graph, kind), Some(0)).unwrap();
        // Tours that some symmetry of their unit preserves come more than once.
        let mut seen = HashSet::new();
        let mut image_count = 0;
        for unit in plan.units() {
            let images = plan.coset_representatives(unit);
            assert_eq!(images.len() as u64, plan.weight(unit));
            let mut lister = SequenceVisitor::new(&go, |tour: &mut Vec<u32>| {
                for &g in &*images {
                    let element = &plan.problem().search_group().elements()[g as usize];
                    seen.insert(SymmetryForm::new(tour, kind.shape()).image(element).to_vec());
                    image_count += 1;
                }
                ControlFlow::Continue(())
            });
            plan.unit_root::<u64>(unit).visit(&mut lister);
        }
        assert_eq!(seen.len(), image_count, "{kind:?}");
        assert_eq!(image_count as u64, count_tours(&plan));
    }
}

#[test]
fn vertex_transitive_torus_is_split() {
    let step = |v: usize, (down, right): (usize, usize)| (v / 8 + down) % 8 * 8 + (v % 8 + right) % 8;
    let steps = [(1, 2), (2, 1), (1, 6), (2, 7)];
    let torus = Graph::from_edges(64, (0..64).flat_map(|v| steps.map(|by| (v, step(v, by)))));
    let moved = |by: &dyn Fn(usize, usize) -> usize| (0..64).map(|v| by(v / 8, v % 8) as u32).collect();
    let generators = [
        moved(&|row, col| row * 8 + (col + 1) % 8),
        moved(&|row, col| (7 - col) * 8 + row),
        moved(&|row, col| col * 8 + row),
    ];
    let group = SymmetryGroup::generate(64, &generators, 512).unwrap();
    let problem = |kind| Problem::from_graph(torus.clone(), group.clone(), kind, (None, None)).unwrap();
    let paths = problem(Kind::Paths);
    let problem = problem(Kind::Closed);
    assert_eq!(problem.symmetries().order(), 512);
    assert_eq!(problem.symmetries().orbits().len(), 1);
    assert_eq!(problem.search_group().order() * 64, problem.symmetries().order(), "those that fix a square");
    let plan = MultipathPlan::new(problem, Some(20)).unwrap();
    assert!(plan.units().len() > 1);
    let pairs = paths.end_classes().iter().map(|class| class.size).sum::<u32>();
    assert_eq!(pairs, 32 * 32, "every pair of squares of different colour");
}
