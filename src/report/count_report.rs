//! The result of a count, with the record of its run, and its tables as aligned text.
//!
//! [`DistinctCounts`] are the counts up to symmetry that accompany those of all tours.

use std::fmt::Write;

use ktour::batch::{ClassNumbers, CountOutcome, Record};
use ktour::board::Board;
use ktour::count::StartCount;
use ktour::count::symmetric::ClassTable;
use ktour::frontier::ResidueRing;
use ktour::tour::Kind;
use num_bigint::BigUint;

/// The result of a count: the numbers of tours, and the record of the run.
#[derive(Debug)]
pub struct CountResult {
    /// The board on which the tours were counted.
    pub board: Board,
    /// The numbers of tours.
    pub outcome: CountOutcome,
    /// True if the user requested counts by start square.
    pub per_start: bool,
    /// Counts up to symmetry, if they were requested.
    pub distinct_counts: DistinctCounts,
    /// The record of the run.
    pub record: Record,
}

impl CountResult {
    /// Returns every kind that was counted, with the number of undirected tours if it is known, and
    /// the number of directed tours.
    pub fn counts_by_kind(&self) -> impl Iterator<Item = (Kind, Option<&BigUint>, BigUint)> {
        self.outcome.counts_by_kind().map(|(kind, count)| {
            let undirected = self.outcome.is_undirected().then_some(count);
            (kind, undirected, self.outcome.directed_count(count, self.board.len()))
        })
    }

    /// Returns the counts by start square. Empty if they were not requested or are not known.
    #[must_use]
    pub fn start_counts(&self) -> &[StartCount] {
        if self.per_start { self.outcome.per_start() } else { &[] }
    }

    /// Returns the shards, the counts and the running time on one line of `key=value` pairs.
    #[must_use]
    pub fn summary_line(&self) -> String {
        let counts = self.counts_by_kind().map(|(kind, undirected, directed)| match undirected {
            Some(undirected) => format!("{}={undirected}", kind.name()),
            None => format!("directed-{}={directed}", kind.name()),
        });
        let distinct = |(kind, ..): (Kind, _, _)| {
            Some(format!("distinct-{}={}", kind.name(), self.distinct_counts.distinct(kind)?))
        };
        let symmetries = self.distinct_counts.symmetries.map(|symmetries| format!("symmetries={symmetries}"));
        let counts: Vec<String> =
            counts.chain(self.counts_by_kind().filter_map(distinct)).chain(symmetries).collect();
        let modulus = self.outcome.modulus().map(|modulus| format!("modulus={}", modulus.modulus()));
        let counts: Vec<String> = counts.into_iter().chain(modulus).collect();
        let Record { shards, seconds, .. } = &self.record;
        format!("shards={} {} seconds={seconds:.3}", shards.join(","), counts.join(" "))
    }
}

/// Numbers of tours up to symmetry, and the tables of symmetry classes, by kind. Empty if they were
/// not requested.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DistinctCounts {
    /// Numbers of tours up to symmetry, by kind.
    pub distinct: Vec<(Kind, BigUint)>,
    /// Number of symmetries under which two tours count as one.
    pub symmetries: Option<usize>,
    /// Tables with the tours of each symmetry class, by kind.
    pub classes: Vec<(Kind, ClassTable)>,
}

impl DistinctCounts {
    /// Returns the number of tours of a kind up to symmetry, if it was counted.
    #[must_use]
    pub fn distinct(&self, kind: Kind) -> Option<&BigUint> {
        self.distinct.iter().find(|(other, _)| *other == kind).map(|(_, number)| number)
    }

    /// Returns the table of symmetry classes of a kind, if it was requested.
    #[must_use]
    pub fn classes(&self, kind: Kind) -> Option<&ClassTable> {
        self.classes.iter().find(|(other, _)| *other == kind).map(|(_, table)| table)
    }

    /// Returns the record with these counts added.
    #[must_use]
    pub fn add_to_record(&self, record: Record) -> Record {
        let distinct = self.distinct.iter().map(|(kind, n)| (kind.name().to_owned(), n.to_string()));
        let classes = self.classes.iter().map(|(kind, table)| {
            let rows = table.rows.iter().map(|(class, numbers)| ClassNumbers {
                class: class.name().into_owned(),
                tours: numbers.tours.to_string(),
                distinct: numbers.classes.to_string(),
            });
            (kind.name().to_owned(), rows.collect())
        });
        record.with_symmetry(distinct.collect(), classes.collect(), self.symmetries)
    }
}

/// Returns a table with one row for each kind that was counted: its name, the number of undirected
/// tours, and the number of directed tours. The undirected column is left out if a start or end is
/// fixed, for a part of a job, or if `directed_only`.
///
/// ```text
/// kind    undirected  directed
/// closed        9862     19724
///
/// part 0/4  directed
/// closed        2531
/// ```
#[must_use]
pub fn count_table(result: &CountResult, directed_only: bool) -> String {
    if let Some(modulus) = result.outcome.modulus() {
        return residue_table(result, modulus);
    }
    let directed_only = directed_only || !result.outcome.is_undirected();
    if !result.distinct_counts.distinct.is_empty() {
        return distinct_table(result, directed_only);
    }
    let row = |(kind, undirected, directed): (Kind, Option<&BigUint>, BigUint)| {
        let undirected = undirected.filter(|_| !directed_only).map(ToString::to_string);
        [Some(kind.name().to_owned()), undirected, Some(directed.to_string())].into_iter().flatten().collect()
    };
    let head: &[&str] =
        if directed_only { &["kind", "directed"] } else { &["kind", "undirected", "directed"] };
    // The header shows if the count is partial.
    let part = format!("part {}", result.record.shards.join(" "));
    let head: &[&str] = if result.outcome.answer().is_none() { &[&part, "directed"] } else { head };
    align_columns(head, &result.counts_by_kind().map(row).collect::<Vec<_>>())
}

/// Returns a table with the residue of each kind's number of tours. For a partial count, the header
/// names the shards.
fn residue_table(result: &CountResult, modulus: ResidueRing) -> String {
    let row = |(kind, residue): (Kind, &BigUint)| vec![kind.name().to_owned(), residue.to_string()];
    let part = match &result.record.shards[..] {
        [whole] if whole == "0/1" => "kind".to_owned(),
        shards => format!("part {}", shards.join(" ")),
    };
    let head = [part.as_str(), &format!("modulo {}", modulus.modulus())];
    align_columns(&head, &result.outcome.counts_by_kind().map(row).collect::<Vec<_>>())
}

/// Returns a table with two numbers for each kind: all tours (directed ones if `directed_only`),
/// and tours up to symmetry.
fn distinct_table(result: &CountResult, directed_only: bool) -> String {
    let row = |(kind, undirected, directed): (Kind, Option<&BigUint>, BigUint)| {
        let all = undirected.filter(|_| !directed_only).unwrap_or(&directed).to_string();
        vec![kind.name().to_owned(), all, optional_text(result.distinct_counts.distinct(kind))]
    };
    let head = ["kind", if directed_only { "directed" } else { "undirected" }, "distinct"];
    align_columns(&head, &result.counts_by_kind().map(row).collect::<Vec<_>>())
}

/// Returns, for each kind, a table of symmetry classes: the number of tours of each class, and
/// their number up to symmetry.
///
/// ```text
/// closed           tours  distinct
/// asymmetric        9784      1223
/// rot180 eulerian     68        17
/// rot90               10         5
/// total             9862      1245
/// ```
#[must_use]
pub fn class_tables(result: &CountResult) -> String {
    let tables = result.counts_by_kind().filter_map(|(kind, undirected, _)| {
        let table = result.distinct_counts.classes(kind)?;
        let mut rows: Vec<Vec<String>> = table
            .rows
            .iter()
            .map(|(class, row)| {
                vec![class.name().into_owned(), row.tours.to_string(), row.classes.to_string()]
            })
            .collect();
        rows.push(vec![
            "total".to_owned(),
            optional_text(undirected),
            optional_text(result.distinct_counts.distinct(kind)),
        ]);
        Some(align_columns(&[kind.name(), "tours", "distinct"], &rows))
    });
    tables.collect::<Vec<_>>().join("\n")
}

/// Returns a table with one row of directed counts for each start square. The last row has the sums
/// of the columns.
#[must_use]
pub fn per_start_table(result: &CountResult) -> String {
    let kinds: Vec<Kind> = result.outcome.counts_by_kind().map(|(kind, _)| kind).collect();
    let starts = result.start_counts();
    let mut rows: Vec<Vec<String>> = Vec::with_capacity(starts.len() + 1);
    for start in starts {
        let mut row = vec![result.board.name(start.vertex), start.orbit_size.to_string()];
        row.extend(kinds.iter().map(|&kind| optional_text(start.counts.get(kind))));
        rows.push(row);
    }
    let mut sums = vec!["sum".to_owned(), String::new()];
    for &kind in &kinds {
        let sum: BigUint = starts.iter().filter_map(|start| start.counts.get(kind)).sum();
        sums.push(sum.to_string());
    }
    rows.push(sums);
    let mut head = vec!["start", "orbit"];
    head.extend(kinds.iter().map(|kind| kind.name()));
    align_columns(&head, &rows)
}

/// Returns a number in decimal digits, or an empty text for `None`.
fn optional_text(number: Option<&BigUint>) -> String {
    number.map_or_else(String::new, ToString::to_string)
}

/// Returns a table as text: its first column is aligned to the left, the others to the right.
#[must_use]
pub fn align_columns(head: &[&str], rows: &[Vec<String>]) -> String {
    let widths: Vec<usize> = (0..head.len())
        .map(|i| rows.iter().map(|row| row[i].len()).chain([head[i].len()]).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    let mut line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut row = String::new();
        for (i, cell) in cells.enumerate() {
            let width = widths[i];
            let _ = if i == 0 { write!(row, "{cell:<width$}") } else { write!(row, "  {cell:>width$}") };
        }
        text.push_str(row.trim_end());
        text.push('\n');
    };
    line(&mut head.iter().copied());
    for row in rows {
        line(&mut row.iter().map(String::as_str));
    }
    text
}

/// Formats a number with a comma after every three digits, such as `13,267`.
pub(super) fn group_digits(number: &BigUint) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Wraps `words` to lines of at most `columns` columns. The last line has no newline.
pub(super) fn wrap_words(words: &str, columns: usize) -> String {
    let (mut text, mut used) = (String::new(), 0);
    for word in words.split(' ') {
        let len = word.chars().count();
        let is_new = used > 0 && used + 1 + len > columns;
        if used > 0 {
            text.push(if is_new { '\n' } else { ' ' });
        }
        used = if used == 0 || is_new { len } else { used + 1 + len };
        text.push_str(word);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktour::batch::{Job, RunInfo, Shard};
    use ktour::count::{Request, WorkPlan};

    /// Returns the result of a shard without tours, for closed tours only.
    fn empty_result(shard: &str) -> CountResult {
        let board: Board = "3x3".parse().unwrap();
        let work_plan =
            WorkPlan::new(&Request { kind: Some(Kind::Closed), ..Request::new(board.clone()) }).unwrap();
        let shards: [Shard; 1] = [shard.parse().unwrap()];
        let job = Job::new(&work_plan, shards[0]);
        let sums = work_plan.validated_request().zero_sums();
        let numbers = CountOutcome::from_sums(work_plan.validated_request(), &shards, &sums).unwrap();
        let time = "2026-01-31T23:59:59Z".to_owned();
        let run = RunInfo { seconds: 0.25, threads: 1, started: time.clone(), finished: time };
        let record = Record::new(&job, &shards, &sums, &numbers, true, &run);
        CountResult {
            board,
            outcome: numbers,
            per_start: true,
            distinct_counts: DistinctCounts::default(),
            record,
        }
    }

    #[test]
    fn partial_count_is_directed() {
        let whole = empty_result("0/1");
        assert_eq!(whole.summary_line(), "shards=0/1 closed=0 seconds=0.250");
        assert_eq!(whole.counts_by_kind().next(), Some((Kind::Closed, Some(&BigUint::ZERO), BigUint::ZERO)));
        let part = empty_result("1/2");
        assert_eq!(part.summary_line(), "shards=1/2 directed-closed=0 seconds=0.250");
        assert_eq!(part.counts_by_kind().next(), Some((Kind::Closed, None, BigUint::ZERO)));
        assert!(part.start_counts().is_empty());
    }
}

#[cfg(test)]
mod up_to_tests {
    use super::*;
    use ktour::batch::{CountOutcome, Job, RunInfo, Shard};
    use ktour::board::Board;
    use ktour::count::{Request, WorkPlan};

    #[test]
    fn record_with_distinct_counts_parses() {
        let board: Board = "3x3".parse().unwrap();
        let work_plan = WorkPlan::new(&Request { kind: Some(Kind::Closed), ..Request::new(board) }).unwrap();
        let sums = work_plan.validated_request().zero_sums();
        let numbers = CountOutcome::from_sums(work_plan.validated_request(), &[Shard::WHOLE], &sums).unwrap();
        let time = "2026-01-31T23:59:59Z".to_owned();
        let run = RunInfo { seconds: 1.0, threads: 1, started: time.clone(), finished: time };
        let bare =
            Record::new(&Job::new(&work_plan, Shard::WHOLE), &[Shard::WHOLE], &sums, &numbers, false, &run);
        assert_eq!(DistinctCounts::default().add_to_record(bare.clone()), bare);

        let up_to = DistinctCounts {
            distinct: vec![(Kind::Closed, 1245u32.into())],
            symmetries: Some(8),
            classes: Vec::new(),
        };
        assert_eq!(up_to.distinct(Kind::Closed), Some(&1245u32.into()));
        assert!(up_to.distinct(Kind::Paths).is_none() && up_to.classes(Kind::Closed).is_none());
        let record = up_to.add_to_record(bare);
        assert_eq!((record.distinct["closed"].as_str(), record.symmetries), ("1245", Some(8)));
        assert_eq!(Record::parse(&record.to_line()).unwrap(), record);
    }
}

#[cfg(test)]
mod count_tables_tests {
    use super::*;

    #[test]
    fn group_digits_and_wrap_words() {
        let of = |number: u64| group_digits(&number.into());
        assert_eq!([0, 864, 9862, 100_000].map(of), ["0", "864", "9,862", "100,000"]);
        assert_eq!(of(13_267_364_410_532), "13,267,364,410,532");
        assert_eq!(wrap_words("a1 b3 c5", 5), "a1 b3\nc5");
        assert_eq!(wrap_words("a1 b3 c5", usize::MAX), "a1 b3 c5");
        assert_eq!(wrap_words("a1 b3", 1), "a1\nb3");
    }

    #[test]
    fn align_columns_pads_fields() {
        let rows = [vec!["closed".to_owned(), "9862".to_owned()], vec!["sum".to_owned(), String::new()]];
        assert_eq!(align_columns(&["kind", "n"], &rows), "kind       n\nclosed  9862\nsum\n");
    }
}
