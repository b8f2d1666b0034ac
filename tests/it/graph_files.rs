//! Graphs from files: one graph written in three forms gives the same numbers, by every engine and by the oracle.

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
use super::tour_files::assert_contains_all;
use crate::cli::{csv_rows, ktour};
use crate::oracle::Oracle;

/// A graph as it comes from nowhere: vertices, and edges in any order, some of them twice or leading home.
#[derive(Clone, Debug)]
struct RandomGraph {
    len: usize,
    edges: Vec<(usize, usize)>,
}

/// Graphs of 1 to 11 vertices of which those of many vertices have few edges, or the oracle takes minutes.
fn random_graph() -> impl Strategy<Value = RandomGraph> {
    (1usize..=11).prop_flat_map(|len| {
        let most = if len > 9 { 2 * len + 4 } else { len * (len + 1) / 2 };
        let edge = (0..len, 0..len);
        proptest::collection::vec(edge, 0..=most).prop_map(move |edges| RandomGraph { len, edges })
    })
}

/// The first so many graphs, always the same.
fn first_random_graphs(number: usize) -> impl Iterator<Item = RandomGraph> {
    let mut runner = TestRunner::deterministic();
    let strategy = random_graph();
    (0..number).map(move |_| strategy.new_tree(&mut runner).unwrap().current())
}

impl RandomGraph {
    /// The edges that count, each once.
    fn simple_edges(&self) -> BTreeSet<(usize, usize)> {
        self.edges.iter().filter(|(v, w)| v != w).map(|&(v, w)| (v.min(w), v.max(w))).collect()
    }

    /// An edge a line, names apart by whatever is allowed; all vertices first, or those without edges would be missing.
    fn edge_list(&self) -> String {
        let mut text = String::from("# vertices, then edges\n");
        (0..self.len).for_each(|v| writeln!(text, "{v}").unwrap());
        if self.len == 1 {
            // A word by itself is a graph in graph6.
            text = "0 0\n".to_owned();
        }
        for (i, (v, w)) in self.edges.iter().enumerate() {
            let between = [" ", "\t", ",", ", ", "   "][i % 5];
            writeln!(text, "{v}{between}{w}{}", ["", "  # a remark", "\r"][i % 3]).unwrap();
        }
        text
    }

    fn to_dimacs(&self) -> String {
        let mut text = format!("c a graph\n\np edge {} {}\n", self.len, self.edges.len());
        self.edges.iter().for_each(|(v, w)| writeln!(text, "e {} {}", v + 1, w + 1).unwrap());
        text
    }

    /// From the description of the format, not by the code that is tried: the upper triangle by columns, six bits a
    /// character.
    fn to_graph6(&self) -> String {
        let simple = self.simple_edges();
        let bits: Vec<bool> = (1..self.len)
            .flat_map(|w| (0..w).map(move |v| (v, w)))
            .map(|edge| simple.contains(&edge))
            .collect();
        let six = |bits: &[bool]| (0..6).fold(0, |sum, i| 2 * sum + u8::from(bits.get(i) == Some(&true)));
        let length = char::from(63 + self.len as u8);
        std::iter::once(length).chain(bits.chunks(6).map(|chunk| char::from(63 + six(chunk)))).collect()
    }

    fn read_in_all_formats(&self) -> [Board; 3] {
        [self.edge_list(), self.to_dimacs(), format!(">>graph6<<{}\n", self.to_graph6())].map(|text| {
            let given = graph_file::parse(&text).unwrap_or_else(|error| panic!("{error} in {text:?}"));
            Board::from(given)
        })
    }
}

/// What every form of a graph has to give: all kinds by all engines, and every start.
fn assert_formats_agree(drawn: &RandomGraph) {
    let simple: Vec<(usize, usize)> = drawn.simple_edges().into_iter().collect();
    let table = Oracle::from_edges(drawn.len, &simple).table();
    let boards = drawn.read_in_all_formats();
    for board in &boards {
        assert_eq!(board.graph(), boards[0].graph(), "{drawn:?}");
        assert_eq!((board.len(), board.graph().edge_count()), (drawn.len, simple.len()), "{drawn:?}");
    }
    let expected = [table.closed(), table.open(), table.paths()].map(Some);
    for (engine, board) in ENGINES.into_iter().zip(&boards) {
        let request = Request { engine, per_start: true, ..Request::new(board.clone()) };
        let answer = count_all(&request);
        assert_eq!(numbers_by_kind(&answer), expected, "{drawn:?} {engine:?}");
        // What all starts have adds up to every directed tour of each kind; a closed tour starts anywhere.
        let sums: [num_bigint::BigUint; 3] =
            KINDS.map(|kind| answer.per_start.iter().filter_map(|start| start.counts.get(kind)).sum());
        let both =
            |undirected: u64| num_bigint::BigUint::from(if drawn.len == 1 { 1 } else { 2 } * undirected);
        let closed = both(table.closed()) * drawn.len;
        assert_eq!(sums, [closed, both(table.open()), both(table.paths())], "{drawn:?} {engine:?}");
    }
}

#[test]
fn engines_count_500_graphs_equally_from_all_formats() {
    let mut with_tours = 0;
    for (number, drawn) in first_random_graphs(500).enumerate() {
        assert_formats_agree(&drawn);
        with_tours += usize::from(drawn.simple_edges().len() >= drawn.len);
        // The other forms by the other engines, on every tenth.
        if number % 10 == 0 {
            let simple: Vec<(usize, usize)> = drawn.simple_edges().into_iter().collect();
            let table = Oracle::from_edges(drawn.len, &simple).table();
            for board in drawn.read_in_all_formats() {
                ENGINES
                    .into_iter()
                    .for_each(|engine| assert_board_counts_match_oracle(&board, engine, None, &table));
            }
        }
    }
    assert!(with_tours > 200, "{with_tours}: most are not too thin to have a tour");
}

/// The files of a graph in a folder, and what each is called.
fn write_in_all_formats(drawn: &RandomGraph, folder: &Path) -> [String; 3] {
    [("list", drawn.edge_list()), ("dimacs", drawn.to_dimacs()), ("graph6", drawn.to_graph6() + "\n")].map(
        |(form, text)| {
            let path = folder.join(form);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        },
    )
}

/// What the program says of a graph in a file: tours of every kind from every vertex, by name.
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

/// Each form by another engine, by turns.
#[test]
fn count_reads_500_graph_files() {
    let folder = tempfile::tempdir().unwrap();
    for (number, drawn) in first_random_graphs(500).enumerate() {
        let simple: Vec<(usize, usize)> = drawn.simple_edges().into_iter().collect();
        let table = Oracle::from_edges(drawn.len, &simple).table();
        for (at, (path, first)) in
            write_in_all_formats(&drawn, folder.path()).iter().zip([0, 1, 1]).enumerate()
        {
            let engine = ENGINES[(number + at) % 3];
            let found = counts_by_start_of_program(path, engine);
            for v in 0..drawn.len {
                // The list has the numbers from 0, the other forms those from 1.
                let of = |kind: Kind| found[&(kind.name().to_owned(), (v + first).to_string())];
                let expected = [table.re_entrant_from(v), table.open_from(v), table.paths_from(v)];
                assert_eq!(KINDS.map(of), expected, "{drawn:?} {engine:?} {path} from {v}");
            }
            assert_eq!(found.len(), 3 * drawn.len, "{drawn:?} {engine:?} {path}");
        }
    }
}

#[test]
fn engines_agree_on_graphs_with_0_and_1_vertices() {
    for len in [0, 1] {
        let drawn = RandomGraph { len, edges: Vec::new() };
        for (board, engine) in
            drawn.read_in_all_formats().iter().flat_map(|board| ENGINES.map(|engine| (board, engine)))
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
    let small = first_random_graphs(200).filter(|drawn| (3..=7).contains(&drawn.len));
    for drawn in small.filter(|drawn| drawn.simple_edges().len() <= drawn.len + 6).take(40) {
        for board in drawn.read_in_all_formats() {
            for kind in KINDS {
                let expected = count_classes_by_images(&board, kind) as u64;
                assert_eq!(
                    count_distinct(&board, kind, Engine::Auto).unwrap(),
                    expected,
                    "{drawn:?} {kind:?}"
                );
            }
        }
    }
}

#[test]
fn graph_reader_rejects_damaged_file_with_line() {
    let line_of = |text: &str| {
        let error = graph_file::parse(text).map(|_| ()).expect_err(text);
        assert_contains_all(&error.to_string(), &[&format!("line {}", error.line)]);
        error.line
    };
    for drawn in first_random_graphs(100).filter(|drawn| !drawn.edges.is_empty()) {
        for text in [drawn.edge_list(), drawn.to_dimacs()] {
            let (rest, _) = text.trim_end().rsplit_once('\n').unwrap();
            assert_eq!(line_of(&format!("{rest}\nx y z\n")), text.lines().count(), "{text:?}");
        }
        let dimacs = drawn.to_dimacs();
        let (rest, _) = dimacs.trim_end().rsplit_once('\n').unwrap();
        assert_eq!(line_of(rest), 3, "fewer edges than line 3 promises");
        let beyond = format!("{rest}\ne 1 {}\n", drawn.len + 1);
        assert_eq!(line_of(&beyond), dimacs.lines().count(), "a vertex that is none");
        let mut graph6 = drawn.to_graph6();
        if graph6.pop().is_some_and(|_| graph6.len() > 1) {
            assert_eq!(line_of(&format!(">>graph6<<{graph6}\n")), 1, "cut off");
        }
    }
}
