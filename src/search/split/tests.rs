//! Units cover every tour once.

use super::*;
use crate::board::{Graph, SymmetryGroup};
use crate::search::samples;
use crate::search::visitor::Lister;
use crate::tour::{Kind, Shape, lowest};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

fn count(plan: &Plan) -> u64 {
    let go = AtomicBool::new(false);
    let of_unit = |unit: &Unit| {
        let counted = plan.count::<u64>(unit, &go);
        let size = plan.classes()[unit.class as usize].size;
        assert_eq!(plan.weight(unit) % u64::from(size), 0, "a class is covered by whole units");
        u64::try_from(counted.tours).unwrap() * plan.weight(unit)
    };
    plan.units().iter().map(of_unit).sum()
}

#[test]
fn units_cover_every_tour_once_whatever_the_group() {
    for (name, graph) in samples::all() {
        let (closed, paths) = (samples::closed(&graph), samples::paths(&graph));
        for depth in [None, Some(0), Some(3), Some(9)] {
            for (kind, expected) in [(Kind::Closed, closed), (Kind::Paths, paths)] {
                let plan = Plan::new(samples::problem(&graph, kind), depth).unwrap();
                assert_eq!(count(&plan), expected, "{name}, {kind:?}, split to {depth:?}");
            }
        }
    }
}

#[test]
fn published_numbers_of_graphs_with_large_groups() {
    // Cube of four dimensions: OEIS A066037 and half of A091299. Complete graphs: (n - 1)!/2 and n!/2.
    for (graph, order, closed, paths) in
        [(samples::cube(4), 384, 1344, 45_696), (samples::complete(7), 5040, 360, 2520)]
    {
        assert_eq!(samples::group(&graph).order(), order);
        assert_eq!(count(&Plan::new(samples::problem(&graph, Kind::Closed), None).unwrap()), closed);
        assert_eq!(count(&Plan::new(samples::problem(&graph, Kind::Paths), None).unwrap()), paths);
    }
}

#[test]
fn a_control_that_is_cancelled_ends_splitting() {
    let control = Control::new();
    let problem = || samples::problem(&samples::knight(6, 6), Kind::Closed);
    let (all, under) = (Plan::new(problem(), None).unwrap(), Plan::under(problem(), None, &control));
    assert_eq!(under.unwrap().unwrap().units(), all.units());
    control.cancel();
    assert!(Plan::under(problem(), None, &control).unwrap().is_none());
}

#[test]
fn images_of_a_unit_are_different_and_make_up_all_tours() {
    let go = AtomicBool::new(false);
    for (graph, kind) in [
        (samples::king(3, 4), Kind::Closed),
        (samples::cube(4), Kind::Closed),
        (samples::petersen(), Kind::Paths),
    ] {
        let plan = Plan::new(samples::problem(&graph, kind), Some(0)).unwrap();
        let shape = if kind == Kind::Closed { Shape::Closed } else { Shape::Path };
        // Tours that some symmetry of their unit preserves come more than once.
        let mut seen = HashSet::new();
        let mut told = 0;
        for unit in plan.units() {
            let images = plan.images(unit);
            assert_eq!(images.len() as u64, plan.weight(unit));
            let mut lister = Lister::new(&go, |tour: &mut Vec<u32>| {
                for &g in &images {
                    let element = &plan.problem().group().elements()[g as usize].image;
                    let mut image: Vec<u32> = tour.iter().map(|&v| element[v as usize]).collect();
                    lowest(&mut image, shape);
                    seen.insert(image);
                    told += 1;
                }
                ControlFlow::Continue(())
            });
            plan.root::<u64>(unit).visit(&mut lister);
        }
        assert_eq!(seen.len(), told, "{kind:?}");
        assert_eq!(told as u64, count(&plan));
    }
}

#[test]
fn a_torus_of_knights_is_split_though_all_its_squares_are_alike() {
    let step = |v: usize, (down, right): (usize, usize)| (v / 8 + down) % 8 * 8 + (v % 8 + right) % 8;
    let steps = [(1, 2), (2, 1), (1, 6), (2, 7)];
    let torus = Graph::from_edges(64, (0..64).flat_map(|v| steps.map(|by| (v, step(v, by)))));
    let moved = |by: &dyn Fn(usize, usize) -> usize| (0..64).map(|v| by(v / 8, v % 8) as u32).collect();
    let generators = [
        moved(&|row, col| row * 8 + (col + 1) % 8),
        moved(&|row, col| (7 - col) * 8 + row),
        moved(&|row, col| col * 8 + row),
    ];
    let group = SymmetryGroup::generated(64, &generators, 512).unwrap();
    let problem = |kind| Problem::on_graph(torus.clone(), group.clone(), kind, (None, None)).unwrap();
    let paths = problem(Kind::Paths);
    let problem = problem(Kind::Closed);
    assert_eq!(problem.symmetries().order(), 512);
    assert_eq!(problem.symmetries().orbits().len(), 1);
    assert_eq!(problem.group().order() * 64, problem.symmetries().order(), "those that fix a square");
    let plan = Plan::new(problem, Some(20)).unwrap();
    assert!(plan.units().len() > 1);
    let pairs = paths.classes().iter().map(|class| class.size).sum::<u32>();
    assert_eq!(pairs, 32 * 32, "every pair of squares of different colour");
}
