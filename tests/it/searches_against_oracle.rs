//! Compares both kinds of search, multipath and backtracking, with the oracle and with each other,
//! and sweeps with both.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use ktour::board::{Bitboard, Board, Leaper, Rectangle};
use ktour::control::Control;
use ktour::count::{Answer, Engine, Request, count};
use ktour::cpu_features;
use ktour::cpu_features::KernelSet;
use ktour::search::backtrack::{Ascending, Backtrack, MoveOrder, StepOrder, Warnsdorff};
use ktour::search::backtrack_plan::BacktrackPlan;
use ktour::search::multipath_plan::MultipathPlan;
use ktour::search::problem::Problem;
use ktour::search::visitor::LastVertexCounter;
use ktour::tour::{Kind, TourSpec};

use super::oracle::{EndTable, Oracle};
use super::sweep_shards_and_snapshots::run_on_threads;

/// The engines that search.
pub const ENGINES: [Engine; 2] = [Engine::Multipath, Engine::Backtrack];
pub const KINDS: [Kind; 3] = [Kind::Closed, Kind::Open, Kind::Paths];

pub fn board(text: &str) -> Rectangle {
    text.parse().unwrap()
}

pub fn leaper(short: u16, long: u16) -> Leaper {
    Leaper::new(short, long).unwrap()
}

/// Returns a request for all kinds, with counts by start square.
pub fn request(board: &Rectangle, leaper: Leaper, engine: Engine) -> Request {
    Request { per_start: true, engine, ..Request::new((board.clone(), leaper)) }
}

/// Runs a request that must succeed.
pub fn count_all(request: &Request) -> Answer {
    count(request, &Control::new()).unwrap_or_else(|error| panic!("{request:?}: {error}"))
}

/// Returns the number of tours of each kind; `None` for a kind that was not counted.
pub fn numbers_by_kind(answer: &Answer) -> [Option<u64>; 3] {
    KINDS.map(|kind| answer.counts.get(kind).map(|count| count.try_into().unwrap()))
}

/// Asserts that an engine's counts equal the oracle's, for all kinds together, each kind alone and every
/// start square.
pub fn assert_counts_match_oracle(
    board: &Rectangle,
    leaper: Leaper,
    engine: Engine,
    split_depth: Option<u32>,
    oracle: &EndTable,
) {
    assert_board_counts_match_oracle(&Board::from_leaper(board.clone(), leaper), engine, split_depth, oracle);
}

/// Like [`assert_counts_match_oracle`], on a board of any kind.
pub fn assert_board_counts_match_oracle(
    board: &Board,
    engine: Engine,
    split_depth: Option<u32>,
    oracle: &EndTable,
) {
    let case = format!("{board}, {engine:?}");
    let all = Request { split_depth, per_start: true, engine, ..Request::new(board.clone()) };
    let expected = [oracle.closed(), oracle.open(), oracle.paths()];
    let answer = count_all(&all);
    assert_eq!(numbers_by_kind(&answer), expected.map(Some), "{case}");
    assert_eq!(answer.per_start.len(), board.len(), "{case}");
    for (v, start) in answer.per_start.iter().enumerate() {
        let from = [&start.counts.closed, &start.counts.open, &start.counts.paths]
            .map(|count| u64::try_from(count.as_ref().unwrap()).unwrap());
        let expected = [oracle.re_entrant_from(v), oracle.open_from(v), oracle.paths_from(v)];
        assert_eq!(start.vertex as usize, v, "{case}");
        assert_eq!(from, expected, "{case} from {}", board.name(start.vertex));
    }
    for (i, kind) in KINDS.into_iter().enumerate() {
        let answer = count_all(&all.clone().with_kind(kind).unwrap());
        let mut only = [None; 3];
        only[i] = Some(expected[i]);
        assert_eq!(numbers_by_kind(&answer), only, "{case} {kind:?} alone");
        assert_eq!(answer.per_start.len(), board.len(), "{case} {kind:?} alone");
    }
}

/// Asserts that counts with a fixed start, a fixed end and both equal the oracle's.
pub fn assert_fixed_ends_match_oracle(
    board: &Rectangle,
    leaper: Leaper,
    engine: Engine,
    v: usize,
    w: usize,
    oracle: &EndTable,
) {
    assert_board_fixed_ends_match_oracle(&Board::from_leaper(board.clone(), leaper), engine, v, w, oracle);
}

/// Like [`assert_fixed_ends_match_oracle`], on a board of any kind.
pub fn assert_board_fixed_ends_match_oracle(
    board: &Board,
    engine: Engine,
    v: usize,
    w: usize,
    oracle: &EndTable,
) {
    let case = format!("{board}, {engine:?}");
    let name = |v: usize| board.name(v as u32);
    let all = Request { engine, ..Request::new(board.clone()) };
    let from = all.with_ends(Some(v as u32), None).unwrap();
    let expected = [oracle.re_entrant_from(v), oracle.open_from(v), oracle.paths_from(v)];
    let answer = count_all(&from);
    assert_eq!(numbers_by_kind(&answer), expected.map(Some), "{case} from {}", name(v));
    assert!(answer.is_directed && answer.per_start.is_empty());

    // Reversal maps the paths from v to w to the paths from w to v.
    let to = from.clone().with_ends(None, Some(v as u32)).unwrap();
    assert_eq!(
        numbers_by_kind(&count_all(&to)),
        [None, Some(expected[1]), Some(expected[2])],
        "{case} to {}",
        name(v)
    );
    if v != w {
        let both = from.with_ends(Some(v as u32), Some(w as u32)).unwrap();
        let paths = oracle.directed[v][w];
        let open = if oracle.is_re_entrant(v, w) { 0 } else { paths };
        let ends = format!("{case} from {} to {}", name(v), name(w));
        assert_eq!(numbers_by_kind(&count_all(&both)), [None, Some(open), Some(paths)], "{ends}");
    }
}

/// Counts tours by class of end pairs with the multipath kernel. Images under symmetries count.
fn count_classes_by_multipath<B: Bitboard>(plan: &MultipathPlan) -> BTreeMap<u32, u64> {
    let stop = AtomicBool::new(false);
    let mut tours = BTreeMap::new();
    for unit in plan.units() {
        let counted = plan.count::<B>(unit, &stop);
        *tours.entry(unit.class).or_default() += counted.tours as u64 * plan.weight(unit);
    }
    tours
}

/// Counts directed tours by root and last square with the backtracking kernel.
fn count_last_squares_by_backtracking<B: Bitboard>(
    plan: &BacktrackPlan,
    order: &impl MoveOrder<B>,
) -> BTreeMap<(u32, usize), u64> {
    let stop = AtomicBool::new(false);
    let len = plan.problem().graph().len();
    let mut tours = BTreeMap::new();
    for unit in plan.units() {
        let kernel: Backtrack<B> = plan.unit_kernel(unit);
        let mut counter = LastVertexCounter::new(len, &stop);
        kernel.visit(order, &mut counter);
        for (last, count) in counter.tours.into_iter().enumerate().filter(|&(_, count)| count > 0) {
            *tours.entry((unit.root, last)).or_default() += count * unit.weight;
        }
    }
    tours
}

/// Asserts that the count of each pair of ends equals the oracle's, not only the sums.
pub fn assert_end_pairs_match_oracle(problem: &Problem, split_depth: Option<u32>, oracle: &EndTable) {
    let plan = MultipathPlan::new(problem.clone(), split_depth).unwrap();
    let narrow = count_classes_by_multipath::<u64>(&plan);
    assert_eq!(
        narrow,
        count_classes_by_multipath::<u128>(&plan),
        "bitboards of 64 and of 128 bits give the same counts"
    );
    for (class, found) in (0..).zip(plan.classes()) {
        let tours = narrow.get(&class).copied().unwrap_or(0);
        let expected = match found.ends {
            None => oracle.closed(),
            Some((v, w)) => oracle.directed[v as usize][w as usize] * u64::from(found.size),
        };
        assert_eq!(tours, expected, "class {found:?} at split depth {split_depth:?}");
    }

    let plan = BacktrackPlan::new::<u64>(problem.clone(), &Warnsdorff, split_depth).unwrap();
    let narrow = count_last_squares_by_backtracking::<u64>(&plan, &Warnsdorff);
    let wide = BacktrackPlan::new::<u128>(problem.clone(), &Warnsdorff, split_depth).unwrap();
    assert_eq!(plan.units(), wide.units(), "the units are independent of the width of bitboards");
    assert_eq!(
        narrow,
        count_last_squares_by_backtracking::<u128>(&wide, &Warnsdorff),
        "bitboards of 64 and of 128 bits give the same counts"
    );
    let steps = StepOrder::from_graph(problem.graph());
    assert_eq!(
        narrow,
        count_last_squares_by_backtracking::<u64>(&plan, &steps),
        "the counts are independent of the order of moves"
    );
    assert_eq!(
        narrow,
        count_last_squares_by_backtracking::<u64>(&plan, &Ascending),
        "the counts are independent of the order of moves"
    );
    if problem.kind() == Kind::Closed {
        let sizes = plan.roots().iter().map(|root| root.size);
        let tours: u64 = (0..).zip(sizes).map(|(root, size)| size * sum_for_root(&narrow, root)).sum();
        assert_eq!(tours, oracle.closed());
        return;
    }
    let covered: u64 = (0..).zip(plan.roots()).fold(0, |covered, (i, root)| {
        let start = root.path[0] as usize;
        let ends = (0..oracle.len()).filter(|&end| root.ends >> end & 1 == 1);
        let expected: u64 = ends.map(|end| oracle.directed[start][end]).sum();
        assert_eq!(sum_for_root(&narrow, i), expected, "from vertex {start} at split depth {split_depth:?}");
        covered + expected
    });
    assert_eq!(covered, narrow.values().sum::<u64>());
}

fn sum_for_root(tours: &BTreeMap<(u32, usize), u64>, root: u32) -> u64 {
    tours.range((root, 0)..=(root, usize::MAX)).map(|(_, count)| count).sum()
}

/// Runs a check on one thread with each set of kernels: native, without AVX-512, and portable. Only one test at a time
/// may choose the kernels, so the others wait for a long one.
fn with_and_without_simd(check: impl Fn() + Sync) {
    for cpu in KernelSet::distinct() {
        cpu_features::with_kernels(cpu, || run_on_threads(1, &check));
    }
}

/// Returns all m x n and n x m boards of at most `squares` squares.
fn boards_up_to(squares: u16) -> impl Iterator<Item = Rectangle> {
    (1..=squares).flat_map(move |m| (1..=squares / m).map(move |n| Rectangle::new(m, n).unwrap()))
}

fn assert_searches_match_oracle(leaper: Leaper, squares: u16) {
    for board in boards_up_to(squares) {
        let oracle = Oracle::from_board(&board, leaper).count_by_ends();
        for engine in ENGINES {
            assert_counts_match_oracle(&board, leaper, engine, None, &oracle);
        }
        for kind in KINDS.into_iter().filter(|_| board.len() > 1) {
            let problem =
                Problem::new(&TourSpec::all(Board::from_leaper(board.clone(), leaper), kind)).unwrap();
            assert_end_pairs_match_oracle(&problem, None, &oracle);
        }
    }
}

#[test]
fn searches_match_oracle_for_knight_up_to_20_squares() {
    assert_searches_match_oracle(Leaper::KNIGHT, 20);
}

#[test]
fn searches_match_oracle_for_leapers_up_to_16_squares() {
    with_and_without_simd(|| {
        for (a, b) in [(0, 1), (1, 1), (0, 2), (2, 2), (1, 3), (2, 3), (1, 4), (3, 4), (0, 3)] {
            assert_searches_match_oracle(leaper(a, b), 16);
        }
    });
}

#[test]
fn searches_match_oracle_for_wazir_up_to_20_squares() {
    assert_searches_match_oracle(leaper(0, 1), 20);
}

#[test]
fn searches_match_oracle_for_fixed_ends() {
    with_and_without_simd(|| {
        for (text, piece) in [
            ("1x2", leaper(0, 1)),
            ("2x2", leaper(0, 1)),
            ("3x3", leaper(0, 1)),
            ("3x4", leaper(0, 1)),
            ("3x4", Leaper::KNIGHT),
            ("4x3", Leaper::KNIGHT),
            ("4x4", leaper(1, 1)),
            ("4x5", Leaper::KNIGHT),
        ] {
            let board = board(text);
            let oracle = Oracle::from_board(&board, piece).count_by_ends();
            for engine in ENGINES {
                for v in 0..board.len() {
                    for w in 0..board.len() {
                        assert_fixed_ends_match_oracle(&board, piece, engine, v, w, &oracle);
                    }
                }
            }
        }
    });
}

#[test]
fn counts_of_5x5_by_start_match_known_numbers() {
    with_and_without_simd(|| {
        // Directed paths by start: 304 from a corner, 64 from the centre, 0 from squares of the other colour.
        //     304   0  56   0 304
        //       0  56   0  56   0
        //      56   0  64   0  56
        let board = board("5x5");
        let oracle = Oracle::from_board(&board, Leaper::KNIGHT).count_by_ends();
        assert_eq!(oracle.paths(), 864);
        for engine in ENGINES {
            assert_counts_match_oracle(&board, Leaper::KNIGHT, engine, None, &oracle);
            for (v, w) in [(0, 24), (0, 12), (12, 4), (2, 22), (6, 18), (1, 3)] {
                assert_fixed_ends_match_oracle(&board, Leaper::KNIGHT, engine, v, w, &oracle);
            }
        }
    });
}

#[test]
fn searches_use_symmetries_of_boards_with_holes() {
    with_and_without_simd(|| {
        // The orders of the symmetry groups are 8, 4, 2 (half turn), 2 (diagonal), 2 (axis) and 1.
        for (text, holes) in [
            ("5x5", "c3"),
            ("4x5", "a1,e4"),
            ("4x4", "a1,a4,d1,d4"),
            ("5x4", "b1,c5"),
            ("4x5", "c1,c2"),
            ("5x5", "a1,b1,c1,d1,e1,a2"),
            ("5x5", "b1,a4,d5,e2,c3"),
        ] {
            let board = board(text).without(holes.split(',').map(|s| s.parse().unwrap())).unwrap();
            for piece in [Leaper::KNIGHT, leaper(0, 1), leaper(1, 3)] {
                let oracle = Oracle::from_board(&board, piece).count_by_ends();
                for engine in ENGINES {
                    for depth in [None, Some(0), Some(2), Some(5)] {
                        assert_counts_match_oracle(&board, piece, engine, depth, &oracle);
                    }
                }
                for kind in KINDS {
                    assert_end_pairs_match_oracle(
                        &Problem::new(&TourSpec::all(Board::from_leaper(board.clone(), piece), kind))
                            .unwrap(),
                        Some(4),
                        &oracle,
                    );
                }
            }
        }
    });
}

#[test]
fn sweeps_agree_with_searches_up_to_15_squares() {
    with_and_without_simd(|| {
        for piece in [Leaper::KNIGHT, leaper(0, 1), leaper(1, 3)] {
            for board in boards_up_to(15) {
                let oracle = Oracle::from_board(&board, piece).count_by_ends();
                assert_counts_match_oracle(&board, piece, Engine::Frontier, None, &oracle);
                let last = board.len() - 1;
                assert_fixed_ends_match_oracle(&board, piece, Engine::Frontier, 0, last, &oracle);
                assert_fixed_ends_match_oracle(&board, piece, Engine::Frontier, last / 2, 0, &oracle);
            }
        }
    });
}

/// Boards of more than 64 squares, and their wazir tours: closed, open and all paths.
const LONG_STRIPS: [(&str, [u64; 3]); 6] = [
    // A corridor has one path; the only closed tour of a strip two squares wide goes around it.
    ("1x65", [0, 1, 1]),
    ("1x128", [0, 1, 1]),
    ("128x1", [0, 1, 1]),
    // 2 x n has n^2 - n + 2 undirected paths (OEIS A003682, the ladder graph) and one closed tour.
    ("2x33", [1, 33 * 33 - 33 + 2 - 66, 33 * 33 - 33 + 2]),
    ("2x64", [1, 64 * 64 - 64 + 2 - 128, 64 * 64 - 64 + 2]),
    ("64x2", [1, 64 * 64 - 64 + 2 - 128, 64 * 64 - 64 + 2]),
];

fn assert_strip_counts(text: &str, split_depth: Option<u32>, expected: [u64; 3]) {
    for engine in ENGINES {
        let answer = count_all(&Request { split_depth, ..request(&board(text), leaper(0, 1), engine) });
        assert_eq!(numbers_by_kind(&answer), expected.map(Some), "{text} {engine:?} {split_depth:?}");
    }
}

#[test]
fn searches_count_boards_above_64_squares() {
    with_and_without_simd(|| {
        for (text, expected) in LONG_STRIPS {
            assert_strip_counts(text, Some(3), expected);
        }
    });
}

/// Strips have few tours, so the default plan divides their search into single tours, which takes far longer than the
/// search: it is made once for each length, by the kernels of this processor.
#[test]
fn default_plans_divide_boards_above_64_squares() {
    run_on_threads(1, || {
        for (text, expected) in LONG_STRIPS.into_iter().filter(|(text, _)| *text != "64x2") {
            assert_strip_counts(text, None, expected);
        }
    });
}

#[test]
fn interrupted_search_resumes_at_saved_path() {
    with_and_without_simd(|| {
        let stop = AtomicBool::new(false);
        for (text, kind) in [("5x7", Kind::Paths), ("6x7", Kind::Closed)] {
            let problem = Problem::new(&TourSpec::all(text.parse().unwrap(), kind)).unwrap();
            let plan = BacktrackPlan::new::<u64>(problem, &Warnsdorff, Some(2)).unwrap();
            let mut interruptions = 0;
            for unit in plan.units() {
                let kernel = plan.unit_kernel::<u64>(unit);
                let mut whole = LastVertexCounter::new(plan.problem().graph().len(), &stop);
                let nodes = kernel.visit(&Warnsdorff, &mut whole);
                let mut parts = LastVertexCounter::new(plan.problem().graph().len(), &stop);
                let (mut visited, mut from) = (0, None);
                loop {
                    parts = parts.with_node_limit(1);
                    let visit = kernel.visit_from(&Warnsdorff, from.as_deref(), &mut parts);
                    visited += visit.nodes;
                    from = visit.resume_path;
                    if from.is_none() {
                        break;
                    }
                    interruptions += 1;
                }
                assert_eq!(
                    (visited, &parts.tours),
                    (nodes, &whole.tours),
                    "{text} {kind:?} {:?}",
                    unit.prefix
                );
            }
            assert!(interruptions > 10, "{text} {kind:?}: {interruptions}");
        }
    });
}
