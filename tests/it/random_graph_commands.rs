//! Random dense and sparse graphs through the command line, each engine against a count by dynamic programming
//! over sets of vertices.
//!
//! Default: 200 graphs; `KTOUR_FUZZ=N` counts N graphs.

use std::collections::BTreeMap;
use std::process::Command;

use ktour::board::{Graph, graph6};
use ktour::random::Random;

/// Numbers of closed tours, of open tours and of paths.
type Counts = [u64; 3];

/// Returns a random graph: half of the graphs are dense (up to 10 vertices), half sparse (up to 14 vertices).
fn random_graph(random: &mut Random) -> Graph {
    let is_dense = random.below(2) == 0;
    let len = if is_dense { 3 + random.below(8) } else { 3 + random.below(12) };
    let percent = if is_dense { 50 + random.below(51) } else { (200 + random.below(200)) / len };
    let pairs = (0..len).flat_map(|w| (0..w).map(move |v| (v, w)));
    Graph::from_edges(len, pairs.filter(|_| random.below(100) < percent).collect::<Vec<_>>())
}

/// Returns the number of paths through all vertices from `start`, by their last vertex. Time O(2^n edges).
fn count_paths_from(graph: &Graph, start: usize) -> Vec<u64> {
    let len = graph.len();
    let mut paths = vec![0u64; len << len];
    paths[(1 << start) * len + start] = 1;
    for set in 0..1usize << len {
        for last in (0..len).filter(|last| set >> last & 1 == 1) {
            let count = paths[set * len + last];
            if count == 0 {
                continue;
            }
            for &next in graph.neighbours(last) {
                let next = next as usize;
                if set >> next & 1 == 0 {
                    paths[(set | 1 << next) * len + next] += count;
                }
            }
        }
    }
    paths[((1 << len) - 1) * len..].to_vec()
}

fn count_by_sets(graph: &Graph) -> Counts {
    let (mut directed, mut re_entrant) = (0, 0);
    for start in 0..graph.len() {
        for (end, paths) in count_paths_from(graph, start).into_iter().enumerate() {
            directed += paths;
            re_entrant += if graph.is_edge(start, end) { paths } else { 0 };
        }
    }
    // A closed tour of n vertices is 2 n directed re-entrant paths.
    let closed = re_entrant / (2 * graph.len() as u64);
    [closed, (directed - re_entrant) / 2, directed / 2]
}

/// Counts all graphs of a file by one command, and returns the counts by line.
fn count_by_command(file: &std::path::Path, engine: &str) -> BTreeMap<usize, Counts> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ktour"));
    command.args(["count", "--all-graphs", "--quiet", "--csv", "-", "--engine", engine, "--graph"]).arg(file);
    let ended = command.output().unwrap();
    let errors = String::from_utf8(ended.stderr).unwrap();
    assert!(ended.status.success() && errors.is_empty(), "{errors}");
    let text = String::from_utf8(ended.stdout).unwrap();
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| columns.iter().position(|column| *column == name).unwrap();
    let (line, kind, undirected) = (column("line"), column("kind"), column("undirected"));
    let mut counts: BTreeMap<usize, Counts> = BTreeMap::new();
    for row in lines {
        let cells: Vec<&str> = row.split(',').collect();
        let kind = ["closed", "open", "paths"].iter().position(|name| *name == cells[kind]).unwrap();
        counts.entry(cells[line].parse().unwrap()).or_default()[kind] = cells[undirected].parse().unwrap();
    }
    counts
}

#[test]
fn commands_count_random_graphs_as_dynamic_programming_does() {
    let cases = std::env::var("KTOUR_FUZZ").ok().and_then(|cases| cases.parse().ok()).unwrap_or(200);
    let mut random = Random::new(20_261);
    let graphs: Vec<Graph> = (0..cases).map(|_| random_graph(&mut random)).collect();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("graphs.g6");
    let lines: Vec<String> = graphs.iter().map(graph6::encode).collect();
    std::fs::write(&file, lines.join("\n") + "\n").unwrap();
    let expected: Vec<Counts> = graphs.iter().map(count_by_sets).collect();
    let with_closed = expected.iter().filter(|counts| counts[0] > 0).count();
    assert!((cases / 4..cases).contains(&with_closed), "{with_closed} of {cases} graphs have closed tours");
    for engine in ["auto", "multipath", "frontier", "backtrack"] {
        let counted = count_by_command(&file, engine);
        assert_eq!(counted.len(), graphs.len(), "{engine}");
        for ((line, found), (graph, expected)) in counted.iter().zip(graphs.iter().zip(&expected)) {
            assert_eq!(found, expected, "{engine}, line {line}: {}", graph6::encode(graph));
        }
    }
}
