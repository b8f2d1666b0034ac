//! Wrapped boards, boxes and pieces of several leapers. The moves of wrapped boards are compared
//! with those on a plane tiled by copies of the board; the counts are compared with counts that use
//! only the graph.

use std::collections::BTreeSet;

use ktour::board::{Board, Piece, Wrap};
use ktour::control::Control;
use ktour::count::{Engine, Request, count};
use ktour::tour::Kind;
use num_bigint::BigUint;

use super::custom_graphs::{ENGINES, build_oracle, count_classes_by_images, count_distinct};
use super::searches_against_oracle::{
    KINDS, assert_board_counts_match_oracle, assert_board_fixed_ends_match_oracle, count_all,
};
use super::sweep_shards_and_snapshots::run_on_threads;

const PIECES: [&str; 5] = ["knight", "wazir", "king", "wazir+camel", "knight+zebra"];

/// Calls `visit` with every board of at most `max_squares` squares, with every wrap and every piece. Counts in `visit`
/// run on one thread.
fn for_each_board(max_squares: i32, mut visit: impl FnMut(&Board, Wrap, (i32, i32), &Piece) + Send) {
    run_on_threads(1, || {
        for rows in 1..=max_squares {
            for cols in 1..=max_squares / rows {
                for wrap in Wrap::ALL {
                    for name in PIECES {
                        let text = format!("board={rows}x{cols} wrap={wrap} piece={name} remove=-");
                        visit(&text.parse().unwrap(), wrap, (rows, cols), &name.parse().unwrap());
                    }
                }
            }
        }
    });
}

/// Returns the squares of the plane, near the board, that are copies of the square (col, row). Follows the
/// joins of edges from one copy to the next.
fn images_in_plane(wrap: Wrap, (rows, cols): (i32, i32), square: (i32, i32)) -> BTreeSet<(i32, i32)> {
    type Join = Box<dyn Fn((i32, i32)) -> (i32, i32)>;
    let mut joins: Vec<Join> = Vec::new();
    for direction in [-1, 1] {
        match wrap {
            Wrap::None | Wrap::Rows => {}
            Wrap::Cols | Wrap::Torus => joins.push(Box::new(move |(c, r)| (c + direction * cols, r))),
            Wrap::Mobius | Wrap::Klein | Wrap::Projective => {
                joins.push(Box::new(move |(c, r)| (c + direction * cols, rows - 1 - r)));
            }
        }
        match wrap {
            Wrap::None | Wrap::Cols | Wrap::Mobius => {}
            Wrap::Rows | Wrap::Torus | Wrap::Klein => {
                joins.push(Box::new(move |(c, r)| (c, r + direction * rows)))
            }
            Wrap::Projective => joins.push(Box::new(move |(c, r)| (cols - 1 - c, r + direction * rows))),
        }
    }
    let mut images = BTreeSet::from([square]);
    let mut pending = vec![square];
    while let Some(square) = pending.pop() {
        for to in joins.iter().map(|step| step(square)) {
            // This area contains every square that a step of 3 reaches from the board, and the copies
            // between.
            let is_near =
                (-8 - cols..2 * cols + 8).contains(&to.0) && (-8 - rows..2 * rows + 8).contains(&to.1);
            if is_near && images.insert(to) {
                pending.push(to);
            }
        }
    }
    images
}

#[test]
fn wrapped_board_moves_match_tiled_plane() {
    let mut boards = 0;
    for_each_board(20, |board, wrap, (rows, cols), piece| {
        let squares: Vec<(i32, i32)> = (0..rows).flat_map(|r| (0..cols).map(move |c| (c, r))).collect();
        for (v, &(c, r)) in squares.iter().enumerate() {
            let destinations: BTreeSet<(i32, i32)> =
                piece.steps().iter().map(|(right, up)| (c + right, r + up)).collect();
            for (w, &to) in squares.iter().enumerate() {
                let is_move = w != v && !images_in_plane(wrap, (rows, cols), to).is_disjoint(&destinations);
                assert_eq!(board.graph().is_edge(v, w), is_move, "{board} {v} {w}");
            }
        }
        boards += 1;
    });
    assert_eq!(boards, 66 * 7 * 5);
}

#[test]
fn engines_count_all_kinds_and_starts_of_small_boards() {
    assert_engines_match_oracle_up_to(6);
}

#[test]
#[ignore = "takes half a minute"]
fn engines_count_all_kinds_and_starts_of_boards_up_to_8_squares() {
    assert_engines_match_oracle_up_to(8);
}

/// Compares the counts of all kinds from every square, and of each kind alone, on all boards of up to `squares` squares.
fn assert_engines_match_oracle_up_to(squares: i32) {
    for_each_board(squares, |board, _, _, _| {
        let table = build_oracle(board).count_by_ends();
        for engine in ENGINES {
            assert_board_counts_match_oracle(board, engine, None, &table);
        }
        if board.len() > 1 {
            assert_board_fixed_ends_match_oracle(board, Engine::Frontier, 0, board.len() - 1, &table);
        }
    });
}

/// Compares distinct counts with the images of every tour, on boards with few enough images.
#[test]
fn distinct_counts_orbits_under_all_automorphisms() {
    let (mut groups, mut boards) = (BTreeSet::new(), 0);
    for_each_board(12, |board, _, _, _| {
        if !board.has_known_symmetries()
            || count_by_subsets(board).1 * board.symmetries().order() as u64 > 40_000
        {
            return;
        }
        boards += 1;
        for kind in KINDS {
            let expected = count_classes_by_images(board, kind) as u64;
            assert_eq!(count_distinct(board, kind, Engine::Auto).unwrap(), expected, "{board} {kind:?}");
        }
        groups.insert(board.symmetries().order());
    });
    assert!(groups.len() > 12 && boards > 700, "{boards} boards, groups of {groups:?}");
}

/// Returns the numbers of closed tours and of paths of a graph of at most 20 vertices. Dynamic programming
/// over pairs of a set of squares and an end: n 2^n numbers of memory, n^2 2^n time.
fn count_by_subsets(board: &Board) -> (u64, u64) {
    let len = board.len();
    let graph = board.graph();
    let neighbours: Vec<u32> =
        (0..len).map(|v| graph.neighbours(v).iter().fold(0, |set, w| set | 1 << w)).collect();
    let count_from = |starts: &[usize]| -> Vec<u64> {
        let mut paths = vec![0u64; len << len];
        starts.iter().for_each(|&v| paths[(1 << v) * len + v] = 1);
        for set in 1usize..1 << len {
            for end in 0..len {
                let count = paths[set * len + end];
                if count == 0 {
                    continue;
                }
                let mut next = neighbours[end] & !(set as u32);
                while next != 0 {
                    let w = next.trailing_zeros() as usize;
                    next &= next - 1;
                    paths[(set | 1 << w) * len + w] += count;
                }
            }
        }
        paths[((1 << len) - 1) * len..].to_vec()
    };
    let all: Vec<usize> = (0..len).collect();
    let directed: u64 = count_from(&all).iter().sum();
    let returning: u64 = count_from(&[0])
        .iter()
        .zip(&neighbours)
        .map(|(count, neighbours)| count * u64::from(neighbours & 1))
        .sum();
    (if len > 2 { returning / 2 } else { 0 }, if len > 1 { directed / 2 } else { 1 })
}

/// Compares the closed tours and paths of every board by each engine with the count by subsets, and the sum
/// over all starts with the total. Searches skip boards with more than `max_visits` paths. Returns the number
/// of counts by each engine.
fn assert_engines_match_subsets_up_to(squares: i32, max_visits: u64) -> [usize; 3] {
    let mut counts = [0; 3];
    for_each_board(squares, |board, _, _, _| {
        let (closed, paths) = count_by_subsets(board);
        for (number, engine) in counts.iter_mut().zip(ENGINES) {
            if engine != Engine::Frontier && paths > max_visits {
                continue;
            }
            *number += 1;
            // A sweep runs once for each orbit of starts, which takes too long on every board.
            let per_start = engine != Engine::Frontier || board.symmetries().orbits().len() < 3;
            let answer = count_all(&Request { engine, per_start, ..Request::new(board.clone()) });
            let found = [Kind::Closed, Kind::Paths].map(|kind| answer.counts.get(kind).cloned().unwrap());
            assert_eq!(found, [closed.into(), paths.into()], "{board} {engine:?}");
            if per_start {
                assert_eq!(answer.per_start.len(), board.len(), "{board} {engine:?}");
                let from = |kind| -> BigUint {
                    answer.per_start.iter().filter_map(|start| start.counts.get(kind)).sum()
                };
                let directions = if board.len() == 1 { 1u64 } else { 2 };
                let directed =
                    [directions * closed * board.len() as u64, directions * paths].map(BigUint::from);
                assert_eq!([from(Kind::Closed), from(Kind::Paths)], directed, "{board} {engine:?}");
            }
        }
    });
    counts
}

/// The sweep counts each of 35 rectangles with every wrap and piece; searches count those with few enough
/// tours.
#[test]
fn engines_agree_on_all_boards_up_to_12_squares() {
    let counts = assert_engines_match_subsets_up_to(12, 20_000);
    assert_eq!(counts[2], 35 * 7 * 5);
    assert!(counts[0] == counts[1] && counts[0] > 800, "{counts:?}");
}

#[test]
#[ignore = "takes half a minute"]
fn engines_agree_on_all_boards_up_to_16_squares() {
    let counts = assert_engines_match_subsets_up_to(16, 100_000);
    assert_eq!(counts[2], 50 * 7 * 5);
    assert!(counts[0] == counts[1] && counts[0] > 1_000, "{counts:?}");
}

/// Takes some minutes on two cores.
#[test]
#[ignore = "takes some minutes"]
fn engines_agree_on_all_boards_up_to_20_squares() {
    assert_eq!(assert_engines_match_subsets_up_to(20, 1_000_000)[2], 66 * 7 * 5);
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
        let request =
            Request { engine: Engine::Frontier, ..Request::of_kind(text.parse::<Board>().unwrap(), kind) };
        let answer = count(&request, &Control::new()).unwrap();
        assert_eq!(answer.counts.get(kind), Some(&expected.into()), "{text}");
    }
}
