//! Numbers of any size: long boards against a generating function, the hashed sweep, and across rests.

use ktour::frontier::{Method, Options, Silent, Snapshot, Storage, Tours, count, count_stored, series};
use num_bigint::{BigInt, BigUint};

use crate::sweeps::{Shelf, Sleeper, field};

/// Closed tours of boards of 3 x 2n squares from n = 1 on: OEIS A070030, found by Knuth and by Elkies in 1994 with
/// transfer matrices. The fraction of these polynomials, lowest power first.
fn three_rows(terms: usize) -> Vec<BigInt> {
    const ABOVE: [i64; 23] = [
        0, 0, 0, 0, 0, 1, 5, -34, -116, 505, 616, -3179, -4, 9536, -8176, -13392, 15360, 13888, 2784, -3328,
        -22016, 5120, 2048,
    ];
    const BELOW: [i64; 22] = [
        1, -6, -64, 200, 1000, -3016, -3488, 24256, -23776, -104_168, 203_408, 184_704, -443_392, -14336,
        151_296, -145_920, 263_424, -317_440, -36864, 966_656, -573_440, -131_072,
    ];
    let mut numbers: Vec<BigInt> = Vec::new();
    for n in 0..=terms {
        let before = |k: usize| n.checked_sub(k).map(|at| &numbers[at] * BELOW[k]);
        let sum: BigInt = (1..BELOW.len()).filter_map(before).sum();
        numbers.push(BigInt::from(ABOVE.get(n).map_or(0, |a| 16 * a)) - sum);
    }
    numbers.split_off(1)
}

#[test]
fn closed_tours_of_three_rows_are_those_of_the_generating_function() {
    let numbers =
        series(&"1000x3".parse().unwrap(), Tours::Closed, &Options::default(), &mut Silent).unwrap();
    assert!(numbers[999].bits() > 1600);
    for (length, number) in (1..).zip(&numbers).filter(|(length, _)| length % 2 == 1) {
        assert_eq!(*number, BigUint::ZERO, "3x{length}");
    }
    let even: Vec<BigInt> = numbers.into_iter().skip(1).step_by(2).map(BigInt::from).collect();
    assert_eq!(even, three_rows(500));
}

#[test]
fn blocks_and_a_hash_table_of_big_integers_agree() {
    for (board, tours) in [("3x330", Tours::Paths), ("4x260", Tours::Paths), ("3x340", Tours::Closed)] {
        let by = |method| {
            let options = Options { method, ..Options::default() };
            count(&field(board), tours, &options, &mut Silent).unwrap().count
        };
        let number = by(Method::Blocks);
        assert!(number.bits() > 512, "{board}: {}", number.bits());
        assert_eq!(number, by(Method::Hashed), "{board}");
    }
}

#[test]
fn a_board_is_what_its_series_says() {
    let series = series(&"200x4".parse().unwrap(), Tours::Paths, &Options::default(), &mut Silent).unwrap();
    for length in [199, 200] {
        let board = count(&field(&format!("4x{length}")), Tours::Paths, &Options::default(), &mut Silent);
        assert_eq!(board.unwrap().count, series[length - 1], "4x{length}");
    }
}

/// A sweep that rests where its weights are 500 to 1000 bits wide goes on as if nothing had happened.
#[test]
fn a_sweep_of_wide_weights_rests_and_goes_on() {
    let (field, options) = (field("3x400"), Options { method: Method::Blocks, ..Options::default() });
    let whole = count(&field, Tours::Paths, &options, &mut Silent).unwrap();
    assert!(whole.count.bits() > 640);
    let store = Shelf { hoards: true, ..Shelf::default() };
    let mut sleeper = Sleeper { every: 400, stop_after: usize::MAX, ..Sleeper::default() };
    let storage = Storage { store: Some(&store), snapshots: true, ..Storage::default() };
    assert_eq!(
        count_stored(&field, Tours::Paths, &options, storage, &mut sleeper).unwrap().count,
        whole.count
    );
    let wide: Vec<Snapshot> = sleeper.snapshots.into_iter().filter(|s| s.step > 950).collect();
    assert!(!wide.is_empty());
    for from in wide.into_iter().rev().step_by(5) {
        let storage = Storage { store: Some(&store), snapshots: true, from: Some(from), peers: None };
        let outcome = count_stored(&field, Tours::Paths, &options, storage, &mut Silent).unwrap();
        assert_eq!(outcome.count, whole.count);
        assert_eq!(outcome.totals.states, whole.totals.states);
    }
}
