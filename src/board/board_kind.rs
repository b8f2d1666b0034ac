//! [`BoardKind`], the trait that every kind of board implements.
//!
//! A new kind is one type with this trait, and one line in the table of text form parsers of
//! [`Board`](super::Board); no engine needs a change. A kind that is defined outside of this crate has no
//! line in that table, so its text form cannot be parsed. If its tours are to be saved and resumed, or sent
//! to other machines, use a [`CustomGraph`](super::CustomGraph), whose text form can be parsed.

use std::any::Any;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};

use super::error::NameError;
use super::graph::Graph;
use super::layout::Layout;
use super::piece::Piece;
use super::symmetry_group::{GroupOrder, SymmetryGroup};

/// One line-by-line scan of all vertices: lines of equal length, with `None` for gaps.
pub type LineScan = Vec<Vec<Option<usize>>>;

/// A kind of board. [`Board`](super::Board) calls each method with a costly result once and stores the
/// result.
pub trait BoardKind: fmt::Debug + Any + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Returns the text form: words `key=value`, separated by single spaces, which define the board
    /// completely. The first key names the kind.
    fn text_form(&self) -> String;

    /// Returns a short name for headings, such as `6x8`.
    fn title(&self) -> String;

    /// Returns the number of vertices.
    fn vertex_count(&self) -> usize;

    /// Returns the graph of all moves.
    fn graph(&self) -> Graph;

    /// Returns the symmetry group; `None` if the symmetries are too many or take too long to compute.
    fn symmetries(&self, graph: &Graph) -> Option<SymmetryGroup>;

    /// Returns the number of symmetries if it can be computed although they are too many for
    /// [`BoardKind::symmetries`].
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

    /// Returns the names of the removed squares, in ascending order of the squares.
    fn removed_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns line-by-line scans of the vertices, in each scan lines of equal length with gaps. The search
    /// for a sweep's vertex order begins with them. Default: the rows and the columns of the layout, if there
    /// is one.
    fn line_scans(&self, layout: Option<&Layout>) -> Vec<LineScan> {
        layout.map_or_else(Vec::new, |layout| vec![layout.by_rows(), layout.by_cols()])
    }

    /// Returns the positions of the vertices in the plane, if they have any.
    fn layout(&self) -> Option<Layout> {
        None
    }
}
