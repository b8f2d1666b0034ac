//! Boards, squares, pieces and their graphs: what a tour lives on.
//!
//! A [`Board`] is a rectangle with some squares removed; a [`Leaper`] jumps on
//! it; together they make a [`Graph`], whose Hamiltonian paths and cycles are
//! the tours. The [`SymmetryGroup`] tells which squares are alike. Nothing here
//! knows of tours or of engines.

mod bitboard;
mod graph;
mod leaper;
mod shape;
mod square;
mod symmetry;

pub use bitboard::{Bitboard, Squares};
pub use graph::Graph;
pub use leaper::{Leaper, LeaperError};
pub use shape::{Board, BoardError};
pub use square::{ParseSquareError, Square};
pub use symmetry::{Element, Symmetry, SymmetryGroup};
