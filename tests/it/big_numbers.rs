//! Counts of hundreds of bits: long boards against a generating function, sweeps of blocks against
//! sweeps with hash tables, and sweeps that resume from a snapshot.

use ktour::frontier::{
    Method, NoObserver, Options, Snapshot, Storage, Tours, count, count_series, count_with_storage,
};
use num_bigint::{BigInt, BigUint};

use super::sweep_shards_and_snapshots::{MemoryStore, SnapshotObserver, sweep_graph};

/// Returns the numbers of closed tours of the boards of 3 x 2n squares, from n = 1 on. Source: OEIS A070030,
/// found by Knuth and by Elkies in 1994 with transfer matrices. The generating function is a fraction of two
/// polynomials, whose coefficients begin with the lowest power.
fn generating_function_terms(terms: usize) -> Vec<BigInt> {
    const NUMERATOR: [i64; 23] = [
        0, 0, 0, 0, 0, 1, 5, -34, -116, 505, 616, -3179, -4, 9536, -8176, -13392, 15360, 13888, 2784, -3328,
        -22016, 5120, 2048,
    ];
    const DENOMINATOR: [i64; 22] = [
        1, -6, -64, 200, 1000, -3016, -3488, 24256, -23776, -104_168, 203_408, 184_704, -443_392, -14336,
        151_296, -145_920, 263_424, -317_440, -36864, 966_656, -573_440, -131_072,
    ];
    let mut numbers: Vec<BigInt> = Vec::new();
    for n in 0..=terms {
        let earlier_term = |k: usize| n.checked_sub(k).map(|index| &numbers[index] * DENOMINATOR[k]);
        let sum: BigInt = (1..DENOMINATOR.len()).filter_map(earlier_term).sum();
        numbers.push(BigInt::from(NUMERATOR.get(n).map_or(0, |a| 16 * a)) - sum);
    }
    numbers.split_off(1)
}

#[test]
fn series_of_3_rows_matches_generating_function() {
    let numbers =
        count_series(&"1000x3".parse().unwrap(), Tours::Closed, &Options::default(), &mut NoObserver)
            .unwrap();
    assert!(numbers[999].bits() > 1600);
    for (length, number) in (1..).zip(&numbers).filter(|(length, _)| length % 2 == 1) {
        assert_eq!(*number, BigUint::ZERO, "3x{length}");
    }
    let even: Vec<BigInt> = numbers.into_iter().skip(1).step_by(2).map(BigInt::from).collect();
    assert_eq!(even, generating_function_terms(500));
}

#[test]
fn block_and_hashed_sweeps_agree_on_big_numbers() {
    for (board, tours) in [("3x330", Tours::Paths), ("4x260", Tours::Paths), ("3x340", Tours::Closed)] {
        let count_with = |method| {
            let options = Options { method, ..Options::default() };
            count(&sweep_graph(board), tours, &options, &mut NoObserver).unwrap().count
        };
        let number = count_with(Method::Blocks);
        assert!(number.bits() > 512, "{board}: {}", number.bits());
        assert_eq!(number, count_with(Method::Hashed), "{board}");
    }
}

#[test]
fn count_equals_series_on_long_boards() {
    let series =
        count_series(&"200x4".parse().unwrap(), Tours::Paths, &Options::default(), &mut NoObserver).unwrap();
    for length in [199, 200] {
        let board =
            count(&sweep_graph(&format!("4x{length}")), Tours::Paths, &Options::default(), &mut NoObserver);
        assert_eq!(board.unwrap().count, series[length - 1], "4x{length}");
    }
}

/// Resumes a sweep from snapshots whose weights are 500 to 1000 bits wide, and compares its count and its
/// states with those of an uninterrupted sweep.
#[test]
fn sweep_with_wide_weights_resumes() {
    let (graph, options) = (sweep_graph("3x400"), Options { method: Method::Blocks, ..Options::default() });
    let whole = count(&graph, Tours::Paths, &options, &mut NoObserver).unwrap();
    assert!(whole.count.bits() > 640);
    let store = MemoryStore { keeps_removed_items: true, ..MemoryStore::default() };
    let mut observer = SnapshotObserver { every: 400, stop_after: usize::MAX, ..SnapshotObserver::default() };
    let storage = Storage { store: Some(&store), wants_snapshots: true, ..Storage::default() };
    assert_eq!(
        count_with_storage(&graph, Tours::Paths, &options, storage, &mut observer).unwrap().count,
        whole.count
    );
    let wide_snapshots: Vec<Snapshot> = observer.snapshots.into_iter().filter(|s| s.step > 950).collect();
    assert!(!wide_snapshots.is_empty());
    for snapshot in wide_snapshots.into_iter().rev().step_by(5) {
        let storage =
            Storage { store: Some(&store), wants_snapshots: true, resume_from: Some(snapshot), peers: None };
        let outcome = count_with_storage(&graph, Tours::Paths, &options, storage, &mut NoObserver).unwrap();
        assert_eq!(outcome.count, whole.count);
        assert_eq!(outcome.totals.states, whole.totals.states);
    }
}
