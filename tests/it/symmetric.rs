//! Symmetric tours against every tour looked at, on small boards of all kinds, and against published numbers.

use std::collections::BTreeSet;

use ktour::board::{Board, Element, Leaper, SymmetryGroup};
use ktour::count::Engine;
use ktour::count::symmetric::{Action, Setting};
use ktour::search::meter::Meter;
use ktour::tour::Kind;

use crate::oracle::Oracle;

pub fn board(text: &str, removed: &[&str]) -> Board {
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

/// The moves of a tour, and those with their direction.
fn moves(
    tour: &[usize],
    kind: Kind,
    image: impl Fn(usize) -> usize,
) -> (BTreeSet<(usize, usize)>, BTreeSet<(usize, usize)>) {
    let len = tour.len();
    let steps = if kind == Kind::Closed { len } else { len - 1 };
    let arcs: BTreeSet<_> = (0..steps).map(|i| (image(tour[i]), image(tour[(i + 1) % len]))).collect();
    (arcs.iter().map(|&(v, w)| (v.min(w), v.max(w))).collect(), arcs)
}

/// What a symmetry does to a tour that it keeps, by its set of moves.
fn action(tour: &[usize], kind: Kind, element: &Element) -> Option<Action> {
    let (edges, arcs) = moves(tour, kind, |v| v);
    let (image_edges, image_arcs) = moves(tour, kind, |v| element.image[v] as usize);
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
                    let setting = Setting::new(board, leaper, engine, None);
                    let found = setting.fixed(element, kind, wanted, &Meter::default()).unwrap();
                    assert_eq!(
                        found,
                        expected.into(),
                        "{board} without {:?}, {leaper}: {kind:?} kept by {:?}, {wanted:?}, {engine:?}",
                        board.removed(),
                        element.symmetry
                    );
                }
            }
        }
    }
}

#[test]
fn small_boards_have_the_symmetric_tours_that_were_seen() {
    let boards = [
        "1x1", "1x2", "2x3", "3x3", "3x4", "3x5", "3x6", "3x7", "3x8", "4x4", "4x5", "3x9", "5x5", "3x10",
        "10x3",
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
