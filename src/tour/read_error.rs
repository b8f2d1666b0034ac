//! Errors of reading a file of tours, with their messages.

use std::io;

use crate::board::{BoardError, NameError, ParseSquareError, RectangleError};
use crate::text_format::{describe_io_error, printable_excerpt};

use super::vertex_positions::NoLayout;
use super::{TourError, TourErrorKind};

/// Longest line, array or table that the reader accepts, in bytes.
pub const MAX_LINE_BYTES: usize = 1 << 28;

/// Largest number of lines of an array, a table or a list: more than the rows of any grid.
pub const MAX_LINES: usize = 1 << 23;

/// The first error of a file.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {kind}")]
pub struct ReadError {
    /// Number of the line, from 1.
    pub line: u64,
    /// Kind of the error.
    pub kind: ReadErrorKind,
}

impl ReadError {
    /// Returns true if the error is one of a tour, so that the reader continues with the next one; false if it is
    /// one of the input itself.
    #[must_use]
    pub const fn is_of_tour(&self) -> bool {
        !matches!(
            self.kind,
            ReadErrorKind::Io(_)
                | ReadErrorKind::LineTooLong
                | ReadErrorKind::Header(_)
                | ReadErrorKind::Utf16
                | ReadErrorKind::BinaryFile
                | ReadErrorKind::Html(_)
                | ReadErrorKind::ImageFile
        )
    }
}

/// A setting of the reader with which a tour might be valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadSetting {
    /// The order of the numbers in a pair of coordinates.
    CoordinateOrder,
    /// The board.
    Board,
    /// The board, which is a box.
    Box,
    /// The removed squares of the board.
    RemovedSquares,
    /// The board and its removed squares.
    BoardWithHoles,
    /// Whether tours may be of several boards.
    SeveralBoards,
    /// The board, or whether tours may be of several boards.
    BoardOrSeveral,
}

/// Kind of error of a line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The input failed.
    #[error("cannot read the file: {}", describe_io_error(.0))]
    Io(#[from] io::Error),
    /// A line whose start fits no format.
    #[error("`{0}` does not begin a tour; expected square names, a number grid or table, CSV or JSON")]
    UnrecognisedLine(String),
    /// Pairs of numbers that are not the coordinates of a tour; the text gives the reason.
    #[error(
        "read as coordinates, row,column or x,y from 0 or 1: {0}; correct the pairs, or write square names such as a1 c2 e1"
    )]
    Coordinates(String),
    /// Pairs of numbers that are the coordinates of different tours.
    #[error("the pairs of numbers are tours both as {first} and as {second}")]
    AmbiguousCoordinates {
        /// First reading.
        first: String,
        /// Second reading.
        second: String,
    },
    /// Brackets that hold neither rows of numbers nor squares; the text gives the reason.
    #[error(
        "cannot read the array: {0}; expected rows of numbers such as [[1,4],[3,2]], or squares such as [\"a1\",\"b3\"]"
    )]
    InvalidArray(&'static str),
    /// An array whose size differs from its declaration.
    #[error(
        "the array is declared with {declared} numbers or squares, but {found} follow; correct the declaration or the array"
    )]
    ArraySize {
        /// Declared size.
        declared: String,
        /// Actual size.
        found: String,
    },
    /// A line of text that gives another size than the tour below has.
    #[error("the tour is of a board of {found}, line {line} says {stated}; correct the tour or that line")]
    StatedSize {
        /// Line of the text.
        line: u64,
        /// Size in the text.
        stated: String,
        /// Size of the smallest rectangle around the tour.
        found: String,
    },
    /// File letters, or column numbers, above or below a grid of another width.
    #[error(
        "there are {labels} column labels for {columns} columns; write one above or below each column, or none"
    )]
    ColumnLabels {
        /// Number of labels.
        labels: usize,
        /// Columns of the grid.
        columns: usize,
    },
    /// A number before a square that does not count squares or moves.
    #[error(
        "the number {number} before square {square} is out of sequence; number the squares, or the moves, one by one, or \
         remove all numbers"
    )]
    MoveNumber {
        /// The number.
        number: u64,
        /// Position of the square after the number, from 1.
        square: usize,
    },
    /// A square of a box while the box is not known.
    #[error("`{0}` is a square of a box, and the board is not given")]
    BoxSquare(String),
    /// Text encoded in UTF-16, as PowerShell writes it.
    #[error("the file is encoded in UTF-16; save it as UTF-8")]
    Utf16,
    /// A file with bytes that no text has.
    #[error("the file is not a text file; give the tours as text")]
    BinaryFile,
    /// A page of HTML.
    #[error("`{0}` begins a page of HTML; copy the table as the browser shows it, or save it as CSV")]
    Html(String),
    /// An image file.
    #[error("the file is an image; give the tours as text: square names, a number grid, CSV or JSON")]
    ImageFile,
    /// A header that cannot be parsed.
    #[error(transparent)]
    Header(#[from] BoardError),
    /// Options that contradict the file.
    #[error(
        "the file gives {property} {file_value}, the options give {option_value}; omit the option, or give the value in the file"
    )]
    OptionConflict {
        /// Property in question, such as the piece.
        property: &'static str,
        /// Value in the file.
        file_value: String,
        /// Value in the options.
        option_value: String,
    },
    /// A header or field with another board than that of earlier tours.
    #[error("these tours are of {found}, earlier ones of {expected}")]
    DifferentBoard {
        /// Board of the tours that follow.
        found: String,
        /// Board of the earlier tours.
        expected: String,
    },
    /// A tour that misses squares of the smallest rectangle around it.
    #[error("{0}; add the missing squares")]
    MissingSquares(TourError),
    /// A line, array, table or list of more than [`MAX_LINE_BYTES`] bytes or [`MAX_LINES`] lines.
    #[error(
        "the line, array, table or list is longer than {} MiB or {MAX_LINES} lines; write a blank line between tours, and \
         one array or table for each tour", MAX_LINE_BYTES >> 20
    )]
    LineTooLong,
    /// An invalid square name.
    #[error(transparent)]
    SquareName(#[from] ParseSquareError),
    /// A name that no vertex has.
    #[error(transparent)]
    VertexName(#[from] NameError),
    /// A grid for a board whose vertices have no positions on a grid.
    #[error(transparent)]
    NoLayout(#[from] NoLayout),
    /// A vertex sequence that is not a tour.
    #[error(transparent)]
    Tour(#[from] TourError),
    /// An impossible rectangle.
    #[error(transparent)]
    Rectangle(#[from] RectangleError),
    /// A grid of removed squares only.
    #[error("the grid has no numbers; number its squares in order of visit, from 0 or 1")]
    EmptyGrid,
    /// A cell of a grid that is not a number.
    #[error("`{}` is not a number; write a number in each cell of a grid, or `.` for a removed square",
        printable_excerpt(.0.as_bytes()))]
    NotANumber(String),
    /// Row labels that give no order of the ranks; the text gives the reason.
    #[error(
        "the row labels are not ranks: {0}; number the ranks down to 1 from row to row, or up from 1 with the file letters \
         a b c ... above or below the grid"
    )]
    RankLabels(String),
    /// Row labels that may be ranks or numbers of the rows.
    #[error(
        "the row labels {first} to {last} may be ranks from the bottom or row numbers from the top; write the file letters \
         a b c ... above the grid if they are ranks, or remove the labels if the first row is the top"
    )]
    AmbiguousRankLabels {
        /// First label.
        first: u32,
        /// Last label.
        last: u32,
    },
    /// An empty cell of a grid while the board is not known.
    #[error("the cell of {0} is empty; write `.` if the square is removed")]
    EmptyCell(String),
    /// A row whose length differs from the rows above.
    #[error("the row has {found} cells, the rows above have {expected}; write `.` for each removed square")]
    RowLength {
        /// Cells in this row.
        found: usize,
        /// Cells in the first row.
        expected: usize,
    },
    /// A number that occurs twice in a grid.
    #[error("number {number} is on {first} and again on {second}; use each number once")]
    RepeatedNumber {
        /// The number.
        number: u64,
        /// Square of the first occurrence, from the top.
        first: String,
        /// Square of the second occurrence.
        second: String,
    },
    /// A number of a grid that exceeds the number of squares.
    #[error(
        "number {number} on {square} is too large for {squares} squares numbered from {first_number}; use each number once"
    )]
    NumberTooLarge {
        /// The number.
        number: u64,
        /// Square of the number.
        square: String,
        /// Number of numbered squares.
        squares: usize,
        /// First number.
        first_number: u64,
    },
    /// A grid whose smallest number is neither 0 nor 1.
    #[error("the smallest number of the grid is {0}; number the squares from 0 or 1")]
    FirstNumber(u64),
    /// A grid whose size differs from the board.
    #[error("the grid is {found}, the board is {expected}")]
    GridSize {
        /// Size of the grid.
        found: String,
        /// Size of the board.
        expected: String,
    },
    /// A list of numbers that, taken row by row, is not a tour of the known board.
    #[error(
        "the list of {numbers} numbers is not a tour of {board}; list the move number of each square, row by row from the \
         top, or name the squares in order of visit, such as a1 c2 e1"
    )]
    NumberList {
        /// Length of the list.
        numbers: usize,
        /// The board.
        board: String,
    },
    /// A list of numbers while the board is not known.
    #[error(
        "the list of {numbers} numbers is not a tour of a board of one row; name the squares in order of visit, such \
         as a1 c2 e1"
    )]
    NumberListWithoutBoard {
        /// Length of the list.
        numbers: usize,
    },
    /// A grid of a box with too few layers.
    #[error("there {} {found} of the {layers} layers of {board}; give all layers, one below the other or side by side",
        if *found == 1 { "is" } else { "are" })]
    MissingLayers {
        /// Number of complete layers.
        found: usize,
        /// Number of layers of the box.
        layers: usize,
        /// The box.
        board: String,
    },
    /// A row of a table with an empty square column.
    #[error(
        "the row has no square in column {column} of {columns}; write the square in that column, or correct the header of the table"
    )]
    RowWithoutSquare {
        /// The square column, from 1.
        column: usize,
        /// Number of columns.
        columns: usize,
    },
    /// A row with more fields than the table's header.
    #[error(
        "the row has {found} fields, the header of the table names {columns} columns; remove the extra fields, or name their columns"
    )]
    TooManyFields {
        /// Number of fields in the row.
        found: usize,
        /// Number of columns in the header.
        columns: usize,
    },
    /// Numbers of steps that do not order the squares; the text gives the reason.
    #[error(
        "the step numbers do not count the squares from 0 or 1: {0}; correct them, or remove them if the squares are in \
         order"
    )]
    StepNumbers(String),
    /// Records or rows that give each square in two ways, which differ.
    #[error("{first} and {second} give different squares; remove one of them")]
    DifferentSquares {
        /// First keys or columns.
        first: String,
        /// Second keys or columns.
        second: String,
    },
    /// Numbers of rows that contradict the order of the rows.
    #[error(
        "row number {found} follows {above}; sort the rows by the steps of the tour, or name the column of these numbers \
         `step`"
    )]
    RowOrder {
        /// Number of a row.
        found: u64,
        /// Number of the row above.
        above: u64,
    },
    /// A CSV row with too few columns.
    #[error("the row has one column; expected kind,squares or kind,squares,board")]
    CsvColumns,
    /// A CSV row without its board.
    #[error("the row has no board in its last column; expected kind,squares,board")]
    CsvBoard,
    /// An unknown kind of tour.
    #[error("`{0}` is not a kind of tour; use closed, open or re-entrant")]
    UnknownKind(String),
    /// A tour whose kind differs from the kind written with it.
    #[error("the tour is marked as {marked}, but it is {actual}; correct the mark or the tour")]
    KindMismatch {
        /// Kind written with the tour.
        marked: &'static str,
        /// Actual kind.
        actual: &'static str,
    },
    /// A tour whose kind differs from that of the header.
    #[error("the header gives kind={header}, but the tour is {actual}; correct the header or the tour")]
    HeaderKindMismatch {
        /// Kind in the header.
        header: &'static str,
        /// Actual kind.
        actual: &'static str,
    },
    /// A tour whose kind differs from the kind in the options.
    #[error("the tour is {actual}, the options give {option}; omit the option, or remove the tour")]
    OptionKindMismatch {
        /// Kind in the options.
        option: &'static str,
        /// Actual kind.
        actual: &'static str,
    },
    /// A result of ktour without squares.
    #[error(
        "the input is a result without the squares of tours, such as those of check, count and stats; give tours, such \
         as those of list, find or sample"
    )]
    ResultWithoutTours,
    /// JSON that cannot be parsed.
    #[error("cannot read the JSON tour: {what}{}", column_words(*.column))]
    Json {
        /// What is wrong.
        what: String,
        /// Column of the line, counted from 1; 0 if it is not known.
        column: usize,
    },
}

fn column_words(column: usize) -> String {
    if column == 0 { String::new() } else { format!(" in column {column}") }
}

impl ReadErrorKind {
    /// Returns the fault of a vertex sequence that is not a tour.
    pub(super) const fn tour_fault(&self) -> Option<&TourErrorKind> {
        match self {
            Self::Tour(error) | Self::MissingSquares(error) => Some(error.kind()),
            _ => None,
        }
    }

    /// Returns the position, from 0, of the vertex of a sequence to which the error refers.
    pub(super) fn position(&self) -> Option<usize> {
        self.tour_fault().and_then(TourErrorKind::index)
    }

    /// Returns true if the only fault is that vertices are missing.
    pub(super) const fn is_incomplete(&self) -> bool {
        matches!(self.tour_fault(), Some(TourErrorKind::Incomplete { .. }))
    }

    /// Returns the setting that might make the tour valid, if there is one.
    #[must_use]
    pub const fn setting(&self) -> Option<ReadSetting> {
        match self {
            Self::AmbiguousCoordinates { .. } => Some(ReadSetting::CoordinateOrder),
            Self::StatedSize { .. } | Self::NumberListWithoutBoard { .. } => Some(ReadSetting::Board),
            Self::BoxSquare(_) => Some(ReadSetting::Box),
            Self::MissingSquares(_) => Some(ReadSetting::RemovedSquares),
            Self::EmptyCell(_) => Some(ReadSetting::BoardWithHoles),
            Self::DifferentBoard { .. } => Some(ReadSetting::SeveralBoards),
            Self::GridSize { .. } => Some(ReadSetting::BoardOrSeveral),
            _ => None,
        }
    }
}
