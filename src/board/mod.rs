//! What a tour lives on: boards, pieces, graphs, symmetries.
//!
//! ```text
//! Board, Leaper -> Rectangle -------+
//! Board, Wrap, Piece -> Surface ----+
//! Sides, Piece -> Cuboid -----------+-> Arena: graph, names, symmetries, layout, normal form
//! graph file, names, ... -> Given --+
//! ```
//!
//! A tour visits every vertex of a [`Graph`] once; engines know no more of it than that. An
//! [`Arena`] is a graph with what belongs to it: names of the vertices, a
//! [`SymmetryGroup`] that tells which of them are alike, and maybe a [`Layout`] that tells
//! where they lie. Most arenas are a [`Rectangle`]: a [`Board`], which is a rectangle of
//! squares with some removed, and a [`Leaper`] that jumps on it. A [`Surface`] is a board whose edges
//! may be joined, with any [`Piece`]; a [`Cuboid`] has three sides. Any other graph is a
//! [`Given`] one, and its symmetries are found. A new kind is a [`Ground`] in a file of its
//! own. Nothing here knows of tours or of engines.

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

pub use area::{AreaError, squares};
pub use arena::Arena;
pub use automorphisms::{Automorphisms, MOST_EFFORT, MOST_ELEMENTS, automorphisms};
pub use bitboard::{Bitboard, Squares};
pub use cube::{Cube, ParseCubeError, cubes};
pub use cuboid::{Cuboid, Sides};
pub use drawn::{DrawnError, drawn};
pub use ends::PossibleEnds;
pub use error::{ArenaError, GivenError, NameError};
pub use given::Given;
pub use graph::Graph;
pub use ground::{Ground, Lines};
pub use group::{Element, SymmetryGroup};
pub use layout::Layout;
pub use leaper::{Leaper, LeaperError};
pub use order::GroupOrder;
pub use piece::{Piece, PieceError};
pub use rectangle::Rectangle;
pub use shape::{Board, BoardError};
pub use square::{ParseSquareError, Square};
pub use surface::Surface;
pub use symmetry::Symmetry;
pub use words::{Words, unword, word};
pub use wrap::{Wrap, WrapError};
