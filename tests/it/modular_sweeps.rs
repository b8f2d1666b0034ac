//! Sweeps that count modulo a number, compared with sweeps that count exactly.

use ktour::board::{Board, Leaper, Rectangle};
use ktour::control::Control;
use ktour::count::Engine;
use ktour::count::symmetric::{ClassCounter, NamedSymmetry, SymmetricContext};
use ktour::frontier::{
    Method, Modulus, NoObserver, Options, ResidueRing, SweepGraph, SweepShard, SweepSides, Tours, count,
};
use ktour::tour::{Kind, TourSpec};
use num_bigint::BigUint;
use proptest::prelude::*;

use super::sweep_shards_and_snapshots::{
    any_factor, count_with_interruptions, run_on_threads, sweep_graph, sweep_graph_with_factors,
};

fn residue_ring(modulus: u32) -> Option<Modulus> {
    ResidueRing::new(modulus).map(Into::into)
}

/// Generates moduli of 16 and of 32 bits: even and odd, small, and up to the largest.
fn any_modulus() -> impl Strategy<Value = u32> {
    prop_oneof![2u32..100, 60_000u32..70_000, 2u32..=u32::MAX, Just(65_536), Just(65_537), Just(u32::MAX)]
}

fn count_by_sweep(graph: &SweepGraph, tours: Tours, options: &Options) -> BigUint {
    count(graph, tours, options, &mut NoObserver).unwrap().count
}

#[test]
fn residues_of_7x8_match_exact_count() {
    let graph = sweep_graph("7x8");
    for modulus in [3, 65_521, 65_536, 4_294_967_291] {
        for sweep_sides in [SweepSides::One, SweepSides::Auto, SweepSides::Two(28)] {
            let options = Options { modulo: residue_ring(modulus), sides: sweep_sides, ..Options::default() };
            assert_eq!(
                count_by_sweep(&graph, Tours::Closed, &options),
                (34_524_432_316u64 % u64::from(modulus)).into()
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn residues_match_exact_counts_on_random_boards(
        rows in 3u16..6, cols in 4u16..7, holes in prop::collection::vec(0usize..30, 0..4),
        modulus in any_modulus(), kind in 0usize..4, ends in (0u32..30, 0u32..30), fold in any::<bool>(),
        join_step in prop_oneof![Just(None), (2usize..28).prop_map(Some)], chunks_per_snapshot in 3u32..60,
    ) {
        let board = Rectangle::new(rows, cols).unwrap();
        let squares: Vec<_> = board.squares().collect();
        let mut removed: Vec<_> = holes.iter().map(|&h| squares[h % squares.len()]).collect();
        removed.sort_unstable();
        removed.dedup();
        let graph = SweepGraph::from_board(&Board::from_leaper(board.without(removed).unwrap(), Leaper::KNIGHT));
        let (first, last) = (ends.0 % graph.as_graph().len() as u32, ends.1 % graph.as_graph().len() as u32);
        let tours = [Tours::Closed, Tours::Paths, Tours::From(first), Tours::Between(first, last)][kind];
        let exact = count_by_sweep(&graph, tours, &Options { method: Method::Hashed, ..Options::default() });
        let residue = exact % modulus;
        let sweep_sides = join_step.map_or(SweepSides::One, SweepSides::Two);
        let options = Options { modulo: residue_ring(modulus), method: Method::Blocks, sides: sweep_sides, fold, ..Options::default() };
        prop_assert_eq!(&count_by_sweep(&graph, tours, &options), &residue);
        prop_assert_eq!(&run_on_threads(2, || count_with_interruptions(&graph, tours, &options, chunks_per_snapshot, 2)), &residue);
        let hashed = Options { method: Method::Hashed, ..options.clone() };
        prop_assert_eq!(&count_by_sweep(&graph, tours, &hashed), &residue);
        let count_shard = |index| count_by_sweep(&graph, tours, &Options { shard: Some(SweepShard { index, count: 3 }), ..options.clone() });
        prop_assert_eq!((0..3).map(count_shard).sum::<BigUint>() % modulus, residue);
    }

    #[test]
    fn residues_match_exact_counts_with_signed_factors(
        rows in 3u16..6, cols in 4u16..6, seed in prop::collection::vec(any_factor(), 1..90), closed in any::<bool>(),
        modulus in any_modulus(), join_step in prop_oneof![Just(None), (2usize..20).prop_map(Some)],
    ) {
        let graph = sweep_graph_with_factors(&Rectangle::new(rows, cols).unwrap(), &seed);
        let tours = if closed { Tours::Closed } else { Tours::Paths };
        let exact = count(&graph, tours, &Options { method: Method::Hashed, ..Options::default() }, &mut NoObserver).unwrap();
        let remainder = &exact.count % modulus;
        let residue = if exact.is_negative { (modulus - remainder) % modulus } else { remainder };
        let sweep_sides = join_step.map_or(SweepSides::One, SweepSides::Two);
        let options = Options { modulo: residue_ring(modulus), method: Method::Blocks, sides: sweep_sides, ..Options::default() };
        prop_assert_eq!(&count_by_sweep(&graph, tours, &options), &residue);
    }
}

#[test]
fn two_sided_modular_sweeps_match_exact_counts() {
    for (name, kind, symmetry) in [
        ("6x6", Kind::Closed, NamedSymmetry::Rot180),
        ("8x8", Kind::Closed, NamedSymmetry::Rot180),
        ("5x6", Kind::Paths, NamedSymmetry::Rot180),
        ("6x6", Kind::Closed, NamedSymmetry::Rot90),
    ] {
        let board: Board = name.parse().unwrap();
        let context = || {
            SymmetricContext::new(TourSpec::all(board.clone(), Kind::Paths), Engine::Frontier, None).unwrap()
        };
        let count_tours_and_classes = |context: SymmetricContext| {
            let numbers = ClassCounter::new(&context.for_kind(kind), &Control::new())
                .count_with_symmetry(symmetry, true)
                .unwrap();
            (numbers.tours, numbers.classes)
        };
        let exact = count_tours_and_classes(context());
        for bits in [16, 32] {
            assert_eq!(
                count_tours_and_classes(context().with_prime_bits(Some(bits))),
                exact,
                "{name} {symmetry:?} {bits}"
            );
        }
    }
}
