//! Required and forbidden moves against an oracle that lists all tours and filters them, for all engines,
//! kinds, ends and lists, on random rectangles, wrapped boards, boxes and graphs.

use std::collections::{BTreeMap, BTreeSet};

use ktour::board::{Board, Graph, Move, Vertex, moves_of_sequences, parse_move_sequences};
use ktour::control::Control;
use ktour::count::symmetric::{DistinctPlan, UpToSymmetry};
use ktour::count::{Counts, EndPairCounts, Engine, Request, count};
use ktour::heuristic::{FindOutcome, FindRequest, find};
use ktour::index::{Index, IndexLocation, IndexResources, MovePairs, Statistics};
use ktour::random::Random;
use ktour::search::backtrack::StepOrder;
use ktour::search::list::ListOptions;
use ktour::search::tours;
use ktour::tour::{Kind, TourSpec};
use num_bigint::BigUint;

use super::oracle::Oracle;
use super::sweep_shards_and_snapshots::run_on_threads;

/// Number of random boards; the environment variable KTOUR_FUZZ sets more.
fn board_count() -> usize {
    std::env::var("KTOUR_FUZZ").ok().and_then(|count| count.parse().ok()).unwrap_or(6)
}

fn random_board(random: &mut Random) -> Board {
    let texts = [
        "3x4",
        "4x4",
        "3x5",
        "4x5",
        "board=3x5 piece=1,2 remove=b2",
        "board=4x5 piece=1,2 remove=a1,e4",
        "board=3x4 wrap=torus piece=1,2 remove=-",
        "board=3x4 piece=1,1+0,1 remove=-",
        "board=4x4 wrap=cols piece=1,2 remove=d1",
        "2x3x3",
    ];
    let pick = random.below(texts.len() + 3);
    if let Some(text) = texts.get(pick) {
        return text.parse().unwrap();
    }
    let len = 3 + random.below(8);
    let share = 3 + random.below(6);
    let pairs = (0..len).flat_map(|w| (0..w).map(move |v| (v, w)));
    let mut edges: Vec<_> = pairs.filter(|_| random.below(10) < share).collect();
    edges.extend((1..len).map(|v| (v - 1, v)));
    Board::from_graph(Graph::from_edges(len, edges))
}

fn moves_of(board: &Board) -> Vec<Move> {
    let neighbours = |v: u32| board.graph().neighbours(v as usize).iter().map(move |&w| (v, w));
    (0..board.len() as u32).flat_map(neighbours).filter(|(v, w)| v < w).collect()
}

/// All tours of a board as sets of moves with their directed sequences.
struct AllTours {
    paths: Vec<Vec<Vertex>>,
}

fn has_moves(path: &[Vertex], is_closed: bool, required: &[Move], forbidden: &[Move]) -> bool {
    let closing = [path[path.len() - 1], path[0]];
    let is_used = |one: &Move| {
        let mut steps = path.windows(2).map(|pair| [pair[0], pair[1]]).chain(is_closed.then_some(closing));
        steps.any(|[v, w]| (v.min(w), v.max(w)) == *one)
    };
    required.iter().all(is_used) && !forbidden.iter().any(is_used)
}

impl AllTours {
    fn new(board: &Board) -> Self {
        // The oracle, which does not prune, takes too long on greater boards.
        if board.len() > 25 {
            let all =
                tours(&TourSpec::all(board.clone(), Kind::Paths), ListOptions::default(), &Control::new());
            let one_way = all.unwrap().map(|tour| tour.unwrap().vertices().to_vec());
            let both_ways = |path: Vec<Vertex>| [path.iter().rev().copied().collect(), path];
            return Self { paths: one_way.flat_map(both_ways).collect() };
        }
        let edges: Vec<_> = moves_of(board).iter().map(|&(v, w)| (v as usize, w as usize)).collect();
        let oracle = Oracle::from_edges(board.len(), &edges);
        let mut paths = Vec::new();
        for start in 0..board.len() {
            oracle
                .for_each_path_from(start, &mut |path| paths.push(path.iter().map(|&v| v as u32).collect()));
        }
        Self { paths }
    }

    /// Returns the directed tours of a kind with the given ends and moves. Closed tours start at the given
    /// start, or at vertex 0.
    fn filtered(
        &self,
        board: &Board,
        kind: Kind,
        (start, end): (Option<u32>, Option<u32>),
        (required, forbidden): (&[Move], &[Move]),
    ) -> Vec<&Vec<Vertex>> {
        let base = board.unrestricted();
        let has_conditions = |path: &&Vec<Vertex>| {
            let (first, last) = (path[0], path[path.len() - 1]);
            let joined = path.len() > 2 && base.is_move(first, last);
            let is_of_kind = match kind {
                Kind::Closed => joined && first == start.unwrap_or(0),
                Kind::Open => !joined,
                Kind::Paths => true,
            };
            is_of_kind
                && start.is_none_or(|v| v == first)
                && end.is_none_or(|v| v == last)
                && has_moves(path, kind == Kind::Closed, required, forbidden)
        };
        self.paths.iter().filter(has_conditions).collect()
    }

    fn count(
        &self,
        board: &Board,
        kind: Kind,
        ends: (Option<u32>, Option<u32>),
        moves: (&[Move], &[Move]),
    ) -> usize {
        let directed = self.filtered(board, kind, ends, moves).len();
        let has_direction = ends.0.is_some() || ends.1.is_some() || board.len() == 1;
        if has_direction { directed } else { directed / 2 }
    }
}

fn pick_moves(random: &mut Random, from: &[Move], most: usize) -> Vec<Move> {
    (0..random.below(most + 1)).map(|_| from[random.below(from.len())]).collect()
}

#[test]
fn restrictions_filter_the_tours() {
    let mut random = Random::new(7);
    let mut tested = 0;
    while tested < board_count() {
        let base = random_board(&mut random);
        let all = AllTours::new(&base);
        let moves = moves_of(&base);
        // Often moves of a tour, so that not all counts are zero.
        let from = match all.paths.len() {
            0 => moves.clone(),
            len => all.paths[random.below(len)].windows(2).map(|pair| (pair[0], pair[1])).collect(),
        };
        let mut required = pick_moves(&mut random, &from, 3);
        if random.below(6) == 0 {
            // Nearly all moves of a tour, or the whole.
            required = from[..from.len() - random.below(2).min(from.len())].to_vec();
            required.extend(closing_move(&base, &from).filter(|_| random.below(2) == 0));
        }
        let forbidden = pick_moves(&mut random, &moves, 3);
        let Ok(board) = base.with_restrictions(required.iter().copied(), forbidden.iter().copied()) else {
            continue;
        };
        tested += 1;
        check(&base, &board, &all, &mut random);
    }
}

/// Returns the move that closes the path with these moves, if there is one.
fn closing_move(board: &Board, path: &[Move]) -> Option<Move> {
    let (first, last) = (path.first()?.0, path.last()?.1);
    board.joins_ends(first, last).then_some((first, last))
}

/// Compares a found tour, or the proof that there is none, with the number of tours.
fn check_found(
    board: &Board,
    kind: Kind,
    (start, end): (Option<u32>, Option<u32>),
    expected: Option<&BigUint>,
) {
    let Ok(tours) = TourSpec::new(board.clone(), kind, start, end) else { return };
    match find(&FindRequest::new(tours)) {
        FindOutcome::Found { tour, .. } => {
            let spec = TourSpec::all(board.clone(), kind);
            assert_eq!(spec.broken_restriction(&tour), None, "{board} {kind:?} {start:?} {end:?}");
            assert_ne!(expected, Some(&BigUint::ZERO), "{board} {kind:?} {start:?} {end:?}");
        }
        FindOutcome::Impossible(why) => {
            assert!(
                expected.is_none_or(|count| *count == BigUint::ZERO),
                "{board} {kind:?} {start:?} {end:?}: {why}"
            );
        }
        // In dense graphs few pairs of ends are not joined by a move.
        FindOutcome::GaveUp { .. } if kind == Kind::Open => {}
        other => panic!("{board} {kind:?}: {other:?}"),
    }
}

fn check(base: &Board, board: &Board, all: &AllTours, random: &mut Random) {
    let restrictions = (board.required_moves(), board.forbidden_moves());
    let len = board.len();
    let (v, w) = (random.below(len) as u32, random.below(len) as u32);
    let mut ends = vec![(None, None), (Some(v), None), (None, Some(v))];
    ends.extend((v != w).then_some((Some(v), Some(w))));
    ends.extend(board.required_moves().first().map(|&(v, w)| (Some(v), Some(w))));
    for ends in ends {
        let expected = Counts::from_iter(
            Kind::ALL
                .into_iter()
                .filter(|&kind| kind != Kind::Closed || ends.1.is_none())
                .map(|kind| (kind, BigUint::from(all.count(board, kind, ends, restrictions)))),
        );
        for engine in [Engine::Backtrack, Engine::Multipath, Engine::Frontier] {
            for kind in [None, Some(Kind::Closed), Some(Kind::Open), Some(Kind::Paths)] {
                if kind == Some(Kind::Closed) && ends.1.is_some() {
                    continue;
                }
                let per_start = ends == (None, None) && random.below(2) == 0;
                let request = Request {
                    engine,
                    per_start,
                    ..Request::of_kind(board.clone(), kind).with_ends(ends.0, ends.1).unwrap()
                };
                let answer = count(&request, &Control::new())
                    .unwrap_or_else(|error| panic!("{board} {kind:?} {engine:?} {ends:?}: {error}"));
                for kind in Kind::requested(kind) {
                    assert_eq!(
                        answer.counts.get(kind),
                        expected.get(kind),
                        "{board} {kind:?} {engine:?} {ends:?}"
                    );
                    if per_start && kind != Kind::Closed {
                        for start in &answer.per_start {
                            let found = all.count(board, kind, (Some(start.vertex), None), restrictions);
                            assert_eq!(
                                start.counts.get(kind),
                                Some(&found.into()),
                                "{board} {kind:?} {engine:?} from {}",
                                start.vertex
                            );
                        }
                    }
                }
            }
        }
        for kind in Kind::ALL {
            check_found(board, kind, ends, expected.get(kind));
            let Ok(spec) = TourSpec::new(board.clone(), kind, ends.0, ends.1) else { continue };
            let order = StepOrder::from_graph(board.graph());
            for step_order in [None, Some(order)] {
                let options = ListOptions { step_order, ..ListOptions::default() };
                check_list(&spec, options, all, restrictions);
            }
            if kind != Kind::Open {
                check_index(&spec, expected.get(kind).unwrap());
            }
        }
    }
    assert_eq!(board.unrestricted(), base);
}

fn check_list(spec: &TourSpec, options: ListOptions, all: &AllTours, restrictions: (&[Move], &[Move])) {
    let ends = (spec.start(), spec.end());
    let expected: BTreeSet<Vec<Vertex>> =
        all.filtered(spec.board(), spec.kind(), ends, restrictions).into_iter().cloned().collect();
    let mut listed = BTreeSet::new();
    let mut number = 0;
    for tour in tours(spec, options, &Control::new()).unwrap() {
        number += 1;
        let sequence = tour.unwrap().into_vertices();
        let mut directions = vec![sequence.clone()];
        if !spec.is_directed() {
            let mut back = sequence.clone();
            match spec.kind() {
                Kind::Closed => back[1..].reverse(),
                _ => back.reverse(),
            }
            directions.push(back);
        }
        for mut sequence in directions {
            if spec.kind() == Kind::Closed && spec.start().is_none() {
                let at = sequence.iter().position(|&v| v == 0).unwrap();
                sequence.rotate_left(at);
            }
            listed.insert(sequence);
        }
    }
    assert_eq!(listed, expected, "{}", spec.title());
    assert_eq!(number, all.count(spec.board(), spec.kind(), ends, restrictions), "{} twice", spec.title());
}

fn check_index(spec: &TourSpec, expected: &BigUint) {
    let index = Index::new(spec, &IndexLocation::Memory, &Control::new());
    let index = index.unwrap_or_else(|error| panic!("{}: {error}", spec.title()));
    assert_eq!(index.total(), expected, "{} by index", spec.title());
    let mut number = BigUint::ZERO;
    while number < *expected {
        let tour = index.tour(&number).unwrap();
        let is_closed = spec.kind() == Kind::Closed;
        let moves = (spec.board().required_moves(), spec.board().forbidden_moves());
        assert!(has_moves(tour.vertices(), is_closed, moves.0, moves.1), "{} number {number}", spec.title());
        assert_eq!(index.number(&tour).unwrap(), number, "{}", spec.title());
        number += 1u32 + expected / 20u32;
    }
}

#[test]
fn counts_by_pairs_of_ends_match_listed_tours() {
    let mut random = Random::new(11);
    let mut bases: Vec<Board> = [
        "3x4",
        "4x5",
        "board=3x5 piece=1,2 remove=b2",
        "board=3x4 wrap=torus piece=1,2 remove=-",
        "1x1",
        "1x2",
    ]
    .map(|text| text.parse().unwrap())
    .to_vec();
    bases.extend((0..board_count()).map(|_| random_board(&mut random)));
    for base in bases {
        let (all, moves) = (AllTours::new(&base), moves_of(&base));
        let restricted = || {
            let (required, forbidden) =
                (pick_moves(&mut random, &moves, 2), pick_moves(&mut random, &moves, 3));
            base.with_restrictions(required, forbidden).ok()
        };
        for board in
            [Some(base.clone()), (!moves.is_empty()).then(restricted).flatten()].into_iter().flatten()
        {
            for kind in [Kind::Open, Kind::Paths] {
                let conditions = (board.required_moves(), board.forbidden_moves());
                let found = run_on_threads(1, || {
                    EndPairCounts::count(&board, kind, Engine::Auto, None, &Control::new()).unwrap()
                });
                let mut by_ends = BTreeMap::<Move, usize>::new();
                for path in all.filtered(&board, kind, (None, None), conditions) {
                    *by_ends.entry((path[0], path[path.len() - 1])).or_default() += 1;
                }
                let symmetries = board.symmetries();
                let mut seen = BTreeSet::new();
                for orbit in &found.orbits {
                    let (v, w) = orbit.ends;
                    let pairs: BTreeSet<Move> = symmetries
                        .elements()
                        .iter()
                        .map(|element| (element.image[v as usize], element.image[w as usize]))
                        .map(|(v, w)| (v.min(w), v.max(w)))
                        .collect();
                    assert_eq!(
                        (pairs.first(), pairs.len()),
                        (Some(&(v, w)), orbit.pairs),
                        "{board} {kind:?}"
                    );
                    for &(v, w) in &pairs {
                        let expected = by_ends.get(&(v, w)).copied().unwrap_or(0);
                        assert_eq!(orbit.tours, expected.into(), "{board} {kind:?} from {v} to {w}");
                        assert!(seen.insert((v, w)), "{board} {kind:?}: two rows have {v} and {w}");
                    }
                }
                let expected = all.count(&board, kind, (None, None), conditions);
                assert_eq!(found.total(), expected.into(), "{board} {kind:?}");
            }
        }
    }
}

#[test]
fn statistics_are_counts_with_each_move_required() {
    let control = Control::new();
    let count_of = |board: &Board, kind: Kind| {
        let request = Request::of_kind(board.clone(), kind);
        count(&request, &control).unwrap().counts.get(kind).unwrap().clone()
    };
    for (text, kind) in [("6x6", Kind::Closed), ("4x5", Kind::Paths)] {
        let board: Board = text.parse().unwrap();
        let tours = TourSpec::all(board.clone(), kind);
        let resources = IndexResources::default();
        let statistics = Statistics::compute(&tours, &IndexLocation::Memory, resources, &control).unwrap();
        assert_eq!(statistics.moves.len(), moves_of(&board).len());
        for (one, number) in &statistics.moves {
            let with = board.with_restrictions([*one], []).unwrap();
            let without = board.with_restrictions([], [*one]).unwrap();
            assert_eq!(count_of(&with, kind), *number, "{text} {kind:?} with {one:?}");
            assert_eq!(
                count_of(&without, kind) + number,
                statistics.total,
                "{text} {kind:?} without {one:?}"
            );
        }
    }
    // Open tours with a move and without it add up, too.
    let board: Board = "4x5".parse().unwrap();
    for &one in &moves_of(&board) {
        let with = board.with_restrictions([one], []).unwrap();
        let without = board.with_restrictions([], [one]).unwrap();
        let sum = count_of(&with, Kind::Open) + count_of(&without, Kind::Open);
        assert_eq!(sum, count_of(&board, Kind::Open), "{one:?}");
    }
}

#[test]
fn restricted_statistics_and_classes_match_filtered_tours() {
    let board: Board = "5x6".parse().unwrap();
    let vertex = |name: &str| board.vertex(name).unwrap();
    let restricted =
        board.with_restrictions([(vertex("c3"), vertex("e4"))], [(vertex("d1"), vertex("e3"))]).unwrap();
    let all = AllTours::new(&board);
    let moves = (restricted.required_moves(), restricted.forbidden_moves());
    let listed = all.filtered(&board, Kind::Paths, (None, None), moves);
    let tours = TourSpec::all(restricted.clone(), Kind::Paths);
    let control = Control::new();
    let resources = IndexResources::default();
    let statistics = Statistics::compute(&tours, &IndexLocation::Memory, resources, &control).unwrap();
    assert_eq!(statistics, Statistics::by_counting(&tours, None, &control).unwrap());
    for (one, number) in &statistics.moves {
        let uses = listed.iter().filter(|path| has_moves(path, false, &[*one], &[])).count();
        assert_eq!(*number, BigUint::from(uses / 2), "{one:?}");
    }
    // Two moves that a half turn exchanges: the tours come in classes under the half turn.
    let half_turn =
        board.with_restrictions([(vertex("c3"), vertex("e4")), (vertex("d3"), vertex("b2"))], []).unwrap();
    assert_eq!(half_turn.symmetries().order(), 2);
    for kind in [Kind::Closed, Kind::Paths, Kind::Open] {
        let options = ListOptions { distinct: true, ..ListOptions::default() };
        let distinct = tours_of(&half_turn, kind, options);
        let request = Request::of_kind(half_turn.clone(), kind);
        let plan = DistinctPlan::new(UpToSymmetry::Distinct, &request, None, false).unwrap();
        let answer = count(&request, &control).unwrap();
        let counts = plan.count(&answer.counts, &control).unwrap();
        assert_eq!(counts.distinct(kind), Some(&BigUint::from(distinct)), "{kind:?}");
    }
}

/// Pairs of consecutive moves of all tours that contain required moves and no forbidden ones.
#[test]
fn restricted_pairs_of_moves_match_filtered_tours() {
    let base: Board = "4x5".parse().unwrap();
    let torus: Board = "board=3x4 wrap=torus piece=1,2 remove=-".parse().unwrap();
    let mut random = Random::new(5);
    for (base, kind) in [(base, Kind::Paths), (torus.clone(), Kind::Paths), (torus, Kind::Closed)] {
        let (all, moves) = (AllTours::new(&base), moves_of(&base));
        for _ in 0..3 {
            let (required, forbidden) =
                (pick_moves(&mut random, &moves, 2), pick_moves(&mut random, &moves, 2));
            let Ok(board) = base.with_restrictions(required, forbidden) else { continue };
            let conditions = (board.required_moves(), board.forbidden_moves());
            let tours = TourSpec::all(board.clone(), kind);
            let found = run_on_threads(1, || MovePairs::compute(&tours, None, &Control::new()).unwrap());
            let directed = all.filtered(&board, kind, (None, None), conditions);
            assert_eq!(found.total, (directed.len() / 2).into(), "{board} {kind:?}");
            let mut uses = BTreeMap::<[Vertex; 3], usize>::new();
            for path in directed {
                let cyclic = if kind == Kind::Closed { 2 } else { 0 };
                let squares: Vec<Vertex> = path.iter().chain(path.iter().take(cyclic)).copied().collect();
                for three in squares.windows(3) {
                    *uses.entry(three.try_into().unwrap()).or_default() += 1;
                }
            }
            for (three, number) in found.pairs {
                // Each tour has the pair in one of its directions.
                let expected = uses.get(&three).copied().unwrap_or(0);
                assert_eq!(number, expected.into(), "{board} {kind:?} {three:?}");
            }
        }
    }
}

fn tours_of(board: &Board, kind: Kind, options: ListOptions) -> usize {
    tours(&TourSpec::all(board.clone(), kind), options, &Control::new()).unwrap().count()
}

#[test]
fn pairs_of_moves_at_the_centre_of_6x6_add_up_to_all_closed_tours() {
    // Every closed tour has one pair of moves at each of the four central squares, one of 28 pairs.
    fn sum(board: &Board, centre: &[Vertex], parts: &mut u32) -> BigUint {
        let total = count_closed(board);
        let Some((&v, rest)) = centre.split_first().filter(|_| total != BigUint::ZERO) else {
            *parts += 1;
            return total;
        };
        let neighbours = board.unrestricted().graph().neighbours(v as usize);
        assert_eq!(neighbours.len(), 8);
        let pairs = neighbours.iter().flat_map(|&a| neighbours.iter().map(move |&b| (a, b)));
        let required = |(a, b): (Vertex, Vertex)| {
            board.with_restrictions(board.required_moves().iter().copied().chain([(v, a), (v, b)]), [])
        };
        let sums: BigUint = pairs
            .filter(|(a, b)| a < b)
            .filter_map(|pair| required(pair).ok())
            // A move of an earlier square may make a third move here.
            .filter(|board| board.required_moves().iter().filter(|&&(a, b)| a == v || b == v).count() == 2)
            .map(|board| sum(&board, rest, parts))
            .sum();
        assert_eq!(sums, total, "{board}");
        total
    }
    fn count_closed(board: &Board) -> BigUint {
        let request = Request { engine: Engine::Multipath, ..Request::of_kind(board.clone(), Kind::Closed) };
        count(&request, &Control::new()).unwrap().counts.closed.unwrap()
    }
    let board: Board = "6x6".parse().unwrap();
    let centre = ["c3", "d4", "c4", "d3"].map(|name| board.vertex(name).unwrap());
    let mut parts = 0;
    assert_eq!(sum(&board, &centre, &mut parts), 9862u32.into());
    assert!(parts > 1000, "{parts}");
}

#[test]
fn largest_class_of_8x8_by_moves_at_the_centre() {
    // D. E. Knuth, The Art of Computer Programming, pre-fascicle 8a, section 7.2.2.4.
    let board: Board = "8x8".parse().unwrap();
    let sequences = parse_move_sequences(&board, "e2-d4-b5,g5-e4-d2,d7-e5-g4,b4-d5-e7").unwrap();
    let board = board.with_restrictions(moves_of_sequences(&sequences), []).unwrap();
    let request = Request::of_kind(board, Kind::Closed);
    let answer = count(&request, &Control::new()).unwrap();
    assert_eq!(answer.counts.closed, Some(652_228_612u32.into()));
}
