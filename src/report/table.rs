//! Tables of results, and their three forms: aligned text, CSV and rows of JSON.
//!
//! ```text
//! columns + rows of cells -> to_text     kind    undirected        the first column left, the others right
//!                                        closed        9862
//!                         -> write_csv   kind,undirected,board     with the common cells
//!                                        closed,9862,6x6
//!                         -> Serialize   [{"kind": "closed", "undirected": "9862"}]
//! ```
//!
//! A common cell has the same value in all rows, such as the board. Text and JSON leave it out: there
//! it stands in the title, and in the object that contains the rows.

use std::borrow::Cow;
use std::io::{self, Write};

use ktour::batch::round_to_milliseconds;
use num_bigint::BigUint;
use serde::{Serialize, Serializer};

/// The value of one row in one column.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cell {
    /// No value. Empty in text and CSV, `null` in JSON.
    #[default]
    Empty,
    /// Text.
    Text(String),
    /// True or false.
    Flag(bool),
    /// A whole number that every reader of JSON can store.
    Integer(u64),
    /// A whole number of any size. A string of digits in JSON.
    BigInteger(BigUint),
    /// A number, with all its digits in CSV and JSON, and with the given number of decimals in text. A
    /// number that is not finite is left out of CSV and JSON.
    Number(f64, usize),
    /// Seconds, with three decimals. A number that is not finite is left out of CSV and JSON.
    Seconds(f64),
    /// A share from 0 to 1. In per cent in text.
    Share(f64),
    /// Several values, separated by blanks in text and CSV.
    List(Vec<Self>),
    /// An object with several fields. Only for JSON; empty in text and CSV.
    Object(NamedCells),
    /// The rows of a table, a list of objects. Only for JSON; empty in text and CSV.
    Rows(Table),
}

impl Cell {
    /// Returns the value for people.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self {
            Self::Empty | Self::Object(_) | Self::Rows(_) => String::new(),
            Self::Text(text) => text.clone(),
            Self::Flag(flag) => flag.to_string(),
            Self::Integer(number) => number.to_string(),
            Self::BigInteger(number) => number.to_string(),
            Self::Number(number, decimals) => format!("{number:.decimals$}"),
            Self::Seconds(seconds) => format!("{seconds:.3}"),
            Self::Share(share) => format_percent(*share),
            Self::List(cells) => cells.iter().map(Self::to_text).collect::<Vec<_>>().join(" "),
        }
    }
}

/// Serialises the value for JSON.
impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Empty => to.serialize_none(),
            Self::Text(text) => to.serialize_str(text),
            Self::Flag(flag) => to.serialize_bool(*flag),
            Self::Integer(number) => to.serialize_u64(*number),
            Self::BigInteger(number) => to.collect_str(number),
            Self::Number(number, _) | Self::Share(number) if number.is_finite() => to.serialize_f64(*number),
            Self::Seconds(seconds) if seconds.is_finite() => {
                to.serialize_f64(round_to_milliseconds(*seconds))
            }
            Self::Number(..) | Self::Share(_) | Self::Seconds(_) => to.serialize_none(),
            Self::List(cells) => to.collect_seq(cells),
            Self::Object(fields) => fields.serialize(to),
            Self::Rows(table) => table.serialize(to),
        }
    }
}

/// A cell that is serialised for CSV.
struct CsvCell<'a>(&'a Cell);

impl Serialize for CsvCell<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            cell @ (Cell::List(_) | Cell::Object(_) | Cell::Rows(_)) => to.serialize_str(&cell.to_text()),
            cell @ Cell::Seconds(seconds) if seconds.is_finite() => to.serialize_str(&cell.to_text()),
            Cell::Share(share) => to.serialize_str(&format_decimal(*share)),
            cell => cell.serialize(to),
        }
    }
}

/// Implements conversions to cells.
macro_rules! impl_from {
    ($($type:ty: $value:ident => $cell:expr,)*) => {$(
        impl From<$type> for Cell {
            fn from($value: $type) -> Self {
                $cell
            }
        }
    )*};
}

impl_from! {
    &str: text => Self::Text(text.to_owned()),
    String: text => Self::Text(text),
    Cow<'_, str>: text => Self::Text(text.into_owned()),
    bool: flag => Self::Flag(flag),
    u32: number => Self::Integer(number.into()),
    u64: number => Self::Integer(number),
    usize: number => Self::Integer(number as u64),
    f64: number => Self::Number(number, 3),
    BigUint: number => Self::BigInteger(number),
    &BigUint: number => Self::BigInteger(number.clone()),
    NamedCells: fields => Self::Object(fields),
    Table: table => Self::Rows(table),
}

impl<T: Into<Self>> FromIterator<T> for Cell {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Empty, Into::into)
    }
}

/// A column: its heading, which is its key in JSON, and the value that all rows share, if they do.
#[derive(Clone, Debug, PartialEq)]
struct Column {
    key: Cow<'static, str>,
    is_left_aligned: bool,
    common: Option<Cell>,
}

/// A table of results.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    columns: Vec<Column>,
    /// The cells of each row, without common ones.
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Creates a table without rows, with these headings.
    #[must_use]
    pub fn new<K: Into<Cow<'static, str>>>(keys: impl IntoIterator<Item = K>) -> Self {
        let column = |(i, key): (usize, K)| Column { key: key.into(), is_left_aligned: i == 0, common: None };
        Self { columns: keys.into_iter().enumerate().map(column).collect(), rows: Vec::new() }
    }

    /// Returns the table with a further column, which is aligned to the left in text.
    #[must_use]
    pub fn with_left_column(mut self, key: &'static str) -> Self {
        self.columns.push(Column { key: key.into(), is_left_aligned: true, common: None });
        self
    }

    /// Returns the table with the cells that all rows share, each with the key of its column. They are
    /// set before the first row is added. A column that the table does not have is added.
    #[must_use]
    pub fn with_common<'a>(mut self, cells: impl IntoIterator<Item = (&'a str, Cell)>) -> Self {
        for (key, cell) in cells {
            match self.columns.iter_mut().find(|column| column.key == key) {
                Some(column) => column.common = Some(cell),
                None => self.columns.push(Column {
                    key: key.to_owned().into(),
                    is_left_aligned: false,
                    common: Some(cell),
                }),
            }
        }
        self
    }

    /// Returns the table with another heading for a column, for text.
    #[must_use]
    pub fn with_heading(mut self, key: &str, heading: &'static str) -> Self {
        self.columns
            .iter_mut()
            .filter(|column| column.key == key)
            .for_each(|column| column.key = heading.into());
        self
    }

    fn own_columns(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| column.common.is_none())
    }

    /// Adds a row: a cell for each column without a common cell.
    pub fn push(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let row: Vec<Cell> = cells.into_iter().collect();
        debug_assert_eq!(row.len(), self.own_columns().count(), "{row:?}");
        self.rows.push(row);
    }

    /// Adds a row by the keys of its columns. Cells that are not given are empty.
    ///
    /// # Panics
    /// The table has no column with one of the keys, or all its cells are common.
    pub fn push_named<'a>(&mut self, cells: impl IntoIterator<Item = (&'a str, Cell)>) {
        let mut row = vec![Cell::Empty; self.own_columns().count()];
        for (key, cell) in cells {
            let place = self.own_columns().position(|column| column.key == key);
            row[place.unwrap_or_else(|| panic!("the table has no column {key}"))] = cell;
        }
        self.rows.push(row);
    }

    /// Returns the number of rows.
    #[must_use]
    pub const fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// Returns the table as text: headings and rows, with aligned columns.
    #[must_use]
    pub fn to_text(&self) -> String {
        let heading: Vec<String> = self.own_columns().map(|column| column.key.to_string()).collect();
        let rows: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(Cell::to_text).collect()).collect();
        let mut widths = ColumnWidths {
            widths: Vec::new(),
            is_left_aligned: self.own_columns().map(|column| column.is_left_aligned).collect(),
        };
        let lines = || std::iter::once(&heading).chain(&rows);
        lines().for_each(|line| widths.widen(line));
        lines().map(|line| widths.format_line(line).trim_end().to_owned() + "\n").collect()
    }

    /// Writes the table as CSV: a line of headings, and a line for each row.
    ///
    /// # Errors
    /// Writing failed.
    pub fn write_csv(&self, mut out: impl Write) -> io::Result<()> {
        self.write_csv_headings(&mut out)?;
        self.write_csv_rows(out)
    }

    /// Writes the line of headings as CSV.
    ///
    /// # Errors
    /// Writing failed.
    pub fn write_csv_headings(&self, out: impl Write) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        let headings = self.columns.iter().map(|column| column.key.as_bytes());
        writer.write_record(headings).map_err(to_io_error)?;
        writer.flush()
    }

    /// Writes the rows as CSV, without headings.
    ///
    /// # Errors
    /// Writing failed.
    pub fn write_csv_rows(&self, out: impl Write) -> io::Result<()> {
        let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(out);
        for row in &self.rows {
            let mut own = row.iter();
            let cells = self
                .columns
                .iter()
                .map(|column| CsvCell(column.common.as_ref().or_else(|| own.next()).unwrap_or(&Cell::Empty)));
            writer.serialize(cells.collect::<Vec<_>>()).map_err(to_io_error)?;
        }
        writer.flush()
    }

    /// Returns an indented JSON object, with a newline at the end: the version of its form, `fields`, and the
    /// rows of the table in the field `key`.
    #[must_use]
    pub fn to_json(
        &self,
        fields: impl IntoIterator<Item = (&'static str, Cell)>,
        key: &'static str,
    ) -> String {
        to_pretty_json(&NamedCells::of_result(fields).with([(key, self.clone().into())]))
    }

    /// Returns the rows as objects that serde serialises, each with a field for each column.
    pub fn json_rows(&self) -> impl Iterator<Item = impl Serialize> {
        self.rows.iter().map(|row| JsonRow { table: self, row })
    }
}

/// Returns the error of the output, whose kind the conversion of the `csv` crate loses.
fn to_io_error(error: csv::Error) -> io::Error {
    if !error.is_io_error() {
        return io::Error::other(error);
    }
    let csv::ErrorKind::Io(error) = error.into_kind() else { unreachable!("the kind was checked") };
    error
}

/// Serialises the rows as a list of objects, each with a field for each column.
impl Serialize for Table {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.json_rows())
    }
}

struct JsonRow<'a> {
    table: &'a Table,
    row: &'a [Cell],
}

impl Serialize for JsonRow<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.table.own_columns().map(|column| &column.key).zip(self.row))
    }
}

/// Cells with the keys of their columns: an object in JSON, and some of the cells of a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedCells(pub Vec<(&'static str, Cell)>);

impl NamedCells {
    /// Creates the fields of the JSON object of a result: the version of its form, and `cells`.
    #[must_use]
    pub fn of_result(cells: impl IntoIterator<Item = (&'static str, Cell)>) -> Self {
        Self(vec![("schema", 1u32.into())]).with(cells)
    }

    /// Returns the cells with further ones after them.
    #[must_use]
    pub fn with(mut self, cells: impl IntoIterator<Item = (&'static str, Cell)>) -> Self {
        self.0.extend(cells);
        self
    }

    /// Returns the cells without those that have no value or an empty text.
    #[must_use]
    pub fn without_empty(mut self) -> Self {
        self.0.retain(|(_, cell)| !matches!(cell, Cell::Empty) && *cell != Cell::Text(String::new()));
        self
    }
}

impl Serialize for NamedCells {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(key, cell)| (key, cell)))
    }
}

/// The column widths of a table that is printed row by row. A column grows when a longer field comes.
#[derive(Clone, Debug, Default)]
pub struct ColumnWidths {
    widths: Vec<usize>,
    /// The alignment of the first columns. By default the first one is aligned to the left, and the
    /// others to the right.
    is_left_aligned: Vec<bool>,
}

impl ColumnWidths {
    /// Creates columns that have at least the given widths, in characters.
    #[must_use]
    pub const fn new(widths: Vec<usize>) -> Self {
        Self { widths, is_left_aligned: Vec::new() }
    }

    fn widen(&mut self, fields: &[String]) {
        self.widths.resize(fields.len().max(self.widths.len()), 0);
        for (width, field) in self.widths.iter_mut().zip(fields) {
            *width = (*width).max(field.len());
        }
    }

    /// Returns a row of the table as text. Every column keeps its greatest width so far.
    pub fn format_line(&mut self, fields: &[String]) -> String {
        self.widen(fields);
        let mut line = String::new();
        for (i, (field, &width)) in fields.iter().zip(&self.widths).enumerate() {
            let gap = if i == 0 { "" } else { "  " };
            line += &match self.is_left_aligned.get(i).copied().unwrap_or(i == 0) {
                true => format!("{gap}{field:<width$}"),
                false => format!("{gap}{field:>width$}"),
            };
        }
        line + "\n"
    }
}

/// Returns a value as indented JSON, with a newline at the end.
///
/// # Panics
/// A map of the value has keys that are no texts.
#[must_use]
pub fn to_pretty_json(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("results can be serialised") + "\n"
}

/// Returns a value as JSON on one line, with a newline at the end.
///
/// # Panics
/// A map of the value has keys that are no texts.
#[must_use]
pub fn to_json_line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("results can be serialised") + "\n"
}

/// Formats a share in per cent with three decimals, or with two significant digits if it would be rounded to
/// 0.
fn format_percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent > 0.0 && percent < 0.0005 { format!("{percent:.1e} %") } else { format!("{percent:.3} %") }
}

/// Formats a share for CSV with nine decimals, or with nine significant digits if it is below
/// 10^-6.
fn format_decimal(share: f64) -> String {
    if share > 0.0 && share < 1e-6 { format!("{share:.8e}") } else { format!("{share:.9}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let keys = ["kind", "tours", "share", "seconds", "attempt"];
        let mut table = Table::new(keys).with_common([("board", "6x6".into())]).with_left_column("bar");
        table.push([
            "closed".into(),
            BigUint::from(9862u32).into(),
            Cell::Share(0.25),
            Cell::Seconds(1.0),
            7u64.into(),
            "##".into(),
        ]);
        table.push_named([("tours", BigUint::from(10u32).pow(30).into()), ("kind", "a, \"b\"".into())]);
        table
    }

    #[test]
    fn to_text_aligns_columns() {
        let number = "1000000000000000000000000000000";
        let text = format!(
            "kind    {:>31}     share  seconds  attempt  bar\n\
             closed  {:>31}  25.000 %    1.000        7  ##\n\
             a, \"b\"  {number}\n",
            "tours", "9862"
        );
        assert_eq!(table().to_text(), text);
    }

    #[test]
    fn csv_has_common_cells_and_json_has_not() {
        let mut csv = Vec::new();
        table().write_csv(&mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        assert_eq!(
            csv,
            "kind,tours,share,seconds,attempt,board,bar\n\
             closed,9862,0.250000000,1.000,7,6x6,##\n\
             \"a, \"\"b\"\"\",1000000000000000000000000000000,,,,6x6,\n"
        );
        assert_eq!(
            to_json_line(&table()),
            "[{\"kind\":\"closed\",\"tours\":\"9862\",\"share\":0.25,\"seconds\":1.0,\"attempt\":7,\"bar\":\"##\"},\
             {\"kind\":\"a, \\\"b\\\"\",\"tours\":\"1000000000000000000000000000000\",\"share\":null,\"seconds\":null,\
             \"attempt\":null,\"bar\":null}]\n"
        );
    }

    #[test]
    fn table_without_rows_has_headings() {
        let mut table = table();
        table.clear();
        let mut csv = Vec::new();
        table.write_csv(&mut csv).unwrap();
        assert_eq!(csv, b"kind,tours,share,seconds,attempt,board,bar\n");
        assert_eq!((to_json_line(&table), table.to_text().lines().count()), ("[]\n".to_owned(), 1));
    }

    #[test]
    fn numbers_have_all_digits_and_lists_have_blanks_in_csv() {
        let mut table = Table::new(["a", "b", "c"]);
        table.push([["1", "2"].into_iter().collect(), Cell::Empty, Cell::List(Vec::new())]);
        assert_eq!(to_json_line(&table), "[{\"a\":[\"1\",\"2\"],\"b\":null,\"c\":[]}]\n");
        table.push([0.000_052.into(), Cell::Number(57.845, 1), 1.0.into()]);
        table.push([f64::INFINITY.into(), Cell::Empty, Cell::Empty]);
        let mut csv = Vec::new();
        table.write_csv_rows(&mut csv).unwrap();
        assert_eq!(String::from_utf8(csv).unwrap(), "1 2,,\n0.000052,57.845,1.0\n,,\n");
        assert_eq!(table.to_text().lines().nth(2).unwrap(), "0.000  57.8  1.000");
    }

    #[test]
    fn format_line_keeps_widths() {
        let mut columns = ColumnWidths::new(vec![0, 8]);
        let mut line = |fields: [&str; 3]| columns.format_line(&fields.map(str::to_owned));
        assert_eq!(line(["board", "closed", "paths"]), "board    closed  paths\n");
        assert_eq!(line(["5x10", "123456789", "7"]), "5x10   123456789      7\n");
        assert_eq!(line(["5x6", "3", "18784"]), "5x6            3  18784\n");
    }

    #[test]
    fn small_shares_are_not_rounded_to_zero() {
        assert_eq!([1.0, 0.021_091, 0.0].map(format_percent), ["100.000 %", "2.109 %", "0.000 %"]);
        assert_eq!(format_percent(8.0 / 13_267_364_410_532.0), "6.0e-11 %");
        assert_eq!([1.0, 0.25, 0.0].map(format_decimal), ["1.000000000", "0.250000000", "0.000000000"]);
        assert_eq!(format_decimal(8.0 / 13_267_364_410_532.0), "6.02983362e-13");
    }
}
