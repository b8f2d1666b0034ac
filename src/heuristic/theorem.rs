//! What can be said without looking for a tour.
//!
//! | board | knight's tours |
//! |---|---|
//! | m x n, m <= n, closed | none if m and n are odd, m = 1, 2 or 4, or m = 3 and n = 4, 6 or 8; else there are (Schwenk 1991) |
//! | m x n, m <= n, any | none if m = 1 or 2 and n > 1, 3x3, 3x5, 3x6, 4x4; else there are (Cull and De Curtins 1978 from 5 on) |
//!
//! For every board and leaper: a tour changes colour at each move if the leaper
//! does, no square may be out of reach, and in a closed tour every square needs
//! two neighbours, in a path all but two.

use crate::board::{Board, Graph, Leaper, Square};

use super::solve::Want;

/// Why there can be no tour.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Obstacle {
    /// No squares are left.
    #[error("there is no square or vertex to visit")]
    Empty,
    /// Schwenk's theorem.
    #[error("a closed knight's tour of {0}x{1} cannot be (Schwenk's theorem)")]
    Schwenk(u16, u16),
    /// The few rectangles without any tour.
    #[error("no knight's tour of {0}x{1} can be")]
    TooSmall(u16, u16),
    /// More squares of one colour than moves can alternate.
    #[error("{dark} squares have the colour of a1 and {light} the other, and every move changes colour")]
    Colours {
        /// Squares coloured like `a1`.
        dark: usize,
        /// The other squares.
        light: usize,
    },
    /// A fixed end of the wrong colour.
    #[error("a tour cannot begin or end on {0}, which has the colour of fewer squares")]
    EndColour(Square),
    /// Two fixed ends whose colours do not fit.
    #[error("no tour leads from {0} to {1}: their colours do not fit the number of squares")]
    EndColours(Square, Square),
    /// Two ends on one square.
    #[error("a tour of more than one square cannot begin and end on {0}")]
    SameEnds(Square),
    /// A closed tour whose ends are not a move apart.
    #[error("no closed tour goes from {0} back from {1}: they are not a move apart")]
    NotClosing(Square, Square),
    /// An open tour whose ends are a move apart.
    #[error("no open tour leads from {0} to {1}: they are a move apart")]
    NotApart(Square, Square),
    /// A square with too few neighbours.
    #[error("{0} has too few neighbours for a tour")]
    Stranded(Square),
    /// A square that cannot be reached.
    #[error("{0} cannot be reached from {1}")]
    OutOfReach(Square, Square),
    /// A complete search found nothing.
    #[error("a complete search found none")]
    Searched,
}

/// What kind of tour of a board, between which ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Goal {
    /// A closed tour.
    pub closed: bool,
    /// An open tour in the strict sense, its ends not a move apart (on more than two squares).
    pub open: bool,
    /// First square.
    pub start: Option<Square>,
    /// Last square.
    pub end: Option<Square>,
}

impl Goal {
    /// The same by vertices.
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

/// Whether the knight has a closed tour of the full rectangle.
#[must_use]
pub fn closed_tour_exists(rows: u16, cols: u16) -> bool {
    let (m, n) = (rows.min(cols), rows.max(cols));
    !((m % 2 == 1 && n % 2 == 1) || matches!(m, 0 | 1 | 2 | 4) || (m == 3 && matches!(n, 4 | 6 | 8)))
}

/// Whether the knight has any tour of the full rectangle; a single square is one.
#[must_use]
pub fn tour_exists(rows: u16, cols: u16) -> bool {
    match (rows.min(cols), rows.max(cols)) {
        (1, n) => n == 1,
        (0 | 2, _) | (3, 3 | 5 | 6) | (4, 4) => false,
        _ => true,
    }
}

/// The first reason found why the tour cannot be; `None` says nothing. Cost O(squares).
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

/// Reasons that need the graph: squares that are stranded or out of reach.
#[must_use]
pub fn obstacle_in_graph(board: &Board, graph: &Graph, goal: &Goal) -> Option<Obstacle> {
    let n = graph.len();
    let square = |v: usize| board.squares().nth(v).expect("a vertex is a square");
    let reached = graph.reached_from(0);
    if let Some(v) = (0..n).find(|&v| !reached[v]) {
        return Some(Obstacle::OutOfReach(square(v), square(0)));
    }
    let needed = if goal.closed { 0 } else { 2 };
    let ends: Vec<usize> = (0..n).filter(|&v| n > 2 && graph.degree(v) < 2).take(needed + 1).collect();
    if ends.len() > needed { ends.last().map(|&v| Obstacle::Stranded(square(v))) } else { None }
}

fn ends(leaper: Leaper, goal: &Goal, n: usize) -> Option<Obstacle> {
    let (Some(start), Some(end)) = (goal.start, goal.end) else { return None };
    let joined = leaper.joins(start, end);
    if start == end && n > 1 {
        Some(Obstacle::SameEnds(start))
    } else if goal.closed && !joined {
        Some(Obstacle::NotClosing(start, end))
    } else if goal.open && joined && n > 2 {
        Some(Obstacle::NotApart(start, end))
    } else {
        None
    }
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
        return Some(Obstacle::Colours { dark, light });
    }
    let named = [goal.start, goal.end];
    if dark != light
        && let Some(&end) = named.iter().flatten().find(|end| end.is_dark() != (dark > light))
    {
        return Some(Obstacle::EndColour(end));
    }
    match named {
        [Some(start), Some(end)] if dark == light && start.is_dark() == end.is_dark() => {
            Some(Obstacle::EndColours(start, end))
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
        assert_eq!(why("5x5", from("b1")), Some(Obstacle::EndColour("b1".parse().unwrap())));
        assert_eq!(why("5x5", from("a1")), None);
        let goal = Goal { end: Some("c1".parse().unwrap()), ..from("a1") };
        assert!(matches!(why("8x8", goal), Some(Obstacle::EndColours(..))));
    }

    #[test]
    fn lone_squares_are_seen() {
        let board = Board::new(3, 3).unwrap();
        let graph = Graph::new(&board, Leaper::KNIGHT);
        let found = obstacle_in_graph(&board, &graph, &Goal::default());
        assert_eq!(found, Some(Obstacle::OutOfReach("b2".parse().unwrap(), "a1".parse().unwrap())));
    }
}
