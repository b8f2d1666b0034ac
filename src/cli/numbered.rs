//! Tours with numbered squares: `--place` and `--clues` of `count`, `list` and `find`.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::{Arg, Args};
use ktour::board::{Board, Vertex};
use ktour::control::Control;
use ktour::search::numbered_squares::{NumberedSquares, NumberedSquaresError};
use ktour::text_format::format_count;
use ktour::tour::{Kind, TourSpec};
use num_bigint::BigUint;

use super::args::board::read_text;
use super::args::heading;
use super::args::output_options::OutputFiles;
use super::args::tours::TourOutputArgs;
use super::error::CliError;
use super::process::Signals;
use super::tour_index::NumberedTourWriter;
use crate::report::{Cell, NamedCells, Table, board_name, to_pretty_json};

/// Numbers of squares.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = heading::TOURS)]
pub struct NumberedArgs {
    /// Use only tours that visit squares at given numbers, from 1: 17=c4,30=f5
    ///
    /// The numbers are those of a grid: every way to number the other squares counts, so a path counts in each
    /// direction, and a closed tour from each start.
    #[arg(long, value_name = "NUMBERS", hide_short_help = true)]
    pub place: Vec<String>,

    /// Read numbers of squares from a grid: top rank first, `.` for a square without a number; - for standard
    /// input
    #[arg(long, value_name = "FILE", hide_short_help = true, conflicts_with = "place")]
    pub clues: Option<PathBuf>,
}

impl NumberedArgs {
    /// Returns true if squares have numbers.
    pub const fn is_any_given(&self) -> bool {
        !self.place.is_empty() || self.clues.is_some()
    }

    /// Returns the tours of `tours` that have these numbers.
    ///
    /// # Errors
    /// The numbers cannot be read, or contradict each other.
    pub fn to_numbered(&self, tours: &TourSpec) -> Result<NumberedSquares, CliError> {
        self.select(tours, &self.read_numbers(tours.board())?)
    }

    /// Reads the numbers; standard input can be read only once.
    fn read_numbers(&self, board: &Board) -> Result<Vec<(u32, Vertex)>, CliError> {
        match &self.clues {
            Some(path) => read_clues(board, path),
            None => parse_numbers(board, &self.place),
        }
    }

    /// Returns the tours of `tours` that have these numbers.
    fn select(&self, tours: &TourSpec, numbers: &[(u32, Vertex)]) -> Result<NumberedSquares, CliError> {
        let option = if self.clues.is_some() { "--clues" } else { "--place" };
        NumberedSquares::new(tours, numbers.iter().copied()).map_err(|error| {
            let remedy = match error {
                NumberedSquaresError::TooLarge(_) => "use a smaller BOARD or graph",
                NumberedSquaresError::Empty => "write . for the others, or use --place",
                NumberedSquaresError::OutOfRange { .. } => "use other numbers",
                _ if tours.is_directed() => "--start has the number 1, and --end the last number",
                _ => "give each number to one square",
            };
            CliError::usage(format!("{option}: {error}; {remedy}"))
        })
    }
}

/// Makes `--place` and `--clues` exclude the options `excluded`.
pub fn excluding(option: Arg, excluded: &[&'static str]) -> Arg {
    match option.get_id().as_str() {
        "place" | "clues" => option.conflicts_with_all(excluded.iter().copied()),
        _ => option,
    }
}

/// Parses the values of `--place`.
fn parse_numbers(board: &Board, values: &[String]) -> Result<Vec<(u32, Vertex)>, CliError> {
    let parse = |item: &str| {
        let fault = |why: String| {
            CliError::usage(format!("--place {item}: {why}; write NUMBER=SQUARE such as 17=c4"))
        };
        let (number, name) = item.split_once('=').ok_or_else(|| fault("it has no `=`".to_owned()))?;
        let number = number.trim().parse().map_err(|_| fault(format!("`{number}` is not a number")))?;
        let vertex = board.vertex(name.trim()).map_err(|error| fault(error.to_string()))?;
        Ok((number, vertex))
    };
    values.iter().flat_map(|value| value.split(',')).map(parse).collect()
}

/// Reads a grid with the numbers of some squares.
fn read_clues(board: &Board, path: &Path) -> Result<Vec<(u32, Vertex)>, CliError> {
    let text = read_text(path).map_err(|error| CliError::read_error("--clues", path, &error))?;
    parse_clues(board, &text).map_err(|why| CliError::failed(format!("--clues {}: {why}", path.display())))
}

/// Parses a grid with the numbers of some squares.
fn parse_clues(board: &Board, text: &str) -> Result<Vec<(u32, Vertex)>, String> {
    let Some(layout) = board.unrestricted().layout() else {
        return Err(format!("{} has no rows and columns; use --place", board.title()));
    };
    let (height, width) = (usize::from(layout.rows()), usize::from(layout.cols()));
    let rows = clue_rows(text, height, width);
    if rows.len() != height {
        return Err(format!("the grid has {}; the board has {height}", format_count(rows.len(), "row")));
    }
    let places = layout.by_rows();
    let mut numbers = Vec::new();
    let (mut zeros, mut has_sign) = (Vec::new(), false);
    // The drawing begins with the top rank, the layout with the lowest.
    for ((line, cells), squares) in rows.iter().zip(places.iter().rev()) {
        if cells.len() != width {
            return Err(format!(
                "line {line} has {}; the board has {width} in a row",
                format_count(cells.len(), "square")
            ));
        }
        for (cell, square) in cells.iter().zip(squares) {
            let is_empty = matches!(cell.as_str(), "" | "." | "_" | "0" | "-" | "*");
            if square.is_some() && cell == "0" {
                zeros.push(*line);
            }
            has_sign |= square.is_some() && is_empty && cell != "0";
            match (square, cell.parse()) {
                _ if is_empty => {}
                (Some(v), Ok(number)) => numbers.push((number, *v as Vertex)),
                (None, Ok(number)) => {
                    return Err(format!("line {line}: {number} stands on a removed square; write . there"));
                }
                (_, Err(_)) => {
                    return Err(format!("line {line}: `{cell}` is not a number; write . for no number"));
                }
            }
        }
    }
    if let [line] = zeros[..]
        && has_sign
    {
        return Err(format!(
            "line {line}: 0 may be the first number; number the squares from 1, or write . for no number"
        ));
    }
    Ok(numbers)
}

/// Returns the rows of a grid of clues with their lines. An empty field between separators is a square without a number,
/// if there is a field for each square; otherwise several separators are like one.
fn clue_rows(text: &str, height: usize, width: usize) -> Vec<(usize, Vec<String>)> {
    // What follows `#` is a remark. `+---+` draws a box.
    let is_rule = |line: &str| {
        line.contains("--")
            && line.contains(['+', '|'])
            && line.chars().all(|c| matches!(c, '+' | '-' | '|' | ':' | ' '))
    };
    let lines = || {
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
        (1..).zip(lines).filter(|(_, line)| !is_rule(line))
    };
    let words = |line: &str| -> Vec<String> {
        line.split([' ', '\t', ',', ';', '|']).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
    };
    let fields = |line: &str| -> Option<Vec<String>> {
        let separator = line.chars().find(|c| matches!(c, ',' | ';' | '|' | '\t'))?;
        let line = if separator == '|' { line.trim().trim_start_matches('|') } else { line };
        let mut fields: Vec<&str> = line.split(separator).map(str::trim).collect();
        if fields.len() == width + 1 {
            fields.pop_if(|last| last.is_empty());
        }
        let is_field = |field: &&str| !field.contains([' ', '\t', ',', ';', '|']);
        (fields.len() == width && fields.iter().all(is_field))
            .then(|| fields.into_iter().map(str::to_owned).collect())
    };
    let rows = |cells: &dyn Fn(&str) -> Vec<String>| -> Vec<(usize, Vec<String>)> {
        lines().map(|(at, line)| (at, cells(line))).filter(|(_, cells)| !cells.is_empty()).collect()
    };
    let by_fields = rows(&|line| fields(line).unwrap_or_else(|| words(line)));
    if by_fields.len() == height { by_fields } else { rows(&words) }
}

/// Returns the numbers as text, such as `1=a1 17=c4`.
fn numbers_text(numbered: &NumberedSquares) -> String {
    let board = numbered.tours().board();
    let all = numbered.numbers().iter().map(|&(number, v)| format!("{number}={}", board.name(v)));
    all.collect::<Vec<_>>().join(" ")
}

/// Counts the completions of the requested kinds, and reports them.
pub fn count(
    args: &NumberedArgs,
    kind: Option<Kind>,
    to_tours: impl Fn(Kind) -> Result<TourSpec, CliError>,
    files: OutputFiles,
) -> Result<(), CliError> {
    let control = Control::new();
    let signals = Signals::catch(control.cancel_flag())?;
    let first = to_tours(kind.unwrap_or(Kind::Paths))?;
    let numbers = args.read_numbers(first.board())?;
    let count = |kind: Kind| {
        let numbered = args.select(&to_tours(kind)?, &numbers)?;
        let counts = numbered.count(&control);
        let stopped = |_| signals.stop("stopped before the end; nothing is saved");
        Ok::<_, CliError>((numbered, counts.map_err(stopped)?))
    };
    let mut rows: Vec<(Kind, BigUint)> = Vec::new();
    let mut text = String::new();
    if kind.is_none_or(|kind| kind == Kind::Closed) {
        let (numbered, counts) = count(Kind::Closed)?;
        rows.push((Kind::Closed, counts.closed));
        text = numbers_text(&numbered);
    }
    if kind != Some(Kind::Closed) {
        let (numbered, counts) = count(Kind::Paths)?;
        let open = &counts.paths - &counts.closed;
        rows.extend([(Kind::Open, open), (Kind::Paths, counts.paths)]);
        rows.retain(|(row, _)| kind.is_none_or(|kind| kind == *row));
        text = numbers_text(&numbered);
    }
    let (board, board_text) = (board_name(first.board()), first.board().to_string());
    let mut table = Table::new(["kind", "completions"]).with_common([
        ("board", board.as_str().into()),
        ("board_text", board_text.as_str().into()),
        ("place", text.as_str().into()),
    ]);
    rows.iter().for_each(|(kind, number)| table.push([kind.name().into(), Cell::from(number)]));
    let json = || {
        let completions = |number: &BigUint| NamedCells(vec![("completions", number.into())]);
        let counts = rows.iter().map(|(kind, number)| (kind.name(), completions(number).into()));
        to_pretty_json(&NamedCells::of_result([
            ("board", board.as_str().into()),
            ("board_text", board_text.as_str().into()),
            ("place", text.as_str().into()),
            ("counts", NamedCells(counts.collect()).into()),
        ]))
    };
    let printed = || match rows.as_slice() {
        [(_, number)] => format!("{number}\n"),
        _ => table.to_text(),
    };
    files.report(|| &table, json, printed)
}

/// Writes the completions of `numbered`, at most `limit` of them. Returns their number. Without any, writes only
/// the header, or nothing if `needs_tour` is true.
pub fn list(
    numbered: &NumberedSquares,
    limit: u64,
    needs_tour: bool,
    output: &TourOutputArgs,
) -> Result<u64, CliError> {
    let (tours, kind) = (numbered.tours(), numbered.tours().kind());
    let mut writer = NumberedTourWriter::open(output, tours)?;
    let control = Control::new();
    let signals = Signals::catch(control.cancel_flag())?;
    let mut count = 0;
    let mut each = |squares: &[Vertex]| {
        count += 1;
        let is_joined = tours.board().joins_ends(squares[0], squares[squares.len() - 1]);
        writer.write_tour(kind.tour_kind(is_joined), squares)?;
        // The search for the next tour may be long.
        writer.flush()?;
        if count < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let ended = if limit > 0 { numbered.for_each(&control, &mut each) } else { Ok(true) };
    if ended.is_err() {
        drop(writer);
        return Err(signals.stop(format_args!("stopped after {}", format_count(count, "tour"))));
    }
    if count > 0 || !needs_tour || limit == 0 {
        writer.complete()?;
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_clues_reads_grids_of_all_styles() {
        let board: Board = "3x4".parse().unwrap();
        let expected = parse_clues(&board, "1 . . 10\n. 9 . .\n. . . .\n").unwrap();
        assert_eq!(expected.len(), 3);
        for text in [
            "1 0 0 10\n0 9 0 0\n0 0 0 0\n",
            "1,,,10\n,9,,\n,,,\n",
            "1;;;10\n;9;;\n;;;\n",
            "1\t\t\t10\n\t9\t\t\n\t\t\t\n",
            "1, ., ., 10,\n., 9, ., .,\n., ., ., .,\n",
            "1 _ * 10 # a remark\n\n- 9 - -\n\n. . . .\n",
            "+--+--+--+--+\n| 1|  |  |10|\n+--+--+--+--+\n|  | 9|  |  |\n+--+--+--+--+\n|  |  |  |  |\n+--+--+--+--+\n",
            "| 1 | . | . | 10 |\n|---|---|---|---|\n| . | 9 | . | . |\n| . | . | . | . |\n",
        ] {
            assert_eq!(parse_clues(&board, text).as_ref(), Ok(&expected), "{text}");
        }
        // Numbers from 0, missing rows and cells, and other signs.
        for (text, fault) in [
            ("0 . . 9\n. 8 . .\n. . . .\n", "line 1: 0 may be the first number"),
            ("1 . . 10\n. 9 . .\n", "the grid has 2 rows"),
            ("1 . . 10\n. 9 .\n. . . .\n", "line 2 has 3 squares"),
            ("1 . . 10\n. 9 ? .\n. . . .\n", "line 2: `?`"),
        ] {
            let found = parse_clues(&board, text).unwrap_err();
            assert!(found.starts_with(fault), "{text}: {found}");
        }
    }
}
