//! [`Board`], the one type of board that every engine, file format and picture works with.
//!
//! ```text
//! text form <-> BoardKind: leaper board, lattice board or custom graph
//! BoardKind -> Board: graph, names, symmetries, layout
//! ```
//!
//! A board is cheap to clone and cheap to construct: the graph, the symmetries, the layout and the
//! colours are computed once, on first use. So the cost for a tour on a million squares is only
//! that of the parts that are used. Two boards are equal if their text forms are equal.
//!
//! ```
//! use ktour::board::{Board, Graph};
//!
//! let knight: Board = "board=6x8 piece=1,2 remove=-".parse()?;
//! assert_eq!((knight.len(), knight.symmetries().order()), (48, 4));
//! assert_eq!(knight.name(knight.vertex("b3")?), "b3");
//!
//! let ring = Board::from_graph(Graph::from_edges(5, (0..5).map(|v| (v, (v + 1) % 5))));
//! assert_eq!(ring.symmetries().order(), 10);
//! assert_eq!(ring.to_string().parse::<Board>()?, ring);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use super::board_kind::{BoardKind, LineScan};
use super::custom_graph::CustomGraph;
use super::error::NameError;
use super::picture_positions::PicturePositions;
use super::{
    BoardSides, Graph, GroupOrder, LatticeBoard, Layout, Leaper, LeaperBoard, Piece, Rectangle,
    SymmetryGroup, Wrap,
};
use crate::text_format::format_count;

/// A graph with vertex names, symmetries and, for most kinds of board, a layout. Clones share all
/// parts that have been computed.
#[derive(Clone)]
pub struct Board(Arc<BoardParts>);

struct BoardParts {
    kind: Box<dyn BoardKind>,
    graph: OnceLock<Graph>,
    /// The symmetry group, and true if it contains all symmetries. It is the trivial group, and the
    /// flag is false, if the symmetries could not be computed.
    symmetries_and_completeness: OnceLock<(SymmetryGroup, bool)>,
    layout: OnceLock<Option<Layout>>,
    colours: OnceLock<Option<Vec<bool>>>,
}

impl Board {
    /// Creates a board of the given kind. The graph and the other parts are computed on first use.
    #[must_use]
    pub fn new(kind: impl BoardKind) -> Self {
        Self(Arc::new(BoardParts {
            kind: Box::new(kind),
            graph: OnceLock::new(),
            symmetries_and_completeness: OnceLock::new(),
            layout: OnceLock::new(),
            colours: OnceLock::new(),
        }))
    }

    /// Creates the board of all moves of `leaper` on the rectangle `board`.
    #[must_use]
    pub fn from_leaper(board: Rectangle, leaper: Leaper) -> Self {
        Self::new(LeaperBoard::new(board, leaper))
    }

    /// Creates a board from any graph. The vertices are named by numbers from 1; the symmetries are
    /// computed on first use. Use [`CustomGraph`] to set names, a layout or symmetries.
    #[must_use]
    pub fn from_graph(graph: Graph) -> Self {
        Self::new(CustomGraph::new(graph))
    }

    /// Returns the number of vertices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.kind.vertex_count()
    }

    /// Returns true if the board has no vertex.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a short name of the board for headings, such as `6x8` or `graph of 10 vertices`.
    #[must_use]
    pub fn title(&self) -> String {
        self.0.kind.title()
    }

    /// Returns true if the vertices are squares of a rectangle or of a box; false if the board is a
    /// custom graph.
    #[must_use]
    pub fn has_squares(&self) -> bool {
        self.piece().is_some()
    }

    /// Returns a clause for messages that states the size of the board, such as `the board has 48
    /// squares` or `the graph has 10 vertices`.
    #[must_use]
    pub fn size_clause(&self) -> String {
        match self.has_squares() {
            true => format!("the board has {}", format_count(self.len(), "square")),
            false => format!("the graph has {}", format_count(self.len(), "vertex")),
        }
    }

    /// Returns the graph with one vertex for each square and one edge for each move. Computes it on
    /// first use, at a cost of O(edges).
    #[must_use]
    pub fn graph(&self) -> &Graph {
        self.0.graph.get_or_init(|| self.0.kind.graph())
    }

    /// Returns true if a move that tours can use joins the vertices `v` and `w`. On a leaper board this
    /// does not compute the graph.
    ///
    /// # Panics
    /// If `v` or `w` is not a vertex.
    #[must_use]
    pub fn is_move(&self, v: u32, w: u32) -> bool {
        match self.leaper_board() {
            Some(rectangle) => rectangle.is_move(v, w),
            None => self.graph().is_edge(v as usize, w as usize),
        }
    }

    /// Returns the symmetry group: the geometric symmetries of a rectangle or box, or all
    /// automorphisms of a custom graph (or those that it was given). If the symmetries are too many
    /// or take too long to compute, returns the trivial group; see [`Board::has_known_symmetries`].
    #[must_use]
    pub fn symmetries(&self) -> &SymmetryGroup {
        &self.symmetries_and_completeness().0
    }

    /// Returns true if the symmetries of the board could be computed. If not, [`Board::symmetries`]
    /// returns the trivial group. Counts of all tours are then still correct, but slower; counts up
    /// to symmetry are meaningless.
    #[must_use]
    pub fn has_known_symmetries(&self) -> bool {
        self.symmetries_and_completeness().1
    }

    /// Returns the number of symmetries of the board. If they are too many to list, returns `None`
    /// unless the kind of board can compute their number without a list.
    #[must_use]
    pub fn symmetry_order(&self) -> Option<GroupOrder> {
        if self.has_known_symmetries() {
            return Some(GroupOrder::from(self.symmetries().order()));
        }
        self.0.kind.symmetry_order(self.graph())
    }

    fn symmetries_and_completeness(&self) -> &(SymmetryGroup, bool) {
        self.0.symmetries_and_completeness.get_or_init(|| match self.0.kind.symmetries(self.graph()) {
            Some(group) => (group, true),
            None => (SymmetryGroup::trivial(self.len()), false),
        })
    }

    /// Returns a proper 2-colouring of the vertices, such that every move changes the colour;
    /// `None` if the graph is not bipartite.
    #[must_use]
    pub fn colours(&self) -> Option<&[bool]> {
        self.0.colours.get_or_init(|| self.graph().two_colouring()).as_deref()
    }

    /// Returns the positions of the vertices in the plane; `None` if the board has no layout.
    #[must_use]
    pub fn layout(&self) -> Option<&Layout> {
        self.0.layout.get_or_init(|| self.0.kind.layout()).as_ref()
    }

    /// Returns the positions of the vertices in pictures of a board without a layout; `None` if they are to be
    /// computed.
    #[must_use]
    pub fn picture_positions(&self) -> Option<&PicturePositions> {
        self.0.kind.picture_positions()
    }

    /// Returns all line-by-line scans of the vertices, such as row by row: candidates for the
    /// vertex order of a sweep. Empty if the kind of board provides no scan.
    #[must_use]
    pub fn line_scans(&self) -> Vec<LineScan> {
        self.0.kind.line_scans(self.layout())
    }

    /// Returns the piece that moves on the board; `None` if the board is a custom graph.
    #[must_use]
    pub fn piece(&self) -> Option<Piece> {
        self.0.kind.piece()
    }

    /// Returns the names of the squares that were removed from the rectangle or box, in ascending order of
    /// the squares.
    #[must_use]
    pub fn removed_names(&self) -> Vec<String> {
        self.0.kind.removed_names()
    }

    /// Returns the name of vertex `v`.
    ///
    /// # Panics
    /// If `v` is not a vertex.
    #[must_use]
    pub fn name(&self, v: u32) -> String {
        self.0.kind.name(v)
    }

    /// Returns the name of the move between two vertices, such as `a1-b3`.
    ///
    /// # Panics
    /// If one of them is not a vertex.
    #[must_use]
    pub fn move_name(&self, (v, w): (u32, u32)) -> String {
        format!("{}-{}", self.name(v), self.name(w))
    }

    /// Returns the vertex with the given name.
    ///
    /// # Errors
    /// No vertex has this name.
    pub fn vertex(&self, name: &str) -> Result<u32, NameError> {
        self.0.kind.vertex(name)
    }

    /// Returns the kind of the board, with its data.
    pub(super) fn kind(&self) -> &dyn Any {
        &*self.0.kind
    }

    /// Returns the [`LeaperBoard`] that this board consists of; `None` for every other kind. Needed
    /// for theorems and tables that hold on leaper boards only.
    #[must_use]
    pub fn leaper_board(&self) -> Option<&LeaperBoard> {
        self.kind().downcast_ref()
    }

    /// Returns the [`LatticeBoard`] that this board consists of; `None` for every other kind. A
    /// lattice board is a box, or has joined edges or a piece that is not a single leaper.
    #[must_use]
    pub fn lattice_board(&self) -> Option<&LatticeBoard> {
        self.kind().downcast_ref()
    }

    /// Returns the way in which opposite edges of the board are joined.
    #[must_use]
    pub fn wrap(&self) -> Wrap {
        self.unrestricted().lattice_board().map(LatticeBoard::wrap).unwrap_or_default()
    }
}

impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.len() == other.len() && self.0.kind.text_form() == other.0.kind.text_form())
    }
}

impl Eq for Board {}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({self})")
    }
}

impl fmt::Display for Board {
    /// Writes the text form of the board. Parsing it gives an equal board.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.kind.text_form())
    }
}

impl From<(Rectangle, Leaper)> for Board {
    fn from((rectangle, leaper): (Rectangle, Leaper)) -> Self {
        Self::from_leaper(rectangle, leaper)
    }
}

impl From<Rectangle> for Board {
    /// Converts a rectangle to the board of the knight's moves on it.
    fn from(board: Rectangle) -> Self {
        Self::from_leaper(board, Leaper::KNIGHT)
    }
}

impl From<LatticeBoard> for Board {
    /// Converts a lattice board to the simplest kind of board: a [`LeaperBoard`] for a rectangle
    /// without joined edges and a single leaper, otherwise a [`LatticeBoard`].
    fn from(lattice: LatticeBoard) -> Self {
        match (lattice.sides(), lattice.wrap(), lattice.piece().leaper()) {
            (BoardSides::Rectangle(rectangle), Wrap::None, Some(leaper)) => {
                Self::from_leaper(rectangle.clone(), leaper)
            }
            _ => Self::new(lattice),
        }
    }
}

impl From<LeaperBoard> for Board {
    fn from(rectangle: LeaperBoard) -> Self {
        Self::new(rectangle)
    }
}

impl From<CustomGraph> for Board {
    fn from(custom_graph: CustomGraph) -> Self {
        Self::new(custom_graph)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_of_leaper_boards_round_trips() {
        for text in [
            "board=6x8 piece=1,2 remove=-",
            "board=3x4 piece=0,1 remove=a1,d3",
            "board=1x1 piece=2,3 remove=-",
        ] {
            let board: Board = text.parse().unwrap();
            assert_eq!(board.to_string(), text);
            assert_eq!(board.to_string().parse::<Board>().unwrap(), board);
            assert_eq!(board.len(), board.graph().len());
            for v in 0..board.len() as u32 {
                assert_eq!(board.vertex(&board.name(v)), Ok(v));
                for w in 0..board.len() as u32 {
                    assert_eq!(board.is_move(v, w), board.graph().is_edge(v as usize, w as usize));
                }
            }
        }
        let knight: Board = "6x8".parse().unwrap();
        assert_eq!(knight.to_string(), "board=6x8 piece=1,2 remove=-");
        assert_eq!("board=6x8 remove=- piece=1,2".parse(), Ok(knight.clone()));
        assert_eq!(knight.title(), "6x8");
        for (text, removed) in [
            ("board=3x4 piece=0,1 remove=d3,a1", &["a1", "d3"][..]),
            ("board=3x4 wrap=torus piece=1,2 remove=b2", &["b2"]),
            ("board=2x2x2 piece=0,1 remove=b1.2", &["b1.2"]),
            ("graph=Bw", &[]),
        ] {
            assert_eq!(text.parse::<Board>().unwrap().removed_names(), removed, "{text}");
        }
        assert_ne!(knight, "8x6".parse().unwrap());
    }

    #[test]
    fn text_form_of_graphs_round_trips() {
        let petersen = (0..5).flat_map(|i| [(i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5)]);
        let board = Board::from_graph(Graph::from_edges(10, petersen));
        assert_eq!(board.title(), "graph of 10 vertices");
        assert_eq!(board.size_clause(), "the graph has 10 vertices");
        assert_eq!("6x8".parse::<Board>().unwrap().size_clause(), "the board has 48 squares");
        let point = Board::from_graph(Graph::from_edges(1, []));
        assert_eq!(
            (point.title(), point.size_clause()),
            ("graph of 1 vertex".into(), "the graph has 1 vertex".into())
        );
        assert_eq!(board.symmetries().order(), 120);
        assert!(board.colours().is_none() && board.layout().is_none() && board.leaper_board().is_none());
        let read: Board = board.to_string().parse().unwrap();
        assert_eq!(read, board);
        assert_eq!(read.symmetries(), board.symmetries());
    }

    #[test]
    fn symmetry_order_is_known_for_unlisted_group() {
        let complete = Graph::from_edges(9, (0..9).flat_map(|w| (0..w).map(move |v| (v, w))));
        let board = Board::from_graph(complete);
        assert_eq!((board.symmetries().order(), board.has_known_symmetries()), (1, false));
        assert_eq!(board.symmetry_order().unwrap().to_string(), "362880");
    }

    #[test]
    fn from_str_rejects_invalid_text_forms() {
        for bad in
            ["", "6x", "board=6x8", "board=6x8 piece=1,2", "shape=6x8", "board=2x2 piece=1,2 remove=c1"]
        {
            assert!(bad.parse::<Board>().is_err(), "{bad}");
        }
    }
}
