//! Times sweeps of whole boards. Every count is asserted.

use criterion::{Criterion, criterion_group, criterion_main};
use ktour::board::{Board, Leaper};
use ktour::frontier::{NoObserver, Options, PreparedSweep, SweepGraph, Tours, count, count_series};
use num_bigint::BigUint;

const SWEEPS: [(&str, Tours, u64); 7] = [
    ("6x6", Tours::Closed, 9_862),
    ("6x8", Tours::Closed, 55_488_142),
    ("7x8", Tours::Closed, 34_524_432_316),
    ("6x6", Tours::Paths, 3_318_960),
    ("6x8", Tours::Paths, 24_964_893_804),
    ("7x7", Tours::Paths, 82_787_609_160),
    ("5x5", Tours::From(0), 304),
];

fn sweeps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("frontier");
    group.sample_size(10);
    let options = Options::default();
    for (board, tours, expected) in SWEEPS {
        let field = SweepGraph::from_board(&board.parse().unwrap());
        group.bench_function(format!("{board} {tours:?}"), |bencher| {
            bencher.iter(|| {
                let outcome = count(&field, tours, &options, &mut NoObserver).unwrap();
                assert_eq!(outcome.count, BigUint::from(expected));
            });
        });
    }
    let longest = Board::from_leaper("40x5".parse().unwrap(), Leaper::KNIGHT);
    group.bench_function("5x40 series", |bencher| {
        bencher.iter(|| {
            let counts = count_series(&longest, Tours::Closed, &options, &mut NoObserver).unwrap();
            assert_eq!(counts[39].to_string(), "772473271844923268504474277422663237674924998");
        });
    });
    let field = SweepGraph::from_board(&"7x8".parse().unwrap());
    group.bench_function("7x8 estimate", |bencher| {
        bencher.iter(|| {
            assert!(PreparedSweep::new(&field, Tours::Closed, &options).unwrap().estimate().is_some())
        });
    });
    group.finish();
}

criterion_group!(benches, sweeps);
criterion_main!(benches);
