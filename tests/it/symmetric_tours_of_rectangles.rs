//! Compares counts of symmetric tours on rectangles with a list of all tours, each mapped by every
//! symmetry, on small boards; and with published numbers.

use std::collections::BTreeSet;

use ktour::board::{Board, Element, Leaper, Rectangle, Symmetry, SymmetryGroup};
use ktour::control::Control;
use ktour::count::published_counts::published_symmetric_counts;
use ktour::count::symmetric::{ClassCounter, ClassNumbers, NamedSymmetry, SymmetricContext};
use ktour::count::{CountError, Engine, Request};
use ktour::tour::{Action, Kind, SymmetryClass, TourSpec};
use num_traits::ToPrimitive;

use super::oracle::Oracle;
use super::searches_against_oracle::count_all;

fn board_without(text: &str, removed: &[&str]) -> Rectangle {
    text.parse::<Rectangle>().unwrap().without(removed.iter().map(|s| s.parse().unwrap())).unwrap()
}

/// Returns every tour of a kind, as squares in order of visit.
fn list_tours(board: &Rectangle, leaper: Leaper, kind: Kind) -> Vec<Vec<usize>> {
    let oracle = Oracle::from_board(board, leaper);
    let len = board.len();
    let mut tours = Vec::new();
    let starts = if kind == Kind::Closed { 0..1 } else { 0..len };
    for start in starts {
        oracle.for_each_path_from(start, &mut |path| {
            let last = path[len - 1];
            let re_entrant = len > 2 && oracle.neighbours[start].contains(&last);
            let is_of_kind = match kind {
                Kind::Closed => re_entrant && path[1] < last,
                Kind::Open => !re_entrant && start <= last,
                Kind::Paths => start <= last,
            };
            if is_of_kind {
                tours.push(path.to_vec());
            }
        });
    }
    tours
}

/// Returns the moves of a tour's image: without direction, and with direction.
fn map_moves(tour: &[usize], kind: Kind, image: impl Fn(usize) -> usize) -> [BTreeSet<(usize, usize)>; 2] {
    let len = tour.len();
    let steps = if kind == Kind::Closed { len } else { len - 1 };
    let arcs: BTreeSet<_> = (0..steps).map(|i| (image(tour[i]), image(tour[(i + 1) % len]))).collect();
    [arcs.iter().map(|&(v, w)| (v.min(w), v.max(w))).collect(), arcs]
}

/// Returns how a symmetry acts on a tour: `None` if it changes the set of moves.
fn action_on_tour(tour: &[usize], kind: Kind, element: &Element) -> Option<Action> {
    let [edges, arcs] = map_moves(tour, kind, |v| v);
    let [image_edges, image_arcs] = map_moves(tour, kind, |v| element.image[v] as usize);
    let is_preserved = edges == image_edges && tour.len() > 1;
    is_preserved.then(|| if arcs == image_arcs { Action::Preserves } else { Action::Reverses })
}

fn assert_symmetric_counts_match_list(board: &Rectangle, leaper: Leaper) {
    let group = SymmetryGroup::from_rectangle(board);
    // The exhaustive list of all paths takes too long on larger boards.
    let kinds = [Kind::Closed, Kind::Open, Kind::Paths];
    for kind in kinds.into_iter().take(if board.len() > 27 { 1 } else { 3 }) {
        let tours = list_tours(board, leaper, kind);
        let has = |tour: &Vec<usize>, named: NamedSymmetry| {
            group.elements()[1..].iter().any(|element| {
                let action = action_on_tour(tour, kind, element);
                action.is_some_and(|action| element.names.iter().any(|&name| named.matches(name, action)))
            })
        };
        for engine in [Engine::Multipath, Engine::Frontier, Engine::Auto] {
            let all = TourSpec::all(Board::from_leaper(board.clone(), leaper), Kind::Paths);
            let context = SymmetricContext::new(all, engine, None).unwrap().for_kind(kind);
            let control = Control::new();
            let mut counter = ClassCounter::new(&context, &control);
            for named in NamedSymmetry::ALL.into_iter().filter(|named| named.applies_to(kind)) {
                let expected = tours.iter().filter(|tour| has(tour, named)).count();
                assert_eq!(
                    counter.count_with_symmetry(named, false).unwrap().tours,
                    expected.into(),
                    "{board} without {:?}, {leaper}: {kind:?}, {named:?}, {engine:?}",
                    board.removed()
                );
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
        assert_symmetric_counts_match_list(&board_without(text, &[]), Leaper::KNIGHT);
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
        assert_symmetric_counts_match_list(&board_without(text, removed), Leaper::KNIGHT);
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
        assert_symmetric_counts_match_list(&board_without(text, removed), leaper.parse().unwrap());
    }
}

/// Compares the numbers of tours and of classes, by symmetry class and by named symmetry, with the images of
/// every tour.
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
            let tours = list_tours(&board, leaper, kind);
            let actions_on = |tour: &Vec<usize>| -> Vec<(Symmetry, Action)> {
                let elements = group.elements()[1..].iter();
                elements.filter_map(|e| Some((e.names[0], action_on_tour(tour, kind, e)?))).collect()
            };
            let count = |selects: &dyn Fn(&Vec<usize>) -> bool| {
                let selected: Vec<&Vec<usize>> = tours.iter().filter(|tour| selects(tour)).collect();
                let class = |tour: &&Vec<usize>| {
                    let images = group.elements().iter();
                    images.map(|e| map_moves(tour, kind, |v| e.image[v] as usize)[0].clone()).min().unwrap()
                };
                let classes: BTreeSet<_> = selected.iter().map(class).collect();
                (selected.len() as u64, classes.len() as u64)
            };
            for engine in [Engine::Multipath, Engine::Frontier] {
                let context = SymmetricContext::new(
                    TourSpec::all(Board::from_leaper(board.clone(), leaper), Kind::Paths),
                    engine,
                    None,
                )
                .unwrap();
                let control = Control::new();
                let mut counter = ClassCounter::new(&context.for_kind(kind), &control);
                let numbers = |n: &ClassNumbers| (n.tours.to_u64().unwrap(), n.classes.to_u64().unwrap());
                for named in NamedSymmetry::ALL.into_iter().filter(|named| named.applies_to(kind)) {
                    let has = |tour: &Vec<usize>| actions_on(tour).iter().any(|&(s, a)| named.matches(s, a));
                    let counted = numbers(&counter.count_with_symmetry(named, true).unwrap());
                    assert_eq!(counted, count(&has), "{board} {kind:?} {named:?} {engine:?}");
                }
                let table = counter.class_table(&tours.len().into()).unwrap();
                assert_eq!(numbers(&table.total), count(&|_| true), "{board} {kind:?}");
                for (class, counted) in &table.rows {
                    let is = |tour: &Vec<usize>| class_from_actions(&actions_on(tour), kind) == *class;
                    assert_eq!(numbers(counted), count(&is), "{board} {kind:?} {class:?} {engine:?}");
                }
            }
        }
    }
}

/// Returns the symmetry class of a tour from the actions of the symmetries that preserve it.
fn class_from_actions(actions: &[(Symmetry, Action)], kind: Kind) -> SymmetryClass {
    use Symmetry::{FlipHorizontal, FlipVertical, Rotate90, Rotate180};
    match actions {
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
        let context = SymmetricContext::new(
            TourSpec::all("board=6x6 piece=0,1 remove=-".parse().unwrap(), Kind::Paths),
            engine,
            None,
        )
        .unwrap();
        let control = Control::new();
        let table = ClassCounter::new(&context.for_kind(Kind::Closed), &control)
            .class_table(&1072u32.into())
            .unwrap();
        let sum_of = |classes: &[SymmetryClass]| {
            let rows = table.rows.iter().filter(|(class, _)| classes.contains(class));
            rows.fold((0, 0), |(tours, distinct), (_, numbers)| {
                let ClassNumbers { tours: more, classes } = numbers;
                (tours + more.to_u64().unwrap(), distinct + classes.to_u64().unwrap())
            })
        };
        assert_eq!(sum_of(&[SymmetryClass::Axial]), (76, 19));
        assert_eq!(sum_of(&[SymmetryClass::Eulerian, SymmetryClass::Bergholtian]), (20, 5));
        assert_eq!(sum_of(&[SymmetryClass::Rot90]), (2, 1));
        assert_eq!(sum_of(&[SymmetryClass::Several]), (6, 3));
        assert_eq!(table.total.classes, 149u32.into());
    }
}

/// Returns the numbers of tours with a symmetry and of their classes.
fn count_symmetric(
    board: &str,
    leaper: &str,
    kind: Kind,
    named: NamedSymmetry,
    engine: Engine,
) -> (u64, u64) {
    let context = SymmetricContext::new(
        TourSpec::all(format!("board={board} piece={leaper} remove=-").parse().unwrap(), Kind::Paths),
        engine,
        None,
    )
    .unwrap();
    let control = Control::new();
    let numbers =
        ClassCounter::new(&context.for_kind(kind), &control).count_with_symmetry(named, true).unwrap();
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
    // The count must not visit tours without symmetry, or it would take years.
    let context =
        SymmetricContext::new(TourSpec::all("8x8".parse().unwrap(), Kind::Paths), Engine::Auto, None)
            .unwrap();
    let control = Control::new();
    let table = ClassCounter::new(&context.for_kind(Kind::Closed), &control)
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
        let context =
            SymmetricContext::new(TourSpec::all(board.parse().unwrap(), Kind::Paths), Engine::Auto, None)
                .unwrap();
        let control = Control::new();
        for kind in [Kind::Paths, Kind::Open] {
            let rows = ClassCounter::new(&context.for_kind(kind), &control).symmetric_classes().unwrap();
            assert!(rows.iter().all(|(_, numbers)| *numbers == Default::default()), "{board}");
        }
    }
    // Each of the 3,318,960 paths of 6x6 has eight images.
    let context =
        SymmetricContext::new(TourSpec::all("6x6".parse().unwrap(), Kind::Paths), Engine::Auto, None)
            .unwrap();
    let control = Control::new();
    assert_eq!(
        ClassCounter::new(&context.for_kind(Kind::Paths), &control)
            .count_distinct(&3_318_960u32.into())
            .unwrap(),
        414_870u32.into()
    );
}

#[test]
fn impossible_number_is_not_reported() {
    let context =
        SymmetricContext::new(TourSpec::all("6x6".parse().unwrap(), Kind::Paths), Engine::Auto, None)
            .unwrap();
    let control = Control::new();
    let mut counter = ClassCounter::new(&context.for_kind(Kind::Closed), &control);
    assert!(counter.count_distinct(&9862u32.into()).is_ok());
    assert!(matches!(counter.count_distinct(&9863u32.into()), Err(CountError::TheoremViolation(_))));
    assert!(matches!(counter.class_table(&76u32.into()), Err(CountError::TheoremViolation(_))));
}

#[test]
fn symmetric_counts_match_published_numbers() {
    let mut numbers = 0;
    for number in published_symmetric_counts().into_iter().filter(|number| !number.quantity.needs_total()) {
        // Larger boards take `ktour verify` several seconds.
        if number.rectangle.len() > 72 {
            continue;
        }
        let (computed, _) = number.compute(Engine::Auto, &Control::new(), || unreachable!()).unwrap();
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
        let request = Request::of_kind((number.rectangle.clone(), number.leaper), number.kind);
        let total = || Ok(count_all(&request).counts.get(number.kind).unwrap().clone());
        for engine in [Engine::Multipath, Engine::Frontier] {
            let (computed, _) = number.compute(engine, &Control::new(), total).unwrap();
            assert_eq!(computed, number.count, "{}", number.title());
        }
        numbers += 1;
    }
    assert!(numbers > 15, "{numbers}");
}
