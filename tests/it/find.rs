//! Finding tours: small boards against the theorems and an exhaustive search; large and narrow
//! boards, fixed ends, every rule, holes, other pieces, wrapped boards and graphs.

use ktour::board::{Board, Graph, Leaper, Rectangle, Square};
use ktour::control::Control;
use ktour::heuristic::{
    FindMethod, FindOutcome, FindRequest, Obstacle, Rule, SearchOutcome, closed_tour_exists, find,
    find_under, solve, tour_exists,
};
use ktour::random::Random;
use ktour::tour::{Kind, Tour, TourKind, TourSpec, TourSpecError};

/// Returns a request for one tour of a board, between these squares where they are given.
fn request_between(
    board: impl Into<Board>,
    kind: Kind,
    start: Option<Square>,
    end: Option<Square>,
) -> FindRequest {
    let board = board.into();
    let vertex = |square: Square| board.vertex(&square.to_string()).unwrap();
    FindRequest::new(TourSpec::new(board.clone(), kind, start.map(vertex), end.map(vertex)).unwrap())
}

fn new_request(board: &Rectangle, kind: Kind) -> FindRequest {
    request_between(board.clone(), kind, None, None)
}

fn find_between(rows: u16, cols: u16, kind: Kind, start: Option<Square>, end: Option<Square>) -> FindOutcome {
    find(&request_between(Rectangle::new(rows, cols).unwrap(), kind, start, end))
}

fn find_on_board(rows: u16, cols: u16, kind: Kind) -> FindOutcome {
    find_between(rows, cols, kind, None, None)
}

fn found_tour(outcome: FindOutcome) -> Option<Tour> {
    match outcome {
        FindOutcome::Found { tour, .. } => Some(tour),
        FindOutcome::Impossible(_) => None,
        FindOutcome::GaveUp { attempts } => panic!("gave up after {attempts}"),
        FindOutcome::Stopped => panic!("the search stopped without a request"),
    }
}

/// Returns whether a complete search without theorems finds one of the tours, or `None` if the search gives up.
fn search_exhaustively(tours: &TourSpec) -> Option<bool> {
    match solve(tours, 1, 200_000, &Control::new()) {
        SearchOutcome::Tour(_) => Some(true),
        SearchOutcome::Impossible => Some(false),
        SearchOutcome::GaveUp => None,
    }
}

#[test]
fn find_agrees_with_theorems_on_boards_up_to_12x12() {
    for rows in 1..=12 {
        for cols in 1..=12 {
            let path = found_tour(find_on_board(rows, cols, Kind::Paths));
            assert_eq!(path.is_some(), tour_exists(rows, cols), "{rows}x{cols}");
            let open_path = found_tour(find_on_board(rows, cols, Kind::Open));
            assert_eq!(open_path.is_some(), tour_exists(rows, cols), "{rows}x{cols} open");
            assert!(open_path.is_none_or(|tour| tour.kind() == TourKind::Open), "{rows}x{cols} open");
            let cycle = found_tour(find_on_board(rows, cols, Kind::Closed));
            assert_eq!(cycle.is_some(), closed_tour_exists(rows, cols), "{rows}x{cols} closed");
            assert!(cycle.is_none_or(|tour| tour.kind() == TourKind::Closed), "{rows}x{cols} closed");
        }
    }
}

#[test]
fn theorems_agree_with_exhaustive_search() {
    for rows in 1..=12 {
        for cols in rows..=12 {
            // The search takes seconds to refute closed tours of 4 x 11 and 4 x 12. The sweeps of boards with
            // 4 rows cover them.
            if rows == 4 && cols > 10 {
                continue;
            }
            let board: Board = Rectangle::new(rows, cols).unwrap().into();
            let path = search_exhaustively(&TourSpec::all(board.clone(), Kind::Paths));
            assert_eq!(path, Some(tour_exists(rows, cols)), "{rows}x{cols}");
            let cycle = search_exhaustively(&TourSpec::all(board, Kind::Closed));
            assert_eq!(cycle, Some(closed_tour_exists(rows, cols)), "{rows}x{cols} closed");
        }
    }
}

#[test]
fn find_succeeds_on_large_boards_of_every_residue() {
    for rows in 3..=24 {
        for cols in [13, 14, 15, 16, 17, 18, 30, 31, 50, 75] {
            for (rows, cols) in [(rows, cols), (cols, rows)] {
                assert!(found_tour(find_on_board(rows, cols, Kind::Paths)).is_some(), "{rows}x{cols}");
                assert!(found_tour(find_on_board(rows, cols, Kind::Open)).is_some(), "{rows}x{cols} open");
                let cycle = found_tour(find_on_board(rows, cols, Kind::Closed));
                assert_eq!(cycle.is_some(), closed_tour_exists(rows, cols), "{rows}x{cols} closed");
            }
        }
    }
    for side in [76, 200, 333, 1000] {
        assert!(found_tour(find_on_board(side, side, Kind::Paths)).is_some());
        assert_eq!(found_tour(find_on_board(side, side, Kind::Closed)).is_some(), side % 2 == 0);
    }
}

#[test]
fn find_joins_blocks_into_closed_tour_of_2000x2000() {
    // The tour is assembled from blocks. A heuristic walk or a search on 4 million squares would not end.
    let FindOutcome::Found { tour, method: found_by } = find_on_board(2000, 2000, Kind::Closed) else {
        panic!("no closed tour of 2000x2000")
    };
    assert_eq!((tour.vertices().len(), found_by), (4_000_000, FindMethod::Blocks));
}

#[test]
fn find_decides_long_narrow_boards() {
    for rows in [3, 4] {
        for cols in [1000, 1001, 65_535] {
            assert!(found_tour(find_on_board(rows, cols, Kind::Paths)).is_some());
            assert_eq!(
                found_tour(find_on_board(cols, rows, Kind::Closed)).is_some(),
                rows == 3 && cols % 2 == 0
            );
        }
    }
    assert!(matches!(
        find_on_board(2, 60_000, Kind::Paths),
        FindOutcome::Impossible(Obstacle::NoTourOnRectangle(..))
    ));
}

#[test]
fn find_succeeds_from_every_start_of_allowed_colour() {
    for (rows, cols) in [(5, 5), (5, 6), (6, 6), (7, 8), (8, 8), (5, 13), (13, 17), (12, 20)] {
        let board = Rectangle::new(rows, cols).unwrap();
        for square in board.squares() {
            let allowed = board.len().is_multiple_of(2) || square.is_dark();
            let found = found_tour(find_between(rows, cols, Kind::Paths, Some(square), None));
            assert_eq!(found.is_some(), allowed, "{rows}x{cols} from {square}");
            assert!(found.is_none_or(|tour| tour.squares().unwrap()[0] == square));
            let found = found_tour(find_between(rows, cols, Kind::Paths, None, Some(square)));
            assert!(
                found.is_none_or(|tour| tour.squares().unwrap().last() == Some(&square)),
                "{rows}x{cols} to {square}"
            );
        }
    }
}

#[test]
fn find_on_narrow_boards_agrees_with_exhaustive_search() {
    for (rows, cols) in [(3, 4), (3, 7), (8, 3), (4, 5), (6, 4)] {
        let board: Board = Rectangle::new(rows, cols).unwrap().into();
        let squares = u32::from(rows * cols);
        for (start, end) in (0..squares).flat_map(|s| (0..squares).map(move |t| (s, t))) {
            let request =
                TourSpec::new(board.clone(), Kind::Paths, Some(start), Some(end)).map(FindRequest::new);
            if start == end {
                assert!(matches!(request, Err(TourSpecError::SameEnds(_))), "{rows}x{cols} {start}");
                continue;
            }
            let request = request.unwrap();
            let found = found_tour(find(&request)).is_some();
            assert_eq!(search_exhaustively(&request.tours), Some(found), "{rows}x{cols} {start} to {end}");
        }
    }
}

#[test]
fn find_with_both_ends_succeeds_from_6x6() {
    let mut rng = Random::new(11);
    for (rows, cols) in [(6, 6), (7, 7), (6, 9), (8, 8), (12, 12), (13, 13), (11, 30), (40, 41), (75, 33)] {
        for _ in 0..30 {
            let mut square =
                || Square::new(rng.below(usize::from(cols)) as u16, rng.below(usize::from(rows)) as u16);
            let (start, end) = (square(), square());
            if start == end {
                continue;
            }
            match find_between(rows, cols, Kind::Paths, Some(start), Some(end)) {
                FindOutcome::Found { tour, .. } => {
                    assert_eq!(
                        (
                            tour.squares().unwrap()[0],
                            tour.squares().unwrap()[tour.squares().unwrap().len() - 1]
                        ),
                        (start, end)
                    );
                }
                FindOutcome::Impossible(reason) => assert!(
                    matches!(reason, Obstacle::WrongEndColour(_) | Obstacle::WrongEndColours(..)),
                    "{rows}x{cols} {start} {end}: {reason}"
                ),
                other => panic!("{rows}x{cols} {start} {end}: {other:?}"),
            }
        }
    }
}

#[test]
fn find_closed_starts_at_given_square() {
    let square = |name: &str| Some(name.parse::<Square>().unwrap());
    for (rows, cols) in [(3, 10), (6, 6), (12, 13), (30, 40)] {
        for start in ["a1", "a3", "b2"].map(square) {
            let found = found_tour(find_between(rows, cols, Kind::Closed, start, None)).unwrap();
            assert_eq!((found.kind(), found.squares().unwrap().first()), (TourKind::Closed, start.as_ref()));
        }
    }
}

#[test]
fn every_rule_finds_path_from_every_square() {
    let board = Rectangle::new(8, 8).unwrap();
    for rule in Rule::ALL {
        for start in board.squares() {
            let request = request_between(board.clone(), Kind::Paths, Some(start), None);
            let found = find(&FindRequest { rule, ..request });
            assert_eq!(found_tour(found).unwrap().squares().unwrap()[0], start, "{rule}");
        }
        let found = find(&FindRequest { rule, ..new_request(&board, Kind::Closed) });
        assert_eq!(found_tour(found).unwrap().kind(), TourKind::Closed, "{rule}");
    }
}

#[test]
fn squirrel_cull_succeeds_without_restart() {
    for side in (112..=160).chain([200, 400]) {
        let board = Rectangle::new(side, side).unwrap();
        let outcome =
            find(&FindRequest { rule: "squirrel-cull".parse().unwrap(), ..new_request(&board, Kind::Paths) });
        assert!(
            matches!(outcome, FindOutcome::Found { method: FindMethod::Rule { attempt: 1, .. }, .. }),
            "{side}"
        );
    }
}

#[test]
fn same_seed_finds_same_tour() {
    for rule in [Rule::AUTO, Rule::WARNSDORFF] {
        for rows in [8, 30] {
            let board = Rectangle::new(rows, rows).unwrap();
            let find_with_seed = |seed| find(&FindRequest { seed, rule, ..new_request(&board, Kind::Paths) });
            assert_eq!(find_with_seed(5), find_with_seed(5), "{rule} {rows}");
            assert_ne!(find_with_seed(5), find_with_seed(6), "{rule} {rows}");
        }
    }
}

#[test]
fn find_decides_boards_with_holes_and_other_pieces() {
    let find_on = |board: &str, removed: &[&str], leaper: (u16, u16), kind: Kind| {
        let board: Rectangle = board.parse().unwrap();
        let board = board.without(removed.iter().map(|name| name.parse().unwrap())).unwrap();
        let leaper = Leaper::new(leaper.0, leaper.1).unwrap();
        find(&FindRequest::new(TourSpec::all((board, leaper).into(), kind)))
    };
    assert!(found_tour(find_on("3x3", &["b2"], (1, 2), Kind::Closed)).is_some());
    assert!(found_tour(find_on("8x8", &["a1", "b1"], (1, 2), Kind::Closed)).is_some());
    assert!(found_tour(find_on("30x31", &["c3", "d5", "e6", "z30"], (1, 2), Kind::Paths)).is_some());
    assert!(found_tour(find_on("10x10", &[], (2, 3), Kind::Closed)).is_some());
    assert!(found_tour(find_on("10x10", &[], (1, 4), Kind::Closed)).is_some());
    assert!(found_tour(find_on("9x9", &[], (0, 1), Kind::Paths)).is_some());
    // The camel never leaves the squares of one colour.
    assert!(matches!(
        find_on("8x8", &[], (1, 3), Kind::Paths),
        FindOutcome::Impossible(Obstacle::Unreachable(..))
    ));
    assert!(matches!(
        find_on("8x8", &["a1"], (1, 2), Kind::Closed),
        FindOutcome::Impossible(Obstacle::Colours { .. })
    ));
    let corner = find_on("6x6", &["b3", "c2", "a2", "a3"], (1, 2), Kind::Closed);
    assert!(matches!(corner, FindOutcome::Impossible(_)), "{corner:?}");
}

#[test]
fn find_succeeds_on_large_boards_with_holes() {
    for side in [50, 77, 100, 500] {
        for (removed, start, is_closed) in [
            (&["c3", "d3"][..], None, true),
            (&["a1"], None, false),
            (&["c3", "d3", "z40", "z41"], None, true),
            (&["a2", "b5", "d4", "e5"], Some("h8"), false),
            (&["ab1", "ac1"], Some("c3"), true),
        ] {
            let board = Rectangle::new(side, side).unwrap();
            let board = board.without(removed.iter().map(|name| name.parse().unwrap())).unwrap();
            let start = start.map(|name| name.parse().unwrap());
            for seed in 0..3 {
                let kind = if is_closed { Kind::Closed } else { Kind::Paths };
                match find(&FindRequest { seed, ..request_between(board.clone(), kind, start, None) }) {
                    FindOutcome::Found { tour, .. } => {
                        assert!(
                            start.is_none_or(|start| tour.squares().unwrap()[0] == start),
                            "{side} {removed:?}"
                        );
                    }
                    FindOutcome::Impossible(Obstacle::Colours { .. } | Obstacle::WrongEndColour(_))
                        if side % 2 == 1 => {}
                    other => panic!("{side} {removed:?} {seed}: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn find_gives_up_after_last_attempt() {
    // Warnsdorff's rule practically never succeeds on a board of this size.
    let board = Rectangle::new(400, 400).unwrap();
    let outcome =
        find(&FindRequest { rule: Rule::WARNSDORFF, attempts: 3, ..new_request(&board, Kind::Paths) });
    assert_eq!(outcome, FindOutcome::GaveUp { attempts: 3 });
}

#[test]
fn cancelled_find_stops() {
    let control = Control::new();
    control.cancel();
    for rule in [Rule::AUTO, "w+".parse().unwrap()] {
        let request = FindRequest { rule, ..new_request(&Rectangle::new(8, 8).unwrap(), Kind::Paths) };
        assert_eq!(find_under(&request, &control), FindOutcome::Stopped, "{rule}");
        assert_eq!(find_under(&request, &Control::new()), find(&request), "{rule}");
    }
}

#[test]
fn find_works_on_wrapped_boards_and_graphs() {
    let petersen = (0..5).flat_map(|i| [(i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5)]);
    let petersen = Board::from_graph(Graph::from_edges(10, petersen));
    let find_on_petersen =
        |kind, start| find(&FindRequest::new(TourSpec::new(petersen.clone(), kind, start, None).unwrap()));
    assert_eq!(find_on_petersen(Kind::Closed, None), FindOutcome::Impossible(Obstacle::SearchExhausted));
    let path = found_tour(find_on_petersen(Kind::Paths, Some(7))).unwrap();
    assert_eq!(path.vertices()[0], 7);
    let outcome =
        find(&FindRequest::new(TourSpec::all(Board::from_graph(Graph::from_edges(0, [])), Kind::Paths)));
    assert_eq!(outcome, FindOutcome::Impossible(Obstacle::Empty));
}

#[test]
fn find_returns_tour_or_reason() {
    let find_on = |text: &str, kind, start| {
        find(&FindRequest::new(TourSpec::new(text.parse().unwrap(), kind, start, None).unwrap()))
    };
    for text in [
        "board=4x30 wrap=cols piece=1,2 remove=-",
        "board=4x10 wrap=cols piece=1,2 remove=-",
        "board=3x3x3 piece=0,1 remove=-",
        "board=9x9 piece=0,1 remove=-",
        "board=12x12 wrap=rows piece=0,1 remove=b1,b3,b5",
    ] {
        let found = find_on(text, Kind::Closed, None);
        let FindOutcome::Impossible(reason) = found else { panic!("{text}: {found:?}") };
        assert_ne!(reason, Obstacle::SearchExhausted, "{text}");
    }
    for text in [
        "board=4x31 wrap=cols piece=1,2 remove=-",
        "board=20x20x20 piece=0,1 remove=-",
        "board=9x9x9 piece=0,1+1,1 remove=-",
        "board=1x17x18 piece=0,1 remove=-",
        "board=21x17 wrap=mobius piece=0,1 remove=-",
        "board=19x19 wrap=projective piece=0,1 remove=-",
    ] {
        assert!(found_tour(find_on(text, Kind::Closed, None)).is_some(), "{text}");
        let path = found_tour(find_on(text, Kind::Open, Some(100)));
        assert!(
            path.is_some_and(|tour| tour.vertices()[0] == 100 && tour.kind() == TourKind::Open),
            "{text}"
        );
    }
}
