//! Sweeps that count modulo a number, against exact ones.

use ktour::board::{Arena, Board, Leaper};
use ktour::control::Control;
use ktour::count::Engine;
use ktour::count::symmetric::{Census, Named, Setting};
use ktour::frontier::{Cut, Ends, Field, Lane, Method, Modulus, Options, Silent, Tours, count};
use ktour::tour::Kind;
use num_bigint::BigUint;
use proptest::prelude::*;

use crate::sweeps::{factor, field, interrupted, on, weighted};

fn lane(modulus: u32) -> Option<Modulus> {
    Lane::new(modulus).map(Into::into)
}

/// Moduli of either width, even and odd, small and as great as can be.
fn modulus() -> impl Strategy<Value = u32> {
    prop_oneof![2u32..100, 60_000u32..70_000, 2u32..=u32::MAX, Just(65_536), Just(65_537), Just(u32::MAX)]
}

fn counted(field: &Field, tours: Tours, options: &Options) -> BigUint {
    count(field, tours, options, &mut Silent).unwrap().count
}

#[test]
fn residues_of_7x8_are_those_of_the_count() {
    let field = field("7x8");
    for modulus in [3, 65_521, 65_536, 4_294_967_291] {
        for ends in [Ends::One, Ends::Auto, Ends::Meet(28)] {
            let options = Options { modulo: lane(modulus), ends, ..Options::default() };
            assert_eq!(
                counted(&field, Tours::Closed, &options),
                (34_524_432_316u64 % u64::from(modulus)).into()
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn of_random_boards_by_any_way(
        rows in 3u16..6, cols in 4u16..7, holes in prop::collection::vec(0usize..30, 0..4),
        modulus in modulus(), kind in 0usize..4, ends in (0usize..30, 0usize..30), fold in any::<bool>(),
        meet in prop_oneof![Just(None), (2usize..28).prop_map(Some)], every in 3u32..60,
    ) {
        let board = Board::new(rows, cols).unwrap();
        let squares: Vec<_> = board.squares().collect();
        let mut removed: Vec<_> = holes.iter().map(|&h| squares[h % squares.len()]).collect();
        removed.sort_unstable();
        removed.dedup();
        let field = Field::of(&Arena::board(board.without(removed).unwrap(), Leaper::KNIGHT));
        let (first, last) = (ends.0 % field.as_graph().len(), ends.1 % field.as_graph().len());
        let tours = [Tours::Closed, Tours::Paths, Tours::From(first), Tours::Between(first, last)][kind];
        let exact = counted(&field, tours, &Options { method: Method::Hashed, ..Options::default() });
        let residue = exact % modulus;
        let ends = meet.map_or(Ends::One, Ends::Meet);
        let options = Options { modulo: lane(modulus), method: Method::Blocks, ends, fold, ..Options::default() };
        prop_assert_eq!(&counted(&field, tours, &options), &residue);
        prop_assert_eq!(&on(2, || interrupted(&field, tours, &options, every, 2)), &residue);
        let hashed = Options { method: Method::Hashed, ..options.clone() };
        prop_assert_eq!(&counted(&field, tours, &hashed), &residue);
        let part = |index| counted(&field, tours, &Options { cut: Some(Cut { index, count: 3 }), ..options.clone() });
        prop_assert_eq!((0..3).map(part).sum::<BigUint>() % modulus, residue);
    }

    #[test]
    fn with_factors_great_and_below_zero(
        rows in 3u16..6, cols in 4u16..6, seed in prop::collection::vec(factor(), 1..90), closed in any::<bool>(),
        modulus in modulus(), meet in prop_oneof![Just(None), (2usize..20).prop_map(Some)],
    ) {
        let field = weighted(&Board::new(rows, cols).unwrap(), &seed);
        let tours = if closed { Tours::Closed } else { Tours::Paths };
        let exact = count(&field, tours, &Options { method: Method::Hashed, ..Options::default() }, &mut Silent).unwrap();
        let rest = &exact.count % modulus;
        let residue = if exact.negative { (modulus - rest) % modulus } else { rest };
        let ends = meet.map_or(Ends::One, Ends::Meet);
        let options = Options { modulo: lane(modulus), method: Method::Blocks, ends, ..Options::default() };
        prop_assert_eq!(&counted(&field, tours, &options), &residue);
    }
}

#[test]
fn sweeps_of_half_a_board_come_out_the_same() {
    for (name, kind, named) in [
        ("6x6", Kind::Closed, Named::Rot180),
        ("8x8", Kind::Closed, Named::Rot180),
        ("5x6", Kind::Paths, Named::Rot180),
        ("6x6", Kind::Closed, Named::Rot90),
    ] {
        let arena: Arena = name.parse().unwrap();
        let setting = || Setting::new(&arena, Engine::Frontier, None);
        let of = |setting: Setting| {
            let numbers = Census::new(&setting, kind, &Control::new()).symmetric(named, true).unwrap();
            (numbers.tours, numbers.classes)
        };
        let exact = of(setting());
        for bits in [16, 32] {
            assert_eq!(of(setting().by_residues(Some(bits))), exact, "{name} {named:?} {bits}");
        }
    }
}
