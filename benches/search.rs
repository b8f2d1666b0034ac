//! Times both search kernels on known boards. Every answer is checked.
//!
//! The benchmarks use one thread and a plan made before, so that they time the kernels and not the splitting.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

use ktour::board::Bitboard;
use ktour::control::Control;
use ktour::search::backtrack::Warnsdorff;
use ktour::search::backtrack_plan::BacktrackPlan;
use ktour::search::list::{ListOptions, list};
use ktour::search::multipath_plan::MultipathPlan;
use ktour::search::problem::Problem;
use ktour::search::visitor::LastVertexCounter;
use ktour::tour::{Kind, TourFormat, TourSpec, TourWriter};

/// Boards, kinds and numbers of undirected tours.
const BOARDS: [(&str, Kind, u64); 3] =
    [("5x6", Kind::Paths, 18_784), ("6x6", Kind::Paths, 3_318_960), ("6x7", Kind::Closed, 1_067_638)];

fn problem(board: &str, kind: Kind) -> Problem {
    Problem::new(&TourSpec::all(board.parse().unwrap(), kind)).unwrap()
}

fn count_multipath<B: Bitboard>(plan: &MultipathPlan) -> u64 {
    let go = AtomicBool::new(false);
    // Cloning the plan empties its transposition tables.
    let plan = plan.clone();
    let units = plan.units().iter().map(|unit| plan.count::<B>(unit, &go).tours as u64 * plan.weight(unit));
    units.sum()
}

/// Counts tours, for paths directed ones. Within an orbit of ends both directions are searched, between two
/// orbits only one.
fn count_backtrack<B: Bitboard>(plan: &BacktrackPlan) -> u64 {
    let go = AtomicBool::new(false);
    let orbits = plan.problem().search_group().orbits();
    let orbit_of = |v: u32| orbits.iter().position(|orbit| orbit.contains(&v)).unwrap();
    let closed = plan.problem().kind() == Kind::Closed;
    let mut tours = 0;
    for unit in plan.units() {
        let root = &plan.roots()[unit.root as usize];
        let mut counter = LastVertexCounter::new(plan.problem().graph().len(), &go);
        plan.unit_kernel::<B>(unit).visit(&Warnsdorff, &mut counter);
        for (last, found) in (0..).zip(counter.tours) {
            let both = if closed || found == 0 || orbit_of(root.path[0]) == orbit_of(last) { 1 } else { 2 };
            tours += found * unit.weight * root.size * both;
        }
    }
    tours
}

fn kernels(criterion: &mut Criterion) {
    for (board, kind, tours) in BOARDS {
        let mut group = criterion.benchmark_group(format!("{board} {}", kind.name()));
        group.throughput(Throughput::Elements(tours));
        let plan = MultipathPlan::new(problem(board, kind), None).unwrap();
        group.bench_function("multipath", |b| b.iter(|| assert_eq!(count_multipath::<u64>(&plan), tours)));
        if board == "5x6" {
            let wide =
                |b: &mut criterion::Bencher<'_>| b.iter(|| assert_eq!(count_multipath::<u128>(&plan), tours));
            group.bench_function("multipath, 128 bits", wide);
        }
        if board == "6x7" {
            // Backtracking takes seconds for closed tours.
            group.finish();
            continue;
        }
        let plan = BacktrackPlan::new::<u64>(problem(board, kind), &Warnsdorff, None).unwrap();
        let directed = if kind == Kind::Closed { tours } else { 2 * tours };
        group.bench_function("backtrack", |b| b.iter(|| assert_eq!(count_backtrack::<u64>(&plan), directed)));
        group.finish();
    }
}

fn splitting(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("plan");
    for (board, kind) in [("6x6", Kind::Paths), ("6x8", Kind::Closed)] {
        let name = format!("{board} {}", kind.name());
        group.bench_function(name, |b| {
            b.iter(|| assert!(MultipathPlan::new(problem(board, kind), None).unwrap().units().len() > 1000))
        });
    }
    group.finish();
}

fn listing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("list");
    let formats = [("squares", TourFormat::Squares, BOARDS[1]), ("ndjson", TourFormat::Ndjson, BOARDS[0])];
    for (name, format, (board, kind, tours)) in formats {
        group.throughput(Throughput::Elements(tours));
        let writer = TourWriter::new(&board.parse().unwrap(), format, 1).unwrap();
        group.bench_function(format!("{board} {} as {name}", kind.name()), |b| {
            b.iter(|| {
                let mut listed = 0;
                list(problem(board, kind), ListOptions::default(), &writer, &Control::new(), &mut |chunk| {
                    listed += chunk.tour_ends.len() as u64;
                    ControlFlow::Continue(())
                })
                .unwrap();
                assert_eq!(listed, tours);
            });
        });
    }
    group.finish();
}

fn short_criterion() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
}

criterion_group! { name = search; config = short_criterion(); targets = kernels, splitting, listing }
criterion_main!(search);
