//! Tables with a row for each square, or each move, of a tour.
//!
//! ```text
//! step,square,note        fields between commas, semicolons, tabs or bars; the header names the columns
//! 1,a1,"corner, start"
//! 2,b3,
//!                         a blank line, or a row of empty fields, ends a tour
//! 1,a1,
//! ```
//!
//! The columns of squares, of coordinates (`row` and `col`, `x_pos` and `y_pos`) or of moves (`from` and `to`) are
//! read, in the order of the column `step` if there is one (see `steps`); other columns are reported. Columns
//! that give the squares in another way must agree (see `given_squares`). Blanks separate columns whose names
//! are all known, as pandas and R print them. A column without a name, or `index`, as pandas writes it, must
//! increase from row to row.

use std::collections::VecDeque;

use super::coordinates::{Coordinates, Position};
use super::field_names::{
    COORDINATE_NAMES, INDEX_COLUMN_NAMES, MOVE_NAMES, SQUARE_COLUMN_NAMES, STEP_COLUMN_NAMES,
    find_move_coordinates, find_named_coordinates, holds_steps, split_coordinate_name,
};
use super::given_squares::{SquareRecords, check_given_squares};
use super::names::NameLine;
use super::read_context::CoordinateOrder;
use super::steps::{StepFault, order_records_by_steps};
use super::token::{TABLE_CORNER, TokenKind, decode_line, is_square, lex};
use super::tree_values::{Reading, coordinate, square_position, whole_number};
use crate::text_format::escape_unprintable;
use crate::tour::read_error::{ReadError, ReadErrorKind};

/// Name of the column of the board's text form in results of ktour.
const BOARD_TEXT_COLUMN_NAME: &str = "board_text";

/// The separator of columns that blanks separate, as pandas and R print them. All columns have known names.
const BLANK: char = ' ';

/// The line number and the fields of a row.
type TableRow = (u64, Vec<String>);

/// The positions of the rows of a tour, in order of visits, or the fault of its numbers.
type RowOrder = Result<Vec<usize>, ReadError>;

/// The columns that give the squares: one or both ends of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Contents {
    columns: Vec<usize>,
    /// The order of two coordinates for each square; `None` for names of squares.
    order: Option<CoordinateOrder>,
}

/// The header of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TableHeader {
    contents: Contents,
    separator: char,
    /// Columns that may hold step numbers, the most likely one first.
    step_columns: Vec<usize>,
    index_column: Option<usize>,
    names: Vec<String>,
}

impl TableHeader {
    /// Parses the header of a table: names of several columns, some of them known. `line` is decoded.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let begins = |c: char| c.is_ascii_alphabetic() || matches!(c, '|' | '"' | ',' | ';' | '\t' | '#');
        line.chars().find(|&c| c != ' ').filter(|&c| begins(c))?;
        let separator = line.chars().find(|c| matches!(c, ',' | ';' | '\t' | '|')).unwrap_or(BLANK);
        let written = split_fields(line, separator);
        let mut names: Vec<String> = written.iter().map(|field| field.to_ascii_lowercase()).collect();
        if let [corner, values @ ..] = names.as_mut_slice()
            && corner == TABLE_CORNER
        {
            "index".clone_into(corner);
            if let [values] = values {
                // The elements of a list.
                *values = values.replace("values", "square");
            }
        }
        let is_word = |name: &String| {
            name.split(' ').all(|word| {
                word.chars().next().is_none_or(|c| c.is_ascii_alphabetic())
                    && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
                    && !is_square(word)
            }) || name == "#"
        };
        if names.len() < 2
            || !names.iter().all(is_word)
            || separator == BLANK
                && !names.iter().zip(&written).all(|(name, written)| is_known(name, written))
        {
            return None;
        }
        let find = |wanted: &str| names.iter().position(|name| name == wanted);
        let mut squares = (0..).zip(&names).filter(|(_, name)| is_column_of(name, SQUARE_COLUMN_NAMES));
        let moves = || MOVE_NAMES.iter().find_map(|[a, b]| Some((vec![find(a)?, find(b)?], None)));
        let pairs_of_moves = || find_move_coordinates(find).map(|(ends, order)| (ends.concat(), Some(order)));
        let pair = |([a, b], order): &([&str; 2], _)| Some((vec![find(a)?, find(b)?], Some(*order)));
        // `x_pos,y_pos`, `cols,rows`
        let longer = || find_named_coordinates(&written).map(|(pair, order)| (pair.to_vec(), Some(order)));
        let pairs = || COORDINATE_NAMES.iter().find_map(pair).or_else(longer);
        let (columns, order) = match (squares.next(), squares.next()) {
            (Some((column, _)), None) => (vec![column], None),
            (None, _) => moves().or_else(pairs_of_moves).or_else(pairs)?,
            // `position_x,position_y`
            (Some(_), Some(_)) => longer()?,
        };
        let contents = Contents { columns, order };
        let is_free = |column: &usize| !contents.columns.contains(column);
        let step_columns = STEP_COLUMN_NAMES.iter().filter_map(|name| find(name).filter(is_free)).collect();
        let index = INDEX_COLUMN_NAMES.iter().find_map(|name| find(name).filter(is_free));
        Some(Self { contents, separator, step_columns, index_column: index, names })
    }

    /// Returns the header with a column without a name before all others.
    fn with_index_column(&self) -> Self {
        let mut header = self.clone();
        header.names.insert(0, String::new());
        header.contents.columns.iter_mut().for_each(|column| *column += 1);
        header.step_columns = self.step_columns.iter().map(|column| column + 1).collect();
        header.index_column = Some(0);
        header
    }

    /// Returns true if the table is a result of ktour without the squares of tours, such as that of `check`.
    pub(super) fn is_result_without_tours(&self) -> bool {
        let has = |name: &str| self.names.iter().any(|own| own == name);
        has(BOARD_TEXT_COLUMN_NAME) && !has("squares")
    }

    /// Returns the header as a line.
    pub(super) fn names_line(&self) -> String {
        self.names.join(&self.separator.to_string())
    }

    /// Returns true if a line is not a row but text below the table: it has no separator and does not begin
    /// with a digit.
    pub(super) fn is_text_below(&self, line: &str) -> bool {
        let has_digit = line.trim_start().starts_with(|c: char| c.is_ascii_digit());
        !has_digit && (self.separator == BLANK || !line.contains(self.separator))
    }

    /// Returns true if blanks separate the columns, so that the header may also be text.
    pub(super) const fn may_be_text(&self) -> bool {
        self.separator == BLANK
    }

    /// Returns true if a line is certainly a row: it has as many fields as the header, and a square.
    pub(super) fn is_row(&self, line: &str) -> bool {
        let is_indexed = || self.separator == BLANK && self.with_index_column().has_fields_of_row(line);
        self.has_fields_of_row(line) || is_indexed()
    }

    fn has_fields_of_row(&self, line: &str) -> bool {
        let fields = split_fields(line, self.separator);
        let is_number = |column: usize| whole_number(&fields[column]).is_some();
        fields.len() == self.names.len()
            && self.contents.columns.iter().all(|&column| match self.contents.order {
                Some(_) => coordinate(&fields[column]).is_some(),
                None => is_square(&fields[column]),
            })
            && (self.contents.order.is_none()
                || self.contents.columns.iter().any(|&column| is_number(column)))
            && self.step_columns.first().is_none_or(|&column| is_number(column))
    }

    /// Returns true if a line below a tour may be a row, possibly a damaged one: it has no more fields than the header,
    /// and a square or a number where the header names one.
    pub(super) fn may_be_row(&self, line: &str) -> bool {
        let fields = split_fields(line, self.separator);
        let has_square = |column: usize| {
            let decoded = fields.get(column).map_or("", String::as_str);
            lex(decoded).iter().any(|token| token.kind == TokenKind::Square)
        };
        let has_number = |column: usize| fields.get(column).and_then(|field| whole_number(field)).is_some();
        self.separator != BLANK
            && line.contains(self.separator)
            && count_filled(&fields) <= self.names.len()
            && self.contents.columns.iter().any(|&column| match self.contents.order {
                Some(_) => has_number(column),
                None => has_square(column),
            })
    }

    /// Returns true if all fields of a row are empty, as spreadsheets write a blank line.
    pub(super) fn is_blank_row(&self, line: &str) -> bool {
        split_fields(line, self.separator).iter().all(String::is_empty)
    }

    /// Returns the rows, in order, of one or more tours; each group of rows is a tour or ends where its step
    /// numbers begin again.
    ///
    /// # Errors
    /// A row is not valid. Numbers that give no order are the fault of one tour.
    pub(super) fn read_rows(&self, lines: &[(u64, String)]) -> Result<TableTours, ReadError> {
        let surplus =
            |(_, row): &(u64, String)| split_fields(row, self.separator).len() == self.names.len() + 1;
        if self.separator == BLANK && lines.iter().all(surplus) {
            return self.with_index_column().read_rows(lines);
        }
        let mut rows: Vec<TableRow> = Vec::new();
        for (line, text) in lines {
            let fields = split_fields(text, self.separator);
            let found = count_filled(&fields);
            if found == 0 {
                continue;
            }
            if found > self.names.len() {
                let kind = ReadErrorKind::TooManyFields { found, columns: self.names.len() };
                return Err(ReadError { line: *line, kind });
            }
            rows.push((*line, fields));
        }
        let mut read_columns: Vec<usize> = self.index_column.into_iter().collect();
        let step_column = self.step_columns.iter().copied().find(|&column| self.holds_steps(&rows, column));
        read_columns.extend(step_column);
        if step_column.is_none() {
            self.check_index(&rows)?;
        }
        let (orders, has_steps) = Self::order_rows(&rows, step_column)?;
        let mut rows: Vec<Option<TableRow>> = rows.into_iter().map(Some).collect();
        let mut readings = Vec::new();
        for order in orders {
            let group: Vec<TableRow> = match order {
                Ok(order) => order.into_iter().filter_map(|at| rows[at].take()).collect(),
                Err(error) => {
                    readings.push(Err(error));
                    continue;
                }
            };
            if group.is_empty() && self.contents.order.is_none() {
                continue;
            }
            let records = Rows { header: self, rows: &group };
            let read = match check_given_squares(&records) {
                Ok(names) => names.into_iter().filter_map(|name| self.find(name)).collect(),
                Err(kind) => {
                    readings.push(Err(ReadError { line: group[0].0, kind }));
                    continue;
                }
            };
            read_columns.extend::<Vec<usize>>(read);
            readings.push(self.contents_of(&group));
        }
        let is_unread = |(column, name): &(usize, &String)| {
            !read_columns.contains(column) && !self.contents.columns.contains(column) && !name.is_empty()
        };
        let unread = self.names.iter().enumerate().filter(is_unread).map(|(_, name)| name.clone()).collect();
        Ok(TableTours { readings, unread, has_steps })
    }

    /// Returns the first column with a name.
    fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|own| own == name)
    }

    /// Returns true if a column of a step name holds step numbers.
    fn holds_steps(&self, rows: &[TableRow], column: usize) -> bool {
        let fields = || rows.iter().map(|(_, row)| Self::field(row, Some(column)));
        let is_fraction =
            |field: &str| field.contains('.') && field.parse().is_ok_and(|n: f64| n.fract() != 0.0);
        let values: Vec<Option<u64>> = fields().map(whole_number).collect();
        holds_steps(&self.names[column], &values, fields().any(is_fraction))
    }

    fn field(row: &[String], column: Option<usize>) -> &str {
        column.and_then(|column| row.get(column)).map_or("", String::as_str)
    }

    /// Checks that the index of each row is larger than that of the row above, unless it begins again.
    fn check_index(&self, rows: &[TableRow]) -> Result<(), ReadError> {
        let mut range: Option<(u64, u64)> = None;
        for (line, row) in rows {
            let Some(found) = whole_number(Self::field(row, self.index_column)) else { continue };
            let (first, last) = *range.get_or_insert((found, found));
            range = Some((first, found));
            if found < last && found != first {
                let kind = ReadErrorKind::RowOrder { found, above: last };
                return Err(ReadError { line: *line, kind });
            }
        }
        Ok(())
    }

    /// Returns the positions of the rows of each tour in the order of their steps, and true if the numbers are those of
    /// the squares rather than of the tours.
    fn order_rows(rows: &[TableRow], step_column: Option<usize>) -> Result<(Vec<RowOrder>, bool), ReadError> {
        let field = |at: usize| Self::field(&rows[at].1, step_column);
        let steps: Vec<Option<u64>> = (0..rows.len()).map(|at| whole_number(field(at))).collect();
        let error = |(at, reason): StepFault| {
            let not_a_number = || format!("`{}` is not a number", escape_unprintable(field(at)));
            let reason = if steps[at].is_none() { not_a_number() } else { reason };
            ReadError { line: rows[at].0, kind: ReadErrorKind::StepNumbers(reason) }
        };
        if steps.first().is_some_and(Option::is_none)
            && field(0).contains(|c: char| c.is_ascii_digit())
            && steps.iter().any(Option::is_some)
        {
            return Err(error((0, String::new())));
        }
        let (orders, are_tour_numbers) = order_records_by_steps(&steps, true);
        let orders = orders.into_iter().map(|order| order.map_err(error)).collect();
        Ok((orders, step_column.is_some() && !are_tour_numbers))
    }

    /// Returns the squares or coordinates of a tour's rows.
    fn contents_of(&self, rows: &[TableRow]) -> Result<Reading, ReadError> {
        let required = |line: u64, row: &[String], column: usize| {
            let field = Self::field(row, Some(column)).to_owned();
            let kind = ReadErrorKind::RowWithoutSquare { column: column + 1, columns: self.names.len() };
            if field.is_empty() { Err(ReadError { line, kind }) } else { Ok(field) }
        };
        let fields = |(line, row): &TableRow| -> Result<Vec<String>, ReadError> {
            self.contents.columns.iter().map(|&column| required(*line, row, column)).collect()
        };
        if let Some(order) = self.contents.order {
            let mut pairs = Vec::with_capacity(rows.len());
            for row in rows {
                let number = |field: &String| {
                    let kind = || ReadErrorKind::NotANumber(field.clone());
                    coordinate(field).ok_or_else(|| ReadError { line: row.0, kind: kind() })
                };
                let numbers = fields(row)?.iter().map(number).collect::<Result<Vec<u64>, _>>()?;
                pairs.extend(numbers.chunks_exact(2).map(|pair| (row.0, (pair[0], pair[1]))));
            }
            return Ok(Reading::Coordinates(Coordinates { pairs, order: Some(order) }));
        }
        let name_line = |row: &TableRow| {
            let text = fields(row)?.join(" ");
            Ok((row.0, NameLine::from_tokens(&lex(&decode_line(text.as_bytes())))))
        };
        let names: VecDeque<(u64, NameLine)> = rows.iter().map(name_line).collect::<Result<_, _>>()?;
        Ok(Reading::Names(names))
    }
}

/// The tours of a table.
#[derive(Debug)]
pub(super) struct TableTours {
    pub(super) readings: Vec<Result<Reading, ReadError>>,
    /// Names of the columns that are not read.
    pub(super) unread: Vec<String>,
    /// True if the squares have step numbers.
    pub(super) has_steps: bool,
}

/// Rows as columns of values.
struct Rows<'a> {
    header: &'a TableHeader,
    rows: &'a [TableRow],
}

impl Rows<'_> {
    fn column<T>(&self, column: Option<usize>, parse: impl Fn(&str) -> Option<T>) -> Vec<Option<T>> {
        self.rows.iter().map(|(_, row)| parse(TableHeader::field(row, Some(column?)))).collect()
    }
}

impl SquareRecords for Rows<'_> {
    fn squares(&self, name: &str) -> Vec<Option<Position>> {
        let column = match (self.header.contents.order, self.header.contents.columns.as_slice()) {
            (None, &[column]) if is_column_of(&self.header.names[column], &[name]) => Some(column),
            _ => self.header.find(name).filter(|_| name != "name"),
        };
        self.column(column, |field| {
            let text = decode_line(field.as_bytes());
            let line = NameLine::from_tokens(&lex(&text));
            square_position(line.names.first().filter(|_| line.names.len() == 1)?)
        })
    }

    fn coordinates(&self, name: &str) -> Vec<Option<u64>> {
        let is_other = |column: &usize| {
            !self.header.step_columns.contains(column) && self.header.index_column != Some(*column)
        };
        self.column(self.header.find(name).filter(is_other), coordinate)
    }
}

/// Returns the number of fields up to the last one that is not empty.
fn count_filled(fields: &[String]) -> usize {
    fields.iter().rposition(|field| !field.is_empty()).map_or(0, |last| last + 1)
}

/// Returns true if a column has one of these names, possibly among other words: `current square`.
fn is_column_of(name: &str, known: &[&str]) -> bool {
    let words: Vec<&str> = name.split([' ', '_']).collect();
    known.contains(&name) || words.len() > 1 && words.iter().any(|word| known.contains(word))
}

/// Returns true for a name of a column that is read.
fn is_known(name: &str, written: &str) -> bool {
    [SQUARE_COLUMN_NAMES, STEP_COLUMN_NAMES, &INDEX_COLUMN_NAMES].iter().any(|names| names.contains(&name))
        || COORDINATE_NAMES.iter().any(|(names, _)| names.contains(&name))
        || MOVE_NAMES.iter().any(|names| names.contains(&name))
        || split_coordinate_name(written).is_some()
}

/// Splits a line into fields without surrounding blanks and quotes; a quoted field may contain the separator.
pub(super) fn split_fields(line: &str, separator: char) -> Vec<String> {
    if separator == BLANK {
        return line.split_whitespace().map(str::to_owned).collect();
    }
    let mut is_quoted = false;
    // Bars also enclose the line.
    let line = if separator == '|' { line.trim() } else { line };
    let inside = line.strip_prefix('|').unwrap_or(line);
    let line = if separator == '|' { inside.strip_suffix('|').unwrap_or(inside) } else { line };
    let fields = line.split(move |c: char| {
        is_quoted ^= c == '"';
        c == separator && !is_quoted
    });
    let strip = |field: &str| {
        let field = field.trim();
        let inside = field.strip_prefix('"').and_then(|field| field.strip_suffix('"'));
        inside.unwrap_or(field).trim().to_owned()
    };
    fields.map(strip).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the squares of the rows in order, or the first error.
    fn ordered_squares(head: &str, rows: &[&str]) -> Result<String, ReadErrorKind> {
        let header = TableHeader::parse(head).unwrap_or_else(|| panic!("{head}"));
        let lines: Vec<(u64, String)> =
            (2..).zip(rows).map(|(line, row)| (line, (*row).to_owned())).collect();
        let groups = header.read_rows(&lines).map_err(|error| error.kind)?.readings;
        let groups = groups.into_iter().collect::<Result<Vec<_>, _>>().map_err(|error| error.kind)?;
        let show = |reading: &Reading| match reading {
            Reading::Names(rows) => {
                rows.iter().flat_map(|(_, line)| line.names.clone()).collect::<Vec<_>>().join(" ")
            }
            Reading::Coordinates(found) => {
                let pairs = found.pairs.iter().map(|(_, (a, b))| format!("{a},{b}"));
                format!("{} {}", found.order.unwrap().name(), pairs.collect::<Vec<_>>().join(" "))
            }
            Reading::Rows(_) => panic!("a table has no grid"),
        };
        Ok(groups.iter().map(show).collect::<Vec<_>>().join(" / "))
    }

    #[test]
    fn rows_are_ordered_by_step() {
        for (head, rows) in [
            ("step,square", &["1,a1", "2,b3", "3,c5"][..]),
            ("step,square", &["3,c5", "1,a1", "2,b3"]),
            ("square;Move", &["b3;1", "c5;2.0", "a1;0", ";"]),
            ("n\tcell\tx", &["7\ta1\t", "8\tb3\t4", "9\tc5"]),
            ("move,square", &["start,a1", "1,b3", "2,c5"]),
            ("move,square", &["Na1,a1", "Nb3,b3", "Nc5,c5"]),
            ("no,square", &["7,a1", "7,b3", "7,c5"]),
            (",square,step", &["2,c5,3", "0,a1,1", "1,b3,2"]),
            (",square", &["0,a1", "1,b3", "4,c5"]),
            ("| Step | Current Square |", &["| 1 | a1 |", "| 2 | b3 |", "| 3 | c5 |"]),
            ("note,\"cell\"", &["\"a, b\",a1", ",\"b3\"", "x,c5"]),
            ("  step square", &["0  3   c5", "1  1   a1", "2  2   b3"]),
            ("step square", &["1 a1", "2 b3", "3 c5"]),
        ] {
            assert_eq!(ordered_squares(head, rows).as_deref().ok(), Some("a1 b3 c5"), "{head} {rows:?}");
        }
        let twice = ["1,a1", "2,b3", "3,c5", "1,a1", "2,b3", "3,c5"];
        assert_eq!(ordered_squares("step,square", &twice).unwrap(), "a1 b3 c5 / a1 b3 c5");
        assert_eq!(ordered_squares("n,row,col", &["1,0,2", "0,1,4"]).unwrap(), "row,column 1,4 0,2");
        assert_eq!(ordered_squares("rank,file", &["1,b"]).unwrap(), "x,y 2,1");
        assert_eq!(ordered_squares("from,to", &["a1,b3", "b3,c5"]).unwrap(), "a1 b3 b3 c5");
        for (head, rows, number) in [
            ("step,square", &["1,a1", "2,c5", "2,b3"][..], "2"),
            ("step,square", &["1,a1", "1,c5", "3,b3"], "1"),
            ("step,square", &["1,a1", "4,c5", "2,b3"], "3"),
            ("step,square", &["3,a1", "2,c5", "4,b3"], "2"),
            ("step,square", &["1,a1", "x,c5", "2,b3"], "`x`"),
            ("step,square", &["x,a1", "3,c5", "2,b3"], "`x`"),
        ] {
            let error_kind = ordered_squares(head, rows).unwrap_err();
            assert!(
                matches!(&error_kind, ReadErrorKind::StepNumbers(detail) if detail.contains(number)),
                "{error_kind}\n{number}"
            );
        }
        let fields = ordered_squares("step,square", &["1,a1", "2,c5,d", "3,b3"]).unwrap_err();
        assert!(matches!(fields, ReadErrorKind::TooManyFields { found: 3, columns: 2 }), "{fields}");
        let twice = ["a1,5,1", "b3,3,2", "c5,1,3"];
        assert_eq!(ordered_squares("square,row,col", &twice).unwrap(), "a1 b3 c5");
        let different = ordered_squares("square,x,y", &twice).unwrap_err();
        assert!(matches!(different, ReadErrorKind::DifferentSquares { .. }), "{different}");
        let index = ordered_squares(",square", &["0,a1", "4,c5", "1,b3"]).unwrap_err();
        assert!(matches!(index, ReadErrorKind::RowOrder { found: 1, above: 4 }), "{index}");
        for other in
            ["square", "a tour, square by square 3", "square, 3x4", "a1,b3", "1,4,7", "square,cell", ""]
        {
            assert_eq!(TableHeader::parse(other), None, "{other}");
        }
    }
}
