//! Tours: valid by construction, written, compared up to symmetry.
//!
//! A [`Tour`] visits every square of its board once by moves of its leaper. In
//! the hot loops a tour is a plain sequence of vertex numbers; [`TourWriter`] and
//! [`canonical`] work on those, so listing copies nothing.

mod canonical;
mod classify;
mod fault;
mod grid;
mod kind;
mod notation;
mod reader;
mod sequence;
mod svg;
mod terminal;

pub use canonical::{Shape, canonical, lowest, lowest_closed, lowest_path};
pub use classify::{Invariance, SymmetryClass};
pub use fault::{Fault, MAX_LINE, ReadError};
pub use kind::Kind;
pub use notation::{TourFormat, TourKind, TourWriter};
pub use reader::{Located, ReadOptions, TourReader};
pub use sequence::{Tour, TourError};
pub use svg::{SvgStyle, write_sheet, write_svg};
pub use terminal::{TooWide, boxes, braille};
