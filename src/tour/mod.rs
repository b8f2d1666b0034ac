//! Tours: checked vertex sequences, their canonical forms and symmetry classes, text formats and pictures.
//!
//! ```text
//! text -> TourReader -> Tour -> canonical form, class, magic, picture
//! vertices of a search -------> TourWriter -> text
//! ```
//!
//! A [`Tour`] visits every vertex of its board once, by moves. Inner loops represent a tour as a
//! plain sequence of vertex numbers; [`TourWriter`] and [`SymmetryForm`] work on such sequences,
//! so a listing copies no tours. Pictures and grids need positions of the vertices; all other
//! formats need only the names of the vertices.

mod checked_tour;
mod file_format;
mod kind;
mod magic;
mod move_segment;
mod palette;
mod read_error;
mod reader;
mod scene;
mod svg;
mod symmetry_class;
mod symmetry_form;
mod terminal;
mod tour_spec;
mod vertex_positions;

pub use checked_tour::{Tour, TourError, TourErrorKind};
pub use file_format::{TourFormat, TourWriter, WriteError};
pub use kind::{Kind, TourKind};
pub use magic::LineSums;
pub use palette::Palette;
pub use read_error::{MAX_LINE_BYTES, MAX_LINES, ReadError, ReadErrorKind, ReadSetting};
pub use reader::read_context::{CoordinateOrder, ReadOptions};
pub use reader::{LocatedTour, TourReader};
pub use svg::{
    DrawError, HeatMap, SvgStyle, TextRendering, write_board_svg, write_contact_sheet, write_heat_map,
    write_svg, write_word,
};
pub use symmetry_class::{SymmetryClass, TourSymmetry};
pub use symmetry_form::{Action, ActionCounts, Reading, SymmetryAction, SymmetryForm, TourShape};
pub use terminal::{
    TerminalError, TerminalPicture, TerminalStyle, braille_picture, number_table, terminal_heat_map,
};
pub use tour_spec::{BrokenRestriction, TourSpec, TourSpecError};
pub use vertex_positions::NoLayout;
