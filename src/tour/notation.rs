//! Writing tours: one line of squares, a number grid, CSV or JSON lines.
//!
//! ```text
//! squares   a1 b3 d2 ...
//! grid      3 8 5 10        top rank first, blank line between tours,
//!           ...             `.` where a square is removed
//! csv       kind,squares
//! ndjson    {"kind":"open","squares":["a1","b3",...]}
//! ```

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::board::Board;

/// How a tour is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TourFormat {
    /// Square names on one line.
    Squares,
    /// Move numbers laid out as the board.
    Grid,
    /// A row of `kind,squares`.
    Csv,
    /// One JSON object a line.
    Ndjson,
}

/// What a tour is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TourKind {
    /// A cycle.
    Closed,
    /// A path whose ends are not a move apart.
    Open,
    /// A path whose ends are a move apart.
    ReEntrant,
}

impl TourKind {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::ReEntrant => "re-entrant",
        }
    }
}

/// Writes vertex sequences of one board in one format.
#[derive(Clone, Debug)]
pub struct TourWriter {
    format: TourFormat,
    number_from: u64,
    cols: usize,
    /// Square names by vertex, one after the other, and where each ends.
    names: String,
    name_ends: Vec<usize>,
    /// Vertex at each place of the grid, top rank first.
    places: Vec<Option<u32>>,
}

impl TourWriter {
    /// A writer for tours of `board`; grids number moves from `number_from`.
    #[must_use]
    pub fn new(board: &Board, format: TourFormat, number_from: u64) -> Self {
        let cols = usize::from(board.cols());
        let mut places = vec![None; usize::from(board.rows()) * cols];
        let mut names = String::new();
        let mut name_ends = Vec::with_capacity(board.len());
        for (v, square) in board.squares().enumerate() {
            let row_from_top = usize::from(board.rows() - 1 - square.rank());
            places[row_from_top * cols + usize::from(square.file())] = Some(v as u32);
            write!(names, "{square}").expect("writing to memory cannot fail");
            name_ends.push(names.len());
        }
        Self { format, number_from, cols, names, name_ends, places }
    }

    /// What comes before the first tour.
    #[must_use]
    pub const fn header(&self) -> &'static str {
        match self.format {
            TourFormat::Csv => "kind,squares\n",
            _ => "",
        }
    }

    /// What comes between two tours.
    #[must_use]
    pub const fn separator(&self) -> &'static str {
        match self.format {
            TourFormat::Grid => "\n",
            _ => "",
        }
    }

    /// Appends one tour to `out`; `sequence` holds vertices in order of visit.
    pub fn write(&self, out: &mut Vec<u8>, kind: TourKind, sequence: &[u32]) {
        match self.format {
            TourFormat::Squares => {
                self.names_on_a_line(out, sequence);
                out.push(b'\n');
            }
            TourFormat::Grid => self.grid(out, sequence),
            TourFormat::Csv => {
                // No field holds a comma or a quote, so the row needs no quoting.
                out.extend_from_slice(kind.name().as_bytes());
                out.push(b',');
                self.names_on_a_line(out, sequence);
                out.push(b'\n');
            }
            TourFormat::Ndjson => {
                // No name needs escaping.
                out.extend_from_slice(b"{\"kind\":\"");
                out.extend_from_slice(kind.name().as_bytes());
                out.extend_from_slice(b"\",\"squares\":[");
                for (i, &v) in sequence.iter().enumerate() {
                    out.extend_from_slice(if i > 0 { b",\"" } else { b"\"" });
                    out.extend_from_slice(self.name(v).as_bytes());
                    out.push(b'"');
                }
                out.extend_from_slice(b"]}\n");
            }
        }
    }

    fn name(&self, v: u32) -> &str {
        let v = v as usize;
        let from = if v > 0 { self.name_ends[v - 1] } else { 0 };
        &self.names[from..self.name_ends[v]]
    }

    fn names_on_a_line(&self, out: &mut Vec<u8>, sequence: &[u32]) {
        for (i, &v) in sequence.iter().enumerate() {
            if i > 0 {
                out.push(b' ');
            }
            out.extend_from_slice(self.name(v).as_bytes());
        }
    }

    fn grid(&self, out: &mut Vec<u8>, sequence: &[u32]) {
        let mut visit = vec![0u64; self.name_ends.len()];
        for (i, &v) in sequence.iter().enumerate() {
            visit[v as usize] = self.number_from + i as u64;
        }
        for row in self.places.chunks(self.cols) {
            for (i, place) in row.iter().enumerate() {
                if i > 0 {
                    out.push(b' ');
                }
                match place {
                    Some(v) => push_number(out, visit[*v as usize]),
                    None => out.push(b'.'),
                }
            }
            out.push(b'\n');
        }
    }
}

fn push_number(out: &mut Vec<u8>, number: u64) {
    std::io::Write::write_fmt(out, format_args!("{number}")).expect("writing to memory cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(format: TourFormat, removed: &[&str]) -> String {
        let board = Board::new(2, 3).unwrap().without(removed.iter().map(|s| s.parse().unwrap())).unwrap();
        let writer = TourWriter::new(&board, format, 1);
        let sequence: Vec<u32> = (0..board.len() as u32).rev().collect();
        let mut out = writer.header().as_bytes().to_vec();
        writer.write(&mut out, TourKind::Open, &sequence);
        out.extend_from_slice(writer.separator().as_bytes());
        writer.write(&mut out, TourKind::ReEntrant, &sequence);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn all_formats() {
        assert_eq!(written(TourFormat::Squares, &["b1"]), "c2 b2 a2 c1 a1\n".repeat(2));
        assert_eq!(written(TourFormat::Grid, &["b1"]), "3 2 1\n5 . 4\n\n3 2 1\n5 . 4\n");
        assert_eq!(
            written(TourFormat::Csv, &["a1", "b1", "c1"]),
            "kind,squares\nopen,c2 b2 a2\nre-entrant,c2 b2 a2\n"
        );
        assert_eq!(
            written(TourFormat::Ndjson, &["a1", "b1", "c1", "c2"]).lines().next().unwrap(),
            r#"{"kind":"open","squares":["b2","a2"]}"#
        );
    }
}
