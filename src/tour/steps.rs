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

use super::fault::{Fault, MAX_LINE, shown};
use super::table;

/// Names of the column of squares.
const SQUARES: [&[u8]; 6] = [b"square", b"cell", b"field", b"position", b"vertex", b"node"];
/// Names of the column of step numbers, most likely names first.
const ORDERS: [&[u8]; 17] = [
    b"step", b"move", b"order", b"visit", b"ply", b"turn", b"number", b"num", b"no", b"nr", b"n", b"#",
    b"count", b"seq", b"time", b"t", b"visited",
];
/// Names of the column with the original numbers of the rows; its values must increase.
const INDEXES: [&[u8]; 6] = [b"", b"index", b"idx", b"i", b"k", b"id"];
/// Names of the two columns of coordinates.
const COORDINATES: [[&[u8]; 2]; 6] =
    [[b"row", b"col"], [b"row", b"column"], [b"rank", b"file"], [b"x", b"y"], [b"i", b"j"], [b"r", b"c"]];
/// Memory of a row without its square, in bytes.
const ROW: usize = 40;

/// Columns of the squares and of the numbers that order them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Steps {
    /// The column of squares, from 0, and the number of columns.
    column: usize,
    columns: usize,
    separator: u8,
    /// The column of step numbers.
    order: Option<usize>,
    /// The column that must increase.
    index: Option<usize>,
}

/// Contents of a table, by its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// Squares by name.
    Squares(Steps),
    /// Two numbers for each square.
    Coordinates,
}

impl Head {
    /// Parses the header of a table: names of several columns, some of them known. Blanks at the start count
    /// if tabs separate the columns.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let begins = |b: &&u8| b.is_ascii_alphabetic() || matches!(b, b'|' | b'"' | b',' | b';' | b'\t');
        line.iter().find(|&&b| b != b' ').filter(begins)?;
        // The files of a board may be `i` and `j`.
        if table::files(line).is_some() {
            return None;
        }
        let separator = *line.iter().find(|b| matches!(b, b',' | b';' | b'\t' | b'|'))?;
        let names: Vec<Vec<u8>> =
            fields(line, separator).map(|field| bare(field).to_ascii_lowercase()).collect();
        let is_word = |name: &Vec<u8>| {
            name.first().is_none_or(u8::is_ascii_alphabetic)
                && name.iter().all(|&b| b.is_ascii_alphanumeric() || b == b'_')
        };
        if !names.iter().all(|name| is_word(name) || name == b"#") {
            return None;
        }
        let find = |wanted: &[u8]| names.iter().position(|name| name == wanted);
        let has = |name: &[u8]| find(name).is_some();
        let mut squares = (0..).zip(&names).filter(|(_, name)| SQUARES.contains(&name.as_slice()));
        match (squares.next(), squares.next()) {
            (Some((column, _)), None) if names.len() > 1 => Some(Self::Squares(Steps {
                column,
                columns: names.len(),
                separator,
                order: ORDERS.iter().find_map(|name| find(name)),
                index: INDEXES.iter().find_map(|name| find(name)),
            })),
            (None, _) if COORDINATES.iter().any(|pair| pair.iter().all(|name| has(name))) => {
                Some(Self::Coordinates)
            }
            _ => None,
        }
    }
}

impl Steps {
    /// Returns the square of a row, and its step and index fields; `None` if all fields are empty.
    fn square(self, row: &[u8]) -> Result<Option<[&[u8]; 3]>, Fault> {
        let fields: Vec<&[u8]> = fields(row, self.separator).map(bare).collect();
        if fields.iter().all(|field| field.is_empty()) {
            return Ok(None);
        }
        let found = fields.iter().rposition(|field| !field.is_empty()).map_or(0, |last| last + 1);
        if found > self.columns {
            return Err(Fault::Fields { found, columns: self.columns });
        }
        let field =
            |column: Option<usize>| column.and_then(|column| fields.get(column)).copied().unwrap_or_default();
        let square = field(Some(self.column));
        if square.is_empty() {
            return Err(Fault::NoSquare { column: self.column + 1, columns: self.columns });
        }
        Ok(Some([square, field(self.order), field(self.index)]))
    }
}

/// Rows of a table that belong together: up to the row in which the numbers restart, or all.
#[derive(Debug)]
pub(super) struct Rows {
    steps: Steps,
    /// The squares, concatenated.
    squares: Vec<u8>,
    rows: Vec<Row>,
    /// First and last step number.
    numbers: Option<(u64, u64)>,
    /// Largest step number.
    most: u64,
    /// True if each step number follows the previous one.
    counts: bool,
    /// The step number of all rows so far, if they share one: possibly the number of a tour.
    constant: Option<u64>,
    /// First and last number of the column that must increase.
    index: Option<(u64, u64)>,
}

/// A row: its step number, its line, and the end of its square in the concatenated squares.
#[derive(Clone, Copy, Debug)]
struct Row {
    step: Option<u64>,
    line: u64,
    end: usize,
}

/// Line and square of a row.
pub(super) type Found = (u64, Vec<u8>);

/// Result of adding a row.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Added {
    /// The row was added.
    Here,
    /// The row was added, and the group of rows ends: without step numbers each row is a group.
    Alone,
    /// The row begins the next group and was not added.
    Elsewhere,
}

impl Rows {
    pub(super) fn new(steps: Steps) -> Self {
        let (squares, rows) = (Vec::new(), Vec::new());
        Self { steps, squares, rows, numbers: None, most: 0, counts: true, constant: None, index: None }
    }

    /// Returns true if a line is not a row but text below the table: it has no separator and does not begin
    /// with a digit.
    pub(super) fn is_below(&self, line: &[u8]) -> bool {
        let has_digit = line.trim_ascii().first().is_some_and(u8::is_ascii_digit);
        fields(line, self.steps.separator).nth(1).is_none() && !has_digit
    }

    /// Adds a row, unless its step number restarts.
    pub(super) fn add(&mut self, row: &[u8], line: u64) -> Result<Added, Fault> {
        let Some([square, step, index]) = self.steps.square(row)? else { return Ok(Added::Here) };
        if self.steps.order.is_none() {
            self.grows(index)?;
        } else if let Some(constant) = self.constant {
            return self.add_constant(constant, square, number(step), line);
        } else if self.rows.len() == 1 && self.numbers.is_some_and(|(first, _)| number(step) == Some(first)) {
            self.constant = number(step);
        } else if self.rows.len() == 1 && self.numbers.is_none() && number(step).is_none() {
            // The column does not hold numbers.
            self.steps.order = None;
        } else if let Some(step) = number(step) {
            match self.numbers {
                None => self.numbers = Some((step, step)),
                Some((_, last)) if self.counts && last.checked_add(1) == Some(step) => {
                    self.numbers = self.numbers.map(|(first, _)| (first, step));
                }
                Some((first, last)) if self.counts && step == first && first < 2 && last > first + 1 => {
                    return Ok(Added::Elsewhere);
                }
                Some(_) => self.counts = false,
            }
        } else if !self.rows.is_empty() {
            return Err(Fault::Steps(format!("`{}` is not a number", shown(step))));
        }
        self.push(square, number(step).filter(|_| self.steps.order.is_some()), line)?;
        if !self.counts && self.rows.len() as u64 > self.most + 1 {
            // One of the numbers must be repeated, independent of later rows.
            self.take().map_err(|(_, fault)| fault)?;
        }
        let tells_order = self.steps.order.is_some() && self.constant.is_none();
        Ok(if tells_order { Added::Here } else { Added::Alone })
    }

    /// Adds a row below rows that share one number, which gives no order. The next number begins the next
    /// tour.
    fn add_constant(
        &mut self,
        constant: u64,
        square: &[u8],
        found: Option<u64>,
        line: u64,
    ) -> Result<Added, Fault> {
        match found {
            Some(found) if found == constant => self.push(square, None, line).map(|()| Added::Alone),
            Some(found) if found == constant + 1 => {
                self.constant = None;
                Ok(Added::Elsewhere)
            }
            _ => Err(Fault::Steps(format!("{constant} occurs more than once"))),
        }
    }

    fn push(&mut self, square: &[u8], step: Option<u64>, line: u64) -> Result<(), Fault> {
        self.squares.extend_from_slice(square);
        self.most = self.most.max(step.unwrap_or(0));
        self.rows.push(Row { step, line, end: self.squares.len() });
        if self.squares.len() + ROW * self.rows.len() > MAX_LINE {
            return Err(Fault::TooLong);
        }
        Ok(())
    }

    /// Checks that the index of a row is larger than that of the row above.
    fn grows(&mut self, field: &[u8]) -> Result<(), Fault> {
        let Some(found) = number(field) else { return Ok(()) };
        let (first, last) = *self.index.get_or_insert((found, found));
        self.index = Some((first, found));
        if found > last || found == first {
            return Ok(());
        }
        Err(Fault::Index { found, above: last })
    }

    /// Returns the added rows in order, each with its line, and empties the table for more rows.
    pub(super) fn take(&mut self) -> Result<Vec<Found>, (u64, Fault)> {
        let (squares, mut rows) = (std::mem::take(&mut self.squares), std::mem::take(&mut self.rows));
        let starts = std::iter::once(0).chain(rows.iter().map(|row| row.end));
        let starts: Vec<usize> = starts.take(rows.len()).collect();
        let mut order: Vec<usize> = (0..rows.len()).collect();
        if !std::mem::replace(&mut self.counts, true) {
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
                    return Err((rows[row].line, Fault::Steps(wrong)));
                }
            }
        }
        (self.numbers, self.most) = (None, 0);
        let taken = order.into_iter().map(|row| {
            let Row { line, end, .. } = rows[row];
            (line, squares[starts[row]..end].to_vec())
        });
        let taken = taken.collect();
        rows.clear();
        Ok(taken)
    }
}

/// Parses a field that is a whole number, such as `7`, `7.` or `7.0`.
fn number(field: &[u8]) -> Option<u64> {
    let digits = field.iter().take_while(|b| b.is_ascii_digit()).count();
    let is_whole = matches!(&field[digits..], b"" | b"." | b".0" | b")" | b":");
    if !is_whole || !(1..=18).contains(&digits) {
        return None;
    }
    std::str::from_utf8(&field[..digits]).ok()?.parse().ok()
}

/// Splits a line into fields; a quoted field may contain the separator.
fn fields(line: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
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
fn bare(field: &[u8]) -> &[u8] {
    let field = field.trim_ascii();
    field.strip_prefix(b"\"").and_then(|field| field.strip_suffix(b"\"")).unwrap_or(field).trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_column_has_the_squares() {
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
            let Some(Head::Squares(steps)) = Head::read(head.as_bytes()) else { panic!("{head}") };
            assert_eq!(steps.square(row.as_bytes()).unwrap().unwrap()[0], b"a1");
            assert_eq!(steps.square(b"").unwrap(), None);
        }
        for head in ["n,row,col,comment", "x,y", "step;rank;file"] {
            assert_eq!(Head::read(head.as_bytes()), Some(Head::Coordinates), "{head}");
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
            assert_eq!(Head::read(other.as_bytes()), None, "{other}");
        }
    }

    /// Returns the squares of the rows in order, or the first error.
    fn ordered(head: &str, rows: &[&str]) -> Result<String, Fault> {
        let Some(Head::Squares(steps)) = Head::read(head.as_bytes()) else { panic!("{head}") };
        let (mut all, mut found) = (Rows::new(steps), Vec::new());
        for (line, row) in (2..).zip(rows) {
            while all.add(row.as_bytes(), line)? == Added::Elsewhere {
                found.extend(all.take().map_err(|(_, fault)| fault)?);
            }
        }
        found.extend(all.take().map_err(|(_, fault)| fault)?);
        let squares = found.into_iter().map(|(_, square)| String::from_utf8(square).unwrap());
        Ok(squares.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn rows_come_in_the_order_of_their_steps() {
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
            assert_eq!(ordered(head, rows).as_deref().ok(), Some("a1 b3 c5"), "{head} {rows:?}");
        }
        let twice = ["1,a1", "2,b3", "3,c5", "1,a1", "2,b3", "3,c5"];
        assert_eq!(ordered("step,square", &twice).unwrap(), "a1 b3 c5 a1 b3 c5");
        for (head, rows, number) in [
            ("step,square", &["1,a1", "2,c5", "2,b3"][..], "2"),
            ("step,square", &["1,a1", "1,c5", "3,b3"], "1"),
            ("step,square", &["1,a1", "4,c5", "2,b3"], "3"),
            ("step,square", &["3,a1", "2,c5", "4,b3"], "2"),
            ("step,square", &["1,a1", "x,c5", "2,b3"], "`x`"),
            ("step,square", &["x,a1", "3,c5", "2,b3"], "first row"),
        ] {
            let fault = ordered(head, rows).unwrap_err();
            assert!(matches!(&fault, Fault::Steps(detail) if detail.contains(number)), "{fault}\n{number}");
        }
        let fields = ordered("step,square", &["1,a1", "2,c5,d", "3,b3"]).unwrap_err();
        assert!(matches!(fields, Fault::Fields { found: 3, columns: 2 }), "{fields}");
        let index = ordered(",square", &["0,a1", "4,c5", "1,b3"]).unwrap_err();
        assert!(matches!(index, Fault::Index { found: 1, above: 4 }), "{index}");
    }
}
