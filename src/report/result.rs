//! The result of a count: its numbers, and the record with their origin.

use num_bigint::BigUint;

use super::up_to::DistinctCounts;
use ktour::batch::{CountOutcome, Record};
use ktour::board::Board;
use ktour::count::StartCount;
use ktour::tour::Kind;

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
