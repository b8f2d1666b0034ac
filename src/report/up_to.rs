//! [`DistinctCounts`] are the counts up to symmetry that accompany those of all tours.

use num_bigint::BigUint;

use ktour::batch::{ClassNumbers, Record};
use ktour::count::symmetric::ClassTable;
use ktour::tour::Kind;

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
