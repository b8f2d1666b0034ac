//! Both kernels against the oracle and against each other.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use ktour::board::{Arena, Bitboard, Board, Leaper};
use ktour::control::Control;
use ktour::count::{Answer, Engine, Request, count};
use ktour::cpu::{self, Cpu};
use ktour::search::backtrack::Backtrack;
use ktour::search::order::{Ascending, MoveOrder, Steps, Warnsdorff};
use ktour::search::prefix::PrefixPlan;
use ktour::search::problem::Problem;
use ktour::search::split::Plan;
use ktour::search::visitor::CounterByLast;
use ktour::tour::Kind;

use crate::oracle::{Oracle, Table};

/// The engines that search.
pub const ENGINES: [Engine; 2] = [Engine::Multipath, Engine::Backtrack];
pub const KINDS: [Kind; 3] = [Kind::Closed, Kind::Open, Kind::Paths];

pub fn board(text: &str) -> Board {
    text.parse().unwrap()
}

pub fn leaper(short: u16, long: u16) -> Leaper {
    Leaper::new(short, long).unwrap()
}

pub fn request(board: &Board, leaper: Leaper, engine: Engine) -> Request {
    Request { per_start: true, engine, ..Request::new((board.clone(), leaper)) }
}

pub fn counted(request: &Request) -> Answer {
    count(request, &Control::new()).unwrap_or_else(|error| panic!("{request:?}: {error}"))
}

/// Tours of each kind in an answer; a kind that was not counted is `None`.
pub fn numbers(answer: &Answer) -> [Option<u64>; 3] {
    KINDS.map(|kind| answer.counts.get(kind).map(|count| count.try_into().unwrap()))
}

/// An engine's counts of all kinds, by kind and by start square, are the oracle's.
pub fn assert_counts(
    board: &Board,
    leaper: Leaper,
    engine: Engine,
    split_depth: Option<u32>,
    oracle: &Table,
) {
    assert_arena(&Arena::board(board.clone(), leaper), engine, split_depth, oracle);
}

/// The same on any arena.
pub fn assert_arena(arena: &Arena, engine: Engine, split_depth: Option<u32>, oracle: &Table) {
    let what = format!("{arena}, {engine:?}");
    let all = Request { split_depth, per_start: true, engine, ..Request::new(arena.clone()) };
    let expected = [oracle.closed(), oracle.open(), oracle.paths()];
    let answer = counted(&all);
    assert_eq!(numbers(&answer), expected.map(Some), "{what}");
    assert_eq!(answer.per_start.len(), arena.len(), "{what}");
    for (v, start) in answer.per_start.iter().enumerate() {
        let from = [&start.counts.closed, &start.counts.open, &start.counts.paths]
            .map(|count| u64::try_from(count.as_ref().unwrap()).unwrap());
        let expected = [oracle.re_entrant_from(v), oracle.open_from(v), oracle.paths_from(v)];
        assert_eq!(start.vertex as usize, v, "{what}");
        assert_eq!(from, expected, "{what} from {}", arena.name(start.vertex));
    }
    for (i, kind) in KINDS.into_iter().enumerate() {
        let answer = counted(&Request { kind: Some(kind), ..all.clone() });
        let mut only = [None; 3];
        only[i] = Some(expected[i]);
        assert_eq!(numbers(&answer), only, "{what} {kind:?} alone");
        assert_eq!(answer.per_start.len(), arena.len(), "{what} {kind:?} alone");
    }
}

/// Counts with a fixed start, a fixed end and both are the oracle's.
pub fn assert_fixed(board: &Board, leaper: Leaper, engine: Engine, v: usize, w: usize, oracle: &Table) {
    assert_fixed_arena(&Arena::board(board.clone(), leaper), engine, v, w, oracle);
}

/// The same on any arena.
pub fn assert_fixed_arena(arena: &Arena, engine: Engine, v: usize, w: usize, oracle: &Table) {
    let what = format!("{arena}, {engine:?}");
    let name = |v: usize| arena.name(v as u32);
    let from = Request { start: Some(v as u32), per_start: true, engine, ..Request::new(arena.clone()) };
    let expected = [oracle.re_entrant_from(v), oracle.open_from(v), oracle.paths_from(v)];
    let answer = counted(&from);
    assert_eq!(numbers(&answer), expected.map(Some), "{what} from {}", name(v));
    assert!(answer.fixed && answer.per_start.is_empty());

    // A path from v to w is one from w to v read backwards.
    let to = Request { start: None, end: Some(v as u32), ..from.clone() };
    assert_eq!(numbers(&counted(&to)), [None, Some(expected[1]), Some(expected[2])], "{what} to {}", name(v));
    if v != w {
        let both = Request { end: Some(w as u32), ..from };
        let paths = oracle.directed[v][w];
        let open = if oracle.is_re_entrant(v, w) { 0 } else { paths };
        let ends = format!("{what} from {} to {}", name(v), name(w));
        assert_eq!(numbers(&counted(&both)), [None, Some(open), Some(paths)], "{ends}");
    }
}

/// Tours of every class of ends, images by symmetry included, as the multi-path kernel finds them.
fn by_class<B: Bitboard>(plan: &Plan) -> BTreeMap<u32, u64> {
    let go = AtomicBool::new(false);
    let mut tours = BTreeMap::new();
    for unit in plan.units() {
        let counted = plan.count::<B>(unit, &go);
        *tours.entry(unit.class).or_default() += counted.tours as u64 * plan.weight(unit);
    }
    tours
}

/// Directed tours by root and last square, as the path-extension kernel finds them.
fn by_last<B: Bitboard>(plan: &PrefixPlan, order: &impl MoveOrder<B>) -> BTreeMap<(u32, usize), u64> {
    let go = AtomicBool::new(false);
    let len = plan.problem().graph().len();
    let mut tours = BTreeMap::new();
    for unit in plan.units() {
        let kernel: Backtrack<B> = plan.kernel(unit);
        let mut counter = CounterByLast::new(len, &go);
        kernel.visit(order, &mut counter);
        for (last, count) in counter.tours.into_iter().enumerate().filter(|&(_, count)| count > 0) {
            *tours.entry((unit.root, last)).or_default() += count * unit.weight;
        }
    }
    tours
}

/// Every single pair of ends, not only their sums.
pub fn assert_pairs(problem: &Problem, split_depth: Option<u32>, oracle: &Table) {
    let plan = Plan::new(problem.clone(), split_depth).unwrap();
    let narrow = by_class::<u64>(&plan);
    assert_eq!(narrow, by_class::<u128>(&plan), "one kernel, two widths");
    for (class, found) in (0..).zip(plan.classes()) {
        let tours = narrow.get(&class).copied().unwrap_or(0);
        let expected = match found.ends {
            None => oracle.closed(),
            Some((v, w)) => oracle.directed[v as usize][w as usize] * u64::from(found.size),
        };
        assert_eq!(tours, expected, "class {found:?} at split depth {split_depth:?}");
    }

    let plan = PrefixPlan::new::<u64>(problem.clone(), &Warnsdorff, split_depth).unwrap();
    let narrow = by_last::<u64>(&plan, &Warnsdorff);
    let wide = PrefixPlan::new::<u128>(problem.clone(), &Warnsdorff, split_depth).unwrap();
    assert_eq!(plan.units(), wide.units(), "units do not depend on the width");
    assert_eq!(narrow, by_last::<u128>(&wide, &Warnsdorff), "one kernel, two widths");
    let steps = Steps::as_listed(problem.graph());
    assert_eq!(narrow, by_last::<u64>(&plan, &steps), "the order of moves changes no number");
    assert_eq!(narrow, by_last::<u64>(&plan, &Ascending), "the order of moves changes no number");
    if problem.kind() == Kind::Closed {
        let sizes = plan.roots().iter().map(|root| root.size);
        let tours: u64 = (0..).zip(sizes).map(|(root, size)| size * sum_of_root(&narrow, root)).sum();
        assert_eq!(tours, oracle.closed());
        return;
    }
    let covered: u64 = (0..).zip(plan.roots()).fold(0, |covered, (i, root)| {
        let start = root.path[0] as usize;
        let ends = (0..oracle.len()).filter(|&end| root.ends >> end & 1 == 1);
        let expected: u64 = ends.map(|end| oracle.directed[start][end]).sum();
        assert_eq!(sum_of_root(&narrow, i), expected, "from vertex {start} at split depth {split_depth:?}");
        covered + expected
    });
    assert_eq!(covered, narrow.values().sum::<u64>());
}

fn sum_of_root(tours: &BTreeMap<(u32, usize), u64>, root: u32) -> u64 {
    tours.range((root, 0)..=(root, usize::MAX)).map(|(_, count)| count).sum()
}

/// Every kernel has a portable twin: both are tried, whatever the processor.
fn on_each_cpu(check: impl Fn()) {
    for cpu in Cpu::ALL {
        cpu::on(cpu, &check);
    }
}

/// All m x n boards, both ways round, with at most `squares` squares.
fn boards(squares: u16) -> impl Iterator<Item = Board> {
    (1..=squares).flat_map(move |m| (1..=squares / m).map(move |n| Board::new(m, n).unwrap()))
}

fn every_small_board_agrees(leaper: Leaper, squares: u16) {
    for board in boards(squares) {
        let oracle = Oracle::of(&board, leaper).table();
        for engine in ENGINES {
            assert_counts(&board, leaper, engine, None, &oracle);
        }
        for kind in KINDS.into_iter().filter(|_| board.len() > 1) {
            let problem = Problem::new(&Arena::board(board.clone(), leaper), kind, None, None).unwrap();
            assert_pairs(&problem, None, &oracle);
        }
    }
}

#[test]
fn knights_on_every_board_of_up_to_20_squares() {
    every_small_board_agrees(Leaper::KNIGHT, 20);
}

#[test]
fn other_leapers_on_every_board_of_up_to_16_squares() {
    on_each_cpu(|| {
        for (a, b) in [(0, 1), (1, 1), (0, 2), (2, 2), (1, 3), (2, 3), (1, 4), (3, 4), (0, 3)] {
            every_small_board_agrees(leaper(a, b), 16);
        }
    });
}

#[test]
fn wazirs_on_every_board_of_up_to_20_squares() {
    every_small_board_agrees(leaper(0, 1), 20);
}

#[test]
fn every_fixed_start_and_end_on_small_boards() {
    on_each_cpu(|| {
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
            let oracle = Oracle::of(&board, piece).table();
            for engine in ENGINES {
                for v in 0..board.len() {
                    for w in 0..board.len() {
                        assert_fixed(&board, piece, engine, v, w, &oracle);
                    }
                }
            }
        }
    });
}

#[test]
fn five_by_five_from_every_square() {
    on_each_cpu(|| {
        // Directed paths by start: 304 from a corner, 64 from the centre, nothing from the other colour.
        //     304   0  56   0 304
        //       0  56   0  56   0
        //      56   0  64   0  56
        let board = board("5x5");
        let oracle = Oracle::of(&board, Leaper::KNIGHT).table();
        assert_eq!(oracle.paths(), 864);
        for engine in ENGINES {
            assert_counts(&board, Leaper::KNIGHT, engine, None, &oracle);
            for (v, w) in [(0, 24), (0, 12), (12, 4), (2, 22), (6, 18), (1, 3)] {
                assert_fixed(&board, Leaper::KNIGHT, engine, v, w, &oracle);
            }
        }
    });
}

#[test]
fn boards_with_holes_keep_their_remaining_symmetries() {
    on_each_cpu(|| {
        // The holes leave 8, 4, 2 (half turn), 2 (diagonal), 2 (axis) and no symmetry besides the identity.
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
                let oracle = Oracle::of(&board, piece).table();
                for engine in ENGINES {
                    for depth in [None, Some(0), Some(2), Some(5)] {
                        assert_counts(&board, piece, engine, depth, &oracle);
                    }
                }
                for kind in KINDS {
                    assert_pairs(
                        &Problem::new(&Arena::board(board.clone(), piece), kind, None, None).unwrap(),
                        Some(4),
                        &oracle,
                    );
                }
            }
        }
    });
}

#[test]
fn sweeps_count_every_board_of_up_to_15_squares_like_searches() {
    on_each_cpu(|| {
        for piece in [Leaper::KNIGHT, leaper(0, 1), leaper(1, 3)] {
            for board in boards(15) {
                let oracle = Oracle::of(&board, piece).table();
                assert_counts(&board, piece, Engine::Frontier, None, &oracle);
                let last = board.len() - 1;
                assert_fixed(&board, piece, Engine::Frontier, 0, last, &oracle);
                assert_fixed(&board, piece, Engine::Frontier, last / 2, 0, &oracle);
            }
        }
    });
}

#[test]
fn boards_of_more_than_64_squares() {
    on_each_cpu(|| {
        // One way through a corridor, and closed tours of a strip two wide: only around.
        for (text, expected) in [
            ("1x65", [0, 1, 1]),
            ("1x128", [0, 1, 1]),
            ("128x1", [0, 1, 1]),
            // 2 x n: n^2 - n + 2 undirected paths (OEIS A003682 for the ladder graph), one closed tour.
            ("2x33", [1, 33 * 33 - 33 + 2 - 66, 33 * 33 - 33 + 2]),
            ("2x64", [1, 64 * 64 - 64 + 2 - 128, 64 * 64 - 64 + 2]),
            ("64x2", [1, 64 * 64 - 64 + 2 - 128, 64 * 64 - 64 + 2]),
        ] {
            for engine in ENGINES {
                let answer = counted(&request(&board(text), leaper(0, 1), engine));
                assert_eq!(numbers(&answer), expected.map(Some), "{text} {engine:?}");
            }
        }
    });
}

#[test]
fn a_visit_that_is_broken_off_goes_on_where_it_was() {
    on_each_cpu(|| {
        let stop = AtomicBool::new(false);
        for (text, kind) in [("5x7", Kind::Paths), ("6x7", Kind::Closed)] {
            let problem = Problem::new(&text.parse().unwrap(), kind, None, None).unwrap();
            let plan = PrefixPlan::new::<u64>(problem, &Warnsdorff, Some(2)).unwrap();
            let mut breaks = 0;
            for unit in plan.units() {
                let kernel = plan.kernel::<u64>(unit);
                let mut whole = CounterByLast::new(plan.problem().graph().len(), &stop);
                let nodes = kernel.visit(&Warnsdorff, &mut whole);
                let mut parts = CounterByLast::new(plan.problem().graph().len(), &stop);
                let (mut visited, mut from) = (0, None);
                loop {
                    parts = parts.with_limit(1);
                    let visit = kernel.visit_from(&Warnsdorff, from.as_deref(), &mut parts);
                    visited += visit.nodes;
                    from = visit.rest;
                    if from.is_none() {
                        break;
                    }
                    breaks += 1;
                }
                assert_eq!(
                    (visited, &parts.tours),
                    (nodes, &whole.tours),
                    "{text} {kind:?} {:?}",
                    unit.prefix
                );
            }
            assert!(breaks > 10, "{text} {kind:?}: {breaks}");
        }
    });
}
