//! Proofs without a search that a board has no tour.
//!
//! | board | knight's tours |
//! |---|---|
//! | m x n, m <= n, closed | none if m and n are odd, m = 1, 2 or 4, or m = 3 and n = 4, 6 or 8; otherwise some exist (Schwenk 1991) |
//! | m x n, m <= n, any | none if m = 1 or 2 and n > 1, 3x3, 3x5, 3x6, 4x4; otherwise some exist (Cull and De Curtins 1978 from 5 on) |
//!
//! For every board with a leaper, and every graph: a tour changes colour at each move if the graph has two
//! colours, every square must be reachable, and every square needs two neighbours (in a path all but two
//! squares). Slower proofs are in `matching_obstacles`.

use crate::board::{Arena, Board, Leaper, PossibleEnds, Square};

use super::solve::Want;

/// Reason why no tour exists.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Obstacle {
    /// No squares are left.
    #[error("there is no square or vertex to visit")]
    Empty,
    /// Schwenk's theorem.
    #[error("{0}x{1} has no closed knight's tour (Schwenk's theorem)")]
    Schwenk(u16, u16),
    /// One of the few rectangles without any tour.
    #[error("{0}x{1} has no knight's tour")]
    TooSmall(u16, u16),
    /// Too many squares of one colour: moves alternate between the colours.
    #[error("{like} {what} have the colour of {first} and {unlike} the other, and every move changes colour")]
    Colours {
        /// A square, or the vertex of a graph.
        first: String,
        /// Number of squares of its colour.
        like: usize,
        /// Number of squares of the other colour.
        unlike: usize,
        /// `squares` or `vertices`.
        what: &'static str,
    },
    /// A fixed end of the wrong colour.
    #[error("a tour cannot begin or end on {0}, which has the rarer colour")]
    EndColour(String),
    /// Two fixed ends with colours that do not fit.
    #[error("no tour leads from {0} to {1}: their colours do not fit the number of moves")]
    EndColours(String, String),
    /// Both ends on one square.
    #[error("a tour of more than one square cannot begin and end on {0}")]
    SameEnds(String),
    /// A closed tour with ends that are not a move apart.
    #[error("no closed tour goes from {0} back from {1}: they are not a move apart")]
    NotClosing(String, String),
    /// An open tour with ends that are a move apart.
    #[error("no open tour leads from {0} to {1}: they are a move apart")]
    NotApart(String, String),
    /// A square with too few neighbours.
    #[error("{0} has too few neighbours for a tour")]
    Stranded(String),
    /// A square that cannot be reached.
    #[error("{0} cannot be reached from {1}")]
    OutOfReach(String, String),
    /// A cut vertex: a square whose removal splits the rest.
    #[error("without {name} the rest falls into {parts} parts, more than a tour can join through it")]
    Joint {
        /// The square, or the vertex of a graph.
        name: String,
        /// Number of parts.
        parts: usize,
    },
    /// An independent set of squares with too few neighbours.
    #[error("{apart} {what}, no two of them a move apart, have only {near} neighbours")]
    Crowded {
        /// Number of squares, no two of them a move apart.
        apart: usize,
        /// `squares` or `vertices`.
        what: &'static str,
        /// Number of their neighbours.
        near: usize,
    },
    /// The moves that a tour can use do not connect the board.
    #[error(
        "some moves leave another {what} with less than two moves, so no tour uses them; without them \
         {to} cannot be reached from {from}"
    )]
    Disjoint {
        /// A square, or the vertex of a graph.
        from: String,
        /// A square that is not connected to it.
        to: String,
        /// `square` or `vertex`.
        what: &'static str,
    },
    /// A complete search found no tour.
    #[error("a complete search found none")]
    Searched,
}

/// Kind of tour and its ends, by square.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Goal {
    /// A closed tour.
    pub closed: bool,
    /// An open tour: its ends are not a move apart (on more than two squares).
    pub open: bool,
    /// First square.
    pub start: Option<Square>,
    /// Last square.
    pub end: Option<Square>,
}

impl Goal {
    /// Converts the goal to vertices.
    ///
    /// # Panics
    /// If an end is not on the board.
    #[must_use]
    pub fn want(&self, board: &Board) -> Want {
        let vertex = |end: Square| match board.index(end) {
            Some(v) => v as usize,
            None => panic!("{end} is not on the board"),
        };
        let (start, end) = (self.start.map(vertex), self.end.map(vertex));
        Want { closed: self.closed, apart: self.open, start, end }
    }
}

/// Returns true if the knight has a closed tour of the full rectangle.
#[must_use]
pub fn closed_tour_exists(rows: u16, cols: u16) -> bool {
    let (m, n) = (rows.min(cols), rows.max(cols));
    !((m % 2 == 1 && n % 2 == 1) || matches!(m, 0 | 1 | 2 | 4) || (m == 3 && matches!(n, 4 | 6 | 8)))
}

/// Returns true if the knight has any tour of the full rectangle; a single square counts as one.
#[must_use]
pub fn tour_exists(rows: u16, cols: u16) -> bool {
    match (rows.min(cols), rows.max(cols)) {
        (1, n) => n == 1,
        (0 | 2, _) | (3, 3 | 5 | 6) | (4, 4) => false,
        _ => true,
    }
}

/// Returns the first reason found why no such tour exists; `None` decides nothing. Cost O(squares).
#[must_use]
pub fn obstacle(board: &Board, leaper: Leaper, goal: &Goal) -> Option<Obstacle> {
    let (rows, cols, n) = (board.rows(), board.cols(), board.len());
    if n == 0 {
        return Some(Obstacle::Empty);
    }
    if leaper == Leaper::KNIGHT && board.removed().is_empty() {
        if goal.closed && !closed_tour_exists(rows, cols) {
            return Some(Obstacle::Schwenk(rows, cols));
        }
        if !tour_exists(rows, cols) {
            return Some(Obstacle::TooSmall(rows, cols));
        }
    }
    ends(leaper, goal, n).or_else(|| colours(board, leaper, goal))
}

/// Returns the plural noun for the vertices of a board or graph.
pub(super) fn vertices(arena: &Arena) -> &'static str {
    if arena.is_board() { "squares" } else { "vertices" }
}

/// Returns a reason that follows from the graph of a board: its ends and colours, vertices with too few
/// neighbours or out of reach. Cost O(edges).
#[must_use]
pub(super) fn obstacle_in_graph(arena: &Arena, want: Want) -> Option<Obstacle> {
    let graph = arena.graph();
    let n = graph.len();
    let name = |v: usize| arena.name(v as u32);
    if let (Some(start), Some(end)) = (want.start, want.end) {
        let between = between(start == end, graph.is_edge(start, end), n, want.closed, want.apart);
        if let Some(obstacle) = between {
            return Some(obstacle(name(start), name(end)));
        }
    }
    let reached = graph.reached_from(0);
    if let Some(v) = (0..n).find(|&v| !reached[v]) {
        return Some(Obstacle::OutOfReach(name(v), name(0)));
    }
    let needed = if want.closed { 0 } else { 2 };
    let ends: Vec<usize> = (0..n).filter(|&v| n > 2 && graph.degree(v) < 2).take(needed + 1).collect();
    if ends.len() > needed {
        return ends.last().map(|&v| Obstacle::Stranded(name(v)));
    }
    let Some(possible) = PossibleEnds::of(graph, want.closed) else {
        let colours = arena.colours()?;
        let unlike = colours.iter().filter(|&&colour| colour != colours[0]).count();
        return Some(Obstacle::Colours { first: name(0), like: n - unlike, unlike, what: vertices(arena) });
    };
    let named = [want.start, want.end];
    if let Some(&end) = named.iter().flatten().find(|&&end| !possible.allow_one(end)) {
        return Some(Obstacle::EndColour(name(end)));
    }
    match named {
        [Some(start), Some(end)] if n > 1 && !possible.allow(start, end) => {
            Some(Obstacle::EndColours(name(start), name(end)))
        }
        _ => None,
    }
}

/// Returns the obstacle of two fixed ends that are equal or adjacent, as a constructor for their names.
fn between(
    same: bool,
    joined: bool,
    n: usize,
    closed: bool,
    apart: bool,
) -> Option<fn(String, String) -> Obstacle> {
    if same && n > 1 {
        Some(|start, _| Obstacle::SameEnds(start))
    } else if closed && !joined {
        Some(Obstacle::NotClosing)
    } else if apart && joined && n > 2 {
        Some(Obstacle::NotApart)
    } else {
        None
    }
}

fn ends(leaper: Leaper, goal: &Goal, n: usize) -> Option<Obstacle> {
    let (Some(start), Some(end)) = (goal.start, goal.end) else { return None };
    let obstacle = between(start == end, leaper.joins(start, end), n, goal.closed, goal.open)?;
    Some(obstacle(start.to_string(), end.to_string()))
}

fn colours(board: &Board, leaper: Leaper, goal: &Goal) -> Option<Obstacle> {
    if !leaper.changes_colour() {
        return None;
    }
    let whole = usize::from(board.rows()) * usize::from(board.cols());
    let removed_dark = board.removed().iter().filter(|square| square.is_dark()).count();
    let dark = whole.div_ceil(2) - removed_dark;
    let light = board.len() - dark;
    if dark.abs_diff(light) > usize::from(!goal.closed) {
        let first = Square::new(0, 0).to_string();
        return Some(Obstacle::Colours { first, like: dark, unlike: light, what: "squares" });
    }
    let named = [goal.start, goal.end];
    if dark != light
        && let Some(&end) = named.iter().flatten().find(|end| end.is_dark() != (dark > light))
    {
        return Some(Obstacle::EndColour(end.to_string()));
    }
    match named {
        [Some(start), Some(end)] if dark == light && start.is_dark() == end.is_dark() => {
            Some(Obstacle::EndColours(start.to_string(), end.to_string()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(board: &str, goal: Goal) -> Option<Obstacle> {
        obstacle(&board.parse().unwrap(), Leaper::KNIGHT, &goal)
    }

    #[test]
    fn theorems_name_themselves() {
        let closed = Goal { closed: true, ..Goal::default() };
        assert_eq!(why("4x9", closed), Some(Obstacle::Schwenk(4, 9)));
        assert_eq!(why("3x10", closed), None);
        assert_eq!(why("4x4", Goal::default()), Some(Obstacle::TooSmall(4, 4)));
        assert_eq!(why("1x1", Goal::default()), None);
        let from = |name: &str| Goal { start: Some(name.parse().unwrap()), ..Goal::default() };
        assert_eq!(why("5x5", from("b1")), Some(Obstacle::EndColour("b1".to_owned())));
        assert_eq!(why("5x5", from("a1")), None);
        let goal = Goal { end: Some("c1".parse().unwrap()), ..from("a1") };
        assert!(matches!(why("8x8", goal), Some(Obstacle::EndColours(..))));
    }

    #[test]
    fn what_a_graph_alone_tells_is_told_by_its_names() {
        let lone: Arena = "3x3".parse().unwrap();
        let found = obstacle_in_graph(&lone, Want::default());
        assert_eq!(found, Some(Obstacle::OutOfReach("b2".to_owned(), "a1".to_owned())));
        let closed = Want { closed: true, ..Want::default() };
        let told = |text: &str, want| {
            obstacle_in_graph(&text.parse().unwrap(), want).map(|obstacle| obstacle.to_string())
        };
        let box_of_27 = "14 squares have the colour of a1.1 and 13 the other, and every move changes colour";
        assert_eq!(told("board=3x3x3 piece=0,1 remove=-", closed).as_deref(), Some(box_of_27));
        // The torus of 5x5 is not bipartite, the torus of 4x4 is.
        assert_eq!(told("board=5x5 wrap=torus piece=1,2 remove=-", closed), None);
        let ends = Want { start: Some(0), end: Some(2), ..Want::default() };
        let colours = "no tour leads from a1 to c1: their colours do not fit the number of moves";
        assert_eq!(told("board=4x4 wrap=torus piece=1,2 remove=-", ends).as_deref(), Some(colours));
        let back = "no closed tour goes from a1 back from c1: they are not a move apart";
        assert_eq!(
            told("board=4x4 wrap=torus piece=1,2 remove=-", Want { closed: true, ..ends }).as_deref(),
            Some(back)
        );
    }
}
