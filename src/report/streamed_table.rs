//! A table of any number of rows, whose CSV and JSON files are written as the rows come.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::Formatter;

use super::output::{Output, OutputError};
use super::table::{Cell, NamedCells, Table};

/// Number of rows that are collected before they are written.
const ROWS_PER_WRITE: usize = 256;

/// A table that goes to a CSV file and to a list in the object of a JSON file.
pub struct StreamedTable {
    /// The rows that are not written yet.
    table: Table,
    csv: Option<Output>,
    json: Option<Output>,
    /// True if no row has been written yet.
    is_first: bool,
}

/// Writes bytes to an output by `write`.
fn write_to(
    out: Option<&mut Output>,
    write: impl FnOnce(&mut Output) -> io::Result<()>,
) -> Result<(), OutputError> {
    let Some(out) = out else { return Ok(()) };
    write(out).map_err(|source| OutputError { path: out.name(), source })
}

impl StreamedTable {
    /// Writes the headings of `table`, and the fields of the JSON object `head`, up to the list of rows
    /// in the field `key`. Either file may be missing.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn start(
        table: Table,
        (csv, json): (Option<Output>, Option<Output>),
        head: &NamedCells,
        key: &str,
    ) -> Result<Self, OutputError> {
        let mut streamed = Self { table, csv, json, is_first: true };
        write_to(streamed.csv.as_mut(), |out| streamed.table.write_csv_headings(out))?;
        let head = fields_on_lines(head);
        write_to(streamed.json.as_mut(), |out| write!(out, "{{{head},\n \"{key}\": ["))?;
        Ok(streamed)
    }

    /// Adds a row.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn push(&mut self, cells: impl IntoIterator<Item = Cell>) -> Result<(), OutputError> {
        self.table.push(cells);
        if self.table.row_count() < ROWS_PER_WRITE { Ok(()) } else { self.write_rows() }
    }

    fn write_rows(&mut self) -> Result<(), OutputError> {
        write_to(self.csv.as_mut(), |out| self.table.write_csv_rows(out))?;
        write_to(self.json.as_mut(), |out| {
            for row in self.table.json_rows() {
                let comma = if std::mem::take(&mut self.is_first) { "" } else { "," };
                write!(out, "{comma}\n  ")?;
                serde_json::to_writer(&mut *out, &row)?;
            }
            Ok(())
        })?;
        self.table.clear();
        Ok(())
    }

    /// Writes the rows that are left and the further fields `tail` of the JSON object, and completes
    /// both files.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn finish(mut self, tail: &impl Serialize) -> Result<(), OutputError> {
        self.write_rows()?;
        let tail = fields_on_lines(tail);
        let comma = if tail.is_empty() { "" } else { ",\n " };
        write_to(self.json.as_mut(), |out| write!(out, "\n ]{comma}{tail}}}\n"))?;
        // If one file cannot be completed, the other is completed all the same.
        let finished: Vec<_> = self.csv.into_iter().chain(self.json).map(Output::finish).collect();
        finished.into_iter().collect()
    }
}

/// Returns the fields of a JSON object, without its braces, each on a line.
fn fields_on_lines(object: &impl Serialize) -> String {
    let mut text = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, FieldLines::default());
    object.serialize(&mut serializer).expect("writing to memory cannot fail");
    let text = String::from_utf8(text).expect("JSON is UTF-8");
    text[1..text.len() - 1].to_owned()
}

/// A format of JSON with each field of the outermost object on a line.
#[derive(Default)]
struct FieldLines {
    depth: usize,
}

impl Formatter for FieldLines {
    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        out.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth -= 1;
        out.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, is_first: bool) -> io::Result<()> {
        out.write_all(match (is_first, self.depth) {
            (true, _) => b"",
            (false, 1) => b",\n ",
            (false, _) => b",",
        })
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(if self.depth == 1 { b": " } else { b":" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(schema: u32, board: &str) -> NamedCells {
        NamedCells(vec![("schema", schema.into()), ("board", board.into())])
    }

    fn written(row_count: usize, tail: Option<NamedCells>) -> [String; 2] {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["csv", "json"].map(|name| folder.path().join(name));
        let [csv, json] = paths.each_ref().map(|path| Some(Output::create(path).unwrap()));
        let table = Table::new(["line", "number"]).with_common([("board", "3x4".into())]);
        let mut rows = StreamedTable::start(table, (csv, json), &head(1, "3x4"), "numbers").unwrap();
        (0..row_count).for_each(|line| rows.push([line.into(), "7".into()]).unwrap());
        rows.finish(&NamedCells(vec![("total", tail.into())])).unwrap();
        paths.map(|path| std::fs::read_to_string(path).unwrap())
    }

    #[test]
    fn rows_of_several_writes_make_one_file() {
        let [csv, json] = written(2, Some(head(2, "b")));
        assert_eq!(csv, "line,number,board\n0,7,3x4\n1,7,3x4\n");
        assert_eq!(
            json,
            "{\"schema\": 1,\n \"board\": \"3x4\",\n \"numbers\": [\n  {\"line\":0,\"number\":\"7\"},\n  \
             {\"line\":1,\"number\":\"7\"}\n ],\n \"total\": {\"schema\":2,\"board\":\"b\"}}\n"
        );
        for row_count in [0, ROWS_PER_WRITE, 2 * ROWS_PER_WRITE + 1] {
            let [csv, json] = written(row_count, None);
            let json: serde_json::Value = serde_json::from_str(&json).unwrap();
            assert_eq!(csv.lines().count(), row_count + 1);
            let numbers = json["numbers"].as_array().unwrap();
            assert!(
                numbers.len() == row_count && numbers.iter().enumerate().all(|(i, row)| row["line"] == i)
            );
        }
    }
}
