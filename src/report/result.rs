//! The result of a count: its numbers, and the record with their origin.

use num_bigint::BigUint;

use super::up_to::UpTo;
use ktour::batch::{Reckoning, Record};
use ktour::board::Arena;
use ktour::count::StartCount;
use ktour::tour::Kind;

/// The result of a count.
#[derive(Debug)]
pub struct CountResult {
    /// The board.
    pub arena: Arena,
    /// The numbers of tours.
    pub numbers: Reckoning,
    /// True if counts by start square were requested.
    pub per_start: bool,
    /// Counts up to symmetry, if they were requested.
    pub up_to: UpTo,
    /// The record of the run.
    pub record: Record,
}

impl CountResult {
    /// Returns the counts of each kind: undirected tours if known, and directed tours.
    pub fn kinds(&self) -> impl Iterator<Item = (Kind, Option<&BigUint>, BigUint)> {
        self.numbers.kinds().map(|(kind, count)| {
            let undirected = self.numbers.is_undirected().then_some(count);
            (kind, undirected, self.numbers.directed(count, self.arena.len()))
        })
    }

    /// Returns the counts by start square, if they were requested and are known.
    #[must_use]
    pub fn starts(&self) -> &[StartCount] {
        if self.per_start { self.numbers.per_start() } else { &[] }
    }

    /// Returns shards, counts and time on one line of `key=value` pairs.
    #[must_use]
    pub fn proof(&self) -> String {
        let counts = self.kinds().map(|(kind, undirected, directed)| match undirected {
            Some(undirected) => format!("{}={undirected}", kind.name()),
            None => format!("directed-{}={directed}", kind.name()),
        });
        let distinct = |(kind, ..): (Kind, _, _)| {
            Some(format!("distinct-{}={}", kind.name(), self.up_to.distinct(kind)?))
        };
        let symmetries = self.up_to.symmetries.map(|symmetries| format!("symmetries={symmetries}"));
        let counts: Vec<String> = counts.chain(self.kinds().filter_map(distinct)).chain(symmetries).collect();
        let modulus = self.numbers.modulus().map(|modulus| format!("modulus={}", modulus.modulus()));
        let counts: Vec<String> = counts.into_iter().chain(modulus).collect();
        let Record { shards, seconds, .. } = &self.record;
        format!("shards={} {} seconds={seconds:.3}", shards.join(","), counts.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktour::batch::{Job, Run, Shard};
    use ktour::count::{Request, Work};

    /// Returns the result of a shard without tours, for closed tours only.
    fn nothing(shard: &str) -> CountResult {
        let arena: Arena = "3x3".parse().unwrap();
        let work = Work::new(&Request { kind: Some(Kind::Closed), ..Request::new(arena.clone()) }).unwrap();
        let shards: [Shard; 1] = [shard.parse().unwrap()];
        let job = Job::new(&work, shards[0]);
        let sums = work.question().no_sums();
        let numbers = Reckoning::of(work.question(), &shards, &sums).unwrap();
        let time = "2026-01-31T23:59:59Z".to_owned();
        let run = Run { seconds: 0.25, threads: 1, started: time.clone(), finished: time };
        let record = Record::new(&job, &shards, &sums, &numbers, true, &run);
        CountResult { arena, numbers, per_start: true, up_to: UpTo::default(), record }
    }

    #[test]
    fn a_part_of_a_count_is_called_directed() {
        let whole = nothing("0/1");
        assert_eq!(whole.proof(), "shards=0/1 closed=0 seconds=0.250");
        assert_eq!(whole.kinds().next(), Some((Kind::Closed, Some(&BigUint::ZERO), BigUint::ZERO)));
        let part = nothing("1/2");
        assert_eq!(part.proof(), "shards=1/2 directed-closed=0 seconds=0.250");
        assert_eq!(part.kinds().next(), Some((Kind::Closed, None, BigUint::ZERO)));
        assert!(part.starts().is_empty());
    }
}
