//! Graphs from files: one graph written in three forms gives the same numbers, by every engine and by the oracle.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use ktour::board::{Arena, graph_file};
use ktour::count::{Engine, Request};
use ktour::tour::Kind;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::arenas::{ENGINES, classes, distinct};
use crate::check::assert_names;
use crate::cli::{ktour, rows};
use crate::kernels::{KINDS, assert_arena, counted, numbers};
use crate::oracle::Oracle;

/// A graph as it comes from nowhere: vertices, and edges in any order, some of them twice or leading home.
#[derive(Clone, Debug)]
struct Drawn {
    len: usize,
    edges: Vec<(usize, usize)>,
}

/// Graphs of 1 to 11 vertices of which those of many vertices have few edges, or the oracle takes minutes.
fn drawn() -> impl Strategy<Value = Drawn> {
    (1usize..=11).prop_flat_map(|len| {
        let most = if len > 9 { 2 * len + 4 } else { len * (len + 1) / 2 };
        let edge = (0..len, 0..len);
        proptest::collection::vec(edge, 0..=most).prop_map(move |edges| Drawn { len, edges })
    })
}

/// The first so many graphs, always the same.
fn graphs(number: usize) -> impl Iterator<Item = Drawn> {
    let mut runner = TestRunner::deterministic();
    let strategy = drawn();
    (0..number).map(move |_| strategy.new_tree(&mut runner).unwrap().current())
}

impl Drawn {
    /// The edges that count, each once.
    fn simple(&self) -> BTreeSet<(usize, usize)> {
        self.edges.iter().filter(|(v, w)| v != w).map(|&(v, w)| (v.min(w), v.max(w))).collect()
    }

    /// An edge a line, names apart by whatever is allowed; all vertices first, or those without edges would be missing.
    fn list(&self) -> String {
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

    fn dimacs(&self) -> String {
        let mut text = format!("c a graph\n\np edge {} {}\n", self.len, self.edges.len());
        self.edges.iter().for_each(|(v, w)| writeln!(text, "e {} {}", v + 1, w + 1).unwrap());
        text
    }

    /// From the description of the format, not by the code that is tried: the upper triangle by columns, six bits a
    /// character.
    fn graph6(&self) -> String {
        let simple = self.simple();
        let bits: Vec<bool> = (1..self.len)
            .flat_map(|w| (0..w).map(move |v| (v, w)))
            .map(|edge| simple.contains(&edge))
            .collect();
        let six = |bits: &[bool]| (0..6).fold(0, |sum, i| 2 * sum + u8::from(bits.get(i) == Some(&true)));
        let length = char::from(63 + self.len as u8);
        std::iter::once(length).chain(bits.chunks(6).map(|chunk| char::from(63 + six(chunk)))).collect()
    }

    fn arenas(&self) -> [Arena; 3] {
        [self.list(), self.dimacs(), format!(">>graph6<<{}\n", self.graph6())].map(|text| {
            let given = graph_file::read(&text).unwrap_or_else(|error| panic!("{error} in {text:?}"));
            Arena::from(given)
        })
    }
}

/// What every form of a graph has to give: all kinds by all engines, and every start.
fn agree(drawn: &Drawn) {
    let simple: Vec<(usize, usize)> = drawn.simple().into_iter().collect();
    let table = Oracle::from_edges(drawn.len, &simple).table();
    let arenas = drawn.arenas();
    for arena in &arenas {
        assert_eq!(arena.graph(), arenas[0].graph(), "{drawn:?}");
        assert_eq!((arena.len(), arena.graph().edges()), (drawn.len, simple.len()), "{drawn:?}");
    }
    let expected = [table.closed(), table.open(), table.paths()].map(Some);
    for (engine, arena) in ENGINES.into_iter().zip(&arenas) {
        let request = Request { engine, per_start: true, ..Request::new(arena.clone()) };
        let answer = counted(&request);
        assert_eq!(numbers(&answer), expected, "{drawn:?} {engine:?}");
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
fn five_hundred_graphs_from_files_are_counted_alike() {
    let mut with_tours = 0;
    for (number, drawn) in graphs(500).enumerate() {
        agree(&drawn);
        with_tours += usize::from(drawn.simple().len() >= drawn.len);
        // The other forms by the other engines, on every tenth.
        if number % 10 == 0 {
            let simple: Vec<(usize, usize)> = drawn.simple().into_iter().collect();
            let table = Oracle::from_edges(drawn.len, &simple).table();
            for arena in drawn.arenas() {
                ENGINES.into_iter().for_each(|engine| assert_arena(&arena, engine, None, &table));
            }
        }
    }
    assert!(with_tours > 200, "{with_tours}: most are not too thin to have a tour");
}

/// The files of a graph in a folder, and what each is called.
fn files(drawn: &Drawn, folder: &Path) -> [String; 3] {
    [("list", drawn.list()), ("dimacs", drawn.dimacs()), ("graph6", drawn.graph6() + "\n")].map(
        |(form, text)| {
            let path = folder.join(form);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        },
    )
}

/// What the program says of a graph in a file: tours of every kind from every vertex, by name.
fn told(path: &str, engine: Engine) -> BTreeMap<(String, String), u64> {
    let engine = engine.name();
    let output =
        ktour(&format!("count --graph {path} --engine {engine} --per-start --csv -")).output().unwrap();
    let csv = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{path} by {engine}");
    let number = |row: BTreeMap<String, String>| {
        ((row["kind"].clone(), row["start"].clone()), row["directed"].parse().unwrap())
    };
    rows(&csv).into_iter().map(number).collect()
}

/// Each form by another engine, by turns.
#[test]
fn five_hundred_files_are_read_and_counted_by_the_program() {
    let folder = tempfile::tempdir().unwrap();
    for (number, drawn) in graphs(500).enumerate() {
        let simple: Vec<(usize, usize)> = drawn.simple().into_iter().collect();
        let table = Oracle::from_edges(drawn.len, &simple).table();
        for (at, (path, first)) in files(&drawn, folder.path()).iter().zip([0, 1, 1]).enumerate() {
            let engine = ENGINES[(number + at) % 3];
            let found = told(path, engine);
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
fn graphs_of_no_and_of_one_vertex_are_counted_alike() {
    for len in [0, 1] {
        let drawn = Drawn { len, edges: Vec::new() };
        for (arena, engine) in drawn.arenas().iter().flat_map(|arena| ENGINES.map(|engine| (arena, engine))) {
            let answer = counted(&Request { engine, per_start: true, ..Request::new(arena.clone()) });
            assert_eq!(numbers(&answer), [0, len as u64, len as u64].map(Some), "{engine:?}");
            assert_eq!(answer.per_start.len(), len);
            for kind in KINDS {
                let expected = if kind == Kind::Closed { 0 } else { len as u64 };
                assert_eq!(distinct(arena, kind, engine).unwrap(), expected, "{kind:?} {engine:?}");
            }
        }
    }
}

/// As many as a look at every image of every tour allows.
#[test]
fn classes_of_graphs_from_files_are_those_of_brute_force() {
    let small = graphs(200).filter(|drawn| (3..=7).contains(&drawn.len));
    for drawn in small.filter(|drawn| drawn.simple().len() <= drawn.len + 6).take(40) {
        for arena in drawn.arenas() {
            for kind in KINDS {
                let expected = classes(&arena, kind) as u64;
                assert_eq!(distinct(&arena, kind, Engine::Auto).unwrap(), expected, "{drawn:?} {kind:?}");
            }
        }
    }
}

#[test]
fn a_damaged_file_is_refused_with_its_line() {
    let line_of = |text: &str| {
        let error = graph_file::read(text).map(|_| ()).expect_err(text);
        assert_names(&error.to_string(), &[&format!("line {}", error.line)]);
        error.line
    };
    for drawn in graphs(100).filter(|drawn| !drawn.edges.is_empty()) {
        for text in [drawn.list(), drawn.dimacs()] {
            let (rest, _) = text.trim_end().rsplit_once('\n').unwrap();
            assert_eq!(line_of(&format!("{rest}\nx y z\n")), text.lines().count(), "{text:?}");
        }
        let dimacs = drawn.dimacs();
        let (rest, _) = dimacs.trim_end().rsplit_once('\n').unwrap();
        assert_eq!(line_of(rest), 3, "fewer edges than line 3 promises");
        let beyond = format!("{rest}\ne 1 {}\n", drawn.len + 1);
        assert_eq!(line_of(&beyond), dimacs.lines().count(), "a vertex that is none");
        let mut graph6 = drawn.graph6();
        if graph6.pop().is_some_and(|_| graph6.len() > 1) {
            assert_eq!(line_of(&format!(">>graph6<<{graph6}\n")), 1, "cut off");
        }
    }
}
