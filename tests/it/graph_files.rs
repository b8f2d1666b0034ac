//! Graphs from files: each graph has the same counts in three file formats, by every engine, and by
//! the oracle; and damaged files are rejected.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use ktour::board::{Board, graph_file};
use ktour::count::{Engine, Request};
use ktour::tour::Kind;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::custom_graphs::{ENGINES, count_classes_by_images, count_distinct};
use super::searches_against_oracle::{KINDS, assert_board_counts_match_oracle, count_all, numbers_by_kind};
use super::sweep_shards_and_snapshots::run_on_threads;
use super::tour_files::assert_contains_all;
use crate::cli::{Refusals, assert_refusals, csv_rows, ktour, successful_output};
use crate::oracle::Oracle;

/// A random graph, with its edges in any order. Edges may occur twice or join a vertex to itself.
#[derive(Clone, Debug)]
struct RandomGraph {
    len: usize,
    edges: Vec<(usize, usize)>,
}

/// Generates graphs of 1 to 11 vertices. The larger graphs have few edges, because the oracle would take
/// minutes otherwise.
fn random_graph() -> impl Strategy<Value = RandomGraph> {
    (1usize..=11).prop_flat_map(|len| {
        let max_edges = if len > 9 { 2 * len + 4 } else { len * (len + 1) / 2 };
        let edge = (0..len, 0..len);
        proptest::collection::vec(edge, 0..=max_edges).prop_map(move |edges| RandomGraph { len, edges })
    })
}

/// Returns the first `number` random graphs, which are the same in every run.
fn first_random_graphs(number: usize) -> impl Iterator<Item = RandomGraph> {
    let mut runner = TestRunner::deterministic();
    let strategy = random_graph();
    (0..number).map(move |_| strategy.new_tree(&mut runner).unwrap().current())
}

impl RandomGraph {
    /// Returns the edges without loops and repetitions.
    fn simple_edges(&self) -> BTreeSet<(usize, usize)> {
        self.edges.iter().filter(|(v, w)| v != w).map(|&(v, w)| (v.min(w), v.max(w))).collect()
    }

    /// Returns one edge per line, with one of the separators that are allowed. The vertices come first,
    /// because a vertex without edges would be missing otherwise.
    fn edge_list(&self) -> String {
        let mut text = String::from("# vertices, then edges\n");
        (0..self.len).for_each(|v| writeln!(text, "{v}").unwrap());
        if self.len == 1 {
            // The reader takes a file of a single word for a graph in graph6, and two lines for a matrix.
            return "0 0\n".to_owned();
        }
        let separators = [[" ", "   "], ["\t", "\t"], [",", ", "]][(self.len + self.edges.len()) % 3];
        for (i, (v, w)) in self.edges.iter().enumerate() {
            let separator = separators[i % 2];
            writeln!(text, "{v}{separator}{w}{}", ["", "  # a remark", "\r"][i % 3]).unwrap();
        }
        text
    }

    fn to_dimacs(&self) -> String {
        let mut text = format!("c a graph\n\np edge {} {}\n", self.len, self.edges.len());
        self.edges.iter().for_each(|(v, w)| writeln!(text, "e {} {}", v + 1, w + 1).unwrap());
        text
    }

    /// Encodes the graph as the description of graph6 says, independent of the tested code: the upper
    /// triangle by columns, six bits per character.
    fn to_graph6(&self) -> String {
        let simple = self.simple_edges();
        let bits: Vec<bool> = (1..self.len)
            .flat_map(|w| (0..w).map(move |v| (v, w)))
            .map(|edge| simple.contains(&edge))
            .collect();
        let encode_six_bits =
            |bits: &[bool]| (0..6).fold(0, |sum, i| 2 * sum + u8::from(bits.get(i) == Some(&true)));
        let length = char::from(63 + self.len as u8);
        std::iter::once(length)
            .chain(bits.chunks(6).map(|chunk| char::from(63 + encode_six_bits(chunk))))
            .collect()
    }

    fn read_in_all_formats(&self) -> [Board; 3] {
        [self.edge_list(), self.to_dimacs(), format!(">>graph6<<{}\n", self.to_graph6())].map(|text| {
            let parsed = graph_file::parse(&text).unwrap_or_else(|error| panic!("{error} in {text:?}"));
            Board::from(parsed.graph)
        })
    }
}

/// Asserts that all formats of a graph have the oracle's numbers: all kinds, and every start. Each format is
/// counted by another engine.
fn assert_formats_agree(graph: &RandomGraph) {
    let simple: Vec<(usize, usize)> = graph.simple_edges().into_iter().collect();
    let table = Oracle::from_edges(graph.len, &simple).count_by_ends();
    let boards = graph.read_in_all_formats();
    for board in &boards {
        assert_eq!(board.graph(), boards[0].graph(), "{graph:?}");
        assert_eq!((board.len(), board.graph().edge_count()), (graph.len, simple.len()), "{graph:?}");
    }
    let expected = [table.closed(), table.open(), table.paths()].map(Some);
    for (engine, board) in ENGINES.into_iter().zip(&boards) {
        let request = Request { engine, per_start: true, ..Request::new(board.clone()) };
        let answer = count_all(&request);
        assert_eq!(numbers_by_kind(&answer), expected, "{graph:?} {engine:?}");
        // The sum over all starts is the number of directed tours of each kind. A closed tour is counted at
        // every vertex.
        let sums: [num_bigint::BigUint; 3] =
            KINDS.map(|kind| answer.per_start.iter().filter_map(|start| start.counts.get(kind)).sum());
        let to_directed =
            |undirected: u64| num_bigint::BigUint::from(if graph.len == 1 { 1 } else { 2 } * undirected);
        let closed = to_directed(table.closed()) * graph.len;
        assert_eq!(
            sums,
            [closed, to_directed(table.open()), to_directed(table.paths())],
            "{graph:?} {engine:?}"
        );
    }
}

#[test]
fn engines_count_300_graphs_equally_from_all_formats() {
    assert_engines_count_graphs_equally(300);
}

#[test]
#[ignore = "counts more random graphs"]
fn engines_count_500_graphs_equally_from_all_formats() {
    assert_engines_count_graphs_equally(500);
}

fn assert_engines_count_graphs_equally(graphs: usize) {
    let assert_all_agree = |(number, graph): (usize, &RandomGraph)| {
        assert_formats_agree(graph);
        // Counts every tenth graph with all formats and all engines.
        if number % 10 == 0 {
            let simple: Vec<(usize, usize)> = graph.simple_edges().into_iter().collect();
            let table = Oracle::from_edges(graph.len, &simple).count_by_ends();
            for board in graph.read_in_all_formats() {
                ENGINES
                    .into_iter()
                    .for_each(|engine| assert_board_counts_match_oracle(&board, engine, None, &table));
            }
        }
    };
    let all: Vec<RandomGraph> = first_random_graphs(graphs).collect();
    run_on_threads(1, || all.iter().enumerate().for_each(assert_all_agree));
    let with_tours = all.iter().filter(|graph| graph.simple_edges().len() >= graph.len).count();
    assert!(5 * with_tours > 2 * graphs, "only {with_tours} graphs have enough edges for a tour");
}

/// Writes a graph to a folder in all formats, and returns the paths of the files.
fn write_in_all_formats(graph: &RandomGraph, folder: &Path) -> [String; 3] {
    [("list", graph.edge_list()), ("dimacs", graph.to_dimacs()), ("graph6", graph.to_graph6() + "\n")].map(
        |(name, text)| {
            let path = folder.join(name);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        },
    )
}

/// Returns the directed tours of each kind from each vertex, as the program prints them for a graph file. The
/// key is the kind and the name of the vertex.
fn counts_by_start_of_program(path: &str, engine: Engine) -> BTreeMap<(String, String), u64> {
    let engine = engine.name();
    let output =
        ktour(&format!("count --graph {path} --engine {engine} --per-start --csv -")).output().unwrap();
    let csv = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{path} by {engine}");
    let number = |row: BTreeMap<String, String>| {
        ((row["kind"].clone(), row["start"].clone()), row["directed"].parse().unwrap())
    };
    csv_rows(&csv).into_iter().map(number).collect()
}

#[test]
fn count_reads_100_graph_files() {
    assert_count_reads_graph_files(100);
}

#[test]
#[ignore = "starts the program for more random graphs"]
fn count_reads_500_graph_files() {
    assert_count_reads_graph_files(500);
}

/// Counts each format of a graph with another engine, in rotation.
fn assert_count_reads_graph_files(graphs: usize) {
    let folder = tempfile::tempdir().unwrap();
    for (number, graph) in first_random_graphs(graphs).enumerate() {
        let simple: Vec<(usize, usize)> = graph.simple_edges().into_iter().collect();
        let table = Oracle::from_edges(graph.len, &simple).count_by_ends();
        for (format_index, (path, first_name)) in
            write_in_all_formats(&graph, folder.path()).iter().zip([0, 1, 1]).enumerate()
        {
            let engine = ENGINES[(number + format_index) % 3];
            let found = counts_by_start_of_program(path, engine);
            for v in 0..graph.len {
                // The edge list names the vertices from 0, the other formats from 1.
                let count_of_kind =
                    |kind: Kind| found[&(kind.name().to_owned(), (v + first_name).to_string())];
                let expected = [table.re_entrant_from(v), table.open_from(v), table.paths_from(v)];
                assert_eq!(KINDS.map(count_of_kind), expected, "{graph:?} {engine:?} {path} from {v}");
            }
            assert_eq!(found.len(), 3 * graph.len, "{graph:?} {engine:?} {path}");
        }
    }
}

#[test]
fn engines_agree_on_graphs_with_0_and_1_vertices() {
    for len in [0, 1] {
        let graph = RandomGraph { len, edges: Vec::new() };
        for (board, engine) in
            graph.read_in_all_formats().iter().flat_map(|board| ENGINES.map(|engine| (board, engine)))
        {
            let answer = count_all(&Request { engine, per_start: true, ..Request::new(board.clone()) });
            assert_eq!(numbers_by_kind(&answer), [0, len as u64, len as u64].map(Some), "{engine:?}");
            assert_eq!(answer.per_start.len(), len);
            for kind in KINDS {
                let expected = if kind == Kind::Closed { 0 } else { len as u64 };
                assert_eq!(count_distinct(board, kind, engine).unwrap(), expected, "{kind:?} {engine:?}");
            }
        }
    }
}

/// As many as a look at every image of every tour allows.
#[test]
fn distinct_counts_of_graph_files_match_brute_force() {
    let small = first_random_graphs(200).filter(|graph| (3..=7).contains(&graph.len));
    for graph in small.filter(|graph| graph.simple_edges().len() <= graph.len + 6).take(40) {
        for board in graph.read_in_all_formats() {
            for kind in KINDS {
                let expected = count_classes_by_images(&board, kind) as u64;
                assert_eq!(
                    count_distinct(&board, kind, Engine::Auto).unwrap(),
                    expected,
                    "{graph:?} {kind:?}"
                );
            }
        }
    }
}

#[test]
fn graph_reader_rejects_damaged_file_with_line() {
    let error_line = |text: &str| {
        let error = graph_file::parse(text).map(|_| ()).expect_err(text);
        assert_contains_all(&error.to_string(), &[&format!("line {}", error.line)]);
        error.line
    };
    for graph in first_random_graphs(100).filter(|graph| graph.len > 1 && !graph.edges.is_empty()) {
        for text in [graph.edge_list(), graph.to_dimacs()] {
            let (without_last_line, _) = text.trim_end().rsplit_once('\n').unwrap();
            assert_eq!(
                error_line(&format!("{without_last_line}\nx y z\n")),
                text.lines().count(),
                "{text:?}"
            );
        }
        let dimacs = graph.to_dimacs();
        let (without_last_line, _) = dimacs.trim_end().rsplit_once('\n').unwrap();
        assert_eq!(error_line(without_last_line), 3, "fewer edges than in line 3");
        let with_missing_vertex = format!("{without_last_line}\ne 1 {}\n", graph.len + 1);
        assert_eq!(error_line(&with_missing_vertex), dimacs.lines().count(), "a vertex that does not exist");
        let mut graph6 = graph.to_graph6();
        if graph6.pop().is_some_and(|_| graph6.len() > 1) {
            assert_eq!(error_line(&format!(">>graph6<<{graph6}\n")), 1, "graph6 without its last character");
        }
    }
}

/// Files of strangers: contents, and the number of closed tours, with a note or without, or an error.
const FILES: [(&str, &str, Expected); 24] = [
    ("nm-zero-based.txt", "4 5\n0 1\n1 2\n2 3\n3 0\n0 2\n", Noted(1)),
    ("nm-one-based.txt", "6 7\n1 2\n2 3\n3 4\n4 5\n5 6\n6 1\n1 4\n", Rejected("6 7")),
    ("words.txt", "vertices: 3\n1 2\n2 3\n3 1\n", Rejected("vertices")),
    ("from-to.tsv", "from\tto\nA\tB\nB\tC\nC\tA\n", Noted(1)),
    ("quoted.csv", "\"id1\",\"id2\"\n\"7\",\"8\"\n\"8\",\"9\"\n\"9\",\"7\"\n", Noted(1)),
    ("triangle.gml", "graph [\n  node [\n    id 0\n  ]\n]\n", Rejected("GML")),
    ("tuples.txt", "(0, 1),\n(1, 2),\n(2, 0)\n", Rejected("tuples")),
    ("tight.dot", "graph {\n1--2;\n2--3;\n3--1;\n}\n", Rejected("DOT")),
    ("colon-lists.txt", "0: 1\n1: 2\n2: 0\n", Noted(1)),
    ("lists.yml", "0:\n  - 1\n  - 2\n1:\n  - 2\n", Rejected("YAML")),
    ("semicolon.txt", "a;b\nb;c\nc;a\n", Rejected("a b")),
    ("bits.txt", "011\n101\n110\n", Read(1)),
    ("notes.txt", "C# D\nD E\nE C#\n", Read(1)),
    ("slashes.txt", "// ring\n1 2\n2 3\n3 1\n", Rejected("//")),
    ("zeros.txt", "1 2\n2 3\n3 1\n0 0\n", Rejected("0 0")),
    ("lists.txt", "2 3\n1 4\n1 4\n2 3\n", Rejected("2 3")),
    ("arcs.gr", "p edge 3 3\na 1 2\na 2 3\na 1 3\n", Rejected("a 2 1")),
    ("spaced.dot", "graph G {\n  1 -- 2;\n}\n", Rejected("DOT")),
    ("edges.json", "[[0,1],[1,2],[2,0]]\n", Rejected("JSON")),
    ("two-triangles.txt", "1 2\n2 3\n3 1\n4 5\n5 6\n6 4\n", Noted(0)),
    ("brackets.txt", "v(1) v(2)\nv(2) v(3)\nv(3) v(1)\n", Read(1)),
    ("two.g6", "DqK\nDhC\n", Rejected("--all-graphs")),
    ("mark.txt", "\u{feff}1 2\r\n2 3\r\n3 1\r\n", Read(1)),
    (
        "ring.hcp",
        "NAME: g\nTYPE: HCP\nDIMENSION: 3\nEDGE_DATA_FORMAT: EDGE_LIST\nEDGE_DATA_SECTION\n1 2\n2 3\n3 1\n-1\nEOF\n",
        Read(1),
    ),
];

/// What the program prints for a file.
#[derive(Clone, Copy, Debug)]
enum Expected {
    /// A number of closed tours and no note.
    Read(u64),
    /// A number of closed tours and a note.
    Noted(u64),
    /// An error that contains this text.
    Rejected(&'static str),
}
use Expected::{Noted, Read, Rejected};

#[test]
fn count_reads_or_rejects_files_of_strangers() {
    let folder = tempfile::tempdir().unwrap();
    let mut refusals = Refusals::with_hidden_folder(folder.path());
    for (name, text, expected) in FILES {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let arguments = format!("count --graph {} --kind closed", path.display());
        let (count, is_noted) = match expected {
            Rejected(word) => {
                refusals.run(&arguments, 1, &["--graph", name, "line ", word]);
                continue;
            }
            Read(count) => (count, false),
            Noted(count) => (count, true),
        };
        let output = ktour(&arguments).output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{name}: {err}");
        assert_eq!(out.trim(), count.to_string(), "{name}");
        assert_eq!(err.contains("ktour: note: --graph "), is_noted, "{name}: {err}");
    }
    refusals.assert_snapshot("graph_files_rejected");
    let path = folder.path().join("wide.txt");
    std::fs::write(&path, "1 2\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()).unwrap();
    assert!(!ktour(&format!("count --graph {}", path.display())).output().unwrap().status.success());
}

#[test]
fn count_all_graphs_prints_row_for_each_graph() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graphs.g6");
    let graphs: Vec<RandomGraph> = first_random_graphs(30).collect();
    let lines: String = graphs.iter().map(|graph| graph.to_graph6() + "\n").collect();
    std::fs::write(&path, format!("# graphs\n{lines}")).unwrap();
    let arguments = format!("count --graph {} --all-graphs", path.display());
    let table = successful_output(&arguments);
    assert_eq!(table.lines().count(), 1 + graphs.len());
    let rows = csv_rows(&successful_output(&format!("{arguments} --kind paths --csv -")));
    assert_eq!(rows.len(), graphs.len());
    for (i, (graph, row)) in graphs.iter().zip(&rows).enumerate() {
        let simple: Vec<(usize, usize)> = graph.simple_edges().into_iter().collect();
        let oracle = Oracle::from_edges(graph.len, &simple).count_by_ends();
        let expected = [i as u64 + 2, graph.len as u64, simple.len() as u64, oracle.paths()];
        let found =
            ["line", "vertices", "edges", "undirected"].map(|column| row[column].parse::<u64>().unwrap());
        assert_eq!(found, expected, "{graph:?}");
        let fields: Vec<&str> = table.lines().nth(i + 1).unwrap().split_whitespace().collect();
        let counts = [oracle.closed(), oracle.open(), oracle.paths()].map(|count| count.to_string());
        assert_eq!(fields[3..], counts, "{graph:?}");
    }
    assert_refusals(
        "graph_files_all_graphs",
        &[
            ("count 3x3 --all-graphs", 2, &["--all-graphs"]),
            ("count 3x3..4 --all-graphs", 2, &["--all-graphs"]),
            ("count --graph x --all-graphs --distinct", 2, &["--all-graphs", "--distinct"]),
        ],
    );
}
