//! Symmetric tours against every tour looked at, on small boards of all kinds, and against published numbers.

use std::collections::BTreeSet;

use ktour::board::{Board, Element, Leaper, Rectangle, Symmetry, SymmetryGroup};
use ktour::control::Control;
use ktour::count::published_counts::published_symmetric_counts;
use ktour::count::symmetric::{Action, ClassCounter, ClassNumbers, NamedSymmetry, SymmetricContext};
use ktour::count::{CountError, Engine, Request};
use ktour::tour::{Kind, SymmetryClass};
use num_traits::ToPrimitive;

use super::oracle::Oracle;
use super::searches_against_oracle::count_all;

fn board_without(text: &str, removed: &[&str]) -> Rectangle {
    text.parse::<Rectangle>().unwrap().without(removed.iter().map(|s| s.parse().unwrap())).unwrap()
}

/// Every tour of a kind, as the squares in order of visit.
fn all_tours(board: &Rectangle, leaper: Leaper, kind: Kind) -> Vec<Vec<usize>> {
    let oracle = Oracle::from_board(board, leaper);
    let len = board.len();
    let mut found = Vec::new();
    let starts = if kind == Kind::Closed { 0..1 } else { 0..len };
    for start in starts {
        oracle.for_each_path_from(start, &mut |path| {
            let last = path[len - 1];
            let re_entrant = len > 2 && oracle.near[start].contains(&last);
            let wanted = match kind {
                Kind::Closed => re_entrant && path[1] < last,
                Kind::Open => !re_entrant && start <= last,
                Kind::Paths => start <= last,
            };
            if wanted {
                found.push(path.to_vec());
            }
        });
    }
    found
}

/// The moves of a tour's image: without direction, and with it.
fn image_moves(tour: &[usize], kind: Kind, image: impl Fn(usize) -> usize) -> [BTreeSet<(usize, usize)>; 2] {
    let len = tour.len();
    let steps = if kind == Kind::Closed { len } else { len - 1 };
    let arcs: BTreeSet<_> = (0..steps).map(|i| (image(tour[i]), image(tour[(i + 1) % len]))).collect();
    [arcs.iter().map(|&(v, w)| (v.min(w), v.max(w))).collect(), arcs]
}

/// What a symmetry does to a tour that it keeps, by its set of moves.
fn action_on_tour(tour: &[usize], kind: Kind, element: &Element) -> Option<Action> {
    let [edges, arcs] = image_moves(tour, kind, |v| v);
    let [image_edges, image_arcs] = image_moves(tour, kind, |v| element.image[v] as usize);
    let kept = edges == image_edges && tour.len() > 1;
    kept.then(|| if arcs == image_arcs { Action::Preserves } else { Action::Reverses })
}

fn check_symmetric_counts(board: &Rectangle, leaper: Leaper) {
    let group = SymmetryGroup::from_rectangle(board);
    // All paths of larger boards take the plain search too long.
    let kinds = [Kind::Closed, Kind::Open, Kind::Paths];
    for kind in kinds.into_iter().take(if board.len() > 27 { 1 } else { 3 }) {
        let tours = all_tours(board, leaper, kind);
        for element in &group.elements()[1..] {
            for wanted in Action::ALL {
                let expected =
                    tours.iter().filter(|tour| action_on_tour(tour, kind, element) == Some(wanted)).count();
                for engine in [Engine::Multipath, Engine::Frontier, Engine::Auto] {
                    let setting =
                        SymmetricContext::new(&Board::from_leaper(board.clone(), leaper), engine, None);
                    let found = setting.count_fixed(element, kind, wanted, &Control::new()).unwrap();
                    assert_eq!(
                        found,
                        expected.into(),
                        "{board} without {:?}, {leaper}: {kind:?} kept by {:?}, {wanted:?}, {engine:?}",
                        board.removed(),
                        element.names
                    );
                }
            }
        }
    }
}

#[test]
fn symmetric_counts_match_exhaustive_lists_on_small_boards() {
    let boards = [
        "1x1", "1x2", "2x3", "3x3", "3x4", "3x5", "3x6", "3x7", "3x8", "4x4", "4x5", "3x9", "4x6", "5x5",
        "3x10", "10x3",
    ];
    for text in boards {
        check_symmetric_counts(&board_without(text, &[]), Leaper::KNIGHT);
    }
}

#[test]
fn symmetric_counts_match_exhaustive_lists_on_boards_with_holes() {
    for (text, removed) in [
        ("3x3", &["b2"][..]),
        ("4x4", &["a1", "d4"]),
        ("4x4", &["a1"]),
        ("4x4", &["a1", "a4", "d1", "d4"]),
        ("5x5", &["c3"]),
        ("5x5", &["a1", "e5"]),
        ("5x5", &["a1", "e1", "a5", "e5"]),
        ("5x5", &["a3", "c1", "c5", "e3"]),
        ("5x5", &["b2", "c3", "d4"]),
        ("4x6", &["b2", "e3"]),
        ("4x6", &["c1", "c4", "d1", "d4"]),
        ("3x8", &["d2", "e2"]),
        ("5x5", &["a1", "c3", "e5"]),
    ] {
        check_symmetric_counts(&board_without(text, removed), Leaper::KNIGHT);
    }
}

#[test]
fn symmetric_counts_match_exhaustive_lists_for_other_leapers() {
    for (text, removed, leaper) in [
        ("2x2", &[][..], "0,1"),
        ("2x3", &[], "0,1"),
        ("3x3", &[], "0,1"),
        ("3x4", &[], "0,1"),
        ("4x4", &[], "0,1"),
        ("4x5", &[], "0,1"),
        ("3x3", &["b2"], "0,1"),
        ("4x4", &["b2", "c2", "b3", "c3"], "0,1"),
        ("5x5", &["c3"], "0,1"),
        ("5x5", &["b2", "d4", "b4", "d2"], "0,1"),
        ("1x2", &[], "0,1"),
        ("1x5", &[], "0,1"),
        ("4x4", &[], "1,3"),
        ("5x5", &[], "1,1"),
        ("5x6", &[], "2,3"),
    ] {
        check_symmetric_counts(&board_without(text, removed), leaper.parse().unwrap());
    }
}

/// Tours by class of symmetry and by name of a symmetry, and the classes of each, from every tour's own images.
#[test]
fn class_counts_match_exhaustive_lists() {
    for (text, removed) in [("4x4", &[][..]), ("4x5", &[]), ("4x6", &[]), ("3x3", &["b2"]), ("5x5", &["c3"])]
    {
        let board = board_without(text, removed);
        let leaper: Leaper = "0,1".parse().unwrap();
        let group = SymmetryGroup::from_rectangle(&board);
        for kind in [Kind::Closed, Kind::Open, Kind::Paths] {
            if kind != Kind::Closed && board.len() > 16 {
                continue;
            }
            let tours = all_tours(&board, leaper, kind);
            let acts = |tour: &Vec<usize>| -> Vec<(Symmetry, Action)> {
                let elements = group.elements()[1..].iter();
                elements.filter_map(|e| Some((e.names[0], action_on_tour(tour, kind, e)?))).collect()
            };
            let count = |wanted: &dyn Fn(&Vec<usize>) -> bool| {
                let chosen: Vec<&Vec<usize>> = tours.iter().filter(|tour| wanted(tour)).collect();
                let class = |tour: &&Vec<usize>| {
                    let images = group.elements().iter();
                    images.map(|e| image_moves(tour, kind, |v| e.image[v] as usize)[0].clone()).min().unwrap()
                };
                let classes: BTreeSet<_> = chosen.iter().map(class).collect();
                (chosen.len() as u64, classes.len() as u64)
            };
            for engine in [Engine::Multipath, Engine::Frontier] {
                let setting = SymmetricContext::new(&Board::from_leaper(board.clone(), leaper), engine, None);
                let control = Control::new();
                let mut census = ClassCounter::new(&setting, kind, &control);
                let numbers = |n: &ClassNumbers| (n.tours.to_u64().unwrap(), n.classes.to_u64().unwrap());
                for named in NamedSymmetry::ALL.into_iter().filter(|named| named.applies_to(kind)) {
                    let has = |tour: &Vec<usize>| acts(tour).iter().any(|&(s, a)| named.matches(s, a));
                    let found = numbers(&census.count_with_symmetry(named, true).unwrap());
                    assert_eq!(found, count(&has), "{board} {kind:?} {named:?} {engine:?}");
                }
                let table = census.class_table(&tours.len().into()).unwrap();
                assert_eq!(numbers(&table.total), count(&|_| true), "{board} {kind:?}");
                for (class, found) in &table.rows {
                    let is = |tour: &Vec<usize>| class_of(&acts(tour), kind) == *class;
                    assert_eq!(numbers(found), count(&is), "{board} {kind:?} {class:?} {engine:?}");
                }
            }
        }
    }
}

fn class_of(acts: &[(Symmetry, Action)], kind: Kind) -> SymmetryClass {
    use Symmetry::{FlipHorizontal, FlipVertical, Rotate90, Rotate180};
    match acts {
        [] => SymmetryClass::Asymmetric,
        [(Rotate180, _)] if kind != Kind::Closed => SymmetryClass::Rot180,
        [(Rotate180, Action::Preserves)] => SymmetryClass::Eulerian,
        [(Rotate180, Action::Reverses)] => SymmetryClass::Bergholtian,
        [(FlipHorizontal | FlipVertical, _)] => SymmetryClass::Axial,
        [_] => SymmetryClass::Diagonal,
        [(Rotate90, _), (Rotate180, _), (symmetry, _)] if symmetry.needs_square() => SymmetryClass::Rot90,
        _ => SymmetryClass::Several,
    }
}

#[test]
fn wazir_6x6_class_counts_match_hand_count() {
    for engine in [Engine::Multipath, Engine::Frontier, Engine::Auto] {
        let setting = SymmetricContext::new(&"board=6x6 piece=0,1 remove=-".parse().unwrap(), engine, None);
        let control = Control::new();
        let table = ClassCounter::new(&setting, Kind::Closed, &control).class_table(&1072u32.into()).unwrap();
        let found = |classes: &[SymmetryClass]| {
            let rows = table.rows.iter().filter(|(class, _)| classes.contains(class));
            rows.fold((0, 0), |(tours, distinct), (_, numbers)| {
                let ClassNumbers { tours: more, classes } = numbers;
                (tours + more.to_u64().unwrap(), distinct + classes.to_u64().unwrap())
            })
        };
        assert_eq!(found(&[SymmetryClass::Axial]), (76, 19));
        assert_eq!(found(&[SymmetryClass::Eulerian, SymmetryClass::Bergholtian]), (20, 5));
        assert_eq!(found(&[SymmetryClass::Rot90]), (2, 1));
        assert_eq!(found(&[SymmetryClass::Several]), (6, 3));
        assert_eq!(table.total.classes, 149u32.into());
    }
}

/// All tours with a symmetry, and their classes.
fn count_symmetric(
    board: &str,
    leaper: &str,
    kind: Kind,
    named: NamedSymmetry,
    engine: Engine,
) -> (u64, u64) {
    let setting = SymmetricContext::new(
        &format!("board={board} piece={leaper} remove=-").parse().unwrap(),
        engine,
        None,
    );
    let control = Control::new();
    let numbers = ClassCounter::new(&setting, kind, &control).count_with_symmetry(named, true).unwrap();
    (numbers.tours.to_u64().unwrap(), numbers.classes.to_u64().unwrap())
}

#[test]
fn symmetric_counts_of_large_boards_match_known_numbers() {
    let closed = Kind::Closed;
    for engine in [Engine::Multipath, Engine::Frontier, Engine::Auto] {
        assert_eq!(
            count_symmetric("8x8", "1,2", closed, NamedSymmetry::Rot180, engine),
            (2_432_932, 608_233)
        );
        assert_eq!(count_symmetric("8x8", "1,2", closed, NamedSymmetry::Rot90, engine), (0, 0));
        assert_eq!(count_symmetric("10x10", "1,2", closed, NamedSymmetry::Rot90, engine), (831_804, 415_902));
        assert_eq!(count_symmetric("10x10", "1,4", closed, NamedSymmetry::Rot90, engine), (100, 50));
        assert_eq!(count_symmetric("6x8", "1,2", closed, NamedSymmetry::Rot180, engine).0, 5634);
        assert_eq!(count_symmetric("6x10", "1,2", closed, NamedSymmetry::Rot180, engine).0, 394_128);
    }
}

#[test]
fn distinct_8x8_closed_matches_known_number() {
    // Tours without symmetry are not visited, or this would not end.
    let setting = SymmetricContext::new(&"8x8".parse().unwrap(), Engine::Auto, None);
    let control = Control::new();
    let table = ClassCounter::new(&setting, Kind::Closed, &control)
        .class_table(&13_267_364_410_532u64.into())
        .unwrap();
    assert_eq!(table.total.classes, 1_658_420_855_433u64.into());
    let row = |class| &table.rows.iter().find(|row| row.0 == class).unwrap().1;
    assert_eq!(row(SymmetryClass::Asymmetric).classes, 1_658_420_247_200u64.into());
    assert_eq!(row(SymmetryClass::Eulerian).classes, 608_233u64.into());
}

#[test]
fn paths_on_boards_with_even_sides_have_no_symmetry() {
    for board in ["4x6", "6x6", "6x8", "8x8", "10x10"] {
        let setting = SymmetricContext::new(&board.parse().unwrap(), Engine::Auto, None);
        let control = Control::new();
        for kind in [Kind::Paths, Kind::Open] {
            let rows = ClassCounter::new(&setting, kind, &control).symmetric_classes().unwrap();
            assert!(rows.iter().all(|(_, numbers)| *numbers == Default::default()), "{board}");
        }
    }
    // All 3,318,960 paths of 6x6: eight images each.
    let distinct = SymmetricContext::new(&"6x6".parse().unwrap(), Engine::Auto, None);
    let control = Control::new();
    assert_eq!(
        ClassCounter::new(&distinct, Kind::Paths, &control).count_distinct(&3_318_960u32.into()).unwrap(),
        414_870u32.into()
    );
}

#[test]
fn impossible_number_is_not_reported() {
    let setting = SymmetricContext::new(&"6x6".parse().unwrap(), Engine::Auto, None);
    let control = Control::new();
    let mut census = ClassCounter::new(&setting, Kind::Closed, &control);
    assert!(census.count_distinct(&9862u32.into()).is_ok());
    assert!(matches!(census.count_distinct(&9863u32.into()), Err(CountError::TheoremViolation(_))));
    assert!(matches!(census.class_table(&76u32.into()), Err(CountError::TheoremViolation(_))));
}

#[test]
fn symmetric_counts_match_published_numbers() {
    let mut numbers = 0;
    for number in published_symmetric_counts().into_iter().filter(|number| !number.quantity.needs_total()) {
        // The others take `ktour verify` some seconds.
        if number.rectangle.len() > 72 {
            continue;
        }
        let computed = number.compute(Engine::Auto, &Control::new(), || unreachable!()).unwrap();
        assert_eq!(computed, number.count, "{}", number.title());
        numbers += 1;
    }
    assert!(numbers > 140, "{numbers}");
}

#[test]
fn distinct_counts_match_published_numbers() {
    let mut numbers = 0;
    for number in published_symmetric_counts().into_iter().filter(|number| number.quantity.needs_total()) {
        if number.rectangle.len() > 36 {
            continue;
        }
        let request =
            Request { kind: Some(number.kind), ..Request::new((number.rectangle.clone(), number.leaper)) };
        let total = || Ok(count_all(&request).counts.get(number.kind).unwrap().clone());
        for engine in [Engine::Multipath, Engine::Frontier] {
            let computed = number.compute(engine, &Control::new(), total).unwrap();
            assert_eq!(computed, number.count, "{}", number.title());
        }
        numbers += 1;
    }
    assert!(numbers > 15, "{numbers}");
}
