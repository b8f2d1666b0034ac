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

use crate::board::{Board, Graph, Leaper};
use crate::frontier::problem::cycles::Tours;
use crate::frontier::problem::field::{Field, Lines};

const TABLE: &str = include_str!("found.csv");

#[derive(Deserialize)]
struct Row {
    board: String,
    kind: String,
    order: String,
}

/// Yields the rows of the table.
fn rows() -> impl Iterator<Item = Row> {
    let rows = csv::Reader::from_reader(TABLE.as_bytes()).into_deserialize();
    rows.map(|row| row.expect("the table has rows of three columns"))
}

/// Returns the stored order for `tours` of `graph`, if it is a knight's rectangle in the table, in either
/// orientation, without factors. Cost: O(table), some microseconds.
#[must_use]
pub fn order(field: &Field, tours: Tours) -> Option<Vec<usize>> {
    let kind = match tours {
        Tours::Closed => "closed",
        Tours::Paths => "paths",
        Tours::From(_) | Tours::Between(..) => return None,
    };
    if !field.factors().is_empty() {
        return None;
    }
    let found = |lines: &Lines| {
        let (height, width) = (lines.len(), lines.first()?.len());
        let name = format!("{height}x{width}");
        let row = rows().find(|row| row.board == name && row.kind == kind)?;
        let squares: Vec<usize> = lines.iter().flatten().copied().collect::<Option<_>>()?;
        let board = Board::new(height.try_into().ok()?, width.try_into().ok()?).ok()?;
        let knights = Graph::new(&board, Leaper::KNIGHT);
        is_same(field.as_graph(), &squares, &knights).then(|| {
            let order = row.order.split(' ').map(|square| square.parse::<usize>());
            order.map(|square| squares[square.expect("squares are numbers")]).collect()
        })
    };
    field.directions().iter().find_map(found)
}

/// Returns true if the vertices of `graph`, in the sequence of `vertices`, have the edges of `other`.
fn is_same(graph: &Graph, vertices: &[usize], other: &Graph) -> bool {
    let alike = |(v, &vertex): (usize, &usize)| {
        let near = graph.neighbours(vertex);
        near.len() == other.neighbours(v).len()
            && other.neighbours(v).iter().all(|&w| near.contains(&(vertices[w as usize] as u32)))
    };
    graph.len() == vertices.len() && other.len() == graph.len() && vertices.iter().enumerate().all(alike)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Arena;
    use crate::frontier::problem::cancel::Cancel;
    use crate::frontier::problem::cycles::Cycles;
    use crate::frontier::problem::order::{Scope, search};
    use crate::frontier::problem::slot::MOST_SLOTS;
    use crate::frontier::run::options::Options;
    use crate::frontier::run::prepare::Prepared;

    fn tours(kind: &str) -> Tours {
        if kind == "closed" { Tours::Closed } else { Tours::Paths }
    }

    fn field(board: &str) -> Field {
        Field::of(&board.parse::<Arena>().unwrap())
    }

    #[test]
    fn every_board_of_the_table_has_its_order_however_it_lies() {
        assert!(rows().count() > 0);
        for row in rows() {
            let (height, width) = row.board.split_once('x').unwrap();
            for board in [row.board.clone(), format!("{width}x{height}")] {
                let field = field(&board);
                let mut order = order(&field, tours(&row.kind)).expect("the table has an order");
                let frontier = crate::frontier::problem::price::width(
                    &Cycles::of(&field, tours(&row.kind)),
                    &[order.clone(), vec![order.len()][..usize::from(row.kind == "paths")].to_vec()].concat(),
                );
                assert!(frontier <= MOST_SLOTS, "{board}");
                order.sort_unstable();
                assert!(order.into_iter().eq(0..field.as_graph().len()), "{board}");
            }
        }
    }

    #[test]
    fn they_are_of_plain_knights_rectangles_alone() {
        let row = rows().next().unwrap();
        let tours = tours(&row.kind);
        assert!(order(&field(&row.board), tours).is_some());
        assert_eq!(order(&field(&row.board), Tours::From(0)), None);
        for other in ["wrap=torus piece=1,2 remove=-", "piece=1,1+0,1 remove=-", "piece=1,2 remove=a1"] {
            assert_eq!(order(&field(&format!("board={} {other}", row.board)), tours), None, "{other}");
        }
        let graph = Field::graph(field(&row.board).as_graph().clone());
        assert_eq!(order(&graph, tours), None, "a graph has no lines");
    }

    #[test]
    fn none_takes_more_than_the_one_that_is_searched_for() {
        let is_small =
            |row: &Row| ["6x6", "6x7", "6x8", "7x8"].contains(&&*row.board) && row.kind == "closed";
        for row in rows().filter(is_small) {
            let field = field(&row.board);
            let seconds = |order: Option<Vec<usize>>| {
                let options = Options { order, ..Options::default() };
                let mut prepared = Prepared::new(&field, tours(&row.kind), &options).unwrap();
                let estimate = prepared.estimate().unwrap();
                estimate.seconds - estimate.planning
            };
            let cycles = Cycles::of(&field, tours(&row.kind));
            let searched = search(&cycles, field.directions(), Scope::Best, &Cancel::default()).unwrap();
            let least = searched.into_iter().map(|order| seconds(Some(order))).fold(f64::INFINITY, f64::min);
            assert!(seconds(None) <= 1.001 * least, "{}: {} {least}", row.board, seconds(None));
        }
    }
}
