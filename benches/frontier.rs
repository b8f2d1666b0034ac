//! Times sweeps of whole boards. Every count is asserted.

use criterion::{Criterion, criterion_group, criterion_main};
use ktour::board::{Arena, Leaper};
use ktour::frontier::{Field, Options, Prepared, Silent, Tours, count, series};
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
        let field = Field::of(&board.parse().unwrap());
        group.bench_function(format!("{board} {tours:?}"), |bencher| {
            bencher.iter(|| {
                let outcome = count(&field, tours, &options, &mut Silent).unwrap();
                assert_eq!(outcome.count, BigUint::from(expected));
            });
        });
    }
    let longest = Arena::board("40x5".parse().unwrap(), Leaper::KNIGHT);
    group.bench_function("5x40 series", |bencher| {
        bencher.iter(|| {
            let counts = series(&longest, Tours::Closed, &options, &mut Silent).unwrap();
            assert_eq!(counts[39].to_string(), "772473271844923268504474277422663237674924998");
        });
    });
    let field = Field::of(&"7x8".parse().unwrap());
    group.bench_function("7x8 estimate", |bencher| {
        bencher
            .iter(|| assert!(Prepared::new(&field, Tours::Closed, &options).unwrap().estimate().is_some()));
    });
    group.finish();
}

criterion_group!(benches, sweeps);
criterion_main!(benches);
