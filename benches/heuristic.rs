//! Times the search for single tours. Every tour is checked.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ktour::board::{Board, Leaper, Rectangle, Square};
use ktour::heuristic::{FindOutcome, FindRequest, Randomness, Rule, RuleWalker, WalkRequest, find};
use ktour::random::Random;
use ktour::tour::Tour;
use ktour::tour::{Kind, TourSpec};

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

criterion_group!(benches, single_walks, constructions);
criterion_main!(benches);
