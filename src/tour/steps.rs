//! Tables with a row for each square of a tour, in one of several columns.
//!
//! ```text
//! step,square,note        fields between commas, semicolons, tabs or bars; the column `square` is read,
//! 1,a1,"corner, start"    what stands beside it is passed over, down to the next blank line
//! ```

use super::fault::Fault;

/// What the column of squares may be called.
const SQUARES: [&[u8]; 4] = [b"square", b"cell", b"field", b"position"];
/// What two columns with coordinates may be called.
const COORDINATES: [[&[u8]; 2]; 6] =
    [[b"row", b"col"], [b"row", b"column"], [b"rank", b"file"], [b"x", b"y"], [b"i", b"j"], [b"r", b"c"]];

/// Where the squares are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Steps {
    /// The column, from 0, of so many.
    column: usize,
    columns: usize,
    separator: u8,
}

/// What the head of a table tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// Squares by name.
    Squares(Steps),
    /// Two numbers for each square.
    Coordinates,
}

impl Head {
    /// Reads a line, if it is nothing but names of several columns, some of which are known.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        line.first().filter(|b| b.is_ascii_alphabetic() || matches!(b, b'|' | b'"'))?;
        let separator = *line.iter().find(|b| matches!(b, b',' | b';' | b'\t' | b'|'))?;
        let names: Vec<Vec<u8>> =
            fields(line, separator).map(|field| bare(field).to_ascii_lowercase()).collect();
        let is_word = |name: &Vec<u8>| {
            name.first().is_some_and(u8::is_ascii_alphabetic)
                && name.iter().all(|&b| b.is_ascii_alphanumeric() || b == b'_')
        };
        if !names.iter().all(is_word) {
            return None;
        }
        let has = |name: &[u8]| names.iter().any(|other| other == name);
        let mut squares = (0..).zip(&names).filter(|(_, name)| SQUARES.contains(&name.as_slice()));
        match (squares.next(), squares.next()) {
            (Some((column, _)), None) => {
                Some(Self::Squares(Steps { column, columns: names.len(), separator }))
            }
            (None, _) if COORDINATES.iter().any(|pair| pair.iter().all(|name| has(name))) => {
                Some(Self::Coordinates)
            }
            _ => None,
        }
    }
}

impl Steps {
    /// The square of a row.
    pub(super) fn square(self, row: &[u8]) -> Result<&[u8], Fault> {
        let found = fields(row, self.separator).nth(self.column).map(bare).filter(|field| !field.is_empty());
        found.ok_or(Fault::NoSquare { column: self.column + 1, columns: self.columns })
    }
}

/// The fields of a line; what separates them may be in quotes.
fn fields(line: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let mut is_quoted = false;
    // Bars are at the ends as well.
    let line = if separator == b'|' { line.trim_ascii() } else { line };
    let inside = line.strip_prefix(b"|").unwrap_or(line);
    let line = if separator == b'|' { inside.strip_suffix(b"|").unwrap_or(inside) } else { line };
    line.split(move |&b| {
        is_quoted ^= b == b'"';
        b == separator && !is_quoted
    })
}

/// A field without blanks and quotes around.
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
        ] {
            let Some(Head::Squares(steps)) = Head::read(head.as_bytes()) else { panic!("{head}") };
            assert_eq!(steps.square(row.as_bytes()).unwrap(), b"a1");
            assert!(matches!(steps.square(b""), Err(Fault::NoSquare { .. })));
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
}
