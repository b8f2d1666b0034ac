//! Published numbers of all tours, and of symmetric and distinct tours, which are part of the
//! program for comparison with its own counts.
//!
//! # All tours
//!
//! `published.csv` has one number of knight's tours per row, with the columns board, kind,
//! direction, start square and source. A `prefix` of K stands for a ragged board: the first K
//! squares in column-major order of a board `rows` high. `published_boards.csv` has the numbers for
//! other pieces, wrapped boards and graphs, and for tours with a fixed end; its first column is the
//! text form of the board. Published values that are known to be wrong are left out, and so is the
//! convention that one square has no path. Rows for single start squares count directed tours.
//!
//! # Symmetric and distinct tours
//!
//! `symmetric/published.csv` has one number per row, with the columns board, piece, kind, quantity
//! (`what`) and source. The values of `what` are
//!
//! ```text
//! distinct              classes of all tours under the board's symmetries
//! asymmetric-distinct   classes of tours without symmetry
//! symmetric-distinct    classes of tours with any symmetry
//! rot180                tours with a half turn (similarly for the other symmetries)
//! rot180-distinct       classes of tours with a half turn
//! rot180only            tours with a half turn and no other symmetry
//! rot180only-distinct   classes of tours with a half turn and no other symmetry
//! ```

use num_bigint::BigUint;
use serde::Deserialize;

use super::symmetric::{ClassCounter, ClassNumbers, NamedSymmetry, SymmetricContext};
use super::{Answer, CountError, Engine, Request, count, directed_count};
use crate::board::{Board, BoardError, Leaper, Piece, Rectangle, Square};
use crate::control::Control;
use crate::tour::{Kind, SymmetryClass, TourSpec};

/// Contents of the two CSV files with published numbers of all tours.
const TABLE_TEXTS: [&str; 2] = [include_str!("published.csv"), include_str!("published_boards.csv")];

/// A published number of tours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedCount {
    /// Board of the tours.
    pub board: Board,
    /// Kind of the tours.
    pub kind: Kind,
    /// True if the number counts both directions of a tour.
    pub is_directed: bool,
    /// Start vertex, if the number counts tours from one square.
    pub start: Option<u32>,
    /// End vertex, if the number counts tours that end on one square.
    pub end: Option<u32>,
    /// Published number of tours.
    pub count: BigUint,
    /// Source of the publication.
    pub source: String,
}

#[derive(Deserialize)]
struct Row {
    rows: Option<u16>,
    cols: Option<u16>,
    prefix: Option<u32>,
    board: Option<String>,
    kind: String,
    direction: String,
    start: Option<String>,
    end: Option<String>,
    count: String,
    source: String,
}

/// Column names of a table of numbers for rectangles.
const RECTANGLE_COLUMNS: [&str; 8] =
    ["rows", "cols", "prefix", "kind", "direction", "start", "count", "source"];

/// Column names of a table of numbers for boards in text form.
const TEXT_FORM_COLUMNS: [&str; 5] = ["board", "kind", "direction", "count", "source"];

/// Column names of a table of numbers for boards in text form, with the ends of the tours.
const TEXT_FORM_COLUMNS_WITH_ENDS: [&str; 7] =
    ["board", "kind", "direction", "start", "end", "count", "source"];

/// A counting job and the published numbers that it recomputes.
#[derive(Clone, Debug)]
pub struct PublishedJob {
    /// Request that recomputes the numbers.
    pub request: Request,
    /// Published numbers that the request recomputes.
    pub counts: Vec<PublishedCount>,
}

/// An error in a table of published numbers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct TableError {
    /// Number of the line with the error, from 1.
    pub line: u64,
    /// Description of the error.
    pub reason: String,
}

/// Returns the published numbers of all tours that are part of the program.
///
/// # Panics
/// Panics if a table in the program is malformed; a test excludes this.
#[must_use]
pub fn published_counts() -> Vec<PublishedCount> {
    let table = |table| parse_table(table).expect("the table is well formed");
    TABLE_TEXTS.into_iter().flat_map(table).collect()
}

/// Parses a CSV table that has the columns of one of the two built-in tables, the latter with or
/// without the columns `start` and `end`.
///
/// # Errors
/// The error of the first malformed row.
pub fn parse_table(table: &str) -> Result<Vec<PublishedCount>, TableError> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let known_columns =
        [RECTANGLE_COLUMNS.as_slice(), TEXT_FORM_COLUMNS.as_slice(), TEXT_FORM_COLUMNS_WITH_ENDS.as_slice()];
    let header = reader.headers().ok().cloned().unwrap_or_default();
    let Some(columns) = known_columns.into_iter().find(|columns| header == **columns) else {
        let [rectangles, boards, ends] = known_columns.map(|columns| columns.join(","));
        let what = format!("wrong column names; use {rectangles}, or {boards}, or {ends}");
        return Err(TableError { line: 1, reason: what });
    };
    // Line 1 is the header; no field contains a line break.
    let rows = (2..).zip(reader.deserialize());
    rows.map(|(line, row): (u64, Result<Row, csv::Error>)| {
        let wrong = |what: String| TableError { line, reason: what };
        row.map_err(|error| wrong(describe_csv_error(&error, columns)))?.into_published_count().map_err(wrong)
    })
    .collect()
}

/// Returns a description of the error of a CSV row, with the column names of the table.
fn describe_csv_error(error: &csv::Error, columns: &[&str]) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("wrong number of fields: {len}; use {expected_len}")
        }
        csv::ErrorKind::Deserialize { err, .. } => {
            let column = err.field().and_then(|field| columns.get(usize::try_from(field).ok()?));
            format!("column {}: {}", column.unwrap_or(&"?"), err.kind())
        }
        csv::ErrorKind::Utf8 { .. } => "the text is not UTF-8; save it as UTF-8".to_owned(),
        _ => error.to_string(),
    }
}

impl Row {
    fn into_published_count(self) -> Result<PublishedCount, String> {
        let board = match (&self.board, self.rows, self.cols) {
            (Some(text), None, None) => text.parse().map_err(|error: BoardError| error.to_string())?,
            (None, Some(rows), Some(cols)) => {
                Board::from_leaper(self.to_rectangle(rows, cols)?, Leaper::KNIGHT)
            }
            _ => return Err("missing board; fill in rows and cols, or board".to_owned()),
        };
        if board.is_empty() {
            return Err("the board has no square; keep at least one".to_owned());
        }
        let vertex = |name: Option<String>| {
            name.map(|name| board.vertex(&name)).transpose().map_err(|error| error.to_string())
        };
        let (start, end) = (vertex(self.start)?, vertex(self.end)?);
        if end.is_some() && self.kind == Kind::Closed.name() {
            return Err("a closed tour has no end; leave the end empty".to_owned());
        }
        let directed = match self.direction.as_str() {
            "directed" => true,
            "undirected" if start.is_none() && end.is_none() => false,
            other => return Err(format!("wrong direction `{other}`; use directed or undirected")),
        };
        Ok(PublishedCount {
            board,
            kind: Kind::from_name(&self.kind)
                .ok_or_else(|| format!("unknown kind `{}`; use closed, open or paths", self.kind))?,
            is_directed: directed,
            start,
            end,
            count: self
                .count
                .parse()
                .map_err(|_| format!("`{}` is not a whole number; use decimal digits", self.count))?,
            source: self.source,
        })
    }

    /// Returns the rectangle of the first `prefix` squares, in column-major order, of the full
    /// board; the full board if there is no `prefix`.
    fn to_rectangle(&self, rows: u16, cols: u16) -> Result<Rectangle, String> {
        let squares = self.prefix.unwrap_or(u32::MAX);
        let full = Rectangle::new(rows, cols).map_err(|error| error.to_string())?;
        let column_major_index = |s: &Square| u32::from(s.file()) * u32::from(rows) + u32::from(s.rank());
        let removed: Vec<Square> = full.squares().filter(|s| column_major_index(s) >= squares).collect();
        full.without(removed).map_err(|error| error.to_string())
    }
}

/// Groups published numbers by the job that recomputes them. Each board has one job for its closed
/// tours, one job for its paths and open tours, and one job for each pair of fixed ends.
#[must_use]
pub fn group_by_job(numbers: Vec<PublishedCount>) -> Vec<PublishedJob> {
    let mut groups: Vec<PublishedJob> = Vec::new();
    for number in numbers {
        let closed = number.kind == Kind::Closed;
        let ends = |number: &PublishedCount| number.end.map(|end| (number.start, end));
        let same = |group: &&mut PublishedJob| {
            *group.request.board() == number.board
                && (group.request.kind() == Some(Kind::Closed)) == closed
                && ends(&group.counts[0]) == ends(&number)
        };
        if let Some(group) = groups.iter_mut().find(same) {
            group.counts.push(number);
            continue;
        }
        let kind = Some(if closed { Kind::Closed } else { Kind::Paths });
        let request = Request::of_kind(number.board.clone(), kind);
        groups.push(PublishedJob { request, counts: vec![number] });
    }
    for group in &mut groups {
        // Open tours are paths minus re-entrant paths, and those require the closed tours.
        if group.counts.iter().any(|number| number.kind == Kind::Open) {
            group.request.all_kinds = true;
        }
        let (start, end) = (group.counts[0].start, group.counts[0].end);
        if group.counts.iter().all(|number| number.start == start) {
            let spec = group.request.spec.clone().with_ends(start, end);
            group.request.spec = spec.expect("a published number has possible ends");
        }
        // A sweep counts by start square only on request.
        let has_starts = group.counts.iter().any(|number| number.start.is_some());
        group.request.per_start = has_starts && group.request.start().is_none();
    }
    groups
}

/// Returns the published numbers of all tours that are part of the program, grouped by job.
#[must_use]
pub fn published_jobs() -> Vec<PublishedJob> {
    group_by_job(published_counts())
}

impl PublishedCount {
    /// Returns the number in `answer` that corresponds to this published number, or `None` if the
    /// answer does not contain it.
    #[must_use]
    pub fn value_in(&self, answer: &Answer) -> Option<BigUint> {
        match self.start {
            _ if answer.is_directed => answer.counts.get(self.kind).cloned(),
            Some(vertex) => {
                let start = answer.per_start.get(vertex as usize)?;
                start.counts.get(self.kind).cloned()
            }
            None => {
                let count = answer.counts.get(self.kind)?;
                Some(if self.is_directed { directed_count(count, self.board.len()) } else { count.clone() })
            }
        }
    }

    /// Returns the convention under which the published number is right, if it is another one than that of
    /// the table: another kind of tours, directed tours, tours up to symmetry, or closed tours counted from
    /// each square. Counts all kinds of tours of the board.
    ///
    /// # Errors
    /// A count failed or was stopped.
    pub fn other_convention(&self, control: &Control) -> Result<Option<String>, CountError> {
        if self.start.is_some() || self.end.is_some() {
            return Ok(None);
        }
        let answer = count(&Request::new(self.board.clone()), control)?;
        let squares = self.board.len();
        for kind in Kind::ALL {
            let Some(total) = answer.counts.get(kind) else { continue };
            let name = kind.plural();
            let directed = directed_count(total, squares);
            let readings = [
                (!self.is_directed && kind == self.kind, total.clone(), format!("{name} without direction")),
                (self.is_directed && kind == self.kind, directed.clone(), format!("directed {name}")),
            ];
            let other = readings.into_iter().filter(|(is_own, ..)| !is_own);
            let mut other: Vec<(BigUint, String)> = other.map(|(_, count, name)| (count, name)).collect();
            if kind == Kind::Closed {
                other.push((total * squares, format!("{name}, each once for each square")));
                other.push((directed * squares, format!("directed {name}, each once for each square")));
            }
            if let Some(distinct) = self.count_distinct(kind, total, control)? {
                other.push((distinct, format!("{name} up to symmetry")));
            }
            if let Some((_, name)) = other.into_iter().find(|(count, _)| *count == self.count) {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// Returns the number of classes of tours, if the board is a rectangle.
    fn count_distinct(
        &self,
        kind: Kind,
        total: &BigUint,
        control: &Control,
    ) -> Result<Option<BigUint>, CountError> {
        if self.board.leaper_board().is_none() {
            return Ok(None);
        }
        let context = SymmetricContext::new(TourSpec::all(self.board.clone(), kind), Engine::Auto, None)?;
        ClassCounter::new(&context, control).count_distinct(total).map(Some)
    }

    /// Returns a title for the published number, for example `6x6 closed`, `5x5 paths directed from
    /// a1` or `4x8 torus wazir closed`.
    #[must_use]
    pub fn title(&self) -> String {
        let rectangle = self.board.leaper_board();
        let prefix = match rectangle.is_some_and(|rectangle| !rectangle.rectangle().removed().is_empty()) {
            true => format!(" (first {} squares)", self.board.len()),
            false => String::new(),
        };
        let other = self.board.piece().filter(|piece| *piece != Piece::default());
        let piece = other.map_or_else(String::new, |piece| {
            format!(" {}", piece.name().map_or_else(|| piece.to_string(), str::to_owned))
        });
        let directed = if self.is_directed { " directed" } else { "" };
        let vertex = |word: &str, vertex: Option<u32>| {
            vertex.map_or_else(String::new, |v| format!(" {word} {}", self.board.name(v)))
        };
        let (start, end) = (vertex("from", self.start), vertex("to", self.end));
        format!("{}{prefix}{piece} {}{directed}{start}{end}", self.board.title(), self.kind.name())
    }
}

/// Contents of the CSV file with published numbers of symmetric and distinct tours.
const SYMMETRIC_TABLE_TEXT: &str = include_str!("symmetric/published.csv");

/// A kind of number that publications give for symmetric or distinct tours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Number of classes of all tours.
    Distinct,
    /// Number of classes of tours without symmetry.
    AsymmetricClasses,
    /// Number of classes of tours with any symmetry.
    SymmetricClasses,
    /// Number of tours with a symmetry, which may have others.
    WithSymmetry(NamedSymmetry),
    /// Number of classes of tours with a symmetry, which may have others.
    ClassesWithSymmetry(NamedSymmetry),
    /// Number of tours with a symmetry and no other.
    OnlySymmetry(NamedSymmetry),
    /// Number of classes of tours with a symmetry and no other.
    ClassesOnlySymmetry(NamedSymmetry),
}

/// A published number of symmetric or distinct tours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedSymmetricCount {
    /// Board of the tours.
    pub rectangle: Rectangle,
    /// Piece of the tours.
    pub leaper: Leaper,
    /// Kind of the tours.
    pub kind: Kind,
    /// Quantity that the number counts.
    pub quantity: Quantity,
    /// Published number.
    pub count: BigUint,
    /// Source of the publication.
    pub source: String,
    quantity_name: String,
}

#[derive(Deserialize)]
struct SymmetricRow {
    rows: u16,
    cols: u16,
    removed: Option<String>,
    leaper: String,
    kind: String,
    what: String,
    count: String,
    source: String,
}

/// Returns the published numbers of symmetric and distinct tours that are part of the program.
///
/// # Panics
/// Panics if the table in the program is malformed; a test excludes this.
#[must_use]
pub fn published_symmetric_counts() -> Vec<PublishedSymmetricCount> {
    let mut reader = csv::Reader::from_reader(SYMMETRIC_TABLE_TEXT.as_bytes());
    reader
        .deserialize()
        .map(|row: Result<SymmetricRow, csv::Error>| {
            let row = row.expect("the table has all columns");
            let removed = row.removed.map(|name| name.parse().expect("the table names squares"));
            let board = Rectangle::new(row.rows, row.cols).expect("the table has boards with squares");
            PublishedSymmetricCount {
                rectangle: board.without(removed).expect("the squares are on the board"),
                leaper: row.leaper.parse().expect("the table has leapers"),
                kind: Kind::from_name(&row.kind).expect("the table has known kinds"),
                quantity: Quantity::from_name(&row.what).expect("the table has known quantities"),
                count: row.count.parse().expect("the table has numbers"),
                source: row.source,
                quantity_name: row.what,
            }
        })
        .collect()
}

impl Quantity {
    fn from_name(name: &str) -> Option<Self> {
        let (symmetry, distinct) = name.strip_suffix("-distinct").map_or((name, false), |rest| (rest, true));
        let (symmetry, only) = symmetry.strip_suffix("only").map_or((symmetry, false), |rest| (rest, true));
        Some(match (symmetry, only, distinct) {
            ("distinct", ..) => Self::Distinct,
            ("asymmetric", false, true) => Self::AsymmetricClasses,
            ("symmetric", false, true) => Self::SymmetricClasses,
            (_, false, false) => Self::WithSymmetry(NamedSymmetry::from_name(symmetry)?),
            (_, false, true) => Self::ClassesWithSymmetry(NamedSymmetry::from_name(symmetry)?),
            (_, true, false) => Self::OnlySymmetry(NamedSymmetry::from_name(symmetry)?),
            (_, true, true) => Self::ClassesOnlySymmetry(NamedSymmetry::from_name(symmetry)?),
        })
    }

    /// Returns true if computing the quantity requires the number of all tours.
    #[must_use]
    pub const fn needs_total(self) -> bool {
        matches!(self, Self::Distinct | Self::AsymmetricClasses)
    }
}

impl PublishedSymmetricCount {
    /// Computes the published quantity again, and returns it with the names of the engines that counted symmetric
    /// tours. `total` returns the number of all tours of the kind; it is called only if the quantity requires that number.
    ///
    /// # Errors
    /// A count failed or was stopped.
    pub fn compute(
        &self,
        engine: Engine,
        control: &Control,
        total: impl FnOnce() -> Result<BigUint, CountError>,
    ) -> Result<(BigUint, &'static str), CountError> {
        let board = Board::from_leaper(self.rectangle.clone(), self.leaper);
        let context = SymmetricContext::new(TourSpec::all(board, self.kind), engine, None)?;
        let mut census = ClassCounter::new(&context, control);
        let count = match self.quantity {
            Quantity::Distinct => census.count_distinct(&total()?)?,
            Quantity::AsymmetricClasses => {
                sum_rows(census.class_table(&total()?)?.rows, |class| class == SymmetryClass::Asymmetric)
                    .classes
            }
            Quantity::SymmetricClasses => sum_rows(census.symmetric_classes()?, |_| true).classes,
            Quantity::WithSymmetry(named) => census.count_with_symmetry(named, false)?.tours,
            Quantity::ClassesWithSymmetry(named) => census.count_with_symmetry(named, true)?.classes,
            Quantity::OnlySymmetry(named) => {
                sum_rows(census.symmetric_classes()?, |class| has_only(class, named)).tours
            }
            Quantity::ClassesOnlySymmetry(named) => {
                sum_rows(census.symmetric_classes()?, |class| has_only(class, named)).classes
            }
        };
        Ok((count, context.engine_names()))
    }

    /// Returns a title for the published number, for example `6x6 closed rot90`.
    #[must_use]
    pub fn title(&self) -> String {
        let removed: String =
            self.rectangle.removed().iter().map(|square| format!(" without {square}")).collect();
        let piece =
            if self.leaper == Leaper::KNIGHT { String::new() } else { format!(" ({} leaper)", self.leaper) };
        format!("{}{removed}{piece} {} {}", self.rectangle, self.kind.name(), self.quantity_name)
    }
}

fn sum_rows(
    rows: Vec<(SymmetryClass, ClassNumbers)>,
    is_selected: impl Fn(SymmetryClass) -> bool,
) -> ClassNumbers {
    let mut all = ClassNumbers::default();
    for (_, numbers) in rows.into_iter().filter(|(class, _)| is_selected(*class)) {
        all.tours += numbers.tours;
        all.classes += numbers.classes;
    }
    all
}

const fn has_only(class: SymmetryClass, named: NamedSymmetry) -> bool {
    match named {
        NamedSymmetry::Rot180 => {
            matches!(class, SymmetryClass::Rot180 | SymmetryClass::Eulerian | SymmetryClass::Bergholtian)
        }
        NamedSymmetry::Rot90 => matches!(class, SymmetryClass::Rot90),
        NamedSymmetry::Axial => matches!(class, SymmetryClass::Axial),
        NamedSymmetry::Diagonal => matches!(class, SymmetryClass::Diagonal),
        NamedSymmetry::Eulerian => matches!(class, SymmetryClass::Eulerian),
        NamedSymmetry::Bergholtian => matches!(class, SymmetryClass::Bergholtian),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_tables_are_well_formed() {
        let numbers = published_counts();
        assert!(numbers.len() > 750);
        assert!(numbers.iter().all(|number| number.start.is_none() || number.is_directed));
        let in_groups: usize = published_jobs().iter().map(|group| group.counts.len()).sum();
        assert_eq!(in_groups, numbers.len());
    }

    #[test]
    fn prefix_boards_fill_columns() {
        let boards = published_counts()
            .into_iter()
            .filter_map(|n| n.board.leaper_board().map(|r| r.rectangle().clone()));
        let board = boards.into_iter().find(|board| !board.removed().is_empty()).unwrap();
        let (rows, len) = (usize::from(board.rows()), board.len());
        let squares: Vec<Square> = board.squares().collect();
        let column_major_index = |s: &Square| usize::from(s.file()) * rows + usize::from(s.rank());
        assert!(squares.iter().all(|square| column_major_index(square) < len));
    }

    #[test]
    fn fixed_ends_have_jobs_of_their_own() {
        let table = "board,kind,direction,start,end,count,source\n\
            board=3x3 piece=0,1 remove=-,paths,directed,a1,c3,2,x\n\
            board=3x3 piece=0,1 remove=-,paths,directed,a1,,8,x\n\
            board=3x3 piece=0,1 remove=-,paths,directed,a1,a3,2,x\n";
        let table = table.replace("board=3x3 piece=0,1 remove=-", "\"board=3x3 piece=0,1 remove=-\"");
        let numbers = parse_table(&table).unwrap();
        assert_eq!(numbers[0].title(), "3x3 wazir paths directed from a1 to c3");
        let jobs = group_by_job(numbers);
        assert_eq!(jobs.len(), 3);
        for job in jobs {
            assert!(job.request.start() == Some(0) && !job.request.per_start);
            let answer = count(&job.request, &Control::new()).unwrap();
            let number = &job.counts[0];
            assert_eq!(number.value_in(&answer), Some(number.count.clone()), "{}", number.title());
        }
        for bad in ["closed,directed,,a1", "paths,undirected,,a1", "paths,directed,a1,z9"] {
            let row = format!("board,kind,direction,start,end,count,source\n3x3,{bad},1,x\n");
            assert!(parse_table(&row).is_err(), "{bad}");
        }
    }

    #[test]
    fn titles_name_piece_and_direction() {
        let table = "board,kind,direction,count,source\n\
                     board=4x8 wrap=torus piece=wazir remove=-,closed,undirected,538744,somebody\n\
                     \"board=3x3 piece=1,2+1,5 remove=-\",paths,directed,0,somebody\n";
        let names: Vec<String> = parse_table(table).unwrap().iter().map(PublishedCount::title).collect();
        assert_eq!(names, ["4x8 torus wazir closed", "3x3 1,2+1,5 paths directed"]);
        assert!(parse_table("rows,kind,direction,count,source\n3,closed,undirected,1,x\n").is_err());
    }

    #[test]
    fn built_in_table_is_well_formed() {
        let numbers = published_symmetric_counts();
        assert!(numbers.len() > 380);
        assert!(
            numbers
                .iter()
                .any(|number| number.quantity == Quantity::ClassesOnlySymmetry(NamedSymmetry::Rot180))
        );
    }
}
