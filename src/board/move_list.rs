//! Lists of moves: reading of `a1-b3,c2-e1-g2`, and the paths that moves form.

use super::error::NameError;
use super::graph::Move;
use super::{Board, Vertex};

/// The reason why a text is not a list of moves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MoveListError {
    /// An item of the list that has fewer than two squares.
    #[error("`{0}` is not a move; write two or more squares such as a1-b3 or a1-b3-c5")]
    NotAMove(String),
    /// A name of the list that is not a vertex. The fields hold the item and the fault of the name.
    #[error("`{0}`: {1}")]
    Name(String, NameError),
    /// An empty list.
    #[error("no move is given; write moves such as a1-b3,c2-e1")]
    Empty,
}

/// Parses a list of sequences of moves, separated by commas or line breaks. A sequence consists of the names
/// of its vertices, with `-`, an arrow or blanks between them; use blanks if names contain a hyphen. What follows `#` in
/// a line is a remark.
///
/// Returns the sequences as lists of vertices, at least two each. Whether moves join the vertices is not
/// checked.
///
/// ```
/// use ktour::board::{Board, parse_move_sequences};
///
/// let board: Board = "6x6".parse()?;
/// assert_eq!(parse_move_sequences(&board, "a1-b3,c2-e1-f3")?, [vec![0, 13], vec![8, 4, 17]]);
/// assert_eq!(parse_move_sequences(&board, "a1 b3 # a remark\n\nc2 e1")?, [vec![0, 13], vec![8, 4]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// See [`MoveListError`].
pub fn parse_move_sequences(board: &Board, text: &str) -> Result<Vec<Vec<Vertex>>, MoveListError> {
    let lines = text.split(['\n', '\r']);
    let lines = lines.map(|line| line.split_once('#').map_or(line, |(before, _)| before));
    let mut sequences = Vec::new();
    for line in lines.filter(|line| !line.trim().is_empty()) {
        for written in line.split(',').map(str::trim) {
            let plain = if board.has_squares() { with_plain_hyphens(written) } else { written.to_owned() };
            let item = plain.as_str();
            let names: Vec<&str> = match item.contains(char::is_whitespace) {
                true => item.split_whitespace().collect(),
                false => item.split('-').collect(),
            };
            if names.len() < 2 || names.contains(&"") {
                return Err(MoveListError::NotAMove(written.to_owned()));
            }
            let vertex = |name: &&str| {
                board.vertex(name).map_err(|error| MoveListError::Name(written.to_owned(), error))
            };
            sequences.push(names.iter().map(vertex).collect::<Result<_, _>>()?);
        }
    }
    if sequences.is_empty() { Err(MoveListError::Empty) } else { Ok(sequences) }
}

/// Returns squares with single hyphens for the arrows and dashes between them, `a1 -> b3`.
fn with_plain_hyphens(item: &str) -> String {
    let item = item.replace("->", "-").replace(['\u{2192}', '\u{2013}', '\u{2014}', '\u{2212}'], "-");
    item.split('-').map(str::trim).collect::<Vec<_>>().join("-")
}

/// Returns the moves of vertex sequences.
pub fn moves_of_sequences(sequences: &[Vec<Vertex>]) -> impl Iterator<Item = Move> + '_ {
    sequences.iter().flat_map(|sequence| sequence.windows(2).map(|pair| (pair[0], pair[1])))
}

/// The paths that a set of moves forms, of which at most two are at each vertex.
#[derive(Clone, Debug)]
pub struct MovePaths {
    /// For each vertex at the end of a path, the other end; the vertex itself without moves. Meaningless
    /// between two moves.
    pub far_ends: Vec<Vertex>,
    /// Number of moves at each vertex.
    pub degrees: Vec<u8>,
    /// A vertex of each cycle that the moves form.
    pub cycles: Vec<Vertex>,
}

impl MovePaths {
    /// Joins `moves` on a board of `len` vertices. With more than two moves at a vertex only `degrees` has a
    /// meaning.
    #[must_use]
    pub fn new(len: usize, moves: &[Move]) -> Self {
        let (mut degrees, mut cycles) = (vec![0u8; len], Vec::new());
        let mut far_ends: Vec<Vertex> = (0..len as u32).collect();
        for &(v, w) in moves {
            let (a, b) = (far_ends[v as usize], far_ends[w as usize]);
            if a == w {
                cycles.push(v);
            }
            (far_ends[a as usize], far_ends[b as usize]) = (b, a);
            for end in [v, w] {
                degrees[end as usize] = degrees[end as usize].saturating_add(1);
            }
        }
        Self { far_ends, degrees, cycles }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{CustomGraph, Graph};

    #[test]
    fn names_with_hyphens_are_separated_by_blanks() {
        let graph = CustomGraph::new(Graph::from_edges(3, [(0, 1), (1, 2)])).with_names(["x-1", "x-2", "y"]);
        let board = Board::from(graph.unwrap());
        assert_eq!(parse_move_sequences(&board, "x-1 x-2,x-2 y"), Ok(vec![vec![0, 1], vec![1, 2]]));
        assert!(matches!(parse_move_sequences(&board, "x-1"), Err(MoveListError::Name(..))));
        let sequences = [vec![0, 1, 2]];
        assert_eq!(moves_of_sequences(&sequences).collect::<Vec<_>>(), [(0, 1), (1, 2)]);
    }

    #[test]
    fn faults_name_the_item() {
        let board: Board = "6x6".parse().unwrap();
        let error = |text: &str| parse_move_sequences(&board, text).unwrap_err().to_string();
        assert!(error("a1-b3,a1").starts_with("`a1` is not a move"));
        assert!(error("a1--b3").starts_with("`a1--b3` is not a move"));
        assert!(error("a1-b3,").starts_with("`` is not a move"));
        assert_eq!(error("a1-z9"), "`a1-z9`: square z9 is not on the board");
        assert!(error(" # nothing").starts_with("no move is given"));
        for text in ["a1 -> b3 -> c5", "a1\u{2192}b3 - c5", "a1\u{2013}b3\ra1 -> b3 -> c5", "a1 b3 c5\r"] {
            let sequences = parse_move_sequences(&board, text).unwrap();
            assert_eq!(sequences.last(), Some(&vec![0, 13, 26]), "{text}");
        }
        assert!(error("a1 -> ").starts_with("`a1 ->` is not a move"));
    }
}
