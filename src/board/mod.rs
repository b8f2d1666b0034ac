//! Boards, pieces, graphs and symmetries: everything that a tour is defined on.
//!
//! ```text
//! Rectangle, Leaper ------> LeaperBoard --+
//! Rectangle, Wrap, Piece -> WrappedBoard -+
//! BoxSides, Piece --------> BoxBoard -----+-> Board: graph, names, symmetries, layout, text form
//! graph file, names, ... -> CustomGraph --+
//! ```
//!
//! A tour visits every vertex of a [`Graph`] once; the engines work on the graph alone. A [`Board`] is a
//! graph with the names of its vertices, a [`SymmetryGroup`] that defines which vertices are equivalent, and,
//! if the vertices have positions in the plane, a [`Layout`]. Four types implement [`BoardKind`], the trait
//! behind [`Board`]:
//!
//! - [`LeaperBoard`], the most frequent kind: a [`Rectangle`] of squares, some of them removed, and one
//!   [`Leaper`];
//! - [`WrappedBoard`]: a rectangle whose opposite edges may be joined, and any [`Piece`];
//! - [`BoxBoard`]: a three-dimensional box of squares, and any piece;
//! - [`CustomGraph`]: any other graph; its symmetries are computed.
//!
//! A further kind of board is one more implementation of [`BoardKind`]. This module depends neither on tours
//! nor on engines.

mod area;
mod arena;
mod automorphisms;
mod bitboard;
mod cube;
mod cuboid;
mod drawn;
mod ends;
mod error;
mod given;
mod graph;
pub mod graph6;
pub mod graph_file;
mod ground;
mod group;
mod layout;
mod leaper;
mod names;
mod order;
mod partition;
mod piece;
mod rectangle;
mod shape;
pub mod sparse6;
mod square;
mod surface;
mod symmetry;
mod turn;
mod twins;
mod words;
mod wrap;

pub use area::{SquareListError, parse_squares};
pub use arena::Board;
pub use automorphisms::{Automorphisms, MAX_GROUP_ELEMENTS, MAX_SEARCH_STEPS, find_automorphism_group};
pub use bitboard::{Bitboard, SquareIter};
pub use cube::{BoxSquare, ParseBoxSquareError, parse_box_squares};
pub use cuboid::{BoxBoard, BoxSides};
pub use drawn::{DrawingError, parse_drawing};
pub use ends::PossibleEnds;
pub use error::{BoardError, CustomGraphError, NameError};
pub use given::CustomGraph;
pub use graph::Graph;
pub use ground::{BoardKind, LineScan};
pub use group::{Element, SymmetryGroup};
pub use layout::Layout;
pub use leaper::{Leaper, LeaperError};
pub use order::GroupOrder;
pub use piece::{Piece, PieceError};
pub use rectangle::LeaperBoard;
pub use shape::{Rectangle, RectangleError};
pub use square::{ParseSquareError, Square};
pub use surface::WrappedBoard;
pub use symmetry::Symmetry;
pub use words::{KeyValues, escape_word, unescape_word};
pub use wrap::{Wrap, WrapError};
