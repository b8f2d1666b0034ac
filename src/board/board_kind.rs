//! [`BoardKind`], the trait that every kind of board implements.
//!
//! A new kind needs one type that implements the trait, and one case in the parser of the text form
//! of [`Board`](super::Board); no engine changes. The text form of a kind defined outside of this
//! crate cannot be parsed. To save and resume the tours of such a
//! board, or to send them to other machines, convert the board to a
//! [`CustomGraph`](super::CustomGraph), whose text form can be parsed.

use std::any::Any;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};

use super::error::NameError;
use super::graph::Graph;
use super::layout::Layout;
use super::picture_positions::PicturePositions;
use super::piece::Piece;
use super::symmetry_group::{GroupOrder, SymmetryGroup};

/// All vertices, grouped into parallel lines, such as the rows of a board. All lines have equal
/// length; `None` marks a position without a vertex.
pub type LineScan = Vec<Vec<Option<usize>>>;

/// The properties that a kind of board defines. [`Board`](super::Board) calls each costly method
/// only once and stores the result.
pub trait BoardKind: fmt::Debug + Any + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Returns the text form, which defines the board completely: words `key=value`, separated by
    /// single spaces. The first key names the kind of board.
    fn text_form(&self) -> String;

    /// Returns a short name of the board for headings, such as `6x8`.
    fn title(&self) -> String;

    /// Returns the number of vertices.
    fn vertex_count(&self) -> usize;

    /// Returns the graph with one vertex for each square and one edge for each move.
    fn graph(&self) -> Graph;

    /// Returns the symmetry group of the board; `None` if it has too many symmetries, or if they
    /// take too long to compute. `graph` is the graph of the board.
    fn symmetries(&self, graph: &Graph) -> Option<SymmetryGroup>;

    /// Returns the number of symmetries of the board if it can be computed without listing them.
    /// Called if the symmetries are too many for [`BoardKind::symmetries`].
    fn symmetry_order(&self, _: &Graph) -> Option<GroupOrder> {
        None
    }

    /// Returns the name of vertex `v`.
    fn name(&self, v: u32) -> String;

    /// Returns the vertex with the given name.
    ///
    /// # Errors
    /// No vertex has this name.
    fn vertex(&self, name: &str) -> Result<u32, NameError>;

    /// Returns the piece that moves on the board; `None` for a board that is only a graph.
    fn piece(&self) -> Option<Piece> {
        None
    }

    /// Returns the names of the squares that were removed from the board, in ascending order of the
    /// squares.
    fn removed_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns all line-by-line scans of the board, such as row by row. The search for the vertex
    /// order of a sweep begins with these scans. Default: the rows and the columns of `layout`;
    /// none if the board has no layout.
    fn line_scans(&self, layout: Option<&Layout>) -> Vec<LineScan> {
        layout.map_or_else(Vec::new, |layout| vec![layout.by_rows(), layout.by_cols()])
    }

    /// Returns the positions of the vertices in the plane; `None` if the vertices have no
    /// positions.
    fn layout(&self) -> Option<Layout> {
        None
    }

    /// Returns the positions of the vertices in pictures of a board without a layout; `None` if they are to be
    /// computed.
    fn picture_positions(&self) -> Option<&PicturePositions> {
        None
    }
}
