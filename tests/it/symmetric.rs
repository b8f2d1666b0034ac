//! Symmetric tours against every tour looked at, on small boards of all kinds, and against published numbers.

use std::collections::BTreeSet;

use ktour::board::{Arena, Board, Element, Leaper, Symmetry, SymmetryGroup};
use ktour::control::Control;
use ktour::count::symmetric::published::published;
use ktour::count::symmetric::{Action, Census, Named, Numbers, Setting};
use ktour::count::{CountError, Engine, Request};
use ktour::tour::{Kind, SymmetryClass};
use num_traits::ToPrimitive;

use crate::kernels::counted;
use crate::oracle::Oracle;

fn board(text: &str, removed: &[&str]) -> Board {
    text.parse::<Board>().unwrap().without(removed.iter().map(|s| s.parse().unwrap())).unwrap()
}

/// Every tour of a kind, as the squares in order of visit.
fn tours(board: &Board, leaper: Leaper, kind: Kind) -> Vec<Vec<usize>> {
    let oracle = Oracle::of(board, leaper);
    let len = board.len();
    let mut found = Vec::new();
    let starts = if kind == Kind::Closed { 0..1 } else { 0..len };
    for start in starts {
        oracle.paths_from(start, &mut |path| {
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
fn moves(tour: &[usize], kind: Kind, image: impl Fn(usize) -> usize) -> [BTreeSet<(usize, usize)>; 2] {
    let len = tour.len();
    let steps = if kind == Kind::Closed { len } else { len - 1 };
    let arcs: BTreeSet<_> = (0..steps).map(|i| (image(tour[i]), image(tour[(i + 1) % len]))).collect();
    [arcs.iter().map(|&(v, w)| (v.min(w), v.max(w))).collect(), arcs]
}

/// What a symmetry does to a tour that it keeps, by its set of moves.
fn action(tour: &[usize], kind: Kind, element: &Element) -> Option<Action> {
    let [edges, arcs] = moves(tour, kind, |v| v);
    let [image_edges, image_arcs] = moves(tour, kind, |v| element.image[v] as usize);
    let kept = edges == image_edges && tour.len() > 1;
    kept.then(|| if arcs == image_arcs { Action::Keeps } else { Action::Reverses })
}

fn check(board: &Board, leaper: Leaper) {
    let group = SymmetryGroup::of(board);
    // All paths of larger boards take the plain search too long.
    let kinds = [Kind::Closed, Kind::Open, Kind::Paths];
    for kind in kinds.into_iter().take(if board.len() > 27 { 1 } else { 3 }) {
        let tours = tours(board, leaper, kind);
        for element in &group.elements()[1..] {
            for wanted in Action::ALL {
                let expected =
                    tours.iter().filter(|tour| action(tour, kind, element) == Some(wanted)).count();
                for engine in [Engine::Multipath, Engine::Frontier, Engine::Auto] {
                    let setting = Setting::new(&Arena::board(board.clone(), leaper), engine, None);
                    let found = setting.fixed(element, kind, wanted, &Control::new()).unwrap();
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
fn small_boards_have_the_symmetric_tours_that_were_seen() {
    let boards = [
        "1x1", "1x2", "2x3", "3x3", "3x4", "3x5", "3x6", "3x7", "3x8", "4x4", "4x5", "3x9", "4x6", "5x5",
        "3x10", "10x3",
    ];
    for text in boards {
        check(&board(text, &[]), Leaper::KNIGHT);
    }
}

#[test]
fn boards_with_holes_have_the_symmetric_tours_that_were_seen() {
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
        check(&board(text, removed), Leaper::KNIGHT);
    }
}

#[test]
fn other_leapers_have_the_symmetric_tours_that_were_seen() {
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
        check(&board(text, removed), leaper.parse().unwrap());
    }
}

/// Tours by class of symmetry and by name of a symmetry, and the classes of each, from every tour's own images.
#[test]
fn tours_by_class_are_those_that_were_seen() {
    for (text, removed) in [("4x4", &[][..]), ("4x5", &[]), ("4x6", &[]), ("3x3", &["b2"]), ("5x5", &["c3"])]
    {
        let board = board(text, removed);
        let leaper: Leaper = "0,1".parse().unwrap();
        let group = SymmetryGroup::of(&board);
        for kind in [Kind::Closed, Kind::Open, Kind::Paths] {
            if kind != Kind::Closed && board.len() > 16 {
                continue;
            }
            let tours = tours(&board, leaper, kind);
            let acts = |tour: &Vec<usize>| -> Vec<(Symmetry, Action)> {
                let elements = group.elements()[1..].iter();
                elements.filter_map(|e| Some((e.names[0], action(tour, kind, e)?))).collect()
            };
            let count = |wanted: &dyn Fn(&Vec<usize>) -> bool| {
                let chosen: Vec<&Vec<usize>> = tours.iter().filter(|tour| wanted(tour)).collect();
                let class = |tour: &&Vec<usize>| {
                    let images = group.elements().iter();
                    images.map(|e| moves(tour, kind, |v| e.image[v] as usize)[0].clone()).min().unwrap()
                };
                let classes: BTreeSet<_> = chosen.iter().map(class).collect();
                (chosen.len() as u64, classes.len() as u64)
            };
            for engine in [Engine::Multipath, Engine::Frontier] {
                let setting = Setting::new(&Arena::board(board.clone(), leaper), engine, None);
                let control = Control::new();
                let mut census = Census::new(&setting, kind, &control);
                let numbers = |n: &Numbers| (n.tours.to_u64().unwrap(), n.classes.to_u64().unwrap());
                for named in Named::ALL.into_iter().filter(|named| named.is_of(kind)) {
                    let has = |tour: &Vec<usize>| acts(tour).iter().any(|&(s, a)| named.is(s, a));
                    let found = numbers(&census.symmetric(named, true).unwrap());
                    assert_eq!(found, count(&has), "{board} {kind:?} {named:?} {engine:?}");
                }
                let table = census.table(&tours.len().into()).unwrap();
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
        [(Rotate180, Action::Keeps)] => SymmetryClass::Eulerian,
        [(Rotate180, Action::Reverses)] => SymmetryClass::Bergholtian,
        [(FlipHorizontal | FlipVertical, _)] => SymmetryClass::Axial,
        [_] => SymmetryClass::Diagonal,
        [(Rotate90, _), (Rotate180, _), (symmetry, _)] if symmetry.needs_square() => SymmetryClass::Rot90,
        _ => SymmetryClass::Several,
    }
}

#[test]
fn rooks_tours_of_six_by_six_are_as_drawn_by_hand() {
    for engine in [Engine::Multipath, Engine::Frontier, Engine::Auto] {
        let setting = Setting::new(&"board=6x6 piece=0,1 remove=-".parse().unwrap(), engine, None);
        let control = Control::new();
        let table = Census::new(&setting, Kind::Closed, &control).table(&1072u32.into()).unwrap();
        let found = |classes: &[SymmetryClass]| {
            let rows = table.rows.iter().filter(|(class, _)| classes.contains(class));
            rows.fold((0, 0), |(tours, distinct), (_, numbers)| {
                let Numbers { tours: more, classes } = numbers;
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
fn symmetric(board: &str, leaper: &str, kind: Kind, named: Named, engine: Engine) -> (u64, u64) {
    let setting =
        Setting::new(&format!("board={board} piece={leaper} remove=-").parse().unwrap(), engine, None);
    let control = Control::new();
    let numbers = Census::new(&setting, kind, &control).symmetric(named, true).unwrap();
    (numbers.tours.to_u64().unwrap(), numbers.classes.to_u64().unwrap())
}

#[test]
fn known_symmetric_tours_of_large_boards() {
    let closed = Kind::Closed;
    for engine in [Engine::Multipath, Engine::Frontier, Engine::Auto] {
        assert_eq!(symmetric("8x8", "1,2", closed, Named::Rot180, engine), (2_432_932, 608_233));
        assert_eq!(symmetric("8x8", "1,2", closed, Named::Rot90, engine), (0, 0));
        assert_eq!(symmetric("10x10", "1,2", closed, Named::Rot90, engine), (831_804, 415_902));
        assert_eq!(symmetric("10x10", "1,4", closed, Named::Rot90, engine), (100, 50));
        assert_eq!(symmetric("6x8", "1,2", closed, Named::Rot180, engine).0, 5634);
        assert_eq!(symmetric("6x10", "1,2", closed, Named::Rot180, engine).0, 394_128);
    }
}

#[test]
fn the_chessboard_up_to_symmetry() {
    // Tours without symmetry are not visited, or this would not end.
    let setting = Setting::new(&"8x8".parse().unwrap(), Engine::Auto, None);
    let control = Control::new();
    let table = Census::new(&setting, Kind::Closed, &control).table(&13_267_364_410_532u64.into()).unwrap();
    assert_eq!(table.total.classes, 1_658_420_855_433u64.into());
    let row = |class| &table.rows.iter().find(|row| row.0 == class).unwrap().1;
    assert_eq!(row(SymmetryClass::Asymmetric).classes, 1_658_420_247_200u64.into());
    assert_eq!(row(SymmetryClass::Eulerian).classes, 608_233u64.into());
}

#[test]
fn paths_of_boards_with_even_sides_have_no_symmetry() {
    for board in ["4x6", "6x6", "6x8", "8x8", "10x10"] {
        let setting = Setting::new(&board.parse().unwrap(), Engine::Auto, None);
        let control = Control::new();
        for kind in [Kind::Paths, Kind::Open] {
            let rows = Census::new(&setting, kind, &control).symmetric_rows().unwrap();
            assert!(rows.iter().all(|(_, numbers)| *numbers == Default::default()), "{board}");
        }
    }
    // All 3,318,960 paths of 6x6: eight images each.
    let distinct = Setting::new(&"6x6".parse().unwrap(), Engine::Auto, None);
    let control = Control::new();
    assert_eq!(
        Census::new(&distinct, Kind::Paths, &control).distinct(&3_318_960u32.into()).unwrap(),
        414_870u32.into()
    );
}

#[test]
fn a_number_that_cannot_be_is_withheld() {
    let setting = Setting::new(&"6x6".parse().unwrap(), Engine::Auto, None);
    let control = Control::new();
    let mut census = Census::new(&setting, Kind::Closed, &control);
    assert!(census.distinct(&9862u32.into()).is_ok());
    assert!(matches!(census.distinct(&9863u32.into()), Err(CountError::Broken(_))));
    assert!(matches!(census.table(&76u32.into()), Err(CountError::Broken(_))));
}

#[test]
fn published_symmetric_tours_are_reproduced() {
    let mut numbers = 0;
    for number in published().into_iter().filter(|number| !number.what.needs_total()) {
        // The others take `ktour verify` some seconds.
        if number.board.len() > 72 {
            continue;
        }
        let computed = number.compute(Engine::Auto, &Control::new(), || unreachable!()).unwrap();
        assert_eq!(computed, number.count, "{}", number.name());
        numbers += 1;
    }
    assert!(numbers > 140, "{numbers}");
}

#[test]
fn published_distinct_tours_of_small_boards_are_reproduced() {
    let mut numbers = 0;
    for number in published().into_iter().filter(|number| number.what.needs_total()) {
        if number.board.len() > 36 {
            continue;
        }
        let request =
            Request { kind: Some(number.kind), ..Request::new((number.board.clone(), number.leaper)) };
        let total = || Ok(counted(&request).counts.get(number.kind).unwrap().clone());
        for engine in [Engine::Multipath, Engine::Frontier] {
            let computed = number.compute(engine, &Control::new(), total).unwrap();
            assert_eq!(computed, number.count, "{}", number.name());
        }
        numbers += 1;
    }
    assert!(numbers > 15, "{numbers}");
}
