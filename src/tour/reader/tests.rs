//! Round trips of tours of graphs, from writer to reader.

use super::*;
use crate::board::{Board, CustomGraph, Graph, Layout};
use crate::tour::{Kind, TourWriter};

/// A ring of six, in two rows.
fn ring(names: Option<[&str; 6]>) -> Board {
    let ring = CustomGraph::new(Graph::from_edges(6, (0..6).map(|v| (v, (v + 1) % 6))));
    let places = ["a1", "b1", "c1", "c2", "b2", "a2"].map(|name| name.parse().unwrap()).to_vec();
    match names {
        None => Board::new(ring),
        Some(names) => {
            Board::new(ring.with_names(names).unwrap().with_layout(Layout::new(2, 3, places)).unwrap())
        }
    }
}

fn read(board: &Board, text: &[u8]) -> Result<Vec<Tour>, String> {
    let options = ReadOptions { board: Some(board.clone()), ..ReadOptions::default() };
    let tours = TourReader::new(text, options);
    tours.map(|found| found.map(|found| found.tour).map_err(|error| error.to_string())).collect()
}

#[test]
fn graph_tours_round_trip_in_every_format() {
    use TourFormat::{Csv, Grid, Ndjson, Squares};
    for names in [None, Some(["u", "v", "w", "x", "y", "z"]), Some(["2", "3", "5", "7", "11", "13"])] {
        let board = ring(names);
        let tour = Tour::new(&board, vec![2, 3, 4, 5, 0, 1]).unwrap();
        for format in [Squares, Csv, Ndjson, Grid] {
            let Ok(writer) = TourWriter::new(&board, format, 1) else {
                assert!(format == Grid && names.is_none());
                continue;
            };
            let mut text = writer.header(Kind::Paths).into_bytes();
            for i in 0..2 {
                text.extend_from_slice(if i > 0 { writer.separator().as_bytes() } else { b"" });
                writer.write(&mut text, tour.kind(), tour.vertices());
            }
            assert_eq!(read(&board, &text), Ok(vec![tour.clone(), tour.clone()]), "{format:?}");
        }
    }
}

#[test]
fn errors_on_graphs_name_line_and_vertex() {
    let board = ring(Some(["u", "v", "w", "x", "y", "z"]));
    for (text, line, value) in
        [("u v q", "line 1: ", "`q`"), ("kind,squares\nopen,u v w x y z", "line 2: ", "re-entrant")]
    {
        let error = read(&board, text.as_bytes()).unwrap_err();
        assert!(error.starts_with(line) && error.contains(value), "{text}: {error}");
    }
    for (text, says) in [
        ("u w", "line 1: move 1, u to w, is not a move of the graph"),
        ("u v w x y", "line 1: the tour has 5 of the graph's 6 vertices; z is the first one missing"),
        ("6 5 4\n1 3 2\n", "line 2: move 1, u to w, is not a move of the graph"),
        ("3 4 5\n2 1 .\n", "line 2: the tour has 5 of the graph's 6 vertices; w is the first one missing"),
    ] {
        let error = read(&board, text.as_bytes()).unwrap_err();
        assert_eq!(error, says, "{text}");
    }
}
