//! Boards whose edges are joined, boxes, pieces of several leapers and drawn boards, against a plane of squares that is
//! really rolled up, and against counts that know nothing but the graph.

use std::collections::BTreeSet;

use ktour::board::{Board, Piece, Wrap};
use ktour::control::Control;
use ktour::count::{Engine, Request, count};
use ktour::tour::Kind;
use num_bigint::BigUint;

use super::custom_graphs::{ENGINES, count_classes_by_images, count_distinct, oracle_of};
use super::searches_against_oracle::{
    KINDS, assert_board_counts_match_oracle, assert_board_fixed_ends_match_oracle, count_all,
};

const PIECES: [&str; 5] = ["knight", "wazir", "king", "wazir+camel", "knight+zebra"];

/// Every board of at most so many squares, with every way to join its edges and every piece.
fn for_each_board(most: i32, mut look: impl FnMut(&Board, Wrap, (i32, i32), &Piece)) {
    for rows in 1..=most {
        for cols in 1..=most / rows {
            for wrap in Wrap::ALL {
                for name in PIECES {
                    let text = format!("board={rows}x{cols} wrap={wrap} piece={name} remove=-");
                    look(&text.parse().unwrap(), wrap, (rows, cols), &name.parse().unwrap());
                }
            }
        }
    }
}

/// The squares of the plane, around the board, that are the same one as (col, row): found by walking over edges, one
/// at a time.
fn images_in_plane(wrap: Wrap, (rows, cols): (i32, i32), square: (i32, i32)) -> BTreeSet<(i32, i32)> {
    type Over = Box<dyn Fn((i32, i32)) -> (i32, i32)>;
    let mut over: Vec<Over> = Vec::new();
    for by in [-1, 1] {
        match wrap {
            Wrap::None | Wrap::Rows => {}
            Wrap::Cols | Wrap::Torus => over.push(Box::new(move |(c, r)| (c + by * cols, r))),
            Wrap::Mobius | Wrap::Klein | Wrap::Projective => {
                over.push(Box::new(move |(c, r)| (c + by * cols, rows - 1 - r)));
            }
        }
        match wrap {
            Wrap::None | Wrap::Cols | Wrap::Mobius => {}
            Wrap::Rows | Wrap::Torus | Wrap::Klein => over.push(Box::new(move |(c, r)| (c, r + by * rows))),
            Wrap::Projective => over.push(Box::new(move |(c, r)| (cols - 1 - c, r + by * rows))),
        }
    }
    let mut found = BTreeSet::from([square]);
    let mut fresh = vec![square];
    while let Some(at) = fresh.pop() {
        for to in over.iter().map(|step| step(at)) {
            // Far enough for a step of 3 from anywhere on the board, and for the way there over other copies.
            let is_near =
                (-8 - cols..2 * cols + 8).contains(&to.0) && (-8 - rows..2 * rows + 8).contains(&to.1);
            if is_near && found.insert(to) {
                fresh.push(to);
            }
        }
    }
    found
}

#[test]
fn wrapped_board_moves_match_tiled_plane() {
    let mut looked = 0;
    for_each_board(20, |board, wrap, (rows, cols), piece| {
        let squares: Vec<(i32, i32)> = (0..rows).flat_map(|r| (0..cols).map(move |c| (c, r))).collect();
        for (v, &(c, r)) in squares.iter().enumerate() {
            let near: BTreeSet<(i32, i32)> =
                piece.steps().iter().map(|(right, up)| (c + right, r + up)).collect();
            for (w, &to) in squares.iter().enumerate() {
                let joined = w != v && !images_in_plane(wrap, (rows, cols), to).is_disjoint(&near);
                assert_eq!(board.graph().is_edge(v, w), joined, "{board} {v} {w}");
            }
        }
        looked += 1;
    });
    assert_eq!(looked, 66 * 7 * 5);
}

/// Every kind from every square, and each kind alone.
#[test]
fn engines_count_all_kinds_and_starts_of_small_boards() {
    for_each_board(8, |board, _, _, _| {
        let table = oracle_of(board).table();
        for engine in ENGINES {
            assert_board_counts_match_oracle(board, engine, None, &table);
        }
        if board.len() > 1 {
            assert_board_fixed_ends_match_oracle(board, Engine::Frontier, 0, board.len() - 1, &table);
        }
    });
}

/// On boards of which all images of all tours can be looked at.
#[test]
fn distinct_counts_orbits_under_all_automorphisms() {
    let (mut groups, mut looked) = (BTreeSet::new(), 0);
    for_each_board(12, |board, _, _, _| {
        if !board.has_known_symmetries()
            || count_by_subset_sums(board).1 * board.symmetries().order() as u64 > 40_000
        {
            return;
        }
        looked += 1;
        for kind in KINDS {
            let expected = count_classes_by_images(board, kind) as u64;
            assert_eq!(count_distinct(board, kind, Engine::Auto).unwrap(), expected, "{board} {kind:?}");
        }
        groups.insert(board.symmetries().order());
    });
    assert!(groups.len() > 12 && looked > 700, "{looked} boards, groups of {groups:?}");
}

/// Closed tours and paths of a graph of at most 20 vertices: sets of squares, and where paths through them end.
fn count_by_subset_sums(board: &Board) -> (u64, u64) {
    let len = board.len();
    let graph = board.graph();
    let near: Vec<u32> =
        (0..len).map(|v| graph.neighbours(v).iter().fold(0, |set, w| set | 1 << w)).collect();
    let sweep = |starts: &[usize]| -> Vec<u64> {
        let mut paths = vec![0u64; len << len];
        starts.iter().for_each(|&v| paths[(1 << v) * len + v] = 1);
        for set in 1usize..1 << len {
            for end in 0..len {
                let ways = paths[set * len + end];
                if ways == 0 {
                    continue;
                }
                let mut next = near[end] & !(set as u32);
                while next != 0 {
                    let w = next.trailing_zeros() as usize;
                    next &= next - 1;
                    paths[(set | 1 << w) * len + w] += ways;
                }
            }
        }
        paths[((1 << len) - 1) * len..].to_vec()
    };
    let all: Vec<usize> = (0..len).collect();
    let directed: u64 = sweep(&all).iter().sum();
    let round: u64 = sweep(&[0]).iter().zip(&near).map(|(ways, near)| ways * u64::from(near & 1)).sum();
    (if len > 2 { round / 2 } else { 0 }, if len > 1 { directed / 2 } else { 1 })
}

/// Closed tours and paths of every board by every engine that has not too many to visit; and those from every start
/// add up to them. Gives how many times each engine counted.
fn check_all_boards_up_to(squares: i32, visits: u64) -> [usize; 3] {
    let mut counts = [0; 3];
    for_each_board(squares, |board, _, _, _| {
        let (closed, paths) = count_by_subset_sums(board);
        for (number, engine) in counts.iter_mut().zip(ENGINES) {
            if engine != Engine::Frontier && paths > visits {
                continue;
            }
            *number += 1;
            // A sweep for every start that no symmetry maps to another is too much for every board.
            let per_start = engine != Engine::Frontier || board.symmetries().orbits().len() < 3;
            let answer = count_all(&Request { engine, per_start, ..Request::new(board.clone()) });
            let found = [Kind::Closed, Kind::Paths].map(|kind| answer.counts.get(kind).cloned().unwrap());
            assert_eq!(found, [closed.into(), paths.into()], "{board} {engine:?}");
            if per_start {
                assert_eq!(answer.per_start.len(), board.len(), "{board} {engine:?}");
                let from = |kind| -> BigUint {
                    answer.per_start.iter().filter_map(|start| start.counts.get(kind)).sum()
                };
                let both = if board.len() == 1 { 1u64 } else { 2 };
                let directed = [both * closed * board.len() as u64, both * paths].map(BigUint::from);
                assert_eq!([from(Kind::Closed), from(Kind::Paths)], directed, "{board} {engine:?}");
            }
        }
    });
    counts
}

/// The sweep counts each of 50 shapes with every wrap and piece, the searches those of not too many tours.
#[test]
fn engines_agree_on_all_boards_up_to_16_squares() {
    let counts = check_all_boards_up_to(16, 100_000);
    assert_eq!(counts[2], 50 * 7 * 5);
    assert!(counts[0] == counts[1] && counts[0] > 1_000, "{counts:?}");
}

/// Some minutes on two cores.
#[test]
#[ignore = "long"]
fn engines_agree_on_all_boards_up_to_20_squares() {
    assert_eq!(check_all_boards_up_to(20, 1_000_000)[2], 66 * 7 * 5);
}

#[test]
fn counts_match_published_numbers_of_wrapped_boards_and_boxes() {
    for (text, kind, expected) in [
        // Grid graphs, OEIS A003763; their paths, A096969 (directed).
        ("board=4x4 piece=wazir remove=-", Kind::Closed, 6u64),
        ("board=6x6 piece=wazir remove=-", Kind::Closed, 1072),
        ("board=8x8 piece=wazir remove=-", Kind::Closed, 4_638_576),
        ("board=10x10 piece=wazir remove=-", Kind::Closed, 467_260_456_608),
        // Kings, OEIS A140519.
        ("board=4x4 piece=king remove=-", Kind::Closed, 2830),
        ("board=5x5 piece=king remove=-", Kind::Closed, 2_462_064),
        ("board=6x6 piece=king remove=-", Kind::Closed, 22_853_860_116),
    ] {
        let request = Request {
            kind: Some(kind),
            engine: Engine::Frontier,
            ..Request::new(text.parse::<Board>().unwrap())
        };
        let answer = count(&request, &Control::new()).unwrap();
        assert_eq!(answer.counts.get(kind), Some(&expected.into()), "{text}");
    }
}
