//! Damaged graph files: the reader returns the right graph, an error, a note, or the graph that an independent
//! strict reader finds in the damaged file.
//!
//! ```text
//! graph -> file in a format -> added lines or damage -> graph_file::parse -> error, note, or the graph of one of
//!                                                                    strict_readings, if these agree
//! ```
//!
//! - Added lines (sizes, headers, ends, remarks) do not change the graph, so that a graph without a note must
//!   be the first one.
//! - Damage (characters, words and lines are deleted, inserted, repeated and swapped) may make another valid
//!   file. A graph without a note must then be the only graph of the strict readers.
//!
//! Default: 2,000 cases of each format; `KTOUR_FUZZ=N` runs N cases.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use ktour::board::{Board, Graph, graph_file, graph6, sparse6};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};

/// Vertex names and edges between them, in sorted order.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct NamedGraph {
    vertices: BTreeSet<String>,
    edges: BTreeSet<(String, String)>,
}

impl NamedGraph {
    fn add_edge(&mut self, v: &str, w: &str) -> bool {
        let (v, w) = if v < w { (v, w) } else { (w, v) };
        self.vertices.extend([v.to_owned(), w.to_owned()]);
        self.edges.insert((v.to_owned(), w.to_owned()))
    }

    fn from_board(board: &Board) -> Self {
        let name = |v: usize| board.name(v as u32);
        let mut named = Self { vertices: (0..board.len()).map(name).collect(), edges: BTreeSet::new() };
        for v in 0..board.len() {
            for &w in board.graph().neighbours(v) {
                named.add_edge(&name(v), &name(w as usize));
            }
        }
        named
    }

    /// Creates a graph with vertices 1, 2, .. from edges that are numbered from 0.
    fn from_numbers(len: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut named = Self { vertices: (1..=len).map(|v| v.to_string()).collect(), edges: BTreeSet::new() };
        for (v, w) in edges {
            named.add_edge(&(v + 1).to_string(), &(w + 1).to_string());
        }
        named
    }
}

/// A connected graph, its format and the style of its names.
#[derive(Clone, Debug)]
struct Sample {
    len: usize,
    edges: Vec<(usize, usize)>,
    names: usize,
}

/// Generates rings and paths with chords, of 3 to 9 vertices.
fn samples() -> impl Strategy<Value = Sample> {
    let graph = (3usize..10).prop_flat_map(|len| (Just(len), any::<bool>(), vec((0..len, 0..len), 0..len)));
    (graph, 0usize..4, any::<u64>()).prop_map(|((len, is_ring, chords), names, order)| {
        let path = (1..len).map(|v| (v - 1, v)).chain(is_ring.then_some((len - 1, 0)));
        let mut seen = BTreeSet::new();
        let mut edges: Vec<(usize, usize)> =
            path.chain(chords).filter(|&(v, w)| v != w && seen.insert((v.min(w), v.max(w)))).collect();
        let shift = order as usize % edges.len();
        edges.rotate_left(shift);
        if order & 1 << 40 != 0 {
            edges.iter_mut().for_each(|edge| *edge = (edge.1, edge.0));
        }
        Sample { len, edges, names }
    })
}

const FORMATS: [&str; 15] = [
    "blanks",
    "tabs",
    "comma",
    "quotes",
    "header",
    "sizes",
    "dimacs",
    "edge-list",
    "adj-list",
    "lists",
    "once",
    "matrix",
    "bits",
    "graph6",
    "sparse6",
];

impl Sample {
    fn name(&self, v: usize) -> String {
        match self.names {
            0 => (v + 1).to_string(),
            1 => v.to_string(),
            2 => char::from(b'a' + v as u8).to_string(),
            _ => format!("v{v}"),
        }
    }

    fn sorted_edges(&self) -> BTreeSet<(usize, usize)> {
        self.edges.iter().flat_map(|&(v, w)| [(v, w), (w, v)]).collect()
    }

    fn neighbours(&self, v: usize) -> Vec<usize> {
        self.sorted_edges().into_iter().filter(|edge| edge.0 == v).map(|edge| edge.1).collect()
    }

    fn graph(&self) -> Graph {
        Graph::from_edges(self.len, self.edges.iter().copied())
    }

    /// Writes the graph, and returns the file and the graph with the names in it.
    fn write(&self, format: &str) -> (String, NamedGraph) {
        let numbered = || NamedGraph::from_numbers(self.len, self.edges.iter().copied());
        let mut named = NamedGraph::default();
        for &(v, w) in &self.edges {
            named.add_edge(&self.name(v), &self.name(w));
        }
        let pairs = |by: &str, quote: &str| {
            let mut text = String::new();
            for &(v, w) in &self.edges {
                writeln!(text, "{quote}{}{quote}{by}{quote}{}{quote}", self.name(v), self.name(w)).unwrap();
            }
            text
        };
        let entry = |v: usize, w: usize| if self.sorted_edges().contains(&(v, w)) { "1" } else { "0" };
        let matrix = |by: &str| {
            let row = |v| (0..self.len).map(|w| entry(v, w)).collect::<Vec<_>>().join(by) + "\n";
            (0..self.len).map(row).collect::<String>()
        };
        let hcp = |format: &str, edges: String| {
            let len = self.len;
            format!(
                "NAME : x\nTYPE : HCP\nDIMENSION : {len}\nEDGE_DATA_FORMAT : {format}\nEDGE_DATA_SECTION\n{edges}-1\nEOF\n"
            )
        };
        let one_based = |prefix: &str| {
            self.edges.iter().map(|(v, w)| format!("{prefix}{} {}\n", v + 1, w + 1)).collect::<String>()
        };
        let list = |v: usize, is_in: &dyn Fn(usize) -> bool| {
            let near = self.neighbours(v).into_iter().filter(|&w| is_in(w));
            let near: Vec<String> = near.map(|w| self.name(w)).collect();
            format!("{}: {}\n", self.name(v), near.join(" "))
        };
        match format {
            "blanks" => (format!("# a graph\n{}", pairs(" ", "")), named),
            "tabs" => (pairs("\t", ""), named),
            "comma" => (pairs(", ", ""), named),
            "quotes" => (pairs(",", "\""), named),
            "header" => (format!("from,to\n{}", pairs(",", "")), named),
            "sizes" => (format!("{} {}\n{}", self.len, self.edges.len(), pairs(" ", "")), named),
            "dimacs" => {
                (format!("c x y\np edge {} {}\n{}", self.len, self.edges.len(), one_based("e ")), numbered())
            }
            "edge-list" => (hcp("EDGE_LIST", one_based("")), numbered()),
            "adj-list" => {
                let row = |v: usize| {
                    let near: String = self.neighbours(v).iter().map(|w| format!("{} ", w + 1)).collect();
                    format!("{} {near}-1\n", v + 1)
                };
                (hcp("ADJ_LIST", (0..self.len).map(row).collect()), numbered())
            }
            "lists" => ((0..self.len).map(|v| list(v, &|_| true)).collect(), named),
            "once" => ((0..self.len).map(|v| list(v, &|w| v < w)).collect(), named),
            "matrix" => (matrix([" ", ",", "\t"][self.edges.len() % 3]), numbered()),
            "bits" => (matrix(""), numbered()),
            "graph6" => (format!("{}\n", graph6::encode(&self.graph())), numbered()),
            _ => (format!(">>sparse6<<{}\n", sparse6_text(&self.graph())), numbered()),
        }
    }
}

/// Encodes a small graph in sparse6 as the description of the format says.
fn sparse6_text(graph: &Graph) -> String {
    let len = graph.len();
    let width = usize::BITS as usize - (len - 1).leading_zeros() as usize;
    let mut bits: Vec<bool> = Vec::new();
    let mut push = |up: bool, x: usize| {
        bits.push(up);
        bits.extend((0..width).rev().map(|k| x >> k & 1 == 1));
    };
    let mut current = 0;
    for w in 0..len {
        for &v in graph.neighbours(w).iter().filter(|&&v| (v as usize) < w) {
            if w > current + 1 {
                push(true, w);
                push(false, v as usize);
            } else {
                push(w == current + 1, v as usize);
            }
            current = w;
        }
    }
    while !bits.len().is_multiple_of(6) {
        bits.push(true);
    }
    let letter = |six: &[bool]| char::from(63 + six.iter().fold(0, |sum, &bit| sum << 1 | u8::from(bit)));
    format!(":{}{}", char::from(63 + len as u8), bits.chunks(6).map(letter).collect::<String>())
}

/// Returns the graph of the lines of a file in one format.
type StrictReader = fn(&[&str]) -> Option<NamedGraph>;

/// Returns the different graphs that the strict readers of all formats find in a text.
fn strict_readings(text: &str) -> BTreeSet<NamedGraph> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let normal = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = normal.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect();
    let without_comments = lines.iter().map(|line| strip_comment(line)).filter(|line| !line.is_empty());
    let lines: Vec<&str> = without_comments.collect();
    if lines.is_empty() {
        return BTreeSet::from([NamedGraph::default()]);
    }
    let readers: [StrictReader; 6] =
        [strict_edges, strict_dimacs, strict_hcp, strict_lists, strict_matrix, strict_graph6];
    readers.iter().filter_map(|read| read(&lines)).collect()
}

fn strip_comment(line: &str) -> &str {
    if line.starts_with('#') || line.starts_with('%') {
        return "";
    }
    let is_comment = |&(at, c): &(usize, char)| c == '#' && line[..at].ends_with(char::is_whitespace);
    line.char_indices().find(is_comment).map_or(line, |(at, _)| line[..at].trim())
}

fn is_strict_name(name: &str) -> bool {
    let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    let is_word = name.starts_with(char::is_alphanumeric)
        && (name.contains(char::is_alphabetic)
            || !name.bytes().all(|byte| byte.is_ascii_digit())
                && name.ends_with(|c: char| c.is_alphanumeric() || "'*".contains(c)))
        && name.parse::<f64>().is_err()
        && name.chars().all(|c| c.is_alphanumeric() || ".-+_:#/@~?'&*%$^!()[]{}".contains(c))
        && has_paired_brackets(name)
        && !name.ends_with([':', '-', '/'])
        && !name.contains("--");
    is_number || is_word
}

/// Returns true if every bracket of a name has its counterpart, and something stands between the two.
fn has_paired_brackets(name: &str) -> bool {
    let (mut open, mut before) = (Vec::new(), ' ');
    for c in name.chars() {
        match c {
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' if open.pop() != Some(c) || "([{".contains(before) => return false,
            _ => {}
        }
        before = c;
    }
    open.is_empty()
}

/// Returns true if no number has leading zeros, or all numbers have as many digits.
fn has_one_spelling(graph: &NamedGraph) -> bool {
    let numbers = || graph.vertices.iter().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
    let lengths: BTreeSet<usize> = numbers().map(String::len).collect();
    lengths.len() < 2 || !numbers().any(|name| name.len() > 1 && name.starts_with('0'))
}

/// Two names a line with one separator, no edge twice, no loop, and vertices alone only if they have no edges.
fn strict_edges(lines: &[&str]) -> Option<NamedGraph> {
    let mut graph = NamedGraph::default();
    let mut lone = Vec::new();
    let mut separator = None;
    for line in lines {
        let found = if line.contains(',') {
            ','
        } else if line.contains('\t') {
            '\t'
        } else {
            ' '
        };
        let words: Vec<&str> = match found {
            ',' => line.split(',').map(str::trim).collect(),
            _ => line.split_whitespace().collect(),
        };
        let unquoted = |word: &'_ str| -> String {
            word.strip_prefix('"').and_then(|word| word.strip_suffix('"')).unwrap_or(word).to_owned()
        };
        let words: Vec<String> = words.into_iter().map(unquoted).collect();
        if !words.iter().all(|word| is_strict_name(word)) {
            return None;
        }
        match &words[..] {
            [name] => lone.push(name.clone()),
            [v, w] => {
                if *separator.get_or_insert(found) != found || v == w || !graph.add_edge(v, w) {
                    return None;
                }
            }
            _ => return None,
        }
    }
    let has_edges = !graph.edges.is_empty();
    let are_listed = graph.vertices.iter().all(|name| lone.contains(name));
    if !has_edges || !are_listed && lone.iter().any(|name| graph.vertices.contains(name)) {
        return None;
    }
    graph.vertices.extend(lone);
    has_one_spelling(&graph).then_some(graph)
}

fn strict_number(text: &str, range: std::ops::RangeInclusive<usize>) -> Option<usize> {
    text.parse().ok().filter(|number: &usize| number.to_string() == text && range.contains(number))
}

fn strict_dimacs(lines: &[&str]) -> Option<NamedGraph> {
    let mut lines = lines.iter().filter(|line| line.split_whitespace().next() != Some("c"));
    let words: Vec<&str> = lines.next()?.split_whitespace().collect();
    let ["p", "edge" | "col" | "edges" | "graph", len, count] = words[..] else { return None };
    let (len, count) = (len.parse().ok()?, count.parse::<usize>().ok()?);
    let mut graph = NamedGraph::from_numbers(len, []);
    let mut number = 0;
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["e", v, w] = words[..] else { return None };
        strict_number(v, 1..=len).zip(strict_number(w, 1..=len))?;
        if v == w || !graph.add_edge(v, w) {
            return None;
        }
        number += 1;
    }
    (number == count).then_some(graph)
}

fn strict_hcp(lines: &[&str]) -> Option<NamedGraph> {
    // Some programs end this line with a colon.
    let is_section = |line: &&str| line.strip_suffix(':').unwrap_or(line).trim_end() == "EDGE_DATA_SECTION";
    let section = lines.iter().position(is_section)?;
    let mut values = BTreeMap::new();
    for line in &lines[..section] {
        let (key, value) = line.split_once(':')?;
        let key = key.trim();
        let is_known = ["NAME", "TYPE", "COMMENT", "DIMENSION", "EDGE_DATA_FORMAT"].contains(&key);
        // A line may be repeated.
        let is_other = values.insert(key, value.trim()).is_some_and(|earlier| earlier != value.trim());
        if !is_known || is_other && key != "COMMENT" && key != "NAME" {
            return None;
        }
    }
    if values.get("TYPE") != Some(&"HCP") {
        return None;
    }
    let len = values.get("DIMENSION")?.parse().ok()?;
    let end = lines.iter().position(|line| *line == "-1" || *line == "EOF").filter(|&end| end > section)?;
    if lines[end + 1..].iter().any(|line| *line != "EOF") || lines[end..].len() > 2 {
        return None;
    }
    let rows: Vec<Vec<&str>> =
        lines[section + 1..end].iter().map(|line| line.split_whitespace().collect()).collect();
    let numbers = |row: &[&str]| -> Option<Vec<usize>> {
        row.iter().map(|word| strict_number(word, 1..=len).map(|v| v - 1)).collect()
    };
    match *values.get("EDGE_DATA_FORMAT")? {
        "EDGE_LIST" => {
            let mut graph = NamedGraph::from_numbers(len, []);
            for row in rows {
                let [v, w] = numbers(&row)?[..] else { return None };
                if v == w || !graph.add_edge(&(v + 1).to_string(), &(w + 1).to_string()) {
                    return None;
                }
            }
            Some(graph)
        }
        "ADJ_LIST" => {
            let lists = rows.iter().map(|row| {
                let (end, row) = row.split_last()?;
                let (v, near) = row.split_first()?;
                (*end == "-1").then_some(())?;
                numbers(row)?;
                Some(((*v).to_owned(), near.iter().map(|w| (*w).to_owned()).collect()))
            });
            let mut graph = strict_symmetric(lists.collect::<Option<Vec<_>>>()?, false)?;
            graph.vertices.extend((1..=len).map(|v| v.to_string()));
            Some(graph)
        }
        _ => None,
    }
}

/// Returns the graph of lists of neighbours in which each edge is in two lists.
fn strict_symmetric(lists: Vec<(String, Vec<String>)>, needs_edges: bool) -> Option<NamedGraph> {
    let mut graph = NamedGraph::default();
    let mut arcs = BTreeSet::new();
    for (v, near) in &lists {
        if !graph.vertices.insert(v.clone()) && lists.iter().filter(|(w, _)| w == v).count() > 1 {
            return None;
        }
        for w in near {
            if v == w || !arcs.insert((v.clone(), w.clone())) {
                return None;
            }
            graph.add_edge(v, w);
        }
    }
    let is_symmetric = arcs.iter().all(|(v, w)| arcs.contains(&(w.clone(), v.clone())));
    (is_symmetric && !(needs_edges && arcs.is_empty())).then_some(graph)
}

fn strict_lists(lines: &[&str]) -> Option<NamedGraph> {
    let by_comma = lines.iter().any(|line| line.contains(','));
    let list = |line: &&str| {
        let (v, near) = line
            .split_once(':')
            .filter(|(_, near)| near.is_empty() || near.starts_with(char::is_whitespace))?;
        let near: Vec<&str> = match near.trim() {
            "" => Vec::new(),
            near if by_comma => near.split(',').map(str::trim).collect(),
            near => near.split_whitespace().collect(),
        };
        let v = v.trim();
        let is_valid = is_strict_name(v) && near.iter().all(|w| is_strict_name(w));
        is_valid.then(|| (v.to_owned(), near.iter().map(|w| (*w).to_owned()).collect()))
    };
    strict_symmetric(lines.iter().map(list).collect::<Option<Vec<_>>>()?, true).filter(has_one_spelling)
}

fn strict_matrix(lines: &[&str]) -> Option<NamedGraph> {
    let by =
        [",", " ", "\t", ""].into_iter().find(|by| lines.first().is_some_and(|line| line.contains(by)))?;
    let row = |line: &&str| -> Option<Vec<bool>> {
        let words: Vec<String> = match by {
            "" => line.chars().map(String::from).collect(),
            "," => line.split(',').map(|word| word.trim().to_owned()).collect(),
            _ => line.split_whitespace().map(str::to_owned).collect(),
        };
        words
            .iter()
            .map(|word| match word.as_str() {
                "0" => Some(false),
                "1" => Some(true),
                _ => None,
            })
            .collect()
    };
    let rows: Vec<Vec<bool>> = lines.iter().map(row).collect::<Option<_>>()?;
    let len = rows.len();
    let is_valid = len > 1
        && rows.iter().all(|row| row.len() == len)
        && (0..len).all(|v| !rows[v][v] && (0..len).all(|w| rows[v][w] == rows[w][v]));
    let edges = || (0..len).flat_map(|v| (0..v).map(move |w| (v, w))).filter(|&(v, w)| rows[v][w]);
    is_valid.then(|| NamedGraph::from_numbers(len, edges()))
}

fn strict_graph6(lines: &[&str]) -> Option<NamedGraph> {
    let [line] = lines else { return None };
    let header = [">>graph6<<", ">>sparse6<<"].into_iter().find(|header| line.starts_with(header));
    let line = line[header.map_or(0, str::len)..].trim_start();
    let graph = sparse6::decode(line).ok()?;
    let edges = (0..graph.len()).flat_map(|v| graph.neighbours(v).iter().map(move |&w| (v, w as usize)));
    Some(NamedGraph::from_numbers(graph.len(), edges.collect::<Vec<_>>()))
}

/// A change of a text: its kind, two positions and a selector.
type Change = (u8, Index, Index, u8);

/// Words with a meaning in one of the formats.
const WORDS: [&str; 40] = [
    "0", "1", "2", "3", "9", "10", "-1", "1.5", "01", "a", "b", "v1", "e", "c", "p", "#", "%", "//", "--",
    "->", ":", ",", ";", "|", "1:", "{", "}", "[", "]", "(1", "0)", "EOF", "end", "edge", "\"", "\t", "C#",
    "é", "\u{a0}", "=",
];

/// Applies a change to characters, words or lines.
fn damage(text: &str, (kind, from, to, choice): &Change) -> String {
    let units: Vec<String> = match kind % 3 {
        0 => text.chars().map(String::from).collect(),
        1 => {
            let mut words: Vec<String> = Vec::new();
            for c in text.chars() {
                match words.last_mut() {
                    Some(word) if !c.is_whitespace() && !word.ends_with(char::is_whitespace) => word.push(c),
                    _ => words.push(c.to_string()),
                }
            }
            words
        }
        _ => text.split_inclusive('\n').map(str::to_owned).collect(),
    };
    let mut units = units;
    if units.is_empty() {
        return WORDS[usize::from(*choice) % WORDS.len()].to_owned();
    }
    let (a, b) = (from.index(units.len()), to.index(units.len()));
    match kind / 3 % 6 {
        0 => {
            units.remove(a);
        }
        1 => units.insert(
            a,
            WORDS[usize::from(*choice) % WORDS.len()].to_owned() + if kind % 3 == 2 { "\n" } else { "" },
        ),
        2 => {
            let unit = units[a].clone();
            units.insert(b, unit);
        }
        3 => units.swap(a, b),
        4 => {
            units[a] =
                WORDS[usize::from(*choice) % WORDS.len()].to_owned() + if kind % 3 == 2 { "\n" } else { "" }
        }
        _ => units.truncate(a),
    }
    units.concat()
}

/// Adds a line or changes signs so that the graph stays, and returns the new text.
fn decorate(text: &str, sample: &Sample, format: &str, choice: u8) -> String {
    let (n, m) = (sample.len, sample.edges.len());
    let by = if format == "comma" || format == "quotes" {
        ","
    } else if format == "tabs" {
        "\t"
    } else {
        " "
    };
    let before = |line: String| format!("{line}\n{text}");
    let after = |line: &str| format!("{text}{line}\n");
    match choice % 30 {
        0 => before(format!("{n}{by}{m}")),
        1 => before(n.to_string()),
        2 => before(format!("{n}\n{m}")),
        3 => before(format!("source{by}target")),
        4 => before(format!("u{by}v")),
        5 => before(format!("vertices{by}{n}")),
        6 => before(format!("vertices: {n}")),
        7 => before(format!("n={n}")),
        8 => before(format!("{n} vertices")),
        9 => before(format!("edges{by}{m}")),
        10 => before("// edges follow".to_owned()),
        11 => before("% edges follow".to_owned()),
        12 => before("; edges".to_owned()),
        13 => before("# 1 2".to_owned()),
        14 => after(&format!("0{by}0")),
        15 => after("-1"),
        16 => after(&format!("-1{by}-1")),
        17 => after("0"),
        18 => after("EOF"),
        19 => after("end"),
        20 => text.replace('\n', "\r\n"),
        21 => text.replace('\n', "\r"),
        22 => format!("\u{feff}{text}"),
        23 => text.replace(by, ";"),
        24 => text.replace(by, "-"),
        25 => text.replace(by, " -- "),
        26 => text.replace(by, "\u{a0}"),
        27 => text.lines().map(|line| format!("  {line} \t\n")).collect(),
        28 => text.lines().map(|line| format!("{line}\n\n")).collect(),
        // A further neighbour in a list makes another graph, and a word after one of graph6 an edge.
        _ if ["lists", "once", "graph6"].contains(&format) => text.to_owned(),
        _ => text.lines().map(|line| format!("{line} 1\n")).collect(),
    }
}

/// Runs cases of each format; the closure changes a file and returns the new file.
fn run_format(name: &str, check: impl Fn(&str, &Sample, u8, &[Change])) {
    let cases = std::env::var("KTOUR_FUZZ").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2000);
    for format in FORMATS {
        let config = Config { cases, failure_persistence: None, ..Config::default() };
        let cases_run = Cell::new(0u32);
        let change = (any::<u8>(), any::<Index>(), any::<Index>(), any::<u8>());
        TestRunner::new(config)
            .run(&(samples(), any::<u8>(), vec(change, 1..4)), |(sample, choice, changes)| {
                check(format, &sample, choice, &changes);
                cases_run.set(cases_run.get() + 1);
                Ok(())
            })
            .unwrap_or_else(|failed| panic!("{name} of {format}: {failed}"));
        println!("fuzz: {} {name} of {format}", cases_run.get());
    }
}

fn read(text: &str) -> Option<(NamedGraph, Vec<String>)> {
    let file = graph_file::parse(text).ok()?;
    Some((NamedGraph::from_board(&Board::from(file.graph)), file.notes))
}

#[test]
fn undamaged_files_are_read() {
    run_format("files", |format, sample, _, _| {
        let (text, expected) = sample.write(format);
        match graph_file::parse(&text) {
            Ok(file) => {
                let found = NamedGraph::from_board(&Board::from(file.graph));
                assert_eq!(found, expected, "{text}");
                assert!(
                    ["header", "sizes", "once"].contains(&format) || file.notes.is_empty(),
                    "{text}: {:?}",
                    file.notes
                );
            }
            // The first line may be sizes, or the lines may be lists of neighbours.
            Err(error) => assert!(
                ["blanks", "tabs", "comma", "quotes", "header", "sizes"].contains(&format)
                    && sample.names < 2,
                "{text}: {error}"
            ),
        }
    });
}

#[test]
fn added_lines_do_not_change_graph() {
    run_format("files with added lines", |format, sample, choice, _| {
        let (text, expected) = sample.write(format);
        let text = decorate(&text, sample, format, choice);
        if let Some((found, notes)) = read(&text) {
            // Files of `once` have one note in any case.
            let is_noted = notes.len() > usize::from(format == "once");
            assert!(found == expected || is_noted, "{text}: {found:?}");
        }
    });
}

#[test]
fn damaged_files_are_rejected_or_valid() {
    run_format("damaged files", |format, sample, choice, changes| {
        let (text, expected) = sample.write(format);
        let text = if choice < 100 { decorate(&text, sample, format, choice) } else { text };
        let text = changes.iter().fold(text, |text, change| damage(&text, change));
        let Some((found, notes)) = read(&text) else { return };
        if notes.is_empty() && found != expected {
            let readings = strict_readings(&text);
            assert!(readings.len() == 1 && readings.contains(&found), "{text}: {found:?}, not {readings:?}");
        }
    });
}
