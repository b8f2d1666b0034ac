//! The text formats of tour files: the header line, [`FileHeader`], and the writer of tours,
//! [`TourWriter`].
//!
//! # Header
//!
//! A header line gives the board and the kind of the tours:
//!
//! ```text
//! # ktour board=8x8 piece=1,2 remove=- kind=closed
//! # ktour graph=DqK names=a,b,c,d,e kind=paths
//! ```
//!
//! A header applies to all tours up to the next header, so files can be concatenated. Other
//! programs treat a header as a comment. A line that begins with `# ktour`, but has no `=` in its
//! next word, is a comment for ktour too.
//!
//! # Formats
//!
//! A tour is written as a line of squares, a number grid, a CSV row or a JSON line:
//!
//! ```text
//! squares   # ktour board=5x5 piece=1,2 remove=- kind=paths
//!           a1 b3 d2 ...
//! grid      # ktour board=5x5 piece=1,2 remove=- kind=paths
//!           3  8 5 10       top rank first, right-aligned, blank line between
//!           ...             tours, `.` where a square is removed, `-` between layers of a box
//! csv       kind,squares,board
//!           open,a1 b3 d2 ...,"board=5x5 piece=1,2 remove=-"
//! ndjson    {"kind":"open","squares":["a1","b3",...],"board":"board=5x5 piece=1,2 remove=-"}
//! ```
//!
//! Every file contains the board and the kind of its tours: in a header line if the format has no
//! field for them, otherwise in a field of each tour. A writer without header omits both.

use std::fmt::Write as _;
use std::io::Write as _;

use super::vertex_positions::{NoLayout, VertexPositions};
use super::{Kind, TourKind};
use crate::board::{Board, BoardError, LeaperBoard};

/// Start of a header line.
const HEADER_PREFIX: &str = "# ktour ";

/// Contents of a header line: the board and the kind of the tours that follow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileHeader {
    /// Text form of the board; `None` if the header does not contain it.
    pub(super) board: Option<String>,
    /// Kind of the tours; `None` if the header does not contain it.
    pub(super) kind: Option<Kind>,
}

impl FileHeader {
    /// Returns the header line for a board, given as its text form, and a kind of tours. The line
    /// end is included.
    pub(super) fn format_line(board: &str, kind: Kind) -> String {
        format!("{HEADER_PREFIX}{board} kind={}\n", kind.name())
    }

    /// Parses a header line without its line end; returns `None` if the line is any other comment.
    pub(super) fn parse_line(text: &[u8]) -> Option<Result<Self, BoardError>> {
        let words = text.strip_prefix(HEADER_PREFIX.as_bytes())?;
        let first = words.trim_ascii_start().split(u8::is_ascii_whitespace).next()?;
        first.contains(&b'=').then(|| Self::parse_fields(words))
    }

    fn parse_fields(words: &[u8]) -> Result<Self, BoardError> {
        let words = std::str::from_utf8(words).map_err(|_| {
            BoardError::TextForm("the header is not UTF-8; save the file as UTF-8".to_owned())
        })?;
        let mut header = Self::default();
        let mut board: Vec<&str> = Vec::new();
        for word in words.split_whitespace() {
            match word.strip_prefix("kind=") {
                None => board.push(word),
                Some(name) => {
                    let kind = Kind::from_name(name);
                    header.kind = Some(kind.ok_or_else(|| {
                        BoardError::TextForm(format!(
                            "`{word}` is not a kind; use kind=closed, kind=open or kind=paths"
                        ))
                    })?);
                }
            }
        }
        // A hand-written header may omit the usual values.
        if board.first().is_some_and(|word| word.starts_with("board=")) {
            for (key, usual) in [("piece=", "piece=1,2"), ("remove=", "remove=-")] {
                if !board.iter().any(|word| word.starts_with(key)) {
                    board.push(usual);
                }
            }
        }
        header.board = (!board.is_empty()).then(|| board.join(" "));
        Ok(header)
    }
}

/// Text format in which tours are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "program", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum TourFormat {
    /// Square names on a line
    Squares,
    /// Move numbers arranged as the board
    Grid,
    /// A row of kind,squares,board
    Csv,
    /// A JSON object on each line
    Ndjson,
}

/// Error for a board whose tours cannot be written in the requested format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A grid for a board whose vertices have no positions.
    #[error(transparent)]
    NoLayout(#[from] NoLayout),
    /// A vertex name that cannot be written in a line of names, because it could not be read back.
    #[error("a line of names cannot contain the name {0:?}; write the tours as JSON lines")]
    UnwritableName(String),
}

/// Size in bytes of the buffer for a short vertex name and the blank after it.
const SHORT_NAME_BYTES: usize = 8;
/// Maximum number of vertices of a board for which a writer stores short names.
const MAX_SHORT_NAMES: usize = 1 << 12;

/// A writer of the tours of one board in one format.
#[derive(Clone, Debug)]
pub struct TourWriter {
    format: TourFormat,
    first_number: u64,
    /// Text form of the board; `None` if the writer omits the board and the kind.
    board_text: Option<String>,
    /// Text at the end of each CSV row or JSON object: the board as a field.
    row_suffix: String,
    /// Names of all vertices as the format spells them, concatenated; and the end of each name in
    /// this text, in bytes.
    names: String,
    name_ends: Vec<usize>,
    /// For each vertex, its name with a blank after it, and the length of both in bytes. Filled
    /// only if all names are short; writing them is then much faster.
    short_names: Vec<([u8; SHORT_NAME_BYTES], usize)>,
    /// Vertex in each cell of the grid, row by row from the top rank; and the number of columns.
    grid_cells: Vec<Option<u32>>,
    cols: usize,
    /// For each column of the grid, true if it separates two layers of a box.
    is_gap_column: Vec<bool>,
    /// Width of the largest move number, in characters.
    number_width: usize,
}

impl TourWriter {
    /// Creates a writer for tours of `board` in a format. Grids number the squares from
    /// `first_number`. Cost O(vertices).
    ///
    /// # Errors
    /// [`WriteError`] if the tours of the board cannot be written in this format.
    pub fn new(board: &Board, format: TourFormat, first_number: u64) -> Result<Self, WriteError> {
        let board = board.unrestricted();
        let text = board.to_string();
        let row_suffix = match format {
            TourFormat::Squares | TourFormat::Grid => String::new(),
            // A text form never contains a quote.
            TourFormat::Csv => format!(",\"{text}\""),
            TourFormat::Ndjson => {
                format!(",\"board\":{}", serde_json::to_string(&text).expect("text can be quoted"))
            }
        };
        let last = first_number + (board.len() as u64).saturating_sub(1);
        let mut writer = Self {
            format,
            first_number,
            board_text: Some(text),
            row_suffix,
            names: String::new(),
            name_ends: Vec::new(),
            short_names: Vec::new(),
            grid_cells: Vec::new(),
            cols: 1,
            is_gap_column: Vec::new(),
            number_width: last.to_string().len(),
        };
        match format {
            TourFormat::Grid => writer.set_grid_cells(VertexPositions::of_board(board)?),
            TourFormat::Squares | TourFormat::Csv | TourFormat::Ndjson => writer.set_names(board)?,
        }
        if matches!(format, TourFormat::Squares | TourFormat::Csv) && board.len() <= MAX_SHORT_NAMES {
            let short_name = |v| {
                let name = writer.name_of(v).as_bytes();
                let mut word = [b' '; SHORT_NAME_BYTES];
                word.get_mut(..name.len())?.copy_from_slice(name);
                (name.len() < SHORT_NAME_BYTES).then_some((word, name.len() + 1))
            };
            writer.short_names =
                (0..board.len() as u32).map(short_name).collect::<Option<_>>().unwrap_or_default();
        }
        Ok(writer)
    }

    /// Returns a writer that writes only the tours, without the header or field that contains the
    /// board and the kind.
    #[must_use]
    pub fn without_header(self) -> Self {
        Self { board_text: None, row_suffix: String::new(), ..self }
    }

    fn set_grid_cells(&mut self, positions: VertexPositions<'_>) {
        self.cols = usize::from(positions.cols());
        self.is_gap_column =
            (0..positions.cols()).map(|column| positions.file_of_column(column).is_none()).collect();
        self.grid_cells = vec![None; usize::from(positions.rows()) * self.cols];
        for (v, square) in (0..).zip(positions.positions()) {
            let row_from_top = usize::from(positions.rows() - 1 - square.rank());
            self.grid_cells[row_from_top * self.cols + usize::from(square.file())] = Some(v);
        }
    }

    fn set_names(&mut self, board: &Board) -> Result<(), WriteError> {
        self.name_ends.reserve(board.len());
        if let Some(rectangle) = board.leaper_board().map(LeaperBoard::rectangle) {
            for square in rectangle.squares() {
                write!(self.names, "{square}").expect("writing to memory cannot fail");
                self.name_ends.push(self.names.len());
            }
            return Ok(());
        }
        for v in 0..board.len() as u32 {
            let name = board.name(v);
            if self.format == TourFormat::Ndjson {
                let quoted = serde_json::to_string(&name).expect("text can be quoted");
                self.names.push_str(&quoted[1..quoted.len() - 1]);
            } else if name.contains(|c: char| c.is_whitespace() || matches!(c, ',' | '"'))
                || name.starts_with(['#', '{'])
            {
                return Err(WriteError::UnwritableName(name));
            } else {
                self.names.push_str(&name);
            }
            self.name_ends.push(self.names.len());
        }
        Ok(())
    }

    /// Returns the text that must precede the first tour of a kind in a file; empty if the format
    /// needs none.
    #[must_use]
    pub fn header(&self, kind: Kind) -> String {
        match (self.format, &self.board_text) {
            (TourFormat::Squares | TourFormat::Grid, Some(board)) => FileHeader::format_line(board, kind),
            (TourFormat::Csv, Some(_)) => "kind,squares,board\n".to_owned(),
            (TourFormat::Csv, None) => "kind,squares\n".to_owned(),
            _ => String::new(),
        }
    }

    /// Returns the text that separates two tours.
    #[must_use]
    pub const fn separator(&self) -> &'static str {
        match self.format {
            TourFormat::Grid => "\n",
            _ => "",
        }
    }

    /// Appends one tour to `out`. `sequence` contains the vertices in order of visit.
    pub fn write(&self, out: &mut Vec<u8>, kind: TourKind, sequence: &[u32]) {
        match self.format {
            TourFormat::Squares => {
                self.write_names(out, sequence);
                out.push(b'\n');
            }
            TourFormat::Grid => self.write_grid(out, sequence),
            TourFormat::Csv => {
                // Neither kind nor names contain a comma or quote, so they need no quoting.
                out.extend_from_slice(kind.name().as_bytes());
                out.push(b',');
                self.write_names(out, sequence);
                out.extend_from_slice(self.row_suffix.as_bytes());
                out.push(b'\n');
            }
            TourFormat::Ndjson => {
                // Names are already escaped.
                out.extend_from_slice(b"{\"kind\":\"");
                out.extend_from_slice(kind.name().as_bytes());
                out.extend_from_slice(b"\",\"squares\":[");
                for (i, &v) in sequence.iter().enumerate() {
                    out.extend_from_slice(if i > 0 { b",\"" } else { b"\"" });
                    out.extend_from_slice(self.name_of(v).as_bytes());
                    out.push(b'"');
                }
                out.push(b']');
                out.extend_from_slice(self.row_suffix.as_bytes());
                out.extend_from_slice(b"}\n");
            }
        }
    }

    fn name_of(&self, v: u32) -> &str {
        let v = v as usize;
        let from = if v > 0 { self.name_ends[v - 1] } else { 0 };
        &self.names[from..self.name_ends[v]]
    }

    fn write_names(&self, out: &mut Vec<u8>, sequence: &[u32]) {
        if !self.short_names.is_empty() && !sequence.is_empty() {
            let mut at = out.len();
            out.resize(at + SHORT_NAME_BYTES * sequence.len(), 0);
            for &v in sequence {
                let (word, len) = &self.short_names[v as usize];
                out[at..at + SHORT_NAME_BYTES].copy_from_slice(word);
                at += len;
            }
            // Remove the blank after the last name.
            out.truncate(at - 1);
            return;
        }
        for (i, &v) in sequence.iter().enumerate() {
            if i > 0 {
                out.push(b' ');
            }
            out.extend_from_slice(self.name_of(v).as_bytes());
        }
    }

    fn write_grid(&self, out: &mut Vec<u8>, sequence: &[u32]) {
        let mut visit_numbers = vec![0u64; sequence.len()];
        for (i, &v) in sequence.iter().enumerate() {
            visit_numbers[v as usize] = self.first_number + i as u64;
        }
        for row in self.grid_cells.chunks(self.cols) {
            for (i, place) in row.iter().enumerate() {
                if i > 0 {
                    out.push(b' ');
                }
                let width = self.number_width;
                let written = match place {
                    Some(v) => write!(out, "{:>width$}", visit_numbers[*v as usize]),
                    None => write!(out, "{:>width$}", if self.is_gap_column[i] { '-' } else { '.' }),
                };
                written.expect("writing to memory cannot fail");
            }
            out.push(b'\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{CustomGraph, Graph, Layout, Square};

    #[test]
    fn header_round_trips_for_every_board_kind() {
        let ring = Graph::from_edges(5, (0..5).map(|v| (v, (v + 1) % 5)));
        let named = CustomGraph::new(ring.clone()).with_names(["a b", "=", ",", "\"", "#"]).unwrap();
        let boards = ["board=5x9 piece=1,2 remove=c3,c4", "board=10x10 piece=1,4 remove=-"];
        let boards = boards.map(|text| text.parse().unwrap());
        for board in
            [Board::from_graph(ring), Board::new(named.with_title("five = 5"))].into_iter().chain(boards)
        {
            for kind in Kind::ALL {
                let line = FileHeader::format_line(&board.to_string(), kind);
                let header = FileHeader::parse_line(line.trim_end().as_bytes()).unwrap().unwrap();
                assert_eq!(header.kind, Some(kind));
                assert_eq!(header.board.unwrap().parse(), Ok(board.clone()));
            }
        }
    }

    #[test]
    fn parse_line_ignores_other_comments() {
        for remark in
            ["#", "# ktour", "# ktour list 5x5 --start=a1", "# a remark", "#ktour board=8x8", "a1 b3"]
        {
            assert_eq!(FileHeader::parse_line(remark.as_bytes()), None, "{remark}");
        }
        let kind = FileHeader::parse_line(b"# ktour kind=open").unwrap().unwrap();
        assert_eq!(kind, FileHeader { board: None, kind: Some(Kind::Open) });
        let short = FileHeader::parse_line(b"# ktour board=8x8  kind=closed").unwrap().unwrap();
        assert_eq!(short.board.as_deref(), Some("board=8x8 piece=1,2 remove=-"));
        assert!(FileHeader::parse_line(b"# ktour board=8x8 kind=round").unwrap().is_err());
    }

    fn written(board: &Board, format: TourFormat) -> Result<String, WriteError> {
        text(&TourWriter::new(board, format, 1)?.without_header(), board)
    }

    fn text(writer: &TourWriter, board: &Board) -> Result<String, WriteError> {
        let sequence: Vec<u32> = (0..board.len() as u32).rev().collect();
        let mut out = writer.header(Kind::Paths).into_bytes();
        writer.write(&mut out, TourKind::Open, &sequence);
        out.extend_from_slice(writer.separator().as_bytes());
        writer.write(&mut out, TourKind::ReEntrant, &sequence);
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn write_supports_all_formats() {
        let written = |format, removed: &str| {
            let board = format!("board=2x3 piece=1,2 remove={removed}").parse().unwrap();
            written(&board, format).unwrap()
        };
        assert_eq!(written(TourFormat::Squares, "b1"), "c2 b2 a2 c1 a1\n".repeat(2));
        assert_eq!(written(TourFormat::Grid, "b1"), "3 2 1\n5 . 4\n\n3 2 1\n5 . 4\n");
        assert_eq!(
            written(TourFormat::Csv, "a1,b1,c1"),
            "kind,squares\nopen,c2 b2 a2\nre-entrant,c2 b2 a2\n"
        );
        assert_eq!(
            written(TourFormat::Ndjson, "a1,b1,c1,c2").lines().next().unwrap(),
            r#"{"kind":"open","squares":["b2","a2"]}"#
        );
    }

    #[test]
    fn files_give_board_and_kind() {
        let rectangle = "board=4x4 piece=1,2 remove=b1,c1,d1,a2,b2,c2";
        let board: Board = rectangle.parse().unwrap();
        let written = |format| text(&TourWriter::new(&board, format, 1).unwrap(), &board).unwrap();
        let header = format!("# ktour {rectangle} kind=paths\n");
        assert_eq!(
            written(TourFormat::Squares),
            header.clone() + &"d4 c4 b4 a4 d3 c3 b3 a3 d2 a1\n".repeat(2)
        );
        let grid = " 4  3  2  1\n 8  7  6  5\n .  .  .  9\n10  .  .  .\n";
        assert_eq!(written(TourFormat::Grid), format!("{header}{grid}\n{grid}"), "aligned to the right");
        let csv = written(TourFormat::Csv);
        let row = format!("open,d4 c4 b4 a4 d3 c3 b3 a3 d2 a1,\"{rectangle}\"\n");
        assert_eq!(csv, format!("kind,squares,board\n{row}{}", row.replace("open", "re-entrant")));
        let mut rows = csv::Reader::from_reader(csv.as_bytes());
        assert!(rows.records().all(|row| row.unwrap().get(2) == Some(rectangle)));
        let json: serde_json::Value =
            serde_json::from_str(written(TourFormat::Ndjson).lines().next().unwrap()).unwrap();
        assert_eq!((json["kind"].as_str(), json["board"].as_str()), (Some("open"), Some(rectangle)));
    }

    #[test]
    fn graph_tours_are_written_by_vertex_names() {
        let path = CustomGraph::new(Graph::from_edges(3, [(0, 1), (1, 2)]));
        let plain = Board::new(path.clone());
        assert_eq!(written(&plain, TourFormat::Squares).unwrap(), "3 2 1\n3 2 1\n");
        let long = Board::new(path.clone().with_names(["a", "seven77", "eight888"]).unwrap());
        assert_eq!(written(&long, TourFormat::Squares).unwrap(), "eight888 seven77 a\n".repeat(2));
        let short = Board::new(path.clone().with_names(["a", "seven77", "c"]).unwrap());
        assert_eq!(written(&short, TourFormat::Csv).unwrap().lines().nth(1), Some("open,c seven77 a"));
        assert!(matches!(written(&plain, TourFormat::Grid), Err(WriteError::NoLayout(_))));
        let named = Board::new(path.clone().with_names(["a b", "\"c\"", "d"]).unwrap());
        let lines = written(&named, TourFormat::Ndjson).unwrap();
        assert_eq!(lines.lines().next().unwrap(), r#"{"kind":"open","squares":["d","\"c\"","a b"]}"#);
        let error = written(&named, TourFormat::Csv).unwrap_err();
        assert!(error.to_string().contains("\"a b\""), "{error}");
        assert!(matches!(error, WriteError::UnwritableName(name) if name == "a b"));
        let squares = [(0, 0), (1, 0), (1, 1)].map(|(file, rank)| Square::new(file, rank)).to_vec();
        let placed = Board::new(path.with_layout(Layout::new(2, 2, squares)).unwrap());
        assert_eq!(written(&placed, TourFormat::Grid).unwrap(), ". 1\n3 2\n\n. 1\n3 2\n");
    }
}
