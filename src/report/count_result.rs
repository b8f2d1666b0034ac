//! The result of a count: its numbers, and the record with their origin.
//!
//! [`DistinctCounts`] are the counts up to symmetry that accompany those of all tours.

use ktour::batch::{ClassNumbers, CountOutcome, Record};
use ktour::board::Board;
use ktour::count::StartCount;
use ktour::count::symmetric::ClassTable;
use ktour::tour::Kind;
use num_bigint::BigUint;

/// The result of a count.
#[derive(Debug)]
pub struct CountResult {
    /// The board.
    pub board: Board,
    /// The numbers of tours.
    pub outcome: CountOutcome,
    /// True if counts by start square were requested.
    pub per_start: bool,
    /// Counts up to symmetry, if they were requested.
    pub distinct_counts: DistinctCounts,
    /// The record of the run.
    pub record: Record,
}

impl CountResult {
    /// Returns the counts of each kind: undirected tours if known, and directed tours.
    pub fn counts_by_kind(&self) -> impl Iterator<Item = (Kind, Option<&BigUint>, BigUint)> {
        self.outcome.counts_by_kind().map(|(kind, count)| {
            let undirected = self.outcome.is_undirected().then_some(count);
            (kind, undirected, self.outcome.directed_count(count, self.board.len()))
        })
    }

    /// Returns the counts by start square, if they were requested and are known.
    #[must_use]
    pub fn start_counts(&self) -> &[StartCount] {
        if self.per_start { self.outcome.per_start() } else { &[] }
    }

    /// Returns shards, counts and time on one line of `key=value` pairs.
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

/// Distinct tours and symmetry classes by kind.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DistinctCounts {
    /// Numbers of distinct tours by kind.
    pub distinct: Vec<(Kind, BigUint)>,
    /// Number of symmetries under which tours count as equal.
    pub symmetries: Option<usize>,
    /// Symmetry classes by kind.
    pub classes: Vec<(Kind, ClassTable)>,
}

impl DistinctCounts {
    /// Returns the number of distinct tours of a kind.
    #[must_use]
    pub fn distinct(&self, kind: Kind) -> Option<&BigUint> {
        self.distinct.iter().find(|(other, _)| *other == kind).map(|(_, number)| number)
    }

    /// Returns the symmetry classes of a kind.
    #[must_use]
    pub fn classes(&self, kind: Kind) -> Option<&ClassTable> {
        self.classes.iter().find(|(other, _)| *other == kind).map(|(_, table)| table)
    }

    /// Adds these counts to a record.
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

#[cfg(test)]
mod tests {
    use super::*;
    use ktour::batch::{Job, RunInfo, Shard};
    use ktour::count::{Request, WorkPlan};

    /// Returns the result of a shard without tours, for closed tours only.
    fn empty_result(shard: &str) -> CountResult {
        let board: Board = "3x3".parse().unwrap();
        let work =
            WorkPlan::new(&Request { kind: Some(Kind::Closed), ..Request::new(board.clone()) }).unwrap();
        let shards: [Shard; 1] = [shard.parse().unwrap()];
        let job = Job::new(&work, shards[0]);
        let sums = work.validated_request().zero_sums();
        let numbers = CountOutcome::from_sums(work.validated_request(), &shards, &sums).unwrap();
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
        let work = WorkPlan::new(&Request { kind: Some(Kind::Closed), ..Request::new(board) }).unwrap();
        let sums = work.validated_request().zero_sums();
        let numbers = CountOutcome::from_sums(work.validated_request(), &[Shard::WHOLE], &sums).unwrap();
        let time = "2026-01-31T23:59:59Z".to_owned();
        let run = RunInfo { seconds: 1.0, threads: 1, started: time.clone(), finished: time };
        let bare = Record::new(&Job::new(&work, Shard::WHOLE), &[Shard::WHOLE], &sums, &numbers, false, &run);
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
