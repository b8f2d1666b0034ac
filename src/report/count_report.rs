//! The result of a count, with the record of its run, and its tables as aligned text.

use ktour::batch::{CountOutcome, Record};
use ktour::board::Board;
use ktour::count::StartCount;
use ktour::count::symmetric::DistinctCounts;
use ktour::frontier::ResidueRing;
use ktour::tour::Kind;
use num_bigint::BigUint;

use super::table::{Cell, Table};

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

    /// Returns the text that a count prints. If `directed`, a printed number counts directed tours.
    #[must_use]
    pub fn to_text(&self, directed: bool) -> String {
        if !self.start_counts().is_empty() {
            return per_start_table(self);
        }
        if !self.distinct_counts.classes.is_empty() {
            return class_tables(self);
        }
        // A single residue is printed with its modulus instead of a table.
        if let (Some(modulus), true) = (self.outcome.modulus(), self.record.shards == ["0/1"]) {
            let mut numbers = self.outcome.counts_by_kind();
            if let (Some((_, residue)), None) = (numbers.next(), numbers.next()) {
                return format!("{residue} modulo {}\n", modulus.modulus());
            }
        }
        // A partial count must not look like an answer, so it is printed as a table.
        if self.outcome.answer().is_none() {
            return count_table(self, true);
        }
        let mut numbers = self.counts_by_kind();
        match (numbers.next(), numbers.next()) {
            // A single number is printed alone, for scripts.
            (Some((kind, undirected, all)), None) => {
                let undirected = undirected.filter(|_| !directed);
                format!("{}\n", self.distinct_counts.distinct(kind).or(undirected).unwrap_or(&all))
            }
            _ => count_table(self, directed),
        }
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
fn count_table(result: &CountResult, directed_only: bool) -> String {
    if let Some(modulus) = result.outcome.modulus() {
        return residue_table(result, modulus);
    }
    let directed_only = directed_only || !result.outcome.is_undirected();
    if !result.distinct_counts.distinct.is_empty() {
        return distinct_table(result, directed_only);
    }
    // The header shows if the count is partial.
    let first = match result.outcome.answer() {
        Some(_) => "kind".to_owned(),
        None => format!("part {}", result.record.shards.join(" ")),
    };
    let undirected_heading = (!directed_only).then(|| "undirected".to_owned());
    let mut table =
        Table::new([Some(first), undirected_heading, Some("directed".to_owned())].into_iter().flatten());
    for (kind, undirected, directed) in result.counts_by_kind() {
        let undirected = (!directed_only).then(|| undirected.into());
        table.push([Some(kind.name().into()), undirected, Some(directed.into())].into_iter().flatten());
    }
    table.to_text()
}

/// Returns a table with the residue of each kind's number of tours. For a partial count, the header
/// names the shards.
fn residue_table(result: &CountResult, modulus: ResidueRing) -> String {
    let part = match &result.record.shards[..] {
        [whole] if whole == "0/1" => "kind".to_owned(),
        shards => format!("part {}", shards.join(" ")),
    };
    let mut table = Table::new([part, format!("modulo {}", modulus.modulus())]);
    for (kind, residue) in result.outcome.counts_by_kind() {
        table.push([kind.name().into(), residue.into()]);
    }
    table.to_text()
}

/// Returns a table with two numbers for each kind: all tours (directed ones if `directed_only`),
/// and tours up to symmetry.
fn distinct_table(result: &CountResult, directed_only: bool) -> String {
    let mut table = Table::new(["kind", if directed_only { "directed" } else { "undirected" }, "distinct"]);
    for (kind, undirected, directed) in result.counts_by_kind() {
        let all = undirected.filter(|_| !directed_only).unwrap_or(&directed);
        table.push([kind.name().into(), all.into(), result.distinct_counts.distinct(kind).into()]);
    }
    table.to_text()
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
fn class_tables(result: &CountResult) -> String {
    let tables = result.counts_by_kind().filter_map(|(kind, undirected, _)| {
        let mut table = Table::new([kind.name(), "tours", "distinct"]);
        for (class, row) in &result.distinct_counts.classes(kind)?.rows {
            table.push([class.name().into(), (&row.tours).into(), (&row.classes).into()]);
        }
        table.push(["total".into(), undirected.into(), result.distinct_counts.distinct(kind).into()]);
        Some(table.to_text())
    });
    tables.collect::<Vec<_>>().join("\n")
}

/// Returns a table with one row of directed counts for each start square. The last row has the sums
/// of the columns.
fn per_start_table(result: &CountResult) -> String {
    let kinds: Vec<Kind> = result.outcome.counts_by_kind().map(|(kind, _)| kind).collect();
    let starts = result.start_counts();
    let mut table = Table::new(["start", "orbit"].into_iter().chain(kinds.iter().map(|kind| kind.name())));
    for start in starts {
        let counts = kinds.iter().map(|&kind| start.counts.get(kind).into());
        table.push(
            [result.board.name(start.vertex).into(), start.orbit_size.into()].into_iter().chain(counts),
        );
    }
    let sum = |&kind: &Kind| starts.iter().filter_map(|start| start.counts.get(kind)).sum::<BigUint>();
    table.push(["sum".into(), Cell::Empty].into_iter().chain(kinds.iter().map(|kind| sum(kind).into())));
    table.to_text()
}

/// Formats a number with a comma after every three digits, such as `13,267`.
pub fn group_digits(number: &BigUint) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use ktour::batch::{CountOutcome, Job, RunInfo, Shard};
    use ktour::board::Board;
    use ktour::count::{Request, WorkPlan};

    /// Returns the result of a shard without tours, for closed tours only.
    fn empty_result(shard: &str) -> CountResult {
        let board: Board = "3x3".parse().unwrap();
        let work_plan = WorkPlan::new(&Request::of_kind(board.clone(), Kind::Closed)).unwrap();
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

    #[test]
    fn record_with_distinct_counts_parses() {
        let board: Board = "3x3".parse().unwrap();
        let work_plan = WorkPlan::new(&Request::of_kind(board, Kind::Closed)).unwrap();
        let sums = work_plan.validated_request().zero_sums();
        let numbers = CountOutcome::from_sums(work_plan.validated_request(), &[Shard::WHOLE], &sums).unwrap();
        let time = "2026-01-31T23:59:59Z".to_owned();
        let run = RunInfo { seconds: 1.0, threads: 1, started: time.clone(), finished: time };
        let bare =
            Record::new(&Job::new(&work_plan, Shard::WHOLE), &[Shard::WHOLE], &sums, &numbers, false, &run);
        assert_eq!(bare.clone().with_distinct_counts(&DistinctCounts::default()), bare);

        let up_to = DistinctCounts {
            distinct: vec![(Kind::Closed, 1245u32.into())],
            symmetries: Some(8),
            classes: Vec::new(),
        };
        assert_eq!(up_to.distinct(Kind::Closed), Some(&1245u32.into()));
        assert!(up_to.distinct(Kind::Paths).is_none() && up_to.classes(Kind::Closed).is_none());
        let record = bare.with_distinct_counts(&up_to);
        assert_eq!((record.distinct["closed"].as_str(), record.symmetries), ("1245", Some(8)));
        assert_eq!(Record::parse(&record.to_line()).unwrap(), record);
    }

    #[test]
    fn group_digits_puts_commas() {
        let of = |number: u64| group_digits(&number.into());
        assert_eq!([0, 864, 9862, 100_000].map(of), ["0", "864", "9,862", "100,000"]);
        assert_eq!(of(13_267_364_410_532), "13,267,364,410,532");
    }
}
