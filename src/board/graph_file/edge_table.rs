//! [`EdgeTable`]: the lines of a list of edges as numbered names, before anything is decided about them.

use std::collections::HashMap;
use std::fmt::Display;

use super::error::{GraphFileError, MAX_VERTICES, excerpt};
use super::lines::{Line, SeparatorCheck, split_fields};
use super::vertex_name::{check_name, is_number};

/// A line with one or two names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    line: u32,
    first: u32,
    /// `NO_NAME` if the name is alone.
    second: u32,
}

const NO_NAME: u32 = u32::MAX;

/// All lines of a list of edges, and the names in the order of their first occurrence.
#[derive(Debug, Default)]
pub(super) struct EdgeTable<'a> {
    pub rows: Vec<Row>,
    pub names: Vec<&'a str>,
}

impl Row {
    /// Returns the line number, from 1.
    pub fn line(self) -> usize {
        self.line as usize
    }

    /// Returns the indices of both names, or `None` if the name is alone.
    pub fn pair(self) -> Option<(u32, u32)> {
        (self.second != NO_NAME).then_some((self.first, self.second))
    }

    /// Returns the index of the name that is alone in its line.
    pub fn lone(self) -> Option<u32> {
        (self.second == NO_NAME).then_some(self.first)
    }

    /// Returns true if the row is an edge between two names.
    pub fn joins(self, v: u32, w: u32) -> bool {
        self.pair().is_some_and(|pair| pair == (v, w) || pair == (w, v))
    }

    /// Returns the indices of the names.
    pub fn indices(self) -> impl Iterator<Item = u32> {
        [self.first, self.second].into_iter().filter(|&index| index != NO_NAME)
    }
}

impl<'a> EdgeTable<'a> {
    /// Splits lines into names. Cost O(length).
    ///
    /// # Errors
    /// The first line with a word that is not a name, with another separator than the lines before, or with
    /// more than two names.
    pub fn parse(lines: &[Line<'a>]) -> Result<Self, GraphFileError> {
        let mut rows = Vec::with_capacity(lines.len());
        let mut names = NameTable::default();
        let mut separator = SeparatorCheck::default();
        let mut fields = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            fields.clear();
            split_fields(line.text, &mut fields).map_err(|what| {
                explain_columns(lines, at).map_or_else(|| line.error(what), |what| line.error(what))
            })?;
            // The empty attributes that networkx writes.
            if fields.len() == 3 && fields[2] == "{}" {
                fields.pop();
            }
            if fields.len() > 2 {
                let what = explain_columns(lines, at)
                    .or_else(|| fields.iter().find_map(|name| check_name(name).err()));
                return Err(line.error(what.unwrap_or_else(|| {
                    format!(
                        "`{}` has {} names; write two names for an edge",
                        excerpt(line.text),
                        fields.len()
                    )
                })));
            }
            let mut indices = [0, NO_NAME];
            for (index, &name) in indices.iter_mut().zip(&fields) {
                *index = names.add(line, name)?;
            }
            if fields.len() == 2 {
                separator.add(line, line.separator())?;
            } else if is_lone_with_comment(line) {
                return Err(line.error(format!(
                    "`{}` begins a comment after a single name; write a blank after the `#` of a comment, or another name",
                    excerpt(line.comment)
                )));
            }
            rows.push(Row { line: line.number as u32, first: indices[0], second: indices[1] });
        }
        Ok(Self { rows, names: names.names })
    }

    /// Returns how many of the rows have each name. A loop counts once.
    pub fn count_uses(&self, rows: &[Row]) -> Vec<u32> {
        let mut uses = vec![0; self.names.len()];
        for row in rows {
            uses[row.first as usize] += 1;
            if row.second != NO_NAME && row.second != row.first {
                uses[row.second as usize] += 1;
            }
        }
        uses
    }

    /// Returns the name of an index.
    pub fn name(&self, index: u32) -> &'a str {
        self.names[index as usize]
    }

    /// Returns the number that a name is.
    pub fn number(&self, index: u32) -> Option<u64> {
        let name = self.name(index);
        name.parse().ok().filter(|_| is_number(name))
    }

    /// Returns an error in a row, which begins with an excerpt of its names.
    pub fn error(&self, row: Row, what: impl Display) -> GraphFileError {
        GraphFileError::new(row.line(), format!("`{}` {what}", self.shown(row)))
    }

    /// Returns an excerpt of a row's names, for messages.
    pub fn shown(&self, row: Row) -> String {
        excerpt(&row.indices().map(|index| self.name(index)).collect::<Vec<_>>().join(" "))
    }
}

/// Names of vertices in the order of their first occurrence, which numbers them.
#[derive(Debug, Default)]
pub(super) struct NameTable<'a> {
    pub names: Vec<&'a str>,
    numbers: HashMap<&'a str, u32>,
}

impl<'a> NameTable<'a> {
    /// Returns the number of a name of a line, and adds the name if it is new.
    ///
    /// # Errors
    /// The word is not a name, or there are too many names.
    pub fn add(&mut self, line: &Line<'_>, name: &'a str) -> Result<u32, GraphFileError> {
        let next = self.names.len() as u32;
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            check_name(name).map_err(|what| line.error(what))?;
            self.names.push(name);
        }
        if self.names.len() > MAX_VERTICES {
            return Err(GraphFileError::too_many_vertices(line.number, self.names.len()));
        }
        Ok(number)
    }
}

/// Returns true if a name is followed by `#word`, which may be a second name.
fn is_lone_with_comment(line: &Line<'_>) -> bool {
    let word = line.comment.strip_prefix('#').unwrap_or_default();
    !word.is_empty() && !word.contains(char::is_whitespace)
}

/// Returns what a file with a line of more than two fields looks like, and the remedy.
fn explain_columns(lines: &[Line<'_>], at: usize) -> Option<String> {
    let shown = excerpt(lines[at].text);
    let words = |line: &Line<'_>| -> Vec<String> {
        let is_separator = |c: char| c.is_whitespace() || c == ',';
        line.text.split(is_separator).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    // The first lines are enough to recognise the format.
    let sample: Vec<Vec<String>> = lines.iter().take(100).map(words).collect();
    let line_words = words(&lines[at]);
    let is_numeric = |word: &String| word.parse::<f64>().is_ok();
    let all_numbers = sample.iter().all(|words| words.iter().all(|word| is_number(word)));
    let lengths = |length: usize| sample.iter().all(|words| words.len() == length);
    if line_words.len() == 3 && ["e", "a"].contains(&line_words[0].as_str()) && is_numeric(&line_words[1]) {
        return Some(format!(
            "`{shown}` is a line of DIMACS, and there is no line `p`; begin with `p edge VERTICES EDGES`"
        ));
    }
    if all_numbers && (2..=4).contains(&sample[0].len()) && sample[0][0].parse() == Ok(lines.len() - 1) {
        return Some(format!(
            "`{shown}` has {} names, and line {} looks like the sizes of a METIS file, which ktour does not read; write `v: w x` for the neighbours w and x of v",
            line_words.len(),
            lines[0].number
        ));
    }
    if all_numbers && lines.len() > 2 && lengths(lines.len()) {
        return Some(format!(
            "`{shown}` looks like a row of a matrix with weights; write a 0/1 matrix, as ktour reads unweighted graphs"
        ));
    }
    let middle = line_words.get(1).filter(|word| sample.len() > 1 && !is_numeric(word));
    if let Some(middle) = middle
        && sample.iter().all(|words| words.len() == 3 && words[1] == *middle)
    {
        return Some(format!(
            "`{shown}` has `{middle}` between two names; delete it: `{} {}`",
            excerpt(&line_words[0]),
            excerpt(&line_words[2])
        ));
    }
    let is_weight =
        |words: &Vec<String>| words.len() == 3 && (is_numeric(&words[2]) || words[2].starts_with('{'));
    let has_weights = sample.len() > 1 && sample.iter().skip(1).all(is_weight);
    if line_words.len() == 3 && has_weights || is_weight(&line_words) && lengths(3) {
        return Some(format!(
            "`{shown}` has 3 columns, and the third may be a weight; delete it, as ktour reads unweighted graphs"
        ));
    }
    let is_names = |word: &String| check_name(word).is_ok();
    if line_words.len() > 2
        && sample.iter().all(|words| words.iter().all(is_names))
        && !lines[at].text.contains('\t')
    {
        return Some(format!(
            "`{shown}` has {} names; write two names for an edge, or `{}: {} ..` for a list of neighbours; begin a title with `#`",
            line_words.len(),
            excerpt(&line_words[0]),
            excerpt(&line_words[1])
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    #[test]
    fn parse_rejects_mixed_separators_and_columns() {
        for (text, line, word) in [
            ("a b\nb\tc\n", 2, "tabs"),
            ("a b\nb,c\n", 2, "comma"),
            ("a,b\nb c\n", 2, "blanks"),
            ("a,b\nb,,c\n", 2, "empty"),
            ("a,b,\nb,c,\n", 1, "empty"),
            ("a b\na b c\n", 2, "3 names"),
            ("1 2 5\n2 3 7\n3 1 1\n", 1, "weight"),
            ("from,to,weight\n1,2,3\n2,3,1\n", 1, "weight"),
            ("4 5\n2 4\n1 3 4\n2 4\n1 2 3\n", 3, "METIS"),
            ("0 2 3\n2 0 1\n3 1 0\n", 1, "matrix"),
            ("0 1 3\n1 2\n2 3\n3\n", 1, "3 names"),
            ("e 1 2\ne 2 3\n", 1, "DIMACS"),
            ("a b\nD #E\n", 2, "#E"),
            ("1 -- 2\n2 -- 3\n", 1, "--"),
            ("1 -> 2\n2 -> 3\n", 1, "->"),
            ("1 to 2\n2 to 3\n", 1, "`to` between"),
            ("1 & 2\n2 & 3\n", 1, "`1 2`"),
            ("1 2\n2 -1\n", 2, "-1"),
            ("\"New York\" Boston\n", 1, "New"),
        ] {
            let error = parse(text).expect_err(text);
            assert_eq!(error.line, line, "{text:?}: {error}");
            assert!(error.to_string().contains(word), "{text:?}: {error}");
        }
    }
}
