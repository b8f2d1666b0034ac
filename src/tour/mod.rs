//! Tours: checked vertex sequences, their canonical forms and symmetry classes, text formats and pictures.
//!
//! ```text
//! text -> TourReader -> Tour -> canonical form, class, magic, picture
//! vertices of a search -------> TourWriter -> text
//! ```
//!
//! A [`Tour`] visits every vertex of its board once, by moves. Hot loops represent a tour as a plain sequence
//! of vertex numbers; [`TourWriter`] and [`canonical_form`] work on such sequences, so listing copies
//! nothing. Pictures and grids need positions of the vertices; all other formats need only their names.

mod assigned;
mod brackets;
mod canonical;
mod cells;
mod classify;
mod columns;
mod counted;
mod error;
mod fault;
mod grid;
mod header;
mod image;
mod json;
mod kind;
mod known;
mod labels;
mod layers;
mod leg;
mod lines;
mod loose;
mod magic;
mod named;
mod notation;
mod palette;
mod places;
mod plane;
mod printed;
mod reader;
mod sequence;
mod sign;
mod steps;
mod svg;
mod table;
mod terminal;
mod visits;
mod words;

pub use canonical::{TourShape, canonical_form, normalise, normalise_closed, normalise_path};
pub use classify::{SymmetryClass, TourSymmetry};
pub use error::{TourError, TourErrorKind};
pub use fault::{MAX_LINE_BYTES, ReadError, ReadErrorKind};
pub use kind::{Kind, TourKind};
pub use known::ReadOptions;
pub use magic::LineSums;
pub use notation::{TourFormat, TourWriter, WriteError};
pub use palette::Palette;
pub use places::NoLayout;
pub use reader::{LocatedTour, TourReader};
pub use sequence::Tour;
pub use svg::{
    DrawError, HeatMap, SvgStyle, TextRendering, write_contact_sheet, write_heat_map, write_svg, write_word,
};
pub use terminal::{
    TerminalError, TerminalPicture, TerminalStyle, braille_picture, number_table, terminal_heat_map,
};
