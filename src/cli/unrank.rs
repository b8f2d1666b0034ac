//! `ktour unrank`: prints the tours with given numbers.

use std::io::{self, BufRead, IsTerminal};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;
use num_bigint::BigUint;

use super::args::board::BoardOptions;
use super::args::named_files::check_stdin_readers;
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
  ktour unrank 5x5 860-                      from number 860 to the last
  ktour rank tours.txt | ktour unrank 6x6 --kind closed

Numbers go from 0 to the count minus 1 (of directed tours with --start or --end). Their order is the plan, which \
depends only on board, kind and ends; the first line of the output names it. Numbers of another plan are rejected, if \
--plan or the first line of standard input names a plan. Classes of tours have no numbers: list --distinct lists them, \
sample --distinct draws them.";

/// Print the tours with given numbers
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct UnrankArgs {
    /// The board, such as 6x8, and numbers of tours, such as 0-9,17 or 100-. Default: -, standard input
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

/// An interval of tour numbers, both ends included. Without a last number it ends with the last tour.
type NumberRange = (BigUint, Option<BigUint>);

/// Number of tour numbers that are processed in one pass over the index.
const NUMBERS_PER_PASS: usize = 1 << 18;

impl UnrankArgs {
    /// Reads the numbers of tours, and writes these tours.
    pub fn run(&self) -> Result<(), CliError> {
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
        if is_piped || numbers.iter().any(|number| number == "-") {
            let is_stdin = |path: &Option<PathBuf>| path.as_deref() == Some(Path::new("-"));
            let is_read = |lists: &[String]| lists.iter().any(|list| list == "@-");
            let restrictions = &self.ends.restrictions;
            let others = [
                ("--shape", is_stdin(&self.board_options.shape)),
                ("--graph", is_stdin(&self.board_options.graph)),
                ("--require", is_read(&restrictions.require)),
                ("--forbid", is_read(&restrictions.forbid)),
            ];
            let others = others.iter().filter(|(_, is_stdin)| *is_stdin).map(|(option, _)| *option);
            check_stdin_readers(&others.chain(["the numbers"]).collect::<Vec<_>>())?;
        }
        let (ranges, headers) = read_numbers(if is_piped { &stdin } else { numbers })?;
        let board = self.board_options.to_board(rectangle.as_ref())?;
        let kind = self.kind.kind().unwrap_or(Kind::Paths);
        let numbered = self.ends.to_tours(board, kind)?;
        self.write_numbered(&numbered, ranges, &headers)
    }

    /// Writes the tours whose numbers lie in `ranges`. `headers` are the header lines that were read with the
    /// numbers. They must agree with the index.
    ///
    /// # Errors
    /// A number is too large, a header disagrees, or the index or the output fails.
    fn write_numbered(
        &self,
        numbered: &TourSpec,
        ranges: Vec<NumberRange>,
        headers: &[String],
    ) -> Result<(), CliError> {
        if numbered.kind() == Kind::Open {
            return Err(self.index.error_for(IndexError::OpenTours));
        }
        let progress =
            self.index.progress(format!("{} {}", numbered.board().title(), numbered.kind().name()));
        let control = progress.control();
        let mut writer = NumberedTourWriter::open(&self.tour_output, numbered)?;
        let (index, signals) = self.index.open(numbered, control)?;
        headers.iter().try_for_each(|header| tour_index::check_header("standard input", header, &index))?;
        // A number that is too large is reported before any tour is written.
        let ranges = complete_ranges(ranges, index.total()).map_err(|error| self.index.error_for(error))?;
        writer.write_plan(&index);
        let ended = unrank_ranges(&index, &ranges, control, &mut |kind, vertices| {
            writer.write_tour(kind, vertices)?;
            ControlFlow::Continue(())
        });
        drop(progress);
        writer.finish(ended, &self.index, &signals)
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

/// Returns the intervals with both ends, in the numbers of `total` tours. If there are no tours, an interval from 0
/// without a last number is empty.
///
/// # Errors
/// A number is too large.
fn complete_ranges(ranges: Vec<NumberRange>, total: &BigUint) -> Result<Vec<(BigUint, BigUint)>, IndexError> {
    let is_empty = |range: &NumberRange| *total == BigUint::ZERO && *range == (BigUint::ZERO, None);
    let complete = |(first, last): NumberRange| {
        let number = last.unwrap_or_else(|| if first < *total { total - 1u32 } else { first.clone() });
        if number < *total {
            Ok((first, number))
        } else {
            Err(IndexError::OutOfRange { number, total: total.clone() })
        }
    };
    ranges.into_iter().filter(|range| !is_empty(range)).map(complete).collect()
}

/// Passes the tours whose numbers lie in `ranges` to `each`. Processes the numbers in batches.
fn unrank_ranges(
    index: &Index,
    ranges: &[(BigUint, BigUint)],
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

/// Parses decimal digits without leading zeros. Returns `None` for other texts, because a leading
/// zero comes from a number written in groups: `1,000` must not be read as two numbers.
fn parse_digits(text: &str) -> Option<BigUint> {
    let is_plain = !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text.len() == 1 || !text.starts_with('0'));
    text.parse().ok().filter(|_| is_plain)
}

/// Parses intervals of tour numbers, such as `0-9,17 23-`, and appends them to `ranges`.
fn parse_ranges(text: &str, ranges: &mut Vec<NumberRange>) -> Result<(), CliError> {
    if let Some(whole) = without_commas(text) {
        return Err(CliError::usage(format!(
            "`{text}` may mean one number in groups of three digits, or several; write {whole}, or separate the \
             numbers by spaces"
        )));
    }
    for word in text.split([',', ' ', '\t']).filter(|word| !word.is_empty()) {
        let bad = || {
            if let Some((first, last)) = word.split_once("..")
                && let (Some(first), Some(last)) =
                    (parse_digits(first), parse_digits(last.trim_start_matches('=')))
            {
                return CliError::usage(format!("`{word}` is not a range of numbers; write {first}-{last}"));
            }
            CliError::usage(format!(
                "`{word}` is not a number of a tour; write numbers from 0, or ranges such as 0-9 or 100-"
            ))
        };
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        let number = |text: &str| parse_digits(text).ok_or_else(bad);
        let first = number(first)?;
        let last = if last.is_empty() { None } else { Some(number(last)?) };
        if let Some(last) = last.as_ref().filter(|last| **last < first) {
            return Err(CliError::usage(format!("`{word}` is decreasing; write {last}-{first}")));
        }
        ranges.push((first, last));
    }
    Ok(())
}

/// Returns the text without commas, if it looks like one number in groups of three digits, or a range from this number.
fn without_commas(text: &str) -> Option<String> {
    let text = text.trim();
    let mut groups = text.strip_suffix('-').unwrap_or(text).split(',');
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
        for text in ["34,524,432,315", "1,000", "862,863", "12,034 ", "1,000-", "34,524-", "862,863-"] {
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
    fn parse_ranges_accepts_lists_and_ranges() {
        let mut ranges = Vec::new();
        parse_ranges("0-2,17 13267364410531 5-", &mut ranges).unwrap();
        let range = |first: u64, last: u64| (BigUint::from(first), Some(BigUint::from(last)));
        let last = 13_267_364_410_531;
        assert_eq!(ranges, [range(0, 2), range(17, 17), range(last, last), (BigUint::from(5u32), None)]);
        for dotted in ["0..3", "0..=3"] {
            assert!(parse_ranges(dotted, &mut ranges).unwrap_err().to_string().ends_with("; write 0-3"));
        }
        for bad in ["x", "-1", "-", "1--", "9-3", "+3", "007", "1.5", "1,000", "1,000-"] {
            assert!(parse_ranges(bad, &mut ranges).is_err(), "{bad}");
        }
    }

    #[test]
    fn range_without_a_last_number_ends_with_the_last_tour() {
        let number = |number: u32| BigUint::from(number);
        let complete = |first, last: Option<u32>, total| {
            complete_ranges(vec![(number(first), last.map(number))], &number(total)).ok()
        };
        assert_eq!(complete(5, None, 8), Some(vec![(number(5), number(7))]));
        assert_eq!(complete(5, Some(6), 8), Some(vec![(number(5), number(6))]));
        assert_eq!(complete(0, None, 0), Some(Vec::new()));
        for (first, last, total) in [(8, None, 8), (0, Some(8), 8), (0, Some(0), 0), (1, None, 0)] {
            assert_eq!(complete(first, last, total), None, "{first} {last:?} {total}");
        }
    }
}
