//! Stored orders of boards that are counted often, from long searches.
//!
//! The cost of an order is estimated roughly from its frontiers, see
//! [`order_cost`](crate::frontier::planning::order_cost), and exactly by a dry run, which takes a thousand
//! times as long. `known_orders.csv` has orders that were compared by dry runs, so these boards need no
//! search before a sweep. `benches/orders.rs` makes the searches. An order affects only the cost of a count,
//! never its result.
//!
//! ```text
//! board,kind,order
//! 6x6,closed,0 30 ..      squares row by row; the board may lie either way
//! ```

use serde::Deserialize;

use super::problem::{SweepGraph, SweepLines, Tours};
use crate::board::{Graph, Leaper, Rectangle};

const KNOWN_ORDERS_CSV: &str = include_str!("known_orders.csv");

#[derive(Deserialize)]
struct KnownOrderRow {
    board: String,
    kind: String,
    order: String,
}

/// Yields the rows of the table of stored orders.
fn known_order_rows() -> impl Iterator<Item = KnownOrderRow> {
    let rows = csv::Reader::from_reader(KNOWN_ORDERS_CSV.as_bytes()).into_deserialize();
    rows.map(|row| row.expect("the table has rows of three columns"))
}

/// Returns the stored order for `tours` of `graph`; `None` unless the graph is a knight's rectangle
/// in the table, in either orientation, without factors. Cost: O(table), some microseconds.
#[must_use]
pub fn known_order(graph: &SweepGraph, tours: Tours) -> Option<Vec<usize>> {
    let kind = match tours {
        Tours::Closed => "closed",
        Tours::Paths => "paths",
        Tours::From(_) | Tours::Between(..) => return None,
    };
    if !graph.factors().is_empty() {
        return None;
    }
    let order_for_lines = |lines: &SweepLines| {
        let (height, width) = (lines.len(), lines.first()?.len());
        let name = format!("{height}x{width}");
        let row = known_order_rows().find(|row| row.board == name && row.kind == kind)?;
        let squares: Vec<usize> = lines.iter().flatten().copied().collect::<Option<_>>()?;
        let board = Rectangle::new(height.try_into().ok()?, width.try_into().ok()?).ok()?;
        let knights = Graph::from_leaper(&board, Leaper::KNIGHT);
        has_equal_edges(graph.as_graph(), &squares, &knights).then(|| {
            let order = row.order.split(' ').map(|square| square.parse::<usize>());
            order.map(|square| squares[square.expect("squares are numbers")]).collect()
        })
    };
    graph.directions().iter().find_map(order_for_lines)
}

/// Returns true if `graph` has the same edges as `other` when its vertex `vertices[v]` is named
/// `v`.
fn has_equal_edges(graph: &Graph, vertices: &[usize], other: &Graph) -> bool {
    let has_equal_neighbours = |(v, &vertex): (usize, &usize)| {
        let neighbours = graph.neighbours(vertex);
        neighbours.len() == other.neighbours(v).len()
            && other.neighbours(v).iter().all(|&w| neighbours.contains(&(vertices[w as usize] as u32)))
    };
    graph.len() == vertices.len()
        && other.len() == graph.len()
        && vertices.iter().enumerate().all(has_equal_neighbours)
}

#[cfg(test)]
mod tests {
    use super::super::cancel::Cancel;
    use super::super::order_search::{SearchScope, find_orders};
    use super::super::problem::Cycles;
    use super::super::slots::MAX_SLOTS;
    use super::*;
    use crate::board::Board;
    use crate::frontier::sweep::options::Options;
    use crate::frontier::sweep::prepared_sweep::PreparedSweep;

    fn tours_of_kind(kind: &str) -> Tours {
        if kind == "closed" { Tours::Closed } else { Tours::Paths }
    }

    fn graph_of_board(board: &str) -> SweepGraph {
        SweepGraph::from_board(&board.parse::<Board>().unwrap())
    }

    #[test]
    fn known_order_exists_for_both_orientations() {
        assert!(known_order_rows().count() > 0);
        for row in known_order_rows() {
            let (height, width) = row.board.split_once('x').unwrap();
            for board in [row.board.clone(), format!("{width}x{height}")] {
                let sweep_graph = graph_of_board(&board);
                let mut order =
                    known_order(&sweep_graph, tours_of_kind(&row.kind)).expect("the table has an order");
                let frontier = super::super::order_cost::frontier_width(
                    &Cycles::from_sweep_graph(&sweep_graph, tours_of_kind(&row.kind)),
                    &[order.clone(), vec![order.len()][..usize::from(row.kind == "paths")].to_vec()].concat(),
                );
                assert!(frontier <= MAX_SLOTS, "{board}");
                order.sort_unstable();
                assert!(order.into_iter().eq(0..sweep_graph.as_graph().len()), "{board}");
            }
        }
    }

    #[test]
    fn known_order_is_none_for_other_graphs() {
        let row = known_order_rows().next().unwrap();
        let tours = tours_of_kind(&row.kind);
        assert!(known_order(&graph_of_board(&row.board), tours).is_some());
        assert_eq!(known_order(&graph_of_board(&row.board), Tours::From(0)), None);
        for other in ["wrap=torus piece=1,2 remove=-", "piece=1,1+0,1 remove=-", "piece=1,2 remove=a1"] {
            assert_eq!(
                known_order(&graph_of_board(&format!("board={} {other}", row.board)), tours),
                None,
                "{other}"
            );
        }
        let graph = SweepGraph::from_graph(graph_of_board(&row.board).as_graph().clone());
        assert_eq!(known_order(&graph, tours), None, "a graph has no lines");
    }

    #[test]
    fn known_orders_cost_no_more_than_searched_orders() {
        let is_small =
            |row: &KnownOrderRow| ["6x6", "6x7", "6x8", "7x8"].contains(&&*row.board) && row.kind == "closed";
        for row in known_order_rows().filter(is_small) {
            let sweep_graph = graph_of_board(&row.board);
            let seconds = |order: Option<Vec<usize>>| {
                let options = Options { order, ..Options::default() };
                let mut prepared =
                    PreparedSweep::new(&sweep_graph, tours_of_kind(&row.kind), &options).unwrap();
                let estimate = prepared.estimate().unwrap();
                estimate.seconds - estimate.planning_seconds
            };
            let cycles = Cycles::from_sweep_graph(&sweep_graph, tours_of_kind(&row.kind));
            let searched =
                find_orders(&cycles, sweep_graph.directions(), SearchScope::SingleStart, &Cancel::default())
                    .unwrap();
            let least = searched.into_iter().map(|order| seconds(Some(order))).fold(f64::INFINITY, f64::min);
            assert!(seconds(None) <= 1.001 * least, "{}: {} {least}", row.board, seconds(None));
        }
    }
}
