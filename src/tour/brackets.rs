//! Tours in brackets: arrays as JSON, Python and numpy print them.
//!
//! ```text
//! [[1, 4, 7, 10],            a grid, over any number of lines; also a list of grids
//!  [12, 9, 2, 5],
//!  [3, 6, 11, 8]]
//! ["a3", "c2", "a1", ...]    squares by name; also a list of such lists
//! {{1, 4, 7, 10}, ...        braces for brackets, and parentheses inside, as of tuples
//! tour = [[1, 4, 7, 10], ... a name before
//! array([[1, 4, 7, 10], ...  as numpy has it
//! [1, 4, 7, 10],             rows without brackets around, down to what is no row
//! [12, 9, 2, 5],
//! ```
//!
//! The innermost brackets are rows or lines of squares. `null`, `None`, `-1` and `""` are
//! removed squares.

use super::fault::{Fault, MAX_LINE};

/// Brackets within brackets: tours, rows, cells.
const DEEPEST: usize = 3;

/// One innermost bracket: the line it begins on, and its words with blanks between.
pub(super) type Row = (u64, Vec<u8>);

/// An array as far as it has been read.
#[derive(Debug, Default)]
pub(super) struct Brackets {
    depth: usize,
    /// Whether braces stand for brackets.
    braces: bool,
    /// Whether rows of numbers have no brackets around them.
    is_bare: bool,
    /// The row that is open.
    row: Row,
    /// Rows of the tour that is open.
    rows: Vec<Row>,
    /// Tours that are complete.
    tours: Vec<Vec<Row>>,
    /// The quote that is open, and whether anything has come since.
    quote: Option<(u8, bool)>,
    /// Whether round brackets are around it.
    is_called: bool,
    /// Whether its first line was read.
    has_begun: bool,
    bytes: usize,
}

/// The array of a line that gives it a name, as programs do: `tour = [[1, 4], ...`, `int tour[3][4] = {{1, 4}, ...`.
pub(super) fn assigned(text: &[u8]) -> Option<&[u8]> {
    let at = text.iter().position(|&b| b == b'=')?;
    let (name, array) = (&text[..at], text[at + 1..].trim_ascii_start());
    let names = |b: &u8| b.is_ascii_alphanumeric() || b"_[]<>:*. \t".contains(b);
    let is_name = name.first().is_some_and(u8::is_ascii_alphabetic) && name.iter().all(names);
    (is_name && matches!(array.first(), Some(b'[' | b'{'))).then_some(array)
}

/// What is between the brackets of `array([[1, 4], ...` or `t = np.array(...`, as numpy prints and reads it.
pub(super) fn called(text: &[u8]) -> Option<&[u8]> {
    let at = text.iter().position(|&b| b == b'(')?;
    let array = text[at + 1..].trim_ascii_start();
    let names = |b: &u8| b.is_ascii_alphanumeric() || b"_.= ".contains(b);
    let is_call = text[..at].ends_with(b"array") && text[..at].iter().all(names);
    (is_call && array.starts_with(b"[")).then_some(array)
}

impl Brackets {
    /// Takes in the first line, with what is before the array; whether the array ends on it.
    pub(super) fn first_line(&mut self, text: &[u8], line: u64) -> Result<bool, Fault> {
        let inside = called(text);
        self.is_called = inside.is_some();
        self.line(inside.or_else(|| assigned(text)).unwrap_or(text), line)
    }

    /// Takes in a line; whether the array ends on it.
    pub(super) fn line(&mut self, text: &[u8], line: u64) -> Result<bool, Fault> {
        self.bytes += text.len();
        if self.bytes > MAX_LINE {
            return Err(Fault::TooLong);
        }
        for (at, &b) in text.iter().enumerate() {
            if self.depth == 0 && (at > 0 || self.is_called && self.has_begun) {
                match b {
                    // `dtype=uint8`, which may be on a line of its own.
                    b')' if self.is_called => {
                        self.is_called = false;
                        continue;
                    }
                    _ if self.is_called && (b.is_ascii_alphanumeric() || b"=_.<>'\" \t,".contains(&b)) => {
                        continue;
                    }
                    b' ' | b'\t' | b',' | b';' => continue,
                    b'[' | b'{' if self.is_bare => {}
                    _ => return Err(wrong("something follows the last bracket")),
                }
            }
            self.byte(b, line)?;
        }
        // A line ends a word.
        self.push(b' ', line);
        self.has_begun = true;
        Ok(self.depth == 0 && !self.is_called)
    }

    fn byte(&mut self, b: u8, line: u64) -> Result<(), Fault> {
        if self.depth == 0 && b == b'{' {
            self.braces = true;
        }
        let b = match b {
            b'{' if self.braces => b'[',
            b'}' if self.braces => b']',
            // Tuples.
            b'(' if self.quote.is_none() && self.depth > 0 => b'[',
            b')' if self.quote.is_none() && self.depth > 1 => b']',
            b => b,
        };
        match (b, self.quote) {
            (b'"' | b'\'', None) => self.quote = Some((b, false)),
            (_, Some((quote, some))) if b == quote => {
                if !some {
                    self.push(b'.', line);
                }
                self.quote = None;
            }
            (b'[', None) => {
                self.depth += 1;
                if self.depth > DEEPEST {
                    return Err(wrong("there are brackets in brackets in brackets in brackets"));
                }
                if !self.row.1.trim_ascii().is_empty() {
                    return Err(wrong("numbers stand beside rows"));
                }
                self.row = (line, Vec::new());
            }
            (b']', None) => {
                let row = std::mem::take(&mut self.row);
                let is_row = !row.1.trim_ascii().is_empty();
                if is_row {
                    self.is_bare = self.depth == 1 && !row.1.iter().any(u8::is_ascii_alphabetic);
                    self.rows.push(row);
                } else {
                    self.end_tour();
                }
                self.depth = self.depth.checked_sub(1).ok_or_else(|| wrong("a bracket closes nothing"))?;
                if self.depth == 0 && !self.is_bare {
                    self.end_tour();
                }
            }
            (b'{' | b'}', _) => return Err(wrong("an object stands among the rows")),
            _ => {
                self.quote = self.quote.map(|(quote, _)| (quote, true));
                self.push(if b == b',' || b == b';' { b' ' } else { b }, line);
            }
        }
        Ok(())
    }

    fn push(&mut self, b: u8, line: u64) {
        if self.row.1.is_empty() {
            self.row.0 = line;
        }
        self.row.1.push(b);
    }

    fn end_tour(&mut self) {
        if !self.rows.is_empty() {
            self.tours.push(std::mem::take(&mut self.rows));
        }
    }

    /// Whether the next line may have one more row, if it begins with a bracket.
    pub(super) const fn goes_on(&self) -> bool {
        self.is_bare
    }

    /// The tours, each as rows of numbers or as one line of squares.
    pub(super) fn tours(mut self) -> impl Iterator<Item = Vec<Row>> {
        self.end_tour();
        let is_named = |rows: &[Row]| {
            rows.iter().any(|(_, text)| text.trim_ascii().first().is_some_and(u8::is_ascii_alphabetic))
                && !rows.iter().any(|(_, text)| text.iter().all(|b| !b.is_ascii_alphabetic()))
        };
        self.tours.into_iter().flat_map(move |rows| {
            let rows: Vec<Row> = rows.into_iter().map(|(line, text)| (line, cells(&text))).collect();
            if is_named(&rows) { rows.into_iter().map(|row| vec![row]).collect() } else { vec![rows] }
        })
    }
}

/// The words of a row, removed squares as points.
fn cells(text: &[u8]) -> Vec<u8> {
    let is_hole = |word: &[u8]| matches!(word, b"null" | b"None" | b"nan" | b"-1");
    let cell = |word| if is_hole(word) { &b"."[..] } else { word };
    let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.map(cell).collect::<Vec<&[u8]>>().join(&b' ')
}

fn wrong(what: &'static str) -> Fault {
    Fault::Array(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tours(text: &str) -> Result<Vec<Vec<String>>, Fault> {
        let mut brackets = Brackets::default();
        let mut ended = false;
        for (line, text) in (1..).zip(text.lines()) {
            assert!(!ended || brackets.goes_on(), "{text}");
            let text = text.trim().as_bytes();
            ended = if line == 1 { brackets.first_line(text, line)? } else { brackets.line(text, line)? };
        }
        assert!(ended);
        let text = |(_, text): Row| String::from_utf8(text).unwrap();
        Ok(brackets.tours().map(|rows| rows.into_iter().map(text).collect()).collect())
    }

    #[test]
    fn rows_are_the_innermost_brackets() {
        let grid = vec!["1 4".to_owned(), "3 .".to_owned()];
        for text in [
            "[[1, 4], [3, null]]",
            "[[1,4],\n[3,\"\"]]",
            "[\n [1 4]\n [3 -1]\n]",
            "[[1, 4],\n [3, None]],",
            "[[\"1\", '4'], ['3', '.']]",
            "{{1, 4}, {3, -1}};",
            "{\n{1, 4},\n{3, .}\n}",
            "[1, 4],\n[3, null]",
            "[1, 4], [3, None],",
            "{1, 4},\n{3, -1}",
            "[(1, 4), (3, -1)]",
            "array([[1, 4],\n       [3, -1]])",
            "np.array([[1, 4], [3, -1]], dtype=np.int64)",
            "t = array([(1, 4),\n       (3, -1)],\n      dtype='<u2')",
        ] {
            assert_eq!(tours(text).unwrap(), std::slice::from_ref(&grid), "{text}");
        }
        assert_eq!(tours("[[[1,4],[3,.]],\n[[1,4],[3,.]]]").unwrap(), [grid.clone(), grid]);
        assert_eq!(tours("[\"a1\", \"b3\"]").unwrap(), [["a1 b3"]]);
        assert_eq!(tours("[[a1, b3], [b3, a1]]").unwrap(), [["a1 b3"], ["b3 a1"]]);
        assert!(tours("[]").unwrap().is_empty());
    }

    #[test]
    fn programs_give_arrays_names() {
        for (text, array) in [
            ("tour = [[1, 4],", Some("[[1, 4],")),
            ("const int t[3][4]={{1,4},", Some("{{1,4},")),
            ("let t: Vec<Vec<u32>> = [[1]]", Some("[[1]]")),
            ("tour = 3", None),
            ("= [1]", None),
            ("a1=b3", None),
        ] {
            assert_eq!(assigned(text.as_bytes()), array.map(str::as_bytes), "{text}");
        }
    }

    #[test]
    fn what_is_no_array_is_refused() {
        for text in [
            "[[[[1]]]]",
            "[1, [2]]",
            "[1] 2",
            "[{\"a\":1}]",
            "[[1]] [2]",
            "array([[1]]) [2]",
            "array([[1]], [[2]])",
        ] {
            assert!(matches!(tours(text), Err(Fault::Array(_))), "{text}");
        }
    }
}
