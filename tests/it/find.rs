//! Finding tours: every small board against the theorems, large boards, ends, holes, other pieces.

use ktour::board::{Arena, Board, Graph, Leaper, Square};
use ktour::control::Control;
use ktour::heuristic::{
    FindRequest, Goal, Means, Obstacle, Outcome, Rule, Solved, Want, closed_tour_exists, find, find_under,
    solve, tour_exists,
};
use ktour::random::Random;
use ktour::tour::{Tour, TourKind};

fn closed() -> Goal {
    Goal { closed: true, ..Goal::default() }
}

fn open() -> Goal {
    Goal { open: true, ..Goal::default() }
}

fn ask(rows: u16, cols: u16, goal: Goal) -> Outcome {
    let board = Board::new(rows, cols).unwrap();
    find(&FindRequest { want: goal.want(&board), ..FindRequest::new(board) })
}

fn tour(outcome: Outcome) -> Option<Tour> {
    match outcome {
        Outcome::Found { tour, .. } => Some(tour),
        Outcome::Impossible(_) => None,
        Outcome::GaveUp { attempts } => panic!("gave up after {attempts}"),
        Outcome::Stopped => panic!("nobody stopped it"),
    }
}

/// Whether a complete search, without any theorem, finds a tour.
fn searched(rows: u16, cols: u16, want: Want) -> Option<bool> {
    let graph = Graph::new(&Board::new(rows, cols).unwrap(), Leaper::KNIGHT);
    match solve(&graph, want, 1, 200_000) {
        Solved::Tour(_) => Some(true),
        Solved::Impossible => Some(false),
        Solved::GaveUp => None,
    }
}

#[test]
fn every_board_to_twelve_agrees_with_the_theorems() {
    for rows in 1..=12 {
        for cols in 1..=12 {
            let path = tour(ask(rows, cols, Goal::default()));
            assert_eq!(path.is_some(), tour_exists(rows, cols), "{rows}x{cols}");
            let strict = tour(ask(rows, cols, open()));
            assert_eq!(strict.is_some(), tour_exists(rows, cols), "{rows}x{cols} open");
            assert!(strict.is_none_or(|tour| tour.kind() == TourKind::Open), "{rows}x{cols} open");
            let cycle = tour(ask(rows, cols, closed()));
            assert_eq!(cycle.is_some(), closed_tour_exists(rows, cols), "{rows}x{cols} closed");
            assert!(cycle.is_none_or(|tour| tour.kind() == TourKind::Closed), "{rows}x{cols} closed");
        }
    }
}

#[test]
fn theorems_agree_with_a_complete_search() {
    for rows in 1..=12 {
        for cols in rows..=12 {
            // 4 x 11 and 4 x 12 closed are refuted in seconds only; the sweep of the strip covers them.
            if rows == 4 && cols > 10 {
                continue;
            }
            let path = searched(rows, cols, Want::default());
            assert_eq!(path, Some(tour_exists(rows, cols)), "{rows}x{cols}");
            let cycle = searched(rows, cols, Want { closed: true, ..Want::default() });
            assert_eq!(cycle, Some(closed_tour_exists(rows, cols)), "{rows}x{cols} closed");
        }
    }
}

#[test]
fn large_boards_of_every_residue_have_tours() {
    for rows in 3..=24 {
        for cols in [13, 14, 15, 16, 17, 18, 30, 31, 50, 75] {
            for (rows, cols) in [(rows, cols), (cols, rows)] {
                assert!(tour(ask(rows, cols, Goal::default())).is_some(), "{rows}x{cols}");
                assert!(tour(ask(rows, cols, open())).is_some(), "{rows}x{cols} open");
                let cycle = tour(ask(rows, cols, closed()));
                assert_eq!(cycle.is_some(), closed_tour_exists(rows, cols), "{rows}x{cols} closed");
            }
        }
    }
    for side in [76, 200, 333, 1000] {
        assert!(tour(ask(side, side, Goal::default())).is_some());
        assert_eq!(tour(ask(side, side, closed())).is_some(), side % 2 == 0);
    }
}

#[test]
fn a_closed_tour_of_two_thousand_squared_is_made_of_blocks() {
    // Nothing is searched: a walk or a search on so many squares would not end.
    let Outcome::Found { tour, by } = ask(2000, 2000, closed()) else { panic!("there is one") };
    assert_eq!((tour.vertices().len(), by), (4_000_000, Means::Blocks));
}

#[test]
fn narrow_boards_of_great_length_are_decided() {
    for rows in [3, 4] {
        for cols in [1000, 1001, 65_535] {
            assert!(tour(ask(rows, cols, Goal::default())).is_some());
            assert_eq!(tour(ask(cols, rows, closed())).is_some(), rows == 3 && cols % 2 == 0);
        }
    }
    assert!(matches!(ask(2, 60_000, Goal::default()), Outcome::Impossible(Obstacle::TooSmall(..))));
}

#[test]
fn every_start_that_colour_allows_has_a_tour() {
    for (rows, cols) in [(5, 5), (5, 6), (6, 6), (7, 8), (8, 8), (5, 13), (13, 17), (12, 20)] {
        let board = Board::new(rows, cols).unwrap();
        for square in board.squares() {
            let allowed = board.len().is_multiple_of(2) || square.is_dark();
            let start = Goal { start: Some(square), ..Goal::default() };
            let found = tour(ask(rows, cols, start));
            assert_eq!(found.is_some(), allowed, "{rows}x{cols} from {square}");
            assert!(found.is_none_or(|tour| tour.squares().unwrap()[0] == square));
            let end = Goal { end: Some(square), ..Goal::default() };
            let found = tour(ask(rows, cols, end));
            assert!(
                found.is_none_or(|tour| tour.squares().unwrap().last() == Some(&square)),
                "{rows}x{cols} to {square}"
            );
        }
    }
}

#[test]
fn narrow_boards_from_every_square_agree_with_a_complete_search() {
    for (rows, cols) in [(3, 4), (3, 7), (8, 3), (4, 5), (6, 4)] {
        let board = Board::new(rows, cols).unwrap();
        let squares: Vec<Square> = board.squares().collect();
        for (s, &start) in squares.iter().enumerate() {
            for (t, &end) in squares.iter().enumerate() {
                let goal = Goal { start: Some(start), end: Some(end), ..Goal::default() };
                let found = tour(ask(rows, cols, goal)).is_some();
                let want = Want { start: Some(s), end: Some(t), ..Want::default() };
                assert_eq!(searched(rows, cols, want), Some(found), "{rows}x{cols} {start} to {end}");
            }
        }
    }
}

#[test]
fn both_ends_can_be_named_on_boards_of_six_and_more() {
    let mut rng = Random::new(11);
    for (rows, cols) in [(6, 6), (7, 7), (6, 9), (8, 8), (12, 12), (13, 13), (11, 30), (40, 41), (75, 33)] {
        for _ in 0..30 {
            let mut square =
                || Square::new(rng.below(usize::from(cols)) as u16, rng.below(usize::from(rows)) as u16);
            let (start, end) = (square(), square());
            let goal = Goal { start: Some(start), end: Some(end), ..Goal::default() };
            match ask(rows, cols, goal) {
                Outcome::Found { tour, .. } => {
                    assert_eq!(
                        (
                            tour.squares().unwrap()[0],
                            tour.squares().unwrap()[tour.squares().unwrap().len() - 1]
                        ),
                        (start, end)
                    );
                }
                Outcome::Impossible(reason) => assert!(
                    matches!(
                        reason,
                        Obstacle::EndColour(_) | Obstacle::EndColours(..) | Obstacle::SameEnds(_)
                    ),
                    "{rows}x{cols} {start} {end}: {reason}"
                ),
                other => panic!("{rows}x{cols} {start} {end}: {other:?}"),
            }
        }
    }
}

#[test]
fn closed_tours_begin_and_end_where_they_should() {
    let square = |name: &str| Some(name.parse::<Square>().unwrap());
    for (rows, cols) in [(3, 10), (6, 6), (12, 13), (30, 40)] {
        for (start, end) in [("a3", ""), ("", "b2"), ("a1", "b3")] {
            let goal = Goal {
                closed: true,
                start: if start.is_empty() { None } else { square(start) },
                end: if end.is_empty() { None } else { square(end) },
                ..Goal::default()
            };
            let found = tour(ask(rows, cols, goal)).unwrap();
            assert!(goal.start.is_none_or(|start| found.squares().unwrap()[0] == start));
            assert!(goal.end.is_none_or(|end| found.squares().unwrap().last() == Some(&end)));
        }
    }
    let goal = Goal { closed: true, start: square("a1"), end: square("d4"), ..Goal::default() };
    assert!(matches!(ask(8, 8, goal), Outcome::Impossible(Obstacle::NotClosing(..))));
}

#[test]
fn every_rule_opens_from_every_square_of_the_chessboard() {
    let board = Board::new(8, 8).unwrap();
    for rule in Rule::ALL {
        for start in board.squares() {
            let goal = Goal { start: Some(start), ..Goal::default() };
            let found =
                find(&FindRequest { want: goal.want(&board), rule, ..FindRequest::new(board.clone()) });
            assert_eq!(tour(found).unwrap().squares().unwrap()[0], start, "{rule}");
        }
        let found =
            find(&FindRequest { want: closed().want(&board), rule, ..FindRequest::new(board.clone()) });
        assert_eq!(tour(found).unwrap().kind(), TourKind::Closed, "{rule}");
    }
}

#[test]
fn squirrel_and_cull_succeed_at_once_on_large_boards() {
    for side in (112..=160).chain([200, 400]) {
        let board = Board::new(side, side).unwrap();
        let outcome = find(&FindRequest { rule: Rule::SquirrelCull, ..FindRequest::new(board) });
        assert!(matches!(outcome, Outcome::Found { by: Means::Rule { attempt: 1, .. }, .. }), "{side}");
    }
}

#[test]
fn a_seed_decides_everything() {
    for rule in [Rule::Auto, Rule::Warnsdorff] {
        for rows in [8, 30] {
            let board = Board::new(rows, rows).unwrap();
            let with = |seed| find(&FindRequest { seed, rule, ..FindRequest::new(board.clone()) });
            assert_eq!(with(5), with(5), "{rule} {rows}");
            assert_ne!(with(5), with(6), "{rule} {rows}");
        }
    }
}

#[test]
fn holes_and_other_pieces_are_found_or_refuted() {
    let ask = |board: &str, removed: &[&str], leaper: (u16, u16), goal: Goal| {
        let board: Board = board.parse().unwrap();
        let board = board.without(removed.iter().map(|name| name.parse().unwrap())).unwrap();
        let leaper = Leaper::new(leaper.0, leaper.1).unwrap();
        find(&FindRequest { want: goal.want(&board), ..FindRequest::new((board, leaper)) })
    };
    assert!(tour(ask("3x3", &["b2"], (1, 2), closed())).is_some());
    assert!(tour(ask("8x8", &["a1", "b1"], (1, 2), closed())).is_some());
    assert!(tour(ask("30x31", &["c3", "d5", "e6", "z30"], (1, 2), Goal::default())).is_some());
    assert!(tour(ask("10x10", &[], (2, 3), closed())).is_some());
    assert!(tour(ask("10x10", &[], (1, 4), closed())).is_some());
    assert!(tour(ask("9x9", &[], (0, 1), Goal::default())).is_some());
    // The camel stays on squares of one colour.
    assert!(matches!(
        ask("8x8", &[], (1, 3), Goal::default()),
        Outcome::Impossible(Obstacle::OutOfReach(..))
    ));
    assert!(matches!(ask("8x8", &["a1"], (1, 2), closed()), Outcome::Impossible(Obstacle::Colours { .. })));
    let corner = ask("6x6", &["b3", "c2", "a2", "a3"], (1, 2), closed());
    assert!(matches!(corner, Outcome::Impossible(_)), "{corner:?}");
}

#[test]
fn large_boards_with_holes_have_tours_around_them() {
    for side in [50, 77, 100, 500] {
        for (removed, start, is_closed) in [
            (&["c3", "d3"][..], None, true),
            (&["a1"], None, false),
            (&["c3", "d3", "z40", "z41"], None, true),
            (&["a2", "b5", "d4", "e5"], Some("h8"), false),
            (&["ab1", "ac1"], Some("c3"), true),
        ] {
            let board = Board::new(side, side).unwrap();
            let board = board.without(removed.iter().map(|name| name.parse().unwrap())).unwrap();
            let start = start.map(|name| name.parse().unwrap());
            for seed in 0..3 {
                let goal = Goal { closed: is_closed, start, ..Goal::default() };
                match find(&FindRequest { want: goal.want(&board), seed, ..FindRequest::new(board.clone()) })
                {
                    Outcome::Found { tour, .. } => {
                        assert!(
                            start.is_none_or(|start| tour.squares().unwrap()[0] == start),
                            "{side} {removed:?}"
                        );
                    }
                    Outcome::Impossible(Obstacle::Colours { .. } | Obstacle::EndColour(_))
                        if side % 2 == 1 => {}
                    other => panic!("{side} {removed:?} {seed}: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn rules_give_up_honestly() {
    // Warnsdorff's rule has no chance on such a board.
    let board = Board::new(400, 400).unwrap();
    let outcome = find(&FindRequest { rule: Rule::Warnsdorff, attempts: 3, ..FindRequest::new(board) });
    assert_eq!(outcome, Outcome::GaveUp { attempts: 3 });
}

#[test]
fn a_cancelled_search_stops() {
    let control = Control::new();
    control.cancel();
    for rule in [Rule::Auto, Rule::WPlus] {
        let request = FindRequest { rule, ..FindRequest::new(Board::new(8, 8).unwrap()) };
        assert_eq!(find_under(&request, &control), Outcome::Stopped, "{rule}");
        assert_eq!(find_under(&request, &Control::new()), find(&request), "{rule}");
    }
}

#[test]
fn tours_of_any_arena_are_looked_for() {
    let petersen = (0..5).flat_map(|i| [(i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5)]);
    let petersen = Arena::from_graph(Graph::from_edges(10, petersen));
    let closed = Want { closed: true, ..Want::default() };
    let ask = |want| find(&FindRequest { want, ..FindRequest::new(petersen.clone()) });
    assert_eq!(ask(closed), Outcome::Impossible(Obstacle::Searched));
    let path = tour(ask(Want { start: Some(7), ..Want::default() })).unwrap();
    assert_eq!(path.vertices()[0], 7);
    let none = find(&FindRequest::new(Arena::from_graph(Graph::from_edges(0, []))));
    assert_eq!(none, Outcome::Impossible(Obstacle::Empty));
}

#[test]
fn a_reason_is_given_or_a_tour_on_every_board() {
    let closed = Want { closed: true, ..Want::default() };
    let ask =
        |text: &str, want| find(&FindRequest { want, ..FindRequest::new(text.parse::<Arena>().unwrap()) });
    for text in [
        "board=4x30 wrap=cols piece=1,2 remove=-",
        "board=4x10 wrap=cols piece=1,2 remove=-",
        "board=3x3x3 piece=0,1 remove=-",
        "board=9x9 piece=0,1 remove=-",
        "board=12x12 wrap=rows piece=0,1 remove=b1,b3,b5",
    ] {
        let found = ask(text, closed);
        let Outcome::Impossible(reason) = found else { panic!("{text}: {found:?}") };
        assert_ne!(reason, Obstacle::Searched, "{text}");
    }
    for text in [
        "board=4x31 wrap=cols piece=1,2 remove=-",
        "board=20x20x20 piece=0,1 remove=-",
        "board=9x9x9 piece=0,1+1,1 remove=-",
        "board=1x17x18 piece=0,1 remove=-",
        "board=21x17 wrap=mobius piece=0,1 remove=-",
        "board=19x19 wrap=projective piece=0,1 remove=-",
    ] {
        assert!(tour(ask(text, closed)).is_some(), "{text}");
        let from = tour(ask(text, Want { start: Some(100), apart: true, ..Want::default() }));
        assert!(
            from.is_some_and(|tour| tour.vertices()[0] == 100 && tour.kind() == TourKind::Open),
            "{text}"
        );
    }
}
