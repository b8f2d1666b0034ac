//! Sweeps that count modulo a number, against exact ones.

use ktour::board::{Board, Leaper, Rectangle};
use ktour::control::Control;
use ktour::count::Engine;
use ktour::count::symmetric::{ClassCounter, NamedSymmetry, SymmetricContext};
use ktour::frontier::{
    Method, Modulus, NoObserver, Options, ResidueRing, SweepGraph, SweepShard, SweepSides, Tours, count,
};
use ktour::tour::Kind;
use num_bigint::BigUint;
use proptest::prelude::*;

use super::sweep_shards_and_snapshots::{
    any_factor, count_with_interruption, run_on_threads, sweep_graph, sweep_graph_with_factors,
};

fn residue_ring(modulus: u32) -> Option<Modulus> {
    ResidueRing::new(modulus).map(Into::into)
}

/// Moduli of either width, even and odd, small and as great as can be.
fn any_modulus() -> impl Strategy<Value = u32> {
    prop_oneof![2u32..100, 60_000u32..70_000, 2u32..=u32::MAX, Just(65_536), Just(65_537), Just(u32::MAX)]
}

fn sweep_count(field: &SweepGraph, tours: Tours, options: &Options) -> BigUint {
    count(field, tours, options, &mut NoObserver).unwrap().count
}

#[test]
fn residues_of_7x8_match_exact_count() {
    let field = sweep_graph("7x8");
    for modulus in [3, 65_521, 65_536, 4_294_967_291] {
        for ends in [SweepSides::One, SweepSides::Auto, SweepSides::Two(28)] {
            let options = Options { modulo: residue_ring(modulus), sides: ends, ..Options::default() };
            assert_eq!(
                sweep_count(&field, Tours::Closed, &options),
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
        modulus in any_modulus(), kind in 0usize..4, ends in (0usize..30, 0usize..30), fold in any::<bool>(),
        meet in prop_oneof![Just(None), (2usize..28).prop_map(Some)], every in 3u32..60,
    ) {
        let board = Rectangle::new(rows, cols).unwrap();
        let squares: Vec<_> = board.squares().collect();
        let mut removed: Vec<_> = holes.iter().map(|&h| squares[h % squares.len()]).collect();
        removed.sort_unstable();
        removed.dedup();
        let field = SweepGraph::from_board(&Board::from_leaper(board.without(removed).unwrap(), Leaper::KNIGHT));
        let (first, last) = (ends.0 % field.as_graph().len(), ends.1 % field.as_graph().len());
        let tours = [Tours::Closed, Tours::Paths, Tours::From(first), Tours::Between(first, last)][kind];
        let exact = sweep_count(&field, tours, &Options { method: Method::Hashed, ..Options::default() });
        let residue = exact % modulus;
        let ends = meet.map_or(SweepSides::One, SweepSides::Two);
        let options = Options { modulo: residue_ring(modulus), method: Method::Blocks, sides: ends, fold, ..Options::default() };
        prop_assert_eq!(&sweep_count(&field, tours, &options), &residue);
        prop_assert_eq!(&run_on_threads(2, || count_with_interruption(&field, tours, &options, every, 2)), &residue);
        let hashed = Options { method: Method::Hashed, ..options.clone() };
        prop_assert_eq!(&sweep_count(&field, tours, &hashed), &residue);
        let part = |index| sweep_count(&field, tours, &Options { shard: Some(SweepShard { index, count: 3 }), ..options.clone() });
        prop_assert_eq!((0..3).map(part).sum::<BigUint>() % modulus, residue);
    }

    #[test]
    fn residues_match_exact_counts_with_signed_factors(
        rows in 3u16..6, cols in 4u16..6, seed in prop::collection::vec(any_factor(), 1..90), closed in any::<bool>(),
        modulus in any_modulus(), meet in prop_oneof![Just(None), (2usize..20).prop_map(Some)],
    ) {
        let field = sweep_graph_with_factors(&Rectangle::new(rows, cols).unwrap(), &seed);
        let tours = if closed { Tours::Closed } else { Tours::Paths };
        let exact = count(&field, tours, &Options { method: Method::Hashed, ..Options::default() }, &mut NoObserver).unwrap();
        let rest = &exact.count % modulus;
        let residue = if exact.is_negative { (modulus - rest) % modulus } else { rest };
        let ends = meet.map_or(SweepSides::One, SweepSides::Two);
        let options = Options { modulo: residue_ring(modulus), method: Method::Blocks, sides: ends, ..Options::default() };
        prop_assert_eq!(&sweep_count(&field, tours, &options), &residue);
    }
}

#[test]
fn two_sided_modular_sweeps_match_exact_counts() {
    for (name, kind, named) in [
        ("6x6", Kind::Closed, NamedSymmetry::Rot180),
        ("8x8", Kind::Closed, NamedSymmetry::Rot180),
        ("5x6", Kind::Paths, NamedSymmetry::Rot180),
        ("6x6", Kind::Closed, NamedSymmetry::Rot90),
    ] {
        let board: Board = name.parse().unwrap();
        let setting = || SymmetricContext::new(&board, Engine::Frontier, None);
        let of = |setting: SymmetricContext| {
            let numbers =
                ClassCounter::new(&setting, kind, &Control::new()).count_with_symmetry(named, true).unwrap();
            (numbers.tours, numbers.classes)
        };
        let exact = of(setting());
        for bits in [16, 32] {
            assert_eq!(of(setting().with_prime_bits(Some(bits))), exact, "{name} {named:?} {bits}");
        }
    }
}
