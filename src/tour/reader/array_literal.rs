//! Tours in brackets: arrays as JSON, Python, numpy, C and MATLAB write them.
//!
//! ```text
//! [[1, 4, 7, 10],            a grid, over any number of lines; also a list of grids
//!  [12, 9, 2, 5],
//!  [3, 6, 11, 8]]
//! ["a3", "c2", "a1", ...]    squares by name; also a list of such lists
//! {{1, 4, 7, 10}, ...        braces for brackets, and parentheses inside, as of tuples
//! tour = [[1, 4, 7, 10], ... a name before the array
//! array([[1, 4, 7, 10], ...  output of numpy
//! int t[3][4] = {{1, 4, ...  declared sizes must match the contents
//! ((1, 4, 7, 10), ...        tuples of tuples
//! A = [1 4 7 10; 12 9 ...    semicolons between rows, as in MATLAB, and `...` at the end of a continued line
//! [1, 4, 7, 10],             rows without outer brackets, down to the first line that is not a row
//! [12, 9, 2, 5],
//! ```
//!
//! The innermost brackets are rows or lines of squares. `null`, `None`, `-1` and `""` are removed squares.
//!
//! The text before an array in a program: its name, type, sizes, or a call.

use super::lexer::split_words;
use crate::tour::read_error::{MAX_LINE_BYTES, ReadErrorKind};

/// Largest nesting of brackets: tours, rows, cells.
const MAX_BRACKET_DEPTH: usize = 3;

/// One innermost bracket: the line it begins on, and its words separated by blanks.
pub(in crate::tour) type ArrayRow = (u64, Vec<u8>);

/// An array that is being parsed.
#[derive(Debug, Default)]
pub(in crate::tour) struct ArrayParser {
    depth: usize,
    /// True if braces serve as brackets.
    has_braces: bool,
    /// True if parentheses serve as brackets from the first one on.
    has_tuples: bool,
    /// True if rows of numbers have no outer brackets; set by the first row.
    has_bare_rows: Option<bool>,
    /// Sizes in the declaration.
    declared_sizes: Vec<usize>,
    /// True if the declared type is `char`, of which each square takes several elements.
    is_char_array: bool,
    /// The current row.
    row: ArrayRow,
    /// Rows of the current tour.
    rows: Vec<ArrayRow>,
    /// Finished tours.
    tours: Vec<Vec<ArrayRow>>,
    /// The open quote, and whether any character follows it.
    quote: Option<(u8, bool)>,
    /// True if the array is the argument of a call.
    is_called: bool,
    /// True after the first line.
    has_begun: bool,
    bytes: usize,
}

impl ArrayParser {
    /// Adds the first line, including the text before the array. Returns true if the array ends on this line.
    pub(in crate::tour) fn add_first_line(&mut self, text: &[u8], line: u64) -> Result<bool, ReadErrorKind> {
        let inside = call_argument(text);
        self.is_called = inside.is_some();
        let named = assigned_array(text).filter(|_| inside.is_none());
        if named.is_some() {
            self.declared_sizes = declared_sizes(text);
            self.is_char_array = text.windows(4).any(|four| four == b"char");
        }
        let array = inside.or(named).unwrap_or(text);
        self.has_tuples = is_tuple(array);
        self.add_line(array, line)
    }

    /// Adds a line. Returns true if the array ends on it.
    pub(in crate::tour) fn add_line(&mut self, text: &[u8], line: u64) -> Result<bool, ReadErrorKind> {
        self.bytes += text.len();
        if self.bytes > MAX_LINE_BYTES {
            return Err(ReadErrorKind::LineTooLong);
        }
        let text = self.strip_continuation(text)?;
        for (at, &b) in text.iter().enumerate() {
            if self.depth == 0 && (at > 0 || self.is_called && self.has_begun) {
                match b {
                    // An argument such as `dtype=uint8` may be on a line of its own.
                    b')' if self.is_called => {
                        self.is_called = false;
                        continue;
                    }
                    _ if self.is_called && (b.is_ascii_alphanumeric() || b"=_.<>'\" \t,".contains(&b)) => {
                        continue;
                    }
                    b' ' | b'\t' | b',' | b';' => continue,
                    b'[' | b'{' if self.may_continue() => {}
                    _ => return Err(invalid_array("text follows the last bracket")),
                }
            }
            self.add_byte(b, line)?;
        }
        // A line end separates words.
        self.push_byte(b'\n', line);
        self.has_begun = true;
        Ok(self.depth == 0 && !self.is_called)
    }

    /// Removes the dots that continue a line; numpy writes the same dots for omitted numbers.
    fn strip_continuation<'a>(&self, text: &'a [u8]) -> Result<&'a [u8], ReadErrorKind> {
        let Some(rest) = text.trim_ascii_end().strip_suffix(b"...") else { return Ok(text) };
        match rest.trim_ascii_end().last() {
            None => Err(invalid_array("`...` stands for omitted rows, which must be printed")),
            Some(b'[' | b';' | b',' | b'0'..=b'9') if self.depth < 2 => Ok(rest),
            _ => Ok(text),
        }
    }

    fn add_byte(&mut self, b: u8, line: u64) -> Result<(), ReadErrorKind> {
        if self.depth == 0 && b == b'{' {
            self.has_braces = true;
        }
        let b = match b {
            b'{' if self.has_braces => b'[',
            b'}' if self.has_braces => b']',
            // Parentheses of tuples.
            b'(' if self.quote.is_none() && (self.depth > 0 || self.has_tuples) => b'[',
            b')' if self.quote.is_none() && (self.depth > 1 || self.has_tuples) => b']',
            b => b,
        };
        match (b, self.quote) {
            (b'"' | b'\'', None) => self.quote = Some((b, false)),
            (_, Some((quote, some))) if b == quote => {
                if !some {
                    self.push_byte(b'.', line);
                }
                self.quote = None;
            }
            (b'[', None) => {
                self.depth += 1;
                if self.depth > MAX_BRACKET_DEPTH {
                    return Err(invalid_array("brackets are nested more than 3 deep"));
                }
                if !self.row.1.trim_ascii().is_empty() {
                    return Err(invalid_array("numbers and rows are on one level"));
                }
                self.row = (line, Vec::new());
            }
            (b']', None) => {
                let row = std::mem::take(&mut self.row);
                let is_row = !row.1.trim_ascii().is_empty();
                if is_row {
                    let is_bare = self.depth == 1 && !has_names(&row.1);
                    self.has_bare_rows.get_or_insert(is_bare);
                    self.rows.push(row);
                } else {
                    self.end_tour();
                }
                self.depth = self
                    .depth
                    .checked_sub(1)
                    .ok_or_else(|| invalid_array("a closing bracket has no opening bracket"))?;
                if self.depth == 0 && !self.may_continue() {
                    self.end_tour();
                }
            }
            (b';', None) if self.depth == 1 && !self.has_braces && !has_names(&self.row.1) => {
                let row = std::mem::take(&mut self.row);
                if !row.1.trim_ascii().is_empty() {
                    self.has_bare_rows = Some(false);
                    self.rows.push(row);
                }
            }
            (b'{' | b'}', _) => return Err(invalid_array("an object is among the rows")),
            _ => {
                self.quote = self.quote.map(|(quote, _)| (quote, true));
                self.push_byte(if b == b',' || b == b';' { b' ' } else { b }, line);
            }
        }
        Ok(())
    }

    fn push_byte(&mut self, b: u8, line: u64) {
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

    /// Returns true if the next line may hold another row, if it begins with a bracket.
    pub(in crate::tour) const fn may_continue(&self) -> bool {
        matches!(self.has_bare_rows, Some(true))
    }

    /// Returns the tours, each as rows of numbers or as one line of squares.
    pub(in crate::tour) fn into_tours(mut self) -> Result<Vec<Vec<ArrayRow>>, ReadErrorKind> {
        self.end_tour();
        let are_named = |rows: &[ArrayRow]| {
            rows.iter().any(|(_, text)| text.trim_ascii().first().is_some_and(u8::is_ascii_alphabetic))
                && !rows.iter().any(|(_, text)| text.iter().all(|b| !b.is_ascii_alphabetic()))
        };
        let tours = std::mem::take(&mut self.tours).into_iter().flat_map(|rows| {
            let rows: Vec<ArrayRow> =
                rows.into_iter().map(|(line, text)| (line, normalise_row(&text))).collect();
            if are_named(&rows) { rows.into_iter().map(|row| vec![row]).collect() } else { vec![rows] }
        });
        let tours: Vec<Vec<ArrayRow>> = tours.collect();
        self.check_declared_sizes(&tours)?;
        Ok(tours)
    }

    /// Returns an error if the contents do not have the declared sizes.
    fn check_declared_sizes(&self, tours: &[Vec<ArrayRow>]) -> Result<(), ReadErrorKind> {
        let (Some(first), false) = (tours.first(), self.declared_sizes.is_empty()) else { return Ok(()) };
        let count = |row: &ArrayRow| split_words(&row.1).count();
        let widths = || tours.iter().flatten().map(count);
        let cols = widths().next().unwrap_or(0);
        let found = match (tours.len(), first.len()) {
            (1, 1) => vec![cols],
            (1, rows) => vec![rows, cols],
            (layers, 1) => vec![layers, cols],
            (layers, rows) => vec![layers, rows, cols],
        };
        let declared = match self.declared_sizes.as_slice() {
            // Squares by name are arrays of characters.
            [squares, _] if self.is_char_array => &[*squares],
            said => said,
        };
        // A single list may hold all rows; rows of unequal length get an error with their line later.
        let is_list = found.len() == 1
            && declared.iter().try_fold(1usize, |all, &size| all.checked_mul(size)) == Some(cols);
        if found == declared || is_list || widths().any(|width| width != cols) {
            return Ok(());
        }
        let by = |sizes: &[usize]| sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x ");
        Err(ReadErrorKind::ArraySize { declared: by(declared), found: by(&found) })
    }
}

/// Returns true if a row has letters apart from removed squares.
fn has_names(text: &[u8]) -> bool {
    split_words(text).any(|word| !is_hole_word(word) && word.iter().any(u8::is_ascii_alphabetic))
}

/// Returns true if a word stands for a removed square.
fn is_hole_word(word: &[u8]) -> bool {
    matches!(word, b"null" | b"None" | b"nan" | b"NaN" | b"-1")
}

/// Returns the words of a row separated by blanks, with points for removed squares; line ends are kept.
fn normalise_row(text: &[u8]) -> Vec<u8> {
    let cell = |word| if is_hole_word(word) { &b"."[..] } else { strip_decimal_point(word) };
    let lines =
        text.split(|&b| b == b'\n').map(|line| split_words(line).map(cell).collect::<Vec<_>>().join(&b' '));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(&b'\n')
}

/// Removes the point that numpy prints after a whole float: `12.`.
fn strip_decimal_point(word: &[u8]) -> &[u8] {
    let number = word.strip_suffix(b".0").or_else(|| word.strip_suffix(b"."));
    number.filter(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit)).unwrap_or(word)
}

fn invalid_array(what: &'static str) -> ReadErrorKind {
    ReadErrorKind::InvalidArray(what)
}

/// Longest text before an array, in bytes.
const MAX_ARRAY_PREFIX_BYTES: usize = 256;

/// Returns the array of a line that assigns it to a name: `tour = [[1, 4], ...`, `int tour[3][4] = {{1, 4},
/// ...`.
pub(in crate::tour) fn assigned_array(text: &[u8]) -> Option<&[u8]> {
    let at = text.iter().take(MAX_ARRAY_PREFIX_BYTES).position(|&b| b == b'=')?;
    let (name, array) = (&text[..at], text[at + 1..].trim_ascii_start());
    let names = |b: &u8| b.is_ascii_alphanumeric() || b"_[]<>:*. \t".contains(b);
    let is_name = name.first().is_some_and(u8::is_ascii_alphabetic) && name.iter().all(names);
    (is_name && (matches!(array.first(), Some(b'[' | b'{')) || is_tuple(array))).then_some(array)
}

/// Returns true if a line begins a tuple of tuples, or a tuple over several lines.
pub(in crate::tour) fn is_tuple(text: &[u8]) -> bool {
    let inside = text.iter().position(|&b| b != b'(').unwrap_or(text.len());
    let is_cell = |b: &u8| b.is_ascii_digit() || matches!(b, b'"' | b'\'');
    text == b"(" || inside > 1 && text[inside..].trim_ascii_start().first().is_some_and(is_cell)
}

/// Returns the sizes in a declaration such as `int tour[3][4]`. `tours[0]` has no type before it and declares
/// no size.
pub(in crate::tour) fn declared_sizes(text: &[u8]) -> Vec<usize> {
    let name = text.split(|&b| b == b'=').next().unwrap_or_default().trim_ascii();
    let at = name.iter().position(|&b| b == b'[').unwrap_or(name.len());
    if !name[..at].trim_ascii().contains(&b' ') {
        return Vec::new();
    }
    let sizes = name[at..].split(|&b| b == b'[' || b == b']').map(<[u8]>::trim_ascii);
    let sizes = sizes.filter_map(|size| std::str::from_utf8(size).ok()?.parse().ok());
    sizes.collect()
}

/// Returns the array argument of `array([[1, 4], ...` or `t = np.array(...`, the notation of numpy.
pub(in crate::tour) fn call_argument(text: &[u8]) -> Option<&[u8]> {
    let at = text.iter().take(MAX_ARRAY_PREFIX_BYTES).position(|&b| b == b'(')?;
    let array = text[at + 1..].trim_ascii_start();
    let names = |b: &u8| b.is_ascii_alphanumeric() || b"_.= ".contains(b);
    let is_call = text[..at].ends_with(b"array") && text[..at].iter().all(names);
    (is_call && array.starts_with(b"[")).then_some(array)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tours(text: &str) -> Result<Vec<Vec<String>>, ReadErrorKind> {
        let mut brackets = ArrayParser::default();
        let mut ended = false;
        for (line, text) in (1..).zip(text.lines()) {
            assert!(!ended || brackets.may_continue(), "{text}");
            let text = text.trim().as_bytes();
            ended = if line == 1 {
                brackets.add_first_line(text, line)?
            } else {
                brackets.add_line(text, line)?
            };
        }
        assert!(ended);
        let text = |(_, text): ArrayRow| String::from_utf8(text).unwrap();
        Ok(brackets.into_tours()?.into_iter().map(|rows| rows.into_iter().map(text).collect()).collect())
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
            "[None, null],\n[1, 4],\n[3, nan]",
            "((1, 4), (3, None))",
            "t = (\n (1, 4),\n (3, None),\n)",
            "[1 4; 3 NaN]",
            "A = [1, 4;\n     3, NaN];",
            "A = [ ...\n1 4; ...\n3 NaN ];",
            "[[1. 4.]\n [3. nan]]",
            "int t[2][2] = {{1, 4}, {3, -1}};",
        ] {
            let mut grid = grid.clone();
            if text.starts_with("[None") {
                grid.insert(0, ". .".to_owned());
            }
            assert_eq!(tours(text).unwrap(), [grid], "{text}");
        }
        assert_eq!(tours("tours[7] = [[1, 4], [3, None]]").unwrap(), std::slice::from_ref(&grid));
        assert_eq!(tours("[1 4\n 3 2]").unwrap(), [["1 4\n3 2"]]);
        assert_eq!(tours("const char *t[2] = {\"a1\", \"b3\"};").unwrap(), [["a1 b3"]]);
        assert_eq!(tours("char t[2][3] = {\"a1\", \"b3\"};").unwrap(), [["a1 b3"]]);
        assert_eq!(tours("[[[1,4],[3,.]],\n[[1,4],[3,.]]]").unwrap(), [grid.clone(), grid]);
        assert_eq!(tours("[\"a1\", \"b3\"]").unwrap(), [["a1 b3"]]);
        assert_eq!(tours("[[a1, b3], [b3, a1]]").unwrap(), [["a1 b3"], ["b3 a1"]]);
        assert!(tours("[]").unwrap().is_empty());
    }

    #[test]
    fn invalid_arrays_are_rejected() {
        for text in [
            "[[[[1]]]]",
            "[1, [2]]",
            "[1] 2",
            "[{\"a\":1}]",
            "[[1]] [2]",
            "array([[1]]) [2]",
            "array([[1]], [[2]])",
            "[[1 2]\n ...\n [3 4]]",
        ] {
            assert!(matches!(tours(text), Err(ReadErrorKind::InvalidArray(_))), "{text}");
        }
        for (text, named) in [
            ("int t[5][24] = {{1, 4}, {3, 2}};", "declared with 5 x 24 numbers or squares, but 2 x 2 follow"),
            ("int t[24] = {1, 4};", "24 numbers or squares, but 2 follow"),
            ("char t[3][3] = {\"a1\", \"b3\"};", "3 numbers or squares, but 2 follow"),
            ("int t[2][2][1] = {{{1, 4}, {3, 2}}};", "2 x 2 x 1 numbers or squares, but 2 x 2 follow"),
        ] {
            let error = tours(text).unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
    }
}

#[cfg(test)]
mod assigned_tests {
    use super::*;

    #[test]
    fn assigned_array_finds_array_after_name() {
        for (text, array) in [
            ("tour = [[1, 4],", Some("[[1, 4],")),
            ("const int t[3][4]={{1,4},", Some("{{1,4},")),
            ("let t: Vec<Vec<u32>> = [[1]]", Some("[[1]]")),
            ("tour = 3", None),
            ("= [1]", None),
            ("a1=b3", None),
        ] {
            assert_eq!(assigned_array(text.as_bytes()), array.map(str::as_bytes), "{text}");
        }
    }

    #[test]
    fn declared_sizes_reads_declarations() {
        for (text, sizes) in [
            ("int tour[3][4] = {", &[3, 4][..]),
            ("static const char *t[12]={", &[12]),
            ("tours[3] = [", &[]),
            ("int[][] tour = {", &[]),
        ] {
            assert_eq!(declared_sizes(text.as_bytes()), sizes, "{text}");
        }
        for (text, is_match) in
            [("((1, 4)", true), ("(", true), ("(('a1'", true), ("(1, 4)", false), ("((a1))", false)]
        {
            assert_eq!(is_tuple(text.as_bytes()), is_match, "{text}");
        }
    }
}
