//! Tables with a row for each square of a tour, in one of several columns.
//!
//! ```text
//! step,square,note        fields between commas, semicolons, tabs or bars; the column `square` is read, in the order
//! 1,a1,"corner, start"    of the column `step` if there is one, down to the next blank line; other columns are ignored
//! 2,b3,
//! ```
//!
//! Consecutive step numbers leave the order of the rows unchanged. Step numbers that are 0 to n-1 or 1 to n
//! in another order sort the rows; any others are rejected. A column without a name, or `index`, as pandas
//! writes it, must increase from row to row.

use super::grid_table;
use crate::tour::read_error::{MAX_LINE_BYTES, ReadErrorKind, printable_excerpt};

/// Names of the column of squares.
const SQUARE_COLUMN_NAMES: [&[u8]; 6] = [b"square", b"cell", b"field", b"position", b"vertex", b"node"];
/// Names of the column of step numbers, most likely names first.
const STEP_COLUMN_NAMES: [&[u8]; 17] = [
    b"step", b"move", b"order", b"visit", b"ply", b"turn", b"number", b"num", b"no", b"nr", b"n", b"#",
    b"count", b"seq", b"time", b"t", b"visited",
];
/// Names of the column with the original numbers of the rows; its values must increase.
const INDEX_COLUMN_NAMES: [&[u8]; 6] = [b"", b"index", b"idx", b"i", b"k", b"id"];
/// Names of the two columns of coordinates.
const COORDINATE_COLUMN_NAMES: [[&[u8]; 2]; 6] =
    [[b"row", b"col"], [b"row", b"column"], [b"rank", b"file"], [b"x", b"y"], [b"i", b"j"], [b"r", b"c"]];
/// Memory of a row without its square, in bytes.
const ROW_OVERHEAD_BYTES: usize = 40;

/// Columns of the squares and of the numbers that order them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tour) struct StepColumns {
    /// The column of squares, from 0, and the number of columns.
    square_column: usize,
    column_count: usize,
    separator: u8,
    /// The column of step numbers.
    step_column: Option<usize>,
    /// The column that must increase.
    index_column: Option<usize>,
}

/// Contents of a table, by its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tour) enum TableHeader {
    /// Squares by name.
    Squares(StepColumns),
    /// Two numbers for each square.
    Coordinates,
}

impl TableHeader {
    /// Parses the header of a table: names of several columns, some of them known. Blanks at the start count
    /// if tabs separate the columns.
    pub(in crate::tour) fn parse(line: &[u8]) -> Option<Self> {
        let begins = |b: &&u8| b.is_ascii_alphabetic() || matches!(b, b'|' | b'"' | b',' | b';' | b'\t');
        line.iter().find(|&&b| b != b' ').filter(begins)?;
        // The files of a board may be `i` and `j`.
        if grid_table::parse_file_letters(line).is_some() {
            return None;
        }
        let separator = *line.iter().find(|b| matches!(b, b',' | b';' | b'\t' | b'|'))?;
        let names: Vec<Vec<u8>> =
            split_fields(line, separator).map(|field| strip_quotes(field).to_ascii_lowercase()).collect();
        let is_word = |name: &Vec<u8>| {
            name.first().is_none_or(u8::is_ascii_alphabetic)
                && name.iter().all(|&b| b.is_ascii_alphanumeric() || b == b'_')
        };
        if !names.iter().all(|name| is_word(name) || name == b"#") {
            return None;
        }
        let find = |column_name: &[u8]| names.iter().position(|name| name == column_name);
        let has = |name: &[u8]| find(name).is_some();
        let mut squares =
            (0..).zip(&names).filter(|(_, name)| SQUARE_COLUMN_NAMES.contains(&name.as_slice()));
        match (squares.next(), squares.next()) {
            (Some((column, _)), None) if names.len() > 1 => Some(Self::Squares(StepColumns {
                square_column: column,
                column_count: names.len(),
                separator,
                step_column: STEP_COLUMN_NAMES.iter().find_map(|name| find(name)),
                index_column: INDEX_COLUMN_NAMES.iter().find_map(|name| find(name)),
            })),
            (None, _) if COORDINATE_COLUMN_NAMES.iter().any(|pair| pair.iter().all(|name| has(name))) => {
                Some(Self::Coordinates)
            }
            _ => None,
        }
    }
}

impl StepColumns {
    /// Returns the square of a row, and its step and index fields; `None` if all fields are empty.
    fn parse_row(self, row: &[u8]) -> Result<Option<[&[u8]; 3]>, ReadErrorKind> {
        let fields: Vec<&[u8]> = split_fields(row, self.separator).map(strip_quotes).collect();
        if fields.iter().all(|field| field.is_empty()) {
            return Ok(None);
        }
        let found = fields.iter().rposition(|field| !field.is_empty()).map_or(0, |last| last + 1);
        if found > self.column_count {
            return Err(ReadErrorKind::TooManyFields { found, columns: self.column_count });
        }
        let field =
            |column: Option<usize>| column.and_then(|column| fields.get(column)).copied().unwrap_or_default();
        let square = field(Some(self.square_column));
        if square.is_empty() {
            return Err(ReadErrorKind::RowWithoutSquare {
                column: self.square_column + 1,
                columns: self.column_count,
            });
        }
        Ok(Some([square, field(self.step_column), field(self.index_column)]))
    }
}

/// Rows of a table that belong together: up to the row in which the numbers restart, or all.
#[derive(Debug)]
pub(in crate::tour) struct StepTable {
    columns: StepColumns,
    /// The squares, concatenated.
    squares: Vec<u8>,
    rows: Vec<StepRow>,
    /// First and last step number.
    number_range: Option<(u64, u64)>,
    /// Largest step number.
    max_number: u64,
    /// True if each step number follows the previous one.
    is_consecutive: bool,
    /// The step number of all rows so far, if they share one: possibly the number of a tour.
    shared_number: Option<u64>,
    /// First and last number of the column that must increase.
    index_range: Option<(u64, u64)>,
}

/// A row: its step number, its line, and the end of its square in the concatenated squares.
#[derive(Clone, Copy, Debug)]
struct StepRow {
    step: Option<u64>,
    line: u64,
    square_end: usize,
}

/// Line and square of a row.
pub(in crate::tour) type LocatedSquare = (u64, Vec<u8>);

/// Result of adding a row.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::tour) enum AddedRow {
    /// The row was added.
    Added,
    /// The row was added, and the group of rows ends: without step numbers each row is a group.
    EndsGroup,
    /// The row begins the next group and was not added.
    BeginsNext,
}

impl StepTable {
    pub(in crate::tour) fn new(steps: StepColumns) -> Self {
        let (squares, rows) = (Vec::new(), Vec::new());
        Self {
            columns: steps,
            squares,
            rows,
            number_range: None,
            max_number: 0,
            is_consecutive: true,
            shared_number: None,
            index_range: None,
        }
    }

    /// Returns true if a line is not a row but text below the table: it has no separator and does not begin
    /// with a digit.
    pub(in crate::tour) fn is_text_below(&self, line: &[u8]) -> bool {
        let has_digit = line.trim_ascii().first().is_some_and(u8::is_ascii_digit);
        split_fields(line, self.columns.separator).nth(1).is_none() && !has_digit
    }

    /// Adds a row, unless its step number restarts.
    pub(in crate::tour) fn add_row(&mut self, row: &[u8], line: u64) -> Result<AddedRow, ReadErrorKind> {
        let Some([square, step, index]) = self.columns.parse_row(row)? else { return Ok(AddedRow::Added) };
        if self.columns.step_column.is_none() {
            self.check_index(index)?;
        } else if let Some(constant) = self.shared_number {
            return self.add_shared(constant, square, parse_whole_number(step), line);
        } else if self.rows.len() == 1
            && self.number_range.is_some_and(|(first, _)| parse_whole_number(step) == Some(first))
        {
            self.shared_number = parse_whole_number(step);
        } else if self.rows.len() == 1 && self.number_range.is_none() && parse_whole_number(step).is_none() {
            // The column does not hold numbers.
            self.columns.step_column = None;
        } else if let Some(step) = parse_whole_number(step) {
            match self.number_range {
                None => self.number_range = Some((step, step)),
                Some((_, last)) if self.is_consecutive && last.checked_add(1) == Some(step) => {
                    self.number_range = self.number_range.map(|(first, _)| (first, step));
                }
                Some((first, last))
                    if self.is_consecutive && step == first && first < 2 && last > first + 1 =>
                {
                    return Ok(AddedRow::BeginsNext);
                }
                Some(_) => self.is_consecutive = false,
            }
        } else if !self.rows.is_empty() {
            return Err(ReadErrorKind::StepNumbers(format!("`{}` is not a number", printable_excerpt(step))));
        }
        self.push_row(square, parse_whole_number(step).filter(|_| self.columns.step_column.is_some()), line)?;
        if !self.is_consecutive && self.rows.len() as u64 > self.max_number + 1 {
            // One of the numbers must be repeated, independent of later rows.
            self.take_ordered().map_err(|(_, error_kind)| error_kind)?;
        }
        let tells_order = self.columns.step_column.is_some() && self.shared_number.is_none();
        Ok(if tells_order { AddedRow::Added } else { AddedRow::EndsGroup })
    }

    /// Adds a row below rows that share one number, which gives no order. The next number begins the next
    /// tour.
    fn add_shared(
        &mut self,
        constant: u64,
        square: &[u8],
        found: Option<u64>,
        line: u64,
    ) -> Result<AddedRow, ReadErrorKind> {
        match found {
            Some(found) if found == constant => {
                self.push_row(square, None, line).map(|()| AddedRow::EndsGroup)
            }
            Some(found) if found == constant + 1 => {
                self.shared_number = None;
                Ok(AddedRow::BeginsNext)
            }
            _ => Err(ReadErrorKind::StepNumbers(format!("{constant} occurs more than once"))),
        }
    }

    fn push_row(&mut self, square: &[u8], step: Option<u64>, line: u64) -> Result<(), ReadErrorKind> {
        self.squares.extend_from_slice(square);
        self.max_number = self.max_number.max(step.unwrap_or(0));
        self.rows.push(StepRow { step, line, square_end: self.squares.len() });
        if self.squares.len() + ROW_OVERHEAD_BYTES * self.rows.len() > MAX_LINE_BYTES {
            return Err(ReadErrorKind::LineTooLong);
        }
        Ok(())
    }

    /// Checks that the index of a row is larger than that of the row above.
    fn check_index(&mut self, field: &[u8]) -> Result<(), ReadErrorKind> {
        let Some(found) = parse_whole_number(field) else { return Ok(()) };
        let (first, last) = *self.index_range.get_or_insert((found, found));
        self.index_range = Some((first, found));
        if found > last || found == first {
            return Ok(());
        }
        Err(ReadErrorKind::RowOrder { found, above: last })
    }

    /// Returns the added rows in order, each with its line, and empties the table for more rows.
    pub(in crate::tour) fn take_ordered(&mut self) -> Result<Vec<LocatedSquare>, (u64, ReadErrorKind)> {
        let (squares, mut rows) = (std::mem::take(&mut self.squares), std::mem::take(&mut self.rows));
        let starts = std::iter::once(0).chain(rows.iter().map(|row| row.square_end));
        let starts: Vec<usize> = starts.take(rows.len()).collect();
        let mut order: Vec<usize> = (0..rows.len()).collect();
        if !std::mem::replace(&mut self.is_consecutive, true) {
            order.sort_by_key(|&row| rows[row].step);
            let first = rows[order[0]].step;
            for (place, &row) in (0..).zip(&order) {
                let expected = first.filter(|&first| first < 2).map(|first| first + place);
                if expected.is_none() || rows[row].step != expected {
                    let wrong = match (place, rows[row].step) {
                        (0, Some(first)) => format!("the smallest is {first}"),
                        (0, None) => "the first row has no number".to_owned(),
                        (_, Some(step)) if Some(step + 1) == expected => format!("{step} occurs twice"),
                        (_, _) => format!("{} is missing", first.unwrap_or(0) + place),
                    };
                    return Err((rows[row].line, ReadErrorKind::StepNumbers(wrong)));
                }
            }
        }
        (self.number_range, self.max_number) = (None, 0);
        let taken = order.into_iter().map(|row| {
            let StepRow { line, square_end: end, .. } = rows[row];
            (line, squares[starts[row]..end].to_vec())
        });
        let taken = taken.collect();
        rows.clear();
        Ok(taken)
    }
}

/// Parses a field that is a whole number, such as `7`, `7.` or `7.0`.
fn parse_whole_number(field: &[u8]) -> Option<u64> {
    let digits = field.iter().take_while(|b| b.is_ascii_digit()).count();
    let is_whole = matches!(&field[digits..], b"" | b"." | b".0" | b")" | b":");
    if !is_whole || !(1..=18).contains(&digits) {
        return None;
    }
    std::str::from_utf8(&field[..digits]).ok()?.parse().ok()
}

/// Splits a line into fields; a quoted field may contain the separator.
fn split_fields(line: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let mut is_quoted = false;
    // Bars also enclose the line.
    let line = if separator == b'|' { line.trim_ascii() } else { line };
    let inside = line.strip_prefix(b"|").unwrap_or(line);
    let line = if separator == b'|' { inside.strip_suffix(b"|").unwrap_or(inside) } else { line };
    line.split(move |&b| {
        is_quoted ^= b == b'"';
        b == separator && !is_quoted
    })
}

/// Returns a field without surrounding blanks and quotes.
fn strip_quotes(field: &[u8]) -> &[u8] {
    let field = field.trim_ascii();
    field.strip_prefix(b"\"").and_then(|field| field.strip_suffix(b"\"")).unwrap_or(field).trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_header_finds_square_column() {
        for (head, row) in [
            ("step,square,note", "1,a1,start"),
            ("n;Square", "1;a1"),
            ("square,row,col", "a1,0,0"),
            ("note,\"cell\"", "\"a, b\", \"a1\""),
            ("step\tposition", "7\ta1"),
            ("| step | square |", "| 7 | a1 |"),
            ("step | square", "7 | a1"),
            (",node,note", "0,a1,x"),
            ("\tvertex", "0\ta1"),
        ] {
            let Some(TableHeader::Squares(steps)) = TableHeader::parse(head.as_bytes()) else {
                panic!("{head}")
            };
            assert_eq!(steps.parse_row(row.as_bytes()).unwrap().unwrap()[0], b"a1");
            assert_eq!(steps.parse_row(b"").unwrap(), None);
        }
        for head in ["n,row,col,comment", "x,y", "step;rank;file"] {
            assert_eq!(TableHeader::parse(head.as_bytes()), Some(TableHeader::Coordinates), "{head}");
        }
        for other in [
            "square",
            "a tour, square by square",
            "square, 3x4",
            "kind,squares",
            "a1,b3",
            "1,4,7",
            "square,cell",
            "",
        ] {
            assert_eq!(TableHeader::parse(other.as_bytes()), None, "{other}");
        }
    }

    /// Returns the squares of the rows in order, or the first error.
    fn ordered_squares(head: &str, rows: &[&str]) -> Result<String, ReadErrorKind> {
        let Some(TableHeader::Squares(steps)) = TableHeader::parse(head.as_bytes()) else { panic!("{head}") };
        let (mut all, mut found) = (StepTable::new(steps), Vec::new());
        for (line, row) in (2..).zip(rows) {
            while all.add_row(row.as_bytes(), line)? == AddedRow::BeginsNext {
                found.extend(all.take_ordered().map_err(|(_, error_kind)| error_kind)?);
            }
        }
        found.extend(all.take_ordered().map_err(|(_, error_kind)| error_kind)?);
        let squares = found.into_iter().map(|(_, square)| String::from_utf8(square).unwrap());
        Ok(squares.collect::<Vec<_>>().join(" "))
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
        ] {
            assert_eq!(ordered_squares(head, rows).as_deref().ok(), Some("a1 b3 c5"), "{head} {rows:?}");
        }
        let twice = ["1,a1", "2,b3", "3,c5", "1,a1", "2,b3", "3,c5"];
        assert_eq!(ordered_squares("step,square", &twice).unwrap(), "a1 b3 c5 a1 b3 c5");
        for (head, rows, number) in [
            ("step,square", &["1,a1", "2,c5", "2,b3"][..], "2"),
            ("step,square", &["1,a1", "1,c5", "3,b3"], "1"),
            ("step,square", &["1,a1", "4,c5", "2,b3"], "3"),
            ("step,square", &["3,a1", "2,c5", "4,b3"], "2"),
            ("step,square", &["1,a1", "x,c5", "2,b3"], "`x`"),
            ("step,square", &["x,a1", "3,c5", "2,b3"], "first row"),
        ] {
            let error_kind = ordered_squares(head, rows).unwrap_err();
            assert!(
                matches!(&error_kind, ReadErrorKind::StepNumbers(detail) if detail.contains(number)),
                "{error_kind}\n{number}"
            );
        }
        let fields = ordered_squares("step,square", &["1,a1", "2,c5,d", "3,b3"]).unwrap_err();
        assert!(matches!(fields, ReadErrorKind::TooManyFields { found: 3, columns: 2 }), "{fields}");
        let index = ordered_squares(",square", &["0,a1", "4,c5", "1,b3"]).unwrap_err();
        assert!(matches!(index, ReadErrorKind::RowOrder { found: 1, above: 4 }), "{index}");
    }
}
