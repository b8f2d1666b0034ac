//! The report of a series of boards: a row for each board, and the rows as a b-file of the OEIS
//! (On-Line Encyclopedia of Integer Sequences).
//!
//! Each line of a b-file has an index and a number. Indices are consecutive, and remarks begin with
//! `#`. See <https://oeis.org/wiki/B-files>. If every second board of a series has no tours, the
//! encyclopedia lists only the other boards: 5 x 2n is printed with a stride of 2.

use ktour::batch::round_to_milliseconds;
use ktour::board::{Piece, Rectangle};
use ktour::tour::Kind;
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use super::count_report::{CountResult, KindCounts};
use super::count_rows::new_count_rows;
use super::table::{Cell, NamedCells, Table, to_pretty_json};

/// The result of one board of a series.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BoardRow {
    /// The sides of the board, such as `5x8`.
    pub board: String,
    /// The board in text form.
    pub board_text: String,
    /// The name of the engine that counted the tours.
    pub engine: String,
    /// Numbers of tours, one entry for each kind.
    pub numbers: Vec<KindCounts>,
    /// Running time in seconds: of the whole series so far if one sweep counts several boards,
    /// otherwise of this board alone.
    pub seconds: f64,
}

impl BoardRow {
    /// Creates the row of a board that was counted on its own, from its result.
    #[must_use]
    pub fn from_result(result: &CountResult) -> Self {
        Self {
            board: result.board().unrestricted().title(),
            board_text: result.board().to_string(),
            engine: result.job.request.engine.name().to_owned(),
            numbers: result.counts_by_kind(),
            seconds: round_to_milliseconds(result.run.seconds),
        }
    }

    /// Returns the number that is printed for each kind: see [`KindCounts::printed`].
    #[must_use]
    pub fn printed_counts(&self, both_directions: bool) -> Vec<&BigUint> {
        self.numbers.iter().map(|numbers| numbers.printed(both_directions)).collect()
    }

    /// Returns the fields of the printed row: the board, and its [printed
    /// counts](Self::printed_counts).
    #[must_use]
    pub fn printed_fields(&self, both_directions: bool) -> Vec<String> {
        let values = self.printed_counts(both_directions).into_iter().map(ToString::to_string);
        std::iter::once(self.board.clone()).chain(values).collect()
    }
}

/// The report of a series, complete or not.
#[derive(Clone, Debug)]
pub struct SeriesReport {
    /// The range of boards, such as `5x2..60`.
    pub boards: String,
    /// Function that returns the index of a board in a sequence. `None` if one number does not
    /// identify a board.
    pub index: Option<fn(&Rectangle) -> u16>,
    /// The text form of the piece.
    pub leaper: String,
    /// The name of the wrapping, such as `torus`. Empty if no edges are joined.
    pub wrap: &'static str,
    /// Names of the fixed start square and the fixed end square. Empty if the square is not fixed.
    pub ends: [String; 2],
    /// Names of the squares that are removed from every board.
    pub removed: Vec<String>,
    /// The name of the symmetry that all counted tours have. Empty if all tours are counted.
    pub symmetry: &'static str,
    /// The modulus, if the numbers are residues.
    pub modulus: Option<u32>,
    /// The kinds that are counted.
    pub kinds: Vec<Kind>,
    /// True if tours are also counted up to symmetry.
    pub distinct: bool,
    /// The recurrence that the numbers satisfy, if one was searched for.
    pub recurrence: Option<NamedCells>,
    /// The finished rows.
    pub rows: Vec<BoardRow>,
    /// The sides of the first board without a row. `None` if `rows` has a row for every board.
    pub next_board: Option<String>,
    /// True if nothing is missing: `rows` has a row for every board, and the recurrence was searched for if requested.
    pub complete: bool,
}

impl SeriesReport {
    /// Returns a title that describes the boards and the tours. If boards are missing, it ends with the last finished one.
    #[must_use]
    pub fn title(&self) -> String {
        let piece: Option<Piece> = self.leaper.parse().ok();
        let piece = piece.as_ref().and_then(Piece::name).unwrap_or(&self.leaper);
        let mut title = format!("{} {piece}", self.boards);
        if !self.wrap.is_empty() {
            title += &format!(", {} joined", self.wrap);
        }
        if !self.removed.is_empty() {
            title += &format!(", without {}", self.removed.join(" "));
        }
        if !self.symmetry.is_empty() {
            title += &format!(", symmetry {}", self.symmetry);
        }
        if self.distinct {
            title += ", up to symmetry";
        }
        match self.rows.last().filter(|_| self.next_board.is_some()) {
            Some(last) => title + &format!(", up to {} so far", last.board),
            None => title,
        }
    }

    /// Returns the title of the horizontal axis of a plot.
    #[must_use]
    pub fn axis_title(&self) -> &'static str {
        if self.index.is_some() { "length of the board" } else { "columns" }
    }

    /// Returns the index of a row's board in a sequence, if the series has such indices.
    #[must_use]
    pub fn row_index(&self, row: &BoardRow) -> Option<u16> {
        Some(self.index?(&row.board.parse().ok()?))
    }

    /// Returns the header of the printed table: a name for each column.
    #[must_use]
    pub fn header(&self, both_directions: bool) -> Vec<String> {
        let what = match (self.distinct, both_directions) {
            (true, _) => "distinct-",
            (false, true) => "directed-",
            (false, false) => "",
        };
        let modulo = self.modulus.map_or_else(String::new, |modulus| format!("-mod-{modulus}"));
        let kinds = self.kinds.iter().map(|kind| format!("{what}{}{modulo}", kind.name()));
        std::iter::once("board".to_owned()).chain(kinds).collect()
    }

    /// Returns the rows of CSV that end an incomplete file: the first missing board, without counts. `is_wide` is true
    /// for one row for each board, false for one row for each board and kind.
    #[must_use]
    pub fn missing_csv_rows(&self, is_wide: bool, both_directions: bool) -> Table {
        let mut table = if is_wide { self.wide_csv_rows(&[], both_directions) } else { self.csv_rows(&[]) };
        let Some(board) = &self.next_board else { return table };
        let board = || ("board", Cell::from(board.as_str()));
        if is_wide {
            table.push_named([board()]);
            return table;
        }
        for kind in &self.kinds {
            table.push_named([board(), ("kind", kind.name().into()), ("complete", false.into())]);
        }
        table
    }

    /// Returns `rows` as a table of one row for each board, with the printed number of each kind.
    #[must_use]
    pub fn wide_csv_rows(&self, rows: &[BoardRow], both_directions: bool) -> Table {
        let mut table = Table::new(self.header(both_directions));
        for row in rows {
            let counts = row.printed_counts(both_directions).into_iter().map(Cell::from);
            table.push(std::iter::once(row.board.as_str().into()).chain(counts));
        }
        table
    }

    /// Returns `rows` as rows of CSV with the columns of [`count_rows`](super::count_rows()). Columns
    /// whose values are not known for each board are empty.
    #[must_use]
    pub fn csv_rows(&self, rows: &[BoardRow]) -> Table {
        let mut table = new_count_rows([
            ("leaper", self.leaper.as_str().into()),
            ("start", self.ends[0].as_str().into()),
            ("end", self.ends[1].as_str().into()),
            ("removed", self.removed.join(" ").into()),
            ("threads", rayon::current_num_threads().into()),
            ("version", env!("CARGO_PKG_VERSION").into()),
            ("symmetry", self.symmetry.into()),
            ("wrap", self.wrap.into()),
            ("modulus", self.modulus.into()),
        ]);
        for row in rows {
            for numbers in &row.numbers {
                table.push_named(numbers.cells().into_iter().chain([
                    ("board", row.board.as_str().into()),
                    ("complete", true.into()),
                    ("engine", row.engine.as_str().into()),
                    ("seconds", Cell::Seconds(row.seconds)),
                    ("board_text", row.board_text.as_str().into()),
                ]));
            }
        }
        table
    }
}

impl SeriesReport {
    /// Returns the report as an indented JSON object, with a newline at the end.
    #[must_use]
    pub fn to_json(&self) -> String {
        let rows = self.rows.iter().flat_map(|row| row.numbers.iter().map(move |numbers| (row, numbers)));
        let series: Vec<Cell> = rows.map(|(row, numbers)| self.row_fields(row, numbers).into()).collect();
        let removed = &self.removed;
        let fields = NamedCells::of_result([
            ("complete", self.complete.into()),
            ("boards", self.boards.as_str().into()),
            ("removed", (!removed.is_empty()).then(|| removed.iter().cloned().collect::<Cell>()).into()),
            ("wrap", self.wrap.into()),
            ("symmetry", self.symmetry.into()),
            ("modulus", self.modulus.into()),
            ("series", Cell::List(series)),
            ("recurrence", self.recurrence.clone().into()),
        ]);
        to_pretty_json(&fields.without_empty())
    }

    /// Returns the JSON object of one board and kind.
    fn row_fields(&self, row: &BoardRow, numbers: &KindCounts) -> NamedCells {
        let [kind, undirected, directed, distinct] = numbers.cells();
        let fields = NamedCells(vec![
            ("board", row.board.as_str().into()),
            ("leaper", self.leaper.as_str().into()),
            kind,
            ("start", self.ends[0].as_str().into()),
            ("end", self.ends[1].as_str().into()),
            undirected,
            directed,
            distinct,
            ("modulus", self.modulus.into()),
            ("engine", row.engine.as_str().into()),
            ("seconds", Cell::Seconds(row.seconds)),
            ("board_text", row.board_text.as_str().into()),
        ]);
        fields.without_empty()
    }
}

#[cfg(test)]
impl SeriesReport {
    /// Returns a report for knights without boards.
    pub fn knight_report() -> Self {
        Self {
            boards: String::new(),
            index: None,
            leaper: "1,2".into(),
            wrap: "",
            ends: [String::new(), String::new()],
            removed: Vec::new(),
            symmetry: "",
            modulus: None,
            kinds: Vec::new(),
            distinct: false,
            recurrence: None,
            rows: Vec::new(),
            next_board: None,
            complete: false,
        }
    }
}

/// Maximum number of digits of a number that the OEIS accepts.
const MAX_NUMBER_DIGITS: usize = 1000;

/// The reason why rows have no b-file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BfileError {
    /// A board without an index. Holds its name.
    #[error("board {0} has no index")]
    NoIndex(String),
    /// A board with several numbers. Holds its name.
    #[error("it takes one number for each board, and {0} has several; choose one kind")]
    SeveralNumbers(String),
    /// A line that is not an index and a number, separated by a space.
    #[error("line `{0}` is not an index and a number")]
    Line(String),
    /// A number that is too long for the OEIS.
    #[error(
        "the number of index {index} has {digits} digits, and the OEIS accepts {MAX_NUMBER_DIGITS}; end the \
         range before it"
    )]
    TooManyDigits {
        /// The index of the number.
        index: i64,
        /// Number of digits.
        digits: usize,
    },
    /// An index that does not follow its predecessor.
    #[error("index {0} does not follow its predecessor")]
    NotConsecutive(i64),
}

/// Returns `rows` as a b-file: a line for each board whose index is a multiple of `stride`. If
/// `has_header`, a first line describes the sequence. The result is checked against the format of b-files.
///
/// # Errors
/// See [`BfileError`].
pub fn format_bfile(
    report: &SeriesReport,
    rows: &[BoardRow],
    stride: u16,
    has_header: bool,
    both_directions: bool,
) -> Result<String, BfileError> {
    let index = report.index.expect("the index was checked before");
    let mut text = String::new();
    if has_header {
        let kind = rows.first().and_then(|row| row.numbers.first()).map_or("", |numbers| numbers.kind.name());
        let direction = if both_directions { ", directed" } else { "" };
        let every =
            if stride > 1 { format!(", every {} length", ordinal(stride.into())) } else { String::new() };
        let (title, version) = (report.title(), env!("CARGO_PKG_VERSION"));
        text += &format!("# {kind} of {title}{direction}{every}, by ktour {version}\n");
    }
    for row in rows {
        let board: Rectangle = row.board.parse().map_err(|_| BfileError::NoIndex(row.board.clone()))?;
        if !index(&board).is_multiple_of(stride) {
            continue;
        }
        let [number] = &row.printed_counts(both_directions)[..] else {
            return Err(BfileError::SeveralNumbers(row.board.clone()));
        };
        text += &format!("{} {number}\n", index(&board) / stride);
    }
    check_bfile(&text).map(|()| text)
}

/// Checks that a text is a valid b-file.
///
/// # Errors
/// See [`BfileError`].
fn check_bfile(text: &str) -> Result<(), BfileError> {
    let mut last: Option<i64> = None;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let wrong_line = || BfileError::Line(line.to_owned());
        let (index, number) = line.split_once(' ').ok_or_else(wrong_line)?;
        let index: i64 = index.parse().map_err(|_| wrong_line())?;
        let digits = number.strip_prefix('-').unwrap_or(number);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || (digits.len() > 1 && digits.starts_with('0')) {
            return Err(wrong_line());
        }
        if digits.len() > MAX_NUMBER_DIGITS {
            return Err(BfileError::TooManyDigits { index, digits: digits.len() });
        }
        if last.is_some_and(|last| last + 1 != index) {
            return Err(BfileError::NotConsecutive(index));
        }
        last = Some(index);
    }
    Ok(())
}

/// Returns a number as an ordinal: `1st`, `2nd`, `3rd`, `4th`, ..
#[must_use]
pub fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (1, rest) if rest != 11 => "st",
        (2, rest) if rest != 12 => "nd",
        (3, rest) if rest != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn row() -> BoardRow {
        let numbers = |kind, undirected: u32, distinct: Option<u32>| KindCounts {
            kind,
            undirected: Some(undirected.into()),
            directed: (2 * undirected).into(),
            distinct: distinct.map(Into::into),
        };
        let numbers = vec![numbers(Kind::Closed, 8, Some(3)), numbers(Kind::Paths, 18784, None)];
        let board_text = "board=5x6 piece=1,2 remove=-".into();
        BoardRow { board: "5x6".into(), board_text, engine: "frontier".into(), numbers, seconds: 0.25 }
    }

    fn report() -> SeriesReport {
        SeriesReport {
            boards: "5x6..7".into(),
            wrap: "rows",
            kinds: vec![Kind::Closed, Kind::Paths],
            rows: vec![row()],
            ..SeriesReport::knight_report()
        }
    }

    #[test]
    fn wide_rows_have_one_column_for_each_kind() {
        let mut csv = Vec::new();
        let report = report();
        report.wide_csv_rows(&report.rows, false).write_csv(&mut csv).unwrap();
        assert_eq!(String::from_utf8(csv).unwrap(), "board,closed,paths\n5x6,3,18784\n");
    }

    #[test]
    fn incomplete_file_ends_with_missing_board() {
        let report = SeriesReport { next_board: Some("5x7".into()), ..report() };
        let csv = |is_wide| {
            let mut csv = Vec::new();
            report.missing_csv_rows(is_wide, false).write_csv_rows(&mut csv).unwrap();
            String::from_utf8(csv).unwrap()
        };
        assert_eq!(csv(true), "5x7,,\n");
        let kinds: Vec<String> = csv(false).lines().map(|line| line[..20].to_owned()).collect();
        assert_eq!(kinds, ["5x7,\"1,2\",closed,,,,", "5x7,\"1,2\",paths,,,,,"]);
        assert!(csv(false).lines().all(|line| line.contains(",false,")));
    }

    #[test]
    fn printed_fields_have_requested_counts() {
        assert_eq!(row().printed_fields(false), ["5x6", "3", "18784"]);
        assert_eq!(row().printed_fields(true), ["5x6", "3", "37568"]);
        let text = serde_json::to_value(row()).unwrap();
        assert_eq!(
            serde_json::from_value::<BoardRow>(text).unwrap().printed_fields(true),
            row().printed_fields(true)
        );
    }

    #[test]
    fn header_names_kinds() {
        let mut report = report();
        assert_eq!(report.header(false), ["board", "closed", "paths"]);
        assert_eq!(report.header(true), ["board", "directed-closed", "directed-paths"]);
        report.distinct = true;
        assert_eq!(report.header(false), ["board", "distinct-closed", "distinct-paths"]);
        assert_eq!(report.title(), "5x6..7 knight, rows joined, up to symmetry");
        report.next_board = Some("5x7".into());
        assert!(report.title().ends_with(", up to 5x6 so far"), "{}", report.title());
    }

    #[test]
    fn report_has_complete_flag() {
        let report = report();
        let document: Value = serde_json::from_str(&report.to_json()).unwrap();
        assert_eq!((&document["complete"], &document["series"][0]["distinct"]), (&false.into(), &"3".into()));
        assert!(document["series"][1].get("start").is_none());
        let mut csv = Vec::new();
        report.csv_rows(&report.rows).write_csv(&mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        assert!(csv.lines().nth(1).unwrap().starts_with("5x6,\"1,2\",closed,,8,16,frontier,0.250,"), "{csv}");
    }

    #[test]
    fn check_bfile_accepts_valid_and_rejects_invalid() {
        for good in ["", "# of\n1 0\n2 16\n", "0 1\n", "-1 -5\n0 7\n"] {
            assert_eq!(check_bfile(good), Ok(()), "{good}");
        }
        let long = format!("7 {}\n", "9".repeat(1001));
        for bad in ["1 0\n3 16\n", "1  0\n", "1 016\n", "1\n", "1 1e5\n", "x 1\n", long.as_str()] {
            assert!(check_bfile(bad).is_err(), "{bad}");
        }
        assert_eq!(check_bfile(&long), Err(BfileError::TooManyDigits { index: 7, digits: 1001 }));
    }

    #[test]
    fn ordinal_has_english_ending() {
        let all: Vec<String> = [1, 2, 3, 4, 11, 12, 13, 22, 101].map(ordinal).into();
        assert_eq!(all.join(" "), "1st 2nd 3rd 4th 11th 12th 13th 22nd 101st");
    }
}
