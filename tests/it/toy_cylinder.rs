//! A custom graph of a knight on a cylinder, for which the engines have no special code, compared
//! with the oracle.

use ktour::board::{Board, CustomGraph, Graph, Layout, Leaper, Rectangle, Square};
use ktour::count::{Engine, Request};

use super::oracle::Oracle;
use super::searches_against_oracle::{assert_board_counts_match_oracle, count_all};

/// Returns the graph of a knight on a cylinder: the first column follows the last.
pub fn toy_cylinder(rows: u16, cols: u16) -> Board {
    let squares: Vec<Square> = Rectangle::new(rows, cols).unwrap().squares().collect();
    let (mut edges, mut seams) = (Vec::new(), Vec::new());
    for (v, from) in squares.iter().enumerate() {
        for (right, up) in Leaper::KNIGHT.steps() {
            let (file, rank) = (i32::from(from.file()) + right, i32::from(from.rank()) + up);
            let wrapped_file = file.rem_euclid(i32::from(cols));
            if !(0..i32::from(rows)).contains(&rank) {
                continue;
            }
            let w = rank as usize * usize::from(cols) + wrapped_file as usize;
            edges.push((v, w));
            if wrapped_file != file {
                seams.push((v as u32, w as u32));
            }
        }
    }
    let custom = CustomGraph::new(Graph::from_edges(squares.len(), edges));
    let custom = custom.with_names(squares.iter().map(ToString::to_string)).unwrap();
    custom.with_layout(Layout::new(rows, cols, squares).with_seams(seams)).unwrap().into()
}

#[test]
fn engines_match_oracle_on_cylinder() {
    for (rows, cols) in [(2, 6), (3, 4), (3, 5)] {
        let board = toy_cylinder(rows, cols);
        let neighbours = |v: usize| board.graph().neighbours(v).iter().map(|&w| w as usize).collect();
        let oracle = Oracle { neighbours: (0..board.len()).map(neighbours).collect() }.count_by_ends();
        for engine in [Engine::Multipath, Engine::Backtrack, Engine::Frontier] {
            assert_board_counts_match_oracle(&board, engine, None, &oracle);
        }
        assert!(board.layout().unwrap().seams().next().is_some());
        assert!(
            board.symmetries().order() >= 2 * usize::from(cols),
            "the group has rotations and reflections"
        );
    }
    let request = Request::new(toy_cylinder(4, 6));
    let count = |engine| count_all(&Request { engine, ..request.clone() }).counts;
    assert_eq!(count(Engine::Multipath), count(Engine::Frontier));
}
