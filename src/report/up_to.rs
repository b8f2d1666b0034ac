//! [`DistinctCounts`] are the counts up to symmetry that accompany those of all tours.

use num_bigint::BigUint;

use ktour::batch::{ClassNumbers, Record};
use ktour::count::symmetric::Table;
use ktour::tour::Kind;

/// Distinct tours and symmetry classes by kind.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct UpTo {
    /// Numbers of distinct tours by kind.
    pub distinct: Vec<(Kind, BigUint)>,
    /// Number of symmetries under which tours count as equal.
    pub symmetries: Option<usize>,
    /// Symmetry classes by kind.
    pub classes: Vec<(Kind, Table)>,
}

impl UpTo {
    /// Returns the number of distinct tours of a kind.
    #[must_use]
    pub fn distinct(&self, kind: Kind) -> Option<&BigUint> {
        self.distinct.iter().find(|(other, _)| *other == kind).map(|(_, number)| number)
    }

    /// Returns the symmetry classes of a kind.
    #[must_use]
    pub fn classes(&self, kind: Kind) -> Option<&Table> {
        self.classes.iter().find(|(other, _)| *other == kind).map(|(_, table)| table)
    }

    /// Adds these counts to a record.
    #[must_use]
    pub fn add_to(&self, record: Record) -> Record {
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
    use ktour::batch::{Job, Reckoning, Run, Shard};
    use ktour::board::Arena;
    use ktour::count::{Request, Work};

    #[test]
    fn a_record_tells_them_and_still_reads_back() {
        let arena: Arena = "3x3".parse().unwrap();
        let work = Work::new(&Request { kind: Some(Kind::Closed), ..Request::new(arena) }).unwrap();
        let sums = work.question().no_sums();
        let numbers = Reckoning::of(work.question(), &[Shard::WHOLE], &sums).unwrap();
        let time = "2026-01-31T23:59:59Z".to_owned();
        let run = Run { seconds: 1.0, threads: 1, started: time.clone(), finished: time };
        let bare = Record::new(&Job::new(&work, Shard::WHOLE), &[Shard::WHOLE], &sums, &numbers, false, &run);
        assert_eq!(UpTo::default().add_to(bare.clone()), bare);

        let up_to =
            UpTo { distinct: vec![(Kind::Closed, 1245u32.into())], symmetries: Some(8), classes: Vec::new() };
        assert_eq!(up_to.distinct(Kind::Closed), Some(&1245u32.into()));
        assert!(up_to.distinct(Kind::Paths).is_none() && up_to.classes(Kind::Closed).is_none());
        let record = up_to.add_to(bare);
        assert_eq!((record.distinct["closed"].as_str(), record.symmetries), ("1245", Some(8)));
        assert_eq!(Record::parse(&record.line()).unwrap(), record);
    }
}
