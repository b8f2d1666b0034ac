//! Compares counts and lists of symmetric tours with a list of all tours, each mapped by every
//! symmetry, for wrapped boards, compound pieces, boxes and graphs.

use std::collections::{BTreeMap, BTreeSet};

use ktour::board::{Board, Wrap};
use ktour::control::Control;
use ktour::count::Engine;
use ktour::count::symmetric::symmetric_tours::{SymmetricListOptions, iter_tours};
use ktour::count::symmetric::{ClassCounter, ClassNumbers, NamedSymmetry, SymmetricContext};
use ktour::tour::{ActionCounts, Kind, SymmetryClass, Tour, TourSpec};
use num_traits::ToPrimitive;

use super::oracle::Oracle;
use super::sweep_shards_and_snapshots::run_on_threads;

/// A sorted set of moves.
type Edges = Vec<(usize, usize)>;

/// Returns every tour of a kind, as squares in order of visit.
fn list_tours(board: &Board, kind: Kind) -> Vec<Vec<usize>> {
    let (graph, len) = (board.graph(), board.len());
    let edges: Vec<(usize, usize)> =
        (0..len).flat_map(|v| graph.neighbours(v).iter().map(move |&w| (v, w as usize))).collect();
    let oracle = Oracle::from_edges(len, &edges);
    let mut tours = Vec::new();
    for start in 0..if kind == Kind::Closed { 1 } else { len } {
        oracle.for_each_path_from(start, &mut |path| {
            let last = path[len - 1];
            let is_re_entrant = len > 2 && oracle.neighbours[start].contains(&last);
            let is_of_kind = match kind {
                Kind::Closed => is_re_entrant && path[1] < last,
                Kind::Open => !is_re_entrant && start <= last,
                Kind::Paths => start <= last,
            };
            if is_of_kind {
                tours.push(path.to_vec());
            }
        });
    }
    tours
}

/// Returns the moves of the image of a tour: without direction, and with direction.
fn map_tour(tour: &[usize], kind: Kind, image: &[u32]) -> (Edges, Edges) {
    let len = tour.len();
    let steps = if kind == Kind::Closed { len } else { len - 1 };
    let vertex = |i: usize| image[tour[i % len]] as usize;
    let mut arcs: Edges = (0..steps).map(|i| (vertex(i), vertex(i + 1))).collect();
    let mut edges: Edges = arcs.iter().map(|&(v, w)| (v.min(w), v.max(w))).collect();
    arcs.sort_unstable();
    edges.sort_unstable();
    (edges, arcs)
}

fn to_tours_and_classes(numbers: &ClassNumbers) -> (u64, u64) {
    (numbers.tours.to_u64().unwrap(), numbers.classes.to_u64().unwrap())
}

/// Maximum number of images of tours in one case.
const MAX_IMAGES_PER_CASE: usize = 250_000;

/// Checks all cases. Asserts that there are `expected_cases`, and that exactly those in `expected_without`
/// have no tours.
fn assert_all_cases(
    cases: impl IntoIterator<Item = (Board, Kind)>,
    expected_cases: usize,
    expected_without: &[(&str, Kind)],
) {
    let cases: Vec<(Board, Kind)> = cases.into_iter().collect();
    let has_no_tours = |(board, kind): &&(Board, Kind)| assert_symmetric_counts_match_list(board, *kind) == 0;
    let without: Vec<_> = run_on_threads(1, || cases.iter().filter(has_no_tours).collect());
    let found_without =
        without.into_iter().map(|(board, kind)| (board.to_string(), *kind)).collect::<Vec<_>>();
    let expected_without: Vec<(String, Kind)> =
        expected_without.iter().map(|&(text, kind)| (text.to_owned(), kind)).collect();
    assert_eq!((cases.len(), found_without), (expected_cases, expected_without));
}

/// Returns a board with each kind of tour.
fn with_all_kinds(board: &Board) -> impl Iterator<Item = (Board, Kind)> {
    Kind::ALL.into_iter().map(move |kind| (board.clone(), kind))
}

/// Compares every method of counting and listing symmetric tours with the list of all tours. Returns the
/// number of all tours.
fn assert_symmetric_counts_match_list(board: &Board, kind: Kind) -> usize {
    let tours = list_tours(board, kind);
    // The check computes every image of every tour.
    let images = tours.len() * board.symmetries().order();
    assert!(images <= MAX_IMAGES_PER_CASE, "{board} {kind:?} has {images} images; use a smaller board");
    let group = board.symmetries();
    assert!(board.has_known_symmetries(), "{board}");
    let own_moves: Vec<(Edges, Edges)> =
        tours.iter().map(|tour| map_tour(tour, kind, &group.elements()[0].image)).collect();
    // For each tour, the symmetries that preserve its set of moves, and whether they reverse its direction.
    let stabiliser_of = |i: usize| -> Vec<(usize, bool)> {
        let actions = group.elements().iter().enumerate().filter_map(|(g, element)| {
            let (edges, arcs) = map_tour(&tours[i], kind, &element.image);
            (edges == own_moves[i].0).then_some((g, arcs != own_moves[i].1))
        });
        actions.collect()
    };
    let stabilisers: Vec<Vec<(usize, bool)>> = (0..tours.len()).map(stabiliser_of).collect();
    let class = |i: usize| {
        group.elements().iter().map(|element| map_tour(&tours[i], kind, &element.image).0).min().unwrap()
    };
    let classes: Vec<Edges> = (0..tours.len()).map(class).collect();
    let count = |selects: &dyn Fn(usize) -> bool| {
        let selected: Vec<usize> = (0..tours.len()).filter(|&i| selects(i)).collect();
        let different_classes: BTreeSet<&Edges> = selected.iter().map(|&i| &classes[i]).collect();
        (selected.len() as u64, different_classes.len() as u64)
    };
    let control = Control::new();
    for engine in [Engine::Multipath, Engine::Frontier] {
        let context = SymmetricContext::new(TourSpec::all(board.clone(), Kind::Paths), engine, None).unwrap();
        let mut counter = ClassCounter::new(&context.for_kind(kind), &control);
        counter.prepare(true).unwrap();
        let table = counter.class_table(&tours.len().into()).unwrap();
        assert_eq!(to_tours_and_classes(&table.total), count(&|_| true), "{board} {kind:?}");
        let sums = table.rows.iter().fold((0, 0), |sum, (_, row)| {
            let (tours, classes) = to_tours_and_classes(row);
            (sum.0 + tours, sum.1 + classes)
        });
        assert_eq!(sums, to_tours_and_classes(&table.total), "{board} {kind:?}");
        if !group.is_fully_named() {
            let class_of = |i: usize| {
                let reversing = stabilisers[i].iter().filter(|(_, reverses)| *reverses).count() as u32;
                SymmetryClass::from_counts(ActionCounts {
                    fixing: stabilisers[i].len() as u32,
                    preserving: stabilisers[i].len() as u32 - reversing,
                })
            };
            for (class, row) in &table.rows {
                assert_eq!(
                    to_tours_and_classes(row),
                    count(&|i| class_of(i) == *class),
                    "{board} {kind:?} {class:?}"
                );
            }
            // The symmetry class of a single tour agrees with the class that counts it.
            let mut class_sizes: BTreeMap<SymmetryClass, u64> = BTreeMap::new();
            for tour in &tours {
                let tour = Tour::new(board, tour.iter().map(|&v| v as u32).collect()).unwrap();
                let tour = if kind == Kind::Closed { tour.into_closed().unwrap() } else { tour };
                *class_sizes.entry(tour.symmetry_class().unwrap()).or_default() += 1;
            }
            let rows = table.rows.iter().map(|(class, row)| (*class, to_tours_and_classes(row).0)).collect();
            assert_eq!(class_sizes, rows, "{board} {kind:?}");
        }
        for named in NamedSymmetry::ALL.into_iter().filter(|named| named.applies_to(kind)) {
            let Ok(numbers) = counter.count_with_symmetry(named, true) else {
                assert!(context.require_names().is_err(), "{board} {named:?}");
                continue;
            };
            let names = |g: usize| group.elements()[g].names.iter();
            let is = |(g, reverses): (usize, bool)| {
                let action =
                    if reverses { ktour::tour::Action::Reverses } else { ktour::tour::Action::Preserves };
                g > 0 && names(g).any(|&symmetry| named.matches(symmetry, action))
            };
            let expected = count(&|i| stabilisers[i].iter().any(|&action| is(action)));
            assert_eq!(to_tours_and_classes(&numbers), expected, "{board} {kind:?} {named:?} {engine:?}");
            let tours_only = counter.count_with_symmetry(named, false).unwrap();
            assert_eq!(
                to_tours_and_classes(&tours_only).0,
                expected.0,
                "{board} {kind:?} {named:?} {engine:?}"
            );
            for distinct in [false, true] {
                let options = SymmetricListOptions { symmetry: named, distinct, directed: false };
                let listed =
                    iter_tours(&context.for_kind(kind), options, &control).map(Result::unwrap).count() as u64;
                let expected = if distinct { expected.1 } else { expected.0 };
                assert_eq!(listed, expected, "{board} {kind:?} {named:?} distinct {distinct}");
            }
        }
    }
    tours.len()
}

#[test]
fn symmetric_counts_match_exhaustive_lists_on_wrapped_boards() {
    let board = |text: &str| -> Board { text.parse().unwrap() };
    let mut cases = Vec::new();
    for wrap in Wrap::ALL.into_iter().filter(|&wrap| wrap != Wrap::None) {
        // Knights have too many tours on 3x4 squares if both pairs of edges are joined.
        let knights = if matches!(wrap, Wrap::Torus | Wrap::Klein) { "3x3" } else { "3x4" };
        for (rectangle, piece) in
            [(knights, "1,2"), ("3x4", "0,1"), ("3x3", "0,1"), ("2x5", "0,1"), ("2x4", "0,1+1,1")]
        {
            let text = format!("board={rectangle} wrap={wrap} piece={piece} remove=-");
            cases.extend(with_all_kinds(&board(&text)));
        }
        let holes = format!("board=3x4 wrap={wrap} piece=0,1+1,1 remove=a2,d2");
        cases.push((board(&holes), Kind::Closed));
    }
    cases.push((board("board=4x4 wrap=torus piece=1,2 remove=-"), Kind::Closed));
    cases.push((board("board=4x5 wrap=cols piece=0,1 remove=-"), Kind::Closed));
    assert_all_cases(cases, 98, &[("board=3x4 wrap=mobius piece=1,2 remove=-", Kind::Closed)]);
}

#[test]
fn symmetric_counts_match_exhaustive_lists_for_compound_pieces() {
    let board = |(rectangle, piece, remove): (&str, &str, &str)| -> Board {
        format!("board={rectangle} piece={piece} remove={remove}").parse().unwrap()
    };
    let mut cases = Vec::new();
    for rectangle in [
        ("3x3", "0,1+1,1", "-"),
        ("3x4", "0,1+1,1", "-"),
        ("4x4", "0,1+1,2", "b2,b3"),
        ("3x3", "0,1+1,1", "b2"),
        ("3x4", "0,1+1,2", "-"),
    ] {
        cases.extend(with_all_kinds(&board(rectangle)));
    }
    cases.push((board(("3x5", "0,1+1,2", "-")), Kind::Closed));
    cases.push((board(("4x4", "0,1+1,1", "-")), Kind::Closed));
    assert_all_cases(cases, 17, &[("board=3x5 piece=0,1+1,2 remove=-", Kind::Closed)]);
}

#[test]
fn symmetric_counts_match_exhaustive_lists_on_boxes_and_graphs() {
    // Two boxes, the Petersen graph, a prism over a ring of six, and a wheel.
    let texts = ["board=2x2x3 piece=0,1 remove=-", "board=2x2x2 piece=0,1 remove=-", "graph=IheA@GUAo"];
    let prism = (0..6).flat_map(|v| [(v, (v + 1) % 6), (v + 6, (v + 1) % 6 + 6), (v, v + 6)]);
    let prism = Board::from_graph(ktour::board::Graph::from_edges(12, prism));
    let wheel = (1..10).flat_map(|v| [(0, v), (v, v % 9 + 1)]);
    let wheel = Board::from_graph(ktour::board::Graph::from_edges(10, wheel));
    let boards: Vec<Board> =
        texts.into_iter().map(|text| text.parse().unwrap()).chain([prism, wheel]).collect();
    assert_all_cases(boards.iter().flat_map(with_all_kinds), 15, &[("graph=IheA@GUAo", Kind::Closed)]);
}
