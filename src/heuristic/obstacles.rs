//! Proofs without a search that a board has no tour, and the reasons that they give.
//!
//! | board | knight's tours |
//! |---|---|
//! | m x n, m <= n, closed | none if m and n are odd, m = 1, 2 or 4, or m = 3 and n = 4, 6 or 8; otherwise some exist (Schwenk 1991) |
//! | m x n, m <= n, any | none if m = 1 or 2 and n > 1, 3x3, 3x5, 3x6, 4x4; otherwise some exist (Cull and De Curtins 1978 from 5 on) |
//!
//! For every board with a leaper, and every graph: a tour changes colour at each move if the graph
//! has two colours, every square must be reachable, and every square needs two neighbours (in a
//! path all but two squares). Slower proofs are in `matching_obstacles`.

use crate::board::{Board, Leaper, PossibleEnds, Rectangle, Square, Vertex};
use crate::tour::{Kind, TourSpec};

/// Reason why no tour exists.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Obstacle {
    /// A board without squares.
    #[error("there is no square or vertex to visit")]
    Empty,
    /// A closed knight's tour of a rectangle, excluded by Schwenk's theorem. Holds the numbers of
    /// rows and columns.
    #[error("{0}x{1} has no closed knight's tour (Schwenk's theorem)")]
    Schwenk(u16, u16),
    /// One of the few rectangles without any knight's tour. Holds the numbers of rows and columns.
    #[error("{0}x{1} has no knight's tour")]
    NoTourOnRectangle(u16, u16),
    /// A board with too many squares of one colour, although moves alternate between the colours.
    #[error(
        "{same_colour} {noun} have the colour of {reference} and {other_colour} the other, and every move changes colour"
    )]
    Colours {
        /// Name of a square, or of a vertex of a graph.
        reference: String,
        /// Number of squares with the colour of `reference`.
        same_colour: usize,
        /// Number of squares that have the other colour.
        other_colour: usize,
        /// `squares` or `vertices`.
        noun: &'static str,
    },
    /// A fixed end of the wrong colour.
    #[error("a tour cannot begin or end on {0}, which has the rarer colour")]
    WrongEndColour(String),
    /// Two fixed ends whose colours do not fit the number of moves.
    #[error("no tour leads from {0} to {1}: their colours do not fit the number of moves")]
    WrongEndColours(String, String),
    /// An open tour with ends that are a move apart.
    #[error("no open tour leads from {0} to {1}: they are a move apart")]
    EndsAdjacent(String, String),
    /// A square with too few neighbours.
    #[error("{0} has too few neighbours for a tour")]
    TooFewNeighbours(String),
    /// A square that cannot be reached from another square.
    #[error("{0} cannot be reached from {1}")]
    Unreachable(String, String),
    /// A cut vertex: a square whose removal splits the other squares into parts that are not
    /// connected.
    #[error("without {name} the other squares fall into {parts} parts, more than a tour can join through it")]
    CutVertex {
        /// Name of the square, or of the vertex of a graph.
        name: String,
        /// Number of parts into which the other squares fall.
        parts: usize,
    },
    /// An independent set of squares (no two of them a move apart) with too few neighbours.
    #[error("{members} {noun}, no two joined by a move, have only {neighbours} neighbours in all")]
    CrowdedSet {
        /// Number of squares, no two of them a move apart.
        members: usize,
        /// `squares` or `vertices`.
        noun: &'static str,
        /// Number of neighbours of these squares.
        neighbours: usize,
    },
    /// A board that is not connected by the moves that a tour can use.
    #[error(
        "some moves leave another {noun} with fewer than two moves, so no tour uses them; without them \
         {to} cannot be reached from {from}"
    )]
    Disconnected {
        /// Name of a square, or of a vertex of a graph.
        from: String,
        /// Name of a square that is not connected to `from`.
        to: String,
        /// `square` or `vertex`.
        noun: &'static str,
    },
    /// A complete search that found no tour.
    #[error("a complete search found no tour")]
    SearchExhausted,
}

/// Returns true if the knight has a closed tour of the full rectangle.
#[must_use]
pub fn closed_tour_exists(rows: u16, cols: u16) -> bool {
    let (m, n) = (rows.min(cols), rows.max(cols));
    !((m % 2 == 1 && n % 2 == 1) || matches!(m, 0 | 1 | 2 | 4) || (m == 3 && matches!(n, 4 | 6 | 8)))
}

/// Returns true if the knight has any tour of the full rectangle; a single square has one.
#[must_use]
pub fn tour_exists(rows: u16, cols: u16) -> bool {
    match (rows.min(cols), rows.max(cols)) {
        (1, n) => n == 1,
        (0 | 2, _) | (3, 3 | 5 | 6) | (4, 4) => false,
        _ => true,
    }
}

/// Returns a reason why a rectangle with one leaper has none of the tours, if theorems or colours give one.
/// `None` proves nothing, and is the result for all other boards. Cost O(squares).
#[must_use]
pub(super) fn rectangle_obstacle(tours: &TourSpec) -> Option<Obstacle> {
    let leaper_board = tours.board().leaper_board()?;
    let (board, leaper) = (leaper_board.rectangle(), leaper_board.leaper());
    if board.is_empty() {
        return Some(Obstacle::Empty);
    }
    if leaper == Leaper::KNIGHT && board.removed().is_empty() {
        let (rows, cols) = (board.rows(), board.cols());
        if tours.kind() == Kind::Closed && !closed_tour_exists(rows, cols) {
            return Some(Obstacle::Schwenk(rows, cols));
        }
        if !tour_exists(rows, cols) {
            return Some(Obstacle::NoTourOnRectangle(rows, cols));
        }
    }
    adjacent_ends_obstacle(tours).or_else(|| colour_obstacle(board, leaper, tours))
}

/// Returns the plural noun for the vertices of a board or graph.
pub(super) fn vertex_noun(board: &Board) -> &'static str {
    if board.has_squares() { "squares" } else { "vertices" }
}

/// Returns a reason why the graph of a board has none of the tours, if ends, colours, vertices with too few
/// neighbours or unreachable vertices give one. `None` proves nothing. Cost O(edges).
#[must_use]
pub(super) fn graph_obstacle(tours: &TourSpec) -> Option<Obstacle> {
    let board = tours.board();
    let graph = board.graph();
    let n = graph.len();
    let is_closed = tours.kind() == Kind::Closed;
    let name = |v: usize| board.name(v as Vertex);
    if let Some(obstacle) = adjacent_ends_obstacle(tours) {
        return Some(obstacle);
    }
    let reached = graph.reachable_from(0);
    if let Some(v) = (0..n).find(|&v| !reached[v]) {
        return Some(Obstacle::Unreachable(name(v), name(0)));
    }
    let needed = if is_closed { 0 } else { 2 };
    let ends: Vec<usize> = (0..n).filter(|&v| n > 2 && graph.degree(v) < 2).take(needed + 1).collect();
    if ends.len() > needed {
        return ends.last().map(|&v| Obstacle::TooFewNeighbours(name(v)));
    }
    let Some(possible) = PossibleEnds::from_graph(graph, is_closed) else {
        let colours = board.colours()?;
        let different_colours = colours.iter().filter(|&&colour| colour != colours[0]).count();
        return Some(Obstacle::Colours {
            reference: name(0),
            same_colour: n - different_colours,
            other_colour: different_colours,
            noun: vertex_noun(board),
        });
    };
    let named = [tours.start(), tours.end()].map(|end| end.map(|v| v as usize));
    if let Some(&end) = named.iter().flatten().find(|&&end| !possible.allows_end(end)) {
        return Some(Obstacle::WrongEndColour(name(end)));
    }
    match named {
        [Some(start), Some(end)] if n > 1 && !possible.allows_pair(start, end) => {
            Some(Obstacle::WrongEndColours(name(start), name(end)))
        }
        _ => None,
    }
}

/// Returns the obstacle of open tours between two fixed ends that are a move apart; `None` for other tours.
fn adjacent_ends_obstacle(tours: &TourSpec) -> Option<Obstacle> {
    let board = tours.board();
    let (Kind::Open, Some(start), Some(end)) = (tours.kind(), tours.start(), tours.end()) else {
        return None;
    };
    let is_adjacent = board.joins_ends(start, end);
    is_adjacent.then(|| Obstacle::EndsAdjacent(board.name(start), board.name(end)))
}

fn colour_obstacle(board: &Rectangle, leaper: Leaper, tours: &TourSpec) -> Option<Obstacle> {
    if !leaper.changes_colour() {
        return None;
    }
    let whole = usize::from(board.rows()) * usize::from(board.cols());
    let removed_dark = board.removed().iter().filter(|square| square.is_dark()).count();
    let dark = whole.div_ceil(2) - removed_dark;
    let light = board.len() - dark;
    if dark.abs_diff(light) > usize::from(tours.kind() != Kind::Closed) {
        let first = Square::new(0, 0).to_string();
        return Some(Obstacle::Colours {
            reference: first,
            same_colour: dark,
            other_colour: light,
            noun: "squares",
        });
    }
    let named = [tours.start(), tours.end()].map(|end| end.map(|v| board.square(v)));
    if dark != light
        && let Some(&end) = named.iter().flatten().find(|end| end.is_dark() != (dark > light))
    {
        return Some(Obstacle::WrongEndColour(end.to_string()));
    }
    match named {
        [Some(start), Some(end)] if dark == light && start.is_dark() == end.is_dark() => {
            Some(Obstacle::WrongEndColours(start.to_string(), end.to_string()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tours_of_text(text: &str, kind: Kind, start: Option<&str>, end: Option<&str>) -> TourSpec {
        let board: Board = text.parse().unwrap();
        let [start, end] = [start, end].map(|name| name.map(|name| board.vertex(name).unwrap()));
        TourSpec::new(board, kind, start, end).unwrap()
    }

    #[test]
    fn rectangle_obstacle_names_theorems_and_ends() {
        let obstacle = |board, kind, start, end| rectangle_obstacle(&tours_of_text(board, kind, start, end));
        let obstacle_of_paths = |board, start, end| obstacle(board, Kind::Paths, start, end);
        assert_eq!(obstacle("4x9", Kind::Closed, None, None), Some(Obstacle::Schwenk(4, 9)));
        assert_eq!(obstacle("3x10", Kind::Closed, None, None), None);
        assert_eq!(obstacle_of_paths("4x4", None, None), Some(Obstacle::NoTourOnRectangle(4, 4)));
        assert_eq!(obstacle_of_paths("1x1", None, None), None);
        let rare = obstacle_of_paths("5x5", Some("b1"), None);
        assert_eq!(rare, Some(Obstacle::WrongEndColour("b1".to_owned())));
        assert_eq!(obstacle_of_paths("5x5", Some("a1"), None), None);
        let pair = obstacle_of_paths("8x8", Some("a1"), Some("c1"));
        assert!(matches!(pair, Some(Obstacle::WrongEndColours(..))));
        let adjacent = obstacle("8x8", Kind::Open, Some("a1"), Some("b3"));
        assert!(matches!(adjacent, Some(Obstacle::EndsAdjacent(..))));
    }

    #[test]
    fn graph_obstacle_names_vertices() {
        let found = graph_obstacle(&tours_of_text("3x3", Kind::Paths, None, None));
        assert_eq!(found, Some(Obstacle::Unreachable("b2".to_owned(), "a1".to_owned())));
        let message = |text: &str, kind, start, end| {
            graph_obstacle(&tours_of_text(text, kind, start, end)).map(|obstacle| obstacle.to_string())
        };
        let closed = |text: &str| message(text, Kind::Closed, None, None);
        let box_of_27 = "14 squares have the colour of a1.1 and 13 the other, and every move changes colour";
        assert_eq!(closed("board=3x3x3 piece=0,1 remove=-").as_deref(), Some(box_of_27));
        // The torus of 5x5 is not bipartite, the torus of 4x4 is.
        assert_eq!(closed("board=5x5 wrap=torus piece=1,2 remove=-"), None);
        let torus = "board=4x4 wrap=torus piece=1,2 remove=-";
        let colours = "no tour leads from a1 to c1: their colours do not fit the number of moves";
        assert_eq!(message(torus, Kind::Paths, Some("a1"), Some("c1")).as_deref(), Some(colours));
    }
}
