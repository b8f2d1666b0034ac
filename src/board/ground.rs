//! What a kind of arena has to say of itself.
//!
//! A new kind is a file with one type that is a [`Ground`], and a line in the table of
//! [`Arena`](super::Arena)'s parser; no engine knows of it. A kind that is made outside of this crate has no line
//! there: what is to be saved and gone on with, or sent to other machines, is better made a
//! [`Given`](super::Given), whose normal form can be read back.

use std::any::Any;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};

use super::error::NameError;
use super::graph::Graph;
use super::group::SymmetryGroup;
use super::layout::Layout;
use super::order::GroupOrder;
use super::piece::Piece;

/// Lines of vertices, with gaps.
pub type Lines = Vec<Vec<Option<usize>>>;

/// A kind of arena. Costly parts are made once, when they are asked for.
pub trait Ground: fmt::Debug + Any + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// The normal form: words `key=value` with a space between, the first of which tells the kind. It has
    /// everything that the arena is.
    fn text(&self) -> String;

    /// What it is called where a few letters have to do, such as `6x8`.
    fn title(&self) -> String;

    /// Number of vertices.
    fn vertices(&self) -> usize;

    /// Its graph.
    fn graph(&self) -> Graph;

    /// Its symmetries; `None` if they are too many or take too long to find.
    fn symmetries(&self, graph: &Graph) -> Option<SymmetryGroup>;

    /// How many symmetries there are, where that is known though they are too many for [`Ground::symmetries`].
    fn symmetry_order(&self, _: &Graph) -> Option<GroupOrder> {
        None
    }

    /// The name of a vertex.
    fn name(&self, v: u32) -> String;

    /// The vertex of a name.
    ///
    /// # Errors
    /// No vertex has it.
    fn vertex(&self, name: &str) -> Result<u32, NameError>;

    /// The piece that moves there, if it is a board.
    fn piece(&self) -> Option<Piece> {
        None
    }

    /// The names of the squares that were taken off, ascending.
    fn removed(&self) -> Vec<String> {
        Vec::new()
    }

    /// Ways to go over the vertices line by line, each a list of lines of one length with gaps: where a sweep looks
    /// for its order first. The rows and the columns of the layout, if there is one.
    fn lines(&self, layout: Option<&Layout>) -> Vec<Lines> {
        layout.map_or_else(Vec::new, |layout| vec![layout.by_rows(), layout.by_cols()])
    }

    /// Where the vertices lie.
    fn layout(&self) -> Option<Layout> {
        None
    }
}
