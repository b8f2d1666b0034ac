//! What can be wrong with a file of tours, and how it is told.

use std::io;

use crate::board::{ArenaError, BoardError, NameError, ParseSquareError};
use crate::words::printable;

use super::TourError;
use super::places::NoLayout;

/// The longest line that is read, in bytes.
pub const MAX_LINE: usize = 1 << 28;

/// The first fault of a file.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct ReadError {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong there.
    pub fault: Fault,
}

/// What can be wrong with a line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file could not be read.
    #[error("cannot read on: {0}")]
    Io(#[from] io::Error),
    /// No tour begins like this.
    #[error("`{0}` begins no tour: neither squares, nor a number grid or table, nor CSV, nor JSON")]
    Unknown(String),
    /// Pairs of numbers that are neither a grid nor squares.
    #[error(
        "these look like coordinates: write squares by their names, such as a1 c2 e1 (in Python chr(97 + column) + \
         str(rank + 1), both counted from 0, ranks from the bottom), or move numbers in a grid, such as [[1,4,7],[6,9,2],[3,8,5]]"
    )]
    Coordinates,
    /// An array that is none of numbers or squares.
    #[error(
        "no array of tours: {0}; rows of numbers such as [[1,4],[3,2]] are expected, or squares [\"a1\",\"b3\"]"
    )]
    Array(&'static str),
    /// An array of other sizes than those that it is said to have.
    #[error("the array is declared with {said} numbers or squares, but {found} follow")]
    Declared {
        /// What is said.
        said: String,
        /// What follows.
        found: String,
    },
    /// Numbers before squares that do not count them.
    #[error(
        "the number {number} stands before square {square}: numbers before squares are to count them, or moves, one after \
         the other; mend them, or leave all of them out"
    )]
    Count {
        /// The number.
        number: u64,
        /// Which square it stands before, from 1.
        square: usize,
    },
    /// A square of a box, where no box is known.
    #[error("`{0}` is a square in a layer of a box: give the box, such as --board 3x4x4 for 3 layers of 4x4")]
    Cube(String),
    /// Text as PowerShell writes it.
    #[error("this is text in UTF-16: save it as UTF-8")]
    Utf16,
    /// A web page.
    #[error("`{0}` begins no tour but a page of HTML: paste the table as a browser shows it, or as CSV")]
    Html(String),
    /// A picture.
    #[error(
        "this is a picture, and tours are read from text: squares, a number grid, CSV or JSON, as find and list write them"
    )]
    Picture,
    /// A header that cannot be read.
    #[error(transparent)]
    Header(#[from] ArenaError),
    /// Options that are not what the file says.
    #[error(
        "the file says {what} {said}, the options say {asked}: leave the option out, or give what the file says"
    )]
    Contradiction {
        /// What they speak of.
        what: &'static str,
        /// What the file says.
        said: String,
        /// What was given.
        asked: String,
    },
    /// A header or field that says another arena than the tours before.
    #[error("these tours are of {found}, those before of {expected}; --mixed allows several boards")]
    OtherArena {
        /// What the tours that follow are of.
        found: String,
        /// What those before are of.
        expected: String,
    },
    /// Squares missing from the smallest rectangle.
    #[error("{0}; what is not part of the board has to be named (--remove, or a header)")]
    Holes(TourError),
    /// A line beyond all measure.
    #[error("the line is longer than {MAX_LINE} bytes")]
    TooLong,
    /// A square's name is wrong.
    #[error(transparent)]
    Square(#[from] ParseSquareError),
    /// A name that no vertex has.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A grid, where the vertices do not lie on one.
    #[error(transparent)]
    NoLayout(#[from] NoLayout),
    /// The squares are no tour.
    #[error(transparent)]
    Tour(#[from] TourError),
    /// The board is impossible.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// A grid of removed squares.
    #[error("the grid has no numbers: there is no tour in it")]
    NoNumbers,
    /// Something in a grid that is no number.
    #[error("`{0}` is not a number: a grid has numbers, and `.` where a square is removed")]
    Number(String),
    /// Numbers beside the rows that tell no order.
    #[error(
        "the numbers beside the rows are no ranks: {0}; ranks go down to 1 from row to row, or up from 1 with the letters \
         of the files above or below"
    )]
    Ranks(String),
    /// Numbers beside the rows that may be ranks or count the rows.
    #[error(
        "the numbers {first} to {last} beside the rows may be ranks, the first row the lowest, or count the rows from the top: \
         write the files a b c ... above them if they are ranks, or leave the numbers out if the first row is the top"
    )]
    RanksOrRows {
        /// The first.
        first: u32,
        /// The last.
        last: u32,
    },
    /// An empty cell, where nobody has told the board.
    #[error(
        "the cell of {0} is empty: write `.` there if the square is removed, or give the board (--board, --remove) if empty \
         cells are no squares"
    )]
    Empty(String),
    /// A row of another length.
    #[error("the row has {found} squares, the rows above have {expected}")]
    Ragged {
        /// Squares in this row.
        found: usize,
        /// Squares in the first row.
        expected: usize,
    },
    /// A number twice.
    #[error("number {number} on {second} was already on {first}")]
    Twice {
        /// The number.
        number: u64,
        /// The square where it was first, from the top.
        first: String,
        /// The square where it was again.
        second: String,
        /// The line of that one.
        line: u64,
    },
    /// A number that is too large.
    #[error("number {number} on {square} is too large for {squares} squares numbered from {from}")]
    TooLarge {
        /// The number.
        number: u64,
        /// The square where it is.
        square: String,
        /// The line of that square.
        line: u64,
        /// How many squares are numbered.
        squares: usize,
        /// The first number.
        from: u64,
    },
    /// The least number is not 0 or 1.
    #[error("the least number of the grid is {0}: numbers begin at 0 or 1")]
    From(u64),
    /// A grid of another shape.
    #[error(
        "the grid is {found}, the board {expected}; give the right --board, or --mixed for several boards"
    )]
    OtherBoard {
        /// Size of the grid.
        found: String,
        /// The board.
        expected: String,
    },
    /// A list of numbers that is no board, row by row.
    #[error(
        "{numbers} numbers one after the other, as rows of {board}, are no tour of it: the number of each square's move is \
         expected, row by row from the top; squares in the order of visits are written by name, such as a1 c2 e1"
    )]
    Rows {
        /// How many.
        numbers: usize,
        /// The board.
        board: String,
    },
    /// A list of numbers, of no board that is known.
    #[error(
        "{numbers} numbers one after the other are no tour of one row: if they are the rows of a board, from the top, give \
         --board; squares in the order of visits are written by name, such as a1 c2 e1"
    )]
    List {
        /// How many.
        numbers: usize,
    },
    /// Fewer layers of a box than it has.
    #[error("there {} {found} of the {layers} layers of {board}: paste all of them, one below the other or side by side",
        if *found == 1 { "is" } else { "are" })]
    Layers {
        /// Whole layers that there are.
        found: usize,
        /// Layers of the box.
        layers: usize,
        /// The box.
        board: String,
    },
    /// A row without the square that its head promises.
    #[error(
        "the row has no square: it is to be in column {column} of {columns}, as the head of the table says"
    )]
    NoSquare {
        /// The column, from 1.
        column: usize,
        /// How many the head has.
        columns: usize,
    },
    /// A row with more fields than its head.
    #[error("the row has {found} fields, the head of the table names {columns} columns")]
    Fields {
        /// Fields in the row.
        found: usize,
        /// Columns that the head names.
        columns: usize,
    },
    /// Numbers of steps that tell no order.
    #[error(
        "the steps of the table are not the numbers from 0 or 1 on, each once: {0}; mend the column, or leave it out if \
         the rows are in order"
    )]
    Steps(String),
    /// Numbers of rows that contradict their order.
    #[error(
        "the rows are not in the order of their first numbers, {found} stands below {above}: sort them by the steps of the \
         tour, or name the column of these `step`"
    )]
    Index {
        /// The number of a row.
        found: u64,
        /// That of the row above.
        above: u64,
    },
    /// A CSV row with the wrong columns.
    #[error("a row of the columns kind,squares is expected, or kind,squares,arena")]
    Csv,
    /// A CSV row without its arena.
    #[error("the row has no arena: a row of the columns kind,squares,arena is expected")]
    CsvArena,
    /// A kind that is none.
    #[error("`{0}` is no kind of tour: closed, open or re-entrant")]
    Kind(String),
    /// A tour that is not what it says.
    #[error("the tour says it is {said}, but it is {is}")]
    OtherKind {
        /// The kind written.
        said: &'static str,
        /// The kind found.
        is: &'static str,
    },
    /// A tour that is not what the header says.
    #[error("the header says kind={said}, but the tour is {is}")]
    NotOfHeader {
        /// The kind of the header.
        said: &'static str,
        /// The kind found.
        is: &'static str,
    },
    /// A tour that is not what was asked for.
    #[error("the tour is {is}, the options ask for {asked}")]
    NotAsked {
        /// The kind of the options.
        asked: &'static str,
        /// The kind found.
        is: &'static str,
    },
    /// JSON that cannot be read.
    #[error("no JSON tour: {0}")]
    Json(String),
}

/// A short, printable rendering of anything.
pub(super) fn shown(text: &[u8]) -> String {
    let short: String = String::from_utf8_lossy(&text[..text.len().min(96)]).chars().take(24).collect();
    let dots = if short.len() < text.len().min(96) || text.len() > 96 { "..." } else { "" };
    format!("{}{dots}", printable(&short))
}
