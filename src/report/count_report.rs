//! The result of a count, with the record of its run, and its tables as aligned text.

use ktour::batch::{CountOutcome, DoubleCheck, Job, Record, RunInfo, Shard};
use ktour::board::Board;
use ktour::count::symmetric::DistinctCounts;
use ktour::count::{StartCount, Sums};
use ktour::tour::Kind;
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use super::table::{Cell, Table};

/// Numbers of tours of one kind on a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindCounts {
    /// The kind of the tours.
    pub kind: Kind,
    /// Number of undirected tours. `None` if a start or end is fixed.
    pub undirected: Option<BigUint>,
    /// Number of directed tours.
    pub directed: BigUint,
    /// Number of tours up to the board's symmetries, if it was counted.
    pub distinct: Option<BigUint>,
}

impl KindCounts {
    /// Returns the number that is printed: of tours up to symmetry if it was counted; otherwise of undirected tours, or
    /// of directed tours if `directed`.
    #[must_use]
    pub fn printed(&self, directed: bool) -> &BigUint {
        let undirected = self.undirected.as_ref().filter(|_| !directed);
        self.distinct.as_ref().or(undirected).unwrap_or(&self.directed)
    }

    /// Returns the cells of the numbers, with the columns of CSV.
    #[must_use]
    pub fn cells(&self) -> [(&'static str, Cell); 4] {
        [
            ("kind", self.kind.name().into()),
            ("undirected", self.undirected.as_ref().into()),
            ("directed", (&self.directed).into()),
            ("distinct", self.distinct.as_ref().into()),
        ]
    }
}

/// Returns a table with one row for each kind: its name, the number of undirected tours, and the number of directed
/// tours. If tours were counted up to symmetry, it has all tours and these. `directed_only` leaves out undirected tours;
/// `first` is the first heading.
///
/// ```text
/// kind    undirected  directed       kind    undirected  distinct
/// closed        9862     19724       closed        9862      1245
///
/// shard 0/4  directed
/// closed         2531
/// ```
#[must_use]
pub fn kind_table(first: String, counts: &[KindCounts], directed_only: bool) -> String {
    let has_distinct = counts.iter().any(|count| count.distinct.is_some());
    let shown = [true, !directed_only, directed_only || !has_distinct, has_distinct];
    let headings = [first, "undirected".to_owned(), "directed".to_owned(), "distinct".to_owned()];
    let mut table = Table::new(select(headings, shown));
    counts.iter().for_each(|count| table.push(select(count.cells().map(|(_, cell)| cell), shown)));
    table.to_text()
}

/// Returns the items that are shown.
fn select<T>(items: [T; 4], shown: [bool; 4]) -> impl Iterator<Item = T> {
    items.into_iter().zip(shown).filter_map(|(item, is_shown)| is_shown.then_some(item))
}

/// The result of a count: the numbers of tours, and the run. Its record, which describes the machine and has a digest, is
/// made only when it is written.
#[derive(Debug)]
pub struct CountResult {
    /// The job.
    pub job: Job,
    /// The shards of the job that were counted.
    pub shards: Vec<Shard>,
    /// The sums of these shards, from which the outcome follows.
    pub sums: Sums,
    /// The numbers of tours.
    pub outcome: CountOutcome,
    /// True if the user requested counts by start square.
    pub per_start: bool,
    /// Counts up to symmetry, if they were requested.
    pub distinct_counts: DistinctCounts,
    /// The time and the threads of the run.
    pub run: RunInfo,
    /// The result of a second count, if one was made.
    pub double_check: Option<DoubleCheck>,
}

impl CountResult {
    /// Returns the board on which the tours were counted.
    #[must_use]
    pub fn board(&self) -> &Board {
        self.job.request.board()
    }

    /// Returns the record of the run.
    #[must_use]
    pub fn to_record(&self) -> Record {
        let Self { job, shards, sums, outcome, per_start, run, .. } = self;
        let record = Record::new(job, shards, sums, outcome, *per_start, run);
        let record = record.with_distinct_counts(&self.distinct_counts);
        match &self.double_check {
            Some(check) => record.with_double_check(check.clone()),
            None => record,
        }
    }

    /// Returns the numbers of every kind that was counted.
    #[must_use]
    pub fn counts_by_kind(&self) -> Vec<KindCounts> {
        let counts = self.outcome.counts_by_kind().map(|(kind, count)| KindCounts {
            kind,
            undirected: self.outcome.is_undirected().then(|| count.clone()),
            directed: self.outcome.directed_count(count, self.board().len()),
            distinct: self.distinct_counts.distinct(kind).cloned(),
        });
        counts.collect()
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
        if let (Some(modulus), true) = (self.outcome.modulus(), self.shards == [Shard::WHOLE]) {
            let mut numbers = self.outcome.counts_by_kind();
            if let (Some((_, residue)), None) = (numbers.next(), numbers.next()) {
                return format!("{residue} modulo {}\n", modulus.modulus());
            }
        }
        // A partial count must not look like an answer, so it is printed as a table.
        if self.outcome.answer().is_none() {
            return count_table(self, true);
        }
        match self.counts_by_kind().as_slice() {
            // A single number is printed alone, for scripts.
            [counts] => format!("{}\n", counts.printed(directed)),
            _ => count_table(self, directed),
        }
    }

    /// Returns the shards, the counts and the running time on one line of `key=value` pairs.
    #[must_use]
    pub fn summary_line(&self) -> String {
        let all = self.counts_by_kind();
        let counts = all.iter().map(|KindCounts { kind, undirected, directed, .. }| match undirected {
            Some(undirected) => format!("{}={undirected}", kind.name()),
            None => format!("directed-{}={directed}", kind.name()),
        });
        let distinct = |counts: &KindCounts| {
            Some(format!("distinct-{}={}", counts.kind.name(), counts.distinct.as_ref()?))
        };
        let symmetries = self.distinct_counts.symmetries.map(|symmetries| format!("symmetries={symmetries}"));
        let modulus = self.outcome.modulus().map(|modulus| format!("modulus={}", modulus.modulus()));
        let words = counts.chain(all.iter().filter_map(distinct)).chain(symmetries).chain(modulus);
        let counts: Vec<String> = words.collect();
        format!("shards={} {} seconds={:.3}", self.shards_text(","), counts.join(" "), self.run.seconds)
    }

    fn shards_text(&self, separator: &str) -> String {
        self.shards.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
    }
}

/// Returns a table with one row for each kind that was counted: see [`kind_table`]. The undirected column is left out if
/// a start or end is fixed, for a shard of a job, or if `directed_only`. The first heading shows the shards of a partial
/// count. A count modulo a number has a column of residues.
fn count_table(result: &CountResult, directed_only: bool) -> String {
    let is_part = match result.outcome.modulus() {
        Some(_) => result.shards != [Shard::WHOLE],
        None => result.outcome.answer().is_none(),
    };
    let first = if is_part { format!("shard {}", result.shards_text(" ")) } else { "kind".to_owned() };
    let Some(modulus) = result.outcome.modulus() else {
        let directed_only = directed_only || !result.outcome.is_undirected();
        return kind_table(first, &result.counts_by_kind(), directed_only);
    };
    let mut table = Table::new([first, format!("modulo {}", modulus.modulus())]);
    for (kind, residue) in result.outcome.counts_by_kind() {
        table.push([kind.name().into(), residue.into()]);
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
    let tables = result.counts_by_kind().into_iter().filter_map(|counts| {
        let mut table = Table::new([counts.kind.name(), "tours", "distinct"]);
        for (class, row) in &result.distinct_counts.classes(counts.kind)?.rows {
            table.push([class.name().into(), (&row.tours).into(), (&row.classes).into()]);
        }
        table.push(["total".into(), counts.undirected.into(), counts.distinct.into()]);
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
            [result.board().name(start.vertex).into(), start.orbit_size.into()].into_iter().chain(counts),
        );
    }
    let sum = |&kind: &Kind| starts.iter().filter_map(|start| start.counts.get(kind)).sum::<BigUint>();
    table.push(["total".into(), Cell::Empty].into_iter().chain(kinds.iter().map(|kind| sum(kind).into())));
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
    use ktour::count::{Request, WorkPlan};

    /// Returns the result of a shard without tours, for closed tours only.
    fn empty_result(shard: &str) -> CountResult {
        let board: Board = "3x3".parse().unwrap();
        let work_plan = WorkPlan::new(&Request::of_kind(board, Kind::Closed)).unwrap();
        let shards: [Shard; 1] = [shard.parse().unwrap()];
        let job = Job::new(&work_plan, shards[0]);
        let sums = work_plan.validated_request().zero_sums();
        let numbers = CountOutcome::from_sums(work_plan.validated_request(), &shards, &sums).unwrap();
        let time = "2026-01-31T23:59:59Z".to_owned();
        let run = RunInfo { seconds: 0.25, threads: 1, started: time.clone(), finished: time };
        CountResult {
            job,
            shards: shards.to_vec(),
            sums,
            outcome: numbers,
            per_start: true,
            distinct_counts: DistinctCounts::default(),
            run,
            double_check: None,
        }
    }

    #[test]
    fn partial_count_is_directed() {
        let whole = empty_result("0/1");
        assert_eq!(whole.summary_line(), "shards=0/1 closed=0 seconds=0.250");
        let zero = |undirected| KindCounts {
            kind: Kind::Closed,
            undirected,
            directed: BigUint::ZERO,
            distinct: None,
        };
        assert_eq!(whole.counts_by_kind(), [zero(Some(BigUint::ZERO))]);
        let part = empty_result("1/2");
        assert_eq!(part.summary_line(), "shards=1/2 directed-closed=0 seconds=0.250");
        assert_eq!(part.counts_by_kind(), [zero(None)]);
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
