//! Lists of tours against lists of the oracle: as sets, up to symmetry, and in the order of plain
//! backtracking; and iterators of tours against lists.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use ktour::board::{Board, Graph, Leaper, Rectangle, Square};
use ktour::control::Control;
use ktour::count::symmetric::symmetric_tours::SymmetricListOptions;
use ktour::count::symmetric::{NamedSymmetry, SymmetricContext};
use ktour::count::{Engine, symmetric};
use ktour::search::backtrack::StepOrder;
use ktour::search::list::{ListError, ListOptions, for_each, list};
use ktour::search::problem::{Problem, ProblemError};
use ktour::search::tours;
use ktour::tour::{Kind, Tour, TourFormat, TourKind, TourSpec, TourWriter};

use super::oracle::Oracle;
use super::searches_against_oracle::KINDS;
use super::sweep_shards_and_snapshots::run_on_threads;

/// A request for a list of tours, for the program and for the oracle.
#[derive(Clone, Debug)]
pub struct ListQuery {
    pub board: Rectangle,
    pub leaper: Leaper,
    pub kind: Kind,
    pub start: Option<usize>,
    pub end: Option<usize>,
    pub directed: bool,
    pub distinct: bool,
}

impl ListQuery {
    pub fn new(board: &Rectangle, leaper: Leaper, kind: Kind) -> Self {
        let board = board.clone();
        Self { board, leaper, kind, start: None, end: None, directed: false, distinct: false }
    }

    fn squares(&self) -> Vec<Square> {
        self.board.squares().collect()
    }

    fn board(&self) -> Board {
        Board::from_leaper(self.board.clone(), self.leaper)
    }

    fn is_fixed(&self) -> bool {
        self.start.is_some() || self.end.is_some()
    }

    /// Returns the program's list as text.
    pub fn list_as_text(&self, moves: Option<&str>, split_depth: Option<u32>) -> String {
        let board = self.board();
        let to_u32 = |v: Option<usize>| v.map(|v| v as u32);
        let problem = Problem::new(
            &TourSpec::new(board.clone(), self.kind, to_u32(self.start), to_u32(self.end)).unwrap(),
        )
        .unwrap();
        let parsed_order = moves.map(|text| StepOrder::parse(text, &self.board, self.leaper).unwrap());
        let options = ListOptions {
            directed: self.directed,
            distinct: self.distinct,
            step_order: parsed_order,
            split_depth,
            ..ListOptions::default()
        };
        let writer = TourWriter::new(&board, TourFormat::Squares, 1).unwrap();
        let mut text = Vec::new();
        list(problem, options, &writer, &Control::new(), &mut |chunk| {
            text.extend_from_slice(&chunk.bytes);
            ControlFlow::Continue(())
        })
        .unwrap();
        String::from_utf8(text).unwrap()
    }

    /// Returns the program's list as vertices. Panics if a line is not a tour of the requested kind.
    pub fn list_as_vertices(&self, moves: Option<&str>, split_depth: Option<u32>) -> Vec<Vec<usize>> {
        self.list_as_text(moves, split_depth).lines().map(|line| self.parse_and_check(line)).collect()
    }

    fn parse_and_check(&self, line: &str) -> Vec<usize> {
        let tour = Tour::from_names(&self.board(), line.split(' '));
        let tour = if self.kind == Kind::Closed { tour.and_then(Tour::into_closed) } else { tour };
        let tour = tour.unwrap_or_else(|error| panic!("{self:?}: {line}: {error}"));
        assert!(self.kind != Kind::Open || tour.kind() == TourKind::Open, "{self:?}: {line}");
        tour.vertices().iter().map(|&v| v as usize).collect()
    }

    /// Returns the expected list, in the order of plain backtracking.
    pub fn expected_tours(&self, oracle: &Oracle) -> Vec<Vec<usize>> {
        let len = oracle.neighbours.len();
        let joined = |path: &[usize]| len > 2 && oracle.neighbours[path[0]].contains(&path[len - 1]);
        let both_directions = self.directed || self.is_fixed() || len == 1;
        let starts = match (self.kind, self.start) {
            (_, Some(start)) => start..start + 1,
            (Kind::Closed, None) => 0..1,
            _ => 0..len,
        };
        let mut tours = Vec::new();
        for start in starts {
            oracle.for_each_path_from(start, &mut |path| {
                let is_requested = match self.kind {
                    Kind::Closed => joined(path) && (both_directions || path[1] < path[len - 1]),
                    Kind::Open => !joined(path) && (both_directions || path[0] < path[len - 1]),
                    Kind::Paths => both_directions || path[0] < path[len - 1],
                };
                if is_requested && self.end.is_none_or(|end| path[len - 1] == end) {
                    tours.push(path.to_vec());
                }
            });
        }
        if self.distinct {
            tours.retain(|tour| self.canonical_form(tour) == *tour);
        }
        tours
    }

    /// Returns the smallest of all sequences of vertices that describe the tour or one of its images.
    pub fn canonical_form(&self, tour: &[usize]) -> Vec<usize> {
        let readings = self.symmetries().into_iter().map(|image| {
            let mut tour: Vec<usize> = tour.iter().map(|&v| image[v]).collect();
            match self.kind {
                Kind::Closed => {
                    let lowest = tour.iter().position(|&v| v == 0).unwrap();
                    tour.rotate_left(lowest);
                    let mut reversed = tour.clone();
                    reversed[1..].reverse();
                    tour.min(reversed)
                }
                _ if self.is_fixed() => tour,
                _ => {
                    let reversed = tour.iter().rev().copied().collect();
                    tour.min(reversed)
                }
            }
        });
        readings.min().unwrap()
    }

    /// Returns the images of the vertices under each symmetry of a square that maps the board to itself.
    /// Unless the kind is closed, the symmetry must also fix the given ends.
    fn symmetries(&self) -> Vec<Vec<usize>> {
        let (rows, cols) = (i32::from(self.board.rows()), i32::from(self.board.cols()));
        let squares = self.squares();
        // The factors of the two coordinates, and whether the coordinates are exchanged.
        let signs = [(1, 1), (-1, 1), (1, -1), (-1, -1)];
        let transforms = signs.into_iter().flat_map(|signs| [(signs, false), (signs, true)]);
        let mut images: Vec<Vec<usize>> = Vec::new();
        for transform in transforms {
            let image = |square: &Square| {
                // Twice the offset from the centre of the board.
                let x = transform.0.0 * (2 * i32::from(square.file()) - (cols - 1));
                let y = transform.0.1 * (2 * i32::from(square.rank()) - (rows - 1));
                let (x, y) = if transform.1 { (y, x) } else { (x, y) };
                let to = (x + cols - 1, y + rows - 1);
                squares.iter().position(|s| (2 * i32::from(s.file()), 2 * i32::from(s.rank())) == to)
            };
            let Some(image) = squares.iter().map(image).collect::<Option<Vec<usize>>>() else { continue };
            let fixes_ends = [self.start, self.end].into_iter().flatten().all(|v| image[v] == v);
            if (fixes_ends || self.kind == Kind::Closed) && !images.contains(&image) {
                images.push(image);
            }
        }
        images
    }

    /// Asserts that the program lists the same tours as the oracle: each tour once, or one tour of each class
    /// if `distinct` is set.
    pub fn assert_listed(&self, oracle: &Oracle, split_depth: Option<u32>) {
        let mut listed = self.list_as_vertices(None, split_depth);
        if self.distinct {
            listed = listed.iter().map(|tour| self.canonical_form(tour)).collect();
        }
        let mut expected = self.expected_tours(oracle);
        listed.sort();
        expected.sort();
        assert_eq!(listed, expected, "{self:?} at split depth {split_depth:?}");
    }

    /// Asserts that, with the option `--moves`, the list has the order of plain backtracking.
    pub fn assert_in_order(&self, steps: &[(i32, i32)], split_depth: Option<u32>) {
        let mut oracle = Oracle::from_board(&self.board, self.leaper);
        let squares = self.squares();
        for (v, near) in oracle.neighbours.iter_mut().enumerate() {
            near.sort_by_key(|&w| {
                let down = i32::from(squares[v].rank()) - i32::from(squares[w].rank());
                let right = i32::from(squares[w].file()) - i32::from(squares[v].file());
                steps.iter().position(|&step| step == (down, right)).unwrap()
            });
        }
        let moves = format_moves(steps);
        let case = format!("{self:?} in order {moves} at split depth {split_depth:?}");
        assert_eq!(self.list_as_vertices(Some(&moves), split_depth), self.expected_tours(&oracle), "{case}");
    }
}

/// Returns steps (down, right) as the command line takes them.
pub fn format_moves(steps: &[(i32, i32)]) -> String {
    let words: Vec<String> = steps.iter().map(|(down, right)| format!("{down},{right}")).collect();
    words.join(" ")
}

/// The order of moves, as (down, right), of a textbook program.
pub const TEXTBOOK: [(i32, i32); 8] =
    [(2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1)];

fn parse_board_without(text: &str, holes: &str) -> Rectangle {
    let holes = holes.split(',').filter(|name| !name.is_empty());
    text.parse::<Rectangle>().unwrap().without(holes.map(|name| name.parse().unwrap())).unwrap()
}

const BOARDS: [(&str, &str, (u16, u16)); 12] = [
    ("1x1", "", (1, 2)),
    ("1x2", "", (0, 1)),
    ("2x2", "", (0, 1)),
    ("3x3", "b2", (1, 2)),
    ("3x4", "", (1, 2)),
    ("3x4", "", (0, 1)),
    ("4x4", "", (0, 1)),
    ("4x4", "a1", (1, 2)),
    ("4x5", "", (1, 2)),
    ("5x4", "b1,c5", (1, 2)),
    ("4x5", "c1,c2", (0, 1)),
    ("5x5", "a1,e1,a5,e5,c3", (1, 2)),
];

#[test]
fn lists_match_oracle_for_every_option() {
    for (text, holes, (a, b)) in BOARDS {
        let board = parse_board_without(text, holes);
        let leaper = Leaper::new(a, b).unwrap();
        let oracle = Oracle::from_board(&board, leaper);
        let last = board.len() - 1;
        for kind in KINDS {
            let query = ListQuery::new(&board, leaper, kind);
            query.assert_listed(&oracle, None);
            ListQuery { directed: true, ..query.clone() }.assert_listed(&oracle, None);
            ListQuery { distinct: true, ..query.clone() }.assert_listed(&oracle, None);
            for start in [0, 1, last / 2, last] {
                let from = ListQuery { start: Some(start.min(last)), ..query.clone() };
                from.assert_listed(&oracle, None);
                if kind == Kind::Closed {
                    continue;
                }
                ListQuery { distinct: true, ..from.clone() }.assert_listed(&oracle, None);
                let to = ListQuery { start: None, end: from.start, ..from.clone() };
                to.assert_listed(&oracle, None);
                ListQuery { distinct: true, ..to }.assert_listed(&oracle, None);
                if start != last {
                    let both = ListQuery { end: Some(last), ..from };
                    both.assert_listed(&oracle, None);
                    ListQuery { distinct: true, ..both }.assert_listed(&oracle, None);
                }
            }
        }
    }
}

#[test]
fn moves_option_lists_in_backtracking_order() {
    let mut shuffled = TEXTBOOK;
    shuffled.reverse();
    shuffled.swap(2, 5);
    for (text, holes, (a, b)) in BOARDS {
        let board = parse_board_without(text, holes);
        let leaper = Leaper::new(a, b).unwrap();
        let orders: Vec<Vec<(i32, i32)>> = match (a, b) {
            (1, 2) => vec![TEXTBOOK.to_vec(), shuffled.to_vec()],
            _ => vec![vec![(0, 1), (1, 0), (-1, 0), (0, -1)]],
        };
        for (steps, kind) in orders.iter().flat_map(|steps| KINDS.map(|kind| (steps, kind))) {
            let query = ListQuery::new(&board, leaper, kind);
            for depth in [None, Some(0), Some(3), Some(40)] {
                query.assert_in_order(steps, depth);
                ListQuery { directed: true, ..query.clone() }.assert_in_order(steps, depth);
                ListQuery { distinct: true, ..query.clone() }.assert_in_order(steps, depth);
            }
            ListQuery { start: Some(0), ..query.clone() }.assert_in_order(steps, None);
            if kind != Kind::Closed {
                ListQuery { end: Some(0), ..query.clone() }.assert_in_order(steps, None);
                ListQuery { end: Some(0), distinct: true, ..query }.assert_in_order(steps, None);
            }
        }
    }
}

#[test]
fn tour_iterator_and_visitor_agree_with_list() {
    let boards =
        ["5x5", "board=3x4 piece=0,1 remove=-", "board=3x3 piece=1,2 remove=b2", "1x1", "3x10", "3x3"];
    let petersen = (0..5).flat_map(|i| [(i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5)]);
    let graph = Board::from_graph(Graph::from_edges(10, petersen));
    let boards = boards.iter().map(|text| text.parse().unwrap()).chain([graph]);
    for board in boards.collect::<Vec<Board>>() {
        let last = board.len() as u32 - 1;
        let mut queries = Vec::new();
        for kind in KINDS {
            for (directed, distinct) in [(false, false), (true, false), (false, true)] {
                queries.push((kind, None, None, directed, distinct));
            }
            queries.push((kind, Some(0), None, false, false));
            if kind != Kind::Closed {
                queries.push((kind, None, Some(last), false, false));
                queries.push((kind, None, Some(last), false, true));
                if last > 0 {
                    queries.push((kind, Some(0), Some(last), false, false));
                }
            }
        }
        for (kind, start, end, directed, distinct) in queries {
            let case = format!("{board} {kind:?} {start:?} {end:?} {directed} {distinct}");
            let all = TourSpec::new(board.clone(), kind, start, end).unwrap();
            let problem = Problem::new(&all).unwrap();
            let mut orders = vec![None, Some(StepOrder::from_graph(board.graph()))];
            if board.len() > 20 {
                orders.truncate(1);
            }
            for steps in orders {
                let options = || ListOptions {
                    directed,
                    distinct,
                    step_order: steps.clone(),
                    ..ListOptions::default()
                };
                let writer = TourWriter::new(&board, TourFormat::Csv, 1).unwrap();
                let mut text = Vec::new();
                list(problem.clone(), options(), &writer, &Control::new(), &mut |chunk| {
                    text.extend_from_slice(&chunk.bytes);
                    ControlFlow::Continue(())
                })
                .unwrap();
                for threads in [1, 3] {
                    let mut iterated = Vec::new();
                    let tours = run_on_threads(threads, || tours(&all, options(), &Control::new()).unwrap());
                    for tour in tours {
                        let tour = tour.unwrap();
                        writer.write(&mut iterated, tour.kind(), tour.vertices());
                    }
                    assert!(iterated == text, "{case}");
                }
                let mut visited = Vec::new();
                for_each(problem.clone(), options(), &Control::new(), &mut |kind, tour| {
                    writer.write(&mut visited, kind, tour);
                    ControlFlow::Continue(())
                })
                .unwrap();
                assert!(visited == text, "{case}");
            }
        }
    }
}

#[test]
fn list_of_petersen_graph_has_120_paths() {
    let petersen = (0..5).flat_map(|i| [(i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5)]);
    let board = Board::from_graph(Graph::from_edges(10, petersen));
    let collect_tours = |kind, options| {
        let all = TourSpec::all(board.clone(), kind);
        tours(&all, options, &Control::new()).unwrap().collect::<Result<Vec<Tour>, _>>().unwrap()
    };
    assert!(collect_tours(Kind::Closed, ListOptions::default()).is_empty());
    let paths = collect_tours(Kind::Paths, ListOptions::default());
    assert_eq!(paths.len(), 120);
    let forms: BTreeSet<Vec<u32>> = paths.iter().map(Tour::canonical_form).collect();
    let distinct = collect_tours(Kind::Paths, ListOptions { distinct: true, ..ListOptions::default() });
    assert_eq!(distinct.into_iter().map(Tour::into_vertices).collect::<BTreeSet<_>>(), forms);
}

#[test]
fn symmetric_tour_iterator_agrees_with_list() {
    let board: Board = "6x6".parse().unwrap();
    let context =
        SymmetricContext::new(TourSpec::all(board.clone(), Kind::Paths), Engine::Multipath, None).unwrap();
    for (kind, name, tours) in [(Kind::Closed, "rot90", 10), (Kind::Closed, "rot180", 78)] {
        let list_options = SymmetricListOptions {
            symmetry: NamedSymmetry::from_name(name).unwrap(),
            distinct: false,
            directed: false,
        };
        let writer = TourWriter::new(&board, TourFormat::Squares, 1).unwrap();
        let mut text = Vec::new();
        symmetric::symmetric_tours::list_tours(
            &context.for_kind(kind),
            list_options,
            &writer,
            &Control::new(),
            &mut |chunk| {
                text.extend_from_slice(&chunk.bytes);
                ControlFlow::Continue(())
            },
        )
        .unwrap();
        let mut iterated = Vec::new();
        let mut count = 0;
        for tour in
            symmetric::symmetric_tours::iter_tours(&context.for_kind(kind), list_options, &Control::new())
        {
            let tour = tour.unwrap();
            writer.write(&mut iterated, tour.kind(), tour.vertices());
            count += 1;
        }
        assert!(iterated == text && count == tours, "{name} {count}");
    }
}

#[test]
fn list_of_5x5_has_864_paths_in_112_classes() {
    let board = "5x5".parse().unwrap();
    let query = ListQuery::new(&board, Leaper::KNIGHT, Kind::Paths);
    let tours: BTreeSet<_> = query.list_as_vertices(None, None).into_iter().collect();
    assert_eq!(tours.len(), 864);
    let directed = ListQuery { directed: true, ..query.clone() };
    let both: BTreeSet<_> = directed.list_as_vertices(None, None).into_iter().collect();
    assert_eq!(both.len(), 1728);
    assert!(both.iter().all(|tour| both.contains(&tour.iter().rev().copied().collect::<Vec<_>>())));
    let classes: BTreeSet<_> = tours.iter().map(|tour| query.canonical_form(tour)).collect();
    let distinct = ListQuery { distinct: true, ..query.clone() };
    let listed: BTreeSet<_> =
        distinct.list_as_vertices(None, None).iter().map(|tour| query.canonical_form(tour)).collect();
    assert_eq!((listed.len(), &listed), (112, &classes));
    assert_eq!(distinct.list_as_vertices(None, None).len(), 112);
}

#[test]
fn list_of_6x6_has_9862_closed_tours_in_1245_classes() {
    // Jelliss: 9862 tours in 1245 classes, of which 17 have half-turn symmetry and 5 quarter-turn symmetry.
    let board = "6x6".parse().unwrap();
    let query = ListQuery::new(&board, Leaper::KNIGHT, Kind::Closed);
    let distinct = ListQuery { distinct: true, ..query.clone() };
    for depth in [None, Some(0), Some(20), Some(30)] {
        let tours = query.list_as_vertices(None, depth);
        let different: BTreeSet<_> = tours.iter().cloned().collect();
        assert_eq!((tours.len(), different.len()), (9862, 9862), "split depth {depth:?}");
        let classes: BTreeSet<_> = tours.iter().map(|tour| query.canonical_form(tour)).collect();
        let listed = distinct.list_as_vertices(None, depth);
        assert_eq!((listed.len(), classes.len()), (1245, 1245), "split depth {depth:?}");
        assert!(listed.iter().all(|tour| classes.contains(tour)), "every listed tour is a canonical form");
    }
}

#[test]
fn list_is_independent_of_threads() {
    let board = "5x5".parse().unwrap();
    for (kind, distinct) in [(Kind::Paths, false), (Kind::Open, true)] {
        let query = ListQuery { distinct, ..ListQuery::new(&board, Leaper::KNIGHT, kind) };
        let moves = format_moves(&TEXTBOOK);
        for order in [None, Some(moves.as_str())] {
            for depth in [None, Some(0), Some(7)] {
                let texts =
                    [1, 2, 3, 8].map(|threads| run_on_threads(threads, || query.list_as_text(order, depth)));
                assert!(texts.iter().all(|text| *text == texts[0]), "{query:?} at split depth {depth:?}");
            }
        }
    }
    // 644 KB of tours: many batches, and units that wait until earlier units are written.
    let large = ListQuery::new(&"6x6".parse().unwrap(), Leaper::KNIGHT, Kind::Closed);
    let texts = [1, 2, 5].map(|threads| run_on_threads(threads, || large.list_as_text(None, None)));
    assert!(texts[0].len() > 600_000 && texts.iter().all(|text| *text == texts[0]));
}

#[test]
fn distinct_list_rejects_graph_with_too_many_symmetries() {
    let complete = Graph::from_edges(9, (0..9).flat_map(|w| (0..w).map(move |v| (v, w))));
    let board = Board::from_graph(complete);
    let all = TourSpec::all(board, Kind::Closed);
    let options = ListOptions { distinct: true, ..ListOptions::default() };
    let error = tours(&all, options, &Control::new()).unwrap().next().unwrap().unwrap_err();
    assert!(matches!(error, ListError::Problem(ProblemError::UnknownSymmetries)), "{error}");
}
