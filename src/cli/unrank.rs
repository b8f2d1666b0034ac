//! `ktour unrank`: prints the tours with given numbers.

use std::io::{self, BufRead, IsTerminal};
use std::ops::ControlFlow;

use clap::Args;
use num_bigint::BigUint;

use super::args::board::BoardOptions;
use super::args::output_options::check_distinct_files;
use super::args::tours::{EndsArgs, KindArgs, TourOutputArgs};
use super::error::CliError;
use super::tour_index;
use super::tour_index::{IndexArgs, NumberedTourWriter, parse_header};
use ktour::Control;
use ktour::board::BoardSides;
use ktour::index::{Index, IndexError, TourCallback};
use ktour::tour::{Kind, TourSpec};

const EXAMPLES: &str = "\
Examples:
  ktour unrank 6x6 --kind closed 0 4711 --format grid
  ktour unrank 8x8 --kind closed --index chess 0-9,13267364410531
  ktour rank tours.txt | ktour unrank 6x6 --kind closed

Numbers go from 0 to the count minus 1 (of directed tours with --start or --end). Their order is the plan, which \
depends only on board, kind and ends; the first line of the output names it. Numbers of another plan are rejected, if \
--plan or the first line of standard input names a plan. Classes of tours have no numbers: list --distinct lists them, \
sample --distinct draws them.";

/// Print the tours with given numbers
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct UnrankArgs {
    /// The board, such as 6x8, and numbers of tours, such as 0-9,17. Default: -, standard input
    ///
    /// With --shape or --graph, which replace the board, only numbers.
    #[arg(value_name = "BOARD K", required_unless_present_any = ["shape", "graph"], allow_negative_numbers = true)]
    words: Vec<String>,

    #[command(flatten)]
    board_options: BoardOptions,

    #[command(flatten)]
    kind: KindArgs,

    #[command(flatten)]
    ends: EndsArgs,

    #[command(flatten)]
    index: IndexArgs,

    #[command(flatten)]
    tour_output: TourOutputArgs,
}

/// An interval of tour numbers, both ends included.
pub type NumberRange = (BigUint, BigUint);

/// Number of tour numbers that are processed in one pass over the index.
const NUMBERS_PER_PASS: usize = 1 << 18;

impl UnrankArgs {
    /// Reads the numbers of tours, and writes these tours.
    pub fn run(&self) -> Result<(), CliError> {
        let [shape, graph] = self.board_options.inputs();
        check_distinct_files(&[shape, graph, ("--output", Some(self.tour_output.output.as_path()))])?;
        let is_given = self.board_options.shape.is_some() || self.board_options.graph.is_some();
        let (rectangle, numbers) = match self.words.split_first() {
            Some((rectangle, numbers)) if !is_given => {
                let parsed: Result<BoardSides, _> = rectangle.parse();
                (
                    Some(parsed.map_err(|error| CliError::usage(format!("BOARD {rectangle}: {error}")))?),
                    numbers,
                )
            }
            _ => (None, self.words.as_slice()),
        };
        let stdin = ["-".to_owned()];
        let is_piped = numbers.is_empty() && !io::stdin().is_terminal();
        let (rows, of) = read_numbers(if is_piped { &stdin } else { numbers })?;
        let board = self.board_options.to_board(rectangle.as_ref())?;
        let kind = self.kind.kind().unwrap_or(Kind::Paths);
        let numbered = self.ends.to_tours(board, kind)?;
        write_numbered(&numbered, &self.tour_output, &self.index, &of, |_| rows)
    }
}

/// Reads the numbers of tours, from the arguments and from standard input. Also returns the tours
/// and plans that header lines on standard input name.
fn read_numbers(numbers: &[String]) -> Result<(Vec<NumberRange>, Vec<String>), CliError> {
    let (mut ranges, mut headers) = (Vec::new(), Vec::new());
    for text in numbers {
        if text != "-" {
            parse_ranges(text, &mut ranges)?;
            continue;
        }
        for line in io::stdin().lock().lines() {
            let line =
                line.map_err(|error| CliError::failed(format!("cannot read standard input: {error}")))?;
            match parse_header(&line) {
                Some(name) => headers.push(name.to_owned()),
                None if line.starts_with('#') => {}
                None => parse_ranges(&line, &mut ranges)?,
            }
        }
    }
    if ranges.is_empty() {
        return Err(CliError::usage(
            "no numbers are given; write some after BOARD, such as 0-9,17, or pipe them in",
        ));
    }
    Ok((ranges, headers))
}

/// Writes the tours whose numbers lie in the intervals that `to_ranges` returns for the index.
/// `headers` are the header lines that were read with the numbers. They must agree with the index.
///
/// # Errors
/// A number is too large, a header disagrees, or the index or the output fails.
pub fn write_numbered(
    numbered: &TourSpec,
    written: &TourOutputArgs,
    args: &IndexArgs,
    headers: &[String],
    to_ranges: impl FnOnce(&Index) -> Vec<NumberRange>,
) -> Result<(), CliError> {
    if numbered.kind() == Kind::Open {
        return Err(args.error_for(IndexError::OpenTours));
    }
    let progress = args.progress(format!("{} {}", numbered.board().title(), numbered.kind().name()));
    let control = progress.control();
    let mut writer = NumberedTourWriter::open(written, numbered)?;
    let (index, signals) = args.open(numbered, control)?;
    headers.iter().try_for_each(|of| tour_index::check_header("standard input", of, &index))?;
    let rows = to_ranges(&index);
    // A number that is too large is reported before any tour is written.
    if let Some((_, last)) = rows.iter().find(|(_, last)| last >= index.total()) {
        let (number, total) = (last.clone(), index.total().clone());
        return Err(args.error_for(IndexError::OutOfRange { number, total }));
    }
    writer.write_plan(&index);
    let ended = unrank_ranges(&index, &rows, control, &mut |kind, vertices| {
        writer.write_tour(kind, vertices)?;
        ControlFlow::Continue(())
    });
    drop(progress);
    writer.finish(ended, args, &signals)
}

/// Passes the tours whose numbers lie in `ranges` to `each`. Processes the numbers in batches.
fn unrank_ranges(
    index: &Index,
    ranges: &[NumberRange],
    control: &Control,
    each: TourCallback,
) -> Result<(), IndexError> {
    let mut is_over = false;
    let mut unrank_batch = |numbers: &mut Vec<BigUint>| {
        let ended = index.for_each_tour(numbers, control, &mut |kind, vertices| {
            let flow = each(kind, vertices);
            is_over |= flow.is_break();
            flow
        });
        numbers.clear();
        ended.map(|()| is_over)
    };
    let mut numbers = Vec::new();
    for (first, last) in ranges {
        let mut number = first.clone();
        while number <= *last {
            numbers.push(number.clone());
            number += 1u32;
            if numbers.len() == NUMBERS_PER_PASS && unrank_batch(&mut numbers)? {
                return Ok(());
            }
        }
    }
    unrank_batch(&mut numbers).map(|_| ())
}

/// Parses the number of a tour.
pub fn parse_number(text: &str) -> Result<BigUint, String> {
    if let Some(whole) = without_commas(text) {
        return Err(format!("a number has no commas; write {whole}"));
    }
    parse_digits(text).ok_or_else(|| "not a number of a tour; write a whole number from 0".to_owned())
}

/// Parses decimal digits without leading zeros. Returns `None` for other texts, because a leading
/// zero comes from a number written in groups: `1,000` must not be read as two numbers.
fn parse_digits(text: &str) -> Option<BigUint> {
    let is_plain = !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text.len() == 1 || !text.starts_with('0'));
    text.parse().ok().filter(|_| is_plain)
}

/// Parses intervals of tour numbers, such as `0-9,17 23`, and appends them to `ranges`.
fn parse_ranges(text: &str, ranges: &mut Vec<NumberRange>) -> Result<(), CliError> {
    if let Some(whole) = without_commas(text) {
        return Err(CliError::usage(format!(
            "`{text}` may mean one number in groups of three digits, or several; write {whole}, or separate the \
             numbers by spaces"
        )));
    }
    for word in text.split([',', ' ', '\t']).filter(|word| !word.is_empty()) {
        let bad = || {
            CliError::usage(format!(
                "`{word}` is not a number of a tour; write numbers from 0, or ranges such as 0-9"
            ))
        };
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        let number = |text: &str| parse_digits(text).ok_or_else(bad);
        let row = (number(first)?, number(last)?);
        if row.0 > row.1 {
            return Err(CliError::usage(format!("`{word}` is decreasing; write {}-{}", row.1, row.0)));
        }
        ranges.push(row);
    }
    Ok(())
}

/// Returns the digits without commas, if the text looks like one number in groups of three digits.
fn without_commas(text: &str) -> Option<String> {
    let text = text.trim();
    let mut groups = text.split(',');
    let first = groups.next().filter(|first| (1..=3).contains(&first.len()) && !first.starts_with('0'))?;
    let is_group = |group: &str| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = first.bytes().all(|byte| byte.is_ascii_digit()) && groups.clone().all(is_group);
    (is_number && groups.next().is_some()).then(|| text.replace(',', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_ranges_rejects_grouped_digits() {
        for text in ["34,524,432,315", "1,000", "862,863", "12,034 "] {
            let why = parse_ranges(text, &mut Vec::new()).unwrap_err().to_string();
            assert!(why.contains(&text.trim().replace(',', "")), "{why}");
        }
        let mut rows = Vec::new();
        for text in ["0,100", "1,2", "1234,567", "862 863", "12,0-9,345", "7"] {
            parse_ranges(text, &mut rows).unwrap();
        }
        assert_eq!(rows.len(), 12);
    }

    #[test]
    fn parse_number_accepts_digits_only() {
        assert_eq!(parse_number("13267364410531"), Ok(BigUint::from(13_267_364_410_531u64)));
        assert!(parse_number("1,000").unwrap_err().ends_with("1000"));
        for bad in ["-1", "1-2", "+3", "007", "", "1.5"] {
            assert!(parse_number(bad).unwrap_err().contains("from 0"), "{bad}");
        }
    }

    #[test]
    fn parse_ranges_accepts_lists_and_ranges() {
        let mut rows = Vec::new();
        parse_ranges("0-2,17 13267364410531", &mut rows).unwrap();
        let range = |first: u64, last: u64| (BigUint::from(first), BigUint::from(last));
        assert_eq!(rows, [range(0, 2), range(17, 17), range(13_267_364_410_531, 13_267_364_410_531)]);
        for bad in ["x", "-1", "1-", "9-3", "+3", "1.5", "1,000"] {
            assert!(parse_ranges(bad, &mut rows).is_err(), "{bad}");
        }
    }
}
