//! Times the search for single tours. Every tour is checked.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ktour::board::{Board, Graph, Leaper, Rectangle, Square};
use ktour::heuristic::{
    BitboardWalker, FindOutcome, FindRequest, Randomness, Rule, RuleWalker, WalkRequest, find,
};
use ktour::random::Random;
use ktour::tour::Tour;
use ktour::tour::{Kind, TourSpec};

/// Times Warnsdorff's rule with random ties on the chessboard. 97 to 98 of 100 walks are tours.
fn warnsdorff_on_chessboard(c: &mut Criterion) {
    let rectangle = Rectangle::new(8, 8).unwrap();
    let walker = BitboardWalker::new(&Graph::from_leaper(&rectangle, Leaper::KNIGHT));
    let board = Board::from_leaper(rectangle, Leaper::KNIGHT);
    let mut rng = Random::new(1);
    let mut path = [0; 64];
    let mut tours = 0;
    for _ in 0..1000 {
        if walker.walk(0, &mut rng, &mut path) == 64 {
            assert!(Tour::new(&board, path.iter().map(|&v| v.into()).collect()).is_ok());
            tours += 1;
        }
    }
    assert!(tours > 950, "{tours} of 1000 walks were tours");
    let mut group = c.benchmark_group("chessboard");
    group.throughput(Throughput::Elements(1));
    group.bench_function("warnsdorff, any end", |b| {
        b.iter(|| {
            // A failed walk is repeated, so that the result is in tours per second.
            while walker.walk(0, &mut rng, &mut path) < 64 {}
            black_box(path[63])
        });
    });
    group.finish();
}

/// Times one walk of every rule on a board of medium size, whether or not it is a tour.
fn single_walks(c: &mut Criterion) {
    let rectangle = Rectangle::new(100, 100).unwrap();
    let mut walker = RuleWalker::new(&rectangle, Leaper::KNIGHT, None);
    let route = WalkRequest {
        start: Square::new(0, 99),
        end: None,
        closed: false,
        open: false,
        max_backtracks: 0,
        randomness: Randomness::None,
        attempt: 0,
    };
    let mut group = c.benchmark_group("one walk on 100x100");
    for rule in &Rule::ALL[1..] {
        if walker.walk(*rule, &route, &mut Random::new(1)) {
            let board = Board::from_leaper(rectangle.clone(), Leaper::KNIGHT);
            assert!(Tour::from_squares(&board, walker.squares()).is_ok());
        }
        group.throughput(Throughput::Elements(walker.squares().len() as u64));
        group.bench_function(rule.to_string(), |b| {
            b.iter(|| walker.walk(*rule, &route, &mut Random::new(1)));
        });
    }
    group.finish();
}

/// Times constructions. The time per square should not depend on the number of squares.
fn constructions(c: &mut Criterion) {
    let mut group = c.benchmark_group("find, closed");
    group.sample_size(10);
    for side in [50u16, 100, 200, 500, 1000, 2000] {
        let board = Rectangle::new(side, side).unwrap();
        let request = FindRequest::new(TourSpec::all(board.into(), Kind::Closed));
        group.throughput(Throughput::Elements(u64::from(side) * u64::from(side)));
        group.bench_with_input(BenchmarkId::from_parameter(side), &request, |b, request| {
            // The search includes a check of every move.
            b.iter(|| match find(request) {
                FindOutcome::Found { tour, .. } => {
                    assert_eq!(tour.vertices().len(), request.tours.board().len())
                }
                other => panic!("{other:?}"),
            });
        });
    }
    group.finish();
}

criterion_group!(benches, warnsdorff_on_chessboard, single_walks, constructions);
criterion_main!(benches);
